/* reader.c: typed values of a study file with their places, with messages that say what is allowed (reader.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/file/reader.h"
#include <errno.h>
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
    d = cst_graph_definitions(r->s->problem.system->model->graph, &n);
  cst_graph_define(r->graph, d, n);
  n = 0;
  const cst_edge_table *t = named && r->s->problem.system
                                ? cst_graph_tables(r->s->problem.system->model->graph, &n)
                                : NULL;
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
  return cst_expr_parse(f->r->s->problem.system->model->graph, word, f->names, known, &error) >=
             0 ||
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
    f->names[f->count + f->n] = (cst_binding){
        .name = x->name, .node = cst_graph_constant(r->s->problem.system->model->graph, 1)};
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
  cst_graph     *g = r->s->problem.system->model->graph;
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
    f->names[f->count + k].node =
        cst_graph_constant(f->r->s->problem.system->model->graph, (double)i);
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
  const cst_node   node =
      cst_expr_parse(r->s->problem.system->model->graph, g->written, names, n, &error);
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

/* The expressions at n, one, or those of the key `for` of the map. */
static void expressions(cst_reader *r, cst_yaml *map, cst_yaml *n, const char *what,
                        cst_expressions *x) {
  cst_system *s = r->s->problem.system;
  const char *written = cst_reader_text(r, n, "expression", "an expression");
  long        visits;
  if (!written || !s)
    return;
  x->text = strdup(written);
  cst_names names = cst_names_create(s, s->model->graph, written);
  growing   g = {r, x, what, written, n, 0};
  visit_family(r, cst_yaml_get(map, "for"), what, names.name, names.n, parse, &g, &visits);
  cst_names_destroy(&names);
}

bool cst_reader_expression(cst_reader *r, cst_yaml *n, const char *what, cst_expressions *x) {
  const char *written = cst_reader_text(r, n, what, "an expression");
  cst_system *s = r->s->problem.system;
  if (!written || !s)
    return false;
  cst_names  names = cst_names_create(s, s->model->graph, written);
  growing    g = {r, x, what, written, n, x->n};
  const bool good = parse(&g, names.name, names.n, 0);
  if (good && !x->text)
    x->text = cst_need(strdup(written));
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
  return n > 0 && strlen(s) <= CST_NAME_MOST;
}

bool cst_reader_name(cst_reader *r, cst_yaml *n, const char *of, const char *name) {
  if (!is_identifier(name)) {
    const cst_value any = {CST_VALUE_NAME};
    char            wanted[100];
    cst_yaml_error(r->doc, n, r->d, "'%s' cannot name %s; allowed: %s", name, of,
                   cst_value_wanted(&any, wanted, sizeof wanted));
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

/* ---- values by the rows of their keys -------------------------------------------------------- */

static const char *const switched[] = {"false", "true", NULL};

static bool is_number(const cst_value *v) {
  return v->type == CST_VALUE_NUMBER || v->type == CST_VALUE_NUMBERS ||
         v->type == CST_VALUE_INTEGER;
}

static int word_count(const char *const *words) {
  int n = 0;
  while (words[n])
    n++;
  return n;
}

/* The default value, as a file would have it. */
static double standard(const cst_reader *r, const cst_key *k) {
  double             x = 0;
  cst_expr_error     error;
  const char *const *words = k->value.type == CST_VALUE_FLAG ? switched : k->value.words;
  if (!is_number(&k->value)) {
    int which = 0;
    while (words[which] && strcmp(words[which], k->standard))
      which++;
    if (!words[which])
      cst_need_fail();
    return which;
  }
  const cst_node node = cst_expr_parse(r->graph, k->standard, NULL, 0, &error);
  if (node < 0 || !cst_graph_is_constant(r->graph, node, &x))
    cst_need_fail();
  return x;
}

/* Whether a number is between the bounds, those of this study too. variant: of the sets of parameters, -1: all. */
static bool is_allowed(cst_reader *r, cst_yaml *n, const cst_key *k, const char *what, double x,
                       int variant) {
  cst_value v = k->value;
  char      wanted[100];
  if (v.most)
    v.high = fmin(v.high, v.most(r->s));
  v.until = NULL;
  if (cst_value_allows(&v, x))
    return true;
  const char *quote = v.item ? "" : "'";
  cst_yaml_error(r->doc, n, r->d, "%s%s%s is %s%s; it must be %s", quote, v.item ? v.item : what,
                 quote, cst_reader_shortest(x), variant < 0 ? "" : cst_reader_with(r, variant),
                 cst_value_wanted(&v, wanted, sizeof wanted));
  return false;
}

bool cst_reader_value(cst_reader *r, cst_yaml *n, const cst_key *k, const char *what, double *x) {
  const cst_value *v = &k->value;
  int              which = 0;
  if (!is_number(v)) {
    const char *const *words = v->type == CST_VALUE_FLAG ? switched : v->words;
    const bool         good = cst_reader_choice(r, n, what, words, word_count(words), &which);
    *x = which;
    return good;
  }
  return (v->constant ? cst_reader_constant : cst_reader_number)(r, n, what, x) &&
         is_allowed(r, n, k, what, *x, -1);
}

/* NULL after a mistake. */
static double *read_numbers(cst_reader *r, cst_yaml *n, const cst_key *k) {
  const int count = r->s->problem.nvariant;
  double   *x = cst_reader_memory((size_t)count, sizeof *x);
  bool      good = cst_reader_numbers(r, n, k->key, x);
  for (int v = 0; v < count && good; v++)
    good = is_allowed(r, n, k, k->key, x[v], v);
  if (good)
    return x;
  free(x);
  return NULL;
}

static void read_seed(cst_reader *r, cst_yaml *n, const cst_key *k, uint64_t *seed) {
  char wanted[100];
  cst_value_wanted(&k->value, wanted, sizeof wanted);
  const char *text = cst_reader_text(r, n, k->key, wanted);
  if (!text)
    return;
  errno = 0;
  const uint64_t x = strtoull(text, NULL, 10);
  if (errno || strspn(text, "0123456789") != strlen(text))
    cst_yaml_error(r->doc, n, r->d, "'%s' is '%s'; it must be %s", k->key, text, wanted);
  else
    *seed = x;
}

/* label: what expressions are of, in messages; from a name on, the thing of that name. */
static void read_words(cst_reader *r, cst_yaml *n, const cst_key *k, void *to, char *label,
                       size_t room) {
  const cst_value *v = &k->value;
  const bool       named = v->type == CST_VALUE_NAME;
  const char      *text = cst_reader_text(r, n, k->key, named ? "a name" : v->of);
  if (!text)
    return;
  *(char **)to = cst_need(strdup(text));
  if (!named)
    return;
  cst_reader_name(r, n, v->of, text);
  snprintf(label, room, "%s '%.40s'", v->item ? v->item : strchr(v->of, ' ') + 1, text);
}

typedef struct {
  cst_yaml   *map;
  const char *what; /* the map in messages */
  void       *section;
  char        label[120];
} reading;

/* The value of a key, or its default. */
static void read_row(cst_reader *r, reading *x, const cst_key *k) {
  const cst_value *v = &k->value;
  void            *to = (char *)x->section + v->at;
  cst_yaml        *n = cst_yaml_get(x->map, k->key);
  double           value;
  if (x->map && !k->standard)
    n = cst_reader_required(r, x->map, x->what, k->key);
  switch (v->type) {
  case CST_VALUE_NUMBERS:
    if (n || !k->standard)
      *(double **)to = read_numbers(r, n, k);
    break;
  case CST_VALUE_SEED:
    *(uint64_t *)to = k->standard ? strtoull(k->standard, NULL, 10) : 0;
    read_seed(r, n, k, to);
    break;
  case CST_VALUE_TEXT:
  case CST_VALUE_NAME:
    read_words(r, n, k, to, x->label, sizeof x->label);
    break;
  case CST_VALUE_EXPRESSION:
    cst_reader_expression(r, n, x->label, to);
    break;
  case CST_VALUE_EXPRESSIONS:
    expressions(r, x->map, n, x->label, to);
    break;
  default:
    if (k->standard && !v->rule)
      cst_value_set(v, x->section, standard(r, k));
    if (cst_reader_value(r, n, k, k->key, &value))
      cst_value_set(v, x->section, value);
  }
}

void cst_reader_values(cst_reader *r, cst_yaml *n, const char *what, const cst_key *table,
                       const char *in, int forms, void *section) {
  reading x = {n, what, section, ""};
  snprintf(x.label, sizeof x.label, "%s", what);
  for (const cst_key *k = table; k->key; k++)
    if (!strcmp(k->in, in) && (k->forms == CST_KEYS_ALL || k->forms & forms) &&
        k->value.type != CST_VALUE_OWN && !k->value.list && !k->value.also)
      read_row(r, &x, k);
}

bool cst_reader_section(cst_reader *r, cst_yaml *n, const char *what, const char *in, int forms,
                        void *section) {
  const bool good = cst_reader_keys(r, n, what, in, forms);
  cst_reader_values(r, good ? n : NULL, what, cst_study_keys(), in, forms, section);
  return good;
}

cst_document *cst_reader_standard(cst_reader *r, const cst_key *k, cst_yaml **value) {
  char text[300];
  snprintf(text, sizeof text, "%s: %s", k->key, k->standard);
  cst_document *doc = cst_need(cst_document_parse("", text, strlen(text), r->d));
  *value = cst_yaml_get(cst_document_root(doc), k->key);
  return doc;
}
