/* libraries.h: names and versions of the libraries in use. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LIBRARIES_H
#define CST_LIBRARIES_H
#include <stddef.h>

void cst_libraries(char *text, size_t n);
#endif
