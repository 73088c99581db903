/* histograms.h: what a study asks of histograms: the key `histograms`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_HISTOGRAMS_H
#define CST_HISTOGRAMS_H
#include "study/collector.h"
#include "study/file/reader.h"

/* The distribution of the values of expressions over time and members. */
typedef struct {
  char           *name;
  cst_expressions expressions;
  int             bins;
  /* [bins + 1] ascending: bin k is edge[k] <= x < edge[k + 1]; the last one includes its end */
  double *edge;
  bool    fixman; /* every sample has the weight (det G M^-1 G')^(-1/2) in the density */
} cst_histogram;

typedef struct {
  int            n;
  cst_histogram *histogram;
} cst_histograms_wish;

const cst_histograms_wish *cst_histograms_wish_of(const cst_study *s);

/* histograms-read.c: the keys, and their values. */
extern const cst_key cst_histograms_keys[];
void                 cst_histograms_read(cst_reader *r, void *wish);
void                 cst_histograms_forget(void *wish);
#endif
