/* pivoted-determinant.h: the determinant of the matrix of one lane, as a mantissa and an exponent, so that those of
 * large matrices are numbers. Only IEEE operations: comparisons do not depend on the machine.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PIVOTED_DETERMINANT_H
#define CST_PIVOTED_DETERMINANT_H
#include <math.h>
#include <stdbool.h>
#include "constella/lanes.h"

/* mantissa 2^exponent; the mantissa is 0 or of size 1/2 to 1. */
typedef struct {
  double mantissa;
  long   exponent;
} cst_determinant;

static inline __attribute__((unused)) void cst_determinant_times(cst_determinant *D, double x) {
  int n;
  D->mantissa = frexp(D->mantissa * x, &n);
  D->exponent += n;
}

/* D := D det A of this lane, by elimination with row pivoting. A[n * n] is kept. */
static __attribute__((noinline, unused)) void cst_determinant_of(const vd *A, int n, int lane,
                                                                 cst_determinant *D) {
  double a[n > 0 ? n * n : 1];
  for (int i = 0; i < n * n; i++)
    a[i] = A[i][lane];
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
        best = i;
    for (int j = k; j < n && best != k; j++) {
      const double t = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = -t;
    }
    cst_determinant_times(D, a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      const double f = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
    }
  }
}

/* Whether the quotient of two determinants is positive and between 1/most and most. */
static inline __attribute__((unused)) bool
cst_determinant_is_near(const cst_determinant *x, const cst_determinant *y, double most) {
  const long apart = x->exponent - y->exponent;
  if (!(apart > -64 && apart < 64))
    return false;
  const double quotient = ldexp(x->mantissa / y->mantissa, (int)apart);
  return quotient >= 1 / most && quotient <= most;
}
#endif
