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
#include <stdlib.h>
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

/* The residuals as the core has them; whether it asks for a correction of x. */
static bool residual_at(single *s, const double *x, double *f) {
  cst_scratch *other = clean(s);
  const bool   negative =
      s->form == CST_MATRIX_GRAM || (s->form == CST_MATRIX_COLOURS && s->colours.by.sign < 0);
  cst_stepper_single_spread(s, x, s->x);
  const int active = s->g->alone->residual(&s->march, s->copy, s->sub, s->x, s->f, other);
  cst_stepper_single_pick(s, s->f, f);
  for (int k = 0; k < cst_stepper_single_unknowns(s) && negative; k++)
    f[k] = -f[k];
  for (int k = 0; k < cst_stepper_single_unknowns(s); k++)
    if (s->stays[k])
      f[k] = x[k] - s->start[k];
  return active != 0;
}

void cst_stepper_single_residual(void *context, const double *x, double *f) {
  single *s = context;
  (void)residual_at(s, x, f);
  for (int k = 0; k < cst_stepper_single_unknowns(s); k++)
    f[k] *= s->balance[k];
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
    residual_at(s, x, f);
    for (int i = 0; i < n; i++)
      column[i] += weight[p] * f[i] / (12 * step);
  }
  x[k] = here;
}

/* The round-off of each residual at x. Overwrites s->d. */
static void find_round_off(single *s, const double *x, double *noise) {
  memcpy(s->copy, s->record, s->st->size * sizeof *s->copy);
  cst_stepper_single_spread(s, x, s->x);
  s->g->alone->round_off(&s->march, s->copy, s->sub, s->x, s->d);
  cst_stepper_single_pick(s, s->d, noise);
}

/* The sizes that an unknown may have, whatever its kind, from far below a coordinate to a force: of lengths of the system,
 * its masses and the step. */
static void find_range(const single *s, double *least, double *most) {
  const cst_context *C = &s->march.group;
  const int          W = s->st->width;
  const double      *r = s->record, h = fabs(s->march.sub[s->sub].h[0]);
  double             light = 1, heavy = 1;
  for (int k = 0; k < C->nmass; k++) {
    light = fmin(r[(C->at.mass + k) * W], light);
    heavy = fmax(r[(C->at.mass + k) * W], heavy);
  }
  const double extent = r[C->at.extent * W] > 0 ? r[C->at.extent * W] : 1;
  *least = 0x1p-80 * extent * light;
  *most = 0x1p20 * extent * heavy * fmax(1, 1 / (h * h));
}

/* An entry of a column, from differences. */
typedef struct {
  double value, last, gap; /* gap: how far the best pair of differences is apart, of their size */
  bool   reads, settled;
} entry;

/* Whether residuals read the unknown k at all, at steps so long that some part of each would change. */
static void find_readers(single *s, double *at, int k, double most, const double *here, double *f,
                         entry *e) {
  static const double part[] = {0x1.8p-8, 0x1.3p-30, 0x1.5p-60};
  const int           n = cst_stepper_single_unknowns(s);
  const double        x = at[k];
  for (int i = 0; i < n; i++)
    e[i].reads = false;
  for (int t = 0; t < 3; t++) {
    at[k] = x + part[t] * most;
    residual_at(s, at, f);
    for (int i = 0; i < n; i++)
      e[i].reads |= !(f[i] == here[i]);
  }
  at[k] = x;
}

/* Takes in the differences over a step. An entry is taken from steps that its residual feels, 1e3 times above its round-off:
 * of two that follow each other the second, which has less round-off, where they agree best. It is settled once they
 * agree to 1e-9, or less than before, by the error of long steps. */
static bool take(entry *e, int n, double step, const double *column, const double *noise) {
  bool open = false;
  for (int i = 0; i < n; i++) {
    const double size = fabs(column[i]);
    const bool   felt = size * step > 1e3 * noise[i];
    const double gap = felt && e[i].last != 0 ? fabs(column[i] - e[i].last) / size : INFINITY;
    const bool   worse = e[i].gap < 0.1 && !(gap <= 16 * e[i].gap);
    if (felt && e[i].value == 0)
      e[i].value = column[i];
    if (!e[i].settled && gap < e[i].gap) {
      e[i].value = column[i];
      e[i].gap = gap;
    }
    e[i].last = felt ? column[i] : 0;
    e[i].settled |= e[i].gap <= 1e-9 || worse;
    open |= e[i].reads && !e[i].settled;
  }
  return open;
}

/* Fills column k of J; returns whether any residual reads the unknown. Steps grow by 4, from 1e-4 of the unknown; of one that is 0 or nearly so by 256 from the least size until some residual
 * feels them. */
static bool find_column(single *s, double *at, int k, const double *here, const double *noise,
                        double *f, double *column, entry *e, double *J) {
  const size_t n = (size_t)cst_stepper_single_unknowns(s);
  double       least, most, step;
  bool         open = true;
  find_range(s, &least, &most);
  most = fmax(most, 64 * fabs(at[k]));
  for (size_t i = 0; i < n; i++)
    e[i] = (entry){.gap = INFINITY, .reads = true};
  step = pow(DBL_EPSILON, 0.2) / 16 * fabs(at[k]);
  const bool own = step > least; /* else it is as good as 0 */
  step = own ? step : least;
  for (int steps = 0; open && step < most; steps++) {
    if (steps == 2)
      find_readers(s, at, k, most, here, f, e);
    bool finite = true, felt = own;
    differentiate(s, at, k, step, f, column);
    for (size_t i = 0; i < n; i++)
      finite &= column[i] - column[i] == 0;
    if (!finite)
      break;
    open = take(e, (int)n, step, column, noise);
    for (size_t i = 0; i < n; i++)
      felt |= e[i].last != 0;
    step *= felt ? 4 : 256;
  }
  bool reads = false;
  for (size_t i = 0; i < n; i++) {
    J[i * n + (size_t)k] = e[i].gap < 0.1 ? e[i].value : 0;
    reads |= e[i].reads;
  }
  return reads;
}

/* An unknown that no residual reads, whatever its size, and whose own equation reads none, is there for the layout alone, as the
 * impulse of a redundant constraint is: it has an equation of its own. Where an unknown is read, but no difference shows
 * how, its column stays 0, and the solve fails. */
static void jacobian_of_differences(single *s, const double *x, double *J) {
  const size_t n = (size_t)cst_stepper_single_unknowns(s);
  double      *at = s->matrix, *f = at + n, *column = f + n, *here = column + n, *noise = here + n;
  entry       *e = cst_zeros((long)n, sizeof *e);
  bool        *reads = cst_zeros((long)n, sizeof *reads);
  memcpy(at, x, n * sizeof *at);
  residual_at(s, at, here);
  find_round_off(s, at, noise);
  for (size_t k = 0; k < n; k++)
    reads[k] = find_column(s, at, (int)k, here, noise, f, column, e, J);
  free(e);
  for (size_t k = 0; k < n; k++) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
      size += fabs(J[k * n + i]);
    if (reads[k] || size > 0)
      continue;
    s->stays[k] = true;
    J[k * (n + 1)] = 1;
  }
  free(reads);
}

/* s->values := the matrix at x, unless it is there already. */
static void form_by_differences(single *s, const double *x) {
  const size_t bytes = (size_t)cst_stepper_single_unknowns(s) * sizeof *x;
  if (s->formed && !memcmp(s->at, x, bytes))
    return;
  memcpy(s->at, x, bytes);
  s->formed = true;
  s->values[0] = 0;
  jacobian_of_differences(s, x, s->values);
}

/* The cost of putting equation i to unknown k: -log2 |J_ik|. */
static double cost_of(const double *J, int n, int i, int k) {
  const double size = fabs(J[(size_t)i * (size_t)n + (size_t)k]);
  return size > 0 ? -log2(size) : INFINITY;
}

/* Assigns equation `first` to an unknown, on the shortest way through those that have been assigned; of[k + 1]: the equation
 * of unknown k, -1: none; of[0] is `first`. u[n], v[n + 1]: the prices. False: there is no way. */
static bool assign(const double *J, int n, int first, int *of, int *way, bool *used, double *u,
                   double *v, double *least) {
  int at = 0;
  of[0] = first;
  for (int k = 0; k <= n; k++) {
    used[k] = false;
    least[k] = INFINITY;
  }
  while (of[at] >= 0) {
    int    next = -1;
    double by = INFINITY;
    used[at] = true;
    for (int k = 1; k <= n; k++) {
      if (used[k])
        continue;
      const double cost = cost_of(J, n, of[at], k - 1) - u[of[at]] - v[k];
      if (cost < least[k]) {
        least[k] = cost;
        way[k] = at;
      }
      if (least[k] < by) {
        by = least[k];
        next = k;
      }
    }
    if (next < 0)
      return false;
    for (int k = 0; k <= n; k++) {
      if (used[k]) {
        u[of[k]] += by;
        v[k] -= by;
      } else
        least[k] -= by;
    }
    at = next;
  }
  for (; at; at = way[at])
    of[at] = of[way[at]];
  return true;
}

/* Equations have units of their own, forces of atoms beside lengths: elimination takes the largest numbers for pivots, and
 * loses the small ones. Each equation is multiplied by 2^u, where u is its price in the assignment of equations to unknowns
 * that has the largest product of entries. All entries of a column are then at most that of the assignment.
 * Source: Duff and Koster, On algorithms for permuting large entries to the diagonal of a sparse matrix, SIAM J. Matrix
 * Anal. Appl. 22 (2001), section 4; assignment by shortest ways: Jonker and Volgenant, Computing 38 (1987). */
void cst_stepper_single_balance(single *s) {
  const int n = cst_stepper_single_unknowns(s);
  double   *u = cst_zeros(3 * n + 2, sizeof *u), *v = u + n, *least = v + n + 1;
  int      *of = cst_zeros(2 * n + 2, sizeof *of), *way = of + n + 1;
  bool     *used = cst_zeros(n + 1, sizeof *used);
  s->formed = false;
  memset(s->stays, 0, (size_t)n * sizeof *s->stays);
  bool good = residual_at(s, s->start,
                          u); /* else there is nothing to solve, as in the first steps of bdf */
  memset(u, 0, (size_t)n * sizeof *u);
  if (good)
    form_by_differences(s, s->start);
  for (int k = 0; k <= n; k++)
    of[k] = -1;
  for (int i = 0; i < n && good; i++)
    good = assign(s->values, n, i, of, way, used, u, v, least);
  for (int i = 0; i < n; i++)
    s->balance[i] = good ? exp2(round(u[i])) : 1;
  free(u);
  free(of);
  free(used);
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
  const size_t n = (size_t)cst_stepper_single_unknowns(s);
  if (s->exact)
    jacobian_of_corrections(s, x, J);
  else {
    form_by_differences(s, x);
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        J[i * n + k] = s->balance[i] * s->values[i * n + k];
  }
  memcpy(s->matrix, J, n * n * sizeof *J);
  return J[0] - J[0] == 0 && factor(s->matrix, s->row, (int)n);
}
