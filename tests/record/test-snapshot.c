/* test-snapshot.c: checkpoints: reading them back, keeping and removing them, and detection of damage, full
 * disks and kills. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/snapshot-form.h"
#include "constella/random.h"
#include "tap.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECTIONS = 4, LARGE = (3 << 20) + 5 };

static char folder[256], path[300], why[256];

static const struct {
  const char *name;
  size_t      size;
} sections[SECTIONS] = {{"plan", 40}, {"empty", 0}, {"exactly-fifteen", 7}, {"state", LARGE}};

static const cst_snapshot_owner *owner(const char *of) {
  static cst_snapshot_owner o;
  cst_snapshot_own(&o, of, "0123");
  return &o;
}

/* The newest numbers; returns how many there are. */
static int list(long *numbers, int most) {
  int   n;
  long *all = cst_snapshot_numbers(owner(path), &n);
  for (int i = 0; i < n && i < most; i++)
    numbers[i] = all[i];
  free(all);
  return n < most ? n : most;
}

static char *bytes_of(int section, long number, size_t size) {
  char *x = malloc(size + 1);
  for (size_t i = 0; i < size; i++)
    x[i] = (char)((long)i * 7 + section * 31 + number);
  return x;
}

/* Writes one with the sections above, the last one of the given size. */
static bool write_one(long number, size_t large, long keep) {
  cst_snapshot_writer *w = cst_snapshot_begin(owner(path), number, why, sizeof why);
  for (int i = 0; w && i < SECTIONS; i++) {
    char   name[CST_SNAPSHOT_NAME] = "";
    size_t size = i < SECTIONS - 1 ? sections[i].size : large;
    char  *x = bytes_of(i, number, size);
    snprintf(name, sizeof name, "%s", sections[i].name);
    cst_snapshot_add(w, name, x, size);
    free(x);
  }
  return w && cst_snapshot_commit(w, keep, why, sizeof why);
}

/* Whether it opens, passes its check, and every section is as write_one wrote it. */
static bool whole(long number, size_t large) {
  cst_snapshot *s = cst_snapshot_open(path, number, why, sizeof why);
  bool          ok = s && cst_snapshot_check(s) && cst_snapshot_count(s) == 1 + SECTIONS;
  for (int i = 0; ok && i < SECTIONS; i++) {
    char   name[CST_SNAPSHOT_NAME];
    size_t size = cst_snapshot_section(s, i + 1, name),
           wanted = i < SECTIONS - 1 ? sections[i].size : large;
    ok = size == wanted && !strncmp(name, sections[i].name, sizeof name);
    char *x = malloc(size + 1), *y = bytes_of(i, number, size);
    ok = ok && cst_snapshot_read(s, i + 1, x) && !memcmp(x, y, size);
    free(x), free(y);
  }
  cst_snapshot_close(s);
  return ok;
}

static bool there(const char *end) {
  char        name[400];
  struct stat s;
  snprintf(name, sizeof name, "%s.checkpoint.%s", path, end);
  return !stat(name, &s);
}

static double seconds_of_one; /* that it takes to write LARGE bytes */

static void round_trip(void) {
  struct timespec a, b;
  OK(list((long[4]){0}, 4) == 0, "none at first");
  OK(!cst_snapshot_open(path, 1, why, sizeof why), "which cannot be opened: %s", why);
  clock_gettime(CLOCK_MONOTONIC, &a);
  bool ok = write_one(1, LARGE, 0);
  clock_gettime(CLOCK_MONOTONIC, &b);
  OK(ok && whole(1, LARGE) && !there("1.0123.new"), "sections, large and empty, come back");
  seconds_of_one = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
  NOTE("%.1f MB in %.3f s", LARGE / 1e6, seconds_of_one);
  cst_snapshot_writer *w = cst_snapshot_begin(owner(path), 2, why, sizeof why);
  OK(w && cst_snapshot_add(w, "x", "y", 1) && there("2.0123.new"), "one is begun");
  cst_snapshot_abandon(w);
  OK(!there("2.0123.new") && !there("2") && there("1"), "and abandoned: nothing has happened");
  cst_snapshot_abandon(NULL), cst_snapshot_close(NULL);
  w = cst_snapshot_begin(owner(path), 2, why, sizeof why);
  OK(w && cst_snapshot_commit(w, 0, why, sizeof why), "one without sections");
  cst_snapshot *s = cst_snapshot_open(path, 2, why, sizeof why);
  OK(s && cst_snapshot_count(s) == 1 && cst_snapshot_check(s), "is one");
  cst_snapshot_close(s);
}

static void touch(const char *end) {
  char name[400];
  snprintf(name, sizeof name, "%s.checkpoint.%s", path, end);
  FILE *f = fopen(name, "w");
  if (f)
    fputs("x", f), fclose(f);
}

static void kept(void) {
  long n[8] = {0};
  touch("1.0123.new"), touch("03"), touch("2.bak"), touch("-1"), touch("");
  for (long k = 1; k <= 12; k++)
    write_one(k, 100, k <= 5 ? 3 : 0);
  int count = list(n, 8);
  OK(count == 2 && n[0] == 12 && n[1] == 11, "the last two are kept, newest first: %ld %ld", n[0],
     n[1]);
  OK(whole(11, 100) && whole(12, 100), "and whole");
  OK(there("03") && there("2.bak") && there("-1") && there("") && !there("1.0123.new"),
     "files of other names are left alone");
  OK(list(n, 1) == 1 && n[0] == 12, "a short list holds the newest");
  write_one(13, 100, 11), write_one(14, 100, 11);
  OK(list(n, 8) == 3 && n[2] == 11 && whole(11, 100), "one that is in use is kept beside them");
  touch("9.0123.new");
  cst_snapshot_remove_newer(owner(path), 0);
  OK(list(n, 8) == 0 && there("03") && !there("9.0123.new"), "all are removed");
  const char *const rest[] = {"03", "2.bak", "-1", ""};
  for (int i = 0; i < 4; i++) {
    char name[400];
    snprintf(name, sizeof name, "%s.checkpoint.%s", path, rest[i]);
    unlink(name);
  }
}

static bool noticed(void) {
  cst_snapshot *s = cst_snapshot_open(path, 1, why, sizeof why);
  bool          bad = !s || !cst_snapshot_check(s), unread = !s;
  int           worse = !s;
  for (int part = 0; s && part < 3; part++)
    worse += !cst_snapshot_check_part(s, part, 3);
  if (bad != (worse > 0))
    return !bad; /* three parts find what one finds */
  for (int i = 0; s && i < cst_snapshot_count(s); i++) {
    char  name[CST_SNAPSHOT_NAME];
    char *x = malloc(cst_snapshot_section(s, i, name) + 1);
    unread = !cst_snapshot_read(s, i, x) || unread;
    free(x);
  }
  cst_snapshot_close(s);
  return bad && unread;
}

static size_t load(char **bytes) {
  char   name[CST_SNAPSHOT_PATH];
  FILE  *f = fopen(cst_snapshot_name(path, 1, name), "rb");
  size_t n;
  *bytes = malloc(1 << 16);
  n = fread(*bytes, 1, 1 << 16, f);
  fclose(f);
  return n;
}

static void store(const char *bytes, size_t size) {
  char  name[CST_SNAPSHOT_PATH];
  FILE *f = fopen(cst_snapshot_name(path, 1, name), "wb");
  fwrite(bytes, 1, size, f);
  fclose(f);
}

static void damage(void) {
  char  *bytes;
  int    unnoticed = 0;
  size_t n;
  write_one(1, 300, 0);
  n = load(&bytes);
  for (size_t length = 0; length < n; length++)
    store(bytes, length), unnoticed += !noticed();
  OK(!unnoticed, "cut short at any of %zu lengths: noticed, but for %d", n, unnoticed);
  for (size_t bit = 0; bit < 8 * n; bit++) {
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    store(bytes, n), unnoticed += !noticed();
    bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
  }
  OK(!unnoticed, "any of %zu bits turned: noticed, but for %d", 8 * n, unnoticed);
  bytes[n] = 0, store(bytes, n + 1);
  OK(noticed(), "a byte more: %s", why);
  store(bytes, n);
  OK(!noticed() && whole(1, 300), "and the file itself is right");
  bytes[n - sizeof(cst_snapshot_trailer) + CST_SNAPSHOT_KIND] ^= 'l' ^ 'b';
  store(bytes, n);
  OK(noticed() && strstr(why, "byte order"), "one of another machine: %s", why);
  free(bytes);
}

static void wrong_digest(void) {
  cst_snapshot_place place = {.size = 3};
  cst_snapshot_remove_newer(owner(path), 0);
  cst_snapshot_writer *w = cst_snapshot_begin(owner(path), 1, why, sizeof why);
  if (w)
    cst_snapshot_enter(w, "x", &place);
  OK(w && cst_snapshot_add(w, "y", "abc", 3) && cst_snapshot_commit(w, 0, why, sizeof why) &&
         noticed(),
     "bytes that are not those of the digest are noticed");
}

/* Sections of other processes, at two places, the later one written first. */
static void parts(void) {
  static const char *bytes[] = {"lanes of the first", "more of them", "lanes of the second"};
  const char        *zeros = calloc(CST_SNAPSHOT_PAGE, 1);
  const void        *first[] = {bytes[0], bytes[1], zeros}, *second[] = {bytes[2]};
  cst_snapshot_place of_first[] = {{.size = 18}, {.size = 12}, {.size = CST_SNAPSHOT_PAGE - 30}},
                     of_second[] = {{.size = 19}};
  char name[CST_SNAPSHOT_NAME], got[4][CST_SNAPSHOT_PAGE] = {0};
  cst_snapshot_remove_newer(owner(path), 0);
  cst_snapshot_writer *w = cst_snapshot_begin(owner(path), 1, why, sizeof why);
  bool                 ok = w != NULL;
  ok = ok && cst_snapshot_write(owner(path), 1, 2 * CST_SNAPSHOT_PAGE, second, of_second, 1, why,
                                sizeof why);
  ok = ok &&
       cst_snapshot_write(owner(path), 1, CST_SNAPSHOT_PAGE, first, of_first, 3, why, sizeof why);
  OK(ok && !there("1"), "parts are written before the whole is there: %s", why);
  cst_snapshot_enter(w, "lanes", &of_second[0]);
  for (int i = 0; i < 3; i++)
    cst_snapshot_enter(w, i < 2 ? "lanes" : "gap", &of_first[i]);
  cst_snapshot_add(w, "done", "end", 4);
  OK(cst_snapshot_commit(w, 0, why, sizeof why), "and then it is");
  cst_snapshot *s = cst_snapshot_open(path, 1, why, sizeof why);
  OK(s && cst_snapshot_count(s) == 6 && cst_snapshot_check(s), "with sections of all: %s", why);
  for (int i = 0; s && i < 3; i++)
    ok = cst_snapshot_read(s, i + 1, got[i]) && ok;
  ok = s && cst_snapshot_read(s, 5, got[3]) && ok;
  OK(ok && !strcmp(got[0], bytes[2]) && !strcmp(got[1], bytes[0]) && !strcmp(got[3], "end"),
     "which are what was written");
  OK(s && cst_snapshot_section(s, 4, name) == CST_SNAPSHOT_PAGE - 30 && !strcmp(name, "gap"),
     "also the zeros that fill a page");
  cst_snapshot_close(s);
  OK(!cst_snapshot_write(owner(path), 7, 0, second, of_second, 1, why, sizeof why) &&
         strstr(why, "No such file"),
     "there is no part of what was not begun: %s", why);
  free((void *)(uintptr_t)zeros);
}

/* With a limit on the size of files. */
static bool refused_within(rlim_t most) {
  struct rlimit old, low;
  getrlimit(RLIMIT_FSIZE, &old);
  low = old, low.rlim_cur = most;
  setrlimit(RLIMIT_FSIZE, &low);
  bool ok = write_one(2, LARGE, 0);
  setrlimit(RLIMIT_FSIZE, &old);
  return !ok && strstr(why, "File too large") && !there("2") && !there("2.0123.new");
}

static void full_disk(void) {
  struct stat s;
  char        name[CST_SNAPSHOT_PATH];
  bool        ok = true;
  signal(SIGXFSZ, SIG_IGN);
  cst_snapshot_remove_newer(owner(path), 0);
  write_one(1, LARGE, 0);
  stat(cst_snapshot_name(path, 1, name), &s);
  const rlim_t all = (rlim_t)s.st_size,
               room[] = {0,        10,     1 << 20, all - sizeof(cst_snapshot_trailer) - 70,
                         all - 60, all - 1};
  for (int i = 0; i < 6; i++)
    ok = refused_within(room[i]) && ok;
  OK(ok, "no room, in a section, the index or the trailer: %s", why);
  OK(whole(1, LARGE), "the earlier one is whole");
  OK(!refused_within(all) && whole(2, LARGE), "with room for the last byte there is no failure");
}

static void read_only(void) {
  if (geteuid() == 0 && seteuid(65534))
    return;
  chmod(folder, 0555);
  cst_snapshot_writer *w = cst_snapshot_begin(owner(path), 3, why, sizeof why);
  OK(!w && *why, "a folder that cannot be written: %s", why);
  if (getuid() == 0 && seteuid(0))
    return;
  chmod(folder, 0755);
  OK(!cst_snapshot_begin(owner("/proc/none.h5"), 1, why, sizeof why),
     "a file system that cannot: %s", why);
}

/* Kills a process that writes one after another: when it has written some, and a part of the time that one takes. */
static void kill_once(double part) {
  int             says[2];
  char            word;
  struct timespec pause = {0, 0};
  if (pipe(says))
    return;
  pid_t child = fork();
  if (child == 0) {
    long n = 0;
    list(&n, 1);
    for (;;)
      if (!write_one(++n, LARGE, 0) || write(says[1], "w", 1) != 1)
        _exit(1);
  }
  close(says[1]);
  for (int some = (int)(1.4 * part); some > 0 && read(says[0], &word, 1) == 1; some--)
    ;
  const double rest = (1.4 * part - floor(1.4 * part)) * seconds_of_one;
  pause.tv_sec = (time_t)rest;
  pause.tv_nsec = (long)(1e9 * (rest - floor(rest)));
  nanosleep(&pause, NULL);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(says[0]);
}

static void killed(void) {
  int  bad = 0, halfway = 0, before = 2;
  long n[8] = {0};
  cst_snapshot_remove_newer(owner(path), 0);
  for (long k = 1; k <= 2; k++)
    write_one(k, LARGE, 0);
  for (int i = 0; i < 30; i++) {
    kill_once(cst_random_uniform(1, (uint64_t)i, CST_PURPOSE_TEST, 0, 0));
    int  count = list(n, 8);
    char next[32];
    snprintf(next, sizeof next, "%ld.0123.new", n[0] + 1);
    halfway += there(next);
    bad += count < 2 || count > before + 1; /* one more: killed before the old ones were removed */
    before = count;
    for (int k = 0; k < count; k++)
      bad += !whole(n[k], LARGE);
  }
  OK(!bad, "killed at 30 instants: the last two are whole each time, but for %d", bad);
  OK(n[0] > 2, "and the run gets ahead, to %ld", n[0]);
  OK(write_one(n[0] + 1, LARGE, 0) && list(n, 8) == 2, "the next one removes the old ones");
  OK(halfway > 0, "%d kills came while one was being written", halfway);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/constella-snapshot-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder))
    return 1;
  snprintf(path, sizeof path, "%s/x.h5", folder);
  round_trip();
  kept();
  damage();
  wrong_digest();
  parts();
  full_disk();
  read_only();
  killed();
  cst_snapshot_remove_newer(owner(path), 0);
  OK(!rmdir(folder), "nothing else was left behind");
  return tap_done();
}
