/* lie-data.h: what lane code reads of a substep on the group. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LIE_DATA_H
#define CST_LIE_DATA_H
#include "method/joints.h"

struct data {
  double            w0, w1;  /* parts of h that the force acts for at the left and at the right end */
  int               turning; /* where the record has the momenta of the bodies in space axes */
  const cst_joints *joints;
};
#endif
