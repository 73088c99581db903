/* output.c: the layout of a study's result, and writing of rows: the only file of the room that knows the datasets' names. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/run.h"

enum { DIM_CASE, DIM_MEMBER, DIM_COORDINATE, DIM_MULTIPLIER, DIM_FIGURE, DIM_SAMPLE, DIM_WINDOW, DIM_PARAMETER, DIM_WORD, DIMS };

struct cst_output {
  const cst_plan *plan;
  cst_record     *record;     /* NULL: what is written is compared */
  cst_result     *file;       /* with this */
  cst_comparison *comparison; /* into that */
  int             nfield, ndim;
  cst_field      *field;
  cst_dimension  *dim;
};

/* ---- layout ------------------------------------------------------------------------------------------------------------- */

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
  static const char *const figures[CST_FIGURES] = {"start", "end", "drift", "scale"};
  static const char       *parameters[CST_MAX_PAR];
  const cst_system        *s = o->plan->study->system;
  for (int i = 0; i < s->npar; i++) parameters[i] = s->parameter[i].name;
  dimension(o, "case", o->plan->ncase, "case: parameters x tolerance x method x step, step fastest", NULL);
  dimension(o, "member", o->plan->study->members, "member of the ensemble", NULL);
  dimension(o, "coordinate", s->nq, "coordinate of the system", s->coordinate);
  dimension(o, "multiplier", s->ng, "constraint of the system", s->ng ? s->constraint : NULL);
  dimension(o, "figure", CST_FIGURES, "x(0), x(end), largest |x - x(0)|, largest scale", figures);
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

static const char *const error_names[CST_ERRORS] = {"total", "q", "p", "lambda"};

static void observable_fields(cst_output *o) {
  const cst_plan *p = o->plan;
  for (int k = 0; k < CST_ERRORS && p->study->reference != CST_REFERENCE_NONE; k++)
    field(o, CST_F64, "1", "error against the reference", OVER(DIM_CASE, DIM_MEMBER), "/error/%s", error_names[k]);
  for (int k = 0; k < p->nquantity; k++)
    field(o, CST_F64, p->quantity[k].unit, p->quantity[k].doc, OVER(DIM_CASE, DIM_MEMBER, DIM_FIGURE), "/observables/%s",
          p->quantity[k].name);
  for (int k = 0; k < p->nquantity && p->study->kind == CST_CONSERVATION; k++)
    if (p->quantity[k].drifts)
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
    field(o, c->column[k].text ? CST_TEXT : CST_F64, c->column[k].unit, c->column[k].doc, OVER(DIM_CASE), "/statistics/%s",
          c->column[k].name);
  field(o, CST_F64, "1", "trajectory-steps per second and rank", OVER(DIM_CASE), "/run/steps_per_second");
  field(o, CST_F64, "1", "part of the work that is done", (const int[]){-1}, "/run/work_done");
}

static int find(const cst_output *o, const char *path) {
  for (int i = 0; i < o->nfield; i++)
    if (!strcmp(o->field[i].path, path)) return i;
  return -1;
}

static PetscErrorCode put(cst_output *o, const char *path, const long *start, const long *count, const void *x) {
  int f = find(o, path);
  PetscFunctionBegin;
  PetscCheck(f >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "no field %s", path);
  for (int i = 0; i < o->field[f].ndim; i++)
    if (count[i] == 0) PetscFunctionReturn(0);
  if (o->file) {
    PetscCheck(cst_compare_block(o->comparison, o->file, &o->field[f], start, count, x), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "%s of the file cannot be read, or has another shape", path);
    PetscFunctionReturn(0);
  }
  PetscCheck(cst_record_write(o->record, f, start, count, x), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", cst_record_error(o->record));
  PetscFunctionReturn(0);
}

static PetscErrorCode put_cases(cst_output *o) {
  static const char representative[2][CST_TEXT_WIDTH] = {"kinetic", "tangential"};
  const cst_plan   *p = o->plan;
  PetscFunctionBegin;
  for (int i = 0; i < p->ncase; i++) {
    const cst_case *c = &p->cases[i];
    long            start[2] = {i, 0}, count[2] = {1, p->study->system->npar};
    PetscCall(put(o, "/cases/h", start, count, &c->h));
    PetscCall(put(o, "/cases/n", start, count, &c->n));
    PetscCall(put(o, "/cases/representative", start, count, representative[p->properties[c->method].tangential]));
    PetscCall(put(o, "/cases/tolerance", start, count, &p->study->tolerance[c->tolerance]));
    if (count[1]) PetscCall(put(o, "/cases/parameters", start, count, p->study->parameter + (size_t)c->variant * (size_t)count[1]));
  }
  PetscFunctionReturn(0);
}

/* All that the file consists of, with room for so many columns. */
static PetscErrorCode lay_out(const cst_plan *p, int columns, cst_output **output) {
  cst_output *o;
  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  *output = o;
  o->plan = p;
  const size_t states = p->study->ntrajectory ? (size_t)p->ncase : 0;
  PetscCall(PetscCalloc1(64 + 10 * (size_t)p->nquantity + (size_t)columns + 4 * states, &o->field));
  PetscCall(PetscCalloc1(DIMS + 1 + states, &o->dim));
  base_dimensions(o);
  case_fields(o);
  row_fields(o);
  observable_fields(o);
  state_fields(o);
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_compare(const cst_plan *p, cst_result *file, cst_comparison *comparison, cst_output **output) {
  PetscFunctionBegin;
  PetscCall(lay_out(p, 0, output));
  (*output)->file = file;
  (*output)->comparison = comparison;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_create(const cst_plan *p, const char *path, bool anew, cst_columns *columns, cst_output **output) {
  cst_output *o;
  char        why[512];
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(lay_out(p, columns->n, output));
  o = *output;
  column_fields(o, columns);
  o->record = (anew ? cst_record_create : cst_record_open)(PETSC_COMM_WORLD, path, o->dim, o->ndim, o->field, o->nfield, why, sizeof why);
  PetscCheck(o->record, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "%s: %s", path, why);
  if (anew && rank == 0) PetscCall(put_cases(o));
  PetscFunctionReturn(0);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

PetscErrorCode cst_rows_create(const cst_plan *p, cst_rows *r) {
  const cst_system *s = p->study->system;
  const size_t      n = (size_t)p->batch;
  PetscFunctionBegin;
  memset(r, 0, sizeof *r);
  PetscCall(PetscMalloc5(n * (size_t)s->nq, &r->q, n * (size_t)s->nq, &r->p, n * (size_t)s->ng + 1, &r->lambda, n, &r->iterations, n,
                         &r->evaluations));
  PetscCall(PetscMalloc2(n, &r->status, n, &r->steps));
  for (int k = 0; k < CST_ERRORS && p->study->reference != CST_REFERENCE_NONE; k++) PetscCall(PetscMalloc1(n, &r->error[k]));
  PetscCall(PetscCalloc2(p->nquantity, &r->figure, p->nquantity, &r->window));
  for (int k = 0; k < p->nquantity; k++) {
    PetscCall(PetscMalloc1(n * CST_FIGURES, &r->figure[k]));
    if (p->study->kind == CST_CONSERVATION && p->quantity[k].drifts) PetscCall(PetscMalloc1(n * CST_WINDOWS, &r->window[k]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_rows_destroy(const cst_plan *p, cst_rows *r) {
  PetscFunctionBegin;
  PetscCall(PetscFree5(r->q, r->p, r->lambda, r->iterations, r->evaluations));
  PetscCall(PetscFree2(r->status, r->steps));
  for (int k = 0; k < CST_ERRORS; k++) PetscCall(PetscFree(r->error[k]));
  for (int k = 0; k < p->nquantity; k++) {
    PetscCall(PetscFree(r->figure[k]));
    PetscCall(PetscFree(r->window[k]));
  }
  PetscCall(PetscFree2(r->figure, r->window));
  PetscFunctionReturn(0);
}

/* Lanes at..at+n of the batch are members first.. of case c. */
static PetscErrorCode put_run(cst_output *o, int c, long first, long at, long n, const cst_rows *r) {
  const cst_plan   *p = o->plan;
  const cst_system *s = p->study->system;
  long              start[3] = {c, first, 0}, count[3] = {1, n, s->nq};
  char              path[96];
  PetscFunctionBegin;
  PetscCall(put(o, "/final/q", start, count, r->q + at * s->nq));
  PetscCall(put(o, "/final/p", start, count, r->p + at * s->nq));
  count[2] = s->ng;
  PetscCall(put(o, "/final/lambda", start, count, r->lambda + at * s->ng));
  PetscCall(put(o, "/final/steps", start, count, r->steps + at));
  PetscCall(put(o, "/final/iterations", start, count, r->iterations + at));
  PetscCall(put(o, "/final/evaluations", start, count, r->evaluations + at));
  for (int k = 0; k < CST_ERRORS && r->error[k]; k++) {
    snprintf(path, sizeof path, "/error/%s", error_names[k]);
    PetscCall(put(o, path, start, count, r->error[k] + at));
  }
  for (int k = 0; k < p->nquantity; k++) {
    count[2] = CST_FIGURES;
    snprintf(path, sizeof path, "/observables/%s", p->quantity[k].name);
    PetscCall(put(o, path, start, count, r->figure[k] + at * CST_FIGURES));
    if (!r->window[k]) continue;
    count[2] = CST_WINDOWS;
    snprintf(path, sizeof path, "/windows/%s", p->quantity[k].name);
    PetscCall(put(o, path, start, count, r->window[k] + at * CST_WINDOWS));
  }
  PetscCall(put(o, "/final/status", start, count, r->status + at)); /* last: a row with a status is whole */
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r) {
  const cst_class *k = &o->plan->classes[w->klass];
  const long       members = o->plan->study->members;
  PetscFunctionBegin;
  for (long at = 0; at < w->count;) {
    long lane = w->first + at, first = lane % members, n = PetscMin(members - first, w->count - at);
    PetscCall(put_run(o, k->cases[lane / members], first, at, n, r));
    at += n;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_series(cst_output *o, int icase, int quantity, int which, const double *x) {
  long start[2] = {icase, 0}, count[2] = {1, o->plan->most_samples};
  char path[96];
  PetscFunctionBegin;
  snprintf(path, sizeof path, "/series/%s/%s", o->plan->quantity[quantity].name, which ? "rms" : "max");
  PetscCall(put(o, path, start, count, x));
  PetscFunctionReturn(0);
}

enum { TAKEN_AT_ONCE = 1 << 20 };

/* Rows start[along].. of a field, so many, from a dataset of the same shape elsewhere: from_start there. */
static PetscErrorCode take_rows(cst_output *o, cst_result *file, int f, const char *from, long *from_start, long *start, long *count,
                                int along) {
  static const size_t width[] = {[CST_F64] = 8, [CST_I64] = 8, [CST_I32] = 4, [CST_I8] = 1};
  const cst_field    *field = &o->field[f];
  size_t              row = width[field->type];
  const long          rows = count[along];
  void               *x;
  PetscFunctionBegin;
  for (int k = along + 1; k < field->ndim; k++) row *= (size_t)count[k];
  const long some = row ? (long)PetscMax((size_t)1, TAKEN_AT_ONCE / row) : rows;
  PetscCall(PetscMalloc((size_t)some * row + 1, &x));
  for (long at = 0; row && at < rows; at += some, start[along] += some, from_start[along] += some) {
    count[along] = PetscMin(some, rows - at);
    PetscCheck(cst_result_read_block(file, from, field->type, from_start, count, x), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "%s of the file cannot be read, or has another shape", from);
    PetscCall(put(o, field->path, start, count, x));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

static bool has_prefix(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

/* A field of rows, [case][member]...; of series of single members, [case][sample]. */
static PetscErrorCode take_field(cst_output *o, cst_result *file, const cst_plan *old, int from, int to, int f) {
  const cst_field *field = &o->field[f];
  const bool       rows = field->ndim >= 2 && field->dim[0] == DIM_CASE && field->dim[1] == DIM_MEMBER;
  const bool       single = old->study->members == 1 && has_prefix(field->path, "/series/") && field->ndim == 2;
  long             there[CST_FIELD_DIMS] = {from}, here[CST_FIELD_DIMS] = {to}, count[CST_FIELD_DIMS] = {1};
  PetscFunctionBegin;
  if (!rows && !single) PetscFunctionReturn(0);
  for (int k = 2; k < field->ndim; k++) count[k] = o->dim[field->dim[k]].size;
  count[1] = rows ? old->study->members : old->classes[old->class_of[from]].nsample;
  PetscCall(take_rows(o, file, f, field->path, there, here, count, 1));
  PetscFunctionReturn(0);
}

/* The group of states of a case has its number. */
static PetscErrorCode take_states(cst_output *o, cst_result *file, int from, int to) {
  char mine[64];
  PetscFunctionBegin;
  snprintf(mine, sizeof mine, "/trajectories/%d/", to);
  for (int f = 0; f < o->nfield; f++) {
    const cst_field *field = &o->field[f];
    long             there[CST_FIELD_DIMS] = {0}, here[CST_FIELD_DIMS] = {0}, count[CST_FIELD_DIMS];
    char             path[sizeof field->path];
    if (!has_prefix(field->path, mine)) continue;
    for (int k = 0; k < field->ndim; k++) count[k] = o->dim[field->dim[k]].size;
    snprintf(path, sizeof path, "/trajectories/%d/%.16s", from, field->path + strlen(mine));
    PetscCall(take_rows(o, file, f, path, there, here, count, 0));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from, int to) {
  const int status = find(o, "/final/status");
  PetscFunctionBegin;
  for (int f = 0; f < o->nfield; f++)
    if (f != status) PetscCall(take_field(o, file, old, from, to, f));
  PetscCall(take_states(o, file, from, to));
  PetscCall(take_field(o, file, old, from, to, status)); /* last: a row with a status is whole */
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_sums(cst_output *o, int icase, int quantity, const cst_sum *sum, const long *number) {
  long start[3] = {icase, 0, 0}, count[3] = {1, o->plan->most_samples, CST_SUM_WORDS};
  char path[96];
  PetscFunctionBegin;
  snprintf(path, sizeof path, "/series/%s/sum", o->plan->quantity[quantity].name);
  PetscCall(put(o, path, start, count, sum->word));
  snprintf(path, sizeof path, "/series/%s/count", o->plan->quantity[quantity].name);
  PetscCall(put(o, path, start, count, number));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_times(cst_output *o, int icase, const double *t) {
  long start[2] = {icase, 0}, count[2] = {1, o->plan->most_samples};
  PetscFunctionBegin;
  PetscCall(put(o, "/series/t", start, count, t));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_states(cst_output *o, int icase, int chosen, long first, long n, const double *t, const double *q,
                                 const double *p, const double *lambda) {
  const cst_system *s = o->plan->study->system;
  long              start[3] = {chosen, first, 0}, count[3] = {1, n, s->nq}, at[1] = {first}, size[1] = {n};
  char              path[96];
  PetscFunctionBegin;
  snprintf(path, sizeof path, "/trajectories/%d/t", icase);
  PetscCall(put(o, path, at, size, t));
  snprintf(path, sizeof path, "/trajectories/%d/q", icase);
  PetscCall(put(o, path, start, count, q));
  snprintf(path, sizeof path, "/trajectories/%d/p", icase);
  PetscCall(put(o, path, start, count, p));
  count[2] = s->ng;
  snprintf(path, sizeof path, "/trajectories/%d/lambda", icase);
  PetscCall(put(o, path, start, count, lambda));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_read(cst_output *o, const char *path, int icase, long components, double *x) {
  long start[3] = {icase, 0, 0}, count[3] = {1, o->plan->study->members, components};
  int  f = find(o, path);
  PetscFunctionBegin;
  PetscCheck(f >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "no field %s", path);
  if (components == 0) PetscFunctionReturn(0);
  if (o->field[f].type == CST_F64) {
    PetscCheck(cst_record_read(o->record, f, start, count, x), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", cst_record_error(o->record));
    PetscFunctionReturn(0);
  }
  signed char *flag;
  PetscCheck(o->field[f].type == CST_I8, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is no field of numbers", path);
  PetscCall(PetscMalloc1(count[1], &flag));
  PetscCheck(cst_record_read(o->record, f, start, count, flag), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", cst_record_error(o->record));
  for (long i = 0; i < count[1]; i++) x[i] = flag[i];
  PetscCall(PetscFree(flag));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_columns(cst_output *o, const cst_columns *c) {
  long start[1] = {0}, count[1] = {o->plan->ncase};
  char path[96];
  PetscFunctionBegin;
  for (int k = 0; k < c->n; k++) {
    snprintf(path, sizeof path, "/statistics/%s", c->column[k].name);
    PetscCall(put(o, path, start, count, c->column[k].text ? (const void *)c->column[k].label : c->column[k].value));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_rates(cst_output *o, const double *rate) {
  long start[1] = {0}, count[1] = {o->plan->ncase};
  PetscFunctionBegin;
  PetscCall(put(o, "/run/steps_per_second", start, count, rate));
  PetscFunctionReturn(0);
}

void cst_output_note(cst_output *o, const char *group, const char *name, const char *text) {
  cst_record_attribute(o->record, group, name, text);
}
void cst_output_number(cst_output *o, const char *group, const char *name, double value) {
  cst_record_number(o->record, group, name, value);
}

void cst_output_text(cst_output *o, const char *group, const char *name, const char *text) {
  cst_record_text(o->record, group, name, text);
}

const char *cst_output_sync(cst_output *o) { return cst_record_sync(o->record) ? NULL : cst_record_error(o->record); }

PetscErrorCode cst_output_share(cst_output *o, double share) {
  PetscFunctionBegin;
  PetscCall(put(o, "/run/work_done", NULL, NULL, &share));
  PetscFunctionReturn(0);
}

void cst_output_flush(cst_output *o) { cst_record_flush(o->record); }

PetscErrorCode cst_output_close(cst_output **output, const char *state, bool *finished) {
  cst_output *o = *output;
  PetscFunctionBegin;
  *finished = !o->record || cst_record_close(o->record, state);
  PetscCall(PetscFree(o->field));
  PetscCall(PetscFree(o->dim));
  PetscCall(PetscFree(*output));
  PetscFunctionReturn(0);
}
