/* names.h: names allowed in the expressions of observables: coordinates, velocities x', multipliers
 * lambda_NAME, parameters and t.
 *
 * For an array x of coordinates: x[3] and its velocity x'[3]; for a family `link` of constraints:
 * lambda_link[2]. For a body `top`: omega_top_1 and the like (cst_body_quantities); for an array of bodies:
 * omega_link_1[3].
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NAMES_H
#define CST_NAMES_H
#include "system/system.h"

typedef struct {
  int          n;
  cst_binding *name;
  char        *text; /* storage of the names and arrays: */
  cst_node    *entry;
} cst_names;

/* Binds the names of s to inputs of the graph g, and those quantities of bodies whose prefix occurs in text.
 * Owned. */
cst_names cst_names_create(const cst_system *s, cst_graph *g, const char *text);
/* True if the word is the name of a quantity of a body. */
bool cst_names_has_quantity(const cst_system *s, const char *word);
void cst_names_destroy(cst_names *x);

/* "x, y, q[1..20]": the names as declared. Rotating static text, truncated if long. */
const char *cst_names_list(const cst_name *name, int n);
#endif
