/* properties.c: quantities derived from the properties of a method. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "core/boundary.h"
#include "constella/method.h"

double cst_properties_back(const cst_properties *p, double h) {
  CST_REQUIRE(p, NAN);
  const double steps = p->mean > 0 ? fmax(1, round(p->mean / h)) : 0;
  return (1 - p->lambda_time) + 0.5 * steps;
}
