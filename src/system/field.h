/* field.h: the equations of motion as formulas: accelerations, multipliers and the Lagrangian as nodes of the
 * system's graph at any nodes q, v, for what is to be expanded or differentiated further.
 *
 *   M A = f - G' lambda,   G A = -D2g[v, v]        (f = -grad V where M is a constant diagonal and a = 0)
 *
 * The same equations that acceleration.h solves over lanes, eliminated symbolically without pivoting: LDL' of
 * M and of S = G M^-1 G'.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FIELD_H
#define CST_FIELD_H
#include "constella/system.h"

/* Whether there are such formulas: for dense systems of at most CST_MAX_Q coordinates; why[n] filled where
 * there are none. */
bool cst_field_exists(const cst_system *s, char *why, int n);
/* A[nq] and, unless it is NULL, lambda[ng] (0 of constraints that are not enforced) at q[nq], v[nq]. Nodes
 * are -1 when the graph is full.
 */
void     cst_field_acceleration(const cst_system *s, const cst_node *q, const cst_node *v, cst_node *A,
                                cst_node *lambda);
cst_node cst_field_lagrangian(const cst_system *s, const cst_node *q, const cst_node *v);
#endif
