/* march-iterate.h: Newton's iteration for one substep of the groups that march, from the unknowns that are
 * extrapolated from earlier steps to the last correction. Part of march.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
/* How the iteration of a substep goes: the sizes of the last update and of the first one, the slowest contraction so far above the
 * level of round-off, the least update, the slowest contraction of the last steps, and whether the last
 * update was larger than an earlier one. Where unknowns are extrapolated: whether the residual was near
 * before the last correction, and is now. Whether the root is known to be the near one. The
 * number of corrections. */
typedef struct {
  vd  last;
  vd  first;
  vd  rate;
  vd  least;
  vd  known;
  vl  missed;
  vl  was_near;
  vl  near;
  vl  sure;
  int corrections;
} course;

_Static_assert(sizeof(course) <= sizeof((cst_scratch *)0)->course,
               "the pieces keep it in their scratch");

CST_INLINE course outset(void) {
  return (course){.last = vset(INFINITY), .least = vset(INFINITY), .sure = vmask(1)};
}

/* What the next update would be: with an exact matrix it shrinks as this one has, times as much; else at the
 * slowest rate, and not below the square of the last one, which a matrix that is kept leaves; or, if it is that
 * of the first iterate, what it leaves at this distance. An iteration that converges linearly leaves no such thing, and where all but the first update are round-off, its rate is
 * below what they say. */
CST_INLINE vd prediction(const cst_context *C, const course *c, vd size, vd of) {
  const vd ratio = size / c->last;
  const vd rate_so_far = vselect((vl)(c->rate > 0), c->rate, ratio);
  const vd slowest = vpick(LINEAR, rate_so_far, vmax(c->rate, c->known));
  const vd square =
      vpick(LINEAR, vset(0), STEADY ? c->first * (size / of) : c->last * (c->last / of));
  const vl renewed = vmask(IS_EXACT) | (vmask(ADAPTS) & (vl)(c->rate > 0.3));
  const vd kept = vmax(slowest * vmin(slowest * c->last, size), square);
  return vselect(renewed, ratio * size, kept);
}

/* Apply the correction d to the active lanes of x, of sizes of at least `of`; returns the lanes whose
 * iteration has ended. Nothing is noted of the lanes that are not active, which wait for their neighbours. The first
 * update never ends the iteration, since the error of a solution by GMRES is unknown. Updates of a linear iteration may
 * grow for once, where modes beat; twice is round-off. A maximum passes over what is no number, so that an update which
 * holds such a thing is told by its sum. */
CST_INLINE vl correct(const cst_context *C, vl active, const vd *d, vd *x, vd of, course *c) {
  const int n = NX;
  const int tested = NX_TESTED;
  vd        size = vset(0), odd = vset(0);
  UNROLL
  for (int i = 0; i < n; i++) {
    x[i] += vkeep(active, d[i]);
    if (i < tested) {
      size = vmax(vabs(d[i]), size);
      of = vmax(vabs(x[i]), of);
    }
    if (BY_UPDATE)
      odd += d[i] - d[i];
  }
  vl small = (vl)(size <= (8 * EPS) * of);
  if (BY_UPDATE) {
    c->rate = vmax(vkeep(active & (vl)(size > 1e-13 * of), size / c->last), c->rate);
    const vd left = prediction(C, c, size, of);
    small = (vl)(left <= (1e-3 * EPS) * of) & (vl)(size <= 1e-12 * of) & (vl)(c->last < INFINITY);
  }
  const vd before = vpick(LINEAR, c->least, c->last);
  const vl missed = (vl)(size >= 0.98 * before) & (vl)(size <= 1e-12 * of);
  const vl stalled = missed & (c->missed | vmask(!LINEAR));
  *c = (course){
      .last = size,
      .first = c->corrections ? c->first : size,
      .rate = c->rate,
      .least = vmin(size, c->least),
      .known = c->known,
      .missed = missed,
      .was_near = c->near,
      .near = c->near,
      .sure = c->sure,
      .corrections = c->corrections + 1,
  };
  return active & (small | stalled) & (vl)(odd == 0);
}

/* Generic code has one copy of what a substep does, for the march, its search, its trials and its pieces:
 * inlined at each place they would take the compiler most of its time. Code for one system inlines them in the
 * march, and its pieces share a copy (march-pieces.h). */
#define OUT_OF_LINE static __attribute__((noinline, unused))
OUT_OF_LINE void load_apart(const cst_context *C, struct local *L, const double *record) {
  load(C, L, record);
}
OUT_OF_LINE void begin_apart(const cst_context *C, struct local *L, int j, vd *x) {
  begin(C, L, j, x);
}
OUT_OF_LINE vl evaluate_apart(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  return evaluate(C, L, j, x, f);
}
OUT_OF_LINE void direction_apart(const cst_context *C, struct local *L, int j, const vd *x,
                                 const vd *f, vd *d) {
  direction(C, L, j, x, f, d);
}
OUT_OF_LINE void finish_apart(const cst_context *C, struct local *L, int j, const vd *x) {
  finish(C, L, j, x);
}
#if !CST_SIZED
#define load      load_apart
#define begin     begin_apart
#define evaluate  evaluate_apart
#define direction direction_apart
#define finish    finish_apart
#endif

/* ---- where an iteration starts, and ends ----------------------------------------------------- */

/* The unknowns of a step start from the polynomial through those of the last CST_PAST + 1 steps, by
 * differences: x + Dx + DDx + ... At small steps one correction then suffices. The error that the iteration
 * leaves in the constraints must not depend on the phase of the motion, though: an offset that appears where
 * the reaction is strong and vanishes where it is weak does work, and the energy drifts linearly. Measured:
 * 3e-2 eps per step where the tolerance alone decides; 1e-2 where one and two corrections alternate, or where
 * two are always made and the second corrects round-off. A lane therefore ends after one correction only if
 * the residual before it was so small that its square, the error that Newton's method leaves, is far below
 * round-off. Otherwise the next CST_DUE_STEPS steps start from the unknowns of the last step and end by the
 * tolerance. A core that BENDS its corrections removes what one leaves down to the third order, and FORGIVES:
 * above, the residual before the second correction is far from round-off.
 *
 * A core that USES_NEAR starts these steps from the polynomial of order DUE_ORDERS, from which two
 * corrections lead to round-off, and no iteration of it ends by the tolerance before the residual was so
 * small once, or four corrections were made. Without constraints it FORGIVES: no residual is left that could do
 * work, and all steps are extrapolated in full.
 *
 * A core that PREDICTS_FREELY does none of this (march-freely.h).
 */
#ifdef PREDICTS_FREELY
#include "method/core/march-freely.h"
#else
#define FREELY                                        0
#define extrapolate_freely(C, x, past)                (void)0
#define advance(C, steps, early, prediction, x, past) (void)0
#endif

/* Lanes with too few steps behind them to be extrapolated in full. */
CST_INLINE vl beginners(vl steps) { return (vl)(steps <= CST_PAST); }

/* Advances past, the differences of orders 0 to CST_PAST - 1 of the last step, and extrapolates x, in plain
 * lanes by the polynomial of order DUE_ORDERS. */
CST_INLINE void extrapolate_by(const cst_context *C, vl steps, const int early, const int only_past,
                               vl plain, vd *x, vd *past) {
  const int n = NX_PREDICTED;
  x += NX - n;
  UNROLL
  for (int i = 0; i < n; i++) {
    vd  d = x[i];
    vd  sum = d;
    vd  low = d;
    vd *before = past + i;
    CST_UNROLL
    for (int k = 0; k < CST_PAST; k++, before += n) {
      vd next = d - *before;
      *before = d;
      if (early)
        next = vkeep((vl)(steps > k + 1), next);
      d = next;
      sum += d;
      if (k + 1 == DUE_ORDERS)
        low = sum;
    }
    if (!only_past)
      x[i] = vselect(plain, low, sum);
  }
}

/* The same at the start of a step. A lane that fails is stepped again from x itself. */
CST_INLINE void extrapolate(const cst_context *C, vl steps, int early, vd *x, vd *past) {
  if (FREELY) {
    extrapolate_freely(C, x, past);
    return;
  }
  DUE(past) = vmax(DUE(past) - 1, vset(0));
  const vl plain = (vl)(DUE(past) > 0);
  if (CST_SIZED || early || MARCH->attempt)
    extrapolate_by(C, steps, early, !CST_SIZED && MARCH->attempt, plain, x, past);
  else
    extrapolate_by(C, steps, 0, 0, plain, x, past);
}

/* The lanes of met (residual small enough) that end after this many corrections; plain: lanes for which two
 * are due. */
CST_INLINE vl ends(const cst_context *C, course *c, vl met, vl near, vl plain, int corrections) {
  c->near = near;
  if (!PREDICTS)
    return met;
  if (NEARS)
    return met & (c->was_near | vmask(corrections >= 4));
  return met & (plain | c->was_near | vmask(corrections >= 2));
}

/* Called before each correction of the active lanes, with the number of corrections made so far, where a substep
 * does not FORGIVE. */
CST_INLINE void note(const cst_context *C, vl active, vl young, vl plain, int corrections,
                     vd *due) {
  if (PREDICTS && !FREELY && corrections == 1)
    *due = vselect(active & ~young & ~plain, vset(CST_DUE_STEPS), *due);
}

/* ---- where there are several solutions (near-root.h) ----------------------------------------- */

#if defined(SEEKS_NEAR_ROOT) && !CST_SIZED
static void restart_apart(const cst_context *C, struct local *L, int j, vd *x) {
  restart(C, L, j, x);
}

static vl seek(const cst_context *C, struct local *L, int j, vd *x, vl *ended) {
  const cst_branch b = {restart_apart, evaluate, direction, multiply, NX,       NP,
                        L->q,          L->q1,    L->p,      L->c,     L->slack, &L->iterations};
  SPACE(space, SPARE_AT, 5 * NX);
  SET_NEAR(L, &(course){.was_near = vmask(0)});
  return SEEK_NEAR_ROOT(C, L, j, &b, x, space, ended);
}
#else
CST_INLINE vl seek(const cst_context *C, struct local *L, int j, vd *x, vl *ended) {
  (void)C, (void)L, (void)j, (void)x, (void)ended;
  return vmask(0);
}
#endif

#if CST_SIZED
#define leave_at_round_off(C, L, j, some, x, f, d) (some)
#else
static void residual_of_substep(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  evaluate(C, L, j, x, f);
}
#ifdef MET
static vl met_of_substep(const cst_context *C, const struct local *L, int row, vd f) {
  return row < MET_FROM ? vmask(0) : MET(C, L, row - MET_FROM, f);
}
#define MET_OF_SUBSTEP met_of_substep
#else
#define MET_OF_SUBSTEP NULL
#endif
/* Of the lanes whose iteration did not end, those that are not at rest at round-off either. A further attempt
 * marches one group. */
static vl leave_at_round_off(const cst_context *C, struct local *L, int j, vl some, vd *const *x,
                             vd *f, vd *d) {
  const cst_rest_equations e = {NX, FIELDS, residual_of_substep, REST_DIRECTION, MET_OF_SUBSTEP};
  SPACE(space, SPARE_AT, REST_SPACE * NX);
  if (!MARCH->attempt)
    return some;
  return some & ~ROUND_OFF.rests(C, L, j, &e, some, x[0], f, d, space);
}
#endif

/* The lanes without a root, and those whose root is not known to be the near one: those that a search has
 * lost, or those that no test has made sure. */
CST_INLINE vl uncertain(const int K, vl some, int sought, vl lost, const course *c) {
  EACH_GROUP(g)
    some |= sought ? lost : ~c[g].sure;
  return some;
}

/* Newton for one substep of K groups: young, x, due of each. Returns the lanes that did not converge in one
 * of them, or not to the near root, among them those whose branch has ended; x is the solution of the others.
 */
CST_INLINE vl solve(const cst_context *C, const int K, struct local *L, int j, const vl *young,
                    vd *const *x, vd *const *due, vl *ended) {
  SPACE(f, ROWS * NX, K * NX);
  SPACE(d, (ROWS + 1) * NX, K * NX);
  vl     plain[BESIDE], done[BESIDE], active[BESIDE];
  course c[BESIDE];
  EACH_GROUP(g) {
    plain[g] = (vl)(*due[g] > 0);
    c[g] = outset();
    if (FREELY && PREDICTS)
      c[g].known = *due[g];
    done[g] = vmask(0);
  }
  const int sought = SEEKS && !CST_SIZED && MARCH->attempt > 1;
  const vl  lost = sought ? seek(C, L, j, x[0], ended) : vmask(0);
  done[0] |= lost;
  for (int it = 0;; it++) {
    vl some = vmask(0);
    vl more = vmask(0);
    EACH_GROUP(g) {
      SET_NEAR(&L[g], &c[g]);
      SET_STEADY(&L[g], ~young[g]);
      const vl met = evaluate(C, &L[g], j, x[g], f + g * NX);
      done[g] |= ends(C, &c[g], met, NEAR(&L[g]), plain[g], it);
      active[g] = ~done[g];
      some |= active[g];
    }
    const int over = !vany(some) || it == MARCH->max_iterations;
    const int unsure =
        SEEKS && it == 0 && !sought; /* about the root: its matrix is formed for this */
    if (over && vany(some))
      some = leave_at_round_off(C, L, j, some, x, f, d);
    if (over && !unsure)
      return uncertain(K, some, sought, lost, c);
    EACH_GROUP(g) {
      if (!over) {
        if (!(FORGIVES))
          note(C, active[g], young[g], plain[g], it, due[g]);
        SLOW(C, &L[g], c[g].rate);
      }
      SET_STRICT(&L[g], it > 0);
      direction(C, &L[g], j, x[g], f + g * NX, d + g * NX);
      if (SEEKS) {
        const vl now = active[g] | vmask(it == 0);
        c[g].sure = (SURE(&L[g]) & now) | (c[g].sure & ~now);
      }
      if (over)
        continue;
      L[g].iterations -= __builtin_convertvector(active[g], vd); /* an active lane is -1 */
      done[g] |= correct(C, active[g], d + g * NX, x[g], SIZE(&L[g]), &c[g]);
      if (FREELY && PREDICTS)
        *due[g] = vmax(c[g].rate, *due[g]);
      more |= ~done[g];
    }
    if (over)
      return uncertain(K, some, sought, lost, c);
    if (BY_UPDATE && !vany(more))
      return more;
  }
}
