/* states.c: the collector `states`: states along chosen trajectories. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include "study/collector.h"

/* clang-format off */
const cst_channel_row cst_channel_state_time = {"/trajectories/%d/t", "1", "time", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_q = {"/trajectories/%d/q", "1", "coordinates", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_p = {"/trajectories/%d/p", "1", "momenta", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_lambda = {"/trajectories/%d/lambda", "1", "multipliers of the step that ends here", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_MULTIPLIER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_v = {"/trajectories/%d/v", "1", "velocities", CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_quantity = {"/trajectories/%d/%s", NULL, NULL, CST_TYPE_F64, CST_IS_WRITTEN | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_state_member = {"/trajectories/%d/member", "1", "member; -1: none", CST_TYPE_I64, CST_IS_WRITTEN | CST_IS_LAST | CST_IS_OF_STATES, {CST_AXIS_CHOSEN, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* The number of stored states differs between cases, so each case has its own axis of time. */
static int axis_of(cst_channels *c, int icase) {
  const cst_plan *p = c->plan;
  return cst_channels_axis(c, "time of a stored state",
                           p->cases[icase].n / p->study->trajectory_every + 1, "time%d", icase);
}

/* One channel of each case. */
static void add(cst_channels *c, const cst_channel_row *row, bool there) {
  for (int i = 0; there && i < c->plan->ncase; i++)
    cst_channels_add(c, row, i, (cst_channel_use){.icase = i, .axis = axis_of(c, i)});
}

static void add_quantity(cst_channels *c, int icase, int k) {
  const cst_plan     *p = c->plan;
  const cst_quantity *x = &p->quantity[p->stored[k]];
  cst_channels_add(c, &cst_channel_state_quantity, icase * p->nstored + k,
                   (cst_channel_use){.name = x->name,
                                     .icase = icase,
                                     .unit = x->unit,
                                     .doc = x->doc,
                                     .axis = axis_of(c, icase)});
}

static void declare(const cst_plan *p, cst_channels *c) {
  const cst_study *s = p->study;
  if (!s->ntrajectory)
    return;
  add(c, &cst_channel_state_time, true);
  add(c, &cst_channel_state_q, s->store_q);
  add(c, &cst_channel_state_p, s->store_p);
  add(c, &cst_channel_state_lambda, s->store_lambda);
  add(c, &cst_channel_state_v, s->store_v);
  for (int i = 0; i < p->ncase; i++)
    for (int k = 0; k < p->nstored; k++)
      add_quantity(c, i, k);
  add(c, &cst_channel_state_member, true);
}

const cst_collector cst_collector_states = {.name = "states", .doc = "states along trajectories", .declare = declare};
