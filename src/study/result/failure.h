/* failure.h: counts of failed trajectories by reason, as numbers and as text. A trajectory that ended well
 * has no error where its reference is not finite, which counts as a failure too. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FAILURE_H
#define CST_FAILURE_H
#include "constella/record.h"
#include "method/core.h"

/* Reasons are the values of /final/status, cst_reason, and behind them those that no status has. Unknown
 * ones are counted as the last. */
enum { CST_NO_REFERENCE = CST_REASONS, CST_OTHER_REASONS, CST_FAILURES, CST_FAILURE_TEXT = 192 };

typedef struct {
  long of[CST_FAILURES]; /* of[0]: successful */
} cst_failures;

/* The words of a status above 0: "not finite". */
const char *cst_failure_word(int status);
/* Whether a trajectory with this status and this error, of all parts together, has no finite reference. */
bool cst_failures_unreferred(double status, double error);
/* Counts the statuses x[n], with the errors error[n] (NULL: the study has no reference); negative ones were
 * not run and are ignored. */
void cst_failures_count(cst_failures *f, const double *x, const double *error, long n);
/* Counts all trajectories of a result; returns their number. */
long cst_failures_read(cst_failures *f, cst_result *r);
void cst_failures_add(cst_failures *f, const cst_failures *more);
long cst_failures_total(const cst_failures *f);
/* Writes text such as "not finite: 2, solver did not converge: 1", the most frequent reason first; "" if
 * nothing failed. */
void cst_failures_say(const cst_failures *f, char *text, size_t n);
/* Parses such a text and adds its counts to f. */
void cst_failures_hear(cst_failures *f, const char *text);
#endif
