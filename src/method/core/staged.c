/* staged.c: the core of discretization maps with the constraint at their stage point instead of the ends of
 * steps.
 *
 *   P = p0 - (1-theta) (h grad V(q_m) + G(q_m)'L),   q_m = q0 + theta h M^-1 P,   g(q_m) = 0
 *   q1 = q0 + h M^-1 P,   p1 = P - theta (h grad V(q_m) + G(q_m)'L)
 *
 * Barbero-Linan, Martin de Diego, Sato, (1.2). Unknowns (P, L). Newton's matrix without second derivatives,
 *   [ 1  (1-theta) G' ; theta h G M^-1  0 ],
 * is solved by its Schur complement; the iteration contracts by theta (1-theta) h^2 |V'' + L.g''/h| and is
 * run to its end. The multipliers are L/h. Near q_m the equations have one solution for small h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE staged
#define CORE_IS_NARROW_TOO

struct data {
  double theta; /* position of the stage in the step, between 0 and 1 */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#define NX (NQ + NG)
#define KEEPS_NOTHING
#define CONVERGES_LINEARLY
#define NX_TESTED       NQ
#define MET_FROM        NQ
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G, (L)->qm, (L)->slack)

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(qm, NQ)                                                                                        \
  X(dV, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

/* The unknowns start with the force at q0 and without an impulse. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd left = (1 - OWN(j)->theta) * H(j);
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++)
    x[i] = L->p[i] - left * L->dV[i];
  cst_open_impulses(C, j, L->impulse);
  for (int a = 0; a < NG; a++)
    x[NQ + a] = vset(0);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const double theta = OWN(j)->theta;
  const vd     h = H(j);
  const vd    *minv = L->minv;
  vd           off = vset(0), size = vset(0);
  USES_G
  for (int i = 0; i < NQ; i++)
    L->qm[i] = L->q[i] + (theta * h) * (MINV(i) * x[i]);
  K_dV(L->c, L->qm, L->dV);
  K_g(L->c, L->qm, f + NQ);
  K_G(L->c, L->qm, L->G);
  for (int i = 0; i < NQ; i++) {
    vd kick = h * L->dV[i];
    COL_G(i, a, e)
      kick += L->G[e] * x[NQ + a];
    f[i] = (x[i] - L->p[i]) + (1 - theta) * kick;
    off = vmax(vabs(f[i]), off);
    size = vmax(vmax(vabs(x[i]), vabs(L->p[i])), vmax(vabs(kick), size));
  }
  return cst_on_manifold(C, f + NQ, L->G, L->qm, L->slack) & (vl)(off <= (8 * EPS) * size);
}

/* theta (1-theta) h G M^-1 G' t = g - theta h G M^-1 f */
CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  const double theta = OWN(j)->theta;
  const vd     h = H(j);
  const vd    *minv = L->minv;
  vd          *t = d + NQ, S[ROOM(GRAM_SIZE)], part[ROOM(NMASS)];
  (void)x;
  USES_G
  for (int a = 0; a < NG; a++) {
    t[a] = f[NQ + a];
    ROW_G(a, i, e)
      t[a] -= (theta * h) * (L->G[e] * MINV(i)) * f[i];
  }
  for (int k = 0; k < NMASS; k++)
    part[k] = (theta * (1 - theta) * h) * L->minv[k];
  cst_gram_fill(C, L->G, L->G, part, theta * (1 - theta) * h, 1, S);
  cst_gram_solve(C, S, t, 1);
  for (int i = 0; i < NQ; i++) {
    d[i] = -f[i];
    COL_G(i, a, e)
      d[i] -= (1 - theta) * (L->G[e] * t[a]);
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const double theta = OWN(j)->theta;
  const vd     h = H(j);
  const vd    *minv = L->minv;
  USES_G
  for (int i = 0; i < NQ; i++) {
    vd kick = h * L->dV[i];
    COL_G(i, a, e)
      kick += L->G[e] * x[NQ + a];
    L->q[i] += h * (MINV(i) * x[i]);
    L->p[i] = x[i] - theta * kick;
  }
  for (int a = 0; a < NG; a++)
    L->impulse[a] += x[NQ + a];
}

#include "method/core/march.h"
#else
#include <math.h>
#include "method/substep.h"

CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return fabs(x->theta - y->theta) <= 1e-14;
}

static bool adjoint(void *of) {
  struct data *x = of;
  x->theta = 1 - x->theta;
  return true;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  (void)x;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->nq + s->ng,
      .fixed = 1,
      .each = 1,
      .solves_each = 1,
      .cost = 10 * cst_substep_unit(s),
  };
}

static bool coupling(const void *x, const cst_system *s, cst_coupling *c) {
  (void)x, (void)s;
  *c = (cst_coupling){.blocks = 1,
                      .force = true,
                      .bends = true,
                      .impulses = 1,
                      .mass = true,
                      .power = 1,
                      .sign = 1,
                      .rests = true};
  return true;
}

static const cst_substep_row row = {
    .name = "staged",
    .data = sizeof(struct data),
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .coupling = coupling,
};

cst_substep cst_staged(double fraction, double theta) {
  return cst_substep_of(&row, fraction, &(struct data){theta});
}
#endif
