/* trust.h: inside the room: layers in C that a result file names. They are compiled and loaded where the user
 * has said so, and only there.
 *
 * A study that is named in the command line is the user's word for the layers that it names. The study inside
 * a result file may be anybody's: for it the word is --trust-code, or CONSTELLA_TRUST_CODE, which names
 * folders (with : between them) whose C files are the user's own.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TRUST_H
#define CST_TRUST_H
#include "constella/study.h"

typedef struct {
  bool             given; /* --trust-code */
  const cst_study *own;   /* a study that the user has named: its layers are trusted by their bytes; NULL: none */
} cst_trust;

/* Whether the C file or shared object at path may be compiled and loaded. Reads it; on one process. */
bool cst_trust_has(const cst_trust *t, const char *path);
#endif
