/* emit-point.c: generates the C of the subexpressions that the kernels of one system share at a point: the
 * quotients, square roots and functions of parameters and coordinates. Lane code that calls several kernels
 * at one point, or one of them many times, computes each of these once.
 *
 *   sys_given(c, o)                  o[SYS_NGIVEN]: those of parameters alone, once for a march
 *   sys_clock(c, k, o)               of o[SYS_NPOINT] those of parameters and the time, with k from sys_given
 *   sys_place(c, k, q, o)            the others, at q, behind sys_clock where the kernels depend on the time
 *   sys_point(c, k, q, o)            both
 *   sys_NAME_at(c, q, ..., e, o)     the kernel with e from sys_point; the same operations as in sys_NAME
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

enum { MOST = 64 }; /* so that they stay in the first-level cache */

static const cst_kernel_id kernels[] = {CST_K_dV,    CST_K_f,      CST_K_M,     CST_K_Lvq,
                                        CST_K_g,     CST_K_G,      CST_K_D2gvv, CST_K_D2gvw,
                                        CST_K_D2glw, CST_K_D3glwu, CST_K_phi0,  CST_K_Dphi0w,
                                        CST_K_DE,    CST_K_RE,     CST_K_DRE,   CST_K_DMvw};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* The shared nodes; given: those of parameters alone; clock[i]: whether node i depends on parameters and the
 * time only. */
typedef struct {
  const cst_system *s;
  cst_node         *node, *given;
  bool             *clock;
  int               n, ngiven;
} point;

static bool is_given(const cst_system *s, cst_node n) {
  int      *index, at = 0;
  const int count = cst_graph_support(s->graph, n, 'c', &index);
  const int time = s->timed ? s->account - 1 : -1;
  while (at < count && index[at] != time)
    at++;
  free(index);
  return at == count;
}

static point find(const cst_system *s) {
  cst_graph *g = s->graph;
  point      x = {.s = s};
  int        n = 0;
  cst_node  *all;
  for (int i = 0; i < KERNELS; i++)
    n += s->kernel_size[kernels[i]];
  all = cst_zeros(n, sizeof *all);
  n = 0;
  for (int i = 0; i < KERNELS; i++) {
    const cst_kernel_id id = kernels[i];
    for (int k = 0; k < s->kernel_size[id]; k++)
      all[n++] = s->kernel_out[id][k];
  }
  x.n = cst_graph_dear(g, all, n, "cq", &x.node);
  x.given = cst_zeros(x.n, sizeof *x.given);
  x.clock = cst_zeros(x.n, sizeof *x.clock);
  for (int i = 0; i < x.n; i++) {
    if (cst_graph_depends(g, x.node[i], 'q'))
      continue;
    if (is_given(s, x.node[i]))
      x.given[x.ngiven++] = x.node[i];
    else
      x.clock[i] = true;
  }
  free(all);
  return x;
}

/* Replaces from[nfrom] in out by the entries of the array `letter`. */
static void take(const cst_system *s, cst_node *out, int nout, const cst_node *from, int nfrom,
                 char letter) {
  cst_graph *g = s->graph;
  cst_node  *to = cst_zeros(nfrom, sizeof *to);
  for (int i = 0; i < nfrom; i++)
    to[i] = cst_graph_input(g, letter, i);
  cst_graph_substitute(g, out, nout, from, to, nfrom, out);
  free(to);
}

static cst_node *copy(const cst_node *out, int nout) {
  cst_node *to = cst_zeros(nout, sizeof *to);
  for (int i = 0; i < nout; i++)
    to[i] = out[i];
  return to;
}

/* Writes the nodes with clock[i] == clock; the others are inputs. */
static void write_part(FILE *f, const point *x, bool clock) {
  cst_node *out = copy(x->node, x->n);
  take(x->s, out, x->n, x->given, x->ngiven, 'k');
  for (int i = 0; i < x->n; i++) {
    const cst_node was = out[i];
    const cst_node there = cst_graph_input(x->s->graph, 'e', i);
    if (x->clock[i] && !clock)
      cst_graph_substitute(x->s->graph, out, x->n, &was, &there, 1, out);
  }
  for (int i = 0; i < x->n; i++)
    if (x->clock[i] != clock)
      out[i] = -1;
  cst_graph_emit(x->s->graph, out, x->n, "  ", f);
  free(out);
}

static void write_kernel(FILE *f, const point *x, cst_kernel_id k) {
  fprintf(f,
          "CST_INLINE void sys_%s_at(const vd *c, const vd *q, const vd *v, const vd *w, const vd "
          "*u, const "
          "vd *l, const vd *e, vd *o) {\n",
          cst_system_kernel_names[k]);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)e, (void)o;\n");
  const cst_system *s = x->s;
  const int         size = s->kernel_size[k];
  cst_node         *out = copy(s->kernel_out[k], size);
  take(s, out, size, x->node, x->n, 'e');
  cst_graph_emit(s->graph, out, size, "  ", f);
  fprintf(f, "}\n");
  free(out);
}

void cst_system_emit_point(const cst_system *s, FILE *f) {
  point      x = find(s);
  const bool few = x.n <= MOST;
  fprintf(f, "#define SYS_NPOINT %d\n", few ? x.n : 0);
  fprintf(f, "#define SYS_NGIVEN %d\n", few ? x.ngiven : 0);
  if (few && x.n) {
    fprintf(f, "CST_INLINE void sys_given(const vd *c, vd *o) {\n  (void)c, (void)o;\n");
    cst_graph_emit(s->graph, x.given, x.ngiven, "  ", f);
    fprintf(f, "}\nCST_INLINE void sys_clock(const vd *c, const vd *k, vd *o) {\n  (void)c, "
               "(void)k, (void)o;\n");
    write_part(f, &x, true);
    fprintf(f, "}\nCST_INLINE void sys_place(const vd *c, const vd *k, const vd *q, vd *o) {\n");
    fprintf(f, "  const vd *const e = o;\n  (void)c, (void)k, (void)q, (void)e;\n");
    write_part(f, &x, false);
    fprintf(f, "}\nCST_INLINE void sys_point(const vd *c, const vd *k, const vd *q, vd *o) {\n");
    fprintf(f, "  sys_clock(c, k, o);\n  sys_place(c, k, q, o);\n}\n");
    for (int i = 0; i < KERNELS; i++)
      write_kernel(f, &x, kernels[i]);
  }
  free(x.node);
  free(x.given);
  free(x.clock);
}
