/* submit-arguments.c: the command line of `constella submit`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/submit.h"
#include "cli/cli.h"
#include "core/text.h"
#include "study/plan/division.h"
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000000 }; /* ranks, nodes, requeues */

/* Functions `set` of options: store the value; false: it is refused. */

static bool set_file(void *to, const char *value) {
  *(const char **)to = value;
  return *value && value[strlen(value) - 1] != '/';
}

/* A word that needs no quotes in the shell or in the lines that a scheduler reads. */
static bool is_word(const char *text) {
  size_t n = strlen(text);
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("._+-,:/=@", text[i]))
      return false;
  return n && n < 256 && *text != '-';
}

static bool set_word(void *to, const char *value) {
  *(const char **)to = value;
  return is_word(value);
}

static bool add_module(void *to, const char *value) {
  char *modules = to;
  if (!is_word(value) || strlen(modules) + strlen(value) + 2 > CST_MODULES)
    return false;
  if (*modules)
    strcat(modules, " ");
  strcat(modules, value);
  return true;
}

static bool is_name(const char *text) {
  return cst_text_is_name(text, "._+-") && strlen(text) < sizeof((cst_submission *)NULL)->name;
}

static bool set_name(void *to, const char *value) {
  if (!is_name(value))
    return false;
  strcpy(to, value);
  return true;
}

static bool set_times(void *to, const char *value) {
  long n;
  if (!cst_options_natural(&n, value) || n > MOST)
    return false;
  *(long *)to = n;
  return true;
}

static bool set_count(void *to, const char *value) {
  return set_times(to, value) && *(long *)to > 0;
}

static bool set_parts(void *to, const char *value) {
  return set_times(to, value) && *(long *)to > 1 && *(long *)to <= CST_PARTS_MOST;
}

static bool set_hours(void *to, const char *value) {
  char  *end;
  double h = strtod(value, &end);
  if (end == value || *end || !(h >= 1.0 / 60 && h <= 10000))
    return false;
  *(double *)to = h;
  return true;
}

static bool set_scheduler(void *to, const char *value) {
  for (const cst_scheduler *s = cst_submit_schedulers; s->name; s++)
    if (!strcmp(value, s->name))
      *(const cst_scheduler **)to = s;
  return true;
}

#define AT(member) offsetof(cst_submission, member)
#define WORD       "letters, digits and . _ + - , : / = @"
static const cst_option options[] = {
    {"STUDY", .is = CST_OPTION_REQUIRED, .at = AT(study), .doc = "a study file",
     .takes = "a study file"},
    {"--scheduler", .value = "slurm|pbs|sge", .is = CST_OPTION_REQUIRED, .at = AT(scheduler),
     .set = set_scheduler, .doc = "the scheduler that gets the job",
     .takes = "one of slurm, pbs, sge"},
    {"--ranks", .value = "N", .is = CST_OPTION_REQUIRED, .at = AT(ranks), .set = set_count,
     .doc = "MPI ranks, one per core", .takes = "a number of ranks from 1 to 10000000"},
    {"--hours", .value = "H", .is = CST_OPTION_REQUIRED, .at = AT(hours), .set = set_hours,
     .doc = "time limit of the job", .takes = "hours from 0.0167 (a minute) to 10000"},
    {"--nodes", .value = "K", .at = AT(nodes), .set = set_count,
     .doc = "nodes; default: the scheduler decides",
     .takes = "a number of nodes from 1 to 10000000"},
    {"--account", .value = "A", .at = AT(account), .set = set_word, .doc = "the account to charge",
     .takes = WORD},
    {"--partition", .value = "Q", .at = AT(queue), .set = set_word, .doc = "the partition or queue",
     .takes = WORD},
    {"--queue", .value = "Q", .at = AT(queue), .set = set_word, .doc = "the same as --partition",
     .takes = WORD},
    {"--module", .value = "M", .is = CST_OPTION_REPEATS, .at = AT(modules), .set = add_module,
     .doc = "a module that the job loads",
     .takes = "one module, of " WORD "; repeat the option for more"},
    {"--output", .short_name = "-o", .value = "FILE", .at = AT(output), .set = set_file,
     .doc = "the result; default: the name of the study with .h5, in the current folder",
     .takes = "the name of a file"},
    {"--name", .value = "NAME", .at = AT(name), .set = set_name,
     .doc = "the job; default: the name of the study",
     .takes = "a letter, then letters, digits and . _ + -"},
    {"--template", .value = "FILE", .at = AT(template_file), .set = set_file,
     .doc =
         "the template of the job script; default: submit.SCHEDULER in the current folder, or the "
         "built-in one",
     .takes = "the name of a file"},
    {"--array", .value = "N", .at = AT(array), .set = set_parts,
     .doc = "N jobs, each with a part of the study, and a job that merges their results",
     .takes = "a number of parts from 2 to 1000000"},
    {"--requeue", .value = "COUNT", .standard = "100", .at = AT(requeues), .set = set_times,
     .doc = "how many times the job may be put back into the queue",
     .takes = "how many times the job may be put back into the queue, from 0 to 10000000"},
    {"--dry-run", .at = AT(dry_run), .doc = "print the job script; submit nothing"},
    {NULL},
};

const cst_command cst_command_submit = {
    .name = "submit",
    .doc = "Checks a study, writes a job script and hands it to the scheduler.",
    .option = options,
    .run = cst_submit_run,
};

/* The study's name without folder and extension. The default name of the job is the same, with the characters
 * replaced that schedulers refuse. */
static void set_names(cst_submission *s) {
  const char *file;
  const int   length = cst_text_stem(s->study, &file);
  snprintf(s->stem, sizeof s->stem, "%.*s", length, file);
  if (*s->name)
    return;
  snprintf(s->name, sizeof s->name, "%s%s", isalpha((unsigned char)*s->stem) ? "" : "study-",
           s->stem);
  for (char *c = s->name; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
      *c = '-';
}

/* Conditions that concern several options. */
static void check(const cst_submission *s, cst_diag *d) {
  if (cst_diag_count(d) || !s->nodes)
    return;
  if (s->nodes > s->ranks)
    cst_diag_add(d, NULL, 0, 0, "--nodes %ld: there are %ld ranks for them only", s->nodes,
                 s->ranks);
  if (!strcmp(s->scheduler->name, "sge"))
    cst_diag_add(d, NULL, 0, 0,
                 "--nodes: with sge the parallel environment decides on the nodes; leave it out");
  else if (!strcmp(s->scheduler->name, "pbs") && s->ranks % s->nodes)
    cst_diag_add(d, NULL, 0, 0, "--nodes %ld: with pbs they must divide the %ld ranks", s->nodes,
                 s->ranks);
}

void cst_submit_read(cst_submission *s, int argc, char **argv, cst_diag *d) {
  *s = (cst_submission){0};
  cst_options_parse(&cst_command_submit, argc, argv, s, d);
  if (s->study)
    set_names(s);
  check(s, d);
}
