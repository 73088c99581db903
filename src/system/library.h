/* library.h: systems that are found by their names like those of the catalogue, but whose files are read, and
 * compiled, where they are used: NAME.system.yaml in the folder CONSTELLA_SYSTEMS, or in jobs/benchmarks beside the
 * program (core/home.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LIBRARY_H
#define CST_LIBRARY_H
#include <stdbool.h>
#include <stddef.h>

/* The path of a system's file; NULL: there is none of this name. Static buffer. */
const char *cst_library_path(const char *name);
/* A cst_fetch: `name` is that of a system. */
const char *cst_library_fetch(const char *name, char **text, size_t *length);
/* All names, in alphabetical order; ends with NULL. Borrowed, made once. */
const char *const *cst_library_names(int *count);
#endif
