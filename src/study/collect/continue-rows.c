/* continue-rows.c: the collector `continue`, which keeps the state from which a longer run continues; and the
 * conversion of these rows, at the end of a run, into rows in the middle of a longer one (see continue-rows.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/continue-rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "method/stepper/stepper.h"
#include "study/channels/channels.h"
#include "study/rows/collector.h"
#include "study/result/output.h"
#include "study/runner/runner.h"

/* clang-format off */
static const cst_channel_row channel_joined = {"/continue/joined", "1", "so many members, from the first on, were continued from an earlier end", CST_TYPE_I64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_NONE}, {true, 0, CST_MOST_MEMBERS, true, false, NULL}};
/* clang-format on */

cst_position cst_continue_position(const cst_plan *now, const cst_class *to, const double *row) {
  const long   step = (long)row[CST_CONTINUE_STEP];
  cst_position at = cst_plan_position(now, to, step - 1);
  at.step = step;
  at.half_step = (long)row[CST_CONTINUE_HALF_STEP];
  return at;
}

bool cst_continue_alike(const double *a, const double *b) {
  return a[CST_CONTINUE_STEP] == b[CST_CONTINUE_STEP] &&
         a[CST_CONTINUE_HALF_STEP] == b[CST_CONTINUE_HALF_STEP] &&
         a[CST_CONTINUE_NUMBERS] == b[CST_CONTINUE_NUMBERS];
}

void cst_continue_seal(double *row) {
  row[CST_CONTINUE_HEAD + (long)row[CST_CONTINUE_NUMBERS]] = row[CST_CONTINUE_STEP];
}

/* ---- kept numbers of a row ------------------------------------------------------------------- */

static bool is_kept(const cst_channel *c) { return *c->field.path && c->count && c->kept; }

/* Offset of a channel among the kept numbers; -1: not kept. */
static long place_of(const cst_channels *x, const cst_channel_row *row, int which) {
  const cst_channel *wanted = cst_channels_find(x, row, which);
  long               at = 0;
  for (int k = 0; wanted && k < x->n; k++) {
    if (&x->channel[k] == wanted)
      return is_kept(wanted) ? at : -1;
    if (is_kept(&x->channel[k]))
      at += (long)x->channel[k].count;
  }
  return -1;
}

static long kept_numbers(const cst_channels *c) {
  long n = 0;
  for (int k = 0; k < c->n; k++)
    if (is_kept(&c->channel[k]))
      n += (long)c->channel[k].count;
  return n;
}

/* True if x is a whole number from `least` to `most`. */
static bool is_whole(double x, long least, long most) {
  return x >= (double)least && x <= (double)most && x == (double)(long)x;
}

/* True if the numbers begin with a state, and with that of the partner behind it if there is one. */
static bool is_state(const double *row, long steps, long numbers, bool partner) {
  const double *x = row + CST_CONTINUE_HEAD;
  if (!partner)
    return numbers > 1 && cst_batch_is_state(x, steps);
  return numbers > 3 && numbers % 2 == 0 && cst_batch_is_state(x, steps) &&
         cst_batch_is_state(x + numbers / 2, 2 * steps);
}

bool cst_continue_check(const cst_channels *old, const cst_class *from, const cst_channels *now,
                        const double *row, char *why, size_t n) {
  const long kept = kept_numbers(old);
  const long state = cst_plan_state_numbers(old->plan); /* of the longest row */
  const bool self = old->plan->study->reference.kind == CST_REFERENCE_SELF;
  const long partner = self ? 2 * from->n : 0;
  *why = 0;
  if (!is_whole(row[CST_CONTINUE_STEP], from->n, from->n))
    snprintf(why, n, "its step is %.17g, and the trajectory ended at %ld", row[CST_CONTINUE_STEP],
             from->n);
  else if (!is_whole(row[CST_CONTINUE_HALF_STEP], 0, partner))
    snprintf(why, n, "its step with half the step size is %.17g; possible are 0 to %ld",
             row[CST_CONTINUE_HALF_STEP], partner);
  else if (!is_whole(row[CST_CONTINUE_NUMBERS], kept + 1,
                     kept + CST_SMALLER(state, cst_plan_state_numbers(now->plan))))
    snprintf(why, n, "its count of numbers is %.17g; possible are %ld to %ld",
             row[CST_CONTINUE_NUMBERS], kept + 1, kept + state);
  else if (row[CST_CONTINUE_HEAD + (long)row[CST_CONTINUE_NUMBERS]] != row[CST_CONTINUE_STEP])
    snprintf(why, n, "it is incomplete");
  else if (!is_state(row, from->n, (long)row[CST_CONTINUE_NUMBERS] - kept, self))
    snprintf(why, n, "its numbers are not a state of a trajectory");
  return !*why;
}

const double *cst_continued_was(const cst_continued *x, const cst_channel_row *row, int which) {
  const long at = place_of(x->old, row, which);
  return at < 0 ? NULL : x->was + at;
}

double *cst_continued_made(const cst_continued *x, const cst_channel_row *row, int which) {
  const long at = place_of(x->now, row, which);
  return at < 0 ? NULL : x->made + at;
}

static const cst_reuse *reuse_of(const cst_collector *c) { return c ? c->reuse : NULL; }

/* Carries the kept numbers that no collector sets. */
static void carry(const cst_continued *x) {
  for (int k = 0; k < x->now->n; k++) {
    const cst_channel *c = &x->now->channel[k];
    const cst_reuse   *reuse = reuse_of(c->owner);
    if (!is_kept(c) || (reuse && reuse->go_on))
      continue;
    const double *was = cst_continued_was(x, c->row, c->which);
    if (was)
      memcpy(cst_continued_made(x, c->row, c->which), was, sizeof *was * c->count);
  }
}

void cst_continue_convert(const cst_channels *old, const cst_class *from, const cst_channels *now,
                          const cst_class *to, const double *row, double *made) {
  const long states = CST_CONTINUE_HEAD + (long)row[CST_CONTINUE_NUMBERS] - kept_numbers(old);
  const cst_continued x = {old, now, from, to, row + states, made + states};
  memcpy(made, row, sizeof *made * (size_t)states);
  made[CST_CONTINUE_NUMBERS] = (double)(states - CST_CONTINUE_HEAD + kept_numbers(now));
  carry(&x);
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_reuse *reuse = reuse_of(cst_collectors[k]);
    if (reuse && reuse->go_on)
      reuse->go_on(&x);
  }
}

cst_error cst_continue_read(cst_result *file, const cst_channels *old, int from,
                            const cst_channels *now, int to, long member, double *made) {
  const cst_channel *a = cst_channels_find(old, &cst_channel_continue, 0);
  const cst_channel *b = cst_channels_find(now, &cst_channel_continue, 0);
  const cst_class   *earlier = &old->plan->classes[old->plan->class_of[from]];
  const cst_class   *later = &now->plan->classes[now->plan->class_of[to]];
  const long         there[3] = {from, member, 0};
  const long         n[3] = {1, 1, (long)a->count};
  char               why[200];
  double            *row;
  row = cst_zeros(a->count, sizeof *row);
  CST_CHECK(cst_result_read_block(file, a->field.path, CST_TYPE_F64, there, n, row), MPI_COMM_SELF,
            CST_ERR_FILE_READ, "%s of the file cannot be read, or has another shape",
            a->field.path);
  CST_CHECK(cst_continue_check(old, earlier, now, row, why, sizeof why), MPI_COMM_SELF,
            CST_ERR_FILE_UNEXPECTED, "%s of the file, case %d, member %ld: %s", a->field.path, from,
            member, why);
  for (size_t i = 0; i < b->count; i++)
    made[i] = NAN;
  cst_continue_convert(old, earlier, now, later, row, made);
  free(row);
  return 0;
}

/* ---- which members were continued ------------------------------------------------------------ */

/* A file of an earlier version tells only whether all of it was continued. */
static void joined_of_all(cst_result *file, const cst_plan *p, long *members) {
  char *continued = cst_result_text(file, "/", "continued");
  for (int i = 0; i < p->ncase; i++)
    members[i] = continued ? p->study->ensemble.members : 0;
  free(continued);
}

long *cst_continue_joined(cst_result *file, const cst_plan *p, char *why, size_t n) {
  cst_channels      *channels = cst_channels_create(p, NULL);
  const cst_channel *c = cst_channels_find(channels, &channel_joined, 0);
  long              *members = cst_zeros(p->ncase, sizeof *members);
  const long         start[1] = {0}, count[1] = {p->ncase};
  bool               good = true;
  if (!c || !cst_result_read_block(file, c->field.path, c->field.type, start, count, members))
    joined_of_all(file, p, members);
  else
    good = cst_sound(p, 0, c, members, (size_t)p->ncase, why, n);
  cst_channels_destroy(channels);
  if (good)
    return members;
  free(members);
  return NULL;
}

cst_error cst_continue_join(cst_output *o, int icase, long members) {
  if (cst_channels_find(cst_output_channels(o), &channel_joined, 0))
    CST_TRY(cst_output_case(o, &channel_joined, 0, icase, &members));
  return 0;
}

/* ---- the collector --------------------------------------------------------------------------- */

/* clang-format off */
const cst_channel_row cst_channel_continue = {"/continue/rows", "1", "state from which a longer run continues: step, step at half the step size, count, the numbers, step again", CST_TYPE_F64, CST_IS_ROW | CST_IS_JOINED | CST_IS_WIDER, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* Largest size of a row: all numbers that checkpoints hold of a trajectory, and its state. */
static void declare_last(const cst_plan *p, cst_channels *c) {
  long n = CST_CONTINUE_HEAD + CST_CONTINUE_SEAL + cst_plan_state_numbers(p);
  if (!p->study->run.extensible)
    return;
  for (int k = 0; k < c->n; k++)
    if (c->channel[k].kept)
      n += (long)c->channel[k].count;
  const int axis = cst_channels_axis(c, "number of a row", n, "number");
  cst_channels_add(c, &cst_channel_continue, 0, (cst_channel_use){.axis = axis});
  cst_channels_add(c, &channel_joined, 0, (cst_channel_use){0});
}

/* Stores the rows of an extensible study, before anything is observed. */
static cst_error store_rows(const cst_runner *r) {
  const long   n = cst_runner_numbers(r);
  const size_t width = cst_channels_find(r->rows->channels, &cst_channel_continue, 0)->count;
  CST_CHECK((size_t)n + CST_CONTINUE_HEAD + CST_CONTINUE_SEAL <= width, MPI_COMM_SELF, CST_ERR_PLIB,
            "a trajectory has %ld numbers, more than %zu", n, width);
  for (long l = 0; l < r->work->count; l++) {
    double *x = cst_rows_numbers(r->rows, &cst_channel_continue, 0, l);
    for (size_t i = 0; i < width; i++)
      x[i] = NAN;
    x[CST_CONTINUE_STEP] = (double)r->b->step;
    if (r->hst)
      x[CST_CONTINUE_HALF_STEP] = (double)r->hb->step;
    else
      x[CST_CONTINUE_HALF_STEP] = 0;
    x[CST_CONTINUE_NUMBERS] = (double)n;
    cst_runner_save(r, l, x + CST_CONTINUE_HEAD);
    cst_continue_seal(x);
  }
  return 0;
}

static cst_error open(const cst_plan *p, cst_output *o) {
  for (int i = 0; i < p->ncase; i++)
    CST_TRY(cst_continue_join(o, i, 0));
  return 0;
}

static bool wanted(const cst_plan *p) { return p->study->run.extensible; }

static cst_error before(cst_collection *x) {
  if (x->run->b->step == x->run->class->n && !x->run->replayed)
    CST_TRY(store_rows(x->run));
  return 0;
}

const cst_collector cst_collector_continue = {
    .name = "continue",
    .doc = "rows for a later end",
    .plan = {.wanted = wanted},
    .run = {.before = before},
    .file = {.declare_last = declare_last, .open = open},
};
