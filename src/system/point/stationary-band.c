/* stationary-band.c: the nearest point on constraints that couple as a band, by elimination within the band
 * (see stationary-band.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/point/stationary-band.h"
#include <float.h>
#include <math.h>
#include <string.h>

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

/* ---- structure ------------------------------------------------------------------------------- */

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
  const cst_pattern *P = &b->s->pattern[CST_K_G];
  const int          nq = b->s->nq;
  const int         *place = b->s->gram.place;
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
  const cst_pattern *P = &b->s->pattern[CST_K_G];
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
  const cst_pattern *P = &b->s->pattern[CST_K_G];
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

cst_stationary_band *cst_stationary_band_create(const cst_system *s, const int *kept, int n) {
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

/* ---- the matrix ------------------------------------------------------------------------------ */

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
  const cst_pattern *P = &b->s->pattern[CST_K_G];
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

bool cst_stationary_band_solve(cst_stationary_band *b, const double *c, const double *x,
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
bool cst_stationary_band_is_positive(cst_stationary_band *b, const double *c, const double *x,
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
