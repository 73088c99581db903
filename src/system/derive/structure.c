/* structure.c: sparsity patterns of matrices, and the storage of S = G W G': dense, banded after reverse
 * Cuthill-McKee ordering, or sparse.
 *
 * In chains, trees with short branches and rings, a constraint couples with few others. A suitable numbering
 * makes S a narrow band, and the cost of a step is proportional to the number of constraints. E. Cuthill, J.
 * McKee, Proc. 24th Nat. Conf. ACM (1969); A. George (1971). Nets and lattices have wide bands and sparse factors
 * (sparse-order.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/derive/sparse-order.h"
#include "system/internal.h"

enum { LEAST_BANDED = 9 }; /* fewer constraints are eliminated as a dense matrix in registers */
/* Bands up to NARROW are always eliminated as such. A wider one is if sparse factors take more than a part of its
 * operations, those of a band being on neighbours in memory. */
enum { NARROW = 32 };
static const double part = 0.25;

static int *integers(long n) { return cst_zeros(n, sizeof(int)); }

cst_pattern cst_structure_pattern_create(int rows, int columns, int n, const int *row,
                                         const int *column) {
  cst_pattern p = {rows,        columns,
                   n,           integers((size_t)rows + 1),
                   integers(n), integers((size_t)columns + 1),
                   integers(n), integers(n)};
  for (int e = 0; e < n; e++) {
    p.start[row[e] + 1]++;
    p.tstart[column[e] + 1]++;
    p.column[e] = column[e];
  }
  for (int i = 0; i < rows; i++)
    p.start[i + 1] += p.start[i];
  for (int i = 0; i < columns; i++)
    p.tstart[i + 1] += p.tstart[i];
  int *next = integers(columns);
  for (int e = 0; e < n; e++) { /* rows ascend, hence also within each column */
    const int c = column[e];
    const int at = p.tstart[c] + next[c]++;
    p.trow[at] = row[e];
    p.tentry[at] = e;
  }
  free(next);
  return p;
}

void cst_structure_pattern_destroy(cst_pattern *p) {
  free(p->start);
  free(p->column);
  free(p->tstart);
  free(p->trow);
  free(p->tentry);
  *p = (cst_pattern){0};
}

void cst_structure_gram_destroy(cst_gram *s) {
  free(s->place);
  free(s->order);
  free(s->a);
  free(s->b);
  free(s->at);
  free(s->first);
  free(s->ea);
  free(s->eb);
  free(s->i);
  free(s->row);
  free(s->column);
  *s = (cst_gram){0};
}

/* One product of entries of G in rows a and b. */
typedef struct {
  int a, b, i, ea, eb;
} term;

static int by_pair(const void *x, const void *y) {
  const term *s = x;
  const term *t = y;
  if (s->b != t->b)
    return s->b > t->b ? 1 : -1;
  return (s->i > t->i) - (s->i < t->i);
}

static int column_length(const cst_pattern *p, int i) { return p->tstart[i + 1] - p->tstart[i]; }

/* The terms of row a of S, ordered by b and i; *n is their number. */
static term *terms_of(const cst_system *s, int a, int *n) {
  const cst_pattern *G = &s->model->pattern[CST_K_G];
  long               most = 0;
  CST_EACH_ENTRY(G, a, e)
    most += column_length(G, G->column[e]);
  term *t = cst_zeros(most, sizeof *t);
  *n = 0;
  if (!cst_system_enforces(s, a))
    return t;
  CST_EACH_ENTRY(G, a, e) {
    const int i = G->column[e];
    for (int k = G->tstart[i]; k < G->tstart[i + 1]; k++) {
      const int b = G->trow[k];
      if (!cst_system_enforces(s, b))
        continue;
      t[*n] = (term){a, b, i, e, G->tentry[k]};
      ++*n;
    }
  }
  if (*n)
    qsort(t, (size_t)*n, sizeof *t, by_pair);
  return t;
}

static void append(int **list, int n, int value) {
  const bool full = (n & (n - 1)) == 0; /* the room is a power of two */
  if (full) {
    const size_t room = n ? 2 * (size_t)n : 1;
    *list = cst_need(realloc(*list, sizeof(int) * room));
  }
  (*list)[n] = value;
}

static void add_pair(cst_gram *S, int a, int b, int terms) {
  append(&S->a, S->n, a);
  append(&S->b, S->n, b);
  append(&S->first, S->n, terms);
  S->n++;
}

/* The number of terms of all entries of S: a coordinate that n constraints share contributes n^2. */
static double count_terms(const cst_pattern *G) {
  double n = 0;
  for (int i = 0; i < G->columns; i++) {
    const double length = column_length(G, i);
    n += length * length;
  }
  return n;
}

/* A redundant constraint has its own equation: a pair without terms, which counts as 1. */
static void pair_up(const cst_system *s, cst_gram *S) {
  int terms = 0;
  for (int a = 0; a < s->ng; a++) {
    int   n;
    term *t = terms_of(s, a, &n);
    if (!n)
      add_pair(S, a, a, terms);
    for (int k = 0; k < n; k++) {
      if (k == 0 || t[k].b != t[k - 1].b)
        add_pair(S, a, t[k].b, terms);
      append(&S->ea, terms, t[k].ea);
      append(&S->eb, terms, t[k].eb);
      append(&S->i, terms, t[k].i);
      terms++;
    }
    free(t);
  }
  append(&S->first, S->n, terms);
}

/* ---- the order of elimination ---------------------------------------------------------------- */

/* The pairs of constraint a are from[a] .. from[a + 1] - 1. */
static int *rows_of(const cst_gram *S, int ng) {
  int *from = integers((size_t)ng + 1);
  for (int k = 0; k < S->n; k++)
    from[S->a[k] + 1]++;
  for (int a = 0; a < ng; a++)
    from[a + 1] += from[a];
  return from;
}

static int row_length(const int *from, int a) { return from[a + 1] - from[a]; }

/* Visits the constraints breadth first from `root`, those with fewer neighbours first, and appends them to
 * order. Returns the new length of order. */
static int visit(const cst_gram *S, const int *from, int root, int *order, int n,
                 unsigned char *seen) {
  int next = n;
  order[n++] = root;
  seen[root] = 1;
  while (next < n) {
    int a = order[next++];
    int first = n;
    for (int k = from[a]; k < from[a + 1]; k++) {
      const int b = S->b[k];
      if (seen[b])
        continue;
      seen[b] = 1;
      order[n++] = b;
    }
    for (int i = first + 1; i < n; i++) /* few entries, hence insertion sort */
      for (int j = i; j > first && row_length(from, order[j]) < row_length(from, order[j - 1]);
           j--) {
        int x = order[j];
        order[j] = order[j - 1];
        order[j - 1] = x;
      }
  }
  return n;
}

/* A node furthest from `root`, then one furthest from that: an end of a long component. */
static int far_end(const cst_gram *S, const int *from, int root, int ng, int *order) {
  for (int pass = 0; pass < 2; pass++) {
    unsigned char *seen = cst_zeros(ng, 1);
    int            n = visit(S, from, root, order, 0, seen);
    root = order[n - 1];
    free(seen);
  }
  return root;
}

static void place_all(cst_gram *S, const int *from, int ng) {
  int           *order = integers(ng);
  int           *scratch = integers(ng);
  int            n = 0;
  unsigned char *seen = cst_zeros(ng, 1);
  for (int a = 0; a < ng; a++) {
    if (seen[a])
      continue;
    bool      single = from[a + 1] - from[a] == 1; /* coupled with no other constraint */
    const int root = single ? a : far_end(S, from, a, ng, scratch);
    n = visit(S, from, root, order, n, seen);
  }
  for (int k = 0; k < ng; k++)
    S->place[order[k]] = ng - 1 - k; /* reverse */
  for (int k = 0; k < S->n; k++) {
    const int one = S->place[S->a[k]];
    const int other = S->place[S->b[k]];
    const int distance = abs(one - other);
    if (distance > S->band)
      S->band = distance;
  }
  free(order);
  free(scratch);
  free(seen);
}

/* Eliminates the wide band of a long system by sparse factors, if that takes fewer operations or the band is too large
 * to be stored. Factors that are too large too are left to others. */
static void try_sparse(cst_gram *S, const int *from, int ng) {
  const double width = 2.0 * S->band + 1, band_work = (double)ng * S->band * (S->band + 1.0);
  int         *order = integers(ng), *place = integers(ng);
  const bool   fits = ng * width <= CST_MOST_IN_LANES;
  cst_sparse_order(ng, from, S->b, order);
  for (int r = 0; r < ng; r++)
    place[order[r]] = r;
  cst_sparse_pattern p = cst_sparse_factors(ng, from, S->b, order, place, CST_MOST_FACTORS);
  const bool         sparse = !fits || (!p.too_large && p.work < part * band_work);
  if (sparse) {
    const bool small = !p.too_large && ng + 2.0 * p.row[ng] <= CST_MOST_IN_LANES;
    memcpy(S->place, place, (size_t)ng * sizeof *place);
    S->form = small ? CST_FORM_SPARSE : CST_FORM_PAIRS;
    S->band = ng - 1;
    S->work = p.work;
    if (!p.too_large) {
      S->row = p.row;
      S->column = p.column;
      p = (cst_sparse_pattern){0};
    }
  }
  free(p.row);
  free(p.column);
  free(order);
  free(place);
}

static bool is_upper(const cst_gram *S, int k) { return S->place[S->a[k]] <= S->place[S->b[k]]; }

static void put_upper_first(cst_gram *S) {
  cst_gram  from = *S;
  const int all = from.first[from.n];
  int       n = 0, terms = 0;
  S->a = integers(from.n);
  S->b = integers(from.n);
  S->first = integers(from.n);
  S->ea = integers(all);
  S->eb = integers(all);
  S->i = integers(all);
  for (int lower = 0; lower < 2; lower++) {
    for (int k = 0; k < from.n; k++) {
      if (is_upper(&from, k) == lower)
        continue;
      S->a[n] = from.a[k];
      S->b[n] = from.b[k];
      for (int t = from.first[k]; t < from.first[k + 1]; t++) {
        S->ea[terms] = from.ea[t];
        S->eb[terms] = from.eb[t];
        S->i[terms] = from.i[t];
        terms++;
      }
      n++;
      S->first[n] = terms;
    }
    if (!lower)
      S->upper = n;
  }
  free(from.a);
  free(from.b);
  free(from.first);
  free(from.ea);
  free(from.eb);
  free(from.i);
}

static bool wants_band(const cst_system *s, int band) {
  const int ng = s->ng;
  if (s->nq > CST_MAX_Q || ng > CST_MAX_G)
    return cst_has(s, CST_MASS_DIAGONAL);
  if (!cst_has(s, CST_SEPARABLE) || s->model->nvel)
    return false;
  return ng >= LEAST_BANDED && 3 * band < ng;
}

/* The number of numbers in S; *outside: those that are never an entry. */
static double size_of(const cst_gram *S, int ng, int *outside) {
  *outside = 0;
  switch (S->form) {
  case CST_FORM_PAIRS:
    return S->n;
  case CST_FORM_SPARSE:
    return ng + 2.0 * S->row[ng];
  case CST_FORM_BAND:
    *outside = S->band * (S->band + 1);
    return ng * (2.0 * S->band + 1);
  case CST_FORM_DENSE:
    break;
  }
  return (double)ng * ng;
}

static void put_in_places(cst_gram *S, int ng) {
  S->at = integers(S->n);
  for (int k = 0; k < S->n; k++) {
    const int a = S->place[S->a[k]];
    const int b = S->place[S->b[k]];
    switch (S->form) {
    case CST_FORM_PAIRS:
      S->at[k] = k;
      break;
    case CST_FORM_SPARSE:
      S->at[k] = cst_sparse_place(S->row, S->column, ng, a, b);
      break;
    case CST_FORM_BAND:
      S->at[k] = a * (2 * S->band + 1) + b - a + S->band;
      break;
    case CST_FORM_DENSE:
      S->at[k] = a * ng + b;
      break;
    }
  }
}

/* The form of S, and its order. */
static void choose_form(const cst_system *s, cst_gram *S) {
  int *from = rows_of(S, s->ng);
  if (s->ng)
    place_all(S, from, s->ng);
  S->banded = wants_band(s, S->band);
  S->form = S->banded ? CST_FORM_BAND : CST_FORM_DENSE;
  S->work = (double)s->ng * S->band * (S->band + 1.0);
  if (S->banded && S->band > NARROW)
    try_sparse(S, from, s->ng);
  for (int a = 0; a < s->ng && !S->banded; a++)
    S->place[a] = a;
  free(from);
}

bool cst_system_structure(cst_system *s) {
  cst_gram *S = &s->model->gram;
  int       outside;
  cst_structure_gram_destroy(S);
  if (count_terms(&s->model->pattern[CST_K_G]) > cst_system_most_terms(s))
    return false;
  S->place = integers(s->ng);
  pair_up(s, S);
  choose_form(s, S);
  if (S->form == CST_FORM_PAIRS && !S->row)
    return false;
  const double size = size_of(S, s->ng, &outside);
  if (size > (S->form == CST_FORM_PAIRS ? cst_system_most_terms(s) : CST_MOST_IN_LANES))
    return false;
  S->size = (int)size;
  S->inside = S->size - outside;
  S->order = integers(s->ng);
  for (int a = 0; a < s->ng; a++)
    S->order[S->place[a]] = a;
  put_upper_first(S);
  put_in_places(S, s->ng);
  return true;
}
