/* examine-compiled.c: checks that compiled kernels give the bits of the interpreter, in every lane. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "system/examine/examiner.h"

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
    if (s->kernel_size[k] > most)
      most = s->kernel_size[k];
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
  const int            n = s->kernel_size[k];
  double              *x = cst_linear_numbers(n);
  double *const *const in = g->x;
  bool                 same = true;
  s->kernel[isa][k](s->kernel_self[isa], in[0], in[1], in[2], in[3], in[4], in[5], g->o);
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
static int compare(cst_examiner *e, int isa) {
  group g = gather(e, cst_isas[isa].width);
  int   n = 0;
  for (int k = 0; k < CST_K_COUNT; k++) {
    if (!e->s->kernel_size[k])
      continue;
    if (!e->s->kernel[isa][k])
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
    if (!e->s->compiled[isa])
      continue;
    if (!cst_isa_available(isa))
      continue;
    n = compare(e, isa);
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", cst_isas[isa].name);
  }
  if (n && e->x->faults == faults)
    cst_examine_say(e, CST_FACT, "compiled", "%d kernels (%s) have the interpreter's bits", n,
                    names);
}
