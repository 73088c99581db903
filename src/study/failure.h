/* failure.h: how many trajectories failed and why, in numbers and in words. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FAILURE_H
#define CST_FAILURE_H
#include <stddef.h>

/* Reasons are the numbers of /final/status, cst_reason; those that are not known count as the last one. */
enum { CST_FAILURES = 5, CST_FAILURE_TEXT = 192 };

typedef struct {
  long of[CST_FAILURES]; /* of[0]: did not fail */
} cst_failures;

/* Count the statuses x[n]; those below 0 are not run and count nowhere. */
void cst_failures_count(cst_failures *f, const double *x, long n);
void cst_failures_add(cst_failures *f, const cst_failures *more);
long cst_failures_total(const cst_failures *f);
/* "not finite: 2, solver did not converge: 1", the commonest first, into text[n]; "" where nothing failed. */
void cst_failures_say(const cst_failures *f, char *text, size_t n);
/* Parse such a text and add its counts to f. */
void cst_failures_hear(cst_failures *f, const char *text);
#endif
