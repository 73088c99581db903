/* division.h: the division of a study into parts, each of which a job of its own computes.
 *
 * The lanes of every class are dealt to the N parts in consecutive ranges of equal length; those that are
 * left over go to one part after the other, those of the costliest classes first. So each part has about the
 * same cost, and the part of a trajectory depends on the study and N alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_DIVISION_H
#define CST_DIVISION_H
#include <stdbool.h>
#include "study/plan/plan.h"

enum { CST_PARTS_MOST = 1000000, CST_PART_TEXT = 32 };

struct cst_division {
  long  n;     /* parts, numbered from 1 */
  long *begin; /* [nclass] the part, from 0, that gets the first of the lanes that are left over */
};

cst_division *cst_division_create(const cst_plan *p, long n);
void          cst_division_destroy(cst_division *d);
/* The lanes of a class that a part has: *count from *first on. */
void cst_division_lanes(const cst_plan *p, const cst_division *d, long part, int class, long *first,
                        long *count);
/* The members of a case that it has, which are consecutive too. */
void cst_division_members(const cst_plan *p, const cst_division *d, long part, int icase,
                          long *first, long *count);

/* Makes the plan that of part `part` of n: its cost, and the lanes that are open (cst_checkpoint_create). */
void cst_plan_divide(cst_plan *p, long part, long n);
/* The lanes of a class that the plan's part has, or all; the number of its trajectories. */
void cst_plan_own_lanes(const cst_plan *p, int class, long *first, long *count);
long cst_plan_own_trajectories(const cst_plan *p);

/* Parts in texts: "2/7". Parse: false for other texts, which set
 * nothing. Print: an empty text for a whole study. */
bool cst_part_parse(const char *text, long *part, long *n);
void cst_part_print(const cst_plan *p, char text[CST_PART_TEXT]);
#endif
