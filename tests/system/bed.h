/* bed.h: what the tests of lane code that differentiates accelerations share: a system with the arguments of
 * lane code, a point near its default start and directions in each lane, and central differences.
 *
 * The lane code has the portable width and uses interpreted kernels.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BED_H
#define BED_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "system/lane/context.h"
#include "system/lane/saddle.h"
#include "tap.h"

#define BED_USES __attribute__((unused)) static

typedef struct {
  cst_system *s;
  cst_context C;
  vd         *c, *minv, *q, *v;
} bed;

BED_USES vd *vectors(int n) {
  void *x = NULL;
  if (posix_memalign(&x, 64, sizeof(vd) * (size_t)(n + 1)))
    abort();
  memset(x, 0, sizeof(vd) * (size_t)(n + 1));
  return x;
}

/* An instruction set whose kernels have the lane width of this file; -1: none here. */
BED_USES int set_of_this_width(void) {
  for (int i = 0; i < cst_isa_count; i++)
    if (cst_isas[i].width == CST_W && cst_isa_available(i))
      return i;
  return -1;
}

BED_USES cst_system *read_description(const char *text, const cst_size *sizes, int nsize) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("here", text, strlen(text), sizes, nsize, d);
  if (!s) {
    cst_diag_print(d, stderr);
    abort();
  }
  cst_diag_destroy(d);
  return s;
}

/* The rigid body with all nine equations of R'R = 1; the redundant ones are not enforced. */
BED_USES cst_system *read_redundant(void) {
  static const char more[] =
      "  c21: r12*r11 + r22*r21 + r32*r31\n  c31: r13*r11 + r23*r21 + r33*r31\n  c32: "
      "r13*r12 + r23*r22 + r33*r32\n";
  const char *text = cst_catalogue_text("rigid-body"), *at = strstr(text, "  c22:");
  char        altered[8192], why[200];
  double      c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q];
  snprintf(altered, sizeof altered, "%.*s%s%s", (int)(at - text), text, more, at);
  cst_system *s = read_description(altered, NULL, 0);
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  if (!cst_system_enforce_independent(s, c, q, why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    abort();
  }
  return s;
}

/* Gives each lane a different point near the default start, off the constraints as well. */
BED_USES void scatter(bed *b) {
  cst_system *s = b->s;
  double      c[CST_MAX_PAR], q[CST_MAX_Q], v[CST_MAX_Q], mass[CST_MAX_Q];
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  cst_system_eval(s, CST_K_mass, c, q, NULL, NULL, NULL, NULL, mass);
  for (int l = 0; l < CST_W; l++) {
    for (int i = 0; i < s->npar; i++)
      b->c[i][l] = c[i];
    for (int k = 0; k < s->model->nmass; k++)
      b->minv[k][l] = 1 / mass[k];
    for (int i = 0; i < s->nq; i++) {
      b->q[i][l] = q[i] + 0.05 * sin(1.3 * i + l);
      b->v[i][l] = v[i] + 0.4 * cos(2.1 * i - l);
    }
  }
}

/* The bed takes ownership of s. */
BED_USES bed bed_open(cst_system *s, int isa) {
  bed b = {.s = s};
  cst_system_interpret(s);
  b.C = cst_context_of(s, isa, cst_layout_of(s->npar, s->model->nmass, s->nq, s->ng));
  b.c = vectors(s->npar);
  b.minv = vectors(s->model->nmass);
  b.q = vectors(s->nq);
  b.v = vectors(s->nq);
  scatter(&b);
  return b;
}

BED_USES void bed_close(bed *b) {
  vd *owned[] = {b->c, b->minv, b->q, b->v};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  cst_system_destroy(b->s);
}

/* x[n] of generic numbers, different for each `seed` and lane. */
BED_USES vd *directions(int n, double seed) {
  vd *x = vectors(n);
  for (int i = 0; i < n; i++)
    for (int l = 0; l < CST_W; l++)
      x[i][l] = sin(1.7 * i + seed + 2.3 * l * seed);
  return x;
}

/* 1/2 v'Mv + a.v - V. */
BED_USES vd lagrangian(const cst_context *C, const vd *c, const vd *minv, const vd *q,
                       const vd *v) {
  vd *p = vectors(NQ), *a = vectors(NQ), L, V;
  if (GENERAL) {
    K_Lv(c, q, v, p);
    K_a(c, q, a);
  } else
    for (int i = 0; i < NQ; i++)
      p[i] = v[i] / MINV(i);
  K_V(c, q, &V);
  L = -V;
  for (int i = 0; i < NQ; i++)
    L += 0.5 * v[i] * (p[i] + a[i]);
  free(p);
  free(a);
  return L;
}

/* The work along dq of the forces and of the reactions -lambda of constraints on velocities. It is the part
 * of a gradient that L does not give. */
BED_USES vd virtual_work(const cst_context *C, const vd *c, const vd *q, const vd *v,
                         const vd *lambda, const vd *dq) {
  vd *G = vectors(C->system->model->pattern[CST_K_G].n), *F = vectors(NQ), work = vset(0);
  USES_G
  K_G(c, q, G);
  for (int a = NG - NVEL; a < NG; a++)
    ROW_G(a, i, e)
      work -= lambda[a] * G[e] * dq[i];
  if (C->system->model->nforce)
    K_F(c, q, v, F);
  for (int i = 0; i < NQ; i++)
    work += F[i] * dq[i];
  free(G);
  free(F);
  return work;
}

/* slope[n] of a function along a line by central differences of sixth order. */
BED_USES void differences(void (*at)(void *of, double e, vd *out), void *of, int n, double h,
                          vd *slope) {
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  vd                 *x = vectors(n);
  for (int i = 0; i < n; i++)
    slope[i] = vset(0);
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      at(of, sign * k * h, x);
      for (int i = 0; i < n; i++)
        slope[i] += sign * weight[k - 1] / h * x[i];
    }
  free(x);
}

/* The largest difference of the lane values x, y relative to 1 + the largest |x|. */
BED_USES double apart(const vd *x, const vd *y, int n) {
  double off = 0, size = 1;
  for (int i = 0; i < n; i++)
    for (int l = 0; l < CST_W; l++) {
      size = fmax(size, fabs(x[i][l]));
      off = isnan(x[i][l] - y[i][l]) ? INFINITY : fmax(off, fabs(x[i][l] - y[i][l]));
    }
  return off / size;
}

/* x.y in each lane; adds the magnitudes of the terms to *size. */
BED_USES vd dot(const vd *x, const vd *y, int n, vd *size) {
  vd sum = vset(0);
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
    *size += vabs(x[i] * y[i]);
  }
  return sum;
}
#endif
