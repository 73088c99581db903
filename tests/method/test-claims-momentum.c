/* test-claims-momentum.c: momentum maps stay within round-off over 2000 steps where that is claimed; rk4 visibly loses the spherical
 * pendulum's. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 3, STEPS = 2000, EVERY = 50 };

/* J_k = <p, xi_k(q)> - F_k(q) and its scale sum |p_i xi_i| + |F|. */
static void momenta(const problem *x, const double *q, const double *p, double *J, double *scale) {
  const int nq = x->s->nq;
  double    xi[CST_MAX_SYM * CST_MAX_Q], gauge[CST_MAX_SYM];
  cst_system_matrix(x->s, CST_K_xi, x->c, q, NULL, xi);
  cst_system_eval(x->s, CST_K_gauge, x->c, q, NULL, NULL, NULL, NULL, gauge);
  for (int k = 0; k < x->s->nsym; k++) {
    J[k] = -gauge[k], scale[k] = fabs(gauge[k]);
    for (int i = 0; i < nq; i++) J[k] += p[i] * xi[k * nq + i], scale[k] += fabs(p[i] * xi[k * nq + i]);
  }
}

/* Largest |J - J(0)| over the largest scale, of all momenta and lanes. */
static double drift(const problem *x, const char *method, double h) {
  run    r;
  double worst = 0, q[CST_MAX_Q], p[CST_MAX_Q], J[CST_MAX_SYM], scale[CST_MAX_SYM], J0[LANES][CST_MAX_SYM], top[LANES][CST_MAX_SYM];
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int n = 0; n <= STEPS; n += EVERY) {
    if (n) run_go(&r, h, EVERY);
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      momenta(x, q, p, J, scale);
      for (int k = 0; k < x->s->nsym; k++) {
        if (n == 0) J0[l][k] = J[k], top[l][k] = 0;
        top[l][k] = larger(top[l][k], scale[k]);
        if (J[k] != J0[l][k]) worst = larger(worst, fabs(J[k] - J0[l][k]) / top[l][k]); /* of a motion in a plane it stays 0 */
      }
    }
  }
  if (!run_well(&r, LANES)) worst = INFINITY;
  run_close(&r);
  return worst;
}

static double greatest;

static void test(const problem *x, const char *method, cst_properties has) {
  if (!(has.claims & CST_MOMENTUM) || x->s->nsym == 0) return;
  double off = drift(x, method, 0.05 * pace_of(x->s->name));
  if (!OK(off <= 1e-12, "%s on %s: keeps the momenta", method, x->s->name)) NOTE("drift %.3g of their scale", off);
  greatest = larger(greatest, off);
}

static void test_others(void) {
  static const char *const methods[] = {"rk4", "heun", "rk6", "project(rk4)", "project(heun)"};
  problem                 *x = problem_open("spherical-pendulum");
  for (int i = 0; i < 5; i++) {
    double off = drift(x, methods[i], 0.2);
    OK(off > 1e-6, "%s on %s: loses the momentum (%.2g)", methods[i], x->s->name, off);
  }
  problem_close(x);
}

static void tests(void) {
  each_pair(test);
  NOTE("largest drift %.3g", greatest);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
