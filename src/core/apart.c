/* apart.c: runs code in a child process (see apart.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "core/apart.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RETURNED = 113, PATIENCE = 10 }; /* an exit status; real seconds for one of the processor */

static void leave(void) { _exit(1); }

/* exit() must not end what the parent has begun, such as MPI: `leave` is called before all handlers of it. */
static void run(void (*work)(void *context), void *context, unsigned seconds) {
  static const int handled[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,  SIGABRT,
                                SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGALRM};
  for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
    signal(handled[i], SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
  alarm(PATIENCE * seconds);
  atexit(leave);
  work(context);
  _exit(RETURNED);
}

static const char *what_of(int status, int seconds) {
  static char what[128];
  const int   how = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == RETURNED)
    return NULL;
  if (how == SIGXCPU || how == SIGALRM)
    snprintf(what, sizeof what, "takes more than %d s", seconds);
  else if (how)
    snprintf(what, sizeof what, "crashes (%s)", strsignal(how));
  else
    snprintf(what, sizeof what, "ends the program");
  return what;
}

const char *cst_apart_try(void (*work)(void *context), void *context, int seconds) {
  int         status;
  const pid_t child = fork();
  if (child < 0)
    return NULL;
  if (child == 0)
    run(work, context, (unsigned)seconds);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return NULL;
  return what_of(status, seconds);
}
