/* lagrange.c: the core of the variational methods for L = 1/2 v'M(q)v + a(q).v - V(q): RATTLE, SHAKE, symplectic Euler A and B, midpoint.
 *
 * A substep has one or two points r where L is taken, each over a part w_r of h and at the place theta_r in it. With P = p0 - G(q0)' L:
 *
 *   x_r = q + theta_r w_r h u_r,    L_v(x_r, u_r) - (1 - theta_r) w_r h L_q(x_r, u_r) = P
 *   P  := P + w_r h L_q(x_r, u_r),    q := q + w_r h u_r                                  in turn, then g(q) = 0
 *   p1 = P - G(q1)' m,   G(q1) v1 = 0 for M(q1) v1 + a(q1) = p1
 *
 * One point: L_d = h L(q0 + theta h u, u), u = (q1 - q0)/h, theta = 0: A, 1: B, 1/2: midpoint (Barbero-Linan, Martin de Diego, Sato, the
 * map R_d(q, v) = (q - theta v, q + (1 - theta) v)). Two points (w, theta) = (1/2, 0), (1/2, 1): RATTLE in the form of Jay and Reich, since
 * L_v = p and L_q = -H_q at v = H_p (Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1). The sign is M A = f - G' lambda.
 *
 * Forces F and the time come in as the discrete principle of Lagrange and d'Alembert has it, L_q + F(x_r, u_r, t_r) in the place of L_q,
 * t_r at the part theta_r of w_r. Accounts gather by the trapezoid between the ends of a substep.
 *
 * The unknowns are the u_r and the impulses L. The equations for P are solved to round-off, g = 0 to the solver's tolerance. P gathers
 * forces and does not take over L_v(x_r, u_r) + theta_r w_r h L_q, to which it is equal: what is left of the equations would go into p, and
 * from there into momentum maps, undivided by the step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE lagrange

/* The parts of h that belong to the points where L is taken, and where in them these lie: 0 left, 1 right. */
struct data {
  double part[2], theta[2];
  int    points, tangent; /* tangent: whether p is projected on the tangent space at the right end */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/lane-layer.h"
#include "system/acceleration.h"
#include "method/core/time.h"
#define USES_STEP
#define POINTS (MARCH->stages)
#define NX     (POINTS * NQ + NG)

#define LOCAL(X)                                                                                                                           \
  X(q, NQ)                                                                                                                                 \
  X(p, NQ)                                                                                                                                 \
  X(G, NNZ_G) X(x, 2 * NQ) X(Lv, NQ) X(Lq, NQ) X(q1, NQ) X(p1, NQ) X(G1, NNZ_G) X(slack, NG) X(impulse, NG) X(minv, NMASS) CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *mass;
  vd        iterations;
  vl        step;
};

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  L->mass = cst_block(record, at.mass);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
  cst_load_slack(C, record, L->slack);
  cst_load(L->impulse, record, at.impulse, NG);
  for (int k = 0; k < NMASS; k++) L->minv[k] = 1.0 / L->mass[k];
  LOAD_TIME(L, record);
  K_G(L->c, L->q, L->G);
}

/* Half of the powers at (q, p), at the time t. */
CST_INLINE void gather(const cst_context *C, struct local *L, int j, vd t) {
  vd v[ROOM(NQ)];
  (void)t;
  if (NACCOUNT == 0) return;
  SET_TIME(L, t);
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  cst_gather(C, L->own, 0.5 * H(j), L->q, v);
}

/* How far behind its start point r of substep j is in time. */
CST_INLINE double place(const struct data *s, double h, int r) { return ((r ? s->part[0] : 0) + s->theta[r] * s->part[r]) * h; }

/* The unknowns of the last step are a good start; in the first one, where they are zero, the velocity is. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd size = vset(0), v[ROOM(NQ)];
  if (j == 0 && MARCH->opens)
    for (int a = 0; a < NG; a++) L->impulse[a] = vset(0);
  gather(C, L, j, START_OF(L, j));
  for (int i = 0; i < POINTS * NQ; i++) size = vmax(vabs(x[i]), size);
  vl fresh = (vl)(size == 0);
  if (!vany(fresh)) return;
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  for (int i = 0; i < POINTS * NQ; i++) x[i] = vselect(fresh, v[i % NQ], x[i]);
}

/* What a change of one unit in the last place of the coordinates makes of the equations for P, at most: large angles cost digits. */
static vd roughness(const cst_context *C, const struct local *L, int j, const vd *x) {
  const struct data *s = OWN(j);
  const cst_pattern *p = &C->system->pattern[CST_K_Lvq], *h = &C->system->pattern[CST_K_Lqq];
  vd                 B[ROOM(p->n)], H[ROOM(h->n)], most = vset(0);
  for (int r = 0; r < POINTS; r++) {
    const double right = (1 - s->theta[r]) * s->part[r] * fabs(H(j));
    K_Lvq(L->c, L->x + r * NQ, x + r * NQ, B);
    K_Lqq(L->c, L->x + r * NQ, x + r * NQ, H);
    for (int i = 0; i < NQ; i++) {
      vd sum = vset(0);
      for (int e = p->start[i]; e < p->start[i + 1]; e++) sum += vabs(B[e] * L->q[p->column[e]]);
      for (int e = h->start[i]; e < h->start[i + 1]; e++) sum += right * vabs(H[e] * L->q[h->column[e]]);
      most = vmax(sum, most);
    }
  }
  return EPS * most;
}

/* Lq += F */
CST_INLINE void add_force(const cst_context *C, struct local *L, const vd *point, const vd *u) {
  vd F[ROOM(NQ)];
  if (C->system->nforce == 0) return;
  K_F(L->c, point, u, F);
  for (int i = 0; i < NQ; i++) L->Lq[i] += F[i];
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  const struct data *s = OWN(j);
  vd                 size = vset(0), off = vset(0); /* of the terms of the equations for P, and of what is left of them */
  USES_G
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i];
    L->p1[i] = L->p[i];
    size = vmax(vabs(L->p[i]), size);
    COL_G(i, a, e) {
      L->p1[i] -= L->G[e] * x[POINTS * NQ + a];
      size = vmax(vabs(L->G[e] * x[POINTS * NQ + a]), size);
    }
  }
  for (int r = 0; r < POINTS; r++) {
    const vd    *u = x + r * NQ;
    vd          *point = L->x + r * NQ;
    const double w = s->part[r] * H(j), left = s->theta[r] * w, right = w - left;
    for (int i = 0; i < NQ; i++) point[i] = L->q1[i] + left * u[i];
    SET_TIME(L, START_OF(L, j) + place(s, H(j), r));
    K_Lv(L->c, point, u, L->Lv);
    K_Lq(L->c, point, u, L->Lq);
    add_force(C, L, point, u);
    for (int i = 0; i < NQ; i++) {
      f[r * NQ + i] = (L->Lv[i] - L->p1[i]) - right * L->Lq[i];
      size = vmax(vmax(vabs(L->Lv[i]), vabs(w * L->Lq[i])), size);
      off = vmax(vabs(f[r * NQ + i]), off);
      L->p1[i] += w * L->Lq[i];
      L->q1[i] += w * u[i];
    }
  }
  K_g(L->c, L->q1, f + POINTS * NQ);
  K_G(L->c, L->q1, L->G1);
  vl done = cst_on_manifold(C, f + POINTS * NQ, L->G1, L->q1, L->slack) & (vl)(off <= 1e-9 * size);
  if (vany(done & (vl)(off > (8 * EPS) * size))) done &= (vl)(off <= (8 * EPS) * size + 4 * roughness(C, L, j, x));
  return done;
}

/* Derivatives of L at one point: M, D_q L_v, D_q (L_q + F) and D_v (L_q + F) as full matrices. */
static void second(const cst_context *C, const struct local *L, const vd *point, const vd *u, vd *M, vd *Lvq, vd *Lqq, vd *Lqv) {
  const cst_pattern *p = C->system->pattern;
  vd                 m[ROOM(p[CST_K_M].n)], b[ROOM(p[CST_K_Lvq].n)], h[ROOM(p[CST_K_Lqq].n)];
  K_M(L->c, point, m);
  K_Lvq(L->c, point, u, b);
  K_Lqq(L->c, point, u, h);
  cst_expand(C, CST_K_M, m, M);
  cst_expand(C, CST_K_Lvq, b, Lvq);
  cst_expand(C, CST_K_Lqq, h, Lqq);
  for (int a = 0; a < NQ; a++)
    for (int i = 0; i < NQ; i++) Lqv[a * NQ + i] = Lvq[i * NQ + a];
  if (C->system->nforce == 0) return;
  vd Fq[ROOM(p[CST_K_Fq].n)], Fv[ROOM(p[CST_K_Fv].n)];
  K_Fq(L->c, point, u, Fq);
  K_Fv(L->c, point, u, Fv);
  for (int a = 0; a < NQ; a++) {
    for (int e = p[CST_K_Fq].start[a]; e < p[CST_K_Fq].start[a + 1]; e++) Lqq[a * NQ + p[CST_K_Fq].column[e]] += Fq[e];
    for (int e = p[CST_K_Fv].start[a]; e < p[CST_K_Fv].start[a + 1]; e++) Lqv[a * NQ + p[CST_K_Fv].column[e]] += Fv[e];
  }
}

/* Newton's matrix J [n][n]: rows of the points, then of g. */
static void matrix(const cst_context *C, struct local *L, int j, const vd *x, vd *J) {
  const struct data *s = OWN(j);
  const int          n = NX, k = NQ, last = POINTS * NQ;
  vd                 M[ROOM(NQ * NQ)], B[ROOM(NQ * NQ)], H[ROOM(NQ * NQ)], T[ROOM(NQ * NQ)];
  USES_G
  for (int i = 0; i < n * n; i++) J[i] = vset(0);
  for (int r = 0; r < POINTS; r++) {
    const double w = s->part[r] * H(j), left = s->theta[r] * w, right = w - left, before = s->part[0] * H(j);
    SET_TIME(L, START_OF(L, j) + place(s, H(j), r));
    second(C, L, L->x + r * k, x + r * k, M, B, H, T);
    for (int a = 0; a < k; a++)
      for (int b = 0; b < k; b++) {
        const vd m = M[a * k + b], l = B[a * k + b], t = T[a * k + b], q = H[a * k + b];
        J[(r * k + a) * n + r * k + b] = (m + left * l) - right * (t + left * q);
        if (r == 0 && POINTS > 1) J[(k + a) * n + b] = -(w * (t + left * q)); /* of P behind the first point */
        if (r == 1) J[(k + a) * n + b] += before * (l - right * q);
      }
  }
  for (int i = 0; i < k; i++) {
    for (int r = 0; r < POINTS; r++) COL_G(i, a, e) {
        J[(r * k + i) * n + last + a] = L->G[e];
        J[(last + a) * n + r * k + i] = (s->part[r] * H(j)) * L->G1[e];
      }
  }
  for (int a = last; a < n; a++)
    for (int i = 0; i < n && DROPPED(a - last); i++) J[a * n + i] = J[i * n + a] = vset(i == a);
}

/* The points u that belong to f stand in L->x; evaluate was called with them. */
CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f, vd *d) {
  const int n = NX;
  vd        J[ROOM(n * n)];
  matrix(C, L, j, x, J);
  for (int i = 0; i < n; i++) d[i] = -f[i];
  cst_gram_drop(C, d + POINTS * NQ);
  if (MARCH->robust) {
    cst_pivoted_solve(J, d, n);
    return;
  }
  cst_lu(J, n);
  cst_lu_solve(J, d, n);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)];
  for (int a = 0; a < NG; a++) m[a] = vset(0);
  if (NG > 0 && OWN(j)->tangent) cst_make_tangent(C, L->c, L->q1, L->G1, L->minv, L->p1, m);
  for (int a = 0; a < NG; a++) L->impulse[a] += x[POINTS * NQ + a] + m[a];
  for (int i = 0; i < NQ; i++) L->q[i] = L->q1[i], L->p[i] = L->p1[i];
  CST_TAKE(L->G, L->G1, NNZ_G);
  gather(C, L, j, START_OF(L, j) + H(j));
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, at.p, L->p, NQ);
  cst_store(record, at.impulse, L->impulse, NG);
  STORE_ACCOUNTS(L, record);
}

#include "method/core/march.h"
#else
#include <math.h>
#include <string.h>
#include "method/core/row.h"
CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return x->points == y->points && x->tangent == y->tangent && !memcmp(x->part, y->part, sizeof x->part) &&
         !memcmp(x->theta, y->theta, sizeof x->theta);
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct data *x = of;
  const int          unknowns = x->points * s->nq + s->ng;
  return (cst_substep_size){.stages = x->points,
                            .unknowns = unknowns,
                            .kept = unknowns,
                            .fixed = x->points,
                            .each = x->points,
                            .cost = 4 * (cst_substep_unit(s) + 0.03 * pow(unknowns, 3))};
}

static const cst_substep_row row = {.name = "lagrange", .data = sizeof(struct data), .core = CST_CORES_HERE, .same = same, .size = size};

cst_substep cst_lagrange(double fraction, int points, const double *part, const double *theta, bool tangent) {
  struct data x = {.points = points, .tangent = tangent};
  for (int r = 0; r < points; r++) x.part[r] = part[r], x.theta[r] = theta[r];
  return cst_substep_of(&row, fraction, &x);
}
#endif
