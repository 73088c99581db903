/* averages.c: the collector `averages`: means over the run after the burn-in. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_averages = {"/averages/mean/%s", NULL, "mean of x - x(0) over each of 64 equal parts of the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_squares = {"/averages/square/%s", "1", "mean of (x - x(0))^2 over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_weights = {"/averages/weight", "1", "mean weight of the samples over each part; the means are of weight times deviation", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_average_squares = {"/averages/weight_square", "1", "mean square of the weight of the samples over the run after the burn-in", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  if (!p->study->averages)
    return;
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_averages, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
  for (int k = 0; k < p->nquantity; k++)
    if (cst_plan_averages(p, k))
      cst_channels_add(c, &cst_channel_squares, k, (cst_channel_use){.name = p->quantity[k].name});
  if (!p->study->average_fixman)
    return;
  cst_channels_add(c, &cst_channel_average_weights, 0, (cst_channel_use){0});
  cst_channels_add(c, &cst_channel_average_squares, 0, (cst_channel_use){0});
}

const cst_collector cst_collector_averages = {.name = "averages", .doc = "averages over time", .declare = declare};
