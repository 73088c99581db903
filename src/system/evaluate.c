/* evaluate.c: one point at a time: states, kernels through the interpreter, consistent multipliers, projection, residuals.
 *
 * Set-up and checks only; what is stepped runs over lanes. Programs are made at first use and kept with the system.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "system/internal.h"

enum { NEWTON_ITERATIONS = 12, MOST_LEVELS = 256 };

static cst_tape **tapes(cst_tape ***list, int n) {
  if (!*list) *list = cst_system_memory(calloc((size_t)n + 1, sizeof **list));
  return *list;
}

static cst_tape *start_of(const cst_system *s, int state) {
  cst_tape **tape = tapes(&((cst_system_owned *)s->owned)->start, s->nstate) + state;
  if (*tape) return *tape;
  cst_node out[2 * CST_MAX_Q];
  memcpy(out, s->state[state].q, sizeof(cst_node) * (size_t)s->nq);
  memcpy(out + s->nq, s->state[state].v, sizeof(cst_node) * (size_t)s->nq);
  return *tape = cst_tape_create(s->graph, out, 2 * s->nq);
}

static cst_tape *motion_of(const cst_system *s, int state) {
  cst_tape **tape = tapes(&((cst_system_owned *)s->owned)->motion, s->nstate) + state;
  if (*tape) return *tape;
  cst_node out[2 * CST_MAX_Q + CST_MAX_G];
  memcpy(out, s->state[state].exact_q, sizeof(cst_node) * (size_t)s->nq);
  memcpy(out + s->nq, s->state[state].exact_v, sizeof(cst_node) * (size_t)s->nq);
  memcpy(out + 2 * s->nq, s->state[state].exact_lambda, sizeof(cst_node) * (size_t)s->ng);
  return *tape = cst_tape_create(s->graph, out, 2 * s->nq + s->ng);
}

void cst_system_state(const cst_system *s, int state, const double *c, double *q, double *v) {
  double        out[2 * CST_MAX_Q];
  const double *in[128] = {['c'] = c};
  cst_tape_eval(start_of(s, state), in, out);
  memcpy(q, out, sizeof(double) * (size_t)s->nq);
  memcpy(v, out + s->nq, sizeof(double) * (size_t)s->nq);
}

cst_tape *cst_system_tape(const cst_system *s, cst_kernel_id k) {
  cst_tape **tape = &((cst_system_owned *)s->owned)->tape[k];
  if (!*tape) *tape = cst_tape_create(s->graph, s->kernel_out[k], s->kernel_size[k]);
  return *tape;
}

void cst_system_eval(const cst_system *s, cst_kernel_id k, const double *c, const double *q, const double *v, const double *w,
                     const double *u, const double *l, double *out) {
  const double *in[128] = {['c'] = c, ['q'] = q, ['v'] = v, ['w'] = w, ['u'] = u, ['l'] = l};
  for (int i = 0; i < s->kernel_size[k]; i++) out[i] = 0;
  cst_tape_eval(cst_system_tape(s, k), in, out);
}

bool cst_system_has_exact(const cst_system *s, int state) {
  return s->exact || (state >= 0 && state < s->nstate && s->state[state].has_exact);
}

static void masses(const cst_system *s, const double *c, double *m) {
  double distinct[CST_MAX_Q];
  cst_system_eval(s, CST_K_mass, c, NULL, NULL, NULL, NULL, NULL, distinct);
  for (int i = 0; i < s->nq; i++) m[i] = distinct[s->mass_class[i]];
}

void cst_system_exact(const cst_system *s, int state, const double *c, const double *q0, const double *v0, double t, double *q, double *p,
                      double *lambda) {
  double        out[2 * CST_MAX_Q + CST_MAX_G], m[CST_MAX_Q];
  const double *in[128] = {['c'] = c, ['t'] = &t};
  if (state < 0 || !s->state[state].has_exact) {
    s->exact(c, q0, v0, t, q, p, lambda);
    return;
  }
  cst_tape_eval(motion_of(s, state), in, out);
  masses(s, c, m);
  memcpy(q, out, sizeof(double) * (size_t)s->nq);
  for (int i = 0; i < s->nq; i++) p[i] = m[i] * out[s->nq + i];
  memcpy(lambda, out + 2 * s->nq, sizeof(double) * (size_t)s->ng);
}

/* Dense linear algebra of one point. */

/* A := its LU factors (n x n, rows swapped as in row); false when a pivot vanishes or is no number. */
static bool factor(double *A, int *row, int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    row[k] = best;
    for (int j = 0; j < n; j++) {
      double x = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = x;
    }
    if (!(fabs(A[k * n + k]) > 0) || isinf(A[k * n + k])) return false;
    for (int i = k + 1; i < n; i++) {
      A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j];
    }
  }
  return true;
}

static void solve(const double *A, const int *row, int n, double *b) {
  for (int k = 0; k < n; k++) {
    double x = b[k];
    b[k] = b[row[k]], b[row[k]] = x;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) b[i] -= A[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* S := G diag(1 / m) H' with G, H of ng x nq; m NULL means 1. */
static void product(const cst_system *s, const double *G, const double *m, const double *H, double *S) {
  for (int a = 0; a < s->ng; a++)
    for (int b = 0; b < s->ng; b++) {
      double sum = 0;
      for (int i = 0; i < s->nq; i++) sum += G[a * s->nq + i] * H[b * s->nq + i] / (m ? m[i] : 1);
      S[a * s->ng + b] = sum;
    }
}

static void gradient(const cst_system *s, const double *c, const double *q, double *G) {
  cst_system_eval(s, CST_K_G, c, q, NULL, NULL, NULL, NULL, G);
}
static void constraint(const cst_system *s, const double *c, const double *q, double *g) {
  cst_system_eval(s, CST_K_g, c, q, NULL, NULL, NULL, NULL, g);
}

void cst_system_multipliers(const cst_system *s, const double *c, const double *q, const double *v, double *lambda) {
  double G[CST_MAX_G * CST_MAX_Q], S[CST_MAX_G * CST_MAX_G], dV[CST_MAX_Q], m[CST_MAX_Q];
  int    row[CST_MAX_G];
  if (!s->ng) return;
  gradient(s, c, q, G);
  masses(s, c, m);
  product(s, G, m, G, S);
  cst_system_eval(s, CST_K_dV, c, q, NULL, NULL, NULL, NULL, dV);
  cst_system_eval(s, CST_K_D2gvv, c, q, v, NULL, NULL, NULL, lambda);
  for (int a = 0; a < s->ng; a++)
    for (int i = 0; i < s->nq; i++) lambda[a] -= G[a * s->nq + i] * dV[i] / m[i];
  if (factor(S, row, s->ng))
    solve(S, row, s->ng, lambda);
  else
    for (int a = 0; a < s->ng; a++) lambda[a] = NAN;
}

/* s_j = sum_k |G_jk| |q_k|: what round-off in q makes of g_j is eps times this. */
static double scale_of(const cst_system *s, const double *G, const double *q, int j) {
  double sum = 0;
  for (int k = 0; k < s->nq; k++) sum += fabs(G[j * s->nq + k]) * fabs(q[k]);
  return sum;
}

/* The largest |g_j| / s_j; |g_j| itself where s_j vanishes. */
static double relative(const cst_system *s, const double *G, const double *q, const double *g) {
  double most = 0;
  for (int j = 0; j < s->ng; j++) {
    double scale = scale_of(s, G, q, j), x = fabs(g[j]) / (scale > 0 ? scale : 1);
    if (!(x <= most)) most = x; /* keeps a NaN */
  }
  return most;
}

/* Newton's matrix for (x, theta) of x = q + G(x)'theta, g(x) = given: [1 - D2(theta.g)(x), -G'; G, 0]. */
static void projection_matrix(const cst_system *s, const double *c, const double *x, const double *theta, const double *G, double *J) {
  const int nq = s->nq, n = s->nq + s->ng;
  double    w[CST_MAX_Q] = {0}, column[CST_MAX_Q];
  memset(J, 0, sizeof(double) * (size_t)(n * n));
  for (int j = 0; j < nq; j++) {
    w[j] = 1;
    cst_system_eval(s, CST_K_D2glw, c, x, NULL, w, NULL, theta, column);
    w[j] = 0;
    for (int i = 0; i < nq; i++) J[i * n + j] = (i == j) - column[i];
    for (int a = 0; a < s->ng; a++) J[j * n + nq + a] = -G[a * nq + j], J[(nq + a) * n + j] = G[a * nq + j];
  }
}

/* Newton for g(x) = level g(q) from x, theta; in place. */
static bool reach_level(const cst_system *s, const double *c, const double *q, const double *g0, double level, double *x, double *theta) {
  const int nq = s->nq, n = s->nq + s->ng;
  double    G[CST_MAX_G * CST_MAX_Q], g[CST_MAX_G], J[(CST_MAX_Q + CST_MAX_G) * (CST_MAX_Q + CST_MAX_G)], r[CST_MAX_Q + CST_MAX_G];
  int       row[CST_MAX_Q + CST_MAX_G];
  for (int k = 0; k < NEWTON_ITERATIONS; k++) {
    double size = 0, step = 0;
    constraint(s, c, x, g);
    gradient(s, c, x, G);
    projection_matrix(s, c, x, theta, G, J);
    for (int i = 0; i < nq; i++) {
      r[i] = q[i] - x[i];
      for (int a = 0; a < s->ng; a++) r[i] += G[a * nq + i] * theta[a];
    }
    for (int a = 0; a < s->ng; a++) r[nq + a] = level * g0[a] - g[a];
    if (!factor(J, row, n)) return false;
    solve(J, row, n, r);
    for (int i = 0; i < nq; i++) x[i] += r[i], step = fmax(step, fabs(r[i])), size = fmax(size, fabs(x[i]));
    for (int a = 0; a < s->ng; a++) theta[a] += r[nq + a];
    if (!isfinite(size)) return false;
    if (step <= 4 * DBL_EPSILON * size) return true;
  }
  return false;
}

/* y := P(q), the Euclidean projection: q = y + (normal at y), g(y) = 0. From far away through levels of g, in more and more parts. */
static bool project_position(const cst_system *s, const double *c, const double *q, double *y) {
  double g0[CST_MAX_G], g[CST_MAX_G], G[CST_MAX_G * CST_MAX_Q], theta[CST_MAX_G];
  constraint(s, c, q, g0);
  for (int parts = 1; parts <= MOST_LEVELS; parts *= 4) {
    bool good = true;
    memcpy(y, q, sizeof(double) * (size_t)s->nq);
    memset(theta, 0, sizeof theta);
    for (int k = 1; k <= parts && good; k++) good = reach_level(s, c, q, g0, (double)(parts - k) / parts, y, theta);
    if (!good) continue;
    constraint(s, c, y, g);
    gradient(s, c, y, G);
    if (relative(s, G, y, g) <= 16 * DBL_EPSILON) return true;
  }
  return false;
}

/* v := v - M^-1 G'mu with G v = 0; twice, the second time for the round-off of the first. */
static bool project_velocity(const cst_system *s, const double *c, const double *q, double *v) {
  double G[CST_MAX_G * CST_MAX_Q], S[CST_MAX_G * CST_MAX_G], m[CST_MAX_Q], mu[CST_MAX_G];
  int    row[CST_MAX_G];
  gradient(s, c, q, G);
  masses(s, c, m);
  product(s, G, m, G, S);
  if (!factor(S, row, s->ng)) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int a = 0; a < s->ng; a++) {
      mu[a] = 0;
      for (int i = 0; i < s->nq; i++) mu[a] += G[a * s->nq + i] * v[i];
    }
    solve(S, row, s->ng, mu);
    for (int i = 0; i < s->nq; i++)
      for (int a = 0; a < s->ng; a++) v[i] -= G[a * s->nq + i] * mu[a] / m[i];
  }
  for (int i = 0; i < s->nq; i++)
    if (!isfinite(v[i])) return false;
  return true;
}

bool cst_system_project(const cst_system *s, const double *c, double *q, double *v) {
  double y[CST_MAX_Q], u[CST_MAX_Q];
  if (!s->ng) return true;
  memcpy(u, v, sizeof(double) * (size_t)s->nq);
  if (!project_position(s, c, q, y) || !project_velocity(s, c, y, u)) return false;
  memcpy(q, y, sizeof(double) * (size_t)s->nq);
  memcpy(v, u, sizeof(double) * (size_t)s->nq);
  return true;
}

/* Largest |r_j| and largest |r_j| / scale_j. */
typedef struct {
  double raw, scaled;
} largest;

static void enlarge(largest *m, double r, double scale) {
  double x = fabs(r) / (scale > 0 ? scale : 1);
  if (!(fabs(r) <= m->raw)) m->raw = fabs(r);
  if (!(x <= m->scaled)) m->scaled = x;
}

void cst_system_residuals(const cst_system *s, const double *c, const double *q, const double *v, double *g_max, double *g_scaled,
                          double *gv_max, double *gv_scaled) {
  double  G[CST_MAX_G * CST_MAX_Q], g[CST_MAX_G], speed = 0;
  largest position = {0, 0}, velocity = {0, 0};
  constraint(s, c, q, g);
  gradient(s, c, q, G);
  for (int i = 0; i < s->nq; i++)
    if (!(fabs(v[i]) <= speed)) speed = fabs(v[i]);
  for (int j = 0; j < s->ng; j++) {
    double sum = 0, size = 0;
    for (int i = 0; i < s->nq; i++) sum += G[j * s->nq + i] * v[i], size += fabs(G[j * s->nq + i]);
    enlarge(&position, g[j], scale_of(s, G, q, j));
    enlarge(&velocity, sum, size * speed);
  }
  if (g_max) *g_max = position.raw;
  if (g_scaled) *g_scaled = position.scaled;
  if (gv_max) *gv_max = velocity.raw;
  if (gv_scaled) *gv_scaled = velocity.scaled;
}
