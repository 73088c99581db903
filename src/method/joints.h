/* joints.h: the user's constraints of a system with bodies, in the variations of the group SO(3)^k x R^m:
 * what is left of them when each body brings three instead of nine.
 *
 * The row of a constraint has, for a body whose rotation R it names, the three numbers sum_k G_k cross R_k,
 * where G_k are its derivatives by row k of R: its change along R hat(eta) is their product with eta.
 * Coordinates of no rotation (plain ones and centres: ordinary ones) keep theirs. Variations are numbered:
 * three of each body, then the ordinary ones.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_JOINTS_H
#define CST_JOINTS_H
#include "constella/system.h"

/* How entry e of G enters the reduced entries. */
typedef struct {
  int to;   /* the reduced entry, of a body the first of three */
  int row;  /* the coordinate that stands first in its row of R; -1: an ordinary coordinate */
  int axis; /* its place in that row */
} cst_joint_entry;

typedef struct {
  int              bodies, ordinary, n; /* n: the user's constraints, which come first in the system */
  int             *rotation;            /* [bodies] first coordinates of the rotations */
  int             *inertia;             /* [bodies][6] where the kernel `body` has I11 I12 I13 I22 I23 I33 */
  int             *coordinate;          /* [ordinary] */
  int              entries;             /* of G in the n rows */
  cst_joint_entry *entry;               /* [entries] */
  int              reduced;             /* entries */
  bool             principal;           /* every inertia is diagonal */
  bool             coupled;             /* the mass of the ordinary coordinates is a full matrix */
  cst_system
      view; /* the constraints as a system of their own: nq variations, ng = n, pattern of G, gram, dropped */
} cst_joints;

/* Owned; NULL where their matrix is too large. */
cst_joints *cst_joints_create(const cst_system *s);
void        cst_joints_destroy(cst_joints *j);
#endif
