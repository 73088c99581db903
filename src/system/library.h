/* library.h: systems that are found by their names like those of the catalogue, but whose files are read, and
 * compiled, where they are used: NAME.system.yaml in the folder CONSTELLA_SYSTEMS, or in jobs/benchmarks beside the
 * program (core/home.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LIBRARY_H
#define CST_LIBRARY_H
#include <stdbool.h>
#include <stddef.h>
#include "constella/diag.h"
#include "system/system.h"

/* The path of a system's file; NULL: there is none of this name. Static buffer. */
const char *cst_library_path(const char *name);
/* A cst_fetch: `name` is that of a system. */
const char *cst_library_fetch(const char *name, char **text, size_t *length);
/* What a list tells of a system: its name, doc, nq and ng. Nothing else is read, and nothing derived; it is only
 * good for cst_system_destroy. Owned; NULL with errors. */
cst_system *cst_system_outline(const char *file, const char *text, size_t length, cst_diag *d);
/* A cst_fetch: the description in a file, with the tables that it names behind it. Tables that cannot be read are told
 * when the description is. */
const char *cst_description_fetch(const char *path, char **text, size_t *length);
/* The characters of a description without its tables. */
size_t cst_description_length(const char *text, size_t length);
/* All names, in alphabetical order; ends with NULL. Borrowed, made once. */
const char *const *cst_library_names(int *count);
#endif
