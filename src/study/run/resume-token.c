/* resume-token.c: the random token of a result, by which its checkpoints are known under whatever name, and what is
 * removed of them when the result is complete (see resume.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/record.h"
#include "record/lock.h"
#include "record/snapshot.h"
#include "study/run/resume.h"

enum { MOST_NAMES = 1000 }; /* that a result may have had */

void cst_resume_name(char run[40]) {
  unsigned char x[16] = {0};
  (void)!getrandom(x, sizeof x, 0);
  for (int i = 0; i < 16; i++)
    snprintf(run + 2 * i, 3, "%02x", x[i]);
}

void cst_resume_token(const char *path, char token[40]) {
  char        why[256];
  cst_result *f = access(path, R_OK) ? NULL : cst_result_open(path, why, sizeof why);
  char       *text = f ? cst_result_text(f, "/run", "id") : NULL;
  snprintf(token, 40, "%s", text ? text : "");
  free(text);
  cst_result_close(f);
}

/* Whether another file in the folder of a result has its token: a copy, or the original; a hard link has not. */
static bool has_twin(const char *path, const char *token) {
  char           folder[PATH_MAX], name[2 * PATH_MAX], there[40] = "";
  const char    *cut = strrchr(path, '/');
  const char    *base = cut ? cut + 1 : path;
  struct dirent *e;
  struct stat    mine, s;
  const bool     known = !stat(path, &mine);
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - path + 1) : 2, cut ? path : "./");
  DIR *d = opendir(folder);
  while (d && strcmp(there, token) && (e = readdir(d))) {
    if (!strcmp(e->d_name, base) || strstr(e->d_name, ".checkpoint."))
      continue;
    snprintf(name, sizeof name, "%s%s", folder, e->d_name);
    if (known && !stat(name, &s) && (s.st_dev != mine.st_dev || s.st_ino != mine.st_ino))
      cst_resume_token(name, there);
  }
  if (d)
    closedir(d);
  return !strcmp(there, token);
}

void cst_resume_clean(const cst_resume *r, const char *path) {
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, path, r->run);
  cst_snapshot_remove_newer(&owner, 0);
  for (int i = 0; i < MOST_NAMES; i++) {
    cst_snapshot_own(&owner, path, r->run);
    owner.until = r->until;
    if (!*r->from || !cst_snapshot_find(&owner) || !strcmp(owner.path, path))
      break;
    if (i == 0 && has_twin(path, r->run))
      break;
    if (!cst_snapshot_remove_until(&owner)) /* those of a newer state of the result stay */
      break;
    cst_lock_clean(owner.path, r->run);
  }
}
