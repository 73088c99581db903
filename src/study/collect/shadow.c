/* shadow.c: the collector `shadow`: the energy that a variational method keeps nearly, from states near by
 * on the trajectory.
 *
 * beta_(n+1) - beta_n = 2 L_d(q_n, q_(n+1)) - [q p]_n^(n+1), and with the derivatives at t_n of the
 * polynomials through the k + 1 states about it, k = 4, 8, 12,
 *   H_k = 1/2 (-beta' - q p' + p q'),   RATTLE: L_d = h (1/2 dq'M dq / h^2 - (V_n + V_(n+1))/2);
 * the methods of Euler have V at one end.
 * By pairs of states, q+ and q- being j steps behind and ahead and d the coefficients of the derivative,
 *   H_k = sum_j d_j (p (q+ - q-) + (q+ - q) p+ - (q- - q) p- - sum 2 L_d) / (2 h),
 * which does not depend on where the origin is. With constraints the same holds in the coordinates of the
 * study.
 *
 * Every step is kept until it is no longer near an observed one; at observed steps H_k is evaluated. Those of
 * less than 6 steps from an end of the run are left out.
 *
 * Source: Engle, Skeel, Drees, Monitoring energy drift with shadow Hamiltonians, J. Comput. Phys. 206 (2005).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/tangent.h"
#include "study/rows/collector.h"
#include "study/file/reader.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"
#include "study/result/judge.h"
#include "study/runner/runner.h"

/* Interpolants of so many orders; the points on either side of the largest, and the states that are kept. */
enum { ORDERS = 3, REACH = 6, KEPT = 2 * REACH + 1 };
/* The one of which the drift is judged. */
enum { JUDGED = 1 };

/* Figures of a trajectory: largest less least value of the energy and of the shadow energy of each order, the
 * largest distance between two orders; of the order that is judged the first and the last value, the largest
 * |x - x(0)| and the mean of |T| + |V - V(0)|. */
enum { ENERGY, RANGE, SPREAD = RANGE + ORDERS, START, LAST, DRIFT, SCALE, FIGURES };

static const int    order[ORDERS] = {4, 8, 12};
static const double derivative[ORDERS][REACH] = {
    {2. / 3, -1. / 12},
    {4. / 5, -1. / 5, 4. / 105, -1. / 280},
    {6. / 7, -15. / 56, 5. / 63, -1. / 56, 1. / 385, -1. / 5544},
};

/* clang-format off */
static const cst_channel_row channel_shadow = {"/energy-shadow/figures", "1", "of the energy and of the shadow energy at observed steps", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row channel_shadow_windows = {"/energy-shadow/windows", "1", "mean of x - x(0) over a window, of the shadow energy of order 8", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
static const cst_channel_row past = {"shadow", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
static const cst_measured measures[] = {
    {"energy-shadow", "the energy that a variational method keeps nearly, of orders 4, 8 and 12, and a verdict on it (docs/shadow.md)", false},
    {0},
};
/* clang-format on */

/* What is kept of a trajectory besides the states, [W] each. */
enum {
  STEPS, /* states that have been seen */
  LEAST, /* of the energy and of each order */
  MOST = LEAST + 1 + ORDERS,
  ORIGIN = MOST + 1 + ORDERS, /* V at the start */
  SIZES,                      /* sum of |T| + |V - V(0)| */
  COUNT,                      /* of the terms, and in each window */
  COUNTS,
  RING = COUNTS + CST_WINDOWS, /* states: V, the action of the step before it, q, p */
  ACTION = 1,
  STATE = 2
};

/* ---- the study file -------------------------------------------------------------------------- */

typedef struct {
  bool asked;
} request;

static const char *refusal(const cst_system *s) {
  if (s->model->nvel)
    return "has constraints on velocities, and no action that its steps make stationary";
  if (!cst_has(s, CST_SEPARABLE) || s->model->nmass == 0)
    return "has forces, an explicit time, a(q), or a mass that is no constant diagonal";
  return NULL;
}

/* The shares of V at both ends of a step in the discrete Lagrangian of a method. */
typedef struct {
  const char *method;
  double      before, behind;
} shares;

/* NULL: it has another one, or none. */
static const shares *shares_of(const cst_method *m) {
  static const shares known[] = {{"rattle", 0.5, 0.5}, {"euler-a", 1, 0}, {"euler-b", 0, 1}};
  const char         *label = cst_method_label(m);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const size_t n = strlen(known[i].method);
    if (!strncmp(label, known[i].method, n) && (label[n] == 0 || label[n] == '('))
      return &known[i];
  }
  return NULL;
}

static void read(cst_reader *r, void *own) {
  request         *w = own;
  const cst_study *s = r->s;
  cst_yaml        *n = cst_tangent_entry(r, measures->name);
  const char      *why = n && s->problem.system ? refusal(s->problem.system) : NULL;
  w->asked = n != NULL;
  if (why)
    cst_yaml_error(r->doc, n, r->d, "'%s': %s %s", measures->name, s->problem.system->name, why);
  for (int i = 0; n && i < s->methods.n; i++)
    if (s->methods.method[i] && !shares_of(s->methods.method[i])) {
      cst_yaml_error(r->doc, n, r->d,
                     "'%s': it is known for rattle, euler-a and euler-b, and not for %s, of whose "
                     "steps the states at their ends do not tell the action",
                     measures->name, cst_method_label(s->methods.method[i]));
      return;
    }
}

static void check(cst_reader *r, const void *own) {
  const request *w = own;
  if (w->asked && r->s->run.extensible)
    cst_yaml_error(r->doc, cst_yaml_get(r->root, "extensible"), r->d,
                   "'extensible' cannot be combined with '%s', whose windows would move with its "
                   "end",
                   measures->name);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) {
  return ((const request *)p->study->collected[CST_COLLECTOR(shadow)])->asked;
}

static size_t state_size(const cst_plan *p) {
  return STATE + 2 * (size_t)p->study->problem.system->nq;
}

static cst_demand demand(const cst_plan *p) {
  static const double per_number = 2, windows = 4 * CST_WINDOWS;
  const bool          on = wanted(p);
  return (cst_demand){.nanoseconds = on ? per_number * (double)state_size(p) : 0,
                      .concludes = on ? windows : 0};
}

static void tell(const cst_plan *p, FILE *out) {
  if (wanted(p))
    fprintf(out, "%-14s of orders 4, 8 and 12, from every step\n", measures->name);
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[FIGURES] = {"range of energy",
                                             "range of order 4",
                                             "range of order 8",
                                             "range of order 12",
                                             "spread",
                                             "start",
                                             "last",
                                             "drift",
                                             "scale"};
  if (!wanted(p))
    return;
  const int axis = cst_channels_axis(c, "figure", FIGURES, "shadow_figure");
  cst_channels_label(c, axis, names);
  cst_channels_add(c, &past, 0, (cst_channel_use){.count = RING + KEPT * state_size(p)});
  cst_channels_add(c, &channel_shadow, 0, (cst_channel_use){.axis = axis});
  cst_channels_add(c, &channel_shadow_windows, 0, (cst_channel_use){0});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  double *past, *figure, *window; /* into the rows, from lane 0 on */
} own;

static void create(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  o->past = cst_rows_numbers(r->rows, &past, 0, 0);
  o->figure = cst_rows_numbers(r->rows, &channel_shadow, 0, 0);
  o->window = cst_rows_numbers(r->rows, &channel_shadow_windows, 0, 0);
  cst_runner_watches(r, false, true, false);
}

static double *past_of(const own *o, const cst_runner *r, int group) {
  return o->past + (size_t)group * (RING + KEPT * state_size(r->plan)) * (size_t)r->width;
}

static void begin(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const size_t      W = (size_t)r->width, lanes = (size_t)r->b->groups * W;
  memset(o->past, 0, lanes * (RING + KEPT * state_size(r->plan)) * sizeof *o->past);
  memset(o->window, 0, lanes * CST_WINDOWS * sizeof *o->window);
  memset(o->figure, 0, lanes * FIGURES * sizeof *o->figure);
  for (int g = 0; g < r->b->groups; g++)
    for (size_t i = 0; i < (1 + ORDERS) * W; i++) {
      past_of(o, r, g)[LEAST * W + i] = INFINITY;
      past_of(o, r, g)[MOST * W + i] = -INFINITY;
    }
}

/* ---- states ---------------------------------------------------------------------------------- */

/* A group: what is kept of it, and the states about one. */
typedef struct {
  int           W, nq;
  size_t        size; /* of a state, [size][W] */
  double       *past;
  const double *mass;
  const int *class; /* of the mass of each coordinate */
  const shares *of;
  double        h;
} group_of;

static double *state_of(const group_of *g, long step) {
  return g->past + (RING + (size_t)(step % KEPT) * g->size) * (size_t)g->W;
}

/* Adds sum_i a_i (b_i - c_i) to sum[W]. */
static void add_product(const group_of *g, const double *a, const double *b, const double *c,
                        double sign, double *sum) {
  for (int i = 0; i < g->nq * g->W; i += g->W)
    for (int l = 0; l < g->W; l++)
      sum[l] += sign * (a[i + l] * (b[i + l] - c[i + l]));
}

/* 2 L_d of the step that ends at state `to`. */
static void find_action(const group_of *g, const double *from, double *to) {
  const int     W = g->W;
  const double *q0 = from + STATE * W, *q1 = to + STATE * W;
  double       *action = to + ACTION * W;
  memset(action, 0, (size_t)W * sizeof *action);
  for (int i = 0; i < g->nq; i++)
    for (int l = 0; l < W; l++) {
      const double d = q1[i * W + l] - q0[i * W + l];
      action[l] += g->mass[g->class[i] * W + l] * d * d;
    }
  for (int l = 0; l < W; l++)
    action[l] = action[l] / g->h - 2 * g->h * (g->of->before * from[l] + g->of->behind * to[l]);
}

/* The shadow energies x[ORDERS][W] at a step. */
static void find_shadow(const group_of *g, long step, double *x) {
  const int     W = g->W;
  const double *now = state_of(g, step), *q = now + STATE * W, *p = q + g->nq * W;
  double        action[CST_W_MAX] = {0};
  memset(x, 0, ORDERS * (size_t)W * sizeof *x);
  for (int j = 1; j <= REACH; j++) {
    const double *ahead = state_of(g, step + j), *behind = state_of(g, step - j);
    const double *above = ahead + STATE * W, *below = behind + STATE * W;
    const double *last = state_of(g, step - j + 1) + ACTION * W;
    double        sum[CST_W_MAX] = {0};
    add_product(g, p, above, below, 1, sum);
    add_product(g, above + g->nq * W, above, q, 1, sum);
    add_product(g, below + g->nq * W, below, q, -1, sum);
    for (int l = 0; l < W; l++) {
      action[l] += ahead[ACTION * W + l] + last[l];
      for (int k = 0; k < ORDERS; k++)
        x[k * W + l] += derivative[k][j - 1] * (sum[l] - action[l]) / (2 * g->h);
    }
  }
}

/* |T| and T + V at a step. */
static void find_energy(const group_of *g, long step, double *kinetic, double *energy) {
  const int     W = g->W;
  const double *now = state_of(g, step), *p = now + (STATE + g->nq) * W;
  memset(kinetic, 0, (size_t)W * sizeof *kinetic);
  for (int i = 0; i < g->nq; i++)
    for (int l = 0; l < W; l++)
      kinetic[l] += p[i * W + l] * p[i * W + l] / g->mass[g->class[i] * W + l];
  for (int l = 0; l < W; l++) {
    kinetic[l] *= 0.5;
    energy[l] = kinetic[l] + now[l];
  }
}

/* Takes the values of a lane into what is kept, and its figures. */
static void take(const group_of *g, int l, int window, const double *value, double kinetic,
                 double V, double *figure, double *mean) {
  const int W = g->W;
  double   *kept = g->past + l;
  double   *spread = figure + SPREAD * W, *start = figure + START * W, *drift = figure + DRIFT * W;
  const double x = value[1 + JUDGED];
  if (kept[COUNT * W] == 0)
    *start = x;
  for (int k = 0; k <= ORDERS; k++) {
    kept[(LEAST + k) * W] = fmin(kept[(LEAST + k) * W], value[k]);
    kept[(MOST + k) * W] = fmax(kept[(MOST + k) * W], value[k]);
    figure[(ENERGY + k) * W] = kept[(MOST + k) * W] - kept[(LEAST + k) * W];
    for (int i = 1; i < k; i++)
      *spread = fmax(*spread, fabs(value[k] - value[i]));
  }
  kept[SIZES * W] += fabs(kinetic) + fabs(V - kept[ORIGIN * W]);
  kept[COUNT * W]++;
  kept[(COUNTS + window) * W]++;
  mean[window * W] += x - *start;
  *drift = fmax(*drift, fabs(x - *start));
  figure[LAST * W] = x;
  figure[SCALE * W] = kept[SIZES * W] / kept[COUNT * W];
}

static void observe(const own *o, const cst_runner *r, int group, const group_of *g, long step) {
  const int W = g->W;
  double    all[(1 + ORDERS) * CST_W_MAX], kinetic[CST_W_MAX], value[1 + ORDERS];
  double   *figure = o->figure + (size_t)group * FIGURES * (size_t)W;
  double   *mean = o->window + (size_t)group * CST_WINDOWS * (size_t)W;
  find_energy(g, step, kinetic, all);
  find_shadow(g, step, all + W);
  for (int l = 0; l < W; l++) {
    if (!cst_runner_group_lives(r, group, l))
      continue;
    for (int k = 0; k <= ORDERS; k++)
      value[k] = all[k * W + l];
    take(g, l, cst_plan_class_window(r->class, step), value, kinetic[l], state_of(g, step)[l],
         figure + l, mean + l);
  }
}

/* Keeps the state after `step` steps. */
static void keep(const group_of *g, const cst_view *view, const cst_states *states, int i,
                 long step) {
  const cst_system *s = view->context->system;
  const double     *c = view->record + view->context->at.c * g->W;
  const size_t      W = (size_t)g->W, n = (size_t)g->nq * W;
  double           *to = state_of(g, step);
  const double     *q = states->q + (size_t)i * states->stride;
  const double     *p = states->p + (size_t)i * states->stride;
  s->code->kernel[view->isa][CST_K_V](s->code->kernel_self[view->isa], c, q, NULL, NULL, NULL, NULL,
                                      to);
  memcpy(to + STATE * W, q, n * sizeof *to);
  memcpy(to + STATE * W + n, p, n * sizeof *to);
  if (step > 0)
    find_action(g, state_of(g, step - 1), to);
  else
    memcpy(g->past + ORIGIN * W, to, W * sizeof *to);
  for (size_t l = 0; l < W; l++)
    g->past[STEPS * W + l] = (double)(step + 1);
}

static void watch(cst_collection *x, int group, const cst_view *view, const cst_states *states,
                  const long *step, int i) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const cst_system *s = r->plan->study->problem.system;
  const int         alive = r->b->alive[group], W = r->width;
  const group_of    g = {.W = W,
                         .nq = s->nq,
                         .size = state_size(r->plan),
                         .past = past_of(o, r, group),
                         .mass = view->record + view->context->at.mass * W,
                         .class = s->model->mass_class,
                         .of = shares_of(r->plan->study->methods.method[r->class->method]),
                         .h = cst_clock_step(r)};
  const long        centre = step[i] - REACH;
  if (!alive || g.past[STEPS * W + __builtin_ctz((unsigned)alive)] > (double)step[i])
    return;
  keep(&g, view, states, i, step[i]);
  if (centre >= REACH && cst_plan_class_fold_after(r->class, centre - 1) == centre)
    observe(o, r, group, &g, centre);
}

static cst_error finish(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  const int         W = r->width;
  for (int g = 0; g < r->b->groups; g++)
    for (int l = 0; l < W; l++) {
      const double *count = past_of(o, r, g) + COUNTS * W + l;
      double       *mean = o->window + (size_t)g * CST_WINDOWS * (size_t)W + l;
      double       *figure = o->figure + (size_t)g * FIGURES * (size_t)W + l;
      const bool    any = past_of(o, r, g)[COUNT * W + l] > 0;
      for (int w = 0; w < CST_WINDOWS; w++)
        mean[w * W] = count[w * W] > 0 ? mean[w * W] / count[w * W] : NAN;
      for (int k = 0; k < FIGURES; k++)
        figure[k * W] = any ? figure[k * W] : NAN;
    }
  return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* How much the shadow energy varies, and the verdict on its drift, where the orders agree. */

/* They agree if no two differ by more than this part of what the energy varies. */
#define AGREE 0.1

typedef struct {
  cst_number_column range[1 + ORDERS], spread, gain;
  cst_number_column slope, slope_error, limit;
  cst_text_column   verdict;
} columns_of;

static const char verdicts[] =
    "as energy_verdict, of order 8; orders-disagree: it tells nothing at this step, as its "
    "orders differ by more than a tenth of what the energy varies",
                  disagree[] = "orders-disagree";

static cst_number_column number(cst_columns *c, bool shown, const char *role, const char *ending,
                                const char *doc) {
  return cst_columns_number(c, cst_columns_shown(shown, role, "energy-shadow"), doc,
                            "energy-shadow_%s", ending);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  columns_of *x = cst_need(calloc(1, sizeof *x));
  x->range[0] = number(c, false, "range", "energy",
                       "largest less least energy T + V at the same steps, over members");
  for (int k = 0; k < ORDERS; k++)
    x->range[1 + k] =
        cst_columns_number(c, cst_columns_shown(true, "range", "energy-shadow"),
                           "largest less least shadow energy of this order, over members",
                           "energy-shadow_%d", order[k]);
  x->spread = number(c, false, "spread", "spread", "largest difference between two orders");
  x->gain = number(c, true, "gain", "gain",
                   "how many times less order 8 varies than the energy, the least over members");
  if (!cst_study_needs(p->study, CST_NEEDS_WINDOWS))
    return x;
  x->slope = number(c, false, "slope", "slope", "slope of the mean drift against time, of order 8");
  x->slope_error = number(c, false, "slope-error", "slope_error", "standard error of the slope");
  x->limit = number(c, false, "drift-limit", "drift_limit",
                    "a larger drift per unit of time is excluded at 95 %");
  x->verdict = cst_columns_text(c, cst_columns_shown(true, "verdict", "energy-shadow"), verdicts,
                                "%s", "energy-shadow_verdict");
  return x;
}

/* Arrays over members, NaN of those that did not reach the end. */
typedef struct {
  double *of[FIGURES], *means;
} figures;

static cst_error read_figures(cst_case_rows *rows, figures *f) {
  const long    n = rows->plan->study->ensemble.members;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &channel_shadow, 0, &x));
  for (int k = 0; k < FIGURES; k++) {
    f->of[k] = cst_zeros(n, sizeof(double));
    for (long m = 0; m < n; m++)
      f->of[k][m] = rows->good[m] ? x[m * FIGURES + k] : NAN;
  }
  f->means = cst_zeros(n * CST_WINDOWS, sizeof(double));
  CST_TRY(cst_case_rows_get(rows, &channel_shadow_windows, 0, &x));
  for (long i = 0; i < n * CST_WINDOWS; i++)
    f->means[i] = rows->good[i / CST_WINDOWS] ? x[i] : NAN;
  return 0;
}

static void forget(figures *f) {
  for (int k = 0; k < FIGURES; k++)
    free(f->of[k]);
  free(f->means);
}

/* Whether they agree, of all members that reached the end. */
static bool set_ranges(const figures *f, long n, int i, const columns_of *x) {
  double gain = INFINITY;
  bool   agree = true;
  for (int k = 0; k <= ORDERS; k++)
    cst_column_set(x->range[k], i, cst_case_rows_largest(f->of[ENERGY + k], n));
  cst_column_set(x->spread, i, cst_case_rows_largest(f->of[SPREAD], n));
  for (long m = 0; m < n; m++) {
    const double energy = f->of[ENERGY][m];
    gain = fmin(gain, energy / f->of[RANGE + JUDGED][m]);
    agree &= !(f->of[SPREAD][m] > AGREE * energy);
  }
  cst_column_set(x->gain, i, isfinite(gain) ? gain : NAN);
  return agree && isfinite(gain);
}

static cst_error judge(cst_case_rows *rows, figures *f, const columns_of *x) {
  const cst_case *c = &rows->plan->cases[rows->icase];
  const long      n = rows->plan->study->ensemble.members;
  const int       i = rows->icase;
  cst_journey     j;
  CST_TRY(cst_judge_journey_create(n, &j));
  CST_TRY(cst_judge_journey_begin(rows, &j));
  for (long m = 0; m < n; m++)
    f->of[LAST][m] -= f->of[START][m];
  const cst_long_run run = {.members = n,
                            .steps = c->n,
                            .end = cst_clock_of(c, (double)c->n),
                            .means = f->means,
                            .largest = f->of[DRIFT],
                            .scale = f->of[SCALE],
                            .start = f->of[START],
                            .last = f->of[LAST],
                            .moved = j.moved,
                            .away = j.away};
  cst_growth         g = cst_growth_estimate(&run);
  cst_growth_conclude(&g, NULL, NULL, rows->plan->ncase);
  cst_column_set(x->slope, i, g.slope);
  cst_column_set(x->slope_error, i, g.slope_error);
  cst_column_set(x->limit, i, g.limit);
  cst_column_say(x->verdict, i, cst_growth_verdict_names[g.verdict]);
  CST_TRY(cst_judge_journey_destroy(&j));
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const columns_of *x = handles;
  const long        n = rows->plan->study->ensemble.members;
  figures           f = {0};
  CST_TRY(read_figures(rows, &f));
  const bool agree = set_ranges(&f, n, rows->icase, x);
  if (!x->verdict.label) {
    forget(&f);
    return 0;
  }
  if (rows->failed)
    cst_column_say(x->verdict, rows->icase, cst_growth_verdict_names[CST_FAILED]);
  else if (!agree)
    cst_column_say(x->verdict, rows->icase, disagree);
  else
    CST_TRY(judge(rows, &f, x));
  forget(&f);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_shadow = {
    .name = "shadow",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "shadow energies",
    .keys = {.request = sizeof(request), .read = read, .check = check, .measures = measures},
    .plan = {.demand = demand, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own), .create = create, .begin = begin, .watch = watch, .finish = finish},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};
