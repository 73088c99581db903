/* joints.h: the user's constraints of a system with bodies, in the variations of the group SO(3)^k x R^m,
 * where each body has three variations instead of nine coordinates.
 *
 * For a body with rotation R, the row of a constraint has the three numbers sum_k G_k cross R_k, where G_k
 * are its derivatives by row k of R: the change of the constraint along R hat(eta) is their product with eta.
 * All other ("ordinary") coordinates, plain ones and centres, keep their entries. Variations are numbered:
 * three per body, then the ordinary ones.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_JOINTS_H
#define CST_JOINTS_H
#include "system/system.h"

/* How entry e of G enters the reduced entries. */
typedef struct {
  int to;   /* the reduced entry; for a body the first of three */
  int row;  /* the first coordinate of its row of R; -1: an ordinary coordinate */
  int axis; /* its index in that row */
} cst_joint_entry;

typedef struct {
  int  bodies, ordinary, n; /* n: the user's constraints, which come first in the system */
  int *rotation;            /* [bodies] first coordinates of the rotations */
  int *centre; /* [bodies] first of the centre's three ordinary coordinates; -1: there is none */
  /* [bodies][6] indices of I11 I12 I13 I22 I23 I33 in the kernel `body` */
  int             *inertia;
  int             *coordinate; /* [ordinary] */
  int              entries;    /* of G in the n rows */
  cst_joint_entry *entry;      /* [entries] */
  int              reduced;    /* number of reduced entries */
  bool             principal;  /* every inertia is diagonal */
  bool             coupled;    /* the mass of the ordinary coordinates is a full matrix */
  bool linear; /* V is linear in the ordinary coordinates, and no body's rotation enters it */
  /* the constraints as a system: nq variations, ng = n, and of a model the pattern of G, gram, dropped */
  cst_system       view;
  cst_system_model model;
} cst_joints;

/* Owned; NULL if their matrix is too large. */
cst_joints *cst_joints_create(const cst_system *s);
void        cst_joints_destroy(cst_joints *j);
#endif
