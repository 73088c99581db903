/* conclusions.c: distributes the conclusions over the ranks (see conclusions.h).
 *
 * A portion is a range of cases, in whole groups of those that differ only in the step. Its values depend on the
 * rows of these cases alone, so they are the same on any rank. A portion whose columns are written is reported to
 * the next checkpoint, and a resumed run leaves it out. Of a part of a study only the failures are counted: its
 * columns are made when the parts are merged.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/conclusions.h"
#include "study/result/found.h"
#include "study/run/run-warnings.h"

typedef struct {
  const cst_plan       *plan;
  cst_output           *output;
  const cst_checkpoint *checkpoint;
  cst_conclusion       *table;
  cst_case_rows        *rows;
  cst_run_control      *control;
  cst_failures          failures; /* of the cases of this rank */
  cst_energy_leaps      leaps;
  cst_rank_losses       losses, passed;
  double                cost; /* of a case */
} work;

static cst_error conclude_cases(work *d, int first, int until, bool *stop) {
  const int steps = d->plan->study->nstep;
  for (int i = first; i < until && !*stop; i++) {
    CST_TRY(cst_conclude_case(d->table, d->rows, i));
    if ((i + 1) % steps == 0)
      CST_TRY(cst_conclude_steps(d->table, d->rows, i + 1 - steps));
    CST_TRY(cst_run_control_poll(d->control, d->cost, stop));
  }
  return 0;
}

static cst_error conclude_portion(void *context, int portion, bool *stop) {
  work     *d = context;
  const int cases = cst_plan_conclusion_cases(d->plan);
  const int first = portion * cases;
  const int until = CST_SMALLER(first + cases, d->plan->ncase);
  cst_case_rows_ahead(d->rows, until);
  if (!d->checkpoint->concluded[portion] && !d->plan->part) {
    CST_TRY(conclude_cases(d, first, until, stop));
    if (*stop)
      return 0;
    CST_TRY(cst_conclude_write(d->table, d->output, first, until - first));
    cst_run_control_concluded(d->control, portion);
  }
  for (int i = first; i < until; i++) {
    CST_TRY(cst_conclude_count(d->rows, i, &d->failures));
    CST_TRY(cst_energy_leap_look(d->rows, i, &d->leaps));
    CST_TRY(cst_rank_loss_look(d->rows, i, &d->losses));
    CST_TRY(cst_rank_loss_passed(d->rows, i, &d->passed));
  }
  return 0;
}

/* Warns of what was found beside the table. */
static cst_error warn(work *d) {
  char text[CST_WARNING_WIDTH] = "";
  CST_TRY(cst_energy_leap_tell(d->plan, &d->leaps, text, sizeof text));
  cst_run_warn(d->output, CST_WARNS_ENERGY, text);
  CST_TRY(cst_rank_loss_tell(d->plan, &d->losses, text));
  cst_run_warn(d->output, CST_WARNS_RANK, text);
  CST_TRY(cst_rank_loss_tell_passed(d->plan, &d->passed, text));
  cst_run_warn(d->output, CST_WARNS_PASSED, text);
  return 0;
}

cst_error cst_conclusions(const cst_plan *p, cst_output *o, const cst_checkpoint *checkpoint,
                          const double *reference_error, cst_conclusion *table, cst_run_control *k,
                          cst_failures *failures, cst_end *end) {
  work d = {.plan = p, .output = o, .checkpoint = checkpoint, .table = table, .control = k};
  int  rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  d.cost = cst_plan_conclusion_cost(p);
  CST_TRY(cst_output_flush(o)); /* a rank reads rows that others have written */
  CST_TRY(cst_case_rows_create(p, o, reference_error, &d.rows));
  CST_TRY(cst_run_control_phase(k, CST_PHASE_CONCLUSIONS, cst_plan_conclusion_portions(p),
                                conclude_portion, &d, end));
  CST_TRY(cst_case_rows_destroy(&d.rows));
  if (*end != CST_END_DONE)
    return 0;
  CST_TRY_MPI(MPI_Allreduce(&d.failures, failures, CST_FAILURES, MPI_LONG, MPI_SUM, cst_world));
  CST_TRY(warn(&d));
  if (rank == 0 && !p->part)
    CST_TRY(cst_conclude_table(table, o));
  return 0;
}
