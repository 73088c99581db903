/* need.h: memory without which nothing can go on. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_NEED_H
#define CST_NEED_H
#include <stdio.h>
#include <stdlib.h>

/* p, which is what malloc or one of its kin gave; the program ends where that is nothing. */
static inline void *cst_need(void *p) {
  if (p) return p;
  fputs("constella: out of memory\n", stderr);
  abort();
}
#endif
