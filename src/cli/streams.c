/* streams.c: opens closed standard streams, and reports output that could not be written (see streams.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/streams.h"
#include <errno.h>
#include <fcntl.h>
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

int cst_streams_end(int status) {
  errno = 0;
  const int failed = fflush(stdout);
  if (!failed && !ferror(stdout))
    return status;
  fprintf(stderr, "constella: error: standard output cannot be written%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "");
  clearerr(stdout);
  return status ? status : 1;
}
