/* emit-rows.c: generates the C of a kick of a long system by rows of G (system/lane/kick-rows.h).
 *
 * One pass over the constraints does all that needs the same numbers: residuals and the rows of G at new
 * coordinates; Newton's matrix and its elimination; the solution and the momenta that change by it. The
 * constraints of a family differ by their indices alone, so that a pass is a few loops (strips.h). Of a
 * system that is so irregular that the code becomes long, or whose band is wide, only residuals are
 * written, or nothing.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/emit/strips.h"
#include "system/internal.h"

enum { CST_ROWS_MOST_BAND = 8 }; /* a wider band is eliminated by the loops of system/core/gram.c */

/* Entry e of G is entry kept[e] of the same row, or its negative. symmetric: the matrix is G1 W G1', else
 * G1 W G'. there[i]: whether the text has the new coordinate or momentum i; known[i]: of how many of its
 * constraints it has d. row, pair: the pairs of S by rows. */
typedef struct {
  const cst_system  *s;
  const cst_pattern *G;
  int               *kept, *there, *known, *row, *pair;
  unsigned char     *negative;
  bool               symmetric, short_enough;
} cst_rows;

enum { MOST_CHARACTERS = 100000 }; /* of a function */
enum { MOST_OPERATIONS = 200 };    /* of a constraint, and of its row of G */

static int *integers(size_t n) { return cst_zeros(n, sizeof(int)); }

/* ---- entries of G ---------------------------------------------------------------------------- */

/* Of entries that are equal but for the sign, the one that was made first is kept, since it is not the
 * negative of another one; or every one, if `all`. */
static void find_equal(cst_rows *z, bool all) {
  const cst_pattern *p = z->G;
  const cst_node    *entry = z->s->model->kernel_out[CST_K_G];
  for (int a = 0; a < p->rows; a++)
    CST_EACH_ENTRY(p, a, e) {
      cst_graph     *g = z->s->model->graph;
      const cst_node opposite = cst_graph_neg(g, entry[e]);
      int            first = e;
      for (int k = p->start[a + 1] - 1; k >= p->start[a] && !all; k--) {
        const bool same = entry[k] == entry[e];
        const bool reversed = entry[k] == opposite;
        const bool equal = same || reversed;
        if (equal && entry[k] <= entry[first])
          first = k;
      }
      z->kept[e] = first;
      z->negative[e] = entry[first] != entry[e];
    }
}

/* " + " or " - ", so that a term with this sign is added or subtracted. */
static const char *sign(bool negative) { return negative ? " - " : " + "; }
/* The same before the first term of a sum. */
static const char *first_sign(bool negative) { return negative ? "-" : ""; }

/* Writes from[i] - sum of G[e] x[a] over the entries of column i. */
static void write_column(const cst_rows *z, FILE *f, int i, const char *from, const char *G,
                         const char *x) {
  fprintf(f, "%s[%d]", from, i);
  for (int k = z->G->tstart[i]; k < z->G->tstart[i + 1]; k++) {
    const int e = z->G->tentry[k];
    const int row = z->G->trow[k];
    fprintf(f, "%s%s[%d]", sign(!z->negative[e]), G, z->kept[e]);
    fprintf(f, " * %s[%d]", x, row);
  }
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* The momentum and the coordinate at the right end. */
static void write_coordinate(cst_rows *z, FILE *f, int i) {
  if (z->there[i]++)
    return;
  fprintf(f, "ph[%d] = ", i);
  write_column(z, f, i, "pt", "G", "x");
  const int mass = z->s->model->mass_class[i];
  fprintf(f, ";\nq[%d] = from[%d] + hm[%d] * ph[%d];\n", i, i, mass, i);
}

/* The kernels g and G of constraint a: its value becomes o[0], its entries of G those behind. */
static void write_kernels(const cst_rows *z, FILE *f, int a) {
  const cst_system  *s = z->s;
  const cst_pattern *p = z->G;
  const int          entries = p->start[a + 1] - p->start[a];
  cst_node          *out = cst_zeros(entries, sizeof *out);
  int                n = 0;
  out[n++] = s->model->kernel_out[CST_K_g][a];
  CST_EACH_ENTRY(p, a, e)
    if (z->kept[e] == e)
      out[n++] = s->model->kernel_out[CST_K_G][e];
  fprintf(f, "vd o[%d];\n", n);
  cst_graph_emit(s->model->graph, out, n, "", f);
  free(out);
}

/* Of constraint a, behind write_kernels: o[0] is g, row the sum of the sizes of its entries of G, far the
 * largest size of its coordinates. */
static void write_sizes(const cst_rows *z, FILE *f, int a) {
  const cst_pattern *p = z->G;
  const int          first = p->start[a];
  for (int e = first, n = 1; e < p->start[a + 1]; e++)
    if (z->kept[e] == e)
      fprintf(f, "const vd entry%d = o[%d], size%d = vabs(entry%d);\n", e - first, n++, e - first,
              e - first);
  fprintf(f, "vd row = size%d, far = vmax(vabs(q[%d]), vset(0));\n", z->kept[first] - first,
          p->column[first]);
  for (int e = first + 1; e < p->start[a + 1]; e++) {
    fprintf(f, "row += size%d;\n", z->kept[e] - first);
    fprintf(f, "far = vmax(vabs(q[%d]), far);\n", p->column[e]);
  }
}

static void write_test(const cst_rows *z, FILE *f, int a) {
  const cst_pattern *p = z->G;
  CST_EACH_ENTRY(p, a, e)
    if (z->kept[e] == e)
      fprintf(f, "G1[%d] = entry%d;\n", e, e - p->start[a]);
  fprintf(f, "const vd bound = (CST_ROUNDOFF * row) * (slack[%d] + far), size = vabs(o[0]);\n", a);
  fprintf(f, "f[%d] = o[0];\nmet &= (vl)(size <= bound);\nnear &= (vl)(0x1p-17 * size <= bound);\n",
          a);
  fprintf(f, "close &= (vl)(reach * size <= row * slack[%d]);\n", a);
}

static void write_residual(cst_rows *z, FILE *f) {
  const cst_system *s = z->s;
  const int         nq = s->nq;
  cst_strips       *strips = cst_strips_open();
  FILE             *piece;
  memset(z->there, 0, (size_t)nq * sizeof *z->there);
  for (int a = 0; a < s->ng; a++) {
    piece = cst_strips_next(strips);
    CST_EACH_ENTRY(z->G, a, e)
      write_coordinate(z, piece, z->G->column[e]);
    write_kernels(z, piece, a);
    write_sizes(z, piece, a);
    write_test(z, piece, a);
  }
  for (int i = 0; i < nq; i++) /* without constraints */
    if (!z->there[i])
      write_coordinate(z, cst_strips_next(strips), i);
  fprintf(f, "static void sys_residual(const vd *restrict c, const vd *restrict from, const vd "
             "*restrict pt, const vd *restrict hm, const vd *restrict slack, vd reach, const vd "
             "*restrict x, const vd *restrict G, vd *restrict ph, vd *restrict q, vd *restrict G1, "
             "vd *restrict f, vl *restrict tests) {\n"
             "  vl met = vmask(1), near = vmask(1), close = vmask(1);\n"
             "  (void)c;\n");
  z->short_enough &= cst_strips_close(strips, "  ", MOST_CHARACTERS, f);
  fprintf(f, "  tests[0] = met, tests[1] = near, tests[2] = close;\n}\n");
}

/* The way of a coordinate, and where it leads. */
static void write_way(cst_rows *z, FILE *f, int i) {
  const cst_pattern *p = z->G;
  if (z->there[i]++)
    return;
  fprintf(f, "way[%d] = hm[%d] * (", i, z->s->model->mass_class[i]);
  for (int k = p->tstart[i]; k < p->tstart[i + 1]; k++) {
    const bool negative = z->negative[p->tentry[k]];
    fprintf(f, "%sG[%d]", k > p->tstart[i] ? sign(negative) : first_sign(negative),
            z->kept[p->tentry[k]]);
    fprintf(f, " * d[%d]", p->trow[k]);
  }
  fprintf(f, ");\nq[%d] = from[%d] - way[%d];\n", i, i, i);
}

/* What a correction leaves of the residuals (core/bend.h). */
static void write_bend(cst_rows *z, FILE *f) {
  const cst_pattern *p = z->G;
  cst_strips        *strips = cst_strips_open();
  memset(z->there, 0, (size_t)z->s->nq * sizeof *z->there);
  for (int a = 0; a < z->s->ng; a++) {
    FILE *piece = cst_strips_next(strips);
    CST_EACH_ENTRY(p, a, e)
      write_way(z, piece, p->column[e]);
    write_kernels(z, piece, a);
    for (int e = p->start[a], n = 1; e < p->start[a + 1]; e++)
      if (z->kept[e] == e)
        fprintf(piece, "const vd change%d = G1[%d] - o[%d];\n", e - p->start[a], e, n++);
    fprintf(piece, "f[%d] = vkeep(bent, 0.5 * (", a);
    CST_EACH_ENTRY(p, a, e) {
      const bool negative = z->negative[e];
      fprintf(piece, "%schange%d * way[%d]",
              e > p->start[a] ? sign(negative) : first_sign(negative), z->kept[e] - p->start[a],
              p->column[e]);
    }
    fprintf(piece, "));\n");
  }
  fprintf(f, "static void sys_bend(const vd *restrict c, const vd *restrict hm, const vd *restrict "
             "from, const vd *restrict G, const vd *restrict G1, const vd *restrict d, vl bent, vd "
             "*restrict way, vd *restrict q, vd *restrict f) {\n  (void)c;\n");
  z->short_enough &= cst_strips_close(strips, "  ", MOST_CHARACTERS, f);
  fprintf(f, "}\n");
}

/* What observers want to know of every constraint. */
static void write_look(cst_rows *z, FILE *f) {
  const unsigned char *negative = z->negative;
  cst_strips          *strips = cst_strips_open();
  const cst_pattern   *p = z->G;
  const int            n = z->s->ng;
  for (int a = 0; a < n; a++) {
    FILE *piece = cst_strips_next(strips);
    write_kernels(z, piece, a);
    write_sizes(z, piece, a);
    fprintf(piece, "g[%d] = o[0];\nGv[%d] = ", a, a);
    CST_EACH_ENTRY(p, a, e) {
      const int   at = z->kept[e] - p->start[a];
      const bool  first = e == p->start[a];
      const char *before = first ? first_sign(negative[e]) : sign(negative[e]);
      fprintf(piece, "%sentry%d * v[%d]", before, at, p->column[e]);
    }
    fprintf(piece, ";\nrows[%d] = row;\nfars[%d] = far;\n", a, a);
  }
  fprintf(
      f,
      "static void sys_look(const vd *restrict c, const vd *restrict q, const vd *restrict v, vd "
      "*restrict g, vd "
      "*restrict Gv, vd *restrict rows, vd *restrict fars) {\n  (void)c;\n");
  z->short_enough &= cst_strips_close(strips, "  ", MOST_CHARACTERS, f);
  fprintf(f, "}\n");
}

/* ---- Newton's matrix ------------------------------------------------------------------------- */

static bool has_entry(const cst_rows *z, int a, int b) {
  for (int k = z->row[a]; k < z->row[a + 1]; k++)
    if (z->s->model->gram.b[z->pair[k]] == b)
      return true;
  return false;
}

/* Write "NAME = ...;": this entry, and the right-hand side of constraint a. */
static void write_entry(const cst_rows *z, FILE *f, const char *name, int a, int b) {
  const cst_gram *S = &z->s->model->gram;
  const bool      lower = z->symmetric && S->place[a] > S->place[b];
  const int       from = lower ? b : a;
  const int       to = lower ? a : b;
  fprintf(f, "%s = ", name);
  for (int k = z->row[from]; k < z->row[from + 1]; k++) {
    const int p = z->pair[k];
    for (int t = S->first[p]; S->b[p] == to && t < S->first[p + 1]; t++) {
      const bool  negative = z->negative[S->ea[t]] ^ z->negative[S->eb[t]];
      const bool  first = t == S->first[p];
      const char *before = first ? first_sign(negative) : sign(negative);
      const int   mass = z->s->model->mass_class[S->i[t]];
      const char *G = z->symmetric ? "G1" : "G";
      fprintf(f, "%s(G1[%d] * hm[%d])", before, z->kept[S->ea[t]], mass);
      fprintf(f, " * %s[%d]", G, z->kept[S->eb[t]]);
    }
  }
  fprintf(f, ";\n");
}

/* The half kick at the right end. */
static void write_kicked(cst_rows *z, FILE *f, int i) {
  if (!z->there[i]++)
    fprintf(f, "ph[%d] = ph[%d] - kick * dV[%d];\n", i, i, i);
}

static void write_right(cst_rows *z, FILE *f, const char *name, int a) {
  const unsigned char *negative = z->negative;
  const cst_pattern   *p = z->G;
  const int            first = p->start[a];
  if (!z->symmetric) {
    fprintf(f, "%s = f[%d];\n", name, a);
    return;
  }
  for (int e = first; e < p->start[a + 1]; e++)
    write_kicked(z, f, p->column[e]);
  fprintf(f, "%s = ", name);
  for (int e = first; e < p->start[a + 1]; e++) {
    const int   i = p->column[e];
    const int   mass = z->s->model->mass_class[i];
    const char *before = e > first ? sign(negative[e]) : first_sign(negative[e]);
    fprintf(f, "%s(G1[%d] * hm[%d]) * ph[%d]", before, z->kept[e], mass, i);
  }
  fprintf(f, ";\n");
}

/* Writes what follows where d[a] is known; once for every constraint. */
static void write_found(cst_rows *z, FILE *f, int a) {
  const cst_pattern *p = z->G;
  if (!z->symmetric)
    return;
  fprintf(f, "impulse[%d] = impulse[%d] + drift[%d] + d[%d];\n", a, a, a, a);
  CST_EACH_ENTRY(p, a, e) {
    const int i = p->column[e];
    const int needed = p->tstart[i + 1] - p->tstart[i];
    if (++z->known[i] < needed)
      continue;
    fprintf(f, "ph[%d] = ", i);
    write_column(z, f, i, "ph", "G1", "d");
    fprintf(f, ";\n");
  }
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* The solution of d: the elimination of a
 * band, whose rows are computed where they are eliminated.
 *
 * The operations are those of tridiagonal_solve, band_lu and band_solve (system/core/gram.c) in the
 * same order. work[r (band + 1)] is the reciprocal of the pivot of row r, the entries beside it follow.
 */

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
  const int a = z->s->model->gram.order[r];
  write_entry(z, f, "const vd diagonal", a, a);
  write_right(z, f, e->x, a);
  fprintf(f, "%s = 1.0 / diagonal;\n", e->pivot);
  note_sign(z, f, e->pivot);
  fprintf(f, "work[%d] = %s;\n", 2 * r, e->pivot);
  fprintf(f, "d[%d] = %s;\n", a, e->x);
}

/* The entries of row r with its outer neighbour, and back. */
static void write_beside(const cst_rows *z, FILE *f, const end *e, int r) {
  const int *order = z->s->model->gram.order;
  const int  a = order[r];
  const int  outer = order[r - e->inwards];
  char       to[32], back[32];
  snprintf(to, sizeof to, "const vd to_%s", e->x);
  snprintf(back, sizeof back, "const vd back_%s", e->x);
  write_entry(z, f, to, a, outer);
  write_entry(z, f, back, outer, a);
  fprintf(f, "const vd f_%s = to_%s * %s;\n", e->x, e->x, e->pivot);
  fprintf(f, "work[%d] = back_%s;\n", 2 * (r - e->inwards) + 1, e->x);
}

static void eliminate(cst_rows *z, FILE *f, const end *e, int r) {
  const char *x = e->x;
  const int   a = z->s->model->gram.order[r];
  char        name[32];
  write_beside(z, f, e, r);
  snprintf(name, sizeof name, "const vd diagonal_%s", x);
  write_entry(z, f, name, a, a);
  snprintf(name, sizeof name, "const vd right_%s", x);
  write_right(z, f, name, a);
  fprintf(f, "work[%d] = %s = ", 2 * r, e->pivot);
  fprintf(f, "1.0 / (diagonal_%s - f_%s * back_%s);\n", x, x, x);
  note_sign(z, f, e->pivot);
  fprintf(f, "d[%d] = %s = right_%s - f_%s * %s;\n", a, x, x, x, x);
}

static void write_middle(cst_rows *z, FILE *f, int r) {
  const int a = z->s->model->gram.order[r];
  write_beside(z, f, &ends[0], r);
  write_beside(z, f, &ends[1], r);
  write_entry(z, f, "const vd diagonal", a, a);
  write_right(z, f, "const vd right", a);
  fprintf(f, "const vd middle = diagonal - f_x * back_x - f_y * back_y;\n");
  note_sign(z, f, "middle");
  fprintf(f, "d[%d] = x = y = (right - f_x * x - f_y * y) / middle;\n", a);
  write_found(z, f, a);
}

static void go_back(cst_rows *z, FILE *f, const end *e, int r) {
  const int a = z->s->model->gram.order[r];
  const int pivot = 2 * r;
  fprintf(f, "d[%d] = %s = ", a, e->x);
  fprintf(f, "(d[%d] - work[%d] * %s) * work[%d];\n", a, pivot + 1, e->x, pivot);
  write_found(z, f, a);
}

/* The elimination and the solution d, for a band of 1 and for any band. */
static void write_tridiagonal(cst_rows *z, cst_strips *strips) {
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
  const cst_gram *S = &z->s->model->gram;
  const int       n = z->s->ng;
  const int       k = S->band;
  const int       a = S->order[r];
  const int       from = r > k ? r - k : 0;
  const int       to = r + k < n ? r + k : n - 1;
  unsigned char   here[2 * CST_ROWS_MOST_BAND + 1] = {0}; /* of this row, columns from r - k on */
  char            name[32];
  for (int c = from; c <= to; c++) {
    const int at = c - r + k;
    here[at] = has_entry(z, a, S->order[c]);
    snprintf(name, sizeof name, "vd e%d", at);
    if (here[at])
      write_entry(z, f, name, a, S->order[c]);
  }
  write_right(z, f, "vd s", a);
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
  const cst_gram *S = &z->s->model->gram;
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
  write_found(z, f, a);
}

static void write_band(cst_rows *z, cst_strips *strips) {
  const int      n = z->s->ng;
  const long     width = z->s->model->gram.band + 1;
  unsigned char *there = cst_zeros(n * width, 1);
  for (int r = 0; r < n; r++)
    eliminate_row(z, cst_strips_next(strips), there, r);
  for (int r = n - 1; r >= 0; r--)
    solve_row(z, cst_strips_next(strips), there, r);
  free(there);
}

/* ---- the solution ---------------------------------------------------------------------------- */

static void write_solution(cst_rows *z, FILE *f, bool symmetric) {
  const cst_system *s = z->s;
  const int         nq = s->nq;
  cst_strips       *strips = cst_strips_open();
  z->symmetric = symmetric;
  memset(z->there, 0, (size_t)nq * sizeof *z->there);
  memset(z->known, 0, (size_t)nq * sizeof *z->known);
  if (s->model->gram.band == 1 && s->ng > 2)
    write_tridiagonal(z, strips);
  else
    write_band(z, strips);
  for (int i = 0; i < nq && symmetric; i++)
    if (!z->there[i])
      write_kicked(z, cst_strips_next(strips), i);
  fprintf(f, symmetric ? "static void sys_tangent(const vd *restrict hm, const vd *restrict G1, "
                         "vd kick, const vd "
                         "*restrict dV, const vd *restrict drift, vd *restrict ph, vd *restrict "
                         "impulse, vd *restrict "
                         "d, vd *restrict work) {\n"
                       : "static void sys_correction(const vd *restrict hm, const vd *restrict G1, "
                         "const vd *restrict "
                         "G, const vd *restrict f, vd *restrict d, vd *restrict work, "
                         "vl flip, vl *restrict signs) {\n  vl odd = vmask(0);\n");
  fprintf(f, "  vd p, q, x, y;\n  (void)p, (void)q, (void)x, (void)y;\n");
  z->short_enough &= cst_strips_close(strips, "  ", MOST_CHARACTERS, f);
  if (!symmetric)
    fprintf(f, "  *signs = odd;\n");
  fprintf(f, "}\n");
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The pairs of every constraint, pair[row[a]] .. pair[row[a + 1] - 1]. */
static void find_pairs(cst_rows *z) {
  const cst_gram *S = &z->s->model->gram;
  for (int k = 0; k < S->n; k++)
    z->row[S->a[k] + 1]++;
  for (int a = 0; a < z->s->ng; a++)
    z->row[a + 1] += z->row[a];
  int *next = integers((size_t)z->s->ng);
  for (int k = 0; k < S->n; k++) {
    const int a = S->a[k];
    z->pair[z->row[a] + next[a]++] = k;
  }
  free(next);
}

static bool has_short_rows(const cst_system *s) {
  cst_graph         *g = s->model->graph;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  for (int a = 0; a < s->ng; a++) {
    const int n = p->start[a + 1] - p->start[a];
    if (!n)
      return false;
    if (cst_graph_count(g, s->model->kernel_out[CST_K_G] + p->start[a], n) > MOST_OPERATIONS)
      return false;
    if (cst_graph_count(g, s->model->kernel_out[CST_K_g] + a, 1) > MOST_OPERATIONS)
      return false;
  }
  return s->ng > 0;
}

/* solutions: also the correction and the tangent. */
static bool write_kick(cst_rows *z, FILE *f, bool solutions) {
  char  *text;
  size_t size;
  FILE  *written = cst_need(open_memstream(&text, &size));
  z->short_enough = true;
  find_equal(z, !solutions);
  write_residual(z, written);
  write_look(z, written);
  if (solutions)
    write_solution(z, written, false);
  if (solutions)
    write_solution(z, written, true);
  if (solutions)
    write_bend(z, written);
  fclose(written);
  if (z->short_enough) {
    fprintf(f, "#define SYS_RESIDUAL 1\n#define SYS_SOLUTIONS %d\n", solutions);
    fwrite(text, 1, size, f);
  }
  free(text);
  return z->short_enough;
}

void cst_system_emit_rows(const cst_system *s, FILE *f) {
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  cst_rows           z = {.s = s,
                          .G = p,
                          .kept = integers((size_t)p->n),
                          .negative = cst_zeros(p->n, 1),
                          .there = integers((size_t)s->nq),
                          .known = integers((size_t)s->nq),
                          .row = integers((size_t)s->ng + 1),
                          .pair = integers((size_t)s->model->gram.n)};
  const bool         narrow = s->model->gram.band <= CST_ROWS_MOST_BAND;
  const bool         possible = has_short_rows(s);
  find_pairs(&z);
  if (!possible || (!(narrow && write_kick(&z, f, true)) && !write_kick(&z, f, false)))
    fprintf(f, "#define SYS_RESIDUAL 0\n#define SYS_SOLUTIONS 0\n");
  free(z.kept);
  free(z.negative);
  free(z.there);
  free(z.known);
  free(z.row);
  free(z.pair);
}
