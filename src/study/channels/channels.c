/* channels.c: makes the channels of one study from what their owners declare (see channels.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/division.h"
#include "study/channels/channels.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/of-study.h"
#include "study/collector.h"

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
  const cst_system        *s = p->study->system;
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
      [CST_AXIS_MEMBER] = {"member", p->study->members, "member of the ensemble", NULL, false},
      [CST_AXIS_COORDINATE] = {"coordinate", s->nq, "coordinate of the system", s->coordinate,
                               false},
      [CST_AXIS_MULTIPLIER] = {"multiplier", s->ng, "constraint of the system",
                               s->ng ? s->constraint : NULL, false},
      [CST_AXIS_SUMMARY] = {"figure", CST_SUMMARY_NUMBERS,
                            "x(0), x(end), largest |x - x(0)|, largest scale, mean scale", summary,
                            false},
      [CST_AXIS_SAMPLE] = {"sample", p->most_samples, "sample of the series", NULL, false},
      [CST_AXIS_WINDOW] = {"window", CST_WINDOWS, "one of 64 equal parts of the run", NULL, false},
      [CST_AXIS_PARAMETER] = {"parameter", cst_system_named(s), "parameter of the system",
                              cst_system_named(s) ? parameters : NULL, false},
      [CST_AXIS_WORD] = {"word", CST_SUM_WORDS,
                         "64 bits of an exact sum, the least first, then its flags", NULL,
                         p->most_samples == 0 || p->study->members == 1},
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
        k < cst_collector_count ? c->owner->declare : c->owner->declare_last;
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
    first[i] += i * p->study->members;
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
  cst_channels_declare_first(c);
  declare_of_collectors(c);
  cst_channels_declare_last(c);
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
