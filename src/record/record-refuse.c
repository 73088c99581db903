/* record-refuse.c: tests whether a path can become the output of a run, before any work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/record.h"
#include "record/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cst_record_real_path(const char *output, char *path) {
  char at[PATH_MAX], target[PATH_MAX], folder[PATH_MAX];
  snprintf(at, sizeof at, "%s", output);
  for (int i = 0; i < 16; i++) {
    char *real = realpath(at, NULL);
    snprintf(path, PATH_MAX, "%s", real ? real : at);
    const ssize_t n = real ? -1 : readlink(at, target, sizeof target - 1);
    free(real);
    if (n < 0)
      break;
    target[n] = 0;
    const char *cut = strrchr(at, '/');
    snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - at + 1) : 0, at);
    snprintf(at, sizeof at, "%.2000s%.2000s", *target == '/' ? "" : folder, target);
  }
  char       *cut = strrchr(path, '/');
  const char *base = cut ? cut + 1 : path;
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - path + 1) : 2, cut ? path : "./");
  char *real = *path == '/' && !access(path, F_OK) ? NULL : realpath(folder, NULL);
  if (real)
    snprintf(at, sizeof at, "%.2000s/%.2000s", strcmp(real, "/") ? real : "", base);
  if (real)
    snprintf(path, PATH_MAX, "%s", at);
  free(real);
}

static const char *refuse_folder(const char *path) {
  static char text[PATH_MAX + 64];
  char        folder[PATH_MAX];
  struct stat s;
  snprintf(folder, sizeof folder, "%s", path);
  char *cut = strrchr(folder, '/');
  if (!cut)
    strcpy(folder, ".");
  else
    cut[cut == folder] = 0;
  if (stat(folder, &s)) {
    snprintf(text, sizeof text, "its folder %s: %s", folder, strerror(errno));
    return text;
  }
  if (!S_ISDIR(s.st_mode)) {
    snprintf(text, sizeof text, "%s is not a folder", folder);
    return text;
  }
  if (access(folder, W_OK | X_OK)) {
    snprintf(text, sizeof text, "its folder %s is not writable: %s", folder, strerror(errno));
    return text;
  }
  return NULL;
}

/* Tries to make a new file: on some file systems access() succeeds and this fails. It has the form of a file under
 * way, which the next run removes where this one is killed; with the name of the result it would be in the way of
 * --resume. */
static const char *refuse_creation(const char *path) {
  static char text[PATH_MAX + 64];
  char        name[PATH_MAX + 64];
  snprintf(name, sizeof name, "%s.%032d.new", path, 0);
  const int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (file < 0 && errno == EEXIST)
    return NULL; /* of a run that was killed, or begins now */
  if (file < 0) {
    snprintf(text, sizeof text, "cannot be created: %s", strerror(errno));
    return text;
  }
  close(file);
  unlink(name);
  return NULL;
}

/* A new result behind a link that leads nowhere is made where the link leads. */
static const char *refuse_new(const char *path) {
  char        real[PATH_MAX];
  struct stat s;
  const bool  link = !lstat(path, &s) && S_ISLNK(s.st_mode);
  if (link)
    cst_record_real_path(path, real);
  const char *reason = refuse_folder(link ? real : path);
  return reason ? reason : refuse_creation(link ? real : path);
}

/* The process of another live run on this host that writes the file; 0: none. */
static long writer(cst_result *r) {
  double pid = 0;
  char  *state = cst_result_text(r, "/run", "state");
  bool   live = state && !strcmp(state, "running") && cst_result_alive(r) > 0 &&
              cst_result_number(r, "/run", "pid", &pid);
  free(state);
  return live && (long)pid != getpid() ? (long)pid : 0;
}

/* Why an existing result cannot become the output; NULL: it can. */
static const char *refuse_result(cst_result *r, bool overwrite) {
  static char text[160];
  const char *state = cst_result_state(r);
  long        pid = writer(r);
  long        done, total;
  if (pid) {
    snprintf(text, sizeof text, "is being written by a live run (process %ld on this host)", pid);
    return text;
  }
  if (overwrite)
    return NULL;
  if (!strcmp(state, "complete"))
    return "exists (complete); --overwrite replaces it";
  if (!strcmp(state, "part"))
    return "exists (a complete part of a study); --overwrite replaces it";
  cst_result_progress(r, &done, &total);
  snprintf(
      text, sizeof text,
      "exists (%s, %ld of %ld trajectories done); --resume continues it, --overwrite replaces it",
      *state == 'r' ? "running on another host" : state, done, total);
  return text;
}

/* Whether the folder has names as long as those of the checkpoints of the file. */
static bool has_room_for_names(const char *path) {
  enum { BESIDE = sizeof ".checkpoint.1000000..new" - 1 + 32 }; /* with the token */
  char        folder[PATH_MAX];
  const char *name = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", name ? (int)(name - path + 1) : 1, name ? path : ".");
  const long most = pathconf(folder, _PC_NAME_MAX);
  return most < 0 || (long)strlen(name ? name + 1 : path) + BESIDE <= most;
}

const char *cst_record_refuse(const char *path, bool overwrite) {
  char        why[256];
  struct stat s;
  size_t      length = strlen(path);
  if (!length)
    return "the name is empty";
  if (path[length - 1] == '/')
    return "is the name of a folder";
  if (length >= PATH_MAX)
    return "the name is too long";
  if (!has_room_for_names(path))
    return "the name is too long: its checkpoints have names of 56 bytes more";
  if (stat(path, &s)) {
    if (errno != ENOENT && errno != ENOTDIR)
      return strerror(errno);
    return refuse_new(path);
  }
  if (S_ISDIR(s.st_mode))
    return "is a folder";
  if (!S_ISREG(s.st_mode))
    return "is not a regular file";
  cst_result *r = cst_result_open(path, why, sizeof why);
  const char *reason = r ? refuse_result(r, overwrite)
                       : overwrite
                           ? NULL
                           : "exists and is not a Constella result; --overwrite replaces it";
  cst_result_close(r);
  return reason ? reason : refuse_folder(path);
}
