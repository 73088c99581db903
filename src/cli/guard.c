/* guard.c: runs a command in a child process (see guard.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/guard.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/streams.h"

static bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
         signal == SIGILL;
}

static int run_here(int (*run)(int, char **), int argc, char **argv, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(2);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  return cst_streams_end(run(argc, argv));
}

/* Passes on the exit status or the signal of the child, but reports faults, and SIGPROF, with which the watch
 * of analysis/constella/reading.py ends it. */
static int pass_on(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  const int how = WTERMSIG(status);
  if (how == SIGPROF) {
    fprintf(stderr, "constella: error: a file is damaged: HDF5 does not finish reading it\n");
  } else if (is_fault(how)) {
    fprintf(stderr, "constella: error: a file is damaged: reading it ended with signal %d\n", how);
  } else {
    signal(how, SIG_DFL);
    raise(how);
  }
  return 2;
}

int cst_guard(int (*run)(int argc, char **argv), int argc, char **argv) {
  const pid_t us = getpid(), child = fork();
  int         status;
  if (child < 0)
    return run(argc, argv);
  if (child == 0)
    exit(run_here(run, argc, argv, us));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 1;
  return pass_on(status);
}
