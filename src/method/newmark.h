/* newmark.h: shared by the methods of Newmark's family: arguments, conditions on systems, claims. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NEWMARK_H
#define CST_NEWMARK_H
#include <stdio.h>
#include <string.h>
#include "method/method.h"
#include "method/substep.h"
#include "method/symmetry.h"

/* Whether every argument of t has one of the keys, each at most once. */
bool cst_newmark_keys(const cst_term *t, const char *const *keys, cst_expr_error *e);
/* Whether beta is a number of at least 0, and present if required. */
bool cst_newmark_check_beta(const cst_term *t, bool required, cst_expr_error *e);
/* The number under `key`, or the default `otherwise`. */
double cst_newmark_number(const cst_term *t, const char *key, double otherwise);
/* Whether Hess V has one M-orthogonal basis of eigenvectors at all q, so that the force
 * M (M + beta h^2 Hess V)^-1 dV is a gradient. */
bool cst_newmark_is_separable(const cst_system *s);
/* Whether s has no constraints, a constant mass and no a(q). */
bool           cst_newmark_fits(const cst_term *t, const cst_system *s, char *why, int n);
cst_properties cst_newmark_properties(int order, unsigned claims);
#endif
