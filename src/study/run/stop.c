/* stop.c: handles signals that ask a run to stop (see stop.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "study/run/stop.h"

static const struct {
  int         number;
  const char *name;
} listened[] = {
    {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"}, {SIGXCPU, "SIGXCPU"},
};
enum { LISTENED = sizeof listened / sizeof *listened };

static volatile sig_atomic_t came;
static volatile time_t       since;
static volatile sig_atomic_t grace, counting, status_then;

/* Batch systems send a signal twice, to the script and to its children. Only a second SIGINT, from a person
 * at the keyboard, ends the process at once. */
static void note(int which) {
  const time_t now = time(NULL);
  if (which == SIGINT && came == SIGINT && now - since >= 2) {
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
  }
  if (!came)
    since = now;
  if (!came)
    came = which;
  if (!grace || counting)
    return; /* SIGXCPU comes each second: it must not put off the end */
  counting = 1;
  alarm((unsigned)grace);
}

enum { EXIT_AGAIN = 75 };

void cst_stop_ignore(void) {
  sigset_t all;
  sigemptyset(&all);
  for (int i = 0; i < LISTENED; i++)
    sigaddset(&all, listened[i].number);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

/* A message of fixed length: only write is safe here. */
static void end(int which) {
  static const char text[] = "constella: stopped by a signal during start-up or shutdown; the same "
                             "line with --resume continues\n";
  (void)which;
  if (status_then == EXIT_AGAIN && write(2, text, sizeof text - 1) < 0)
    _exit(EXIT_AGAIN);
  _exit(status_then);
}

void cst_stop_after(int seconds, int status) {
  status_then = status;
  signal(SIGALRM, end);
  alarm((unsigned)seconds);
}

void cst_stop_grace(int seconds) {
  alarm(0);
  counting = 0;
  status_then = EXIT_AGAIN;
  signal(SIGALRM, end);
  grace = seconds;
}

static bool inherited, hangs_up;

void cst_stop_inherit(void) {
  struct sigaction a;
  if (!inherited)
    hangs_up = sigaction(SIGHUP, NULL, &a) || a.sa_handler != SIG_IGN;
  inherited = true;
}

void cst_stop_listen(void) {
  struct sigaction a;
  cst_stop_inherit();
  memset(&a, 0, sizeof a);
  a.sa_handler = note;
  a.sa_flags = SA_RESTART;
  sigemptyset(&a.sa_mask);
  for (int i = 0; i < LISTENED; i++)
    sigaction(listened[i].number, &a, NULL);
  if (!hangs_up)
    signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
}

int cst_stop_signal(void) { return came; }

const char *cst_stop_name(int which) {
  for (int i = 0; i < LISTENED; i++)
    if (which == listened[i].number)
      return listened[i].name;
  return "a signal";
}
