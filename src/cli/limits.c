/* limits.c: limits of the process under which MPI or Python cannot work (see limits.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/limits.h"
#include <stdio.h>
#include <sys/resource.h>
#include "cli/launch.h"

/* Measured with Open MPI 4.1 and PMIx 4.2. A process alone has 12 descriptors open when it computes, and a
 * few more while a library is opened or a compiler is started; a rank of several has 20. Ranks of one node
 * share files of 4 MiB and a few bytes each. */
enum { DESCRIPTORS_ALONE = 20, DESCRIPTORS_OF_MANY = 32, SHARED_FILE = 5 << 20 };
/* A page of a small result takes 300 MB. Without memory OpenBLAS waits for ever. */
enum { DRAWING = 400 << 20 };

static bool refuse(int resource, rlim_t needed, const char *what, const char *option, unsigned unit,
                   const char *who) {
  struct rlimit is;
  if (getrlimit(resource, &is) || is.rlim_cur >= needed)
    return false;
  if (cst_launch_rank() == 0)
    fprintf(stderr,
            "constella: error: the limit on %s is %llu (ulimit -%s); %s needs %llu to start\n",
            what, (unsigned long long)is.rlim_cur / unit, option, who,
            (unsigned long long)needed / unit);
  return true;
}

bool cst_limits_refuse(void) {
  const bool many = cst_launch_ranks() > 1;
  return refuse(RLIMIT_NOFILE, many ? DESCRIPTORS_OF_MANY : DESCRIPTORS_ALONE, "open files", "n", 1,
                "MPI") ||
         (many &&
          refuse(RLIMIT_FSIZE, SHARED_FILE, "the size of a file, in KiB,", "f", 1024, "MPI"));
}

bool cst_limits_refuse_drawing(void) {
  return refuse(RLIMIT_NOFILE, DESCRIPTORS_ALONE, "open files", "n", 1, "Python") ||
         refuse(RLIMIT_AS, DRAWING, "memory, in KiB,", "v", 1024, "Python");
}

bool cst_limits_raise_stack(void) {
  const rlim_t  wanted = 256 << 20, needed = 512 << 10;
  struct rlimit is;
  if (getrlimit(RLIMIT_STACK, &is) || is.rlim_cur >= wanted)
    return true;
  is.rlim_cur = is.rlim_max < wanted ? is.rlim_max : wanted;
  setrlimit(RLIMIT_STACK, &is);
  if (is.rlim_cur >= needed)
    return true;
  fprintf(stderr,
          "constella: error: the limit on the stack, in KiB, is %llu (ulimit -s); constella needs "
          "%llu\n",
          (unsigned long long)is.rlim_cur >> 10, (unsigned long long)needed >> 10);
  return false;
}
