/* histograms-columns.c: counts and densities of the histograms of a case, summed over its members.
 *
 * The density of bin k is r / width, r = sum w_k / sum w over members and blocks of the run; unweighted
 * samples have w = 1. Its error is that of the mean of (w_k - r w) / <w>, the first-order error of a ratio.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/statistics.h"
#include "core/need.h"
#include "study/collect/averages-columns.h"
#include "study/collect/histograms.h"

/* Columns of a histogram; effective: for weighted samples only. */
typedef struct {
  cst_number_column inside, effective;
} histogram_columns;

void *cst_histograms_declare(const cst_plan *p, cst_columns *c) {
  histogram_columns *x = cst_zeros(cst_histograms_wish_of(p->study)->n, sizeof *x);
  for (int k = 0; k < cst_histograms_wish_of(p->study)->n; k++) {
    const cst_histogram *h = &cst_histograms_wish_of(p->study)->histogram[k];
    x[k].inside =
        cst_columns_number(c, cst_columns_use("inside", h->name),
                           "fraction of all samples that lie in the bins", "%s_inside", h->name);
    if (h->fixman)
      x[k].effective =
          cst_columns_number(c, cst_columns_use("effective", h->name),
                             "effective number of equally weighted samples: (sum w)^2 / sum w^2",
                             "%s_effective", h->name);
  }
  return x;
}

enum { AT_ONCE = 1 << 20 }; /* numbers of rows read at once */

typedef struct {
  cst_case_rows       *rows;
  const cst_histogram *h;
  int                  which, blocks, counted, weighed; /* counted, weighed: numbers per block */
  long                 some;                            /* members read at once */
  /* [some][blocks][...]; weights NULL: unweighted */
  double *counts, *weights;
  double *totals;                        /* [some][blocks]: of all samples of a block */
  long   *all, outside[CST_OUTSIDE + 1]; /* [bins] */
  double *weight;                        /* [bins] */
  double  total, square, good;           /* sum of all weights, of their squares; good members */
  double *density, *error;               /* [bins] */
} conclusion;

/* ---- rows ------------------------------------------------------------------------------------ */

/* The weights in the bins of a block of one of the members that were read. */
static const double *block_of(const conclusion *d, long member, int block) {
  const long at = member * d->blocks + block;
  return d->weights ? d->weights + at * d->weighed : d->counts + at * d->counted;
}

static double total_of(const conclusion *d, const double *w) {
  const int bins = d->h->bins;
  if (d->weights)
    return w[bins + CST_WEIGHT];
  double total = w[bins + CST_BELOW] + w[bins + CST_ABOVE];
  for (int k = 0; k < bins; k++)
    total += w[k];
  return total;
}

static cst_error read_members(conclusion *d, long first, long n) {
  cst_case_rows *rows = d->rows;
  const int      i = rows->icase;
  cst_output    *o = rows->output;
  CST_TRY(cst_output_read_members(o, &cst_channel_counts, d->which, i, first, n, d->counts));
  if (d->weights)
    CST_TRY(cst_output_read_members(o, &cst_channel_weights, d->which, i, first, n, d->weights));
  for (long m = 0; m < n; m++)
    for (int b = 0; b < d->blocks; b++)
      d->totals[m * d->blocks + b] = total_of(d, block_of(d, m, b));
  return 0;
}

static void add_block(conclusion *d, long member, int block) {
  const cst_histogram *h = d->h;
  const double        *x = d->counts + (member * d->blocks + block) * d->counted;
  for (int k = 0; k < h->bins; k++) {
    d->all[k] += (long)x[k];
    d->outside[CST_OUTSIDE] += (long)x[k];
  }
  for (int k = 0; k < CST_OUTSIDE; k++) {
    const long samples = (long)x[h->bins + k];
    d->outside[k] += samples;
    d->outside[CST_OUTSIDE] += samples;
  }
  const double *w = block_of(d, member, block);
  for (int k = 0; k < h->bins; k++)
    d->weight[k] += w[k];
  d->total += d->totals[member * d->blocks + block];
  if (d->weights)
    d->square += w[h->bins + CST_WEIGHT_SQUARE];
}

static cst_error add_all(conclusion *d) {
  const long members = d->rows->plan->study->members;
  for (long first = 0; first < members; first += d->some) {
    const long n = CST_SMALLER(d->some, members - first);
    CST_TRY(read_members(d, first, n));
    for (long m = 0; m < n; m++) {
      if (!d->rows->good[first + m])
        continue;
      for (int b = 0; b < d->blocks; b++)
        add_block(d, m, b);
    }
  }
  return 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Contribution of one block to the error: the linearised deviation of r. */
static double part(const conclusion *d, long member, int block, int bin) {
  const double *w = block_of(d, member, block);
  const double  mean = d->weight[bin] / d->total * d->totals[member * d->blocks + block];
  const double  scale = d->good * d->blocks / d->total;
  return (w[bin] - mean) * scale;
}

/* Few members: all blocks are in memory. */
static void errors_of_few(conclusion *d) {
  const long n = d->rows->plan->study->members;
  double    *x = cst_zeros(n * d->blocks, sizeof *x);
  for (int k = 0; k < d->h->bins; k++) {
    for (long m = 0; m < n; m++) {
      double    *of_member = x + m * d->blocks;
      const bool good = d->rows->good[m];
      for (int b = 0; b < d->blocks; b++)
        if (good)
          of_member[b] = part(d, m, b, k);
        else
          of_member[b] = NAN;
    }
    d->error[k] = cst_batch_means_estimate(x, n, d->blocks).error;
  }
  free(x);
}

static cst_error errors_of_many(conclusion *d) {
  const long members = d->rows->plan->study->members;
  const int  bins = d->h->bins;
  double    *square = cst_zeros(bins, sizeof *square);
  for (long first = 0; first < members; first += d->some) {
    const long n = CST_SMALLER(d->some, members - first);
    CST_TRY(read_members(d, first, n));
    for (long m = 0; m < n; m++) {
      if (!d->rows->good[first + m])
        continue;
      for (int k = 0; k < bins; k++) {
        const double y = part(d, m, 0, k);
        square[k] += y * y;
      }
    }
  }
  for (int k = 0; k < bins; k++) {
    d->error[k] = NAN;
    if (d->good <= 1)
      continue;
    const double variance = square[k] / d->good / (d->good - 1);
    d->error[k] = cst_batch_means_error(variance, d->good - 1);
  }
  free(square);
  return 0;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static cst_error conclude(conclusion *d) {
  const cst_histogram *h = d->h;
  cst_case_rows       *rows = d->rows;
  const int            i = rows->icase;
  const int            bins = h->bins;
  const long           members = rows->plan->study->members;
  memset(d->all, 0, sizeof *d->all * (size_t)bins);
  memset(d->outside, 0, sizeof d->outside);
  memset(d->weight, 0, sizeof *d->weight * (size_t)bins);
  d->total = d->square = d->good = 0;
  for (long m = 0; m < members; m++)
    d->good += rows->good[m];
  CST_TRY(add_all(d));
  if (d->blocks > 1)
    errors_of_few(d);
  else
    CST_TRY(errors_of_many(d));
  for (int k = 0; k < bins; k++) {
    const double width = h->edge[k + 1] - h->edge[k];
    d->density[k] = d->weight[k] / d->total / width;
    /* an empty bin has no error estimate */
    if (d->all[k])
      d->error[k] = d->error[k] / width;
    else
      d->error[k] = NAN;
  }
  CST_TRY(cst_output_case(rows->output, &cst_channel_histogram, d->which, i, d->all));
  CST_TRY(cst_output_case(rows->output, &cst_channel_outside, d->which, i, d->outside));
  CST_TRY(cst_output_case(rows->output, &cst_channel_density, d->which, i, d->density));
  CST_TRY(cst_output_case(rows->output, &cst_channel_density_error, d->which, i, d->error));
  return 0;
}

static void set_columns(const conclusion *d, const histogram_columns *x) {
  cst_case_rows *rows = d->rows;
  double         inside = 0;
  for (int k = 0; k < d->h->bins; k++)
    inside += (double)d->all[k];
  cst_column_set(x->inside, rows->icase, inside / (double)d->outside[CST_OUTSIDE]);
  if (d->weights)
    cst_column_set(x->effective, rows->icase, d->total * d->total / d->square);
}

static cst_error conclude_histogram(cst_case_rows *rows, const histogram_columns *x, int which) {
  const cst_plan      *p = rows->plan;
  const cst_histogram *h = &cst_histograms_wish_of(p->study)->histogram[which];
  conclusion           d = {.rows = rows,
                            .h = h,
                            .which = which,
                            .blocks = p->blocks,
                            .counted = h->bins + CST_OUTSIDE,
                            .weighed = h->bins + CST_WEIGHED};
  if (d.blocks > 1)
    d.some = p->study->members;
  else
    d.some = CST_LARGER(1, CST_SMALLER(p->study->members, AT_ONCE / d.counted));
  d.counts = cst_zeros(d.some * d.blocks * d.counted, sizeof *d.counts);
  d.totals = cst_zeros(d.some * d.blocks, sizeof *d.totals);
  d.weight = cst_zeros(h->bins, sizeof *d.weight);
  d.density = cst_zeros(h->bins, sizeof *d.density);
  d.error = cst_zeros(h->bins, sizeof *d.error);
  d.all = cst_zeros(h->bins, sizeof *d.all);
  if (h->fixman)
    d.weights = cst_zeros(d.some * d.blocks * d.weighed, sizeof *d.weights);
  CST_TRY(conclude(&d));
  set_columns(&d, x);
  free(d.weights);
  free(d.all);
  free(d.counts);
  free(d.totals);
  free(d.weight);
  free(d.density);
  free(d.error);
  return 0;
}

cst_error cst_histograms_conclude(cst_case_rows *rows, const void *handles) {
  const histogram_columns *x = handles;
  for (int k = 0; k < cst_histograms_wish_of(rows->plan->study)->n; k++)
    CST_TRY(conclude_histogram(rows, &x[k], k));
  return 0;
}
