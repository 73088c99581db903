/* emit-point.c: the C of what the kernels of one system have in common at a point: the quotients, square roots and functions of parameters
 * and coordinates in them, so that lane code which calls several kernels at one point, or one of them many times, takes each of these once.
 *
 *   sys_given(c, o)                  o[SYS_NGIVEN]: those of parameters alone, once for a march
 *   sys_point(c, k, q, o)            o[SYS_NPOINT]: all of them at q, with k from sys_given
 *   sys_NAME_at(c, q, ..., e, o)     the kernel, with e from sys_point; the same operations as those of sys_NAME
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

enum { MOST = 64 }; /* they stay in the first cache */

static const cst_kernel_id kernels[] = {CST_K_dV,    CST_K_f,      CST_K_M,    CST_K_Lvq,    CST_K_g,  CST_K_G,  CST_K_D2gvv, CST_K_D2gvw,
                                        CST_K_D2glw, CST_K_D3glwu, CST_K_phi0, CST_K_Dphi0w, CST_K_DE, CST_K_RE, CST_K_DRE,   CST_K_DMvw};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct {
  const cst_system *s;
  cst_node         *node, *given; /* [n], [ngiven], a part of the first */
  int               n, ngiven;
} point;

static bool is_given(const cst_system *s, cst_node n) {
  int *index, at = 0;
  if (cst_graph_depends(s->graph, n, 'q')) return false;
  const int count = cst_graph_support(s->graph, n, 'c', &index);
  while (at < count && !(s->timed && index[at] == s->account - 1)) at++;
  free(index);
  return at == count;
}

static point find(const cst_system *s) {
  point     x = {.s = s};
  int       n = 0;
  cst_node *all;
  for (int i = 0; i < KERNELS; i++) n += s->kernel_size[kernels[i]];
  all = cst_need(malloc(sizeof *all * (size_t)(n + 1)));
  n = 0;
  for (int i = 0; i < KERNELS; i++)
    for (int k = 0; k < s->kernel_size[kernels[i]]; k++) all[n++] = s->kernel_out[kernels[i]][k];
  x.n = cst_graph_dear(s->graph, all, n, "cq", &x.node);
  x.given = cst_need(malloc(sizeof *x.given * (size_t)(x.n + 1)));
  for (int i = 0; i < x.n; i++)
    if (is_given(s, x.node[i])) x.given[x.ngiven++] = x.node[i];
  free(all);
  return x;
}

/* from[nfrom] become entries of the array `letter` in out; what that makes is emitted. */
static void emit_with(FILE *f, const cst_system *s, const cst_node *out, int nout, const cst_node *from, int nfrom, char letter) {
  cst_node *to = cst_need(malloc(sizeof *to * (size_t)(nfrom + 1))), *result = cst_need(malloc(sizeof *result * (size_t)(nout + 1)));
  for (int i = 0; i < nfrom; i++) to[i] = cst_graph_input(s->graph, letter, i);
  cst_graph_substitute(s->graph, out, nout, from, to, nfrom, result);
  cst_graph_emit(s->graph, result, nout, "  ", f);
  free(to);
  free(result);
}

static void write_kernel(FILE *f, const point *x, cst_kernel_id k) {
  fprintf(f,
          "CST_INLINE void sys_%s_at(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, const vd *e, vd *o) {\n",
          cst_system_kernel_names[k]);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)e, (void)o;\n");
  emit_with(f, x->s, x->s->kernel_out[k], x->s->kernel_size[k], x->node, x->n, 'e');
  fprintf(f, "}\n");
}

void cst_system_emit_point(const cst_system *s, FILE *f) {
  point      x = find(s);
  const bool few = x.n <= MOST;
  fprintf(f, "#define SYS_NPOINT %d\n#define SYS_NGIVEN %d\n", few ? x.n : 0, few ? x.ngiven : 0);
  if (few && x.n) {
    fprintf(f, "CST_INLINE void sys_given(const vd *c, vd *o) {\n  (void)c, (void)o;\n");
    cst_graph_emit(s->graph, x.given, x.ngiven, "  ", f);
    fprintf(f, "}\nCST_INLINE void sys_point(const vd *c, const vd *k, const vd *q, vd *o) {\n  (void)c, (void)k, (void)q, (void)o;\n");
    emit_with(f, s, x.node, x.n, x.given, x.ngiven, 'k');
    fprintf(f, "}\n");
    for (int i = 0; i < KERNELS; i++) write_kernel(f, &x, kernels[i]);
  }
  free(x.node);
  free(x.given);
}
