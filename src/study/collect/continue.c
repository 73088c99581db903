/* continue.c: the collector `continue`: the state from which a longer run continues (continue-rows.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/channels/channels.h"
#include "study/collector.h"
#include "study/collect/continue-rows.h"
#include "study/runner/runner-internal.h"

/* clang-format off */
const cst_channel_row cst_channel_continue = {"/continue/rows", "1", "state from which a longer run continues: step, step at half the step size, count, the numbers, step again", CST_TYPE_F64, CST_IS_ROW | CST_IS_JOINED | CST_IS_WIDER, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_joined = {"/continue/joined", "1", "so many members, from the first on, were continued from an earlier end", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
/* clang-format on */

/* Largest size of a row: all numbers that checkpoints hold of a trajectory, and its state. */
static void declare_last(const cst_plan *p, cst_channels *c) {
  long n = CST_CONTINUE_HEAD + CST_CONTINUE_SEAL + cst_plan_state_numbers(p);
  if (!p->study->extensible)
    return;
  for (int k = 0; k < c->n; k++)
    if (c->channel[k].kept)
      n += (long)c->channel[k].count;
  const int axis = cst_channels_axis(c, "number of a row", n, "number");
  cst_channels_add(c, &cst_channel_continue, 0, (cst_channel_use){.axis = axis});
  cst_channels_add(c, &cst_channel_joined, 0, (cst_channel_use){0});
}

/* Stores the rows of an extensible study, before anything is observed. */
static cst_error store_rows(cst_runner *r) {
  const long   n = cst_runner_numbers(r);
  const size_t width = cst_channels_find(r->rows->channels, &cst_channel_continue, 0)->count;
  CST_CHECK((size_t)n + CST_CONTINUE_HEAD + CST_CONTINUE_SEAL <= width, MPI_COMM_SELF, CST_ERR_PLIB,
            "a trajectory has %ld numbers, more than %zu", n, width);
  for (long l = 0; l < r->work->count; l++) {
    double *x = cst_rows_numbers(r->rows, &cst_channel_continue, 0, l);
    for (size_t i = 0; i < width; i++)
      x[i] = NAN;
    x[CST_CONTINUE_STEP] = (double)r->b->step;
    if (r->hst)
      x[CST_CONTINUE_HALF_STEP] = (double)r->hb->step;
    else
      x[CST_CONTINUE_HALF_STEP] = 0;
    x[CST_CONTINUE_NUMBERS] = (double)n;
    cst_runner_save(r, l, x + CST_CONTINUE_HEAD);
    cst_continue_seal(x);
  }
  return 0;
}

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < p->ncase; i++)
    CST_TRY(cst_continue_join(o, i, 0));
  return 0;
}

static bool wanted(const cst_plan *p) { return p->study->extensible; }

static cst_error before(cst_collection *x) {
  if (x->run->b->step == x->run->class->n && !x->run->replayed)
    CST_TRY(store_rows(x->run));
  return 0;
}

const cst_collector cst_collector_continue = {
    .name = "continue",
    .doc = "rows for a later end",
    .declare_last = declare_last,
    .open = open,
    .wanted = wanted,
    .before = before,
};
