/* define.c: definitions (define.h): their use in an expression, and the check of their texts.
 *
 * The text of a definition is read by a parser of its own, which has the names of the place of use and, as
 * the outermost variables, the arguments. A name without arguments is read once in a parse. A function is read at
 * each use; what is read again is counted as it is for the terms of sums, so that no description takes long.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "expr/parse.h"

enum { USE = 128 }; /* what a use costs besides its text, in characters */

void cst_graph_define(cst_graph *g, const cst_definition *d, int n) {
  g->definition = d;
  g->definitions = n;
}

const cst_definition *cst_graph_definitions(const cst_graph *g, int *n) {
  *n = g->definitions;
  return g->definition;
}

const cst_definition *cst_graph_definition_find(const cst_graph *g, const char *name) {
  for (int k = 0; k < g->definitions; k++)
    if (!strcmp(g->definition[k].name, name))
      return &g->definition[k];
  return NULL;
}

cst_parse_defined *cst_parse_defined_create(const cst_graph *g) {
  const size_t n = (size_t)g->definitions;
  if (!n)
    return NULL;
  cst_parse_defined *x = cst_expr_memory(NULL, n, sizeof *x);
  for (size_t k = 0; k < n; k++)
    x[k] = (cst_parse_defined){.node = -1};
  return x;
}

/* ---- titles ---------------------------------------------------------------------------------- */

/* Appends a and b if they fit with "..." behind them. */
static bool append(char title[CST_PARSE_TITLE], const char *a, const char *b) {
  const size_t used = strlen(title);
  if (used + strlen(a) + strlen(b) + sizeof " -> ...)" > CST_PARSE_TITLE)
    return false;
  strcat(strcat(title, a), b);
  return true;
}

/* "slip(x, w)" */
static void definition_title(const cst_definition *d, char title[CST_PARSE_TITLE]) {
  snprintf(title, CST_PARSE_TITLE, "%.*s", CST_PARSE_SHOWN, d->name);
  for (int i = 0; i < d->n; i++)
    if (!append(title, i ? ", " : "(", d->argument[i])) {
      strcat(title, ", ...");
      break;
    }
  if (d->n)
    strcat(title, ")");
}

/* "a -> b -> a" from the frame of a on. */
static void write_cycle(const cst_parse_frame *f, const cst_definition *a,
                        char title[CST_PARSE_TITLE]) {
  const cst_parse_frame *from[CST_EXPR_DEPTH];
  int                    n = 0;
  while (f && n < CST_EXPR_DEPTH) {
    from[n++] = f;
    f = f->of == a ? NULL : f->outer;
  }
  *title = '\0';
  while (n-- > 0)
    if (!append(title, *title ? " -> " : "", from[n]->of->name)) {
      strcat(title, " -> ...");
      return;
    }
  if (!append(title, " -> ", a->name))
    strcat(title, " -> ...");
}

/* ---- use ------------------------------------------------------------------------------------- */

static cst_node wrong_count(cst_parser *p, const cst_definition *d) {
  char title[CST_PARSE_TITLE];
  definition_title(d, title);
  return cst_parse_fail(p, p->at, "%s takes %d argument%s: %s", d->name, d->n, d->n > 1 ? "s" : "",
                        title);
}

/* Reads "(a, b)" into arguments, the first one outermost. */
static bool read_arguments(cst_parser *p, const cst_definition *d,
                           cst_parse_loop argument[CST_DEFINE_ARGUMENTS]) {
  if (!cst_parse_enter(p, p->at))
    return false;
  cst_parse_accept(p, '(');
  for (int i = 0; i < d->n; i++) {
    const bool there = i ? cst_parse_accept(p, ',') : cst_parse_peek(p) != ')';
    if (!there && cst_parse_peek(p) == ')')
      wrong_count(p, d);
    else if (!there)
      cst_parse_closing(p, ')', -1);
    argument[i].outer = i ? &argument[i - 1] : NULL;
    argument[i].cell = NULL;
    strcpy(argument[i].name, d->argument[i]);
    if (!p->failed)
      argument[i].node = cst_parse_expression(p);
    if (p->failed)
      return false;
  }
  if (cst_parse_peek(p) == ',')
    wrong_count(p, d);
  cst_parse_closing(p, ')', 0);
  p->depth--;
  return !p->failed;
}

static bool in_cycle(const cst_parser *p, const cst_definition *d) {
  const cst_parse_frame *f = p->frame;
  while (f && f->of != d)
    f = f->outer;
  return f;
}

/* A cycle is told at the first of its definitions, when its text is checked. */
static void tell_cycle(cst_parser *p, const cst_definition *d, size_t at) {
  char                   cycle[CST_PARSE_TITLE];
  const cst_parse_frame *f = p->frame;
  const cst_definition  *first = d;
  for (; f->of != d; f = f->outer)
    if (f->of < first)
      first = f->of;
  write_cycle(p->frame, d, cycle);
  cst_parse_fail(p, at, "it is defined by itself, %s", cycle);
  p->cycle = true;
  if (f->outer || first != d)
    p->within = (int)(first - p->g->definition);
}

/* Moves the error of the text of d to its use. */
static void take_error(cst_parser *p, const cst_parser *of, const cst_definition *d, size_t at) {
  char message[sizeof of->error->message];
  strcpy(message, of->error->message);
  if (of->foreign && !p->used)
    cst_parse_foreign(p, at, d, message);
  else if (of->foreign || of->cycle || of->within >= 0)
    cst_parse_fail(p, at, "%s", message);
  else
    cst_parse_fail(p, at, "in '%s': %.180s", d->name, message);
  p->error->table = of->error->table;
  p->error->row = of->error->row;
  p->error->column = of->error->column;
  p->foreign = of->foreign;
  p->cycle = of->cycle;
  p->within = of->within;
  if (p->within < 0 && !p->cycle)
    p->within = (int)(d - p->g->definition);
}

/* Whether the node of a name is the same wherever it is used in this parse: no sum over pairs was made, and
 * none would be elsewhere. */
static bool is_settled(const cst_parser *of, int pairs_before) {
  return !of->idle && (!of->pairs || (!of->inside && of->pairs->n == pairs_before));
}

/* Reads the text of d. */
static cst_node expand(cst_parser *p, const cst_definition *d, const cst_parse_loop *arguments,
                       size_t at) {
  const cst_parse_frame frame = {d, p->frame};
  cst_parse_defined    *x = &p->defined[d - p->g->definition];
  cst_expr_error        error;
  cst_parser            of = {.g = p->g,
                              .text = d->text,
                              .depth = p->depth,
                              .idle = p->idle,
                              .terms = p->terms,
                              .read = p->read,
                              .names = p->names,
                              .n = p->n,
                              .loop = arguments,
                              .arguments = arguments,
                              .error = &error,
                              .pairs = p->pairs,
                              .pair = p->pair,
                              .frame = &frame,
                              .defined = p->defined,
                              .row_of = p->row_of,
                              .row = p->row,
                              .used = true,
                              .inside = p->inside || p->loop != p->arguments,
                              .within = -1};
  const int             pairs = p->pairs ? p->pairs->n : 0;
  cst_parse_charge(p, (double)strlen(d->text) + USE, at, "definitions and terms of sums");
  of.read = p->read;
  if (p->failed || !cst_parse_enter(&of, 0))
    return cst_parse_fail(p, at, "nested deeper than %d", CST_EXPR_DEPTH);
  const cst_node n = cst_parse_complete(&of);
  p->terms = of.terms;
  p->read = of.read;
  if (of.failed) {
    take_error(p, &of, d, at);
    return -1;
  }
  x->checked |= p->idle > 0;
  if (!d->n && is_settled(&of, pairs))
    x->node = n;
  return cst_parse_checked(p, n, at);
}

cst_node cst_parse_definition(cst_parser *p, const cst_definition *d, size_t at) {
  cst_parse_loop           argument[CST_DEFINE_ARGUMENTS];
  const cst_parse_defined *x = &p->defined[d - p->g->definition];
  const bool               call = cst_parse_peek(p) == '(';
  if (call && !d->n)
    return cst_parse_fail(p, p->at, "'%s' is defined without arguments and is no function",
                          d->name);
  if (p->text[p->at] == '[')
    return cst_parse_fail(p, p->at, "'%s' is not an array and has no entries", d->name);
  if (!call && d->n)
    return cst_parse_fail(p, p->at, "expected '(' after %s", d->name);
  if (d->n && !read_arguments(p, d, argument))
    return -1;
  if (in_cycle(p, d)) {
    tell_cycle(p, d, at);
    return -1;
  }
  if (x->node >= 0)
    return cst_parse_checked(p, x->node, at);
  if (p->idle && x->checked)
    return cst_graph_constant(p->g, 0);
  return expand(p, d, d->n ? &argument[d->n - 1] : NULL, at);
}

/* ---- check ----------------------------------------------------------------------------------- */

cst_definition_state cst_definition_check(cst_graph *g, int k, const cst_binding *names, int n,
                                          cst_expr_error *error, int *within) {
  const cst_definition *d = &g->definition[k];
  const cst_parse_frame frame = {d, NULL};
  cst_parse_loop        argument[CST_DEFINE_ARGUMENTS];
  for (int i = 0; i < d->n; i++) {
    argument[i] =
        (cst_parse_loop){.node = cst_graph_constant(g, 0), .outer = i ? &argument[i - 1] : NULL};
    strcpy(argument[i].name, d->argument[i]);
  }
  const cst_parse_loop *last = d->n ? &argument[d->n - 1] : NULL;
  cst_parser            p = {.g = g,
                             .text = d->text,
                             .idle = d->n > 0,
                             .names = names,
                             .n = n,
                             .loop = last,
                             .arguments = last,
                             .error = error,
                             .frame = &frame,
                             .defined = cst_parse_defined_create(g),
                             .within = -1};
  cst_parse_complete(&p);
  free(p.defined);
  *within = p.within;
  return !p.failed ? CST_DEFINE_GOOD : p.within < 0 ? CST_DEFINE_WRONG : CST_DEFINE_WITHIN;
}
