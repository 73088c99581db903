/* fuzz-result.c: any bytes as a result file: opened, and all read that there is, as `table` and `status` do: in a child, since HDF5 does
 * not promise to survive damaged files. What may not be is that nobody notices: a child that hangs. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include "cli/cli.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  scratch_write("r.h5", data, size);
  for (int k = 0; k < 2; k++) {
    const pid_t child = fork();
    int         status;
    if (child < 0) abort();
    if (child == 0) {
      char *table[] = {"table", scratch_file, "--format", "json", NULL}, *state[] = {"status", scratch_file, NULL};
      if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
      alarm(9);
      _exit(k ? cst_cli_table(4, table) : cst_cli_status(2, state));
    }
    if (waitpid(child, &status, 0) < 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)) abort();
  }
  return 0;
}
