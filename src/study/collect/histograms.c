/* histograms.c: the collector `histograms`: how often values of expressions fall into bins. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_counts = {"/histograms/%s_members", "1", "samples in each bin, then below all bins, above all bins, and not a number", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_BLOCK, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_SAMPLES, true, false}};
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
  const cst_study *s = c->plan->study;
  for (int k = 0; k < s->nhistogram; k++)
    if (s->histogram[k].fixman || !weighed)
      cst_channels_add(c, row, k, use_of(c, &s->histogram[k], ending, more, doc));
}

static void declare(const cst_plan *p, cst_channels *c) {
  add(c, &cst_channel_counts, "entry", CST_OUTSIDE, "bins, then below, above, no number", false);
  add(c, &cst_channel_weights, "weight", CST_WEIGHED, "bins, then all weights and their squares",
      true);
  add(c, &cst_channel_histogram, "bin", 0, "bin", false);
  add(c, &cst_channel_edges, "edge", 1, "edge of a bin", false);
  for (int k = 0; k < p->study->nhistogram; k++)
    cst_channels_add(c, &cst_channel_outside, k,
                     (cst_channel_use){.name = p->study->histogram[k].name});
  add(c, &cst_channel_density, "bin", 0, "bin", false);
  add(c, &cst_channel_density_error, "bin", 0, "bin", false);
}

const cst_collector cst_collector_histograms = {.name = "histograms", .doc = "distributions of expressions", .declare = declare};
