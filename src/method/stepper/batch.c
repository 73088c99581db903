/* batch.c: batches of lanes: memory, starts, padding lanes; lanes that are stepped apart; and how
 * trajectories can end. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper.h"

enum { FEW = 64 }; /* numbers that need no memory of their own */

cst_error cst_batch_create(const cst_stepper *s, cst_batch *b) {
  const size_t groups = (size_t)cst_stepper_groups(s);
  const size_t bytes = groups * cst_stepper_record_size(s) * sizeof(double);
  void        *record = NULL, *last = NULL;
  memset(b, 0, sizeof *b);
  CST_CHECK(!posix_memalign(&record, 64, bytes) && !posix_memalign(&last, 64, bytes), MPI_COMM_SELF,
            CST_ERR_MEM, "no memory for a batch");
  b->record = record;
  b->last = last;
  b->alive = calloc(groups, sizeof *b->alive);
  b->status = calloc(groups * (size_t)cst_stepper_width(s), sizeof *b->status);
  CST_CHECK(b->alive && b->status, MPI_COMM_SELF, CST_ERR_MEM, "no memory for a batch");
  return 0;
}

cst_error cst_batch_destroy(cst_batch *b) {
  free(b->record);
  free(b->last);
  free(b->alive);
  free(b->status);
  memset(b, 0, sizeof *b);
  return 0;
}

void cst_batch_reset(const cst_stepper *s, cst_batch *b, long lanes) {
  const int width = cst_stepper_width(s);
  b->groups = (int)((lanes + width - 1) / width);
  b->step = 0;
  b->ahead = 0;
  memset(b->record, 0, (size_t)b->groups * cst_stepper_record_size(s) * sizeof(double));
  memset(b->alive, 0, (size_t)b->groups * sizeof *b->alive);
  memset(b->status, 0, (size_t)b->groups * (size_t)width * sizeof *b->status);
}

static double *numbers(int n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  cst_need(x);
  return x;
}

static double *column(const cst_stepper *s, double *records, long index) {
  const int width = cst_stepper_width(s);
  return records + (size_t)(index / width) * cst_stepper_record_size(s) + index % width;
}

/* p := M v + a; mass: the distinct ones of a constant diagonal. */
static void momentum_of(const cst_system *sys, const double *c, const double *q, const double *v,
                        const double *mass, double *p) {
  if (!cst_has(sys, CST_SEPARABLE)) {
    cst_system_momentum(sys, c, q, v, p);
    return;
  }
  for (int i = 0; i < sys->nq; i++)
    p[i] = cst_has(sys, CST_MASS_UNIT) ? v[i] : mass[sys->model->mass_class[i]] * v[i];
}

void cst_batch_start(const cst_stepper *s, cst_batch *b, long index, const double *c,
                     const double *q, const double *v, double tolerance) {
  const cst_system *sys = cst_stepper_context(s)->system;
  const cst_layout *at = cst_stepper_layout(s);
  const int         width = cst_stepper_width(s), n = sys->nq + sys->model->nmass + sys->ng;
  double few[FEW], *more = n > FEW ? numbers(n) : NULL, *p = more ? more : few, *mass = p + sys->nq,
                   *length = mass + sys->model->nmass, *x = column(s, b->record, index);
  cst_system_eval(sys, CST_K_mass, c, q, NULL, NULL, NULL, NULL, mass);
  x[at->extent * width] = cst_system_lengths(sys, c, q, length);
  momentum_of(sys, c, q, v, mass, p);
  if (cst_stepper_context(s)->tangential)
    cst_system_tangential(sys, c, q, p);
  for (int k = 0; k < sys->npar; k++)
    x[(at->c + k) * width] = c[k];
  for (int k = 0; k < sys->model->nmass; k++)
    x[(at->mass + k) * width] = mass[k];
  for (int a = 0; a < sys->ng; a++)
    x[(at->length + a) * width] = length[a];
  /* so that |g| / s, after rounding, does not exceed the tolerance */
  x[at->tolerance * width] = tolerance * (1 - 0x1p-50);
  for (int i = 0; i < sys->nq; i++) {
    x[(at->q + i) * width] = q[i];
    x[(at->p + i) * width] = p[i];
  }
  cst_stepper_put_steps(s, x, cst_stepper_step(s), 0, 0);
  cst_stepper_start(s, x, c, q, v);
  free(more);
  b->alive[index / width] |= 1 << index % width;
}

/* What a lane's column has of its steps. */
static double step_length(const cst_stepper *s, const double *column) {
  return column[cst_stepper_layout(s)->h * cst_stepper_width(s)];
}

static double origin_of(const cst_stepper *s, const double *column) {
  return column[cst_stepper_layout(s)->origin * cst_stepper_width(s)];
}

static long whole(const cst_stepper *s, const double *column, int at) {
  int64_t x;
  memcpy(&x, column + at * cst_stepper_width(s), sizeof x);
  return (long)x;
}

static long since_of(const cst_stepper *s, const double *column) {
  return whole(s, column, cst_stepper_layout(s)->since);
}

/* The number of parameters that a motion does not change: those before t and the accounts. */
static int constants(const cst_system *s) {
  return cst_has(s, CST_TIMED) ? s->model->account - 1 : s->npar;
}

/* p + (M v + a) - (M v + a before), which is p where neither changes. */
static void change_momentum(const cst_system *sys, const double *before, const double *c,
                            const double *q, const double *v, double *x, int width) {
  double *was = numbers(2 * sys->nq), *now = was + sys->nq;
  cst_system_momentum(sys, before, q, v, was);
  cst_system_momentum(sys, c, q, v, now);
  for (int i = 0; i < sys->nq; i++)
    if (memcmp(&was[i], &now[i], sizeof *now))
      x[i * width] += now[i] - was[i];
  free(was);
}

void cst_batch_change(const cst_stepper *s, cst_batch *b, long index, const double *c) {
  const cst_system *sys = cst_stepper_context(s)->system;
  const cst_layout *at = cst_stepper_layout(s);
  const int         width = cst_stepper_width(s);
  double           *x = column(s, b->record, index),
         *q = numbers(3 * sys->nq + 2 * sys->npar + sys->model->nmass), *p = q + sys->nq,
         *v = p + sys->nq, *was = v + sys->nq, *now = was + sys->npar, *mass = now + sys->npar;
  for (int k = 0; k < sys->npar; k++) {
    was[k] = x[(at->c + k) * width];
    x[(at->c + k) * width] = now[k] = k < constants(sys) ? c[k] : was[k];
  }
  for (int i = 0; i < sys->nq; i++) {
    q[i] = x[(at->q + i) * width];
    p[i] = x[(at->p + i) * width];
  }
  cst_system_velocity(sys, was, q, p, v);
  change_momentum(sys, was, now, q, v, x + at->p * width, width);
  cst_system_eval_at(sys, CST_K_mass, now, q, mass);
  for (int k = 0; k < sys->model->nmass; k++)
    x[(at->mass + k) * width] = mass[k];
  cst_stepper_start(s, x, now, q, v);
  free(q);
}

void cst_batch_address(const cst_stepper *s, cst_batch *b, long index, uint64_t seed,
                       uint64_t member) {
  cst_stepper_address(s, column(s, b->record, index), seed, member);
}

void cst_batch_set_step(cst_stepper *s, cst_batch *b, double h) {
  const long lanes = (long)b->groups * cst_stepper_width(s);
  cst_stepper_set_step(s, h);
  for (long l = 0; l < lanes; l++) {
    double *x = column(s, b->record, l);
    cst_stepper_put_steps(s, x, h, origin_of(s, x), since_of(s, x));
  }
}

void cst_batch_set_time(const cst_stepper *s, cst_batch *b, double time, long step) {
  const long lanes = (long)b->groups * cst_stepper_width(s);
  for (long l = 0; l < lanes; l++) {
    double *x = column(s, b->record, l);
    cst_stepper_put_steps(s, x, step_length(s, x), time, step);
  }
}

cst_error cst_batch_set_steps(const cst_stepper *s, cst_batch *b, const double *h,
                              const double *time, const long *step) {
  const int width = cst_stepper_width(s);
  CST_CHECK(cst_stepper_varies(s), MPI_COMM_SELF, CST_ERR_SUP,
            "lanes with noise, or with averaged multipliers, have one step");
  for (long l = 0; l < (long)b->groups * width; l++)
    cst_stepper_put_steps(s, column(s, b->record, l), h[l % width], time[l % width],
                          step[l % width]);
  cst_batch_ready(s, b);
  return 0;
}

void cst_batch_refuse(const cst_stepper *s, cst_batch *b, long index, const double *c,
                      const double *q, const double *v) {
  const int     width = cst_stepper_width(s);
  const double *from = column(s, b->record, index);
  double       *to = column(s, b->last, index);
  cst_batch_start(s, b, index, c, q, v, 1);
  for (size_t k = 0; k < cst_stepper_record_size(s) / (size_t)width; k++)
    to[k * (size_t)width] = from[k * (size_t)width];
  b->alive[index / width] &= ~(1 << index % width);
  b->status[index] = (cst_lane_status){CST_NO_START, 0};
}

void cst_batch_ready(const cst_stepper *s, cst_batch *b) {
  b->ahead = 0;
  for (int g = 0; g < b->groups; g++)
    cst_stepper_pad(s, b->record + (size_t)g * cst_stepper_record_size(s), b->alive[g]);
}

const double *cst_batch_lane(const cst_stepper *s, const cst_batch *b, long index) {
  return column(s, b->status[index].reason == CST_DONE ? b->record : b->last, index);
}

enum { REASON, STEP, COLUMN }; /* layout of the saved numbers */

size_t cst_batch_numbers(const cst_stepper *s) {
  return COLUMN + cst_stepper_record_size(s) / (size_t)cst_stepper_width(s);
}

void cst_batch_save(const cst_stepper *s, const cst_batch *b, long index, double *x) {
  const double *from = cst_batch_lane(s, b, index);
  const size_t  width = (size_t)cst_stepper_width(s);
  const size_t  n = cst_stepper_record_size(s) / width;
  x[REASON] = b->status[index].reason;
  x[STEP] = (double)b->status[index].step;
  for (size_t k = 0; k < n; k++)
    x[COLUMN + k] = from[k * width];
}

bool cst_batch_is_state(const double *x, long most) {
  const bool is_reason =
      x[REASON] >= CST_DONE && x[REASON] < CST_REASONS && x[REASON] == (int)x[REASON];
  return is_reason && x[STEP] >= 0 && x[STEP] <= (double)most;
}

void cst_batch_restore(const cst_stepper *s, cst_batch *b, long index, const double *x) {
  const size_t     width = (size_t)cst_stepper_width(s);
  const size_t     n = cst_stepper_record_size(s) / width;
  const int        bit = 1 << (size_t)index % width;
  const cst_reason reason = (cst_reason)(int)x[REASON];
  double          *to = column(s, reason == CST_DONE ? b->record : b->last, index);
  b->status[index] = (cst_lane_status){reason, (long)x[STEP]};
  if (reason == CST_DONE)
    b->alive[(size_t)index / width] |= bit;
  else
    b->alive[(size_t)index / width] &= ~bit;
  for (size_t k = 0; k < n; k++)
    to[k * width] = x[COLUMN + k];
}

/* n entries of a lane's column from k on, and of saved numbers, bit by bit. */
static bool same(const double *column, size_t width, const double *saved, int k, int n) {
  for (int i = k; i < k + n; i++)
    if (memcmp(&column[(size_t)i * width], &saved[i], sizeof *saved))
      return false;
  return true;
}

static bool are_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

long cst_batch_saved_step(const double *x, long now) {
  return x[REASON] == CST_DONE ? now : (long)x[STEP];
}

/* Whether the parameters of saved numbers are c, bit by bit. */
static bool has_parameters(const cst_system *s, const double *saved, const double *c) {
  return !memcmp(saved, c, (size_t)constants(s) * sizeof *c);
}

/* Whether the steps of saved numbers are those of the column, or some, where they change. */
static bool has_steps(const cst_stepper *s, const double *column, const double *saved) {
  const cst_layout *at = cst_stepper_layout(s);
  if (cst_stepper_changes_steps(s))
    return isfinite(saved[at->origin]) && isfinite(saved[at->h]) && saved[at->h] != 0;
  return same(column, (size_t)cst_stepper_width(s), saved, at->since, at->q - at->since);
}

bool cst_batch_continues(const cst_stepper *s, const cst_batch *b, long index, const double *c,
                         const double *x, long most) {
  const cst_system *sys = cst_stepper_context(s)->system;
  const cst_layout *at = cst_stepper_layout(s);
  const double     *column = cst_batch_lane(s, b, index);
  const size_t      W = (size_t)cst_stepper_width(s);
  const double     *saved = x + COLUMN;
  const cst_reason  start = b->status[index].reason;
  if (!cst_batch_is_state(x, most) || (x[REASON] == CST_NO_START) != (start == CST_NO_START))
    return false;
  if (x[REASON] == CST_DONE && !are_finite(saved + at->q, sys->nq))
    return false;
  if (x[REASON] == CST_DONE && !are_finite(saved + at->p, sys->nq))
    return false;
  return has_parameters(sys, saved + at->c, c) && has_steps(s, column, saved) &&
         same(column, W, saved, at->tolerance, 1) && same(column, W, saved, at->seed, 1) &&
         same(column, W, saved, at->member, 1);
}

/* ---- a lane that is stepped apart from its batch --------------------------------------------- */

struct cst_scratch_lanes {
  cst_stepper *st;
  cst_batch    b;
  double      *kept; /* a record */
};

cst_error cst_scratch_create(const cst_prepared *p, const cst_stepper_options *options,
                             double resolution, cst_scratch_lanes **scratch) {
  cst_stepper_options o = *options;
  cst_scratch_lanes  *x = cst_need(calloc(1, sizeof *x));
  void               *kept = NULL;
  *scratch = x;
  o.groups = 1;
  o.bare = true;
  CST_TRY(cst_stepper_create(p, &o, &x->st));
  cst_stepper_set_resolution(x->st, resolution);
  CST_TRY(cst_batch_create(x->st, &x->b));
  cst_batch_reset(x->st, &x->b, 1);
  if (posix_memalign(&kept, 64, cst_stepper_record_size(x->st) * sizeof(double)))
    cst_need_fail();
  x->kept = kept;
  return 0;
}

cst_error cst_scratch_destroy(cst_scratch_lanes **scratch) {
  if (!*scratch)
    return 0;
  CST_TRY(cst_batch_destroy(&(*scratch)->b));
  CST_TRY(cst_stepper_destroy(&(*scratch)->st));
  free((*scratch)->kept);
  free(*scratch);
  *scratch = NULL;
  return 0;
}

long cst_scratch_step(const cst_scratch_lanes *x, const double *record, int lane) {
  return whole(x->st, record + lane, cst_stepper_layout(x->st)->step);
}

static void revive(cst_scratch_lanes *x, int n, long step) {
  x->b.alive[0] = (1 << n) - 1;
  for (int i = 0; i < n; i++)
    x->b.status[i] = (cst_lane_status){CST_DONE, 0};
  x->b.step = step;
  cst_batch_ready(x->st, &x->b);
}

void cst_scratch_copy(cst_scratch_lanes *x, const double *record, int lane) {
  const size_t W = (size_t)cst_stepper_width(x->st);
  const size_t n = cst_stepper_record_size(x->st) / W;
  for (size_t k = 0; k < n; k++)
    x->b.record[k * W] = record[k * W + (size_t)lane];
  revive(x, 1, cst_scratch_step(x, record, lane));
}

/* n steps; noise is that of the first lane's. */
static cst_error advance(cst_scratch_lanes *x, long n) {
  cst_stepper_set_step(x->st, step_length(x->st, x->b.record));
  CST_TRY(cst_stepper_advance(x->st, &x->b, n));
  return 0;
}

cst_error cst_scratch_advance(cst_scratch_lanes *x, long to, bool *good) {
  if (to > x->b.step)
    CST_TRY(advance(x, to - x->b.step));
  *good = x->b.status[0].reason == CST_DONE;
  return 0;
}

void cst_scratch_keep(cst_scratch_lanes *x) {
  memcpy(x->kept, x->b.record, cst_stepper_record_size(x->st) * sizeof *x->kept);
}

/* So near to a constraint that most solvers reach it in one iteration more. */
static void refine(cst_scratch_lanes *x) {
  static const double near = 4 * DBL_EPSILON;
  const int           W = cst_stepper_width(x->st);
  double             *tolerance = x->b.record + cst_stepper_layout(x->st)->tolerance * W;
  for (int l = 0; l < W; l++)
    tolerance[l] = fmin(tolerance[l], near);
}

/* The first n of the states that were kept. */
static void restore(cst_scratch_lanes *x, int n, long at, bool fine) {
  memcpy(x->b.record, x->kept, cst_stepper_record_size(x->st) * sizeof *x->kept);
  revive(x, n, at);
  if (fine)
    refine(x);
}

/* The step of lane i becomes a part of what it is, and its time begins with it. */
static void shorten(cst_scratch_lanes *x, int i, double part) {
  double    *to = x->b.record + i;
  const long at = cst_scratch_step(x, x->b.record, i);
  cst_stepper_put_steps(x->st, to, part * step_length(x->st, to),
                        cst_stepper_time(x->st, to, (double)at), at);
}

cst_error cst_scratch_from_kept(cst_scratch_lanes *x, double part, bool fine, bool *good) {
  restore(x, 1, cst_scratch_step(x, x->kept, 0), fine);
  for (int l = 0; l < cst_stepper_width(x->st); l++)
    shorten(x, l, part);
  CST_TRY(advance(x, 1));
  *good = x->b.status[0].reason == CST_DONE;
  return 0;
}

int cst_scratch_width(const cst_scratch_lanes *x) {
  return cst_stepper_varies(x->st) ? cst_stepper_width(x->st) : 1;
}

void cst_scratch_keep_as(cst_scratch_lanes *x, int i) {
  const size_t W = (size_t)cst_stepper_width(x->st);
  for (size_t k = 0; k < cst_stepper_record_size(x->st); k += W)
    x->kept[k + (size_t)i] = x->b.record[k];
}

cst_error cst_scratch_each_from_kept(cst_scratch_lanes *x, int n, const double *part, bool fine,
                                     bool *good) {
  restore(x, n, cst_scratch_step(x, x->kept, 0), fine);
  for (int i = 0; i < n; i++)
    shorten(x, i, part[i]);
  cst_batch_ready(x->st, &x->b);
  CST_TRY(advance(x, 1));
  for (int i = 0; i < n; i++)
    good[i] = x->b.status[i].reason == CST_DONE;
  return 0;
}

const double *cst_scratch_record(const cst_scratch_lanes *x) { return x->b.record; }

const double *cst_scratch_kept(const cst_scratch_lanes *x) { return x->kept; }

const cst_stepper *cst_scratch_stepper(const cst_scratch_lanes *x) { return x->st; }

bool cst_scratch_shortens(const cst_prepared *p) {
  for (int i = 0; i < p->program->n; i++) {
    const cst_substep_row *row = p->program->step[i].row;
    if (row->features & (CST_NEEDS_EQUAL_STEPS | CST_VARIES))
      return false;
  }
  return true;
}

/* ---- how a trajectory can end ---------------------------------------------------------------- */

static const cst_reason_row rows[] = {
#define X(name, failed, words, advice) {words, advice, failed},
    CST_REASON_ROWS(X)
#undef X
};

const cst_reason_row *cst_reason_at(double number) {
  return number >= 0 && number < CST_REASONS ? &rows[(int)number] : NULL;
}

bool cst_reason_failed(double number) {
  const cst_reason_row *row = cst_reason_at(number);
  return number > 0 && (!row || row->failed);
}

bool cst_reason_stopped(double number) { return number > 0 && !cst_reason_failed(number); }
