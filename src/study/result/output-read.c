/* output-read.c: reads back what has been written of a result (output.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/plan/division.h"
#include "study/result/output-internal.h"
#include "study/result/sound.h"

/* Of the numbers that were read of case icase, those that the plan's part has: the others are not there. */
static void own_numbers(const cst_output *o, const cst_channel *c, int icase, const long *start,
                        const long *count, size_t *skip, size_t *n) {
  const size_t each = count[1] ? *n / (size_t)count[1] : 0; /* of a member */
  long         first, members;
  *skip = 0;
  if (!o->plan->part || !c->count)
    return;
  cst_division_members(o->plan, o->plan->division, o->plan->part, icase, &first, &members);
  const long from = CST_LARGER(first, start[1]);
  const long until = CST_SMALLER(first + members, start[1] + count[1]);
  *skip = from < until ? (size_t)(from - start[1]) * each : 0;
  *n = from < until ? (size_t)(until - from) * each : 0;
}

/* Reads numbers of count[0] cases, with which something is computed: an earlier run may have written them. */
static cst_error read_back(cst_output *o, const cst_channel *c, const long *start,
                           const long *count, void *x) {
  char   why[256];
  size_t n = 1; /* numbers of a case */
  for (int k = 1; k < c->field.ndim; k++)
    n *= (size_t)count[k];
  if (o->file)
    CST_CHECK(cst_result_read_block(o->file, c->field.path, c->field.type, start, count, x),
              MPI_COMM_SELF, CST_ERR_FILE_READ, "%s of the file cannot be read", c->field.path);
  else
    CST_CHECK(cst_record_read(o->record, c->place, start, count, x), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s", cst_record_error(o->record));
  for (long i = 0; i < count[0]; i++) {
    const size_t width = cst_record_width(c->field.type);
    const int    icase = (int)(start[0] + i);
    size_t       skip, own = n;
    own_numbers(o, c, icase, start, count, &skip, &own);
    const char *of_case = (const char *)x + ((size_t)i * n + skip) * width;
    CST_CHECK(cst_sound(o->plan, icase, c, of_case, own, why, sizeof why), MPI_COMM_SELF,
              CST_ERR_FILE_UNEXPECTED, "%s", why);
  }
  return 0;
}

cst_error cst_output_read(cst_output *o, const cst_channel_row *row, int which, int first, int n,
                          double *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               start[CST_FIELD_DIMS] = {first}, count[CST_FIELD_DIMS] = {n};
  void              *rows = x;
  CST_CHECK(c && c->place >= 0, MPI_COMM_SELF, CST_ERR_PLIB, "the study has no %s", row->path);
  cst_output_extent(o, c, 1, count);
  if (!c->count)
    return 0;
  signed char *flag = NULL;
  if (c->field.type == CST_TYPE_I8) {
    flag = cst_zeros(n * count[1], sizeof *flag);
    rows = flag;
  }
  CST_TRY(read_back(o, c, start, count, rows));
  for (long i = 0; flag && i < n * count[1]; i++)
    x[i] = flag[i];
  free(flag);
  for (long i = 0; c->field.type == CST_TYPE_I64 && i < n * count[1]; i++) {
    int64_t whole;
    memcpy(&whole, &x[i], sizeof whole);
    x[i] = (double)whole;
  }
  return 0;
}

cst_error cst_output_read_members(cst_output *o, const cst_channel_row *row, int which, int icase,
                                  long first, long n, double *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               start[CST_FIELD_DIMS] = {icase, first}, count[CST_FIELD_DIMS] = {1, n};
  CST_CHECK(c && c->place >= 0 && c->field.type == CST_TYPE_F64, MPI_COMM_SELF, CST_ERR_PLIB,
            "the study has no %s", row->path);
  cst_output_extent(o, c, 2, count);
  CST_TRY(read_back(o, c, start, count, x));
  return 0;
}
