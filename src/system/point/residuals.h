/* residuals.h: the constraint that a start violates most. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RESIDUALS_H
#define CST_RESIDUALS_H
#include "system/system.h"

/* The largest |r_j| and the largest scaled |r_j| of cst_system_residuals. at: the constraint of the largest
 * scaled one; -1 if all are zero. */
typedef struct {
  double raw, scaled;
  int    at;
  double raw_there; /* r_j of that constraint, with its sign */
} cst_worst;

/* Fills `position` for g(q) and `velocity` for G v; either may be NULL. */
void cst_system_worst(const cst_system *s, const double *c, const double *q, const double *v,
                      cst_worst *position, cst_worst *velocity);

/* Writes "worst: rod, 0.27" to text[n], or "" if no constraint is violated. Returns text. */
const char *cst_worst_say(const cst_system *s, const cst_worst *w, char *text, int n);
/* "{q: [...], v: [...]}" in the syntax of descriptions and studies, with all digits; the caller frees it. */
char *cst_worst_state(const cst_system *s, const double *q, const double *v);
#endif
