/* reference-error.c: the error of the reference itself, from the same method at twice its step, for the first
 * members, wherever both stop. For a method of order r the difference is 2^r - 1 times the error of the
 * reference, so it is an upper bound. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/reference/reference.h"
#include "study/channels/channels.h"

bool cst_reference_plan_twice(const cst_study *s, const double *time, int n, long *twice) {
  /* the last stop, the previous time, the longest step of the reference since that stop */
  double last = 0;
  double before = 0;
  double longest = 0;
  bool   any = false;
  for (int k = 0; k < n; k++) {
    const double span = time[k] - before;
    const double way = time[k] - last;
    if (span > 0) {
      const double step = span / (double)cst_reference_steps(s, span);
      longest = fmax(longest, step);
    }
    double steps = 0;
    if (longest > 0)
      steps = floor(way / (2 * longest) * (1 + 1e-9));
    /* with noise, steps are multiples of the path's increments */
    const double play = s->resolution > 0 ? 1 + 1e-9 : 1.1;
    const double most = play * 2 * longest * steps;
    const bool   fits = steps >= 1 && way <= most;
    const bool   ends = k == n - 1 && !s->resolution;
    before = time[k];
    if (way == 0)
      twice[k] = 0;
    else if (fits || ends)
      twice[k] = (long)fmax(1, steps);
    else
      twice[k] = -1;
    any |= fits;
    if (twice[k] >= 0) {
      last = time[k];
      longest = 0;
    }
  }
  return any;
}

static void keep_largest(double *kept, double e) {
  if (!isnan(e) && !(e <= *kept))
    *kept = e;
}

/* x, y: rows {q, p, lambda} of a member at the step of the reference and at twice that step. */
static void add_difference(const cst_study *s, const double *x, const double *y,
                           double error[CST_ERRORS]) {
  const int  nq = s->system->nq;
  const int  at[] = {0, 0, nq, 2 * nq};
  const int  size[] = {0, nq, nq, s->system->ng};
  const bool chosen[] = {false, s->error_q, s->error_p, s->error_lambda};
  double     all = 0;
  for (int k = CST_ERROR_Q; k < CST_ERRORS; k++) {
    if (!size[k])
      continue;
    const double *one = x + at[k];
    const double *other = y + at[k];
    const double  e = cst_norm_apart(s->norm, one, other, size[k]);
    if (chosen[k])
      all = cst_norm_join(s->norm, all, e);
    keep_largest(&error[k], e);
  }
  keep_largest(&error[CST_ERROR_ALL], all);
}

static void find_errors(const cst_reference *r, int variant, double error[CST_ERRORS]) {
  const cst_study *s = r->plan->study;
  const int        table = s->nvariant + variant;
  const int        times = r->ntime[variant];
  long            *twice = r->twice[variant];
  for (int k = 0; k < CST_ERRORS; k++)
    error[k] = NAN;
  if (!cst_reference_plan_twice(s, r->time[variant], times, twice))
    return;
  for (int t = 0; t < times; t++) {
    if (twice[t] < 0)
      continue;
    for (long m = 0; m < cst_reference_members(r, table); m++) {
      const double *full = cst_reference_cell(r, variant, t, m);
      const double *doubled = cst_reference_cell(r, table, t, m);
      add_difference(s, full, doubled, error);
    }
  }
}

void cst_reference_errors(const cst_reference *r, double *error) {
  const int n = r->plan->study->nvariant;
  for (int i = 0; i < n * CST_ERRORS; i++)
    error[i] = NAN;
  if (cst_reference_tables(r) <= n)
    return;
  for (int v = 0; v < n; v++)
    find_errors(r, v, error + v * CST_ERRORS);
}

/* ---- before the run -------------------------------------------------------------------------- */

/* Rough guess of the error of a method of the given order at step h, where T is a time scale of the motion.
 */
static double guess(double h, double T, int order) { return fmax(pow(h / T, order), 1e-14); }

static int order_of(const cst_properties *p) { return CST_SMALLER(p->order_q, p->order_p); }

/* The longest step with which the reference is ten times more accurate than the finest run of method m, or a
 * hundred times if both have the same order: otherwise its own error biases the order. */
static double longest_step(const cst_plan *p, int variant, int m, int order) {
  const cst_study *s = p->study;
  const double    *steps = s->step + (size_t)variant * (size_t)s->nstep;
  const double     h = steps[s->nstep - 1];
  const double     T = fmax(1, 10 * steps[0]);
  const int        of = order_of(&p->method[m]->properties);
  const double     goal = guess(h, T, of) / 10;
  const double     longest = T * pow(goal, 1.0 / order);
  if (of == order)
    return fmin(longest, h * pow(0.01, 1.0 / of));
  return longest;
}

void cst_reference_doubt(const cst_plan *p, char *text, size_t n) {
  const cst_study *s = p->study;
  *text = 0;
  if (s->reference != CST_REFERENCE_METHOD || !cst_study_needs(s, CST_NEEDS_REFERENCE_ERROR))
    return;
  const cst_properties own = p->reference->properties;
  const int            order = order_of(&own);
  double               least = INFINITY;
  int                  variant = 0, method = 0;
  for (int v = 0; v < s->nvariant; v++)
    for (int m = 0; m < s->nmethod && order > 0; m++) {
      double longest = INFINITY;
      if (order_of(&p->method[m]->properties) > 0)
        longest = longest_step(p, v, m, order);
      const double *steps = s->step + v * s->nstep;
      const double  finest = steps[s->nstep - 1];
      double        step = s->reference_step;
      if (s->over == CST_OVER_MESH)
        step = fmin(step, finest);
      if (step > longest * (1 + 1e-9) && longest < least) {
        least = longest;
        variant = v;
        method = m;
      }
    }
  if (least == INFINITY)
    return;
  const char *unit = cst_system_unit(s->system, "time");
  snprintf(text, n,
           "the reference, %s at step %.3g%s, is probably less than ten times more accurate "
           "than %s at step %.3g%s, "
           "and orders are fitted only above its error; use a step of about %.1g%s, or a method "
           "of higher order",
           cst_method_label(s->reference_method), s->reference_step, unit,
           cst_method_label(s->method[method]), s->step[variant * s->nstep + s->nstep - 1], unit,
           least, unit);
}

void cst_reference_warn(const cst_plan *p, cst_diag *d) {
  char text[1024];
  cst_reference_doubt(p, text, sizeof text);
  if (!*text)
    return;
  const cst_study_word at = cst_study_place(p->study, "reference.step");
  cst_diag_warn(d, p->study->file, at.line, at.column, "%s", text);
}
