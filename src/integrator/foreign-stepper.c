/* foreign-stepper.c: a system as the functions that a stepper in a shared library gets (constella/user-stepper.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "constella/foreign.h"
#include "core/boundary.h"
#include "core/need.h"
#include "method/constrained.h"

typedef struct {
  cst_stepper_system seen; /* own: this struct */
  const cst_system  *s;
  double             c[]; /* [npar] */
} given;

static const given *of(const cst_stepper_system *x) { return x->own; }

static void mass(const cst_stepper_system *x, const double *q, double *M) {
  const given *g = of(x);
  const int    n = g->s->nq;
  double      *work = cst_need(calloc(4 * (size_t)n, sizeof *work)), *v = work, *p = work + n,
         *at_rest = work + 2 * n, *zero = work + 3 * n;
  cst_system_momentum(g->s, g->c, q, zero, at_rest);
  for (int j = 0; j < n; j++) {
    v[j] = 1;
    cst_system_momentum(g->s, g->c, q, v, p);
    for (int i = 0; i < n; i++)
      M[i * n + j] = p[i] - at_rest[i];
    v[j] = 0;
  }
  free(work);
}

static void potential(const cst_stepper_system *x, const double *q, double *V) {
  cst_system_eval_at(of(x)->s, CST_K_V, of(x)->c, q, V);
}

static void gradient(const cst_stepper_system *x, const double *q, double *dV) {
  cst_system_eval_at(of(x)->s, CST_K_dV, of(x)->c, q, dV);
}

static void hessian(const cst_stepper_system *x, const double *q, double *d2V) {
  cst_system_matrix(of(x)->s, CST_K_d2V, of(x)->c, q, NULL, d2V);
}

static void force(const cst_stepper_system *x, const double *q, const double *v, double *f) {
  const given *g = of(x);
  if (g->s->kernel_size[CST_K_f] > 0) {
    cst_system_eval(g->s, CST_K_f, g->c, q, v, NULL, NULL, NULL, f);
    return;
  }
  gradient(x, q, f);
  for (int i = 0; i < g->s->nq; i++)
    f[i] = -f[i];
}

static void constraints(const cst_stepper_system *x, const double *q, double *g) {
  cst_system_eval_at(of(x)->s, CST_K_g, of(x)->c, q, g);
}

static void jacobian(const cst_stepper_system *x, const double *q, double *G) {
  cst_system_matrix(of(x)->s, CST_K_G, of(x)->c, q, NULL, G);
}

static void curvature(const cst_stepper_system *x, const double *q, const double *v,
                      const double *w, double *d2g) {
  cst_system_eval(of(x)->s, CST_K_D2gvw, of(x)->c, q, v, w, NULL, NULL, d2g);
}

static void bend(const cst_stepper_system *x, const double *q, const double *lambda,
                 const double *w, double *out) {
  cst_system_eval(of(x)->s, CST_K_D2glw, of(x)->c, q, NULL, w, NULL, lambda, out);
}

static void acceleration(const cst_stepper_system *x, const double *q, const double *v, double *A) {
  cst_constrained_accelerations(of(x)->s, of(x)->c, q, v, A);
}

const cst_stepper_system *cst_foreign_stepped(const cst_system *s, const double *c) {
  CST_REQUIRE(s && (c || !s->npar), NULL);
  given *g = cst_need(calloc(1, sizeof *g + sizeof(double) * (size_t)s->npar));
  g->s = s;
  if (s->npar)
    memcpy(g->c, c, sizeof(double) * (size_t)s->npar);
  g->seen = (cst_stepper_system){.name = s->name,
                                 .nq = s->nq,
                                 .ng = s->ng,
                                 .nvel = s->nvel,
                                 .npar = cst_system_named(s),
                                 .mass = mass,
                                 .potential = potential,
                                 .gradient = gradient,
                                 .hessian = hessian,
                                 .force = force,
                                 .constraints = constraints,
                                 .jacobian = jacobian,
                                 .curvature = curvature,
                                 .bend = bend,
                                 .acceleration = acceleration,
                                 .own = g};
  return &g->seen;
}

void cst_foreign_forget(const cst_stepper_system *x) {
  if (x)
    free((void *)x->own);
}
