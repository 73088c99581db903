/* output.c: writing of a study's result: cases, rows, series, states, columns; or their comparison with a file that is there. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/output-layout.h"

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

PetscErrorCode cst_output_compare(const cst_plan *p, cst_result *file, cst_comparison *comparison, cst_output **output) {
  PetscFunctionBegin;
  PetscCall(cst_output_lay_out(p, NULL, output));
  (*output)->file = file;
  (*output)->comparison = comparison;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_create(const cst_plan *p, const char *path, bool anew, const cst_columns *columns, cst_output **output) {
  cst_output *o;
  char        why[512];
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(cst_output_lay_out(p, columns, output));
  o = *output;
  o->record = (anew ? cst_record_create : cst_record_open)(PETSC_COMM_WORLD, path, o->dim, o->ndim, o->field, o->nfield, why, sizeof why);
  PetscCheck(o->record, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "%s: %s", path, why);
  if (anew && rank == 0) PetscCall(put_cases(o));
  PetscFunctionReturn(0);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

PetscErrorCode cst_rows_create(const cst_plan *p, long batch, cst_rows *r) {
  const cst_system *s = p->study->system;
  const size_t      n = (size_t)batch;
  PetscFunctionBegin;
  memset(r, 0, sizeof *r);
  PetscCall(PetscMalloc5(n * (size_t)s->nq, &r->q, n * (size_t)s->nq, &r->p, n * (size_t)s->ng + 1, &r->lambda, n, &r->iterations, n,
                         &r->evaluations));
  PetscCall(PetscMalloc2(n, &r->status, n, &r->steps));
  for (int k = 0; k < CST_ERRORS && p->study->reference != CST_REFERENCE_NONE; k++) PetscCall(PetscMalloc1(n, &r->error[k]));
  PetscCall(PetscCalloc2(p->nquantity, &r->figure, p->nquantity, &r->window));
  for (int k = 0; k < p->nquantity; k++) {
    PetscCall(PetscMalloc1(n * CST_FIGURES, &r->figure[k]));
    if (cst_study_needs(p->study, CST_NEEDS_WINDOWS) && p->quantity[k].windows) PetscCall(PetscMalloc1(n * CST_WINDOWS, &r->window[k]));
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
    snprintf(path, sizeof path, "/error/%s", cst_error_names[k]);
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
    PetscCall(put(o, path, start, count, c->column[k].label ? (const void *)c->column[k].label : c->column[k].value));
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
