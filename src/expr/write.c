/* write.c: nodes as texts. Nodes are visited operands first, so nothing recurses; parentheses stand where the
 * grammar needs them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include <math.h>
#include <string.h>
#include "expr/expr-internal.h"
#include "expr/write.h"

/* How tightly the outermost operation of a text binds. */
enum { SUM = 1, PRODUCT, MINUS, POWER, ATOM };
enum { SHORT = 12 }; /* characters: a text that is not longer is repeated rather than named */

typedef struct {
  char *text; /* owned */
  int   binds, uses;
} spelled;

typedef struct {
  const cst_graph *g;
  cst_walk         walk;
  spelled         *at; /* [walk.n] */
} speller;

static spelled *place(speller *s, cst_node n) { return &s->at[cst_walk_place(&s->walk, s->g, n)]; }

/* The operand with parentheses if it binds less than `least`. Owned. */
static char *operand(speller *s, cst_node n, int least) {
  const spelled *x = place(s, n);
  char          *text;
  if (asprintf(&text, x->binds < least ? "(%s)" : "%s", x->text) < 0)
    cst_need_fail();
  return text;
}

/* "a OP b"; owned. */
static char *binary(speller *s, const cst_vertex *v, const char *op, int left, int right) {
  char *a = operand(s, v->a, left), *b = operand(s, v->b, right), *text;
  if (asprintf(&text, "%s%s%s", a, op, b) < 0)
    cst_need_fail();
  free(a);
  free(b);
  return text;
}

static char *number(double x, int *binds) {
  char *text;
  *binds = x < 0 ? SUM : ATOM;
  if (asprintf(&text, "%.17g", x) < 0)
    cst_need_fail();
  double back;
  for (int digits = 1; digits < 17; digits++) { /* the shortest text with these bits */
    char few[40];
    snprintf(few, sizeof few, "%.*g", digits, x);
    back = strtod(few, NULL);
    if (!memcmp(&back, &x, sizeof x)) {
      strcpy(text, few);
      break;
    }
  }
  return text;
}

static char *function(speller *s, const cst_vertex *v) {
  const char *name = "step";
  for (int k = 0; k < cst_function_count; k++)
    if (cst_functions[k].op == v->op)
      name = cst_functions[k].name;
  char *a = operand(s, v->a, 0), *b = cst_op_binary(v->op) ? operand(s, v->b, 0) : NULL, *text;
  if (asprintf(&text, b ? "%s(%s, %s)" : "%s(%s)", name, a, b) < 0)
    cst_need_fail();
  free(a);
  free(b);
  return text;
}

static char *copy(const char *text) { return cst_need(strdup(text)); }

/* The text of a node whose operands have theirs. */
static void spell(speller *s, cst_node n, cst_write_name *name, const void *context) {
  const cst_vertex *v = &s->g->node[n];
  spelled          *x = place(s, n);
  switch (v->op) {
  case CST_OP_CONSTANT:
    x->text = number(v->value, &x->binds);
    return;
  case CST_OP_INPUT:
    x->text = copy(name(context, (char)v->a, v->b));
    x->binds = ATOM;
    return;
  case CST_OP_ADD:
    x->text = binary(s, v, " + ", SUM, PRODUCT);
    x->binds = SUM;
    return;
  case CST_OP_SUB:
    x->text = binary(s, v, " - ", SUM, PRODUCT);
    x->binds = SUM;
    return;
  case CST_OP_MUL:
    x->text = binary(s, v, "*", PRODUCT, POWER);
    x->binds = PRODUCT;
    return;
  case CST_OP_DIV:
    x->text = binary(s, v, "/", PRODUCT, POWER);
    x->binds = PRODUCT;
    return;
  case CST_OP_POW:
    x->text = binary(s, v, "^", ATOM, ATOM);
    x->binds = POWER;
    return;
  case CST_OP_NEG: {
    char *a = operand(s, v->a, POWER);
    if (asprintf(&x->text, "-%s", a) < 0)
      cst_need_fail();
    free(a);
    x->binds = SUM; /* within a sum or a product it gets parentheses */
    return;
  }
  case CST_OP_RSQRT: {
    char *a = operand(s, v->a, 0);
    if (asprintf(&x->text, "1/sqrt(%s)", a) < 0)
      cst_need_fail();
    free(a);
    x->binds = PRODUCT;
    return;
  }
  default:
    x->text = function(s, v);
    x->binds = ATOM;
  }
}

/* Gives a node that is used more than once a name in place of its text. */
static void define(cst_written *w, spelled *x, const char *prefix) {
  const size_t n = (size_t)w->n + 1;
  w->name = cst_expr_memory(w->name, n, sizeof *w->name);
  w->text = cst_expr_memory(w->text, n, sizeof *w->text);
  if (asprintf(&w->name[w->n], "%s%d", prefix, w->n + 1) < 0)
    cst_need_fail();
  w->text[w->n] = x->text;
  x->text = copy(w->name[w->n++]);
  x->binds = ATOM;
}

cst_written cst_graph_write(const cst_graph *g, const cst_node *out, int nout, const char *prefix,
                            cst_write_name *name, const void *context) {
  speller     s = {.g = g, .walk = cst_graph_walk(g, out, nout)};
  cst_written w = {.out = cst_expr_memory(NULL, (size_t)nout, sizeof *w.out), .nout = nout};
  s.at = cst_need(calloc((size_t)s.walk.n + 1, sizeof *s.at));
  for (int k = 0; k < s.walk.n; k++) {
    const cst_vertex *v = &g->node[s.walk.node[k]];
    if (cst_op_leaf(v->op))
      continue;
    place(&s, v->a)->uses++;
    if (cst_op_binary(v->op))
      place(&s, v->b)->uses++;
  }
  for (int k = 0; k < nout; k++)
    if (out[k] >= 0)
      place(&s, out[k])->uses++;
  for (int k = 0; k < s.walk.n; k++) {
    spell(&s, s.walk.node[k], name, context);
    if (s.at[k].uses > 1 && !cst_op_leaf(g->node[s.walk.node[k]].op) &&
        strlen(s.at[k].text) > SHORT)
      define(&w, &s.at[k], prefix);
  }
  for (int k = 0; k < nout; k++)
    w.out[k] = out[k] < 0 ? NULL : copy(place(&s, out[k])->text);
  for (int k = 0; k < s.walk.n; k++)
    free(s.at[k].text);
  free(s.at);
  free(s.walk.node);
  return w;
}

void cst_written_end(cst_written *w) {
  for (int k = 0; k < w->n; k++) {
    free(w->name[k]);
    free(w->text[k]);
  }
  for (int k = 0; k < w->nout; k++)
    free(w->out[k]);
  free(w->name);
  free(w->text);
  free(w->out);
  *w = (cst_written){0};
}
