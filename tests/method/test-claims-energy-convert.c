/* test-claims-energy-convert.c: the energy claims of conversions, tested like those of all other methods in
 * test-claims-energy.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "energy.h"

static int conversions;

static void test(const problem *x, const char *method, cst_properties has) {
  if (!strstr(method, CONVERSION))
    return;
  conversions++;
  test_energy(x, method, has);
}

static void tests(void) {
  each_pair(test, SCOPE_ENERGY);
  OK(conversions > 30, "%d pairs of a conversion and a system", conversions);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
