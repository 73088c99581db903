/* fold.c: lane code that measures a group, with the code of all observers, and folds the values; compiled for
 * every system of the catalogue, and generically. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "observe/observe.h"
#include "observe/observer.h"
#include "system/lane/acceleration.h"
#ifndef CST_COLD
#define CORE         fold
#define COMPILED_FOR .needs = CST_SEPARABLE, .before = true

/* ---- log det (G M^-1 G') over the independent constraints ------------------------------------ */

#if !CST_SIZED
/* Copies S in the order of its band into a dense row-major matrix, which has b nonzero entries on each side
 * of the diagonal. */
static __attribute__((noinline)) void cst_gram_dense(const cst_context *C, const vd *c, const vd *q,
                                                     const vd *G, const vd *minv, vd *S) {
  const cst_gram *g = &C->system->model->gram;
  USES_G
  if (GENERAL) {
    vd M[ROOM(NQ * NQ)];
    vd X[ROOM(NG * NQ)];
    cst_inertia(C, c, q, M);
    cst_gram_general(C, G, M, X, S);
    return;
  }
  if (!g->banded) {
    cst_gram_fill(C, G, G, minv, vset(1), 0, S);
    return;
  }
  for (int k = 0; k < NG * NG; k++)
    S[k] = vset(0);
  for (int a = 0; a < NG; a++) {
    if (DROPPED(a))
      S[g->place[a] * NG + g->place[a]] = vset(1);
    ROW_G(a, i, e) {
      COL_G(i, b, k) {
        if (!DROPPED(a) && !DROPPED(b))
          S[g->place[a] * NG + g->place[b]] += G[e] * MINV(i) * G[k];
      }
    }
  }
}

/* Columns right of the diagonal that the elimination of a row reaches. */
static inline int cst_gram_reach(const cst_context *C) {
  return C->system->model->gram.banded && !GENERAL ? C->system->model->gram.band : NG;
}
#endif

/* From the pivots of Gaussian elimination. */
CST_INLINE vd cst_gram_log_determinant(const cst_context *C, const vd *c, const vd *q, const vd *G,
                                       const vd *minv) {
  vd sum = vset(0), S[ROOM(NG * NG)];
  (void)C, (void)c, (void)q;
#if CST_SIZED
  const int reach = NG;
  cst_gram_fill(C, G, G, minv, vset(1), 0, S);
#else
  const int reach = cst_gram_reach(C);
  cst_gram_dense(C, c, q, G, minv, S);
#endif
  for (int a = 0; a < NG; a++) {
    const int end = a + reach + 1 < NG ? a + reach + 1 : NG;
    const vd  pivot = S[a * NG + a];
    sum += vlog(pivot);
    for (int b = a + 1; b < end; b++) {
      const vd f = S[b * NG + a] / pivot;
      for (int k = a + 1; k < end; k++)
        S[b * NG + k] -= f * S[a * NG + k];
    }
  }
  return sum;
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* p := the kinetic momentum M v + a with G v = 0 of a tangential p, which is its part with G p = 0. Out of
 * line, so that other methods only pay for a branch. */
static __attribute__((noinline)) void make_kinetic(const cst_context *C, const double *record,
                                                   const vd *q, vd *p) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c);
  const vd        *mass = cst_block(record, at.mass);
  vd               G[ROOM(NNZ_G)];
  vd               minv[ROOM(NMASS)];
  vd               m[ROOM(NG)];
  K_G(c, q, G);
  UNROLL
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / mass[k];
  cst_make_tangent(C, c, q, G, minv, p, m);
}

#if !CST_SIZED
/* v := M^-1 p of the coordinates that belong to no body; their mass has no entries in common with that of the
 * bodies. */
static void plain_velocity(const cst_context *C, const double *record, const vd *q, const vd *p,
                           vd *v) {
  const cst_layout at = LAYOUT(C);
  const int        n = C->system->model->nplain;
  const vd        *mass = cst_block(record, at.mass);
  for (int i = 0; i < n; i++)
    v[i] = p[i] / (GENERAL ? vset(1) : mass[CLASS(i)]);
  if (!GENERAL || !n)
    return;
  vd M[NQ * NQ];
  vd entry[ROOM(C->system->model->pattern[CST_K_M].n)];
  vd own[n * n];
  K_M(cst_block(record, at.c), q, entry);
  cst_expand(C, CST_K_M, entry, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      own[i * n + j] = M[i * NQ + j];
  cst_ldl(own, n);
  cst_lu_solve(own, v, n);
}

/* For a flat body, p does not determine v = R hat(omega) entry by entry, but omega: p = v J has R'p - p'R =
 * hat(I omega). */
static __attribute__((noinline)) void turn_flat(const cst_context *C, const double *record,
                                                const vd *q, const vd *p, vd *v) {
  static const int  place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const cst_layout  at = LAYOUT(C);
  const cst_system *s = C->system;
  vd                number[s->model->nbody + 1];
  CALL(C, body, cst_block(record, at.c), 0, 0, 0, 0, 0, number);
  for (int k = 0; k < s->model->nbodies; k++) {
    const cst_body *b = &s->model->bodies[k];
    const vd       *R = q + b->rotation;
    const vd       *P = p + b->rotation;
    vd             *V = v + b->rotation;
    vd              I[9];
    vd              w[3];
    for (int e = 0; e < 9; e++)
      I[e] = number[b->at[place[e]]];
    for (int a = 0; a < 3; a++) {
      const int i = (a + 1) % 3;
      const int j = (a + 2) % 3;
      w[a] = vset(0);
      for (int r = 0; r < 3; r++)
        w[a] += R[3 * r + j] * P[3 * r + i] - R[3 * r + i] * P[3 * r + j];
    }
    cst_ldl(I, 3);
    cst_lu_solve(I, w, 3);
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < 3; j++) {
        const int next = (j + 1) % 3;
        const int last = (j + 2) % 3;
        V[3 * r + j] = w[last] * R[3 * r + next] - w[next] * R[3 * r + last];
      }
    for (int r = 0; r < 3 && b->centre >= 0; r++)
      v[b->centre + r] = p[b->centre + r] / number[b->at[6]];
  }
}

/* Multipliers lane by lane. */
static void multipliers_flat(const cst_context *C, const double *record, const vd *v,
                             double *lambda) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c);
  const vd        *q = cst_block(record, at.q);
  double           C1[CST_MAX_PAR];
  double           x[2 * NQ + 1];
  double           l[NG + 1];
  for (int lane = 0; lane < CST_W; lane++) {
    for (int i = 0; i < C->npar; i++)
      C1[i] = c[i][lane];
    for (int i = 0; i < NQ; i++) {
      x[i] = q[i][lane];
      x[NQ + i] = v[i][lane];
    }
    cst_system_multipliers(C->system, C1, x, x + NQ, l);
    for (int a = 0; a < NG; a++)
      lambda[a * CST_W + lane] = l[a];
  }
}
#endif

/* minv[NMASS], where velocities are minv p: the same at all states of a record. */
CST_INLINE void inverse_masses(const cst_context *C, const double *record, vd *minv) {
  const cst_layout at = LAYOUT(C);
  const vd        *mass = cst_block(record, at.mass);
#if !CST_SIZED
  if (C->flat)
    return;
#endif
  if (MASSLESS || GENERAL)
    return;
  UNROLL
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / mass[k];
}

/* v := M^-1 (p - a) for a kinetic p. */
CST_INLINE void velocity_of(const cst_context *C, const double *record, const vd *minv, const vd *q,
                            const vd *p, vd *v) {
  const cst_layout at = LAYOUT(C);
  (void)at;
#if !CST_SIZED
  if (C->flat) {
    plain_velocity(C, record, q, p, v);
    turn_flat(C, record, q, p, v);
    return;
  }
#endif
  if (MASSLESS) {
    vd m[ROOM(NG)];
    cst_massless_velocity(C, cst_block(record, at.c), q, p, v, m);
    return;
  }
  if (GENERAL) {
    cst_velocity_general(C, cst_block(record, at.c), q, p, v);
    return;
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    v[i] = vpick(MASS_UNIT, p[i], minv[CLASS(i)] * p[i]);
}

/* The velocities at q and the p of the record's kind. */
CST_INLINE void velocity_at(const cst_context *C, const double *record, const vd *minv, const vd *q,
                            const vd *p, vd *v) {
  if (NG > 0 && C->tangential) {
    vd kinetic[ROOM(NQ)];
    for (int i = 0; i < NQ; i++)
      kinetic[i] = p[i];
    make_kinetic(C, record, q, kinetic);
    velocity_of(C, record, minv, q, kinetic, v);
  } else
    velocity_of(C, record, minv, q, p, v);
}

CST_INLINE void load_velocity(const cst_context *C, const double *record, vd *v) {
  const vd *p = cst_block(record, LAYOUT(C).p);
  const vd *q = cst_block(record, LAYOUT(C).q);
  vd        minv[ROOM(NMASS)];
  inverse_masses(C, record, minv);
  velocity_at(C, record, minv, q, p, v);
}

/* The mask of the lanes of bits, for observers too (view->alive). */
CST_INLINE vl cst_lanes_of(int bits) {
  vl lane;
  for (int l = 0; l < CST_W; l++)
    lane[l] = 1L << l;
  return (((vl){} + (long)bits) & lane) != 0;
}

/* A state that is looked at. */
typedef struct {
  const vd *q, *p, *v;
} state;

/* What is known of a quantity, in registers: x(0), and the sums and maxima since. */
typedef struct {
  vd start, drift, scale, sizes, sum, low, high, terms;
} course;

CST_INLINE course begin(const vd *a) {
  return (course){
      .start = a[CST_SLOT_START],
      .drift = a[CST_SLOT_DRIFT],
      .scale = a[CST_SLOT_SCALE],
      .sizes = a[CST_SLOT_SIZES],
      .sum = a[CST_SLOT_SUM],
      .low = a[CST_SLOT_LOW],
      .high = a[CST_SLOT_HIGH],
      .terms = a[CST_SLOT_TERMS],
  };
}

CST_INLINE void take(course *a, vd x, vd s, vl on) {
  const vd d = vkeep(on, x - a->start), size = vkeep(on, s), off = vabs(d);
  a->drift = vmax(off, a->drift);
  a->terms = vmax(vkeep((vl)(off <= 0.5 * size), size), a->terms);
  a->scale = vmax(size, a->scale);
  a->sizes += size;
  a->sum += d;
  a->low = vmin(d, a->low);
  a->high = vmax(d, a->high);
}

/* x is the last value. */
CST_INLINE void end(const course *from, vd x, vl on, vd *a) {
  a[CST_SLOT_DRIFT] = from->drift;
  a[CST_SLOT_SCALE] = from->scale;
  a[CST_SLOT_SIZES] = from->sizes;
  a[CST_SLOT_SUM] = from->sum;
  a[CST_SLOT_LOW] = from->low;
  a[CST_SLOT_HIGH] = from->high;
  a[CST_SLOT_TERMS] = from->terms;
  a[CST_SLOT_LAST] = vselect(on, x, a[CST_SLOT_LAST]);
}

/* The least and the largest value. One that is not a number is left out. */
CST_INLINE void span(vd x, vl on, vd *a) {
  a[CST_SLOT_LEAST] = vselect(on, vmin(x, a[CST_SLOT_LEAST]), a[CST_SLOT_LEAST]);
  a[CST_SLOT_MOST] = vselect(on, vmax(x, a[CST_SLOT_MOST]), a[CST_SLOT_MOST]);
}

typedef void measuring(const cst_observation *look, const cst_view *view, state now, double *kept,
                       double *value, double *scale);

/* The same of n values whose scale is 1. */
CST_INLINE void take_value(course *a, vd x, vl on) {
  const vd d = vkeep(on, x - a->start);
  a->drift = vmax(vabs(d), a->drift);
  a->sum += d;
  a->low = vmin(d, a->low);
  a->high = vmax(d, a->high);
}

CST_INLINE void take_units(course *a, int n, vl on) {
  a->scale = vmax(vkeep(on, vset(n > 0)), a->scale);
  a->terms = vmax(a->scale, a->terms);
  a->sizes += vkeep(on, vset(n)); /* whole numbers: as if added one by one */
}

/* What an observer keeps of lanes that have ended stays as it was: `was`, of n vectors, comes back there. */
CST_INLINE void hold(const double *kept, int n, vd *was) {
  UNROLL
  for (int k = 0; k < n; k++)
    was[k] = ((const vd *)kept)[k];
}

CST_INLINE void freeze(const vd *was, int n, vl on, double *kept) {
  UNROLL
  for (int k = 0; k < n; k++)
    ((vd *)kept)[k] = vselect(on, ((vd *)kept)[k], was[k]);
}

/* Observes n quantities at all states, and stores what became of them behind the last. In registers are also the
 * first `keeps` vectors that the observer keeps; 0: where they are. units: bits of the quantities whose scale is 1.
 * moves: the least and largest values are taken. */
CST_INLINE void follow(measuring *measure, const int n, const int keeps, const int units,
                       const bool moves, const cst_observation *look, const cst_view *view,
                       const cst_states *s, double *kept, double *acc) {
  const cst_context *C = view->context;
  const vl           on = cst_lanes_of(view->alive);
  const int          others = keeps ? 0 : cst_observer_kept(look);
  course             a[ROOM(n)];
  vd                 x[ROOM(n)];
  vd                 size[ROOM(n)];
  vd                 own[ROOM(keeps)];
  vd                 was[ROOM(others)];
  cst_view           here = *view;
  here.keep = CST_KEEP; /* as look_along has it; a constant lets what is kept stay in registers */
  hold(kept, keeps, own);
  hold(kept, others, was);
  UNROLL
  for (int k = 0; k < n; k++) {
    a[k] = begin((vd *)acc + k * CST_SLOTS);
    x[k] = vset(0);
  }
  for (int i = 0; i < s->n; i++) {
    const size_t at = (size_t)i * s->stride;
    const state  now = {
         .q = (const vd *)(s->q + at),
         .p = (const vd *)(s->p + at),
         .v = (const vd *)s->v + i * NQ,
    };
    measure(look, &here, now, keeps ? (double *)own : kept, (double *)x, (double *)size);
    UNROLL
    for (int k = 0; k < n; k++)
      if (units >> k & 1)
        take_value(&a[k], x[k], on);
      else
        take(&a[k], x[k], size[k], on);
    for (int k = 0; moves && k < n; k++)
      span(x[k], on, (vd *)acc + k * CST_SLOTS);
  }
  UNROLL
  for (int k = 0; k < n; k++) {
    if (units >> k & 1)
      take_units(&a[k], s->n, on);
    end(&a[k], x[k], on, (vd *)acc + k * CST_SLOTS);
  }
  UNROLL
  for (int k = 0; k < keeps; k++)
    ((vd *)kept)[k] = vselect(on, own[k], ((vd *)kept)[k]);
  freeze(was, others, on, kept);
  (void)C;
}

/* An observer of so many quantities: what it measures `now`, in what it is given. KNOWING: also that all that it
 * keeps is so many vectors (0: not told), the bits of the first quantities whose scale is always 1, and that none moves. */
#define CST_OBSERVE(name, quantities) CST_OBSERVE_AS(name, quantities, 0, 0, look->moves)
#define CST_OBSERVE_KNOWING(name, quantities, keeps, units)                                        \
  CST_OBSERVE_AS(name, quantities, keeps, units, false)
#define CST_OBSERVE_AS(name, quantities, keeps, units, moves)                                      \
  CST_INLINE void at_##name(const cst_observation *look, const cst_view *view, state now,          \
                            double *kept, double *value, double *scale);                           \
  static void cst_measure_##name(const cst_observation *look, const cst_view *view, double *kept,  \
                                 double *value, double *scale) {                                   \
    const cst_context *C = view->context;                                                          \
    const cst_layout   at = LAYOUT(C);                                                             \
    const state        now = {cst_block(view->record, at.q), cst_block(view->record, at.p),        \
                              (const vd *)view->v};                                                \
    const int          n = view->keep == CST_KEEP_NOT ? 0 : cst_observer_kept(look);               \
    vd                 was[ROOM(n)];                                                               \
    (void)C;                                                                                       \
    hold(kept, n, was);                                                                            \
    at_##name(look, view, now, kept, value, scale);                                                \
    freeze(was, n, cst_lanes_of(view->alive), kept);                                               \
  }                                                                                                \
  static void cst_follow_##name(const cst_observation *look, const cst_view *view,                 \
                                const cst_states *s, double *kept, double *acc) {                  \
    const cst_context *C = view->context;                                                          \
    (void)C;                                                                                       \
    follow(at_##name, quantities, keeps, units, moves, look, view, s, kept, acc);                  \
  }                                                                                                \
  CST_INLINE void at_##name(const cst_observation *look, const cst_view *view, state now,          \
                            double *kept, double *value, double *scale)
#include "observers.list.h" /* written by the build: the lane code of the observers of list.h */

static void fold(int n, const double *value, const double *scale, int alive, int first,
                 double *acc) {
  const vd *x = (const vd *)value;
  const vd *s = (const vd *)scale;
  const vl  on = cst_lanes_of(alive);
  for (int i = 0; i < n; i++) {
    vd *a = (vd *)acc + i * CST_SLOTS;
    if (first) {
      a[CST_SLOT_START] = x[i];
      a[CST_SLOT_DRIFT] = a[CST_SLOT_SCALE] = a[CST_SLOT_SIZES] = a[CST_SLOT_SUM] = vset(0);
      a[CST_SLOT_LOW] = a[CST_SLOT_HIGH] = a[CST_SLOT_TERMS] = vset(0);
      a[CST_SLOT_LEAST] = vset(INFINITY);
      a[CST_SLOT_MOST] = vset(-INFINITY);
    }
    course c = begin(a);
    take(&c, x[i], s[i], on);
    end(&c, x[i], on, a);
    span(x[i], on, a);
  }
}

static void trace(int n, const double *value, size_t stride, int alive, double *acc) {
  const vl on = cst_lanes_of(alive);
  course   c = begin((vd *)acc);
  vd       x = vset(0);
  for (int i = 0; i < n; i++) {
    x = *(const vd *)(value + (size_t)i * stride);
    take(&c, x, vabs(x), on);
    span(x, on, (vd *)acc);
  }
  end(&c, x, on, (vd *)acc);
}

static void speeds(const cst_context *C, const double *record, const cst_states *s, double *v) {
  vd minv[ROOM(NMASS)];
  inverse_masses(C, record, minv);
  for (int i = 0; i < s->n; i++) {
    const size_t at = (size_t)i * s->stride;
    velocity_at(C, record, minv, (const vd *)(s->q + at), (const vd *)(s->p + at),
                (vd *)v + i * NQ);
  }
}

static void velocities(const cst_context *C, const double *record, double *v) {
  load_velocity(C, record, (vd *)v);
}

static void multipliers(const cst_context *C, const double *record, double *lambda) {
  const cst_layout at = LAYOUT(C);
  vd               v[ROOM(NQ)];
  vd               A[ROOM(NQ)];
  vd               minv[ROOM(NMASS)];
  load_velocity(C, record, v);
#if !CST_SIZED
  if (C->flat && NG > 0) {
    multipliers_flat(C, record, v, lambda);
    return;
  }
#endif
  UNROLL
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / cst_block(record, at.mass)[k];
  if (NG > 0)
    cst_acceleration(C, cst_block(record, at.c), minv, cst_block(record, at.q), v, A, (vd *)lambda);
}

/* Rods sample exp(-b V) sqrt(det G M^-1 G') over the positions, springs do not (Fixman, Proc. Natl. Acad.
 * Sci. 71 (1974) 3050). */
static void weigh(const cst_context *C, const double *record, double *weight) {
  const cst_layout at = LAYOUT(C);
  const vd        *c = cst_block(record, at.c);
  const vd        *q = cst_block(record, at.q);
  const vd        *mass = cst_block(record, at.mass);
  vd               G[ROOM(NNZ_G)], minv[ROOM(NMASS)];
  K_G(c, q, G);
  UNROLL
  for (int k = 0; k < NMASS; k++)
    minv[k] = 1.0 / mass[k];
  *(vd *)weight = vexp(-0.5 * cst_gram_log_determinant(C, c, q, G, minv));
}

/* Splits y at the boundaries of the bins, from the top; each part is a multiple of the unit of its bin, so
 * adding it does not round. */
static void accumulate(int n, const double *value, const double *acc, int alive, double *bins,
                       double *top, double *count) {
  const vl on = cst_lanes_of(alive);
  double   big[CST_BINS]; /* adding and subtracting it rounds to the bin's unit */
  for (int k = 0; k < CST_BINS; k++)
    big[k] = k == 0 ? 1.5 * 0x1p52 * 0x1p-160 : big[k - 1] * 0x1p40;
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
static cst_measure *const measures[] = {
#define OBSERVER(name)       cst_measure_##name,
#define PLAIN_OBSERVER(name) NULL,
#include "observe/observers.h"
#undef OBSERVER
#undef PLAIN_OBSERVER
};
static cst_follow *const follows[] = {
#define OBSERVER(name)       cst_follow_##name,
#define PLAIN_OBSERVER(name) NULL,
#include "observe/observers.h"
};
extern const cst_fold FOLD;
const cst_fold        FOLD = {measures,   follows, trace,      fold, multipliers,
                              velocities, speeds,  accumulate, weigh};
#endif
