/* measured.h: studies of kinds that have no trajectories: a command of their own measures them (study/kind.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CLI_MEASURED_H
#define CST_CLI_MEASURED_H
#include "cli/run.h"
#include "constella/study.h"

/* The kind of a study file that has such a kind. NULL: another one, or no readable study, which is not
 * reported here. Keys that it does not have are reported into d. Reads the file; before MPI begins. */
const cst_kind *cst_measured_find(const char *file, cst_diag *d);
/* Becomes the command of the kind for this study, with further words NAME=VALUE, word[n]; returns the exit
 * status where it cannot. */
int cst_measured_start(const cst_kind *k, const char *study, int n, const char *const *word);
/* The same for the command lines of `constella run` and `extend`; options that mean nothing to it are mistakes. */
int cst_measured_run(const cst_arguments *a, const cst_kind *k, cst_diag *d);
#endif
