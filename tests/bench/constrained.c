/* constrained.c: `make bench`: generalised-alpha and Radau IIA on the double pendulum beside a loop of the same
 * arithmetic written by hand, which takes as many iterations in every step as the program does in the mean, rounded
 * up. Ratios are taken within one race.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "tools.h"

enum { LANES = 256, STEPS = 200, CHECK_STEPS = 20 };
static const double STEP = 0.01;

static double apart(const bench_run *r, const double *hand, int width) {
  double worst = 0;
  for (long l = 0; l < LANES; l++)
    for (int e = 0; e < 4; e++)
      worst = fmax(worst, fabs(bench_component(r, l, cst_stepper_layout(r->stepper)->q + e) -
                               hand[(size_t)(l / width) * (size_t)(10 * width) +
                                    (size_t)(e * width) + (size_t)(l % width)]));
  return worst;
}

static cst_error bench_method(int isa, const char *method, int stages) {
  static hand_constrained_loop *const loops[] = {hand_constrained_v2, hand_constrained_v3,
                                                 hand_constrained_v4};
  const int                           width = cst_isas[isa].width;
  hand_constrained_loop              *loop = loops[width == 2 ? 0 : width == 4 ? 1 : 2];
  cst_study                          *s = bench_members("double-pendulum", "default", LANES, 0.1);
  double                             *state = bench_aligned(LANES * 10), hand = INFINITY;
  bench_run                           r = {.study = s,
                                           .system = s->problem.system,
                                           .method = method,
                                           .lanes = LANES,
                                           .h = STEP,
                                           .steps = STEPS};
  CST_TRY(bench_run_create(&r, isa));
  r.best = INFINITY;
  CST_TRY(bench_run_time(&r));
  const int iterations = (int)ceil(bench_iterations(&r));
  r.steps = CHECK_STEPS;
  CST_TRY(bench_run_time(&r));
  bench_hand_fill(s, state, width, LANES);
  loop(state, LANES / width, stages, iterations, STEP, CHECK_STEPS);
  const double differ = apart(&r, state, width);
  r.steps = STEPS, r.best = INFINITY;
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    bench_hand_fill(s, state, width, LANES);
    const double t = bench_busy();
    loop(state, LANES / width, stages, iterations, STEP, STEPS);
    hand = fmin(hand, 1e9 * (bench_busy() - t) / ((double)LANES * STEPS));
    CST_TRY(bench_run_time(&r));
  }
  printf("  %-28s %8.1f ns a step, %5.2f times a hand-written loop (%.1f ns, %d iterations; %.2f "
         "here), "
         "which differs by %.1e after %d steps\n",
         method, r.best, r.best / hand, hand, iterations, bench_iterations(&r), differ,
         CHECK_STEPS);
  CST_TRY(bench_run_destroy(&r));
  free(state);
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  printf("double-pendulum, h = %g:\n", STEP);
  CST_TRY(bench_method(isa, "generalized-alpha(rho=0.8)", 1));
  CST_TRY(bench_method(isa, "radau(2)", 2));
  CST_TRY(bench_method(isa, "radau(3)", 3));
  CST_TRY(PetscFinalize());
  return 0;
}
