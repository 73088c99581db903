/* diag.h: errors and warnings about user input, collected with their places and printed together.
 *
 * Every reader of user input (study file, system file, expression, command line) reports into one cst_diag
 * and continues, so that one run shows every error. Nothing is printed before cst_diag_print; work starts
 * only when the count is zero. Not thread safe. No function here can fail: out of memory ends the process.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_DIAG_H
#define CONSTELLA_DIAG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct cst_diag cst_diag;

cst_diag *cst_diag_create(void);         /* owned by the caller */
void      cst_diag_destroy(cst_diag *d); /* NULL is allowed */

/* Adds one error at FILE:LINE:COLUMN (counted from 1). line 0: the message has no place in the file; file
 * NULL: it concerns the command line. The message says what was found, what is allowed, and the nearest valid
 * name, if any. It may have several lines, such as those of a compiler; all but the first are printed
 * indented. */
void cst_diag_add(cst_diag *d, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for input that is allowed but probably not intended: it is printed as a warning and not counted.
 */
void cst_diag_warn(cst_diag *d, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

int cst_diag_count(const cst_diag *d); /* of errors */
/* Prints lines "FILE:LINE:COLUMN: error: message" in the order of (file, line, column), and the number of
 * errors when it is above one. */
void cst_diag_print(const cst_diag *d, FILE *out);

/* The entry of names[0..n) nearest to word by edit distance; NULL when none is near enough. */
const char *cst_diag_nearest(const char *word, const char *const *names, int n);
/* "a, b, c" in a static rotating buffer, for the list of allowed names in a message. */
const char *cst_diag_join(const char *const *names, int n);

/* Reads the whole file into *text, zero-terminated (owned by the caller, free()); false with the reason in d. */
bool cst_document_read_file(const char *path, char **text, size_t *length, cst_diag *d);
#endif
