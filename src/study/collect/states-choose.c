/* states-choose.c: the members whose states are stored, where they are the worst ones of each case: those with the
 * largest change of a quantity, or the largest error. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/channels/channels.h"
#include "study/collect/states.h"
#include "study/result/case-rows.h"
#include "study/result/output-internal.h"

static bool wanted(const cst_plan *p) { return cst_states_wish_of(p->study)->worst_by.text; }

/* The largest change of a quantity, or the error, of every member; NaN: excluded. */
static cst_error sizes(cst_case_rows *rows, double *size) {
  const cst_plan *p = rows->plan;
  const int       by = cst_states_found_of(p)->worst_by;
  const double   *x;
  if (by < 0) {
    CST_TRY(cst_case_rows_get(rows, &cst_channel_error, CST_ERROR_ALL, &x));
    for (long m = 0; m < p->study->members; m++)
      size[m] = rows->good[m] ? x[m] : NAN;
    return 0;
  }
  CST_TRY(cst_case_rows_summary(rows, by, &x));
  cst_case_rows_pick(rows, CST_SUMMARY_DRIFT, p->quantity[by].drifts ? -1 : CST_SUMMARY_START,
                     size);
  return 0;
}

cst_error cst_states_write_chosen(cst_output *o, int icase, const long *member) {
  CST_TRY(cst_output_all(o, &cst_channel_state_member, icase, member));
  return 0;
}

static cst_error read_chosen(cst_output *o, int icase, long *member) {
  const cst_channel *c = cst_channels_find(o->channels, &cst_channel_state_member, icase);
  const long         start[1] = {0};
  const long         count[1] = {o->plan->chosen};
  if (o->file)
    CST_CHECK(cst_result_read_block(o->file, c->field.path, CST_TYPE_I64, start, count, member),
              MPI_COMM_SELF, CST_ERR_FILE_READ,
              "%s of the file cannot be read, or has another shape", c->field.path);
  else
    CST_CHECK(cst_record_read(o->record, c->place, start, count, member), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s", cst_record_error(o->record));
  return 0;
}

const cst_choice cst_states_choice = {wanted, sizes, read_chosen, cst_states_write_chosen};
