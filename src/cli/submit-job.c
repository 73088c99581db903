/* submit-job.c: the scripts of a submission: of the whole study, or of the array of its parts and of the job that
 * merges them. They are made from one template. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include "constella/random.h"
#include "cli/submit.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "constella/document.h"
#include "core/need.h"
#include "core/text.h"

/* The given template, or the one in the current folder, or the built-in one. Owned, free(). */
static char *read_template(const cst_submission *s, char *file, size_t size, bool again,
                           cst_diag *d) {
  char  *text = NULL;
  size_t length;
  snprintf(file, size, "submit.%s", s->scheduler->name);
  const bool here = !s->template_file && !access(file, F_OK);
  if (here && !again)
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

enum { WORDS = 24 };
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

/* The results of the parts are named after that of the study: "a.h5", "a.part-3-of-7.h5". stem[PATH_MAX]. */
static void stem_of(const cst_places *p, char *stem) {
  const size_t n = strlen(p->output);
  snprintf(stem, PATH_MAX, "%.*s", (int)(cst_text_ends(p->output, ".h5") ? n - 3 : n), p->output);
}

/* What the job computes, in words of the shell. */
static void add_command(words *w, const cst_submission *s, const cst_places *p, cst_job_kind kind) {
  char stem[PATH_MAX];
  stem_of(p, stem);
  char *quoted = cst_submit_quote(stem);
  if (kind == CST_JOB_WHOLE) {
    add(w, "OUTPUT", cst_submit_quote(p->output));
    add(w, "COMMAND", strdup("run \"$study\""));
  } else if (kind == CST_JOB_PARTS) {
    add_printed(w, "OUTPUT", "%s.part-$task-of-%ld.h5", quoted, s->array);
    add_printed(w, "COMMAND", "run \"$study\" --part $task/%ld", s->array);
  } else {
    add(w, "OUTPUT", cst_submit_quote(p->output));
    add_printed(w, "COMMAND", "merge %s.part-{1..%ld}-of-%ld.h5%s", quoted, s->array, s->array,
                p->trusts ? " --trust-code" : "");
  }
  add(w, "SHOW", strdup(kind == CST_JOB_PARTS ? "status" : "table"));
  free(quoted);
}

/* Lines with the word ARRAY are of the parts only, those with MERGED of the job that merges them. */
static void add_array(words *w, const cst_submission *s, cst_job_kind kind) {
  if (kind == CST_JOB_PARTS)
    add_printed(w, "ARRAY", "%ld", s->array);
  else
    add(w, "ARRAY", NULL);
  add_choice(w, "MERGED", kind == CST_JOB_MERGE ? s->name : NULL);
  add(w, "NAME", cst_submit_name(s, kind));
}

/* PBS allocates chunks of cores: the share of a node each, or one rank each where nodes do not matter. Slurm
 * counts in minutes. */
static words make_words(const cst_submission *s, const cst_places *p, cst_job_kind kind) {
  words  w = {0};
  long   minutes = (long)ceil(s->hours * 60 - 0.01);
  double limit = 60.0 * (double)minutes;
  add_array(&w, s, kind);
  add_command(&w, s, p, kind);
  add(&w, "CONSTELLA", cst_submit_quote(p->program));
  add(&w, "STUDY", cst_submit_quote(p->study));
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
  add_choice(&w, "LOG",
             kind == CST_JOB_PARTS ? s->scheduler->log_of_part : s->scheduler->log_of_job);
  add(&w, "ONLY", strdup(kind == CST_JOB_PARTS ? "-J $task-$((task + 1)):2 " : ""));
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
  cst_text_disarm(quoted, 0); /* a name may have line breaks */
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

char *cst_submit_name(const cst_submission *s, cst_job_kind kind) {
  char *name;
  if (asprintf(&name, "%s%s", s->name, kind == CST_JOB_MERGE ? "-merge" : "") < 0)
    abort();
  return name;
}

char *cst_submit_path(const cst_submission *s, const cst_places *p, cst_job_kind kind) {
  char *path, *name = cst_submit_name(s, kind);
  if (asprintf(&path, "%s/%s.%s", strcmp(p->folder, "/") ? p->folder : "", name,
               s->scheduler->name) < 0)
    abort();
  free(name);
  return path;
}

/* Without these words it would make every job of an array compute the whole study. */
static void check_template(const char *file, const char *text, cst_diag *d) {
  if (!strstr(text, "@ARRAY@") || !strstr(text, "@COMMAND@"))
    cst_diag_add(d, file, 0, 0,
                 "has no words @ARRAY@ and @COMMAND@, which --array needs; jobs/submit.SCHEDULER "
                 "shows their use");
}

char *cst_submit_make(const cst_submission *s, const cst_places *p, cst_job_kind kind,
                      cst_diag *d) {
  char  file[PATH_MAX];
  words w = make_words(s, p, kind);
  char *text = read_template(s, file, sizeof file, kind == CST_JOB_MERGE, d);
  if (text && kind != CST_JOB_WHOLE)
    check_template(file, text, d);
  char *script = text ? cst_submit_fill(file, text, w.word, w.n, d) : NULL;
  for (int k = 0; k < w.n; k++)
    free(w.word[k].value);
  free(text);
  return script ? seal(script, p->output) : NULL;
}

bool cst_submit_is_there(const char *path, const cst_places *p, const char *script, cst_diag *d) {
  char  *text;
  size_t length;
  if (access(path, F_OK) || !cst_document_read_file(path, &text, &length, d))
    return false;
  const bool same = !strcmp(text, script);
  const bool replaced = !same && is_ours(text, p->output) && !remove(path);
  if (!same && !replaced)
    cst_diag_add(
        d, path, 0, 0,
        "is there with other contents, and was changed, or made for another output; submit "
        "it yourself, remove it, or choose another --name");
  free(text);
  return same;
}
