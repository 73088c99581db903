/* columns.c: the table: which columns a kind of study has, in their order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/columns.h"
#include "study/reference.h"
#include "study/rows.h"

__attribute__((format(printf, 6, 7))) static void add(cst_columns *c, const cst_plan *p, bool text, bool shown, const char *doc,
                                                      const char *format, ...) {
  va_list a;
  if (c->n == c->capacity) {
    c->capacity = c->capacity ? 2 * c->capacity : 64;
    c->column = cst_need(realloc(c->column, sizeof *c->column * (size_t)c->capacity));
  }
  cst_column *x = &c->column[c->n++];
  memset(x, 0, sizeof *x);
  va_start(a, format);
  vsnprintf(x->name, sizeof x->name, format, a);
  va_end(a);
  snprintf(x->unit, sizeof x->unit, "1");
  x->doc = doc;
  x->text = text;
  x->shown = shown;
  if (text)
    x->label = cst_need(calloc((size_t)p->ncase, sizeof *x->label));
  else
    x->value = cst_need(calloc((size_t)p->ncase, sizeof *x->value));
  for (int i = 0; i < p->ncase && !text; i++) x->value[i] = NAN;
}
#define NUMBER(...) add(c, p, false, __VA_ARGS__)
#define TEXT(...)   add(c, p, true, __VA_ARGS__)

static void common(cst_columns *c, const cst_plan *p) {
  const cst_study *s = p->study;
  TEXT(false, "system", "system");
  TEXT(true, "method expression", "method");
  NUMBER(true, "nominal step", "step");
  for (int k = 0; k < s->system->npar && s->nvariant > 1; k++)
    NUMBER(true, s->system->parameter[k].doc, "%s", s->system->parameter[k].name);
  if (s->ntolerance > 1) NUMBER(true, "tolerance of the solver", "tolerance");
  NUMBER(s->members > 1, "trajectories of the case", "members");
  NUMBER(s->members > 1, "trajectories that failed", "failed");
  NUMBER(false, "iterations of the solver, a step and member", "iterations_mean");
  NUMBER(false, "evaluations of the force, a step and member", "evaluations_per_step");
  NUMBER(false, "one step in so many was observed, for maxima, means and drift", "observe");
}

static void fit(cst_columns *c, const cst_plan *p, bool shown, const char *of) {
  NUMBER(shown, "fitted order of the method", "order%s", of);
  NUMBER(false, "lower end of the order's interval", "order_low%s", of);
  NUMBER(false, "upper end of the order's interval", "order_high%s", of);
  TEXT(shown, "ok | pre-asymptotic | plateau | too-few | returns | contradicts", "flag%s", of);
}

static void order(cst_columns *c, const cst_plan *p) {
  static const char *const parts[] = {"", "_q", "_p", "_lambda"};
  const bool               many = p->study->members > 1;
  for (int k = 0; k < CST_ERRORS; k++) NUMBER(k < 3, "error against the reference, largest over the members", "error%s", parts[k]);
  for (int k = 0; k < CST_ERRORS && many; k++)
    NUMBER(false, "error against the reference, root mean square over the members", "error%s_rms", parts[k]);
  for (int k = 0; k < CST_ERRORS; k++) NUMBER(k == 1 || k == 2, "order between this step and the next larger one", "rate%s", parts[k]);
  for (int k = 0; k < CST_ERRORS; k++) fit(c, p, k == 1 || k == 2, parts[k]);
  for (int k = 0; k < CST_ERRORS; k++) NUMBER(false, "order that the method claims", "claimed%s", parts[k]);
  for (int k = 0; k < CST_ERRORS; k++)
    NUMBER(k == 0 && p->study->reference == CST_REFERENCE_METHOD, "error of the reference at twice its step, against itself",
           "reference_error%s", parts[k]);
  NUMBER(false, "largest |E - E(0)|", "energy_max");
  NUMBER(false, "largest |J - J(0)| of all momenta", "momentum_max");
}

static const char verdicts[] = "exact | frozen | bounded | random-walk | linear | quadratic | exponential | linear (round-off) | escaped | "
                               "failed | undecided",
                  whys[] = "few-windows | slow | wide | one-member | swelling | weak | between | no-power: why a verdict is undecided";

static void growth_of(cst_columns *c, const cst_plan *p, const cst_quantity *x, bool first) {
  if (x->drifts) NUMBER(true, "largest |x - x(0)|", "%s_max", x->name);
  NUMBER(false, "scale of the quantity: mean over the run of the size of its terms", "%s_scale", x->name);
  NUMBER(first, "slope of the mean drift against time", "%s_slope", x->name);
  NUMBER(false, "standard error of the slope", "%s_slope_error", x->name);
  NUMBER(false, "root mean square over the members of their own slopes", "%s_slope_rms", x->name);
  NUMBER(false, "a drift beyond it, per unit of time, is excluded at 95 %", "%s_drift_limit", x->name);
  NUMBER(first, "exponent of the growth of the drift", "%s_exponent", x->name);
  NUMBER(false, "lower end of the exponent's interval", "%s_exponent_low", x->name);
  NUMBER(false, "upper end of the exponent's interval", "%s_exponent_high", x->name);
  TEXT(true, verdicts, "%s_verdict", x->name);
  TEXT(false, whys, "%s_why", x->name);
}

static void growth(cst_columns *c, const cst_plan *p) {
  NUMBER(false, "end of the run", "end");
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged) growth_of(c, p, &p->quantity[k], k == 0);
}

static void ensemble(cst_columns *c, const cst_plan *p) {
  for (int k = 0; k < p->nquantity; k++) {
    const char *name = p->quantity[k].name;
    if (!p->quantity[k].drifts && strcmp(name, "displacement")) continue;
    NUMBER(true, "mean at the end", "%s_mean", name);
    NUMBER(true, "root mean square at the end", "%s_rms", name);
    NUMBER(false, "5 % quantile at the end", "%s_q05", name);
    NUMBER(false, "25 % quantile at the end", "%s_q25", name);
    NUMBER(false, "median at the end", "%s_q50", name);
    NUMBER(false, "75 % quantile at the end", "%s_q75", name);
    NUMBER(false, "95 % quantile at the end", "%s_q95", name);
    if (p->quantity[k].drifts) NUMBER(k == 0, "largest |x - x(0)|", "%s_max", name);
  }
}

static void constraints(cst_columns *c, const cst_plan *p) {
  NUMBER(false, "largest |g_j|", "constraint_max");
  NUMBER(true, "largest |g_j| / s_j", "constraint_scaled_max");
  NUMBER(false, "largest |G v|, in the norm over the constraints that error: {hidden: ...} names", "hidden_max");
  NUMBER(true, "largest |(G v)_j|, scaled", "hidden_scaled_max");
  if (p->study->kind != CST_ORDER) NUMBER(p->study->kind == CST_CONSERVATION, "largest |q(t) - q(0)|", "displacement");
}

cst_columns *cst_columns_create(const cst_plan *p) {
  cst_columns *c = cst_need(calloc(1, sizeof *c));
  common(c, p);
  if (p->study->kind == CST_ORDER) order(c, p);
  if (p->study->kind == CST_CONSERVATION) growth(c, p);
  if (p->study->kind == CST_ENSEMBLE) ensemble(c, p);
  constraints(c, p);
  if (p->study->kind == CST_ORDER) {
    NUMBER(false, "order of hidden_max between this step and the next larger one", "rate_hidden");
    fit(c, p, false, "_hidden");
  }
  return c;
}

void cst_columns_destroy(cst_columns *c) {
  if (!c) return;
  for (int i = 0; i < c->n; i++) {
    free(c->column[i].value);
    free(c->column[i].label);
  }
  free(c->column);
  free(c);
}

static cst_column *find(cst_columns *c, const char *name) {
  for (int i = 0; i < c->n; i++)
    if (!strcmp(c->column[i].name, name)) return &c->column[i];
  return NULL;
}

double *cst_columns_value(cst_columns *c, const char *name) {
  cst_column *x = find(c, name);
  return x ? x->value : NULL;
}

void cst_columns_label(cst_columns *c, const char *name, int i, const char *text) {
  cst_column *x = find(c, name);
  if (!x || !x->label) fprintf(stderr, "constella: no column %s of words is declared\n", name), abort();
  snprintf(x->label[i], sizeof x->label[i], "%s", text);
}
