/* mapping.c: the equations of a step by a discretization map on a system, and their derivative, as tapes over
 * lanes (map.h). They are made in a copy of the system's graph, as the kernels of flow.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "core/need.h"
#include "expr/tape-lanes.h"
#include "method/map.h"
#include "method/stepper-internal.h"
#include "system/field.h"

enum { N = CST_MAX_Q, MOST = 200000 /* operations of the equations */ };

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
    cst_map_nodes(m, k->s.graph, k->x, back, k->n, right, left);
  else
    cst_map_nodes(m, k->s.graph, k->x, k->x + k->n, k->n, left, right);
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
  const int size = cst_map_size(m);
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
