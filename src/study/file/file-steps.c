/* file-steps.c: the keys `end` and `steps`: decreasing steps, each of which divides the end.
 *
 * The three forms (a list, {from:, halvings:}, {counts:}) become one list of steps, each with its YAML node.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "study/file/reader.h"

enum { MAX_HALVINGS = 60 };
static const double most_steps = 1e15;

typedef struct {
  cst_yaml *node; /* where to report errors */
  bool      known;
  double   *h; /* [nvariant] */
} step;

static bool read_end(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_reader_required(r, r->root, "", "end");
  s->end = cst_reader_memory((size_t)s->nvariant, sizeof(double));
  if (!cst_reader_numbers(r, n, "end", s->end))
    return false;
  for (int v = 0; v < s->nvariant; v++)
    if (s->end[v] <= 0) {
      cst_yaml_error(r->doc, n, r->d, "'end' is %s%s; it must be positive",
                     cst_reader_shortest(s->end[v]), cst_reader_with(r, v));
      return false;
    }
  return true;
}

static step *make(const cst_reader *r, int n) {
  step *list = cst_reader_memory((size_t)n, sizeof *list);
  for (int i = 0; i < n; i++)
    list[i].h = cst_reader_memory((size_t)r->s->nvariant, sizeof(double));
  return list;
}

static step *from_list(cst_reader *r, cst_yaml *n, int *count) {
  if (!cst_reader_list(r, n, "steps", "numbers (or {from: ..., halvings: ...} or {counts: [...]})",
                       false))
    return NULL;
  step *list = make(r, *count = cst_yaml_size(n));
  for (int i = 0; i < *count; i++) {
    list[i].node = cst_yaml_item(n, i);
    list[i].known = cst_reader_numbers(r, list[i].node, "steps", list[i].h);
  }
  return list;
}

static step *from_halvings(cst_reader *r, cst_yaml *n, int *count) {
  long      halvings;
  cst_yaml *from = cst_reader_required(r, n, "steps", "from");
  if (!cst_reader_integer(r, cst_reader_required(r, n, "steps", "halvings"), "halvings", 0,
                          MAX_HALVINGS, &halvings))
    halvings = 0;
  step *list = make(r, *count = (int)halvings + 1);
  for (int i = 0; i < *count; i++) {
    list[i].node = from;
    if (i == 0)
      list[i].known = cst_reader_numbers(r, from, "from", list[i].h);
    else
      list[i].known = list[0].known;
    for (int v = 0; v < r->s->nvariant; v++)
      list[i].h[v] = ldexp(list[0].h[v], -i);
  }
  return list;
}

static step *from_counts(cst_reader *r, cst_yaml *n, int *count) {
  cst_yaml *counts = cst_yaml_get(n, "counts");
  if (!cst_reader_list(r, counts, "counts", "numbers of steps", false))
    return NULL;
  step *list = make(r, *count = cst_yaml_size(counts));
  for (int i = 0; i < *count; i++) {
    long steps;
    list[i].node = cst_yaml_item(counts, i);
    list[i].known = cst_reader_integer(r, list[i].node, "counts", 1, (long)most_steps, &steps);
    for (int v = 0; v < r->s->nvariant && list[i].known; v++)
      list[i].h[v] = r->s->end[v] / (double)steps;
  }
  return list;
}

static step *read_list(cst_reader *r, cst_yaml *n, int *count) {
  if (!n || !cst_yaml_is_map(n))
    return from_list(r, n, count);
  bool halvings = cst_yaml_get(n, "counts") == NULL;
  cst_reader_keys(r, n, "steps", "steps", halvings ? CST_STEPS_HALVED : CST_STEPS_COUNTED);
  return halvings ? from_halvings(r, n, count) : from_counts(r, n, count);
}

/* The step nearest to h that divides the end. */
static double nearest(double end, double h) {
  double below = fmax(1, floor(end / h));
  double above = below + 1;
  return fabs(end / below - h) <= fabs(end / above - h) ? end / below : end / above;
}

/* True if the step h is invalid; why: the reason. */
static bool is_wrong(double h, double end, const char *unit, char *why, size_t size) {
  double n = round(end / h);
  if (h <= 0)
    snprintf(why, size, "it must be positive");
  else if (h > end * (1 + 1e-9))
    snprintf(why, size, "it is larger than the end %s%s", cst_reader_shortest(end), unit);
  else if (!(n <= most_steps))
    snprintf(why, size, "it needs %.3g steps to the end %s%s; at most 1e15 are allowed", end / h,
             cst_reader_shortest(end), unit);
  else if (fabs(n * h - end) > 1e-9 * end)
    snprintf(
        why, size,
        "it does not divide the end %s%s: %.0f steps reach %.15g%s; the nearest step that does is "
        "%s%s",
        cst_reader_shortest(end), unit, n, n * h, unit, cst_reader_shortest(nearest(end, h)), unit);
  else
    return false;
  return true;
}

static bool check_one(cst_reader *r, const step *x, int v) {
  char        why[320];
  const char *unit = r->s->system ? cst_system_unit(r->s->system, "time") : "";
  if (!is_wrong(x->h[v], r->s->end[v], unit, why, sizeof why))
    return true;
  cst_yaml_error(r->doc, x->node, r->d, "the step is %s%s%s; %s", cst_reader_shortest(x->h[v]),
                 unit, cst_reader_with(r, v), why);
  return false;
}

/* Reports each step at most once, for the first parameter set with which it is invalid. */
static void check_each(cst_reader *r, step *list, int count) {
  for (int i = 0; i < count && !cst_diag_full(r->d); i++)
    for (int v = 0; v < r->s->nvariant && list[i].known; v++)
      list[i].known = check_one(r, list + i, v);
}

static void check_pair(cst_reader *r, const step *a, const step *b) {
  if (!a->known || !b->known)
    return;
  for (int v = 0; v < r->s->nvariant; v++) {
    double na = round(r->s->end[v] / a->h[v]);
    double nb = round(r->s->end[v] / b->h[v]);
    if (nb > na)
      continue;
    const char *with = cst_reader_with(r, v);
    if (nb == na)
      cst_yaml_error(r->doc, b->node, r->d, "the step %s appears twice%s",
                     cst_reader_shortest(b->h[v]), with);
    else
      cst_yaml_error(r->doc, b->node, r->d, "the step %s comes after %s%s; steps must decrease",
                     cst_reader_shortest(b->h[v]), cst_reader_shortest(a->h[v]), with);
    return;
  }
}

/* With `over: coarse` errors are read at the points of the largest step, so every mesh must contain them. */
static void check_nested(cst_reader *r, const step *list, int count) {
  for (int i = 1; i < count && list[0].known && !cst_diag_full(r->d); i++)
    for (int v = 0; v < r->s->nvariant && list[i].known; v++) {
      double coarse = round(r->s->end[v] / list[0].h[v]);
      double fine = round(r->s->end[v] / list[i].h[v]);
      if (fmod(fine, coarse) == 0)
        continue;
      cst_yaml_error(r->doc, list[i].node, r->d,
                     "'over: coarse' needs steps that divide the largest, %s; %s does not%s (%.0f "
                     "steps against %.0f)",
                     cst_reader_shortest(list[0].h[v]), cst_reader_shortest(list[i].h[v]),
                     cst_reader_with(r, v), fine, coarse);
      break;
    }
}

static void store(cst_study *s, const step *list, int count) {
  s->nstep = count;
  s->step = cst_reader_memory((size_t)s->nvariant * (size_t)count, sizeof(double));
  for (int v = 0; v < s->nvariant; v++)
    for (int i = 0; i < count; i++)
      s->step[v * count + i] = list[i].h[v];
}

void cst_file_steps(cst_reader *r) {
  int   count = 0;
  bool  end = read_end(r);
  step *list = read_list(r, cst_reader_required(r, r->root, "", "steps"), &count);
  if (end) {
    check_each(r, list, count);
    for (int i = 1; i < count && !cst_diag_full(r->d); i++)
      check_pair(r, list + i - 1, list + i);
    if (r->s->over == CST_OVER_COARSE)
      check_nested(r, list, count);
  }
  store(r->s, list, count);
  for (int i = 0; i < count; i++)
    free(list[i].h);
  free(list);
}
