/* fuzz-result.c: any bytes as a result file, read by `table` and `status` in a child, because damaged files
 * may crash HDF5. The child must not hang. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "cli/cli.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The signal that ended the command in a child process; 0: none. */
static int ended_by(int (*command)(int, char **), int n, char **words) {
  const pid_t child = fork();
  int         status;
  if (child < 0)
    abort();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
      _exit(1);
    setrlimit(RLIMIT_CPU, &(struct rlimit){9, 10});
    alarm(60);
    _exit(command(n, words));
  }
  while (waitpid(child, &status, 0) < 0) /* the fuzzer's timer interrupts */
    if (errno != EINTR)
      abort();
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The fuzzer has a thread, and a child that is forked while that holds a lock waits for ever: a second
 * attempt follows. */
static void try_command(int (*command)(int, char **), int n, char **words) {
  int by = ended_by(command, n, words);
  if (by == SIGALRM)
    by = ended_by(command, n, words);
  if (by == SIGALRM || by == SIGXCPU || by == SIGKILL)
    abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  char *table[] = {"table", scratch_file, "--format", "json", NULL},
       *state[] = {"status", scratch_file, NULL};
  scratch_write("r.h5", data, size);
  try_command(cst_command_status.run, 2, state);
  try_command(cst_command_table.run, 4, table);
  return 0;
}
