/* conclude.c: from finished rows to the table: errors and orders, verdicts, statistics of ensembles. Runs on one rank, case by case, in
 * order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/conclude.h"

typedef struct {
  const cst_plan *plan;
  cst_output     *output;
  cst_columns    *columns;
  double         *row;  /* [members][components] of the dataset read last */
  double         *one;  /* [members] */
  bool           *good; /* [members] that did not fail */
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

static double largest(const double *x, long n) {
  double most = NAN;
  for (long i = 0; i < n; i++)
    if (!isnan(x[i]) && !(x[i] <= most)) most = x[i];
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
  desk             d = {p, NULL, columns, NULL, NULL, NULL};
  for (int i = 0; i < p->ncase; i++) {
    const cst_case *c = &p->cases[i];
    cst_columns_label(columns, "system", i, s->system->name);
    cst_columns_label(columns, "method", i, cst_method_label(s->method[c->method]));
    set(&d, i, c->h_nominal, "step");
    for (int k = 0; k < s->system->npar && s->nvariant > 1; k++)
      set(&d, i, s->parameter[c->variant * s->system->npar + k], "%s", s->system->parameter[k].name);
    if (s->ntolerance > 1) set(&d, i, s->tolerance[c->tolerance], "tolerance");
    set(&d, i, (double)s->members, "members");
    set(&d, i, (double)p->classes[p->class_of[i]].observe, "observe");
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
  for (long m = 0; m < n; m++) d->good[m] = d->row[m] == 0, bad += d->row[m] > 0;
  set(d, i, (double)bad, "failed");
  *failed += bad;
  PetscCall(load(d, i, 1, "/final/iterations"));
  set(d, i, total(d->row, n) / steps, "iterations_mean");
  PetscCall(load(d, i, 1, "/final/evaluations"));
  set(d, i, total(d->row, n) / steps, "evaluations_per_step");
  PetscFunctionReturn(0);
}

/* A figure, or the sum of two, of the members that did not fail, NaN for the others, into x. */
static void pick(const desk *d, int figure, int and, double *x) {
  for (long m = 0; m < d->plan->study->members; m++) {
    const double *f = d->row + m * CST_FIGURES;
    x[m] = !d->good[m] ? NAN : and < 0 ? f[figure] : f[figure] + f[and];
  }
}

/* NAME_max of quantity k: its largest drift; of constraints, which start near zero, the largest value itself. Members that failed have no
 * part in it. */
static PetscErrorCode extremes(desk *d, int i) {
  const cst_plan *p = d->plan;
  const long      n = p->study->members;
  PetscFunctionBegin;
  for (int k = 0; k < p->nquantity; k++) {
    const char *name = p->quantity[k].name;
    char        most[96];
    snprintf(most, sizeof most, "%s_max", name);
    PetscCall(load(d, i, CST_FIGURES, "/observables/%s", name));
    pick(d, CST_FIGURE_DRIFT, -1, d->one);
    const double drift = largest(d->one, n);
    if (!p->quantity[k].drifts) pick(d, CST_FIGURE_START, CST_FIGURE_DRIFT, d->one);
    offer(d, i, largest(d->one, n), most);
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
    set(d, i, largest(d->row, n), "error%s", parts[k]);
    if (n > 1) set(d, i, cst_rms(d->row, n), "error%s_rms", parts[k]);
  }
  PetscFunctionReturn(0);
}

/* What an order is fitted to: a column that goes to zero with the step, and what the names of the fit's columns end in. */
enum { FIT_HIDDEN = CST_ERRORS, FITS };
static const struct {
  const char *column, *of;
} fits[FITS] = {{"error", ""}, {"error_q", "_q"}, {"error_p", "_p"}, {"error_lambda", "_lambda"}, {"hidden_max", "_hidden"}};

/* The reference's error of part k; 0: not known. */
static double known_error(desk *d, int i, int k) {
  char name[64];
  snprintf(name, sizeof name, "reference_error%s", parts[k]);
  return fmax(0, get(d, i, name));
}

/* What errors cannot be told below: round-off, eps times the size of the state times sqrt(n); what the solver leaves, a tenth of a
 * tolerance that is not as tight as it can be; and a third of reference_error, since a floor stands for a tenth of the errors that are
 * used. Of G v, whose terms were not kept, the size is what it was scaled by. */
static PetscErrorCode find_floor(desk *d, int i, double *floor) {
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
  const double loose = fmax(0, d->plan->study->tolerance[d->plan->cases[i].tolerance] - 1e-14);
  for (int k = 0; k < FITS; k++) floor[k] = fmax(2.2e-16 * sqrt((double)d->plan->cases[i].n), 0.1 * loose) * most[k];
  for (int k = 0; k < CST_ERRORS; k++) floor[k] = fmax(floor[k], 0.3 * known_error(d, i, k));
  PetscFunctionReturn(0);
}

/* The order that a method claims of what is fitted; 0: none. */
static int claimed_order(const desk *d, int i, int k) {
  const cst_study     *s = d->plan->study;
  const cst_properties p = d->plan->properties[d->plan->cases[i].method];
  const int            of[CST_ERRORS] = {0, p.order_q, p.order_p, s->system->ng ? p.order_lambda : 0};
  const bool           chosen[CST_ERRORS] = {false, s->error_q, s->error_p, s->error_lambda};
  int                  least = 0;
  if (k >= CST_ERRORS) return 0;
  if (k > 0) return of[k];
  for (int j = 1; j < CST_ERRORS; j++) {
    if (!chosen[j]) continue;
    if (of[j] == 0) return 0;
    least = least == 0 ? of[j] : PetscMin(least, of[j]);
  }
  return least;
}

/* Whether the motion ends where it began, and errors are those of the end alone: within a twentieth of its largest distance from there. */
static PetscErrorCode returns(desk *d, int i, bool *so) {
  double end = 0, most = 0;
  PetscFunctionBegin;
  PetscCall(load(d, i, CST_FIGURES, "/observables/displacement"));
  for (long m = 0; m < d->plan->study->members; m++) {
    end = fmax(end, d->row[m * CST_FIGURES + CST_FIGURE_END]);
    most = fmax(most, d->row[m * CST_FIGURES + CST_FIGURE_DRIFT]);
  }
  *so = d->plan->study->over == CST_OVER_END && end < 0.05 * most;
  PetscFunctionReturn(0);
}

static void rates(desk *d, const int *cases, int n, int k) {
  for (int i = 1; i < n; i++) {
    double ratio = get(d, cases[i - 1], fits[k].column) / get(d, cases[i], fits[k].column);
    double step = d->plan->cases[cases[i - 1]].h / d->plan->cases[cases[i]].h;
    set(d, cases[i], ratio > 0 && isfinite(ratio) ? cst_log(ratio) / cst_log(step) : NAN, "rate%s", fits[k].of);
  }
}

static void write_fit(desk *d, const int *cases, int n, const char *of, int claimed, const cst_order_fit *fit) {
  char flag[64], column[64];
  snprintf(flag, sizeof flag, "flag%s", of);
  snprintf(column, sizeof column, "claimed%s", of);
  for (int i = 0; i < n; i++) {
    set(d, cases[i], fit->order, "order%s", of);
    set(d, cases[i], fit->low, "order_low%s", of);
    set(d, cases[i], fit->high, "order_high%s", of);
    offer(d, cases[i], claimed ? claimed : NAN, column);
    cst_columns_label(d->columns, flag, cases[i], cst_order_flag_names[fit->flag]);
  }
}

/* The steps of one method, tolerance and variant: cases first..first+nstep, coarse to fine. */
static PetscErrorCode orders(desk *d, int first) {
  const int n = d->plan->study->nstep;
  int      *cases;
  double   *h, *e, *floor, (*all)[FITS];
  bool      back = false;
  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &cases, n, &h, n, &e, n, &floor, n, &all));
  for (int i = 0; i < n; i++) cases[i] = first + i, h[i] = d->plan->cases[first + i].h;
  for (int i = 0; i < n; i++) PetscCall(find_floor(d, cases[i], all[i]));
  PetscCall(returns(d, cases[n - 1], &back));
  for (int k = 0; k < FITS; k++) {
    for (int i = 0; i < n; i++) e[i] = get(d, cases[i], fits[k].column), floor[i] = all[i][k];
    rates(d, cases, n, k);
    const int     claimed = claimed_order(d, first, k);
    cst_order_fit fit = cst_order_estimate(h, e, floor, n);
    fit.flag = cst_order_judge(&fit, claimed, back && k != FIT_HIDDEN);
    write_fit(d, cases, n, fits[k].of, claimed, &fit);
  }
  PetscCall(PetscFree5(cases, h, e, floor, all));
  PetscFunctionReturn(0);
}

/* ---- long times ------------------------------------------------------------------------------------------------------------------ */

/* What the verdicts of a case need besides the observable: arrays of members, NaN for those that failed. */
typedef struct {
  double *moved, *away; /* as in cst_long_run */
  double *largest, *scale, *start, *last;
} journey;

static PetscErrorCode journey_create(long members, journey *j) {
  PetscFunctionBegin;
  PetscCall(PetscMalloc6(members, &j->moved, members * CST_WINDOWS, &j->away, members, &j->largest, members, &j->scale, members, &j->start,
                         members, &j->last));
  PetscFunctionReturn(0);
}

static PetscErrorCode journey_destroy(journey *j) {
  PetscFunctionBegin;
  PetscCall(PetscFree6(j->moved, j->away, j->largest, j->scale, j->start, j->last));
  PetscFunctionReturn(0);
}

/* Means over windows of the members that did not fail, NaN for the others. */
static PetscErrorCode load_windows(desk *d, int i, const char *name, double *x) {
  PetscFunctionBegin;
  PetscCall(load(d, i, CST_WINDOWS, "/windows/%s", name));
  for (long m = 0; m < d->plan->study->members; m++)
    for (int w = 0; w < CST_WINDOWS; w++) x[m * CST_WINDOWS + w] = d->good[m] ? d->row[m * CST_WINDOWS + w] : NAN;
  PetscFunctionReturn(0);
}

/* How far each member moved, relative to the size of its start (itself, where that is zero), and on the way. */
static PetscErrorCode movement(desk *d, int i, journey *j) {
  const cst_study *s = d->plan->study;
  double          *q, *v;
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->system->nq, &q, s->system->nq, &v));
  PetscCall(load(d, i, CST_FIGURES, "/observables/displacement"));
  pick(d, CST_FIGURE_DRIFT, -1, j->moved);
  for (long m = 0; m < s->members; m++) {
    double size = 0;
    cst_study_member(s, d->plan->cases[i].variant, m, q, v);
    for (int k = 0; k < s->system->nq; k++) size += q[k] * q[k];
    if (j->moved[m] > 0) j->moved[m] /= sqrt(size);
  }
  PetscCall(load_windows(d, i, "displacement", j->away));
  PetscCall(PetscFree2(q, v));
  PetscFunctionReturn(0);
}

static void write_growth(desk *d, int i, const char *name, const cst_growth *g, bool failed) {
  char column[64];
  set(d, i, g->slope, "%s_slope", name);
  set(d, i, g->slope_error, "%s_slope_error", name);
  set(d, i, g->slope_rms, "%s_slope_rms", name);
  set(d, i, g->limit, "%s_drift_limit", name);
  set(d, i, g->exponent, "%s_exponent", name);
  set(d, i, g->low, "%s_exponent_low", name);
  set(d, i, g->high, "%s_exponent_high", name);
  snprintf(column, sizeof column, "%s_verdict", name);
  cst_columns_label(d->columns, column, i, cst_verdict_names[failed ? CST_FAILED : g->verdict]);
  snprintf(column, sizeof column, "%s_why", name);
  cst_columns_label(d->columns, column, i, failed ? "" : cst_why_names[g->why]);
}

/* A member that broke down speaks against every verdict that the others could give: theirs are the slope and the exponent only. */
static PetscErrorCode verdict(desk *d, int i, const cst_quantity *x, journey *j) {
  const cst_case *c = &d->plan->cases[i];
  const long      n = d->plan->study->members;
  const bool      failed = get(d, i, "failed") > 0;
  PetscFunctionBegin;
  if (!x->windows) PetscFunctionReturn(0);
  PetscCall(load(d, i, CST_FIGURES, "/observables/%s", x->name));
  pick(d, CST_FIGURE_DRIFT, -1, j->largest);
  pick(d, CST_FIGURE_SIZE, -1, j->scale);
  pick(d, CST_FIGURE_START, -1, j->start);
  for (long m = 0; m < n; m++) j->last[m] = d->good[m] ? d->row[m * CST_FIGURES + CST_FIGURE_END] - j->start[m] : NAN;
  bool some = false; /* an observable that is not looked at has no verdict */
  for (long m = 0; m < n; m++) some |= !isnan(d->row[m * CST_FIGURES + CST_FIGURE_START]);
  if (!some) PetscFunctionReturn(0);
  set(d, i, largest(j->scale, n), "%s_scale", x->name);
  PetscCall(load_windows(d, i, x->name, d->row));
  const cst_long_run run = {.members = n,
                            .steps = c->n,
                            .end = (double)c->n * c->h,
                            .means = d->row,
                            .largest = j->largest,
                            .scale = j->scale,
                            .start = j->start,
                            .last = j->last,
                            .moved = j->moved,
                            .away = j->away};
  const cst_growth   g = cst_growth_estimate(&run);
  write_growth(d, i, x->name, &g, failed);
  PetscFunctionReturn(0);
}

static PetscErrorCode verdicts(desk *d, int i) {
  journey j;
  PetscFunctionBegin;
  PetscCall(journey_create(d->plan->study->members, &j));
  PetscCall(movement(d, i, &j));
  for (int k = 0; k < d->plan->nquantity; k++)
    if (d->plan->quantity[k].judged) PetscCall(verdict(d, i, &d->plan->quantity[k], &j));
  PetscCall(journey_destroy(&j));
  PetscFunctionReturn(0);
}

/* ---- ensembles --------------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode distribution(desk *d, int i) {
  static const double      p[] = {0.05, 0.25, 0.5, 0.75, 0.95};
  static const char *const at[] = {"q05", "q25", "q50", "q75", "q95"};
  const long               n = d->plan->study->members;
  double                   q[5];
  PetscFunctionBegin;
  for (int k = 0; k < d->plan->nquantity; k++) {
    const char *name = d->plan->quantity[k].name;
    if (!d->plan->quantity[k].drifts && strcmp(name, "displacement")) continue;
    PetscCall(load(d, i, CST_FIGURES, "/observables/%s", name));
    pick(d, CST_FIGURE_END, -1, d->one);
    set(d, i, cst_mean(d->one, n), "%s_mean", name);
    set(d, i, cst_rms(d->one, n), "%s_rms", name);
    cst_quantiles(d->one, n, p, 5, q);
    for (int j = 0; j < 5; j++) set(d, i, q[j], "%s_%s", name, at[j]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_conclude(const cst_plan *p, cst_output *o, cst_columns *c, long *failed) {
  const long        n = p->study->members;
  const cst_system *s = p->study->system;
  const long        state = PetscMax(s->nq, s->ng), narrow = PetscMax(state, (long)CST_FIGURES);
  const long        widest = p->study->kind == CST_CONSERVATION ? PetscMax(narrow, (long)CST_WINDOWS) : narrow;
  desk              d = {p, o, c, NULL, NULL, NULL};
  PetscFunctionBegin;
  *failed = 0;
  PetscCall(PetscMalloc3(n * widest, &d.row, n, &d.one, n, &d.good));
  for (int i = 0; i < p->ncase; i++) {
    PetscCall(common(&d, i, failed));
    PetscCall(extremes(&d, i));
    if (p->study->reference != CST_REFERENCE_NONE) PetscCall(errors(&d, i));
    if (p->study->kind == CST_CONSERVATION) PetscCall(verdicts(&d, i));
    if (p->study->kind == CST_ENSEMBLE) PetscCall(distribution(&d, i));
  }
  for (int i = 0; i < p->ncase && p->study->kind == CST_ORDER; i += p->study->nstep) PetscCall(orders(&d, i));
  PetscCall(PetscFree3(d.row, d.one, d.good));
  PetscFunctionReturn(0);
}
