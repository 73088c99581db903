/* submit.c: `constella submit STUDY`: checks the study, writes a job script from a template beside the
 * output, and hands it to the scheduler. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include "constella/random.h"
#include "cli/submit.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/checked.h"
#include "cli/inputs.h"
#include "constella/record.h"
#include "core/need.h"
#include "study/run/identity.h"

const cst_scheduler cst_submit_schedulers[] = {
    {"slurm", "sbatch", "--parsable", "-%s.log"},
    {"pbs", "qsub", "", ".log"},
    {"sge", "qsub", "-terse", ".log"},
    {NULL, NULL, NULL, NULL},
};

/* The folder and files of a job. */
typedef struct {
  char folder[PATH_MAX], output[PATH_MAX + 304], study[PATH_MAX], program[PATH_MAX],
      script[PATH_MAX + 304];
} places;

/* ---- the script ---- */

/* Finds absolute names, because a job may start anywhere. */
static void find_places(const cst_submission *s, places *p, cst_diag *d) {
  const char *output = s->output ? s->output : "";
  const char *slash = strrchr(output, '/');
  char        folder[PATH_MAX], name[sizeof s->stem + 4];
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - output) + 1 : 1,
           slash ? output : ".");
  snprintf(name, sizeof name, "%s.h5", s->stem);
  if (!realpath(folder, p->folder))
    cst_diag_add(d, output, 0, 0, "its folder: %s", strerror(errno));
  if (!realpath(s->study, p->study))
    cst_diag_add(d, s->study, 0, 0, "%s", strerror(errno));
  if (!realpath("/proc/self/exe", p->program))
    cst_diag_add(d, NULL, 0, 0, "/proc/self/exe: %s", strerror(errno));
  const char *root = !strcmp(p->folder, "/") ? "" : p->folder;
  snprintf(p->output, sizeof p->output, "%s/%s", root,
           !s->output ? name
           : slash    ? slash + 1
                      : output);
  snprintf(p->script, sizeof p->script, "%s/%s.%s", root, s->name, s->scheduler->name);
}

/* The given template, or the one in the current folder, or the built-in one. Owned, free(). */
static char *read_template(const cst_submission *s, char *file, size_t size, cst_diag *d) {
  char  *text = NULL;
  size_t length;
  snprintf(file, size, "submit.%s", s->scheduler->name);
  const bool here = !s->template_file && !access(file, F_OK);
  if (here)
    fprintf(stderr, "constella: note: the template is %s of this folder\n", file);
  if (s->template_file)
    snprintf(file, size, "%s", s->template_file);
  if (here || s->template_file) {
    if (!cst_document_read_file(file, &text, &length, d))
      return NULL;
    if (!length || strlen(text) < length)
      cst_diag_add(d, file, 0, 0, length ? "holds a byte 0; a template is text" : "is empty");
    return text;
  }
  snprintf(file, size, "jobs/submit.%s", s->scheduler->name);
  for (int i = 0; i < cst_template_count; i++)
    if (!strcmp(cst_templates[i].path, file))
      text = strdup(cst_templates[i].text);
  return cst_need(text);
}

/* Seconds between the limit of the run and that of the job: a twentieth, at least one minute and at most ten,
 * but not more than half. */
static double spare(double limit) { return fmin(fmin(fmax(limit / 20, 60), 600), limit / 2); }

enum { WORDS = 16 };
typedef struct {
  int      n;
  cst_word word[WORDS];
} words;

/* value: owned from now on. */
static void add(words *w, const char *name, char *value) {
  w->word[w->n++] = (cst_word){name, value};
}

__attribute__((format(printf, 3, 4))) static void add_printed(words *w, const char *name,
                                                              const char *format, ...) {
  char   *value;
  va_list a;
  va_start(a, format);
  if (vasprintf(&value, format, a) < 0)
    abort();
  va_end(a);
  add(w, name, value);
}

static void add_choice(words *w, const char *name, const char *value) {
  add(w, name, value ? strdup(value) : NULL);
}

/* PBS allocates chunks of cores: the share of a node each, or one rank each where nodes do not matter. Slurm
 * counts in minutes. */
static words make_words(const cst_submission *s, const places *p) {
  words  w = {0};
  long   minutes = (long)ceil(s->hours * 60 - 0.01);
  double limit = 60.0 * (double)minutes;
  add(&w, "NAME", strdup(s->name));
  add(&w, "CONSTELLA", cst_submit_quote(p->program));
  add(&w, "STUDY", cst_submit_quote(p->study));
  add(&w, "OUTPUT", cst_submit_quote(p->output));
  add(&w, "FOLDER", cst_submit_quote(p->folder));
  add_printed(&w, "RANKS", "%ld", s->ranks);
  add_printed(&w, "CHUNKS", "%ld", s->nodes ? s->nodes : s->ranks);
  add_printed(&w, "CHUNK_RANKS", "%ld", s->nodes ? s->ranks / s->nodes : 1);
  add_printed(&w, "TIME", "%02ld:%02ld:00", minutes / 60, minutes % 60);
  add_printed(&w, "SPARE", "%.0f", spare(limit));
  add_printed(&w, "HOURS", "%.4f", (limit - spare(limit)) / 3600);
  add_printed(&w, "REQUEUES", "%ld", s->requeues);
  if (s->nodes)
    add_printed(&w, "NODES", "%ld", s->nodes);
  else
    add(&w, "NODES", NULL);
  add_choice(&w, "ACCOUNT", s->account);
  add_choice(&w, "QUEUE", s->queue);
  add_choice(&w, "MODULES", *s->modules ? s->modules : NULL);
  return w;
}

static const char seal_begins[] = "# made by constella submit for ";

/* The script with a last line that tells for which output it was made, and its sha256: a script that a user has
 * changed is not replaced. Owned; frees the script. */
static char *seal(char *script, const char *output) {
  char  hex[65];
  char *quoted = cst_submit_quote(output);
  char *sealed;
  cst_sha256(script, strlen(script), hex);
  if (asprintf(&sealed, "%s%s%s, sha256 %s\n", script, seal_begins, quoted, hex) < 0)
    abort();
  free(quoted);
  free(script);
  return sealed;
}

/* Whether the text is a script that was made for this output and has not been changed since. */
static bool is_ours(const char *text, const char *output) {
  const char *last = NULL;
  for (const char *at = strstr(text, seal_begins); at; at = strstr(at + 1, seal_begins))
    last = at;
  if (!last)
    return false;
  char      *again = seal(strndup(text, (size_t)(last - text)), output);
  const bool same = !strcmp(again, text);
  free(again);
  return same;
}

/* The text of the script; NULL with errors in d. Owned, free(). */
static char *make_script(const cst_submission *s, const places *p, cst_diag *d) {
  char  file[PATH_MAX];
  words w = make_words(s, p);
  char *text = read_template(s, file, sizeof file, d);
  char *script = text ? cst_submit_fill(file, text, w.word, w.n, d) : NULL;
  for (int k = 0; k < w.n; k++)
    free(w.word[k].value);
  free(text);
  return script ? seal(script, p->output) : NULL;
}

/* Whether the script exists with these contents. One that was made for the same output, with other hours or
 * ranks, is removed, and else it is an error. */
static bool is_there(const places *p, const char *script, cst_diag *d) {
  char  *text;
  size_t length;
  if (access(p->script, F_OK) || !cst_document_read_file(p->script, &text, &length, d))
    return false;
  const bool same = !strcmp(text, script);
  const bool replaced = !same && is_ours(text, p->output) && !remove(p->script);
  if (!same && !replaced)
    cst_diag_add(
        d, p->script, 0, 0,
        "is there with other contents, and was changed, or made for another output; submit "
        "it yourself, remove it, or choose another --name");
  free(text);
  return same;
}

/* The job resumes what its output holds, which must be this study. */
static void check_output(const char *output, const cst_study *s, cst_diag *d) {
  const bool  there = !access(output, F_OK);
  const char *refused = there ? NULL : cst_record_refuse(output, false);
  char        why[512];
  cst_inputs_check(output, d);
  if (refused)
    cst_diag_add(d, output, 0, 0, "%s", refused);
  if (!there || cst_diag_count(d))
    return;
  cst_result *r = cst_result_open(output, why, sizeof why);
  char       *held = r ? cst_result_text(r, "/", "study") : NULL;
  if (!r)
    cst_diag_add(d, output, 0, 0, "%s", why);
  else if (!held || !cst_identity_same(held, s->canonical, "the file", why, sizeof why))
    cst_diag_add(d, output, 0, 0, "holds another study: %s; name another output",
                 held ? why : "the file names no study");
  free(held);
  cst_result_close(r);
}

static bool write_script(const char *file, const char *script) {
  FILE *f = fopen(file, "wx");
  bool  good = f && fputs(script, f) >= 0;
  if (f && fclose(f))
    good = false;
  if (!good)
    fprintf(stderr, "constella: error: %s: %s\n", file, strerror(errno));
  if (f && !good)
    remove(file);
  return good;
}

/* ---- the scheduler ---- */

static bool on_path(const char *program) {
  const char *path = getenv("PATH");
  char        file[PATH_MAX];
  while (path && *path) {
    size_t n = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
    if (!access(file, X_OK))
      return true;
    path += n + (path[n] == ':');
  }
  fprintf(stderr,
          "constella: error: %s is not on PATH: jobs cannot be submitted from here; --dry-run "
          "prints the "
          "script\n",
          program);
  return false;
}

/* Submits the script, from its folder. Messages of the scheduler go to stderr. */
static bool hand_over(const cst_submission *s, const places *p, char *job, size_t size) {
  char *folder = cst_submit_quote(p->folder);
  char *command;
  if (asprintf(&command, "cd %s && exec %s %s %s.%s", folder, s->scheduler->program,
               s->scheduler->flags, s->name, s->scheduler->name) < 0)
    abort();
  FILE *f = popen(command, "r");
  if (!f || !fgets(job, (int)size, f))
    *job = 0;
  while (f && fgetc(f) != EOF)
    continue; /* so that the scheduler's program can end */
  int status = f ? pclose(f) : -1;
  free(folder);
  free(command);
  job[strcspn(job, ";\r\n")] = 0; /* Slurm may add the name of a cluster */
  if (!status && *job)
    return true;
  fprintf(stderr, "constella: error: %s has not taken the job (exit status %d)\n",
          s->scheduler->program, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  return false;
}

static int submit(const cst_submission *s, const places *p, const char *script, bool there) {
  char job[256], log[300];
  if (!on_path(s->scheduler->program) || (!there && !write_script(p->script, script)))
    return 1;
  if (!hand_over(s, p, job, sizeof job)) {
    if (!there)
      remove(p->script);
    return 1;
  }
  snprintf(log, sizeof log, s->scheduler->log, job);
  printf("job %s: %s\nlog: %s/%s%s\nconstella status %s tells how far it is\n", job, p->script,
         p->folder, s->name, log, p->output);
  return 0;
}

static void warn(const cst_submission *s, const cst_agenda *a) {
  if (s->ranks > a->n)
    fprintf(stderr, "constella: note: there is work for %d of the %ld ranks only\n", a->n,
            s->ranks);
}

int cst_submit_run(int argc, char **argv) {
  cst_submission s;
  places         p;
  char          *script = NULL;
  bool           there = false;
  int            status = 2;
  cst_checked    c = {0};
  cst_diag      *d = cst_diag_create();
  cst_submit_read(&s, argc, argv, d);
  if (s.study)
    c = cst_checked_read(s.study, s.ranks ? (int)s.ranks : 1, d);
  if (!cst_diag_count(d))
    find_places(&s, &p, d);
  if (!cst_diag_count(d))
    check_output(p.output, c.study, d);
  if (!cst_diag_count(d))
    script = make_script(&s, &p, d);
  if (script && !s.dry_run)
    there = is_there(&p, script, d);
  if (cst_diag_count(d))
    cst_diag_print(d, stderr);
  else {
    warn(&s, c.agenda);
    status = s.dry_run ? fputs(script, stdout) < 0 : submit(&s, &p, script, there);
  }
  free(script);
  cst_checked_free(&c);
  cst_diag_destroy(d);
  return status;
}
