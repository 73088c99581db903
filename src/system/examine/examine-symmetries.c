/* examine-symmetries.c: checks that every declared generator xi is a symmetry, so that <Mv + a, xi> - F is
 * conserved.
 *
 *   G xi = 0 on g = 0,    d/ds L(q + s xi, v + s Dxi v) = 0 at s = 0, up to dF/dt if a gauge F is declared
 *
 * L is examined in parts: V; T = 1/2 v'Mv; A = a.v, whose change is L_xi a . v and must be DF v. A
 * violation on the constraint surface with admissible velocities is a fault. Off the surface it is only
 * noted: methods that leave the surface do not keep the momentum.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "system/examine/examiner.h"

static const double EXACT = 1e-10, NEARLY = 1e-6;
static const double STEP = 1e-3; /* of central differences, relative to the size of q */
enum { TOPIC = 200 };

/* Derivatives along the generator. */

typedef struct {
  const cst_examiner *e;
  int                 k; /* index of the symmetry */
  const cst_point    *at;
  double             *xi, *dxi; /* [nq] the generator and D xi v */
  double              reach;    /* size of xi relative to q: scale for the changes of V, T and A */
  bool                rough;    /* at some point there was no complex step */
} generator;

typedef bool function(const cst_analytic *f, const cst_complex_point *x, cst_complex *out);

static void slope(generator *x, function *of, int n, const double *dq, const double *dv,
                  double *out) {
  const cst_analytic f = {
      .e = x->e,
      .at = x->at,
      .n = n,
      .index = x->k,
      .value = of,
  };
  const cst_change d = {.q = dq, .v = dv};
  if (cst_examine_field_slope(&f, &d, out))
    return;
  const int    nq = x->e->s->nq;
  const double size = cst_examine_largest(x->at->q, nq);
  const double largest = dq ? cst_examine_largest(dq, nq) : 0;
  const double h = largest > 0 ? STEP * size / largest : STEP;
  x->rough = true;
  cst_examine_field_difference(&f, &d, h, out);
}

static double value(const generator *x, function *of) {
  const cst_analytic f = {
      .e = x->e,
      .at = x->at,
      .n = 1,
      .index = x->k,
      .value = of,
  };
  double out;
  cst_examine_field_value(&f, &out);
  return out;
}

static double slope_of(generator *x, function *of, const double *dq, const double *dv) {
  double out;
  slope(x, of, 1, dq, dv, &out);
  return out;
}

static generator begin(const cst_examiner *e, int k, const cst_point *at) {
  const int n = e->s->nq;
  generator x = {
      .e = e,
      .k = k,
      .at = at,
      .xi = cst_linear_numbers(n),
      .dxi = cst_linear_numbers(n),
  };
  cst_analytic f = {
      .e = e,
      .at = at,
      .n = n,
      .index = k,
      .value = cst_examine_function_xi,
  };
  cst_examine_field_value(&f, x.xi);
  slope(&x, cst_examine_function_xi, n, at->v, NULL, x.dxi);
  const double size = cst_examine_largest(at->q, n);
  if (size > 0)
    x.reach = cst_examine_largest(x.xi, n) / size;
  else
    x.reach = 1;
  return x;
}

static void end(generator *x) {
  free(x->xi);
  free(x->dxi);
}

/* A change, in its own units and relative to the size of its terms. */
typedef struct {
  double raw, part;
} change;

static change changed(double raw, double size) {
  const double relative = raw == 0 ? 0 : fabs(raw) / size;
  return (change){fabs(raw), relative};
}

static void enlarge(change *most, change c) {
  if (!(c.part <= most->part))
    *most = c; /* keeps a NaN */
}

static double sizes(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += fabs(x[i] * y[i]);
  return sum;
}

static change change_of_V(generator *x) {
  const cst_system *s = x->e->s;
  const int         nq = s->nq;
  double           *dV = cst_linear_numbers(nq);
  cst_system_eval_at(s, CST_K_dV, x->e->c, x->at->q, dV);
  const double terms = sizes(dV, x->xi, nq);
  const double size = terms + x->reach * fabs(value(x, cst_examine_function_V));
  const double raw = slope_of(x, cst_examine_function_V, x->xi, NULL);
  free(dV);
  return changed(raw, size);
}

static change change_of_T(generator *x) {
  const cst_system *s = x->e->s;
  const int         nq = s->nq;
  double           *p = cst_linear_numbers(nq);
  cst_system_momentum(s, x->e->c, x->at->q, x->at->v, p);
  const double terms = sizes(p, x->dxi, nq);
  const double size = terms + 2 * x->reach * fabs(value(x, cst_examine_function_T));
  const double raw = slope_of(x, cst_examine_function_T, x->xi, x->dxi);
  free(p);
  return changed(raw, size);
}

static change change_of_A(generator *x) {
  const cst_system *s = x->e->s;
  const int         nq = s->nq;
  double           *a = cst_linear_numbers(nq);
  cst_system_eval_at(s, CST_K_a, x->e->c, x->at->q, a);
  const double gauge = slope_of(x, cst_examine_function_gauge, x->at->v, NULL);
  const double terms = sizes(a, x->dxi, nq);
  const double bent = x->reach * sizes(a, x->at->v, nq);
  const double raw = slope_of(x, cst_examine_function_A, x->xi, x->dxi);
  free(a);
  return changed(raw - gauge, terms + bent + fabs(gauge));
}

/* The largest change of the constraints; *row: of which. */
static change change_of_g(generator *x, int *row) {
  const cst_system  *s = x->e->s;
  const int          ng = s->ng;
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double            *dg = cst_linear_numbers(ng);
  double            *G = cst_linear_numbers(P->n);
  double             size_xi = cst_examine_largest(x->xi, s->nq);
  change             most = {0, 0};
  cst_system_eval_at(s, CST_K_G, x->e->c, x->at->q, G);
  slope(x, cst_examine_function_g, ng, x->xi, NULL, dg);
  for (int a = 0; a < ng - s->model->nvel; a++) {
    double size = 0;
    CST_EACH_ENTRY(P, a, e)
      size += fabs(G[e]) * size_xi;
    const change c = changed(dg[a], size);
    if (!(c.part <= most.part)) {
      most = c;
      *row = a;
    }
  }
  free(dg);
  free(G);
  return most;
}

/* Tests whether L_xi a, as a one-form, is a gradient. Its antisymmetric part is D(L_xi a)[u] w - D(L_xi a)[w]
 * u. */

/* L_xi a . w at q + t dq. */
static double one_form(const generator *x, const double *dq, double t, const double *w) {
  const int n = x->e->s->nq;
  double   *q = cst_linear_numbers(n);
  double   *v = cst_linear_numbers(n);
  for (int i = 0; i < n; i++) {
    q[i] = x->at->q[i] + t * dq[i];
    v[i] = w[i];
  }
  const cst_point at = {q, v, x->at->w, x->at->u, x->at->l};
  generator       y = begin(x->e, x->k, &at);
  const double    beta = slope_of(&y, cst_examine_function_A, y.xi, y.dxi);
  end(&y);
  free(q);
  free(v);
  return beta;
}

static double slope_of_form(const generator *x, const double *dq, const double *w) {
  static const double weight[] = {3. / 4, -3. / 20, 1. / 60};
  double              sum = 0;
  for (int k = 1; k <= 3; k++) {
    const double ahead = one_form(x, dq, k * STEP, w);
    const double behind = one_form(x, dq, -k * STEP, w);
    sum += weight[k - 1] / STEP * (ahead - behind);
  }
  return sum;
}

/* Tested along x->at->w and a second direction of the same size. */
static bool is_gradient(const generator *x) {
  const int     n = x->e->s->nq;
  const double *w = x->at->w;
  double       *u = cst_linear_numbers(n);
  for (int i = 0; i < n; i++)
    u[i] = w[(i + 1) % n] * (1 + i % 3);
  const double uw = slope_of_form(x, u, w);
  const double wu = slope_of_form(x, w, u);
  const double along_u = fabs(one_form(x, u, 0, u));
  const double along_w = fabs(one_form(x, u, 0, w));
  const double size = fabs(uw) + fabs(wu) + along_u + along_w;
  free(u);
  return n == 1 || fabs(uw - wu) <= NEARLY * size;
}

/* One symmetry over points. */

typedef struct {
  change V, T, A, g;
  int    row, points;
  bool   rough, gradient, moves;
} changes;

static void examine_point(const cst_examiner *e, int k, const cst_point *at, bool on, changes *c) {
  const cst_system *s = e->s;
  generator         x = begin(e, k, at);
  enlarge(&c->V, change_of_V(&x));
  enlarge(&c->T, change_of_T(&x));
  const change A = change_of_A(&x);
  if (!(A.part <= EXACT) && !c->points)
    c->gradient = is_gradient(&x);
  enlarge(&c->A, A);
  int row = 0;
  if (on && s->ng) {
    const change g = change_of_g(&x, &row);
    if (!(g.part <= c->g.part)) {
      c->g = g;
      c->row = row;
    }
  }
  c->moves |= cst_examine_largest(x.xi, s->nq) > 0;
  c->rough |= x.rough;
  c->points++;
  end(&x);
}

/* Projects the point onto the constraints; false if there is no such point near it. q and v are new: free
 * on->q. */
static bool onto(const cst_examiner *e, const cst_point *p, cst_point *on) {
  const cst_system *s = e->s;
  const size_t      n = (size_t)s->nq;
  *on = *p;
  on->q = cst_linear_numbers(2 * n);
  on->v = on->q + n;
  memcpy(on->q, p->q, sizeof *on->q * 2 * n);
  return cst_system_project(s, e->c, on->q, on->v);
}

static void say_A(cst_examiner *e, const char *topic, int k, cst_severity severity,
                  const changes *c, const char *where) {
  const cst_system *s = e->s;
  if (!cst_graph_is_zero(s->model->graph, s->model->gauge[k]))
    cst_examine_say(e, severity, topic,
                    "a(q) does not change along it by the gradient of its gauge%s: %.3g", where,
                    c->A.raw);
  else if (c->gradient)
    cst_examine_say(e, severity, topic,
                    "a(q) changes along it by a gradient%s: declare its gauge F, L_xi a = DF",
                    where);
  else
    cst_examine_say(
        e, severity, topic,
        "the change of a(q) along it is not a gradient%s: %.3g; no gauge can compensate it", where,
        c->A.raw);
}

/* Reports the invariances that are violated; off the surface only those that hold on it. */
static void say(cst_examiner *e, const char *topic, int k, cst_severity severity, const changes *c,
                const changes *before, const char *where) {
  const double most = c->rough ? NEARLY : EXACT;
#define BROKEN(x) (!(c->x.part <= most) && !(before && !(before->x.part <= most)))
  if (BROKEN(g))
    cst_examine_say(e, severity, topic, "the constraint %s changes along it: %.3g",
                    e->s->description->constraint[c->row], c->g.raw);
  if (BROKEN(V))
    cst_examine_say(e, severity, topic, "V changes along it%s: %.3g", where, c->V.raw);
  if (BROKEN(T))
    cst_examine_say(e, severity, topic,
                    "the mass matrix changes along it%s: the kinetic energy by %.3g", where,
                    c->T.raw);
  if (BROKEN(A))
    say_A(e, topic, k, severity, c, where);
#undef BROKEN
}

static double worst_of(const changes *c) { return fmax(c->V.part, fmax(c->T.part, c->A.part)); }

static void say_fact(cst_examiner *e, const char *topic, int k, const changes *c) {
  const cst_system *s = e->s;
  const bool        gauge = !cst_graph_is_zero(s->model->graph, s->model->gauge[k]);
  char              text[80] = "";
  if (s->ng)
    snprintf(text, sizeof text, "g invariant to %.1g, ", c->g.part);
  cst_examine_say(e, CST_FACT, topic, "%sL invariant to %.1g; momentum <%s, xi>%s", text,
                  worst_of(c), cst_has(s, CST_GYROSCOPIC) ? "Mv + a" : "Mv", gauge ? " - F" : "");
}

static void examine_symmetry(cst_examiner *e, int k) {
  const cst_system *s = e->s;
  changes           on = {0};
  changes           off = {0};
  const int         faults = e->x->faults;
  char              topic[TOPIC];
  snprintf(topic, sizeof topic, "symmetry %s", s->description->symmetry[k]);
  for (int i = 0; i < e->npoint; i++) {
    cst_point p;
    if (s->ng)
      examine_point(e, k, &e->point[i], false, &off);
    if (onto(e, &e->point[i], &p))
      examine_point(e, k, &p, true, &on);
    free(p.q);
  }
  if (!on.points) {
    cst_examine_say(
        e, CST_NOTE, topic,
        "not examined: no point near the states could be projected onto the constraints");
    return;
  }
  say(e, topic, k, CST_FAULT, &on, NULL, "");
  if (e->x->faults == faults)
    say_fact(e, topic, k, &on);
  say(e, topic, k, CST_NOTE, &off, &on, ", but only off the constraints");
  if (!on.moves)
    cst_examine_say(e, CST_NOTE, topic, "the generator is zero: its momentum is always zero");
}

void cst_examine_symmetries(cst_examiner *e) {
  for (int k = 0; k < e->s->nsym && e->npoint; k++)
    examine_symmetry(e, k);
}
