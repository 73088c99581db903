/* runner.c: the batches of a rank: each is started or restored, advanced (runner-advance.c), and its rows are
 * written. Before that, the workspace that all batches share, and the row of a lane from which a batch continues. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/runner/runner-internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/method.h"
#include "study/file/starts.h"
#include "study/plan/plan-stages.h"

/* ---- rows of a batch that has ended: what every study has ------------------------------------ */

static void fill_state(cst_runner *r, long lane, long steps, bool done) {
  cst_batch        *b = r->b;
  const cst_system *s = r->plan->study->problem.system;
  const cst_layout *at = cst_stepper_layout(r->st);
  const int         W = r->width;
  const int         g = (int)(lane / W);
  const double     *x = cst_batch_lane(r->st, b, lane);
  double           *q = cst_rows_numbers(r->rows, &cst_channel_q, 0, lane);
  double           *p = cst_rows_numbers(r->rows, &cst_channel_p, 0, lane);
  double           *lambda = cst_rows_numbers(r->rows, &cst_channel_lambda, 0, lane);
  for (int i = 0; i < s->nq; i++) {
    q[i] = x[(at->q + i) * W];
    p[i] = x[(at->p + i) * W];
  }
  cst_runner_lambda(r, r->st,
                    done ? cst_runner_record(r, g)
                         : b->last + (size_t)g * cst_stepper_record_size(r->st),
                    steps, r->own->lambda);
  for (int a = 0; a < s->ng; a++)
    lambda[a] = r->own->lambda[a * W + lane % W];
}

static void fill_row(cst_runner *r, long lane) {
  const cst_layout      *at = cst_stepper_layout(r->st);
  const cst_lane_status *status = &r->b->status[lane];
  const bool             done = status->reason == CST_DONE;
  const long             steps = done ? r->class->n : status->step;
  const double          *x = cst_batch_lane(r->st, r->b, lane);
  const double           iterations = x[at->iterations * r->width];
  double                 per_step, per_iteration;
  cst_stepper_evaluations(r->st, &per_step, &per_iteration);
  *(signed char *)cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_status, 0),
                              lane) = (signed char)status->reason;
  *(long *)cst_rows_at(r->rows, cst_channels_find(r->rows->channels, &cst_channel_steps, 0), lane) =
      steps;
  *cst_rows_numbers(r->rows, &cst_channel_iterations, 0, lane) = iterations;
  *cst_rows_numbers(r->rows, &cst_channel_evaluations, 0, lane) =
      per_step * (double)steps + per_iteration * iterations;
  fill_state(r, lane, steps, done);
}

/* Fills what every study has in the rows of the current batch, which has ended. */
static void fill_rows(cst_runner *r) {
  for (long l = 0; l < r->work->count; l++)
    fill_row(r, l);
}

/* ---- the state of a lane --------------------------------------------------------------------- */

/* Everything that a batch holds of a lane, as a row from which a batch of any size and width can continue. */

const cst_work *cst_runner_work(const cst_runner *r) {
  return r->replayed || r->own->timed ? NULL : r->work;
}

cst_position cst_runner_position(const cst_runner *r) {
  cst_position at = cst_plan_position(r->plan, r->class, r->b->step);
  at.half_step = r->hst ? r->hb->step : 0;
  return at;
}

long cst_runner_ahead(const cst_runner *r) {
  return CST_SMALLER(r->work->count, (long)r->b->ahead * r->width);
}

long cst_runner_state_numbers(const cst_runner *r) { return (long)cst_batch_numbers(r->st); }

long cst_runner_numbers(const cst_runner *r) {
  cst_stepper *hst = r->hst;
  return cst_runner_state_numbers(r) +
         (long)((hst ? cst_batch_numbers(hst) : 0) + cst_rows_kept(r->rows));
}

void cst_runner_save(const cst_runner *r, long lane, double *row) {
  cst_stepper *hst = r->hst;
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.save)
      r->own->collection[i].row->run.save(&r->own->collection[i], lane);
  cst_batch_save(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (hst) {
    cst_batch_save(hst, r->hb, lane, row);
    row += cst_batch_numbers(hst);
  }
  cst_rows_save(r->rows, lane, row);
}

void cst_runner_restore(cst_runner *r, long lane, const double *row) {
  cst_stepper *hst = r->hst;
  cst_batch_restore(r->st, r->b, lane, row);
  row += cst_batch_numbers(r->st);
  if (hst) {
    cst_batch_restore(hst, r->hb, lane, row);
    row += cst_batch_numbers(hst);
  }
  cst_rows_restore(r->rows, lane, row);
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.restore)
      r->own->collection[i].row->run.restore(&r->own->collection[i], lane);
}

/* Whether the batch fits the numbers that it has saved of a lane, at `now` of n steps, `split` to each of the class. */
static bool fits(const cst_runner *r, const cst_stepper *st, const cst_batch *b, long lane,
                 const double *row, long now, int split) {
  const long    step = cst_batch_saved_step(row, now) / split;
  const int     variant = cst_runner_case(r, lane)->variant;
  const double *c = cst_stages_parameters(r->plan, r->class, variant, step);
  return cst_batch_continues(st, b, lane, c, row, split * r->class->n);
}

static bool runner_fits(const cst_runner *r, long lane, const double *row, long step) {
  if (!fits(r, r->st, r->b, lane, row, step, 1))
    return false;
  return !r->hst || fits(r, r->hst, r->hb, lane, row + cst_batch_numbers(r->st), 2 * step, 2);
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t expression_scratch(const cst_plan *p) {
  int most = 0;
  for (int k = 0; k < p->nobservation; k++)
    if (p->observation[k].tape) {
      const int registers = cst_tape_along_registers(p->observation[k].tape);
      most = CST_LARGER(most, registers);
    }
  return (size_t)most;
}

static void clear_values(cst_runner *r, const cst_observation *look) {
  const int first = look->first * r->width;
  const int end = first + look->count * r->width;
  for (int i = first; i < end; i++) {
    r->value[i] = NAN;
    r->own->meter.scale[i] = 1;
  }
}

/* Finds what is measured. Values of unwanted quantities are set here and never change. */
static void find_wanted(cst_runner *r) {
  cst_meter      *m = &r->own->meter;
  const cst_plan *p = r->plan;
  int             last = -2; /* the last observation that is wanted */
  m->wanted = cst_zeros(p->nobservation, sizeof *m->wanted);
  m->block = cst_zeros(p->nobservation, sizeof *m->block);
  m->span = cst_zeros(p->nobservation, sizeof *m->span);
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observation *look = &p->observation[k];
    if (!look->wanted) {
      clear_values(r, look);
      continue;
    }
    if (last != k - 1)
      m->span[m->nspan++].first = look->first;
    m->span[m->nspan - 1].count += look->count;
    m->wanted[m->nwanted++] = k;
    last = k;
  }
}

/* Those that this study wants. States are looked at one by one if some of them can do no more. */
static void create_collections(cst_runner *r) {
  cst_meter *m = &r->own->meter;
  m->one_by_one = r->plan->needs_lambda;
  for (int i = 0; i < m->nwanted; i++)
    m->one_by_one |= r->plan->observation[m->wanted[i]].row->state != NULL;
  r->own->collection = cst_zeros(cst_collector_count, sizeof *r->own->collection);
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_collector *row = cst_collectors[k];
    if (row->plan.wanted && !row->plan.wanted(r->plan))
      continue;
    cst_collection *x = &r->own->collection[r->own->ncollection++];
    *x = (cst_collection){row, k, r, cst_zeros(1, row->run.own + 1)};
    if (row->run.create)
      row->run.create(x);
    m->one_by_one |= row->run.look && !row->run.along;
    r->own->watch.on |= row->run.watch != NULL;
  }
}

static void destroy_collections(cst_runner *r) {
  for (int i = 0; i < r->own->ncollection; i++) {
    if (r->own->collection[i].row->run.destroy)
      r->own->collection[i].row->run.destroy(&r->own->collection[i]);
    free(r->own->collection[i].own);
  }
  free(r->own->collection);
}

cst_error cst_runner_create(const cst_plan *p, long batch, cst_reference *reference, cst_output *o,
                            cst_tallies *tallies, cst_poll *poll, void *context,
                            cst_runner **runner) {
  cst_runner       *r = cst_zeros(1, sizeof *r);
  cst_runner_own   *own = cst_zeros(1, sizeof *own);
  cst_meter        *m = &own->meter;
  cst_slices       *slices = &own->slices;
  const cst_system *s = p->study->problem.system;
  const int         ng = s->ng;
  const int         nq = s->nq;
  *runner = r;
  r->own = own;
  r->plan = p;
  r->reference = reference;
  r->output = o;
  own->channels = o ? NULL : cst_channels_create(p, NULL);
  own->tallies = tallies;
  r->batch = batch;
  slices->slice_class = -1;
  slices->poll = poll;
  slices->poll_context = context;
  r->width = cst_isas[p->isa].width;
  r->fold = cst_fold_for(s, p->isa, p->study->problem.flat);
  m->measure = cst_zeros(p->nobservation, sizeof *m->measure);
  m->follow = cst_zeros(p->nobservation, sizeof *m->follow);
  m->kept = cst_zeros(p->nobservation, sizeof *m->kept);
  m->keeps = cst_zeros(p->nobservation, sizeof *m->keeps);
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observer *row = p->observation[k].row;
    m->measure[k] = cst_fold_measure(r->fold, row);
    m->follow[k] = cst_fold_follow(r->fold, row);
    m->keeps[k] = (size_t)(cst_observer_kept(&p->observation[k]) * r->width);
  }
  const size_t W = (size_t)r->width;
  const size_t groups = ((size_t)batch + W - 1) / W;
  const size_t quantities = (size_t)p->nquantity;
  own->stepper = cst_zeros(p->study->methods.n, sizeof *own->stepper);
  own->partner = cst_zeros(p->study->methods.n, sizeof *own->partner);
  slices->seconds = cst_zeros(p->nclass, sizeof *slices->seconds);
  r->q0 = cst_aligned(groups * (size_t)nq * W);
  r->v0 = cst_aligned(groups * (size_t)nq * W);
  r->value = cst_aligned(quantities * W);
  m->scale = cst_aligned(quantities * W);
  find_wanted(r);
  const size_t scratch = expression_scratch(p) + 4 + (size_t)(2 * nq + ng);
  m->scratch = cst_aligned(scratch * W);
  m->time = cst_aligned(W);
  m->speed = cst_aligned(CST_TRAIL * (size_t)nq * W);
  m->times = cst_aligned(CST_TRAIL * W);
  m->traced = cst_aligned(CST_TRAIL * W);
  own->lambda = cst_aligned((size_t)ng * W);
  own->start = cst_aligned(2 * (size_t)nq);
  r->rows = cst_rows_create(o ? cst_output_channels(o) : own->channels, batch, r->width);
  for (int k = 0; k < p->nobservation; k++)
    m->kept[k] = cst_rows_numbers(r->rows, &cst_channel_observer, k, 0);
  m->accumulators = cst_rows_numbers(r->rows, &cst_channel_accumulators, 0, 0);
  create_collections(r);
  if (own->watch.on) {
    own->watch.times = cst_aligned(CST_TRAIL * W);
    own->watch.speed = cst_aligned(CST_TRAIL * (size_t)nq * W);
  }
  return 0;
}

cst_error cst_runner_destroy(cst_runner **runner) {
  cst_runner     *r = *runner;
  cst_runner_own *own = r->own;
  for (int i = 0; i < r->plan->study->methods.n; i++) {
    if (own->stepper[i])
      CST_TRY(cst_batch_destroy(&own->full[i]));
    if (own->partner[i])
      CST_TRY(cst_batch_destroy(&own->half[i]));
    CST_TRY(cst_stepper_destroy(&own->stepper[i]));
    CST_TRY(cst_stepper_destroy(&own->partner[i]));
  }
  free(own->meter.measure);
  free(own->meter.follow);
  free(own->meter.kept);
  free(own->meter.keeps);
  free(own->stepper);
  free(own->partner);
  free(own->slices.seconds);
  free(own->full);
  free(own->half);
  destroy_collections(r);
  free(own->slices.kept_rows);
  free(own->meter.wanted);
  free(own->meter.block);
  free(own->meter.span);
  double *owned[] = {r->q0,
                     r->v0,
                     r->value,
                     own->meter.scale,
                     own->meter.scratch,
                     own->meter.time,
                     own->lambda,
                     own->start,
                     own->meter.speed,
                     own->meter.times,
                     own->meter.traced,
                     own->watch.speed,
                     own->watch.times};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  cst_rows_destroy(r->rows);
  if (own->channels)
    cst_channels_destroy(own->channels);
  free(own);
  free(r);
  *runner = NULL;
  return 0;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

double cst_runner_seconds(const cst_runner *r, int class) { return r->own->slices.seconds[class]; }

/* Creates the stepper (one SNES per method) when it is first needed, and where its records are those of another step. */
static cst_error prepare(cst_runner *r, int method, double h, cst_stepper **stepper,
                         cst_batch *batch) {
  const int           W = r->width;
  const cst_plan     *p = r->plan;
  const cst_study    *s = p->study;
  cst_stepper_options o = {p->isa,
                           (int)((r->batch + W - 1) / W),
                           s->solver.max_iterations,
                           s->steps.compensated,
                           s->solver.iteration,
                           !r->output,
                           r->output && cst_plan_is_petsc(p, method),
                           h};
  if (*stepper && cst_stepper_takes(*stepper, h))
    return 0;
  if (*stepper)
    CST_TRY(cst_batch_destroy(batch));
  CST_TRY(cst_stepper_destroy(stepper));
  CST_TRY(cst_stepper_create(p->method[method], &o, stepper));
  cst_stepper_set_resolution(*stepper, s->steps.resolution);
  CST_TRY(cst_batch_create(*stepper, batch));
  return 0;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Starts a lane, or marks it as refused. */
static void start_lane(const cst_runner *r, const cst_stepper *st, cst_batch *b, long lane,
                       const double *q, const double *v, bool good) {
  const cst_study *s = r->plan->study;
  const cst_case  *c = cst_runner_case(r, lane);
  const double    *par = cst_plan_parameters(r->plan, c->variant);
  const double     tolerance = s->solver.tolerance[c->tolerance];
  if (good)
    cst_batch_start(st, b, lane, par, q, v, tolerance);
  else
    cst_batch_refuse(st, b, lane, par, q, v);
  cst_batch_address(st, b, lane, s->ensemble.seed, (uint64_t)cst_runner_member(r, lane));
}

/* Resets the rows of the batch. */
static void clear_rows(cst_runner *r) {
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.begin)
      r->own->collection[i].row->run.begin(&r->own->collection[i]);
}

/* Tells the collectors where the batch is; done: what is due there has been looked at. */
static void locate(cst_runner *r, long step, bool done) {
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.locate)
      r->own->collection[i].row->run.locate(&r->own->collection[i], step, done);
  r->own->next_fold = cst_plan_class_fold_after(r->class, done ? step : step - 1);
  r->own->watch.planned.fold = r->own->watch.met.fold = r->own->watch.passed.fold =
      -2; /* not known in this class */
}

/* Starts the lanes of the group of lane l together, as far as this can be done; returns their bits. */
static int start_group(cst_runner *r, long l) {
  const size_t at = (size_t)l * (size_t)r->plan->study->problem.system->nq;
  const int    lanes = (int)CST_SMALLER(r->width, r->work->count - l);
  int          variant[CST_W_MAX];
  long         member[CST_W_MAX];
  for (int k = 0; k < lanes; k++) {
    variant[k] = cst_runner_case(r, l + k)->variant;
    member[k] = cst_runner_member(r, l + k);
  }
  return cst_study_members(r->plan->study, r->plan->isa, variant, member, lanes, r->q0 + at,
                           r->v0 + at);
}

/* x[n] := lane l of the columns, or the other way. */
static void get_lane(double *x, const double *columns, long l, int n, long W) {
  for (int i = 0; i < n; i++)
    x[i] = columns[(l / W * n + i) * W + l % W];
}

static void put_lane(const double *x, double *columns, long l, int n, long W) {
  for (int i = 0; i < n; i++)
    columns[(l / W * n + i) * W + l % W] = x[i];
}

/* The start of lane l; false: it has none. */
static bool start_of(cst_runner *r, long l, bool is_there, double *q, double *v) {
  const cst_study *s = r->plan->study;
  const int        nq = s->problem.system->nq;
  if (is_there) {
    get_lane(q, r->q0, l, nq, r->width);
    get_lane(v, r->v0, l, nq, r->width);
    return true;
  }
  const bool good =
      cst_study_member(s, cst_runner_case(r, l)->variant, cst_runner_member(r, l), q, v);
  put_lane(q, r->q0, l, nq, r->width);
  put_lane(v, r->v0, l, nq, r->width);
  return good;
}

/* *stop: the run stops before all lanes are started; the batch has then not begun. */
static cst_error start(cst_runner *r, bool *stop) {
  const cst_slices *slices = &r->own->slices;
  cst_stepper      *hst = r->hst;
  const cst_work   *work = r->work;
  cst_batch        *b = r->b;
  double           *q = r->own->start;
  double           *v = r->own->start + r->plan->study->problem.system->nq;
  int               together = 0;
  cst_batch_reset(r->st, b, work->count);
  if (hst)
    cst_batch_reset(hst, r->hb, work->count);
  for (long l = 0; l < work->count; l++) {
    if (slices->halt)
      *stop = slices->halt(slices->poll_context);
    if (slices->halt && *stop)
      return 0;
    if (l % r->width == 0)
      together = start_group(r, l);
    const bool good = start_of(r, l, together >> l % r->width & 1, q, v);
    start_lane(r, r->st, b, l, q, v, good);
    if (hst)
      start_lane(r, hst, r->hb, l, q, v, good);
  }
  cst_batch_ready(r->st, b);
  if (hst)
    cst_batch_ready(hst, r->hb);
  clear_rows(r);
  return 0;
}

/* ---- a batch --------------------------------------------------------------------------------- */

cst_error cst_runner_resume(cst_runner *r, const cst_origin *from) {
  const cst_plan  *p = r->plan;
  cst_stepper     *hst = r->hst;
  const cst_class *k = r->class;
  CST_CHECK(from->numbers == cst_runner_numbers(r), MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
            "a saved row has %ld numbers, and one of %s has %ld: another build saved it",
            from->numbers, cst_method_label(p->study->methods.method[k->method]),
            cst_runner_numbers(r));
  for (long l = 0; l < r->work->count; l++) {
    const double *row = from->row + l * from->numbers;
    CST_CHECK(runner_fits(r, l, row, from->at.step), MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
              "a saved row is not a state of a trajectory of %s",
              cst_method_label(p->study->methods.method[k->method]));
    cst_runner_restore(r, l, row);
  }
  r->b->step = from->at.step;
  cst_batch_ready(r->st, r->b);
  if (hst)
    r->hb->step = from->at.half_step;
  if (hst)
    cst_batch_ready(hst, r->hb);
  locate(r, from->at.step, !from->opens);
  return 0;
}

/* Finds the blocks that observers read. */
static void find_blocks(const cst_runner *r) {
  for (int k = 0; k < r->plan->nobservation; k++) {
    const char *name = r->plan->observation[k].row->state;
    r->own->meter.block[k] = name ? cst_stepper_state(r->st, name) : -1;
  }
}

/* The times of the batch before, which lanes need not have in common. */
static void forget_times(const cst_runner *r) {
  r->own->meter.time[0] = NAN;
  for (int i = 0; i < CST_TRAIL; i++) {
    r->own->meter.times[i * r->width] = NAN;
    if (r->own->watch.times)
      r->own->watch.times[i * r->width] = NAN;
  }
}

/* Begins a batch, at its start or from saved rows. */
static cst_error begin(cst_runner *r, const cst_work *w, const cst_origin *from, bool *stop) {
  const cst_study *s = r->plan->study;
  if (!r->own->full) {
    r->own->full = cst_zeros(s->methods.n, sizeof *r->own->full);
    r->own->half = cst_zeros(s->methods.n, sizeof *r->own->half);
  }
  r->work = w;
  r->class = &r->plan->classes[w->class];
  const int m = r->class->method;
  CST_TRY(prepare(r, m, r->class->h, &r->own->stepper[m], &r->own->full[m]));
  r->st = r->own->stepper[m];
  find_blocks(r);
  r->b = &r->own->full[m];
  cst_stepper_set_step(r->st, r->class->h);
  r->own->varies = cst_stepper_changes_steps(r->st);
  forget_times(r);
  r->hst = NULL;
  if (s->reference.kind == CST_REFERENCE_SELF && !r->replayed && !r->own->timed) {
    CST_TRY(prepare(r, m, r->class->h / 2, &r->own->partner[m], &r->own->half[m]));
    r->hst = r->own->partner[m];
    r->hb = &r->own->half[m];
    cst_stepper_set_step(r->hst, r->class->h / 2);
  }
  CST_TRY(start(r, stop));
  if (*stop) {
    r->work = NULL;
    return 0;
  }
  cst_runner_watch(r, false);
  if (from)
    CST_TRY(cst_runner_resume(r, from));
  else
    locate(r, 0, false);
  if (!from || from->opens)
    CST_TRY(cst_runner_observe(r));
  return 0;
}

static cst_error finish(cst_runner *r) {
  fill_rows(r);
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.finish)
      CST_TRY(r->own->collection[i].row->run.finish(&r->own->collection[i]));
  CST_TRY(cst_output_rows(r->output, r->work, r->rows));
  r->work = NULL;
  return 0;
}

cst_error cst_runner_batch_to(cst_runner *r, const cst_work *w, const cst_origin *from, long step,
                              bool *stop) {
  const double before = MPI_Wtime();
  CST_TRY(begin(r, w, from, stop));
  if (!*stop) {
    CST_TRY(cst_runner_advance(r, step, stop));
    CST_TRY(cst_runner_flush(r));
  }
  r->own->slices.seconds[w->class] += MPI_Wtime() - before;
  return 0;
}

cst_error cst_runner_flush(cst_runner *r) {
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.flush)
      CST_TRY(r->own->collection[i].row->run.flush(&r->own->collection[i]));
  return 0;
}

void cst_runner_choose(cst_runner *r, long *member) { r->chosen.member = member; }

cst_error cst_runner_replay(cst_runner *r, int icase, const long *member, int n, bool *stop) {
  const int class = r->plan->class_of[icase];
  const cst_class *k = &r->plan->classes[class];
  for (int at = 0; at < n && !*stop; at += (int)CST_SMALLER(r->batch, n - at)) {
    const long     count = CST_SMALLER(r->batch, n - at);
    const cst_work w = {
        .class = class, .first = cst_plan_lane(r->plan, icase, 0), .count = count, .saved = -1};
    r->replayed = member + at;
    CST_TRY(begin(r, &w, NULL, stop));
    if (!*stop)
      CST_TRY(cst_runner_advance(r, k->n, stop));
    CST_TRY(cst_runner_flush(r));
    r->work = NULL;
    r->replayed = NULL;
  }
  return 0;
}

cst_error cst_runner_batch(cst_runner *r, const cst_work *w, const cst_origin *from, bool *stop) {
  CST_TRY(cst_runner_batch_to(r, w, from, r->plan->classes[w->class].n, stop));
  if (*stop)
    return 0;
  const double before = MPI_Wtime();
  CST_TRY(finish(r));
  r->own->slices.seconds[w->class] += MPI_Wtime() - before;
  return 0;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cst_error cst_runner_time(cst_runner *r, int class, int repeats, double *least, double *most,
                          long *lanes, bool *stop) {
  const cst_class *k = &r->plan->classes[class];
  const cst_work   w = {
        .class = class, .first = 0, .count = CST_SMALLER(r->batch, k->lanes), .saved = -1};
  *least = INFINITY;
  *most = 0;
  *lanes = w.count;
  r->own->timed = true;
  for (int i = 0; i < repeats && !*stop; i++) {
    CST_TRY(begin(r, &w, NULL, stop));
    const double before = processor_seconds();
    if (!*stop)
      CST_TRY(cst_runner_advance(r, k->n, stop));
    const double spent = processor_seconds() - before;
    *least = CST_SMALLER(*least, spent);
    *most = CST_LARGER(*most, spent);
  }
  r->own->timed = false;
  r->work = NULL;
  return 0;
}

/* ---- a rehearsal ----------------------------------------------------------------------------- */

/* Steps after which caches and iterations are as later ones find them, and the seconds that they may take. */
enum { WARM = 16 };
static const double costly = 0.06;

/* As many steps as there have been, and those of a shorter rest. */
static long twice(long step, long n) {
  const long to = step ? 2 * step : 1;
  return n - to < to - step ? n : to;
}

cst_error cst_runner_rehearse(cst_runner *r, const cst_work *w, double budget, cst_rehearsal *x) {
  bool stop = false;
  long last = -1;
  CST_TRY(begin(r, w, NULL, &stop)); /* it also creates what later batches find */
  const double before = processor_seconds();
  if (!stop)
    CST_TRY(begin(r, w, NULL, &stop));
  const double begun = processor_seconds();
  double       now = begun;
  *x = (cst_rehearsal){.start = (begun - before) / (double)w->count};
  while (!stop && r->b->step < r->class->n && r->b->step > last) {
    const double since = now;
    last = r->b->step;
    CST_TRY(cst_runner_advance(r, twice(last, r->class->n), &stop));
    CST_TRY(cst_runner_flush(r));
    now = processor_seconds();
    x->steps = (double)(r->b->step - last);
    x->seconds = now - since;
    stop = stop || now - begun > (r->b->step >= WARM ? budget : fmax(budget, costly));
  }
  r->work = NULL;
  return 0;
}
