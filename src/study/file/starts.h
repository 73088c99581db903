/* starts.h: several starts in one study: a sweep over starts, or members that each have their own start.
 *
 * A sweep is a list, `initial: [default, low, {q: ..., v: ...}]`, or a grid, `initial: {sweep: ...}`: every
 * start gives its own parameter sets and rows of the table. Members with their own starts are a map with the
 * key of one of the forms below, `initial: {grid: ...}`; member m has start m, and if there are more members
 * than starts, the starts are reused cyclically. Each form is a row of the list start-forms.h, in its own file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STARTS_H
#define CST_STARTS_H
#include "study/file/reader.h"

typedef struct cst_start_form {
  const char        *key;      /* of the map `initial` */
  const char *const *also;     /* further keys of this form, terminated by NULL; NULL: none */
  bool               projects; /* its starts are always projected onto the constraints */
  bool               whole;    /* each of its starts has all coordinates and velocities */
  /* Reads the value of the key, with the base start in s->q0, s->v0; uses cst_starts_make and cst_starts_row.
   * False after a mistake. */
  bool (*read)(cst_reader *r, cst_yaml *map, cst_yaml *value);
} cst_start_form;

/* Allocates n starts, each equal to the base start; each: they may differ between parameter sets. False, with
 * a message at `at`, if they are too many. */
bool cst_starts_make(cst_reader *r, cst_yaml *at, double n, bool each);
/* Start i: q[nq], then v[nq]. variant is 0 if all sets share the starts. */
double *cst_starts_row(const cst_study *s, int variant, long i);
/* Index in such a row of a coordinate, x or u[2], or of a velocity with an apostrophe; -1: unknown. The
 * search begins at index `from`. */
int cst_starts_place(const cst_system *s, const char *name, int from);

/* Reads starts from the text of a CSV file, whose first line names coordinates and velocities. */
bool cst_starts_table(cst_reader *r, cst_yaml *n, const char *path, char *text);
/* Reads starts from the file `name`, relative to the study, which `fetch` converts to such a text. Stores the
 * text and its sha256, which is compared with the one in `map`. value: the node that names the file. */
bool cst_starts_beside(cst_reader *r, cst_yaml *map, cst_yaml *value, const char *name,
                       cst_fetch *fetch);
/* The texts of starts from other files; results store them, so as to be complete without those files. */
cst_fetch cst_starts_fetch_csv, cst_starts_fetch_result;

/* Whether a sweep may have n starts; else a message at `at`. Combines every parameter set with every start,
 * q[n][nvariant][nq] and v, which it takes over; starts vary slowest. start-grid.c: a sweep over a grid. */
bool cst_starts_allow_sweep(cst_reader *r, cst_yaml *at, double n);
void cst_starts_multiply(cst_study *s, int n, double *q, double *v);
bool cst_starts_sweep(cst_reader *r, cst_yaml *map);

/* Reads `initial` if it is a sweep or one of these forms; false: it is not. */
bool cst_starts_read(cst_reader *r, cst_yaml *initial);
/* file-start.c: one start into s->q0, s->v0 (n NULL: the first state); the seed. start-spread.c: the spread.
 */
void cst_file_single_start(cst_reader *r, cst_yaml *n, const char *what);
void cst_file_seed(cst_reader *r, cst_yaml *n);
void cst_start_spread(cst_reader *r, cst_yaml *n);
/* start-keep.c: the key `project`; projects a start, whose name in messages is `of`, and notes what it moved; the
 * same without the note. */
void cst_start_project(cst_reader *r, cst_yaml *n);
bool cst_start_move(cst_study *s, const char *of, const double *c, double *q, double *v);
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
