/* momentum-balance-find.c: the defects of the momentum equation in a step.
 *
 * With xi^k = sum_a C_a(q_k) xi_a and what method/momenta.h has of the step, the discrete equation is
 *
 *   J_1 - J_0 = p+ (xi^1 - xi^0)(q1) + sum_j N_j xi^0(x_j) - m'G(q1) xi^1(q1) - L'G(q0) xi^0(q0)
 *
 * (C. Cuell, thesis, (3.39), (4.46)), where m and L are the least squares of p+ - p1 = G1'm, p0 - p- = G0'L:
 * it holds if and only if the step solves the discrete equations along xi, and xi_a are symmetries of L. The
 * other equation is the integral of
 *
 *   dJ/dt = sum_a dC_a/dt <p, xi_a> + sum_a C_a (F - G'lambda) xi_a
 *
 * by the points of a quadrature. Floors are round-off of all terms, and of (q1 - q0)/h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/scalar-solve.h"
#include "study/collect/momentum-balance.h"

enum { ROUNDINGS = 16 };

/* The fields at a point: into the outputs of the tape. */
typedef struct {
  double *xi, *C, *rate, *gauge;
} fields;

struct cst_balance {
  const cst_balances *of;
  const cst_system   *s;
  cst_momenta_of     *momenta;
  cst_tape           *tape;
  double             *c;        /* [npar] */
  double             *value[3]; /* of the tape: at q0, at q1, at a point in between */
  double             *G, *S, *force, *mass, *a, *b;
  int                *pivot, m, *row;
};

static int outputs(const cst_balances *w, int nq) { return w->ngenerator * (nq + 2 * w->n + 1); }

cst_balance *cst_balance_create(const cst_balances *of, const cst_prepared *p) {
  cst_balance      *x = cst_zeros(1, sizeof *x);
  const cst_system *s = p->asked;
  const size_t      n = (size_t)s->nq, g = (size_t)s->ng;
  x->of = of;
  x->s = s;
  x->momenta = cst_momenta_create(p);
  x->tape = cst_tape_create(s->graph, of->node, outputs(of, s->nq));
  for (int k = 0; k < 3; k++)
    x->value[k] = cst_zeros((size_t)outputs(of, s->nq), sizeof(double));
  x->c = cst_zeros((size_t)s->npar + 1, sizeof(double));
  x->G = cst_zeros(g * n + g * g + 4 * n + 2 * g + 1, sizeof(double));
  x->S = x->G + g * n;
  x->force = x->S + g * g;
  x->mass = x->force + n;
  x->a = x->mass + n;
  x->b = x->a + n + g;
  x->pivot = cst_zeros(2 * g + 1, sizeof *x->pivot);
  x->row = x->pivot + g;
  for (int k = 0; k < s->ng; k++)
    if (!s->dropped || !s->dropped[k])
      x->row[x->m++] = k;
  return x;
}

void cst_balance_destroy(cst_balance *x) {
  if (!x)
    return;
  cst_momenta_destroy(x->momenta);
  cst_tape_destroy(x->tape);
  for (int k = 0; k < 3; k++)
    free(x->value[k]);
  free(x->c);
  free(x->G);
  free(x->pivot);
  free(x);
}

static void set_time(cst_balance *x, double t) {
  if (x->s->timed)
    x->c[x->s->account - 1] = t;
}

static fields fields_at(cst_balance *x, int which, const double *q, const double *v) {
  const cst_balances *w = x->of;
  double             *out = x->value[which];
  const double       *in[128] = {['c'] = x->c, ['q'] = q, ['v'] = v};
  cst_evaluate_tape(x->tape, in, out);
  fields f = {.xi = out};
  f.C = f.xi + w->ngenerator * x->s->nq;
  f.rate = f.C + w->n * w->ngenerator;
  f.gauge = f.rate + w->n * w->ngenerator;
  return f;
}

/* A sum with the sum of the sizes of its terms. */
typedef struct {
  double value, size;
} total;

static void add(total *t, double x) {
  t->value += x;
  t->size += fabs(x);
}

/* t += sign sum_a by_a (p.xi_a - gauge_a); gauge NULL: none. */
static void add_momentum(const cst_balance *x, total *t, double sign, const double *by,
                         const fields *f, const double *p, const double *gauge) {
  const int n = x->s->nq;
  for (int a = 0; a < x->of->ngenerator; a++) {
    if (by[a] == 0)
      continue;
    for (int i = 0; i < n; i++)
      add(t, sign * by[a] * p[i] * f->xi[a * n + i]);
    if (gauge)
      add(t, -sign * by[a] * gauge[a]);
  }
}

static const double *row_of(const cst_balance *x, int a) { return x->G + x->row[a] * x->s->nq; }

/* reaction[nq] := the part of r in the range of G', nearest in M^-1, at q. */
static void find_reaction(cst_balance *x, const double *q, const double *r, double *reaction) {
  const int n = x->s->nq, m = x->m;
  double   *y = x->b + n;
  memset(reaction, 0, sizeof *reaction * (size_t)n);
  if (!m)
    return;
  cst_system_matrix(x->s, CST_K_G, x->c, q, NULL, x->G);
  for (int a = 0; a < m; a++) {
    y[a] = 0;
    for (int i = 0; i < n; i++)
      y[a] += row_of(x, a)[i] * r[i] / x->mass[i];
    for (int b = 0; b < m; b++) {
      x->S[a * m + b] = 0;
      for (int i = 0; i < n; i++)
        x->S[a * m + b] += row_of(x, a)[i] * row_of(x, b)[i] / x->mass[i];
    }
  }
  factor(m, x->S, x->pivot);
  solve_with(m, x->S, x->pivot, y);
  for (int a = 0; a < m; a++)
    for (int i = 0; i < n; i++)
      reaction[i] += row_of(x, a)[i] * y[a];
}

/* The round-off of M (q1 - q0)/h, as a size of a momentum. */
static void add_difference(const cst_balance *x, total *t, const double *C, const fields *f,
                           const cst_momenta_step *k) {
  const int n = x->s->nq;
  for (int a = 0; a < x->of->ngenerator; a++)
    for (int i = 0; i < n; i++)
      t->size += fabs(C[a] * f->xi[a * n + i] * x->mass[i] / k->h) *
                 (fabs(k->q0[i]) + fabs(k->q1[i])) / ROUNDINGS;
}

static void set(double *figure, int which, const total *t) {
  figure[which] = fabs(t->value);
  figure[which + 1] = ROUNDINGS * DBL_EPSILON * t->size;
}

/* ---- the discrete equation ------------------------------------------------------------------- */

/* Impulses N_j xi^0(x_j) of every momentum. */
static void take_impulses(cst_balance *x, const fields *left, const cst_momenta *d, total *t) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  for (int j = 0; j < d->n; j++) {
    const fields there = fields_at(x, 2, d->place + j * n, x->mass);
    for (int k = 0; k < x->of->n; k++)
      add_momentum(x, &t[k], -1, left->C + k * ng, &there, d->impulse + j * n, NULL);
  }
}

/* Reactions at an end: r is p+ - p1, or p0 - p-. */
static void take_reaction(cst_balance *x, const fields *f, const double *q, const double *a,
                          const double *b, total *t) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  double   *reaction = x->force;
  for (int i = 0; i < n; i++)
    x->a[i] = a[i] - b[i];
  find_reaction(x, q, x->a, reaction);
  for (int k = 0; k < x->of->n; k++)
    add_momentum(x, &t[k], 1, f->C + k * ng, f, reaction, NULL);
}

static void find_discrete(cst_balance *x, const fields f[2], const cst_momenta_step *s,
                          const cst_momenta *d, const total *change, double *figure) {
  const int ng = x->of->ngenerator;
  total     t[CST_BALANCES_MOST];
  double    turned[CST_BALANCES_MOST] = {0}; /* gcc 14 does not see that ng are set */
  memcpy(t, change, sizeof *t * (size_t)x->of->n);
  for (int k = 0; k < x->of->n; k++) {
    for (int a = 0; a < ng; a++)
      turned[a] = f[1].C[k * ng + a] - f[0].C[k * ng + a];
    add_momentum(x, &t[k], -1, turned, &f[1], d->right, NULL);
    add_difference(x, &t[k], f[0].C + k * ng, &f[0], s);
  }
  take_impulses(x, &f[0], d, t);
  set_time(x, s->t + s->h);
  take_reaction(x, &f[1], s->q1, d->right, s->p1, t);
  set_time(x, s->t);
  take_reaction(x, &f[0], s->q0, s->p0, d->left, t);
  for (int k = 0; k < x->of->n; k++)
    set(figure + k * CST_BALANCE_FIGURES, CST_BALANCE_DISCRETE, &t[k]);
}

/* ---- by a quadrature ------------------------------------------------------------------------- */

/* force := F - G'lambda */
static void find_force(cst_balance *x, const double *q, const double *v, const double *lambda) {
  const int n = x->s->nq;
  memset(x->force, 0, sizeof *x->force * (size_t)n);
  if (x->s->nforce)
    cst_system_eval(x->s, CST_K_F, x->c, q, v, NULL, NULL, lambda, x->force);
  if (!x->s->ng)
    return;
  cst_system_matrix(x->s, CST_K_G, x->c, q, v, x->G);
  for (int a = 0; a < x->s->ng; a++)
    for (int i = 0; i < n; i++)
      x->force[i] -= x->G[a * n + i] * lambda[a];
}

static void find_integral(cst_balance *x, const cst_momenta_points *o, const total *change,
                          double *figure) {
  const int n = x->s->nq, ng = x->of->ngenerator;
  total     t[CST_BALANCES_MOST];
  memcpy(t, change, sizeof *t * (size_t)x->of->n);
  for (int j = 0; j < o->n; j++) {
    const double *q = o->q + j * n, *v = o->v + j * n;
    set_time(x, o->t[j]);
    const fields there = fields_at(x, 2, q, v);
    find_force(x, q, v, o->lambda + j * x->s->ng);
    cst_system_momentum(x->s, x->c, q, v, x->a);
    for (int k = 0; k < x->of->n; k++) {
      add_momentum(x, &t[k], -o->weight[j], there.C + k * ng, &there, x->force, NULL);
      add_momentum(x, &t[k], -o->weight[j], there.rate + k * ng, &there, x->a, there.gauge);
    }
  }
  for (int k = 0; k < x->of->n; k++)
    set(figure + k * CST_BALANCE_FIGURES, CST_BALANCE_INTEGRAL, &t[k]);
}

void cst_balance_find(cst_balance *x, const double *c, const cst_momenta_step *s, double *figure) {
  const int                 n = x->s->nq, ng = x->of->ngenerator;
  const cst_momenta        *d;
  const cst_momenta_points *o;
  total                     change[CST_BALANCES_MOST] = {{0, 0}};
  memcpy(x->c, c, sizeof *c * (size_t)x->s->npar);
  for (int i = 0; i < n; i++)
    x->a[i] = 1, x->b[i] = 0;
  cst_system_momentum(x->s, x->c, s->q0, x->b, x->force);
  cst_system_momentum(x->s, x->c, s->q0, x->a, x->mass);
  for (int i = 0; i < n; i++)
    x->mass[i] -= x->force[i];
  const fields f[2] = {fields_at(x, 0, s->q0, x->b), fields_at(x, 1, s->q1, x->b)};
  for (int k = 0; k < x->of->n; k++) {
    double *to = figure + k * CST_BALANCE_FIGURES;
    for (int i = 0; i < CST_BALANCE_FIGURES; i++)
      to[i] = NAN;
    add_momentum(x, &change[k], 1, f[1].C + k * ng, &f[1], s->p1, f[1].gauge);
    add_momentum(x, &change[k], -1, f[0].C + k * ng, &f[0], s->p0, f[0].gauge);
    to[CST_BALANCE_CHANGE] = fabs(change[k].value);
  }
  if (x->of->integral && cst_momenta_sample(x->momenta, c, s, &o))
    find_integral(x, o, change, figure);
  if (x->of->discrete && cst_momenta_find(x->momenta, c, s, &d))
    find_discrete(x, f, s, d, change, figure);
}
