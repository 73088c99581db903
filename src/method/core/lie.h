/* lie.h: lane code of the integrators on SO(3)^k x R^m, of k bodies and m ordinary coordinates: forces and impulses at the two ends of a
 * drift of PIECES equal pieces, 1: lie.c, 2: lie-rattle.c.
 *
 *   a0 = alpha0 - w0 h dV(q0) - G(q0)'L                              left-trivialised in the bodies: alpha = I omega
 *   (dR tau^-1_x)* I x = h' a,  R := R tau(x),  a := tau(x)' a       in each piece, of length h' = h / PIECES;  x = h' xi
 *   q1 = q0 + h M^-1 a0                                              of the ordinary coordinates;  g(q1) = 0
 *   alpha1 = a - w1 h dV(q1) - G(q1)'m,   G(q1) v1 = 0
 *
 * Barbero-Linan, Martin de Diego, Sato, section 6, in the sign p' = -dV - G'lambda. There alpha1 is (dL tau^-1_x)* I xi; since (dL tau^-1_x)*
 * = tau(x)' (dR tau^-1_x)*, it is what the first equation gathers, turned into the new axes: the drift leaves R alpha, the momentum in space
 * axes, as it is. So that is what is carried: neither what is left of the first equation nor the round-off of tau, which is the same from
 * step to step where x is and would add up, changes a momentum. g are the user's constraints (method/joints.h). After the drift
 * R := R - R (R'R - 1)/2, or products of rotations leave SO(3).
 *
 * Unknowns are the x of all pieces and bodies and the impulses L. Newton's matrix is eliminated body by body: of three rows each is left
 * S dL = g + G1 eta with S = G1 K G0', where K da is the turn of a body's end for a change da, and eta that for what its equations leave.
 * The record has the coordinates and p = M v, and R alpha beside it, which is taken from there unless p says that something else has moved
 * the bodies.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/rotation.h"
#include "method/core/lane.h"
#include "method/joints.h"
#include "system/acceleration.h"
#if !defined(CST_SYSTEM_HEADER) || SYS_FREE_BODIES

#if CST_HOT
#define NB           SYS_NBODIES
#define NO           (NQ - 9 * NB)
#define NU           0
#define NR           0
#define ROTATION(b)  sys_rotation[b]
#define ORDINARY(k)  sys_ordinary[k]
#define INERTIA(b)   (sys_inertia + 6 * (b))
#define PRINCIPAL    SYS_PRINCIPAL
#define BODY_NUMBERS SYS_NBODY
#else
#define JOINTS       (OWN(0)->joints)
#define NB           (JOINTS->bodies)
#define NO           (JOINTS->ordinary)
#define NU           (JOINTS->n)
#define NR           (JOINTS->reduced)
#define ROTATION(b)  (JOINTS->rotation[b])
#define ORDINARY(k)  (JOINTS->coordinate[k])
#define INERTIA(b)   (JOINTS->inertia + 6 * (b))
#define PRINCIPAL    (JOINTS->principal)
#define BODY_NUMBERS (C->system->nbody)
#endif
#define NZ   (3 * NB + NO) /* variations: three of each body, then the ordinary coordinates */
#define NM   (GENERAL ? NO * NO : 0)
#define NP   NZ
#define NT   (PIECES * NB * (int)(sizeof(cst_retraction) / sizeof(vd)))
#define EXPONENTIAL (MARCH->stages > PIECES) /* else the Cayley map */
#define SPLIT_AT    PIECES
#define NX   (3 * NB * PIECES + NU)
#define X(b) (x + 3 * PIECES * (b)) /* its pieces one behind the other */

/* I: inertias [NB][9] and their inverses W; M: masses of the ordinary coordinates, factored where they are a full matrix. p: momenta, of bodies
 * R alpha; F: dV by variations; d: changes of p at an end, pt: p behind the left kick, a: behind the impulse, all three by variations; b:
 * before the last piece, and behind each before it; t: the retractions of all pieces, of the last evaluation; q1: the end; G, G1:
 * constraints by variations at the ends. */
#define LOCAL(X)                                                                                                                           \
  X(q, NQ)                                                                                                                                 \
  X(I, 9 * NB) X(W, 9 * NB) X(minv, NO) X(M, NM) X(p, NZ) X(F, NZ) X(pt, NZ) X(d, NZ) X(a, NZ) X(b, 3 * PIECES * NB) X(t, NT) X(q1, NQ) X(G, NR) X(G1, NR)   \
      X(slack, NG) X(impulse, NG) X(dV, NQ) X(g, NU > 0 ? NG : 0) X(full, NU > 0 ? NNZ_G : 0)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

/* ---- bodies ---------------------------------------------------------------------------------------------------------------- */

/* y := A x. diagonal: nothing else is there. */
CST_INLINE void times(const vd *A, int diagonal, const vd *x, vd *y) {
  if (diagonal)
    CST_UNROLL for (int i = 0; i < 3; i++) y[i] = A[4 * i] * x[i];
  else
    CST_UNROLL for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* Inertias of all bodies, and their inverses. */
CST_INLINE void load_inertia(const cst_context *C, struct local *L) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  vd               number[ROOM(BODY_NUMBERS)];
  K_body(L->c, number);
  U for (int b = 0; b < NB; b++) {
    vd *I = L->I + 9 * b, *W = L->W + 9 * b, A[9];
    CST_UNROLL for (int e = 0; e < 9; e++) I[e] = A[e] = number[INERTIA(b)[place[e]]];
    CST_UNROLL for (int e = 0; e < 9; e++) W[e] = vpick(e % 4 == 0, vset(1.0), vset(0));
    if (PRINCIPAL) {
      CST_UNROLL for (int i = 0; i < 3; i++) W[4 * i] = 1.0 / I[4 * i];
    } else {
      cst_ldl(A, 3);
      CST_UNROLL for (int i = 0; i < 3; i++) cst_lu_solve(A, W + 3 * i, 3);
    }
  }
}

/* P[9] := R hat(omega) J, J = tr(I)/2 1 - I: M v of a body's nine coordinates. */
CST_INLINE void carried(const cst_context *C, const struct local *L, int b, const vd *R, const vd *alpha, vd *P) {
  const vd *I = L->I + 9 * b;
  vd        omega[3], J[9];
  times(L->W + 9 * b, PRINCIPAL, alpha, omega);
  CST_UNROLL for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    J[4 * i] = 0.5 * ((I[4 * j] + I[4 * k]) - I[4 * i]);
    J[3 * i + j] = -I[3 * i + j], J[3 * i + k] = -I[3 * i + k];
  }
  CST_UNROLL for (int k = 0; k < 3; k++) {
    vd v[3];
    cst_cross(R + 3 * k, omega, v);
    times(J, PRINCIPAL, v, P + 3 * k);
  }
}

/* y[3] := the sum of G_k cross R_k over the rows: a covector of the nine coordinates by body variations. */
CST_INLINE void reduce(const vd *G, const vd *R, vd *y) {
  cst_cross(G, R, y);
  cst_add_cross(G + 3, R + 3, y);
  cst_add_cross(G + 6, R + 6, y);
}

/* to := R x, and R' x. */
CST_INLINE void to_space(const vd *R, const vd *x, vd *to) { CST_UNROLL for (int k = 0; k < 3; k++) to[k] = cst_dot(R + 3 * k, x); }
CST_INLINE void to_body(const vd *R, const vd *x, vd *to) {
  CST_UNROLL for (int i = 0; i < 3; i++) to[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/* R alpha of a record: the one beside p where that is the p of it, else the one of p. */
CST_INLINE void load_turning(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  U for (int b = 0; b < NB; b++) {
    const vd *R = L->q + ROTATION(b), *beside = cst_block(record, OWN(0)->turning) + 3 * b, *p = cst_block(record, at.p) + ROTATION(b);
    vd        own[9], alpha[3], from[3];
    vl        same = vmask(1);
    to_body(R, beside, alpha);
    carried(C, L, b, R, alpha, own);
    reduce(p, R, alpha);
    to_space(R, alpha, from);
    CST_UNROLL for (int e = 0; e < 9; e++) same &= (vl)(own[e] == p[e]);
    CST_UNROLL for (int i = 0; i < 3; i++) L->p[3 * b + i] = vselect(same, beside[i], from[i]);
  }
}

/* dV by variations at q. */
CST_INLINE void load_force(const cst_context *C, struct local *L, const vd *q) {
  K_dV(L->c, q, L->dV);
  U for (int b = 0; b < NB; b++) reduce(L->dV + ROTATION(b), q + ROTATION(b), L->F + 3 * b);
  U for (int k = 0; k < NO; k++) L->F[3 * NB + k] = L->dV[ORDINARY(k)];
}

/* ---- the masses of the ordinary coordinates, which do not depend on q ---------------------------------------------------------- */

CST_INLINE void load_masses(const cst_context *C, struct local *L, const double *record) {
#if !CST_HOT
  if (GENERAL) {
    vd entry[ROOM(C->system->pattern[CST_K_M].n)], M[ROOM(NQ * NQ)];
    K_M(L->c, L->q, entry);
    cst_expand(C, CST_K_M, entry, M);
    for (int i = 0; i < NO; i++)
      for (int k = 0; k < NO; k++) L->M[i * NO + k] = M[ORDINARY(i) * NQ + ORDINARY(k)];
    cst_ldl(L->M, NO);
    return;
  }
#endif
  U for (int k = 0; k < NO; k++) L->minv[k] = 1.0 / cst_block(record, LAYOUT(C).mass)[CLASS(ORDINARY(k))];
}

/* v[NO] := the velocities of the momenta p[NO]. */
CST_INLINE void velocities(const cst_context *C, const struct local *L, const vd *p, vd *v) {
  U for (int k = 0; k < NO; k++) v[k] = vpick(GENERAL, p[k], L->minv[k] * p[k]);
  if (GENERAL) cst_lu_solve(L->M, v, NO);
}

/* ---- the user's constraints ------------------------------------------------------------------------------------------------------ */

#if CST_HOT
CST_INLINE void reduce_joints(const cst_context *C, const struct local *L, const vd *q, vd *G) {}
CST_INLINE void add_joints(const cst_context *C, const vd *G, const vd *l, vd *z) {}
CST_INLINE void make_tangent(const cst_context *C, struct local *L, const vd *z, vd *change) {}
CST_INLINE void couple(const cst_context *C, const struct local *L, int j, const vd *K, const vd *eta, vd *l) {}
#else
/* The constraints as a group of their own, for gram.h. */
CST_INLINE cst_context view_of(const cst_context *C) {
  const cst_system *s = &JOINTS->view;
  return (cst_context){.system = s, .nq = s->nq, .ng = s->ng, .mass_unit = 1, .dropped = s->dropped};
}

/* G := their derivatives by variations at q, from those by coordinates in L->full. */
CST_INLINE void reduce_joints(const cst_context *C, const struct local *L, const vd *q, vd *G) {
  for (int e = 0; e < NR; e++) G[e] = vset(0);
  for (int e = 0; e < JOINTS->entries; e++) {
    const cst_joint_entry x = JOINTS->entry[e];
    const vd              f = L->full[e];
    if (x.row < 0) {
      G[x.to] += f;
    } else { /* the vector with f on this axis, cross the row of R */
      const int j = (x.axis + 1) % 3, k = (x.axis + 2) % 3;
      G[x.to + j] -= f * q[x.row + k];
      G[x.to + k] += f * q[x.row + j];
    }
  }
}

#define ROW_J(a, v, e) for (int e = J_start[a], v; e < J_start[(a) + 1] && (v = J_column[e], 1); e++)
#define USES_J         const int *const J_start = JOINTS->view.pattern[CST_K_G].start, *const J_column = JOINTS->view.pattern[CST_K_G].column;

/* z -= G'l. */
CST_INLINE void add_joints(const cst_context *C, const vd *G, const vd *l, vd *z) {
  USES_J
  for (int a = 0; a < NU; a++) ROW_J(a, v, e) z[v] -= G[e] * l[a];
}

/* X := G W by rows, W [9] of each body, and times h the inverse mass of the ordinary coordinates. */
static void weigh(const cst_context *C, const struct local *L, const vd *G, const vd *W, double h, vd *X) {
  USES_J
  for (int a = 0; a < NU; a++)
    for (int e = J_start[a]; e < J_start[a + 1];) {
      const int v = J_column[e], b = v / 3;
      if (v < 3 * NB) {
        for (int i = 0; i < 3; i++) X[e + i] = G[e] * W[9 * b + i] + G[e + 1] * W[9 * b + 3 + i] + G[e + 2] * W[9 * b + 6 + i];
        e += 3;
      } else if (GENERAL) { /* in one piece, where masses are coupled */
        const int last = J_start[a + 1], n = last - e;
        vd        y[ROOM(NO)];
        for (int k = 0; k < NO; k++) y[k] = vset(0);
        for (int k = 0; k < n; k++) y[J_column[e + k] - 3 * NB] = h * G[e + k];
        cst_lu_solve(L->M, y, NO);
        for (int k = 0; k < n; k++) X[e + k] = y[J_column[e + k] - 3 * NB];
        e = last;
      } else {
        X[e] = (h * L->minv[v - 3 * NB]) * G[e];
        e++;
      }
    }
}

/* change += what makes z its part with G1 v = 0. */
static void make_tangent(const cst_context *C, struct local *L, const vd *z, vd *change) {
  if (NU == 0) return;
  const cst_context view = view_of(C);
  vd                X[ROOM(NR)], S[ROOM(JOINTS->view.gram.size)], m[ROOM(NU)];
  USES_J
  weigh(C, L, L->G1, L->W, 1, X);
  cst_gram_fill(&view, X, L->G1, NULL, vset(1.0), 1, S);
  for (int a = 0; a < NU; a++) {
    m[a] = vset(0);
    ROW_J(a, v, e) m[a] += X[e] * z[v];
  }
  cst_gram_solve(&view, S, m, 1);
  add_joints(C, L->G1, m, change);
  for (int a = 0; a < NU; a++) L->impulse[a] += m[a];
}

/* l, which holds g(q1): := dL of S dL = g + G1 eta, for K [9] and eta [3] of each body. */
static void couple(const cst_context *C, const struct local *L, int j, const vd *K, const vd *eta, vd *l) {
  const cst_context view = view_of(C);
  vd                X[ROOM(NR)], S[ROOM(JOINTS->view.gram.size)];
  USES_J
  for (int a = 0; a < NU; a++) ROW_J(a, v, e) if (v < 3 * NB) l[a] += L->G1[e] * eta[v];
  weigh(C, L, L->G1, K, H(j), X);
  cst_gram_fill(&view, X, L->G, NULL, vset(1.0), 0, S);
  if (MARCH->robust)
    cst_gram_solve_pivoted(&view, S, l);
  else
    cst_gram_solve(&view, S, l, 0);
}
#endif

/* ---- the step -------------------------------------------------------------------------------------------------------------- */

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  cst_load(L->q, record, at.q, NQ);
  cst_load_slack(C, record, L->slack);
  cst_load(L->impulse, record, at.impulse, NG);
  load_inertia(C, L);
  load_masses(C, L, record);
  load_turning(C, L, record);
  U for (int k = 0; k < NO; k++) L->p[3 * NB + k] = cst_block(record, at.p)[ORDINARY(k)];
  load_force(C, L, L->q);
  if (NU > 0) K_G(L->c, L->q, L->full);
  reduce_joints(C, L, L->q, L->G);
}

CST_INLINE cst_retraction retraction(const cst_context *C, const vd *x) {
  const vd size = cst_dot(x, x);
  return EXPONENTIAL ? cst_exponential(size) : cst_cayley(size);
}

/* Of piece r of body b, where evaluate has left it. */
CST_INLINE cst_retraction *piece(const cst_context *C, const struct local *L, int b, int r) {
  return (cst_retraction *)L->t + PIECES * b + r;
}

/* x of a piece of length h from a, up to terms of order h^3: I x + x cross I x / 2 = h a. */
CST_INLINE void guess(const cst_context *C, const struct local *L, int b, double h, const vd *a, vd *x) {
  vd y[3], z[3];
  times(L->W + 9 * b, PRINCIPAL, a, y);
  cst_cross(y, a, z);
  CST_UNROLL for (int i = 0; i < 3; i++) z[i] = h * (a[i] - (0.5 * h) * z[i]);
  times(L->W + 9 * b, PRINCIPAL, z, x);
}

/* z := the momenta in body axes, with the changes that L->d holds. */
CST_INLINE void body_momenta(const cst_context *C, const struct local *L, const vd *q, vd *z) {
  U for (int b = 0; b < NB; b++) to_body(q + ROTATION(b), L->p + 3 * b, z + 3 * b);
  U for (int k = 0; k < NZ; k++) z[k] = (k < 3 * NB ? z[k] : L->p[k]) + L->d[k];
}

/* The momenta take up the changes L->d, in the body axes of q. */
CST_INLINE void take_up(const cst_context *C, struct local *L, const vd *q) {
  U for (int b = 0; b < NB; b++) {
    vd space[3];
    to_space(q + ROTATION(b), L->d + 3 * b, space);
    CST_UNROLL for (int i = 0; i < 3; i++) L->p[3 * b + i] += space[i];
  }
  U for (int k = 3 * NB; k < NZ; k++) L->p[k] += L->d[k];
}

/* The drift starts from the momenta and the impulses of the last step. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const struct data *s = OWN(j);
  const double       kick = s->w0 * H(j), h = H(j) / PIECES;
  vd                 a[ROOM(NZ)];
  if (j == 0 && MARCH->opens) U for (int k = 0; k < NG; k++) L->impulse[k] = vset(0);
  U for (int k = 0; k < NZ; k++) L->d[k] = -kick * L->F[k];
  body_momenta(C, L, L->q, L->pt);
  U for (int k = 0; k < NZ; k++) a[k] = L->pt[k];
  add_joints(C, L->G, x + 3 * PIECES * NB, a);
  U for (int b = 0; b < NB; b++) CST_UNROLL for (int r = 0; r < PIECES; r++) {
    vd *y = X(b) + 3 * r;
    guess(C, L, b, h, a + 3 * b, y);
    if (r + 1 < PIECES) {
      const vd             k1 = 1.0 - 0.25 * cst_dot(y, y);
      const cst_retraction t = {.k1 = k1, .k2 = 0.5 * k1};
      cst_turn(&t, y, a + 3 * b);
    }
  }
}

/* What is left of the equation of a piece: f := (dR tau^-1_x)* I x - h a. Returns the lanes where that is round-off. */
CST_INLINE vl remainder_of(const cst_context *C, const struct local *L, int b, const cst_retraction *t, double h, const vd *x, const vd *a,
                           vd *f) {
  vd Ix[3], y[3], size = vset(0), off = vset(0);
  times(L->I + 9 * b, PRINCIPAL, x, Ix);
  cst_lift(t, EXPONENTIAL, x, Ix, y);
  CST_UNROLL for (int i = 0; i < 3; i++) {
    f[i] = y[i] - h * a[i];
    off = vmax(vabs(f[i]), off);
    size = vmax(vmax(vabs(Ix[i]), vabs(h * a[i])), size);
  }
  return (vl)(off <= (8 * EPS) * (size * (1.0 + t->s)));
}

/* The rotation at the end of the drift in R[9]. */
CST_INLINE void arrive(const cst_context *C, const struct local *L, int b, const vd *x, vd *R) {
  CST_UNROLL for (int e = 0; e < 9; e++) R[e] = L->q[ROTATION(b) + e];
  CST_UNROLL for (int r = 0; r < PIECES; r++) {
    const cst_retraction *t = piece(C, L, b, r);
    CST_UNROLL for (int k = 0; k < 3; k++) cst_turn(t, X(b) + 3 * r, R + 3 * k);
  }
  cst_orthogonalize(R);
}

CST_INLINE void arrive_all(const cst_context *C, struct local *L, int j, const vd *x) {
  vd v[ROOM(NO)];
  U for (int b = 0; b < NB; b++) arrive(C, L, b, x, L->q1 + ROTATION(b));
  velocities(C, L, L->a + 3 * NB, v);
  U for (int k = 0; k < NO; k++) L->q1[ORDINARY(k)] = L->q[ORDINARY(k)] + H(j) * v[k];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const double h = H(j) / PIECES;
  vl           done = vmask(1);
  U for (int k = 0; k < NZ; k++) L->a[k] = L->pt[k];
  add_joints(C, L->G, x + 3 * PIECES * NB, L->a);
  U for (int b = 0; b < NB; b++) {
    const vd *a = L->a + 3 * b;
    CST_UNROLL for (int r = 0; r < PIECES; r++) {
      const vd            *y = X(b) + 3 * r;
      vd                  *to = L->b + 3 * (PIECES * b + r);
      const cst_retraction t = *piece(C, L, b, r) = retraction(C, y);
      done &= remainder_of(C, L, b, &t, h, y, a, f + 3 * (PIECES * b + r));
      CST_UNROLL for (int i = 0; i < 3; i++) to[i] = a[i];
      if (r + 1 < PIECES) cst_turn(&t, y, to);
      a = to;
    }
  }
  if (NU == 0) return done;
  arrive_all(C, L, j, x);
  K_g(L->c, L->q1, L->g);
  K_G(L->c, L->q1, L->full);
  for (int k = 0; k < NU; k++) {
    f[3 * PIECES * NB + k] = L->g[k];
    if (vany(done)) done &= cst_is_met(C, k, L->g[k], L->full, L->q1, L->slack);
  }
  return done;
}

/* J[9] := its inverse, by cofactors. */
CST_INLINE void invert(vd *J) {
  vd K[9];
  CST_UNROLL for (int i = 0; i < 3; i++) CST_UNROLL for (int k = 0; k < 3; k++) {
    const int m = (i + 1) % 3, n = (i + 2) % 3, p = (k + 1) % 3, q = (k + 2) % 3;
    K[3 * k + i] = J[3 * m + p] * J[3 * n + q] - J[3 * m + q] * J[3 * n + p];
  }
  const vd r = 1.0 / (J[0] * K[0] + J[1] * K[3] + J[2] * K[6]);
  CST_UNROLL for (int e = 0; e < 9; e++) J[e] = r * K[e];
}

/* J[9] := the inverse of the derivative of (dR tau^-1_x)* I x by x, I + (x^ I - (I x)^)/2 + c1 (x.Ix + 2 x (I x)') and what the exponential
 * adds. */
CST_INLINE void slope(const cst_context *C, const struct local *L, int b, const cst_retraction *t, const vd *x, vd *J) {
  const vd *I = L->I + 9 * b;
  vd        Ix[3];
  times(I, PRINCIPAL, x, Ix);
  const vd along = t->c1 * cst_dot(x, Ix);
  CST_UNROLL for (int k = 0; k < 3; k++) {
    const int m = (k + 1) % 3, n = (k + 2) % 3;
    vd        column[3] = {I[k], I[3 + k], I[6 + k]}, turned[3];
    if (PRINCIPAL)
      turned[k] = vset(0), turned[m] = x[n] * column[k], turned[n] = -x[m] * column[k];
    else
      cst_cross(x, column, turned);
    turned[m] -= Ix[n], turned[n] += Ix[m]; /* e_k cross I x */
    J[3 * k + k] = vpick(PRINCIPAL, column[k] + along, (column[k] + along) + 0.5 * turned[k]);
    J[3 * m + k] = vpick(PRINCIPAL, 0.5 * turned[m], column[m] + 0.5 * turned[m]);
    J[3 * n + k] = vpick(PRINCIPAL, 0.5 * turned[n], column[n] + 0.5 * turned[n]);
    CST_UNROLL for (int i = 0; i < 3; i++) J[3 * i + k] += (2 * t->c1) * (x[i] * Ix[k]);
  }
  if (EXPONENTIAL) {
    const vd off = t->c2 * t->s, bend = t->dc * cst_dot(x, Ix), fall = t->c2 + t->dc * t->s;
    CST_UNROLL for (int i = 0; i < 3; i++) {
      const vd w = 2 * (bend * x[i] - fall * Ix[i]);
      CST_UNROLL for (int k = 0; k < 3; k++) J[3 * i + k] += w * x[k] - off * I[3 * i + k];
    }
  }
  invert(J);
}

/* One piece of the linearised drift: d := its change of x for a change da of its momentum and what its equation leaves, -f (NULL: nothing);
 * da becomes the change of the momentum behind the piece, eta that of the end's rotation. b: the momentum behind the piece. None of da and
 * eta is there where `from` is 0. */
CST_INLINE void follow(const cst_context *C, const vd *J, const cst_retraction *t, double h, const vd *x, const vd *b, const vd *f, int from,
                       vd *d, vd *da, vd *eta) {
  vd left[3], turn[3];
  CST_UNROLL for (int i = 0; i < 3; i++) {
    const vd gone = f ? f[i] : vset(0);
    left[i] = vpick(from, vpick(f != NULL, h * da[i] - gone, h * da[i]), -gone);
  }
  times(J, 0, left, d);
  CST_UNROLL for (int i = 0; i < 3; i++) turn[i] = d[i];
  cst_tangent(t, EXPONENTIAL, x, turn);
  if (from) {
    cst_turn(t, x, da), cst_add_cross(b, turn, da);
  } else {
    cst_cross(b, turn, da);
  }
  cst_turn(t, x, eta);
  CST_UNROLL for (int i = 0; i < 3; i++) eta[i] += turn[i];
}

/* All pieces of body b, from a change da of its momentum or from none: d[3 PIECES], eta[3]. */
CST_INLINE void follow_all(const cst_context *C, const struct local *L, int j, int b, const vd *J, const vd *x, const vd *f, int from, vd *d,
                           vd *da, vd *eta) {
  CST_UNROLL for (int i = 0; i < 3; i++) eta[i] = vset(0);
  CST_UNROLL for (int r = 0; r < PIECES; r++)
      follow(C, J + 9 * r, piece(C, L, b, r), H(j) / PIECES, X(b) + 3 * r, L->b + 3 * (PIECES * b + r), f ? f + 3 * r : NULL, from || r > 0,
             d + 3 * r, da, eta);
}

CST_INLINE void slopes(const cst_context *C, const struct local *L, int b, const vd *x, vd *J) {
  CST_UNROLL for (int r = 0; r < PIECES; r++) slope(C, L, b, piece(C, L, b, r), X(b) + 3 * r, J + 9 * r);
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f, vd *d) {
  vd *l = d + 3 * PIECES * NB, K[ROOM(NU ? 9 * NB : 0)], eta[ROOM(3 * NB)], J[9 * PIECES], dl[ROOM(NZ)], y[3 * PIECES], turn[3];
  U for (int k = 0; k < NZ; k++) dl[k] = vset(0);
  U for (int b = 0; b < NB; b++) {
    vd da[3];
    slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 0, d + 3 * PIECES * b, da, eta + 3 * b);
    for (int i = 0; i < 3 && NU > 0; i++) {
      vd unit[3] = {vset(i == 0), vset(i == 1), vset(i == 2)};
      follow_all(C, L, j, b, J, x, NULL, 1, y, unit, turn);
      CST_UNROLL for (int k = 0; k < 3; k++) K[9 * b + 3 * k + i] = turn[k];
    }
  }
  if (NU == 0) return;
  for (int k = 0; k < NU; k++) l[k] = f[3 * PIECES * NB + k];
  reduce_joints(C, L, L->q1, L->G1);
  couple(C, L, j, K, eta, l);
  add_joints(C, L->G, l, dl);
  for (int b = 0; b < NB; b++) {
    slopes(C, L, b, x, J);
    follow_all(C, L, j, b, J, x, f + 3 * PIECES * b, 1, d + 3 * PIECES * b, dl + 3 * b, turn);
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const double kick = OWN(j)->w1 * H(j);
  if (NU == 0) arrive_all(C, L, j, x);
  add_joints(C, L->G, x + 3 * PIECES * NB, L->d);
  take_up(C, L, L->q);
  load_force(C, L, L->q1);
  U for (int k = 0; k < NZ; k++) L->d[k] = -kick * L->F[k];
  for (int k = 0; k < NU; k++) L->impulse[k] += x[3 * PIECES * NB + k];
  if (NU > 0) {
    reduce_joints(C, L, L->q1, L->G1);
    body_momenta(C, L, L->q1, L->a);
    make_tangent(C, L, L->a, L->d);
  }
  take_up(C, L, L->q1);
  CST_TAKE(L->q, L->q1, NQ);
  CST_TAKE(L->G, L->G1, NR);
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  vd              *p = (vd *)record + at.p, *turning = (vd *)record + OWN(0)->turning;
  cst_store(record, at.q, L->q, NQ);
  U for (int b = 0; b < NB; b++) {
    vd alpha[3];
    CST_UNROLL for (int i = 0; i < 3; i++) turning[3 * b + i] = L->p[3 * b + i];
    to_body(L->q + ROTATION(b), L->p + 3 * b, alpha);
    carried(C, L, b, L->q + ROTATION(b), alpha, p + ROTATION(b));
  }
  U for (int k = 0; k < NO; k++) p[ORDINARY(k)] = L->p[3 * NB + k];
  cst_store(record, at.impulse, L->impulse, NG);
}

#include "method/core/march.h"
#endif
