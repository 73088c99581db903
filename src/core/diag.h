/* diag.h: more of constella/diag.h, for readers of long lists. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_DIAG_H
#define CST_CORE_DIAG_H
#include <stdbool.h>
#include "constella/diag.h"

/* So many messages are kept and printed as one reads; further ones are counted, and need not be looked for. */
bool cst_diag_full(const cst_diag *d);
#endif
