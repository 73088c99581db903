/* conclude.c: from finished rows to the table: errors and orders, verdicts, statistics of ensembles. Runs on one rank, case by case, in
 * order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/run.h"

typedef struct {
  const cst_plan *plan;
  cst_output     *output;
  cst_columns    *columns;
  double         *row; /* [members][components] of the dataset read last */
  double         *one; /* [members] */
} desk;

/* Into a column that columns.c declares. */
__attribute__((format(printf, 4, 5))) static void set(desk *d, int icase, double x, const char *format, ...) {
  char    name[96];
  va_list a;
  va_start(a, format);
  vsnprintf(name, sizeof name, format, a);
  va_end(a);
  double *column = cst_columns_value(d->columns, name);
  if (!column) fprintf(stderr, "constella: no column %s is declared\n", name), abort();
  column[icase] = x;
}

/* The same, where the kind of study has it. */
static void offer(desk *d, int icase, double x, const char *name) {
  if (cst_columns_value(d->columns, name)) set(d, icase, x, "%s", name);
}

static double get(desk *d, int icase, const char *name) {
  double *column = cst_columns_value(d->columns, name);
  return column ? column[icase] : NAN;
}

__attribute__((format(printf, 4, 5))) static PetscErrorCode load(desk *d, int icase, long components, const char *format, ...) {
  char    path[96];
  va_list a;
  PetscFunctionBegin;
  va_start(a, format);
  vsnprintf(path, sizeof path, format, a);
  va_end(a);
  PetscCall(cst_output_read(d->output, path, icase, components, d->row));
  PetscFunctionReturn(0);
}

static double largest(const double *x, long n, long stride) {
  double most = NAN;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i * stride]) && !(x[i * stride] <= most)) most = x[i * stride];
  return most;
}

static double total(const double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* What a case is: known before anything is run. */
void cst_conclude_cases(const cst_plan *p, cst_columns *columns) {
  const cst_study *s = p->study;
  desk             d = {p, NULL, columns, NULL, NULL};
  for (int i = 0; i < p->ncase; i++) {
    const cst_case *c = &p->cases[i];
    cst_columns_label(columns, "system", i, s->system->name);
    cst_columns_label(columns, "method", i, cst_method_label(s->method[c->method]));
    set(&d, i, c->h_nominal, "step");
    for (int k = 0; k < s->system->npar && s->nvariant > 1; k++)
      set(&d, i, s->parameter[c->variant * s->system->npar + k], "%s", s->system->parameter[k].name);
    if (s->ntolerance > 1) set(&d, i, s->tolerance[c->tolerance], "tolerance");
    set(&d, i, (double)s->members, "members");
    if (p->study->kind == CST_CONSERVATION) set(&d, i, (double)c->n * c->h, "end");
  }
}

/* ---- every kind ------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode common(desk *d, int i, long *failed) {
  const long   n = d->plan->study->members;
  const double steps = (double)n * (double)d->plan->cases[i].n;
  long         bad = 0;
  PetscFunctionBegin;
  PetscCall(load(d, i, 1, "/final/status"));
  for (long m = 0; m < n; m++) bad += d->row[m] > 0;
  set(d, i, (double)bad, "failed");
  *failed += bad;
  PetscCall(load(d, i, 1, "/final/iterations"));
  set(d, i, total(d->row, n) / steps, "iterations_mean");
  PetscCall(load(d, i, 1, "/final/evaluations"));
  set(d, i, total(d->row, n) / steps, "evaluations_per_step");
  PetscFunctionReturn(0);
}

/* NAME_max of quantity k: its largest drift; of constraints, which start near zero, the largest value itself. */
static PetscErrorCode extremes(desk *d, int i) {
  const cst_plan *p = d->plan;
  const long      n = p->study->members;
  PetscFunctionBegin;
  for (int k = 0; k < p->nquantity; k++) {
    const char *name = p->quantity[k].name;
    char        most[96];
    snprintf(most, sizeof most, "%s_max", name);
    PetscCall(load(d, i, CST_FIGURES, "/observables/%s", name));
    double drift = largest(d->row + CST_FIGURE_DRIFT, n, CST_FIGURES);
    for (long m = 0; m < n; m++) d->one[m] = d->row[m * CST_FIGURES + CST_FIGURE_START] + d->row[m * CST_FIGURES + CST_FIGURE_DRIFT];
    offer(d, i, p->quantity[k].drifts ? drift : largest(d->one, n, 1), most);
    if (!strcmp(name, "displacement")) offer(d, i, drift, name);
    bool momentum = k > 0 && k <= p->study->system->nsym;
    if (momentum && !(drift <= get(d, i, "momentum_max"))) offer(d, i, drift, "momentum_max");
  }
  PetscFunctionReturn(0);
}

/* ---- orders -------------------------------------------------------------------------------------------------------------------- */

static const char *const parts[CST_ERRORS] = {"", "_q", "_p", "_lambda"};
static const char *const paths[CST_ERRORS] = {"total", "q", "p", "lambda"};

static PetscErrorCode errors(desk *d, int i) {
  const long n = d->plan->study->members;
  PetscFunctionBegin;
  for (int k = 0; k < CST_ERRORS; k++) {
    PetscCall(load(d, i, 1, "/error/%s", paths[k]));
    set(d, i, largest(d->row, n, 1), "error%s", parts[k]);
    if (n > 1) set(d, i, cst_rms(d->row, n), "error%s_rms", parts[k]);
  }
  PetscFunctionReturn(0);
}

/* What an order is fitted to: a column that goes to zero with the step, and what the names of the fit's columns end in. */
enum { FIT_HIDDEN = CST_ERRORS, FITS };
static const struct {
  const char *column, *of;
} fits[FITS] = {{"error", ""}, {"error_q", "_q"}, {"error_p", "_p"}, {"error_lambda", "_lambda"}, {"hidden_max", "_hidden"}};

/* An estimate of what round-off contributes: eps times the size of the state times sqrt(n); of G v, whose terms were not kept, the size
 * that it was scaled by. */
static PetscErrorCode round_off(desk *d, int i, double *floor) {
  const cst_system *s = d->plan->study->system;
  const long        n = d->plan->study->members;
  double            most[FITS] = {0};
  const long        size[CST_ERRORS] = {0, s->nq, s->nq, s->ng};
  PetscFunctionBegin;
  for (int k = 1; k < CST_ERRORS; k++) {
    if (size[k] == 0) continue;
    PetscCall(load(d, i, size[k], "/final/%s", paths[k]));
    for (long m = 0; m < n * size[k]; m++) most[k] = fmax(most[k], fabs(d->row[m]));
  }
  most[0] = fmax(most[1], most[2]);
  most[FIT_HIDDEN] = get(d, i, "hidden_max") / get(d, i, "hidden_scaled_max");
  for (int k = 0; k < FITS; k++) floor[k] = 2.2e-16 * most[k] * sqrt((double)d->plan->cases[i].n);
  PetscFunctionReturn(0);
}

static void rates(desk *d, const int *cases, int n, int k) {
  for (int i = 1; i < n; i++) {
    double ratio = get(d, cases[i - 1], fits[k].column) / get(d, cases[i], fits[k].column);
    double step = d->plan->cases[cases[i - 1]].h / d->plan->cases[cases[i]].h;
    set(d, cases[i], ratio > 0 && isfinite(ratio) ? cst_log(ratio) / cst_log(step) : NAN, "rate%s", fits[k].of);
  }
}

static void write_fit(desk *d, const int *cases, int n, const char *of, const cst_order_fit *fit) {
  char flag[64];
  snprintf(flag, sizeof flag, "flag%s", of);
  for (int i = 0; i < n; i++) {
    set(d, cases[i], fit->order, "order%s", of);
    set(d, cases[i], fit->low, "order_low%s", of);
    set(d, cases[i], fit->high, "order_high%s", of);
    cst_columns_label(d->columns, flag, cases[i], cst_order_flag_names[fit->flag]);
  }
}

/* The steps of one method, tolerance and variant: cases first..first+nstep, coarse to fine. */
static PetscErrorCode orders(desk *d, int first) {
  const int n = d->plan->study->nstep;
  int      *cases;
  double   *h, *e, *floor, (*all)[FITS];
  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &cases, n, &h, n, &e, n, &floor, n, &all));
  for (int i = 0; i < n; i++) cases[i] = first + i, h[i] = d->plan->cases[first + i].h;
  for (int i = 0; i < n; i++) PetscCall(round_off(d, cases[i], all[i]));
  for (int k = 0; k < FITS; k++) {
    for (int i = 0; i < n; i++) e[i] = get(d, cases[i], fits[k].column), floor[i] = all[i][k];
    rates(d, cases, n, k);
    const cst_order_fit fit = cst_order_estimate(h, e, floor, n);
    write_fit(d, cases, n, fits[k].of, &fit);
  }
  PetscCall(PetscFree5(cases, h, e, floor, all));
  PetscFunctionReturn(0);
}

/* ---- long times ------------------------------------------------------------------------------------------------------------------ */

/* How far each member moved, relative to the size of its start. */
static PetscErrorCode movement(desk *d, int i, double *moved) {
  const cst_study *s = d->plan->study;
  double          *q, *v;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->system->nq, &q, s->system->nq, &v));
  PetscCall(load(d, i, CST_FIGURES, "/observables/displacement"));
  for (long m = 0; m < s->members; m++) {
    double size = 0;
    cst_study_member(s, d->plan->cases[i].variant, m, q, v);
    for (int k = 0; k < s->system->nq; k++) size += q[k] * q[k];
    moved[m] = d->row[m * CST_FIGURES + CST_FIGURE_DRIFT] / (size > 0 ? sqrt(size) : 1);
  }
  PetscCall(PetscFree2(q, v));
  PetscFunctionReturn(0);
}

static PetscErrorCode verdict(desk *d, int i, const cst_quantity *x, const double *moved) {
  const cst_case *c = &d->plan->cases[i];
  const long      n = d->plan->study->members;
  const double    end = (double)c->n * c->h;
  char            name[64];
  PetscFunctionBegin;
  PetscCall(load(d, i, CST_FIGURES, "/observables/%s", x->name));
  double scale = largest(d->row + CST_FIGURE_SCALE, n, CST_FIGURES);
  for (long m = 0; m < n; m++) d->one[m] = d->row[m * CST_FIGURES + CST_FIGURE_DRIFT];
  PetscCall(load(d, i, CST_WINDOWS, "/windows/%s", x->name));
  cst_growth g = cst_growth_estimate(d->row, d->one, moved, n, end, scale, c->n);
  set(d, i, scale, "%s_scale", x->name);
  set(d, i, g.slope, "%s_slope", x->name);
  set(d, i, g.slope_error, "%s_slope_error", x->name);
  set(d, i, g.exponent, "%s_exponent", x->name);
  set(d, i, g.low, "%s_exponent_low", x->name);
  set(d, i, g.high, "%s_exponent_high", x->name);
  snprintf(name, sizeof name, "%s_verdict", x->name);
  /* a member that broke down speaks against every verdict that the others could give */
  cst_columns_label(d->columns, name, i, isnan(scale) ? "" : cst_verdict_names[get(d, i, "failed") > 0 ? CST_UNDECIDED : g.verdict]);
  PetscFunctionReturn(0);
}

static PetscErrorCode verdicts(desk *d, int i) {
  double *moved;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(d->plan->study->members, &moved));
  PetscCall(movement(d, i, moved));
  for (int k = 0; k < d->plan->nquantity; k++)
    if (d->plan->quantity[k].drifts) PetscCall(verdict(d, i, &d->plan->quantity[k], moved));
  PetscCall(PetscFree(moved));
  PetscFunctionReturn(0);
}

/* ---- ensembles --------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode distribution(desk *d, int i) {
  static const double      p[] = {0.05, 0.25, 0.5, 0.75, 0.95};
  static const char *const at[] = {"q05", "q25", "q50", "q75", "q95"};
  const long               n = d->plan->study->members;
  double                  *status, q[5];
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &status));
  PetscCall(load(d, i, 1, "/final/status"));
  memcpy(status, d->row, (size_t)n * sizeof *status);
  for (int k = 0; k < d->plan->nquantity; k++) {
    const char *name = d->plan->quantity[k].name;
    if (!d->plan->quantity[k].drifts && strcmp(name, "displacement")) continue;
    PetscCall(load(d, i, CST_FIGURES, "/observables/%s", name));
    for (long m = 0; m < n; m++) d->one[m] = status[m] == 0 ? d->row[m * CST_FIGURES + CST_FIGURE_END] : NAN;
    set(d, i, cst_mean(d->one, n), "%s_mean", name);
    set(d, i, cst_rms(d->one, n), "%s_rms", name);
    cst_quantiles(d->one, n, p, 5, q);
    for (int j = 0; j < 5; j++) set(d, i, q[j], "%s_%s", name, at[j]);
  }
  PetscCall(PetscFree(status));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_conclude(const cst_plan *p, cst_output *o, cst_columns *c, long *failed) {
  const long        n = p->study->members;
  const cst_system *s = p->study->system;
  const long        state = PetscMax(s->nq, s->ng), narrow = PetscMax(state, (long)CST_FIGURES);
  const long        widest = p->study->kind == CST_CONSERVATION ? PetscMax(narrow, (long)CST_WINDOWS) : narrow;
  desk              d = {p, o, c, NULL, NULL};
  PetscFunctionBegin;
  *failed = 0;
  PetscCall(PetscMalloc2(n * widest, &d.row, n, &d.one));
  for (int i = 0; i < p->ncase; i++) {
    PetscCall(common(&d, i, failed));
    PetscCall(extremes(&d, i));
    if (p->study->reference != CST_REFERENCE_NONE) PetscCall(errors(&d, i));
    if (p->study->kind == CST_CONSERVATION) PetscCall(verdicts(&d, i));
    if (p->study->kind == CST_ENSEMBLE) PetscCall(distribution(&d, i));
  }
  for (int i = 0; i < p->ncase && p->study->kind == CST_ORDER; i += p->study->nstep) PetscCall(orders(&d, i));
  PetscCall(PetscFree2(d.row, d.one));
  PetscFunctionReturn(0);
}
