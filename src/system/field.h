/* field.h: the equations of motion as formulas. The accelerations, the multipliers and the Lagrangian are
 * nodes of the system's graph at any nodes q, v, so that they can be expanded or differentiated further.
 *
 *   M A = f - G' lambda,   G A = -D2g[v, v]        (f = -grad V where M is a constant diagonal and a = 0)
 *
 * acceleration.h solves the same equations over lanes. Here they are eliminated symbolically without
 * pivoting, by LDL' of M and of S = G M^-1 G'.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FIELD_H
#define CST_FIELD_H
#include "system/system.h"

/* True if such formulas exist: for dense systems of at most CST_MAX_Q coordinates. Otherwise why[n] says why
 * not. */
bool cst_field_exists(const cst_system *s, char *why, int n);
/* A[nq] and, unless it is NULL, lambda[ng] at q[nq], v[nq]. lambda is 0 for constraints that are not
 * enforced. Nodes are -1 when the graph is full. */
void cst_field_acceleration(const cst_system *s, const cst_node *q, const cst_node *v, cst_node *A,
                            cst_node *lambda);
cst_node cst_field_lagrangian(const cst_system *s, const cst_node *q, const cst_node *v);
#endif
