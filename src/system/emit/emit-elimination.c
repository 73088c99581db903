/* emit-elimination.c: generates the C of the solution of d in a kick by rows of G: the elimination of a
 * band, whose rows are computed where they are eliminated.
 *
 * The operations are those of cst_tridiagonal_solve, cst_band_lu and cst_band_solve (core/band.h) in the
 * same order. work[r (band + 1)] is the reciprocal of the pivot of row r, the entries beside it follow.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/emit/emit-rows.h"

/* The sign of a pivot, or of its reciprocal. */
static void note_sign(const cst_rows *z, FILE *f, const char *pivot) {
  if (!z->symmetric)
    fprintf(f, "odd |= (vl)%s ^ flip;\n", pivot);
}

/* ---- tridiagonal, from both ends to the middle ----------------------------------------------- */

/* One of the two ends from which rows are eliminated: the names of its reciprocal pivot and of its
 * solution. */
typedef struct {
  int         inwards; /* from a row to the next one: 1 or -1 */
  const char *pivot, *x;
} end;
static const end ends[] = {{1, "p", "x"}, {-1, "q", "y"}};

/* The row at the end itself. */
static void open_end(cst_rows *z, FILE *f, const end *e, int r) {
  const int a = z->s->gram.order[r];
  cst_rows_write_entry(z, f, "const vd diagonal", a, a);
  cst_rows_write_right(z, f, e->x, a);
  fprintf(f, "%s = 1.0 / diagonal;\n", e->pivot);
  note_sign(z, f, e->pivot);
  fprintf(f, "work[%d] = %s;\n", 2 * r, e->pivot);
  fprintf(f, "d[%d] = %s;\n", a, e->x);
}

/* The entries of row r with its outer neighbour, and back. */
static void write_beside(const cst_rows *z, FILE *f, const end *e, int r) {
  const int *order = z->s->gram.order;
  const int  a = order[r];
  const int  outer = order[r - e->inwards];
  char       to[32], back[32];
  snprintf(to, sizeof to, "const vd to_%s", e->x);
  snprintf(back, sizeof back, "const vd back_%s", e->x);
  cst_rows_write_entry(z, f, to, a, outer);
  cst_rows_write_entry(z, f, back, outer, a);
  fprintf(f, "const vd f_%s = to_%s * %s;\n", e->x, e->x, e->pivot);
  fprintf(f, "work[%d] = back_%s;\n", 2 * (r - e->inwards) + 1, e->x);
}

static void eliminate(cst_rows *z, FILE *f, const end *e, int r) {
  const char *x = e->x;
  const int   a = z->s->gram.order[r];
  char        name[32];
  write_beside(z, f, e, r);
  snprintf(name, sizeof name, "const vd diagonal_%s", x);
  cst_rows_write_entry(z, f, name, a, a);
  snprintf(name, sizeof name, "const vd right_%s", x);
  cst_rows_write_right(z, f, name, a);
  fprintf(f, "work[%d] = %s = ", 2 * r, e->pivot);
  fprintf(f, "1.0 / (diagonal_%s - f_%s * back_%s);\n", x, x, x);
  note_sign(z, f, e->pivot);
  fprintf(f, "d[%d] = %s = right_%s - f_%s * %s;\n", a, x, x, x, x);
}

static void write_middle(cst_rows *z, FILE *f, int r) {
  const int a = z->s->gram.order[r];
  write_beside(z, f, &ends[0], r);
  write_beside(z, f, &ends[1], r);
  cst_rows_write_entry(z, f, "const vd diagonal", a, a);
  cst_rows_write_right(z, f, "const vd right", a);
  fprintf(f, "const vd middle = diagonal - f_x * back_x - f_y * back_y;\n");
  note_sign(z, f, "middle");
  fprintf(f, "d[%d] = x = y = (right - f_x * x - f_y * y) / middle;\n", a);
  cst_rows_write_found(z, f, a);
}

static void go_back(cst_rows *z, FILE *f, const end *e, int r) {
  const int a = z->s->gram.order[r];
  const int pivot = 2 * r;
  fprintf(f, "d[%d] = %s = ", a, e->x);
  fprintf(f, "(d[%d] - work[%d] * %s) * work[%d];\n", a, pivot + 1, e->x, pivot);
  cst_rows_write_found(z, f, a);
}

void cst_rows_write_tridiagonal(cst_rows *z, cst_strips *strips) {
  const int n = z->s->ng;
  int       r = 0;
  int       s = n - 1;
  FILE     *first = cst_strips_next(strips);
  open_end(z, first, &ends[0], r);
  FILE *last = cst_strips_next(strips);
  open_end(z, last, &ends[1], s);
  if (n % 2 == 0)
    eliminate(z, cst_strips_next(strips), &ends[1], --s);
  while (++r < --s) {
    FILE *f = cst_strips_next(strips);
    eliminate(z, f, &ends[0], r);
    eliminate(z, f, &ends[1], s);
  }
  write_middle(z, cst_strips_next(strips), r);
  s = r + 1;
  r--;
  while (s < n) {
    FILE *f = cst_strips_next(strips);
    if (r >= 0)
      go_back(z, f, &ends[0], r);
    go_back(z, f, &ends[1], s);
    r--;
    s++;
  }
}

/* ---- any band, from the first row to the last ------------------------------------------------ */

/* there[r * (band + 1) + k]: whether row r has an entry k behind the diagonal, fill-in included. */
static void eliminate_row(cst_rows *z, FILE *f, unsigned char *there, int r) {
  const cst_gram *S = &z->s->gram;
  const int       n = z->s->ng;
  const int       k = S->band;
  const int       a = S->order[r];
  const int       from = r > k ? r - k : 0;
  const int       to = r + k < n ? r + k : n - 1;
  unsigned char   here[2 * CST_ROWS_MOST_BAND + 1] = {0}; /* of this row, columns from r - k on */
  char            name[32];
  for (int c = from; c <= to; c++) {
    const int at = c - r + k;
    here[at] = cst_rows_has_entry(z, a, S->order[c]);
    snprintf(name, sizeof name, "vd e%d", at);
    if (here[at])
      cst_rows_write_entry(z, f, name, a, S->order[c]);
  }
  cst_rows_write_right(z, f, "vd s", a);
  for (int c = from; c < r; c++) {
    const int m = c - r + k;
    if (!here[m])
      continue;
    fprintf(f, "const vd f%d = e%d * work[%d];\n", m, m, c * (k + 1));
    for (int j = c + 1; j <= c + k && j < n; j++) {
      const int above = c * (k + 1) + j - c;
      const int at = j - r + k;
      if (!there[above])
        continue;
      if (here[at])
        fprintf(f, "e%d -= f%d * work[%d];\n", at, m, above);
      else
        fprintf(f, "vd e%d = vset(0) - f%d * work[%d];\n", at, m, above);
      here[at] = 1;
    }
    fprintf(f, "s -= f%d * d[%d];\n", m, S->order[c]);
  }
  fprintf(f, "d[%d] = s;\n", a);
  fprintf(f, "const vd inverse = 1.0 / e%d;\n", k);
  note_sign(z, f, "inverse");
  fprintf(f, "work[%d] = inverse;\n", r * (k + 1));
  for (int c = r; c <= to; c++) {
    const int place = r * (k + 1) + c - r;
    const int at = c - r + k;
    there[place] = here[at];
    if (c > r && here[at])
      fprintf(f, "work[%d] = e%d;\n", place, at);
  }
}

static void solve_row(cst_rows *z, FILE *f, const unsigned char *there, int r) {
  const cst_gram *S = &z->s->gram;
  const int       n = z->s->ng;
  const int       k = S->band;
  const int       a = S->order[r];
  fprintf(f, "vd s = d[%d];\n", a);
  const int last = r + k < n ? r + k : n - 1;
  const int pivot = r * (k + 1);
  for (int c = last; c > r; c--) {
    const int at = pivot + c - r;
    if (there[at])
      fprintf(f, "s -= work[%d] * d[%d];\n", at, S->order[c]);
  }
  fprintf(f, "d[%d] = s * work[%d];\n", a, pivot);
  cst_rows_write_found(z, f, a);
}

void cst_rows_write_band(cst_rows *z, cst_strips *strips) {
  const int      n = z->s->ng;
  const long     width = z->s->gram.band + 1;
  unsigned char *there = cst_zeros(n * width, 1);
  for (int r = 0; r < n; r++)
    eliminate_row(z, cst_strips_next(strips), there, r);
  for (int r = n - 1; r >= 0; r--)
    solve_row(z, cst_strips_next(strips), there, r);
  free(there);
}
