/* run.c: a study from its plan to its finished file: reference, batches, series, conclusions. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sleef.h>
#include <libfyaml.h>
#include "constella/constella.h"
#include "study/run.h"

#ifndef CST_VERSION
#define CST_VERSION "unknown"
#endif
#ifndef CST_COMPILER
#define CST_COMPILER "unknown"
#endif

static void iso_time(char text[32]) {
  time_t    now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* What the result depends on: at the root. */
static void note_study(cst_output *o, const cst_study *s) {
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
  cst_output_note(o, "/", "schema", "constella-result 1");
  cst_output_note(o, "/", "creator", "constella");
  cst_output_note(o, "/", "version", CST_RELEASE);
  cst_output_note(o, "/", "git", CST_VERSION);
  cst_output_note(o, "/", "title", s->title ? s->title : "");
  cst_output_note(o, "/", "study_kind", cst_study_kind_names[s->kind]);
  cst_output_note(o, "/", "system", s->system->name);
  cst_output_note(o, "/", "system_description", s->system->text);
  cst_output_note(o, "/", "study", s->canonical);
  cst_output_note(o, "/", "study_sha256", s->sha256);
  cst_output_note(o, "/", "seed", seed);
}

static void note_back_end(cst_output *o, const cst_back_end *b) {
  cst_output_note(o, "/run", "kernels", b->kernels);
  if (b->seconds == 0 && !*b->why) return; /* nobody asked for a compiler */
  cst_output_number(o, "/run", "compile_seconds", b->seconds);
  cst_output_number(o, "/run", "compile_cached", b->cached && !*b->why);
  if (!*b->why && *b->compiler) cst_output_note(o, "/run", "compile_compiler", b->compiler);
  if (*b->why) cst_output_note(o, "/run", "compile_refused", b->why);
}

/* What it does not depend on: in /run. */
static void note_run(cst_output *o, const cst_plan *p, const cst_run_options *options, int ranks) {
  char     text[512], host[MPI_MAX_PROCESSOR_NAME], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  unsigned major, minor, release;
  int      length;
  iso_time(text);
  cst_output_note(o, "/run", "started", text);
  cst_output_number(o, "/run", "started_unix", (double)time(NULL));
  cst_output_number(o, "/run", "ranks", ranks);
  cst_output_number(o, "/run", "batch", (double)p->batch);
  cst_output_note(o, "/run", "instruction_set", cst_isas[p->isa].name);
  cst_output_note(o, "/run", "command", options->command ? options->command : "");
  cst_output_note(o, "/run", "compiler", CST_COMPILER " (" __VERSION__ ")");
  note_back_end(o, &options->back_end);
  MPI_Get_processor_name(host, &length);
  cst_output_note(o, "/run", "host_of_rank_0", host);
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, ",\n")] = 0;
  H5get_libversion(&major, &minor, &release);
  snprintf(text, sizeof text, "PETSc %d.%d.%d, HDF5 %u.%u.%u, %.80s, SLEEF %d.%d, libfyaml %s", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
           PETSC_VERSION_SUBMINOR, major, minor, release, mpi, SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, fy_library_version());
  cst_output_note(o, "/run", "libraries", text);
}

static void note_columns(cst_output *o, const cst_columns *c) {
  char   text[4096] = "";
  size_t n = 0;
  for (int i = 0; i < c->n; i++)
    if (c->column[i].shown && n + 70 < sizeof text)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "", c->column[i].name);
  cst_output_note(o, "/statistics", "columns", text);
}

static PetscErrorCode write_times(const cst_plan *p, cst_output *o) {
  double *t;
  PetscFunctionBegin;
  if (!p->most_samples) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(p->most_samples, &t));
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    for (int j = 0; j < p->most_samples; j++) t[j] = j < k->nsample ? (double)k->sample[j] * k->h : NAN;
    PetscCall(cst_output_times(o, i, t));
  }
  PetscCall(PetscFree(t));
  PetscFunctionReturn(0);
}

static PetscErrorCode compute_reference(cst_reference *r, cst_coordinator *c) {
  PetscFunctionBegin;
  for (long i; (i = cst_coordinator_next(c)) < cst_reference_items(r);) PetscCall(cst_reference_compute(r, (int)i));
  PetscCall(cst_reference_share(r, PETSC_COMM_WORLD));
  cst_coordinator_rewind(c);
  PetscFunctionReturn(0);
}

static PetscErrorCode write_rates(const cst_plan *p, cst_output *o, const cst_runner *runner) {
  double     *seconds, *all, *rate, busy = 0, least, most;
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscCalloc3(p->nclass, &seconds, p->nclass, &all, p->ncase, &rate));
  for (int k = 0; k < p->nclass; k++) busy += seconds[k] = cst_runner_seconds(runner, k);
  PetscCallMPI(MPI_Allreduce(&busy, &least, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&busy, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  cst_output_number(o, "/run", "busy_seconds_least", least); /* of the rank that computed least and of the one that computed most */
  cst_output_number(o, "/run", "busy_seconds_most", most);
  PetscCallMPI(MPI_Reduce(seconds, all, p->nclass, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD));
  for (int i = 0; i < p->ncase; i++) {
    const cst_class *k = &p->classes[p->class_of[i]];
    rate[i] = (double)k->lanes * (double)k->n / all[p->class_of[i]];
  }
  if (rank == 0) PetscCall(cst_output_rates(o, rate));
  PetscCall(PetscFree3(seconds, all, rate));
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude(const cst_plan *p, cst_output *o, cst_columns *columns, long *failed) {
  PetscMPIInt rank;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) {
    PetscCall(cst_conclude(p, o, columns, failed));
    PetscCall(cst_output_columns(o, columns));
  }
  PetscCallMPI(MPI_Bcast(failed, 1, MPI_LONG, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

static PetscErrorCode work(const cst_plan *p, cst_output *o, const cst_run_options *options) {
  cst_coordinator *c;
  cst_reference   *r = cst_reference_create(p);
  cst_series      *series = cst_series_create(p);
  cst_runner      *runner;
  double           sum = 0;
  PetscFunctionBegin;
  for (int i = 0; i < p->nwork; i++) sum += p->work[i].cost;
  PetscCall(cst_coordinator_create(PETSC_COMM_WORLD, options->progress, sum, &c));
  PetscCall(compute_reference(r, c));
  PetscCall(cst_runner_create(p, r, o, series, c, &runner));
  for (long i; (i = cst_coordinator_next(c)) < p->nwork;) PetscCall(cst_runner_batch(runner, &p->work[i]));
  PetscCall(cst_coordinator_destroy(&c));
  PetscCall(cst_series_finish(series, PETSC_COMM_WORLD, o));
  PetscCall(write_rates(p, o, runner));
  PetscCall(cst_runner_destroy(&runner));
  cst_series_destroy(series);
  cst_reference_destroy(r);
  PetscFunctionReturn(0);
}

PetscErrorCode cst_run(const cst_study *s, const cst_plan *p, const cst_run_options *options, long *failed) {
  cst_columns *columns = cst_columns_create(p);
  cst_output  *o;
  PetscMPIInt  rank, ranks;
  char         text[32];
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(cst_output_create(p, options->output, columns, &o));
  note_study(o, s);
  note_run(o, p, options, ranks);
  note_columns(o, columns);
  cst_conclude_cases(p, columns);
  if (rank == 0) PetscCall(write_times(p, o));
  if (rank == 0) PetscCall(cst_output_columns(o, columns)); /* an unfinished file has its labels */
  cst_output_flush(o);
  PetscCall(work(p, o, options));
  PetscCall(conclude(p, o, columns, failed));
  iso_time(text);
  cst_output_note(o, "/run", "finished", text);
  PetscCall(cst_output_close(&o, "complete"));
  cst_columns_destroy(columns);
  PetscFunctionReturn(0);
}
