/* define.h: the definitions of a graph: names for subexpressions, and functions of one line, that its
 * expressions may use.
 *
 * A definition is text. Where it is used, its text is read with the names of the place of use, and the nodes
 * are those of the text written there in parentheses: sharing follows from hash-consing. A name that stands
 * for nothing at the place of use is an error there. The arguments of a function hide other names; variables of
 * sums and families around the use are not seen.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_DEFINE_H
#define CST_EXPR_DEFINE_H
#include "constella/expr.h"

/* A name has at most CST_DEFINE_NAME characters, a graph at most CST_DEFINE_MOST definitions of at most
 * CST_DEFINE_ARGUMENTS arguments. */
enum { CST_DEFINE_NAME = 40, CST_DEFINE_MOST = 256, CST_DEFINE_ARGUMENTS = 16 };

typedef struct {
  const char        *name, *text;
  const char *const *argument; /* [n] */
  int                n;        /* 0: a name; else a function of n arguments */
} cst_definition;

/* Gives g and its later copies the definitions d[n], which must live as long; they replace earlier ones. */
void cst_graph_define(cst_graph *g, const cst_definition *d, int n);
/* Those of g, *n of them; NULL: none. Borrowed. */
const cst_definition *cst_graph_definitions(const cst_graph *g, int *n);
/* The definition with this name; NULL: there is none. */
const cst_definition *cst_graph_definition_find(const cst_graph *g, const char *name);

/* Where a definition is wrong. */
typedef enum {
  CST_DEFINE_GOOD,
  CST_DEFINE_WRONG, /* in its text, or it is the first definition of a cycle */
  CST_DEFINE_WITHIN /* in definition `within`, which it uses; or that is in a cycle */
} cst_definition_state;

/* Reads the text of definition k with all names that it may have anywhere; arguments stand for anything.
 * Makes nodes in g. *error is filled where it is not good. */
cst_definition_state cst_definition_check(cst_graph *g, int k, const cst_binding *names, int n,
                                          cst_expr_error *error, int *within);
#endif
