/* lyapunov-columns.c: the columns of Lyapunov exponents and MEGNO: means over members, their errors and
 * quantiles. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/lyapunov.h"
#include "study/collect/tangent-vectors.h"
#include "study/plan/clock.h"
#include "study/result/parts.h"

enum { LOW, HIGH, QUANTILES };
static const double quantiles[QUANTILES] = {0.05, 0.95};

typedef struct {
  cst_number_column exponent, error, quantile[QUANTILES];
} exponent_columns;

typedef struct {
  cst_number_column    megno, megno_most, floor;
  cst_survivor_columns survivors;
  exponent_columns     of[];
} columns_of;

static void declare_exponent(const cst_plan *p, cst_columns *c, int i, exponent_columns *x) {
  char name[32];
  snprintf(name, sizeof name, "lyapunov_%d", i + 1);
  x->exponent = cst_columns_number(
      c, cst_columns_shown(true, "exponent", cst_lyapunov_number(i)),
      "Lyapunov exponent, the mean over the run and the members that did not fail", "%s", name);
  x->error = cst_columns_number(
      c, cst_columns_shown(true, "exponent-error", cst_lyapunov_number(i)),
      "standard error of that mean, by parts of the run and members; not the bias (log t)/t of "
      "regular motion",
      "%s_error", name);
  if (p->study->members == 1)
    return;
  x->quantile[LOW] = cst_columns_number(c, cst_columns_use("exponent-q05", cst_lyapunov_number(i)),
                                        "5 % quantile of the members' exponents", "%s_q05", name);
  x->quantile[HIGH] = cst_columns_number(c, cst_columns_use("exponent-q95", cst_lyapunov_number(i)),
                                         "95 % quantile of the members' exponents", "%s_q95", name);
}

void *cst_lyapunov_columns(const cst_plan *p, cst_columns *c) {
  if (!cst_lyapunov_wanted(p))
    return NULL;
  const int   k = cst_lyapunov_vectors(p);
  columns_of *x = cst_need(calloc(1, sizeof *x + (size_t)k * sizeof *x->of));
  if (cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV]) {
    for (int i = 0; i < k; i++)
      declare_exponent(p, c, i, &x->of[i]);
    x->floor = cst_columns_number(
        c, cst_columns_use("exponent-floor", NULL),
        cst_tangent_of(p)->exact
            ? "error of a growth rate by round-off, largest over measured periods and members"
            : "error of the exponents by the distance of companions and the solver, about",
        "%s", "lyapunov_floor");
  }
  if (cst_tangent_of(p)->asked[CST_TANGENT_MEGNO]) {
    x->megno = cst_columns_number(c, cst_columns_shown(true, "megno", NULL),
                                  "MEGNO, the mean over the members that did not fail: 2 for "
                                  "regular motion, half the exponent times the time for chaos",
                                  "megno");
    x->megno_most = cst_columns_number(c, cst_columns_use("megno-most", NULL),
                                       "largest MEGNO of these members", "megno_max");
  }
  x->survivors = cst_parts_survivors_declare(c, "lyapunov");
  return x;
}

/* The last of the parts of the run, a power of 2 of them, as means[members][n]; returns n. *parts: of all. */
static int last_parts(const double *x, long members, double *means, int *parts) {
  int whole = 0, n = 1;
  for (long m = 0; m < members && !whole; m++)
    while (whole < CST_LYAPUNOV_BLOCKS && !isnan(x[m * CST_LYAPUNOV_BLOCKS + whole]))
      whole++;
  while (2 * n <= whole)
    n *= 2;
  for (long m = 0; m < members && whole; m++)
    memcpy(means + m * n, x + m * CST_LYAPUNOV_BLOCKS + whole - n, sizeof(double) * (size_t)n);
  *parts = whole;
  return whole ? n : 0;
}

static cst_error conclude_error(cst_case_rows *rows, int i, cst_number_column to) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const double   *x;
  CST_TRY(cst_case_rows_get(rows, &cst_lyapunov_blocks, i, &x));
  double   *means = cst_zeros(members * CST_LYAPUNOV_BLOCKS, sizeof *means);
  int       parts;
  const int n = last_parts(x, members, means, &parts);
  for (long m = 0; m < members; m++)
    for (int b = 0; b < n && !rows->good[m]; b++)
      means[m * n + b] = NAN;
  if (n > 0)
    cst_column_set(to, rows->icase,
                   cst_batch_means_estimate(means, members, n).error * sqrt((double)n / parts));
  free(means);
  return 0;
}

static cst_error conclude_times(cst_case_rows *rows) {
  const cst_plan  *p = rows->plan;
  const cst_class *k = &p->classes[p->class_of[rows->icase]];
  const long       every = cst_tangent_steps(p, k);
  double           t[CST_LYAPUNOV_POINTS];
  for (int i = 0; i < CST_LYAPUNOV_POINTS; i++)
    t[i] = cst_lyapunov_point(i) <= k->n / every
               ? cst_clock_at(k, (double)cst_lyapunov_point(i) * (double)every)
               : NAN;
  CST_TRY(cst_output_case(rows->output, &cst_lyapunov_times, 0, rows->icase, t));
  return 0;
}

/* One number of each member that did not fail, x[members][count]. */
static void pick(const cst_case_rows *rows, const double *x, int count, int i, double *of) {
  for (long m = 0; m < rows->plan->study->members; m++)
    of[m] = rows->good[m] ? x[m * count + i] : NAN;
}

static long numbers_in(const double *x, long n) {
  long there = 0;
  for (long m = 0; m < n; m++)
    there += !isnan(x[m]);
  return there;
}

static cst_error conclude_exponents(cst_case_rows *rows, const columns_of *c, double *of) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const int       k = cst_lyapunov_vectors(p), icase = rows->icase;
  const double   *x, every = cst_tangent_of(p)->every;
  const double    tolerance = p->study->tolerance[p->cases[icase].tolerance];
  for (int i = 0; i < k; i++) {
    double q[QUANTILES];
    CST_TRY(cst_case_rows_get(rows, &cst_lyapunov_exponents, 0, &x));
    pick(rows, x, k, i, of);
    cst_column_set(c->of[i].exponent, icase, cst_ensemble_mean(of, members));
    cst_ensemble_quantiles(of, members, quantiles, QUANTILES, q);
    for (int j = 0; j < QUANTILES && members > 1; j++)
      cst_column_set(c->of[i].quantile[j], icase, q[j]);
    cst_parts_survivors_conclude(c->survivors, icase, numbers_in(of, members), members);
    CST_TRY(conclude_error(rows, i, c->of[i].error));
  }
  if (cst_tangent_of(p)->exact)
    CST_TRY(cst_parts_largest(rows, &cst_lyapunov_floor, 0, c->floor));
  else
    cst_column_set(c->floor, icase,
                   (CST_TANGENT_DISTANCE + tolerance / CST_TANGENT_DISTANCE) / every);
  CST_TRY(conclude_times(rows));
  return 0;
}

static cst_error conclude_megno(cst_case_rows *rows, const columns_of *c, double *of) {
  const long    members = rows->plan->study->members;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &cst_lyapunov_megno, 0, &x));
  pick(rows, x, 1, 0, of);
  cst_column_set(c->megno, rows->icase, cst_ensemble_mean(of, members));
  cst_column_set(c->megno_most, rows->icase, cst_case_rows_largest(of, members));
  cst_parts_survivors_conclude(c->survivors, rows->icase, numbers_in(of, members), members);
  return 0;
}

cst_error cst_lyapunov_conclude(cst_case_rows *rows, const void *handles) {
  const cst_tangent *t = cst_tangent_of(rows->plan);
  double            *of = cst_zeros(rows->plan->study->members, sizeof *of);
  if (t->asked[CST_TANGENT_LYAPUNOV])
    CST_TRY(conclude_exponents(rows, handles, of));
  if (t->asked[CST_TANGENT_MEGNO])
    CST_TRY(conclude_megno(rows, handles, of));
  free(of);
  return 0;
}
