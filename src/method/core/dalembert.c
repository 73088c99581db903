/* dalembert.c: the core of discrete-lagrange-dalembert(FORM): discrete Euler-Lagrange equations with the
 * forces of constraints on velocities at the points q_k, and a discretised constraint.
 *
 *   D1 L_d(q_k, q_k+1) + D2 L_d(q_k-1, q_k) = phi(q_k)'L
 *   midpoint    L_d = h L(q_m, u),  phi(q_m) u + phi0(q_m) = 0,  q_m = (q0 + q1)/2,  u = (q1 - q0)/h
 *   reversible  L_d = h/2 (L(q0, u) + L(q1, u)),  phi(q_k) (q_k+1 - q_k-1)/(2 h) + phi0(q_k) = 0
 *   leapfrog    L_d as reversible, the constraint as midpoint; state q = (q_k + q_k+1)/2, v = u
 *
 * The first is that of Cortes and Martinez. The second imposes no constraint on a pair of points, but
 * satisfies it in the mean: it is the geometric nonholonomic integrator of Ferraro, Iglesias and Martin de
 * Diego, who call it nonholonomic SHAKE (q) and RATTLE (q, p). The third is the reversible method of
 * McLachlan and Perlmutter, (4.18) as software quotes it:
 *
 *   q_h = q + h/2 v,   M (v1 - v) = -h dV(q_h) - phi(q_h)'L,   q1 = q_h + h/2 v1,   phi(q1) v1 + phi0(q1) = 0
 *
 * With constraints on positions the second form is the integrator of its source on their manifold: phi v + phi0 = 0
 * for the mean velocity at q_k projected onto G v = 0. That is RATTLE for them, g(q1) = 0 and G v1 = 0, whose impulses
 * at the two ends of a step are independent, while phi'L is shared by the two steps at a point:
 *
 *   p_h = p0 - h/2 (dV + phi'k0)(q0) - G(q0)'L,  q1 = q0 + h M^-1 p_h,  g(q1) = 0
 *   p1 = p_h - h/2 (dV + phi'k1)(q1) - G(q1)'m,  G v1 = 0,  phi v1 + phi0 = 0
 *
 * M is a constant diagonal. The state between steps is p = M v with phi v + phi0 = 0: the part of D2 L_d in
 * the distribution; L absorbs the rest. In the second form v_k is the mean of the velocities on both sides of
 * q_k, and the constraint changes both by the same amount: the half that ended the last step, `reaction`,
 * also begins the next one. It starts from h/2 lambda.
 *
 * tests/cli/test_nonholonomic.py checks the forms against the equations above, steps them backwards to their
 * start, and checks order 2.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE dalembert

#include "method/core/dalembert.h"

struct data {
  int form, reaction; /* reaction: its position in the record, in units of lambda */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/hold.h"
#define NX         (MARCH->unknowns) /* u, L; of the second form L alone, 0: it is explicit */
#define RATTLES(j) (OWN(j)->form == REVERSIBLE && NX > 0)

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(reaction, NG, STATE(OWN(0)->reaction))                                                         \
  X(qm, NQ)                                                                                        \
  X(dV, NQ)                                                                                        \
  X(G, NNZ_G)                                                                                      \
  X(G1, NNZ_G)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(J, RATTLES(0) ? 0 : NX *NX)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  (void)record;
  K_G(L->c, L->q, L->G);
}

/* Moves q to the point q_h of the third form, and evaluates phi there. */
CST_INLINE void drift_half_step(const cst_context *C, struct local *L, int j) {
  for (int i = 0; i < NQ; i++)
    L->q[i] += (0.5 * H(j)) * (OVER(i) * L->p[i]);
  K_G(L->c, L->q, L->G);
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] -= H(j) * L->dV[i];
}

/* p := p - h/2 (dV + phi'k) at the left end of the second form. */
CST_INLINE void kick(const cst_context *C, struct local *L, int j) {
  const vd half = 0.5 * H(j);
  USES_G
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++) {
    L->p[i] -= half * L->dV[i];
    COL_G(i, a, e)
      if (a >= NG - NVEL)
        L->p[i] -= L->G[e] * (half * L->reaction[a]);
  }
}

/* p_h of the second form, in p, and q1, in qm, for the impulses x of constraints on positions. */
CST_INLINE vl reach_manifold(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  USES_G
  for (int i = 0; i < NQ; i++) {
    vd p = L->p[i];
    COL_G(i, a, e)
      if (a < NG - NVEL)
        p -= L->G[e] * x[a];
    L->qm[i] = L->q[i] + H(j) * (OVER(i) * p);
  }
  K_g(L->c, L->qm, f);
  K_G(L->c, L->qm, L->G1);
  const vl done = cst_on_manifold(C, f, L->G1, L->qm, L->slack);
  return done;
}

CST_INLINE void correct_impulses(const cst_context *C, struct local *L, int j, const vd *f, vd *d) {
  vd S[ROOM(GRAM_SIZE)];
  cst_gram_fill(C, L->G1, L->G, L->minv, vset(1.0), 0, S);
  for (int a = 0; a < NG; a++)
    d[a] = f[a] / H(j);
  cst_hold_velocities(C, S, d);
  cst_gram_solve(C, S, d, 0);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  if (RATTLES(j)) {
    kick(C, L, j);
    return;
  }
  if (OWN(j)->form == LEAPFROG)
    drift_half_step(C, L, j);
  for (int i = 0; i < NQ && NX > 0; i++)
    x[i] = OVER(i) * L->p[i];
  for (int a = 0; a < NG && NX > 0; a++)
    x[NQ + a] = vset(0);
}

/* M u + h/2 dV(q_m) - p + phi(q0)'L and phi(q_m) u + phi0(q_m). In the third form p includes the force, and
 * q0 is q_h. */
CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd half = 0.5 * H(j);
  const vd force = vpick(OWN(j)->form == LEAPFROG, vset(0), half);
  USES_G
  if (RATTLES(j))
    return reach_manifold(C, L, j, x, f);
  for (int i = 0; i < NQ; i++)
    L->qm[i] = L->q[i] + half * x[i];
  K_dV(L->c, L->qm, L->dV);
  K_G(L->c, L->qm, L->G1);
  K_phi0(L->c, L->qm, f + NQ);
  for (int i = 0; i < NQ; i++) {
    f[i] = (MASS(i) * x[i] - L->p[i]) + force * L->dV[i];
    COL_G(i, a, e)
      f[i] += L->G[e] * x[NQ + a];
  }
  for (int a = 0; a < NG; a++)
    ROW_G(a, i, e)
      f[NQ + a] += L->G1[e] * x[i];
  return vmask(0); /* the size of the update ends the iteration */
}

static void matrix(const cst_context *C, struct local *L, int j, const vd *x) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  const vd           half = 0.5 * H(j);
  const vd           force = vpick(OWN(j)->form == LEAPFROG, vset(0), half);
  const int          n = NX;
  vd                 H2[ROOM(p->n)];
  vd                 w[ROOM(NQ)];
  vd                 bent[ROOM(NG)];
  vd                 moved[ROOM(NG)];
  USES_G
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  K_d2V(L->c, L->qm, H2);
  for (int i = 0; i < NQ; i++) {
    L->J[i * n + i] = MASS(i);
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      L->J[i * n + p->column[e]] += (force * half) * H2[e];
    COL_G(i, a, e) {
      L->J[i * n + NQ + a] = L->G[e];
      L->J[(NQ + a) * n + i] = L->G1[e];
    }
  }
  for (int k = 0; k < NQ; k++) {
    for (int i = 0; i < NQ; i++)
      w[i] = vset(i == k);
    K_D2gvw(L->c, L->qm, x, w, bent);
    K_Dphi0w(L->c, L->qm, w, moved);
    for (int a = 0; a < NG; a++)
      L->J[(NQ + a) * n + k] += half * (bent[a] + moved[a]);
  }
  for (int a = 0; a < NG; a++)
    for (int k = 0; k < n && DROPPED(a); k++) {
      const vd unit = vset(k == NQ + a);
      L->J[k * n + NQ + a] = unit;
      L->J[(NQ + a) * n + k] = unit;
    }
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  if (RATTLES(j)) {
    correct_impulses(C, L, j, f, d);
    return;
  }
  matrix(C, L, j, x);
  for (int k = 0; k < NX; k++)
    d[k] = -f[k];
  cst_gram_drop(C, d + NQ);
  cst_pivoted_solve(L->J, d, NX);
}

CST_INLINE void midpoint(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  for (int i = 0; i < NQ; i++) {
    L->qm[i] = L->q[i] + (0.5 * h) * x[i];
    L->q[i] += h * x[i];
  }
  K_dV(L->c, L->qm, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] = MASS(i) * x[i] - (0.5 * h) * L->dV[i];
}

CST_INLINE void reach(const cst_context *C, struct local *L, int j, const vd *x) {
  for (int i = 0; i < NQ; i++) {
    L->q[i] += (0.5 * H(j)) * x[i];
    L->p[i] = MASS(i) * x[i];
  }
}

CST_INLINE void shake(const cst_context *C, struct local *L, int j) {
  const vd h = H(j), half = 0.5 * h;
  USES_G
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++) {
    L->p[i] -= half * L->dV[i];
    COL_G(i, a, e)
      L->p[i] -= L->G[e] * (half * L->reaction[a]);
  }
  for (int i = 0; i < NQ; i++)
    L->q[i] += h * (OVER(i) * L->p[i]);
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] -= half * L->dV[i];
}

CST_INLINE void rattle(const cst_context *C, struct local *L, int j, const vd *x) {
  USES_G
  K_dV(L->c, L->qm, L->dV);
  for (int i = 0; i < NQ; i++) {
    COL_G(i, a, e)
      if (a < NG - NVEL)
        L->p[i] -= L->G[e] * x[a];
    L->p[i] -= (0.5 * H(j)) * L->dV[i];
    L->q[i] = L->qm[i];
  }
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)];
  if (RATTLES(j))
    rattle(C, L, j, x);
  else if (OWN(j)->form == REVERSIBLE)
    shake(C, L, j);
  else if (OWN(j)->form == LEAPFROG)
    reach(C, L, j, x);
  else
    midpoint(C, L, j, x);
  K_G(L->c, L->q, L->G);
  cst_make_tangent(C, L->c, L->q, L->G, L->minv, L->p, m);
  for (int a = 0; a < NG; a++)
    L->reaction[a] = m[a] * (2 / H(j));
}

#include "method/core/march.h"
#else
CST_DATA_FITS(struct parameters, struct data);

/* The states of the third form are halfway between its points. */
static bool action(const void *of, cst_action *a) {
  const struct parameters *x = of;
  if (x->form == MIDPOINT)
    *a = (cst_action){.points = 1, .part = {1}, .theta = {0.5}};
  else
    *a = (cst_action){.points = 2, .part = {0.5, 0.5}, .theta = {0, 1}};
  return x->form != LEAPFROG;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const bool               positions = s->ng > s->model->nvel;
  const int                unknowns = x->form != REVERSIBLE ? s->nq + s->ng : positions ? s->ng : 0;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = unknowns,
      .kept = unknowns,
      .fixed = 1,
      .each = unknowns > 0,
      .solves_fixed = 1,
      .solves_each = unknowns > 0,
      .cost = 4 * cst_substep_unit(s) +
              (x->form == REVERSIBLE ? 0 : 0.1 * unknowns * unknowns * unknowns),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  *(struct data *)lane = (struct data){x->form, with->state[0]};
  return 0;
}

/* The second form for other masses, a(q), forces and time. */
static bool on(const cst_substep *one, const cst_system *s, cst_substep *other) {
  const struct parameters *x = (const struct parameters *)one->data;
  if (cst_has(s, CST_SEPARABLE) || x->form != REVERSIBLE)
    return false;
  *other = cst_lagrange_nonholonomic(one->fraction);
  return true;
}

static const cst_substep_row row = {
    .name = "dalembert",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .adjoint = cst_is_own_adjoint, /* all forms are symmetric */
    .size = size,
    .on = on,
    .action = action,
    .start = start,
    .bind = bind,
};

cst_substep cst_dalembert(double fraction, int form) {
  return cst_substep_of(&row, fraction, &(struct parameters){form});
}
#endif
