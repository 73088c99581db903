/* verify.c: recomputes trajectories of a result (see verify.h).
 *
 * Each is a batch of one lane, so it has other neighbours than in the run. Finished trajectories are compared
 * with their rows, unfinished ones with their numbers in the newest checkpoint. They are computed from the
 * last earlier checkpoint of this build, if there is one, else from the start. Errors are taken against a
 * reference for this member alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "method/core.h"
#include "study/collect/longer.h"
#include "study/plan/division.h"
#include "study/result/failure.h"
#include "study/run/identity.h"
#include "study/run/past.h"
#include "study/run/verify.h"
#include "study/collector.h"

enum { PASTS = 2 };
static const double tell_every = 10;

/* From MIDWAY on there is something to compare. */
typedef enum { OPEN, ELSEWHERE, LEFT_OUT, MIDWAY, FINISHED } stage;

typedef struct {
  stage     stage;
  long      icase, member;
  cst_past *from;  /* NULL: the start */
  long      begin; /* step at `from` */
  long      until; /* step at which it is compared */
  cst_work  work;
} trajectory;

typedef struct {
  const cst_plan *plan;
  cst_result     *file;
  cst_past *past[PASTS]; /* newest undamaged checkpoints of this build, newest first; NULL: none */
  cst_reference *reference;
  signed char   *status;   /* [ncase][members] in the file */
  const bool    *left_out; /* [nmethod]; NULL: none */
  unsigned char *known;    /* [nvariant][members] the reference states are in the table */
  cst_output    *output;
  cst_tallies   *tallies;
  cst_runner    *runner;
  long          *chosen;     /* [ncase][chosen] members (cst_choice); NULL: none are chosen */
  long          *joined;     /* [ncase] cst_longer_joined */
  cst_comparison comparison; /* of the current trajectory */
  long           n, at;      /* number of trajectories to compute, and the current one */
  double         total, done, told;
} verification;

/* ---- stages --------------------------------------------------------------------------------- */

/* True if this build made the checkpoint and all its bytes are undamaged. */
static bool is_usable(cst_past *past, const char *identity, char *why, int n) {
  char        what[64];
  size_t      size;
  const char *then = cst_past_read(past, cst_past_find(past, "identity", 0), &size);
  snprintf(what, sizeof what, "it");
  if (!then || !cst_snapshot_check(past->snapshot)) {
    snprintf(why, (size_t)n, "it is damaged");
    return false;
  }
  return cst_identity_same(then, identity, what, why, n);
}

static void open_pasts(verification *d, const char *path) {
  char               why[512];
  char              *run = cst_result_text(d->file, "/run", "id");
  char              *identity = cst_identity_text(d->plan, run ? run : "");
  char              *real = realpath(path, NULL);
  int                n;
  cst_snapshot_owner owner;
  cst_snapshot_own(&owner, real ? real : path, run ? run : "");
  (void)cst_snapshot_find(&owner);
  long *number = cst_snapshot_numbers(&owner, &n);
  for (int i = 0, found = 0; i < n && found < PASTS; i++) {
    cst_past *past = cst_past_create(d->plan);
    if (cst_past_open(d->plan, past, owner.path, number[i], why, sizeof why) &&
        is_usable(past, identity, why, sizeof why)) {
      d->past[found++] = past;
      continue;
    }
    fprintf(stderr, "constella: checkpoint %ld of %s is ignored: %s\n", number[i], path, why);
    cst_past_destroy(d->plan, past);
  }
  free(number);
  free(identity);
  free(run);
  free(real);
}

/* The piece of a checkpoint that contains the lane; -1: none. */
static int find_piece(const cst_past *past, int cohort, long lane) {
  for (int i = 0; past && i < past->npiece; i++) {
    const cst_stretch *s = &past->stretch[i];
    if (s->cohort == cohort && lane >= s->first && lane < s->first + s->count)
      return i;
  }
  return -1;
}

static void read_status(verification *d) {
  const char  *path = cst_channel_status.path;
  const long   start[2] = {0};
  const long   count[2] = {d->plan->ncase, d->plan->study->members};
  const size_t n = (size_t)(count[0] * count[1]);
  d->status = cst_need(malloc(n + 1));
  if (!cst_result_read_block(d->file, path, CST_TYPE_I8, start, count, d->status))
    memset(d->status, -1, n);
}

static void place(const verification *d, trajectory *t) {
  const cst_plan  *p = d->plan;
  const cst_past  *past = d->past[0];
  const int        cohort = p->class_of[t->icase];
  const cst_class *k = &p->classes[cohort];
  const long       lane = cst_plan_lane(p, t->icase, t->member);
  const int        piece = find_piece(past, cohort, lane);
  const bool       left_out = d->left_out && d->left_out[p->cases[t->icase].method];
  const bool       has_status = d->status[t->icase * p->study->members + t->member] >= 0;
  const bool       done = has_status || (past && past->lane[cohort][lane] == CST_LANE_DONE);
  t->work = (cst_work){.cohort = cohort, .first = lane, .count = 1, .piece = -1};
  t->work.cost = (double)k->n * k->cost;
  long first, count;
  cst_plan_own_lanes(p, cohort, &first, &count);
  if (lane < first || lane >= first + count)
    t->stage = ELSEWHERE;
  else if (left_out)
    t->stage = LEFT_OUT;
  else if (done) {
    t->stage = FINISHED;
    t->until = k->n;
  } else if (piece >= 0) {
    t->stage = MIDWAY;
    t->until = past->stretch[piece].step;
  }
}

/* Finds the newest checkpoint that has the trajectory at a step before `until`. */
static void find_origin(const verification *d, trajectory *t) {
  for (int i = 0; i < PASTS && !t->from; i++) {
    const int piece = find_piece(d->past[i], t->work.cohort, t->work.first);
    if (piece < 0 || d->past[i]->stretch[piece].step >= t->until)
      continue;
    t->from = d->past[i];
    t->begin = d->past[i]->stretch[piece].step;
    t->work.piece = piece;
    t->work.skip = t->work.first - d->past[i]->stretch[piece].first;
  }
}

static void prepare(verification *d, trajectory *t, bool from_start) {
  if (t->stage < MIDWAY)
    return;
  if (!from_start)
    find_origin(d, t);
  d->n++;
  d->total += (double)(t->until - t->begin) * d->plan->classes[t->work.cohort].cost;
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
 * drawn, but reported if asked for. */
static trajectory *choose(const verification *d, const cst_verify_choice *c, long *n) {
  const long     members = c->nmember ? c->nmember : d->plan->study->members;
  const long     all = (c->ncase ? c->ncase : d->plan->ncase) * members;
  unsigned char *may = cst_need(calloc((size_t)all + 1, 1));
  trajectory    *list = cst_zeros(all, sizeof *list);
  for (long i = 0; i < all; i++) {
    list[i].icase = c->ncase ? c->icase[i / members] : i / members;
    list[i].member = c->nmember ? c->member[i % members] : i % members;
    place(d, &list[i]);
    may[i] = !c->sample || list[i].stage >= MIDWAY;
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

/* ---- one after the other --------------------------------------------------------------------- */

static PetscErrorCode poll(void *context, double work, bool *stop) {
  verification *d = context;
  const double  now = MPI_Wtime();
  PetscFunctionBegin;
  *stop = false;
  d->done += work;
  if (now - d->told < tell_every)
    PetscFunctionReturn(0);
  d->told = now;
  fprintf(stderr, "verify: trajectory %ld of %ld, %.1f %% of the steps\n", d->at, d->n,
          100 * d->done / d->total);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_reference(verification *d, const trajectory *t) {
  const int variant = d->plan->cases[t->icase].variant;
  bool      stop = false;
  PetscFunctionBegin;
  unsigned char *known = &d->known[variant * d->plan->study->members + t->member];
  if (d->plan->study->reference != CST_REFERENCE_METHOD || *known)
    PetscFunctionReturn(0);
  PetscCall(cst_reference_compute_member(d->reference, variant, t->member, poll, d, &stop));
  *known = 1;
  PetscFunctionReturn(0);
}

/* A failed trajectory keeps only its last good state. Of a partner that was stopped on its way to the same
 * step, and of a step that was not observed yet, only the state is known. */
static long count_kept(const verification *d, const double *row, const cst_piece *p) {
  const bool failed = row[0] != 0;
  const bool follows = p->at.half_step != cst_runner_position(d->runner).half_step;
  return failed || follows || p->opens ? cst_runner_state_numbers(d->runner)
                                       : cst_runner_numbers(d->runner);
}

static PetscErrorCode compare_midway(verification *d, const trajectory *t) {
  cst_past     *past = d->past[0];
  const int     piece = find_piece(past, t->work.cohort, t->work.first);
  const double *kept = cst_past_rows(past, piece);
  const double *row;
  cst_bundle    b = {0};
  char          name[128];
  PetscFunctionBegin;
  PetscCheck(kept && past->piece[piece].numbers == cst_runner_numbers(d->runner), PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "checkpoint %ld was damaged or removed", past->number);
  kept += (t->work.first - past->stretch[piece].first) * past->piece[piece].numbers;
  cst_piece_pack(d->runner, &b);
  row = (const double *)(const void *)(b.bytes + sizeof(cst_section_head) + sizeof(cst_piece));
  snprintf(name, sizeof name, "step %ld in checkpoint %ld", t->until, past->number);
  cst_compare_numbers(&d->comparison, name, kept, row, count_kept(d, kept, &past->piece[piece]));
  cst_bundle_destroy(&b);
  PetscFunctionReturn(0);
}

static PetscErrorCode compute(verification *d, const trajectory *t) {
  cst_origin  origin;
  cst_origin *from = t->from ? &origin : NULL;
  bool        stop = false;
  PetscFunctionBegin;
  d->comparison = (cst_comparison){0};
  PetscCall(make_reference(d, t));
  PetscCheck(!from || cst_past_origin(t->from, &t->work, from), PETSC_COMM_SELF,
             PETSC_ERR_FILE_READ, "checkpoint %ld was damaged or removed", t->from->number);
  if (t->stage == FINISHED)
    PetscCall(cst_runner_batch(d->runner, &t->work, from, &stop));
  else {
    PetscCall(cst_runner_batch_to(d->runner, &t->work, from, t->until, &stop));
    PetscCall(compare_midway(d, t));
  }
  PetscFunctionReturn(0);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_trajectory(const cst_plan *p, const trajectory *t) {
  const cst_study *s = p->study;
  const cst_case  *c = &p->cases[t->icase];
  printf("case %ld (%s, step %.10g", t->icase, cst_method_label(s->method[c->method]),
         c->h_nominal);
  if (s->ntolerance > 1)
    printf(", tolerance %.10g", s->tolerance[c->tolerance]);
  for (int k = 0; k < s->system->npar; k++)
    if (cst_study_sweeps(s, k))
      printf(", %s = %.10g", s->system->parameter[k].name, cst_plan_parameters(p, c->variant)[k]);
  printf("), member %ld: ", t->member);
}

static void print_steps(const verification *d, const trajectory *t) {
  const signed char status = d->status[t->icase * d->plan->study->members + t->member];
  if (status > 0)
    printf(status == CST_NO_START ? "%s, no step" : "failed (%s) within ",
           cst_failure_word(status));
  if (status == CST_NO_START)
    return;
  printf("%ld steps from ", t->until - t->begin);
  if (t->from)
    printf("step %ld in checkpoint %ld", t->begin, t->from->number);
  else
    printf("the start");
  if (t->stage == MIDWAY)
    printf(" to step %ld in checkpoint %ld", t->until, d->past[0]->number);
}

static void print_result(const verification *d, const trajectory *t) {
  const cst_comparison *c = &d->comparison;
  print_trajectory(d->plan, t);
  if (t->stage == LEFT_OUT)
    printf("left out\n");
  else if (t->stage == ELSEWHERE)
    printf("in another part\n");
  else if (t->stage == OPEN)
    printf("not begun%s\n", d->past[0] ? "" : ", or not far enough for a checkpoint");
  else {
    print_steps(d, t);
    if (c->different)
      printf(": DIFFERENT, %ld of %ld numbers; first: %s\n", c->different, c->compared, c->first);
    else
      printf(": same bits\n");
  }
  fflush(stdout);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Reads the members that were chosen at the end of the run, as far as they are known. */
static PetscErrorCode read_chosen(verification *d) {
  const size_t      n = (size_t)d->plan->chosen;
  const cst_choice *by = cst_collector_choice(d->plan);
  PetscFunctionBegin;
  if (!by)
    PetscFunctionReturn(0);
  d->chosen = cst_need(calloc((size_t)d->plan->ncase * n + 1, sizeof *d->chosen));
  for (int i = 0; i < d->plan->ncase; i++)
    PetscCall(by->read(d->output, i, d->chosen + (size_t)i * n));
  cst_runner_choose(d->runner, d->chosen);
  PetscFunctionReturn(0);
}

static PetscErrorCode open_verification(verification *d) {
  char why[256];
  PetscFunctionBegin;
  d->known =
      cst_need(calloc((size_t)d->plan->study->nvariant * (size_t)d->plan->study->members, 1));
  d->reference = cst_reference_create(d->plan);
  d->tallies = cst_tallies_create(d->plan);
  d->told = MPI_Wtime();
  d->joined = cst_longer_joined(d->file, d->plan, why, sizeof why);
  PetscCheck(d->joined, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", why);
  PetscCall(cst_output_compare(d->plan, d->file, d->joined, &d->comparison, &d->output));
  PetscCall(
      cst_runner_create(d->plan, 1, d->reference, d->output, d->tallies, poll, d, &d->runner));
  PetscCall(read_chosen(d));
  PetscFunctionReturn(0);
}

static PetscErrorCode close_verification(verification *d) {
  bool closed;
  PetscFunctionBegin;
  PetscCall(cst_runner_destroy(&d->runner));
  PetscCall(cst_output_close(&d->output, NULL, &closed, NULL, NULL, 0));
  cst_tallies_destroy(d->tallies);
  cst_reference_destroy(d->reference);
  for (int i = 0; i < PASTS; i++)
    cst_past_destroy(d->plan, d->past[i]);
  free(d->known);
  free(d->joined);
  free(d->chosen);
  free(d->status);
  PetscFunctionReturn(0);
}

static void count(const verification *d, const trajectory *t, cst_verify_counts *c) {
  const bool computed = t->stage >= MIDWAY;
  c->open += t->stage == OPEN;
  c->left_out += t->stage == LEFT_OUT;
  c->joined += computed && t->member < d->joined[t->icase];
  c->same += computed && !d->comparison.different;
  c->different += computed && d->comparison.different;
  c->compared += computed ? d->comparison.compared : 0;
}

PetscErrorCode cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                          const cst_verify_choice *choice, cst_back_end *b,
                          cst_verify_counts *counts) {
  verification d = {.plan = p, .file = file, .left_out = choice->left_out};
  long         n;
  trajectory  *list;
  PetscFunctionBegin;
  open_pasts(&d, path);
  read_status(&d);
  list = choose(&d, choice, &n);
  for (long i = 0; i < n; i++)
    prepare(&d, &list[i], choice->from_start);
  PetscCall(cst_study_compile(s, p, d.total, b));
  PetscCall(open_verification(&d));
  for (long i = 0; i < n && !ferror(stdout); i++) {
    d.at += list[i].stage >= MIDWAY;
    if (list[i].stage >= MIDWAY)
      PetscCall(compute(&d, &list[i]));
    print_result(&d, &list[i]);
    count(&d, &list[i], counts);
  }
  PetscCall(close_verification(&d));
  free(list);
  PetscFunctionReturn(0);
}
