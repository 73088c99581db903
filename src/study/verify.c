/* verify.c: trajectories of a result computed again (see verify.h).
 *
 * Each is a batch of one lane, so that its neighbours are others than they were. What is finished is compared
 * with its rows; what is in the middle of its way in the newest checkpoint, with its numbers there. It is
 * computed from the last checkpoint before, if there is one that this build made, else from the start; errors
 * are taken against a reference of this member alone.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "core/need.h"
#include "study/identity.h"
#include "study/past.h"
#include "study/verify.h"

enum { MOST = 64, PASTS = 2 };
static const double tell_every = 10;

typedef enum { OPEN, LEFT_OUT, MIDWAY, FINISHED } stage; /* from MIDWAY on there is something to compare */

typedef struct {
  stage     stage;
  long      icase, member;
  cst_past *from;  /* NULL: the start */
  long      begin; /* its step there */
  long      until; /* the step that is compared */
  cst_work  work;
} trajectory;

typedef struct {
  const cst_plan *plan;
  cst_result     *file;
  cst_past       *past[PASTS]; /* of the newest whole checkpoints of this build, newest first; NULL: none */
  cst_reference  *reference;
  signed char    *status;   /* [ncase][members] of the file */
  const bool     *left_out; /* [nmethod]; NULL: none */
  unsigned char  *known;    /* [nvariant][members]: its reference states are in the table */
  cst_output     *output;
  cst_series     *series;
  cst_runner     *runner;
  long           *chosen;     /* [ncase][ntrajectory]: where the worst members are stored, those; else NULL */
  cst_comparison  comparison; /* of the trajectory at work */
  long            n, at;      /* trajectories to be computed, and the one at work */
  double          total, done, told;
} desk;

/* ---- where they stand
 * -------------------------------------------------------------------------------------------------------- */

/* Whether this build made the checkpoint, and every byte is as it was written. */
static bool is_usable(cst_past *past, const char *identity, char *why, int n) {
  char        what[64];
  size_t      size;
  const char *then = cst_past_read(past, cst_past_find(past, "identity", 0), &size);
  snprintf(what, sizeof what, "it");
  if (!then || !cst_snapshot_check(past->snapshot)) return snprintf(why, (size_t)n, "it is damaged"), false;
  return cst_identity_same(then, identity, what, why, n);
}

static void open_pasts(desk *d, const char *path) {
  long number[MOST];
  char why[512], *run = cst_result_text(d->file, "/run", "id"),
                 *identity = cst_identity_text(d->plan, run ? run : "");
  int n = cst_snapshot_list(path, number, MOST);
  for (int i = 0, found = 0; i < n && found < PASTS; i++) {
    cst_past *past = cst_past_create(d->plan);
    if (cst_past_open(d->plan, past, path, number[i], why, sizeof why) &&
        is_usable(past, identity, why, sizeof why)) {
      d->past[found++] = past;
      continue;
    }
    fprintf(stderr, "constella: checkpoint %ld of %s is left aside: %s\n", number[i], path, why);
    cst_past_destroy(d->plan, past);
  }
  free(identity);
  free(run);
}

/* The piece of a past that has the lane; -1: none. */
static int find_piece(const cst_past *past, int cohort, long lane) {
  for (int i = 0; past && i < past->npiece; i++) {
    const cst_stretch *s = &past->stretch[i];
    if (s->cohort == cohort && lane >= s->first && lane < s->first + s->count) return i;
  }
  return -1;
}

static void read_status(desk *d) {
  const long start[2] = {0}, count[2] = {d->plan->ncase, d->plan->study->members};
  d->status = cst_need(malloc((size_t)(count[0] * count[1]) + 1));
  if (!cst_result_read_block(d->file, cst_channel_path(CST_CHANNEL_STATUS), CST_TYPE_I8, start, count,
                             d->status))
    memset(d->status, -1, (size_t)(count[0] * count[1]));
}

static void place(const desk *d, trajectory *t) {
  const cst_plan  *p = d->plan;
  const int        cohort = p->class_of[t->icase];
  const cst_class *k = &p->classes[cohort];
  const long       lane = cst_plan_lane(p, t->icase, t->member);
  t->work =
      (cst_work){.cohort = cohort, .first = lane, .count = 1, .cost = (double)k->n * k->cost, .piece = -1};
  const int piece = find_piece(d->past[0], cohort, lane);
  if (d->left_out && d->left_out[p->cases[t->icase].method])
    t->stage = LEFT_OUT;
  else if (d->status[t->icase * p->study->members + t->member] >= 0 ||
           (d->past[0] && d->past[0]->lane[cohort][lane] == CST_LANE_DONE))
    t->stage = FINISHED, t->until = k->n;
  else if (piece >= 0)
    t->stage = MIDWAY, t->until = d->past[0]->stretch[piece].step;
}

/* The newest checkpoint that has the trajectory at a step before `until`. */
static void find_origin(const desk *d, trajectory *t) {
  for (int i = 0; i < PASTS && !t->from; i++) {
    const int piece = find_piece(d->past[i], t->work.cohort, t->work.first);
    if (piece < 0 || d->past[i]->stretch[piece].step >= t->until) continue;
    t->from = d->past[i];
    t->begin = d->past[i]->stretch[piece].step;
    t->work.piece = piece;
    t->work.skip = t->work.first - d->past[i]->stretch[piece].first;
  }
}

static void prepare(desk *d, trajectory *t, bool from_start) {
  if (t->stage < MIDWAY) return;
  if (!from_start) find_origin(d, t);
  d->n++;
  d->total += (double)(t->until - t->begin) * d->plan->classes[t->work.cohort].cost;
}

/* ---- which trajectories
 * ------------------------------------------------------------------------------------------------------ */

/* `sample` different ones of those that may be drawn, or all of these. */
static void draw(unsigned char *may, long n, long sample, uint64_t seed) {
  long left = 0;
  for (long i = 0; i < n; i++) left += may[i];
  if (sample >= left) return;
  unsigned char *drawn = cst_need(calloc((size_t)n, 1));
  for (long i = 0, got = 0; got < sample; i++) {
    const long k = (long)(cst_random_uniform(seed, (uint64_t)i, CST_PURPOSE_VERIFY, 0, 0) * (double)n);
    if (k >= n || drawn[k] || !may[k]) continue;
    drawn[k] = 1;
    got++;
  }
  memcpy(may, drawn, (size_t)n);
  free(drawn);
}

/* Of the chosen cases x members, in this order. What has not begun or is left out is never drawn, but named
 * where it was asked for. */
static trajectory *choose(const desk *d, const cst_verify_choice *c, long *n) {
  const long members = c->nmember ? c->nmember : d->plan->study->members,
             all = (c->ncase ? c->ncase : d->plan->ncase) * members;
  unsigned char *may = cst_need(calloc((size_t)all + 1, 1));
  trajectory    *list = cst_need(calloc((size_t)all + 1, sizeof *list));
  for (long i = 0; i < all; i++) {
    list[i].icase = c->ncase ? c->icase[i / members] : i / members;
    list[i].member = c->nmember ? c->member[i % members] : i % members;
    place(d, &list[i]);
    may[i] = !c->sample || list[i].stage >= MIDWAY;
  }
  if (c->sample) draw(may, all, c->sample, c->seed);
  *n = 0;
  for (long i = 0; i < all; i++)
    if (may[i]) list[(*n)++] = list[i];
  free(may);
  return list;
}

/* ---- one after the other
 * ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode poll(void *context, double work, bool *stop) {
  desk        *d = context;
  const double now = MPI_Wtime();
  PetscFunctionBegin;
  *stop = false;
  d->done += work;
  if (now - d->told < tell_every) PetscFunctionReturn(0);
  d->told = now;
  fprintf(stderr, "verify: trajectory %ld of %ld, %.1f %% of the steps\n", d->at, d->n,
          100 * d->done / d->total);
  PetscFunctionReturn(0);
}

static PetscErrorCode make_reference(desk *d, const trajectory *t) {
  const int variant = d->plan->cases[t->icase].variant;
  bool      stop = false;
  PetscFunctionBegin;
  unsigned char *known = &d->known[variant * d->plan->study->members + t->member];
  if (d->plan->study->reference != CST_REFERENCE_METHOD || *known) PetscFunctionReturn(0);
  PetscCall(cst_reference_compute_member(d->reference, variant, t->member, poll, d, &stop));
  *known = 1;
  PetscFunctionReturn(0);
}

/* A failed trajectory keeps only its last good state; a partner that was stopped on its way to the same step
 * is somewhere before it; and where nothing was looked at yet the state alone is known. */
static long count_kept(const desk *d, const double *row, const cst_piece *p) {
  const bool failed = row[0] != 0, follows = p->at.half_step != cst_runner_position(d->runner).half_step;
  return failed || follows || p->opens ? cst_runner_state_numbers(d->runner) : cst_runner_numbers(d->runner);
}

static PetscErrorCode compare_midway(desk *d, const trajectory *t) {
  cst_past     *past = d->past[0];
  const int     piece = find_piece(past, t->work.cohort, t->work.first);
  const double *kept = cst_past_rows(past, piece), *row;
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

static PetscErrorCode compute(desk *d, const trajectory *t) {
  cst_origin origin, *from = t->from ? &origin : NULL;
  bool       stop = false;
  PetscFunctionBegin;
  d->comparison = (cst_comparison){0};
  PetscCall(make_reference(d, t));
  PetscCheck(!from || cst_past_origin(t->from, &t->work, from), PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "checkpoint %ld was damaged or removed", t->from->number);
  if (t->stage == FINISHED)
    PetscCall(cst_runner_batch(d->runner, &t->work, from, &stop));
  else {
    PetscCall(cst_runner_batch_to(d->runner, &t->work, from, t->until, &stop));
    PetscCall(compare_midway(d, t));
  }
  PetscFunctionReturn(0);
}

/* ---- what is said
 * ------------------------------------------------------------------------------------------------------------
 */

static bool is_swept(const cst_study *s, int parameter) {
  const int npar = s->system->npar;
  bool      swept = false;
  for (int v = 1; v < s->nvariant; v++)
    swept |= s->parameter[v * npar + parameter] != s->parameter[parameter];
  return swept;
}

static void tell_who(const cst_plan *p, const trajectory *t) {
  const cst_study *s = p->study;
  const cst_case  *c = &p->cases[t->icase];
  printf("case %ld (%s, step %.10g", t->icase, cst_method_label(s->method[c->method]), c->h_nominal);
  if (s->ntolerance > 1) printf(", tolerance %.10g", s->tolerance[c->tolerance]);
  for (int k = 0; k < s->system->npar; k++)
    if (is_swept(s, k))
      printf(", %s = %.10g", s->system->parameter[k].name, cst_plan_parameters(p, c->variant)[k]);
  printf("), member %ld: ", t->member);
}

static void tell_way(const desk *d, const trajectory *t) {
  printf("%ld steps from ", t->until - t->begin);
  if (t->from)
    printf("step %ld in checkpoint %ld", t->begin, t->from->number);
  else
    printf("the start");
  if (t->stage == MIDWAY) printf(" to step %ld in checkpoint %ld", t->until, d->past[0]->number);
}

static void tell(const desk *d, const trajectory *t) {
  const cst_comparison *c = &d->comparison;
  tell_who(d->plan, t);
  if (t->stage == LEFT_OUT)
    printf("left out\n");
  else if (t->stage == OPEN)
    printf("not begun%s\n", d->past[0] ? "" : ", or not far enough for a checkpoint");
  else {
    tell_way(d, t);
    if (c->different)
      printf(": DIFFERENT, %ld of %ld numbers; first: %s\n", c->different, c->compared, c->first);
    else
      printf(": same bits\n");
  }
  fflush(stdout);
}

/* ---- all
 * ---------------------------------------------------------------------------------------------------------------------
 */

/* The worst members, as far as they are known. */
static PetscErrorCode read_chosen(desk *d) {
  const cst_study *s = d->plan->study;
  PetscFunctionBegin;
  if (!s->worst_by.text) PetscFunctionReturn(0);
  d->chosen = cst_need(calloc((size_t)d->plan->ncase * (size_t)s->ntrajectory + 1, sizeof *d->chosen));
  for (int i = 0; i < d->plan->ncase; i++)
    PetscCall(cst_output_read_chosen(d->output, i, d->chosen + (size_t)i * (size_t)s->ntrajectory));
  cst_runner_choose(d->runner, d->chosen);
  PetscFunctionReturn(0);
}

static PetscErrorCode open_desk(desk *d) {
  PetscFunctionBegin;
  d->known = cst_need(calloc((size_t)d->plan->study->nvariant * (size_t)d->plan->study->members, 1));
  d->reference = cst_reference_create(d->plan);
  d->series = cst_series_create(d->plan);
  d->told = MPI_Wtime();
  PetscCall(cst_output_compare(d->plan, d->file, &d->comparison, &d->output));
  PetscCall(cst_runner_create(d->plan, 1, d->reference, d->output, d->series, poll, d, &d->runner));
  PetscCall(read_chosen(d));
  PetscFunctionReturn(0);
}

static PetscErrorCode close_desk(desk *d) {
  bool closed;
  PetscFunctionBegin;
  PetscCall(cst_runner_destroy(&d->runner));
  PetscCall(cst_output_close(&d->output, NULL, &closed));
  cst_series_destroy(d->series);
  cst_reference_destroy(d->reference);
  for (int i = 0; i < PASTS; i++) cst_past_destroy(d->plan, d->past[i]);
  free(d->known);
  free(d->chosen);
  free(d->status);
  PetscFunctionReturn(0);
}

static void count(const desk *d, const trajectory *t, cst_verify_counts *c) {
  const bool computed = t->stage >= MIDWAY;
  c->open += t->stage == OPEN;
  c->left_out += t->stage == LEFT_OUT;
  c->same += computed && !d->comparison.different;
  c->different += computed && d->comparison.different;
  c->compared += computed ? d->comparison.compared : 0;
}

PetscErrorCode cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                          const cst_verify_choice *choice, cst_back_end *b, cst_verify_counts *counts) {
  desk        d = {.plan = p, .file = file, .left_out = choice->left_out};
  long        n;
  trajectory *list;
  PetscFunctionBegin;
  open_pasts(&d, path);
  read_status(&d);
  list = choose(&d, choice, &n);
  for (long i = 0; i < n; i++) prepare(&d, &list[i], choice->from_start);
  PetscCall(cst_study_compile(s, p, d.total, b));
  PetscCall(open_desk(&d));
  for (long i = 0; i < n; i++) {
    d.at += list[i].stage >= MIDWAY;
    if (list[i].stage >= MIDWAY) PetscCall(compute(&d, &list[i]));
    tell(&d, &list[i]);
    count(&d, &list[i], counts);
  }
  PetscCall(close_desk(&d));
  free(list);
  PetscFunctionReturn(0);
}
