/* signs.c: an example of a collector (docs/adding.md), for src/study/collect: how often expressions change their sign
 * between observed steps. Its line in src/study/rows/collectors.h: COLLECTOR(signs) */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/expressions.h"
#include "study/file/reader.h"
#include "study/result/extension.h"
#include "study/result/tallies.h"

enum { SIGN, CHANGES, NUMBERS }; /* of a lane: the last sign, and the changes */

static const cst_channel_row changes = {
    "/signs/%s",
    "1",
    "the last sign, and how often it has changed",
    CST_TYPE_F64,
    CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES,
    {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE},
    {0}};

static const cst_channel_row mean = {"/signs/%s_mean",
                                     "1",
                                     "mean over the observed steps of all members",
                                     CST_TYPE_F64,
                                     CST_IS_WRITTEN,
                                     {CST_AXIS_CASE, CST_AXIS_NONE},
                                     {0}};

typedef struct {
  char           *name; /* NULL: the key is absent */
  cst_expressions of;
} request; /* the values of the keys */

static const cst_key keys[] = {
    {"", "signs", CST_KEYS_ALL, "map", "none", "", "signs: {name: turns, expression: x}",
     "An expression whose changes of sign are counted."},
    {"signs", "name", CST_KEYS_ALL, NULL, NULL, "", "signs: {name: turns, expression: x}",
     "Name of the dataset.",
     .value = {CST_VALUE_NAME, CST_AT(request, name), .of = "a count of signs"}},
    {"signs", "expression", CST_KEYS_ALL, NULL, NULL, "", "signs: {name: t, expression: y}",
     "The quantity.", .value = {CST_VALUE_EXPRESSIONS, CST_AT(request, of)}},
    {0},
};

static const request *request_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(signs)];
}

static void read(cst_reader *r, void *request) {
  cst_reader_section(r, cst_yaml_get(r->root, "signs"), "signs", "signs", CST_KEYS_ALL, request);
}

static void forget(void *x) {
  request *w = x;
  free(w->name);
  cst_reader_forget(&w->of);
}

static bool wanted(const cst_plan *p) { return request_of(p)->name != NULL; }

static cst_demand demand(const cst_plan *p) {
  cst_demand d = {0};
  cst_values_demand(p, &request_of(p)->of, &d);
  return d;
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[NUMBERS] = {"sign", "changes"};
  if (!wanted(p))
    return;
  const int axis = cst_channels_axis(c, "last sign, changes", NUMBERS, "sign");
  cst_channels_label(c, axis, names);
  cst_channels_add(c, &changes, 0, (cst_channel_use){.name = request_of(p)->name, .axis = axis});
  cst_channels_add(c, &mean, 0, (cst_channel_use){.name = request_of(p)->name});
}

/* The exact sum of all values: one cell a case. */
static long cells(const cst_plan *p) { return wanted(p); }

static double most(const cst_plan *p, int icase) {
  return (double)p->study->ensemble.members * (double)(p->cases[icase].n + 1);
}

static cst_error total(const cst_plan *p, int icase, const cst_cell *x, cst_output *o) {
  const double value = cst_sum_value(&x->sum) / x->count;
  (void)p;
  CST_TRY(cst_output_case(o, &mean, 0, icase, &value));
  return 0;
}

static const cst_tally tally = {.cells = cells, .most = most, .finish = total};

/* The file does not hold the sum, so that a larger study computes it again. */
static const char *again(const cst_extension *e, int from, int to) {
  (void)from, (void)to;
  return wanted(e->now) ? "the mean of signs is over all members" : NULL;
}

static const char *refuse(const cst_plan *old, const cst_class *from, const cst_plan *now,
                          const cst_class *to) {
  (void)old, (void)from, (void)to;
  return wanted(now) ? "the mean of signs is over the whole run" : NULL;
}

static const cst_reuse reuse = {.recompute = again, .refuse = refuse};

typedef struct {
  cst_values now;
  double    *row; /* [group][NUMBERS][W] */
} own;

static void create(cst_collection *x) {
  own *o = x->own;
  o->now = cst_values_create(x->run, &request_of(x->run->plan)->of);
  o->row = cst_rows_numbers(x->run->rows, &changes, 0, 0);
}

static void destroy(cst_collection *x) { cst_values_destroy(&((own *)x->own)->now); }

static void begin(cst_collection *x) {
  const own *o = x->own;
  memset(o->row, 0, sizeof(double) * (size_t)(x->run->b->groups * NUMBERS * x->run->width));
}

static void count(const cst_collection *x, int group, int alive) {
  const own *o = x->own;
  const int  W = x->run->width;
  double    *row = o->row + (size_t)group * NUMBERS * (size_t)W;
  for (int l = 0; l < W; l++) {
    const double now = (o->now.value[l] > 0) - (o->now.value[l] < 0);
    cst_cell    *cell = cst_runner_cells(x, (long)group * W + l);
    if ((alive >> l & 1) && cell)
      cst_cell_add(cell, o->now.value[l]);
    if (!(alive >> l & 1) || now == 0)
      continue;
    row[CHANGES * W + l] += row[SIGN * W + l] * now < 0;
    row[SIGN * W + l] = now;
  }
}

static void look(cst_collection *x, int group, const cst_view *view) {
  const own *o = x->own;
  cst_values_look(&o->now, view);
  count(x, group, view->alive);
}

static void along(cst_collection *x, int group, const cst_view *view, const cst_states *states) {
  const own *o = x->own;
  for (int i = 0; i < states->n; i++) {
    cst_values_along(&o->now, view, states, i);
    count(x, group, view->alive);
  }
}

const cst_collector cst_collector_signs = {
    .name = "signs",
    .doc = "changes of sign of an expression",
    .keys = {.table = keys, .request = sizeof(request), .read = read, .forget = forget},
    .plan = {.wanted = wanted, .demand = demand},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .look = look,
            .along = along},
    .file = {.declare = declare, .figures = "signs"},
    .tally = &tally,
    .reuse = &reuse,
};
