/* saddle.c: the core of implicit tableaus on long systems with constraints under PETSc's own solvers: the step of rk.c,
 * with the multipliers of its stages among the unknowns.
 *
 *   V_i = v + h sum_j a_ij A_j,   Q_i = q + h sum_j a_ij V_j
 *   M A_i + grad V(Q_i) + G(Q_i)' lambda_i = 0,   G(Q_i) A_i + D2g(Q_i)[V_i, V_i] = 0
 *   q += h sum b_i V_i,   v += h sum b_i A_i
 *
 * rk.c has the A_i alone, whose equations hold the inverse of G M^-1 G': their Jacobian is full. Here it has the
 * pattern of G and of the Hessians of V and g, between all stages. With alpha or beta the second line is that of
 * Baumgarte's stabilised equation, G A = -D2g[v, v] - 2 alpha G v - beta^2 g. Masses are constant, and nothing depends on
 * t (`sparse` in rk.c).
 *
 * Unknowns are A[s][nq], then lambda[s][ng]. A correction of lanes, which make the step where PETSc's solvers do not,
 * solves the equations of each stage at its Q and V: the functional iteration of rk.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/texts/lane-layer.h"
#define CORE saddle

struct data {
  cst_lane_layer layer;
  double         alpha, beta; /* of Baumgarte's stabilisation; 0: none */
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* the sizes depend on the number of stages */
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#ifndef CST_COLD
#define NX           (MARCH->unknowns)
#define NX_PREDICTED NX
#define NX_TESTED    (MARCH->stages * NQ)
#define PREDICTS_FREELY
#define NP NQ /* steps start from L->v: noise on p follows this core as a separate step */

/* V, G: of the stages at the last evaluation. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(V, MARCH->stages *NQ)                                                                          \
  X(G, MARCH->stages *NNZ_G)                                                                       \
  X(Q, NQ)                                                                                         \
  X(force, NQ)                                                                                     \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vd        size; /* with which updates are compared */
  vl        near; /* not used here */
  vd        remote;
};
#define SIZE(L) (L)->size

#include "method/core/by-velocity.h"
#include "method/core/rk.h"

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  velocity(C, L);
  L->remote = CST_REMOTE * *cst_block(record, LAYOUT(C).extent);
  L->near = vmask(0);
}

/* base + h sum_l a_il K_l */
CST_INLINE void stage(const cst_context *C, int j, int i, const vd *base, const vd *K, vd *out) {
  const cst_lane_layer *s = &OWN(j)->layer;
  for (int k = 0; k < NQ; k++) {
    out[k] = base[k];
    for (int l = 0; l < s->stages; l++)
      if (s->a[i * s->stages + l] != 0)
        out[k] += (H(j) * s->a[i * s->stages + l]) * K[l * NQ + k];
  }
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)C, (void)L, (void)j, (void)x;
}

/* f := M A + grad V + G'lambda at stage i, whose Q is there; most: the largest of its terms over M. */
CST_INLINE void balance(const cst_context *C, struct local *L, int i, const vd *A, const vd *lambda,
                        vd *f, vd *most) {
  const vd *const G = L->G + i * NNZ_G, *const minv = L->minv;
  USES_G
  cst_force(C, L->c, NULL, L->Q, L->V + i * NQ, L->force);
  for (int k = 0; k < NQ; k++) {
    vd terms = vabs(L->force[k]);
    f[k] = vpick(MASS_UNIT, A[k], L->m[CLASS(k)] * A[k]) - L->force[k];
    COL_G(k, a, e) {
      f[k] += G[e] * lambda[a];
      terms += vabs(G[e] * lambda[a]);
    }
    *most = vmax(MINV(k) * terms, *most);
  }
}

/* f := G A + D2g[V, V] at stage i, and what stabilises it. */
CST_INLINE void constrain(const cst_context *C, struct local *L, int j, int i, const vd *A, vd *f) {
  const double    alpha = OWN(j)->alpha, beta = OWN(j)->beta;
  const vd *const G = L->G + i * NNZ_G, *const V = L->V + i * NQ;
  vd g[ROOM(NG)];
  USES_G
  K_D2gvv(L->c, L->Q, V, f);
  if (beta != 0)
    K_g(L->c, L->Q, g);
  for (int a = 0; a < NG; a++) {
    vd rate = vset(0);
    ROW_G(a, k, e) {
      f[a] += G[e] * A[k];
      rate += G[e] * V[k];
    }
    if (alpha != 0)
      f[a] += (2 * alpha) * rate;
    if (beta != 0)
      f[a] += (beta * beta) * g[a];
  }
  cst_gram_drop(C, f);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const int       s = MARCH->stages;
  const vd *const lambda = x + s * NQ;
  vd              far = vset(0), most = vset(0);
  for (int k = 0; k < NQ; k++)
    far = vmax(vabs(L->q[k]), far);
  for (int i = 0; i < s; i++)
    stage(C, j, i, L->v, x, L->V + i * NQ);
  for (int i = 0; i < s; i++) {
    stage(C, j, i, L->q, L->V, L->Q);
    K_G(L->c, L->Q, L->G + i * NNZ_G);
    balance(C, L, i, x + i * NQ, lambda + i * NG, f + i * NQ, &most);
    constrain(C, L, j, i, x + i * NQ, f + s * NQ + i * NG);
  }
  L->size = most * vmax(far / L->remote, vset(1));
  return vmask(0); /* stagnation ends the iteration */
}

/* S t = f_lambda - G M^-1 f_A,   M d = -f_A - G't at each stage */
static __attribute__((noinline)) void direction(const cst_context *C, const struct local *L, int j,
                                                const vd *x, const vd *f, vd *d) {
  const int       s = MARCH->stages;
  const vd *const minv = L->minv;
  vd              S[ROOM(GRAM_SIZE)];
  (void)j, (void)x;
  USES_G
  for (int i = 0; i < s; i++) {
    const vd *const G = L->G + i * NNZ_G, *const r = f + i * NQ;
    vd *const t = d + s * NQ + i * NG;
    for (int a = 0; a < NG; a++) {
      t[a] = f[s * NQ + i * NG + a];
      ROW_G(a, k, e)
        t[a] -= (G[e] * MINV(k)) * r[k];
    }
    cst_gram_fill(C, G, G, minv, vset(1.0), 1, S);
    cst_gram_solve(C, S, t, 1);
    for (int k = 0; k < NQ; k++) {
      vd sum = -r[k];
      COL_G(k, a, e)
        sum -= G[e] * t[a];
      d[i * NQ + k] = MINV(k) * sum;
    }
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  add_stages(C, L, j, x);
  end_state(C, L);
}

#include "method/core/march.h"
#endif
#else
#include "method/core/rk.h"

static cst_substep_size size(const void *of, const cst_system *s) {
  const int stages = cst_program_layer_stages(&((const struct parameters *)of)->layer);
  const int unknowns = stages * (s->nq + s->ng), iterations = 5;
  return (cst_substep_size){
      .stages = stages,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = unknowns,
      .each = stages,
      .solves_each = stages,
      .cost = 4.0 * stages * iterations * cst_substep_unit(s),
  };
}

static bool coupling(const void *of, const cst_system *s, cst_coupling *c) {
  const struct parameters *x = of;
  const int                stages = cst_program_layer_stages(&x->layer);
  (void)s;
  *c = (cst_coupling){
      .blocks = stages, .force = true, .bends = true, .impulses = stages, .power = 2, .sign = 1};
  return true;
}

static const cst_substep_row row = {
    .name = "saddle",
    .data = sizeof(struct parameters),
    .same = same,
    .size = size,
    .coupling = coupling,
    .bind = bind,
};

cst_substep cst_saddle(double fraction, const cst_layer *l, double alpha, double beta) {
  return cst_substep_of(&row, fraction, &(struct parameters){*l, alpha, beta});
}
#endif
