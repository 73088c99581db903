/* expressions.h: the values of expressions of the study file, for collectors that look at them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPRESSIONS_H
#define CST_EXPRESSIONS_H
#include "study/runner/runner-internal.h"

typedef struct {
  int       n;
  cst_tape *tape;
  double   *value;        /* [n][W] of the state evaluated last */
  double   *scratch;      /* of the tape */
  bool      lambda, v, t; /* it reads multipliers; velocities; the time */
} cst_values;

cst_values cst_values_create(const cst_runner *r, const cst_expressions *x);
void       cst_values_destroy(cst_values *x);
/* Evaluates them for a group: at the state of its record, and at the i-th of several states. */
void cst_values_look(const cst_values *x, const cst_view *view);
void cst_values_along(const cst_values *x, const cst_view *view, const cst_states *states, int i);
/* A single expression at all of the states, value[n][W]; the lanes, as bits, in which one of them is 0, not a
 * number, or of another sign than `before` [W]. It reads no multipliers. */
int cst_values_signs(const cst_values *x, const cst_view *view, const cst_states *states,
                     const double *before, double *value);

/* Adds what expressions ask of the plan. */
void cst_values_demand(const cst_plan *p, const cst_expressions *x, cst_demand *d);
#endif
