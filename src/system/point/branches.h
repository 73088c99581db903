/* branches.h: states where motions branch, because the gradients of the constraints on positions become dependent there.
 * Only the enforced ones count. Internal. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BRANCHES_H
#define CST_BRANCHES_H
#include "constella/system.h"

/* Whether there may be such states. There are none if the gradients are independent at all states with g = 0 by the way
 * in which constraints share coordinates, as of chains and trees of joints, and of rigid molecules. If there may be, of[nq]
 * says which coordinates belong to the other constraints. False of systems that are not looked at. */
bool cst_branches_possible(const cst_system *s, const double *c, bool *of);

/* The lengths of the rows at a start, 1 for rows that vanish there: what rows are divided by along the trajectory. */
void cst_branches_lengths(const cst_system *s, const double *c, const double *q, double *length);

/* What a step from one state to another has of them. */
typedef struct {
  /* before and behind it: a lower bound of their smallest singular value, sqrt(ng) times too small at most */
  double before, behind;
  bool   near;   /* the rows change by more than they are from dependence at one of the ends */
  bool   passes; /* there are dependent rows on the way: the singular value has changed its sign */
} cst_branches_step;
cst_branches_step cst_branches_look(const cst_system *s, const double *length, const double *c0,
                                    const double *q0, const double *c1, const double *q1);

/* One end of a step. */
typedef struct {
  const double *c, *q, *p;
  double        distance; /* as in cst_branches_step */
} cst_branches_end;
/* Whether a step of size h has left its branch, by the coordinates `of`: the velocity jumps by far more than forces and the
 * motion before can make it; or its change is another one than h times the mean of the accelerations at both ends, by more than
 * these differ. False where there is no acceleration. */
bool cst_branches_left(const cst_system *s, const bool *of, double h, const cst_branches_end *from,
                       const cst_branches_end *to);
#endif
