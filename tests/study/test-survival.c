/* test-survival.c: quantiles of censored times, against the remission times of Freireich et al. (1963), of which
 * textbooks give the product-limit estimate: 0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448 after 6, 7, 10, 13, 16, 22
 * and 23 weeks. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "statistics/ensemble-statistics.h"
#include "tap.h"

enum { N = 21, SHARES = 8 };
static const double weeks[N] = {6,  6,  6,  6,  7,  9,  10, 10, 11, 13, 16,
                                17, 19, 20, 22, 23, 25, 32, 32, 34, 35};
static const bool   happened[N] = {1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};

static void textbook(void) {
  const double share[SHARES] = {0.1, 0.15, 0.2, 0.25, 0.35, 0.45, 0.55, 0.9};
  const double known[SHARES] = {6, 7, 10, 13, 16, 22, 23, NAN};
  double       found[SHARES], reversed[SHARES], back[N];
  bool         happened_back[N];
  for (int i = 0; i < N; i++) {
    back[i] = weeks[N - 1 - i];
    happened_back[i] = happened[N - 1 - i];
  }
  cst_survival_quantiles(weeks, happened, N, share, SHARES, found);
  cst_survival_quantiles(back, happened_back, N, share, SHARES, reversed);
  for (int k = 0; k < SHARES; k++) {
    OK(found[k] == known[k] || (isnan(found[k]) && isnan(known[k])), "share %g: %g, not %g",
       share[k], found[k], known[k]);
    OK(found[k] == reversed[k] || isnan(found[k]), "share %g: whatever the order", share[k]);
  }
}

/* Without censored times they are the least times that the share has reached. */
static void complete(void) {
  const double x[4] = {4, 1, 3, 2}, share[3] = {0.25, 0.5, 0.51};
  const bool   all[4] = {true, true, true, true}, none[4] = {false};
  double       found[3];
  cst_survival_quantiles(x, all, 4, share, 3, found);
  OK(found[0] == 1 && found[1] == 2 && found[2] == 3, "%g %g %g", found[0], found[1], found[2]);
  cst_survival_quantiles(x, none, 4, share, 3, found);
  OK(isnan(found[0]) && isnan(found[2]), "nothing happened");
  cst_survival_quantiles(x, all, 0, share, 3, found);
  OK(isnan(found[0]), "there is nothing");
}

int main(void) {
  textbook();
  complete();
  return tap_done();
}
