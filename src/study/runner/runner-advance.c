/* runner-advance.c: advances the current batch, measures its observables, and lets the collectors look at it.
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
  const int        icase = k->cases[of_class / r->plan->study->ensemble.members];
  return &r->plan->cases[icase];
}

long cst_runner_member(const cst_runner *r, long lane) {
  if (r->replayed)
    return r->replayed[lane];
  return (r->work->first + lane) % r->plan->study->ensemble.members;
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
  const cst_system *s = r->plan->study->problem.system;
  const int         nq = s->nq;
  const int         ng = s->ng;
  const cst_layout *at = cst_stepper_layout(st);
  const int         W = r->width;
  /* small: only dense systems have redundant constraints */
  double c[CST_MAX_PAR], q[nq + 1], l[ng + 1];
  bool   copy[CST_W_MAX];
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
  if (p->study->problem.system->model->dropped)
    make_least(r, st, record, lambda);
}

void cst_runner_state_lambda(const cst_runner *r, const cst_stepper *st, const double *record,
                             double *lambda) {
  r->fold->multipliers(cst_stepper_context(st), record, lambda);
  if (r->plan->study->problem.system->model->dropped)
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

/* ---- what is measured ------------------------------------------------------------------------ */

/* The times of a group after `step` steps. Equal ones are set once for all groups: per group, lanes would be read as a
 * vector just after being written one by one. */
static void set_times(const cst_runner *r, int group, long step, double *time) {
  const double *record = cst_runner_record(r, group);
  if (r->own->varies) {
    for (int l = 0; l < r->width; l++)
      time[l] = cst_stepper_time(r->st, record + l, (double)step);
    return;
  }
  const double t = cst_clock_at(r, (double)step);
  const bool   there = time[0] == t;
  for (int l = 0; l < r->width && !there; l++)
    time[l] = t;
}

void cst_clock_lanes(const cst_runner *r, int group, double *time) {
  set_times(r, group, r->b->step, time);
}

double cst_clock_lane(const cst_runner *r, long lane, double step) {
  return cst_stepper_time(r->st, cst_batch_lane(r->st, r->b, lane), step);
}

/* The view of a group, without what depends on its state. */
static cst_view view_of(const cst_runner *r, int group, cst_keep keep) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->problem.system;
  const int         nq = s->nq;
  const double     *record = cst_runner_record(r, group);
  const int         W = r->width;
  double           *v = r->own->meter.scratch;
  double           *lambda = v + nq * W;
  double           *more = lambda + (s->ng + 1) * W;
  return (cst_view){.context = cst_stepper_context(r->st),
                    .record = record,
                    .q0 = r->q0 + (size_t)group * (size_t)nq * (size_t)W,
                    .v = v,
                    .lambda = lambda,
                    .time = r->own->meter.time,
                    .scratch = more + W,
                    .isa = p->isa,
                    .alive = r->b->alive[group],
                    .keep = keep,
                    .freedom = p->freedom[r->class->method]};
}

/* The numbers that observation k keeps of a group, [cst_observer_kept][W]; NULL: none. */
static double *kept_of(const cst_runner *r, int k, int group) {
  if (r->own->meter.kept[k])
    return r->own->meter.kept[k] + (size_t)group * r->own->meter.keeps[k];
  return NULL;
}

cst_view cst_runner_see(const cst_runner *r, int group, bool v, bool lambda) {
  cst_view view = view_of(r, group, CST_KEEP_NOT);
  view.lambda = r->own->lambda;
  cst_clock_lanes(r, group, r->own->meter.time);
  if (v)
    r->fold->velocities(view.context, view.record, r->own->meter.scratch);
  if (lambda)
    cst_runner_lambda(r, r->st, view.record, r->b->step, r->own->lambda);
  return view;
}

cst_view cst_runner_measure(const cst_runner *r, int group, cst_keep keep) {
  const cst_meter *m = &r->own->meter;
  const int        W = r->width;
  cst_view         view = view_of(r, group, keep);
  r->fold->velocities(view.context, view.record, m->scratch);
  if (r->plan->needs_lambda)
    cst_runner_lambda(r, r->st, view.record, r->b->step,
                      m->scratch + r->plan->study->problem.system->nq * W);
  cst_clock_lanes(r, group, r->own->meter.time);
  for (int i = 0; i < m->nwanted; i++) {
    const int              k = m->wanted[i];
    const cst_observation *look = &r->plan->observation[k];
    view.state = m->block[k] < 0 ? NULL : view.record + m->block[k] * W;
    m->measure[k](look, &view, kept_of(r, k, group), r->value + look->first * W,
                  m->scale + look->first * W);
  }
  return view;
}

/* A group at a state whose values are of use in themselves: at its first state, or to some collector. */
static void look_here(cst_runner *r, int group) {
  const cst_view view = cst_runner_measure(r, group, r->b->step == 0 ? CST_KEEP_FIRST : CST_KEEP);
  for (int i = 0; i < r->own->ncollection; i++) {
    cst_collection *x = &r->own->collection[i];
    if (x->row->run.look)
      x->row->run.look(x, group, &view);
  }
}

static void look_along(cst_runner *r, int group, const cst_trail *way) {
  const cst_view   view = view_of(r, group, CST_KEEP);
  const cst_states states = {way->n, way->stride,         way->q,
                             way->p, r->own->meter.speed, r->own->meter.times};
  r->fold->speeds(view.context, view.record, &states, r->own->meter.speed);
  for (int i = 0; i < way->n; i++)
    set_times(r, group, way->step[i], r->own->meter.times + i * r->width);
  for (int i = 0; i < r->own->ncollection; i++) {
    cst_collection *x = &r->own->collection[i];
    if (x->row->run.along)
      x->row->run.along(x, group, &view, &states);
  }
}

static void fold_group(cst_runner *r, int group, const cst_trail *way) {
  if (r->own->meter.one_by_one || way->step[0] == 0)
    look_here(r, group);
  else
    look_along(r, group, way);
}

/* At a stop: all groups at the current step. */
static void fold_all(cst_runner *r) {
  for (int g = 0; g < r->b->groups; g++) {
    const cst_trail way = cst_stepper_trail(r->st, r->b, g);
    fold_group(r, g, &way);
  }
}

/* ---- what collectors do with what is measured ------------------------------------------------ */

/* Unwanted quantities are set to NaN at the start and stay so. */
void cst_runner_accumulate(const cst_runner *r, int group) {
  const cst_meter *m = &r->own->meter;
  const int        W = r->width, alive = r->b->alive[group];
  double          *acc = cst_runner_accumulators(r, group);
  if (r->b->step == 0) {
    r->fold->fold(r->plan->nquantity, r->value, m->scale, alive, true, acc);
    return;
  }
  for (int i = 0; i < m->nspan; i++) {
    const int first = m->span[i].first;
    r->fold->fold(m->span[i].count, r->value + first * W, m->scale + first * W, alive, false,
                  acc + (long)first * CST_SLOTS * W);
  }
}

void cst_runner_accumulate_along(const cst_runner *r, int group, const cst_view *view,
                                 const cst_states *states) {
  const cst_meter *m = &r->own->meter;
  double          *accumulators = cst_runner_accumulators(r, group);
  for (int i = 0; i < m->nwanted; i++) {
    const int              k = m->wanted[i];
    const cst_observation *look = &r->plan->observation[k];
    double                *acc = accumulators + (long)look->first * CST_SLOTS * r->width;
    if (m->follow[k]) {
      m->follow[k](look, view, states, kept_of(r, k, group), acc);
    } else {
      const cst_traced values = look->row->along(look, view, states, m->traced);
      r->fold->trace(states->n, values.at, values.stride, view->alive, acc);
    }
  }
}

void cst_runner_clear_kept(const cst_runner *r) {
  const cst_meter *m = &r->own->meter;
  for (int k = 0; k < r->plan->nobservation; k++)
    if (m->kept[k])
      memset(m->kept[k], 0, sizeof(double) * (size_t)r->b->groups * m->keeps[k]);
}

/* ---- every step ------------------------------------------------------------------------------ */

/* The states for those who look at every step. */
static cst_states states_of(cst_runner *r, int group, const cst_view *view, const cst_trail *way) {
  const cst_watch *w = &r->own->watch;
  const int        W = r->width;
  const cst_states x = {way->n, way->stride, way->q, way->p, w->speed, w->times};
  if (w->speeds)
    r->fold->speeds(view->context, view->record, &x, w->speed);
  for (int i = 0; w->clock && i < way->n; i++)
    set_times(r, group, way->step[i], w->times + i * W);
  return x;
}

static void watch(cst_runner *r, int group, const cst_trail *way, const cst_states *states, int i) {
  cst_view view = view_of(r, group, CST_KEEP_NOT);
  view.time = states->time + i * r->width;
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watch)
      x->row->run.watch(x, group, &view, states, way->step, i);
  }
}

/* Whether nobody has to look at these states one by one. */
static bool all_quiet(cst_runner *r, int group, const cst_view *view, const cst_states *states,
                      const long *step) {
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watch &&
        !(x->row->run.quiet && x->row->run.quiet(x, group, view, states, step)))
      return false;
  }
  return true;
}

static void end_watch(cst_runner *r, int group, long step) {
  for (int k = 0; k < r->own->ncollection; k++) {
    cst_collection *x = &r->own->collection[k];
    if (x->row->run.watched)
      x->row->run.watched(x, group, step);
  }
}

/* Folds the states from..to-1 of lanes that were alive in them. */
static void fold_some(cst_runner *r, int group, const cst_trail *way, int from, int to, int alive) {
  const int       now = r->b->alive[group];
  const size_t    at = (size_t)from * way->stride;
  const cst_trail some = {to - from, way->stride, way->step + from, way->q + at, way->p + at};
  if (from == to)
    return;
  r->b->alive[group] = alive;
  fold_group(r, group, &some);
  r->b->alive[group] = now;
}

/* The next step after this one that is observed; quick where the steps that are asked for follow one another. */
static long next_fold(const cst_runner *r, cst_next_fold *known, long step) {
  if (step == known->fold)
    *known = (cst_next_fold){step, cst_plan_class_fold_next(r->class, step)};
  else if (step < known->from || step > known->fold)
    *known = (cst_next_fold){step, cst_plan_class_fold_after(r->class, step)};
  return known->fold;
}

/* The same behind the step before these states: groups side by side ask for the same one after another, and then for
 * the one that follows. */
static long first_fold(cst_runner *r, long step) {
  cst_watch *w = &r->own->watch;
  if (step < w->met.from || step >= w->met.fold)
    w->met = (cst_next_fold){step, next_fold(r, &w->passed, step)};
  return w->met.fold;
}

/* Folds those of the states that are observed, all that are evenly spaced at once. */
static void fold_observed(cst_runner *r, int group, const cst_trail *way) {
  const long first = way->step[0], last = way->step[way->n - 1];
  long       step[CST_TRAIL];
  long       next = first_fold(r, first - 1);
  while (next <= last) {
    const long from = next;
    long       gap = 0;
    int        n = 0;
    for (; next <= last && (n < 2 || next - step[n - 1] == gap); n++) {
      step[n] = next;
      gap = n ? step[1] - from : 0;
      next = cst_plan_class_fold_next(r->class, next);
    }
    const size_t at = (size_t)(from - first) * way->stride;
    fold_group(r, group,
               &(cst_trail){n, (size_t)gap * way->stride, step, way->q + at, way->p + at});
  }
  r->own->watch.passed = (cst_next_fold){last, next};
}

/* Lets all look at the states one by one. Observed neighbours are folded together, unless a lane has ended
 * between them. */
static void watch_each(cst_runner *r, int group, const cst_trail *way, const cst_states *states) {
  long fold = first_fold(r, way->step[0] - 1);
  int  from = 0; /* not folded yet */
  for (int i = 0; i < way->n; i++) {
    const int alive = r->b->alive[group];
    watch(r, group, way, states, i);
    const bool observed = way->step[i] == fold;
    if (!observed || alive != r->b->alive[group]) {
      fold_some(r, group, way, from, i, alive);
      from = i + !observed;
    }
    if (observed)
      fold = cst_plan_class_fold_next(r->class, fold);
  }
  fold_some(r, group, way, from, way->n, r->b->alive[group]);
}

/* States on the way of a group, one after each step, of which some are observed. */
static void watch_along(cst_runner *r, int group, const cst_trail *way) {
  const cst_view   view = view_of(r, group, CST_KEEP_NOT);
  const cst_states states = states_of(r, group, &view, way);
  if (all_quiet(r, group, &view, &states, way->step))
    fold_observed(r, group, way);
  else
    watch_each(r, group, way, &states);
  end_watch(r, group, way->step[way->n - 1]);
}

/* Those of a group on its way, without the counts that all groups share; context: the runner. */
static void fold_on_way(void *context, int group, const cst_trail *way) {
  cst_runner *r = context;
  if (r->own->watch.on)
    watch_along(r, group, way);
  else
    fold_group(r, group, way);
}

/* The same for those who look at every step. */
static void watch_all(cst_runner *r) {
  for (int g = 0; g < r->b->groups; g++) {
    const cst_trail  way = cst_stepper_trail(r->st, r->b, g);
    const cst_view   view = view_of(r, g, CST_KEEP_NOT);
    const cst_states states = states_of(r, g, &view, &way);
    watch(r, g, &way, &states, 0);
    end_watch(r, g, r->b->step);
  }
  if (r->own->watch.ended)
    cst_batch_ready(r->st, r->b);
  r->own->watch.ended = false;
}

/* ---- stops ----------------------------------------------------------------------------------- */

bool cst_runner_observes(const cst_runner *r) { return r->b->step == r->own->next_fold; }

/* Whether groups fold one after another between stops. They do not in a slice that may be halted. */
static bool folds_by_group(const cst_runner *r) {
  return !r->own->slices.watched && cst_stepper_goes_by_groups(r->st);
}

/* Those who look at every step may need no momenta, but where the quantities are observed. */
static long fold_after(void *context, long step, bool *momenta) {
  cst_runner *r = context;
  *momenta = true;
  if (r->own->watch.on) {
    *momenta = r->own->watch.momenta || next_fold(r, &r->own->watch.planned, step) == step + 1;
    return step + 1;
  }
  if (step < r->own->next_fold)
    return r->own->next_fold;
  return cst_plan_class_fold_next(r->class, step);
}

/* Passes over the folds before the current step, which all groups have made between stops. */
static void pass_group_folds(cst_runner *r) {
  while (r->own->next_fold < r->b->step)
    r->own->next_fold = cst_plan_class_fold_next(r->class, r->own->next_fold);
}

/* The next step at which a collector stops. */
static long next_of_collectors(const cst_runner *r) {
  long stop = r->class->n;
  for (int i = 0; i < r->own->ncollection; i++) {
    const cst_collection *x = &r->own->collection[i];
    if (x->row->run.next)
      stop = CST_SMALLER(stop, x->row->run.next(x, r->b->step));
  }
  return stop;
}

/* Collectors may read multipliers where they stop and where they watch, and observables have them where they are observed. */
static long next_read(void *context) {
  const cst_runner *r = context;
  const long        now = r->b->step;
  if (r->own->timed)
    return r->class->n;
  if (r->own->watch.on)
    return now + 1;
  const long fold = r->plan->needs_lambda ? cst_plan_class_fold_after(r->class, now) : LONG_MAX;
  return CST_SMALLER(fold, next_of_collectors(r));
}

static long next_stop(void *context) {
  const cst_runner *r = context;
  long              stop = CST_SMALLER(r->class->n, r->own->slices.slice_end);
  if (r->own->timed)
    return stop;
  if (!folds_by_group(r))
    stop = CST_SMALLER(stop, r->own->watch.on ? r->b->step + 1 : r->own->next_fold);
  return CST_SMALLER(stop, next_of_collectors(r));
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
    watch_all(r);
  CST_TRY(observe_before(r));
  if (cst_runner_halted(r))
    return 0;
  if (now == r->own->next_fold) {
    fold_all(r);
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
 * buffered is of steps before the slice, and is written first: they begin again where it began. */
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
  const cst_schedule schedule = {.context = r,
                                 .next = next_stop,
                                 .look = cst_runner_observe,
                                 .read = next_read,
                                 .observe_after = fold_after,
                                 .observe_group = by_group ? fold_on_way : NULL,
                                 .one_by_one = r->own->meter.one_by_one};
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
    if (r->plan->study->run.extensible && b->step == end)
      break;
    const double steps = (double)(b->step - from);
    const double work = r->work->cost * steps / (double)end;
    CST_TRY(slices->poll(slices->poll_context, work, stop));
  }
  slices->slice = slice;
  slices->slice_class = r->work->class;
  return 0;
}
