/* file-noise.c: the key `noise`: Brownian paths shared by all step sizes, and the references that are valid
 * for a stochastic method.
 *
 * With noise: {resolution: H} a step of length k H sums k increments, those of k steps of length H, so that
 * all step sizes and the reference see one path. Otherwise every step size has its own path, and the
 * difference of two solutions is no error.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/method.h"
#include "study/file/reader.h"
#include "study/file/starts.h"

static const double most_increments = 1e15;

/* The YAML nodes of step i and of method i. */
static cst_yaml *step_node(const cst_reader *r, int i) {
  cst_yaml *n = cst_yaml_get(r->root, "steps");
  cst_yaml *counts = cst_yaml_get(n, "counts");
  if (cst_yaml_is_map(n) && !counts)
    return cst_yaml_get(n, "from");
  return cst_yaml_item(counts ? counts : n, i);
}

static cst_yaml *method_node(const cst_reader *r, int i) {
  cst_yaml *n = cst_yaml_get(r->root, "methods");
  return r->s->nmethod == cst_yaml_size(n) ? cst_yaml_item(n, i) : n;
}

static const cst_method *noisy(const cst_study *s) {
  for (int i = 0; i < s->nmethod; i++)
    if (cst_method_has_noise(s->method[i]))
      return s->method[i];
  return NULL;
}

/* True if x is a multiple of `unit` times `factor`. */
static bool divides(double unit, int factor, double x) {
  const double n = round(x / (unit * factor));
  return n >= 1 && fabs(n * unit * factor - x) <= 1e-9 * x;
}

/* The multiple of `unit` nearest to x, at least `unit`. */
static double nearest(double unit, double x) { return fmax(1, round(x / unit)) * unit; }

static void refuse_step(cst_reader *r, int i, int v, double unit, const char *of) {
  const double h = r->s->step[v * r->s->nstep + i];
  cst_yaml_error(r->doc, step_node(r, i), r->d,
                 "the step is %s%s; it is no multiple of %s, %s; the nearest one is %s",
                 cst_reader_shortest(h), cst_reader_with(r, v), of, cst_reader_shortest(unit),
                 cst_reader_shortest(nearest(unit, h)));
}

/* Reports each offending step once. A reference by `self` also takes half steps. */
static void check_steps(cst_reader *r) {
  const cst_study *s = r->s;
  const bool       halves = s->reference == CST_REFERENCE_SELF;
  for (int i = 0; i < s->nstep; i++)
    for (int v = 0; v < s->nvariant; v++) {
      const double h = s->step[v * s->nstep + i];
      if (!(h > 0) || divides(s->resolution, halves ? 2 : 1, h))
        continue;
      refuse_step(r, i, v, s->resolution * (halves ? 2 : 1),
                  halves ? "twice the noise's resolution (the reference takes half steps)"
                         : "the noise's resolution");
      break;
    }
}

/* The multipliers are read at the middle of steps. */
static void check_reference_step(cst_reader *r) {
  const cst_study *s = r->s;
  const double     reference = s->reference_step;
  cst_yaml        *at = cst_yaml_get(cst_yaml_get(r->root, "reference"), "step");
  if (s->reference != CST_REFERENCE_METHOD || !(reference > 0))
    return;
  if (!divides(s->resolution, 1, reference)) {
    cst_yaml_error(r->doc, at, r->d,
                   "the reference's step is %s; it is no multiple of the noise's resolution, %s; "
                   "the nearest one is %s",
                   cst_reader_shortest(reference), cst_reader_shortest(s->resolution),
                   cst_reader_shortest(nearest(s->resolution, reference)));
    return;
  }
  for (int i = 0; i < s->nstep; i++)
    for (int v = 0; v < s->nvariant; v++) {
      const double step = s->step[v * s->nstep + i];
      if (!(step > 0) || divides(reference, 2, step))
        continue;
      refuse_step(r, i, v, 2 * reference, "two steps of the reference");
      return;
    }
}

static void read_resolution(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  cst_yaml  *at = cst_yaml_get(n, "resolution");
  if (!cst_reader_keys(r, n, "noise", "noise", CST_KEYS_ALL) ||
      !cst_reader_required(r, n, "noise", "resolution"))
    return;
  double H;
  if (!cst_reader_number(r, at, "resolution", &H))
    return;
  if (!(H > 0))
    cst_yaml_error(
        r->doc, at, r->d,
        "the noise's resolution is %s; it must be positive, and every step a multiple of it",
        cst_reader_shortest(H));
  else if (s->nvariant > 0 && s->end[0] / H > most_increments)
    cst_yaml_error(
        r->doc, at, r->d,
        "the noise's resolution is %s; at most 1e15 such steps are allowed up to the end %s",
        cst_reader_shortest(H), cst_reader_shortest(s->end[0]));
  else
    s->resolution = H;
}

/* An error compares two solutions with the same noise. */
static void check_methods(cst_reader *r) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->nmethod; i++) {
    const char *label = cst_method_label(s->method[i]);
    if (!s->resolution && cst_method_has_noise(s->method[i]) && !cst_yaml_get(r->root, "noise"))
      cst_yaml_error(
          r->doc, method_node(r, i), r->d,
          "'%s' has noise; its errors need one path for all steps and the reference: 'noise: "
          "{resolution: H}', where every step is a multiple of H",
          label);
    else if (s->reference == CST_REFERENCE_METHOD && s->reference_method &&
             !cst_method_same_noise(s->method[i], s->reference_method))
      cst_yaml_error(r->doc, method_node(r, i), r->d,
                     "'%s' and the reference '%s' do not have the same noise; friction and "
                     "inverse-temperature must be equal",
                     label, cst_method_label(s->reference_method));
  }
}

static void check_reference(cst_reader *r) {
  const cst_study *s = r->s;
  const bool any = noisy(s) || (s->reference_method && cst_method_has_noise(s->reference_method));
  if (s->reference == CST_REFERENCE_NONE || !any)
    return;
  if (s->reference == CST_REFERENCE_EXACT)
    cst_yaml_error(
        r->doc, cst_yaml_get(r->root, "reference"), r->d,
        "'%s' has noise, and no exact motion is known; allowed: self or {method: ..., step: ...} "
        "with the same noise",
        cst_method_label(noisy(s)));
  else
    check_methods(r);
  if (s->reference == CST_REFERENCE_METHOD && s->dyadic)
    cst_yaml_error(
        r->doc, cst_yaml_get(cst_yaml_get(r->root, "roundoff"), "dyadic-steps"), r->d,
        "with noise the reference's step must divide the others, and dyadic steps do not: set "
        "'dyadic-steps: false'");
}

/* Without noise, members with equal starts would be identical. */
static void check_spread(cst_reader *r) {
  const cst_study *s = r->s;
  cst_yaml        *initial = cst_yaml_get(r->root, "initial");
  cst_yaml        *spread = cst_yaml_get(initial, "spread");
  if (!s->nmethod || !s->ensemble || s->nstart || s->members == 1 || noisy(s) ||
      !cst_reader_required(r, initial, "initial", "spread"))
    return;
  if (r->spread_known && !cst_study_spreads(s))
    cst_yaml_error(r->doc, spread, r->d,
                   "'spread' is zero, so all %ld members would be equal; q or v must be positive",
                   s->members);
}

/* Members with starts of their own need random numbers only for a spread or for noise. */
static void check_seed(cst_reader *r) {
  const cst_study *s = r->s;
  cst_yaml        *seed = cst_yaml_get(cst_yaml_get(r->root, "initial"), "seed");
  if (seed && s->nstart && s->nmethod && !cst_study_spreads(s) && !noisy(s))
    cst_yaml_error(r->doc, seed, r->d,
                   "'seed' has no effect: no member is spread, and no method has noise");
}

void cst_file_noise(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "noise");
  check_spread(r);
  check_seed(r);
  if (n)
    read_resolution(r, n);
  check_reference(r);
  if (!n || !s->resolution || !s->nmethod)
    return;
  if (!noisy(s))
    cst_yaml_error(r->doc, n, r->d,
                   "'noise' is for the methods langevin(METHOD, ...) and baoab(...), and this "
                   "study has neither");
  check_steps(r);
  check_reference_step(r);
}
