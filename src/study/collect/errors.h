/* errors.h: the error against the reference along time, for collectors that keep it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ERRORS_H
#define CST_ERRORS_H
#include "study/runner/runner.h"

/* Of the lanes of the batch, [count], at its step, one at which errors are read or shown (plan.h): the norm of the differences
 * of q and p, those of them that the key `error` names; 0 at the start, NaN of a lane that has ended. NULL: the study has no
 * reference. */
const double *cst_errors_now(const cst_runner *r);
#endif
