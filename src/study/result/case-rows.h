/* case-rows.h: the finished rows of one case at a time, as arrays over its members.
 *
 * If cases are opened one after the other, the rows of some following ones are read with those of the first,
 * because a read from the file costs as much as many numbers. A returned pointer is valid until the same function is
 * called again. Failed members have numbers too, up to their last good step; cst_case_rows_pick and
 * cst_case_rows_windows replace them by NaN.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CASE_ROWS_H
#define CST_CASE_ROWS_H
#include "study/result/output.h"

/* Rows of one channel of cases first .. first + n - 1, as read from the file. */
typedef struct {
  int     first, n;
  double *x;
} cst_case_block;

struct cst_case_rows {
  const cst_plan *plan;
  cst_output     *output;
  const double   *reference_error; /* [nvariant][CST_ERRORS], NaN where unknown */
  int             icase;           /* the open case */
  long            failed;          /* members that failed */
  bool           *good;            /* [members] true: reached the end, and did not fail */
  bool           *stopped;         /* [members] ended by an event, and did not fail */
  double         *error;           /* [members] of all parts together; NULL without a reference */
  double         *summary;         /* [members][CST_SUMMARY_NUMBERS] of the quantity read last */
  double         *number;          /* [room]: [members][count] of the channel read last */
  size_t          room;
  int             until, most; /* cases before `until` are read ahead, `most` at once */
  cst_case_block *block;       /* [channels] */
};

cst_error cst_case_rows_create(const cst_plan *p, cst_output *o, const double *reference_error,
                               cst_case_rows **rows);
cst_error cst_case_rows_destroy(cst_case_rows **rows);
/* Rows of all cases before `until` are finished and may be read ahead; 0: only those of the open case. */
void cst_case_rows_ahead(cst_case_rows *r, int until);
/* Opens a case. */
cst_error cst_case_rows_open(cst_case_rows *r, int icase);
/* Reads [members][count] of a channel of trajectories. */
cst_error cst_case_rows_get(cst_case_rows *r, const cst_channel_row *row, int which,
                            const double **x);
/* Reads [members][CST_SUMMARY_NUMBERS] of a quantity. */
cst_error cst_case_rows_summary(cst_case_rows *r, int quantity, const double **x);
/* x[members]: one number of the summaries read last, or the sum of two of them (and = -1: one). */
void cst_case_rows_pick(const cst_case_rows *r, int figure, int and, double *x);
/* The same, with numbers of members that an event ended too. */
void cst_case_rows_pick_stopped(const cst_case_rows *r, int figure, int and, double *x);
/* Reads x[members][CST_WINDOWS]. */
cst_error cst_case_rows_windows(cst_case_rows *r, int quantity, double *x);

/* Whether some member of the open case ended well and has no finite reference. */
bool cst_case_rows_unreferred(const cst_case_rows *r);
/* The largest number in x[n]; NaN if there is none. */
double cst_case_rows_largest(const double *x, long n);
#endif
