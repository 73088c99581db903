/* emit-header.c: generates the C of one system, against which lane code is compiled with constant sizes and
 * inlined kernels.
 *
 * The text is the same for the catalogue, when the program is built, and for a user's system at run time. It
 * contains only numbers and indices: no name of a description can collide with ours.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"
#include "system/derive/find-molecules.h"

/* HOT_WORK: largest ng^2 nq whose loops are unrolled. SMALL: largest nq + ng of a small system. HOT_GENERAL:
 * the same for a sized system whose mass is not a constant diagonal. */
enum { HOT_WORK = 2000, SMALL = 6, HOT_GENERAL = 9 };

bool cst_system_is_sized(const cst_system *s) {
  const int ng = s->ng;
  const int nq = s->nq;
  if (s->npairs || s->gram.banded || s->slips || s->massless)
    return false;
  if (nq > CST_MAX_Q)
    return false;
  if (!s->diagonal && nq + ng > HOT_GENERAL)
    return false;
  return (long)ng * ng * nq <= HOT_WORK;
}

bool cst_system_is_usual(const cst_system *s) { return cst_system_is_sized(s) && !s->general; }

/* The number of entries of kernel k, and sys_at_NAME[row][column]: the entry there, -1 for none. */
static void write_pattern(FILE *f, const cst_system *s, cst_kernel_id k, const char *entries) {
  const cst_pattern *p = &s->pattern[k];
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

bool cst_system_is_holonomic(const cst_system *s) { return cst_system_is_usual(s) && !s->nvel; }
bool cst_system_is_soft(const cst_system *s) { return cst_system_is_sized(s) && !s->stiff_text; }
bool cst_system_is_small(const cst_system *s) {
  return cst_system_is_sized(s) && s->nq + s->ng <= SMALL;
}
bool cst_system_is_tied(const cst_system *s) {
  return cst_system_is_small(s) && cst_system_is_holonomic(s) && s->ng > 0;
}
bool cst_system_has_free_bodies(const cst_system *s) {
  return cst_system_is_holonomic(s) && s->nbodies && !s->nown;
}

static bool is_principal(const cst_system *s) {
  bool all = true;
  for (int b = 0; b < s->nbodies; b++) {
    const cst_node *inertia = s->bodies[b].inertia;
    for (int e = 1; e < 5; e++)
      all &= e == 3 || cst_graph_is_zero(s->graph, inertia[e]);
  }
  return all;
}

/* The first coordinate of each rotation, the positions of the inertias in the kernel `body`, and the
 * coordinates that belong to no rotation. */
static void write_bodies(FILE *f, const cst_system *s) {
  fprintf(f, "#define SYS_NBODIES %d\n#define SYS_NBODY %d\n#define SYS_PRINCIPAL %d\n", s->nbodies,
          s->nbody, is_principal(s));
  fprintf(f, "static const int sys_rotation[] __attribute__((unused)) = {");
  for (int b = 0; b < s->nbodies; b++)
    fprintf(f, "%d,", s->bodies[b].rotation);
  fprintf(f, "};\nstatic const int sys_inertia[] __attribute__((unused)) = {");
  for (int b = 0; b < s->nbodies; b++)
    for (int e = 0; e < 6; e++)
      fprintf(f, "%d,", s->bodies[b].at[e]);
  fprintf(f, "};\nstatic const int sys_ordinary[] __attribute__((unused)) = {");
  for (int i = 0; i < s->nq; i++) {
    bool turns = false;
    for (int b = 0; b < s->nbodies; b++) {
      const int first = s->bodies[b].rotation;
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
  const bool general = cst_system_is_sized_general(s);
  fprintf(f, "#define SYS_ID %s\n#define SYS_SIZED %d\n", id, sized);
#define CLASS(name, is) fprintf(f, "#define SYS_IN_" #name " %d\n", is(s));
#include "system/classes.h"
  fprintf(f, "#define SYS_NQ %d\n#define SYS_NG %d\n#define SYS_NPAR %d\n#define SYS_NSYM %d\n", nq,
          s->ng, s->npar, s->nsym);
  fprintf(f, "#define SYS_NVEL %d\n#define SYS_AFFINE %d\n#define SYS_DRIVEN %d\n", s->nvel,
          s->affine, s->driven);
  if (!sized && !general)
    return;
  fprintf(f, "#define SYS_GENERAL %d\n#define SYS_GYROSCOPIC %d\n#define SYS_TIMED %d\n",
          !s->diagonal, s->gyroscopic, s->timed);
  fprintf(f, "#define SYS_NFORCE %d\n#define SYS_NACCOUNT %d\n#define SYS_ACCOUNT %d\n", s->nforce,
          s->naccount, s->account);
  if (cst_system_has_free_bodies(s))
    write_bodies(f, s);
  fprintf(f, "#define NMASS %d\n#define MASS_UNIT %d\n#define LINEAR_V %d\n#define QUADRATIC %d\n",
          s->nmass, s->mass_unit, s->linear_v, s->quadratic);
  write_pattern(f, s, CST_K_G, "G");
  write_pattern(f, s, CST_K_xi, "X");
  if (!s->diagonal) {
    write_pattern(f, s, CST_K_M, "M");
    write_pattern(f, s, CST_K_Lvq, "LVQ");
  }
  fprintf(f, "static const int sys_mass_class[%d] __attribute__((unused)) = {", nq);
  for (int i = 0; i < nq; i++)
    fprintf(f, "%s%d", i ? "," : "", s->mass_class[i]);
  fprintf(f, "};\n");
}

static void write_numbers(FILE *f, const char *name, int which, const int *x, int n) {
  fprintf(f, "static const int sys_%s%d[%d] __attribute__((unused)) = {", name, which, n);
  for (int i = 0; i < n; i++)
    fprintf(f, "%s%d", i ? "," : "", x[i]);
  fprintf(f, "};\n");
}

/* The elimination of Hessians. SYS_FILTERED: loops over it are unrolled. */
static void write_bands(FILE *f, const cst_system *s) {
  const int  nq = s->nq;
  const bool small = s->kernel_size[CST_K_dVH] &&
                     (long)nq * (s->bands[0].band + 1) * (s->bands[0].band + 1) <= HOT_WORK;
  fprintf(f, "#define SYS_FILTERED %d\n#define SYS_STIFF %d\n#define SYS_NSHARED %d\n", small,
          s->bands[1].order != NULL, s->nshared);
  for (int k = 0; k < 2 && small && s->bands[k].order; k++) {
    const cst_bands *b = &s->bands[k];
    fprintf(f, "#define SYS_BAND%d %d\n#define SYS_ENTRIES%d %d\n", k, b->band, k, b->n);
    write_numbers(f, "order", k, b->order, nq);
    write_numbers(f, "place", k, b->place, nq);
    write_numbers(f, "last", k, b->last, nq);
    write_numbers(f, "at", k, b->at, b->n);
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

static void write_function(FILE *f, const cst_graph *g, const char *name, const cst_node *out,
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
  cst_graph *g = s->graph;
  for (int k = 0; k < s->npairs; k++) {
    const cst_pair_sum *p = &s->pairs[k].sum;
    const cst_node     *slope = s->pairs[k].slope;
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

static void write_kernel(FILE *f, const cst_system *s, cst_kernel_id k) {
  const int *place = cst_pairs_place(s, k);
  const bool beside = s->npairs && s->beside[CST_K_V];
  const bool later = beside && cst_system_is_bent_kernel(k);
  if (place) {
    fprintf(f, "static const int sys_rows[] = ");
    write_list(f, place, s->nq);
    fprintf(f, ";\n");
  }
  open_function(f, s->graph, cst_system_kernel_names[k], cst_system_beside(s, k),
                later ? 0 : s->kernel_size[k]);
  for (int i = 0; i < s->npairs && cst_pairs_are_in(s, k); i++)
    fprintf(f,
            "  cst_pairs_sum(&sys_pairs%d, &sys_places%d, sys_pair%d_%s, SYS_NPAR, SYS_NQ, c, q, "
            "%s, o, %d);\n",
            i, i, i, k == CST_K_V ? "V" : "dV", place ? "sys_rows" : "0", k == CST_K_V);
  fprintf(f, "}\n");
}

/* The entries 0 .. n - 1 of S = A W B' as a kernel of q = A, v = B and w = W by class of mass. */
static void write_pairs(FILE *f, const cst_system *s, const char *name, int n) {
  const cst_gram *S = &s->gram;
  cst_graph      *g = cst_graph_create();
  cst_node       *out = cst_zeros(S->size, sizeof *out);
  for (int k = 0; k < S->size; k++)
    out[k] = -1; /* not written */
  for (int p = 0; p < n; p++)
    for (int t = S->first[p]; t < S->first[p + 1]; t++) {
      const int mass = s->mass_class[S->i[t]];
      cst_node  w = cst_graph_input(g, 'w', mass);
      cst_node *sum = &out[S->at[p]];
      cst_node  term = cst_graph_mul(g, cst_graph_mul(g, cst_graph_input(g, 'q', S->ea[t]), w),
                                     cst_graph_input(g, 'v', S->eb[t]));
      if (*sum < 0)
        *sum = term;
      else
        *sum = cst_graph_add(g, *sum, term);
    }
  write_function(f, g, name, out, S->size);
  cst_graph_destroy(g);
  free(out);
}

/* Newton's matrix of a long system, written as loops over pairs and terms like those of the kernels. Of a band that is
 * nearly empty the elimination takes all of the time, and its text would take far more memory than a step. */
static void write_gram(FILE *f, const cst_system *s) {
  const bool full = s->gram.size <= 20L * s->gram.n;
  const bool written = s->gram.form == CST_FORM_BAND && !s->dropped && full;
  fprintf(f, "#define SYS_GRAM %d\n", written);
  if (!written)
    return;
  write_pairs(f, s, "pairs", s->gram.n);
  write_pairs(f, s, "upper_pairs", s->gram.upper);
  cst_system_emit_rows(s, f);
}

void cst_system_emit(const cst_system *s, const char *id, FILE *f) {
  write_sizes(f, s, id);
  if (cst_system_is_sized(s))
    write_bands(f, s);
  write_pair_sums(f, s);
  for (int k = 0; k < CST_K_COUNT; k++)
    write_kernel(f, s, (cst_kernel_id)k);
  if (cst_system_is_sized(s) && s->nq + s->ng <= HOT_GENERAL)
    cst_system_emit_point(s, f);
  write_gram(f, s);
  if (cst_system_is_sized_general(s))
    cst_system_emit_general(s, f);
  cst_molecules_emit(s, f);
}
