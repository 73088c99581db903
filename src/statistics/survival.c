/* survival.c: the product-limit estimator of censored times (see survival.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "statistics/survival.h"
#include <math.h>
#include <stdlib.h>
#include "core/need.h"

typedef struct {
  double time;
  bool   happened;
} entry;

static int earlier(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

void cst_survival_quantiles(const double *time, const bool *happened, long n, const double *share,
                            int m, double *quantile) {
  entry *x = cst_zeros(n + 1, sizeof *x);
  double left = 1;
  for (long i = 0; i < n; i++)
    x[i] = (entry){time[i], happened[i]};
  qsort(x, (size_t)n, sizeof *x, earlier);
  for (int k = 0; k < m; k++)
    quantile[k] = NAN;
  for (long i = 0, next; i < n; i = next) {
    long events = 0;
    for (next = i; next < n && x[next].time == x[i].time; next++)
      events += x[next].happened;
    left *= 1 - (double)events / (double)(n - i);
    for (int k = 0; k < m && events; k++)
      if (isnan(quantile[k]) && left <= (1 - share[k]) * (1 + 1e-12))
        quantile[k] = x[i].time;
  }
  free(x);
}
