/* write.h: nodes of a graph as texts that cst_expr_parse reads again, for files that Constella writes. What occurs
 * more than once gets a name, a definition of such a file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPR_WRITE_H
#define CST_EXPR_WRITE_H
#include "constella/expr.h"

/* The name of entry `index` of the array `letter`, as the file writes it; borrowed. */
typedef const char *cst_write_name(const void *context, char letter, int index);

typedef struct {
  int    n;
  char **name, **text; /* [n] of the definitions, each of the ones before it; owned */
  char **out;          /* [nout] owned; NULL where out[k] is -1 */
  int    nout;
} cst_written;

/* Texts of out. Definitions are called prefix1, prefix2 ...; numbers are written with all their digits. Ends the
 * process where there is no memory. */
cst_written cst_graph_write(const cst_graph *g, const cst_node *out, int nout, const char *prefix,
                            cst_write_name *name, const void *context);
void        cst_written_end(cst_written *w);
#endif
