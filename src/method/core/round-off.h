/* round-off.h: accepts an iteration that has come to rest at the round-off of its equations, where this is far
 * above the round-off of the unknowns: that of a substep, for march.h, and those of other equations that a core solves.
 *
 * The terms of a residual may cancel: in the sums of a step, as where an acceleration passes through zero, or inside an
 * expression, as in k (u - m g/k) + m g near u = 0. The updates of an iteration then stop to shrink far above the round-off
 * of the unknowns. The round-off N_i of each row of the residual is the largest change that it shows in some trials, in
 * which all numbers that it reads, fields and unknowns, change by some of their last bits, and the outputs of the system's
 * kernels by the bound of what rounds inside them (system/lane/interpreted-kernels.h). An iteration is at rest where every row is
 * within 4 N_i, or a constraint within what the iteration asks of it: the root nearest to it differs by what 5 N_i make of
 * the unknowns. A maximum over rows would hide those that are small. What the last linear solve has left in those may be more, since it mixes the rounding of large unknowns
 * into them; so up to two further corrections are made, of the rows that are not within.
 *
 * What rounds between the kernels, on the way to numbers that are smaller than those it reads, shows in second differences
 * of the residual over +d and -d, where d is what N_i in every row make of the unknowns; N_i is at least this.
 *
 * Where constraints lose their rank the step has no single root near it, and residuals tell nothing. The residual must be
 * linear over the uncertainty of its root: what second differences over eight times this d make of an unknown is within
 * twice what that changes. (Round-off does not grow with d, a curvature by its square. A row may well bend by more than its
 * own round-off, where others leave the unknowns it reads less certain.)
 *
 * This is asked only of steps whose iteration did not end otherwise: an iteration that ended as soon as it is within
 * its round-off would leave an error of one sign, which adds up. The random bits are the same for every lane and step.
 *
 * It is not part of sized code, and compiled once per instruction set (round-off.c).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_ROUND_OFF_H
#define CST_CORE_ROUND_OFF_H
#include "method/core/lane.h"

enum { REST_SPACE = 6 /* vectors of n that the test takes */ };

/* n equations f(x) = 0, and the correction d of x by Newton's method where the residual is f, behind a call of the former.
 */
struct local;
typedef struct {
  int    n;
  size_t fields; /* FIELDS */
  void (*residual)(const cst_context *C, struct local *L, int j, const vd *x, vd *f);
  void (*correction)(const cst_context *C, struct local *L, int j, const vd *x, const vd *f, vd *d);
  /* where f is as small as the core asks of this row, behind a call of the residual; NULL: it asks no row by itself */
  vl (*met)(const cst_context *C, const struct local *L, int row, vd f);
} cst_rest_equations;

typedef struct {
  /* Of the lanes `some`, those that are at rest at x, or after a correction, which x then is. f: the residual there, which
   * is evaluated last; d [n], space [REST_SPACE n]: work space. */
  vl (*rests)(const cst_context *C, struct local *L, int j, const cst_rest_equations *e, vl some,
              vd *x, vd *f, vd *d, vd *space);
  /* The same of unknowns that a core has in a field [n], which the test would change twice where they are. */
  vl (*field_rests)(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                    vl some, vd *field);
  /* noise[i] := the largest change of row i of the residual f at x while all that it reads changes, and what rounds in
   * the kernels. apart: the first lanes, of which the others are copies. changed: work space. */
  void (*noise)(const cst_context *C, struct local *L, int j, const cst_rest_equations *e, vd *x,
                const vd *f, int trials, int apart, vd *changed, vd *noise);
} cst_round_off;
extern const cst_round_off CST_NAME(cst_core_round_off_generic);
#define ROUND_OFF CST_NAME(cst_core_round_off_generic)
#endif
