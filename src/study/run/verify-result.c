/* verify-result.c: recomputes trajectories of a result (see verify-result.h).
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
#include "core/need.h"
#include "method/core.h"
#include "study/collect/continue-rows.h"
#include "study/result/failure.h"
#include "study/run/extend.h"
#include "study/run/identity.h"
#include "study/run/verify-internal.h"
#include "study/collector.h"

/* ---- one after the other --------------------------------------------------------------------- */

static cst_error poll(void *context, double work, bool *stop) {
  cst_verification *d = context;
  const double      now = MPI_Wtime();
  *stop = false;
  d->done += work;
  if (now - d->told < CST_VERIFY_TELL_EVERY)
    return 0;
  d->told = now;
  fprintf(stderr, "verify: trajectory %ld of %ld, %.1f %% of the steps\n", d->at, d->n,
          100 * d->done / d->total);
  return 0;
}

static cst_error make_reference(cst_verification *d, const cst_verify_trajectory *t) {
  const int      variant = d->plan->cases[t->icase].variant;
  bool           stop = false;
  unsigned char *known = &d->known[variant * d->plan->study->members + t->member];
  if (d->plan->study->reference != CST_REFERENCE_METHOD || *known)
    return 0;
  CST_TRY(cst_reference_compute_member(d->reference, variant, t->member, poll, d, &stop));
  *known = 1;
  return 0;
}

/* A failed trajectory keeps only its last good state. Of a partner that was stopped on its way to the same
 * step, and of a step that was not observed yet, only the state is known. */
static long count_kept(const cst_verification *d, const double *row, const cst_lane_rows *p) {
  const bool failed = row[0] != 0;
  const bool follows = p->at.half_step != cst_runner_position(d->runner).half_step;
  return failed || follows || p->opens ? cst_runner_state_numbers(d->runner)
                                       : cst_runner_numbers(d->runner);
}

static cst_error compare_midway(cst_verification *d, const cst_verify_trajectory *t) {
  cst_checkpoint *checkpoint = d->checkpoint[0];
  const int       saved = cst_verify_find(checkpoint, t->work.class, t->work.first);
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

static cst_error compute(cst_verification *d, const cst_verify_trajectory *t) {
  cst_origin  origin;
  cst_origin *from = t->from ? &origin : NULL;
  bool        stop = false;
  d->comparison = (cst_comparison){.tolerance = d->tolerance};
  CST_TRY(make_reference(d, t));
  CST_CHECK(!from || cst_checkpoint_origin(t->from, &t->work, from), MPI_COMM_SELF,
            CST_ERR_FILE_READ, "checkpoint %ld was damaged or removed", t->from->number);
  if (t->stage == CST_VERIFY_FINISHED)
    CST_TRY(cst_runner_batch(d->runner, &t->work, from, &stop));
  else {
    CST_TRY(cst_runner_batch_to(d->runner, &t->work, from, t->until, &stop));
    CST_TRY(compare_midway(d, t));
  }
  return 0;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_trajectory(const cst_plan *p, const cst_verify_trajectory *t) {
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

static void print_steps(const cst_verification *d, const cst_verify_trajectory *t) {
  const signed char status = d->status[t->icase * d->plan->study->members + t->member];
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
  if (t->stage == CST_VERIFY_MIDWAY)
    printf(" to step %ld in checkpoint %ld", t->until, d->checkpoint[0]->number);
}

static void print_result(const cst_verification *d, const cst_verify_trajectory *t) {
  const cst_comparison *c = &d->comparison;
  print_trajectory(d->plan, t);
  if (t->stage == CST_VERIFY_LEFT_OUT)
    printf("left out\n");
  else if (t->stage == CST_VERIFY_ELSEWHERE)
    printf("in another part\n");
  else if (t->stage == CST_VERIFY_OPEN)
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
static cst_error read_chosen(cst_verification *d) {
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

static cst_error open_verification(cst_verification *d) {
  char why[256];
  d->known =
      cst_need(calloc((size_t)d->plan->study->nvariant * (size_t)d->plan->study->members, 1));
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

static cst_error close_verification(cst_verification *d) {
  bool closed;
  CST_TRY(cst_runner_destroy(&d->runner));
  CST_TRY(cst_output_close(&d->output, NULL, &closed, NULL, NULL, 0));
  cst_tallies_destroy(d->tallies);
  cst_reference_destroy(d->reference);
  for (int i = 0; i < CST_VERIFY_CHECKPOINTS; i++)
    cst_checkpoint_destroy(d->plan, d->checkpoint[i]);
  free(d->known);
  free(d->joined);
  free(d->chosen);
  free(d->status);
  return 0;
}

static void count(const cst_verification *d, const cst_verify_trajectory *t, cst_verify_counts *c) {
  const bool computed = t->stage >= CST_VERIFY_MIDWAY;
  c->open += t->stage == CST_VERIFY_OPEN;
  c->left_out += t->stage == CST_VERIFY_LEFT_OUT;
  c->joined += computed && t->member < d->joined[t->icase];
  c->same += computed && !d->comparison.different;
  c->different += computed && d->comparison.different;
  c->compared += computed ? d->comparison.compared : 0;
}

/* ---- sums over members ------------------------------------------------------------------------- */

/* Whether the sums of a finished file are of as many terms as its rows tell, and what is made of them is. The terms
 * themselves are not in the file. */
static cst_error compare_sums(cst_verification *d, cst_verify_counts *c) {
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

/* ---- the table --------------------------------------------------------------------------------- */

/* Of methods left out the plan does not know all that the table tells. */
static bool has_table(const cst_verification *d) {
  bool out = false;
  for (int i = 0; d->left_out && i < d->plan->study->nmethod; i++)
    out |= d->left_out[i];
  return !out && !strcmp(cst_result_state(d->file), "complete");
}

cst_error cst_verify(cst_study *s, const cst_plan *p, cst_result *file, const char *path,
                     const cst_verify_choice *choice, cst_back_end *b, cst_verify_counts *counts) {
  cst_verification d = {
      .plan = p, .file = file, .left_out = choice->left_out, .tolerance = choice->tolerance};
  long                   n;
  cst_verify_trajectory *list;
  cst_verify_open(&d, path);
  list = cst_verify_list(&d, choice, &n);
  for (long i = 0; i < n; i++)
    cst_verify_prepare(&d, &list[i], choice->from_start);
  CST_TRY(cst_study_compile(s, p, d.total, b));
  CST_TRY(open_verification(&d));
  for (long i = 0; i < n && !ferror(stdout); i++) {
    d.at += list[i].stage >= CST_VERIFY_MIDWAY;
    if (list[i].stage >= CST_VERIFY_MIDWAY)
      CST_TRY(compute(&d, &list[i]));
    print_result(&d, &list[i]);
    count(&d, &list[i], counts);
  }
  CST_TRY(compare_sums(&d, counts));
  if (has_table(&d))
    CST_TRY(cst_verify_table(&d, counts));
  CST_TRY(close_verification(&d));
  free(list);
  return 0;
}
