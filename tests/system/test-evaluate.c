/* test-evaluate.c: single points of systems of every kind: momenta and their tangential parts, multipliers,
 * projection, rank, redundant constraints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/system.h"
#include "tap.h"

static cst_system *make(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  if (!s)
    exit(1);
  return s;
}

static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, isnan(a[i] - b[i]) ? INFINITY : fabs(a[i] - b[i]));
  return most;
}

/* ---- general Lagrangians --------------------------------------------------------------------- */

/* The double pendulum in angles, with a term linear in the velocities. */
static const char angles[] = "system: angles\n"
                             "coordinates: [a, b]\n"
                             "parameters: {k: 0.7}\n"
                             "mass: [[2, cos(a - b)], [cos(a - b), 1]]\n"
                             "gyroscopic: [k*b, sin(a)]\n"
                             "potential: -2*cos(a) - cos(b)\n"
                             "states:\n  default: {q: [0.3, 1.1], v: [0.5, -0.2]}\n";

static void test_momentum(void) {
  cst_system *s = make(angles);
  double      c[1] = {0.7}, q[2], v[2], p[2], back[2];
  cst_system_state(s, 0, c, q, v);
  cst_system_momentum(s, c, q, v, p);
  double C = cos(q[0] - q[1]),
         expected[2] = {2 * v[0] + C * v[1] + c[0] * q[1], C * v[0] + v[1] + sin(q[0])};
  OK(apart(p, expected, 2) < 4e-16, "general system: p = M v + a (%.1e)", apart(p, expected, 2));
  OK(cst_system_velocity(s, c, q, p, back) && apart(back, v, 2) < 1e-15,
     "general system: and back");
  double M[4];
  cst_system_matrix(s, CST_K_M, c, q, NULL, M);
  OK(M[0] == 2 && M[3] == 1 && M[1] == M[2] && fabs(M[1] - C) < 2e-16,
     "general system: M(q) as a matrix");
  cst_system_destroy(s);
  s = make(
      "system: plain\ncoordinates: [x, y, z]\nparameters: {m: 3}\nmass: [m, 2, m]\npotential: 0\n"
      "states:\n  default: {q: [0, 0, 0], v: [0.1, 0.2, 0.3]}\n");
  double m[1] = {3}, x[3], w[3], P[3], W[3];
  cst_system_state(s, 0, m, x, w);
  cst_system_momentum(s, m, x, w, P);
  OK(P[0] == m[0] * w[0] && P[1] == 2 * w[1] && P[2] == m[0] * w[2] &&
         cst_system_velocity(s, m, x, P, W) && apart(w, W, 3) < 1e-16,
     "constant diagonal mass: p = m v to the bit, and back");
  m[0] = 0;
  OK(!cst_system_velocity(s, m, x, P, W), "no velocity where the mass is singular");
  cst_system_destroy(s);
}

/* A charge on a circle in a magnetic field B: lambda = (|v|^2 + B (x y' - y x')) / 2. */
static void test_magnetic(void) {
  cst_system *s = make("system: charge\ncoordinates: [x, y]\nparameters: {B: 1.3}\nmass: [1, "
                       "1]\ngyroscopic: [-B*y/2, "
                       "B*x/2]\npotential: 0\n"
                       "constraints: {circle: x^2 + y^2 - 1}\nstates:\n  default: {q: [0.6, 0.8], "
                       "v: [-0.4, 0.3]}\n");
  double      c[1] = {1.3}, q[2], v[2], lambda, g, gv;
  cst_system_state(s, 0, c, q, v);
  cst_system_multipliers(s, c, q, v, &lambda);
  double expected = (v[0] * v[0] + v[1] * v[1] + c[0] * (q[0] * v[1] - q[1] * v[0])) / 2;
  OK(fabs(lambda - expected) < 1e-15, "charge on a circle: its multiplier (%.1e)",
     lambda - expected);
  q[0] = 0.7;
  v[0] = 1;
  OK(cst_system_project(s, c, q, v), "charge on a circle: a state nearby is projected");
  cst_system_residuals(s, c, q, v, NULL, &g, NULL, &gv);
  OK(g < 1e-15 && gv < 1e-15, "charge on a circle: to round-off (%.1e, %.1e)", g, gv);
  cst_system_destroy(s);
}

/* v - Q v is M-orthogonal to the tangent space: M (v - Q v) is a multiple of G. */
static void test_orthogonal(void) {
  cst_system *s = make(
      "system: metric\ncoordinates: [x, y, z]\nmass: [[2 + x^2, y, 0], [y, 3, 0.5], [0, 0.5, 1 + "
      "z^2]]\npotential: x*y\n"
      "constraints: {sphere: x^2 + 2*y^2 + z^2 - 1}\nstates:\n  default: {q: [1, 0, 0], v: [0, 1, "
      "1]}\n");
  double q[3] = {0.7, 0.3, 0.6}, v[3] = {0.3, -0.8, 0.4}, u[3] = {0.3, -0.8, 0.4}, M[9], G[3], d[3],
         r[3] = {0}, g, gv;
  OK(cst_system_project(s, NULL, q, v), "full mass: a state is projected");
  cst_system_residuals(s, NULL, q, v, NULL, &g, NULL, &gv);
  OK(g < 1e-15 && gv < 1e-15, "full mass: on the constraint (%.1e, %.1e)", g, gv);
  cst_system_matrix(s, CST_K_M, NULL, q, NULL, M);
  cst_system_matrix(s, CST_K_G, NULL, q, NULL, G);
  for (int i = 0; i < 3; i++)
    d[i] = u[i] - v[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r[i] += M[3 * i + j] * d[j];
  double most = fmax(fabs(r[0] * G[1] - r[1] * G[0]), fabs(r[1] * G[2] - r[2] * G[1]));
  OK(most < 1e-14, "full mass: velocities are projected in its metric (%.1e)", most);
  double lambda, f[3], D, A = 0;
  cst_system_multipliers(s, NULL, q, v, &lambda);
  cst_system_eval(s, CST_K_f, NULL, q, v, NULL, NULL, NULL, f);
  cst_system_eval(s, CST_K_D2gvv, NULL, q, v, NULL, NULL, NULL, &D);
  for (int i = 0; i < 3; i++)
    f[i] -= G[i] * lambda;
  OK(cst_system_velocity(s, NULL, q, f, d), "full mass: accelerations"); /* a = 0: M^-1 f */
  for (int i = 0; i < 3; i++)
    A += G[i] * d[i];
  OK(fabs(A + D) < 1e-13, "full mass: G A = -D2g[v, v] (%.1e)", A + D);
  cst_system_destroy(s);
}

/* ---- tangential momenta ---------------------------------------------------------------------- */

/* At a state on the constraints with p = M v + a: G t = 0 for its tangential part t, and t - p = G'm, so that
 * the M-orthogonal projection of M^-1 (t - a) is v again. Returns the distance of t from p. */
static double check_tangential(const cst_system *s, const char *name, const double *c,
                               const double *q, const double *v) {
  const size_t n = (size_t)s->nq;
  double      *p = calloc(5 * n, sizeof *p), *t = p + n, *u = t + n, *x = u + n, *again = x + n, gt,
         size = 0, speed = 0, reach = 1;
  cst_system_momentum(s, c, q, v, p);
  memcpy(t, p, n * sizeof *t);
  cst_system_tangential(s, c, q, t);
  for (size_t i = 0; i < n; i++) {
    size = fmax(size, fabs(p[i]));
    speed = fmax(speed, fabs(v[i]));
    reach = fmax(reach, fabs(q[i]));
  }
  cst_system_residuals(s, c, q, t, NULL, NULL, NULL, &gt);
  OK(gt < 1e-15, "%s: the tangential part of p has G p = 0 (%.1e)", name, gt);
  memcpy(again, t, n * sizeof *t);
  cst_system_tangential(s, c, q, again);
  OK(apart(again, t, s->nq) < 1e-15 * size, "%s: it is its own tangential part (%.1e)", name,
     apart(again, t, s->nq));
  memcpy(x, q, n * sizeof *x);
  const bool good = cst_system_velocity(s, c, q, t, u) && cst_system_project(s, c, x, u);
  OK(good && apart(u, v, s->nq) < 1e-14 * speed * reach,
     "%s: what it lacks is normal: the velocity is the same (%.1e)", name, apart(u, v, s->nq));
  const double off = apart(t, p, s->nq);
  free(p);
  return off;
}

static void test_tangential(void) {
  cst_system *s =
      make("system: metric\ncoordinates: [x, y, z]\nmass: [[2 + x^2, y, 0], [y, 3, 0.5], [0, "
           "0.5, 1 + z^2]]\npotential: x*y\n"
           "gyroscopic: [0.4*y, sin(z), x*z]\nconstraints: {sphere: x^2 + 2*y^2 + z^2 - 1}\n"
           "states:\n  default: {q: [1, 0, 0], v: [0, 1, 1]}\n");
  double q[3] = {0.7, 0.3, 0.6}, v[3] = {0.3, -0.8, 0.4}, c[2] = {3, 0.5}, p[3] = {1, 2, 3};
  cst_system_project(s, NULL, q, v);
  OK(check_tangential(s, "M(q) and a(q)", NULL, q, v) > 0.01,
     "M(q) and a(q): M v + a is not tangential");
  cst_system_destroy(s);
  s = make("system: weights\ncoordinates: [x, y, z]\nparameters: {m: 1, n: 1}\nmass: [m, n, "
           "m]\npotential: 0\n"
           "constraints: {sphere: x^2 + y^2 + z^2 - 1}\nstates:\n  default: {q: [1, 0, 0], v: [0, "
           "1, 1]}\n");
  cst_system_project(s, c, q, v);
  OK(check_tangential(s, "unequal masses", c, q, v) > 0.1, "unequal masses: M v is not tangential");
  c[1] = 3;
  OK(check_tangential(s, "equal masses", c, q, v) < 1e-15, "equal masses: M v is tangential");
  q[0] = q[1] = q[2] = 0;
  cst_system_tangential(s, c, q, p);
  OK(isnan(p[0]) && isnan(p[1]) && isnan(p[2]),
     "no tangential part where the constraints are dependent");
  cst_system_destroy(s);
  s = make("system: free\ncoordinates: [x, y]\nmass: [1, 3]\npotential: 0\nstates:\n  default: {q: "
           "[0, 0], "
           "v: [1, 1]}\n");
  p[0] = 1;
  p[1] = 2;
  cst_system_tangential(s, NULL, q, p);
  OK(p[0] == 1 && p[1] == 2, "without constraints nothing is touched");
  cst_system_destroy(s);
}

/* ---- redundant constraints ------------------------------------------------------------------- */

/* A body with position x and rotation R, with R'R = 1 in all nine entries. The field at its centre also turns
 * it. */
static char *body(void) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  fprintf(f,
          "system: body\ncoordinates: [x1, x2, x3, r11, r12, r13, r21, r22, r23, r31, r32, r33]\n"
          "mass: [3, 3, 3, 1, 2, 4, 1, 2, 4, 1, 2, 4]\npotential: x3 + 0.3*r13*r21 + r32 + "
          "0.7*r11^2*r33\nconstraints:\n");
  for (int i = 1; i <= 3; i++)
    for (int j = 1; j <= 3; j++)
      fprintf(f, "  g%d%d: r1%d*r1%d + r2%d*r2%d + r3%d*r3%d - %d\n", i, j, i, j, i, j, i, j,
              i == j);
  fprintf(f, "states:\n  default: {q: [0, 0, 0, 0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1], v: [1, 0, 0, "
             "-0.3, 0.4, "
             "0.6, -0.4, -0.3, 0.8, -1, 0, 0]}\n");
  fclose(f);
  return text;
}

static void force(const cst_system *s, const double *q, const double *lambda, double *F) {
  double *G = calloc((size_t)(s->ng * s->nq), sizeof *G);
  cst_system_matrix(s, CST_K_G, NULL, q, NULL, G);
  for (int i = 0; i < s->nq; i++) {
    F[i] = 0;
    for (int a = 0; a < s->ng; a++)
      F[i] += G[a * s->nq + i] * lambda[a];
  }
  free(G);
}

static void test_body(void) {
  char       *text = body(), why[300] = "";
  cst_system *s = make(text);
  double      q[12], v[12], lambda[9], mirrored[9], least[9], F[12], H[12], g, gv;
  cst_system_state(s, 0, NULL, q, v);
  cst_system_project(s, NULL, q, v);
  OK(cst_system_rank(s, NULL, q) == 6, "R'R = 1: nine entries have rank 6 (%d)",
     cst_system_rank(s, NULL, q));
  OK(cst_system_enforce_independent(s, NULL, q, why, sizeof why) && s->model->dropped,
     "R'R = 1: redundant constraints are no mistake%s", why);
  int dropped = 0;
  for (int a = 0; a < 9 && s->model->dropped; a++)
    dropped |= (s->model->dropped[a] != 0) << a;
  OK(dropped == (1 << 3 | 1 << 6 | 1 << 7), "R'R = 1: the mirrored ones are dropped (%#x)",
     (unsigned)dropped);
  for (int i = 0; i < 12; i++) {
    q[i] += 0.05 * sin(i + 1.0);
    v[i] += 0.1 * cos(i);
  }
  OK(cst_system_project(s, NULL, q, v), "R'R = 1: a state nearby is projected");
  cst_system_residuals(s, NULL, q, v, NULL, &g, NULL, &gv);
  OK(g < 1e-15 && gv < 2e-15, "R'R = 1: on all nine constraints (%.1e, %.1e)", g, gv);
  OK(check_tangential(s, "R'R = 1", NULL, q, v) > 0.1, "R'R = 1: M v is not tangential");
  cst_system_multipliers(s, NULL, q, v, lambda);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      mirrored[3 * i + j] = lambda[3 * j + i];
  OK(apart(lambda, mirrored, 9) < 1e-14, "R'R = 1: the least-norm multipliers are symmetric (%.1e)",
     apart(lambda, mirrored, 9));
  memcpy(least, lambda, sizeof least);
  least[1] += 0.7;
  least[3] -= 0.7;
  force(s, q, lambda, F);
  force(s, q, least, H);
  cst_system_least_norm(s, NULL, q, least);
  OK(apart(F, H, 12) < 1e-14 && apart(least, lambda, 9) < 1e-14,
     "R'R = 1: others with the same force lead to them");
  OK(cst_system_enforce_independent(s, NULL, q, why, sizeof why) && s->model->dropped,
     "R'R = 1: settling again changes nothing");
  cst_system_destroy(s);
  free(text);
}

/* Two cranks and a coupler. From the flat position the mechanism can continue as a parallelogram or as an
 * antiparallelogram. */
static const char linkage[] =
    "system: linkage\ncoordinates: [x1, y1, x2, y2]\nmass: [1, 1, 1, 1]\npotential: y1 + y2\n"
    "constraints: {left: x1^2 + y1^2 - 1, right: (x2 - 2)^2 + y2^2 - 1, coupler: (x2 - x1)^2 + (y2 "
    "- y1)^2 - "
    "4}\n"
    "states:\n  default: {q: [0.6, 0.8, 2.6, 0.8], v: [0, 0, 0, 0]}\n  flat: {q: [1, 0, 3, 0], v: "
    "[0, 0, 0, "
    "0]}\n";

static void test_linkage(void) {
  cst_system *s = make(linkage);
  char        why[300] = "";
  double      q[4], v[4], lambda[3];
  cst_system_state(s, 0, NULL, q, v);
  OK(cst_system_rank(s, NULL, q) == 3 &&
         cst_system_enforce_independent(s, NULL, q, why, sizeof why) && !s->model->dropped,
     "linkage: nothing is redundant");
  cst_system_state(s, 1, NULL, q, v);
  OK(cst_system_rank(s, NULL, q) == 2 &&
         !cst_system_enforce_independent(s, NULL, q, why, sizeof why),
     "linkage: flat it cannot start");
  OK(strstr(why, "lose rank") && strstr(why, "rank 2 of 3 there, 3 nearby"), "linkage: and why: %s",
     why);
  OK(!s->model->dropped, "linkage: nothing was dropped");
  cst_system_multipliers(s, NULL, q, v, lambda);
  OK(!(lambda[0] == lambda[0]) || fabs(lambda[0]) > 1e10,
     "linkage: there are no multipliers there");
  OK(!cst_system_project(s, NULL, q, v) && q[0] == 1, "linkage: and no projection");
  cst_system_destroy(s);
}

/* The same circle twice: the second is a function of the first on and off the manifold, or only on it. */
static void test_twice(void) {
  const char *text =
      "system: twice\ncoordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\n"
      "constraints: {once: x^2 + y^2 - 1, again: (x^2 + y^2 - 1)*(2 + z)}\nstates:\n  "
      "default: {q: [1, 0, 0], v: [0, 1, 0]}\n";
  cst_system *s = make(text);
  char        why[300] = "";
  double      q[3] = {1.1, 0.1, 0.4}, v[3] = {0, 1, 1}, lambda[2], x[3], u[3];
  OK(cst_system_enforce_independent(s, NULL, q, why, sizeof why) && s->model->dropped &&
         !s->model->dropped[0] && s->model->dropped[1],
     "a constraint that follows on the manifold only is found from a start off it%s", why);
  memcpy(x, q, sizeof x);
  memcpy(u, v, sizeof u);
  OK(cst_system_project(s, NULL, x, u) && fabs(hypot(x[0], x[1]) - 1) < 1e-15,
     "and the start is projected");
  cst_system_multipliers(s, NULL, x, u, lambda);
  OK(fabs(lambda[1] - (2 + x[2]) * lambda[0]) < 1e-14 && lambda[0] > 0,
     "its multipliers are in proportion to the gradients");
  cst_system_destroy(s);
}

/* ---- large systems --------------------------------------------------------------------------- */

/* A chain of n points in the plane with unit links, fixed at the origin, horizontal at the start. */
static char *chain(int n, const char *last) {
  char *text;
  if (asprintf(&text,
               "system: chain\ncoordinates: [\"x[%d]\", \"y[%d]\"]\nmass: [1 + 1/i, 1 + "
               "1/i]\npotential: "
               "sum(i, 1, %d, (1 + 1/i)*y[i])\nconstraints:\n"
               "  first: x[1]^2 + y[1]^2 - 1\n  link: {for: \"i = 2..%d\", expression: \"(x[i] - "
               "x[i-1])^2 + "
               "(y[i] - y[i-1])^2 - 1\"}\n%sstates:\n  default: {q: [i, 0], v: [0, sin(i)]}\n",
               n, n, n, n, last) < 0)
    exit(1);
  return text;
}

/* The defect G A + D2g[v, v] with M A = -grad V - G'lambda. */
static double defect(const cst_system *s, const double *q, const double *v, const double *lambda) {
  const cst_pattern *P = &s->model->pattern[CST_K_G];
  double *A = calloc((size_t)s->nq, 8), *G = calloc((size_t)P->n, 8), *d = calloc((size_t)s->ng, 8),
         *W = calloc((size_t)s->nq, 8), most = 0;
  cst_system_eval(s, CST_K_dV, NULL, q, NULL, NULL, NULL, NULL, A);
  cst_system_eval(s, CST_K_G, NULL, q, NULL, NULL, NULL, NULL, G);
  cst_system_eval(s, CST_K_D2gvv, NULL, q, v, NULL, NULL, NULL, d);
  for (int i = 0; i < s->nq; i++)
    A[i] = -A[i];
  for (int a = 0; a < s->ng; a++)
    for (int e = P->start[a]; e < P->start[a + 1]; e++)
      A[P->column[e]] -= G[e] * lambda[a];
  if (!cst_system_velocity(s, NULL, q, A, W))
    most = INFINITY;
  for (int a = 0; a < s->ng; a++) {
    for (int e = P->start[a]; e < P->start[a + 1]; e++)
      d[a] += G[e] * W[P->column[e]];
    most = fmax(most, fabs(d[a]));
  }
  free(A);
  free(G);
  free(d);
  free(W);
  return most;
}

static void test_chain(int n) {
  char       *text = chain(n, ""), why[300] = "";
  cst_system *s = make(text);
  double     *q = calloc((size_t)s->nq, 8), *v = calloc((size_t)s->nq, 8),
         *lambda = calloc((size_t)s->ng, 8), top = 0, g, gv;
  cst_system_state(s, 0, NULL, q, v);
  OK(cst_system_rank(s, NULL, q) == n &&
         cst_system_enforce_independent(s, NULL, q, why, sizeof why) && !s->model->dropped,
     "chain of %d: its links are independent%s", n, why);
  for (int i = 0; i < s->nq; i++) {
    q[i] += 0.01 * sin(1.7 * i);
    v[i] += 0.1 * cos(2.3 * i);
  }
  OK(cst_system_project(s, NULL, q, v), "chain of %d: a state nearby is projected", n);
  cst_system_residuals(s, NULL, q, v, NULL, &g, NULL, &gv);
  OK(g < 2e-15 && gv < 2e-15, "chain of %d: on its constraints (%.1e, %.1e)", n, g, gv);
  cst_system_multipliers(s, NULL, q, v, lambda);
  for (int a = 0; a < s->ng; a++)
    top = fmax(top, fabs(lambda[a]));
  const double normal = check_tangential(s, "chain", NULL, q, v);
  OK(normal > 1e-9, "chain of %d: M v is not tangential (%.1e)", n, normal);
  OK(defect(s, q, v, lambda) < 1e-12 * (1 + top) && top > 0, "chain of %d: its multipliers (%.1e)",
     n, defect(s, q, v, lambda));
  free(q);
  free(v);
  free(lambda);
  free(text);
  cst_system_destroy(s);
}

/* A chain of n with a duplicate link constraint: one of the two is not enforced, if the system is not too
 * large for that. */
static void test_dependent_chain(int n, const char *refused) {
  char *text = chain(n, "  again: {for: \"i = 50..50\", expression: \"(x[i] - x[i-1])^2 + (y[i] - "
                        "y[i-1])^2 - 1\"}\n"),
       why[300] = "";
  cst_system *s = make(text);
  double     *q = calloc(2 * (size_t)s->nq, sizeof *q), *v = q + s->nq;
  cst_system_state(s, 0, NULL, q, v);
  const bool settled = cst_system_enforce_independent(s, NULL, q, why, sizeof why);
  OK(refused ? !settled && strstr(why, refused) : settled && !cst_system_enforces(s, n),
     "chain of %d with a link twice: %s", n, refused ? why : "the second one is dropped");
  cst_system_destroy(s);
  free(q);
  free(text);
}

int main(void) {
  test_momentum();
  test_magnetic();
  test_orthogonal();
  test_tangential();
  test_body();
  test_linkage();
  test_twice();
  test_chain(3);
  test_chain(300);
  test_chain(10000);
  test_dependent_chain(100, NULL);
  test_dependent_chain(120, "more than 200 coordinates");
  return tap_done();
}
