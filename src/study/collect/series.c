/* series.c: the collector `series`: samples of the observables at chosen steps; of cases with several members, exact
 * sums over them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/series.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/continue-rows.h"
#include "study/plan/clock.h"
#include "study/result/extension.h"
#include "study/result/tallies.h"
#include "study/runner/runner.h"

/* clang-format off */
static const cst_channel_row channel_samples = {"samples", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_sample_time = {"/series/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_series_max = {"/series/%s/max", NULL, "largest |x - x(0)| over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row channel_series_rms = {"/series/%s/rms", NULL, "root mean square of x - x(0) over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row channel_series_sum = {"/series/%s/sum", "1", "exact sum of (x - x(0))^2 over the members, in units of 2^-200", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_WORD, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_series_count = {"/series/%s/count", "1", "members in the sum", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
/* clang-format on */

/* ---- the study file, and the times of samples ------------------------------------------------ */

static const char *const spacings[] = {"linear", "log", NULL};

/* clang-format off */
static const cst_key keys[] = {
    {"", "samples", CST_KEYS_ALL, "map", "{count: 400, spacing: log}", "", "samples: {count: 100, spacing: linear}", "Points of the time series that the result keeps. They change no verdict."},
    {"samples", "count", CST_KEYS_ALL, NULL, "400", "", "samples: {count: 0}", "Maximal number of points.",
     .value = {CST_VALUE_INTEGER, CST_AT(cst_series_request, count), 0, 100000}},
    {"samples", "spacing", CST_KEYS_ALL, NULL, "log", "", "samples: {spacing: linear}", "Equidistant in t, or in log t.",
     .value = {CST_VALUE_CHOICE, CST_AT(cst_series_request, log), .words = spacings}},
    {0},
};
/* clang-format on */

const cst_series_request *cst_series_request_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(series)];
}

static void read(cst_reader *r, void *request) {
  cst_reader_section(r, cst_yaml_get(r->root, "samples"), "samples", "samples", CST_KEYS_ALL,
                     request);
}

/* At most `count` of the steps 0..n, equidistant, or equidistant in the logarithm after 0; they include 0 and
 * n. */
static int sample_steps(const cst_series_request *w, long n, long **steps) {
  int  k = 0;
  long last = -1;
  *steps = NULL;
  if (w->count <= 0)
    return 0;
  const int count = w->count < 2 ? 2 : w->count;
  *steps = cst_zeros(count, sizeof **steps);
  for (int i = 0; i < count; i++) {
    double part;
    if (w->log)
      part = (i - 1.0) / (count - 2);
    else
      part = i / (count - 1.0);
    double at = i == 0   ? 0
                : w->log ? cst_elementary_exp(cst_elementary_log((double)n) * part)
                         : (double)n * part;
    long   step = i == count - 1 ? n : lround(at);
    if (step > last && step <= n)
      (*steps)[k++] = last = step;
  }
  return k;
}

static void schedule(const cst_plan *p, cst_class *k) {
  k->nsample = sample_steps(cst_series_request_of(p->study), k->n, &k->sample);
}

/* Writes the times of the samples of every case. */
static cst_error open(const cst_plan *p, cst_output *o) {
  double *t;
  if (!p->most_samples)
    return 0;
  t = cst_zeros(p->most_samples, sizeof *t);
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    for (int j = 0; j < p->most_samples; j++)
      t[j] = j < k->nsample ? cst_clock_of(&p->cases[i], (double)k->sample[j]) : NAN;
    CST_TRY(cst_output_case(o, &channel_sample_time, 0, i, t));
  }
  free(t);
  return 0;
}

/* Whether the sums over members are kept. */
static bool summed(const cst_plan *p) {
  return p->most_samples > 0 && p->study->ensemble.members > 1;
}

/* ---- sums over members ----------------------------------------------------------------------- */

/* squares of larger values exceed the range of the exact sums */
static const double LARGE = 0x1p39;

static long cells(const cst_plan *p) {
  return summed(p) ? (long)p->most_samples * p->nquantity : 0;
}

static double most(const cst_plan *p, int icase) {
  (void)icase;
  return (double)p->study->ensemble.members;
}

static cst_tally_term term(const cst_plan *p, int icase, long cell) {
  const cst_class *k = &p->classes[p->class_of[icase]];
  const long       sample = cell / p->nquantity;
  return (cst_tally_term){.step = sample < k->nsample ? k->sample[sample] : -1};
}

/* The sum as it is stored. If squares exceeded its range, the rest would depend on the order of the terms;
 * then only that fact is stored. */
static cst_sum stored(const cst_cell *x) {
  cst_sum beyond = {{0}};
  cst_sum_add(&beyond, INFINITY);
  return x->top >= LARGE ? beyond : x->sum;
}

/* The largest |x - x(0)| at a sample, and the root mean square. */
static double reduced(const cst_cell *x, bool rms) {
  if (x->count == 0)
    return NAN;
  return rms && x->top < LARGE ? sqrt(cst_sum_value(&x->sum) / x->count) : x->top;
}

static cst_error write_sums(const cst_plan *p, int icase, const cst_cell *cell, cst_output *o) {
  const cst_class *k = &p->classes[p->class_of[icase]];
  double          *x;
  cst_sum         *sum;
  long            *number;
  x = cst_zeros(p->most_samples, sizeof *x);
  sum = cst_zeros(p->most_samples, sizeof *sum);
  number = cst_zeros(p->most_samples, sizeof *number);
  for (int q = 0; q < p->nquantity; q++) {
    for (int i = 0; i < p->most_samples; i++) {
      sum[i] = stored(&cell[i * p->nquantity + q]);
      number[i] = (long)cell[i * p->nquantity + q].count;
    }
    CST_TRY(cst_output_case(o, &channel_series_sum, q, icase, sum));
    CST_TRY(cst_output_case(o, &channel_series_count, q, icase, number));
    for (int rms = 0; rms < 2; rms++) {
      for (int i = 0; i < p->most_samples; i++)
        x[i] = i < k->nsample ? reduced(&cell[i * p->nquantity + q], rms) : NAN;
      CST_TRY(cst_output_case(o, rms ? &channel_series_rms : &channel_series_max, q, icase, x));
    }
  }
  free(x);
  free(sum);
  free(number);
  return 0;
}

/* The cells of a case, [sample][quantity]: of the squares of x - x(0), where `top` is the largest |x - x(0)|. */
static const cst_tally tally = {.cells = cells, .most = most, .term = term, .finish = write_sums};

/* ---- an earlier result ----------------------------------------------------------------------- */

/* Reads the samples of one quantity of a case from the file. */
static bool read_samples(const cst_extension *e, const cst_channel_row *row, int quantity,
                         int icase, long samples, void *x) {
  const cst_channel *c = cst_channels_find(e->channels, row, quantity);
  const long         start[3] = {icase, 0, 0};
  const long         count[3] = {1, samples, CST_SUM_WORDS};
  return c && cst_result_read_block(e->file, c->field.path, c->field.type, start, count, x);
}

static const char *again(const cst_extension *e, int from, int to) {
  cst_sum sum;
  (void)from, (void)to;
  if (!summed(e->now) || read_samples(e, &channel_series_sum, 0, 0, 1, sum.word))
    return NULL;
  return "the file has no sums of its series";
}

/* Index in the new class of a sample of the old class; -1: none, or it is at the old end and will be taken
 * again. */
static int find_sample(const cst_class *from, const cst_class *to, int sample) {
  int low = 0, high = to->nsample;
  if (from->sample[sample] >= from->n)
    return -1;
  while (low < high) {
    const int half = (low + high) / 2;
    if (to->sample[half] < from->sample[sample])
      low = half + 1;
    else
      high = half;
  }
  return low < to->nsample && to->sample[low] == from->sample[sample] ? low : -1;
}

/* Samples that both studies have are kept. */
static void go_on(const cst_continued *x) {
  const cst_plan *p = x->old->plan, *now = x->now->plan;
  const double   *old = cst_continued_was(x, &channel_samples, 0);
  double         *made = cst_continued_made(x, &channel_samples, 0);
  const long      numbers = (long)now->nquantity * now->most_samples;
  if (!old)
    return;
  for (long i = 0; i < numbers; i++)
    made[i] = NAN;
  for (int s = 0; s < x->from->nsample; s++) {
    const int there = find_sample(x->from, x->to, s);
    if (there < 0)
      continue;
    for (long k = 0; k < p->nquantity; k++)
      made[k * now->most_samples + there] = old[k * p->most_samples + s];
  }
}

/* Reads one quantity of a case at every sample of the file. */
static bool read_quantity(const cst_extension *e, int quantity, int icase, cst_sum *sum,
                          double *top, long *number) {
  const long n = e->old->most_samples;
  return read_samples(e, &channel_series_sum, quantity, icase, n, sum->word) &&
         read_samples(e, &channel_series_max, quantity, icase, n, top) &&
         read_samples(e, &channel_series_count, quantity, icase, n, number);
}

static cst_error add_quantity(const cst_extension *e, cst_cell *cell, int icase, int quantity,
                              cst_sum *sum, double *top, long *number) {
  const int        from = e->from[icase];
  const cst_class *was = &e->old->classes[e->old->class_of[from]];
  const cst_class *is = &e->now->classes[e->now->class_of[icase]];
  CST_CHECK(read_quantity(e, quantity, from, sum, top, number), MPI_COMM_SELF, CST_ERR_FILE_READ,
            "the series %s of the file cannot be read", e->old->quantity[quantity].name);
  for (int i = 0; i < was->nsample; i++) {
    const int    at = e->continues ? find_sample(was, is, i) : i;
    const double most = number[i] > 0 ? top[i] : 0;
    if (at >= 0)
      cst_cell_merge(&cell[at * e->now->nquantity + quantity],
                     &(cst_cell){sum[i], most, (double)number[i]});
  }
  return 0;
}

static cst_error add(const cst_extension *e, cst_tallies *t) {
  const int samples = e->old->most_samples;
  cst_sum  *sum;
  double   *top;
  long     *number;
  if (!summed(e->now))
    return 0;
  sum = cst_zeros(samples, sizeof *sum);
  top = cst_zeros(samples, sizeof *top);
  number = cst_zeros(samples, sizeof *number);
  for (int k = 0; k < e->now->ncase; k++) {
    if (e->from[k] < 0)
      continue;
    cst_cell *cell = cst_tallies_at(t, CST_COLLECTOR(series), k);
    for (int q = 0; q < e->now->nquantity; q++)
      CST_TRY(add_quantity(e, cell, k, q, sum, top, number));
  }
  free(sum);
  free(top);
  free(number);
  return 0;
}

static const cst_reuse reuse = {.recompute = again, .add = add, .go_on = go_on};

/* ---- channels -------------------------------------------------------------------------------- */

/* One channel of each quantity. */
static void add_rows(cst_channels *c, const cst_channel_row *row) {
  const cst_plan *p = c->plan;
  for (int k = 0; k < p->nquantity; k++)
    cst_channels_add(c, row, k,
                     (cst_channel_use){.name = p->quantity[k].name,
                                       .unit = row->unit ? row->unit : p->quantity[k].unit});
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->most_samples)
    return;
  if (p->study->ensemble.members == 1)
    cst_channels_add(c, &channel_samples, 0,
                     (cst_channel_use){.count = (size_t)p->nquantity * (size_t)p->most_samples});
  cst_channels_add(c, &channel_sample_time, 0, (cst_channel_use){0});
  add_rows(c, &channel_series_max);
  add_rows(c, &channel_series_rms);
  if (p->study->ensemble.members == 1)
    return;
  add_rows(c, &channel_series_sum);
  add_rows(c, &channel_series_count);
}

/* ---- a batch --------------------------------------------------------------------------------- */

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
static void sample_single(const cst_runner *r, int sample) {
  cst_batch      *b = r->b;
  const cst_plan *p = r->plan;
  const int       W = r->width;
  for (int g = 0; g < b->groups; g++) {
    cst_runner_measure(r, g, CST_KEEP_NOT);
    const double *accumulators = cst_runner_accumulators(r, g);
    for (int l = 0; l < W && g * W + l < r->work->count; l++) {
      const bool alive = b->alive[g] >> l & 1;
      double    *samples = cst_rows_numbers(r->rows, &channel_samples, 0, g * W + l);
      for (int k = 0; k < p->nquantity; k++) {
        const int    at = k * CST_SLOTS + CST_SLOT_START;
        const double start = accumulators[at * W + l];
        const double x = fabs(r->value[k * W + l] - start);
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
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const cst_work   *work = r->work;
  const cst_plan   *p = r->plan;
  const long        members = p->study->ensemble.members;
  const int         W = r->width;
  const size_t      numbers = (size_t)(p->nquantity * W);
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
      r->fold->accumulate(p->nquantity, r->value, cst_runner_accumulators(r, g), lanes, o->bins,
                          o->top, o->count);
    }
    add_sample(o, p, W, cst_runner_cells(x, at) + (size_t)sample * (size_t)p->nquantity);
    at = to;
  }
}

static cst_error finish(cst_collection *x) {
  const cst_runner *r = x->run;
  const cst_work   *work = r->work;
  const cst_plan   *p = r->plan;
  if (p->study->ensemble.members > 1)
    return 0;
  for (long l = 0; l < work->count; l++) {
    const double *sample = cst_rows_numbers(r->rows, &channel_samples, 0, l);
    const int     icase = r->class->cases[work->first + l];
    for (int k = 0; k < p->nquantity; k++, sample += p->most_samples) {
      CST_TRY(cst_output_case(r->output, &channel_series_max, k, icase, sample));
      CST_TRY(cst_output_case(r->output, &channel_series_rms, k, icase, sample));
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
  double         *sample = cst_rows_numbers(x->run->rows, &channel_samples, 0, 0);
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
  const cst_runner *r = x->run;
  const int         at = cst_series_here(r);
  if (at < 0)
    return 0;
  if (r->plan->study->ensemble.members == 1)
    sample_single(r, at);
  else
    sample_members(x, at);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_series = {
    .name = "series",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "samples at chosen steps",
    .keys = {.table = keys, .request = sizeof(cst_series_request), .read = read},
    .plan = {.schedule = schedule, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = cst_series_next,
            .stop = stop,
            .finish = finish},
    .file = {.declare = declare, .open = open},
    .reuse = &reuse,
    .tally = &tally,
};
