/* petsc-options.c: PETSc's options (see petsc-options.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/petsc-options.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/launch.h"
#include "core/need.h"
#include "core/text.h"
#include "record/agree.h"
#include "solve/petsc.h"
#include "solve/single.h"
#include "solve/solver.h"
#include "study/run/identity.h"

enum { ROOM = 512, PATH = 4096 };

static bool is_among(const char *name, const char *const *names) {
  while (*names && strcmp(name, *names))
    names++;
  return *names != NULL;
}

static bool begins_among(const char *name, const char *const *names) {
  while (*names && !cst_text_begins(name, *names))
    names++;
  return *names != NULL;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Copies the next word of *text, without its dash, if it is an option; "" if it is not. False: no more. */
static bool next_option(const char **text, char name[ROOM]) {
  *text += strspn(*text, " \t\n");
  const int  n = (int)strcspn(*text, " \t\n");
  const bool option = **text == '-' && isalpha((unsigned char)(*text)[1]);
  snprintf(name, ROOM, "%.*s", option ? n - 1 : 0, *text + 1);
  *text += n;
  return n > 0;
}

/* The first of `names` among the options of the command line and of PETSC_OPTIONS; NULL: none. */
static const char *find(const char *const *names, int n, char **words) {
  static char name[ROOM];
  const char *text = getenv("PETSC_OPTIONS");
  while (text && next_option(&text, name))
    if (is_among(name, names))
      return name;
  for (int i = 1; i < n; i++)
    if (*words[i] == '-' && is_among(words[i] + 1, names))
      return words[i] + 1;
  return NULL;
}

/* The first error alone, of one rank: the others have the same options. */
static cst_error tell(MPI_Comm comm, int line, const char *function, const char *file, cst_error n,
                      bool arises, const char *text, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (arises && cst_launch_rank() == 0)
    fprintf(stderr, "constella: error: PETSc cannot begin: %s\n", text);
  return n;
}

/* ~/.petscrc, or an empty file. */
static const char *own_file(bool skipped) {
  static char path[PATH];
  const char *home = getenv("HOME");
  const int   n = snprintf(path, sizeof path, "%s/.petscrc", home ? home : "");
  return skipped || !home || n >= PATH || access(path, F_OK) ? "/dev/null" : path;
}

/* These would wait for a debugger during PetscInitialize. */
static const char *const debuggers[] = {"start_in_debugger", "stop_for_debugger",
                                        "on_error_attach_debugger", NULL};
static const char *const skip[] = {"skip_petscrc", NULL};

/* All ranks but the first would serve it until the end. */
static const char *const servers[] = {"mpi_linear_solver_server", NULL};

/* Whether there is an option with which PETSc would not begin as a run needs it. */
static bool refuse(int n, char **words) {
  const bool  first = cst_launch_rank() == 0;
  const char *name = find(debuggers, n, words);
  if (name && first)
    fprintf(stderr, "constella: error: -%s is not supported; start constella in the debugger\n",
            name);
  if (name || !(name = find(servers, n, words)))
    return name;
  if (first)
    fprintf(stderr, "constella: error: -%s is not supported: all ranks compute\n", name);
  return true;
}

/* Whether there is an option of PETSc. */
static bool is_asked(int n, char **words) {
  const char *text = getenv("PETSC_OPTIONS");
  return n > 1 || (text && text[strspn(text, " \t\n")]) ||
         strcmp(own_file(find(skip, n, words)), "/dev/null") != 0;
}

/* Errors of PETSc reach the handlers of the program. */
static PetscErrorCode pass_on(MPI_Comm comm, int line, const char *function, const char *file,
                              PetscErrorCode n, PetscErrorType type, const char *message,
                              void *context) {
  (void)context;
  return (PetscErrorCode)cst_error_tell(comm, line, function, file, (cst_error)n,
                                        type == PETSC_ERROR_INITIAL, message);
}

/* PETSc is told to skip its files, because it reads petscrc and .petscrc of the current folder too, and their
 * options can load code. */
static cst_error begin_petsc(int n, char **words) {
  static char **all; /* PETSc keeps them */
  int           count = n + 1;
  char          why[ROOM];
  CST_CHECK(cst_petsc_load(why, sizeof why), cst_world, CST_ERR_LIB, "%s", why);
  all = cst_zeros(n + 2, sizeof *all);
  all[0] = words[0];
  all[1] = "-skip_petscrc";
  memcpy(all + 2, words + 1, sizeof *all * (size_t)(n - 1));
  /* stays: -malloc_debug changes how its memory would be freed */
  cst_petsc.PetscPushErrorHandler(pass_on, NULL);
  CST_TRY(cst_petsc.PetscInitialize(&count, &all, own_file(find(skip, n, words)), NULL));
  CST_TRY(cst_petsc.PetscOptionsClearValue(NULL, "-skip_petscrc")); /* it has served */
  CST_TRY(cst_petsc.PetscSetFPTrap(PETSC_FP_TRAP_OFF));
  CST_TRY(cst_solver_register());
  return 0;
}

/* Whether all ranks have these words. Options as -log_view let PetscInitialize wait for the other ranks, so that
 * it would never end if one alone has them; the caller compares all options then, and says which differ. */
static bool are_alike(int n, char **words) {
  char   why[ROOM], *text = NULL;
  size_t size;
  FILE  *f = cst_need(open_memstream(&text, &size));
  for (int i = 1; i < n; i++)
    fprintf(f, "%s\n", words[i]);
  fclose(f);
  const bool alike = cst_agree_on(MPI_COMM_WORLD, cst_need(text), why, sizeof why);
  free(text);
  return alike;
}

bool cst_petsc_begin(int n, char **words) {
  int threads, asked;
  if (refuse(n, words) || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads))
    return false;
  asked = is_asked(n, words); /* PETSc begins on all ranks or on none */
  if (MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD))
    return false;
  if (!asked || !are_alike(n, words))
    return true;
  cst_error_push(tell, NULL);
  const cst_error failed = begin_petsc(n, words);
  cst_error_pop();
  return !failed;
}

/* Nanoseconds, as PETSc takes to begin: runs of lanes whose steps take less, in full vectors, end before that. */
static const double SHORT = 5e7;

static bool iterates(const cst_plan *p) {
  for (int i = 0; i < p->study->methods.n; i++)
    if (cst_method_iterates(p->method[i]))
      return true;
  return false;
}

bool cst_petsc_drives(const cst_plan *p) {
  const bool short_run = p->cost < SHORT && !cst_engine_is_petsc(p);
  return !short_run && iterates(p);
}

bool cst_petsc_drive(const cst_plan *p) {
  char  name[] = "constella";
  char *words[] = {name, NULL};
  if (cst_petsc_is_on() || !cst_petsc_drives(p))
    return true;
  cst_error_push(tell, NULL);
  const cst_error failed = begin_petsc(1, words);
  cst_error_pop();
  return !failed;
}

bool cst_petsc_take(const char *options) {
  if (!options || !cst_petsc_is_on())
    return true;
  cst_error_push(tell, NULL);
  const cst_error failed = cst_petsc.PetscOptionsInsertString(NULL, options);
  cst_error_pop();
  return !failed;
}

static PetscErrorCode quiet(const char *format, ...) {
  (void)format;
  return 0;
}

bool cst_petsc_end(void) {
  bool done = true;
  if (cst_petsc_is_on()) {
    *cst_petsc.PetscErrorPrintf = quiet;
    done = !cst_petsc.PetscFinalize();
  }
  return !MPI_Finalize() && done;
}

void cst_petsc_forget(void) {
  if (cst_petsc_is_on())
    (void)cst_petsc.PetscOptionsClear(NULL);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Options that PETSc reads at the end of the run or on demand. */
static const char *const late[] = {
    "options_left", "malloc_dump",          "malloc_view", "malloc_debug",
    "log_view",     "log_view_memory",      "log_all",     "memory_view",
    "objects_dump", "options_view",         "snes_view",   "snes_converged_reason",
    "ksp_view",     "ksp_converged_reason", "help",        NULL};

/* The parts of the solver, and what of their options has an effect on the program. */
static const char *const parts[] = {"snes_", "npc_", "ksp_", "pc_", NULL};
static const char *const effective[] = {
    "snes_type",   "snes_monitor",         "snes_view", "snes_converged_reason", "ksp_view",
    "ksp_monitor", "ksp_converged_reason", NULL};

/* Keeps the text of the first error. */
static cst_error keep(MPI_Comm comm, int line, const char *function, const char *file, cst_error n,
                      bool arises, const char *text, void *context) {
  (void)comm, (void)line, (void)function, (void)file;
  if (arises)
    snprintf(context, ROOM, "%s", text);
  return n;
}

static cst_error check_names(bool single, cst_diag *d) {
  char *text, name[ROOM];
  CST_TRY(cst_petsc.PetscOptionsGetAll(NULL, &text));
  const char *rest = text;
  while (next_option(&rest, name))
    if (!strcmp(name, "fp_trap"))
      cst_diag_add(
          d, NULL, 0, 0,
          "-fp_trap is not supported: a trajectory whose numbers are not finite fails, and "
          "the others go on");
    else if (!single && begins_among(name, parts) && !begins_among(name, effective))
      cst_diag_add(d, NULL, 0, 0,
                   "PETSc option '-%s' is unknown or has no effect; options of the solver are "
                   "-snes_type and -snes_monitor; tolerance and iterations are set in the study: "
                   "solver: {tolerance: ..., max-iterations: ...}; with solver: {engine: petsc} "
                   "all of PETSc's mean what they say",
                   name);
  CST_TRY((*cst_petsc.PetscTrFree)(text, __LINE__, __func__, __FILE__));
  return 0;
}

/* Some types crash in SNESSetFromOptions. */
static cst_error check_type(bool single, cst_diag *d) {
  char type[ROOM] = "";
  void (*make)(void);
  CST_TRY(cst_petsc.PetscOptionsGetString(NULL, NULL, "-snes_type", type, sizeof type, NULL));
#define PetscFunctionListFind_Private cst_petsc.PetscFunctionListFind_Private
  CST_TRY(PetscFunctionListFind(*cst_petsc.SNESList, type, &make));
  const char *why = !*type ? NULL : single ? cst_single_refuse(type) : cst_solver_refuse(type);
  if (why && make)
    cst_diag_add(d, NULL, 0, 0, "-snes_type %s: %s", type, why);
  else if (why)
    cst_diag_add(d, NULL, 0, 0, "-snes_type: unknown type; allowed: %s",
                 single ? cst_single_types : "lanes, newtonls, nrichardson");
  return 0;
}

/* Options of matrices and of parts of preconditioners, and those that PETSc reads while it solves. */
static const char *const while_solving[] = {
    "mat_",          "vec_",      "sub_",     "mg_",         "snes_test_",
    "snes_compare_", "snes_view", "ksp_view", "fieldsplit_", NULL};

/* A solver as a run creates one, of one unknown. */
static cst_error try_single(void) {
  cst_single *s;
  CST_TRY(cst_single_create((cst_single_equations){.unknowns = 1}, 1, &s));
  CST_TRY(cst_single_destroy(&s));
  return 0;
}

/* A trial call of SNESSetFromOptions marks the options that PETSc knows; the others are errors. */
static cst_error try_out(bool single, cst_diag *d) {
  SNES     snes;
  PetscInt n;
  char   **names, **values;
  if (single)
    CST_TRY(try_single());
  CST_TRY(cst_petsc.SNESCreate(MPI_COMM_SELF, &snes));
  CST_TRY(cst_petsc.SNESSetType(snes, "lanes"));
  CST_TRY(cst_petsc.SNESSetFromOptions(snes));
  CST_TRY(cst_petsc.SNESDestroy(&snes));
  CST_TRY(cst_petsc.PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; i++)
    if (is_among(names[i], (const char *const[]){"n", "np", NULL}))
      cst_diag_add(d, NULL, 0, 0,
                   "-%s: mpirun starts the ranks: `mpirun -n %s constella run STUDY`", names[i],
                   values[i] ? values[i] : "RANKS");
    else if (!is_among(names[i], late) && !(single && begins_among(names[i], while_solving)))
      cst_diag_add(d, NULL, 0, 0,
                   single ? "unknown PETSc option '-%s' (see -help)"
                          : "unknown PETSc option '-%s'; options of the solver are -snes_type and "
                            "-snes_monitor (see -help)",
                   names[i]);
  CST_TRY(cst_petsc.PetscOptionsLeftRestore(NULL, &n, &names, &values));
  return 0;
}

void cst_petsc_check(const cst_study *s, cst_diag *d) {
  const int  before = cst_diag_count(d);
  const bool single =
      !s || s->solver.engine == CST_ENGINE_PETSC; /* of no study both kinds are allowed */
  char said[ROOM] = "";
  if (!cst_petsc_is_on())
    return;
  cst_error_push(keep, said);
  if (check_names(single, d) || (cst_diag_count(d) == before && s && check_type(single, d)) ||
      (cst_diag_count(d) == before && try_out(single, d)))
    cst_diag_add(d, NULL, 0, 0,
                 "PETSc refuses one of its options (arguments, PETSC_OPTIONS, ~/.petscrc): %s",
                 said);
  cst_error_pop();
}
