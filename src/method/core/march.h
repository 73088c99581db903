/* march.h: what every core shares: the march of a group through many steps, and the same substep in pieces
 * for PETSc's SNES types.
 *
 * A core file defines CORE (its name), NX (unknowns of a substep), the fields LOCAL(X) of struct local and,
 * all CST_INLINE:
 *
 *   enter(C, L, record)            load the state and what is kept from step to step
 *   begin(C, L, j, x)              the explicit part of substep j; x holds the warm start, where one is kept, and may be replaced
 *   vl evaluate(C, L, j, x, f)     residual f at the unknowns x; all-ones in lanes that need no further iteration
 *   direction(C, L, j, x, f, d)    Newton's correction: x + d
 *   finish(C, L, j, x)             end the substep; evaluate was last called with this x
 *   leave(C, L, record)            store the state
 *
 * and what is true of it of these, then includes this file, which exports cst_core_<CORE>_<system or
 * generic>_<isa>:
 *
 *   KEEPS_NOTHING        unknowns are of no use to the next step
 *   HAS_COMPENSATED      MARCH->compensated may be set
 *   NX_PREDICTED         so many of the unknowns, the last ones, are extrapolated from step to step; L->near, of type vl, is then what
 *                        cst_is_near says of the residuals behind evaluate
 *   NX_TESTED            so many of the unknowns, the first ones, tell when the iteration ends
 *   SIZE(L)              what an update of those is compared with where they are smaller
 *   IS_DONE_BY_UPDATE    it ends when the next update is predicted far below round-off; finish does not ask for an evaluation at the last x
 *   IS_EXACT             whether Newton's matrix is that of the iterate
 *   ADAPTS               whether it is so in the lanes that L->slow names
 *   CONVERGES_LINEARLY   no matrix is kept
 *   NP                   how many numbers L->p has, where not NQ
 *   SPLIT_AT             a value of MARCH->stages for which the march is compiled by itself; SPLIT_ELSE: the only other one
 *   HAS_NO_PIECES        the pieces are those of the generic core
 *   USES_STEP            L->step, of type vl, is the number of steps before this one
 *
 * Behind a substep the noise of a thermostat changes p, in cores whose L->q and L->p are the coordinates
 * and momenta of the record, NP left as it is. What else L has is of q then, or taken anew.
 *
 * Every lane stops iterating by its own test and is frozen then: at tolerance, when its update is below 8
 * eps of its unknowns, or when the update no longer shrinks at the level of round-off. So a lane's bits do
 * not depend on its neighbours.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "method/core/lane.h"
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
#ifndef SIZE
#define SIZE(L) vset(0)
#endif
#ifdef ADAPTS
#define SLOW(C, L, rate) (L)->slow = vmask(ADAPTS) & (vl)((rate) > 0.3)
#else
#define ADAPTS 0
#define SLOW(C, L, rate)
#endif

#ifdef USES_STEP
#define SET_STEP(L, record, k) (L)->step = *(const vl *)cst_block(record, LAYOUT(C).step) + (k)
#else
#define SET_STEP(L, record, k)
#endif

/* Give the fields of L their places in the work space. */
CST_INLINE void arrange(const cst_context *C, struct local *L) {
  vd *at = (vd *)C->work;
  LOCAL(CST_PLACE)
  (void)at, (void)L;
}

/* Unknowns of all substeps, residual and update of one, what is extrapolated: hot on the stack, generic in
 * the work space behind the fields, n vectors from number `first` on, since large systems have more of them
 * than a stack holds. */
#define FIELDS (0 LOCAL(CST_FIELD_COUNT))
#if CST_HOT && !defined(CST_FIELDS_IN_SPACE)
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

static size_t room(const cst_march *m) {
  const cst_context *C = &m->group;
  (void)C;
  return FIELDS + (size_t)(ROWS + 2) * (size_t)(NX + 1) + (size_t)(ROWS * PAST_SIZE);
}

/* How the iteration of a substep goes: the size of the last update, the slowest contraction so far above the
 * level of round-off, the least update, and whether the last one was larger than an earlier one. Where
 * unknowns are extrapolated: whether the residual was near before the last correction, and is now. The number
 * of corrections. */
typedef struct {
  vd  last, rate, least;
  vl  missed;
  vl  was_near, near;
  int corrections;
} course;

_Static_assert(sizeof(course) <= sizeof((cst_scratch *)0)->course, "the pieces keep it in their scratch");

CST_INLINE course outset(void) { return (course){.last = vset(INFINITY), .least = vset(INFINITY)}; }

/* What the next update would be: with an exact matrix it shrinks as this one has, times as much; else at the
 * slowest rate, and not below the square of the last one, which a matrix that is kept leaves. An iteration
 * that converges linearly leaves no such thing, and where all but the first update are round-off, its rate is
 * below what they say. */
CST_INLINE vd prediction(const cst_context *C, const course *c, vd size, vd of) {
  const vd ratio = size / c->last,
           slowest = vpick(LINEAR, vselect((vl)(c->rate > 0), c->rate, ratio), c->rate);
  const vd square = vpick(LINEAR, vset(0), c->last * (c->last / of));
  const vl renewed = vmask(IS_EXACT) | (vmask(ADAPTS) & (vl)(c->rate > 0.3));
  (void)C;
  return vselect(renewed, ratio * size, vmax(slowest * vmin(slowest * c->last, size), square));
}

/* Apply the correction d to the active lanes of x, of sizes of at least `of`; returns the lanes whose
 * iteration has ended. The first update never ends it, since nothing tells how far a solution by GMRES is
 * off. Updates of a linear iteration may grow for once, where modes beat; twice is round-off. A maximum
 * passes over what is no number, so that an update which holds such a thing is told by its sum. */
CST_INLINE vl correct(const cst_context *C, vl active, const vd *d, vd *x, vd of, course *c) {
  vd size = vset(0), odd = vset(0);
  U for (int i = 0; i < NX; i++) {
    x[i] += vkeep(active, d[i]);
    if (i < NX_TESTED) size = vmax(vabs(d[i]), size), of = vmax(vabs(x[i]), of);
    if (BY_UPDATE) odd += d[i] - d[i];
  }
  vl small = (vl)(size <= (8 * EPS) * of);
  if (BY_UPDATE) {
    c->rate = vmax(vkeep((vl)(size > 1e-13 * of), size / c->last), c->rate);
    small = (vl)(prediction(C, c, size, of) <= (1e-3 * EPS) * of) & (vl)(size <= 1e-12 * of) &
            (vl)(c->last < INFINITY);
  }
  const vl missed = (vl)(size >= 0.98 * vpick(LINEAR, c->least, c->last)) & (vl)(size <= 1e-12 * of);
  const vl stalled = missed & (c->missed | vmask(!LINEAR));
  *c = (course){size, c->rate, vmin(size, c->least), missed, c->near, c->near, c->corrections + 1};
  (void)C;
  return active & (small | stalled) & (vl)(odd == 0);
}

#include "method/core/extrapolate.h"

/* Newton for one substep. Returns the lanes that did not converge; x is the solution of the others. */
CST_INLINE vl solve(const cst_context *C, struct local *L, int j, vl young, vd *x, vd *due) {
  SPACE(f, ROWS * NX, NX);
  SPACE(d, (ROWS + 1) * NX, NX);
  const vl plain = (vl)(*due > 0);
  course   c = outset();
  vl       done = vmask(0), active;
  for (int it = 0;; it++) {
    const vl met = evaluate(C, L, j, x, f);
    done |= ends(C, &c, met, NEAR(L), plain, it);
    active = ~done;
    if (!vany(active) || it == MARCH->max_iterations) return active;
    note(C, active, young, plain, it, due);
    SLOW(C, L, c.rate);
    direction(C, L, j, x, f, d);
    L->iterations -= __builtin_convertvector(active, vd); /* an active lane is -1 */
    done |= correct(C, active, d, x, SIZE(L), &c);
    if (BY_UPDATE && !vany(~done)) return ~done;
  }
}

CST_INLINE int lanes_of(vl m) {
  int bits = 0;
  for (int l = 0; l < CST_W; l++) bits |= (m[l] != 0) << l;
  return bits;
}

/* Lanes whose state is not finite. */
CST_INLINE vl broken(const cst_context *C, const struct local *L) {
  vd z = vset(0);
  U for (int i = 0; i < NQ; i++) z += L->q[i] - L->q[i];
  U for (int i = 0; i < NP; i++) z += L->p[i] - L->p[i];
  (void)C;
  return (vl)(z != 0);
}

/* The record has n steps more behind it. */
CST_INLINE void count_steps(const cst_context *C, double *record, long n) {
  vl *step = (vl *)(record + (size_t)LAYOUT(C).step * CST_W);
  *step += n;
  if (TIMED)
    *((vd *)record + LAYOUT(C).c + ACCOUNT - 1) =
        MARCH->time + __builtin_convertvector(*step - MARCH->since, vd) * MARCH->sub[0].whole;
}

/* The noise behind substep j of the step that is k steps ahead of the record. Hot cores keep p in registers
 * but for it. */
CST_INLINE void make_noise(const cst_context *C, struct local *L, const double *record, long k, int j) {
#if TAKES_NOISE
  const cst_noise *noise = MARCH->sub[j].noise;
  if (__builtin_expect(noise != NULL, 0)) {
    const vl steps = *(const vl *)cst_block(record, LAYOUT(C).step) + k;
#if CST_HOT && !defined(CST_FIELDS_IN_SPACE)
    vd q[NQ], p[NQ];
    for (int i = 0; i < NQ; i++) q[i] = L->q[i], p[i] = L->p[i];
    noise->kick(C, noise, record, (const double *)&steps, (const double *)q, (double *)p);
    for (int i = 0; i < NQ; i++) L->p[i] = p[i];
#else
    noise->kick(C, noise, record, (const double *)&steps, (const double *)L->q, (double *)L->p);
#endif
  }
#else
  (void)C, (void)L, (void)record, (void)k, (void)j;
#endif
}

/* own is a copy of what the caller has: its fields are not read again whenever something is stored through a
 * vector. */
CST_INLINE cst_outcome march_with(const cst_march own, double *record, long n) {
  const cst_context *C = &own.group;
  struct local       L;
  SPACE(warm, 0, ROWS * NX);
  SPACE(past, (ROWS + 2) * NX, ROWS * PAST_SIZE);
  const int early = PREDICTS && vany(beginners(STEPS(C, record)));
  arrange(C, &L);
  enter(C, &L, record);
  cst_load(warm, record, MARCH->warm, MARCH->nsub * KEPT);
  if (PREDICTS) cst_load(past, record, PAST_AT(0), MARCH->nsub * PAST_SIZE);
  L.iterations = *cst_block(record, LAYOUT(C).iterations);
  for (long k = 0; k < n; k++)
    for (int j = 0; j < MARCH->nsub; j++) {
      vd       *x = warm + j * KEPT;
      vd *const behind = past + j * PAST_SIZE;
      vl        young = vmask(0);
      SET_STEP(&L, record, k);
      if (PREDICTS && early && k <= CST_PAST) young = beginners(STEPS(C, record) + k);
      if (PREDICTS) extrapolate(C, STEPS(C, record) + k, early && k <= CST_PAST, x, behind);
      begin(C, &L, j, x);
      if (NX > 0) {
        vl failed = solve(C, &L, j, young, x, &DUE(behind));
        if (__builtin_expect(vany(failed), 0)) return (cst_outcome){k, lanes_of(failed), CST_NOT_CONVERGED};
      }
      finish(C, &L, j, x);
      make_noise(C, &L, record, k, j);
    }
  vl bad = broken(C, &L);
  if (__builtin_expect(vany(bad), 0)) return (cst_outcome){n, lanes_of(bad), CST_NOT_FINITE};
  leave(C, &L, record);
  cst_store(record, MARCH->warm, warm, MARCH->nsub * KEPT);
  if (PREDICTS) cst_store(record, PAST_AT(0), past, MARCH->nsub * PAST_SIZE);
  *(vd *)(record + (size_t)LAYOUT(C).iterations * CST_W) = L.iterations;
  if (MARCH->closes) count_steps(C, record, n);
  return (cst_outcome){n, 0, CST_DONE};
}

/* Compensated or not is known when this is compiled. */
static cst_outcome march(const cst_march *m, double *record, long n) {
  cst_march own = *m;
#ifdef SPLIT_AT
  if (m->stages == SPLIT_AT) {
    own.stages = SPLIT_AT, own.compensated = 0;
    return march_with(own, record, n);
  }
#ifdef SPLIT_ELSE
  own.stages = SPLIT_ELSE;
#endif
#endif
  own.compensated = 1;
  if (HAS_COMPENSATED && m->compensated) return march_with(own, record, n);
  own.compensated = 0;
  return march_with(own, record, n);
}

#if !CST_HOT || !defined(HAS_NO_PIECES)
/* ---- the same substep in pieces. Each call loads the record again, so that nothing but the record and the
 * scratch is kept between them.
 */

/* PETSc's arrays are not aligned for wide vectors. */
typedef double vdu __attribute__((vector_size(8 * CST_W), aligned(8), may_alias));

CST_INLINE void fetch(vd *to, const double *from, int n) {
  U for (int i = 0; i < n; i++) to[i] = (vd)((const vdu *)from)[i];
}

CST_INLINE void put(double *to, const vd *from, int n) {
  U for (int i = 0; i < n; i++)((vdu *)to)[i] = (vdu)from[i];
}

/* The start of substep j's unknowns, and what the record has of the steps before from then on. */
CST_INLINE void start(const cst_context *C, const double *record, int j, vd *x, vd *past) {
  cst_load(x, record, MARCH->warm + j * KEPT, KEPT);
  if (!PREDICTS) return;
  cst_load(past, record, PAST_AT(j), PAST_SIZE);
  extrapolate(C, STEPS(C, record), 1, x, past);
}

static int piece_begin(const cst_march *m, const double *record, int j, double *x, cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(past, (ROWS + 2) * NX, PAST_SIZE);
  arrange(C, &L);
  enter(C, &L, record);
  SET_STEP(&L, record, 0);
  start(C, record, j, y, past);
  begin(C, &L, j, y);
  put(x, y, NX);
  *(course *)s->course = outset();
  *(vl *)s->done = vmask(0);
  return NX;
}

static int piece_residual(const cst_march *m, const double *record, int j, const double *x, double *f,
                          cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(past, (ROWS + 2) * NX, PAST_SIZE);
  arrange(C, &L);
  enter(C, &L, record);
  SET_STEP(&L, record, 0);
  start(C, record, j, y, past);
  begin(C, &L, j, y);
  fetch(y, x, NX);
  vl      *done = (vl *)s->done;
  course  *c = (course *)s->course;
  const vl met = evaluate(C, &L, j, y, r);
  *done |= ends(C, c, met, NEAR(&L), (vl)(DUE(past) > 0), c->corrections);
  put(f, r, NX);
  return lanes_of(~*done);
}

static void piece_direction(const cst_march *m, double *record, int j, const double *x, const double *f,
                            double *d, cst_scratch *s) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(e, 2 * NX, NX);
  SPACE(past, (ROWS + 2) * NX, PAST_SIZE);
  arrange(C, &L);
  enter(C, &L, record);
  SET_STEP(&L, record, 0);
  start(C, record, j, y, past);
  begin(C, &L, j, y);
  fetch(y, x, NX);
  evaluate(C, &L, j, y, r);
  fetch(r, f, NX);
  SLOW(C, &L, ((const course *)s->course)->rate);
  *(vd *)s->size = SIZE(&L);
  direction(C, &L, j, y, r, e);
  vl active = ~*(vl *)s->done;
  if (PREDICTS) { /* the next piece takes one off again */
    note(C, active, beginners(STEPS(C, record)), (vl)(DUE(past) > 0),
         ((const course *)s->course)->corrections, &DUE(past));
    DUE((vd *)record + PAST_AT(j)) = DUE(past) + 1;
  }
  U for (int i = 0; i < NX; i++) e[i] = vkeep(active, e[i]);
  put(d, e, NX);
  vd *iterations = (vd *)(record + (size_t)LAYOUT(C).iterations * CST_W);
  *iterations -= __builtin_convertvector(active, vd);
}

static void piece_correct(const cst_march *m, const double *record, int j, double *x, const double *d,
                          cst_scratch *s) {
  const cst_context *C = &m->group;
  SPACE(y, 0, NX);
  SPACE(e, NX, NX);
  vl *done = (vl *)s->done, active = ~*done;
  (void)record, (void)j;
  fetch(y, x, NX);
  fetch(e, d, NX);
  *done |= correct(C, active, e, y, *(const vd *)s->size, (course *)s->course);
  put(x, y, NX);
}

static cst_outcome piece_finish(const cst_march *m, double *record, int j, const double *x) {
  const cst_context *C = &m->group;
  struct local       L;
  SPACE(y, 0, NX);
  SPACE(r, NX, NX);
  SPACE(past, (ROWS + 2) * NX, PAST_SIZE);
  arrange(C, &L);
  enter(C, &L, record);
  SET_STEP(&L, record, 0);
  start(C, record, j, y, past);
  begin(C, &L, j, y);
  if (NX > 0) {
    fetch(y, x, NX);
    evaluate(C, &L, j, y, r);
  }
  finish(C, &L, j, y);
  make_noise(C, &L, record, 0, j);
  vl bad = broken(C, &L);
  if (vany(bad)) return (cst_outcome){0, lanes_of(bad), CST_NOT_FINITE};
  leave(C, &L, record);
  if (MARCH->closes && j == MARCH->nsub - 1) count_steps(C, record, 1);
  if (KEPT > 0) memcpy(record + (size_t)(MARCH->warm + j * KEPT) * CST_W, x, sizeof(vd) * KEPT);
  if (PREDICTS) cst_store(record, PAST_AT(j), past, PAST_SIZE);
  return (cst_outcome){1, 0, CST_DONE};
}

#define CORE_PIECES piece_begin, piece_residual, piece_direction, piece_correct, piece_finish
#else
#define CORE_PIECES NULL, NULL, NULL, NULL, NULL
#endif

#ifdef CST_SYSTEM_HEADER
#define CST_CORE_SYMBOL_(core, sys, isa) cst_core_##core##_##sys##_##isa
#define CST_CORE_SYMBOL(core, sys, isa)  CST_CORE_SYMBOL_(core, sys, isa)
#define SYMBOL                           CST_CORE_SYMBOL(CORE, SYS_ID, CST_ISA)
#else
#define CST_CORE_SYMBOL_(core, isa) cst_core_##core##_generic_##isa
#define CST_CORE_SYMBOL(core, isa)  CST_CORE_SYMBOL_(core, isa)
#define SYMBOL                      CST_CORE_SYMBOL(CORE, CST_ISA)
#endif
extern const cst_core SYMBOL;
const cst_core        SYMBOL = {room, march, CORE_PIECES, TAKES_NOISE};
