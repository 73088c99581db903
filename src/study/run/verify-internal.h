/* verify-internal.h: the trajectories that verify-result.c recomputes, as verify-choose.c finds them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_VERIFY_INTERNAL_H
#define CST_VERIFY_INTERNAL_H
#include "study/run/checkpoint-reader.h"
#include "study/run/verify-result.h"

enum {
  CST_VERIFY_CHECKPOINTS = 2,
  CST_VERIFY_TELL_EVERY = 10 /* seconds between two lines on what is under way */
};

/* From CST_VERIFY_MIDWAY on there is something to compare. */
typedef enum {
  CST_VERIFY_OPEN,
  CST_VERIFY_ELSEWHERE,
  CST_VERIFY_LEFT_OUT,
  CST_VERIFY_MIDWAY,
  CST_VERIFY_FINISHED
} cst_verify_stage;

typedef struct {
  cst_verify_stage stage;
  long             icase, member;
  cst_checkpoint  *from;  /* NULL: the start */
  long             begin; /* step at `from` */
  long             until; /* step at which it is compared */
  cst_work         work;
} cst_verify_trajectory;

typedef struct {
  const cst_plan *plan;
  cst_result     *file;
  bool            another; /* the file was made by another program */
  /* the newest undamaged ones of this build, newest first; NULL: none */
  cst_checkpoint *checkpoint[CST_VERIFY_CHECKPOINTS];
  cst_reference  *reference;
  signed char    *status;    /* [ncase][members] in the file */
  const bool     *left_out;  /* [nmethod]; NULL: none */
  double          tolerance; /* of cst_verify_choice */
  unsigned char  *known;     /* [nvariant][members] the reference states are in the table */
  cst_output     *output;
  cst_tallies    *tallies;
  cst_runner     *runner;
  long           *chosen;     /* [ncase][chosen] members (cst_choice); NULL: none are chosen */
  long           *joined;     /* [ncase] cst_continue_joined */
  cst_comparison  comparison; /* of the current cst_verify_trajectory */
  long            n, at;      /* number of trajectories to compute, and the current one */
  double          total, done, told;
} cst_verification;

/* verify-choose.c: opens the checkpoints of this build that belong to the file at path, and the status of every
 * trajectory; lists the chosen trajectories, which are *n, owned; and finds for each from which step it is
 * computed. */
void                   cst_verify_open(cst_verification *d, const char *path);
cst_verify_trajectory *cst_verify_list(const cst_verification *d, const cst_verify_choice *c,
                                       long *n);
void cst_verify_prepare(cst_verification *d, cst_verify_trajectory *t, bool from_start);
/* verify-table.c: compares the columns of a complete result with what its rows give, and prints what differs. */
cst_error cst_verify_table(cst_verification *d, cst_verify_counts *counts);
/* The lane-rows of a checkpoint that contain the lane; -1: none. */
int cst_verify_find(const cst_checkpoint *checkpoint, int class, long lane);
#endif
