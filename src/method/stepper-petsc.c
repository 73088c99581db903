/* stepper-petsc.c: steps whose equations PETSc's own solvers solve (solve/single.h), one trajectory after another:
 * the reference path of implicit methods against the lanes.
 *
 * The equations are those of a core, in pieces (core.h). A trajectory is stepped in a record all of whose lanes are
 * copies of it. stepper-jacobian.c has the Jacobian, which is sparse where a system is long; PETSc also solves with
 * the S of gram.h then, whenever a step asks for that (stepper-sparse.h). A core also says when the iteration ends,
 * and whether its root is the step (core/march-iterate.h); if it does not know, the step is made by the further attempts
 * that the lanes make.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper-single.h"

typedef cst_stepper_single single;

/* As the lanes: by the residual, or by the correction. The last call counts an iteration. */
static bool ends(void *context, int corrections, const double *x, const double *d) {
  single          *s = context;
  const cst_core  *core = s->g->alone;
  const cst_march *m = &s->march;
  const int        n = cst_stepper_single_unknowns(s);
  cst_scratch     *own = &s->scratch[CST_OWN];
  (void)corrections;
  if (d) {
    for (int k = 0; k < n; k++)
      s->column[k] = x[k] - d[k];
    cst_stepper_single_spread(s, s->column, s->x);
    cst_stepper_single_spread(s, d, s->d);
    core->correct(m, s->record, s->sub, s->x, s->d, own);
  }
  cst_stepper_single_spread(s, x, s->x);
  const int active = core->residual(m, s->record, s->sub, s->x, s->f, own);
  if (active)
    core->direction(m, s->record, s->sub, s->x, s->f, s->d, own);
  return !active;
}

/* Whether x, where an iteration did not end, is the solution but for the round-off of its equations; x may be corrected. */
static bool rests(single *s, double *x) {
  if (s->form != CST_MATRIX_FULL)
    return false;
  cst_stepper_single_spread(s, x, s->x);
  if (!(s->g->alone->rests(&s->march, s->record, s->sub, s->x) & 1))
    return false;
  cst_stepper_single_pick(s, s->x, x);
  return true;
}

/* Whether the root is the step: corrections with the matrix of the start shrink well. */
static cst_error find_sure(single *s, bool *sure) {
  double rate = 0;
  if (s->form != CST_MATRIX_FULL)
    CST_TRY(cst_single_rate(s->solver, &rate));
  *sure = s->scratch[CST_OWN].sure[0] != 0 && rate <= 0.5;
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

/* One substep of a record with identical lanes. attempt: as that of a march. */
static cst_error substep(single *s, double *record, int sub, int attempt, cst_outcome *o) {
  const cst_march *m = &s->march;
  const int        all = (1 << s->st->width) - 1;
  double          *x = s->start + cst_stepper_single_unknowns(s);
  int              reason = 1;
  bool             sure = true;
  s->record = record;
  s->sub = sub;
  s->march = s->g->march; /* whose times change */
  s->march.straight = 1;
  s->march.attempt = attempt;
  if (s->form != CST_MATRIX_FULL)
    s->march.group.by = &s->sparse.by;
  *o = (cst_outcome){1, 0, CST_DONE};
  if (cst_stepper_single_unknowns(s) > 0) {
    s->g->alone->begin(m, record, sub, s->x, &s->scratch[CST_OWN]);
    cst_stepper_single_pick(s, s->x, s->start);
    memcpy(x, s->start, (size_t)cst_stepper_single_unknowns(s) * sizeof *x);
    if (s->form != CST_MATRIX_FULL)
      CST_TRY(cst_single_factor(s->solver, cst_stepper_single_first(s)));
    else if (!s->exact)
      cst_stepper_single_balance(s);
    else if (!s->opened)
      cst_stepper_single_invert(s, x);
    s->opened = true;
    CST_TRY(cst_single_solve(s->solver, x, &reason));
    if (reason <= 0 && attempt && rests(s, x))
      reason = 1;
    if (reason > 0)
      CST_TRY(find_sure(s, &sure));
    cst_stepper_single_spread(s, x, s->x);
    if (reason <= 0)
      *o = (cst_outcome){0, all, CST_NOT_CONVERGED};
    else if (!sure)
      *o = (cst_outcome){0, all, CST_STEP_TOO_LARGE};
  }
  if (o->reason == CST_DONE)
    CST_TRY(finish(s, o));
  return 0;
}

/* One step of a record with identical lanes. */
static cst_error make_step(cst_stepper *st, double *record, int attempt, cst_outcome *o) {
  *o = (cst_outcome){1, 0, CST_DONE};
  if (st->guard)
    cst_guard_before(st->guard, record);
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
  return st->segment[0].march.group.system->gram.form != CST_FORM_PAIRS;
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
      cst_stepper_give_steps(st, 1 << l);
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
  const int          n = cst_stepper_single_unknowns(s);
  cst_sparse_create(&s->sparse, &s->march, s->st->width);
  if (s->form == CST_MATRIX_COLOURS) {
    cst_colours_create(&s->colours, first, C->system);
    s->values = cst_zeros(s->colours.row[n], sizeof *s->values);
    s->at = cst_zeros(n, sizeof *s->at);
  }
  const int ng = C->ng, behind = s->form == CST_MATRIX_COLOURS ? s->colours.by.blocks * C->nq : 0;
  for (int k = 0; k < n && C->dropped; k++) {
    const int a = cst_stepper_single_unknown(s, k) - behind;
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
  s->form = !n                                               ? CST_MATRIX_FULL
            : cst_sparse_takes(first, g->march.group.system) ? CST_MATRIX_GRAM
            : cst_colours_take(first, g->march.group.system) ? CST_MATRIX_COLOURS
                                                             : CST_MATRIX_FULL;
  s->matrix = cst_aligned(s->form == CST_MATRIX_FULL ? n * n + 5 * n : 0);
  s->column = cst_aligned(3 * n);
  s->start = s->column + n;
  s->stays = cst_zeros((long)n, sizeof *s->stays);
  s->row = cst_zeros((long)n, sizeof *s->row);
  s->exact = cst_substep_corrects(first, g->march.group.system);
  s->balance = cst_zeros((long)n, sizeof *s->balance);
  for (size_t k = 0; k < n; k++)
    s->balance[k] = 1;
  if (s->form == CST_MATRIX_FULL && !s->exact) {
    s->values = cst_need(calloc(n * n, sizeof *s->values));
    s->at = cst_zeros((long)n, sizeof *s->at);
  }
  if (s->form != CST_MATRIX_FULL)
    create_sparse(s, first);
  const bool                 coloured = s->form == CST_MATRIX_COLOURS;
  const cst_single_equations e = {.context = s,
                                  .unknowns = (int)n,
                                  .row = coloured ? s->colours.row : s->sparse.row,
                                  .column = coloured ? s->colours.column : s->sparse.column,
                                  .ordered = coloured,
                                  .residual = cst_stepper_single_residual,
                                  .jacobian = cst_stepper_single_jacobian,
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
