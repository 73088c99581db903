/* extend.c: finds the trajectories of a larger study in a finished result and copies them into its file (see
 * extend.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/run/extend.h"
#include "study/run/extend-studies.h"
#include "study/result/longer.h"

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

/* Reads the samples of one quantity of a case from the file. */
static bool read_samples(const cst_extension *e, const cst_channel_row *row, int quantity,
                         int icase, long samples, void *x) {
  const cst_channel *c = cst_channels_find(e->channels, row, quantity);
  const long         start[3] = {icase, 0, 0};
  const long         count[3] = {1, samples, CST_SUM_WORDS};
  return c && cst_result_read_block(e->file, c->field.path, c->field.type, start, count, x);
}

static bool has_sums(const cst_extension *e) {
  cst_sum sum;
  return read_samples(e, &cst_channel_series_sum, 0, 0, 1, sum.word);
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

/* Why case i of the file must be recomputed as case k; NULL: it is taken over. */
static const char *refuse(const cst_extension *e, int i, int k, variant_cache *m) {
  const bool series = e->now->most_samples > 0 && e->now->study->members > 1;
  compare_times(e, i, k, m);
  if (!same_looks(class_of(e->old, i), class_of(e->now, k)))
    return "errors are read at other steps";
  if (e->now->study->nhistogram && e->old->blocks != e->now->blocks)
    return "with this number of members histograms are counted in other blocks";
  if (!m->same_times)
    return "the reference is read at other times";
  return series && !has_sums(e) ? "the file has no sums of its series" : NULL;
}

/* One error for all cases, at the key `end`: the ends to which a run with windows can go on. */
static void refuse_end(cst_extension *e, const char *path, const cst_case *c, const cst_case *now,
                       cst_diag *d) {
  const cst_study_word at = cst_study_place(e->now->study, "end");
  const double         old = (double)c->n * c->h_nominal;
  const double         wanted = (double)now->n * now->h_nominal;
  double               below = old, above = 2 * old;
  char                 nearest[64];
  if (e->end_refused)
    return;
  e->end_refused = true;
  while (above < wanted && above < CST_WINDOWS * old) {
    below = above;
    above *= 2;
  }
  if (below > old)
    snprintf(nearest, sizeof nearest, "%.10g and %.10g", below, above);
  else
    snprintf(nearest, sizeof nearest, "%.10g", above);
  cst_diag_add(
      d, e->now->study->file, at.line, at.column,
      "%s, which ends at %.10g, can go on to %.10g, %.10g, %.10g .. %.10g, because its old "
      "windows have to fill new ones; the nearest to %.10g: %s",
      path, old, 2 * old, 4 * old, 8 * old, CST_WINDOWS * old, wanted, nearest);
}

/* Continues case i of the file as case k. */
static void go_on(cst_extension *e, const char *path, int i, int k, cst_diag *d) {
  const cst_case  *c = &e->old->cases[i];
  const cst_class *from = class_of(e->old, i);
  const cst_class *to = class_of(e->now, k);
  const bool       fills = cst_longer_fills(e->now, from, to);
  const char      *why = fills ? cst_longer_refuse(e->old, from, e->now, to) : NULL;
  const int        first = e->from[to->cases[0]];
  if (!fills)
    refuse_end(e, path, c, &e->now->cases[k], d);
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
    const char *why = e->longer ? NULL : refuse(e, i, k, &m);
    if (e->longer)
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
  e->joined = cst_output_joined(file, old, why, sizeof why);
  if (!e->joined)
    cst_diag_add(d, path, 0, 0, "%s", why);
  e->longer = cst_extend_compare(old->study, now->study, path, d);
  if (e->longer)
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

void cst_extend_mark(const cst_extension *e, cst_past *past) {
  if (e->longer)
    return;
  for (int k = 0; k < e->now->ncase; k++) {
    if (e->from[k] < 0)
      continue;
    unsigned char *lane = past->lane[e->now->class_of[k]] + cst_plan_lane(e->now, k, 0);
    memset(lane, CST_LANE_DONE, (size_t)e->old->study->members);
  }
}

double cst_extend_steps(const cst_extension *e, int cohort) {
  const cst_class *k = &e->now->classes[cohort];
  long             lanes = k->lanes;
  if (e->longer) {
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
  if (e->longer)
    return e->now->study->members;
  return e->from[k] < 0 ? 0 : e->joined[e->from[k]];
}

void cst_extend_members(const cst_extension *e, int icase, long *first, long *count) {
  *first = 0;
  *count = e->old->study->members;
  if (e->division)
    cst_division_members(e->old, e->division, e->part, icase, first, count);
}

PetscErrorCode cst_extend_case(const cst_extension *e, cst_output *o, int icase) {
  long first, count;
  PetscFunctionBegin;
  cst_extend_members(e, e->from[icase], &first, &count);
  if (count > 0)
    PetscCall(cst_output_take_over(o, e->file, e->old, e->from[icase], icase, first, count));
  PetscFunctionReturn(0);
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

PetscErrorCode cst_extend_rows(const cst_extension *e, cst_output *o) {
  PetscMPIInt rank, ranks;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int k = 0; k < e->now->ncase && rank == 0; k++)
    PetscCall(cst_output_join(o, k, joined(e, k)));
  for (int k = rank; k < e->now->ncase; k += ranks)
    if (e->longer)
      PetscCall(cst_output_go_on(o, e->file, e->old, e->from[k], k));
    else if (e->from[k] >= 0)
      PetscCall(cst_extend_case(e, o, k));
  PetscFunctionReturn(0);
}

PetscErrorCode cst_extend_row(const cst_extension *e, const cst_output *o, int icase, long member,
                              double *row) {
  PetscFunctionBegin;
  PetscCall(cst_output_continued(o, e->file, e->channels, e->from[icase], icase, member, row));
  PetscFunctionReturn(0);
}

/* Reads one quantity of a case at every sample of the file. */
static bool read_series(const cst_extension *e, int quantity, int icase, cst_sum *sum, double *top,
                        long *number) {
  const long n = e->old->most_samples;
  return read_samples(e, &cst_channel_series_sum, quantity, icase, n, sum->word) &&
         read_samples(e, &cst_channel_series_max, quantity, icase, n, top) &&
         read_samples(e, &cst_channel_series_count, quantity, icase, n, number);
}

/* Index in the new series of a sample of the file; -1: none. */
static int there(const cst_extension *e, int icase, int sample) {
  if (!e->longer)
    return sample;
  return cst_longer_sample(class_of(e->old, e->from[icase]), class_of(e->now, icase), sample);
}

static PetscErrorCode extend_one(const cst_extension *e, cst_series *s, int icase, int quantity,
                                 cst_sum *sum, double *top, long *number) {
  const int from = e->from[icase];
  PetscFunctionBegin;
  PetscCheck(read_series(e, quantity, from, sum, top, number), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "the series %s of the file cannot be read", e->old->quantity[quantity].name);
  for (int i = 0; i < class_of(e->old, from)->nsample; i++) {
    const int    at = there(e, icase, i);
    const double most = number[i] > 0 ? top[i] : 0;
    if (at >= 0)
      cst_series_merge(s, icase, at, quantity, &sum[i], most, (double)number[i]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode cst_extend_series(const cst_extension *e, cst_series *s) {
  const int samples = e->old->most_samples;
  cst_sum  *sum;
  double   *top;
  long     *number;
  PetscFunctionBegin;
  if (!e->now->most_samples || e->now->study->members == 1)
    PetscFunctionReturn(0);
  PetscCall(PetscMalloc3(samples, &sum, samples, &top, samples, &number));
  for (int k = 0; k < e->now->ncase; k++) {
    if (e->from[k] < 0)
      continue;
    for (int q = 0; q < e->now->nquantity; q++)
      PetscCall(extend_one(e, s, k, q, sum, top, number));
  }
  PetscCall(PetscFree3(sum, top, number));
  PetscFunctionReturn(0);
}
