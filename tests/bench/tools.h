/* tools.h: what the benchmarks share: a clock, memory, studies from text. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_TOOLS_H
#define BENCH_TOOLS_H
#include <stddef.h>
#include "constella/study.h"

double      bench_now(void);           /* seconds */
void       *bench_need(void *p);       /* p; NULL ends the program */
double     *bench_aligned(size_t n);   /* zeros for lanes; free() */
cst_study  *bench_study(const char *text); /* ends the program with the messages where text is wrong */
#endif
