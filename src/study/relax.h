/* relax.h: a start that is relaxed before a run: quenched.
 *
 * `relax: {method:, step:, end:}` steps the start, at rest, by METHOD up to the time `end`. Whenever the
 * kinetic energy has fallen over a step, the forces having done negative work, all velocities are set to
 * zero; so they are in the end. The energy falls to that of a minimum nearby, which is reached the better the
 * longer it takes. Every parameter set has its own; members of an ensemble share it, and are spread around
 * it. What comes out depends on nothing but the study, and has the same bits on every machine.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STUDY_RELAX_H
#define CST_STUDY_RELAX_H
#include <petscsys.h>
#include "constella/study.h"

/* Relax the starts of all parameter sets where the study wishes it, once. An error where a step fails, or
 * constraints that the method does not keep are not found again. */
PetscErrorCode cst_study_relax(cst_study *s, int isa);
#endif
