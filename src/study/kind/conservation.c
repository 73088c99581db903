/* conservation.c: the kind of study `conservation`: drift of energy, momenta, constraints and the user's
 * quantities over long times, and the verdicts on it (docs/verdicts.md). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/judge.h"
#include "study/rows/kind.h"
#include "study/result/parts.h"

typedef struct {
  cst_extreme_columns extremes; /* only for quantities that drift */
  cst_number_column   scale, slope, slope_error, slope_rms, limit, exponent, low, high;
  cst_number_column   settled_change, settled_at, end_change;
  cst_number_column   significance, round_off; /* for the pass over the table */
  cst_text_column     verdict, law, why;
} growth_columns;

typedef struct {
  cst_error_columns      error; /* only with a reference */
  cst_number_column      displacement;
  cst_constraint_columns constraints;
  growth_columns         growth[]; /* [nquantity], used for quantities that are judged */
} columns;

static const char
    verdicts[] = "exact | frozen | bounded | random-walk | linear | quadratic | exponential | "
                 "linear (round-off) | drifts | settled | escaped | failed | undecided",
    laws[] =
        "linear | quadratic | random-walk | exponential: the law of the growth, where it is told",
    whys[] = "few-windows | wide | one-member | swelling | weak | between | no-power | not-finite: "
             "why a verdict is undecided, or why the law of a drift is not told";

/* ---- columns --------------------------------------------------------------------------------- */

/* The column NAME_ENDING of a quantity. */
static cst_number_column number(cst_columns *c, const cst_quantity *q, bool shown, const char *role,
                                const char *ending, const char *doc) {
  return cst_columns_number(c, cst_columns_shown(shown, role, q->name), doc, "%s_%s", q->name,
                            ending);
}

static void declare_growth(const cst_plan *p, cst_columns *c, int k, growth_columns *x) {
  const cst_quantity *q = &p->quantity[k];
  const bool          first = k == 0;
  if (q->drifts)
    x->extremes = cst_parts_extremes_declare(p, c, k, true);
  x->scale =
      number(c, q, false, "scale", "scale",
             "scale of the quantity: mean over the run of the magnitude of its terms; where it "
             "has settled, the largest before it had changed by half of that");
  x->slope = number(c, q, first, "slope", "slope", "slope of the mean drift against time");
  x->slope_error = number(c, q, false, "slope-error", "slope_error", "standard error of the slope");
  x->slope_rms =
      number(c, q, false, "slope-rms", "slope_rms", "root mean square of the members' slopes");
  x->limit = number(c, q, false, "drift-limit", "drift_limit",
                    "a larger drift per unit of time is excluded at 95 %");
  x->exponent = number(c, q, first, "exponent", "exponent", "exponent of the growth of the drift");
  x->low =
      number(c, q, false, "exponent-low", "exponent_low", "lower end of the exponent's interval");
  x->high =
      number(c, q, false, "exponent-high", "exponent_high", "upper end of the exponent's interval");
  x->verdict = cst_columns_text(c, cst_columns_shown(true, "verdict", q->name), verdicts,
                                "%s_verdict", q->name);
  x->law = cst_columns_text(c, cst_columns_use("law", q->name), laws, "%s_law", q->name);
  x->why = cst_columns_text(c, cst_columns_use("why", q->name), whys, "%s_why", q->name);
  x->significance =
      number(c, q, false, "significance", "significance",
             "significance of a drift whatever its law, in deviations; 0: another verdict holds");
  x->settled_change = number(c, q, false, "settled-change", "settled_change",
                             "settled: how far the mean of the last quarter is from the start");
  x->settled_at = number(c, q, false, "settled-at", "settled_at",
                         "settled: from when on the mean is there to a quarter of the change");
  x->end_change = number(c, q, false, "end-change", "end_change",
                         "|x(T) - x(0)| at the end of the run over the scale of the quantity");
  x->round_off =
      number(c, q, false, "round-off", "round_off",
             "whether a linear growth is round-off: 0 no, 1 if half the step makes it no "
             "smaller, 2 yes");
}

static void *declare(const cst_plan *p, cst_columns *c) {
  columns *x = cst_need(calloc(1, sizeof *x + sizeof *x->growth * (size_t)p->nquantity));
  if (p->study->reference.kind != CST_REFERENCE_NONE)
    cst_parts_errors_declare(p, c, &x->error);
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged)
      declare_growth(p, c, k, &x->growth[k]);
  cst_parts_constraints_declare(c, &x->constraints);
  x->displacement = cst_parts_displacement_declare(c, true);
  return x;
}

/* ---- conclusions ----------------------------------------------------------------------------- */

static void say_growth(const growth_columns *x, int i, const cst_growth *g) {
  cst_column_say(x->verdict, i, cst_growth_verdict_names[g->verdict]);
  cst_column_say(x->law, i, g->law == CST_UNDECIDED ? "" : cst_growth_verdict_names[g->law]);
  cst_column_say(x->why, i, cst_growth_why_names[g->why]);
}

/* If a member failed, there is no verdict on the others: only their slope, exponent and law are reported. */
static void write_growth(const growth_columns *x, int i, cst_growth *g, bool failed) {
  if (failed) {
    g->verdict = CST_FAILED;
    g->why = CST_WHY_NONE;
    g->change = g->at = NAN;
    g->drift = 0;
    g->by_round_off = CST_ROUND_OFF_NOT;
  }
  cst_column_set(x->slope, i, g->slope);
  cst_column_set(x->slope_error, i, g->slope_error);
  cst_column_set(x->slope_rms, i, g->slope_rms);
  cst_column_set(x->limit, i, g->limit);
  cst_column_set(x->exponent, i, g->exponent);
  cst_column_set(x->low, i, g->low);
  cst_column_set(x->high, i, g->high);
  cst_column_set(x->significance, i, g->drift);
  cst_column_set(x->settled_change, i, g->change);
  cst_column_set(x->settled_at, i, g->at);
  cst_column_set(x->end_change, i, g->end_change);
  cst_column_set(x->round_off, i, g->by_round_off);
  say_growth(x, i, g);
}

static cst_error conclude_quantity(cst_case_rows *rows, const growth_columns *x, int k,
                                   cst_journey *j, bool failed) {
  const int           i = rows->icase;
  const cst_quantity *q = &rows->plan->quantity[k];
  bool                observed = false;
  cst_growth          growth;
  if (q->drifts)
    CST_TRY(cst_parts_extremes_conclude(rows, k, &x->extremes));
  if (q->windows)
    CST_TRY(cst_judge_journey(rows, j, k, &observed, &growth));
  if (!observed)
    return 0;
  cst_column_set(x->scale, i,
                 cst_case_rows_largest(growth.verdict == CST_SETTLED ? j->terms : j->scale,
                                       rows->plan->study->ensemble.members));
  write_growth(x, i, &growth, failed);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns  *x = handles;
  const cst_plan *p = rows->plan;
  cst_journey     j;
  if (p->study->reference.kind != CST_REFERENCE_NONE)
    CST_TRY(cst_parts_errors_conclude(rows, &x->error));
  CST_TRY(cst_judge_journey_create(p->study->ensemble.members, &j));
  CST_TRY(cst_judge_journey_begin(rows, &j));
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged)
      CST_TRY(conclude_quantity(rows, &x->growth[k], k, &j, rows->failed > 0));
  CST_TRY(cst_judge_journey_destroy(&j));
  CST_TRY(cst_parts_constraints_conclude(rows, &x->constraints));
  CST_TRY(cst_parts_displacement_conclude(rows, x->displacement));
  return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int word_of(const char *const *names, int n, const char *text) {
  int k = 0;
  while (k < n && strcmp(names[k], text))
    k++;
  return k;
}

/* What the pass over the case found, from its columns; false: no verdict. What an earlier pass over the table
 * set is taken back. */
static bool read_growth(const growth_columns *x, int i, cst_growth *g) {
  const char *verdict = x->verdict.label[i];
  if (!*verdict)
    return false;
  *g = (cst_growth){
      .verdict = (cst_verdict)word_of(cst_growth_verdict_names, CST_VERDICTS, verdict),
      .law = (cst_verdict)word_of(cst_growth_verdict_names, CST_UNDECIDED, x->law.label[i]),
      .why = (cst_why)word_of(cst_growth_why_names, CST_WHYS, x->why.label[i]),
      .slope = cst_column_get(x->slope, i),
      .drift = cst_column_get(x->significance, i),
      .by_round_off = (cst_round_off)cst_column_get(x->round_off, i),
  };
  if (g->by_round_off != CST_ROUND_OFF_NOT)
    g->verdict = CST_LINEAR_ROUND_OFF;
  return true;
}

/* What was found on one quantity with the steps that follow, of cases that differ in nothing else. */
typedef struct {
  cst_growth growth[2]; /* of the case that follows, and with the next smaller step */
  double     step[2];
  bool       known[2];
} finer_steps;

/* Cases are ordered from the largest step to the smallest, and are read from the last one. */
static const cst_growth *next_finer(finer_steps *f, double step) {
  if (f->known[0] && f->step[0] < step) {
    f->growth[1] = f->growth[0];
    f->step[1] = f->step[0];
    f->known[1] = true;
  }
  return f->known[1] ? &f->growth[1] : NULL;
}

/* The case before, if it has a larger step. */
static const cst_growth *next_coarser(const cst_plan *p, const growth_columns *x, int i,
                                      cst_growth *g) {
  if (i % p->study->steps.n == 0 || !(p->cases[i - 1].h > p->cases[i].h))
    return NULL;
  return read_growth(x, i - 1, g) ? g : NULL;
}

static void conclude_column(const cst_plan *p, const growth_columns *x, long verdicts) {
  finer_steps f = {.known = {false, false}};
  cst_growth  g, coarser;
  for (int i = p->ncase - 1; i >= 0; i--) {
    const double step = p->cases[i].h;
    if ((i + 1) % p->study->steps.n == 0)
      f.known[0] = f.known[1] = false;
    if (!read_growth(x, i, &g))
      continue;
    cst_growth_conclude(&g, next_finer(&f, step), next_coarser(p, x, i, &coarser), verdicts);
    say_growth(x, i, &g);
    f.growth[0] = g;
    f.step[0] = step;
    f.known[0] = true;
  }
}

static cst_error conclude_table(const cst_plan *p, const void *handles) {
  const columns *x = handles;
  long           judged = 0;
  for (int k = 0; k < p->nquantity; k++)
    judged += p->quantity[k].judged;
  for (int k = 0; k < p->nquantity; k++)
    if (p->quantity[k].judged)
      conclude_column(p, &x->growth[k], judged * p->ncase);
  return 0;
}

const cst_kind cst_kind_conservation = {
    .name = "conservation",
    .doc = "drift of energy, momenta and constraints over long times; verdicts",
    .needs = CST_NEEDS_WINDOWS | CST_NEEDS_EQUAL_STEPS,
    .figures = "drift,constraint,work-energy",
    .declare = declare,
    .conclude = conclude,
    .conclude_table = conclude_table,
};
