/* run-agree.c: all ranks of a run must be started alike, or they would wait for each other for ever, or share
 * the work differently. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "cli/petsc-options.h"
#include "cli/run.h"
#include "core/need.h"
#include "core/error.h"
#include "record/agree.h"
#include "study/run/identity.h"

static const char *or_none(const char *text) { return text ? text : "none"; }

/* Writes lines into a text; owned. */
static char *options_text(const cst_arguments *a) {
  char  *text = NULL;
  size_t n;
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "program: %s, build %s\n", cst_identity_version(), cst_identity_build());
  fprintf(f, "command: %s\n", a->extends ? "extend" : a->parts.n ? "merge" : "run");
  fprintf(f, "study: %s\n", or_none(a->study));
  fprintf(f, "result to extend: %s\n", or_none(a->file));
  for (int i = 0; i < a->parts.n; i++)
    fprintf(f, "part: %s\n", a->parts.file[i]);
  fprintf(f, "output: %s\n", or_none(a->run.output));
  fprintf(f, "--resume: %s\n", a->run.resumes ? "yes" : "no");
  fprintf(f, "--overwrite: %s\n", a->run.overwrite ? "yes" : "no");
  fprintf(f, "--part: %ld/%ld\n", a->run.part.k, a->run.part.n);
  fprintf(f, "--batch: %ld\n", a->run.batch);
  fprintf(f, "--max-hours: %.17g\n", a->hours);
  fprintf(f, "--checkpoint-seconds: %.17g\n", a->run.checkpoint_seconds);
  fprintf(f, "--progress: %s\n", or_none(a->run.progress));
  fprintf(f, "PETSc options:");
  for (int i = 1; i < a->npetsc; i++)
    fprintf(f, " %s", a->petsc[i]);
  fputc('\n', f);
  fclose(f);
  return cst_need(text);
}

/* All that decides which rank does what. */
static char *work_text(const cst_plan *p, const cst_agenda *a) {
  char  *text = NULL;
  size_t n;
  FILE  *f = cst_need(open_memstream(&text, &n));
  fprintf(f, "study: sha256 %s\n", p->study->sha256);
  fprintf(f, "cases: %d\nclasses: %d\n", p->ncase, p->nclass);
  fprintf(f, "batches: %d of %ld lanes, cost %a\n", a->n, a->batch, a->left);
  fclose(f);
  return cst_need(text);
}

/* Takes the text. On disagreement rank 0 says why, and PETSc forgets its options: those that ask for a summary at
 * the end (-log_view) would let a rank wait there for the others, which have no such option. */
static bool agree_on(char *text) {
  char why[1024] = "";
  int  rank;
  MPI_Comm_rank(cst_world, &rank);
  const bool ok = cst_agree_on(cst_world, text, why, sizeof why);
  free(text);
  if (!ok && rank == 0)
    fprintf(stderr, "constella: error: %s\n", why);
  if (!ok)
    cst_petsc_forget();
  return ok;
}

bool cst_run_agree_on_options(const cst_arguments *a) { return agree_on(options_text(a)); }

bool cst_run_agree_on_work(const cst_plan *p, const cst_agenda *a) {
  return agree_on(work_text(p, a));
}
