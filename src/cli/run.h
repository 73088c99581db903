/* run.h: inside the room: the command lines of `constella run`, `extend` and `merge`, and the checks before any
 * work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_RUN_H
#define CST_CLI_RUN_H
#include <time.h>
#include "cli/cli.h"
#include "constella/diag.h"
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

/* run.c: the three commands. */
int cst_run_start(int argc, char **argv);

/* run-arguments.c: the command line. Mistakes go into d. */
void cst_run_arguments_parse(const cst_command *c, int argc, char **argv, cst_arguments *a,
                             cst_diag *d);
/* Without -o: FILE.extended, of the real path of FILE, or the study's name with .h5 in the current folder. */
void  cst_run_arguments_name_output(cst_arguments *a);
char *cst_run_arguments_join(int argc, char **argv); /* as one line; owned */

/* run-agree.c: collective. Whether all ranks have the same program and options, before anything else; and the
 * same study, instruction set and batches, before the file is made. If not, rank 0 says which rank differs. */
bool cst_run_agree_on_options(const cst_arguments *a);
bool cst_run_agree_on_work(const cst_plan *p, const cst_agenda *agenda);

/* merge.c: under MPI. */
/* Collective. Every rank reads the study of the first part. */
cst_study *cst_run_read_parts(cst_arguments *a, cst_diag *d);
/* On every rank; on rank 0 it finds the parts. */
void cst_run_examine_parts(cst_arguments *a, const cst_plan *plan, cst_diag *d);
/* Collective: all ranks know the parts. */
void cst_run_share_parts(cst_arguments *a);
void cst_run_close_parts(cst_arguments *a);

/* run-examine.c: under MPI. */
/* Calls fetch on rank 0 for all ranks, as cst_share. Collective. */
const char *cst_run_share(cst_fetch *fetch, const char *path, char **bytes, size_t *length);
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
#endif
