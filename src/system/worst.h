/* worst.h: which constraint a start violates most. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_WORST_H
#define CST_WORST_H
#include "constella/system.h"

/* Largest |r_j| and largest scaled one, as cst_system_residuals has them; at: the constraint of the latter,
 * -1: all are zero. */
typedef struct {
  double raw, scaled;
  int    at;
  double raw_there; /* r_j of that one, with its sign */
} cst_worst;

/* Of g(q) and of G v; either may be NULL. */
void cst_system_worst(const cst_system *s, const double *c, const double *q, const double *v,
                      cst_worst *position, cst_worst *velocity);

/* "(worst: rod, 0.27)" into text[n], "" where no constraint is violated. Returns text. */
const char *cst_worst_say(const cst_system *s, const cst_worst *w, char *text, int n);
/* "q: [...], v: [...]" as a description and a study have it, all digits; to be freed. */
char *cst_worst_state(const cst_system *s, const double *q, const double *v);
#endif
