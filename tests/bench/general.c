/* general.c: the part of `make bench` on general systems, whose mass depends on the coordinates.
 *
 *   1. RATTLE on the double pendulum in angles, many lanes and one, against a hand-written loop
 *      (hand-angles.c)
 *   2. RATTLE on the other general systems of the catalogue: nanoseconds per step and lane, iterations
 *
 * Bounds are printed next to the values that have one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "core/lane-form.h"
#include "tools.h"

enum { LANES = 256, STEPS = 2000, CHECKED = 50 };
static const double H = 0.01;

static hand_loop *const lanes_by_hand[] = {
    hand_angles_v2,
    hand_angles_v3,
    hand_angles_v4,
};

/* [group][angles, momenta][W] of the starts of r. */
static double *hand_state(const bench_run *r, int W) {
  const long groups = (r->lanes + W - 1) / W;
  double    *x = bench_aligned((size_t)(groups * 4 * W)), q[2], v[2];
  for (long l = 0; l < groups * W; l++) {
    cst_study_member(r->study, 0, l % r->lanes, q, v);
    const double c = sqrt(2) * cos(q[0] - q[1]),
                 all[4] = {q[0], q[1], 2 * v[0] + c * v[1], c * v[0] + 2 * v[1]};
    for (int k = 0; k < 4; k++)
      x[((l / W) * 4 + k) * W + l % W] = all[k];
  }
  return x;
}

static double hand_time(const bench_run *r, hand_loop *loop, int W) {
  const long groups = (r->lanes + W - 1) / W;
  double    *x = hand_state(r, W), t = bench_busy();
  loop(x, (int)groups, H, r->steps);
  t = bench_busy() - t;
  free(x);
  return 1e9 * t / ((double)r->steps * (double)r->lanes);
}

/* How far the two are apart after CHECKED steps. */
static cst_error compare(bench_run *r, hand_loop *loop, int W, double *apart) {
  double *x = hand_state(r, W);
  loop(x, (int)((r->lanes + W - 1) / W), H, CHECKED);
  bench_run_start(r);
  CST_TRY(cst_stepper_advance(r->stepper, &r->batch, CHECKED));
  const cst_layout *at = cst_stepper_layout(r->stepper);
  *apart = 0;
  for (long l = 0; l < r->lanes; l++)
    for (int k = 0; k < 4; k++)
      *apart = fmax(*apart, fabs(x[((l / W) * 4 + k) * W + l % W] -
                                 bench_component(r, l, (k < 2 ? at->q : at->p - 2) + k)));
  free(x);
  return 0;
}

/* The fewest lanes for which the core is built: what a study of one member takes. */
static int isa_of_one(int isa) {
  for (int i = 0; i < isa; i++)
    if (cst_isas[i].full == isa && cst_lane_form(i, "lagrange"))
      return i;
  return isa;
}

static cst_error angles(int isa) {
  const int  W = cst_isas[isa].width;
  double     hand = INFINITY, hand1 = INFINITY, apart = NAN;
  cst_study *s = bench_members("double-pendulum-angles", "default", LANES, 0.3);
  bench_run  r = {.study = s,
                  .system = s->problem.system,
                  .method = "rattle",
                  .lanes = LANES,
                  .h = H,
                  .steps = STEPS},
            one = r;
  one.lanes = 1, one.steps = 16 * STEPS;
  CST_TRY(bench_run_create(&r, isa));
  CST_TRY(bench_run_create(&one, isa_of_one(isa)));
  CST_TRY(compare(&r, lanes_by_hand[cst_isas[isa].width / 4], W, &apart));
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    CST_TRY(bench_run_time(&r));
    CST_TRY(bench_run_time(&one));
    hand = fmin(hand, hand_time(&r, lanes_by_hand[cst_isas[isa].width / 4], W));
    hand1 = fmin(hand1, hand_time(&one, hand_angles_scalar, 1));
  }
  printf("angles, %d lanes (%s)   %7.1f ns a step, by hand %6.1f: %.2f of it (1.50: %s)   "
         "iterations %.2f, "
         "apart %.0e\n",
         LANES, cst_isas[isa].name, r.best, hand, r.best / hand,
         r.best <= 1.5 * hand ? "ok" : "ABOVE", bench_iterations(&r), apart);
  printf("angles, one member      %7.1f ns a step, by hand %6.1f: %.2f of it\n", one.best, hand1,
         one.best / hand1);
  fflush(stdout);
  CST_TRY(bench_run_destroy(&r));
  CST_TRY(bench_run_destroy(&one));
  cst_study_destroy(s);
  return 0;
}

static cst_error others(int isa) {
  static const char *const names[] = {"four-bar", "slider-crank", "charged-pendulum",
                                      "underwater-vehicle"};
  enum { SYSTEMS = sizeof names / sizeof *names };
  bench_run r[SYSTEMS], one[SYSTEMS];
  for (int k = 0; k < SYSTEMS; k++) {
    cst_study *s = bench_members(names[k], "default", LANES, 0.05);
    r[k] = one[k] = (bench_run){.study = s,
                                .system = s->problem.system,
                                .method = "rattle",
                                .lanes = LANES,
                                .h = H,
                                .steps = 200};
    one[k].lanes = 1, one[k].steps = 8 * r[k].steps;
    CST_TRY(bench_run_create(&r[k], isa));
    CST_TRY(bench_run_create(&one[k], isa_of_one(isa)));
  }
  CST_TRY(bench_race(r, SYSTEMS));
  CST_TRY(bench_race(one, SYSTEMS));
  for (int k = 0; k < SYSTEMS; k++) {
    printf("%-18s      %7.1f ns a step of %d lanes, %8.1f of one member; iterations %.2f\n",
           names[k], r[k].best, LANES, one[k].best, bench_iterations(&r[k]));
    CST_TRY(bench_run_destroy(&r[k]));
    CST_TRY(bench_run_destroy(&one[k]));
    cst_study_destroy((cst_study *)r[k].study);
  }
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  printf("\nGeneral systems, rattle, h = %g, %s; best of %d\n", H, cst_isas[isa].name,
         BENCH_ROUNDS);
  CST_TRY(angles(isa));
  CST_TRY(others(isa));
  return PetscFinalize();
}
