/* case-rows.h: the finished rows of one case at a time, as arrays over its members.
 *
 * Only the channel that was read last is in memory. A returned pointer is valid until the same function is
 * called again. Failed members have numbers too, up to their last good step; cst_case_rows_pick and
 * cst_case_rows_windows replace them by NaN.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CASE_ROWS_H
#define CST_CASE_ROWS_H
#include "study/result/output.h"

struct cst_case_rows {
  const cst_plan *plan;
  cst_output     *output;
  const double   *reference_error; /* [nvariant][CST_ERRORS], NaN where unknown */
  int             icase;           /* the open case */
  bool           *good;            /* [members] true: did not fail */
  double         *error;           /* [members] of all parts together; NULL without a reference */
  double         *figures;         /* [members][CST_FIGURES] of the quantity read last */
  double         *number;          /* [members][largest state] of the channel read last */
};

PetscErrorCode cst_case_rows_create(const cst_plan *p, cst_output *o, const double *reference_error,
                                    cst_case_rows **rows);
PetscErrorCode cst_case_rows_destroy(cst_case_rows **rows);
/* Opens a case. *failed (may be NULL): its number of failed members. */
PetscErrorCode cst_case_rows_open(cst_case_rows *r, int icase, long *failed);
/* Reads [members][components] of a channel of numbers or of a state. */
PetscErrorCode cst_case_rows_get(cst_case_rows *r, cst_channel_kind kind, int which,
                                 const double **x);
/* Reads [members][CST_FIGURES] of a quantity. */
PetscErrorCode cst_case_rows_figures(cst_case_rows *r, int quantity, const double **x);
/* x[members]: one of the figures read last, or the sum of two of them (and = -1: one). */
void cst_case_rows_pick(const cst_case_rows *r, int figure, int and, double *x);
/* Reads x[members][CST_WINDOWS]. */
PetscErrorCode cst_case_rows_windows(cst_case_rows *r, int quantity, double *x);

/* Whether some member of the open case ended well and has no finite reference. */
bool cst_case_rows_unreferred(const cst_case_rows *r);
/* The largest number in x[n]; NaN if there is none. */
double cst_case_rows_largest(const double *x, long n);
#endif
