/* lie.c: `make bench`: methods on the rotation group: lie-rattle, a hand-written loop and RATTLE in
 * coordinates on the heavy top, and the growth of the time of a step of a chain of bodies with their number.
 * Ratios are taken within one race.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "tools.h"

enum {
  LANES = 1024,
  STEPS = 4000,
  CHECK_STEPS = 50,
  ROWS = 12,
  CHAIN_LANES = 16,
  CHAIN_STEPS = 100
};
static const double STEP = 0.02;

/* ---- the heavy top --------------------------------------------------------------------------- */

/* R and alpha of the starts, alpha_i = (I omega)_i from R' R' hat(omega). */
static void fill_hand(const cst_study *s, double *state, int width) {
  static const double inertia[3] = HAND_TOP_INERTIA;
  double              q[CST_MAX_Q], v[CST_MAX_Q];
  for (long l = 0; l < LANES; l++) {
    double *x = state + (size_t)(l / width) * (size_t)(ROWS * width) + l % width;
    cst_study_member(s, 0, l, q, v);
    for (int e = 0; e < 9; e++)
      x[e * width] = q[e];
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      double    omega = 0; /* (R'R')_kj */
      for (int a = 0; a < 3; a++)
        omega += q[3 * a + k] * v[3 * a + j];
      x[(9 + i) * width] = inertia[i] * omega;
    }
  }
}

static double apart(const bench_run *r, const double *hand, int width) {
  double worst = 0;
  for (long l = 0; l < LANES; l++)
    for (int e = 0; e < 9; e++)
      worst = fmax(worst, fabs(bench_component(r, l, cst_stepper_layout(r->stepper)->q + e) -
                               hand[(size_t)(l / width) * (size_t)(ROWS * width) +
                                    (size_t)(e * width) + (size_t)(l % width)]));
  return worst;
}

static cst_error bench_top(int isa) {
  static const char *const methods[] = {"lie-rattle", "lie-rattle(retraction=exp)", "lie-lobatto",
                                        "lie-euler-a", "rattle"};
  enum { METHODS = sizeof methods / sizeof *methods };
  static hand_loop *const loops[] = {hand_lie_v2, hand_lie_v3, hand_lie_v4};
  const int               width = cst_isas[isa].width;
  hand_loop              *loop = loops[width == 2 ? 0 : width == 4 ? 1 : 2];
  cst_study              *s = bench_members("lagrange-top", "default", LANES, 0.1);
  double                 *state = bench_aligned(LANES * ROWS), hand = INFINITY;
  bench_run               r[METHODS];
  for (int k = 0; k < METHODS; k++) {
    r[k] = (bench_run){.study = s,
                       .system = s->problem.system,
                       .method = methods[k],
                       .lanes = LANES,
                       .h = STEP,
                       .steps = CHECK_STEPS};
    CST_TRY(bench_run_create(&r[k], isa));
  }
  fill_hand(s, state, width);
  loop(state, LANES / width, STEP, CHECK_STEPS);
  CST_TRY(bench_run_time(&r[0]));
  printf("lagrange-top, h = %g: lie-rattle and a hand-written loop differ by %.1e after %d steps\n",
         STEP, apart(&r[0], state, width), CHECK_STEPS);
  for (int k = 0; k < METHODS; k++)
    r[k].steps = STEPS, r[k].best = INFINITY;
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    fill_hand(s, state, width);
    const double t = bench_busy();
    loop(state, LANES / width, STEP, STEPS);
    hand = fmin(hand, 1e9 * (bench_busy() - t) / ((double)LANES * STEPS));
    for (int k = 0; k < METHODS; k++)
      CST_TRY(bench_run_time(&r[k]));
  }
  printf("  %-28s %8.1f ns a step\n", "hand-written lie-rattle", hand);
  for (int k = 0; k < METHODS; k++)
    printf("  %-28s %8.1f ns a step, %4.2f of the hand-written loop, %4.2f times as fast as "
           "rattle, %.2f "
           "iterations\n",
           methods[k], r[k].best, hand / r[k].best, r[METHODS - 1].best / r[k].best,
           bench_iterations(&r[k]));
  for (int k = 0; k < METHODS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  free(state);
  cst_study_destroy(s);
  return 0;
}

/* ---- a chain of bodies ----------------------------------------------------------------------- */

static cst_error bench_chain(int isa) {
  static const int lengths[] = {25, 50, 100, 200};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  printf("chain of n bodies with ball joints, lie-rattle, ns a step and body:");
  for (int k = 0; k < LENGTHS; k++) {
    char text[200];
    snprintf(text, sizeof text, "{file: jobs/bodies/ball-chain.yaml, parameters: {n: %d}}",
             lengths[k]);
    cst_study *s = bench_members(text, "default", CHAIN_LANES, 1e-3);
    bench_run  r = {.study = s,
                    .system = s->problem.system,
                    .method = "lie-rattle",
                    .lanes = CHAIN_LANES,
                    .h = 0.002,
                    .steps = CHAIN_STEPS};
    CST_TRY(bench_run_create(&r, isa));
    CST_TRY(bench_race(&r, 1));
    printf("  n = %d: %.0f", lengths[k], r.best / lengths[k]);
    CST_TRY(bench_run_destroy(&r));
    cst_study_destroy(s);
  }
  printf("\n");
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  CST_TRY(bench_top(isa));
  CST_TRY(bench_chain(isa));
  CST_TRY(PetscFinalize());
  return 0;
}
