/* resume.c: whether and how a study can continue from an earlier run's checkpoint (see resume.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/resume.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/record.h"
#include "record/bundle.h"
#include "record/lock.h"
#include "record/snapshot.h"
#include "study/channels/channels.h"
#include "study/plan/division.h"
#include "study/result/failure.h"
#include "study/run/identity.h"
#include "study/run/run-notes.h"

/* ---- the token of a result ------------------------------------------------------------------- */

/* It is random; by it the checkpoints of a result are known under whatever name. When the result is complete they are
 * removed. */

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

/* ---- digests, on all ranks ------------------------------------------------------------------- */

typedef struct {
  long number; /* 0: no more */
  char path[PATH_MAX];
} inquiry;

/* Compares the part of this rank; true on every rank if all parts are right. Collective. */
static bool check(const inquiry *q) {
  int  rank, ranks, ok;
  char why[512];
  MPI_Comm_rank(cst_world, &rank);
  MPI_Comm_size(cst_world, &ranks);
  cst_snapshot *s = cst_snapshot_open(q->path, q->number, why, sizeof why);
  ok = s && cst_snapshot_check_part(s, rank, ranks);
  cst_snapshot_close(s);
  (void)MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, cst_world);
  return ok;
}

/* The next inquiry of rank 0; false: there is none. Collective. */
static bool share(inquiry *q) {
  (void)MPI_Bcast(q, sizeof *q, MPI_BYTE, 0, cst_world);
  return q->number > 0;
}

void cst_resume_help(void) {
  inquiry q;
  while (share(&q))
    (void)check(&q);
}

void cst_resume_release(void) {
  inquiry none = {0};
  (void)share(&none);
}

static bool check_by_all(const char *path, long number) {
  inquiry q = {.number = number};
  snprintf(q.path, sizeof q.path, "%s", path);
  return share(&q) && check(&q);
}

/* ---- the result ------------------------------------------------------------------------------ */

/* A checkpoint number that the result has stored; 0: none. */
static double number_in(cst_result *f, const cst_channel_row *row) {
  int     ndim;
  long    e[CST_FIELD_DIMS];
  double *x = cst_result_read(f, row->path, &ndim, e);
  double  number = x && *x > 0 && *x < 1e15 ? *x : 0;
  free(x);
  return number;
}

/* A result that takes the place of a newer state of itself lacks rows that the checkpoint counts as done. */
static void refuse_older(const char *name, const cst_resume *r, long number, cst_diag *d) {
  char checkpoint[CST_SNAPSHOT_PATH], upto[64] = "no checkpoint";
  cst_snapshot_name(r->from, number, checkpoint);
  if (r->until > 0)
    snprintf(upto, sizeof upto, "checkpoint %ld", r->until);
  cst_diag_add(
      d, name, 0, 0,
      "is an older state of the result than its checkpoint %s: it has the rows of %s and "
      "what was done before; put the newer file back, or move away what is newer, or start "
      "over with --overwrite",
      checkpoint, upto);
}

/* The identity of checkpoint `number`, after checking all its bytes; NULL with why: damaged. */
static char *identity_of(const char *path, long number, char *why, int n) {
  cst_snapshot *s = cst_snapshot_open(path, number, why, n);
  char         *text = NULL;
  if (!s)
    return NULL;
  for (int i = 0; i < cst_snapshot_count(s) && !text; i++) {
    char         name[CST_SECTION_NAME];
    const size_t size = cst_snapshot_section(s, i, name);
    if (strncmp(name, "identity", CST_SECTION_NAME))
      continue;
    text = calloc(size + 1, 1);
    if (text && !cst_snapshot_read(s, i, text))
      text[0] = 0;
  }
  if (!check_by_all(path, number) || !text) {
    snprintf(why, (size_t)n, "its contents are corrupt");
    free(text);
    text = NULL;
  }
  cst_snapshot_close(s);
  return text;
}

/* Where the checkpoints of a result are, from what it has stored. */
static void find_checkpoints(const cst_resume *r, const char *path, cst_result *f,
                             cst_snapshot_owner *owner) {
  cst_snapshot_own(owner, path, r->run);
  owner->taken = (long)number_in(f, &cst_channel_checkpoint);
  owner->until = r->until;
  (void)cst_snapshot_find(owner);
}

/* The newest undamaged checkpoint of this study and build, beside r->from; 0: none. */
static long choose(const cst_plan *p, const char *path, const char *name, cst_result *f,
                   cst_resume *r, cst_diag *d) {
  int                n;
  cst_snapshot_owner owner;
  find_checkpoints(r, path, f, &owner);
  snprintf(r->from, sizeof r->from, "%s", owner.path);
  long *number = cst_snapshot_numbers(&owner, &n);
  char *now = cst_identity_text(p, r->run);
  char  why[512], what[64];
  long  chosen = 0;
  for (int i = 0; i < n && !chosen && !cst_diag_count(d); i++) {
    char *then = identity_of(r->from, number[i], why, sizeof why);
    snprintf(what, sizeof what, "checkpoint %ld", number[i]);
    if (!then) {
      const size_t at = strlen(r->message), room = sizeof r->message - at;
      const int    length = snprintf(
             r->message + at, room,
             "%sconstella: checkpoint %ld of %.200s is damaged (%.200s); the one before it is "
                "used",
          at ? "\n" : "", number[i], name, why);
      if (at && length >= (int)room)
        r->message[at] = 0; /* many are damaged: the first ones are named */
    } else if (!cst_identity_same(then, now, what, why, sizeof why))
      cst_diag_add(
          d, name, 0, 0,
          "cannot be resumed: %s; resume with what made it, or start over with --overwrite", why);
    else if (number[i] > r->until)
      refuse_older(name, r, number[i], d);
    else
      chosen = number[i];
    free(then);
  }
  if (n > 0 && !chosen && !cst_diag_count(d))
    cst_diag_add(
        d, name, 0, 0,
        "cannot be resumed: all of its checkpoints are damaged (%s); start over with --overwrite",
        why);
  free(number);
  free(now);
  return chosen;
}

/* Whether a complete result still has checkpoints, here or beside an earlier name. */
static bool has_checkpoint(const char *path, cst_resume *r) {
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, path, r->run);
  owner.until = r->until;
  const bool found = cst_snapshot_find(&owner);
  if (found && strcmp(owner.path, path))
    snprintf(r->from, sizeof r->from, "%s", owner.path);
  return found;
}

/* A result whose checkpoints are missing is not begun again: that would throw its work away. */
static void refuse_loss(const char *path, const char *name, const cst_resume *r, double number,
                        cst_diag *d) {
  const char *cut = strrchr(path, '/');
  cst_diag_add(d, name, 0, 0,
               "cannot be resumed: it had taken checkpoint %.0f, and there is none: neither "
               "%s.checkpoint.N nor any other *.checkpoint.N with its token %s in %.*s; put its "
               "checkpoints back beside it, or start over with --overwrite",
               number, path, r->run, cut ? (int)(cut - path + 1) : 17,
               cut ? path : "the current folder");
}

/* Finds a lane that is done and has no row; false: none. */
static bool find_lost(const cst_plan *p, const cst_checkpoint *checkpoint, const double *status,
                      long *icase, long *member) {
  for (int k = 0; k < p->nclass; k++)
    for (long l = 0; l < p->classes[k].lanes; l++) {
      if (checkpoint->lane[k][l] != CST_LANE_DONE)
        continue;
      cst_plan_trajectory(p, k, l, icase, member);
      if (!(status[*icase * p->study->ensemble.members + *member] >= 0))
        return true;
    }
  return false;
}

bool cst_resume_has_rows(const cst_plan *p, const cst_checkpoint *checkpoint, const char *path,
                         char *why, int n) {
  int         ndim;
  long        e[CST_FIELD_DIMS], icase, member;
  cst_result *f = cst_result_open(path, why, n);
  double     *status = f ? cst_result_read(f, cst_channel_status.path, &ndim, e) : NULL;
  const bool  fits = status && ndim == 2 && e[0] == p->ncase && e[1] == p->study->ensemble.members;
  const bool  lost = fits && find_lost(p, checkpoint, status, &icase, &member);
  if (f && !fits)
    snprintf(why, (size_t)n, "its rows cannot be read");
  if (lost)
    snprintf(
        why, (size_t)n,
        "it counts case %ld, member %ld as done, and the result has no such row: it belongs to "
        "another copy of it",
        icase, member);
  free(status);
  cst_result_close(f);
  return fits && !lost;
}

static long count_failed(cst_result *f) {
  cst_failures all;
  cst_failures_read(&all, f);
  return cst_failures_total(&all);
}

/* When the last run of the file ended: as it recorded; one that was killed worked at least until its newest
 * checkpoint. */
static bool find_end(const cst_resume *r, const char *path, cst_result *f, double *end) {
  char               name[CST_SNAPSHOT_PATH];
  struct stat        s;
  int                n;
  cst_snapshot_owner owner;
  char              *text = cst_result_text(f, "/run", "stopped");
  const bool         told = cst_run_notes_read_time(text, end);
  free(text);
  if (told)
    return true;
  find_checkpoints(r, path, f, &owner);
  long      *number = cst_snapshot_numbers(&owner, &n);
  const bool there = n > 0 && !stat(cst_snapshot_name(owner.path, number[0], name), &s);
  free(number);
  if (there)
    *end = (double)s.st_mtime;
  return there;
}

/* Seconds of all runs of the file so far. */
static double seconds_of(const cst_resume *r, const char *path, cst_result *f) {
  double before = 0, started, end;
  cst_result_number(f, "/run", "seconds_before", &before);
  if (!cst_result_number(f, "/run", "started_unix", &started) || !find_end(r, path, f, &end))
    return fmax(before, 0);
  return fmax(before, 0) + fmax(end - started, 0);
}

/* Whether the file is of the part of the study that is to be computed; else it is refused. */
static bool is_part(const cst_plan *p, const char *name, cst_result *f, cst_diag *d) {
  char  own[CST_PART_TEXT];
  char *part = cst_result_text(f, "/", "part");
  cst_part_print(p, own);
  const bool same = !strcmp(part ? part : "", own);
  if (!same && part)
    cst_diag_add(d, name, 0, 0, "is part %s of this study; resume it with --part %s", part, part);
  else if (!same)
    cst_diag_add(d, name, 0, 0, "is not a part of this study, but all of it; name another output");
  free(part);
  return same;
}

static void examine_result(const cst_plan *p, const char *path, const char *name, cst_result *f,
                           cst_resume *r, cst_diag *d) {
  char  *study = cst_result_text(f, "/", "study");
  char  *run = cst_result_text(f, "/run", "id");
  char  *state = cst_result_text(f, "/run", "state");
  char  *continues = cst_result_text(f, "/", "continued");
  char   why[512];
  double attempts = 0;
  cst_result_number(f, "/run", "attempts", &attempts);
  r->attempts = attempts >= 0 && attempts < 1e9 ? (long)attempts : 0;
  snprintf(r->run, sizeof r->run, "%s", run ? run : "");
  r->until = (long)number_in(f, &cst_channel_rows_until);
  r->seconds = seconds_of(r, path, f);
  snprintf(r->continues, sizeof r->continues, "%s", continues ? continues : "");
  if (!study || !cst_identity_same(study, p->study->source.canonical, "the file", why, sizeof why))
    cst_diag_add(d, name, 0, 0, "holds another study: %s; name another output, or --overwrite",
                 study ? why : "the file names no study");
  else if (!is_part(p, name, f, d))
    r->number = 0;
  else if (state && (!strcmp(state, "complete") || !strcmp(state, "part"))) {
    r->start = CST_START_COMPLETE;
    r->failed = count_failed(f);
    r->left = has_checkpoint(path, r);
  } else if ((r->number = choose(p, path, name, f, r, d)) > 0)
    r->start = CST_START_RESUMED;
  else if (!cst_diag_count(d) && number_in(f, &cst_channel_checkpoint) > 0)
    refuse_loss(path, name, r, number_in(f, &cst_channel_checkpoint), d);
  else if (!cst_diag_count(d))
    snprintf(
        r->message, sizeof r->message,
        "constella: %s was interrupted before its first checkpoint; it starts from the beginning",
        name);
  if (r->start == CST_START_ANEW)
    r->until = 0;
  free(study);
  free(run);
  free(state);
  free(continues);
}

void cst_resume_examine(const cst_plan *p, const char *path, const char *name, cst_resume *r,
                        cst_diag *d) {
  char why[256];
  if (access(path, F_OK)) {
    if (cst_snapshot_any(path))
      cst_diag_add(
          d, name, 0, 0,
          "is missing, and its checkpoints %s.checkpoint.* are useless without it; restore it, or "
          "remove them",
          name);
    return;
  }
  cst_result *f = cst_result_open(path, why, sizeof why);
  if (!f && cst_snapshot_any(path))
    cst_diag_add(d, name, 0, 0,
                 "%s; another program, or the disk, has changed it since its run. Its checkpoints "
                 "%s.checkpoint.N stay, and are useless without it: put a whole copy of it back "
                 "and run the same line again, or start over with --overwrite",
                 why, name);
  else if (!f)
    cst_diag_add(d, name, 0, 0, "%s; name another output, or replace it with --overwrite", why);
  else
    examine_result(p, path, name, f, r, d);
  cst_result_close(f);
}
