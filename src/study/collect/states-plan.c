/* states-plan.c: finds, by name, the quantities that are stored along trajectories, and the one by which the
 * worst trajectories are chosen.
 *
 * A name is that of a quantity, for instance rotation-z, or of an observer, for instance momentum, which
 * stands for all its quantities.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "constella/document.h"
#include "core/diag.h"
#include "study/collect/states.h"

enum { NAMES = 64 };

/* False for observations that the user did not ask for, such as the displacement. */
static bool is_wanted(const cst_observation *x) { return x->wanted; }

/* The allowed names, as far as they are listed in messages. */
static int names_of(const cst_plan *p, const char **name) {
  int n = 0;
  for (int k = 0; k < p->nobservation; k++)
    for (int i = 0; is_wanted(&p->observation[k]) && i < p->observation[k].count && n < NAMES; i++)
      name[n++] = p->quantity[p->observation[k].first + i].name;
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

static bool is_stored(const cst_states_found *x, int quantity) {
  bool there = false;
  for (int i = 0; i < x->n; i++)
    there |= x->quantity[i] == quantity;
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

static void store(const cst_plan *p, cst_states_found *x, const cst_study_word *w, int quantity,
                  cst_diag *d) {
  const char *name = p->quantity[quantity].name;
  if (is_reserved(name))
    cst_diag_add(d, p->study->file, w->line, w->column,
                 "'%s' cannot be stored under that name, which is taken; choose another one", name);
  else if (is_stored(x, quantity))
    cst_diag_add(d, p->study->file, w->line, w->column, "'%s' is stored twice", name);
  else
    x->quantity[x->n++] = quantity;
}

/* All quantities with this name, or of the observer with this name, into found[nquantity]. */
static int find(const cst_plan *p, const char *text, int *found) {
  int n = 0;
  for (int k = 0; k < p->nobservation; k++) {
    const cst_observation *x = &p->observation[k];
    const bool             all = is_wanted(x) && !strcmp(text, x->name ? x->name : x->row->name);
    for (int i = 0; i < x->count; i++)
      if (all || (is_wanted(x) && !strcmp(text, p->quantity[x->first + i].name)))
        found[n++] = x->first + i;
  }
  return n;
}

static void find_worst(const cst_plan *p, cst_states_found *x, int *found, cst_diag *d) {
  const cst_study_word *w = &cst_states_wish_of(p->study)->worst_by;
  const bool            has_error = p->study->reference != CST_REFERENCE_NONE;
  int                   n;
  x->worst_by = -1;
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
    x->worst_by = found[0];
}

bool cst_states_has_expression(const cst_study *s, const char *name) {
  for (int i = 0; i < s->nobservable; i++)
    if (s->observable[i].node >= 0 && !strcmp(s->observable[i].name, name))
      return true;
  return false;
}

bool cst_states_is_error(const cst_study *s, const cst_study_word *w) {
  return s->reference != CST_REFERENCE_NONE && !strcmp(w->text, "error") &&
         !cst_states_has_expression(s, w->text);
}

/* The worst members are stepped once more, without a partner. */
static void check_error(const cst_plan *p, const cst_study_word *w, cst_diag *d) {
  const cst_study *s = p->study;
  if (s->reference == CST_REFERENCE_SELF && cst_states_wish_of(s)->worst_by.text)
    cst_diag_add(d, s->file, w->line, w->column,
                 "'store' has 'error', which members that are chosen at the end do not have with "
                 "`reference: self`; name the members, or take another reference");
  if (!s->error_q && !s->error_p)
    cst_diag_add(d, s->file, w->line, w->column,
                 "'store' has 'error', which is that of q and p, and 'error' leaves both out");
}

void *cst_states_settle(const cst_plan *p, cst_diag *d) {
  const cst_states_wish *w = cst_states_wish_of(p->study);
  int                   *found = cst_zeros(p->nquantity, sizeof *found);
  cst_states_found *x = cst_need(calloc(1, sizeof *x + sizeof *x->quantity * (size_t)p->nquantity));
  for (int i = 0; i < w->nstored; i++) {
    if (cst_states_is_error(p->study, &w->stored[i])) {
      x->error = true;
      check_error(p, &w->stored[i], d);
      continue;
    }
    const int n = find(p, w->stored[i].text, found);
    if (n == 0)
      refuse(p, &w->stored[i], "store", NULL, d);
    for (int k = 0; k < n; k++)
      store(p, x, &w->stored[i], found[k], d);
  }
  find_worst(p, x, found, d);
  free(found);
  return x;
}

const cst_states_found *cst_states_found_of(const cst_plan *p) {
  return p->settled[CST_COLLECTOR(states)];
}

long cst_states_numbers(const cst_plan *p) {
  const cst_states_wish *w = cst_states_wish_of(p->study);
  return (w->q + w->p + w->v) * (long)p->study->system->nq +
         w->lambda * (long)p->study->system->ng + cst_states_found_of(p)->n +
         cst_states_found_of(p)->error;
}

/* Buffer size: large enough that writes of a few thousand tracks are kilobytes long. */
enum { TRACK_BYTES = 16 << 20 };

long cst_states_depth(const cst_plan *p, const cst_class *k, long tracks) {
  const long all = k->n / cst_states_wish_of(p->study)->every + 1;
  const long numbers = cst_states_numbers(p);
  const long fits = TRACK_BYTES / (long)sizeof(double) / (tracks * (numbers > 0 ? numbers : 1));
  if (fits < 1)
    return 1;
  return fits < all ? fits : all;
}

double cst_states_bytes(const cst_plan *p, long batch) {
  double most = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    const long       chosen = (long)k->ncase * cst_states_wish_of(p->study)->n;
    const long       tracks = chosen < batch ? chosen : batch;
    const double bytes = tracks ? 8.0 * (double)tracks * (double)cst_states_depth(p, k, tracks) *
                                      (double)cst_states_numbers(p)
                                : 0;
    most = bytes > most ? bytes : most;
  }
  return most;
}

int cst_states_find(const cst_plan *p, const cst_chosen *c, long icase, long member) {
  const int   n = cst_states_wish_of(p->study)->n;
  const long *list;
  if (c->member)
    list = c->member + icase * n;
  else
    list = cst_states_wish_of(p->study)->member;
  for (int i = 0; list && i < n; i++)
    if (list[i] == member)
      return i;
  return -1;
}

/* Steps, and nanoseconds, that the worst members take once more after the run. */
static double replay_steps(const cst_plan *p) {
  double sum = 0;
  if (!cst_states_wish_of(p->study)->worst_by.text)
    return sum;
  for (int i = 0; i < p->ncase; i++)
    sum += (double)p->cases[i].n * (double)cst_states_wish_of(p->study)->n;
  return sum;
}

static double replay_time(const cst_plan *p) {
  const double width = cst_isas[p->isa].width;
  const double lanes = ceil((double)cst_states_wish_of(p->study)->n / width) * width;
  double       sum = 0;
  if (!cst_states_wish_of(p->study)->worst_by.text)
    return sum;
  for (int i = 0; i < p->ncase; i++) {
    const double cost = p->classes[p->class_of[i]].cost;
    sum += lanes * (double)p->cases[i].n * cost;
  }
  return sum;
}

void cst_states_tell(const cst_plan *p, FILE *out) {
  const cst_states_wish *w = cst_states_wish_of(p->study);
  if (!w->n)
    return;
  fprintf(out, "%-14s %d per case, every %ld steps, %ld numbers per state\n", "trajectories", w->n,
          w->every, cst_states_numbers(p));
  if (!w->worst_by.text)
    return;
  fprintf(out,
          "%-14s the worst by %s, which are stepped once more when all has run: %.6g steps, about "
          "%.3g s "
          "besides\n",
          "", w->worst_by.text, replay_steps(p), replay_time(p) * 1e-9);
}
