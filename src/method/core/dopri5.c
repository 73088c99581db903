/* dopri5.c: the core of dopri5(tolerance=e): the Dormand-Prince pair on the index-reduced equations q' = v,
 * v' = A(q, v, t). Each lane takes its own steps within a step of the study.
 *
 *   error of a step: sqrt(mean over y = (q, v) of (e_k / (tolerance (1 + max(|y_k|, |y1_k|))))^2),
 *   where e is the difference of the pair; a step is accepted if its error is at most 1
 *   next length = this one times 0.9 error^(-1/5), between a fifth and five times this one
 *
 * as in Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4, without extrapolation. The
 * length is kept from step to step; a length that the end of the interval cuts short is not. Rejected steps are
 * counted (the observer `rejected`). A lane that has
 * arrived is frozen while others continue, so that its bits do not depend on them. A lane that has not
 * arrived after MOST steps, or whose steps are below round-off, has not converged; the only unknown
 * represents this. The method keeps no invariant; it serves for comparison.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE dopri5

enum { PAIR_STAGES = 7 };

struct data {
  double tolerance;
  int    length;   /* its position in the record; 0 at the start: the length of the step */
  int    rejected; /* that of the count of rejected steps */
};

#ifdef CST_W
#include "method/core/lane.h"
#include "system/lane/acceleration.h"
#include "method/core/time.h"
#define NX MARCH->unknowns
#define KEEPS_NOTHING
#define USES_STEP

enum { MOST = 100000 };

static const double at[PAIR_STAGES] = {
    0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1,
};
/* The last row is the solution of order 5. */
static const double pair[PAIR_STAGES][PAIR_STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double difference[PAIR_STAGES] = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
};

#define LOCAL(X)                                                                                   \
  X(q, NQ, STATE(at.q))                                                                            \
  X(p, NQ, STATE(at.p))                                                                            \
  X(v, NQ)                                                                                         \
  X(m, NMASS, READ(at.mass))                                                                       \
  X(minv, NMASS, INVERSE(at.mass))                                                                 \
  X(Q, NQ)                                                                                         \
  X(V, PAIR_STAGES *NQ)                                                                            \
  X(A, PAIR_STAGES *NQ)                                                                            \
  X(lambda, NG)                                                                                    \
  X(power, NACCOUNT)                                                                               \
  CST_TIME_FIELD(X)

struct local {
  LOCAL(CST_FIELD)
  const vd *c;
  vd        iterations, length, rejected;
  vl        step, lost;
};

#define ENTERS
CST_INLINE void enter(const cst_context *C, struct local *L, const double *record) {
  L->length = *cst_block(record, OWN(0)->length);
  L->rejected = *cst_block(record, OWN(0)->rejected);
  L->iterations =
      *cst_block(record, LAYOUT(C).iterations); /* counted in begin, not by the solver */
}

/* Stage i of a step of length t from the time `from`, and its contribution to the accounts. */
CST_INLINE void stage(const cst_context *C, struct local *L, int i, vd from, vd t) {
  vd *const V = L->V + i * NQ;
  for (int k = 0; k < NQ; k++) {
    vd dq = vset(0), dv = vset(0);
    for (int l = 0; l < i; l++) {
      dq += pair[i][l] * L->V[l * NQ + k];
      dv += pair[i][l] * L->A[l * NQ + k];
    }
    L->Q[k] = L->q[k] + t * dq;
    V[k] = L->v[k] + t * dv;
  }
  SET_TIME(L, from + t * at[i]);
  cst_acceleration(C, L->c, L->minv, L->Q, V, L->A + i * NQ, L->lambda);
  if (NACCOUNT > 0 && i < PAIR_STAGES - 1) {
    vd now[ROOM(NACCOUNT)];
    K_power(L->own, L->Q, V, L->lambda, now);
    for (int k = 0; k < NACCOUNT; k++)
      L->power[k] += pair[PAIR_STAGES - 1][i] * now[k];
  }
}

/* The square of the error of a step, whose end is the point of the last stage. */
CST_INLINE vd square_of_error(const cst_context *C, const struct local *L, double tolerance, vd t) {
  const vd *V1 = L->V + (PAIR_STAGES - 1) * NQ;
  vd        sum = vset(0);
  for (int k = 0; k < NQ; k++) {
    vd dq = vset(0), dv = vset(0);
    for (int i = 0; i < PAIR_STAGES; i++) {
      dq += difference[i] * L->V[i * NQ + k];
      dv += difference[i] * L->A[i * NQ + k];
    }
    const vd x = t * dq / (tolerance * (1 + vmax(vabs(L->q[k]), vabs(L->Q[k]))));
    const vd y = t * dv / (tolerance * (1 + vmax(vabs(L->v[k]), vabs(V1[k]))));
    sum += x * x + y * y;
  }
  return sum / (2.0 * NQ);
}

/* The ratio of the next step's length to this one's: 0.9 (error^2)^(-1/10), or 1/5 if the error is not a
 * number. */
CST_INLINE vd change_of_length(vd square) {
  const vd change = 0.9 * vexp(-0.1 * vlog(vmax(square, vset(1e-30))));
  const vl number = (vl)(square < INFINITY);
  return vselect(number, vmin(vmax(change, vset(0.2)), vset(5)), vset(0.2));
}

/* The step's end becomes the state of those lanes. */
CST_INLINE void accept_step(const cst_context *C, struct local *L, vl lanes, vd t) {
  for (int k = 0; k < NQ; k++) {
    L->q[k] = vselect(lanes, L->Q[k], L->q[k]);
    L->v[k] = vselect(lanes, L->V[(PAIR_STAGES - 1) * NQ + k], L->v[k]);
  }
  for (int k = 0; k < NACCOUNT; k++)
    L->own[ACCOUNT + k] += vkeep(lanes, t * L->power[k]);
}

CST_INLINE void begin(const cst_context *C, struct local *L, int j, vd *x) {
  const vd h = vabs(H(j)); /* lengths are positive */
  const vd sign = vselect((vl)(H(j) < 0), vset(-1), vset(1));
  vd       done = vset(0), start = vset(0);
  vl       active = vmask(1);
  L->lost = vmask(1); /* cleared when a lane arrives */
  if (TIMED)
    start = START_OF(L, j);
  x[0] = vset(1);
  L->length = vselect((vl)(L->length > 0), L->length, h);
  cst_velocity(C, L->c, L->m, L->q, L->p, L->v);
  for (int n = 0; n < MOST && vany(active); n++) {
    const vl last = (vl)(done + 1.01 * L->length >= h);
    const vd t = vselect(last, h - done, L->length);
    for (int k = 0; k < NACCOUNT; k++)
      L->power[k] = vset(0);
    for (int i = 0; i < PAIR_STAGES; i++)
      stage(C, L, i, start + sign * done, sign * t);
    const vd square = square_of_error(C, L, OWN(j)->tolerance, t);
    const vd next = t * change_of_length(square);
    const vl good = active & (vl)(square <= 1);
    const vl cut = last & good;
    accept_step(C, L, good, sign * t);
    L->iterations -= __builtin_convertvector(active, vd);
    L->rejected -= __builtin_convertvector(active & ~good, vd);
    const vd length = vselect(cut, vmax(next, L->length), next);
    L->length = vselect(active, length, L->length);
    done = vselect(good, done + t, done);
    active &= ~cut & ~((vl)(t <= 1e-13 * h) & ~good);
    L->lost &= ~cut;
  }
}

/* An update of constant size keeps the iteration of a lane from converging. */
CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  (void)C, (void)j, (void)x;
  f[0] = vset(1);
  return ~L->lost;
}

CST_INLINE void direction(const cst_context *C, const struct local *L, int j, const vd *x,
                          const vd *f, vd *d) {
  (void)C, (void)L, (void)j, (void)f;
  d[0] = x[0];
}

CST_INLINE void finish(const cst_context *C, struct local *L, int j, const vd *x) {
  (void)j, (void)x;
  cst_momentum(C, L->c, L->m, L->q, L->v, L->p);
}

#define LEAVES
CST_INLINE void leave(const cst_context *C, const struct local *L, double *record) {
  cst_store(record, OWN(0)->length, &L->length, 1);
  cst_store(record, OWN(0)->rejected, &L->rejected, 1);
  cst_store(record, LAYOUT(C).iterations, &L->iterations, 1);
}

#include "method/core/march.h"
#else
#include "method/substep.h"

struct parameters {
  double tolerance;
};
CST_DATA_FITS(struct parameters, struct data);

static bool same(const void *one, const void *other) {
  const struct parameters *x = one, *y = other;
  return x->tolerance == y->tolerance;
}

/* Iterations are steps of the pair. */
static cst_substep_size size(const void *of, const cst_system *s) {
  (void)of;
  return (cst_substep_size){
      .stages = PAIR_STAGES,
      .unknowns = 1,
      .each = PAIR_STAGES,
      .solves_each = PAIR_STAGES * cst_substep_solves(s),
      .cost = 4.0 * PAIR_STAGES * 4 * cst_substep_unit(s),
  };
}

static cst_error bind(const void *of, const cst_lane_binding *with, void *lane) {
  const struct parameters *x = of;
  *(struct data *)lane = (struct data){x->tolerance, with->state[0], with->state[1]};
  return 0;
}

static const cst_state_block state[] = {{"length", .one = 1}, {"rejected", .one = 1}, {NULL}};
static const cst_substep_row row = {
    .name = "dopri5",
    .data = sizeof(struct parameters),
    .state = state,
    .same = same,
    .size = size,
    .bind = bind,
};

cst_substep cst_dopri5_coefficients(double fraction, double tolerance) {
  return cst_substep_of(&row, fraction, &(struct parameters){tolerance});
}
#endif
