/* reader-family.c: the key `for` of a study file, as nested loops: "i = 1..n", or a list of ranges, ["i =
 * 1..n", "j = i+1..n"] (see reader.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/file/reader.h"

enum { RANGES = 4, LARGEST = 1000000 };

typedef struct {
  cst_yaml *node;
  /* text of the scalar; pointers to its parts, which end at '=', at '..', or with the text */
  const char *text, *from, *to;
  char       *name;
} range;

typedef struct {
  cst_reader       *r;
  const char       *what;
  range             range[RANGES];
  int               n;
  cst_binding      *names; /* [count + RANGES] the given names, then the variables */
  int               count;
  cst_family_visit *visit;
  void             *context;
  long              visits;
} family;

static const char form[] = "'NAME = FROM..TO', for example 'i = 1..n'";

/* True if the word is a known name, constant or function. */
static bool is_taken(family *f, const char *word, int known) {
  cst_expr_error error;
  return cst_expr_parse(f->r->s->system->graph, word, f->names, known, &error) >= 0 ||
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
        (cst_binding){.name = x->name, .node = cst_graph_constant(r->s->system->graph, 1)};
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
  cst_graph     *g = r->s->system->graph;
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
    f->names[f->count + k].node = cst_graph_constant(f->r->s->system->graph, (double)i);
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

bool cst_reader_family(cst_reader *r, cst_yaml *n, const char *what, const cst_binding *names,
                       int count, cst_family_visit *visit, void *context, long *visits) {
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
