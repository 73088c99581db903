/* redundant.c: constraints that follow from others.
 *
 * If some constraints follow from others on the manifold, G has the same reduced rank everywhere. The motion
 * is then unique and lambda is not. At a point where the rank is lower than nearby, the motion is not unique. A constraint
 * follows from others if it holds wherever they do; that its gradient depends on theirs is not enough.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/boundary.h"
#include "constella/random.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

static const double MOVE = 1e-3; /* relative to the size of q */
/* relative to the size of q: bounds of the last Newton step, and of the distance g_a / |G_a| from each
 * surface before it */
static const double NEAR = 1e-10, OFF = 1e-9;
/* a motion that leaves the other constraints takes this one with it, so many times as far at most */
static const double   DRIFT = 1e3;
static const uint64_t SEED = 1;
enum {
  NEIGHBOURS = 8,
  NEWTON_ITERATIONS = 200, /* at a zero of order k the distance shrinks by 1 - 1/k only */
  MAX_RANKED = 200 /* redundant constraints are found in systems of up to so many coordinates */
};

static double size_of(const double *q, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(q[i]));
  return size > 0 ? size : 1;
}

/* q := a point near q on g = 0 but for the constraints `without`, even if constraints are redundant. */
static bool reach(const cst_system *s, const double *c, const unsigned char *without, double *q) {
  for (int k = 0; k < NEWTON_ITERATIONS; k++) {
    double       off;
    const double step = cst_rank_approach(s, c, without, q, &off);
    const double size = size_of(q, s->nq);
    if (!isfinite(step))
      return false;
    if (step <= NEAR * size)
      return off <= OFF * size;
  }
  return false;
}

/* Keeps the first maximal set of independent constraints at q and returns their number. Constraints of bodies
 * come first, since methods on the group leave no rotation matrix unconstrained. Constraints on velocities
 * come last. */
static int choose(const cst_system *s, const double *c, const double *q, unsigned char *dropped) {
  const int    ng = s->ng;
  const size_t nq = (size_t)s->nq;
  double      *A = cst_rank_unit_rows(s, c, q, NULL);
  double      *Q = cst_linear_numbers((size_t)ng * nq);
  const int    held = ng - s->model->nvel; /* constraints on positions */
  int          r = 0;
  for (int k = 0; k < ng; k++) {
    /* without bodies, all constraints are the user's own */
    const int a = k < held ? (k + s->model->nown) % held : k;
    double   *row = A + (size_t)a * nq;
    double    left = cst_rank_remainder(row, Q, r, s->nq);
    dropped[a] = !(left > CST_RANK_SMALL) || r == s->nq;
    if (dropped[a])
      continue;
    double *unit = Q + (size_t)r * nq;
    for (size_t i = 0; i < nq; i++)
      unit[i] = row[i] / left;
    r++;
  }
  free(A);
  free(Q);
  return r;
}

/* The lowest and the highest rank at points near q on g = 0. False: no such point is found. */
static bool neighbours(const cst_system *s, const double *c, const double *q, int *low, int *high) {
  bool         found = false;
  const int    nq = s->nq;
  const double size = MOVE * size_of(q, nq);
  double      *x = cst_linear_numbers(nq);
  for (int k = 0; k < NEIGHBOURS; k++) {
    for (int i = 0; i < nq; i++)
      x[i] = q[i] + size * cst_random_normal(SEED, (uint64_t)k, CST_PURPOSE_TEST, 0, (uint32_t)i);
    if (!reach(s, c, NULL, x))
      continue;
    found = true;
    const int r = cst_system_rank(s, c, x);
    *low = r < *low ? r : *low;
    *high = r > *high ? r : *high;
  }
  free(x);
  return found;
}

/* The largest distance from a surface of the constraints `of` at x, over the size of x; *which: the constraint. */
static double left(const cst_system *s, const double *c, const unsigned char *of, const double *x,
                   int *which) {
  double *g = cst_linear_numbers(s->ng), *length = cst_linear_numbers(s->ng);
  double  most = 0;
  cst_system_eval_at(s, CST_K_g, c, x, g);
  cst_rank_lengths(s, c, x, length);
  for (int a = 0; a < s->ng - s->model->nvel; a++) {
    const double off = g[a] == 0 ? 0 : fabs(g[a]) / length[a];
    if (!of[a] || off <= most)
      continue;
    most = off;
    *which = a;
  }
  free(g);
  free(length);
  return most / size_of(x, s->nq);
}

/* w := what is tangent to the constraints that are not dropped, at x, of length `by`; false: nothing is. */
static bool make_tangent(const cst_system *s, const double *c, const unsigned char *dropped,
                         const double *x, double by, double *w) {
  const int    ng = s->ng;
  const size_t nq = (size_t)s->nq;
  double      *A = cst_rank_unit_rows(s, c, x, NULL);
  double      *Q = cst_linear_numbers((size_t)ng * nq);
  double       length = 0;
  int          r = 0;
  for (int a = 0; a < ng && r < s->nq; a++) {
    double *row = A + (size_t)a * nq;
    if (dropped[a])
      continue;
    const double rest = cst_rank_remainder(row, Q, r, s->nq);
    if (!(rest > CST_RANK_SMALL))
      continue;
    for (size_t i = 0; i < nq; i++)
      Q[(size_t)r * nq + i] = row[i] / rest;
    r++;
  }
  length = cst_rank_remainder(w, Q, r, s->nq);
  for (size_t i = 0; i < nq && length > CST_RANK_SMALL; i++)
    w[i] *= by / length;
  free(A);
  free(Q);
  return length > CST_RANK_SMALL;
}

/* Whether the dropped constraints hold, and add nothing to the rank, wherever the others do: on ways of small moves tangent to
 * these, up to a tenth of the size of q. *which: one that does not, and *far, where. A gradient that depends on others at
 * one point, or wherever all constraints hold, tells nothing: on z = 0, z - x^2 = 0 has that of z. */
static bool follow(const cst_system *s, const double *c, const double *q,
                   const unsigned char *dropped, int rank, int *which, double *far) {
  enum { WAYS = 3, MOVES = 19 };
  const int    nq = s->nq;
  const double size = size_of(q, nq);
  double      *x = cst_linear_numbers(2 * nq), *w = x + nq;
  bool         all = true;
  for (int k = 0; k < WAYS && all; k++) {
    cst_linear_copy(x, q, nq);
    for (int i = 0; i < MOVES && all; i++) { /* to 1e-3, 1e-2 and 1e-1 */
      for (int j = 0; j < nq; j++)
        w[j] = cst_random_normal(SEED, (uint64_t)k, CST_PURPOSE_TEST, 1, (uint32_t)j);
      if (!make_tangent(s, c, dropped, x, (i < 10 ? 1e-3 : 1e-2) * size, w))
        break;
      for (int j = 0; j < nq; j++)
        x[j] += w[j];
      if (!reach(s, c, dropped, x))
        break;
      *far = 0;
      for (int j = 0; j < nq; j++)
        *far = fmax(*far, fabs(x[j] - q[j]));
      all = left(s, c, dropped, x, which) <= CST_RANK_AWAY && cst_system_rank(s, c, x) == rank;
    }
  }
  free(x);
  return all;
}

bool cst_rank_fails(const cst_system *s, const double *c, const double *q) {
  CST_REQUIRE(s && s->model->dropped && (c || !s->npar) && q, false);
  int            which;
  unsigned char *kept = cst_zeros(s->ng, 1);
  for (int a = 0; a < s->ng; a++)
    kept[a] = cst_system_enforces(s, a);
  const double off = left(s, c, s->model->dropped, q, &which);
  const bool   fails = off > CST_RANK_AWAY && off > DRIFT * left(s, c, kept, q, &which);
  free(kept);
  return fails;
}

void cst_system_enforce(cst_system *s, unsigned char *dropped) {
  CST_REQUIRE(s);
  const size_t n = (size_t)s->ng;
  bool         same = !dropped && !s->model->dropped;
  if (dropped && s->model->dropped)
    same = !memcmp(dropped, s->model->dropped, n);
  if (same) {
    free(dropped);
    return;
  }
  free(s->model->dropped);
  s->model->dropped = dropped;
  cst_system_structure(s);
}

static bool large(const cst_system *s, const double *c, const double *q, char *why, int n) {
  if (cst_rank_is_strong(s, c, q))
    return true;
  snprintf(
      why, (size_t)n,
      "the constraints are dependent or nearly dependent at the start; systems of more than %d "
      "coordinates need independent ones",
      MAX_RANKED);
  return false;
}

/* Why the constraints cannot be used: near: the rank nearby; which: one that does not follow from the others, though its
 * gradient does, found so far away; -1: none was. */
static void say_dependent(const cst_system *s, const unsigned char *dropped, int rank, int near,
                          int which, double far, char *why, int n) {
  char   names[160];
  size_t at = 0;
  *names = 0;
  for (int a = 0; a < s->ng; a++)
    if (dropped[a] && at + 40 < sizeof names)
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%.30s", at ? ", " : "",
                             s->description->constraint[a]);
  if (at + 40 >= sizeof names)
    snprintf(names + at, sizeof names - at, " ...");
  if (which < 0)
    snprintf(why, (size_t)n,
             "the constraints lose rank at the start (rank %d of %d there, %d nearby): the motion "
             "from there is not unique; start from another state (dependent there: %s; where every "
             "state is such a one, as for straight and planar molecules by distances, write what "
             "they say of coordinates, x1 + x2 = 0, or use 'bodies')",
             rank, s->ng, near, names);
  else
    snprintf(
        why, (size_t)n,
        "the gradients of %s depend on those of the other constraints at the start (rank %d of "
        "%d), but %s does not follow from them: %.2g away, where they hold, it does not. The "
        "motion is unique, and has no multipliers; write what the constraints say of "
        "coordinates, as x = 0 for z = 0 and z = x^2, or use 'bodies' for straight and planar "
        "molecules",
        names, rank, s->ng, s->description->constraint[which], far);
}

static bool leave_no_motion(const cst_system *s, int rank, char *why, int n) {
  if (rank < s->nq || cst_has(s, CST_DRIVEN)) /* a drive may move what has no freedom */
    return false;
  snprintf(why, (size_t)n, "the constraints have rank %d on %d coordinates and leave no motion",
           rank, s->nq);
  return true;
}

/* Whether the gradient of a constraint is 0 at q. */
static bool vanishes(const cst_system *s, const double *c, const double *q, int which) {
  double *length = cst_linear_numbers(s->ng);
  cst_rank_lengths(s, c, q, length);
  const bool zero = length[which] == 0;
  free(length);
  return zero;
}

/* The same for a start on g = 0. */
static bool redundant_on(const cst_system *s, const double *c, const double *q,
                         unsigned char **dropped, char *why, int n) {
  const int ng = s->ng;
  const int rank = cst_system_rank(s, c, q);
  int       low = rank, high = rank, which = -1;
  double    far = 0;
  if (rank == ng) /* here means nearby */
    return !leave_no_motion(s, rank, why, n);
  *dropped = cst_zeros(ng, 1);
  if (choose(s, c, q, *dropped) == rank && follow(s, c, q, *dropped, rank, &which, &far)) {
    if (!leave_no_motion(s, rank, why, n))
      return true;
  } else if (!neighbours(s, c, q, &low, &high) && (which < 0 || vanishes(s, c, q, which))) {
    snprintf(
        why, (size_t)n,
        "the constraints have rank %d of %d at the start, and no state near it satisfies them; "
        "write them so that their gradients do not vanish",
        rank, ng);
  } else {
    say_dependent(s, *dropped, rank, high > rank ? high : low, low == high ? which : -1, far, why,
                  n);
  }
  free(*dropped);
  *dropped = NULL;
  return false;
}

bool cst_system_redundant(const cst_system *s, const double *c, const double *q,
                          unsigned char **dropped, char *why, int n) {
  CST_REQUIRE(s && (c || !s->npar) && q && dropped && (why || n <= 0), false);
  const int nq = s->nq;
  *dropped = NULL;
  if (!s->ng)
    return true;
  if (nq > MAX_RANKED)
    return large(s, c, q, why, n);
  if (s->nq > CST_MAX_Q && !s->model->dropped && cst_rank_is_strong(s, c, q))
    return true;
  double *start = cst_linear_numbers(nq);
  cst_linear_copy(start, q, nq);
  /* Off g = 0 the rank cannot be judged; projection and residuals report what is wrong. */
  const bool good = !reach(s, c, NULL, start) || redundant_on(s, c, start, dropped, why, n);
  free(start);
  return good;
}

bool cst_system_enforce_independent(cst_system *s, const double *c, const double *q, char *why,
                                    int n) {
  CST_REQUIRE(s && (c || !s->npar) && q && (why || n <= 0), false);
  unsigned char *dropped;
  if (!cst_system_redundant(s, c, q, &dropped, why, n))
    return false;
  cst_system_enforce(s, dropped);
  return true;
}
