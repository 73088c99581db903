/* lagrange.c: the core of the variational methods for L = 1/2 v'M(q)v + a(q).v - V(q): RATTLE, SHAKE,
 * symplectic Euler A and B, midpoint.
 *
 * A substep has one or two points r at which L is evaluated, each for a part w_r of h, at the fraction
 * theta_r of this part. With P = p0 - G(q0)' L:
 *
 *   x_r = q + theta_r w_r h u_r,    L_v(x_r, u_r) - (1 - theta_r) w_r h L_q(x_r, u_r) = P
 *   P  := P + w_r h L_q(x_r, u_r),    q := q + w_r h u_r                  in turn, then g(q) = 0
 *   p1 = P - G(q1)' m,   G(q1) v1 = 0 for M(q1) v1 + a(q1) = p1
 *
 * One point: L_d = h L(q0 + theta h u, u), u = (q1 - q0)/h, theta = 0: A, 1: B, 1/2: midpoint
 * (Barbero-Linan, Martin de Diego, Sato, the map R_d(q, v) = (q - theta v, q + (1 - theta) v)). Two points
 * (w, theta) = (1/2, 0), (1/2, 1): RATTLE in the form of Jay and Reich, since L_v = p and L_q = -H_q at v =
 * H_p (Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1). The sign is M A = f - G' lambda.
 *
 * Forces F and the time enter by the discrete Lagrange-d'Alembert principle: L_q + F(x_r, u_r, t_r) replaces
 * L_q, where t_r is at the fraction theta_r of w_r. Accounts are integrated by the trapezoidal rule between
 * the ends of a substep. Constraints g(q, t) = 0 and G v + g_t = 0 hold at the times of the ends; their work
 * is L.g_t at the left end and m.g_t at the right one.
 *
 * Constraints on velocities, phi v + phi0 = 0, have no impulse of their own at the left end: the steps on both
 * sides of a point share their reaction k, P = p0 - G(q0)'L - h/2 phi(q0)'k0, p1 = P - G(q1)'m - h/2 phi(q1)'k1
 * (dalembert.c). In Newton's method their equations are 1 x = 0.
 *
 * The unknowns are the u_r and the impulses L. The equations for P are solved to round-off, g = 0 to the
 * solver's tolerance. P accumulates forces and is not set to L_v(x_r, u_r) + theta_r w_r h L_q, to which it
 * is equal: otherwise the residual of the equations would enter p, and from there momentum maps, without a
 * factor h. Two points always mean RATTLE; the last L_q then enters only p, and is evaluated after the other
 * equations are solved.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         lagrange
#define COMPILED_FOR .eliminated = true
#define USES_ELIMINATION

/* part: the fractions of h that belong to the points where L is evaluated. theta: the positions of the points
 * within them, 0 left, 1 right; two points are at the two ends. tangent: whether p is projected onto the
 * tangent space at the right end. filled: the nonzero entries of matrices (system/derive/elimination.h). */
struct data {
  double               part[2], theta[2];
  int                  tangent, reaction; /* reaction: its position in the record */
  const unsigned char *filled_mass, *filled_ends, *filled_inside, *filled_across;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/near-root.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#ifndef CST_COLD
#define HAS_NO_PIECES
#define USES_STEP
#define USES_NEAR
#define SEEKS_NEAR_ROOT 1
#define DUE_ORDERS      2
#define FORGIVES        (NG == 0)
#define SPLIT_AT        2
#define SPLIT_ELSE      1
#define POINTS          (MARCH->stages)
#define NX              (POINTS * NQ + NG)
#define NX_PREDICTED    NX
#define MET_FROM        (POINTS * NQ)
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#if CST_SIZED
#define SHARES 0
#else
#define SHARES (NVEL > 0)
#endif
/* The constraints that have impulses at both ends. */
#define APART (SHARES ? NG - NVEL : NG)

/* ---- L at one point -------------------------------------------------------------------------- */

/* In code compiled for one system, the subexpressions that depend on q alone are the numbers of a point
 * (system/emit/emit-header.c): L_v, M and D_q L_v use those of the inertia, L_q all of them. Generic code
 * has only the kernels. The bits are the same.
 */
#if CST_SIZED
#define NUMBERS                  SYS_NLAGRANGE
#define HAS_A                    SYS_GYROSCOPIC
#define FORCED                   0
#define INERTIA_AT(c, q, T)      sys_lagrange_inertia(c, q, NULL, NULL, T)
#define FORCE_AT(c, q, T)        sys_lagrange_force(c, q, NULL, NULL, T)
#define POINT_Lv(c, q, v, T, o)  sys_lagrange_Lv(c, q, v, T, o)
#define POINT_Lq(c, q, v, T, o)  sys_lagrange_Lq(c, q, v, T, o)
#define POINT_M(c, q, T, o)      sys_lagrange_M(c, q, NULL, T, o)
#define POINT_Lvq(c, q, v, T, o) sys_lagrange_Lvq(c, q, v, T, o)
#define ENTRIES(K)               (sizeof sys_lagrange_at_##K / sizeof *sys_lagrange_at_##K) /* upper bound */
#define FILLED(name)             sys_filled_##name
#define ROW_ENTRY(K, i, j, e)                                                                      \
  UNROLL                                                                                           \
  for (int j = 0, e; j < NQ; j++)                                                                  \
    if ((e = sys_lagrange_at_##K[i * NQ + j]) >= 0)
#define EACH_ENTRY(K, i, j, e)                                                                     \
  UNROLL                                                                                           \
  for (int i = 0; i < NQ; i++)                                                                     \
    ROW_ENTRY(K, i, j, e)
#else
#define NUMBERS                  0
#define HAS_A                    GYROSCOPIC
#define FORCED                   (C->system->model->nforce > 0)
#define INERTIA_AT(c, q, T)      (void)(T)
#define FORCE_AT(c, q, T)        (void)(T)
#define POINT_Lv(c, q, v, T, o)  K_Lv(c, q, v, o)
#define POINT_Lq(c, q, v, T, o)  K_Lq(c, q, v, o)
#define POINT_M(c, q, T, o)      K_M(c, q, o)
#define POINT_Lvq(c, q, v, T, o) K_Lvq(c, q, v, o)
#define ENTRIES(K)               (C->system->model->pattern[CST_K_##K].n + 1)
#define FILLED(name)             (OWN(0)->filled_##name)
#define EACH_ENTRY(K, i, j, e)                                                                     \
  for (int i = 0; i < NQ; i++)                                                                     \
    for (int e = C->system->model->pattern[CST_K_##K].start[i], j;                                 \
         e < C->system->model->pattern[CST_K_##K].start[i + 1] &&                                  \
         (j = C->system->model->pattern[CST_K_##K].column[e], 1);                                  \
         e++)
#endif

#include "method/core/lagrange-newton.h"

/* q, p, G, T (the numbers of the point q): at the left end of the substep; x, T1: the last point at which L
 * is evaluated; Lq: L_q there, if the equations contain it; q1, G1: at the right end; p1: P without the last
 * point's L_q; phi, phi1: rows of constraints on velocities, which G and G1 do not have. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(G, NNZ_G)                                                                                      \
  X(T, NUMBERS)                                                                                    \
  X(x, NQ)                                                                                         \
  X(T1, NUMBERS)                                                                                   \
  X(Lq, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(p1, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))                                                                \
  X(reaction, SHARES ? NG : 0, STATE(OWN(0)->reaction))                                            \
  X(phi, SHARES ? NNZ_G : 0)                                                                       \
  X(phi1, SHARES ? NNZ_G : 0)                                                                      \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *mass, *length;
  vd        iterations, extent;
  vl        step, near, was_near, sure;
  int       strict;
};

/* PART: the step of point r of substep j; BEFORE, BEHIND: the parts of it before and after the point;
 * IS_LEFT, IS_RIGHT: whether the point is at an end. */
#define PART(j, r)   (OWN(j)->part[r] * H(j))
#define IS_LEFT(j)   (POINTS == 1 && OWN(j)->theta[0] == 0)
#define IS_RIGHT(j)  (POINTS == 2 || OWN(j)->theta[0] == 1)
#define BEFORE(j)    (OWN(j)->theta[0] * PART(j, 0))
#define BEHIND(j)    (PART(j, 0) - BEFORE(j))
#define LAST         (POINTS - 1)
#define LAST_PART(j) (POINTS == 2 ? PART(j, 1) : PART(j, 0))

CST_INLINE void numbers_at(const cst_context *C, const vd *c, const vd *q, vd *T) {
  INERTIA_AT(c, q, T);
  FORCE_AT(c, q, T);
  (void)C;
}

/* Moves the rows of constraints on velocities from G to phi, and back. */
CST_INLINE void part_rows(const cst_context *C, vd *G, vd *phi, bool back) {
  (void)C, (void)G, (void)phi, (void)back;
#if !CST_SIZED
  USES_G
  for (int a = APART; a < NG; a++)
    ROW_G(a, i, e) {
      phi[e] = back ? phi[e] : G[e];
      G[e] = vpick(back, phi[e], vset(0));
      (void)i;
    }
#endif
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->mass = cst_block(record, at.mass);
  L->extent = *cst_block(record, at.extent);
  L->was_near = vmask(0);
  L->length = cst_block(record, at.length);
  K_G(L->c, L->q, L->G);
  if (SHARES)
    part_rows(C, L->G, L->phi, false);
  numbers_at(C, L->c, L->q, L->T);
}

/* v := the velocity of p. Rarely needed if the core is compiled for one system; the caller then passes copies
 * of values that it has in registers. */
static __attribute__((noinline)) void velocity(const cst_context *C, const vd *c, const vd *q,
                                               const vd *p, vd *v) {
  vd M[ROOM(ENTRIES(M))];
  vd A[ROOM(NQ * NQ)];
  vd a[ROOM(NQ)];
  K_M(c, q, M);
  K_a(c, q, a);
  for (int i = 0; i < NQ; i++)
    v[i] = vpick(HAS_A, p[i] - a[i], p[i]);
  spread_mass(C, M, A);
  factor(A, NQ, FILLED(mass));
  substitute(A, NQ, FILLED(mass), v, 1);
}

/* Half of the powers at (q, p), at the time t, where the constraints have the impulses m. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j, vd t, const vd *m) {
  vd v[ROOM(NQ)], l[ROOM(NG)];
  (void)t, (void)j, (void)v, (void)l, (void)m;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  for (int a = 0; a < NG && DRIVEN; a++)
    l[a] = (2 / H(j)) * m[a];
  cst_gather(C, L->own, 0.5 * H(j), L->q, v, l);
}

/* The times of the ends of substep j and of its last point. */
#define TIME_LEFT(L, j)  START_OF(L, j)
#define TIME_RIGHT(L, j) (START_OF(L, j) + H(j))
#define TO_POINT(j)      (POINTS == 2 ? PART(j, 0) + PART(j, 1) : BEFORE(j))
#define TIME_POINT(L, j) (START_OF(L, j) + TO_POINT(j))

/* Starts from the velocity in lanes whose last unknowns are zero, as in the first step. */
CST_INLINE void start_afresh(const cst_context *C, const struct local *L, vl fresh, vd *x) {
  vd q[ROOM(NQ)];
  vd p[ROOM(NQ)];
  vd v[ROOM(NQ)];
  for (int i = 0; i < NQ; i++) {
    q[i] = L->q[i];
    p[i] = L->p[i];
  }
  if (MASSLESS)
    cst_velocity(C, L->c, L->mass, q, p, v);
  else
    velocity(C, L->c, q, p, v);
  UNROLL
  for (int r = 0; r < POINTS; r++) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      x[r * NQ + i] = vselect(fresh, v[i], x[r * NQ + i]);
  }
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd size = vset(0);
  cst_open_impulses(C, j, L->impulse);
  if (DRIVEN) {
    SET_TIME(L, TIME_LEFT(L, j));
    K_G(L->c, L->q, L->G);
    part_rows(C, L->G, L->phi, false);
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    size = vmax(vabs(x[i]), size);
  if (POINTS == 2) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      size = vmax(vabs(x[NQ + i]), size);
  }
  const vl fresh = (vl)(size == 0);
  if (__builtin_expect(vany(fresh), 0))
    start_afresh(C, L, fresh, x);
}

/* ---- the residual ---------------------------------------------------------------------------- */

/* The equations are satisfied: to round-off those for P, to the solver's tolerance g = 0. */

/* An upper bound of the change of the equations at the point (x, u) if the coordinates change by one unit in
 * the last place; right: the part of the step after the point. */
static __attribute__((noinline, cold)) vd roughness(const cst_context *C, const vd *c, const vd *q,
                                                    const vd *x, const vd *u, vd right) {
  vd B[ROOM(ENTRIES(Lvq))];
  vd K[ROOM(ENTRIES(Lqq))];
  vd sum[ROOM(NQ)];
  vd most = vset(0);
  K_Lvq(c, x, u, B);
  K_Lqq(c, x, u, K);
  for (int i = 0; i < NQ; i++)
    sum[i] = vset(0);
  EACH_ENTRY(Lvq, i, j, e)
    sum[i] += vabs(B[e] * q[j]);
  EACH_ENTRY(Lqq, i, j, e)
    sum[i] += right * vabs(K[e] * q[j]);
  for (int i = 0; i < NQ; i++)
    most = vmax(sum[i], most);
  return EPS * most;
}

/* The residual of the equations for P that round-off of the coordinates causes. */
CST_INLINE vd floor_of(const cst_context *C, const struct local *L, int j, const vd *x) {
  vd q[ROOM(NQ)];
  vd y[ROOM(NQ)];
  vd u[ROOM(NQ)];
  vd most = vset(0);
  for (int i = 0; i < NQ; i++)
    q[i] = L->q[i];
  for (int r = 0; r < POINTS; r++) {
    for (int i = 0; i < NQ; i++) {
      y[i] = r == LAST ? L->x[i] : L->q[i];
      u[i] = x[r * NQ + i];
    }
    const vd right = vabs(vpick(POINTS == 1, BEHIND(j), vkeep(vmask(r == 0), PART(j, 0))));
    most = vmax(roughness(C, L->c, q, y, u, right), most);
  }
  return most;
}

/* Lq := L_q + F */
CST_INLINE void force_at(const cst_context *C, const vd *c, const vd *q, const vd *u, const vd *T,
                         vd *Lq) {
  POINT_Lq(c, q, u, T, Lq);
#if !CST_SIZED
  vd F[ROOM(NQ)];
  if (!FORCED)
    return;
  K_F(c, q, u, F);
  for (int i = 0; i < NQ; i++)
    Lq[i] += F[i];
#endif
  (void)C, (void)T;
}

/* The first of two points, at the left end. f: the residual of its equations; P := P + w h L_q, q1 := q + w h
 * u. */
CST_INLINE void first_point(const cst_context *C, struct local *L, int j, const vd *u, vd *f,
                            vd *size) {
  const vd w = PART(j, 0);
  vd       Lv[ROOM(NQ)], Lq[ROOM(NQ)];
  SET_TIME(L, TIME_LEFT(L, j));
  POINT_Lv(L->c, L->q, u, L->T, Lv);
  force_at(C, L->c, L->q, u, L->T, Lq);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    const vd part = w * Lq[i];
    f[i] = (Lv[i] - L->p1[i]) - part;
    *size = vmax(vmax(vabs(Lv[i]), vabs(part)), *size);
    L->p1[i] += part;
    L->q1[i] += w * u[i];
  }
}

/* The last point, at x: T1 there, and L_q unless the point is at the right end. f: the residual of its
 * equations; q1 := q1 + w h u. */
CST_INLINE void last_point(const cst_context *C, struct local *L, int j, const vd *u, vd *f,
                           vd *size) {
  const vd w = LAST_PART(j);
  vd       Lv[ROOM(NQ)];
  SET_TIME(L, TIME_POINT(L, j));
  UNROLL
  for (int i = 0; i < NQ; i++) {
    const vd end = L->q1[i] + w * u[i];
    if (IS_RIGHT(j))
      L->x[i] = end;
    else if (IS_LEFT(j))
      L->x[i] = L->q1[i];
    else
      L->x[i] = L->q1[i] + BEFORE(j) * u[i];
    L->q1[i] = end;
  }
  if (IS_LEFT(j)) {
    UNROLL
    for (int k = 0; k < NUMBERS; k++)
      L->T1[k] = L->T[k];
  } else
    INERTIA_AT(L->c, L->x, L->T1);
  POINT_Lv(L->c, L->x, u, L->T1, Lv);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] = Lv[i] - L->p1[i];
    *size = vmax(vabs(Lv[i]), *size);
  }
  if (IS_RIGHT(j))
    return;
  if (!IS_LEFT(j))
    FORCE_AT(L->c, L->x, L->T1);
  force_at(C, L->c, L->x, u, L->T1, L->Lq);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] -= BEHIND(j) * L->Lq[i];
    *size = vmax(vabs(w * L->Lq[i]), *size);
  }
}

/* All-ones in lanes where the equations for P, with the residual `off` and terms of the size `size`, are
 * satisfied to round-off. After a correction from where is_close held they are, as well as numbers allow. */
CST_INLINE vl balanced(const cst_context *C, const struct local *L, int j, const vd *x, vl met,
                       vd off, vd size) {
  const vl tiny = (vl)(off <= (8 * EPS) * size);
  vl       done = tiny | (L->was_near & (vl)(off <= 1e-12 * size));
  vl       rough = met & ~done & (vl)(off <= 1e-9 * size);
  vd       far = L->extent;
  if (!vany(rough))
    return done;
  UNROLL
  for (int i = 0; i < NQ; i++)
    far = vmax(vabs(L->q1[i]), far);
  rough &= (vl)(off * L->extent <= (512 * EPS) * (size * far));
  if (__builtin_expect(vany(rough), 0))
    done |= rough & (vl)(off <= (8 * EPS) * size + 4 * floor_of(C, L, j, x));
  return done;
}

/* All-ones in lanes where the error of the equations for P after a correction by Newton's method is far below
 * round-off. For a residual of relative size r this error is about r^2 times the change of M in the step, if
 * the coordinates move by a length of the system. */
CST_INLINE vl is_close(const cst_context *C, const struct local *L, vd off, vd size) {
  vd moved = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    moved = vmax(vabs(L->q1[i] - L->q[i]), moved);
  const vd left = (off * off) * moved;
  const vd roundoff = (EPS / 16) * ((size * size) * L->extent);
  return (vl)(left <= roundoff) & (vl)(off <= 1e-6 * size);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vd size = vset(0), off = vset(0); /* the terms of the equations for P, and their residual */
  const int ng = POINTS * NQ;
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i];
    L->p1[i] = L->p[i];
    size = vmax(vabs(L->p[i]), size);
    COL_G(i, a, e) {
      const vd part = L->G[e] * x[ng + a];
      L->p1[i] -= part;
      size = vmax(vabs(part), size);
    }
#if !CST_SIZED
    COL_G(i, a, e)
      if (a >= APART)
        L->p1[i] -= L->phi[e] * ((0.5 * H(j)) * L->reaction[a]);
#endif
  }
  if (POINTS == 2)
    first_point(C, L, j, x, f, &size);
  last_point(C, L, j, x + LAST * NQ, f + LAST * NQ, &size);
  UNROLL
  for (int i = 0; i < NQ; i++)
    off = vmax(vabs(f[i]), off);
  if (POINTS == 2) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      off = vmax(vabs(f[NQ + i]), off);
  }
  SET_TIME(L, TIME_RIGHT(L, j));
  K_g(L->c, L->q1, f + ng);
  K_G(L->c, L->q1, L->G1);
  part_rows(C, L->G1, L->phi1, false);
  vl met = vmask(1);
  L->near = is_close(C, L, off, size);
  UNROLL
  for (int a = 0; a < NG; a++) {
    met &= cst_is_met(C, a, f[ng + a], L->G1, L->q1, L->slack);
    L->near &= cst_is_near(C, a, f[ng + a], L->G1, L->q1, L->slack);
  }
  return met & balanced(C, L, j, x, met, off, size);
}

/* The same, and no coordinate on which the mass or a(q) depends moves by more than half the system's length. */
CST_INLINE vl is_little(const cst_context *C, const struct local *L) {
  vd moved = vset(0);
  EACH_ENTRY(Lvq, i, k, e) {
    moved = vmax(vabs(L->q1[k] - L->q[k]), moved);
    (void)e;
  }
  return cst_has_moved_little(C, L->q, L->q1, L->length) & (vl)(moved <= 0.5 * L->extent);
}

/* The matrices of the points of substep j. Requires that evaluate was called with x. */
CST_INLINE void linearise(const cst_context *C, struct local *L, int j, const vd *x, vd *A,
                          vd *across, vd *B) {
  const vd first = PART(j, 0);
  if (POINTS == 2) {
    SET_TIME(L, TIME_LEFT(L, j));
    left_end(C, L->c, L->q, x, L->T, first, A, across);
    SET_TIME(L, TIME_POINT(L, j));
    right_end(C, L->c, L->x, x + NQ, L->T1, LAST_PART(j), first, B, across);
  } else {
    SET_TIME(L, TIME_POINT(L, j));
    if (IS_LEFT(j))
      left_end(C, L->c, L->x, x, L->T1, first, A, NULL);
    else if (IS_RIGHT(j))
      right_end(C, L->c, L->x, x, L->T1, first, vset(0), A, NULL);
    else
      inside(C, L->c, L->x, x, L->T1, BEFORE(j), BEHIND(j), A);
  }
}

#if !CST_SIZED
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  (void)j;
  start_afresh(C, L, vmask(1), x);
  for (int a = 0; a < NG; a++)
    x[POINTS * NQ + a] = vset(0);
}

static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  vd A[ROOM(NQ * NQ)];
  vd B[ROOM(NQ * NQ)];
  vd across[ROOM(NQ * NQ)];
  vd J[ROOM(NX * NX)];
  vd part[2] = {vset(OWN(j)->part[0]), vset(OWN(j)->part[1])};
  linearise(C, L, j, x, A, across, B);
  assemble(C, POINTS, A, across, B, part, L->G, L->G1, J);
  GRAM_APART.determinant(J, NX, lane, D);
}
#endif

/* Requires that evaluate was called with x. */
CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd       A[ROOM(NQ * NQ)];
  vd       B[ROOM(NQ * NQ)];
  vd       across[ROOM(NQ * NQ)];
  const vd w[2] = {PART(j, 0), LAST_PART(j)};
  linearise(C, L, j, x, A, across, B);
#if !CST_SIZED
  if (MASSLESS) {
    eliminate_pivoted(C, POINTS, A, across, B, w, L->G, L->G1, f, d);
    L->sure = vmask(1);
    return;
  }
#endif
  L->sure = eliminate(C, POINTS, A, across, B, w, L->G, L->G1, f, L->strict, d);
  if (L->strict)
    L->sure &= is_little(C, L);
#if !CST_SIZED
  if (MARCH->attempt) {
    linearise(C, L, j, x, A, across, B);
    eliminate_pivoted(C, POINTS, A, across, B, w, L->G, L->G1, f, d);
  }
#endif
}

/* Whether the substep after j evaluates L at its left end. */
#define NEXT(j)         ((j) + 1 < MARCH->nsub ? (j) + 1 : 0)
#define LEFT_IS_NEXT(j) (POINTS == 2 || OWN(NEXT(j))->theta[0] == 0)

/* T := the numbers at q1, as far as they are needed. */
CST_INLINE void keep_point(const cst_context *C, struct local *L, int j) {
  if (IS_RIGHT(j)) {
    UNROLL
    for (int k = 0; k < NUMBERS; k++)
      L->T[k] = L->T1[k];
    return;
  }
  if (LEFT_IS_NEXT(j) || (NG > 0 && OWN(j)->tangent))
    numbers_at(C, L->c, L->q1, L->T);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)];
  vd M[ROOM(ENTRIES(M))];
  vd a[ROOM(NQ)];
  vd phi0[ROOM(NG)];
  UNROLL
  for (int b = 0; b < NG; b++)
    m[b] = vset(0);
  gather(C, L, j, TIME_LEFT(L, j), x + POINTS * NQ);
  SET_TIME(L, TIME_POINT(L, j));
  if (IS_RIGHT(j)) {
    FORCE_AT(L->c, L->x, L->T1);
    force_at(C, L->c, L->x, x + LAST * NQ, L->T1, L->Lq);
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->p1[i] += LAST_PART(j) * L->Lq[i];
  keep_point(C, L, j);
  part_rows(C, L->G1, L->phi1, true);
  if (MASSLESS) {
    SET_TIME(L, TIME_RIGHT(L, j));
    cst_make_tangent(C, L->c, L->q1, L->G1, NULL, L->p1, m);
  } else if (NG > 0 && OWN(j)->tangent) {
    SET_TIME(L, TIME_RIGHT(L, j));
    POINT_M(L->c, L->q1, L->T, M);
    if (HAS_A)
      K_a(L->c, L->q1, a);
    if (AFFINE)
      K_phi0(L->c, L->q1, phi0);
    project_momenta(C, M, a, phi0, L->G1, L->p1, m);
  }
  UNROLL
  for (int b = 0; b < NG; b++)
    L->impulse[b] += x[POINTS * NQ + b] + m[b];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q[i] = L->q1[i];
    L->p[i] = L->p1[i];
  }
  CST_TAKE(L->G, L->G1, NNZ_G);
  part_rows(C, L->G, L->phi, false);
  for (int b = APART; b < NG; b++)
    L->reaction[b] = m[b] * (2 / H(j));
  gather(C, L, j, TIME_RIGHT(L, j), m);
}

#include "method/core/march.h"
#endif
#else

#include <string.h>
#include "method/substep.h"
#include "system/derive/elimination.h"

/* ---- the row --------------------------------------------------------------------------------- */

struct parameters {
  double part[2], theta[2];
  int    points, tangent;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->points == y->points && x->tangent == y->tangent &&
         !memcmp(x->part, y->part, sizeof x->part) && !memcmp(x->theta, y->theta, sizeof x->theta);
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                unknowns = x->points * s->nq + s->ng;
  const double             n = s->nq;
  const double             products = x->points * n * n * (n / 3 + 1 + s->ng);
  return (cst_substep_size){
      .stages = x->points,
      .unknowns = unknowns,
      .kept = unknowns,
      .predicted = unknowns,
      .fixed = x->points,
      .each = x->points,
      .solves_fixed = x->tangent && s->ng,
      .solves_each = 1,
      .cost = 4 * (cst_substep_unit(s) + 0.03 * products),
  };
}

static void *make_elimination(const cst_system *s) { return cst_elimination_create(s); }
static void  end_elimination(void *e) { cst_elimination_destroy(e); }

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  void                    *made;
  CST_TRY(cst_stepper_bind_shared(with, make_elimination, end_elimination, &made));
  const cst_elimination *e = made;
  *to = (struct data){
      .tangent = x->tangent,
      .filled_mass = e->mass,
      .filled_ends = e->ends,
      .filled_inside = e->inside,
      .filled_across = e->across,
  };
  memcpy(to->part, x->part, sizeof to->part);
  memcpy(to->theta, x->theta, sizeof to->theta);
  return 0;
}

/* Of two points, of RATTLE, both have the same velocity where M is constant. */
static bool action(const void *of, cst_action *a) {
  const struct parameters *x = of;
  double                   begun = 0;
  *a = (cst_action){.points = x->points};
  for (int r = 0; r < x->points; r++) {
    a->part[r] = x->part[r];
    a->theta[r] = begun + x->part[r] * x->theta[r];
    begun += x->part[r];
  }
  return true;
}

/* The reaction that steps share. */
static void start(const void *x, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  (void)x;
  cst_system_multipliers(s, c, q, v, state[0]);
}

static cst_error bind_shared(const void *of, const cst_lane_binding *with, void *lane) {
  CST_TRY(bind(of, with, lane));
  ((struct data *)lane)->reaction = with->state[0];
  return 0;
}

static const cst_state_block shared[] = {{"reaction", .g = 1}, {NULL}};
static const cst_substep_row nonholonomic_row = {
    .name = "nonholonomic",
    .file = "lagrange",
    .data = sizeof(struct parameters),
    .state = shared,
    .same = same,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .action = action,
    .start = start,
    .bind = bind_shared,
};

cst_substep cst_lagrange_nonholonomic(double fraction) {
  const struct parameters x = {{0.5, 0.5}, {0, 1}, .points = 2, .tangent = true};
  return cst_substep_of(&nonholonomic_row, fraction, &x);
}

static const cst_substep_row row = {
    .name = "lagrange",
    .data = sizeof(struct parameters),
    .same = same,
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .action = action,
    .bind = bind,
};

cst_substep cst_lagrange(double fraction, int points, const double *part, const double *theta,
                         bool tangent) {
  struct parameters x = {.points = points, .tangent = tangent};
  for (int r = 0; r < points; r++) {
    x.part[r] = part[r];
    x.theta[r] = theta[r];
  }
  return cst_substep_of(&row, fraction, &x);
}

#endif
