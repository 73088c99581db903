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
#define CORE         hbvm
#define COMPILED_FOR .needs = CST_SEPARABLE, .lacks = CST_NONHOLONOMIC

/* Nodes and tables (tableau/tableau-collocation.h); the degree s is that of the march. */
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
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(eq, NQ, STATE_IF(MARCH->compensated, at.eq))                                                   \
  X(ep, NQ, STATE_IF(MARCH->compensated, at.ep))                                                   \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(impulse, NG, STATE(at.impulse))                                                                \
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

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->remote = CST_REMOTE * *cst_block(record, LAYOUT(C).extent);
  UNROLL
  for (int i = 0; i < NQ && !MARCH->compensated; i++)
    L->eq[i] = L->ep[i] = vset(0);
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
  cst_open_impulses(C, j, L->impulse);
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

/* ---- u and w at a node, integrals over the step, the product with X -------------------------- */

/* start + e + h int_0^{c_i} of the polynomial with the coefficients y. */
CST_INLINE void point_of(const cst_context *C, const vd *start, const vd *e, vd h, int i,
                         const vd *y, vd *point) {
  const double *integral = OWN(0)->integral + i * DEGREE;
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd way = (h * integral[0]) * y[k];
    for (int r = 1; r < DEGREE; r++)
      way += (h * integral[r]) * y[r * NQ + k];
    point[k] = start[k] + (e[k] + way);
  }
}

/* H_p at a node, in a general system. */
CST_INLINE void velocity_at(const cst_context *C, const struct local *L, vd h, int i, const vd *x,
                            const vd *point, vd *v) {
  vd p[ROOM(NQ)];
  point_of(C, L->p, L->ep, -h, i, x + PHI, p);
  velocity(C, L, point, p, v);
}

/* The time of node i is that of kernels from here on. */
CST_INLINE void at_node(const cst_context *C, struct local *L, vd h, int i) {
  (void)C, (void)L, (void)h, (void)i;
  SET_TIME(L, L->begun + h * OWN(0)->integral[i * DEGREE]);
}

/* Adds the contribution of a node to the integral of g_t. */
CST_INLINE void add_rate(const cst_context *C, struct local *L, int i, const vd *point) {
  vd rate[ROOM(NG)];
  (void)rate, (void)i, (void)point;
  if (!DRIVEN)
    return;
  K_phi0(L->c, point, rate);
  for (int a = 0; a < NG; a++)
    L->rate[a] += OWN(0)->weighted[i * DEGREE] * rate[a];
}

/* The accounts, by the nodes. */
static void gather_nodes(const cst_context *C, struct local *L, vd h, const vd *x) {
  vd point[ROOM(NQ)], v[ROOM(NQ)];
  for (int i = 0; i < NODES && NACCOUNT > 0; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    velocity_at(C, L, h, i, x, point, v);
    cst_gather(C, L->own, h * OWN(0)->weighted[i * DEGREE], point, v, x + LAMBDA);
  }
}

/* nu (of H_p, in a general system), psi and rho, and the integral of g_t, at the unknowns. */
CST_INLINE void integrate(const cst_context *C, struct local *L, vd h, const vd *x, vd *psi,
                          vd *rho) {
  vd point[ROOM(NQ)];
  vd v[ROOM(NQ)];
  vd dH[ROOM(NQ)];
  vd G[ROOM(NNZ_G)];
  for (int k = 0; k < GENERAL * BLOCK; k++)
    L->nu[k] = vset(0);
  FOR_DEGREE(r) {
    UNROLL
    for (int k = 0; k < NQ; k++)
      psi[r * NQ + k] = vset(0);
    UNROLL
    for (int e = 0; e < NNZ_G; e++)
      rho[r * NNZ_G + e] = vset(0);
  }
  for (int a = 0; a < NG && DRIVEN; a++)
    L->rate[a] = vset(0);
  for (int i = 0; i < NODES; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    if (GENERAL)
      velocity_at(C, L, h, i, x, point, v);
    slope(C, L, point, v, dH);
    K_G(L->c, point, G);
    add_rate(C, L, i, point);
    FOR_DEGREE(r) {
      const double w = OWN(0)->weighted[i * DEGREE + r];
      for (int k = 0; k < GENERAL * NQ; k++)
        L->nu[r * NQ + k] += w * v[k];
      UNROLL
      for (int k = 0; k < NQ; k++)
        psi[r * NQ + k] += w * dH[k];
      UNROLL
      for (int e = 0; e < NNZ_G; e++)
        rho[r * NNZ_G + e] += w * G[e];
    }
  }
}

/* Entry k of row r of X y, y of DEGREE blocks of n. */
CST_INLINE vd turned(const cst_context *C, const vd *y, int n, int r, int k) {
  const double *xi = OWN(0)->xi;
  vd            x = xi[r] * y[(r ? r - 1 : 0) * n + k];
  if (r + 1 < DEGREE)
    x -= xi[r + 1] * y[(r + 1) * n + k];
  return x;
}

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

/* ---- the iteration of the first kind --------------------------------------------------------- */

/* d: what gamma and phi would become without a change of lambda: -E + h M^-1 X D and -D. */
CST_INLINE void free_part(const cst_context *C, const struct local *L, vd h, const vd *f, vd *d) {
  vd push[ROOM(NQ)];
  FOR_DEGREE(r) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      push[i] = h * turned(C, f + PHI, NQ, r, i);
    divide(C, L, push);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      d[r * NQ + i] = push[i] - f[r * NQ + i];
      d[PHI + r * NQ + i] = -f[PHI + r * NQ + i];
    }
  }
}

/* S := G(q1) M^-1 (X rho)_0'. */
CST_INLINE void complement(const cst_context *C, struct local *L, vd *S) {
  vd row[ROOM(NQ)], rho0[ROOM(NNZ_G)];
  USES_G
  UNROLL
  for (int e = 0; e < NNZ_G; e++)
    rho0[e] = turned(C, L->rho, NNZ_G, 0, e);
  if (!GENERAL) {
    cst_gram_fill(C, L->G1, rho0, L->minv, vset(1.0), 0, S);
    return;
  }
  for (int b = 0; b < NG; b++) {
    for (int i = 0; i < NQ; i++)
      row[i] = vset(0);
    ROW_G(b, i, e)
      row[i] = rho0[e];
    divide(C, L, row);
    for (int a = 0; a < NG; a++) {
      vd sum = vset(0);
      ROW_G(a, i, e)
        sum += L->G1[e] * row[i];
      S[a * NG + b] = DROPPED(a) || DROPPED(b) ? vset(a == b) : sum;
    }
  }
}

/* The iteration of the first kind; l is h dlambda. */
CST_INLINE void split(const cst_context *C, struct local *L, vd h, const vd *f, vd *d) {
  vd l[ROOM(NG)];
  vd dlambda[ROOM(NG)];
  vd S[ROOM(GRAM_SIZE)];
  vd push[ROOM(NQ)];
  USES_G
  free_part(C, L, h, f, d);
  if (NG == 0)
    return;
  UNROLL
  for (int a = 0; a < NG; a++) {
    l[a] = f[LAMBDA + a];
    ROW_G(a, i, e)
      l[a] += L->G1[e] * d[i];
  }
  complement(C, L, S);
  cst_gram_solve(C, S, l, 0);
  UNROLL
  for (int a = 0; a < NG; a++)
    d[LAMBDA + a] = dlambda[a] = l[a] / h;
  FOR_DEGREE(r) {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      push[i] = vset(0);
      COL_G(i, a, e)
        push[i] += turned(C, L->rho, NNZ_G, r, e) * l[a];
    }
    divide(C, L, push);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      d[r * NQ + i] -= push[i];
      COL_G(i, a, e)
        d[PHI + r * NQ + i] += L->rho[r * NNZ_G + e] * dlambda[a];
    }
  }
}

/* ---- Newton's method, with second derivatives at every node ---------------------------------- */

/* Constant M: with T_rm = sum_i b_i P_r(c_i) h int_0^{c_i} P_m K(u(c_i)), K the Hessian of V + lambda.g, dphi
 * = T dgamma + rho' dlambda - D is put into the first line, which leaves (1 + h M^-1 X T) dgamma + h M^-1 X
 * rho' dlambda = -E + h M^-1 X D. General: with B = d(M v + a)/dq at v, H_p changes by M^-1 (dp - B dq) and
 * H_q by (B'M^-1 B - L_qq) dq - B'M^-1 dp.
 */

/* K += the Hessian of lambda.g at a point. */
static void bend(const cst_context *C, const struct local *L, const vd *point, const vd *lambda,
                 vd *K) {
  vd unit[ROOM(NQ)], column[ROOM(NQ)];
  for (int k = 0; k < NQ && NG > 0; k++) {
    for (int i = 0; i < NQ; i++)
      unit[i] = vset(i == k);
    K_D2glw(L->c, point, unit, lambda, column);
    for (int i = 0; i < NQ; i++)
      K[i * NQ + k] += column[i];
  }
}

/* For node i: block (r, m) of a matrix with rows of length n += w_r h integral_m A. */
static void add_blocks(const cst_context *C, vd h, int i, const vd *A, vd *to, int n) {
  for (int r = 0; r < DEGREE; r++)
    for (int m = 0; m < DEGREE; m++) {
      const vd w = OWN(0)->weighted[i * DEGREE + r] * (h * OWN(0)->integral[i * DEGREE + m]);
      for (int a = 0; a < NQ; a++)
        for (int b = 0; b < NQ; b++)
          to[(r * NQ + a) * n + m * NQ + b] += w * A[a * NQ + b];
    }
}

/* The rows of the constraints, and the columns of dlambda in the equations from row `first` on: `sign` rho',
 * or h M^-1 X rho' if sign is 0. */
static void border(const cst_context *C, const struct local *L, vd h, int first, double sign,
                   vd *J) {
  const int n = NJ;
  const int last = n - NG;
  const vd *minv = L->minv;
  USES_G
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e) {
      for (int r = 0; r < DEGREE; r++)
        J[(first + r * NQ + i) * n + last + a] =
            sign != 0 ? sign * L->rho[r * NNZ_G + e]
                      : h * (MINV(i) * turned(C, L->rho, NNZ_G, r, e));
      J[(last + a) * n + i] = L->G1[e];
    }
    for (int k = 0; k < n && DROPPED(a); k++) {
      const vd unit = vset(k == last + a);
      J[k * n + last + a] = unit;
      J[(last + a) * n + k] = unit;
    }
  }
}

static void solve_newton(const cst_context *C, struct local *L, vd *b) {
  if (MARCH->attempt) {
    cst_pivoted_solve(L->J, b, NJ);
    return;
  }
  cst_lu(L->J, NJ);
  cst_lu_solve(L->J, b, NJ);
}

/* T and J for a constant diagonal M. */
static void matrix_of_separable(const cst_context *C, struct local *L, vd h, const vd *x) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  const int          n = NJ;
  const vd          *minv = L->minv;
  vd                 point[ROOM(NQ)];
  vd                 H[ROOM(p->n)];
  for (int k = 0; k < BLOCK * BLOCK; k++)
    L->T[k] = vset(0);
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < NODES; i++) {
    at_node(C, L, h, i);
    point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
    for (int k = 0; k < NQ * NQ; k++)
      L->K[k] = vset(0);
    bend(C, L, point, x + LAMBDA, L->K);
    K_d2V(L->c, point, H);
    for (int a = 0; a < NQ; a++)
      for (int e = p->start[a]; e < p->start[a + 1]; e++)
        L->K[a * NQ + p->column[e]] += H[e];
    add_blocks(C, h, i, L->K, L->T, BLOCK);
  }
  for (int r = 0; r < DEGREE; r++)
    for (int i = 0; i < NQ; i++)
      for (int k = 0; k < BLOCK; k++) {
        const int row = r * NQ + i;
        const vd  unit = vset(row == k);
        L->J[row * n + k] = unit + h * (MINV(i) * turned(C, L->T, NQ * BLOCK, r, i * BLOCK + k));
      }
  border(C, L, h, 0, 0, L->J);
}

static void newton_of_separable(const cst_context *C, struct local *L, vd h, const vd *x,
                                const vd *f, vd *d) {
  vd b[ROOM(NJ)];
  USES_G
  matrix_of_separable(C, L, h, x);
  free_part(C, L, h, f, d);
  for (int k = 0; k < BLOCK; k++)
    b[k] = d[k];
  for (int a = 0; a < NG; a++)
    b[BLOCK + a] = -f[LAMBDA + a];
  solve_newton(C, L, b);
  for (int k = 0; k < BLOCK; k++) {
    d[k] = b[k];
    for (int m = 0; m < BLOCK; m++)
      d[PHI + k] += L->T[k * BLOCK + m] * b[m];
  }
  for (int a = 0; a < NG; a++) {
    d[LAMBDA + a] = b[BLOCK + a];
    for (int r = 0; r < DEGREE; r++)
      ROW_G(a, i, e)
        d[PHI + r * NQ + i] += L->rho[r * NNZ_G + e] * b[BLOCK + a];
  }
}

#if !CST_SIZED
/* y := A x of square matrices. */
static void times(const vd *A, const vd *x, int n, vd *y) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      y[i * n + k] = vset(0);
      for (int m = 0; m < n; m++)
        y[i * n + k] += A[i * n + m] * x[m * n + k];
    }
}

/* The contribution of a node to J. E contains -H_p, D contains -H_q, and p changes by -h int dphi. */
static void add_node(const cst_context *C, struct local *L, vd h, int i, const vd *x) {
  const int n = NJ;
  const int size = NQ * NQ;
  vd        point[ROOM(NQ)];
  vd        v[ROOM(NQ)];
  vd        entry[ROOM(size)];
  vd        M[ROOM(size)];
  vd        B[ROOM(size)];
  vd        N[ROOM(size)];
  vd        Y[ROOM(size)];
  vd        Z[ROOM(size)];
  at_node(C, L, h, i);
  point_of(C, L->q, L->eq, h, i, x + GAMMA, point);
  velocity_at(C, L, h, i, x, point, v);
  cst_inertia(C, L->c, point, M);
  K_Lvq(L->c, point, v, entry);
  cst_expand(C, CST_K_Lvq, entry, B);
  for (int k = 0; k < NQ; k++) {
    vd unit[ROOM(NQ)];
    for (int a = 0; a < NQ; a++)
      unit[a] = vset(a == k);
    cst_lu_solve(M, unit, NQ);
    for (int a = 0; a < NQ; a++)
      N[a * NQ + k] = unit[a];
  }
  times(N, B, NQ, Y);
  add_blocks(C, h, i, Y, L->J, n);
  add_blocks(C, h, i, N, L->J + PHI, n);
  for (int a = 0; a < NQ; a++)
    for (int b = 0; b < NQ; b++)
      M[a * NQ + b] = -B[b * NQ + a]; /* -B' */
  times(M, N, NQ, Z);
  add_blocks(C, h, i, Z, L->J + (size_t)PHI * (size_t)n + PHI, n);
  times(M, Y, NQ, L->K);
  K_Lqq(L->c, point, v, entry);
  cst_expand(C, CST_K_Lqq, entry, B);
  for (int k = 0; k < size; k++)
    L->K[k] = -(L->K[k] + B[k]); /* B'M^-1 B - L_qq */
  bend(C, L, point, x + LAMBDA, L->K);
  for (int k = 0; k < size; k++)
    L->K[k] = -L->K[k];
  add_blocks(C, h, i, L->K, L->J + (size_t)PHI * (size_t)n, n);
}

static void newton_of_general(const cst_context *C, struct local *L, vd h, const vd *x, const vd *f,
                              vd *d) {
  const int n = NJ;
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  for (int i = 0; i < NODES; i++)
    add_node(C, L, h, i, x);
  for (int k = 0; k < 2 * BLOCK; k++)
    L->J[k * n + k] += 1;
  border(C, L, h, PHI, -1, L->J);
  for (int k = 0; k < n; k++)
    d[k] = -f[k];
  solve_newton(C, L, d);
}
#endif

static __attribute__((noinline)) void newton(const cst_context *C, struct local *L, vd h,
                                             const vd *x, const vd *f, vd *d) {
#if !CST_SIZED
  if (GENERAL) {
    newton_of_general(C, L, h, x, f, d);
    return;
  }
#endif
  newton_of_separable(C, L, h, x, f, d);
}

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

#include "method/core/march.h"
#endif
#else

#include "method/substep.h"
#include "tableau/tableau-collocation.h"

/* ---- the row --------------------------------------------------------------------------------- */

struct parameters {
  int k, s;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->k == y->k && x->s == y->s;
}

static bool adjoint(void *x) {
  (void)x;
  return true; /* its own */
}

/* fixed: at the start, acceleration and force. */
static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             q = s->nq;
  const double             g = s->ng;
  const double             block = x->s * q;
  const int                blocks = cst_substep_blocks(s);
  const double             newton = blocks * block + g;
  const double             unit = cst_substep_unit(s);
  const double             fixed = 2;
  const double             each = x->k;
  const double             generic = 4;
  const double             iterations = 5;
  return (cst_substep_size){
      .stages = x->s,
      .unknowns = 2 * x->s * s->nq + s->ng,
      .matrix = newton * newton + block * block,
      .fixed = fixed,
      .each = each,
      .solves_fixed = cst_substep_solves(s),
      .solves_each = 1,
      .cost = blocks == 1 ? 0.5 * (fixed + iterations * each) * unit
                          : (fixed + 2 * iterations * each) * generic * unit,
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  const int                k = x->k, s = x->s;
  double                  *tables;
  CST_TRY(cst_stepper_bind_numbers(with, (size_t)(2 * k * s + s + 1), &tables));
  cst_legendre_line_tables(k, s, tables, tables + k * s, tables + 2 * k * s);
  *(struct data *)lane =
      (struct data){k, tables, tables + k * s, tables + 2 * k * s, with->iteration};
  return 0;
}

static const cst_substep_row row = {
    .name = "hbvm",
    .data = sizeof(struct parameters),
    .features = CST_COMPENSATES | CST_ALWAYS_COMPENSATES,
    .iterations = 1 << CST_ITERATION_SIMPLIFIED | 1 << CST_ITERATION_NEWTON,
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .bind = bind,
};

cst_substep cst_substep_hbvm(double fraction, int k, int s) {
  return cst_substep_of(&row, fraction, &(struct parameters){k, s});
}

#endif
