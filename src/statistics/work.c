/* work.c: the work that a method needs for an accuracy, between the steps that were run. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/statistics.h"
#include <math.h>
#include "constella/expr.h"
#include "core/boundary.h"

/* log work is linear in log error. */
static double between(double coarse, double fine, double part) {
  if (!(coarse > 0 && fine > 0))
    return fine;
  return fine * cst_elementary_exp(part * cst_elementary_log(coarse / fine));
}

double cst_work_at(const double *error, const double *work, int n, double accuracy) {
  CST_REQUIRE((error && work) || n == 0, NAN);
  for (int i = n - 1; i > 0; i--) {
    const double coarse = error[i - 1], fine = error[i];
    if (!(fine <= accuracy && coarse > accuracy))
      continue;
    if (!(fine > 0 && isfinite(coarse)))
      return work[i];
    const double whole = cst_elementary_log(coarse / fine);
    return between(work[i - 1], work[i], cst_elementary_log(accuracy / fine) / whole);
  }
  for (int i = 0; i < n; i++) /* no step is above it: that of the coarsest one which did not fail */
    if (error[i] <= accuracy)
      return work[i];
  return NAN;
}
