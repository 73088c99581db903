/* inputs.h: private to src/cli: what the command line names: the files that a study is read from, so that its result
 * replaces none of them; a study that is checked and planned; a system. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_INPUTS_H
#define CST_CLI_INPUTS_H
#include <stdbool.h>
#include "constella/diag.h"
#include "system/system.h"
#include "study/plan/agenda.h"

/* Remembers a file that is read. */
void cst_inputs_note(const char *path);
/* Adds an error if `output` is one of these files, under whatever name. */
void cst_inputs_check(const char *output, cst_diag *d);

/* A study that is read, checked and planned, for `check`, and for `submit` before it calls the scheduler. */
typedef struct {
  cst_study  *study;
  cst_plan   *plan;
  cst_agenda *agenda;
} cst_checked;

/* Reads the study in `file` and plans it for the given number of ranks on this machine. All three members or
 * the last two are NULL where d has errors. Without MPI. */
cst_checked cst_checked_read(const char *file, int ranks, cst_diag *d);
void        cst_checked_free(cst_checked *c);

/* The text of a system: of the file of this name, or of the catalogue (*catalogue) where there is no such
 * file. Owned; NULL with an error.
 */
char *cst_description_text(const char *name, size_t *length, bool *catalogue, cst_diag *d);
/* The system with its default sizes. Owned; NULL with errors. */
cst_system *cst_description_read(const char *name, cst_diag *d);
#endif
