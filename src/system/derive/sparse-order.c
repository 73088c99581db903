/* sparse-order.c: an order of elimination for a graph of constraints that is no narrow band, and the pattern of
 * its factors.
 *
 * Nested dissection: a graph is cut at the middle of its levels, counted in breadth from a far end, into parts that
 * only meet in the cut, whose nodes come last. A net of n constraints has factors of some n log n numbers then, and
 * takes some n^(3/2) operations. A. George, SIAM J. Numer. Anal. 10 (1973), 345; A. George, J. W. H. Liu, SIAM J.
 * Numer. Anal. 15 (1978), 1053. The pattern is found row by row, by merging each row with those of which it is the
 * first entry (R. Schreiber, ACM Trans. Math. Softw. 8 (1982), 256).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/sparse-order.h"
#include <stdlib.h>
#include <string.h>

enum { UNSEEN = -1, PLACED = -2, LEAF = 8 };

/* A graph while it is dissected: the neighbours of node a are to[from[a]] .. to[from[a + 1] - 1]. */
typedef struct {
  const int *from, *to;
  int       *level; /* of each node: UNSEEN, PLACED, or its level from the root of the last visit */
  int       *queue;
  int       *order, last; /* order is filled from its end */
} dissection;

/* Visits the nodes that are connected with root, breadth first, into x->queue; returns their number. */
static int visit(const dissection *x, int root) {
  int n = 0;
  x->queue[n++] = root;
  x->level[root] = 0;
  for (int next = 0; next < n; next++) {
    const int a = x->queue[next];
    for (int k = x->from[a]; k < x->from[a + 1]; k++)
      if (x->level[x->to[k]] == UNSEEN) {
        x->level[x->to[k]] = x->level[a] + 1;
        x->queue[n++] = x->to[k];
      }
  }
  return n;
}

static void forget(const dissection *x, int n) {
  for (int i = 0; i < n; i++)
    x->level[x->queue[i]] = UNSEEN;
}

static void place(dissection *x, int a) {
  x->level[a] = PLACED;
  x->order[--x->last] = a;
}

/* Whether node a has a neighbour of this level. */
static bool touches(const dissection *x, int a, int level) {
  for (int k = x->from[a]; k < x->from[a + 1]; k++)
    if (x->level[x->to[k]] == level)
      return true;
  return false;
}

/* Places the nodes of the level in the middle of the n visited ones that touch the next level; if there are no three
 * levels, or few nodes, all of them. */
static void cut(dissection *x, int n) {
  const int  middle = x->level[x->queue[n / 2]], most = x->level[x->queue[n - 1]];
  const int  level = middle > 0 ? middle : 1;
  const bool whole = n <= LEAF || most < 2;
  const int  at = level < most ? level : most - 1;
  int        first = n;
  for (int i = n - 1; i >= 0; i--) {
    const int a = x->queue[i];
    if (whole || (x->level[a] == at && touches(x, a, at + 1)))
      x->queue[--first] = a; /* behind what is still to be read */
  }
  /* marks after the search, since it reads the levels */
  for (int i = n - 1; i >= first; i--)
    place(x, x->queue[i]);
}

/* Of the nodes connected with root. Parts that are left are found again by the caller, which goes through all nodes
 * until every one is placed. */
static void dissect(dissection *x, int root) {
  int n = visit(x, root);
  for (int pass = 0; pass < 2 && n > LEAF; pass++) {
    const int far = x->queue[n - 1];
    forget(x, n);
    n = visit(x, far);
  }
  int *all = cst_zeros(n, sizeof *all);
  memcpy(all, x->queue, (size_t)n * sizeof *all);
  cut(x, n);
  for (int i = 0; i < n; i++)
    if (x->level[all[i]] != PLACED)
      x->level[all[i]] = UNSEEN;
  for (int i = 0; i < n; i++)
    if (x->level[all[i]] == UNSEEN)
      dissect(x, all[i]);
  free(all);
}

void cst_sparse_order(int n, const int *from, const int *to, int *order) {
  dissection x = {from, to, cst_zeros(n, sizeof(int)), cst_zeros(n, sizeof(int)), order, n};
  for (int a = 0; a < n; a++)
    x.level[a] = UNSEEN;
  for (int a = 0; a < n; a++)
    if (x.level[a] == UNSEEN)
      dissect(&x, a);
  free(x.level);
  free(x.queue);
}

static int ascending(const void *x, const void *y) {
  const int a = *(const int *)x, b = *(const int *)y;
  return (a > b) - (a < b);
}

/* The pattern while it is found. */
typedef struct {
  int *mark;         /* the last row in which a column was found */
  int *first, *next; /* lists of the rows whose first entry is in this column; -1: the end */
  int *column, room;
} merging;

static void add(merging *m, int r, int column, int *n) {
  if (column <= r || m->mark[column] == r)
    return;
  m->mark[column] = r;
  if (*n == m->room) {
    m->room = 2 * m->room + 64;
    m->column = cst_need(realloc(m->column, (size_t)m->room * sizeof(int)));
  }
  m->column[(*n)++] = column;
}

cst_sparse_pattern cst_sparse_factors(int n, const int *from, const int *to, const int *order,
                                      const int *place_of, double most) {
  cst_sparse_pattern p = {.row = cst_zeros(n + 1, sizeof(int))};
  merging m = {cst_zeros(n, sizeof(int)), cst_zeros(n, sizeof(int)), cst_zeros(n, sizeof(int)),
               NULL, 0};
  int     entries = 0;
  for (int r = 0; r < n; r++)
    m.mark[r] = m.first[r] = -1;
  for (int r = 0; r < n; r++) {
    for (int k = from[order[r]]; k < from[order[r] + 1]; k++)
      add(&m, r, place_of[to[k]], &entries);
    for (int k = m.first[r]; k >= 0; k = m.next[k])
      for (int e = p.row[k]; e < p.row[k + 1]; e++)
        add(&m, r, m.column[e], &entries);
    const int  length = entries - p.row[r];
    const long pairs = (long)length * (length + 1);
    p.row[r + 1] = entries;
    p.work += (double)pairs;
    if (length) {
      qsort(m.column + p.row[r], (size_t)length, sizeof(int), ascending);
      const int parent = m.column[p.row[r]];
      m.next[r] = m.first[parent];
      m.first[parent] = r;
    }
    if (entries > most) {
      p.too_large = true;
      break;
    }
  }
  p.column = m.column;
  free(m.mark);
  free(m.first);
  free(m.next);
  return p;
}

int cst_sparse_place(const int *row, const int *column, int n, int a, int b) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  int       at = row[low], end = row[low + 1];
  if (a == b)
    return a;
  while (column[at] != high) {
    const int middle = (at + end) / 2;
    if (column[middle] <= high)
      at = middle;
    else
      end = middle;
  }
  return n + at + (a < b ? 0 : row[n]);
}
