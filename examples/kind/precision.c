/* precision.c: an example of a kind of study (docs/adding.md), for src/study: how much work each method needs for a
 * given error. Its line in src/study/rows/kinds.h: KIND(precision)
 *
 * Work is the number of evaluations of the force in a trajectory. Between two steps log work is linear in log error.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/result/parts.h"
#include "study/file/reader.h"

typedef struct {
  double target;
} own; /* the values of the keys */

static const cst_key keys[] = {
    {"", "target", CST_KEYS_ALL, NULL, NULL, "of the error", "target: 1.0e-5",
     "The error for which the work is printed.",
     .value = {CST_VALUE_NUMBER, CST_AT(own, target), 0, CST_NO_LIMIT, .above = true}},
    {0},
};

typedef struct {
  cst_error_columns error;
  cst_number_column work, wanted;
} columns;

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x));
  cst_parts_errors_declare(p, c, &x->error);
  x->work = cst_columns_number(c, (cst_column_use){.shown = true, .role = "work", .axis = "x log"},
                               "evaluations of the force in a trajectory", "work");
  x->wanted = cst_columns_number(c, (cst_column_use){.shown = true, .role = "work-for-target"},
                                 "the same for the target error; nan: not between two steps",
                                 "work_for_target");
  return x;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns *x = handles;
  const double  *evaluations;
  CST_TRY(cst_parts_errors_conclude(rows, &x->error));
  CST_TRY(cst_case_rows_get(rows, &cst_channel_evaluations, 0, &evaluations));
  cst_column_set(x->work, rows->icase,
                 cst_ensemble_mean(evaluations, rows->plan->study->ensemble.members));
  return 0;
}

/* The n cases of one method from `first` on, coarse to fine. */
static double work_for(const columns *x, int first, int n, double target) {
  const double *error = x->error.largest[CST_ERROR_ALL].value + first,
               *work = x->work.value + first;
  for (int i = 1; i < n; i++)
    if (error[i - 1] > target && error[i] <= target && error[i] > 0)
      return work[i] *
             pow(work[i - 1] / work[i], log(target / error[i]) / log(error[i - 1] / error[i]));
  return NAN;
}

static cst_error conclude_steps(cst_case_rows *rows, const void *handles, int first) {
  const columns   *x = handles;
  const cst_study *s = rows->plan->study;
  const own       *request = s->own;
  for (int i = first; i < first + s->steps.n; i++)
    cst_column_set(x->wanted, i, work_for(x, first, s->steps.n, request->target));
  return 0;
}

const cst_kind cst_kind_precision = {
    .name = "precision",
    .doc = "work of each method for a given error",
    .needs = CST_NEEDS_REFERENCE | CST_NEEDS_NOMINAL_STEPS,
    .figures = "axes,constraint",
    .keys = keys,
    .own = sizeof(own),
    .declare = declare,
    .conclude = conclude,
    .conclude_steps = conclude_steps,
};
