/* run.h: a study run from its plan to its finished file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_H
#define CST_RUN_H
#include "constella/record.h"
#include "record/lock.h"
#include "study/agenda.h"
#include "study/back-end.h"
#include "study/extend.h"
#include "study/failure.h"
#include "study/past.h"
#include "study/resume.h"

typedef struct {
  const char          *output; /* NULL: the study's name with .h5 in the current folder */
  bool                 overwrite, resumes;
  long                 batch;              /* 0: default */
  const char          *progress;           /* auto, line, log, none */
  const char          *command;            /* the command line, for /run */
  double               checkpoint_seconds; /* 0: what the study says */
  double               deadline;           /* MPI_Wtime by which all must be written; INFINITY: none */
  cst_resume           resume;
  cst_lock            *lock; /* on rank 0 */
  cst_back_end         back_end;
  const cst_extension *extension; /* what it has is taken over; NULL: none */
} cst_run_options;

/* How a run ends: not yet; all is done; stopped with a checkpoint; stopped because a checkpoint could not be
 * written. */
typedef enum { CST_END_NONE, CST_END_DONE, CST_END_STOPPED, CST_END_FAILED } cst_end;

typedef struct {
  cst_end      end;
  long         failed; /* trajectories that failed; and on rank 0 why: */
  cst_failures failures;
  double       share;       /* of the work that is done, 0 to 1 */
  long         checkpoints; /* on rank 0: written, and the seconds from order to end of the slowest one */
  double       longest;
  char         reason[512]; /* on rank 0: why it stopped */
} cst_run_end;

/* The whole study, or what is left of it; collective over PETSC_COMM_WORLD. The past is of the checkpoint
 * that options->resume names. */
PetscErrorCode cst_run(const cst_plan *p, const cst_agenda *agenda, cst_past *past,
                       const cst_run_options *options, cst_run_end *run);
#endif
