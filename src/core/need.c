/* need.c: what the program says when memory is refused (see need.h). Nothing here allocates. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/need.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { END_SECONDS = 10 }; /* for what libraries do at the end */

_Noreturn void cst_need_fail(void) {
  char          text[512], host[128] = "this host", limit[80] = "";
  struct rlimit is;
  gethostname(host, sizeof host - 1);
  if (!getrlimit(RLIMIT_AS, &is) && is.rlim_cur != RLIM_INFINITY)
    snprintf(limit, sizeof limit, " (the limit is %llu KiB, ulimit -v)",
             (unsigned long long)is.rlim_cur >> 10);
  snprintf(
      text, sizeof text,
      "constella: error: out of memory on %s%s; a smaller --batch or fewer ranks on a host need "
      "less, unless the system itself is too large: `constella check` tells\n",
      host, limit);
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    _exit(1);
  alarm(END_SECONDS);
  exit(1);
}
