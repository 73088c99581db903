/* driver.c: runs a fuzz target without libFuzzer: the given files, then mutations of them, drawn from a
 * seed.
 *
 *   TARGET [-seconds=S] [-inputs=N] [-seed=N] [-dict=FILE] [-input=FILE] FILE ...
 *
 * Each input is in the file -input (fuzz-input by default) while it runs; the file is removed on success.
 * So a signal, a sanitizer or the time limit of one input (an alarm of LIMIT seconds) leaves the input that
 * caused it. Mutations run for S seconds, and until there were N inputs, which are the same on any machine;
 * with neither only the files themselves are run. The last line is the number of inputs.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "mutate.h"

enum { LIMIT = 10, MEMORY_MIB = 4096 };

static int         input;
static const char *input_name = "fuzz-input";

static void run(const text *t) {
  unsigned char *copy =
      malloc(t->n ? t->n : 1); /* so that a sanitizer detects reads beyond its end */
  if (!copy || pwrite(input, t->s, t->n, 0) != (ssize_t)t->n || ftruncate(input, (off_t)t->n))
    mutate_fail(input_name);
  memcpy(copy, t->s, t->n);
  alarm(LIMIT);
  LLVMFuzzerTestOneInput(copy, t->n);
  alarm(0);
  free(copy);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The value of the option; NULL when word is not this option. */
static const char *value(const char *word, const char *option) {
  const size_t n = strlen(option);
  return strncmp(word, option, n) ? NULL : word + n;
}

int main(int count, char **word) {
  const double start = now();
  double       seconds = 0;
  uint64_t     seed = 1;
  long         inputs = 0, most = 0;
  int          files = 0;
  for (int i = 1; i < count; i++) {
    const char *s = value(word[i], "-seconds="), *r = value(word[i], "-seed="),
               *d = value(word[i], "-dict="), *o = value(word[i], "-input="),
               *n = value(word[i], "-inputs=");
    if (n)
      most = atol(n);
    if (s)
      seconds = atof(s);
    if (r)
      seed = strtoull(r, NULL, 10);
    if (d)
      mutate_dictionary(d);
    if (o)
      input_name = o;
    if (!s && !r && !d && !o && !n)
      mutate_add(word[i]);
  }
#ifndef __SANITIZE_ADDRESS__
  setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)MEMORY_MIB << 20, (rlim_t)MEMORY_MIB << 20});
#endif
  input = open(input_name, O_CREAT | O_RDWR | O_TRUNC, 0644);
  if (input < 0)
    mutate_fail(input_name);
  for (; mutate_file(files); inputs++)
    run(mutate_file(files++));
  for (text t = {malloc(MUTATE_BYTES), 0};
       files && t.s && (inputs < most || now() - start < seconds); inputs++) {
    const text *from = mutate_file((int)((uint64_t)inputs % (uint64_t)files));
    memcpy(t.s, from->s, t.n = from->n);
    mutate(&t, seed << 40 ^ (uint64_t)inputs);
    run(&t);
  }
  unlink(input_name);
  printf("%ld inputs in %.0f s\n", inputs, now() - start);
  return 0;
}
