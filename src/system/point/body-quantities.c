/* body-quantities.c: quantities of bodies for observables: angular velocity, angular momentum, quaternion.
 *
 *   omega = vee(R'R'),
 *   angular momentum I omega in body axes, R I omega in space axes, both about the centre (or the origin)
 *
 * The quaternion p of R is determined by p p' = Q, the matrix of Bar-Itzhack (J. Guid. Control Dyn. 23
 * (2000) 1085) without its unit part:
 *   Q_00 = (1 + tr R)/4,               Q_0k = (R_ji - R_ij)/4 for (i, j, k) cyclic,
 *   Q_ik = (R_ik + R_ki)/4,            Q_kk = (1 + 2 R_kk - tr R)/4
 * as the sum of the rows of Q with the signs of p, divided by its length: no rotation is singular. The
 * scalar part is positive; if it is 0 (to 1e-7), the first nonzero part is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "core/boundary.h"
#include "system/internal.h"

enum { AXES = 3, PARTS = 4 };
static const double TIE = 1e-7;

const cst_body_quantity cst_body_quantities[] = {
    {"omega", "123xyz", "angular velocity"},
    {"momentum", "123xyz", "angular momentum about the centre, or the origin where there is none"},
    {"quaternion", "0123", "quaternion of the rotation, the scalar part first and positive"},
    {NULL, NULL, NULL},
};

typedef struct {
  cst_graph *g;
  cst_node   R[9], V[9];
} body;

static cst_node dot(cst_graph *g, const cst_node *x, int dx, const cst_node *y, int dy) {
  cst_node sum = cst_graph_mul(g, x[0], y[0]);
  for (int a = 1; a < AXES; a++)
    sum = cst_graph_add_product(g, sum, x[a * dx], y[a * dy]);
  return sum;
}

static cst_node constant(const body *b, double x) { return cst_graph_constant(b->g, x); }

/* Column i of R times column j of V. */
static cst_node columns_dot(const body *b, int i, int j) {
  const cst_node *R = b->R + i;
  const cst_node *V = b->V + j;
  return dot(b->g, R, 3, V, 3);
}

static void omega_of(const body *b, cst_node w[3]) {
  cst_graph *g = b->g;
  for (int a = 0; a < AXES; a++) {
    const int      i = (a + 1) % AXES;
    const int      j = (a + 2) % AXES;
    const cst_node taken = columns_dot(b, i, j);
    const cst_node given = columns_dot(b, j, i);
    const cst_node twice = cst_graph_sub(g, given, taken);
    const cst_node half = constant(b, 0.5);
    w[a] = cst_graph_mul(g, half, twice);
  }
}

/* w := I w */
static void times_inertia(const cst_system *s, const body *b, int k, cst_node w[3]) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  cst_node         I[9], x[3];
  for (int e = 0; e < 9; e++) {
    const cst_node own = s->model->bodies[k].inertia[place[e]];
    const bool     zero = cst_graph_is_zero(s->model->graph, own);
    if (zero)
      I[e] = constant(b, 0);
    else if (b->g == s->model->graph)
      I[e] = own;
    else
      I[e] = cst_graph_input(b->g, 'c', 0);
  }
  for (int a = 0; a < AXES; a++)
    x[a] = dot(b->g, I + 3 * a, 1, w, 1);
  memcpy(w, x, sizeof x);
}

/* A component, in body or space axes, of a vector given in body axes. */
static cst_node component(const body *b, const cst_node w[3], char which) {
  if (which < 'x')
    return w[which - '1'];
  const cst_node *row = b->R + 3 * (which - 'x');
  return dot(b->g, row, 1, w, 1);
}

/* 4 Q. */
static void outer(const body *b, cst_node Q[16]) {
  cst_graph      *g = b->g;
  const cst_node *R = b->R;
  const cst_node  one = constant(b, 1);
  const cst_node  plane = cst_graph_add(g, R[0], R[4]);
  const cst_node  trace = cst_graph_add(g, plane, R[8]);
  Q[0] = cst_graph_add(g, one, trace);
  for (int k = 0; k < AXES; k++) {
    const int      i = (k + 1) % AXES;
    const int      j = (k + 2) % AXES;
    const cst_node below = R[3 * j + i];
    const cst_node above = R[3 * i + j];
    const cst_node apart = cst_graph_sub(g, below, above);
    Q[1 + k] = apart;
    Q[PARTS * (1 + k)] = apart;
    const cst_node two = constant(b, 2);
    const cst_node diagonal = cst_graph_add_product(g, one, two, R[4 * k]);
    Q[(PARTS + 1) * (1 + k)] = cst_graph_sub(g, diagonal, trace);
    const cst_node mixed = cst_graph_add(g, above, below);
    Q[PARTS * (1 + i) + 1 + j] = mixed;
    Q[PARTS * (1 + j) + 1 + i] = mixed;
  }
}

/* -1, 0 or 1. */
static cst_node sign(const body *b, cst_node x) {
  cst_graph     *g = b->g;
  const cst_node tiny = constant(b, 1e-300);
  const cst_node square = cst_graph_mul(g, x, x);
  const cst_node sum = cst_graph_add(g, square, tiny);
  const cst_node size = cst_graph_call(g, "sqrt", sum, -1);
  return cst_graph_div(g, x, size);
}

static cst_node quaternion(const body *b, int part) {
  cst_graph *g = b->g;
  cst_node   Q[16], p[PARTS];
  cst_node   length = constant(b, 0);
  outer(b, Q);
  for (int i = 0; i < PARTS; i++)
    p[i] = constant(b, 0);
  for (int k = 0; k < PARTS; k++) {
    cst_node side = Q[k];
    double   weight = 1;
    for (int i = 1; i < PARTS; i++) {
      weight *= TIE;
      const cst_node factor = constant(b, weight);
      side = cst_graph_add_product(g, side, factor, Q[PARTS * i + k]);
    }
    side = sign(b, side);
    for (int i = 0; i < PARTS; i++)
      p[i] = cst_graph_add_product(g, p[i], side, Q[PARTS * k + i]);
  }
  for (int i = 0; i < PARTS; i++)
    length = cst_graph_add_product(g, length, p[i], p[i]);
  const cst_node root = cst_graph_call(g, "sqrt", length, -1);
  return cst_graph_div(g, p[part], root);
}

cst_node cst_body_quantity_node(const cst_system *s, cst_graph *g, int k,
                                const cst_body_quantity *what, int which) {
  CST_REQUIRE(s && g && what && k >= 0 && k < s->model->nbodies && which >= 0, -1);
  CST_REQUIRE(which < (int)strlen(what->components), -1);
  body      b = {.g = g};
  cst_node  w[3];
  const int rotation = s->model->bodies[k].rotation;
  for (int e = 0; e < 9; e++) {
    b.R[e] = cst_graph_input(g, 'q', rotation + e);
    b.V[e] = cst_graph_input(g, 'v', rotation + e);
  }
  const char letter = what->components[which];
  if (!strcmp(what->prefix, "quaternion"))
    return quaternion(&b, letter - '0');
  omega_of(&b, w);
  if (!strcmp(what->prefix, "momentum"))
    times_inertia(s, &b, k, w);
  return component(&b, w, letter);
}
