/* test-tableau.c: every tableau and every composition scheme against its row, by algebra: orders hold and are not higher, perturbed
 * coefficients fail. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "constella/method.h"
#include "tableau/tableau.h"
#include "tap.h"

enum { MAX_TREE_ORDER = 6, MAX_WEIGHT = 9 };

static int least(int a, int b) { return a < b ? a : b; }

static double row_sum_defect(const cst_tableau *t) {
  double worst = 0;
  for (int i = 0; i < t->stages; i++) {
    double sum = -t->c[i];
    for (int j = 0; j < t->stages; j++) sum += t->a[i * t->stages + j];
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static double distance(const cst_tableau *x, const cst_tableau *y) {
  double    worst = x->stages == y->stages ? 0 : INFINITY;
  const int s = x->stages;
  for (int i = 0; i < s && worst < 1; i++) {
    worst = fmax(worst, fmax(fabs(x->b[i] - y->b[i]), fabs(x->c[i] - y->c[i])));
    for (int j = 0; j < s; j++) worst = fmax(worst, fabs(x->a[i * s + j] - y->a[i * s + j]));
  }
  return worst;
}

/* Nonzero coefficients whose change by 1e-5 goes unnoticed by the order conditions. */
static int unnoticed(const cst_tableau *t) {
  cst_tableau x = *t;
  int         n = 0;
  const int   s = t->stages, order = least(t->order, MAX_TREE_ORDER);
  for (int k = 0; k < s * s + s; k++) {
    double *at = k < s * s ? &x.a[k] : &x.b[k - s * s], keep = *at;
    if (keep == 0) continue;
    *at = keep + 1e-5;
    n += cst_tableau_order_defect(&x, order) < 1e-9;
    *at = keep;
  }
  return n;
}

static void test_orders(const cst_tableau *t, const char *label) {
  for (int p = 1; p <= least(t->order, MAX_TREE_ORDER); p++) {
    double defect = cst_tableau_order_defect(t, p);
    OK(defect < 1e-14, "%s: the conditions up to order %d hold", label, p);
    if (defect >= 1e-14) NOTE("defect %g", defect);
  }
  if (t->order < MAX_TREE_ORDER) {
    double defect = cst_tableau_order_defect(t, t->order + 1);
    OK(defect > 1e-5, "%s: those of order %d do not (defect %.2g)", label, t->order + 1, defect);
  }
  OK(row_sum_defect(t) < 1e-15, "%s: c are the row sums of a", label);
  OK(unnoticed(t) == 0, "%s: a change of any coefficient is noticed", label);
}

static void test_adjoint(const cst_tableau *t, const char *label) {
  cst_tableau once = cst_tableau_adjoint(t), twice = cst_tableau_adjoint(&once);
  OK(distance(&twice, t) < 1e-15, "%s: the adjoint of the adjoint is the tableau", label);
  for (int p = 1; p <= least(t->order, MAX_TREE_ORDER); p++)
    if (!(cst_tableau_order_defect(&once, p) < 1e-14))
      NOTE("%s: adjoint: order %d defect %g", label, p, cst_tableau_order_defect(&once, p));
  OK(cst_tableau_order_defect(&once, least(t->order, MAX_TREE_ORDER)) < 1e-14, "%s: the adjoint has the same order", label);
  OK(row_sum_defect(&once) < 2e-15, "%s: c of the adjoint are the row sums", label);
}

static void test_explicit(const cst_tableau *t) {
  int upper = 0;
  for (int i = 0; i < t->stages; i++)
    for (int j = i; j < t->stages; j++) upper += t->a[i * t->stages + j] != 0;
  OK(!t->implicit && upper == 0, "%s: explicit, as it says", t->name);
  OK(cst_tableau_find(t->name) == t, "%s: found by its name", t->name);
  OK(*t->doc && *t->source, "%s: says what it is and where it comes from", t->name);
  test_orders(t, t->name);
  test_adjoint(t, t->name);
  cst_tableau a = cst_tableau_adjoint(t);
  OK(distance(&a, t) > 0.1 && cst_tableau_symmetry_defect(t) > 0.1, "%s: not symmetric, as no explicit method is", t->name);
  OK(cst_tableau_symplectic_defect(t) > 1e-3, "%s: not symplectic, as no explicit method is", t->name);
}

/* Of sum_j b_j c_j^(k-1) = 1/k and, up to stage order, sum_j a_ij c_j^(k-1) = c_i^k / k. */
static double quadrature(const cst_tableau *t, int k) {
  double sum = -1.0 / k;
  for (int j = 0; j < t->stages; j++) sum += t->b[j] * pow(t->c[j], k - 1);
  return fabs(sum);
}
static double collocation(const cst_tableau *t, int k) {
  double worst = 0;
  for (int i = 0; i < t->stages; i++) {
    double sum = -pow(t->c[i], k) / k;
    for (int j = 0; j < t->stages; j++) sum += t->a[i * t->stages + j] * pow(t->c[j], k - 1);
    worst = fmax(worst, fabs(sum));
  }
  return worst;
}

static void test_gauss(int s) {
  cst_tableau t = cst_tableau_gauss(s), a = cst_tableau_adjoint(&t), x = t;
  char        label[32];
  double      B = 0, C = 0;
  snprintf(label, sizeof label, "gauss(%d)", s);
  OK(t.stages == s && t.order == 2 * s && t.implicit, "%s: %d stages, order %d, implicit", label, s, 2 * s);
  test_orders(&t, label);
  test_adjoint(&t, label);
  for (int k = 1; k <= 2 * s; k++) B = fmax(B, quadrature(&t, k));
  for (int k = 1; k <= s; k++) C = fmax(C, collocation(&t, k));
  OK(B < 1e-15, "%s: the quadrature has order %d", label, 2 * s);
  if (s <= 12) OK(quadrature(&t, 2 * s + 1) > 1e-15, "%s: and no more (%.2g)", label, quadrature(&t, 2 * s + 1));
  OK(C < 1e-15, "%s: collocation of stage order %d", label, s);
  OK(cst_tableau_symplectic_defect(&t) < 1e-16, "%s: symplectic", label);
  OK(cst_tableau_symmetry_defect(&t) < 1e-15, "%s: symmetric", label);
  OK(distance(&a, &t) < 1e-15, "%s: its own adjoint", label);
  x.a[0] += 1e-7;
  OK(cst_tableau_symplectic_defect(&x) > 1e-10 && cst_tableau_symmetry_defect(&x) > 1e-8, "%s: neither with a perturbed coefficient",
     label);
}

/* A power series in noncommuting letters of odd weights 1, 3, 5 ..., truncated at MAX_WEIGHT. The words of weight n are the compositions of
 * n into odd parts; bit k of cut tells that a part ends behind k + 1. */
typedef struct {
  double at[MAX_WEIGHT + 1][1 << (MAX_WEIGHT - 1)];
} series;

static int words(int n) { return n > 1 ? 1 << (n - 1) : 1; }

/* The number of letters of a word, 0 when one of its parts is even; *plain when all are of weight 1. */
static int letters(int n, int cut, int *plain) {
  int count = 0, from = 0;
  *plain = 1;
  for (int k = 1; k <= n; k++) {
    if (k < n && !(cut >> (k - 1) & 1)) continue;
    if ((k - from) % 2 == 0) return 0;
    *plain &= k - from == 1;
    from = k;
    count++;
  }
  return count;
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* exp(gamma A + gamma^3 C3 + gamma^5 C5 + ...): what a symmetric method of order 2 makes of a substep gamma h (Hairer, Lubich, Wanner,
 * III.5.4 and V.3). */
static series substep(double gamma) {
  series r = {0};
  int    plain;
  r.at[0][0] = 1;
  for (int n = 1; n <= MAX_WEIGHT; n++)
    for (int cut = 0; cut < words(n); cut++) {
      int k = letters(n, cut, &plain);
      if (k > 0) r.at[n][cut] = pow(gamma, n) / factorial(k);
    }
  return r;
}

static series times(const series *x, const series *y) {
  series r = {0};
  int    plain;
  for (int n = 0; n <= MAX_WEIGHT; n++)
    for (int cut = 0; cut < words(n); cut++) {
      if (n > 0 && !letters(n, cut, &plain)) continue;
      double sum = y->at[n][cut];
      if (n > 0) sum += x->at[n][cut];
      for (int k = 1; k < n; k++)
        if (cut >> (k - 1) & 1) sum += x->at[k][cut & ((1 << (k - 1)) - 1)] * y->at[n - k][cut >> k];
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
    if (k > 0) worst = fmax(worst, fabs(r.at[n][cut] - (plain ? 1 / factorial(n) : 0)));
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
  OK(cst_scheme_find(x->name) == x && *x->doc && *x->source, "%s: found by its name; says what it is", x->name);
  OK(mirror == 0, "%s: reads the same from both ends", x->name);
  OK(fabs(sum - 1) < 1e-15, "%s: gammas sum to 1", x->name);
  OK(x->order < 4 || fabs(cubes) < 1e-15 * size, "%s: their cubes sum to 0", x->name);
  for (int p = 1; p <= x->order; p++) worst = fmax(worst, composition_defect(gamma, n, p));
  OK(worst < 1e-14, "%s: all conditions of order %d", x->name, x->order);
  if (!(worst < 1e-14)) NOTE("defect %g", worst);
  OK(composition_defect(gamma, n, x->order + 1) > 1e-6, "%s: not those of order %d (%.2g)", x->name, x->order + 1,
     composition_defect(gamma, n, x->order + 1));
  gamma[0] += 1e-6, gamma[n - 1] += 1e-6, gamma[n / 2] -= 2e-6;
  for (int p = 1; p <= x->order; p++) broken = fmax(broken, composition_defect(gamma, n, p));
  OK(composition_defect(gamma, n, 1) < 1e-15 && broken > 1e-8, "%s: a perturbed gamma fails", x->name);
}

int main(void) {
  int n = 0;
  for (; cst_tableau_at(n); n++) test_explicit(cst_tableau_at(n));
  OK(n >= 7 && !cst_tableau_at(-1) && !cst_tableau_find("rk"), "%d explicit tableaus; NULL beyond", n);
  for (int s = 1; s <= CST_MAX_STAGES; s++) test_gauss(s);
  for (int i = 0; i < cst_scheme_count(); i++) test_scheme(cst_scheme_at(i));
  OK(cst_scheme_count() >= 5 && !cst_scheme_at(-1) && !cst_scheme_at(cst_scheme_count()) && !cst_scheme_find("yoshida"),
     "%d schemes; NULL beyond", cst_scheme_count());
  return tap_done();
}
