/* run.c: `constella run STUDY` reads and checks everything before any work starts, then runs the study under
 * MPI and PETSc; `constella extend FILE STUDY` runs only the trajectories that FILE does not have, and `constella
 * merge PARTS` runs none: it takes them over from the parts of a study and concludes them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/run.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/petsc-options.h"
#include "core/error.h"
#include "core/need.h"
#include "core/text.h"
#include "record/agree.h"
#include "record/snapshot.h"
#include "solve/team.h"
#include "study/plan/division.h"
#include "study/run/identity.h"
#include "study/run/stop.h"

/* ---- the command lines ----------------------------------------------------------------------- */

static bool is_study(const char *word) {
  return cst_text_ends(word, ".yaml") || cst_text_ends(word, ".yml");
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
  {"--max-hours", .value = "H",                                                                    \
   .of = {CST_VALUE_NUMBER, CST_AT(cst_arguments, hours), 0, CST_NO_LIMIT, .above = true},         \
   .doc = "stop with a checkpoint before this many hours have passed since the start of the "      \
          "program"},                                                                              \
      {"--checkpoint-seconds", .value = "S",                                                       \
       .of = {CST_VALUE_NUMBER, CST_AT(cst_arguments, run.checkpoint_seconds), 0, CST_NO_LIMIT,    \
              .above = true},                                                                      \
       .doc = "time between checkpoints; default: that of the study"},                             \
      {"--batch", .value = "B",                                                                    \
       .of = {CST_VALUE_INTEGER, CST_AT(cst_arguments, run.batch), 1, 1 << 20},                    \
       .doc = "at most this many lanes per batch; changes no bit of the result"},                  \
  {                                                                                                \
    "--progress",                                                                                  \
        .of = {CST_VALUE_CHOICE, .words = progresses}, .standard = "auto", .at = AT(run.progress), \
        .doc =                                                                                     \
            "a line that is updated, a line per message, or nothing; auto: a line on a terminal"   \
  }

static const char *const progresses[] = {"auto", "line", "log", "none", NULL};

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

/* Mistakes go into d. */
static void parse_arguments(const cst_command *c, int argc, char **argv, cst_arguments *a,
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

/* Without -o: FILE.extended, of the real path of FILE, or the study's name with .h5 in the current folder. */
static void name_output(cst_arguments *a) {
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

/* as one line; owned */
static char *join_arguments(int argc, char **argv) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  fputs("constella", f);
  for (int i = 0; i < argc; i++)
    fprintf(f, " %s", argv[i]);
  fclose(f);
  return text;
}

/* ---- agreement of the ranks ------------------------------------------------------------------ */

/* All ranks of a run must be started alike, or they would wait for each other for ever, or share the work
 * differently. */

static const char *or_none(const char *text) { return text ? text : "none"; }

/* Writes lines into a text; owned. */
static char *options_text(const cst_arguments *a) {
  char  *text = NULL;
  size_t n;
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "program: %s, build %s\n", cst_identity_version(), cst_identity_build());
  fprintf(f, "command: %s\n", a->extends ? "extend" : a->parts.n ? "merge" : "run");
  fprintf(f, "study: %s\n", or_none(a->study));
  fprintf(f, "result to extend: %s\n", or_none(a->file));
  for (int i = 0; i < a->parts.n; i++)
    fprintf(f, "part: %s\n", a->parts.file[i]);
  fprintf(f, "output: %s\n", or_none(a->run.output));
  fprintf(f, "--resume: %s\n", a->run.resumes ? "yes" : "no");
  fprintf(f, "--overwrite: %s\n", a->run.overwrite ? "yes" : "no");
  fprintf(f, "--part: %ld/%ld\n", a->run.part.k, a->run.part.n);
  fprintf(f, "--batch: %ld\n", a->run.batch);
  fprintf(f, "--max-hours: %.17g\n", a->hours);
  fprintf(f, "--checkpoint-seconds: %.17g\n", a->run.checkpoint_seconds);
  fprintf(f, "--progress: %s\n", or_none(a->run.progress));
  fprintf(f, "PETSc options:");
  for (int i = 1; i < a->npetsc; i++)
    fprintf(f, " %s", a->petsc[i]);
  fputc('\n', f);
  fclose(f);
  return cst_need(text);
}

/* All that decides which rank does what. */
static char *work_text(const cst_plan *p, const cst_agenda *a) {
  char  *text = NULL;
  size_t n;
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "study: sha256 %s\n", p->study->source.sha256);
  fprintf(f, "cases: %d\nclasses: %d\n", p->ncase, p->nclass);
  fprintf(f, "batches: %d of %ld lanes, cost %a\n", a->n, a->batch, a->left);
  fclose(f);
  return cst_need(text);
}

/* Takes the text. On disagreement rank 0 says why, and PETSc forgets its options: those that ask for a summary at
 * the end (-log_view) would let a rank wait there for the others, which have no such option. */
static bool agree_on(char *text) {
  char why[1024] = "";
  int  rank;
  MPI_Comm_rank(cst_world, &rank);
  const bool ok = cst_agree_on(cst_world, text, why, sizeof why);
  free(text);
  if (!ok && rank == 0)
    fprintf(stderr, "constella: error: %s\n", why);
  if (!ok)
    cst_petsc_forget();
  return ok;
}

/* Collective, before anything else: whether all ranks have the same program and options. If not, rank 0 says which rank
 * differs. */
static bool agree_on_options(const cst_arguments *a) { return agree_on(options_text(a)); }

/* The same, before the file is made, of the study, the instruction set and the batches. */
static bool agree_on_work(const cst_plan *p, const cst_agenda *a) {
  return agree_on(work_text(p, a));
}

/* ---- the run --------------------------------------------------------------------------------- */

/* One run, extension or merger on one rank. */
typedef struct {
  cst_arguments  *a;
  cst_diag       *d;
  int             isa, rank, ranks; /* isa: -1 where none is allowed */
  cst_study      *study;
  cst_plan       *plan;
  cst_checkpoint *checkpoint;
  cst_agenda     *agenda;
} session;

enum { EXIT_AGAIN = 75, START_SECONDS = 3, END_SECONDS = 10 };

/* Hours count from the start of the program. */
static void set_deadline(cst_arguments *a) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double since =
      (double)(now.tv_sec - a->begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - a->begun.tv_nsec);
  if (a->hours > 0)
    a->run.deadline = MPI_Wtime() - since + 3600 * a->hours;
}

/* Prints the message of the innermost error, without PETSc's stack. An error of all ranks is printed once. */
static cst_error print_error(MPI_Comm comm, int line, const char *function, const char *file,
                             cst_error n, bool arises, const char *message, void *context) {
  int rank = 0;
  (void)line, (void)file, (void)context;
  /* PETSc 3.18 calls with its arguments in another order where malloc fails: n is a line */
  if (n == CST_ERR_MEM || (function && !strcmp(function, "PetscMallocAlign")))
    cst_need_fail();
  if (comm == cst_world)
    MPI_Comm_rank(comm, &rank);
  if (arises && message && !rank)
    fprintf(stderr, "constella: error: %s\n", message);
  return n;
}

/* Another build may have computed other bits. */
static void warn_of_build(cst_arguments *a) {
  char *text = a->run.warnings.text[CST_WARNS_BUILD];
  char *git = cst_result_text(a->old.file, "/", "git");
  char *compiler = cst_result_text(a->old.file, "/run", "compiler");
  if (!git || strcmp(git, cst_identity_version()) || !compiler ||
      strcmp(compiler, cst_identity_compiler()))
    snprintf(text, CST_WARNING_WIDTH,
             "%s was made by another build, %s; `constella verify` shows whether this one computes "
             "the same bits",
             a->file, git ? git : "unknown");
  if (*text)
    cst_warning_print(text);
  free(git);
  free(compiler);
}

/* On rank 0, before the first step: reports which trajectories are not computed. */
static void report_extension(cst_arguments *a, const cst_study *study, const cst_plan *plan) {
  const cst_extension *e = &a->extension;
  if (e->continues) {
    printf("%s: %.0f trajectories go on to a later end\n", a->file,
           (double)plan->ncase * (double)study->ensemble.members);
    fflush(stdout);
    return;
  }
  printf("%s: %ld trajectories are taken over, %.0f are computed", a->file, e->taken,
         (double)plan->ncase * (double)study->ensemble.members - (double)e->taken);
  if (e->why)
    printf(", %ld of them anew: %s", e->recomputed, e->why);
  puts("");
  fflush(stdout);
  warn_of_build(a);
}

/* On rank 0, when the new file is on the disk: it replaces the one that it extends. */
static bool replace_extended(const cst_arguments *a) {
  if (!a->renames || cst_run_is_extended(a))
    return true;
  if (!cst_run_is_unchanged(a)) {
    fprintf(stderr,
            "constella: error: %s was removed or replaced meanwhile; the new result is %s\n",
            a->file, a->run.output);
    return false;
  }
  if (!rename(a->run.path, a->target))
    return true;
  fprintf(stderr, "constella: error: %s cannot take the place of %s: %s\n", a->run.output, a->file,
          strerror(errno));
  return false;
}

/* "part 2/7 complete" or "complete". */
static const char *complete_word(const cst_plan *p) {
  static char text[CST_PART_TEXT + 16];
  char        part[CST_PART_TEXT];
  cst_part_print(p, part);
  snprintf(text, sizeof text, "%s%s%scomplete", *part ? "part " : "", part, *part ? " " : "");
  return text;
}

/* On rank 0: reports the end of the run. */
static void report_end(const cst_arguments *a, const cst_plan *plan, const cst_run_end *end) {
  const long  all = cst_plan_own_trajectories(plan);
  const char *file = a->renames && end->end == CST_END_DONE ? a->file : a->run.output;
  char        why[CST_FAILURE_TEXT], stopped[64] = "";
  cst_failures_say(&end->failures, why, sizeof why);
  if (cst_failures_stopped(&end->failures))
    snprintf(stopped, sizeof stopped, ", %ld of %ld ended by an event",
             cst_failures_stopped(&end->failures), all);
  if (end->end == CST_END_STOPPED)
    printf("%s: interrupted by %s at %.1f %%; the same line with --resume goes on\n", file,
           end->reason, 100 * end->share);
  if (end->end == CST_END_FAILED && end->cut)
    fprintf(stderr, "constella: error: %s: %s\n", file, end->reason);
  else if (end->end == CST_END_FAILED)
    fprintf(stderr, "constella: error: %s: %s; stopped at %.1f %%, --resume %s\n", file,
            end->reason, 100 * end->share,
            end->checkpoints || a->run.resume.number ? "goes on from the checkpoint before"
                                                     : "starts anew: there is no checkpoint");
  if (*end->kept)
    fprintf(stderr,
            "constella: error: %s was removed or replaced during the run; what it has is kept in "
            "%s (%s)\n",
            file, end->kept,
            end->end == CST_END_DONE ? "complete" : "interrupted; `-o` that file --resume goes on");
  else if (end->end == CST_END_DONE && end->failed)
    printf("%s: %s, %ld of %ld failed%s\n", file, complete_word(plan), end->failed, all, stopped);
  else if (end->end == CST_END_DONE)
    printf("%s: %s, no trajectory failed%s\n", file, complete_word(plan), stopped);
  fflush(stdout);
  if (end->end == CST_END_DONE && end->failed)
    fprintf(
        stderr,
        "constella: %ld of %ld trajectories failed (%s); /final/status%s of %s tells which, and "
        "`constella status %s` what helps\n",
        end->failed, all, why, end->failures.of[CST_NO_REFERENCE] ? " or /error" : "", file, file);
}

/* Ends all ranks without waiting, because a single rank may have failed. A single process exits without MPI,
 * which would print its own message.
 */
static void give_up(const cst_arguments *a) {
  int ranks;
  MPI_Comm_size(cst_world, &ranks);
  cst_stop_after(END_SECONDS, 1);
  if (ranks == 1) {
    cst_lock_release(a->run.lock);
    cst_lock_release(a->extended);
    exit(1);
  }
  MPI_Abort(cst_world, 1);
}

/* The first rank of each team runs the study, the others serve it until it ends. All learn how it ended. */
static cst_error run_teams(session *x, cst_run_end *end) {
  MPI_Comm all = cst_world, leaders;
  int      failed = 0;
  CST_TRY(cst_team_divide(all, x->study->solver.team, &leaders));
  if (leaders == MPI_COMM_NULL) {
    cst_stop_grace(0); /* it ends with its leader */
    CST_TRY(cst_team_serve());
  } else {
    cst_world = leaders;
    failed = cst_run(x->plan, x->agenda, x->checkpoint, &x->a->run, end);
    cst_world = all;
    if (failed && !end->agreed)
      return failed;
    CST_TRY(cst_team_dismiss());
  }
  CST_TRY_MPI(MPI_Bcast(&failed, 1, MPI_INT, 0, all));
  CST_TRY_MPI(MPI_Bcast(end, sizeof *end, MPI_BYTE, 0, all));
  return failed;
}

/* On rank 0: reports what could not be compiled. */
static void warn_of_compiler(cst_run_options *run, int rank) {
  if (rank || !*run->back_end.warning)
    return;
  snprintf(run->warnings.text[CST_WARNS_COMPILE], CST_WARNING_WIDTH, "%s", run->back_end.warning);
  cst_warning_print(run->back_end.warning);
}

/* Runs a study without errors. */
static int execute(session *x) {
  static const int status[] = {
      [CST_END_NONE] = 1, [CST_END_DONE] = 0, [CST_END_STOPPED] = EXIT_AGAIN, [CST_END_FAILED] = 1};
  cst_arguments *a = x->a;
  const int      rank = x->rank;
  cst_run_end    end = {0};
  cst_error      failed;
  if (rank == 0 && *a->run.resume.message)
    fprintf(stderr, "%s\n", a->run.resume.message);
  if (rank == 0 && a->extends && a->run.resume.start == CST_START_ANEW)
    report_extension(a, x->study, x->plan);
  cst_error_push(print_error, NULL);
  failed = cst_study_compile(x->study, x->plan, x->agenda->left, &a->run.back_end);
  if (!failed)
    warn_of_compiler(&a->run, rank);
  end.agreed = failed != 0;
  if (!failed)
    failed = x->study->solver.team > 1 ? run_teams(x, &end)
                                       : cst_run(x->plan, x->agenda, x->checkpoint, &a->run, &end);
  cst_error_pop();
  if (failed && !end.agreed)
    give_up(a);
  if (failed)
    return failed == CST_ERR_ARG_INCOMP ? 2 : 1;
  if (rank == 0 && end.end == CST_END_DONE && !*end.kept && !replace_extended(a))
    return 1;
  if (rank == 0)
    report_end(a, x->plan, &end);
  return end.failed > 0 || *end.kept ? 1 : status[end.end];
}

/* Reports --resume of a complete result, and removes the checkpoints that its run has left. */
static int report_complete(const cst_arguments *a, const cst_plan *plan) {
  int rank;
  MPI_Comm_rank(cst_world, &rank);
  if (rank == 0 && a->run.resume.left)
    cst_resume_clean(&a->run.resume, a->run.path);
  if (rank == 0 && !replace_extended(a))
    return 1;
  if (rank == 0 && a->run.resume.failed)
    printf("%s: %s already, %ld trajectories failed\n", a->renames ? a->file : a->run.output,
           complete_word(plan), a->run.resume.failed);
  else if (rank == 0)
    printf("%s: %s already\n", a->renames ? a->file : a->run.output, complete_word(plan));
  return a->run.resume.failed > 0;
}

/* PETSc installs handlers of signals. */
static bool drive(const cst_plan *p) {
  const bool done = cst_petsc_drive(p);
  cst_stop_listen();
  return done;
}

static void check_teams(const cst_study *s, int ranks, cst_diag *d) {
  if (!s || s->solver.team <= 1 || ranks % s->solver.team == 0)
    return;
  const cst_study_word at = cst_study_place(s, "ranks-per-trajectory");
  cst_diag_add(d, s->source.file, at.line, at.column,
               "'ranks-per-trajectory' is %d, and the run has %d rank%s; allowed: multiples of %d, "
               "as in `mpirun -n %d constella run ...`",
               s->solver.team, ranks, ranks == 1 ? "" : "s", s->solver.team, s->solver.team);
}

/* Plans the study, NULL after a mistake, which is in d. */
static void plan_study(session *x, cst_study *study) {
  cst_arguments *a = x->a;
  x->study = study;
  cst_petsc_check(study, x->d);
  if (study && x->isa >= 0)
    x->plan = cst_plan_create(study, x->isa, x->d);
  check_teams(study, x->ranks, x->d);
  if (x->plan && !a->run.checkpoint_seconds)
    a->run.checkpoint_seconds = study->run.checkpoint_seconds;
}

/* Collective: whether no rank has found a mistake. A user's code may fail on some ranks only; the first of these
 * prints its mistakes. */
static bool is_sound(const session *x) {
  int first = cst_diag_count(x->d) ? x->rank : x->ranks;
  (void)MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, cst_world);
  if (first == x->rank)
    cst_diag_print(x->d, stderr);
  return first == x->ranks;
}

/* Collective: rank 0 looks at the output, and locks it. */
static bool claim_output(session *x) {
  cst_arguments *a = x->a;
  if (a->run.output && x->rank == 0 && (x->plan || !a->run.resumes))
    cst_run_examine_output(a, x->plan, x->d);
  x->rank == 0 ? cst_resume_release() : cst_resume_help();
  return is_sound(x);
}

/* Collective: opens the checkpoint and finds what is left to do. Rank 0 prints warnings. */
static bool open_work(session *x) {
  cst_arguments *a = x->a;
  const int      leaders = x->study->solver.team > 1 ? x->ranks / x->study->solver.team : x->ranks;
  x->checkpoint = cst_checkpoint_create(x->plan);
  x->agenda = cst_run_open_checkpoint(a, x->plan, x->checkpoint, leaders, x->d);
  if (!is_sound(x))
    return false;
  if (x->rank == 0) {
    cst_reference_doubt(x->plan, a->run.warnings.text[CST_WARNS_REFERENCE_STEP], CST_WARNING_WIDTH);
    if (!a->parts.n) /* its parts have said so */
      cst_reference_warn(x->plan, x->d);
    cst_diag_print(x->d, stderr);
  }
  return true;
}

/* Does what is left. Returns the exit status. */
static int work(session *x) {
  if (x->a->run.resume.start == CST_START_COMPLETE)
    return report_complete(x->a, x->plan);
  if (!agree_on_work(x->plan, x->agenda))
    return 2;
  return drive(x->plan) ? execute(x) : 1;
}

static void close_session(session *x) {
  cst_lock_release(x->a->run.lock);
  cst_lock_release(x->a->extended);
  cst_agenda_destroy(x->agenda);
  cst_checkpoint_destroy(x->plan, x->checkpoint);
  cst_plan_destroy(x->plan);
  cst_study_destroy(x->study);
}

/* ---- the commands ---------------------------------------------------------------------------- */

/* The study of the command line; earlier: the result that is resumed or extended. NULL after a mistake. */
static cst_study *read_study(const session *x, const char *earlier) {
  const cst_arguments *a = x->a;
  return a->study ? cst_run_read_study(a->study, a->run.resumes ? a->run.output : earlier, x->d)
                  : NULL;
}

static int run_study(session *x) {
  plan_study(x, read_study(x, NULL));
  return claim_output(x) && open_work(x) ? work(x) : 2;
}

static int run_part(session *x) {
  plan_study(x, read_study(x, NULL));
  if (x->plan)
    cst_plan_divide(x->plan, x->a->run.part.k, x->a->run.part.n);
  return claim_output(x) && open_work(x) ? work(x) : 2;
}

static int extend_result(session *x) {
  cst_arguments *a = x->a;
  if (x->rank == 0)
    cst_run_find_extended(a);
  plan_study(x, read_study(x, a->file));
  cst_run_open_extended(a, x->isa, x->study, x->plan, x->d);
  const int status = claim_output(x) && open_work(x) ? work(x) : 2;
  cst_run_close_extended(a);
  return status;
}

static int merge_parts(session *x) {
  cst_arguments *a = x->a;
  int            status = 2;
  plan_study(x, cst_run_read_parts(a, x->d));
  cst_run_examine_parts(a, x->plan, x->d);
  if (claim_output(x)) {
    cst_run_share_parts(a);
    status = open_work(x) ? work(x) : 2;
  }
  cst_run_close_parts(a);
  return status;
}

/* One of the commands, from its study to its result. Returns the exit status. */
static int hold_session(cst_arguments *a, cst_diag *d) {
  const char *reason = NULL;
  session     x = {.a = a, .d = d, .isa = cst_isa_choose(&reason)};
  MPI_Comm_rank(cst_world, &x.rank);
  MPI_Comm_size(cst_world, &x.ranks);
  if (x.isa < 0)
    cst_diag_add(d, NULL, 0, 0, "%s", reason);
  name_output(a);
  const int status = a->parts.n      ? merge_parts(&x)
                     : a->extends    ? extend_result(&x)
                     : a->run.part.k ? run_part(&x)
                                     : run_study(&x);
  close_session(&x);
  return status;
}

/* Starts MPI, and PETSc if it is asked for. Returns 0, or the exit status of what failed. */
static int begin(cst_arguments *a) {
  if (cst_launch_is_mute() && cst_launch_refuse(1))
    return 2;
  if (cst_limits_refuse() || !cst_launch_alone())
    return 2;
  if (!cst_petsc_begin(a->npetsc, a->petsc))
    return 2;
  cst_stop_listen();
  return 0;
}

static int run_start(int argc, char **argv) {
  const cst_command *c = !strcmp(argv[0], "extend")  ? &cst_command_extend
                         : !strcmp(argv[0], "merge") ? &cst_command_merge
                                                     : &cst_command_run;
  cst_arguments      a = {.run.deadline = INFINITY};
  cst_diag          *d = cst_diag_create();
  clock_gettime(CLOCK_MONOTONIC, &a.begun);
  /* called again after MPI and PETSc have begun, which takes long on many ranks and installs handlers */
  cst_stop_listen();
  cst_stop_grace(START_SECONDS);
  parse_arguments(c, argc, argv, &a, d);
  const cst_kind *measured = cst_diag_count(d) ? NULL : cst_measured_find(a.study, d);
  if (measured)
    return cst_measured_run(&a, measured, d);
  char *command = join_arguments(argc, argv);
  a.run.command = command;
  int status = begin(&a);
  if (!status) {
    int ranks;
    set_deadline(&a);
    MPI_Comm_size(cst_world, &ranks);
    const bool alike = !cst_launch_refuse(ranks) && agree_on_options(&a);
    status = cst_launch_end(alike ? hold_session(&a, d) : 2);
  }
  cst_diag_destroy(d);
  free(a.petsc);
  free(command);
  return status;
}

const cst_command cst_command_run = {
    .name = "run",
    .doc = "Runs a study, under mpirun or srun, or alone.",
    .option = run_options,
    .passes = "PETSc options",
    .pass = pass_petsc,
    .run = run_start,
};

const cst_command cst_command_extend = {
    .name = "extend",
    .doc = "Adds members, steps, methods, parameters or time to a result: computes only what it "
           "does not have.",
    .option = extend_options,
    .passes = "PETSc options",
    .pass = pass_petsc,
    .run = run_start,
};

const cst_command cst_command_merge = {
    .name = "merge",
    .doc = "Makes one result of the parts of a study: the bytes that one job would have made.",
    .option = merge_options,
    .run = run_start,
};
