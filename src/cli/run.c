/* run.c: `constella run STUDY`: reads and checks everything before any work starts, then runs the study under MPI and PETSc; and `constella
 * extend FILE STUDY`, which takes over what a finished file has of it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <petscsnes.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/stored.h"
#include "constella/record.h"
#include "solve/solver.h"
#include "study/extend.h"
#include "study/identity.h"
#include "study/resume.h"
#include "study/stop.h"
#include "system/compile.h"

typedef struct {
  const char     *command; /* run, extend */
  const char     *study;
  bool            extends;
  const char     *file;    /* the one that is extended */
  bool            renames; /* the new one takes its place */
  cst_run_options run;
  int             npetsc;
  char          **petsc; /* what is left for PETSc, argv[0] first */
  double          hours; /* 0: no limit */
  struct timespec begun;
  struct {
    cst_result *file;
    cst_study  *study;
    cst_plan   *plan;
  } old; /* that is extended */
  cst_extension extension;
  char          output[4096];
} arguments;

/* ---- the command line --------------------------------------------------------------------------------------------------- */

static const char *const options[] = {"-o",      "--resume",   "--max-hours", "--checkpoint-seconds",
                                      "--batch", "--progress", "--help",      "--overwrite"}; /* the last one of run alone */
enum { OPTIONS = sizeof options / sizeof *options, MOST_LANES = 1 << 20, EXIT_AGAIN = 75 };

static bool ends_in(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

static bool is_study(const char *text) { return ends_in(text, ".yaml") || ends_in(text, ".yml"); }

static void set_batch(arguments *a, const char *text, cst_diag *d) {
  char *end;
  errno = 0;
  a->run.batch = strtol(text, &end, 10);
  if (end != text && !*end && !errno && a->run.batch >= 1 && a->run.batch <= MOST_LANES) return;
  cst_diag_add(d, NULL, 0, 0, "--batch takes a number of lanes from 1 to %d, not '%s'", MOST_LANES, text);
  a->run.batch = 0;
}

static void set_time(double *x, const char *name, const char *text, cst_diag *d) {
  char        *end;
  const double value = strtod(text, &end);
  if (end != text && !*end && value > 0 && isfinite(value))
    *x = value;
  else
    cst_diag_add(d, NULL, 0, 0, "%s takes a positive number, not '%s'", name, text);
}

static void set_progress(arguments *a, const char *text, cst_diag *d) {
  static const char *const allowed[] = {"auto", "line", "log", "none"};
  for (int i = 0; i < 4; i++)
    if (!strcmp(text, allowed[i])) {
      a->run.progress = text;
      return;
    }
  cst_diag_add(d, NULL, 0, 0, "--progress takes one of auto, line, log, none, not '%s'", text);
}

static void unknown_option(const arguments *a, const char *text, cst_diag *d) {
  const int   n = a->extends ? OPTIONS - 1 : OPTIONS;
  const char *near = cst_nearest(text, options, n);
  cst_diag_add(d, NULL, 0, 0, "unknown option '%s'; allowed: %s and PETSc's options%s%s%s", text, cst_join(options, n),
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Options of ours start with --, but for -o; the others with - are PETSc's, with their value if one follows. */
static void parse(int argc, char **argv, arguments *a, cst_diag *d) {
  a->run.progress = "auto";
  a->petsc = calloc((size_t)argc + 1, sizeof *a->petsc);
  if (!a->petsc) abort();
  a->petsc[a->npetsc++] = argv[0];
  for (int i = 1; i < argc; i++) {
    const char *x = argv[i];
    bool        takes = !strcmp(x, "-o") || !strcmp(x, "--batch") || !strcmp(x, "--progress") || !strcmp(x, "--max-hours") ||
                 !strcmp(x, "--checkpoint-seconds");
    if (takes && i + 1 == argc)
      cst_diag_add(d, NULL, 0, 0, "'%s' needs a value", x);
    else if (!strcmp(x, "-o"))
      a->run.output = argv[++i];
    else if (!strcmp(x, "--batch"))
      set_batch(a, argv[++i], d);
    else if (!strcmp(x, "--progress"))
      set_progress(a, argv[++i], d);
    else if (!strcmp(x, "--max-hours"))
      set_time(&a->hours, x, argv[++i], d);
    else if (!strcmp(x, "--checkpoint-seconds"))
      set_time(&a->run.checkpoint_seconds, x, argv[++i], d);
    else if (!a->extends && !strcmp(x, "--overwrite"))
      a->run.overwrite = true;
    else if (!strcmp(x, "--resume"))
      a->run.resumes = true;
    else if (!strncmp(x, "--", 2))
      unknown_option(a, x, d);
    else if (!strcmp(x, "-options_file") && i + 1 < argc && access(argv[i + 1], R_OK))
      cst_diag_add(d, argv[++i], 0, 0, "%s", strerror(errno));
    else if (x[0] == '-')
      a->petsc[a->npetsc++] = argv[i];
    else if (a->extends && !a->file && (ends_in(x, ".h5") || a->npetsc == 1))
      a->file = x;
    else if (!a->study && (is_study(x) || a->npetsc == 1))
      a->study = x;
    else if (a->npetsc > 1 && a->petsc[a->npetsc - 1][0] == '-')
      a->petsc[a->npetsc++] = argv[i];
    else
      cst_diag_add(d, NULL, 0, 0, "unexpected argument '%s'; `constella %s` takes one %sstudy", x, a->command,
                   a->extends ? "result and one " : "");
  }
  if (!a->study) cst_diag_add(d, NULL, 0, 0, "`constella %s` needs a %sstudy file", a->command, a->extends ? "result and a " : "");
  if (a->run.resumes && a->run.overwrite)
    cst_diag_add(d, NULL, 0, 0, "--resume goes on from what is there and --overwrite throws it away; give one of them");
}

/* Hours count from the start of the program, not of its work. */
static void set_deadline(arguments *a) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double since = (double)(now.tv_sec - a->begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - a->begun.tv_nsec);
  if (a->hours > 0) a->run.deadline = MPI_Wtime() - since + 3600 * a->hours;
}

/* Beside the file that is extended; else the study's name with .h5 in the current folder. */
static void default_output(arguments *a) {
  a->renames = a->extends && a->file && !a->run.output;
  if (a->renames) {
    snprintf(a->output, sizeof a->output, "%s.extended", a->file);
    a->run.output = a->output;
  }
  if (a->run.output || !a->study) return;
  const char *slash = strrchr(a->study, '/'), *name = slash ? slash + 1 : a->study, *dot = strrchr(name, '.');
  snprintf(a->output, sizeof a->output, "%.*s.h5", (int)(dot ? dot - name : (long)strlen(name)), name);
  a->run.output = a->output;
}

static char *join_command(int argc, char **argv) {
  char  *text = NULL;
  size_t n;
  FILE  *f = open_memstream(&text, &n);
  fputs("constella", f);
  for (int i = 0; i < argc; i++) fprintf(f, " %s", argv[i]);
  fclose(f);
  return text;
}

/* ---- checks before any work -------------------------------------------------------------------------------------------------- */

/* fetch on rank 0 for all. Collective. */
static const char *share(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  static char reason[CST_WHY];
  long        size = -1;
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) {
    const char *why = fetch(path, bytes, length);
    if (!why) size = (long)*length;
    snprintf(reason, sizeof reason, "%s", why ? why : "");
  }
  (void)MPI_Bcast(&size, 1, MPI_LONG, 0, PETSC_COMM_WORLD);
  if (size < 0) (void)MPI_Bcast(reason, sizeof reason, MPI_CHAR, 0, PETSC_COMM_WORLD);
  if (size < 0) return reason;
  if (rank) *bytes = calloc((size_t)size + 1, 1), *length = (size_t)size;
  if (!*bytes) abort();
  (void)MPI_Bcast(*bytes, (int)size, MPI_BYTE, 0, PETSC_COMM_WORLD);
  return NULL;
}

/* Read on rank 0, broadcast, parse everywhere: all ranks come to the same mistakes. */
static cst_study *read_study(const char *file, cst_diag *d) {
  char       *text = NULL;
  size_t      length = 0;
  const char *why = share(cst_file_fetch, file, &text, &length);
  if (why) {
    cst_diag_add(d, file, 0, 0, "%s", why);
    return NULL;
  }
  cst_study *s = cst_study_read(file, text, length, share, d);
  free(text);
  return s;
}

/* The file that is extended is what it is to become, and nothing was begun. */
static bool has_it_all(const arguments *a) {
  const cst_extension *e = &a->extension;
  return a->renames && e->now && !strcmp(e->old->study->sha256, e->now->study->sha256) && access(a->run.output, F_OK);
}

/* On rank 0: what has to be so of the file that is extended, and of the new one. */
static void examine_extended(const arguments *a, cst_diag *d) {
  cst_result *file = a->old.file;
  if (file && strcmp(cst_result_state(file), "complete"))
    cst_diag_add(d, a->file, 0, 0, "is %s; finish it first, with `constella run` and --resume", cst_result_state(file));
  if (!a->run.resumes && !access(a->run.output, F_OK))
    cst_diag_add(d, a->run.output, 0, 0, "exists; --resume goes on with it, or remove it");
}

/* On rank 0: whether the result can be where it is to be, and what is there already. */
static void examine_output(arguments *a, const cst_plan *plan, cst_diag *d) {
  const char *reason = a->run.resumes && !access(a->run.output, F_OK) ? NULL : cst_record_refuse(a->run.output, a->run.overwrite);
  char        why[512];
  const int   before = cst_diag_count(d);
  if (a->extends) examine_extended(a, d);
  if (cst_diag_count(d) > before) return;
  if (reason)
    cst_diag_add(d, a->run.output, 0, 0, "%s", reason);
  else if (!(a->run.lock = cst_lock_take(a->run.output, why, sizeof why)))
    cst_diag_add(d, a->run.output, 0, 0, "%s", why);
  else if (a->run.resumes || has_it_all(a))
    cst_resume_examine(plan, has_it_all(a) ? a->file : a->run.output, &a->run.resume, d);
  if (a->run.resume.start == CST_START_ANEW) cst_resume_name(a->run.resume.run);
}

/* What a finished file is, where one is extended. */
static void close_extended(arguments *a) {
  if (!a->extends) return;
  cst_extension_destroy(&a->extension);
  cst_plan_destroy(a->old.plan);
  cst_study_destroy(a->old.study);
  cst_result_close(a->old.file);
}

/* Every rank reads the file that is extended, and finds what it has. Collective. */
static void open_extended(arguments *a, int isa, const cst_plan *plan, cst_diag *d) {
  char why[512];
  int  open;
  if (!a->extends || !a->file) return;
  a->old.file = cst_result_open(a->file, why, sizeof why);
  if (!a->old.file) cst_diag_add(d, a->file, 0, 0, "%s", why);
  open = a->old.file != NULL;
  (void)MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  if (open) a->old.study = cst_stored_study(a->old.file, a->file, share, d);
  if (a->old.study && isa >= 0) a->old.plan = cst_plan_create(a->old.study, isa, 1, 0, d);
  if (!a->old.plan || !plan) return;
  cst_extension_create(&a->extension, a->old.file, a->file, a->old.plan, plan, d);
  a->run.extension = &a->extension;
}

/* All ranks open the checkpoint, and have the batches of what is left. Collective. */
static void take_up(arguments *a, cst_plan *plan, cst_past *past, int ranks, cst_diag *d) {
  char why[512];
  (void)MPI_Bcast(&a->run.resume, sizeof a->run.resume, MPI_BYTE, 0, PETSC_COMM_WORLD);
  if (a->run.resume.start == CST_START_ANEW && a->run.extension) {
    cst_extension_mark(a->run.extension, past);
    cst_plan_take_up(plan, ranks, a->run.batch, past->lane, NULL, 0);
  }
  if (a->run.resume.start != CST_START_RESUMED) return;
  if (cst_past_open(plan, past, a->run.output, a->run.resume.number, why, sizeof why))
    cst_plan_take_up(plan, ranks, a->run.batch, past->lane, past->stretch, past->npiece);
  else
    cst_diag_add(d, a->run.output, 0, 0, "checkpoint %ld cannot be read: %s", a->run.resume.number, why);
}

/* Options that PETSc itself reads at the end of the run or only when asked. */
static bool read_late(const char *name) {
  static const char *const late[] = {
      "options_left", "malloc_dump",  "malloc_view", "malloc_debug",          "log_view", "log_view_memory",      "log_all", "memory_view",
      "objects_dump", "options_view", "snes_view",   "snes_converged_reason", "ksp_view", "ksp_converged_reason", "help"};
  for (size_t i = 0; i < sizeof late / sizeof *late; i++)
    if (!strcmp(name, late[i])) return true;
  return false;
}

/* A dry SNESSetFromOptions tells which options are ours; what nobody took is a mistake. */
static PetscErrorCode check_petsc(cst_diag *d) {
  SNES        snes;
  SNESType    type;
  PetscInt    n;
  char      **names, **values;
  const char *why;
  PetscBool   npc;
  PetscFunctionBegin;
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetType(snes, "lanes"));
  if (SNESSetFromOptions(snes))
    cst_diag_add(d, NULL, 0, 0, "-snes_type: unknown type; allowed: lanes, newtonls, nrichardson");
  else {
    PetscCall(SNESGetType(snes, &type));
    why = cst_solver_refuse(type);
    if (why) cst_diag_add(d, NULL, 0, 0, "-snes_type %s: %s", type, why);
    PetscCall(SNESHasNPC(snes, &npc));
    if (npc) cst_diag_add(d, NULL, 0, 0, "-npc_...: a nonlinear preconditioner would couple the lanes of a batch; there is none");
  }
  PetscCall(SNESDestroy(&snes));
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; i++)
    if (!read_late(names[i]))
      cst_diag_add(d, NULL, 0, 0,
                   "unknown PETSc option '-%s'; options of the solver are -snes_type, -snes_monitor and others of SNES (see -help)",
                   names[i]);
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(0);
}

/* ---- running -------------------------------------------------------------------------------------------------------------------- */

/* The message of the innermost error, without PETSc's stack. An error of all ranks together is told once. */
static PetscErrorCode say(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType type,
                          const char *message, void *context) {
  PetscMPIInt rank = 0;
  (void)line, (void)function, (void)file, (void)context;
  if (comm == PETSC_COMM_WORLD) MPI_Comm_rank(comm, &rank);
  if (type == PETSC_ERROR_INITIAL && message && !rank) fprintf(stderr, "constella: error: %s\n", message);
  return n;
}

static PetscErrorCode quiet(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType type,
                            const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)message, (void)context;
  return n;
}

/* What another build has computed may differ from what this one does. */
static void warn_of_build(const arguments *a) {
  char *git = cst_result_text(a->old.file, "/", "git"), *compiler = cst_result_text(a->old.file, "/run", "compiler");
  if (!git || strcmp(git, cst_identity_version()) || !compiler || strcmp(compiler, cst_identity_compiler()))
    fprintf(stderr, "constella: %s was made by another build, %s; `constella verify` tells whether this one computes the same bits\n",
            a->file, git ? git : "unknown");
  free(git);
  free(compiler);
}

/* On rank 0, before the first step: what is not computed. */
static void tell_extension(const arguments *a, const cst_study *study, const cst_plan *plan) {
  const cst_extension *e = &a->extension;
  printf("%s: %ld trajectories are taken over, %.0f are computed", a->file, e->taken,
         (double)plan->ncase * (double)study->members - (double)e->taken);
  if (e->why) printf(", %ld of them anew: %s", e->anew, e->why);
  puts("");
  fflush(stdout);
  warn_of_build(a);
}

/* On rank 0, when the new file is on the disk: it takes the place of the one that it extends. */
static bool settle(const arguments *a) {
  if (!a->renames || has_it_all(a) || !rename(a->run.output, a->file)) return true;
  fprintf(stderr, "constella: error: %s cannot take the place of %s: %s\n", a->run.output, a->file, strerror(errno));
  return false;
}

/* On rank 0: how it ended. */
static void tell_end(const arguments *a, const cst_study *study, const cst_plan *plan, const cst_run_end *end) {
  const char *file = a->renames && end->end == CST_END_DONE ? a->file : a->run.output;
  if (end->end == CST_END_STOPPED)
    printf("%s: interrupted by %s at %.1f %%; the same line with --resume goes on\n", file, end->reason, 100 * end->share);
  if (end->end == CST_END_FAILED)
    fprintf(stderr, "constella: error: %s: %s; stopped at %.1f %%, --resume goes on from the checkpoint before\n", file, end->reason,
            100 * end->share);
  if (end->end == CST_END_DONE) printf("%s: complete%s\n", file, end->failed ? "" : ", no trajectory failed");
  if (end->end == CST_END_DONE && end->failed)
    fprintf(stderr, "constella: %ld of %.0f trajectories failed; /final/status of %s tells which and why\n", end->failed,
            (double)plan->ncase * (double)study->members, file);
}

/* A study without mistakes. */
static int execute(arguments *a, cst_study *study, const cst_plan *plan, cst_past *past) {
  static const int status[] = {[CST_END_NONE] = 1, [CST_END_DONE] = 0, [CST_END_STOPPED] = EXIT_AGAIN, [CST_END_FAILED] = 1};
  cst_run_end      end = {0};
  PetscErrorCode   failed;
  PetscMPIInt      rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0 && *a->run.resume.message) fprintf(stderr, "%s\n", a->run.resume.message);
  if (rank == 0 && a->extends && a->run.resume.start == CST_START_ANEW) tell_extension(a, study, plan);
  PetscPushErrorHandler(say, NULL);
  failed = cst_study_compile(study, plan, &a->run.back_end);
  if (!failed && cst_run(study, plan, past, &a->run, &end)) MPI_Abort(PETSC_COMM_WORLD, 1);
  PetscPopErrorHandler();
  if (rank == 0 && end.end == CST_END_DONE && !settle(a)) return 1;
  if (rank == 0 && !failed) tell_end(a, study, plan, &end);
  return end.failed > 0 ? 1 : status[end.end];
}

/* --resume of what is complete. */
static int tell_complete(const arguments *a) {
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0 && !settle(a)) return 1;
  if (rank == 0) printf("%s: complete already\n", a->renames ? a->file : a->run.output);
  return a->run.resume.failed > 0;
}

/* The first rank that has mistakes, since a user's code may be refused on some only; the number of ranks when there is none. Collective. */
static int first_mistaken(const cst_diag *d, int rank, int ranks) {
  int first = cst_diag_count(d) ? rank : ranks;
  (void)MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  return first;
}

static int run_checked(arguments *a, cst_diag *d) {
  const char *reason = NULL;
  int         isa = cst_isa_choose(&reason), ranks, rank, status = 2;
  cst_plan   *plan = NULL;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (isa < 0) cst_diag_add(d, NULL, 0, 0, "%s", reason);
  PetscPushErrorHandler(quiet, NULL);
  if (check_petsc(d)) cst_diag_add(d, NULL, 0, 0, "PETSc refuses its options");
  PetscPopErrorHandler();
  default_output(a);
  cst_study *study = a->study ? read_study(a->study, d) : NULL;
  if (study && isa >= 0) plan = cst_plan_create(study, isa, ranks, a->run.batch, d);
  if (plan && !a->run.checkpoint_seconds) a->run.checkpoint_seconds = study->checkpoint_seconds;
  open_extended(a, isa, plan, d);
  if (a->study && rank == 0 && (plan || !a->run.resumes)) examine_output(a, plan, d);
  cst_past *past = plan ? cst_past_create(plan) : NULL;
  if (plan) take_up(a, plan, past, ranks, d);
  const int first = first_mistaken(d, rank, ranks);
  if (first == ranks)
    status = a->run.resume.start == CST_START_COMPLETE ? tell_complete(a) : execute(a, study, plan, past);
  else if (rank == first)
    cst_diag_print(d, stderr);
  if (a->run.lock) cst_lock_release(a->run.lock);
  cst_past_destroy(plan, past);
  close_extended(a);
  cst_plan_destroy(plan);
  cst_study_destroy(study);
  return status;
}

static int start(int argc, char **argv, bool extends) {
  arguments a = {.command = argv[0], .extends = extends, .run.deadline = INFINITY};
  cst_diag *d = cst_diag_create();
  clock_gettime(CLOCK_MONOTONIC, &a.begun);
  cst_stop_listen(); /* starting many ranks takes a while, and PETSc has handlers of its own: therefore twice */
  parse(argc, argv, &a, d);
  char *command = join_command(argc, argv);
  a.run.command = command;
  if (cst_launch_is_mute() && cst_launch_refuse(1)) return 2;
  if (PetscInitialize(&a.npetsc, &a.petsc, NULL, NULL)) return 2; /* it has said why: its options */
  cst_stop_listen();
  if (cst_solver_register()) return 1;
  int ranks, status = 2;
  set_deadline(&a);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (!cst_launch_refuse(ranks)) status = run_checked(&a, d);
  cst_diag_destroy(d);
  if (PetscFinalize()) return 1;
  free(a.petsc);
  free(command);
  return status;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help")) return true;
  return false;
}

int cst_cli_run(int argc, char **argv) {
  if (!asks_for_help(argc, argv)) return start(argc, argv, false);
  puts("constella run STUDY [-o FILE] [--resume | --overwrite] [--max-hours H] [--checkpoint-seconds S] [--batch B]\n"
       "              [--progress auto|line|log|none] [PETSc options]");
  return 0;
}

int cst_cli_extend(int argc, char **argv) {
  if (!asks_for_help(argc, argv)) return start(argc, argv, true);
  puts("constella extend FILE STUDY [-o NEW] [--resume] [--max-hours H] [--checkpoint-seconds S] [--batch B]\n"
       "              [--progress auto|line|log|none] [PETSc options]\n"
       "  STUDY is the study of FILE with more members, steps, methods, tolerances or parameters. What FILE has is taken over, the\n"
       "  rest is computed beside it, in FILE.extended, which takes its place when it is complete; with -o, FILE stays as it is.");
  return 0;
}
