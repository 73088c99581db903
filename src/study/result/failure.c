/* failure.c: counts failed trajectories by reason (see failure.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/result/failure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "study/channels/channels.h"

#define WAY(name, failed, words, advice) [CST_FAILURE_##name] = {words, advice, failed},
static const cst_reason_row ways[CST_FAILURES] = {
    CST_REASON_ROWS(WAY) /* and those that no status has */
        [CST_NO_REFERENCE] = {"no finite reference",
                              "no finite reference: take a smaller step of `reference`, or other "
                              "starts; /error/total is NaN there",
                              true},
    [CST_OTHER_REASONS] = {"other reasons", NULL, true},
};
#undef WAY

static int index_of(double status) {
  return cst_reason_at(status) ? (int)status : CST_OTHER_REASONS;
}

const char *cst_failure_word(int status) { return ways[index_of(status)].words; }

bool cst_failure_is(int way) {
  return ways[way < 0 || way >= CST_FAILURES ? CST_OTHER_REASONS : way].failed;
}

const char *cst_failure_advice(int way) { return ways[way].advice; }

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

long cst_failures_total(const cst_failures *f) {
  long sum = 0;
  for (int k = 0; k < CST_FAILURES; k++)
    sum += ways[k].failed ? f->of[k] : 0;
  return sum;
}

long cst_failures_ended(const cst_failures *f) {
  long sum = 0;
  for (int k = 0; k < CST_FAILURES; k++)
    sum += f->of[k];
  return sum;
}

long cst_failures_stopped(const cst_failures *f) {
  return cst_failures_ended(f) - cst_failures_total(f) - f->of[CST_FAILURE_DONE];
}

/* The most frequent failure that is left; -1: none. */
static int most_frequent(const cst_failures *f) {
  int most = -1;
  for (int k = 0; k < CST_FAILURES; k++)
    if (ways[k].failed && f->of[k] && (most < 0 || f->of[k] > f->of[most]))
      most = k;
  return most;
}

void cst_failures_say(const cst_failures *f, char *text, size_t n) {
  cst_failures left = *f;
  size_t       at = 0;
  *text = 0;
  for (int k = most_frequent(&left); k >= 0 && at < n; k = most_frequent(&left)) {
    const char *separator = at ? ", " : "";
    at += (size_t)snprintf(text + at, n - at, "%s%s: %ld", separator, ways[k].words, left.of[k]);
    left.of[k] = 0;
  }
}

void cst_failures_hear(cst_failures *f, const char *text) {
  for (int k = 0; k < CST_FAILURES; k++) {
    const char *at = ways[k].failed ? strstr(text, ways[k].words) : NULL;
    if (!at)
      continue;
    at += strlen(ways[k].words);
    if (*at == ':')
      f->of[k] += strtol(at + 1, NULL, 10);
  }
}
