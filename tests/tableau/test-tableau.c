/* test-tableau.c: every tableau and every composition scheme against its row, by algebra: orders hold and are
 * not higher, perturbed coefficients fail. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "constella/method.h"
#include "tableau/tableau.h"
#include "tap.h"

enum { MAX_WEIGHT = 9 };

static int least(int a, int b) { return a < b ? a : b; }

static double row_sum_defect(const cst_tableau *t) {
  double worst = 0;
  for (int i = 0; i < t->stages; i++) {
    double sum = -t->c[i];
    for (int j = 0; j < t->stages; j++)
      sum += t->a[i * t->stages + j];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static double distance(const cst_tableau *x, const cst_tableau *y) {
  double    worst = x->stages == y->stages ? 0 : INFINITY;
  const int s = x->stages;
  for (int i = 0; i < s && worst < 1; i++) {
    worst = fmax(worst, fmax(fabs(x->b[i] - y->b[i]), fabs(x->c[i] - y->c[i])));
    for (int j = 0; j < s; j++)
      worst = fmax(worst, fabs(x->a[i * s + j] - y->a[i * s + j]));
  }
  return worst;
}

/* Largest residual of the order conditions of all rooted trees up to `order`. */
static double defect_up_to(const cst_tableau *t, int order) {
  double defect[CST_TREE_ORDER + 1], worst = 0;
  cst_tableau_defects(t, defect);
  for (int p = 1; p <= order; p++)
    if (!isnan(worst) && !(defect[p] <= worst))
      worst = defect[p];
  return worst;
}

/* Nonzero coefficients whose change by 1e-5 goes unnoticed by the order conditions. */
static int unnoticed(const cst_tableau *t) {
  cst_tableau x = *t;
  int         n = 0;
  const int   s = t->stages, order = least(t->order, CST_TREE_ORDER);
  for (int k = 0; k < s * s + s; k++) {
    double *at = k < s * s ? &x.a[k] : &x.b[k - s * s], keep = *at;
    if (keep == 0)
      continue;
    *at = keep + 1e-5;
    n += defect_up_to(&x, order) < 1e-9;
    *at = keep;
  }
  return n;
}

static void test_orders(const cst_tableau *t, const char *label) {
  for (int p = 1; p <= least(t->order, CST_TREE_ORDER); p++) {
    double defect = defect_up_to(t, p);
    OK(defect < 1e-14, "%s: the conditions up to order %d hold", label, p);
    if (defect >= 1e-14)
      NOTE("defect %g", defect);
  }
  if (t->order < CST_TREE_ORDER) {
    double defect = defect_up_to(t, t->order + 1);
    OK(defect > 1e-5, "%s: those of order %d do not (defect %.2g)", label, t->order + 1, defect);
  }
  OK(cst_tableau_order(t) == t->order, "%s: order %d, read off its coefficients (%d)", label,
     t->order, cst_tableau_order(t));
  OK(cst_tableau_implicit(t) == t->implicit, "%s: %s, as it says", label,
     t->implicit ? "implicit" : "explicit");
  OK(row_sum_defect(t) < 1e-15, "%s: c are the row sums of a", label);
  OK(unnoticed(t) == 0, "%s: a change of any coefficient is noticed", label);
}

static void test_adjoint(const cst_tableau *t, const char *label) {
  cst_tableau once = cst_tableau_adjoint(t), twice = cst_tableau_adjoint(&once);
  OK(distance(&twice, t) < 1e-15, "%s: the adjoint of the adjoint is the tableau", label);
  for (int p = 1; p <= least(t->order, CST_TREE_ORDER); p++)
    if (!(defect_up_to(&once, p) < 1e-14))
      NOTE("%s: adjoint: order %d defect %g", label, p, defect_up_to(&once, p));
  OK(defect_up_to(&once, least(t->order, CST_TREE_ORDER)) < 1e-14,
     "%s: the adjoint has the same order", label);
  OK(row_sum_defect(&once) < 2e-15, "%s: c of the adjoint are the row sums", label);
}

/* Residuals of sum_j b_j c_j^(k-1) = 1/k and, up to stage order, sum_j a_ij c_j^(k-1) = c_i^k / k. */
static double quadrature(const cst_tableau *t, int k) {
  double sum = -1.0 / k;
  for (int j = 0; j < t->stages; j++)
    sum += t->b[j] * pow(t->c[j], k - 1);
  return fabs(sum);
}
static void test_explicit(const cst_tableau *t) {
  OK(!t->implicit, "%s: explicit", t->name);
  OK(cst_tableau_find(t->name) == t, "%s: found by its name", t->name);
  OK(*t->doc && *t->source, "%s: says what it is and where it comes from", t->name);
  test_orders(t, t->name);
  OK(quadrature(t, t->order + 1) > 1e-6 || t->order < CST_TREE_ORDER, "%s: not order %d", t->name,
     t->order + 1);
  test_adjoint(t, t->name);
  cst_tableau a = cst_tableau_adjoint(t);
  OK(distance(&a, t) > 0.1 && cst_tableau_symmetry_defect(t) > 0.1,
     "%s: not symmetric, as no explicit method is", t->name);
  OK(cst_tableau_symplectic_defect(t) > 1e-3, "%s: not symplectic, as no explicit method is",
     t->name);
}

static double collocation(const cst_tableau *t, int k) {
  double worst = 0;
  for (int i = 0; i < t->stages; i++) {
    double sum = -pow(t->c[i], k) / k;
    for (int j = 0; j < t->stages; j++)
      sum += t->a[i * t->stages + j] * pow(t->c[j], k - 1);
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

/* How far the last row of a is from b. */
static double distance_of_rows(const cst_tableau *t) {
  double most = 0;
  for (int j = 0; j < t->stages; j++)
    most = fmax(most, fabs(t->a[(t->stages - 1) * t->stages + j] - t->b[j]));
  return most;
}

static void test_gauss(int s) {
  cst_tableau t = cst_tableau_gauss(s), a = cst_tableau_adjoint(&t), x = t;
  char        label[32];
  double      B = 0, C = 0;
  snprintf(label, sizeof label, "gauss(%d)", s);
  OK(t.stages == s && t.order == 2 * s && t.implicit, "%s: %d stages, order %d, implicit", label, s,
     2 * s);
  test_orders(&t, label);
  test_adjoint(&t, label);
  for (int k = 1; k <= 2 * s; k++)
    B = fmax(B, quadrature(&t, k));
  for (int k = 1; k <= s; k++)
    C = fmax(C, collocation(&t, k));
  OK(B < 1e-15, "%s: the quadrature has order %d", label, 2 * s);
  if (s <= 12)
    OK(quadrature(&t, 2 * s + 1) > 1e-15, "%s: and no more (%.2g)", label,
       quadrature(&t, 2 * s + 1));
  OK(C < 1e-15, "%s: collocation of stage order %d", label, s);
  OK(cst_tableau_symplectic_defect(&t) < 1e-16, "%s: symplectic", label);
  OK(cst_tableau_symmetry_defect(&t) < 1e-15, "%s: symmetric", label);
  OK(distance(&a, &t) < 1e-15, "%s: its own adjoint", label);
  x.a[0] += 1e-7;
  OK(cst_tableau_symplectic_defect(&x) > 1e-10 && cst_tableau_symmetry_defect(&x) > 1e-8,
     "%s: neither with a perturbed coefficient", label);
}

/* Radau IIA: order 2s - 1 and no more, stage order s, and the last stage is the end of the step. */
static void test_radau(int s) {
  cst_tableau  t = cst_tableau_radau(s);
  const double last = distance_of_rows(&t);
  double       B = 0, C = 0;
  for (int k = 1; k < 2 * s; k++)
    B = fmax(B, quadrature(&t, k));
  for (int k = 1; k <= s; k++)
    C = fmax(C, collocation(&t, k));
  OK(t.order == 2 * s - 1 && cst_tableau_order(&t) == 2 * s - 1, "radau(%d): order %d", s,
     2 * s - 1);
  OK(B < 1e-15 && quadrature(&t, 2 * s) > 1e-6, "radau(%d): so has the quadrature", s);
  OK(C < 1e-15, "radau(%d): collocation of stage order %d", s, s);
  OK(last < 1e-15 && t.c[s - 1] == 1, "radau(%d): the last stage is the end", s);
}

/* How many rooted trees there are (Hairer, Lubich, Wanner, III.1, table 1.1). */
static void test_trees(void) {
  static const int known[CST_TREE_ORDER] = {1, 1, 2, 4, 9, 20, 48, 115};
  for (int p = 1; p <= CST_TREE_ORDER; p++)
    OK(cst_tableau_trees(p) == known[p - 1], "%d rooted trees of order %d", known[p - 1], p);
}

/* What is no tableau has no order, and a wrong claim of order is found out. */
static void test_wrong(void) {
  cst_tableau x = *cst_tableau_find("rk4");
  x.b[0] += 1e-9, x.b[3] -= 1e-9;
  OK(cst_tableau_order(&x) == 1, "rk4 with weights that are off by 1e-9: order 1 (%d)",
     cst_tableau_order(&x));
  double defect[CST_TREE_ORDER + 1];
  cst_tableau_defects(&x, defect);
  OK(defect[1] < 1e-15 && fabs(defect[2] - 1e-9) < 1e-15,
     "its residuals: none of order 1 (%g), 1e-9 of order 2 (%g)", defect[1], defect[2]);
  x = *cst_tableau_find("rk8");
  x.a[10 * 11 + 9] += 1e-11;
  OK(cst_tableau_order(&x) < 8, "rk8 with a coefficient that is off by 1e-11: not order 8 (%d)",
     cst_tableau_order(&x));
  x = cst_tableau_gauss(6);
  x.a[1] += 1e-9, x.a[2] -= 1e-9;
  OK(cst_tableau_order(&x) < 12, "gauss(6) with two coefficients off by 1e-9: not order 12 (%d)",
     cst_tableau_order(&x));
  x = *cst_tableau_find("rk4");
  x.a[4] = 1e200, x.a[8] = 1e300, x.a[9] = -1e300;
  OK(cst_tableau_order(&x) <= 1, "huge coefficients: no order (%d)", cst_tableau_order(&x));
  x.a[4] = NAN;
  OK(cst_tableau_order(&x) <= 1 && !(cst_tableau_symplectic_defect(&x) < 1) &&
         !(cst_tableau_symmetry_defect(&x) < 1),
     "coefficients that are no numbers: no property");
}

/* Tableaus in a row, all over the same fraction; the order read off. */
static cst_tableau in_a_row(const cst_tableau *part, int n) {
  cst_tableau t = {0};
  for (int i = 0; i < n; i++)
    if (!cst_tableau_compose(&t, 1.0 / n, &part[i]))
      NOTE("more than %d stages", CST_MAX_STAGES);
  t.order = cst_tableau_order(&t);
  return t;
}

/* Two tableaus: the order of the composition is the lower one or, where that makes it symmetric, one more
 * than an odd one; its adjoint is the composition of the adjoints the other way round. */
static void test_pair(const cst_tableau *x, const cst_tableau *y) {
  const cst_tableau there[] = {*x, *y}, back[] = {cst_tableau_adjoint(y), cst_tableau_adjoint(x)};
  const cst_tableau t = in_a_row(there, 2), r = in_a_row(back, 2), a = cst_tableau_adjoint(&t);
  OK(t.stages == x->stages + y->stages && t.implicit == (x->implicit || y->implicit),
     "%s, %s: %d stages", x->name, y->name, t.stages);
  OK(t.order == least(x->order, y->order), "%s, %s: order %d (%d)", x->name, y->name,
     least(x->order, y->order), t.order);
  OK(row_sum_defect(&t) < 1e-15, "%s, %s: c are the row sums", x->name, y->name);
  OK(distance(&a, &r) < 1e-15, "%s, %s: the adjoint is that of the parts, the other way round",
     x->name, y->name);
}

/* A tableau and its adjoint make a symmetric whole of even order, which a perturbed one does not. */
static void test_symmetrised(const cst_tableau *x) {
  cst_tableau part[] = {*x, cst_tableau_adjoint(x)}, t = in_a_row(part, 2);
  OK(cst_tableau_symmetry_defect(&t) < 1e-15 && t.order == x->order + x->order % 2,
     "%s, its adjoint: symmetric, of order %d (%d)", x->name, x->order + x->order % 2, t.order);
  t.b[0] += 1e-6;
  OK(cst_tableau_symmetry_defect(&t) > 1e-7 && cst_tableau_order(&t) == 0,
     "%s, its adjoint: neither with a weight that is off", x->name);
}

/* A scheme over the implicit midpoint rule has the scheme's order, and stays symmetric and symplectic. */
static void test_scheme_of_midpoints(const cst_scheme *s) {
  const cst_tableau midpoint = cst_tableau_gauss(1);
  cst_tableau       t = {0};
  for (int i = 0; i < s->stages; i++)
    cst_tableau_compose(&t, s->gamma[i], &midpoint);
  OK(t.stages == s->stages && cst_tableau_order(&t) == s->order, "%s of gauss(1): order %d (%d)",
     s->name, s->order, cst_tableau_order(&t));
  OK(cst_tableau_symplectic_defect(&t) < 1e-15 && cst_tableau_symmetry_defect(&t) < 1e-14,
     "%s of gauss(1): symplectic, symmetric", s->name);
}

static void test_compositions(void) {
  const cst_tableau gauss[] = {cst_tableau_gauss(5), cst_tableau_gauss(8), cst_tableau_gauss(16)};
  for (int i = 0; cst_tableau_at(i); i++) {
    for (int k = 0; cst_tableau_at(k); k++)
      test_pair(cst_tableau_at(i), cst_tableau_at(k));
    test_pair(cst_tableau_at(i), &gauss[0]);
    test_symmetrised(cst_tableau_at(i));
  }
  for (int i = 0; i < cst_scheme_count(); i++)
    test_scheme_of_midpoints(cst_scheme_at(i));
  test_pair(&gauss[0], &gauss[1]);
  test_pair(&gauss[2], &gauss[2]);
  cst_tableau full = in_a_row((cst_tableau[]){gauss[2], gauss[2]}, 2), same = full;
  OK(full.stages == CST_MAX_STAGES && !cst_tableau_compose(&same, 0.5, cst_tableau_find("euler")) &&
         distance(&full, &same) == 0,
     "no more than %d stages", CST_MAX_STAGES);
}

/* A power series in noncommuting letters of odd weights 1, 3, 5 ..., truncated at MAX_WEIGHT. The words of
 * weight n are the compositions of n into odd parts; bit k of cut means that a part ends after k + 1. */
typedef struct {
  double at[MAX_WEIGHT + 1][1 << (MAX_WEIGHT - 1)];
} series;

static int words(int n) { return n > 1 ? 1 << (n - 1) : 1; }

/* The number of letters of a word, 0 when one of its parts is even; *plain when all are of weight 1. */
static int letters(int n, int cut, int *plain) {
  int count = 0, from = 0;
  *plain = 1;
  for (int k = 1; k <= n; k++) {
    if (k < n && !(cut >> (k - 1) & 1))
      continue;
    if ((k - from) % 2 == 0)
      return 0;
    *plain &= k - from == 1;
    from = k;
    count++;
  }
  return count;
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* exp(gamma A + gamma^3 C3 + gamma^5 C5 + ...): what a symmetric method of order 2 makes of a substep gamma h
 * (Hairer, Lubich, Wanner, III.5.4 and V.3). */
static series substep(double gamma) {
  series r = {0};
  int    plain;
  r.at[0][0] = 1;
  for (int n = 1; n <= MAX_WEIGHT; n++)
    for (int cut = 0; cut < words(n); cut++) {
      int k = letters(n, cut, &plain);
      if (k > 0)
        r.at[n][cut] = pow(gamma, n) / factorial(k);
    }
  return r;
}

static series times(const series *x, const series *y) {
  series r = {0};
  int    plain;
  for (int n = 0; n <= MAX_WEIGHT; n++)
    for (int cut = 0; cut < words(n); cut++) {
      if (n > 0 && !letters(n, cut, &plain))
        continue;
      double sum = y->at[n][cut];
      if (n > 0)
        sum += x->at[n][cut];
      for (int k = 1; k < n; k++)
        if (cut >> (k - 1) & 1)
          sum += x->at[k][cut & ((1 << (k - 1)) - 1)] * y->at[n - k][cut >> k];
      r.at[n][cut] = n == 0 ? 1 : sum;
    }
  return r;
}

/* Largest deviation from exp(A) over the words of weight n, of a composition with these gammas. */
static double composition_defect(const double *gamma, int stages, int n) {
  series r = substep(gamma[0]);
  double worst = 0;
  int    plain;
  for (int i = 1; i < stages; i++) {
    series s = substep(gamma[i]);
    r = times(&r, &s);
  }
  for (int cut = 0; cut < words(n); cut++) {
    int k = letters(n, cut, &plain);
    if (k > 0)
      worst = fmax(worst, fabs(r.at[n][cut] - (plain ? 1 / factorial(n) : 0)));
  }
  return worst;
}

static void test_scheme(const cst_scheme *x) {
  const int n = x->stages;
  double    gamma[64], sum = 0, cubes = 0, size = 0, mirror = 0, worst = 0, broken = 0;
  for (int i = 0; i < n; i++) {
    gamma[i] = x->gamma[i];
    sum += gamma[i];
    cubes += gamma[i] * gamma[i] * gamma[i];
    size += fabs(gamma[i] * gamma[i] * gamma[i]);
    mirror = fmax(mirror, fabs(gamma[i] - x->gamma[n - 1 - i]));
  }
  OK(cst_scheme_find(x->name) == x && *x->doc && *x->source,
     "%s: found by its name; says what it is", x->name);
  OK(mirror == 0, "%s: reads the same from both ends", x->name);
  OK(fabs(sum - 1) < 1e-15, "%s: gammas sum to 1", x->name);
  OK(x->order < 4 || fabs(cubes) < 1e-15 * size, "%s: their cubes sum to 0", x->name);
  for (int p = 1; p <= x->order; p++)
    worst = fmax(worst, composition_defect(gamma, n, p));
  OK(worst < 1e-14, "%s: all conditions of order %d", x->name, x->order);
  if (!(worst < 1e-14))
    NOTE("defect %g", worst);
  OK(composition_defect(gamma, n, x->order + 1) > 1e-6, "%s: not those of order %d (%.2g)", x->name,
     x->order + 1, composition_defect(gamma, n, x->order + 1));
  gamma[0] += 1e-6, gamma[n - 1] += 1e-6, gamma[n / 2] -= 2e-6;
  for (int p = 1; p <= x->order; p++)
    broken = fmax(broken, composition_defect(gamma, n, p));
  OK(composition_defect(gamma, n, 1) < 1e-15 && broken > 1e-8, "%s: a perturbed gamma fails",
     x->name);
}

int main(void) {
  int n = 0;
  for (; cst_tableau_at(n); n++)
    test_explicit(cst_tableau_at(n));
  OK(n >= 8 && !cst_tableau_at(-1) && !cst_tableau_find("rk"), "%d explicit tableaus; NULL beyond",
     n);
  for (int s = 1; s <= CST_MAX_GAUSS; s++)
    test_gauss(s);
  for (int s = 1; s <= CST_MAX_RADAU; s++)
    test_radau(s);
  test_trees();
  test_wrong();
  test_compositions();
  for (int i = 0; i < cst_scheme_count(); i++)
    test_scheme(cst_scheme_at(i));
  OK(cst_scheme_count() >= 5 && !cst_scheme_at(-1) && !cst_scheme_at(cst_scheme_count()) &&
         !cst_scheme_find("yoshida"),
     "%d schemes; NULL beyond", cst_scheme_count());
  return tap_done();
}
