/* examine-slope.c: directional derivatives of functions given by expressions, by a complex step and by
 * central differences. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/examine/examiner.h"

/* no cancellation occurs: small, but products of a few such numbers do not underflow */
static const double IMAGINARY = 1e-30;

double cst_examine_largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most))
      most = fabs(x[i]);
  return most;
}

static cst_complex *complexes(long n) { return cst_zeros(n, sizeof(cst_complex)); }

bool cst_examine_field_nodes(const cst_analytic *f, const cst_node *out, int n,
                             const cst_complex_point *x, cst_complex *result) {
  const cst_complex *in[128] = {
      ['c'] = f->e->C, ['q'] = x->q, ['v'] = x->v, ['w'] = x->w, ['u'] = x->u, ['l'] = x->l,
  };
  return cst_graph_eval_complex(f->e->s->graph, out, n, in, result);
}

bool cst_examine_field_own(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return cst_examine_field_nodes(f, f->node, f->n, x, out);
}

bool cst_examine_field_times(const cst_analytic *f, cst_kernel_id k, bool transposed,
                             const cst_complex_point *x, const cst_complex *z, cst_complex *y) {
  const cst_system  *s = f->e->s;
  const cst_pattern *P = &s->pattern[k];
  cst_complex       *A = complexes(P->n);
  const bool         analytic = cst_examine_field_nodes(f, s->kernel_out[k], P->n, x, A);
  for (int a = 0; a < P->rows; a++)
    CST_EACH_ENTRY(P, a, e) {
      const int i = P->column[e];
      if (transposed)
        y[i] += A[e] * z[a];
      else
        y[a] += A[e] * z[i];
    }
  free(A);
  return analytic;
}

/* A copy of x[n] with its first `moved` entries moved by t d; owned. */
static cst_complex *moved(const double *x, int n, const double *d, int moved, cst_complex t) {
  cst_complex *z = complexes(n);
  for (int i = 0; i < n; i++)
    z[i] = x[i];
  for (int i = 0; d && i < moved; i++)
    z[i] += t * d[i];
  return z;
}

/* f at its point moved by t d. */
static bool along(const cst_analytic *f, const cst_change *d, cst_complex t, cst_complex *out) {
  const cst_system       *s = f->e->s;
  const cst_point        *p = f->at;
  const int               n = s->nq;
  const int               nw = cst_system_entries(s, 'w');
  const int               nu = cst_system_entries(s, 'u');
  const int               nl = cst_system_entries(s, 'l');
  cst_complex            *q = moved(p->q, n, d->q, n, t);
  cst_complex            *v = moved(p->v, n, d->v, n, t);
  cst_complex            *w = moved(p->w, nw, d->w, nw, t);
  cst_complex            *u = moved(p->u, nu, NULL, 0, t);
  cst_complex            *l = moved(p->l, nl, d->l, 2 * s->ng, t);
  const cst_complex_point at = {q, v, w, u, l};
  cst_complex *const      clock = f->e->C + s->account - 1;
  const cst_complex       time = s->timed ? *clock : 0;
  if (s->timed)
    *clock += t * d->t;
  const bool analytic = f->value(f, &at, out);
  if (s->timed)
    *clock = time;
  cst_complex *owned[] = {q, v, w, u, l};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  return analytic;
}

void cst_examine_field_value(const cst_analytic *f, double *out) {
  cst_complex *z = complexes(f->n);
  along(f, &(cst_change){0}, 0, z);
  for (int i = 0; i < f->n; i++)
    out[i] = creal(z[i]);
  free(z);
}

bool cst_examine_field_slope(const cst_analytic *f, const cst_change *d, double *out) {
  cst_complex *z = complexes(f->n);
  bool         good = along(f, d, IMAGINARY * I, z);
  for (int i = 0; i < f->n; i++) {
    out[i] = cimag(z[i]) / IMAGINARY;
    good &= isfinite(out[i]);
  }
  free(z);
  return good;
}

void cst_examine_field_difference(const cst_analytic *f, const cst_change *d, double h,
                                  double *out) {
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  cst_complex        *z = complexes(f->n);
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double factor = sign * weight[k - 1] / h;
      along(f, d, sign * k * h, z);
      for (int i = 0; i < f->n; i++)
        out[i] += factor * creal(z[i]);
    }
  free(z);
}
