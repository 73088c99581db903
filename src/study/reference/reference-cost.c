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
