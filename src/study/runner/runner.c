/* runner.c: the batches of a rank: each is started or restored, advanced (runner-advance.c), and its rows are
 * written. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/need.h"
#include "method/method.h"
#include "study/runner/runner-internal.h"

/* ---- set-up ---------------------------------------------------------------------------------- */

double cst_runner_seconds(const cst_runner *r, int cohort) { return r->seconds[cohort]; }

/* Creates the stepper (one SNES per method) when it is first needed. */
static PetscErrorCode prepare(cst_runner *r, int method, cst_stepper **stepper, cst_batch *batch) {
  const cst_study    *s = r->plan->study;
  cst_stepper_options o = {r->plan->isa,      (int)((r->batch + r->width - 1) / r->width),
                           s->max_iterations, s->compensated,
                           s->iteration,      false};
  PetscFunctionBegin;
  if (*stepper) PetscFunctionReturn(0);
  PetscCall(cst_stepper_create(r->plan->method[method], &o, stepper));
  cst_stepper_set_resolution(*stepper, s->resolution);
  PetscCall(cst_batch_create(*stepper, batch));
  PetscFunctionReturn(0);
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Starts a lane, or marks it as refused. */
static void start_lane(const cst_runner *r, const cst_stepper *st, cst_batch *b, long lane, const double *q,
                       const double *v, bool good) {
  const cst_study *s = r->plan->study;
  const cst_case  *c = cst_runner_case(r, lane);
  const double    *par = cst_plan_parameters(r->plan, c->variant);
  const double     tolerance = s->tolerance[c->tolerance];
  if (good)
    cst_batch_start(st, b, lane, par, q, v, tolerance);
  else
    cst_batch_refuse(st, b, lane, par, q, v);
  cst_batch_address(st, b, lane, s->seed, (uint64_t)cst_runner_member(r, lane));
}

static void fill(double *x, long n, double value) {
  for (long i = 0; x && i < n; i++) x[i] = value;
}

/* Resets the rows of the batch. */
static void clear_rows(cst_runner *r) {
  const cst_plan *p = r->plan;
  const long      n = r->work->count;
  const long      lanes = (long)r->b->groups * r->width;
  for (int k = 0; k < p->nlook; k++) {
    const long kept = lanes * (long)p->look[k].row->kept;
    if (kept) fill(cst_runner_observer(r, k, 0), kept, 0);
  }
  for (int k = 0; k < CST_ERRORS; k++) fill(r->error[k], n, 0);
  for (int k = 0; k < p->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, CST_CHANNEL_WINDOWS, k, 0);
    fill(window, n * CST_WINDOWS, NAN);
  }
  cst_runner_clear_collected(r);
  double *sample = cst_rows_numbers(r->rows, CST_CHANNEL_SAMPLES, 0, 0);
  fill(sample, n * p->nquantity * p->most_samples, NAN);
}

/* *stop: the run stops before all lanes are started; the batch has then not begun. */
static PetscErrorCode start(cst_runner *r, bool *stop) {
  const cst_study *s = r->plan->study;
  const int        nq = s->system->nq;
  const long       W = r->width;
  double          *q = r->state;
  double          *v = r->state + nq;
  PetscFunctionBegin;
  cst_batch_reset(r->st, r->b, r->work->count);
  if (r->hst) cst_batch_reset(r->hst, r->hb, r->work->count);
  for (long l = 0; l < r->work->count; l++) {
    if (r->halt) *stop = r->halt(r->poll_context);
    if (r->halt && *stop) PetscFunctionReturn(0);
    const int  variant = cst_runner_case(r, l)->variant;
    const bool good = cst_study_member(s, variant, cst_runner_member(r, l), q, v);
    start_lane(r, r->st, r->b, l, q, v, good);
    if (r->hst) start_lane(r, r->hst, r->hb, l, q, v, good);
    for (int i = 0; i < nq; i++) {
      const long at = (l / W * nq + i) * W + l % W;
      r->q0[at] = q[i];
      r->v0[at] = v[i];
    }
  }
  cst_batch_ready(r->st, r->b);
  if (r->hst) cst_batch_ready(r->hst, r->hb);
  clear_rows(r);
  r->window = 0;
  r->in_window = 0;
  r->folds = 0;
  r->next_sample = 0;
  r->next_fold = 0;
  PetscFunctionReturn(0);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* The next step after `now` that is `lead` after a multiple of `every`; 0 <= lead <= every. */
static long next_of(long now, long every, long lead) {
  return every > 0 ? (now - lead + every) / every * every + lead : LONG_MAX;
}

/* The first step after `now` at which multipliers are read. */
static long next_read(const cst_runner *r, long now) {
  const cst_class *k = r->cohort;
  long             read = PetscMin(k->n, next_of(now, k->read, 0));
  if (k->lead > 0) read = PetscMin(read, next_of(now, k->read, k->lead));
  if (r->tracks.n) read = PetscMin(read, next_of(now, r->plan->study->trajectory_every, 0));
  if (!r->plan->needs_lambda) return read;
  read = PetscMin(read, cst_plan_class_fold_after(k, now));
  for (int i = 0; i < k->nsample; i++)
    if (k->sample[i] > now) return PetscMin(read, k->sample[i]);
  return read;
}

static long next_read_of_batch(void *context) {
  const cst_runner *r = context;
  return next_read(r, r->b->step);
}

/* The partner takes two steps per step of the batch. */
static long next_read_of_half(void *context) {
  const cst_runner *r = context;
  return 2 * next_read(r, r->hb->step / 2);
}

/* Whether groups fold one after another between stops. They do not in a slice that may be halted. */
static bool is_observed_by_groups(const cst_runner *r) {
  return !r->watched && cst_stepper_goes_by_groups(r->st);
}

static long observe_after(void *context, long step) {
  const cst_runner *r = context;
  return step < r->next_fold ? r->next_fold : cst_plan_class_fold_next(r->cohort, step);
}

static void observe_group(void *context, int group, const cst_way *way) {
  cst_runner_fold_group(context, group, way);
}

/* Counts the folds before the current step, which all groups have made between stops. */
static void count_observations(cst_runner *r) {
  long last = -1;
  while (r->next_fold < r->b->step) {
    r->in_window++;
    r->folds++;
    last = r->next_fold;
    r->next_fold = cst_plan_class_fold_next(r->cohort, last);
  }
  if (last >= 0) r->window = cst_plan_class_window(r->cohort, last);
}

static long next_stop(void *context) {
  const cst_runner *r = context;
  const cst_class  *k = r->cohort;
  const long        now = r->b->step;
  long              stop = PetscMin(k->n, r->slice_end);
  if (r->timed) return stop;
  if (!is_observed_by_groups(r)) stop = PetscMin(stop, r->next_fold);
  if (cst_study_needs(r->plan->study, CST_NEEDS_WINDOWS))
    stop = PetscMin(stop, cst_plan_class_window_end(k, r->window));
  stop = PetscMin(stop, next_of(now, k->read, 0));
  if (k->lead > 0) stop = PetscMin(stop, next_of(now, k->read, k->lead));
  if (r->tracks.n) stop = PetscMin(stop, next_of(now, r->plan->study->trajectory_every, 0));
  if (r->next_sample < k->nsample) stop = PetscMin(stop, k->sample[r->next_sample]);
  return stop;
}

/* Stores the rows of an extensible study, before anything is observed. */
static PetscErrorCode store_rows(cst_runner *r) {
  const long n = cst_runner_numbers(r);
  PetscFunctionBegin;
  PetscCheck((size_t)n + CST_LONGER_HEAD + CST_LONGER_SEAL <= r->row, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "a trajectory has %ld numbers, more than %zu", n, r->row);
  for (long l = 0; l < r->work->count; l++) {
    double *x = cst_rows_numbers(r->rows, CST_CHANNEL_CONTINUE, 0, l);
    for (size_t i = 0; i < r->row; i++) x[i] = NAN;
    x[CST_LONGER_STEP] = (double)r->b->step;
    x[CST_LONGER_HALF_STEP] = r->hst ? (double)r->hb->step : 0;
    x[CST_LONGER_NUMBERS] = (double)n;
    cst_runner_save(r, l, x + CST_LONGER_HEAD);
    cst_longer_seal(x);
  }
  PetscFunctionReturn(0);
}

/* Does everything that is due at the current step. First what advances the partner, which may be halted. */
static PetscErrorCode observe(void *context) {
  cst_runner      *r = context;
  const cst_class *k = r->cohort;
  const long       now = r->b->step;
  PetscFunctionBegin;
  if (r->timed) PetscFunctionReturn(0);
  count_observations(r);
  if (r->row && now == k->n && !r->replayed) PetscCall(store_rows(r));
  if (now > 0 && !r->replayed && (cst_plan_class_reads_states(k, now) || cst_plan_class_reads_lambda(k, now)))
    PetscCall(cst_runner_read_errors(r));
  if (cst_runner_halted(r)) PetscFunctionReturn(0);
  if (now == r->next_fold) {
    cst_runner_fold(r);
    r->next_fold = cst_plan_class_fold_next(k, now);
  }
  if (r->next_sample < k->nsample && k->sample[r->next_sample] == now) cst_runner_sample(r);
  if (r->tracks.n && now % r->plan->study->trajectory_every == 0) PetscCall(cst_keep_states(r));
  PetscFunctionReturn(0);
}

/* The partner stays one of its steps behind the next comparison, so that little remains to be done there. If
 * it is halted, it goes back and follows later; the observations of the slice remain. */
static PetscErrorCode advance_partner(cst_runner *r) {
  const size_t numbers = r->hst ? cst_batch_numbers(r->hst) : 0;
  const long   from = r->hst ? r->hb->step : 0;
  PetscFunctionBegin;
  if (!r->hst || from >= 2 * r->b->step - 1) PetscFunctionReturn(0);
  for (long l = 0; r->watched && l < r->work->count; l++)
    cst_batch_save(r->hst, r->hb, l, r->kept_rows + (size_t)l * numbers);
  PetscCall(cst_stepper_advance(r->hst, r->hb, 2 * r->b->step - 1 - from));
  if (!cst_stepper_halted(r->hst)) PetscFunctionReturn(0);
  for (long l = 0; l < r->work->count; l++)
    cst_batch_restore(r->hst, r->hb, l, r->kept_rows + (size_t)l * numbers);
  r->hb->step = from;
  cst_batch_ready(r->hst, r->hb);
  PetscFunctionReturn(0);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* A slice of few steps may take long, above all if lanes fail in it. It then ends at the next stop and can be
 * halted inside. (Shorter steps fail soon enough, and saving rows would slow them down.) */
enum { FEW_STEPS = 8 };

bool cst_runner_halted(const cst_runner *r) {
  return cst_stepper_halted(r->st) || (r->hst && cst_stepper_halted(r->hst));
}

void cst_runner_halt_by(cst_runner *r, cst_halt *halt, cst_halt *pause) { r->halt = halt, r->pause = pause; }

static void watch(cst_runner *r, bool watched) {
  const size_t numbers = (size_t)cst_runner_numbers(r), n = numbers * (size_t)r->work->count;
  r->watched = watched && r->pause;
  cst_stepper_halt_by(r->st, r->watched ? r->pause : NULL, r->poll_context);
  if (r->hst) cst_stepper_halt_by(r->hst, r->watched ? r->pause : NULL, r->poll_context);
  if (!r->watched) return;
  if (n > r->kept_room)
    r->kept_rows = cst_need(realloc(r->kept_rows, (r->kept_room = n) * sizeof *r->kept_rows));
  for (long l = 0; l < r->work->count; l++) cst_runner_save(r, l, r->kept_rows + (size_t)l * numbers);
  r->kept_at = cst_runner_position(r);
  r->slice_end = PetscMin(r->slice_end, next_stop(r));
}

static PetscErrorCode resume(cst_runner *r, const cst_origin *from);

/* True if groups of lanes step independently: no partner follows, and no mean over all of them is taken at
 * every step. */
static bool are_apart(const cst_runner *r) {
  return !r->hst && !(r->plan->method[r->cohort->method]->properties.mean > 0);
}

/* Undoes a halted slice. If it is a single step, the groups that have completed it keep it. */
static PetscErrorCode go_back(cst_runner *r) {
  const long numbers = cst_runner_numbers(r);
  const int  ahead = are_apart(r) && r->slice_end == r->kept_at.step + 1 ? r->b->ahead : 0;
  PetscFunctionBegin;
  if (!ahead) {
    PetscCall(resume(r, &(cst_origin){.at = r->kept_at, .numbers = numbers, .row = r->kept_rows}));
    PetscFunctionReturn(0);
  }
  for (long l = (long)ahead * r->width; l < r->work->count; l++)
    cst_runner_restore(r, l, r->kept_rows + l * numbers);
  r->b->step = r->kept_at.step;
  cst_batch_ready(r->st, r->b);
  r->b->ahead = ahead;
  PetscFunctionReturn(0);
}

/* Advances one slice; a halted slice is undone. */
static PetscErrorCode advance_slice(cst_runner *r) {
  const bool         by_group = is_observed_by_groups(r) && !r->timed;
  const cst_schedule schedule = {
      r, next_stop, observe, observe_after, by_group ? observe_group : NULL, r->one_by_one};
  PetscFunctionBegin;
  PetscCall(cst_stepper_follow(r->st, r->b, &schedule));
  if (cst_runner_halted(r))
    PetscCall(go_back(r));
  else
    PetscCall(advance_partner(r));
  PetscFunctionReturn(0);
}

/* The first slice of a batch is as long as the last one of the batch before, if that was of the same class. */
static PetscErrorCode advance(cst_runner *r, long to, bool *stop) {
  long slice = r->slice_class == r->work->cohort && !r->timed ? r->slice : 1;
  PetscFunctionBegin;
  while (r->b->step < to && !*stop) {
    const double before = MPI_Wtime();
    const long   from = r->b->step;
    if (r->b->ahead) slice = 1;
    r->slice_end = PetscMin(from + slice, to);
    watch(r, slice <= FEW_STEPS);
    PetscCall(advance_slice(r));
    const double spent = MPI_Wtime() - before;
    if (spent < 0.025 && !cst_runner_halted(r))
      slice = PetscMin(2 * slice, r->cohort->n);
    else if (spent > 0.1)
      slice = PetscMax(1, slice / 2);
    /* a checkpoint here would lack the rows stored at the end */
    if (r->row && r->b->step == r->cohort->n) break;
    PetscCall(
        r->poll(r->poll_context, r->work->cost * (double)(r->b->step - from) / (double)r->cohort->n, stop));
  }
  r->slice = slice;
  r->slice_class = r->work->cohort;
  PetscFunctionReturn(0);
}

/* ---- a batch --------------------------------------------------------------------------------- */

PetscErrorCode cst_runner_resume(cst_runner *r, const cst_origin *from) {
  PetscFunctionBegin;
  PetscCheck(from->numbers == cst_runner_numbers(r), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "a saved row has %ld numbers, and one of %s has %ld: another build saved it", from->numbers,
             cst_method_label(r->plan->study->method[r->cohort->method]), cst_runner_numbers(r));
  for (long l = 0; l < r->work->count; l++) {
    const double *row = from->row + l * from->numbers;
    PetscCheck(cst_runner_fits(r, row), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "a saved row is not a state of a trajectory of %s",
               cst_method_label(r->plan->study->method[r->cohort->method]));
    cst_runner_restore(r, l, row);
  }
  r->b->step = from->at.step;
  cst_batch_ready(r->st, r->b);
  if (r->hst) r->hb->step = from->at.half_step;
  if (r->hst) cst_batch_ready(r->hst, r->hb);
  r->window = (int)from->at.window;
  r->in_window = from->at.in_window;
  r->folds = from->at.folds;
  r->next_sample = (int)from->at.next_sample;
  r->next_fold = cst_plan_class_fold_after(r->cohort, from->at.step);
  PetscFunctionReturn(0);
}

/* Begins a batch, at its start or from saved rows. */
static PetscErrorCode begin(cst_runner *r, const cst_work *w, const cst_origin *from, bool *stop) {
  const cst_study *s = r->plan->study;
  PetscFunctionBegin;
  if (!r->full) PetscCall(PetscCalloc2(s->nmethod, &r->full, s->nmethod, &r->half));
  r->work = w;
  r->cohort = &r->plan->classes[w->cohort];
  const int m = r->cohort->method;
  PetscCall(prepare(r, m, &r->stepper[m], &r->full[m]));
  r->st = r->stepper[m];
  r->b = &r->full[m];
  cst_stepper_set_step(r->st, r->cohort->h);
  r->hst = NULL;
  if (s->reference == CST_REFERENCE_SELF && !r->replayed && !r->timed) {
    PetscCall(prepare(r, m, &r->partner[m], &r->half[m]));
    r->hst = r->partner[m];
    r->hb = &r->half[m];
    cst_stepper_set_step(r->hst, r->cohort->h / 2);
  }
  cst_runner_read_at_stops(r);
  PetscCall(start(r, stop));
  if (*stop) {
    r->work = NULL;
    PetscFunctionReturn(0);
  }
  cst_runner_watch(r, false);
  if (from) PetscCall(cst_runner_resume(r, from));
  if (r->replayed) r->next_sample = r->cohort->nsample;
  cst_keep_follow(r, from ? from->at.step : 0, from && !from->opens);
  if (from && from->opens) r->next_fold = cst_plan_class_fold_after(r->cohort, from->at.step - 1);
  if (!from || from->opens) PetscCall(cst_runner_observe(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(cst_runner *r) {
  PetscFunctionBegin;
  if (cst_study_needs(r->plan->study, CST_NEEDS_WINDOWS)) cst_runner_close_window(r);
  cst_runner_finish_averages(r);
  PetscCall(cst_runner_write_rows(r));
  r->work = NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_runner_batch_to(cst_runner *r, const cst_work *w, const cst_origin *from, long step,
                                   bool *stop) {
  const double before = MPI_Wtime();
  PetscFunctionBegin;
  PetscCall(begin(r, w, from, stop));
  if (!*stop) {
    PetscCall(cst_runner_advance(r, step, stop));
    PetscCall(cst_tracks_flush(&r->tracks));
  }
  r->seconds[w->cohort] += MPI_Wtime() - before;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_runner_flush(cst_runner *r) {
  PetscFunctionBegin;
  PetscCall(cst_tracks_flush(&r->tracks));
  PetscFunctionReturn(0);
}

void cst_runner_choose(cst_runner *r, long *member) { r->chosen.member = member; }

PetscErrorCode cst_runner_replay(cst_runner *r, int icase, const long *member, int n, bool *stop) {
  const int        cohort = r->plan->class_of[icase];
  const cst_class *k = &r->plan->classes[cohort];
  PetscFunctionBegin;
  for (int at = 0; at < n && !*stop; at += (int)PetscMin(r->batch, n - at)) {
    const long     count = PetscMin(r->batch, n - at);
    const cst_work w = {
        .cohort = cohort, .first = cst_plan_lane(r->plan, icase, 0), .count = count, .piece = -1};
    r->replayed = member + at;
    PetscCall(begin(r, &w, NULL, stop));
    if (!*stop) PetscCall(cst_runner_advance(r, k->n, stop));
    PetscCall(cst_tracks_flush(&r->tracks));
    r->work = NULL;
    r->replayed = NULL;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_runner_batch(cst_runner *r, const cst_work *w, const cst_origin *from, bool *stop) {
  PetscFunctionBegin;
  PetscCall(cst_runner_batch_to(r, w, from, r->plan->classes[w->cohort].n, stop));
  if (*stop) PetscFunctionReturn(0);
  const double before = MPI_Wtime();
  PetscCall(finish(r));
  r->seconds[w->cohort] += MPI_Wtime() - before;
  PetscFunctionReturn(0);
}

/* ---- timing ---------------------------------------------------------------------------------- */

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

PetscErrorCode cst_runner_time(cst_runner *r, int cohort, int repeats, double *least, double *most,
                               long *lanes, bool *stop) {
  const cst_class *k = &r->plan->classes[cohort];
  const cst_work   w = {.cohort = cohort, .first = 0, .count = PetscMin(r->batch, k->lanes), .piece = -1};
  PetscFunctionBegin;
  *least = INFINITY;
  *most = 0;
  *lanes = w.count;
  r->timed = true;
  for (int i = 0; i < repeats && !*stop; i++) {
    PetscCall(begin(r, &w, NULL, stop));
    const double before = processor_seconds();
    if (!*stop) PetscCall(cst_runner_advance(r, k->n, stop));
    const double spent = processor_seconds() - before;
    *least = PetscMin(*least, spent);
    *most = PetscMax(*most, spent);
  }
  r->timed = false;
  r->work = NULL;
  PetscFunctionReturn(0);
}
