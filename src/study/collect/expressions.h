/* expressions.h: the values of expressions of the study file, for collectors that look at them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXPRESSIONS_H
#define CST_EXPRESSIONS_H
#include "study/file/reader.h"
#include "study/runner/runner.h"

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

/* Expressions at equal distances in time, for collectors that have a key `every`. */

/* Whether a time is a whole number of steps h, at least one. */
bool cst_sampled_divides(double every, double h);
/* Reads the required key `every` of a map, whose keys keys.h lists for `in`: a multiple of every step. False after
 * a mistake. */
bool cst_sampled_read(cst_reader *r, cst_yaml *map, const char *in, double *every);
/* The samples of a run of the study, the most over its parameter sets; 0: not known. */
long cst_sampled_most(const cst_study *s, double every);
/* Steps between samples, and the samples of a run of this class, with that at the start. */
long cst_sampled_steps(const cst_class *k, double every);
long cst_sampled_count(const cst_class *k, double every);
/* Evaluates expressions for a group at the current step; 0 of lanes that have ended. */
void cst_sampled_look(const cst_values *x, const cst_runner *r, int group);
#endif
