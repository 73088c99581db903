/* extend.c: finds the trajectories of a larger study in a finished result and copies them into its file (see
 * extend.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/run/extend.h"
#include "study/run/extend-studies.h"

/* ---- cases that are the same ----------------------------------------------------------------- */

static const cst_class *class_of(const cst_plan *p, int icase) {
  return &p->classes[p->class_of[icase]];
}

static bool same_numbers(const double *a, const double *b, int n) {
  return !n || !memcmp(a, b, sizeof *a * (size_t)n);
}

static const char *label(const cst_plan *p, const cst_case *c) {
  return cst_method_label(p->study->method[c->method]);
}

/* The start of a case in a sweep over starts; "" without such a sweep. */
static const char *start_of(const cst_plan *p, const cst_case *c) {
  return p->study->nswept ? p->study->start_name[c->variant / p->study->nset] : "";
}

static bool is_case(const cst_plan *old, int i, const cst_plan *now, int k) {
  const cst_case  *a = &old->cases[i];
  const cst_case  *b = &now->cases[k];
  const cst_study *s = old->study;
  const int        npar = s->system->npar;
  const bool       longer = s->extensible && now->study->extensible;
  if (a->h != b->h || a->h_nominal != b->h_nominal)
    return false;
  if (longer ? a->n > b->n : a->n != b->n)
    return false;
  if (strcmp(label(old, a), label(now, b)))
    return false;
  if (strcmp(start_of(old, a), start_of(now, b)))
    return false;
  if (s->tolerance[a->tolerance] != now->study->tolerance[b->tolerance])
    return false;
  if (npar != now->study->system->npar)
    return false;
  return same_numbers(cst_plan_parameters(old, a->variant), cst_plan_parameters(now, b->variant),
                      npar);
}

/* Both studies order their cases alike: searching from the last match walks through both lists once. */
static int find_case(const cst_plan *old, int i, const cst_plan *now, int from) {
  for (int k = 0; k < now->ncase; k++) {
    const int at = (from + k) % now->ncase;
    if (is_case(old, i, now, at))
      return at;
  }
  return -1;
}

static bool same_looks(const cst_class *a, const cst_class *b) {
  if (a->observe != b->observe || a->read != b->read || a->lead != b->lead)
    return false;
  if (a->nsample != b->nsample)
    return false;
  return !a->nsample || !memcmp(a->sample, b->sample, sizeof *a->sample * (size_t)a->nsample);
}

/* The last digits of a method's states depend on all times at which it stops. */
static bool same_times(const cst_plan *old, int variant, const cst_plan *now, int other) {
  int     m, n;
  double *t = cst_reference_times(old, variant, &m);
  double *u = cst_reference_times(now, other, &n);
  bool    same = m == n && same_numbers(t, u, n);
  free(t);
  free(u);
  return same;
}

/* Cached answer for one variant of the file; cases come variant by variant. */
typedef struct {
  int  variant;
  bool same_times;
} variant_cache;

static void compare_times(const cst_extension *e, int i, int k, variant_cache *m) {
  if (m->variant == e->old->cases[i].variant)
    return;
  m->variant = e->old->cases[i].variant;
  m->same_times = e->old->study->reference != CST_REFERENCE_METHOD ||
                  same_times(e->old, m->variant, e->now, e->now->cases[k].variant);
}

static const cst_reuse *reuse_of(int collector) {
  static const cst_reuse none = {NULL};
  const cst_reuse       *reuse = cst_collectors[collector]->reuse;
  return reuse ? reuse : &none;
}

/* Why case i of the file must be recomputed as case k; NULL: it is taken over. */
static const char *refuse(const cst_extension *e, int i, int k, variant_cache *m) {
  const char *why = NULL;
  compare_times(e, i, k, m);
  if (!same_looks(class_of(e->old, i), class_of(e->now, k)))
    return "errors are read at other steps";
  for (int c = 0; c < cst_collector_count && !why; c++)
    if (reuse_of(c)->anew)
      why = reuse_of(c)->anew(e, i, k);
  return why || m->same_times ? why : "the reference is read at other times";
}

/* Whether case i of the file can go on to the end of case k; else there is one error for all cases, at the key
 * `end`. */
static bool reaches(cst_extension *e, const char *path, int i, int k, cst_diag *d) {
  const cst_study_word at = cst_study_place(e->now->study, "end");
  const cst_case      *c = &e->old->cases[i];
  char                 text[256];
  for (int j = 0; j < cst_collector_count; j++) {
    if (!reuse_of(j)->reaches || reuse_of(j)->reaches(e, i, k, text, sizeof text))
      continue;
    if (!e->end_refused)
      cst_diag_add(d, e->now->study->file, at.line, at.column, "%s, which ends at %.10g%s, %s",
                   path, (double)c->n * c->h_nominal,
                   cst_system_unit(e->now->study->system, "time"), text);
    e->end_refused = true;
    return false;
  }
  return true;
}

/* Why a class cannot be continued as another one; NULL: it can. Static text. */
static const char *refuse_later(const cst_plan *old, const cst_class *from, const cst_plan *now,
                                const cst_class *to) {
  static char text[256];
  const char *why = NULL;
  if (to->observe != from->observe) {
    snprintf(text, sizeof text,
             "a run of that length is observed at one step in %ld, not in %ld; with `observe: "
             "every` both "
             "are alike",
             to->observe, from->observe);
    return text;
  }
  for (int k = 0; k < cst_collector_count && !why; k++)
    if (reuse_of(k)->refuse)
      why = reuse_of(k)->refuse(old, from, now, to);
  return why;
}

/* Continues case i of the file as case k. */
static void go_on(cst_extension *e, const char *path, int i, int k, cst_diag *d) {
  const cst_case  *c = &e->old->cases[i];
  const cst_class *from = class_of(e->old, i);
  const cst_class *to = class_of(e->now, k);
  const int        first = e->from[to->cases[0]];
  const char      *why = NULL;
  if (reaches(e, path, i, k, d))
    why = refuse_later(e->old, from, e->now, to);
  if (!why && first >= 0 && e->old->cases[first].n != from->n)
    why = "it would share a batch with cases that ended at other steps";
  if (why)
    cst_diag_add(d, e->now->study->file, 0, 0,
                 "case %d of %s (%s, step %.10g) cannot be continued: %s", i, path,
                 label(e->old, c), c->h_nominal, why);
  e->from[k] = i;
}

static void match(cst_extension *e, const char *path, cst_diag *d) {
  const long    members = e->old->study->members;
  variant_cache m = {.variant = -1};
  for (int i = 0, k = -1; i < e->old->ncase; i++) {
    const cst_case *c = &e->old->cases[i];
    const int       found = find_case(e->old, i, e->now, k + 1);
    if (found < 0) {
      cst_diag_add(
          d, path, 0, 0,
          "its case %d (%s, step %.10g, %ld steps) is not in %s; a study that extends it must keep "
          "all it has",
          i, label(e->old, c), c->h_nominal, c->n, e->now->study->file);
      continue;
    }
    k = found;
    const char *why = e->continues ? NULL : refuse(e, i, k, &m);
    if (e->continues)
      go_on(e, path, i, k, d);
    else if (why) {
      e->anew += members;
      e->why = why;
    } else {
      e->from[k] = i;
      e->taken += members;
    }
  }
}

static void name_origin(cst_extension *e) {
  char *run = cst_result_text(e->file, "/run", "id");
  snprintf(e->origin, sizeof e->origin, "from an earlier end, of %s", run ? run : "");
  free(run);
}

void cst_extend_create(cst_extension *e, cst_result *file, const char *path, const cst_plan *old,
                       const cst_plan *now, cst_diag *d) {
  const int before = cst_diag_count(d);
  char      why[256];
  *e = (cst_extension){.file = file,
                       .old = old,
                       .now = now,
                       .channels = cst_channels_create(old, NULL),
                       .now_channels = cst_channels_create(now, NULL),
                       .from = cst_need(malloc(sizeof(int) * (size_t)(now->ncase + 1)))};
  for (int k = 0; k < now->ncase; k++)
    e->from[k] = -1;
  e->joined = cst_continue_joined(file, old, why, sizeof why);
  if (!e->joined)
    cst_diag_add(d, path, 0, 0, "%s", why);
  e->continues = cst_extend_compare(old->study, now->study, path, d);
  if (e->continues)
    name_origin(e);
  if (cst_diag_count(d) == before)
    match(e, path, d);
}

void cst_extend_destroy(cst_extension *e) {
  cst_channels_destroy(e->channels);
  cst_channels_destroy(e->now_channels);
  free(e->from);
  free(e->joined);
}

void cst_extend_mark(const cst_extension *e, cst_checkpoint *checkpoint) {
  if (e->continues)
    return;
  for (int k = 0; k < e->now->ncase; k++) {
    if (e->from[k] < 0)
      continue;
    unsigned char *lane = checkpoint->lane[e->now->class_of[k]] + cst_plan_lane(e->now, k, 0);
    memset(lane, CST_LANE_DONE, (size_t)e->old->study->members);
  }
}

double cst_extend_steps(const cst_extension *e, int class) {
  const cst_class *k = &e->now->classes[class];
  long             lanes = k->lanes;
  if (e->continues) {
    const cst_case *first = &e->old->cases[e->from[k->cases[0]]];
    return (double)lanes * (double)(k->n - first->n);
  }
  for (int i = 0; i < k->ncase; i++)
    if (e->from[k->cases[i]] >= 0)
      lanes -= e->old->study->members;
  return (double)lanes * (double)k->n;
}

/* ---- into the new file ----------------------------------------------------------------------- */

/* Members of case k of the study that were continued from an earlier end. */
static long joined(const cst_extension *e, int k) {
  if (e->continues)
    return e->now->study->members;
  return e->from[k] < 0 ? 0 : e->joined[e->from[k]];
}

long *cst_extend_joined(const cst_extension *e) {
  long *members = cst_zeros(e->now->ncase, sizeof *members);
  for (int k = 0; k < e->now->ncase; k++)
    members[k] = joined(e, k);
  return members;
}

void cst_extend_members(const cst_extension *e, int icase, long *first, long *count) {
  *first = 0;
  *count = e->old->study->members;
  if (e->division)
    cst_division_members(e->old, e->division, e->part, icase, first, count);
}

cst_error cst_extend_case(const cst_extension *e, cst_output *o, int icase) {
  long first, count;
  cst_extend_members(e, e->from[icase], &first, &count);
  if (count > 0)
    CST_TRY(cst_output_take_over(o, e->file, e->old, e->from[icase], icase, first, count));
  return 0;
}

void cst_extend_whole(cst_extension *e, cst_result *file, const cst_plan *p,
                      const cst_division *division, long part) {
  *e = (cst_extension){.file = file,
                       .old = p,
                       .now = p,
                       .channels = cst_channels_create(p, NULL),
                       .now_channels = cst_channels_create(p, NULL),
                       .from = cst_need(malloc(sizeof(int) * (size_t)(p->ncase + 1))),
                       .division = division,
                       .part = part};
  for (int k = 0; k < p->ncase; k++)
    e->from[k] = k;
}

cst_error cst_extend_rows(const cst_extension *e, cst_output *o) {
  int rank, ranks;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  for (int k = 0; k < e->now->ncase && rank == 0; k++)
    CST_TRY(cst_continue_join(o, k, joined(e, k)));
  for (int k = rank; k < e->now->ncase; k += ranks)
    if (e->continues)
      CST_TRY(cst_output_copies(o, e->file, e->old, e->from[k], k, 0, e->old->study->members));
    else if (e->from[k] >= 0)
      CST_TRY(cst_extend_case(e, o, k));
  return 0;
}

cst_error cst_extend_row(const cst_extension *e, const cst_output *o, int icase, long member,
                         double *row) {
  CST_TRY(cst_continue_read(e->file, e->channels, e->from[icase], cst_output_channels(o), icase,
                            member, row));
  return 0;
}

cst_error cst_extend_tallies(const cst_extension *e, cst_tallies *t) {
  for (int k = 0; k < cst_collector_count; k++)
    if (reuse_of(k)->add)
      CST_TRY(reuse_of(k)->add(e, t));
  return 0;
}
