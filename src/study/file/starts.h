/* starts.h: several starts in one study: a sweep over starts, or members that each have their own start.
 *
 * A sweep is a list, `initial: [default, low, {q: ..., v: ...}]`, or a grid, `initial: {sweep: ...}`: every
 * start gives its own parameter sets and rows of the table. Members with their own starts are a map with the
 * key of one of the forms below, `initial: {grid: ...}`; member m has start m, and if there are more members
 * than starts, the starts are reused cyclically. Each form is a row in starts.c.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STARTS_H
#define CST_STARTS_H
#include "study/file/reader.h"

/* Start i: q[nq], then v[nq]. variant is 0 if all sets share the starts. */
double *cst_starts_row(const cst_study *s, int variant, long i);
/* Index in such a row of a coordinate, x or u[2], or of a velocity with an apostrophe; -1: unknown. The
 * search begins at index `from`. */
int cst_starts_place(const cst_system *s, const char *name, int from);
/* The texts of starts from other files; results store them, so as to be complete without those files. */
cst_fetch cst_starts_fetch_csv, cst_starts_fetch_result;

/* Reads `initial` if it is a sweep or one of these forms; false: it is not. */
bool cst_starts_read(cst_reader *r, cst_yaml *initial);
/* file-start.c: one start into s->q0, s->v0 (n NULL: the first state); the spread. */
void cst_file_single_start(cst_reader *r, cst_yaml *n, const char *what);
void cst_start_spread(cst_reader *r, cst_yaml *n);
/* file-start.c: the key `project`; projects a start, as it says. */
void cst_start_project(cst_reader *r, cst_yaml *n);
bool cst_study_project(const cst_study *s, const double *c, double *q, double *v);
/* member.c: the starts of `lanes` members, of their parameter sets, at once, where they are found in lanes: those of
 * cst_study_member in all bits, [nq][W], aligned for vectors. Returns the bits of the lanes that have theirs; what the
 * others have is of no use. */
int  cst_study_members(const cst_study *s, int isa, const int *variant, const long *member,
                       int lanes, double *q, double *v);
bool cst_study_spreads(const cst_study *s); /* some deviation is not 0 */
/* A number, a list, or {from:, to:, count:, spacing: linear | log}, as values[*n]; owned. False after a
 * mistake. */
bool cst_reader_range(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count);
#endif
