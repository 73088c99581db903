/* start.c: checks the starts of a study: they must be finite, on the constraints, and without reflections in
 * place of rotations. Also finds the redundant constraints, once for all starts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/file/starts.h"
#include "system/point/worst.h"

enum { WHY = 200 };

static const double tolerance = 1e-10; /* on |g_j| / s_j and |G v|_j / scale */

static double *q_of(const cst_study *s, int variant) {
  return s->q0 + (size_t)variant * (size_t)s->system->nq;
}
static double *v_of(const cst_study *s, int variant) {
  return s->v0 + (size_t)variant * (size_t)s->system->nq;
}
static const double *c_of(const cst_study *s, int variant) {
  return s->parameter + (size_t)variant * (size_t)s->system->npar;
}

static bool is_finite(cst_reader *r, int variant) {
  const cst_study *s = r->s;
  const double    *q = q_of(s, variant);
  const double    *v = v_of(s, variant);
  for (int i = 0; i < s->system->nq; i++) {
    if (isfinite(q[i]) && isfinite(v[i]))
      continue;
    cst_yaml_error(r->doc, r->start, r->d, "the start is not finite%s: %s is %g, its velocity %g",
                   cst_reader_with(r, variant), s->system->coordinate[i], q[i], v[i]);
    return false;
  }
  return true;
}

/* A reflection satisfies all constraints of a rotation. */
static bool is_turned(cst_reader *r, int variant) {
  const cst_system *s = r->s->system;
  for (int k = 0; k < s->nbodies; k++)
    if (cst_system_body_is_reflected(&s->bodies[k], q_of(r->s, variant))) {
      cst_yaml_error(
          r->doc, r->start, r->d,
          "the matrix of %s is a reflection%s: its determinant is -1; that of a rotation is 1",
          s->bodies[k].name, cst_reader_with(r, variant));
      return false;
    }
  return true;
}

/* Finds the constraints that are redundant at the start of a parameter set; owned, NULL: none. */
static bool redundant(cst_reader *r, int variant, unsigned char **out) {
  char why[400];
  if (cst_system_redundant(r->s->system, c_of(r->s, variant), q_of(r->s, variant), out, why,
                           sizeof why))
    return true;
  cst_yaml_error(r->doc, r->start, r->d, "%s%s", why, cst_reader_with(r, variant));
  return false;
}

static bool same(const unsigned char *a, const unsigned char *b, int n) {
  return !a || !b ? a == b : !memcmp(a, b, (size_t)n);
}

/* The redundant constraints are a property of the system and must be the same at every start. */
static bool find_redundant(cst_reader *r) {
  const cst_study *s = r->s;
  unsigned char   *first = NULL;
  bool             good = redundant(r, 0, &first);
  for (int v = 1; v < s->nvariant && good; v++) {
    unsigned char *own;
    good = redundant(r, v, &own);
    if (good && !same(own, first, s->system->ng)) {
      cst_yaml_error(r->doc, r->start, r->d,
                     "different constraints are redundant%s and%s; put such parameter sets into "
                     "separate studies",
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

/* Checks the start (q, v), called `what` in messages. */
static bool consistent(cst_reader *r, int variant, double *q, double *v, const char *what) {
  cst_study    *s = r->s;
  const double *c = c_of(s, variant);
  cst_worst     g, gv;
  char          why[WHY], why_v[WHY];
  if (s->project && !cst_system_project(s->system, c, q, v)) {
    cst_yaml_error(r->doc, r->start, r->d,
                   "%s: no nearest point on the constraints was found%s; it must be closer to them",
                   what, cst_reader_with(r, variant));
    return false;
  }
  cst_system_worst(s->system, c, q, v, &g, &gv);
  if (g.scaled <= tolerance && gv.scaled <= tolerance)
    return true;
  const char *separator = g.at < 0 ? "" : "; ";
  const char *separator_v = gv.at < 0 ? "" : "; ";
  const char *place = s->nstart ? "in 'initial'" : "beside q and v, in the study,";
  cst_worst_say(s->system, &g, why, WHY);
  cst_worst_say(s->system, &gv, why_v, WHY);
  cst_yaml_error(
      r->doc, r->start, r->d,
      "%s is inconsistent%s: |g| = %.3g (%.3g of its scale%s%s), |G v| = %.3g (%.3g of its "
      "scale%s%s); at most 1e-10 of the scale is allowed; `project: true` %s moves it there",
      what, cst_reader_with(r, variant), g.raw, g.scaled, separator, why, gv.raw, gv.scaled,
      separator_v, why_v, place);
  return false;
}

/* Checks the starts of members that have their own; at most one message. */
static bool members_consistent(cst_reader *r) {
  const cst_study *s = r->s;
  char             what[64];
  for (int k = 0; k < s->nvariant; k++)
    for (long i = 0; i < s->nstart; i++) {
      double *x = cst_starts_row(s, k, i);
      snprintf(what, sizeof what, "the start of member %ld", i);
      if (!consistent(r, k, x, x + s->system->nq, what))
        return false;
    }
  return true;
}

static bool member_is_sound(cst_reader *r, const double *x, long i) {
  const cst_system *s = r->s->system;
  for (int k = 0; k < 2 * s->nq; k++)
    if (!isfinite(x[k])) {
      cst_yaml_error(r->doc, r->start, r->d, "the start of member %ld is not finite: %s is %g", i,
                     s->coordinate[k % s->nq], x[k]);
      return false;
    }
  for (int b = 0; b < s->nbodies; b++)
    if (cst_system_body_is_reflected(&s->bodies[b], x)) {
      cst_yaml_error(r->doc, r->start, r->d,
                     "the start of member %ld has a reflection as the matrix of %s", i,
                     s->bodies[b].name);
      return false;
    }
  return true;
}

static bool members_sound(cst_reader *r) {
  const cst_study *s = r->s;
  for (int k = 0; k < (s->starts_each ? s->nvariant : 1); k++)
    for (long i = 0; i < s->nstart; i++)
      if (!member_is_sound(r, cst_starts_row(s, k, i), i))
        return false;
  return true;
}

void cst_start_settle(cst_reader *r) {
  const cst_study *s = r->s;
  bool             good = r->start_known;
  for (int v = 0; v < s->nvariant && good; v++)
    good = is_finite(r, v) && is_turned(r, v);
  good = good && members_sound(r);
  good = good && s->system->ng && s->nvariant && find_redundant(r);
  for (int v = 0; v < s->nvariant && good && !s->nstart; v++)
    good = consistent(r, v, q_of(s, v), v_of(s, v), "the start");
  if (good && s->nstart)
    members_consistent(r);
}
