/* output.c: writes the result of a study (cases, rows, series, states, columns), or compares it with an
 * existing file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collector.h"
#include "study/result/output-internal.h"
#include "study/result/sound.h"

/* The sign and payload of a NaN depend on the instruction set. Returns x, or a copy in *owned where all NaNs
 * are alike. */
static const void *canonical(const cst_field *f, const long *count, const void *x, double **owned) {
  const double *from = x;
  long          n = 1, bad = 0;
  *owned = NULL;
  if (f->type != CST_TYPE_F64)
    return x;
  for (int i = 0; i < f->ndim; i++)
    n *= count[i];
  for (long i = 0; i < n; i++)
    bad += isnan(from[i]);
  if (!bad)
    return x;
  double *to = cst_need(malloc(sizeof *to * (size_t)n));
  for (long i = 0; i < n; i++)
    to[i] = isnan(from[i]) ? (double)NAN : from[i];
  *owned = to;
  return to;
}

static cst_error write_block(cst_output *o, const cst_channel *c, const long *start,
                             const long *count, const void *x) {
  double *owned;
  x = canonical(&c->field, count, x, &owned);
  const bool good = cst_record_write(o->record, c->place, start, count, x);
  free(owned);
  CST_CHECK(good, MPI_COMM_SELF, CST_ERR_FILE_WRITE, "%s", cst_record_error(o->record));
  return 0;
}

cst_error cst_output_block(cst_output *o, const cst_channel *c, const long *start,
                           const long *count, const void *x) {
  const cst_field *f = &c->field;
  for (int i = 0; i < f->ndim; i++)
    if (count[i] == 0)
      return 0;
  if (o->file && cst_output_is_joined(o, c, start))
    return 0;
  if (!o->file)
    CST_TRY(write_block(o, c, start, count, x));
  else if (!cst_compare_block(o->comparison, o->file, f, start, count, x))
    CST_CHECK(o->another && (c->row->is & CST_IS_WIDER), MPI_COMM_SELF, CST_ERR_FILE_READ,
              "%s of the file cannot be read, or has another shape", f->path);
  return 0;
}

void cst_output_extent(const cst_output *o, const cst_channel *c, int first, long *count) {
  for (int k = first; k < c->field.ndim; k++) {
    const int dim = c->field.dim[k];
    count[k] = o->channels->dim[dim].size;
  }
}

/* Writes `rows` rows of a channel, from index `at` of its first dimension, with the full range of all others.
 */
static cst_error put(cst_output *o, const cst_channel_row *row, int which, long at, long rows,
                     const void *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               start[CST_FIELD_DIMS] = {at}, count[CST_FIELD_DIMS] = {rows};
  CST_CHECK(c, MPI_COMM_SELF, CST_ERR_PLIB, "the study has no %s", row->path);
  cst_output_extent(o, c, 1, count);
  CST_TRY(cst_output_block(o, c, start, count, x));
  return 0;
}

static cst_error put_case(cst_output *o, int i) {
  static const char representative[2][CST_TEXT_WIDTH] = {"kinetic", "tangential"};
  const cst_plan   *p = o->plan;
  const cst_case   *c = &p->cases[i];
  const bool        tangential = p->method[c->method]->properties.tangential;
  CST_TRY(put(o, &cst_channel_step, 0, i, 1, &c->h));
  CST_TRY(put(o, &cst_channel_steps_taken, 0, i, 1, &c->n));
  CST_TRY(put(o, &cst_channel_representative, 0, i, 1, representative[tangential]));
  CST_TRY(put(o, &cst_channel_tolerance, 0, i, 1, &p->study->tolerance[c->tolerance]));
  if (cst_system_named(p->study->system))
    CST_TRY(put(o, &cst_channel_parameters, 0, i, 1, cst_plan_parameters(p, c->variant)));
  return 0;
}

static cst_error put_cases(cst_output *o) {
  const cst_plan *p = o->plan;
  for (int i = 0; i < p->ncase; i++)
    CST_TRY(put_case(o, i));
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->open)
      CST_TRY(cst_collectors[k]->open(p, o));
  return 0;
}

static cst_error create(const cst_plan *p, const cst_columns *columns, cst_output **output) {
  *output = cst_zeros(1, sizeof **output);
  (*output)->plan = p;
  (*output)->channels = cst_channels_create(p, columns);
  return 0;
}

cst_error cst_output_compare(const cst_plan *p, cst_result *file, const long *joined, bool another,
                             cst_comparison *comparison, cst_output **output) {
  CST_TRY(create(p, NULL, output));
  (*output)->file = file;
  (*output)->another = another;
  (*output)->comparison = comparison;
  (*output)->joined = joined;
  return 0;
}

cst_error cst_output_create(const cst_plan *p, const char *path, const char *name,
                            const char *token, bool anew, const cst_columns *columns,
                            cst_output **output) {
  const cst_channels *c;
  char                why[512];
  int                 rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY(create(p, columns, output));
  c = (*output)->channels;
  if (anew)
    (*output)->record = cst_record_create(cst_world, path, token, c->dim, c->ndim, c->field,
                                          c->nfield, why, sizeof why);
  else
    (*output)->record = cst_record_open(cst_world, path, token, c->dim, c->ndim, c->field,
                                        c->nfield, why, sizeof why);
  (*output)->name = name;
  CST_CHECK((*output)->record, cst_world,
            cst_record_apart() ? CST_ERR_ARG_INCOMP : CST_ERR_FILE_OPEN, "%s: %s", name, why);
  cst_record_ask((*output)->record, name);
  if (anew && rank == 0)
    CST_TRY(put_cases(*output));
  return 0;
}

bool cst_output_has_rows(const cst_channel *c) { return c->place >= 0 && c->count; }

const cst_channels *cst_output_channels(const cst_output *o) { return o->channels; }

/* ---- rows ------------------------------------------------------------------------------------ */

/* Lanes at .. at+n-1 of the batch are members first .. first+n-1 of a case. */
static cst_error put_run(cst_output *o, const cst_channel *c, int icase, long first, long at,
                         long n, const cst_rows *r) {
  long start[CST_FIELD_DIMS] = {icase, first}, count[CST_FIELD_DIMS] = {1, n};
  cst_output_extent(o, c, 2, count);
  if (c->in_lanes) {
    double *x;
    x = cst_zeros(n * c->count, sizeof *x);
    cst_rows_gather(r, c, at, n, x);
    CST_TRY(cst_output_block(o, c, start, count, x));
    free(x);
  } else
    CST_TRY(cst_output_block(o, c, start, count, cst_rows_at(r, c, at)));
  return 0;
}

static cst_error put_runs(cst_output *o, const cst_channel *c, const cst_work *w,
                          const cst_rows *r) {
  const cst_class *k = &o->plan->classes[w->class];
  const long       members = o->plan->study->members;
  for (long at = 0; at < w->count;) {
    const long lane = w->first + at;
    const long first = lane % members;
    const long n = CST_SMALLER(members - first, w->count - at);
    CST_TRY(put_run(o, c, k->cases[lane / members], first, at, n, r));
    at += n;
  }
  return 0;
}

/* The status is written last: a row with a status is complete. */
cst_error cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r) {
  const cst_channel *status = cst_channels_find(o->channels, &cst_channel_status, 0);
  for (int k = 0; k < o->channels->n; k++) {
    const cst_channel *c = &o->channels->channel[k];
    if (cst_output_has_rows(c) && c != status)
      CST_TRY(put_runs(o, c, w, r));
  }
  CST_TRY(put_runs(o, status, w, r));
  return 0;
}

bool cst_output_is_joined(const cst_output *o, const cst_channel *c, const long *start) {
  if (!(c->row->is & CST_IS_JOINED))
    return false;
  const long first = c->count ? start[1] : 0;
  return first < o->joined[start[0]];
}

/* ---- other channels -------------------------------------------------------------------------------- */

cst_error cst_output_case(cst_output *o, const cst_channel_row *row, int which, int icase,
                          const void *x) {
  CST_TRY(put(o, row, which, icase, 1, x));
  return 0;
}

cst_error cst_output_all(cst_output *o, const cst_channel_row *row, int which, const void *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               n[CST_FIELD_DIMS] = {0};
  CST_CHECK(c, MPI_COMM_SELF, CST_ERR_PLIB, "the study has no %s", row->path);
  cst_output_extent(o, c, 0, n);
  CST_TRY(put(o, row, which, 0, n[0], x));
  return 0;
}

/* The values of a column from case `first` on. */
static void *values_of(const cst_column *c, int first) {
  if (c->label)
    return c->label + first;
  return c->value + first;
}

cst_error cst_output_columns(cst_output *o, const cst_columns *c, int first, int n) {
  for (int k = 0; k < c->n; k++)
    CST_TRY(put(o, &cst_channel_statistic, k, first, n, values_of(&c->column[k], first)));
  return 0;
}

cst_error cst_output_read_columns(cst_output *o, cst_columns *c, int first, int n) {
  const long start[1] = {first};
  const long count[1] = {n};
  for (int k = 0; k < c->n; k++) {
    const cst_channel *x = cst_channels_find(o->channels, &cst_channel_statistic, k);
    CST_CHECK(cst_record_read(o->record, x->place, start, count, values_of(&c->column[k], first)),
              MPI_COMM_SELF, CST_ERR_FILE_READ, "%s", cst_record_error(o->record));
  }
  return 0;
}

cst_error cst_output_times(cst_output *o, const cst_channel_row *row, const double *seconds) {
  CST_TRY(put(o, row, 0, 0, o->plan->ncase, seconds));
  return 0;
}

cst_error cst_output_rates(cst_output *o, const double *rate) {
  CST_TRY(put(o, &cst_channel_rate, 0, 0, o->plan->ncase, rate));
  return 0;
}

void cst_output_note(cst_output *o, const char *group, const char *name, const char *text) {
  cst_record_attribute(o->record, group, name, text);
}
void cst_output_number(cst_output *o, const char *group, const char *name, double value) {
  cst_record_number(o->record, group, name, value);
}

void cst_output_text(cst_output *o, const char *group, const char *name, const char *text) {
  cst_record_text(o->record, group, name, text);
}

void cst_output_room(cst_output *o, const char *group, const char *name, size_t width) {
  cst_record_room(o->record, group, name, width);
}

bool cst_output_sync(const cst_output *o, char *why, int n) {
  return cst_record_sync(o->record, why, n);
}

cst_error cst_output_share(cst_output *o, double share) {
  CST_TRY(put(o, &cst_channel_work_done, 0, 0, 1, &share));
  return 0;
}

cst_error cst_output_flush(cst_output *o) {
  CST_CHECK(cst_record_flush(o->record), cst_world, CST_ERR_FILE_WRITE, "%s: %s", o->name,
            cst_record_error(o->record));
  return 0;
}

cst_error cst_output_checkpoint(cst_output *o, const cst_channel_row *row, long number) {
  const double x = (double)number;
  CST_TRY(put(o, row, 0, 0, 1, &x));
  return 0;
}

bool cst_output_is_named(const cst_output *o) { return cst_record_is_named(o->record); }
bool cst_output_is_whole(const cst_output *o) { return cst_record_is_whole(o->record); }

bool cst_output_in_place(cst_output *o, char *why, int n) {
  const bool ok = cst_record_in_place(o->record);
  if (!ok)
    snprintf(why, (size_t)n, "%s", cst_record_error(o->record));
  return ok;
}

cst_error cst_output_close(cst_output **output, const char *state, bool *finished, char *kept,
                           char *why, int n) {
  cst_output *o = *output;
  if (kept)
    *kept = 0;
  *finished = !o->record || cst_record_close(o->record, state, kept, why, n);
  cst_channels_destroy(o->channels);
  free(*output);
  *output = NULL;
  return 0;
}
