/* stored.h: private to src/cli: reads the study that a result file holds. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STORED_H
#define CST_STORED_H
#include "constella/record.h"
#include "study/rows/study.h"

/* Layers in C that a result file names are only compiled and loaded with the user's permission.
 *
 * A study on the command line gives it for the layers that it names. The study inside a result file may come
 * from anybody: it needs --trust-code, or CONSTELLA_TRUST_CODE, a list of folders, separated by :, with the
 * user's own C files.
 */
typedef struct {
  bool given; /* --trust-code */
  /* a study of the user: layers with the bytes of its files are trusted; NULL: none */
  const cst_study *own;
} cst_trust;

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
