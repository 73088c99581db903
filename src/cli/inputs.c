/* inputs.c: the files that a study is read from (see inputs.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inputs.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/need.h"

static char **inputs; /* [n] */
static int    n;

void cst_inputs_note(const char *path) {
  inputs = cst_need(realloc(inputs, sizeof *inputs * (size_t)(n + 1)));
  inputs[n++] = cst_need(strdup(path));
}

static bool is_same(const char *a, const char *b) {
  struct stat x, y;
  return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void cst_inputs_check(const char *output, cst_diag *d) {
  for (int i = 0; i < n; i++)
    if (is_same(inputs[i], output)) {
      cst_diag_add(d, output, 0, 0, "is read by the study (%s); name another output with -o",
                   inputs[i]);
      return;
    }
}
