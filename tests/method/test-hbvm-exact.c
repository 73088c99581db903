/* test-hbvm-exact.c: the invariants that line integral methods keep exactly, the order of the others, also
 * over long times; orders that depend on the multiplier; momenta that are not kept. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "line.h"

static int seen;

/* The invariant is kept, or its error has order 2k as long as it exceeds round-off. */
static void test_loss(const char *method, const char *what, bool keeps, double coarse, double fine,
                      int k) {
  if (keeps)
    OK(coarse < 1e-13, "%s: %s is exact (%.2g)", method, what, coarse);
  else if (fine > 1e-12) {
    seen++;

    OK(fabs(log2(coarse / fine) - 2 * k) < 0.4, "%s: %s is lost with order %.2f, 2k = %d", method,
       what, log2(coarse / fine), 2 * k);
  }
}

/* The polynomials of the modified pendulum: V of degree 4, g of degree 6. */
static void test_exactness(void) {
  problem *x = problem_open("modified-pendulum");
  for (int s = 1; s <= 3; s++)
    for (int k = s; k <= 3 * s + 1; k++) {
      char method[40];
      snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", k, s);
      cst_method    *m = method_of(method);
      const unsigned claims = cst_method_properties(m, x->s).claims;
      const losses coarse = losses_of(x, method, 0.1, 100), fine = losses_of(x, method, 0.05, 200);
      const bool   keeps_energy = 4 * s <= 2 * k, keeps_g = 6 * s <= 2 * k;
      OK(!!(claims & CST_CLAIM_ENERGY) == keeps_energy &&
             !!(claims & CST_CLAIM_POSITIONS) == keeps_g,
         "%s: claims what its degrees say", method);
      test_loss(method, "g", keeps_g, coarse.g, fine.g, k);
      test_loss(method, "the energy", keeps_energy, coarse.energy, fine.energy, k);
      cst_method_destroy(m);
    }
  OK(seen >= 6, "%d losses stood above round-off", seen);
  losses two = losses_of(x, "hbvm(k=2, s=2)", 0.1, 100),
         three = losses_of(x, "hbvm(k=3, s=2)", 0.1, 100);
  OK(two.energy > 2e-6 && two.energy < 3e-6 && two.g > 2.5e-6 && two.g < 3.5e-6,
     "hbvm(k=2, s=2) loses the energy by %.2g and g by %.2g", two.energy, two.g);
  OK(three.energy > 1e-9 && three.energy < 2e-9, "hbvm(k=3, s=2) the energy by %.2g", three.energy);
  problem_close(x);
}

/* More nodes lose the momentum that k = s keeps. */
static void test_momentum_lost(void) {
  problem *x = problem_open("kepler");
  run      r;
  double   q[CST_MAX_Q], p[CST_MAX_Q], J[2];
  run_open(&r, x, "hbvm(k=6, s=2)", 1);
  run_start(&r, 1);
  for (int k = 0; k < 2; k++) {
    run_carried(&r, 0, q, p);
    J[k] = q[0] * p[1] - q[1] * p[0];
    run_go(&r, 0.05, 100);
  }
  OK(fabs(J[1] - J[0]) > 1e-9,
     "hbvm(k=6, s=2) on kepler, which claims no momentum, loses it (%.2g)", J[1] - J[0]);
  run_close(&r);
  problem_close(x);
}

/* On the conical motion the multiplier is constant and the order is 2s. */
static void test_constant_multiplier(void) {
  problem *x = problem_open("spherical-pendulum");
  int      state = 0;
  while (strcmp(x->s->description->state[state].name, "conical"))
    state++;
  cst_system_state(x->s, state, x->c, x->q, x->v);
  for (int s = 1; s <= 4; s++) {
    double e[2], q[CST_MAX_Q], p[CST_MAX_Q], qe[CST_MAX_Q], pe[CST_MAX_Q], le[CST_MAX_G];
    char   method[40];
    snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", s, s);
    for (int k = 0; k < 2; k++) {
      run r;
      run_open(&r, x, method, 1);
      run_start(&r, 1);
      run_go(&r, 0.4 / (1 + k), 10 * (1 + k));
      run_carried(&r, 0, q, p);
      cst_system_exact(x->s, state, x->c, x->q, x->v, 4, qe, pe, le);
      e[k] = larger(apart(q, qe, 3), apart(p, pe, 3));
      run_close(&r);
    }
    OK(fabs(log2(e[0] / e[1]) - 2 * s) < 0.1, "%s on a conical motion: order %.3f, 2s = %d", method,
       log2(e[0] / e[1]), 2 * s);
  }
  problem_close(x);
}

/* With a varying multiplier q has order 4 for s > 1. So has p except in its part normal to g = 0, which has
 * order 2. */
static void test_parts(const char *system) {
  problem *x = problem_open(system);
  double q[3][CST_MAX_Q], p[3][CST_MAX_Q], v[3][CST_MAX_Q], kinetic[CST_MAX_Q], eq[2], et[2], en[2];
  for (int k = 0; k < 3; k++) { /* h, h/2, the solution */
    const int n = k == 2 ? 80 : 40 * (1 + k);
    run       r;
    run_open_on(&r, x, k == 2 ? "gauss(8)" : "hbvm(k=8, s=2)", widest(), 2, 1e-15);
    run_start(&r, 2);
    run_go(&r, 1.0 * pace_of(system) / n, n);
    run_carried(&r, 1, q[k], p[k]);
    cst_system_velocity(x->s, x->c, q[k], p[k], v[k]);
    if (!cst_system_project(x->s, x->c, q[k], v[k]))
      abort();
    cst_system_momentum(x->s, x->c, q[k], v[k], kinetic);
    if (k < 2)
      en[k] = apart(kinetic, p[k], x->s->nq);
    memcpy(p[k], kinetic, sizeof kinetic);
    run_close(&r);
  }
  for (int k = 0; k < 2; k++) {
    eq[k] = apart(q[k], q[2], x->s->nq);
    et[k] = apart(p[k], p[2], x->s->nq);
  }
  OK(fabs(log2(eq[0] / eq[1]) - 4) < 0.2 && fabs(log2(et[0] / et[1]) - 4) < 0.2 &&
         fabs(log2(en[0] / en[1]) - 2) < 0.2,
     "%s: order %.2f in q, %.2f in the tangent part of p, %.2f in the rest", system,
     log2(eq[0] / eq[1]), log2(et[0] / et[1]), log2(en[0] / en[1]));
  problem_close(x);
}

/* The largest deviations of the energy and of g over a long run of the satellites, whose coordinates are near
 * 20. forgets: the rounding errors of the sums over the steps are not carried along. */
static losses long_run(const problem *x, int steps, bool forgets) {
  const int nq = x->s->nq, every = forgets ? 1 : 50;
  run       r;
  losses    most = {0, 0};
  double    q[CST_MAX_Q], p[CST_MAX_Q], g[CST_MAX_G], start;
  run_open(&r, x, "hbvm(k=6, s=2)", 1);
  run_start(&r, 1);
  run_carried(&r, 0, q, p);
  start = energy(x, q, p, NULL);
  const int width = cst_stepper_width(r.st), at = cst_stepper_layout(r.st)->eq * width;
  for (int n = 0; n < steps; n += every) {
    run_go(&r, 0.1, every);
    if (forgets)
      memset(r.b.record + at, 0, sizeof(double) * (size_t)(2 * nq * width)); /* eq, then ep */
    if (n % 50)
      continue;
    run_carried(&r, 0, q, p);
    cst_system_eval(x->s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
    most = (losses){larger(most.energy, fabs(energy(x, q, p, NULL) - start)),
                    larger(most.g, norm(g, x->s->ng))};
  }
  if (!run_well(&r, 1))
    most = (losses){INFINITY, INFINITY};
  run_close(&r);
  return most;
}

/* Exact invariants stay at the round-off of a single state, because rounding errors are carried along. */
static void test_long(void) {
  problem     *x = problem_open("tethered-satellites");
  const double eps = 2.2e-16, size = 2 * norm(x->q, x->s->nq); /* of the terms of g */
  const losses most = long_run(x, 100000, false), without = long_run(x, 100000, true);
  OK(most.energy < 10 * eps && most.g < 10 * eps * size,
     "100000 steps of the satellites: the energy is off by %.2g, g by %.2g", most.energy, most.g);
  OK(without.g > 5 * most.g, "without what rounding leaves g walks away, by %.2g", without.g);
  problem_close(x);
}

static void tests(void) {
  test_exactness();
  test_momentum_lost();
  test_constant_multiplier();
  test_parts("modified-pendulum");
  test_parts("double-pendulum");
  test_parts("slider-crank");
  test_long();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
