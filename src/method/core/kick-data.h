/* kick-data.h: the data of a kick that lane code reads (kick.c and molecules.c). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_KICK_DATA_H
#define CST_CORE_KICK_DATA_H

/* w0, w1: fractions of h for which the force acts at the left and at the right end. tangent: whether p is
 * projected onto the tangent space at the right end. idle: whether the force at the right end is not
 * needed. */
struct data {
  double w0, w1;
  int    tangent, idle;
};
#endif
