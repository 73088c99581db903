/* test-lanes.c: a lane that fails keeps its reason, its last good step and its state, and the other lanes are
 * not affected. A step that only pivoting can solve succeeds. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 11, BAD = 4 }; /* more than one group on every instruction set */

static void put_lane(run *r, int at, int start, double speed) {
  double q[CST_MAX_Q], v[CST_MAX_Q];
  start_of(r->x, start, q, v);
  for (int i = 0; i < r->x->s->nq; i++)
    v[i] *= speed;
  run_put(r, at, q, v);
}

/* All lanes, where lane BAD has `speed` times its velocity. With speed 0 lane BAD is omitted and the others
 * move up. */
static void run_lanes(run *r, const problem *x, const char *method, double speed, double h, long n,
                      int stretch) {
  int count = 0;
  run_open(r, x, method, LANES);
  cst_batch_reset(r->st, &r->b, speed ? LANES : LANES - 1);
  for (int l = 0; l < LANES; l++)
    if (l != BAD || speed)
      put_lane(r, count++, l, l == BAD ? speed : 1);
  cst_batch_ready(r->st, &r->b);
  for (long done = 0; done < n; done += stretch)
    run_go(r, h, n - done < stretch ? n - done : stretch);
}

static int same_lane(const run *a, int i, const run *b, int j) {
  double q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  size_t bytes = sizeof(double) * (size_t)a->x->s->nq;
  run_carried(a, i, q[0], p[0]);
  run_carried(b, j, q[1], p[1]);
  return !memcmp(q[0], q[1], bytes) && !memcmp(p[0], p[1], bytes);
}

/* True if the record of every lane has the right number of steps. */
static bool counts(const run *r) {
  bool good = true;
  for (int l = 0; l < LANES; l++) {
    const double         *column = cst_batch_lane(r->st, &r->b, l);
    const cst_lane_status status = r->b.status[l];
    int64_t               n;
    memcpy(&n, column + cst_stepper_layout(r->st)->step * cst_stepper_width(r->st), sizeof n);
    good &= n == (status.reason == CST_DONE ? r->b.step : status.step);
  }
  return good;
}

/* Lane BAD fails after `good` steps (-1: any number above 0) for `reason`; the others have the bits of a
 * batch without it. */
static void test_failure(const char *system, const char *method, double speed, double h, long n,
                         int stretch, cst_reason reason, long good) {
  run      with, without;
  problem *x = problem_open(system);
  double   q[CST_MAX_Q], p[CST_MAX_Q];
  int      same = 0, well = 0;
  run_lanes(&with, x, method, speed, h, n, stretch);
  run_lanes(&without, x, method, 0, h, n, stretch);
  cst_lane_status status = with.b.status[BAD];
  if (!OK(status.reason == reason &&
              (good < 0 ? status.step > 0 && status.step < n : status.step == good),
          "%s on %s, stretches of %d: the lane fails, reason and step are kept (step %ld)", method,
          system, stretch, status.step))
    NOTE("reason %d, step %ld", status.reason, status.step);
  run_carried(&with, BAD, q, p);
  OK(isfinite(norm(q, x->s->nq)) && isfinite(norm(p, x->s->nq)), "its last state is finite");
  for (int l = 0; l < LANES; l++) {
    if (l == BAD)
      continue;
    well += with.b.status[l].reason == CST_DONE;
    same += same_lane(&with, l, &without, l - (l > BAD));
  }
  OK(well == LANES - 1 && same == LANES - 1,
     "the others go on and have the bits of a run without it");
  OK(with.b.step == n && counts(&with),
     "the batch arrives, and each record counts the steps behind it");
  if (good < 0) { /* the last state is that of the last good step */
    run upto;
    run_lanes(&upto, x, method, speed, h, status.step, 1);
    OK(upto.b.status[BAD].reason == CST_DONE && same_lane(&with, BAD, &upto, BAD),
       "its last state is that after %ld steps", status.step);
    run_close(&upto);
  }
  if (stretch > 1) {
    run single;
    run_lanes(&single, x, method, speed, h, n, 1);
    same = 0;
    for (int l = 0; l < LANES; l++)
      same += same_lane(&with, l, &single, l);
    OK(same == LANES && single.b.status[BAD].reason == status.reason &&
           single.b.status[BAD].step == status.step,
       "the same, step by step");
    run_close(&single);
  }
  run_close(&with);
  run_close(&without);
  problem_close(x);
}

/* Every lane fails. */
static void test_all_fail(void) {
  run      r;
  problem *x = problem_open("planar-pendulum");
  int      failed = 0, same = 0;
  run_open(&r, x, "rattle", LANES);
  cst_batch_reset(r.st, &r.b, LANES);
  for (int l = 0; l < LANES; l++)
    put_lane(&r, l, l, 300);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, 0.1, 7);
  for (int l = 0; l < LANES; l++) {
    double q0[CST_MAX_Q], v0[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q];
    start_of(x, l, q0, v0);
    run_carried(&r, l, q, p);
    failed += r.b.status[l].reason == CST_STEP_TOO_LARGE && r.b.status[l].step == 0;
    same += !memcmp(q, q0, sizeof(double) * (size_t)x->s->nq);
  }
  OK(failed == LANES && same == LANES && r.b.step == 7,
     "all lanes fail at once: each keeps its start");
  run_close(&r);
  problem_close(x);
}

/* The address of a lane's random numbers moves with the lane, through steps and through saved states. */
static void test_address(void) {
  /* bits that copying as numbers could change */
  const uint64_t seed = 0xfff8000000000001u, member = 0xffffffffffu;
  run            r;
  problem       *x = problem_open("spherical-pendulum");
  double        *saved;
  bool           same = true;
  run_lanes(&r, x, "compose(rattle, midpoint)", 1, 0.01, 0, 1);
  const cst_layout *at = cst_stepper_layout(r.st);
  for (int l = 0; l < LANES; l++)
    cst_batch_address(r.st, &r.b, l, seed + (uint64_t)l, member + (uint64_t)l);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, 0.01, 5);
  if (!(saved = calloc(cst_batch_numbers(r.st), sizeof *saved)))
    abort();
  for (int l = 0; l < LANES; l++) {
    cst_batch_save(r.st, &r.b, l, saved);
    cst_batch_restore(r.st, &r.b, (l + 1) % LANES, saved);
    const double  *column = cst_batch_lane(r.st, &r.b, (l + 1) % LANES);
    const uint64_t expected[] = {seed, member, 5}; /* every lane becomes the first one */
    const int      block[] = {at->seed, at->member, at->step};
    for (int k = 0; k < 3; k++)
      same &= !memcmp(column + block[k] * cst_stepper_width(r.st), &expected[k], sizeof *expected);
  }
  OK(same, "seed, member and step of a lane are kept");
  free(saved);
  run_close(&r);
  problem_close(x);
}

/* Newton's matrix h G(q1) M^-1 G(q0)' is regular but has a zero in its corner at the first iterate if gx = 2
 * and h = 1. */
static const char *const corner = "system: corner\n"
                                  "coordinates: [x, y, z]\n"
                                  "parameters: {gx: 0}\n"
                                  "mass: [1, 1, 1]\n"
                                  "potential: gx*x\n"
                                  "constraints: {circle: (x^2 + y^2 - 1)/2, plane: x + y + z}\n"
                                  "states: {default: {q: [1, 0, -1], v: [0, 0.5, -0.5]}}\n";

static void test_rescue(void) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("corner.yaml", corner, strlen(corner), NULL, 0, d);
  problem     x;
  run         r, plain;
  double      force[] = {0, 2, 0.1}, q[CST_MAX_Q], p[CST_MAX_Q], v[CST_MAX_Q], g, gv;
  if (!OK(s != NULL, "a system for the rescue")) {
    cst_diag_print(d, stdout);
    return;
  }
  cst_system_interpret(s);
  problem_of(&x, s);
  run_open(&r, &x, "rattle", 3);
  run_open(&plain, &x, "rattle", 2);
  cst_batch_reset(r.st, &r.b, 3);
  cst_batch_reset(plain.st, &plain.b, 2);
  for (int l = 0; l < 3; l++)
    cst_batch_start(r.st, &r.b, l, &force[l], x.q, x.v, 1e-14);
  for (int l = 0; l < 2; l++)
    cst_batch_start(plain.st, &plain.b, l, &force[2 * l], x.q, x.v, 1e-14);
  cst_batch_ready(r.st, &r.b);
  cst_batch_ready(plain.st, &plain.b);
  run_go(&r, 1, 1);
  run_go(&plain, 1, 1);
  OK(run_well(&r, 3), "a step that needs pivoting is rescued");
  run_carried(&r, 1, q, p);
  memcpy(v, p, sizeof v);
  cst_system_residuals(s, &force[1], q, v, NULL, &g, NULL, &gv);
  double moved = apart(q, x.q, 3);
  OK(g < 1e-14 && gv < 1e-14 && moved > 0.1, "and keeps both constraints (%.2g, %.2g; moved %.2g)",
     g, gv, moved);
  OK(same_lane(&r, 0, &plain, 0) && same_lane(&r, 2, &plain, 1),
     "its neighbours have the bits of a run without it");
  /* L1 = -1/10 or -1/2 solve the step exactly: x = 1 + 2 L1, y = 1/2 - L1. */
  OK((fabs(q[0] - 0.8) < 1e-14 && fabs(q[1] - 0.6) < 1e-14) ||
         (fabs(q[0]) < 1e-14 && fabs(q[1] - 1) < 1e-14),
     "the step is a solution of RATTLE's equations (%.17g, %.17g)", q[0], q[1]);
  run_close(&r);
  run_close(&plain);
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

static void tests(void) {
  test_failure("planar-pendulum", "rattle", 300, 0.1, 40, 40, CST_STEP_TOO_LARGE, 0);
  test_failure("planar-pendulum", "rattle", 300, 0.1, 40, 1, CST_STEP_TOO_LARGE, 0);
  test_failure("planar-pendulum", "compose(rattle, midpoint)", 300, 0.1, 40, 40, CST_STEP_TOO_LARGE,
               0);
  test_failure("planar-pendulum", "midpoint", 300, 0.1, 40, 8, CST_STEP_TOO_LARGE, 0);
  test_failure("modified-pendulum", "rattle", 40, 0.1, 40, 40, CST_STEP_TOO_LARGE, 0);
  test_failure("henon-heiles", "rattle", 4, 0.05, 1000, 1000, CST_NOT_FINITE,
               -1); /* escapes to infinity */
  test_failure("henon-heiles", "rattle", 4, 0.05, 1000, 10, CST_NOT_FINITE, -1);
  test_failure("double-pendulum", "rattle", 13.7858, 0.5, 60, 60, CST_STEP_TOO_LARGE, -1);
  test_failure("double-pendulum", "rattle", 13.7858, 0.5, 60, 7, CST_STEP_TOO_LARGE, -1);
  test_failure("henon-heiles", "midpoint", 2.8561, 0.3, 60, 60, CST_STEP_TOO_LARGE, -1);
  /* two cores a step */
  test_failure("henon-heiles", "compose(rattle, midpoint)", 2.8561, 0.3, 60, 1, CST_STEP_TOO_LARGE,
               -1);
  test_failure("henon-heiles", "compose(rattle, midpoint)", 2.8561, 0.3, 60, 60, CST_STEP_TOO_LARGE,
               -1);
  test_failure("henon-heiles", "compose(rattle, midpoint)", 2.8561, 0.2, 60, 12, CST_STEP_TOO_LARGE,
               -1);
  test_failure("henon-heiles", "rk4", 4, 0.05, 1000, 1000, CST_NOT_FINITE, -1);
  test_failure("henon-heiles", "rk4", 4, 0.05, 1000, 100, CST_NOT_FINITE, -1);
  test_failure("spherical-pendulum", "convert(rk4)", 4, 0.8, 40, 40, CST_NOT_CONVERGED, 0);
  test_failure("spherical-pendulum", "convert(rk4)", 8, 0.8, 40, 7, CST_NOT_CONVERGED, -1);
  test_failure("spherical-pendulum", "convert(heun, bias=-0.5)", 8, 0.4, 40, 40, CST_NOT_CONVERGED,
               -1);
  test_failure("henon-heiles", "convert(gauss(2), bias=-0.3)", 4, 0.4, 40, 8, CST_NOT_CONVERGED,
               -1);
  test_failure("henon-heiles", "compose(convert(rk4), rattle)", 4, 0.4, 40, 40, CST_NOT_CONVERGED,
               -1);
  test_all_fail();
  test_address();
  test_rescue();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
