/* replay.h: steps the worst members of every case, which are known only after the run, once more to store
 * their states.
 *
 * Trajectories have the same bits whenever they are computed, so states of other members need not be kept.
 * Failed members are excluded.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REPLAY_H
#define CST_REPLAY_H
#include "study/run/run-control.h"

/* The worst members of a case, [plan->chosen], worst first, ties by number; -1 after the last. */
PetscErrorCode cst_replay_choose(cst_output *o, const cst_plan *p, int icase, long *member);
/* Collective, after all batches: chooses members, computes and writes their states. Cases that are complete
 * in the file are kept. */
PetscErrorCode cst_replay(const cst_plan *p, cst_output *o, cst_runner *r, cst_run_control *k,
                          cst_end *end);
#endif
