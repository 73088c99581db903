/* test-discretization.c: discretization(theta=) is euler-a, midpoint and euler-b at 0, 1/2 and 1, has the
 * adjoint 1 - theta, and is another method in between. A method in null-space form is the same map as with
 * multipliers and has the same multipliers. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 3, STEPS = 40 };

typedef struct {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], lambda[LANES][CST_MAX_G];
} outcome;

static outcome *outcome_of(const problem *x, const char *method, double h, long n) {
  outcome *o = calloc(1, sizeof *o);
  run      r;
  if (!o)
    abort();
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, h * pace_of(x->s->name), n);
  OK(run_well(&r, LANES), "%s on %s: %ld steps", method, x->s->name, n);
  for (int l = 0; l < LANES; l++) {
    run_carried(&r, l, o->q[l], o->p[l]);
    run_lambda(&r, l, o->lambda[l]);
  }
  run_close(&r);
  return o;
}

/* The largest difference of q and p; that of the multipliers relative to their size. */
static double difference(const problem *x, const char *one, const char *other, double *lambda) {
  outcome *a = outcome_of(x, one, 0.05, STEPS), *b = outcome_of(x, other, 0.05, STEPS);
  double   off = 0;
  *lambda = 0;
  for (int l = 0; l < LANES; l++) {
    off = larger(off, larger(apart(a->q[l], b->q[l], x->s->nq), apart(a->p[l], b->p[l], x->s->nq)));
    if (x->s->ng)
      *lambda = larger(*lambda, apart(a->lambda[l], b->lambda[l], x->s->ng) /
                                    (1 + norm(a->lambda[l], x->s->ng)));
  }
  free(a);
  free(b);
  return off;
}

static const char *const systems[] = {"modified-pendulum", "henon-heiles", "bead-on-torus",
                                      "double-pendulum-angles", "underwater-vehicle"};

static void test_same(const char *system, const char *one, const char *other) {
  problem    *x = problem_open(system);
  cst_method *m = method_of(one), *n = method_of(other);
  char        why[200];
  double      lambda, off;
  if (cst_method_fits(m, x->s, why, sizeof why) && cst_method_fits(n, x->s, why, sizeof why)) {
    off = difference(x, one, other, &lambda);
    OK(off < 2e-12 && lambda < 1e-9, "%s: %s is %s (%.2g, multipliers %.2g)", system, one, other,
       off, lambda);
  }
  cst_method_destroy(m);
  cst_method_destroy(n);
  problem_close(x);
}

static void test_family(void) {
  static const char *const same[][2] = {
      {"discretization(theta=0)", "euler-a"},
      {"discretization(theta=1)", "euler-b"},
      {"discretization(theta=0.5)", "midpoint"},
      {"adjoint(discretization(theta=0.25))", "discretization(theta=0.75)"}};
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
      test_same(systems[i], same[k][0], same[k][1]);
}

static void test_between(void) {
  static const char *const others[] = {"euler-a", "midpoint", "euler-b"};
  for (int k = 0; k < 3; k++) {
    problem *x = problem_open("modified-pendulum");
    double   lambda, off = difference(x, "discretization(theta=0.25)", others[k], &lambda);
    OK(off > 1e-5, "discretization(theta=0.25) is not %s (%.2g)", others[k], off);
    problem_close(x);
  }
}

/* A step of theta followed by one of -h of its adjoint returns to the start. */
static void test_back(void) {
  problem                 *x = problem_open("modified-pendulum");
  run                      r[2];
  double                   q[CST_MAX_Q], p[CST_MAX_Q], v[CST_MAX_Q], w[CST_MAX_Q], start[CST_MAX_Q];
  static const char *const theta[] = {"discretization(theta=0.75)", "discretization(theta=0.25)"};
  for (int wrong = 0; wrong < 2; wrong++) {
    run_open_on(&r[0], x, "discretization(theta=0.25)", widest(), 1, 1e-15);
    run_open_on(&r[1], x, theta[wrong], widest(), 1, 1e-15);
    run_start(&r[0], 1);
    run_go(&r[0], 0.1, 1);
    run_state(&r[0], 0, q, p);
    cst_system_velocity(x->s, x->c, q, p, v);
    cst_batch_reset(r[1].st, &r[1].b, 1);
    run_put(&r[1], 0, q, v);
    cst_batch_ready(r[1].st, &r[1].b);
    run_go(&r[1], -0.1, 1);
    run_state(&r[1], 0, q, p);
    start_of(x, 0, start, w);
    OK((apart(q, start, x->s->nq) < 1e-13) == !wrong, "%s %s the adjoint (%.2g)", theta[wrong],
       wrong ? "is not" : "is", apart(q, start, x->s->nq));
    run_close(&r[0]);
    run_close(&r[1]);
  }
  problem_close(x);
}

/* Under constraints on velocities: without and with constraints on positions, redundant ones, and affine ones. */
static void test_null_space_of_velocities(void) {
  static const char *const forms[] = {"midpoint", "leapfrog", "reversible"};
  static const char *const on[] = {"nonholonomic-oscillator", "chaplygin-sleigh", "rolling-disk",
                                   "chaotic-oscillator",      "chaplygin-sphere", "turntable"};
  char                     form[128], base[64];
  for (size_t i = 0; i < sizeof on / sizeof *on; i++)
    for (size_t k = i < 4 ? 0 : 2; k < sizeof forms / sizeof *forms; k++) {
      snprintf(base, sizeof base, "discrete-lagrange-dalembert(%s)", forms[k]);
      snprintf(form, sizeof form, "discrete-lagrange-dalembert(%s, form=null-space)", forms[k]);
      test_same(on[i], form, base);
    }
}

static void test_null_space(void) {
  static const char *const bases[] = {"euler-a", "euler-b", "midpoint", "shake", "rattle"};
  static const char *const on[] = {"modified-pendulum", "henon-heiles",    "bead-on-torus",
                                   "heavy-top",         "double-pendulum", "four-bar"};
  char                     form[64];
  for (size_t i = 0; i < sizeof on / sizeof *on; i++)
    for (size_t k = 0; k < sizeof bases / sizeof *bases; k++) {
      snprintf(form, sizeof form, "%s(form=null-space)", bases[k]);
      test_same(on[i], form, bases[k]);
    }
  test_same("modified-pendulum", "discretization(theta=0.3, form=null-space)",
            "discretization(theta=0.3)");
  test_same("modified-pendulum", "rattle(form=multipliers)", "rattle");
  test_same("modified-pendulum", "compose(rattle(form=null-space), yoshida4)",
            "compose(rattle, yoshida4)");
  test_same("modified-pendulum", "compose(euler-a(form=null-space), yoshida4)",
            "compose(euler-a, yoshida4)");
}

static void tests(void) {
  test_family();
  test_between();
  test_back();
  test_null_space();
  test_null_space_of_velocities();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
