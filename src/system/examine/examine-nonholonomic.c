/* examine-nonholonomic.c: constraints on velocities, forces and time dependence: whether the constraints are
 * integrable, whether the energy is kept, and whether symmetries lie in the distribution.
 *
 * The distribution D = ker G, where G has the rows phi, is integrable if brackets of its vector fields stay
 * in it: for the one-forms w_a of the rows, w_a([X, Y]) = -dw_a(X, Y), dw(X, Y) = D(w.Y)[X] - D(w.X)[Y] with
 * X, Y held fixed. The rank of all dw(X_i, X_j) is the number of dimensions that the first brackets add to D.
 * Constraint forces of linear constraints do no work; those of affine constraints do.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "system/examine/examiner.h"

static const double SMALL = 1e-8;
enum { TOPIC = 200 };

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* Replaces x by its part normal to the orthonormal rows Q[k][n]; returns its length. */
static double normal_part(double *x, const double *Q, int k, int n) {
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < k; j++) {
      const double t = dot(x, Q + j * n, n);
      for (int i = 0; i < n; i++)
        x[i] -= t * Q[j * n + i];
    }
  return sqrt(dot(x, x, n));
}

/* Extends the k orthonormal rows in Q so that they also span the rows A[m][n]; returns their number. */
static int extend(const double *A, int m, double least, double *Q, int k, int n) {
  for (int a = 0; a < m && k < n; a++) {
    double       *x = Q + k * n;
    const double *row = A + a * n;
    const double  size = sqrt(dot(row, row, n));
    memcpy(x, A + a * n, sizeof *x * (size_t)n);
    const double left = normal_part(x, Q, k, n);
    if (!(left > SMALL * size + least))
      continue;
    for (int i = 0; i < n; i++)
      x[i] /= left;
    k++;
  }
  return k;
}

/* out[ng] := dw_a(X, Y) at q. */
static void curl(const cst_examiner *e, const double *q, const double *X, const double *Y,
                 double *out) {
  const double     *c = e->c;
  const cst_system *s = e->s;
  double           *other = cst_linear_numbers(s->ng);
  cst_system_eval(s, CST_K_D2gvw, c, q, Y, X, NULL, NULL, out);
  cst_system_eval(s, CST_K_D2gvw, c, q, X, Y, NULL, NULL, other);
  for (int a = 0; a < s->ng; a++)
    out[a] -= other[a];
  free(other);
}

/* At q: the rank of D, and the rank that its first brackets add. */
static void ranks(const cst_examiner *e, const double *q, int *rank, int *gained) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  const int         ng = s->ng;
  double           *G = cst_linear_numbers((size_t)(ng * n));
  double           *Q = cst_linear_numbers((size_t)(n * n));
  double           *unit = cst_linear_numbers((size_t)(n * n));
  double           *w = cst_linear_numbers((size_t)(n * n * ng));
  double           *R = cst_linear_numbers((size_t)(ng * ng));
  cst_system_matrix(s, CST_K_G, e->c, q, NULL, G);
  const int held = extend(G, ng, 0, Q, 0, n);
  for (int i = 0; i < n; i++)
    unit[i * n + i] = 1;
  const int all = extend(unit, n, 1e-3, Q, held, n);
  int       pairs = 0;
  for (int i = held; i < all; i++)
    for (int j = held; j < i; j++)
      curl(e, q, Q + i * n, Q + j * n, w + ng * pairs++);
  *rank = n - held;
  const double size = sqrt(dot(G, G, ng * n));
  *gained = extend(w, pairs, SMALL * (1 + size), R, 0, ng);
  free(G);
  free(Q);
  free(unit);
  free(w);
  free(R);
}

static void say_brackets(cst_examiner *e) {
  int rank = 0;
  if (e->large) {
    cst_examine_say(e, CST_FACT, "nonholonomic",
                    "brackets are taken in systems of at most %d coordinates", CST_MAX_Q);
    return;
  }
  int least = e->s->ng;
  int most = 0;
  for (int k = 0; k < e->npoint; k++) {
    int gained;
    ranks(e, e->point[k].q, &rank, &gained);
    least = gained < least ? gained : least;
    most = gained > most ? gained : most;
  }
  if (!e->npoint)
    return;
  if (most == 0)
    cst_examine_say(
        e, CST_NOTE, "nonholonomic",
        "integrable: the brackets of admissible directions are admissible (rank %d), so the "
        "constraints are "
        "holonomic; methods keep more if they are written as functions of the coordinates",
        rank);
  else
    cst_examine_say(e, CST_FACT, "nonholonomic",
                    "rank of the distribution %d of %d; its first brackets add %d%s", rank,
                    e->s->nq, least, least == most ? "" : " or more, depending on the point");
}

static void say_energy(cst_examiner *e) {
  const cst_system *s = e->s;
  if (cst_has(s, CST_FORCED))
    cst_examine_say(e, CST_FACT, "energy",
                    "not kept: there are forces; `balance` is the energy minus their work");
  else if (cst_has(s, CST_TIMED))
    cst_examine_say(e, CST_FACT, "energy",
                    "not kept: the %s on time; `balance` is the energy minus the work of this "
                    "dependence",
                    !cst_has(s, CST_DRIVEN)   ? "potential depends"
                    : !cst_has(s, CST_PUMPED) ? "constraints depend"
                                              : "potential and the constraints depend");
  else if (cst_has(s, CST_AFFINE))
    cst_examine_say(e, CST_FACT, "energy",
                    "not kept: the constraints are affine, and their forces do work");
  else
    cst_examine_say(
        e, CST_FACT, "energy",
        "kept by the exact motion: the constraints are linear in the velocities and do no work");
}

/* The largest |y(xi)| over the points, where y is a row of phi, or the sum of the forces. */
static double work_along(const cst_examiner *e, int k, bool of_forces) {
  const cst_system *s = e->s;
  const int         ng = s->ng;
  const int         nq = s->nq;
  double           *generators = cst_linear_numbers(s->nsym * nq);
  const double     *xi = generators + k * nq;
  double           *G = cst_linear_numbers(ng * nq);
  double           *F = cst_linear_numbers(nq);
  double            c[CST_MAX_PAR], most = 0;
  memcpy(c, e->c, sizeof *c * (size_t)s->npar);
  cst_system_set_time(s, c, CST_EXAMINED_TIME);
  for (int i = 0; i < e->npoint; i++) {
    const cst_point *p = &e->point[i];
    cst_system_matrix(s, CST_K_xi, e->c, p->q, NULL, generators);
    if (ng)
      cst_system_matrix(s, CST_K_G, e->c, p->q, NULL, G);
    if (s->model->nforce)
      cst_system_eval(s, CST_K_F, c, p->q, p->v, NULL, NULL, p->l, F);
    if (of_forces) {
      most = fmax(most, fabs(dot(F, xi, nq)));
      continue;
    }
    for (int a = ng - s->model->nvel; a < ng; a++) {
      const double *row = G + a * nq;
      const double  length = sqrt(dot(row, row, nq));
      const double  along = fabs(dot(row, xi, nq));
      most = fmax(most, along / length);
    }
  }
  free(generators);
  free(G);
  free(F);
  return most;
}

/* xi at q + t X. */
static void generator_at(const cst_examiner *e, int k, const double *q, const double *X, double t,
                         double *xi) {
  const cst_system *s = e->s;
  const int         nq = s->nq;
  double           *all = cst_linear_numbers((size_t)(s->nsym * nq));
  double           *x = cst_linear_numbers(nq);
  for (int i = 0; i < nq; i++)
    x[i] = q[i] + t * X[i];
  cst_system_matrix(s, CST_K_xi, e->c, x, NULL, all);
  memcpy(xi, all + k * nq, sizeof *xi * (size_t)nq);
  free(all);
  free(x);
}

/* The largest |(L_xi phi) X| over the points, X admissible: measures how far the distribution is from being
 * invariant. */
static double change_along(const cst_examiner *e, int k) {
  const double     *c = e->c;
  const cst_system *s = e->s;
  const int         ng = s->ng;
  const double      step = 1e-4;
  const int         n = s->nq;
  double           *G = cst_linear_numbers(ng * n);
  double           *Q = cst_linear_numbers((n + 1) * n);
  double           *X = cst_linear_numbers(4 * n + ng), *before = X + n, *xi = before + n;
  double           *after = xi + n, *bent = after + n;
  double            most = 0;
  for (int p = 0; p < e->npoint; p++) {
    const cst_point *at = &e->point[p];
    cst_system_matrix(s, CST_K_G, c, at->q, NULL, G);
    const int held = extend(G, ng, 0, Q, 0, n);
    cst_linear_copy(X, at->v, n);
    normal_part(X, Q, held, n);
    generator_at(e, k, at->q, X, 0, xi);
    generator_at(e, k, at->q, X, -step, before);
    generator_at(e, k, at->q, X, step, after);
    cst_system_eval(s, CST_K_D2gvw, c, at->q, X, xi, NULL, NULL, bent);
    for (int a = ng - s->model->nvel; a < ng; a++) {
      const double *row = G + a * n;
      double        sum = bent[a];
      for (int i = 0; i < n; i++) {
        const double change = after[i] - before[i];
        sum += row[i] * change / (2 * step);
      }
      most = fmax(most, fabs(sum));
    }
  }
  free(G);
  free(Q);
  free(X);
  return most;
}

static void say_symmetry(cst_examiner *e, int k) {
  const cst_system *s = e->s;
  char              topic[TOPIC];
  snprintf(topic, sizeof topic, "symmetry %s", s->description->symmetry[k]);
  if (s->model->nvel && work_along(e, k, false) > SMALL)
    cst_examine_say(
        e, CST_NOTE, topic,
        "not admissible: phi xi is not 0, and the constraint forces change its momentum");
  else if (s->model->nvel && change_along(e, k) > 1e-5)
    cst_examine_say(
        e, CST_NOTE, topic,
        "admissible, but the constraints are not invariant: the exact motion keeps its momentum, "
        "methods only to their order");
  if (s->model->nforce && work_along(e, k, true) > SMALL)
    cst_examine_say(e, CST_NOTE, topic, "forces do work along it and change its momentum");
}

void cst_examine_nonholonomic(cst_examiner *e) {
  const cst_system *s = e->s;
  if (!(s->model->traits & (CST_NONHOLONOMIC | CST_TIMED)))
    return;
  if (s->model->nvel)
    say_brackets(e);
  say_energy(e);
  for (int k = 0; k < s->nsym && e->npoint; k++)
    say_symmetry(e, k);
}
