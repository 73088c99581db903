/* growth-lanes.c: chooses the loops of verdicts by instruction set (see growth-lanes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth-lanes.h"
#include <stddef.h>

static const cst_growth_loops loops[CST_ISA_COUNT] = {
#define X(isa, lanes) {lanes, cst_growth_fit_##isa, cst_growth_exp_##isa, cst_growth_project_##isa},
    CST_ISA_LIST(X)
#undef X
};

const cst_growth_loops *cst_growth_loops_chosen(void) {
  static const cst_growth_loops *chosen;
  if (!chosen) {
    const int isa = cst_isa_choose(NULL);
    chosen = &loops[isa > 0 ? isa : 0];
  }
  return chosen;
}
