/* resume.c: whether and how a study can continue from an earlier run's checkpoint (see resume.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "constella/record.h"
#include "record/snapshot.h"
#include "study/run/bundle.h"
#include "study/plan/channels.h"
#include "study/run/failure.h"
#include "study/run/identity.h"
#include "study/run/resume.h"
#include "study/run/run-notes.h"

void cst_resume_name(char run[40]) {
  unsigned char x[16] = {0};
  (void)!getrandom(x, sizeof x, 0);
  for (int i = 0; i < 16; i++)
    snprintf(run + 2 * i, 3, "%02x", x[i]);
}

/* ---- digests, on all ranks ------------------------------------------------------------------------ */

typedef struct {
  long number; /* 0: no more */
  char path[PATH_MAX];
} inquiry;

/* Compares the part of this rank; true on every rank if all parts are right. Collective. */
static bool check(const inquiry *q) {
  int  rank, ranks, ok;
  char why[512];
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  cst_snapshot *s = cst_snapshot_open(q->path, q->number, why, sizeof why);
  ok = s && cst_snapshot_check_part(s, rank, ranks);
  cst_snapshot_close(s);
  (void)MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  return ok;
}

/* The next inquiry of rank 0; false: there is none. Collective. */
static bool share(inquiry *q) {
  (void)MPI_Bcast(q, sizeof *q, MPI_BYTE, 0, PETSC_COMM_WORLD);
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

/* ---- the result ---------------------------------------------------------------------------------- */

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

/* The newest undamaged checkpoint of this study and build; 0: none. */
static long choose(const cst_plan *p, const char *path, cst_resume *r, cst_diag *d) {
  int   n;
  long *number = cst_snapshot_numbers(path, &n);
  char *now = cst_identity_text(p, r->run);
  char  why[512], what[64];
  long  chosen = 0;
  for (int i = 0; i < n && !chosen && !cst_diag_count(d); i++) {
    char *then = identity_of(path, number[i], why, sizeof why);
    snprintf(what, sizeof what, "checkpoint %ld", number[i]);
    if (!then) {
      const size_t at = strlen(r->message), room = sizeof r->message - at;
      const int    length =
          snprintf(r->message + at, room,
                   "%sconstella: checkpoint %ld of %s is damaged (%s); the one before it is used",
                   at ? "\n" : "", number[i], path, why);
      if (at && length >= (int)room)
        r->message[at] = 0; /* many are damaged: the first ones are named */
    } else if (cst_identity_same(then, now, what, why, sizeof why))
      chosen = number[i];
    else
      cst_diag_add(
          d, path, 0, 0,
          "cannot be resumed: %s; resume with what made it, or start over with --overwrite", why);
    free(then);
  }
  if (n > 0 && !chosen && !cst_diag_count(d))
    cst_diag_add(
        d, path, 0, 0,
        "cannot be resumed: all of its checkpoints are damaged (%s); start over with --overwrite",
        why);
  free(number);
  free(now);
  return chosen;
}

/* Whether the newest checkpoint is one of this result. */
static bool has_checkpoint(const cst_plan *p, const char *path, const cst_resume *r) {
  long newest[1];
  char why[512];
  if (cst_snapshot_list(path, newest, 1) < 1)
    return false;
  char *then = identity_of(path, newest[0], why, sizeof why), *now = cst_identity_text(p, r->run);
  const bool same = then && cst_identity_same(then, now, "the checkpoint", why, sizeof why);
  free(then);
  free(now);
  return same;
}

static long count_failed(cst_result *f) {
  cst_failures all;
  cst_failures_read(&all, f);
  return cst_failures_total(&all);
}

/* When the last run of the file ended: as it recorded; one that was killed worked at least until its newest
 * checkpoint. */
static bool find_end(const char *path, cst_result *f, double *end) {
  char        name[CST_SNAPSHOT_PATH];
  long        newest[1];
  struct stat s;
  char       *text = cst_result_text(f, "/run", "stopped");
  const bool  told = cst_run_notes_read_time(text, end);
  free(text);
  if (told)
    return true;
  if (cst_snapshot_list(path, newest, 1) < 1 || stat(cst_snapshot_name(path, *newest, name), &s))
    return false;
  *end = (double)s.st_mtime;
  return true;
}

/* Seconds of all runs of the file so far. */
static double seconds_of(const char *path, cst_result *f) {
  double before = 0, started, end;
  cst_result_number(f, "/run", "seconds_before", &before);
  if (!cst_result_number(f, "/run", "started_unix", &started) || !find_end(path, f, &end))
    return fmax(before, 0);
  return fmax(before, 0) + fmax(end - started, 0);
}

static void examine_result(const cst_plan *p, const char *path, cst_result *f, cst_resume *r,
                           cst_diag *d) {
  char  *study = cst_result_text(f, "/", "study");
  char  *run = cst_result_text(f, "/run", "id");
  char  *state = cst_result_text(f, "/run", "state");
  char  *continues = cst_result_text(f, "/", "continued");
  char   why[512];
  double attempts = 0;
  cst_result_number(f, "/run", "attempts", &attempts);
  r->attempts = attempts >= 0 && attempts < 1e9 ? (long)attempts : 0;
  r->seconds = seconds_of(path, f);
  snprintf(r->run, sizeof r->run, "%s", run ? run : "");
  snprintf(r->continues, sizeof r->continues, "%s", continues ? continues : "");
  if (!study || !cst_identity_same(study, p->study->canonical, "the file", why, sizeof why))
    cst_diag_add(d, path, 0, 0, "holds another study: %s; name another output, or --overwrite",
                 study ? why : "the file names no study");
  else if (state && !strcmp(state, "complete")) {
    r->start = CST_START_COMPLETE;
    r->failed = count_failed(f);
    r->left = has_checkpoint(p, path, r);
  } else if ((r->number = choose(p, path, r, d)) > 0)
    r->start = CST_START_RESUMED;
  else if (!cst_diag_count(d))
    snprintf(
        r->message, sizeof r->message,
        "constella: %s was interrupted before its first checkpoint; it starts from the beginning",
        path);
  free(study);
  free(run);
  free(state);
  free(continues);
}

void cst_resume_examine(const cst_plan *p, const char *path, cst_resume *r, cst_diag *d) {
  char why[256];
  long newest[1];
  if (access(path, F_OK)) {
    if (cst_snapshot_list(path, newest, 1) > 0)
      cst_diag_add(
          d, path, 0, 0,
          "is missing, and its checkpoints %s.checkpoint.* are useless without it; restore it, or "
          "remove them",
          path);
    return;
  }
  cst_result *f = cst_result_open(path, why, sizeof why);
  if (!f)
    cst_diag_add(d, path, 0, 0, "%s", why);
  else
    examine_result(p, path, f, r, d);
  cst_result_close(f);
}
