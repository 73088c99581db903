/* kick.c: the core of symplectic Euler A and B, SHAKE and RATTLE: impulses at the two ends of a drift.
 *
 *   p_h = p0 - w0 h grad V(q0) - G(q0)' L          q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   p1  = p_h - w1 h grad V(q1) - G(q1)' m   G(q1) M^-1 p1 = 0   (m = 0 unless it is `tangent`)
 *
 * (w0, w1) = (1, 0): A; (0, 1): B; (1/2, 1/2): RATTLE. Barbero-Linan, Martin de Diego, Sato, (5.1)-(5.18),
 * in the sign M A = f - G' lambda; M constant. The unknowns are the impulses L (ng of them), only h
 * multiplies, never 1/h: the solver's noise then enters p as a random walk and not as a drift. Newton's
 * matrix is h G(q1) M^-1 G(q0)'. The multipliers are the mean over a step, the sum of its impulses L + m
 * over h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         kick
#define COMPILED_FOR .needs = CST_SEPARABLE, .lacks = CST_NONHOLONOMIC, .before = true
#define CORE_IS_NARROW_TOO

#include "method/core/kick-data.h"

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/near-root.h"
#include "system/lane/rows.h"
#ifndef CST_COLD
#define NX              NG
#define NX_PREDICTED    NG
#define MET_FROM        0
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#define HAS_COMPENSATED (!CST_SIZED)
#define COMPENSATED     (HAS_COMPENSATED && MARCH->compensated)
#define KEEPS_TRAIL
#define SEEKS_NEAR_ROOT (NG > 0)
#define FORGIVES        1
#define BENDS           (MARCH->smooth && !MARCH->straight && (CST_SIZED || !MARCH->attempt))
#if CST_SIZED
/* of more the registers hold one group only: measured, no gain */
#define BESIDE (NG <= 1 && NQ <= 3 ? CST_BESIDE : NG <= 2 && NQ <= 4 ? 2 : 1)
#endif

/* q, p, eq, ep: state at the left end of the substep; dV, G at q; minv, hm: 1/m and h/m by mass class; pt: p0
 * - w0 h grad V, compensated without p0; impulse: of this step, summed over its substeps. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(eq, NQ, STATE_IF(COMPENSATED, at.eq))                                                          \
  X(ep, NQ, STATE_IF(COMPENSATED, at.ep))                                                          \
  X(dV, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(hm, NMASS)                                                                                     \
  X(pt, NQ)                                                                                        \
  X(ph, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(eq1, NQ)                                                                                       \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))                                                                \
  CST_BEND_FIELDS(X)

#define PASSING(X)                                                                                 \
  X(hm, NMASS)                                                                                     \
  X(pt, NQ)                                                                                        \
  X(ph, NQ)                                                                                        \
  X(q1, NQ)                                                                                        \
  X(eq1, NQ)                                                                                       \
  X(G1, NNZ_G)                                                                                     \
  CST_BEND_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *length;
  vd        iterations;
  vl        near, sure;
  int       strict;
  CST_BEND_MEMBERS
};
#define HM(i) vpick(CST_SIZED &&MASS_UNIT, H(j), L->hm[CLASS(i)])

CST_INLINE void two_sum(vd a, vd b, vd *s, vd *e) {
  vd t = a + b, z = t - a;
  *e = (a - (t - z)) + (b - z);
  *s = t;
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  CST_LOAD_REACH(L, record);
  L->length = cst_block(record, LAYOUT(C).length);
  K_dV(L->c, L->q, L->dV);
  K_G(L->c, L->q, L->G);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd  kick = OWN(j)->w0 * H(j);
  const int n = NQ;
  if (!CST_SIZED || !MASS_UNIT) {
    UNROLL
    for (int k = 0; k < NMASS; k++)
      L->hm[k] = H(j) * L->minv[k];
  }
  UNROLL
  for (int i = 0; i < n; i++)
    L->pt[i] = vpick(COMPENSATED, L->ep[i], L->p[i]) - kick * L->dV[i];
  cst_open_impulses(C, j, L->impulse);
  (void)x;       /* the impulses of the last step are a good start */
  if (NG == 0) { /* no constraint: nothing to solve for, the drift is explicit */
    UNROLL
    for (int i = 0; i < NQ; i++) {
      L->ph[i] = L->pt[i];
      if (COMPENSATED) {
        const vd way = HM(i) * (L->p[i] + L->ph[i]);
        two_sum(L->q[i], L->eq[i] + way, &L->q1[i], &L->eq1[i]);
      } else
        L->q1[i] = L->q[i] + HM(i) * L->ph[i];
    }
  }
}

/* What is compiled for a long system has other names for the fields (kick-rows.h). */
CST_INLINE cst_kick_rows rows_of(struct local *L, vl flip, const vd *x, vd *f, vd *d, vd *work) {
  return (cst_kick_rows){
      .c = L->c,
      .q = L->q,
      .pt = L->pt,
      .hm = L->hm,
      .slack = L->slack,
      .reach = L->reach,
      .x = x,
      .G = L->G,
      .dV = L->dV,
      .ph = L->ph,
      .q1 = L->q1,
      .G1 = L->G1,
      .f = f,
      .d = d,
      .impulse = L->impulse,
      .work = work,
      .flip = flip,
  };
}
#define BY_ROWS(which) (CST_HAS_ROWS(which) && !COMPENSATED)

/* ph and q1 under the impulses x. */
CST_INLINE void drift(const cst_context *C, struct local *L, int j, const vd *x) {
  USES_G
  if (!CST_SIZED && !COMPENSATED) {
    cst_rows_impulses(C, L->G, x, L->pt, L->ph);
    cst_rows_drift(C, L->q, L->hm, L->ph, L->q1);
    return;
  }
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd s = L->pt[i];
    COL_G(i, a, e)
      s -= L->G[e] * x[a];
    L->ph[i] = s;
    if (COMPENSATED) {
      const vd way = HM(i) * (L->p[i] + s);
      two_sum(L->q[i], L->eq[i] + way, &L->q1[i], &L->eq1[i]);
    } else
      L->q1[i] = L->q[i] + HM(i) * s;
  }
}

/* ---- residuals, and corrections that are bent (bend.h) --------------------------------------- */

/* f = g(q1(x)); a lane is done when every constraint is met. */
CST_INLINE vl evaluate_only(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vl done;
  USES_G
  if (BY_ROWS(RESIDUAL)) {
    cst_kick_rows z = rows_of(L, vmask(0), x, f, NULL, NULL);
    CST_BY_ROWS(RESIDUAL, &z);
    L->near = z.met[1];
    L->close = z.met[2];
    return z.met[0];
  }
  drift(C, L, j, x);
  K_g(L->c, L->q1, f);
  K_G(L->c, L->q1, L->G1);
  if (COMPENSATED) {
    UNROLL
    for (int a = 0; a < NG; a++)
      ROW_G(a, i, e)
        f[a] += L->G1[e] * L->eq1[i];
  }
  cst_rows_test(C, f, L->G1, L->q1, L->slack, L->bound, &done, &L->near);
  return done;
}

/* The same at an x that one correction has changed by little: no test is passed that evaluate_only would not
 * pass. */
CST_INLINE vl evaluate_again(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vl met = vmask(1);
  drift(C, L, j, x);
  K_g(L->c, L->q1, f);
  K_G(L->c, L->q1, L->G1);
  UNROLL
  for (int a = 0; a < NG; a++)
    met &= (vl)(vabs(f[a]) <= 0.999 * L->bound[a]) | vmask(DROPPED(a));
  return met;
}

#include "method/core/bend.h"

/* Adds to Newton's correction d the one of what it leaves. S has the factors, or is the work space of the
 * system's own functions, which eliminate once more. */
CST_INLINE void bend(const cst_context *C, struct local *L, int j, vd *S, vd *d) {
  const vd *more = L->left;
  USES_G
  if (BY_ROWS(CORRECTION)) {
    cst_kick_rows z = rows_of(L, vmask(0), NULL, L->left, d, S);
    z.way = L->way;
    z.q2 = L->q2;
    z.bent = L->bent;
    CST_BY_ROWS(BEND, &z);
    z.d = L->way;
    CST_BY_ROWS(CORRECTION, &z);
    more = L->way;
  } else {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      vd s = vset(CST_ZERO);
      COL_G(i, a, e)
        s += L->G[e] * d[a];
      L->way[i] = HM(i) * s;
      L->q2[i] = L->q1[i] - L->way[i];
    }
    find_left(C, L);
    solve_again(C, L, j, S, L->left);
  }
  UNROLL
  for (int a = 0; a < NG; a++)
    d[a] += more[a];
}

#if !CST_SIZED
CST_INLINE void restart(const cst_context *C, struct local *L, int j, vd *x) {
  for (int a = 0; a < NG; a++)
    x[a] = vset(0);
  begin(C, L, j, x);
}

static void multiply(const cst_context *C, struct local *L, int j, const vd *x, int lane,
                     cst_determinant *D) {
  vd S[ROOM(GRAM_SIZE)];
  (void)x;
  cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
  GRAM_APART.multiply(C, S, H(j), lane, D);
}
#endif

/* The test of a near root. */
CST_INLINE vl is_near_root(const cst_context *C, const struct local *L, int j, const vd *S) {
  vl sure = cst_gram_leans(C, S, H(j));
  if (vany(~sure)) {
    vd S0[ROOM(GRAM_SIZE)];
    cst_gram_fill(C, L->G, L->G, L->hm, H(j), 0, S0);
    sure |= cst_dense_is_close(C, S, S0);
  }
  return sure & cst_has_moved_little(C, L->q, L->q1, L->length);
}

/* Newton's matrix is h G1 M^-1 G'. */
CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  vd S[ROOM(GRAM_SIZE)];
  if (BY_ROWS(CORRECTION)) {
    cst_kick_rows z = rows_of(L, (vl)(H(j) < 0), NULL, (vd *)f, d, S);
    CST_BY_ROWS(CORRECTION, &z);
    L->sure =
        (vl)(z.odd >= 0) & (L->strict ? cst_has_moved_little(C, L->q, L->q1, L->length) : vmask(1));
    if (L->bends)
      bend(C, L, j, S, d);
    return;
  }
  cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
  UNROLL
  for (int a = 0; a < NG; a++)
    d[a] = f[a];
  L->sure = vmask(1);
  if (L->strict)
    L->sure = is_near_root(C, L, j, S);
  if (!CST_SIZED && MARCH->attempt && !C->system->model->gram.banded) {
    cst_gram_solve_pivoted(C, S, d);
  } else {
    cst_gram_solve(C, S, d, 0);
    L->sure &= cst_gram_is_positive(C, S, H(j));
    if (L->bends)
      bend(C, L, j, S, d);
  }
}

/* Remove from p (+ dp where compensated) its part normal to the constraints at q1. */
CST_INLINE void make_tangent(const cst_context *C, struct local *L, int j, vd *p) {
  vd S[ROOM(GRAM_SIZE)], m[ROOM(NG)];
  USES_G
  cst_gram_fill(C, L->G1, L->G1, L->hm, H(j), 1, S);
  if (!CST_SIZED && !COMPENSATED)
    cst_rows_sums(C, L->G1, L->hm, p, m);
  else {
    UNROLL
    for (int a = 0; a < NG; a++) {
      vd s = vset(CST_ZERO);
      ROW_G(a, i, e)
        s += (L->G1[e] * HM(i)) * vpick(COMPENSATED, L->p[i] + p[i], p[i]);
      m[a] = s;
    }
  }
  cst_gram_solve(C, S, m, 1);
  UNROLL
  for (int a = 0; a < NG; a++)
    L->impulse[a] += m[a];
  cst_rows_impulses(C, L->G1, m, p, p);
}

/* Ends the kick with the impulses x, m at the right end. */
CST_INLINE void end_kick(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd kick = OWN(j)->w1 * H(j);
  if (BY_ROWS(TANGENT) && OWN(j)->tangent) {
    vd            S[ROOM(GRAM_SIZE)], m[ROOM(NG)];
    cst_kick_rows z = rows_of(L, vmask(0), x, NULL, m, S);
    z.kick = kick;
    CST_BY_ROWS(TANGENT, &z);
    return;
  }
  UNROLL
  for (int a = 0; a < NG; a++)
    L->impulse[a] += x[a];
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->ph[i] -= kick * L->dV[i];
  if (NG > 0 && OWN(j)->tangent)
    make_tangent(C, L, j, L->ph);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  if (!LINEAR_V && !OWN(j)->idle)
    K_dV(L->c, L->q1, L->dV); /* else the force is the same everywhere */
  end_kick(C, L, j, x);
  if (COMPENSATED) {
    for (int i = 0; i < NQ; i++)
      two_sum(L->p[i], L->ph[i], &L->p[i], &L->ep[i]);
    CST_TAKE(L->eq, L->eq1, NQ);
  } else {
    CST_TAKE(L->p, L->ph, NQ);
  }
  CST_TAKE(L->q, L->q1, NQ);
  CST_TAKE(L->G, L->G1, NNZ_G);
}

#include "method/core/march.h"
#endif
#else
#include "method/substep.h"
CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return x->w0 == y->w0 && x->w1 == y->w1 && x->tangent == y->tangent;
}

/* A and B change places. Without the projection the map is no bijection of the constrained phase space. */
static bool adjoint(void *of) {
  struct data *x = of;
  const double w = x->w0;
  x->w0 = x->w1;
  x->w1 = w;
  return x->tangent;
}

static bool project(void *of) {
  struct data *x = of;
  const bool   already = x->tangent;
  x->tangent = 1;
  return !already;
}

/* The points of the force are those of the Lagrangian then. */
static bool on(const cst_substep *one, const cst_system *s, cst_substep *other) {
  const struct data *x = (const struct data *)one->data;
  double             part[2] = {0};
  double             theta[2] = {0};
  int                n = 0;
  if (cst_has(s, CST_SEPARABLE))
    return false;
  if (x->w0 != 0) {
    part[n] = x->w0;
    theta[n++] = 0;
  }
  if (x->w1 != 0) {
    part[n] = x->w1;
    theta[n++] = 1;
  }
  *other = cst_lagrange(one->fraction, n > 1 ? n : 1, part, theta, x->tangent);
  return true;
}

static bool action(const void *of, cst_action *a) {
  const struct data *x = (const struct data *)of;
  *a = (cst_action){.points = 2, .part = {x->w0, x->w1}, .theta = {0, 1}};
  return true;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->ng,
      .kept = s->ng,
      .predicted = s->ng,
      .fixed = 1,
      .solves_fixed = ((const struct data *)x)->tangent && s->ng,
      .solves_each = s->ng > 0,
      .cost = s->model->gram.banded ? 4 * (s->nq + 3.0 * s->ng) : cst_substep_unit(s),
  };
}

static cst_jacobian jacobian(const void *x, const cst_system *s) {
  (void)x, (void)s;
  return CST_JACOBIAN_GRAM;
}

static const cst_substep_row row = {
    .name = "kick",
    .data = sizeof(struct data),
    .features = CST_COMPENSATES | CST_TAKES_UP,
    .solo = "molecules",
    .same = same,
    .adjoint = adjoint,
    .project = project,
    .on = on,
    .size = size,
    .jacobian = jacobian,
    .action = action,
};

cst_substep cst_kick(double fraction, double w0, double w1, bool tangent) {
  return cst_substep_of(&row, fraction, &(struct data){w0, w1, tangent, 0});
}

cst_substep cst_kick_apart(double fraction, double w0, double w1) {
  return cst_substep_of(&row, fraction, &(struct data){w0, w1, 1, w1 == 0});
}
#endif
