/* reader-range.c: values of a parameter or coordinate: a number, a list of numbers, or {from:, to:, count:,
 * spacing: linear | log}. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "constella/random.h"
#include "study/file/starts.h"

enum { MOST = 1000000 };

/* The i-th of n values; both ends are exact. */
static double between(double from, double to, long i, long n, bool logarithmic) {
  const double part = n > 1 ? (double)i / (double)(n - 1) : 0;
  if (i == 0)
    return from;
  if (i == n - 1)
    return to;
  return logarithmic ? from * cst_elementary_exp(cst_elementary_log(to / from) * part)
                     : from + (to - from) * part;
}

/* Values that are far apart can overflow, values that are close together can round to the same. */
static bool are_distinct(const double *x, int n) {
  bool good = isfinite(x[0]);
  for (int i = 1; i < n; i++)
    good &= isfinite(x[i]) && x[i] != x[i - 1];
  return good;
}

static bool spaced(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count) {
  static const char *const spacings[] = {"linear", "log"};
  const int                before = cst_diag_count(r->d);
  double                   from = 0, to = 0, m = 0;
  int                      spacing = 0;
  cst_yaml                *number = cst_reader_required(r, n, what, "count");
  cst_reader_keys(r, n, what, "range", CST_KEYS_ALL);
  bool good = cst_reader_constant(r, cst_reader_required(r, n, what, "from"), "from", &from);
  good &= cst_reader_constant(r, cst_reader_required(r, n, what, "to"), "to", &to);
  good &= number && cst_reader_constant(r, number, "count", &m);
  cst_reader_choice(r, cst_yaml_get(n, "spacing"), "spacing", spacings, CST_COUNT(spacings),
                    &spacing);
  if (good && !(m >= 1 && m <= MOST && m == floor(m)))
    cst_yaml_error(r->doc, number, r->d, "'count' is %s; it must be a whole number from 1 to %d",
                   cst_reader_shortest(m), MOST);
  else if (good && (m == 1) != (from == to))
    cst_yaml_error(r->doc, n, r->d, "'%s' has a count of %s from %s to %s; %s", what,
                   cst_reader_shortest(m), cst_reader_shortest(from), cst_reader_shortest(to),
                   m == 1 ? "for one value 'from' and 'to' must be equal"
                          : "its values would all be equal");
  else if (good && spacing && !(from * to > 0))
    cst_yaml_error(
        r->doc, n, r->d,
        "'%s': with logarithmic spacing 'from' and 'to' must be nonzero and have the same sign",
        what);
  if (!good || cst_diag_count(r->d) > before)
    return false;
  const int size = (int)m;
  double   *x = cst_reader_memory((size_t)size, sizeof *x);
  for (long i = 0; i < size; i++)
    x[i] = between(from, to, i, size, spacing == 1);
  if (!are_distinct(x, size)) {
    cst_yaml_error(r->doc, n, r->d, "the %d values of '%s' are not all finite and different", size,
                   what);
    free(x);
    return false;
  }
  *count = size;
  *values = x;
  return true;
}

typedef struct {
  double value;
  int    rank;
} ranked;

static int ascending(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->value != y->value)
    return x->value > y->value ? 1 : -1;
  return x->rank - y->rank;
}

bool *cst_reader_repeats(const double *x, int n) {
  ranked *sorted = cst_reader_memory((size_t)n, sizeof *sorted);
  bool   *again = cst_reader_memory((size_t)n, sizeof *again);
  for (int i = 0; i < n; i++)
    sorted[i] = (ranked){x[i], i};
  qsort(sorted, (size_t)n, sizeof *sorted, ascending);
  for (int i = 1; i < n; i++)
    again[sorted[i].rank] = sorted[i].value == sorted[i - 1].value;
  free(sorted);
  return again;
}

/* The first value that appears a second time; n: none. */
static int repeated(const double *x, int n) {
  bool *again = cst_reader_repeats(x, n);
  int   i = 0;
  while (i < n && !again[i])
    i++;
  free(again);
  return i;
}

bool cst_reader_range(cst_reader *r, cst_yaml *n, const char *what, double **values, int *count) {
  if (cst_yaml_is_map(n))
    return spaced(r, n, what, values, count);
  const bool list = cst_yaml_is_list(n);
  if (list && !cst_reader_list(r, n, what, "numbers", false))
    return false;
  const int m = list ? cst_yaml_size(n) : 1;
  double   *x = cst_reader_memory((size_t)m, sizeof *x);
  bool      good = true;
  for (int i = 0; i < m && good; i++) {
    cst_yaml *item = list ? cst_yaml_item(n, i) : n;
    good = cst_reader_constant(r, item, what, x + i);
  }
  const int again = good ? repeated(x, m) : m;
  if (again < m)
    cst_yaml_error(r->doc, cst_yaml_item(n, again), r->d, "'%s': the value %s appears twice", what,
                   cst_reader_shortest(x[again]));
  if (!good || again < m) {
    free(x);
    return false;
  }
  *values = x;
  *count = m;
  return true;
}
