/* tools.c: see tools.h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *bench_need(void *p) {
  if (!p) abort();
  return p;
}

double *bench_aligned(size_t n) {
  void *p = NULL;
  if (posix_memalign(&p, 64, n * sizeof(double))) abort();
  memset(p, 0, n * sizeof(double));
  return p;
}

cst_study *bench_study(const char *text) {
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("bench", text, strlen(text), cst_share_alone, d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return bench_need(s);
}
