/* plan-tracks.c: finds, by name, the quantities that are stored along trajectories, and the one by which the
 * worst trajectories are chosen.
 *
 * A name is that of a quantity, for instance rotation-z, or of an observer, for instance momentum, which
 * stands for all its quantities.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "constella/document.h"
#include "core/diag.h"
#include "study/plan/plan.h"

enum { NAMES = 64 };

/* False for observations that the user did not ask for, such as the displacement. */
static bool is_wanted(const cst_observation *x) { return x->wanted; }

/* The allowed names, as far as they are listed in messages. */
static int names_of(const cst_plan *p, const char **name) {
  int n = 0;
  for (int k = 0; k < p->nlook; k++)
    for (int i = 0; is_wanted(&p->look[k]) && i < p->look[k].count && n < NAMES; i++)
      name[n++] = p->quantity[p->look[k].first + i].name;
  return n;
}

static void refuse(const cst_plan *p, const cst_study_word *w, const char *key, const char *more,
                   cst_diag *d) {
  const char *name[NAMES + 1];
  int         n = names_of(p, name);
  if (more)
    name[n++] = more;
  const char *near = cst_diag_nearest(w->text, name, n);
  cst_diag_add(d, p->study->file, w->line, w->column,
               "'%s' has '%s', which this study does not observe; allowed: %s%s%s%s%s", key,
               w->text, !strcmp(key, "store") ? "q, p, v, lambda, " : "", cst_diag_join(name, n),
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_stored(const cst_plan *p, int quantity) {
  bool there = false;
  for (int i = 0; i < p->nstored; i++)
    there |= p->stored[i] == quantity;
  return there;
}

/* Names of the datasets in the same group. */
static bool is_reserved(const char *name) {
  static const char *const taken[] = {"t", "q", "p", "v", "lambda", "member"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(name, taken[i]))
      return true;
  return false;
}

static void store(cst_plan *p, const cst_study_word *w, int quantity, cst_diag *d) {
  const char *name = p->quantity[quantity].name;
  if (is_reserved(name))
    cst_diag_add(d, p->study->file, w->line, w->column,
                 "'%s' cannot be stored under that name, which is taken; choose another one", name);
  else if (is_stored(p, quantity))
    cst_diag_add(d, p->study->file, w->line, w->column, "'%s' is stored twice", name);
  else
    p->stored[p->nstored++] = quantity;
}

/* All quantities with this name, or of the observer with this name, into found[nquantity]. */
static int find(const cst_plan *p, const char *text, int *found) {
  int n = 0;
  for (int k = 0; k < p->nlook; k++) {
    const cst_observation *x = &p->look[k];
    const bool             all = is_wanted(x) && !strcmp(text, x->name ? x->name : x->row->name);
    for (int i = 0; i < x->count; i++)
      if (all || (is_wanted(x) && !strcmp(text, p->quantity[x->first + i].name)))
        found[n++] = x->first + i;
  }
  return n;
}

static void find_worst(cst_plan *p, int *found, cst_diag *d) {
  const cst_study_word *w = &p->study->worst_by;
  const bool            has_error = p->study->reference != CST_REFERENCE_NONE;
  int                   n;
  p->worst_by = -1;
  if (!w->text)
    return;
  if (has_error && !strcmp(w->text, "error"))
    return;
  n = find(p, w->text, found);
  for (int i = 0; i < n; i++)
    if (!strcmp(w->text, p->quantity[found[i]].name)) {
      found[0] = found[i];
      n = 1;
    } /* the observer has the name of one of its quantities */
  if (n == 0)
    refuse(p, w, "by", has_error ? "error" : NULL, d);
  else if (n > 1)
    cst_diag_add(d, p->study->file, w->line, w->column,
                 "'by' has '%s', which is %d quantities; name one of them, '%s' for instance",
                 w->text, n, p->quantity[found[0]].name);
  else
    p->worst_by = found[0];
}

void cst_plan_find_stored(cst_plan *p, cst_diag *d) {
  const cst_study *s = p->study;
  int             *found = cst_zeros(p->nquantity, sizeof *found);
  p->stored = cst_zeros(p->nquantity, sizeof *p->stored);
  for (int i = 0; i < s->nstored; i++) {
    const int n = find(p, s->stored[i].text, found);
    if (n == 0)
      refuse(p, &s->stored[i], "store", NULL, d);
    for (int k = 0; k < n; k++)
      store(p, &s->stored[i], found[k], d);
  }
  find_worst(p, found, d);
  free(found);
}

long cst_plan_track_numbers(const cst_plan *p) {
  const cst_study *s = p->study;
  return (s->store_q + s->store_p + s->store_v) * (long)s->system->nq +
         s->store_lambda * (long)s->system->ng + p->nstored;
}

/* Buffer size: large enough that writes of a few thousand tracks are kilobytes long. */
enum { TRACK_BYTES = 16 << 20 };

long cst_plan_track_depth(const cst_plan *p, const cst_class *k, long tracks) {
  const long all = k->n / p->study->trajectory_every + 1;
  const long numbers = cst_plan_track_numbers(p);
  const long fits = TRACK_BYTES / (long)sizeof(double) / (tracks * (numbers > 0 ? numbers : 1));
  if (fits < 1)
    return 1;
  return fits < all ? fits : all;
}

double cst_plan_track_bytes(const cst_plan *p, long batch) {
  double most = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    const long       chosen = (long)k->ncase * p->study->ntrajectory;
    const long       tracks = chosen < batch ? chosen : batch;
    const double     bytes = tracks
                                 ? 8.0 * (double)tracks * (double)cst_plan_track_depth(p, k, tracks) *
                                   (double)cst_plan_track_numbers(p)
                                 : 0;
    most = bytes > most ? bytes : most;
  }
  return most;
}

int cst_plan_chosen_find(const cst_plan *p, const cst_chosen *c, long icase, long member) {
  const int   n = p->study->ntrajectory;
  const long *list;
  if (c->member)
    list = c->member + icase * n;
  else
    list = p->study->trajectory;
  for (int i = 0; list && i < n; i++)
    if (list[i] == member)
      return i;
  return -1;
}
