/* reason.h: how a trajectory can end: each way is a row, with whether the trajectory has failed. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_REASON_H
#define CST_REASON_H
#include <stdbool.h>

/* X(name, failed, words, advice): in the order of their numbers, which result files contain; a new row is the
 * last. advice: what helps; NULL: nothing is to be said.
 * NO_START: its start could not be projected onto the constraints. STEP_TOO_LARGE: the solution of the step's
 * equations ends before the step does (core/near-root.h). RANK_LOST: a step failed on whose way the
 * constraints lose rank (cst_system_rank_ahead). EVENT: the study ends it there. NO_MULTIPLIER: a step failed on
 * whose way det G M^-1 (G' - f_lambda) loses its sign (cst_system_slip_ahead). CONSTRAINT_JUMPED, CONSTRAINT_DROPPED:
 * a step was refused (stepper-guard.c). NO_SOLUTION: g(q, t) = 0 has no
 * solution near the state behind a step that failed (cst_system_no_solution_ahead). BRANCH_LEFT: branches.c of
 * src/study/collect ends it. NO_EFFECT: a column of the Jacobian of a step under PETSc is 0 (stepper-petsc.c). */
#define CST_REASON_ROWS(X)                                                                         \
  X(DONE, false, "done", NULL)                                                                     \
  X(NOT_CONVERGED, true, "solver did not converge",                                                \
    "solver did not converge: take a smaller step, or a larger `solver: {max-iterations:}` where " \
    "it is only slow")                                                                             \
  X(NOT_FINITE, true, "not finite",                                                                \
    "not finite: take a smaller step, or a method that is stable at this one")                     \
  X(NO_START, true, "no consistent start", "no consistent start: see `initial` and its spread")    \
  X(STEP_TOO_LARGE, true, "step-too-large",                                                        \
    "step-too-large: the step's equations have no solution that continues the motion; take a "     \
    "smaller step")                                                                                \
  X(RANK_LOST, true, "rank of the constraints lost",                                               \
    "rank of the constraints lost: at a state where their gradients are dependent the motion may " \
    "branch; end before it, or take other starts or parameters. Methods that project, as "         \
    "project(rk4), may pass it, on either branch")                                                 \
  X(EVENT, false, "ended by an event", NULL)                                                       \
  X(NO_MULTIPLIER, true, "no-multiplier",                                                          \
    "no-multiplier: forces that depend on multipliers leave no motion there, as Coulomb's law "    \
    "does in Painleve's examples (docs/errors.md); end before it, or take less friction")          \
  X(CONSTRAINT_JUMPED, true, "constraint-jumped",                                                  \
    "constraint-jumped: a constraint jumps there, as at the cut of atan2; `constella system` "     \
    "names the places, and docs/system-file.md says how to write it without them")                 \
  X(CONSTRAINT_DROPPED, true, "constraint-dropped",                                                \
    "constraint-dropped: a constraint that is redundant at the start, and not enforced, no "       \
    "longer follows from the others; write the constraints so that their gradients are "           \
    "independent, "                                                                                \
    "or start where they are")                                                                     \
  X(NO_SOLUTION, true, "no solution any more",                                                     \
    "no solution any more: the constraints g(q, t) = 0 have none near the motion at the end of "   \
    "that step, as where a drive moves to where its bars do not reach; no smaller step helps. "    \
    "End before it, or let the drive move less far")                                               \
  X(BRANCH_LEFT, true, "branch-left",                                                              \
    "branch-left: at a state where the gradients of the constraints are dependent the motion may " \
    "branch, and the step went on with another velocity; take smaller steps, or a method that "    \
    "projects, as project(rk4), or end before it")                                                 \
  X(NO_EFFECT, true, "no-effect",                                                                  \
    "no-effect: an unknown of a step changes none of its equations, as a multiplier does where "   \
    "the gradient of its constraint vanishes beside the forces; multiply that constraint by a "    \
    "number, or choose units, with which its gradient is about 1")

#define CST_REASON_NAME(name, failed, words, advice) CST_##name,
typedef enum { CST_REASON_ROWS(CST_REASON_NAME) CST_REASONS /* their number */ } cst_reason;
#undef CST_REASON_NAME

/* A row; NULL: no reason has this number. */
typedef struct {
  const char *words, *advice;
  bool        failed;
} cst_reason_row;
const cst_reason_row *cst_reason_at(double number);
/* Whether trajectories with this number have failed; those of unknown reasons have. */
bool cst_reason_failed(double number);
/* Whether it was ended before its time, and has not failed. */
bool cst_reason_stopped(double number);
#endif
