/* tools.c: see tools.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools.h"
#include "solve/solver.h"
#include "system/compile/compile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ITERATIONS = 50, LOOKS = 400, CALLS = 32 };

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cst_error bench_open(int *argc, char ***argv, int *isa) {
  const char *reason;
  *isa = cst_isa_choose(&reason);
  if (*isa < 0)
    fprintf(stderr, "%s\n", reason), exit(2);
  CST_TRY(PetscInitialize(argc, argv, NULL, NULL));
  CST_TRY(cst_solver_register());
  return 0;
}

double bench_now(void) { return seconds(CLOCK_MONOTONIC); }
double bench_busy(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

void *bench_need(void *p) {
  if (!p)
    abort();
  return p;
}

double *bench_aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, n * sizeof(double)))
    abort();
  memset(p, 0, n * sizeof(double));
  return p;
}

cst_study *bench_study(const char *text) {
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("bench", text, strlen(text), cst_reader_share_alone, d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return bench_need(s);
}

cst_study *bench_members(const char *system, const char *state, long members, double spread) {
  char text[8192];
  snprintf(text, sizeof text,
           "study: conservation\nsystem: %s\ninitial: {members: %ld, seed: 1, around: %s, spread: "
           "{q: %g, v: "
           "%g}}\nend: 1\nsteps: [0.1]\n"
           "methods: [rk4]\n",
           system, members, state, spread, spread);
  return bench_study(text);
}

/* ---- hand-written loops ---------------------------------------------------------------------- */

void bench_hand_fill(const cst_study *s, double *state, int width, long lanes) {
  const cst_system *sys = s->problem.system;
  const int         rows = 2 * sys->nq + sys->ng;
  double            q[CST_MAX_Q], v[CST_MAX_Q], mass[CST_MAX_Q];
  memset(state, 0, sizeof *state * (size_t)(rows * lanes));
  for (long l = 0; l < lanes; l++) {
    cst_study_member(s, 0, l, q, v);
    cst_system_eval(sys, CST_K_mass, s->problem.parameter, q, NULL, NULL, NULL, NULL, mass);
    double *x = state + (size_t)(l / width) * (size_t)(rows * width) + l % width;
    for (int i = 0; i < sys->nq; i++)
      x[i * width] = q[i], x[(sys->nq + i) * width] = mass[sys->model->mass_class[i]] * v[i];
  }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static cst_method *method_of(const char *text) {
  cst_expr_error e;
  cst_method    *m = cst_method_parse(text, NULL, &e);
  if (!m)
    fprintf(stderr, "%s: %s\n", text, e.message);
  return bench_need(m);
}

/* The cores that a long study compiles for a system of the catalogue. */
static void add_cores(const cst_prepared *p, cst_system *s, int isa) {
  enum { MOST = 16 };
  const char *cores[MOST + 1] = {NULL};
  cst_code    code;
  char        why[CST_WHY];
  if (p->stepped != s || !s->code->compiled[isa])
    return;
  cst_program_cores(p->program, cores, 0, MOST);
  if (!cst_compile_adds(s, isa, cores))
    return;
  if (!cst_compile(s, isa, cores, false, &code, why) || !cst_load_code(s, &code, why))
    fprintf(stderr, "%s\n", why), exit(1);
  cst_compile_free(&code);
}

cst_error bench_run_create(bench_run *r, int isa) {
  const int width = cst_isas[isa].width, groups = (int)((r->lanes + width - 1) / width);
  r->parsed = method_of(r->method);
  r->prepared = cst_method_prepare(r->parsed, r->system);
  add_cores(r->prepared, r->system, isa);
  r->best = INFINITY;
  CST_TRY(cst_stepper_create(
      r->prepared,
      &(cst_stepper_options){isa, groups, MOST_ITERATIONS, false, r->iteration, false, false, r->h},
      &r->stepper));
  CST_TRY(cst_batch_create(r->stepper, &r->batch));
  return 0;
}

cst_error bench_run_destroy(bench_run *r) {
  CST_TRY(cst_batch_destroy(&r->batch));
  CST_TRY(cst_stepper_destroy(&r->stepper));
  cst_program_prepared_destroy(r->prepared);
  cst_method_destroy(r->parsed);
  return 0;
}

void bench_run_start(bench_run *r) {
  const cst_study *s = r->study;
  double          *q = bench_aligned((size_t)s->problem.system->nq),
         *v = bench_aligned((size_t)s->problem.system->nq);
  cst_batch_reset(r->stepper, &r->batch, r->lanes);
  cst_stepper_set_step(r->stepper, r->h);
  for (long l = 0; l < r->lanes; l++) {
    if (!cst_study_member(s, 0, l, q, v))
      abort();
    cst_batch_start(r->stepper, &r->batch, l, s->problem.parameter, q, v, 1e-14);
  }
  cst_batch_ready(r->stepper, &r->batch);
  free(q), free(v);
}

cst_error bench_run_time(bench_run *r) {
  bench_run_start(r);
  double t = bench_busy();
  CST_TRY(cst_stepper_advance(r->stepper, &r->batch, r->steps));
  r->best = fmin(r->best, 1e9 * (bench_busy() - t) / ((double)r->steps * (double)r->lanes));
  return 0;
}

cst_error bench_race(bench_run *r, int n) {
  for (int round = 0; round < BENCH_ROUNDS; round++)
    for (int k = 0; k < n; k++)
      CST_TRY(bench_run_time(&r[k]));
  return 0;
}

double bench_component(const bench_run *r, long lane, int row) {
  return cst_batch_lane(r->stepper, &r->batch, lane)[row * cst_stepper_width(r->stepper)];
}

double bench_iterations(const bench_run *r) {
  double sum = 0;
  for (long l = 0; l < r->lanes; l++)
    sum += bench_component(r, l, cst_stepper_layout(r->stepper)->iterations);
  return sum / ((double)r->lanes * (double)r->batch.step);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* What the pieces work on: a record for every call that ends a step. */
typedef struct {
  const cst_core  *core;
  const cst_march *march;
  double          *record[CALLS], *x, *f, *d;
  cst_scratch     *scratch;
} pieces;

static void call_piece(const pieces *p, int piece, int call) {
  switch (piece) {
  case BENCH_BEGIN:
    p->core->begin(p->march, p->record[call], 0, p->x, p->scratch);
    break;
  case BENCH_RESIDUAL:
    p->core->residual(p->march, p->record[call], 0, p->x, p->f, p->scratch);
    break;
  case BENCH_SOLUTION:
    p->core->direction(p->march, p->record[call], 0, p->x, p->f, p->d, p->scratch);
    break;
  default:
    p->core->finish(p->march, p->record[call], 0, p->x);
  }
}

static double time_piece(const pieces *p, int piece) {
  const double t = bench_busy();
  for (int call = 0; call < CALLS; call++)
    call_piece(p, piece, call);
  return 1e9 * (bench_busy() - t) / CALLS;
}

/* Every piece loads the record and begins the step again; all but the first evaluate a residual. */
static void separate(const double *best, int width, double *piece) {
  for (int k = 0; k < BENCH_PIECES; k++)
    piece[k] =
        (best[k] - (k ? best[k < BENCH_SOLUTION ? BENCH_BEGIN : BENCH_RESIDUAL] : 0)) / width;
}

const cst_substep_row *bench_row(const bench_run *r) {
  cst_program           *p = cst_program_create(r->parsed);
  const cst_substep_row *row = p->step[0].row;
  cst_program_destroy(p);
  return row;
}

void bench_pieces(bench_run *r, int isa, double piece[BENCH_PIECES]) {
  bench_run_start(r);
  const cst_march *m = cst_stepper_march(r->stepper, r->batch.record);
  const size_t     size = cst_stepper_record_size(r->stepper),
               unknowns = (size_t)m->unknowns * CST_W_MAX;
  const cst_core *sized = cst_substep_core(bench_row(r), r->system, isa);
  pieces p = {.core = sized->begin ? sized : cst_substep_generic(bench_row(r), isa), .march = m};
  double best[BENCH_PIECES] = {INFINITY, INFINITY, INFINITY, INFINITY};
  p.x = bench_aligned(unknowns), p.f = bench_aligned(unknowns), p.d = bench_aligned(unknowns);
  p.scratch = (cst_scratch *)bench_aligned(sizeof *p.scratch / sizeof(double));
  for (int call = 0; call < CALLS; call++)
    p.record[call] = bench_aligned(size);
  for (int round = 0; round < 10 * BENCH_ROUNDS; round++) {
    for (int call = 0; call < CALLS; call++)
      memcpy(p.record[call], r->batch.record, size * sizeof(double));
    for (int k = 0; k < BENCH_PIECES; k++)
      best[k] = fmin(best[k], time_piece(&p, k));
  }
  separate(best, cst_stepper_width(r->stepper), piece);
  for (int call = 0; call < CALLS; call++)
    free(p.record[call]);
  free(p.x), free(p.f), free(p.d), free(p.scratch);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* What a lane keeps: values, and the sizes of the terms that they are sums of. */
typedef struct {
  double value[BENCH_KEPT], size[BENCH_KEPT];
} kept;

static kept measure(const bench_run *r, long l) {
  const cst_system *s = r->system;
  const cst_layout *at = cst_stepper_layout(r->stepper);
  double *q = bench_aligned((size_t)(3 * s->nq)), *p = q + s->nq, *v = p + s->nq, T = 0, V;
  kept    x = {{0}, {0}};
  for (int i = 0; i < s->nq; i++)
    q[i] = bench_component(r, l, at->q + i), p[i] = bench_component(r, l, at->p + i);
  cst_system_velocity(s, r->study->problem.parameter, q, p, v);
  cst_system_eval(s, CST_K_V, r->study->problem.parameter, q, NULL, NULL, NULL, NULL, &V);
  for (int i = 0; i < s->nq; i++)
    T += 0.5 * p[i] * v[i];
  x.value[BENCH_ENERGY] = T + V, x.size[BENCH_ENERGY] = fabs(T) + fabs(V);
  if (s->nsym > 0) {
    double *all = bench_aligned((size_t)(s->nsym * s->nq));
    cst_system_matrix(s, CST_K_xi, r->study->problem.parameter, q, NULL, all);
    for (int i = 0; i < s->nq; i++)
      x.value[BENCH_MOMENTUM] += p[i] * all[i], x.size[BENCH_MOMENTUM] += fabs(p[i] * all[i]);
    free(all);
  }
  free(q);
  return x;
}

/* Root mean squares of what has changed since the start; the scale of a lane, start's size, is the largest
 * that it has met. */
static void compare(const bench_run *r, kept *start, double *error) {
  double sum[BENCH_KEPT] = {0};
  for (long l = 0; l < r->lanes; l++) {
    const kept now = measure(r, l);
    for (int k = 0; k < BENCH_KEPT; k++) {
      start[l].size[k] = fmax(start[l].size[k], now.size[k]);
      if (start[l].size[k] > 0)
        sum[k] += pow((now.value[k] - start[l].value[k]) / start[l].size[k], 2);
    }
  }
  for (int k = 0; k < BENCH_KEPT; k++)
    error[k] = sqrt(sum[k] / (double)r->lanes);
}

cst_error bench_run_errors(bench_run *r, double end, bench_errors *e) {
  const long steps = lround(end / r->h), look = steps / LOOKS > 0 ? steps / LOOKS : 1;
  kept      *start = bench_need(malloc(sizeof *start * (size_t)r->lanes));
  *e = (bench_errors){{0}, {0}};
  bench_run_start(r);
  for (long l = 0; l < r->lanes; l++)
    start[l] = measure(r, l);
  for (long n = 0; n < steps; n += look) {
    CST_TRY(cst_stepper_advance(r->stepper, &r->batch, look < steps - n ? look : steps - n));
    compare(r, start, e->last);
    for (int k = 0; k < BENCH_KEPT; k++)
      e->largest[k] = fmax(e->largest[k], e->last[k]);
  }
  free(start);
  return 0;
}
