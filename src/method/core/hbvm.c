/* hbvm.c: the core of the line integral method HBVM(k, s).
 *
 *   u' = sum_j P_j gamma_j,  u(c) = q0 + h int_0^c u'
 *   w' = -sum_j P_j phi_j,   w(c) = p0 + h int_0^c w'
 *   gamma_j = sum_i b_i P_j(c_i) H_p,   phi_j = psi_j + rho_j' lambda
 *   psi_j = sum_i b_i P_j(c_i) H_q,     rho_j = sum_i b_i P_j(c_i) G
 *   C = sum_j rho_j gamma_j = 0
 *   q1 = q0 + h gamma_0,   p1 = p0 - h phi_0
 *
 * The P_j, j < s, are orthonormal on [0, 1]; c is a fraction of the step; H_p, H_q and G are those at u(c_i),
 * w(c_i), with the weights b_i of the k Gauss nodes c_i.
 *
 * Source: Brugnano, Gurioli, Iavernaro, Weinmueller, equations (50) to (54), for H = p'M^-1 p / 2 + V with
 * a constant M, where the integral of w is taken exactly: M gamma = e_1 p0 - h X phi, X_ij = int_0^1 P_i
 * int_0^x P_j. Their (51) is C = 0 with that gamma put in. With an M or an a that depends on q (GENERAL)
 * H_p and H_q are taken at the nodes, from H_p = v and H_q = -L_q(q, v) at p = M v + a. In both h C = g(q1)
 * - g(q0) as quadrature goes, and the energy changes by
 *   h sum_j (psi_j.gamma_j - gamma_j.phi_j) = -h lambda.C = 0,
 * to the same extent. p1 is not tangent, and is not made so.
 *
 * Where V or g depends on t, all is taken at t + c_i h, and C = sum_j rho_j gamma_j + sum_i b_i g_t(u(c_i), t + c_i h),
 * so that h C = g(q1, t1) - g(q0, t0) as quadrature goes. Energy then changes by h lambda . sum_i b_i g_t, to the same
 * extent, which is the work of the constraint by the quadrature of the accounts.
 *
 * Unknowns gamma, phi, lambda; residuals E, D, C of the three lines. The iteration of the first kind takes
 * Newton's matrix without the second derivatives of H and of lambda.g, but for M at the start:
 *
 *   dgamma + h M^-1 X dphi = -E,   dphi - rho' dlambda = -D,   G(q1) dgamma_0 = -C
 *
 * which leaves one system of the size of lambda. (What is left out of the derivative of C is the
 * quadrature's error.) It contracts by about h^2 |X^2 M^-1 K|, K the Hessian of V + lambda.g: a twelfth of
 * h^2 |M^-1 K| for s = 2; in a general system by O(h). A lane in which an update is more than 0.3 of the
 * last one goes over to Newton's method, whose matrix is renewed each time. Either way a step begins with
 * the acceleration at its start, and no unknowns are kept from one step to the next. It ends when the next
 * update is predicted far below round-off, for what is left has always the same sign and would add up in
 * the energy.
 *
 * q and p are sums over the steps, and what rounding them leaves is carried along, where no other core
 * changes them in between: else g, which nothing brings back to 0, would gather a rounding error of q a
 * step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/method.h"
#define CORE hbvm
#define CORE_IS_FOR_UNFORCED

/* Nodes and tables (tableau/legendre.h); the degree s is that of the march. */
struct data {
  int           k;
  const double *weighted, *integral, *xi; /* [k][s], [k][s], [s + 1] */
  int           iteration;
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* their number is known at run time */
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#ifndef CST_COLD
#define USES_STEP
#define NODES  OWN(0)->k
#define DEGREE MARCH->stages
#define BLOCK  (DEGREE * NQ)
#define HAS_NO_PIECES
#define NX              (2 * BLOCK + NG)
#define NX_TESTED       BLOCK
#define HAS_COMPENSATED 1
#define KEEPS_NOTHING
#define IS_DONE_BY_UPDATE
#define CONVERGES_LINEARLY
#define IS_EXACT (OWN(0)->iteration == CST_ITERATION_NEWTON || MARCH->attempt)
#define ADAPTS   (!IS_EXACT)
/* Newton's matrix: of gamma and lambda, or in a general system of all unknowns. */
#define NJ (GENERAL ? NX : BLOCK + NG)

/* The sized form has the usual degree as a constant where the time goes: the loops over it unroll. */
#define USUAL         2
#define IS_USUAL      (CST_SIZED && DEGREE == USUAL)
#define OF_USUAL(n)   (CST_SIZED ? USUAL * (n) : 0) /* its sums over the nodes stay in registers */
#define FOR_DEGREE(r) _Pragma("GCC unroll 2") for (int r = 0; r < DEGREE; r++)

/* The unknowns, and the residuals E, D, C. */
#define GAMMA  0
#define PHI    BLOCK
#define LAMBDA (2 * BLOCK)

#define LOCAL(X)                                                                                   \
  X(q, NQ)                                                                                         \
  X(p, NQ)                                                                                         \
  X(eq, NQ)                                                                                        \
  X(ep, NQ)                                                                                        \
  X(minv, NMASS)                                                                                   \
  X(impulse, NG)                                                                                   \
  X(M, GENERAL *NQ *NQ)                                                                            \
  X(nu, GENERAL *BLOCK)                                                                            \
  X(psi, BLOCK)                                                                                    \
  X(rho, DEGREE *NNZ_G)                                                                            \
  X(G1, NNZ_G)                                                                                     \
  X(K, NQ *NQ)                                                                                     \
  X(T, BLOCK *BLOCK)                                                                               \
  X(J, NJ *NJ)                                                                                     \
  X(dx, NX)                                                                                        \
  X(rate, NG)                                                                                      \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vd        size; /* of what makes gamma: an update is small against that, also at rest */
  /* coordinates larger than this have a round-off that updates do not fall below; size then grows
   * with them */
  vd remote;
  vd begun; /* the time at which the substep begins */
  vl step, slow;
};
#define SIZE(L) (L)->size

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
  cst_load(L->impulse, record, at.impulse, NG);
  L->remote = CST_REMOTE * *cst_block(record, at.extent);
  LOAD_TIME(L, record);
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->eq[i] = L->ep[i] = vset(0);
  if (MARCH->compensated) {
    cst_load(L->eq, record, at.eq, NQ);
    cst_load(L->ep, record, at.ep, NQ);
  }
  UNROLL
  for (int k = 0; k < NMASS; k++)
    L->minv[k] = 1.0 / cst_block(record, at.mass)[k];
}

/* What is given for a step, as for one of the usual degree. */
CST_INLINE cst_march usual(const cst_context *C) {
  cst_march own = *MARCH;
  own.stages = USUAL;
  return own;
}

/* x := M^-1 x, M that of the start. */
CST_INLINE void divide(const cst_context *C, const struct local *L, vd *x) {
  const vd *minv = L->minv;
  if (GENERAL)
    cst_lu_solve(L->M, x, NQ);
  else {
    UNROLL
    for (int i = 0; i < NQ; i++)
      x[i] = MINV(i) * x[i];
  }
}

CST_INLINE void velocity(const cst_context *C, const struct local *L, const vd *q, const vd *p,
                         vd *v) {
  if (GENERAL) {
    cst_velocity_general(C, L->c, q, p, v);
    return;
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    v[i] = p[i];
  divide(C, L, v);
}

/* H_q. */
CST_INLINE void slope(const cst_context *C, const struct local *L, const vd *q, const vd *v,
                      vd *dH) {
#if !CST_SIZED
  if (GENERAL) {
    K_Lq(L->c, q, v, dH);
    for (int i = 0; i < NQ; i++)
      dH[i] = -dH[i];
    return;
  }
#endif
  K_dV(L->c, q, dH);
}

/* The unknowns of the constant acceleration at (q, p). Like the other large pieces out of line, for the sake
 * of whoever waits for the compiler. */
static __attribute__((noinline)) void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const double *xi = OWN(0)->xi;
  const vd      h = H(j);
  vd            v[ROOM(NQ)];
  vd            A[ROOM(NQ)];
  vd            dH[ROOM(NQ)];
  vd            push[ROOM(NQ)];
  vd            G[ROOM(NNZ_G)];
  USES_G
  if (j == 0 && MARCH->opens) {
    UNROLL
    for (int a = 0; a < NG; a++)
      L->impulse[a] = vset(0);
  }
  L->begun = vset(0);
  if (TIMED)
    L->begun = START_OF(L, j);
  SET_TIME(L, L->begun);
  if (GENERAL)
    cst_inertia(C, L->c, L->q, L->M);
  velocity(C, L, L->q, L->p, v);
  cst_acceleration(C, L->c, L->minv, L->q, v, A, x + LAMBDA);
  for (int i = 0; i < NQ && MARCH->attempt > 1; i++)
    A[i] = vset(0); /* the last attempt begins with a straight line */
  slope(C, L, L->q, v, dH);
  K_G(L->c, L->q, G);
  for (int k = 0; k < 2 * BLOCK; k++)
    x[k] = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    x[GAMMA + i] = v[i] + (h * xi[0]) * A[i];
    if (DEGREE > 1)
      x[GAMMA + NQ + i] = (h * xi[1]) * A[i];
    x[PHI + i] = dH[i];
    COL_G(i, a, e)
      x[PHI + i] += G[e] * x[LAMBDA + a];
    push[i] = h * dH[i];
  }
  divide(C, L, push);
  L->size = vset(0);
  vd far = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->size = vmax(vabs(v[i]) + vabs(push[i]), L->size);
    far = vmax(vabs(L->q[i]), far);
  }
  L->size = L->size * vmax(far / L->remote, vset(1));
}

#include "method/core/hbvm-integrals.h"

/* psi and rho: where the sums over the nodes are made. */
CST_INLINE void residual(const cst_context *C, struct local *L, int j, const vd *x, vd *psi,
                         vd *rho, vd *f) {
  const vd  h = H(j);
  const vd *minv = L->minv;
  USES_G
  integrate(C, L, h, x, psi, rho);
  FOR_DEGREE(r) {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      vd force = psi[r * NQ + i];
      COL_G(i, a, e)
        force += rho[r * NNZ_G + e] * x[LAMBDA + a];
      f[PHI + r * NQ + i] = x[PHI + r * NQ + i] - force;
      if (GENERAL) {
        f[r * NQ + i] = x[r * NQ + i] - L->nu[r * NQ + i];
        continue;
      }
      const vd push = h * turned(C, x + PHI, NQ, r, i);
      f[r * NQ + i] = x[r * NQ + i] - MINV(i) * vpick(r == 0, L->p[i] + (L->ep[i] - push), -push);
    }
  }
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd sum = vpick(DRIVEN, L->rate[a], vset(0));
    FOR_DEGREE(r)
      ROW_G(a, i, e)
        sum += rho[r * NNZ_G + e] * x[r * NQ + i];
    f[LAMBDA + a] = DROPPED(a) ? vset(0) : sum;
  }
}

static __attribute__((noinline)) vl evaluate(const cst_context *C, struct local *L, int j,
                                             const vd *x, vd *f) {
  if (IS_USUAL) {
    const cst_march own = usual(C);
    vd              psi[ROOM(OF_USUAL(NQ))], rho[ROOM(OF_USUAL(NNZ_G))];
    residual(&own.group, L, j, x, psi, rho, f);
    UNROLL
    for (int e = 0; e < OF_USUAL(NNZ_G); e++)
      L->rho[e] = rho[e];
  } else {
    residual(C, L, j, x, L->psi, L->rho, f);
  }
  return vmask(0); /* ends by its update */
}

#include "method/core/hbvm-split.h"
#include "method/core/hbvm-newton.h"

static __attribute__((noinline)) void direction(const cst_context *C, struct local *L, int j,
                                                const vd *x, const vd *f, vd *d) {
  const vd h = H(j);
  vd       end[ROOM(NQ)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    end[i] = L->q[i] + h * x[i];
  SET_TIME(L, L->begun + h);
  K_G(L->c, end, L->G1);
  if (IS_EXACT) {
    newton(C, L, h, x, f, d);
    return;
  }
  if (IS_USUAL) {
    const cst_march own = usual(C);
    split(&own.group, L, h, f, d);
  } else {
    split(C, L, h, f, d);
  }
  if (__builtin_expect(!vany(L->slow), 1))
    return;
  newton(C, L, h, x, f, L->dx);
  for (int k = 0; k < NX; k++)
    d[k] = vselect(L->slow, L->dx[k], d[k]);
}

/* sum + e := sum + (e + x), e what rounding the sum has left. */
CST_INLINE void add(vd *sum, vd *e, vd x) {
  const vd more = *e + x;
  const vd s = *sum + more;
  const vd taken = s - *sum;
  *e = (*sum - (s - taken)) + (more - taken);
  *sum = s;
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  gather_nodes(C, L, h, x);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    add(&L->q[i], &L->eq[i], h * x[GAMMA + i]);
    add(&L->p[i], &L->ep[i], -h * x[PHI + i]);
  }
  UNROLL
  for (int a = 0; a < NG; a++)
    L->impulse[a] += h * x[LAMBDA + a];
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, at.p, L->p, NQ);
  cst_store(record, at.impulse, L->impulse, NG);
  if (MARCH->compensated) {
    cst_store(record, at.eq, L->eq, NQ);
    cst_store(record, at.ep, L->ep, NQ);
  }
  STORE_ACCOUNTS(L, record);
}

#include "method/core/march.h"
#endif
#else
#include "method/core/hbvm-row.h"
#endif
