/* rotation-nodes.c: rotations of bodies as nodes of a graph (see rotation-nodes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/rotation-nodes.h"

enum { AXES = 3 };

static cst_node length(cst_graph *g, const cst_node *x, int n) {
  cst_node sum = cst_graph_mul(g, x[0], x[0]);
  for (int i = 1; i < n; i++)
    sum = cst_graph_add_product(g, sum, x[i], x[i]);
  return cst_graph_call(g, "sqrt", sum, -1);
}

void cst_rotation_from_axis(cst_graph *g, const cst_node axis[3], cst_node angle, cst_node R[9]) {
  const cst_node size = length(g, axis, AXES);
  const cst_node c = cst_graph_call(g, "cos", angle, -1);
  const cst_node s = cst_graph_call(g, "sin", angle, -1);
  const cst_node one = cst_graph_constant(g, 1);
  const cst_node rest = cst_graph_sub(g, one, c);
  cst_node       n[3];
  for (int a = 0; a < AXES; a++)
    n[a] = cst_graph_div(g, axis[a], size);
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      const cst_node product = cst_graph_mul(g, n[a], n[b]);
      const cst_node both = cst_graph_mul(g, rest, product);
      /* hat(n)_ab is the component of n along the third axis, with a minus sign if b follows a */
      const bool     follows = (a + 1) % AXES == b;
      const cst_node turn = a == b ? c : cst_graph_mul(g, s, n[3 - a - b]);
      cst_node      *entry = &R[3 * a + b];
      if (follows)
        *entry = cst_graph_sub(g, both, turn);
      else
        *entry = cst_graph_add(g, both, turn);
    }
}

void cst_rotation_from_quaternion(cst_graph *g, const cst_node p[4], cst_node R[9]) {
  const cst_node size = length(g, p, 4);
  const cst_node one = cst_graph_constant(g, 1);
  const cst_node two = cst_graph_constant(g, 2);
  cst_node       u[4];
  for (int k = 0; k < 4; k++)
    u[k] = cst_graph_div(g, p[k], size);
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      cst_node x;
      if (a == b) {
        const cst_node y = u[1 + (a + 1) % AXES];
        const cst_node z = u[1 + (a + 2) % AXES];
        const cst_node z_square = cst_graph_mul(g, z, z);
        const cst_node y_square = cst_graph_mul(g, y, y);
        x = cst_graph_add(g, y_square, z_square);
        R[4 * a] = cst_graph_sub_product(g, one, two, x);
        continue;
      }
      const cst_node both = cst_graph_mul(g, u[1 + a], u[1 + b]);
      const cst_node turn = cst_graph_mul(g, u[0], u[4 - a - b]);
      if ((a + 1) % AXES == b)
        x = cst_graph_sub(g, both, turn);
      else
        x = cst_graph_add(g, both, turn);
      R[3 * a + b] = cst_graph_mul(g, two, x);
    }
}

void cst_rotation_velocity(cst_graph *g, const cst_node R[9], const cst_node omega[3],
                           cst_node V[9]) {
  for (int a = 0; a < AXES; a++)
    for (int b = 0; b < AXES; b++) {
      /* column b: omega_last R_next - omega_next R_last */
      const int       next = (b + 1) % AXES;
      const int       last = (b + 2) % AXES;
      const cst_node *row = R + 3 * a;
      const cst_node  taken = cst_graph_mul(g, omega[next], row[last]);
      const cst_node  added = cst_graph_mul(g, omega[last], row[next]);
      V[3 * a + b] = cst_graph_sub(g, added, taken);
    }
}
