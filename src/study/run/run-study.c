/* run-study.c: runs a study from its plan to the finished file: reference, batches, sums over members,
 * conclusions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/run-study.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/collect/continue-rows.h"
#include "study/plan/division.h"
#include "study/result/case-rows.h"
#include "study/result/conclude.h"
#include "study/result/found.h"
#include "study/run/extend.h"
#include "study/run/identity.h"
#include "study/run/run-control.h"
#include "study/run/run-notes.h"
#include "study/run/stop.h"

/* ---- warnings, printed and kept -------------------------------------------------------------- */

const cst_warning_row cst_warning_rows[CST_WARNINGS] = {
    [CST_WARNS_REFERENCE_STEP] = {"reference_step", "reference", false},
    [CST_WARNS_COMPILE] = {"not_compiled", "compiler", false},
    [CST_WARNS_BUILD] = {"other_build", "build", true},
    [CST_WARNS_ROWS] = {"rows_left_out", "extended", true},
    [CST_WARNS_REFERENCE] = {"reference_again", "reference", false},
    [CST_WARNS_ENERGY] = {"energy_changed", "energy", false},
    [CST_WARNS_RANK] = {"rank_lost", "rank", false},
    [CST_WARNS_PASSED] = {"passed_singular", "passed", false},
};

void cst_warning_print(const char *text) { fprintf(stderr, "constella: warning: %s\n", text); }

/* On rank 0: prints a warning, if text is not empty, and keeps it in the result. */
static void warn_and_keep(cst_output *o, cst_warning w, const char *text) {
  if (!*text)
    return;
  cst_output_text(o, "/run", cst_warning_rows[w].attribute, text);
  cst_warning_print(text);
}

/* Collective, when the file is made or opened again; first: it is new, and gets the attributes. Keeps those of `early`, and removes
 * those of an earlier attempt that this one finds again if they are still true. */
static void keep_early_warnings(cst_output *o, const cst_warnings *early, bool first) {
  for (int w = 0; w < CST_WARNINGS; w++) {
    const cst_warning_row *row = &cst_warning_rows[w];
    if (first)
      cst_output_room(o, "/run", row->attribute, CST_WARNING_WIDTH);
    if (first || !row->stays)
      cst_output_text(o, "/run", row->attribute, early->text[w]);
  }
}

/* ---- conclusions ----------------------------------------------------------------------------- */

/* The last phase of a run: the ranks conclude the cases, and write their rows of the table.
 *
 * A share is a range of cases, in whole groups of those that differ only in the step. Its values depend on the
 * rows of these cases alone, so they are the same on any rank. A share whose columns are written is reported to
 * the next checkpoint, and a resumed run leaves it out. Of a part of a study only the failures are counted: its
 * columns are made when the parts are merged.
 */

typedef struct {
  const cst_plan       *plan;
  cst_output           *output;
  const cst_checkpoint *checkpoint;
  cst_conclusion       *table;
  cst_case_rows        *rows;
  cst_run_control      *control;
  cst_failures          failures; /* of the cases of this rank */
  cst_energy_leaps      leaps;
  cst_rank_losses       losses, passed;
  double                cost; /* of a case */
} work;

static cst_error conclude_cases(work *d, int first, int until, bool *stop) {
  const int steps = d->plan->study->steps.n;
  for (int i = first; i < until && !*stop; i++) {
    CST_TRY(cst_conclude_case(d->table, d->rows, i));
    if ((i + 1) % steps == 0)
      CST_TRY(cst_conclude_steps(d->table, d->rows, i + 1 - steps));
    CST_TRY(cst_run_control_poll(d->control, d->cost, stop));
  }
  return 0;
}

static cst_error conclude_share(void *context, int share, bool *stop) {
  work     *d = context;
  const int cases = cst_plan_conclusion_cases(d->plan);
  const int first = share * cases;
  const int until = CST_SMALLER(first + cases, d->plan->ncase);
  cst_case_rows_ahead(d->rows, until);
  if (!d->checkpoint->concluded[share] && !d->plan->part) {
    CST_TRY(conclude_cases(d, first, until, stop));
    if (*stop)
      return 0;
    CST_TRY(cst_conclude_write(d->table, d->output, first, until - first));
    cst_run_control_concluded(d->control, share);
  }
  for (int i = first; i < until; i++) {
    CST_TRY(cst_conclude_count(d->rows, i, &d->failures));
    CST_TRY(cst_energy_leap_look(d->rows, i, &d->leaps));
    CST_TRY(cst_rank_loss_look(d->rows, i, &d->losses));
    CST_TRY(cst_rank_loss_passed(d->rows, i, &d->passed));
  }
  return 0;
}

/* Warns of what was found beside the table. */
static cst_error warn_of_findings(work *d) {
  char text[CST_WARNING_WIDTH] = "";
  CST_TRY(cst_energy_leap_tell(d->plan, &d->leaps, text, sizeof text));
  warn_and_keep(d->output, CST_WARNS_ENERGY, text);
  CST_TRY(cst_rank_loss_tell(d->plan, &d->losses, text));
  warn_and_keep(d->output, CST_WARNS_RANK, text);
  CST_TRY(cst_rank_loss_tell_passed(d->plan, &d->passed, text));
  warn_and_keep(d->output, CST_WARNS_PASSED, text);
  return 0;
}

/* Collective; when all rows are finished. Goes on where the earlier run stopped. reference_error: see
 * cst_reference_errors. *failures: how all trajectories ended, on every rank; set if *end is CST_END_DONE. */
static cst_error conclude_all(const cst_plan *p, cst_output *o, const cst_checkpoint *checkpoint,
                              const double *reference_error, cst_conclusion *table,
                              cst_run_control *k, cst_failures *failures, cst_end *end) {
  work d = {.plan = p, .output = o, .checkpoint = checkpoint, .table = table, .control = k};
  int  rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  d.cost = cst_plan_conclusion_cost(p);
  CST_TRY(cst_output_flush(o)); /* a rank reads rows that others have written */
  CST_TRY(cst_case_rows_create(p, o, reference_error, &d.rows));
  CST_TRY(cst_run_control_phase(k, CST_PHASE_CONCLUSIONS, cst_plan_conclusion_shares(p),
                                conclude_share, &d, end));
  CST_TRY(cst_case_rows_destroy(&d.rows));
  if (*end != CST_END_DONE)
    return 0;
  CST_TRY_MPI(MPI_Allreduce(&d.failures, failures, CST_FAILURES, MPI_LONG, MPI_SUM, cst_world));
  CST_TRY(warn_of_findings(&d));
  if (rank == 0 && !p->part)
    CST_TRY(cst_conclude_table(table, o));
  return 0;
}

/* ---- chosen members once more ---------------------------------------------------------------- */

/* Steps members of every case once more that are chosen when all have run (cst_choice).
 *
 * Trajectories have the same bits whenever they are computed, so that what is kept of the chosen ones alone need
 * not be kept of others. Failed members are not chosen unless a collector says so.
 */

typedef struct {
  double size;
  long   member;
} entry;

static int worse(const void *a, const void *b) {
  const entry *x = a;
  const entry *y = b;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return (x->member > y->member) - (x->member < y->member);
}

static cst_error choose_of(const cst_choice *by, cst_output *o, const cst_plan *p, int icase,
                           long *member) {
  const long     members = p->study->ensemble.members;
  cst_case_rows *rows;
  double        *size = cst_zeros(members, sizeof *size);
  entry         *list = cst_zeros(members, sizeof *list);
  long           n = 0;
  CST_TRY(cst_case_rows_create(p, o, NULL, &rows));
  CST_TRY(cst_case_rows_open(rows, icase));
  CST_TRY(by->sizes(rows, size));
  for (long m = 0; m < members; m++)
    if (!isnan(size[m]))
      list[n++] = (entry){size[m], m};
  qsort(list, (size_t)n, sizeof *list, worse);
  for (long i = 0; i < p->chosen; i++)
    if (i < n)
      member[i] = list[i].member;
    else
      member[i] = -1;
  CST_TRY(cst_case_rows_destroy(&rows));
  free(size);
  free(list);
  return 0;
}

typedef struct {
  const cst_choice *by;
  const cst_plan   *plan;
  cst_output       *output;
  cst_runner       *runner;
  long             *member; /* [ncase][chosen] */
  signed char      *open;   /* [ncase] */
} replay;

/* On rank 0, which has also read the rows of every case for its conclusions. */
static cst_error choose(replay *d) {
  const int n = d->plan->chosen;
  for (int i = 0; i < d->plan->ncase; i++) {
    long *there = d->member + (size_t)i * (size_t)n;
    CST_TRY(d->by->read(d->output, i, there));
    d->open[i] = there[0] < 0;
    if (d->open[i])
      CST_TRY(choose_of(d->by, d->output, d->plan, i, there));
  }
  return 0;
}

/* The members are written after what is kept of them is on disk: a case with members is complete. */
static cst_error replay_case(void *context, int i, bool *stop) {
  replay     *d = context;
  const int   most = d->plan->chosen;
  const long *member = d->member + (size_t)i * (size_t)most;
  int         n = 0;
  char        why[256];
  while (n < most && member[n] >= 0)
    n++;
  if (!d->open[i] || n == 0)
    return 0;
  CST_TRY(cst_runner_replay(d->runner, i, member, n, stop));
  if (*stop)
    return 0;
  CST_CHECK(cst_output_sync(d->output, why, sizeof why), MPI_COMM_SELF, CST_ERR_FILE_WRITE, "%s",
            why);
  CST_TRY(d->by->write(d->output, i, member));
  return 0;
}

/* Collective, after all batches: chooses the members, if a collector does in this study, computes and writes what
 * is kept of them. Cases that are complete in the file are left as they are. */
static cst_error cst_replay(const cst_plan *p, cst_output *o, cst_runner *r, cst_run_control *k,
                            cst_end *end) {
  const size_t n = (size_t)p->ncase * (size_t)p->chosen;
  replay       d = {.by = cst_collector_choice(p), .plan = p, .output = o, .runner = r};
  int          rank;
  if (!d.by)
    return 0;
  d.member = cst_zeros(n, sizeof *d.member);
  d.open = cst_zeros(p->ncase, 1);
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  if (rank == 0)
    CST_TRY(choose(&d));
  CST_TRY_MPI(MPI_Bcast(d.member, (int)n, MPI_LONG, 0, cst_world));
  CST_TRY_MPI(MPI_Bcast(d.open, p->ncase, MPI_BYTE, 0, cst_world));
  cst_runner_choose(r, d.member);
  CST_TRY(cst_run_control_phase(k, CST_PHASE_REPLAY, p->ncase, replay_case, &d, end));
  cst_runner_choose(r, NULL);
  free(d.member);
  free(d.open);
  return 0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Steps of a class that were computed for this file. */
static double computed(const cst_plan *p, const cst_extension *e, int class) {
  long first, count;
  cst_plan_own_lanes(p, class, &first, &count);
  return e ? cst_extend_steps(e, class) : (double)count * (double)p->classes[class].n;
}

static cst_error write_rates(const cst_plan *p, cst_output *o, const cst_extension *e,
                             const cst_runner *runner, double *seconds) {
  double *all, *rate, busy = 0, least, most;
  int     rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  all = cst_zeros(p->nclass, sizeof *all);
  rate = cst_zeros(p->ncase, sizeof *rate);
  for (int k = 0; k < p->nclass; k++)
    busy += cst_runner_seconds(runner, k);
  CST_TRY_MPI(MPI_Allreduce(&busy, &least, 1, MPI_DOUBLE, MPI_MIN, cst_world));
  CST_TRY_MPI(MPI_Allreduce(&busy, &most, 1, MPI_DOUBLE, MPI_MAX, cst_world));
  /* the computing times of the least and the most busy rank */
  cst_output_number(o, "/run", "busy_seconds_least", least);
  cst_output_number(o, "/run", "busy_seconds_most", most);
  CST_TRY_MPI(MPI_Reduce(seconds, all, p->nclass, MPI_DOUBLE, MPI_SUM, 0, cst_world));
  for (int i = 0; i < p->ncase; i++) {
    const double steps = computed(p, e, p->class_of[i]);
    rate[i] = steps > 0 ? steps / all[p->class_of[i]] : NAN;
  }
  if (rank == 0)
    CST_TRY(cst_output_rates(o, rate));
  free(all);
  free(rate);
  return 0;
}

/* ---- the work -------------------------------------------------------------------------------- */

typedef struct {
  const cst_plan      *plan;
  const cst_agenda    *agenda;
  cst_output          *output;
  cst_reference       *reference;
  cst_tallies         *tallies;
  cst_checkpoint      *checkpoint;
  cst_runner          *runner;
  cst_run_control     *control;
  const cst_extension *extension;
  const cst_merge     *merge;
  cst_conclusion      *table;
  double              *rows;         /* from which a batch continues */
  double              *least, *most; /* [nclass] seconds per trajectory */
} computation;

static cst_error compute_item(void *context, int i, bool *stop) {
  computation *d = context;
  const void  *midway;
  size_t       size = 0;
  CST_CHECK(cst_checkpoint_midway(d->checkpoint, i, &midway, &size), MPI_COMM_SELF,
            CST_ERR_FILE_READ, "checkpoint %ld was damaged or removed during the run",
            d->checkpoint->number);
  CST_TRY(
      cst_reference_compute(d->reference, i, midway, size, cst_run_control_poll, d->control, stop));
  return 0;
}

/* Continues a batch of an extension to a later end, from the rows in the extended file, which are all at the
 * same step. The new file may have rows too, those of trajectories that reached the new end before the run
 * was killed: what they added to sums over members is lost, so they are computed again. */
static cst_error continue_batch(computation *d, const cst_work *w, bool *stop) {
  const cst_class *k = &d->plan->classes[w->class];
  const long       members = d->plan->study->ensemble.members;
  const long       width =
      (long)cst_channels_find(cst_output_channels(d->output), &cst_channel_continue, 0)->count;
  d->rows = cst_need(realloc(d->rows, sizeof *d->rows * (size_t)(w->count * width)));
  double *x = d->rows;
  for (long l = 0; l < w->count; l++) {
    const long lane = w->first + l;
    double    *row = x + l * width;
    CST_TRY(cst_extend_row(d->extension, d->output, k->cases[lane / members], lane % members, row));
    CST_CHECK(cst_continue_alike(x, row), MPI_COMM_SELF, CST_ERR_FILE_UNEXPECTED,
              "%s of the file: case %d, member %ld is at another step than its batch",
              cst_channel_continue.path, k->cases[lane / members], lane % members);
  }
  const long       numbers = (long)x[CST_CONTINUE_NUMBERS];
  const cst_origin from = {cst_continue_position(d->plan, k, x), numbers, x, true};
  for (long l = 0; l < w->count; l++)
    memmove(x + l * numbers, x + l * width + CST_CONTINUE_HEAD, sizeof *x * (size_t)numbers);
  CST_TRY(cst_runner_batch(d->runner, w, &from, stop));
  return 0;
}

static cst_error compute_batch(void *context, int i, bool *stop) {
  computation    *d = context;
  const cst_work *w = &d->agenda->work[i];
  cst_origin      from;
  CST_CHECK(w->saved < 0 || cst_checkpoint_origin(d->checkpoint, w, &from), MPI_COMM_SELF,
            CST_ERR_FILE_READ, "checkpoint %ld was damaged or removed during the run",
            d->checkpoint->number);
  if (w->saved < 0 && d->extension && d->extension->continues)
    CST_TRY(continue_batch(d, w, stop));
  else
    CST_TRY(cst_runner_batch(d->runner, w, w->saved < 0 ? NULL : &from, stop));
  if (!*stop)
    cst_run_control_finished(d->control, w);
  return 0;
}

static cst_error time_class(void *context, int i, bool *stop) {
  computation *d = context;
  double       least, most;
  long         lanes;
  CST_TRY(cst_runner_time(d->runner, i, d->plan->study->run.timing_repeats, &least, &most, &lanes,
                          stop));
  d->least[i] = least / (double)lanes;
  d->most[i] = most / (double)lanes;
  return 0;
}

/* Each class is timed by one rank. Checkpoints do not hold times: a resumed run times all classes. */
static cst_error time_classes(computation *d, cst_end *end) {
  const cst_plan *p = d->plan;
  double         *both, *icase;
  int             rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  both = cst_zeros(2 * p->nclass, sizeof *both);
  icase = cst_zeros(p->ncase, sizeof *icase);
  d->least = both;
  d->most = both + p->nclass;
  CST_TRY(cst_run_control_phase(d->control, CST_PHASE_TIMING, p->nclass, time_class, d, end));
  CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, both, 2 * p->nclass, MPI_DOUBLE, MPI_MAX, cst_world));
  for (int k = 0; k < 2 && rank == 0 && *end == CST_END_DONE; k++) {
    for (int i = 0; i < p->ncase; i++)
      icase[i] = both[k * p->nclass + p->class_of[i]];
    CST_TRY(cst_output_times(d->output, k ? &cst_channel_cpu_most : &cst_channel_cpu, icase));
  }
  free(both);
  free(icase);
  return 0;
}

/* On rank 0: warns how many members of the reference stopped at its own step. */
static void tell_reference(const computation *d) {
  const cst_study *s = d->plan->study;
  const long       n = cst_reference_again(d->reference);
  char             text[160];
  int              rank;
  MPI_Comm_rank(cst_world, &rank);
  if (rank || !n)
    return;
  snprintf(text, sizeof text,
           "reference: %ld of %ld trajectories stopped at the step %.5g%s, and were taken with "
           "smaller ones",
           n, s->ensemble.members * s->problem.nvariant, s->reference.step,
           cst_system_unit(s->problem.system, "time"));
  warn_and_keep(d->output, CST_WARNS_REFERENCE, text);
}

static cst_error conclude(computation *d, cst_failures *failures, cst_end *end) {
  const size_t n = (size_t)d->plan->study->problem.nvariant * CST_ERRORS;
  double      *error;
  error = cst_zeros(n, sizeof *error);
  cst_reference_errors(d->reference, error);
  CST_TRY(
      conclude_all(d->plan, d->output, d->checkpoint, error, d->table, d->control, failures, end));
  free(error);
  return 0;
}

static cst_error compute_batches(computation *d, cst_failures *failures, cst_end *end) {
  double *seconds;
  long   *joined;
  int     rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY(cst_reference_gather(d->reference, cst_world));
  CST_TRY(cst_runner_create(d->plan, d->agenda->batch, d->reference, d->output, d->tallies,
                            cst_run_control_poll, d->control, &d->runner));
  cst_runner_halt_by(d->runner, cst_run_control_halts, cst_run_control_pauses);
  cst_run_control_watch(d->control, d->runner);
  CST_TRY(cst_run_control_phase(d->control, CST_PHASE_STEPS, d->agenda->n, compute_batch, d, end));
  if (*end == CST_END_DONE && !d->plan->part)
    CST_TRY(cst_replay(d->plan, d->output, d->runner, d->control, end));
  if (*end == CST_END_DONE && !d->plan->part && d->plan->study->run.timing_repeats)
    CST_TRY(time_classes(d, end));
  if (*end == CST_END_DONE)
    CST_TRY(conclude(d, failures, end));
  if (*end == CST_END_DONE) {
    tell_reference(d);
    cst_stop_grace(20); /* the rest usually takes moments */
    seconds = cst_zeros(d->plan->nclass + 1, sizeof *seconds);
    CST_TRY(cst_run_control_gather(d->control, seconds));
    if (d->merge && rank == 0)
      CST_TRY(cst_merge_seconds(d->merge, seconds));
    joined = d->extension ? cst_extend_joined(d->extension) : NULL;
    CST_TRY(cst_tallies_finish(d->tallies, cst_world, joined, d->output));
    free(joined);
    CST_TRY(write_rates(d->plan, d->output, d->extension, d->runner, seconds));
    free(seconds);
  }
  CST_TRY(cst_runner_destroy(&d->runner));
  return 0;
}

/* Says that rows of the extended file are left out. */
static cst_error warn_of_rows(cst_output *o) {
  char text[CST_WARNING_WIDTH] = "";
  int  narrow = cst_output_is_narrow(o);
  int  rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &narrow, 1, MPI_INT, MPI_MAX, cst_world));
  if (narrow && rank == 0)
    snprintf(text, sizeof text,
             "%s of the file has another width; the trajectories that are taken over cannot go on "
             "to a later end",
             cst_channel_continue.path);
  warn_and_keep(o, CST_WARNS_ROWS, text);
  return 0;
}

/* Copies rows and sums from the extended file, or from the parts of the study, into a new one; later checkpoints
 * contain them. */
static cst_error take_over(computation *d, const cst_run_options *options) {
  int rank;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  cst_reference_scratch(d->reference, d->checkpoint->lane);
  if (options->merge && options->resume.start == CST_START_ANEW)
    CST_TRY(cst_merge_rows(options->merge, d->output, d->tallies));
  if (!d->extension || options->resume.start != CST_START_ANEW)
    return 0;
  CST_TRY(cst_extend_rows(d->extension, d->output));
  CST_TRY(warn_of_rows(d->output));
  if (rank == 0)
    CST_TRY(cst_extend_tallies(d->extension, d->tallies));
  return 0;
}

static cst_error work_all(const cst_plan *p, const cst_agenda *a, cst_output *o,
                          cst_checkpoint *checkpoint, const cst_run_options *options,
                          cst_conclusion *table, cst_run_end *run) {
  const double            before = cst_run_notes_work_before(p, a, checkpoint);
  char                   *identity = cst_identity_text(p, options->resume.run);
  cst_run_control_options keep = {.path = options->output,
                                  .identity = identity,
                                  .seconds = options->checkpoint_seconds,
                                  .lock = options->lock,
                                  .number = options->resume.until,
                                  .deadline = options->deadline};
  computation             d = {.plan = p,
                               .agenda = a,
                               .output = o,
                               .reference = cst_reference_create(p),
                               .tallies = cst_tallies_create(p),
                               .checkpoint = checkpoint,
                               .extension = options->extension,
                               .merge = options->merge,
                               .table = table};
  cst_coordinator        *c;
  double                  left[CST_PHASES];
  cst_snapshot_own(&keep.owner, options->path, options->resume.run);
  CST_TRY(take_over(&d, options));
  cst_run_notes_left(p, a, checkpoint, left);
  CST_TRY(cst_coordinator_create(cst_world, options->progress, left, before, &c));
  CST_TRY(cst_run_control_create(cst_world, p, &keep, c, o, checkpoint, d.reference, d.tallies,
                                 &d.control));
  cst_checkpoint_release_lanes(p, checkpoint);
  d.reference->halt = cst_run_control_halts;
  d.reference->halt_context = d.control;
  cst_stop_grace(0); /* from here on slices of work poll for signals */
  CST_TRY(cst_run_control_phase(d.control, CST_PHASE_REFERENCE, cst_reference_items(d.reference),
                                compute_item, &d, &run->end));
  if (run->end == CST_END_DONE)
    CST_TRY(compute_batches(&d, &run->failures, &run->end));
  run->failed = cst_failures_total(&run->failures);
  run->share = run->end == CST_END_DONE ? 1 : cst_coordinator_share(c);
  cst_run_control_report(d.control, run);
  CST_TRY(cst_run_control_destroy(&d.control));
  CST_TRY(cst_coordinator_destroy(&c));
  free(d.rows);
  cst_tallies_destroy(d.tallies);
  cst_reference_destroy(d.reference);
  free(identity);
  return 0;
}

/* Creates a file, with everything known before the first step, or reopens that of an earlier run and updates
 * a few attributes. *agreed: where it fails, whether it does so on all ranks. */
static cst_error open_output(const cst_plan *p, const cst_agenda *a,
                             const cst_checkpoint *checkpoint, const cst_run_options *options,
                             const cst_columns *columns, cst_output **o, bool *agreed) {
  const bool again = options->resume.start == CST_START_ANEW;
  int        rank, ranks;
  *agreed = true;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  CST_TRY_MPI(MPI_Comm_size(cst_world, &ranks));
  CST_TRY(
      cst_output_create(p, options->path, options->output, options->resume.run, again, columns, o));
  if (again) {
    cst_run_notes_study(*o, p->study);
    cst_run_notes_part(*o, p);
    cst_run_notes_engine(*o, p);
    cst_run_notes_first(*o, options);
    cst_run_notes_columns(*o, p, columns);
    if (options->extension && options->extension->continues)
      cst_output_note(*o, "/", "continued", options->extension->origin);
  }
  cst_run_notes_this(*o, p, a, checkpoint, &options->resume, ranks);
  keep_early_warnings(*o, &options->warnings, again);
  /* so that an unfinished file has its labels */
  if (again && rank == 0)
    CST_TRY(cst_output_columns(*o, columns, 0, p->ncase));
  CST_TRY(cst_output_flush(*o));
  *agreed = false;
  if (rank == 0)
    CST_TRY(cst_output_share(*o, cst_run_notes_work_before(p, a, checkpoint)));
  return 0;
}

/* On rank 0, when the file has its name: locks it, and removes the checkpoints of the result that it replaces,
 * and damaged ones. */
static cst_error settle_in(const cst_run_options *options) {
  cst_snapshot_owner owner;
  char               why[512];
  if (options->resume.start == CST_START_ANEW)
    CST_CHECK(!options->lock || cst_lock_hold(options->lock, options->path, false, why, sizeof why),
              MPI_COMM_SELF, CST_ERR_FILE_OPEN, "%s: %s", options->output, why);
  cst_snapshot_own(&owner, options->path, options->resume.replaces);
  if (*owner.token)
    cst_snapshot_remove_newer(&owner, 0);
  cst_snapshot_own(&owner, options->path, options->resume.run);
  cst_snapshot_remove_newer(&owner, options->resume.number);
  return 0;
}

/* What the file says of itself when it is closed. */
static const char *state_of(const cst_plan *p, cst_end end) {
  if (end != CST_END_DONE)
    return "interrupted";
  return p->part ? "part" : "complete";
}

cst_error cst_run(const cst_plan *p, const cst_agenda *agenda, cst_checkpoint *checkpoint,
                  const cst_run_options *options, cst_run_end *run) {
  cst_conclusion *table = cst_conclude_create(p);
  cst_output     *o;
  int             rank;
  char            text[32], why[512];
  bool            finished;
  CST_TRY_MPI(MPI_Comm_rank(cst_world, &rank));
  const cst_error bad =
      open_output(p, agenda, checkpoint, options, cst_conclude_columns(table), &o, &run->agreed);
  if (bad)
    cst_conclude_destroy(table);
  CST_TRY(bad);
  if (rank == 0)
    CST_TRY(settle_in(options));
  CST_TRY(work_all(p, agenda, o, checkpoint, options, table, run));
  cst_run_notes_time(text);
  if (rank == 0)
    CST_TRY(cst_output_share(o, run->share));
  CST_TRY_MPI(MPI_Bcast(run, sizeof *run, MPI_BYTE, 0, cst_world));
  cst_output_number(o, "/run", "checkpoints", (double)run->checkpoints);
  cst_output_number(o, "/run", "checkpoint_seconds_most", run->longest);
  cst_output_text(o, "/run", run->end == CST_END_DONE ? "finished" : "stopped", text);
  CST_TRY(cst_output_close(&o, state_of(p, run->end), &finished, run->kept, why, sizeof why));
  run->agreed = !finished;
  CST_CHECK(finished || run->end == CST_END_FAILED, cst_world, CST_ERR_FILE_WRITE,
            "%s could not be finished: %s", options->output, why);
  if (rank == 0 && run->end == CST_END_DONE)
    cst_resume_clean(&options->resume, options->path);
  cst_conclude_destroy(table);
  return 0;
}
