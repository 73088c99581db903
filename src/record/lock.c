/* lock.c: one run at a time on one output.
 *
 * PATH.lock always has an owner: a claim is written and locked under another name, then linked to PATH.lock,
 * which only one process can do. To take over a claim, a process first locks it and then replaces the whole
 * file, so that a process which opened the old file notices that the name now belongs to another.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE /* F_OFD_SETLK, renameat2 */
#include "record/lock.h"
#include "core/need.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { NFS = 0x6969 };
static const unsigned networks[] = {NFS, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f}; /* SMB, AFS */
enum { HOST = 256, NAME = PATH_MAX + HOST + 32, TRIES = 200 };

static const double claim_wait = 25, pause_between = 0.01, replace_wait = 1; /* seconds */

enum { MOST_HELD = 4 };

struct cst_lock {
  int  file;
  char name[NAME], own[NAME];  /* PATH.lock, and the first name of the claim */
  int  held[MOST_HELD], nheld; /* results that are locked themselves */
};

typedef struct {
  char   host[HOST], since[32];
  long   pid;
  double start;
} owner;

/* FOREIGN: what has the name is no lock of Constella, and stays. */
typedef enum { MINE, OTHERS, AGAIN, FAILED, FOREIGN } outcome;

enum { DEAD = -2 };

double cst_lock_process_start(long pid) {
  char  path[64], line[1024];
  FILE *f;
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  if (!(f = fopen(path, "r")))
    return -1;
  size_t n = fread(line, 1, sizeof line - 1, f);
  fclose(f);
  line[n] = 0;
  char *at = strrchr(line, ')'); /* the name before it may contain anything; field 3 follows */
  if (at && strchr("ZX", at[2]))
    return DEAD; /* a zombie: its parent has not read its status, and may never do so in a container */
  for (int field = 2; at && field < 22; field++)
    at = strchr(at + 1, ' ');
  return at ? strtod(at, NULL) : -1;
}

bool cst_lock_process_lives(long pid, double start) {
  if (kill((pid_t)pid, 0) && errno != EPERM)
    return false;
  const double now = cst_lock_process_start(pid);
  return now != DEAD && (start < 0 || now == start); /* else another process has this number now */
}

static void wait_seconds(double s) {
  nanosleep(&(struct timespec){(time_t)s, (long)(1e9 * (s - floor(s)))}, NULL);
}

static owner myself(void) {
  owner     o = {.pid = getpid(), .start = cst_lock_process_start(getpid())};
  time_t    now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(o.since, sizeof o.since, "%Y-%m-%dT%H:%M:%SZ", &utc);
  gethostname(o.host, sizeof o.host - 1);
  return o;
}

/* The owner of a claim; its host is empty where the file is not a claim. */
static owner owner_of(int file) {
  owner   o = {.start = -1};
  char    text[HOST + 128];
  ssize_t n = pread(file, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = 0;
  if (sscanf(text, "%255s %ld %lf %31s", o.host, &o.pid, &o.start, o.since) != 4 || o.pid < 1)
    o.host[0] = 0;
  return o;
}

/* Whether a file is no claim. A crash of the machine can leave an empty one, or one of zeros. */
static bool is_foreign(int file, const owner *o) {
  struct stat s;
  char        first = 0;
  if (*o->host)
    return false;
  return !fstat(file, &s) && (!S_ISREG(s.st_mode) || (pread(file, &first, 1, 0) == 1 && first));
}

static bool of_this_host(const owner *o) {
  char here[HOST] = "";
  gethostname(here, sizeof here - 1);
  return *o->host && !strcmp(here, o->host);
}

static bool gone(const owner *o) {
  return of_this_host(o) && !cst_lock_process_lives(o->pid, o->start);
}

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_named(int file, const char *name) {
  struct stat a, b;
  return !fstat(file, &a) && !stat(name, &b) && same_file(&a, &b);
}

/* MINE, OTHERS, or FAILED: the file system has no locks. It is a lock of the open file, which closing another
 * descriptor does not release. */
static outcome lock_file(int file) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (!fcntl(file, F_OFD_SETLK, &all))
    return MINE;
  return errno == EAGAIN || errno == EACCES ? OTHERS : FAILED;
}

static bool write_claim(cst_lock *l) {
  owner me = myself();
  snprintf(l->own + strlen(l->own), HOST + 32, ".%s.%ld", me.host, me.pid);
  unlink(l->own);
  l->file = open(l->own, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (l->file < 0 || dprintf(l->file, "%s %ld %.0f %s\n", me.host, me.pid, me.start, me.since) < 0)
    return false;
  lock_file(l->file); /* without locks, the time of the file shows that the run is alive */
  return true;
}

/* Gives the claim its name, unless that exists: by a link or, where the file system has none, by a rename
 * that does not replace. */
static outcome publish(const cst_lock *l) {
  int error = link(l->own, l->name) ? errno : 0;
  if (is_named(l->file,
               l->name)) { /* also where NFS repeats the request and then finds its own link */
    unlink(l->own);
    return MINE;
  }
  if (!error || error == EEXIST)
    return OTHERS;
  if (!renameat2(AT_FDCWD, l->own, AT_FDCWD, l->name, RENAME_NOREPLACE))
    return MINE;
  if (errno == EEXIST)
    return OTHERS;
  errno = error;
  return FAILED;
}

/* MINE after the given seconds without a sign of life. Opens the file for each test: NFS asks its server at
 * open() only. */
static outcome watch(int file, const char *name, double seconds) {
  struct stat first, now;
  if (fstat(file, &first))
    return AGAIN;
  for (double step = fmin(0.25, seconds / 10), left = seconds; left > 0; left -= step) {
    wait_seconds(step);
    int  look = open(name, O_RDONLY | O_CLOEXEC);
    bool same = look >= 0 && !fstat(look, &now) && same_file(&first, &now);
    if (look >= 0)
      close(look);
    if (!same)
      return AGAIN;
    if (now.st_mtim.tv_sec != first.st_mtim.tv_sec || now.st_mtim.tv_nsec != first.st_mtim.tv_nsec)
      return OTHERS;
  }
  return MINE;
}

/* Replaces the claim of an owner that is gone. Without locks several processes may do so; the last one has
 * it. */
static outcome replace(const cst_lock *l, bool alone) {
  if (rename(l->own, l->name))
    return FAILED;
  if (!alone)
    wait_seconds(replace_wait);
  return is_named(l->file, l->name) ? MINE : OTHERS;
}

/* A claim exists: finds its owner and whether that is alive. */
static outcome contest(const cst_lock *l, double seconds, owner *o) {
  int file = open(l->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO))
    return FOREIGN;
  if (file < 0)
    return errno == ENOENT || errno == ESTALE ? AGAIN : FAILED;
  outcome lock = lock_file(file);
  outcome out;
  *o = owner_of(file);
  if (!is_named(file, l->name))
    out = AGAIN;
  else if (is_foreign(file, o))
    out = FOREIGN;
  else if (lock == OTHERS)
    out = gone(o) ? AGAIN : OTHERS; /* gone: another run is replacing it now */
  else
    out = gone(o) ? MINE : watch(file, l->name, seconds);
  if (out == MINE)
    out = replace(l, lock == MINE && of_this_host(o));
  close(file);
  return out;
}

static outcome claim(cst_lock *l, double seconds, owner *o) {
  outcome out = write_claim(l) ? AGAIN : FAILED;
  for (int i = 0; i < TRIES && out == AGAIN; i++) {
    if (i)
      wait_seconds(pause_between);
    out = publish(l);
    if (out == OTHERS)
      out = contest(l, seconds, o);
  }
  return out;
}

static void say_why(outcome out, int error, const char *name, const owner *o, char *why, int n) {
  if (out == FAILED)
    snprintf(why, (size_t)n, "cannot be locked by %s: %s", name, strerror(error));
  else if (out == FOREIGN)
    snprintf(why, (size_t)n, "cannot be locked by %s, which is no lock of Constella: move it away",
             name);
  else if (*o->host)
    snprintf(why, (size_t)n, "is being written by process %ld on host %s since %s", o->pid, o->host,
             o->since);
  else
    snprintf(why, (size_t)n, "is being written by another run, which holds %s", name);
}

cst_lock *cst_lock_take_within(const char *path, double seconds, char *why, int n) {
  owner     o = {.pid = 0};
  cst_lock *l = cst_need(calloc(1, sizeof *l));
  snprintf(l->name, PATH_MAX + 8, "%s.lock", path);
  strcpy(l->own, l->name);
  outcome out = claim(l, seconds, &o);
  if (out == MINE)
    return l;
  say_why(out, errno, l->name, &o, why, n);
  if (l->file >= 0) {
    close(l->file);
    unlink(l->own);
  }
  free(l);
  return NULL;
}

cst_lock *cst_lock_take(const char *path, char *why, int n) {
  return cst_lock_take_within(path, claim_wait, why, n);
}

void cst_lock_mark(cst_lock *l, const char *token) {
  struct stat s;
  char        text[HOST];
  const int   n = snprintf(text, sizeof text, " %s\n", token);
  if (!fstat(l->file, &s) && s.st_size > 0)
    (void)!pwrite(l->file, text, (size_t)n, s.st_size - 1);
}

void cst_lock_clean(const char *path, const char *token) {
  char      name[NAME], text[2 * HOST] = "";
  const int file = snprintf(name, sizeof name, "%s.lock", path) > 0
                       ? open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                       : -1;
  if (file < 0)
    return;
  const owner o = owner_of(file);
  (void)!pread(file, text, sizeof text - 1, 0);
  if (strstr(text, token) && gone(&o) && lock_file(file) == MINE)
    unlink(name);
  close(file);
}

void cst_lock_beat(cst_lock *l) { futimens(l->file, NULL); }

void cst_lock_release(cst_lock *l) {
  if (!l)
    return;
  if (is_named(l->file, l->name))
    unlink(l->name); /* not the claim of a run that considered this one dead */
  close(l->file);
  for (int i = 0; i < l->nheld; i++)
    close(l->held[i]);
  free(l);
}

/* The lock of a result itself is on one byte far behind its data, which MPI-IO never locks. */
static struct flock far_byte(bool shared) {
  return (struct flock){.l_type = shared ? F_RDLCK : F_WRLCK,
                        .l_whence = SEEK_SET,
                        .l_start = (off_t)1 << 62,
                        .l_len = 1};
}

bool cst_lock_is_nfs(int file) {
  struct statfs s;
  return !fstatfs(file, &s) && s.f_type == NFS;
}

/* The lock that HDF5 takes of a file that it opens for writing; readers share it. Network file systems make it a lock of all
 * bytes, which is in the way of the ranks. It keeps out whom it can: failures are ignored. */
static void keep_out(int file) {
  struct statfs s;
  if (fstatfs(file, &s))
    return;
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if ((unsigned)s.f_type == networks[i])
      return;
  (void)flock(file, LOCK_SH | LOCK_NB);
}

bool cst_lock_hold(cst_lock *l, const char *path, bool shared, char *why, int n) {
  struct flock byte = far_byte(shared);
  const int    file = open(path, (shared ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC);
  const bool   taken = file >= 0 && !fcntl(file, F_OFD_SETLK, &byte);
  const bool   theirs = file >= 0 && !taken && (errno == EAGAIN || errno == EACCES);
  if (file < 0)
    snprintf(why, (size_t)n, "cannot be opened: %s", strerror(errno));
  else if (theirs)
    snprintf(why, (size_t)n,
             "is being read or written by another run, which may have reached it by another name");
  else if (l->nheld < MOST_HELD)
    l->held[l->nheld++] = file; /* where the file system has no locks, PATH.lock must do */
  if (theirs)
    close(file);
  else if (file >= 0)
    keep_out(file);
  return file >= 0 && !theirs;
}

/* Whether a run holds the result itself. */
static bool held_itself(const char *path) {
  struct flock byte = far_byte(false);
  const int    file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool   held = file >= 0 && !fcntl(file, F_OFD_GETLK, &byte) && byte.l_type != F_UNLCK;
  if (file >= 0)
    close(file);
  return held;
}

bool cst_lock_look(const char *path, bool *held, double *age) {
  char            name[NAME];
  struct stat     s;
  struct timespec now;
  struct flock    other = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  char           *real = realpath(path, NULL);
  snprintf(name, sizeof name, "%s.lock", real ? real : path);
  free(real);
  int  file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool there = file >= 0 && !fstat(file, &s);
  if (there) {
    clock_gettime(CLOCK_REALTIME, &now);
    *age = fmax((double)(now.tv_sec - s.st_mtim.tv_sec) +
                    1e-9 * (double)(now.tv_nsec - s.st_mtim.tv_nsec),
                0);
    *held = !fcntl(file, F_OFD_GETLK, &other) && other.l_type == F_WRLCK;
  }
  if (file >= 0)
    close(file);
  if (there || !held_itself(path))
    return there;
  *held = true;
  *age = 0;
  return true;
}
