/* fronts.c: nested dissection in parts, and the multifrontal factors on them (see fronts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/fronts.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

/* ---- nested dissection ----------------------------------------------------------------------- */

enum { LEAF = 24, CORNERS = 3 };

typedef struct {
  cst_parts *to;
  const int *row, *column;
  int       *owner, owners; /* of each unknown: the set that is being cut */
  int       *distance[CORNERS];
  int       *queue, *key, *count, *sorted, *best;
  int        placed;
  int       *interface, ninterface;
} cutter;

/* Distances within the set `mark`, of n members, from `start`; the last one that is reached. What is not connected is
 * beyond the rest. */
static int spread(cutter *c, const int *list, int n, int mark, int start, int *distance) {
  int end = 0, next = 0;
  for (int k = 0; k < n; k++)
    distance[list[k]] = -1;
  c->queue[end++] = start;
  distance[start] = 0;
  for (int at = 0; end < n || at < end; at++) {
    if (at == end) { /* another component */
      while (distance[list[next]] >= 0)
        next++;
      distance[list[next]] = distance[c->queue[end - 1]] + 2;
      c->queue[end++] = list[next];
    }
    const int a = c->queue[at];
    for (int i = c->row[a]; i < c->row[a + 1]; i++) {
      const int b = c->column[i];
      if (c->owner[b] == mark && distance[b] < 0) {
        distance[b] = distance[a] + 1;
        c->queue[end++] = b;
      }
    }
  }
  return c->queue[n - 1];
}

static bool touches(const cutter *c, int a, int mark, int from, int to) {
  for (int i = c->row[a]; i < c->row[a + 1]; i++) {
    const int b = c->column[i];
    if (c->owner[b] == mark && c->key[b] >= from && c->key[b] < to)
      return true;
  }
  return false;
}

/* Sorts the set by c->key, which is from 0 to `most`, into c->sorted. The first place with a key at which about `want`
 * are below; 0 if there is none. */
static int sort(cutter *c, const int *list, int n, int most, int want) {
  int cut = 0;
  memset(c->count, 0, (size_t)(most + 2) * sizeof *c->count);
  for (int k = 0; k < n; k++)
    c->count[c->key[list[k]] + 1]++;
  for (int k = 0; k <= most; k++) {
    c->count[k + 1] += c->count[k];
    const int at = c->count[k + 1];
    if (at < n && (cut == 0 || abs(at - want) < abs(cut - want)))
      cut = at;
  }
  for (int k = 0; k < n; k++)
    c->sorted[c->count[c->key[list[k]]]++] = list[k];
  return cut;
}

/* How many of c->best are below, in the cut, and the rest, in this order; false: it cannot be cut. */
typedef struct {
  int below, cut;
} division;

/* Cuts by a difference of distances; keeps it if its cut is the smallest. */
static void attempt(cutter *c, const int *list, int n, int mark, int want, const int *plus,
                    const int *minus, division *d) {
  int least = INT_MAX, most = 0;
  for (int k = 0; k < n; k++) {
    const int a = list[k];
    c->key[a] = plus[a] - (minus ? minus[a] : 0);
    least = c->key[a] < least ? c->key[a] : least;
  }
  for (int k = 0; k < n; k++) {
    c->key[list[k]] -= least;
    most = c->key[list[k]] > most ? c->key[list[k]] : most;
  }
  const int at = sort(c, list, n, most, want);
  if (at == 0)
    return;
  const int edge = c->key[c->sorted[at]];
  int       low = 0, high = 0;
  for (int k = 0; k < n; k++) {
    const int a = c->sorted[k];
    low += k < at && touches(c, a, mark, edge, INT_MAX);
    high += k >= at && touches(c, a, mark, 0, edge);
  }
  const bool is_low = low <= high;
  const int  size = is_low ? low : high, below = is_low ? at - low : at;
  if (d->cut >= 0 && size >= d->cut)
    return;
  if (below == 0 || below + size == n)
    return;
  int one = 0, two = below, three = below + size;
  for (int k = 0; k < n; k++) {
    const int  a = c->sorted[k];
    const bool in = is_low ? k < at && touches(c, a, mark, edge, INT_MAX)
                           : k >= at && touches(c, a, mark, 0, edge);
    c->best[in ? two++ : k < at ? one++ : three++] = a;
  }
  *d = (division){below, size};
}

/* Orders the set as below, rest, cut; false: it cannot be cut. */
static bool divide(cutter *c, int *list, int n, int want, division *d) {
  const int mark = ++c->owners;
  int     **x = c->distance;
  *d = (division){0, -1};
  for (int k = 0; k < n; k++)
    c->owner[list[k]] = mark;
  int a = spread(c, list, n, mark, list[0], x[0]), far = -1, third = a;
  a = spread(c, list, n, mark, a, x[0]);
  (void)spread(c, list, n, mark, a, x[1]);
  for (int k = 0; k < n; k++) {
    const int v = list[k], both = x[0][v] < x[1][v] ? x[0][v] : x[1][v];
    if (both > far) {
      far = both;
      third = v;
    }
  }
  (void)spread(c, list, n, mark, third, x[2]);
  attempt(c, list, n, mark, want, x[0], x[2], d);
  attempt(c, list, n, mark, want, x[1], x[2], d);
  attempt(c, list, n, mark, want, x[0], x[1], d);
  attempt(c, list, n, mark, want, x[0], NULL, d);
  if (d->cut < 0)
    return false;
  const int rest = n - d->below - d->cut;
  memcpy(list, c->best, (size_t)d->below * sizeof *list);
  memcpy(list + d->below, c->best + d->below + d->cut, (size_t)rest * sizeof *list);
  memcpy(list + d->below + rest, c->best + d->below, (size_t)d->cut * sizeof *list);
  return true;
}

static void place(cutter *c, const int *list, int n, int children) {
  cst_parts *x = c->to;
  x->set[x->sets++] = (cst_part_set){c->placed, n, children};
  for (int k = 0; k < n; k++)
    x->order[c->placed++] = list[k];
}

/* Nested dissection of a part. */
static void dissect(cutter *c, int *list, int n) {
  division d;
  if (n <= LEAF || !divide(c, list, n, n / 2, &d)) {
    place(c, list, n, 0);
    return;
  }
  const int rest = n - d.below - d.cut;
  dissect(c, list, d.below);
  dissect(c, list + d.below, rest);
  place(c, list + d.below + rest, d.cut, 2);
}

/* Parts number `part` and further ones. What cannot be cut into as many is one part, and others are empty. */
static void part(cutter *c, int *list, int n, int number, int parts) {
  cst_parts *x = c->to;
  division   d;
  const int  half = parts / 2;
  if (parts > 1 && n > LEAF && divide(c, list, n, (int)((long)n * half / parts), &d)) {
    const int rest = n - d.below - d.cut;
    memcpy(c->interface + c->ninterface, list + d.below + rest, (size_t)d.cut * sizeof *list);
    c->ninterface += d.cut;
    part(c, list, d.below, number, half);
    part(c, list + d.below, rest, number + half, parts - half);
    return;
  }
  for (int k = 0; k < parts; k++) {
    x->unknown[number + k] = c->placed;
    if (k == 0)
      dissect(c, list, n);
    x->end[number + k] = x->sets;
  }
}

void cst_parts_create(cst_parts *x, int n, const int *row, const int *column, int parts) {
  int   *at = cst_zeros(10L * n + 2, sizeof *at), *list = at + 9L * n + 2;
  cutter c = {.to = x,
              .row = row,
              .column = column,
              .owner = at,
              .queue = at + n,
              .key = at + 2L * n,
              .sorted = at + 3L * n,
              .best = at + 4L * n,
              .interface = at + 5L * n};
  *x = (cst_parts){.n = n, .parts = parts};
  x->order = cst_zeros(n, sizeof *x->order);
  x->set = cst_zeros(2L * n + parts, sizeof *x->set);
  x->end = cst_zeros(parts, sizeof *x->end);
  x->unknown = cst_zeros(parts + 1, sizeof *x->unknown);
  for (int k = 0; k < CORNERS; k++)
    c.distance[k] = at + (6L + k) * n;
  c.count = cst_zeros(8L * n + 2, sizeof *c.count); /* distances are below 2 n */
  for (int k = 0; k < n; k++)
    list[k] = k;
  part(&c, list, n, 0, parts);
  x->unknown[parts] = c.placed;
  place(&c, c.interface, c.ninterface, 0);
  free(c.count);
  free(at);
}

void cst_parts_destroy(cst_parts *x) {
  free(x->order);
  free(x->set);
  free(x->end);
  free(x->unknown);
  *x = (cst_parts){0};
}

enum { ROWS = 8, COLUMNS = 4, DEPTH = 128 };

/* Its panel has n columns of `length` rows: those of the set, then those of the boundary, each number even. D is on
 * the diagonal; what is above it is not used. */
struct cst_front {
  int  first, n, children;
  int  rows, length; /* of the set, even; with those of the boundary */
  int  b, even;      /* of the boundary */
  long panel, boundary;
};

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));

/* ---- dense fronts ---------------------------------------------------------------------------- */

/* Four columns: C -= A W. */
static void subtract(double *C, int nc, int rows, const double *A, int na, const double *W, int k) {
  for (int i = 0; i < rows; i += COLUMNS) {
    four a0 = *(four *)(C + i), a1 = *(four *)(C + i + nc), a2 = *(four *)(C + i + 2L * nc),
         a3 = *(four *)(C + i + 3L * nc);
    const double *a = A + i, *w = W;
    for (int j = 0; j < k; j++, a += na, w += COLUMNS) {
      const four x = *(const four *)a;
      a0 -= x * w[0];
      a1 -= x * w[1];
      a2 -= x * w[2];
      a3 -= x * w[3];
    }
    *(four *)(C + i) = a0;
    *(four *)(C + i + nc) = a1;
    *(four *)(C + i + 2L * nc) = a2;
    *(four *)(C + i + 3L * nc) = a3;
  }
}

/* C -= A D B', four columns after another from its diagonal down, or below it where its rows are others; A has k
 * columns of the panel from its row `a` on, B from its row `b` on. */
static void subtract_product(double *C, int nc, int rows, int columns, const double *P, int length,
                             int a, int first, int k, double *W) {
  for (int from = first; from < k; from += DEPTH) {
    const int depth = k - from < DEPTH ? k - from : DEPTH;
    for (int j = 0; j < columns; j += COLUMNS) {
      for (int i = 0; i < depth; i++) {
        const double *p = P + (long)(from + i) * length, d = p[from + i];
        for (int c = 0; c < COLUMNS; c++)
          W[i * COLUMNS + c] = d * p[a + j + c];
      }
      const int top = j / ROWS * ROWS;
      subtract(C + (long)j * nc + top, nc, rows - top, P + (long)from * length + a + top, length, W,
               depth);
    }
  }
}

/* Of eight columns from `from` on, whose updates by earlier ones are made. */
static void factor_columns(double *P, int length, int from, int n) {
  const int end = from + ROWS < n ? from + ROWS : n;
  for (int c = from; c < end; c++) {
    double      *p = P + (long)c * length;
    const double over = 1 / p[c];
    for (int k = c + 1; k < end; k++) {
      double      *q = P + (long)k * length;
      const double l = p[k] * over;
      for (int i = from; i < length; i += ROWS)
        *(eight *)(q + i) -= *(eight *)(p + i) * l;
    }
    for (int i = c + 1; i < from + ROWS; i++)
      p[i] *= over;
    for (int i = from + ROWS; i < length; i += ROWS)
      *(eight *)(p + i) *= over;
  }
}

static void factor_front(const cst_front *x, double *P, double *U, double *W) {
  for (int from = 0; from < x->n; from += ROWS) {
    subtract_product(P + (long)from * x->length + from, x->length, x->length - from, ROWS, P,
                     x->length, from, 0, from, W);
    factor_columns(P, x->length, from, x->n);
  }
  subtract_product(U, x->even, x->even, x->even, P, x->length, x->rows, 0, x->n, W);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int *places(const cst_fronts *f, const cst_front *x) { return f->places + x->boundary; }

/* The update of a child: to the columns of its parent, and to the parent's own update. */
static void extend(const cst_fronts *f, const cst_front *x, const double *update, double *P,
                   int rows, int length, double *U, int even) {
  const int *to = places(f, x) + x->b;
  for (int j = 0; j < x->b; j++) {
    const double *u = update + (long)j * x->even;
    double *at = to[j] < rows ? P + (long)to[j] * length : U + (long)(to[j] - rows) * even - rows;
    for (int i = j; i < x->b; i++)
      at[to[i]] += u[i];
  }
}

void cst_fronts_factor(cst_fronts *f, const double *values, const double *plus, double *schur) {
  double *top = f->stack;
  int     waiting = 0;
  memset(f->panel, 0, (size_t)f->numbers * sizeof *f->panel);
  for (int k = 0; k < f->entries; k++)
    f->panel[f->at[k]] += values[k];
  for (int k = 0; k < f->fronts; k++) {
    const cst_front *x = &f->front[k];
    const size_t     square = (size_t)x->even * (size_t)x->even;
    double          *P = f->panel + x->panel;
    memset(f->update, 0, square * sizeof *f->update);
    if (plus && k == f->fronts - 1)
      for (int j = 0; j < x->n; j++)
        for (int i = j; i < x->n; i++)
          P[(long)j * x->length + i] += plus[(long)j * x->rows + i];
    for (int c = 0; c < x->children; c++) {
      const cst_front *child = &f->front[f->waits[--waiting]];
      top -= (long)child->even * child->even;
      extend(f, child, top, P, x->rows, x->length, f->update, x->even);
    }
    factor_front(x, P, f->update, f->pack);
    if (k < f->fronts - 1) {
      memcpy(top, f->update, square * sizeof *top);
      top += square;
      f->waits[waiting++] = k;
    } else if (schur)
      extend(f, x, f->update, schur, f->interface, cst_fronts_even(f->interface), NULL, 0);
  }
}

void cst_fronts_forward(cst_fronts *f, double *x) {
  double *t = f->t;
  for (int k = 0; k < f->fronts; k++) {
    const cst_front *r = &f->front[k];
    const double    *P = f->panel + r->panel;
    const int       *to = places(f, r);
    memset(t, 0, (size_t)r->length * sizeof *t);
    memcpy(t, x + r->first, (size_t)r->n * sizeof *t);
    for (int from = 0; from < r->n; from += ROWS) {
      const int end = from + ROWS < r->n ? from + ROWS : r->n;
      for (int c = from; c < end; c++)
        for (int i = c + 1; i < end; i++)
          t[i] -= P[(long)c * r->length + i] * t[c];
      for (int i = from + ROWS; i < r->length; i += ROWS) {
        eight s = *(eight *)(t + i);
        for (int c = from; c < end; c++)
          s -= *(const eight *)(P + (long)c * r->length + i) * t[c];
        *(eight *)(t + i) = s;
      }
    }
    memcpy(x + r->first, t, (size_t)r->n * sizeof *t);
    for (int i = 0; i < r->b; i++)
      x[to[i]] += t[r->rows + i];
  }
}

static double sum(eight s) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void cst_fronts_back(cst_fronts *f, double *x) {
  double *t = f->t;
  for (int k = f->fronts - 1; k >= 0; k--) {
    const cst_front *r = &f->front[k];
    const double    *P = f->panel + r->panel;
    const int       *to = places(f, r);
    memset(t, 0, (size_t)r->length * sizeof *t);
    for (int c = 0; c < r->n; c++)
      t[c] = x[r->first + c] / P[(long)c * r->length + c];
    for (int i = 0; i < r->b; i++)
      t[r->rows + i] = x[to[i]];
    for (int from = (r->n - 1) / ROWS * ROWS; from >= 0 && r->n; from -= ROWS) {
      const int end = from + ROWS < r->n ? from + ROWS : r->n;
      for (int c = end - 1; c >= from; c--) {
        const double *p = P + (long)c * r->length;
        eight         s = {0};
        for (int i = from + ROWS; i < r->length; i += ROWS)
          s += *(const eight *)(p + i) * *(eight *)(t + i);
        double less = sum(s);
        for (int i = c + 1; i < end; i++)
          less += p[i] * t[i];
        t[c] -= less;
      }
    }
    memcpy(x + r->first, t, (size_t)r->n * sizeof *t);
  }
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y) {
  const int a = *(const int *)x, b = *(const int *)y;
  return (a > b) - (a < b);
}

typedef struct {
  int  first, own, last; /* see cst_fronts_create */
  int *from, *to;        /* the rows of each column */
  int *seen;
  long size; /* of f->places */
} pattern;

static int local(const pattern *p, int a) {
  return a < p->last ? a - p->first : p->own + a - p->last;
}

/* The boundary of front k: places, and as many for where its parent has them. */
static void find_boundary(cst_fronts *f, pattern *p, int k, const int *children) {
  cst_front *x = &f->front[k];
  const int  end = x->first + x->n;
  int       *list = p->to + p->from[p->own]; /* behind them */
  int        n = 0;
  for (int c = x->first; c < end; c++)
    for (int i = p->from[c]; i < p->from[c + 1]; i++)
      if (p->to[i] >= end && p->seen[p->to[i]] != k + 1) {
        p->seen[p->to[i]] = k + 1;
        list[n++] = p->to[i];
      }
  for (int c = 0; c < x->children; c++) {
    const cst_front *child = &f->front[children[c]];
    for (int i = 0; i < child->b; i++) {
      const int a = places(f, child)[i];
      if (a >= end && p->seen[a] != k + 1) {
        p->seen[a] = k + 1;
        list[n++] = a;
      }
    }
  }
  qsort(list, (size_t)n, sizeof *list, ascending);
  x->b = n;
  x->even = cst_fronts_even(n);
  x->rows = cst_fronts_even(x->n);
  x->length = x->rows + x->even;
  x->boundary = p->size;
  p->size += 2L * n;
  f->places = cst_need(realloc(f->places, (size_t)(p->size + 1) * sizeof *f->places));
  memcpy(f->places + x->boundary, list, (size_t)n * sizeof *list);
}

/* Where front x has the unknown a. */
static int place_in(const cst_fronts *f, const cst_front *x, int a) {
  if (a < x->first + x->n)
    return a - x->first;
  const int *found = bsearch(&a, places(f, x), (size_t)x->b, sizeof a, ascending);
  return x->rows + (int)(found - places(f, x));
}

static void find_pattern(cst_fronts *f, pattern *p, int entries, const int *row,
                         const int *column) {
  const int n = f->own + f->interface;
  int      *next = cst_zeros(f->own, sizeof *next);
  p->from = cst_zeros(f->own + 1, sizeof *p->from);
  p->to = cst_zeros((long)entries + n, sizeof *p->to);
  p->seen = cst_zeros(n, sizeof *p->seen);
  for (int k = 0; k < entries; k++)
    p->from[column[k] - p->first + 1]++;
  for (int c = 0; c < f->own; c++)
    p->from[c + 1] += p->from[c];
  for (int k = 0; k < entries; k++) {
    const int c = column[k] - p->first;
    p->to[p->from[c] + next[c]++] = local(p, row[k]);
  }
  free(next);
}

/* Fronts, and the largest that is needed of updates. */
static void find_fronts(cst_fronts *f, pattern *p, const cst_part_set *set, int sets) {
  int *waits = cst_zeros(sets, sizeof *waits), waiting = 0;
  f->waits = waits;
  long held = 0, most = 0, square = 0;
  int  length = 0;
  for (int k = 0; k < sets; k++) {
    cst_front *x = &f->front[k];
    *x = (cst_front){.first = set[k].first - p->first, .n = set[k].n, .children = set[k].children};
    waiting -= x->children;
    find_boundary(f, p, k, waits + waiting);
    for (int c = 0; c < x->children; c++) {
      const cst_front *child = &f->front[waits[waiting + c]];
      held -= (long)child->even * child->even;
      for (int i = 0; i < child->b; i++)
        places(f, child)[child->b + i] = place_in(f, x, places(f, child)[i]);
    }
    waits[waiting++] = k;
    held += (long)x->even * x->even;
    most = held > most ? held : most;
    square = (long)x->even * x->even > square ? (long)x->even * x->even : square;
    length = x->length > length ? x->length : length;
    x->panel = f->numbers;
    f->numbers += (long)x->length * x->rows;
  }
  const cst_front *last = sets ? &f->front[sets - 1] : NULL;
  for (int i = 0; last && i < last->b; i++)
    places(f, last)[last->b + i] = places(f, last)[i] - f->own;
  f->stack = cst_aligned((size_t)most);
  f->update = cst_aligned((size_t)square);
  f->t = cst_aligned((size_t)length);
  f->pack = cst_aligned(DEPTH * COLUMNS);
}

void cst_fronts_create(cst_fronts *f, const cst_part_set *set, int sets, int first, int own,
                       int last, int interface, int entries, const int *row, const int *column) {
  pattern p = {.first = first, .own = own, .last = last};
  *f = (cst_fronts){.own = own, .interface = interface, .fronts = sets, .entries = entries};
  f->front = cst_zeros(sets, sizeof *f->front);
  f->at = cst_zeros(entries, sizeof *f->at);
  find_pattern(f, &p, entries, row, column);
  find_fronts(f, &p, set, sets);
  f->panel = cst_aligned((size_t)f->numbers);
  int *front = cst_zeros(own, sizeof *front);
  for (int k = 0; k < sets; k++)
    for (int c = 0; c < f->front[k].n; c++)
      front[f->front[k].first + c] = k;
  for (int k = 0; k < entries; k++) {
    const int        c = column[k] - first;
    const cst_front *x = &f->front[front[c]];
    f->at[k] = x->panel + (long)(c - x->first) * x->length + place_in(f, x, local(&p, row[k]));
  }
  free(front);
  free(p.from);
  free(p.to);
  free(p.seen);
}

void cst_fronts_destroy(cst_fronts *f) {
  free(f->front);
  free(f->at);
  free(f->panel);
  free(f->places);
  free(f->update);
  free(f->stack);
  free(f->waits);
  free(f->pack);
  free(f->t);
  *f = (cst_fronts){0};
}
