/* test-work.c: the work that a method needs for an accuracy, from errors and works of its steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "constella/statistics.h"
#include "tap.h"

enum { N = 5 };

int main(void) {
  /* error = 1e-3/n^2, work = 100 n */
  double error[N], work[N];
  int    wrong = 0;
  for (int i = 0; i < N; i++) {
    work[i] = 100 << i;
    error[i] = 1e-3 / ((double)(1 << i) * (1 << i));
  }
  for (double n = 1.1; n < 16; n *= 1.07)
    wrong += !(fabs(cst_work_at(error, work, N, 1e-3 / (n * n)) / (100 * n) - 1) < 1e-12);
  OK(!wrong, "of a power law it is exact between the steps");
  OK(cst_work_at(error, work, N, 1e-2) == 100, "the coarsest step bounds it");
  OK(isnan(cst_work_at(error, work, N, 1e-6)), "beyond the finest step it is unknown");
  OK(isnan(cst_work_at(error, work, 0, 1)), "of no steps it is unknown");

  const double dip[N] = {1e-2, 1e-8, 1e-3, 1e-5, 1e-7};
  const double there = cst_work_at(dip, work, N, 1e-4);
  OK(there > 400 && there < 800, "a coarse step that is right by chance does not count (%g)",
     there);
  const double plateau[N] = {1e-2, 1e-6, 1e-10, 4e-10, 1e-9};
  OK(fabs(cst_work_at(plateau, work, N, 1e-10) / 400 - 1) < 1e-12,
     "round-off at small steps does not count");
  const double failed[N] = {NAN, NAN, 1e-5, 1e-6, 1e-7};
  OK(cst_work_at(failed, work, N, 1e-4) == 400, "failed steps are left out");
  const double zero[N] = {1e-2, 1e-4, 0, 0, 0}, free_of[N] = {0};
  OK(cst_work_at(zero, work, N, 1e-6) == 400, "an error of 0 is reached at its step");
  OK(cst_work_at(error, free_of, N, 1e-4) == 0, "what takes no work takes none");
  return tap_done();
}
