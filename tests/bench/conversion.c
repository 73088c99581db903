/* conversion.c: the third part of `make bench`: the cost of a conversion, and from which run length on it is
 * the cheaper way to a given error.
 *
 *   1. nanoseconds per step and lane against project(rk4), and iterations of the solver per step; at a fifth of the
 *      step too
 *   2. where the time of convert(rk4, bias=-0.5) goes: the pieces of a step, each timed by itself
 *   3. the length of a run from which on the converted method is cheaper than the projected one at equal
 *      error: with R the ratio of their costs, project(rk4) may take steps of h / R. Its energy drifts there
 *      by s_E per unit of time, its momentum by s_J; the converted method's energy error e is bounded and its
 *      momentum exact. They meet at T = e / s, relative to the scales of both.
 *   4. constraints on velocities, forces and a time, compared with the conversion on a system with the same
 *      numbers of coordinates and constraints but without these, and with equally large forces, because these
 *      determine the number of iterations: 9.81 for the damped pendulum, g + a w^2 for the driven one. The
 *      first column includes kernels with sines and cosines.
 *
 * Bounds are printed next to the values that have one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <petscsys.h>
#include "method/stepper/stepper.h"
#include "solve/solver.h"
#include "tools.h"

enum { LANES = 256, STEPS = 100, HORIZON = 100 };
#define STEP 0.1
static const double most_cost = 50;

/* ---- 1. and 2. cost -------------------------------------------------------------------------- */

typedef struct {
  const char   *method;
  cst_iteration iteration;
} variant;

static const variant variants[] = {{"project(rk4)", CST_ITERATION_AUTO},
                                   {"compose(rattle, suzuki4)", CST_ITERATION_AUTO},
                                   {"convert(rk4, bias=-0.5)", CST_ITERATION_AUTO},
                                   {"convert(rk4, bias=-0.5)", CST_ITERATION_NEWTON},
                                   {"convert(rk4, bias=-0.5)", CST_ITERATION_CHORD},
                                   {"convert(rk4, bias=-0.5)", CST_ITERATION_KRYLOV},
                                   {"convert(rk4)", CST_ITERATION_AUTO},
                                   {"convert(gauss(2), bias=-0.5)", CST_ITERATION_AUTO},
                                   {"convert(taylor(4), bias=-0.5)", CST_ITERATION_AUTO}};
enum {
  VARIANTS = sizeof variants / sizeof *variants,
  PROJECTED = 0,
  CONVERTED = 2,
  CONVERTED_RIGHT = 6
};
static const char *const iteration_names[] = {"", "simplified", "newton", "chord", "krylov"};

static bench_run run_of(const cst_study *s, int k, double h) {
  return (bench_run){.study = s,
                     .system = s->problem.system,
                     .method = variants[k].method,
                     .iteration = variants[k].iteration,
                     .lanes = LANES,
                     .h = h,
                     .steps = STEPS};
}

static void print_verdict(double cost, double aim) {
  printf("  (%.0f: %s; aim %.0f%s)", most_cost, cost > most_cost ? "ABOVE" : "ok", aim,
         cost > aim ? " missed" : "");
}

/* Times all, and returns what the conversion costs, with project(rk4) as the unit. */
static cst_error time_variants(const cst_study *s, double aim, int isa, double *cost) {
  bench_run r[VARIANTS];
  double    piece[BENCH_PIECES];
  for (int k = 0; k < VARIANTS; k++) {
    r[k] = run_of(s, k, STEP);
    CST_TRY(bench_run_create(&r[k], isa));
  }
  CST_TRY(bench_race(r, VARIANTS));
  *cost = r[CONVERTED].best / r[PROJECTED].best;
  for (int k = 0; k < VARIANTS; k++) {
    printf("  %-30s %-10s %9.1f ns  %6.1f x project(rk4)  %5.2f iterations", variants[k].method,
           iteration_names[variants[k].iteration], r[k].best, r[k].best / r[PROJECTED].best,
           bench_iterations(&r[k]));
    if (k == CONVERTED)
      print_verdict(*cost, aim);
    printf("\n");
  }
  bench_pieces(&r[CONVERTED], isa, piece);
  printf("  a step of convert(rk4, bias=-0.5) in the general core, ns: predictor and matrix %.0f, "
         "a residual "
         "%.0f, a solution "
         "%.0f, the end %.0f\n",
         piece[BENCH_BEGIN], piece[BENCH_RESIDUAL], piece[BENCH_SOLUTION], piece[BENCH_FINISH]);
  fflush(stdout);
  for (int k = 0; k < VARIANTS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  return 0;
}

/* The same at short steps, where unknowns are predicted best. */
static cst_error time_short_steps(const cst_study *s, int isa) {
  const int chosen[] = {PROJECTED, CONVERTED_RIGHT, CONVERTED};
  enum { CHOSEN = sizeof chosen / sizeof *chosen };
  bench_run r[CHOSEN];
  for (int k = 0; k < CHOSEN; k++) {
    r[k] = run_of(s, chosen[k], STEP / 5);
    CST_TRY(bench_run_create(&r[k], isa));
  }
  CST_TRY(bench_race(r, CHOSEN));
  printf("  h = %g:", STEP / 5);
  for (int k = 0; k < CHOSEN; k++) {
    printf("%s %s %.1f ns", k ? "," : "", r[k].method, r[k].best);
    if (k)
      printf(", %.1f x, %.2f iterations", r[k].best / r[0].best, bench_iterations(&r[k]));
    CST_TRY(bench_run_destroy(&r[k]));
  }
  printf("\n");
  fflush(stdout);
  return 0;
}

/* ---- 3. work against precision --------------------------------------------------------------- */

static cst_error errors_of(const cst_study *s, int k, double h, int isa, bench_errors *e) {
  bench_run r = run_of(s, k, h);
  CST_TRY(bench_run_create(&r, isa));
  CST_TRY(bench_run_errors(&r, HORIZON, e));
  CST_TRY(bench_run_destroy(&r));
  return 0;
}

static cst_error compare_precision(const cst_study *s, int isa, double ratio) {
  bench_errors converted, projected;
  CST_TRY(errors_of(s, CONVERTED, STEP, isa, &converted));
  CST_TRY(errors_of(s, PROJECTED, STEP / ratio, isa, &projected));
  const double error = converted.largest[BENCH_ENERGY],
               energy = projected.last[BENCH_ENERGY] / HORIZON,
               momentum = projected.last[BENCH_MOMENTUM] / HORIZON;
  printf(
      "  energy error %.2g, bounded; project(rk4) with steps of h / %.1f drifts by %.2g in energy",
      error, ratio, energy);
  if (s->problem.system->nsym > 0)
    printf(", %.2g in momentum", momentum);
  printf(" a unit of time\n  at equal energy error the conversion is the cheaper one from T = %.0f "
         "on (%.0f "
         "steps)",
         error / energy, error / energy / STEP);
  if (s->problem.system->nsym > 0)
    printf("; with a momentum error of the same size too, from T = %.0f",
           error / fmax(energy, momentum));
  printf("\n");
  fflush(stdout);
  return 0;
}

/* ---- 4. wheels and forces -------------------------------------------------------------------- */

static const struct {
  const char *system, *method, *beside;
} equal_sizes[] = {
    {"nonholonomic-oscillator", "lagrange-dalembert(rk4, bias=-0.5)", "spherical-pendulum"},
    {"chaplygin-sleigh", "lagrange-dalembert(rk4, bias=-0.5)", "spherical-pendulum"},
    {"rolling-disk", "lagrange-dalembert(rk4, bias=-0.5)", "double-pendulum"},
    {"kapitza", "convert(rk4, bias=-0.5)", "{name: planar-pendulum, parameters: {g: 15.7}}"},
    {"damped-double-pendulum", "convert(rk4, bias=-0.5)",
     "{name: double-pendulum, parameters: {g: 9.81}}"}};
enum { EQUAL_SIZES = sizeof equal_sizes / sizeof *equal_sizes };

static cst_error compare_sizes(int k, int isa) {
  const double bound = 1.3;
  cst_study   *s[2] = {bench_members(equal_sizes[k].system, "default", LANES, 0.01),
                       bench_members(equal_sizes[k].beside, "default", LANES, 0.01)};
  bench_run    r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = run_of(s[i], CONVERTED, STEP / 5);
    if (i == 0)
      r[i].method = equal_sizes[k].method;
    CST_TRY(bench_run_create(&r[i], isa));
  }
  CST_TRY(bench_race(r, 2));
  const double ratio = r[0].best / r[1].best;
  printf("  %-24s %-35s %9.1f ns  %5.2f x %s (%.1f: %s), %.2f and %.2f iterations\n",
         equal_sizes[k].system, equal_sizes[k].method, r[0].best, ratio, equal_sizes[k].beside,
         bound, ratio <= bound ? "ok" : "ABOVE", bench_iterations(&r[0]), bench_iterations(&r[1]));
  fflush(stdout);
  for (int i = 0; i < 2; i++) {
    CST_TRY(bench_run_destroy(&r[i]));
    cst_study_destroy(s[i]);
  }
  return 0;
}

/* aim: at most so many times project(rk4). */
static cst_error bench_system(const char *name, double spread, double aim, bool precision,
                              int isa) {
  cst_study *s = bench_members(name, "default", LANES, spread);
  double     cost;
  printf("%s, h = %g\n", name, STEP);
  CST_TRY(time_variants(s, aim, isa, &cost));
  CST_TRY(time_short_steps(s, isa));
  if (precision)
    CST_TRY(compare_precision(s, isa, cost));
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  printf("\nconversions: a step of one lane, %s; best of %d\n", cst_isas[isa].name, BENCH_ROUNDS);
  printf("wheels, forces, time, against convert(rk4, bias=-0.5) on a system of the same size, h = "
         "%g\n",
         STEP / 5);
  for (int k = 0; k < EQUAL_SIZES; k++)
    CST_TRY(compare_sizes(k, isa));
  CST_TRY(bench_system("planar-pendulum", 0.1, 12, false, isa));
  CST_TRY(bench_system("spherical-pendulum", 0.3, 12, true, isa));
  CST_TRY(bench_system("double-pendulum", 0.1, 12, true, isa));
  CST_TRY(bench_system("rigid-body", 0.1, 20, false, isa));
  CST_TRY(bench_system("heavy-top", 0.1, 20, false, isa));
  return PetscFinalize();
}
