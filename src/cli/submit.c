/* submit.c: `constella submit STUDY`: checks the study, writes a job script from a template beside the
 * output, and hands it to the scheduler. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include "cli/submit.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/inputs.h"
#include "cli/cli.h"
#include "constella/record.h"
#include "core/need.h"
#include "core/text.h"
#include "study/plan/division.h"
#include "study/run/back-end.h"
#include "study/run/identity.h"

static const char *const names[] = {"slurm", "pbs", "sge", NULL};

/* in their order */
static const cst_scheduler schedulers[] = {
    {"slurm", "sbatch", "--parsable", "-%s.log", "-%s_K.log", "%j", "%A_%a",
     "--dependency=afterany:%s", 0},
    {"pbs", "qsub", "", ".log", "-K.log", "", "-$task", "-W 'depend=afterany:%s'", 0},
    {"sge", "qsub", "-terse", ".log", "-K.log", "", "-$task", "-hold_jid %s", '.'},
};

/* ---- the command line ------------------------------------------------------------------------ */

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

#define AT(member) offsetof(cst_submission, member)
#define WORD       "letters, digits and . _ + - , : / = @"
static const cst_option options[] = {
    {"STUDY", .is = CST_OPTION_REQUIRED, .at = AT(study), .doc = "a study file",
     .takes = "a study file"},
    {"--scheduler", .is = CST_OPTION_REQUIRED,
     .of = {CST_VALUE_CHOICE, CST_AT(cst_submission, which), .words = names},
     .doc = "the scheduler that gets the job"},
    {"--ranks", .value = "N", .is = CST_OPTION_REQUIRED,
     .of = {CST_VALUE_INTEGER, CST_AT(cst_submission, ranks), 1, MOST},
     .doc = "MPI ranks, one per core"},
    {"--hours", .value = "H", .is = CST_OPTION_REQUIRED,
     .of = {CST_VALUE_NUMBER, CST_AT(cst_submission, hours), 1. / 60, 10000},
     .doc = "time limit of the job", .takes = "hours from 1/60 to 10000"},
    {"--nodes", .value = "K", .of = {CST_VALUE_INTEGER, CST_AT(cst_submission, nodes), 1, MOST},
     .doc = "nodes; default: the scheduler decides"},
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
    {"--array", .value = "N",
     .of = {CST_VALUE_INTEGER, CST_AT(cst_submission, array), 2, CST_PARTS_MOST},
     .doc = "N jobs, each with a part of the study, and a job that merges their results"},
    {"--requeue", .value = "COUNT", .standard = "100",
     .of = {CST_VALUE_INTEGER, CST_AT(cst_submission, requeues), 0, MOST},
     .doc = "how many times the job may be put back into the queue"},
    {"--dry-run", .at = AT(dry_run), .doc = "print the job script; submit nothing"},
    {NULL},
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

/* Errors go to d; the values that they concern keep their defaults. */
static void submit_read(cst_submission *s, int argc, char **argv, cst_diag *d) {
  *s = (cst_submission){0};
  cst_options_parse(&cst_command_submit, argc, argv, s, d);
  s->scheduler = &schedulers[s->which];
  if (s->study)
    set_names(s);
  check(s, d);
}

/* ---- the places ------------------------------------------------------------------------------ */

/* Finds absolute names, because a job may start anywhere. */
static void find_places(const cst_submission *s, cst_places *p, cst_diag *d) {
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
  else if (!held || !cst_identity_same(held, s->source.canonical, "the file", why, sizeof why))
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

/* ---- the scheduler --------------------------------------------------------------------------- */

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

/* What a scheduler prints of a job goes into a command line. */
static bool is_identity(const char *text) {
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr(".-_[]:", *c))
      return false;
  return *text;
}

/* Submits the script of a job, from its folder; after: the job that must have ended before; NULL: none.
 * Messages of the scheduler go to stderr. */
static bool hand_over(const cst_submission *s, const cst_places *p, cst_job_kind kind,
                      const char *after, char *job, size_t size) {
  char *folder = cst_submit_quote(p->folder);
  char *name = cst_submit_name(s, kind);
  char  flags[512] = "";
  char *command;
  if (after)
    snprintf(flags, sizeof flags, s->scheduler->after, after);
  if (asprintf(&command, "cd %s && exec %s %s %s%s%s.%s", folder, s->scheduler->program,
               s->scheduler->flags, flags, *flags ? " " : "", name, s->scheduler->name) < 0)
    abort();
  FILE *f = popen(command, "r");
  if (!f || !fgets(job, (int)size, f))
    *job = 0;
  while (f && fgetc(f) != EOF)
    continue; /* so that the scheduler's program can end */
  int status = f ? pclose(f) : -1;
  free(folder);
  free(command);
  free(name);
  job[strcspn(job, ";\r\n")] = 0; /* Slurm may add the name of a cluster */
  if (kind == CST_JOB_PARTS && s->scheduler->ends)
    job[strcspn(job, (char[]){s->scheduler->ends, 0})] = 0;
  if (!status && (kind == CST_JOB_PARTS ? is_identity(job) : *job))
    return true;
  fprintf(stderr, "constella: error: %s has not taken the job (exit status %d)\n",
          s->scheduler->program, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  return false;
}

/* A script, and what is to be done with it. */
typedef struct {
  cst_job_kind kind;
  char        *path, *text; /* owned */
  bool         there;       /* it is on the disk */
  char         job[256];    /* identity, when it is submitted */
} job_script;

static bool submit_one(const cst_submission *s, const cst_places *p, job_script *x,
                       const char *after) {
  if (!x->there && !write_script(x->path, x->text))
    return false;
  if (hand_over(s, p, x->kind, after, x->job, sizeof x->job))
    return true;
  if (!x->there)
    remove(x->path);
  return false;
}

static void tell_whole(const cst_submission *s, const cst_places *p, const job_script *x) {
  char log[300];
  snprintf(log, sizeof log, s->scheduler->log, x->job);
  printf("job %s: %s\nlog: %s/%s%s\nconstella status %s tells how far it is\n", x->job, x->path,
         p->folder, s->name, log, p->output);
}

static void tell_parts(const cst_submission *s, const cst_places *p, const job_script *x) {
  char log[300];
  snprintf(log, sizeof log, s->scheduler->log_of_parts, x->job);
  printf("job %s: %s, parts K = 1 .. %ld\nlog: %s/%s%s\n", x->job, x->path, s->array, p->folder,
         s->name, log);
}

/* Jobs that PBS scripts submitted for their parts in an earlier submission (jobs/submit.pbs). */
static void forget_again(const cst_submission *s, const cst_places *p) {
  char *path;
  if (asprintf(&path, "%s/%s.again", p->folder, s->name) < 0)
    abort();
  remove(path);
  free(path);
}

static int submit(const cst_submission *s, const cst_places *p, job_script *x) {
  if (!on_path(s->scheduler->program))
    return 1;
  if (!s->array) {
    const bool taken = submit_one(s, p, &x[0], NULL);
    if (taken)
      tell_whole(s, p, &x[0]);
    return !taken;
  }
  forget_again(s, p);
  if (!submit_one(s, p, &x[0], NULL))
    return 1;
  tell_parts(s, p, &x[0]);
  fflush(stdout);
  if (!submit_one(s, p, &x[1], x[0].job)) {
    fprintf(stderr, "constella: error: job %s will compute the parts, and nothing merges them\n",
            x[0].job);
    return 1;
  }
  printf("job %s: %s, merges them when they have ended\n"
         "constella status tells of each how far it is\n",
         x[1].job, x[1].path);
  return 0;
}

static void warn(const cst_submission *s, const cst_checked *c) {
  const char *whose = s->array ? " of a part" : "";
  if (s->array && cst_plan_own_trajectories(c->plan) == 0)
    fprintf(stderr, "constella: note: there are fewer trajectories than parts\n");
  else if (s->ranks > c->agenda->n)
    fprintf(stderr, "constella: note: there is work for %d of the %ld ranks%s only\n", c->agenda->n,
            s->ranks, whose);
}

/* Plans the last part, which has no more than any other. */
static void plan_part(const cst_submission *s, cst_checked *c) {
  cst_plan_divide(c->plan, s->array, s->array);
  cst_agenda_destroy(c->agenda);
  c->agenda = cst_agenda_create(c->plan, (int)s->ranks, 0, NULL, NULL, 0);
}

/* Makes the scripts: one, or two with --array. */
static int make_scripts(const cst_submission *s, const cst_places *p, job_script *x, cst_diag *d) {
  const int n = s->array ? 2 : 1;
  for (int i = 0; i < n; i++) {
    x[i].kind = !s->array ? CST_JOB_WHOLE : i == 0 ? CST_JOB_PARTS : CST_JOB_MERGE;
    x[i].path = cst_submit_path(s, p, x[i].kind);
    x[i].text = cst_diag_count(d) ? NULL : cst_submit_make(s, p, x[i].kind, d);
    if (x[i].text && !s->dry_run)
      x[i].there = cst_submit_is_there(x[i].path, p, x[i].text, d);
  }
  return n;
}

static bool print_scripts(const job_script *x, int n) {
  bool good = true;
  for (int i = 0; i < n; i++)
    good &= fputs(x[i].text, stdout) >= 0;
  return good;
}

static int submit_run(int argc, char **argv) {
  cst_submission s;
  cst_places     p = {.trusts = false};
  job_script     x[2] = {{0}};
  int            status = 2, n = 0;
  cst_checked    c = {0};
  cst_diag      *d = cst_diag_create();
  submit_read(&s, argc, argv, d);
  if (s.study)
    c = cst_checked_read(s.study, s.ranks ? (int)s.ranks : 1, d);
  if (!cst_diag_count(d))
    find_places(&s, &p, d);
  if (!cst_diag_count(d))
    check_output(p.output, c.study, d);
  if (!cst_diag_count(d)) {
    p.trusts = c.study->problem.nlayer > 0;
    n = make_scripts(&s, &p, x, d);
  }
  if (cst_diag_count(d))
    cst_diag_print(d, stderr);
  else {
    if (s.array)
      plan_part(&s, &c);
    warn(&s, &c);
    if (!s.dry_run)
      cst_study_compile_ahead(c.study, c.plan, s.ranks ? (int)s.ranks : 1);
    status = s.dry_run ? !print_scripts(x, n) : submit(&s, &p, x);
  }
  for (int i = 0; i < n; i++) {
    free(x[i].path);
    free(x[i].text);
  }
  cst_checked_free(&c);
  cst_diag_destroy(d);
  return status;
}

const cst_command cst_command_submit = {
    .name = "submit",
    .doc = "Checks a study, writes a job script and hands it to the scheduler.",
    .option = options,
    .run = submit_run,
};
