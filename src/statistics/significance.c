/* significance.c: tails of Student's t and Fisher's F, expressed as deviations of a normal distribution, so
 * that one number, say 3, means the same probability for few and many degrees of freedom.
 *
 * t: Wallace, Ann. Math. Stat. 30 (1959) 1124, z = (8 f + 1) / (8 f + 3) sqrt(f log(1 + t^2 / f)), accurate
 * to 0.02 for f >= 3, at any t. F: Paulson, Ann. Math. Stat. 13 (1942) 233, from the cube roots of Wilson and
 * Hilferty.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/expr.h"
#include "statistics/growth.h"
#include <math.h>

double cst_significance_of_t(double t, double f) {
  if (isnan(t) || !(f > 0))
    return NAN;
  if (isinf(t))
    return t;
  const double scale = (8 * f + 1) / (8 * f + 3);
  const double square = f * cst_elementary_log(1 + t * t / f);
  return copysign(scale * sqrt(square), t);
}

double cst_significance_t_quantile(double normal, double f) {
  const double u = normal * (8 * f + 3) / (8 * f + 1);
  const double square = f * (cst_elementary_exp(u * u / f) - 1);
  return copysign(sqrt(square), normal);
}

double cst_significance_of_f(double ratio, double above, double below) {
  if (isnan(ratio))
    return NAN;
  if (!(above > 0))
    return NAN;
  if (!(below > 0))
    return NAN;
  if (!(ratio > 0))
    return -INFINITY;
  if (isinf(ratio))
    return INFINITY;
  const double p = 2 / (9 * above);
  const double q = 2 / (9 * below);
  const double root = cst_elementary_exp(cst_elementary_log(ratio) / 3);
  const double apart = (1 - q) * root - (1 - p);
  const double size = sqrt(p + q * root * root);
  return apart / size;
}
