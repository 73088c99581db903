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

/* result[n] = the nodes out[n] at x. */
static bool field_nodes(const cst_analytic *f, const cst_node *out, int n,
                        const cst_complex_point *x, cst_complex *result) {
  const cst_complex *in[128] = {
      ['c'] = f->e->C, ['q'] = x->q, ['v'] = x->v, ['w'] = x->w, ['u'] = x->u, ['l'] = x->l,
  };
  return cst_graph_eval_complex(f->e->s->model->graph, out, n, in, result);
}

bool cst_examine_field_own(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return field_nodes(f, f->node, f->n, x, out);
}

/* y += A z or A'z for the entries A of a matrix kernel. */
static bool field_times(const cst_analytic *f, cst_kernel_id k, bool transposed,
                        const cst_complex_point *x, const cst_complex *z, cst_complex *y) {
  const cst_system  *s = f->e->s;
  const cst_pattern *P = &s->model->pattern[k];
  cst_complex       *A = complexes(P->n);
  const bool         analytic = field_nodes(f, s->model->kernel_out[k], P->n, x, A);
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
  cst_complex *const      clock = f->e->C + s->model->account - 1;
  const bool              timed = cst_has(s, CST_TIMED);
  const cst_complex       time = timed ? *clock : 0;
  if (timed)
    *clock += t * d->t;
  const bool analytic = f->value(f, &at, out);
  if (timed)
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

/* ---- functions ------------------------------------------------------------------------------- */

/* The functions that are differentiated and that are not the nodes of a kernel, at
 * complex arguments: for examine-kernels.c, made of kernels that examine-values.c compares with the
 * description, and for examine-symmetries.c. */

bool cst_examine_function_Gv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return field_times(f, CST_K_G, false, x, x->v, out);
}

/* G v + phi0. */
bool cst_examine_function_hidden(const cst_analytic *f, const cst_complex_point *x,
                                 cst_complex *out) {
  const cst_system *s = f->e->s;
  cst_complex      *Gv = complexes(f->n);
  bool              analytic = cst_examine_function_Gv(f, x, Gv);
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  if (cst_has(s, CST_AFFINE))
    analytic &= field_nodes(f, s->model->kernel_out[CST_K_phi0], f->n, x, out);
  for (int i = 0; i < f->n; i++)
    out[i] += Gv[i];
  free(Gv);
  return analytic;
}

bool cst_examine_function_phi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return field_nodes(f, f->e->s->model->phi, f->n, x, out);
}

bool cst_examine_function_Mv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return field_times(f, CST_K_M, false, x, x->v, out);
}

bool cst_examine_function_Gl(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return field_times(f, CST_K_G, true, x, x->l, out);
}

/* y[nq] := M z, from kernels that are compared with the description. */
static bool inertia(const cst_analytic *f, const cst_complex_point *x, const cst_complex *z,
                    cst_complex *y) {
  const cst_system *s = f->e->s;
  for (int i = 0; i < s->nq; i++)
    y[i] = 0;
  if (!cst_has(s, CST_SEPARABLE))
    return field_times(f, CST_K_M, false, x, z, y);
  cst_complex *m = complexes(s->model->nmass);
  const bool   analytic = field_nodes(f, s->model->kernel_out[CST_K_mass], s->model->nmass, x, m);
  for (int i = 0; i < s->nq; i++)
    y[i] = m[s->model->mass_class[i]] * z[i];
  free(m);
  return analytic;
}

/* L from M and a, which are compared with the description, and V. */
bool cst_examine_function_L(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_system *s = f->e->s;
  cst_complex      *Mv = complexes(2 * s->nq);
  cst_complex      *a = Mv + s->nq;
  cst_complex       V;
  bool              analytic = inertia(f, x, x->v, Mv);
  analytic &= field_nodes(f, s->model->kernel_out[CST_K_a], s->model->kernel_size[CST_K_a], x, a);
  const cst_node whole = cst_system_whole(s);
  analytic &= field_nodes(f, &whole, 1, x, &V);
  out[0] = -V;
  for (int i = 0; i < s->nq; i++) {
    const cst_complex half = 0.5 * Mv[i];
    out[0] += x->v[i] * (half + a[i]);
  }
  free(Mv);
  return analytic;
}

/* (E1, E2)[nq + ng], the residuals of the equations of motion with accelerations A and multipliers x->l. */
static bool residuals(const cst_analytic *f, const cst_complex_point *x, const cst_complex *A,
                      cst_complex *E) {
  const cst_system   *s = f->e->s;
  const int           n = s->nq;
  const int           ng = s->ng;
  const cst_kernel_id force = cst_system_force_kernel(s);
  cst_complex        *part = complexes(n + ng);
  cst_complex        *MA = complexes(n);
  bool                analytic = field_nodes(f, s->model->kernel_out[force], n, x, E);
  analytic &= field_nodes(f, s->model->kernel_out[CST_K_D2gvv], ng, x, E + n);
  analytic &= field_times(f, CST_K_G, true, x, x->l, part);
  analytic &= field_times(f, CST_K_G, false, x, A, part + n);
  analytic &= inertia(f, x, A, MA);
  for (int i = 0; i < n; i++) {
    if (force == CST_K_dV)
      E[i] = -E[i];
    E[i] = E[i] - MA[i] - part[i];
  }
  for (int a = 0; a < ng; a++)
    E[n + a] = -E[n + a] - part[n + a];
  free(part);
  free(MA);
  return analytic;
}

bool cst_examine_function_E(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return residuals(f, x, x->w, out);
}

/* y.E1 + z.E2 + s L with w = (y, A) and l = (lambda, z, s). */
bool cst_examine_function_yE(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const int    n = f->e->s->nq;
  const int    ng = f->e->s->ng;
  cst_complex *E = complexes(n + ng);
  bool         analytic = cst_examine_function_L(f, x, out);
  analytic &= residuals(f, x, x->w + n, E);
  out[0] *= x->l[2 * ng];
  for (int i = 0; i < n; i++)
    out[0] += x->w[i] * E[i];
  for (int a = 0; a < ng; a++)
    out[0] += x->l[ng + a] * E[n + a];
  free(E);
  return analytic;
}

/* The parts of L and the functions of one symmetry. */

bool cst_examine_function_V(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_node V = cst_system_whole(f->e->s);
  return field_nodes(f, &V, 1, x, out);
}

bool cst_examine_function_T(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_system *s = f->e->s;
  const int         nq = s->nq;
  cst_complex      *p = cst_zeros(nq, sizeof *p);
  const bool        analytic = inertia(f, x, x->v, p);
  out[0] = 0;
  for (int i = 0; i < nq; i++)
    out[0] += 0.5 * x->v[i] * p[i];
  free(p);
  return analytic;
}

bool cst_examine_function_A(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_system *s = f->e->s;
  const int         nq = s->nq;
  cst_complex      *a = cst_zeros(nq, sizeof *a);
  const bool        analytic = !cst_has(s, CST_GYROSCOPIC) || field_nodes(f, s->model->a, nq, x, a);
  out[0] = 0;
  for (int i = 0; i < nq; i++)
    out[0] += a[i] * x->v[i];
  free(a);
  return analytic;
}

bool cst_examine_function_gauge(const cst_analytic *f, const cst_complex_point *x,
                                cst_complex *out) {
  return field_nodes(f, &f->e->s->model->gauge[f->index], 1, x, out);
}

bool cst_examine_function_xi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_node *xi = f->e->s->model->xi + (long)f->index * f->n;
  return field_nodes(f, xi, f->n, x, out);
}

bool cst_examine_function_g(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return field_nodes(f, f->e->s->model->g, f->n, x, out);
}
