/* emit-header.c: generates the C of one system, against which lane code is compiled with constant sizes and
 * inlined kernels.
 *
 * The text is the same for the catalogue, when the program is built, and for a user's system at run time. It
 * contains only numbers and indices: no name of a description can collide with ours.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "system/derive/elimination.h"
#include "system/derive/find-molecules.h"
#include "system/internal.h"

/* ---- what kernels share at a point ----------------------------------------------------------- */

/* Subexpressions of several kernels: the
 * quotients, square roots and functions of parameters and coordinates. Lane code that calls several kernels
 * at one point, or one of them many times, computes each of these once.
 *
 *   sys_given(c, o)                  o[SYS_NGIVEN]: those of parameters alone, once for a march
 *   sys_clock(c, k, o)               of o[SYS_NPOINT] those of parameters and the time, with k from sys_given
 *   sys_place(c, k, q, o)            the others, at q, behind sys_clock where the kernels depend on the time
 *   sys_point(c, k, q, o)            both
 *   sys_NAME_at(c, q, ..., e, o)     the kernel with e from sys_point; the same operations as in sys_NAME
 */

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
  const int count = cst_graph_support(s->model->graph, n, 'c', &index);
  const int time = cst_has(s, CST_TIMED) ? s->model->account - 1 : -1;
  while (at < count && index[at] != time)
    at++;
  free(index);
  return at == count;
}

static point find(const cst_system *s) {
  cst_graph *g = s->model->graph;
  point      x = {.s = s};
  int        n = 0;
  cst_node  *all;
  for (int i = 0; i < KERNELS; i++)
    n += s->model->kernel_size[kernels[i]];
  all = cst_zeros(n, sizeof *all);
  n = 0;
  for (int i = 0; i < KERNELS; i++) {
    const cst_kernel_id id = kernels[i];
    for (int k = 0; k < s->model->kernel_size[id]; k++)
      all[n++] = s->model->kernel_out[id][k];
  }
  x.n = cst_graph_costly(g, all, n, "cq", &x.node);
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
  cst_graph *g = s->model->graph;
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
    const cst_node there = cst_graph_input(x->s->model->graph, 'e', i);
    if (x->clock[i] && !clock)
      cst_graph_substitute(x->s->model->graph, out, x->n, &was, &there, 1, out);
  }
  for (int i = 0; i < x->n; i++)
    if (x->clock[i] != clock)
      out[i] = -1;
  cst_graph_emit(x->s->model->graph, out, x->n, "  ", f);
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
  const int         size = s->model->kernel_size[k];
  cst_node         *out = copy(s->model->kernel_out[k], size);
  take(s, out, size, x->node, x->n, 'e');
  cst_graph_emit(s->model->graph, out, size, "  ", f);
  fprintf(f, "}\n");
  free(out);
}

/* Emits what the kernels share at a point; after the sizes. */
static void emit_point(const cst_system *s, FILE *f) {
  point      x = find(s);
  const bool few = x.n <= MOST;
  fprintf(f, "#define SYS_NPOINT %d\n", few ? x.n : 0);
  fprintf(f, "#define SYS_NGIVEN %d\n", few ? x.ngiven : 0);
  if (few && x.n) {
    fprintf(f, "CST_INLINE void sys_given(const vd *c, vd *o) {\n  (void)c, (void)o;\n");
    cst_graph_emit(s->model->graph, x.given, x.ngiven, "  ", f);
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

/* ---- the Lagrangian at a point --------------------------------------------------------------- */

/* For the variational core, in addition to the
 * kernels of a general system: the Lagrangian and its derivatives at one point q.
 *
 * L_v, its derivatives and L_q are sums of products of velocities with expressions of q and the parameters
 * alone; the sines and cosines are in these expressions. They are called the numbers of the point. They are
 * computed once, shared by all functions at the point, and kept from the right end of a step to the left end
 * of the next. The operations are those of the kernels, and so are the bits.
 */

/* Largest number of products in an elimination whose loops are unrolled, and in one that is written out,
 * since compilers take minutes to unroll it; as loops they would be no faster than generic code. */
enum { UNROLLED = 600, WRITTEN_OUT = 1200 };

bool cst_system_is_eliminated(const cst_system *s) {
  cst_elimination *e = NULL;
  if (!(s->model->traits & (CST_TIMED | CST_PAIRS | CST_MASSLESS | CST_NONHOLONOMIC)))
    e = cst_elimination_create(s);
  const bool small = e && e->work <= WRITTEN_OUT;
  cst_elimination_destroy(e);
  return small;
}

static const cst_kernel_id at_point[] = {CST_K_Lv, CST_K_M, CST_K_Lvq,
                                         CST_K_Lq}; /* the first three belong to the inertia */
enum { KERNELS_OF_LAGRANGE = sizeof at_point / sizeof *at_point, INERTIA = 3 };

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
  cst_graph *g = cst_graph_copy(s->model->graph);
  int        n = 0;
  int        first[KERNELS_OF_LAGRANGE + 1] = {0};
  for (int k = 0; k < KERNELS_OF_LAGRANGE; k++) {
    const int size = s->model->kernel_size[at_point[k]];
    first[k + 1] = first[k] + size;
  }
  cst_node *out = cst_need(malloc(2 * sizeof *out * ((size_t)first[KERNELS_OF_LAGRANGE] + 1))),
           *rest = out + first[KERNELS_OF_LAGRANGE], *part;
  for (int k = 0; k < KERNELS_OF_LAGRANGE; k++)
    memcpy(out + first[k], s->model->kernel_out[at_point[k]],
           sizeof *out * (size_t)(first[k + 1] - first[k]));
  n = cst_graph_split(g, out, first[KERNELS_OF_LAGRANGE], 'v', 'u', &part, rest);
  unsigned char *inertia = cst_zeros(n, 1);
  mark(g, rest, first[INERTIA], inertia);
  fprintf(f, "#define SYS_NLAGRANGE %d\n", n);
  write_numbers(f, g, "inertia", part, n, inertia, true);
  write_numbers(f, g, "force", part, n, inertia, false);
  for (int k = 0; k < KERNELS_OF_LAGRANGE; k++)
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
  const cst_pattern *p = &s->model->pattern[k];
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

static void emit_general(const cst_system *s, FILE *f) {
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

/* ---- the header ------------------------------------------------------------------------------ */

/* HOT_WORK: largest ng^2 nq whose loops are unrolled. HOT_GENERAL: largest nq + ng of a sized system whose mass is not a
 * constant diagonal. */
enum { HOT_WORK = 2000, HOT_GENERAL = 9 };

bool cst_system_is_sized(const cst_system *s) {
  const int ng = s->ng;
  const int nq = s->nq;
  if (s->model->traits & (CST_PAIRS | CST_SLIPS | CST_MASSLESS) || s->model->gram.banded)
    return false;
  if (nq > CST_MAX_Q)
    return false;
  if (!cst_has(s, CST_MASS_DIAGONAL) && nq + ng > HOT_GENERAL)
    return false;
  return (long)ng * ng * nq <= HOT_WORK;
}

/* The number of entries of kernel k, and sys_at_NAME[row][column]: the entry there, -1 for none. */
static void write_pattern(FILE *f, const cst_system *s, cst_kernel_id k, const char *entries) {
  const cst_pattern *p = &s->model->pattern[k];
  fprintf(f, "#define NNZ_%s %d\n", entries, p->n);
  fprintf(f, "static const short sys_at_%s[%d] __attribute__((unused)) = {",
          cst_system_kernel_names[k], p->rows * p->columns + 1);
  for (int r = 0; r < p->rows; r++)
    for (int c = 0, e = p->start[r]; c < p->columns; c++) {
      const bool left = e < p->start[r + 1];
      const bool here = left && p->column[e] == c;
      fprintf(f, "%d,", here ? e : -1);
      e += here;
    }
  fprintf(f, "-1};\n");
}

static bool is_principal(const cst_system *s) {
  bool all = true;
  for (int b = 0; b < s->model->nbodies; b++) {
    const cst_node *inertia = s->model->bodies[b].inertia;
    for (int e = 1; e < 5; e++)
      all &= e == 3 || cst_graph_is_zero(s->model->graph, inertia[e]);
  }
  return all;
}

/* The first coordinate of each rotation, the positions of the inertias in the kernel `body`, and the
 * coordinates that belong to no rotation. */
static void write_bodies(FILE *f, const cst_system *s) {
  fprintf(f, "#define SYS_NBODIES %d\n#define SYS_NBODY %d\n#define SYS_PRINCIPAL %d\n",
          s->model->nbodies, s->model->nbody, is_principal(s));
  fprintf(f, "static const int sys_rotation[] __attribute__((unused)) = {");
  for (int b = 0; b < s->model->nbodies; b++)
    fprintf(f, "%d,", s->model->bodies[b].rotation);
  fprintf(f, "};\nstatic const int sys_inertia[] __attribute__((unused)) = {");
  for (int b = 0; b < s->model->nbodies; b++)
    for (int e = 0; e < 6; e++)
      fprintf(f, "%d,", s->model->bodies[b].at[e]);
  fprintf(f, "};\nstatic const int sys_ordinary[] __attribute__((unused)) = {");
  for (int i = 0; i < s->nq; i++) {
    bool turns = false;
    for (int b = 0; b < s->model->nbodies; b++) {
      const int first = s->model->bodies[b].rotation;
      turns |= i >= first && i < first + 9;
    }
    if (!turns)
      fprintf(f, "%d,", i);
  }
  fprintf(f, "-1};\n");
}

static void write_sizes(FILE *f, const cst_system *s, const char *id) {
  const int  nq = s->nq;
  const bool sized = cst_system_is_sized(s);
  const bool eliminated = cst_system_is_eliminated(s);
  const bool bodies = sized && cst_has(s, CST_SEPARABLE | CST_BODIES) && !cst_has(s, CST_JOINED);
  fprintf(f, "#define SYS_ID %s\n#define SYS_SIZED %d\n", id, sized);
  fprintf(f, "#define SYS_ELIMINATED %d\n#define SYS_BODIES %d\n#define SYS_MOLECULES %d\n",
          eliminated, bodies, cst_molecules_are(s));
  fprintf(f, "#define SYS_NQ %d\n#define SYS_NG %d\n#define SYS_NPAR %d\n#define SYS_NSYM %d\n", nq,
          s->ng, s->npar, s->nsym);
  fprintf(f, "#define SYS_NVEL %d\n#define SYS_AFFINE %d\n#define SYS_DRIVEN %d\n", s->model->nvel,
          cst_has(s, CST_AFFINE), cst_has(s, CST_DRIVEN));
  if (!sized && !eliminated)
    return;
  fprintf(f, "#define SYS_GENERAL %d\n#define SYS_GYROSCOPIC %d\n#define SYS_TIMED %d\n",
          !cst_has(s, CST_MASS_DIAGONAL), cst_has(s, CST_GYROSCOPIC), cst_has(s, CST_TIMED));
  fprintf(f, "#define SYS_NFORCE %d\n#define SYS_NACCOUNT %d\n#define SYS_ACCOUNT %d\n",
          s->model->nforce, s->model->naccount, s->model->account);
  if (bodies)
    write_bodies(f, s);
  fprintf(f, "#define NMASS %d\n#define MASS_UNIT %d\n#define LINEAR_V %d\n#define QUADRATIC %d\n",
          s->model->nmass, cst_has(s, CST_MASS_UNIT), cst_has(s, CST_LINEAR_V),
          cst_has(s, CST_QUADRATIC_G));
  write_pattern(f, s, CST_K_G, "G");
  write_pattern(f, s, CST_K_xi, "X");
  if (!cst_has(s, CST_MASS_DIAGONAL)) {
    write_pattern(f, s, CST_K_M, "M");
    write_pattern(f, s, CST_K_Lvq, "LVQ");
  }
  fprintf(f, "static const int sys_mass_class[%d] __attribute__((unused)) = {", nq);
  for (int i = 0; i < nq; i++)
    fprintf(f, "%s%d", i ? "," : "", s->model->mass_class[i]);
  fprintf(f, "};\n");
}

static void write_named_list(FILE *f, const char *name, int which, const int *x, int n) {
  fprintf(f, "static const int sys_%s%d[%d] __attribute__((unused)) = {", name, which, n);
  for (int i = 0; i < n; i++)
    fprintf(f, "%s%d", i ? "," : "", x[i]);
  fprintf(f, "};\n");
}

/* The elimination of Hessians. SYS_FILTERED: loops over it are unrolled. */
static void write_bands(FILE *f, const cst_system *s) {
  const int  nq = s->nq;
  const bool small =
      s->model->kernel_size[CST_K_dVH] &&
      (long)nq * (s->model->bands[0].band + 1) * (s->model->bands[0].band + 1) <= HOT_WORK;
  fprintf(f, "#define SYS_FILTERED %d\n#define SYS_STIFF %d\n#define SYS_NSHARED %d\n", small,
          s->model->bands[1].order != NULL, s->model->nshared);
  for (int k = 0; k < 2 && small && s->model->bands[k].order; k++) {
    const cst_bands *b = &s->model->bands[k];
    fprintf(f, "#define SYS_BAND%d %d\n#define SYS_ENTRIES%d %d\n", k, b->band, k, b->n);
    write_named_list(f, "order", k, b->order, nq);
    write_named_list(f, "place", k, b->place, nq);
    write_named_list(f, "last", k, b->last, nq);
    write_named_list(f, "at", k, b->at, b->n);
  }
}

static void open_function(FILE *f, const cst_graph *g, const char *name, const cst_node *out,
                          int n) {
  fprintf(f,
          "CST_INLINE void sys_%s(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, "
          "const vd "
          "*l, vd *o) {\n",
          name);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;\n");
  cst_graph_emit(g, out, n, "  ", f);
}

static void write_function_size(FILE *f, const cst_graph *g, const char *name, const cst_node *out,
                                int n) {
  open_function(f, g, name, out, n);
  fprintf(f, "}\n");
}

static void write_list(FILE *f, const int *x, int n) {
  fprintf(f, "{");
  for (int i = 0; i < n; i++)
    fprintf(f, "%s%d", i ? "," : "", x[i]);
  fprintf(f, "%s}", n ? "" : "0");
}

/* Inverse roots are checked together at the end; if one is out of range, all are computed again with the
 * careful form. */
static void write_term(FILE *f, const cst_graph *g, const char *name, int k, const cst_node *out,
                       int n) {
  fprintf(f,
          "CST_INLINE vl sys_pair%d_%s_marked(int care, const vd *c, const vd *x, const vd *y, vd "
          "*o) {\n  "
          "vl marks = {};\n"
          "  (void)care, (void)c, (void)x, (void)y;\n",
          k, name);
  cst_emit_straight(g, out, n, "  ", f);
  fprintf(f, "  return marks;\n}\nCST_PAIR_TERM(sys_pair%d_%s, %d)\n", k, name, n);
}

/* Sums over pairs: the term, its derivatives, and the list of pairs. */
static void write_pair_sums(FILE *f, const cst_system *s) {
  cst_graph *g = s->model->graph;
  for (int k = 0; k < s->model->npairs; k++) {
    const cst_pair_sum *p = &s->model->pairs[k].sum;
    const cst_node     *slope = s->model->pairs[k].slope;
    write_term(f, g, "V", k, &p->term, 1);
    write_term(f, g, "dV", k, slope, p->nx + p->ny);
    fprintf(f, "static const int sys_from%d[] = ", k);
    write_list(f, p->from, p->rows);
    fprintf(f, ", sys_to%d[] = ", k);
    write_list(f, p->to, p->rows);
    fprintf(f, ";\nstatic const cst_pair_sum sys_pairs%d = {-1, %d, %d, ", k, p->nx, p->ny);
    write_list(f, p->x, p->nx);
    fprintf(f, ", ");
    write_list(f, p->y, p->ny);
    fprintf(f, ", ");
    write_list(f, p->xstep, p->nx);
    fprintf(f, ", ");
    write_list(f, p->ystep, p->ny);
    fprintf(f, ", %d, (int *)sys_from%d, (int *)sys_to%d, %d, %d, %ld, %ld};\n", p->rows, k, k,
            p->least, p->most, p->pairs, p->blocks);
    int      *of = cst_zeros(s->nq, sizeof *of);
    int       y[CST_PAIR_ARRAYS];
    const int n = cst_pairs_places(s, k, of, y);
    fprintf(f, "static const int sys_place_of%d[] = ", k);
    write_list(f, of, s->nq);
    fprintf(f, ", sys_place_y%d[] = ", k);
    write_list(f, y, p->ny);
    fprintf(f,
            ";\nstatic const cst_pair_places sys_places%d = {%d, sys_place_of%d, sys_place_y%d};\n",
            k, n, k, k);
    free(of);
  }
}

static void write_kernel_of(FILE *f, const cst_system *s, cst_kernel_id k) {
  const int *place = cst_pairs_place(s, k);
  const bool beside = s->model->npairs && s->model->beside[CST_K_V];
  const bool later = beside && cst_system_is_bent_kernel(k);
  if (place) {
    fprintf(f, "static const int sys_rows[] = ");
    write_list(f, place, s->nq);
    fprintf(f, ";\n");
  }
  open_function(f, s->model->graph, cst_system_kernel_names[k], cst_system_beside(s, k),
                later ? 0 : s->model->kernel_size[k]);
  for (int i = 0; i < s->model->npairs && cst_pairs_are_in(s, k); i++)
    fprintf(f,
            "  cst_pairs_sum(&sys_pairs%d, &sys_places%d, sys_pair%d_%s, SYS_NPAR, SYS_NQ, c, q, "
            "%s, o, %d);\n",
            i, i, i, k == CST_K_V ? "V" : "dV", place ? "sys_rows" : "0", k == CST_K_V);
  fprintf(f, "}\n");
}

/* The entries 0 .. n - 1 of S = A W B' as a kernel of q = A, v = B and w = W by class of mass. */
static void write_pairs(FILE *f, const cst_system *s, const char *name, int n) {
  const cst_gram *S = &s->model->gram;
  cst_graph      *g = cst_graph_create();
  cst_node       *out = cst_zeros(S->size, sizeof *out);
  for (int k = 0; k < S->size; k++)
    out[k] = -1; /* not written */
  for (int p = 0; p < n; p++)
    for (int t = S->first[p]; t < S->first[p + 1]; t++) {
      const int mass = s->model->mass_class[S->i[t]];
      cst_node  w = cst_graph_input(g, 'w', mass);
      cst_node *sum = &out[S->at[p]];
      cst_node  term = cst_graph_mul(g, cst_graph_mul(g, cst_graph_input(g, 'q', S->ea[t]), w),
                                     cst_graph_input(g, 'v', S->eb[t]));
      if (*sum < 0)
        *sum = term;
      else
        *sum = cst_graph_add(g, *sum, term);
    }
  write_function_size(f, g, name, out, S->size);
  cst_graph_destroy(g);
  free(out);
}

/* Newton's matrix of a long system, written as loops over pairs and terms like those of the kernels. Of a band that is
 * nearly empty the elimination takes all of the time, and its text would take far more memory than a step. */
static void write_gram(FILE *f, const cst_system *s) {
  const bool full = s->model->gram.size <= 20L * s->model->gram.n;
  const bool written = s->model->gram.form == CST_FORM_BAND && !s->model->dropped && full;
  fprintf(f, "#define SYS_GRAM %d\n", written);
  if (!written)
    return;
  write_pairs(f, s, "pairs", s->model->gram.n);
  write_pairs(f, s, "upper_pairs", s->model->gram.upper);
  cst_system_emit_rows(s, f);
}

void cst_system_emit(const cst_system *s, const char *id, FILE *f) {
  write_sizes(f, s, id);
  if (cst_system_is_sized(s))
    write_bands(f, s);
  write_pair_sums(f, s);
  for (int k = 0; k < CST_K_COUNT; k++)
    write_kernel_of(f, s, (cst_kernel_id)k);
  if (cst_system_is_sized(s) && s->nq + s->ng <= HOT_GENERAL)
    emit_point(s, f);
  write_gram(f, s);
  if (cst_system_is_eliminated(s))
    emit_general(s, f);
  cst_molecules_emit(s, f);
}
