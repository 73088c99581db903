/* stored.h: private to src/cli: reads the study that a result file holds. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STORED_H
#define CST_STORED_H
#include "constella/record.h"
#include "cli/trust.h"

/* The study of the file, whose name is path. The file contains the description of a user's system; C files of
 * layers are searched beside it, then in the folder of the study in the command line that made it; those that
 * are not trusted are not compiled, and withheld. Errors are located in the canonical text. NULL with errors
 * in d. Collective where share is. */
cst_study *cst_stored_study(cst_result *file, const char *path, cst_share *share,
                            const cst_trust *trust, cst_diag *d);
/* A text with the withheld layers of such a study, their files and sha256. Static; empty when there are none.
 */
const char *cst_stored_withheld(const cst_study *s);
#endif
