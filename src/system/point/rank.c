/* rank.c: the rank of the constraints, its condition number, and multipliers that are not unique: then the
 * least-norm lambda is taken. Whether a motion soon loses rank, or has no solution any more. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/rank.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "constella/random.h"
#include "core/boundary.h"
#include "system/point/linear.h"

static const double WEAK_PIVOT = 1e-12; /* pivot of S, relative to its diagonal */

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

double cst_rank_remainder(double *x, const double *Q, int k, int n) {
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
    top = cst_rank_remainder(q, Q, r, n);
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

double *cst_rank_unit_rows(const cst_system *s, const double *c, const double *q, double *length) {
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

static bool is_large(const cst_system *s) { return s->nq > CST_MAX_Q; }

bool cst_rank_is_strong(const cst_system *s, const double *c, const double *q) {
  double   *G = cst_linear_numbers(s->model->pattern[CST_K_G].n);
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
  if (is_large(s) && !s->model->dropped && cst_rank_is_strong(s, c, q))
    return ng;
  double   *A = cst_rank_unit_rows(s, c, q, NULL);
  double   *Q = cst_linear_numbers((long)ng * nq);
  int      *taken = cst_zeros(ng, sizeof *taken);
  const int most = ng < nq ? ng : nq;
  const int r = basis(A, ng, nq, most, CST_RANK_SMALL, taken, Q);
  free(A);
  free(Q);
  free(taken);
  return r;
}

void cst_rank_lengths(const cst_system *s, const double *c, const double *q, double *length) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *G = cst_linear_numbers(P->n);
  cst_system_eval_at(s, CST_K_G, c, q, G);
  for (int a = 0; a < s->ng; a++) {
    double most = 0, sum = 0; /* the squares of a row may overflow or vanish */
    CST_EACH_ENTRY(P, a, e)
      most = fmax(most, fabs(G[e]));
    CST_EACH_ENTRY(P, a, e)
      sum += most > 0 ? G[e] / most * (G[e] / most) : 0;
    length[a] = most * sqrt(sum);
  }
  free(G);
}

/* The condition number of the rows of G(q), each divided by its length[ng], where the rank is `rank`: 1 over
 * the smallest pivot, the part of a row that the rows of larger pivots do not contain. Infinite where the rank
 * is lower. Large systems take the lengths at q. */
static double rank_condition(const cst_system *s, const double *c, const double *q, int rank,
                             const double *length) {
  const int nq = s->nq;
  if (is_large(s)) {
    double   *G = cst_linear_numbers(s->model->pattern[CST_K_G].n);
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

double cst_rank_approach(const cst_system *s, const double *c, const unsigned char *without,
                         double *q, double *off) {
  const int  nq = s->nq;
  const long ng = s->ng;
  const int  most = ng < nq ? ng : nq;
  double    *length = cst_linear_numbers(ng);
  double    *g = cst_linear_numbers(ng);
  double    *G = cst_rank_unit_rows(s, c, q, length);
  double    *A = cst_linear_numbers(ng * nq);
  double    *Q = cst_linear_numbers(ng * nq);
  double    *y = cst_linear_numbers(ng);
  double     step = 0;
  int       *taken = cst_zeros(ng, sizeof *taken);
  cst_linear_copy(A, G, ng * nq);
  for (long a = 0; a < ng && without; a++)
    if (without[a])
      cst_linear_clear(A + a * nq, nq);
  const int r = basis(A, ng, nq, most, CST_RANK_SMALL, taken, Q);
  cst_system_eval_at(s, CST_K_g, c, q, g);
  *off = 0;
  for (long a = 0; a < ng; a++)
    if (g[a] != 0 && !(without && without[a]))
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

/* ---- ahead of a motion ----------------------------------------------------------------------- */

/* Whether the constraints lose rank within the next step of a motion.
 *
 * A step cannot be made, whatever its size and method, through a state where the rows of G become dependent:
 * multipliers grow without bound there, or the motion branches. The condition number of the rows is sought on a
 * way of length 1.5 h |v|, because stages and extrapolations reach beyond the step, and as far behind, because a
 * step that has passed such a state may end on another branch, where the next one fails. The way begins at q
 * along v and goes straight on in small parts, each brought towards g = 0; shorter ways around its worst point
 * follow. Where some 450 factorisations of S take too long, nothing is sought.
 */

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
  const double condition = rank_condition(w->system, w->c, w->x, w->rank, w->length);
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
  if (s->model->gram.banded && s->model->gram.work > DEAR)
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
  const double here = rank_condition(s, c, q, rank, length);
  free(numbers);
  return worst >= LOST && worst >= GROWTH * here ? worst : 0;
}

/* ---- ahead of a drive ------------------------------------------------------------------------ */

/* Whether constraints that depend on the time have no solution any more at the end of the next step, or half
 * a step behind it, which the first parts of compositions reach.
 *
 * A drive may move to where its bars do not reach. No step, however small, passes this time. The residuals r_j =
 * g_j(q, t + h), each divided by the length of its row of G at the last good state, are distances. Their sum of
 * squares is made small by Levenberg and Marquardt's method,
 *
 *   d = -J'(J J' + mu)^-1 r,   J = Dr,
 *
 * from several points around the state. Let y = |J'r|/|r| at the end. Newton's method would go about |r|/y from there to
 * a root, and on this way J changes by |r|/(y L), L the length over which the constraints bend. So a root is near only if
 * y is at least about |r|/(y L), as in Kantorovich's theorem. There is no solution where y^2 is far below |r|/L at all
 * these ends. One root that is found, or one end that tells nothing, is enough for a solution to be possible. Of a state
 * that has itself left its constraints nothing is said.
 */

static const double MET = 1e-10;  /* |r| of a root, as a part of L */
static const double FLAT = 0.01;  /* y^2 of a stationary point, as a part of |r|/L */
static const double ASIDE = 0.25; /* the way to points beside the motion, as a part of L */
static const double LEFT = 0.1;   /* |r| of a state that has left its constraints, as a part of L */
static const double DRIVEN[] = {1, 1.5}; /* in steps */
enum { STARTS = 8, MOST = 200 };

typedef enum { ROOT, STATIONARY, UNKNOWN } outcome;

typedef struct {
  const cst_system *system;
  const double     *c;          /* the time is that of the end of the step */
  int               m;          /* constraints on positions */
  double            far, noise; /* L; of |r|, by the round-off of the coordinates */
  double           *length;     /* [m] of the rows at the state */
  double           *x, *y;      /* [nq] the point, and the next one */
  double           *r, *J;      /* [m], [m][nq] at x */
  double           *S, *b;      /* [m][m], [m] */
  int              *row;
} search;

/* |r| at a point; NaN or infinite where the constraints are not defined. */
static double residual(const search *z, const double *x) {
  double sum = 0;
  cst_system_eval_at(z->system, CST_K_g, z->c, x, z->b);
  for (int a = 0; a < z->m; a++) {
    z->b[a] /= z->length[a];
    sum += z->b[a] * z->b[a];
  }
  return sqrt(sum);
}

/* J and r at x; the return value is |J'r|. */
static double linearise(const search *z) {
  const int nq = z->system->nq;
  double    sum = 0;
  residual(z, z->x);
  cst_linear_copy(z->r, z->b, z->m);
  cst_system_matrix(z->system, CST_K_G, z->c, z->x, NULL, z->J);
  for (int a = 0; a < z->m; a++)
    for (int i = 0; i < nq; i++)
      z->J[(long)a * nq + i] /= z->length[a];
  for (int i = 0; i < nq; i++) {
    double slope = 0;
    for (int a = 0; a < z->m; a++)
      slope += z->J[(long)a * nq + i] * z->r[a];
    sum += slope * slope;
  }
  return sqrt(sum);
}

/* y := x + d; false where the matrix cannot be factored. */
static bool move(const search *z, double mu) {
  const int nq = z->system->nq;
  for (int a = 0; a < z->m; a++)
    for (int b = 0; b < z->m; b++)
      z->S[a * z->m + b] =
          cst_linear_dot(z->J + (long)a * nq, z->J + (long)b * nq, nq) + (a == b ? mu : 0);
  if (!cst_dense_factor(z->S, z->row, z->m))
    return false;
  cst_linear_copy(z->b, z->r, z->m);
  cst_dense_solve(z->S, z->row, z->m, z->b);
  for (int i = 0; i < nq; i++) {
    z->y[i] = z->x[i];
    for (int a = 0; a < z->m; a++)
      z->y[i] -= z->J[(long)a * nq + i] * z->b[a];
  }
  return true;
}

/* Where the sum of squares leads to from x. */
static outcome descend(const search *z) {
  double size = residual(z, z->x), slope = linearise(z), mu = 1e-3;
  for (int k = 0; k < MOST && isfinite(size); k++) {
    if (size <= MET * z->far + z->noise)
      return ROOT;
    if (slope / size * (slope / size) <= FLAT * size / z->far)
      return STATIONARY;
    const double next = move(z, mu) ? residual(z, z->y) : INFINITY;
    if (!(next < size)) {
      mu *= 4;
      continue;
    }
    mu = fmax(mu / 4, DBL_EPSILON);
    cst_linear_copy(z->x, z->y, z->system->nq);
    size = next;
    slope = linearise(z);
  }
  return UNKNOWN;
}

/* x := start number k: the state, points before it along v, and points beside it in directions that no symmetry of
 * a system prefers. */
static void start(const search *z, int k, const double *q, const double *v, double h) {
  static const double along[STARTS] = {0, 1, 0.5, 2, 1, 1, 1, 1};
  const int           nq = z->system->nq;
  double              part = 0;
  for (int i = 0; i < nq; i++)
    part = fmax(part, fabs(h * v[i]));
  part = part > z->far ? z->far / part : 1;
  for (int i = 0; i < nq; i++) {
    z->x[i] = q[i] + along[k] * part * h * v[i];
    if (k >= STARTS / 2)
      z->x[i] += ASIDE * z->far * sin(1.0 + 7.1 * k + 2.3 * i);
  }
}

/* Whether every start leads to a point without a solution near it. */
static bool leads_nowhere(const search *z, const double *q, const double *v, double h) {
  for (int k = 0; k < STARTS; k++) {
    start(z, k, q, v, h);
    if (descend(z) != STATIONARY)
      return false;
  }
  return true;
}

static bool is_finite(const double *q, const double *v, double h, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(q[i]) || !isfinite(h * v[i]))
      return false;
  return true;
}

bool cst_system_no_solution_ahead(const cst_system *s, const double *c, const double *q,
                                  const double *v, double h) {
  CST_REQUIRE(s && (c || !s->npar) && q && v, false);
  const int nq = s->nq, ng = s->ng;
  if (!cst_has(s, CST_DRIVEN) || nq > CST_MAX_Q || ng > CST_MAX_G || !is_finite(q, v, h, nq))
    return false;
  double *at = cst_linear_numbers(s->npar + 3L * ng + (2L + ng) * nq + (long)ng * ng);
  double *length = at + s->npar, *x = length + ng, *y = x + nq, *r = y + nq, *J = r + ng,
         *S = J + (long)ng * nq, *b = S + (long)ng * ng;
  int         *row = cst_zeros(ng, sizeof *row);
  const double far = cst_system_lengths(s, c, q, length);
  double       top = 0;
  for (int i = 0; i < nq; i++)
    top = fmax(top, fabs(q[i]));
  const search z = {s, at, ng - s->model->nvel, far, 256 * DBL_EPSILON * top, length, x, y, r, J, S,
                    b, row};
  cst_rank_lengths(s, c, q, length);
  cst_linear_copy(at, c, s->npar);
  const bool near = residual(&z, q) <= LEFT * far;
  bool       lost = false;
  for (int k = 0; k < 2 && near && !lost; k++) {
    at[s->model->account - 1] = c[s->model->account - 1] + DRIVEN[k] * h;
    lost = leads_nowhere(&z, q, v, h);
  }
  free(at);
  free(row);
  return lost;
}
