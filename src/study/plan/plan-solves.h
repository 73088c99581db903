/* plan-solves.h: what the sparse equations of a step take, by counts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PLAN_SOLVES_H
#define CST_PLAN_SOLVES_H
#include "method/stepper-sparse.h"
#include "study/plan/plan.h"

/* Multiplications of a step of one trajectory with the sparse factors of its constraints, by the engine that the plan
 * takes; 0: the method has no such step. */
double cst_plan_multiplications(const cst_plan *p, int method);
/* What the sparse matrices take by which PETSc's solvers make a step of the method, all unknowns in them: entries and
 * numbers of factors at a time, and multiplications of eliminations, solutions and differences. 0: it has none. */
cst_colours_size cst_plan_matrices(const cst_plan *p, int method);
/* Whether lanes can make a step of the method. */
bool cst_plan_fits_lanes(const cst_plan *p, int method);
#endif
