/* derivative.c: the derivative of a step that consists of kicks (core/kick.c), of midpoint rules
 * (derivative-midpoint.c), and of layers and projections (derivative-layer.c). A kick
 *
 *   p_h = p0 - w0 h grad V(q0) - G0'L,   q1 = q0 + h M^-1 p_h,   g(q1) = 0
 *   p1  = p_h - w1 h grad V(q1) - G1'm,  G1 M^-1 p1 = 0
 *
 * is solved for the impulses L and m by Newton's method, and differentiated:
 *
 *   dp_h = dp0 - w0 h V''(q0) dq0 - D2(L.g)(q0) dq0 - G0'dL,   dq1 = dq0 + h M^-1 dp_h,   G1 dq1 = 0
 *   dp1  = dp_h - w1 h V''(q1) dq1 - D2(m.g)(q1) dq1 - G1'dm,  G1 M^-1 dp1 + D2g(q1)[dq1, M^-1 p1] = 0.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/derivative-parts.h"
#include <stdlib.h>
#include "core/need.h"
#include "method/core/kick-data.h"

static bool is_kick(const cst_substep *x) { return !strcmp(x->row->name, "kick"); }
static bool is_midpoint(const cst_substep *x) { return !strcmp(x->row->name, "midpoint"); }

static bool is_projection(const cst_substep *x) { return !strcmp(x->row->name, "project"); }

/* The tableau of a layer; NULL: it is none, or one of formulas. */
static const cst_tableau *tableau_of(const cst_substep *x) {
  const cst_layer *l = x->row->layer ? x->row->layer(x->data) : NULL;
  return l && !l->rule ? &l->tableau : NULL;
}

static bool has_derivative(const cst_substep *x, const cst_system *s) {
  if (tableau_of(x))
    return s->kernel_size[CST_K_DE] == s->nq + s->ng;
  return is_kick(x) || is_midpoint(x) || is_projection(x);
}

const char *cst_derivative_refusal(const cst_method *m, const cst_system *s) {
  const char *why = NULL;
  if (s->general || !s->nmass || s->nvel || !s->bent)
    return "has no exact derivative on a system with forces, t, a(q), constraints on velocities, "
           "or "
           "a mass that is no constant diagonal; 'companions' serve it";
  cst_prepared *p = cst_method_prepare(m, s);
  if (p->stepped != s)
    why = "steps another system in the place of the study's, and has no exact derivative";
  for (int i = 0; i < p->program->n; i++)
    if (!has_derivative(&p->program->step[i], s))
      why = "has no exact derivative; rattle, euler-a, euler-b, shake, midpoint, layers with a "
            "tableau, project(LAYER) of them and compositions have one, and 'companions' serve "
            "every method";
  cst_program_prepared_destroy(p);
  return why;
}

cst_derivative *cst_derivative_create(const cst_prepared *p) {
  cst_derivative   *x = cst_zeros(1, sizeof *x);
  const cst_system *s = p->stepped;
  const int         n = s->nq, ng = s->ng;
  x->of = p;
  x->s = s;
  x->n = n;
  x->row = cst_zeros(ng + 1, sizeof *x->row);
  for (int k = 0; k < ng; k++)
    if (!s->dropped || !s->dropped[k])
      x->row[x->m++] = k;
  const int m = x->m;
  x->pivot = cst_zeros(m + n + 1, sizeof *x->pivot);
  x->turn = x->pivot + m;
  x->minv = cst_zeros(4 * n + s->nmass + 2 * n * n + m * m + m * n + 2 * ng * n + m + 2 * ng + 1,
                      sizeof *x->minv);
  x->a = x->minv + n;
  x->b = x->a + n;
  x->v = x->b + n;
  x->mass = x->v + n;
  x->H = x->mass + s->nmass;
  x->A = x->H + n * n;
  x->G0 = x->A + m * m;
  x->G1 = x->G0 + ng * n;
  x->y = x->G1 + ng * n;
  x->g = x->y + m;
  x->l = x->g + ng;
  x->B = x->l + ng;
  x->Z = x->B + n * n;
  for (int i = 0; i < p->program->n; i++)
    if (tableau_of(&p->program->step[i]) && !x->stages)
      x->stages = cst_rk_stages_create(s, CST_MAX_STAGES);
  return x;
}

void cst_derivative_destroy(cst_derivative *x) {
  if (!x)
    return;
  cst_rk_stages_destroy(x->stages);
  free(x->row);
  free(x->pivot);
  free(x->minv);
  free(x);
}

void cst_derivative_tangent(cst_derivative *x, const double *c, const double *q, const double *p,
                            int k, double *w) {
  const int n = x->n;
  set_mass(x, c);
  jacobian(x, c, q, x->G0);
  factor_gram(x, x->G0, x->G0);
  for (int e = 0; e < n; e++)
    x->v[e] = x->minv[e] * p[e];
  for (; k > 0; k--, w += 2 * n) {
    for (int i = 0; i < x->m; i++)
      x->y[i] = product(row_of(x, x->G0, i), w, n);
    solve(x, x->y);
    memset(x->a, 0, sizeof(double) * (size_t)n);
    subtract(x, x->G0, x->y, x->a);
    for (int e = 0; e < n; e++)
      w[e] += x->minv[e] * x->a[e];
    make_tangent(x, c, q, x->v, x->G0, w, w + n);
  }
}

/* ---- a kick ---------------------------------------------------------------------------------- */

/* Newton's method for L: from p = p0 - w0 h grad V(q0) to p_h, and q1; grad V(q0) is in x->a. */
static bool find_impulse(cst_derivative *x, const double *c, double h, const double *q, double *p,
                         double *L, double *q1) {
  enum { MOST = 50 };
  const double force = sqrt(product(x->a, x->a, x->n));
  double       last = INFINITY;
  memset(L, 0, sizeof(double) * (size_t)x->m);
  for (int it = 0; it < MOST; it++) {
    double size = 0, most = 1e-3 * (sqrt(product(p, p, x->n)) + h * force);
    for (int e = 0; e < x->n; e++)
      q1[e] = q[e] + h * x->minv[e] * p[e];
    if (!x->m)
      return true;
    jacobian(x, c, q1, x->G1);
    cst_system_eval_at(x->s, CST_K_g, c, q1, x->g);
    factor_gram(x, x->G1, x->G0);
    for (int k = 0; k < x->m; k++)
      x->y[k] = x->g[x->row[k]] / h;
    solve(x, x->y);
    for (int k = 0; k < x->m; k++) {
      size = fmax(size, fabs(x->y[k]));
      most = fmax(most, fabs(L[k]));
    }
    if (!(size < INFINITY))
      return false;
    if (size <= DBL_EPSILON * most || (size >= last && size <= 1e-10 * most))
      return true;
    for (int k = 0; k < x->m; k++)
      L[k] += x->y[k];
    subtract(x, x->G0, x->y, p);
    last = size;
  }
  return false;
}

typedef struct {
  const struct data *of;
  double             h, *L, *m, *q1, *p1;
} kick;

/* The vectors before x->H becomes the Hessian at the right end. */
static void move_left(cst_derivative *x, const double *c, const kick *k, const double *q,
                      double *w) {
  const int n = x->n;
  double   *dq = w, *dp = w + n;
  subtract_hessian(x, k->of->w0 * k->h, dq, dp);
  bend(x, c, q, k->L, dq, dp);
  against(x, x->G1, dp, x->y);
  for (int i = 0; i < x->m; i++)
    x->y[i] += product(row_of(x, x->G1, i), dq, n) / k->h;
  solve(x, x->y);
  subtract(x, x->G0, x->y, dp);
  for (int e = 0; e < n; e++)
    dq[e] += k->h * x->minv[e] * dp[e];
}

static void move_right(cst_derivative *x, const double *c, const kick *k, double *w) {
  double *dq = w, *dp = w + x->n;
  subtract_hessian(x, k->of->w1 * k->h, dq, dp);
  if (!k->of->tangent)
    return;
  bend(x, c, k->q1, k->m, dq, dp);
  make_tangent(x, c, k->q1, x->v, x->G1, dq, dp);
}

static bool do_kick(cst_derivative *x, const double *c, const kick *k, double *q, int count,
                    double *w) {
  const int n = x->n;
  jacobian(x, c, q, x->G0);
  kick_by_force(x, c, k->of->w0 * k->h, q, k->p1);
  if (!find_impulse(x, c, k->h, q, k->p1, k->L, k->q1))
    return false;
  hessian(x, c, q);
  for (int i = 0; i < count; i++)
    move_left(x, c, k, q, w + (size_t)i * 2 * (size_t)n);
  kick_by_force(x, c, k->of->w1 * k->h, k->q1, k->p1);
  hessian(x, c, k->q1);
  factor_gram(x, x->G1, x->G1);
  if (k->of->tangent)
    land(x, k->p1, k->m);
  for (int i = 0; i < count; i++)
    move_right(x, c, k, w + (size_t)i * 2 * (size_t)n);
  memcpy(q, k->q1, sizeof *q * (size_t)n);
  return true;
}

bool cst_derivative_step(cst_derivative *x, const double *c, double h, double *q, double *p, int k,
                         double *w) {
  const cst_program *program = x->of->program;
  double             L[x->m + 1], m[x->m + 1], q1[x->n], qm[x->n];
  bool               good = true;
  set_mass(x, c);
  for (int i = 0; i < program->n && good; i++) {
    const cst_substep *s = &program->step[i];
    const double       part = s->fraction * h;
    double             theta;
    if (is_kick(s)) {
      good = do_kick(x, c, &(kick){(const struct data *)s->data, part, L, m, q1, p}, q, k, w);
      continue;
    }
    if (tableau_of(s)) {
      good = cst_derivative_layer(x, c, tableau_of(s), part, q, p, k, w);
      continue;
    }
    if (is_projection(s)) {
      good = cst_derivative_projection(x, c, q, p, k, w);
      continue;
    }
    memcpy(&theta, s->data, sizeof theta); /* the data of core/midpoint.c */
    good = cst_derivative_midpoint(x, c, &(cst_middle){theta, part, L, m, q1, p, qm}, q, k, w);
  }
  return good;
}
