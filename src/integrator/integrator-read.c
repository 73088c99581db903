/* integrator-read.c: reads the state and observables of an integrator's trajectories
 * (constella/integrator.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "integrator/integrator-internal.h"
#include "study/file/names.h"
#include "study/result/failure.h"

long cst_integrator_count(const cst_integrator *x) {
  CST_REQUIRE(x, 0);
  return x->count;
}

long cst_integrator_steps(const cst_integrator *x) {
  CST_REQUIRE(x, 0);
  return x->count ? x->batch.step : 0;
}

double cst_integrator_time(const cst_integrator *x) {
  CST_REQUIRE(x, NAN);
  return (double)cst_integrator_steps(x) * x->h;
}

const char *cst_integrator_reason(cst_trajectory_status status) {
  return status == CST_TRAJECTORY_WELL ? "well" : cst_failure_word((int)status);
}

/* True if what the readings call is there. */
static bool is_alive(const cst_integrator *x) { return !x->count || cst_integrator_has_begun(); }

static bool is_well(const cst_integrator *x, long k) {
  return x->batch.status[k].reason == CST_DONE;
}

static long steps_of(const cst_integrator *x, long k) {
  return is_well(x, k) ? x->batch.step : x->batch.status[k].step;
}

long cst_integrator_status(const cst_integrator *x, cst_trajectory_status *status, long *steps) {
  CST_REQUIRE(x && status, 0);
  long failed = 0;
  for (long k = 0; k < x->count; k++) {
    failed += !is_well(x, k);
    status[k] = (cst_trajectory_status)x->batch.status[k].reason;
    if (steps)
      steps[k] = steps_of(x, k);
  }
  return failed;
}

/* n components from `first` on of every trajectory's record. */
static void components(const cst_integrator *x, int first, int n, double *to) {
  for (long k = 0; k < x->count; k++) {
    const double *column = cst_batch_lane(x->stepper, &x->batch, k);
    for (int i = 0; i < n; i++)
      to[k * n + i] = column[(first + i) * x->width];
  }
}

void cst_integrator_positions(const cst_integrator *x, double *q) {
  CST_REQUIRE(x && q);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->q, x->system->nq, q);
}

void cst_integrator_momenta(const cst_integrator *x, double *p) {
  CST_REQUIRE(x && p);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->p, x->system->nq, p);
}

void cst_integrator_iterations(const cst_integrator *x, double *iterations) {
  CST_REQUIRE(x && iterations);
  if (x->count)
    components(x, cst_stepper_layout(x->stepper)->iterations, 1, iterations);
}

/* ---- quantities computed group by group ---- */

typedef struct {
  const cst_integrator *x;
  const double         *record; /* of the group */
  long                  step;   /* of the record */
  int                   alive;  /* bits of the lanes that are read */
  const cst_observer   *row;    /* for an observer, */
  int                   index;  /* or for an observable */
} reading;

/* Fills out[n][W], 64-byte aligned. */
typedef void measure(const reading *r, double *out);

/* Reads each trajectory from the record that has its state: that of the batch, or that of its last good
 * state, at any step. */
static void read_all(const cst_integrator *x, reading r, measure *of, int n, double *to) {
  const int    W = x->width;
  const size_t size = x->count ? cst_stepper_record_size(x->stepper) : 0;
  double      *out = cst_integrator_numbers((size_t)n * (size_t)W);
  r.x = x;
  for (long k = 0; out && k < x->count; k++) {
    const long group = k / W;
    const int  lane = (int)(k % W);
    r.record = (is_well(x, k) ? x->batch.record : x->batch.last) + (size_t)group * size;
    r.step = steps_of(x, k);
    r.alive = is_well(x, k) ? x->batch.alive[group] : 1 << lane;
    const bool done = lane > 0 && is_well(x, k) &&
                      is_well(x, k - 1); /* all living lanes of the group are read together */
    if (!done)
      of(&r, out);
    for (int i = 0; i < n; i++)
      to[k * n + i] = out[i * W + lane];
  }
  free(out);
}

static void velocities(const reading *r, double *v) {
  r->x->fold->velocities(cst_stepper_context(r->x->stepper), r->record, v);
}

void cst_integrator_velocities(const cst_integrator *x, double *v) {
  CST_REQUIRE(x && v && is_alive(x));
  read_all(x, (reading){0}, velocities, x->system->nq, v);
}

/* Where constraints are redundant, only the force G'lambda is determined: takes the multipliers of least
 * norm. */
static void make_least(const reading *r, double *lambda) {
  const cst_system *s = r->x->system;
  const cst_layout *at = cst_stepper_layout(r->x->stepper);
  const int         W = r->x->width;
  double            c[CST_MAX_PAR], q[s->nq + 1],
      l[s->ng + 1]; /* small: only dense systems have redundant constraints */
  for (int lane = 0; lane < W; lane++) {
    for (int k = 0; k < s->npar; k++)
      c[k] = r->record[(at->c + k) * W + lane];
    for (int i = 0; i < s->nq; i++)
      q[i] = r->record[(at->q + i) * W + lane];
    for (int a = 0; a < s->ng; a++)
      l[a] = lambda[a * W + lane];
    cst_system_least_norm(s, c, q, l);
    for (int a = 0; a < s->ng; a++)
      lambda[a * W + lane] = l[a];
  }
}

static void multipliers(const reading *r, double *lambda) {
  const cst_integrator *x = r->x;
  if (x->prepared->properties.own_lambda && r->step > 0)
    cst_stepper_lambda(x->stepper, r->record, r->step, lambda);
  else
    x->fold->multipliers(cst_stepper_context(x->stepper), r->record, lambda);
  if (x->system->dropped)
    make_least(r, lambda);
}

void cst_integrator_multipliers(const cst_integrator *x, double *lambda) {
  CST_REQUIRE(x && lambda && is_alive(x));
  read_all(x, (reading){0}, multipliers, x->system->ng, lambda);
}

/* ---- observers ---- */

/* The view of a group, with its velocities; *rest is the workspace behind them, for the kept numbers and
 * scales of an observer. */
static cst_view see(const reading *r, double **rest) {
  const cst_integrator *x = r->x;
  const int             W = x->width;
  double               *v = x->workspace;
  double               *lambda = v + x->system->nq * W;
  double               *time = lambda + x->system->ng * W;
  velocities(r, v);
  for (int l = 0; l < W; l++)
    time[l] = (double)r->step * x->h;
  *rest = time + W;
  return (cst_view){.context = cst_stepper_context(x->stepper),
                    .record = r->record,
                    .v = v,
                    .lambda = lambda,
                    .time = time,
                    .scratch = x->scratch,
                    .isa = x->isa,
                    .alive = r->alive,
                    .keep = CST_KEEP_NOT};
}

static void built_in(const reading *r, double *value) {
  double               *kept;
  const cst_view        view = see(r, &kept);
  const cst_observation look = {.row = r->row, .system = r->x->system, .wanted = true};
  cst_fold_measure(r->x->fold, r->row)(&look, &view, kept, value, kept + r->x->width);
}

void cst_integrator_energy(const cst_integrator *x, double *energy) {
  CST_REQUIRE(x && energy && is_alive(x));
  read_all(x, (reading){.row = CST_OBSERVER(energy)}, built_in, 1, energy);
}

void cst_integrator_momentum_maps(const cst_integrator *x, double *map) {
  CST_REQUIRE(x && map && is_alive(x));
  read_all(x, (reading){.row = CST_OBSERVER(momentum)}, built_in, x->system->nsym, map);
}

static const cst_observer *of_expressions(void) {
  int k = 0;
  while (!cst_observers[k]->expression)
    k++;
  return cst_observers[k];
}

static void expression(const reading *r, double *value) {
  const cst_integrator *x = r->x;
  double               *rest;
  const cst_view        view = see(r, &rest);
  const cst_observation look = {.system = x->system, .tape = x->observable[r->index]};
  if (x->needs_lambda[r->index])
    multipliers(r, x->workspace + x->system->nq * x->width);
  of_expressions()->measure(&look, &view, NULL, value, rest);
}

void cst_integrator_observe(const cst_integrator *x, int index, double *value) {
  CST_REQUIRE(x && value && is_alive(x) && index >= 0 && index < x->nobservable);
  read_all(x, (reading){.index = index}, expression, 1, value);
}

static bool make_room(cst_integrator *x, const cst_tape *tape) {
  const size_t n = (size_t)x->nobservable + 1;
  cst_tape   **more = realloc(x->observable, n * sizeof *more);
  if (more)
    x->observable = more;
  bool *needs = realloc(x->needs_lambda, n * sizeof *needs);
  if (needs)
    x->needs_lambda = needs;
  size_t most = (size_t)cst_tape_registers(tape);
  for (int i = 0; i < x->nobservable; i++)
    if ((size_t)cst_tape_registers(x->observable[i]) > most)
      most = (size_t)cst_tape_registers(x->observable[i]);
  double *scratch = cst_integrator_numbers((most + 4) * (size_t)x->width);
  if (scratch) {
    free(x->scratch);
    x->scratch = scratch;
  }
  return more && needs && scratch;
}

cst_integrator_code cst_integrator_add_observable(cst_integrator *x, const char *text, int *index) {
  CST_REQUIRE(x && text && index, CST_INTEGRATOR_BAD_ARGUMENT);
  if (!cst_integrator_usable(x))
    return CST_INTEGRATOR_BAD_ARGUMENT;
  cst_expr_error error;
  cst_graph     *g = x->system->graph;
  cst_names      names = cst_names_create(x->system, g, text);
  const cst_node node = cst_expr_parse(g, text, names.name, names.n, &error);
  cst_names_destroy(&names);
  if (node < 0)
    return cst_integrator_fail(x, CST_INTEGRATOR_BAD_ARGUMENT, "%s: at character %d: %s", text,
                               error.offset + 1, error.message);
  cst_tape *tape = cst_tape_create(g, &node, 1);
  if (!make_room(x, tape)) {
    cst_tape_destroy(tape);
    return cst_integrator_fail(x, CST_INTEGRATOR_INTERNAL, "no memory for an observable");
  }
  x->observable[x->nobservable] = tape;
  x->needs_lambda[x->nobservable] = cst_graph_depends(g, node, 'l');
  *index = x->nobservable++;
  return CST_INTEGRATOR_OK;
}
