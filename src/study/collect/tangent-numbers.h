/* tangent-numbers.h: numbers of a trajectory that are the largest of all measurements by companions, with one
 * column each; and when it is measured. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TANGENT_NUMBERS_H
#define CST_TANGENT_NUMBERS_H
#include "study/channels/channels.h"
#include "study/collector.h"

/* row: their channels, named as the columns are. has: whether the study asks for number i. */
typedef struct {
  const cst_channel_row *row;
  int                    n;
  bool (*has)(const cst_plan *p, int i);
  struct {
    const char *name, *doc;
  } text[4]; /* [n] */
} cst_tangent_numbers;

void cst_tangent_numbers_declare(const cst_tangent_numbers *x, const cst_plan *p, cst_channels *c);
/* As cst_collector.columns and conclude. */
void *cst_tangent_numbers_columns(const cst_tangent_numbers *x, const cst_plan *p, cst_columns *c);
cst_error cst_tangent_numbers_conclude(const cst_tangent_numbers *x, cst_case_rows *rows,
                                       const void *handles);
/* As cst_collector.next: after every period; never in a replay. */
long cst_tangent_next(const cst_collection *x, long step);
#endif
