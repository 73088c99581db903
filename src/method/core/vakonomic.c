/* vakonomic.c: the core of vakonomic: the midpoint rule of the vakonomic principle, which makes the action
 * stationary among the curves that satisfy constraints on velocities.
 *
 * The Lagrangian is L - mu . (phi v + phi0) in (q, mu), so the momentum is P = M v - phi'mu. A pair of points has
 * the discrete Lagrangian
 *
 *   h (L(q_m, u) - l . (phi(q_m) u + phi0(q_m))),   q_m = (q0 + q1)/2,  u = (q1 - q0)/h
 *
 * with one multiplier l per step. Its variation by l is the constraint, phi(q_m) u + phi0(q_m) = 0, and
 *
 *   P0 = M u + h/2 dV(q_m) - phi(q_m)'l + h/2 D_q(l . (phi u + phi0))(q_m)
 *   P1 = M u - h/2 dV(q_m) - phi(q_m)'l - h/2 D_q(l . (phi u + phi0))(q_m)
 *
 * define a symplectic map of (q, P). The state between steps is p = M v with phi v + phi0 = 0 and mu, the
 * block `multiplier`; P = p - phi'mu determines both, since phi has full rank.
 *
 * Newton's matrix omits h^2/4 times the second derivatives of phi in q. tests/cli/test_vakonomic.py compares
 * steps with these equations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE vakonomic

struct data {
  int multiplier; /* its position in the record, in units of mu */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/dalembert.h"
#define KEEPS_NOTHING
#define NX (MARCH->unknowns) /* u, l */

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(mu, NG, STATE(OWN(0)->multiplier))                                                             \
  X(qm, NQ)                                                                                        \
  X(dV, NQ)                                                                                        \
  X(turn, NQ)                                                                                      \
  X(G, NNZ_G)                                                                                      \
  X(J, NX *NX)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

/* p := P, and x the velocity and multipliers at the left end. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  USES_G
  K_G(L->c, L->q, L->G);
  for (int i = 0; i < NQ; i++) {
    x[i] = OVER(i) * L->p[i];
    COL_G(i, a, e)
      L->p[i] -= L->G[e] * L->mu[a];
  }
  for (int a = 0; a < NG; a++)
    x[NQ + a] = L->mu[a];
}

/* bent := D_k(phi u + phi0)(q_m) */
CST_INLINE void bend(const cst_context *C, const struct local *L, int k, const vd *u, vd *bent) {
  vd w[ROOM(NQ)];
  vd moved[ROOM(NG)];
  for (int i = 0; i < NQ; i++)
    w[i] = vset(i == k);
  K_D2gvw(L->c, L->qm, u, w, bent);
  K_Dphi0w(L->c, L->qm, w, moved);
  for (int a = 0; a < NG; a++)
    bent[a] += moved[a];
}

/* turn := D_q(l . (phi u + phi0))(q_m) */
static void turn(const cst_context *C, struct local *L, const vd *x) {
  vd bent[ROOM(NG)];
  for (int k = 0; k < NQ; k++) {
    bend(C, L, k, x, bent);
    L->turn[k] = vset(0);
    for (int a = 0; a < NG; a++)
      L->turn[k] += x[NQ + a] * bent[a];
  }
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd half = 0.5 * H(j);
  USES_G
  for (int i = 0; i < NQ; i++)
    L->qm[i] = L->q[i] + half * x[i];
  K_dV(L->c, L->qm, L->dV);
  K_G(L->c, L->qm, L->G);
  K_phi0(L->c, L->qm, f + NQ);
  turn(C, L, x);
  for (int i = 0; i < NQ; i++) {
    f[i] = (MASS(i) * x[i] - L->p[i]) + half * (L->dV[i] + L->turn[i]);
    COL_G(i, a, e)
      f[i] -= L->G[e] * x[NQ + a];
  }
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, e)
      f[NQ + a] += L->G[e] * x[i];
  return vmask(0); /* the size of the update ends the iteration */
}

/* The blocks of M, V and the constraint. */
static void matrix_of_points(const cst_context *C, struct local *L, int j) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  const vd           half = 0.5 * H(j);
  const int          n = NX;
  vd                 H2[ROOM(p->n)];
  USES_G
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  K_d2V(L->c, L->qm, H2);
  for (int i = 0; i < NQ; i++) {
    L->J[i * n + i] = MASS(i);
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      L->J[i * n + p->column[e]] += (half * half) * H2[e];
    COL_G(i, a, e) {
      L->J[i * n + NQ + a] = -L->G[e];
      L->J[(NQ + a) * n + i] = L->G[e];
    }
  }
}

/* Adds h/2 times the derivatives of phi u + phi0, in the rows of the constraint and, transposed, in the columns
 * of l, and h/2 (D - D') with D_ki = D_k(phi'l)_i, the field of mu. */
static void matrix_of_directions(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd  half = 0.5 * H(j);
  const int n = NX;
  vd        v[ROOM(NQ)];
  vd        w[ROOM(NQ)];
  vd        bent[ROOM(NG)];
  for (int k = 0; k < NQ; k++) {
    bend(C, L, k, x, bent);
    for (int a = 0; a < NG; a++) {
      L->J[(NQ + a) * n + k] += half * bent[a];
      L->J[k * n + NQ + a] += half * bent[a];
    }
    for (int i = 0; i < NQ; i++)
      w[i] = vset(i == k);
    for (int i = 0; i < NQ; i++) {
      for (int l = 0; l < NQ; l++)
        v[l] = vset(l == i);
      K_D2gvw(L->c, L->qm, v, w, bent);
      for (int a = 0; a < NG; a++) {
        const vd field = half * (x[NQ + a] * bent[a]);
        L->J[k * n + i] += field;
        L->J[i * n + k] -= field;
      }
    }
  }
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  matrix_of_points(C, L, j);
  matrix_of_directions(C, L, j, x);
  for (int a = 0; a < NG; a++)
    for (int k = 0; k < NX && DROPPED(a); k++) {
      const vd unit = vset(k == NQ + a);
      L->J[k * NX + NQ + a] = unit;
      L->J[(NQ + a) * NX + k] = unit;
    }
  for (int k = 0; k < NX; k++)
    d[k] = -f[k];
  cst_gram_drop(C, d + NQ);
  cst_pivoted_solve(L->J, d, NX);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd half = 0.5 * H(j);
  vd       m[ROOM(NG)];
  USES_G
  for (int i = 0; i < NQ; i++) {
    L->qm[i] = L->q[i] + half * x[i];
    L->q[i] += H(j) * x[i];
  }
  K_dV(L->c, L->qm, L->dV);
  K_G(L->c, L->qm, L->G);
  turn(C, L, x);
  for (int i = 0; i < NQ; i++) {
    L->p[i] = MASS(i) * x[i] - half * (L->dV[i] + L->turn[i]);
    COL_G(i, a, e)
      L->p[i] -= L->G[e] * x[NQ + a];
  }
  K_G(L->c, L->q, L->G);
  cst_make_tangent(C, L->c, L->q, L->G, L->minv, L->p, m);
  for (int a = 0; a < NG; a++)
    L->mu[a] = -m[a];
}

#include "method/core/march.h"
#else
#include "method/substep.h"

struct parameters {
  double multiplier; /* at the start, of each constraint */
};
CST_DATA_FITS(struct parameters, struct data);

/* The start is not part of the map. */
static bool same(const void *one, const void *other) {
  (void)one;
  (void)other;
  return true;
}

static bool action(const void *of, cst_action *a) {
  (void)of;
  *a = (cst_action){.points = 1, .part = {1}, .theta = {0.5}};
  return true;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const int unknowns = s->nq + s->ng;
  (void)of;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = unknowns,
      .fixed = 1,
      .each = 1,
      .solves_fixed = 1,
      .solves_each = 1,
      .cost = (4 + s->nq) * cst_substep_unit(s) + 0.1 * unknowns * unknowns * unknowns,
  };
}

static void start(const void *of, const cst_system *s, const double *c, const double *q,
                  const double *v, double *const *state) {
  const struct parameters *x = of;
  (void)c, (void)q, (void)v;
  for (int a = 0; a < s->ng; a++)
    state[0][a] = x->multiplier;
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  (void)of;
  *(struct data *)lane = (struct data){with->state[0]};
  return 0;
}

static const cst_state_block state[] = {{"multiplier", .g = 1}, {NULL}};
static const cst_substep_row row = {
    .name = "vakonomic",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .adjoint = cst_is_own_adjoint,
    .size = size,
    .action = action,
    .start = start,
    .bind = bind,
};

cst_substep cst_vakonomic(double fraction, double multiplier) {
  return cst_substep_of(&row, fraction, &(struct parameters){multiplier});
}
#endif
