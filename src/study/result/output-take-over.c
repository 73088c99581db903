/* output-take-over.c: copies what an earlier result of a smaller or shorter study already has: rows,
 * series of single members, and what collectors copy. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/collector.h"
#include "study/result/output-internal.h"
#include "study/result/sound.h"
#include "core/need.h"

enum { TAKEN_AT_ONCE = 1 << 20 };

/* Of the times of stored states, a dataset of one dimension, those before the first NaN: they stop where those of
 * the longest track do. Of other numbers all. */
static long count_written(const cst_channel *c, const void *x, long n) {
  const double *t = x;
  long          i = 0;
  if (c->field.ndim > 1)
    return n;
  while (i < n && !isnan(t[i]))
    i++;
  return i;
}

cst_error cst_output_copy(cst_output *o, cst_result *file, const cst_plan *old, int icase,
                          const cst_channel *c, const char *from, long *from_start, long *start,
                          long *count, int along) {
  const cst_field *field = &c->field;
  size_t           row = cst_record_width(field->type);
  const long       rows = count[along];
  char             why[256];
  void            *x;
  for (int k = along + 1; k < field->ndim; k++)
    row *= (size_t)count[k];
  const long some = row ? (long)CST_LARGER((size_t)1, TAKEN_AT_ONCE / row) : rows;
  x = cst_zeros(some, row + 1);
  for (long at = 0; row && at < rows; at += some, start[along] += some, from_start[along] += some) {
    count[along] = CST_SMALLER(some, rows - at);
    CST_CHECK(cst_result_read_block(file, from, field->type, from_start, count, x), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s of the file cannot be read, or has another shape", from);
    CST_CHECK(cst_sound(old, icase, c, x,
                        (size_t)count[along] * row / cst_record_width(field->type), why,
                        sizeof why),
              MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED, "%s", why);
    count[along] = count_written(c, x, count[along]);
    CST_TRY(cst_output_block(o, c, start, count, x));
  }
  free(x);
  return 0;
}

/* Numbers per row of a channel whose rows have another width in the earlier result. */
static long width_in(const cst_plan *p, const cst_channel *c) {
  cst_channels *all = cst_channels_create(p, NULL);
  const long    n = (long)cst_channels_find(all, c->row, c->which)->count;
  cst_channels_destroy(all);
  return n;
}

/* Whether rows have this width in the earlier result. Another program may have kept other numbers of a trajectory: its
 * rows, from which a longer run goes on, stay behind. */
static bool has_rows(cst_result *file, const cst_channel *c, const long *there, long width) {
  const long one[CST_FIELD_DIMS] = {1, 1, width};
  double    *row = cst_zeros(width, sizeof *row);
  const bool good = cst_result_read_block(file, c->field.path, c->field.type, there, one, row);
  free(row);
  return good;
}

/* Copies rows of n members, [case][member]..., and series of single members, [case][sample]. */
static cst_error take_channel(cst_output *o, cst_result *file, const cst_plan *old, int from,
                              int to, long first, long n, const cst_channel *c) {
  const bool is_series = c->row->is & CST_IS_OF_ONE;
  const bool single = old->study->members == 1 && is_series;
  long       there[CST_FIELD_DIMS] = {from, first};
  long       here[CST_FIELD_DIMS] = {to, first}, count[CST_FIELD_DIMS] = {1};
  if (!cst_output_has_rows(c) && !single)
    return 0;
  cst_output_extent(o, c, 2, count);
  if (c->row->is & CST_IS_WIDER) {
    count[2] = width_in(old, c);
    if (!has_rows(file, c, there, count[2])) {
      o->narrow = true;
      return 0;
    }
  }
  count[1] = single ? old->classes[old->class_of[from]].nsample : n;
  CST_TRY(cst_output_copy(o, file, old, from, c, c->field.path, there, here, count, 1));
  return 0;
}

bool cst_output_is_narrow(const cst_output *o) { return o->narrow; }

cst_error cst_output_copies(cst_output *o, cst_result *file, const cst_plan *old, int from, int to,
                            long first, long n) {
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_reuse *reuse = cst_collectors[k]->reuse;
    if (reuse && reuse->copy)
      CST_TRY(reuse->copy(o, file, old, from, to, first, n));
  }
  return 0;
}

cst_error cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from,
                               int to, long first, long n) {
  const cst_channel *status = cst_channels_find(o->channels, &cst_channel_status, 0);
  for (int k = 0; k < o->channels->n; k++) {
    const cst_channel *c = &o->channels->channel[k];
    if (c != status)
      CST_TRY(take_channel(o, file, old, from, to, first, n, c));
  }
  CST_TRY(cst_output_copies(o, file, old, from, to, first, n));
  /* last: a row with a status is complete */
  CST_TRY(take_channel(o, file, old, from, to, first, n, status));
  return 0;
}
