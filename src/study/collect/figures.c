/* figures.c: the collector `figures`: a few numbers of every observable, and what observers keep. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_figures = {"/observables/%s", NULL, NULL, CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_FIGURE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_accumulators = {"accumulators", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_observer = {"%s", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
/* clang-format on */

static const char *name_of(const cst_observation *x) { return x->name ? x->name : x->row->name; }

/* What an observer keeps is written if its row has a path for it. */
static void declare_observer(cst_channels *c, const cst_observation *look, int k) {
  const cst_observer *row = look->row;
  cst_channel_use     use = {.path = row->path,
                             .name = name_of(look),
                             .doc = row->path_doc,
                             .count = (size_t)row->kept};
  if (!row->kept)
    return;
  if (row->path) {
    use.is = CST_IS_WRITTEN;
    use.axis = cst_channels_axis(c, row->path_doc, row->kept, "%.40s_entry", name_of(look));
  }
  cst_channels_add(c, &cst_channel_observer, k, use);
}

static void declare(const cst_plan *p, cst_channels *c) {
  for (int k = 0; k < p->nquantity; k++)
    cst_channels_add(c, &cst_channel_figures, k,
                     (cst_channel_use){.name = p->quantity[k].name,
                                       .unit = p->quantity[k].unit,
                                       .doc = p->quantity[k].doc});
  cst_channels_add(c, &cst_channel_accumulators, 0,
                   (cst_channel_use){.count = (size_t)p->nquantity * CST_SLOTS});
  for (int k = 0; k < p->nlook; k++)
    declare_observer(c, &p->look[k], k);
}

const cst_collector cst_collector_figures = {.name = "figures", .doc = "figures of the observables", .declare = declare};
