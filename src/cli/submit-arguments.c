/* submit-arguments.c: the command line of `constella submit`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/submit.h"
#include "core/diag.h"
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";

/* Setters: put value, in the right form, into `to`; false where it has not that form. */

static bool set_file(void *to, const char *value) {
  *(const char **)to = value;
  return *value && value[strlen(value) - 1] != '/';
}

/* Something that needs no quotes, neither in the shell nor in the lines that a scheduler reads. */
static bool is_word(const char *text) {
  size_t n = strlen(text);
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("._+-,:/=@", text[i])) return false;
  return n && n < 256 && *text != '-';
}

static bool set_word(void *to, const char *value) {
  *(const char **)to = value;
  return is_word(value);
}

static bool add_module(void *to, const char *value) {
  char *modules = to;
  if (!is_word(value) || strlen(modules) + strlen(value) + 2 > CST_MODULES) return false;
  if (*modules) strcat(modules, " ");
  strcat(modules, value);
  return true;
}

static bool is_name(const char *text) {
  size_t n = strlen(text), first = strspn(text, letters);
  for (size_t i = 0; i < n; i++)
    if (!strchr(letters, text[i]) && !strchr(digits, text[i]) && !strchr("._+-", text[i])) return false;
  return first && n < sizeof((cst_submission *)NULL)->name;
}

static bool set_name(void *to, const char *value) {
  if (!is_name(value)) return false;
  strcpy(to, value);
  return true;
}

static bool set_count(void *to, const char *value) {
  char *end;
  errno = 0;
  long n = strtol(value, &end, 10);
  if (end == value || *end || errno || n < 1 || n > 10000000) return false;
  *(long *)to = n;
  return true;
}

static bool set_times(void *to, const char *value) { return !strcmp(value, "0") ? *(long *)to = 0, true : set_count(to, value); }

static bool set_hours(void *to, const char *value) {
  char  *end;
  double h = strtod(value, &end);
  if (end == value || *end || !(h >= 1.0 / 60 && h <= 10000)) return false;
  *(double *)to = h;
  return true;
}

static bool set_scheduler(void *to, const char *value) {
  for (const cst_scheduler *s = cst_submit_schedulers; s->name; s++)
    if (!strcmp(value, s->name)) return *(const cst_scheduler **)to = s, true;
  return false;
}

#define AT(member) offsetof(cst_submission, member)
static const struct {
  const char *name;
  size_t      at;
  bool (*set)(void *to, const char *value);
  const char *takes;
} options[] = {
    {"--scheduler", AT(scheduler), set_scheduler, "one of slurm, pbs, sge"},
    {"--ranks", AT(ranks), set_count, "a number of ranks from 1 to 10000000"},
    {"--hours", AT(hours), set_hours, "hours from 0.0167 (a minute) to 10000"},
    {"--nodes", AT(nodes), set_count, "a number of nodes from 1 to 10000000"},
    {"--account", AT(account), set_word, "letters, digits and . _ + - , : / = @"},
    {"--partition", AT(queue), set_word, "letters, digits and . _ + - , : / = @"},
    {"--queue", AT(queue), set_word, "letters, digits and . _ + - , : / = @"},
    {"--module", AT(modules), add_module, "one module, of letters, digits and . _ + - , : / = @; repeat the option for more"},
    {"--output", AT(output), set_file, "the name of a file"},
    {"--name", AT(name), set_name, "a letter, then letters, digits and . _ + -"},
    {"--template", AT(template_file), set_file, "the name of a file"},
    {"--requeue", AT(requeues), set_times, "how many times the job may be put back into the queue, from 0 to 10000000"},
    {"--dry-run", 0, NULL, NULL},
    {"--help", 0, NULL, NULL},
};
enum { OPTIONS = sizeof options / sizeof *options };

static int find_option(const char *text) {
  for (int k = 0; k < OPTIONS; k++)
    if (!strcmp(text, options[k].name)) return k;
  return !strcmp(text, "-o") ? find_option("--output") : -1;
}

static void unknown_option(const char *text, cst_diag *d) {
  const char *names[OPTIONS];
  for (int k = 0; k < OPTIONS; k++) names[k] = options[k].name;
  cst_diag_add(d, NULL, 0, 0, "unknown option '%s'; allowed: %s%s", text, cst_diag_join(names, OPTIONS),
               cst_diag_guess(text, names, OPTIONS));
}

static void refuse_value(int k, const char *value, cst_diag *d) {
  const char *names[8];
  int         n = 0;
  for (const cst_scheduler *s = cst_submit_schedulers; s->name; s++) names[n++] = s->name;
  cst_diag_add(d, NULL, 0, 0, "%s takes %s, not '%s'%s", options[k].name, options[k].takes, value,
               options[k].set == set_scheduler ? cst_diag_guess(value, names, n) : "");
}

/* The study's name without folder and ending; and, where none is given, the job's: the same with what schedulers refuse replaced. */
static void set_names(cst_submission *s) {
  const char *slash = strrchr(s->study, '/'), *file = slash ? slash + 1 : s->study, *dot = strrchr(file, '.');
  snprintf(s->stem, sizeof s->stem, "%.*s", (int)(dot ? dot - file : (long)strlen(file)), file);
  if (*s->name) return;
  snprintf(s->name, sizeof s->name, "%s%s", *s->stem && strchr(letters, *s->stem) ? "" : "study-", s->stem);
  for (char *c = s->name; *c; c++)
    if (!strchr(letters, *c) && !strchr(digits, *c) && !strchr("._+-", *c)) *c = '-';
}

/* What options say about each other. */
static void check(const cst_submission *s, cst_diag *d) {
  if (!s->study) cst_diag_add(d, NULL, 0, 0, "`constella submit` needs a study file");
  if (cst_diag_count(d)) return;
  if (!s->scheduler) cst_diag_add(d, NULL, 0, 0, "--scheduler is missing; it takes one of slurm, pbs, sge");
  if (!s->ranks) cst_diag_add(d, NULL, 0, 0, "--ranks is missing; it takes the number of MPI ranks, one a core");
  if (s->hours == 0) cst_diag_add(d, NULL, 0, 0, "--hours is missing; it takes the time limit of the job");
  if (s->nodes > s->ranks) cst_diag_add(d, NULL, 0, 0, "--nodes %ld: there are %ld ranks for them only", s->nodes, s->ranks);
  if (!s->scheduler || !s->nodes) return;
  if (!strcmp(s->scheduler->name, "sge"))
    cst_diag_add(d, NULL, 0, 0, "--nodes: with sge the parallel environment decides on the nodes; leave it out");
  else if (!strcmp(s->scheduler->name, "pbs") && s->ranks % s->nodes)
    cst_diag_add(d, NULL, 0, 0, "--nodes %ld: with pbs they must divide the %ld ranks", s->nodes, s->ranks);
}

void cst_submit_read(cst_submission *s, int argc, char **argv, cst_diag *d) {
  *s = (cst_submission){.requeues = 100};
  for (int i = 1; i < argc; i++) {
    int k = find_option(argv[i]);
    if (k < 0 && *argv[i] == '-')
      unknown_option(argv[i], d);
    else if (k < 0 && s->study)
      cst_diag_add(d, NULL, 0, 0, "unexpected argument '%s'; `constella submit` takes one study", argv[i]);
    else if (k < 0)
      s->study = argv[i];
    else if (!options[k].set)
      s->dry_run = true;
    else if (i + 1 == argc)
      cst_diag_add(d, NULL, 0, 0, "'%s' needs a value", argv[i]);
    else if (!options[k].set((char *)s + options[k].at, argv[++i]))
      refuse_value(k, argv[i], d);
  }
  if (s->study) set_names(s);
  check(s, d);
}
