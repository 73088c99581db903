/* inputs.h: private to src/cli: the files that a study is read from, so that its result replaces none of
 * them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_INPUTS_H
#define CST_CLI_INPUTS_H
#include "constella/diag.h"

/* Remembers a file that is read. */
void cst_inputs_note(const char *path);
/* Adds an error if `output` is one of these files, under whatever name. */
void cst_inputs_check(const char *output, cst_diag *d);
#endif
