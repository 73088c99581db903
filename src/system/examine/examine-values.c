/* examine-values.c: compares the values of kernels: of those from which others are derived with the expressions of
 * the description, including the zeros outside their patterns, and of compiled ones with the interpreter. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "system/examine/examiner.h"

static const double EXACT = 1e-12;

typedef struct {
  cst_kernel_id   kernel;
  const cst_node *node; /* [n], or [rows x columns] of a matrix */
  int             n;
} original;

/* The values of nodes at point p. Owned. */
static double *values(const cst_examiner *e, const cst_node *node, int n, const cst_point *p) {
  const cst_analytic f = {
      .e = e,
      .at = p,
      .n = n,
      .node = node,
      .value = cst_examine_field_own,
  };
  double *x = cst_linear_numbers(n);
  cst_examine_field_value(&f, x);
  return x;
}

static bool equal(const double *x, const double *y, int n) {
  const double room = EXACT * cst_examine_largest(x, n);
  for (int i = 0; i < n; i++) {
    if (x[i] == y[i])
      continue;
    if (!(fabs(x[i] - y[i]) <= room))
      return false;
  }
  return true;
}

static bool same_at(const cst_examiner *e, const original *o, const cst_point *p) {
  const cst_system *s = e->s;
  double           *x = cst_linear_numbers((size_t)s->model->kernel_size[o->kernel]);
  double           *y = values(e, o->node, o->n, p);
  cst_system_eval(s, o->kernel, e->c, p->q, p->v, NULL, NULL, NULL, x);
  const bool same = equal(x, y, o->n);
  free(x);
  free(y);
  return same;
}

static void compare(cst_examiner *e, const original *o) {
  bool same = true;
  for (int k = 0; k < e->npoint && o->n && o->node; k++)
    same &= same_at(e, o, &e->point[k]);
  if (!same)
    cst_examine_say(e, CST_FAULT, "derivatives", "the kernel %s differs from the description",
                    cst_system_kernel_names[o->kernel]);
}

/* The nodes of a matrix in the order of its pattern, owned; NULL if the pattern omits a nonzero one. stride
 * 0: a diagonal. */
static cst_node *in_pattern(const cst_system *s, const cst_pattern *P, const cst_node *node,
                            int stride) {
  cst_graph *g = s->model->graph;
  const long columns = stride;
  const long all = stride ? P->rows * columns : P->rows;
  long       nonzero = 0, found = 0;
  cst_node  *out = cst_zeros(P->n, sizeof *out);
  for (long i = 0; i < all; i++)
    nonzero += !cst_graph_is_zero(g, node[i]);
  for (int a = 0; a < P->rows; a++)
    CST_EACH_ENTRY(P, a, e) {
      const int j = P->column[e];
      if (stride)
        out[e] = node[a * columns + j];
      else
        out[e] = j == a ? node[a] : -1;
      found += out[e] >= 0 && !cst_graph_is_zero(g, out[e]);
    }
  if (found == nonzero)
    return out;
  free(out);
  return NULL;
}

static void compare_matrix(cst_examiner *e, cst_kernel_id k, const cst_node *node, int stride) {
  cst_node *out = in_pattern(e->s, &e->s->model->pattern[k], node, stride);
  if (out)
    compare(e, &(original){k, out, e->s->model->pattern[k].n});
  else
    cst_examine_say(e, CST_FAULT, "derivatives", "the pattern of %s omits nonzero entries",
                    cst_system_kernel_names[k]);
  free(out);
}

static void compare_diagonal(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  double           *m = cst_linear_numbers(n);
  double           *y;
  if (e->npoint) {
    cst_linear_masses(s, e->c, m);
    y = values(e, s->model->mass, n, &e->point[0]);
    if (!equal(m, y, n))
      cst_examine_say(e, CST_FAULT, "derivatives", "the masses differ from the description");
    free(y);
  }
  free(m);
}

void cst_examine_originals(cst_examiner *e) {
  const cst_system *s = e->s;
  const int         nq = s->nq;
  const cst_node    V = cst_system_whole(s);
  if (s->model->bent)
    compare(e, &(original){CST_K_V, &V, 1});
  compare(e, &(original){CST_K_g, s->model->g, s->ng});
  compare(e, &(original){CST_K_gauge, s->model->gauge, s->nsym});
  if (cst_has(s, CST_GYROSCOPIC))
    compare(e, &(original){CST_K_a, s->model->a, nq});
  if (s->nsym)
    compare_matrix(e, CST_K_xi, s->model->xi, nq);
  if (!cst_has(s, CST_SEPARABLE))
    compare_matrix(e, CST_K_M, s->model->mass, cst_has(s, CST_MASS_MATRIX) ? nq : 0);
  else
    compare_diagonal(e);
}

/* ---- compiled kernels ------------------------------------------------------------------------ */

/* They give the bits of the interpreter, in every lane. */

/* Copies x[n] of one lane into a[n][W]. */
static void spread(const double *x, int n, int lanes, int lane, double *a) {
  for (int i = 0; i < n; i++)
    a[i * lanes + lane] = x[i];
}

enum { LETTERS = 6 };
static const char letters[] = "cqvwul";

/* Arguments of all kernels, over lanes. */
typedef struct {
  int     lanes;
  double *x[LETTERS], *o;
} group;

static double *aligned(int n, int lanes) {
  const size_t size = sizeof(double) * (size_t)lanes * ((size_t)n + 1);
  const size_t lines = (size + 63) / 64 * 64;
  double      *a = cst_need(aligned_alloc(sizeof(double) * CST_W_MAX, lines));
  memset(a, 0, size);
  return a;
}

static group gather(const cst_examiner *e, int lanes) {
  const cst_system *s = e->s;
  int               most = 1;
  for (int k = 0; k < CST_K_COUNT; k++)
    if (s->model->kernel_size[k] > most)
      most = s->model->kernel_size[k];
  group g = {.lanes = lanes, .o = aligned(most, lanes)};
  int   entries[LETTERS];
  for (int i = 0; i < LETTERS; i++) {
    entries[i] = cst_system_entries(s, letters[i]);
    g.x[i] = aligned(entries[i], lanes);
  }
  for (int lane = 0; lane < lanes; lane++) {
    const cst_point *p = &e->point[lane % e->npoint];
    const double    *x[LETTERS] = {e->c, p->q, p->v, p->w, p->u, p->l};
    for (int i = 0; i < LETTERS; i++)
      spread(x[i], entries[i], lanes, lane, g.x[i]);
  }
  return g;
}

static void release(group *g) {
  for (int i = 0; i < LETTERS; i++)
    free(g->x[i]);
  free(g->o);
}

static uint64_t bits(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static bool same_bits(double x, double y) { return bits(x) == bits(y) || (isnan(x) && isnan(y)); }

/* Whether kernel k, run over the group, gives the interpreter's values in every lane. */
static bool agrees(const cst_examiner *e, int isa, cst_kernel_id k, const group *g) {
  const cst_system    *s = e->s;
  const int            n = s->model->kernel_size[k];
  double              *x = cst_linear_numbers(n);
  double *const *const in = g->x;
  bool                 same = true;
  s->code->kernel[isa][k](s->code->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5],
                          g->o);
  for (int lane = 0; lane < g->lanes; lane++) {
    const cst_point *p = &e->point[lane % e->npoint];
    cst_system_eval(s, k, e->c, p->q, p->v, p->w, p->u, p->l, x);
    for (int i = 0; i < n; i++)
      same &= same_bits(x[i], g->o[i * g->lanes + lane]);
  }
  free(x);
  return same;
}

/* Compares the kernels of one instruction set; returns their number. */
static int compare_lanes(cst_examiner *e, int isa) {
  group g = gather(e, cst_isas[isa].width);
  int   n = 0;
  for (int k = 0; k < CST_K_COUNT; k++) {
    if (!e->s->model->kernel_size[k])
      continue;
    if (!e->s->code->kernel[isa][k])
      continue;
    n++;
    if (!agrees(e, isa, (cst_kernel_id)k, &g))
      cst_examine_say(e, CST_FAULT, "compiled", "the kernel %s of %s differs from the interpreter",
                      cst_system_kernel_names[k], cst_isas[isa].name);
  }
  release(&g);
  return n;
}

void cst_examine_compiled(cst_examiner *e) {
  const int faults = e->x->faults;
  char      names[64] = "";
  int       n = 0;
  for (int isa = 0; isa < cst_isa_count && e->npoint; isa++) {
    if (!e->s->code->compiled[isa])
      continue;
    if (!cst_isa_available(isa))
      continue;
    n = compare_lanes(e, isa);
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", cst_isas[isa].name);
  }
  if (n && e->x->faults == faults)
    cst_examine_say(e, CST_FACT, "compiled", "%d kernels (%s) have the interpreter's bits", n,
                    names);
}
