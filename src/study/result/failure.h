/* failure.h: counts of failed trajectories by reason, as numbers and as text. A trajectory that ended well
 * has no error where its reference is not finite, which counts as a failure too. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_FAILURE_H
#define CST_FAILURE_H
#include "constella/record.h"
#include "method/core.h"

/* The ways of reason.h, and behind them those that no status has. Unknown ones are counted as the last. */
#define CST_FAILURE_NAME(name, failed, words, advice) CST_FAILURE_##name,
enum {
  CST_REASON_ROWS(CST_FAILURE_NAME) /* the numbers of /final/status */
  CST_NO_REFERENCE,
  CST_OTHER_REASONS,
  CST_FAILURES,
  CST_FAILURE_TEXT = 192
};
#undef CST_FAILURE_NAME

typedef struct {
  long of[CST_FAILURES]; /* also of those that are no failures */
} cst_failures;

/* The words of a way; whether it is a failure; what helps (NULL: nothing is to be said). */
const char *cst_failure_word(int status);
bool        cst_failure_is(int way);
const char *cst_failure_advice(int way);
/* Whether a trajectory with this status and this error, of all parts together, has no finite reference. */
bool cst_failures_unreferred(double status, double error);
/* Counts the statuses x[n], with the errors error[n] (NULL: the study has no reference); negative ones were
 * not run and are ignored. */
void cst_failures_count(cst_failures *f, const double *x, const double *error, long n);
/* Counts all trajectories of a result; returns their number. */
long cst_failures_read(cst_failures *f, cst_result *r);
long cst_failures_total(const cst_failures *f);
/* All trajectories that have ended, and those that were stopped without a failure. */
long cst_failures_ended(const cst_failures *f);
long cst_failures_stopped(const cst_failures *f);
/* Writes text such as "not finite: 2, solver did not converge: 1", the most frequent reason first; "" if
 * nothing failed. */
void cst_failures_say(const cst_failures *f, char *text, size_t n);
/* Parses such a text and adds its counts to f. */
void cst_failures_hear(cst_failures *f, const char *text);
#endif
