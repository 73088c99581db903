/* series.h: sampled series of each case, reduced over its members. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SERIES_H
#define CST_SERIES_H
#include "study/bundle.h"
#include "study/output.h"

/* What a rank keeps of the sampled series, by case, sample and quantity: only for cases with more than one
 * member. */
typedef struct {
  const cst_plan *plan;
  cst_sum       **sum; /* [ncase]: [sample][quantity] or NULL until the first batch of the case */
  double        **top;
  double        **count; /* [ncase]: [sample][quantity] members that live and have a number */
} cst_series;

cst_series *cst_series_create(const cst_plan *p);
void        cst_series_destroy(cst_series *s);
/* Add the exact bins, maxima and counts of some members of a case at one sample. */
void cst_series_add(cst_series *s, int icase, int sample, int width, const double *bins, const double *top,
                    const double *count);
/* The same of one quantity, where sums are known. */
void cst_series_merge(cst_series *s, int icase, int sample, int quantity, const cst_sum *sum, double top,
                      double count);
/* A section "series" a case that there is something of; the same, added to what there is (false: not of this
 * study); and nothing. */
void           cst_series_pack(const cst_series *s, cst_bundle *b);
bool           cst_series_take(cst_series *s, const void *bytes, size_t size);
void           cst_series_clear(cst_series *s);
PetscErrorCode cst_series_finish(cst_series *s, MPI_Comm comm,
                                 cst_output *o); /* collective: reduce and write */
#endif
