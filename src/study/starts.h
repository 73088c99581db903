/* starts.h: several starts in one study: a sweep over starts, or members that each have a start of their own.
 *
 * A sweep is a list, `initial: [default, low, {q: ..., v: ...}]`: every start makes parameter sets of its
 * own, and rows of the table. Members with starts of their own are a map with the key of one of the forms
 * below, `initial: {grid: ...}`; member m has start m, and where there are more members than starts they go
 * round. A form is a row of the list start-forms.h, in a file of its own.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STARTS_H
#define CST_STARTS_H
#include "study/reader.h"

typedef struct cst_start_form {
  const char        *key;      /* of the map `initial` */
  const char *const *also;     /* further keys that belong to it, up to NULL; NULL: none */
  bool               projects; /* its starts are always projected on the constraints */
  /* The value of the key; the base start is in s->q0, s->v0. Fills with cst_starts_make and cst_starts_row.
   * False after a mistake. */
  bool (*read)(cst_reader *r, cst_yaml *map, cst_yaml *value);
} cst_start_form;

/* Room for n starts, each that of the base; each: they may differ from parameter set to parameter set. False,
 * with a message at `at`, where they are too many. */
bool cst_starts_make(cst_reader *r, cst_yaml *at, double n, bool each);
/* q[nq] and v[nq] behind it. variant 0 where the sets share them. */
double *cst_starts_row(const cst_study *s, int variant, long i);
/* The coordinate of a name such as x or u[2], a velocity with an apostrophe behind it: its place in such a
 * row; -1: there is none. The search begins at place `from`. */
int cst_starts_place(const cst_system *s, const char *name, int from);

/* The table of starts in the text of a CSV file, whose first line names coordinates and velocities; into
 * starts as above. */
bool cst_starts_table(cst_reader *r, cst_yaml *n, const char *path, char *text);
/* The same of the file `name` beside the study, which `fetch` makes into such a text; the text and its
 * sha256, which `map` may name, are kept. value: the node that names it. */
bool cst_starts_beside(cst_reader *r, cst_yaml *map, cst_yaml *value, const char *name, cst_fetch *fetch);
/* What a result keeps of starts from another file, so that it is whole without that file. */
cst_fetch cst_starts_fetch_csv, cst_starts_fetch_result;

/* Whether `initial` is one of these; it is read then. */
bool cst_read_starts(cst_reader *r, cst_yaml *initial);
/* file-start.c: one start into s->q0, s->v0 (n NULL: the first state); the seed; start-spread.c: the spread.
 */
void cst_file_single_start(cst_reader *r, cst_yaml *n, const char *what);
void cst_file_seed(cst_reader *r, cst_yaml *n);
void cst_start_spread(cst_reader *r, cst_yaml *n);
bool cst_study_spreads(const cst_study *s); /* some deviation is not 0 */
/* A number, a list, or {from:, to:, count:, spacing: linear | log} as values[*n]; owned. False after a
 * mistake. */
bool cst_reader_range(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count);
#endif
