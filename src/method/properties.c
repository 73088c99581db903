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

static int least(int a, int b) { return a < b ? a : b; }

int cst_properties_measure(const cst_properties *p) {
  CST_REQUIRE(p, 0);
  const unsigned volume = CST_CLAIM_SYMPLECTIC | CST_CLAIM_VOLUME;
  /* conjugate to a symplectic map */
  const bool conjugate = p->claims & CST_CLAIM_BOUNDED && !(p->claims & CST_CLAIM_ENERGY);
  if (p->order_measure > 0)
    return p->order_measure;
  return p->claims & volume || conjugate ? least(p->order_q, p->order_p) : 0;
}
