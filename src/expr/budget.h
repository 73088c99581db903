/* budget.h: limits the work on graphs of untrusted texts, differentiation included.
 *
 * Work is counted in nodes that are looked up or visited, plus what callers report. When the budget is spent,
 * every operation returns -1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_BUDGET_H
#define CST_EXPR_BUDGET_H
#include "constella/expr.h"

enum { CST_PARSE_TERMS = 500000, CST_PARSE_TERMS_EACH = 4, CST_EXPR_NODES_EACH = 150 };

void cst_graph_allow(cst_graph *g,
                     double     work); /* allow this much more; INFINITY: no limit, the default */
void cst_graph_spend(cst_graph *g, double work); /* count work that was done elsewhere */
bool cst_graph_spent(const cst_graph *g);        /* whether nothing is left */
/* What one graph may hold, and the terms of the sums of one expression, are CST_EXPR_NODES and CST_PARSE_TERMS, or, if
 * that is more, in proportion to the number of inputs that are expected: a full graph takes some 10 kB for each. */
void   cst_graph_expect(cst_graph *g, int inputs);
int    cst_graph_most(const cst_graph *g);       /* nodes */
double cst_graph_part(const cst_graph *g);       /* of nodes or allowed work, that are used */
double cst_graph_most_terms(const cst_graph *g); /* of the sums of one expression */
#endif
