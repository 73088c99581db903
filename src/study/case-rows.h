/* case-rows.h: the finished rows of one case at a time, for conclusions: arrays over its members.
 *
 * Of what is kept for each member no more is in memory than was asked for last. A function that gives a
 * pointer gives it until it is called again. Members that failed have numbers, too, those up to their last
 * good step; `pick` and `windows` leave them out, as NaN.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CASE_ROWS_H
#define CST_CASE_ROWS_H
#include "study/output.h"

struct cst_case_rows {
  const cst_plan *plan;
  cst_output     *output;
  const double   *reference_error; /* [nvariant][CST_ERRORS], NaN where it is not known */
  int             icase;           /* the case that is open */
  bool           *good;            /* [members] that did not fail */
  double         *figures;         /* [members][CST_FIGURES] of the quantity that was read last */
  double         *number;          /* [members][largest state] of what was read last */
};

PetscErrorCode cst_case_rows_create(const cst_plan *p, cst_output *o, const double *reference_error,
                                    cst_case_rows **rows);
PetscErrorCode cst_case_rows_destroy(cst_case_rows **rows);
/* From now on the rows are those of this case; *failed (may be NULL): members of it that failed. */
PetscErrorCode cst_case_rows_open(cst_case_rows *r, int icase, long *failed);
/* [members][components], of a channel of numbers or of a state. */
PetscErrorCode cst_case_rows_get(cst_case_rows *r, cst_channel_kind kind, int which, const double **x);
/* [members][CST_FIGURES] of a quantity. */
PetscErrorCode cst_case_rows_figures(cst_case_rows *r, int quantity, const double **x);
/* Of the figures that were read last one, or the sum of two (and: -1: one), into x[members]. */
void cst_case_rows_pick(const cst_case_rows *r, int figure, int and, double *x);
/* Into x[members][CST_WINDOWS]. */
PetscErrorCode cst_case_rows_windows(cst_case_rows *r, int quantity, double *x);

/* The largest of the numbers among x[n]; NaN: there is none. */
double cst_case_rows_largest(const double *x, long n);
#endif
