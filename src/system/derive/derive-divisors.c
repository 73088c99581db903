/* derive-divisors.c: quotients and roots in the functions of a system and in its kernels.
 *
 * A division takes as long as three to eight products, a root twice that. Functions are rewritten before they
 * are differentiated, so that derivatives of 1/b are made of products with 1/b, and those of 1/sqrt(x) of its
 * powers. Numbers that depend on parameters alone are left as they are.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/derive/derive.h"

static bool moves(const cst_graph *g, cst_node n) {
  return n >= 0 && (cst_graph_depends(g, n, 'q') || cst_graph_depends(g, n, 'v'));
}

typedef struct {
  cst_node **at; /* where the functions are kept */
  cst_node  *f;
  int        n;
} functions;

static void add(const cst_system *s, functions *all, cst_node *f, int n) {
  for (int i = 0; f && i < n; i++)
    if (moves(s->graph, f[i])) {
      all->at[all->n] = &f[i];
      all->f[all->n++] = f[i];
    }
}

void cst_derive_share_divisors(cst_system *s) {
  const int nq = s->nq;
  const int masses = s->matrix ? nq * nq : nq;
  const int most = 2 + s->ng + masses + nq + s->nvel + s->nforce * nq + s->nsym * (nq + 1);
  functions all = {cst_zeros(most, sizeof *all.at), cst_derive_memory(most), 0};
  add(s, &all, &s->V, 1);
  add(s, &all, &s->stiff, s->stiff_text ? 1 : 0);
  add(s, &all, s->g, s->ng);
  add(s, &all, s->mass, masses);
  add(s, &all, s->a, s->gyroscopic ? nq : 0);
  add(s, &all, s->phi, s->nvel);
  add(s, &all, s->force, s->nforce * nq);
  add(s, &all, s->xi, s->nsym * nq);
  add(s, &all, s->gauge, s->nsym);
  cst_graph_share_divisors(s->graph, all.f, all.n, all.f);
  for (int i = 0; i < all.n; i++)
    *all.at[i] = all.f[i];
  free(all.at);
  free(all.f);
}

void cst_derive_share_roots(cst_system *s) {
  for (int k = 0; k < CST_K_COUNT; k++) {
    cst_node *out = s->kernel_out[k];
    const int n = s->kernel_size[k];
    if (out && cst_graph_share_divisors(s->graph, out, n, out))
      cst_graph_gather_scales(s->graph, out, n, out);
  }
}
