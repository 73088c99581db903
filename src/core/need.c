/* need.c: memory: large pages, and what the program says when memory is refused (see need.h). Nothing here
 * allocates. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "core/need.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

void *cst_large(void *x, size_t n) {
#ifdef MADV_HUGEPAGE
  enum { PAGE = 4096, LARGE = 2 << 20 };
  const size_t ahead = (size_t)(-(uintptr_t)x % PAGE);
  if (x && n >= LARGE)
    (void)madvise((char *)x + ahead, n - ahead, MADV_HUGEPAGE); /* without it, smaller ones */
#else
  (void)n;
#endif
  return x;
}

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
