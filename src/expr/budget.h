/* budget.h: limits the work on graphs of untrusted texts, differentiation included.
 *
 * Work is counted in nodes that are looked up or visited, plus what callers report. When the budget is spent,
 * every operation returns -1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_BUDGET_H
#define CST_EXPR_BUDGET_H
#include "constella/expr.h"

void cst_graph_allow(cst_graph *g,
                     double     work); /* allow this much more; INFINITY: no limit, the default */
void cst_graph_spend(cst_graph *g, double work); /* count work that was done elsewhere */
bool cst_graph_spent(const cst_graph *g);        /* whether nothing is left */
#endif
