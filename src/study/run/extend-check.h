/* extend-check.h: checks what an extension reads from a result, before any work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTEND_CHECK_H
#define CST_EXTEND_CHECK_H
#include "study/run/extend.h"

/* On one rank: reports in d numbers of the file at path that are not possible in its study: rows that are
 * taken over, counts of sums, and the rows from which a longer run continues. At most a few are reported. */
void cst_extend_check(const cst_extension *e, const char *path, cst_diag *d);
#endif
