/* test-claims-symplectic.c: one step of every method that claims it keeps dp ^ dq on T*N; rk4 fails the same
 * bound.
 *
 * omega(D(Phi o chart)_i, D(Phi o chart)_j) is compared with omega(D chart_i, D chart_j) along the axes of a
 * chart of T*N (chart.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "chart.h"

static const double BOUND = 1e-10;

static double defect(const problem *x, const char *method, double h) {
  static double before[MAX_DIM * 2 * CST_MAX_Q], after[MAX_DIM * 2 * CST_MAX_Q];
  double        B[CST_MAX_Q * CST_MAX_Q], worst = 0;
  const int     nq = x->s->nq, d = kernel_basis(x, B);
  if (d != nq - x->s->ng || !differentiate(x, method, h, d, B, before, after))
    return INFINITY;
  for (int i = 0; i < 2 * d; i++)
    for (int j = 0; j < i; j++)
      worst = larger(worst, fabs(omega(after + 2 * nq * i, after + 2 * nq * j, nq) -
                                 omega(before + 2 * nq * i, before + 2 * nq * j, nq)));
  return worst;
}

/* omega is not degenerate on the chart, so the test can detect a defect. */
static void test_chart(const problem *x) {
  static double before[MAX_DIM * 2 * CST_MAX_Q], after[MAX_DIM * 2 * CST_MAX_Q];
  double        B[CST_MAX_Q * CST_MAX_Q], least = INFINITY;
  const int     nq = x->s->nq, d = kernel_basis(x, B);
  differentiate(x, "rattle", 0.1, d, B, before, after);
  for (int i = 0; i < d; i++)
    least = fmin(least, omega(before + 2 * nq * i, before + 2 * nq * (d + i), nq));
  OK(least > 0.01, "%s: the 2-form on a chart of dimension %d", x->s->name, 2 * d);
}

static double greatest;

static void test(const problem *x, const char *method, cst_properties has) {
  if (!(has.claims & CST_CLAIM_SYMPLECTIC))
    return;
  double off = defect(x, method, 0.1 * pace_of(x->s->name));
  if (!OK(off < BOUND, "%s on %s: symplectic", method, x->s->name))
    NOTE("defect of the 2-form %.3g", off);
  greatest = larger(greatest, off);
}

/* Wrong claims fail this test. */
static void test_others(void) {
  static const char *const systems[] = {"modified-pendulum", "henon-heiles", "double-pendulum",
                                        "heavy-top"},
                           *const methods[] = {"euler", "heun", "rk4", "project(rk4)"};
  for (int k = 0; k < 4; k++) {
    problem *x = problem_open(systems[k]);
    for (int i = 0; i < (x->s->ng ? 4 : 3); i++) {
      double off = defect(x, methods[i], 0.1);
      OK(off > 1e-8, "%s on %s: not symplectic (%.2g)", methods[i], systems[k], off);
    }
    problem_close(x);
  }
}

static void tests(void) {
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    test_chart(x);
    problem_close(x);
  }
  each_pair(test, SCOPE_CLAIM(CST_CLAIM_SYMPLECTIC));
  NOTE("largest defect %.3g", greatest);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
