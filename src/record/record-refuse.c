/* record-refuse.c: tests whether a path can become the output of a run, before any work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/h5.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Tries to make a new file: on some file systems access() succeeds and this fails. */
static const char *refuse_creation(const char *path) {
  static char text[PATH_MAX + 64];
  int         file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (file < 0) {
    snprintf(text, sizeof text, "cannot be created: %s", strerror(errno));
    return text;
  }
  close(file);
  unlink(path);
  return NULL;
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
  cst_result_progress(r, &done, &total);
  snprintf(
      text, sizeof text,
      "exists (%s, %ld of %ld trajectories done); --resume continues it, --overwrite replaces it",
      *state == 'r' ? "running on another host" : state, done, total);
  return text;
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
  if (stat(path, &s)) {
    if (errno != ENOENT && errno != ENOTDIR)
      return strerror(errno);
    const char *reason = refuse_folder(path);
    return reason ? reason : refuse_creation(path);
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
