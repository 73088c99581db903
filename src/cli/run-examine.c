/* run-examine.c: reads and checks everything before `constella run`, `extend` and `merge` start work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/inputs.h"
#include "cli/run.h"
#include "cli/stored.h"
#include "constella/record.h"
#include "core/error.h"
#include "core/need.h"
#include "core/text.h"
#include "study/rows/collector.h"
#include "study/file/starts.h"
#include "study/run/extend.h"
#include "system/compile/compile.h"

/* Calls fetch on rank 0 for all ranks. Collective. */
static const char *share(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  static char reason[CST_WHY];
  long        size = -1;
  int         rank;
  MPI_Comm_rank(cst_world, &rank);
  cst_inputs_note(path);
  if (rank == 0) {
    const char *why = fetch(path, bytes, length);
    if (!why)
      size = (long)*length;
    snprintf(reason, sizeof reason, "%s", why ? why : "");
  }
  (void)MPI_Bcast(&size, 1, MPI_LONG, 0, cst_world);
  if (size < 0)
    (void)MPI_Bcast(reason, sizeof reason, MPI_CHAR, 0, cst_world);
  if (size < 0)
    return reason;
  if (rank) {
    *bytes = calloc((size_t)size + 1, 1);
    *length = (size_t)size;
  }
  cst_need(*bytes);
  (void)MPI_Bcast(*bytes, (int)size, MPI_BYTE, 0, cst_world);
  return NULL;
}

static const char *resumed; /* the result to resume or extend; NULL: none */

/* Its copy of the starts; false: it has none. */
static bool fetch_copy(char **bytes, size_t *length) {
  char        why[512];
  cst_result *file =
      resumed && !access(resumed, R_OK) ? cst_result_open(resumed, why, sizeof why) : NULL;
  char *text = file ? cst_result_text(file, "/", "starts") : NULL;
  cst_result_close(file);
  if (text) {
    *bytes = text;
    *length = strlen(text);
  }
  return text != NULL;
}

/* The result that the starts come from may have changed since: the copy counts. */
static const char *fetch_from(const char *path, char **bytes, size_t *length) {
  return fetch_copy(bytes, length) ? NULL : cst_starts_fetch_result(path, bytes, length);
}

/* The user may have corrected a table of starts; the copy replaces it only where it is missing. */
static const char *fetch_table(const char *path, char **bytes, size_t *length) {
  return access(path, F_OK) && fetch_copy(bytes, length)
             ? NULL
             : cst_starts_fetch_csv(path, bytes, length);
}

static const char *share_resumed(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  return share(fetch == cst_starts_fetch_result ? fetch_from
               : fetch == cst_starts_fetch_csv  ? fetch_table
                                                : fetch,
               path, bytes, length);
}

/* Rank 0 reads and broadcasts the text, and all ranks parse it: they get the same errors. */
cst_study *cst_run_read_study(const char *file, const char *result, cst_diag *d) {
  char  *text = NULL;
  size_t length = 0;
  resumed = result;
  const char *why = share(cst_document_fetch, file, &text, &length);
  if (why) {
    cst_diag_add(d, file, 0, 0, "%s", why);
    return NULL;
  }
  cst_study *s = cst_study_read(file, text, length, share_resumed, d);
  free(text);
  return s;
}

bool cst_run_is_extended(const cst_arguments *a) {
  const cst_extension *e = &a->extension;
  return a->renames && e->now &&
         !strcmp(e->old->study->source.sha256, e->now->study->source.sha256) &&
         access(a->run.output, F_OK);
}

bool cst_run_is_unchanged(const cst_arguments *a) {
  char  now[40];
  char *then = a->old.file ? cst_result_text(a->old.file, "/run", "id") : NULL;
  cst_resume_token(a->target, now);
  const bool same = then && !strcmp(then, now);
  free(then);
  return same;
}

/* On rank 0: the result to extend is locked as long as the new one is computed: for itself if the new one takes
 * its place, else with others that only read it. */
static void lock_extended(cst_arguments *a, cst_diag *d) {
  char why[512];
  if (!a->extends)
    return;
  if (a->renames && !(a->extended = cst_lock_take(a->target, why, sizeof why)))
    cst_diag_add(d, a->file, 0, 0, "%s", why);
  else if (!cst_lock_hold(a->renames ? a->extended : a->run.lock, a->file, !a->renames, why,
                          sizeof why))
    cst_diag_add(d, a->file, 0, 0, "%s", why);
  else if (a->renames && !cst_run_is_unchanged(a))
    cst_diag_add(d, a->file, 0, 0, "was replaced while it was read; run the same line again");
}

/* An unfinished extension in the folder of FILE that carries its token, under whatever name; false: none. */
static bool find_by_token(const char *file, const char *token, char output[4096]) {
  char           folder[PATH_MAX], name[2 * PATH_MAX], why[256];
  const char    *cut = strrchr(file, '/');
  struct dirent *e;
  bool           found = false;
  snprintf(folder, sizeof folder, "%.*s", cut ? (int)(cut - file + 1) : 2, cut ? file : "./");
  DIR *d = *token ? opendir(folder) : NULL;
  while (d && !found && (e = readdir(d))) {
    if (!cst_text_ends(e->d_name, ".extended"))
      continue;
    snprintf(name, sizeof name, "%s%s", cut ? folder : "", e->d_name);
    cst_result *r = cst_result_open(name, why, sizeof why);
    char       *extends = r ? cst_result_text(r, "/run", "extends") : NULL;
    found = extends && !strcmp(extends, token);
    free(extends);
    cst_result_close(r);
  }
  if (d)
    closedir(d);
  if (found)
    snprintf(output, 4096, "%.4095s", name);
  return found;
}

void cst_run_find_extended(cst_arguments *a) {
  if (!a->renames)
    return;
  cst_resume_token(a->target, a->run.extends);
  if (a->run.resumes && access(a->run.output, F_OK))
    (void)find_by_token(a->target, a->run.extends, a->output);
}

/* Whether a file is complete and may not be written, so that nobody needs a lock of it. */
static bool is_put_away(const char *path) {
  char        why[256];
  cst_result *r = access(path, W_OK) ? cst_result_open(path, why, sizeof why) : NULL;
  const char *state = r ? cst_result_state(r) : "";
  const bool  complete = !strcmp(state, "complete") || !strcmp(state, "part");
  cst_result_close(r);
  return complete;
}

/* On rank 0: locks the output beside it and, if it exists, itself; reads what is there. */
static void lock_output(cst_arguments *a, const cst_plan *plan, cst_diag *d) {
  char       why[512];
  const bool there = !access(a->run.path, F_OK);
  if (a->run.resumes && !a->extends && there && is_put_away(a->run.path)) {
    cst_resume_examine(plan, a->run.path, a->run.output, &a->run.resume, d);
    return;
  }
  if (!(a->run.lock = cst_lock_take(a->run.path, why, sizeof why)) ||
      (there && !cst_lock_hold(a->run.lock, a->run.path, false, why, sizeof why))) {
    cst_diag_add(d, a->run.output, 0, 0, "%s", why);
    return;
  }
  lock_extended(a, d);
  if (a->run.overwrite)
    cst_resume_token(a->run.path, a->run.resume.replaces);
  if (a->run.resumes || cst_run_is_extended(a))
    cst_resume_examine(plan, cst_run_is_extended(a) ? a->target : a->run.path,
                       cst_run_is_extended(a) ? a->file : a->run.output, &a->run.resume, d);
}

/* On rank 0: checks the result to extend, and the path of the new one. */
static void examine_extended(const cst_arguments *a, cst_diag *d) {
  cst_result *file = a->old.file;
  char       *part = file ? cst_result_text(file, "/", "part") : NULL;
  if (part)
    cst_diag_add(
        d, a->file, 0, 0,
        "is part %s of a study; only the whole result can be extended: merge all parts first, "
        "with `constella merge`",
        part);
  else if (file && strcmp(cst_result_state(file), "complete"))
    cst_diag_add(d, a->file, 0, 0, "is %s; finish it first, with `constella run` and --resume",
                 cst_result_state(file));
  free(part);
  if (!a->run.resumes && !access(a->run.output, F_OK))
    cst_diag_add(d, a->run.output, 0, 0, "exists; --resume goes on with it, or remove it");
  if (a->run.extension && !cst_diag_count(d))
    cst_extend_check(a->run.extension, a->file, d);
}

/* On rank 0: an interrupted result that continues another one to a later end needs that one again. */
static void examine_continued(const cst_arguments *a, cst_diag *d) {
  const char *then = a->run.resume.continues;
  if (!strcmp(then, a->extension.origin))
    return;
  if (*then)
    cst_diag_add(d, a->run.output, 0, 0,
                 "continues another result (%s); resume it with `constella extend` and that result",
                 then);
  else
    cst_diag_add(d, a->run.output, 0, 0, "does not continue %s; name another output", a->file);
}

/* On rank 0: checks that the result can be written at its path, and reads what is already there. */
void cst_run_examine_output(cst_arguments *a, const cst_plan *plan, cst_diag *d) {
  const char *reason = a->run.resumes && !access(a->run.output, F_OK)
                           ? NULL
                           : cst_record_refuse(a->run.output, a->run.overwrite);
  const int   before = cst_diag_count(d);
  cst_record_real_path(a->run.output, a->run.path);
  cst_inputs_check(a->run.output, d);
  if (a->extends)
    examine_extended(a, d);
  if (cst_diag_count(d) > before)
    return;
  if (reason)
    cst_diag_add(d, a->run.output, 0, 0, "%s", reason);
  else
    lock_output(a, plan, d);
  if (a->run.resume.start == CST_START_ANEW) {
    if (*a->run.resume.run) /* it was interrupted before its first checkpoint */
      strcpy(a->run.resume.replaces, a->run.resume.run);
    cst_resume_name(a->run.resume.run);
  }
  if (a->run.lock)
    cst_lock_mark(a->run.lock, a->run.resume.run);
  if (a->run.resume.start == CST_START_RESUMED)
    examine_continued(a, d);
}

/* Closes the result to extend. */
void cst_run_close_extended(cst_arguments *a) {
  if (!a->extends)
    return;
  cst_extend_destroy(&a->extension);
  cst_plan_destroy(a->old.plan);
  cst_study_destroy(a->old.study);
  cst_result_close(a->old.file);
}

/* The study of the result to extend. Its layers in C are compiled where the user's study names files with the
 * same bytes. */
static cst_study *read_extended(const cst_arguments *a, const cst_study *own, cst_diag *d) {
  const cst_trust trust = {.own = own};
  cst_study      *s = cst_stored_study(a->old.file, a->file, share, &trust, d);
  if (s && own && *cst_stored_withheld(s))
    cst_diag_add(
        d, a->file, 0, 0,
        "it has layers in C that are not those of %s; they are not compiled without permission: %s",
        own->source.file, cst_stored_withheld(s));
  return s;
}

/* Every rank reads the result to extend and finds which trajectories it has. Collective. */
void cst_run_open_extended(cst_arguments *a, int isa, const cst_study *own, const cst_plan *plan,
                           cst_diag *d) {
  char why[512];
  int  open;
  if (!a->extends || !a->file)
    return;
  a->old.file = cst_result_open(a->file, why, sizeof why);
  if (!a->old.file)
    cst_diag_add(d, a->file, 0, 0, "%s", why);
  open = a->old.file != NULL;
  (void)MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, cst_world);
  if (open)
    a->old.study = read_extended(a, own, d);
  if (a->old.study && isa >= 0)
    a->old.plan = cst_plan_create(a->old.study, isa, d);
  if (!a->old.plan || !plan)
    return;
  cst_collectors_as_in(plan->study, a->old.file);
  cst_extend_create(&a->extension, a->old.file, a->file, a->old.plan, plan, d);
  a->run.extension = &a->extension;
}

/* All ranks open the checkpoint and get the batches of the remaining work. Collective. */
cst_agenda *cst_run_open_checkpoint(cst_arguments *a, const cst_plan *plan, cst_checkpoint *past,
                                    int ranks, cst_diag *d) {
  char why[512];
  (void)MPI_Bcast(&a->run.resume, sizeof a->run.resume, MPI_BYTE, 0, cst_world);
  (void)MPI_Bcast(a->run.extends, sizeof a->run.extends, MPI_CHAR, 0, cst_world);
  (void)MPI_Bcast(a->run.path, sizeof a->run.path, MPI_CHAR, 0, cst_world);
  if (a->run.resume.start == CST_START_ANEW && a->run.merge)
    cst_merge_mark(a->run.merge, past);
  if (a->run.resume.start == CST_START_ANEW && a->run.extension)
    cst_extend_mark(a->run.extension, past);
  if (a->run.resume.start == CST_START_RESUMED &&
      !cst_checkpoint_open(plan, past, a->run.resume.from, a->run.resume.number, why, sizeof why)) {
    cst_diag_add(d, a->run.output, 0, 0, "checkpoint %ld cannot be read: %s", a->run.resume.number,
                 why);
    return NULL;
  }
  int rank;
  MPI_Comm_rank(cst_world, &rank);
  if (a->run.resume.start == CST_START_RESUMED && rank == 0 &&
      !cst_resume_has_rows(plan, past, a->run.path, why, sizeof why))
    cst_diag_add(d, a->run.output, 0, 0, "cannot be resumed from checkpoint %ld of %s: %s",
                 a->run.resume.number, a->run.resume.from, why);
  return cst_agenda_create(plan, ranks, a->run.batch, past->lane, past->range, past->nsaved);
}

/* ---- parts of a study ------------------------------------------------------------------------ */

/* The study of the first part. Its layers in C, which all methods need, may come from anybody. */
static cst_study *read_first(cst_arguments *a, cst_diag *d) {
  const cst_trust trust = {.given = a->trusts};
  cst_study      *s = cst_stored_study(a->first, a->parts.file[0], share, &trust, d);
  if (!s || !*cst_stored_withheld(s))
    return s;
  cst_diag_add(d, a->parts.file[0], 0, 0,
               "it has methods in C, which are not compiled without permission: %s; --trust-code "
               "gives it",
               cst_stored_withheld(s));
  cst_study_destroy(s);
  return NULL;
}

cst_study *cst_run_read_parts(cst_arguments *a, cst_diag *d) {
  char why[512];
  int  open;
  if (!a->parts.n)
    return NULL;
  for (int i = 0; i < a->parts.n; i++)
    cst_inputs_note(a->parts.file[i]);
  a->first = cst_result_open(a->parts.file[0], why, sizeof why);
  if (!a->first)
    cst_diag_add(d, a->parts.file[0], 0, 0, "%s", why);
  open = a->first != NULL;
  (void)MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, cst_world);
  return open ? read_first(a, d) : NULL;
}

void cst_run_examine_parts(cst_arguments *a, const cst_plan *plan, cst_diag *d) {
  int rank;
  MPI_Comm_rank(cst_world, &rank);
  if (!a->parts.n || !plan)
    return;
  a->found = (cst_merge){.plan = plan, .file = a->parts.file, .nfile = a->parts.n};
  if (rank == 0)
    cst_merge_examine(&a->found, d);
}

void cst_run_share_parts(cst_arguments *a) {
  if (!a->parts.n)
    return;
  a->run.merge = &a->found;
  cst_merge_share(&a->found);
}

void cst_run_close_parts(cst_arguments *a) {
  cst_merge_destroy(&a->found);
  cst_result_close(a->first);
  free(a->parts.file);
}
