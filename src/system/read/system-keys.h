/* system-keys.h: every key that a system file may have, as a table. The reader takes the keys that it allows from
 * it, `constella show system` prints it, and tools/pages.py writes it into docs/system-file.md
 * (tests/cli/test_system_page.py compares the three).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_KEYS_H
#define CST_SYSTEM_KEYS_H
#include "system/system.h"
#include "core/document.h"
#include "core/keys.h"

/* Forms of a map whose keys differ. */
enum {
  CST_SYSTEM_BODIES =
      1, /* of symmetries.NAME, states.NAME and states.NAME.exact: of a system with bodies */
  CST_SYSTEM_CONSTRAINED = 2, /* of states.NAME.exact: of a system with constraints */
  CST_SYSTEM_FREE = 1,        /* of states.NAME.bodies.NAME: of a body with a centre */
};

extern const cst_key cst_system_keys[]; /* ends with a row whose key is NULL */

/* The row of a key that there is. */
const cst_key *cst_system_key(const char *in, const char *key);
/* Reports every key of `map` that the map of this path does not have in the given forms. */
void cst_system_keys_check(const cst_document *doc, cst_yaml *map, const char *in, int forms,
                           cst_diag *d);

/* The keys q, v and bodies of a map (document doc) in the form of a state of a description, into q[nq], v[nq]
 * as nodes over the parameters; false with errors in d. They are checked at the parameters c. */
bool cst_system_read_start(cst_system *s, const cst_document *doc, cst_yaml *map, const double *c,
                           cst_diag *d, cst_node *q, cst_node *v);
#endif
