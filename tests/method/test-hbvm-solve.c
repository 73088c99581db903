/* test-hbvm-solve.c: the solvers of line integral methods: both iterations give the same step, also for large
 * steps, redundant constraints, systems at rest, and slow lanes next to fast ones. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "line.h"

static void test_iterations(const char *system, const char *method, double h) {
  problem *x = problem_open(system);
  double   n[2], off = difference(x, method, method, CST_ITERATION_NEWTON, h, 20, n);
  OK(off < 1e-13, "%s on %s: Newton's steps are the same (%.2g; %.1f and %.1f iterations)", method,
     system, off, n[0], n[1]);
  OK(n[1] <= 5, "and he needs few iterations (%.1f)", n[1]);
  problem_close(x);
}

/* A spring so stiff that the iteration without second derivatives diverges; redundant constraints; a system
 * at rest. */
static void test_hard_steps(void) {
  problem x = described("system: stiff\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y + "
                        "2000*(sqrt(x^2 + y^2) - 1)^2 + x^4\n"
                        "states: {default: {q: [0.6, -0.8], v: [0.8, 0.6]}}\n");
  double  n[2],
      off = difference(&x, "hbvm(k=8, s=2)", "hbvm(k=8, s=2)", CST_ITERATION_NEWTON, 0.1, 50, n);
  OK(off < 1e-10 && n[0] < 20,
     "h omega = 6: lanes go over to Newton (%.2g; %.1f and %.1f iterations)", off, n[0], n[1]);
  cst_system_destroy(x.s);
  x = described(
      "system: twice\ncoordinates: [x, y, z]\nmass: [1, 2, 1]\npotential: z\n"
      "constraints: {a: x^2 + y^2 + z^2 - 1, b: y, c: x^2 + z^2 - 1}\nstates: {default: {q: [0.6, "
      "0, 0.8], v: [0.8, 0, -0.6]}}\n");
  char why[200];
  OK(cst_system_enforce_independent(x.s, x.c, x.q, why, sizeof why),
     "redundant constraints are settled");
  losses most = losses_of(&x, "hbvm(k=2, s=2)", 0.1, 200);
  OK(most.energy < 1e-13 && most.g < 1e-13, "and kept (%.2g, %.2g)", most.energy, most.g);
  cst_system_destroy(x.s);
  x = described(
      "system: hanging\ncoordinates: [x, y]\nmass: [3, 7]\npotential: 7*9.81*y\nconstraints: {rod: "
      "x^2 + y^2 - 0.49}\n"
      "states: {default: {q: [0, -0.7], v: [0, 0]}}\n");
  run    r;
  double q[CST_MAX_Q], p[CST_MAX_Q];
  run_open(&r, &x, "hbvm(k=3, s=2)", 1);
  cst_batch_reset(r.st, &r.b, 1);
  run_put(&r, 0, x.q, x.v);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, 0.01, 1000);
  run_carried(&r, 0, q, p);
  OK(run_well(&r, 1) && apart(q, x.q, 2) < 1e-14 && norm(p, 2) < 1e-12,
     "what hangs at rest stays there (%.2g, %.2g)", apart(q, x.q, 2), norm(p, 2));
  run_close(&r);
  cst_system_destroy(x.s);
}

/* Lanes that switch to Newton's method next to lanes that do not: each has the bits that it has alone. */
static void test_company(void) {
  enum { MANY = 8 };
  problem x =
      described("system: quartic\ncoordinates: [x, y]\nmass: [1, 1]\npotential: 40*(x^4 + y^4) + "
                "x*y/2\nconstraints: {line: x + 2*y - 3*x*y}\n"
                "states: {default: {q: [0, 0], v: [0, 0]}}\n");
  double q[MANY][2][2], p[MANY][2][2], least = INFINITY, most = 0;
  bool   same = true;
  for (int lanes = MANY; lanes >= 1; lanes -= MANY - 1)
    for (int first = 0; first < MANY; first += lanes) {
      run r;
      run_open(&r, &x, "hbvm(k=4, s=2)", lanes);
      cst_batch_reset(r.st, &r.b, lanes);
      for (int l = 0; l < lanes; l++) {
        double at[2] = {0.1 * (first + l), 0.02}, v[2] = {0.3 * (first + l), 1};
        if (!cst_system_project(x.s, x.c, at, v))
          abort();
        run_put(&r, l, at, v);
      }
      cst_batch_ready(r.st, &r.b);
      run_go(&r, 0.1, 20);
      for (int l = 0; l < lanes; l++) {
        const int k = lanes == 1;
        double    n;
        run_carried(&r, l, q[first + l][k], p[first + l][k]);
        run_block(&r, l, cst_stepper_layout(r.st)->iterations, 1, &n);
        least = fmin(least, n / 20);
        most = fmax(most, n / 20);
      }
      same &= run_well(&r, lanes);
      run_close(&r);
    }
  for (int l = 0; l < MANY; l++)
    same &= !memcmp(q[l][0], q[l][1], sizeof q[l][0]) && !memcmp(p[l][0], p[l][1], sizeof p[l][0]);
  OK(same, "quick and slow lanes have the bits that they have alone (%.1f to %.1f iterations)",
     least, most);
  cst_system_destroy(x.s);
}

static void tests(void) {
  test_iterations("modified-pendulum", "hbvm(k=6, s=2)", 0.2);
  test_iterations("tethered-satellites", "hbvm(k=6, s=3)", 0.2);
  test_iterations("heavy-top", "hbvm(k=4, s=2)", 0.1);
  test_iterations("double-pendulum-angles", "hbvm(k=4, s=2)", 0.05);
  test_iterations("slider-crank", "hbvm(k=4, s=2)", 0.02);
  test_iterations("underwater-vehicle", "hbvm(k=4, s=2)", 0.05);
  test_iterations("kepler", "hbvm(k=9, s=3)", 0.05);
  test_iterations("pendulum-chain", "hbvm(k=4, s=2)", 0.1);
  test_hard_steps();
  test_company();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
