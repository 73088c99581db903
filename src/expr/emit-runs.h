/* emit-runs.h: rows of a loop at equal distances whose entries have constant strides in all columns. emit.c
 * writes each such run as a loop without tables. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EMIT_RUNS_H
#define CST_EMIT_RUNS_H
#include "expr/partition.h"

/* Whether x[i] is x[0] + i times the stride, for the n entries of x. */
bool cst_emit_runs_affine(const int *x, int n, int *stride);

/* The distance between the rows of a run for which the loop has the fewest runs; 0 if there are too many. */
int cst_emit_runs_period(const cst_partition *p, const cst_loop *l);

/* The number of rows from `from` on, at distances of `period`, that have constant strides in all columns. */
int cst_emit_runs_length(const cst_partition *p, const cst_loop *l, int from, int period);

/* The n rows from, from + period ... as a separate loop, whose entries are put into room. */
cst_loop cst_emit_runs_part(const cst_partition *p, const cst_loop *l, int from, int period, int n,
                            int *room);
#endif
