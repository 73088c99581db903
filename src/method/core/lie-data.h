/* lie-data.h: the data of a substep on the rotation group that lane code reads. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_LIE_DATA_H
#define CST_LIE_DATA_H
#include "method/joints.h"
#include "method/lane-tau.h"

struct data {
  double w0, w1;  /* fractions of h for which the force acts at the left and at the right end */
  int    turning; /* position in the record of the momenta of the bodies in space axes */
  const cst_joints *joints;
  cst_lane_tau      tau; /* of a retraction from text */
};
#endif
