/* verify.c: `constella verify FILE`: recomputes trajectories of a result and compares their bits with those
 * of the file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* asprintf */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/petsc-options.h"
#include "study/run/identity.h"
#include "cli/stored.h"
#include "method/method.h"
#include "study/plan/division.h"
#include "study/run/verify-result.h"
#include "core/need.h"
#include "core/error.h"
#include "core/text.h"

enum { SAMPLE = 8 };

typedef struct {
  const char       *file;
  cst_verify_choice choice;
  cst_trust         trust;
} arguments;

/* ---- the command line ---- */

/* Numbers of members or cases, each once. */
typedef struct {
  long *x;
  int   n;
} list;

typedef struct {
  const char *file;
  list        member, icase;
  long        sample, seed; /* sample 0: not given */
  bool        from_start, trusts;
} request;

static bool add(void *member, const char *value) {
  list      *l = member;
  const long x = (long)strtod(value, NULL);
  for (int i = 0; i < l->n; i++)
    if (l->x[i] == x)
      return true;
  l->x = cst_need(realloc(l->x, sizeof *l->x * (size_t)(l->n + 1)));
  l->x[l->n++] = x;
  return true;
}

/* Of what `add` reads. */
#define NATURAL                                                                                    \
  { CST_VALUE_INTEGER, .low = 0, .high = CST_NO_LIMIT }

static const cst_option options[] = {
    {"FILE", .is = CST_OPTION_REQUIRED, .at = offsetof(request, file),
     .doc = "a result, or FILE.json, what `constella certify` or `constella choose` has written",
     .takes = "a result"},
    {"--member", .value = "K", .is = CST_OPTION_REPEATS, .at = offsetof(request, member),
     .set = add, .of = NATURAL, .doc = "all trajectories of this member"},
    {"--case", .value = "C", .is = CST_OPTION_REPEATS, .at = offsetof(request, icase), .set = add,
     .of = NATURAL, .doc = "all trajectories of this case"},
    {"--sample", .value = "N", .of = {CST_VALUE_INTEGER, CST_AT(request, sample), 1, CST_NO_LIMIT},
     .doc = "draw this many of them; default: 8 without --member and --case, else all"},
    {"--seed", .value = "S", .standard = "1",
     .of = {CST_VALUE_INTEGER, CST_AT(request, seed), 0, CST_NO_LIMIT},
     .doc = "the seed of the draw"},
    {"--from-start", .at = offsetof(request, from_start),
     .doc = "recompute from the start, not from checkpoints"},
    {"--trust-code", .at = offsetof(request, trusts),
     .doc = "compile, load and run C code that the result names"},
    {NULL},
};

static void parse(int argc, char **argv, arguments *a, cst_diag *d) {
  request q = {0};
  cst_options_parse(&cst_command_verify, argc, argv, &q, d);
  a->file = q.file;
  a->trust.given = q.trusts;
  a->choice.member = q.member.x;
  a->choice.nmember = q.member.n;
  a->choice.icase = q.icase.x;
  a->choice.ncase = q.icase.n;
  a->choice.seed = (uint64_t)q.seed;
  a->choice.from_start = q.from_start;
  a->choice.sample = q.sample || q.member.n || q.icase.n ? q.sample : SAMPLE;
}

/* ---- running ---- */

static void check_choice(const cst_verify_choice *c, const cst_plan *p, cst_diag *d) {
  for (int i = 0; i < c->nmember; i++)
    if (c->member[i] >= p->study->ensemble.members)
      cst_diag_add(d, NULL, 0, 0, "no member %ld; there are 0 to %ld", c->member[i],
                   p->study->ensemble.members - 1);
  for (int i = 0; i < c->ncase; i++)
    if (c->icase[i] >= p->ncase)
      cst_diag_add(d, NULL, 0, 0, "no case %ld; there are 0 to %d", c->icase[i], p->ncase - 1);
}

static cst_error print_error(MPI_Comm comm, int line, const char *function, const char *file,
                             cst_error n, bool arises, const char *message, void *context) {
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (arises && message)
    fprintf(stderr, "constella: error: %s\n", message);
  return n;
}

/* ---- code that is not compiled unasked ---- */

/* Whether the expression names the layer anywhere. */
static bool names(const cst_term *t, const char *layer) {
  bool found = t->kind == CST_TERM_NAME && t->own && !strcmp(t->name, layer);
  for (int i = 0; i < t->n && !found; i++)
    found = names(t->arg[i], layer);
  return found;
}

static bool is_withheld(const cst_study *s, const cst_method *m) {
  for (int i = 0; m && i < s->problem.nlayer; i++)
    if (s->problem.layer[i].withheld && names(cst_method_root(m), s->problem.layer[i].name))
      return true;
  return false;
}

/* The methods that contain withheld code, [nmethod]; all methods where the reference contains it. Owned. */
static bool *find_left_out(const cst_study *s) {
  bool *left_out = cst_zeros(s->methods.n, sizeof *left_out);
  for (int i = 0; i < s->methods.n; i++)
    left_out[i] = is_withheld(s, s->methods.method[i]) || is_withheld(s, s->reference.method);
  return left_out;
}

static void report_left_out(const arguments *a, const cst_study *s) {
  const char *between = "left out are the trajectories of";
  if (!*cst_stored_withheld(s))
    return;
  printf("%s: code in C is not compiled unasked: %s;", a->file, cst_stored_withheld(s));
  for (int i = 0; i < s->methods.n; i++)
    if (a->choice.left_out[i]) {
      printf(" %s %s", between, cst_method_label(s->methods.method[i]));
      between = "and";
    }
  if (*between == 'a')
    printf(", and the statistics of all");
  printf("%s --trust-code compiles, loads and runs it\n", *between == 'a' ? ";" : "");
  fflush(stdout);
}

/* ---- running ---- */

static void print_summary(const arguments *a, const cst_verify_counts *c, double seconds) {
  printf("%s: ", a->file);
  if (!c->same && !c->different)
    printf("nothing to verify");
  else if (c->different)
    printf("%ld of %ld trajectories DIFFER", c->different, c->same + c->different);
  else
    printf("%ld trajectories, all %s", c->same,
           a->choice.tolerance > 0 ? "the same to the tolerance" : "with the same bits");
  if (c->sums)
    printf(c->wrong_sums ? ", sums over members DIFFER" : ", sums over members complete");
  if (c->statistics)
    printf(c->wrong_statistics ? ", statistics DIFFER" : ", statistics the same");
  if (c->reference_error)
    printf(" (the error of the reference is not computed again)");
  if (c->open)
    printf(", %ld not begun", c->open);
  if (c->left_out)
    printf(", %ld left out", c->left_out);
  if (c->joined)
    printf(", the windows of %ld not compared: they were continued from an earlier end", c->joined);
  if (a->choice.sample && c->same + c->different == a->choice.sample)
    printf("; drawn with seed %llu", (unsigned long long)a->choice.seed);
  printf("; %ld numbers, %.3g s\n", c->compared, seconds);
}

static int execute(const arguments *a, cst_study *s, const cst_plan *p, cst_result *file) {
  cst_verify_counts counts = {0};
  cst_back_end      b = {0};
  const double      begun = MPI_Wtime();
  report_left_out(a, s);
  cst_error_push(print_error, NULL);
  const cst_error failed = cst_verify(s, p, file, a->file, &a->choice, &b, &counts);
  cst_error_pop();
  if (failed)
    return 1;
  const bool wrong = counts.different || counts.wrong_sums || counts.wrong_statistics;
  if (wrong)
    cst_verify_explain(p, file, &b, &counts);
  print_summary(a, &counts, MPI_Wtime() - begun);
  return wrong ? 1 : !counts.same && *cst_stored_withheld(s) ? 2 : 0; /* 2: permission is missing */
}

/* The file may be a part of a study. */
static void divide(cst_plan *p, cst_result *file) {
  long  part, n;
  char *text = cst_result_text(file, "/", "part");
  if (text && cst_part_parse(text, &part, &n))
    cst_plan_divide(p, part, n);
  free(text);
}

/* The handler of PETSc would end MPI with many words. */
static void ignore_pipes(void) { signal(SIGPIPE, SIG_IGN); }

static bool drive(const cst_plan *p, const char *options) {
  const bool done = cst_petsc_drive(p) && cst_petsc_take(options);
  ignore_pipes();
  return done;
}

/* Of a run by PETSc's solvers: its options, owned. They may come from a stranger, and others of PETSc's options load
 * code or write files. Between two BLAS kernels bits are not promised. */
static char *meet_engine(arguments *a, const cst_plan *p, cst_result *file, cst_diag *d) {
  char  now[64];
  char *options = cst_engine_is_petsc(p) ? cst_result_text(file, "/", "petsc_options") : NULL;
  char *then = cst_engine_is_petsc(p) ? cst_result_text(file, "/run", "blas") : NULL;
  if (options && !cst_engine_options_are_plain(options))
    cst_diag_add(d, a->file, 0, 0,
                 "petsc_options of the file is \"%s\"; only options of PETSc's solvers with plain "
                 "words as values are taken from a file",
                 options);
  if (then)
    cst_engine_blas(now, sizeof now);
  if (then && strcmp(then, now)) {
    a->choice.tolerance = CST_ENGINE_TOLERANCE;
    printf("%s: solved by PETSc with another BLAS (%s, here %s), which gives other bits: q, p and "
           "lambda at the end are compared to %g\n",
           a->file, then, now, CST_ENGINE_TOLERANCE);
  }
  if (p->study->solver.team > 1) {
    a->choice.tolerance = CST_ENGINE_TOLERANCE;
    printf("%s: linear systems were solved by %d ranks together, here by one, which gives other "
           "bits: q, p "
           "and lambda at the end are compared to %g\n",
           a->file, p->study->solver.team, CST_ENGINE_TOLERANCE);
  }
  free(then);
  return options;
}

static int run_checked(arguments *a, cst_diag *d) {
  const char *reason = NULL;
  char        why[512];
  int         isa = cst_isa_choose(&reason);
  int         ranks, status = 2;
  MPI_Comm_size(cst_world, &ranks);
  if (ranks > 1)
    cst_diag_add(d, NULL, 0, 0, "`constella verify` runs on one rank, not on %d", ranks);
  if (isa < 0)
    cst_diag_add(d, NULL, 0, 0, "%s", reason);
  cst_result *file = a->file ? cst_result_open(a->file, why, sizeof why) : NULL;
  if (a->file && !file)
    cst_diag_add(d, a->file, 0, 0, "%s", why);
  cst_study *s =
      file ? cst_stored_study(file, a->file, cst_reader_share_alone, &a->trust, d) : NULL;
  cst_petsc_check(s, d);
  cst_plan *p = s && isa >= 0 ? cst_plan_create(s, isa, d) : NULL;
  if (p)
    divide(p, file);
  if (p)
    check_choice(&a->choice, p, d);
  if (p)
    a->choice.left_out = find_left_out(s);
  char *options = p ? meet_engine(a, p, file, d) : NULL;
  if (cst_diag_count(d))
    cst_diag_print(d, stderr);
  else
    status = drive(p, options) ? execute(a, s, p, file) : 1;
  free(options);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_result_close(file);
  return status;
}

/* Starts MPI, and PETSc if it is asked for. Returns 0, or the exit status of what failed. */
static int begin(char **argv) {
  if (cst_limits_refuse() || !cst_launch_alone())
    return 2;
  if (!cst_petsc_begin(1, argv))
    return 2;
  ignore_pipes();
  return 0;
}

/* A record in JSON is measured again by what made it. Returns where that cannot be started. */
static int verify_record(const arguments *a) {
  char *words[6] = {"verify-record"};
  if (asprintf(&words[1], "file=%s", a->file) < 0 ||
      asprintf(&words[2], "sample=%ld", a->choice.sample) < 0 ||
      asprintf(&words[3], "seed=%llu", (unsigned long long)a->choice.seed) < 0)
    cst_need_fail();
  if (a->trust.given)
    words[4] = "trust=1";
  return cst_analysis_start(a->trust.given ? 5 : 4, (const char **)words);
}

static int verify(int argc, char **argv) {
  arguments a = {0};
  cst_diag *d = cst_diag_create();
  parse(argc, argv, &a, d);
  int status;
  if (a.file && cst_text_ends(a.file, ".json") && !cst_diag_count(d))
    status = verify_record(&a);
  else if (!(status = begin(argv)))
    status = cst_launch_end(run_checked(&a, d));
  cst_diag_destroy(d);
  free(a.choice.member);
  free(a.choice.left_out);
  free(a.choice.icase);
  return status;
}

const cst_command cst_command_verify = {
    .name = "verify",
    .doc = "Recomputes trajectories of a result and compares their bits with those of the file.",
    .option = options,
    .notes = "Methods that are C code of the result's author are compiled, loaded and run with "
             "--trust-code, or "
             "where CONSTELLA_TRUST_CODE names their folder; else the trajectories of these "
             "methods are left out.",
    .run = verify,
};
