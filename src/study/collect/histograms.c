/* histograms.c: the collector `histograms`: how often values of expressions fall into bins. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/averages-columns.h"
#include "study/collect/histograms.h"
#include "study/collect/expressions.h"
#include "study/result/extension.h"

const cst_histograms_wish *cst_histograms_wish_of(const cst_study *s) {
  return s->collected[CST_COLLECTOR(histograms)];
}

/* The samples along a trajectory. */
static double most_counted(const cst_plan *p, int icase, int which) {
  return ((double)p->cases[icase].n + 1) *
         (double)cst_histograms_wish_of(p->study)->histogram[which].expressions.n;
}

/* clang-format off */
const cst_channel_row cst_channel_counts = {"/histograms/%s_members", "1", "samples in each bin, then below all bins, above all bins, and not a number", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_BLOCK, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_OWNER, true, false, most_counted}};
const cst_channel_row cst_channel_weights = {"/histograms/%s_weights", "1", "weight of the samples in each bin, then the total weight and the sum of squared weights", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_BLOCK, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_histogram = {"/histograms/%s", "1", "samples in each bin, all good members", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_edges = {"/histograms/%s_edges", "1", "edges: bin k has edge k <= x < edge k + 1; the last one includes its end", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_outside = {"/histograms/%s_outside", "1", "samples below all bins, above all bins, not a number, and the total inside and outside", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OUTSIDE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_density = {"/histograms/%s_density", "1", "weighted fraction of the samples that are numbers, divided by the width of the bin", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_density_error = {"/histograms/%s_error", "1", "standard error of the density", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
/* clang-format on */

static cst_channel_use use_of(cst_channels *c, const cst_histogram *h, const char *ending, int more,
                              const char *doc) {
  const int axis = cst_channels_axis(c, doc, h->bins + more, "%.32s_%s", h->name, ending);
  return (cst_channel_use){.name = h->name, .axis = axis};
}

/* One channel of each histogram; weighed: only of those whose samples have weights. */
static void add(cst_channels *c, const cst_channel_row *row, const char *ending, int more,
                const char *doc, bool weighed) {
  const cst_histograms_wish *s = cst_histograms_wish_of(c->plan->study);
  for (int k = 0; k < s->n; k++)
    if (s->histogram[k].fixman || !weighed)
      cst_channels_add(c, row, k, use_of(c, &s->histogram[k], ending, more, doc));
}

static void declare(const cst_plan *p, cst_channels *c) {
  add(c, &cst_channel_counts, "entry", CST_OUTSIDE, "bins, then below, above, no number", false);
  add(c, &cst_channel_weights, "weight", CST_WEIGHED, "bins, then all weights and their squares",
      true);
  add(c, &cst_channel_histogram, "bin", 0, "bin", false);
  add(c, &cst_channel_edges, "edge", 1, "edge of a bin", false);
  for (int k = 0; k < cst_histograms_wish_of(p->study)->n; k++)
    cst_channels_add(
        c, &cst_channel_outside, k,
        (cst_channel_use){.name = cst_histograms_wish_of(p->study)->histogram[k].name});
  add(c, &cst_channel_density, "bin", 0, "bin", false);
  add(c, &cst_channel_density_error, "bin", 0, "bin", false);
}

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < cst_histograms_wish_of(p->study)->n; i++)
    CST_TRY(cst_output_all(o, &cst_channel_edges, i,
                           cst_histograms_wish_of(p->study)->histogram[i].edge));
  return 0;
}

static const char *anew(const cst_extension *e, int from, int to) {
  (void)from, (void)to;
  if (cst_histograms_wish_of(e->now->study)->n && e->old->blocks != e->now->blocks)
    return "with this number of members histograms are counted in other blocks";
  return NULL;
}

static const cst_reuse reuse = {.anew = anew};

typedef struct {
  double    **counts, **weights; /* [nhistogram] into the rows; NULL: samples are not weighted */
  cst_values *values;            /* [nhistogram] */
} own;

/* Numbers per lane and block of a histogram. */
static size_t counted(const cst_histogram *h) { return (size_t)h->bins + CST_OUTSIDE; }
static size_t weighed(const cst_histogram *h) { return (size_t)h->bins + CST_WEIGHED; }

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
  int       k = CST_SMALLER(at, h->bins - 1);
  while (x < h->edge[k])
    k--;
  while (x >= h->edge[k + 1])
    k++;
  return k;
}

static void count(const own *o, cst_runner *r, int which, int group, int block,
                  const double *weight) {
  const cst_histogram *h = &cst_histograms_wish_of(r->plan->study)->histogram[which];
  const size_t         W = (size_t)r->width;
  const size_t         at = (size_t)group * (size_t)r->plan->blocks + (size_t)block;
  const double         range = h->edge[h->bins] - h->edge[0];
  const double         scale = h->bins / range;
  double              *counts = o->counts[which] + at * counted(h) * W;
  double              *weights = NULL;
  if (h->fixman)
    weights = o->weights[which] + at * weighed(h) * W;
  for (int i = 0; i < h->expressions.n; i++)
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

static bool averages(const cst_study *s) { return cst_histograms_wish_of(s)->n > 0; }

static bool wanted(const cst_plan *p) { return averages(p->study); }

static void add_demand(const cst_plan *p, const cst_histogram *h, cst_demand *all) {
  cst_values_demand(p, &h->expressions, all);
  all->bins += h->bins;
}

static cst_demand demand(const cst_plan *p) {
  cst_demand all = {.blocks = wanted(p)};
  for (int k = 0; k < cst_histograms_wish_of(p->study)->n; k++)
    add_demand(p, &cst_histograms_wish_of(p->study)->histogram[k], &all);
  return all;
}

static void tell(const cst_plan *p, FILE *out) {
  for (int i = 0; i < cst_histograms_wish_of(p->study)->n; i++) {
    const cst_histogram *h = &cst_histograms_wish_of(p->study)->histogram[i];
    fprintf(out, "%-14s %s: %d values, %d bins from %.6g to %.6g\n", i ? "" : "histograms", h->name,
            h->expressions.n, h->bins, h->edge[0], h->edge[h->bins]);
  }
}

static void create(cst_collection *x) {
  own                       *o = x->own;
  cst_runner                *r = x->run;
  const cst_histograms_wish *s = cst_histograms_wish_of(r->plan->study);
  o->counts = cst_zeros(2 * s->n, sizeof *o->counts);
  o->weights = o->counts + s->n;
  o->values = cst_zeros(s->n, sizeof *o->values);
  for (int k = 0; k < s->n; k++) {
    o->counts[k] = cst_rows_numbers(r->rows, &cst_channel_counts, k, 0);
    o->weights[k] = cst_rows_numbers(r->rows, &cst_channel_weights, k, 0);
    o->values[k] = cst_values_create(r, &s->histogram[k].expressions);
  }
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  for (int k = 0; k < cst_histograms_wish_of(x->run->plan->study)->n; k++)
    cst_values_destroy(&o->values[k]);
  free(o->counts);
  free(o->values);
}

static void begin(cst_collection *x) {
  const own                 *o = x->own;
  cst_runner                *r = x->run;
  const cst_histograms_wish *s = cst_histograms_wish_of(r->plan->study);
  const size_t               lanes = (size_t)r->b->groups * (size_t)r->width;
  const size_t               bytes = lanes * (size_t)r->plan->blocks * sizeof(double);
  for (int k = 0; k < s->n; k++) {
    memset(o->counts[k], 0, counted(&s->histogram[k]) * bytes);
    if (o->weights[k])
      memset(o->weights[k], 0, weighed(&s->histogram[k]) * bytes);
  }
}

static void look(cst_collection *x, int group, const cst_view *view) {
  const own                 *o = x->own;
  cst_runner                *r = x->run;
  const cst_histograms_wish *s = cst_histograms_wish_of(r->plan->study);
  double                     weight[CST_W_MAX] __attribute__((aligned(64))) = {0};
  bool                       weighs = false;
  if (r->b->step < r->class->after)
    return;
  const int block = cst_plan_class_part(r->class, r->b->step, r->plan->blocks);
  for (int k = 0; k < s->n; k++)
    weighs |= s->histogram[k].fixman;
  if (weighs)
    r->meter.fold->weigh(view->context, view->record, weight);
  for (int k = 0; k < s->n; k++) {
    cst_values_look(&o->values[k], view);
    count(o, r, k, group, block, weight);
  }
}

const cst_collector cst_collector_histograms = {
    .name = "histograms",
    .doc = "distributions of expressions",
    .keys = cst_histograms_keys,
    .wish = sizeof(cst_histograms_wish),
    .read = cst_histograms_read,
    .forget = cst_histograms_forget,
    .averages = averages,
    .demand = demand,
    .tell = tell,
    .declare = declare,
    .open = open,
    .reuse = &reuse,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .look = look,
    .columns = cst_histograms_declare,
    .conclude = cst_histograms_conclude,
    .figures = "histograms",
};
