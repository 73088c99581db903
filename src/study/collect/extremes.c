/* extremes.c: the collector `extremes`: the least and the largest value of expressions along each trajectory,
 * at observed steps, with the first time of each. Values that are not numbers are left out. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/expressions.h"
#include "study/file/reader.h"
#include "study/result/case-rows.h"

enum { LEAST, LARGEST, ENDS, MOST = 64 };

/* clang-format off */
static const cst_channel_row values = {"/extremes/%s", "1", "least and largest value along the trajectory, at observed steps", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row times = {"/extremes/%s_time", "1", "first time of the least and of the largest value", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};

static const cst_key keys[] = {
    {"", "extremes", CST_KEYS_ALL, "list of maps", "none", "", "extremes: [{name: lowest, expression: y}]", "The least and the largest value of expressions along each trajectory, at observed steps, with their times."},
    {"extremes", "name", CST_KEYS_ALL, "text", NULL, "", "extremes: [{name: speed, expression: \"sqrt(x'^2 + y'^2)\"}]", "Name of its datasets and columns: a letter, then letters, digits, _ and -, at most 32."},
    {"extremes", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "extremes: [{name: either, for: \"i = 1..2\", expression: \"i*x\"}]", "\"NAME = FROM..TO\": the extremes are over the values for all these indices."},
    {"extremes", "expression", CST_KEYS_ALL, "expression", NULL, "", "extremes: [{name: tension, expression: lambda_rod}]", "The quantity, as in `observables`."},
    {0},
};
/* clang-format on */

/* ---- the study file -------------------------------------------------------------------------- */

typedef struct {
  char           *name;
  cst_expressions expressions;
} extreme;

typedef struct {
  int      n;
  extreme *each;
} wish;

static const wish *wish_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(extremes)];
}

static bool is_time_of(const char *a, const char *b) {
  const size_t n = strlen(b);
  return !strncmp(a, b, n) && !strcmp(a + n, "_time");
}

static void check_name(cst_reader *r, cst_yaml *n, const wish *w, const char *name) {
  if (!cst_reader_name(r, n, "an extreme", name))
    return;
  for (int i = 0; i < w->n; i++) {
    const char *other = w->each[i].name;
    if (!strcmp(other, name))
      cst_yaml_error(r->doc, n, r->d, "the extreme '%s' appears twice", name);
    else if (is_time_of(name, other) || is_time_of(other, name))
      cst_yaml_error(
          r->doc, n, r->d,
          "the extremes '%s' and '%s' would have datasets of the same name; choose another name",
          name, other);
  }
}

static void read_one(cst_reader *r, cst_yaml *n, wish *w) {
  char what[64];
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d,
                   "an extreme is a map {name: ..., expression: ...}, and optionally 'for'");
    return;
  }
  cst_reader_keys(r, n, "extremes", "extremes", CST_KEYS_ALL);
  cst_yaml   *name = cst_reader_required(r, n, "extremes", "name");
  const char *text = cst_reader_text(r, name, "name", "a name");
  if (text)
    check_name(r, name, w, text);
  extreme *x = &w->each[w->n++];
  x->name = strdup(text ? text : "");
  snprintf(what, sizeof what, "extreme '%.40s'", x->name);
  cst_reader_expressions(r, n, "extremes", what, &x->expressions);
}

static void read(cst_reader *r, void *own) {
  wish     *w = own;
  cst_yaml *n = cst_yaml_get(r->root, "extremes");
  if (!cst_reader_list(r, n, "extremes", "maps {name: ..., expression: ...}", false))
    return;
  const int count = cst_yaml_size(n);
  if (count > MOST) {
    cst_yaml_error(r->doc, n, r->d, "there are %d extremes; at most %d are allowed", count, MOST);
    return;
  }
  w->each = cst_zeros(count, sizeof *w->each);
  for (int i = 0; i < count; i++)
    read_one(r, cst_yaml_item(n, i), w);
}

static void forget(void *own) {
  wish *w = own;
  for (int i = 0; i < w->n; i++) {
    free(w->each[i].name);
    cst_reader_forget(&w->each[i].expressions);
  }
  free(w->each);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return wish_of(p)->n > 0; }

static cst_demand demand(const cst_plan *p) {
  const wish *w = wish_of(p);
  cst_demand  all = {0};
  for (int k = 0; k < w->n; k++)
    cst_values_demand(p, &w->each[k].expressions, &all);
  return all;
}

static void tell_one(const extreme *x, bool first, FILE *out) {
  fprintf(out, "%-14s %s: %s", first ? "extremes" : "", x->name, x->expressions.text);
  if (x->expressions.n > 1)
    fprintf(out, ", %d values", x->expressions.n);
  fprintf(out, "\n");
}

static void tell(const cst_plan *p, FILE *out) {
  const wish *w = wish_of(p);
  for (int k = 0; k < w->n; k++)
    tell_one(&w->each[k], k == 0, out);
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[ENDS] = {"least", "largest"};
  const wish              *w = wish_of(p);
  if (w->n == 0)
    return;
  const int axis = cst_channels_axis(c, "least, largest", ENDS, "extreme");
  cst_channels_label(c, axis, names);
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &values, k, (cst_channel_use){.name = w->each[k].name, .axis = axis});
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &times, k, (cst_channel_use){.name = w->each[k].name, .axis = axis});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_values now;
  double    *value, *time; /* into the rows, [group][ENDS][W] */
} one;

typedef struct {
  one each[MOST];
} own;

static void create(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const wish       *w = wish_of(r->plan);
  for (int k = 0; k < w->n; k++)
    o->each[k] =
        (one){cst_values_create(r, &w->each[k].expressions),
              cst_rows_numbers(r->rows, &values, k, 0), cst_rows_numbers(r->rows, &times, k, 0)};
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  for (int k = 0; k < wish_of(x->run->plan)->n; k++)
    cst_values_destroy(&o->each[k].now);
}

static void begin(cst_collection *x) {
  const own *o = x->own;
  const long n = (long)x->run->b->groups * ENDS * x->run->width;
  for (int k = 0; k < wish_of(x->run->plan)->n; k++)
    for (long i = 0; i < n; i++)
      o->each[k].value[i] = o->each[k].time[i] = NAN;
}

/* Takes the values just evaluated of the living lanes of a group, at these times. */
static void take(const one *o, int W, int group, int alive, const double *t) {
  const size_t at = (size_t)group * ENDS * (size_t)W;
  double      *least = o->value + at, *largest = least + W;
  double      *least_time = o->time + at, *largest_time = least_time + W;
  for (int i = 0; i < o->now.n; i++)
    for (int l = 0; l < W; l++) {
      const double x = o->now.value[i * W + l];
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
  for (int k = 0; k < wish_of(x->run->plan)->n; k++) {
    cst_values_look(&o->each[k].now, view);
    take(&o->each[k], x->run->width, group, view->alive, view->time);
  }
}

static void along(cst_collection *x, int group, const cst_view *view, const cst_states *states) {
  const own *o = x->own;
  const int  W = x->run->width;
  for (int k = 0; k < wish_of(x->run->plan)->n; k++)
    for (int i = 0; i < states->n; i++) {
      cst_values_along(&o->each[k].now, view, states, i);
      take(&o->each[k], W, group, view->alive, states->time + i * W);
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct {
  cst_number_column value[ENDS], time[ENDS];
} extreme_columns;

static void declare_columns(cst_columns *c, const char *name, extreme_columns *x) {
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
  const wish *w = wish_of(p);
  if (w->n == 0)
    return NULL;
  extreme_columns *x = cst_zeros(w->n, sizeof *x);
  for (int k = 0; k < w->n; k++)
    declare_columns(c, w->each[k].name, &x[k]);
  return x;
}

/* The first good member with the least or the largest value; -1: none has one. */
static long find(const cst_case_rows *rows, const double *x, int end) {
  long found = -1;
  for (long m = 0; m < rows->plan->study->members; m++) {
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
  for (int k = 0; k < wish_of(rows->plan)->n; k++)
    CST_TRY(conclude_one(rows, k, &x[k]));
  return 0;
}

const cst_collector cst_collector_extremes = {
    .name = "extremes",
    .doc = "least and largest values of expressions",
    .keys = {.table = keys, .wish = sizeof(wish), .read = read, .forget = forget},
    .plan = {.demand = demand, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .look = look,
            .along = along},
    .file = {.declare = declare, .columns = columns, .conclude = conclude, .figures = "extremes"},
};
