/* apart.h: runs code that may crash, end the program or never end, in a child process first. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_APART_H
#define CST_CORE_APART_H

/* Calls work(context) in a copy of this process. NULL if it returns; else what it does instead, "crashes
 * (Segmentation fault)", as static text. seconds: of the processor that it may take. Where no process can be
 * made, nothing is called, and the answer is NULL. */
const char *cst_apart_try(void (*work)(void *context), void *context, int seconds);
#endif
