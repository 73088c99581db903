/* file-system.c: the keys `system` and `steps`: the system, the parameter sets that lists and ranges of values generate,
 * and the steps of each.
 *
 * Sets are numbered in the order of the system's parameters, the last one fastest, whatever the order of keys
 * in the file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "core/text.h"
#include "study/file/reader.h"
#include "study/file/starts.h"
#include "system/library.h"

enum { MAX_VARIANT = 1000000 };

typedef struct {
  int     n;
  double *value;
} choice; /* the values of one parameter */

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Values of a parameter or coordinate: a number, a list of numbers, or {from:, to:, count:, spacing: linear | log}. */

/* The i-th of n values; both ends are exact. */
static double between(double from, double to, long i, long n, bool logarithmic) {
  const double part = n > 1 ? (double)i / (double)(n - 1) : 0;
  if (i == 0)
    return from;
  if (i == n - 1)
    return to;
  return logarithmic ? from * cst_elementary_exp(cst_elementary_log(to / from) * part)
                     : from + (to - from) * part;
}

/* Values that are far apart can overflow, values that are close together can round to the same. */
static bool are_distinct(const double *x, int n) {
  bool good = isfinite(x[0]);
  for (int i = 1; i < n; i++)
    good &= isfinite(x[i]) && x[i] != x[i - 1];
  return good;
}

static bool spaced(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count) {
  const int         before = cst_diag_count(r->d);
  cst_keys_of_range x = {0};
  cst_reader_section(r, n, what, "range", CST_KEYS_ALL, &x);
  if (cst_diag_count(r->d) > before)
    return false;
  if ((x.count == 1) != (x.from == x.to))
    cst_yaml_error(r->doc, n, r->d, "'%s' has a count of %d from %s to %s; %s", what, x.count,
                   cst_reader_shortest(x.from), cst_reader_shortest(x.to),
                   x.count == 1 ? "for one value 'from' and 'to' must be equal"
                                : "its values would all be equal");
  else if (x.log && !(x.from * x.to > 0))
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s': with logarithmic spacing 'from' and 'to' must be nonzero and have the same sign",
        what);
  if (cst_diag_count(r->d) > before)
    return false;
  double *all = cst_reader_memory((size_t)x.count, sizeof *all);
  for (long i = 0; i < x.count; i++)
    all[i] = between(x.from, x.to, i, x.count, x.log);
  if (!are_distinct(all, x.count)) {
    cst_yaml_error(r->doc, n, r->d, "the %d values of '%s' are not all finite and different",
                   x.count, what);
    free(all);
    return false;
  }
  *count = x.count;
  *values = all;
  return true;
}

typedef struct {
  double value;
  int    rank;
} ranked;

static int ascending(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->value != y->value)
    return x->value > y->value ? 1 : -1;
  return x->rank - y->rank;
}

/* Which of x[n] appear before them too; owned. */
static bool *repeats(const double *x, int n) {
  ranked *sorted = cst_reader_memory((size_t)n, sizeof *sorted);
  bool   *again = cst_reader_memory((size_t)n, sizeof *again);
  for (int i = 0; i < n; i++)
    sorted[i] = (ranked){x[i], i};
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  for (int i = 1; i < n; i++)
    again[sorted[i].rank] = sorted[i].value == sorted[i - 1].value;
  free(sorted);
  return again;
}

/* The first value that appears a second time; n: none. */
static int repeated(const double *x, int n) {
  bool *again = repeats(x, n);
  int   i = 0;
  while (i < n && !again[i])
    i++;
  free(again);
  return i;
}

bool cst_reader_range(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count) {
  if (cst_yaml_is_map(n))
    return spaced(r, n, what, values, count);
  const bool list = cst_yaml_is_list(n);
  if (list && !cst_reader_list(r, n, what, "numbers", false))
    return false;
  const int m = list ? cst_yaml_size(n) : 1;
  double   *x = cst_reader_memory((size_t)m, sizeof *x);
  bool      good = true;
  for (int i = 0; i < m && good; i++) {
    cst_yaml *item = list ? cst_yaml_item(n, i) : n;
    good = cst_reader_constant(r, item, what, x + i);
  }
  const int again = good ? repeated(x, m) : m;
  if (again < m)
    cst_yaml_error(r->doc, cst_yaml_item(n, again), r->d, "'%s': the value %s appears twice", what,
                   cst_reader_shortest(x[again]));
  if (!good || again < m) {
    free(x);
    return false;
  }
  *values = x;
  *count = m;
  return true;
}

/* ---- sizes: integers with which a description is expanded ------------------------------------ */

/* Reads the sizes given in the map of parameters; returns their number. */
static int sizes_of(cst_reader *r, cst_yaml *map, cst_size *size) {
  const cst_system *s = r->s->problem.system;
  int               n = 0;
  for (int i = 0; cst_yaml_is_map(map) && i < s->npar; i++) {
    const cst_parameter *p = &s->parameter[i];
    cst_yaml            *value = p->size ? cst_yaml_get(map, p->name) : NULL;
    double               x = p->value;
    if (!value)
      continue;
    if (!cst_yaml_is_scalar(value))
      cst_yaml_error(r->doc, value, r->d,
                     "parameter '%s' is a size and takes one whole number; sizes cannot be swept",
                     p->name);
    else if (cst_reader_constant(r, value, p->name, &x) && (x < 1 || x > CST_MOST_Q || x != (int)x))
      cst_yaml_error(r->doc, value, r->d,
                     "parameter '%s' is a size; it is %s, and must be a whole number from 1 to %d",
                     p->name, cst_reader_shortest(x), CST_MOST_Q);
    else
      size[n++] = (cst_size){p->name, (int)x};
  }
  return n;
}

static bool differ(const cst_system *s, const cst_size *size, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < s->npar; i++) {
      const cst_parameter *p = &s->parameter[i];
      if (!strcmp(p->name, size[k].name) && p->value != size[k].value)
        return true;
    }
  return false;
}

/* Reads the system again with the sizes of the study. */
static void resize(cst_reader *r, const char *file, const char *text, size_t length,
                   cst_yaml *map) {
  cst_size  size[CST_MAX_PAR];
  const int n = sizes_of(r, map, size);
  if (!differ(r->s->problem.system, size, n))
    return;
  cst_system *s = cst_system_read(file, text, length, size, n, r->d);
  cst_system_destroy(r->s->problem.system);
  if ((r->s->problem.system = s))
    cst_system_interpret(s);
}

/* ---- which system ---------------------------------------------------------------------------- */

/* A system whose text is described in a file; where: its name in messages. */
static void described(cst_reader *r, const char *where, const char *text, size_t length,
                      cst_yaml *map) {
  cst_study *s = r->s;
  cst_sha256(text, length, s->problem.sha256);
  s->problem.system = cst_system_read(where, text, length, NULL, 0, r->d);
  if (!s->problem.system)
    return;
  cst_system_interpret(s->problem.system);
  resize(r, where, text, length, map);
}

/* A system that is found by its name, but is not part of the program. False: there is none. */
static bool from_library(cst_reader *r, const char *name, cst_yaml *sum, cst_yaml *map) {
  char  *text;
  size_t length;
  if (r->share(cst_library_fetch, name, &text, &length))
    return false;
  const char *path = cst_library_path(name);
  r->s->problem.file = strdup(path ? path : name);
  described(r, r->s->problem.file, text, length, map);
  free(text);
  cst_reader_check_sum(r, sum, name, r->s->problem.sha256);
  return true;
}

static void unknown(cst_reader *r, cst_yaml *n, const char *name) {
  int                more;
  const int          known = cst_catalogue_size();
  const char *const *library = cst_library_names(&more);
  const char       **all = cst_reader_memory((size_t)(known + more), sizeof *all);
  memcpy(all, cst_catalogue_names(), (size_t)known * sizeof *all);
  memcpy(all + known, library, (size_t)more * sizeof *all);
  cst_reader_unknown(r, n, "system", name, all, known + more);
  free(all);
}

static void named(cst_reader *r, cst_yaml *n, const char *name, cst_yaml *sum, cst_yaml *map) {
  r->s->problem.system = cst_catalogue_create(name);
  if (r->s->problem.system)
    resize(r, name, cst_catalogue_text(name), strlen(cst_catalogue_text(name)), map);
  else if (cst_text_ends(name, ".yaml") || cst_text_ends(name, ".yml") || strchr(name, '/'))
    cst_yaml_error(r->doc, n, r->d,
                   "unknown system '%s'; a system of your own is `system: {file: %s}`", name, name);
  else if (!from_library(r, name, sum, map))
    unknown(r, n, name);
}

static void from_file(cst_reader *r, cst_yaml *n, const char *name, cst_yaml *sum, cst_yaml *map) {
  cst_study *s = r->s;
  char      *text;
  size_t     length;
  s->problem.file = cst_reader_beside(r, name);
  if (!cst_reader_fetch(r, n, cst_description_fetch, s->problem.file, &text, &length))
    return;
  described(r, s->problem.file, text, length, map);
  free(text);
  cst_reader_check_sum(r, sum, s->problem.file, s->problem.sha256);
}

/* item[i]: node of value i. */
static void check_repeated(cst_reader *r, cst_yaml *const *item, const choice *c,
                           const char *name) {
  bool *again = repeats(c->value, c->n);
  for (int i = 0; i < c->n; i++)
    if (again[i])
      cst_yaml_error(r->doc, item[i], r->d, "parameter '%s': the value %s appears twice", name,
                     cst_reader_shortest(c->value[i]));
  free(again);
}

/* A number or a list of numbers. Unreadable values leave the default. */
static void values(cst_reader *r, cst_yaml *n, const char *name, choice *c) {
  if (cst_yaml_is_scalar(n)) {
    cst_reader_constant(r, n, name, c->value);
    return;
  }
  if (cst_yaml_is_map(n)) {
    double *standard = c->value;
    if (cst_reader_range(r, n, name, &c->value, &c->n))
      free(standard);
    return;
  }
  if (!cst_reader_list(r, n, name, "numbers, or one number", false))
    return;
  c->value = realloc(c->value, sizeof(double) * (size_t)cst_yaml_size(n));
  cst_need(c->value);
  c->n = 0;
  double     standard = c->value[0];
  cst_yaml **item = cst_reader_memory((size_t)cst_yaml_size(n), sizeof *item);
  for (int i = 0; i < cst_yaml_size(n) && !cst_diag_full(r->d); i++) {
    item[c->n] = cst_yaml_item(n, i);
    c->n += cst_reader_constant(r, item[c->n], name, c->value + c->n);
  }
  check_repeated(r, item, c, name);
  free(item);
  if (!c->n)
    c->value[c->n++] = standard;
}

/* given[i]: the study sets parameter i. */
static void parameters(cst_reader *r, cst_yaml *map, choice *c, bool *given) {
  const cst_system *s = r->s->problem.system;
  const char       *names[CST_MAX_PAR];
  const int         n = cst_system_named(s);
  for (int i = 0; i < n; i++)
    names[i] = s->parameter[i].name;
  if (map && !cst_yaml_is_map(map))
    cst_yaml_error(r->doc, map, r->d, "'parameters' must be a map of: %s", cst_diag_join(names, n));
  if (!cst_yaml_is_map(map))
    return;
  for (int k = 0; k < cst_yaml_size(map); k++) {
    const char *key = cst_yaml_text(cst_yaml_key(map, k));
    int         i = 0;
    while (i < n && (!key || strcmp(names[i], key)))
      i++;
    if (i < n && s->parameter[i].size)
      continue; /* already used to read the system */
    if (i < n) {
      given[i] = true;
      values(r, cst_yaml_value(map, k), key, c + i);
    } else
      cst_reader_unknown(r, cst_yaml_key(map, k), "parameter", key ? key : "", names, n);
  }
}

/* Checks defaults that are expressions of other parameters. Reports the first set with an invalid one. */
static void check_defaults(cst_reader *r, cst_yaml *at, const bool *given) {
  const cst_study  *s = r->s;
  const cst_system *sys = s->problem.system;
  for (int v = 0; v < s->problem.nvariant; v++)
    for (int i = 0; i < sys->npar; i++) {
      if (isfinite(s->problem.parameter[v * sys->npar + i]) || given[i])
        continue;
      const char *with = cst_reader_with(r, v);
      cst_yaml_error(r->doc, at, r->d, "parameter '%s': its default is not a finite number%s",
                     sys->parameter[i].name, *with ? with : " with the parameters given here");
      return;
    }
}

void cst_study_note_flat(cst_study *s, const double *c) {
  const cst_body *flat = cst_system_flat_at(s->problem.system, c);
  if (flat)
    s->problem.flat = flat;
}

/* Inertias depend on the parameters too, so bodies can be checked only here. */
static void check_bodies(cst_reader *r, cst_yaml *at) {
  cst_study_problem *x = &r->s->problem;
  char               why[500];
  x->flat = cst_system_flat(x->system);
  for (int v = 0; v < x->nvariant; v++) {
    const double *c = x->parameter + v * x->system->npar;
    if (cst_system_check_bodies(x->system, c, why, sizeof why)) {
      cst_study_note_flat(r->s, c);
      continue;
    }
    const char *with = cst_reader_with(r, v);
    cst_yaml_error(r->doc, at, r->d, "%s%s", why,
                   *with ? with : " (with the parameters given here)");
    return;
  }
}

/* Makes all combinations. */
static void combine(cst_reader *r, cst_yaml *at, const choice *c, const bool *given) {
  cst_study *s = r->s;
  int        npar = s->problem.system->npar;
  double     total = 1;
  for (int i = 0; i < npar; i++)
    total *= c[i].n;
  if (total > MAX_VARIANT)
    cst_yaml_error(r->doc, at, r->d,
                   "the lists of parameter values make %.0f sets; at most %d are allowed", total,
                   MAX_VARIANT);
  else
    s->problem.nvariant = (int)total;
  s->problem.parameter =
      cst_reader_memory((size_t)s->problem.nvariant * (size_t)npar, sizeof(double));
  for (int v = 0; v < s->problem.nvariant; v++) {
    double *set = s->problem.parameter + v * npar;
    int     rest = v; /* digits of v: the choice of each parameter, the last one fastest */
    for (int i = npar - 1; i >= 0; i--) {
      set[i] = c[i].value[rest % c[i].n];
      rest /= c[i].n;
    }
    cst_system_defaults(s->problem.system, given, set);
  }
  check_defaults(r, at, given);
  if (s->problem.system->model->nbodies)
    check_bodies(r, at);
}

static void sets(cst_reader *r, cst_yaml *map) {
  const cst_system *s = r->s->problem.system;
  choice            c[CST_MAX_PAR];
  bool              given[CST_MAX_PAR] = {false};
  for (int i = 0; i < s->npar; i++) {
    const cst_parameter *p = &s->parameter[i];
    c[i] = (choice){1, cst_reader_memory(1, sizeof(double))};
    c[i].value[0] = p->value;
    const cst_node node =
        p->size ? cst_graph_constant(r->graph, p->value) : cst_graph_input(r->graph, 'c', i);
    r->binding[i] = (cst_binding){.name = p->name, .node = node};
  }
  parameters(r, map, c, given);
  combine(r, map, c, given);
  for (int i = 0; i < s->npar; i++)
    free(c[i].value);
}

static void from_map(cst_reader *r, cst_yaml *n) {
  cst_keys_of_system asked = {0};
  cst_reader_section(r, n, "system", "system", CST_KEYS_ALL, &asked);
  r->s->run.compile = (cst_compile_request)asked.compile;
  cst_yaml *file = cst_yaml_get(n, "file");
  cst_yaml *name = cst_yaml_get(n, "name");
  if (file && name)
    cst_yaml_error(
        r->doc, file, r->d,
        "'system' has both 'name', of the catalogue, and 'file', a description of your own; only "
        "one is allowed");
  else if (asked.file)
    from_file(r, file, asked.file, cst_yaml_get(n, "sha256"), cst_yaml_get(n, "parameters"));
  else if (asked.name)
    named(r, name, asked.name, cst_yaml_get(n, "sha256"), cst_yaml_get(n, "parameters"));
  else if (!file && !name)
    cst_yaml_error(
        r->doc, n, r->d,
        "missing key 'name' (of the catalogue) or 'file' (a description of your own) in 'system'");
  if (cst_yaml_get(n, "sha256") && !r->s->problem.file && r->s->problem.system)
    cst_yaml_error(r->doc, cst_yaml_get(n, "sha256"), r->d, "'sha256' needs a 'file'");
  if (r->s->problem.system && r->s->run.compile == CST_COMPILE_NEVER)
    cst_system_interpret(r->s->problem.system);
  free(asked.name);
  free(asked.file);
}

void cst_file_system(cst_reader *r) {
  cst_yaml *n = cst_reader_required(r, r->root, "", "system");
  r->s->problem.nvariant = 1;
  if (!n)
    return;
  const char *wanted = "the name of a system or a map with the key 'name' or 'file'";
  if (cst_yaml_is_map(n))
    from_map(r, n);
  else if (cst_reader_text(r, n, "system", wanted))
    named(r, n, cst_yaml_text(n), NULL, NULL);
  if (r->s->problem.system)
    sets(r, cst_yaml_get(n, "parameters"));
}

/* ---- the key `steps` ------------------------------------------------------------------------- */

/* Decreasing steps, each of which divides the end.
 *
 * The three forms (a list, {from:, halvings:}, {counts:}) become one list of steps, each with its YAML node.
 */

typedef struct {
  cst_yaml *node; /* where to report errors */
  bool      known;
  double   *h; /* [nvariant] */
} step;

static step *make(const cst_reader *r, int n) {
  step *list = cst_reader_memory((size_t)n, sizeof *list);
  for (int i = 0; i < n; i++)
    list[i].h = cst_reader_memory((size_t)r->s->problem.nvariant, sizeof(double));
  return list;
}

static step *from_list(cst_reader *r, cst_yaml *n, int *count) {
  if (!cst_reader_list(r, n, "steps", "numbers (or {from: ..., halvings: ...} or {counts: [...]})",
                       false))
    return NULL;
  step *list = make(r, *count = cst_yaml_size(n));
  for (int i = 0; i < *count; i++) {
    list[i].node = cst_yaml_item(n, i);
    list[i].known = cst_reader_numbers(r, list[i].node, "steps", list[i].h);
  }
  return list;
}

/* x->from is NULL if it is not known. */
static step *from_halvings(const cst_reader *r, const cst_keys_of_steps *x, cst_yaml *from,
                           int *count) {
  step *list = make(r, *count = x->halvings + 1);
  for (int i = 0; i < *count; i++) {
    list[i].node = from;
    list[i].known = x->from != NULL;
    for (int v = 0; v < r->s->problem.nvariant && x->from; v++)
      list[i].h[v] = ldexp(x->from[v], -i);
  }
  return list;
}

static step *from_counts(cst_reader *r, cst_yaml *counts, int *count) {
  const cst_key *k = cst_key_find(cst_study_keys(), "steps", "counts");
  if (!cst_reader_list(r, counts, "counts", "numbers of steps", false))
    return NULL;
  step *list = make(r, *count = cst_yaml_size(counts));
  for (int i = 0; i < *count; i++) {
    double steps;
    list[i].node = cst_yaml_item(counts, i);
    list[i].known = cst_reader_value(r, list[i].node, k, "counts", &steps);
    for (int v = 0; v < r->s->problem.nvariant && list[i].known; v++)
      list[i].h[v] = r->s->steps.end[v] / steps;
  }
  return list;
}

static step *read_list(cst_reader *r, cst_yaml *n, int *count) {
  if (!n || !cst_yaml_is_map(n))
    return from_list(r, n, count);
  cst_yaml         *counts = cst_yaml_get(n, "counts");
  cst_keys_of_steps x = {0};
  cst_reader_section(r, n, "steps", "steps", counts ? CST_STEPS_COUNTED : CST_STEPS_HALVED, &x);
  step *list =
      counts ? from_counts(r, counts, count) : from_halvings(r, &x, cst_yaml_get(n, "from"), count);
  free(x.from);
  return list;
}

/* The step nearest to h that divides the end. */
static double nearest(double end, double h) {
  double below = fmax(1, floor(end / h));
  double above = below + 1;
  return fabs(end / below - h) <= fabs(end / above - h) ? end / below : end / above;
}

/* True if the step h is invalid; why: the reason. */
static bool is_wrong(double h, double end, const char *unit, char *why, size_t size) {
  double n = round(end / h);
  if (h <= 0)
    snprintf(why, size, "it must be positive");
  else if (h > end * (1 + 1e-9))
    snprintf(why, size, "it is larger than the end %s%s", cst_reader_shortest(end), unit);
  else if (!(n <= CST_LONGEST_RUN))
    snprintf(why, size,
             "it needs %.3g steps to the end %s%s; at most " CST_LONGEST_RUN_TEXT " are allowed",
             end / h, cst_reader_shortest(end), unit);
  else if (fabs(n * h - end) > 1e-9 * end)
    snprintf(
        why, size,
        "it does not divide the end %s%s: %.0f steps reach %.15g%s; the nearest step that does is "
        "%s%s",
        cst_reader_shortest(end), unit, n, n * h, unit, cst_reader_shortest(nearest(end, h)), unit);
  else
    return false;
  return true;
}

static bool check_one(cst_reader *r, const step *x, int v) {
  char        why[320];
  const char *unit = r->s->problem.system ? cst_system_unit(r->s->problem.system, "time") : "";
  if (!is_wrong(x->h[v], r->s->steps.end[v], unit, why, sizeof why))
    return true;
  cst_yaml_error(r->doc, x->node, r->d, "the step is %s%s%s; %s", cst_reader_shortest(x->h[v]),
                 unit, cst_reader_with(r, v), why);
  return false;
}

/* Reports each step at most once, for the first parameter set with which it is invalid. */
static void check_each(cst_reader *r, step *list, int count) {
  for (int i = 0; i < count && !cst_diag_full(r->d); i++)
    for (int v = 0; v < r->s->problem.nvariant && list[i].known; v++)
      list[i].known = check_one(r, list + i, v);
}

static void check_pair(cst_reader *r, const step *a, const step *b) {
  if (!a->known || !b->known)
    return;
  for (int v = 0; v < r->s->problem.nvariant; v++) {
    double na = round(r->s->steps.end[v] / a->h[v]);
    double nb = round(r->s->steps.end[v] / b->h[v]);
    if (nb > na)
      continue;
    const char *with = cst_reader_with(r, v);
    if (nb == na)
      cst_yaml_error(r->doc, b->node, r->d, "the step %s appears twice%s",
                     cst_reader_shortest(b->h[v]), with);
    else
      cst_yaml_error(r->doc, b->node, r->d, "the step %s comes after %s%s; steps must decrease",
                     cst_reader_shortest(b->h[v]), cst_reader_shortest(a->h[v]), with);
    return;
  }
}

/* With `over: coarse` errors are read at the points of the largest step, so every mesh must contain them. */
static void check_nested(cst_reader *r, const step *list, int count) {
  for (int i = 1; i < count && list[0].known && !cst_diag_full(r->d); i++)
    for (int v = 0; v < r->s->problem.nvariant && list[i].known; v++) {
      double coarse = round(r->s->steps.end[v] / list[0].h[v]);
      double fine = round(r->s->steps.end[v] / list[i].h[v]);
      if (fmod(fine, coarse) == 0)
        continue;
      cst_yaml_error(r->doc, list[i].node, r->d,
                     "'over: coarse' needs steps that divide the largest, %s; %s does not%s (%.0f "
                     "steps against %.0f)",
                     cst_reader_shortest(list[0].h[v]), cst_reader_shortest(list[i].h[v]),
                     cst_reader_with(r, v), fine, coarse);
      break;
    }
}

static void store(cst_study *s, const step *list, int count) {
  s->steps.n = count;
  s->steps.h = cst_reader_memory((size_t)s->problem.nvariant * (size_t)count, sizeof(double));
  for (int v = 0; v < s->problem.nvariant; v++)
    for (int i = 0; i < count; i++)
      s->steps.h[v * count + i] = list[i].h[v];
}

void cst_file_steps(cst_reader *r) {
  int        count = 0;
  const bool end = r->s->steps.end != NULL;
  if (!end)
    r->s->steps.end = cst_reader_memory((size_t)r->s->problem.nvariant, sizeof(double));
  step *list = read_list(r, cst_reader_required(r, r->root, "", "steps"), &count);
  if (end) {
    check_each(r, list, count);
    for (int i = 1; i < count && !cst_diag_full(r->d); i++)
      check_pair(r, list + i - 1, list + i);
    if (r->s->error.over == CST_OVER_COARSE)
      check_nested(r, list, count);
  }
  store(r->s, list, count);
  for (int i = 0; i < count; i++)
    free(list[i].h);
  free(list);
}
