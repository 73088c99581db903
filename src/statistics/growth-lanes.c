/* growth-lanes.c: chooses the loops of verdicts by instruction set (see growth-lanes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/growth-lanes.h"
#include "core/lane-form.h"

const cst_growth_loops *cst_growth_loops_chosen(void) {
  static const cst_growth_loops *chosen;
  if (!chosen) {
    const int isa = cst_isa_choose(NULL);
    chosen = cst_lane_form(isa > 0 ? isa : cst_isas[0].full, "growth-lanes");
  }
  return chosen;
}
