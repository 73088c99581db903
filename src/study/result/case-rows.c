/* case-rows.c: reads finished rows case by case (see case-rows.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/case-rows.h"
#include <math.h>
#include "study/result/output.h"
#include "study/run/failure.h"

PetscErrorCode cst_case_rows_create(const cst_plan *p, cst_output *o, const double *reference_error,
                                    cst_case_rows **rows) {
  const cst_system *s = p->study->system;
  const long        n = p->study->members;
  const long        state = PetscMax(1, PetscMax(s->nq, s->ng));
  cst_case_rows    *r;
  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *rows = r;
  r->plan = p;
  r->output = o;
  r->reference_error = reference_error;
  PetscCall(PetscMalloc3(n, &r->good, n * CST_FIGURES, &r->figures, n * state, &r->number));
  if (p->study->reference != CST_REFERENCE_NONE)
    PetscCall(PetscMalloc1(n, &r->error));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_case_rows_destroy(cst_case_rows **rows) {
  PetscFunctionBegin;
  PetscCall(PetscFree((*rows)->error));
  PetscCall(PetscFree3((*rows)->good, (*rows)->figures, (*rows)->number));
  PetscCall(PetscFree(*rows));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_case_rows_open(cst_case_rows *r, int icase, long *failed) {
  long bad = 0;
  PetscFunctionBegin;
  r->icase = icase;
  PetscCall(cst_output_read(r->output, CST_CHANNEL_STATUS, 0, r->icase, r->number));
  for (long m = 0; m < r->plan->study->members; m++) {
    r->good[m] = r->number[m] == 0;
    bad += r->number[m] > 0;
  }
  if (failed)
    *failed = bad;
  if (r->error)
    PetscCall(cst_output_read(r->output, CST_CHANNEL_ERROR, CST_ERROR_ALL, icase, r->error));
  PetscFunctionReturn(0);
}

bool cst_case_rows_unreferred(const cst_case_rows *r) {
  bool any = false;
  for (long m = 0; m < r->plan->study->members && r->error; m++)
    any |= cst_failures_unreferred(!r->good[m], r->error[m]);
  return any;
}

PetscErrorCode cst_case_rows_get(cst_case_rows *r, cst_channel_kind kind, int which,
                                 const double **x) {
  PetscFunctionBegin;
  PetscCheck(kind < CST_CHANNEL_FIGURES, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "figures and windows have functions of their own");
  PetscCall(cst_output_read(r->output, kind, which, r->icase, r->number));
  *x = r->number;
  PetscFunctionReturn(0);
}

PetscErrorCode cst_case_rows_figures(cst_case_rows *r, int quantity, const double **x) {
  PetscFunctionBegin;
  PetscCall(cst_output_read(r->output, CST_CHANNEL_FIGURES, quantity, r->icase, r->figures));
  *x = r->figures;
  PetscFunctionReturn(0);
}

void cst_case_rows_pick(const cst_case_rows *r, int figure, int and, double *x) {
  for (long m = 0; m < r->plan->study->members; m++) {
    const double *f = r->figures + m * CST_FIGURES;
    x[m] = f[figure];
    if (and >= 0)
      x[m] += f[and];
    if (!r->good[m])
      x[m] = NAN;
  }
}

PetscErrorCode cst_case_rows_windows(cst_case_rows *r, int quantity, double *x) {
  PetscFunctionBegin;
  PetscCall(cst_output_read(r->output, CST_CHANNEL_WINDOWS, quantity, r->icase, x));
  for (long m = 0; m < r->plan->study->members; m++) {
    double *window = x + m * CST_WINDOWS;
    if (r->good[m])
      continue;
    for (int w = 0; w < CST_WINDOWS; w++)
      window[w] = NAN;
  }
  PetscFunctionReturn(0);
}

double cst_case_rows_largest(const double *x, long n) {
  double most = NAN;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i]) && !(x[i] <= most))
      most = x[i];
  return most;
}
