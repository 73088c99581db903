/* lane.h: what the lane code of a core reads besides its group. C is the group of a cst_march. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_LANE_H
#define CST_CORE_LANE_H
#include "method/core.h"

#define MARCH ((const cst_march *)C)
#define H(j)  (MARCH->sub[j].h) /* the length of substep j */
#define OWN(j)                                                                                               \
  ((const struct data *)MARCH->sub[j]                                                                        \
       .data) /* and what the core's file says that it has: its `struct data`  \
                                             */
#endif
