/* midpoint.c: the core of the discretization maps R_d(q, v) = (q - theta v, q + (1 - theta) v) with
 * constraints, L_d = h L(q_m, (q1 - q0)/h); theta = 1/2: the variational midpoint rule.
 *
 *   p_h = p0 - (1-theta) h grad V(q_m) - G(q0)' L,   q_m = q0 + theta h M^-1 p_h
 *   q1  = q0 + h M^-1 p_h,   g(q1) = 0
 *   p1  = p_h - theta h grad V(q_m) - G(q1)' m,   G(q1) M^-1 p1 = 0
 *
 * Barbero-Linan, Martin de Diego, Sato, section 5, in the sign M A = f - G' lambda. Unknowns (p_h, L);
 * Newton's matrix is
 *   [ B  G0' ; h G1 M^-1  0 ],  B = 1 + theta (1-theta) h^2 V''(q_m) M^-1
 * solved by its Schur complement; B = 1 when V is linear, and the midpoint rule is then RATTLE. For a
 * banded system B = 1 is taken in any case: the iteration then contracts by theta (1-theta) h^2 |V'' M^-1|
 * and is run to the same end. The multipliers are the mean over a step, the sum of its impulses L + m over
 * h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         midpoint
#define COMPILED_FOR .lacks = CST_STIFF
#define CORE_IS_NARROW_TOO

struct data {
  double theta; /* position of the force in the step: 0 left, 1 right */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/near-root.h"
#include "system/lane/acceleration.h"
#ifndef CST_COLD
#define NX              (NQ + NG)
#define NX_PREDICTED    NG /* begin computes the others */
#define MET_FROM        NQ
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#define FORMS_B         (!LINEAR_V && !BANDED) /* B is formed */
#define BANDED          (!CST_SIZED && C->system->model->gram.banded)
#define B_SIZE          (FORMS_B ? NQ * NQ : 0)
#define SEEKS_NEAR_ROOT (NG > 0 || FORMS_B)
#define FORGIVES        LINEAR_V
#define BENDS                                                                                      \
  (LINEAR_V && NG > 0 && MARCH->smooth && !MARCH->straight && (CST_SIZED || !MARCH->attempt))
#define SET_TIME_RIGHT(L, j) /* nothing depends on it */
#if CST_SIZED
#define BESIDE (NG <= 1 && NQ <= 3 ? CST_BESIDE : NG <= 2 && NQ <= 4 ? 2 : 1)
#endif

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(G, NNZ_G)                                                                                      \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(hm, NMASS)                                                                                     \
  X(qm, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(dV, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))                                                                \
  CST_BEND_FIELDS(X)

#define PASSING(X)                                                                                 \
  X(hm, NMASS)                                                                                     \
  X(qm, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(dV, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  CST_BEND_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *length;
  vd        tolerance, iterations;
  vl        near, sure;
  int       strict;
  CST_BEND_MEMBERS
};
#define HM(i) vpick(MASS_UNIT, H(j), L->hm[CLASS(i)])
/* For how long the force acts at the left end, and at the right one. */
#define LEFT  ((1 - OWN(j)->theta) * H(j))
#define RIGHT (OWN(j)->theta * H(j))

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  CST_LOAD_REACH(L, record);
  L->length = cst_block(record, at.length);
  L->tolerance = *cst_block(record, at.tolerance);
  K_G(L->c, L->q, L->G);
}

/* The unknowns start with the impulses of the last step and the force at q0. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd dV[ROOM(NQ)];
  USES_G
  if (!CST_SIZED || !MASS_UNIT) {
    UNROLL
    for (int k = 0; k < NMASS; k++)
      L->hm[k] = H(j) * L->minv[k];
  }
  cst_open_impulses(C, j, L->impulse);
  K_dV(L->c, L->q, dV);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    x[i] = L->p[i] - LEFT * dV[i];
    COL_G(i, a, e)
      x[i] -= L->G[e] * x[NQ + a];
  }
}

/* An upper bound of the effect of the coordinates' round-off on the impulse of the force; far from the origin
 * it exceeds the round-off of the sum. */
static vd roughness(const cst_context *C, const struct local *L, int j) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  const vd           kick = vabs(LEFT) * CST_ROUNDOFF;
  vd                 H[ROOM(p->n)], most = vset(0);
  K_d2V(L->c, L->qm, H);
  for (int i = 0; i < NQ; i++) {
    vd sum = vset(0);
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      sum += vabs(H[e] * L->qm[p->column[e]]);
    most = vmax(sum, most);
  }
  return kick * most;
}

CST_INLINE vl evaluate_only(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd     left = LEFT;
  const double theta = OWN(j)->theta;
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->qm[i] = L->q[i] + theta * (HM(i) * x[i]);
    L->q1[i] = L->q[i] + HM(i) * x[i];
  }
  K_dV(L->c, L->qm, L->dV);
  K_g(L->c, L->q1, f + NQ);
  K_G(L->c, L->q1, L->G1);
  vd size = vset(0), off = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] = (x[i] - L->p[i]) + left * L->dV[i];
    size = vmax(vmax(vabs(x[i]), vabs(L->p[i])), size);
    COL_G(i, a, e) {
      f[i] += L->G[e] * x[NQ + a];
      size = vmax(vabs(L->G[e] * x[NQ + a]), size);
    }
    off = vmax(vabs(f[i]), off);
  }
  L->near = (vl)(off <= (FORMS_B ? 0x1p-32 : INFINITY) * size);
  for (int a = 0; a < NG; a++)
    L->near &= cst_is_near(C, a, f[NQ + a], L->G1, L->q1, L->slack);
  const vd limit = vmax(L->tolerance, vset(8 * EPS)) * size;
  const vl on = cst_on_manifold(C, f + NQ, L->G1, L->q1, L->slack);
  vl       done = on & (vl)(off <= 1e-6 * size);
  if (vany(done & (vl)(off > limit)))
    done &= (vl)(off <= limit + roughness(C, L, j));
  return done;
}

#include "method/core/bend.h"
#include "method/core/drift-matrix.h"
#define evaluate_again evaluate_only
#define PRODUCT(j)     (OWN(j)->theta * LEFT)

/* J[NX * NX] := Newton's matrix. */
static void assemble(const cst_context *C, const struct local *L, int j, vd *J) {
  const int n = NX;
  vd        B[ROOM(NQ * NQ)];
  USES_G
  form_b(C, L, j, PRODUCT(j), B);
  for (int k = 0; k < n * n; k++)
    J[k] = vset(0);
  for (int i = 0; i < NQ; i++) {
    for (int k = 0; k < NQ; k++)
      J[i * n + k] = B[i * NQ + k];
    COL_G(i, a, e) {
      J[i * n + NQ + a] = L->G[e];
      J[(NQ + a) * n + i] = L->G1[e] * HM(i);
    }
  }
  for (int a = 0; a < NG; a++)
    for (int k = 0; k < n && DROPPED(a); k++) {
      J[(NQ + a) * n + k] = vset(k == NQ + a);
      J[k * n + NQ + a] = vset(k == NQ + a);
    }
}

#if !CST_SIZED
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  for (int a = 0; a < NG; a++)
    x[NQ + a] = vset(0);
  begin(C, L, j, x);
}

static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  (void)x;
  if (BANDED) {
    vd S[ROOM(GRAM_SIZE)];
    cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
    GRAM_APART.multiply(C, S, H(j), lane, D);
    return;
  }
  vd J[ROOM(NX * NX)];
  assemble(C, L, j, J);
  GRAM_APART.determinant(J, NX, lane, D);
  for (int a = 0; a < NG; a++)
    if (!DROPPED(a))
      cst_determinant_times(D, 1 / H(j)[lane]);
}
#endif

static void direction_pivoted(const cst_context *C, struct local *L, int j, const vd *f, vd *d) {
  const int n = NX;
  vd        J[ROOM(n * n)];
  vd        B[ROOM(NQ * NQ)];
  vd        S[ROOM(NG * NG)];
  form_b(C, L, j, PRODUCT(j), B);
  cst_lu(B, NQ);
  complement(C, L, j, B, L->G1, S);
  L->sure = cst_lu_is_positive(B, NQ) & is_near_root(C, L, j, B, S);
  assemble(C, L, j, J);
  for (int k = 0; k < n; k++)
    d[k] = -f[k];
  cst_gram_drop(C, d + NQ);
  cst_pivoted_solve(J, d, n);
}

static void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                      vd *d) {
  vd e[ROOM(NQ)];
  if (MARCH->attempt && !BANDED) {
    direction_pivoted(C, L, j, f, d);
    return;
  }
  for (int i = 0; i < NQ; i++)
    e[i] = -f[i];
  solve_by_complement(C, L, j, PRODUCT(j), e, f + NQ, d, d + NQ);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd right = RIGHT;
  vd       p[ROOM(NQ)], m[ROOM(NG)];
  UNROLL
  for (int i = 0; i < NQ; i++)
    p[i] = x[i] - right * L->dV[i];
  if (NG > 0)
    cst_make_tangent(C, L->c, L->q1, L->G1, L->minv, p, m);
  UNROLL
  for (int a = 0; a < NG; a++)
    L->impulse[a] += x[NQ + a] + m[a];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->q[i] = L->q1[i];
    L->p[i] = p[i];
  }
  CST_TAKE(L->G, L->G1, NNZ_G);
}

#include "method/core/march.h"
#endif
#else
#include <math.h>
#include "method/substep.h"

CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return fabs(x->theta - y->theta) <= 1e-14;
}

static bool adjoint(void *of) {
  struct data *x = of;
  x->theta = 1 - x->theta;
  return true;
}

static bool on(const cst_substep *one, const cst_system *s, cst_substep *other) {
  const struct data *x = (const struct data *)one->data;
  const double       whole = 1;
  if (cst_has(s, CST_SEPARABLE))
    return false;
  *other = cst_lagrange(one->fraction, 1, &whole, &x->theta, true);
  return true;
}

static bool action(const void *of, cst_action *a) {
  const struct data *x = (const struct data *)of;
  *a = (cst_action){.points = 1, .part = {1}, .theta = {x->theta}};
  return true;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  (void)x;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->nq + s->ng,
      .kept = s->nq + s->ng,
      .predicted = s->ng,
      .fixed = 1,
      .each = 1,
      .solves_fixed = s->ng > 0,
      .solves_each = 1,
      .cost = cst_substep_newton_cost(s),
  };
}

/* Of a banded system B = 1 is taken. */
static cst_jacobian jacobian(const void *x, const cst_system *s) {
  (void)x;
  return s->model->gram.banded ? CST_JACOBIAN_DIFFERENCES : CST_JACOBIAN_CORRECTIONS;
}

static bool coupling(const void *x, const cst_system *s, cst_coupling *c) {
  (void)x, (void)s;
  *c = (cst_coupling){.blocks = 1,
                      .force = true,
                      .impulses = 1,
                      .mass = true,
                      .power = 1,
                      .sign = 1,
                      .rests = true};
  return true;
}

static const cst_substep_row row = {
    .name = "midpoint",
    .data = sizeof(struct data),
    .features = CST_TAKES_UP,
    .same = same,
    .adjoint = adjoint,
    .on = on,
    .size = size,
    .jacobian = jacobian,
    .coupling = coupling,
    .action = action,
};

cst_substep cst_midpoint(double fraction, double theta) {
  return cst_substep_of(&row, fraction, &(struct data){theta});
}
#endif
