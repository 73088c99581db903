/* names.h: what the expressions of observables may name: coordinates, velocities x', multipliers lambda_NAME,
 * parameters and t.
 *
 * Of an array x of coordinates: x[3] and its velocity x'[3]; of a family `link` of constraints:
 * lambda_link[2]. Of a body `top` omega_top_1 and the like (cst_body_quantities), of an array of bodies
 * omega_link_1[3].
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NAMES_H
#define CST_NAMES_H
#include "constella/system.h"

typedef struct {
  int          n;
  cst_binding *name;
  char        *text; /* what name refers to: */
  cst_node    *entry;
} cst_names;

/* The names of s as inputs of the graph g; of the bodies' quantities those whose prefix stands in text.
 * Owned. */
cst_names cst_names_create(const cst_system *s, cst_graph *g, const char *text);
/* Whether the word is the name of a quantity of a body. */
bool cst_names_has_quantity(const cst_system *s, const char *word);
void cst_names_destroy(cst_names *x);

/* "x, y, q[1..20]": names as they are declared. Rotating static text, cut when long. */
const char *cst_names_list(const cst_name *name, int n);
#endif
