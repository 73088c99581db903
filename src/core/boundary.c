/* boundary.c: the reason of the last refused call (see boundary.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/boundary.h"
#include <stdio.h>

static _Thread_local char reason[400];

void cst_boundary_refuse(const char *function, const char *condition) {
  snprintf(reason, sizeof reason, "%s: refused, because this does not hold: %s", function,
           condition);
}

const char *cst_boundary_reason(void) { return reason; }
