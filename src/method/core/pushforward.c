/* pushforward.c: the core of the pushforward Newmark method: half a kick, a drift, half a kick, with an
 * implicit force.
 *
 *   x1 = x0 + h v0 + h^2/2 a0,  v1 = v0 + h/2 (a0 + a1),  M a_k = -grad V(x_k + beta h^2 a_k)
 *
 * Tao, Owhadi, (2.3), with p = M v. The unknowns are a1, by rows of the bands, starting from a1 = 0. If all
 * steps are alike, a0 is the a1 of the preceding step, from the record; otherwise, and at a start, it is
 * solved for like a1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE pushforward

struct data {
  double beta;
  int    a; /* position of a in the record */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/newton.h"
#define NX NQ
#define KEEPS_NOTHING
#define IS_EXACT 1
#define SIZE(L)  ((L)->near)
#define USES_STEP

/* a, x1: by rows, at the left end; the right end. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(a, NQ, STATE(OWN(0)->a))                                                                       \
  X(x1, NQ)                                                                                        \
  X(ph, NQ)                                                                                        \
  CST_NEWTON_FIELDS(X)                                                                             \
  X(d, NQ)                                                                                         \
  CST_MASS_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd         *c;
  cst_linear_masses m;
  cst_newton_space  w;
  vd                near, tolerance, iterations;
  vl                step, without;
};
#define BEGINS_WITHOUT(L) ((L)->without)

#include "method/core/round-off.h"

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->tolerance = *cst_block(record, LAYOUT(C).tolerance);
  L->w = CST_NEWTON_SPACE(L);
  L->m = CST_MASSES_OF(C, L, record);
}

/* Those of a at q. */
static void residual_at_left(const cst_context *C, struct local *L, int j, const vd *a, vd *f) {
  cst_newton_residual(C, &L->m, L->c, BETA_HH(j), L->q, a, &L->w, f);
}

static void correction_at_left(const cst_context *C, struct local *L, int j, const vd *a,
                               const vd *f, vd *d) {
  (void)a;
  for (int r = 0; r < NQ; r++)
    d[r] = f[r];
  cst_newton_correction(C, &L->m, BETA_HH(j), &L->w, d);
}

/* a at q. The step of a lane in which this does not converge fails. */
static void solve_left(const cst_context *C, struct local *L, int j) {
  const vd near = cst_newton_size(C, BETA_HH(j), L->q);
  vl       done = vmask(0);
  vd       last = vset(INFINITY);
  for (int r = 0; r < NQ; r++)
    L->a[r] = vset(0);
  for (int k = 0; k < MARCH->max_iterations && vany(~done); k++) {
    vd size = vset(0), of = near;
    residual_at_left(C, L, j, L->a, L->d);
    done |= cst_newton_met(C, L->tolerance, &L->w, L->d);
    cst_newton_correction(C, &L->m, BETA_HH(j), &L->w, L->d);
    for (int r = 0; r < NQ; r++) {
      L->a[r] += vkeep(~done, L->d[r]);
      size = vmax(vabs(L->d[r]), size);
      of = vmax(vabs(L->a[r]), of);
    }
    const vl stalled = (vl)(size >= 0.98 * last) & (vl)(size <= 1e-12 * of);
    done |= (vl)(size <= (8 * EPS) * of) | stalled;
    last = size;
  }
  if (MARCH->attempt && vany(~done)) {
    const cst_rest_equations e = {NQ, FIELDS, residual_at_left, correction_at_left, NULL};
    done |= ROUND_OFF.field_rests(C, L, j, &e, ~done, L->a);
  }
  L->without = ~done;
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd h = H(j);
  L->without = vmask(0);
  if (!ALONE || vany((vl)(L->step == 0)))
    solve_left(C, L, j);
  cst_masses_times(C, &L->m, 0, L->a, L->y);
  for (int i = 0; i < NQ; i++)
    L->ph[i] = L->x1[i] = L->p[i] + (0.5 * h) * L->y[i];
  cst_masses_divide(C, &L->m, L->x1);
  for (int i = 0; i < NQ; i++)
    L->x1[i] = L->q[i] + h * L->x1[i];
  for (int r = 0; r < NQ; r++)
    x[r] = vset(0);
  L->near = cst_newton_size(C, BETA_HH(j), L->x1);
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  cst_newton_residual(C, &L->m, L->c, BETA_HH(j), L->x1, x, &L->w, f);
  return cst_newton_met(C, L->tolerance, &L->w, f);
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  (void)x;
  cst_newton_direction(C, &L->m, BETA_HH(j), &L->w, NQ, f, d);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  cst_masses_times(C, &L->m, 0, x, L->y);
  for (int i = 0; i < NQ; i++) {
    L->p[i] = L->ph[i] + (0.5 * H(j)) * L->y[i];
    L->q[i] = L->x1[i];
  }
  for (int r = 0; r < NQ; r++)
    L->a[r] = x[r];
}

#include "method/core/march.h"
#else
#include "method/substep.h"

struct parameters {
  double beta;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->beta == y->beta;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const double band = 1 + s->model->bands[0].band;
  (void)of;
  return (cst_substep_size){
      .stages = 1,
      .unknowns = s->nq,
      .matrix = s->nq * band,
      .each = 1,
      .solves_each = 1,
      .cost = 4 * (8 * s->nq + s->nq * band * band),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  *(struct data *)lane = (struct data){x->beta, with->state[0]};
  return 0;
}

static const cst_state_block state[] = {{"a-pushed", .q = 1}, {NULL}};

static const cst_substep_row row = {
    .name = "pushforward",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .adjoint = cst_is_own_adjoint, /* even in h between two half kicks */
    .size = size,
    .jacobian = cst_jacobian_of_corrections,
    .coupling = cst_coupling_of_accelerations,
    .bind = bind,
};

cst_substep cst_pushforward(double fraction, double beta) {
  return cst_substep_of(&row, fraction, &(struct parameters){beta});
}
#endif
