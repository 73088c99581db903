/* lie-parts.h: lane code of lie.h for the parts of a system on SO(3)^k x R^m: its bodies, the masses of the ordinary
 * coordinates, the user's constraints; and retractions of AXES. Included by lie.h, which defines the notation, and
 * lie-alpha.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#if CST_SIZED
#define NB           SYS_NBODIES
#define NO           (NQ - 9 * NB)
#define NU           0
#define NR           0
#define NS           0
#define FACTORLESS   0
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
#define NS           (JOINTS->view.model->gram.size) /* of the matrix of the impulses */
/* of a tridiagonal one no factors are kept (cst_gram_apart) */
#define FACTORLESS   (JOINTS->view.model->gram.banded && JOINTS->view.model->gram.band == 1)
#define ROTATION(b)  (JOINTS->rotation[b])
#define ORDINARY(k)  (JOINTS->coordinate[k])
#define INERTIA(b)   (JOINTS->inertia + 6 * (b))
#define PRINCIPAL    (JOINTS->principal)
#define BODY_NUMBERS (C->system->model->nbody)
#endif
#ifdef AXES
/* phi at one x, its Cayley map, A = D phi, B = A^-1, and H[i][k][m] = d2 phi_i / dx_k dx_m. */
typedef struct {
  cst_retraction cayley;
  vd             phi[3], A[9], B[9], H[27];
} drift;
#define DRIFT drift
#else
#define DRIFT cst_retraction
#endif
#define NZ          (3 * NB + NO) /* variations: three of each body, then the ordinary coordinates */
#define NM          (GENERAL ? NO * NO : 0)
#define NP          NZ
#define NT          (PIECES * NB * (int)(sizeof(DRIFT) / sizeof(vd)))
#define EXPONENTIAL (MARCH->stages > PIECES)     /* otherwise the Cayley map */
#define FROM_TEXT   (MARCH->stages > PIECES + 1) /* a retraction of the user */
#define SPLIT_AT    PIECES
#ifdef STAGE
#define STAGE_FIELDS(X) X(K, NZ)
#else
#define STAGE_FIELDS(X)
#define SEEKS_NEAR_ROOT (NU > 0)
#endif
#define NX   (3 * NB * PIECES + NU)
#define X(b) (x + 3 * PIECES * (b)) /* its pieces in sequence */

/* I: inertias [NB][9] and W: their inverses; M: masses of the ordinary coordinates, factored if they are a
 * full matrix. p: momenta, for bodies R alpha; F: dV by variations; d: changes of p at an end, pt: p after
 * the left kick, a: p after the impulse, all three by variations; b: a before the last piece, and after each
 * earlier piece; t: the retractions of all pieces at the last evaluation; q1: the end; G, G1: derivatives of
 * the constraints by variations at the ends; predicted: the impulses from which the iteration starts. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(I, 9 * NB)                                                                                     \
  X(W, 9 * NB)                                                                                     \
  X(minv, NO)                                                                                      \
  X(M, NM)                                                                                         \
  X(p, NZ)                                                                                         \
  X(F, NZ)                                                                                         \
  X(pt, NZ)                                                                                        \
  X(d, NZ)                                                                                         \
  X(a, NZ)                                                                                         \
  X(b, 3 * PIECES * NB)                                                                            \
  X(t, NT)                                                                                         \
  X(q1, NQ)                                                                                        \
  X(G, NR)                                                                                         \
  X(G1, NR)                                                                                        \
  X(predicted, NU)                                                                                 \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))                                                                \
  X(dV, NQ)                                                                                        \
  X(g, NU > 0 ? NG : 0)                                                                            \
  X(full, NU > 0 ? NNZ_G : 0)                                                                      \
  CST_TIME_FIELD(X)                                                                                \
  STAGE_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vl        step, sure, near, was_near;
  int       strict;
  CST_BEND_MEMBERS
};

/* ---- bodies ---------------------------------------------------------------------------------- */

/* y := A x. diagonal: A has only diagonal entries. */
CST_INLINE void times(const vd *A, int diagonal, const vd *x, vd *y) {
  if (diagonal) {
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      y[i] = A[4 * i] * x[i];
  } else {
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
  }
}

/* J[9] := its inverse, by cofactors. Returns where the determinant is negative, in signs. */
CST_INLINE vl invert(vd *J) {
  vd K[9];
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    CST_UNROLL
    for (int k = 0; k < 3; k++) {
      const int m = (i + 1) % 3;
      const int n = (i + 2) % 3;
      const int p = (k + 1) % 3;
      const int q = (k + 2) % 3;
      K[3 * k + i] = J[3 * m + p] * J[3 * n + q] - J[3 * m + q] * J[3 * n + p];
    }
  }
  const vd r = 1.0 / (J[0] * K[0] + J[1] * K[3] + J[2] * K[6]);
  CST_UNROLL
  for (int e = 0; e < 9; e++)
    J[e] = r * K[e];
  return (vl)r;
}

/* Inertias of all bodies, and their inverses. */
CST_INLINE void load_inertia(const cst_context *C, struct local *L) {
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  vd               number[ROOM(BODY_NUMBERS)];
  K_body(L->c, number);
  UNROLL
  for (int b = 0; b < NB; b++) {
    vd *I = L->I + 9 * b;
    vd *W = L->W + 9 * b;
    vd  A[9];
    CST_UNROLL
    for (int e = 0; e < 9; e++)
      I[e] = A[e] = number[INERTIA(b)[place[e]]];
    CST_UNROLL
    for (int e = 0; e < 9; e++)
      W[e] = vpick(e % 4 == 0, vset(1.0), vset(0));
    if (PRINCIPAL) {
      CST_UNROLL
      for (int i = 0; i < 3; i++)
        W[4 * i] = 1.0 / I[4 * i];
    } else {
      cst_ldl(A, 3);
      CST_UNROLL
      for (int i = 0; i < 3; i++)
        cst_lu_solve(A, W + 3 * i, 3);
    }
  }
}

/* P[9] := R hat(omega) J, J = tr(I)/2 1 - I: M v of a body's nine coordinates. */
CST_INLINE void carried(const cst_context *C, const struct local *L, int b, const vd *R,
                        const vd *alpha, vd *P) {
  const vd *I = L->I + 9 * b;
  vd        omega[3], J[9];
  times(L->W + 9 * b, PRINCIPAL, alpha, omega);
  CST_UNROLL
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    J[4 * i] = 0.5 * ((I[4 * j] + I[4 * k]) - I[4 * i]);
    J[3 * i + j] = -I[3 * i + j];
    J[3 * i + k] = -I[3 * i + k];
  }
  CST_UNROLL
  for (int k = 0; k < 3; k++) {
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
CST_INLINE void to_space(const vd *R, const vd *x, vd *to) {
  CST_UNROLL
  for (int k = 0; k < 3; k++)
    to[k] = cst_dot(R + 3 * k, x);
}
CST_INLINE void to_body(const vd *R, const vd *x, vd *to) {
  CST_UNROLL
  for (int i = 0; i < 3; i++)
    to[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/* R alpha of a record: the stored one if it agrees with p, otherwise the one computed from p. */
CST_INLINE void load_turning(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  UNROLL
  for (int b = 0; b < NB; b++) {
    const vd *R = L->q + ROTATION(b);
    const vd *beside = cst_block(record, OWN(0)->turning) + 3 * b;
    const vd *p = cst_block(record, at.p) + ROTATION(b);
    vd        own[9], alpha[3], from[3];
    vl        same = vmask(1);
    to_body(R, beside, alpha);
    carried(C, L, b, R, alpha, own);
    reduce(p, R, alpha);
    to_space(R, alpha, from);
    CST_UNROLL
    for (int e = 0; e < 9; e++)
      same &= (vl)(own[e] == p[e]);
    CST_UNROLL
    for (int i = 0; i < 3; i++)
      L->p[3 * b + i] = vselect(same, beside[i], from[i]);
  }
}

/* The momenta M v of all coordinates. */
CST_INLINE void ambient_momenta(const cst_context *C, const struct local *L, vd *p) {
  UNROLL
  for (int b = 0; b < NB; b++) {
    vd alpha[3];
    to_body(L->q + ROTATION(b), L->p + 3 * b, alpha);
    carried(C, L, b, L->q + ROTATION(b), alpha, p + ROTATION(b));
  }
  UNROLL
  for (int k = 0; k < NO; k++)
    p[ORDINARY(k)] = L->p[3 * NB + k];
}

/* dV by variations at q. */
CST_INLINE void load_force(const cst_context *C, struct local *L, const vd *q) {
  K_dV(L->c, q, L->dV);
  UNROLL
  for (int b = 0; b < NB; b++)
    reduce(L->dV + ROTATION(b), q + ROTATION(b), L->F + 3 * b);
  UNROLL
  for (int k = 0; k < NO; k++)
    L->F[3 * NB + k] = L->dV[ORDINARY(k)];
}

/* ---- the masses of the ordinary coordinates, which do not depend on q ------------------------ */

CST_INLINE void load_masses(const cst_context *C, struct local *L, const double *record) {
#if !CST_SIZED
  if (GENERAL) {
    vd entry[ROOM(C->system->model->pattern[CST_K_M].n)];
    vd M[ROOM(NQ * NQ)];
    K_M(L->c, L->q, entry);
    cst_expand(C, CST_K_M, entry, M);
    for (int i = 0; i < NO; i++)
      for (int k = 0; k < NO; k++)
        L->M[i * NO + k] = M[ORDINARY(i) * NQ + ORDINARY(k)];
    cst_ldl(L->M, NO);
    return;
  }
#endif
  UNROLL
  for (int k = 0; k < NO; k++)
    L->minv[k] = 1.0 / cst_block(record, LAYOUT(C).mass)[CLASS(ORDINARY(k))];
}

/* Masses, inertias and momenta of the state. */
CST_INLINE void load_parts(const cst_context *C, struct local *L, const double *record) {
  load_inertia(C, L);
  load_masses(C, L, record);
  load_turning(C, L, record);
  UNROLL
  for (int k = 0; k < NO; k++)
    L->p[3 * NB + k] = cst_block(record, LAYOUT(C).p)[ORDINARY(k)];
}

/* v[NO] := the velocities of the momenta p[NO]. */
CST_INLINE void velocities(const cst_context *C, const struct local *L, const vd *p, vd *v) {
  UNROLL
  for (int k = 0; k < NO; k++)
    v[k] = vpick(GENERAL, p[k], L->minv[k] * p[k]);
  if (GENERAL)
    cst_lu_solve(L->M, v, NO);
}

/* ---- the user's constraints ------------------------------------------------------------------ */

#if CST_SIZED || defined(MOTION) /* without joints */
CST_INLINE void reduce_joints(const cst_context *C, const struct local *L, const vd *q, vd *G) {}
CST_INLINE void add_joints(const cst_context *C, const vd *G, const vd *l, vd *z) {}
CST_INLINE void add_joint_sizes(const cst_context *C, const vd *G, const vd *l, vd *z) {}
CST_INLINE void make_tangent(const cst_context *C, struct local *L, const vd *z, vd *change,
                             vd *m) {}
CST_INLINE void couple(const cst_context *C, struct local *L, int j, const vd *K, const vd *eta,
                       int again, vd *S, vd *l) {}
#else
/* The constraints as a separate group, for gram.h. */
CST_INLINE cst_context view_of(const cst_context *C) {
  const cst_system *s = &JOINTS->view;
  return (cst_context){
      .system = s,
      .nq = s->nq,
      .ng = s->ng,
      .mass_unit = 1,
      .dropped = s->model->dropped,
  };
}

/* G := their derivatives by variations at q, from those by coordinates in L->full. */
CST_INLINE void reduce_joints(const cst_context *C, const struct local *L, const vd *q, vd *G) {
  for (int e = 0; e < NR; e++)
    G[e] = vset(0);
  for (int e = 0; e < JOINTS->entries; e++) {
    const cst_joint_entry x = JOINTS->entry[e];
    const vd              f = L->full[e];
    if (x.row < 0) {
      G[x.to] += f;
    } else { /* the vector f along this axis, cross the row of R */
      const int j = (x.axis + 1) % 3;
      const int k = (x.axis + 2) % 3;
      G[x.to + j] -= f * q[x.row + k];
      G[x.to + k] += f * q[x.row + j];
    }
  }
}

#define ROW_J(a, v, e)                                                                             \
  for (int e = J_start[a], v; e < J_start[(a) + 1] && (v = J_column[e], 1); e++)
#define USES_J                                                                                     \
  const int *const        J_start = JOINTS->view.model->pattern[CST_K_G].start,                    \
                   *const J_column = JOINTS->view.model->pattern[CST_K_G].column;

/* z -= G'l. */
CST_INLINE void add_joints(const cst_context *C, const vd *G, const vd *l, vd *z) {
  USES_J
  for (int a = 0; a < NU; a++)
    ROW_J(a, v, e)
      z[v] -= G[e] * l[a];
}

/* z += |G'||l|, the sizes of what add_joints adds. */
CST_INLINE void add_joint_sizes(const cst_context *C, const vd *G, const vd *l, vd *z) {
  USES_J
  for (int a = 0; a < NU; a++)
    ROW_J(a, v, e)
      z[v] += vabs(G[e] * l[a]);
}

/* X := G W by rows, W [9] of each body, and times h the inverse mass of the ordinary coordinates. */
static void weigh(const cst_context *C, const struct local *L, const vd *G, const vd *W, vd h,
                  vd *X) {
  USES_J
  for (int a = 0; a < NU; a++)
    for (int e = J_start[a]; e < J_start[a + 1];) {
      const int v = J_column[e], b = v / 3;
      if (v < 3 * NB) {
        for (int i = 0; i < 3; i++)
          X[e + i] =
              G[e] * W[9 * b + i] + G[e + 1] * W[9 * b + 3 + i] + G[e + 2] * W[9 * b + 6 + i];
        e += 3;
      } else if (GENERAL) { /* all at once, because the masses are coupled */
        const int last = J_start[a + 1], n = last - e;
        vd        y[ROOM(NO)];
        for (int k = 0; k < NO; k++)
          y[k] = vset(0);
        for (int k = 0; k < n; k++)
          y[J_column[e + k] - 3 * NB] = h * G[e + k];
        cst_lu_solve(L->M, y, NO);
        for (int k = 0; k < n; k++)
          X[e + k] = y[J_column[e + k] - 3 * NB];
        e = last;
      } else {
        X[e] = (h * L->minv[v - 3 * NB]) * G[e];
        e++;
      }
    }
}

/* change += the change that makes z satisfy G1 v + g_t = 0; m: its impulses. */
static void make_tangent(const cst_context *C, struct local *L, const vd *z, vd *change, vd *m) {
  if (NU == 0)
    return;
  const cst_context view = view_of(C);
  vd                X[ROOM(NR)];
  vd                S[ROOM(NS)];
  vd                rate[ROOM(NG)];
  USES_J
  if (DRIVEN)
    K_phi0(L->c, L->q1, rate);
  weigh(C, L, L->G1, L->W, vset(1), X);
  cst_gram_fill(&view, X, L->G1, NULL, vset(1.0), 1, S);
  for (int a = 0; a < NU; a++) {
    m[a] = vpick(DRIVEN, rate[a], vset(0));
    ROW_J(a, v, e)
      m[a] += X[e] * z[v];
  }
  cst_gram_solve(&view, S, m, 1);
  add_joints(C, L->G1, m, change);
  for (int a = 0; a < NU; a++)
    L->impulse[a] += m[a];
}

/* S := G1 K G0', for K [9] of each body. */
static void fill_complement(const cst_context *C, const struct local *L, int j, const vd *G1,
                            const vd *K, vd *S) {
  const cst_context view = view_of(C);
  vd                X[ROOM(NR)];
  weigh(C, L, G1, K, H(j), X);
  cst_gram_fill(&view, X, L->G, NULL, vset(1.0), 0, S);
}

/* All-ones where no body turns so far that the drift bends much. */
static vl has_turned_little(const cst_context *C, const struct local *L) {
  vd moved = vset(0);
  for (int b = 0; b < NB; b++)
    for (int e = 0; e < 9; e++)
      moved = vmax(vabs(L->q1[ROTATION(b) + e] - L->q[ROTATION(b) + e]), moved);
  return (vl)(moved <= 0.5);
}

/* The test of near-root.h. */
static vl is_near_root(const cst_context *C, const struct local *L, int j, const vd *S) {
  const cst_context view = view_of(C);
  vl                sure = cst_gram_leans(&view, S, H(j));
  if (vany(~sure)) {
    vd K[ROOM(9 * NB)], S0[ROOM(NS)];
    for (int e = 0; e < 9 * NB; e++)
      K[e] = H(j) * L->W[e];
    fill_complement(C, L, j, L->G, K, S0);
    sure |= cst_dense_is_close(&view, S, S0);
  }
  return sure & has_turned_little(C, L);
}

/* l, which contains g(q1): := dL of S dL = g + G1 eta, for K [9] and eta [3] of each body. S becomes its factors, or
 * has those of a matrix nearby, for which K is read only if they are not kept. */
static void couple(const cst_context *C, struct local *L, int j, const vd *K, const vd *eta,
                   int again, vd *S, vd *l) {
  const cst_context view = view_of(C);
  USES_J
  for (int a = 0; a < NU; a++)
    ROW_J(a, v, e)
      if (v < 3 * NB)
        l[a] += L->G1[e] * eta[v];
  if (again && !FACTORLESS) {
    cst_gram_backsolve(&view, S, l, 0);
    return;
  }
  fill_complement(C, L, j, L->G1, K, S);
  if (again) {
    cst_gram_solve(&view, S, l, 0);
    return;
  }
  L->sure = vmask(1);
  if (L->strict)
    L->sure = is_near_root(C, L, j, S);
  if (MARCH->attempt && !JOINTS->view.model->gram.banded) {
    cst_gram_solve_pivoted(&view, S, l);
  } else {
    cst_gram_solve(&view, S, l, 0);
    L->sure &= cst_gram_is_positive(&view, S, H(j));
  }
}
#endif

#ifdef AXES

/* ---- retractions that do not treat all axes alike ------------------------------------------------ */

/* tau(x) = cay(phi(x)) from text, phi(0) = 0, D phi(0) = 1 (method/texts/map.h).
 *
 *   dR tau_x = dR cay_phi D phi,  (dR tau^-1_x)* y = (dR cay^-1_phi)* D phi'^-1 y,  dL tau_x = dL cay_phi D phi
 *
 * tau(-x) is in general not the inverse of tau(x). The adjoint of a drift by tau is that by tau(-x)^-1, which
 * has -phi(-x) in place of phi(x): `reversed`, of the force at the right end and of the second of two pieces.
 */
#define DRIFT_TURN(t, x, y)    cst_turn(&(t)->cayley, (t)->phi, y)
#define DRIFT_LIFT(t, x, y, z) drift_lift(t, y, z)
#define DRIFT_TANGENT(t, x, y) drift_tangent(t, y)
#define DRIFT_SIZE(t)          ((t)->cayley.s)
#define DRIFT_AT(j, r, x)      retraction_of_axes(C, j, r, x)

/* z := A'^-1 y */
CST_INLINE void drift_carry(const drift *t, const vd *y, vd *z) {
  for (int i = 0; i < 3; i++)
    z[i] = t->B[i] * y[0] + t->B[3 + i] * y[1] + t->B[6 + i] * y[2];
}

CST_INLINE void drift_lift(const drift *t, const vd *y, vd *z) {
  vd Y[3];
  drift_carry(t, y, Y);
  cst_lift(&t->cayley, 0, t->phi, Y, z);
}

CST_INLINE void drift_tangent(const drift *t, vd *y) {
  vd z[3];
  for (int i = 0; i < 3; i++)
    z[i] = t->A[3 * i] * y[0] + t->A[3 * i + 1] * y[1] + t->A[3 * i + 2] * y[2];
  cst_tangent(&t->cayley, 0, t->phi, z);
  for (int i = 0; i < 3; i++)
    y[i] = z[i];
}

/* From the values of the tape, at -x if reversed. */
static drift drift_of(const vd *out, int reversed) {
  drift t;
  for (int i = 0; i < 3; i++)
    t.phi[i] = reversed ? -out[i] : out[i];
  for (int e = 0; e < 9; e++)
    t.A[e] = t.B[e] = out[3 + e];
  for (int e = 0; e < 27; e++)
    t.H[e] = reversed ? -out[12 + e] : out[12 + e];
  invert(t.B);
  t.cayley = cst_cayley(cst_dot(t.phi, t.phi));
  return t;
}

static drift retraction_of_axes(const cst_context *C, int j, int r, const vd *x) {
  const cst_lane_tau *t = &OWN(j)->tau;
  const int           reversed = PIECES == 2 ? r : OWN(j)->w1 > OWN(j)->w0;
  vd                  at[3], out[39];
  const double       *in[128] = {['q'] = (const double *)at};
  for (int i = 0; i < 3; i++)
    at[i] = reversed ? -x[i] : x[i];
  t->run(t->tape, in, (double *)out, t->scratch);
  return drift_of(out, reversed);
}

/* J[9] := the derivative of (dR tau^-1_x)* I x = Y + phi^Y/2 + phi (phi.Y)/4, Y = B'I x, with respect to x: dY =
 * B'(I dx - (D2phi dx)'Y), dphi = A dx. */
static void slope(const cst_context *C, const struct local *L, int b, const drift *t, const vd *x,
                  vd *J) {
  const vd *I = L->I + 9 * b, *phi = t->phi;
  vd        Ix[3], Y[3];
  times(I, PRINCIPAL, x, Ix);
  drift_carry(t, Ix, Y);
  for (int m = 0; m < 3; m++) {
    vd       y[3], dY[3], dphi[3], z[3], twist[3];
    const vd along = cst_dot(phi, Y);
    for (int k = 0; k < 3; k++) {
      y[k] = I[3 * k + m];
      for (int i = 0; i < 3; i++)
        y[k] -= t->H[9 * i + 3 * k + m] * Y[i];
      dphi[k] = t->A[3 * k + m];
    }
    drift_carry(t, y, dY);
    cst_lift(&t->cayley, 0, phi, dY, z);
    cst_cross(dphi, Y, twist);
    for (int i = 0; i < 3; i++)
      J[3 * i + m] = z[i] + 0.5 * twist[i] + 0.25 * (dphi[i] * along + phi[i] * cst_dot(dphi, Y));
  }
}
#endif
