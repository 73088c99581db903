/* energy.h: what the two tests of energy claims share: the course of the energy over a long run, and its
 * bounds. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ENERGY_H
#define ENERGY_H
#include "claims.h"

#define CONVERSION "convert("

enum { LANES = 8, EVERY = 10 };

typedef struct {
  /* The largest |E - E(0)| / scale in each half, averaged over the lanes: in chaotic motion the maximum of
   * one lane is random. */
  double first, second;
  /* |mean of the second half - mean of the first|, averaged over the lanes */
  double shift;
  double displacement; /* the largest |q - q(0)| of the lane with the smallest displacement */
} course;

/* Neither the amplitude nor the mean of the error grows. A linear drift is visible in the means even where
 * the oscillation hides it in the maxima. */
static bool bounded(course c) {
  double few = 2e-12 * fmax(1, c.displacement); /* large angles cost digits */
  bool   roundoff = c.first < few && c.second < few;
  return (roundoff || (c.second <= 1.5 * c.first && c.shift <= 0.25 * fmax(c.first, c.second))) &&
         c.displacement > 1e-2;
}

static bool exact(course c) { return fmax(c.first, c.second) < 5e-13 && c.displacement > 1e-2; }

/* The fraction of the longest affordable run after which the energy has settled: all of it for satellites
 * that oscillate slowly about their orbit, half for the long waves of a chain; more for tops on a hinge,
 * which tumble irregularly. */
static double part_of(const char *system) {
  if (!strcmp(system, "two-tops"))
    return 3;
  return !strcmp(system, "tethered-satellites") ? 1
         : !strcmp(system, "pendulum-chain")    ? 0.5
                                                : 0.25;
}

/* Fewer steps for conversions with expensive steps, but 1000 if they can be afforded. */
static int steps_of(const problem *x, const char *method) {
  const bool conversion = strstr(method, CONVERSION);
  const int  all = affordable(x, method,
                             !conversion                     ? 20000
                              : x->s->nq > 9                  ? 4000
                              : !cst_has(x->s, CST_SEPARABLE) ? 8000
                                                              : 20000);
  return all < 1000 ? all : (int)fmax(1000, all * part_of(x->s->name));
}

/* The largest and the mean error of a lane in one half. */
typedef struct {
  double top, mean;
} half;

/* Ends, not well, where an energy is no number. */
static course course_over(const problem *x, const char *method, double h, int steps, bool *well) {
  run    r;
  course c = {.displacement = INFINITY};
  half   of[2][LANES] = {0};
  int    looks = steps / (2 * EVERY); /* in each half */
  double q0[LANES][CST_MAX_Q], E0[LANES], scale[LANES], moved[LANES] = {0}, q[CST_MAX_Q],
                                                        p[CST_MAX_Q];
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int l = 0; l < LANES; l++) {
    run_state(&r, l, q0[l], p);
    E0[l] = energy(x, q0[l], p, &scale[l]);
  }
  bool finite = true;
  for (int n = 0; n < 2 * looks && finite; n++) {
    run_go(&r, h, EVERY);
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      const double off = (energy(x, q, p, NULL) - E0[l]) / scale[l];
      half        *now = &of[n / looks][l];
      now->top = larger(now->top, fabs(off));
      now->mean += off / looks;
      moved[l] = larger(moved[l], apart(q, q0[l], x->s->nq));
      finite &= isfinite(off);
    }
  }
  for (int l = 0; l < LANES; l++) {
    c.displacement = fmin(c.displacement, moved[l]);
    c.first += of[0][l].top / LANES;
    c.second += of[1][l].top / LANES;
    c.shift += fabs(of[1][l].mean - of[0][l].mean) / LANES;
  }
  *well = run_well(&r, LANES) && finite;
  run_close(&r);
  return c;
}

static course course_of(const problem *x, const char *method, double h, bool *well) {
  return course_over(x, method, h, steps_of(x, method), well);
}

/* Composites whose affordable run is too short to distinguish drift from the motion; the examples of the
 * registry are tested in any case. A top with a sliding pivot exchanges energy with it in rare large swings:
 * 80000 steps do not contain the largest of them, for any method. */
static bool left_out(const problem *x, const char *method) {
  if (!strcmp(x->s->name, "pivoted-top"))
    return true;
  /* its runs are long; only test-all has them */
  if (!strcmp(x->s->name, "two-tops") && !everything())
    return true;
  for (int i = 0; i < cst_method_count(); i++)
    if (!strcmp(method, cst_method_info_at(i)->example))
      return false;
  return cost_of(x, method) > 10;
}

#define SCOPE_ENERGY                                                                               \
  (scope) { claims_of(CST_CLAIM_BOUNDED | CST_CLAIM_ENERGY), false, left_out }

UNUSED static void test_energy(const problem *x, const char *method, cst_properties has) {
  bool well;
  if (!(has.claims & CST_CLAIM_BOUNDED))
    return;
  course c = course_of(x, method, 0.05 * pace_of(x->s->name), &well);
  if (!OK(well && bounded(c), "%s on %s: bounded energy error", method, x->s->name))
    NOTE("%s; largest error %.4g in the first half, %.4g in the second; the mean shifts by %.4g; "
         "moved %.3g",
         well ? "all well" : "a lane failed", c.first, c.second, c.shift, c.displacement);
  if (has.claims & CST_CLAIM_ENERGY &&
      !OK(exact(c), "%s on %s: keeps the energy", method, x->s->name))
    NOTE("largest error %.4g, then %.4g; moved %.3g", c.first, c.second, c.displacement);
}

#endif
