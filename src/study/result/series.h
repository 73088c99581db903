/* series.h: sampled series of each case, reduced over its members. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SERIES_H
#define CST_SERIES_H
#include "record/bundle.h"
#include "study/result/output.h"

/* A rank's sampled series, by case, sample and quantity; only for cases with several members. */
typedef struct cst_series {
  const cst_plan *plan;
  cst_sum       **sum; /* [ncase]: [sample][quantity], NULL until the first batch of the case */
  double        **top;
  double        **count; /* [ncase]: [sample][quantity] living members with a value */
} cst_series;

cst_series *cst_series_create(const cst_plan *p);
void        cst_series_destroy(cst_series *s);
/* Adds the exact bins, maxima and counts of some members of a case at one sample. */
void cst_series_add(cst_series *s, int icase, int sample, int width, const double *bins,
                    const double *top, const double *count);
/* Adds known sums of one quantity. */
void cst_series_merge(cst_series *s, int icase, int sample, int quantity, const cst_sum *sum,
                      double top, double count);
/* pack: appends one section "series" per non-empty case. take: adds such a section; false if it is from
 * another study. clear: resets to zero. */
void cst_series_pack(const cst_series *s, cst_bundle *b);
bool cst_series_take(cst_series *s, const void *bytes, size_t size);
void cst_series_clear(cst_series *s);
/* Collective: reduces over all ranks and writes. */
PetscErrorCode cst_series_finish(cst_series *s, MPI_Comm comm, cst_output *o);
#endif
