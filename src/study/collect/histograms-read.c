/* file-histograms.c: the keys `burn-in`, `averages` and `histograms`, and whether time averages are taken. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "observe/observer.h"
#include "study/file/reader.h"

enum { MOST_BINS = 10000, MOST_HISTOGRAMS = 64, MOST_WEIGHED = 128 };

/* ---- the bins -------------------------------------------------------------------------------- */

/* The edges of equal bins; false if double precision cannot tell them apart. */
static bool make_edges(cst_histogram *h, long bins, double from, double to) {
  const double width = (to - from) / (double)bins;
  h->edge = cst_reader_memory((size_t)bins + 1, sizeof *h->edge);
  for (long k = 0; k < bins; k++)
    h->edge[k] = from + (double)k * width;
  h->edge[bins] = to;
  for (long k = 0; k < bins; k++)
    if (!(h->edge[k] < h->edge[k + 1]) || !isfinite(h->edge[k + 1]))
      return false;
  return true;
}

static void read_bins(cst_reader *r, cst_yaml *n, cst_histogram *h) {
  cst_yaml *low = cst_reader_required(r, n, "histograms", "from");
  cst_yaml *high = cst_reader_required(r, n, "histograms", "to");
  cst_yaml *count = cst_reader_required(r, n, "histograms", "bins");
  double    from, to;
  long      bins;
  bool      good = cst_reader_number(r, low, "from", &from);
  good &= cst_reader_number(r, high, "to", &to);
  if (good && !(from < to)) {
    cst_yaml_error(r->doc, high, r->d, "'to' is %s; it must be above 'from', which is %s",
                   cst_reader_shortest(to), cst_reader_shortest(from));
    good = false;
  }
  if (!cst_reader_integer(r, count, "bins", 1, MOST_BINS, &bins) || !good)
    return;
  if (!make_edges(h, bins, from, to))
    cst_yaml_error(
        r->doc, count, r->d,
        "the width of %ld bins from %s to %s is too small or too large for double precision", bins,
        cst_reader_shortest(from), cst_reader_shortest(to));
  h->bins = (int)bins;
}

static bool read_weight(cst_reader *r, cst_yaml *n) {
  static const char *const names[] = {"none", "fixman"};
  cst_yaml                *weight = cst_yaml_get(n, "weight");
  int                      which = 0;
  cst_reader_choice(r, weight, "weight", names, CST_COUNT(names), &which);
  if (!which || !r->s->system)
    return which;
  if (!r->s->system->ng)
    cst_yaml_error(r->doc, weight, r->d, "'weight' is fixman, and %s has no constraints",
                   r->s->system->name);
  else if (r->s->system->ng > MOST_WEIGHED)
    cst_yaml_error(r->doc, weight, r->d,
                   "'weight' is fixman, and %s has %d constraints; at most %d are allowed",
                   r->s->system->name, r->s->system->ng, MOST_WEIGHED);
  return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const endings[] = {"",       "_edges",   "_outside", "_density",
                                      "_error", "_members", "_weights"};

/* True if a dataset of one histogram has the name of a dataset of the other. */
static bool collide(const char *a, const char *b) {
  for (int i = 0; i < CST_COUNT(endings); i++)
    for (int k = 0; k < CST_COUNT(endings); k++) {
      char x[64], y[64];
      snprintf(x, sizeof x, "%.40s%s", a, endings[i]);
      snprintf(y, sizeof y, "%.40s%s", b, endings[k]);
      if (!strcmp(x, y))
        return true;
    }
  return false;
}

static void check_name(cst_reader *r, cst_yaml *n, const char *name) {
  const cst_study *s = r->s;
  if (!cst_reader_name(r, n, "a histogram", name))
    return;
  for (int i = 0; i < s->nhistogram; i++) {
    const char *other = s->histogram[i].name;
    if (!strcmp(other, name))
      cst_yaml_error(r->doc, n, r->d, "the histogram '%s' appears twice", name);
    else if (collide(other, name))
      cst_yaml_error(
          r->doc, n, r->d,
          "the histograms '%s' and '%s' would have datasets of the same name; choose another name",
          name, other);
  }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void read_histogram(cst_reader *r, cst_yaml *n) {
  cst_study    *s = r->s;
  cst_histogram h = {0};
  char          what[64];
  if (!cst_yaml_is_map(n)) {
    cst_yaml_error(
        r->doc, n, r->d,
        "a histogram is a map {name: ..., expression: ..., from: ..., to: ..., bins: ...}, and "
        "optionally 'for' and 'weight'");
    return;
  }
  cst_reader_keys(r, n, "histograms", "histograms", CST_KEYS_ALL);
  cst_yaml   *name = cst_reader_required(r, n, "histograms", "name");
  const char *text = cst_reader_text(r, name, "name", "a name");
  h.name = strdup(text ? text : "");
  if (text)
    check_name(r, name, text);
  snprintf(what, sizeof what, "histogram '%.40s'", h.name);
  cst_reader_expressions(r, n, "histograms", what, &h.expressions);
  read_bins(r, n, &h);
  h.fixman = read_weight(r, n);
  s->histogram[s->nhistogram++] = h;
}

static void read_histograms(cst_reader *r) {
  cst_yaml *n = cst_yaml_get(r->root, "histograms");
  if (!cst_reader_list(r, n, "histograms",
                       "maps {name: ..., expression: ..., from: ..., to: ..., bins: ...}", false))
    return;
  const int count = cst_yaml_size(n);
  if (count > MOST_HISTOGRAMS) {
    cst_yaml_error(r->doc, n, r->d, "there are %d histograms; at most %d are allowed", count,
                   MOST_HISTOGRAMS);
    return;
  }
  r->s->histogram = cst_reader_memory((size_t)count, sizeof *r->s->histogram);
  for (int i = 0; i < count; i++)
    read_histogram(r, cst_yaml_item(n, i));
}

static bool wants_averages(const cst_study *s) {
  bool wants = s->nhistogram > 0;
  for (int i = 0; i < s->nobservable; i++)
    wants |= s->observable[i].observer->averages;
  return wants;
}

void cst_file_averages(cst_reader *r) {
  cst_study *s = r->s;
  cst_yaml  *n = cst_yaml_get(r->root, "burn-in");
  if (cst_reader_number(r, n, "burn-in", &s->burn_in) && !(s->burn_in >= 0 && s->burn_in < 1)) {
    cst_yaml_error(r->doc, n, r->d,
                   "'burn-in' is %s; it must be at least 0 and below 1: a fraction of the run",
                   cst_reader_shortest(s->burn_in));
    s->burn_in = 0;
  }
  read_histograms(r);
  cst_yaml *averages = cst_yaml_get(r->root, "averages");
  if (cst_reader_keys(r, averages, "averages", "averages", CST_KEYS_ALL))
    s->average_fixman = read_weight(r, averages);
  s->averages = n || averages || wants_averages(s);
}

void cst_file_histograms_destroy(cst_study *s) {
  for (int i = 0; i < s->nhistogram; i++) {
    cst_histogram *h = &s->histogram[i];
    free(h->name);
    cst_reader_forget(&h->expressions);
    free(h->edge);
  }
}
