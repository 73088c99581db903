/* snapshot-names.c: which checkpoints there are, whose they are, and which are removed. A checkpoint belongs to
 * the result whose token its head carries, under whatever name either of them is. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/snapshot-form.h"
#include "core/need.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 2 };

void cst_snapshot_own(cst_snapshot_owner *o, const char *path, const char *token) {
  memset(o, 0, sizeof *o);
  snprintf(o->path, sizeof o->path, "%s", path);
  snprintf(o->token, sizeof o->token, "%s", token);
  o->until = LONG_MAX;
}

char *cst_snapshot_name(const char *path, long number, char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld", path, number);
  return name;
}

char *cst_snapshot_new_name(const cst_snapshot_owner *o, long number,
                            char name[CST_SNAPSHOT_PATH]) {
  snprintf(name, CST_SNAPSHOT_PATH, "%s.checkpoint.%ld.%s.new", o->path, number, o->token);
  return name;
}

/* ---- what is there ------------------------------------------------------------------------------- */

static const char word[] = ".checkpoint.";

char *cst_snapshot_folder(const char *path, char folder[CST_SNAPSHOT_PATH]) {
  const char *cut = strrchr(path, '/');
  snprintf(folder, CST_SNAPSHOT_PATH, "%.*s", cut ? (int)(cut - path + 1) : 1, cut ? path : ".");
  return folder;
}

static const char *base_of(const char *path) {
  const char *cut = strrchr(path, '/');
  return cut ? cut + 1 : path;
}

/* The number in a snapshot's name, which ends with `ending`; 0 for other names. */
static long number_in(const char *name, const char *start, size_t length, const char *ending) {
  if (strncmp(name, start, length) || strncmp(name + length, word, sizeof word - 1))
    return 0;
  const char *digits = name + length + sizeof word - 1;
  size_t      n = strspn(digits, "0123456789");
  return *digits == '0' || n > 18 || strcmp(digits + n, ending) ? 0 : strtol(digits, NULL, 10);
}

static int may_be_one(const struct dirent *e) { return strstr(e->d_name, word) != NULL; }

static int newest_first(const void *a, const void *b) {
  long x = *(const long *)a;
  long y = *(const long *)b;
  return (x < y) - (x > y);
}

/* The numbers of all names beside the path with this ending, newest first; owned. */
static long *numbers_of(const char *path, const char *ending, int *n) {
  char            folder[CST_SNAPSHOT_PATH];
  const char     *start = base_of(path);
  struct dirent **file;
  int             files = scandir(cst_snapshot_folder(path, folder), &file, may_be_one, alphasort);
  long           *list = cst_need(calloc(files > 0 ? (size_t)files : 1, sizeof *list));
  *n = 0;
  for (int i = 0; i < files; i++) {
    long number = number_in(file[i]->d_name, start, strlen(start), ending);
    if (number)
      list[(*n)++] = number;
    free(file[i]);
  }
  if (files >= 0)
    free(file);
  qsort(list, (size_t)*n, sizeof *list, newest_first);
  return list;
}

typedef enum { NOBODYS, THEIRS, OTHERS } belonging; /* nobody's: no head of a checkpoint */

static belonging belongs(const cst_snapshot_owner *o, const char *name) {
  cst_snapshot_head head;
  const int         file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool        read_it = file >= 0 && read(file, &head, sizeof head) == sizeof head &&
                       !memcmp(head.mark, cst_snapshot_mark, CST_SNAPSHOT_KIND);
  if (file >= 0)
    close(file);
  if (!read_it)
    return NOBODYS;
  return memcmp(head.token, o->token, sizeof head.token) ? OTHERS : THEIRS;
}

/* Those of the list beside the owner's path that belong as wanted; returns how many. */
static int select_those(const cst_snapshot_owner *o, long *list, int n, unsigned wanted) {
  char name[CST_SNAPSHOT_PATH];
  int  kept = 0;
  for (int i = 0; i < n; i++)
    if (wanted & 1U << belongs(o, cst_snapshot_name(o->path, list[i], name)))
      list[kept++] = list[i];
  return kept;
}

long *cst_snapshot_numbers(const cst_snapshot_owner *o, int *n) {
  long *list = numbers_of(o->path, "", n);
  *n = select_those(o, list, *n, 1U << THEIRS | 1U << NOBODYS);
  return list;
}

long cst_snapshot_largest(const char *path) {
  int        n;
  long      *list = numbers_of(path, "", &n);
  const long largest = n ? list[0] : 0;
  free(list);
  return largest;
}

bool cst_snapshot_any(const char *path) {
  int                n;
  cst_snapshot_owner nobody;
  cst_snapshot_own(&nobody, path, "");
  long *list = numbers_of(path, "", &n);
  n = select_those(&nobody, list, n, 1U << THEIRS | 1U << OTHERS);
  free(list);
  return n > 0;
}

/* The number of a file of this name that is a finished checkpoint of the owner's token, and the path before the
 * number; 0: it is none. */
static long of_token(const cst_snapshot_owner *o, const char *name, char path[PATH_MAX]) {
  char        folder[CST_SNAPSHOT_PATH], full[2 * CST_SNAPSHOT_PATH];
  const char *cut = NULL;
  for (const char *at = strstr(name, word); at; at = strstr(at + 1, word))
    cut = at;
  const long number = cut ? number_in(name, name, (size_t)(cut - name), "") : 0;
  if (!number)
    return 0;
  cst_snapshot_folder(o->path, folder);
  if (strlen(folder) + (size_t)(cut - name) >= PATH_MAX)
    return 0;
  snprintf(full, sizeof full, "%s%s", strchr(o->path, '/') ? folder : "", name);
  if (belongs(o, full) != THEIRS)
    return 0;
  full[strlen(full) - strlen(cut)] = 0;
  snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, full);
  return number;
}

/* Sets o->path to that of the newest checkpoint up to o->until, if it is newer than `own`; to any, if there is
 * none at all up to it. */
static bool find_elsewhere(cst_snapshot_owner *o, long own) {
  char folder[CST_SNAPSHOT_PATH], path[PATH_MAX], best[PATH_MAX] = "", newer[PATH_MAX] = "";
  struct dirent **file;
  const int       n = scandir(cst_snapshot_folder(o->path, folder), &file, may_be_one, alphasort);
  for (int i = 0; i < n; i++) {
    const long number = of_token(o, file[i]->d_name, path);
    if (number > o->until)
      strcpy(newer, path);
    else if (number > own) {
      own = number;
      strcpy(best, path);
    }
    free(file[i]);
  }
  if (n >= 0)
    free(file);
  const char *found = *best ? best : own ? "" : newer;
  if (*found)
    strcpy(o->path, found);
  return *found;
}

bool cst_snapshot_find(cst_snapshot_owner *o) {
  int        n;
  long      *list = numbers_of(o->path, "", &n);
  const int  some = select_those(o, list, n, 1U << THEIRS | 1U << NOBODYS);
  const int  theirs = select_those(o, list, some, 1U << THEIRS);
  const long own = theirs ? list[0] : 0;
  free(list);
  if (own && (own >= o->taken || own > o->until))
    return true;
  return find_elsewhere(o, own) || some; /* those without a head may be damaged ones of the owner */
}

/* ---- removing ------------------------------------------------------------------------------------ */

/* Removes the owner's checkpoints with numbers above one and up to another; returns how many. */
static int remove_between(const cst_snapshot_owner *o, long above, long until) {
  char      name[CST_SNAPSHOT_PATH];
  int       n, removed = 0;
  long     *all = numbers_of(o->path, "", &n);
  const int theirs = select_those(o, all, n, 1U << THEIRS);
  for (int i = 0; i < theirs; i++)
    if (all[i] > above && all[i] <= until)
      removed += !unlink(cst_snapshot_name(o->path, all[i], name));
  free(all);
  return removed;
}

static void remove_unfinished(const cst_snapshot_owner *o) {
  char name[CST_SNAPSHOT_PATH], ending[CST_SNAPSHOT_TOKEN + 8];
  int  n;
  snprintf(ending, sizeof ending, ".%s.new", o->token);
  long *all = numbers_of(o->path, ending, &n);
  for (int i = 0; i < n; i++)
    unlink(cst_snapshot_new_name(o, all[i], name));
  free(all);
}

void cst_snapshot_remove_newer(const cst_snapshot_owner *o, long number) {
  (void)remove_between(o, number, LONG_MAX);
  remove_unfinished(o);
}

int cst_snapshot_remove_until(const cst_snapshot_owner *o) {
  remove_unfinished(o);
  return remove_between(o, 0, o->until);
}

void cst_snapshot_remove_old(const cst_snapshot_owner *o, long number, long keep) {
  char  name[CST_SNAPSHOT_PATH];
  int   n;
  long *all = numbers_of(o->path, "", &n);
  n = select_those(o, all, n, 1U << THEIRS);
  for (int i = KEPT; i < n; i++)
    if (all[i] != keep && all[i] != number)
      unlink(cst_snapshot_name(o->path, all[i], name));
  free(all);
}
