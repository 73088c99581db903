/* channels.c: makes the channels of one study from what their owners declare (see channels.h), with those of every
 * study, which stand before and behind the channels of all collectors; and the rows of a batch in memory.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/channels/channels.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/reason.h"
#include "study/rows/collector.h"
#include "study/plan/division.h"

/* ---- of every study -------------------------------------------------------------------------- */

/* clang-format off */
const cst_channel_row cst_channel_rows_until = {"/run/rows_until", "1", "all rows of the checkpoints up to this number are in the file; NaN: of none", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_step = {"/cases/h", "1", "step taken", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_steps_taken = {"/cases/n", "1", "number of steps", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_tolerance = {"/cases/tolerance", "1", "tolerance of the solver, relative", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_representative = {"/cases/representative", "1", "what p is: kinetic, M v + a, or tangential, its part with G p = 0", CST_TYPE_TEXT, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_parameters = {"/cases/parameters", "1", "parameters of the system", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_PARAMETER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_q = {"/final/q", "1", "coordinates at the end, or the last good ones", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_p = {"/final/p", "1", "momenta at the end, or the last good ones", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_lambda = {"/final/lambda", "1", "multipliers of the last step, M A = f - G' lambda", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_MULTIPLIER, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_status = {"/final/status", "1", NULL, CST_TYPE_I8, CST_IS_ROW | CST_IS_LAST, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, CST_DONE, CST_MOST_REASONS, true, false, NULL}};
const cst_channel_row cst_channel_steps = {"/final/steps", "1", "good steps", CST_TYPE_I64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_STEPS, true, false, NULL}};
const cst_channel_row cst_channel_iterations = {"/final/iterations", "1", "iterations of the solver, all steps", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, false, NULL}};
const cst_channel_row cst_channel_evaluations = {"/final/evaluations", "1", "evaluations of the force, all steps", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, false, NULL}};
const cst_channel_row cst_channel_statistic = {"/statistics/%s", NULL, NULL, CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_rate = {"/run/steps_per_second", "1", "trajectory-steps per second and per rank", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_cpu = {"/run/cpu_seconds", "1", "CPU time per trajectory in seconds, steps only, smallest of the repeats", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_cpu_most = {"/run/cpu_seconds_most", "1", "CPU time per trajectory in seconds, largest of the repeats", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_checkpoint = {"/run/checkpoint", "1", "number of the newest checkpoint; NaN: none was taken", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_channel_work_done = {"/run/work_done", "1", "fraction of the work that is done", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_NONE}, {0}};
/* clang-format on */

/* All ways in which a trajectory can end, with their numbers. */
static const char *status_doc(void) {
  static char text[sizeof((cst_field *)0)->doc];
  size_t      at = 0;
  for (int k = 0; k < CST_REASONS && at < sizeof text; k++)
    at +=
        (size_t)snprintf(text + at, sizeof text - at, "%s%d %s%s", k ? ", " : "", k,
                         cst_reason_at(k)->words, cst_reason_stopped(k) ? " (not a failure)" : "");
  if (at < sizeof text)
    snprintf(text + at, sizeof text - at, "; -1 not run");
  return text;
}

/* Adds channels that have no index. */
static void add_all(cst_channels *c, const cst_channel_row *const *row) {
  for (; *row; row++)
    cst_channels_add(c, *row, 0, (cst_channel_use){0});
}

/* rows_until stands before all rows in the file: who copies it meanwhile reads it before them. */
static void declare_first(cst_channels *c) {
  static const cst_channel_row *const first[] = {&cst_channel_step, &cst_channel_steps_taken,
                                                 &cst_channel_tolerance,
                                                 &cst_channel_representative, NULL};
  static const cst_channel_row *const state[] = {&cst_channel_q, &cst_channel_p,
                                                 &cst_channel_lambda, NULL};
  static const cst_channel_row *const then[] = {&cst_channel_steps, &cst_channel_iterations,
                                                &cst_channel_evaluations, NULL};
  if (c->columns)
    cst_channels_add(c, &cst_channel_rows_until, 0, (cst_channel_use){0});
  add_all(c, first);
  if (cst_system_named(c->plan->study->problem.system) > 0)
    cst_channels_add(c, &cst_channel_parameters, 0, (cst_channel_use){0});
  add_all(c, state);
  cst_channels_add(c, &cst_channel_status, 0, (cst_channel_use){.doc = status_doc()});
  add_all(c, then);
}

/* Columns, and what the run tells of itself. */
static void declare_last(cst_channels *c) {
  static const cst_channel_row *const times[] = {&cst_channel_cpu, &cst_channel_cpu_most, NULL};
  static const cst_channel_row *const last[] = {&cst_channel_checkpoint, &cst_channel_work_done,
                                                NULL};
  for (int k = 0; c->columns && k < c->columns->n; k++) {
    const cst_column *x = &c->columns->column[k];
    cst_channels_add(
        c, &cst_channel_statistic, k,
        (cst_channel_use){
            .name = x->name, .unit = x->use.unit, .doc = x->doc, .text = x->label != NULL});
  }
  if (!c->columns)
    return;
  cst_channels_add(c, &cst_channel_rate, 0, (cst_channel_use){0});
  if (c->plan->study->run.timing_repeats > 0)
    add_all(c, times);
  add_all(c, last);
}

const char *const cst_channels_error_names[CST_ERRORS] = {"total", "q", "p", "lambda"};

/* ---- axes ------------------------------------------------------------------------------------ */

static cst_dimension *next_dimension(cst_channels *c) {
  if (c->ndim == c->most_dims) {
    c->most_dims = 2 * c->most_dims + CST_AXES;
    c->dim = cst_need(realloc(c->dim, sizeof *c->dim * (size_t)c->most_dims));
  }
  return memset(&c->dim[c->ndim++], 0, sizeof *c->dim);
}

static void dimension(cst_channels *c, const char *name, long size, const char *doc,
                      const char *const *label) {
  cst_dimension *d = next_dimension(c);
  snprintf(d->name, sizeof d->name, "%s", name);
  d->size = size;
  d->doc = doc;
  d->label = label;
}

static int find_dimension(const cst_channels *c, const char *name) {
  int d = 0;
  while (d < c->ndim && strcmp(c->dim[d].name, name))
    d++;
  return d;
}

int cst_channels_axis(cst_channels *c, const char *doc, long size, const char *format, ...) {
  char    first[48], name[48];
  int     d;
  va_list rest;
  va_start(rest, format);
  vsnprintf(first, sizeof first, format, rest);
  va_end(rest);
  snprintf(name, sizeof name, "%s", first);
  for (unsigned k = 2; (d = find_dimension(c, name)) < c->ndim && c->dim[d].size != size; k++)
    snprintf(name, sizeof name, "%.44s_%x", first, k & 15U); /* another axis has this name */
  if (d == c->ndim)
    dimension(c, name, size, doc, NULL);
  return d;
}

void cst_channels_label(cst_channels *c, int axis, const char *const *label) {
  c->dim[axis].label = label;
}

static void make_shared_axes(cst_channels *c) {
  static const char *const summary[CST_SUMMARY_NUMBERS] = {"start", "end", "drift", "scale",
                                                           "size"};
  static const char *const outside[CST_OUTSIDE + 1] = {"below", "above", "no number", "all"};
  static const char       *parameters[CST_MAX_PAR];
  const cst_plan          *p = c->plan;
  const cst_system        *s = p->study->problem.system;
  for (int i = 0; i < s->npar; i++)
    parameters[i] = s->parameter[i].name;
  const struct {
    const char        *name;
    long               size;
    const char        *doc;
    const char *const *label;
    bool               absent;
  } all[CST_AXES] = {
      [CST_AXIS_NONE] = {.absent = true},
      [CST_AXIS_CASE] = {"case", p->ncase,
                         "case: parameters x tolerance x method x step, step fastest", NULL, false},
      [CST_AXIS_MEMBER] = {"member", p->study->ensemble.members, "member of the ensemble", NULL,
                           false},
      [CST_AXIS_COORDINATE] = {"coordinate", s->nq, "coordinate of the system",
                               s->description->coordinate, false},
      [CST_AXIS_MULTIPLIER] = {"multiplier", s->ng, "constraint of the system",
                               s->ng ? s->description->constraint : NULL, false},
      [CST_AXIS_SUMMARY] = {"figure", CST_SUMMARY_NUMBERS,
                            "x(0), x(end), largest |x - x(0)|, largest scale, mean scale", summary,
                            false},
      [CST_AXIS_SAMPLE] = {"sample", p->most_samples, "sample of the series", NULL, false},
      [CST_AXIS_WINDOW] = {"window", CST_WINDOWS, "one of 64 equal parts of the run", NULL, false},
      [CST_AXIS_PARAMETER] = {"parameter", cst_system_named(s), "parameter of the system",
                              cst_system_named(s) ? parameters : NULL, false},
      [CST_AXIS_WORD] = {"word", CST_SUM_WORDS,
                         "64 bits of an exact sum, the least first, then its flags", NULL,
                         p->most_samples == 0 || p->study->ensemble.members == 1},
      [CST_AXIS_BLOCK] = {"block", p->blocks, "equal part of the run after the burn-in", NULL,
                          p->blocks == 0},
      [CST_AXIS_OUTSIDE] = {"outside", CST_OUTSIDE + 1, "below, above, no number, all", outside,
                            p->blocks == 0},
      [CST_AXIS_CHOSEN] = {"chosen", p->chosen, "member whose full states are kept", NULL,
                           p->chosen == 0}};
  for (int k = 0; k < CST_AXES; k++) {
    c->shared[k] = c->ndim;
    if (!all[k].absent)
      dimension(c, all[k].name, all[k].size, all[k].doc, all[k].label);
  }
}

/* ---- channels -------------------------------------------------------------------------------- */

void cst_channel_path_of(const cst_channel *c, int icase, char *path, size_t n) {
  const char *form = c->row->path;
  snprintf(path, n, "%.*s%d%s", (int)(strchr(form, '%') - form), form, icase,
           strrchr(c->field.path, '/'));
}

/* The path: %d is the case, %s the name. */
static void make_path(const cst_channel_row *row, const cst_channel_use *use, char *path,
                      size_t n) {
  size_t at = 0;
  for (const char *form = use->path ? use->path : row->path; *form && at + 1 < n; form++)
    if (*form != '%')
      path[at++] = *form;
    else if (*++form == 'd')
      at += (size_t)snprintf(path + at, n - at, "%d", use->icase);
    else
      at += (size_t)snprintf(path + at, n - at, "%s", use->name);
  path[at < n ? at : n - 1] = 0;
}

/* Room for one more channel. */
static void make_room(cst_channels *c) {
  if (c->n < c->room)
    return;
  c->room = 2 * c->room + 64;
  c->channel = cst_need(realloc(c->channel, sizeof *c->channel * (size_t)c->room));
  c->field = cst_need(realloc(c->field, sizeof *c->field * (size_t)c->room));
  c->block = cst_need(realloc(c->block, sizeof *c->block * (size_t)c->room));
}

static void describe(cst_field *f, const cst_channel_row *row, const cst_channel_use *use) {
  make_path(row, use, f->path, sizeof f->path);
  snprintf(f->unit, sizeof f->unit, "%s", use->unit ? use->unit : row->unit ? row->unit : "");
  snprintf(f->doc, sizeof f->doc, "%s", use->doc ? use->doc : row->doc);
  f->type = use->text ? CST_TYPE_TEXT : row->type;
}

static void list_axes(const cst_channels *c, cst_field *f, const cst_channel_use *use,
                      const int *axis) {
  for (; *axis != CST_AXIS_NONE; axis++) {
    f->dim[f->ndim] = c->shared[*axis % CST_AXES];
    if (*axis == CST_AXIS_OWN)
      f->dim[f->ndim] = use->axis;
    if (*axis == CST_AXIS_ALSO)
      f->dim[f->ndim] = use->also;
    f->ndim++;
  }
}

void cst_channels_add(cst_channels *c, const cst_channel_row *row, int which, cst_channel_use use) {
  make_room(c);
  cst_channel *x = &c->channel[c->n];
  *x = (cst_channel){.row = row,
                     .owner = c->owner,
                     .which = which,
                     .icase = use.icase,
                     .place = -1,
                     .kept = row->is & CST_IS_KEPT,
                     .in_lanes = row->is & CST_IS_IN_LANES};
  describe(&x->field, row, &use);
  list_axes(c, &x->field, &use, row->axis);
  if (row->is & CST_IS_OF_TRAJECTORY)
    x->count = use.count ? use.count : 1;
  for (int k = 2; k < x->field.ndim && x->count && !use.count; k++)
    x->count *= (size_t)c->dim[x->field.dim[k]].size;
  if (c->plan->part && x->count && row != &cst_channel_status)
    x->field.rows = &c->own;
  if ((row->is | use.is) & CST_IS_WRITTEN) {
    x->place = c->nfield;
    c->field[c->nfield++] = x->field;
  }
  if (!c->nblock || c->block[c->nblock - 1].row != row)
    c->block[c->nblock++] = (cst_channel_block){row, c->n, 0};
  c->block[c->nblock - 1].n++;
  c->n++;
}

static void declare_of_collectors(cst_channels *c) {
  for (int k = 0; k < 2 * cst_collector_count; k++) {
    c->owner = cst_collectors[k % cst_collector_count];
    void (*declare)(const cst_plan *, cst_channels *) =
        k < cst_collector_count ? c->owner->file.declare : c->owner->file.declare_last;
    if (declare)
      declare(c->plan, c);
  }
  c->owner = NULL;
}

/* The trajectories of a part of a study: the file has space for these only. Their status tells them apart. */
static void find_own(cst_channels *c) {
  const cst_plan *p = c->plan;
  long           *first = cst_zeros(p->ncase, sizeof *first);
  long           *count = cst_zeros(p->ncase, sizeof *count);
  for (int i = 0; i < p->ncase; i++) {
    cst_division_members(p, p->division, p->part, i, &first[i], &count[i]);
    first[i] += i * p->study->ensemble.members;
  }
  c->own = (cst_record_rows){p->ncase, first, count};
}

cst_channels *cst_channels_create(const cst_plan *p, const cst_columns *columns) {
  cst_channels *c = cst_need(calloc(1, sizeof *c));
  c->plan = p;
  c->columns = columns;
  make_shared_axes(c);
  if (p->part)
    find_own(c);
  declare_first(c);
  declare_of_collectors(c);
  declare_last(c);
  return c;
}

void cst_channels_destroy(cst_channels *c) {
  if (!c)
    return;
  free(c->dim);
  free(c->channel);
  free(c->field);
  free(c->block);
  free((void *)c->own.first);
  free((void *)c->own.count);
  free(c);
}

const cst_channel *cst_channels_find(const cst_channels *c, const cst_channel_row *row, int which) {
  for (int k = 0; k < c->nblock; k++) {
    if (c->block[k].row != row)
      continue;
    int low = c->block[k].first, high = low + c->block[k].n;
    while (high - low > 1) {
      const int half = (low + high) / 2;
      if (c->channel[half].which <= which)
        low = half;
      else
        high = half;
    }
    return c->channel[low].which == which ? &c->channel[low] : NULL;
  }
  return NULL;
}

bool cst_channel_is_of_track(const cst_channel *c, int icase) {
  return (c->row->is & CST_IS_OF_STATES) && c->icase == icase;
}

size_t cst_channel_bytes(const cst_channel *c) {
  return c->count * cst_record_width(c->field.type);
}

/* ---- rows of a batch ------------------------------------------------------------------------- */

/* The rows of a batch of trajectories, one array per channel (see channels.h). */

enum { ALIGNMENT = 64 };

static bool is_of_trajectories(const cst_channel *c) { return *c->field.path && c->count; }

cst_rows *cst_rows_create(const cst_channels *c, long batch, int width) {
  cst_rows *r = cst_need(calloc(1, sizeof *r));
  long      lanes = (batch + width - 1) / width * width;
  r->channels = c;
  r->width = width;
  r->data = cst_zeros(c->n, sizeof *r->data);
  for (int k = 0; k < c->n; k++) {
    if (!is_of_trajectories(&c->channel[k]))
      continue;
    const size_t used = (size_t)lanes * cst_channel_bytes(&c->channel[k]);
    const size_t bytes = (used / ALIGNMENT + 1) * ALIGNMENT;
    r->data[k] = cst_need(aligned_alloc(ALIGNMENT, bytes));
    memset(r->data[k], 0, bytes);
  }
  return r;
}

void cst_rows_destroy(cst_rows *r) {
  if (!r)
    return;
  for (int k = 0; k < r->channels->n; k++)
    free(r->data[k]);
  free(r->data);
  free(r);
}

static size_t stride(const cst_rows *r, const cst_channel *c) {
  return c->in_lanes ? (size_t)r->width : 1;
}

void *cst_rows_at(const cst_rows *r, const cst_channel *c, long lane) {
  if (!c || !is_of_trajectories(c))
    return NULL;
  char        *data = r->data[c - r->channels->channel];
  const size_t row = cst_channel_bytes(c);
  const size_t W = (size_t)r->width;
  const size_t number = row / c->count;
  if (c->in_lanes)
    return data + (size_t)lane / W * W * row + (size_t)lane % W * number;
  return data + (size_t)lane * row;
}

double *cst_rows_numbers(const cst_rows *r, const cst_channel_row *row, int which, long lane) {
  const cst_channel *c = cst_channels_find(r->channels, row, which);
  return cst_rows_at(r, c, lane);
}

void cst_rows_gather(const cst_rows *r, const cst_channel *c, long lane, long n, double *x) {
  for (long l = lane; l < lane + n; l++) {
    const double *from = cst_rows_at(r, c, l);
    for (size_t i = 0; i < c->count; i++)
      *x++ = from[i * stride(r, c)];
  }
}

/* ---- numbers in checkpoints ------------------------------------------------------------------ */

static bool is_kept(const cst_channel *c) { return is_of_trajectories(c) && c->kept; }

size_t cst_rows_kept(const cst_rows *r) {
  size_t n = 0;
  for (int k = 0; k < r->channels->n; k++)
    if (is_kept(&r->channels->channel[k]))
      n += r->channels->channel[k].count;
  return n;
}

void cst_rows_save(const cst_rows *r, long lane, double *row) {
  for (int k = 0; k < r->channels->n; k++) {
    const cst_channel *c = &r->channels->channel[k];
    if (!is_kept(c))
      continue;
    const double *x = cst_rows_at(r, c, lane);
    for (size_t i = 0; i < c->count; i++)
      *row++ = x[i * stride(r, c)];
  }
}

void cst_rows_restore(const cst_rows *r, long lane, const double *row) {
  for (int k = 0; k < r->channels->n; k++) {
    const cst_channel *c = &r->channels->channel[k];
    if (!is_kept(c))
      continue;
    double *x = cst_rows_at(r, c, lane);
    for (size_t i = 0; i < c->count; i++)
      x[i * stride(r, c)] = *row++;
  }
}
