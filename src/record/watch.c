/* watch.c: ends the process when HDF5 does not return from reading a damaged file (see watch.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/watch.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static const double seconds = 1, bytes_a_second = 2e7;

static char             message[5000];
static size_t           length;
static struct sigaction before;

static void expire(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, message, length) < 0)
    _exit(2);
  _exit(2);
}

static void set(double s) {
  const struct itimerval t = {.it_value = {(time_t)s, (suseconds_t)((s - floor(s)) * 1e6)}};
  setitimer(ITIMER_PROF, &t, NULL);
}

void cst_watch_begin(const char *path, double bytes) {
  const struct sigaction ours = {.sa_handler = expire};
  snprintf(message, sizeof message, "%.4096s: error: is damaged: HDF5 does not finish reading it\n",
           path);
  length = strlen(message);
  sigaction(SIGPROF, &ours, &before);
  set(seconds + bytes / bytes_a_second);
}

void cst_watch_end(void) {
  set(0);
  sigaction(SIGPROF, &before, NULL);
}
