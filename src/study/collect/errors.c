/* errors.c: the collector `errors`: the largest errors against the reference. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_error = {"/error/%s", "1", "error against the reference", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true}};
/* clang-format on */

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < CST_ERRORS && p->study->reference != CST_REFERENCE_NONE; k++)
    cst_channels_add(c, &cst_channel_error, k,
                     (cst_channel_use){.name = cst_channels_error_names[k]});
}

const cst_collector cst_collector_errors = {.name = "errors", .doc = "errors against the reference", .declare = declare};
