/* rotation-nodes.h: rotations of bodies as nodes of a graph: the axis, the quaternion and the angular velocity of a
 * state become coordinates. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SYSTEM_ROTATION_H
#define CST_SYSTEM_ROTATION_H
#include "constella/expr.h"

/* R[9] by rows: a rotation about the axis (any length but 0) by the angle in radians, counterclockwise when
 * seen from the tip of the axis (Rodrigues). */
void cst_rotation_from_axis(cst_graph *g, const cst_node axis[3], cst_node angle, cst_node R[9]);
/* The rotation of the quaternion p0 + p1 i + p2 j + p3 k, scalar first, of any length but 0. */
void cst_rotation_from_quaternion(cst_graph *g, const cst_node p[4], cst_node R[9]);
/* R' = R hat(omega), omega in body axes. */
void cst_rotation_velocity(cst_graph *g, const cst_node R[9], const cst_node omega[3],
                           cst_node V[9]);
#endif
