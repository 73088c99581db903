/* series.c: the collector `series`: samples of the observables at chosen steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_samples = {"samples", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_sample_time = {"/series/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_series_max = {"/series/%s/max", NULL, "largest |x - x(0)| over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true}};
const cst_channel_row cst_channel_series_rms = {"/series/%s/rms", NULL, "root mean square of x - x(0) over the members", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_OF_ONE, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true}};
const cst_channel_row cst_channel_series_sum = {"/series/%s/sum", "1", "exact sum of (x - x(0))^2 over the members, in units of 2^-200", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_WORD, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_series_count = {"/series/%s/count", "1", "members in the sum", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_JOINED | CST_IS_SUMMED, {CST_AXIS_CASE, CST_AXIS_SAMPLE, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false}};
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
    cst_channels_add(
        c, &cst_channel_samples, 0,
        (cst_channel_use){.count = (size_t)p->nquantity * (size_t)p->most_samples});
  cst_channels_add(c, &cst_channel_sample_time, 0, (cst_channel_use){0});
  add(c, &cst_channel_series_max);
  add(c, &cst_channel_series_rms);
  if (p->study->members == 1)
    return;
  add(c, &cst_channel_series_sum);
  add(c, &cst_channel_series_count);
}

const cst_collector cst_collector_series = {.name = "series", .doc = "samples at chosen steps", .declare = declare};
