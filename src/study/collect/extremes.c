/* extremes.c: the collector `extremes`: the least and the largest value of expressions along each trajectory,
 * at observed steps, with the first time of each. Values that are not numbers are left out. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/expressions.h"
#include "study/result/case-rows.h"

enum { LEAST, LARGEST, ENDS, MOST = 64 };

/* clang-format off */
static const cst_channel_row values = {"/extremes/%s", "1", "least and largest value along the trajectory, at observed steps", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row times = {"/extremes/%s_time", "1", "first time of the least and of the largest value", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};

static const cst_key keys[] = {
    {"", "extremes", CST_KEYS_ALL, "list of maps", "none", "", "extremes: [{name: lowest, expression: y}]", "The least and the largest value of expressions along each trajectory, at observed steps, with their times."},
    {"extremes", "name", CST_KEYS_ALL, NULL, NULL, "", "extremes: [{name: speed, expression: \"sqrt(x'^2 + y'^2)\"}]", "Name of its datasets and columns.",
     .value = {CST_VALUE_NAME, CST_AT(cst_named, name), .of = "an extreme"}},
    {"extremes", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "extremes: [{name: either, for: \"i = 1..2\", expression: \"i*x\"}]", "\"NAME = FROM..TO\": the extremes are over the values for all these indices."},
    {"extremes", "expression", CST_KEYS_ALL, NULL, NULL, "", "extremes: [{name: tension, expression: lambda_rod}]", "The quantity, as in `observables`.",
     .value = {CST_VALUE_EXPRESSIONS, CST_AT(cst_named, expressions)}},
    {0},
};
/* clang-format on */

/* ---- the study file -------------------------------------------------------------------------- */

static bool is_time_of(const char *a, const char *b) {
  const size_t n = strlen(b);
  return !strncmp(a, b, n) && !strcmp(a + n, "_time");
}

static bool collide(const char *name, const char *other) {
  return is_time_of(name, other) || is_time_of(other, name);
}

static const cst_named_key extremes = {.key = "extremes",
                                       .what = "an extreme",
                                       .plural = true,
                                       .map = "{name: ..., expression: ...}",
                                       .more = ", and optionally 'for'",
                                       .most = MOST,
                                       .size = sizeof(cst_named),
                                       .collide = collide};

static void read(cst_reader *r, void *request) { cst_named_read(&extremes, r, request); }

static const cst_named_list *request_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(extremes)];
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return request_of(p)->n > 0; }

static cst_demand demand(const cst_plan *p) { return cst_named_demand(p, request_of(p)); }

static void tell(const cst_plan *p, FILE *out) {
  const cst_named_list *w = request_of(p);
  const cst_named      *x = w->each;
  for (int k = 0; k < w->n; k++, x++) {
    fprintf(out, "%-14s %s: %s", k ? "" : "extremes", x->name, x->expressions.text);
    if (x->expressions.n > 1)
      fprintf(out, ", %d values", x->expressions.n);
    fprintf(out, "\n");
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[ENDS] = {"least", "largest"};
  const cst_named_list    *w = request_of(p);
  if (w->n == 0)
    return;
  const int axis = cst_channels_axis(c, "least, largest", ENDS, "extreme");
  cst_channels_label(c, axis, names);
  cst_named_channels(c, w, &values, axis);
  cst_named_channels(c, w, &times, axis);
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_values *now;
  double     *value[MOST], *time[MOST]; /* into the rows, [group][ENDS][W] */
} own;

static void create(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  o->now = cst_named_values(r, request_of(r->plan));
  for (int k = 0; k < request_of(r->plan)->n; k++) {
    o->value[k] = cst_rows_numbers(r->rows, &values, k, 0);
    o->time[k] = cst_rows_numbers(r->rows, &times, k, 0);
  }
}

static void destroy(cst_collection *x) {
  const own *o = x->own;
  cst_named_values_destroy(o->now, request_of(x->run->plan));
}

static void begin(cst_collection *x) {
  const own *o = x->own;
  const long n = (long)x->run->b->groups * ENDS * x->run->width;
  for (int k = 0; k < request_of(x->run->plan)->n; k++)
    for (long i = 0; i < n; i++)
      o->value[k][i] = o->time[k][i] = NAN;
}

/* Takes the values just evaluated of the living lanes of a group, at these times. */
static void take(const own *o, int k, int W, int group, int alive, const double *t) {
  const size_t at = (size_t)group * ENDS * (size_t)W;
  double      *least = o->value[k] + at, *largest = least + W;
  double      *least_time = o->time[k] + at, *largest_time = least_time + W;
  for (int i = 0; i < o->now[k].n; i++)
    for (int l = 0; l < W; l++) {
      const double x = o->now[k].value[i * W + l];
      const bool   on = alive >> l & 1;
      const bool   first = isnan(least[l]) && !isnan(x);
      const bool   below = on && (first || x < least[l]);
      const bool   above = on && (first || x > largest[l]);
      least[l] = below ? x : least[l];
      least_time[l] = below ? t[l] : least_time[l];
      largest[l] = above ? x : largest[l];
      largest_time[l] = above ? t[l] : largest_time[l];
    }
}

static void look(cst_collection *x, int group, const cst_view *view) {
  const own *o = x->own;
  for (int k = 0; k < request_of(x->run->plan)->n; k++) {
    cst_values_look(&o->now[k], view);
    take(o, k, x->run->width, group, view->alive, view->time);
  }
}

static void along(cst_collection *x, int group, const cst_view *view, const cst_states *states) {
  const own *o = x->own;
  const int  W = x->run->width;
  for (int k = 0; k < request_of(x->run->plan)->n; k++)
    for (int i = 0; i < states->n; i++) {
      cst_values_along(&o->now[k], view, states, i);
      take(o, k, W, group, view->alive, states->time + i * W);
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct {
  cst_number_column value[ENDS], time[ENDS];
} extreme_columns;

static void declare_columns(cst_columns *c, const void *entry, void *columns) {
  const char      *name = ((const cst_named *)entry)->name;
  extreme_columns *x = columns;
  x->value[LEAST] = cst_columns_number(c, cst_columns_shown(true, "least", name),
                                       "least value over the run and the members that did not fail",
                                       "%s_least", name);
  x->time[LEAST] =
      cst_columns_number(c, cst_columns_use("least-time", name),
                         "its first time, in the first such member", "%s_least_time", name);
  x->value[LARGEST] = cst_columns_number(
      c, cst_columns_shown(true, "most", name),
      "largest value over the run and the members that did not fail", "%s_largest", name);
  x->time[LARGEST] =
      cst_columns_number(c, cst_columns_use("most-time", name),
                         "its first time, in the first such member", "%s_largest_time", name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_named_columns(c, request_of(p), sizeof(extreme_columns), declare_columns);
}

/* The first good member with the least or the largest value; -1: none has one. */
static long find(const cst_case_rows *rows, const double *x, int end) {
  long found = -1;
  for (long m = 0; m < rows->plan->study->ensemble.members; m++) {
    const double now = x[m * ENDS + end];
    if (!(rows->good[m] || rows->stopped[m]) || isnan(now))
      continue;
    if (found < 0 || (end == LEAST ? now < x[found * ENDS + end] : now > x[found * ENDS + end]))
      found = m;
  }
  return found;
}

static cst_error conclude_one(cst_case_rows *rows, int k, const extreme_columns *c) {
  const double *x;
  long          member[ENDS];
  CST_TRY(cst_case_rows_get(rows, &values, k, &x));
  for (int e = 0; e < ENDS; e++) {
    member[e] = find(rows, x, e);
    if (member[e] >= 0)
      cst_column_set(c->value[e], rows->icase, x[member[e] * ENDS + e]);
  }
  CST_TRY(cst_case_rows_get(rows, &times, k, &x));
  for (int e = 0; e < ENDS; e++)
    if (member[e] >= 0)
      cst_column_set(c->time[e], rows->icase, x[member[e] * ENDS + e]);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const extreme_columns *x = handles;
  for (int k = 0; k < request_of(rows->plan)->n; k++)
    CST_TRY(conclude_one(rows, k, &x[k]));
  return 0;
}

const cst_collector cst_collector_extremes = {
    .name = "extremes",
    .doc = "least and largest values of expressions",
    .keys = {.table = keys,
             .request = sizeof(cst_named_list),
             .read = read,
             .forget = cst_named_forget},
    .plan = {.demand = demand, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .look = look,
            .along = along},
    .file = {.declare = declare, .columns = columns, .conclude = conclude, .figures = "extremes"},
};
