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
#include "constella/study.h"
#include "study/file/starts.h"

static bool is_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return false;
  return true;
}

/* Standard deviation of coordinate i (which = 0) or of its velocity (1). */
static double deviation(const cst_study *s, int which, int i) {
  if (s->deviation[which])
    return s->deviation[which][i];
  return which ? s->spread_v : s->spread_q;
}

static void spread(const cst_study *s, long member, uint32_t purpose, int which, double *x) {
  const cst_system *sys = s->system;
  int               body = 0; /* the next one, whose nine entries are left out */
  for (int i = 0; i < sys->nq; i++) {
    if (body < sys->nbodies && i == sys->bodies[body].rotation) {
      i += 8;
      body++;
      continue;
    }
    const double width = deviation(s, which, i);
    if (!(width > 0))
      continue;
    x[i] += width * cst_random_normal(s->seed, (uint64_t)member, purpose, 0, (uint32_t)i);
  }
}

/* Rotations are in the order of the bodies; their entries are skipped above. */
static void turn(const cst_study *s, long member, double *q, double *v) {
  for (int k = 0; k < s->system->nbodies; k++) {
    const cst_body *b = &s->system->bodies[k];
    double          x[3], omega[3];
    cst_system_body_omega(b, q, v, omega);
    for (int a = 0; a < 3; a++) {
      const uint32_t at = (uint32_t)(b->rotation + a);
      const double   dq = deviation(s, 0, b->rotation);
      const double   dv = deviation(s, 1, b->rotation);
      x[a] = dq > 0
                 ? dq * cst_random_normal(s->seed, (uint64_t)member, CST_PURPOSE_INITIAL_Q, 0, at)
                 : 0;
      if (dv > 0)
        omega[a] += dv * cst_random_normal(s->seed, (uint64_t)member, CST_PURPOSE_INITIAL_V, 0, at);
    }
    cst_system_body_turn(b, x, omega, q, v);
  }
}

bool cst_study_member(const cst_study *s, int variant, long member, double *q, double *v) {
  CST_REQUIRE(s && q && v && variant >= 0 && variant < s->nvariant && member >= 0, false);
  const int     nq = s->system->nq;
  const long    at = (long)variant * nq;
  const size_t  bytes = sizeof(double) * (size_t)nq;
  const double *c = s->parameter + (long)variant * s->system->npar;
  const double *own = s->nstart ? cst_starts_row(s, variant, member % s->nstart) : NULL;
  memcpy(q, own ? own : s->q0 + at, bytes);
  memcpy(v, own ? own + nq : s->v0 + at, bytes);
  if (!s->ensemble || s->unspread)
    return true;
  spread(s, member, CST_PURPOSE_INITIAL_Q, 0, q);
  spread(s, member, CST_PURPOSE_INITIAL_V, 1, v);
  turn(s, member, q, v);
  if (!cst_study_project(s, c, q, v))
    return false;
  return is_finite(q, nq) && is_finite(v, nq);
}
