/* test-lock.c: one run at a time on one output: claims of live, dead and remote processes, with locks and
 * without. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "record/lock.h"
#include "tap.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 20, PATIENT = 600 }; /* PATIENT: seconds, within which who lives gives a sign */

static char folder[256], path[300], name[320], why[8192];

static double passed; /* seconds for which this process has asked to sleep */

/* Of the library too: how long it waits is what it asks for, not what it gets on a busy machine. */
int nanosleep(const struct timespec *t, struct timespec *rest) {
  passed += (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, t, rest);
}

static void wait_seconds(double s) {
  nanosleep(&(struct timespec){(time_t)s, (long)(1e9 * (s - (double)(time_t)s))}, NULL);
}

static bool exists(void) {
  struct stat s;
  return !stat(name, &s);
}

static void write_claim(const char *host, long pid, double start) {
  FILE *f = fopen(name, "w");
  if (f)
    fprintf(f, "%s %ld %.0f 2024-01-02T03:04:05Z\n", host, pid, start), fclose(f);
}

/* Simulates a file system without locks, where F_OFD_SETLK fails, for the rest of the process. */
static void without_locks(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _exit(9);
}

/* A child that takes the lock, reports that through a pipe, and beats until it is killed. Returns its number
 * when it has the lock, else 0. */
static pid_t owner_process(bool locks, double beat) {
  int  says[2];
  char word = 0;
  if (pipe(says))
    return 0;
  pid_t child = fork();
  if (child == 0) {
    if (!locks)
      without_locks();
    cst_lock *l = cst_lock_take_within(path, 1, why, sizeof why);
    if (write(says[1], l ? "y" : "n", 1) != 1)
      _exit(1);
    if (!l)
      _exit(1);
    for (;; wait_seconds(beat))
      cst_lock_beat(l);
  }
  close(says[1]);
  if (read(says[0], &word, 1) != 1)
    word = 0;
  close(says[0]);
  return word == 'y' ? child : 0;
}

static void end(pid_t child) {
  if (child > 0)
    kill(child, SIGKILL), waitpid(child, NULL, 0);
}

static void alone(void) {
  char   text[512] = "", wanted[64];
  bool   held;
  double age;
  OK(!cst_lock_look(path, &held, &age), "no lock at first");
  cst_lock *l = cst_lock_take(path, why, sizeof why);
  OK(l && exists(), "a lock is taken");
  FILE *f = fopen(name, "r");
  if (f)
    text[fread(text, 1, sizeof text - 1, f)] = 0, fclose(f);
  snprintf(wanted, sizeof wanted, " %ld %.0f 20", (long)getpid(), cst_lock_process_start(getpid()));
  OK(strstr(text, wanted) != NULL, "and says whose it is: %.*s", (int)strcspn(text, "\n"), text);
  OK(cst_lock_look(path, &held, &age) && held && age < 10, "it is held, seen from outside");
  OK(!cst_lock_take(path, why, sizeof why) && strstr(why, "is being written by process"),
     "by its owner too: %s", why);
  OK(cst_lock_look(path, &held, &age) && held, "which changes nothing");
  cst_lock_release(l);
  OK(!exists(), "given up, it is gone");
  cst_lock_release(NULL);
  l = cst_lock_take(path, why, sizeof why);
  unlink(name);
  write_claim("elsewhere", 7, 1);
  cst_lock_release(l);
  OK(exists(), "the claim of another that took its place stays");
  unlink(name);
}

static void other_process(bool locks) {
  const char *how = locks ? "with locks" : "without locks";
  pid_t       child = owner_process(locks, 0.05);
  char        wanted[64];
  OK(child > 0, "%s: another process takes it", how);
  passed = 0;
  cst_lock *l = cst_lock_take_within(path, PATIENT, why, sizeof why);
  snprintf(wanted, sizeof wanted, "is being written by process %ld on host ", (long)child);
  OK(!l && strstr(why, wanted) && strstr(why, " since 20"), "%s: refused while it lives: %s", how,
     why);
  OK(passed < PATIENT / 2, "%s: at once, or at its next beat, after %.1f s", how, passed);
  end(child);
  passed = 0;
  l = cst_lock_take(path, why, sizeof why);
  OK(l && passed < 5, "%s: taken over at once when it was killed%s%s", how, l ? "" : ": ",
     l ? "" : why);
  cst_lock_release(l);
  OK(!exists(), "%s: and given up", how);
}

/* A process of this host that neither holds a lock nor gives a sign of life: its number may have gone to
 * another, or it hangs. */
static void silent(void) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  write_claim(host, getpid(), cst_lock_process_start(getpid()));
  passed = 0;
  cst_lock *l = cst_lock_take_within(path, 0.5, why, sizeof why);
  OK(l && passed > 0.4,
     "a live process without a sign of life is waited for, then its claim is taken over");
  cst_lock_release(l);
  write_claim(host, getpid(), cst_lock_process_start(getpid()) - 1);
  passed = 0;
  l = cst_lock_take(path, why, sizeof why);
  OK(l && passed < 5, "a number that belongs to another process now is no owner");
  cst_lock_release(l);
}

static void far_away(void) {
  write_claim("elsewhere", 7, 1);
  passed = 0;
  cst_lock *l = cst_lock_take_within(path, 0.5, why, sizeof why);
  OK(l && passed > 0.4 && passed < 10,
     "a stale claim of another host is taken over after a wait, in %.1f s", passed);
  cst_lock_release(l);
  write_claim("elsewhere", 7, 1);
  pid_t child = fork();
  if (child == 0)
    for (;; wait_seconds(0.1))
      utimensat(AT_FDCWD, name, NULL, 0);
  l = cst_lock_take_within(path, PATIENT, why, sizeof why);
  OK(!l &&
         !strcmp(why, "is being written by process 7 on host elsewhere since 2024-01-02T03:04:05Z"),
     "one that lives is not: %s", why);
  end(child);
  unlink(name);
  FILE *f = fopen(name, "w");
  if (f)
    fclose(f);
  l = cst_lock_take_within(path, 0.5, why, sizeof why);
  OK(l != NULL, "an empty file that nobody touches is no claim for ever");
  cst_lock_release(l);
}

/* Things of others that have the name of the lock stay. */
static void foreign(void) {
  struct stat s;
  char        target[400];
  FILE       *f;
  snprintf(target, sizeof target, "%s-of-others", path);
  for (int kind = 0; kind < 4; kind++) {
    bool made = false;
    if (kind == 0)
      made = (f = fopen(name, "w")) && fputs("mine\n", f) >= 0 && !fclose(f);
    else if (kind == 1)
      made = !mkdir(name, 0755);
    else if (kind == 2)
      made = !mkfifo(name, 0644);
    else
      made = !symlink(target, name);
    cst_lock *l = cst_lock_take_within(path, 0.2, why, sizeof why);
    OK(made && !l && strstr(why, "no lock of Constella") && !lstat(name, &s),
       "what is no lock is refused, and stays: %s", why);
    remove(name);
  }
}

/* Starts n processes at the same instant, which keep the lock until all have tried; returns how many got it.
 */
static int winners(bool locks) {
  int   start[2], says[2], stop[2], won = 0;
  pid_t child[MANY];
  char  word;
  if (pipe(start) || pipe(says) || pipe(stop))
    return -1;
  for (int i = 0; i < MANY; i++) {
    child[i] = fork();
    if (child[i])
      continue;
    close(start[1]), close(stop[1]);
    if (!locks)
      without_locks();
    if (read(start[0], &word, 1) < 0)
      _exit(1);
    cst_lock *l =
        cst_lock_take_within(path, locks ? 0.5 : PATIENT, why,
                             sizeof why); /* longer than the time until a claim is certain */
    if (write(says[1], l ? "y" : "n", 1) != 1)
      _exit(1);
    for (struct pollfd p = {.fd = stop[0]}; !poll(&p, 1, 50);)
      if (l)
        cst_lock_beat(l);
    cst_lock_release(l);
    _exit(0);
  }
  close(start[0]), close(start[1]); /* all start when the last writing end is closed */
  for (int i = 0; i < MANY && read(says[0], &word, 1) == 1; i++)
    won += word == 'y';
  close(stop[0]), close(stop[1]), close(says[0]), close(says[1]);
  for (int i = 0; i < MANY; i++)
    waitpid(child[i], NULL, 0);
  return won;
}

static void at_once(void) {
  char host[256] = "";
  int  bad = 0;
  gethostname(host, sizeof host - 1);
  for (int round = 0; round < 10; round++)
    bad += winners(true) != 1 || exists();
  OK(!bad, "%d processes at once, ten times: exactly one gets it, but for %d rounds", MANY, bad);
  for (int round = bad = 0; round < 10; round++) {
    write_claim(host, getpid(), 1);
    bad += winners(true) != 1 || exists();
  }
  OK(!bad, "where a dead process of this host had it: the same, but for %d", bad);
  write_claim("elsewhere", 7, 1);
  OK(winners(true) == 1 && !exists(), "where another host had it: the same");
  for (int round = bad = 0; round < 5; round++)
    bad += winners(false) != 1 || exists();
  OK(!bad, "without locks: the same, but for %d", bad);
  for (int round = bad = 0; round < 2; round++) {
    write_claim(host, getpid(), 1);
    bad += winners(false) != 1 || exists();
  }
  OK(!bad, "without locks where a dead process had it: the same, but for %d", bad);
}

static void read_only(void) {
  if (geteuid() == 0 && seteuid(65534))
    return;
  chmod(folder, 0555);
  OK(!cst_lock_take(path, why, sizeof why) && strstr(why, "cannot be locked by "),
     "a folder that cannot be written: %s", why);
  if (getuid() == 0 && seteuid(0))
    return;
  chmod(folder, 0755);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/constella-lock-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder))
    return 1;
  snprintf(path, sizeof path, "%s/x.h5", folder);
  snprintf(name, sizeof name, "%s.lock", path);
  alone();
  other_process(true);
  other_process(false);
  silent();
  far_away();
  foreign();
  at_once();
  read_only();
  OK(!rmdir(folder), "nothing is left behind");
  return tap_done();
}
