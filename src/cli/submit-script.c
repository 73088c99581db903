/* submit-script.c: the scripts of a submission: of the whole study, or of the array of its parts and of the job that
 * merges them. They are made from one template, in which a word in capitals between two @ stands for a value. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include "cli/submit.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/document.h"
#include "constella/random.h"
#include "core/diag.h"
#include "core/need.h"
#include "core/text.h"

/* ---- templates ------------------------------------------------------------------------------- */

/* @NAME@ stands for value; lines with a word whose value is NULL are left out. */
typedef struct {
  const char *name;
  char       *value;
} cst_word;

static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/* The number of letters of the word that begins with the @ at s; 0: none, as in an e-mail address. */
static size_t word_length(const char *s) {
  size_t n = *s == '@' ? strspn(s + 1, capitals) : 0;
  return n && s[n + 1] == '@' ? n : 0;
}

static const cst_word *find(const cst_word *words, int n, const char *name, size_t length) {
  for (int i = 0; i < n; i++)
    if (strlen(words[i].name) == length && !strncmp(words[i].name, name, length))
      return &words[i];
  return NULL;
}

static void unknown(const char *file, int line, int column, const char *name, size_t length,
                    const cst_word *words, int n, cst_diag *d) {
  const char *names[32];
  char        found[64];
  for (int i = 0; i < n; i++)
    names[i] = words[i].name;
  snprintf(found, sizeof found, "%.*s", (int)length, name);
  cst_diag_add(d, file, line, column, "no word @%s@ in templates; allowed: %s%s", found,
               cst_diag_join(names, n), cst_diag_guess(found, names, n));
}

/* Writes one line, up to `end`, with its words replaced; false where it is to be left out. */
static bool fill_line(FILE *f, const char *file, int line, const char *text, const char *end,
                      const cst_word *words, int n, cst_diag *d) {
  const char *s = text;
  while (s < end) {
    size_t length = word_length(s);
    if (!length) {
      fputc(*s++, f);
      continue;
    }
    const cst_word *w = find(words, n, s + 1, length);
    if (!w)
      unknown(file, line, (int)(s - text) + 1, s + 1, length, words, n, d);
    if (w && !w->value)
      return false;
    if (w)
      fputs(w->value, f);
    s += length + 2;
  }
  return true;
}

/* The template text of `file` with its words replaced. Owned, free(). NULL with errors in d: words that are
 * not among words[0..n). */
static char *fill_template(const char *file, const char *text, const cst_word *words, int n,
                           cst_diag *d) {
  char  *script = NULL;
  size_t length = 0;
  FILE  *f = cst_need(open_memstream(&script, &length));
  int    before = cst_diag_count(d);
  for (int line = 1; *text; line++) {
    const char *end = strchr(text, '\n');
    end = end ? end + 1 : text + strlen(text);
    long start = ftell(f);
    if (!fill_line(f, file, line, text, end, words, n, d))
      fseek(f, start, SEEK_SET);
    text = end;
  }
  long size = ftell(f);
  if (fclose(f))
    abort();
  script[size] = 0;
  if (cst_diag_count(d) == before)
    return script;
  free(script);
  return NULL;
}

char *cst_submit_quote(const char *text) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=,:@%";
  char  *word = NULL;
  size_t length;
  FILE  *f = cst_need(open_memstream(&word, &length));
  bool   bare = *text && strspn(text, plain) == strlen(text);
  if (!bare)
    fputc('\'', f);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", f);
    else
      fputc(*text, f);
  if (!bare)
    fputc('\'', f);
  if (fclose(f))
    cst_need_fail();
  return word;
}

/* ---- the scripts ----------------------------------------------------------------------------- */

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
  char *script = text ? fill_template(file, text, w.word, w.n, d) : NULL;
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
