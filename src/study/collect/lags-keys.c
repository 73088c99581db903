/* lags-keys.c: the keys `autocorrelation` and `mean-square-displacement`, and what they are in the plan (lags.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/lags.h"
#include "study/plan/clock.h"

enum { LEAST_LAGS = 2, MOST_LAGS = 4096, MOST_NUMBERS = 1 << 18 };

/* ---- the study file -------------------------------------------------------------------------- */

static void check_name(const cst_lag_kind *kind, cst_reader *r, cst_yaml *n, const cst_lags *w,
                       const char *name) {
  if (!cst_reader_name(r, n, kind->what, name))
    return;
  for (int i = 0; i < w->n; i++)
    if (!strcmp(w->each[i].name, name))
      cst_yaml_error(r->doc, n, r->d, "the name '%s' appears twice in '%s'", name, kind->name);
}

/* Samples for all lags, and for each part of the run. */
static void check_samples(cst_reader *r, cst_yaml *n, const cst_lag *x) {
  const long samples = cst_sampled_most(r->s, x->every);
  const long least = x->lags + CST_LAGS_PARTS + 1;
  if (samples && samples < least)
    cst_yaml_error(r->doc, n, r->d,
                   "'every' is %s, which gives %ld samples in a run; with %ld lags it takes at "
                   "least %ld",
                   cst_reader_shortest(x->every), samples, x->lags, least);
}

static void check_numbers(cst_reader *r, cst_yaml *n, const cst_lag *x) {
  const double numbers = (double)x->lags * (double)x->expressions.n;
  if (numbers > MOST_NUMBERS)
    cst_yaml_error(
        r->doc, n, r->d,
        "%ld lags of %d expressions are %.0f numbers to keep of a trajectory; at most %d "
        "are allowed",
        x->lags, x->expressions.n, numbers, MOST_NUMBERS);
}

static void read_one(const cst_lag_kind *kind, cst_reader *r, cst_yaml *n, cst_lags *w) {
  char what[80];
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(r->doc, n, r->d,
                   "%s is a map {name: ..., expression: ..., every: ..., lags: ...}", kind->what);
    return;
  }
  cst_reader_keys(r, n, kind->name, kind->name, CST_KEYS_ALL);
  cst_yaml   *name = cst_reader_required(r, n, kind->name, "name");
  const char *text = cst_reader_text(r, name, "name", "a name");
  if (text)
    check_name(kind, r, name, w, text);
  cst_lag *x = &w->each[w->n++];
  *x = (cst_lag){.name = strdup(text ? text : ""), .every = 1, .lags = LEAST_LAGS};
  snprintf(what, sizeof what, "%s '%.32s'", kind->name, x->name);
  const bool lags = cst_reader_integer(r, cst_reader_required(r, n, kind->name, "lags"), "lags",
                                       LEAST_LAGS, MOST_LAGS, &x->lags);
  if (cst_reader_expressions(r, n, kind->name, what, &x->expressions))
    check_numbers(r, n, x);
  if (!kind->displaces)
    cst_reader_number(r, cst_yaml_get(n, "mean"), "mean", &x->mean);
  if (cst_sampled_read(r, n, kind->name, &x->every) && lags)
    check_samples(r, cst_yaml_get(n, "every"), x);
}

void cst_lags_read(const cst_lag_kind *kind, cst_reader *r, cst_lags *w) {
  cst_yaml *n = cst_yaml_get(r->root, kind->name);
  if (!cst_reader_list(r, n, kind->name, "maps {name: ..., expression: ..., every: ..., lags: ...}",
                       false))
    return;
  const int count = cst_yaml_size(n);
  if (count > CST_LAGS_MOST) {
    cst_yaml_error(r->doc, n, r->d, "'%s' has %d entries; at most %d are allowed", kind->name,
                   count, CST_LAGS_MOST);
    return;
  }
  w->each = cst_zeros(count, sizeof *w->each);
  for (int i = 0; i < count; i++)
    read_one(kind, r, cst_yaml_item(n, i), w);
}

void cst_lags_forget(void *wish) {
  cst_lags *w = wish;
  for (int i = 0; i < w->n; i++) {
    free(w->each[i].name);
    cst_reader_forget(&w->each[i].expressions);
  }
  free(w->each);
}

void cst_lags_as_in(const cst_lag_kind *kind, cst_lags *w, cst_result *file) {
  for (int i = 0; i < w->n; i++) {
    char group[48], name[48];
    snprintf(group, sizeof group, "/%s", kind->name);
    snprintf(name, sizeof name, "%s_pairs", w->each[i].name);
    w->each[i].equal = !cst_result_finds(file, group, name);
  }
}

/* ---- the plan -------------------------------------------------------------------------------- */

long cst_lags_first(const cst_lag *x, const cst_class *k) {
  const long steps = cst_sampled_steps(k, x->every);
  return (k->after + steps - 1) / steps;
}

long cst_lags_pairs(const cst_lag *x, const cst_class *k) {
  const long n = cst_sampled_count(k, x->every) - cst_lags_first(x, k) - x->lags;
  return x->equal ? n - n % CST_LAGS_PARTS : n;
}

cst_demand cst_lags_demand(const cst_lag_kind *kind, const cst_plan *p) {
  static const double of_pair = 0.7;
  const cst_lags     *w = cst_lags_of(kind, p);
  cst_demand          all = {0};
  for (int k = 0; k < w->n && p->nclass; k++) {
    const cst_lag *x = &w->each[k];
    const cst_class *class = &p->classes[0];
    const double samples = (double)cst_sampled_count(class, x->every);
    cst_demand   one = {0};
    cst_values_demand(p, &x->expressions, &one);
    all.lambda |= one.lambda;
    all.nanoseconds += (one.nanoseconds + of_pair * (double)x->lags * x->expressions.n) * samples /
                       (double)(class->n / class->observe + 1);
    all.concludes += 2 * CST_LAGS_PARTS;
  }
  return all;
}

long cst_lags_numbers(const cst_lag *x) {
  const long samples = (x->lags + 1) * x->expressions.n;
  return samples + (x->lags + 1) + CST_LAGS_SUMS * (x->lags + 2);
}

void cst_lags_tell(const cst_lag_kind *kind, const cst_plan *p, FILE *out) {
  const cst_lags *w = cst_lags_of(kind, p);
  const char     *unit = cst_system_unit(p->study->system, "time");
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = &w->each[k];
    fprintf(out, "%-14s %s: %s, %d value%s, until %g%s after every %g%s (%.3g kB per trajectory)\n",
            k                 ? ""
            : kind->displaces ? "displacement"
                              : "correlation",
            x->name, x->expressions.text, x->expressions.n, x->expressions.n > 1 ? "s" : "",
            x->every * (double)x->lags, unit, x->every, unit, 8e-3 * (double)cst_lags_numbers(x));
  }
}

static int sums_axis(cst_channels *c, const cst_lag *x) {
  return cst_channels_axis(c, "lags and the figure: sums of y, of y^2 and of y y_0",
                           CST_LAGS_SUMS * (x->lags + 2), "%.32s_sum", x->name);
}

void cst_lags_declare(const cst_lag_kind *kind, const cst_plan *p, cst_channels *c) {
  const cst_lags *w = cst_lags_of(kind, p);
  const int       n = w->n;
  if (!n)
    return;
  const int part = cst_channels_axis(c, "part of the run", CST_LAGS_PARTS, "run_part");
  const int pair = cst_channels_axis(c, "number of a part", 2, "part_number");
  const int word = cst_channels_axis(c, "word of an exact sum", CST_SUM_WORDS, "sum_word");
  for (int i = 0; i < CST_LAGS_CHANNELS; i++)
    for (int k = 0; k < n && kind->row[i]; k++) {
      const cst_lag  *x = &w->each[k];
      cst_channel_use use = {.name = x->name};
      if (i == CST_LAGS_PAIRS && x->equal)
        continue;
      if (i == CST_LAGS_KEPT)
        use = (cst_channel_use){.count = (size_t)cst_lags_numbers(x)};
      else if (i == CST_LAGS_OF_PARTS)
        use.axis = part, use.also = pair;
      else if (i == CST_LAGS_CELLS)
        use.axis = sums_axis(c, x), use.also = word;
      else if (i != CST_LAGS_PAIRS)
        use.axis = cst_channels_axis(c, "lag", x->lags + 1, "%.32s_lag", x->name);
      cst_channels_add(c, kind->row[i], k, use);
    }
}

cst_error cst_lags_open(const cst_lag_kind *kind, const cst_plan *p, cst_output *o) {
  const cst_lags *w = cst_lags_of(kind, p);
  for (int k = 0; k < w->n; k++) {
    const cst_lag *x = &w->each[k];
    double        *t = cst_zeros(x->lags + 1, sizeof *t);
    for (int i = 0; i < p->ncase; i++) {
      const cst_class *class = &p->classes[p->class_of[i]];
      for (long j = 0; j <= x->lags; j++)
        t[j] = cst_clock_at(class, (double)j * (double)cst_sampled_steps(class, x->every));
      CST_TRY(cst_output_case(o, kind->row[CST_LAGS_TIME], k, i, t));
      const long pairs = cst_lags_pairs(x, class);
      if (!x->equal)
        CST_TRY(cst_output_case(o, kind->row[CST_LAGS_PAIRS], k, i, &pairs));
    }
    free(t);
  }
  return 0;
}
