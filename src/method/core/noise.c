/* noise.c: the kick of a thermostat, and the core of a step that consists only of it.
 *
 *   v <- e^(-r h) v + sqrt((1 - e^(-2 r h)) / b) M^(-1/2) xi       then v M-orthogonally on G v = 0
 *
 * which is exact for dv = -r v dt + sqrt(2 r / b) M^(-1/2) dW at a fixed q, with p = M v + a, M constant, and
 * M^(1/2) its Cholesky factor. r is a rate, or coefficient / m of each coordinate. If step sizes share a
 * path, h consists of increments: the kick is a sequence of one kick per increment, which has the law of a
 * single kick of length h, and the same Brownian path for every h. The projection follows the last kick; if r
 * is one rate this is equal to a projection after each, since both are linear and commute. Where a body is
 * flat, the kick acts on the angular velocities (noise-flat.h).
 *
 * Cores apply the kick after their substeps themselves (march.h), so that forces and other functions of q
 * need not be computed again. After cores whose state is not q and p this core is used. The normals are those
 * of core/normal.h; their address is the number of the increment, counted from the case's own step times the
 * increments per step.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE noise

struct data {
  int none;
};

#ifdef CST_W
#include "method/core/lane.h"
#include "method/core/normal.h"
#include "system/lane/acceleration.h"
#define NX         0
#define NOISE_KICK kick
#define KEEPS_NOTHING

/* ---- the kick -------------------------------------------------------------------------------- */

/* 1 - e^-y, without cancellation for small y. */
CST_INLINE vd one_minus_exp(vd y) {
  vd sum = vset(1);
  for (int k = 16; k > 1; k--)
    sum = 1 - (y * sum) / (double)k;
  return vselect((vl)(y < 0.5), y * sum, 1 - vexp(-y));
}

/* decay: the remaining fraction of p; spread: the standard deviation of the noise; per increment and class of
 * masses. */
static void decay_and_spread(const cst_context *C, const cst_noise *x, const vd *mass, vd *decay,
                             vd *spread) {
  for (int k = 0; k < NMASS; k++) {
    const vd m = vpick(MASS_UNIT, vset(1), mass[k]);
    if (x->by_mass) {
      const vd y = x->rate / m;
      decay[k] = vexp(-y);
      spread[k] = vsqrt(one_minus_exp(2 * y) * (m * x->warmth));
    } else {
      decay[k] = vset(x->decay);
      spread[k] = x->spread * vsqrt(m);
    }
  }
}

/* The lower factor L of M = L L', row-major. */
static void factor(const cst_context *C, const vd *c, const vd *q, vd *A) {
  vd entry[ROOM(C->system->pattern[CST_K_M].n)];
  K_M(c, q, entry);
  cst_expand(C, CST_K_M, entry, A);
  for (int k = 0; k < NQ; k++)
    for (int i = k; i < NQ; i++) {
      vd s = A[i * NQ + k];
      for (int j = 0; j < k; j++)
        s -= A[i * NQ + j] * A[k * NQ + j];
      A[i * NQ + k] = vpick(i == k, vsqrt(s), s / A[k * NQ + k]);
    }
}

/* The addresses of the random numbers for the lanes of a record. */
typedef struct {
  vu            seed, member, first;
  unsigned long stream;
} address;

static void draw(const cst_context *C, const address *a, long r, vd *xi) {
  for (int i = 0; i < NQ; i += 4) {
    const int n = i + 4 < NQ ? 4 : NQ - i;
    vd        four[4];
    cst_normals(a->seed, a->member, a->stream, a->first + (unsigned long)r, (unsigned long)i / 4, n,
                four);
    for (int k = 0; k < n; k++)
      xi[i + k] = four[k];
  }
}

static void kick_diagonal(const cst_context *C, const cst_noise *x, const address *a,
                          const vd *mass, vd *p) {
  vd decay[ROOM(NMASS)];
  vd spread[ROOM(NMASS)];
  vd xi[ROOM(NQ)];
  decay_and_spread(C, x, mass, decay, spread);
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, xi);
    for (int i = 0; i < NQ; i++)
      p[i] = decay[CLASS(i)] * p[i] + spread[CLASS(i)] * xi[i];
  }
}

static void kick_full(const cst_context *C, const cst_noise *x, const address *a, const vd *c,
                      const vd *q, vd *p) {
  vd A[ROOM(NQ * NQ)];
  vd a0[ROOM(NQ)];
  vd xi[ROOM(NQ)];
  factor(C, c, q, A);
  K_a(c, q, a0);
  for (int i = 0; i < NQ; i++)
    p[i] -= a0[i];
  for (long r = 0; r < x->increments; r++) {
    draw(C, a, r, xi);
    for (int i = 0; i < NQ; i++) {
      vd s = vset(0);
      for (int k = 0; k <= i; k++)
        s += A[i * NQ + k] * xi[k];
      p[i] = x->decay * p[i] + x->spread * s;
    }
  }
  for (int i = 0; i < NQ; i++)
    p[i] += a0[i];
}

#if !CST_SIZED
#include "method/core/noise-flat.h"
#endif

/* p := p - G'm with G p = 0, for methods whose p is tangential. */
static void drop_normal(const cst_context *C, const vd *G, vd *p) {
  vd S[ROOM(GRAM_SIZE)], m[ROOM(NG)];
  USES_G
  for (int a = 0; a < NG; a++) {
    m[a] = vset(0);
    ROW_G(a, i, e)
      m[a] += G[e] * p[i];
  }
  cst_gram_fill(C, G, G, NULL, vset(1.0), 1, S);
  cst_gram_solve(C, S, m, 1);
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e)
      p[i] -= G[e] * m[a];
}

static void kick(const cst_context *C, const cst_noise *x, const double *record,
                 const double *steps, const double *at_q, double *of_p) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c);
  const vd        *mass = cst_block(record, at.mass);
  const vd        *q = (const vd *)at_q;
  const address    a = {*(const vu *)cst_block(record, at.seed),
                        *(const vu *)cst_block(record, at.member),
                        *(const vu *)steps * (unsigned long)x->increments, (unsigned long)x->stream};
  vd              *p = (vd *)of_p;
  vd               G[ROOM(NNZ_G)];
  vd               m[ROOM(NG)];
  vd               minv[ROOM(NMASS)];
#if !CST_SIZED
  if (C->system->flat >= 0) {
    kick_flat(C, x, &a, c, mass, q, p);
    return;
  }
#endif
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / mass[k];
  if (NG > 0)
    K_G(c, q, G);
  if (NG > 0 && C->tangential)
    cst_make_tangent(C, c, q, G, minv, p, m);
  if (GENERAL)
    kick_full(C, x, &a, c, q, p);
  else
    kick_diagonal(C, x, &a, mass, p);
  if (NG > 0)
    cst_make_tangent(C, c, q, G, minv, p, m);
  if (NG > 0 && C->tangential)
    drop_normal(C, G, p);
}

/* ---- a step of nothing else ------------------------------------------------------------------ */

#define LOCAL(X)                                                                                   \
  X(q, NQ)                                                                                         \
  X(p, NQ)

struct local {
  LOCAL(CST_FIELD)
  vd iterations;
};

CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  (void)C, (void)L, (void)j, (void)x;
}

CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  (void)C, (void)L, (void)j, (void)x, (void)f;
  return vmask(1);
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  (void)C, (void)L, (void)j, (void)x, (void)f, (void)d;
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  (void)C, (void)L, (void)j, (void)x;
}

CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  cst_store(record, LAYOUT(C).p, L->p, NQ);
}

#include "method/core/march.h"
#else
#include <math.h>
#include "constella/expr.h"
#include "constella/random.h"
#include "core/lane-form.h"
#include "method/core/row.h"

struct parameters {
  double rate, inverse_temperature;
  int    by_mass; /* the rate of a unit mass */
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->rate == y->rate && x->inverse_temperature == y->inverse_temperature &&
         x->by_mass == y->by_mass;
}

static cst_substep_size size(const void *x, const cst_system *s) {
  const double q = s->nq;
  (void)x;
  return (cst_substep_size){
      .stages = 1,
      .solves_fixed = s->ng > 0,
      .cost = 12 * q + 2 * cst_substep_unit(s) + (s->general ? 0.5 * q * q * q : 0),
  };
}

/* 1 - e^-y, with the operations of the lane code. */
static double one_minus_exp(double y) {
  double sum = 1;
  for (int k = 16; k > 1; k--)
    sum = 1 - (y * sum) / k;
  return y < 0.5 ? y * sum : 1 - cst_elementary_exp(-y);
}

static void noise(const void *of, int isa, double h, long increments, cst_noise *n) {
  const struct parameters *x = of;
  const double             y = x->rate * (h / (double)increments);
  const double             warmth = 1 / x->inverse_temperature;
  *n = (cst_noise){
      .kick = ((const cst_core *)cst_lane_form(isa, "noise"))->kick,
      .decay = cst_elementary_exp(-y),
      .spread = sqrt(one_minus_exp(2 * y) * warmth),
      .rate = y,
      .warmth = warmth,
      .increments = increments,
      .stream = CST_PURPOSE_NOISE,
      .by_mass = x->by_mass,
  };
}

static cst_error bind(const void *x, const cst_lane_binding *with, void *lane) {
  (void)x, (void)with, (void)lane;
  return 0;
}

static const cst_substep_row row = {
    .name = "noise",
    .data = sizeof(struct parameters),
    .features = CST_COMPENSATES | CST_STEPS_FLAT,
    .same = same,
    .size = size,
    .noise = noise,
    .bind = bind,
};

cst_substep cst_substep_noise(double fraction, double rate, double inverse_temperature,
                              bool by_mass) {
  return cst_substep_of(&row, fraction, &(struct parameters){rate, inverse_temperature, by_mass});
}
#endif
