/* output-take-over.c: copies what an earlier result of a smaller or shorter study already has: rows,
 * series of single members, stored states, and the rows from which a longer run continues. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "study/result/longer.h"
#include "study/result/output-internal.h"
#include "study/result/sound.h"

enum { TAKEN_AT_ONCE = 1 << 20 };

/* Of the times of stored states, which stop where those of the longest track do, and of other numbers, those that
 * there are. */
static long count_written(const cst_channel *c, const void *x, long n) {
  const double *t = x;
  long          i = 0;
  if (c->row != &cst_channel_state_time)
    return n;
  while (i < n && !isnan(t[i]))
    i++;
  return i;
}

/* Copies count[along] rows of a field, at start[along], from a dataset of the same shape, where they begin at
 * from_start. */
static PetscErrorCode take_rows(cst_output *o, cst_result *file, const cst_plan *old, int icase,
                                const cst_channel *c, const char *from, long *from_start,
                                long *start, long *count, int along) {
  const cst_field *field = &c->field;
  size_t           row = cst_record_width(field->type);
  const long       rows = count[along];
  char             why[256];
  void            *x;
  PetscFunctionBegin;
  for (int k = along + 1; k < field->ndim; k++)
    row *= (size_t)count[k];
  const long some = row ? (long)PetscMax((size_t)1, TAKEN_AT_ONCE / row) : rows;
  PetscCall(PetscMalloc((size_t)some * row + 1, &x));
  for (long at = 0; row && at < rows; at += some, start[along] += some, from_start[along] += some) {
    count[along] = PetscMin(some, rows - at);
    PetscCheck(cst_result_read_block(file, from, field->type, from_start, count, x),
               PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
               "%s of the file cannot be read, or has another shape", from);
    PetscCheck(cst_sound(old, icase, c, x,
                         (size_t)count[along] * row / cst_record_width(field->type), why,
                         sizeof why),
               PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", why);
    count[along] = count_written(c, x, count[along]);
    PetscCall(cst_output_block(o, c, start, count, x));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Numbers per row from which a longer run continues. */
static long numbers_of(const cst_plan *p) {
  cst_channels *c = cst_channels_create(p, NULL);
  const long    n = (long)cst_channels_find(c, &cst_channel_continue, 0)->count;
  cst_channels_destroy(c);
  return n;
}

/* Copies rows of n members, [case][member]..., and series of single members, [case][sample]. */
static PetscErrorCode take_channel(cst_output *o, cst_result *file, const cst_plan *old, int from,
                                   int to, long first, long n, const cst_channel *c) {
  const bool is_series = c->row->is & CST_IS_OF_ONE;
  const bool single = old->study->members == 1 && is_series;
  long       there[CST_FIELD_DIMS] = {from, first};
  long       here[CST_FIELD_DIMS] = {to, first}, count[CST_FIELD_DIMS] = {1};
  PetscFunctionBegin;
  if (!cst_output_has_rows(c) && !single)
    PetscFunctionReturn(0);
  cst_output_extent(o, c, 2, count);
  if (c->row->is & CST_IS_WIDER)
    count[2] = numbers_of(old);
  count[1] = single ? old->classes[old->class_of[from]].nsample : n;
  PetscCall(take_rows(o, file, old, from, c, c->field.path, there, here, count, 1));
  PetscFunctionReturn(0);
}

/* Index among the stored members of the old file, if it is one of n from `first` on; else -1. */
static int stored_as(const cst_plan *old, int icase, long member, long first, long n) {
  if (member < first || member >= first + n)
    return -1;
  return cst_plan_chosen_find(old, &(cst_chosen){NULL}, icase, member);
}

/* Copies stored states of n members of a case; their paths contain its number. A member that both studies chose
 * is in the old file. */
static PetscErrorCode take_states(cst_output *o, cst_result *file, const cst_plan *old, int from,
                                  int to, long first, long n) {
  const cst_study *now = o->plan->study;
  char             path[96];
  PetscFunctionBegin;
  for (int at = 0; at < o->channels->n; at++) {
    const cst_channel *c = &o->channels->channel[at];
    const bool         time = c->field.ndim == 1;
    const int          along = time ? 0 : 1; /* the dimension of the stored steps */
    const int          tracks = time ? 1 : now->ntrajectory;
    if (!cst_channel_is_of_track(c, to) || c->row->is & CST_IS_LAST)
      continue;
    cst_channel_path_of(c, from, path, sizeof path);
    for (int i = 0; i < tracks; i++) {
      const int was = time ? 0 : stored_as(old, from, now->trajectory[i], first, n);
      long there[CST_FIELD_DIMS] = {was}, here[CST_FIELD_DIMS] = {i}, count[CST_FIELD_DIMS] = {1};
      cst_output_extent(o, c, along, count);
      count[along] = old->cases[from].n / now->trajectory_every + 1;
      if (was >= 0)
        PetscCall(take_rows(o, file, old, from, c, path, there, here, count, along));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from,
                                    int to, long first, long n) {
  const cst_channel *status = cst_channels_find(o->channels, &cst_channel_status, 0);
  PetscFunctionBegin;
  for (int k = 0; k < o->channels->n; k++) {
    const cst_channel *c = &o->channels->channel[k];
    if (c != status)
      PetscCall(take_channel(o, file, old, from, to, first, n, c));
  }
  /* the worst members are chosen at the end of the run */
  if (o->plan->study->trajectory)
    PetscCall(take_states(o, file, old, from, to, first, n));
  /* last: a row with a status is complete */
  PetscCall(take_channel(o, file, old, from, to, first, n, status));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_continued(const cst_output *o, cst_result *file, const cst_channels *old,
                                    int from, int to, long member, double *made) {
  const cst_plan    *was = old->plan, *now = o->plan;
  const cst_channel *a = cst_channels_find(old, &cst_channel_continue, 0);
  const cst_channel *b = cst_channels_find(o->channels, &cst_channel_continue, 0);
  const cst_class   *earlier = &was->classes[was->class_of[from]];
  const cst_class   *later = &now->classes[now->class_of[to]];
  const long         there[3] = {from, member, 0};
  const long         n[3] = {1, 1, (long)a->count};
  char               why[200];
  double            *row;
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(a->count, &row));
  PetscCheck(cst_result_read_block(file, a->field.path, CST_TYPE_F64, there, n, row),
             PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s of the file cannot be read, or has another shape", a->field.path);
  PetscCheck(cst_longer_check(old, earlier, o->channels, row, why, sizeof why), PETSC_COMM_SELF,
             PETSC_ERR_FILE_UNEXPECTED, "%s of the file, case %d, member %ld: %s", a->field.path,
             from, member, why);
  for (size_t i = 0; i < b->count; i++)
    made[i] = NAN;
  cst_longer_convert(old, earlier, o->channels, later, row, made);
  PetscCall(PetscFree(row));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_output_go_on(cst_output *o, cst_result *file, const cst_plan *old, int from,
                                int to) {
  PetscFunctionBegin;
  if (o->plan->study->trajectory)
    PetscCall(take_states(o, file, old, from, to, 0, old->study->members));
  PetscFunctionReturn(0);
}
