/* tableau-algebra.c: properties of a tableau from its coefficients: order conditions of the rooted trees,
 * symplecticity, symmetry; and tableaus made of tableaus.
 *
 * A tree is a list of subtrees. With Phi_i(tree) = prod over subtrees of sum_j a_ij Phi_j(subtree), the
 * condition is sum_i b_i Phi_i(tree) = 1 / gamma(tree) (Hairer, Lubich, Wanner, III.1). Trees are
 * enumerated with non-increasing subtree numbers: 200 up to order 8. Beyond that the simplifying
 * assumptions
 *
 *   B(p): sum_i b_i c_i^(k-1) = 1/k,  k <= p      C(n): sum_j a_ij c_j^(k-1) = c_i^k / k,  k <= n
 *   D(m): sum_i b_i (1 - c_i)^(k-1) a_ij = b_j (1 - c_j)^k / k,  k <= m
 *
 * (D usually stands in powers of c, which span the same) give the order min(p, n + m + 1, 2n + 2).
 * Coefficients may be any numbers: a residual that is NaN fails every test.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "tableau/tableau.h"

enum { MAX_TREES = 200 };

static const double vanishing = CST_TREE_VANISHING;

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

/* The larger one in magnitude; NaN stays. */
static double larger(double worst, double x) {
  return isnan(worst) || fabs(x) <= worst ? worst : fabs(x);
}

static void finish_tree(const cst_tableau *t, forest *f, tree x) {
  const int s = t->stages;
  for (int i = 0; i < s; i++) {
    x.up[i] = 0;
    for (int j = 0; j < s; j++)
      x.up[i] += t->a[i * s + j] * x.phi[j];
  }
  f->tree[f->n++] = x;
}

/* Adds every tree of the given order whose remaining subtrees, of total order `left`, have numbers at most
 * `top`. */
static void grow(const cst_tableau *t, forest *f, int order, int left, int top, tree x) {
  if (left == 0) {
    x.order = order;
    x.gamma *= order;
    finish_tree(t, f, x);
    return;
  }
  for (int k = top; k >= 0; k--) {
    if (f->tree[k].order > left)
      continue;
    tree y = x;
    y.gamma *= f->tree[k].gamma;
    for (int i = 0; i < t->stages; i++)
      y.phi[i] *= f->tree[k].up[i];
    grow(t, f, order, left - f->tree[k].order, k, y);
  }
}

/* Adds all trees of one order to those of all lower ones. */
static void plant(const cst_tableau *t, forest *f, int order) {
  tree root = {.gamma = 1};
  for (int i = 0; i < t->stages; i++)
    root.phi[i] = 1;
  grow(t, f, order, order - 1, f->n - 1, root);
}

/* Largest residual of the trees from number `first` on. */
static double defect(const cst_tableau *t, const forest *f, int first) {
  double worst = 0;
  for (int k = first; k < f->n; k++) {
    double weighed = 0;
    for (int i = 0; i < t->stages; i++)
      weighed += t->b[i] * f->tree[k].phi[i];
    worst = larger(worst, weighed - 1 / f->tree[k].gamma);
  }
  return worst;
}

static forest trees; /* of the current tableau */

/* Adds the trees of the next order, 1 after none; their largest residual. */
static double next_defect(const cst_tableau *t, int order) {
  if (order == 1)
    trees.n = 0;
  const int first = trees.n;
  plant(t, &trees, order);
  return defect(t, &trees, first);
}

void cst_tableau_defects(const cst_tableau *t, double *defect) {
  defect[0] = 0;
  for (int p = 1; p <= CST_TREE_ORDER; p++)
    defect[p] = next_defect(t, p);
}

int cst_tableau_trees(int order) {
  int before = 0;
  trees.n = 0;
  for (int p = 1; p <= order && p <= CST_TREE_ORDER; p++) {
    before = trees.n;
    plant(&(cst_tableau){0}, &trees, p);
  }
  return trees.n - before;
}

/* A sum, and the sum of the magnitudes of its terms, as a scale for round-off, because powers of c become
 * small. */
typedef struct {
  double value, size;
} sum;

static void add(sum *s, double x) {
  s->value += x;
  s->size += fabs(x);
}

static double residual(sum s) { return s.size > 0 ? s.value / s.size : s.size; }

static double B(const cst_tableau *t, int k) {
  sum s = {0};
  add(&s, -1.0 / k);
  for (int i = 0; i < t->stages; i++)
    add(&s, t->b[i] * pow(t->c[i], k - 1));
  return larger(0, residual(s));
}

static double C(const cst_tableau *t, int k) {
  double worst = 0;
  for (int i = 0; i < t->stages; i++) {
    sum s = {0};
    add(&s, -pow(t->c[i], k) / k);
    for (int j = 0; j < t->stages; j++)
      add(&s, t->a[i * t->stages + j] * pow(t->c[j], k - 1));
    worst = larger(worst, residual(s));
  }
  return worst;
}

static double D(const cst_tableau *t, int k) {
  double worst = 0;
  for (int j = 0; j < t->stages; j++) {
    sum s = {0};
    add(&s, -t->b[j] * pow(1 - t->c[j], k) / k);
    for (int i = 0; i < t->stages; i++)
      add(&s, t->b[i] * pow(1 - t->c[i], k - 1) * t->a[i * t->stages + j]);
    worst = larger(worst, residual(s));
  }
  return worst;
}

/* The largest k up to which an assumption holds; no method has an order above twice its number of stages. */
static int holds(const cst_tableau *t, double (*assumption)(const cst_tableau *, int)) {
  int k = 0;
  while (k < 2 * t->stages && assumption(t, k + 1) <= vanishing)
    k++;
  return k;
}

static int least(int a, int b) { return a < b ? a : b; }

/* That of a symmetric method is even, where residuals of a higher order are too small to be told from
 * round-off. */
static int order_by_assumptions(const cst_tableau *t) {
  const int n = holds(t, C);
  const int order = least(holds(t, B), least(n + holds(t, D) + 1, 2 * n + 2));
  return cst_tableau_symmetry_defect(t) <= vanishing ? order - order % 2 : order;
}

int cst_tableau_order(const cst_tableau *t) {
  for (int p = 1; p <= CST_TREE_ORDER; p++)
    if (!(next_defect(t, p) <= vanishing))
      return p - 1;
  const int order = order_by_assumptions(t);
  return order > CST_TREE_ORDER ? order : CST_TREE_ORDER;
}

double cst_tableau_symplectic_defect(const cst_tableau *t) {
  const int     s = t->stages;
  const double *b = t->b;
  double        worst = 0;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      const double m = b[i] * t->a[i * s + j] + b[j] * t->a[j * s + i] - b[i] * b[j];
      worst = larger(worst, m);
    }
  return worst;
}

double cst_tableau_symmetry_defect(const cst_tableau *t) {
  const int s = t->stages;
  double    worst = 0;
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      const double reflected = t->a[(s - 1 - i) * s + (s - 1 - j)];
      worst = larger(worst, reflected + t->a[i * s + j] - t->b[j]);
    }
  return worst;
}

/* ---- tableaus made of tableaus --------------------------------------------------------------- */

/* The adjoint of one, and one after another. */

bool cst_tableau_implicit(const cst_tableau *t) {
  for (int i = 0; i < t->stages; i++)
    for (int j = i; j < t->stages; j++)
      if (t->a[i * t->stages + j] != 0)
        return true;
  return false;
}

cst_tableau cst_tableau_adjoint(const cst_tableau *t) {
  cst_tableau r = *t;
  const int   s = t->stages;
  r.name = "adjoint";
  for (int i = 0; i < s; i++) {
    r.b[i] = t->b[s - 1 - i];
    r.c[i] = 1 - t->c[s - 1 - i];
    for (int j = 0; j < s; j++)
      r.a[i * s + j] = t->b[s - 1 - j] - t->a[(s - 1 - i) * s + (s - 1 - j)];
  }
  r.implicit = cst_tableau_implicit(&r);
  return r;
}

/* The rows of a stage of `next`: all of t's step first, then its own part. */
static void append_stage(cst_tableau *r, const cst_tableau *t, double fraction,
                         const cst_tableau *next, int i) {
  const int m = t->stages, n = next->stages;
  double   *row = r->a + (m + i) * r->stages;
  double    start = 0;
  for (int j = 0; j < m; j++)
    start += row[j] = t->b[j];
  for (int j = 0; j < n; j++)
    row[m + j] = fraction * next->a[i * n + j];
  r->b[m + i] = fraction * next->b[i];
  r->c[m + i] = start + fraction * next->c[i];
}

bool cst_tableau_compose(cst_tableau *t, double fraction, const cst_tableau *next) {
  const int   m = t->stages;
  const int   s = m + next->stages;
  cst_tableau r = {.name = "compose",
                   .doc = "A composition.",
                   .source = "",
                   .stages = s,
                   .implicit = t->implicit || next->implicit};
  if (s > CST_MAX_STAGES)
    return false;
  for (int i = 0; i < m; i++) {
    r.b[i] = t->b[i];
    r.c[i] = t->c[i];
    for (int j = 0; j < m; j++)
      r.a[i * s + j] = t->a[i * m + j];
  }
  for (int i = 0; i < next->stages; i++)
    append_stage(&r, t, fraction, next, i);
  *t = r;
  return true;
}
