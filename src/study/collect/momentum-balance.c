/* momentum-balance.c: the collector `momentum-balance`: how well single steps satisfy the momentum equation of
 * symmetries, and of directions that turn (momentum-balance-find.c).
 *
 * After every `every` a copy of each trajectory makes one step, with all that substeps keep, and the equation is
 * evaluated between its two states. The largest defects, their floors and the largest change of each momentum
 * are kept.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/momentum-balance.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/companions.h"
#include "study/collect/tangent-numbers.h"
#include "study/collect/tangent.h"
#include "study/plan/clock.h"
#include "study/result/parts.h"

/* Of momentum k figure i is number k CST_BALANCE_FIGURES + i; behind them the same over all momenta. */
/* clang-format off */
static const cst_channel_row largest = {"/momentum-balance/%s", NULL, NULL, CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

static const struct {
  const char *ending, *doc;
  bool        integral, change; /* whose it is */
} figures[CST_BALANCE_FIGURES] = {
    [CST_BALANCE_DISCRETE] = {"max", "largest defect of the discrete momentum equation in a step",
                              false, false},
    [CST_BALANCE_DISCRETE_FLOOR] = {"floor", "round-off of that defect", false, false},
    [CST_BALANCE_INTEGRAL] = {"integral_max",
                              "largest defect of the momentum equation, integrated over a step",
                              true, false},
    [CST_BALANCE_INTEGRAL_FLOOR] = {"integral_floor", "round-off of that defect", true, false},
    [CST_BALANCE_CHANGE] = {"change_max", "largest change of the momentum in a step", true, true},
};

static const cst_balances *wish_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(momentum_balance)];
}

static bool wanted(const cst_plan *p) { return wish_of(p)->asked; }

static bool has(const cst_plan *p, int figure) {
  const cst_balances *w = wish_of(p);
  if (!w->asked || figures[figure].change)
    return w->asked;
  return figures[figure].integral ? w->integral : w->discrete;
}

/* Momenta, and one for all of them. */
static int rows_of(const cst_plan *p) { return wanted(p) ? wish_of(p)->n + 1 : 0; }

static void name_of(const cst_plan *p, int k, int figure, char *name, size_t n) {
  const cst_balances *w = wish_of(p);
  if (k < w->n)
    snprintf(name, n, "balance_%s_%s", w->name[k], figures[figure].ending);
  else
    snprintf(name, n, "momentum-balance_%s", figures[figure].ending);
}

static double steps(const cst_plan *p, const cst_class *k) {
  const double of_scalars = 30; /* the equation in scalars, in steps */
  return wanted(p) ? (1 + of_scalars) / (double)cst_tangent_steps(p, k) : 0;
}

static double lanes(const cst_plan *p) { return wanted(p) ? 1 : 0; }

static void tell(const cst_plan *p, FILE *out) {
  const cst_balances *w = wish_of(p);
  if (!w->asked)
    return;
  fprintf(out, "%-14s ", "balance of");
  for (int k = 0; k < w->n; k++)
    fprintf(out, "%s%s", k ? ", " : "", w->name[k]);
  fprintf(out, "\n");
  for (int i = 0; w->discrete && i < p->study->nmethod; i++) {
    const char *why = cst_momenta_refusal(p->study->method[i], p->study->system);
    if (why)
      fprintf(out, "%-14s by the integral only: %s %s\n", "", cst_method_label(p->study->method[i]),
              why);
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  char name[96];
  for (int k = 0; k < rows_of(p); k++)
    for (int i = 0; i < CST_BALANCE_FIGURES; i++) {
      if (!has(p, i))
        continue;
      name_of(p, k, i, name, sizeof name);
      cst_channels_add(c, &largest, k * CST_BALANCE_FIGURES + i,
                       (cst_channel_use){.name = name, .unit = "1", .doc = figures[i].doc});
    }
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_companions c;
  cst_balance  **of; /* [nmethod], made when first needed */
  double        *x, *y, *figure;
} own;

static void create(cst_collection *x) {
  own            *o = x->own;
  const cst_plan *p = x->run->plan;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_create(&o->c, x->run, 1));
  o->of = cst_zeros(p->study->nmethod, sizeof *o->of);
  o->x = cst_zeros((size_t)cst_plan_state_numbers(p), sizeof(double));
  o->y = cst_zeros((size_t)cst_plan_state_numbers(p), sizeof(double));
  o->figure = cst_zeros((size_t)(rows_of(p) * CST_BALANCE_FIGURES), sizeof(double));
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_destroy(&o->c));
  for (int i = 0; i < x->run->plan->study->nmethod; i++)
    cst_balance_destroy(o->of[i]);
  free(o->of);
  free(o->x);
  free(o->y);
  free(o->figure);
}

static double *number_of(const cst_runner *r, int which, long lane) {
  return cst_rows_numbers(r->rows, &largest, which, lane);
}

/* Methods without the discrete equation have no number of it. */
static void begin(cst_collection *x) {
  own            *o = x->own;
  cst_runner     *r = x->run;
  const cst_plan *p = r->plan;
  const int       method = r->class->method;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_companions_begin(&o->c));
  if (!o->of[method])
    o->of[method] = cst_balance_create(wish_of(p), p->method[method]);
  const bool discrete = !cst_momenta_refusal(p->study->method[method], p->study->system);
  for (long l = 0; l < r->work->count; l++)
    for (int k = 0; k < rows_of(p); k++)
      for (int i = 0; i < CST_BALANCE_FIGURES; i++)
        if (has(p, i))
          *number_of(r, k * CST_BALANCE_FIGURES + i, l) = figures[i].integral || discrete ? 0 : NAN;
}

static double larger(double a, double b) { return a >= b || isnan(a) ? a : b; }

static void take(const own *o, cst_runner *r, long lane) {
  const int all = rows_of(r->plan) - 1;
  for (int k = 0; k < all; k++)
    for (int i = 0; i < CST_BALANCE_FIGURES; i++) {
      if (!has(r->plan, i))
        continue;
      const double x = o->figure[k * CST_BALANCE_FIGURES + i];
      double      *one = number_of(r, k * CST_BALANCE_FIGURES + i, lane);
      double      *most = number_of(r, all * CST_BALANCE_FIGURES + i, lane);
      *one = larger(*one, x);
      *most = larger(*most, x);
      if (isnan(x))
        *one = *most = NAN;
    }
}

/* The equation between the two states of a lane. */
static void look(own *o, cst_runner *r, long lane) {
  const int     nq = r->plan->study->system->nq;
  const double *c = cst_plan_parameters(r->plan, cst_runner_case(r, lane)->variant);
  cst_companions_get(&o->c, cst_companions_base(&o->c, lane), o->x);
  cst_companions_get(&o->c, cst_companions_column(&o->c, lane, 0), o->y);
  const cst_momenta_step k = {.t = cst_clock_at(r->class, (double)r->b->step),
                              .h = r->class->h,
                              .q0 = o->x,
                              .p0 = o->x + nq,
                              .q1 = o->y,
                              .p1 = o->y + nq};
  for (int i = 0; i < rows_of(r->plan) * CST_BALANCE_FIGURES; i++)
    o->figure[i] = NAN;
  if (cst_companions_live(&o->c, lane))
    cst_balance_find(o->of[r->class->method], c, &k, o->figure);
  take(o, r, lane);
}

static cst_error stop(cst_collection *x) {
  own        *o = x->own;
  cst_runner *r = x->run;
  if (r->replayed || r->b->step % cst_tangent_steps(r->plan, r->class))
    return 0;
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      cst_companions_copy(&o->c, l, 0);
  o->c.b->step = r->b->step;
  CST_TRY(cst_companions_advance(&o->c, 1));
  for (long l = 0; l < r->work->count; l++)
    if (cst_runner_lives(r, r->b, l))
      look(o, r, l);
  cst_companions_rest(&o->c);
  return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Shown: those over all momenta, but for the change; of a single momentum there are no others. */
static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  const int          all = rows_of(p) - 1;
  cst_number_column *to = cst_zeros((size_t)((all + 1) * CST_BALANCE_FIGURES), sizeof *to);
  char               name[96];
  for (int k = all; k >= 0; k--)
    for (int i = 0; i < CST_BALANCE_FIGURES; i++) {
      if (!has(p, i))
        continue;
      const bool  shown = k == all && !figures[i].change;
      const char *of = k < all ? wish_of(p)->name[k] : "momentum-balance";
      name_of(p, k, i, name, sizeof name);
      to[k * CST_BALANCE_FIGURES + i] = cst_columns_number(
          c, cst_columns_shown(shown, "map-property", of), figures[i].doc, "%s", name);
    }
  return to;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_number_column *to = handles;
  for (int k = 0; k < rows_of(rows->plan); k++)
    for (int i = 0; i < CST_BALANCE_FIGURES; i++) {
      const int which = k * CST_BALANCE_FIGURES + i;
      if (has(rows->plan, i))
        CST_TRY(cst_parts_largest(rows, &largest, which, to[which]));
    }
  return 0;
}

const cst_collector cst_collector_momentum_balance = {
    .name = "momentum-balance",
    .doc = "defects of the momentum equation in a step",
    .keys = cst_balances_keys,
    .wish = sizeof(cst_balances),
    .read = cst_balances_read,
    .forget = cst_balances_forget,
    .steps = steps,
    .lanes = lanes,
    .tell = tell,
    .declare = declare,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .next = cst_tangent_next,
    .stop = stop,
    .columns = columns,
    .conclude = conclude,
    .figures = "momentum-balance",
};
