/* stop.c: signals that ask a run to stop (see stop.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "study/stop.h"

static const int             listened[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};
static volatile sig_atomic_t came;
static volatile time_t       since;

/* Batch systems send a signal twice, to the script and to its children: only a person at the keyboard means it more with the second one. */
static void note(int which) {
  const time_t now = time(NULL);
  if (which == SIGINT && came == SIGINT && now - since >= 2) {
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
  }
  if (!came) since = now;
  if (!came) came = which;
}

static void handle(void (*handler)(int)) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = handler;
  a.sa_flags = SA_RESTART;
  sigemptyset(&a.sa_mask);
  for (unsigned i = 0; i < sizeof listened / sizeof *listened; i++) sigaction(listened[i], &a, NULL);
}

void cst_stop_listen(void) { handle(note); }

void cst_stop_ignore(void) { handle(SIG_IGN); }

int cst_stop_signal(void) { return came; }

const char *cst_stop_name(int which) {
  return which == SIGINT ? "SIGINT" : which == SIGUSR1 ? "SIGUSR1" : which == SIGUSR2 ? "SIGUSR2" : "SIGTERM";
}
