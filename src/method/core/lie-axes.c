/* lie-axes.c: the core of lie-euler-a, lie-euler-b and lie-lobatto with a retraction from text that need not treat all
 * axes alike (core/lie.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE   lie_axes
#define PIECES 1
#define AXES
#define CST_ROW_NAME "lie-axes"
#include "method/core/lie-row.h"
#ifdef CST_W
#include "method/core/lie.h"
#else
cst_substep cst_lie_axes(double fraction, double w0, double w1, const cst_text *tau) {
  return cst_substep_of(&row, fraction, &(struct parameters){w0, w1, 0, tau});
}
#endif
