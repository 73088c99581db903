/* frequencies-columns.c: the columns of frequencies: their mean and range over the members, and how far they drift
 * between the halves of the run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "core/need.h"
#include "study/collect/frequencies.h"
#include "study/result/parts.h"

typedef struct {
  cst_number_column    mean, least, largest, drift, drift_most, amplitude;
  cst_survivor_columns survivors;
} frequency_columns;

static void declare(cst_columns *c, const char *name, frequency_columns *x) {
  static const char    unit[] = "1/time";
  const cst_column_use shown = {.shown = true, .role = "frequency", .of = name, .unit = unit};
  x->mean =
      cst_columns_number(c, shown, "angular frequency of the strongest line, mean over the members",
                         "%s_frequency", name);
  x->least =
      cst_columns_number(c, (cst_column_use){.role = "frequency-least", .of = name, .unit = unit},
                         "least over the members", "%s_frequency_least", name);
  x->largest =
      cst_columns_number(c, (cst_column_use){.role = "frequency-largest", .of = name, .unit = unit},
                         "largest over the members", "%s_frequency_largest", name);
  x->amplitude =
      cst_columns_number(c, cst_columns_use("frequency-amplitude", name),
                         "amplitude of this line, mean over the members", "%s_amplitude", name);
  x->drift = cst_columns_number(
      c, (cst_column_use){.shown = true, .role = "frequency-drift", .of = name, .unit = unit},
      "|difference| of the frequencies of both halves of the run, median over the members",
      "%s_frequency_drift", name);
  x->drift_most = cst_columns_number(
      c,
      (cst_column_use){.shown = true, .role = "frequency-drift-largest", .of = name, .unit = unit},
      "the same, largest over the members", "%s_frequency_drift_max", name);
  x->survivors = cst_parts_survivors_declare(c, name);
}

void *cst_frequencies_columns(const cst_plan *p, cst_columns *c) {
  const cst_frequencies *w = cst_frequencies_of(p);
  if (!w->n)
    return NULL;
  frequency_columns *x = cst_zeros(w->n, sizeof *x);
  for (int k = 0; k < w->n; k++)
    declare(c, w->each[k].name, &x[k]);
  return x;
}

/* Numbers of the members that did not fail and have one, x[members][stride] -> to; how many. */
static long good_numbers(const cst_case_rows *rows, const double *x, long stride, double *to) {
  long n = 0;
  for (long m = 0; m < rows->plan->study->members; m++)
    if (rows->good[m] && !isnan(x[m * stride]))
      to[n++] = x[m * stride];
  return n;
}

static void conclude_drift(const cst_case_rows *rows, const double *halves, double *room,
                           const frequency_columns *c) {
  static const double middle = 0.5;
  double              median, most = 0;
  long                n = 0;
  for (long m = 0; m < rows->plan->study->members; m++) {
    const double drift = fabs(halves[2 * m + 1] - halves[2 * m]);
    if (!rows->good[m] || isnan(drift))
      continue;
    room[n++] = drift;
    most = fmax(most, drift);
  }
  if (!n)
    return;
  cst_ensemble_quantiles(room, n, &middle, 1, &median);
  cst_column_set(c->drift, rows->icase, median);
  cst_column_set(c->drift_most, rows->icase, most);
}

static cst_error conclude(cst_case_rows *rows, int k, const frequency_columns *c, double *room) {
  const long    members = rows->plan->study->members;
  const long    terms = cst_frequencies_of(rows->plan)->each[k].terms;
  const int     i = rows->icase;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &cst_frequencies_lines, k, &x));
  const long n = good_numbers(rows, x, terms, room);
  cst_parts_survivors_conclude(c->survivors, i, n, members);
  if (!n)
    return 0;
  double least = room[0], largest = room[0];
  for (long m = 0; m < n; m++) {
    least = fmin(least, room[m]);
    largest = fmax(largest, room[m]);
  }
  cst_column_set(c->mean, i, cst_ensemble_mean(room, n));
  cst_column_set(c->least, i, least);
  cst_column_set(c->largest, i, largest);
  CST_TRY(cst_case_rows_get(rows, &cst_frequencies_amplitudes, k, &x));
  cst_column_set(c->amplitude, i, cst_ensemble_mean(room, good_numbers(rows, x, terms, room)));
  CST_TRY(cst_case_rows_get(rows, &cst_frequencies_halves, k, &x));
  conclude_drift(rows, x, room, c);
  return 0;
}

cst_error cst_frequencies_conclude(cst_case_rows *rows, const void *handles) {
  const frequency_columns *x = handles;
  if (!x)
    return 0;
  double *room = cst_zeros(rows->plan->study->members, sizeof *room);
  for (int k = 0; k < cst_frequencies_of(rows->plan)->n; k++)
    CST_TRY(conclude(rows, k, &x[k], room));
  free(room);
  return 0;
}
