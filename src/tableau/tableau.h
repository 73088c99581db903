/* tableau.h: coefficients as data: Runge-Kutta tableaus and composition schemes, and the algebra that checks
 * them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TABLEAU_H
#define CST_TABLEAU_H
#include <stdbool.h>

enum { CST_MAX_STAGES = 32, CST_MAX_GAUSS = 16, CST_MAX_RADAU = 4, CST_TREE_ORDER = 8 };

typedef struct {
  const char *name, *doc, *source;
  int         stages, order;
  bool        implicit;
  double      a[CST_MAX_STAGES * CST_MAX_STAGES]; /* [stages][stages] */
  double      b[CST_MAX_STAGES], c[CST_MAX_STAGES];
} cst_tableau;

/* Explicit tableaus, in the order of `constella list`; NULL beyond the last and for an unknown name. */
const cst_tableau *cst_tableau_at(int i);
const cst_tableau *cst_tableau_find(const char *name);

/* The collocation method of order 2s at the s Gauss nodes, 1 <= s <= CST_MAX_GAUSS; nodes and coefficients
 * are computed in quadruple precision and rounded once. */
cst_tableau cst_tableau_gauss(int s);
/* The same unrounded: a[s][s], b[s], c[s]. */
void cst_tableau_gauss_quad(int s, __float128 *a, __float128 *b, __float128 *c);
/* Radau IIA of order 2s - 1, 1 <= s <= CST_MAX_RADAU; its last stage is the end of the step. */
cst_tableau cst_tableau_radau(int s);
/* The adjoint: a step with it undoes a step of -h with t. a*_ij = b_{s+1-j} - a_{s+1-i,s+1-j}, b*_i =
 * b_{s+1-i} (Hairer, Lubich, Wanner, Geometric Numerical Integration, II.3). */
cst_tableau cst_tableau_adjoint(const cst_tableau *t);
/* Appends to t a step with `next` over `fraction` of the step; t may have no stages yet. The numbers of
 * stages add, a is block triangular. false, with t unchanged, when there are more than CST_MAX_STAGES. The
 * order of the result is left at 0. */
bool cst_tableau_compose(cst_tableau *t, double fraction, const cst_tableau *next);
/* Whether some stage depends on itself or a later one. */
bool cst_tableau_implicit(const cst_tableau *t);

/* Residuals of order conditions up to this one are round-off. */
#define CST_TREE_VANISHING 1e-13
/* Largest residual of the order conditions of the rooted trees of each order, defect[0 .. CST_TREE_ORDER]. */
void cst_tableau_defects(const cst_tableau *t, double *defect);
/* The number of rooted trees of this order (at most CST_TREE_ORDER). */
int cst_tableau_trees(int order);
/* The order, from the coefficients to 1e-13: by the trees up to CST_TREE_ORDER, beyond by the simplifying
 * assumptions B, C and D (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.7), which
 * only give a lower bound. */
int cst_tableau_order(const cst_tableau *t);
/* max |b_i a_ij + b_j a_ji - b_i b_j|: zero for symplectic methods. */
double cst_tableau_symplectic_defect(const cst_tableau *t);
/* max |a_{s+1-i,s+1-j} + a_ij - b_j|: zero for symmetric methods. */
double cst_tableau_symmetry_defect(const cst_tableau *t);
#endif
