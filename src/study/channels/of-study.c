/* of-study.c: the channels of every study (see of-study.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/of-study.h"
#include <stdio.h>
#include "method/reason.h"

/* clang-format off */
const cst_channel_row cst_channel_rows_until = {"/run/rows_until", "1", "all rows of the checkpoints up to this number are in the file; NaN: of none", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_step = {"/cases/h", "1", "step taken", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_steps_taken = {"/cases/n", "1", "number of steps", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_tolerance = {"/cases/tolerance", "1", "tolerance of the solver, relative", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_representative = {"/cases/representative", "1", "what p is: kinetic, M v + a, or tangential, its part with G p = 0", CST_TYPE_TEXT, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_parameters = {"/cases/parameters", "1", "parameters of the system", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_PARAMETER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_q = {"/final/q", "1", "coordinates at the end, or the last good ones", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_p = {"/final/p", "1", "momenta at the end, or the last good ones", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_lambda = {"/final/lambda", "1", "multipliers of the last step, M A = f - G' lambda", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_MULTIPLIER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_status = {"/final/status", "1", NULL, CST_TYPE_I8, CST_IS_ROW | CST_IS_LAST, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, CST_DONE, CST_MOST_REASONS, true, false, NULL}};
const cst_channel_row cst_channel_steps = {"/final/steps", "1", "good steps", CST_TYPE_I64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_STEPS, true, false, NULL}};
const cst_channel_row cst_channel_iterations = {"/final/iterations", "1", "iterations of the solver, all steps", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, false, NULL}};
const cst_channel_row cst_channel_evaluations = {"/final/evaluations", "1", "evaluations of the force, all steps", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, false, NULL}};
const cst_channel_row cst_channel_statistic = {"/statistics/%s", NULL, NULL, CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_rate = {"/run/steps_per_second", "1", "trajectory-steps per second and per rank", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_cpu = {"/run/cpu_seconds", "1", "CPU time per trajectory in seconds, steps only, smallest of the repeats", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_cpu_most = {"/run/cpu_seconds_most", "1", "CPU time per trajectory in seconds, largest of the repeats", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_checkpoint = {"/run/checkpoint", "1", "number of the newest checkpoint; NaN: none was taken", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_work_done = {"/run/work_done", "1", "fraction of the work that is done", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
/* clang-format on */

/* All ways in which a trajectory can end, with their numbers. */
static const char *status_doc(void) {
  static char text[sizeof((cst_field *)0)->doc];
  size_t      at = 0;
  for (int k = 0; k < CST_REASONS && at < sizeof text; k++)
    at +=
        (size_t)snprintf(text + at, sizeof text - at, "%s%d %s%s", k ? ", " : "", k,
                         cst_reason_at(k)->words, cst_reason_stopped(k) ? " (not a failure)" : "");
  if (at < sizeof text)
    snprintf(text + at, sizeof text - at, "; -1 not run");
  return text;
}

/* Adds channels that have no index. */
static void add_all(cst_channels *c, const cst_channel_row *const *row) {
  for (; *row; row++)
    cst_channels_add(c, *row, 0, (cst_channel_use){0});
}

/* rows_until stands before all rows in the file: who copies it meanwhile reads it before them. */
void cst_channels_declare_first(cst_channels *c) {
  static const cst_channel_row *const first[] = {&cst_channel_step, &cst_channel_steps_taken,
                                                 &cst_channel_tolerance,
                                                 &cst_channel_representative, NULL};
  static const cst_channel_row *const state[] = {&cst_channel_q, &cst_channel_p,
                                                 &cst_channel_lambda, NULL};
  static const cst_channel_row *const then[] = {&cst_channel_steps, &cst_channel_iterations,
                                                &cst_channel_evaluations, NULL};
  if (c->columns)
    cst_channels_add(c, &cst_channel_rows_until, 0, (cst_channel_use){0});
  add_all(c, first);
  if (cst_system_named(c->plan->study->system) > 0)
    cst_channels_add(c, &cst_channel_parameters, 0, (cst_channel_use){0});
  add_all(c, state);
  cst_channels_add(c, &cst_channel_status, 0, (cst_channel_use){.doc = status_doc()});
  add_all(c, then);
}

/* Columns, and what the run tells of itself. */
void cst_channels_declare_last(cst_channels *c) {
  static const cst_channel_row *const times[] = {&cst_channel_cpu, &cst_channel_cpu_most, NULL};
  static const cst_channel_row *const last[] = {&cst_channel_checkpoint, &cst_channel_work_done,
                                                NULL};
  for (int k = 0; c->columns && k < c->columns->n; k++) {
    const cst_column *x = &c->columns->column[k];
    cst_channels_add(
        c, &cst_channel_statistic, k,
        (cst_channel_use){
            .name = x->name, .unit = x->use.unit, .doc = x->doc, .text = x->label != NULL});
  }
  if (!c->columns)
    return;
  cst_channels_add(c, &cst_channel_rate, 0, (cst_channel_use){0});
  if (c->plan->study->timing_repeats > 0)
    add_all(c, times);
  add_all(c, last);
}
