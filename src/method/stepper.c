/* stepper.c: sets a program up as segments of equal cores, and marches batches through it under one SNES. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/cores.h"
#include "method/stepper.h"
#include "solve/solver.h"

/* Consecutive substeps of one core. */
typedef struct {
  const cst_core *core, *alone; /* alone: the generic one, for a lane stepped by itself */
  cst_context     context;
  cst_substep    *sub;
  int             first; /* index of its first instruction */
} segment;

enum { CARE = 2 }; /* attempts at the step of a lane that fails, alone and with care */

struct cst_stepper {
  cst_program          *program;
  cst_flow            **flow; /* [nflow] of the rules[nflow] that the program has */
  const cst_flow_rule **rule;
  int                   nflow;
  segment              *segment;
  int                   nsegment, width, groups, components; /* components of a record */
  size_t                size;
  cst_layout            layout;
  double                h;
  bool                  halved_start; /* shake: the first step's impulse is that of half a step */
  bool                  tangential;
  int                   robust_iterations;
  cst_solver           *solver;
  cst_scratch          *scratch; /* [groups] */
  double               *work;    /* three records: trial, column, saved */
  double               *saved;   /* [groups] records, for steps in pieces */
  double               *space;   /* of the generic cores */
  /* what the solver's callbacks work on */
  cst_batch          *batch;
  const cst_schedule *schedule;
  segment            *now;
  int                 sub;
};

static double *aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (n ? n : 8) * sizeof(double))) return NULL;
  memset(p, 0, (n ? n : 8) * sizeof(double));
  return p;
}

/* ---- set-up ------------------------------------------------------------------------------------------------------------ */

static bool continues(const cst_instruction *a, const cst_instruction *b, const cst_system *s) {
  return cst_instruction_core(a, s) == cst_instruction_core(b, s) && cst_instruction_unknowns(a, s) == cst_instruction_unknowns(b, s) &&
         cst_instruction_stages(a, s) == cst_instruction_stages(b, s);
}

bool cst_iteration_possible(cst_iteration asked, const cst_system *s) {
  return asked == CST_ITERATION_AUTO || asked == CST_ITERATION_KRYLOV || (s->nq <= CST_MAX_Q && s->ng <= CST_MAX_G && !s->gram.banded);
}

static cst_iteration iteration_for(cst_iteration asked, const cst_system *s) {
  if (asked != CST_ITERATION_AUTO) return asked;
  return cst_iteration_possible(CST_ITERATION_SIMPLIFIED, s) ? CST_ITERATION_SIMPLIFIED : CST_ITERATION_KRYLOV;
}

static void fill_context(cst_stepper *st, segment *g, const cst_system *s, const cst_stepper_options *o, int *warm) {
  cst_context *c = &g->context;
  c->system = s;
  c->kernel = s->kernel[o->isa];
  c->self = s->kernel_self[o->isa];
  c->nq = s->nq, c->ng = s->ng, c->npar = s->npar, c->nmass = s->nmass, c->nsym = s->nsym;
  c->mass_class = s->mass_class, c->mass_unit = s->mass_unit, c->dropped = s->dropped;
  c->gram = cst_system_form(s, o->isa, "gram");
  c->at = st->layout;
  c->sub = g->sub;
  c->unknowns = cst_instruction_unknowns(&st->program->step[g->first], s);
  c->stages = cst_instruction_stages(&st->program->step[g->first], s);
  c->opens = g->first == 0;
  c->warm = *warm;
  c->max_iterations = o->max_iterations;
  c->compensated = o->compensated;
  c->iteration = iteration_for(o->iteration, s);
  c->tangential = st->tangential;
  *warm += c->nsub * c->unknowns;
}

/* The parts of the step of the lagrange core. */
static void fill_points(const cst_instruction *p, cst_substep *s) {
  int n = 0;
  if (p->core == CST_CORE_midpoint) {
    s->part[0] = 1, s->theta[0] = 0.5, s->tangent = 1;
    return;
  }
  if (p->w0 != 0) s->part[n] = p->w0, s->theta[n++] = 0;
  if (p->w1 != 0) s->part[n] = p->w1, s->theta[n] = 1;
}

/* The place of a rule among those of the stepper; nflow when it is not there. */
static int flow_of(const cst_stepper *st, const cst_flow_rule *rule) {
  int i = 0;
  while (i < st->nflow && st->rule[i] != rule) i++;
  return i;
}

/* Whether the program converts the layer of a rule, which takes its derivatives. */
static bool converts(const cst_program *p, const cst_flow_rule *rule) {
  for (int i = 0; i < p->n; i++)
    if (p->step[i].core == CST_CORE_convert && (p->step[i].layer[0].rule == rule || p->step[i].layer[1].rule == rule)) return true;
  return false;
}

static PetscErrorCode add_flow(cst_stepper *st, const cst_flow_rule *rule, const cst_system *s, int isa) {
  char why[400];
  PetscFunctionBegin;
  if (!rule || flow_of(st, rule) < st->nflow) PetscFunctionReturn(0);
  st->flow[st->nflow] = cst_flow_create(rule, s, isa, converts(st->program, rule), why, sizeof why);
  PetscCheck(st->flow[st->nflow], PETSC_COMM_SELF, PETSC_ERR_SUP, "%s", why);
  st->rule[st->nflow++] = rule;
  PetscFunctionReturn(0);
}

/* The kernels of every layer that is given by formulas, once. */
static PetscErrorCode make_flows(cst_stepper *st, const cst_system *s, int isa) {
  const cst_program *p = st->program;
  PetscFunctionBegin;
  PetscCall(PetscCalloc2(2 * p->n, &st->flow, 2 * p->n, &st->rule));
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < 2; k++) PetscCall(add_flow(st, p->step[i].layer[k].rule, s, isa));
  PetscFunctionReturn(0);
}

static cst_lane_layer lane_layer(const cst_stepper *st, const cst_layer *l) {
  if (!l->rule) return (cst_lane_layer){l->tableau.stages, l->tableau.implicit, l->tableau.a, l->tableau.b, NULL, NULL};
  const cst_flow *f = st->flow[flow_of(st, l->rule)];
  return (cst_lane_layer){.flow = cst_flow_kernels(f), .self = cst_flow_self(f)};
}

static void fill_substeps(cst_stepper *st, segment *g) {
  for (int j = 0; j < g->context.nsub; j++) {
    const cst_instruction *p = &st->program->step[g->first + j];
    g->sub[j] = (cst_substep){.w0 = p->w0,
                              .w1 = p->w1,
                              .tangent = p->tangent,
                              .bias = p->bias,
                              .layer = {lane_layer(st, &p->layer[0]), lane_layer(st, &p->layer[1])}};
    fill_points(p, &g->sub[j]);
  }
}

static PetscErrorCode make_segments(cst_stepper *st, const cst_system *s, const cst_stepper_options *o) {
  const cst_program *p = st->program;
  int                warm = st->layout.warm;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->n, &st->segment));
  for (int i = 0; i < p->n; st->nsegment++) {
    segment *g = &st->segment[st->nsegment];
    g->first = i;
    for (; i < p->n && continues(&p->step[g->first], &p->step[i], s); i++) g->context.nsub++;
    g->alone = cst_core_generic(cst_instruction_core(&p->step[g->first], s), o->isa);
    g->core = o->compensated ? g->alone : cst_core_for(cst_instruction_core(&p->step[g->first], s), s, o->isa);
    PetscCall(PetscCalloc1(g->context.nsub, &g->sub));
    fill_context(st, g, s, o, &warm);
    fill_substeps(st, g);
  }
  st->components = warm;
  st->size = (size_t)warm * (size_t)st->width;
  PetscFunctionReturn(0);
}

/* One work space for all segments, since one marches at a time. */
static PetscErrorCode make_space(cst_stepper *st) {
  size_t most = 0;
  PetscFunctionBegin;
  for (int i = 0; i < st->nsegment; i++) most = PetscMax(most, st->segment[i].alone->room(&st->segment[i].context));
  st->space = aligned(most * (size_t)st->width);
  PetscCheck(st->space, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the work space of a step");
  for (int i = 0; i < st->nsegment; i++) st->segment[i].context.work = st->space;
  PetscFunctionReturn(0);
}

static PetscErrorCode march_all(void *context);
static int            piece_residual(void *context, int group, const double *x, double *f);
static void           piece_direction(void *context, int group, const double *x, const double *f, double *d);
static void           piece_correct(void *context, int group, double *x, const double *d);

PetscErrorCode cst_stepper_create(const cst_method *method, const cst_system *system, const cst_stepper_options *o, cst_stepper **stepper) {
  const cst_properties has = cst_method_properties(method, system);
  cst_stepper         *st;
  int                  most = 0;
  PetscFunctionBegin;
  PetscCall(PetscNew(&st));
  *stepper = st;
  st->program = cst_program_create(method);
  PetscCheck(!o->compensated || cst_program_compensates(st->program), PETSC_COMM_SELF, PETSC_ERR_SUP, "%s has no compensated form",
             cst_method_label(method));
  st->width = cst_isas[o->isa].width;
  st->groups = o->groups;
  st->layout = cst_layout_of(system->npar, system->nmass, system->nq, system->ng);
  st->halved_start = has.own_lambda && has.lambda_time == 0;
  st->tangential = has.tangential;
  st->robust_iterations = 4 * o->max_iterations;
  PetscCheck(!o->compensated || !system->general, PETSC_COMM_SELF, PETSC_ERR_SUP, "%s has no compensated form for this system",
             cst_method_label(method));
  PetscCall(make_flows(st, system, o->isa));
  PetscCall(make_segments(st, system, o));
  PetscCall(make_space(st));
  for (int i = 0; i < st->nsegment; i++) most = PetscMax(most, st->segment[i].context.unknowns);
  st->work = aligned(3 * st->size);
  st->saved = aligned(st->size * (size_t)o->groups);
  st->scratch = (cst_scratch *)aligned(sizeof(cst_scratch) / sizeof(double) * (size_t)o->groups);
  PetscCheck(st->work && st->saved && st->scratch, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %d groups of lanes", o->groups);
  PetscCall(cst_solver_create((cst_equations){st, march_all, piece_residual, piece_direction, piece_correct}, o->groups, st->width, most,
                              o->max_iterations, &st->solver));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_destroy(cst_stepper **stepper) {
  cst_stepper *st = *stepper;
  PetscFunctionBegin;
  if (!st) PetscFunctionReturn(0);
  for (int i = 0; i < st->nsegment; i++) PetscCall(PetscFree(st->segment[i].sub));
  PetscCall(PetscFree(st->segment));
  for (int i = 0; i < st->nflow; i++) cst_flow_destroy(st->flow[i]);
  PetscCall(PetscFree2(st->flow, st->rule));
  PetscCall(cst_solver_destroy(&st->solver));
  cst_program_destroy(st->program);
  free(st->work);
  free(st->saved);
  free(st->space);
  free(st->scratch);
  PetscCall(PetscFree(*stepper));
  PetscFunctionReturn(0);
}

void cst_stepper_set_step(cst_stepper *st, double h) {
  st->h = h;
  for (int i = 0; i < st->nsegment; i++) {
    segment *g = &st->segment[i];
    for (int j = 0; j < g->context.nsub; j++) g->sub[j].h = st->program->step[g->first + j].fraction * h;
  }
}

int               cst_stepper_groups(const cst_stepper *s) { return s->groups; }
int               cst_stepper_width(const cst_stepper *s) { return s->width; }
const cst_layout *cst_stepper_layout(const cst_stepper *s) { return &s->layout; }
size_t            cst_stepper_record_size(const cst_stepper *s) { return s->size; }
void              cst_stepper_lambda(const cst_stepper *st, const double *record, long step, double *lambda) {
               const double mean = (st->halved_start && step == 1 ? 2 : 1) / st->h;
               const int    n = st->segment[0].context.ng * st->width;
               for (int k = 0; k < n; k++) lambda[k] = record[(size_t)st->layout.impulse * (size_t)st->width + (size_t)k] * mean;
}

const cst_context *cst_stepper_context(const cst_stepper *s) { return &s->segment[0].context; }

void cst_stepper_evaluations(const cst_stepper *st, double *per_step, double *per_iteration) {
  *per_step = *per_iteration = 0;
  for (int i = 0; i < st->program->n; i++) {
    double fixed, each;
    cst_instruction_evaluations(&st->program->step[i], st->segment[0].context.system, &fixed, &each);
    *per_step += fixed;
    if (each > 0) *per_iteration = each;
  }
}

/* ---- marching ---------------------------------------------------------------------------------------------------------- */

/* n steps through all segments; the record is changed only when all is done. */
static cst_outcome march_segments(cst_stepper *st, double *record, long n) {
  double *trial = st->work;
  if (st->nsegment == 1) return st->segment[0].core->march(&st->segment[0].context, record, n);
  memcpy(trial, record, st->size * sizeof *trial);
  for (long k = 0; k < n; k++)
    for (int i = 0; i < st->nsegment; i++) {
      cst_outcome o = st->segment[i].core->march(&st->segment[i].context, trial, 1);
      if (o.reason != CST_DONE) return (cst_outcome){k, o.lanes, o.reason};
    }
  memcpy(record, trial, st->size * sizeof *trial);
  return (cst_outcome){n, 0, CST_DONE};
}

/* One step of a record whose lanes are all alike, with pivoting and patience, the second time from nearer by. */
static cst_outcome march_alone(cst_stepper *st, double *record, int pass) {
  for (int i = 0; i < st->nsegment; i++) {
    cst_context c = st->segment[i].context;
    c.robust = pass;
    c.max_iterations = st->robust_iterations;
    cst_outcome o = st->segment[i].alone->march(&c, record, 1);
    if (o.reason != CST_DONE) return o;
  }
  return (cst_outcome){1, 0, CST_DONE};
}

static void copy_lane(const cst_stepper *st, double *to, int lane, const double *from, int source) {
  for (int k = 0; k < st->components; k++) to[(size_t)k * st->width + lane] = from[(size_t)k * st->width + source];
}

void cst_stepper_make_ghosts(const cst_stepper *st, double *record, int alive) {
  if (!alive) return;
  int source = __builtin_ctz((unsigned)alive);
  for (int l = 0; l < st->width; l++)
    if (!(alive >> l & 1)) copy_lane(st, record, l, record, source);
}

/* One step of a group in which a lane fails: each living lane alone; those that cannot go on keep their last state and the reason. */
static void step_with_care(cst_stepper *st, int group, long step) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size, *column = st->work + st->size, *next = st->work + 2 * st->size;
  memcpy(next, record, st->size * sizeof *next);
  for (int l = 0; l < st->width; l++) {
    if (!(b->alive[group] >> l & 1)) continue;
    for (int pass = 0; pass <= CARE; pass++) {
      for (int k = 0; k < st->width; k++) copy_lane(st, column, k, record, l);
      cst_outcome o = pass == 0 ? march_segments(st, column, 1) : march_alone(st, column, pass);
      if (o.reason == CST_DONE) {
        copy_lane(st, next, l, column, l);
        break;
      }
      if (pass < CARE) continue;
      copy_lane(st, b->last + (size_t)group * st->size, l, record, l);
      b->fate[group * st->width + l] = (cst_fate){o.reason, step};
      b->alive[group] &= ~(1 << l);
    }
  }
  memcpy(record, next, st->size * sizeof *next);
  cst_stepper_make_ghosts(st, record, b->alive[group]);
}

/* The largest k <= n for which k steps succeed, by bisection on the first failing one; the record is left there. */
static long march_while_good(cst_stepper *st, double *record, long n) {
  long good = 0, bad = n + 1, k = n;
  while (bad - good > 1) {
    cst_outcome o = march_segments(st, record, k - good);
    if (o.reason == CST_DONE)
      good = k;
    else
      bad = o.reason == CST_NOT_CONVERGED ? good + o.steps + 1 : k;
    k = good + (bad - good) / 2;
  }
  return good;
}

static void advance_group(cst_stepper *st, int group, long n) {
  cst_batch *b = st->batch;
  double    *record = b->record + (size_t)group * st->size;
  for (long done = 0; done < n && b->alive[group];) {
    cst_outcome o = march_segments(st, record, n - done);
    if (__builtin_expect(o.reason == CST_DONE, 1)) return;
    done += march_while_good(st, record, o.reason == CST_NOT_CONVERGED ? o.steps : n - done - 1);
    step_with_care(st, group, b->step + done);
    done++;
  }
}

/* From stop to stop with the stretch that `stretch` makes. */
static PetscErrorCode follow(cst_stepper *st, PetscErrorCode (*stretch)(cst_stepper *, long)) {
  PetscFunctionBegin;
  for (long to; (to = st->schedule->next(st->schedule->context)) > st->batch->step;) {
    PetscCall(stretch(st, to - st->batch->step));
    st->batch->step = to;
    PetscCall(st->schedule->look(st->schedule->context));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode march_stretch(cst_stepper *st, long n) {
  PetscFunctionBegin;
  for (int g = 0; g < st->batch->groups; g++) advance_group(st, g, n);
  PetscFunctionReturn(0);
}

static PetscErrorCode march_all(void *context) {
  PetscFunctionBegin;
  PetscCall(follow(context, march_stretch));
  PetscFunctionReturn(0);
}

/* ---- the same in pieces, for PETSc's own types and for monitors ---------------------------------------------------------- */

static double *record_of(cst_stepper *st, int group) { return st->batch->record + (size_t)group * st->size; }

static int piece_residual(void *context, int group, const double *x, double *f) {
  cst_stepper *st = context;
  return st->now->core->residual(&st->now->context, record_of(st, group), st->sub, x, f, &st->scratch[group]);
}

static void piece_direction(void *context, int group, const double *x, const double *f, double *d) {
  cst_stepper *st = context;
  st->now->core->direction(&st->now->context, record_of(st, group), st->sub, x, f, d, &st->scratch[group]);
}

static void piece_correct(void *context, int group, double *x, const double *d) {
  cst_stepper *st = context;
  st->now->core->correct(&st->now->context, record_of(st, group), st->sub, x, d, &st->scratch[group]);
}

/* Lanes of the group that the last solve left unconverged. */
static int undone(const cst_stepper *st, int group) {
  int bits = 0;
  for (int l = 0; l < st->width; l++) bits |= (st->scratch[group].done[l] == 0) << l;
  return bits;
}

/* One substep of all groups; failed[group] is set where a lane fails. */
static PetscErrorCode substep_in_pieces(cst_stepper *st, bool *failed) {
  const cst_context *c = &st->now->context;
  PetscFunctionBegin;
  for (int g = 0; g < st->batch->groups && c->unknowns > 0; g++)
    st->now->core->begin(c, record_of(st, g), st->sub, cst_solver_unknowns(st->solver, g), &st->scratch[g]);
  if (c->unknowns > 0) PetscCall(cst_solver_solve(st->solver, st->batch->groups));
  for (int g = 0; g < st->batch->groups; g++) {
    if (failed[g]) continue;
    failed[g] = c->unknowns > 0 && undone(st, g);
    if (!failed[g]) failed[g] = st->now->core->finish(c, record_of(st, g), st->sub, cst_solver_unknowns(st->solver, g)).reason != CST_DONE;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode step_in_pieces(cst_stepper *st, long step) {
  cst_batch *b = st->batch;
  bool      *failed;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(b->groups, &failed));
  memcpy(st->saved, b->record, st->size * (size_t)b->groups * sizeof *st->saved);
  for (int i = 0; i < st->nsegment; i++)
    for (int j = 0; j < st->segment[i].context.nsub; j++) {
      st->now = &st->segment[i];
      st->sub = j;
      PetscCall(substep_in_pieces(st, failed));
    }
  for (int g = 0; g < b->groups; g++)
    if (failed[g]) {
      memcpy(record_of(st, g), st->saved + (size_t)g * st->size, st->size * sizeof *st->saved);
      step_with_care(st, g, step);
    }
  PetscCall(PetscFree(failed));
  PetscFunctionReturn(0);
}

static PetscErrorCode stretch_in_pieces(cst_stepper *st, long n) {
  PetscFunctionBegin;
  for (long k = 0; k < n; k++) PetscCall(step_in_pieces(st, st->batch->step + k));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_follow(cst_stepper *st, cst_batch *b, const cst_schedule *schedule) {
  PetscFunctionBegin;
  st->batch = b;
  st->schedule = schedule;
  if (cst_solver_marches(st->solver))
    PetscCall(cst_solver_solve(st->solver, b->groups));
  else
    PetscCall(follow(st, stretch_in_pieces));
  PetscFunctionReturn(0);
}

/* The schedule of one stretch: its context is its last step. */
static long stretch_end(void *context) { return *(long *)context; }

static PetscErrorCode look_at_nothing(void *context) {
  PetscFunctionBegin;
  (void)context;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_advance(cst_stepper *st, cst_batch *b, long n) {
  long to = b->step + n;
  PetscFunctionBegin;
  PetscCall(cst_stepper_follow(st, b, &(cst_schedule){&to, stretch_end, look_at_nothing}));
  PetscFunctionReturn(0);
}
