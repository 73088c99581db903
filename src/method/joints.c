/* joints.c: sparsity of the reduced constraints, and the elimination of their matrix. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/joints.h"
#include "core/need.h"
#include "system/internal.h"

static void *zeros(size_t n, size_t size) { return cst_need(calloc(n + 1, size)); }

/* The ordinary coordinates in list[nq], and the index of each coordinate among the variations; for a body the
 * index of the first of its three, encoded as -1 - index. */
static int number(const cst_system *s, int *list, int *variation) {
  int n = 0;
  for (int b = 0; b < s->model->nbodies; b++)
    for (int k = 0; k < 9; k++)
      variation[s->model->bodies[b].rotation + k] = -1 - 3 * b;
  for (int i = 0; i < s->nq; i++)
    if (variation[i] >= 0) {
      list[n] = i;
      variation[i] = 3 * s->model->nbodies + n++;
    }
  return n;
}

/* Inserts v into the ascending list[n] unless it is there; returns the new length. */
static int insert(int *list, int n, int v) {
  int at = n;
  while (at > 0 && list[at - 1] > v)
    at--;
  if (at > 0 && list[at - 1] == v)
    return n;
  for (int k = n; k > at; k--)
    list[k] = list[k - 1];
  list[at] = v;
  return n + 1;
}

/* The columns of reduced row a that may be nonzero, ascending. */
static int columns_of(const cst_joints *j, const cst_system *s, int a, const int *variation,
                      int *list) {
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  bool               any = false;
  int                n = 0;
  CST_EACH_ENTRY(G, a, e) {
    const int v = variation[G->column[e]];
    any |= v >= 0;
    if (v >= 0)
      n = insert(list, n, v);
    for (int i = 0; i < 3 && v < 0; i++)
      n = insert(list, n, -1 - v + i);
  }
  for (int k = 0; k < j->ordinary && any && j->coupled; k++)
    n = insert(list, n, 3 * j->bodies + k);
  return n;
}

/* Makes the reduced pattern, and finds where the entries of G enter it. */
static void fill_pattern(cst_joints *j, const cst_system *s, const int *variation) {
  const int          columns = 3 * j->bodies + j->ordinary;
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  int               *row = NULL, *column = NULL;
  int               *place = zeros((size_t)columns, sizeof *place);
  int               *list = zeros((size_t)columns, sizeof *list);
  for (int a = 0, room = 0; a < j->n; a++) {
    const int n = columns_of(j, s, a, variation, list);
    if (room < j->reduced + n) {
      room = 2 * (j->reduced + n);
      row = cst_need(realloc(row, (size_t)room * sizeof *row));
      column = cst_need(realloc(column, (size_t)room * sizeof *column));
    }
    for (int k = 0; k < n; k++) {
      row[j->reduced] = a;
      column[j->reduced] = list[k];
      place[list[k]] = j->reduced++;
    }
    CST_EACH_ENTRY(G, a, e) {
      const int i = G->column[e];
      const int v = variation[i];
      const int axis = v < 0 ? (i - j->rotation[(-1 - v) / 3]) % 3 : 0;
      j->entry[e] = v >= 0 ? (cst_joint_entry){place[v], -1, 0}
                           : (cst_joint_entry){place[-1 - v], i - axis, axis};
    }
  }
  j->view.model->pattern[CST_K_G] =
      cst_structure_pattern_create(j->n, columns, j->reduced, row, column);
  free(row);
  free(column);
  free(place);
  free(list);
}

/* True if the mass matrix has off-diagonal entries between ordinary coordinates. */
static bool is_coupled(const cst_joints *j, const cst_system *s) {
  const cst_pattern *M = &s->model->pattern[CST_K_M];
  for (int k = 0; k < j->ordinary && !cst_has(s, CST_SEPARABLE); k++)
    CST_EACH_ENTRY(M, j->coordinate[k], e)
      if (M->column[e] != j->coordinate[k])
        return true;
  return false;
}

/* True if the force is constant, and turns no body. */
static bool is_linear(const cst_joints *j, const cst_system *s) {
  bool linear = cst_has(s, CST_LINEAR_V);
  for (int b = 0; b < j->bodies; b++)
    for (int e = 0; e < 9; e++)
      linear &=
          cst_graph_is_zero(s->model->graph, s->model->kernel_out[CST_K_dV][j->rotation[b] + e]);
  return linear;
}

cst_joints *cst_joints_create(const cst_system *s) {
  cst_joints *j = zeros(1, sizeof *j);
  j->view.model = &j->model;
  int *variation = zeros((size_t)s->nq, sizeof *variation);
  j->bodies = s->model->nbodies;
  j->n = s->model->nown;
  j->entries = s->model->pattern[CST_K_G].start[s->model->nown];
  j->rotation = zeros((size_t)s->model->nbodies, sizeof(int));
  j->centre = zeros((size_t)s->model->nbodies, sizeof(int));
  j->inertia = zeros(6 * (size_t)s->model->nbodies, sizeof(int));
  j->coordinate = zeros((size_t)s->nq, sizeof(int));
  j->entry = zeros((size_t)j->entries, sizeof *j->entry);
  j->principal = true;
  for (int b = 0; b < s->model->nbodies; b++) {
    j->rotation[b] = s->model->bodies[b].rotation;
    for (int e = 0; e < 6; e++)
      j->inertia[6 * b + e] = s->model->bodies[b].at[e];
    for (int e = 1; e < 5; e++)
      j->principal &= e == 3 || cst_graph_is_zero(s->model->graph, s->model->bodies[b].inertia[e]);
  }
  j->ordinary = number(s, j->coordinate, variation);
  for (int b = 0; b < s->model->nbodies; b++)
    j->centre[b] = s->model->bodies[b].centre < 0
                       ? -1
                       : variation[s->model->bodies[b].centre] - 3 * s->model->nbodies;
  j->coupled = is_coupled(j, s);
  j->linear = is_linear(j, s);
  fill_pattern(j, s, variation);
  free(variation);
  j->view.nq = 3 * j->bodies + j->ordinary;
  j->view.ng = j->n;
  /* rows that share a body, or a mass matrix, share all its variations, so that the pattern has every coupling */
  j->view.model->traits = CST_MASS_DIAGONAL | (s->model->traits & CST_SEPARABLE);
  j->view.model->dropped = s->model->dropped;
  if (cst_system_structure(&j->view))
    return j;
  cst_joints_destroy(j);
  return NULL;
}

void cst_joints_destroy(cst_joints *j) {
  if (!j)
    return;
  cst_structure_pattern_destroy(&j->view.model->pattern[CST_K_G]);
  cst_structure_gram_destroy(&j->view.model->gram);
  free(j->rotation);
  free(j->centre);
  free(j->inertia);
  free(j->coordinate);
  free(j->entry);
  free(j);
}
