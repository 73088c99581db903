/* clock.h: the time of a step: the only place that tells it. Everything else counts steps: stops, checkpoints
 * and what is observed depend on whole steps, never on times. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLOCK_H
#define CST_CLOCK_H
#include "study/plan/plan.h"

/* The time after `step` steps of a class, which may be a fraction of a step. */
static inline double cst_clock_at(const cst_class *k, double step) { return step * k->h; }
/* The same for one case. */
static inline double cst_clock_of(const cst_case *c, double step) { return step * c->h; }
#endif
