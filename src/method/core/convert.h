/* convert.h: the cores of convert(LAYER, bias=b), convert.c and convert-iota.c: any one-step method R_t of q' = v, v' = A(q, v), S' = L as
 * a constrained variational integrator of the same order.
 *
 * Source: Patrick, Cuell, Spiteri, Zhang, conversion of one-step methods into variational integrators; here
 * on T*Q. With alpha- = b, alpha+ = 1 + b and w = (q, v) in TQ
 *
 *   d-(w) = R^q_{h alpha-}(w),  d+(w) = R^q_{h alpha+}(w),  L_h(w) = R^S_{h alpha+}(w) - R^S_{h alpha-}(w)
 *   H(w) = L_h - mu+.d+ + mu-.d-
 *
 * a step from (qb, pb), pb tangential (G pb = 0), solves for w, mu+, the new q = r and multipliers nu1,
 * nu2, theta-, theta+
 *
 *   F0  d- - qb - G(qb)'theta- = 0            F1  g(q) = 0            F2  G(q) v = 0
 *   F3  D_q H - G'nu1 - D2(nu2.g) v = 0       F4  (D_v H - G'nu2) / h = 0
 *   F5  G(r) mu+ = 0                          F6  d+ - r - G(r)'theta+ = 0            F7  g(r) = 0
 *   mu- = DP'pb:  (1 + D2(theta-.g)(qb)) mu- + G(qb)'k = pb,  G(qb) mu- = 0
 *
 * and ends at (r, tangential part of (1 + D2(theta+.g)(r)) mu+). The unknown of nu2 is nu2 / h: undivided
 * the system is singular as h -> 0. Solutions of the paper's Stages 0 to 4 are solutions of this, with pb
 * the half of Stage 4 that is already known (their lambda is eliminated); (S4.6a') must read h v2'M0 + h a0
 * - nu2 G0 - h alpha+ lambda+ + h alpha- mu = 0 and (S4.7a') + h alpha- v2.
 *
 * Newton's matrix needs D d-, D d+ and D2H - nu.D2(g, Gv). The first two are forward sweeps. The exact flow
 * has D L_h = p+.D d+ - p-.D d- along TQ, whence along TQ, up to terms C'(..) that the unknown nu takes up,
 *
 *   D2H - nu.D2C = D d+' D p+ - D d-' D p-,   D p = D(M v + a) + D2(m.g) D d,
 *   m the multiplier that makes p tangential,
 *
 * and for a layer of order r this holds up to O(h^{r+1}). So first variations of the layer, along tangent vectors
 * of TQ alone, give a correction that contracts by about h^r: `simplified`, convert-flow.h. `newton` takes second
 * variations (forward over reverse) and all terms in theta; `chord` is the paper's own iteration, D d = [1, h
 * alpha 1], D2H = h diag(0, M), which contracts by O(h). `simplified` keeps its first variations for a step, but
 * a lane in which an update is more than 0.3 of the last one goes over to `newton`; `krylov` is `newton` without
 * a matrix, for large systems. The order of equations and unknowns, (F0 q)(F1 theta-)(F3 mu+)(F5 nu1)(F4 v)(F2
 * nu2), makes every pivot block of the matrix the identity, M or a Gram matrix as h -> 0, so that elimination
 * needs no pivoting.
 *
 * With iota = mass, P moves along M^-1 G' in place of G' (M a constant diagonal). Then G' M^-1 stands for
 * G' in F0, F5 and F6, mu- + D2(theta-.g) M^-1 mu- + G'k = pb with G M^-1 mu- = 0, and the step ends at (1
 * + D2(theta+.g) M^-1) mu+, in its kinetic form: `weighed`. With FIBRED, iota is given by text: convert-projection.h.
 *
 * lagrange-dalembert(LAYER, bias=b) is the same with constraints on velocities: those of the ODE, phi A =
 * -D(phi v + phi0)[v], leave phi v + phi0 as it is on all of TQ, D L_h has the work of F - phi'lambda on
 * the variations of the layer's points added (kernel RE), and what is known of mu- is only what phi(qb) v =
 * 0 feels of it (convert-newton.h). Forces alone leave all of the above as it is but that D L_h.
 *
 * By how much the solution differs from the predictor is smooth in time. It is extrapolated from the last
 * steps (march-iterate.h), so that at small steps two corrections do.
 *
 * The iteration stops on the update of (q, v, mu+, r), never on nu or theta, which scale with g; at the
 * latest when what is left of the next one is predicted far below round-off, for an error that has always
 * the same sign would add up in the momentum.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/method.h"
#include "method/texts/lane-layer.h"

struct data {
  double         bias;     /* alpha- */
  cst_lane_layer layer[2]; /* of the minus and of the plus half */
  int            iteration;
  int            of_w;    /* q and p of the record are those of w: convert-start.h */
  int            by_mass; /* P is orthogonal in the metric M */
#if FIBRED
  const cst_lane_iota *iota;
#endif
};

#ifdef CST_W
#define CST_FIELDS_IN_SPACE /* they are many */
#define STAGES              (MARCH->stages)
#define USES_STEP
#include "method/core/lane.h"
#include "method/core/sweep.h"
#include "method/core/time.h"
#include "constella/lanes.h"

/* ---- GMRES ----------------------------------------------------------------------------------- */

/* Matrix-free GMRES with right preconditioning, one linear system per lane.
 *
 * Every lane has its own dot products, rotations and end: a lane that has reached its tolerance only gets
 * zeros from then on, so its solution does not depend on its neighbours. Saad, Schultz, SIAM J. Sci. Stat.
 * Comput. 7 (1986) 856.
 */
/* y := A x, and y := P^-1 x. n vectors each. */
typedef struct {
  void *self;
  void (*apply)(void *self, const vd *x, vd *y);
  void (*precondition)(void *self, const vd *x, vd *y);
} cst_linear;

/* Size of the workspace in vectors, for n unknowns and at most m iterations. */
CST_INLINE size_t cst_gmres_workspace(size_t n, size_t m) {
  return (m + 3) * n + (m + 1) * (m + 4);
}

CST_INLINE vd cst_dot(const vd *x, const vd *y, int n) {
  vd s = vset(0);
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

/* Adds a vector to the orthonormal basis and computes its column h[k + 2] of the Hessenberg matrix. */
CST_INLINE void cst_gmres_extend(vd *basis, int k, int n, vd *h) {
  vd *w = basis + (size_t)(k + 1) * (size_t)n;
  for (int i = 0; i <= k; i++) {
    const vd *v = basis + (size_t)i * (size_t)n;
    h[i] = cst_dot(v, w, n);
    for (int j = 0; j < n; j++)
      w[j] -= h[i] * v[j];
  }
  h[k + 1] = vsqrt(cst_dot(w, w, n));
  const vl some = (vl)(h[k + 1] > 0);
  for (int j = 0; j < n; j++)
    w[j] = vselect(some, w[j] / h[k + 1], vset(0));
}

/* b := A^-1 b to `tolerance` of the norm of b, with at most m iterations. space: cst_gmres_workspace(n, m)
 * vectors. */
static __attribute__((noinline, unused)) void cst_gmres(const cst_linear *A, vd *b, int n, int m,
                                                        double tolerance, vd *space) {
  vd *basis = space, *z = basis + (size_t)(m + 1) * (size_t)n, *sum = z + n, *H = sum + n,
     *c = H + (m + 1) * (m + 1), *s = c + m + 1, *g = s + m + 1;
  const vd norm = vsqrt(cst_dot(b, b, n));
  vl       active = (vl)(norm > 0);
  int      k = 0;
  for (int j = 0; j < n; j++) {
    basis[j] = vselect(active, b[j] / norm, vset(0));
    sum[j] = vset(0);
  }
  g[0] = vkeep(active, norm);
  for (; k < m && vany(active); k++) {
    vd *h = H + k * (m + 1);
    A->precondition(A->self, basis + (size_t)k * (size_t)n, z);
    A->apply(A->self, z, basis + (size_t)(k + 1) * (size_t)n);
    cst_gmres_extend(basis, k, n, h);
    for (int i = 0; i < k; i++) {
      const vd t = c[i] * h[i] + s[i] * h[i + 1];
      h[i + 1] = c[i] * h[i + 1] - s[i] * h[i];
      h[i] = t;
    }
    const vd r = vsqrt(h[k] * h[k] + h[k + 1] * h[k + 1]);
    const vl good = active & (vl)(r > 0);
    c[k] = vselect(good, h[k] / r, vset(1));
    s[k] = vselect(good, h[k + 1] / r, vset(0));
    for (int i = 0; i < k; i++)
      h[i] = vkeep(active, h[i]);
    h[k] = vselect(good, r, vset(1));
    g[k + 1] = -(s[k] * g[k]);
    g[k] = vkeep(active, c[k] * g[k]);
    active = good & (vl)(vabs(g[k + 1]) > tolerance * norm);
    g[k + 1] = vkeep(active, g[k + 1]);
    for (int j = 0; j < n; j++)
      basis[(size_t)(k + 1) * (size_t)n + (size_t)j] =
          vkeep(active, basis[(size_t)(k + 1) * (size_t)n + (size_t)j]);
  }
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++)
      g[i] -= H[j * (m + 1) + i] * g[j];
    g[i] /= H[i * (m + 1) + i];
    for (int j = 0; j < n; j++)
      sum[j] += g[i] * basis[(size_t)i * (size_t)n + (size_t)j];
  }
  A->precondition(A->self, sum, b);
}

#if !defined(CST_SYSTEM_HEADER) || SYS_SIZED
#define HAS_NO_PIECES
#define NX           (4 * NQ + 4 * NG)
#define NX_PREDICTED NX
#define PREDICTS_FREELY
#define PREDICTION(L)     (L)->start
#define NX_TESTED         (4 * NQ) /* the unknowns whose update ends the iteration */
#define IS_DONE_BY_UPDATE /* by the prediction below; what the last update leaves is not evaluated again */
#define KEEPS_FIRST_MATRIX
#define IS_EXACT     exact(C)
#define ADAPTS       (!FIBRED && OWN(0)->iteration == CST_ITERATION_SIMPLIFIED && !MARCH->attempt)
#define NJ           (3 * NQ + 3 * NG)
#define NJ_SQUARED   (NJ * NJ)
#define KRYLOV       (!FIBRED && OWN(0)->iteration == CST_ITERATION_KRYLOV && NVEL == 0)
#define DENSE(n)     (KRYLOV ? 0 : (n))
#define OF_KRYLOV(n) (KRYLOV * (n))
#define PIVOTED      (FIBRED || MARCH->attempt)
enum { MOST_DIRECTIONS = 40 }; /* of GMRES */

/* The unknowns. */
#define Q_    0
#define V_    NQ
#define MU    (2 * NQ)
#define R_    (3 * NQ)
#define NU1   (4 * NQ)
#define NU2   (4 * NQ + NG)
#define MINUS (4 * NQ + 2 * NG) /* theta- */
#define PLUS  (4 * NQ + 3 * NG) /* theta+ */
/* The equations F0, F3, F4, F6 of NQ entries stand in f where q, mu, v and r do; F1, F5, F2, F7 where theta-,
 * nu1, nu2 and theta+ do. */

#define LOCAL(X)                                                                                   \
  /* the state */                                                                                  \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  /* what is made of it */                                                                         \
  X(Gb, NNZ_G)                                                                                     \
  X(Sb, GRAM_SIZE)                                                                                 \
  X(vb, NQ)                                                                                        \
  X(mb, NG)                                                                                        \
  /* at q, at r; mu-; (d-, d+) with their velocities */                                            \
  X(G0, NNZ_G)                                                                                     \
  X(G1, NNZ_G)                                                                                     \
  X(S1, GRAM_SIZE)                                                                                 \
  X(minus, NQ)                                                                                     \
  X(end, 4 * NQ)                                                                                   \
  /* what is predicted; the first w; the w of the sweeps, and the r of G1 and S1 */                \
  X(start, NX)                                                                                     \
  X(first_w, 2 * NQ)                                                                               \
  X(last_w, 2 * NQ)                                                                                \
  X(last_r, NQ)                                                                                    \
  /* of Newton's matrix */                                                                         \
  X(D, DENSE(4 * NQ * NQ))                                                                         \
  X(B, DENSE(4 * NQ * NQ))                                                                         \
  X(J, DENSE(NJ_SQUARED))                                                                          \
  X(room, DENSE(NJ_SQUARED)) /* to eliminate it with pivoting */                                   \
  /* convert-flow.h */                                                                             \
  X(U, DENSE(4 * NQ * NQ))                                                                         \
  X(moves, DENSE(4 * NQ * NQ))                                                                     \
  X(pushes, DENSE(2 * NQ * NQ))                                                                    \
  X(T, DENSE(4 * NQ * NQ))                                                                         \
  X(R, DENSE((2 * NQ + NVEL) * (2 * NQ + NVEL)))                                                   \
  X(QR, DENSE(NQ *NG))                                                                             \
  X(diagonal, DENSE(NG))                                                                           \
  X(reflects, DENSE(NG))                                                                           \
  X(kept, DENSE(NX))                                                                               \
  /* what kernels have in common at qb, at q and at r */                                           \
  X(given, NGIVEN)                                                                                 \
  X(Eb, NPOINT)                                                                                    \
  X(E0, NPOINT)                                                                                    \
  X(E1, NPOINT)                                                                                    \
  /* of the preconditioner */                                                                      \
  X(S0, OF_KRYLOV(GRAM_SIZE))                                                                      \
  X(K0, OF_KRYLOV(SADDLE_S))                                                                       \
  X(M0, OF_KRYLOV(SADDLE_M))                                                                       \
  /* constraints on velocities; time.h */                                                          \
  X(phib, NVEL ? NNZ_G : 0)                                                                        \
  X(phi, NVEL ? NNZ_G : 0)                                                                         \
  CST_TIME_FIELD(X)                                                                                \
  X(basis, OF_KRYLOV((int)cst_gmres_workspace((size_t)NJ, MOST_DIRECTIONS)))                       \
  CST_SWEEP_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vl        step;
  vl        slow;     /* lanes whose matrix is renewed in every iteration */
  vl        near;     /* not used here */
  int       by_mass;  /* of this substep */
  cst_sweep sweep[2]; /* of the minus and of the plus half */
#if FIBRED
  const cst_lane_iota *iota; /* of this substep */
#endif
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  (void)record;
  K_given(L->c, L->given);
  L->near = vmask(0);
}

/* d- and d+ (k = 0, 1), and the velocities there. */
#define END_Q(k) (L->end + 2 * (k)*NQ)
#define END_V(k) (L->end + (2 * (k) + 1) * NQ)

#include "method/core/convert-projection.h"
#include "method/core/convert-newton.h"
#if !FIBRED
#include "method/core/convert-flow.h"
#endif

#include "method/core/convert-start.h"

/* D H by w in grad[2 nq], with the values of the sweeps at x. */
static void gradient(const cst_context *C, struct local *L, const vd *x, vd *grad) {
  vd plus[ROOM(NQ)];
  vd other[ROOM(2 * NQ)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    plus[i] = -x[MU + i];
  cst_sweep_reverse(C, &L->sweep[0], x + Q_, x + V_, L->minus, vset(-1), grad);
  cst_sweep_reverse(C, &L->sweep[1], x + Q_, x + V_, plus, vset(1), other);
  UNROLL
  for (int i = 0; i < 2 * NQ; i++)
    grad[i] += other[i];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd  h = H(j);
  const vd  over = 1 / h;
  const vd *dminus = END_Q(0);
  const vd *dplus = END_Q(1);
  vd        grad[ROOM(2 * NQ)];
  vd        bent[ROOM(NQ)];
  vd        nu2[ROOM(NG)];
  vd        unused[ROOM(NG)];
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->minus[i] = L->p[i];
  add_reaction(C, L, x, L->minus);
  if (FIBRED || NVEL > 0 || cst_sweep_moves(&L->sweep[0])) /* else theta- = 0 and mu- = pb */
    PULL_BACK(x, L->minus, unused);
  take_values_again(C, L, x);
  gradient(C, L, x, grad);
  K_place(L->c, L->given, x + Q_, L->E0);
  K_G_AT(L->E0, L->c, x + Q_, L->G0);
  part_velocities(C, L);
  take_foot_again(C, L, x + R_);
  K_g_AT(L->E0, L->c, x + Q_, f + MINUS);
  K_g_AT(L->E1, L->c, x + R_, f + PLUS);
  take_along_fibres(C, L, x, f + NU1);
  UNROLL
  for (int a = 0; a < NG; a++) {
    nu2[a] = h * x[NU2 + a];
    f[NU2 + a] = vset(0);
    ROW_G(a, i, e)
      f[NU2 + a] += L->G0[e] * x[V_ + i];
    /* Where q is qb, its rounding off g = 0 is no theta-, which would add up in p. */
    if (!cst_sweep_moves(&L->sweep[0]))
      f[MINUS + a] = vpick(FIBRED, x[MINUS + a], vset(0));
    if (!DROPPED(a))
      continue;
    for (int k = 0; k < 4; k++)
      f[NU1 + k * NG + a] = vset(0);
  }
  evaluate_velocities(C, L, x, f, nu2);
  K_D2glw_AT(L->E0, L->c, x + Q_, x + V_, nu2, bent);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[Q_ + i] = dminus[i] - L->q[i];
    f[MU + i] = grad[i] - bent[i];
    f[V_ + i] = grad[NQ + i] * over;
    f[R_ + i] = dplus[i] - x[R_ + i];
    COL_G(i, a, e) {
      f[MU + i] -= L->G0[e] * x[NU1 + a];
      f[V_ + i] -= L->G0[e] * x[NU2 + a];
    }
  }
  subtract_way(C, L, L->q, L->Gb, x + MINUS, f + Q_);
  subtract_way(C, L, x + R_, L->G1, x + PLUS, f + R_);
  return vmask(0); /* ends by its update */
}

/* dr += D d+ dw, the dw that stands in b. */
static void add_end_variation(const cst_context *C, const struct local *L, const vd *x, const vd *b,
                              vd *dr) {
  vd dd[ROOM(NQ)], unused[ROOM(NQ)];
  if (KRYLOV) {
    cst_sweep_tangent(C, &L->sweep[1], CST_TANGENT_SWEEPS, x + Q_, x + V_, b + J_Q, b + J_V, dd,
                      unused);
    UNROLL
    for (int i = 0; i < NQ; i++)
      dr[i] += dd[i];
    return;
  }
  UNROLL
  for (int k = 0; k < 2 * NQ; k++)
    UNROLL
  for (int i = 0; i < NQ; i++)
    dr[i] += AT_D(1, i, k) * b[column_of(C, k)];
}

/* The correction by Newton's matrix. */
static __attribute__((noinline)) void correct_by_matrix(const cst_context *C, struct local *L,
                                                        int j, const vd *x, const vd *f, vd *d) {
  vd b[ROOM(NJ)];
  vd known[ROOM(NQ)];
  vd bent[ROOM(NG)];
  vd y[ROOM(NG)];
  vd turned[ROOM(NG)];
  if (!KRYLOV && OWN(0)->iteration != CST_ITERATION_CHORD)
    renew_matrix(C, L, j, x);
  for (int a = 0; a < NG; a++)
    y[a] = -f[PLUS + a];
  for (int i = 0; i < NQ; i++)
    known[i] = f[R_ + i];
  follow(C, L, x, y, known, turned);
  vary_along_fibres(C, L, x, known, turned, bent);
  for (int i = 0; i < NQ; i++) {
    b[J_Q + i] = -f[Q_ + i];
    b[J_MU + i] = -f[MU + i];
    b[J_V + i] = -f[V_ + i];
  }
  for (int a = 0; a < NG; a++) {
    b[J_TH + a] = -f[MINUS + a];
    b[J_N1 + a] = -f[NU1 + a] - bent[a];
    b[J_N2 + a] = -f[NU2 + a];
    if (DROPPED(a))
      b[J_TH + a] = b[J_N1 + a] = b[J_N2 + a] = vset(0);
  }
  if (KRYLOV)
    solve_by_krylov(C, L, j, x, b);
  else
    solve_matrix(C, L, b);
  for (int i = 0; i < NQ; i++) {
    d[Q_ + i] = b[J_Q + i];
    d[MU + i] = b[J_MU + i];
    d[V_ + i] = b[J_V + i];
    d[R_ + i] = f[R_ + i];
  }
  add_end_variation(C, L, x, b, d + R_);
  for (int a = 0; a < NG; a++) {
    d[MINUS + a] = b[J_TH + a];
    d[NU1 + a] = b[J_N1 + a];
    d[NU2 + a] = b[J_N2 + a];
  }
  follow(C, L, x, y, d + R_, d + PLUS);
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
#if !FIBRED
  if (ADAPTS) {
    correct_by_flow(C, L, j, x, f, d);
    if (!vany(L->slow))
      return;
    for (int i = 0; i < NX; i++)
      L->kept[i] = d[i];
    correct_by_matrix(C, L, j, x, f, d);
    for (int i = 0; i < NX; i++)
      d[i] = vselect(L->slow, d[i], L->kept[i]);
    return;
  }
#endif
  correct_by_matrix(C, L, j, x, f, d);
}

/* Accounts by the layers' quadrature, from the left end to w and from w to the right end. The points are
 * taken again: those that the sweeps hold are of the last w in some lanes, of the one before in others. */
static void gather(const cst_context *C, struct local *L, const vd *w) {
  if (NACCOUNT > 0)
    take_values(C, L, w);
  for (int k = 0; k < 2 && NACCOUNT > 0; k++) {
    const cst_sweep *H = &L->sweep[k];
    for (int i = 0; i < H->layer->stages && cst_sweep_moves(H); i++) {
      if (H->layer->b[i] == 0)
        continue;
      cst_sweep_clock(C, H, i);
      cst_gather(C, L->own, (k ? 1 : -1) * H->t * H->layer->b[i], H->Q + i * NQ, H->V + i * NQ,
                 NULL);
    }
  }
  (void)L;
}

/* pb := tangential part of (1 + D2(theta+.g)) mu+ at the new q; or its kinetic form for the methods that
 * follow in the same step. */
CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd theta[ROOM(NG)];
  if (OWN(j)->of_w) {
    reach_w(C, L, x);
    return;
  }
  gather(C, L, x);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q[i] = x[R_ + i];
    L->p[i] = x[MU + i];
  }
  gram_at(C, L, L->q, L->E1, L->G1, L->S1);
  follow_start(C, L, x);
  if (NG == 0)
    return;
  carry_to_foot(C, L, x, L->p);
  make_tangential(C, L, L->G1, L->S1, NULL, L->p, theta);
  if (NVEL > 0)
    K_G_AT(L->E1, L->c, L->q, L->G1);
  if (!C->tangential)
    cst_make_tangent(C, L->c, L->q, L->G1, L->minv, L->p, theta);
}

#include "method/core/march.h"
#endif
#else

#include <math.h>
#include "method/texts/map.h"
#include "method/substep.h"

/* ---- the row --------------------------------------------------------------------------------- */

struct parameters {
  double    bias;
  cst_layer layer[2];
  bool      of_w, by_mass;

  const cst_text *iota; /* in place of both; NULL: none */
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  if (x->of_w != y->of_w || x->by_mass != y->by_mass || x->iota != y->iota)
    return false;
  return fabs(x->bias - y->bias) < 1e-15 && cst_program_same_layer(&x->layer[0], &y->layer[0]) &&
         cst_program_same_layer(&x->layer[1], &y->layer[1]);
}

/* The halves change places. */
static bool adjoint(void *of) {
  struct parameters *x = of;
  const cst_layer    minus = x->layer[0];
  x->bias = -1 - x->bias;
  x->layer[0] = x->layer[1];
  x->layer[1] = minus;
  return true;
}

static bool dense(const cst_system *s) { return s->nq <= CST_MAX_Q && !s->model->gram.banded; }

/* What the variations of a half take along a number of vectors: its stages, or of formulas a point halfway and
 * three terms. */
static int count_variations(const cst_layer *l, int stages, int vectors) {
  return l->rule ? (stages > 0) * (1 + 3 * vectors) : stages * vectors;
}

/* Values and reverses of the halves that have a length: one of each in a residual. The predictor is one value
 * more, and the ends are varied along the vectors tangent to TQ. */
static void count_evaluations(const struct parameters *x, const cst_system *s,
                              cst_substep_size *size) {
  const int minus = x->bias == 0 ? 0 : cst_program_layer_stages(&x->layer[0]);
  const int plus = x->bias == -1 ? 0 : cst_program_layer_stages(&x->layer[1]);
  const int vectors = dense(s) ? 2 * (s->nq - s->ng + s->model->nvel) : 0;
  size->fixed = minus + count_variations(&x->layer[0], minus, vectors) +
                count_variations(&x->layer[1], plus, vectors);
  size->each = 2 * (minus + plus);
  size->solves_fixed = size->fixed * cst_substep_solves(s);
  size->solves_each = 1 + size->each * cst_substep_solves(s);
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             q = s->nq, g = s->ng, iterations = 3;
  const int                minus = cst_program_layer_stages(&x->layer[0]);
  const int                plus = cst_program_layer_stages(&x->layer[1]);
  cst_substep_size         y = {
              .stages = minus > plus ? minus : plus,
              .unknowns = 4 * s->nq + 4 * s->ng,
              .kept = 4 * s->nq + 4 * s->ng,
              .predicted = 4 * s->nq + 4 * s->ng,
              .matrix = dense(s) ? 2 * pow(3 * (q + g), 2) : 0,
  };
  count_evaluations(x, s, &y);
  y.cost = dense(s) ? 2 * (y.fixed + iterations * y.each) * cst_substep_unit(s)
                    : 40 * y.each * 4 * (q + 3 * g);
  return y;
}

static bool action(const void *of, cst_action *a) {
  const struct parameters *x = of;
  *a = (cst_action){.bias = x->bias, .minus = &x->layer[0], .plus = &x->layer[1]};
  return !x->of_w && !x->by_mass && !x->iota;
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  to->bias = x->bias;
  to->iteration = with->iteration;
  to->of_w = x->of_w;
  to->by_mass = x->by_mass;
#if FIBRED
  CST_TRY(cst_iota_bind(with, x->iota, &to->iota));
#endif
  for (int k = 0; k < 2; k++)
    CST_TRY(cst_stepper_bind_layer(with, &x->layer[k], true, &to->layer[k]));
  return 0;
}

/* The equations of nu1 and nu2 are met by elimination, and have no residual. */
static cst_jacobian jacobian(const void *x, const cst_system *s) {
  (void)x;
  return s->ng ? CST_JACOBIAN_NONE : CST_JACOBIAN_DIFFERENCES;
}

static const cst_substep_row row = {
    .name = CST_ROW_NAME,
    .data = sizeof(struct parameters),
    .iterations = FIBRED ? 1 << CST_ITERATION_NEWTON
                         : 1 << CST_ITERATION_SIMPLIFIED | 1 << CST_ITERATION_NEWTON |
                               1 << CST_ITERATION_CHORD | 1 << CST_ITERATION_KRYLOV,
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .jacobian = jacobian,
    .action = action,
    .bind = bind,
};
#endif
