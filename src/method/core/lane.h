/* lane.h: the data of a march that the lane code of a core reads. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_LANE_H
#define CST_CORE_LANE_H
#include "method/core.h"
#include "system/lane/group.h"

/* C is the group of a cst_march. H(j) is the length of substep j in each lane, OWN(j) its `struct data`, which
 * the core's file defines. */
#define MARCH ((const cst_march *)C)
#define H(j)  (*(const vd *)MARCH->sub[j].h)
/* The beginning of substep j behind that of the step, whose length is WHOLE; the time after SINCE steps. */
#define START(j) (*(const vd *)MARCH->sub[j].start)
#define WHOLE(j) (*(const vd *)MARCH->sub[j].whole)
#define ORIGIN   (*(const vd *)MARCH->time)
#define SINCE    (*(const vl *)MARCH->since)
#define OWN(j)   ((const struct data *)MARCH->sub[j].data)

#endif
