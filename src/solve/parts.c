/* parts.c: nested dissection in parts (see parts.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "solve/parts.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"

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
