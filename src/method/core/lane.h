/* lane.h: the data of a march that the lane code of a core reads, and what several cores have in common. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_LANE_H
#define CST_CORE_LANE_H
#include "method/core.h"
#include "system/lane/group.h"

/* C is the group of a cst_march. H(j) is the length of substep j in each lane: its fraction of the length h that the
 * record has of the lane's steps. OWN(j) is its `struct data`, which the core's file defines. */
#define MARCH ((const cst_march *)C)
#define H(j)  (*(const vd *)MARCH->sub[j].h)
/* The beginning of substep j behind that of the step, whose length is WHOLE; the time after SINCE steps. */
#define START(j) (*(const vd *)MARCH->sub[j].start)
#define WHOLE(j) (*(const vd *)MARCH->sub[j].whole)
#define ORIGIN   (*(const vd *)MARCH->origin)
#define SINCE    (*(const vl *)MARCH->since)
#define OWN(j)   ((const struct data *)MARCH->sub[j].data)
/* Numbers of each lane in the fields of a core (march.h). */
#define FIELDS (0 LOCAL(CST_FIELD_COUNT))

/* The name under which a core is exported. */
#ifdef CST_SYSTEM_HEADER
#define CST_CORE_SYMBOL_(core, sys, isa) cst_core_##core##_##sys##_##isa
#define CST_CORE_SYMBOL(core, sys, isa)  CST_CORE_SYMBOL_(core, sys, isa)
#define CST_EXPORTED                     CST_CORE_SYMBOL(CORE, SYS_ID, CST_ISA)
#else
#define CST_CORE_SYMBOL_(core, isa) cst_core_##core##_generic_##isa
#define CST_CORE_SYMBOL(core, isa)  CST_CORE_SYMBOL_(core, isa)
#define CST_EXPORTED                CST_CORE_SYMBOL(CORE, CST_ISA)
#endif

/* The impulses of a step are summed from 0 on. */
CST_INLINE void cst_open_impulses(const cst_context *C, int j, vd *impulse) {
  if (j == 0 && MARCH->opens) {
    UNROLL
    for (int a = 0; a < NG; a++)
      impulse[a] = vset(0);
  }
}

/* ---- cores whose corrections are bent (bend.h) ----------------------------------------------- */

/* For LOCAL. way: minus the correction of q1; q2, G2: the coordinates behind it, and G there; left: what it leaves of
 * g; bound: below it g is met, in sized code. */
#define CST_BEND_FIELDS(X)                                                                         \
  X(way, NQ)                                                                                       \
  X(q2, NQ)                                                                                        \
  X(G2, NNZ_G)                                                                                     \
  X(left, NG)                                                                                      \
  X(bound, NG)

/* For struct local. reach: the factor of residuals in cst_rows_are_close; steady: the lanes that may be bent; bent:
 * those that are, and bends: whether there are any. */
#define CST_BEND_MEMBERS                                                                           \
  vd  reach;                                                                                       \
  vl  close, bent, steady;                                                                         \
  int bends;

#define CST_LOAD_REACH(L, record)                                                                  \
  (L)->reach = *cst_block(record, LAYOUT(C).tolerance) * (CST_CLOSE / CST_ROUNDOFF)
#endif
