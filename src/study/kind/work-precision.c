/* work-precision.c: the kind of study `work-precision`: what each method costs at each accuracy
 * (docs/work-precision.md).
 *
 * Costs of a trajectory are counted: evaluations, iterations, linear systems; they have the same bits in every run.
 * CPU times are measured (`timing:`), stand in /run, and no column here depends on them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "core/text.h"
#include "study/file/reader.h"
#include "study/result/output.h"
#include "study/result/parts.h"

enum { EVALUATIONS, ITERATIONS, SOLVES, COSTS };
static const struct {
  const char *name, *doc, *at, *front;
} costs[COSTS] = {
    {"evaluations", "evaluations of the force in a trajectory, mean over members that did not fail",
     "evaluations for this accuracy; nan: not reached",
     "1: no other case has both a smaller error and fewer evaluations"},
    {"iterations", "iterations of the solver in a trajectory, mean over members that did not fail",
     "iterations for this accuracy; nan: not reached",
     "1: no other case has both a smaller error and fewer iterations"},
    {"solves", "linear systems solved in a trajectory, mean over members that did not fail",
     "linear systems for this accuracy; nan: not reached",
     "1: no other case has both a smaller error and fewer linear systems"},
};

/* What an accuracy is of. The first ones are the errors, by CST_ERROR_... */
enum { OF_ENERGY = CST_ERRORS, OF_CONSTRAINT, OF_HIDDEN, MEASURES };
static const char *const measures[MEASURES + 1] = {"error",  "q",          "p",      "lambda",
                                                   "energy", "constraint", "hidden", NULL};

enum { MOST = 16 };

typedef struct {
  int    of, n;
  double accuracy[MOST];
} request; /* the values of the keys */

/* clang-format off */
static const cst_key keys[] = {
    {"", "accuracy", CST_KEYS_ALL, NULL, "error", "", "accuracy: energy",
     "What `accuracies` are of: errors against the reference, or the largest |E - E(0)|, |g| or |G v|.",
     .value = {CST_VALUE_CHOICE, CST_AT(request, of), .words = measures}},
    {"", "accuracies", CST_KEYS_ALL, NULL, "[1.0e-2, 1.0e-4, 1.0e-6, 1.0e-8, 1.0e-10]", "of the accuracy", "accuracies: [1.0e-3, 1.0e-6]",
     "Accuracies at which the costs of the methods are compared.",
     .value = {CST_VALUE_NUMBER, .low = 0, .high = CST_NO_LIMIT, .above = true, .constant = true, .list = true, .entries = MOST, .item = "an accuracy"}},
    {0},
};
/* clang-format on */

typedef struct {
  cst_error_columns      error;
  cst_number_column      reference_error[CST_ERRORS], energy, judged, cost[COSTS], front[COSTS];
  cst_constraint_columns constraints;
  cst_number_column      at[COSTS][MOST];
  char                   of[COSTS][MOST][48]; /* what the columns `at` are of */
} columns;

/* ---- keys ------------------------------------------------------------------------------------ */

static void read_accuracy(cst_reader *r, cst_yaml *n, const cst_key *row, request *w) {
  double x;
  if (!cst_reader_value(r, n, row, row->key, &x))
    return;
  for (int k = 0; k < w->n; k++)
    if (w->accuracy[k] == x) {
      cst_yaml_error(r->doc, n, r->d, "the accuracy %s appears twice", cst_reader_shortest(x));
      return;
    }
  w->accuracy[w->n++] = x;
}

static void read_accuracies(cst_reader *r, cst_yaml *list, const cst_key *row, request *w) {
  if (!cst_reader_list(r, list, row->key, "numbers", false))
    return;
  if (cst_yaml_size(list) > row->value.entries)
    cst_yaml_error(r->doc, list, r->d, "there are %d accuracies; at most %d are allowed",
                   cst_yaml_size(list), row->value.entries);
  for (int i = 0; i < cst_yaml_size(list) && i < row->value.entries; i++)
    read_accuracy(r, cst_yaml_item(list, i), row, w);
}

static void read_own(cst_reader *r) {
  request       *w = r->s->own;
  const cst_key *row = cst_key_find(keys, "", "accuracies");
  cst_yaml      *list = cst_yaml_get(r->root, row->key), *usual;
  cst_document  *standard = cst_reader_standard(r, row, &usual);
  const bool     bound = r->s->problem.system && r->s->problem.system->ng > 0;
  const bool     needs = w->of == CST_ERROR_LAMBDA || w->of == OF_CONSTRAINT || w->of == OF_HIDDEN;
  if (r->s->problem.system && needs && !bound)
    cst_yaml_error(r->doc, cst_yaml_get(r->root, "accuracy"), r->d,
                   "'accuracy' is %s, but %s has no constraints", measures[w->of],
                   r->s->problem.system->name);
  read_accuracies(r, list ? list : usual, row, w);
  cst_document_destroy(standard);
}

/* ---- columns --------------------------------------------------------------------------------- */

static void declare_at(cst_columns *c, columns *x, const request *w, int k) {
  char number[32];
  for (int i = 0; i < w->n; i++) {
    cst_text_shortest(w->accuracy[i], number, sizeof number);
    snprintf(x->of[k][i], sizeof x->of[k][i], "%s %s", costs[k].name, number);
    x->at[k][i] = cst_columns_number(c, cst_columns_use("work-at", x->of[k][i]), costs[k].at,
                                     "%s_at_%s", costs[k].name, number);
  }
}

static void declare_costs(cst_columns *c, columns *x, const request *w) {
  for (int k = 0; k < COSTS; k++)
    x->cost[k] = cst_columns_number(
        c, (cst_column_use){.shown = true, .role = "work", .of = costs[k].name, .axis = "x log"},
        costs[k].doc, "%s", costs[k].name);
  x->judged = cst_columns_number(c, cst_columns_use("accuracy", measures[w->of]),
                                 "what `accuracies` are of: the key `accuracy`", "accuracy");
  for (int k = 0; k < COSTS; k++)
    x->front[k] = cst_columns_number(c, cst_columns_use("front", costs[k].name), costs[k].front,
                                     "front_%s", costs[k].name);
  for (int k = 0; k < COSTS; k++)
    declare_at(c, x, w, k);
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x));
  cst_parts_errors_declare(p, c, &x->error);
  for (int k = 0; k < CST_ERRORS; k++)
    x->reference_error[k] =
        cst_columns_number(c, cst_columns_use("reference-error", cst_channels_error_names[k]),
                           "error of the reference at twice its step, against itself",
                           "reference_error%s", cst_parts_endings[k]);
  x->energy = cst_columns_number(c, cst_columns_shown(true, "largest", "energy"),
                                 "largest |E - E(0)|", "energy_max");
  cst_parts_constraints_declare(c, &x->constraints);
  declare_costs(c, x, p->study->own);
  return x;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Means over the members that did not fail. */
static cst_error conclude_costs(cst_case_rows *rows, const columns *x) {
  const cst_plan *p = rows->plan;
  const int       i = rows->icase;
  const double   *evaluations, *iterations;
  double          sum[COSTS] = {0}, members = 0, per_step, per_iteration;
  cst_method_solves(p->method[p->cases[i].method], &per_step, &per_iteration);
  CST_TRY(cst_case_rows_get(rows, &cst_channel_evaluations, 0, &evaluations));
  for (long m = 0; m < p->study->ensemble.members; m++)
    if (rows->good[m]) {
      sum[EVALUATIONS] += evaluations[m];
      members++;
    }
  CST_TRY(cst_case_rows_get(rows, &cst_channel_iterations, 0, &iterations));
  for (long m = 0; m < p->study->ensemble.members; m++)
    if (rows->good[m])
      sum[ITERATIONS] += iterations[m];
  sum[SOLVES] = per_step * (double)p->cases[i].n * members + per_iteration * sum[ITERATIONS];
  for (int k = 0; k < COSTS; k++)
    cst_column_set(x->cost[k], i, sum[k] / members);
  return 0;
}

static double judged(const cst_case_rows *rows, const columns *x) {
  const request *w = rows->plan->study->own;
  const int      i = rows->icase;
  if (w->of == OF_ENERGY)
    return cst_column_get(x->energy, i);
  if (w->of == OF_CONSTRAINT)
    return cst_column_get(x->constraints.largest[CST_CONSTRAINT], i);
  if (w->of == OF_HIDDEN)
    return cst_column_get(x->constraints.largest[CST_HIDDEN], i);
  return cst_column_get(x->error.largest[w->of], i);
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  const int       i = rows->icase;
  double          drift, value;
  CST_TRY(cst_parts_errors_conclude(rows, &x->error));
  for (int k = 0; k < CST_ERRORS; k++)
    cst_column_set(x->reference_error[k], i,
                   rows->reference_error[p->cases[i].variant * CST_ERRORS + k]);
  CST_TRY(cst_parts_quantity_largest(rows, cst_parts_quantity_find(p, "energy"), &drift, &value));
  cst_column_set(x->energy, i, value);
  CST_TRY(cst_parts_constraints_conclude(rows, &x->constraints));
  CST_TRY(conclude_costs(rows, x));
  bool all = rows->failed == 0;
  cst_column_set(x->judged, i, all ? judged(rows, x) : NAN);
  return 0;
}

/* ---- the steps of a method, and all cases ---------------------------------------------------- */

/* Errors that are not well above that of the reference tell nothing. */
static bool is_known(const columns *x, const request *w, int i, double accuracy) {
  return w->of >= CST_ERRORS || !(cst_column_get(x->reference_error[w->of], i) * 3 > accuracy);
}

static cst_error conclude_steps(cst_case_rows *rows, const void *handles, int first) {
  const columns *x = handles;
  const int      n = rows->plan->study->steps.n;
  const request *w = rows->plan->study->own;
  for (int k = 0; k < COSTS; k++)
    for (int a = 0; a < w->n; a++) {
      const double work =
          cst_work_at(x->judged.value + first, x->cost[k].value + first, n, w->accuracy[a]);
      const bool known = is_known(x, w, first, w->accuracy[a]);
      for (int i = first; i < first + n; i++)
        cst_column_set(x->at[k][a], i, known ? work : NAN);
    }
  return 0;
}

typedef struct {
  double cost, error;
  int    icase;
} point;

static int compare(const void *a, const void *b) {
  const point *x = a, *y = b;
  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  if (x->error != y->error)
    return x->error < y->error ? -1 : 1;
  return (x->icase > y->icase) - (x->icase < y->icase);
}

/* The front of the cases first .. first + n - 1: by rising cost, those with a smaller error than all before. */
static void find_front(const columns *x, int k, int first, int n, point *all) {
  int    m = 0;
  double least = INFINITY;
  for (int i = first; i < first + n; i++) {
    const double cost = cst_column_get(x->cost[k], i), error = cst_column_get(x->judged, i);
    cst_column_set(x->front[k], i, 0);
    if (isfinite(cost) && isfinite(error))
      all[m++] = (point){cost, error, i};
  }
  qsort(all, (size_t)m, sizeof *all, compare);
  for (int i = 0; i < m; i++) {
    cst_column_set(x->front[k], all[i].icase, all[i].error < least);
    least = fmin(least, all[i].error);
  }
}

static cst_error conclude_table(const cst_plan *p, const void *handles) {
  const columns *x = handles;
  const int      n = p->ncase / p->study->problem.nvariant;
  point         *all = cst_need(calloc((size_t)n, sizeof *all));
  for (int first = 0; first < p->ncase; first += n)
    for (int k = 0; k < COSTS; k++)
      find_front(x, k, first, n, all);
  free(all);
  return 0;
}

const cst_kind cst_kind_work_precision = {
    .name = "work-precision",
    .doc = "cost of each method against its errors; the cheapest at each accuracy",
    .needs = CST_NEEDS_REFERENCE | CST_NEEDS_REFERENCE_ERROR | CST_NEEDS_NOMINAL_STEPS,
    .figures = "work,work-energy,constraint",
    .keys = keys,
    .own = sizeof(request),
    .read = read_own,
    .declare = declare,
    .conclude = conclude,
    .conclude_steps = conclude_steps,
    .conclude_table = conclude_table,
};
