/* member.c: the initial state of one member of an ensemble, a function of its index alone.
 *
 *   q = P(q0 + spread_q N),  v = Q(v0 + spread_v N'),
 *   N and N' independent normals addressed by (seed, member, component),
 *
 * P is the Euclidean projection on g = 0, Q the M-orthogonal one on G v = 0 at the new q. P finds the
 * nearest point of a single surface of degree two; otherwise the nearest of the local minima found. If none
 * is found, the member has no start. All parameter sets share the normals of a member, so that they are
 * compared on the same sample.
 *
 * A body's rotation is turned by a normal rotation vector, R = R0 exp(spread_q hat(N)) with N about the
 * body's axes, and omega = omega0 + spread_v N'; N and N' have the addresses of the first three entries of
 * R. Its centre is spread like other coordinates.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "core/boundary.h"
#include "constella/random.h"
#include "study/rows/study.h"
#include "core/random-lanes.h"
#include "study/file/starts.h"
#include "system/lane/context.h"

static bool is_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

/* Standard deviation of coordinate i (which = 0) or of its velocity (1). */
static double deviation(const cst_study *s, int which, int i) {
  if (s->ensemble.deviation[which])
    return s->ensemble.deviation[which][i];
  return which ? s->ensemble.spread_v : s->ensemble.spread_q;
}

static void spread(const cst_study *s, long member, uint32_t purpose, int which, double *x) {
  const cst_system *sys = s->problem.system;
  int               body = 0; /* the next one, whose nine entries are left out */
  for (int i = 0; i < sys->nq; i++) {
    if (body < sys->model->nbodies && i == sys->model->bodies[body].rotation) {
      i += 8;
      body++;
      continue;
    }
    const double width = deviation(s, which, i);
    if (!(width > 0))
      continue;
    x[i] += width * cst_random_normal(s->ensemble.seed, (uint64_t)member, purpose, 0, (uint32_t)i);
  }
}

/* Rotations are in the order of the bodies; their entries are skipped above. */
static void turn(const cst_study *s, long member, double *q, double *v) {
  for (int k = 0; k < s->problem.system->model->nbodies; k++) {
    const cst_body *b = &s->problem.system->model->bodies[k];
    double          x[3], omega[3];
    cst_system_body_omega(b, q, v, omega);
    for (int a = 0; a < 3; a++) {
      const uint32_t at = (uint32_t)(b->rotation + a);
      const double   dq = deviation(s, 0, b->rotation);
      const double   dv = deviation(s, 1, b->rotation);
      x[a] = dq > 0 ? dq * cst_random_normal(s->ensemble.seed, (uint64_t)member,
                                             CST_PURPOSE_INITIAL_Q, 0, at)
                    : 0;
      if (dv > 0)
        omega[a] += dv * cst_random_normal(s->ensemble.seed, (uint64_t)member,
                                           CST_PURPOSE_INITIAL_V, 0, at);
    }
    cst_system_body_turn(b, x, omega, q, v);
  }
}

/* What the starts are spread about. */
static const double *centre(const cst_study *s, int variant, long member, const double **v) {
  const int     nq = s->problem.system->nq;
  const long    at = (long)variant * nq;
  const double *own =
      s->starts.table.n ? cst_starts_row(s, variant, member % s->starts.table.n) : NULL;
  *v = own ? own + nq : s->starts.v + at;
  return own ? own : s->starts.q + at;
}

static const double *parameters(const cst_study *s, int variant) {
  return s->problem.parameter + (long)variant * s->problem.system->npar;
}

bool cst_study_member(const cst_study *s, int variant, long member, double *q, double *v) {
  CST_REQUIRE(s && q && v && variant >= 0 && variant < s->problem.nvariant && member >= 0, false);
  const int     nq = s->problem.system->nq;
  const size_t  bytes = sizeof(double) * (size_t)nq;
  const double *c = parameters(s, variant), *v0, *q0 = centre(s, variant, member, &v0);
  memcpy(q, q0, bytes);
  memcpy(v, v0, bytes);
  if (!s->ensemble.spread || s->ensemble.unspread)
    return true;
  spread(s, member, CST_PURPOSE_INITIAL_Q, 0, q);
  spread(s, member, CST_PURPOSE_INITIAL_V, 1, v);
  turn(s, member, q, v);
  if (!cst_study_project(s, c, q, v))
    return false;
  return is_finite(q, nq) && is_finite(v, nq);
}

/* ---- many members at once ------------------------------------------------------------------------- */

typedef struct {
  const cst_study *s;
  int              isa, width;
  uint64_t         member[CST_W_MAX] __attribute__((aligned(64)));
  double           normal[CST_W_MAX] __attribute__((aligned(64)));
} crowd;

static void spread_all(crowd *x, uint32_t purpose, int which, double *all) {
  const int W = x->width;
  for (int i = 0; i < x->s->problem.system->nq; i++) {
    const double width = deviation(x->s, which, i);
    if (!(width > 0))
      continue;
    cst_random_normals(x->isa, x->s->ensemble.seed, x->member, purpose, (uint32_t)i, x->normal);
    for (int l = 0; l < W; l++)
      all[i * W + l] += width * x->normal[l];
  }
}

/* Puts x into lane l of the columns [n][W]. */
static void put(double *columns, int width, int l, const double *x, int n) {
  for (int i = 0; i < n; i++)
    columns[i * width + l] = x[i];
}

/* The members of the lanes, in lanes; returns the bits of those that are done. */
static int start_together(crowd *x, const int *variant, const long *member, int lanes, double *q,
                          double *v) {
  const cst_study *s = x->s;
  const int        W = x->width, nq = s->problem.system->nq, npar = s->problem.system->npar;
  double           c[CST_MAX_PAR * CST_W_MAX] __attribute__((aligned(64)));
  for (int l = 0; l < W; l++) {
    const int     from = l < lanes ? l : 0; /* lanes without a member are as the first */
    const double *v0, *q0 = centre(s, variant[from], member[from], &v0);
    x->member[l] = (uint64_t)member[from];
    put(q, W, l, q0, nq);
    put(v, W, l, v0, nq);
    put(c, W, l, parameters(s, variant[from]), npar);
  }
  spread_all(x, CST_PURPOSE_INITIAL_Q, 0, q);
  spread_all(x, CST_PURPOSE_INITIAL_V, 1, v);
  return cst_group_project(s->problem.system, x->isa, c, q, v, (1 << lanes) - 1);
}

int cst_study_members(const cst_study *s, int isa, const int *variant, const long *member,
                      int lanes, double *q, double *v) {
  const bool spreads = s->ensemble.spread && !s->ensemble.unspread && !s->starts.keep &&
                       !s->problem.system->model->nbodies;
  crowd x = {.s = s, .isa = isa, .width = cst_isas[isa].width};
  if (!spreads || !cst_group_starts(s->problem.system))
    return 0;
  return start_together(&x, variant, member, lanes, q, v);
}
