/* derive-potential.c: the potential, its derivatives, and the kernels of linearly implicit methods (see
 * derive.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include "system/derive/derive.h"

void cst_derive_potential(const cst_derivation *d) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_derive_kernel(s, CST_K_V, 1)[0] = s->V;
  cst_node *dV = cst_derive_kernel(s, CST_K_dV, n);
  cst_graph_gradient(d->graph, &s->V, &d->one, 1, d->q, n, dV);
  s->bent = !s->npairs;
  if (!s->bent)
    return;
  cst_derive_jacobian(d, CST_K_d2V, dV, n, true);
  s->linear_v = s->kernel_size[CST_K_d2V] == 0 && cst_graph_smoothness(d->graph, s->V) == INT_MAX;
}

/* The Hessian of the stiff part of V. */
static void derive_stiff(const cst_derivation *d) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_node   *dS = cst_derive_memory(n);
  cst_graph_gradient(d->graph, &s->stiff, &d->one, 1, d->q, n, dS);
  cst_derive_jacobian(d, CST_K_d2S, dS, n, true);
  free(dS);
}

/* D3V[w, w] without the subexpressions shared with grad V and its Hessian, which are returned in *shared
 * (owned). */
static void derive_third(const cst_derivation *d, cst_node **shared) {
  cst_graph  *g = d->graph;
  cst_system *s = d->s;
  const int   n = d->n;
  const int  *place = s->bands[0].place;
  const int  *order = s->bands[0].order;
  cst_node   *w = cst_derive_memory(n);
  cst_node   *once = cst_derive_memory(n);
  cst_node   *twice = cst_derive_memory(n);
  cst_node   *rows = cst_derive_memory(n);
  for (int i = 0; i < n; i++)
    w[i] = d->w[place[i]];
  cst_graph_tangent(g, s->kernel_out[CST_K_dV], n, d->q, w, n, once);
  cst_graph_tangent(g, once, n, d->q, w, n, twice);
  for (int r = 0; r < n; r++)
    rows[r] = twice[order[r]];
  cst_node *D3V = cst_derive_kernel(s, CST_K_D3V, n);
  s->nshared = cst_graph_split(g, rows, n, 'w', 'l', shared, D3V);
  free(w);
  free(once);
  free(twice);
  free(rows);
}

/* Kernel k: grad V by rows, the upper half of the Hessian `of`, then `more`. */
static void derive_banded(const cst_derivation *d, cst_kernel_id k, cst_kernel_id of,
                          const cst_bands *b, const cst_node *more, int nmore) {
  const int   n = d->n;
  cst_system *s = d->s;
  cst_node   *out = cst_derive_kernel(s, k, n + b->n + nmore);
  for (int r = 0; r < n; r++)
    out[r] = s->kernel_out[CST_K_dV][b->order[r]];
  for (int e = 0; e < b->n; e++)
    out[n + e] = s->kernel_out[of][b->entry[e]];
  for (int e = 0; e < nmore; e++)
    out[n + b->n + e] = more[e];
}

static bool has_constant_mass(const cst_system *s) {
  const cst_pattern *M = &s->pattern[CST_K_M];
  const cst_node    *entry = s->kernel_out[CST_K_M];
  for (int e = 0; s->general && e < M->n; e++)
    if (cst_graph_depends(s->graph, entry[e], 'q'))
      return false;
  return !s->gyroscopic;
}

void cst_derive_linear(const cst_derivation *d) {
  cst_system *s = d->s;
  cst_node   *shared;
  if (s->ng || !s->bent)
    return;
  if (!has_constant_mass(s))
    return;
  if (!cst_system_bands(s, CST_K_d2V, &s->bands[0]))
    return;
  derive_third(d, &shared);
  derive_banded(d, CST_K_dVH, CST_K_d2V, &s->bands[0], shared, s->nshared);
  free(shared);
}

void cst_derive_linear_stiff(const cst_derivation *d) {
  cst_system *s = d->s;
  if (s->ng || !s->stiff_text)
    return;
  if (!has_constant_mass(s))
    return;
  if (s->bent && !s->kernel_size[CST_K_dVH])
    return;
  derive_stiff(d);
  if (cst_system_bands(s, CST_K_d2S, &s->bands[1]))
    derive_banded(d, CST_K_dVS, CST_K_d2S, &s->bands[1], NULL, 0);
}
