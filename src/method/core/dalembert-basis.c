/* dalembert-basis.c: the core of discrete-lagrange-dalembert(FORM, form=null-space): the maps of dalembert.c by
 * equations on a basis N of the admissible directions instead of multipliers.
 *
 *   midpoint    N(q0)' (M u + h/2 dV(q_m) - p0) = 0,   phi(q_m) u + phi0(q_m) = 0
 *   leapfrog    N(q_h)' (M (v1 - v) + h dV(q_h)) = 0,   phi(q1) v1 + phi0(q1) = 0,   q_h = q + h/2 v, q1 = q_h + h/2 v1
 *   reversible  p_h = p0 - h/2 (dV + k0)(q0),   q1 = q0 + h M^-1 p_h;   with constraints on positions, whose basis is
 *               N_g,   N_g(q0)' (p_h - p0 + h/2 (dV + k0)) = 0,   g(q1) = 0
 *   all         p1 = M v1,   v1 = N y + w,   N(q1)' (M v1 - p') = 0,   w = -phi^+ phi0
 *
 * where p' is p before it is made admissible, and k0, the reaction of constraints on velocities at a point, is what
 * that removed from p' at the end of the last step, per h/2. N is the last part of Q in [G' phi'] = Q R; rows of G
 * come first, so that the first reflections alone are those of G. Newton's matrices are square in the coordinates.
 * M is a constant diagonal. Source: as dalembert.c, and the null-space form of Barbero-Linan, Martin de Diego, Sato,
 * section 5.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE dalembert_basis

#include "method/core/dalembert.h"

/* reaction: its position in the record; rank, held: how many constraints are enforced, and how many of those are on
 * positions. */
struct data {
  int form, reaction, rank, held;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "core/householder.h"
#define NX         (MARCH->unknowns) /* u, v1 or p_h; 0: explicit */
#define NR         (OWN(0)->rank)
#define RATTLES(j) (OWN(j)->form == REVERSIBLE)
/* The constraints that a solve of substep j enforces: they have the first equations. */
#define FIRST(j) (RATTLES(j) ? OWN(j)->held : NR)

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
  X(A, NQ *NG)                                                                                     \
  X(d, NG)                                                                                         \
  X(b, NG)                                                                                         \
  X(N, NQ *NQ)                                                                                     \
  X(J, NX *NX)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
};

/* G and its factors at q. */
static void factor(const cst_context *C, struct local *L) {
  USES_G
  K_G(L->c, L->q, L->G);
  for (int k = 0; k < NQ * NR; k++)
    L->A[k] = vset(0);
  for (int a = 0, row = 0; a < NG; a++) {
    if (DROPPED(a))
      continue;
    ROW_G(a, i, e)
      L->A[i * NR + row] = L->G[e];
    row++;
  }
  cst_householder(L->A, L->d, L->b, NQ, NR);
}

/* x := Q'x, with the reflections of the first n constraints. */
static void forth(const cst_context *C, const struct local *L, int n, vd *x) {
  for (int k = 0; k < n; k++)
    cst_reflect(L->A, L->b, NQ, NR, k, x);
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  (void)record;
  factor(C, L);
}

/* Moves q to q_h, where the basis of the leapfrog is, and p by all of the force there. */
static void drift_half_step(const cst_context *C, struct local *L, int j) {
  for (int i = 0; i < NQ; i++)
    L->q[i] += (0.5 * H(j)) * (OVER(i) * L->p[i]);
  factor(C, L);
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] -= H(j) * L->dV[i];
}

/* p := p - h/2 (dV + k0) */
static void kick(const cst_context *C, struct local *L, int j) {
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

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  if (RATTLES(j))
    kick(C, L, j);
  else if (OWN(j)->form == LEAPFROG)
    drift_half_step(C, L, j);
  for (int i = 0; i < NX; i++)
    x[i] = vpick(RATTLES(j), L->p[i], OVER(i) * L->p[i]);
}

/* The weight of dV(q_m) in the equations. */
CST_INLINE vd force_at_middle(const cst_context *C, int j) {
  return vpick(OWN(j)->form == MIDPOINT, 0.5 * H(j), vset(0));
}

/* f[0 .. FIRST - 1] := the enforced ones of the values of constraints. */
static void take_enforced(const cst_context *C, int n, const vd *value, vd *f) {
  for (int a = 0, row = 0; row < n; a++)
    if (!DROPPED(a))
      f[row++] = value[a];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const vd length = vpick(RATTLES(j), H(j), 0.5 * H(j)), force = force_at_middle(C, j);
  vd       value[ROOM(NG)];
  vl       done = vmask(0); /* the size of the update ends the iteration */
  USES_G
  for (int i = 0; i < NQ; i++)
    L->qm[i] = L->q[i] + length * vpick(RATTLES(j), OVER(i) * x[i], x[i]);
  K_G(L->c, L->qm, L->G1);
  if (RATTLES(j)) {
    K_g(L->c, L->qm, value);
    done = cst_on_manifold(C, value, L->G1, L->qm, L->slack);
    for (int i = 0; i < NQ; i++)
      f[i] = x[i] - L->p[i];
  } else {
    K_dV(L->c, L->qm, L->dV);
    K_phi0(L->c, L->qm, value);
    for (int a = 0; a < NG; a++)
      ROW_G(a, i, e)
        value[a] += L->G1[e] * x[i];
    for (int i = 0; i < NQ; i++)
      f[i] = (MASS(i) * x[i] - L->p[i]) + force * L->dV[i];
  }
  forth(C, L, FIRST(j), f);
  take_enforced(C, FIRST(j), value, f);
  return done;
}

/* The columns of M + force h/2 V''(q_m), or of 1 for p_h, on the basis. */
static void fill_basis_rows(const cst_context *C, struct local *L, int j) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  const vd           weight = force_at_middle(C, j) * (0.5 * H(j));
  vd                 H2[ROOM(p->n)], column[ROOM(NQ)];
  if (!RATTLES(j))
    K_d2V(L->c, L->qm, H2);
  for (int k = 0; k < NQ; k++) {
    for (int i = 0; i < NQ; i++)
      column[i] = vset(0);
    column[k] = vpick(RATTLES(j), vset(1), MASS(k));
    for (int e = p->start[k]; e < p->start[k + 1] && !RATTLES(j); e++)
      column[p->column[e]] += weight * H2[e];
    forth(C, L, FIRST(j), column);
    for (int i = FIRST(j); i < NQ; i++)
      L->J[i * NQ + k] = column[i];
  }
}

/* The derivatives of the enforced constraints by x. */
static void fill_constraint_rows(const cst_context *C, struct local *L, int j, const vd *x) {
  vd w[ROOM(NQ)], bent[ROOM(NG)], moved[ROOM(NG)], change[ROOM(NG)];
  USES_G
  for (int k = 0; k < NQ; k++) {
    for (int i = 0; i < NQ; i++)
      w[i] = vset(i == k);
    if (!RATTLES(j)) {
      K_D2gvw(L->c, L->qm, x, w, bent);
      K_Dphi0w(L->c, L->qm, w, moved);
    }
    for (int a = 0; a < NG; a++)
      change[a] = vpick(RATTLES(j), vset(0), (0.5 * H(j)) * (bent[a] + moved[a]));
    COL_G(k, a, e)
      change[a] += L->G1[e] * vpick(RATTLES(j), H(j) * OVER(k), vset(1));
    for (int a = 0, row = 0; row < FIRST(j); a++)
      if (!DROPPED(a))
        L->J[NQ * row++ + k] = change[a];
  }
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  fill_basis_rows(C, L, j);
  fill_constraint_rows(C, L, j, x);
  for (int k = 0; k < NX; k++)
    d[k] = -f[k];
  cst_pivoted_solve(L->J, d, NX);
}

/* w := -phi^+ phi0 at q. */
static void particular(const cst_context *C, const struct local *L, vd *w) {
  vd phi0[ROOM(NG)];
  for (int i = 0; i < NQ; i++)
    w[i] = vset(0);
  if (!AFFINE)
    return;
  K_phi0(L->c, L->q, phi0);
  take_enforced(C, NR, phi0, w);
  for (int i = 0; i < NR; i++) {
    vd sum = -w[i];
    for (int k = 0; k < i; k++)
      sum -= L->A[k * NR + i] * w[k];
    w[i] = sum / L->d[i];
  }
  cst_householder_back(L->A, L->b, NQ, NR, w);
}

/* v := w + N (N'M N)^-1 N'(p - M w) */
static void admissible(const cst_context *C, struct local *L, const vd *p, vd *v) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)], y[ROOM(n)];
  particular(C, L, v);
  for (int k = 0; k < n; k++) {
    vd *row = L->N + k * NQ;
    for (int i = 0; i < NQ; i++)
      row[i] = vset(i == NR + k);
    cst_householder_back(L->A, L->b, NQ, NR, row);
    y[k] = vset(0);
    for (int i = 0; i < NQ; i++)
      y[k] += row[i] * (p[i] - MASS(i) * v[i]);
    for (int l = 0; l <= k; l++) {
      vd sum = vset(0);
      for (int i = 0; i < NQ; i++)
        sum += (row[i] * MASS(i)) * L->N[l * NQ + i];
      S[l * n + k] = sum;
    }
  }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  for (int i = 0; i < NQ; i++)
    for (int k = 0; k < n; k++)
      v[i] += L->N[k * NQ + i] * y[k];
}

/* p := M v1; what that removes, as multipliers, is the reaction. */
static void make_admissible(const cst_context *C, struct local *L, int j) {
  vd v[ROOM(NQ)], r[ROOM(NQ)];
  factor(C, L);
  admissible(C, L, L->p, v);
  for (int i = 0; i < NQ; i++) {
    r[i] = L->p[i] - MASS(i) * v[i];
    L->p[i] = MASS(i) * v[i];
  }
  forth(C, L, NR, r);
  cst_householder_solve(L->A, L->d, NR, r);
  for (int a = 0, row = 0; a < NG; a++) {
    L->reaction[a] = vpick(DROPPED(a), vset(0), r[row] * (2 / H(j)));
    row += !DROPPED(a);
  }
}

static void kick_and_drift(const cst_context *C, struct local *L, int j, const vd *x) {
  for (int i = 0; i < NQ; i++) {
    L->p[i] = vpick(NX > 0, x[i], L->p[i]);
    L->q[i] = vpick(NX > 0, L->qm[i], L->q[i] + H(j) * (OVER(i) * L->p[i]));
  }
  K_dV(L->c, L->q, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] -= (0.5 * H(j)) * L->dV[i];
}

static void move(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd length = vpick(OWN(j)->form == MIDPOINT, H(j), 0.5 * H(j));
  for (int i = 0; i < NQ; i++) {
    L->qm[i] = L->q[i] + (0.5 * H(j)) * x[i];
    L->q[i] += length * x[i];
  }
  K_dV(L->c, L->qm, L->dV);
  for (int i = 0; i < NQ; i++)
    L->p[i] = MASS(i) * x[i] - force_at_middle(C, j) * L->dV[i];
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  if (RATTLES(j))
    kick_and_drift(C, L, j, x);
  else
    move(C, L, j, x);
  make_admissible(C, L, j);
}

#include "method/core/march.h"
#else
CST_DATA_FITS(struct parameters, struct data);

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                unknowns = x->form == REVERSIBLE && s->ng == s->model->nvel ? 0 : s->nq;
  const double             q = s->nq;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = unknowns,
      .kept = unknowns,
      .matrix = q * unknowns,
      .fixed = 1,
      .each = unknowns > 0,
      .solves_fixed = 1,
      .solves_each = unknowns > 0,
      .cost = 4 * cst_substep_unit(s) + 0.2 * q * q * q,
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  const cst_system        *s = with->system;
  *(struct data *)lane = (struct data){x->form, with->state[0], cst_system_enforced(s, s->ng),
                                       cst_system_enforced(s, s->ng - s->model->nvel)};
  return 0;
}

static const cst_substep_row row = {
    .name = "dalembert-basis",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .adjoint = cst_is_own_adjoint, /* all forms are symmetric */
    .size = size,
    .start = start,
    .bind = bind,
};

cst_substep cst_dalembert_basis(double fraction, int form) {
  return cst_substep_of(&row, fraction, &(struct parameters){form});
}
#endif
