/* emit-runs.c: finds rows of a loop whose entries have constant strides, so that emit.c writes the loop in
 * parts without tables (emit-runs.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/emit-runs.h"

enum {
  MOST_STEPS = 40, /* of a shape */
  MOST_PARTS = 6,  /* of a loop */
  LEAST_ROWS = 4,  /* of each part, on average */
  PERIODS = 3      /* the largest period */
};

static const cst_shape *shape_of(const cst_partition *p, const cst_loop *l) {
  return &p->loops.shapes.shape[l->shape];
}

/* Column k of the entries of a loop: those of each leaf, then the places of the values. */
static const int *column_of(const cst_partition *p, const cst_loop *l, int k) {
  if (k == shape_of(p, l)->leaves)
    return l->place;
  return l->index + (size_t)k * (size_t)l->rows;
}

bool cst_emit_runs_affine(const int *x, int n, int *stride) {
  if (n > 1)
    *stride = x[1] - x[0];
  else
    *stride = 0;
  for (int i = 1; i < n; i++)
    if (x[i] != x[0] + (long)i * *stride)
      return false;
  return true;
}

int cst_emit_runs_length(const cst_partition *p, const cst_loop *l, int from, int period) {
  const int leaves = shape_of(p, l)->leaves;
  int       n = 1;
  for (int next = from + period; next < l->rows; next += period) {
    for (int k = 0; k <= leaves && n > 1; k++) {
      const int *x = column_of(p, l, k);
      const long stride = x[from + period] - x[from];
      if (x[next] != x[from] + n * stride)
        return n;
    }
    n++;
  }
  return n;
}

static int parts_of(const cst_partition *p, const cst_loop *l, int period) {
  int parts = 0;
  for (int k = 0; k < period; k++)
    for (int r = k; r < l->rows; parts++) {
      const int n = cst_emit_runs_length(p, l, r, period);
      r += period * n;
    }
  return parts;
}

int cst_emit_runs_period(const cst_partition *p, const cst_loop *l) {
  int best = 0;
  int least = MOST_PARTS + 1;
  if (l->sums || shape_of(p, l)->steps > MOST_STEPS)
    return 0;
  for (int period = 1; period <= PERIODS; period++) {
    const int parts = parts_of(p, l, period);
    if (parts < least && parts * LEAST_ROWS <= l->rows) {
      best = period;
      least = parts;
    }
  }
  return best;
}

cst_loop cst_emit_runs_part(const cst_partition *p, const cst_loop *l, int from, int period, int n,
                            int *room) {
  const int leaves = shape_of(p, l)->leaves;
  cst_loop  part = *l;
  part.rows = n;
  part.index = room;
  part.place = room + (long)leaves * n;
  for (int k = 0; k <= leaves; k++) {
    const int *x = column_of(p, l, k);
    int       *to = room + (long)k * n;
    for (int i = 0; i < n; i++)
      to[i] = x[from + i * period];
  }
  return part;
}
