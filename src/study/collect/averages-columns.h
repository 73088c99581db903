/* averages-columns.h: results of averages and histograms: means over time and members with standard errors,
 * and densities.
 *
 * These columns and datasets exist in every kind of study whose file asks for them.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_AVERAGES_COLUMNS_H
#define CST_AVERAGES_COLUMNS_H
#include "study/result/case-rows.h"
#include "study/channels/columns.h"

/* Declares the columns. NULL: there are none. Owned, free(). */
void *cst_averages_declare(const cst_plan *p, cst_columns *c);
/* Sets the columns of the open case, and writes its datasets. */
cst_error cst_averages_conclude(cst_case_rows *rows, const void *handles);
void     *cst_histograms_declare(const cst_plan *p, cst_columns *c);
cst_error cst_histograms_conclude(cst_case_rows *rows, const void *handles);
#endif
