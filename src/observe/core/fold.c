/* fold.c: lane code that measures a group, with that of all observers in it, and folds the figures; compiled generic and for every system
 * of the catalogue. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observe.h"
#include "observe/observer.h"
#include "system/acceleration.h"
#ifndef CST_COLD
#define CORE        fold
#define CORE_IS_HOT /* the build compiles it for every system of the catalogue */

/* p := M v + a, of which a tangential p is the part with G p = 0: the one with G v = 0. Out of line, so that others pay for a branch. */
static __attribute__((noinline)) void load_kinetic(const cst_context *C, const double *record, vd *p) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c), *q = cst_block(record, at.q), *mass = cst_block(record, at.mass);
  vd               G[ROOM(NNZ_G)], minv[ROOM(NMASS)], m[ROOM(NG)];
  cst_load(p, record, at.p, NQ);
  K_G(c, q, G);
  U for (int k = 0; k < NMASS; k++) minv[k] = 1.0 / mass[k];
  cst_make_tangent(C, c, q, G, minv, p, m);
}

/* v := M^-1 (p - a) for a kinetic p. */
CST_INLINE void velocity_of(const cst_context *C, const double *record, const vd *p, vd *v) {
  const cst_layout at = LAYOUT(C);
  const vd        *mass = cst_block(record, at.mass);
  vd               minv[ROOM(NMASS)];
  if (GENERAL) {
    cst_velocity_general(C, cst_block(record, at.c), cst_block(record, at.q), p, v);
    return;
  }
  U for (int k = 0; k < NMASS; k++) minv[k] = 1.0 / mass[k];
  U for (int i = 0; i < NQ; i++) v[i] = vpick(MASS_UNIT, p[i], minv[CLASS(i)] * p[i]);
}

CST_INLINE void load_velocity(const cst_context *C, const double *record, vd *v) {
  if (NG > 0 && C->tangential) {
    vd p[ROOM(NQ)];
    load_kinetic(C, record, p);
    velocity_of(C, record, p, v);
  } else
    velocity_of(C, record, cst_block(record, LAYOUT(C).p), v);
}

#define CST_OBSERVE(name)                                                                                                                  \
  static void cst_measure_##name(const cst_look *look, const cst_view *view, double *kept, double *value, double *scale)
#include "observers.list.h" /* written by the build: the lane code of the observers of list.h */

CST_INLINE vl mask_of(int bits) {
  vl lane;
  for (int l = 0; l < CST_W; l++) lane[l] = 1L << l;
  return (((vl){} + (long)bits) & lane) != 0;
}

static void fold(int n, const double *value, const double *scale, int alive, int first, double *acc) {
  const vd *x = (const vd *)value, *s = (const vd *)scale;
  const vl  on = mask_of(alive);
  for (int i = 0; i < n; i++) {
    vd *a = (vd *)acc + i * CST_SLOTS;
    if (first) a[CST_SLOT_START] = x[i], a[CST_SLOT_DRIFT] = a[CST_SLOT_SCALE] = a[CST_SLOT_SIZES] = a[CST_SLOT_SUM] = vset(0);
    vd d = x[i] - a[CST_SLOT_START];
    a[CST_SLOT_DRIFT] = vmax(vkeep(on, vabs(d)), a[CST_SLOT_DRIFT]);
    a[CST_SLOT_SCALE] = vmax(vkeep(on, s[i]), a[CST_SLOT_SCALE]);
    a[CST_SLOT_SIZES] += vkeep(on, s[i]);
    a[CST_SLOT_SUM] += vkeep(on, d);
    a[CST_SLOT_LAST] = vselect(on, x[i], a[CST_SLOT_LAST]);
  }
}

static void velocities(const cst_context *C, const double *record, double *v) { load_velocity(C, record, (vd *)v); }

static void multipliers(const cst_context *C, const double *record, double *lambda) {
  const cst_layout at = LAYOUT(C);
  vd               v[ROOM(NQ)], A[ROOM(NQ)], minv[ROOM(NMASS)];
  load_velocity(C, record, v);
  U for (int k = 0; k < NMASS; k++) minv[k] = 1.0 / cst_block(record, at.mass)[k];
  if (NG > 0) cst_acceleration(C, cst_block(record, at.c), minv, cst_block(record, at.q), v, A, (vd *)lambda);
}

/* y is cut at the bins' boundaries, from the top; each part is a multiple of its bin's unit, so adding it does not round. */
static void accumulate(int n, const double *value, const double *acc, int alive, double *bins, double *top, double *count) {
  const vl on = mask_of(alive);
  double   big[CST_BINS]; /* adding and subtracting it rounds to the bin's unit */
  for (int k = 0; k < CST_BINS; k++) big[k] = k == 0 ? 1.5 * 0x1p52 * 0x1p-160 : big[k - 1] * 0x1p40;
  for (int i = 0; i < n; i++) {
    vd d = vabs(((const vd *)value)[i] - ((const vd *)acc)[i * CST_SLOTS + CST_SLOT_START]);
    vl counts = on & (vl)(d == d);
    d = vkeep(counts, d);
    ((vd *)top)[i] = vmax(d, ((vd *)top)[i]);
    ((vd *)count)[i] += vkeep(counts, vset(1));
    vd y = vmin(d * d, vset(0x1p79));
    for (int k = CST_BINS - 1; k >= 0; k--) {
      vd part = (y + big[k]) - big[k];
      ((vd *)bins)[i * CST_BINS + k] += part;
      y -= part;
    }
  }
}

#ifdef CST_SYSTEM_HEADER
#define SYMBOL_(sys, isa) cst_fold_##sys##_##isa
#define SYMBOL(sys, isa)  SYMBOL_(sys, isa)
#define FOLD              SYMBOL(SYS_ID, CST_ISA)
#else
#define SYMBOL_(isa) cst_fold_generic_##isa
#define SYMBOL(isa)  SYMBOL_(isa)
#define FOLD         SYMBOL(CST_ISA)
#endif
extern const cst_fold FOLD;
const cst_fold        FOLD = {{
#define OBSERVER(name)       cst_measure_##name,
#define PLAIN_OBSERVER(name) NULL,
#include "observe/list.h"
                       },
                       fold,
                       multipliers,
                       velocities,
                       accumulate};
#endif
