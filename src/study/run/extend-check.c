/* extend-check.c: checks what an extension reads from a result (see extend-check.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/extend-check.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/result/output.h"

enum { AT_ONCE = 1 << 20, REPORTED = 3 };

typedef struct {
  const cst_extension *e;
  const char          *path;
  cst_diag            *d;
  int                  before;  /* messages in d before these */
  double              *numbers; /* [nclass] of the first row of each class */
} check;

static bool enough(const check *x) { return cst_diag_count(x->d) >= x->before + REPORTED; }

static void report_missing(const check *x, const cst_channel *c) {
  const char *why = c->row->is & CST_IS_WIDER
                        ? "; a result that was made by another version of the program, which keeps "
                          "other numbers of a trajectory, can be continued by that one only"
                        : "";
  cst_diag_add(x->d, x->path, 0, 0, "%s cannot be read, or has another shape%s", c->field.path,
               why);
}

/* Extents of a channel of the file. */
static long extent(const check *x, const cst_channel *c, int k) {
  return x->e->channels->dim[c->field.dim[k]].size;
}

/* Reads rows first .. first + n - 1 of a case, along dimension 1 of the channel. */
static bool read_rows(const check *x, const cst_channel *c, int icase, long first, long n,
                      void *to) {
  long start[CST_FIELD_DIMS] = {icase, first}, count[CST_FIELD_DIMS] = {1, n};
  for (int k = 2; k < c->field.ndim; k++)
    count[k] = extent(x, c, k);
  if (cst_result_read_block(x->e->file, c->field.path, c->field.type, start, count, to))
    return true;
  report_missing(x, c);
  return false;
}

/* Numbers per row along dimension 1. */
static long width_of(const check *x, const cst_channel *c) {
  long n = 1;
  for (int k = 2; k < c->field.ndim; k++)
    n *= extent(x, c, k);
  return n;
}

/* Whether the n rows of a case from `first` on may be used; the first that may not is reported. */
typedef bool judge(const check *x, const cst_channel *c, int icase, long first, long n,
                   const void *rows);

static bool are_possible(const check *x, const cst_channel *c, int icase, long first, long n,
                         const void *rows) {
  char why[256];
  (void)first;
  if (cst_sound(x->e->old, icase, c, rows, (size_t)(n * width_of(x, c)), why, sizeof why))
    return true;
  cst_diag_add(x->d, x->path, 0, 0, "%s", why);
  return false;
}

/* All rows of a class have as many numbers. */
static bool is_first_or_alike(const check *x, int class, const double *row) {
  if (x->numbers[class] == 0)
    x->numbers[class] = row[CST_CONTINUE_NUMBERS];
  return x->numbers[class] == row[CST_CONTINUE_NUMBERS];
}

static bool can_be_continued(const check *x, const cst_channel *c, int icase, long first, long n,
                             const void *rows) {
  const cst_plan  *p = x->e->old;
  const cst_class *k = &p->classes[p->class_of[icase]];
  const double    *row = rows;
  char             why[200];
  for (long m = 0; m < n; m++, row += c->count) {
    if (cst_continue_check(x->e->channels, k, x->e->now_channels, row, why, sizeof why)) {
      if (is_first_or_alike(x, p->class_of[icase], row))
        continue;
      snprintf(why, sizeof why, "it has other numbers than the rows of the same method and step");
    }
    cst_diag_add(x->d, x->path, 0, 0, "%s, case %d, member %ld: %s", c->field.path, icase,
                 first + m, why);
    return false;
  }
  return true;
}

/* Judges all rows of a channel in one case: of its members, or samples. */
static void check_rows(const check *x, const cst_channel *c, int icase, judge *accepts) {
  long         at = 0, all = extent(x, c, 1);
  const size_t row = cst_record_width(c->field.type) * (size_t)width_of(x, c);
  const long   some = row ? 1 + (long)(AT_ONCE / row) : 1;
  char        *rows = cst_need(malloc((size_t)some * row + 1));
  if (c->count)
    cst_extend_members(x->e, icase, &at, &all);
  for (all += at; row && at < all; at += some) {
    const long n = all - at < some ? all - at : some;
    if (!read_rows(x, c, icase, at, n, rows) || !accepts(x, c, icase, at, n, rows))
      break;
  }
  free(rows);
}

static bool is_summed(const cst_channel *c) { return c->row->is & CST_IS_SUMMED; }

static void check_case(const check *x, int icase) {
  const cst_extension *e = x->e;
  for (int k = 0; k < e->channels->n && !enough(x); k++) {
    const cst_channel *c = &e->channels->channel[k];
    if (c->place < 0)
      continue;
    if ((c->row->is & CST_IS_WIDER) && e->continues)
      check_rows(x, c, icase, can_be_continued);
    else if (is_summed(c) || (c->count && !e->continues && !(c->row->is & CST_IS_WIDER)))
      check_rows(x, c, icase, are_possible);
  }
}

void cst_extend_check(const cst_extension *e, const char *path, cst_diag *d) {
  const check x = {e, path, d, cst_diag_count(d), cst_zeros(e->old->nclass, sizeof(double))};
  for (int k = 0; k < e->now->ncase; k++)
    if (e->from[k] >= 0)
      check_case(&x, e->from[k]);
  free(x.numbers);
}
