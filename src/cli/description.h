/* description.h: private to src/cli: reads the system that the command line names. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_DESCRIPTION_H
#define CST_CLI_DESCRIPTION_H
#include <stdbool.h>
#include "constella/diag.h"
#include "constella/system.h"

/* The text of a system: of the file of this name, or of the catalogue (*catalogue) where there is no such
 * file. Owned; NULL with an error.
 */
char *cst_description_text(const char *name, size_t *length, bool *catalogue, cst_diag *d);
/* The system with its default sizes. Owned; NULL with errors. */
cst_system *cst_description_read(const char *name, cst_diag *d);
#endif
