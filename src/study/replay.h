/* replay.h: the worst members of every case, which are known when all has run, are stepped once more for
 * their states.
 *
 * Trajectories are the same bit for bit whenever they are computed, so that nothing of those that turn out
 * not to be among the worst has to be kept. Failed members are not among them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REPLAY_H
#define CST_REPLAY_H
#include "study/keeper.h"

/* The worst members of a case, [ntrajectory], the worst first, of equal ones the first; -1 behind the last.
 */
PetscErrorCode cst_replay_choose(cst_output *o, const cst_plan *p, int icase, long *member);
/* Collective, when all batches are done: choose, compute, write. Where the file has a case already, it stays.
 */
PetscErrorCode cst_replay(const cst_plan *p, cst_output *o, cst_runner *r, cst_keeper *k, cst_end *end);
#endif
