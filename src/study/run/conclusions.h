/* conclusions.h: the last phase of a run: the ranks conclude the cases, and write their rows of the table. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CONCLUSIONS_H
#define CST_CONCLUSIONS_H
#include "study/result/conclude.h"
#include "study/run/run-control.h"

/* Collective; when all rows are finished. Goes on where the earlier run stopped. reference_error: see
 * cst_reference_errors. *failures: how all trajectories ended, on every rank; set if *end is CST_END_DONE. */
cst_error cst_conclusions(const cst_plan *p, cst_output *o, const cst_checkpoint *checkpoint,
                          const double *reference_error, cst_conclusion *table, cst_run_control *k,
                          cst_failures *failures, cst_end *end);
#endif
