/* symmetric.c: the core of the symmetric projection of a Runge-Kutta layer onto both constraints.
 *
 *   q~ = q0 + G(q0)'m,   v~ = v0 + G(q0)'n,   (q^, v^) = R_h(q~, v~)
 *   q1 = q^ + G(q1)'m,   v1 = v^ + G(q1)'n,   g(q1) = 0,   G(q1) v1 = 0
 *
 * with the same m and n at both ends. Unknowns: q1, the accelerations A_i of an implicit tableau, m, n. They
 * are iterated together: the A_i functionally, the others by Newton's method with S = G(q1) G(q1)' for both
 * ends,
 *
 *   2 S dn = -G1 v1,   2 S dm = -g - G1 (q^ + G1'm - q1) - h S dn
 *
 * which contracts by O(h). The multipliers are those of M A = f - G'lambda at the state.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/texts/lane-layer.h"
#define CORE symmetric

struct data {
  cst_lane_layer layer;
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* the sizes depend on the number of stages */
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#define NX (MARCH->unknowns)
#define KEEPS_NOTHING
#define CONVERGES_LINEARLY
#define NX_TESTED (NX - 2 * NG)

/* The unknowns. */
#define AT_A NQ
#define AT_M (NX - 2 * NG)
#define AT_N (NX - NG)

/* qt, vt, qh, vh: with ~ and ^. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(qt, NQ)                                                                                        \
  X(vt, NQ)                                                                                        \
  X(qh, NQ)                                                                                        \
  X(vh, NQ)                                                                                        \
  X(G0, NNZ_G)                                                                                     \
  X(G1, NNZ_G)                                                                                     \
  X(V, MARCH->stages *NQ)                                                                          \
  X(A, MARCH->stages *NQ)                                                                          \
  X(lambda, NG)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

/* out := base + G'x. */
static void add_normal(const cst_context *C, const vd *base, const vd *G, const vd *x, vd *out) {
  USES_G
  for (int i = 0; i < NQ; i++) {
    out[i] = base[i];
    COL_G(i, a, e)
      out[i] += G[e] * x[a];
  }
}

/* out := base + h sum_l row_l K_l over n stages. */
CST_INLINE void add_stages(const cst_context *C, vd h, const double *row, int n, const vd *base,
                           const vd *K, vd *out) {
  for (int k = 0; k < NQ; k++) {
    out[k] = base[k];
    for (int l = 0; l < n; l++)
      out[k] += (h * row[l]) * K[l * NQ + k];
  }
}

/* Accelerations at the stages from (qt, vt) into A: one after the other, or, where the tableau is implicit,
 * at the stages of the accelerations `from`. */
CST_INLINE void take_stages(const cst_context *C, struct local *L, int j, const vd *from, vd *A) {
  const cst_lane_layer *s = &OWN(j)->layer;
  vd                    Q[ROOM(NQ)];
  for (int i = 0; i < s->stages && s->implicit; i++)
    add_stages(C, H(j), s->a + i * s->stages, s->stages, L->vt, from, L->V + i * NQ);
  for (int i = 0; i < s->stages; i++) {
    const double *row = s->a + i * s->stages;
    if (!s->implicit)
      add_stages(C, H(j), row, i, L->vt, A, L->V + i * NQ);
    add_stages(C, H(j), row, s->implicit ? s->stages : i, L->qt, L->V, Q);
    cst_acceleration(C, L->c, L->minv, Q, L->V + i * NQ, A + i * NQ, L->lambda);
  }
}

/* The unknowns start with the state and its acceleration, without multipliers. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd A[ROOM(NQ)];
  cst_velocity(C, L->c, L->m, L->q, L->p, L->v);
  K_G(L->c, L->q, L->G0);
  cst_acceleration(C, L->c, L->minv, L->q, L->v, A, L->lambda);
  for (int i = 0; i < NQ; i++)
    x[i] = L->q[i] + H(j) * L->v[i];
  for (int k = 0; k < AT_M - AT_A; k++)
    x[AT_A + k] = A[k % NQ];
  for (int a = 0; a < 2 * NG; a++)
    x[AT_M + a] = vset(0);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const cst_lane_layer *s = &OWN(j)->layer;
  vd                    v1[ROOM(NQ)];
  USES_G
  add_normal(C, L->q, L->G0, x + AT_M, L->qt);
  add_normal(C, L->v, L->G0, x + AT_N, L->vt);
  take_stages(C, L, j, x + AT_A, s->implicit ? f + AT_A : L->A);
  for (int k = 0; k < s->stages * NQ && s->implicit; k++) {
    L->A[k] = x[AT_A + k];
    f[AT_A + k] -= x[AT_A + k];
  }
  add_stages(C, H(j), s->b, s->stages, L->qt, L->V, L->qh);
  add_stages(C, H(j), s->b, s->stages, L->vt, L->A, L->vh);
  K_G(L->c, x, L->G1);
  K_g(L->c, x, f + AT_M);
  add_normal(C, L->qh, L->G1, x + AT_M, f);
  add_normal(C, L->vh, L->G1, x + AT_N, v1);
  for (int i = 0; i < NQ; i++)
    f[i] -= x[i];
  for (int a = 0; a < NG; a++) {
    f[AT_N + a] = vset(0);
    ROW_G(a, i, e)
      f[AT_N + a] += L->G1[e] * v1[i];
  }
  return vmask(0); /* stagnation ends the iteration */
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  vd *dm = d + AT_M, *dn = d + AT_N, S[ROOM(GRAM_SIZE)], both[ROOM(NQ)];
  (void)x;
  USES_G
  for (int k = 0; k < AT_M; k++)
    d[k] = f[k];
  for (int a = 0; a < NG; a++) {
    dn[a] = -0.5 * f[AT_N + a];
    dm[a] = -0.5 * f[AT_M + a];
    ROW_G(a, i, e)
      dm[a] -= 0.5 * (L->G1[e] * f[i]);
  }
  cst_gram_fill(C, L->G1, L->G1, NULL, vset(1.0), 1, S);
  cst_gram_solve(C, S, dn, 1);
  cst_gram_fill(C, L->G1, L->G1, NULL, vset(1.0), 1, S);
  cst_gram_solve(C, S, dm, 1);
  for (int a = 0; a < NG; a++)
    dm[a] -= (0.5 * H(j)) * dn[a];
  add_normal(C, d, L->G1, dm, both);
  add_normal(C, both, L->G0, dm, d);
  for (int a = 0; a < NG; a++)
    S[a] = H(j) * dn[a];
  add_normal(C, d, L->G0, S, both);
  for (int i = 0; i < NQ; i++)
    d[i] = both[i];
}

/* The correction that the test of round-off makes: what the stages change reaches q and v too. (In the iteration it does
 * with the next residual.) */
static void correct_all(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                        vd *d) {
  const cst_lane_layer *s = &OWN(j)->layer;
  vd                    y[ROOM(NX)], v[ROOM(NQ)], zero[ROOM(NQ)];
  USES_G
  for (int k = 0; k < NX; k++)
    y[k] = f[k];
  for (int k = 0; k < NQ; k++)
    v[k] = zero[k] = vset(0);
  if (s->implicit) {
    for (int i = 0; i < s->stages; i++)
      add_stages(C, H(j), s->a + i * s->stages, s->stages, zero, f + AT_A, L->V + i * NQ);
    add_stages(C, H(j), s->b, s->stages, f, L->V, y);
    add_stages(C, H(j), s->b, s->stages, zero, f + AT_A, v);
  }
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e)
      y[AT_N + a] += L->G1[e] * v[i];
  }
  direction(C, L, j, x, y, d);
}
#define REST_DIRECTION correct_all

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd unused[ROOM(NG)];
  for (int i = 0; i < NQ; i++)
    L->q[i] = x[i];
  add_normal(C, L->vh, L->G1, x + AT_N, L->v);
  cst_momentum(C, L->c, L->m, L->q, L->v, L->p);
  cst_make_tangent(C, L->c, L->q, L->G1, L->minv, L->p, unused); /* by round-off */
}

#include "method/core/march.h"
#else
#include "method/substep.h"

struct parameters {
  cst_layer layer;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return cst_program_same_layer(&x->layer, &y->layer);
}

static bool adjoint(void *of) {
  cst_layer *x = &((struct parameters *)of)->layer;
  x->tableau = cst_tableau_adjoint(&x->tableau);
  return true;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const cst_layer *x = &((const struct parameters *)of)->layer;
  const int        stages = cst_program_layer_stages(x);
  return (cst_substep_size){
      .stages = stages,
      .unknowns = s->nq + (x->tableau.implicit ? stages * s->nq : 0) + 2 * s->ng,
      .fixed = stages,
      .each = stages,
      .solves_fixed = stages * cst_substep_solves(s),
      .solves_each = 2 + stages * cst_substep_solves(s),
      .cost = 40.0 * stages * cst_substep_unit(s),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  CST_TRY(cst_stepper_bind_layer(with, &x->layer, false, &((struct data *)lane)->layer));
  return 0;
}

static const cst_substep_row row = {
    .name = "symmetric",
    .data = sizeof(struct parameters),
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .bind = bind,
};

cst_substep cst_symmetric(double fraction, const cst_layer *l) {
  return cst_substep_of(&row, fraction, &(struct parameters){*l});
}
#endif
