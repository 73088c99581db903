/* test-claims-symmetric.c: a step of h followed by one of -h returns to the start if symmetry is claimed, and
 * does not otherwise. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 4 };

/* The largest relative distance from the start after n steps of h and n of -h. */
static double round_trip(const problem *x, const char *method, double h, int n) {
  run    r;
  double worst = 0, q0[CST_MAX_Q], v0[CST_MAX_Q], p0[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q];
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, h, n);
  run_go(&r, -h, n);
  for (int l = 0; l < LANES; l++) {
    start_of(x, l, q0, v0);
    run_state(&r, l, q, p);
    cst_system_momentum(x->s, x->c, q0, v0, p0);
    double size = larger(1, larger(norm(q0, x->s->nq), norm(p0, x->s->nq)));
    worst = larger(worst, larger(apart(q, q0, x->s->nq), apart(p, p0, x->s->nq)) / size);
  }
  if (!run_well(&r, LANES))
    worst = INFINITY;
  run_close(&r);
  return worst;
}

static double greatest;

static void test(const problem *x, const char *method, cst_properties has) {
  if (!(has.claims & CST_CLAIM_SYMMETRIC))
    return;
  double pace = pace_of(x->s->name), one = round_trip(x, method, 0.1 * pace, 1),
         ten = round_trip(x, method, 0.05 * pace, 10);
  if (!OK(one <= 1e-13 && ten <= 1e-12, "%s on %s: there and back", method, x->s->name))
    NOTE("%.3g after a step of 0.1, %.3g after ten of 0.05", one, ten);
  greatest = larger(greatest, one);
}

/* Methods without the claim. Those with projections or of high order return nearly, so the step is long
 * enough to show the difference. */
static void test_others(const char *system) {
  problem *x = problem_open(system);
  for (int i = 0; i < expression_count(); i++) {
    char           why[200];
    cst_method    *m = method_of(expression_at(i));
    cst_properties has = cst_method_properties(m, x->s);
    if (cst_method_fits(m, x->s, why, sizeof why) && !(has.claims & CST_CLAIM_SYMMETRIC)) {
      double off = round_trip(x, expression_at(i), has.order_q > 6 ? 0.4 : 0.2, 1);
      OK(off > 1e-10, "%s on %s, not symmetric: does not return (%.2g)", expression_at(i), system,
         off);
    }
    cst_method_destroy(m);
  }
  problem_close(x);
}

static void tests(void) {
  each_pair(test, SCOPE_CLAIM(CST_CLAIM_SYMMETRIC));
  NOTE("largest distance %.3g", greatest);
  test_others("modified-pendulum");
  test_others("henon-heiles");
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
