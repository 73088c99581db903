/* stationary.c: Newton's method for a stationary point of the distance to the constraints (stationary.h).
 *
 * Its matrix is [K, -G'; G, 0] with K = 1 - D2(theta.g). Small systems factor it. Large systems whose
 * constraints couple as a band factor it within the band. Other large systems factor G G'
 * and find the tangential part of the step by conjugate gradients (Gould, Hribar, Nocedal, SIAM J. Sci.
 * Comput. 23 (2001), 1376), in linear time and memory.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/stationary.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Iterations of conjugate gradients at most, and where they end: |projected residual| relative to the
 * first. */
enum { CST_STATIONARY_GRADIENTS = 200 };

/* ---- constraints that couple as a band ------------------------------------------------------- */

/* Newton's equations for the nearest point, by elimination within the band. */

struct cst_stationary_band {
  const cst_system *s;
  const int        *kept;
  int  n, size, half; /* constraints; unknowns; entries on either side of the diagonal */
  int *place;         /* [nq + n] the position of an unknown in the order of the band */
  /* coordinates that share a constraint with coordinate i, itself included: near[first[i] .. first[i + 1] -
   * 1] */
  int *first, *near;
  int  colours, *colour;
  /* a[size][width]: row i has columns i - half .. i + 2 half; x[size]; w, y[nq] */
  double *a, *x, *w, *y;
};

static int width_of(const cst_stationary_band *b) { return 3 * b->half + 1; }

static double *entry(const cst_stationary_band *b, int i, int j) {
  const long row = (long)i * width_of(b);
  return b->a + row + j - i + b->half;
}

/* ---- structure of the band ------------------------------------------------------------------- */

typedef struct {
  int key, unknown;
} position;

static int by_key(const void *a, const void *b) {
  const position *x = a;
  const position *y = b;
  if (x->key != y->key)
    return x->key - y->key;
  return x->unknown - y->unknown;
}

/* A coordinate comes before the first of its constraints. */
static void order(cst_stationary_band *b) {
  const cst_pattern *P = &b->s->model->pattern[CST_K_G];
  const int          nq = b->s->nq;
  const int         *place = b->s->model->gram.place;
  position          *list = cst_zeros(b->size, sizeof *list);
  for (int i = 0; i < nq; i++)
    list[i] = (position){b->s->ng, i};
  for (int k = 0; k < b->n; k++) {
    const int a = b->kept[k];
    list[nq + k] = (position){place[a], nq + k};
    CST_EACH_ENTRY(P, a, e) {
      position *x = &list[P->column[e]];
      if (place[a] < x->key)
        x->key = place[a];
    }
  }
  qsort(list, (size_t)b->size, sizeof *list, by_key);
  for (int i = 0; i < b->size; i++)
    b->place[list[i].unknown] = i;
  free(list);
}

static bool has(const int *list, int n, int x) {
  for (int i = 0; i < n; i++)
    if (list[i] == x)
      return true;
  return false;
}

enum { MOST = 64 }; /* neighbours of a coordinate in a band */

/* Adds j to the neighbours of coordinate i, list[MOST]; false if there are too many. */
static bool add_near(int *list, int *count, int j) {
  if (has(list, *count, j))
    return true;
  if (*count == MOST)
    return false;
  list[*count] = j;
  ++*count;
  return true;
}

/* Finds the neighbours of every coordinate; returns false if a coordinate has too many for a band. */
static bool find_near(cst_stationary_band *b) {
  const cst_pattern *P = &b->s->model->pattern[CST_K_G];
  const int          nq = b->s->nq;
  int               *count = cst_zeros(nq, sizeof *count);
  int               *list = cst_zeros((long)nq * MOST, sizeof *list);
  bool               good = true;
  for (long i = 0; i < nq; i++) {
    list[i * MOST] = (int)i;
    count[i] = 1;
  }
  for (int k = 0; k < b->n && good; k++)
    CST_EACH_ENTRY(P, b->kept[k], e) {
      const long i = P->column[e];
      CST_EACH_ENTRY(P, b->kept[k], f)
        good = good && add_near(list + i * MOST, &count[i], P->column[f]);
    }
  for (int i = 0; i < nq; i++)
    b->first[i + 1] = b->first[i] + count[i];
  b->near = cst_zeros(b->first[nq], sizeof *b->near);
  for (long i = 0; i < nq; i++) {
    int *near = b->near + b->first[i];
    for (int k = 0; k < count[i]; k++)
      near[k] = list[i * MOST + k];
  }
  free(count);
  free(list);
  return good;
}

static int larger(int a, int b) { return a > b ? a : b; }

static void widen(cst_stationary_band *b, int one, int other) {
  const int distance = abs(b->place[one] - b->place[other]);
  b->half = larger(b->half, distance);
}

static void find_half_width(cst_stationary_band *b) {
  const cst_pattern *P = &b->s->model->pattern[CST_K_G];
  const int          nq = b->s->nq;
  for (int i = 0; i < nq; i++)
    for (int e = b->first[i]; e < b->first[i + 1]; e++)
      widen(b, i, b->near[e]);
  for (int k = 0; k < b->n; k++)
    CST_EACH_ENTRY(P, b->kept[k], e)
      widen(b, nq + k, P->column[e]);
}

/* Colours the coordinates so that two with a common neighbour have different colours. */
static void paint(cst_stationary_band *b) {
  const int nq = b->s->nq;
  int      *taken = cst_zeros(nq, sizeof *taken);
  for (int k = 0; k <= nq; k++)
    taken[k] = -1;
  for (int i = 0; i < nq; i++)
    b->colour[i] = -1;
  for (int i = 0; i < nq; i++) {
    for (int e = b->first[i]; e < b->first[i + 1]; e++) {
      const int j = b->near[e];
      for (int f = b->first[j]; f < b->first[j + 1]; f++) {
        const int colour = b->colour[b->near[f]];
        if (colour >= 0)
          taken[colour] = i;
      }
    }
    int k = 0;
    while (taken[k] == i)
      k++;
    b->colour[i] = k;
    b->colours = larger(b->colours, k + 1);
  }
  free(taken);
}

static cst_stationary_band *band_create(const cst_system *s, const int *kept, int n) {
  cst_stationary_band *b = cst_need(calloc(1, sizeof *b));
  const size_t         nq = (size_t)s->nq;
  *b = (cst_stationary_band){.s = s, .kept = kept, .n = n, .size = s->nq + n};
  b->place = cst_zeros(b->size, sizeof *b->place);
  b->first = cst_zeros(nq, sizeof *b->first);
  b->colour = cst_zeros(nq, sizeof *b->colour);
  const bool good = find_near(b);
  if (good) {
    order(b);
    find_half_width(b);
    paint(b);
  }
  if (!good || 3 * b->half + 1 > b->size) {
    cst_stationary_band_destroy(b);
    return NULL;
  }
  const long entries = (long)b->size * width_of(b);
  b->a = cst_linear_numbers(entries);
  b->x = cst_linear_numbers(b->size);
  b->w = cst_linear_numbers(nq);
  b->y = cst_linear_numbers(nq);
  return b;
}

void cst_stationary_band_destroy(cst_stationary_band *b) {
  if (!b)
    return;
  free(b->place);
  free(b->first);
  free(b->near);
  free(b->colour);
  free(b->a);
  free(b->x);
  free(b->w);
  free(b->y);
  free(b);
}

/* ---- matrix of the band ---------------------------------------------------------------------- */

/* 1 - D2(theta.g)(x) for the coordinates, zeros elsewhere. */
static void fill_curvature(cst_stationary_band *b, const double *c, const double *x,
                           const double *theta) {
  const cst_system *s = b->s;
  const int         nq = s->nq;
  cst_linear_clear(b->a, (long)b->size * width_of(b));
  for (int k = 0; k < b->colours; k++) {
    for (int i = 0; i < nq; i++)
      b->w[i] = b->colour[i] == k;
    cst_system_eval(s, CST_K_D2glw, c, x, NULL, b->w, NULL, theta, b->y);
    for (int j = 0; j < nq; j++) {
      if (b->colour[j] != k)
        continue;
      for (int e = b->first[j]; e < b->first[j + 1]; e++) {
        const int i = b->near[e];
        double   *to = entry(b, b->place[i], b->place[j]);
        *to = (i == j) - b->y[i];
      }
    }
  }
}

static void fill_constraints(cst_stationary_band *b, const double *G) {
  const cst_pattern *P = &b->s->model->pattern[CST_K_G];
  for (int k = 0; k < b->n; k++)
    CST_EACH_ENTRY(P, b->kept[k], e) {
      const int row = b->place[b->s->nq + k];
      const int column = b->place[P->column[e]];
      *entry(b, row, column) = G[e];
      *entry(b, column, row) = -G[e];
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }

static void swap_rows(cst_stationary_band *b, int k, int other, int end) {
  for (int j = k; j < end; j++) {
    double *u = entry(b, k, j);
    double *v = entry(b, other, j);
    double  t = *u;
    *u = *v;
    *v = t;
  }
  const double t = b->x[k];
  b->x[k] = b->x[other];
  b->x[other] = t;
}

/* Subtracts a multiple of row k from row i, which eliminates column k. */
static void subtract_row(cst_stationary_band *b, int k, int i, int end) {
  double       *to = entry(b, i, k);
  const double *from = entry(b, k, k);
  const double  f = *to / *from;
  if (f == 0)
    return;
  for (int j = 1; j < end - k; j++)
    to[j] -= f * from[j];
  b->x[i] -= f * b->x[k];
}

/* x := A^-1 x. */
static bool eliminate(cst_stationary_band *b) {
  for (int k = 0; k < b->size; k++) {
    const int last = smaller(b->size, k + b->half + 1);
    const int end = smaller(b->size, k + 2 * b->half + 1);
    int       pivot = k;
    double    most = fabs(*entry(b, k, k));
    for (int i = k + 1; i < last; i++) {
      const double size = fabs(*entry(b, i, k));
      if (size > most) {
        most = size;
        pivot = i;
      }
    }
    if (!(most > 0))
      return false;
    if (pivot != k)
      swap_rows(b, k, pivot, end);
    for (int i = k + 1; i < last; i++)
      subtract_row(b, k, i, end);
  }
  for (int k = b->size - 1; k >= 0; k--) {
    const double *row = entry(b, k, k);
    double       *x = b->x + k;
    const int     end = smaller(b->size, k + 2 * b->half + 1);
    const int     n = end - k;
    for (int j = 1; j < n; j++)
      x[0] -= row[j] * x[j];
    x[0] /= row[0];
    if (!isfinite(x[0]))
      return false;
  }
  return true;
}

/* r[nq + ng] becomes (dx, dtheta), which is 0 for constraints not in `kept`. G: entries at x. Returns false
 * if the matrix is singular. */
static bool band_solve(cst_stationary_band *b, const double *c, const double *x,
                       const double *theta, const double *G, double *r) {
  const int  nq = b->s->nq;
  const int *place = b->place;
  double    *residual = r + nq; /* of the constraints */
  fill_curvature(b, c, x, theta);
  fill_constraints(b, G);
  for (int i = 0; i < nq; i++)
    b->x[place[i]] = r[i];
  for (int k = 0; k < b->n; k++) {
    const int at = place[nq + k];
    b->x[at] = residual[b->kept[k]];
  }
  if (!eliminate(b))
    return false;
  for (int i = 0; i < nq; i++)
    r[i] = b->x[place[i]];
  cst_linear_clear(residual, b->s->ng);
  for (int k = 0; k < b->n; k++) {
    const int at = place[nq + k];
    residual[b->kept[k]] = b->x[at];
  }
  return true;
}

/* True if all pivots of the elimination without row exchanges are positive. Each constraint is replaced by a
 * row of the identity. */
static bool band_is_positive(cst_stationary_band *b, const double *c, const double *x,
                             const double *theta) {
  const long entries = (long)b->size * width_of(b);
  double     top = 0;
  fill_curvature(b, c, x, theta);
  for (int k = 0; k < b->n; k++) {
    const int row = b->place[b->s->nq + k];
    *entry(b, row, row) = 1;
  }
  cst_linear_clear(b->x, b->size);
  for (long i = 0; i < entries; i++)
    top = fmax(top, fabs(b->a[i]));
  const double least = b->size * DBL_EPSILON * top;
  for (int k = 0; k < b->size; k++) {
    const int last = smaller(b->size, k + b->half + 1);
    if (!(*entry(b, k, k) > least))
      return false;
    for (int i = k + 1; i < last; i++)
      subtract_row(b, k, i, last);
  }
  return true;
}

/* ---- iteration ------------------------------------------------------------------------------- */

enum { NEWTON_ITERATIONS = 12, LARGE_ITERATIONS = 30, DENSE = 100 };
static const double tolerance_of = 1e-8;

void cst_stationary_gradient(const cst_system *s, const double *c, const double *q, double *G) {
  cst_system_eval_at(s, CST_K_G, c, q, G);
}
void cst_stationary_constraint(const cst_system *s, const double *c, const double *q, double *g) {
  cst_system_eval_at(s, CST_K_g, c, q, g);
}

/* The next n numbers. */
static double *take(double **from, size_t n) {
  *from += n;
  return *from - n;
}

cst_stationary cst_stationary_begin(const cst_system *s, const double *c, const double *q) {
  cst_stationary p = {.s = s, .c = c, .q = q};
  const size_t   nq = (size_t)s->nq;
  const size_t   ng = (size_t)s->ng;
  const size_t   entries = (size_t)s->model->pattern[CST_K_G].n;
  p.kept = cst_zeros((long)(nq + 2 * ng), sizeof *p.kept);
  p.row = p.kept + ng;
  for (int a = 0; a < s->ng - s->model->nvel; a++)
    if (cst_system_enforces(s, a))
      p.kept[p.n++] = a;
  if (s->model->gram.form == CST_FORM_BAND)
    p.band = band_create(s, p.kept, p.n);
  const bool   small = !s->model->gram.banded || s->nq + p.n <= DENSE;
  const bool   dense = !p.band && small && s->nq <= CST_MAX_Q;
  const size_t n = dense ? nq + (size_t)p.n : 0;
  p.numbers = cst_linear_numbers(4 * nq + 5 * ng + entries + n * n);
  double *at = p.numbers;
  p.x = take(&at, nq);
  p.theta = take(&at, ng);
  p.g = take(&at, ng);
  p.G = take(&at, entries);
  p.r = take(&at, nq + ng);
  p.g0 = take(&at, ng);
  p.length = take(&at, ng);
  p.w = take(&at, nq);
  p.column = take(&at, nq);
  if (dense)
    p.J = take(&at, n * n);
  cst_stationary_constraint(s, c, q, p.g0);
  cst_system_lengths(s, c, q, p.length);
  return p;
}

void cst_stationary_end(cst_stationary *p) {
  cst_stationary_band_destroy(p->band);
  free(p->numbers);
  free(p->kept);
}

/* r := the residual of the equations with g(x) = level g(q). */
static void residual(cst_stationary *p, double level) {
  const int          nq = p->s->nq;
  const cst_system  *s = p->s;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  cst_stationary_constraint(s, p->c, p->x, p->g);
  cst_stationary_gradient(s, p->c, p->x, p->G);
  for (int i = 0; i < nq; i++)
    p->r[i] = p->q[i] - p->x[i];
  cst_linear_pattern_add_transposed(P, p->G, p->theta, p->r);
  for (int a = 0; a < p->s->ng; a++)
    p->r[nq + a] = level * p->g0[a] - p->g[a];
}

/* K = 1 - D2(theta.g)(x), in rows of length n. */
static void curvature(const cst_stationary *p, double *K, int n) {
  const cst_system *s = p->s;
  const int         nq = s->nq;
  for (int j = 0; j < nq; j++) {
    p->w[j] = 1;
    cst_system_eval(s, CST_K_D2glw, p->c, p->x, NULL, p->w, NULL, p->theta, p->column);
    p->w[j] = 0;
    for (int i = 0; i < nq; i++)
      K[i * n + j] = (i == j) - p->column[i];
  }
}

/* Newton's matrix for (x, theta): [K, -G'; G, 0]. */
static void full_matrix(cst_stationary *p) {
  const cst_pattern *P = &p->s->model->pattern[CST_K_G];
  const int          nq = p->s->nq;
  const int          n = nq + p->n;
  cst_linear_clear(p->J, (long)n * n);
  curvature(p, p->J, n);
  for (int k = 0; k < p->n; k++)
    CST_EACH_ENTRY(P, p->kept[k], e) {
      const int i = P->column[e];
      const int j = nq + k;
      p->J[i * n + j] = -p->G[e];
      p->J[j * n + i] = p->G[e];
    }
}

/* r := (dx, dtheta) of a Newton step; dtheta of constraint a is r[nq + a]. */
static bool full_step(cst_stationary *p) {
  const cst_system *s = p->s;
  const int         nq = s->nq;
  double           *theta = p->r + nq;
  full_matrix(p);
  const int n = nq + p->n;
  if (!cst_dense_factor(p->J, p->row, n))
    return false;
  for (int k = 0; k < p->n; k++)
    theta[k] = theta[p->kept[k]]; /* kept[k] >= k */
  cst_dense_solve(p->J, p->row, n, p->r);
  int k = p->n - 1; /* the last constraint that is kept, up to a */
  for (int a = s->ng - 1; a >= 0; a--) {
    const bool is_kept = k >= 0 && p->kept[k] == a;
    theta[a] = is_kept ? theta[k] : 0;
    if (is_kept)
      k--;
  }
  return true;
}

/* y := K x, K = 1 - D2(theta.g). */
static void second_order(const cst_stationary *p, const double *x, double *y) {
  const cst_system *s = p->s;
  cst_system_eval(s, CST_K_D2glw, p->c, p->x, NULL, x, NULL, p->theta, y);
  for (int i = 0; i < s->nq; i++)
    y[i] = x[i] - y[i];
}

/* dx += z with G z = 0 and P (r - K z) nearly 0, by conjugate gradients in the tangent space; r := r - K z.
 * Where K is not positive there, the iteration stops early and keeps its result; at the nearest point K is
 * positive. */
static void minimise(const cst_stationary *p, const cst_schur *S, double *r, double *dx) {
  const int n = p->s->nq;
  double   *g = cst_linear_numbers(n);
  double   *d = cst_linear_numbers(n);
  double   *Kd = cst_linear_numbers(n);
  double    first = 0, last = 0;
  /* smaller values are round-off */
  const double square = cst_linear_dot(p->x, p->x, n);
  const double least = DBL_EPSILON * DBL_EPSILON * square;
  for (int k = 0; k < CST_STATIONARY_GRADIENTS; k++) {
    cst_linear_copy(g, r, n);
    cst_linear_project_tangent(p->s, p->G, S, g);
    const double size = cst_linear_dot(g, g, n);
    if (k == 0)
      first = size;
    const double enough = tolerance_of * tolerance_of * first;
    const double ratio = k ? size / last : 0;
    if (!(size > enough && size > least))
      break;
    for (int i = 0; i < n; i++)
      d[i] = g[i] + ratio * d[i];
    second_order(p, d, Kd);
    const double curvature = cst_linear_dot(d, Kd, n);
    const double t = cst_linear_dot(r, d, n) / curvature;
    if (!(curvature > 0))
      break;
    for (int i = 0; i < n; i++) {
      dx[i] += t * d[i];
      r[i] -= t * Kd[i];
    }
    last = size;
  }
  free(g);
  free(d);
  free(Kd);
}

/* The same in linear time: dx = G'(G G')^-1 r_g + z, dtheta = (G G')^-1 G (K dx - r_x). */
static bool large_step(cst_stationary *p) {
  const cst_pattern *P = &p->s->model->pattern[CST_K_G];
  const int          nq = p->s->nq;
  const int          ng = p->s->ng;
  double            *dx = cst_linear_numbers(nq);
  double            *rest = cst_linear_numbers(nq);
  cst_schur          S;
  const bool         good = cst_linear_schur_create(&S, p->s, p->G, NULL);
  if (good) {
    cst_linear_schur_solve(&S, p->r + nq);
    cst_linear_pattern_add_transposed(P, p->G, p->r + nq, dx);
    second_order(p, dx, rest);
    for (int i = 0; i < nq; i++)
      rest[i] = p->r[i] - rest[i];
    minimise(p, &S, rest, dx);
    cst_linear_pattern_times(P, p->G, rest, p->r + nq); /* rest = r_x - K dx */
    cst_linear_schur_solve(&S, p->r + nq);
    for (int a = 0; a < ng; a++)
      p->r[nq + a] = -p->r[nq + a];
    cst_linear_copy(p->r, dx, nq);
  }
  cst_linear_schur_destroy(&S);
  free(dx);
  free(rest);
  return good;
}

static bool step_of(cst_stationary *p) {
  if (p->band)
    return band_solve(p->band, p->c, p->x, p->theta, p->G, p->r);
  return p->J ? full_step(p) : large_step(p);
}

/* Newton's method for g(x) = level g(q); it starts at x, theta and overwrites them. */
bool cst_stationary_reach(cst_stationary *p, double level) {
  const int nq = p->s->nq;
  const int most = p->J ? NEWTON_ITERATIONS : LARGE_ITERATIONS;
  for (int k = 0; k < most; k++) {
    double size = 0, step = 0;
    residual(p, level);
    if (!step_of(p))
      return false;
    for (int i = 0; i < nq; i++) {
      p->x[i] += p->r[i];
      step = fmax(step, fabs(p->r[i]));
      size = fmax(size, fabs(p->x[i]));
    }
    for (int a = 0; a < p->s->ng; a++)
      p->theta[a] += p->r[nq + a];
    if (!isfinite(size))
      return false;
    if (step <= 4 * DBL_EPSILON * size)
      return true;
  }
  return false;
}

/* ---- minima ---------------------------------------------------------------------------------- */

/* A stationary point of the distance is a minimum if K = 1 - D2(theta.g)
 * is positive definite, on ker G or everywhere. */

/* True if the symmetric A[n][n] is positive definite beyond round-off. Cholesky's method; overwrites A. */
static bool is_positive(double *A, int n) {
  double top = 0;
  for (int i = 0; i < n * n; i++)
    top = fmax(top, fabs(A[i]));
  for (int j = 0; j < n; j++) {
    double *const row = A + j * n;
    double        pivot = row[j];
    for (int k = 0; k < j; k++)
      pivot -= row[k] * row[k];
    if (!(pivot > n * DBL_EPSILON * top))
      return false;
    row[j] = sqrt(pivot);
    for (int i = j + 1; i < n; i++) {
      double *const below = A + i * n;
      const double  known = cst_linear_dot(below, row, j);
      below[j] = (below[j] - known) / row[j];
    }
  }
  return true;
}

/* An orthonormal basis of the enforced rows of G, [n][nq]. Owned. */
static double *normals(const cst_stationary *p) {
  const cst_pattern *P = &p->s->model->pattern[CST_K_G];
  const int          nq = p->s->nq;
  double            *N = cst_linear_numbers((long)p->n * nq);
  for (int k = 0; k < p->n; k++) {
    double *x = N + k * nq;
    CST_EACH_ENTRY(P, p->kept[k], e)
      x[P->column[e]] = p->G[e];
    for (int j = 0; j < 2 * k; j++) { /* twice, against round-off */
      const double *y = N + j % k * nq;
      const double  t = cst_linear_dot(x, y, nq);
      for (int i = 0; i < nq; i++)
        x[i] -= t * y[i];
    }
    const double size = sqrt(cst_linear_dot(x, x, nq));
    for (int i = 0; i < nq; i++)
      x[i] /= size;
  }
  return N;
}

/* K := (1 - NN') K (1 - NN') + NN', which is positive definite if K is so on ker G. */
static void restrict_curvature(const cst_stationary *p, double *K) {
  const int nq = p->s->nq;
  double   *N = normals(p);
  for (int k = 0; k < p->n; k++) {
    const double *x = N + k * nq;
    for (int i = 0; i < nq; i++) {
      const double t = cst_linear_dot(K + i * nq, x, nq);
      for (int j = 0; j < nq; j++)
        K[i * nq + j] -= t * x[j];
    }
    for (int j = 0; j < nq; j++) {
      double t = 0;
      for (int i = 0; i < nq; i++)
        t += x[i] * K[i * nq + j];
      for (int i = 0; i < nq; i++)
        K[i * nq + j] += (x[j] - t) * x[i];
    }
  }
  free(N);
}

/* For large systems: true if conjugate gradients meet only positive curvature. They start from a vector with
 * a component in every direction. */
static bool is_curved_up(const cst_stationary *p, const cst_schur *S) {
  const int n = p->s->nq;
  double   *r = cst_linear_numbers(n);
  double   *d = cst_linear_numbers(n);
  double   *Kd = cst_linear_numbers(n);
  double    first = 0, last = 0;
  bool      good = true;
  for (int i = 0; i < n; i++)
    r[i] = 0.5 + fmod(0.6180339887498949 * (i + 1), 1);
  for (int k = 0; k < CST_STATIONARY_GRADIENTS; k++) {
    if (S)
      cst_linear_project_tangent(p->s, p->G, S, r);
    const double size = cst_linear_dot(r, r, n);
    if (k == 0)
      first = size;
    const double enough = tolerance_of * tolerance_of * first;
    const double ratio = k ? size / last : 0;
    if (!(size > enough))
      break;
    for (int i = 0; i < n; i++)
      d[i] = r[i] + ratio * d[i];
    second_order(p, d, Kd);
    const double curvature = cst_linear_dot(d, Kd, n);
    good = curvature > 0;
    if (!good)
      break;
    for (int i = 0; i < n; i++)
      r[i] -= size / curvature * Kd[i];
    last = size;
  }
  free(r);
  free(d);
  free(Kd);
  return good;
}

/* True if K is positive definite at x, on ker G or everywhere. */
bool cst_stationary_is_minimum(const cst_stationary *p, bool everywhere) {
  const cst_system *s = p->s;
  bool              good;
  if (p->band && band_is_positive(p->band, p->c, p->x, p->theta))
    return true;
  if (p->J) {
    double *K = p->J; /* of use only within a step */
    curvature(p, K, s->nq);
    if (!everywhere)
      restrict_curvature(p, K);
    good = is_positive(K, s->nq);
  } else {
    cst_schur S = {0};
    good = everywhere || cst_linear_schur_create(&S, s, p->G, NULL);
    good = good && is_curved_up(p, everywhere ? NULL : &S);
    cst_linear_schur_destroy(&S);
  }
  return good;
}
