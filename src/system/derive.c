/* derive.c: the kernels of a system as nodes of its graph, and what of them vanishes identically.
 *
 * Derivatives are contractions: D2g[v, v] is two forward sweeps, D2(l.g) w a reverse sweep with seed l and a forward one along w.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

const char *const cst_kernel_names[CST_K_COUNT] = {
#define X(name) #name,
    CST_KERNELS(X)
#undef X
};

static void inputs(cst_graph *g, char array, int n, cst_node *x) {
  for (int i = 0; i < n; i++) x[i] = cst_graph_input(g, array, i);
}

static cst_node *kernel(cst_system *s, cst_kernel_id k, int size) {
  s->kernel_size[k] = size;
  s->kernel_out[k] = cst_system_memory(calloc((size_t)size + 1, sizeof(cst_node)));
  return s->kernel_out[k];
}

static void derive_potential(cst_system *s, const cst_node *q) {
  cst_graph *G = s->graph;
  int        n = s->nq;
  cst_node   one = cst_graph_constant(G, 1), w[CST_MAX_Q], row[CST_MAX_Q];
  kernel(s, CST_K_V, 1)[0] = s->V;
  cst_node *dV = kernel(s, CST_K_dV, n), *d2V = kernel(s, CST_K_d2V, n * n), *d2Vw = kernel(s, CST_K_d2Vw, n);
  cst_graph_gradient(G, &s->V, &one, 1, q, n, dV);
  for (int i = 0; i < n; i++) {
    cst_graph_gradient(G, &dV[i], &one, 1, q, n, row);
    for (int j = i; j < n; j++) d2V[i * n + j] = d2V[j * n + i] = row[j]; /* symmetric to the bit */
  }
  inputs(G, 'w', n, w);
  cst_graph_tangent(G, dV, n, q, w, n, d2Vw);
}

static void derive_constraints(cst_system *s, const cst_node *q) {
  cst_graph *graph = s->graph;
  int        n = s->nq, ng = s->ng;
  cst_node   one = cst_graph_constant(graph, 1), v[CST_MAX_Q], w[CST_MAX_Q], l[CST_MAX_G], gv[CST_MAX_G], Gl[CST_MAX_Q];
  cst_node  *g = kernel(s, CST_K_g, ng), *G = kernel(s, CST_K_G, ng * n);
  cst_node  *D2gvv = kernel(s, CST_K_D2gvv, ng), *D2glw = kernel(s, CST_K_D2glw, n);
  inputs(graph, 'v', n, v);
  inputs(graph, 'w', n, w);
  inputs(graph, 'l', ng, l);
  for (int a = 0; a < ng; a++) {
    g[a] = s->g[a];
    cst_graph_gradient(graph, &g[a], &one, 1, q, n, G + a * n);
  }
  cst_graph_tangent(graph, g, ng, q, v, n, gv);
  cst_graph_tangent(graph, gv, ng, q, v, n, D2gvv);
  cst_graph_gradient(graph, g, l, ng, q, n, Gl);
  cst_graph_tangent(graph, Gl, n, q, w, n, D2glw);
}

/* Coordinates whose masses are one node share a class; classes are numbered as they appear. */
static void derive_mass(cst_system *s) {
  cst_node distinct[CST_MAX_Q];
  double   value;
  s->mass_unit = true;
  for (int i = 0; i < s->nq; i++) {
    int k = 0;
    while (k < s->nmass && distinct[k] != s->mass[i]) k++;
    if (k == s->nmass) distinct[s->nmass++] = s->mass[i];
    s->mass_class[i] = k;
    s->mass_unit &= cst_graph_is_constant(s->graph, s->mass[i], &value) && value == 1;
  }
  cst_node *out = kernel(s, CST_K_mass, s->nmass);
  for (int k = 0; k < s->nmass; k++) out[k] = distinct[k];
}

static void derive_symmetries(cst_system *s) {
  cst_node *xi = kernel(s, CST_K_xi, s->nsym * s->nq);
  for (int k = 0; k < s->nsym * s->nq; k++) xi[k] = s->xi[k];
}

static bool complete(const cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++)
    for (int i = 0; i < s->kernel_size[k]; i++)
      if (s->kernel_out[k][i] < 0) return false;
  return true;
}

/* Strike out the entries of a matrix kernel that are zero. */
static bool sparsify(cst_system *s, cst_kernel_id k, unsigned char *pattern) {
  bool empty = true;
  for (int i = 0; i < s->kernel_size[k]; i++) {
    pattern[i] = !cst_graph_is_zero(s->graph, s->kernel_out[k][i]);
    if (!pattern[i]) s->kernel_out[k][i] = -1;
    empty &= !pattern[i];
  }
  return empty;
}

bool cst_system_derive(cst_system *s) {
  cst_node q[CST_MAX_Q];
  inputs(s->graph, 'q', s->nq, q);
  derive_potential(s, q);
  derive_constraints(s, q);
  derive_mass(s);
  derive_symmetries(s);
  if (!complete(s)) return false;
  sparsify(s, CST_K_G, s->pattern_g);
  sparsify(s, CST_K_xi, s->pattern_xi);
  s->linear_v = sparsify(s, CST_K_d2V, s->pattern_v);
  return true;
}
