/* rk.c: the core of Runge-Kutta methods on the index-reduced equations q' = v, v' = A(q, v)
 * (system/lane/acceleration.h).
 *
 *   Q_i = q + h sum_j a_ij V_j,   V_i = v + h sum_j a_ij A_j,   A_i = A(Q_i, V_i)
 *   q += h sum b_i V_i,   v += h sum b_i A_i
 *
 * Explicit tableaus have no unknowns. For an implicit one the unknowns are the A_i. The functional iteration
 * A_i <- A(Q_i, V_i) contracts by about h times the Lipschitz constant and runs to stagnation: on a spring of
 * frequency w it contracts by (h w)^2 times the spectral radius of a^2, which is 1/4 for gauss(1), 1/12 for
 * gauss(2), 1/21 for gauss(3), 1/33 for gauss(4). It starts from the stages of the last steps, extrapolated
 * stage by stage: five steps predict better than the polynomial of the last one, which has no more points
 * than stages. Nothing here keeps g = 0; these methods serve for comparison.
 *
 * A layer given by formulas is one call of its value kernel, without stages.
 *
 * With alpha or beta, A is that of Baumgarte's stabilised equation, G A = -D2g[v, v] - 2 alpha G v - beta^2 g.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/texts/lane-layer.h"
#define CORE         rk
#define COMPILED_FOR .lacks = CST_STIFF
#define CORE_IS_NARROW_TOO

enum {
  MOST_STAGES = 160
}; /* largest number of unknowns for which Newton's method has a dense matrix */

struct data {
  cst_lane_layer layer;
  double         alpha, beta; /* of Baumgarte's stabilisation; 0: none */
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* the sizes depend on the number of stages */
#include "method/core/lane.h"
#include "method/texts/flow.h"
#include "system/lane/acceleration.h"
#if !CST_SIZED
#include "method/core/bands.h"
#endif

/* ---- Baumgarte's stabilisation --------------------------------------------------------------- */

/* The acceleration of the stabilised equation from that of the index-reduced one.
 *
 *   A := A - M^-1 G' (G M^-1 G')^-1 y,   y = 2 alpha G v + beta^2 g
 *
 * so that G A = -D2g[v, v] - y. Constraints on velocities have g = 0, and phi0 beside G v.
 */

/* Out of line: few studies have it, and code compiled for one system is long enough. */
static __attribute__((noinline, unused)) void cst_stabilise(const cst_context *C, const vd *c,
                                                            const vd *minv, const vd *q,
                                                            const vd *v, double alpha, double beta,
                                                            vd *A) {
  vd G[ROOM(NNZ_G)], M[ROOM(GENERAL ? NQ * NQ : 1)], X[ROOM(GENERAL ? NG * NQ : 1)];
  vd S[ROOM(GENERAL ? NG * NG : GRAM_SIZE)], y[ROOM(NG)], phi0[ROOM(NG)];
  USES_G
  if (NG == 0)
    return;
  K_G(c, q, G);
  K_g(c, q, y);
  if (AFFINE)
    K_phi0(c, q, phi0);
  for (int a = 0; a < NG; a++) {
    vd rate = vpick(AFFINE, phi0[a], vset(0));
    ROW_G(a, i, e)
      rate += G[e] * v[i];
    y[a] = (2 * alpha) * rate + (beta * beta) * vpick(a < NG - NVEL, y[a], vset(0));
  }
  if (GENERAL) {
    cst_inertia(C, c, q, M);
    cst_gram_general(C, G, M, X, S);
    cst_gram_drop(C, y);
    cst_ldl(S, NG);
    cst_lu_solve(S, y, NG);
    for (int a = 0; a < NG; a++)
      for (int i = 0; i < NQ; i++)
        A[i] -= X[a * NQ + i] * y[a];
    return;
  }
  cst_gram_fill(C, G, G, minv, vset(1.0), 1, S);
  cst_gram_solve(C, S, y, 1);
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      A[i] -= MINV(i) * (G[e] * y[a]);
}

#include "method/core/time.h"
#ifndef CST_COLD
#define NX           (MARCH->unknowns)
#define NX_PREDICTED NX
#define PREDICTS_FREELY
#define USES_STEP

/* Defined because steps start from L->v: noise on p follows this core as a separate step. */
#define NP NQ

/* Newton's method is used if a part of V is stiff; code for such a system is not compiled. */
#define IS_STIFF  (!CST_SIZED && C->system->model->kernel_size[CST_K_dVS] > 0)
#define BY_NEWTON (IS_STIFF && NX > 0 && NX <= MOST_STAGES)

/* J: Newton's matrix. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(V, MARCH->stages *NQ)                                                                          \
  X(A, MARCH->stages *NQ)                                                                          \
  X(lambda, DRIVEN || SLIPS ? MARCH->stages * NG : NG)                                             \
  X(J, BY_NEWTON ? NX *NX : 0)                                                                     \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vl        step;
  /* least size that an update is compared with: 0 except far from the origin and on stiff springs */
  vd size;
  vl near;   /* not used here */
  vl newton; /* lanes that are too stiff for the functional iteration */
  vd remote; /* larger coordinates have a round-off below which updates do not fall */
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

/* The multipliers of stage i, which are kept where they do work. */
#define LAMBDA(L, i) ((L)->lambda + (DRIVEN || SLIPS ? (i)*NG : 0))

/* A at (Q, V), with its multipliers; out of line, since it is called in three places. */
static __attribute__((noinline)) void accelerate(const cst_context *C, struct local *L, const vd *Q,
                                                 const vd *V, vd *A, vd *lambda) {
  cst_acceleration(C, L->c, L->minv, Q, V, A, lambda);
  if (OWN(0)->alpha != 0 || OWN(0)->beta != 0)
    cst_stabilise(C, L->c, L->minv, Q, V, OWN(0)->alpha, OWN(0)->beta, A);
}

/* base + h sum_l a_il K_l over the stages 0..n-1: V_i from v and A, Q_i from q and V. */
CST_INLINE void stage(const cst_context *C, int j, int i, int n, const vd *base, const vd *K,
                      vd *out) {
  const cst_lane_layer *s = &OWN(j)->layer;
  const vd              h = H(j);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    out[k] = base[k];
    for (int l = 0; l < n; l++)
      if (s->a[i * s->stages + l] != 0)
        out[k] += (h * s->a[i * s->stages + l]) * K[l * NQ + k];
  }
}

#if !CST_SIZED

/* ---- stiff springs --------------------------------------------------------------------------- */

/* Implicit tableaus: the size of round-off and, at large steps, Newton's method.
 *
 * With V = potential + stiff, M constant and f = -grad V(q) the stages solve M A_i + grad V(Q_i) = 0, Q_i = q
 * + h sum_j a_ij v + h^2 sum_l (a^2)_il A_l. Newton's matrix is 1 + h^2 (a^2)_il M^-1 Hess V(Q_i) in block
 * (i, l), dense, eliminated with pivots.
 */

/* Row and column of entry e of a Hessian, in the upper half, in the order of dVH and dVS. */
CST_INLINE int entry_row(const cst_bands *b, int e) { return b->order[b->at[e] / (b->band + 1)]; }
CST_INLINE int entry_column(const cst_bands *b, int e) {
  return b->order[b->at[e] / (b->band + 1) + b->at[e] % (b->band + 1)];
}

/* (a^2)_il */
CST_INLINE double squared(const cst_lane_layer *s, int i, int l) {
  double sum = 0;
  for (int j = 0; j < s->stages; j++)
    sum += s->a[i * s->stages + j] * s->a[j * s->stages + l];
  return sum;
}

/* x := M^-1 x */
CST_INLINE void divide_by_mass(const cst_context *C, const struct local *L, vd *x) {
  const vd *const minv = L->minv;
  if (GENERAL) {
    vd M[ROOM(NQ * NQ)];
    cst_inertia(C, L->c, L->q, M);
    cst_lu_solve(M, x, NQ);
    return;
  }
  for (int i = 0; i < NQ; i++)
    x[i] *= MINV(i);
}

/* |a^2|, the largest row sum. */
CST_INLINE double norm_of_square(const cst_lane_layer *s) {
  double most = 0;
  for (int i = 0; i < s->stages; i++) {
    double sum = 0;
    for (int l = 0; l < s->stages; l++)
      sum += fabs(squared(s, i, l));
    most = sum > most ? sum : most;
  }
  return most;
}

/* On stiff springs the round-off of q changes A by more than the round-off of A, by |M^-1| |H| |q| eps, where
 * H is the Hessian of the stiff part; updates do not become smaller. Updates are compared with a fraction of
 * this, so that much smaller ones count as converged, and somewhat larger ones as stagnating (march.h).
 * Newton's method is used in lanes in which the functional iteration would contract by less than a half, by
 * the norm of h^2 a^2 M^-1 H. */
CST_INLINE void meet_stiffness(const cst_context *C, struct local *L, int j) {
  const cst_bands *b = &C->system->model->bands[1];
  vd               bent[ROOM(NQ + b->n)];
  vd               A[ROOM(NQ)];
  vd               rows[ROOM(NQ)];
  vd               most = vset(0);
  vd               steep = vset(0);
  K_dVS(L->c, L->q, bent);
  for (int i = 0; i < NQ; i++) {
    rows[i] = vset(0);
    A[i] = vset(0);
  }
  for (int e = 0; e < b->n; e++) {
    const int i = entry_row(b, e);
    const int k = entry_column(b, e);
    const vd  entry = vabs(bent[NQ + e]);
    A[i] += entry * vabs(L->q[k]);
    rows[i] += entry;
    if (k != i) {
      A[k] += entry * vabs(L->q[i]);
      rows[k] += entry;
    }
  }
  divide_by_mass(C, L, A);
  divide_by_mass(C, L, rows);
  for (int i = 0; i < NQ; i++) {
    most = vmax(vabs(A[i]), most);
    steep = vmax(vabs(rows[i]), steep);
  }
  L->size = most * (1.0 / 256);
  L->newton = vmask(BY_NEWTON) & (vl)((H(j) * H(j) * norm_of_square(&OWN(j)->layer)) * steep > 0.5);
}

/* Block row i of Newton's matrix += h^2 a^2 M^-1 H, or that times M if M is full. */
static void add_stage(const cst_context *C, const struct local *L, int j, int i, const vd *bent) {
  const cst_bands      *b = &C->system->model->bands[0];
  const cst_lane_layer *s = &OWN(j)->layer;
  const vd *const       minv = L->minv;
  for (int l = 0; l < s->stages; l++) {
    const vd  w = H(j) * H(j) * squared(s, i, l);
    vd *const block = L->J + (size_t)(i * NQ) * (size_t)NX + l * NQ;
    for (int e = 0; e < b->n; e++) {
      const int r = entry_row(b, e);
      const int k = entry_column(b, e);
      const vd  entry = w * bent[NQ + e];
      block[r * NX + k] += vpick(GENERAL, entry, MINV(r) * entry);
      if (k != r)
        block[k * NX + r] += vpick(GENERAL, entry, MINV(k) * entry);
    }
  }
}

/* d := the correction of the stages from the residual f; uses the V that evaluate has stored. */
static __attribute__((noinline)) void newton_direction(const cst_context *C, const struct local *L,
                                                       int j, const vd *f, vd *d) {
  vd Q[ROOM(NQ)];
  vd bent[ROOM(BENT_SIZE)];
  vd M[ROOM(GENERAL ? NQ * NQ : 1)];
  if (GENERAL) {
    vd entry[ROOM(C->system->model->pattern[CST_K_M].n)];
    K_M(L->c, L->q, entry);
    cst_expand(C, CST_K_M, entry, M);
  }
  for (int k = 0; k < NX * NX; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < OWN(j)->layer.stages; i++) {
    stage(C, j, i, OWN(j)->layer.stages, L->q, L->V, Q);
    K_dVH(L->c, Q, bent);
    add_stage(C, L, j, i, bent);
    for (int r = 0; r < NQ; r++) {
      d[i * NQ + r] = GENERAL ? vset(0) : f[i * NQ + r];
      if (!GENERAL)
        L->J[(size_t)(i * NQ + r) * (NX + 1)] += 1.0;
      for (int k = 0; GENERAL && k < NQ; k++) {
        L->J[(size_t)(i * NQ + r) * NX + i * NQ + k] += M[r * NQ + k];
        d[i * NQ + r] += M[r * NQ + k] * f[i * NQ + k];
      }
    }
  }
  cst_pivoted_solve(L->J, d, NX);
}

#else
CST_INLINE void meet_stiffness(const cst_context *C, struct local *L, int j) {
  (void)C, (void)L, (void)j;
}
CST_INLINE void newton_direction(const cst_context *C, const struct local *L, int j, const vd *f,
                                 vd *d) {
  (void)C, (void)L, (void)j, (void)f, (void)d;
}
#endif

/* Far from the origin updates are compared with the acceleration at the left end, times a factor that grows
 * with the distance. */
CST_INLINE void find_size(const cst_context *C, struct local *L, int j) {
  vd far = vset(0);
  vd size = vset(0);
  vd A[ROOM(NQ)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    far = vmax(vabs(L->q[i]), far);
  L->size = vset(0);
  L->newton = vmask(0);
  if (IS_STIFF)
    meet_stiffness(C, L, j);
  if (!vany((vl)(far > L->remote)))
    return;
  accelerate(C, L, L->q, L->v, A, L->lambda);
  UNROLL
  for (int i = 0; i < NQ; i++)
    size = vmax(vabs(A[i]), size);
  const vd grown = size * (far / L->remote);
  L->size = vmax(vkeep((vl)(far > L->remote), grown), L->size);
}

/* Sets the time of stage i, at which the acceleration is evaluated. */
CST_INLINE void at_stage(const cst_context *C, struct local *L, int j, int i) {
  (void)i, (void)j, (void)L;
  SET_TIME(L, START_OF(L, j) + H(j) * cst_stage_time(&OWN(j)->layer, i));
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)x;
  SET_TIME(L, START_OF(L, j));
  if (NX > 0) {
    find_size(C, L, j);
    return;
  }
  for (int i = 0; i < OWN(j)->layer.stages; i++) {
    vd Q[ROOM(NQ)];
    stage(C, j, i, i, L->v, L->A, L->V + i * NQ);
    stage(C, j, i, i, L->q, L->V, Q);
    at_stage(C, L, j, i);
    accelerate(C, L, Q, L->V + i * NQ, L->A + i * NQ, LAMBDA(L, i));
  }
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const int s = OWN(j)->layer.stages;
  vd        Q[ROOM(NQ)];
  for (int i = 0; i < s; i++)
    stage(C, j, i, s, L->v, x, L->V + i * NQ);
  for (int i = 0; i < s; i++) {
    stage(C, j, i, s, L->q, L->V, Q);
    at_stage(C, L, j, i);
    accelerate(C, L, Q, L->V + i * NQ, f + i * NQ, LAMBDA(L, i));
  }
  for (int k = 0; k < NX; k++)
    f[k] -= x[k];
  return vmask(0); /* stagnation ends the iteration */
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  (void)x;
  for (int k = 0; k < NX; k++)
    d[k] = f[k];
  if (!BY_NEWTON || !vany(L->newton))
    return;
  vd e[ROOM(NX)];
  newton_direction(C, L, j, f, e);
  for (int k = 0; k < NX; k++)
    d[k] = vselect(L->newton, e[k], d[k]);
}

/* (q, v) by the kernel of the layer's formulas. */
CST_INLINE void flow(const cst_context *C, struct local *L, int j) {
  const cst_lane_layer *s = &OWN(j)->layer;
  vd                    end[ROOM(2 * NQ)];
  vd                    l[2] = {H(j), vset(0)};
  s->flow[CST_FLOW_value](s->self, (const double *)L->c, (const double *)L->q, (const double *)L->v,
                          NULL, NULL, (const double *)l, (double *)end);
  for (int k = 0; k < NQ; k++) {
    L->q[k] = end[k];
    L->v[k] = end[NQ + k];
  }
}

/* Accounts by the quadrature of the layer. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j) {
  const cst_lane_layer *s = &OWN(j)->layer;
  vd                    Q[ROOM(NQ)];
  for (int i = 0; i < s->stages && NACCOUNT > 0; i++) {
    if (s->b[i] == 0)
      continue;
    stage(C, j, i, s->stages, L->q, L->V, Q);
    at_stage(C, L, j, i);
    cst_gather(C, L->own, H(j) * s->b[i], Q, L->V + i * NQ, LAMBDA(L, i));
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  if (OWN(j)->layer.flow) {
    flow(C, L, j);
  } else {
    gather(C, L, j);
    add_stages(C, L, j, NX > 0 ? x : L->A);
  }
  end_state(C, L);
}

#include "method/core/march.h"
#endif
#else
#include "method/core/rk.h"

/* The stabilised field is damped forwards in time: an adjoint would have to undo it with other constants. */
static bool adjoint(void *of) {
  struct parameters *own = of;
  cst_layer         *x = &own->layer;
  if (own->alpha != 0 || own->beta != 0)
    return false;
  if (x->rule)
    return false;
  x->tableau = cst_tableau_adjoint(&x->tableau);
  return true;
}

/* With Newton's method an iteration has a Hessian and a dense matrix, otherwise only the force. */
static cst_substep_size size(const void *of, const cst_system *s) {
  const cst_layer *x = &((const struct parameters *)of)->layer;
  const int        stages = cst_program_layer_stages(x);
  const int        unknowns = x->tableau.implicit ? stages * s->nq : 0;
  const int        iterations = 5;
  const bool       newton =
      s->model->kernel_size[CST_K_dVS] > 0 && unknowns > 0 && unknowns <= MOST_STAGES;
  const double n = newton ? unknowns : 0;
  const int    each = x->tableau.implicit ? (newton ? 2 : 1) * stages : 0;
  return (cst_substep_size){
      .stages = stages,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = unknowns,
      .matrix = n * n,
      .fixed = stages,
      .each = each,
      .solves_fixed = stages * cst_substep_solves(s),
      .solves_each = newton + each * cst_substep_solves(s),
      .cost = 4.0 * stages * (x->tableau.implicit ? iterations : 1) * cst_substep_unit(s) +
              0.3 * n * n * n,
  };
}

/* A stabilised step is not one of the layer's. */
static const cst_layer *layer(const void *of) {
  const struct parameters *x = of;
  return x->alpha == 0 && x->beta == 0 ? &x->layer : NULL;
}

/* Where accelerations are forces divided by masses. */
static bool coupling(const void *of, const cst_system *s, cst_coupling *c) {
  const cst_layer *x = &((const struct parameters *)of)->layer;
  *c = (cst_coupling){.blocks = cst_program_layer_stages(x), .force = true, .power = 2, .sign = -1};
  return !s->ng && x->tableau.implicit;
}

/* With constraints the Jacobian is full, unless the multipliers are unknowns too. */
static bool sparse(const cst_substep *one, const cst_system *s, cst_substep *other) {
  const struct parameters *x = (const struct parameters *)one->data;
  const bool               takes =
      cst_has(s, CST_CONSTRAINED | CST_SEPARABLE) && !s->model->nvel && x->layer.tableau.implicit;
  if (takes)
    *other = cst_saddle(one->fraction, &x->layer, x->alpha, x->beta);
  return takes;
}

static const cst_substep_row row = {
    .name = "rk",
    .data = sizeof(struct parameters),
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .sparse = sparse,
    .coupling = coupling,
    .layer = layer,
    .bind = bind,
};

cst_substep cst_rk(double fraction, const cst_layer *l) {
  return cst_rk_stabilised(fraction, l, 0, 0);
}

cst_substep cst_rk_stabilised(double fraction, const cst_layer *l, double alpha, double beta) {
  return cst_substep_of(&row, fraction, &(struct parameters){*l, alpha, beta});
}
#endif
