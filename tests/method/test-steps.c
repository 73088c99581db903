/* test-steps.c: lanes of a group with steps and times of their own have the bits that they have in batches with
 * one step, whatever their neighbours do; so have states that a scratch lane steps side by side. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/stepper/stepper.h"

enum {
  LANES = 5,
  STEPS = 24
}; /* more lanes than a group has on most machines: the second is padded */
static const double H = 0.05;

static double step_of(int place) {
  static const double part[] = {1, 0.6, -0.8, 1.1, 0.25, -0.1, 0.9, 0.5};
  return H * part[place];
}
static double time_of(int place) { return 0.3 * place; }

static int place_of(const run *r, int lane) { return lane % cst_stepper_width(r->st); }

/* Steps the lanes, each by its own step. */
static void go_apart(run *r, long n) {
  double h[CST_W_MAX], time[CST_W_MAX];
  long   since[CST_W_MAX] = {0};
  for (int l = 0; l < cst_stepper_width(r->st); l++) {
    h[l] = step_of(l);
    time[l] = time_of(l);
  }
  MUST(cst_batch_set_steps(r->st, &r->b, h, time, since));
  MUST(cst_stepper_advance(r->st, &r->b, n));
}

/* The complete states, statuses and multipliers of a lane in two runs are equal. */
static bool same_lane(const run *a, int i, const run *b, int j) {
  const size_t n = cst_batch_numbers(a->st);
  double       x[n], y[n], lambda[2][CST_MAX_G] = {{0}};
  bool         same;
  cst_batch_save(a->st, &a->b, i, x);
  cst_batch_save(b->st, &b->b, j, y);
  same = !memcmp(x, y, sizeof x) && !memcmp(&a->b.status[i], &b->b.status[j], sizeof *a->b.status);
  if (a->b.status[i].reason != CST_DONE || a->x->s->ng == 0)
    return same;
  run_lambda(a, i, lambda[0]);
  run_lambda(b, j, lambda[1]);
  return same && !memcmp(lambda[0], lambda[1], sizeof lambda[0]);
}

/* Lane `lane` of `all` against a run of its own, with `speed` times its velocity. */
static bool same_alone(const run *all, int lane, const char *method, double speed, long n) {
  double q[CST_MAX_Q], v[CST_MAX_Q];
  run    one;
  run_open(&one, all->x, method, 1);
  cst_batch_reset(one.st, &one.b, 1);
  start_of(all->x, lane, q, v);
  for (int i = 0; i < all->x->s->nq; i++)
    v[i] *= speed;
  run_put(&one, 0, q, v);
  cst_batch_ready(one.st, &one.b);
  cst_batch_set_time(one.st, &one.b, time_of(place_of(all, lane)), 0);
  run_go(&one, step_of(place_of(all, lane)), n);
  const bool same = same_lane(all, lane, &one, 0);
  run_close(&one);
  return same;
}

static void test_on(const problem *x, const char *method, const char *how) {
  const long n = affordable(x, method, STEPS);
  run        all;
  int        same = 0;
  run_open(&all, x, method, LANES);
  if (!cst_stepper_varies(all.st)) {
    run_close(&all);
    return;
  }
  run_start(&all, LANES);
  go_apart(&all, n / 2);
  go_apart(&all, n - n / 2);
  for (int l = 0; l < LANES; l++)
    same += same_alone(&all, l, method, 1, n);
  OK(same == LANES, "%s on %s: %d of %d lanes with steps of their own have their bits%s", method,
     x->s->name, same, LANES, how);
  run_close(&all);
}

static void test(const problem *x, const char *method, cst_properties has) {
  (void)has;
  test_on(x, method, "");
}

/* One lane fails; it and the others are as they are alone. */
static void test_failure(const char *system, const char *method, double speed) {
  enum { BAD = 2 };
  problem *x = problem_open(system);
  double   q[CST_MAX_Q], v[CST_MAX_Q];
  run      all;
  int      same = 0;
  run_open(&all, x, method, LANES);
  cst_batch_reset(all.st, &all.b, LANES);
  for (int l = 0; l < LANES; l++) {
    start_of(x, l, q, v);
    for (int i = 0; i < x->s->nq && l == BAD; i++)
      v[i] *= speed;
    run_put(&all, l, q, v);
  }
  cst_batch_ready(all.st, &all.b);
  go_apart(&all, STEPS);
  OK(all.b.status[BAD].reason != CST_DONE, "%s on %s: a lane fails", method, system);
  for (int l = 0; l < LANES; l++)
    same += same_alone(&all, l, method, l == BAD ? speed : 1, STEPS);
  OK(same == LANES, "%d of %d lanes are as they are alone, the failed one too", same, LANES);
  run_close(&all);
  problem_close(x);
}

/* A lane with noise, or with a mean of its multipliers, has the step of its batch. */
static void test_refused(const char *method) {
  problem *x = problem_open("planar-pendulum");
  run      r;
  run_open(&r, x, method, 1);
  OK(!cst_stepper_varies(r.st), "%s: one step for all lanes", method);
  run_close(&r);
  problem_close(x);
}

/* States at different steps, stepped side by side by a scratch lane and one by one. */
static void test_scratch_lane(const problem *x, const char *method, bool fine) {
  run                r;
  cst_scratch_lanes *wide, *single;
  double             part[CST_W_MAX];
  bool               good[CST_W_MAX], one;
  int                same = 0;
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  const cst_stepper_options o = {widest(), 1, 100, false, CST_ITERATION_AUTO, false, false, 0.02};
  MUST(cst_scratch_create(r.prepared, &o, 0, &wide));
  MUST(cst_scratch_create(r.prepared, &o, 0, &single));
  const int W = cst_stepper_width(r.st),
            n = cst_scratch_width(wide) < 3 ? cst_scratch_width(wide) : 3;
  for (int i = 0; i < n; i++) {
    run_go(&r, H, 7);
    cst_scratch_copy(wide, r.b.record, i);
    cst_scratch_keep_as(wide, i);
    part[i] = step_of(i) / (2 * H);
  }
  MUST(cst_scratch_each_from_kept(wide, n, part, fine, good));
  for (int i = 0; i < n; i++) {
    const size_t size = cst_stepper_record_size(r.st);
    bool         equal = good[i];
    double       was[size];
    for (size_t k = 0; k < size; k++)
      was[k] = cst_scratch_kept(wide)[k - k % (size_t)W + (size_t)i];
    cst_scratch_copy(single, was, 0);
    cst_scratch_keep(single);
    MUST(cst_scratch_from_kept(single, part[i], fine, &one));
    for (size_t k = 0; k < size; k += (size_t)W)
      equal &=
          !memcmp(cst_scratch_record(single) + k, cst_scratch_record(wide) + k + i, sizeof(double));
    same += equal && one;
  }
  OK((n > 1 || W == 1) && same == n,
     "%s on %s: %d of %d states side by side have the bits of one alone", method, x->s->name, same,
     n);
  MUST(cst_scratch_destroy(&wide));
  MUST(cst_scratch_destroy(&single));
  run_close(&r);
}

static void test_scratch_lanes(void) {
  static const struct {
    const char *system, *method;
  } on[] = {{"double-pendulum", "rattle"},
            {"heavy-top", "compose(rattle, yoshida4)"},
            {"modified-pendulum", "midpoint"},
            {"four-bar", "hbvm(k=4, s=2)"},
            {"forced-oscillator", "gauss(2)"}};
  for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
    problem *x = problem_open(on[i].system);
    test_scratch_lane(x, on[i].method, i % 2);
    problem_close(x);
  }
}

static void tests(void) {
  each_pair(test, SCOPE_RUNS);
  problem *x = problem_open("heavy-top");
  MUST(PetscOptionsSetValue(NULL, "-snes_type", "newtonls"));
  test_on(x, "rattle", " under another solver");
  test_on(x, "compose(rattle, midpoint)", " under another solver");
  MUST(PetscOptionsClearValue(NULL, "-snes_type"));
  problem_close(x);
  test_failure("planar-pendulum", "rattle", 300);
  test_failure("heavy-top", "compose(rattle, midpoint)", 300);
  test_failure("double-pendulum", "midpoint", 300);
  test_refused("langevin(rattle, friction=0.5, inverse-temperature=2)");
  test_refused("penalty(newmark(beta=0.4), omega=0.2, average=0.1)");
  test_scratch_lanes();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
