/* line-integral.c: the fourth part of `make bench`: cost and accuracy of a step of a line integral
 * method.
 *
 *   1. nanoseconds per step and lane against rattle, and iterations of the solver per step; the sized core
 *      against the generic one
 *   2. the parts of the time of hbvm(k=6, s=2): its residual against the kernels that it needs, k times dV
 *      and G, and, if there is one, its march against a hand-written loop (hand-line.c)
 *   3. work against precision: the processor time that a lane needs to reach T = 10 with a given error, for a
 *      sequence of steps, separately for q and p, since they converge with different orders; and the largest
 *      energy error at the same step
 *
 * Bounds are printed next to the values that have one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <petscsys.h>
#include "bench.h"
#include "solve/solver.h"
#include "tableau/tableau-collocation.h"
#include "tools.h"

enum { LANES = 256, STEPS = 100, FEW_LANES = 32 };
#define STEP 0.1
#define END  10.0
static const double most_cost = 18, least_speed = 0.5;

/* A start and how far the members of an ensemble are spread around it; the multiplier of the conical motion
 * is constant, so there it is next to nothing. */
typedef struct {
  const char *system, *state;
  double      spread;
} start;

static const start starts[] = {{"planar-pendulum", "default", 0.3},
                               {"spherical-pendulum", "conical", 1e-10},
                               {"spherical-pendulum", "default", 0.3},
                               {"modified-pendulum", "default", 0.1},
                               {"tethered-satellites", "default", 0.1}};
enum { STARTS = sizeof starts / sizeof *starts };

static cst_study *study_of(const start *at, long members) {
  return bench_members(at->system, at->state, members, at->spread);
}

static bench_run run_of(const cst_study *s, const char *method, long lanes, double h, long steps) {
  return (bench_run){.study = s,
                     .system = s->problem.system,
                     .method = method,
                     .lanes = lanes,
                     .h = h,
                     .steps = steps};
}

/* ---- 1. cost --------------------------------------------------------------------------------- */

static const char *const priced[] = {"rattle", "convert(gauss(2))", "hbvm(k=2, s=2)",
                                     "hbvm(k=6, s=2)", "hbvm(k=9, s=3)"};
enum { PRICED = sizeof priced / sizeof *priced, UNIT = 0, MAIN = 3 };

static const char *verdict(double ratio, double bound) { return ratio <= bound ? "ok" : "ABOVE"; }

/* Seconds of the steps of a run in the given core alone. */
static double time_core(bench_run *r, const cst_core *core) {
  const size_t size = cst_stepper_record_size(r->stepper);
  bench_run_start(r);
  const double t = bench_busy();
  for (int g = 0; g < r->batch.groups; g++)
    if (core->march(cst_stepper_march(r->stepper, r->batch.record),
                    r->batch.record + (size_t)g * size, r->steps)
            .reason != CST_DONE)
      abort();
  return bench_busy() - t;
}

/* How many times faster the core that is compiled for the system is. */
static double gain_of_sized(bench_run *r, int isa) {
  double sized = INFINITY, generic = INFINITY;
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    sized = fmin(sized, time_core(r, cst_substep_core(bench_row(r), r->system, isa)));
    generic = fmin(generic, time_core(r, cst_substep_generic(bench_row(r), isa)));
  }
  return generic / sized;
}

/* Nanoseconds a lane of k times the two kernels of a residual at the positions of the first group. */
static double time_kernels(const bench_run *r, int isa, int k) {
  enum { CALLS = 1000 };
  const cst_system *s = r->system;
  const double     *record = r->batch.record;
  const int         width = cst_stepper_width(r->stepper);
  const cst_layout *at = cst_stepper_layout(r->stepper);
  const void       *self = s->code->kernel_self[isa];
  double           *dV = bench_aligned((size_t)(s->nq * width)),
         *G = bench_aligned((size_t)(s->model->pattern[CST_K_G].n * width)), best = INFINITY;
  for (int round = 0; round < 10 * BENCH_ROUNDS; round++) {
    const double t = bench_busy();
    for (int call = 0; call < CALLS * k; call++) {
      s->code->kernel[isa][CST_K_dV](self, record + at->c * width, record + at->q * width, NULL,
                                     NULL, NULL, NULL, dV);
      s->code->kernel[isa][CST_K_G](self, record + at->c * width, record + at->q * width, NULL,
                                    NULL, NULL, NULL, G);
    }
    best = fmin(best, 1e9 * (bench_busy() - t) / (CALLS * width));
  }
  free(dV), free(G);
  return best;
}

/* The nodes of a line integral method. */
static int nodes_of(const bench_run *r) {
  cst_program *p = cst_program_create(r->parsed);
  const int    k =
      (int)p->step[0].row->size(p->step[0].data, r->system).each; /* it takes the force at each */
  cst_program_destroy(p);
  return k;
}

/* The pieces of a step of the run, and its residual against the kernels alone. */
static void print_pieces(bench_run *r, int isa) {
  double piece[BENCH_PIECES];
  bench_pieces(r, isa, piece);
  const double kernels = time_kernels(r, isa, nodes_of(r));
  printf("  a step of %s in the general core, ns: begin %.1f, a residual %.1f, a solution %.1f; "
         "residual/kernels alone %.1f\n",
         r->method, piece[BENCH_BEGIN], piece[BENCH_RESIDUAL], piece[BENCH_SOLUTION],
         piece[BENCH_RESIDUAL] / kernels);
}

/* The starts of all lanes as the hand-written loop has them. */
static double *hand_state(bench_run *r) {
  const cst_layout *at = cst_stepper_layout(r->stepper);
  const int         nq = r->system->nq, rows = 2 * nq + r->system->ng,
            width = cst_stepper_width(r->stepper);
  double *state = bench_aligned((size_t)(r->lanes * rows));
  bench_run_start(r);
  for (long l = 0; l < r->lanes; l++)
    for (int i = 0; i < 2 * nq; i++)
      state[(l / width * rows + i) * width + l % width] =
          bench_component(r, l, i < nq ? at->q + i : at->p + i - nq);
  return state;
}

static double time_hand(bench_run *r, hand_line_loop *loop, double *state) {
  const int k = nodes_of(r), s = cst_stepper_march(r->stepper, r->batch.record)->stages;
  double    weighted[2 * CST_MAX_NODES], integral[2 * CST_MAX_NODES], xi[3];
  if (s > 2)
    abort(); /* the loop has two */
  cst_legendre_line_tables(k, s, weighted, integral, xi);
  const double t = bench_busy();
  loop(state, r->batch.groups, weighted, integral, r->h, r->steps);
  return bench_busy() - t;
}

/* Largest difference of q from that of the hand-written loop, both at the end of a run. */
static double apart(const bench_run *r, const double *state) {
  const int nq = r->system->nq, rows = 2 * nq + r->system->ng,
            width = cst_stepper_width(r->stepper);
  double most = 0;
  for (long l = 0; l < r->lanes; l++)
    for (int i = 0; i < nq; i++)
      most = fmax(most, fabs(bench_component(r, l, cst_stepper_layout(r->stepper)->q + i) -
                             state[(l / width * rows + i) * width + l % width]));
  return most;
}

static void compare_with_hand(bench_run *r, int isa) {
  hand_line_loop *const loops[] = {hand_line_v2, hand_line_v3, hand_line_v4};
  double                core = INFINITY, hand = INFINITY, difference = 0;
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    double *state = hand_state(r);
    hand = fmin(hand, time_hand(r, loops[cst_isas[isa].width / 4], state));
    core = fmin(core, time_core(r, cst_substep_core(bench_row(r), r->system, isa)));
    difference = apart(r, state);
    free(state);
  }
  printf("  by hand %.1f ns: core/limit %.2f (%.2f: %s), difference after %ld steps %.0e\n",
         1e9 * hand / (double)(r->lanes * r->steps), hand / core, least_speed,
         hand / core >= least_speed ? "ok" : "BELOW", r->steps, difference);
}

static void print_cost(bench_run *r, double unit, int isa) {
  const bool is_line = strstr(r->method, "hbvm");
  printf("  %-18s %9.1f ns  %6.1f x rattle  %5.2f iterations", r->method, r->best, r->best / unit,
         bench_iterations(r));
  if (is_line)
    printf("  sized/generic %4.1f", gain_of_sized(r, isa));
  if (!strcmp(r->method, priced[MAIN]))
    printf("  (%.0f: %s)", most_cost, verdict(r->best / unit, most_cost));
  printf("\n");
}

static cst_error compare_costs(const start *at, int isa) {
  cst_study *s = study_of(at, LANES);
  bench_run  r[PRICED];
  for (int k = 0; k < PRICED; k++) {
    r[k] = run_of(s, priced[k], LANES, STEP, STEPS);
    CST_TRY(bench_run_create(&r[k], isa));
  }
  CST_TRY(bench_race(r, PRICED));
  printf("%s, %s\n", at->system, at->state);
  for (int k = 0; k < PRICED; k++)
    print_cost(&r[k], r[UNIT].best, isa);
  print_pieces(&r[MAIN], isa);
  if (!strcmp(at->system, "modified-pendulum"))
    compare_with_hand(&r[MAIN], isa);
  fflush(stdout);
  for (int k = 0; k < PRICED; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  cst_study_destroy(s);
  return 0;
}

/* ---- 3. work against precision --------------------------------------------------------------- */

static const char *const compared[] = {
    "rattle",         "compose(rattle, suzuki4)", "hbvm(k=6, s=2)",
    "hbvm(k=2, s=2)", "convert(gauss(2))",        "gauss(2)"};
static const double targets[] = {1e-4, 1e-6, 1e-8};
enum {
  COMPARED = sizeof compared / sizeof *compared,
  TARGETS = sizeof targets / sizeof *targets,
  MOST_RUNGS = 24
};
static const double longest = 0.8; /* seconds of a timing */

/* The errors of a state. */
enum { IN_Q, IN_P, STATE };
static const char *const letters[STATE] = {"q", "p"};

/* A run to the end: nanoseconds of a lane, and the root mean squares over the lanes of the largest error of a
 * coordinate. */
typedef struct {
  double time, error[STATE];
} rung;

typedef struct {
  rung   rung[MOST_RUNGS];
  int    n;
  double energy; /* largest error at h = STEP */
} ladder;

/* q and p of all lanes. */
static double *states(const bench_run *r) {
  const int         nq = r->system->nq;
  const cst_layout *at = cst_stepper_layout(r->stepper);
  double           *x = bench_aligned((size_t)(r->lanes * STATE * nq));
  for (long l = 0; l < r->lanes; l++)
    for (int i = 0; i < nq; i++) {
      x[(l * STATE + IN_Q) * nq + i] = bench_component(r, l, at->q + i);
      x[(l * STATE + IN_P) * nq + i] = bench_component(r, l, at->p + i);
    }
  return x;
}

static double *reference_of(const cst_study *s, int isa) {
  const double h = 0.05;
  bench_run    r = run_of(s, "gauss(8)", FEW_LANES, h, lround(END / h));
  if (bench_run_create(&r, isa) || bench_run_time(&r))
    abort();
  double *x = states(&r);
  if (bench_run_destroy(&r))
    abort();
  return x;
}

static void compare_states(const bench_run *r, const double *reference, double *error) {
  const int nq = r->system->nq;
  double   *x = states(r), sum[STATE] = {0};
  for (long k = 0; k < r->lanes * STATE; k++) {
    double most = 0;
    for (int i = 0; i < nq; i++)
      most = fmax(most, fabs(x[k * nq + i] - reference[k * nq + i]));
    sum[k % STATE] += most * most;
  }
  for (int k = 0; k < STATE; k++)
    error[k] = sqrt(sum[k] / (double)r->lanes);
  free(x);
}

/* Runs with steps of h; the short ones several times. */
static cst_error climb(bench_run *r, double h, const double *reference, rung *to) {
  double spent = 0;
  r->h = h, r->steps = lround(END / h), r->best = INFINITY;
  for (int round = 0; round < BENCH_ROUNDS && spent < longest / 8; round++) {
    const double t = bench_busy();
    CST_TRY(bench_run_time(r));
    spent += bench_busy() - t;
  }
  to->time = r->best * (double)r->steps;
  compare_states(r, reference, to->error);
  return 0;
}

static bool is_high_enough(const rung *x) {
  const double last = targets[TARGETS - 1];
  return (x->error[IN_Q] <= last && x->error[IN_P] <= last) || 2e-9 * x->time * FEW_LANES > longest;
}

static cst_error ladder_of(const cst_study *s, const char *method, const double *reference, int isa,
                           ladder *to) {
  bench_run    r = run_of(s, method, FEW_LANES, STEP, 1);
  bench_errors kept;
  double       h = 2 * STEP;
  CST_TRY(bench_run_create(&r, isa));
  CST_TRY(bench_run_errors(&r, END, &kept));
  to->energy = kept.largest[BENCH_ENERGY];
  for (to->n = 0; to->n < MOST_RUNGS; h /= 2) {
    CST_TRY(climb(&r, h, reference, &to->rung[to->n]));
    if (is_high_enough(&to->rung[to->n++]))
      break;
  }
  CST_TRY(bench_run_destroy(&r));
  return 0;
}

/* Microseconds of a lane with that error, on the line between the two rungs around it in logarithms; infinite
 * where none reaches it. */
static double time_at(const ladder *x, int of, double error) {
  int k = 0;
  while (k < x->n && x->rung[k].error[of] > error)
    k++;
  if (k == x->n)
    return INFINITY;
  if (k == 0)
    return 1e-3 * x->rung[0].time;
  const rung  *a = &x->rung[k - 1], *b = &x->rung[k];
  const double way = log(a->error[of] / error) / log(a->error[of] / b->error[of]);
  return 1e-3 * a->time * pow(b->time / a->time, way);
}

/* The order that the last two rungs above the smallest target show. */
static double slope(const ladder *x, int of) {
  int k = x->n - 1;
  while (k > 1 && x->rung[k].error[of] < targets[TARGETS - 1])
    k--;
  return log2(x->rung[k - 1].error[of] / x->rung[k].error[of]);
}

/* Times of all methods at one target; the least is marked. */
static void print_time(const ladder *all, int k, int of, double target) {
  const double own = time_at(&all[k], of, target);
  double       least = INFINITY;
  for (int m = 0; m < COMPARED; m++)
    least = fmin(least, time_at(&all[m], of, target));
  if (isinf(own))
    printf("       -  ");
  else
    printf(" %8.*f%c", own < 100 ? 1 : 0, own, own == least ? '*' : ' ');
}

static void print_ladders(const ladder *all) {
  printf("  %-26s", "");
  for (int of = 0; of < STATE; of++) {
    for (int k = 0; k < TARGETS; k++)
      printf("  %s %.0e ", letters[of], targets[k]);
    printf(" order ");
  }
  printf(" energy at h = %g\n", STEP);
  for (int m = 0; m < COMPARED; m++) {
    printf("  %-26s", compared[m]);
    for (int of = 0; of < STATE; of++) {
      for (int k = 0; k < TARGETS; k++)
        print_time(all, m, of, targets[k]);
      printf(" %5.1f ", slope(&all[m], of));
    }
    printf(" %.1e\n", all[m].energy);
  }
}

static cst_error compare_precision(const start *at, int isa) {
  cst_study *s = study_of(at, FEW_LANES);
  double    *reference = reference_of(s, isa);
  ladder     all[COMPARED];
  for (int k = 0; k < COMPARED; k++)
    CST_TRY(ladder_of(s, compared[k], reference, isa, &all[k]));
  printf("%s, %s\n", at->system, at->state);
  print_ladders(all);
  fflush(stdout);
  free(reference);
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  printf("\nline integrals: a step of one lane, h = %g, %s; best of %d\n", STEP, cst_isas[isa].name,
         BENCH_ROUNDS);
  for (int k = 0; k < STARTS; k++)
    CST_TRY(compare_costs(&starts[k], isa));
  printf("\nline integrals: us of a lane to T = %g at equal error (least marked *), and the "
         "largest relative "
         "error of the energy\n",
         END);
  for (int k = 0; k < STARTS; k++)
    CST_TRY(compare_precision(&starts[k], isa));
  return PetscFinalize();
}
