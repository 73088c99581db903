/* stepper-petsc.c: steps whose equations PETSc's own solvers solve (solve/single.h), one trajectory after another:
 * the reference path of implicit methods against the lanes.
 *
 * The equations are those of a core, in pieces (core.h). A trajectory is stepped in a record all of whose lanes are
 * copies of it. The Jacobian is what the core's correction is the solution with: d = -J^-1 f for the unit vectors f
 * gives -J^-1 by columns. Where a system is long and J is the matrix -S that lanes eliminate, S is taken
 * (stepper-sparse.h), and PETSc solves with it whenever a step asks for that. Of cores whose correction is not
 * Newton's it is taken from central differences of the residual. A core also says when the iteration ends, and
 * whether its root is the step (core/near-root.h); if it does not know, the step is made by the further attempts
 * that the lanes make.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-internal.h"
#include "method/stepper-sparse.h"

#define NUMBER    double
#define MAGNITUDE fabs
#define FACTOR    factor
#define SOLVE     solve_factored
#include "core/pivoted.h"

/* The equations of a segment's substeps, and the place of the one that is solved. */
struct cst_stepper_single {
  cst_stepper       *st;
  const cst_segment *g;
  cst_march          march; /* that of g; of a sparse matrix, with what eliminates it */
  cst_sparse         sparse;
  cst_single        *solver;
  cst_scratch       *scratch;   /* [2]: of the iteration; for all else */
  double            *record;    /* the part that is stepped */
  double            *copy;      /* of it, for what may change counts in it */
  double            *x, *f, *d; /* [unknowns][W] */
  double            *start;     /* unknowns with which the iteration begins */
  double            *matrix, *column;
  bool              *stays; /* unknowns that no equation changes */
  int               *row, sub;
  bool               exact, opened, is_sparse;
};
typedef struct cst_stepper_single single;

enum { OWN, OTHER };

static int unknowns(const single *s) { return s->g->march.unknowns; }

/* x in every lane. */
static void spread(const single *s, const double *x, double *to) {
  const int W = s->st->width;
  for (int k = 0; k < unknowns(s); k++)
    for (int l = 0; l < W; l++)
      to[k * W + l] = x[k];
}

static void pick(const single *s, const double *from, double *x) {
  for (int k = 0; k < unknowns(s); k++)
    x[k] = from[k * s->st->width];
}

/* A scratch as begin leaves it. */
static cst_scratch *clean(single *s) {
  cst_scratch *x = &s->scratch[OTHER];
  memcpy(s->copy, s->record, s->st->size * sizeof *s->copy);
  s->g->alone->begin(&s->march, s->copy, s->sub, s->x, x);
  return x;
}

static void residual(void *context, const double *x, double *f) {
  single      *s = context;
  cst_scratch *other = clean(s);
  spread(s, x, s->x);
  s->g->alone->residual(&s->march, s->copy, s->sub, s->x, s->f, other);
  pick(s, s->f, f);
  for (int k = 0; k < unknowns(s) && s->is_sparse; k++)
    f[k] = -f[k]; /* so that J is S, which Cholesky's factors need where h > 0 */
  for (int k = 0; k < unknowns(s); k++)
    if (s->stays[k])
      f[k] = x[k] - s->start[k];
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

static void jacobian_of_differences(single *s, const double *x, double *J) {
  const int n = unknowns(s);
  double   *at = s->matrix, *ahead = at + n, *behind = ahead + n, most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(fabs(x[k]), most);
  memcpy(at, x, (size_t)n * sizeof *at);
  for (int k = 0; k < n; k++) {
    const double size = fmax(fabs(x[k]), 1e-3 * most);
    const double step = cbrt(DBL_EPSILON) * (size > 0 ? size : 1);
    at[k] = x[k] + step;
    residual(s, at, ahead);
    at[k] = x[k] - step;
    residual(s, at, behind);
    at[k] = x[k];
    for (int i = 0; i < n; i++)
      J[(size_t)i * (size_t)n + (size_t)k] = (ahead[i] - behind[i]) / (2 * step);
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
  spread(s, x, s->x);
  s->sparse.use = CST_SPARSE_KEEP;
  s->g->alone->direction(&s->march, s->copy, s->sub, s->x, s->f, s->d, other);
  s->sparse.use = CST_SPARSE_IGNORE;
  memcpy(J, s->sparse.values, (size_t)s->sparse.row[unknowns(s)] * sizeof *J);
}

/* LAPACK's factors of a singular matrix would be an error of PETSc's, not a solve that fails. */
static bool jacobian(void *context, const double *x, double *J) {
  single *s = context;
  J[0] = 0;
  if (s->is_sparse) {
    jacobian_of_pairs(s, x, J);
    return true;
  }
  if (s->exact)
    jacobian_of_corrections(s, x, J);
  else
    jacobian_of_differences(s, x, J);
  memcpy(s->matrix, J, (size_t)unknowns(s) * (size_t)unknowns(s) * sizeof *J);
  return J[0] - J[0] == 0 && factor(s->matrix, s->row, unknowns(s));
}

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

/* Whether the root is the step: corrections with the matrix of the start shrink well. */
static PetscErrorCode find_sure(single *s, bool *sure) {
  double rate = 0;
  PetscFunctionBegin;
  if (s->is_sparse)
    PetscCall(cst_single_rate(s->solver, &rate));
  *sure = s->scratch[OWN].sure[0] != 0 && rate <= 0.5;
  PetscFunctionReturn(0);
}

/* The end of a substep, in which the solver of a sparse matrix projects. */
static PetscErrorCode finish(single *s, cst_outcome *o) {
  PetscFunctionBegin;
  s->sparse.use = CST_SPARSE_SOLVE;
  s->sparse.failed = false;
  *o = s->g->alone->finish(&s->march, s->record, s->sub, s->x);
  s->sparse.use = CST_SPARSE_IGNORE;
  PetscCall(s->sparse.error);
  if (s->sparse.failed)
    *o = (cst_outcome){0, (1 << s->st->width) - 1, CST_NOT_CONVERGED};
  PetscFunctionReturn(0);
}

/* One substep of a record with identical lanes. */
static PetscErrorCode substep(single *s, double *record, int sub, cst_outcome *o) {
  const cst_march *m = &s->march;
  const int        all = (1 << s->st->width) - 1;
  double          *x = s->start + unknowns(s);
  int              reason = 1;
  bool             sure = true;
  PetscFunctionBegin;
  s->record = record;
  s->sub = sub;
  s->march = s->g->march; /* whose times change */
  s->march.straight = 1;
  if (s->is_sparse)
    s->march.group.by = &s->sparse.by;
  *o = (cst_outcome){1, 0, CST_DONE};
  if (unknowns(s) > 0) {
    s->g->alone->begin(m, record, sub, s->x, &s->scratch[OWN]);
    pick(s, s->x, s->start);
    memcpy(x, s->start, (size_t)unknowns(s) * sizeof *x);
    if (s->is_sparse) {
      cst_sparse_at_start(&s->sparse, record, sub);
      PetscCall(cst_single_factor(s->solver, s->sparse.values));
    } else if (s->exact && !s->opened)
      invert(s, x);
    s->opened = true;
    PetscCall(cst_single_solve(s->solver, x, &reason));
    if (reason > 0)
      PetscCall(find_sure(s, &sure));
    spread(s, x, s->x);
    if (reason <= 0)
      *o = (cst_outcome){0, all, CST_NOT_CONVERGED};
    else if (!sure)
      *o = (cst_outcome){0, all, CST_STEP_TOO_LARGE};
  }
  if (o->reason == CST_DONE)
    PetscCall(finish(s, o));
  PetscFunctionReturn(0);
}

/* One step of a record with identical lanes. */
static PetscErrorCode make_step(cst_stepper *st, double *record, cst_outcome *o) {
  PetscFunctionBegin;
  *o = (cst_outcome){1, 0, CST_DONE};
  for (int i = 0; i < st->nsegment && o->reason == CST_DONE; i++)
    for (int j = 0; j < st->segment[i].march.nsub && o->reason == CST_DONE; j++)
      PetscCall(substep(&st->single[i], cst_stepper_inner(st, record), j, o));
  if (o->reason == CST_DONE)
    cst_stepper_bring(st, record);
  PetscFunctionReturn(0);
}

/* Whether lanes can make a step of this system. */
static bool lanes_can(const cst_stepper *st) {
  return st->segment[0].march.group.system->gram.form != CST_FORM_PAIRS;
}

/* One step of a group, lane by lane. Where the root may be another than the step, the lanes decide. */
static PetscErrorCode step_group(cst_stepper *st, int group, long step) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  double    *column = st->work, *next = st->work + 2 * st->size;
  cst_reason reason[CST_W_MAX] = {CST_DONE};
  int        left = 0;
  PetscFunctionBegin;
  memcpy(next, record, st->size * sizeof *next);
  for (int l = 0; l < st->width && !cst_stepper_halts(st); l++) {
    cst_outcome o;
    if (!(b->alive[group] >> l & 1))
      continue;
    memcpy(column, record, st->size * sizeof *column);
    cst_stepper_pad(st, column, 1 << l);
    cst_stepper_give_steps(st, 1 << l);
    PetscCall(make_step(st, column, &o));
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
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_single_stretch(cst_stepper *st, long n) {
  PetscFunctionBegin;
  for (long k = 0; k < n && !st->halted; k++)
    for (int g = 0; g < st->batch->groups && !st->halted; g++)
      if (st->batch->alive[g])
        PetscCall(step_group(st, g, st->batch->step + k));
  PetscFunctionReturn(0);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static PetscErrorCode create(cst_stepper *st, const cst_segment *g, int max_iterations, single *s) {
  const size_t n = (size_t)g->march.unknowns, lanes = n * (size_t)st->width;
  PetscFunctionBegin;
  *s = (single){.st = st, .g = g};
  s->scratch = cst_aligned(2 * sizeof *s->scratch / sizeof(double));
  s->copy = cst_aligned(st->size);
  s->x = cst_aligned(3 * lanes);
  s->f = s->x + lanes;
  s->d = s->f + lanes;
  const cst_substep *first = &st->program->step[g->first];
  s->march = g->march;
  s->is_sparse = n && cst_sparse_takes(first, g->march.group.system);
  s->matrix = cst_aligned(s->is_sparse ? 0 : n * n + 3 * n);
  s->column = cst_aligned(3 * n);
  s->start = s->column + n;
  s->stays = cst_zeros((long)n, sizeof *s->stays);
  s->row = cst_zeros((long)n, sizeof *s->row);
  s->exact = cst_substep_corrects(first, g->march.group.system);
  if (s->is_sparse) {
    const unsigned char *dropped = g->march.group.dropped;
    cst_sparse_create(&s->sparse, &s->march, st->width);
    for (size_t k = 0; k < n; k++)
      s->stays[k] = dropped && dropped[k];
  }
  const cst_single_equations e = {s,        g->march.unknowns, s->sparse.row, s->sparse.column,
                                  residual, jacobian,          ends};
  if (n)
    PetscCall(cst_single_create(e, max_iterations, &s->solver));
  s->sparse.solver = s->solver;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_single_create(cst_stepper *st, int max_iterations) {
  PetscFunctionBegin;
  st->single = cst_aligned((size_t)st->nsegment * (sizeof *st->single / sizeof(double)));
  for (int i = 0; i < st->nsegment; i++)
    PetscCall(create(st, &st->segment[i], max_iterations, &st->single[i]));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_single_destroy(cst_stepper *st) {
  PetscFunctionBegin;
  for (int i = 0; i < st->nsegment && st->single; i++) {
    single *s = &st->single[i];
    PetscCall(cst_single_destroy(&s->solver));
    cst_sparse_destroy(&s->sparse);
    free(s->scratch);
    free(s->copy);
    free(s->x);
    free(s->matrix);
    free(s->column);
    free(s->row);
    free(s->stays);
  }
  free(st->single);
  PetscFunctionReturn(0);
}
