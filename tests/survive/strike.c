/* strike.c: loaded into a program (LD_PRELOAD): kills it, fails, or waits, in a chosen call, and has clocks that do
 * not depend on the machine. STRIKE=CALL:N:WHAT, from the N-th call of fwrite, fsync, rename, unlink or pwrite of this process
 * on a path, or on an open file of a path, that contains STRIKE_PATH or, with a $ behind STRIKE_PATH, ends with it; or
 * from the N-th time that it asks MPI's clock (CALL is clock), as each slice of work does, while the file STRIKE_PATH is
 * there with something in it. WHAT is KILL, the errno that the call fails with, or WAIT: it says so by the file
 * STRIKE_GATE.RANK.here, with its number and that of the call in it, and goes on when there is STRIKE_GATE.open, up to
 * the call whose number may stand in that; STRIKE_GATE.RANK.told says that the program has handled a signal. Of the clock
 * also LATE: from then on it is a million seconds ahead; an errno: from then on all these calls on the path fail with it.
 * STRIKE_RANK: of this MPI rank only. STRIKE_DEVICE: each rank sees another
 * device number, as the clients of a network file system do. STRIKE_NFS: all file systems say that they are NFS.
 *
 * STRIKE_CLOCK=N: the clock of MPI, by which a run makes checkpoints, goes N times as fast, so that a short run makes
 * many. STRIKE_TICK=SECONDS: it goes on by so much whenever it is asked, and not otherwise, and the program itself gets
 * no threads: what a single process does is the same on any machine. STRIKE_PAUSE=MOST: who asks it waits first, a
 * millisecond and each time a sixteenth longer, up to MOST seconds, again from each call on STRIKE_PATH: no rank ends its
 * work before the call in which it is struck. STRIKE_TIME=FILE: time() is the number in the file. Without these nothing
 * happens.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

static int    fails; /* from now on, the errno of calls on the path */
static double ahead; /* seconds of the clock */
static long   calls,
    asked; /* calls that count, and questions of the clock since the last one on the path */

static const char *own_rank(void) {
  static const char *const by[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (int i = 0; i < 3; i++)
    if (getenv(by[i]))
      return getenv(by[i]);
  return "0";
}

static int concerns(const char *where, const char *path) {
  const size_t n = strlen(where), length = strlen(path);
  if (n == 0 || where[n - 1] != '$')
    return strstr(path, where) != NULL;
  return length >= n - 1 && !strncmp(path + length - (n - 1), where, n - 1);
}

static int there(const char *file) {
  struct stat s;
  return !fstatat(AT_FDCWD, file, &s, 0) && s.st_size > 0;
}

/* The file is complete when it has its name. */
static void announce(const char *gate, const char *what, long call) {
  char name[4096], made[4096 + 8];
  snprintf(name, sizeof name, "%s.%s.%s", gate, own_rank(), what);
  snprintf(made, sizeof made, "%s.making", name);
  const int file = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && dprintf(file, "%ld %ld\n", (long)getpid(), call) > 0 && !close(file))
    syscall(SYS_rename, made, name);
}

static int is_open(const char *file, long call) {
  char      text[32] = "";
  const int opened = open(file, O_RDONLY);
  if (opened < 0)
    return 0;
  const ssize_t n = read(opened, text, sizeof text - 1);
  close(opened);
  return n <= 0 || call <= atol(text);
}

static volatile sig_atomic_t told;
static void (*handler[NSIG])(int);

static void hear(int which) {
  told = 1;
  handler[which](which);
}

/* Whether an address is in the program itself, not in a library. */
static int of_program(const void *address) {
  Dl_info where;
  return dladdr(address, &where) && !strcmp(where.dli_fname, program_invocation_name);
}

/* The handlers of the program tell that they are called, in whichever thread. */
int sigaction(int which, const struct sigaction *how, struct sigaction *before) {
  static int (*next)(int, const struct sigaction *, struct sigaction *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "sigaction");
  if (!how || which == SIGPROF || !getenv("STRIKE_GATE") ||
      !of_program(__builtin_return_address(0)) || how->sa_handler == SIG_DFL ||
      how->sa_handler == SIG_IGN || how->sa_flags & SA_SIGINFO)
    return next(which, how, before);
  struct sigaction ours = *how;
  handler[which] = how->sa_handler;
  ours.sa_handler = hear;
  return next(which, &ours, before);
}

/* A test that has ended has taken its folder away. */
static void wait_at_gate(const char *gate, long call) {
  char opened[4096], folder[4096];
  int  said = 0;
  snprintf(opened, sizeof opened, "%s.open", gate);
  snprintf(folder, sizeof folder, "%s", gate);
  if (strrchr(folder, '/'))
    *strrchr(folder, '/') = 0;
  if (is_open(opened, call))
    return;
  announce(gate, "here", call);
  while (!is_open(opened, call)) {
    poll(NULL, 0, 2);
    if (told && !said++)
      announce(gate, "told", call);
    if (access(folder, F_OK))
      _exit(1);
  }
}

/* 0: no failure; else the errno to fail with. */
static int strike(const char *call, const char *path) {
  const char *how = getenv("STRIKE"), *where = getenv("STRIKE_PATH"), *rank = getenv("STRIKE_RANK");
  const size_t n = strlen(call);
  char        *what;
  if (path && where && concerns(where, path))
    __atomic_store_n(&asked, 0, __ATOMIC_SEQ_CST);
  if (fails && path && where && concerns(where, path))
    return fails;
  if (!how || strncmp(how, call, n) || how[n] != ':')
    return 0;
  if (where && !(path ? concerns(where, path) : there(where)))
    return 0;
  if (rank && strcmp(rank, own_rank()))
    return 0;
  const long wanted = strtol(how + n + 1, &what, 10);
  const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (number < wanted)
    return 0;
  if (!strcmp(what, ":KILL"))
    kill(getpid(), SIGKILL);
  if (!strcmp(what, ":WAIT")) {
    wait_at_gate(getenv("STRIKE_GATE"), number);
    return 0;
  }
  if (!strcmp(what, ":LATE")) {
    ahead = 1e6;
    return 0;
  }
  const int error = !strcmp(what, ":ENOSPC") ? ENOSPC : !strcmp(what, ":EDQUOT") ? EDQUOT : EIO;
  return path ? error : (fails = error);
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

int unlink(const char *path) {
  static int (*next)(const char *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "unlink");
  return (errno = strike("unlink", path)) ? -1 : next(path);
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

/* At first about as long as a step takes, so that it costs little where the call comes soon. */
static void linger(double most) {
  double seconds = 1e-3;
  for (long n = __atomic_add_fetch(&asked, 1, __ATOMIC_SEQ_CST); n > 0 && seconds < most; n--)
    seconds *= 1.0625;
  usleep((useconds_t)(1e6 * (seconds < most ? seconds : most)));
}

double MPI_Wtime(void) {
  static long ticks;
  const char *rate = getenv("STRIKE_CLOCK"), *pause = getenv("STRIKE_PAUSE"),
             *tick = getenv("STRIKE_TICK");
  strike("clock", NULL);
  if (pause)
    linger(atof(pause));
  if (tick)
    return atof(tick) * (double)__atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
  return own_clock() * (rate ? atof(rate) : 1) + ahead;
}

/* Those of libraries are made. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
  static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
  if (getenv("STRIKE_TICK") && of_program(__builtin_return_address(0)))
    return EAGAIN;
  return next(thread, how, run, with);
}

/* Called by handlers of signals too. */
time_t time(time_t *to) {
  static time_t (*next)(time_t *);
  const char *told = getenv("STRIKE_TIME");
  char        text[32] = "";
  const int   file = told ? open(told, O_RDONLY) : -1;
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "time");
  if (file < 0)
    return next(to);
  if (read(file, text, sizeof text - 1) < 0)
    text[0] = 0;
  close(file);
  if (to)
    *to = atol(text);
  return atol(text);
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

int fstatfs(int fd, struct statfs *s) {
  static int (*next)(int, struct statfs *);
  if (!next)
    *(void **)&next = dlsym(RTLD_NEXT, "fstatfs");
  const int result = next(fd, s);
  if (!result && getenv("STRIKE_NFS"))
    s->f_type = 0x6969;
  return result;
}
