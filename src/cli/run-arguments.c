/* run-arguments.c: the command lines of `constella run`, `extend` and `merge`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/run.h"
#include "core/need.h"
#include "core/text.h"
#include "study/plan/division.h"

enum { MOST_LANES = 1 << 20 };

static bool is_study(const char *word) {
  return cst_text_ends(word, ".yaml") || cst_text_ends(word, ".yml");
}

static bool set_batch(void *member, const char *value) {
  long n;
  if (!cst_options_count(&n, value) || n > MOST_LANES)
    return false;
  *(long *)member = n;
  return true;
}

/* An argument of the command that is still missing, and not the value of an option of PETSc. */
static bool is_argument(const cst_arguments *a, const char *word) {
  return (!a->study && is_study(word)) || (a->extends && !a->file && cst_text_ends(word, ".h5"));
}

/* An option of PETSc begins with one dash; the word behind it is its value, unless it is an option or an
 * argument. */
static int pass_petsc(void *into, int n, char **words, cst_diag *d) {
  cst_arguments *a = into;
  const bool     valued = n > 1 && *words[1] != '-' && !is_argument(a, words[1]);
  if (words[0][1] == '-')
    return 0;
  if (valued && !strcmp(words[0], "-options_file") && access(words[1], R_OK)) {
    cst_diag_add(d, words[1], 0, 0, "%s", strerror(errno));
    return 2;
  }
  a->petsc[a->npetsc++] = words[0];
  if (valued)
    a->petsc[a->npetsc++] = words[1];
  return valued ? 2 : 1;
}

static bool add_file(void *to, const char *value) {
  cst_files *x = to;
  x->file = cst_need(realloc(x->file, sizeof *x->file * (size_t)(x->n + 1)));
  x->file[x->n++] = value;
  return *value;
}

static bool set_part(void *to, const char *value) {
  return cst_part_parse(value, to, (long *)to + 1);
}

#define AT(MEMBER) offsetof(cst_arguments, MEMBER)
#define STUDY(DOC)                                                                                 \
  { "STUDY", .is = CST_OPTION_REQUIRED, .at = AT(study), .doc = DOC, .takes = "a study file" }
#define OUTPUT(DOC)                                                                                \
  { "--output", .short_name = "-o", .value = "FILE", .at = AT(run.output), .doc = DOC }
#define RESUME                                                                                     \
  { "--resume", .at = AT(run.resumes), .doc = "continue from the last checkpoint of the result" }
#define LIMITS                                                                                     \
  {"--max-hours",                                                                                  \
   .value = "H",                                                                                   \
   .at = AT(hours),                                                                                \
   .set = cst_options_positive,                                                                    \
   .takes = "a positive number",                                                                   \
   .doc = "stop with a checkpoint before this many hours have passed since the start of the "      \
          "program"},                                                                              \
      {"--checkpoint-seconds",                                                                     \
       .value = "S",                                                                               \
       .at = AT(run.checkpoint_seconds),                                                           \
       .set = cst_options_positive,                                                                \
       .takes = "a positive number",                                                               \
       .doc = "time between checkpoints; default: that of the study"},                             \
      {"--batch",                                                                                  \
       .value = "B",                                                                               \
       .at = AT(run.batch),                                                                        \
       .set = set_batch,                                                                           \
       .takes = "a number of lanes from 1 to 1048576",                                             \
       .doc = "at most this many lanes per batch; changes no bit of the result"},                  \
  {                                                                                                \
    "--progress",                                                                                  \
        .value = "auto|line|log|none", .standard = "auto", .at = AT(run.progress),                 \
        .doc =                                                                                     \
            "a line that is updated, a line per message, or nothing; auto: a line on a terminal"   \
  }

static const cst_option run_options[] = {
    STUDY("a study file"),
    OUTPUT(
        "the result; default: the name of the study with .h5, or .part-K-of-N.h5, in the current "
        "folder"),
    RESUME,
    {"--overwrite", .at = AT(run.overwrite), .doc = "replace a result that exists"},
    {"--part", .value = "K/N", .at = AT(run.part), .set = set_part,
     .takes = "K/N, with K from 1 to N and N at most 1000000",
     .doc = "compute only the K-th of N parts of the trajectories; `constella merge` makes one "
            "result of the parts"},
    LIMITS,
    {NULL},
};

const cst_command cst_command_run = {
    .name = "run",
    .doc = "Runs a study, under mpirun or srun, or alone.",
    .option = run_options,
    .passes = "PETSc options",
    .pass = pass_petsc,
    .run = cst_run_start,
};

static const cst_option extend_options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = AT(file), .doc = "a result that is complete",
     .takes = "a result"},
    STUDY("the study of FILE with more members, steps, methods, tolerances or parameters, or a "
          "later end"),
    OUTPUT("a new result, which leaves FILE as it is; default: FILE.extended, which takes the "
           "place of FILE "
           "when it is complete"),
    RESUME,
    LIMITS,
    {NULL},
};

const cst_command cst_command_extend = {
    .name = "extend",
    .doc = "Adds members, steps, methods, parameters or time to a result: computes only what it "
           "does not have.",
    .option = extend_options,
    .passes = "PETSc options",
    .pass = pass_petsc,
    .run = cst_run_start,
};

static const cst_option merge_options[] = {
    {"PARTS", .is = CST_OPTION_REQUIRED | CST_OPTION_REPEATS, .at = AT(parts), .set = add_file,
     .doc = "the results of all parts of a study, in any order", .takes = "results of parts"},
    {"--output", .short_name = "-o", .value = "FILE", .is = CST_OPTION_REQUIRED,
     .at = AT(run.output), .doc = "the result of the whole study", .takes = "the name of a file"},
    RESUME,
    {"--overwrite", .at = AT(run.overwrite), .doc = "replace a result that exists"},
    {"--trust-code", .at = AT(trusts), .doc = "compile and load the methods in C of the study"},
    LIMITS,
    {NULL},
};

const cst_command cst_command_merge = {
    .name = "merge",
    .doc = "Makes one result of the parts of a study: the bytes that one job would have made.",
    .option = merge_options,
    .run = cst_run_start,
};

void cst_run_arguments_parse(const cst_command *c, int argc, char **argv, cst_arguments *a,
                             cst_diag *d) {
  a->extends = c == &cst_command_extend;
  a->petsc = cst_zeros(argc, sizeof *a->petsc);
  a->petsc[a->npetsc++] = argv[0];
  cst_options_parse(c, argc, argv, a, d);
  if (a->run.resumes && a->run.overwrite)
    cst_diag_add(
        d, NULL, 0, 0,
        "--resume goes on from what is there and --overwrite throws it away; give one of them");
}

static bool is_link(const char *path) {
  struct stat s;
  return !lstat(path, &s) && S_ISLNK(s.st_mode);
}

void cst_run_arguments_name_output(cst_arguments *a) {
  a->renames = a->extends && a->file && !a->run.output;
  if (a->renames) {
    char *real = realpath(a->file, NULL);
    snprintf(a->target, sizeof a->target, "%s", real ? real : a->file);
    snprintf(a->output, sizeof a->output, "%.*s.extended", (int)sizeof a->output - 10,
             real && strcmp(real, a->file) && is_link(a->file) ? real : a->file);
    a->run.output = a->output;
    free(real);
  }
  if (a->run.output || !a->study)
    return;
  const char *name;
  const int   length = cst_text_stem(a->study, &name);
  if (a->run.part.k)
    snprintf(a->output, sizeof a->output, "%.*s.part-%ld-of-%ld.h5", length, name, a->run.part.k,
             a->run.part.n);
  else
    snprintf(a->output, sizeof a->output, "%.*s.h5", length, name);
  a->run.output = a->output;
}

char *cst_run_arguments_join(int argc, char **argv) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  fputs("constella", f);
  for (int i = 0; i < argc; i++)
    fprintf(f, " %s", argv[i]);
  fclose(f);
  return text;
}
