/* test-variation.c: the first variation of accelerations and multipliers against central differences, for every system of the catalogue.
 *
 * Lane code of the portable width over interpreted kernels. A wrong term in the right hand side would show at once: the terms are of the
 * size of the result.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/acceleration.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

/* A system with room for what lane code is given. */
typedef struct {
  cst_system *s;
  cst_context C;
  vd         *c, *q, *v, *w, *u, *minv;
} bed;

static vd *vectors(int n) {
  void *x = NULL;
  if (posix_memalign(&x, 64, sizeof(vd) * (size_t)(n + 1))) abort();
  memset(x, 0, sizeof(vd) * (size_t)(n + 1));
  return x;
}

static int set_of_this_width(void) {
  for (int i = 0; i < CST_ISA_COUNT; i++)
    if (cst_isas[i].width == CST_W && cst_isa_available(i)) return i;
  return -1;
}

static bed open_bed(const char *name, int isa) {
  bed         b = {.s = cst_catalogue_create(name)};
  cst_system *s = b.s;
  cst_system_interpret(s);
  b.C = (cst_context){.system = s,
                      .kernel = s->kernel[isa],
                      .self = s->kernel_self[isa],
                      .nq = s->nq,
                      .ng = s->ng,
                      .npar = s->npar,
                      .nmass = s->nmass,
                      .nsym = s->nsym,
                      .mass_class = s->mass_class,
                      .mass_unit = s->mass_unit,
                      .dropped = s->dropped,
                      .at = cst_layout_of(s->npar, s->nmass, s->nq, s->ng)};
  b.c = vectors(s->npar), b.q = vectors(s->nq), b.v = vectors(s->nq), b.w = vectors(s->nq), b.u = vectors(s->nq);
  b.minv = vectors(s->nmass);
  return b;
}

static void close_bed(bed *b) {
  vd *owned[] = {b->c, b->q, b->v, b->w, b->u, b->minv};
  for (int i = 0; i < 6; i++) free(owned[i]);
  cst_system_destroy(b->s);
}

/* Each lane another point near the default start, off the constraints too, and another direction. */
static void scatter(bed *b) {
  cst_system *s = b->s;
  double      c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], mass[CST_MAX_Q];
  for (int i = 0; i < s->npar; i++) c[i] = s->parameter[i].value;
  cst_system_state(s, 0, c, q, v);
  cst_system_eval(s, CST_K_mass, c, q, NULL, NULL, NULL, NULL, mass);
  for (int l = 0; l < CST_W; l++) {
    for (int i = 0; i < s->npar; i++) b->c[i][l] = c[i];
    for (int k = 0; k < s->nmass; k++) b->minv[k][l] = 1 / mass[k];
    for (int i = 0; i < s->nq; i++) {
      b->q[i][l] = q[i] + 0.05 * sin(1.3 * i + l), b->v[i][l] = v[i] + 0.4 * cos(2.1 * i - l);
      b->w[i][l] = sin(0.7 * i + 2.0 * l + 1), b->u[i][l] = cos(1.9 * i + 3.0 * l);
    }
  }
}

/* A and lambda at the point moved by e along (w, u). */
static void at(const bed *b, double e, vd *A, vd *lambda) {
  const cst_context *C = &b->C;
  vd                *q = vectors(NQ), *v = vectors(NQ);
  for (int i = 0; i < NQ; i++) q[i] = b->q[i] + e * b->w[i], v[i] = b->v[i] + e * b->u[i];
  cst_acceleration(C, b->c, b->minv, q, v, A, lambda);
  free(q), free(v);
}

/* Largest difference of lane values x, y over 1 + the largest of x. */
static double apart(const vd *x, const vd *y, int n) {
  double off = 0, size = 1;
  for (int i = 0; i < n; i++)
    for (int l = 0; l < CST_W; l++) {
      size = fmax(size, fabs(x[i][l]));
      off = isnan(x[i][l] - y[i][l]) ? INFINITY : fmax(off, fabs(x[i][l] - y[i][l]));
    }
  return off / size;
}

static void test(const char *name, int isa) {
  static const double weight[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, step[] = {-2, -1, 1, 2};
  const double        h = 0x1p-11;
  bed                 b = open_bed(name, isa);
  const cst_context  *C = &b.C;
  vd                 *A = vectors(NQ), *lambda = vectors(NG), *dA = vectors(NQ), *dl = vectors(NG), *eA = vectors(NQ), *el = vectors(NG);
  scatter(&b);
  for (int k = 0; k < 4; k++) {
    at(&b, step[k] * h, A, lambda);
    for (int i = 0; i < NQ; i++) eA[i] += weight[k] / h * A[i];
    for (int a = 0; a < NG; a++) el[a] += weight[k] / h * lambda[a];
  }
  at(&b, 0, A, lambda);
  cst_acceleration_variation(C, b.c, b.minv, b.q, b.v, A, lambda, b.w, b.u, dA, dl);
  double a = apart(dA, eA, NQ), l = apart(dl, el, NG);
  OK(a < 1e-7 && l < 1e-7, "%s: variation of A (%.1e) and lambda (%.1e)", name, a, l);
  for (int i = 0; i < NQ; i++) dA[i] += 1e-5 * A[i];
  OK(apart(dA, eA, NQ) > 1e-7, "%s: a slip would be seen", name);
  vd *owned[] = {A, lambda, dA, dl, eA, el};
  for (int i = 0; i < 6; i++) free(owned[i]);
  close_bed(&b);
}

int main(void) {
  int isa = set_of_this_width();
  for (int i = 0; i < cst_catalogue_size() && isa >= 0; i++) test(cst_catalogue_name(i), isa);
  OK(true, "%s", isa < 0 ? "no instruction set of this width here" : "every system of the catalogue");
  return tap_done();
}
