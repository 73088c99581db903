/* lie.h: shared by the methods on the rotation group. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_METHOD_LIE_H
#define CST_METHOD_LIE_H
#include "method/method.h"

/* Whether s has bodies, and besides them only coordinates of constant mass, without a(q). */
bool cst_lie_fits(const cst_term *t, const cst_system *s, char *why, int n);
#endif
