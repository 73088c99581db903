/* convert-iota.c: the core of convert(LAYER, iota=) with a projection along fibres from text (core/convert.h,
 * core/convert-projection.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         convert_iota
#define CST_ROW_NAME "convert-iota"
#define FIBRED       1
#include "method/core/convert.h"
#ifndef CST_W

cst_substep cst_convert_along(double fraction, const cst_layer *minus, const cst_layer *plus,
                              double bias, const cst_text *iota) {
  return cst_substep_of(&row, fraction,
                        &(struct parameters){bias, {*minus, *plus}, false, false, iota});
}
#endif
