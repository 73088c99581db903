/* run.h: inside the room: what `constella run` and `constella extend` were called with, and what is to be right before any work. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_RUN_H
#define CST_CLI_RUN_H
#include <time.h>
#include "constella/diag.h"
#include "study/run.h"

typedef struct {
  const char     *command; /* run, extend */
  const char     *study;
  bool            extends;
  const char     *file;    /* the one that is extended */
  bool            renames; /* the new one takes its place */
  cst_run_options run;
  int             npetsc;
  char          **petsc; /* what is left for PETSc, argv[0] first */
  double          hours; /* 0: no limit */
  struct timespec begun;
  struct {
    cst_result *file;
    cst_study  *study;
    cst_plan   *plan;
  } old; /* that is extended */
  cst_extension extension;
  char          output[4096];
} cst_arguments;

/* run-arguments.c: the command line. Mistakes go into d. */
void  cst_run_arguments_parse(int argc, char **argv, cst_arguments *a, cst_diag *d);
void  cst_run_arguments_name_output(cst_arguments *a); /* where no -o did */
char *cst_run_arguments_join(int argc, char **argv);   /* as one line; owned */

/* run-examine.c: under MPI. */
PetscErrorCode cst_run_check_petsc(cst_diag *d);
/* Collective: rank 0 reads, all ranks come to the same mistakes. */
cst_study *cst_run_read_study(const char *file, const char *result, cst_diag *d); /* result: that is resumed or extended; NULL: none */
/* Collective. Every rank reads the file that is extended, and finds what it has. */
void cst_run_open_extended(cst_arguments *a, int isa, const cst_study *own, const cst_plan *plan, cst_diag *d);
void cst_run_close_extended(cst_arguments *a);
/* The file that is extended is what it is to become, and nothing was begun. */
bool cst_run_has_it_all(const cst_arguments *a);
/* On rank 0: whether the result can be where it is to be, and what is there already; it is locked then. */
void cst_run_examine_output(cst_arguments *a, const cst_plan *plan, cst_diag *d);
/* Collective. All ranks open the checkpoint, and have the batches of what is left; NULL with a mistake in d. Owned. */
cst_agenda *cst_run_take_up(cst_arguments *a, const cst_plan *plan, cst_past *past, int ranks, cst_diag *d);
#endif
