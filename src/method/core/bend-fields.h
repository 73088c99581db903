/* bend-fields.h: lane code: the fields of cores whose corrections are bent (bend.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_BEND_FIELDS_H
#define CST_BEND_FIELDS_H

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
