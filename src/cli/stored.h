/* stored.h: inside the room: the study that a result file holds, read again. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STORED_H
#define CST_STORED_H
#include "constella/record.h"
#include "cli/trust.h"

/* The study of the file, whose name is path. The description of a user's system is in it; C files of layers
 * are looked for beside it, then in the folder of the study in the command line that made it; those that are
 * not trusted are not compiled, and withheld. Mistakes are told at their line of the canonical text. NULL
 * with mistakes in d. Collective where share is. */
cst_study *cst_stored_study(cst_result *file, const char *path, cst_share *share, const cst_trust *trust, cst_diag *d);
/* The withheld layers of such a study by name, with their files and sha256, in words. Static; empty when
 * there are none. */
const char *cst_stored_withheld(const cst_study *s);
#endif
