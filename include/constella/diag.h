/* diag.h: what a user did wrong, or may not have meant, collected with its place, printed all at once.
 *
 * Every reader of user input (study file, system file, expression, command line) reports into one cst_diag and goes on, so
 * that one run shows every mistake. Nothing is printed before cst_diag_print; work starts only when the count is zero.
 * Not thread safe. No function here can fail: out of memory ends the process.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_DIAG_H
#define CONSTELLA_DIAG_H
#include <stdio.h>

typedef struct cst_diag cst_diag;

cst_diag *cst_diag_create(void);         /* owned by the caller */
void      cst_diag_destroy(cst_diag *d); /* NULL is allowed */

/* Add one error at FILE:LINE:COLUMN (counted from 1). line 0 means that the message has no place in the file; file NULL that it
 * concerns the command line. The message says what was found; what is allowed; the nearest valid name where there is one. It may have
 * lines, such as those of a compiler; all but the first are printed indented. */
void cst_diag_add(cst_diag *d, const char *file, int line, int column, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same of what is allowed but hardly meant; it is printed as a warning and does not count. */
void cst_diag_warn(cst_diag *d, const char *file, int line, int column, const char *format, ...) __attribute__((format(printf, 5, 6)));

int cst_diag_count(const cst_diag *d); /* of errors */
/* Write "FILE:LINE:COLUMN: error: message" lines in order of (file, line, column) and the number of errors when above one. */
void cst_diag_print(const cst_diag *d, FILE *out);

/* The entry of names[0..n) nearest to word by edit distance, NULL when none is near enough to be worth a guess. */
const char *cst_diag_nearest(const char *word, const char *const *names, int n);
/* "a, b, c" into a static rotating buffer; for the 'what is allowed' part of a message. */
const char *cst_diag_join(const char *const *names, int n);
#endif
