/* mapped.c: the core of any discretization map R_d(q, w) = (left, right) with constraints (method/texts/map.h).
 *
 *   L_d(q0, q1) = h L(q, w/h) where (left, right)(q, w) = (q0, q1)
 *   P = p0 - G(q0)'L,   p1 = P + D - G(q1)'m
 *   left = q0,   E(q, w, P, D) = 0,   g(q1) = 0,   G(q1) v1 = 0 where M(q1) v1 + a(q1) = p1
 *   E = grad_(q, w) ( D . right + P . (right - left) - h L(q, w/h) ),   q1 = q0 + right - left
 *
 * E = 0 says that (-P, P + D) pulled back by R_d is the derivative of h L(q, w/h): the cotangent lift of
 * the map (Barbero-Linan, Martin de Diego, Sato, section 4). Unknowns (q, w, D, L) with Newton's method. D
 * is what the momentum gains, of the size of h: the residual of the equations enters momentum maps with a
 * factor h. At the end of a step it is computed once more from its linear equation, E_q = 0.
 *
 * In null-space form P is unknown in place of L, with N(q0)'(P - p0) = 0 for a basis
 * N of ker G, and p1 = M v1 + a with v1 = N(q1) y, N(q1)'(p1 - P - D) = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE mapped
#include "method/texts/map.h"

struct data {
  cst_lane_mapping map;
  int              in_null_space, rank; /* rank: the number of enforced constraints */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "core/householder.h"
#define NULLS       (OWN(0)->in_null_space)
#define NR          (OWN(0)->rank)
#define NX          (3 * NQ + (NULLS ? NQ : NG))
#define OF_BASIS(n) (NULLS ? (n) : 0)
#define KEEPS_NOTHING

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(G, NNZ_G)                                                                                      \
  X(w, 2 * NQ)                                                                                     \
  X(e, 4 * NQ)                                                                                     \
  X(q1, NQ)                                                                                        \
  X(G1, NNZ_G)                                                                                     \
  X(J, NX *NX)                                                                                     \
  X(slack, NG, SLACK)                                                                              \
  X(impulse, NG, STATE(at.impulse))                                                                \
  X(A, OF_BASIS(NQ *NG))                                                                           \
  X(d, OF_BASIS(NG))                                                                               \
  X(b, OF_BASIS(NG))                                                                               \
  X(N, OF_BASIS(NQ *NQ))

struct local {
  LOCAL(CST_FIELD)
  const vd *c, *mass;
  vd        iterations;
};

#include "method/core/null-space-basis.h"

/* ---- the null-space form --------------------------------------------------------------------- */

/* f[nq] := N(q0)'(P - p0) and the enforced g(q1), with P in L->w. Returns the size of the former. */
CST_INLINE vd leave_basis(const cst_context *C, struct local *L, const vd *g, vd *f) {
  vd r[ROOM(NQ)], off = vset(0);
  for (int i = 0; i < NQ; i++)
    r[i] = L->w[i] - L->p[i];
  cst_householder_forth(L->A, L->b, NQ, NR, r);
  for (int k = NR; k < NQ; k++) {
    f[k - NR] = r[k];
    off = vmax(vabs(r[k]), off);
  }
  for (int a = 0, row = NQ - NR; a < NG; a++)
    if (!DROPPED(a))
      f[row++] = g[a];
  return off;
}

/* The rows of the first of these equations in J. */
CST_INLINE void fill_projection(const cst_context *C, struct local *L, vd *J) {
  const int n = NX;
  fill_basis(C, L->A, L->b, L->N);
  for (int k = 0; k < NQ - NR; k++)
    for (int i = 0; i < n; i++)
      J[(3 * NQ + k) * n + i] = i < 3 * NQ ? vset(0) : L->N[k * NQ + i - 3 * NQ];
}

/* p := M v + a with v = N y, N'(M v + a - p) = 0, N the basis at q1. r := what p loses. */
static void project_on_basis(const cst_context *C, struct local *L, vd *p, vd *r) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)], y[ROOM(n)], MN[ROOM(n * NQ)], a[ROOM(NQ)], v[ROOM(NQ)];
  for (int i = 0; i < NQ; i++)
    v[i] = vset(0);
  cst_momentum(C, L->c, L->mass, L->q1, v, a);
  fill_basis(C, L->A, L->b, L->N);
  for (int k = 0; k < n; k++) {
    cst_momentum(C, L->c, L->mass, L->q1, L->N + k * NQ, MN + k * NQ);
    y[k] = vset(0);
    for (int i = 0; i < NQ; i++) {
      MN[k * NQ + i] -= a[i];
      y[k] += L->N[k * NQ + i] * (p[i] - a[i]);
    }
  }
  for (int k = 0; k < n; k++)
    for (int l = k; l < n; l++) {
      S[k * n + l] = vset(0);
      for (int i = 0; i < NQ; i++)
        S[k * n + l] += L->N[k * NQ + i] * MN[l * NQ + i];
    }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  for (int i = 0; i < NQ; i++) {
    vd now = a[i];
    for (int k = 0; k < n; k++)
      now += MN[k * NQ + i] * y[k];
    r[i] = p[i] - now;
    p[i] = now;
  }
}

/* q := q1, p := p1, and both impulses: that of the left end is R^-1 Q'(p0 - P). */
static void finish_on_basis(const cst_context *C, struct local *L, const vd *D) {
  vd r[ROOM(NQ)];
  vd m[ROOM(NG)];
  for (int i = 0; i < NQ; i++) {
    r[i] = L->p[i] - L->w[i];
    L->p[i] = L->w[i] + D[i];
    L->q[i] = L->q1[i];
  }
  add_impulse(C, L->A, L->d, L->b, r, m, L->impulse);
  factor(C, L->G1, L->A, L->d, L->b);
  project_on_basis(C, L, L->p, r);
  add_impulse(C, L->A, L->d, L->b, r, m, L->impulse);
  CST_TAKE(L->G, L->G1, NNZ_G);
}

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->mass = cst_block(record, LAYOUT(C).mass);
  K_G(L->c, L->q, L->G);
  if (NULLS)
    factor(C, L->G, L->A, L->d, L->b);
}

/* The unknowns start on the line along the velocity. */
CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  vd v[ROOM(NQ)];
  cst_velocity(C, L->c, L->mass, L->q, L->p, v);
  for (int i = 0; i < NQ; i++) {
    x[i] = L->q[i];
    x[NQ + i] = H(j) * v[i];
    x[2 * NQ + i] = vset(0);
  }
  for (int k = 3 * NQ; k < NX; k++)
    x[k] = vset(0);
  for (int i = 0; i < NQ && NULLS; i++)
    x[3 * NQ + i] = L->p[i];
  cst_open_impulses(C, j, L->impulse);
}

/* out := the value (along NULL) or the derivative of the equations at x, with P and D in L->w. */
CST_INLINE void run(const cst_context *C, const struct local *L, int j, const vd *x,
                    const vd *along, vd *out) {
  const cst_lane_mapping *m = &OWN(j)->map;
  const double           *in[128];
  const vd                h = H(j);
  in['c'] = (const double *)L->c;
  in['q'] = (const double *)x;
  in['v'] = (const double *)(x + NQ);
  in['w'] = (const double *)L->w;
  in['u'] = (const double *)along;
  in['l'] = (const double *)&h;
  m->run(along ? m->tangent : m->value, in, (double *)out, m->scratch);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  vd size = vset(0), far = vset(0), off = vset(0), apart = vset(0), g[ROOM(NG)];
  USES_G
  for (int i = 0; i < NQ; i++) {
    L->w[i] = NULLS ? x[3 * NQ + i] : L->p[i];
    COL_G(i, a, e)
      if (!NULLS)
        L->w[i] -= L->G[e] * x[3 * NQ + a];
    L->w[NQ + i] = x[2 * NQ + i];
    size = vmax(vmax(vabs(L->w[i]), vabs(L->p[i])), vmax(vabs(L->w[NQ + i]), size));
  }
  run(C, L, j, x, NULL, L->e);
  for (int i = 0; i < NQ; i++) {
    L->q1[i] = L->q[i] + L->e[NQ + i];
    f[i] = L->e[i] - L->q[i];
    f[NQ + i] = L->e[2 * NQ + i];
    f[2 * NQ + i] = L->e[3 * NQ + i];
    far = vmax(vmax(vabs(L->q[i]), vabs(L->q1[i])), far);
    apart = vmax(vabs(f[i]), apart);
    off = vmax(vmax(vabs(f[NQ + i]), vabs(f[2 * NQ + i])), off);
  }
  K_g(L->c, L->q1, g);
  K_G(L->c, L->q1, L->G1);
  if (NULLS)
    off = vmax(off, 0.125 * leave_basis(C, L, g, f + 3 * NQ));
  for (int a = 0; a < NG && !NULLS; a++)
    f[3 * NQ + a] = g[a];
  return cst_on_manifold(C, g, L->G1, L->q1, L->slack) & (vl)(apart <= (2 * EPS) * far) &
         (vl)(off <= (2 * EPS) * size);
}

/* J[NX * NX] := the derivative of the equations. */
static void assemble(const cst_context *C, struct local *L, int j, const vd *x, vd *J) {
  const int n = NX;
  USES_G
  for (int k = 0; k < n; k++) {
    vd along[ROOM(4 * NQ)], slope[ROOM(4 * NQ)];
    for (int i = 0; i < 4 * NQ; i++)
      along[i] = vset(k < 3 * NQ ? i == (k < 2 * NQ ? k : k + NQ) : NULLS && i == k - NQ);
    for (int a = 0; a < NG && !NULLS; a++)
      ROW_G(a, i, e)
        if (k == 3 * NQ + a)
          along[2 * NQ + i] = -L->G[e];
    run(C, L, j, x, along, slope);
    for (int i = 0; i < NQ; i++) {
      J[i * n + k] = slope[i];
      J[(NQ + i) * n + k] = slope[2 * NQ + i];
      J[(2 * NQ + i) * n + k] = slope[3 * NQ + i];
    }
    for (int a = 0, row = NULLS ? 4 * NQ - NR : 3 * NQ; a < NG; a++) {
      vd sum = vset(0);
      if (NULLS && DROPPED(a))
        continue;
      ROW_G(a, i, e)
        sum += L->G1[e] * slope[NQ + i];
      J[row * n + k] = sum;
      row++;
    }
  }
  if (NULLS)
    fill_projection(C, L, J);
  for (int a = 0; a < NG && !NULLS; a++)
    for (int k = 0; k < n && DROPPED(a); k++) {
      J[(3 * NQ + a) * n + k] = vset(k == 3 * NQ + a);
      J[k * n + 3 * NQ + a] = vset(k == 3 * NQ + a);
    }
}

CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  assemble(C, L, j, x, L->J);
  for (int k = 0; k < NX; k++)
    d[k] = -f[k];
  if (!NULLS)
    cst_gram_drop(C, d + 3 * NQ);
  cst_pivoted_solve(L->J, d, NX);
}

/* D := the solution of E_q = 0 at x, where E_q is linear in it with the matrix (d right / dq)'. */
static void settle(const cst_context *C, struct local *L, int j, const vd *x, vd *D) {
  const int n = NQ;
  vd        along[ROOM(4 * NQ)], slope[ROOM(4 * NQ)], d[ROOM(NQ)];
  for (int i = 0; i < 4 * n; i++)
    along[i] = vset(0);
  for (int k = 0; k < n; k++) {
    along[3 * n + k] = vset(1);
    run(C, L, j, x, along, slope);
    along[3 * n + k] = vset(0);
    for (int i = 0; i < n; i++)
      L->J[i * n + k] = slope[2 * n + i];
    d[k] = -L->e[2 * n + k];
  }
  cst_pivoted_solve(L->J, d, n);
  for (int i = 0; i < n; i++)
    D[i] = x[2 * n + i] + d[i];
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  vd m[ROOM(NG)], minv[ROOM(NMASS)], D[ROOM(NQ)];
  settle(C, L, j, x, D);
  if (NULLS) {
    finish_on_basis(C, L, D);
    return;
  }
  for (int i = 0; i < NQ; i++) {
    L->p[i] = L->w[i] + D[i];
    L->q[i] = L->q1[i];
  }
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / L->mass[k];
  if (NG > 0)
    cst_make_tangent(C, L->c, L->q, L->G1, minv, L->p, m);
  for (int a = 0; a < NG; a++)
    L->impulse[a] += x[3 * NQ + a] + m[a];
  CST_TAKE(L->G, L->G1, NNZ_G);
}

#include "method/core/march.h"
#else
#include "method/substep.h"

struct parameters {
  const cst_text *map;
  bool            adjoint, in_null_space;
};
CST_DATA_FITS(struct parameters, struct data);

/* A symmetric map is its own adjoint. */
static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->map == y->map && x->in_null_space == y->in_null_space &&
         (x->adjoint == y->adjoint || cst_map_traits_of(x->map)->symmetric);
}

static bool adjoint(void *of) {
  struct parameters *x = of;
  x->adjoint = !x->adjoint;
  return true;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct parameters *x = of;
  const int                n = 3 * s->nq + (x->in_null_space ? s->nq : s->ng);
  return (cst_substep_size){
      .stages = 1,
      .unknowns = n,
      .matrix = (double)n * n,
      .fixed = s->nq,
      .each = n,
      .solves_fixed = 1 + (s->ng > 0),
      .solves_each = 1,
      .cost = 4 * (10.0 * n * cst_substep_unit(s) + 0.5 * n * n * n),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  struct data             *to = lane;
  const cst_system        *s = with->system;
  CST_TRY(cst_mapping_bind(with, x->map, x->adjoint, &to->map));
  to->in_null_space = x->in_null_space;
  to->rank = cst_system_enforced(s, s->ng);
  return 0;
}

static const cst_substep_row row = {
    .name = "mapped",
    .data = sizeof(struct parameters),
    .same = same,
    .adjoint = adjoint,
    .size = size,
    .bind = bind,
};

cst_substep cst_mapped(double fraction, const cst_text *m, bool null_space) {
  return cst_substep_of(&row, fraction, &(struct parameters){m, false, null_space});
}
#endif
