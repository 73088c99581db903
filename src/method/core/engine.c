/* engine.c: the core of the steps of physics engines: constraints on the level of velocities, at the left
 * end.
 *
 *   N (v1 - v0) = h (f(q0, v0) - G(q0)'lambda),   G(q0) v1 = -(erp/h) g(q0),   q1 = q0 + h v1
 *
 * with N = M(q0), or N = M - h D_v f (linear). With post, q1 := q1 - M^-1 G(q1)'(G M^-1 G')^-1 g(q1), one
 * step of Newton's method towards g = 0. There are no unknowns: a step is one linear solve for lambda.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE engine

struct data {
  double erp;
  int    post, linear;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/time.h"
#include "system/lane/acceleration.h"
#define IS_EXPLICIT
#define USES_STEP
#define NP          NQ /* steps start from L->v: noise on p follows this core as a separate step */
#define DENSE       (GENERAL || LINEAR_STEP) /* N is a full matrix */
#define LINEAR_STEP (OWN(0)->linear && (GENERAL || NFORCE > 0))

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(impulse, NG, STATE(at.impulse))                                                                \
  X(f, NQ)                                                                                         \
  X(G, NNZ_G)                                                                                      \
  X(l, NG)                                                                                         \
  X(N, DENSE ? NQ *NQ : 0)                                                                         \
  X(Y, DENSE ? NG *NQ : 0)                                                                         \
  X(S, DENSE ? NG *NG : GRAM_SIZE)                                                                 \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations;
  vl        step;
};

#include "method/core/by-velocity.h"

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  (void)record;
  velocity(C, L);
}

/* N -= h D_v f */
static void take_off_damping(const cst_context *C, struct local *L, vd h) {
  vd u[ROOM(2 * NQ)], E[ROOM(NQ + NG)], zero[ROOM(NQ + NG)];
  for (int k = 0; k < 2 * NQ; k++)
    u[k] = vset(0);
  for (int k = 0; k < NQ + NG; k++)
    zero[k] = vset(0);
  for (int k = 0; k < NQ; k++) {
    u[NQ + k] = vset(1);
    K_DE(L->c, L->q, L->v, zero, u, zero, E);
    for (int r = 0; r < NQ; r++)
      L->N[r * NQ + k] -= h * E[r];
    u[NQ + k] = vset(0);
  }
}

/* N at q, factored, where it is a full matrix; damped: with the derivative of f. */
static void make_matrix(const cst_context *C, struct local *L, vd h, bool damped) {
  vd entry[ROOM(NNZ_M)];
  USES_M
  for (int k = 0; k < NQ * NQ; k++)
    L->N[k] = vset(0);
  if (GENERAL)
    K_M(L->c, L->q, entry);
  for (int r = 0; r < NQ; r++) {
    if (GENERAL) {
      ROW_M(r, k, e)
        L->N[r * NQ + k] = entry[e];
    } else
      L->N[r * NQ + r] = vpick(MASS_UNIT, vset(1), L->m[CLASS(r)]);
  }
  if (damped)
    take_off_damping(C, L, h);
  cst_lu(L->N, NQ);
}

/* x := N^-1 x */
CST_INLINE void divide(const cst_context *C, const struct local *L, vd *x) {
  const vd *const minv = L->minv;
  if (DENSE) {
    cst_lu_solve(L->N, x, NQ);
    return;
  }
  for (int i = 0; i < NQ; i++)
    x[i] *= MINV(i);
}

/* l := (G N^-1 G')^-1 l; and x -= scale N^-1 G'l */
static void couple(const cst_context *C, struct local *L, vd scale, vd *x) {
  vd turned[ROOM(NQ)];
  USES_G
  if (DENSE) {
    cst_gram_general(C, L->G, L->N, L->Y, L->S);
    cst_gram_drop(C, L->l);
    cst_lu(L->S, NG);
    cst_lu_solve(L->S, L->l, NG);
  } else {
    cst_gram_fill(C, L->G, L->G, L->minv, vset(1.0), 1, L->S);
    cst_gram_solve(C, L->S, L->l, 1);
  }
  for (int i = 0; i < NQ; i++) {
    turned[i] = vset(0);
    COL_G(i, a, e)
      turned[i] += L->G[e] * L->l[a];
  }
  divide(C, L, turned);
  for (int i = 0; i < NQ; i++)
    x[i] -= scale * turned[i];
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)x;
  cst_open_impulses(C, j, L->impulse);
  gather_end(C, L, j, START_OF(L, j));
  SET_TIME(L, START_OF(L, j));
}

/* v := v1 and l := lambda. */
static void push(const cst_context *C, struct local *L, int j) {
  const vd h = H(j);
  USES_G
  if (GENERAL)
    K_f(L->c, L->q, L->v, L->f);
  else
    cst_force(C, L->c, NULL, L->q, L->v, L->f);
  if (DENSE)
    make_matrix(C, L, h, LINEAR_STEP);
  divide(C, L, L->f);
  for (int i = 0; i < NQ; i++)
    L->v[i] += h * L->f[i];
  if (NG == 0)
    return;
  K_g(L->c, L->q, L->l);
  K_G(L->c, L->q, L->G);
  for (int a = 0; a < NG; a++) {
    L->l[a] = (OWN(j)->erp / (h * h)) * L->l[a];
    ROW_G(a, i, e)
      L->l[a] += (1 / h) * (L->G[e] * L->v[i]);
  }
  couple(C, L, h, L->v);
}

/* One step of Newton's method towards g = 0. */
static void correct_position(const cst_context *C, struct local *L) {
  K_g(L->c, L->q, L->l);
  K_G(L->c, L->q, L->G);
  if (DENSE)
    make_matrix(C, L, vset(0), false);
  couple(C, L, vset(1), L->q);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  (void)x;
  push(C, L, j);
  for (int a = 0; a < NG; a++)
    L->impulse[a] += H(j) * L->l[a];
  for (int i = 0; i < NQ; i++)
    L->q[i] += H(j) * L->v[i];
  if (OWN(j)->post && NG > 0)
    correct_position(C, L);
  gather_end(C, L, j, START_OF(L, j) + H(j));
  end_state(C, L);
}

#include "method/core/march.h"
#else
#include "method/substep.h"
CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return x->erp == y->erp && x->post == y->post && x->linear == y->linear;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct data *x = of;
  const int          rows = cst_has(s, CST_SEPARABLE) ? 0 : s->nq;
  const double       n = rows, unit = cst_substep_unit(s);
  return (cst_substep_size){
      .stages = 1,
      .fixed = 1 + (x->linear ? rows : 0),
      .solves_fixed = (cst_substep_solves(s) || x->linear) + (x->post && s->ng > 0),
      .matrix = n * n,
      .cost = 4 * unit * (1 + x->post) + 0.3 * n * n * n,
  };
}

static const cst_substep_row row = {
    .name = "engine",
    .data = sizeof(struct data),
    .same = same,
    .size = size,
};

cst_substep cst_engine(double fraction, double erp, bool post, bool linear) {
  return cst_substep_of(&row, fraction, &(struct data){erp, post, linear});
}
#endif
