/* conversion.c: the third part of `make bench`: what a conversion costs, and from when on it is the cheaper way to a given error.
 *
 *   1. nanoseconds of a step of one lane against project(rk4), and iterations of the solver a step
 *   2. where the time of convert(rk4, bias=-0.5) goes: the pieces of a step, each timed by itself
 *   3. the length of a run from which on the converted method is cheaper than the projected one at equal error: with R the ratio of their
 *      costs, project(rk4) may take steps of h / R. Its energy drifts there by s_E a unit of time, its momentum by s_J; the converted
 *      method's energy error e is bounded and its momentum exact. They meet at T = e / s, relative to the scales of both.
 *
 * Rounds are interleaved, the minimum of each is kept, and only ratios within one run count; bounds are printed beside what has one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <petscsys.h>
#include "method/cores.h"
#include "method/stepper.h"
#include "solve/solver.h"
#include "tools.h"

enum { ROUNDS = 5, LANES = 256, STEPS = 100, HORIZON = 100, LOOKS = 400 };
#define STEP 0.1
static const double most_cost = 100, aim = 40;

/* One method on the members of one study. */
typedef struct {
  const cst_study *study;
  cst_method      *method;
  cst_stepper     *stepper;
  cst_batch        batch;
} run;

static PetscErrorCode run_create(const cst_study *s, const char *method, cst_iteration iteration, int isa, run *r) {
  cst_expr_error e;
  PetscFunctionBegin;
  *r = (run){.study = s, .method = bench_need(cst_method_parse(method, NULL, &e))};
  PetscCall(cst_stepper_create(r->method, s->system, &(cst_stepper_options){isa, LANES / cst_isas[isa].width, 50, false, iteration},
                               &r->stepper));
  PetscCall(cst_batch_create(r->stepper, &r->batch));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_destroy(run *r) {
  PetscFunctionBegin;
  PetscCall(cst_batch_destroy(&r->batch));
  PetscCall(cst_stepper_destroy(&r->stepper));
  cst_method_destroy(r->method);
  PetscFunctionReturn(0);
}

static void run_start(run *r, double h) {
  const cst_study *s = r->study;
  double          *q = bench_aligned((size_t)s->system->nq), *v = bench_aligned((size_t)s->system->nq);
  cst_batch_reset(r->stepper, &r->batch, LANES);
  for (long l = 0; l < LANES; l++) {
    if (!cst_study_member(s, 0, l, q, v)) abort();
    cst_batch_start(r->stepper, &r->batch, l, s->parameter, q, v, 1e-14);
  }
  cst_batch_ready(r->stepper, &r->batch);
  cst_stepper_set_step(r->stepper, h);
  free(q), free(v);
}

static PetscErrorCode run_time(run *r, double *best) {
  PetscFunctionBegin;
  run_start(r, STEP);
  double t = bench_now();
  PetscCall(cst_stepper_advance(r->stepper, &r->batch, STEPS));
  *best = fmin(*best, 1e9 * (bench_now() - t) / ((double)STEPS * LANES));
  PetscFunctionReturn(0);
}

static double component(const run *r, long lane, int which) {
  return cst_batch_lane(r->stepper, &r->batch, lane)[which * cst_stepper_width(r->stepper)];
}

static double iterations(const run *r) {
  double sum = 0;
  for (long l = 0; l < LANES; l++) sum += component(r, l, cst_stepper_layout(r->stepper)->iterations);
  return sum / ((double)LANES * STEPS);
}

/* ---- 1. and 2. cost ------------------------------------------------------------------------------------------------------------ */

static double *space_for(size_t n) { return bench_aligned(n * CST_W_MAX); }

/* Nanoseconds a lane of the pieces of one step: predictor and matrix; a residual; the solution with the matrix; the end. */
static void time_pieces(run *r, int isa, double *piece) {
  const cst_context *C = cst_stepper_context(r->stepper);
  const cst_core    *core = cst_core_for(CST_CORE_convert, C->system, isa);
  const int          width = cst_stepper_width(r->stepper);
  double            *x = space_for((size_t)C->unknowns), *f = space_for((size_t)C->unknowns), *d = space_for((size_t)C->unknowns), *copy;
  cst_scratch       *scratch = (cst_scratch *)bench_aligned(sizeof *scratch / sizeof(double));
  const size_t       size = cst_stepper_record_size(r->stepper);
  double             best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  copy = bench_aligned(size);
  run_start(r, STEP);
  for (int round = 0; round < 40 * ROUNDS; round++) {
    double t[5];
    for (size_t i = 0; i < size; i++) copy[i] = r->batch.record[i];
    t[0] = bench_now();
    core->begin(C, copy, 0, x, scratch);
    t[1] = bench_now();
    core->residual(C, copy, 0, x, f, scratch);
    t[2] = bench_now();
    core->direction(C, copy, 0, x, f, d, scratch);
    t[3] = bench_now();
    core->finish(C, copy, 0, x);
    t[4] = bench_now();
    for (int k = 0; k < 4; k++) best[k] = fmin(best[k], 1e9 * (t[k + 1] - t[k]) / width);
  }
  piece[0] = best[0], piece[1] = best[1] - best[0], piece[2] = best[2] - best[1], piece[3] = best[3] - best[1];
  free(x), free(f), free(d), free(copy), free(scratch);
}

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
enum { VARIANTS = sizeof variants / sizeof *variants, PROJECTED = 0, CONVERTED = 2 };
static const char *const iteration_names[] = {"", "simplified", "newton", "chord", "krylov"};

static PetscErrorCode time_variants(const cst_study *s, int isa, double *best) {
  run    r[VARIANTS];
  double piece[4];
  PetscFunctionBegin;
  for (int k = 0; k < VARIANTS; k++) {
    PetscCall(run_create(s, variants[k].method, variants[k].iteration, isa, &r[k]));
    best[k] = INFINITY;
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < VARIANTS; k++) PetscCall(run_time(&r[k], &best[k]));
  for (int k = 0; k < VARIANTS; k++)
    printf("  %-30s %-10s %9.1f ns  %6.1f x project(rk4)  %5.2f iterations%s\n", variants[k].method, iteration_names[variants[k].iteration],
           best[k], best[k] / best[PROJECTED], iterations(&r[k]),
           k != CONVERTED                          ? ""
           : best[k] > most_cost * best[PROJECTED] ? "   ABOVE 100"
           : best[k] > aim * best[PROJECTED]       ? "   ok (100; aim 40 missed)"
                                                   : "   ok (100; aim 40)");
  time_pieces(&r[CONVERTED], isa, piece);
  printf("  a step of convert(rk4, bias=-0.5), ns: predictor and matrix %.0f, a residual %.0f, a solution %.0f, the end %.0f\n", piece[0],
         piece[1], piece[2], piece[3]);
  fflush(stdout);
  for (int k = 0; k < VARIANTS; k++) PetscCall(run_destroy(&r[k]));
  PetscFunctionReturn(0);
}

/* ---- 3. work against precision -------------------------------------------------------------------------------------------------- */

/* Energy and, where there is one, the first momentum map of lane l, with their scales. */
static void measure(const run *r, long l, double *value, double *scale) {
  const cst_system *s = r->study->system;
  const cst_layout *at = cst_stepper_layout(r->stepper);
  double           *q = bench_aligned((size_t)(3 * s->nq)), *p = q + s->nq, *v = p + s->nq, T = 0, V;
  for (int i = 0; i < s->nq; i++) q[i] = component(r, l, at->q + i), p[i] = component(r, l, at->p + i);
  cst_system_velocity(s, r->study->parameter, q, p, v);
  cst_system_eval(s, CST_K_V, r->study->parameter, q, NULL, NULL, NULL, NULL, &V);
  for (int i = 0; i < s->nq; i++) T += 0.5 * p[i] * v[i];
  value[0] = T + V, scale[0] = fabs(T) + fabs(V);
  value[1] = scale[1] = 0;
  if (s->nsym > 0) {
    double *all = bench_aligned((size_t)(s->nsym * s->nq));
    cst_system_matrix(s, CST_K_xi, r->study->parameter, q, NULL, all);
    for (int i = 0; i < s->nq; i++) value[1] += p[i] * all[i], scale[1] += fabs(p[i] * all[i]);
    free(all);
  }
  free(q);
}

/* Root mean square over the lanes of the relative errors: the largest of the run, and at its end. */
static PetscErrorCode errors(run *r, double h, double *largest, double *last) {
  const long steps = lround(HORIZON / h), look = steps / LOOKS > 0 ? steps / LOOKS : 1;
  double     start[LANES][2], scale[LANES][2] = {{0}}, value[2], size[2];
  PetscFunctionBegin;
  run_start(r, h);
  for (long l = 0; l < LANES; l++) measure(r, l, start[l], scale[l]);
  largest[0] = largest[1] = 0;
  for (long n = 0; n < steps; n += look) {
    PetscCall(cst_stepper_advance(r->stepper, &r->batch, look < steps - n ? look : steps - n));
    double sum[2] = {0};
    for (long l = 0; l < LANES; l++) {
      measure(r, l, value, size);
      for (int k = 0; k < 2; k++) {
        scale[l][k] = fmax(scale[l][k], size[k]);
        if (scale[l][k] > 0) sum[k] += pow((value[k] - start[l][k]) / scale[l][k], 2);
      }
    }
    for (int k = 0; k < 2; k++) last[k] = sqrt(sum[k] / LANES), largest[k] = fmax(largest[k], last[k]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode compare_precision(const cst_study *s, int isa, double ratio) {
  run    projected, converted;
  double e[2], unused[2], drift[2], most[2];
  PetscFunctionBegin;
  PetscCall(run_create(s, variants[PROJECTED].method, CST_ITERATION_AUTO, isa, &projected));
  PetscCall(run_create(s, variants[CONVERTED].method, CST_ITERATION_AUTO, isa, &converted));
  PetscCall(errors(&converted, STEP, e, unused));
  PetscCall(errors(&projected, STEP / ratio, most, drift));
  printf("  energy error %.2g, bounded; project(rk4) with steps of h / %.1f drifts by %.2g in energy", e[0], ratio, drift[0] / HORIZON);
  if (s->system->nsym > 0) printf(", %.2g in momentum", drift[1] / HORIZON);
  printf(" a unit of time\n  at equal energy error the conversion is the cheaper one from T = %.0f on (%.0f steps)",
         e[0] * HORIZON / drift[0], e[0] * HORIZON / drift[0] / STEP);
  if (s->system->nsym > 0) printf("; with a momentum error of the same size too, from T = %.0f", e[0] * HORIZON / fmax(drift[0], drift[1]));
  printf("\n");
  fflush(stdout);
  PetscCall(run_destroy(&projected));
  PetscCall(run_destroy(&converted));
  PetscFunctionReturn(0);
}

static PetscErrorCode bench_system(const char *name, double spread, bool precision, int isa) {
  char   text[512];
  double best[VARIANTS];
  PetscFunctionBegin;
  snprintf(text, sizeof text,
           "study: conservation\nsystem: %s\ninitial: {members: %d, seed: 1, spread: {q: %g, v: %g}}\nend: 100\nsteps: [0.1]\n"
           "methods: [rattle]\n",
           name, LANES, spread, spread);
  cst_study *s = bench_study(text);
  printf("%s, h = %g\n", name, STEP);
  PetscCall(time_variants(s, isa, best));
  if (precision) PetscCall(compare_precision(s, isa, best[CONVERTED] / best[PROJECTED]));
  cst_study_destroy(s);
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  const char *reason;
  int         isa = cst_isa_choose(&reason);
  if (isa < 0) return fprintf(stderr, "%s\n", reason), 2;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(cst_solver_register());
  printf("\nconversions: a step of one lane, %s; best of %d\n", cst_isas[isa].name, ROUNDS);
  PetscCall(bench_system("spherical-pendulum", 0.3, true, isa));
  PetscCall(bench_system("double-pendulum", 0.1, true, isa));
  PetscCall(bench_system("rigid-body", 0.1, false, isa));
  return PetscFinalize();
}
