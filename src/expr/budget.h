/* budget.h: a budget of work for graphs of texts that anybody may have written, derivation included.
 *
 * Work is counted in nodes that are looked up or met, and in what others tell of; when the budget is spent every operation gives -1.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_BUDGET_H
#define CST_EXPR_BUDGET_H
#include "constella/expr.h"

void cst_graph_allow(cst_graph *g, double work); /* so much more; INFINITY: no limit, as at first */
void cst_graph_spend(cst_graph *g, double work); /* done elsewhere */
bool cst_graph_spent(const cst_graph *g);        /* whether nothing is left */
#endif
