/* home.h: the folder of the running program, beside which its data files are. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_HOME_H
#define CST_HOME_H
#include <stddef.h>

/* Writes the path of `name`, a file or folder of the sources, which installed ones keep below share/constella:
 * path[n], beside the program or around the folder of its build. Never below the current folder, which may be
 * anybody's. False with an empty path if it is in none of these places. */
int cst_home_find(const char *name, char *path, size_t n);
/* The same for what `make` built beside the program, and installed below lib/constella. */
int cst_home_find_built(const char *name, char *path, size_t n);
#endif
