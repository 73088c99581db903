/* examine.h: examines whether the description of a system is correct.
 *
 * States satisfy the constraints and have a positive definite mass, constraints are independent, every
 * derivative kernel is the derivative of its function, symmetries leave the constraints and the Lagrangian
 * invariant, exact motions are solutions, and compiled kernels have the bits of the interpreter. Points are
 * drawn around the states, the same ones every time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXAMINE_H
#define CST_EXAMINE_H
#include "system/system.h"

/* Information; a warning; an error. */
typedef enum { CST_FACT, CST_NOTE, CST_FAULT } cst_severity;

typedef struct {
  cst_severity severity;
  char        *topic, *text; /* topic: "state default", "symmetry rotation-z", ... */
} cst_finding;

typedef struct {
  int          n, faults; /* faults: number of findings that are faults */
  cst_finding *at;        /* [n] in the order in which they are printed */
} cst_examination;

/* Examines s with parameters c[npar]. Marks redundant constraints in s like cst_system_enforce_independent.
 * Owned. */
cst_examination *cst_examine(cst_system *s, const double *c);
void             cst_examine_destroy(cst_examination *x);
#endif
