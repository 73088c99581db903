/* spare.c: a lane that is stepped apart from its batch (see spare.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/spare.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

struct cst_spare {
  cst_stepper *st;
  cst_batch    b;
  double      *kept; /* a record */
};

cst_error cst_spare_create(const cst_prepared *p, const cst_stepper_options *options,
                           double resolution, cst_spare **spare) {
  cst_stepper_options o = *options;
  cst_spare          *x = cst_need(calloc(1, sizeof *x));
  void               *kept = NULL;
  *spare = x;
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

cst_error cst_spare_destroy(cst_spare **spare) {
  if (!*spare)
    return 0;
  CST_TRY(cst_batch_destroy(&(*spare)->b));
  CST_TRY(cst_stepper_destroy(&(*spare)->st));
  free((*spare)->kept);
  free(*spare);
  *spare = NULL;
  return 0;
}

long cst_spare_step(const cst_spare *x, const double *record, int lane) {
  const cst_layout *at = cst_stepper_layout(x->st);
  int64_t           step;
  memcpy(&step, record + at->step * cst_stepper_width(x->st) + lane, sizeof step);
  return (long)step;
}

static void revive(cst_spare *x, int n, long step) {
  x->b.alive[0] = (1 << n) - 1;
  for (int i = 0; i < n; i++)
    x->b.status[i] = (cst_lane_status){CST_DONE, 0};
  x->b.step = step;
  cst_batch_ready(x->st, &x->b);
}

void cst_spare_copy(cst_spare *x, const double *record, int lane) {
  const size_t W = (size_t)cst_stepper_width(x->st);
  const size_t n = cst_stepper_record_size(x->st) / W;
  for (size_t k = 0; k < n; k++)
    x->b.record[k * W] = record[k * W + (size_t)lane];
  revive(x, 1, cst_spare_step(x, record, lane));
}

static cst_error step(cst_spare *x, double h, long n, bool *good) {
  cst_stepper_set_step(x->st, h);
  CST_TRY(cst_stepper_advance(x->st, &x->b, n));
  *good = x->b.status[0].reason == CST_DONE;
  return 0;
}

cst_error cst_spare_advance(cst_spare *x, double h, long to, bool *good) {
  *good = true;
  cst_stepper_set_time(x->st, 0, 0);
  if (to > x->b.step)
    CST_TRY(step(x, h, to - x->b.step, good));
  return 0;
}

void cst_spare_keep(cst_spare *x) {
  memcpy(x->kept, x->b.record, cst_stepper_record_size(x->st) * sizeof *x->kept);
}

/* So near to a constraint that most solvers reach it in one iteration more. */
static void refine(cst_spare *x) {
  static const double near = 4 * DBL_EPSILON;
  const int           W = cst_stepper_width(x->st);
  double             *tolerance = x->b.record + cst_stepper_layout(x->st)->tolerance * W;
  for (int l = 0; l < W; l++)
    tolerance[l] = fmin(tolerance[l], near);
}

/* The first n of the states that were kept. */
static void restore(cst_spare *x, int n, long at, bool fine) {
  memcpy(x->b.record, x->kept, cst_stepper_record_size(x->st) * sizeof *x->kept);
  revive(x, n, at);
  if (fine)
    refine(x);
}

cst_error cst_spare_from_kept(cst_spare *x, double h, long at, double time, bool fine, bool *good) {
  restore(x, 1, at, fine);
  cst_stepper_set_time(x->st, time, at);
  CST_TRY(step(x, h, 1, good));
  return 0;
}

int cst_spare_width(const cst_spare *x) {
  return cst_stepper_varies(x->st) ? cst_stepper_width(x->st) : 1;
}

void cst_spare_keep_as(cst_spare *x, int i) {
  const size_t W = (size_t)cst_stepper_width(x->st);
  for (size_t k = 0; k < cst_stepper_record_size(x->st); k += W)
    x->kept[k + (size_t)i] = x->b.record[k];
}

cst_error cst_spare_each_from_kept(cst_spare *x, int n, const double *h, const long *at,
                                   const double *time, bool fine, bool *good) {
  double each[CST_W_MAX], times[CST_W_MAX];
  long   since[CST_W_MAX];
  if (n == 1) {
    CST_TRY(cst_spare_from_kept(x, h[0], at[0], time[0], fine, good));
    return 0;
  }
  for (int l = 0; l < cst_stepper_width(x->st); l++) {
    each[l] = h[l < n ? l : 0];
    times[l] = time[l < n ? l : 0];
    since[l] = at[l < n ? l : 0];
  }
  restore(x, n, at[0], fine);
  CST_TRY(cst_stepper_set_steps(x->st, each, times, since));
  CST_TRY(cst_stepper_advance(x->st, &x->b, 1));
  for (int i = 0; i < n; i++)
    good[i] = x->b.status[i].reason == CST_DONE;
  return 0;
}

const double *cst_spare_record(const cst_spare *x) { return x->b.record; }

const double *cst_spare_kept(const cst_spare *x) { return x->kept; }

const cst_stepper *cst_spare_stepper(const cst_spare *x) { return x->st; }

bool cst_spare_shortens(const cst_prepared *p) {
  for (int i = 0; i < p->program->n; i++) {
    const cst_substep_row *row = p->program->step[i].row;
    if (row->noise || (row->features & CST_RECALLS))
      return false;
  }
  return true;
}
