/* fuzz-table.c: any bytes as the values of --where and --columns of `constella table` on the result that
 * FUZZ_RESULT names. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  static int out = -1;
  char      *result = getenv("FUZZ_RESULT"), *text = strndup((const char *)data, size);
  if (!result || !text)
    abort();
  if (out < 0) { /* discard the tables, but not the last line of the driver */
    fflush(stdout);
    out = dup(STDOUT_FILENO);
  }
  const int error = dup(STDERR_FILENO);
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
    abort();
  char *where[] = {"table", result, "--where", text, NULL},
       *columns[] = {"table", result, "--columns", text, NULL};
  cst_command_table.run(4, where);
  cst_command_table.run(4, columns);
  fflush(stdout);
  fflush(stderr);
  dup2(out, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  close(error);
  free(text);
  return 0;
}
