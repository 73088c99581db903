/* start.c: whether the starts of a study can start: finite, rotations that do not reflect, and on the constraints. Of these the system
 * enforces those that no others imply, which is settled here, once for all starts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/reader.h"
#include "system/worst.h"

enum { WHY = 200 };

static const double tolerance = 1e-10; /* of |g_j| / s_j and |G v|_j / scale */

static double       *q_of(const cst_study *s, int variant) { return s->q0 + (size_t)variant * (size_t)s->system->nq; }
static double       *v_of(const cst_study *s, int variant) { return s->v0 + (size_t)variant * (size_t)s->system->nq; }
static const double *c_of(const cst_study *s, int variant) { return s->parameter + (size_t)variant * (size_t)s->system->npar; }

static bool is_finite(cst_reader *r, int variant) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->system->nq; i++)
    if (!isfinite(q_of(s, variant)[i]) || !isfinite(v_of(s, variant)[i])) {
      cst_yaml_error(r->doc, r->start, r->d, "the start is not finite%s: %s is %g, its velocity %g", cst_reader_with(r, variant),
                     s->system->coordinate[i], q_of(s, variant)[i], v_of(s, variant)[i]);
      return false;
    }
  return true;
}

/* A reflection satisfies all constraints of a rotation. */
static bool is_turned(cst_reader *r, int variant) {
  const cst_system *s = r->s->system;
  for (int k = 0; k < s->nbodies; k++)
    if (cst_body_is_reflected(&s->bodies[k], q_of(r->s, variant))) {
      cst_yaml_error(r->doc, r->start, r->d, "the matrix of %s is a reflection%s: its determinant is -1; that of a rotation is 1",
                     s->bodies[k].name, cst_reader_with(r, variant));
      return false;
    }
  return true;
}

/* Which constraints the others imply at the start of a parameter set; owned, NULL: none. */
static bool redundant(cst_reader *r, int variant, unsigned char **out) {
  char why[400];
  if (cst_system_redundant(r->s->system, c_of(r->s, variant), q_of(r->s, variant), out, why, sizeof why)) return true;
  cst_yaml_error(r->doc, r->start, r->d, "%s%s", why, cst_reader_with(r, variant));
  return false;
}

static bool same(const unsigned char *a, const unsigned char *b, int n) { return !a || !b ? a == b : !memcmp(a, b, (size_t)n); }

/* They belong to the system, and must be the same ones at every start. */
static bool settled(cst_reader *r) {
  const cst_study *s = r->s;
  unsigned char   *first = NULL;
  bool             good = redundant(r, 0, &first);
  for (int v = 1; v < s->nvariant && good; v++) {
    unsigned char *own;
    good = redundant(r, v, &own);
    if (good && !same(own, first, s->system->ng)) {
      cst_yaml_error(r->doc, r->start, r->d, "other constraints are redundant%s than%s; such parameter sets need studies of their own",
                     cst_reader_with(r, v), cst_reader_with(r, 0));
      good = false;
    }
    free(own);
  }
  if (good)
    cst_system_enforce(s->system, first);
  else
    free(first);
  return good;
}

static bool consistent(cst_reader *r, int variant) {
  cst_study *s = r->s;
  cst_worst  g, gv;
  char       why[WHY], why_v[WHY];
  if (s->project && !cst_system_project(s->system, c_of(s, variant), q_of(s, variant), v_of(s, variant))) {
    cst_yaml_error(r->doc, r->start, r->d,
                   "the start has no nearest point on the constraints that could be found%s; it must lie nearer to them",
                   cst_reader_with(r, variant));
    return false;
  }
  cst_system_worst(s->system, c_of(s, variant), q_of(s, variant), v_of(s, variant), &g, &gv);
  if (g.scaled <= tolerance && gv.scaled <= tolerance) return true;
  cst_yaml_error(r->doc, r->start, r->d,
                 "the start is inconsistent%s: |g| = %.3g (%.3g of its scale%s%s), |G v| = %.3g (%.3g of its scale%s%s); at most 1e-10 of the "
                 "scale is allowed, or {q: ..., v: ..., project: true}",
                 cst_reader_with(r, variant), g.raw, g.scaled, g.at < 0 ? "" : "; ", cst_worst_say(s->system, &g, why, WHY), gv.raw, gv.scaled,
                 gv.at < 0 ? "" : "; ", cst_worst_say(s->system, &gv, why_v, WHY));
  return false;
}

void cst_start_settle(cst_reader *r) {
  const cst_study *s = r->s;
  bool             good = r->start_known;
  for (int v = 0; v < s->nvariant && good; v++) good = is_finite(r, v) && is_turned(r, v);
  good = good && s->system->ng && s->nvariant && settled(r);
  for (int v = 0; v < s->nvariant && good; v++) good = consistent(r, v);
}
