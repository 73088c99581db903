/* lie-axes-rattle.c: the core of lie-rattle with a retraction from text that need not treat all
 * axes alike (core/lie.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE   lie_axes_rattle
#define PIECES 2
#define AXES
#define CST_ROW_NAME "lie-axes-rattle"
#include "method/core/lie-row.h"
#ifdef CST_W
#include "method/core/lie.h"
#else
cst_substep cst_lie_axes_rattle(double fraction, const cst_text *tau) {
  return cst_substep_of(&row, fraction, &(struct parameters){0.5, 0.5, 0, tau});
}
#endif
