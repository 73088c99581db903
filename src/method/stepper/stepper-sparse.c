/* stepper-sparse.c: the sparse matrices of a substep's equations: S, and Jacobians by differences, with their pattern, order
 * and colours. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/stepper/stepper-sparse.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "system/derive/sparse-order.h"

/* ---- S --------------------------------------------------------------------------------------- */

bool cst_sparse_takes(const cst_substep *x, const cst_system *s) {
  const bool is_long = s->nq > CST_MAX_Q || s->ng > CST_MAX_G;
  return is_long && s->model->gram.banded && cst_substep_jacobian(x, s) == CST_JACOBIAN_GRAM;
}

static const cst_gram *gram(const cst_sparse *x) { return &x->march->group.system->model->gram; }

static bool is_dropped(const cst_sparse *x, int a) {
  const unsigned char *dropped = x->march->group.dropped;
  return dropped && dropped[a];
}

/* The entry (a, b). */
static int find(const cst_sparse *x, int a, int b) {
  int at = x->row[a], end = x->row[a + 1];
  while (x->column[at] != b) {
    const int middle = (at + end) / 2;
    if (x->column[middle] <= b)
      at = middle;
    else
      end = middle;
  }
  return at;
}

static int ascending(const void *x, const void *y) {
  const int a = *(const int *)x, b = *(const int *)y;
  return (a > b) - (a < b);
}

static void find_pattern(cst_sparse *x, int n) {
  const cst_gram *g = gram(x);
  int            *next = cst_zeros(n, sizeof *next);
  x->row = cst_zeros(n + 1, sizeof *x->row);
  x->column = cst_zeros(g->n, sizeof *x->column);
  x->at = cst_zeros(g->n, sizeof *x->at);
  x->mirror = cst_zeros(g->n, sizeof *x->mirror);
  for (int k = 0; k < g->n; k++)
    x->row[g->a[k] + 1]++;
  for (int a = 0; a < n; a++)
    x->row[a + 1] += x->row[a];
  for (int k = 0; k < g->n; k++)
    x->column[x->row[g->a[k]] + next[g->a[k]]++] = g->b[k];
  for (int a = 0; a < n; a++)
    qsort(x->column + x->row[a], (size_t)(x->row[a + 1] - x->row[a]), sizeof(int), ascending);
  for (int k = 0; k < g->n; k++) {
    x->at[k] = find(x, g->a[k], g->b[k]);
    x->mirror[k] = find(x, g->b[k], g->a[k]);
  }
  free(next);
}

/* The first n pairs of S, whose number k is at S[stride at[k]], or at S[k] if at is NULL. */
static void take(cst_sparse *x, int n, const double *S, const int *at, int stride, bool symmetric) {
  const cst_gram *g = gram(x);
  for (int k = 0; k < n; k++) {
    const double s =
        is_dropped(x, g->a[k]) ? 1 : S[at ? (size_t)at[k] * (size_t)stride : (size_t)k];
    x->values[x->at[k]] = s;
    if (symmetric)
      x->values[x->mirror[k]] = s;
  }
}

static void factor(void *context, const double *S, int symmetric) {
  cst_sparse     *x = context;
  const cst_gram *g = gram(x);
  if (x->use == CST_SPARSE_IGNORE)
    return;
  take(x, symmetric ? g->upper : g->n, S, g->at, x->width, symmetric);
  if (x->use == CST_SPARSE_SOLVE && !x->error)
    x->error = cst_single_factor(x->solver, x->values);
}

static void solve(void *context, double *b) {
  cst_sparse *x = context;
  const int   n = x->march->group.ng, W = x->width;
  bool        good = true;
  if (x->use != CST_SPARSE_SOLVE) {
    memset(b, 0, (size_t)n * (size_t)W * sizeof *b);
    return;
  }
  for (int a = 0; a < n; a++)
    x->x[a] = is_dropped(x, a) ? 0 : b[a * W];
  if (!x->error)
    x->error = cst_single_backsolve(x->solver, x->x, &good);
  x->failed |= !good;
  for (int a = 0; a < n; a++)
    for (int l = 0; l < W; l++)
      b[a * W + l] = x->x[a];
}

void cst_sparse_create(cst_sparse *x, const cst_march *m, int width) {
  const cst_system *s = m->group.system;
  *x = (cst_sparse){.march = m, .width = width};
  find_pattern(x, s->ng);
  x->values = cst_zeros(x->row[s->ng], sizeof *x->values);
  x->G =
      cst_aligned((size_t)s->model->pattern[CST_K_G].n * (size_t)width + (size_t)s->model->gram.n);
  x->x = cst_zeros(s->ng, sizeof *x->x);
  x->by = (cst_eliminator){x, factor, solve};
}

void cst_sparse_destroy(cst_sparse *x) {
  free(x->row);
  free(x->column);
  free(x->at);
  free(x->mirror);
  free(x->values);
  free(x->G);
  free(x->x);
  *x = (cst_sparse){0};
}

/* The operations of cst_gram_fill, in its order, so that a projection at q and a start from q have one S. */
void cst_sparse_at_start(cst_sparse *x, const double *record, int j) {
  const cst_context *C = &x->march->group;
  const cst_gram    *g = gram(x);
  const int          W = x->width;
  const double       h = x->march->sub[j].h[0];
  const double      *mass = record + (size_t)C->at.mass * (size_t)W, *G = x->G;
  double            *S = x->G + (size_t)C->system->model->pattern[CST_K_G].n * (size_t)W;
  C->kernel[CST_K_G](C->self, record + (size_t)C->at.c * (size_t)W,
                     record + (size_t)C->at.q * (size_t)W, NULL, NULL, NULL, NULL, x->G);
  for (int k = 0; k < g->upper; k++) {
    double s = g->first[k] == g->first[k + 1] ? 1 : -0.0;
    for (int t = g->first[k]; t < g->first[k + 1]; t++) {
      const double w = C->mass_unit ? h : h * (1.0 / mass[C->mass_class[g->i[t]] * W]);
      s += G[(size_t)g->ea[t] * (size_t)W] * w * G[(size_t)g->eb[t] * (size_t)W];
    }
    S[k] = s;
  }
  take(x, g->upper, S, NULL, 1, true);
}

/* ---- Jacobians by differences ---------------------------------------------------------------- */

bool cst_colours_take(const cst_substep *x, const cst_system *s) {
  cst_coupling c;
  const bool   is_long = s->nq > CST_MAX_Q || s->ng > CST_MAX_G;
  if (!is_long || !cst_has(s, CST_SEPARABLE) || !x->row->coupling ||
      !x->row->coupling(x->data, s, &c))
    return false;
  if (s->ng && !(s->model->gram.banded && c.impulses))
    return false;
  return !c.force || cst_has(s, CST_LINEAR_V) ||
         (c.by_rows ? s->model->bands[0].n > 0 : s->model->bent);
}

cst_substep cst_colours_sparse(const cst_substep *x, const cst_system *s) {
  cst_substep other;
  const bool  has = x->row->sparse && x->row->sparse(x, s, &other);
  return has && cst_colours_take(&other, s) ? other : *x;
}

/* ---- the pattern, and the order --------------------------------------------------------------- */

/* A graph: first counted, with to == NULL, then filled. The neighbours of node a are to[from[a]] .. to[from[a + 1] -
 * 1]. */
typedef struct {
  int  n;
  int *from, *to, *next;
} graph;

static void join(graph *x, int a, int b) {
  if (x->to)
    x->to[x->next[a]++] = b;
  else
    x->from[a + 1]++;
}

/* The neighbours of every node, ascending, each once. */
static void tidy(graph *x) {
  int n = 0;
  for (int a = 0, from = 0; a < x->n; a++) {
    const int end = x->from[a + 1], start = n;
    if (end > from)
      qsort(x->to + from, (size_t)(end - from), sizeof(int), ascending);
    for (int k = from; k < end; k++)
      if (n == start || x->to[n - 1] != x->to[k])
        x->to[n++] = x->to[k];
    from = end;
    x->from[a + 1] = n;
  }
}

static int coordinate(const cst_colours *c, int block, int i) {
  return block * c->system->nq + (c->by.by_rows ? c->system->model->bands[0].place[i] : i);
}

static int impulse(const cst_colours *c, int block, int a) {
  return c->by.blocks * c->system->nq + block * c->system->ng + a;
}

static void join_blocks(const cst_colours *c, graph *x, int i, int k) {
  for (int one = 0; one < c->by.blocks; one++)
    for (int other = 0; other < c->by.blocks; other++)
      join(x, coordinate(c, one, i), coordinate(c, other, k));
}

static void join_by_force(const cst_colours *c, graph *x) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->model->pattern[CST_K_d2V];
  const cst_bands   *b = &s->model->bands[0];
  if (cst_has(s, CST_LINEAR_V))
    return;
  for (int e = 0; e < b->n && c->by.by_rows; e++) {
    const int r = b->at[e] / (b->band + 1), i = b->order[r];
    const int k = b->order[r + b->at[e] % (b->band + 1)];
    join_blocks(c, x, i, k);
    join_blocks(c, x, k, i);
  }
  for (int i = 0; i < s->nq && !c->by.by_rows; i++)
    CST_EACH_ENTRY(p, i, e)
      join_blocks(c, x, i, p->column[e]);
}

static void join_by_constraints(const cst_colours *c, graph *x, bool bends, bool impulses) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  const int          blocks = impulses ? c->by.impulses : 0;
  for (int a = 0; a < s->ng; a++) {
    for (int b = 0; b < blocks; b++)
      join(x, impulse(c, b, a), impulse(c, b, a));
    CST_EACH_ENTRY(p, a, e) {
      CST_EACH_ENTRY(p, a, f)
        if (bends)
          join_blocks(c, x, p->column[e], p->column[f]);
      for (int b = 0; b < blocks; b++)
        for (int block = 0; block < c->by.blocks; block++) {
          join(x, impulse(c, b, a), coordinate(c, block, p->column[e]));
          join(x, coordinate(c, block, p->column[e]), impulse(c, b, a));
        }
    }
  }
}

static graph couple(const cst_colours *c, bool bends, bool impulses) {
  graph x = {.n = c->by.blocks * c->system->nq + (impulses ? c->by.impulses * c->system->ng : 0)};
  x.from = cst_zeros(x.n + 1, sizeof(int));
  for (int fill = 0; fill < 2; fill++) {
    for (int i = 0; i < c->system->nq; i++)
      join_blocks(c, &x, i, i);
    if (c->by.force)
      join_by_force(c, &x);
    join_by_constraints(c, &x, bends, impulses);
    if (fill)
      break;
    for (int a = 0; a < x.n; a++)
      x.from[a + 1] += x.from[a];
    x.to = cst_zeros(x.from[x.n], sizeof(int));
    x.next = cst_zeros(x.n, sizeof(int));
    memcpy(x.next, x.from, (size_t)x.n * sizeof(int));
  }
  free(x.next);
  tidy(&x);
  return x;
}

static void forget(graph *x) {
  free(x->from);
  free(x->to);
}

/* An impulse is eliminated behind all coordinates of its constraint, since its own diagonal entry is 0. */

/* order[n ..] := a coordinate, or a constraint, in all blocks; returns what n becomes. */
static int place_coordinate(const cst_colours *c, int i, int *order, int n) {
  for (int block = 0; block < c->by.blocks; block++)
    order[n++] = coordinate(c, block, i);
  return n;
}

static int place_constraint(const cst_colours *c, int a, int *order, int n) {
  for (int block = 0; block < c->by.impulses; block++)
    order[n++] = impulse(c, block, a);
  return n;
}

/* Constraints in the order in which S is eliminated, each behind those of its coordinates that are left. */
static void order_by_constraints(const cst_colours *c, int *order) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  bool              *placed = cst_zeros(s->nq, sizeof *placed);
  int                n = 0;
  for (int i = 0; i < s->nq; i++)
    if (p->tstart[i] == p->tstart[i + 1]) {
      placed[i] = true;
      n = place_coordinate(c, i, order, n);
    }
  for (int r = 0; r < s->ng; r++) {
    const int a = s->model->gram.order[r];
    CST_EACH_ENTRY(p, a, e)
      if (!placed[p->column[e]]) {
        placed[p->column[e]] = true;
        n = place_coordinate(c, p->column[e], order, n);
      }
    n = place_constraint(c, a, order, n);
  }
  free(placed);
}

/* Coordinates by nested dissection, each, in all blocks, before the constraints of which it is the last one. */
static void order_by_coordinates(const cst_colours *c, int *order) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  cst_colours        one = *c;
  one.by.blocks = 1;
  graph x = couple(&one, true, false);
  int  *found = cst_zeros(x.n, sizeof *found), *left = cst_zeros(s->ng, sizeof *left);
  cst_sparse_order(x.n, x.from, x.to, found);
  for (int a = 0; a < s->ng; a++)
    left[a] = p->start[a + 1] - p->start[a];
  int n = 0;
  for (int a = 0; a < s->ng; a++)
    if (!left[a])
      n = place_constraint(c, a, order, n); /* one without coordinates */
  for (int r = 0; r < x.n; r++) {
    const int i = found[r];
    for (int block = 0; block < c->by.blocks; block++)
      order[n++] = block * s->nq + i;
    for (int e = p->tstart[i]; s->ng && e < p->tstart[i + 1]; e++)
      if (--left[p->trow[e]] == 0)
        n = place_constraint(c, p->trow[e], order, n);
  }
  free(found);
  free(left);
  forget(&x);
}

/* What a matrix takes in this order; infinite if factors have more than `most` numbers. */
static cst_colours_size size_of(const graph *x, const int *order, int *place) {
  const double most = 2e8;
  for (int r = 0; r < x->n; r++)
    place[order[r]] = r;
  cst_sparse_pattern p = cst_sparse_factors(x->n, x->from, x->to, order, place, most);
  const double       n = p.too_large ? INFINITY : p.row[x->n];
  free(p.row);
  free(p.column);
  return (cst_colours_size){x->from[x->n], n, p.too_large ? INFINITY : p.work};
}

/* c->order, the better of the two, and place, its inverse. */
static void choose_order(cst_colours *c, const graph *x, int *place) {
  int *other = cst_zeros(c->n, sizeof *other);
  order_by_coordinates(c, c->order);
  if (c->system->ng) {
    c->size = size_of(x, c->order, place);
    order_by_constraints(c, other);
    const cst_colours_size by = size_of(x, other, place);
    if (by.work < c->size.work) {
      memcpy(c->order, other, (size_t)c->n * sizeof *other);
      c->size = by;
    }
  }
  for (int r = 0; r < c->n; r++)
    place[c->order[r]] = r;
  free(other);
}

/* The pattern in the order of elimination. */
static void arrange(cst_colours *c, const graph *x, const int *place) {
  int n = 0;
  c->row = cst_zeros(c->n + 1, sizeof *c->row);
  c->column = cst_zeros(x->from[x->n], sizeof *c->column);
  c->mirror = cst_zeros(x->from[x->n], sizeof *c->mirror);
  for (int r = 0; r < c->n; r++) {
    const int a = c->order[r];
    for (int k = x->from[a]; k < x->from[a + 1]; k++)
      c->column[n++] = place[x->to[k]];
    qsort(c->column + c->row[r], (size_t)(n - c->row[r]), sizeof(int), ascending);
    c->row[r + 1] = n;
  }
  int *next = cst_zeros(c->n, sizeof *next);
  memcpy(next, c->row, (size_t)c->n * sizeof *next);
  for (int r = 0; r < c->n; r++)
    for (int e = c->row[r]; e < c->row[r + 1]; e++)
      c->mirror[e] = next[c->column[e]]++;
  free(next);
}

/* Each column has the first colour that no column has with which it shares a row. */
static void colour(cst_colours *c) {
  int *of = cst_zeros(c->n, sizeof *of), *taken = cst_zeros(c->n, sizeof *taken);
  for (int k = 0; k < c->n; k++)
    of[k] = taken[k] = -1;
  for (int k = 0; k < c->n; k++) {
    for (int e = c->row[k]; e < c->row[k + 1]; e++) {
      const int r = c->column[e];
      for (int f = c->row[r]; f < c->row[r + 1]; f++)
        if (of[c->column[f]] >= 0)
          taken[of[c->column[f]]] = k;
    }
    int first = 0;
    while (taken[first] == k)
      first++;
    of[k] = first;
    c->colours = first + 1 > c->colours ? first + 1 : c->colours;
  }
  c->first = cst_zeros(c->colours + 1, sizeof *c->first);
  c->member = cst_zeros(c->n, sizeof *c->member);
  for (int k = 0; k < c->n; k++)
    c->first[of[k] + 1]++;
  for (int i = 0; i < c->colours; i++)
    c->first[i + 1] += c->first[i];
  memcpy(taken, c->first, (size_t)c->colours * sizeof *taken);
  for (int k = 0; k < c->n; k++)
    c->member[taken[of[k]]++] = k;
  free(of);
  free(taken);
}

/* c->order, and *place, its inverse, which is owned; returns what couples the unknowns. */
static graph order_unknowns(cst_colours *c, const cst_substep *x, const cst_system *s,
                            int **place) {
  *c = (cst_colours){.system = s};
  (void)x->row->coupling(x->data, s, &c->by);
  c->n = c->by.blocks * s->nq + c->by.impulses * s->ng;
  c->order = cst_zeros(c->n, sizeof *c->order);
  *place = cst_zeros(c->n, sizeof **place);
  const graph all = couple(c, c->by.bends, c->by.impulses);
  choose_order(c, &all, *place);
  return all;
}

void cst_colours_create(cst_colours *c, const cst_substep *x, const cst_system *s) {
  int  *place;
  graph all = order_unknowns(c, x, s, &place);
  c->step = cst_zeros(c->n, sizeof *c->step);
  arrange(c, &all, place);
  colour(c);
  forget(&all);
  free(place);
}

cst_colours_size cst_colours_measure(const cst_substep *x, const cst_system *s) {
  cst_colours c;
  int        *place;
  graph       all = order_unknowns(&c, x, s, &place);
  if (!s->ng)
    c.size = size_of(&all, c.order, place);
  const cst_colours_size size = c.size;
  forget(&all);
  free(place);
  cst_colours_destroy(&c);
  return size;
}

void cst_colours_destroy(cst_colours *c) {
  free(c->order);
  free(c->row);
  free(c->column);
  free(c->mirror);
  free(c->first);
  free(c->member);
  free(c->step);
  *c = (cst_colours){0};
}

/* ---- their numbers --------------------------------------------------------------------------- */

/* The mass of the unknown u: of a coordinate, or the least one of a constraint's. */
static double mass_of(const cst_colours *c, const double *mass, int W, int u) {
  const cst_system  *s = c->system;
  const cst_pattern *p = &s->model->pattern[CST_K_G];
  const int          behind = u - c->by.blocks * s->nq, a = s->ng ? behind % s->ng : 0;
  double             least = INFINITY;
  if (!c->by.mass || cst_has(s, CST_MASS_UNIT))
    return 1;
  if (behind < 0)
    return mass
        [s->model->mass_class[c->by.by_rows ? s->model->bands[0].order[u % s->nq] : u % s->nq] * W];
  CST_EACH_ENTRY(p, a, e)
    least = fmin(least, mass[s->model->mass_class[p->column[e]] * W]);
  return least < INFINITY ? least : 1;
}

void cst_colours_scale(cst_colours *c, const cst_context *C, int W, const double *record,
                       double h) {
  const double  extent = record[(size_t)C->at.extent * (size_t)W];
  const double *mass = record + (size_t)C->at.mass * (size_t)W;
  double        step = cbrt(DBL_EPSILON) * (extent > 0 ? extent : 1);
  for (int k = 0; k < c->by.power; k++)
    step /= fabs(h);
  for (int r = 0; r < c->n; r++)
    c->step[r] = step * mass_of(c, mass, W, c->order[r]);
}

/* y [n][W] := x, in lane l with the columns of colour (first + l)/2 moved, forth where first + l is even, else back. */
static void move(const cst_colours *c, const double *x, int first, int W, double *y) {
  for (int r = 0; r < c->n; r++)
    for (int l = 0; l < W; l++)
      y[c->order[r] * W + l] = x[r];
  for (int l = 0; l < W && first + l < 2 * c->colours; l++) {
    const int    colour = (first + l) / 2;
    const double sign = (first + l) % 2 ? -1 : 1;
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
      const int r = c->member[k];
      y[c->order[r] * W + l] += sign * c->step[r];
    }
  }
}

/* values := residuals ahead, or differences, behind a move. */
static void take_differences(const cst_colours *c, int first, int W, const double *f,
                             double *values) {
  for (int l = 0; l < W && first + l < 2 * c->colours; l++) {
    const int  colour = (first + l) / 2;
    const bool back = (first + l) % 2;
    for (int k = c->first[colour]; k < c->first[colour + 1]; k++) {
      const int    r = c->member[k];
      const double by = c->by.sign / (2 * c->step[r]);
      for (int e = c->row[r]; e < c->row[r + 1]; e++) {
        double      *at = &values[c->mirror[e]];
        const double here = f[c->order[c->column[e]] * W + l];
        *at = back ? (*at - here) * by : here;
      }
    }
  }
}

void cst_colours_jacobian(const cst_colours *c, const double *x, const unsigned char *dropped,
                          int W, cst_colours_residual *residual, void *context, double *y,
                          double *f, double *values) {
  const int behind = c->by.blocks * c->system->nq, ng = c->system->ng;
  for (int first = 0; first < 2 * c->colours; first += W) {
    move(c, x, first, W, y);
    residual(context, y, f);
    take_differences(c, first, W, f, values);
  }
  for (int r = 0; r < c->n && dropped; r++)
    if (c->order[r] >= behind && dropped[(c->order[r] - behind) % ng])
      for (int e = c->row[r]; e < c->row[r + 1]; e++)
        values[e] = c->column[e] == r;
}
