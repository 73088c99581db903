/* runner-collect.c: sums for averages and counts for histograms at the observed steps after the burn-in, per
 * lane and in the order of time.
 *
 * They belong to the lane, are kept in its row, and are combined over the members in their order at the end.
 * So they do not depend on ranks, batches or interruptions.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/isa.h"
#include "core/need.h"
#include "study/runner/runner-internal.h"

/* ---- memory ----------------------------------------------------------------------------------- */

static double *aligned(size_t n) {
  const size_t lines = n * sizeof(double) / 64 + 1;
  const size_t bytes = lines * 64;
  return memset(cst_need(aligned_alloc(64, bytes)), 0, bytes);
}

void cst_runner_create_collected(cst_runner *r) {
  const cst_plan  *p = r->plan;
  const cst_study *s = p->study;
  const cst_rows  *rows = r->rows;
  size_t           most = 0;
  const int        pointers = 2 * (p->nquantity + s->nhistogram);
  r->average = cst_zeros(pointers, sizeof *r->average);
  r->square = r->average + p->nquantity;
  r->counts = r->square + p->nquantity;
  r->weights = r->counts + s->nhistogram;
  for (int k = 0; k < p->nquantity; k++) {
    r->average[k] = cst_rows_numbers(rows, &cst_channel_averages, k, 0);
    r->square[k] = cst_rows_numbers(rows, &cst_channel_squares, k, 0);
  }
  r->average_weight = cst_rows_numbers(r->rows, &cst_channel_average_weights, 0, 0);
  r->weight_square = cst_rows_numbers(r->rows, &cst_channel_average_squares, 0, 0);
  for (int k = 0; k < s->nhistogram; k++) {
    r->counts[k] = cst_rows_numbers(rows, &cst_channel_counts, k, 0);
    r->weights[k] = cst_rows_numbers(rows, &cst_channel_weights, k, 0);
    most = (size_t)PetscMax((long)most, s->histogram[k].n);
  }
  r->inside = aligned((most + 1) * (size_t)r->width);
}

void cst_runner_destroy_collected(cst_runner *r) {
  free(r->average);
  free(r->inside);
}

/* Numbers per lane and block of a histogram. */
static size_t counted(const cst_histogram *h) { return (size_t)h->bins + CST_OUTSIDE; }
static size_t weighed(const cst_histogram *h) { return (size_t)h->bins + CST_WEIGHED; }

void cst_runner_clear_collected(cst_runner *r) {
  const cst_plan *p = r->plan;
  const size_t    lanes = (size_t)r->b->groups * (size_t)r->width;
  const size_t    blocks = (size_t)p->blocks;
  for (int k = 0; k < p->nquantity; k++) {
    if (!r->average[k])
      continue;
    const size_t bytes = lanes * sizeof(double);
    memset(r->average[k], 0, CST_WINDOWS * bytes);
    memset(r->square[k], 0, bytes);
  }
  if (r->average_weight) {
    memset(r->average_weight, 0, lanes * CST_WINDOWS * sizeof(double));
    memset(r->weight_square, 0, lanes * sizeof(double));
  }
  for (int k = 0; k < p->study->nhistogram; k++) {
    const cst_histogram *h = &p->study->histogram[k];
    const size_t         bytes = lanes * blocks * sizeof(double);
    memset(r->counts[k], 0, counted(h) * bytes);
    if (r->weights[k])
      memset(r->weights[k], 0, weighed(h) * bytes);
  }
}

/* ---- averages -------------------------------------------------------------------------------- */

/* Deviations are taken from x(0) if it is a number, else from 0. */
static double origin(double start) { return isnan(start) ? 0 : start; }

static void add_weights(cst_runner *r, int group, int part, const double *weight) {
  const size_t W = (size_t)r->width;
  const size_t at = (size_t)group * W;
  double      *sum = r->average_weight + at * CST_WINDOWS + (size_t)part * W;
  double      *square = r->weight_square + at;
  for (int l = 0; l < r->width; l++) {
    const bool   on = r->b->alive[group] >> l & 1;
    const double w = weight[l];
    const double more = sum[l] + w;
    const double more_square = square[l] + w * w;
    sum[l] = on ? more : sum[l];
    square[l] = on ? more_square : square[l];
  }
}

static void average(cst_runner *r, int group, const double *weight) {
  cst_batch *b = r->b;
  const int  W = r->width;
  const int  part = cst_plan_class_part(r->cohort, b->step, CST_WINDOWS);
  for (int k = 0; k < r->plan->nquantity; k++) {
    const double *x = r->value + k * W;
    const double *start = cst_runner_accumulators(r, group) + (k * CST_SLOTS + CST_SLOT_START) * W;
    if (!r->average[k])
      continue;
    const size_t at = (size_t)group * CST_WINDOWS + (size_t)part;
    double      *sum = r->average[k] + at * (size_t)W;
    double      *square = r->square[k] + (size_t)group * (size_t)W;
    for (int l = 0; l < W; l++) {
      const bool   on = b->alive[group] >> l & 1;
      const double d = x[l] - origin(start[l]);
      const double w = weight ? weight[l] : 1;
      const double more = sum[l] + w * d;
      const double more_square = square[l] + w * d * d;
      sum[l] = on ? more : sum[l];
      square[l] = on ? more_square : square[l];
    }
  }
  if (weight)
    add_weights(r, group, part, weight);
}

static bool is_alive(const cst_runner *r, int group, int lane) {
  return r->b->alive[group] >> lane & 1;
}

/* Divides sums by the number of folds; failed lanes get NaN. */
static void finish_average(cst_runner *r, double *sums, double *squares, const double *folds) {
  const int W = r->width;
  double    all = 0;
  for (int w = 0; w < CST_WINDOWS; w++)
    all += folds[w];
  for (int g = 0; g < r->b->groups; g++)
    for (int l = 0; l < W; l++) {
      const size_t at = (size_t)g * CST_WINDOWS * (size_t)W;
      double      *sum = sums + at + l;
      double      *square = squares + (size_t)g * (size_t)W + l;
      const bool   alive = is_alive(r, g, l);
      for (int w = 0; w < CST_WINDOWS; w++) {
        const bool any = alive && folds[w] > 0;
        sum[w * W] = any ? sum[w * W] / folds[w] : NAN;
      }
      *square = alive ? *square / all : NAN;
    }
}

void cst_runner_finish_averages(cst_runner *r) {
  double folds[CST_WINDOWS];
  if (!r->plan->study->averages)
    return;
  cst_plan_class_part_folds(r->cohort, CST_WINDOWS, folds);
  for (int k = 0; k < r->plan->nquantity; k++)
    if (r->average[k])
      finish_average(r, r->average[k], r->square[k], folds);
  if (r->average_weight)
    finish_average(r, r->average_weight, r->weight_square, folds);
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* Index of x among the bins and the counts that follow them. The product gives a guess; the edges decide. */
static int place(const cst_histogram *h, double scale, double x) {
  const double first = h->edge[0];
  const double last = h->edge[h->bins];
  if (isnan(x))
    return h->bins + CST_NO_NUMBER;
  if (x < first)
    return h->bins + CST_BELOW;
  if (x > last)
    return h->bins + CST_ABOVE;
  if (x == last)
    return h->bins - 1;
  const int at = (int)((x - first) * scale);
  int       k = PetscMin(at, h->bins - 1);
  while (x < h->edge[k])
    k--;
  while (x >= h->edge[k + 1])
    k++;
  return k;
}

static void count(cst_runner *r, int which, int group, int block, const double *weight) {
  const cst_histogram *h = &r->plan->study->histogram[which];
  const size_t         W = (size_t)r->width;
  const size_t         at = (size_t)group * (size_t)r->plan->blocks + (size_t)block;
  const double         range = h->edge[h->bins] - h->edge[0];
  const double         scale = h->bins / range;
  double              *counts = r->counts[which] + at * counted(h) * W;
  double              *weights = NULL;
  if (h->fixman)
    weights = r->weights[which] + at * weighed(h) * W;
  for (int i = 0; i < h->n; i++)
    for (size_t l = 0; l < W; l++) {
      if (!is_alive(r, group, (int)l))
        continue;
      const int k = place(h, scale, r->inside[(size_t)i * W + l]);
      counts[(size_t)k * W + l]++;
      if (!weights || k == h->bins + CST_NO_NUMBER)
        continue;
      const double w = weight[l];
      double      *of_lane = weights + l;
      if (k < h->bins)
        of_lane[(size_t)k * W] += w;
      of_lane[(size_t)(h->bins + CST_WEIGHT) * W] += w;
      of_lane[(size_t)(h->bins + CST_WEIGHT_SQUARE) * W] += w * w;
    }
}

static void evaluate(cst_runner *r, const cst_view *view, const cst_tape *tape) {
  static void (*const run[])(const cst_tape *, const double *const[128], double *, double *) = {
#define X(isa, w) cst_tape_run_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  const cst_layout *at = &view->context->at;
  const double     *in[128] = {0};
  in['c'] = view->record + at->c * r->width;
  in['q'] = view->record + at->q * r->width;
  in['v'] = view->v;
  in['l'] = view->lambda;
  in['t'] = view->time;
  run[view->isa](tape, in, r->inside, view->scratch);
}

void cst_runner_collect(cst_runner *r, int group, const cst_view *view) {
  const cst_plan  *p = r->plan;
  const cst_study *s = p->study;
  const int        block = cst_plan_class_part(r->cohort, r->b->step, p->blocks);
  double           weight[CST_W_MAX] __attribute__((aligned(64))) = {0};
  const bool       weighs = s->average_fixman;
  if (weighs)
    r->fold->weigh(view->context, view->record, weight);
  average(r, group, weighs ? weight : NULL);
  for (int k = 0; k < s->nhistogram; k++) {
    evaluate(r, view, p->histogram[k]);
    if (s->histogram[k].fixman && !weighs)
      r->fold->weigh(view->context, view->record, weight);
    count(r, k, group, block, weight);
  }
}
