/* null-space.c: the core of the variational methods in null-space form: equations on a basis N of ker G
 * instead of multipliers.
 *
 *   N(q0)' (p_h + w0 h grad V(q0) + w (1-theta) h grad V(q_m) - p0) = 0
 *   q_m = q0 + theta h M^-1 p_h,   q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   N(q1)' (p1 - p_h + w1 h grad V(q1) + w theta h grad V(q_m)) = 0,   G(q1) M^-1 p1 = 0
 *
 * w = 0: the kicks of core/kick.c; w = 1 and w0 = w1 = 0: the maps of core/midpoint.c. The maps are the same,
 * since N'G' = 0. M is a constant diagonal. N is the last part of Q in G' = Q R, so only R and, for p1, N'M N
 * are inverted. Unknowns are the p_h; Newton's matrix is [ N0' (1 + w theta (1-theta) h^2 V''(q_m) M^-1) ; h
 * G1 M^-1 ], solved by Householder reflections. The multipliers follow by R from the impulses that the
 * projections remove. Source: Barbero-Linan, Martin de Diego, Sato, section 5.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE null_space

/* w0, w1, middle: fractions of h for which the force acts at the ends and at theta. rank: the number of
 * enforced constraints. tangent: whether p1 is projected. */
struct data {
  double w0, w1, middle, theta;
  int    rank, tangent;
};

#ifdef CST_W
#include "core/householder.h"
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#define KEEPS_NOTHING
#define SEEKS_NEAR_ROOT 1
#define NX              NQ
#define NR              (OWN(0)->rank) /* the rows of G that are enforced; NQ - NR columns in N */
#define BENT            (!LINEAR_V && OWN(j)->middle * OWN(j)->theta * (1 - OWN(j)->theta) != 0)

/* A, d, b: the factors of G' at q; A1, d1, b1: those at q1; N: [NQ - NR][NQ]; mid: grad V(q_m). */
#define LOCAL(X)                                                                                   \
  X(q, NQ)                                                                                         \
  X(p, NQ)                                                                                         \
  X(dV, NQ)                                                                                        \
  X(mid, NQ)                                                                                       \
  X(pt, NQ)                                                                                        \
  X(hm, NMASS)                                                                                     \
  X(q1, NQ)                                                                                        \
  X(qm, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG)                                                                                     \
  X(impulse, NG)                                                                                   \
  X(A, NQ *NG)                                                                                     \
  X(d, NG)                                                                                         \
  X(b, NG)                                                                                         \
  X(A1, NQ *NG)                                                                                    \
  X(d1, NG)                                                                                        \
  X(b1, NG)                                                                                        \
  X(N, NQ *NQ)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *mass, *length;
  vd        iterations;
  vl        sure;
  int       strict;
};
#define HM(i) vpick(MASS_UNIT, vset(H(j)), L->hm[CLASS(i)])
#define MI(i) vpick(MASS_UNIT, vset(1.0), L->mass[CLASS(i)])

/* G' = Q R, for the enforced rows of G. */
static void factor(const cst_context *C, const vd *G, vd *A, vd *d, vd *b) {
  const int m = NR;
  USES_G
  for (int k = 0; k < NQ * m; k++)
    A[k] = vset(0);
  for (int a = 0, row = 0; a < NG; a++) {
    if (DROPPED(a))
      continue;
    ROW_G(a, i, e)
      A[i * m + row] = G[e];
    row++;
  }
  cst_householder(A, d, b, NQ, m);
}

/* impulse += l, with G'l the part of r[NQ] in the range of G', where r is Q'r. */
static void add_impulse(const cst_context *C, struct local *L, const vd *A, const vd *d, vd *r) {
  cst_householder_solve(A, d, NR, r);
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a))
      L->impulse[a] += r[row++];
}

static void fill_basis(const cst_context *C, const vd *A, const vd *b, vd *N) {
  for (int k = 0; k < NQ - NR; k++) {
    vd *row = N + k * NQ;
    for (int i = 0; i < NQ; i++)
      row[i] = vset(i == NR + k);
    cst_householder_back(A, b, NQ, NR, row);
  }
}

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  L->mass = cst_block(record, at.mass);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
  cst_load_slack(C, record, L->slack);
  cst_load(L->impulse, record, at.impulse, NG);
  K_dV(L->c, L->q, L->dV);
  L->length = cst_block(record, at.length);
  K_G(L->c, L->q, L->G);
  factor(C, L->G, L->A, L->d, L->b);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const struct data *s = OWN(j);
  if (!MASS_UNIT)
    for (int k = 0; k < NMASS; k++)
      L->hm[k] = H(j) / L->mass[k];
  if (j == 0 && MARCH->opens)
    for (int a = 0; a < NG; a++)
      L->impulse[a] = vset(0);
  fill_basis(C, L->A, L->b, L->N);
  for (int i = 0; i < NQ; i++) {
    L->pt[i] = L->p[i] - (s->w0 * H(j)) * L->dV[i];
    x[i] = L->pt[i] - (s->middle * (1 - s->theta) * H(j)) * L->dV[i];
  }
}

/* The residual of the equations for p_h before projection: x + w (1-theta) h grad V(q_m) - (p0 - w0 h grad
 * V(q0)). */
static void gather(const cst_context *C, const struct local *L, int j, const vd *x, vd *r) {
  const struct data *s = OWN(j);
  const double       left = s->middle * (1 - s->theta) * H(j);
  for (int i = 0; i < NQ; i++)
    r[i] = (x[i] - L->pt[i]) + left * L->mid[i];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const struct data *s = OWN(j);
  vd                 r[ROOM(NQ)];
  vd                 g[ROOM(NG)];
  vd                 size = vset(0);
  vd                 off = vset(0);
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i] + HM(i) * x[i];
    L->qm[i] = L->q[i] + s->theta * (HM(i) * x[i]);
    L->mid[i] = vset(0);
    size = vmax(vmax(vabs(x[i]), vabs(L->pt[i])), size);
  }
  if (s->middle != 0)
    K_dV(L->c, L->qm, L->mid);
  K_g(L->c, L->q1, g);
  K_G(L->c, L->q1, L->G1);
  gather(C, L, j, x, r);
  cst_householder_forth(L->A, L->b, NQ, NR, r);
  for (int k = NR; k < NQ; k++) {
    f[k - NR] = r[k];
    off = vmax(vabs(r[k]), off);
  }
  for (int a = 0, row = NQ - NR; a < NG; a++)
    if (!DROPPED(a))
      f[row++] = g[a];
  const vl met = cst_on_manifold(C, g, L->G1, L->q1, L->slack);
  return met & (vl)(off <= (16 * EPS) * size);
}

/* J := Newton's matrix. */
static void matrix(const cst_context *C, const struct local *L, int j, vd *J) {
  const struct data *s = OWN(j);
  const cst_pattern *P = &C->system->pattern[CST_K_d2V];
  const double       product = s->middle * s->theta * (1 - s->theta) * H(j);
  vd                 V2[ROOM(P->n)];
  USES_G
  if (BENT)
    K_d2V(L->c, L->qm, V2);
  for (int k = 0; k < (NQ - NR) * NQ; k++)
    J[k] = L->N[k];
  for (int k = 0; k < NQ - NR && BENT; k++)
    for (int i = 0; i < NQ; i++)
      for (int e = P->start[i]; e < P->start[i + 1]; e++)
        J[k * NQ + P->column[e]] += L->N[k * NQ + i] * (V2[e] * (product * HM(P->column[e])));
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

#include "method/core/bent-matrix.h"
#include "method/core/near-root-test.h"

/* The test of near-root.h: the matrix of the impulses is that of the form with multipliers. */
static vl is_near_root(const cst_context *C, const struct local *L, int j) {
  const struct data *s = OWN(j);
  const double       product = s->middle * s->theta * (1 - s->theta) * H(j);
  vd                 B[ROOM(NQ * NQ)];
  vd                 S[ROOM(NG * NG)];
  for (int k = 0; k < NQ * NQ && !BENT; k++)
    B[k] = vset(k % (NQ + 1) == 0);
  if (BENT)
    bend(C, L, j, product, B);
  cst_lu(B, NQ);
  complement(C, L, j, B, S);
  return cst_lu_is_positive(B, NQ) & cst_dense_leans(C, S, H(j)) & has_moved_little(C, L);
}

CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) { begin(C, L, j, x); }

static void multiply(const cst_context *C, const struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  vd J[ROOM(NQ * NQ)];
  (void)x;
  matrix(C, L, j, J);
  cst_determinant_of(J, NQ, lane, D);
  for (int a = 0; a < NR; a++)
    cst_determinant_times(D, 1 / H(j));
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd J[ROOM(NQ * NQ)];
  vd diagonal[ROOM(NQ)];
  vd b[ROOM(NQ)];
  (void)x;
  L->sure = is_near_root(C, L, j);
  matrix(C, L, j, J);
  cst_householder(J, diagonal, b, NQ, NQ);
  for (int i = 0; i < NQ; i++)
    d[i] = -f[i];
  cst_householder_forth(J, b, NQ, NQ, d);
  cst_householder_solve(J, diagonal, NQ, d);
}

/* p := M N (N' M N)^-1 N' p at q1; adds the impulses of the removed part. */
static void make_tangent(const cst_context *C, struct local *L, vd *p) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)];
  vd        y[ROOM(n)];
  vd        r[ROOM(NQ)];
  fill_basis(C, L->A1, L->b1, L->N);
  for (int k = 0; k < n; k++) {
    y[k] = vset(0);
    for (int i = 0; i < NQ; i++)
      y[k] += L->N[k * NQ + i] * p[i];
    for (int l = k; l < n; l++) {
      vd s = vset(0);
      for (int i = 0; i < NQ; i++)
        s += (L->N[k * NQ + i] * MI(i)) * L->N[l * NQ + i];
      S[k * n + l] = s;
    }
  }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  for (int i = 0; i < NQ; i++) {
    vd v = vset(0);
    for (int k = 0; k < n; k++)
      v += L->N[k * NQ + i] * y[k];
    r[i] = p[i] - MI(i) * v;
    p[i] = MI(i) * v;
  }
  cst_householder_forth(L->A1, L->b1, NQ, NR, r);
  add_impulse(C, L, L->A1, L->d1, r);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const struct data *s = OWN(j);
  const double       last = s->w1 * H(j);
  const double       right = s->middle * s->theta * H(j);
  vd                 r[ROOM(NQ)], p[ROOM(NQ)];
  gather(C, L, j, x, r);
  for (int i = 0; i < NQ; i++)
    r[i] = -r[i];
  cst_householder_forth(L->A, L->b, NQ, NR, r);
  add_impulse(C, L, L->A, L->d, r);
  K_dV(L->c, L->q1, L->dV);
  for (int i = 0; i < NQ; i++)
    p[i] = x[i] - last * L->dV[i] - right * L->mid[i];
  factor(C, L->G1, L->A1, L->d1, L->b1);
  if (s->tangent)
    make_tangent(C, L, p);
  for (int i = 0; i < NQ; i++) {
    L->q[i] = L->q1[i];
    L->p[i] = p[i];
  }
  CST_TAKE(L->G, L->G1, NNZ_G);
  CST_TAKE(L->A, L->A1, NQ * NG);
  CST_TAKE(L->d, L->d1, NG);
  CST_TAKE(L->b, L->b1, NG);
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, at.p, L->p, NQ);
  cst_store(record, at.impulse, L->impulse, NG);
}

#include "method/core/march.h"
#else
#include <math.h>
#include "method/core/row.h"
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
      .unknowns = s->nq,
      .matrix = 4 * q * q + 2 * q * s->ng,
      .fixed = x->middle != 0 ? 1 : x->w1 != 0 || x->w0 != 0,
      .each = x->middle != 0,
      .solves_fixed = x->tangent,
      .solves_each = 1,
      .cost = 8 * (cst_substep_unit(s) + 0.3 * q * q * q),
  };
}

static PetscErrorCode bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  PetscFunctionBegin;
  *to = (struct data){x->w0, x->w1, x->middle, x->theta, with->system->ng, x->tangent};
  for (int a = 0; a < with->system->ng && with->system->dropped; a++)
    to->rank -= with->system->dropped[a] != 0;
  PetscFunctionReturn(0);
}

static const cst_substep_row row = {
    .name = "null-space",
    .data = sizeof(struct parameters),
    .features = CST_TAKES_UP,
    .core = CST_CORES_HERE,
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
