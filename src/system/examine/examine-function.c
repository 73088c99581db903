/* examine-function.c: the functions that are differentiated and that are not the nodes of a kernel, at
 * complex arguments: for examine-kernels.c, made of kernels that examine-originals.c compares with the
 * description, and for examine-symmetries.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/examine/examiner.h"

static cst_complex *complexes(long n) { return cst_zeros(n, sizeof(cst_complex)); }

bool cst_examine_function_Gv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return cst_examine_field_times(f, CST_K_G, false, x, x->v, out);
}

/* G v + phi0. */
bool cst_examine_function_hidden(const cst_analytic *f, const cst_complex_point *x,
                                 cst_complex *out) {
  const cst_system *s = f->e->s;
  cst_complex      *Gv = complexes(f->n);
  bool              analytic = cst_examine_function_Gv(f, x, Gv);
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  if (s->affine)
    analytic &= cst_examine_field_nodes(f, s->kernel_out[CST_K_phi0], f->n, x, out);
  for (int i = 0; i < f->n; i++)
    out[i] += Gv[i];
  free(Gv);
  return analytic;
}

bool cst_examine_function_phi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return cst_examine_field_nodes(f, f->e->s->phi, f->n, x, out);
}

bool cst_examine_function_Mv(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return cst_examine_field_times(f, CST_K_M, false, x, x->v, out);
}

bool cst_examine_function_Gl(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  for (int i = 0; i < f->n; i++)
    out[i] = 0;
  return cst_examine_field_times(f, CST_K_G, true, x, x->l, out);
}

/* y[nq] := M z, from kernels that are compared with the description. */
static bool inertia(const cst_analytic *f, const cst_complex_point *x, const cst_complex *z,
                    cst_complex *y) {
  const cst_system *s = f->e->s;
  for (int i = 0; i < s->nq; i++)
    y[i] = 0;
  if (s->general)
    return cst_examine_field_times(f, CST_K_M, false, x, z, y);
  cst_complex *m = complexes(s->nmass);
  const bool   analytic = cst_examine_field_nodes(f, s->kernel_out[CST_K_mass], s->nmass, x, m);
  for (int i = 0; i < s->nq; i++)
    y[i] = m[s->mass_class[i]] * z[i];
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
  if (s->general)
    analytic &= cst_examine_field_nodes(f, s->kernel_out[CST_K_a], s->nq, x, a);
  const cst_node whole = cst_system_whole(s);
  analytic &= cst_examine_field_nodes(f, &whole, 1, x, &V);
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
  const cst_kernel_id force = s->general ? CST_K_f : CST_K_dV;
  cst_complex        *part = complexes(n + ng);
  cst_complex        *MA = complexes(n);
  bool                analytic = cst_examine_field_nodes(f, s->kernel_out[force], n, x, E);
  analytic &= cst_examine_field_nodes(f, s->kernel_out[CST_K_D2gvv], ng, x, E + n);
  analytic &= cst_examine_field_times(f, CST_K_G, true, x, x->l, part);
  analytic &= cst_examine_field_times(f, CST_K_G, false, x, A, part + n);
  analytic &= inertia(f, x, A, MA);
  for (int i = 0; i < n; i++) {
    if (!s->general)
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
  return cst_examine_field_nodes(f, &V, 1, x, out);
}

bool cst_examine_function_T(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_system *s = f->e->s;
  const int         nq = s->nq;
  cst_complex      *p = cst_zeros(nq, sizeof *p);
  bool              analytic = true;
  if (s->general)
    analytic = cst_examine_field_times(f, CST_K_M, false, x, x->v, p);
  else {
    cst_examine_field_nodes(f, s->mass, nq, x, p);
    for (int i = 0; i < nq; i++)
      p[i] *= x->v[i];
  }
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
  const bool        analytic = !s->gyroscopic || cst_examine_field_nodes(f, s->a, nq, x, a);
  out[0] = 0;
  for (int i = 0; i < nq; i++)
    out[0] += a[i] * x->v[i];
  free(a);
  return analytic;
}

bool cst_examine_function_gauge(const cst_analytic *f, const cst_complex_point *x,
                                cst_complex *out) {
  return cst_examine_field_nodes(f, &f->e->s->gauge[f->index], 1, x, out);
}

bool cst_examine_function_xi(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  const cst_node *xi = f->e->s->xi + (long)f->index * f->n;
  return cst_examine_field_nodes(f, xi, f->n, x, out);
}

bool cst_examine_function_g(const cst_analytic *f, const cst_complex_point *x, cst_complex *out) {
  return cst_examine_field_nodes(f, f->e->s->g, f->n, x, out);
}
