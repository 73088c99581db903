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
#include "study/collect/shadow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/tangent.h"
#include "study/file/reader.h"
#include "study/runner/runner-internal.h"

enum { REACH = CST_SHADOW_REACH, KEPT = 2 * REACH + 1, ORDERS = CST_SHADOW_ORDERS };
const int           cst_shadow_order[ORDERS] = {4, 8, 12};
static const double derivative[ORDERS][REACH] = {
    {2. / 3, -1. / 12},
    {4. / 5, -1. / 5, 4. / 105, -1. / 280},
    {6. / 7, -15. / 56, 5. / 63, -1. / 56, 1. / 385, -1. / 5544},
};

/* clang-format off */
const cst_channel_row cst_channel_shadow = {"/energy-shadow/figures", "1", "of the energy and of the shadow energy at observed steps", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_shadow_windows = {"/energy-shadow/windows", "1", "mean of x - x(0) over a window, of the shadow energy of order 8", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_WINDOW, CST_AXIS_NONE}, {0}};
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
} wish;

static const char *refusal(const cst_system *s) {
  if (s->nvel)
    return "has constraints on velocities, and no action that its steps make stationary";
  if (s->general || s->nmass == 0)
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
  wish            *w = own;
  const cst_study *s = r->s;
  cst_yaml        *n = cst_tangent_entry(r, measures->name);
  const char      *why = n && s->system ? refusal(s->system) : NULL;
  w->asked = n != NULL;
  if (why)
    cst_yaml_error(r->doc, n, r->d, "'%s': %s %s", measures->name, s->system->name, why);
  for (int i = 0; n && i < s->nmethod; i++)
    if (s->method[i] && !shares_of(s->method[i])) {
      cst_yaml_error(r->doc, n, r->d,
                     "'%s': it is known for rattle, euler-a and euler-b, and not for %s, of whose "
                     "steps the states at their ends do not tell the action",
                     measures->name, cst_method_label(s->method[i]));
      return;
    }
}

static void check(cst_reader *r, const void *own) {
  const wish *w = own;
  if (w->asked && r->s->extensible)
    cst_yaml_error(r->doc, cst_yaml_get(r->root, "extensible"), r->d,
                   "'extensible' cannot be combined with '%s', whose windows would move with its "
                   "end",
                   measures->name);
}

/* ---- the plan -------------------------------------------------------------------------------- */

bool cst_shadow_wanted(const cst_plan *p) {
  return ((const wish *)p->study->collected[CST_COLLECTOR(shadow)])->asked;
}

static size_t state_size(const cst_plan *p) { return STATE + 2 * (size_t)p->study->system->nq; }

static cst_demand demand(const cst_plan *p) {
  static const double per_number = 2, windows = 4 * CST_WINDOWS;
  const bool          on = cst_shadow_wanted(p);
  return (cst_demand){.nanoseconds = on ? per_number * (double)state_size(p) : 0,
                      .concludes = on ? windows : 0};
}

static void tell(const cst_plan *p, FILE *out) {
  if (cst_shadow_wanted(p))
    fprintf(out, "%-14s of orders 4, 8 and 12, from every step\n", measures->name);
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[CST_SHADOW_FIGURES] = {"range of energy",
                                                        "range of order 4",
                                                        "range of order 8",
                                                        "range of order 12",
                                                        "spread",
                                                        "start",
                                                        "last",
                                                        "drift",
                                                        "scale"};
  if (!cst_shadow_wanted(p))
    return;
  const int axis = cst_channels_axis(c, "figure", CST_SHADOW_FIGURES, "shadow_figure");
  cst_channels_label(c, axis, names);
  cst_channels_add(c, &past, 0, (cst_channel_use){.count = RING + KEPT * state_size(p)});
  cst_channels_add(c, &cst_channel_shadow, 0, (cst_channel_use){.axis = axis});
  cst_channels_add(c, &cst_channel_shadow_windows, 0, (cst_channel_use){0});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  double *past, *figure, *window; /* into the rows, from lane 0 on */
} own;

static void create(cst_collection *x) {
  own        *o = x->own;
  cst_runner *r = x->run;
  o->past = cst_rows_numbers(r->rows, &past, 0, 0);
  o->figure = cst_rows_numbers(r->rows, &cst_channel_shadow, 0, 0);
  o->window = cst_rows_numbers(r->rows, &cst_channel_shadow_windows, 0, 0);
  r->watch.momenta = true;
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
  memset(o->figure, 0, lanes * CST_SHADOW_FIGURES * sizeof *o->figure);
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
  double   *spread = figure + CST_SHADOW_SPREAD * W, *start = figure + CST_SHADOW_START * W,
         *drift = figure + CST_SHADOW_DRIFT * W;
  const double x = value[1 + CST_SHADOW_JUDGED];
  if (kept[COUNT * W] == 0)
    *start = x;
  for (int k = 0; k <= ORDERS; k++) {
    kept[(LEAST + k) * W] = fmin(kept[(LEAST + k) * W], value[k]);
    kept[(MOST + k) * W] = fmax(kept[(MOST + k) * W], value[k]);
    figure[(CST_SHADOW_ENERGY + k) * W] = kept[(MOST + k) * W] - kept[(LEAST + k) * W];
    for (int i = 1; i < k; i++)
      *spread = fmax(*spread, fabs(value[k] - value[i]));
  }
  kept[SIZES * W] += fabs(kinetic) + fabs(V - kept[ORIGIN * W]);
  kept[COUNT * W]++;
  kept[(COUNTS + window) * W]++;
  mean[window * W] += x - *start;
  *drift = fmax(*drift, fabs(x - *start));
  figure[CST_SHADOW_LAST * W] = x;
  figure[CST_SHADOW_SCALE * W] = kept[SIZES * W] / kept[COUNT * W];
}

static void observe(const own *o, const cst_runner *r, int group, const group_of *g, long step) {
  const int W = g->W;
  double    all[(1 + ORDERS) * CST_W_MAX], kinetic[CST_W_MAX], value[1 + ORDERS];
  double   *figure = o->figure + (size_t)group * CST_SHADOW_FIGURES * (size_t)W;
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
  s->kernel[view->isa][CST_K_V](s->kernel_self[view->isa], c, q, NULL, NULL, NULL, NULL, to);
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
  const cst_system *s = r->plan->study->system;
  const int         alive = r->b->alive[group], W = r->width;
  const group_of    g = {.W = W,
                         .nq = s->nq,
                         .size = state_size(r->plan),
                         .past = past_of(o, r, group),
                         .mass = view->record + view->context->at.mass * W,
                         .class = s->mass_class,
                         .of = shares_of(r->plan->study->method[r->class->method]),
                         .h = r->class->h};
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
      double       *figure = o->figure + (size_t)g * CST_SHADOW_FIGURES * (size_t)W + l;
      const bool    any = past_of(o, r, g)[COUNT * W + l] > 0;
      for (int w = 0; w < CST_WINDOWS; w++)
        mean[w * W] = count[w * W] > 0 ? mean[w * W] / count[w * W] : NAN;
      for (int k = 0; k < CST_SHADOW_FIGURES; k++)
        figure[k * W] = any ? figure[k * W] : NAN;
    }
  return 0;
}

const cst_collector cst_collector_shadow = {
    .name = "shadow",
    .doc = "shadow energies",
    .wish = sizeof(wish),
    .read = read,
    .check = check,
    .measures = measures,
    .demand = demand,
    .tell = tell,
    .declare = declare,
    .own = sizeof(own),
    .wanted = cst_shadow_wanted,
    .create = create,
    .begin = begin,
    .watch = watch,
    .finish = finish,
    .columns = cst_shadow_columns,
    .conclude = cst_shadow_conclude,
};
