/* tau.h: retractions of the rotation group from text: x -> tau(x), the turn about x with
 *
 *   tan(angle / 2) = t(s) |x|,   s = |x|^2,   t(0) = 1/2
 *
 * so tau(x) is the Cayley map of 2 t x. These are all smooth maps into rotations by less than half a turn
 * that commute with changes of axes, tau(R x) = R tau(x) R'; then tau(-x) = tau(x)'. t = 1/2 is the Cayley
 * map itself, tan(|x| / 2) / |x| the exponential.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TAU_H
#define CST_TAU_H
#include "constella/system.h"
#include "expr/define.h"
#include "method/lane-tau.h"
#include "method/substep.h"

typedef struct cst_tau cst_tau;

/* The retraction of this text, an expression of s; NULL with *e filled if it is none. Borrowed: it lives as
 * long as the program, and equal texts give the same one. */
const cst_tau *cst_tau_make(const char *text, const cst_definition *define, int ndefine,
                            cst_expr_error *e);
/* A number from 1 on, another one for each. */
int cst_tau_number(const cst_tau *t);
/* {tangent: ...}. Owned. */
char *cst_tau_text(const cst_tau *t);

/* The same over lanes, made on first use and owned by the stepper. t NULL: run is NULL. */
PetscErrorCode cst_tau_bind(const cst_lane_binding *b, const cst_tau *t, cst_lane_tau *to);
#endif
