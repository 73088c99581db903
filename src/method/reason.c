/* reason.c: how a trajectory can end (see reason.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "method/reason.h"
#include <stddef.h>

static const cst_reason_row rows[] = {
#define X(name, failed, words, advice) {words, advice, failed},
    CST_REASON_ROWS(X)
#undef X
};

const cst_reason_row *cst_reason_at(double number) {
  return number >= 0 && number < CST_REASONS ? &rows[(int)number] : NULL;
}

bool cst_reason_failed(double number) {
  const cst_reason_row *row = cst_reason_at(number);
  return number > 0 && (!row || row->failed);
}

bool cst_reason_stopped(double number) { return number > 0 && !cst_reason_failed(number); }
