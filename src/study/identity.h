/* identity.h: what a checkpoint was made by: only the same study, result file and build may go on from it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_IDENTITY_H
#define CST_IDENTITY_H
#include <stdbool.h>
#include "study/plan.h"

/* A line a property, "name: value"; run: the identifier of the result file. Owned. */
char *cst_identity_text(const cst_plan *p, const char *run);
/* Where two texts of lines differ: false with why[n], which quotes the first difference as `what`, and what
 * there is now. */
bool cst_identity_same(const char *then, const char *now, const char *what, char *why, int n);
/* Libraries in use, and the compiler with its flags. */
void        cst_identity_libraries(char *text, size_t n);
const char *cst_identity_compiler(void);
const char *cst_identity_version(void);
#endif
