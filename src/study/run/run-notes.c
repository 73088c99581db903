/* run-notes.c: the attributes of a result file (see run-notes.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1 /* strptime, timegm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "constella/constella.h"
#include "study/plan/division.h"
#include "study/run/identity.h"
#include "study/run/libraries.h"
#include "study/rows/collector.h"
#include "study/run/run-notes.h"

void cst_run_notes_time(char text[32]) {
  time_t    now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void cst_run_notes_study(cst_output *o, const cst_study *s) {
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->ensemble.seed);
  cst_output_note(o, "/", "schema", "constella-result 1");
  cst_output_note(o, "/", "creator", "constella");
  cst_output_note(o, "/", "version", CST_RELEASE);
  cst_output_note(o, "/", "git", cst_identity_version());
  cst_output_note(o, "/", "title", s->source.title ? s->source.title : "");
  cst_output_note(o, "/", "study_kind", cst_kind_name(s->kind));
  cst_output_note(o, "/", "system", s->problem.system->name);
  cst_output_note(o, "/", "system_description", s->problem.system->description->text);
  cst_output_note(o, "/", "study", s->source.canonical);
  cst_output_note(o, "/", "study_sha256", s->source.sha256);
  cst_output_note(o, "/", "seed", seed);
  if (s->starts.table.text)
    cst_output_note(o, "/", "starts", s->starts.table.text);
}

static void note_back_end(cst_output *o, const cst_back_end *b) {
  cst_output_note(o, "/run", "kernels", b->kernels);
  if (b->seconds == 0 && !*b->why)
    return; /* no compiler was used */
  cst_output_number(o, "/run", "compile_seconds", b->seconds);
  cst_output_number(o, "/run", "compile_cached", b->cached && !*b->why);
  if (!*b->why && *b->compiler)
    cst_output_note(o, "/run", "compile_compiler", b->compiler);
  if (*b->why)
    cst_output_note(o, "/run", "compile_refused", b->why);
}

void cst_run_notes_engine(cst_output *o, const cst_plan *p) {
  char  blas[64];
  char *options = cst_engine_options();
  cst_output_note(o, "/", "engine", cst_engine_is_petsc(p) ? "petsc" : "lanes");
  if (p->study->solver.team > 1)
    cst_output_number(o, "/", "ranks_per_trajectory", p->study->solver.team);
  if (cst_engine_is_petsc(p)) {
    cst_engine_blas(blas, sizeof blas);
    cst_output_note(o, "/", "petsc_options", options);
    cst_output_note(o, "/run", "blas", blas);
  }
  free(options);
}

void cst_run_notes_part(cst_output *o, const cst_plan *p) {
  char text[CST_PART_TEXT];
  if (!p->part)
    return;
  cst_part_print(p, text);
  cst_output_note(o, "/", "part", text);
  cst_output_number(o, "/run", "part_trajectories", (double)cst_plan_own_trajectories(p));
}

void cst_run_notes_first(cst_output *o, const cst_run_options *options) {
  char text[512];
  cst_run_notes_time(text);
  cst_output_note(o, "/run", "id", options->resume.run);
  if (*options->extends)
    cst_output_note(o, "/run", "extends", options->extends);
  cst_output_note(o, "/run", "started", text);
  cst_output_note(o, "/run", "command", options->command ? options->command : "");
  cst_output_note(o, "/run", "compiler", cst_identity_compiler());
  cst_libraries(text, sizeof text);
  cst_output_note(o, "/run", "libraries", text);
  note_back_end(o, &options->back_end);
}

bool cst_run_notes_read_time(const char *text, double *seconds) {
  struct tm   utc = {0};
  const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;
  if (!rest || *rest)
    return false;
  *seconds = (double)timegm(&utc);
  return true;
}

/* A part is not concluded. */
static double conclusions(const cst_plan *p) {
  return p->part ? 0 : p->ncase * cst_plan_conclusion_cost(p);
}

/* The share of the steps and results that earlier runs have done. */
double cst_run_notes_work_before(const cst_plan *p, const cst_agenda *a,
                                 const cst_checkpoint *checkpoint) {
  const double concluded = cst_checkpoint_concluded(p, checkpoint) * conclusions(p);
  return (p->cost - a->left + concluded) / (p->cost + conclusions(p));
}

/* Nanoseconds of the first batch of each class. */
static double first_batches(const cst_plan *p, long batch) {
  double sum = 0;
  for (int i = 0; i < p->nclass; i++) {
    const cst_class *k = &p->classes[i];
    sum += (double)CST_SMALLER(batch, k->lanes) * (double)k->n * k->cost;
  }
  return sum;
}

void cst_run_notes_left(const cst_plan *p, const cst_agenda *a, const cst_checkpoint *checkpoint,
                        double left[CST_PHASES]) {
  const bool   chooses = cst_collector_choice(p) && !p->part;
  const double chosen = chooses ? (double)p->chosen / (double)p->study->ensemble.members : 0;
  const int    repeats = p->part ? 0 : p->study->run.timing_repeats;
  (void)cst_reference_work(p, &left[CST_PHASE_REFERENCE]);
  left[CST_PHASE_STEPS] = a->left;
  left[CST_PHASE_REPLAY] = chosen * p->cost;
  left[CST_PHASE_TIMING] = repeats * first_batches(p, a->batch);
  left[CST_PHASE_CONCLUSIONS] = (1 - cst_checkpoint_concluded(p, checkpoint)) * conclusions(p);
}

void cst_run_notes_this(cst_output *o, const cst_plan *p, const cst_agenda *a,
                        const cst_checkpoint *checkpoint, const cst_resume *earlier, int ranks) {
  char host[MPI_MAX_PROCESSOR_NAME];
  int  length;
  MPI_Get_processor_name(host, &length);
  cst_output_number(o, "/run", "attempts", (double)earlier->attempts + 1);
  cst_output_number(o, "/run", "seconds_before", earlier->seconds);
  cst_output_number(o, "/run", "started_unix", (double)time(NULL));
  cst_output_number(o, "/run", "work_before", cst_run_notes_work_before(p, a, checkpoint));
  cst_output_number(o, "/run", "ranks", ranks);
  cst_output_number(o, "/run", "batch", (double)a->batch);
  cst_output_text(o, "/run", "instruction_set", cst_isas[p->isa].name);
  cst_output_text(o, "/run", "instruction_sets_built", cst_isa_built());
  cst_output_number(o, "/run", "lanes", cst_isas[p->isa].width);
  cst_output_text(o, "/run", "host_of_rank_0", host);
  cst_output_text(o, "/run", "stopped", "");
  cst_output_text(o, "/run", "finished", "");
  cst_output_text(o, "/run", "projected", p->study->starts.moved_text);
  cst_output_number(o, "/run", "checkpoints", 0);
  cst_output_number(o, "/run", "checkpoint_seconds_most", 0);
  cst_output_number(o, "/run", "busy_seconds_least", NAN);
  cst_output_number(o, "/run", "busy_seconds_most", NAN);
}

static void note_use(cst_output *o, const cst_column *c) {
  char path[96];
  snprintf(path, sizeof path, "/statistics/%s", c->name);
  if (c->use.role)
    cst_output_note(o, path, "role", c->use.role);
  if (c->use.of)
    cst_output_note(o, path, "of", c->use.of);
  if (c->use.axis)
    cst_output_note(o, path, "axis", c->use.axis);
}

/* Lists names of columns as far as the text has room. */
static void list_names(const cst_columns *c, bool labels, const char *between, char *text,
                       size_t size) {
  size_t n = 0;
  *text = 0;
  for (int i = 0; i < c->n; i++) {
    const cst_column *column = &c->column[i];
    const bool        listed = labels ? column->use.labels : column->use.shown;
    if (!listed || n + 70 >= size)
      continue;
    const char *separator = n ? between : "";
    n += (size_t)snprintf(text + n, size - n, "%s%s", separator, column->name);
  }
}

/* The figures of a report: of the kind of study, then of collectors at work. */
static void list_figures(const cst_plan *p, char *text, size_t size) {
  const char *figures = p->study->kind->figures;
  size_t      n = (size_t)snprintf(text, size, "%s", figures ? figures : "");
  for (int k = 0; k < cst_collector_count; k++) {
    const cst_collector *x = cst_collectors[k];
    if (x->file.figures && (!x->plan.wanted || x->plan.wanted(p)) && n < size)
      n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", x->file.figures);
  }
}

void cst_run_notes_columns(cst_output *o, const cst_plan *p, const cst_columns *c) {
  char text[4096];
  for (int i = 0; i < c->n; i++)
    note_use(o, &c->column[i]);
  list_names(c, false, ",", text, sizeof text);
  cst_output_note(o, "/statistics", "columns", text);
  list_names(c, true, " ", text, sizeof text);
  cst_output_note(o, "/statistics", "coordinates", text);
  list_figures(p, text, sizeof text);
  cst_output_note(o, "/statistics", "figures", text);
}
