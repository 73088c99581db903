/* runner-advance.c: advances the current batch and observes it.
 *
 * A batch stops only where something is due: an observation, a sample, a comparison with the reference, a
 * stored state, the end, or the end of a slice of about 50 ms. The stops change no bits. Observations need no
 * stop where groups go one after another: each is then observed on its way, while it is near the registers.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/runner/runner-internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"

/* ---- lanes of the batch as trajectories, and their numbers ----------------------------------- */

const cst_case *cst_runner_case(const cst_runner *r, long lane) {
  const cst_class *k = r->class;
  const long       first = r->work->first;
  const long       of_class = r->replayed ? first : first + lane;
  const int        icase = k->cases[of_class / r->plan->study->members];
  return &r->plan->cases[icase];
}

long cst_runner_member(const cst_runner *r, long lane) {
  if (r->replayed)
    return r->replayed[lane];
  return (r->work->first + lane) % r->plan->study->members;
}

double *cst_runner_record(const cst_runner *r, int group) {
  return r->b->record + (size_t)group * cst_stepper_record_size(r->st);
}

/* Whether a lane has the same numbers as the one before it, as those have that no trajectory uses. */
static bool is_copy(const double *x, int n, int W, int lane) {
  bool same = lane > 0;
  for (int i = 0; i < n && same; i++)
    same = !memcmp(&x[i * W + lane], &x[i * W + lane - 1], sizeof *x); /* 0 is not -0 */
  return same;
}

/* With redundant constraints only the force G'lambda is determined; takes the least-norm multipliers. */
static void make_least(const cst_runner *r, const cst_stepper *st, const double *record,
                       double *lambda) {
  const cst_system *s = r->plan->study->system;
  const int         nq = s->nq;
  const int         ng = s->ng;
  const cst_layout *at = cst_stepper_layout(st);
  const int         W = r->width;
  /* small: only dense systems have redundant constraints */
  double c[CST_MAX_PAR], q[nq + 1], l[ng + 1];
  bool   copy[W];
  for (int lane = 0; lane < W; lane++)
    copy[lane] = is_copy(record + at->c * W, s->npar, W, lane) &&
                 is_copy(record + at->q * W, nq, W, lane) && is_copy(lambda, ng, W, lane);
  for (int lane = 0; lane < W; lane++) {
    for (int k = 0; k < s->npar; k++)
      c[k] = record[(at->c + k) * W + lane];
    for (int i = 0; i < nq; i++)
      q[i] = record[(at->q + i) * W + lane];
    for (int a = 0; a < ng && !copy[lane]; a++)
      l[a] = lambda[a * W + lane];
    if (!copy[lane])
      cst_system_least_norm(s, c, q, l);
    for (int a = 0; a < ng; a++)
      lambda[a * W + lane] = l[a];
  }
}

/* The multipliers of a group, [ng][W], as the method's row defines them: its own of the last step, or from
 * the state. */
void cst_runner_lambda(const cst_runner *r, const cst_stepper *st, const double *record, long step,
                       double *lambda) {
  const cst_plan *p = r->plan;
  if (p->method[r->class->method]->properties.own_lambda && step > 0)
    cst_stepper_lambda(st, record, step, lambda);
  else
    r->fold->multipliers(cst_stepper_context(st), record, lambda);
  if (p->study->system->dropped)
    make_least(r, st, record, lambda);
}

void cst_runner_state_lambda(const cst_runner *r, const cst_stepper *st, const double *record,
                             double *lambda) {
  r->fold->multipliers(cst_stepper_context(st), record, lambda);
  if (r->plan->study->system->dropped)
    make_least(r, st, record, lambda);
}

void cst_runner_end_lane(const cst_runner *r, int group, int lane, cst_reason reason, long step,
                         const double *column) {
  cst_batch   *b = r->b;
  const size_t W = (size_t)r->width;
  const size_t n = cst_stepper_record_size(r->st);
  double      *last = b->last + (size_t)group * n + lane;
  for (size_t k = 0; k < n; k += W)
    last[k] = column[k];
  b->alive[group] &= ~(1 << lane);
  b->status[(size_t)group * W + (size_t)lane] = (cst_lane_status){reason, step};
  r->own->watch.ended = true;
}

double *cst_runner_accumulators(const cst_runner *r, int group) {
  const size_t numbers = (size_t)r->plan->nquantity * CST_SLOTS * (size_t)r->width;
  return r->own->meter.accumulators + (size_t)group * numbers;
}

cst_cell *cst_runner_cells(const cst_collection *x, long lane) {
  const cst_runner *r = x->run;
  if (r->replayed || lane >= r->work->count)
    return NULL;
  return cst_tallies_at(r->own->tallies, x->number,
                        (int)(cst_runner_case(r, lane) - r->plan->cases));
}

const void *cst_runner_collected(const cst_runner *r, int collector) {
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].number == collector)
      return r->own->collection[i].own;
  return NULL;
}

bool cst_runner_lives(const cst_runner *r, const cst_batch *b, long lane) {
  const int W = r->width;
  return b->alive[lane / W] >> lane % W & 1;
}

bool cst_runner_group_lives(const cst_runner *r, int group, int lane) {
  return r->b->alive[group] >> lane & 1;
}

void cst_runner_changed(const cst_runner *r) {
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.changed)
      r->own->collection[i].row->run.changed(&r->own->collection[i]);
}

void cst_runner_watches(const cst_runner *r, bool speeds, bool momenta, bool times) {
  r->own->watch.speeds |= speeds;
  r->own->watch.momenta |= momenta;
  r->own->watch.clock |= times;
}

/* ---- stops ----------------------------------------------------------------------------------- */

long cst_runner_next_multiple(long now, long every, long lead) {
  if (every > 0)
    return (now - lead + every) / every * every + lead;
  return LONG_MAX;
}

bool cst_runner_observes(const cst_runner *r) { return r->b->step == r->own->next_fold; }

/* The first step after `now` at which multipliers of some lanes are read, as of stored trajectories; or of all:
 * by collectors that read them themselves, or by an expression wherever it is observed. */
static long next_read(const cst_runner *r, long now, cst_readers readers) {
  long read = readers == CST_READS_ALL ? r->class->n : LONG_MAX;
  for (int i = 0; i < r->own->ncollection; i++) {
    const cst_collection *x = &r->own->collection[i];
    if (x->row->run.reads_some && readers == CST_READS_SOME)
      read = CST_SMALLER(read, x->row->run.reads_some(x, now));
    if (x->row->run.reads_some || readers == CST_READS_SOME)
      continue;
    if (x->row->run.reads)
      read = CST_SMALLER(read, x->row->run.reads(x, now));
    else if (x->row->run.next && x->row->run.stop && r->plan->needs_lambda)
      read = CST_SMALLER(read, x->row->run.next(x, now));
  }
  if (r->plan->needs_lambda && readers == CST_READS_ALL)
    read = CST_SMALLER(read, cst_plan_class_fold_after(r->class, now));
  return read;
}

static long next_read_of_batch(void *context, cst_readers readers) {
  const cst_runner *r = context;
  return next_read(r, r->b->step, readers);
}

/* The partner takes two steps per step of the batch, and is not stored. */
static long next_read_of_half(void *context, cst_readers readers) {
  const cst_runner *r = context;
  return readers == CST_READS_ALL ? 2 * next_read(r, r->hb->step / 2, readers) : LONG_MAX;
}

void cst_runner_read_at_stops(cst_runner *r) {
  cst_stepper_read_at(r->st, next_read_of_batch, r);
  if (r->hst)
    cst_stepper_read_at(r->hst, next_read_of_half, r);
}

/* Whether groups fold one after another between stops. They do not in a slice that may be halted. */
static bool folds_by_group(const cst_runner *r) {
  return !r->own->slices.watched && cst_stepper_goes_by_groups(r->st);
}

/* Those who look at every step may need no momenta, but where the quantities are observed. */
static long fold_after(void *context, long step, bool *momenta) {
  cst_runner *r = context;
  *momenta = true;
  if (r->own->watch.on) {
    *momenta =
        r->own->watch.momenta || cst_runner_next_fold(r, &r->own->watch.planned, step) == step + 1;
    return step + 1;
  }
  if (step < r->own->next_fold)
    return r->own->next_fold;
  return cst_plan_class_fold_next(r->class, step);
}

static void fold_group(void *context, int group, const cst_trail *way) {
  cst_runner_fold_group(context, group, way);
}

/* Passes over the folds before the current step, which all groups have made between stops. */
static void pass_group_folds(cst_runner *r) {
  while (r->own->next_fold < r->b->step)
    r->own->next_fold = cst_plan_class_fold_next(r->class, r->own->next_fold);
}

static long next_stop(void *context) {
  const cst_runner *r = context;
  long              stop = CST_SMALLER(r->class->n, r->own->slices.slice_end);
  if (r->own->timed)
    return stop;
  if (!folds_by_group(r))
    stop = CST_SMALLER(stop, r->own->watch.on ? r->b->step + 1 : r->own->next_fold);
  for (int i = 0; i < r->own->ncollection; i++) {
    const cst_collection *x = &r->own->collection[i];
    if (x->row->run.next)
      stop = CST_SMALLER(stop, x->row->run.next(x, r->b->step));
  }
  return stop;
}

/* First what advances the partner, which may be halted. */
static cst_error observe_before(cst_runner *r) {
  for (int i = 0; i < r->own->ncollection && !cst_runner_halted(r); i++)
    if (r->own->collection[i].row->run.before)
      CST_TRY(r->own->collection[i].row->run.before(&r->own->collection[i]));
  return 0;
}

cst_error cst_runner_observe(void *context) {
  cst_runner *r = context;
  const long  now = r->b->step;
  if (r->own->timed)
    return 0;
  pass_group_folds(r);
  if (r->own->watch.on)
    cst_runner_watch_all(r);
  CST_TRY(observe_before(r));
  if (cst_runner_halted(r))
    return 0;
  if (now == r->own->next_fold) {
    cst_runner_fold(r);
    r->own->next_fold = cst_plan_class_fold_next(r->class, now);
  }
  for (int i = 0; i < r->own->ncollection; i++)
    if (r->own->collection[i].row->run.stop)
      CST_TRY(r->own->collection[i].row->run.stop(&r->own->collection[i]));
  return 0;
}

/* The partner stays one of its steps behind the next comparison, so that little remains to be done there. If
 * it is halted, it goes back and follows later; the observations of the slice remain. */
static cst_error advance_partner(cst_runner *r) {
  const cst_work *work = r->work;
  cst_stepper    *hst = r->hst;
  if (!hst)
    return 0;
  const size_t numbers = cst_batch_numbers(hst);
  const long   from = r->hb->step;
  const long   to = 2 * r->b->step - 1;
  if (from >= to)
    return 0;
  for (long l = 0; r->own->slices.watched && l < work->count; l++)
    cst_batch_save(hst, r->hb, l, r->own->slices.kept_rows + (size_t)l * numbers);
  CST_TRY(cst_stepper_advance(hst, r->hb, to - from));
  if (!cst_stepper_halted(hst))
    return 0;
  for (long l = 0; l < work->count; l++)
    cst_batch_restore(hst, r->hb, l, r->own->slices.kept_rows + (size_t)l * numbers);
  r->hb->step = from;
  cst_batch_ready(hst, r->hb);
  return 0;
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
  r->own->slices.halt = halt;
  r->own->slices.pause = pause;
}

void cst_runner_watch(cst_runner *r, bool watched) {
  cst_slices  *slices = &r->own->slices;
  const size_t numbers = (size_t)cst_runner_numbers(r);
  const size_t n = numbers * (size_t)r->work->count;
  slices->watched = watched && slices->pause;
  cst_halt *pause = slices->watched ? slices->pause : NULL;
  cst_stepper_halt_by(r->st, pause, slices->poll_context);
  if (r->hst)
    cst_stepper_halt_by(r->hst, pause, slices->poll_context);
  if (!slices->watched)
    return;
  if (n > slices->kept_room) {
    slices->kept_room = n;
    slices->kept_rows = cst_need(realloc(slices->kept_rows, n * sizeof *slices->kept_rows));
  }
  for (long l = 0; l < r->work->count; l++)
    cst_runner_save(r, l, slices->kept_rows + (size_t)l * numbers);
  slices->kept_at = cst_runner_position(r);
  slices->slice_end = CST_SMALLER(slices->slice_end, next_stop(r));
}

/* True if groups of lanes step independently: no partner follows, nobody needs the state before the step, and
 * no mean over all of them is taken at every step. */
static bool are_apart(const cst_runner *r) {
  if (r->hst || r->own->watch.on)
    return false;
  return !(r->plan->method[r->class->method]->properties.mean > 0);
}

/* Undoes a halted slice. If it is a single step, the groups that have completed it keep it. What collectors have
 * buffered is of steps before the slice, and is written first: they begin anew where it began. */
static cst_error go_back(cst_runner *r) {
  const cst_slices *slices = &r->own->slices;
  cst_batch        *b = r->b;
  const long        numbers = cst_runner_numbers(r);
  const bool        single = slices->slice_end == slices->kept_at.step + 1;
  const int         ahead = are_apart(r) && single ? b->ahead : 0;
  if (!ahead) {
    CST_TRY(cst_runner_flush(r));
    CST_TRY(cst_runner_resume(
        r, &(cst_origin){.at = slices->kept_at, .numbers = numbers, .row = slices->kept_rows}));
    return 0;
  }
  for (long l = (long)ahead * r->width; l < r->work->count; l++)
    cst_runner_restore(r, l, slices->kept_rows + l * numbers);
  b->step = slices->kept_at.step;
  cst_batch_ready(r->st, b);
  b->ahead = ahead;
  return 0;
}

/* Advances one slice; a halted slice is undone. */
static cst_error advance_slice(cst_runner *r) {
  const bool         by_group = folds_by_group(r) && !r->own->timed;
  const cst_schedule schedule = {r,
                                 next_stop,
                                 cst_runner_observe,
                                 fold_after,
                                 by_group ? fold_group : NULL,
                                 r->own->meter.one_by_one};
  CST_TRY(cst_stepper_follow(r->st, r->b, &schedule));
  if (cst_runner_halted(r))
    CST_TRY(go_back(r));
  else
    CST_TRY(advance_partner(r));
  return 0;
}

/* The first slice of a batch is as long as the last one of the batch before, if that was of the same
 * class. */
cst_error cst_runner_advance(cst_runner *r, long to, bool *stop) {
  cst_slices *slices = &r->own->slices;
  cst_batch  *b = r->b;
  const long  end = r->class->n;
  long        slice = 1;
  if (slices->slice_class == r->work->class && !r->own->timed)
    slice = slices->slice;
  while (b->step < to && !*stop) {
    const double before = MPI_Wtime();
    const long   from = b->step;
    if (b->ahead)
      slice = 1;
    slices->slice_end = CST_SMALLER(from + slice, to);
    cst_runner_watch(r, slice <= FEW_STEPS);
    CST_TRY(advance_slice(r));
    const double spent = MPI_Wtime() - before;
    if (spent < 0.025 && !cst_runner_halted(r))
      slice = CST_SMALLER(2 * slice, end);
    else if (spent > 0.1)
      slice = CST_LARGER(1, slice / 2);
    /* a checkpoint here would lack the rows stored at the end */
    if (r->plan->study->extensible && b->step == end)
      break;
    const double steps = (double)(b->step - from);
    const double work = r->work->cost * steps / (double)end;
    CST_TRY(slices->poll(slices->poll_context, work, stop));
  }
  slices->slice = slice;
  slices->slice_class = r->work->class;
  return 0;
}
