/* clock.h: the time of a step as it is planned, in steps of equal length: what is known of a case without its run, whose
 * own times are those of cst_clock_at and cst_clock_lanes (study/runner/runner.h). Everything else counts steps: stops,
 * checkpoints and what is observed depend on whole steps, never on times. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLOCK_H
#define CST_CLOCK_H
#include "study/plan/plan.h"

/* The time after `step` steps of a case, which may be a fraction of a step. */
static inline double cst_clock_of(const cst_case *c, double step) { return step * c->h; }
#endif
