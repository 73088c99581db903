/* lags.c: adds up pairs of samples while trajectories run (see lags.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/lags.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/clock.h"

static cst_lag_batch *batch_of(const cst_collection *x) { return x->own; }

/* The kept numbers of a group, [numbers][W]. */
typedef struct {
  double *ring;               /* [lags + 1][expressions] */
  double *open;               /* [lags + 1] */
  double *sum[CST_LAGS_SUMS]; /* [lags + 2] */
} kept;

static kept kept_of(const cst_lag_batch *b, const cst_lag *x, const cst_runner *r, int group) {
  const long W = r->width;
  kept       k = {.ring = b->kept + group * cst_lags_numbers(x) * W};
  k.open = k.ring + (x->lags + 1) * x->expressions.n * W;
  k.sum[0] = k.open + (x->lags + 1) * W;
  for (int i = 1; i < CST_LAGS_SUMS; i++)
    k.sum[i] = k.sum[i - 1] + (x->lags + 2) * W;
  return k;
}

/* ---- a sample -------------------------------------------------------------------------------- */

/* Adds one expression's products with its earlier samples to the open sums; `at`: its place in the ring. */
static void add_products(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->expressions.n, size = x->lags + 1;
  const double *now = k->ring + (at * n + i) * W;
  for (long lag = 0; lag < size; lag++) {
    const double *then = k->ring + ((at - lag + size) % size * n + i) * W;
    double       *to = k->open + lag * W;
    for (long l = 0; l < W; l++)
      to[l] += now[l] * then[l];
  }
}

static void add_squares(const kept *k, const cst_lag *x, long W, long at, int i) {
  const long    n = x->expressions.n, size = x->lags + 1;
  const double *now = k->ring + (at * n + i) * W;
  for (long lag = 0; lag < size; lag++) {
    const double *then = k->ring + ((at - lag + size) % size * n + i) * W;
    double       *to = k->open + lag * W;
    for (long l = 0; l < W; l++) {
      const double d = now[l] - then[l];
      to[l] += d * d;
    }
  }
}

/* The open part ends: its means y of a lane go into the sums, and two of them into the rows. */
static void close_lane(const cst_lag_kind *kind, const cst_lag *x, const kept *k, long W, long l,
                       double count, double *y, double *of_part, const cst_class *class) {
  const double spacing = cst_clock_at(class, (double)cst_sampled_steps(class, x->every));
  for (long j = 0; j <= x->lags; j++)
    y[j] = k->open[j * W + l] / count;
  y[x->lags + 1] = kind->figure(y, x->lags, spacing);
  for (long j = 0; j < x->lags + 2; j++) {
    k->sum[CST_LAGS_SUM][j * W + l] += y[j];
    k->sum[CST_LAGS_SQUARE][j * W + l] += y[j] * y[j];
    k->sum[CST_LAGS_CROSSED][j * W + l] += y[j] * y[0];
  }
  of_part[0] = kind->displaces ? y[x->lags] : y[0];
  of_part[1] = y[x->lags + 1];
}

static void close_part(const cst_lag_kind *kind, int which, const kept *k, cst_runner *r, int group,
                       long part) {
  const cst_lag *x = &cst_lags_of(kind, r->plan)->each[which];
  const long     W = r->width, pairs = cst_lags_pairs(x, r->class);
  const long     count = cst_lags_before(pairs, part + 1) - cst_lags_before(pairs, part);
  double        *y = cst_zeros(x->lags + 2, sizeof *y);
  for (long l = 0; l < W && group * W + l < r->work->count; l++) {
    double *rows = cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], which, group * W + l);
    close_lane(kind, x, k, W, l, (double)count, y, rows + 2 * part, r->class);
  }
  memset(k->open, 0, sizeof *k->open * (size_t)((x->lags + 1) * W));
  free(y);
}

/* Takes the sample with this number, counted from the first after the burn-in. */
static void take(const cst_lag_kind *kind, int which, const cst_lag_batch *b, cst_runner *r,
                 int group, long sample) {
  const cst_lag *x = &cst_lags_of(kind, r->plan)->each[which];
  const kept     k = kept_of(b, x, r, group);
  const long     W = r->width, at = sample % (x->lags + 1), n = x->expressions.n;
  const long     pairs = cst_lags_pairs(x, r->class), done = sample - x->lags + 1;
  for (long i = 0; i < n * W; i++)
    k.ring[at * n * W + i] = b->now.value[i] - x->mean;
  if (done <= 0 || done > pairs)
    return;
  const long part = (done - 1) * CST_LAGS_PARTS / pairs;
  for (int i = 0; i < n; i++)
    if (kind->displaces)
      add_squares(&k, x, W, at, i);
    else
      add_products(&k, x, W, at, i);
  if (done == cst_lags_before(pairs, part + 1))
    close_part(kind, which, &k, r, group, part);
}

/* ---- sums over members ----------------------------------------------------------------------- */

enum { MANY = 16 };
bool cst_lags_by_members(const cst_plan *p) { return p->study->members >= MANY; }

/* Adds what a lane has summed over its parts to the cells of one entry. */
static void add_lane(const kept *k, const cst_lag *x, long W, long l, bool by_members,
                     cst_cell *cell) {
  const double whole = 1.0 / CST_LAGS_PARTS, first = k->sum[CST_LAGS_SUM][l] * whole;
  for (long j = 0; j < x->lags + 2; j++, cell += CST_LAGS_SUMS) {
    const double mean = k->sum[CST_LAGS_SUM][j * W + l] * whole;
    if (by_members) {
      cst_cell_add(&cell[CST_LAGS_SUM], mean);
      cst_cell_add(&cell[CST_LAGS_SQUARE], mean * mean);
      cst_cell_add(&cell[CST_LAGS_CROSSED], mean * first);
      continue;
    }
    for (int i = 0; i < CST_LAGS_SUMS; i++)
      cst_cell_add(&cell[i], k->sum[i][j * W + l] * whole);
  }
}

/* At the end of the run: trajectories that have failed before add nothing. */
static void add_all(const cst_lag_kind *kind, cst_collection *x) {
  cst_runner     *r = x->run;
  const cst_lags *w = cst_lags_of(kind, r->plan);
  const bool      by_members = cst_lags_by_members(r->plan);
  const long      W = r->width;
  for (long l = 0; l < r->work->count; l++) {
    cst_cell *cell = cst_runner_cells(x, l);
    if (!cell || !cst_runner_lives(r, r->b, l))
      continue;
    for (int i = 0; i < w->n; i++) {
      const kept k = kept_of(&batch_of(x)[i], &w->each[i], r, (int)(l / W));
      add_lane(&k, &w->each[i], W, l % W, by_members, cell);
      cell += CST_LAGS_SUMS * (w->each[i].lags + 2);
    }
  }
}

/* ---- a batch --------------------------------------------------------------------------------- */

void cst_lags_create(const cst_lag_kind *kind, cst_collection *x) {
  const cst_lags *w = cst_lags_of(kind, x->run->plan);
  for (int i = 0; i < w->n; i++)
    batch_of(x)[i] =
        (cst_lag_batch){cst_values_create(x->run, &w->each[i].expressions),
                        cst_rows_numbers(x->run->rows, kind->row[CST_LAGS_KEPT], i, 0)};
}

void cst_lags_destroy(const cst_lag_kind *kind, cst_collection *x) {
  for (int i = 0; i < cst_lags_of(kind, x->run->plan)->n; i++)
    cst_values_destroy(&batch_of(x)[i].now);
}

void cst_lags_begin(const cst_lag_kind *kind, cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  for (int i = 0; i < w->n; i++) {
    const size_t lanes = (size_t)r->b->groups * (size_t)r->width;
    memset(batch_of(x)[i].kept, 0, sizeof(double) * lanes * (size_t)cst_lags_numbers(&w->each[i]));
    for (long l = 0; l < r->work->count; l++)
      memset(cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], i, l), 0,
             sizeof(double) * 2 * CST_LAGS_PARTS);
  }
}

long cst_lags_next(const cst_lag_kind *kind, const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  const cst_lags   *w = cst_lags_of(kind, r->plan);
  long              next = LONG_MAX;
  for (int i = 0; i < w->n && !r->replayed; i++)
    next = CST_SMALLER(
        next, cst_runner_next_multiple(step, cst_sampled_steps(r->class, w->each[i].every), 0));
  return next;
}

cst_error cst_lags_stop(const cst_lag_kind *kind, cst_collection *x) {
  cst_runner     *r = x->run;
  const cst_lags *w = cst_lags_of(kind, r->plan);
  for (int i = 0; i < w->n && !r->replayed; i++) {
    const long steps = cst_sampled_steps(r->class, w->each[i].every);
    const long sample = r->b->step / steps - cst_lags_first(&w->each[i], r->class);
    if (r->b->step % steps || sample < 0)
      continue;
    for (int g = 0; g < r->b->groups; g++) {
      cst_sampled_look(&batch_of(x)[i].now, r, g);
      take(kind, i, &batch_of(x)[i], r, g, sample);
    }
  }
  if (r->b->step == r->class->n)
    add_all(kind, x);
  return 0;
}

/* Trajectories that have failed have no numbers of their parts. */
cst_error cst_lags_finish(const cst_lag_kind *kind, cst_collection *x) {
  cst_runner *r = x->run;
  for (int i = 0; i < cst_lags_of(kind, r->plan)->n; i++)
    for (long l = 0; l < r->work->count; l++) {
      double *rows = cst_rows_numbers(r->rows, kind->row[CST_LAGS_OF_PARTS], i, l);
      for (int j = 0; j < 2 * CST_LAGS_PARTS && !cst_runner_lives(r, r->b, l); j++)
        rows[j] = NAN;
    }
  return 0;
}
