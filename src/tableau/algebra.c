/* algebra.c: what a tableau is worth, read off its coefficients: order conditions of the rooted trees, symplecticity, symmetry.
 *
 * A tree is a list of subtrees. With Phi_i(tree) = prod over subtrees of sum_j a_ij Phi_j(subtree), the condition is
 * sum_i b_i Phi_i(tree) = 1 / gamma(tree) (Hairer, Lubich, Wanner, III.1). Trees are enumerated with non-increasing subtree numbers.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "tableau/tableau.h"

enum { MAX_ORDER = 6, MAX_TREES = 64 };

typedef struct {
  int    order;
  double gamma;
  double phi[CST_MAX_STAGES]; /* Phi_i */
  double up[CST_MAX_STAGES];  /* sum_j a_ij Phi_j */
} tree;

typedef struct {
  tree tree[MAX_TREES];
  int  n;
} forest;

static void finish_tree(const cst_tableau *t, forest *f, tree x) {
  const int s = t->stages;
  for (int i = 0; i < s; i++) {
    x.up[i] = 0;
    for (int j = 0; j < s; j++) x.up[i] += t->a[i * s + j] * x.phi[j];
  }
  f->tree[f->n++] = x;
}

/* Add every tree of the given order whose remaining subtrees, of total order `left`, have numbers at most `top`. */
static void grow(const cst_tableau *t, forest *f, int order, int left, int top, tree x) {
  if (left == 0) {
    x.order = order;
    x.gamma *= order;
    finish_tree(t, f, x);
    return;
  }
  for (int k = top; k >= 0; k--) {
    if (f->tree[k].order > left) continue;
    tree y = x;
    y.gamma *= f->tree[k].gamma;
    for (int i = 0; i < t->stages; i++) y.phi[i] *= f->tree[k].up[i];
    grow(t, f, order, left - f->tree[k].order, k, y);
  }
}

double cst_tableau_order_defect(const cst_tableau *t, int order) {
  static forest f;
  double        worst = 0;
  f.n = 0;
  for (int p = 1; p <= order && p <= MAX_ORDER; p++) {
    tree root = {.gamma = 1};
    for (int i = 0; i < t->stages; i++) root.phi[i] = 1;
    grow(t, &f, p, p - 1, f.n - 1, root);
  }
  for (int k = 0; k < f.n; k++) {
    double sum = 0;
    for (int i = 0; i < t->stages; i++) sum += t->b[i] * f.tree[k].phi[i];
    worst = fmax(worst, fabs(sum - 1 / f.tree[k].gamma));
  }
  return worst;
}

double cst_tableau_symplectic_defect(const cst_tableau *t) {
  const int s = t->stages;
  double    worst = 0;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) worst = fmax(worst, fabs(t->b[i] * t->a[i * s + j] + t->b[j] * t->a[j * s + i] - t->b[i] * t->b[j]));
  return worst;
}

double cst_tableau_symmetry_defect(const cst_tableau *t) {
  const int s = t->stages;
  double    worst = 0;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) worst = fmax(worst, fabs(t->a[(s - 1 - i) * s + (s - 1 - j)] + t->a[i * s + j] - t->b[j]));
  return worst;
}
