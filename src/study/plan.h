/* plan.h: inside the room: how a plan is made: what its steps cost and hold, and its batches. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PLAN_H
#define CST_PLAN_H
#include "study/run.h"

/* plan-cost.c. Bytes that a lane keeps from step to step; nanoseconds of a step of a lane; the instruction set for lanes as few, or as
 * large, as these: none wider than isa. */
double cst_plan_lane_bytes(const cst_study *study);
double cst_plan_step_cost(const cst_plan *p, const cst_class *k);
long   cst_plan_most_lanes(const cst_plan *p);
int    cst_plan_fitting_isa(const cst_plan *p, int isa);
/* batches.c. The batches of the whole study. */
void cst_plan_cut(cst_plan *p, int ranks, long batch);
#endif
