/* table-cheapest.c: of a work-precision study the method with the least cost at each accuracy (table.h).
 *
 * Counted costs at an accuracy are columns of the result. Those in CPU time, which is measured and therefore in no
 * column, and steps are found here in the same way. A curve is the steps of one method, system, set of
 * parameters and tolerance; its rows stand one after the other.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/table.h"
#include "constella/statistics.h"
#include "core/need.h"

enum { COSTS = 4, CPU = 3 };
static const char *const costs[COSTS] = {"evaluations", "iterations", "solves", "cpu_seconds"};

enum { ACCURACY, COST, METHOD, STEP, LEAST, SPREAD, NEXT, NEXT_LEAST, COLUMNS };
static const struct {
  const char *name;
  bool        text;
} columns[COLUMNS] = {{"accuracy", false}, {"cost", true},       {"method", true},
                      {"at_step", false},  {"least", false},     {"spread", false},
                      {"next", true},      {"next_least", false}};

typedef struct {
  long   first, n;           /* rows */
  double cost, step, spread; /* spread: of measured costs, largest / least - 1 */
} curve;

/* The curves of one system and set of parameters. */
typedef struct {
  const cst_table *t;
  curve           *curve;
  int              n;
} group;

static bool is(const cst_table_column *c, const char *role) { return !strcmp(c->role, role); }

static bool tells_groups(const cst_table_column *c) {
  return is(c, "system") || is(c, "parameter") || is(c, "start") || is(c, "start-axis");
}

/* Whether two rows are of one group; of one curve. */
static bool alike(const cst_table *t, long a, long b, bool one_curve) {
  for (int k = 0; k < t->n; k++) {
    const cst_table_column *c = &t->col[k];
    const bool              of_curve = is(c, "method") || is(c, "tolerance");
    if (!tells_groups(c) && !(one_curve && of_curve))
      continue;
    if (c->text ? strcmp(c->text[a], c->text[b]) != 0 : c->x[a] != c->x[b])
      return false;
  }
  return true;
}

static const char *method_of(const cst_table *t, const curve *x) {
  return t->col[cst_table_find(t, "method")].text[x->first];
}

/* Cost and step of a curve for an accuracy; the column `at` has its evaluations. */
static void price(const cst_table *t, curve *x, double accuracy, int cost, const char *at) {
  char          name[96];
  const double *error = cst_table_numbers(t, "accuracy"), *step = cst_table_numbers(t, "step");
  const double *seconds = cst_table_numbers(t, costs[CPU]), *known = cst_table_numbers(t, at);
  const double *most = cst_table_numbers(t, "cpu_seconds_most");
  const int     n = (int)x->n;
  snprintf(name, sizeof name, "%s%s", costs[cost], at + strlen(costs[0]));
  const double *counted = cst_table_numbers(t, name);
  x->cost = x->spread = NAN;
  if (!known || isnan(known[x->first]))
    return;
  x->step = cst_work_at(error + x->first, step + x->first, n, accuracy);
  if (cost != CPU) {
    x->cost = counted ? counted[x->first] : NAN;
    return;
  }
  x->cost = cst_work_at(error + x->first, seconds + x->first, n, accuracy);
  if (most)
    x->spread = cst_work_at(error + x->first, most + x->first, n, accuracy) / x->cost - 1;
}

/* The curve with the least cost, of another method than `than`; NULL: none is priced. */
static const curve *cheapest(const group *g, const curve *than) {
  const curve *best = NULL;
  for (int i = 0; i < g->n; i++) {
    const curve *x = &g->curve[i];
    if (isnan(x->cost) || (than && !strcmp(method_of(g->t, x), method_of(g->t, than))))
      continue;
    if (!best || x->cost < best->cost)
      best = x;
  }
  return best;
}

/* ---- the table ------------------------------------------------------------------------------- */

static cst_table_column *add(cst_table *x, const char *name, bool text, long rows) {
  cst_table_column *c = &x->col[x->n];
  snprintf(c->name, sizeof c->name, "%s", name);
  if (text)
    c->text = cst_need(calloc((size_t)rows + 1, sizeof *c->text));
  else
    c->x = cst_need(calloc((size_t)rows + 1, sizeof *c->x));
  x->name[x->n] = c->name;
  x->n++;
  return c;
}

static void say(cst_table *x, int k, const char *text) {
  snprintf(x->col[k].text[x->rows], sizeof *x->col[k].text, "%s", text);
}

/* One more row: what of t tells the group and, behind these columns, the best curve and the next one. */
static void add_row(cst_table *x, const group *g, const int *from, double accuracy, int cost) {
  const curve *best = cheapest(g, NULL), *next = best ? cheapest(g, best) : NULL;
  const int    keys = x->n - COLUMNS;
  for (int k = 0; k < keys; k++) {
    const cst_table_column *c = &g->t->col[from[k]];
    const long              row = is(c, "tolerance") && best ? best->first : g->curve->first;
    if (c->text)
      say(x, k, c->text[row]);
    else
      x->col[k].x[x->rows] = is(c, "tolerance") && !best ? NAN : c->x[row];
  }
  x->col[keys + ACCURACY].x[x->rows] = accuracy;
  say(x, keys + COST, costs[cost]);
  say(x, keys + METHOD, best ? method_of(g->t, best) : "");
  x->col[keys + STEP].x[x->rows] = best ? best->step : NAN;
  x->col[keys + LEAST].x[x->rows] = best ? best->cost : NAN;
  x->col[keys + SPREAD].x[x->rows] = best ? best->spread : NAN;
  say(x, keys + NEXT, next ? method_of(g->t, next) : "");
  x->col[keys + NEXT_LEAST].x[x->rows] = next ? next->cost : NAN;
  x->rows++;
}

static void add_group(cst_table *x, group *g, const int *from) {
  static const char prefix[] = "evaluations_at_";
  for (int k = 0; k < g->t->n; k++) {
    const char *at = g->t->name[k];
    if (!is(&g->t->col[k], "work-at") || !cst_text_begins(at, prefix))
      continue;
    const double accuracy = strtod(at + sizeof prefix - 1, NULL);
    for (int cost = 0; cost < COSTS; cost++) {
      if (cost == CPU && !cst_table_numbers(g->t, costs[CPU]))
        continue;
      for (int i = 0; i < g->n; i++)
        price(g->t, &g->curve[i], accuracy, cost, at);
      add_row(x, g, from, accuracy, cost);
    }
  }
}

/* Columns that have several values in the kept rows and tell groups, and the tolerance if it is swept. */
static int find_keys(const cst_table *t, const cst_table_choice *c, int *from) {
  int n = 0;
  for (int k = 0; k < t->n; k++) {
    const cst_table_column *x = &t->col[k];
    long                    first = -1;
    bool                    varies = false;
    for (long row = 0; row < t->rows; row++) {
      if (!c->keep[row])
        continue;
      if (first < 0)
        first = row;
      varies |= x->text ? strcmp(x->text[row], x->text[first]) != 0 : x->x[row] != x->x[first];
    }
    if (varies && (tells_groups(x) || is(x, "tolerance")) && n < CST_TABLE_MOST - COLUMNS)
      from[n++] = k;
  }
  return n;
}

/* The kept curves of the group that begins at *row, which moves on to the next one. */
static void take_group(group *g, const cst_table_choice *c, long *row) {
  const cst_table *t = g->t;
  const long       first = *row;
  g->n = 0;
  while (*row < t->rows && alike(t, first, *row, false)) {
    curve x = {.first = *row};
    bool  kept = true;
    for (; *row < t->rows && alike(t, x.first, *row, true); ++*row) {
      kept &= c->keep[*row];
      x.n++;
    }
    if (kept)
      g->curve[g->n++] = x;
  }
}

cst_table *cst_table_cheapest(const cst_table *t, const cst_table_choice *c) {
  cst_table *x = cst_need(calloc(1, sizeof *x));
  int        from[CST_TABLE_MOST], accuracies = 0;
  for (int k = 0; k < t->n; k++)
    accuracies += is(&t->col[k], "work-at");
  if (!accuracies || cst_table_find(t, "method") < 0 || !cst_table_numbers(t, "step") ||
      !cst_table_numbers(t, "accuracy"))
    return x;
  const long rows = 2 * accuracies * t->rows; /* a cost more than those that are counted */
  const int  keys = find_keys(t, c, from);
  for (int k = 0; k < keys; k++)
    add(x, t->name[from[k]], t->col[from[k]].text != NULL, rows)->swept = t->col[from[k]].swept;
  for (int k = 0; k < COLUMNS; k++)
    add(x, columns[k].name, columns[k].text, rows);
  group g = {.t = t, .curve = cst_need(calloc((size_t)t->rows + 1, sizeof(curve)))};
  for (long row = 0; row < t->rows;) {
    take_group(&g, c, &row);
    if (g.n)
      add_group(x, &g, from);
  }
  free(g.curve);
  cst_table_look(x);
  return x;
}
