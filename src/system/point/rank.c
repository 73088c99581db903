/* rank.c: the rank of the constraints, redundant constraints, and multipliers that are not unique.
 *
 * If some constraints follow from others on the manifold, G has the same reduced rank everywhere. The motion
 * is then unique and lambda is not; the least-norm lambda is taken. At a point where the rank is lower than
 * nearby, the motion is not unique.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/boundary.h"
#include "constella/random.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

/* below it a unit vector depends on the others: the length of its remainder */
static const double SMALL = 1e-9;
static const double WEAK_PIVOT = 1e-12; /* pivot of S, relative to its diagonal */
static const double MOVE = 1e-3;        /* relative to the size of q */
/* relative to the size of q: bounds of the last Newton step, and of the distance g_a / |G_a| from each
 * surface before it */
static const double   NEAR = 1e-10, OFF = 1e-9;
static const uint64_t SEED = 1;
enum {
  NEIGHBOURS = 8,
  NEWTON_ITERATIONS = 200, /* at a zero of order k the distance shrinks by 1 - 1/k only */
  MAX_RANKED = 200 /* redundant constraints are found in systems of up to so many coordinates */
};

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* x := x without its components along the orthonormal rows Q[k][n], removed twice against round-off. Returns
 * its length. */
static double remainder_of(double *x, const double *Q, int k, int n) {
  for (int pass = 0; pass < 2; pass++)
    for (long j = 0; j < k; j++) {
      const double *row = Q + j * n;
      const double  t = dot(x, row, n);
      for (int i = 0; i < n; i++)
        x[i] -= t * row[i];
    }
  return sqrt(dot(x, x, n));
}

/* Fills Q[..][n] with orthonormal rows that span those of A[m][n], by Gram-Schmidt that takes the largest
 * remainder first. It stops after `most` rows or at a remainder of at most `least`. taken[k] is the row of A
 * that gives row k. Overwrites A with what remains of its rows. Returns the number of rows. */
static int basis(double *A, int m, int n, int most, double least, int *taken, double *Q) {
  const long width = n;
  int        r = 0;
  for (; r < most; r++) {
    double *q = Q + r * width;
    double  top = 0;
    for (int a = 0; a < m; a++) {
      const double *row = A + a * width;
      const double  length = sqrt(dot(row, row, n));
      if (!(length > top))
        continue;
      top = length;
      taken[r] = a;
    }
    if (!(top > least))
      break;
    cst_linear_copy(q, A + taken[r] * width, n);
    top = remainder_of(q, Q, r, n);
    for (int i = 0; i < n; i++)
      q[i] /= top;
    cst_linear_clear(A + taken[r] * width, n);
    for (int a = 0; a < m; a++) {
      double      *row = A + a * width;
      const double t = dot(row, q, n);
      for (int i = 0; i < n; i++)
        row[i] -= t * q[i];
    }
  }
  return r;
}

/* The rows of G(q) divided by their lengths, [ng][nq]; the lengths too unless `length` is NULL. Owned. */
static double *unit_rows(const cst_system *s, const double *c, const double *q, double *length) {
  const int nq = s->nq;
  double   *A = cst_linear_numbers((long)s->ng * nq);
  cst_system_matrix(s, CST_K_G, c, q, NULL, A);
  for (int a = 0; a < s->ng; a++) {
    double *row = A + (size_t)a * (size_t)nq;
    double  most = 0; /* the squares of a row may overflow or vanish */
    for (int i = 0; i < nq; i++)
      most = fmax(most, fabs(row[i]));
    for (int i = 0; i < nq && most > 0; i++)
      row[i] /= most;
    const double size = sqrt(dot(row, row, nq));
    for (int i = 0; i < nq && size > 0; i++)
      row[i] /= size;
    if (length)
      length[a] = most * size;
  }
  return A;
}

/* Large systems have full rank unless S = G G' has a weak pivot. */
static bool is_large(const cst_system *s) { return s->nq > CST_MAX_Q; }

static bool is_strong(const cst_system *s, const double *c, const double *q) {
  double   *G = cst_linear_numbers(s->pattern[CST_K_G].n);
  cst_schur S;
  cst_system_eval_at(s, CST_K_G, c, q, G);
  const bool good = cst_linear_schur_create(&S, s, G, NULL);
  const bool strong = good && S.least >= WEAK_PIVOT;
  cst_linear_schur_destroy(&S);
  free(G);
  return strong;
}

int cst_system_rank(const cst_system *s, const double *c, const double *q) {
  CST_REQUIRE(s && (c || !s->npar) && q, 0);
  const int ng = s->ng;
  const int nq = s->nq;
  if (!ng)
    return ng;
  if (is_large(s) && !s->dropped && is_strong(s, c, q))
    return ng;
  double   *A = unit_rows(s, c, q, NULL);
  double   *Q = cst_linear_numbers((long)ng * nq);
  int      *taken = cst_zeros(ng, sizeof *taken);
  const int most = ng < nq ? ng : nq;
  const int r = basis(A, ng, nq, most, SMALL, taken, Q);
  free(A);
  free(Q);
  free(taken);
  return r;
}

void cst_rank_lengths(const cst_system *s, const double *c, const double *q, double *length) {
  free(unit_rows(s, c, q, length));
}

double cst_rank_condition(const cst_system *s, const double *c, const double *q, int rank,
                          const double *length) {
  const int nq = s->nq;
  if (is_large(s)) {
    double   *G = cst_linear_numbers(s->pattern[CST_K_G].n);
    cst_schur S;
    cst_system_eval_at(s, CST_K_G, c, q, G);
    const bool   good = cst_linear_schur_create(&S, s, G, NULL);
    const double least = good ? S.least : 0;
    cst_linear_schur_destroy(&S);
    free(G);
    return 1 / sqrt(fmax(least, 0));
  }
  double *A = cst_linear_numbers((long)s->ng * nq);
  double *Q = cst_linear_numbers((long)s->ng * nq);
  int    *taken = cst_zeros(s->ng, sizeof *taken);
  double  left = 0;
  cst_system_matrix(s, CST_K_G, c, q, NULL, A);
  for (int a = 0; a < s->ng; a++)
    for (int i = 0; i < nq && length[a] > 0; i++)
      A[(long)a * nq + i] /= length[a];
  if (basis(A, s->ng, nq, rank - 1, 0, taken, Q) == rank - 1)
    for (int a = 0; a < s->ng; a++)
      left = fmax(left, dot(A + (long)a * nq, A + (long)a * nq, nq));
  free(A);
  free(Q);
  free(taken);
  return 1 / sqrt(left);
}

/* lambda := its component in the range of G; G' lambda depends on no other component. */
void cst_system_least_norm(const cst_system *s, const double *c, const double *q, double *lambda) {
  CST_REQUIRE(s && (c || !s->npar) && q && lambda);
  const size_t nq = (size_t)s->nq;
  const size_t ng = (size_t)s->ng;
  const int    rank = cst_system_rank(s, c, q);
  if (rank == s->ng)
    return;
  if (!isfinite(dot(lambda, lambda, s->ng)))
    return;
  double *G = cst_linear_numbers(ng * nq);
  double *A = cst_linear_numbers(ng * nq);
  double *Q = cst_linear_numbers(ng * ng);
  double *x = cst_linear_numbers(ng);
  int    *taken = cst_zeros(ng, sizeof *taken);
  cst_system_matrix(s, CST_K_G, c, q, NULL, G);
  for (size_t a = 0; a < ng; a++)
    for (size_t i = 0; i < nq; i++)
      A[i * ng + a] = G[a * nq + i];
  const int r = basis(A, s->nq, s->ng, rank, 0, taken, Q);
  for (int k = 0; k < r; k++) {
    const double *row = Q + (size_t)k * ng;
    const double  t = dot(lambda, row, s->ng);
    for (size_t a = 0; a < ng; a++)
      x[a] += t * row[a];
  }
  cst_linear_copy(lambda, x, ng);
  free(G);
  free(A);
  free(Q);
  free(x);
  free(taken);
}

double cst_rank_approach(const cst_system *s, const double *c, double *q, double *off) {
  const int  nq = s->nq;
  const long ng = s->ng;
  const int  most = ng < nq ? ng : nq;
  double    *length = cst_linear_numbers(ng);
  double    *g = cst_linear_numbers(ng);
  double    *G = unit_rows(s, c, q, length);
  double    *A = cst_linear_numbers(ng * nq);
  double    *Q = cst_linear_numbers(ng * nq);
  double    *y = cst_linear_numbers(ng);
  double     step = 0;
  int       *taken = cst_zeros(ng, sizeof *taken);
  cst_linear_copy(A, G, ng * nq);
  const int r = basis(A, ng, nq, most, SMALL, taken, Q);
  cst_system_eval_at(s, CST_K_g, c, q, g);
  *off = 0;
  for (long a = 0; a < ng; a++)
    if (g[a] != 0)
      *off = fmax(*off, fabs(g[a]) / length[a]);
  for (long k = 0; k < r; k++) { /* row taken[k] is a combination of Q_0 .. Q_k */
    const long    a = taken[k];
    const double *row = G + a * nq;
    y[k] = -g[a] / length[a];
    for (long j = 0; j < k; j++) {
      const double along = dot(row, Q + j * nq, nq);
      y[k] -= along * y[j];
    }
    y[k] /= dot(row, Q + k * nq, nq);
  }
  for (int i = 0; i < nq; i++) {
    double d = 0;
    for (long k = 0; k < r; k++)
      d += y[k] * Q[k * nq + i];
    q[i] += d;
    if (isnan(d))
      step = INFINITY;
    else
      step = fmax(step, fabs(d));
  }
  double *owned[] = {length, g, G, A, Q, y};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  free(taken);
  return step;
}

static double size_of(const double *q, int n) {
  double size = 0;
  for (int i = 0; i < n; i++)
    size = fmax(size, fabs(q[i]));
  return size > 0 ? size : 1;
}

/* q := a point near q on g = 0, even if constraints are redundant. */
static bool reach(const cst_system *s, const double *c, double *q) {
  for (int k = 0; k < NEWTON_ITERATIONS; k++) {
    double       off;
    const double step = cst_rank_approach(s, c, q, &off);
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
  double      *A = unit_rows(s, c, q, NULL);
  double      *Q = cst_linear_numbers((size_t)ng * nq);
  const int    held = ng - s->nvel; /* constraints on positions */
  int          r = 0;
  for (int k = 0; k < ng; k++) {
    /* without bodies, all constraints are the user's own */
    const int a = k < held ? (k + s->nown) % held : k;
    double   *row = A + (size_t)a * nq;
    double    left = remainder_of(row, Q, r, s->nq);
    dropped[a] = !(left > SMALL) || r == s->nq;
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
    if (!reach(s, c, x))
      continue;
    found = true;
    const int r = cst_system_rank(s, c, x);
    *low = r < *low ? r : *low;
    *high = r > *high ? r : *high;
  }
  free(x);
  return found;
}

void cst_system_enforce(cst_system *s, unsigned char *dropped) {
  CST_REQUIRE(s);
  const size_t n = (size_t)s->ng;
  bool         same = !dropped && !s->dropped;
  if (dropped && s->dropped)
    same = !memcmp(dropped, s->dropped, n);
  if (same) {
    free(dropped);
    return;
  }
  free(s->dropped);
  s->dropped = dropped;
  cst_system_structure(s);
}

static bool large(const cst_system *s, const double *c, const double *q, char *why, int n) {
  if (is_strong(s, c, q))
    return true;
  snprintf(
      why, (size_t)n,
      "the constraints are dependent or nearly dependent at the start; systems of more than %d "
      "coordinates need independent ones",
      MAX_RANKED);
  return false;
}

/* The same for a start on g = 0. */
static bool redundant_on(const cst_system *s, const double *c, const double *q,
                         unsigned char **dropped, char *why, int n) {
  const int ng = s->ng;
  const int rank = cst_system_rank(s, c, q);
  int       low = rank, high = rank;
  /* full rank at q means full rank nearby */
  if (rank < ng && !neighbours(s, c, q, &low, &high)) {
    snprintf(
        why, (size_t)n,
        "the constraints have rank %d of %d at the start, and no state near it satisfies them; "
        "write them so that their gradients do not vanish",
        rank, ng);
    return false;
  }
  if (low == high && rank == s->nq) {
    snprintf(why, (size_t)n, "the constraints have rank %d on %d coordinates and leave no motion",
             rank, s->nq);
    return false;
  }
  if (low == high && rank == ng)
    return true;
  *dropped = cst_zeros(ng, 1);
  if (low == high && choose(s, c, q, *dropped) == rank)
    return true;
  free(*dropped);
  *dropped = NULL;
  snprintf(why, (size_t)n,
           "the constraints lose rank at the start (rank %d of %d there, %d nearby): the motion "
           "from there "
           "is not unique; start from another state",
           rank, ng, high > rank ? high : low);
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
  if (is_large(s) && !s->dropped && is_strong(s, c, q))
    return true;
  double *start = cst_linear_numbers(nq);
  cst_linear_copy(start, q, nq);
  /* Off g = 0 the rank cannot be judged; projection and residuals report what is wrong. */
  const bool good = !reach(s, c, start) || redundant_on(s, c, start, dropped, why, n);
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
