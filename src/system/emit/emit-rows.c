/* emit-rows.c: generates the C of the operations of a long system with G other than Newton's matrix:
 * impulses, sums over rows, the test of the constraints.
 *
 * Loops that read their indices from tables wait for these loads. Rows of the same form, such as those of a
 * family of constraints, become one loop without tables: their entries are consecutive, and their coordinates
 * have constant strides.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

enum { MOST_RUNS = 64 };

static cst_node *nodes(int n) { return cst_need(malloc(sizeof(cst_node) * ((size_t)n + 1))); }

static void open_function(FILE *f, const char *name) {
  fprintf(f,
          "CST_INLINE void sys_%s(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd "
          "*l, vd *o) {\n",
          name);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;\n");
}

static void write_function(FILE *f, const cst_graph *g, const char *name, const cst_node *out, int n) {
  open_function(f, name);
  cst_graph_emit(g, out, n, "  ", f);
  fprintf(f, "}\n");
}

/* o := q - G' w, G = v: the entries of G are applied one after the other in the order of the constraints. */
static void write_impulses(FILE *f, const cst_system *s) {
  const cst_pattern *p = &s->pattern[CST_K_G];
  cst_graph         *g = cst_graph_create();
  cst_node          *out = nodes(s->nq);
  for (int i = 0; i < s->nq; i++) {
    out[i] = cst_graph_input(g, 'q', i);
    for (int k = p->tstart[i]; k < p->tstart[i + 1]; k++)
      out[i] = cst_graph_sub(
          g, out[i],
          cst_graph_mul(g, cst_graph_input(g, 'v', p->tentry[k]), cst_graph_input(g, 'w', p->trow[k])));
  }
  write_function(f, g, "impulses", out, s->nq);
  cst_graph_destroy(g);
  free(out);
}

/* o := G W q, G = v, W = w by class of mass. */
static void write_sums(FILE *f, const cst_system *s) {
  const cst_pattern *p = &s->pattern[CST_K_G];
  cst_graph         *g = cst_graph_create();
  cst_node          *out = nodes(s->ng);
  for (int a = 0; a < s->ng; a++) {
    out[a] = -1;
    for (int e = p->start[a]; e < p->start[a + 1]; e++) {
      const int      i = p->column[e];
      const cst_node weighted =
          cst_graph_mul(g, cst_graph_input(g, 'v', e), cst_graph_input(g, 'w', s->mass_class[i]));
      const cst_node term = cst_graph_mul(g, weighted, cst_graph_input(g, 'q', i));
      out[a] = out[a] < 0 ? term : cst_graph_add(g, out[a], term);
    }
  }
  write_function(f, g, "sums", out, s->ng);
  cst_graph_destroy(g);
  free(out);
}

/* o := q + W u, W = w by class of mass. */
static void write_drift(FILE *f, const cst_system *s) {
  cst_graph *g = cst_graph_create();
  cst_node  *out = nodes(s->nq);
  for (int i = 0; i < s->nq; i++)
    out[i] = cst_graph_add(
        g, cst_graph_input(g, 'q', i),
        cst_graph_mul(g, cst_graph_input(g, 'w', s->mass_class[i]), cst_graph_input(g, 'u', i)));
  write_function(f, g, "drift", out, s->nq);
  cst_graph_destroy(g);
  free(out);
}

/* The number of rows from a on with equally many entries, whose columns have constant strides. */
static int alike(const cst_pattern *p, int a) {
  const int count = p->start[a + 1] - p->start[a];
  int       b = a + 1;
  for (; b < p->rows && p->start[b + 1] - p->start[b] == count; b++)
    for (int t = 0; t < count && b > a + 1; t++) {
      const int *first = &p->column[p->start[a] + t];
      if (p->column[p->start[b] + t] - *first != (b - a) * (first[count] - *first)) return b - a;
    }
  return b - a;
}

static int count_runs(const cst_pattern *p) {
  int runs = 0;
  for (int a = 0; a < p->rows; a += alike(p, a)) runs++;
  return runs;
}

static void write_run(FILE *f, const cst_pattern *p, int a, int n) {
  const int count = p->start[a + 1] - p->start[a];
  fprintf(f, "  for (int k = 0; k < %d; k++) {\n    vd row = vset(0), far = vset(0);\n", n);
  for (int t = 0; t < count; t++) {
    const int column = p->column[p->start[a] + t],
              stride = n > 1 ? p->column[p->start[a + 1] + t] - column : 0;
    fprintf(f, "    row += vabs(v[%d + %d * k]), far = vmax(vabs(q[%d + %d * k]), far);\n", p->start[a] + t,
            count, column, stride);
  }
  fprintf(f, "    const vd bound = (CST_ROUNDOFF * row) * (w[%d + k] + far), g = c[%d + k];\n", a, a);
  fprintf(f, "    met &= (vl)(vabs(g) <= bound), near &= (vl)(vabs(0x1p-17 * g) <= bound);\n  }\n");
}

/* The lanes in which all constraints c are satisfied, and in which all are near (cst_is_met, cst_is_near in
 * acceleration.h), for G = v, slack = w. */
static void write_tests(FILE *f, const cst_system *s) {
  const cst_pattern *p = &s->pattern[CST_K_G];
  open_function(f, "tests");
  fprintf(f, "  vl met = vmask(1), near = vmask(1);\n");
  for (int a = 0, n; a < s->ng; a += n) {
    n = alike(p, a);
    write_run(f, p, a, n);
  }
  fprintf(f, "  ((vl *)o)[0] = met, ((vl *)o)[1] = near;\n}\n");
}

void cst_system_emit_rows(const cst_system *s, FILE *f) {
  const bool few = count_runs(&s->pattern[CST_K_G]) <= MOST_RUNS;
  fprintf(f, "#define SYS_TESTS %d\n", few);
  write_impulses(f, s);
  write_sums(f, s);
  write_drift(f, s);
  if (few) write_tests(f, s);
}
