/* reader.c: typed values of a study file with their places, with messages that say what is allowed (reader.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "core/text.h"
#include "expr/define.h"
#include "expr/edge-table.h"
#include "observe/observer.h"
#include "study/file/names.h"
#include "study/file/starts.h"

/* ---- maps, lists, words and flags ------------------------------------------------------------ */

void *cst_reader_memory(size_t n, size_t size) {
  return cst_large(cst_need(calloc(n ? n : 1, size)), n * size);
}

static const char *kind(cst_yaml *n) {
  if (cst_yaml_is_list(n))
    return "a list";
  if (cst_yaml_is_map(n))
    return "a map";
  const char *text = cst_yaml_text(n);
  return text && *text ? "a single value" : "empty";
}

bool cst_reader_map(cst_reader *r, cst_yaml *n, const char *what, const char *const *keys,
                    int count) {
  if (!n)
    return false;
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be a map with keys of: %s", what, kind(n),
                   cst_diag_join(keys, count));
    return false;
  }
  cst_yaml_check_keys(r->doc, n, keys, count, r->d);
  return true;
}

bool cst_reader_keys(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms) {
  const char *keys[CST_MOST_KEYS];
  return cst_reader_map(r, n, what, keys, cst_keys_of(cst_study_keys(), in, forms, keys));
}

bool cst_reader_list(cst_reader *r, cst_yaml *n, const char *what, const char *of,
                     bool may_be_empty) {
  if (!n)
    return false;
  if (!cst_yaml_is_list(n)) {
    cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be a list of %s", what, kind(n), of);
    return false;
  }
  if (cst_yaml_size(n) || may_be_empty)
    return true;
  cst_yaml_error(r->doc, n, r->d, "'%s' is an empty list; it must be a list of %s", what, of);
  return false;
}

const char *cst_reader_text(cst_reader *r, cst_yaml *n, const char *what, const char *of) {
  if (!n)
    return NULL;
  const char *text = cst_yaml_is_scalar(n) ? cst_yaml_text(n) : NULL;
  if (text && *text)
    return text;
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be %s", what, kind(n), of);
  return NULL;
}

/* Reports a missing key at its parent, or at 1:1 for the whole file. */
cst_yaml *cst_reader_required(cst_reader *r, cst_yaml *map, const char *what, const char *key) {
  cst_yaml *n = cst_yaml_get(map, key);
  if (!n && map == r->root)
    cst_yaml_error(r->doc, NULL, r->d, "missing key '%s'", key);
  else if (!n)
    cst_yaml_error(r->doc, map, r->d, "missing key '%s' in '%s'", key, what);
  return n;
}

void cst_reader_unknown(cst_reader *r, cst_yaml *n, const char *what, const char *word,
                        const char *const *names, int count) {
  cst_yaml_error(r->doc, n, r->d, "unknown %s '%s'; allowed: %s%s", what, word,
                 count ? cst_diag_join(names, count) : "none", cst_diag_guess(word, names, count));
}

bool cst_reader_choice(cst_reader *r, cst_yaml *n, const char *what, const char *const *names,
                       int count, int *out) {
  char of[512];
  snprintf(of, sizeof of, "one of: %s", cst_diag_join(names, count));
  const char *word = cst_reader_text(r, n, what, of);
  if (!word)
    return false;
  for (int i = 0; i < count; i++)
    if (!strcmp(word, names[i])) {
      *out = i;
      return true;
    }
  cst_reader_unknown(r, n, what, word, names, count);
  return false;
}

bool cst_reader_flag(cst_reader *r, cst_yaml *n, const char *what, bool *out) {
  static const char *const names[] = {"false", "true"};
  int                      which;
  if (!cst_reader_choice(r, n, what, names, 2, &which))
    return false;
  *out = which;
  return true;
}

/* ---- files that a study names ---------------------------------------------------------------- */

const char cst_reader_layer_withheld[] = "is C code, which is not compiled without permission";

const char *cst_reader_share_alone(cst_fetch *fetch, const char *path, char **bytes,
                                   size_t *length) {
  return fetch(path, bytes, length);
}

char *cst_reader_beside(const cst_reader *r, const char *name) {
  const char *study = r->s->source.file;
  const char *slash = *name == '/' ? NULL : strrchr(study, '/');
  int         folder = slash ? (int)(slash + 1 - study) : 0;
  size_t      room = (size_t)folder + strlen(name) + 1;
  char       *path = cst_reader_memory(room, 1);
  snprintf(path, room, "%.*s%s", folder, study, name);
  return path;
}

bool cst_reader_fetch(cst_reader *r, cst_yaml *n, cst_fetch *fetch, const char *path, char **bytes,
                      size_t *length) {
  const char *why = r->share(fetch, path, bytes, length);
  if (why)
    cst_yaml_error(r->doc, n, r->d, "%s: %s", path, why);
  return !why;
}

void cst_reader_check_sum(cst_reader *r, cst_yaml *sum, const char *path, const char *sha256) {
  const char *wanted = cst_reader_text(r, sum, "sha256", "the sha256 of the file");
  if (wanted && strcmp(wanted, sha256))
    cst_yaml_error(r->doc, sum, r->d, "sha256 is %s; that of %s is %s", wanted, path, sha256);
}

/* ---- numbers: literals or expressions of the parameters and pi, one value per parameter set -- */

static const char *const number_wanted = "a number or a quoted expression of the parameters and pi";

const char *cst_reader_shortest(double x) {
  static char ring[8][32];
  static int  turn;
  char       *s = ring[turn++ % 8];
  return cst_text_number(x, s, sizeof ring[0]);
}

const char *cst_reader_with(const cst_reader *r, int variant) {
  static char      ring[4][256];
  static int       turn;
  const size_t     room = sizeof ring[0];
  char            *text = ring[turn++ % 4];
  const cst_study *s = r->s;
  const int        npar = s->problem.system ? s->problem.system->npar : 0;
  size_t           at = 0;
  *text = 0;
  for (int i = 0; i < npar && at < room; i++) {
    if (!cst_study_sweeps(s, i))
      continue;
    const char *separator = at ? ", " : " with ";
    const char *value = cst_reader_shortest(s->problem.parameter[variant * npar + i]);
    at += (size_t)snprintf(
        text + at, room - at, "%s%s = %s%s", separator, s->problem.system->parameter[i].name, value,
        cst_system_unit(s->problem.system, s->problem.system->parameter[i].name));
  }
  if (s->sweep.n && s->sweep.nset && at < room) {
    const char *separator = at ? ", " : " with the start ";
    snprintf(text + at, room - at, "%s%.60s", separator, s->sweep.name[variant / s->sweep.nset]);
  }
  return text;
}

/* Expressions that have the names of the system's parameters have its definitions too. */
static void define(cst_reader *r, bool named) {
  int                   n = 0;
  const cst_definition *d = NULL;
  if (named && r->s->problem.system)
    d = cst_graph_definitions(r->s->problem.system->graph, &n);
  cst_graph_define(r->graph, d, n);
  n = 0;
  const cst_edge_table *t =
      named && r->s->problem.system ? cst_graph_tables(r->s->problem.system->graph, &n) : NULL;
  cst_graph_tabulate(r->graph, t, n);
}

/* The node of the expression at n, or -1. */
static cst_node expression(cst_reader *r, cst_yaml *n, const char *what, const cst_binding *names,
                           int count, bool quiet) {
  cst_expr_error error;
  const char    *text = cst_reader_text(r, n, what, number_wanted);
  if (!text)
    return -1;
  define(r, names != NULL);
  cst_node x = cst_expr_parse(r->graph, text, names, count, &error);
  if (x < 0 && !quiet)
    cst_yaml_error_at(r->doc, n, error.offset, r->d, "'%s': %s", what, error.message);
  return x;
}

bool cst_reader_constant(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  cst_node x = expression(r, n, what, NULL, 0, false);
  /* without names every expression is folded to a finite constant */
  return x >= 0 && cst_graph_is_constant(r->graph, x, out);
}

bool cst_reader_numbers(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  const cst_study *s = r->s;
  int              npar = s->problem.system ? s->problem.system->npar : 0;
  cst_node         x =
      expression(r, n, what, r->binding,
                 s->problem.system ? cst_system_named(s->problem.system) : 0, !s->problem.system);
  if (x < 0)
    return false;
  if (cst_graph_is_constant(r->graph, x, out)) { /* always finite */
    for (int v = 1; v < s->problem.nvariant; v++)
      out[v] = out[0];
    return true;
  }
  bool          good = true;
  const double *in[128] = {0};
  cst_tape     *tape = cst_tape_create(r->graph, &x, 1);
  for (int v = 0; v < s->problem.nvariant && good; v++) {
    in['c'] = s->problem.parameter + (size_t)v * (size_t)npar;
    cst_evaluate_tape(tape, in, out + v);
    good = isfinite(out[v]);
    if (!good)
      cst_yaml_error(r->doc, n, r->d, "'%s' is %s%s; it must be finite", what,
                     isnan(out[v]) ? "not a number" : "infinite", cst_reader_with(r, v));
  }
  cst_tape_destroy(tape);
  return good;
}

bool cst_reader_number(cst_reader *r, cst_yaml *n, const char *what, double *out) {
  if (!n)
    return false;
  double *all = cst_reader_memory((size_t)r->s->problem.nvariant, sizeof *all);
  bool    good = cst_reader_numbers(r, n, what, all);
  for (int v = 1; v < r->s->problem.nvariant && good; v++) {
    good = all[v] == all[0];
    if (!good)
      cst_yaml_error(r->doc, n, r->d,
                     "'%s' changes in the sweep, from %s%s to %s%s; it must be the same for every "
                     "parameter set",
                     what, cst_reader_shortest(all[0]), cst_reader_with(r, 0),
                     cst_reader_shortest(all[v]), cst_reader_with(r, v));
  }
  if (good)
    *out = all[0];
  free(all);
  return good;
}

bool cst_reader_integer(cst_reader *r, cst_yaml *n, const char *what, long low, long high,
                        long *out) {
  double x;
  if (!cst_reader_number(r, n, what, &x))
    return false;
  if (x == floor(x) && x >= (double)low && x <= (double)high) {
    *out = (long)x;
    return true;
  }
  cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be an integer from %ld to %ld", what,
                 cst_reader_shortest(x), low, high);
  return false;
}

/* ---- values by the rows of their keys -------------------------------------------------------- */

static int word_count(const char *const *words) {
  int n = 0;
  while (words[n])
    n++;
  return n;
}

/* The default value, as a file would have it. */
static double standard(const cst_reader *r, const cst_key *k) {
  double         x = 0;
  cst_expr_error error;
  if (k->value.type == CST_VALUE_FLAG)
    return !strcmp(k->standard, "true");
  if (k->value.type == CST_VALUE_CHOICE) {
    while (strcmp(k->value.words[(int)x], k->standard))
      x++;
    return x;
  }
  const cst_node node = cst_expr_parse(r->graph, k->standard, NULL, 0, &error);
  if (node < 0 || !cst_graph_is_constant(r->graph, node, &x))
    cst_need_fail();
  return x;
}

static void read_value(cst_reader *r, cst_yaml *map, const cst_key *k, void *section) {
  const cst_value *v = &k->value;
  const bool       numeric = v->type == CST_VALUE_NUMBER || v->type == CST_VALUE_INTEGER;
  double           x = 0;
  int              which = 0;
  bool             flag = false, good;
  if (k->standard && !v->rule)
    cst_value_set(v, section, standard(r, k));
  if (!map)
    return;
  cst_yaml *n =
      k->standard ? cst_yaml_get(map, k->key) : cst_reader_required(r, map, k->in, k->key);
  if (v->type == CST_VALUE_FLAG)
    good = cst_reader_flag(r, n, k->key, &flag), x = flag;
  else if (v->type == CST_VALUE_CHOICE)
    good = cst_reader_choice(r, n, k->key, v->words, word_count(v->words), &which), x = which;
  else
    good = cst_reader_number(r, n, k->key, &x);
  if (good && numeric && !cst_value_allows(v, x)) {
    char wanted[100];
    cst_yaml_error(r->doc, n, r->d, "'%s' is %s; it must be %s", k->key, cst_reader_shortest(x),
                   cst_value_wanted(v, wanted, sizeof wanted));
  } else if (good) {
    cst_value_set(v, section, x);
  }
}

void cst_reader_values(cst_reader *r, cst_yaml *n, const char *in, int forms, void *section) {
  for (const cst_key *k = cst_study_keys(); k->key; k++)
    if (!strcmp(k->in, in) && (k->forms == CST_KEYS_ALL || k->forms & forms) &&
        k->value.type != CST_VALUE_OWN)
      read_value(r, n, k, section);
}

bool cst_reader_section(cst_reader *r, cst_yaml *n, const char *in, int forms, void *section) {
  const bool good = cst_reader_keys(r, n, in, in, forms);
  cst_reader_values(r, good ? n : NULL, in, forms, section);
  return good;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Values of a parameter or coordinate: a number, a list of numbers, or {from:, to:, count:, spacing: linear | log}. */

enum { MOST = 1000000 };

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
  static const char *const spacings[] = {"linear", "log"};
  const int                before = cst_diag_count(r->d);
  double                   from = 0, to = 0, m = 0;
  int                      spacing = 0;
  cst_yaml                *number = cst_reader_required(r, n, what, "count");
  cst_reader_keys(r, n, what, "range", CST_KEYS_ALL);
  bool good = cst_reader_constant(r, cst_reader_required(r, n, what, "from"), "from", &from);
  good &= cst_reader_constant(r, cst_reader_required(r, n, what, "to"), "to", &to);
  good &= number && cst_reader_constant(r, number, "count", &m);
  cst_reader_choice(r, cst_yaml_get(n, "spacing"), "spacing", spacings, CST_COUNT(spacings),
                    &spacing);
  if (good && !(m >= 1 && m <= MOST && m == floor(m)))
    cst_yaml_error(r->doc, number, r->d, "'count' is %s; it must be a whole number from 1 to %d",
                   cst_reader_shortest(m), MOST);
  else if (good && (m == 1) != (from == to))
    cst_yaml_error(r->doc, n, r->d, "'%s' has a count of %s from %s to %s; %s", what,
                   cst_reader_shortest(m), cst_reader_shortest(from), cst_reader_shortest(to),
                   m == 1 ? "for one value 'from' and 'to' must be equal"
                          : "its values would all be equal");
  else if (good && spacing && !(from * to > 0))
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s': with logarithmic spacing 'from' and 'to' must be nonzero and have the same sign",
        what);
  if (!good || cst_diag_count(r->d) > before)
    return false;
  const int size = (int)m;
  double   *x = cst_reader_memory((size_t)size, sizeof *x);
  for (long i = 0; i < size; i++)
    x[i] = between(from, to, i, size, spacing == 1);
  if (!are_distinct(x, size)) {
    cst_yaml_error(r->doc, n, r->d, "the %d values of '%s' are not all finite and different", size,
                   what);
    free(x);
    return false;
  }
  *count = size;
  *values = x;
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

bool *cst_reader_repeats(const double *x, int n) {
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
  bool *again = cst_reader_repeats(x, n);
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

/* ---- the key `for` --------------------------------------------------------------------------- */

/* Nested loops: "i = 1..n", or a list of ranges, ["i = 1..n", "j = i+1..n"]. */

enum { RANGES = 4, LARGEST = 1000000 };

typedef bool family_visit(void *context, const cst_binding *names, int n, long number);

typedef struct {
  cst_yaml *node;
  /* text of the scalar; pointers to its parts, which end at '=', at '..', or with the text */
  const char *text, *from, *to;
  char       *name;
} range;

typedef struct {
  cst_reader   *r;
  const char   *what;
  range         range[RANGES];
  int           n;
  cst_binding  *names; /* [count + RANGES] the given names, then the variables */
  int           count;
  family_visit *visit;
  void         *context;
  long          visits;
} family;

static const char form[] = "'NAME = FROM..TO', for example 'i = 1..n'";

/* True if the word is a known name, constant or function. */
static bool is_taken(family *f, const char *word, int known) {
  cst_expr_error error;
  return cst_expr_parse(f->r->s->problem.system->graph, word, f->names, known, &error) >= 0 ||
         strncmp(error.message, "unknown name", 12) != 0;
}

static bool is_word(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    rest[] = "0123456789_";
  const size_t n = strspn(s, letters);
  for (size_t i = n; s[i]; i++)
    if (!strchr(letters, s[i]) && !strchr(rest, s[i]))
      return false;
  return n > 0;
}

/* Splits a range into its parts and defines its variable. */
static bool split(family *f, cst_yaml *n) {
  cst_reader *r = f->r;
  range      *x = &f->range[f->n];
  const char *text = cst_reader_text(r, n, "for", form);
  const char *equal = text ? strchr(text, '=') : NULL;
  const char *dots = equal ? strstr(equal, "..") : NULL;
  if (!text)
    return false;
  if (!dots) {
    cst_yaml_error(r->doc, n, r->d, "'for' of %s is '%s'; it must be %s", f->what, text, form);
    return false;
  }
  const char *begin = text + strspn(text, " \t\n");
  size_t      length = (size_t)(equal - begin);
  while (length && strchr(" \t\n", begin[length - 1]))
    length--;
  *x = (range){n, text, equal + 1, dots + 2, cst_need(strndup(begin, length))};
  if (!is_word(x->name) || length > 40)
    cst_yaml_error_at(
        r->doc, n, (int)(begin - text), r->d,
        "'%s' cannot be the variable of 'for'; a variable has letters, digits and _, a letter "
        "first, at most 40",
        x->name);
  else if (is_taken(f, x->name, f->count + f->n))
    cst_yaml_error_at(
        r->doc, n, (int)(begin - text), r->d,
        "'%s' cannot be the variable of 'for', it has a meaning already; choose a new name",
        x->name);
  else {
    f->names[f->count + f->n] =
        (cst_binding){.name = x->name, .node = cst_graph_constant(r->s->problem.system->graph, 1)};
    f->n++;
    return true;
  }
  free(x->name);
  x->name = NULL;
  return false;
}

/* Evaluates the text at `at`, of the given length, as an integer; the variables of ranges before k are known.
 */
static bool whole(family *f, int k, const char *at, size_t length, const char *which, long *out) {
  cst_reader    *r = f->r;
  const range   *x = &f->range[k];
  char          *part = cst_need(strndup(at, length));
  cst_graph     *g = r->s->problem.system->graph;
  cst_expr_error error;
  double         value = 0;
  const cst_node node = cst_expr_parse(g, part, f->names, f->count + k, &error);
  const int      offset = (int)(at - x->text);
  const int      blanks = (int)strspn(part, " \t\n");
  free(part);
  if (node < 0) {
    cst_yaml_error_at(r->doc, x->node, offset + error.offset, r->d, "%s of 'for': %s", which,
                      error.message);
    return false;
  }
  if (!cst_graph_is_constant(g, node, &value) || value != floor(value) || fabs(value) > LARGEST) {
    cst_yaml_error_at(
        r->doc, x->node, offset + blanks, r->d,
        "%s of 'for' must be a whole number, at most %d: an expression of numbers, sizes and "
        "variables before it",
        which, LARGEST);
    return false;
  }
  *out = (long)value;
  return true;
}

static bool loop(family *f, int k) {
  const range *x = &f->range[k];
  long         from, to;
  if (k == f->n) {
    if (++f->visits <= LARGEST)
      return f->visit(f->context, f->names, f->count + f->n, f->visits - 1);
    cst_yaml_error(f->r->doc, f->range[0].node, f->r->d, "'for' of %s has more than %d members",
                   f->what, LARGEST);
    return false;
  }
  if (!whole(f, k, x->from, (size_t)(x->to - x->from) - 2, "the first number", &from))
    return false;
  if (!whole(f, k, x->to, strlen(x->to), "the last number", &to))
    return false;
  for (long i = from; i <= to; i++) {
    f->names[f->count + k].node = cst_graph_constant(f->r->s->problem.system->graph, (double)i);
    if (!loop(f, k + 1))
      return false;
  }
  return true;
}

static bool split_all(family *f, cst_yaml *n) {
  if (!n)
    return true;
  if (!cst_yaml_is_list(n))
    return split(f, n);
  const int ranges = cst_yaml_size(n);
  if (ranges < 1 || ranges > RANGES) {
    cst_yaml_error(f->r->doc, n, f->r->d, "'for' of %s has %d ranges; it must have 1 to %d",
                   f->what, ranges, RANGES);
    return false;
  }
  for (int i = 0; i < ranges; i++)
    if (!split(f, cst_yaml_item(n, i)))
      return false;
  return true;
}

/* The ranges of `for`: none, one, or a list, each "NAME = FROM..TO", where FROM and TO may
 * use earlier variables. Visits every combination in the order of nested loops, with the given names and the
 * variables; visit returns false to stop. n NULL: one visit, without variables. False after a mistake. */
static bool visit_family(cst_reader *r, cst_yaml *n, const char *what, const cst_binding *names,
                         int count, family_visit *visit, void *context, long *visits) {
  family f = {.r = r, .what = what, .count = count, .visit = visit, .context = context};
  f.names = cst_need(malloc(sizeof *f.names * ((size_t)count + RANGES)));
  memcpy(f.names, names, sizeof *names * (size_t)count);
  bool good = split_all(&f, n) && loop(&f, 0);
  if (good && !f.visits) {
    cst_yaml_error(r->doc, n, r->d, "'for' of %s has no members", what);
    good = false;
  }
  *visits = f.visits;
  for (int i = 0; i < f.n; i++)
    free(f.range[i].name);
  free(f.names);
  return good;
}

/* ---- expressions that are evaluated along trajectories, and the names of their datasets ------ */

enum { NAME_LENGTH = 32 };

typedef struct {
  cst_reader      *r;
  cst_expressions *x;
  const char      *what, *written;
  cst_yaml        *text;
  int              room;
} growing;

static bool parse(void *context, const cst_binding *names, int n, long number) {
  growing         *g = context;
  cst_reader      *r = g->r;
  cst_expressions *x = g->x;
  cst_expr_error   error;
  const cst_node   node = cst_expr_parse(r->s->problem.system->graph, g->written, names, n, &error);
  if (node < 0) {
    cst_yaml_error_at(r->doc, g->text, error.offset, r->d, "%s%s: %s", g->what,
                      number ? ", in one of its expressions" : "", error.message);
    return false;
  }
  if (x->n >= g->room) {
    g->room = g->room ? 2 * g->room : 16;
    x->node = cst_need(realloc(x->node, sizeof *x->node * (size_t)g->room));
  }
  x->node[x->n++] = node;
  return true;
}

bool cst_reader_expressions(cst_reader *r, cst_yaml *map, const char *in, const char *what,
                            cst_expressions *x) {
  cst_system *s = r->s->problem.system;
  cst_yaml   *text = cst_reader_required(r, map, in, "expression");
  const char *written = cst_reader_text(r, text, "expression", "an expression");
  long        visits;
  if (!written || !s)
    return false;
  x->text = strdup(written);
  cst_names  names = cst_names_create(s, s->graph, written);
  growing    g = {r, x, what, written, text, 0};
  const bool good =
      visit_family(r, cst_yaml_get(map, "for"), what, names.name, names.n, parse, &g, &visits);
  cst_names_destroy(&names);
  return good;
}

bool cst_reader_expression(cst_reader *r, cst_yaml *n, const char *what, cst_expressions *x) {
  const char *written = cst_reader_text(r, n, what, "an expression");
  cst_system *s = r->s->problem.system;
  if (!written || !s)
    return false;
  cst_names  names = cst_names_create(s, s->graph, written);
  growing    g = {r, x, what, written, n, x->n};
  const bool good = parse(&g, names.name, names.n, 0);
  cst_names_destroy(&names);
  return good;
}

void cst_reader_forget(cst_expressions *x) {
  free(x->text);
  free(x->node);
}

static bool is_identifier(const char *s) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    rest[] = "0123456789_-";
  const size_t n = strspn(s, letters);
  for (size_t i = n; s[i]; i++)
    if (!strchr(letters, s[i]) && !strchr(rest, s[i]))
      return false;
  return n > 0 && strlen(s) <= NAME_LENGTH;
}

bool cst_reader_name(cst_reader *r, cst_yaml *n, const char *of, const char *name) {
  if (!is_identifier(name)) {
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s' cannot name %s; allowed: a letter, then letters, digits, _ and -, at most %d", name,
        of, NAME_LENGTH);
    return false;
  }
  for (int k = 0; k < cst_observer_count; k++)
    if (!strcmp(cst_observers[k]->name, name)) {
      cst_yaml_error(r->doc, n, r->d, "the name '%s' is taken by an observable; choose another",
                     name);
      return false;
    }
  return true;
}
