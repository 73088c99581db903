/* replay.h: steps members of every case once more that are chosen when all have run (cst_choice).
 *
 * Trajectories have the same bits whenever they are computed, so that what is kept of the chosen ones alone need
 * not be kept of others. Failed members are not chosen unless a collector says so.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REPLAY_H
#define CST_REPLAY_H
#include "study/run/run-control.h"

/* Collective, after all batches: chooses the members, if a collector does in this study, computes and writes what
 * is kept of them. Cases that are complete in the file are left as they are. */
cst_error cst_replay(const cst_plan *p, cst_output *o, cst_runner *r, cst_run_control *k,
                     cst_end *end);
#endif
