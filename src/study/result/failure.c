/* failure.c: counts failed trajectories by reason (see failure.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/failure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/channels/channels.h"

static const char *const words[] = {
    [CST_NOT_CONVERGED] = "solver did not converge",
    [CST_NOT_FINITE] = "not finite",
    [CST_NO_START] = "no consistent start",
    [CST_STEP_TOO_LARGE] = "step-too-large",
    [CST_RANK_LOST] = "rank of the constraints lost",
    [CST_NO_REFERENCE] = "no finite reference",
    [CST_OTHER_REASONS] = "other reasons",
};
_Static_assert(sizeof words / sizeof *words == CST_FAILURES, "every reason has its words");
_Static_assert((int)CST_NO_REFERENCE > (int)CST_RANK_LOST, "no status has this number");

static int index_of(double status) {
  return status >= 0 && status < CST_REASONS ? (int)status : CST_OTHER_REASONS;
}

const char *cst_failure_word(int status) { return words[index_of(status)]; }

bool cst_failures_unreferred(double status, double error) { return status == 0 && isnan(error); }

void cst_failures_count(cst_failures *f, const double *x, const double *error, long n) {
  for (long i = 0; i < n; i++) {
    if (!(x[i] >= 0))
      continue;
    if (error && cst_failures_unreferred(x[i], error[i]))
      f->of[CST_NO_REFERENCE]++;
    else
      f->of[index_of(x[i])]++;
  }
}

long cst_failures_read(cst_failures *f, cst_result *r) {
  char path[64];
  int  ndim;
  long e[CST_FIELD_DIMS], n = 1, m = 1;
  snprintf(path, sizeof path, "/error/%s", cst_channels_error_names[CST_ERROR_ALL]);
  double *status = cst_result_read(r, cst_channel_status.path, &ndim, e);
  for (int k = 0; status && k < ndim; k++)
    n *= e[k];
  double *error = cst_result_read(r, path, &ndim, e);
  for (int k = 0; error && k < ndim; k++)
    m *= e[k];
  *f = (cst_failures){{0}};
  if (status)
    cst_failures_count(f, status, m == n ? error : NULL, n);
  else
    n = 0;
  free(status);
  free(error);
  return n;
}

void cst_failures_add(cst_failures *f, const cst_failures *more) {
  for (int k = 0; k < CST_FAILURES; k++)
    f->of[k] += more->of[k];
}

long cst_failures_total(const cst_failures *f) {
  long sum = 0;
  for (int k = 1; k < CST_FAILURES; k++)
    sum += f->of[k];
  return sum;
}

void cst_failures_say(const cst_failures *f, char *text, size_t n) {
  cst_failures left = *f;
  size_t       at = 0;
  *text = 0;
  while (at < n && cst_failures_total(&left) > 0) {
    int most = 1;
    for (int k = 2; k < CST_FAILURES; k++)
      if (left.of[k] > left.of[most])
        most = k;
    const char *separator = at ? ", " : "";
    at += (size_t)snprintf(text + at, n - at, "%s%s: %ld", separator, words[most], left.of[most]);
    left.of[most] = 0;
  }
}

void cst_failures_hear(cst_failures *f, const char *text) {
  for (int k = 1; k < CST_FAILURES; k++) {
    const char *at = strstr(text, words[k]);
    if (!at)
      continue;
    at += strlen(words[k]);
    if (*at == ':')
      f->of[k] += strtol(at + 1, NULL, 10);
  }
}
