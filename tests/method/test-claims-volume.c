/* test-claims-volume.c: one step of every method that claims it keeps volume on T*N; methods that claim to
 * keep dp ^ dq do so too. Newmark's method is only conjugate to such a method and does not. Zhang and Skeel's
 * simplified form keeps volume without keeping dp ^ dq.
 *
 * The volume of T*N is the square root of the determinant of omega on the axes of a chart (chart.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "chart.h"

static const double BOUND = 1e-8;

/* The determinant of A[n][n]; overwrites A. */
static double determinant(double *A, int n) {
  double det = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
        best = i;
    for (int j = 0; j < n && best != k; j++) {
      const double t = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = t;
    }
    det *= best != k ? -A[k * n + k] : A[k * n + k];
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--)
        A[i * n + j] -= A[i * n + k] / A[k * n + k] * A[k * n + j];
  }
  return det;
}

/* The square of the volume of the axes D[2d][2nq]. */
static double volume(const double *D, int d, int nq) {
  static double A[MAX_DIM * MAX_DIM];
  for (int i = 0; i < 2 * d; i++)
    for (int j = 0; j < 2 * d; j++)
      A[i * 2 * d + j] = omega(D + 2 * nq * i, D + 2 * nq * j, nq);
  return determinant(A, 2 * d);
}

static double before[MAX_DIM * 2 * CST_MAX_Q], after[MAX_DIM * 2 * CST_MAX_Q];

/* The relative changes of the volume and of omega by a step. */
static double change(const problem *x, const char *method, double h, double *of_omega) {
  double    B[CST_MAX_Q * CST_MAX_Q];
  const int nq = x->s->nq, d = kernel_basis(x, B);
  *of_omega = 0;
  if (!differentiate(x, method, h, d, B, before, after))
    return INFINITY;
  for (int i = 0; i < 2 * d; i++)
    for (int j = 0; j < i; j++)
      *of_omega = larger(*of_omega, fabs(omega(after + 2 * nq * i, after + 2 * nq * j, nq) -
                                         omega(before + 2 * nq * i, before + 2 * nq * j, nq)));
  return fabs(sqrt(volume(after, d, nq) / volume(before, d, nq)) - 1);
}

static void test(const problem *x, const char *method, cst_properties has) {
  double       twist;
  const double off = change(x, method, 0.1 * pace_of(x->s->name), &twist);
  (void)has;
  if (!OK(off < BOUND, "%s on %s: keeps volume", method, x->s->name))
    NOTE("changed by %.3g", off);
}

/* Symplectic methods claim more than volume. */
static void test_symplectic(void) {
  static const char *const methods[] = {"rattle", "midpoint", "euler-a",
                                        "compose(rattle, yoshida4)", "convert(rk4)"};
  problem *x = problem_open("spherical-pendulum"), *y = problem_open("henon-heiles");
  for (int i = 0; i < 5; i++) {
    test(x, methods[i], (cst_properties){0});
    test(y, methods[i], (cst_properties){0});
  }
  problem_close(x);
  problem_close(y);
}

/* Methods without the claim must fail; otherwise the bound would show nothing. */
/* Theorem 2.4: in u = (x + y)/2 and w = (x - y)/2 the system separates, Hess V is diagonal in a fixed basis,
 * and the simplified form is symplectic. */
static void test_commuting(void) {
  static const char text[] =
      "system: apart\ncoordinates: [x, y]\nmass: [1, 1]\n"
      "potential: ((x + y)/2)^4 + cos((x - y)/2) + (x - y)^2\nstates: {default: {q: "
      "[0.7, -0.2], v: [0.5, 0.1]}}\n";
  problem      x = described(text);
  double       twist;
  const double off = change(&x, "zhang-skeel(beta=0.4, form=simplified)", 0.5, &twist);
  OK(off < BOUND && twist < 1e-10,
     "where Hessians commute the simplified form keeps dp ^ dq (%.2g)", twist);
  cst_system_destroy(x.s);
}

/* The claim of dp ^ dq and of a bounded energy error is that of the separation, found from the Hessian:
 * separable in the coordinates, in others, with unlike masses, coupled linearly; and not separable. What is
 * not claimed is not kept. */
static void test_separable(void) {
  static const struct {
    const char *mass, *potential;
    bool        separable;
  } known[] = {{"[1, 2]", "x^4 + cos(y)", true},
               {"[1, 1]", "((x + y)/2)^4 + cos((x - y)/2) + (x - y)^2", true},
               {"[1, 2]", "((x + y)/2)^4 + cos((x - y)/2) + (x - y)^2", false},
               {"[1, 2]", "x^2 + x*y + y^2", true},
               {"[[2, 1], [1, 3]]", "x^2 + x*y + 2*y^2", true},
               {"[[2, 1], [1, 3]]", "x^4 + y^4", false},
               {"[1, 1]", "(x^2 + y^2)/2 + x^2*y - y^3/3", false},
               {"[1, 1]", "x^4 + y^4 + 0.01*x*y", false}};
  static const char *const method = "zhang-skeel(beta=0.4, form=simplified)";
  const unsigned           kept = CST_CLAIM_SYMPLECTIC | CST_CLAIM_BOUNDED;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "system: two\ncoordinates: [x, y]\nmass: %s\npotential: %s\nstates: {default: {q: "
             "[0.7, -0.2], v: [0.5, 0.1]}}\n",
             known[i].mass, known[i].potential);
    problem        x = described(text);
    cst_method    *m = method_of(method), *stiff = method_of("zhang-skeel(beta=0.4, form=stiff)");
    const unsigned claims = fits(&x, method) ? cst_method_properties(m, x.s).claims & kept : 0;
    double         twist;
    change(&x, method, 0.5, &twist);
    OK(claims == (known[i].separable ? kept : 0) && (twist < 1e-10) == known[i].separable,
       "V = %s, M = %s: dp ^ dq is %s, and so it is (%.2g)", known[i].potential, known[i].mass,
       known[i].separable ? "claimed" : "not claimed", twist);
    OK(!(cst_method_properties(stiff, x.s).claims & kept), "the stiff form does not claim it");
    cst_method_destroy(m);
    cst_method_destroy(stiff);
    cst_system_destroy(x.s);
  }
}

static void test_controls(void) {
  static const char *const not [] = {"newmark",
                                     "newmark(beta=0.4, iterations=1, start=a)",
                                     "newmark(beta=0.4, iterations=1, start=q)",
                                     "newmark(gamma=0.6)",
                                     "heun",
                                     "rk4"};
  problem *x = problem_open("henon-heiles");
  double   twist, off;
  for (int i = 0; i < 6; i++) {
    off = change(x, not [i], 0.5, &twist);
    OK(off > 1e-6, "%s on henon-heiles: does not keep volume (%.2g)", not [i], off);
  }
  off = change(x, "zhang-skeel(beta=0.4, form=simplified)", 0.5, &twist);
  OK(off < BOUND && twist > 1e-5, "the simplified form keeps volume (%.2g) and not dp ^ dq (%.2g)",
     off, twist);
  off = change(x, "zhang-skeel(beta=0.4)", 0.5, &twist);
  OK(off < BOUND && twist < 1e-10, "the full form keeps both (%.2g, %.2g)", off, twist);
  problem_close(x);
}

static void tests(void) {
  each_pair(test, SCOPE_CLAIM(CST_CLAIM_VOLUME));
  test_symplectic();
  test_commuting();
  test_separable();
  test_controls();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
