/* lyapunov.h: what the collector `lyapunov` keeps of trajectories (lyapunov.c), for its columns
 * (lyapunov-columns.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LYAPUNOV_H
#define CST_LYAPUNOV_H
#include "core/error.h"
#include "study/channels/channels.h"
#include "study/collect/tangent.h"
#include "study/result/case-rows.h"

/* Parts of the run whose growth rates are kept; running exponents that are kept. */
enum { CST_LYAPUNOV_BLOCKS = 64, CST_LYAPUNOV_POINTS = 64 };

extern const cst_channel_row cst_lyapunov_exponents, cst_lyapunov_blocks, cst_lyapunov_times,
    cst_lyapunov_megno, cst_lyapunov_floor;

bool cst_lyapunov_wanted(const cst_plan *p);
/* Tangent vectors; MEGNO alone needs one. */
int cst_lyapunov_vectors(const cst_plan *p);
/* The periods after which the i-th running exponent is kept: 1, 2, 3, 4, 6, 8, 12, 16, 24 ... */
long cst_lyapunov_point(int i);
/* "1" of vector 0. */
const char *cst_lyapunov_number(int i);

void     *cst_lyapunov_columns(const cst_plan *p, cst_columns *c);
cst_error cst_lyapunov_conclude(cst_case_rows *rows, const void *handles);
#endif
