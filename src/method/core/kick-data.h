/* kick-data.h: what lane code reads of a kick, kick.c and molecules.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_KICK_DATA_H
#define CST_CORE_KICK_DATA_H

/* Fractions of h that the force acts for at the left and at the right end; whether p is projected on the
 * tangent space at the right end; whether nobody takes the force there. */
struct data {
  double w0, w1;
  int    tangent, idle;
};
#endif
