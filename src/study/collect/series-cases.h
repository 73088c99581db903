/* series-cases.h: the series of cases as whole, for the collector `series`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SERIES_CASES_H
#define CST_SERIES_CASES_H
#include "study/collector.h"
#include "study/file/reader.h"

/* The key `samples`. */
typedef struct {
  int  count; /* of samples of a series, at most; 0: none */
  bool log;   /* equidistant in the logarithm of the time */
} cst_series_wish;

const cst_series_wish *cst_series_wish_of(const cst_study *s);
extern const cst_key   cst_series_keys[];
void                   cst_series_read(cst_reader *r, void *wish);
void                   cst_series_schedule(const cst_plan *p, cst_class *k);

/* The next step of a batch after `step` with a sample, LONG_MAX: none; and the sample at its step, -1: none. */
long cst_series_next(const cst_collection *x, long step);
int  cst_series_here(const cst_runner *r);

extern const cst_reuse cst_series_reuse;
/* The cells of a case, [sample][quantity]: of the squares of x - x(0), where `top` is the largest |x - x(0)|. */
extern const cst_tally cst_series_tally;
/* Writes the times of the samples of every case. */
cst_error cst_series_open(const cst_plan *p, cst_output *o);
#endif
