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

enum { N = CST_MAX_Q, POINTS = 8, ENOUGH = 3 };

struct cst_map {
  cst_map_texts   texts;
  bool            symmetric, invariant, linear;
  struct cst_map *next;
};

/* The maps so far, the newest first. */
static cst_map *registry;

static int width(const cst_map_texts *t) { return t->n ? t->n : 1; }

/* ---- texts ----------------------------------------------------------------------------------- */

static bool same(const cst_map_texts *x, const cst_map_texts *y) {
  bool same = x->n == y->n && x->ndefine == y->ndefine && x->retraction == y->retraction &&
              x->theta == y->theta;
  for (int i = 0; same && i < width(x); i++)
    same = !strcmp(x->left[i], y->left[i]) && !strcmp(x->right[i], y->right[i]);
  for (int i = 0; same && i < x->ndefine; i++)
    same = !strcmp(x->define[i].name, y->define[i].name) &&
           !strcmp(x->define[i].text, y->define[i].text);
  return same;
}

static const char *const *copy_list(const char *const *text, int n) {
  const char **copy = cst_zeros(n, sizeof *copy);
  for (int i = 0; i < n; i++)
    copy[i] = cst_need(strdup(text[i]));
  return copy;
}

static cst_map_texts copy(const cst_map_texts *t) {
  cst_definition *define = cst_zeros(t->ndefine + 1, sizeof *define);
  for (int i = 0; i < t->ndefine; i++)
    define[i] = (cst_definition){.name = cst_need(strdup(t->define[i].name)),
                                 .text = cst_need(strdup(t->define[i].text))};
  return (cst_map_texts){t->n,
                         copy_list(t->left, width(t)),
                         copy_list(t->right, width(t)),
                         define,
                         t->ndefine,
                         t->retraction,
                         t->theta};
}

static void print_side(FILE *f, const char *name, const char *const *text, int n) {
  fprintf(f, "%s: %s", name, n ? "[" : "");
  for (int i = 0; i < (n ? n : 1); i++)
    fprintf(f, "%s%s", i ? ", " : "", text[i]);
  fputs(n ? "]" : "", f);
}

char *cst_map_text(const cst_map *m) {
  char  *text;
  size_t length;
  FILE  *f = cst_need(open_memstream(&text, &length));
  fputc('{', f);
  if (m->texts.retraction) {
    print_side(f, "point", m->texts.right, m->texts.n);
  } else {
    print_side(f, "left", m->texts.left, m->texts.n);
    fputs(", ", f);
    print_side(f, "right", m->texts.right, m->texts.n);
  }
  fputc('}', f);
  fclose(f);
  return text;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Reads one side; false with *e filled at the first mistake. */
static bool read_side(const cst_map_texts *t, cst_map_side side, cst_graph *g, const cst_node *q,
                      const cst_node *v, int n, cst_node *out, cst_map_error *e) {
  const char *const *text = side == CST_MAP_LEFT ? t->left : t->right;
  const double       by = side == CST_MAP_LEFT ? -t->theta : 1 - t->theta;
  cst_node           along[N];
  bool               good = true;
  for (int i = 0; i < n && t->retraction; i++)
    along[i] = cst_graph_mul(g, cst_graph_constant(g, by), v[i]);
  if (t->retraction)
    v = along;
  for (int i = 0; i < n && good; i++) {
    const cst_binding one[] = {{.name = "q", .node = q[i]}, {.name = "v", .node = v[i]}};
    const cst_binding all[] = {{.name = "q", .entry = q, .count = n},
                               {.name = "v", .entry = v, .count = n}};
    out[i] = cst_expr_parse(g, text[t->n ? i : 0], t->n ? all : one, 2, &e->error);
    good = out[i] >= 0;
    e->side = side;
    e->entry = t->n ? i : 0;
  }
  return good;
}

static bool read_sides(const cst_map_texts *t, cst_graph *g, const cst_node *q, const cst_node *v,
                       int n, cst_node *left, cst_node *right, cst_map_error *e) {
  int                   before;
  const cst_definition *old = cst_graph_definitions(g, &before);
  cst_graph_define(g, t->define, t->ndefine);
  const bool good = read_side(t, CST_MAP_LEFT, g, q, v, n, left, e) &&
                    read_side(t, CST_MAP_RIGHT, g, q, v, n, right, e);
  cst_graph_define(g, old, before);
  return good;
}

/* The two points in the graph g at any nodes q[n], v[n]. Nodes are -1 when the graph is full. */
static void nodes(const cst_map *m, cst_graph *g, const cst_node *q, const cst_node *v, int n,
                  cst_node *left, cst_node *right) {
  cst_map_error none;
  for (int i = 0; i < n; i++)
    left[i] = right[i] = -1;
  read_sides(&m->texts, g, q, v, n, left, right, &none);
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

static const double golden = 0.6180339887498949;

/* Numbers between .4 and 1.3, all positive in the first half of the points. */
static double coordinate(int point, int i) {
  const double x = golden * (i + 1) + 0.37 * point;
  return (point >= POINTS / 2 && (i + point) % 2 ? -1 : 1) * (0.4 + 0.9 * (x - floor(x)));
}

static void evaluate_at(sample *s, int point, int velocity, double size) {
  double        q[N], v[N];
  const double *in[128] = {0};
  for (int i = 0; i < s->n; i++) {
    q[i] = coordinate(point, i);
    v[i] = size * coordinate(velocity, s->n - i);
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

__attribute__((format(printf, 4, 5))) static bool fail(cst_map_error *e, cst_map_side side,
                                                       int entry, const char *format, ...) {
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
    const double q = coordinate(point, entry);
    if (fabs(s->value[i] - q) > 1e-10 * (1 + fabs(q)))
      return fail(e, i < s->n ? CST_MAP_LEFT : CST_MAP_RIGHT, entry,
                  "%s must be q at v = 0; this one is %.6g where q is %.6g",
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
        return fail(e, CST_MAP_RIGHT, i,
                    "the derivative of %s by %s must be %d at v = 0; it is %.6g",
                    s->retraction ? "point" : "right - left", of, i == k, slope);
    }
  return true;
}

/* The conditions of the definition at the points where there are numbers. */
static bool check(sample *s, bool listed, cst_map_error *e) {
  int found = 0;
  for (int k = 0; k < POINTS; k++) {
    evaluate(s, k, 0);
    if (!is_finite(s))
      continue;
    found++;
    if (!check_points(s, k, e) || !check_slopes(s, listed, e))
      return false;
  }
  return found >= ENOUGH ||
         fail(e, CST_MAP_LEFT, 0,
              "a %s must have values and derivatives at v = 0; it has none at %d of "
              "%d points with 0.4 <= |q| <= 1.3 (a square root of v'v is one; write a series)",
              s->retraction ? "retraction" : "discretization map", POINTS - found, POINTS);
}

/* Whether left(q, v) = right(q, -v) wherever both are numbers. */
static bool find_symmetry(sample *s) {
  double left[2][N], right[2][N];
  bool   same = true;
  for (int k = 0; k < POINTS; k++) {
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
  for (int k = 0; k < POINTS; k++) {
    evaluate_at(s, k, 3, 0.3);
    for (int i = 0; i < 2 * s->n; i++) {
      const double from = s->value[i] - coordinate(k, i % s->n);
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
  for (int k = 0; k < POINTS && line; k++) {
    evaluate(s, k, 0.3);
    const double q = coordinate(k, 0), v = 0.3 * coordinate(k + 3, 1);
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

static bool open_sample(sample *s, const cst_map_texts *t, cst_map_error *e) {
  cst_node q[N], v[N];
  *s = (sample){.n = width(t), .retraction = t->retraction, .graph = cst_graph_create()};
  for (int i = 0; i < s->n; i++) {
    q[i] = cst_graph_input(s->graph, 'q', i);
    v[i] = cst_graph_input(s->graph, 'v', i);
  }
  s->out = cst_zeros(s->n * (s->n + 2), sizeof *s->out);
  s->value = cst_zeros(s->n * (s->n + 2), sizeof *s->value);
  if (!read_sides(t, s->graph, q, v, s->n, s->out, s->out + s->n, e))
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

const cst_map *cst_map_make(const cst_map_texts *texts, cst_map_error *error) {
  CST_REQUIRE(texts && error && texts->n <= N, NULL);
  sample s;
  for (const cst_map *m = registry; m; m = m->next)
    if (same(&m->texts, texts))
      return m;
  cst_map *m = NULL;
  if (open_sample(&s, texts, error) && check(&s, texts->n > 0, error)) {
    m = cst_zeros(1, sizeof *m);
    *m = (cst_map){copy(texts), find_symmetry(&s), find_invariance(&s),
                   texts->n == 0 && find_line(&s), registry};
    registry = m;
  }
  close_sample(&s);
  return m;
}

const cst_map *cst_map_at(const cst_map *m, double theta) {
  cst_map_texts texts = m->texts;
  cst_map_error none;
  texts.theta = theta;
  return cst_map_make(&texts, &none);
}

bool cst_map_is_retraction(const cst_map *m) { return m->texts.retraction; }

/* coordinates; 0: any number */
static int map_size(const cst_map *m) { return m->texts.n; }
bool       cst_map_is_symmetric(const cst_map *m) { return m->symmetric; }
bool       cst_map_is_invariant(const cst_map *m) { return m->invariant; }
bool       cst_map_is_linear(const cst_map *m) { return m->linear; }

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Equations and their derivative are tapes over lanes. They are made in a copy of the system's graph, as the kernels of
 * flow.c. */

enum { MOST = 200000 /* operations of the equations */ };

typedef struct {
  const cst_map   *map;
  bool             adjoint;
  cst_tape        *value, *tangent;
  cst_lane_mapping lane;
} mapping;

typedef struct {
  cst_system s; /* with its own graph */
  int        n;
  cst_node   x[4 * N], along[4 * N]; /* (q, w, P, D) and a direction */
  cst_node   out[4 * N], slope[4 * N];
} workshop;

static void inputs(cst_graph *g, char array, int n, cst_node *x) {
  for (int i = 0; i < n; i++)
    x[i] = cst_graph_input(g, array, i);
}

/* The two points of the map or of its adjoint. */
static void points(const workshop *k, const cst_map *m, bool adjoint, cst_node *left,
                   cst_node *right) {
  cst_node back[N];
  for (int i = 0; i < k->n; i++)
    back[i] = cst_graph_neg(k->s.graph, k->x[k->n + i]);
  if (adjoint)
    nodes(m, k->s.graph, k->x, back, k->n, right, left);
  else
    nodes(m, k->s.graph, k->x, k->x + k->n, k->n, left, right);
}

/* h L(q, w / h) */
static cst_node action(const workshop *k) {
  cst_graph     *g = k->s.graph;
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
static bool derive(workshop *k, const cst_map *m, bool adjoint) {
  cst_graph *g = k->s.graph;
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
  k->s = *s;
  k->n = s->nq;
  k->s.graph = cst_graph_copy(s->graph);
  inputs(k->s.graph, 'q', k->n, k->x);
  inputs(k->s.graph, 'v', k->n, k->x + k->n);
  inputs(k->s.graph, 'w', 2 * k->n, k->x + 2 * k->n);
  inputs(k->s.graph, 'u', 4 * k->n, k->along);
  return k;
}

static void close_workshop(workshop *k) {
  cst_graph_destroy(k->s.graph);
  free(k);
}

static const char *other(const cst_system *s) {
  return s->nvel       ? "constraints on velocities"
         : s->nforce   ? "forces"
         : s->driven   ? "a constraint that depends on t"
         : s->massless ? "coordinates without mass"
         : s->timed    ? "a potential that depends on t"
                       : NULL;
}

bool cst_mapping_fits(const cst_map *m, const cst_system *s, char *why, int n) {
  const int size = map_size(m);
  if (size && size != s->nq) {
    snprintf(why, (size_t)n, "the map has %d entries, and %s has %d coordinates", size, s->name,
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

static mapping *make(const cst_system *s, int isa, const cst_map *map, bool adjoint) {
  workshop *k = open_workshop(s);
  mapping  *m = NULL;
  if (derive(k, map, adjoint)) {
    m = cst_zeros(1, sizeof *m);
    *m = (mapping){.map = map,
                   .adjoint = adjoint,
                   .value = cst_tape_create(k->s.graph, k->out, 4 * k->n),
                   .tangent = cst_tape_create(k->s.graph, k->slope, 4 * k->n)};
    const int most = larger(cst_tape_registers(m->value), cst_tape_registers(m->tangent));
    m->lane = (cst_lane_mapping){
        cst_tape_lanes_of(isa)->run, m->value, m->tangent,
        cst_need(aligned_alloc(8 * CST_W_MAX, 8 * CST_W_MAX * (size_t)larger(1, most)))};
  }
  close_workshop(k);
  return m;
}

cst_error cst_mapping_bind(const cst_lane_binding *b, const cst_map *m, bool adjoint,
                           cst_lane_mapping *to) {
  cst_stepper *st = b->stepper;
  for (int i = 0; i < st->nshared; i++) {
    const mapping *x = st->shared[i].made;
    if (st->shared[i].end == end && x->map == m && x->adjoint == adjoint) {
      *to = x->lane;
      return 0;
    }
  }
  mapping *made = make(b->system, b->isa, m, adjoint);
  CST_CHECK(made, MPI_COMM_SELF, CST_ERR_SUP, "the map on %s is too large", b->system->name);
  st->shared = cst_need(realloc(st->shared, (size_t)(st->nshared + 1) * sizeof *st->shared));
  st->shared[st->nshared++] = (cst_stepper_shared){.end = end, .made = made};
  *to = made->lane;
  return 0;
}
