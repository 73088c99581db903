/* file-methods.c: the keys `methods`, `reference`, `error` and `noise`: the methods, how their errors are measured,
 * and the Brownian paths that they share. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/record.h"
#include "core/need.h"
#include "method/method.h"
#include "study/file/reader.h"
#include "study/file/starts.h"
#include "study/rows/kind.h"

enum { MOST_METHODS = 10000 };

static const char method_wanted[] = "a method such as rattle or \"compose(rattle, yoshida4)\"";

/* True for a call that YAML has split at its comma: [compose(rattle, yoshida4)] has two items. */
static bool cut(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    if (*text == '(')
      depth++;
    if (*text == ')')
      depth--;
  }
  return depth != 0;
}

/* at: the sweep from which the text comes. */
static cst_method *expression(cst_reader *r, cst_yaml *n, const char *text, const cst_sweep *at) {
  cst_expr_error error;
  cst_method    *m = cst_method_parse(text, r->s->problem.layers, &error);
  if (!m)
    cst_yaml_error_at(r->doc, n, at ? cst_sweep_origin(at, error.offset) : error.offset, r->d,
                      "%s%s", error.message,
                      cut(text) ? " (a method with commas must be quoted)" : "");
  return m;
}

/* Checks that the averaging window of the multipliers fits into the run. The end is known here, or zero. */
static bool ends_behind(cst_reader *r, cst_yaml *n, const cst_method *m) {
  const double mean =
      r->s->problem.system ? cst_method_properties(m, r->s->problem.system).mean : 0;
  for (int v = 0; v < r->s->problem.nvariant && mean > 0; v++) {
    if (r->s->steps.end[v] <= 0 || mean <= r->s->steps.end[v])
      continue;
    cst_yaml_error(
        r->doc, n, r->d, "the average of '%s' is longer than the run, which ends at %s%s",
        cst_method_label(m), cst_reader_shortest(r->s->steps.end[v]), cst_reader_with(r, v));
    return false;
  }
  return true;
}

/* A reason that holds for every method is told once. */
static void refuse(cst_reader *r, cst_yaml *n, const char *why) {
  if (strcmp(why, r->refusal))
    cst_yaml_error(r->doc, n, r->d, "%s", why);
  snprintf(r->refusal, sizeof r->refusal, "%s", why);
}

/* Checks that m suits the system and that its label fits into the result file. */
static bool suits(cst_reader *r, cst_yaml *n, const cst_method *m) {
  char       why[sizeof r->refusal];
  const int  length = (int)strlen(cst_method_label(m));
  const bool fits =
      !r->s->problem.system ||
      cst_method_fits_flat(m, r->s->problem.system, r->s->problem.flat, why, sizeof why);
  if (!fits)
    refuse(r, n, why);
  if (length >= CST_TEXT_WIDTH)
    cst_yaml_error(r->doc, n, r->d,
                   "the method has %d characters; at most %d are allowed; a tableau can be given a "
                   "name under 'layers'",
                   length, CST_TEXT_WIDTH - 1);
  return fits && ends_behind(r, n, m) && length < CST_TEXT_WIDTH;
}

static cst_method *suitable(cst_reader *r, cst_yaml *n, cst_method *m) {
  if (!m || suits(r, n, m))
    return m;
  cst_method_destroy(m);
  return NULL;
}

/* NULL: not a method, or one that does not suit the study. */
static cst_method *method(cst_reader *r, cst_yaml *n) {
  if (cst_yaml_is_map(n))
    return suitable(r, n, cst_file_tableau(r, n));
  const char *text = cst_reader_text(r, n, "methods", method_wanted);
  return text ? suitable(r, n, expression(r, n, text, NULL)) : NULL;
}

static bool repeated(cst_reader *r, cst_yaml *n, const cst_method *m) {
  const char *label = cst_method_label(m);
  for (int i = 0; i < r->s->methods.n; i++) {
    if (strcmp(cst_method_label(r->s->methods.method[i]), label))
      continue;
    cst_yaml_error(r->doc, n, r->d, "the method '%s' appears twice", label);
    return true;
  }
  return false;
}

/* Adds a method, which must be new; true if it was added. */
static bool add(cst_reader *r, cst_yaml *n, cst_method *m) {
  cst_study *s = r->s;
  if (!m || repeated(r, n, m)) {
    cst_method_destroy(m);
    return false;
  }
  const size_t room = (size_t)s->methods.n + 1;
  s->methods.method = cst_need(realloc(s->methods.method, room * sizeof *s->methods.method));
  s->methods.family = cst_need(realloc(s->methods.family, room * sizeof *s->methods.family));
  s->methods.family[s->methods.n] = NULL;
  s->methods.method[s->methods.n++] = m;
  return true;
}

/* The argument with this name, which may be new. */
static cst_argument *argument(cst_study *s, const char *name) {
  for (int k = 0; k < s->methods.nargument; k++)
    if (!strcmp(s->methods.argument[k].name, name))
      return &s->methods.argument[k];
  const size_t room = (size_t)s->methods.nargument + 1;
  s->methods.argument = cst_need(realloc(s->methods.argument, room * sizeof *s->methods.argument));
  s->methods.argument[s->methods.nargument] =
      (cst_argument){cst_need(strdup(name)), cst_zeros(MOST_METHODS, sizeof(char *))};
  return &s->methods.argument[s->methods.nargument++];
}

/* Notes the arguments of method i of a sweep, which was added last. */
static void note(cst_study *s, const cst_sweep *sweep, int i) {
  const int last = s->methods.n - 1;
  s->methods.family[last] = cst_sweep_family(sweep, i);
  for (int k = 0; k < cst_sweep_arguments(sweep); k++)
    if (cst_sweep_name(sweep, k))
      argument(s, cst_sweep_name(sweep, k))->value[last] = cst_sweep_value(sweep, i, k);
}

/* Adds the methods of a text, one without braces. A mistake that all share is told once. */
static void add_sweep(cst_reader *r, cst_yaml *n, const char *text) {
  cst_expr_error error;
  cst_sweep     *sweep = cst_sweep_create(text, &error);
  bool           good = true;
  if (!sweep)
    cst_yaml_error_at(r->doc, n, error.offset, r->d, "%s%s", error.message,
                      cut(text) ? " (a method with commas must be quoted)" : "");
  for (int i = 0; sweep && good && i < cst_sweep_count(sweep); i++) {
    char *one = cst_sweep_text(sweep, i);
    if (r->s->methods.n == MOST_METHODS) {
      cst_yaml_error(r->doc, n, r->d, "the sweeps make more than %d methods", MOST_METHODS);
      good = false;
    } else
      good = add(r, n, suitable(r, n, expression(r, n, one, sweep)));
    if (good)
      note(r->s, sweep, i);
    free(one);
  }
  cst_sweep_destroy(sweep);
}

static void read_methods(cst_reader *r) {
  cst_yaml *n = cst_reader_required(r, r->root, "", "methods");
  if (!cst_reader_list(r, n, "methods", "methods", false))
    return;
  if (cst_yaml_size(n) > MOST_METHODS) {
    cst_yaml_error(r->doc, n, r->d, "there are %d methods; at most %d are allowed",
                   cst_yaml_size(n), MOST_METHODS);
    return;
  }
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++) {
    cst_yaml *item = cst_yaml_item(n, i);
    if (cst_yaml_is_map(item)) {
      add(r, item, method(r, item));
      continue;
    }
    const char *text = cst_reader_text(r, item, "methods", method_wanted);
    if (text)
      add_sweep(r, item, text);
  }
}

/* The step of the reference must not exceed the end, which is known here, or zero. */
static void check_longest(cst_reader *r, cst_yaml *at) {
  const cst_study *s = r->s;
  for (int v = 0; v < s->problem.nvariant && s->reference.step > 0; v++) {
    double n = s->steps.end[v] / s->reference.step;
    if (s->steps.end[v] <= 0 || (n >= 1 && n <= CST_LONGEST_RUN))
      continue;
    cst_yaml_error(r->doc, at, r->d, "the reference's step is %s%s; it %s the end %s",
                   cst_reader_shortest(s->reference.step), cst_reader_with(r, v),
                   n < 1 ? "is larger than" : "needs more than " CST_LONGEST_RUN_TEXT " steps to",
                   cst_reader_shortest(s->steps.end[v]));
    return;
  }
}

/* Only Gauss collocation is implemented in quadruple precision, with dense matrices. */
static void check_quad(cst_reader *r, cst_yaml *at) {
  const cst_study  *s = r->s;
  const cst_system *sys = s->problem.system;
  if (s->reference.method && strcmp(cst_method_root(s->reference.method)->name, "gauss"))
    cst_yaml_error(
        r->doc, at, r->d,
        "'precision: quad' needs a reference method gauss(s), whose coefficients are known to "
        "that precision; '%s' is not one",
        cst_method_label(s->reference.method));
  const char *other = sys ? cst_trait_among(sys, CST_SLIPS | CST_MASSLESS) : NULL;
  if (other)
    cst_yaml_error(r->doc, at, r->d, "'precision: quad' is not for %s, and %s has them", other,
                   sys->name);
  if (sys && (sys->nq > CST_MAX_Q || sys->ng > CST_MAX_G))
    cst_yaml_error(
        r->doc, at, r->d,
        "'precision: quad' is for at most %d coordinates and %d constraints; %s has %d and %d",
        CST_MAX_Q, CST_MAX_G, sys->name, sys->nq, sys->ng);
}

static void reference_map(cst_reader *r, cst_yaml *n) {
  cst_reader_section(r, n, "reference", "reference", CST_KEYS_ALL, r->s);
  r->s->reference.kind = CST_REFERENCE_METHOD;
  r->s->reference.method = method(r, cst_reader_required(r, n, "reference", "method"));
  check_longest(r, cst_yaml_get(n, "step"));
  if (r->s->reference.quad)
    check_quad(r, cst_yaml_get(n, "method"));
}

/* The members of an ensemble start anywhere, so the exact motion must be known from every start. */
static void check_exact(cst_reader *r, cst_yaml *n) {
  const cst_study *s = r->s;
  int              state = -1;
  bool             known = true;
  if (!s->problem.system || !r->start_known)
    return;
  for (int v = 0; v < s->problem.nvariant && known; v++) {
    state = cst_study_state(s, v);
    known = cst_system_has_exact(s->problem.system, state);
  }
  if (s->problem.nvariant == 0)
    known = cst_system_has_exact(s->problem.system, state);
  if (known)
    return;
  const char *start = state < 0 ? "any start" : "the state ";
  const char *name = state < 0 ? "" : s->problem.system->description->state[state].name;
  cst_yaml_error(
      r->doc, n, r->d,
      "no exact motion of %s is known from %s%s; allowed: self or {method: ..., step: ...}",
      s->problem.system->name, start, name);
}

static void read_reference(cst_reader *r) {
  static const char wanted[] = "exact, self or {method: ..., step: ...}";
  cst_study        *s = r->s;
  const cst_key    *k = cst_key_find(cst_study_file_keys, "", "reference");
  cst_yaml         *n = cst_yaml_get(r->root, "reference");
  double            which;
  if (!n && cst_study_needs(s, CST_NEEDS_REFERENCE))
    cst_yaml_error(r->doc, NULL, r->d,
                   "missing key 'reference': %s %s study needs one; allowed: %s",
                   strchr("aeiou", *s->kind->name) ? "an" : "a", s->kind->name, wanted);
  if (cst_yaml_is_map(n))
    reference_map(r, n);
  if (!n || cst_yaml_is_map(n))
    return;
  const char *word = cst_reader_text(r, n, "reference", wanted);
  if (!word)
    return;
  if (strchr(word, '(') || cst_method_row_find(word)) {
    cst_yaml_error(r->doc, n, r->d,
                   "a method as the reference is a map: `reference: {method: %s, step: ...}`",
                   word);
    return;
  }
  if (!cst_reader_value(r, n, k, "reference", &which))
    return;
  s->reference.kind = CST_REFERENCE_EXACT + (int)which;
  if (s->reference.kind == CST_REFERENCE_EXACT)
    check_exact(r, n);
}

static void read_of(cst_reader *r, cst_yaml *n, const cst_key *k) {
  cst_study *s = r->s;
  bool      *flag[] = {&s->error.q, &s->error.p, &s->error.lambda};
  double     which;
  if (!cst_reader_list(r, n, "of", "q, p and lambda", false))
    return;
  for (int i = 0; i < cst_yaml_size(n); i++) {
    cst_yaml *item = cst_yaml_item(n, i);
    if (!cst_reader_value(r, item, k, "of", &which))
      continue;
    if (*flag[(int)which])
      cst_yaml_error(r->doc, item, r->d, "'%s' appears twice", k->value.words[(int)which]);
    if (which == 2 && s->problem.system && !s->problem.system->ng)
      cst_yaml_error(r->doc, item, r->d, "%s has no constraints, so no lambda; allowed: q, p",
                     s->problem.system->name);
    *flag[(int)which] = true;
  }
}

/* Keys about errors need a reference; observables do not. (read_reference checks kinds of study that require
 * a reference.) */
static void check_compared(cst_reader *r, cst_yaml *n, const char *const *keys, int count) {
  if (!r->s->kind || cst_study_needs(r->s, CST_NEEDS_REFERENCE) ||
      cst_yaml_get(r->root, "reference"))
    return;
  for (int i = 0; i < count; i++) {
    cst_yaml *value = cst_yaml_get(n, keys[i]);
    if (value)
      cst_yaml_error(r->doc, value, r->d,
                     "'%s' concerns errors, and this study has no reference; allowed without a "
                     "reference: hidden",
                     keys[i]);
  }
}

void cst_file_error(cst_reader *r) {
  static const char *const compared[] = {"of", "norm", "over"};
  const cst_key           *k = cst_key_find(cst_study_keys(), "error", "of");
  cst_study               *s = r->s;
  cst_yaml                *n = cst_yaml_get(r->root, "error"), *usual;
  cst_yaml                *hidden = cst_yaml_get(n, "hidden"), *of = cst_yaml_get(n, "of");
  cst_document            *standard = cst_reader_standard(r, k, &usual);
  cst_reader_section(r, n, "error", "error", CST_KEYS_ALL, s);
  check_compared(r, n, compared, CST_COUNT(compared));
  read_of(r, of ? of : usual, k);
  cst_document_destroy(standard);
  if (hidden && s->problem.system && !s->problem.system->ng)
    cst_yaml_error(r->doc, hidden, r->d, "%s has no constraints, so no hidden constraints",
                   s->problem.system->name);
}

void cst_file_methods(cst_reader *r) {
  read_methods(r);
  read_reference(r);
}

void cst_file_methods_destroy(cst_study *s) {
  for (int k = 0; k < s->methods.nargument; k++) {
    for (int i = 0; i < s->methods.n; i++)
      free(s->methods.argument[k].value[i]);
    free(s->methods.argument[k].value);
    free(s->methods.argument[k].name);
  }
  for (int i = 0; i < s->methods.n; i++) {
    cst_method_destroy(s->methods.method[i]);
    free(s->methods.family[i]);
  }
  free(s->methods.argument);
  free(s->methods.family);
  free(s->methods.method);
}

/* ---- the key `noise` ------------------------------------------------------------------------- */

/* Brownian paths shared by all step sizes, and the references that are valid
 * for a stochastic method.
 *
 * With noise: {resolution: H} a step of length k H sums k increments, those of k steps of length H, so that
 * all step sizes and the reference see one path. Otherwise every step size has its own path, and the
 * difference of two solutions is no error.
 */

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
  return r->s->methods.n == cst_yaml_size(n) ? cst_yaml_item(n, i) : n;
}

static const cst_method *noisy(const cst_study *s) {
  for (int i = 0; i < s->methods.n; i++)
    if (cst_method_has_noise(s->methods.method[i]))
      return s->methods.method[i];
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
  const double h = r->s->steps.h[v * r->s->steps.n + i];
  cst_yaml_error(r->doc, step_node(r, i), r->d,
                 "the step is %s%s; it is no multiple of %s, %s; the nearest one is %s",
                 cst_reader_shortest(h), cst_reader_with(r, v), of, cst_reader_shortest(unit),
                 cst_reader_shortest(nearest(unit, h)));
}

/* Reports each offending step once. A reference by `self` also takes half steps. */
static void check_steps(cst_reader *r) {
  const cst_study *s = r->s;
  const bool       halves = s->reference.kind == CST_REFERENCE_SELF;
  for (int i = 0; i < s->steps.n; i++)
    for (int v = 0; v < s->problem.nvariant; v++) {
      const double h = s->steps.h[v * s->steps.n + i];
      if (!(h > 0) || divides(s->steps.resolution, halves ? 2 : 1, h))
        continue;
      refuse_step(r, i, v, s->steps.resolution * (halves ? 2 : 1),
                  halves ? "twice the noise's resolution (the reference takes half steps)"
                         : "the noise's resolution");
      break;
    }
}

/* The multipliers are read at the middle of steps. */
static void check_reference_step(cst_reader *r) {
  const cst_study *s = r->s;
  const double     reference = s->reference.step;
  cst_yaml        *at = cst_yaml_get(cst_yaml_get(r->root, "reference"), "step");
  if (s->reference.kind != CST_REFERENCE_METHOD || !(reference > 0))
    return;
  if (!divides(s->steps.resolution, 1, reference)) {
    cst_yaml_error(r->doc, at, r->d,
                   "the reference's step is %s; it is no multiple of the noise's resolution, %s; "
                   "the nearest one is %s",
                   cst_reader_shortest(reference), cst_reader_shortest(s->steps.resolution),
                   cst_reader_shortest(nearest(s->steps.resolution, reference)));
    return;
  }
  for (int i = 0; i < s->steps.n; i++)
    for (int v = 0; v < s->problem.nvariant; v++) {
      const double step = s->steps.h[v * s->steps.n + i];
      if (!(step > 0) || divides(reference, 2, step))
        continue;
      refuse_step(r, i, v, 2 * reference, "two steps of the reference");
      return;
    }
}

static void read_resolution(cst_reader *r, cst_yaml *n) {
  cst_study *s = r->s;
  if (!cst_reader_section(r, n, "noise", "noise", CST_KEYS_ALL, s) || !s->steps.resolution ||
      !s->problem.nvariant || s->steps.end[0] / s->steps.resolution <= CST_LONGEST_RUN)
    return;
  cst_yaml_error(r->doc, cst_yaml_get(n, "resolution"), r->d,
                 "the noise's resolution is %s; at most " CST_LONGEST_RUN_TEXT
                 " such steps are allowed up to the end %s",
                 cst_reader_shortest(s->steps.resolution), cst_reader_shortest(s->steps.end[0]));
  s->steps.resolution = 0;
}

/* An error compares two solutions with the same noise. */
static void check_methods(cst_reader *r) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->methods.n; i++) {
    const char *label = cst_method_label(s->methods.method[i]);
    if (!s->steps.resolution && cst_method_has_noise(s->methods.method[i]) &&
        !cst_yaml_get(r->root, "noise"))
      cst_yaml_error(
          r->doc, method_node(r, i), r->d,
          "'%s' has noise; its errors need one path for all steps and the reference: 'noise: "
          "{resolution: H}', where every step is a multiple of H",
          label);
    else if (s->reference.kind == CST_REFERENCE_METHOD && s->reference.method &&
             !cst_method_same_noise(s->methods.method[i], s->reference.method))
      cst_yaml_error(r->doc, method_node(r, i), r->d,
                     "'%s' and the reference '%s' do not have the same noise; friction and "
                     "inverse-temperature must be equal",
                     label, cst_method_label(s->reference.method));
  }
}

static void check_reference(cst_reader *r) {
  const cst_study *s = r->s;
  const bool any = noisy(s) || (s->reference.method && cst_method_has_noise(s->reference.method));
  if (s->reference.kind == CST_REFERENCE_NONE || !any)
    return;
  if (s->reference.kind == CST_REFERENCE_EXACT)
    cst_yaml_error(
        r->doc, cst_yaml_get(r->root, "reference"), r->d,
        "'%s' has noise, and no exact motion is known; allowed: self or {method: ..., step: ...} "
        "with the same noise",
        cst_method_label(noisy(s)));
  else
    check_methods(r);
  if (s->reference.kind == CST_REFERENCE_METHOD && s->steps.dyadic)
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
  if (!s->methods.n || !s->ensemble.spread || s->starts.table.n || s->ensemble.members == 1 ||
      noisy(s) || !cst_reader_required(r, initial, "initial", "spread"))
    return;
  if (r->spread_known && !cst_study_spreads(s))
    cst_yaml_error(r->doc, spread, r->d,
                   "'spread' is zero, so all %ld members would be equal; q or v must be positive",
                   s->ensemble.members);
}

/* Members with starts of their own need random numbers only for a spread or for noise. */
static void check_seed(cst_reader *r) {
  const cst_study *s = r->s;
  cst_yaml        *seed = cst_yaml_get(cst_yaml_get(r->root, "initial"), "seed");
  if (seed && s->starts.table.n && s->methods.n && !cst_study_spreads(s) && !noisy(s))
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
  if (!n || !s->steps.resolution || !s->methods.n)
    return;
  if (!noisy(s))
    cst_yaml_error(r->doc, n, r->d,
                   "'noise' is for the methods langevin(METHOD, ...) and baoab(...), and this "
                   "study has neither");
  check_steps(r);
  check_reference_step(r);
}
