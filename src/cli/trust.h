/* trust.h: private to src/cli: layers in C that a result file names are only compiled and loaded with the
 * user's permission.
 *
 * A study on the command line gives it for the layers that it names. The study inside a result file may come
 * from anybody: it needs --trust-code, or CONSTELLA_TRUST_CODE, a list of folders, separated by :, with the
 * user's own C files.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TRUST_H
#define CST_TRUST_H
#include "constella/study.h"

typedef struct {
  bool given; /* --trust-code */
  /* a study of the user: layers with the bytes of its files are trusted; NULL: none */
  const cst_study *own;
} cst_trust;

/* Whether the C file or shared object at path may be compiled and loaded. Reads it; call it on one process.
 */
bool cst_trust_has(const cst_trust *t, const char *path);
#endif
