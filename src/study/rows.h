/* rows.h: what is kept of each trajectory: its final state, errors, figures of every quantity. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ROWS_H
#define CST_ROWS_H
#include "study/plan.h"

enum { CST_FIGURE_START, CST_FIGURE_END, CST_FIGURE_DRIFT, CST_FIGURE_SCALE, CST_FIGURE_SIZE, CST_FIGURES };
enum { CST_ERROR_ALL, CST_ERROR_Q, CST_ERROR_P, CST_ERROR_LAMBDA, CST_ERRORS };
extern const char *const cst_error_names[CST_ERRORS]; /* total, q, p, lambda */

/* Rows of a batch of trajectories, as the record keeps them; each array is [lane][components]. */
typedef struct {
  double      *q, *p, *lambda, *iterations, *evaluations;
  signed char *status;
  long        *steps;             /* good ones */
  double      *error[CST_ERRORS]; /* NULL without a reference */
  double     **figure;            /* [nquantity]: [lane][CST_FIGURES] */
  double     **window;            /* [nquantity]: [lane][CST_WINDOWS], NULL where not kept */
} cst_rows;

PetscErrorCode cst_rows_create(const cst_plan *p, long batch, cst_rows *r);
PetscErrorCode cst_rows_destroy(const cst_plan *p, cst_rows *r);
#endif
