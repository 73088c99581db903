/* series-cases.h: the series of cases as whole, for the collector `series`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SERIES_CASES_H
#define CST_SERIES_CASES_H
#include "study/collector.h"

extern const cst_reuse cst_series_reuse;
/* Writes the times of the samples of every case. */
PetscErrorCode cst_series_open(const cst_plan *p, cst_output *o);
#endif
