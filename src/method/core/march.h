/* march.h: shared by all cores: the march of a group, or of several side by side, through many steps, and the
 * same substep in pieces for PETSc's SNES types. It exports cst_core_<CORE>_<system or generic>_<isa>.
 *
 * Every lane stops iterating by its own test and is frozen then: at the tolerance, when its update is below 8
 * eps of its unknowns, or when the update no longer shrinks at the level of round-off. So a lane's bits do
 * not depend on its neighbours.
 *
 * One group is a chain of operations, each of which waits for the one before; groups side by side hide the
 * latency of each other. They do the same operations as one, so the bits agree. In the functions below K is
 * the number of groups that march, a constant where they are compiled.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/core/lane.h"

/* ---- what a core defines --------------------------------------------------------------------- */

/* Before it includes this file, a core defines CORE (its name), NX (unknowns of a substep), the fields LOCAL(X) of struct
 * local, with what the record has of them (below), and, all CST_INLINE:
 *
 *   begin(C, L, j, x)              the explicit part of substep j; x has the warm start, if one is kept, and
 *                                  may be replaced
 *   vl evaluate(C, L, j, x, f)     residual f at the unknowns x; all-ones in lanes that need no further
 *                                  iteration
 *   direction(C, L, j, x, f, d)    Newton's correction: x + d
 *   finish(C, L, j, x)             end the substep; evaluate was last called with this x
 *
 * and those of these macros that apply:
 *
 *   ENTERS               enter(C, L, record) follows the loads of the fields: what else is loaded, and made of the state
 *   LEAVES               leave(C, L, record) follows their stores
 *   IS_EXPLICIT          there are no unknowns, NX is 0, and neither evaluate nor direction
 *   KEEPS_NOTHING        unknowns are of no use to the next step
 *   HAS_COMPENSATED      MARCH->compensated may be set
 *   NX_PREDICTED         this many of the unknowns, the last ones, are extrapolated from step to step;
 *                        L->near, of type vl, is then the result of cst_is_near for the residuals of evaluate
 *   PREDICTS_FREELY      all unknowns are extrapolated, whatever the iteration leaves; evaluate ends none
 *   PREDICTION(L)        the prediction of such a core from the state alone; the differences from it are
 *                        extrapolated
 *   NX_TESTED            this many of the unknowns, the first ones, tell when the iteration ends
 *   SIZE(L)              sizes with which updates of smaller unknowns are compared
 *   IS_DONE_BY_UPDATE    the iteration ends if the next update is predicted far below round-off; finish needs
 *                        no evaluation at the last x
 *   KEEPS_FIRST_MATRIX   Newton's matrix is that of the first iterate
 *   IS_EXACT             whether Newton's matrix is that of the iterate
 *   ADAPTS               whether it is in the lanes of L->slow
 *   CONVERGES_LINEARLY   no matrix is kept
 *   NP                   the length of L->p, if not NQ
 *   SPLIT_AT             a value of MARCH->stages for which sized code has a march of its own; SPLIT_ELSE: the
 *                        only other one
 *   HAS_NO_PIECES        sized code uses the pieces of the generic core, and compiles in two thirds of the time
 *   USES_STEP            L->step, of type vl, is the number of steps before this one
 *   USES_NEAR            L->was_near, of type vl, is L->near before the last correction of this substep
 *   DUE_ORDERS           this many orders of differences extrapolate the lanes for which two corrections are
 *                        due; 0: these lanes are not extrapolated
 *   FORGIVES             whether two corrections are never due in substep j
 *   BENDS                whether a correction of residuals that are small, but not near, has the second order
 *                        too (bend.h; lie.h has its own): evaluate is evaluate_only and, where a lane is not near, find_bent,
 *                        which bends none but the lanes of L->steady, extrapolated in full; evaluate_again is
 *                        evaluate_only at unknowns that a correction has changed by little
 *   REST_DIRECTION       the correction that the test of round-off makes, if not direction (round-off.h)
 *   BEGINS_WITHOUT(L)    the lanes in which begin found no solution of equations of its own; their step fails
 *   SEEKS_NEAR_ROOT      whether the equations may have other solutions than the step (near-root.h)
 *   MET_FROM, MET(C, L, a, f)   the residuals from row MET_FROM on are those of constraints; where that of number a, f, is
 *                        as small as the iteration asks
 *   BESIDE               sized code marches this many groups side by side, at most CST_BESIDE
 *   PASSING(X)           groups may be marched straight (march-straight.h): those fields of LOCAL that a step sets
 *                        before it reads them. L->c are the parameters
 *   KEEPS_TRAIL          L->q and L->p are the coordinates and momenta of the record after every step, so
 *                        that a trail of them may be kept
 *   TRAIL_MOMENTA(C, L, read, p)   momenta p[NQ] of the record in a core that keeps a trail, but other numbers in
 *                        L->p; nothing where they are not read
 *
 *   NOISE_KICK           the kick of a thermostat that this core is of
 *
 * After a substep the noise of a thermostat changes p, in cores whose L->q and L->p are the coordinates and
 * momenta of the record and whose NP is the default. Other fields of L depend on q only, or are computed
 * again.
 */
#ifdef IS_EXPLICIT
#define NX 0
#define KEEPS_NOTHING
CST_INLINE vl evaluate(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  (void)C, (void)L, (void)j, (void)x, (void)f;
  return vmask(1);
}
CST_INLINE void direction(const cst_context *C, struct local *L, int j, const vd *x, const vd *f,
                          vd *d) {
  (void)C, (void)L, (void)j, (void)x, (void)f, (void)d;
}
#endif
#ifdef KEEPS_NOTHING
#define KEPT 0
#define ROWS 1
#else
#define KEPT NX
#define ROWS MARCH->nsub
#endif
#ifndef HAS_COMPENSATED
#define HAS_COMPENSATED 0
#endif
#ifdef NX_PREDICTED
#define PREDICTS (NX_PREDICTED > 0 && MARCH->smooth)
#define NEAR(L)  (L)->near
#else
#define NX_PREDICTED 0
#define PREDICTS     0
#define NEAR(L)      vmask(0)
#endif
#ifndef NX_TESTED
#define NX_TESTED NX
#endif
#ifdef NP
#define TAKES_NOISE 0
#else
#define TAKES_NOISE 1
#define NP          NQ
#endif
#ifndef NOISE_KICK
#define NOISE_KICK NULL
#endif
#ifndef IS_EXACT
#define IS_EXACT 0
#endif
#ifdef IS_DONE_BY_UPDATE
#define BY_UPDATE 1
#else
#define BY_UPDATE 0
#endif
#ifdef CONVERGES_LINEARLY
#define LINEAR 1
#else
#define LINEAR 0
#endif
#ifdef KEEPS_FIRST_MATRIX
#define STEADY 1
#else
#define STEADY 0
#endif
#ifndef SIZE
#define SIZE(L) vset(0)
#endif
#ifndef REST_DIRECTION
#define REST_DIRECTION direction
#endif
#ifndef BEGINS_WITHOUT
#define BEGINS_WITHOUT(L) vmask(0)
#endif
#ifndef BESIDE
#define BESIDE 1
#endif
#define EACH_GROUP(g)                                                                              \
  CST_UNROLL                                                                                       \
  for (int g = 0; g < K; g++)
#ifdef ADAPTS
#define SLOW(C, L, rate) (L)->slow = vmask(ADAPTS) & (vl)((rate) > 0.3)
#else
#define ADAPTS 0
#define SLOW(C, L, rate)
#endif

#ifndef PREDICTION
#define PREDICTION(L) NULL
#endif

#ifdef KEEPS_TRAIL
#define TRAILS 1
#else
#define TRAILS 0
#endif
#ifndef TRAIL_MOMENTA
#define TRAIL_MOMENTA(C, L, read, to) cst_store((double *)(to), 0, (L)->p, NQ)
#endif

#ifdef USES_STEP
#define SET_STEP(L, record, k) (L)->step = *(const vl *)cst_block(record, LAYOUT(C).step) + (k)
#else
#define SET_STEP(L, record, k)
#endif

#ifdef USES_NEAR
#define NEARS          1
#define SET_NEAR(L, c) (L)->was_near = (c)->was_near
#else
#define NEARS 0
#define SET_NEAR(L, c)
#endif

#ifndef FORGIVES
#define FORGIVES 0
#endif

#ifdef BENDS
#define EVALUATE_ONLY         evaluate_only
#define EVALUATE_AGAIN        evaluate_again
#define FIND_BENT(C, L, j, f) find_bent(C, L, j, f)
#define SET_BENDS(L, on)      (L)->bends = (on)
#define SET_STEADY(L, on)     (L)->steady = (on)
#else
#define EVALUATE_ONLY  evaluate
#define EVALUATE_AGAIN evaluate
#define FIND_BENT(C, L, j, f)
#define SET_BENDS(L, on)
#define SET_STEADY(L, on)
#endif

#ifdef SEEKS_NEAR_ROOT
#define SEEKS             (SEEKS_NEAR_ROOT)
#define SURE(L)           (L)->sure
#define SET_STRICT(L, on) (L)->strict = (on)
#else
#define SEEKS   0
#define SURE(L) vmask(1)
#define SET_STRICT(L, on)
#endif

#ifndef DUE_ORDERS
#define DUE_ORDERS 0
#endif

#if !CST_SIZED
#include "method/core/round-off.h"
#endif

/* ---- what the record of a group has of the fields of a core ---------------------------------- */

/* LOCAL(X) of a core lists its fields, X(name, n, ROLE). The role says whether the record has these n numbers, from the
 * component `place` on, where `at` is its layout:
 *   STATE(place)        they are loaded before a march, and stored behind it
 *   STATE_IF(on, place) the same, if `on` is set
 *   READ(place)         they are loaded
 *   INVERSE(place)      1 over what is there is loaded
 *   SLACK               they are those of cst_load_slack
 *   TIME                they are the parameters, where there are a time and accounts (time.h)
 * and a field without a role is made in a step.
 */

/* Of each role: how it is loaded and how it is stored, whether it is, and where. */
#define CST_ROLE_                    SKIP, SKIP, 0, 0
#define CST_ROLE_STATE(place)        LOAD, STORE, 1, place
#define CST_ROLE_STATE_IF(on, place) LOAD, STORE, on, place
#define CST_ROLE_READ(place)         LOAD, SKIP, 1, place
#define CST_ROLE_INVERSE(place)      INVERT, SKIP, 1, place
#define CST_ROLE_SLACK               SLACK, SKIP, 1, 0
#define CST_ROLE_TIME                CLOCK, ACCOUNTS, TIMED, at.c

#define CST_ENTER(name, n, ...)    CST_ENTER_AS(name, n, CST_ROLE_##__VA_ARGS__)
#define CST_LEAVE(name, n, ...)    CST_LEAVE_AS(name, n, CST_ROLE_##__VA_ARGS__)
#define CST_ENTER_AS(name, n, ...) CST_ENTER_BY(name, n, __VA_ARGS__)
#define CST_LEAVE_AS(name, n, ...) CST_LEAVE_BY(name, n, __VA_ARGS__)
#define CST_ENTER_BY(name, n, load, store, on, place)                                              \
  if (on) {                                                                                        \
    CST_##load(L->name, n, place)                                                                  \
  }
#define CST_LEAVE_BY(name, n, load, store, on, place)                                              \
  if (on) {                                                                                        \
    CST_##store(L->name, n, place)                                                                 \
  }

#define CST_SKIP(field, n, place)     (void)0;
#define CST_LOAD(field, n, place)     cst_load(field, record, place, n);
#define CST_STORE(field, n, place)    cst_store(record, place, field, n);
#define CST_SLACK(field, n, place)    cst_load_slack(C, record, field);
#define CST_CLOCK(field, n, place)    L->c = field, cst_load(field, record, place, n);
#define CST_ACCOUNTS(field, n, place) cst_store(record, place + ACCOUNT, field + ACCOUNT, NACCOUNT);
#define CST_INVERT(field, n, place)                                                                \
  UNROLL                                                                                           \
  for (int k = 0; k < (n); k++)                                                                    \
    (field)[k] = 1.0 / cst_block(record, place)[k];

/* The fields of the record, and what the core loads itself. */
CST_INLINE void load(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  LOCAL(CST_ENTER)
#ifdef ENTERS
  enter(C, L, record);
#endif
}

CST_INLINE void store(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  LOCAL(CST_LEAVE)
#ifdef LEAVES
  leave(C, L, record);
#endif
  (void)at;
}

/* ---- the work space ------------------------------------------------------------------------- */

/* Give the fields of L their places in the work space. */
CST_INLINE void arrange(const cst_context *C, struct local *L) {
  vd *at = (vd *)C->work;
  LOCAL(CST_PLACE)
  (void)at, (void)L;
}

/* Unknowns of all substeps, residual and update of one, what is extrapolated: sized on the stack, generic in
 * the work space behind the fields, n vectors from number `first` on, since large systems have more of them
 * than a stack holds. */
#if CST_SIZED && !defined(CST_FIELDS_IN_SPACE)
#define SPACE(name, first, n) vd name[ROOM(n)]
#else
#define SPACE(name, first, n) vd *const name = (vd *)C->work + FIELDS + (first)
#endif

/* What the record has of a substep behind all unknowns: CST_PAST rows of what is extrapolated, and the steps
 * for which two corrections are due. */
#define PAST_SIZE   (NX_PREDICTED > 0 ? CST_PAST * NX_PREDICTED + 1 : 0)
#define PAST_AT(j)  (MARCH->warm + MARCH->nsub * KEPT + (j)*PAST_SIZE)
#define DUE(past)   ((past)[CST_PAST * NX_PREDICTED])
#define STEPS(C, r) (*(const vl *)cst_block(r, LAYOUT(C).step))

/* Behind all of this generic code has some vectors of NX for a search (near-root.h), and later for a test of rest
 * (round-off.h). */
#define SPARE_AT   ((ROWS + 3) * NX + ROWS * PAST_SIZE)
#define SPARE_SIZE (CST_SIZED ? 0 : 6 * (size_t)(NX + 1))

static size_t room(const cst_march *m) {
  const cst_context *C = &m->group;
  (void)C;
  return FIELDS + (size_t)(ROWS + 3) * (size_t)(NX + 1) + (size_t)(ROWS * PAST_SIZE) + SPARE_SIZE;
}

#include "method/core/march-iterate.h"

CST_INLINE int lanes_of(vl m) {
  int bits = 0;
  for (int l = 0; l < CST_W; l++)
    bits |= (m[l] != 0) << l;
  return bits;
}

/* Lanes whose state is not finite. */
CST_INLINE vl broken(const cst_context *C, const struct local *L) {
  vd z = vset(0);
  UNROLL
  for (int i = 0; i < NQ; i++)
    z += L->q[i] - L->q[i];
  UNROLL
  for (int i = 0; i < NP; i++)
    z += L->p[i] - L->p[i];
  (void)C;
  return (vl)(z != 0);
}

/* The record has n steps more behind it. */
CST_INLINE void count_steps(const cst_context *C, double *record, long n) {
  vl *step = (vl *)(record + (size_t)LAYOUT(C).step * CST_W);
  *step += n;
  if (TIMED) {
    vd *const clock = (vd *)record + LAYOUT(C).c + ACCOUNT - 1;
    const vd  steps = __builtin_convertvector(*step - SINCE, vd);
    *clock = ORIGIN + steps * WHOLE(0);
  }
}

/* The noise behind substep j of the step that is k steps ahead of the record. Hot cores keep p in registers
 * but for it. */
CST_INLINE void make_noise(const cst_context *C, struct local *L, const double *record, long k,
                           int j) {
#if TAKES_NOISE
  const cst_noise *noise = MARCH->sub[j].noise;
  if (__builtin_expect(noise != NULL, 0)) {
    const vl steps = *(const vl *)cst_block(record, LAYOUT(C).step) + k;
#if CST_SIZED && !defined(CST_FIELDS_IN_SPACE)
    vd q[NQ], p[NQ];
    for (int i = 0; i < NQ; i++) {
      q[i] = L->q[i];
      p[i] = L->p[i];
    }
    noise->kick(C, noise, record, (const double *)&steps, (const double *)q, (double *)p);
    for (int i = 0; i < NQ; i++)
      L->p[i] = p[i];
#else
    noise->kick(C, noise, record, (const double *)&steps, (const double *)L->q, (double *)L->p);
#endif
  }
#else
  (void)C, (void)L, (void)record, (void)k, (void)j;
#endif
}

/* Where the states go that are looked at: the steps of the next ones, whether their momenta are read, their
 * number, and where they are kept. */
typedef struct {
  const long *at;
  const bool *momenta;
  int         looks;
  double     *to[BESIDE];
} trail;

/* Leaves the states after `done` steps on the trail if they are looked at. */
CST_INLINE void leave_trail(const cst_context *C, const int K, const struct local *L, long done,
                            trail *t) {
#if TRAILS
  if (done != *t->at)
    return;
  t->at++;
  EACH_GROUP(g) {
    cst_store(t->to[g], 0, L[g].q, NQ);
    TRAIL_MOMENTA(C, &L[g], *t->momenta, (vd *)t->to[g] + NQ);
    t->to[g] += 2 * NQ * CST_W;
  }
  t->momenta++;
  (void)C;
#else
  (void)C, (void)K, (void)L, (void)done, (void)t;
#endif
}

#if CST_SIZED && defined(PASSING)
#include "method/core/march-straight.h"
#else
#define march_single(C, K, L, warm, past, done, n, t, begun) 0L
#endif

enum { MOST_PAUSE = 63 }; /* steps; a march of no more tries once */

/* Plans the steps from `done` on to where the march is looked at, or to its end; returns their number. */
CST_INLINE long plan_range(const cst_context *C, const int K, long done, long n, trail *t) {
  static const long         never = -1;
  const cst_march_observer *x = MARCH->observer;
  *t = (trail){.at = &never, .looks = x ? x->plan(x->context, done) : 0};
  if (t->looks && x->trail[0]) {
    t->at = x->at;
    t->momenta = x->momenta;
    EACH_GROUP(g)
      t->to[g] = x->trail[g];
    if (t->looks < CST_TRAIL)
      return n - done;
  }
  return (t->looks ? x->at[t->looks - 1] : n) - done;
}

/* The unknowns of n substeps, and what they are extrapolated from. */
CST_INLINE void load_unknowns(const cst_context *C, int n, const double *record, vd *warm,
                              vd *past) {
  cst_load(warm, record, MARCH->warm, n * KEPT);
  if (PREDICTS)
    cst_load(past, record, PAST_AT(0), n * PAST_SIZE);
}

CST_INLINE void store_unknowns(const cst_context *C, int n, const vd *warm, const vd *past,
                               double *record) {
  cst_store(record, MARCH->warm, warm, n * KEPT);
  if (PREDICTS)
    cst_store(record, PAST_AT(0), past, n * PAST_SIZE);
}

/* The state of a group between steps: its fields, and its unknowns. Their number is known when this is compiled
 * where there is a single substep. */
CST_INLINE void load_group(const cst_context *C, struct local *L, const double *record, vd *warm,
                           vd *past) {
  arrange(C, L);
  load(C, L, record);
  if (CST_SIZED && MARCH->nsub == 1)
    load_unknowns(C, 1, record, warm, past);
  else
    load_unknowns(C, MARCH->nsub, record, warm, past);
  L->iterations = *cst_block(record, LAYOUT(C).iterations);
}

CST_INLINE void store_group(const cst_context *C, const struct local *L, const vd *warm,
                            const vd *past, long n, double *record) {
  store(C, L, record);
  if (CST_SIZED && MARCH->nsub == 1)
    store_unknowns(C, 1, warm, past, record);
  else
    store_unknowns(C, MARCH->nsub, warm, past, record);
  *(vd *)(record + (size_t)LAYOUT(C).iterations * CST_W) = L->iterations;
  if (MARCH->closes)
    count_steps(C, record, n);
}

/* n steps of K groups. own is a copy of what the caller has: its fields are not read again whenever something
 * is stored through a vector. */
CST_INLINE cst_outcome march_with(const cst_march own, const int K, double *const *record, long n) {
  const cst_context *C = &own.group;
  struct local       L[BESIDE];
  long               wait = 0, pause = 0; /* steps before the next attempt to march straight */
  SPACE(warm, 0, K * ROWS * NX);
  SPACE(past, (ROWS + 3) * NX, K * ROWS * PAST_SIZE);
  EACH_GROUP(g)
    load_group(C, &L[g], record[g], warm + g * ROWS * NX, past + g * ROWS * PAST_SIZE);
  int begun = 0; /* whether the unknowns of the next step have been extrapolated */
  for (long done = 0, by; done < n; done += by) {
    vl    bad = vmask(0);
    int   early = 0;
    trail t;
    by = plan_range(C, K, done, n, &t);
    EACH_GROUP(g)
      early |= PREDICTS && vany(beginners(STEPS(C, record[g])));
    for (long k = 0; k < by; k++) {
      if (BESIDE > 1 && !(early && k <= CST_PAST) && --wait < 0) {
        const long straight = march_single(C, K, L, warm, past, done + k, by - k, &t, &begun);
        pause = straight ? 0 : n <= MOST_PAUSE ? n : pause < MOST_PAUSE ? 2 * pause + 1 : pause;
        wait = pause;
        k += straight;
      }
      for (int j = 0; j < MARCH->nsub && k < by; j++) {
        vd *x[BESIDE];
        vd *behind[BESIDE];
        vd *due[BESIDE];
        vl  young[BESIDE];
        EACH_GROUP(g) {
          x[g] = warm + g * ROWS * NX + j * KEPT;
          behind[g] = past + (g * ROWS + j) * PAST_SIZE;
          due[g] = &DUE(behind[g]);
          young[g] = vmask(0);
          SET_STEP(&L[g], record[g], k);
          if (PREDICTS && early && k <= CST_PAST)
            young[g] = beginners(STEPS(C, record[g]) + k);
          if (PREDICTS && !(BESIDE > 1 && begun))
            extrapolate(C, STEPS(C, record[g]) + k, early && k <= CST_PAST, x[g], behind[g]);
          begin(C, &L[g], j, x[g]);
        }
        begun = 0;
        if (NX > 0) {
          vl ended = vmask(0);
          vl failed = solve(C, K, L, j, young, x, due, &ended);
          EACH_GROUP(g)
            failed |= BEGINS_WITHOUT(&L[g]);
          if (SEEKS && vany(ended))
            return (cst_outcome){done + k, lanes_of(ended), CST_STEP_TOO_LARGE};
          if (__builtin_expect(vany(failed), 0))
            return (cst_outcome){done + k, lanes_of(failed), CST_NOT_CONVERGED};
        }
        EACH_GROUP(g) {
          finish(C, &L[g], j, x[g]);
          if (FREELY && PREDICTS)
            advance(C, STEPS(C, record[g]) + k, early && k <= CST_PAST, PREDICTION(&L[g]), x[g],
                    behind[g]);
          make_noise(C, &L[g], record[g], k, j);
        }
      }
      if (k < by)
        leave_trail(C, K, L, done + k + 1, &t);
    }
    EACH_GROUP(g)
      bad |= broken(C, &L[g]);
    if (__builtin_expect(vany(bad), 0))
      return (cst_outcome){done + by, lanes_of(bad), CST_NOT_FINITE};
    EACH_GROUP(g)
      store_group(C, &L[g], warm + g * ROWS * NX, past + g * ROWS * PAST_SIZE, by, record[g]);
    if (t.looks)
      MARCH->observer->look(MARCH->observer->context, t.looks);
  }
  return (cst_outcome){n, 0, CST_DONE};
}

/* Compensated or not is known when this is compiled. */
static cst_outcome march(const cst_march *m, double *record, long n) {
  cst_march own = *m;
#if defined(SPLIT_AT) && CST_SIZED
  if (m->stages == SPLIT_AT) {
    own.stages = SPLIT_AT;
    own.compensated = 0;
    return march_with(own, 1, &record, n);
  }
#ifdef SPLIT_ELSE
  own.stages = SPLIT_ELSE;
#endif
#endif
  own.compensated = 1;
  if (HAS_COMPENSATED && m->compensated)
    return march_with(own, 1, &record, n);
  own.compensated = 0;
  return march_with(own, 1, &record, n);
}

static __attribute__((unused)) cst_outcome march_beside(const cst_march *m, int count,
                                                        double *const *record, long n) {
  cst_march own = *m;
  own.compensated = 0;
  if (BESIDE > 2 && count == 2)
    return march_with(own, 2, record, n);
  return march_with(own, BESIDE, record, n);
}

#if !CST_SIZED || !defined(HAS_NO_PIECES)
#include "method/core/march-pieces.h"
#define CORE_PIECES piece_begin, piece_residual, piece_direction, piece_correct, piece_finish
#else
#define CORE_PIECES NULL, NULL, NULL, NULL, NULL
#endif
#if CST_SIZED
#define CORE_REST NULL, NULL
#else
#define CORE_REST piece_rests, piece_noise
#endif

extern const cst_core CST_EXPORTED;
const cst_core        CST_EXPORTED = {
           room,        march,     BESIDE,      BESIDE > 1 ? march_beside : NULL,
           CORE_PIECES, CORE_REST, TAKES_NOISE, TRAILS,
           NOISE_KICK,  NULL,
};
