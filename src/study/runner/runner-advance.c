/* runner-advance.c: advances the current batch and observes it.
 *
 * A batch stops only where something is due: an observation, a sample, a comparison with the reference, a
 * stored state, the end, or the end of a slice of about 50 ms. The stops change no bits. Observations need no
 * stop where groups go one after another: each is then observed on its way, while it is near the registers.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "method/method.h"
#include "study/result/longer.h"
#include "study/runner/runner-internal.h"

/* ---- stops ----------------------------------------------------------------------------------- */

/* The next step after `now` that is `lead` after a multiple of `every`; 0 <= lead <= every. */
static long next_of(long now, long every, long lead) {
  if (every > 0)
    return (now - lead + every) / every * every + lead;
  return LONG_MAX;
}

/* The first step after `now` at which multipliers are read. */
static long next_read(const cst_runner *r, long now) {
  const cst_plan  *p = r->plan;
  const cst_class *k = r->cohort;
  long             read = PetscMin(k->n, next_of(now, k->read, 0));
  if (k->lead > 0)
    read = PetscMin(read, next_of(now, k->read, k->lead));
  if (r->tracks.n)
    read = PetscMin(read, next_of(now, p->study->trajectory_every, 0));
  if (!p->needs_lambda)
    return read;
  read = PetscMin(read, cst_plan_class_fold_after(k, now));
  for (int i = 0; i < k->nsample; i++)
    if (k->sample[i] > now)
      return PetscMin(read, k->sample[i]);
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

void cst_runner_read_at_stops(cst_runner *r) {
  cst_stepper_read_at(r->st, next_read_of_batch, r);
  if (r->hst)
    cst_stepper_read_at(r->hst, next_read_of_half, r);
}

/* Whether groups fold one after another between stops. They do not in a slice that may be halted. */
static bool folds_by_group(const cst_runner *r) {
  return !r->watched && cst_stepper_goes_by_groups(r->st);
}

static long fold_after(void *context, long step) {
  const cst_runner *r = context;
  if (step < r->next_fold)
    return r->next_fold;
  return cst_plan_class_fold_next(r->cohort, step);
}

static void fold_group(void *context, int group, const cst_way *way) {
  cst_runner_fold_group(context, group, way);
}

/* Counts the folds before the current step, which all groups have made between stops. */
static void count_group_folds(cst_runner *r) {
  long last = -1;
  while (r->next_fold < r->b->step) {
    r->in_window++;
    r->folds++;
    last = r->next_fold;
    r->next_fold = cst_plan_class_fold_next(r->cohort, last);
  }
  if (last >= 0)
    r->window = cst_plan_class_window(r->cohort, last);
}

static long next_stop(void *context) {
  const cst_runner *r = context;
  const cst_plan   *p = r->plan;
  const cst_class  *k = r->cohort;
  const long        now = r->b->step;
  long              stop = PetscMin(k->n, r->slice_end);
  if (r->timed)
    return stop;
  if (!folds_by_group(r))
    stop = PetscMin(stop, r->next_fold);
  if (cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    stop = PetscMin(stop, cst_plan_class_window_end(k, r->window));
  stop = PetscMin(stop, next_of(now, k->read, 0));
  if (k->lead > 0)
    stop = PetscMin(stop, next_of(now, k->read, k->lead));
  if (r->tracks.n)
    stop = PetscMin(stop, next_of(now, p->study->trajectory_every, 0));
  if (r->next_sample < k->nsample)
    stop = PetscMin(stop, k->sample[r->next_sample]);
  return stop;
}

/* Stores the rows of an extensible study, before anything is observed. */
static PetscErrorCode store_rows(cst_runner *r) {
  const long n = cst_runner_numbers(r);
  PetscFunctionBegin;
  PetscCheck((size_t)n + CST_LONGER_HEAD + CST_LONGER_SEAL <= r->row, PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "a trajectory has %ld numbers, more than %zu", n, r->row);
  for (long l = 0; l < r->work->count; l++) {
    double *x = cst_rows_numbers(r->rows, &cst_channel_continue, 0, l);
    for (size_t i = 0; i < r->row; i++)
      x[i] = NAN;
    x[CST_LONGER_STEP] = (double)r->b->step;
    if (r->hst)
      x[CST_LONGER_HALF_STEP] = (double)r->hb->step;
    else
      x[CST_LONGER_HALF_STEP] = 0;
    x[CST_LONGER_NUMBERS] = (double)n;
    cst_runner_save(r, l, x + CST_LONGER_HEAD);
    cst_longer_seal(x);
  }
  PetscFunctionReturn(0);
}

/* First what advances the partner, which may be halted. */
PetscErrorCode cst_runner_observe(void *context) {
  cst_runner      *r = context;
  const cst_class *k = r->cohort;
  const long       now = r->b->step;
  PetscFunctionBegin;
  if (r->timed)
    PetscFunctionReturn(0);
  count_group_folds(r);
  if (r->row && now == k->n && !r->replayed)
    PetscCall(store_rows(r));
  if (now > 0 && !r->replayed &&
      (cst_plan_class_reads_states(k, now) || cst_plan_class_reads_lambda(k, now)))
    PetscCall(cst_runner_read_errors(r));
  if (cst_runner_halted(r))
    PetscFunctionReturn(0);
  if (now == r->next_fold) {
    cst_runner_fold(r);
    r->next_fold = cst_plan_class_fold_next(k, now);
  }
  if (r->next_sample < k->nsample && k->sample[r->next_sample] == now)
    cst_runner_sample(r);
  if (r->tracks.n && now % r->plan->study->trajectory_every == 0)
    PetscCall(cst_keep_states(r));
  PetscFunctionReturn(0);
}

/* The partner stays one of its steps behind the next comparison, so that little remains to be done there. If
 * it is halted, it goes back and follows later; the observations of the slice remain. */
static PetscErrorCode advance_partner(cst_runner *r) {
  const cst_work *work = r->work;
  cst_stepper    *hst = r->hst;
  PetscFunctionBegin;
  if (!hst)
    PetscFunctionReturn(0);
  const size_t numbers = cst_batch_numbers(hst);
  const long   from = r->hb->step;
  const long   to = 2 * r->b->step - 1;
  if (from >= to)
    PetscFunctionReturn(0);
  for (long l = 0; r->watched && l < work->count; l++)
    cst_batch_save(hst, r->hb, l, r->kept_rows + (size_t)l * numbers);
  PetscCall(cst_stepper_advance(hst, r->hb, to - from));
  if (!cst_stepper_halted(hst))
    PetscFunctionReturn(0);
  for (long l = 0; l < work->count; l++)
    cst_batch_restore(hst, r->hb, l, r->kept_rows + (size_t)l * numbers);
  r->hb->step = from;
  cst_batch_ready(hst, r->hb);
  PetscFunctionReturn(0);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* A slice of few steps may take long, above all if lanes fail in it. It then ends at the next stop and can be
 * halted inside. (Shorter steps fail soon enough, and saving rows would slow them down.) */
enum { FEW_STEPS = 8 };

bool cst_runner_halted(const cst_runner *r) {
  cst_stepper *hst = r->hst;
  return cst_stepper_halted(r->st) || (hst && cst_stepper_halted(hst));
}

void cst_runner_halt_by(cst_runner *r, cst_halt *halt, cst_halt *pause) {
  r->halt = halt;
  r->pause = pause;
}

void cst_runner_watch(cst_runner *r, bool watched) {
  const size_t numbers = (size_t)cst_runner_numbers(r);
  const size_t n = numbers * (size_t)r->work->count;
  r->watched = watched && r->pause;
  cst_halt *pause = r->watched ? r->pause : NULL;
  cst_stepper_halt_by(r->st, pause, r->poll_context);
  if (r->hst)
    cst_stepper_halt_by(r->hst, pause, r->poll_context);
  if (!r->watched)
    return;
  if (n > r->kept_room) {
    r->kept_room = n;
    r->kept_rows = cst_need(realloc(r->kept_rows, n * sizeof *r->kept_rows));
  }
  for (long l = 0; l < r->work->count; l++)
    cst_runner_save(r, l, r->kept_rows + (size_t)l * numbers);
  r->kept_at = cst_runner_position(r);
  r->slice_end = PetscMin(r->slice_end, next_stop(r));
}

/* True if groups of lanes step independently: no partner follows, and no mean over all of them is taken at
 * every step. */
static bool are_apart(const cst_runner *r) {
  if (r->hst)
    return false;
  return !(r->plan->method[r->cohort->method]->properties.mean > 0);
}

/* Undoes a halted slice. If it is a single step, the groups that have completed it keep it. */
static PetscErrorCode go_back(cst_runner *r) {
  cst_batch *b = r->b;
  const long numbers = cst_runner_numbers(r);
  const bool single = r->slice_end == r->kept_at.step + 1;
  const int  ahead = are_apart(r) && single ? b->ahead : 0;
  PetscFunctionBegin;
  if (!ahead) {
    PetscCall(cst_runner_resume(
        r, &(cst_origin){.at = r->kept_at, .numbers = numbers, .row = r->kept_rows}));
    PetscFunctionReturn(0);
  }
  for (long l = (long)ahead * r->width; l < r->work->count; l++)
    cst_runner_restore(r, l, r->kept_rows + l * numbers);
  b->step = r->kept_at.step;
  cst_batch_ready(r->st, b);
  b->ahead = ahead;
  PetscFunctionReturn(0);
}

/* Advances one slice; a halted slice is undone. */
static PetscErrorCode advance_slice(cst_runner *r) {
  const bool         by_group = folds_by_group(r) && !r->timed;
  const cst_schedule schedule = {
      r, next_stop, cst_runner_observe, fold_after, by_group ? fold_group : NULL, r->one_by_one};
  PetscFunctionBegin;
  PetscCall(cst_stepper_follow(r->st, r->b, &schedule));
  if (cst_runner_halted(r))
    PetscCall(go_back(r));
  else
    PetscCall(advance_partner(r));
  PetscFunctionReturn(0);
}

/* The first slice of a batch is as long as the last one of the batch before, if that was of the same
 * class. */
PetscErrorCode cst_runner_advance(cst_runner *r, long to, bool *stop) {
  cst_batch *b = r->b;
  const long end = r->cohort->n;
  long       slice = 1;
  if (r->slice_class == r->work->cohort && !r->timed)
    slice = r->slice;
  PetscFunctionBegin;
  while (b->step < to && !*stop) {
    const double before = MPI_Wtime();
    const long   from = b->step;
    if (b->ahead)
      slice = 1;
    r->slice_end = PetscMin(from + slice, to);
    cst_runner_watch(r, slice <= FEW_STEPS);
    PetscCall(advance_slice(r));
    const double spent = MPI_Wtime() - before;
    if (spent < 0.025 && !cst_runner_halted(r))
      slice = PetscMin(2 * slice, end);
    else if (spent > 0.1)
      slice = PetscMax(1, slice / 2);
    /* a checkpoint here would lack the rows stored at the end */
    if (r->row && b->step == end)
      break;
    const double steps = (double)(b->step - from);
    const double work = r->work->cost * steps / (double)end;
    PetscCall(r->poll(r->poll_context, work, stop));
  }
  r->slice = slice;
  r->slice_class = r->work->cohort;
  PetscFunctionReturn(0);
}
