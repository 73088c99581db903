/* histograms-read.c: the key `histograms` (see histograms.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/collect/averages.h"
#include "study/collect/histograms.h"

enum { MOST_BINS = 10000, MOST_HISTOGRAMS = 64 };

/* clang-format off */
const cst_key cst_histograms_keys[] = {
    {"", "histograms", CST_KEYS_ALL, "list of maps", "none", "",
     "histograms: [{name: height, expression: y, from: -1, to: 1, bins: 20}]", "Distributions over time and members (docs/averages.md)."},
    {"histograms", "name", CST_KEYS_ALL, "text", NULL, "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 4}]", "Name of its datasets: a letter, then letters, digits, _ and -, at most 32."},
    {"histograms", "for", CST_KEYS_ALL, "range, or a list of ranges", "none", "", "histograms: [{name: h, for: \"i = 1..2\", expression: \"i*y\", from: -2, to: 2, bins: 4}]",
     "\"NAME = FROM..TO\": the values of the expression for all these indices are counted."},
    {"histograms", "expression", CST_KEYS_ALL, "expression", NULL, "", "histograms: [{name: h, expression: \"atan2(x, -y)\", from: -4, to: 4, bins: 4}]", "The quantity that is counted, as in `observables`."},
    {"histograms", "from", CST_KEYS_ALL, "number", NULL, "of the expression", "histograms: [{name: h, expression: y, from: -2, to: 1, bins: 4}]", "The lower edge of the first bin."},
    {"histograms", "to", CST_KEYS_ALL, "number", NULL, "of the expression", "histograms: [{name: h, expression: y, from: -1, to: 2, bins: 4}]", "The upper edge of the last bin."},
    {"histograms", "bins", CST_KEYS_ALL, "integer", NULL, "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 8}]", "Number of bins, 1 to 10000."},
    {"histograms", "weight", CST_KEYS_ALL, "none or fixman", "none", "", "histograms: [{name: h, expression: y, from: -1, to: 1, bins: 4, weight: fixman}]",
     "fixman: every sample has the weight (det G M^-1 G')^(-1/2), which gives the distribution with stiff springs in place of the constraints."},
    {0},
};
/* clang-format on */

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

static void check_name(cst_reader *r, cst_yaml *n, const cst_histograms_wish *w, const char *name) {
  if (!cst_reader_name(r, n, "a histogram", name))
    return;
  for (int i = 0; i < w->n; i++) {
    const char *other = w->histogram[i].name;
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

static void read_histogram(cst_reader *r, cst_yaml *n, cst_histograms_wish *w) {
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
    check_name(r, name, w, text);
  snprintf(what, sizeof what, "histogram '%.40s'", h.name);
  cst_reader_expressions(r, n, "histograms", what, &h.expressions);
  read_bins(r, n, &h);
  h.fixman = cst_averages_read_weight(r, n);
  w->histogram[w->n++] = h;
}

void cst_histograms_read(cst_reader *r, void *wish) {
  cst_histograms_wish *w = wish;
  cst_yaml            *n = cst_yaml_get(r->root, "histograms");
  if (!cst_reader_list(r, n, "histograms",
                       "maps {name: ..., expression: ..., from: ..., to: ..., bins: ...}", false))
    return;
  const int count = cst_yaml_size(n);
  if (count > MOST_HISTOGRAMS) {
    cst_yaml_error(r->doc, n, r->d, "there are %d histograms; at most %d are allowed", count,
                   MOST_HISTOGRAMS);
    return;
  }
  w->histogram = cst_reader_memory((size_t)count, sizeof *w->histogram);
  for (int i = 0; i < count; i++)
    read_histogram(r, cst_yaml_item(n, i), w);
}

void cst_histograms_forget(void *wish) {
  const cst_histograms_wish *w = wish;
  for (int i = 0; i < w->n; i++) {
    cst_histogram *h = &w->histogram[i];
    free(h->name);
    cst_reader_forget(&h->expressions);
    free(h->edge);
  }
  free(w->histogram);
}
