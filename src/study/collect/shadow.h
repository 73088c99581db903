/* shadow.h: the shadow energy along trajectories; shared by the files of the collector `shadow`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SHADOW_H
#define CST_SHADOW_H
#include "study/channels/channels.h"
#include "study/collector.h"
#include "study/result/case-rows.h"

/* Interpolants of so many orders; the points on either side of the largest. */
enum { CST_SHADOW_ORDERS = 3, CST_SHADOW_REACH = 6 };
/* The one of which the drift is judged. */
enum { CST_SHADOW_JUDGED = 1 };
extern const int cst_shadow_order[CST_SHADOW_ORDERS];

/* Figures of a trajectory: largest less least value of the energy and of the shadow energy of each order, the
 * largest distance between two orders; of the order that is judged the first and the last value, the largest
 * |x - x(0)| and the mean of |T| + |V - V(0)|. */
enum {
  CST_SHADOW_ENERGY,
  CST_SHADOW_RANGE,
  CST_SHADOW_SPREAD = CST_SHADOW_RANGE + CST_SHADOW_ORDERS,
  CST_SHADOW_START,
  CST_SHADOW_LAST,
  CST_SHADOW_DRIFT,
  CST_SHADOW_SCALE,
  CST_SHADOW_FIGURES
};
extern const cst_channel_row cst_channel_shadow, cst_channel_shadow_windows;

bool      cst_shadow_wanted(const cst_plan *p);
void     *cst_shadow_columns(const cst_plan *p, cst_columns *c);
cst_error cst_shadow_conclude(cst_case_rows *rows, const void *handles);
#endif
