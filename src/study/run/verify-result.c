/* verify-result.c: recomputes trajectories of a result (see verify-result.h).
 *
 * Each is a batch of one lane, so it has other neighbours than in the run. Finished trajectories are compared
 * with their rows, unfinished ones with their numbers in the newest checkpoint. They are computed from the
 * last earlier checkpoint of this build, if there is one, else from the start. Errors are taken against a
 * reference for this member alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/verify-result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/constella.h"
#include "constella/random.h"
#include "core/need.h"
#include "method/core.h"
#include "study/collect/continue-rows.h"
#include "study/rows/collector.h"
#include "study/plan/division.h"
#include "study/result/conclude.h"
#include "study/result/failure.h"
#include "study/run/checkpoint.h"
#include "study/run/extend.h"
#include "study/run/identity.h"
#include "study/run/libraries.h"

enum {
  CHECKPOINTS = 2,
  TELL_EVERY = 10 /* seconds between two lines on what is under way */
};

/* From VERIFY_MIDWAY on there is something to compare. */
typedef enum {
  VERIFY_OPEN,
  VERIFY_ELSEWHERE,
  VERIFY_LEFT_OUT,
  VERIFY_MIDWAY,
  VERIFY_FINISHED
} verify_stage;

typedef struct {
  verify_stage    stage;
  long            icase, member;
  cst_checkpoint *from;  /* NULL: the start */
  long            begin; /* step at `from` */
  long            until; /* step at which it is compared */
  cst_work        work;
} verify_trajectory;

typedef struct {
  const cst_plan *plan;
  cst_result     *file;
  bool            another; /* the file was made by another program */
  /* the newest undamaged ones of this build, newest first; NULL: none */
  cst_checkpoint *checkpoint[CHECKPOINTS];
  cst_reference  *reference;
  signed char    *status;    /* [ncase][members] in the file */
  const bool     *left_out;  /* [nmethod]; NULL: none */
  double          tolerance; /* of cst_verify_choice */
  unsigned char  *known;     /* [nvariant][members] the reference states are in the table */
  cst_output     *output;
  cst_tallies    *tallies;
  cst_runner     *runner;
  long           *chosen;     /* [ncase][chosen] members (cst_choice); NULL: none are chosen */
  long           *joined;     /* [ncase] cst_continue_joined */
  cst_comparison  comparison; /* of the current cst_verify_trajectory */
  long            n, at;      /* number of trajectories to compute, and the current one */
  double          total, done, told;
} verification;

/* ---- stages, and the checkpoints from which trajectories are computed ------------------------ */

/* True if this build made the checkpoint and all its bytes are undamaged. */
static bool is_usable(cst_checkpoint *checkpoint, const char *identity, char *why, int n) {
  char        what[64];
  size_t      size;
  const char *then =
      cst_checkpoint_read(checkpoint, cst_checkpoint_find(checkpoint, "identity", 0), &size);
  snprintf(what, sizeof what, "it");
  if (!then || !cst_snapshot_check(checkpoint->snapshot)) {
    snprintf(why, (size_t)n, "it is damaged");
    return false;
  }
  return cst_identity_same(then, identity, what, why, n);
}

static void open_checkpoints(verification *d, const char *path) {
  char               why[512];
  char              *run = cst_result_text(d->file, "/run", "id");
  char              *identity = cst_identity_text(d->plan, run ? run : "");
  char              *real = realpath(path, NULL);
  int                n;
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, real ? real : path, run ? run : "");
  (void)cst_snapshot_find(&owner);
  long *number = cst_snapshot_numbers(&owner, &n);
  for (int i = 0, found = 0; i < n && found < CHECKPOINTS; i++) {
    cst_checkpoint *checkpoint = cst_checkpoint_create(d->plan);
    if (cst_checkpoint_open(d->plan, checkpoint, owner.path, number[i], why, sizeof why) &&
        is_usable(checkpoint, identity, why, sizeof why)) {
      d->checkpoint[found++] = checkpoint;
      continue;
    }
    fprintf(stderr, "constella: checkpoint %ld of %s is ignored: %s\n", number[i], path, why);
    cst_checkpoint_destroy(d->plan, checkpoint);
  }
  free(number);
  free(identity);
  free(run);
  free(real);
}

/* The saved range of a checkpoint that contains the lane; -1: none. */
static int find_saved(const cst_checkpoint *checkpoint, int class, long lane) {
  for (int i = 0; checkpoint && i < checkpoint->nsaved; i++) {
    const cst_lane_range *s = &checkpoint->range[i];
    if (s->class == class && lane >= s->first && lane < s->first + s->count)
      return i;
  }
  return -1;
}

static void read_status(verification *d) {
  const char  *path = cst_channel_status.path;
  const long   start[2] = {0};
  const long   count[2] = {d->plan->ncase, d->plan->study->ensemble.members};
  const size_t n = (size_t)(count[0] * count[1]);
  d->status = cst_need(malloc(n + 1));
  if (!cst_result_read_block(d->file, path, CST_TYPE_I8, start, count, d->status))
    memset(d->status, -1, n);
}

static void place(const verification *d, verify_trajectory *t) {
  const cst_plan       *p = d->plan;
  const cst_checkpoint *checkpoint = d->checkpoint[0];
  const int class = p->class_of[t->icase];
  const cst_class *k = &p->classes[class];
  const long       lane = cst_plan_lane(p, t->icase, t->member);
  const int        saved = find_saved(checkpoint, class, lane);
  const bool       left_out = d->left_out && d->left_out[p->cases[t->icase].method];
  const bool       has_status = d->status[t->icase * p->study->ensemble.members + t->member] >= 0;
  const bool done = has_status || (checkpoint && checkpoint->lane[class][lane] == CST_LANE_DONE);
  t->work = (cst_work){.class = class, .first = lane, .count = 1, .saved = -1};
  t->work.cost = (double)k->n * k->cost;
  long first, count;
  cst_plan_own_lanes(p, class, &first, &count);
  if (lane < first || lane >= first + count)
    t->stage = VERIFY_ELSEWHERE;
  else if (left_out)
    t->stage = VERIFY_LEFT_OUT;
  else if (done) {
    t->stage = VERIFY_FINISHED;
    t->until = k->n;
  } else if (saved >= 0) {
    t->stage = VERIFY_MIDWAY;
    t->until = checkpoint->range[saved].step;
  }
}

/* Finds the newest checkpoint that has the trajectory at a step before `until`. */
static void find_origin(const verification *d, verify_trajectory *t) {
  for (int i = 0; i < CHECKPOINTS && !t->from; i++) {
    const int saved = find_saved(d->checkpoint[i], t->work.class, t->work.first);
    if (saved < 0 || d->checkpoint[i]->range[saved].step >= t->until)
      continue;
    t->from = d->checkpoint[i];
    t->begin = d->checkpoint[i]->range[saved].step;
    t->work.saved = saved;
    t->work.skip = t->work.first - d->checkpoint[i]->range[saved].first;
  }
}

static void prepare_trajectory(verification *d, verify_trajectory *t, bool from_start) {
  if (t->stage < VERIFY_MIDWAY)
    return;
  if (!from_start)
    find_origin(d, t);
  d->n++;
  d->total += (double)(t->until - t->begin) * d->plan->classes[t->work.class].cost;
}

/* Opens the checkpoints of this build that belong to the file at path, and reads the status of every trajectory. */
static void open_file(verification *d, const char *path) {
  open_checkpoints(d, path);
  read_status(d);
}

/* ---- which trajectories ---------------------------------------------------------------------- */

/* Draws `sample` different entries of those allowed, or takes all of these. */
static void draw(unsigned char *may, long n, long sample, uint64_t seed) {
  long left = 0;
  for (long i = 0; i < n; i++)
    left += may[i];
  if (sample >= left)
    return;
  unsigned char *drawn = cst_need(calloc((size_t)n, 1));
  for (long i = 0, got = 0; got < sample; i++) {
    const long k =
        (long)(cst_random_uniform(seed, (uint64_t)i, CST_PURPOSE_VERIFY, 0, 0) * (double)n);
    if (k >= n || drawn[k] || !may[k])
      continue;
    drawn[k] = 1;
    got++;
  }
  memcpy(may, drawn, (size_t)n);
  free(drawn);
}

/* The chosen cases x members, in this order. Trajectories that have not begun or are left out are never
 * drawn, but reported if asked for. They are *n; owned. */
static verify_trajectory *list_trajectories(const verification *d, const cst_verify_choice *c,
                                            long *n) {
  const long         members = c->nmember ? c->nmember : d->plan->study->ensemble.members;
  const long         all = (c->ncase ? c->ncase : d->plan->ncase) * members;
  unsigned char     *may = cst_need(calloc((size_t)all + 1, 1));
  verify_trajectory *list = cst_zeros(all, sizeof *list);
  for (long i = 0; i < all; i++) {
    list[i].icase = c->ncase ? c->icase[i / members] : i / members;
    list[i].member = c->nmember ? c->member[i % members] : i % members;
    place(d, &list[i]);
    may[i] = !c->sample || list[i].stage >= VERIFY_MIDWAY;
  }
  if (c->sample)
    draw(may, all, c->sample, c->seed);
  *n = 0;
  for (long i = 0; i < all; i++)
    if (may[i])
      list[(*n)++] = list[i];
  free(may);
  return list;
}

/* ---- the table, made again ------------------------------------------------------------------- */

/* By what concluded it, from the rows; its columns and the datasets that are concluded with them are compared.
 *
 * One thing that the table needs has no rows: the error of a reference by a method. It is taken from the file.
 */

typedef struct {
  verification      *d;
  cst_verify_counts *counts;
  cst_conclusion    *table;
  cst_case_rows     *rows;
  double            *error; /* [nvariant][CST_ERRORS] of the reference */
} work;

static bool is_reference_error(const cst_column *x) {
  return x->use.role && !strcmp(x->use.role, "reference-error");
}

static void read_reference_error(work *w, const cst_column *x) {
  const cst_plan *p = w->d->plan;
  char            path[96];
  int             ndim, part = 0;
  long            extent[CST_FIELD_DIMS];
  while (part < CST_ERRORS - 1 && strcmp(cst_channels_error_names[part], x->use.of))
    part++;
  snprintf(path, sizeof path, "/statistics/%s", x->name);
  double *stored = cst_result_read(w->d->file, path, &ndim, extent);
  if (stored && ndim == 1 && extent[0] == p->ncase)
    for (int i = p->ncase - 1; i >= 0; i--)
      w->error[p->cases[i].variant * CST_ERRORS + part] = stored[i];
  free(stored);
}

/* Other references have no error of their own. */
static void find_reference_errors(work *w) {
  const cst_columns *all = cst_conclude_columns(w->table);
  for (int i = 0; i < w->d->plan->study->problem.nvariant * CST_ERRORS; i++)
    w->error[i] = NAN;
  if (!cst_reference_twice(w->d->plan->study))
    return;
  for (int k = 0; k < all->n; k++)
    if (is_reference_error(&all->column[k])) {
      read_reference_error(w, &all->column[k]);
      w->counts->reference_error = true;
    }
}

/* Compares the datasets of a case that are concluded as well, such as histograms. */
static cst_error conclude_case(work *w, int i) {
  cst_comparison *c = &w->d->comparison;
  *c = (cst_comparison){0};
  CST_TRY(cst_conclude_case(w->table, w->rows, i));
  w->counts->compared += c->compared;
  if (!c->different)
    return 0;
  w->counts->wrong_statistics = true;
  printf("what is concluded of case %d: DIFFERENT, %ld of %ld numbers; first: %s\n", i,
         c->different, c->compared, c->first);
  return 0;
}

static void tell(verification *d, int icase) {
  const double now = MPI_Wtime();
  if (now - d->told < TELL_EVERY)
    return;
  d->told = now;
  fprintf(stderr, "verify: statistics of case %d of %d\n", icase + 1, d->plan->ncase);
}

static cst_error conclude(work *w) {
  const cst_plan *p = w->d->plan;
  const int       steps = p->study->steps.n;
  cst_case_rows_ahead(w->rows, p->ncase);
  for (int i = 0; i < p->ncase; i++) {
    tell(w->d, i);
    CST_TRY(conclude_case(w, i));
    if ((i + 1) % steps == 0)
      CST_TRY(cst_conclude_steps(w->table, w->rows, i + 1 - steps));
  }
  CST_TRY(cst_conclude_across(w->table));
  return 0;
}

static void compare_column(work *w, const cst_column *x) {
  const long     first = 0, n = w->d->plan->ncase;
  cst_field      f = {.type = x->label ? CST_TYPE_TEXT : CST_TYPE_F64, .ndim = 1};
  cst_comparison c = {0};
  snprintf(f.path, sizeof f.path, "/statistics/%s", x->name);
  if (!cst_compare_block(&c, w->d->file, &f, &first, &n, x->label ? (void *)x->label : x->value)) {
    w->counts->wrong_statistics |= !w->d->another;
    printf("column %s: not in the file\n", x->name);
  }
  if (c.different)
    printf("column %s: DIFFERENT in %ld of %ld cases; first: %s\n", x->name, c.different, n,
           c.first);
  w->counts->compared += c.compared;
  w->counts->wrong_statistics |= c.different > 0;
}

/* The search begins where the column stands if both have the same ones. */
static bool is_made(const cst_columns *all, const char *name, int at) {
  for (int k = 0; k < all->n; k++)
    if (!strcmp(all->column[(at + k) % all->n].name, name))
      return true;
  return false;
}

static void compare_columns(work *w) {
  const cst_columns *all = cst_conclude_columns(w->table);
  char(*paths)[96];
  for (int k = 0; k < all->n; k++)
    compare_column(w, &all->column[k]);
  const int n = cst_result_list(w->d->file, "/statistics", &paths);
  for (int k = 0; k < n; k++) {
    const char *last = strrchr(paths[k], '/');
    const char *name = last ? last + 1 : paths[k];
    if (!is_made(all, name, k))
      printf("column %s: not compared, this program does not make it\n", name);
  }
  free(paths);
}

/* Compares the columns of a complete result with what its rows give, and prints what differs. */
static cst_error compare_table(verification *d, cst_verify_counts *counts) {
  work w = {.d = d, .counts = counts, .table = cst_conclude_create(d->plan)};
  counts->statistics = true;
  w.error = cst_zeros(d->plan->study->problem.nvariant * CST_ERRORS, sizeof *w.error);
  find_reference_errors(&w);
  CST_TRY(cst_case_rows_create(d->plan, d->output, w.error, &w.rows));
  if (conclude(&w)) { /* it has been said why */
    counts->wrong_statistics = true;
    printf("columns: not made again, since the rows cannot be right\n");
  } else
    compare_columns(&w);
  CST_TRY(cst_case_rows_destroy(&w.rows));
  cst_conclude_destroy(w.table);
  free(w.error);
  return 0;
}

/* ---- reasons for differing bits -------------------------------------------------------------- */

/* Compares the origin of a file with this program. */

/* Prints and returns whether an attribute of the file differs from this program. */
static bool differs(cst_result *file, const char *group, const char *name, const char *what,
                    const char *now) {
  char      *then = cst_result_text(file, group, name);
  const bool other = !then || strcmp(then, now);
  if (other)
    printf("  %s: the file has \"%s\", this program \"%s\"\n", what, then ? then : "(nothing)",
           now);
  free(then);
  return other;
}

/* Systems of the catalogue are stored by name; their descriptions come from the program. */
static bool describes(cst_result *file, const char *now) {
  char      *then = cst_result_text(file, "/", "system_description");
  const bool same = then && !strcmp(then, now);
  if (!same)
    puts("  the description of the system: the file has another one than this program");
  free(then);
  return same;
}

/* Rows of another program may be right, and its statistics other ones of the same rows. */
static bool explain_revision(cst_result *file, const cst_verify_counts *counts) {
  if (!differs(file, "/", "git", "revision", cst_identity_version()))
    return false;
  if (counts->wrong_statistics && !counts->different)
    puts("    the trajectories are the same: it may have defined these statistics otherwise; the "
         "changelog tells");
  return true;
}

void cst_verify_explain(const cst_plan *p, cst_result *file, const cst_back_end *b,
                        const cst_verify_counts *counts) {
  char  libraries[512], host[MPI_MAX_PROCESSOR_NAME];
  int   length, other = 0;
  char *compiler = cst_result_text(file, "/run", "compile_compiler");
  cst_libraries(libraries, sizeof libraries);
  MPI_Get_processor_name(host, &length);
  puts("What differs between the file and this program:");
  other += differs(file, "/", "version", "version", CST_RELEASE);
  other += explain_revision(file, counts);
  other += differs(file, "/run", "compiler", "compiler", cst_identity_compiler());
  other += differs(file, "/run", "libraries", "libraries", libraries);
  other += differs(file, "/run", "instruction_set", "instruction set", cst_isas[p->isa].name);
  other += differs(file, "/run", "kernels", "kernels", b->kernels);
  if (compiler && *b->compiler)
    other += differs(file, "/run", "compile_compiler", "compiler of the kernels", b->compiler);
  other += !describes(file, p->study->problem.system->description->text);
  other += differs(file, "/run", "host_of_rank_0", "host", host);
  if (!other)
    puts("  nothing: the file was damaged, or one of the machines made an error");
  free(compiler);
}

/* ---- one after the other --------------------------------------------------------------------- */

static cst_error poll(void *context, double work, bool *stop) {
  verification *d = context;
  const double  now = MPI_Wtime();
  *stop = false;
  d->done += work;
  if (now - d->told < TELL_EVERY)
    return 0;
  d->told = now;
  fprintf(stderr, "verify: trajectory %ld of %ld, %.1f %% of the steps\n", d->at, d->n,
          100 * d->done / d->total);
  return 0;
}

static cst_error make_reference(verification *d, const verify_trajectory *t) {
  const int      variant = d->plan->cases[t->icase].variant;
  bool           stop = false;
  unsigned char *known = &d->known[variant * d->plan->study->ensemble.members + t->member];
  if (d->plan->study->reference.kind != CST_REFERENCE_METHOD || *known)
    return 0;
  CST_TRY(cst_reference_compute_member(d->reference, variant, t->member, poll, d, &stop));
  *known = 1;
  return 0;
}

/* A failed trajectory keeps only its last good state. Of a partner that was stopped on its way to the same
 * step, and of a step that was not observed yet, only the state is known. */
static long count_kept(const verification *d, const double *row, const cst_lane_rows *p) {
  const bool failed = row[0] != 0;
  const bool follows = p->at.half_step != cst_runner_position(d->runner).half_step;
  return failed || follows || p->opens ? cst_runner_state_numbers(d->runner)
                                       : cst_runner_numbers(d->runner);
}

static cst_error compare_midway(verification *d, const verify_trajectory *t) {
  cst_checkpoint *checkpoint = d->checkpoint[0];
  const int       saved = find_saved(checkpoint, t->work.class, t->work.first);
  const double   *kept = cst_checkpoint_rows(checkpoint, saved);
  const double   *row;
  cst_bundle      b = {0};
  char            name[128];
  CST_CHECK(kept && checkpoint->saved[saved].numbers == cst_runner_numbers(d->runner),
            MPI_COMM_SELF, CST_ERR_FILE_READ, "checkpoint %ld was damaged or removed",
            checkpoint->number);
  kept += (t->work.first - checkpoint->range[saved].first) * checkpoint->saved[saved].numbers;
  cst_lane_rows_pack(d->runner, &b);
  row = (const double *)(const void *)(b.bytes + sizeof(cst_section_head) + sizeof(cst_lane_rows));
  snprintf(name, sizeof name, "step %ld in checkpoint %ld", t->until, checkpoint->number);
  cst_compare_numbers(&d->comparison, name, kept, row,
                      count_kept(d, kept, &checkpoint->saved[saved]));
  cst_bundle_destroy(&b);
  return 0;
}

static cst_error compute(verification *d, const verify_trajectory *t) {
  cst_origin  origin;
  cst_origin *from = t->from ? &origin : NULL;
  bool        stop = false;
  d->comparison = (cst_comparison){.tolerance = d->tolerance};
  CST_TRY(make_reference(d, t));
  CST_CHECK(!from || cst_checkpoint_origin(t->from, &t->work, from), MPI_COMM_SELF,
            CST_ERR_FILE_READ, "checkpoint %ld was damaged or removed", t->from->number);
  if (t->stage == VERIFY_FINISHED)
    CST_TRY(cst_runner_batch(d->runner, &t->work, from, &stop));
  else {
    CST_TRY(cst_runner_batch_to(d->runner, &t->work, from, t->until, &stop));
    CST_TRY(compare_midway(d, t));
  }
  return 0;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_trajectory(const cst_plan *p, const verify_trajectory *t) {
  const cst_study *s = p->study;
  const cst_case  *c = &p->cases[t->icase];
  printf("case %ld (%s, step %.10g", t->icase, cst_method_label(s->methods.method[c->method]),
         c->h_nominal);
  if (s->solver.ntolerance > 1)
    printf(", tolerance %.10g", s->solver.tolerance[c->tolerance]);
  for (int k = 0; k < s->problem.system->npar; k++)
    if (cst_study_sweeps(s, k))
      printf(", %s = %.10g", s->problem.system->parameter[k].name,
             cst_plan_parameters(p, c->variant)[k]);
  printf("), member %ld: ", t->member);
}

static void print_steps(const verification *d, const verify_trajectory *t) {
  const signed char status = d->status[t->icase * d->plan->study->ensemble.members + t->member];
  const char       *word = status > 0 ? cst_failure_word(status) : "";
  if (status == CST_NO_START) {
    printf("%s, no step", word);
    return;
  }
  if (status > 0)
    printf(cst_failure_is(status) ? "failed (%s) within " : "%s within ", word);
  printf("%ld steps from ", t->until - t->begin);
  if (t->from)
    printf("step %ld in checkpoint %ld", t->begin, t->from->number);
  else
    printf("the start");
  if (t->stage == VERIFY_MIDWAY)
    printf(" to step %ld in checkpoint %ld", t->until, d->checkpoint[0]->number);
}

static void print_result(const verification *d, const verify_trajectory *t) {
  const cst_comparison *c = &d->comparison;
  print_trajectory(d->plan, t);
  if (t->stage == VERIFY_LEFT_OUT)
    printf("left out\n");
  else if (t->stage == VERIFY_ELSEWHERE)
    printf("in another part\n");
  else if (t->stage == VERIFY_OPEN)
    printf("not begun%s\n", d->checkpoint[0] ? "" : ", or not far enough for a checkpoint");
  else {
    print_steps(d, t);
    if (c->different)
      printf(": DIFFERENT, %ld of %ld numbers; first: %s\n", c->different, c->compared, c->first);
    else if (d->tolerance > 0)
      printf(": the same to %g\n", d->tolerance);
    else
      printf(": same bits\n");
  }
  fflush(stdout);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Reads the members that were chosen at the end of the run, as far as they are known. */
static cst_error read_chosen(verification *d) {
  const size_t      n = (size_t)d->plan->chosen;
  const cst_choice *by = cst_collector_choice(d->plan);
  if (!by)
    return 0;
  d->chosen = cst_need(calloc((size_t)d->plan->ncase * n + 1, sizeof *d->chosen));
  for (int i = 0; i < d->plan->ncase; i++)
    CST_TRY(by->read(d->output, i, d->chosen + (size_t)i * n));
  cst_runner_choose(d->runner, d->chosen);
  return 0;
}

static bool is_of_another(cst_result *file) {
  char      *git = cst_result_text(file, "/", "git");
  const bool other = git && strcmp(git, cst_identity_version());
  free(git);
  return other;
}

static cst_error open_verification(verification *d) {
  char why[256];
  d->known = cst_need(calloc(
      (size_t)d->plan->study->problem.nvariant * (size_t)d->plan->study->ensemble.members, 1));
  d->reference = cst_reference_create(d->plan);
  d->tallies = cst_tallies_create(d->plan);
  d->told = MPI_Wtime();
  d->joined = cst_continue_joined(d->file, d->plan, why, sizeof why);
  CST_CHECK(d->joined, MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED, "%s", why);
  d->another = is_of_another(d->file);
  CST_TRY(cst_output_compare(d->plan, d->file, d->joined, d->another, &d->comparison, &d->output));
  CST_TRY(cst_runner_create(d->plan, 1, d->reference, d->output, d->tallies, poll, d, &d->runner));
  CST_TRY(read_chosen(d));
  return 0;
}

static cst_error close_verification(verification *d) {
  bool closed;
  CST_TRY(cst_runner_destroy(&d->runner));
  CST_TRY(cst_output_close(&d->output, NULL, &closed, NULL, NULL, 0));
  cst_tallies_destroy(d->tallies);
  cst_reference_destroy(d->reference);
  for (int i = 0; i < CHECKPOINTS; i++)
    cst_checkpoint_destroy(d->plan, d->checkpoint[i]);
  free(d->known);
  free(d->joined);
  free(d->chosen);
  free(d->status);
  return 0;
}

static void count(const verification *d, const verify_trajectory *t, cst_verify_counts *c) {
  const bool computed = t->stage >= VERIFY_MIDWAY;
  c->open += t->stage == VERIFY_OPEN;
  c->left_out += t->stage == VERIFY_LEFT_OUT;
  c->joined += computed && t->member < d->joined[t->icase];
  c->same += computed && !d->comparison.different;
  c->different += computed && d->comparison.different;
  c->compared += computed ? d->comparison.compared : 0;
}

/* ---- sums over members ----------------------------------------------------------------------- */

/* Whether the sums of a finished file are of as many terms as its rows tell, and what is made of them is. The terms
 * themselves are not in the file. */
static cst_error compare_sums(verification *d, cst_verify_counts *c) {
  cst_extension e;
  cst_tallies  *t;
  char          why[sizeof d->comparison.first];
  const char   *state = cst_result_state(d->file);
  const bool    ended = !strcmp(state, "complete") || !strcmp(state, "part");
  c->sums = ended && d->tolerance == 0 && cst_tallies_bytes(d->plan) > 0;
  if (!c->sums)
    return 0;
  t = cst_tallies_create(d->plan);
  cst_extend_whole(&e, d->file, d->plan, NULL, 0);
  d->comparison = (cst_comparison){0};
  CST_TRY(cst_extend_tallies(&e, t));
  if (cst_tallies_compare(t, d->output, d->joined, why, sizeof why)) /* it has been said why */
    snprintf(why, sizeof why, "the rows cannot be right");
  else if (!*why && d->comparison.different)
    snprintf(why, sizeof why, "%s", d->comparison.first);
  c->compared += d->comparison.compared;
  c->wrong_sums = *why != 0;
  if (*why)
    printf("sums over members: DIFFERENT; first: %s\n", why);
  cst_extend_destroy(&e);
  cst_tallies_destroy(t);
  return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Of methods left out the plan does not know all that the table tells. */
static bool has_table(const verification *d) {
  bool out = false;
  for (int i = 0; d->left_out && i < d->plan->study->methods.n; i++)
    out |= d->left_out[i];
  return !out && !strcmp(cst_result_state(d->file), "complete");
}

cst_error cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                     const cst_verify_choice *choice, cst_back_end *b, cst_verify_counts *counts) {
  verification d = {
      .plan = p, .file = file, .left_out = choice->left_out, .tolerance = choice->tolerance};
  long               n;
  verify_trajectory *list;
  open_file(&d, path);
  list = list_trajectories(&d, choice, &n);
  for (long i = 0; i < n; i++)
    prepare_trajectory(&d, &list[i], choice->from_start);
  CST_TRY(cst_study_compile(s, p, d.total, b));
  CST_TRY(open_verification(&d));
  for (long i = 0; i < n && !ferror(stdout); i++) {
    d.at += list[i].stage >= VERIFY_MIDWAY;
    if (list[i].stage >= VERIFY_MIDWAY)
      CST_TRY(compute(&d, &list[i]));
    print_result(&d, &list[i]);
    count(&d, &list[i], counts);
  }
  CST_TRY(compare_sums(&d, counts));
  if (has_table(&d))
    CST_TRY(compare_table(&d, counts));
  CST_TRY(close_verification(&d));
  free(list);
  return 0;
}
