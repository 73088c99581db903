/* plan-engine.c: which engine solves the equations of each method of a plan. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/plan.h"

bool cst_plan_is_petsc(const cst_plan *p, int method) {
  return p->study->engine == CST_ENGINE_PETSC && cst_method_iterates(p->method[method]);
}
