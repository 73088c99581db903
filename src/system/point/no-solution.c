/* no-solution.c: whether constraints that depend on the time have no solution any more at the end of the next step, or half
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
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include "core/boundary.h"
#include "system/point/linear.h"
#include "system/point/rank.h"

static const double MET = 1e-10;  /* |r| of a root, as a part of L */
static const double FLAT = 0.01;  /* y^2 of a stationary point, as a part of |r|/L */
static const double ASIDE = 0.25; /* the way to points beside the motion, as a part of L */
static const double LEFT = 0.1;   /* |r| of a state that has left its constraints, as a part of L */
static const double REACH[] = {1, 1.5}; /* in steps */
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
  if (!s->driven || nq > CST_MAX_Q || ng > CST_MAX_G || !is_finite(q, v, h, nq))
    return false;
  double *at = cst_linear_numbers(s->npar + 3L * ng + (2L + ng) * nq + (long)ng * ng);
  double *length = at + s->npar, *x = length + ng, *y = x + nq, *r = y + nq, *J = r + ng,
         *S = J + (long)ng * nq, *b = S + (long)ng * ng;
  int         *row = cst_zeros(ng, sizeof *row);
  const double far = cst_system_lengths(s, c, q, length);
  double       top = 0;
  for (int i = 0; i < nq; i++)
    top = fmax(top, fabs(q[i]));
  const search z = {s, at, ng - s->nvel, far, 256 * DBL_EPSILON * top, length, x, y, r, J,
                    S, b,  row};
  cst_rank_lengths(s, c, q, length);
  cst_linear_copy(at, c, s->npar);
  const bool near = residual(&z, q) <= LEFT * far;
  bool       lost = false;
  for (int k = 0; k < 2 && near && !lost; k++) {
    at[s->account - 1] = c[s->account - 1] + REACH[k] * h;
    lost = leads_nowhere(&z, q, v, h);
  }
  free(at);
  free(row);
  return lost;
}
