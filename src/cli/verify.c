/* verify.c: `constella verify FILE`: recomputes trajectories of a result and proves that their bits are the same. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <petscsnes.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/limits.h"
#include "cli/stored.h"
#include "method/user-layer.h"
#include "solve/solver.h"
#include "study/verify.h"
#include "core/diag.h"

enum { SAMPLE = 8 };

typedef struct {
  const char       *file;
  cst_verify_choice choice;
  bool              sampled; /* asked for */
  cst_trust         trust;
} arguments;

/* ---- the command line -------------------------------------------------------------------------------------------------------- */

static const char *const options[] = {"--member", "--case", "--sample", "--seed", "--from-start", "--trust-code", "--help"};
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
  cst_diag_add(d, NULL, 0, 0, "unknown option '%s'; allowed: %s%s", text, cst_diag_join(options, OPTIONS),
               cst_diag_guess(text, options, OPTIONS));
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
    else if (!strcmp(x, "--trust-code"))
      a->trust.given = true;
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

/* ---- running ----------------------------------------------------------------------------------------------------------------- */

static void check_choice(const cst_verify_choice *c, const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < c->nmember; i++)
    if (c->member[i] >= p->study->members)
      cst_diag_add(d, NULL, 0, 0, "no member %ld; there are 0 to %ld", c->member[i], p->study->members - 1);
  for (int i = 0; i < c->ncase; i++)
    if (c->icase[i] >= p->ncase) cst_diag_add(d, NULL, 0, 0, "no case %ld; there are 0 to %d", c->icase[i], p->ncase - 1);
}

static PetscErrorCode say(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType type,
                          const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type == PETSC_ERROR_INITIAL && message) fprintf(stderr, "constella: error: %s\n", message);
  return n;
}

/* ---- code that is not compiled unasked --------------------------------------------------------------------------------------- */

static bool is_withheld(const cst_study *s, const cst_method *m) {
  for (int i = 0; m && i < s->nlayer; i++)
    if (s->layer[i].withheld && cst_method_names_layer(m, s->layer[i].name)) return true;
  return false;
}

/* The methods that are made of it, [nmethod]; owned. Where the reference is, all of them. */
static bool *find_left_out(const cst_study *s) {
  bool *left_out = calloc((size_t)s->nmethod + 1, sizeof *left_out);
  if (!left_out) abort();
  for (int i = 0; i < s->nmethod; i++) left_out[i] = is_withheld(s, s->method[i]) || is_withheld(s, s->reference_method);
  return left_out;
}

static void tell_left_out(const arguments *a, const cst_study *s) {
  const char *between = "left out are the trajectories of";
  if (!*cst_stored_withheld(s)) return;
  printf("%s: code in C is not compiled unasked: %s;", a->file, cst_stored_withheld(s));
  for (int i = 0; i < s->nmethod; i++)
    if (a->choice.left_out[i]) printf(" %s %s", between, cst_method_label(s->method[i])), between = "and";
  printf("%s --trust-code compiles, loads and runs it\n", *between == 'a' ? ";" : "");
  fflush(stdout);
}

/* ---- running ----------------------------------------------------------------------------------------------------------------- */

static void tell_summary(const arguments *a, const cst_verify_counts *c, double seconds) {
  printf("%s: ", a->file);
  if (!c->same && !c->different)
    printf("nothing to verify");
  else if (c->different)
    printf("%ld of %ld trajectories DIFFER", c->different, c->same + c->different);
  else
    printf("%ld trajectories, all with the same bits", c->same);
  if (c->open) printf(", %ld not begun", c->open);
  if (c->left_out) printf(", %ld left out", c->left_out);
  if (a->choice.sample && c->same + c->different == a->choice.sample) printf("; drawn with seed %llu", (unsigned long long)a->choice.seed);
  printf("; %ld numbers, %.3g s\n", c->compared, seconds);
}

static int execute(const arguments *a, cst_study *s, const cst_plan *p, cst_result *file) {
  cst_verify_counts counts = {0};
  cst_back_end      b = {0};
  const double      begun = MPI_Wtime();
  tell_left_out(a, s);
  PetscPushErrorHandler(say, NULL);
  const PetscErrorCode failed = cst_verify(s, p, file, a->file, &a->choice, &b, &counts);
  PetscPopErrorHandler();
  if (failed) return 1;
  if (counts.different) cst_verify_explain(p, file, &b);
  tell_summary(a, &counts, MPI_Wtime() - begun);
  return counts.different ? 1 : !counts.same && *cst_stored_withheld(s) ? 2 : 0; /* 2: a word is missing */
}

static int run_checked(arguments *a, cst_diag *d) {
  const char *reason = NULL;
  char        why[512];
  int         isa = cst_isa_choose(&reason), ranks, status = 2;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks > 1) cst_diag_add(d, NULL, 0, 0, "`constella verify` runs on one rank, not on %d", ranks);
  if (isa < 0) cst_diag_add(d, NULL, 0, 0, "%s", reason);
  cst_result *file = a->file ? cst_result_open(a->file, why, sizeof why) : NULL;
  if (a->file && !file) cst_diag_add(d, a->file, 0, 0, "%s", why);
  cst_study *s = file ? cst_stored_study(file, a->file, cst_reader_share_alone, &a->trust, d) : NULL;
  cst_plan  *p = s && isa >= 0 ? cst_plan_create(s, isa, d) : NULL;
  if (p) check_choice(&a->choice, p, d);
  if (p) a->choice.left_out = find_left_out(s);
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
             puts("constella verify FILE [--member K ...] [--case C ...] [--sample N] [--seed S] [--from-start] [--trust-code]\n"
                  "  Without --member and --case, 8 trajectories are drawn; --sample draws so many, also of those named.\n"
                  "  Layers that are code in C are compiled, loaded and run with --trust-code, or where CONSTELLA_TRUST_CODE names their\n"
                  "  folder; else the trajectories of their methods are left out."),
             0;
  parse(argc, argv, &a, d);
  int    one = 1;
  char **name = argv;
  if (cst_limits_refuse()) return 2;
  cst_launch_alone();
  if (PetscInitialize(&one, &name, NULL, NULL)) return 2;
  if (cst_solver_register()) return 1;
  const int status = run_checked(&a, d);
  cst_diag_destroy(d);
  free(a.choice.member);
  free(a.choice.left_out);
  free(a.choice.icase);
  return cst_launch_end(status);
}
