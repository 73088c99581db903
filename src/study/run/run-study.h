/* run-study.h: runs a study from its plan to the finished file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_H
#define CST_RUN_H
#include "constella/record.h"
#include "record/lock.h"
#include "study/plan/agenda.h"
#include "study/result/failure.h"
#include "study/result/output.h"
#include "study/run/back-end.h"
#include "study/run/checkpoint.h"
#include "study/run/extend.h"
#include "study/run/merge-parts.h"
#include "study/run/resume.h"

/* The warnings of a run; the rows of the table tell how they are kept. */
typedef enum {
  CST_WARNS_REFERENCE_STEP, /* the reference is hardly more accurate than the runs */
  CST_WARNS_COMPILE,        /* the system, or a part of its steps, could not be compiled */
  CST_WARNS_BUILD,          /* the result that is extended was made by another build */
  CST_WARNS_ROWS,           /* rows of the result that is extended are left out */
  CST_WARNS_REFERENCE,      /* members of the reference took smaller steps */
  CST_WARNS_ENERGY,         /* energies changed by more than half of their parts */
  CST_WARNS_RANK,           /* constraints lost rank */
  CST_WARNS_PASSED,         /* trajectories passed a state at which they do */
  CST_WARNINGS
} cst_warning;

enum { CST_WARNING_WIDTH = 768 }; /* bytes; longer text is cut */

typedef struct {
  const char *attribute; /* of /run */
  const char *label;     /* before the text, in `status` */
  bool        stays;     /* it concerns the first attempt, and a resumed run keeps it */
} cst_warning_row;

extern const cst_warning_row cst_warning_rows[CST_WARNINGS];

/* Warnings that are found before the file is made, on rank 0; "" for none. */
typedef struct {
  char text[CST_WARNINGS][CST_WARNING_WIDTH];
} cst_warnings;

/* Prints a warning on stderr. */
void cst_warning_print(const char *text);
typedef struct {
  const char *output;         /* NULL: the study's name with .h5 in the current folder */
  char        path[PATH_MAX]; /* its real path, by which all files are found */
  bool        overwrite, resumes;
  struct {
    long k, n;
  } part;                          /* compute the k-th of n parts; k = 0: the whole study */
  long         batch;              /* 0: default */
  const char  *progress;           /* auto, line, log, none */
  const char  *command;            /* the command line, for /run */
  double       checkpoint_seconds; /* 0: as in the study */
  double       deadline;           /* MPI_Wtime by which all must be written; INFINITY: none */
  cst_resume   resume;
  char         extends[40]; /* token of the result whose place the new one takes; "": none */
  cst_lock    *lock;        /* on rank 0 */
  cst_back_end back_end;
  cst_warnings warnings;          /* on rank 0: found before the file is made */
  const cst_extension *extension; /* result to take over; NULL: none */
  const cst_merge     *merge;     /* parts to take over; NULL: none */
} cst_run_options;

/* How a run ends: still running; complete; stopped with a checkpoint; stopped because a checkpoint could not
 * be written. */
typedef enum { CST_END_NONE, CST_END_DONE, CST_END_STOPPED, CST_END_FAILED } cst_end;

typedef struct {
  cst_end      end;
  long         failed; /* failed trajectories; on rank 0 also by reason: */
  cst_failures failures;
  double       share;       /* fraction of the work done, 0 to 1 */
  long         checkpoints; /* on rank 0: number written, and the seconds that the slowest took */
  double       longest;
  char         reason[512];    /* on rank 0: why the run stopped */
  bool         cut;            /* another program has taken the rows from the file */
  char         kept[PATH_MAX]; /* where the file is, if its path no longer leads to it; else "" */
  bool         agreed;         /* where cst_run fails: on all ranks alike, none waits for another */
} cst_run_end;

/* Runs the study, or what remains of it; collective over cst_world. The checkpoint is that of checkpoint
 * options->resume.number. */
cst_error cst_run(const cst_plan *p, const cst_agenda *agenda, cst_checkpoint *checkpoint,
                  const cst_run_options *options, cst_run_end *run);
#endif
