/* stepper-petsc.c: steps whose equations PETSc's own solvers solve (solve/single.h), one trajectory after another:
 * the reference path of implicit methods against the lanes.
 *
 * The equations are those of a core, in pieces (core.h). A trajectory is stepped in a record all of whose lanes are
 * copies of it. The Jacobian is sparse where a system is long; PETSc also solves with
 * the S of gram.h then, whenever a step asks for that (stepper-sparse.h). A core also says when the iteration ends,
 * and whether its root is the step (core/near-root.h); if it does not know, the step is made by the further attempts
 * that the lanes make.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper-internal.h"
#include "method/stepper/stepper-sparse.h"

/* What the Jacobian is: a full matrix; the S of stepper-sparse.h, with the other sign, which Cholesky's factors need
 * where h > 0; a sparse matrix of differences. */
typedef enum { FULL, GRAM, COLOURS } matrix_form;

/* The equations of a segment's substeps, and the place of the one that is solved. */
struct cst_stepper_single {
  cst_stepper       *st;
  const cst_segment *g;
  cst_march          march; /* that of g; of a sparse matrix, with what eliminates S */
  matrix_form        form;
  cst_sparse         sparse;
  cst_colours        colours;
  cst_single  *solver, *projector; /* projector: of S, where that is not what the solver has */
  cst_scratch *scratch;            /* [2]: of the iteration; for all else */
  double      *record;             /* the part that is stepped */
  double      *copy;               /* of it, for what may change counts in it */
  double      *x, *f, *d;          /* [unknowns][W] */
  double      *start;              /* unknowns with which the iteration begins */
  double      *matrix, *column;
  double      *balance; /* [n] what each equation is multiplied by for PETSc; powers of 2 */
  /* of a matrix of colours or of differences, [row[n]] or [n][n], and where it was taken, [n] */
  double *values, *at;
  bool   *stays; /* unknowns that no equation changes, in the order of x */
  int    *row, sub;
  bool    exact, opened, formed; /* formed: values are those of this substep */
};

enum { OWN, OTHER };

static int unknowns(const cst_stepper_single *s) { return s->g->march.unknowns; }

/* The unknown that PETSc has at place k. */
static int unknown_at(const cst_stepper_single *s, int k) {
  return s->form == COLOURS ? s->colours.order[k] : k;
}

/* ---- residuals and Jacobians ----------------------------------------------------------------- */

/* The Jacobian is what the core's correction is the solution with: d = -J^-1 f for the unit vectors f
 * gives -J^-1 by columns. Where a system is long and J is the matrix -S that lanes eliminate, S is taken
 * (stepper-sparse.h). Of cores whose correction is not Newton's it is taken from central differences of the residual,
 * of a long system in sparse form (stepper-sparse.h).
 */

#define NUMBER    double
#define MAGNITUDE fabs
#define FACTOR    factor
#define SOLVE     solve_factored
#include "core/pivoted.h"

typedef cst_stepper_single single;

/* x in every lane, and back. */
static void spread(const single *s, const double *x, double *to) {
  const int W = s->st->width;
  for (int k = 0; k < unknowns(s); k++)
    for (int l = 0; l < W; l++)
      to[unknown_at(s, k) * W + l] = x[k];
}

static void pick(const single *s, const double *from, double *x) {
  for (int k = 0; k < unknowns(s); k++)
    x[k] = from[unknown_at(s, k) * s->st->width];
}

/* A scratch as begin leaves it. Overwrites s->d. */
static cst_scratch *clean(single *s) {
  cst_scratch *x = &s->scratch[OTHER];
  memcpy(s->copy, s->record, s->st->moving * sizeof *s->copy);
  s->g->alone->begin(&s->march, s->copy, s->sub, s->d, x);
  return x;
}

/* The residuals as the core has them; whether it asks for a correction of x. */
static bool residual_at(single *s, const double *x, double *f) {
  cst_scratch *other = clean(s);
  const bool   negative = s->form == GRAM || (s->form == COLOURS && s->colours.by.sign < 0);
  spread(s, x, s->x);
  const int active = s->g->alone->residual(&s->march, s->copy, s->sub, s->x, s->f, other);
  pick(s, s->f, f);
  for (int k = 0; k < unknowns(s) && negative; k++)
    f[k] = -f[k];
  for (int k = 0; k < unknowns(s); k++)
    if (s->stays[k])
      f[k] = x[k] - s->start[k];
  return active != 0;
}

/* Callbacks of a cst_single_equations, whose context is the struct. */
static void residual(void *context, const double *x, double *f) {
  single *s = context;
  (void)residual_at(s, x, f);
  for (int k = 0; k < unknowns(s); k++)
    f[k] *= s->balance[k];
}

/* matrix := -J^-1, to whose column k the core's correction for the unit vector k is. An unknown that stays as it is,
 * the impulse of a redundant constraint, has a 1 of its own. */
static void invert(single *s, const double *x) {
  const int    n = unknowns(s), W = s->st->width;
  cst_march    m = s->march;
  cst_scratch *other = clean(s);
  m.attempt = 1; /* with pivots, if there are any */
  spread(s, x, s->x);
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
  const int n = unknowns(s);
  invert(s, x);
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
  const int           n = unknowns(s);
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
  memcpy(s->copy, s->record, s->st->moving * sizeof *s->copy);
  spread(s, x, s->x);
  s->g->alone->round_off(&s->march, s->copy, s->sub, s->x, s->d);
  pick(s, s->d, noise);
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
  const int           n = unknowns(s);
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
  const size_t n = (size_t)unknowns(s);
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
 * impulse of a redundant constraint is: it has an equation of its own. Where no difference shows how an unknown
 * is read, its column stays 0, and the solve fails (CST_NO_EFFECT). */
static void jacobian_of_differences(single *s, const double *x, double *J) {
  const size_t n = (size_t)unknowns(s);
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
  const size_t bytes = (size_t)unknowns(s) * sizeof *x;
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
static void find_balance(single *s) {
  const int n = unknowns(s);
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
  spread(s, x, s->x);
  s->sparse.use = CST_SPARSE_KEEP;
  s->g->alone->direction(&s->march, s->copy, s->sub, s->x, s->f, s->d, other);
  s->sparse.use = CST_SPARSE_IGNORE;
  memcpy(J, s->sparse.values, (size_t)s->sparse.row[unknowns(s)] * sizeof *J);
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

/* The entries of the sparse matrix with which the corrections of a substep begin: where a step begins of length 0, or
 * at s->start. */
static const double *first_matrix(single *s) {
  const double h = s->march.sub[s->sub].h[0];
  const size_t bytes = (size_t)s->colours.n * sizeof *s->column;
  if (s->form == GRAM) {
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
static bool jacobian(void *context, const double *x, double *J) {
  single *s = context;
  J[0] = 0;
  if (s->form == GRAM)
    jacobian_of_pairs(s, x, J);
  if (s->form == COLOURS)
    jacobian_of_colours(s, x, J);
  if (s->form != FULL)
    return true;
  const size_t n = (size_t)unknowns(s);
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

/* ---- a step ---------------------------------------------------------------------------------- */

/* As the lanes: by the residual, or by the correction. The last call counts an iteration. */
static bool ends(void *context, int corrections, const double *x, const double *d) {
  single          *s = context;
  const cst_core  *core = s->g->alone;
  const cst_march *m = &s->march;
  const int        n = unknowns(s);
  cst_scratch     *own = &s->scratch[OWN];
  (void)corrections;
  if (d) {
    for (int k = 0; k < n; k++)
      s->column[k] = x[k] - d[k];
    spread(s, s->column, s->x);
    spread(s, d, s->d);
    core->correct(m, s->record, s->sub, s->x, s->d, own);
  }
  spread(s, x, s->x);
  const int active = core->residual(m, s->record, s->sub, s->x, s->f, own);
  if (active)
    core->direction(m, s->record, s->sub, s->x, s->f, s->d, own);
  return !active;
}

/* Whether x, where an iteration did not end, is the solution but for the round-off of its equations; x may be corrected. */
static bool rests(single *s, double *x) {
  if (s->form != FULL)
    return false;
  spread(s, x, s->x);
  if (!(s->g->alone->rests(&s->march, s->record, s->sub, s->x) & 1))
    return false;
  pick(s, s->x, x);
  return true;
}

/* Whether the root is the step: corrections with the matrix of the start shrink well. */
static cst_error find_sure(single *s, bool *sure) {
  double rate = 0;
  if (s->form != FULL)
    CST_TRY(cst_single_rate(s->solver, &rate));
  *sure = s->scratch[OWN].sure[0] != 0 && rate <= 0.5;
  return 0;
}

/* The end of a substep, in which the solver of a sparse matrix projects. */
static cst_error finish(single *s, cst_outcome *o) {
  s->sparse.use = CST_SPARSE_SOLVE;
  s->sparse.failed = false;
  *o = s->g->alone->finish(&s->march, s->record, s->sub, s->x);
  s->sparse.use = CST_SPARSE_IGNORE;
  CST_TRY(s->sparse.error);
  if (s->sparse.failed)
    *o = (cst_outcome){0, (1 << s->st->width) - 1, CST_NOT_CONVERGED};
  return 0;
}

/* Why a solve has failed: by the last matrix. */
static cst_reason why_failed(const single *s) {
  const size_t n = (size_t)unknowns(s);
  if (s->form != FULL || s->exact || !s->formed)
    return CST_NOT_CONVERGED;
  for (size_t k = 0; k < n; k++) {
    bool zero = true;
    for (size_t i = 0; i < n && zero; i++)
      zero = s->values[i * n + k] == 0;
    if (zero)
      return CST_NO_EFFECT;
  }
  return CST_NOT_CONVERGED;
}

/* One substep of a record with identical lanes. attempt: as that of a march. */
static cst_error substep(single *s, double *record, int sub, int attempt, cst_outcome *o) {
  const cst_march *m = &s->march;
  const int        all = (1 << s->st->width) - 1;
  double          *x = s->start + unknowns(s);
  int              reason = 1;
  bool             sure = true;
  s->record = record;
  s->sub = sub;
  s->march = s->g->march; /* whose times change */
  s->march.straight = 1;
  s->march.attempt = attempt;
  if (s->form != FULL)
    s->march.group.by = &s->sparse.by;
  *o = (cst_outcome){1, 0, CST_DONE};
  if (unknowns(s) > 0) {
    s->g->alone->begin(m, record, sub, s->x, &s->scratch[OWN]);
    pick(s, s->x, s->start);
    memcpy(x, s->start, (size_t)unknowns(s) * sizeof *x);
    if (s->form != FULL)
      CST_TRY(cst_single_factor(s->solver, first_matrix(s)));
    else if (!s->exact)
      find_balance(s);
    else if (!s->opened)
      invert(s, x);
    s->opened = true;
    CST_TRY(cst_single_solve(s->solver, x, &reason));
    if (reason <= 0 && attempt && rests(s, x))
      reason = 1;
    if (reason > 0)
      CST_TRY(find_sure(s, &sure));
    spread(s, x, s->x);
    if (reason <= 0)
      *o = (cst_outcome){0, all, why_failed(s)};
    else if (!sure)
      *o = (cst_outcome){0, all, CST_STEP_TOO_LARGE};
  }
  if (o->reason == CST_DONE)
    CST_TRY(finish(s, o));
  return 0;
}

/* One step of a record with identical lanes. */
static cst_error make_step(cst_stepper *st, double *record, int attempt, cst_outcome *o) {
  if (st->guard)
    cst_guard_before(st->guard, record);
  cst_stepper_take_steps(st, cst_stepper_inner(st, record));
  *o = cst_stepper_open_step(st, record);
  for (int i = 0; i < st->nsegment && o->reason == CST_DONE; i++)
    for (int j = 0; j < st->segment[i].march.nsub && o->reason == CST_DONE; j++)
      CST_TRY(substep(&st->single[i], cst_stepper_inner(st, record), j, attempt, o));
  if (o->reason == CST_DONE) {
    cst_stepper_bring(st, record);
    if (st->guard)
      *o = cst_guard_behind(st->guard, record, 1);
  }
  return 0;
}

/* Whether lanes can make a step of this system. */
static bool lanes_can(const cst_stepper *st) {
  return st->segment[0].march.group.system->model->gram.form != CST_FORM_PAIRS;
}

/* One step of a group, lane by lane: one that fails is tried once more, with pivots and tests of rest. Where the root may be
 * another than the step, the lanes decide. */
static cst_error step_group(cst_stepper *st, int group, long step) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  double    *column = st->work, *next = st->work + 2 * st->size;
  cst_reason reason[CST_W_MAX] = {CST_DONE};
  int        left = 0;
  memcpy(next, record, st->size * sizeof *next);
  for (int l = 0; l < st->width && !cst_stepper_halts(st); l++) {
    cst_outcome o;
    if (!(b->alive[group] >> l & 1))
      continue;
    for (int attempt = 0; attempt < 2; attempt++) {
      memcpy(column, record, st->size * sizeof *column);
      cst_stepper_pad(st, column, 1 << l);
      CST_TRY(make_step(st, column, attempt, &o));
      if (o.reason == CST_DONE || o.reason == CST_STEP_TOO_LARGE)
        break;
    }
    reason[l] = o.reason;
    if (o.reason == CST_DONE)
      cst_stepper_copy_lane(st, next, l, column, l);
    else if (o.reason == CST_STEP_TOO_LARGE && lanes_can(st))
      left |= cst_stepper_retry(st, record, 1 << l, next, reason);
    else
      left |= 1 << l;
  }
  if (!st->halted)
    cst_stepper_end_lanes(st, group, step, left, reason, next);
  return 0;
}

cst_error cst_stepper_single_stretch(cst_stepper *st, long n) {
  for (long k = 0; k < n && !st->halted; k++)
    for (int g = 0; g < st->batch->groups && !st->halted; g++)
      if (st->batch->alive[g])
        CST_TRY(step_group(st, g, st->batch->step + k));
  return 0;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void create_sparse(single *s, const cst_substep *first) {
  const cst_context *C = &s->g->march.group;
  const int          n = unknowns(s);
  cst_sparse_create(&s->sparse, &s->march, s->st->width);
  if (s->form == COLOURS) {
    cst_colours_create(&s->colours, first, C->system);
    s->values = cst_zeros(s->colours.row[n], sizeof *s->values);
    s->at = cst_zeros(n, sizeof *s->at);
  }
  const int ng = C->ng, behind = s->form == COLOURS ? s->colours.by.blocks * C->nq : 0;
  for (int k = 0; k < n && C->dropped; k++) {
    const int a = unknown_at(s, k) - behind;
    s->stays[k] = a >= 0 && C->dropped[a % ng];
  }
}

static cst_error create(cst_stepper *st, const cst_segment *g, int max_iterations, single *s) {
  const size_t n = (size_t)g->march.unknowns, lanes = n * (size_t)st->width;
  *s = (single){.st = st, .g = g};
  s->scratch = cst_aligned(2 * sizeof *s->scratch / sizeof(double));
  s->copy = cst_aligned(st->size);
  s->x = cst_aligned(3 * lanes);
  s->f = s->x + lanes;
  s->d = s->f + lanes;
  const cst_substep *first = &st->program->step[g->first];
  s->march = g->march;
  s->form = !n                                               ? FULL
            : cst_sparse_takes(first, g->march.group.system) ? GRAM
            : cst_colours_take(first, g->march.group.system) ? COLOURS
                                                             : FULL;
  s->matrix = cst_aligned(s->form == FULL ? n * n + 5 * n : 0);
  s->column = cst_aligned(3 * n);
  s->start = s->column + n;
  s->stays = cst_zeros((long)n, sizeof *s->stays);
  s->row = cst_zeros((long)n, sizeof *s->row);
  s->exact = cst_substep_corrects(first, g->march.group.system);
  s->balance = cst_zeros((long)n, sizeof *s->balance);
  for (size_t k = 0; k < n; k++)
    s->balance[k] = 1;
  if (s->form == FULL && !s->exact) {
    s->values = cst_need(calloc(n * n, sizeof *s->values));
    s->at = cst_zeros((long)n, sizeof *s->at);
  }
  if (s->form != FULL)
    create_sparse(s, first);
  const bool                 coloured = s->form == COLOURS;
  const cst_single_equations e = {.context = s,
                                  .unknowns = (int)n,
                                  .row = coloured ? s->colours.row : s->sparse.row,
                                  .column = coloured ? s->colours.column : s->sparse.column,
                                  .ordered = coloured,
                                  .residual = residual,
                                  .jacobian = jacobian,
                                  .ends = ends};
  const cst_single_equations project = {
      .unknowns = s->g->march.group.ng, .row = s->sparse.row, .column = s->sparse.column};
  if (n)
    CST_TRY(cst_single_create(e, max_iterations, &s->solver));
  if (coloured && project.unknowns)
    CST_TRY(cst_single_create(project, max_iterations, &s->projector));
  s->sparse.solver = coloured ? s->projector : s->solver;
  return 0;
}

cst_error cst_stepper_single_create(cst_stepper *st, int max_iterations) {
  st->single = cst_aligned((size_t)st->nsegment * (sizeof *st->single / sizeof(double)));
  for (int i = 0; i < st->nsegment; i++)
    CST_TRY(create(st, &st->segment[i], max_iterations, &st->single[i]));
  return 0;
}

cst_error cst_stepper_single_destroy(cst_stepper *st) {
  for (int i = 0; i < st->nsegment && st->single; i++) {
    single *s = &st->single[i];
    CST_TRY(cst_single_destroy(&s->solver));
    CST_TRY(cst_single_destroy(&s->projector));
    cst_colours_destroy(&s->colours);
    free(s->values);
    free(s->at);
    cst_sparse_destroy(&s->sparse);
    free(s->scratch);
    free(s->copy);
    free(s->x);
    free(s->matrix);
    free(s->balance);
    free(s->column);
    free(s->row);
    free(s->stays);
  }
  free(st->single);
  return 0;
}
