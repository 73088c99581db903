/* ends.c: the core of compositions of unconstrained steps with the constraint at the two ends of the whole.
 *
 *   P = p0 - G(q0)'L,   (q1, P1) = leapfrog steps of gamma_i h without constraint from (q0, P),   g(q1) = 0
 *   p1 = P1 - G(q1)'m,  G(q1) M^-1 p1 = 0
 *
 * Barbero-Linan, Martin de Diego, Sato, (5.7) as Example 5.1 reads it. Unknowns L, with the matrix h G(q1)
 * M^-1 G(q0)', with which the iteration contracts by O(h^2). The multipliers are the sum L + m over h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE ends

struct data {
  const double *gamma; /* [n], of sum 1 */
  int           n;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#define NX              NG
#define MET_FROM        0
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#define KEEPS_NOTHING
#define CONVERGES_LINEARLY

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(dV0, NQ)                                                                                       \
  X(dV, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(p1, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  (void)record;
  K_G(L->c, L->q, L->G);
  K_dV(L->c, L->q, L->dV0);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  cst_open_impulses(C, j, L->impulse);
  for (int a = 0; a < NG; a++)
    x[a] = vset(0);
}

/* p1 -= part dV, with dV at q1. */
CST_INLINE void kick(const cst_context *C, struct local *L, vd part, const vd *dV) {
  for (int i = 0; i < NQ; i++)
    L->p1[i] -= part * dV[i];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const struct data *s = OWN(j);
  const vd          *minv = L->minv;
  USES_G
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i];
    L->p1[i] = L->p[i];
    COL_G(i, a, e)
      L->p1[i] -= L->G[e] * x[a];
  }
  kick(C, L, (0.5 * s->gamma[0]) * H(j), L->dV0);
  for (int k = 0; k < s->n; k++) {
    const double next = k + 1 < s->n ? s->gamma[k + 1] : 0;
    for (int i = 0; i < NQ; i++)
      L->q1[i] += (s->gamma[k] * H(j)) * (MINV(i) * L->p1[i]);
    K_dV(L->c, L->q1, L->dV);
    kick(C, L, (0.5 * (s->gamma[k] + next)) * H(j), L->dV);
  }
  K_g(L->c, L->q1, f);
  K_G(L->c, L->q1, L->G1);
  return cst_on_manifold(C, f, L->G1, L->q1, L->slack);
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  vd S[ROOM(GRAM_SIZE)], part[ROOM(NMASS)];
  (void)x;
  for (int k = 0; k < NMASS; k++)
    part[k] = H(j) * L->minv[k];
  for (int a = 0; a < NG; a++)
    d[a] = f[a];
  cst_gram_fill(C, L->G1, L->G, part, H(j), 0, S);
  cst_gram_solve(C, S, d, 0);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)];
  (void)j;
  cst_make_tangent(C, L->c, L->q1, L->G1, L->minv, L->p1, m);
  for (int a = 0; a < NG; a++)
    L->impulse[a] += x[a] + m[a];
  CST_TAKE(L->q, L->q1, NQ);
  CST_TAKE(L->p, L->p1, NQ);
  CST_TAKE(L->G, L->G1, NNZ_G);
  CST_TAKE(L->dV0, L->dV, NQ);
}

#include "method/core/march.h"
#else
#include "method/substep.h"

CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  return ((const struct data *)one)->gamma == ((const struct data *)other)->gamma;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct data *x = of;
  return (cst_substep_size){
      .stages = x->n,
      .unknowns = s->ng,
      .fixed = 1,
      .each = x->n,
      .solves_fixed = 1,
      .solves_each = 1,
      .cost = 6.0 * x->n * cst_substep_unit(s),
  };
}

static const cst_substep_row row = {
    .name = "ends",
    .data = sizeof(struct data),
    .same = same,
    .adjoint = cst_is_own_adjoint, /* the gammas are palindromic */
    .size = size,
};

cst_substep cst_ends(double fraction, const double *gamma, int n) {
  return cst_substep_of(&row, fraction, &(struct data){gamma, n});
}
#endif
