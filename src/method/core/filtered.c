/* filtered.c: the core of Zhang and Skeel's methods: a kick, a drift, a kick, with a filtered force that
 * requires one linear solve.
 *
 *   p_h = p0 + w0 h F(q0),   q1 = q0 + h M^-1 p_h,   p1 = p_h + w1 h F(q1)
 *
 * (w0, w1) = (1/2, 1/2) is the trapezoidal rule; (1, 0) and (0, 1) use one end only, have order 1, and are
 * adjoint to each other.
 *
 *   (M + beta h^2 H) a = -grad V
 *   full        H = Hess V,                       F = M a - 1/2 beta^2 h^4 V'''[a, a]
 *   simplified  H = Hess V,                       F = M a
 *   stiff       H = Hess of the stiff part of V,  F = M a
 *
 * Tao, Owhadi, (1.3), (2.7), (2.8), with p = M v, and section 4.5 for (1, 0). F depends on the point and on
 * the substep's h: it is computed again if the preceding substep had another h. One kernel computes grad V, H
 * and their common subexpressions with V'''.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         filtered
#define COMPILED_FOR .needs = CST_SEPARABLE, .before = true

enum { FULL, SIMPLIFIED, STIFF };

struct data {
  double beta, w0, w1;
  int    form;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#ifndef CST_COLD
#include "method/core/bands.h"
#if !CST_SIZED || SYS_FILTERED
#define IS_EXPLICIT

/* f: F at q; bent: output of the kernel; A, a, third: the matrix, the solution and V'''[a, a] by rows. */
#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(f, NQ)                                                                                         \
  X(q1, NQ)                                                                                        \
  X(bent, BENT_SIZE)                                                                               \
  X(A, MOST_BAND)                                                                                  \
  X(a, NQ)                                                                                         \
  X(third, NQ)                                                                                     \
  CST_MASS_FIELDS(X)

struct local {
  LOCAL(CST_FIELD)
  const vd         *c;
  cst_linear_masses m;
  vd                h; /* the step for which f was computed; 0: none */
  struct data       made;
  vd                iterations;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->m = CST_MASSES_OF(C, L, record);
  L->h = vset(0);
}

/* f := M a - weight third, p += kick f, in one pass where M is diagonal. third may be NULL. */
CST_INLINE void kick_by(const cst_context *C, struct local *L, int which, vd kick, vd weight,
                        const vd *restrict third) {
  const int        n = NQ, unit = MASS_UNIT;
  const int *const place = PLACE(which);
  const vd *const  mass = L->m.mass;
  const vd *restrict a = L->a;
  vd *restrict const f = L->f;
  vd *restrict const p = L->p;
  if (GENERAL)
    cst_masses_times(C, &L->m, which, a, f);
  UNROLL
  for (int i = 0; i < n; i++) {
    vd F = GENERAL ? f[i] : vpick(unit, a[place[i]], mass[CLASS(i)] * a[place[i]]);
    if (third)
      F -= weight * third[place[i]];
    f[i] = F;
    p[i] += kick * F;
  }
}

CST_INLINE void force_by(const cst_context *C, struct local *L, int j, int which, vd kick) {
  const vd  b = OWN(j)->beta * (H(j) * H(j));
  const int n = NQ;
  vd *restrict const a = L->a, *const bent = L->bent;
  if (which)
    K_dVS(L->c, L->q, L->bent);
  else
    K_dVH(L->c, L->q, L->bent);
  UNROLL
  for (int r = 0; r < n; r++)
    a[r] = -bent[r];
  cst_bands_solve(C, &L->m, which, b, L->bent + NQ, L->A, L->a);
  if (OWN(j)->form != FULL) {
    kick_by(C, L, which, kick, vset(0), NULL);
    return;
  }
  K_D3V(L->c, L->q, L->a, L->bent + NQ + ENTRIES(0), L->third);
  kick_by(C, L, which, kick, 0.5 * (b * b), L->third);
}

/* F at q, and p += kick F. */
CST_INLINE void force(const cst_context *C, struct local *L, int j, vd kick) {
#if !CST_SIZED || SYS_STIFF
  if (OWN(j)->form == STIFF)
    force_by(C, L, j, 1, kick);
  else
#endif
    force_by(C, L, j, 0, kick);
  L->h = H(j);
  L->made = *OWN(j);
}

/* p += kick f unless f is NULL; q += h M^-1 p. */
CST_INLINE void drift(const cst_context *C, struct local *L, int j, vd kick, const vd *restrict f) {
  const int       n = NQ, unit = MASS_UNIT;
  const vd        h = H(j);
  const vd *const inverse = L->inverse;
  vd *restrict const p = L->p;
  vd *restrict const q = L->q;
  UNROLL
  for (int i = 0; i < n; i++) {
    if (f)
      p[i] += kick * f[i];
    if (GENERAL)
      L->q1[i] = p[i];
    else
      q[i] += h * vpick(unit, p[i], p[i] * inverse[CLASS(i)]);
  }
  if (!GENERAL)
    return;
  cst_masses_divide(C, &L->m, L->q1);
  for (int i = 0; i < n; i++)
    q[i] += h * L->q1[i];
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)x;
  const struct data *own = OWN(j);
  const vd           kick = own->w0 * H(j);
  if (own->w0 == 0)
    drift(C, L, j, kick, NULL);
  else if (vany((vl)(L->h != H(j))) || L->made.beta != own->beta || L->made.form != own->form) {
    force(C, L, j, kick);
    drift(C, L, j, kick, NULL);
  } else
    drift(C, L, j, kick, L->f);
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd kick = OWN(j)->w1 * H(j);
  (void)x;
  L->h = vset(0); /* q has moved */
  if (OWN(j)->w1 == 0)
    return;
  force(C, L, j, kick);
}

#include "method/core/march.h"
#else
/* This core does not step the system, or its loops are too long to unroll. */
extern const cst_core CST_NAME(CST_PASTE(cst_core_filtered, SYS_ID));
const cst_core        CST_NAME(CST_PASTE(cst_core_filtered, SYS_ID)) = {0};
#endif
#endif
#else
#include "method/substep.h"
CST_DATA_FITS(struct data, struct data);

static bool same(const void *one, const void *other) {
  const struct data *x = one, *y = other;
  return x->beta == y->beta && x->w0 == y->w0 && x->w1 == y->w1 && x->form == y->form;
}

/* The filter is even in h, so the adjoint exchanges the kicks. */
static bool adjoint(void *of) {
  struct data *x = of;
  const double w = x->w0;
  x->w0 = x->w1;
  x->w1 = w;
  return true;
}

static cst_substep_size size(const void *of, const cst_system *s) {
  const struct data *x = of;
  const double       band = 1 + s->model->bands[x->form == STIFF].band;
  return (cst_substep_size){
      .stages = 1,
      .fixed = x->form == FULL ? 2 : 1,
      .solves_fixed = 1,
      .cost = 6 * s->nq + 0.5 * s->nq * band * band,
  };
}

static const cst_substep_row row = {
    .name = "filtered",
    .data = sizeof(struct data),
    .same = same,
    .adjoint = adjoint,
    .size = size,
};

cst_substep cst_filtered_kick(double fraction, double beta, double w0, double w1, int form) {
  return cst_substep_of(&row, fraction, &(struct data){beta, w0, w1, form});
}
#endif
