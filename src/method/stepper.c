/* stepper.c: sets a program up as segments of equal cores, which stepper-march.c marches through. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "method/stepper-internal.h"
#include "tableau/legendre.h"

static double *aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (n ? n : 8) * sizeof(double))) return NULL;
  memset(p, 0, (n ? n : 8) * sizeof(double));
  return p;
}

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

static void fill_context(cst_stepper *st, cst_segment *g, const cst_system *s, const cst_stepper_options *o, int *warm) {
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
  c->compensated = o->compensated || cst_program_always_compensates(st->program);
  c->iteration = iteration_for(o->iteration, s);
  c->tangential = st->tangential;
  *warm += c->nsub * cst_instruction_kept(&st->program->step[g->first], s);
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

static void fill_substeps(cst_stepper *st, cst_segment *g) {
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

static PetscErrorCode make_line(cst_segment *g, const cst_instruction *p) {
  const int k = p->k, s = p->s;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * k * s + s + 1, &g->line));
  g->context.line = (cst_line){k, s, g->line, g->line + k * s, g->line + 2 * k * s};
  cst_line_tables(k, s, g->line, g->line + k * s, g->line + 2 * k * s);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_segments(cst_stepper *st, const cst_system *s, const cst_stepper_options *o) {
  const cst_program *p = st->program;
  int                warm = st->layout.warm;
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->n, &st->segment));
  for (int i = 0; i < p->n; st->nsegment++) {
    cst_segment *g = &st->segment[st->nsegment];
    g->first = i;
    for (; i < p->n && continues(&p->step[g->first], &p->step[i], s); i++) g->context.nsub++;
    g->alone = cst_core_generic(cst_instruction_core(&p->step[g->first], s), o->isa);
    g->core = o->compensated ? g->alone : cst_core_for(cst_instruction_core(&p->step[g->first], s), s, o->isa);
    PetscCall(PetscCalloc1(g->context.nsub, &g->sub));
    fill_context(st, g, s, o, &warm);
    fill_substeps(st, g);
    if (p->step[g->first].core == CST_CORE_hbvm) PetscCall(make_line(g, &p->step[g->first]));
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
  st->first_impulse = has.first_impulse > 0 ? has.first_impulse : 1;
  st->tangential = has.tangential;
  st->robust_iterations = 4 * o->max_iterations;
  PetscCheck(!o->compensated || !system->general || cst_program_always_compensates(st->program), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s has no compensated form for this system", cst_method_label(method));
  PetscCall(make_flows(st, system, o->isa));
  PetscCall(make_segments(st, system, o));
  PetscCall(make_space(st));
  for (int i = 0; i < st->nsegment; i++) most = PetscMax(most, st->segment[i].context.unknowns);
  st->work = aligned(3 * st->size);
  st->saved = aligned(st->size * (size_t)o->groups);
  st->scratch = (cst_scratch *)aligned(sizeof(cst_scratch) / sizeof(double) * (size_t)o->groups);
  PetscCheck(st->work && st->saved && st->scratch, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %d groups of lanes", o->groups);
  PetscCall(cst_solver_create(cst_stepper_equations(st), o->groups, st->width, most, o->max_iterations, &st->solver));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_stepper_destroy(cst_stepper **stepper) {
  cst_stepper *st = *stepper;
  PetscFunctionBegin;
  if (!st) PetscFunctionReturn(0);
  for (int i = 0; i < st->nsegment; i++) {
    PetscCall(PetscFree(st->segment[i].sub));
    PetscCall(PetscFree(st->segment[i].line));
  }
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
    cst_segment *g = &st->segment[i];
    for (int j = 0; j < g->context.nsub; j++) g->sub[j].h = st->program->step[g->first + j].fraction * h;
  }
}

int               cst_stepper_groups(const cst_stepper *s) { return s->groups; }
int               cst_stepper_width(const cst_stepper *s) { return s->width; }
const cst_layout *cst_stepper_layout(const cst_stepper *s) { return &s->layout; }
size_t            cst_stepper_record_size(const cst_stepper *s) { return s->size; }

void cst_stepper_lambda(const cst_stepper *st, const double *record, long step, double *lambda) {
  const double mean = 1 / (st->h * (step == 1 ? st->first_impulse : 1));
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
