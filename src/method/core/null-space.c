/* null-space.c: the core of the variational methods in null-space form: equations on a basis N of ker G
 * instead of multipliers.
 *
 *   N(q0)' (p_h + w0 h grad V(q0) + w (1-theta) h grad V(q_m) - p0) = 0
 *   q_m = q0 + theta h M^-1 p_h,   q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   N(q1)' (p1 - p_h + w1 h grad V(q1) + w theta h grad V(q_m)) = 0,   G(q1) M^-1 p1 = 0
 *
 * w = 0: the kicks of core/kick.c; w = 1 and w0 = w1 = 0: the maps of core/midpoint.c. The maps are the same,
 * since N'G' = 0. M is a constant diagonal. N is the last part of Q in G' = Q R, so only R and, for p1, N'M N
 * are inverted. Unknowns are the p_h; Newton's matrix is [ N0' B ; h G1 M^-1 ], B = 1 + w theta (1-theta) h^2
 * V''(q_m) M^-1. N is orthonormal: B d = e - G0't with e = -N f solves the first equations for any t, and the
 * others are small equations for t. A lane that fails is stepped again with the whole matrix and Householder
 * reflections. With the p_h their impulses L, of which R^-1 times the first part of Q' is p0 - .. - p_h, go from step
 * to step: extrapolated, they are the start of the next p_h. Where V or g depends on t, they are taken at the times of
 * their points, G v1 + g_t = 0 at the right end, and the accounts by the trapezoidal rule.
 * Source: Barbero-Linan, Martin de Diego, Sato, section 5.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         null_space
#define COMPILED_FOR .needs = CST_SEPARABLE, .lacks = CST_NONHOLONOMIC

/* w0, w1, middle: fractions of h for which the force acts at the ends and at theta. rank: the number of
 * enforced constraints. tangent: whether p1 is projected. */
struct data {
  double w0, w1, middle, theta;
  int    rank, tangent;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/near-root.h"
#if !CST_SIZED
#undef UNROLL
#define UNROLL _Pragma("GCC unroll 4") /* loops of small constant sizes */
#endif
#include "core/householder.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#ifndef CST_COLD
#define USES_STEP
#define SEEKS_NEAR_ROOT 1
#define NX              (NQ + NG) /* p_h and L */
#define NX_PREDICTED    NG
#define MET_FROM        NQ
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#define NR                                                                                         \
  (CST_SIZED ? NG : OWN(0)->rank) /* the rows of G that are enforced; NQ - NR columns in N */
#define INSIDE(j)    (OWN(j)->middle * OWN(j)->theta * (1 - OWN(j)->theta))
#define PRODUCT(j)   (INSIDE(j) * H(j))
#define FORMS_B      (!LINEAR_V && INSIDE(j) != 0)
#define B_SIZE       ((CST_SIZED ? !LINEAR_V : FORMS_B) ? NQ * NQ : 0)
#define ONLY_G_BENDS (LINEAR_V || INSIDE(j) == 0) /* all other equations are linear */
#define FORGIVES     ONLY_G_BENDS
#define BENDS        (ONLY_G_BENDS && MARCH->smooth && !MARCH->straight && (CST_SIZED || !MARCH->attempt))
#define DEFERS       (MARCH->opens && MARCH->nsub == 1 && NACCOUNT == 0)
#define BANDED       (C->system->model->gram.banded)
#define KEEPS_TRAIL
#define HAS_NO_PIECES
#if CST_SIZED
#define BESIDE (NG <= 1 && NQ <= 3 ? CST_BESIDE : NG <= 2 && NQ <= 4 ? 2 : 1)
#endif

/* A, d, b: the factors of G' at q; A1, d1, b1: those at q1; N: [NQ - NR][NQ]; mid: grad V(q_m); rest:
 * what p1 has lost, whose impulses are left to the end of a march where only they are asked for. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(dV, NQ)                                                                                        \
  X(mid, NQ)                                                                                       \
  X(pt, NQ)                                                                                        \
  X(hm, NMASS)                                                                                     \
  X(q1, NQ)                                                                                        \
  X(qm, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, READ(at.impulse))                                                                 \
  X(A, NQ *NG)                                                                                     \
  X(d, NG)                                                                                         \
  X(b, NG)                                                                                         \
  X(A1, NQ *NG)                                                                                    \
  X(d1, NG)                                                                                        \
  X(b1, NG)                                                                                        \
  X(rest, NQ)                                                                                      \
  X(N, NQ *NQ)                                                                                     \
  CST_BEND_FIELDS(X)                                                                               \
  CST_TIME_FIELD(X)

#define PASSING(X)                                                                                 \
  X(mid, NQ)                                                                                       \
  X(pt, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(qm, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  X(A1, NQ *NG)                                                                                    \
  X(d1, NG)                                                                                        \
  X(b1, NG)                                                                                        \
  X(N, NQ *NQ)                                                                                     \
  CST_BEND_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *mass, *length;
  vd        iterations;
  vl        step, near, sure;
  int       strict;
  CST_BEND_MEMBERS
};
#define HM(i) vpick(MASS_UNIT, H(j), L->hm[CLASS(i)])
#define MI(i) vpick(MASS_UNIT, vset(1.0), L->mass[CLASS(i)])

#include "method/core/null-space-basis.h"
#if !CST_SIZED
#undef UNROLL
#define UNROLL
#endif

/* ---- what depends on the time ---------------------------------------------------------------- */

/* The times of the ends of substep j and of q_m. */
#define TIME_LEFT(L, j)      START_OF(L, j)
#define TIME_MIDDLE(L, j)    (START_OF(L, j) + OWN(j)->theta * H(j))
#define TIME_RIGHT(L, j)     (START_OF(L, j) + H(j))
#define SET_TIME_RIGHT(L, j) SET_TIME(L, TIME_RIGHT(L, j))

/* G and its factors at the left end, and grad V(q) at the time at which the force acts. */
static void begin_at_time(const cst_context *C, struct local *L, int j) {
  if (OWN(j)->middle != 0)
    SET_TIME(L, TIME_MIDDLE(L, j));
  else
    SET_TIME(L, TIME_LEFT(L, j));
  K_dV(L->c, L->q, L->dV);
  SET_TIME(L, TIME_LEFT(L, j));
  K_G(L->c, L->q, L->G);
  factor(C, L->G, L->A, L->d, L->b);
}

/* Half of the powers at (q, p), at the time t, where the constraints have the impulses m. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j, vd t, const vd *m) {
  vd v[ROOM(NQ)], l[ROOM(NG)];
  (void)t, (void)j, (void)v, (void)l, (void)m;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  for (int a = 0; a < NG; a++)
    l[a] = (2 / H(j)) * m[a];
  cst_gather(C, L->own, 0.5 * H(j), L->q, v, l);
}

/* w := the shortest velocity with G w + g_t = 0 at q1. */
static void drive(const cst_context *C, const struct local *L, vd *w) {
  vd rate[ROOM(NG)];
  K_phi0(L->c, L->q1, rate);
  for (int i = 0; i < NQ; i++)
    w[i] = vset(0);
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a))
      w[row++] = -rate[a];
  for (int i = 0; i < NR; i++) {
    for (int k = 0; k < i; k++)
      w[i] -= L->A1[k * NR + i] * w[k];
    w[i] /= L->d1[i];
  }
  cst_householder_back(L->A1, L->b1, NQ, NR, w);
}

/* h / M of substep j. */
CST_INLINE void weigh(const cst_context *C, struct local *L, int j) {
  UNROLL
  for (int k = 0; k < NMASS && !MASS_UNIT; k++)
    L->hm[k] = H(j) / L->mass[k];
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->mass = cst_block(record, at.mass);
  L->length = cst_block(record, at.length);
  CST_LOAD_REACH(L, record);
  K_dV(L->c, L->q, L->dV);
  K_G(L->c, L->q, L->G);
  factor(C, L->G, L->A, L->d, L->b);
  weigh(C, L, 0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->rest[i] = vset(0);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const struct data *s = OWN(j);
  if (TIMED)
    begin_at_time(C, L, j);
  if (!CST_SIZED || MARCH->nsub > 1)
    weigh(C, L, j);
  cst_open_impulses(C, j, L->impulse);
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->pt[i] = L->p[i] - (s->w0 * H(j)) * L->dV[i];
    x[i] = L->pt[i] - (s->middle * (1 - s->theta) * H(j)) * L->dV[i];
    COL_G(i, a, e)
      x[i] -= L->G[e] * x[NQ + a];
  }
}

/* f[0 .. NR - 1] := by how much the L of x exceed those of p_h, where r[NQ] is Q' times the change of p_h. They
 * change together if B = 1, unless corrections come from elsewhere. */
static void excess(const cst_context *C, const struct local *L, int j, const vd *x, vd *r, vd *f) {
  UNROLL
  for (int a = 0; a < NR; a++)
    f[a] = vset(0);
  if (!FORMS_B && (CST_SIZED || !MARCH->straight))
    return;
  OF_SIZES(NQ, NR, cst_householder_solve(L->A, L->d, nr, r));
  UNROLL
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a)) {
      f[row] = x[NQ + a] + r[row];
      row++;
    }
}

/* f: NR entries by which L is off, NQ - NR of the equations on the basis, NG of g. */
CST_INLINE vl evaluate_only(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const struct data *s = OWN(j);
  const vd           left = s->middle * (1 - s->theta) * H(j);
  vd                 r[ROOM(NQ)];
  vd                 size = vset(0);
  vd                 off = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i] + HM(i) * x[i];
    L->mid[i] = vset(0);
    if (s->middle != 0)
      L->qm[i] = L->q[i] + s->theta * (HM(i) * x[i]);
    size = vmax(vmax(vabs(x[i]), vabs(L->pt[i])), size);
  }
  SET_TIME(L, TIME_MIDDLE(L, j));
  if (s->middle != 0)
    K_dV(L->c, L->qm, L->mid);
  SET_TIME(L, TIME_RIGHT(L, j));
  K_g(L->c, L->q1, f + NQ);
  K_G(L->c, L->q1, L->G1);
  UNROLL
  for (int i = 0; i < NQ; i++)
    r[i] = (x[i] - L->pt[i]) + left * L->mid[i];
  OF_SIZES(NQ, NR, cst_householder_forth(L->A, L->b, nq, nr, r));
  UNROLL
  for (int k = NR; k < NQ; k++) {
    f[k] = r[k];
    off = vmax(vabs(r[k]), off);
  }
  excess(C, L, j, x, r, f);
  L->near = (vl)(off <= (FORMS_B ? 0x1p-32 : INFINITY) * size);
  vl met, near;
  cst_rows_test(C, f + NQ, L->G1, L->q1, L->slack, L->bound, &met, &near);
  L->near &= near;
  return met & (vl)(off <= (16 * EPS) * size);
}

#include "method/core/bend.h"
#include "method/core/drift-matrix.h"
#define evaluate_again evaluate_only

/* ---- the whole matrix ------------------------------------------------------------------------ */

/* Newton's equations by the whole matrix of the p_h, for lanes that are stepped again and for banded systems with a
 * force inside the drift. */

/* J[NQ * NQ] := Newton's matrix of the p_h. */
static void matrix(const cst_context *C, const struct local *L, int j, vd *J) {
  vd B[ROOM(B_SIZE)];
  USES_G
  fill_basis(C, L->A, L->b, J);
  if (FORMS_B)
    form_b(C, L, j, PRODUCT(j), B);
  for (int k = 0; k < NQ - NR && FORMS_B; k++) {
    vd row[ROOM(NQ)];
    for (int c = 0; c < NQ; c++) {
      row[c] = vset(0);
      for (int i = 0; i < NQ; i++)
        row[c] += J[k * NQ + i] * B[i * NQ + c];
    }
    for (int c = 0; c < NQ; c++)
      J[k * NQ + c] = row[c];
  }
  for (int a = 0, row = NQ - NR; a < NG; a++) {
    if (DROPPED(a))
      continue;
    for (int i = 0; i < NQ; i++)
      J[row * NQ + i] = vset(0);
    ROW_G(a, i, e)
      J[row * NQ + i] = L->G1[e] * HM(i);
    row++;
  }
}

/* The test of near-root.h: the matrix of the impulses is that of the form with multipliers. */
static vl is_near_root_of_whole(const cst_context *C, const struct local *L, int j) {
  vd B[ROOM(NQ * NQ)];
  vd S[ROOM(NG * NG)];
  for (int k = 0; k < NQ * NQ && !FORMS_B; k++)
    B[k] = vset(k % (NQ + 1) == 0);
  if (FORMS_B)
    form_b(C, L, j, PRODUCT(j), B);
  cst_lu(B, NQ);
  complement(C, L, j, B, L->G1, S);
  return cst_lu_is_positive(B, NQ) & is_near_root(C, L, j, B, S);
}

#if !CST_SIZED
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  for (int a = 0; a < NG; a++)
    x[NQ + a] = vset(0);
  begin(C, L, j, x);
}

static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  vd J[ROOM(NQ * NQ)];
  (void)x;
  matrix(C, L, j, J);
  GRAM_APART.determinant(J, NQ, lane, D);
  for (int a = 0; a < NR; a++)
    cst_determinant_times(D, 1 / H(j)[lane]);
}
#endif

/* d[NQ]: the correction of p_h by the whole matrix. */
static void solve_whole(const cst_context *C, struct local *L, int j, const vd *f, vd *d) {
  vd J[ROOM(NQ * NQ)];
  vd diagonal[ROOM(NQ)];
  vd b[ROOM(NQ)];
  L->sure = is_near_root_of_whole(C, L, j);
  matrix(C, L, j, J);
  cst_householder(J, diagonal, b, NQ, NQ);
  for (int k = NR; k < NQ; k++)
    d[k - NR] = -f[k];
  for (int a = 0, row = NQ - NR; a < NG; a++)
    if (!DROPPED(a))
      d[row++] = -f[NQ + a];
  cst_householder_forth(J, b, NQ, NQ, d);
  cst_householder_solve(J, diagonal, NQ, d);
}

/* t[NG] := what L changes by where p_h changes by d, but for its excess. */
static void find_impulses(const cst_context *C, const struct local *L, int j, const vd *d, vd *t) {
  vd B[ROOM(B_SIZE)];
  vd r[ROOM(NQ)];
  if (FORMS_B)
    form_b(C, L, j, PRODUCT(j), B);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    r[i] = vpick(FORMS_B, vset(0), d[i]);
    UNROLL
    for (int k = 0; k < NQ && FORMS_B; k++)
      r[i] += B[i * NQ + k] * d[k];
  }
  cst_householder_forth(L->A, L->b, NQ, NR, r);
  cst_householder_solve(L->A, L->d, NR, r);
  UNROLL
  for (int a = 0, row = 0; a < NG; a++) {
    t[a] = vpick(DROPPED(a), vset(0), -r[row]);
    row += !DROPPED(a);
  }
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd e[ROOM(NQ)];
  (void)x;
  SET_TIME(L, TIME_MIDDLE(L, j)); /* of the Hessian */
  if (MARCH->attempt || (FORMS_B && BANDED)) {
    solve_whole(C, L, j, f, d);
    find_impulses(C, L, j, d, d + NQ);
  } else {
    UNROLL
    for (int k = 0; k < NQ; k++)
      e[k] = vpick(k < NR, vset(0), -f[k]);
    OF_SIZES(NQ, NR, cst_householder_back(L->A, L->b, nq, nr, e));
    solve_by_complement(C, L, j, PRODUCT(j), e, f + NQ, d, d + NQ);
  }
  UNROLL
  for (int a = 0, row = 0; a < NG; a++) {
    d[NQ + a] = vpick(DROPPED(a), vset(0), d[NQ + a] - f[row]);
    row += !DROPPED(a);
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const struct data *s = OWN(j);
  const vd           last = s->w1 * H(j);
  const vd           right = s->middle * s->theta * H(j);
  vd                 p[ROOM(NQ)], m[ROOM(NG)];
  UNROLL
  for (int a = 0; a < NG; a++) {
    L->impulse[a] += x[NQ + a];
    m[a] = vset(0);
  }
  gather(C, L, j, TIME_LEFT(L, j), x + NQ);
  SET_TIME(L, TIME_RIGHT(L, j));
  K_dV(L->c, L->q1, L->dV);
  UNROLL
  for (int i = 0; i < NQ; i++)
    p[i] = x[i] - last * L->dV[i] - right * L->mid[i];
  factor(C, L->G1, L->A1, L->d1, L->b1);
  if (s->tangent)
    make_tangent(C, L, p, L->rest);
  if (s->tangent && !DEFERS)
    add_impulse(C, L->A1, L->d1, L->b1, L->rest, m, L->impulse);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q[i] = L->q1[i];
    L->p[i] = p[i];
  }
  CST_TAKE(L->G, L->G1, NNZ_G);
  CST_TAKE(L->A, L->A1, NQ * NG);
  CST_TAKE(L->d, L->d1, NG);
  CST_TAKE(L->b, L->b1, NG);
  gather(C, L, j, TIME_RIGHT(L, j), m);
}

#define LEAVES
CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  vd r[ROOM(NQ)], m[ROOM(NG)], impulse[ROOM(NG)];
  for (int a = 0; a < NG; a++)
    impulse[a] = L->impulse[a];
  for (int i = 0; i < NQ; i++)
    r[i] = L->rest[i];
  if (OWN(0)->tangent && DEFERS)
    add_impulse(C, L->A, L->d, L->b, r, m, impulse);
  cst_store(record, LAYOUT(C).impulse, impulse, NG);
}

#include "method/core/march.h"
#endif
#else
#include <math.h>
#include "method/substep.h"
struct parameters {
  double w0, w1, middle, theta;
  int    tangent;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->w0 == y->w0 && x->w1 == y->w1 && x->middle == y->middle &&
         fabs(x->theta - y->theta) <= 1e-14 && x->tangent == y->tangent;
}

static bool adjoint(void *of) {
  struct parameters *x = of;
  const double       w = x->w0;
  x->w0 = x->w1;
  x->w1 = w;
  if (x->middle != 0)
    x->theta = 1 - x->theta;
  return x->tangent;
}

static bool project(void *of) {
  struct parameters *x = of;
  const bool         already = x->tangent;
  x->tangent = 1;
  return !already;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const double             q = s->nq;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->nq + s->ng,
      .kept = s->nq + s->ng,
      .predicted = s->ng,
      .matrix = 4 * q * q + 2 * q * s->ng,
      .fixed = x->middle != 0 ? 1 : x->w1 != 0 || x->w0 != 0,
      .each = x->middle != 0,
      .solves_fixed = x->tangent,
      .solves_each = 1,
      .cost = 8 * (cst_substep_unit(s) + 0.04 * q * q * q),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  *to = (struct data){
      x->w0,     x->w1, x->middle, x->theta, cst_system_enforced(with->system, with->system->ng),
      x->tangent};
  return 0;
}

static const cst_substep_row row = {
    .name = "null-space",
    .data = sizeof(struct parameters),
    .features = CST_TAKES_UP,
    .same = same,
    .adjoint = adjoint,
    .project = project,
    .size = size,
    .bind = bind,
};

cst_substep cst_null_space(double fraction, double w0, double w1, double middle, double theta,
                           bool tangent) {
  const struct parameters x = {w0, w1, middle, theta, tangent};
  return cst_substep_of(&row, fraction, &x);
}
#endif
