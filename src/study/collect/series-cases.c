/* series-cases.c: the key `samples`; the series of cases as a whole: their times, sums over members, and what an
 * earlier result has of them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/series-cases.h"
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/plan/clock.h"
#include "study/result/extension.h"
#include "study/result/tallies.h"

/* clang-format off */
const cst_key cst_series_keys[] = {
    {"", "samples", CST_KEYS_ALL, "map", "{count: 400, spacing: log}", "", "samples: {count: 100, spacing: linear}", "Points of the time series that the result keeps. They change no verdict."},
    {"samples", "count", CST_KEYS_ALL, "integer", "400", "", "samples: {count: 0}", "Maximal number of points, 0 to 100000."},
    {"samples", "spacing", CST_KEYS_ALL, "linear or log", "log", "", "samples: {spacing: linear}", "Equidistant in t, or in log t."},
    {0},
};
/* clang-format on */

const cst_series_wish *cst_series_wish_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(series)];
}

void cst_series_read(cst_reader *r, void *wish) {
  static const char *const spacings[] = {"linear", "log"};
  cst_series_wish         *w = wish;
  cst_yaml                *n = cst_yaml_get(r->root, "samples");
  long                     count = 400;
  int                      spacing = 1;
  cst_reader_keys(r, n, "samples", "samples", CST_KEYS_ALL);
  cst_reader_integer(r, cst_yaml_get(n, "count"), "count", 0, 100000, &count);
  cst_reader_choice(r, cst_yaml_get(n, "spacing"), "spacing", spacings, CST_COUNT(spacings),
                    &spacing);
  *w = (cst_series_wish){(int)count, spacing};
}

/* At most `count` of the steps 0..n, equidistant, or equidistant in the logarithm after 0; they include 0 and
 * n. */
static int sample_steps(const cst_series_wish *w, long n, long **steps) {
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

void cst_series_schedule(const cst_plan *p, cst_class *k) {
  k->nsample = sample_steps(cst_series_wish_of(p->study), k->n, &k->sample);
}

cst_error cst_series_open(const cst_plan *p, cst_output *o) {
  double *t;
  if (!p->most_samples)
    return 0;
  t = cst_zeros(p->most_samples, sizeof *t);
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    for (int j = 0; j < p->most_samples; j++)
      t[j] = j < k->nsample ? cst_clock_at(k, (double)k->sample[j]) : NAN;
    CST_TRY(cst_output_case(o, &cst_channel_sample_time, 0, i, t));
  }
  free(t);
  return 0;
}

/* Whether the sums over members are kept. */
static bool summed(const cst_plan *p) { return p->most_samples > 0 && p->study->members > 1; }

/* ---- sums over members ----------------------------------------------------------------------- */

/* squares of larger values exceed the range of the exact sums */
static const double LARGE = 0x1p39;

static long cells(const cst_plan *p) {
  return summed(p) ? (long)p->most_samples * p->nquantity : 0;
}

static double most(const cst_plan *p, int icase) {
  (void)icase;
  return (double)p->study->members;
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

static cst_error finish(const cst_plan *p, int icase, const cst_cell *cell, cst_output *o) {
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
    CST_TRY(cst_output_case(o, &cst_channel_series_sum, q, icase, sum));
    CST_TRY(cst_output_case(o, &cst_channel_series_count, q, icase, number));
    for (int rms = 0; rms < 2; rms++) {
      for (int i = 0; i < p->most_samples; i++)
        x[i] = i < k->nsample ? reduced(&cell[i * p->nquantity + q], rms) : NAN;
      CST_TRY(
          cst_output_case(o, rms ? &cst_channel_series_rms : &cst_channel_series_max, q, icase, x));
    }
  }
  free(x);
  free(sum);
  free(number);
  return 0;
}

const cst_tally cst_series_tally = {.cells = cells, .most = most, .term = term, .finish = finish};

/* ---- an earlier result ----------------------------------------------------------------------- */

/* Reads the samples of one quantity of a case from the file. */
static bool read_samples(const cst_extension *e, const cst_channel_row *row, int quantity,
                         int icase, long samples, void *x) {
  const cst_channel *c = cst_channels_find(e->channels, row, quantity);
  const long         start[3] = {icase, 0, 0};
  const long         count[3] = {1, samples, CST_SUM_WORDS};
  return c && cst_result_read_block(e->file, c->field.path, c->field.type, start, count, x);
}

static const char *anew(const cst_extension *e, int from, int to) {
  cst_sum sum;
  (void)from, (void)to;
  if (!summed(e->now) || read_samples(e, &cst_channel_series_sum, 0, 0, 1, sum.word))
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
  const double   *old = cst_continued_was(x, &cst_channel_samples, 0);
  double         *made = cst_continued_made(x, &cst_channel_samples, 0);
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
  return read_samples(e, &cst_channel_series_sum, quantity, icase, n, sum->word) &&
         read_samples(e, &cst_channel_series_max, quantity, icase, n, top) &&
         read_samples(e, &cst_channel_series_count, quantity, icase, n, number);
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

const cst_reuse cst_series_reuse = {.anew = anew, .add = add, .go_on = go_on};
