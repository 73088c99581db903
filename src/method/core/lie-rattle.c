/* lie-rattle.c: the core of lie-rattle: half the force at either end of a drift in two halves (core/lie.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE         lie_rattle
#define PIECES       2
#define CST_ROW_NAME "lie-rattle"
#define COMPILED_FOR .needs = CST_SEPARABLE | CST_BODIES, .lacks = CST_JOINED, .before = true
#include "method/core/lie-row.h"
#ifdef CST_W
#include "method/core/lie.h"
#else
cst_substep cst_lie_rattle(double fraction, bool exponential, const cst_text *tau) {
  return cst_substep_of(&row, fraction, &(struct parameters){0.5, 0.5, exponential, tau});
}
#endif
