/* verify.c: `constella verify FILE`: recomputes trajectories of a result and proves that their bits are the same. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <petscsnes.h>
#include "cli/cli.h"
#include "core/document.h"
#include "solve/solver.h"
#include "study/verify.h"

enum { SAMPLE = 8 };

typedef struct {
  const char       *file;
  cst_verify_choice choice;
  bool              sampled; /* asked for */
} arguments;

/* ---- the command line -------------------------------------------------------------------------------------------------------- */

static const char *const options[] = {"--member", "--case", "--sample", "--seed", "--from-start", "--help"};
enum { OPTIONS = sizeof options / sizeof *options };

/* A whole number from `least` on. */
static bool whole(const char *name, const char *text, long least, long *x, cst_diag *d) {
  char *end;
  errno = 0;
  *x = strtol(text, &end, 10);
  if (end != text && !*end && !errno && *x >= least) return true;
  cst_diag_add(d, NULL, 0, 0, "%s takes a whole number from %ld on, not '%s'", name, least, text);
  return false;
}

static void add(const char *name, const char *text, long **list, int *n, cst_diag *d) {
  long x;
  if (!whole(name, text, 0, &x, d)) return;
  for (int i = 0; i < *n; i++)
    if ((*list)[i] == x) return;
  *list = realloc(*list, sizeof **list * (size_t)(*n + 1));
  if (!*list) abort();
  (*list)[(*n)++] = x;
}

static void set(arguments *a, const char *name, const char *text, cst_diag *d) {
  cst_verify_choice *c = &a->choice;
  long               x;
  if (!strcmp(name, "--member"))
    add(name, text, &c->member, &c->nmember, d);
  else if (!strcmp(name, "--case"))
    add(name, text, &c->icase, &c->ncase, d);
  else if (!strcmp(name, "--sample"))
    a->sampled = whole(name, text, 1, &c->sample, d);
  else if (whole(name, text, 0, &x, d))
    c->seed = (uint64_t)x;
}

static void unknown_option(const char *text, cst_diag *d) {
  const char *near = cst_nearest(text, options, OPTIONS);
  cst_diag_add(d, NULL, 0, 0, "unknown option '%s'; allowed: %s%s%s%s", text, cst_join(options, OPTIONS), near ? "; did you mean '" : "",
               near ? near : "", near ? "'?" : "");
}

static bool takes_value(const char *x) {
  return !strcmp(x, "--member") || !strcmp(x, "--case") || !strcmp(x, "--sample") || !strcmp(x, "--seed");
}

static void parse(int argc, char **argv, arguments *a, cst_diag *d) {
  for (int i = 1; i < argc; i++) {
    const char *x = argv[i];
    if (takes_value(x) && i + 1 == argc)
      cst_diag_add(d, NULL, 0, 0, "'%s' needs a value", x);
    else if (takes_value(x))
      set(a, x, argv[++i], d);
    else if (!strcmp(x, "--from-start"))
      a->choice.from_start = true;
    else if (*x == '-')
      unknown_option(x, d);
    else if (!a->file)
      a->file = x;
    else
      cst_diag_add(d, NULL, 0, 0, "unexpected argument '%s'; `constella verify` takes one result file", x);
  }
  if (!a->file) cst_diag_add(d, NULL, 0, 0, "`constella verify` needs a result file");
  if (!a->sampled) a->choice.sample = a->choice.nmember || a->choice.ncase ? 0 : SAMPLE;
}

/* ---- the study of the file --------------------------------------------------------------------------------------------------- */

/* What the study names beside itself: the description of a user's system is in the result; C files of layers are looked for beside the
 * result, and where the study was. */
static struct {
  char  folder[4096], study_folder[4096]; /* with the last slash, or empty */
  char *system;                           /* the name of the system's file; NULL: it is of the catalogue */
  char *description;
} source;

static void folder_of(const char *path, char folder[4096]) {
  const char *slash = strrchr(path, '/');
  snprintf(folder, 4096, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

static bool ends_in(const char *text, size_t n, const char *end) {
  const size_t m = strlen(end);
  return n > m && !strncmp(text + n - m, end, m);
}

/* The folder of the study in the command line that made the file. */
static void find_study_folder(const char *command) {
  for (const char *at = command; at && *at; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    char         word[4096];
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (ends_in(at, n, ".yaml") || ends_in(at, n, ".yml")) folder_of(word, source.study_folder);
    at += n;
  }
}

static void find_system(const char *file, const char *study, cst_diag *d) {
  cst_document *doc = cst_document_parse(file, study, strlen(study), d);
  cst_yaml     *name = doc ? cst_yaml_get(cst_yaml_get(cst_document_root(doc), "system"), "file") : NULL;
  if (name && cst_yaml_text(name)) source.system = strdup(cst_yaml_text(name));
  cst_document_destroy(doc);
}

/* As cst_share. */
static const char *serve(cst_fetch *fetch, const char *path, char **bytes, size_t *length) {
  static char  why[9000], elsewhere[8192];
  const size_t n = strlen(source.folder);
  const char  *name = strncmp(path, source.folder, n) ? path : path + n;
  if (source.system && source.description && !strcmp(name, source.system)) {
    *bytes = strdup(source.description);
    *length = strlen(source.description);
    return NULL;
  }
  snprintf(elsewhere, sizeof elsewhere, "%s%s", source.study_folder, name);
  if (!access(path, F_OK) || !strcmp(path, elsewhere)) return fetch(path, bytes, length);
  if (!access(elsewhere, F_OK)) return fetch(elsewhere, bytes, length);
  snprintf(why, sizeof why, "%s; nor is it at %s, where the study was", strerror(ENOENT), elsewhere);
  return why;
}

static cst_study *read_study(cst_result *file, const char *path, cst_diag *d) {
  char *schema = cst_result_text(file, "/", "schema"), *study = cst_result_text(file, "/", "study"),
       *command = cst_result_text(file, "/run", "command"), *sum = cst_result_text(file, "/", "study_sha256");
  cst_study *s = NULL;
  if (!schema || strcmp(schema, "constella-result 1") || !study)
    cst_diag_add(d, path, 0, 0, "its schema is '%s'; this program verifies files of 'constella-result 1'", schema ? schema : "");
  else {
    source.description = cst_result_text(file, "/", "system_description");
    folder_of(path, source.folder);
    find_study_folder(command);
    find_system(path, study, d);
    s = cst_study_read(path, study, strlen(study), serve, d);
    if (s && (!sum || strcmp(sum, s->sha256)))
      cst_diag_add(d, path, 0, 0, "its study is not the one that it was made of: the sha256 is %s, not %s", s->sha256, sum ? sum : "there");
    free(source.description);
    free(source.system);
  }
  free(schema), free(study), free(command), free(sum);
  return s;
}

static void check_choice(const cst_verify_choice *c, const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < c->nmember; i++)
    if (c->member[i] >= p->study->members)
      cst_diag_add(d, NULL, 0, 0, "no member %ld; there are 0 to %ld", c->member[i], p->study->members - 1);
  for (int i = 0; i < c->ncase; i++)
    if (c->icase[i] >= p->ncase) cst_diag_add(d, NULL, 0, 0, "no case %ld; there are 0 to %d", c->icase[i], p->ncase - 1);
}

/* ---- running ----------------------------------------------------------------------------------------------------------------- */

static PetscErrorCode say(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType type,
                          const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type == PETSC_ERROR_INITIAL && message) fprintf(stderr, "constella: error: %s\n", message);
  return n;
}

static void tell_summary(const arguments *a, const cst_verify_counts *c, double seconds) {
  printf("%s: ", a->file);
  if (!c->same && !c->different)
    printf("nothing to verify");
  else if (c->different)
    printf("%ld of %ld trajectories DIFFER", c->different, c->same + c->different);
  else
    printf("%ld trajectories, all with the same bits", c->same);
  if (c->open) printf(", %ld not begun", c->open);
  if (a->choice.sample && c->same + c->different == a->choice.sample) printf("; drawn with seed %llu", (unsigned long long)a->choice.seed);
  printf("; %ld numbers, %.3g s\n", c->compared, seconds);
}

static int execute(const arguments *a, cst_study *s, cst_plan *p, cst_result *file) {
  cst_verify_counts counts = {0};
  cst_back_end      b = {0};
  const double      begun = MPI_Wtime();
  PetscPushErrorHandler(say, NULL);
  const PetscErrorCode failed = cst_verify(s, p, file, a->file, &a->choice, &b, &counts);
  PetscPopErrorHandler();
  if (failed) return 1;
  if (counts.different) cst_verify_explain(p, file, &b);
  tell_summary(a, &counts, MPI_Wtime() - begun);
  return counts.different > 0;
}

static int run_checked(const arguments *a, cst_diag *d) {
  const char *reason = NULL;
  char        why[512];
  int         isa = cst_isa_choose(&reason), ranks, status = 2;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks > 1) cst_diag_add(d, NULL, 0, 0, "`constella verify` runs on one rank, not on %d", ranks);
  if (isa < 0) cst_diag_add(d, NULL, 0, 0, "%s", reason);
  cst_result *file = a->file ? cst_result_open(a->file, why, sizeof why) : NULL;
  if (a->file && !file) cst_diag_add(d, a->file, 0, 0, "%s", why);
  cst_study *s = file ? read_study(file, a->file, d) : NULL;
  cst_plan  *p = s && isa >= 0 ? cst_plan_create(s, isa, 1, 1, d) : NULL;
  if (p) check_choice(&a->choice, p, d);
  if (cst_diag_count(d))
    cst_diag_print(d, stderr);
  else
    status = execute(a, s, p, file);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_result_close(file);
  return status;
}

int cst_cli_verify(int argc, char **argv) {
  arguments a = {.choice.seed = 1};
  cst_diag *d = cst_diag_create();
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--help"))
      return cst_diag_destroy(d),
             puts("constella verify FILE [--member K ...] [--case C ...] [--sample N] [--seed S] [--from-start]\n"
                  "  Without --member and --case, 8 trajectories are drawn; --sample draws so many, also of those named."),
             0;
  parse(argc, argv, &a, d);
  int    one = 1;
  char **name = argv;
  if (PetscInitialize(&one, &name, NULL, NULL)) return 2;
  if (cst_solver_register()) return 1;
  const int status = run_checked(&a, d);
  cst_diag_destroy(d);
  free(a.choice.member);
  free(a.choice.icase);
  return PetscFinalize() ? 1 : status;
}
