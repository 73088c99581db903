/* case-rows.c: reads finished rows of one case after the other (see case-rows.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/case-rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/output.h"
#include "study/result/failure.h"

enum { AT_ONCE = 8 << 20 }; /* bytes of rows that are read ahead, of all channels together */

static int cases_at_once(const cst_plan *p, const cst_channels *c) {
  double bytes = 0;
  for (int k = 0; k < c->n; k++)
    bytes += sizeof(double) * (double)c->channel[k].count * (double)p->study->ensemble.members;
  return (int)CST_LARGER(1, CST_SMALLER(p->ncase, AT_ONCE / CST_LARGER(1, bytes)));
}

cst_error cst_case_rows_create(const cst_plan *p, cst_output *o, const double *reference_error,
                               cst_case_rows **rows) {
  const long     n = p->study->ensemble.members;
  cst_case_rows *r;
  r = cst_zeros(1, sizeof *r);
  *rows = r;
  r->plan = p;
  r->output = o;
  r->reference_error = reference_error;
  r->good = cst_zeros(n, sizeof *r->good);
  r->stopped = cst_zeros(n, sizeof *r->stopped);
  r->summary = cst_zeros(n * CST_SUMMARY_NUMBERS, sizeof *r->summary);
  r->room = (size_t)n;
  r->number = cst_zeros(n, sizeof *r->number);
  if (p->study->reference.kind != CST_REFERENCE_NONE)
    r->error = cst_zeros(n, sizeof *r->error);
  r->most = cases_at_once(p, cst_output_channels(o));
  r->block = cst_zeros(cst_output_channels(o)->n, sizeof *r->block);
  return 0;
}

void cst_case_rows_ahead(cst_case_rows *r, int until) { r->until = until; }

cst_error cst_case_rows_destroy(cst_case_rows **rows) {
  for (int k = 0; k < cst_output_channels((*rows)->output)->n; k++)
    free((*rows)->block[k].x);
  free((*rows)->block);
  free((*rows)->error);
  free((*rows)->good);
  free((*rows)->stopped);
  free((*rows)->summary);
  free((*rows)->number);
  free(*rows);
  *rows = NULL;
  return 0;
}

/* Reads a block of a channel that begins with the open case. */
static cst_error read_block(cst_case_rows *r, const cst_channel_row *row, int which, size_t numbers,
                            cst_case_block *b) {
  if (!b->x)
    b->x = cst_zeros(r->most * numbers, sizeof *b->x);
  b->first = r->icase;
  b->n = CST_LARGER(1, CST_SMALLER(r->most, r->until - r->icase));
  CST_TRY(cst_output_read(r->output, row, which, b->first, b->n, b->x));
  return 0;
}

/* Reads the rows of the open case; of many members without a block, which would hold them in memory. */
static cst_error get(cst_case_rows *r, const cst_channel_row *row, int which, double *x) {
  const cst_channels *all = cst_output_channels(r->output);
  const cst_channel  *c = cst_channels_find(all, row, which);
  CST_CHECK(c, MPI_COMM_SELF, CST_ERR_PLIB, "the study has no %s", row->path);
  cst_case_block *b = &r->block[c - all->channel];
  const size_t    numbers = (size_t)r->plan->study->ensemble.members * c->count;
  const int       i = r->icase;
  if (numbers == 0)
    return 0;
  if (r->most == 1) {
    CST_TRY(cst_output_read(r->output, row, which, i, 1, x));
    return 0;
  }
  if (!b->x || i < b->first || i >= b->first + b->n)
    CST_TRY(read_block(r, row, which, numbers, b));
  memcpy(x, b->x + (size_t)(i - b->first) * numbers, sizeof *x * numbers);
  return 0;
}

cst_error cst_case_rows_open(cst_case_rows *r, int icase) {
  r->icase = icase;
  r->failed = 0;
  CST_TRY(get(r, &cst_channel_status, 0, r->number));
  for (long m = 0; m < r->plan->study->ensemble.members; m++) {
    r->good[m] = r->number[m] == CST_DONE;
    r->stopped[m] = cst_reason_stopped(r->number[m]);
    r->failed += cst_reason_failed(r->number[m]);
  }
  if (r->error)
    CST_TRY(get(r, &cst_channel_error, CST_ERROR_ALL, r->error));
  return 0;
}

bool cst_case_rows_unreferred(const cst_case_rows *r) {
  bool any = false;
  for (long m = 0; m < r->plan->study->ensemble.members && r->error; m++)
    any |= cst_failures_unreferred(r->good[m] ? CST_DONE : CST_NOT_FINITE, r->error[m]);
  return any;
}

cst_error cst_case_rows_get(cst_case_rows *r, const cst_channel_row *row, int which,
                            const double **x) {
  const cst_channel *c = cst_channels_find(cst_output_channels(r->output), row, which);
  const size_t       numbers = c ? (size_t)r->plan->study->ensemble.members * c->count : 0;
  if (numbers > r->room) {
    r->room = numbers;
    r->number = cst_need(realloc(r->number, numbers * sizeof *r->number));
  }
  CST_CHECK(row != &cst_channel_summary && row != &cst_channel_windows, MPI_COMM_SELF,
            CST_ERR_ARG_OUTOFRANGE, "summaries and windows have functions of their own");
  CST_TRY(get(r, row, which, r->number));
  *x = r->number;
  return 0;
}

cst_error cst_case_rows_summary(cst_case_rows *r, int quantity, const double **x) {
  CST_TRY(get(r, &cst_channel_summary, quantity, r->summary));
  *x = r->summary;
  return 0;
}

static double picked(const cst_case_rows *r, long member, int figure, int and) {
  const double *f = r->summary + member * CST_SUMMARY_NUMBERS;
  return and >= 0 ? f[figure] + f[and] : f[figure];
}

void cst_case_rows_pick(const cst_case_rows *r, int figure, int and, double *x) {
  for (long m = 0; m < r->plan->study->ensemble.members; m++)
    x[m] = r->good[m] ? picked(r, m, figure, and) : NAN;
}

void cst_case_rows_pick_stopped(const cst_case_rows *r, int figure, int and, double *x) {
  for (long m = 0; m < r->plan->study->ensemble.members; m++)
    x[m] = r->good[m] || r->stopped[m] ? picked(r, m, figure, and) : NAN;
}

cst_error cst_case_rows_windows(cst_case_rows *r, int quantity, double *x) {
  CST_TRY(get(r, &cst_channel_windows, quantity, x));
  for (long m = 0; m < r->plan->study->ensemble.members; m++) {
    double *window = x + m * CST_WINDOWS;
    if (r->good[m])
      continue;
    for (int w = 0; w < CST_WINDOWS; w++)
      window[w] = NAN;
  }
  return 0;
}

double cst_case_rows_largest(const double *x, long n) {
  double most = NAN;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i]) && !(x[i] <= most))
      most = x[i];
  return most;
}
