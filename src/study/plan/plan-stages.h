/* plan-stages.h: the key `stages`: other parameters from a time on. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STAGES_H
#define CST_STAGES_H
#include "study/plan/plan.h"

enum { CST_STAGES_MOST = 1000 };

typedef struct {
  int      n;         /* 0: the key is missing */
  double  *until;     /* [n - 1] ascending; the last stage ends with the run */
  double **parameter; /* [n][nvariant][npar] */
  bool    *changed;   /* [npar] differs between stages */
} cst_stages;

const cst_stages *cst_stages_of(const cst_plan *p);
/* The step of a class at which stage i ends. */
long cst_stages_end(const cst_plan *p, const cst_class *k, int i);
/* The parameters with which the step behind `step` steps is made. */
const double *cst_stages_parameters(const cst_plan *p, const cst_class *k, int variant, long step);
/* Whether a node of the system's graph depends on a parameter that differs between stages. */
bool cst_stages_change(const cst_plan *p, cst_node x);
/* Whether the energy, or the momentum of the same velocity, changes between stages. */
bool cst_stages_change_energy(const cst_plan *p);
bool cst_stages_change_momentum(const cst_plan *p);
#endif
