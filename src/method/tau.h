/* tau.h: retractions of the rotation group from text: x -> tau(x), the turn about x with
 *
 *   tan(angle / 2) = t(s) |x|,   s = |x|^2,   t(0) = 1/2
 *
 * so tau(x) is the Cayley map of 2 t x. These are all smooth maps into rotations by less than half a turn
 * that commute with changes of axes, tau(R x) = R tau(x) R'; then tau(-x) = tau(x)'. t = 1/2 is the Cayley
 * map itself, tan(|x| / 2) / |x| the exponential.
 *
 * Any other smooth map is tau(x) = cay(2 t(x)) with a vector t(x) = tan(angle / 2) along the axis of the turn, t(0) = 0
 * and D t(0) = 1/2: three texts, "of axes".
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TAU_H
#define CST_TAU_H
#include "constella/system.h"
#include "expr/define.h"
#include "method/lane-tau.h"
#include "method/substep.h"

typedef struct cst_tau cst_tau;

/* The retraction of n = 1 text, an expression of s, or of n = 3, expressions of x[1], x[2], x[3]; NULL with *e filled
 * for text number *entry if it is none. Borrowed: it lives as long as the program, and equal texts give the
 * same one. */
const cst_tau *cst_tau_make(const char *const *text, int n, const cst_definition *define,
                            int ndefine, int *entry, cst_expr_error *e);
bool           cst_tau_is_of_axes(const cst_tau *t);
/* A number from 1 on, another one for each. */
int cst_tau_number(const cst_tau *t);
/* {tangent: ...}. Owned. */
char *cst_tau_text(const cst_tau *t);

/* The same over lanes, made on first use and owned by the stepper. t NULL: run is NULL. */
cst_error cst_tau_bind(const cst_lane_binding *b, const cst_tau *t, cst_lane_tau *to);
#endif
