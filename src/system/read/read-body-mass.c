/* read-body-mass.c: the mass of the coordinates of bodies, from their inertias (read-inertia.c), behind that of the
 * plain coordinates. A flat body has coordinates without mass; where constraints on velocities leave it to methods in
 * coordinates, M is raised by terms that are zero on the velocities of rotations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/read/system-reader.h"

/* True if the mass, including that of the bodies, is a matrix with entries off its diagonal. */
static bool wants_matrix(const cst_system *s) {
  static const int off_diagonal[] = {1, 2, 4};
  if (s->matrix || s->raised)
    return true;
  for (int k = 0; k < s->nbodies; k++)
    for (int e = 0; e < 3; e++) {
      const cst_node product = s->bodies[k].inertia[off_diagonal[e]];
      if (!cst_graph_is_zero(s->graph, product))
        return true;
    }
  return false;
}

/* J[81] += sigma O'O, as a matrix of the nine entries of R, with the rows O of orthogonality and sigma = tr I / 2:
 *
 *   sigma (delta_ij (R R')_ab + (1 - delta_ij) R_aj R_bi)   for the entries R_ai and R_bj
 *
 * On O v = 0 nothing changes: not L along motions, not p = M v, and not the multipliers, since d/dt(O v) = 0 too.
 */
static cst_node raised(const cst_system *s, const cst_body *b, int entry, int other) {
  static const int diagonal[] = {0, 3, 5};
  cst_graph       *g = s->graph;
  const int        a = entry / 3, i = entry % 3, c = other / 3, j = other % 3;
  cst_node         R[9], sum = cst_graph_constant(g, 0), sigma = cst_graph_constant(g, 0);
  for (int k = 0; k < 9; k++)
    R[k] = cst_graph_input(g, 'q', b->rotation + k);
  for (int k = 0; k < 3; k++)
    sigma = cst_graph_add(g, sigma, b->inertia[diagonal[k]]);
  if (i != j)
    sum = cst_graph_mul(g, R[3 * a + j], R[3 * c + i]);
  for (int k = 0; k < 3 && i == j; k++)
    sum = cst_graph_add_product(g, sum, R[3 * a + k], R[3 * c + k]);
  return cst_graph_mul(g, cst_graph_mul(g, cst_graph_constant(g, 0.5), sigma), sum);
}

static void raise_body(const cst_system *s, const cst_body *b, cst_node *out, int stride) {
  for (int k = 0; k < 9; k++)
    for (int l = 0; l < 9; l++) {
      cst_node *at = out + (long)(b->rotation + k) * stride + b->rotation + l;
      *at = cst_graph_add(s->graph, *at, raised(s, b, k < l ? k : l, k < l ? l : k));
    }
}

/* Writes the entries of body b to out, whose rows have `stride` entries; stride 0 means a diagonal. */
static void put_body(const cst_system *s, const cst_body *b, cst_node *out, int stride) {
  cst_node J[9];
  cst_body_block(s, b, J);
  for (int a = 0; a < 3; a++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int row = b->rotation + 3 * a + i;
        const int column = b->rotation + 3 * a + j;
        if (stride || i == j)
          out[stride ? row * stride + column : row] = J[3 * i + j];
      }
    if (b->centre >= 0)
      out[(b->centre + a) * (stride + 1)] = b->mass;
  }
}

void cst_read_body_masses(cst_reading *r) {
  cst_system *s = r->s;
  s->raised = s->flat >= 0 && cst_yaml_size(cst_yaml_get(r->root, "nonholonomic")) > 0;
  if (s->raised)
    s->flat = -1;
  const bool full = wants_matrix(s);
  const int  n = s->nq;
  const int  np = s->nplain;
  if (full && n > CST_MOST_FULL) {
    cst_yaml_error(r->doc, cst_yaml_get(r->root, s->matrix ? "mass" : "bodies"), r->d,
                   "a mass matrix of %d coordinates; at most %d are allowed if it or an inertia is "
                   "not diagonal%s",
                   n, CST_MOST_FULL,
                   s->matrix ? "" : "; with principal axes as body axes there is no limit");
    return;
  }
  const size_t rows = (size_t)n;
  const size_t size = full ? rows * rows : rows;
  cst_node    *mass = cst_system_keep(s, size, sizeof *mass);
  for (size_t i = 0; i < size; i++)
    mass[i] = cst_graph_constant(s->graph, 0);
  for (int i = 0; i < np; i++)
    for (int j = 0; j < np; j++) {
      if (s->matrix || i == j)
        mass[full ? i * n + j : i] = s->mass[s->matrix ? i * np + j : i];
    }
  for (int k = 0; k < s->nbodies; k++) {
    put_body(s, &s->bodies[k], mass, full ? n : 0);
    if (s->raised)
      raise_body(s, &s->bodies[k], mass, n);
  }
  s->mass = mass;
  s->matrix = full;
  s->general |= full;
}
