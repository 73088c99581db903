/* lie.h: lane code of the integrators on SO(3)^k x R^m, with k bodies and m ordinary coordinates: forces and
 * impulses at the two ends of a drift of PIECES equal pieces (1: lie.c, 2: lie-rattle.c).
 *
 *   a0 = alpha0 - w0 h dV(q0) - G(q0)'L                          left-trivialised: alpha = I omega
 *   (dR tau^-1_x)* I x = h' a,  R := R tau(x),  a := tau(x)' a   in each piece; h' = h / PIECES, x = h' xi
 *   q1 = q0 + h M^-1 a0                                          for the ordinary coordinates;  g(q1) = 0
 *   alpha1 = a - w1 h dV(q1) - G(q1)'m,   G(q1) v1 = 0
 *
 * Barbero-Linan, Martin de Diego, Sato, section 6, in the sign p' = -dV - G'lambda. There alpha1 is (dL
 * tau^-1_x)* I xi. Since (dL tau^-1_x)* = tau(x)' (dR tau^-1_x)*, it is the momentum of the first equation in
 * the new axes: the drift does not change R alpha, the momentum in space axes. Therefore R alpha is stored.
 * Neither the residual of the first equation nor the round-off of tau, which would accumulate in a steady
 * motion, then changes a momentum. g are the user's constraints (method/joints.h). After the drift R := R - R
 * (R'R - 1)/2; otherwise products of rotations leave SO(3).
 *
 * Unknowns are the x of all pieces and bodies and the impulses L. Newton's matrix is eliminated body by body,
 * three rows each; what remains is S dL = g + G1 eta with S = G1 K G0', where K da is the rotation of a
 * body's end for a change da, and eta that for the residual of its equations. Corrections are bent, of all
 * equations (bend.h). The record contains the coordinates and p = M v, and also R alpha, which is used unless
 * p shows that another substep has moved the bodies. With STAGE the force acts inside the drift, with AXES
 * tau is any retraction from text. Where V or g depends on t, they are taken at the times of their points,
 * and G v1 + g_t = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/rotation.h"
#include "method/core/lane.h"
#include "method/core/near-root.h"
#include "method/joints.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#define USES_STEP
#define NX_PREDICTED NU /* begin computes the others */
#define USES_NEAR
#define DUE_ORDERS 2
#define FORGIVES   SEEKS /* a start of high order may lead to other roots */
#define BENDS                                                                                      \
  (!CST_SIZED && NU > 0 && NO_FORCE_BENDS && MARCH->smooth && !MARCH->straight && !MARCH->attempt)
#if !defined(CST_SYSTEM_HEADER) || SYS_BODIES

#ifdef STAGE
#define LEFT_KICK(j)   vset(0)
#define RIGHT_KICK(j)  vset(0)
#define NO_FORCE_BENDS (JOINTS->linear)
#else
#define NO_FORCE_BENDS 1
#define LEFT_KICK(j)   (OWN(j)->w0 * H(j))
#define RIGHT_KICK(j)  (OWN(j)->w1 * H(j))
#endif
#include "method/core/lie-parts.h"
#define NEAR_BY         0x1p-32         /* its square is far below round-off */
#define CLOSE_BY        (1 / CST_CLOSE) /* its cube is */
#define FINE_BY         0x1p-13         /* its square is far below CLOSE_BY */
#define MET_FROM        (3 * PIECES * NB)
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->full, (L)->q1, (L)->slack)

/* ---- tau ------------------------------------------------------------------------------------- */

/* tau at x, the inverse of its derivative on momenta, its derivative, and its size; of AXES in lie-parts.h. */
#ifndef AXES
#define DRIFT_TURN(t, x, y)    cst_turn(t, x, y)
#define DRIFT_LIFT(t, x, y, z) cst_lift(t, EXPONENTIAL, x, y, z)
#define DRIFT_TANGENT(t, x, y) cst_tangent(t, EXPONENTIAL, x, y)
#define DRIFT_SIZE(t)          ((t)->s)
#define DRIFT_AT(j, r, x)      retraction(C, x)

CST_INLINE cst_retraction retraction(const cst_context *C, const vd *x) {
  const vd size = cst_dot(x, x);
#ifndef STAGE
  if (FROM_TEXT) {
    const cst_lane_tau *t = &OWN(0)->tau;
    const double       *in[128] = {['q'] = (const double *)&size};
    vd                  f[3];
    t->run(t->tape, in, (double *)f, t->scratch);
    return cst_retraction_of(size, f[0], f[1], f[2]);
  }
#endif
  return EXPONENTIAL ? cst_exponential(size) : cst_cayley(size);
}
#endif

/* ---- the step -------------------------------------------------------------------------------- */

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  CST_LOAD_REACH(L, record);
  load_parts(C, L, record);
  load_force(C, L, L->q);
  if (NU > 0)
    K_G(L->c, L->q, L->full);
  reduce_joints(C, L, L->q, L->G);
}

/* The retraction of piece r of body b, as evaluate has stored it. */
CST_INLINE DRIFT *piece(const cst_context *C, const struct local *L, int b, int r) {
  return (DRIFT *)L->t + PIECES * b + r;
}

/* x of a piece of length h from a, up to terms of order h^3: I x + x cross I x / 2 = h a. */
CST_INLINE void guess(const cst_context *C, const struct local *L, int b, vd h, const vd *a,
                      vd *x) {
  vd y[3], z[3];
  times(L->W + 9 * b, PRINCIPAL, a, y);
  cst_cross(y, a, z);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    z[i] = h * (a[i] - (0.5 * h) * z[i]);
  times(L->W + 9 * b, PRINCIPAL, z, x);
}

/* z := the momenta in body axes, with the changes that L->d holds. */
CST_INLINE void body_momenta(const cst_context *C, const struct local *L, const vd *q, vd *z) {
  UNROLL
  for (int b = 0; b < NB; b++)
    to_body(q + ROTATION(b), L->p + 3 * b, z + 3 * b);
  UNROLL
  for (int k = 0; k < NZ; k++)
    z[k] = (k < 3 * NB ? z[k] : L->p[k]) + L->d[k];
}

/* Adds the changes L->d, in the body axes of q, to the momenta. */
CST_INLINE void take_up(const cst_context *C, struct local *L, const vd *q) {
  UNROLL
  for (int b = 0; b < NB; b++) {
    vd space[3];
    to_space(q + ROTATION(b), L->d + 3 * b, space);
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] += space[i];
  }
  UNROLL
  for (int k = 3 * NB; k < NZ; k++)
    L->p[k] += L->d[k];
}

/* The times of the ends of substep j. */
#define TIME_LEFT(L, j)  START_OF(L, j)
#define TIME_RIGHT(L, j) (START_OF(L, j) + H(j))

/* Half of the powers at q, at the time t, where the joints have the impulses m. There are no forces: powers do not
 * depend on v. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j, vd t, const vd *m) {
  vd l[ROOM(NG)];
  (void)t, (void)j, (void)l, (void)m;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  for (int a = 0; a < NG; a++)
    l[a] = vpick(a < NU, (2 / H(j)) * m[a < NU ? a : 0], vset(0));
  cst_gather(C, L->own, 0.5 * H(j), L->q, L->q, l);
}

/* What depends on the time at the left end. */
CST_INLINE void begin_at_time(const cst_context *C, struct local *L, int j) {
  SET_TIME(L, TIME_LEFT(L, j));
  load_force(C, L, L->q);
  if (NU > 0)
    K_G(L->c, L->q, L->full);
  reduce_joints(C, L, L->q, L->G);
}

/* The residual of the equation of a piece: f := (dR tau^-1_x)* I x - h a. Returns the lanes in which it is
 * round-off; *within: stays in those in which it is `by` times its terms. */
CST_INLINE vl remainder_of(const cst_context *C, const struct local *L, int b, const DRIFT *t, vd h,
                           const vd *x, const vd *a, vd *f, double by, vl *within) {
  vd Ix[3];
  vd y[3];
  vd size = vset(0);
  vd off = vset(0);
  times(L->I + 9 * b, PRINCIPAL, x, Ix);
  DRIFT_LIFT(t, x, Ix, y);
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    f[i] = y[i] - h * a[i];
    off = vmax(vabs(f[i]), off);
    size = vmax(vmax(vabs(Ix[i]), vabs(h * a[i])), size);
  }
  size *= 1.0 + DRIFT_SIZE(t);
  *within &= (vl)(off <= by * size);
  return (vl)(off <= (8 * EPS) * size);
}

/* The rotation at the end of the drift in R[9]. */
CST_INLINE void arrive(const cst_context *C, const struct local *L, int b, const vd *x, vd *R) {
  CST_UNROLL
  for (int e = 0; e < 9; e++)
    R[e] = L->q[ROTATION(b) + e];
  CST_UNROLL
  for (int r = 0; r < PIECES; r++) {
    const DRIFT *t = piece(C, L, b, r);
    CST_UNROLL
    for (int k = 0; k < 3; k++)
      DRIFT_TURN(t, X(b) + 3 * r, R + 3 * k);
  }
  cst_orthogonalize(R);
}

CST_INLINE void arrive_all(const cst_context *C, struct local *L, int j, const vd *x) {
  vd v[ROOM(NO)];
  UNROLL
  for (int b = 0; b < NB; b++)
    arrive(C, L, b, x, L->q1 + ROTATION(b));
  velocities(C, L, L->a + 3 * NB, v);
  UNROLL
  for (int k = 0; k < NO; k++)
    L->q1[ORDINARY(k)] = L->q[ORDINARY(k)] + H(j) * v[k];
}

#ifdef STAGE

/* ---- a force inside the drift ---------------------------------------------------------------- */

/* The force acts at R0 tau(theta x) and at the fraction theta of the way of the ordinary coordinates. With F the force there, by variations in the axes
 * of R0,
 *
 *   a0 = alpha0 - h (F - K) - G(q0)'L,   R1 alpha1 = R0 (a0 - h K) before G(q1)'m
 *   K = theta (dR tau^-1_x)* (dR tau_(theta x))* F,   K = theta F for the ordinary coordinates
 *
 * of L_d = h L(R0 tau(theta x), xi). L->F and L->K hold F and K.
 */
#define THETA(j) (OWN(j)->w1)

/* a: the momenta behind the impulse without the force. The ordinary coordinates of the stage follow from
 * the force there: a lane ends this iteration by itself. Returns the lanes in which it has ended. */
static vl find_stage(const cst_context *C, struct local *L, int j, const vd *a) {
  enum { MOST = 60 };
  const vd h = H(j);
  vl       active = vmask(1);
  vd       p[ROOM(NO)], v[ROOM(NO)];
  for (int it = 0; it < MOST; it++) {
    const vd left = h * (it > 0 ? 1 - THETA(j) : 0);
    for (int k = 0; k < NO; k++)
      p[k] = a[3 * NB + k] - left * L->F[3 * NB + k];
    velocities(C, L, p, v);
    vd change = vset(0), size = vset(0);
    for (int k = 0; k < NO; k++) {
      vd      *at = L->q1 + ORDINARY(k);
      const vd to = L->q[ORDINARY(k)] + (THETA(j) * h) * v[k];
      change = vmax(vkeep(vmask(it > 0), vabs(to - *at)), change);
      size = vmax(vabs(to), size);
      *at = it ? vselect(active, to, *at) : to;
    }
    if (it > 0)
      active &= (vl)(change > (2 * EPS) * size);
    load_force(C, L, L->q1);
    if (NO == 0 || !vany(active))
      return vmask(1);
  }
  return ~active;
}

/* a -= h (F - K) */
CST_INLINE vl act_inside(const cst_context *C, struct local *L, int j, const vd *x, vd *a) {
  const double theta = THETA(j);
  vd           free[ROOM(NZ)];
  for (int k = 0; k < NZ; k++)
    free[k] = a[k];
  add_joints(C, L->G, x + 3 * PIECES * NB, free);
  for (int b = 0; b < NB; b++) {
    vd y[3], *R = L->q1 + ROTATION(b);
    for (int i = 0; i < 3; i++)
      y[i] = theta * X(b)[i];
    const cst_retraction t = retraction(C, y);
    for (int e = 0; e < 9; e++)
      R[e] = L->q[ROTATION(b) + e];
    for (int k = 0; k < 3; k++)
      cst_turn(&t, y, R + 3 * k);
  }
  const vl found = find_stage(C, L, j, free);
  for (int b = 0; b < NB; b++) {
    vd y[3], back[3], z[3], *F = L->F + 3 * b;
    for (int i = 0; i < 3; i++) {
      y[i] = theta * X(b)[i];
      back[i] = -y[i];
    }
    const cst_retraction t = retraction(C, y), whole = retraction(C, X(b));
    cst_turn(&t, back, F);
    for (int i = 0; i < 3; i++)
      z[i] = F[i];
    cst_tangent(&t, EXPONENTIAL, y, z);
    cst_lift(&whole, EXPONENTIAL, X(b), z, L->K + 3 * b);
    for (int i = 0; i < 3; i++)
      L->K[3 * b + i] *= theta;
  }
  for (int k = 0; k < NZ; k++) {
    if (k >= 3 * NB)
      L->K[k] = theta * L->F[k];
    a[k] -= H(j) * (L->F[k] - L->K[k]);
  }
  return found;
}

#endif

/* The lanes in which the residuals f of all pieces are `by` times the terms of the momenta, which cancel where a body
 * slides between its joints and does not turn. The predicted impulses are among them: a correction of these leaves its
 * round-off, which is more than that of the impulses where those vanish. */
static __attribute__((noinline, unused)) vl is_small_in_terms(const cst_context  *C,
                                                              const struct local *L, int j,
                                                              const vd *x, const vd *f, double by) {
  const vd h = H(j) / PIECES;
  vd       terms[ROOM(NZ)];
  vl       all = vmask(1);
  for (int k = 0; k < NZ; k++) {
    terms[k] = vabs(L->pt[k]);
#ifdef STAGE
    terms[k] += vabs(H(j) * L->F[k]) + vabs(H(j) * L->K[k]);
#endif
  }
  add_joint_sizes(C, L->G, L->predicted, terms);
  add_joint_sizes(C, L->G, x + 3 * PIECES * NB, terms);
  for (int b = 0; b < NB; b++)
    for (int r = 0; r < PIECES; r++) {
      const vd *t = terms + 3 * b, *of = f + 3 * (PIECES * b + r);
      vd        Ix[3], off = vset(0), size = vset(0);
      times(L->I + 9 * b, PRINCIPAL, X(b) + 3 * r, Ix);
      for (int i = 0; i < 3; i++) {
        off = vmax(vabs(of[i]), off);
        size = vmax(vabs(Ix[i]), size);
      }
      size += h * (t[0] + t[1] + t[2]); /* which turn with the body */
      all &= (vl)(off <= by * (size * (1.0 + DRIFT_SIZE(piece(C, L, b, r)))));
    }
  return all;
}

/* Behind an evaluation: the lanes whose correction is bent, for which one is enough too. */
CST_INLINE void find_bent(const cst_context *C, struct local *L, int j, const vd *x, const vd *f) {
  L->bent = vmask(0);
  if (BENDS && vany(~L->near & L->steady))
    L->bent = ~L->near & L->steady & cst_rows_are_close(C, L->g, L->full, L->slack, L->reach);
  if (BENDS && vany(L->bent))
    L->bent &= is_small_in_terms(C, L, j, x, f, CLOSE_BY);
  L->bends = BENDS && vany(L->bent);
  L->near |= L->bent;
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd h = H(j) / PIECES;
  vl       done = vmask(1), found = vmask(1), near = vmask(1);
  UNROLL
  for (int k = 0; k < NZ; k++)
    L->a[k] = L->pt[k];
#ifdef STAGE
  SET_TIME(L, TIME_LEFT(L, j) + OWN(j)->w1 * H(j));
  found = act_inside(C, L, j, x, L->a);
#endif
  add_joints(C, L->G, x + 3 * PIECES * NB, L->a);
  UNROLL
  for (int b = 0; b < NB; b++) {
    const vd *a = L->a + 3 * b;
    CST_UNROLL
    for (int r = 0; r < PIECES; r++) {
      const vd   *y = X(b) + 3 * r;
      vd         *to = L->b + 3 * (PIECES * b + r);
      const DRIFT t = *piece(C, L, b, r) = DRIFT_AT(j, r, y);
      done &= remainder_of(C, L, b, &t, h, y, a, f + 3 * (PIECES * b + r), NEAR_BY, &near);
      CST_UNROLL
      for (int i = 0; i < 3; i++)
        to[i] = a[i];
      if (r + 1 < PIECES)
        DRIFT_TURN(&t, y, to);
      a = to;
    }
  }
  if (NU == 0)
    return done & found;
  arrive_all(C, L, j, x);
  SET_TIME(L, TIME_RIGHT(L, j));
  K_g(L->c, L->q1, L->g);
  K_G(L->c, L->q1, L->full);
  vl close = vmask(1);
  for (int k = 0; k < NU; k++) {
    f[3 * PIECES * NB + k] = L->g[k];
    if (vany(found))
      found &= cst_is_met(C, k, L->g[k], L->full, L->q1, L->slack);
    if (vany(close))
      close &= cst_is_near(C, k, L->g[k], L->full, L->q1, L->slack);
  }
  if (vany(close & ~near))
    near |= is_small_in_terms(C, L, j, x, f, NEAR_BY);
  if (vany(found & ~done))
    done |= is_small_in_terms(C, L, j, x, f, 8 * EPS);
  L->near = near & close;
  find_bent(C, L, j, x, f);
  return done & found;
}

/* ---- Newton's correction --------------------------------------------------------------------- */

/* The linearised drift, piece by piece for each body, and what couples the bodies. */

#ifndef AXES
/* J[9] := the derivative of (dR tau^-1_x)* I x with respect to x, I + (x^ I - (I x)^)/2 + c1 (x.Ix + 2 x (I x)')
 * and the terms of the exponential. */
CST_INLINE void slope(const cst_context *C, const struct local *L, int b, const cst_retraction *t,
                      const vd *x, vd *J) {
  const vd *I = L->I + 9 * b;
  vd        Ix[3];
  times(I, PRINCIPAL, x, Ix);
  const vd along = t->c1 * cst_dot(x, Ix);
  CST_UNROLL
  for (int k = 0; k < 3; k++) {
    const int m = (k + 1) % 3;
    const int n = (k + 2) % 3;
    vd        column[3] = {I[k], I[3 + k], I[6 + k]};
    vd        turned[3];
    if (PRINCIPAL) {
      turned[k] = vset(0);
      turned[m] = x[n] * column[k];
      turned[n] = -x[m] * column[k];
    } else
      cst_cross(x, column, turned);
    turned[m] -= Ix[n];
    turned[n] += Ix[m]; /* e_k cross I x */
    J[3 * k + k] = vpick(PRINCIPAL, column[k] + along, (column[k] + along) + 0.5 * turned[k]);
    J[3 * m + k] = vpick(PRINCIPAL, 0.5 * turned[m], column[m] + 0.5 * turned[m]);
    J[3 * n + k] = vpick(PRINCIPAL, 0.5 * turned[n], column[n] + 0.5 * turned[n]);
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      J[3 * i + k] += (2 * t->c1) * (x[i] * Ix[k]);
  }
  if (EXPONENTIAL) {
    const vd off = t->off;
    const vd bend = t->dc * cst_dot(x, Ix);
    const vd fall = t->fall;
    CST_UNROLL
    for (int i = 0; i < 3; i++) {
      const vd w = 2 * (bend * x[i] - fall * Ix[i]);
      CST_UNROLL
      for (int k = 0; k < 3; k++)
        J[3 * i + k] += w * x[k] - off * I[3 * i + k];
    }
  }
}
#endif

/* For a change d of the x of a piece: da becomes the change of the momentum behind the piece, eta that of the end's
 * rotation. b: the momentum behind the piece. None of da and eta is there before it where `from` is 0. */
CST_INLINE void carry(const cst_context *C, const DRIFT *t, const vd *x, const vd *b, const vd *d,
                      int from, vd *da, vd *eta) {
  vd turn[3];
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    turn[i] = d[i];
  DRIFT_TANGENT(t, x, turn);
  if (from) {
    DRIFT_TURN(t, x, da);
    cst_add_cross(b, turn, da);
  } else {
    cst_cross(b, turn, da);
  }
  DRIFT_TURN(t, x, eta);
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    eta[i] += turn[i];
}

/* One piece of the linearised drift: d := its change of x for a change da of its momentum and what its equation leaves,
 * -f (NULL: nothing). J: the inverse of its derivative. */
CST_INLINE void follow(const cst_context *C, const vd *J, const DRIFT *t, vd h, const vd *x,
                       const vd *b, const vd *f, int from, vd *d, vd *da, vd *eta) {
  vd left[3];
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    const vd gone = f ? f[i] : vset(0);
    left[i] = vpick(from, vpick(f != NULL, h * da[i] - gone, h * da[i]), -gone);
  }
  times(J, 0, left, d);
  carry(C, t, x, b, d, from, da, eta);
}

/* All pieces of body b, from a change da of its momentum or from none: d[3 PIECES], eta[3]. */
CST_INLINE void follow_all(const cst_context *C, const struct local *L, int j, int b, const vd *J,
                           const vd *x, const vd *f, int from, vd *d, vd *da, vd *eta) {
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    eta[i] = vset(0);
  CST_UNROLL
  for (int r = 0; r < PIECES; r++)
    follow(C, J + 9 * r, piece(C, L, b, r), H(j) / PIECES, X(b) + 3 * r,
           L->b + 3 * (PIECES * b + r), f ? f + 3 * r : NULL, from || r > 0, d + 3 * r, da, eta);
}

/* J[PIECES][9] := the inverses of the derivatives. Returns where a determinant is negative, in signs. */
CST_INLINE vl slopes(const cst_context *C, const struct local *L, int b, const vd *x, vd *J) {
  vl odd = vmask(0);
  CST_UNROLL
  for (int r = 0; r < PIECES; r++) {
    slope(C, L, b, piece(C, L, b, r), X(b) + 3 * r, J + 9 * r);
    odd |= invert(J + 9 * r);
  }
  return odd;
}

/* K[9] := the rotation of the end of body b by row for a change of its momentum. */
CST_INLINE void compliance(const cst_context *C, const struct local *L, int j, int b, const vd *J,
                           const vd *x, vd *K) {
  vd y[3 * PIECES];
  vd turn[3];
  for (int i = 0; i < 3; i++) {
    vd unit[3] = {vset(i == 0), vset(i == 1), vset(i == 2)};
    follow_all(C, L, j, b, J, x, NULL, 1, y, unit, turn);
    CST_UNROLL
    for (int k = 0; k < 3; k++)
      K[3 * k + i] = turn[k];
  }
}

#if !CST_SIZED && !defined(STAGE)
static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  const cst_context view = view_of(C);
  vd                K[ROOM(9 * NB)];
  vd                S[ROOM(NS)];
  for (int b = 0; b < NB; b++) {
    vd              J[9 * PIECES];
    cst_determinant inverse = {1, 0};
    slopes(C, L, b, x, J);
    compliance(C, L, j, b, J, x, K + 9 * b);
    for (int r = 0; r < PIECES; r++)
      GRAM_APART.determinant(J + 9 * r, 3, lane, &inverse);
    cst_determinant_times(D, 1 / inverse.mantissa);
    D->exponent -= inverse.exponent;
  }
  reduce_joints(C, L, L->q1, L->G1);
  fill_complement(C, L, j, L->G1, K, S);
  GRAM_APART.multiply(&view, S, H(j), lane, D);
}
#endif

/* d := the correction for the residual f. S: the matrix of the impulses, behind it its factors; `again`: it has those of
 * a matrix nearby. */
CST_INLINE void eliminate(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          int again, vd *S, vd *d) {
  vd *l = d + 3 * PIECES * NB;
  vd  K[ROOM(NU ? 9 * NB : 0)];
  vd  eta[ROOM(3 * NB)];
  vd  J[9 * PIECES];
  vd  dl[ROOM(NZ)];
  vd  turn[3];
  vl  odd = vmask(0);
  UNROLL
  for (int k = 0; k < NZ; k++)
    dl[k] = vset(0);
  UNROLL
  for (int b = 0; b < NB; b++) {
    vd da[3];
    odd |= slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 0, d + 3 * PIECES * b, da, eta + 3 * b);
    if (NU > 0 && !(again && !FACTORLESS))
      compliance(C, L, j, b, J, x, K + 9 * b);
  }
  if (NU == 0)
    return;
  for (int k = 0; k < NU; k++)
    l[k] = f[3 * PIECES * NB + k];
  couple(C, L, j, K, eta, again, S, l);
  L->sure &= (vl)(odd >= 0);
  add_joints(C, L->G, l, dl);
  for (int b = 0; b < NB; b++) {
    slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 1, d + 3 * PIECES * b, dl + 3 * b, turn);
  }
}

#if !CST_SIZED
/* left := 1/2 (D d + f) in lanes that are bent, D the derivative at y = x + d: what the correction d of x leaves of the
 * residual f but for the third order. The fields of the last evaluation are then those at y. */
static void find_left(const cst_context *C, struct local *L, int j, const vd *y, const vd *f,
                      const vd *d, vd *left) {
  const vd h = H(j) / PIECES;
  vd       change[ROOM(NZ)], eta[ROOM(NZ)];
  USES_J
  for (int k = 0; k < NZ; k++)
    change[k] = eta[k] = vset(0);
  add_joints(C, L->G, d + 3 * PIECES * NB, change);
  for (int k = 0; k < NZ; k++)
    L->a[k] += change[k];
  for (int b = 0; b < NB; b++) {
    const vd *a = L->a + 3 * b;
    for (int r = 0; r < PIECES; r++) {
      const int   at = 3 * (PIECES * b + r);
      const DRIFT t = *piece(C, L, b, r) = DRIFT_AT(j, r, y + at);
      vd          D[9], z[3], *to = L->b + at;
      for (int i = 0; i < 3; i++)
        to[i] = a[i];
      if (r + 1 < PIECES)
        DRIFT_TURN(&t, y + at, to);
      slope(C, L, b, &t, y + at, D);
      times(D, 0, d + at, z);
      for (int i = 0; i < 3; i++)
        left[at + i] = vkeep(L->bent, 0.5 * ((z[i] - h * change[3 * b + i]) + f[at + i]));
      carry(C, &t, y + at, to, d + at, 1, change + 3 * b, eta + 3 * b);
      a = to;
    }
  }
  velocities(C, L, change + 3 * NB, eta + 3 * NB);
  for (int k = 3 * NB; k < NZ; k++)
    eta[k] *= H(j);
  arrive_all(C, L, j, y);
  K_G(L->c, L->q1, L->full);
  reduce_joints(C, L, L->q1, L->G1);
  for (int a = 0; a < NU; a++) {
    vd s = f[3 * PIECES * NB + a];
    ROW_J(a, v, e)
      s += L->G1[e] * eta[v];
    left[3 * PIECES * NB + a] = vkeep(L->bent, 0.5 * s);
  }
}

/* Adds to the correction d of x the one of what it leaves (bend.h), by the factors S of its matrix. */
static __attribute__((noinline)) void bend(const cst_context *C, struct local *L, int j,
                                           const vd *x, const vd *f, vd *S, vd *d) {
  vd y[ROOM(NX)], left[ROOM(NX)], more[ROOM(NX)];
  for (int i = 0; i < NX; i++)
    y[i] = x[i] + d[i];
  const vl sure = L->sure;
  find_left(C, L, j, y, f, d, left);
  eliminate(C, L, j, y, left, 1, S, more);
  for (int i = 0; i < NX; i++)
    d[i] += vkeep(L->bent, more[i]);
  L->sure = sure;
}
#endif

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd S[ROOM(NS)];
  reduce_joints(C, L, L->q1, L->G1);
  eliminate(C, L, j, x, f, 0, S, d);
#if !CST_SIZED
  if (NU > 0 && L->bends)
    bend(C, L, j, x, f, S, d);
#endif
}

/* Corrects the x of piece r of body b by itself, once, or twice where once leaves more than a bent correction does: the
 * joints then have only to correct what the prediction of their impulses leaves. Returns the retraction there. */
CST_INLINE DRIFT improve(const cst_context *C, const struct local *L, int j, int b, int r, vd h,
                         const vd *a, vd *x) {
  DRIFT t = DRIFT_AT(j, r, x);
  vl    fine = vmask(0);
  for (int k = 0; k < 2 && vany(~fine); k++) {
    const vl active = ~fine;
    vd       f[3], d[3], J[9];
    fine = vmask(1);
    remainder_of(C, L, b, &t, h, x, a, f, FINE_BY, &fine);
    slope(C, L, b, &t, x, J);
    invert(J);
    times(J, 0, f, d);
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      x[i] -= vkeep(active, d[i]);
    t = DRIFT_AT(j, r, x);
  }
  return t;
}

/* The drift starts from the momenta and the impulses that the last steps predict. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  if (TIMED)
    begin_at_time(C, L, j);
  const vd kick = LEFT_KICK(j);
  const vd h = H(j) / PIECES;
  vd       a[ROOM(NZ)];
  cst_open_impulses(C, j, L->impulse);
  UNROLL
  for (int k = 0; k < NZ; k++)
    L->d[k] = -kick * L->F[k];
  body_momenta(C, L, L->q, L->pt);
  UNROLL
  for (int k = 0; k < NZ; k++)
    a[k] = L->pt[k];
  for (int k = 0; k < NU; k++)
    L->predicted[k] = x[3 * PIECES * NB + k];
  add_joints(C, L->G, x + 3 * PIECES * NB, a);
  UNROLL
  for (int b = 0; b < NB; b++) {
    CST_UNROLL
    for (int r = 0; r < PIECES; r++) {
      vd *y = X(b) + 3 * r;
      guess(C, L, b, h, a + 3 * b, y);
      if (NU > 0) {
        const DRIFT t = improve(C, L, j, b, r, h, a + 3 * b, y);
        if (r + 1 < PIECES)
          DRIFT_TURN(&t, y, a + 3 * b);
      } else if (r + 1 < PIECES) {
        const vd             k1 = 1.0 - 0.25 * cst_dot(y, y);
        const cst_retraction t = {.k1 = k1, .k2 = 0.5 * k1};
        cst_turn(&t, y, a + 3 * b);
      }
    }
  }
}

#if !CST_SIZED && !defined(STAGE)
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  for (int k = 0; k < NU; k++)
    x[3 * PIECES * NB + k] = vset(0);
  begin(C, L, j, x);
}
#endif

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd kick = RIGHT_KICK(j);
  vd       m[ROOM(NU + 1)];
  gather(C, L, j, TIME_LEFT(L, j), x + 3 * PIECES * NB);
  SET_TIME(L, TIME_RIGHT(L, j));
#ifdef STAGE
  for (int k = 0; k < NZ; k++)
    L->d[k] = -(H(j) * L->F[k]);
#endif
  if (NU == 0)
    arrive_all(C, L, j, x);
  add_joints(C, L->G, x + 3 * PIECES * NB, L->d);
  take_up(C, L, L->q);
  load_force(C, L, L->q1);
  UNROLL
  for (int k = 0; k < NZ; k++)
    L->d[k] = -kick * L->F[k];
  for (int k = 0; k < NU; k++)
    L->impulse[k] += x[3 * PIECES * NB + k];
  if (NU > 0) {
    reduce_joints(C, L, L->q1, L->G1);
    body_momenta(C, L, L->q1, L->a);
    make_tangent(C, L, L->a, L->d, m);
  }
  take_up(C, L, L->q1);
  CST_TAKE(L->q, L->q1, NQ);
  CST_TAKE(L->G, L->G1, NR);
  gather(C, L, j, TIME_RIGHT(L, j), m);
}

#define LEAVES
CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  vd *turning = (vd *)record + OWN(0)->turning;
  UNROLL
  for (int k = 0; k < 3 * NB; k++)
    turning[k] = L->p[k];
  ambient_momenta(C, L, (vd *)record + LAYOUT(C).p);
}

#define KEEPS_TRAIL
#define TRAIL_MOMENTA(C, L, read, p) (read) ? ambient_momenta(C, L, p) : (void)0
#include "method/core/march.h"
#endif
