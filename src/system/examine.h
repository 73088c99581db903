/* examine.h: the examination of a system: is what its description says true?
 *
 * States satisfy the constraints and have a positive definite mass, constraints are independent, every
 * derivative kernel is the derivative of what it derives from, symmetries leave the constraints and the
 * Lagrangian alone, exact motions are motions, compiled kernels have the bits of the interpreter. Points are
 * drawn around the states, the same ones every time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXAMINE_H
#define CST_EXAMINE_H
#include "constella/system.h"

/* What it is; worth knowing; wrong. */
typedef enum { CST_FACT, CST_NOTE, CST_FAULT } cst_severity;

typedef struct {
  cst_severity severity;
  char        *topic, *text; /* "state default", "symmetry rotation-z", ... */
} cst_finding;

typedef struct {
  int          n, faults; /* faults: how many of them are */
  cst_finding *at;        /* [n] in the order of the page */
} cst_examination;

/* Examine s with parameters c[npar]. Redundant constraints are marked in s as by
 * cst_system_enforce_independent. Owned. */
cst_examination *cst_examine(cst_system *s, const double *c);
void             cst_examine_destroy(cst_examination *x);
#endif
