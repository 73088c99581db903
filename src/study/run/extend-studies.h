/* extend-studies.h: internal: checks that a study differs from an older one only in what an extension may
 * change. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTEND_STUDIES_H
#define CST_EXTEND_STUDIES_H
#include "constella/study.h"

/* path: the result of the old study. Steps, methods, members, tolerances, parameters, the title and new
 * layers are not compared. True if the end is later, which requires both studies to be extensible. */
bool cst_extend_compare(const cst_study *old, const cst_study *now, const char *path, cst_diag *d);
#endif
