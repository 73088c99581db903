/* rank-ahead.c: whether the constraints lose rank within the next step of a motion.
 *
 * A step cannot be made, whatever its size and method, through a state where the rows of G become dependent:
 * multipliers grow without bound there, or the motion branches. The condition number of the rows is sought on a
 * way of length 1.5 h |v|, because stages and extrapolations reach beyond the step, and as far behind, because a
 * step that has passed such a state may end on another branch, where the next one fails. The way begins at q
 * along v and goes straight on in small parts, each brought towards g = 0; shorter ways around its worst point
 * follow. Where some 450 factorisations of S take too long, nothing is sought.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "core/boundary.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

/* The rank is lost where the condition number reaches LOST, and GROWTH times that at q. */
static const double LOST = 1e5, GROWTH = 10;
static const double FAR = 0.25; /* the largest way towards g = 0, as a part of h v */
static const double REACH = 1.5;
static const double DEAR = 1e8; /* multiplications of a factorisation of S */
enum { PARTS = 32, LEVELS = 6, APPROACHES = 3, MAX_APPROACHED = 200 };

typedef struct {
  const cst_system *system;
  const double     *c;
  const double     *length; /* of the rows of G at q; on the way they may vanish */
  int               rank;
  double           *from, *along; /* the part of the way that is searched, and its direction */
  double           *x, *y; /* the last point, and the one before it is brought towards g = 0 */
} way;

/* The condition number at a point beside from + t along, which becomes x. */
static double condition_at(const way *w, double t) {
  const int nq = w->system->nq;
  double    part = 0;
  for (int i = 0; i < nq; i++) {
    w->x[i] = w->from[i] + t * w->along[i];
    part = fmax(part, fabs(w->along[i]));
  }
  for (int k = 0; k < APPROACHES && nq <= MAX_APPROACHED; k++) {
    double off;
    cst_linear_copy(w->y, w->x, nq);
    if (cst_rank_approach(w->system, w->c, NULL, w->x, &off) <= FAR * part)
      continue;
    cst_linear_copy(w->x, w->y, nq);
    break;
  }
  const double condition = cst_rank_condition(w->system, w->c, w->x, w->rank, w->length);
  return isnan(condition) ? 0 : condition;
}

/* The largest condition number on the way from w->from, whose first part is w->along. The part before the worst
 * point is left in best[2][nq]. */
static double walk(const way *w, double *best) {
  const int nq = w->system->nq;
  double    worst = 0;
  for (int k = 0; k < PARTS; k++) {
    const double condition = condition_at(w, 1);
    if (condition > worst) {
      worst = condition;
      cst_linear_copy(best, w->from, nq);
      cst_linear_copy(best + nq, w->along, nq);
    }
    for (int i = 0; i < nq; i++) {
      w->along[i] = w->x[i] - w->from[i];
      w->from[i] = w->x[i];
    }
  }
  return worst;
}

/* The same on ever shorter ways around the worst point. */
static double worst_on(const way *w, double *best) {
  const int nq = w->system->nq;
  double    worst = walk(w, best);
  for (int k = 0; k < LEVELS && worst > 0 && isfinite(worst); k++) {
    for (int i = 0; i < nq; i++) {
      w->from[i] = best[i];
      w->along[i] = best[nq + i] * 2 / PARTS;
    }
    worst = fmax(worst, walk(w, best));
  }
  return worst;
}

double cst_system_rank_ahead(const cst_system *s, const double *c, const double *q, const double *v,
                             double h) {
  CST_REQUIRE(s && (c || !s->npar) && q && v, 0);
  const int nq = s->nq;
  for (int i = 0; i < nq; i++)
    if (!isfinite(q[i]) || !isfinite(h * v[i]))
      return 0;
  if (s->gram.banded && s->gram.work > DEAR)
    return 0;
  const int rank = s->ng ? cst_system_rank(s, c, q) : 0;
  if (!rank)
    return 0;
  double *numbers = cst_linear_numbers(7L * nq + s->ng);
  double *from = numbers, *along = from + nq, *x = along + nq, *best = x + nq,
         *part = best + 2L * nq, *y = part + nq, *length = y + nq;
  const way w = {s, c, length, rank, from, along, x, y};
  cst_rank_lengths(s, c, q, length);
  cst_linear_copy(x, q, nq);
  cst_linear_copy(part, v, nq);
  if (!cst_system_project(s, c, x, part)) /* the velocity of tangential momenta is not tangential */
    cst_linear_copy(part, v, nq);
  double worst = 0;
  for (int back = 0; back < 2; back++) {
    cst_linear_copy(from, q, nq);
    for (int i = 0; i < nq; i++)
      along[i] = (back ? -REACH : REACH) * h / PARTS * part[i];
    worst = fmax(worst, worst_on(&w, best));
  }
  const double here = cst_rank_condition(s, c, q, rank, length);
  free(numbers);
  return worst >= LOST && worst >= GROWTH * here ? worst : 0;
}
