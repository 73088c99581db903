/* branches.h: states where motions branch, because the gradients of the constraints on positions become dependent there.
 * Only the enforced ones count. Internal. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BRANCHES_H
#define CST_BRANCHES_H
#include "constella/system.h"

/* Systems of more coordinates or constraints are not looked at. */
enum { CST_BRANCHES_Q = 200, CST_BRANCHES_G = 100 };

/* Whether there may be such states. There are none if the gradients are independent at all states with g = 0 by the way
 * in which constraints share coordinates, as of chains and trees of joints, and of rigid molecules. False of systems that
 * are not looked at. */
bool cst_branches_possible(const cst_system *s, const double *c);

/* What a step from one state to another has of them; rows of Dg are divided by their lengths behind it. */
typedef struct {
  double change; /* of the rows, Frobenius norm */
  double
       distance; /* behind it: a lower bound of their smallest singular value, sqrt(ng) times too small at most */
  bool near;   /* the rows change by more than they are from dependence at one of the ends */
  bool passes; /* there are dependent rows on the way: the singular value has changed its sign */
} cst_branches_step;
/* length[ng]: of the rows behind it. */
cst_branches_step cst_branches_look(const cst_system *s, const double *c0, const double *q0,
                                    const double *c1, const double *q1, double *length);

/* Whether a step of size h from (q0, p0) to (q1, p1) has left its branch: the change of the velocity is another one than
 * h times the mean of the accelerations at both ends, by far more than the curvature of the motion explains. False
 * where there is no acceleration. */
bool cst_branches_left(const cst_system *s, double h, const double *c0, const double *q0,
                       const double *p0, const double *c1, const double *q1, const double *p1);
#endif
