/* motion.c: Gauss collocation in quadruple precision (see motion.h; Hairer, Lubich, Wanner, Geometric
 * Numerical Integration, II.1.3). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/reference/motion.h"
#include "system/point/quad-precision.h"
#include "tableau/tableau.h"

typedef __float128 quad;

/* relative to the velocities of a step: converged below the first; below the second as soon as it grows again
 */
static const quad converged = 1e-33Q;
static const quad stagnant = 1e-29Q;
enum { MOST_ITERATIONS = 400 };

struct cst_motion {
  cst_quad *equations;
  int       nq, ng, stages;
  bool      lost, timed; /* timed: the equations depend on the time; t: time of the state */
  quad      t;
  quad      a[CST_MAX_GAUSS * CST_MAX_GAUSS];
  quad      b[CST_MAX_GAUSS];
  quad      c[CST_MAX_GAUSS];
  quad     *q, *v, *lambda; /* the state; lambda is scratch */
  quad     *V, *A, *Q;      /* stages [stages][nq]; Q: one stage */
  quad     *next;           /* [stages][nq] accelerations */
};

static quad *numbers(int n) {
  quad *x = calloc((size_t)n + 1, sizeof *x);
  cst_need(x);
  return x;
}

cst_motion *cst_motion_create(const cst_system *s, int stages, const double *c, const double *q0,
                              const double *v0) {
  const int   nq = s->nq;
  cst_motion *m = calloc(1, sizeof *m);
  cst_need(m);
  m->equations = cst_quad_create(s, c);
  m->nq = nq;
  m->ng = s->ng;
  m->stages = stages;
  m->timed = cst_has(s, CST_TIMED);
  cst_tableau_gauss_quad(stages, m->a, m->b, m->c);
  m->q = numbers(nq);
  m->v = numbers(nq);
  m->lambda = numbers(s->ng);
  m->V = numbers(stages * nq);
  m->A = numbers(stages * nq);
  m->Q = numbers(nq);
  m->next = numbers(stages * nq);
  for (int i = 0; i < nq; i++) {
    m->q[i] = q0[i];
    m->v[i] = v0[i];
  }
  return m;
}

void cst_motion_destroy(cst_motion *m) {
  if (!m)
    return;
  cst_quad_destroy(m->equations);
  free(m->q);
  free(m->v);
  free(m->lambda);
  free(m->V);
  free(m->A);
  free(m->Q);
  free(m->next);
  free(m);
}

/* V_i := v + h sum_j a_ij A_j. */
static void stage_velocities(cst_motion *m, quad h) {
  const int n = m->nq;
  const int s = m->stages;
  for (int i = 0; i < s; i++)
    for (int k = 0; k < n; k++) {
      quad sum = 0;
      for (int j = 0; j < s; j++) {
        const quad weight = m->a[i * s + j];
        sum += weight * m->A[j * n + k];
      }
      m->V[i * n + k] = m->v[k] + h * sum;
    }
}

/* next_i := A(Q_i, V_i). */
static bool stage_accelerations(cst_motion *m, quad h) {
  const int n = m->nq;
  const int s = m->stages;
  for (int i = 0; i < s; i++) {
    for (int k = 0; k < n; k++) {
      quad sum = 0;
      for (int j = 0; j < s; j++) {
        const quad weight = m->a[i * s + j];
        sum += weight * m->V[j * n + k];
      }
      m->Q[k] = m->q[k] + h * sum;
    }
    cst_quad_time(m->equations, m->t + h * m->c[i]);
    quad *V = m->V + i * n;
    quad *next = m->next + i * n;
    if (!cst_quad_accelerate(m->equations, m->Q, V, next, m->lambda))
      return false;
  }
  return true;
}

/* Sets A := next and returns the change in the step's velocities, relative to their size. */
static quad renew(cst_motion *m, quad h) {
  quad change = 0, size = 0;
  for (int i = 0; i < m->stages * m->nq; i++) {
    const quad next = m->next[i];
    const quad d = fabsq(h * (next - m->A[i]));
    const quad x = fabsq(m->V[i]) + fabsq(h * next);
    if (!(d <= change))
      change = d; /* keeps a NaN */
    size = fmaxq(size, x);
    m->A[i] = m->next[i];
  }
  return size > 0 ? change / size : change;
}

static bool solve_stages(cst_motion *m, quad h) {
  const int n = m->nq;
  quad      last = 0;
  cst_quad_time(m->equations, m->t);
  if (!cst_quad_accelerate(m->equations, m->q, m->v, m->A, m->lambda))
    return false;
  for (int i = 1; i < m->stages; i++)
    memcpy(m->A + i * n, m->A, sizeof *m->A * (size_t)n);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    stage_velocities(m, h);
    if (!stage_accelerations(m, h))
      return false;
    const quad change = renew(m, h);
    if (change <= converged)
      return true;
    if (k > 0 && change <= stagnant && change >= last)
      return true;
    if (!finiteq(change))
      return false;
    last = change;
  }
  return false;
}

static bool step(cst_motion *m, quad h) {
  const int n = m->nq;
  const int s = m->stages;
  if (!solve_stages(m, h))
    return false;
  stage_velocities(m, h);
  for (int k = 0; k < n; k++) {
    quad dq = 0, dv = 0;
    for (int i = 0; i < s; i++) {
      const int at = i * n + k;
      dq += m->b[i] * m->V[at];
      dv += m->b[i] * m->A[at];
    }
    m->q[k] += h * dq;
    m->v[k] += h * dv;
  }
  m->t += h;
  return true;
}

bool cst_motion_advance(cst_motion *m, quad h, long n) {
  for (long k = 0; k < n && !m->lost; k++)
    m->lost = !step(m, h);
  return !m->lost;
}

bool cst_motion_lives(const cst_motion *m) { return !m->lost; }

/* The stages are not part of the state; each step computes them from scratch. */
size_t cst_motion_bytes(const cst_motion *m) {
  const size_t numbers = 2 * (size_t)m->nq + m->timed;
  return sizeof(quad) * numbers + sizeof(long);
}

void cst_motion_save(const cst_motion *m, void *bytes) {
  const size_t size = sizeof(quad) * (size_t)m->nq;
  const long   lost = m->lost;
  memcpy(bytes, m->q, size);
  char *to = bytes;
  memcpy(to + size, m->v, size);
  memcpy(to + 2 * size, &lost, sizeof lost);
  if (m->timed)
    memcpy(to + 2 * size + sizeof lost, &m->t, sizeof m->t);
}

void cst_motion_restore(cst_motion *m, const void *bytes) {
  const size_t size = sizeof(quad) * (size_t)m->nq;
  long         lost;
  memcpy(m->q, bytes, size);
  const char *from = bytes;
  memcpy(m->v, from + size, size);
  memcpy(&lost, from + 2 * size, sizeof lost);
  m->lost = lost;
  if (m->timed)
    memcpy(&m->t, from + 2 * size + sizeof lost, sizeof m->t);
}

void cst_motion_state(cst_motion *m, quad *q, quad *v, quad *p, quad *lambda) {
  const int n = m->nq;
  if (q)
    memcpy(q, m->q, sizeof *q * (size_t)n);
  if (v)
    memcpy(v, m->v, sizeof *v * (size_t)n);
  if (p)
    cst_quad_momentum(m->equations, m->q, m->v, p);
  if (!lambda)
    return;
  cst_quad_time(m->equations, m->t);
  const bool good = cst_quad_accelerate(m->equations, m->q, m->v, m->next, lambda);
  for (int a = 0; a < m->ng && !good; a++)
    lambda[a] = nanq("");
}
