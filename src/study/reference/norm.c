/* norm.c: norms of errors (see reference.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/reference/reference.h"

double cst_norm_apart(cst_norm kind, const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    if (kind == CST_NORM_MAX)
      sum = d > sum || isnan(d) ? d : sum;
    else
      sum += kind == CST_NORM_ONE ? d : d * d;
  }
  return kind == CST_NORM_TWO ? sqrt(sum) : sum;
}

/* Combines the norms of two parts. */
double cst_norm_join(cst_norm kind, double a, double b) {
  if (kind == CST_NORM_MAX)
    return a > b || isnan(a) ? a : b;
  if (kind == CST_NORM_ONE)
    return a + b;
  return sqrt(a * a + b * b);
}
