/* series.c: the collector `series`: samples of the observables at chosen steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/series-cases.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_samples = {"samples", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_sample_time = {"/series/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_series_max = {"/series/%s/max", NULL, "largest |x - x(0)| over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
const cst_channel_row cst_channel_series_rms = {"/series/%s/rms", NULL, "root mean square of x - x(0) over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
const cst_channel_row cst_channel_series_sum = {"/series/%s/sum", "1", "exact sum of (x - x(0))^2 over the members, in units of 2^-200", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_WORD, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_series_count = {"/series/%s/count", "1", "members in the sum", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
/* clang-format on */

/* One channel of each quantity. */
static void add(cst_channels *c, const cst_channel_row *row) {
  const cst_plan *p = c->plan;
  for (int k = 0; k < p->nquantity; k++)
    cst_channels_add(c, row, k,
                     (cst_channel_use){.name = p->quantity[k].name,
                                       .unit = row->unit ? row->unit : p->quantity[k].unit});
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->most_samples)
    return;
  if (p->study->members == 1)
    cst_channels_add(c, &cst_channel_samples, 0,
                     (cst_channel_use){.count = (size_t)p->nquantity * (size_t)p->most_samples});
  cst_channels_add(c, &cst_channel_sample_time, 0, (cst_channel_use){0});
  add(c, &cst_channel_series_max);
  add(c, &cst_channel_series_rms);
  if (p->study->members == 1)
    return;
  add(c, &cst_channel_series_sum);
  add(c, &cst_channel_series_count);
}

typedef struct {
  double *bins, *top, *count; /* [quantity][CST_BINS][W], [quantity][W], [quantity][W] */
} own;

/* Bits of those lanes of a group that are in [from, to). */
static int lanes_between(const cst_runner *r, int group, long from, long to) {
  int bits = 0;
  for (int l = 0; l < r->width; l++) {
    const long lane = group * r->width + l;
    if (lane >= from && lane < to)
      bits |= 1 << l;
  }
  return bits;
}

/* Single members: |x - x(0)| is written directly into the row of its case. */
static void sample_single(cst_runner *r, int sample) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  for (int g = 0; g < b->groups; g++) {
    cst_runner_measure(r, g, CST_KEEP_NOT);
    const double *accumulators = cst_runner_accumulators(r, g);
    for (int l = 0; l < W && g * W + l < r->work->count; l++) {
      const bool alive = b->alive[g] >> l & 1;
      double    *samples = cst_rows_numbers(r->rows, &cst_channel_samples, 0, g * W + l);
      for (int k = 0; k < p->nquantity; k++) {
        const int    at = k * CST_SLOTS + CST_SLOT_START;
        const double start = accumulators[at * W + l];
        const double x = fabs(r->meter.value[k * W + l] - start);
        samples[k * p->most_samples + sample] = alive ? x : NAN;
      }
    }
  }
}

/* Adds the exact bins, maxima and counts of some members at one sample to its cells. */
static void add_sample(const own *o, const cst_plan *p, int W, cst_cell *cell) {
  for (int k = 0; k < p->nquantity; k++) {
    for (int b = 0; b < CST_BINS; b++) {
      double part = 0; /* exact: multiples of one unit, far from overflow */
      for (int l = 0; l < W; l++)
        part += o->bins[(k * CST_BINS + b) * W + l];
      if (part != 0)
        cst_sum_add(&cell[k].sum, part);
    }
    for (int l = 0; l < W; l++) {
      cell[k].top = fmax(cell[k].top, o->top[k * W + l]);
      cell[k].count += o->count[k * W + l];
    }
  }
}

static void sample_members(cst_collection *x, int sample) {
  const own      *o = x->own;
  cst_runner     *r = x->run;
  const cst_work *work = r->work;
  const cst_plan *p = r->plan;
  const long      members = p->study->members;
  const int       W = r->width;
  const size_t    numbers = (size_t)(p->nquantity * W);
  for (long at = 0; at < work->count;) { /* one case after another */
    const long lane = work->first + at;
    const long last = at / W * W + CST_BIN_TERMS * (long)W; /* so many terms are exact */
    const long to = CST_SMALLER(CST_SMALLER(work->count, last), at + members - lane % members);
    memset(o->bins, 0, CST_BINS * numbers * sizeof *o->bins);
    memset(o->top, 0, numbers * sizeof *o->top);
    memset(o->count, 0, numbers * sizeof *o->count);
    for (int g = (int)(at / W); g * W < to; g++) {
      cst_runner_measure(r, g, CST_KEEP_NOT);
      const int lanes = r->b->alive[g] & lanes_between(r, g, at, to);
      r->meter.fold->accumulate(p->nquantity, r->meter.value, cst_runner_accumulators(r, g), lanes,
                                o->bins, o->top, o->count);
    }
    add_sample(o, p, W, cst_runner_cells(x, at) + (size_t)sample * (size_t)p->nquantity);
    at = to;
  }
}

static cst_error finish(cst_collection *x) {
  cst_runner     *r = x->run;
  const cst_work *work = r->work;
  const cst_plan *p = r->plan;
  if (p->study->members > 1)
    return 0;
  for (long l = 0; l < work->count; l++) {
    const double *sample = cst_rows_numbers(r->rows, &cst_channel_samples, 0, l);
    const int     icase = r->class->cases[work->first + l];
    for (int k = 0; k < p->nquantity; k++, sample += p->most_samples) {
      CST_TRY(cst_output_case(r->output, &cst_channel_series_max, k, icase, sample));
      CST_TRY(cst_output_case(r->output, &cst_channel_series_rms, k, icase, sample));
    }
  }
  return 0;
}

static bool wanted(const cst_plan *p) { return p->most_samples > 0; }

static void create(cst_collection *x) {
  own         *o = x->own;
  const size_t n = (size_t)x->run->plan->nquantity * (size_t)x->run->width;
  o->bins = cst_aligned(n * CST_BINS);
  o->top = cst_aligned(n);
  o->count = cst_aligned(n);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  free(o->bins);
  free(o->top);
  free(o->count);
}

static void begin(cst_collection *x) {
  const cst_plan *p = x->run->plan;
  double         *sample = cst_rows_numbers(x->run->rows, &cst_channel_samples, 0, 0);
  const long      n = x->run->work->count * p->nquantity * p->most_samples;
  for (long i = 0; sample && i < n; i++)
    sample[i] = NAN;
}

long cst_series_next(const cst_collection *x, long step) {
  const cst_class *k = x->run->class;
  const int        at = cst_plan_class_sample_after(k, step);
  return at < k->nsample && !x->run->replayed ? k->sample[at] : LONG_MAX;
}

int cst_series_here(const cst_runner *r) {
  const cst_class *k = r->class;
  const int        at = cst_plan_class_sample_after(k, r->b->step - 1);
  return at < k->nsample && k->sample[at] == r->b->step && !r->replayed ? at : -1;
}

static cst_error stop(cst_collection *x) {
  cst_runner *r = x->run;
  const int   at = cst_series_here(r);
  if (at < 0)
    return 0;
  if (r->plan->study->members == 1)
    sample_single(r, at);
  else
    sample_members(x, at);
  return 0;
}

const cst_collector cst_collector_series = {
    .name = "series",
    .doc = "samples at chosen steps",
    .keys = cst_series_keys,
    .wish = sizeof(cst_series_wish),
    .read = cst_series_read,
    .schedule = cst_series_schedule,
    .declare = declare,
    .open = cst_series_open,
    .reuse = &cst_series_reuse,
    .tally = &cst_series_tally,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .next = cst_series_next,
    .stop = stop,
    .finish = finish,
};
