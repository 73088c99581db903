/* test-file.c: study files: every mistake with its place and message; good files with their defaults and
 * canonical text.
 *
 * A bad file is the good one below with some keys replaced, removed ("-key") or added. An @ in the
 * replacement marks the place of the error and is not part of the file. Without @ the place is 1:1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/rows/study.h"
#include "study/collect/series.h"
#include "study/collect/states.h"
#include "tap.h"

static const char *const good[] = {
    "study: order",       "system: planar-pendulum", "end: 1",
    "steps: [0.1, 0.05]", "methods: [rattle]",       "reference: exact"};
enum { GOOD = sizeof good / sizeof *good, CHANGES = 6, TEXT = 8192 };

static int same_key(const char *line, const char *change) {
  change += *change == '@';
  size_t n = strcspn(line, ":"), k = strcspn(change, ":");
  return n == k && !strncmp(line, change, n);
}

/* Applies the changes to the good file; new keys are appended. */
static void compose(char text[TEXT], const char *const *change) {
  *text = 0;
  for (int i = 0; i < GOOD; i++) {
    const char *line = good[i];
    for (int k = 0; k < CHANGES && change[k]; k++) {
      if (same_key(good[i], change[k]))
        line = change[k];
      if (*change[k] == '-' && same_key(good[i], change[k] + 1))
        line = NULL;
    }
    if (line)
      strcat(strcat(text, line), "\n");
  }
  for (int k = 0; k < CHANGES && change[k]; k++) {
    int known = *change[k] == '-';
    for (int i = 0; i < GOOD; i++)
      known |= same_key(good[i], change[k]);
    if (!known)
      strcat(strcat(text, change[k]), "\n");
  }
}

#include "study/test-file-mistakes.h"

/* The fetch function of the tests: returns the descriptions that studies name as files. */
static const char *share(cst_fetch *fetch, const char *path, char **text, size_t *length) {
  for (int i = 0; i < DESCRIPTIONS; i++)
    if (!strcmp(path, descriptions[i].file)) {
      *text = strdup(descriptions[i].text);
      *length = strlen(*text);
      return NULL;
    }
  return fetch(path, text, length);
}

/* Removes the @ from text and finds its place; 1:1 without @. */
static void unmark(char *text, int *line, int *column) {
  char *mark = strchr(text, '@');
  *line = *column = 1;
  if (!mark)
    return;
  for (const char *s = text; s < mark; s++) {
    if (*s == '\n') {
      (*line)++;
      *column = 1;
    } else
      (*column)++;
  }
  memmove(mark, mark + 1, strlen(mark));
}

static cst_study *read_text(const char *text, char **report, int *count) {
  size_t     length;
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("t.yaml", text, strlen(text), share, d);
  FILE      *f = open_memstream(report, &length);
  cst_diag_print(d, f);
  fclose(f);
  *count = cst_diag_count(d);
  cst_diag_destroy(d);
  return s;
}

static int holds(const char *report, const char *words) {
  char *copy = strdup(words), *rest = copy, *part;
  int   all = 1;
  while ((part = strsep(&rest, "|")))
    all &= strstr(report, part) != NULL;
  free(copy);
  return all;
}

/* at: FILE:LINE:COLUMN; NULL: the place of the @ in the study. */
static void provoke(const mistake *m, const char *at) {
  char text[TEXT], where[64], *report;
  int  line, column, count;
  compose(text, m->change);
  unmark(text, &line, &column);
  cst_study *s = read_text(text, &report, &count);
  if (at)
    snprintf(where, sizeof where, "%s: error: ", at);
  else
    snprintf(where, sizeof where, "t.yaml:%d:%d: error: ", line, column);
  int fine = !s && count == 1 && !strncmp(report, where, strlen(where)) && holds(report, m->words);
  OK(fine, "refused: %s", m->words);
  if (!fine)
    NOTE("wanted %s with '%s'; got %d: %s for\n%s", where, m->words, count, report, text);
  cst_study_destroy(s);
  free(report);
}

static void all_at_once(void) {
  char      *report;
  int        count;
  cst_study *s = read_text("studdy: order\nsystem: nowhere\nend: -1\nsteps: [0]\nmethods: "
                           "[ratle]\nsamples: {count: 1.5}\n",
                           &report, &count);
  OK(!s && count == 6, "one run shows every mistake (%d)", count);
  OK(holds(report, "t.yaml:1:1: error: unknown key 'studdy'|t.yaml:1:1: error: missing key "
                   "'study'|t.yaml:2:9|t.yaml:3:6|t.yaml:5:11|t.yaml:6:18|6 errors"),
     "each with its place, in order");
  if (count != 6)
    NOTE("%s", report);
  free(report);
}

static cst_study *accept(const char *const *change) {
  char text[TEXT], *report;
  int  count;
  compose(text, change);
  cst_study *s = read_text(text, &report, &count);
  if (!s)
    NOTE("refused: %sfor\n%s", report, text);
  free(report);
  return s;
}
#define ACCEPT(...) accept((const char *const[CHANGES]){__VA_ARGS__})

static void defaults(void) {
  cst_study *s = ACCEPT(NULL);
  OK(s != NULL, "the good file is read");
  if (!s)
    return;
  OK(!strcmp(cst_kind_name(s->kind), "order") && s->reference.kind == CST_REFERENCE_EXACT &&
         !s->steps.dyadic && !s->steps.compensated,
     "order: exact reference, steps as written");
  OK(s->problem.nvariant == 1 && s->starts.state == 0 && s->ensemble.members == 1 &&
         !s->ensemble.spread && !s->starts.project,
     "one parameter set, the default state, one member");
  OK(s->error.q && s->error.p && !s->error.lambda && s->error.norm == CST_NORM_MAX &&
         s->error.over == CST_OVER_END && s->error.hidden == CST_NORM_MAX,
     "error: {of: [q, p], norm: max, over: end, hidden: max}");
  OK(s->observe.n == 2 && !strcmp(s->observe.observable[0].name, "energy") &&
         !strcmp(s->observe.observable[1].name, "constraint"),
     "observables: those that the system has");
  OK(cst_series_request_of(s)->count == 400 && cst_series_request_of(s)->log && !s->observe.every &&
         !cst_states_request_of(s)->n,
     "samples: {count: 400, spacing: log}, observe: auto, no trajectories");
  OK(s->solver.ntolerance == 1 && s->solver.tolerance[0] == 1e-14 &&
         s->solver.max_iterations == 25 && s->run.checkpoint_seconds == 600,
     "solver: {tolerance: 1e-14, max-iterations: 25}");
  OK(s->steps.n == 2 && s->steps.h[0] == 0.1 && s->steps.h[1] == 0.05 && s->steps.end[0] == 1,
     "steps and end");
  OK(!strcmp(s->source.title, "") && !strcmp(s->source.file, "t.yaml") &&
         strlen(s->source.sha256) == 64,
     "no title, the file's name, a fingerprint");
  cst_study_destroy(s);
  s = ACCEPT("study: conservation", "-reference");
  OK(s && !strcmp(cst_kind_name(s->kind), "conservation") && s->steps.dyadic &&
         s->reference.kind == CST_REFERENCE_NONE,
     "conservation: dyadic steps, no reference");
  cst_study_destroy(s);
  s = ACCEPT("study: ensemble", "-reference", "system: spherical-pendulum",
             "initial: {members: 5, spread: {q: 0.1}}");
  OK(s && s->steps.dyadic && s->ensemble.spread && s->ensemble.members == 5 &&
         s->ensemble.seed == 1 && s->ensemble.spread_q == 0.1 && s->ensemble.spread_v == 0 &&
         s->starts.state == 0,
     "ensemble: around default, seed 1");
  OK(s && s->observe.n == 3 && !strcmp(s->observe.observable[1].name, "momentum"),
     "momentum is observed where there are symmetries");
  cst_study_destroy(s);
  s = ACCEPT("system: henon-heiles", "methods: [midpoint]", "reference: self");
  OK(s && s->observe.n == 1 && s->reference.kind == CST_REFERENCE_SELF,
     "energy alone without constraints and symmetries");
  cst_study_destroy(s);
}

static void numerics(void) {
  cst_study *s =
      ACCEPT("roundoff: {dyadic-steps: true, compensated: true}", "title: 'a: b'",
             "solver: {tolerance: [1e-14, \"10^-6\"], max-iterations: 7}", "observe: every");
  OK(s && s->steps.dyadic && s->steps.compensated && !strcmp(s->source.title, "a: b") &&
         s->observe.every,
     "roundoff, title, observe");
  OK(s && s->solver.ntolerance == 2 && s->solver.tolerance[1] == 1e-6 &&
         s->solver.max_iterations == 7,
     "a list of tolerances");
  OK(s && !s->reference.quad, "double precision is the rule");
  cst_study_destroy(s);
}

static void references(void) {
  cst_study *s = ACCEPT("reference: {method: gauss(8), step: 0.01, precision: quad}");
  OK(s && s->reference.quad && s->reference.kind == CST_REFERENCE_METHOD &&
         strstr(s->source.canonical, "precision: quad"),
     "a reference in quadruple precision is part of the study's text");
  cst_study_destroy(s);
}

static void errors(void) {
  cst_study *s =
      ACCEPT("error: {of: [lambda, q], norm: two, over: coarse}",
             "reference: {method: \"compose(rattle,yoshida4)\", step: 1e-3, precision: double}",
             "samples: {count: 0, spacing: linear}", "trajectories: {members: [0], every: 10}");
  OK(s && s->error.q && !s->error.p && s->error.lambda && s->error.norm == CST_NORM_TWO &&
         s->error.over == CST_OVER_COARSE,
     "error");
  OK(s && s->reference.kind == CST_REFERENCE_METHOD &&
         !strcmp(cst_method_label(s->reference.method), "compose(rattle, yoshida4)") &&
         s->reference.step == 1e-3,
     "a method as reference");
  OK(s && cst_series_request_of(s)->count == 0 && !cst_series_request_of(s)->log &&
         cst_states_request_of(s)->n == 1 && cst_states_request_of(s)->member[0] == 0 &&
         cst_states_request_of(s)->every == 10,
     "samples, trajectories");
  cst_study_destroy(s);
  static const char *const norms[] = {"max", "one", "two"};
  for (int i = 0; i < 3; i++) {
    char error[64], text[64];
    snprintf(error, sizeof error, "error: {hidden: %s}", norms[i]);
    snprintf(text, sizeof text, "error:\n  hidden: %s\n", norms[i]);
    s = ACCEPT("study: conservation", "-reference", error);
    OK(s && s->error.hidden == (cst_norm)i && s->error.norm == CST_NORM_MAX &&
           strstr(s->source.canonical, text),
       "hidden: %s goes without a reference, and is part of the study's text", norms[i]);
    cst_study_destroy(s);
  }
  s = ACCEPT("study: conservation", "reference: exact", "error: {norm: two, over: mesh}");
  OK(s && s->error.norm == CST_NORM_TWO && s->error.hidden == CST_NORM_MAX,
     "a study of conservation may take errors, where it has a reference");
  cst_study_destroy(s);
}

static void ensembles(void) {
  cst_study *s =
      ACCEPT("initial: {members: 1e12, seed: 18446744073709551615, around: {q: [3, 4], v: [1, 1], "
             "project: "
             "true}, spread: {q: 0, v: \"1/8\"}}",
             "reference: exact", "observables: []", "checkpoint: {seconds: 1}");
  OK(s && s->ensemble.members == 1000000000000 && s->ensemble.seed == UINT64_MAX &&
         s->starts.state == -1 && s->ensemble.spread_v == 0.125,
     "an ensemble around numbers; exact from any start");
  OK(s && fabs(s->starts.q[0] - 0.6) < 1e-15 && fabs(s->starts.q[1] - 0.8) < 1e-15 &&
         fabs(s->starts.v[0] * 0.6 + s->starts.v[1] * 0.8) < 1e-15,
     "project: true projects");
  OK(s && s->observe.n == 0 && s->run.checkpoint_seconds == 1, "no observables; checkpoint");
  cst_study_destroy(s);
}

static void observables(void) {
  cst_study *s = ACCEPT(
      "observables: [energy, \"height: y\", speed: \"sqrt(x'^2 + y'^2)\", \"pull : lambda_rod*L + "
      "t\"]",
      "initial: {q: [\"L\", 0], v: [0, -1]}",
      "methods:\n  - rattle\n  - compose(rattle,yoshida4)\n  - \"compose(rattle,   suzuki4)\"");
  OK(s && s->observe.n == 4 && !strcmp(s->observe.observable[1].name, "height") &&
         !strcmp(s->observe.observable[1].expression, "y") &&
         !strcmp(s->observe.observable[2].name, "speed") &&
         !strcmp(s->observe.observable[2].expression, "sqrt(x'^2 + y'^2)") &&
         !strcmp(s->observe.observable[3].name, "pull") &&
         !strcmp(s->observe.observable[3].expression, "lambda_rod*L + t") &&
         !s->observe.observable[0].expression,
     "the user's observables, quoted or as a map");
  OK(s && s->starts.state == -1 && s->starts.q[0] == 1 && s->starts.v[1] == -1 &&
         !s->starts.project,
     "a start given by numbers");
  OK(s && s->methods.n == 3 &&
         !strcmp(cst_method_label(s->methods.method[1]), "compose(rattle, yoshida4)") &&
         !strcmp(cst_method_label(s->methods.method[2]), "compose(rattle, suzuki4)"),
     "labels have one blank after each comma");
  cst_study_destroy(s);
}

static void layers(void) {
  cst_study *s = ACCEPT("layers: {half: {c: [0, 1/2], b: [0, 1], a: [[0, 0], [\"1/4 + 1/4\", 0]]}, "
                        "other: {a: [[1]], b: [1]}}",
                        "methods:\n  - half\n  - project( half)\n  - \"compose(half,other)\"\n  - "
                        "b: [1]\n    a:\n      - [ .5 "
                        "]\n  - \"{a: [[0.50]], b: [1.0], c: [1/2]}\"",
                        "reference: {method: other, step: 0.1}");
  static const char *const label[] = {"half", "project(half)", "compose(half, other)",
                                      "{a: [[0.5]], b: [1]}", "{a: [[0.5]], b: [1], c: [1/2]}"};
  static const int         order[] = {2, 2, 1, 2, 2};
  for (int i = 0; i < 5; i++)
    OK(s && s->methods.n == 5 && !strcmp(cst_method_label(s->methods.method[i]), label[i]) &&
           cst_method_properties(s->methods.method[i], s->problem.system).order_q == order[i],
       "tableaus of one's own: %s, of order %d", label[i], order[i]);
  OK(s && !strcmp(cst_method_label(s->reference.method), "other") &&
         strstr(s->source.canonical, "layers:\n  half:\n    a:"),
     "one as the reference, and the layers in the canonical text");
  cst_study_destroy(s);
}

static void steps(void) {
  cst_study *s = ACCEPT("steps: {from: 0.1, halvings: 6}");
  OK(s && s->steps.n == 7 && s->steps.h[6] == 0.1 / 64, "halvings: 6 are 7 steps");
  cst_study_destroy(s);
  s = ACCEPT("steps: {counts: [3, 7]}");
  OK(s && s->steps.n == 2 && s->steps.h[0] == 1 / 3. && s->steps.h[1] == 1 / 7., "counts");
  cst_study_destroy(s);
  s = ACCEPT("steps: [1]");
  OK(s && s->steps.n == 1, "a study of one step that is the end");
  cst_study_destroy(s);
  s = ACCEPT("end: \"10*2^(3/4)*pi\"", "steps: [\"2^(3/4)*pi\", \"2^(-1/4)*pi\"]");
  OK(s && fabs(s->steps.end[0] - 10 * pow(2, 0.75) * M_PI) < 1e-13 &&
         s->steps.h[0] == 2 * s->steps.h[1],
     "expressions of pi");
  cst_study_destroy(s);
  s = ACCEPT("steps: [0.1, 0.05, 0.02]", "roundoff: {dyadic-steps: true}",
             "methods: [rattle, shake]");
  int       n = 0;
  cst_case *c = s ? cst_study_cases(s, &n) : NULL;
  OK(n == 6, "cases: methods x steps");
  OK(n == 6 && c[4].method == 1 && c[4].step == 1 && c[4].n == 20 && c[4].h_nominal == 0.05,
     "steps run fastest");
  for (int i = 0; i < 3 && n; i++) {
    int    e;
    double m = ldexp(frexp(c[i].h, &e), 20);
    OK(m == floor(m) && fabs(c[i].h - c[i].h_nominal) <= ldexp(1, e - 21),
       "%g becomes %.17g of 20 bits, the nearest", c[i].h_nominal, c[i].h);
    OK(fma(c[i].h, (double)c[i].n, -(c[i].h * (double)c[i].n)) == 0, "n h is exact");
  }
  free(c);
  cst_study_destroy(s);
  s = ACCEPT("roundoff: {dyadic-steps: false}");
  c = cst_study_cases(s, &n);
  OK(n == 2 && c[0].h == 0.1 && c[1].n == 20, "without dyadic steps the step is as written");
  free(c);
  cst_study_destroy(s);
}

static void sweeps(void) {
  cst_study *s =
      ACCEPT("system: {name: planar-pendulum, parameters: {g: [1, 2, \"pi\"], L: [\"1/2\", 4]}}",
             "end: \"2*L*g\"", "steps: [\"L*g\", \"L*g/2\"]", "solver: {tolerance: [1e-12, 1e-8]}");
  OK(s && s->problem.nvariant == 6, "lists of 3 and 2 values make 6 sets");
  if (!s)
    return;
  int npar = s->problem.system->npar, L = 0, g = 0, ordered = 1, n;
  for (int i = 0; i < npar; i++) {
    if (!strcmp(s->problem.system->parameter[i].name, "L"))
      L = i;
    if (!strcmp(s->problem.system->parameter[i].name, "g"))
      g = i;
  }
  for (int v = 0; v < 6; v++) {
    double length = s->problem.parameter[v * npar + L],
           gravity = s->problem.parameter[v * npar + g], want = 2 * length * gravity;
    OK(s->steps.end[v] == want && s->steps.h[2 * v] == want / 2 &&
           s->steps.h[2 * v + 1] == want / 4,
       "set %d: L = %g, g = %g, end = %g", v, length, gravity, s->steps.end[v]);
    OK(hypot(s->starts.q[2 * v], s->starts.q[2 * v + 1]) == length, "set %d: its own start", v);
    int slow = L < g ? v / 3 : v / 2, fast = L < g ? v % 3 : v % 2;
    ordered &= length == (double[]){0.5, 4}[L < g ? slow : fast] &&
               gravity == (double[]){1, 2, M_PI}[L < g ? fast : slow];
  }
  OK(ordered, "sets are numbered in the order of the system's parameters, the last fastest");
  cst_case *c = cst_study_cases(s, &n);
  OK(n == 24 && c[23].variant == 5 && c[23].tolerance == 1 && c[23].step == 1 &&
         c[2].tolerance == 1 && c[4].variant == 1,
     "cases: set, tolerance, method, step");
  free(c);
  cst_study_destroy(s);
}

static void canonical(void) {
  char                    *report;
  int                      count;
  static const char *const texts[] = {
      "study: order\nsystem: {name: planar-pendulum, parameters: {L: 2, g: 1}}\nend: 1\nsteps: "
      "[0.1]\nmethods: [rattle, 'compose(rattle, yoshida4)']\nreference: exact\n",
      "# other order, style and comments\nreference: \"exact\"\ncheckpoint: {seconds: "
      "5}\nmethods:\n- rattle "
      "# one\n- compose(rattle, yoshida4)\nsteps:\n  - 0.1\nend: 1\n"
      "system:\n  compile: auto\n  parameters:\n    g: 1\n    L: 2\n  name: "
      "planar-pendulum\nstudy: order\n"};
  cst_study *a = read_text(texts[0], &report, &count);
  free(report);
  cst_study *b = read_text(texts[1], &report, &count);
  OK(a && b && !strcmp(a->source.canonical, b->source.canonical) &&
         !strcmp(a->source.sha256, b->source.sha256),
     "canonical text and fingerprint do not depend on order, style, comments, checkpoint, compile");
  if (a && b && strcmp(a->source.canonical, b->source.canonical))
    NOTE("%s against %s", a->source.canonical, b->source.canonical);
  if (!b)
    NOTE("%s", report);
  free(report);
  cst_study *c = a ? read_text(a->source.canonical, &report, &count) : NULL;
  OK(c && !strcmp(a->source.canonical, c->source.canonical), "canonical text is a fixed point");
  if (a)
    free(report);
  cst_study *d = ACCEPT("end: 2"), *e = ACCEPT(NULL);
  OK(d && e && strcmp(d->source.sha256, e->source.sha256), "another end is another study");
  cst_study *all[] = {a, b, c, d, e};
  for (int i = 0; i < 5; i++)
    cst_study_destroy(all[i]);
}

int main(void) {
  for (int i = 0; i < MISTAKES; i++)
    provoke(mistakes + i, NULL);
  for (int i = 0; i < ELSEWHERE; i++)
    provoke(&elsewhere[i].made, elsewhere[i].where);
  all_at_once();
  defaults();
  numerics();
  references();
  errors();
  ensembles();
  observables();
  layers();
  steps();
  sweeps();
  canonical();
  return tap_done();
}
