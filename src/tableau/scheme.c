/* scheme.c: symmetric composition schemes, as data: one step is a product of steps gamma_i h of a symmetric
 * method of order 2. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <string.h>
#include "core/boundary.h"
#include "constella/method.h"

#define HLW "Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2"
static const double yoshida4[] = {1.3512071919596576340, -1.7024143839193152681,
                                  1.3512071919596576340};
static const double suzuki4[] = {0.41449077179437573714, 0.41449077179437573714,
                                 -0.65796308717750294857, 0.41449077179437573714,
                                 0.41449077179437573714};
static const double yoshida6[] = {0.78451361047755726382,  0.23557321335935813368,
                                  -1.17767998417887100695, 1.31518632068391121888,
                                  -1.17767998417887100695, 0.23557321335935813368,
                                  0.78451361047755726382};
static const double kahan_li6[] = {
    0.39216144400731413928,  0.33259913678935943860, -0.70624617255763935981,
    0.08221359629355080023,  0.79854399093482996340, 0.08221359629355080023,
    -0.70624617255763935981, 0.33259913678935943860, 0.39216144400731413928};
static const double kahan_li8[] = {
    0.13020248308889008088,  0.56116298177510838456,  -0.38947496264484728641,
    0.15884190655515560090,  -0.39590389413323757734, 0.18453964097831570709,
    0.25837438768632204729,  0.29501172360931029887,  -0.60550853383003451170,
    0.29501172360931029887,  0.25837438768632204729,  0.18453964097831570709,
    -0.39590389413323757734, 0.15884190655515560090,  -0.38947496264484728641,
    0.56116298177510838456,  0.13020248308889008088};
#define ROW(name, gamma, order, doc, source)                                                       \
  { name, doc, source, order, sizeof gamma / sizeof *gamma, gamma }
static const cst_scheme schemes[] = {
    ROW("yoshida4", yoshida4, 4, "Triple jump, 1/(2 - 2^(1/3)).",
        "Yoshida 1990; Suzuki 1990; " HLW),
    ROW("suzuki4", suzuki4, 4,
        "Suzuki's fractal, 1/(4 - 4^(1/3)): five substeps, small error constant.",
        "Suzuki 1990; " HLW),
    ROW("yoshida6", yoshida6, 6, "Yoshida's solution A with seven substeps.", "Yoshida 1990; " HLW),
    ROW("kahan-li6", kahan_li6, 6, "Kahan and Li's s9odr6a with nine substeps.",
        "Kahan, Li 1997; " HLW),
    ROW("kahan-li8", kahan_li8, 8, "Kahan and Li's s17odr8a with seventeen substeps.",
        "Kahan, Li 1997; " HLW),
};

int cst_scheme_count(void) { return sizeof schemes / sizeof *schemes; }

const cst_scheme *cst_scheme_at(int i) {
  return i >= 0 && i < cst_scheme_count() ? &schemes[i] : NULL;
}

const cst_scheme *cst_scheme_find(const char *name) {
  CST_REQUIRE(name, NULL);
  for (int i = 0; i < cst_scheme_count(); i++)
    if (!strcmp(schemes[i].name, name))
      return &schemes[i];
  return NULL;
}
