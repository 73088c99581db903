/* diag.h: functions of constella/diag.h that are not public. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_DIAG_H
#define CST_CORE_DIAG_H
#include <stdbool.h>
#include "constella/diag.h"

/* Whether no further message is kept: readers of long lists may stop looking for errors. */
bool cst_diag_full(const cst_diag *d);
/* "; did you mean 'NAME'?" with the nearest of names[0..n), for the end of a message; "" where none is near.
 * Rotating static text. */
const char *cst_diag_guess(const char *word, const char *const *names, int n);
#endif
