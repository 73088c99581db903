/* lie-stage.c: the core of lie-midpoint and lie-discretization: a drift in one piece by the exponential
 * with the force inside it (core/lie.h). Newton's matrix is that of the drift; the iteration
 * contracts by theta (1-theta) h^2 |V''|. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define CORE   lie_stage
#define PIECES 1
#define STAGE
#define CST_ROW_NAME "lie-stage"
#define CONVERGES_LINEARLY
#include "method/core/lie-row.h"
#ifdef CST_W
#include "method/core/lie.h"
#else
cst_substep cst_lie_stage(double fraction, double theta) {
  return cst_substep_of(&row, fraction, &(struct parameters){1 - theta, theta, 1, NULL});
}
#endif
