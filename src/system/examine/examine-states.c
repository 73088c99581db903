/* examine-states.c: checks that a motion can start from each state: it is finite and consistent, the mass is
 * positive definite, and the rank of the constraints is the same nearby. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "system/examine/examiner.h"
#include "system/point/mass.h"

static const double SINGULAR = 1e-13; /* smallest eigenvalue of a flat body over the largest */
enum { WHY = 600, LISTED = 10, TOPIC = 200 };

static bool is_finite(cst_examiner *e, const char *topic, const double *q, const double *v) {
  const cst_system *s = e->s;
  for (int i = 0; i < s->nq; i++) {
    if (isfinite(q[i]) && isfinite(v[i]))
      continue;
    cst_examine_say(e, CST_FAULT, topic, "%s is not finite: q %g, v %g", s->coordinate[i], q[i],
                    v[i]);
    return false;
  }
  return true;
}

/* Names of the redundant constraints: "c21, c31 ...". */
static const char *implied(const cst_system *s, char text[WHY]) {
  int at = 0, n = 0;
  text[0] = 0;
  for (int a = 0; a < s->ng && at < WHY; a++) {
    if (!s->dropped[a])
      continue;
    n++;
    if (n > LISTED)
      continue;
    const char *separator = at ? ", " : "";
    at += snprintf(text + at, (size_t)(WHY - at), "%s%s", separator, s->constraint[a]);
  }
  if (n > LISTED && at < WHY)
    snprintf(text + at, (size_t)(WHY - at), " ... (%d in all)", n);
  return text;
}

static void rank(cst_examiner *e, const char *topic, const double *q) {
  const double *c = e->c;
  cst_system   *s = e->s;
  char          why[WHY], text[WHY];
  if (!s->ng)
    return;
  const bool found = cst_system_enforce_independent(s, c, q, why, WHY);
  const int  r = cst_system_rank(s, c, q);
  cst_examine_say(e, CST_FACT, topic, "rank of Dg %d of %d", r, s->ng);
  if (!found)
    cst_examine_say(e, CST_FAULT, topic, "%s", why);
  else if (s->dropped)
    cst_examine_say(e, CST_NOTE, topic,
                    "redundant, here and nearby: %s; multipliers are then those of least norm",
                    implied(s, text));
}

/* Rank and degrees of freedom without the 6 independent constraints of each rotation. */
static void joints(cst_examiner *e, const char *topic, const double *q) {
  const cst_system *s = e->s;
  if (!s->nbodies)
    return;
  const int r = cst_system_rank(s, e->c, q);
  const int own = r - 6 * s->nbodies;
  if (s->nown)
    cst_examine_say(e, CST_FACT, topic, "rank of the joints %d of %d; degrees of freedom: %d", own,
                    s->nown + s->nvel, s->nq - r);
  else
    cst_examine_say(e, CST_FACT, topic, "no joints; degrees of freedom: %d", s->nq - r);
}

/* The names of the flat bodies, and whether there are several. */
static bool flat_bodies(const cst_examiner *e, char *text, size_t n) {
  int    count = 0;
  size_t at = 0;
  *text = 0;
  for (int k = 0; k < e->s->nbodies && at < n; k++) {
    double inertia[9], mass;
    cst_system_body_inertia(e->s, k, e->c, inertia, &mass);
    if (!cst_body_is_flat(inertia))
      continue;
    at += (size_t)snprintf(text + at, n - at, "%s%s", count ? ", " : "", e->s->bodies[k].name);
    count++;
  }
  return count > 1;
}

static void mass(cst_examiner *e, const char *topic, const double *q) {
  const cst_system *s = e->s;
  double            least, most;
  cst_examine_mass(e, q, &least, &most);
  cst_examine_say(e, CST_FACT, topic, "M has eigenvalues from %.4g to %.4g%s", least, most,
                  s->general && e->large ? ", approximately" : "");
  char why[200];
  if (s->raised)
    cst_examine_say(e, CST_FACT, topic,
                    "a body is flat: M contains terms of the orthogonality of rotations, which are "
                    "zero on their velocities");
  if (s->massless) {
    if (cst_mass_wrong(s, e->c, q, why, sizeof why) >= 0)
      cst_examine_say(e, CST_FAULT, topic, "%s", why);
    else
      cst_examine_say(e, CST_FACT, topic,
                      "coordinates without mass; M is definite on the velocities with G v = 0");
  } else if (s->flat >= 0 && least > -SINGULAR * most && isfinite(most)) {
    char       names[WHY];
    const bool several = flat_bodies(e, names, sizeof names);
    cst_examine_say(
        e, CST_NOTE, topic,
        several ? "the bodies %s are flat, and coordinates of their rotations have no mass: only "
                  "methods on the group step them"
                : "the body %s is flat, and coordinates of its rotation have no mass: only methods "
                  "on the group step it",
        names);
  } else if (!isfinite(most) || !cst_examine_mass_is_definite(e, q))
    cst_examine_say(e, CST_FAULT, topic,
                    "the mass is not positive definite: its eigenvalues range from %.3g to %.3g",
                    least, most);
}

static double energy(const cst_examiner *e, const double *q, const double *v) {
  const double     *c = e->c;
  const cst_system *s = e->s;
  const int         nq = s->nq;
  double           *p = cst_linear_numbers(nq);
  double           *a = cst_linear_numbers(nq);
  double            H;
  cst_system_momentum(s, c, q, v, p);
  cst_system_eval_at(s, CST_K_a, c, q, a);
  cst_system_eval_at(s, CST_K_V, c, q, &H);
  for (int i = 0; i < nq; i++)
    H += 0.5 * (p[i] - a[i]) * v[i];
  free(p);
  free(a);
  return H;
}

static void examine_state(cst_examiner *e, int state, double *q, double *v) {
  const cst_system *s = e->s;
  char              topic[TOPIC];
  snprintf(topic, sizeof topic, "state %s", s->state[state].name);
  cst_system_state(s, state, e->c, q, v);
  if (!is_finite(e, topic, q, v))
    return;
  cst_examine_consistency(e, topic, q, v);
  rank(e, topic, q);
  joints(e, topic, q);
  mass(e, topic, q);
  const double H = energy(e, q, v);
  cst_examine_say(e, isfinite(H) ? CST_FACT : CST_FAULT, topic, "energy %.10g%s", H,
                  cst_system_unit(s, "energy"));
}

void cst_examine_states(cst_examiner *e) {
  const cst_system *s = e->s;
  double           *q = cst_linear_numbers(s->nq);
  double           *v = cst_linear_numbers(s->nq);
  for (int i = 0; i < s->nstate && i < CST_EXAMINED_STATES; i++)
    examine_state(e, i, q, v);
  if (s->nstate > CST_EXAMINED_STATES)
    cst_examine_say(e, CST_NOTE, "states", "only the first %d of %d were examined",
                    CST_EXAMINED_STATES, s->nstate);
  free(q);
  free(v);
}
