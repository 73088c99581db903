/* fold.c: lane code that measures a group and folds the figures; compiled generic and for every system of the catalogue. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observe.h"
#include "system/acceleration.h"
#ifndef CST_COLD
#define CORE        fold
#define CORE_IS_HOT /* the build compiles it for every system of the catalogue */
#define NVAL        (CST_BUILTIN_FIXED + NSYM)

#define ENERGY       0
#define MOMENTUM     1
#define CONSTRAINT   (1 + NSYM)
#define HIDDEN       (3 + NSYM)
#define DISPLACEMENT (5 + NSYM)

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

CST_INLINE void energy(const cst_context *C, const vd *c, const vd *q, const vd *p, const vd *v, vd *start, int first, vd *x, vd *s) {
  vd V, T = vset(0), a[ROOM(NQ)];
  K_V(c, q, &V);
  if (GYROSCOPIC) K_a(c, q, a);
  U for (int i = 0; i < NQ; i++) T += vpick(GYROSCOPIC, p[i] - a[i], p[i]) * v[i];
  T = 0.5 * T;
  if (first) *start = V;
  *x = T + V;
  *s = vabs(T) + vabs(V - *start);
}

CST_INLINE void momenta(const cst_context *C, const vd *c, const vd *q, const vd *p, vd *x, vd *s) {
  vd xi[ROOM(NNZ_X)], gauge[ROOM(NSYM)];
  K_xi(c, q, xi);
  if (GYROSCOPIC) K_gauge(c, q, gauge);
  U for (int k = 0; k < NSYM; k++) {
    x[k] = vpick(GYROSCOPIC, -gauge[k], vset(0));
    s[k] = vabs(x[k]);
    ROW_X(k, i, e) {
      vd t = p[i] * xi[e];
      x[k] += t;
      s[k] += vabs(t);
    }
  }
}

/* A residual of size x >= 0 in units of its scale, as cst_system_residuals defines it. */
CST_INLINE vd scaled(vd x, vd scale, vd rough) {
  const vd noise = CST_ROUNDOFF * rough, within = vmin(x, noise) / (scale + rough);
  return vselect((vl)(x > noise), vmax((x - noise) / scale, within), vkeep((vl)(x > 0), within));
}

/* x[0..1]: constraint raw and scaled, x[2..3]: hidden raw, in the norm wanted, and scaled; S of the raw ones is the largest of what scales.
 */
CST_INLINE void constraints(const cst_context *C, const vd *c, const vd *q, const vd *v, const vd *length, vd speed, unsigned want, vd *x,
                            vd *S) {
  vd g[ROOM(NG)], G[ROOM(NNZ_G)], one = vset(0), squares = vset(0);
  USES_G
  K_g(c, q, g);
  K_G(c, q, G);
  U for (int k = 0; k < 4; k++) x[k] = vset(0);
  S[0] = S[2] = vset(0);
  U for (int a = 0; a < NG; a++) {
    vd far = vset(0), row = vset(0), r = vset(0);
    ROW_G(a, i, e) {
      far = vmax(vabs(q[i]), far);
      row += vabs(G[e]);
      r += G[e] * v[i];
    }
    vd w = row * speed;
    vl rest = (vl)(w == 0); /* at rest 0/0 counts as 0 */
    S[0] = vmax(row * (length[a] + far), S[0]), S[2] = vmax(w, S[2]);
    x[0] = vmax(vabs(g[a]), x[0]);
    x[1] = vmax(scaled(vabs(g[a]), row * length[a], row * far), x[1]);
    x[2] = vmax(vabs(r), x[2]);
    x[3] = vmax(vselect(rest, vset(0), vabs(r) / w), x[3]);
    one += vabs(r);
    squares += r * r;
  }
  if (want & CST_WANT_HIDDEN_ONE) x[2] = one;
  if (want & CST_WANT_HIDDEN_TWO) x[2] = vsqrt(squares);
}

CST_INLINE vd displacement(const cst_context *C, const vd *q, const vd *q0) {
  vd s = vset(0);
  (void)C;
  U for (int i = 0; i < NQ; i++) s += (q[i] - q0[i]) * (q[i] - q0[i]);
  return vsqrt(s);
}

static void measure(const cst_context *C, const double *record, const double *q0, double *kept, cst_keep keep, unsigned want, double *value,
                    double *scale) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c), *q = cst_block(record, at.q), *p = cst_block(record, at.p);
  vd              *x = (vd *)value, *s = (vd *)scale, v[ROOM(NQ)], *held = (vd *)kept, top = held[CST_KEPT_SPEED];
  load_velocity(C, record, v);
  U for (int i = 0; i < NQ; i++) top = vmax(vabs(v[i]), top);
  if (keep != CST_KEEP_NOT) held[CST_KEPT_SPEED] = top;
  for (int k = 0; k < NVAL; k++) x[k] = vset(NAN), s[k] = vset(1);
  if (want & CST_WANT_ENERGY) energy(C, c, q, p, v, held + CST_KEPT_START, keep == CST_KEEP_FIRST, x + ENERGY, s + ENERGY);
  if (NSYM > 0 && (want & CST_WANT_MOMENTUM)) momenta(C, c, q, p, x + MOMENTUM, s + MOMENTUM);
  if (NG > 0 && (want & CST_WANT_CONSTRAINT))
    constraints(C, c, q, v, cst_block(record, at.length), top, want, x + CONSTRAINT, s + CONSTRAINT);
  x[DISPLACEMENT] = displacement(C, q, (const vd *)q0);
}

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
const cst_fold        FOLD = {measure, fold, multipliers, velocities, accumulate};
#endif
