/* map.c: discretization maps of the user: made from text, checked by differentiation, kept by their texts; and
 * the equations of a step by one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/texts/map.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/stepper/stepper-internal.h"
#include "system/field.h"

enum { N = CST_MAX_Q };

static bool is_retraction(const cst_wording *w) { return w->kind == CST_TEXT_POINT; }

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Reads the text of one side, or for it the point of a retraction; false with *e filled at the first mistake. */
static bool read_side(const cst_wording *w, int side, cst_graph *g, const cst_node *q,
                      const cst_node *v, int n, cst_node *out, cst_map_error *e) {
  const char *const *text = w->side[is_retraction(w) ? 0 : side];
  const double       by = side ? 1 - w->theta : -w->theta;
  cst_node           along[N];
  bool               good = true;
  for (int i = 0; i < n && is_retraction(w); i++)
    along[i] = cst_graph_mul(g, cst_graph_constant(g, by), v[i]);
  if (is_retraction(w))
    v = along;
  for (int i = 0; i < n && good; i++) {
    const cst_binding one[] = {{.name = "q", .node = q[i]}, {.name = "v", .node = v[i]}};
    const cst_binding all[] = {{.name = "q", .entry = q, .count = n},
                               {.name = "v", .entry = v, .count = n}};
    out[i] = cst_expr_parse(g, text[w->n ? i : 0], w->n ? all : one, 2, &e->error);
    good = out[i] >= 0;
    e->side = side;
    e->entry = w->n ? i : 0;
  }
  return good;
}

static bool read_sides(const cst_wording *w, cst_graph *g, const cst_node *q, const cst_node *v,
                       int n, cst_node *left, cst_node *right, cst_map_error *e) {
  int                   before;
  const cst_definition *old = cst_graph_definitions(g, &before);
  cst_graph_define(g, w->define, w->ndefine);
  const bool good = read_side(w, 0, g, q, v, n, left, e) && read_side(w, 1, g, q, v, n, right, e);
  cst_graph_define(g, old, before);
  return good;
}

/* The two points in the graph g at any nodes q[n], v[n]. Nodes are -1 when the graph is full. */
static void nodes(const cst_text *m, cst_graph *g, const cst_node *q, const cst_node *v, int n,
                  cst_node *left, cst_node *right) {
  cst_map_error none;
  for (int i = 0; i < n; i++)
    left[i] = right[i] = -1;
  read_sides(&m->of, g, q, v, n, left, right, &none);
}

/* ---- the definition -------------------------------------------------------------------------- */

/* A map in a graph of its own: left[n], right[n], and d(right - left)[i] / dv[k] at i n + k. */
typedef struct {
  int        n;
  bool       retraction;
  cst_graph *graph;
  cst_node  *out;
  cst_tape  *tape;
  double    *value;
} sample;

static void evaluate_at(sample *s, int point, int velocity, double size) {
  double        q[N], v[N];
  const double *in[128] = {0};
  for (int i = 0; i < s->n; i++) {
    q[i] = cst_text_sample(point, i);
    v[i] = size * cst_text_sample(velocity, s->n - i);
  }
  in['q'] = q, in['v'] = v;
  cst_evaluate_tape(s->tape, in, s->value);
}

static void evaluate(sample *s, int point, double size) { evaluate_at(s, point, point + 3, size); }

static bool is_finite(const sample *s) {
  bool good = true;
  for (int i = 0; i < s->n * (s->n + 2); i++)
    good &= isfinite(s->value[i]) != 0;
  return good;
}

__attribute__((format(printf, 4, 5))) static bool fail(cst_map_error *e, int side, int entry,
                                                       const char *format, ...) {
  va_list a;
  va_start(a, format);
  e->side = side;
  e->entry = entry;
  e->error.offset = 0;
  vsnprintf(e->error.message, sizeof e->error.message, format, a);
  va_end(a);
  return false;
}

static bool check_points(const sample *s, int point, cst_map_error *e) {
  for (int i = 0; i < 2 * s->n; i++) {
    const int    entry = i % s->n;
    const double q = cst_text_sample(point, entry);
    if (fabs(s->value[i] - q) > 1e-10 * (1 + fabs(q)))
      return fail(e, i >= s->n, entry, "%s must be q at v = 0; this one is %.6g where q is %.6g",
                  s->retraction ? "the point of a retraction"
                                : "the two points of a discretization map",
                  s->value[i], q);
  }
  return true;
}

static bool check_slopes(const sample *s, bool listed, cst_map_error *e) {
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < s->n; k++) {
      const double slope = s->value[2 * s->n + i * s->n + k];
      char         of[40] = "v";
      if (listed)
        snprintf(of, sizeof of, "v[%d]", k + 1);
      if (fabs(slope - (i == k)) > 1e-10)
        return fail(e, 1, i, "the derivative of %s by %s must be %d at v = 0; it is %.6g",
                    s->retraction ? "point" : "right - left", of, i == k, slope);
    }
  return true;
}

/* The conditions of the definition at the points where there are numbers. */
static bool check(sample *s, bool listed, cst_map_error *e) {
  int found = 0;
  for (int k = 0; k < CST_TEXT_SAMPLES; k++) {
    evaluate(s, k, 0);
    if (!is_finite(s))
      continue;
    found++;
    if (!check_points(s, k, e) || !check_slopes(s, listed, e))
      return false;
  }
  return found >= CST_TEXT_ENOUGH ||
         fail(e, 0, 0,
              "a %s must have values and derivatives at v = 0; it has none at %d of "
              "%d points with 0.4 <= |q| <= 1.3 (a square root of v'v is one; write a series)",
              s->retraction ? "retraction" : "discretization map", CST_TEXT_SAMPLES - found,
              CST_TEXT_SAMPLES);
}

/* Whether left(q, v) = right(q, -v) wherever both are numbers. */
static bool find_symmetry(sample *s) {
  double left[2][N], right[2][N];
  bool   same = true;
  for (int k = 0; k < CST_TEXT_SAMPLES; k++) {
    for (int sign = 0; sign < 2; sign++) {
      evaluate(s, k, sign ? -0.3 : 0.3);
      memcpy(left[sign], s->value, sizeof *s->value * (size_t)s->n);
      memcpy(right[sign], s->value + s->n, sizeof *s->value * (size_t)s->n);
    }
    for (int i = 0; i < s->n; i++)
      same &=
          !(fabs(left[0][i] - right[1][i]) > 1e-12) && !(fabs(left[1][i] - right[0][i]) > 1e-12);
  }
  return same;
}

/* Whether both points move with q, left(q, v) - q and right(q, v) - q being functions of v alone. */
static bool find_invariance(sample *s) {
  double first[2 * N];
  bool   same = true;
  for (int k = 0; k < CST_TEXT_SAMPLES; k++) {
    evaluate_at(s, k, 3, 0.3);
    for (int i = 0; i < 2 * s->n; i++) {
      const double from = s->value[i] - cst_text_sample(k, i % s->n);
      if (k == 0)
        first[i] = from;
      same &= fabs(from - first[i]) <= 1e-12;
    }
  }
  return same;
}

/* Whether the points are q - theta v and q + (1 - theta) v, with the same theta at all points. */
static bool find_line(sample *s) {
  double theta = 0;
  bool   line = s->n == 1;
  for (int k = 0; k < CST_TEXT_SAMPLES && line; k++) {
    evaluate(s, k, 0.3);
    const double q = cst_text_sample(k, 0), v = 0.3 * cst_text_sample(k + 3, 1);
    const double now = (q - s->value[0]) / v;
    if (k == 0)
      theta = now;
    line = fabs(now - theta) <= 1e-12 && fabs(s->value[1] - (q + (1 - theta) * v)) <= 1e-12;
  }
  return line;
}

/* The nodes of the definition's derivatives behind left and right. */
static void differentiate(sample *s, const cst_node *v) {
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    cst_node dx[N], dout[2 * N];
    for (int i = 0; i < n; i++)
      dx[i] = cst_graph_constant(s->graph, i == k);
    cst_graph_tangent(s->graph, s->out, 2 * n, v, dx, n, dout);
    for (int i = 0; i < n; i++)
      s->out[2 * n + i * n + k] = cst_graph_sub(s->graph, dout[n + i], dout[i]);
  }
}

static bool open_sample(sample *s, const cst_wording *w, cst_map_error *e) {
  cst_node q[N], v[N];
  *s =
      (sample){.n = cst_text_width(w), .retraction = is_retraction(w), .graph = cst_graph_create()};
  for (int i = 0; i < s->n; i++) {
    q[i] = cst_graph_input(s->graph, 'q', i);
    v[i] = cst_graph_input(s->graph, 'v', i);
  }
  s->out = cst_zeros(s->n * (s->n + 2), sizeof *s->out);
  s->value = cst_zeros(s->n * (s->n + 2), sizeof *s->value);
  if (!read_sides(w, s->graph, q, v, s->n, s->out, s->out + s->n, e))
    return false;
  differentiate(s, v);
  s->tape = cst_tape_create(s->graph, s->out, s->n * (s->n + 2));
  return true;
}

static void close_sample(sample *s) {
  cst_tape_destroy(s->tape);
  cst_graph_destroy(s->graph);
  free(s->out);
  free(s->value);
}

/* ---- maps ------------------------------------------------------------------------------------ */

const cst_text *cst_map_make(cst_layers *l, const cst_wording *w, cst_map_error *error) {
  CST_REQUIRE(l && w && error && w->n <= N, NULL);
  sample          s;
  const cst_text *m = cst_text_find(l, w);
  if (m)
    return m;
  if (open_sample(&s, w, error) && check(&s, w->n > 0, error)) {
    cst_map_traits *x = cst_need(malloc(sizeof *x));
    *x = (cst_map_traits){find_symmetry(&s), find_invariance(&s), w->n == 0 && find_line(&s)};
    m = cst_text_keep(l, w, x, free);
  }
  close_sample(&s);
  return m;
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Equations and their derivative are tapes over lanes. They are made in a copy of the system's graph, as the kernels of
 * flow.c. */

enum { MOST = 200000 /* operations of the equations */ };

typedef struct {
  cst_text_bound   of;
  cst_tape        *value, *tangent;
  cst_lane_mapping lane;
} mapping;

typedef struct {
  cst_system       s; /* with its own graph, in a model of its own: */
  cst_system_model model;
  int              n;
  cst_node         x[4 * N], along[4 * N]; /* (q, w, P, D) and a direction */
  cst_node         out[4 * N], slope[4 * N];
} workshop;

static void inputs(cst_graph *g, char array, int n, cst_node *x) {
  for (int i = 0; i < n; i++)
    x[i] = cst_graph_input(g, array, i);
}

/* The two points of the map or of its adjoint. */
static void points(const workshop *k, const cst_text *m, bool adjoint, cst_node *left,
                   cst_node *right) {
  cst_node back[N];
  for (int i = 0; i < k->n; i++)
    back[i] = cst_graph_neg(k->s.model->graph, k->x[k->n + i]);
  if (adjoint)
    nodes(m, k->s.model->graph, k->x, back, k->n, right, left);
  else
    nodes(m, k->s.model->graph, k->x, k->x + k->n, k->n, left, right);
}

/* h L(q, w / h) */
static cst_node action(const workshop *k) {
  cst_graph     *g = k->s.model->graph;
  const cst_node h = cst_graph_input(g, 'l', 0);
  cst_node       u[N];
  for (int i = 0; i < k->n; i++)
    u[i] = cst_graph_div(g, k->x[k->n + i], h);
  return cst_graph_mul(g, h, cst_field_lagrangian(&k->s, k->x, u));
}

static bool complete(const cst_node *x, int n) {
  bool good = true;
  for (int i = 0; i < n; i++)
    good &= x[i] >= 0;
  return good;
}

/* Makes the equations; false if they are too large. */
static bool derive(workshop *k, const cst_text *m, bool adjoint) {
  cst_graph *g = k->s.model->graph;
  const int  n = k->n, before = cst_graph_size(g);
  cst_node   right[N], y[2 * N + 1], seed[2 * N + 1], grad[2 * N];
  points(k, m, adjoint, k->out, right);
  for (int i = 0; i < n; i++) {
    k->out[n + i] = cst_graph_sub(g, right[i], k->out[i]);
    y[i] = right[i];
    seed[i] = k->x[3 * n + i];
    y[n + i] = k->out[n + i];
    seed[n + i] = k->x[2 * n + i];
  }
  y[2 * n] = action(k);
  seed[2 * n] = cst_graph_constant(g, -1);
  if (!complete(y, 2 * n + 1))
    return false;
  cst_graph_gradient(g, y, seed, 2 * n + 1, k->x, 2 * n, grad);
  for (int i = 0; i < 2 * n; i++)
    k->out[2 * n + i] = grad[i];
  if (!complete(k->out, 4 * n) || cst_graph_size(g) - before > MOST)
    return false;
  cst_graph_tangent(g, k->out, 4 * n, k->x, k->along, 4 * n, k->slope);
  return complete(k->slope, 4 * n);
}

static workshop *open_workshop(const cst_system *s) {
  workshop *k = cst_zeros(1, sizeof *k);
  k->model = *s->model;
  k->s = *s;
  k->s.model = &k->model;
  k->n = s->nq;
  k->s.model->graph = cst_graph_copy(s->model->graph);
  inputs(k->s.model->graph, 'q', k->n, k->x);
  inputs(k->s.model->graph, 'v', k->n, k->x + k->n);
  inputs(k->s.model->graph, 'w', 2 * k->n, k->x + 2 * k->n);
  inputs(k->s.model->graph, 'u', 4 * k->n, k->along);
  return k;
}

static void close_workshop(workshop *k) {
  cst_graph_destroy(k->s.model->graph);
  free(k);
}

static const char *other(const cst_system *s) {
  const char *trait =
      cst_trait_among(s, CST_NONHOLONOMIC | CST_FORCED | CST_DRIVEN | CST_MASSLESS | CST_TIMED);
  return trait && !strcmp(trait, "nonconservative forces") ? "forces" : trait;
}

bool cst_mapping_fits(const cst_text *m, const cst_system *s, char *why, int n) {
  if (m->of.n && m->of.n != s->nq) {
    snprintf(why, (size_t)n, "the map has %d entries, and %s has %d coordinates", m->of.n, s->name,
             s->nq);
    return false;
  }
  if (other(s)) {
    snprintf(why, (size_t)n,
             "a discretization map steps systems with a Lagrangian L(q, v) and constraints on "
             "positions alone, and %s has %s",
             s->name, other(s));
    return false;
  }
  if (!cst_field_exists(s, why, n))
    return false;
  workshop  *k = open_workshop(s);
  const bool good = derive(k, m, false);
  close_workshop(k);
  if (!good)
    snprintf(why, (size_t)n, "the map on %s takes more operations than can be differentiated",
             s->name);
  return good;
}

static void end(void *made) {
  mapping *m = made;
  cst_tape_destroy(m->value);
  cst_tape_destroy(m->tangent);
  free(m->lane.scratch);
  free(m);
}

static int larger(int x, int y) { return x > y ? x : y; }

static void *make(const cst_lane_binding *b, const cst_text *map, bool adjoint) {
  workshop *k = open_workshop(b->system);
  mapping  *m = NULL;
  if (derive(k, map, adjoint)) {
    m = cst_zeros(1, sizeof *m);
    m->value = cst_tape_create(k->s.model->graph, k->out, 4 * k->n);
    m->tangent = cst_tape_create(k->s.model->graph, k->slope, 4 * k->n);
    m->lane = (cst_lane_mapping){
        cst_tape_lanes_of(b->isa)->run, m->value, m->tangent,
        cst_text_scratch(larger(cst_tape_registers(m->value), cst_tape_registers(m->tangent)))};
  }
  close_workshop(k);
  return m;
}

cst_error cst_mapping_bind(const cst_lane_binding *b, const cst_text *m, bool adjoint,
                           cst_lane_mapping *to) {
  const mapping *x = cst_text_bind(b, m, adjoint, make, end);
  CST_CHECK(x, MPI_COMM_SELF, CST_ERR_SUP, "the map on %s is too large", b->system->name);
  *to = x->lane;
  return 0;
}
