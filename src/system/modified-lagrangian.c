/* modified-lagrangian.c: the nodes of a modified Lagrangian (modified-lagrangian.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "core/need.h"
#include "system/modified-lagrangian.h"

const cst_modified_row cst_modified_rows[] = {
    {"rattle", -1.0 / 12, 1.0 / 24, 0},
    {"euler-a", -1.0 / 12, 1.0 / 24, 0.5},
    {"euler-b", -1.0 / 12, 1.0 / 24, -0.5},
    {"midpoint", 1.0 / 24, 1.0 / 24, 0},
    {NULL, 0, 0, 0},
};

const char *cst_modified_refuses(const cst_system *s) {
  if (s->model->nbodies)
    return "has bodies, whose rotations are constraints";
  if (s->ng)
    return "has constraints";
  if (cst_has(s, CST_GYROSCOPIC))
    return "has gyroscopic terms";
  if (!cst_has(s, CST_MASS_DIAGONAL))
    return "has a mass that is no constant diagonal";
  if (cst_has(s, CST_TIMED))
    return "has forces, or a potential that depends on t";
  for (int i = 0; i < s->description->ncoordinate; i++)
    if (s->description->coordinate_name[i].array)
      return "has arrays of coordinates, with which a mass must be a diagonal";
  return NULL;
}

/* What the functions below share. */
typedef struct {
  cst_graph *g;
  int        nq;
  cst_node  *q, *slope, *mass, h2; /* [nq] inputs, gradient of V, diagonal of M; h^2 */
} local;

static cst_node times(local *x, double a, cst_node n) {
  return cst_graph_mul(x->g, cst_graph_constant(x->g, a), n);
}

/* Row i of V''. */
static void second(local *x, int i, cst_node *row) {
  const cst_node one = cst_graph_constant(x->g, 1);
  cst_graph_gradient(x->g, &x->slope[i], &one, 1, x->q, x->nq, row);
}

/* grad V' M^-1 grad V */
static cst_node square(local *x) {
  cst_node sum = cst_graph_constant(x->g, 0);
  for (int i = 0; i < x->nq; i++) {
    const cst_node s = x->slope[i];
    sum = cst_graph_add(x->g, sum, cst_graph_div(x->g, cst_graph_mul(x->g, s, s), x->mass[i]));
  }
  return sum;
}

/* v - M^-1 (2 a h^2 V'' v + sigma h grad V) at the start q, where v is the velocity of the method. The kick of sigma
 * comes first, since it is of order h. */
static void start(local *x, const cst_modified_row *row, cst_node h, const cst_node *hessian,
                  const cst_node *q, const cst_node *v, cst_node *result) {
  const int nq = x->nq;
  cst_node *at = cst_need(malloc(sizeof *at * (size_t)(nq * nq + nq))), *slope = at + nq * nq;
  cst_node *kicked = cst_need(malloc(sizeof *kicked * (size_t)nq));
  cst_graph_substitute(x->g, hessian, nq * nq, x->q, q, nq, at);
  cst_graph_substitute(x->g, x->slope, nq, x->q, q, nq, slope);
  for (int i = 0; i < nq; i++) {
    const cst_node kick = cst_graph_mul(x->g, times(x, row->sigma, h), slope[i]);
    kicked[i] = cst_graph_sub(x->g, v[i], cst_graph_div(x->g, kick, x->mass[i]));
  }
  for (int i = 0; i < nq; i++) {
    cst_node sum = cst_graph_constant(x->g, 0);
    for (int k = 0; k < nq; k++)
      sum = cst_graph_add_product(x->g, sum, at[nq * i + k], kicked[k]);
    const cst_node change = cst_graph_div(x->g, cst_graph_mul(x->g, x->h2, sum), x->mass[i]);
    result[i] = cst_graph_sub(x->g, kicked[i], times(x, 2 * row->a, change));
  }
  free(at);
  free(kicked);
}

cst_modified *cst_modified_create(const cst_system *s, const cst_modified_row *row) {
  if (!cst_system_bend(s))
    return NULL;
  const int      nq = s->nq;
  cst_modified  *m = cst_need(calloc(1, sizeof *m));
  cst_node      *node = cst_need(malloc(sizeof *node * (size_t)(3 * nq + nq * nq)));
  local          x = {cst_graph_copy(s->model->graph), nq, node, node + nq, node + 2 * nq, -1};
  cst_node      *hessian = node + 3 * nq, whole = cst_system_whole(s);
  const cst_node one = cst_graph_constant(x.g, 1), h = cst_graph_input(x.g, 'c', s->npar);
  m->graph = x.g;
  x.h2 = cst_graph_mul(x.g, h, h);
  for (int i = 0; i < nq; i++) {
    x.q[i] = cst_graph_input(x.g, 'q', i);
    x.mass[i] = s->model->mass[i];
  }
  cst_graph_gradient(x.g, &whole, &one, 1, x.q, nq, x.slope);
  for (int i = 0; i < nq; i++)
    second(&x, i, hessian + nq * i);
  for (int i = 0; i < nq; i++) /* one node for both halves: the same bits */
    for (int k = 0; k < i; k++)
      hessian[nq * i + k] = hessian[nq * k + i];
  m->mass = cst_need(malloc(sizeof *m->mass * (size_t)(nq * nq)));
  for (int k = 0; k < nq * nq; k++) {
    const cst_node change = cst_graph_mul(x.g, times(&x, 2 * row->a, x.h2), hessian[k]);
    m->mass[k] = k % (nq + 1) ? change : cst_graph_add(x.g, x.mass[k / nq], change);
  }
  m->potential = cst_graph_sub(x.g, whole, cst_graph_mul(x.g, times(&x, row->b, x.h2), square(&x)));
  m->v = cst_need(calloc((size_t)s->nstate, sizeof *m->v));
  for (int k = 0; k < s->nstate; k++) {
    m->v[k] = cst_need(malloc(sizeof **m->v * (size_t)nq));
    start(&x, row, h, hessian, s->description->state[k].q, s->description->state[k].v, m->v[k]);
  }
  free(node);
  return m;
}

void cst_modified_destroy(cst_modified *m, const cst_system *s) {
  if (!m)
    return;
  for (int k = 0; k < s->nstate; k++)
    free(m->v[k]);
  cst_graph_destroy(m->graph);
  free(m->v);
  free(m->mass);
  free(m);
}
