/* output.c: writes the result of a study (cases, rows, series, states, columns), reads it back, takes over what an
 * earlier result has, or compares it with an existing file.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/output.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/reason.h"
#include "study/rows/collector.h"
#include "study/plan/division.h"

/* ---- what is possible ------------------------------------------------------------------------ */

/* The numbers that each channel may hold, as their rows say. */

static double largest(const cst_plan *p, int icase, const cst_channel *c) {
  const long steps = p->cases[icase].n;
  switch (c->row->range.most) {
  case CST_MOST_REASONS:
    return CST_REASONS - 1;
  case CST_MOST_STEPS:
    return (double)steps;
  case CST_MOST_MEMBERS:
    return (double)p->study->ensemble.members;
  case CST_MOST_OF_OWNER:
    return c->row->range.largest(p, icase, c->which);
  default:
    return INFINITY;
  }
}

static double number(cst_type type, const void *x, size_t i) {
  if (type == CST_TYPE_F64)
    return ((const double *)x)[i];
  if (type == CST_TYPE_I64)
    return (double)((const long *)x)[i];
  return type == CST_TYPE_I8 ? ((const signed char *)x)[i] : ((const int *)x)[i];
}

bool cst_sound(const cst_plan *p, int icase, const cst_channel *c, const void *x, size_t n,
               char *why, size_t size) {
  const cst_channel_range *r = &c->row->range;
  const double             most = largest(p, icase, c);
  for (size_t i = 0; r->checked && i < n; i++) {
    const double value = number(c->field.type, x, i);
    const bool   inside = value >= r->least && value <= most && (!r->whole || value == rint(value));
    if (inside || (r->gaps && isnan(value)))
      continue;
    snprintf(why, size, "%s has %.17g in case %d; possible are %snumbers from %g to %g",
             c->field.path, value, icase, r->whole ? "whole " : "", r->least, most);
    return false;
  }
  return true;
}

/* ---- a comparison ---------------------------------------------------------------------------- */

/* Bit by bit, with a description of the first difference. */

/* Position of a double in the ascending order of all doubles. */
static int64_t rank_of(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? INT64_MIN - bits : bits;
}

/* The distance of two doubles in ulps, as text. */
static void say_distance(double a, double b, char *text, size_t n) {
  const int64_t  i = rank_of(a);
  const int64_t  j = rank_of(b);
  const uint64_t apart = i > j ? (uint64_t)i - (uint64_t)j : (uint64_t)j - (uint64_t)i;
  if (isnan(a) || isnan(b))
    snprintf(text, n, "one is not a number");
  else if (apart == 0)
    snprintf(text, n, "zeros of opposite sign");
  else
    snprintf(text, n, "%llu ulp%s apart", (unsigned long long)apart, apart > 1 ? "s" : "");
}

static long integer(cst_type type, const void *x) {
  if (type == CST_TYPE_I64)
    return *(const long *)x;
  return type == CST_TYPE_I32 ? *(const int *)x : *(const signed char *)x;
}

static void say_first(cst_comparison *c, const char *where, cst_type type, const void *kept,
                      const void *x) {
  char distance[64];
  if (type == CST_TYPE_TEXT) {
    snprintf(c->first, sizeof c->first, "%s is \"%.140s\", computed \"%.140s\"", where,
             (const char *)kept, (const char *)x);
    return;
  }
  if (type != CST_TYPE_F64) {
    const long a = integer(type, kept);
    const long b = integer(type, x);
    snprintf(c->first, sizeof c->first, "%s is %#lx (%ld), computed %#lx (%ld)", where,
             (unsigned long)a, a, (unsigned long)b, b);
    return;
  }
  const double a = *(const double *)kept;
  const double b = *(const double *)x;
  say_distance(a, b, distance, sizeof distance);
  snprintf(c->first, sizeof c->first, "%s is %a (%.17g), computed %a (%.17g), %s", where, a, a, b,
           b, distance);
}

/* Index i of a block, as indices of the dataset in the file. */
static void say_place(const cst_field *f, const long *start, const long *count, long i, char *text,
                      size_t n) {
  long at[CST_FIELD_DIMS];
  for (int k = f->ndim - 1; k >= 0; k--) {
    at[k] = start[k] + i % count[k];
    i /= count[k];
  }
  size_t length = (size_t)snprintf(text, n, "%s[", f->path);
  for (int k = 0; k < f->ndim; k++) {
    const char *separator = k ? ", " : "";
    length += (size_t)snprintf(text + length, n - length, "%s%ld", separator, at[k]);
  }
  snprintf(text + length, n - length, "]");
}

/* All NaNs are equal: their bits depend on the instruction set. 0 and -0 are not. */
static bool same_double(double x, double y) {
  uint64_t a, b;
  memcpy(&a, &x, sizeof a);
  memcpy(&b, &y, sizeof b);
  return a == b || (isnan(x) && isnan(y));
}

/* Whether there is something to compare to a tolerance. */
static bool is_final(const char *path) {
  static const char *const paths[] = {"/final/q", "/final/p", "/final/lambda", "/final/status"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    if (!strcmp(path, paths[i]))
      return true;
  return false;
}

static bool near_double(double x, double y, double tolerance) {
  return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static bool same(cst_type type, const void *x, const void *y, double tolerance) {
  if (type == CST_TYPE_F64 && tolerance > 0 &&
      near_double(*(const double *)x, *(const double *)y, tolerance))
    return true;
  if (type == CST_TYPE_F64)
    return same_double(*(const double *)x, *(const double *)y);
  return !memcmp(x, y, cst_record_width(type));
}

bool cst_compare_block(cst_comparison *c, cst_result *file, const cst_field *f, const long *start,
                       const long *count, const void *x) {
  long         n = 1;
  const size_t size = cst_record_width(f->type);
  for (int k = 0; k < f->ndim; k++)
    n *= count[k];
  if (c->tolerance > 0 && !is_final(f->path))
    return true;
  char      *kept = calloc((size_t)n + 1, size);
  const bool read = kept && cst_result_read_block(file, f->path, f->type, start, count, kept);
  for (long i = 0; read && i < n; i++) {
    const char *a = kept + (size_t)i * size;
    const char *b = (const char *)x + (size_t)i * size;
    char        where[192];
    c->compared++;
    if (same(f->type, a, b, c->tolerance))
      continue;
    if (!c->different++) {
      say_place(f, start, count, i, where, sizeof where);
      say_first(c, where, f->type, a, b);
    }
  }
  free(kept);
  return read;
}

void cst_compare_numbers(cst_comparison *c, const char *name, const double *kept, const double *x,
                         long n) {
  for (long i = 0; i < n; i++) {
    char where[192];
    c->compared++;
    if (same_double(kept[i], x[i]) || near_double(kept[i], x[i], c->tolerance))
      continue;
    if (c->different++)
      continue;
    snprintf(where, sizeof where, "number %ld of %ld of %s", i, n, name);
    say_first(c, where, CST_TYPE_F64, &kept[i], &x[i]);
  }
}

/* ---- the file -------------------------------------------------------------------------------- */

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

/* True if the block at `start` is of trajectories that were continued from an earlier end, and its bits differ
 * for this reason from those of a run in one piece: window sums are merged from partial ones, and samples of
 * the earlier run are missing. */
static bool is_joined(const cst_output *o, const cst_channel *c, const long *start) {
  if (!(c->row->is & CST_IS_JOINED))
    return false;
  const long first = c->count ? start[1] : 0;
  return first < o->joined[start[0]];
}

cst_error cst_output_block(cst_output *o, const cst_channel *c, const long *start,
                           const long *count, const void *x) {
  const cst_field *f = &c->field;
  for (int i = 0; i < f->ndim; i++)
    if (count[i] == 0)
      return 0;
  if (o->file && is_joined(o, c, start))
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
  CST_TRY(put(o, &cst_channel_tolerance, 0, i, 1, &p->study->solver.tolerance[c->tolerance]));
  if (cst_system_named(p->study->problem.system))
    CST_TRY(put(o, &cst_channel_parameters, 0, i, 1, cst_plan_parameters(p, c->variant)));
  return 0;
}

static cst_error put_cases(cst_output *o) {
  const cst_plan *p = o->plan;
  for (int i = 0; i < p->ncase; i++)
    CST_TRY(put_case(o, i));
  for (int k = 0; k < cst_collector_count; k++)
    if (cst_collectors[k]->file.open)
      CST_TRY(cst_collectors[k]->file.open(p, o));
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
                            const char *token, bool again, const cst_columns *columns,
                            cst_output **output) {
  const cst_channels *c;
  char                why[512];
  int                 rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY(create(p, columns, output));
  c = (*output)->channels;
  if (again)
    (*output)->record = cst_record_create(cst_world, path, token, c->dim, c->ndim, c->field,
                                          c->nfield, why, sizeof why);
  else
    (*output)->record = cst_record_open(cst_world, path, token, c->dim, c->ndim, c->field,
                                        c->nfield, why, sizeof why);
  (*output)->name = name;
  CST_CHECK((*output)->record, cst_world,
            cst_record_apart() ? CST_ERR_ARG_INCOMP : CST_ERR_FILE_OPEN, "%s: %s", name, why);
  cst_record_ask((*output)->record, name);
  if (again && rank == 0)
    CST_TRY(put_cases(*output));
  return 0;
}

/* True if the channel has rows, one per trajectory, in the file. */
static bool is_of_rows(const cst_channel *c) { return c->place >= 0 && c->count; }

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
  const long       members = o->plan->study->ensemble.members;
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
    if (is_of_rows(c) && c != status)
      CST_TRY(put_runs(o, c, w, r));
  }
  CST_TRY(put_runs(o, status, w, r));
  return 0;
}

/* ---- other channels -------------------------------------------------------------------------- */

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

/* ---- what has been written is read back ------------------------------------------------------ */

/* Of the numbers that were read of case icase, those that the plan's part has: the others are not there. */
static void own_numbers(const cst_output *o, const cst_channel *c, int icase, const long *start,
                        const long *count, size_t *skip, size_t *n) {
  const size_t each = count[1] ? *n / (size_t)count[1] : 0; /* of a member */
  long         first, members;
  *skip = 0;
  if (!o->plan->part || !c->count)
    return;
  cst_division_members(o->plan, o->plan->division, o->plan->part, icase, &first, &members);
  const long from = CST_LARGER(first, start[1]);
  const long until = CST_SMALLER(first + members, start[1] + count[1]);
  *skip = from < until ? (size_t)(from - start[1]) * each : 0;
  *n = from < until ? (size_t)(until - from) * each : 0;
}

/* Reads numbers of count[0] cases, with which something is computed: an earlier run may have written them. */
static cst_error read_back(cst_output *o, const cst_channel *c, const long *start,
                           const long *count, void *x) {
  char   why[256];
  size_t n = 1; /* numbers of a case */
  for (int k = 1; k < c->field.ndim; k++)
    n *= (size_t)count[k];
  if (o->file)
    CST_CHECK(cst_result_read_block(o->file, c->field.path, c->field.type, start, count, x),
              MPI_COMM_SELF, CST_ERR_FILE_READ, "%s of the file cannot be read", c->field.path);
  else
    CST_CHECK(cst_record_read(o->record, c->place, start, count, x), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s", cst_record_error(o->record));
  for (long i = 0; i < count[0]; i++) {
    const size_t width = cst_record_width(c->field.type);
    const int    icase = (int)(start[0] + i);
    size_t       skip, own = n;
    own_numbers(o, c, icase, start, count, &skip, &own);
    const char *of_case = (const char *)x + ((size_t)i * n + skip) * width;
    CST_CHECK(cst_sound(o->plan, icase, c, of_case, own, why, sizeof why), MPI_COMM_SELF,
              CST_ERR_FILE_UNEXPECTED, "%s", why);
  }
  return 0;
}

cst_error cst_output_read(cst_output *o, const cst_channel_row *row, int which, int first, int n,
                          double *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               start[CST_FIELD_DIMS] = {first}, count[CST_FIELD_DIMS] = {n};
  void              *rows = x;
  CST_CHECK(c && c->place >= 0, MPI_COMM_SELF, CST_ERR_PLIB, "the study has no %s", row->path);
  cst_output_extent(o, c, 1, count);
  if (!c->count)
    return 0;
  signed char *flag = NULL;
  if (c->field.type == CST_TYPE_I8) {
    flag = cst_zeros(n * count[1], sizeof *flag);
    rows = flag;
  }
  CST_TRY(read_back(o, c, start, count, rows));
  for (long i = 0; flag && i < n * count[1]; i++)
    x[i] = flag[i];
  free(flag);
  for (long i = 0; c->field.type == CST_TYPE_I64 && i < n * count[1]; i++) {
    int64_t whole;
    memcpy(&whole, &x[i], sizeof whole);
    x[i] = (double)whole;
  }
  return 0;
}

cst_error cst_output_read_members(cst_output *o, const cst_channel_row *row, int which, int icase,
                                  long first, long n, double *x) {
  const cst_channel *c = cst_channels_find(o->channels, row, which);
  long               start[CST_FIELD_DIMS] = {icase, first}, count[CST_FIELD_DIMS] = {1, n};
  CST_CHECK(c && c->place >= 0 && c->field.type == CST_TYPE_F64, MPI_COMM_SELF, CST_ERR_PLIB,
            "the study has no %s", row->path);
  cst_output_extent(o, c, 2, count);
  CST_TRY(read_back(o, c, start, count, x));
  return 0;
}

/* ---- what an earlier result has -------------------------------------------------------------- */

/* Of a smaller or shorter study: rows, series of single members, and what collectors copy. */

enum { TAKEN_AT_ONCE = 1 << 20 };

/* Of the times of stored states, a dataset of one dimension, those before the first NaN: they stop where those of
 * the longest track do. Of other numbers all. */
static long count_written(const cst_channel *c, const void *x, long n) {
  const double *t = x;
  long          i = 0;
  if (c->field.ndim > 1)
    return n;
  while (i < n && !isnan(t[i]))
    i++;
  return i;
}

cst_error cst_output_copy(cst_output *o, cst_result *file, const cst_plan *old, int icase,
                          const cst_channel *c, const char *from, long *from_start, long *start,
                          long *count, int along) {
  const cst_field *field = &c->field;
  size_t           row = cst_record_width(field->type);
  const long       rows = count[along];
  char             why[256];
  void            *x;
  for (int k = along + 1; k < field->ndim; k++)
    row *= (size_t)count[k];
  const long some = row ? (long)CST_LARGER((size_t)1, TAKEN_AT_ONCE / row) : rows;
  x = cst_zeros(some, row + 1);
  for (long at = 0; row && at < rows; at += some, start[along] += some, from_start[along] += some) {
    count[along] = CST_SMALLER(some, rows - at);
    CST_CHECK(cst_result_read_block(file, from, field->type, from_start, count, x), MPI_COMM_SELF,
              CST_ERR_FILE_READ, "%s of the file cannot be read, or has another shape", from);
    CST_CHECK(cst_sound(old, icase, c, x,
                        (size_t)count[along] * row / cst_record_width(field->type), why,
                        sizeof why),
              MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED, "%s", why);
    count[along] = count_written(c, x, count[along]);
    CST_TRY(cst_output_block(o, c, start, count, x));
  }
  free(x);
  return 0;
}

/* Numbers per row of a channel whose rows have another width in the earlier result. */
static long width_in(const cst_plan *p, const cst_channel *c) {
  cst_channels *all = cst_channels_create(p, NULL);
  const long    n = (long)cst_channels_find(all, c->row, c->which)->count;
  cst_channels_destroy(all);
  return n;
}

/* Whether rows have this width in the earlier result. Another program may have kept other numbers of a trajectory: its
 * rows, from which a longer run goes on, stay behind. */
static bool has_rows(cst_result *file, const cst_channel *c, const long *there, long width) {
  const long one[CST_FIELD_DIMS] = {1, 1, width};
  double    *row = cst_zeros(width, sizeof *row);
  const bool good = cst_result_read_block(file, c->field.path, c->field.type, there, one, row);
  free(row);
  return good;
}

/* Copies rows of n members, [case][member]..., and series of single members, [case][sample]. */
static cst_error take_channel(cst_output *o, cst_result *file, const cst_plan *old, int from,
                              int to, long first, long n, const cst_channel *c) {
  const bool is_series = c->row->is & CST_IS_OF_ONE;
  const bool single = old->study->ensemble.members == 1 && is_series;
  long       there[CST_FIELD_DIMS] = {from, first};
  long       here[CST_FIELD_DIMS] = {to, first}, count[CST_FIELD_DIMS] = {1};
  if (!is_of_rows(c) && !single)
    return 0;
  cst_output_extent(o, c, 2, count);
  if (c->row->is & CST_IS_WIDER) {
    count[2] = width_in(old, c);
    if (!has_rows(file, c, there, count[2])) {
      o->narrow = true;
      return 0;
    }
  }
  count[1] = single ? old->classes[old->class_of[from]].nsample : n;
  CST_TRY(cst_output_copy(o, file, old, from, c, c->field.path, there, here, count, 1));
  return 0;
}

bool cst_output_is_narrow(const cst_output *o) { return o->narrow; }

cst_error cst_output_copies(cst_output *o, cst_result *file, const cst_plan *old, int from, int to,
                            long first, long n) {
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_reuse *reuse = cst_collectors[k]->reuse;
    if (reuse && reuse->copy)
      CST_TRY(reuse->copy(o, file, old, from, to, first, n));
  }
  return 0;
}

cst_error cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from,
                               int to, long first, long n) {
  const cst_channel *status = cst_channels_find(o->channels, &cst_channel_status, 0);
  for (int k = 0; k < o->channels->n; k++) {
    const cst_channel *c = &o->channels->channel[k];
    if (c != status)
      CST_TRY(take_channel(o, file, old, from, to, first, n, c));
  }
  CST_TRY(cst_output_copies(o, file, old, from, to, first, n));
  /* last: a row with a status is complete */
  CST_TRY(take_channel(o, file, old, from, to, first, n, status));
  return 0;
}
