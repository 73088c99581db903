/* extend.h: reuses a finished result in a study that asks for more members, steps, methods, tolerances or
 * parameter sets.
 *
 * A case of the file matches a case of the study if parameters, tolerance, method, step and number of steps
 * are equal. Its rows are taken over if it is also read and observed at the same steps, and the reference at
 * the same times. Nothing of the file may be lost: a case or member that the study lacks is an error, and so
 * is any other difference.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTEND_H
#define CST_EXTEND_H
#include "study/plan/division.h"
#include "study/result/extension.h"
#include "study/result/tallies.h"
#include "study/run/checkpoint.h"

/* Checks that the study of `now` extends that of `old`, whose result is the file at path. Reports errors in
 * d. */
void cst_extend_create(cst_extension *e, cst_result *file, const char *path, const cst_plan *old,
                       const cst_plan *now, cst_diag *d);
/* The file is a part of the same study, and all that it has is taken over. */
void cst_extend_whole(cst_extension *e, cst_result *file, const cst_plan *p,
                      const cst_division *division, long part);
void cst_extend_destroy(cst_extension *e);
/* Marks the trajectories that are taken over as done. */
void cst_extend_mark(const cst_extension *e, cst_checkpoint *checkpoint);
/* The members of a case of the file that have rows: count from first on. */
void cst_extend_members(const cst_extension *e, int icase, long *first, long *count);
/* Copies those of a case of the study, with what collectors copy, into a new file. */
cst_error cst_extend_case(const cst_extension *e, cst_output *o, int icase);
/* Collective: copies the rows that are taken over, and other datasets, into a new file. cst_extend_tallies, on
 * one rank: adds what the file has summed over members. */
cst_error cst_extend_rows(const cst_extension *e, cst_output *o);
cst_error cst_extend_tallies(const cst_extension *e, cst_tallies *s);
/* With a later end: the row from which a member of a case continues (cst_continue_read). */
cst_error cst_extend_row(const cst_extension *e, const cst_output *o, int icase, long member,
                         double *row);
/* Of each case of the study, how many members were continued from an earlier end. [ncase], owned. */
long *cst_extend_joined(const cst_extension *e);
/* Steps of a class's lanes that were computed for the new file and not taken over. */
double cst_extend_steps(const cst_extension *e, int class);

/* Before any work, on one rank: reports in d numbers of the file at path that are not possible in its study: rows that are
 * taken over, counts of sums, and the rows from which a longer run continues. At most a few are reported. */
void cst_extend_check(const cst_extension *e, const char *path, cst_diag *d);
#endif
