/* examine-slope.c: directional derivatives of functions given by expressions: by a complex step and by central differences. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/examiner.h"

static const double IMAGINARY = 1e-30; /* nothing is subtracted: as small as products of a few of them stay above underflow */

double cst_largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

static cst_complex *complexes(size_t n) { return cst_system_memory(calloc(n + 1, sizeof(cst_complex))); }

static cst_complex *copy(const double *x, int n) {
  cst_complex *z = complexes((size_t)n);
  for (int i = 0; i < n; i++) z[i] = x[i];
  return z;
}

bool cst_field_nodes(const cst_field *f, const cst_node *out, int n, const cst_complex *q, const cst_complex *v, cst_complex *result) {
  const cst_system  *s = f->e->s;
  cst_complex       *w = copy(f->at->w, s->nq), *u = copy(f->at->u, s->nq), *l = copy(f->at->l, s->ng);
  const cst_complex *in[128] = {['c'] = f->e->C, ['q'] = q, ['v'] = v, ['w'] = w, ['u'] = u, ['l'] = l};
  const bool         analytic = cst_graph_eval_complex(s->graph, out, n, in, result);
  free(w);
  free(u);
  free(l);
  return analytic;
}

bool cst_field_times(const cst_field *f, cst_kernel_id k, bool transposed, const cst_complex *q, const cst_complex *v, const cst_complex *x,
                     cst_complex *y) {
  const cst_pattern *P = &f->e->s->pattern[k];
  cst_complex       *A = complexes((size_t)P->n);
  const bool         analytic = cst_field_nodes(f, f->e->s->kernel_out[k], P->n, q, v, A);
  for (int a = 0; a < P->rows; a++)
    for (int e = P->start[a]; e < P->start[a + 1]; e++) y[transposed ? P->column[e] : a] += A[e] * x[transposed ? a : P->column[e]];
  free(A);
  return analytic;
}

/* f at (q, v) + t (dq, dv). */
static bool along(const cst_field *f, const double *dq, const double *dv, cst_complex t, cst_complex *out) {
  const int    n = f->e->s->nq;
  cst_complex *q = copy(f->at->q, n), *v = copy(f->at->v, n);
  for (int i = 0; i < n; i++) {
    if (dq) q[i] += t * dq[i];
    if (dv) v[i] += t * dv[i];
  }
  const bool analytic = f->value(f, q, v, out);
  free(q);
  free(v);
  return analytic;
}

void cst_field_value(const cst_field *f, double *out) {
  cst_complex *z = complexes((size_t)f->n);
  along(f, NULL, NULL, 0, z);
  for (int i = 0; i < f->n; i++) out[i] = creal(z[i]);
  free(z);
}

bool cst_field_slope(const cst_field *f, const double *dq, const double *dv, double *out) {
  cst_complex *z = complexes((size_t)f->n);
  bool         good = along(f, dq, dv, CMPLX(0, IMAGINARY), z);
  for (int i = 0; i < f->n; i++) {
    out[i] = cimag(z[i]) / IMAGINARY;
    good &= isfinite(out[i]);
  }
  free(z);
  return good;
}

void cst_field_difference(const cst_field *f, const double *dq, const double *dv, double h, double *out) {
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  cst_complex        *z = complexes((size_t)f->n);
  for (int i = 0; i < f->n; i++) out[i] = 0;
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      along(f, dq, dv, sign * k * h, z);
      for (int i = 0; i < f->n; i++) out[i] += sign * weight[k - 1] / h * creal(z[i]);
    }
  free(z);
}
