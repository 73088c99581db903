/* emit-general.c: generates the C of a general system that the variational core uses in addition to the
 * kernels: the Lagrangian and its derivatives at one point q.
 *
 * L_v, its derivatives and L_q are sums of products of velocities with expressions of q and the parameters
 * alone; the sines and cosines are in these expressions. They are called the numbers of the point. They are
 * computed once, shared by all functions at the point, and kept from the right end of a step to the left end
 * of the next. The operations are those of the kernels, and so are the bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/derive/elimination.h"
#include "system/internal.h"

/* Largest number of products in an elimination whose loops are unrolled, and in one that is written out,
 * since compilers take minutes to unroll it; as loops they would be no faster than generic code. */
enum { UNROLLED = 600, WRITTEN_OUT = 1200 };

bool cst_system_is_sized_general(const cst_system *s) {
  cst_elimination *e = NULL;
  if (!s->timed && !s->npairs && !s->massless && !s->nvel)
    e = cst_elimination_create(s);
  const bool small = e && e->work <= WRITTEN_OUT;
  cst_elimination_destroy(e);
  return small;
}

static const cst_kernel_id at_point[] = {CST_K_Lv, CST_K_M, CST_K_Lvq,
                                         CST_K_Lq}; /* the first three belong to the inertia */
enum { KERNELS = sizeof at_point / sizeof *at_point, INERTIA = 3 };

static void write_function(FILE *f, const cst_graph *g, const char *name, const cst_node *out,
                           int n) {
  fprintf(f,
          "CST_INLINE void sys_lagrange_%s(const vd *c, const vd *q, const vd *v, const vd *u, vd "
          "*o) {\n",
          name);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)u, (void)o;\n");
  cst_emit_straight(g, out, n, "  ", f);
  fprintf(f, "}\n");
}

/* of[k] := 1 for the numbers k of the point that the n outputs use. */
static void mark(const cst_graph *g, const cst_node *out, int n, unsigned char *of) {
  for (int i = 0; i < n; i++) {
    int      *index;
    const int count = cst_graph_support(g, out[i], 'u', &index);
    for (int k = 0; k < count; k++)
      of[index[k]] = 1;
    free(index);
  }
}

/* The numbers of the inertia (which = true), or the others. */
static void write_numbers(FILE *f, const cst_graph *g, const char *name, const cst_node *part,
                          int n, const unsigned char *inertia, bool which) {
  cst_node *own = cst_zeros(n, sizeof *own);
  for (int k = 0; k < n; k++)
    if (inertia[k] == which)
      own[k] = part[k];
    else
      own[k] = -1;
  write_function(f, g, name, own, n);
  free(own);
}

static void write_point(FILE *f, const cst_system *s) {
  cst_graph *g = cst_graph_copy(s->graph);
  int        n = 0;
  int        first[KERNELS + 1] = {0};
  for (int k = 0; k < KERNELS; k++) {
    const int size = s->kernel_size[at_point[k]];
    first[k + 1] = first[k] + size;
  }
  cst_node *out = cst_need(malloc(2 * sizeof *out * ((size_t)first[KERNELS] + 1))),
           *rest = out + first[KERNELS], *part;
  for (int k = 0; k < KERNELS; k++)
    memcpy(out + first[k], s->kernel_out[at_point[k]],
           sizeof *out * (size_t)(first[k + 1] - first[k]));
  n = cst_graph_split(g, out, first[KERNELS], 'v', 'u', &part, rest);
  unsigned char *inertia = cst_zeros(n, 1);
  mark(g, rest, first[INERTIA], inertia);
  fprintf(f, "#define SYS_NLAGRANGE %d\n", n);
  write_numbers(f, g, "inertia", part, n, inertia, true);
  write_numbers(f, g, "force", part, n, inertia, false);
  for (int k = 0; k < KERNELS; k++)
    write_function(f, g, cst_system_kernel_names[at_point[k]], rest + first[k],
                   first[k + 1] - first[k]);
  free(inertia);
  free(part);
  free(out);
  cst_graph_destroy(g);
}

static void write_filled(FILE *f, const char *name, const unsigned char *x, int n) {
  fprintf(f, "static const unsigned char sys_filled_%s[%d] __attribute__((unused)) = {", name,
          n * n);
  for (int i = 0; i < n * n; i++)
    fprintf(f, "%s%d", i ? "," : "", x[i]);
  fprintf(f, "};\n");
}

/* As substitute of lagrange-newton.h has it: R := A^-1 R with the factors A. */
static void write_substitution(FILE *f, const char *name, const unsigned char *x, int n,
                               int sides) {
  fprintf(
      f,
      "static __attribute__((noinline, unused)) void sys_substitute_%s(const vd *restrict A, vd "
      "*restrict R) {\n",
      name);
  for (int row = 1; row < 2 * n; row++) {
    const int i = row < n ? row : 2 * n - 1 - row;
    const int first = row < n ? 0 : i + 1;
    const int end = row < n ? i : n;
    for (int k = 0; k < sides; k++) {
      fprintf(f, "  R[%d] = ", i * sides + k);
      if (row >= n)
        fprintf(f, "(");
      fprintf(f, "R[%d]", i * sides + k);
      for (int j = first; j < end; j++)
        if (x[i * n + j])
          fprintf(f, " - A[%d] * R[%d]", i * n + j, j * sides + k);
      if (row >= n)
        fprintf(f, ") * A[%d]", i * n + i);
      fprintf(f, ";\n");
    }
  }
  fprintf(f, "}\n");
}

/* The same for factor: A := its LU factors. */
static void write_factors(FILE *f, const char *name, const unsigned char *x, int n) {
  fprintf(f, "static __attribute__((noinline, unused)) void sys_factor_%s(vd *A) {\n", name);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      if (!x[i * n + k])
        continue;
      const int pivot = k * n + k;
      const int factor = i * n + k;
      fprintf(f, "  A[%d] = A[%d] * A[%d];\n", factor, factor, pivot);
      for (int j = k + 1; j < n; j++)
        if (x[k * n + j]) {
          const int above = k * n + j;
          fprintf(f, "  A[%d] -= A[%d] * A[%d];\n", i * n + j, factor, above);
        }
    }
    const int own = i * n + i;
    fprintf(f, "  A[%d] = 1.0 / A[%d];\n", own, own);
  }
  fprintf(f, "}\n");
}

/* The same for take_off: Q -= A R. */
static void write_product(FILE *f, const char *name, const unsigned char *x, int n, int sides) {
  fprintf(f,
          "static __attribute__((noinline, unused)) void sys_take_off_%s(const vd *restrict A, "
          "const vd "
          "*restrict R, vd *restrict Q) {\n",
          name);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < sides; k++) {
      const int at = i * sides + k;
      fprintf(f, "  Q[%d] = Q[%d]", at, at);
      for (int j = 0; j < n; j++)
        if (x[i * n + j])
          fprintf(f, " - A[%d] * R[%d]", i * n + j, j * sides + k);
      fprintf(f, ";\n");
    }
  fprintf(f, "}\n");
}

static void write_elimination(FILE *f, const cst_system *s, const cst_elimination *e) {
  const int  ng = s->ng;
  const int  nq = s->nq;
  const bool out = e->work > UNROLLED;
  fprintf(f, "#define SYS_WRITTEN_OUT %d\n", out);
  if (!out)
    return;
  write_factors(f, "mass", e->mass, nq);
  write_factors(f, "ends", e->ends, nq);
  write_factors(f, "inside", e->inside, nq);
  write_substitution(f, "mass", e->mass, nq, 1 + ng);
  write_substitution(f, "ends", e->ends, nq, 1 + ng);
  write_substitution(f, "inside", e->inside, nq, 1 + ng);
  write_product(f, "across", e->across, nq, 1 + ng);
}

/* The entry of a kernel at row * nq + column, -1 for none. */
static void write_places(FILE *f, const cst_system *s, cst_kernel_id k) {
  const int          nq = s->nq;
  const cst_pattern *p = &s->pattern[k];
  fprintf(f, "static const short sys_lagrange_at_%s[%d] __attribute__((unused)) = {",
          cst_system_kernel_names[k], nq * nq);
  for (int r = 0; r < nq; r++)
    for (int c = 0, e = p->start[r]; c < nq; c++) {
      const bool left = e < p->start[r + 1];
      const bool here = left && p->column[e] == c;
      fprintf(f, "%d,", here ? e : -1);
      e += here;
    }
  fprintf(f, "};\n");
}

void cst_system_emit_general(const cst_system *s, FILE *f) {
  const int        nq = s->nq;
  cst_elimination *e = cst_elimination_create(s);
  write_filled(f, "mass", e->mass, nq);
  write_filled(f, "ends", e->ends, nq);
  write_filled(f, "inside", e->inside, nq);
  write_filled(f, "across", e->across, nq);
  write_elimination(f, s, e);
  write_places(f, s, CST_K_M);
  write_places(f, s, CST_K_Lvq);
  write_places(f, s, CST_K_Lqq);
  write_point(f, s);
  cst_elimination_destroy(e);
}
