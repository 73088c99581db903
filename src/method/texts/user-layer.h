/* user-layer.h: one-step methods that users write in C (constella/layer.h), as rules of flow.h: compiles,
 * loads and tests them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_USER_LAYER_H
#define CST_USER_LAYER_H
#include "constella/method.h"
#include "method/texts/text.h"

/* The shared object of a C file, from the compiler or the cache, or the bytes of a file that ends in .so. A
 * cst_fetch: NULL and *bytes, owned by the caller (free()), or the reason of a failure (static text; lines
 * separated by \n). A child process tries them out before, so that code which crashes or does not end is a
 * reason too. One rank can do this for all. */
const char *cst_user_layer_fetch(const char *path, char **bytes, size_t *length);
/* The layer in the bytes of a shared object, tested on a system of the catalogue and kept in l, with which it is
 * unloaded; path names it in messages. NULL with why[n] on error. Borrowed. */
const cst_text *cst_user_layer_open(cst_layers *l, const char *path, const char *bytes,
                                    size_t length, char *why, int n);
#endif
