/* examine-states.c: checks that a motion can start from each state: it is finite and consistent, the mass is
 * positive definite, and the rank of the constraints is the same nearby. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "system/examine/examiner.h"
#include "system/point/mass.h"
#include "system/point/residuals.h"

/* ---- points ---------------------------------------------------------------------------------- */

/* Kernels are examined near the states of a system, at generic numbers. */

static const uint64_t SEED = 20240229;
/* initial distance, relative to the size of q over sqrt(nq); halved until all functions are finite */
static const double AWAY = 0.2;
enum { HALVINGS = 24 };

static double normal(int k, int which, int i) {
  return cst_random_normal(SEED, (uint64_t)k, CST_PURPOSE_TEST, (uint32_t)which, (uint32_t)i);
}

static double size_or_1(const double *x, int n) {
  const double size = cst_examine_largest(x, n);
  return size > 0 && isfinite(size) ? size : 1;
}

/* Whether the differentiated functions and their first derivatives are finite at p. */
static bool is_finite(const cst_system *s, const double *c, const cst_point *p) {
  static const cst_kernel_id of[] = {CST_K_V, CST_K_g, CST_K_dV, CST_K_d2V, CST_K_G,
                                     CST_K_M, CST_K_a, CST_K_f,  CST_K_xi,  CST_K_gauge};
  bool                       good = true;
  for (size_t k = 0; k < sizeof of / sizeof *of && good; k++) {
    double *x = cst_linear_numbers((size_t)s->model->kernel_size[of[k]]);
    cst_system_eval(s, of[k], c, p->q, p->v, p->w, p->u, p->l, x);
    good = isfinite(cst_examine_largest(x, s->model->kernel_size[of[k]]));
    free(x);
  }
  return good;
}

static void allocate(const cst_system *s, cst_point *p) {
  const int n = s->nq;
  const int w = cst_system_entries(s, 'w');
  const int u = cst_system_entries(s, 'u');
  const int l = cst_system_entries(s, 'l');
  p->q = cst_linear_numbers((size_t)(2 * n + w + u + l));
  p->v = p->q + n;
  p->w = p->v + n;
  p->u = p->w + w;
  p->l = p->u + u;
}

bool cst_examine_point(const cst_examiner *e, int state, int k, cst_point *p) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  allocate(s, p);
  double *q = cst_linear_numbers(n);
  double *v = cst_linear_numbers(n);
  double  away = AWAY / sqrt(n);
  cst_system_state(s, state, e->c, q, v);
  const double size = size_or_1(q, n);
  const double speed = size_or_1(v, n);
  for (int i = 0; i < n; i++)
    p->v[i] = v[i] + speed * normal(k, 1, i);
  for (int i = 0; i < cst_system_entries(s, 'w'); i++)
    p->w[i] = size * normal(k, 2, i);
  for (int i = 0; i < cst_system_entries(s, 'u'); i++)
    p->u[i] = speed * normal(k, 3, i);
  for (int a = 0; a < cst_system_entries(s, 'l'); a++)
    p->l[a] = normal(k, 4, a);
  bool good = false;
  for (int t = 0; t < HALVINGS && !good; t++, away /= 2) {
    for (int i = 0; i < n; i++) {
      const double change = away * size * normal(k, 0, i);
      p->q[i] = q[i] + change;
    }
    good = is_finite(s, e->c, p);
  }
  free(q);
  free(v);
  return good;
}

/* ---- consistency ------------------------------------------------------------------------------------- */

/* Checks whether a state satisfies the constraints. If not, reports the largest
 * violation, and the projected state in a form that can be copied. */

static const double CONSISTENT = 1e-10; /* scaled: a run refuses larger residuals */
enum { WHY = 200, PASTED = 60 };        /* most coordinates of a printed state */

static void offer_projected(cst_examiner *e, const char *topic, const double *q0,
                            const double *v0) {
  const cst_system *s = e->s;
  const int         n = s->nq;
  double           *q = cst_linear_numbers(n);
  double           *v = cst_linear_numbers(n);
  cst_linear_copy(q, q0, n);
  cst_linear_copy(v, v0, n);
  if (!cst_system_project(s, e->c, q, v))
    cst_examine_say(e, CST_NOTE, topic,
                    "no point of the constraints near q was found; check the constraint with the "
                    "largest residual");
  else {
    double moved = 0;
    for (int i = 0; i < n; i++)
      moved = fmax(moved, fabs(q[i] - q0[i]));
    char *state = NULL;
    if (n <= PASTED)
      state = cst_worst_state(s, q, v);
    const char *separator = state ? ": " : "";
    const char *advice = state ? state : "; in a study: `initial: {q: ..., v: ..., project: true}`";
    cst_examine_say(e, CST_NOTE, topic, "projection moves it by at most %.3g in a coordinate%s%s%s",
                    moved, separator, advice, "");
    free(state);
  }
  free(q);
  free(v);
}

/* examine-states.c: |g| and |G v| of a state. For an inconsistent state it also reports the nearest
 * consistent one. */
static void examine_consistency(cst_examiner *e, const char *topic, const double *q,
                                const double *v) {
  const cst_system *s = e->s;
  cst_worst         g, gv;
  char              why[WHY];
  if (!s->ng)
    return;
  cst_system_worst(s, e->c, q, v, &g, &gv);
  cst_examine_say(e, CST_FACT, topic, "|g| %.2g (scaled %.2g), |Gv| %.2g (scaled %.2g)", g.raw,
                  g.scaled, gv.raw, gv.scaled);
  const bool on = g.scaled <= CONSISTENT;
  const bool along = gv.scaled <= CONSISTENT;
  if (!on)
    cst_examine_say(
        e, CST_FAULT, topic,
        "q does not satisfy the constraints: |g| %.3g, scaled %.3g, %s; at most %g is consistent",
        g.raw, g.scaled, cst_worst_say(s, &g, why, sizeof why), CONSISTENT);
  if (!along)
    cst_examine_say(
        e, CST_FAULT, topic,
        "v does not satisfy Gv = 0: |Gv| %.3g, scaled %.3g, %s; at most %g is consistent", gv.raw,
        gv.scaled, cst_worst_say(s, &gv, why, sizeof why), CONSISTENT);
  if (!on || !along)
    offer_projected(e, topic, q, v);
}

/* ---- states ---------------------------------------------------------------------------------- */

static const double SINGULAR = 1e-13; /* smallest eigenvalue of a flat body over the largest */
enum { LONG_WHY = 600, LISTED = 10, TOPIC = 200 };

static bool state_is_finite(cst_examiner *e, const char *topic, const double *q, const double *v) {
  const cst_system *s = e->s;
  for (int i = 0; i < s->nq; i++) {
    if (isfinite(q[i]) && isfinite(v[i]))
      continue;
    cst_examine_say(e, CST_FAULT, topic, "%s is not finite: q %g, v %g",
                    s->description->coordinate[i], q[i], v[i]);
    return false;
  }
  return true;
}

/* Names of the redundant constraints: "c21, c31 ...". */
static const char *implied(const cst_system *s, char text[LONG_WHY]) {
  int at = 0, n = 0;
  text[0] = 0;
  for (int a = 0; a < s->ng && at < LONG_WHY; a++) {
    if (cst_system_enforces(s, a))
      continue;
    n++;
    if (n > LISTED)
      continue;
    const char *separator = at ? ", " : "";
    at += snprintf(text + at, (size_t)(LONG_WHY - at), "%s%s", separator,
                   s->description->constraint[a]);
  }
  if (n > LISTED && at < LONG_WHY)
    snprintf(text + at, (size_t)(LONG_WHY - at), " ... (%d in all)", n);
  return text;
}

static void rank(cst_examiner *e, const char *topic, const double *q) {
  const double *c = e->c;
  cst_system   *s = e->s;
  char          why[LONG_WHY], text[LONG_WHY];
  if (!s->ng)
    return;
  const bool found = cst_system_enforce_independent(s, c, q, why, LONG_WHY);
  const int  r = cst_system_rank(s, c, q);
  cst_examine_say(e, CST_FACT, topic, "rank of Dg %d of %d", r, s->ng);
  if (!found)
    cst_examine_say(e, CST_FAULT, topic, "%s", why);
  else if (s->model->dropped)
    cst_examine_say(e, CST_NOTE, topic,
                    "redundant, here and nearby: %s; multipliers are then those of least norm",
                    implied(s, text));
}

/* Rank and degrees of freedom without the 6 independent constraints of each rotation. */
static void joints(cst_examiner *e, const char *topic, const double *q) {
  const cst_system *s = e->s;
  if (!s->model->nbodies)
    return;
  const int r = cst_system_rank(s, e->c, q);
  const int own = r - 6 * s->model->nbodies;
  if (s->model->nown)
    cst_examine_say(e, CST_FACT, topic, "rank of the joints %d of %d; degrees of freedom: %d", own,
                    s->model->nown + s->model->nvel, s->nq - r);
  else
    cst_examine_say(e, CST_FACT, topic, "no joints; degrees of freedom: %d", s->nq - r);
}

/* The names of the flat bodies, and whether there are several. */
static bool flat_bodies(const cst_examiner *e, char *text, size_t n) {
  int    count = 0;
  size_t at = 0;
  *text = 0;
  for (int k = 0; k < e->s->model->nbodies && at < n; k++) {
    double inertia[9], mass;
    cst_system_body_inertia(e->s, k, e->c, inertia, &mass);
    if (!cst_body_is_flat(inertia))
      continue;
    at +=
        (size_t)snprintf(text + at, n - at, "%s%s", count ? ", " : "", e->s->model->bodies[k].name);
    count++;
  }
  return count > 1;
}

static void mass(cst_examiner *e, const char *topic, const double *q) {
  const cst_system *s = e->s;
  double            least, most;
  cst_examine_mass(e, q, &least, &most);
  cst_examine_say(e, CST_FACT, topic, "M has eigenvalues from %.4g to %.4g%s", least, most,
                  !cst_has(s, CST_SEPARABLE) && e->large ? ", approximately" : "");
  char why[200];
  if (cst_has(s, CST_MASS_RAISED))
    cst_examine_say(e, CST_FACT, topic,
                    "a body is flat: M contains terms of the orthogonality of rotations, which are "
                    "zero on their velocities");
  if (cst_has(s, CST_MASSLESS)) {
    if (cst_mass_wrong(s, e->c, q, why, sizeof why) >= 0)
      cst_examine_say(e, CST_FAULT, topic, "%s", why);
    else
      cst_examine_say(e, CST_FACT, topic,
                      "coordinates without mass; M is definite on the velocities with G v = 0");
  } else if ((cst_system_flat(s) || cst_system_flat_at(s, e->c)) && least > -SINGULAR * most &&
             isfinite(most)) {
    char       names[LONG_WHY];
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
  snprintf(topic, sizeof topic, "state %s", s->description->state[state].name);
  cst_system_state(s, state, e->c, q, v);
  if (!state_is_finite(e, topic, q, v))
    return;
  examine_consistency(e, topic, q, v);
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
