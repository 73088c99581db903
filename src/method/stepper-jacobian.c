/* stepper-jacobian.c: residuals and Jacobians of substeps for PETSc's own solvers (see stepper-single.h).
 *
 * The Jacobian is what the core's correction is the solution with: d = -J^-1 f for the unit vectors f
 * gives -J^-1 by columns. Where a system is long and J is the matrix -S that lanes eliminate, S is taken
 * (stepper-sparse.h). Of cores whose correction is not Newton's it is taken from central differences of the residual,
 * of a long system in sparse form (stepper-colours.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-single.h"

#define NUMBER    double
#define MAGNITUDE fabs
#define FACTOR    factor
#define SOLVE     solve_factored
#include "core/pivoted.h"

typedef cst_stepper_single single;

void cst_stepper_single_spread(const single *s, const double *x, double *to) {
  const int W = s->st->width;
  for (int k = 0; k < cst_stepper_single_unknowns(s); k++)
    for (int l = 0; l < W; l++)
      to[cst_stepper_single_unknown(s, k) * W + l] = x[k];
}

void cst_stepper_single_pick(const single *s, const double *from, double *x) {
  for (int k = 0; k < cst_stepper_single_unknowns(s); k++)
    x[k] = from[cst_stepper_single_unknown(s, k) * s->st->width];
}

/* A scratch as begin leaves it. Overwrites s->d. */
static cst_scratch *clean(single *s) {
  cst_scratch *x = &s->scratch[CST_OTHER];
  memcpy(s->copy, s->record, s->st->size * sizeof *s->copy);
  s->g->alone->begin(&s->march, s->copy, s->sub, s->d, x);
  return x;
}

void cst_stepper_single_residual(void *context, const double *x, double *f) {
  single      *s = context;
  cst_scratch *other = clean(s);
  const bool   negative =
      s->form == CST_MATRIX_GRAM || (s->form == CST_MATRIX_COLOURS && s->colours.by.sign < 0);
  cst_stepper_single_spread(s, x, s->x);
  s->g->alone->residual(&s->march, s->copy, s->sub, s->x, s->f, other);
  cst_stepper_single_pick(s, s->f, f);
  for (int k = 0; k < cst_stepper_single_unknowns(s) && negative; k++)
    f[k] = -f[k];
  for (int k = 0; k < cst_stepper_single_unknowns(s); k++)
    if (s->stays[k])
      f[k] = x[k] - s->start[k];
}

/* matrix := -J^-1, to whose column k the core's correction for the unit vector k is. An unknown that stays as it is,
 * the impulse of a redundant constraint, has a 1 of its own. */
void cst_stepper_single_invert(single *s, const double *x) {
  const int    n = cst_stepper_single_unknowns(s), W = s->st->width;
  cst_march    m = s->march;
  cst_scratch *other = clean(s);
  m.attempt = 1; /* with pivots, if there are any */
  cst_stepper_single_spread(s, x, s->x);
  for (int k = 0; k < n; k++) {
    double size = 0;
    memset(s->f, 0, (size_t)(n * W) * sizeof *s->f);
    for (int l = 0; l < W; l++)
      s->f[k * W + l] = 1;
    s->g->alone->direction(&m, s->copy, s->sub, s->x, s->f, s->d, other);
    for (int i = 0; i < n; i++) {
      s->matrix[(size_t)i * (size_t)n + (size_t)k] = -s->d[i * W];
      size += fabs(s->d[i * W]);
    }
    s->stays[k] = size == 0;
    if (s->stays[k])
      s->matrix[(size_t)k * (size_t)(n + 1)] = 1;
  }
}

static void jacobian_of_corrections(single *s, const double *x, double *J) {
  const int n = cst_stepper_single_unknowns(s);
  cst_stepper_single_invert(s, x);
  if (!factor(s->matrix, s->row, n))
    J[0] = NAN;
  for (int k = 0; k < n && J[0] - J[0] == 0; k++) {
    memset(s->column, 0, (size_t)n * sizeof *s->column);
    s->column[k] = 1;
    solve_factored(s->matrix, s->row, n, s->column);
    for (int i = 0; i < n; i++)
      J[(size_t)i * (size_t)n + (size_t)k] = s->column[i];
  }
}

/* column := the derivative of the residual by the unknown k: differences of order 4, over four residuals. Those of order 2
 * would be off by 1e-4 in unknowns that are small beside others, such as multipliers that vanish with the step: their
 * residuals are over h^2. x [n] is left as it was, f [n] overwritten. */
static void differentiate(single *s, double *x, int k, double step, double *f, double *column) {
  static const double ahead[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
  const int           n = cst_stepper_single_unknowns(s);
  const double        here = x[k];
  memset(column, 0, (size_t)n * sizeof *column);
  for (int p = 0; p < 4; p++) {
    x[k] = here + ahead[p] * step;
    cst_stepper_single_residual(s, x, f);
    for (int i = 0; i < n; i++)
      column[i] += weight[p] * f[i] / (12 * step);
  }
  x[k] = here;
}

/* The largest difference of two columns over the largest entry of the second one; infinite where one is not finite. */
static double apart(const double *before, const double *after, int n) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    const double d = fabs(after[i] - before[i]);
    if (!(d <= DBL_MAX))
      return INFINITY;
    most = fmax(d, most);
    size = fmax(fabs(after[i]), size);
  }
  return most > 0 ? most / size : 0;
}

/* Steps grow by 4 from what is small for an unknown of this size until two columns agree: the residual's round-off, which
 * short steps magnify, is not that of the unknown where a multiplier is small. Once they agree far less it is by the
 * error of long steps. Of the pair that agrees best the second column is taken, which has less round-off. */
static void jacobian_of_differences(single *s, const double *x, double *J) {
  const int n = cst_stepper_single_unknowns(s);
  double   *at = s->matrix, *f = at + n, *before = f + n, *after = before + n, most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(fabs(x[k]), most);
  memcpy(at, x, (size_t)n * sizeof *at);
  for (int k = 0; k < n; k++) {
    const double size = fmax(fabs(x[k]), 1e-2 * most);
    double       step = pow(DBL_EPSILON, 0.2) / 16 * (size > 0 ? size : 1), least = INFINITY;
    differentiate(s, at, k, step, f, before);
    for (int i = 0; i < n; i++)
      J[(size_t)i * (size_t)n + (size_t)k] = before[i];
    for (int tries = 0; tries < 7 && least > 1e-9; tries++) {
      double between;
      step *= 4;
      differentiate(s, at, k, step, f, after);
      between = apart(before, after, n);
      if (!(between <= 16 * least))
        break;
      for (int i = 0; i < n && between < least; i++)
        J[(size_t)i * (size_t)n + (size_t)k] = after[i];
      memcpy(before, after, (size_t)n * sizeof *before);
      least = fmin(between, least);
    }
  }
  for (int k = 0; k < n; k++) {
    double size = 0;
    for (int i = 0; i < n; i++)
      size +=
          fabs(J[(size_t)i * (size_t)n + (size_t)k]) + fabs(J[(size_t)k * (size_t)n + (size_t)i]);
    s->stays[k] |= size == 0;
    if (size == 0)
      J[(size_t)k * (size_t)(n + 1)] = 1;
  }
}

/* S at x */
static void jacobian_of_pairs(single *s, const double *x, double *J) {
  cst_scratch *other = clean(s);
  cst_stepper_single_spread(s, x, s->x);
  s->sparse.use = CST_SPARSE_KEEP;
  s->g->alone->direction(&s->march, s->copy, s->sub, s->x, s->f, s->d, other);
  s->sparse.use = CST_SPARSE_IGNORE;
  memcpy(J, s->sparse.values, (size_t)s->sparse.row[cst_stepper_single_unknowns(s)] * sizeof *J);
}

/* Residuals of W points. */
static void residuals(void *context, const double *x, double *f) {
  single      *s = context;
  cst_scratch *other = clean(s);
  s->g->alone->residual(&s->march, s->copy, s->sub, x, f, other);
}

/* values := the matrix at x, unless they are. */
static void form_by_colours(single *s, const double *x) {
  const size_t bytes = (size_t)s->colours.n * sizeof *x;
  if (s->formed && !memcmp(s->at, x, bytes))
    return;
  memcpy(s->at, x, bytes);
  s->formed = true;
  cst_colours_jacobian(&s->colours, x, s->march.group.dropped, s->st->width, residuals, s, s->x,
                       s->f, s->values);
}

static void jacobian_of_colours(single *s, const double *x, double *J) {
  form_by_colours(s, x);
  memcpy(J, s->values, (size_t)s->colours.row[s->colours.n] * sizeof *J);
}

const double *cst_stepper_single_first(single *s) {
  const double h = s->march.sub[s->sub].h[0];
  const size_t bytes = (size_t)s->colours.n * sizeof *s->column;
  if (s->form == CST_MATRIX_GRAM) {
    cst_sparse_at_start(&s->sparse, s->record, s->sub);
    return s->sparse.values;
  }
  cst_colours_scale(&s->colours, &s->march.group, s->st->width, s->record, h);
  memcpy(s->column, s->start, bytes);
  if (s->colours.by.rests)
    memset(s->column, 0, bytes);
  s->formed = false;
  form_by_colours(s, s->column);
  return s->values;
}

/* LAPACK's factors of a singular matrix would be an error of PETSc's, not a solve that fails. */
bool cst_stepper_single_jacobian(void *context, const double *x, double *J) {
  single *s = context;
  J[0] = 0;
  if (s->form == CST_MATRIX_GRAM)
    jacobian_of_pairs(s, x, J);
  if (s->form == CST_MATRIX_COLOURS)
    jacobian_of_colours(s, x, J);
  if (s->form != CST_MATRIX_FULL)
    return true;
  if (s->exact)
    jacobian_of_corrections(s, x, J);
  else
    jacobian_of_differences(s, x, J);
  memcpy(s->matrix, J,
         (size_t)cst_stepper_single_unknowns(s) * (size_t)cst_stepper_single_unknowns(s) *
             sizeof *J);
  return J[0] - J[0] == 0 && factor(s->matrix, s->row, cst_stepper_single_unknowns(s));
}
