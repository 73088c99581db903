/* emit-header.c: the C of one system: what lane code is compiled against when its sizes are constants and its kernels inlined.
 *
 * The same text for the catalogue, when the program is built, and for a user's system, when it runs. It holds numbers and indices only: no
 * name that a description gives can collide with ours.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/internal.h"

enum { HOT_WORK = 2000 }; /* largest ng^2 nq whose loops are unrolled */

/* Small systems with a constant diagonal mass have their sizes and patterns compiled into the hot cores. */
bool cst_system_is_hot(const cst_system *s) {
  return !s->general && !s->gram.banded && s->nq <= CST_MAX_Q && (long)s->ng * s->ng * s->nq <= HOT_WORK;
}

/* sys_at_NAME[row][column]: which entry of the kernel stands there, -1 for none. */
static void write_places(FILE *f, const cst_system *s, cst_kernel_id k) {
  const cst_pattern *p = &s->pattern[k];
  fprintf(f, "static const short sys_at_%s[%d] __attribute__((unused)) = {", cst_kernel_names[k], p->rows * p->columns + 1);
  for (int r = 0; r < p->rows; r++)
    for (int c = 0, e = p->start[r]; c < p->columns; c++) {
      bool here = e < p->start[r + 1] && p->column[e] == c;
      fprintf(f, "%d,", here ? e : -1);
      e += here;
    }
  fprintf(f, "-1};\n");
}

static void write_sizes(FILE *f, const cst_system *s, const char *id) {
  const bool hot = cst_system_is_hot(s);
  fprintf(f, "#define SYS_ID %s\n#define SYS_HOT %d\n#define SYS_NQ %d\n#define SYS_NG %d\n#define SYS_NPAR %d\n#define SYS_NSYM %d\n", id,
          hot, s->nq, s->ng, s->npar, s->nsym);
  if (!hot) return;
  fprintf(f, "#define NMASS %d\n#define MASS_UNIT %d\n#define LINEAR_V %d\n", s->nmass, s->mass_unit, s->linear_v);
  fprintf(f, "#define NNZ_G %d\n#define NNZ_X %d\n", s->pattern[CST_K_G].n, s->pattern[CST_K_xi].n);
  write_places(f, s, CST_K_G);
  write_places(f, s, CST_K_xi);
  fprintf(f, "static const int sys_mass_class[%d] __attribute__((unused)) = {", s->nq);
  for (int i = 0; i < s->nq; i++) fprintf(f, "%s%d", i ? "," : "", s->mass_class[i]);
  fprintf(f, "};\n");
}

static void write_kernel(FILE *f, const cst_system *s, cst_kernel_id k) {
  fprintf(f, "CST_INLINE void sys_%s(const vd *c, const vd *q, const vd *v, const vd *w, const vd *u, const vd *l, vd *o) {\n",
          cst_kernel_names[k]);
  fprintf(f, "  (void)c, (void)q, (void)v, (void)w, (void)u, (void)l, (void)o;\n");
  cst_graph_emit(s->graph, s->kernel_out[k], s->kernel_size[k], "  ", f);
  fprintf(f, "}\n");
}

void cst_system_emit(const cst_system *s, const char *id, FILE *f) {
  write_sizes(f, s, id);
  for (int k = 0; k < CST_K_COUNT; k++) write_kernel(f, s, k);
}
