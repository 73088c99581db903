/* histograms.c: the collector `histograms`: how often values of expressions fall into bins.
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
#include "study/channels/channels.h"
#include "study/collect/averages.h"
#include "study/collect/expressions.h"
#include "study/result/case-rows.h"
#include "study/result/extension.h"

/* The distribution of the values of expressions over time and members. */
typedef struct {
  cst_named named;
  double    from, to;
  int       bins;
  /* [bins + 1] ascending: bin k is edge[k] <= x < edge[k + 1]; the last one includes its end */
  double *edge;
  bool    fixman; /* every sample has the weight (det G M^-1 G')^(-1/2) in the density */
} histogram;

/* ---- the study file -------------------------------------------------------------------------- */

enum { MOST_HISTOGRAMS = 64 };

/* clang-format off */
static const cst_key keys[] = {
    {"", "histograms", CST_KEYS_ALL, "list of maps", "none", "",
     "histograms: [{name: height, expression: y, from: -1, to: 1, bins: 20}]", "Distributions over time and members (docs/averages.md)."},
    {"histograms", "name", CST_KEYS_ALL, NULL, NULL, "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 4}]", "Name of its datasets.",
     .value = {CST_VALUE_NAME, CST_AT(histogram, named.name), .of = "a histogram"}},
    {"histograms", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "histograms: [{name: h, for: \"i = 1..2\", expression: \"i*y\", from: -2, to: 2, bins: 4}]",
     "\"NAME = FROM..TO\": the values of the expression for all these indices are counted."},
    {"histograms", "expression", CST_KEYS_ALL, NULL, NULL, "", "histograms: [{name: h, expression: \"atan2(x, -y)\", from: -4, to: 4, bins: 4}]", "The quantity that is counted, as in `observables`.",
     .value = {CST_VALUE_EXPRESSIONS, CST_AT(histogram, named.expressions)}},
    {"histograms", "from", CST_KEYS_ALL, NULL, NULL, "of the expression", "histograms: [{name: h, expression: y, from: -2, to: 1, bins: 4}]", "The lower edge of the first bin.",
     .value = {CST_VALUE_NUMBER, CST_AT(histogram, from)}},
    {"histograms", "to", CST_KEYS_ALL, NULL, NULL, "of the expression", "histograms: [{name: h, expression: y, from: -1, to: 2, bins: 4}]", "The upper edge of the last bin.",
     .value = {CST_VALUE_NUMBER, CST_AT(histogram, to)}},
    {"histograms", "bins", CST_KEYS_ALL, NULL, NULL, "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 8}]", "Number of bins.",
     .value = {CST_VALUE_INTEGER, CST_AT(histogram, bins), 1, 10000}},
    {"histograms", "weight", CST_KEYS_ALL, NULL, "none", "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 4, weight: fixman}]",
     "fixman: every sample has the weight (det G M^-1 G')^(-1/2), which gives the distribution with stiff springs in place of the constraints.",
     .value = {CST_VALUE_CHOICE, CST_AT(histogram, fixman), .words = cst_averages_weights}},
    {0},
};
/* clang-format on */

/* The edges of equal bins; false if double precision cannot tell them apart. */
static bool make_edges(histogram *h) {
  const double width = (h->to - h->from) / h->bins;
  h->edge = cst_reader_memory((size_t)h->bins + 1, sizeof *h->edge);
  for (int k = 0; k < h->bins; k++)
    h->edge[k] = h->from + k * width;
  h->edge[h->bins] = h->to;
  for (int k = 0; k < h->bins; k++)
    if (!(h->edge[k] < h->edge[k + 1]) || !isfinite(h->edge[k + 1]))
      return false;
  return true;
}

static void check_bins(cst_reader *r, cst_yaml *n, histogram *h) {
  if (!(h->from < h->to))
    cst_yaml_error(r->doc, cst_yaml_get(n, "to"), r->d,
                   "'to' is %s; it must be above 'from', which is %s", cst_reader_shortest(h->to),
                   cst_reader_shortest(h->from));
  else if (!make_edges(h))
    cst_yaml_error(
        r->doc, cst_yaml_get(n, "bins"), r->d,
        "the width of %d bins from %s to %s is too small or too large for double precision",
        h->bins, cst_reader_shortest(h->from), cst_reader_shortest(h->to));
}

static const char *const endings[] = {"",       "_edges",   "_outside", "_density",
                                      "_error", "_members", "_weights"};

/* True if a dataset of one histogram has the name of a dataset of the other. */
static bool collide(const char *a, const char *b) {
  for (int i = 0; i < CST_COUNT(endings); i++)
    for (int k = 0; k < CST_COUNT(endings); k++) {
      char x[64], y[64];
      snprintf(x, sizeof x, "%.40s%s", a, endings[i]);
      snprintf(y, sizeof y, "%.40s%s", b, endings[k]);
      if (!strcmp(x, y))
        return true;
    }
  return false;
}

static void check_one(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry) {
  histogram *h = entry;
  (void)label;
  if (sound)
    check_bins(r, n, h);
  cst_averages_check_weight(r, cst_yaml_get(n, "weight"), h->fixman);
}

static void forget(void *entry) { free(((histogram *)entry)->edge); }

static const cst_named_key histograms = {
    .key = "histograms",
    .what = "a histogram",
    .plural = true,
    .map = "{name: ..., expression: ..., from: ..., to: ..., bins: ...}",
    .more = ", and optionally 'for' and 'weight'",
    .most = MOST_HISTOGRAMS,
    .size = sizeof(histogram),
    .collide = collide,
    .read = check_one,
    .forget = forget};

static void read(cst_reader *r, void *request) { cst_named_read(&histograms, r, request); }

/* ---- channels -------------------------------------------------------------------------------- */

static const cst_named_list *request_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(histograms)];
}

static const histogram *histogram_of(const cst_plan *p, int k) {
  return (const histogram *)request_of(p->study)->each + k;
}

/* The samples along a trajectory. */
static double most_counted(const cst_plan *p, int icase, int which) {
  return ((double)p->cases[icase].n + 1) * (double)histogram_of(p, which)->named.expressions.n;
}

/* clang-format off */
static const cst_channel_row channel_counts = {"/histograms/%s_members", "1", "samples in each bin, then below all bins, above all bins, and not a number", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_BLOCK, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_OWNER, true, false, most_counted}};
static const cst_channel_row channel_weights = {"/histograms/%s_weights", "1", "weight of the samples in each bin, then the total weight and the sum of squared weights", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_BLOCK, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_histogram = {"/histograms/%s", "1", "samples in each bin, all good members", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_edges = {"/histograms/%s_edges", "1", "edges: bin k has edge k <= x < edge k + 1; the last one includes its end", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_outside = {"/histograms/%s_outside", "1", "samples below all bins, above all bins, not a number, and the total inside and outside", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OUTSIDE, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_density = {"/histograms/%s_density", "1", "weighted fraction of the samples that are numbers, divided by the width of the bin", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_density_error = {"/histograms/%s_error", "1", "standard error of the density", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
/* clang-format on */

static cst_channel_use use_of(cst_channels *c, const histogram *h, const char *ending, int more,
                              const char *doc) {
  const int axis = cst_channels_axis(c, doc, h->bins + more, "%.32s_%s", h->named.name, ending);
  return (cst_channel_use){.name = h->named.name, .axis = axis};
}

/* One channel of each histogram; weighed: only of those whose samples have weights. */
static void add(cst_channels *c, const cst_channel_row *row, const char *ending, int more,
                const char *doc, bool weighed) {
  for (int k = 0; k < request_of(c->plan->study)->n; k++) {
    const histogram *h = histogram_of(c->plan, k);
    if (h->fixman || !weighed)
      cst_channels_add(c, row, k, use_of(c, h, ending, more, doc));
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  add(c, &channel_counts, "entry", CST_OUTSIDE, "bins, then below, above, no number", false);
  add(c, &channel_weights, "weight", CST_WEIGHED, "bins, then all weights and their squares", true);
  add(c, &channel_histogram, "bin", 0, "bin", false);
  add(c, &channel_edges, "edge", 1, "edge of a bin", false);
  cst_named_channels(c, request_of(p->study), &channel_outside, 0);
  add(c, &channel_density, "bin", 0, "bin", false);
  add(c, &channel_density_error, "bin", 0, "bin", false);
}

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < request_of(p->study)->n; i++)
    CST_TRY(cst_output_all(o, &channel_edges, i, histogram_of(p, i)->edge));
  return 0;
}

static const char *again(const cst_extension *e, int from, int to) {
  (void)from, (void)to;
  if (request_of(e->now->study)->n && e->old->blocks != e->now->blocks)
    return "with this number of members histograms are counted in other blocks";
  return NULL;
}

static const cst_reuse reuse = {.recompute = again};

/* ---- samples --------------------------------------------------------------------------------- */

typedef struct {
  double    **counts, **weights; /* [nhistogram] into the rows; NULL: samples are not weighted */
  cst_values *values;            /* [nhistogram] */
} own;

/* Numbers per lane and block of a histogram. */
static size_t counted(const histogram *h) { return (size_t)h->bins + CST_OUTSIDE; }
static size_t weighed(const histogram *h) { return (size_t)h->bins + CST_WEIGHED; }

/* Index of x among the bins and the counts that follow them. The product gives a guess; the edges decide. */
static int place(const histogram *h, double scale, double x) {
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
  int       k = CST_SMALLER(at, h->bins - 1);
  while (x < h->edge[k])
    k--;
  while (x >= h->edge[k + 1])
    k++;
  return k;
}

static void count(const own *o, const cst_runner *r, int which, int group, int block,
                  const double *weight) {
  const histogram *h = histogram_of(r->plan, which);
  const size_t     W = (size_t)r->width;
  const size_t     at = (size_t)group * (size_t)r->plan->blocks + (size_t)block;
  const double     range = h->edge[h->bins] - h->edge[0];
  const double     scale = h->bins / range;
  double          *counts = o->counts[which] + at * counted(h) * W;
  double          *weights = NULL;
  if (h->fixman)
    weights = o->weights[which] + at * weighed(h) * W;
  for (int i = 0; i < h->named.expressions.n; i++)
    for (size_t l = 0; l < W; l++) {
      if (!cst_runner_group_lives(r, group, (int)l))
        continue;
      const int k = place(h, scale, o->values[which].value[(size_t)i * W + l]);
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

static bool averages(const cst_study *s) { return request_of(s)->n > 0; }

static bool wanted(const cst_plan *p) { return averages(p->study); }

static cst_demand demand(const cst_plan *p) {
  cst_demand all = cst_named_demand(p, request_of(p->study));
  all.blocks = wanted(p);
  for (int k = 0; k < request_of(p->study)->n; k++)
    all.bins += histogram_of(p, k)->bins;
  return all;
}

static void tell(const cst_plan *p, FILE *out) {
  for (int i = 0; i < request_of(p->study)->n; i++) {
    const histogram *h = histogram_of(p, i);
    fprintf(out, "%-14s %s: %d values, %d bins from %.6g to %.6g\n", i ? "" : "histograms",
            h->named.name, h->named.expressions.n, h->bins, h->edge[0], h->edge[h->bins]);
  }
}

static void create(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const int         n = request_of(r->plan->study)->n;
  o->counts = cst_zeros(2 * n, sizeof *o->counts);
  o->weights = o->counts + n;
  o->values = cst_named_values(r, request_of(r->plan->study));
  for (int k = 0; k < n; k++) {
    o->counts[k] = cst_rows_numbers(r->rows, &channel_counts, k, 0);
    o->weights[k] = cst_rows_numbers(r->rows, &channel_weights, k, 0);
  }
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  cst_named_values_destroy(o->values, request_of(x->run->plan->study));
  free(o->counts);
}

static void begin(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const size_t      lanes = (size_t)r->b->groups * (size_t)r->width;
  const size_t      bytes = lanes * (size_t)r->plan->blocks * sizeof(double);
  for (int k = 0; k < request_of(r->plan->study)->n; k++) {
    memset(o->counts[k], 0, counted(histogram_of(r->plan, k)) * bytes);
    if (o->weights[k])
      memset(o->weights[k], 0, weighed(histogram_of(r->plan, k)) * bytes);
  }
}

static void look(cst_collection *x, int group, const cst_view *view) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const int         n = request_of(r->plan->study)->n;
  double            weight[CST_W_MAX] __attribute__((aligned(64))) = {0};
  bool              weighs = false;
  if (r->b->step < r->class->after)
    return;
  const int block = cst_plan_class_part(r->class, r->b->step, r->plan->blocks);
  for (int k = 0; k < n; k++)
    weighs |= histogram_of(r->plan, k)->fixman;
  if (weighs)
    r->fold->weigh(view->context, view->record, weight);
  for (int k = 0; k < n; k++) {
    cst_values_look(&o->values[k], view);
    count(o, r, k, group, block, weight);
  }
}

/* ---- columns of a case ----------------------------------------------------------------------- */

/* Columns of a histogram; effective: for weighted samples only. */
typedef struct {
  cst_number_column inside, effective;
} histogram_columns;

static void declare_columns(cst_columns *c, const void *entry, void *columns) {
  const histogram   *h = entry;
  const char        *name = h->named.name;
  histogram_columns *x = columns;
  x->inside = cst_columns_number(c, cst_columns_use("inside", name),
                                 "fraction of all samples that lie in the bins", "%s_inside", name);
  if (h->fixman)
    x->effective = cst_columns_number(
        c, cst_columns_use("effective", name),
        "effective number of equally weighted samples: (sum w)^2 / sum w^2", "%s_effective", name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_named_columns(c, request_of(p->study), sizeof(histogram_columns), declare_columns);
}

enum { AT_ONCE = 1 << 20 }; /* numbers of rows read at once */

typedef struct {
  cst_case_rows   *rows;
  const histogram *h;
  int              which, blocks, counted, weighed; /* counted, weighed: numbers per block */
  long             some;                            /* members read at once */
  /* [some][blocks][...]; weights NULL: unweighted */
  double *counts, *weights;
  double *totals;                        /* [some][blocks]: of all samples of a block */
  long   *all, outside[CST_OUTSIDE + 1]; /* [bins] */
  double *weight;                        /* [bins] */
  double  total, square, good;           /* sum of all weights, of their squares; good members */
  double *density, *error;               /* [bins] */
} conclusion;

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
  CST_TRY(cst_output_read_members(o, &channel_counts, d->which, i, first, n, d->counts));
  if (d->weights)
    CST_TRY(cst_output_read_members(o, &channel_weights, d->which, i, first, n, d->weights));
  for (long m = 0; m < n; m++)
    for (int b = 0; b < d->blocks; b++)
      d->totals[m * d->blocks + b] = total_of(d, block_of(d, m, b));
  return 0;
}

static void add_block(conclusion *d, long member, int block) {
  const histogram *h = d->h;
  const double    *x = d->counts + (member * d->blocks + block) * d->counted;
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
  const long members = d->rows->plan->study->ensemble.members;
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

/* Contribution of one block to the error: the linearised deviation of r. */
static double part(const conclusion *d, long member, int block, int bin) {
  const double *w = block_of(d, member, block);
  const double  mean = d->weight[bin] / d->total * d->totals[member * d->blocks + block];
  const double  scale = d->good * d->blocks / d->total;
  return (w[bin] - mean) * scale;
}

/* Few members: all blocks are in memory. */
static void errors_of_few(conclusion *d) {
  const long n = d->rows->plan->study->ensemble.members;
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
  const long members = d->rows->plan->study->ensemble.members;
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

static cst_error conclude_one(conclusion *d) {
  const histogram *h = d->h;
  cst_case_rows   *rows = d->rows;
  const int        i = rows->icase;
  const int        bins = h->bins;
  const long       members = rows->plan->study->ensemble.members;
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
  CST_TRY(cst_output_case(rows->output, &channel_histogram, d->which, i, d->all));
  CST_TRY(cst_output_case(rows->output, &channel_outside, d->which, i, d->outside));
  CST_TRY(cst_output_case(rows->output, &channel_density, d->which, i, d->density));
  CST_TRY(cst_output_case(rows->output, &channel_density_error, d->which, i, d->error));
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
  const cst_plan  *p = rows->plan;
  const histogram *h = histogram_of(p, which);
  conclusion       d = {.rows = rows,
                        .h = h,
                        .which = which,
                        .blocks = p->blocks,
                        .counted = h->bins + CST_OUTSIDE,
                        .weighed = h->bins + CST_WEIGHED};
  if (d.blocks > 1)
    d.some = p->study->ensemble.members;
  else
    d.some = CST_LARGER(1, CST_SMALLER(p->study->ensemble.members, AT_ONCE / d.counted));
  d.counts = cst_zeros(d.some * d.blocks * d.counted, sizeof *d.counts);
  d.totals = cst_zeros(d.some * d.blocks, sizeof *d.totals);
  d.weight = cst_zeros(h->bins, sizeof *d.weight);
  d.density = cst_zeros(h->bins, sizeof *d.density);
  d.error = cst_zeros(h->bins, sizeof *d.error);
  d.all = cst_zeros(h->bins, sizeof *d.all);
  if (h->fixman)
    d.weights = cst_zeros(d.some * d.blocks * d.weighed, sizeof *d.weights);
  CST_TRY(conclude_one(&d));
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

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const histogram_columns *x = handles;
  for (int k = 0; k < request_of(rows->plan->study)->n; k++)
    CST_TRY(conclude_histogram(rows, &x[k], k));
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_histograms = {
    .name = "histograms",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "distributions of expressions",
    .keys = {.table = keys,
             .request = sizeof(cst_named_list),
             .read = read,
             .forget = cst_named_forget},
    .plan = {.averages = averages, .demand = demand, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own), .create = create, .destroy = destroy, .begin = begin, .look = look},
    .file = {.declare = declare,
             .open = open,
             .columns = columns,
             .conclude = conclude,
             .figures = "histograms"},
    .reuse = &reuse,
};
