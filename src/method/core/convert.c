/* convert.c: the core of convert(LAYER, bias=b) and lagrange-dalembert(LAYER, bias=b), with projections along
 * Dg' or M^-1 Dg' (core/convert.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         convert
#define CST_ROW_NAME "convert"
#define FIBRED       0
#define COMPILED_FOR .lacks = 0
#include "method/core/convert.h"
#ifndef CST_W

cst_substep cst_substep_convert(double fraction, const cst_layer *minus, const cst_layer *plus,
                                double bias, bool by_mass) {
  return cst_substep_of(&row, fraction,
                        &(struct parameters){bias, {*minus, *plus}, false, by_mass, NULL});
}

cst_substep cst_convert_of_w(double fraction, const cst_layer *minus, const cst_layer *plus,
                             double bias) {
  return cst_substep_of(&row, fraction,
                        &(struct parameters){bias, {*minus, *plus}, true, false, NULL});
}
#endif
