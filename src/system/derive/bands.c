/* bands.c: the elimination order and storage of a symmetric matrix of the coordinates, M + b Hess V.
 *
 * The Hessian's pattern is reduced to two quantities: the half bandwidth after reverse Cuthill-McKee, and the
 * end of each row including the fill-in of the elimination. Blocks on the diagonal, chains, and rings, which
 * are folded to twice the band, cost in proportion to their length; a full matrix is a band of full width. E.
 * Cuthill, J. McKee, Proc. 24th Nat. Conf. ACM (1969); A. George (1971).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/internal.h"

static int *integers(long n) { return cst_zeros(n, sizeof(int)); }

void cst_bands_destroy(cst_bands *b) {
  free(b->order);
  free(b->place);
  free(b->last);
  free(b->at);
  free(b->entry);
  *b = (cst_bands){0};
}

static int degree(const cst_pattern *p, int i) { return p->start[i + 1] - p->start[i]; }

/* Breadth first from `root`, neighbours of lowest degree first; appends to order. Returns its new length. */
static int visit(const cst_pattern *p, int root, int *order, int n, unsigned char *seen) {
  int next = n;
  order[n++] = root;
  seen[root] = 1;
  while (next < n) {
    const int i = order[next++];
    const int first = n;
    CST_EACH_ENTRY(p, i, e) {
      const int j = p->column[e];
      if (seen[j])
        continue;
      seen[j] = 1;
      order[n++] = j;
    }
    for (int k = first + 1; k < n; k++) /* few: by insertion */
      for (int j = k; j > first && degree(p, order[j]) < degree(p, order[j - 1]); j--) {
        const int x = order[j];
        order[j] = order[j - 1];
        order[j - 1] = x;
      }
  }
  return n;
}

/* A node far from `root` in its connected component. */
static int far_end(const cst_pattern *p, int root, int *order) {
  for (int pass = 0; pass < 2; pass++) {
    unsigned char *seen = cst_zeros(p->rows, 1);
    const int      n = visit(p, root, order, 0, seen);
    root = order[n - 1];
    free(seen);
  }
  return root;
}

static int band_of(const cst_pattern *p, const int *place) {
  int band = 0;
  for (int i = 0; i < p->rows; i++)
    CST_EACH_ENTRY(p, i, e) {
      const int k = p->column[e];
      const int distance = abs(place[i] - place[k]);
      if (distance > band)
        band = distance;
    }
  return band;
}

/* Reverse Cuthill-McKee, unless the given order has a band at least as small. */
static void put_in_order(const cst_pattern *p, cst_bands *b) {
  const int      nq = p->rows;
  int           *order = integers(nq);
  int           *scratch = integers(nq);
  int           *place = integers(nq);
  int            n = 0;
  unsigned char *seen = cst_zeros(nq, 1);
  for (int i = 0; i < nq; i++)
    b->place[i] = i;
  for (int i = 0; i < nq; i++)
    if (!seen[i]) {
      const int root = far_end(p, i, scratch);
      n = visit(p, root, order, n, seen);
    }
  for (int r = 0; r < nq; r++)
    place[order[r]] = nq - 1 - r;
  if (band_of(p, place) < band_of(p, b->place))
    memcpy(b->place, place, (size_t)nq * sizeof *place);
  for (int i = 0; i < nq; i++)
    b->order[b->place[i]] = i;
  free(order);
  free(scratch);
  free(place);
  free(seen);
}

static void find_ends(const cst_system *s, const cst_pattern *p, cst_bands *b) {
  const int nq = s->nq;
  for (int r = 0; r < nq; r++) {
    if (s->general)
      b->last[r] = nq - 1;
    else
      b->last[r] = r;
    CST_EACH_ENTRY(p, b->order[r], e) {
      const int place = b->place[p->column[e]];
      if (place > b->last[r])
        b->last[r] = place;
    }
  }
  for (int r = 0; r < nq; r++) /* fill-in of row r */
    for (int i = r + 1; i <= b->last[r]; i++)
      if (b->last[i] < b->last[r])
        b->last[i] = b->last[r];
  for (int r = 0; r < nq; r++) {
    const int width = b->last[r] - r;
    if (width > b->band)
      b->band = width;
  }
}

static void place_entries(const cst_system *s, const cst_pattern *p, cst_bands *b) {
  b->at = integers(p->n);
  b->entry = integers(p->n);
  for (int r = 0; r < s->nq; r++)
    CST_EACH_ENTRY(p, b->order[r], e) {
      const int i = b->place[p->column[e]];
      if (i < r)
        continue;
      const int pivot = r * (b->band + 1);
      b->at[b->n] = pivot + i - r;
      b->entry[b->n++] = e;
    }
}

bool cst_system_bands(const cst_system *s, cst_kernel_id k, cst_bands *b) {
  const cst_pattern *p = &s->pattern[k];
  const size_t       nq = (size_t)s->nq;
  if (s->general && s->nq > CST_MAX_Q)
    return false;
  b->order = integers(nq);
  b->place = integers(nq);
  b->last = integers(nq);
  put_in_order(p, b);
  find_ends(s, p, b);
  if ((double)s->nq * (b->band + 1) > CST_MOST_IN_LANES) {
    cst_bands_destroy(b);
    return false;
  }
  place_entries(s, p, b);
  return true;
}
