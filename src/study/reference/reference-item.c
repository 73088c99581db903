/* reference-item.c: one task of the reference: steps some members of one table through the times that are
 * read, in double precision as a batch, or a single member in quadruple precision. It can be interrupted at
 * any step and resumed there: its state is packed for a checkpoint. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/method.h"
#include "study/reference/motion.h"
#include "study/reference/reference.h"

struct cst_item {
  cst_reference      *r;
  long                index;
  cst_reference_share x;
  int                 time; /* index of the next time to read */
  long                done; /* steps done towards it */
  cst_stepper        *st;   /* in double precision; NULL in quadruple */
  cst_batch           b;
  double             *lambda;
  cst_motion         *m; /* in quadruple precision; NULL without a valid start */
  __float128         *workspace;
  long                some;  /* steps between two polls */
  long                finer; /* each step of the reference is taken in so many */
  double             *saved; /* the batch before steps that may be halted */
};

/* ---- an item that is interrupted ------------------------------------------------------------- */

/* The batch of i := the members saved at `from`, after `step` steps. */
static void restore_batch(cst_item *i, const double *from, long step) {
  const size_t n = cst_batch_numbers(i->st);
  for (long m = 0; m < i->x.count; m++)
    cst_batch_restore(i->st, &i->b, m, from + (size_t)m * n);
  i->b.step = step;
  cst_batch_ready(i->st, &i->b);
}

/* Head of a section "midway"; the values at earlier times follow, then the state. */
typedef struct {
  long index, time, done, step;
} head;

static size_t values(const cst_item *i, long time) {
  const cst_system *s = i->r->plan->study->problem.system;
  const size_t      row = (size_t)(2 * s->nq + s->ng);
  return sizeof(double) * (size_t)time * (size_t)i->x.count * row;
}

static size_t state(const cst_item *i) {
  if (i->st)
    return sizeof(double) * cst_batch_numbers(i->st) * (size_t)i->x.count;
  return i->m ? cst_motion_bytes(i->m) : 0;
}

void cst_reference_pack_midway(const cst_reference *r, cst_bundle *b) {
  const cst_item *i = r->at;
  if (!i)
    return;
  const size_t size = sizeof(head) + values(i, i->time) + state(i);
  char        *to = cst_bundle_add(b, "midway", size);
  const long   step = i->st ? i->b.step : 0;
  *(head *)(void *)to = (head){i->index, i->time, i->done, step};
  to += sizeof(head);
  cst_reference_copy(r, i->index, i->time, (double *)(void *)to, false);
  to += values(i, i->time);
  if (i->st) {
    const size_t n = cst_batch_numbers(i->st);
    double      *row = (double *)(void *)to;
    for (long m = 0; m < i->x.count; m++)
      cst_batch_save(i->st, &i->b, m, row + (size_t)m * n);
  }
  if (i->m)
    cst_motion_save(i->m, to);
}

/* True if an item can be at this position: before a time to read, or after the last one. */
static bool stands(const cst_item *i, const head *h) {
  const int last = i->r->ntime[i->x.variant];
  double    from;
  if (h->time < 0)
    return false;
  if (h->time > last)
    return false;
  if (h->done < 0)
    return false;
  if (h->step < 0)
    return false;
  if (h->time == last)
    return h->done == 0;
  const long way = cst_reference_way(i->r, i->x.table, (int)h->time, &from);
  return h->done <= CST_LARGER(0, way);
}

/* True if the saved numbers of each member are a state. (For a motion any numbers are.) */
static bool are_states(const cst_item *i, const char *from) {
  if (!i->st)
    return true;
  const size_t  n = cst_batch_numbers(i->st);
  const double *row = (const double *)(const void *)from;
  for (long m = 0; m < i->x.count; m++)
    if (!cst_batch_is_state(row + (size_t)m * n, LONG_MAX))
      return false;
  return true;
}

/* Puts i where it was interrupted, from a section of `size` bytes that cst_reference_pack_midway made; false
 * if the section does not fit i. */
static bool unpack_midway(cst_item *i, const char *from, size_t size) {
  head h;
  if (size < sizeof h)
    return false;
  memcpy(&h, from, sizeof h);
  if (!stands(i, &h))
    return false;
  if (size != sizeof h + values(i, h.time) + state(i))
    return false;
  from += sizeof h;
  if (!are_states(i, from + values(i, h.time)))
    return false;
  cst_reference_copy(i->r, i->index, (int)h.time, (double *)(uintptr_t)from, true);
  from += values(i, h.time);
  i->time = (int)h.time;
  i->done = h.done;
  if (i->st)
    restore_batch(i, (const double *)(const void *)from, h.step);
  if (i->m)
    cst_motion_restore(i->m, from);
  return true;
}

/* ---- double precision ------------------------------------------------------------------------ */

/* Starts members first .. first+count-1 of a variant in the batch. */
static cst_error start_members(const cst_plan *p, const cst_stepper *st, cst_batch *b, int variant,
                               long first, long count) {
  const cst_study *s = p->study;
  double          *q, *v;
  q = cst_zeros(s->problem.system->nq, sizeof *q);
  v = cst_zeros(s->problem.system->nq, sizeof *v);
  cst_batch_reset(st, b, count);
  for (long m = 0; m < count; m++) {
    const double *c = cst_plan_parameters(p, variant);
    if (cst_study_member(s, variant, first + m, q, v))
      cst_batch_start(st, b, m, c, q, v, 1e-15);
    else
      cst_batch_refuse(st, b, m, c, q, v);
    cst_batch_address(st, b, m, s->ensemble.seed, (uint64_t)(first + m));
  }
  cst_batch_ready(st, b);
  free(q);
  free(v);
  return 0;
}

/* Replaces the momenta of the share in its table by M v + a. */
static void make_kinetic(cst_reference *r, const cst_stepper *st, const cst_batch *b,
                         cst_reference_share x, int time) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->problem.system;
  const int         nq = s->nq;
  const int         width = cst_stepper_width(st);
  const cst_fold   *fold = cst_fold_for(s, p->isa, p->study->problem.flat);
  const size_t      bytes = (size_t)nq * CST_W_MAX * sizeof(double);
  double           *v = cst_need(aligned_alloc(64, bytes));
  double           *one = cst_zeros(nq, sizeof *one);
  for (long m = 0; m < x.count; m++) {
    double *to = cst_reference_cell(r, x.table, time, x.first + m);
    if (m % width == 0) {
      const size_t  group = (size_t)(m / width);
      const double *record = b->record + group * cst_stepper_record_size(st);
      fold->velocities(cst_stepper_context(st), record, v);
    }
    for (int i = 0; i < nq; i++)
      one[i] = v[i * width + m % width];
    if (b->status[m].reason == CST_DONE) {
      const double *c = cst_plan_parameters(p, x.variant);
      cst_system_momentum(s, c, to, one, to + nq);
    }
  }
  free(v);
  free(one);
}

/* The state of one lane of a group's record, q and p, and its multipliers; NAN where it has failed. */
static void read_lane(const cst_system *s, const cst_layout *at, const double *record,
                      const double *lambda, int width, bool good, double *to) {
  const int ng = s->ng;
  const int nq = s->nq;
  if (!good) {
    for (int i = 0; i < 2 * nq + ng; i++)
      to[i] = NAN;
    return;
  }
  for (int i = 0; i < nq; i++) {
    to[i] = record[(at->q + i) * width];
    to[nq + i] = record[(at->p + i) * width];
  }
  for (int a = 0; a < ng; a++)
    to[2 * nq + a] = lambda[a * width];
}

/* Copies the states of the batch into the table; NaN for failed lanes. */
static void store(cst_reference *r, const cst_stepper *st, const cst_batch *b,
                  cst_reference_share x, int time, double *lambda) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->problem.system;
  const cst_layout *at = cst_stepper_layout(st);
  const int         width = cst_stepper_width(st);
  const cst_fold   *fold = cst_fold_for(s, p->isa, p->study->problem.flat);
  for (long m = 0; m < x.count; m++) {
    double      *to = cst_reference_cell(r, x.table, time, x.first + m);
    const size_t group = (size_t)(m / width);
    double      *record = b->record + group * cst_stepper_record_size(st);
    const long   lane = m % width;
    const bool   good = b->status[m].reason == CST_DONE;
    if (lane == 0)
      fold->multipliers(cst_stepper_context(st), record, lambda);
    read_lane(s, at, record + lane, lambda + lane, width, good, to);
    if (good && s->model->dropped) {
      const double *c = cst_plan_parameters(p, x.variant);
      cst_system_least_norm(s, c, to, to + 2 * s->nq);
    }
  }
  if (cst_stepper_context(st)->tangential)
    make_kinetic(r, st, b, x, time);
}

static cst_error open_double(cst_item *i) {
  const cst_plan           *p = i->r->plan;
  const cst_study          *s = p->study;
  const int                 width = cst_isas[p->isa].width;
  const cst_stepper_options o = {p->isa,
                                 (int)((i->x.count + width - 1) / width),
                                 CST_LARGER(100, s->solver.max_iterations),
                                 false,
                                 CST_ITERATION_AUTO,
                                 false,
                                 false,
                                 s->reference.step};
  const size_t bytes = (size_t)(s->problem.system->ng + 1) * CST_W_MAX * sizeof *i->lambda;
  i->lambda = cst_need(aligned_alloc(64, bytes));
  CST_TRY(cst_stepper_create(p->reference, &o, &i->st));
  cst_stepper_set_resolution(i->st, s->steps.resolution);
  CST_TRY(cst_batch_create(i->st, &i->b));
  CST_TRY(start_members(p, i->st, &i->b, i->x.variant, i->x.first, i->x.count));
  return 0;
}

/* ---- quadruple precision --------------------------------------------------------------------- */

static int stages(const cst_method *m) { return (int)cst_method_root(m)->arg[0]->number; }

/* Rounds q, p, lambda of the motion at its time; room[2 nq + ng]. */
static void round_state(const cst_system *s, const double *c, cst_motion *m, __float128 *room,
                        double *to) {
  const int nq = s->nq;
  cst_motion_state(m, room, NULL, room + nq, room + 2 * nq);
  for (int i = 0; i < 2 * nq + s->ng; i++)
    to[i] = (double)room[i];
  if (s->model->dropped)
    cst_system_least_norm(s, c, to, to + 2 * nq);
}

cst_motion *cst_reference_motion(const cst_plan *p, int variant, long member) {
  const cst_study *s = p->study;
  const int        nq = s->problem.system->nq;
  double          *q = cst_zeros(2 * nq, sizeof *q);
  double          *v = q + nq;
  cst_motion      *m = NULL;
  if (cst_study_member(s, variant, member, q, v))
    m = cst_motion_create(s->problem.system, stages(s->reference.method),
                          cst_plan_parameters(p, variant), q, v);
  free(q);
  return m;
}

static void open_quad(cst_item *i) {
  const cst_system *sys = i->r->plan->study->problem.system;
  i->workspace = cst_zeros(2 * sys->nq + sys->ng, sizeof *i->workspace);
  i->m = cst_reference_motion(i->r->plan, i->x.variant, i->x.first);
}

static void store_quad(cst_item *i) {
  const cst_system *s = i->r->plan->study->problem.system;
  double           *to = cst_reference_cell(i->r, i->x.table, i->time, i->x.first);
  if (i->m && cst_motion_lives(i->m))
    round_state(s, cst_plan_parameters(i->r->plan, i->x.variant), i->m, i->workspace, to);
  else
    for (int k = 0; k < 2 * s->nq + s->ng; k++)
      to[k] = NAN;
}

/* ---- either precision ------------------------------------------------------------------------ */

static cst_error open_item(cst_reference *r, long index, cst_reference_share x, cst_item **item) {
  cst_item *i;
  i = cst_zeros(1, sizeof *i);
  *item = i;
  i->r = r;
  i->index = index;
  i->x = x;
  i->finer = 1;
  if (r->plan->study->reference.quad)
    open_quad(i);
  else
    CST_TRY(open_double(i));
  return 0;
}

static cst_error close_item(cst_item *i) {
  if (i->st)
    CST_TRY(cst_batch_destroy(&i->b));
  CST_TRY(cst_stepper_destroy(&i->st));
  cst_motion_destroy(i->m);
  free(i->lambda);
  free(i->saved);
  free(i->workspace);
  free(i);
  return 0;
}

enum { STEPS_PER_POLL = 64, QUAD_STEPS_PER_POLL = 4, FEW_STEPS = 8 };

static void save_batch(cst_item *i) {
  const size_t n = cst_batch_numbers(i->st);
  if (!i->saved) {
    const size_t numbers = n * (size_t)i->x.count;
    i->saved = cst_zeros((long)numbers, sizeof *i->saved);
  }
  for (long m = 0; m < i->x.count; m++)
    cst_batch_save(i->st, &i->b, m, i->saved + (size_t)m * n);
}

/* Advances the batch. If there are few steps, which may be long, it can be halted inside; *some is then 0. */
static cst_error advance_batch(cst_item *i, double from, double h, long *some) {
  const long step = i->b.step;
  const bool watched = i->r->halt && *some <= FEW_STEPS;
  if (watched)
    save_batch(i);
  cst_stepper_halt_by(i->st, watched ? i->r->halt : NULL, i->r->halt_context);
  cst_batch_set_step(i->st, &i->b, h);
  cst_batch_set_time(i->st, &i->b, from, step - i->done);
  CST_TRY(cst_stepper_advance(i->st, &i->b, *some));
  if (!cst_stepper_halted(i->st))
    return 0;
  restore_batch(i, i->saved, step);
  *some = 0;
  return 0;
}

/* Takes some steps of a span of n steps. A span of 0 has none: the time is that of the start. */
static cst_error advance(cst_item *i, double from, double to, long n) {
  const double before = MPI_Wtime();
  const long   most = i->st ? STEPS_PER_POLL : QUAD_STEPS_PER_POLL;
  long         some = CST_SMALLER(CST_LARGER(1, i->some), n - i->done);
  if (i->st)
    CST_TRY(advance_batch(i, from, (to - from) / (double)n, &some));
  else if (i->m) {
    const __float128 h = ((__float128)to - from) / n;
    cst_motion_advance(i->m, h, some);
  }
  i->done += some;
  const double spent = MPI_Wtime() - before;
  if (spent < 0.025 && some > 0) {
    const long twice = 2 * CST_LARGER(1, i->some);
    i->some = CST_SMALLER(twice, most);
  } else if (spent > 0.1)
    i->some = i->some / 2;
  return 0;
}

static cst_error walk(cst_item *i, cst_poll *poll, void *context, bool *stop) {
  const double *time = i->r->time[i->x.variant];
  for (; i->time < i->r->ntime[i->x.variant]; i->time++, i->done = 0) {
    double     from;
    const long way = cst_reference_way(i->r, i->x.table, i->time, &from);
    if (way < 0)
      continue;
    const long n = i->finer * way;
    while (i->done < n) {
      const long done = i->done;
      CST_TRY(advance(i, from, time[i->time], n));
      CST_TRY(poll(context, (double)((i->done - done) * i->x.count) / (double)i->finer * i->r->cost,
                   stop));
      if (*stop)
        return 0;
    }
    if (i->st)
      store(i->r, i->st, &i->b, i->x, i->time, i->lambda);
    else
      store_quad(i);
  }
  return 0;
}

/* ---- whole items ----------------------------------------------------------------------------- */

/* Whether a member was given up after a sound start. */
static bool has_failed(const cst_item *i, long m) {
  if (i->st)
    return i->b.status[m].reason != CST_DONE && i->b.status[m].reason != CST_NO_START;
  return i->m && !cst_motion_lives(i->m);
}

/* Takes a member of an item again, with smaller steps, until it lasts to the end or the tries are used up. */
static cst_error take_again(const cst_item *failed, long m, cst_poll *poll, void *context,
                            bool *stop) {
  cst_reference            *r = failed->r;
  const cst_reference_share x = {failed->x.variant, failed->x.table, failed->x.first + m, 1};
  bool                      fails = true;
  for (int k = 1; k <= CST_REFERENCE_TRIES && fails && !*stop; k++) {
    cst_item *i;
    CST_TRY(open_item(r, -1, x, &i));
    i->finer = 1L << k;
    CST_TRY(walk(i, poll, context, stop));
    fails = has_failed(i, 0);
    CST_TRY(close_item(i));
    if (!fails && !*stop && failed->index >= 0)
      r->again[failed->index]++;
  }
  return 0;
}

/* Steps all members of an item. The tables at twice the step are left as they are: they tell the error of the
 * steps that the others take. */
static cst_error compute(cst_item *i, cst_poll *poll, void *context, bool *stop) {
  CST_TRY(walk(i, poll, context, stop));
  if (i->x.table >= i->r->plan->study->problem.nvariant)
    return 0;
  for (long m = 0; m < i->x.count && !*stop; m++)
    if (has_failed(i, m))
      CST_TRY(take_again(i, m, poll, context, stop));
  return 0;
}

cst_error cst_reference_compute(cst_reference *r, int item, const void *midway, size_t size,
                                cst_poll *poll, void *context, bool *stop) {
  if (r->item[item] != CST_ITEM_OPEN)
    return 0;
  r->again[item] = 0;
  CST_TRY(open_item(r, item, cst_reference_share_of(r, item), &r->at));
  CST_CHECK(!midway || unpack_midway(r->at, midway, size), MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
            "the checkpoint of the reference does not fit this study");
  CST_TRY(compute(r->at, poll, context, stop));
  CST_TRY(close_item(r->at));
  r->at = NULL;
  if (!*stop)
    r->item[item] = CST_ITEM_DONE;
  return 0;
}

cst_error cst_reference_compute_member(cst_reference *r, int variant, long member, cst_poll *poll,
                                       void *context, bool *stop) {
  cst_item *i;
  CST_TRY(open_item(r, -1, (cst_reference_share){variant, variant, member, 1}, &i));
  CST_TRY(compute(i, poll, context, stop));
  CST_TRY(close_item(i));
  return 0;
}
