/* linear.c: the part of `make bench` on linearly implicit methods.
 *
 *   1. a step of zhang-skeel against one of Verlet's method (rattle, without constraints) on the DNA chain,
 *      whose Hessian is a ring
 *   2. penalty(zhang-skeel(...)) on the double pendulum against a loop written by hand (hand-springs.c)
 *
 * Bounds are printed next to the values that have one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <petscsys.h>
#include "bench.h"
#include "study/run/run-study.h"
#include "tools.h"

static const char *verdict(double ratio, double bound, bool at_least) {
  return (at_least ? ratio >= bound : ratio <= bound) ? "ok" : at_least ? "BELOW" : "ABOVE";
}

/* A study as a file has it, planned and compiled. */
static cst_error compiled(const char *text, int isa, cst_study **s, int *chosen) {
  cst_diag    *d = cst_diag_create();
  cst_back_end b;
  *s = bench_study(text);
  cst_plan *p = bench_need(cst_plan_create(*s, isa, d));
  CST_TRY(cst_study_compile(*s, p, p->cost, &b));
  *chosen = p->isa;
  cst_plan_destroy(p);
  cst_diag_destroy(d);
  return 0;
}

/* ---- 1. the chain ---------------------------------------------------------------------------- */

static cst_error chain(int n, int isa) {
  enum { VERLET, FULL, SIMPLIFIED, KINDS, LANES = 64 };
  static const char *const methods[KINDS] = {"rattle", "zhang-skeel(beta=0.3)",
                                             "zhang-skeel(beta=0.3, form=simplified)"};
  char                     text[600];
  cst_study               *s;
  int                      chosen;
  bench_run                r[KINDS];
  snprintf(text, sizeof text,
           "study: ensemble\nsystem: {name: dna-chain, parameters: {n: %d}, compile: always}\n"
           "initial: {members: %d, seed: 7, around: default, spread: {q: 0.05, v: 0.01}}\nend: "
           "100\nsteps: [0.2]\n"
           "methods: [\"%s\", \"%s\", \"%s\"]\n",
           n, LANES, methods[0], methods[1], methods[2]);
  CST_TRY(compiled(text, isa, &s, &chosen));
  for (int k = 0; k < KINDS; k++) {
    r[k] = (bench_run){.study = s,
                       .system = s->problem.system,
                       .method = methods[k],
                       .lanes = LANES,
                       .h = 0.2,
                       .steps = 200000 / n};
    CST_TRY(bench_run_create(&r[k], chosen));
  }
  CST_TRY(bench_race(r, KINDS));
  const double full = r[FULL].best / r[VERLET].best,
               simplified = r[SIMPLIFIED].best / r[VERLET].best;
  printf("DNA chain of %3d     Verlet %8.0f ns   full %8.0f ns: %5.2f of it (2.00: %s)   "
         "simplified %8.0f "
         "ns: %5.2f\n",
         n, r[VERLET].best, r[FULL].best, full, verdict(full, 2, false), r[SIMPLIFIED].best,
         simplified);
  fflush(stdout);
  for (int k = 0; k < KINDS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  cst_study_destroy(s);
  return 0;
}

/* ---- 2. springs ------------------------------------------------------------------------------ */

enum { LANES = 1024, STEPS = 4000 };
static const double H = 0.05;

static hand_springs_loop *loop_for(int isa) {
  static hand_springs_loop *const loops[] = {hand_springs_v2, hand_springs_v3, hand_springs_v4};
  return loops[cst_isas[isa].width / 4];
}

static double *hand_state(const cst_study *s, int W) {
  const long groups = (LANES + W - 1) / W;
  double    *state = bench_aligned((size_t)(groups * 8 * W)), q[4], v[4];
  for (long l = 0; l < groups * W; l++) {
    cst_study_member(s, 0, l < LANES ? l : 0, q, v);
    for (int i = 0; i < 4; i++)
      state[l / W * 8 * W + i * W + l % W] = q[i],
                                        state[l / W * 8 * W + (4 + i) * W + l % W] = v[i];
  }
  return state;
}

static cst_error springs(int isa) {
  cst_study *s;
  int        chosen, W;
  double     best = INFINITY, apart = 0;
  CST_TRY(compiled("study: ensemble\nsystem: {name: double-pendulum, compile: always}\n"
                   "initial: {members: 1024, seed: 7, around: low, spread: {q: 0.02, v: "
                   "0.02}}\nend: 10\nsteps: [0.05]\n"
                   "methods: [\"penalty(zhang-skeel(beta=0.4), omega=20)\"]\n",
                   isa, &s, &chosen));
  bench_run r = {.study = s,
                 .system = s->problem.system,
                 .method = "penalty(zhang-skeel(beta=0.4), omega=20)",
                 .lanes = LANES,
                 .h = H,
                 .steps = STEPS};
  W = cst_isas[chosen].width;
  CST_TRY(bench_run_create(&r, chosen));
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    double *state = hand_state(s, W), t = bench_busy();
    loop_for(chosen)(state, (LANES + W - 1) / W, 20, 0.4, H, STEPS);
    best = fmin(best, 1e9 * (bench_busy() - t) / ((double)LANES * STEPS));
    free(state);
    CST_TRY(bench_run_time(&r));
  }
  double *state = hand_state(s, W);
  loop_for(chosen)(state, (LANES + W - 1) / W, 20, 0.4, H, 20);
  bench_run_start(&r);
  CST_TRY(cst_stepper_advance(r.stepper, &r.batch, 20));
  for (long l = 0; l < LANES; l++)
    for (int i = 0; i < 4; i++)
      apart = fmax(apart, fabs(state[l / W * 8 * W + i * W + l % W] -
                               bench_component(&r, l, cst_stepper_layout(r.stepper)->q + i)));
  free(state);
  printf("double pendulum on springs   by hand %6.1f ns   zhang-skeel %6.1f ns   hand/ours %5.2f "
         "(0.60: %s)  "
         " apart after 20 steps %.1g\n",
         best, r.best, best / r.best, verdict(best / r.best, 0.6, true), apart);
  CST_TRY(bench_run_destroy(&r));
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  CST_TRY(chain(20, isa));
  CST_TRY(chain(200, isa));
  CST_TRY(springs(isa));
  CST_TRY(PetscFinalize());
  return 0;
}
