/* reference-cost.c: the cost of a study's reference, which the cost of the plan does not include. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/method.h"
#include "study/reference/reference.h"

/* Cost of a step in quadruple precision, with scalar kernels and software arithmetic, relative to a step of
 * one lane. */
static const double quadruple =
    210; /* measured: 200 to 230 on systems of 2 to 4 coordinates, gauss(8) */

/* Steps of one member of a variant up to the last time at which it is read. */
static double steps_of(const cst_plan *p, int variant) {
  int     n;
  double *t = cst_reference_times(p, variant, &n);
  double  sum = 0;
  for (int i = 0; i < n; i++) {
    const double before = i ? t[i - 1] : 0;
    const double span = t[i] - before;
    if (span > 0)
      sum += (double)cst_reference_steps(p->study, span);
  }
  free(t);
  return sum;
}

enum { MOST_READS = 20000000 };

void cst_reference_check(const cst_plan *p, cst_diag *d) {
  const cst_study_word at = cst_study_place(p->study, "reference");
  double               reads = 0;
  if (p->study->reference != CST_REFERENCE_METHOD)
    return;
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *class = &p->classes[p->class_of[i]];
    const long every = class->read;
    if (every > 0)
      reads += (double)(p->cases[i].n / every);
  }
  if (reads > MOST_READS)
    cst_diag_add(
        d, p->study->file, at.line, at.column,
        "the reference would be read at %.0f times; at most %d are allowed: errors over the end or "
        "the coarse mesh take fewer",
        reads, MOST_READS);
}

double cst_reference_work(const cst_plan *p, double *nanoseconds) {
  const cst_study *s = p->study;
  const double     members = (double)s->members;
  double           steps = 0, cost = 0;
  *nanoseconds = 0;
  if (s->reference != CST_REFERENCE_METHOD)
    return 0;
  const double trajectories = members + 0.5 * (double)cst_reference_twice(s);
  for (int v = 0; v < s->nvariant; v++)
    steps += steps_of(p, v) * trajectories;
  const cst_program *m = p->reference->program;
  for (int i = 0; i < m->n; i++) {
    const cst_substep     *substep = &m->step[i];
    const cst_substep_size size = substep->row->size(substep->data, p->reference->stepped);
    cost += size.cost;
  }
  const int    width = cst_isas[p->isa].width; /* idle lanes cost as much as active ones */
  const double with_idle = ceil(members / width) * width / members;
  *nanoseconds = steps * cost * (s->reference_quad ? quadruple : with_idle);
  return steps;
}
