/* strike.c: loaded into a program (LD_PRELOAD): kills it, or fails, in a chosen call. STRIKE=CALL:N:WHAT,
 * from the N-th call of fwrite, fsync, rename or pwrite of this process on a path, or on an open file of a
 * path, that contains STRIKE_PATH or, with a $ behind STRIKE_PATH, ends with it. WHAT is KILL, or the errno
 * that the call fails with. STRIKE_RANK: of this MPI rank only. STRIKE_DEVICE: each rank sees another device
 * number, as the clients of a network file system do. STRIKE_CLOCK=N: the clock of MPI, by which a run makes
 * checkpoints, goes N times as fast, so that a short run makes many. STRIKE_PAUSE=SECONDS: who asks this clock waits
 * so long first if he has not in the last two milliseconds: a run lasts long and computes little. Without these
 * nothing happens.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

static int concerns(const char *where, const char *path) {
  const size_t n = strlen(where), length = strlen(path);
  if (n == 0 || where[n - 1] != '$')
    return strstr(path, where) != NULL;
  return length >= n - 1 && !strncmp(path + length - (n - 1), where, n - 1);
}

/* 0: no failure; else the errno to fail with. */
static int strike(const char *call, const char *path) {
  const char *how = getenv("STRIKE"), *where = getenv("STRIKE_PATH"), *rank = getenv("STRIKE_RANK");
  const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK");
  const char *mine = open_mpi ? open_mpi : getenv("PMI_RANK");
  const size_t n = strlen(call);
  char        *what;
  if (!how || strncmp(how, call, n) || how[n] != ':' || (where && !concerns(where, path)))
    return 0;
  if (rank && mine && strcmp(rank, mine))
    return 0;
  const long wanted = strtol(how + n + 1, &what, 10);
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) < wanted)
    return 0;
  if (!strcmp(what, ":KILL"))
    kill(getpid(), SIGKILL);
  return !strcmp(what, ":ENOSPC") ? ENOSPC : !strcmp(what, ":EDQUOT") ? EDQUOT : EIO;
}

static int strike_open(const char *call, int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return strike(call, path);
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *f) {
  static size_t (*next)(const void *, size_t, size_t, FILE *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fwrite");
  if (getenv("STRIKE"))
    fflush(f); /* earlier output is in the file */
  return (errno = strike_open("fwrite", fileno(f))) ? 0 : next(bytes, size, n, f);
}

int fsync(int fd) {
  static int (*next)(int);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fsync");
  return (errno = strike_open("fsync", fd)) ? -1 : next(fd);
}

int rename(const char *from, const char *to) {
  static int (*next)(const char *, const char *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "rename");
  return (errno = strike("rename", to)) ? -1 : next(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  static int (*next)(int, const char *, int, const char *, unsigned);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "renameat2");
  return (errno = strike("rename", to)) ? -1 : next(from_folder, from, to_folder, to, flags);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "pwrite");
  return (errno = strike_open("pwrite", fd)) ? -1 : next(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}

static double own_clock(void) {
  static double (*next)(void);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Wtime");
  return next();
}

double MPI_Wtime(void) {
  static double waited;
  const char   *rate = getenv("STRIKE_CLOCK"), *pause = getenv("STRIKE_PAUSE");
  if (pause && own_clock() - waited > 2e-3) {
    usleep((useconds_t)(1e6 * atof(pause)));
    waited = own_clock();
  }
  return own_clock() * (rate ? atof(rate) : 1);
}

static int as_client(int result, struct stat *s) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!result && rank && getenv("STRIKE_DEVICE"))
    s->st_dev += (dev_t)(1 + atoi(rank));
  return result;
}

int stat(const char *path, struct stat *s) {
  static int (*next)(const char *, struct stat *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "stat");
  return as_client(next(path, s), s);
}

int fstat(int fd, struct stat *s) {
  static int (*next)(int, struct stat *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fstat");
  return as_client(next(fd, s), s);
}
