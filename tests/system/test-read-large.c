/* test-read-large.c: short descriptions of large dense systems, and long descriptions, are rejected at once
 * and with little memory. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"
#include <time.h>

static const char too_many[] =
    "f:1:9: error: the system is too large: its derivatives need more than "
    "6000150 operations, or a matrix more than 4000000 entries\n",
                  still_too_many[] =
                      "f:1:9: error: the system is too large: its derivatives need more than "
                      "14850150 operations, or a matrix more than 4000000 entries\n";
static const char too_long[] =
    "f:1:9: error: the system is too large: with its arrays and sums written out, its derivatives "
    "take more work than is allowed\n";

/* A dense Hessian; constraints that share one coordinate; constraints that depend on all coordinates. */
static void test_too_dense(void) {
  static const struct {
    int         n;
    const char *potential, *constraint, *refusal;
  } dense[] = {{40000, "exp(sum(i, 1, n, x[i]))", "y", too_many},
               {99000, "y", "x[i]*y - 1", still_too_many},
               {1000, "y", "i*sum(j, 1, n, x[j]^2) - y", too_long}};
  for (size_t k = 0; k < sizeof dense / sizeof *dense; k++) {
    const time_t start = time(NULL);
    char        *text = NULL;
    size_t       length = 0;
    FILE        *f = open_memstream(&text, &length);
    fprintf(f,
            "system: dense\ncoordinates: [\"x[n]\", y]\nparameters: {n: {size: %d}}\nmass: [1, "
            "1]\npotential: \"%s\"\n",
            dense[k].n, dense[k].potential);
    fprintf(f, "constraints: {c: {for: \"i = 1..%s\", expression: \"%s\"}}\n", k ? "n" : "1",
            dense[k].constraint);
    fprintf(f, "states: {default: {q: [1, 1], v: [0, 0]}}\n");
    fclose(f);
    check(text, dense[k].refusal);
    OK(time(NULL) - start < 20, "soon");
  }
}

int main(void) {
  test_too_dense();
  return tap_done();
}
