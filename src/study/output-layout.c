/* output-layout.c: what a study's result consists of: dimensions and datasets, with their units and meanings. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "study/output-layout.h"

__attribute__((format(printf, 6, 7))) static void field(cst_output *o, cst_type type, const char *unit, const char *doc, const int *dims,
                                                        const char *path, ...) {
  cst_field *f = &o->field[o->nfield++];
  va_list    a;
  memset(f, 0, sizeof *f);
  va_start(a, path);
  vsnprintf(f->path, sizeof f->path, path, a);
  va_end(a);
  f->type = type;
  for (; dims[f->ndim] >= 0; f->ndim++) f->dim[f->ndim] = dims[f->ndim];
  snprintf(f->unit, sizeof f->unit, "%s", unit);
  snprintf(f->doc, sizeof f->doc, "%s", doc);
}
#define OVER(...)                                                                                                                          \
  (const int[]) { __VA_ARGS__, -1 }

static void dimension(cst_output *o, const char *name, long size, const char *doc, const char *const *label) {
  cst_dimension *d = &o->dim[o->ndim++];
  snprintf(d->name, sizeof d->name, "%s", name);
  d->size = size;
  d->doc = doc;
  d->label = label;
}

/* Series over members have what they are made of beside them, so that members can be added later. */
static bool has_sums(const cst_plan *p) { return p->most_samples > 0 && p->study->members > 1; }

static void base_dimensions(cst_output *o) {
  static const char *const figures[CST_FIGURES] = {"start", "end", "drift", "scale", "size"};
  static const char       *parameters[CST_MAX_PAR];
  const cst_system        *s = o->plan->study->system;
  for (int i = 0; i < s->npar; i++) parameters[i] = s->parameter[i].name;
  dimension(o, "case", o->plan->ncase, "case: parameters x tolerance x method x step, step fastest", NULL);
  dimension(o, "member", o->plan->study->members, "member of the ensemble", NULL);
  dimension(o, "coordinate", s->nq, "coordinate of the system", s->coordinate);
  dimension(o, "multiplier", s->ng, "constraint of the system", s->ng ? s->constraint : NULL);
  dimension(o, "figure", CST_FIGURES, "x(0), x(end), largest |x - x(0)|, largest scale, mean scale", figures);
  dimension(o, "sample", o->plan->most_samples, "sample of the series", NULL);
  dimension(o, "window", CST_WINDOWS, "one of 64 equal parts of the run", NULL);
  dimension(o, "parameter", s->npar, "parameter of the system", s->npar ? parameters : NULL);
  if (has_sums(o->plan)) dimension(o, "word", CST_SUM_WORDS, "64 bits of an exact sum, the least first, then its flags", NULL);
}

static void case_fields(cst_output *o) {
  field(o, CST_F64, "1", "step taken", OVER(DIM_CASE), "/cases/h");
  field(o, CST_I64, "1", "number of steps", OVER(DIM_CASE), "/cases/n");
  field(o, CST_F64, "1", "tolerance of the solver, relative", OVER(DIM_CASE), "/cases/tolerance");
  field(o, CST_TEXT, "1", "what p is: kinetic, M v + a, or tangential, its part with G p = 0", OVER(DIM_CASE), "/cases/representative");
  if (o->plan->study->system->npar) field(o, CST_F64, "1", "parameters of the system", OVER(DIM_CASE, DIM_PARAMETER), "/cases/parameters");
}

static void row_fields(cst_output *o) {
  field(o, CST_F64, "1", "coordinates at the end, or the last good ones", OVER(DIM_CASE, DIM_MEMBER, DIM_COORDINATE), "/final/q");
  field(o, CST_F64, "1", "momenta at the end, or the last good ones", OVER(DIM_CASE, DIM_MEMBER, DIM_COORDINATE), "/final/p");
  field(o, CST_F64, "1", "multipliers of the last step, M A = f - G' lambda", OVER(DIM_CASE, DIM_MEMBER, DIM_MULTIPLIER), "/final/lambda");
  field(o, CST_I8, "1", "0 done, 1 solver did not converge, 2 not finite, 3 no consistent start; -1 not run", OVER(DIM_CASE, DIM_MEMBER),
        "/final/status");
  field(o, CST_I64, "1", "good steps", OVER(DIM_CASE, DIM_MEMBER), "/final/steps");
  field(o, CST_F64, "1", "iterations of the solver, all steps", OVER(DIM_CASE, DIM_MEMBER), "/final/iterations");
  field(o, CST_F64, "1", "evaluations of the force, all steps", OVER(DIM_CASE, DIM_MEMBER), "/final/evaluations");
}

const char *const cst_error_names[CST_ERRORS] = {"total", "q", "p", "lambda"};

static void observable_fields(cst_output *o) {
  const cst_plan *p = o->plan;
  for (int k = 0; k < CST_ERRORS && p->study->reference != CST_REFERENCE_NONE; k++)
    field(o, CST_F64, "1", "error against the reference", OVER(DIM_CASE, DIM_MEMBER), "/error/%s", cst_error_names[k]);
  for (int k = 0; k < p->nquantity; k++)
    field(o, CST_F64, p->quantity[k].unit, p->quantity[k].doc, OVER(DIM_CASE, DIM_MEMBER, DIM_FIGURE), "/observables/%s",
          p->quantity[k].name);
  for (int k = 0; k < p->nquantity && cst_study_needs(p->study, CST_NEEDS_WINDOWS); k++)
    if (p->quantity[k].windows)
      field(o, CST_F64, p->quantity[k].unit, "mean of x - x(0) over a window", OVER(DIM_CASE, DIM_MEMBER, DIM_WINDOW), "/windows/%s",
            p->quantity[k].name);
  if (!p->most_samples) return;
  field(o, CST_F64, "1", "time", OVER(DIM_CASE, DIM_SAMPLE), "/series/t");
  for (int k = 0; k < p->nquantity; k++) {
    field(o, CST_F64, p->quantity[k].unit, "largest |x - x(0)| over the members", OVER(DIM_CASE, DIM_SAMPLE), "/series/%s/max",
          p->quantity[k].name);
    field(o, CST_F64, p->quantity[k].unit, "root mean square of x - x(0) over the members", OVER(DIM_CASE, DIM_SAMPLE), "/series/%s/rms",
          p->quantity[k].name);
    if (!has_sums(p)) continue;
    field(o, CST_I64, "1", "exact sum of (x - x(0))^2 over the members, in units of 2^-200", OVER(DIM_CASE, DIM_SAMPLE, DIM_WORD),
          "/series/%s/sum", p->quantity[k].name);
    field(o, CST_I64, "1", "members in the sum", OVER(DIM_CASE, DIM_SAMPLE), "/series/%s/count", p->quantity[k].name);
  }
}

/* Full states: their number differs from case to case, so each case has its own dimension and group. */
static void state_fields(cst_output *o) {
  const cst_study *s = o->plan->study;
  if (!s->ntrajectory) return;
  int chosen = o->ndim;
  dimension(o, "chosen", s->ntrajectory, "member whose full states are kept", NULL);
  for (int c = 0; c < o->plan->ncase; c++) {
    char name[48];
    int  time = o->ndim;
    snprintf(name, sizeof name, "time%d", c);
    dimension(o, name, o->plan->cases[c].n / s->trajectory_every + 1, "time of a stored state", NULL);
    field(o, CST_F64, "1", "time", OVER(time), "/trajectories/%d/t", c);
    field(o, CST_F64, "1", "coordinates", OVER(chosen, time, DIM_COORDINATE), "/trajectories/%d/q", c);
    field(o, CST_F64, "1", "momenta", OVER(chosen, time, DIM_COORDINATE), "/trajectories/%d/p", c);
    field(o, CST_F64, "1", "multipliers of the step that ends here", OVER(chosen, time, DIM_MULTIPLIER), "/trajectories/%d/lambda", c);
  }
}

static void column_fields(cst_output *o, const cst_columns *c) {
  for (int k = 0; k < c->n; k++)
    field(o, c->column[k].label ? CST_TEXT : CST_F64, c->column[k].use.unit, c->column[k].doc, OVER(DIM_CASE), "/statistics/%s",
          c->column[k].name);
  field(o, CST_F64, "1", "trajectory-steps per second and rank", OVER(DIM_CASE), "/run/steps_per_second");
  field(o, CST_F64, "1", "part of the work that is done", (const int[]){-1}, "/run/work_done");
}

PetscErrorCode cst_output_lay_out(const cst_plan *p, const cst_columns *columns, cst_output **output) {
  cst_output *o;
  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  *output = o;
  o->plan = p;
  const size_t states = p->study->ntrajectory ? (size_t)p->ncase : 0;
  PetscCall(PetscCalloc1(64 + 10 * (size_t)p->nquantity + (size_t)(columns ? columns->n : 0) + 4 * states, &o->field));
  PetscCall(PetscCalloc1(DIMS + 1 + states, &o->dim));
  base_dimensions(o);
  case_fields(o);
  row_fields(o);
  observable_fields(o);
  state_fields(o);
  if (columns) column_fields(o, columns);
  PetscFunctionReturn(0);
}
