/* project.c: the core of project(LAYER): projection onto the constraint manifold after the layer's step.
 *
 *   q1 = P(q):   q1 = q + G(q1)' theta,  g(q1) = 0        then p1 = p - G(q1)' m with G(q1) M^-1 p1 = 0
 *
 * P is the Euclidean projection and ignores constraints on velocities; the second projection is M-orthogonal
 * and satisfies G v + phi0 = 0 for all constraints. Unknowns (q1, theta). The iteration omits D2(theta.g)
 * from Newton's matrix: theta is of the size of the layer's local error, and so is the rate of contraction.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         project
#define COMPILED_FOR .lacks = CST_STIFF
#define CORE_IS_NARROW_TOO

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/hold.h"
#include "method/core/time.h"
#ifndef CST_COLD
#define NX              (NQ + NG)
#define MET_FROM        NQ
#define MET(C, L, a, f) cst_is_met(C, a, f, (L)->G1, (L)->q1, (L)->slack)
#define USES_STEP

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(q1, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd near, iterations; /* near: the admissible error of a coordinate, apart from its round-off */
  vl step;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->near = *cst_block(record, at.tolerance) * *cst_block(record, at.extent);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)j;
  SET_TIME(L, START_OF(L, j));
  UNROLL
  for (int i = 0; i < NQ; i++)
    x[i] = L->q[i];
  UNROLL
  for (int a = 0; a < NG; a++)
    x[NQ + a] = vset(0);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vl done;
  (void)j;
  USES_G
  K_g(L->c, x, f + NQ);
  K_G(L->c, x, L->G1);
  done = cst_on_manifold(C, f + NQ, L->G1, x, L->slack);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    f[i] = x[i] - L->q[i];
    COL_G(i, a, e)
      f[i] -= L->G1[e] * x[NQ + a];
    done &= (vl)(vabs(f[i]) <= L->near + CST_ROUNDOFF * vabs(x[i]));
    L->q1[i] = x[i];
  }
  return done;
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  vd *t = d + NQ, S[ROOM(GRAM_SIZE)];
  (void)j;
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    t[a] = -f[NQ + a];
    ROW_G(a, i, e)
      t[a] += L->G1[e] * f[i];
  }
  cst_gram_fill(C, L->G1, L->G1, NULL, vset(1.0), 1, S);
  cst_hold_velocities(C, S, t);
  cst_gram_solve(C, S, t, 1);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    d[i] = -f[i];
    COL_G(i, a, e)
      d[i] += L->G1[e] * t[a];
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)];
  (void)j, (void)x;
  cst_make_tangent(C, L->c, L->q1, L->G1, L->minv, L->p, m);
  UNROLL
  for (int i = 0; i < NQ; i++)
    L->q[i] = L->q1[i];
}

#include "method/core/march.h"
#endif
#else
#include "method/substep.h"

static bool same(const void *x, const void *y) {
  (void)x, (void)y;
  return true;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  (void)x;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->nq + s->ng,
      .kept = s->nq + s->ng,
      .solves_fixed = s->ng > 0,
      .solves_each = s->ng > 0,
      .cost = cst_substep_newton_cost(s),
  };
}

/* Constraints on velocities have no residual. */
static cst_jacobian jacobian(const void *x, const cst_system *s) {
  (void)x;
  return s->model->nvel ? CST_JACOBIAN_NONE : CST_JACOBIAN_DIFFERENCES;
}

static bool coupling(const void *x, const cst_system *s, cst_coupling *c) {
  (void)x;
  *c = (cst_coupling){.blocks = 1, .bends = true, .impulses = 1, .sign = 1};
  return !s->model->nvel;
}

static const cst_substep_row row = {
    .name = "project",
    .features = CST_TAKES_NO_TIME,
    .same = same,
    .size = size,
    .jacobian = jacobian,
    .coupling = coupling,
};

cst_substep cst_substep_project(double fraction) { return cst_substep_of(&row, fraction, NULL); }
#endif
