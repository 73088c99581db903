/* channels.c: makes the channels of one study from the table (see channels.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/plan/channels-table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/result/longer.h"

/* ---- dimensions ------------------------------------------------------------------------------ */

enum { OWN_DIMENSIONS = 4 }; /* of a histogram */

static void dimension(cst_channels *c, const char *name, long size, const char *doc,
                      const char *const *label) {
  cst_dimension *d = &c->dim[c->ndim++];
  snprintf(d->name, sizeof d->name, "%s", name);
  d->size = size;
  d->doc = doc;
  d->label = label;
}

/* The number of stored states differs between cases, so each case has its own time dimension. */
static void make_time_dimensions(cst_channels *c) {
  const cst_plan *p = c->plan;
  for (int i = 0; i < p->ncase && p->study->ntrajectory; i++) {
    char name[48];
    snprintf(name, sizeof name, "time%d", i);
    dimension(c, name, p->cases[i].n / p->study->trajectory_every + 1, "time of a stored state",
              NULL);
  }
}

/* at[DIMS + 1]: index of each of the table's dimensions; the time dimensions of the cases follow at[TIME]. */
static void make_dimensions(cst_channels *c, int *at) {
  static const char *const figures[CST_FIGURES] = {"start", "end", "drift", "scale", "size"};
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
  } all[DIMS] = {
      [CASE] = {"case", p->ncase, "case: parameters x tolerance x method x step, step fastest",
                NULL, false},
      [MEMBER] = {"member", p->study->members, "member of the ensemble", NULL, false},
      [COORDINATE] = {"coordinate", s->nq, "coordinate of the system", s->coordinate, false},
      [MULTIPLIER] = {"multiplier", s->ng, "constraint of the system", s->ng ? s->constraint : NULL,
                      false},
      [FIGURE] = {"figure", CST_FIGURES,
                  "x(0), x(end), largest |x - x(0)|, largest scale, mean scale", figures, false},
      [SAMPLE] = {"sample", p->most_samples, "sample of the series", NULL, false},
      [WINDOW] = {"window", CST_WINDOWS, "one of 64 equal parts of the run", NULL, false},
      [PARAMETER] = {"parameter", cst_system_named(s), "parameter of the system",
                     cst_system_named(s) ? parameters : NULL, false},
      [WORD] = {"word", CST_SUM_WORDS, "64 bits of an exact sum, the least first, then its flags",
                NULL, p->most_samples == 0 || p->study->members == 1},
      [BLOCK] = {"block", p->blocks, "equal part of the run after the burn-in", NULL,
                 p->study->nhistogram == 0},
      [OUTSIDE] = {"outside", CST_OUTSIDE + 1, "below, above, no number, all", outside,
                   p->study->nhistogram == 0},
      [CHOSEN] = {"chosen", p->study->ntrajectory, "member whose full states are kept", NULL,
                  p->study->ntrajectory == 0}};
  c->dim = cst_need(
      calloc((size_t)(DIMS + 1 + p->ncase + p->nlook + OWN_DIMENSIONS * p->study->nhistogram),
             sizeof *c->dim));
  for (int k = 0; k < DIMS; k++) {
    at[k] = c->ndim;
    if (!all[k].absent)
      dimension(c, all[k].name, all[k].size, all[k].doc, all[k].label);
  }
  at[TIME] = c->ndim;
  make_time_dimensions(c);
}

/* ---- channels -------------------------------------------------------------------------------- */

static int how_many(const cst_plan *p, cst_channel_many m, cst_channel_kind kind,
                    const cst_columns *columns) {
  const cst_study *s = p->study;
  const bool       sampled = p->most_samples > 0;
  const bool       several = s->members > 1;
  switch (m) {
  case PARAMETRIC:
    return cst_system_named(s->system) > 0;
  case OF_ERRORS:
    return s->reference == CST_REFERENCE_NONE ? 0 : CST_ERRORS;
  case OF_QUANTITIES:
    return p->nquantity;
  case OF_WINDOWS:
    return cst_study_needs(s, CST_NEEDS_WINDOWS) ? p->nquantity : 0;
  case SAMPLED:
    return sampled;
  case SAMPLED_EACH:
    return sampled ? p->nquantity : 0;
  case SUMMED:
    return sampled && several ? p->nquantity : 0;
  case SINGLE:
    return sampled && !several;
  case OF_LOOKS:
    return p->nlook;
  case OF_CASES:
    return s->ntrajectory ? p->ncase : 0;
  case OF_STORED:
    return s->ntrajectory ? p->ncase * p->nstored : 0;
  case OF_AVERAGES:
    return s->averages ? p->nquantity : 0;
  case OF_HISTOGRAMS:
    return s->nhistogram;
  case REPEATED:
    return columns && s->timing_repeats > 0;
  case WEIGHTED:
    return s->average_fixman;
  case EXTENSIBLE:
    return s->extensible;
  case OF_COLUMNS:
    if (!columns)
      return 0;
    if (kind == CST_CHANNEL_STATISTIC)
      return columns->n;
    return 1;
  default:
    return 1;
  }
}

static const cst_observer *observer(const cst_plan *p, const cst_channel *x) {
  if (x->kind == CST_CHANNEL_OBSERVER)
    return p->look[x->which].row;
  return NULL;
}

/* Numbers per trajectory of a channel without dimensions. */
static size_t count_own(const cst_plan *p, const cst_channel *x) {
  const size_t quantities = (size_t)p->nquantity;
  switch (x->kind) {
  case CST_CHANNEL_ACCUMULATORS:
    return quantities * CST_SLOTS;
  case CST_CHANNEL_SAMPLES:
    return quantities * (size_t)p->most_samples;
  default:
    return 1;
  }
}

static bool is_of_histogram(const cst_channel *x) {
  return cst_channels_table[x->kind].many == OF_HISTOGRAMS;
}

static const char *name_of_look(const cst_observation *x) {
  return x->name ? x->name : x->row->name;
}

static const char *name_of(const cst_plan *p, const cst_columns *columns, cst_channel_kind kind,
                           int which) {
  if (cst_channels_table[kind].many == OF_HISTOGRAMS)
    return p->study->histogram[which].name;
  if (kind == CST_CHANNEL_ERROR)
    return cst_channels_error_names[which];
  if (kind == CST_CHANNEL_OBSERVER)
    return name_of_look(&p->look[which]);
  if (kind == CST_CHANNEL_STATISTIC)
    return columns->column[which].name;
  return p->quantity[which].name;
}

/* The case of a channel of stored states, and its quantity if it has one. */
static int case_of(const cst_plan *p, cst_channel_kind kind, int which) {
  if (cst_channels_table[kind].many == OF_STORED)
    return which / p->nstored;
  return which;
}
static const cst_quantity *quantity_of(const cst_plan *p, cst_channel_kind kind, int which) {
  return &p->quantity[cst_channels_table[kind].many == OF_STORED ? p->stored[which % p->nstored]
                                                                 : which];
}

void cst_channel_path_of(const cst_channel *c, int icase, char *path, size_t n) {
  const char *form = cst_channels_table[c->kind].path;
  snprintf(path, n, "%.*s%d%s", (int)(strchr(form, '%') - form), form, icase,
           strrchr(c->field.path, '/'));
}

static void make_path_of_case(const cst_plan *p, cst_channel *x) {
  const char *form = cst_channels_table[x->kind].path;
  const char *mark = strchr(form, '%');
  const bool  stored = cst_channels_table[x->kind].many == OF_STORED;
  const char *end;
  if (stored)
    end = quantity_of(p, x->kind, x->which)->name;
  else
    end = mark + 3;
  const int icase = case_of(p, x->kind, x->which);
  snprintf(x->field.path, sizeof x->field.path, "%.*s%d/%s", (int)(mark - form), form, icase, end);
}

static void make_path(const cst_plan *p, const cst_columns *columns, cst_channel *x) {
  const cst_observer *row = observer(p, x);
  const char         *form;
  if (row && row->path)
    form = row->path;
  else
    form = cst_channels_table[x->kind].path;
  const char *mark = strchr(form, '%');
  if (!mark)
    snprintf(x->field.path, sizeof x->field.path, "%s", form);
  else if (mark[1] == 'd')
    make_path_of_case(p, x);
  else
    snprintf(x->field.path, sizeof x->field.path, "%.*s%s%s", (int)(mark - form), form,
             name_of(p, columns, x->kind, x->which), mark + 2);
}

static void describe(const cst_plan *p, const cst_columns *columns, cst_channel *x) {
  const char *unit = cst_channels_table[x->kind].unit;
  const char *doc = cst_channels_table[x->kind].doc;
  x->field.type = cst_channels_table[x->kind].type;
  if (observer(p, x))
    doc = observer(p, x)->path_doc ? observer(p, x)->path_doc : "";
  if (x->kind == CST_CHANNEL_STATISTIC) {
    const cst_column *column = &columns->column[x->which];
    unit = column->use.unit;
    doc = column->doc;
    if (column->label)
      x->field.type = CST_TYPE_TEXT;
  } else if (!unit) {
    unit = quantity_of(p, x->kind, x->which)->unit;
    if (!doc)
      doc = quantity_of(p, x->kind, x->which)->doc;
  }
  snprintf(x->field.unit, sizeof x->field.unit, "%s", unit);
  snprintf(x->field.doc, sizeof x->field.doc, "%s", doc);
}

/* Whether this channel exists: windows, observers and stored states exist only for some indices; the other
 * places stay empty. */
static bool is_there(const cst_plan *p, cst_channel_kind kind, int which) {
  if (kind == CST_CHANNEL_WINDOWS)
    return p->quantity[which].windows;
  const cst_study *s = p->study;
  if (kind == CST_CHANNEL_STATE_Q)
    return s->store_q;
  if (kind == CST_CHANNEL_STATE_P)
    return s->store_p;
  if (kind == CST_CHANNEL_STATE_V)
    return s->store_v;
  if (kind == CST_CHANNEL_STATE_LAMBDA)
    return s->store_lambda;
  if (cst_channels_table[kind].many == OF_AVERAGES)
    return cst_plan_averages(p, which);
  if (kind == CST_CHANNEL_WEIGHTS)
    return p->study->histogram[which].fixman;
  return kind != CST_CHANNEL_OBSERVER || p->look[which].row->kept > 0;
}

/* The output of an observer has its own dimension. */
static void add_own_dimension(cst_channels *c, const int *at, cst_channel *x) {
  char name[48];
  snprintf(name, sizeof name, "%.40s_entry", name_of_look(&c->plan->look[x->which]));
  x->field.dim[x->field.ndim++] = at[CASE];
  x->field.dim[x->field.ndim++] = at[MEMBER];
  x->field.dim[x->field.ndim++] = c->ndim;
  dimension(c, name, observer(c->plan, x)->kept, observer(c->plan, x)->path_doc, NULL);
}

/* A histogram's own dimensions (bins, edges, counts, weights) are made with the first channel that uses them.
 */
static void add_histogram_dimension(cst_channels *c, cst_channel *x) {
  static const struct {
    cst_channel_kind kind;
    const char      *name, *doc;
    int              more;
  } own[OWN_DIMENSIONS] = {
      {CST_CHANNEL_COUNTS, "entry", "bins, then below, above, no number", CST_OUTSIDE},
      {CST_CHANNEL_WEIGHTS, "weight", "bins, then all weights and their squares", CST_WEIGHED},
      {CST_CHANNEL_EDGES, "edge", "edge of a bin", 1},
      {CST_CHANNEL_HISTOGRAM, "bin", "bin", 0}};
  const cst_histogram *h = &c->plan->study->histogram[x->which];
  char                 name[48];
  int                  k = 0, d = 0;
  if (x->kind == CST_CHANNEL_OUTSIDE)
    return;
  while (k < OWN_DIMENSIONS - 1 && own[k].kind != x->kind)
    k++;
  snprintf(name, sizeof name, "%.32s_%s", h->name, own[k].name);
  while (d < c->ndim && strcmp(c->dim[d].name, name))
    d++;
  if (d == c->ndim)
    dimension(c, name, h->bins + own[k].more, own[k].doc, NULL);
  x->field.dim[x->field.ndim++] = d;
}

/* Largest size of a row: all numbers that checkpoints hold of a trajectory, and its state. */
static void add_row_dimension(cst_channels *c, cst_channel *x) {
  long n = CST_LONGER_HEAD + CST_LONGER_SEAL + cst_plan_state_numbers(c->plan);
  for (int k = 0; k < c->n; k++)
    if (c->channel[k].kept)
      n += (long)c->channel[k].count;
  x->field.dim[x->field.ndim++] = c->ndim;
  dimension(c, "number", n, "number of a row", NULL);
}

/* The dimensions of a channel as its row of the table lists them. */
static void list_dimensions(const cst_channels *c, const int *at, cst_channel *x) {
  for (const int *d = cst_channels_table[x->kind].dim; *d != NONE; d++) {
    int dim = at[*d];
    if (*d == TIME)
      dim += case_of(c->plan, x->kind, x->which);
    x->field.dim[x->field.ndim++] = dim;
  }
}

static void add(cst_channels *c, const int *at, const cst_columns *columns, cst_channel_kind kind,
                int which) {
  const unsigned      is = cst_channels_table[kind].is;
  cst_channel        *x = &c->channel[c->n++];
  const cst_observer *row;
  *x = (cst_channel){.kind = kind, .which = which, .place = -1};
  if (!is_there(c->plan, kind, which))
    return;
  row = observer(c->plan, x);
  x->kept = is & KEPT;
  x->in_lanes = is & IN_LANES;
  make_path(c->plan, columns, x);
  describe(c->plan, columns, x);
  list_dimensions(c, at, x);
  if (row && row->path)
    add_own_dimension(c, at, x);
  if (is_of_histogram(x))
    add_histogram_dimension(c, x);
  if (kind == CST_CHANNEL_CONTINUE)
    add_row_dimension(c, x);
  if (is & OF_TRAJECTORY)
    x->count = row ? (size_t)row->kept : count_own(c->plan, x);
  for (int k = 2; k < x->field.ndim && x->count && !row; k++)
    x->count *= (size_t)c->dim[x->field.dim[k]].size;
  const bool written = (is & WRITTEN) || (row && row->path);
  if (!written)
    return;
  x->place = c->nfield;
  c->field[c->nfield++] = x->field;
}

cst_channels *cst_channels_create(const cst_plan *p, const cst_columns *columns) {
  cst_channels *c = cst_need(calloc(1, sizeof *c));
  int           many[CST_CHANNELS];
  long          n = 0;
  int           at[DIMS + 1];
  c->plan = p;
  make_dimensions(c, at);
  for (int k = 0; k < CST_CHANNELS; k++) {
    many[k] = how_many(p, cst_channels_table[k].many, k, columns);
    n += many[k];
  }
  c->channel = cst_zeros(n, sizeof *c->channel);
  c->field = cst_zeros(n, sizeof *c->field);
  for (int k = 0; k < CST_CHANNELS; k++) {
    c->first[k] = c->n;
    for (int i = 0; i < many[k]; i++)
      add(c, at, columns, k, i);
  }
  return c;
}

void cst_channels_destroy(cst_channels *c) {
  if (!c)
    return;
  free(c->dim);
  free(c->channel);
  free(c->field);
  free(c);
}

const cst_channel *cst_channels_find(const cst_channels *c, cst_channel_kind kind, int which) {
  const int          at = c->first[kind] + which;
  const cst_channel *x = &c->channel[at];
  if (at < c->n && x->kind == kind && *x->field.path)
    return x;
  return NULL;
}

bool cst_channel_is_of_track(const cst_plan *p, const cst_channel *c, int icase) {
  const bool is =
      c->kind >= CST_CHANNEL_STATE_TIME && c->kind <= CST_CHANNEL_STATE_MEMBER && c->place >= 0;
  return is && case_of(p, c->kind, c->which) == icase;
}

size_t cst_channel_bytes(const cst_channel *c) {
  return c->count * cst_record_width(c->field.type);
}
