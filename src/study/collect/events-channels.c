/* events-channels.c: what the events of a study ask of the plan, and their channels. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/channels/channels.h"
#include "study/collect/events.h"

/* clang-format off */
const cst_channel_row cst_channel_event_last = {"events", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_event_count = {"/events/%s/count", "1", "events of the trajectory, also those that are not kept", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, true, false, NULL}};
const cst_channel_row cst_channel_event_jumps = {"/events/%s/jumps", "1", "changes of its sign without a root, as at a pole or a cut; they are no events", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, true, false, NULL}};
const cst_channel_row cst_channel_event_time = {"/events/%s/t", "1", "time of each event; column events_located tells how it is found", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
const cst_channel_row cst_channel_event_take = {"/events/%s/take", "1", "values of the expressions at each event", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_ALSO, CST_AXIS_NONE}, {0}};
/* clang-format on */

void cst_events_as_in(void *wish, cst_result *file) {
  const cst_events *w = wish;
  for (int k = 0; k < w->n; k++) {
    char group[80];
    snprintf(group, sizeof group, "/events/%s", w->each[k].name);
    if (cst_event_may_jump(&w->each[k]))
      w->each[k].steps = !cst_result_finds(file, group, "jumps");
  }
}

/* ---- the plan -------------------------------------------------------------------------------- */

const cst_events *cst_events_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(events)];
}

bool cst_events_wanted(const cst_plan *p) { return cst_events_of(p)->n > 0; }

/* Of an event, measured: nanoseconds, and steps of a group of lanes in which it is located. How often an expression changes
 * its sign is not known before the run. */
static const double of_event = 1600, located = 5, usual_rate = 1.0 / 200;

/* Events in a step. */
static double rate(const cst_event *x, const cst_class *k) {
  return x->stop ? 0 : x->every ? fmin(1, k->h / x->every[0]) : usual_rate;
}

double cst_events_steps(const cst_plan *p, const cst_class *k) {
  const cst_events *w = cst_events_of(p);
  double            sum = 0;
  for (int i = 0; i < w->n; i++)
    sum += rate(&w->each[i], k) * located * cst_isas[p->isa].width;
  return sum;
}

cst_demand cst_events_demand(const cst_plan *p) {
  const cst_events *w = cst_events_of(p);
  cst_demand        d = {0};
  for (int k = 0; k < w->n; k++) {
    cst_values_demand(p, &w->each[k].when, &d);
    if (p->nclass)
      d.nanoseconds += of_event * rate(&w->each[k], p->classes) * (double)p->classes->observe;
  }
  return d;
}

void cst_events_tell(const cst_plan *p, FILE *out) {
  const cst_events *w = cst_events_of(p);
  for (int k = 0; k < w->n; k++) {
    const cst_event *x = &w->each[k];
    fprintf(out, "%-14s %s: ", k ? "" : "events", x->name);
    if (x->every)
      fprintf(out, "after every %.6g%s", x->every[0], cst_system_unit(p->study->system, "time"));
    else
      fprintf(out, "%s = 0%s", x->when.text,
              x->direction == CST_EVENT_UP     ? ", upwards"
              : x->direction == CST_EVENT_DOWN ? ", downwards"
                                               : "");
    fprintf(out, x->stop ? "; ends the trajectory\n" : "\n");
  }
}

static void declare_one(cst_channels *c, const cst_event *x, int k) {
  const char *name = x->name;
  const int   event =
      cst_channels_axis(c, "event that is kept, in the order of time", x->keep, "%s_event", name);
  cst_channels_add(c, &cst_channel_event_time, k, (cst_channel_use){.name = name, .axis = event});
}

void cst_events_declare(const cst_plan *p, cst_channels *c) {
  const cst_events *w = cst_events_of(p);
  if (!w->n)
    return;
  cst_channels_add(c, &cst_channel_event_last, 0, (cst_channel_use){.count = (size_t)w->n});
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &cst_channel_event_count, k, (cst_channel_use){.name = w->each[k].name});
  for (int k = 0; k < w->n; k++)
    if (cst_event_may_jump(&w->each[k]))
      cst_channels_add(c, &cst_channel_event_jumps, k, (cst_channel_use){.name = w->each[k].name});
  for (int k = 0; k < w->n; k++)
    declare_one(c, &w->each[k], k);
  for (int k = 0; k < w->n; k++) {
    const cst_event *x = &w->each[k];
    if (!x->take.n)
      continue;
    const int axis =
        cst_channels_axis(c, "expression that is taken", x->take.n, "%s_take", x->name);
    cst_channels_label(c, axis, (const char *const *)x->text);
    const int event = cst_channels_axis(c, "", x->keep, "%s_event", x->name);
    cst_channels_add(c, &cst_channel_event_take, k,
                     (cst_channel_use){.name = x->name, .axis = event, .also = axis});
  }
}
