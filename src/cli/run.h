/* run.h: inside the room: the command lines of `constella run`, `extend` and `merge`, and the checks before any
 * work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_RUN_H
#define CST_CLI_RUN_H
#include <time.h>
#include "cli/cli.h"
#include "constella/diag.h"
#include "study/rows/study.h"
#include "study/run/run-study.h"

typedef struct {
  int          n;
  const char **file; /* [n] */
} cst_files;

typedef struct {
  const char     *study;
  bool            extends; /* `constella extend` */
  const char     *file;    /* the result to extend */
  bool            renames; /* the new result takes its place */
  cst_files       parts;   /* of `constella merge`; n = 0: another command */
  bool            trusts;  /* its methods in C are compiled */
  cst_result     *first;   /* of the parts */
  cst_merge       found;
  cst_run_options run;
  int             npetsc;
  char          **petsc; /* argv[0] and the words for PETSc */
  double          hours; /* 0: no limit */
  struct timespec begun;
  struct {
    cst_result *file;
    cst_study  *study;
    cst_plan   *plan;
  } old; /* of the result to extend */
  cst_extension extension;
  cst_lock     *extended; /* on rank 0: the lock of the result that the new one will replace */
  char          output[4096], target[4096]; /* target: the real path of that result */
} cst_arguments;

/* run-examine.c: under MPI. */
/* Collective. Every rank reads the study of the first part. */
cst_study *cst_run_read_parts(cst_arguments *a, cst_diag *d);
/* On every rank; on rank 0 it finds the parts. */
void cst_run_examine_parts(cst_arguments *a, const cst_plan *plan, cst_diag *d);
/* Collective: all ranks know the parts. */
void cst_run_share_parts(cst_arguments *a);
void cst_run_close_parts(cst_arguments *a);
/* Collective. Rank 0 reads the file; all ranks get the same errors. result: the one to resume or extend;
 * NULL: none. */
cst_study *cst_run_read_study(const char *file, const char *result, cst_diag *d);
/* On rank 0: the token of FILE. With --resume, an extension of a FILE that was renamed since becomes the
 * output. */
void cst_run_find_extended(cst_arguments *a);
/* Collective. Every rank reads the result to extend and finds which trajectories it has. */
void cst_run_open_extended(cst_arguments *a, int isa, const cst_study *own, const cst_plan *plan,
                           cst_diag *d);
void cst_run_close_extended(cst_arguments *a);
/* Whether the result to extend already has all trajectories of the study, and no extension was begun. */
bool cst_run_is_extended(const cst_arguments *a);
/* On rank 0: whether the result to extend still is the one that was read. */
bool cst_run_is_unchanged(const cst_arguments *a);
/* On rank 0: checks that the result can be written at its path and reads what is already there. Locks it. */
void cst_run_examine_output(cst_arguments *a, const cst_plan *plan, cst_diag *d);
/* Collective. All ranks open the checkpoint. The batches of the remaining work; NULL with an error in d.
 * Owned. */
cst_agenda *cst_run_open_checkpoint(cst_arguments *a, const cst_plan *plan, cst_checkpoint *past,
                                    int ranks, cst_diag *d);

/* measured.c: studies of kinds that have no trajectories: a command of their own measures them (study/rows/kind.h). */
/* The kind of a study file that has such a kind. NULL: another one, or no readable study, which is not
 * reported here. Keys that it does not have are reported into d. Reads the file; before MPI begins. */
const cst_kind *cst_measured_find(const char *file, cst_diag *d);
/* Becomes the command of the kind for this study, with further words NAME=VALUE, word[n]; returns the exit
 * status where it cannot. */
int cst_measured_start(const cst_kind *k, const char *study, int n, const char *const *word);
/* The same for the command lines of `constella run` and `extend`; options that mean nothing to it are mistakes. */
int cst_measured_run(const cst_arguments *a, const cst_kind *k, cst_diag *d);
#endif
