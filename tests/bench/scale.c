/* scale.c: loaded into a program (LD_PRELOAD) by scale.py: a disk that is slower than this machine's, and
 * clocks for what ranks wait for.
 *
 * What a process has written to files of a path with SLOW_DISK in it is paid for when it brings such a file
 * to the disk: at SLOW_DISK_CLIENT bytes per second, which is what one process can write, and at
 * SLOW_DISK_TOTAL bytes per second, which all processes together can. Each fsync takes SLOW_DISK_WAIT seconds
 * besides. The file SLOW_DISK_CLOCK, of 8 bytes, holds the time until which the disk is busy.
 *
 * At its end each process adds a line to the file WAITED: its rank, the polls of rank 0's counters and the
 * seconds in them, and the seconds for which its main thread waited for such files.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long  owed; /* bytes written and not yet paid for */
static long *busy_until;
static long  polls, polled, waited; /* nanoseconds */

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static double number(const char *name, double unset) {
  const char *text = getenv(name);
  return text ? strtod(text, NULL) : unset;
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("WAITED"), *rank = getenv("OMPI_COMM_WORLD_RANK");
  FILE       *f = path && polls ? fopen(path, "a") : NULL;
  if (!f)
    return;
  fprintf(f, "%s %ld %.6f %.6f\n", rank ? rank : "0", polls, 1e-9 * (double)polled,
          1e-9 * (double)waited);
  fclose(f);
}

/* The calls with which ranks ask rank 0, and wait for its answer. */
#define TIMED(counts, name, parameters, arguments)                                                 \
  int MPI_##name parameters {                                                                      \
    const long from = now();                                                                       \
    const int failed = PMPI_##name arguments;                                                      \
    polls += counts;                                                                               \
    polled += now() - from;                                                                        \
    return failed;                                                                                 \
  }
TIMED(0, Win_flush, (int rank, MPI_Win w), (rank, w))
TIMED(0, Test, (MPI_Request * r, int *there, MPI_Status *s), (r, there, s))
TIMED(0, Accumulate,
      (const void *x, int n, MPI_Datatype a, int rank, MPI_Aint at, int m, MPI_Datatype b,
       MPI_Op op, MPI_Win w),
      (x, n, a, rank, at, m, b, op, w))
TIMED(1, Get_accumulate,
      (const void *x, int n, MPI_Datatype a, void *y, int l, MPI_Datatype c, int rank, MPI_Aint at,
       int m, MPI_Datatype b, MPI_Op op, MPI_Win w),
      (x, n, a, y, l, c, rank, at, m, b, op, w))
TIMED(1, Rget_accumulate,
      (const void *x, int n, MPI_Datatype a, void *y, int l, MPI_Datatype c, int rank, MPI_Aint at,
       int m, MPI_Datatype b, MPI_Op op, MPI_Win w, MPI_Request *r),
      (x, n, a, y, l, c, rank, at, m, b, op, w, r))

/* ---- files ----------------------------------------------------------------------------------- */

static int is_slow(int fd) {
  const char *where = getenv("SLOW_DISK");
  char        link[64], path[4096];
  if (!where)
    return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return strstr(path, where) != NULL;
}

static void done(int fd, ssize_t bytes, long from) {
  if (!is_slow(fd))
    return;
  if (bytes > 0)
    __atomic_add_fetch(&owed, bytes, __ATOMIC_SEQ_CST);
  if (gettid() == getpid())
    waited += now() - from;
}

static void open_clock(void) {
  const char *path = getenv("SLOW_DISK_CLOCK");
  const int   fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (fd < 0 || ftruncate(fd, sizeof *busy_until))
    return;
  void *at = mmap(NULL, sizeof *busy_until, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED)
    busy_until = at;
  close(fd);
}

/* Takes its turn of the disk for these bytes; returns when they are on it. */
static long turn(double bytes) {
  const long takes = (long)(1e9 * bytes / number("SLOW_DISK_TOTAL", 1e12));
  if (!busy_until)
    open_clock();
  if (!busy_until)
    return now() + takes;
  for (long from = __atomic_load_n(busy_until, __ATOMIC_SEQ_CST);;) {
    const long begin = from > now() ? from : now();
    if (__atomic_compare_exchange_n(busy_until, &from, begin + takes, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return begin + takes;
  }
}

static void pay(void) {
  const double bytes = (double)__atomic_exchange_n(&owed, 0, __ATOMIC_SEQ_CST);
  const long   alone = now() + (long)(1e9 * bytes / number("SLOW_DISK_CLIENT", 1e12)),
             shared = turn(bytes);
  const long until = (alone > shared ? alone : shared) + (long)(1e9 * number("SLOW_DISK_WAIT", 0));
  const struct timespec t = {until / 1000000000L, until % 1000000000L};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
    continue;
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *f) {
  static size_t (*next)(const void *, size_t, size_t, FILE *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fwrite");
  const long   from = now();
  const size_t written = next(bytes, size, n, f);
  done(fileno(f), (ssize_t)(written * size), from);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "pwrite");
  const long    from = now();
  const ssize_t written = next(fd, bytes, size, at);
  done(fd, written, from);
  return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}

int fsync(int fd) {
  static int (*next)(int);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fsync");
  const long from = now();
  if (is_slow(fd))
    pay();
  const int failed = next(fd);
  done(fd, 0, from);
  return failed;
}
