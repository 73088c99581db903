/* windows.c: the collector `windows`: means of the observables over equal parts of the run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_windows = {"/windows/%s", NULL, "mean of x - x(0) over a window", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_JOINED, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < p->nquantity && cst_study_needs(p->study, CST_NEEDS_WINDOWS); k++)
    if (p->quantity[k].windows)
      cst_channels_add(c, &cst_channel_windows, k,
                       (cst_channel_use){.name = p->quantity[k].name, .unit = p->quantity[k].unit});
}

const cst_collector cst_collector_windows = {.name = "windows", .doc = "means over windows", .declare = declare};
