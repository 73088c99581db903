/* streams.c: opens closed standard streams, and reports output that could not be written (see streams.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/streams.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void cst_streams_open(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0)
    close(descriptor);
}

/* Whether standard output is a pipe that nobody reads any more. */
static bool is_unread(void) {
  struct pollfd out = {.fd = STDOUT_FILENO};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

int cst_streams_end(int status) {
  errno = 0;
  const int failed = fflush(stdout), why = errno;
  if (!failed && !ferror(stdout))
    return status;
  if (is_unread())
    return status ? status : 128 + SIGPIPE;
  fprintf(stderr, "constella: error: standard output cannot be written%s%s\n", why ? ": " : "",
          why ? strerror(why) : "");
  clearerr(stdout);
  return status ? status : 1;
}
