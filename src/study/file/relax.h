/* relax.h: relaxation (quenching) of a start before the run.
 *
 * `relax: {method:, step:, end:}` steps the start, initially at rest, by METHOD up to the time `end`.
 * Whenever the kinetic energy has fallen over a step, because the forces did negative work, and at the end,
 * all velocities are set to zero. The energy falls towards that of a nearby minimum, the closer the longer
 * the relaxation. Every parameter set has its own relaxed start; the members of an ensemble share it and are
 * spread around it. The result depends only on the study and has the same bits on every machine.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STUDY_RELAX_H
#define CST_STUDY_RELAX_H
#include "study/rows/study.h"
#include "core/error.h"

/* Relaxes the starts of all parameter sets, once, if the study asks for it. Error: a step fails, or the
 * constraints cannot be restored. */
cst_error cst_relax_start(cst_study *s, int isa);
/* Whether the method that relaxes starts, if there is one, is built for this row of cst_isas. */
bool cst_study_relaxes_on(const cst_study *s, int isa);
#endif
