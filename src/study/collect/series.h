/* series.h: what a study asks of series, and when they are sampled. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SERIES_H
#define CST_SERIES_H
#include "study/rows/collector.h"
#include "study/file/reader.h"

/* The key `samples`. */
typedef struct {
  int  count; /* of samples of a series, at most; 0: none */
  bool log;   /* equidistant in the logarithm of the time */
} cst_series_request;

const cst_series_request *cst_series_request_of(const cst_study *s);

/* The next step of a batch after `step` with a sample, LONG_MAX: none; and the sample at its step, -1: none. */
long cst_series_next(const cst_collection *x, long step);
int  cst_series_here(const cst_runner *r);
#endif
