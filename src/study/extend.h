/* extend.h: what a finished result has of a study that asks for more: more members, steps, methods,
 * tolerances or parameter sets.
 *
 * A case of the file is one of the study when parameters, tolerance, method, step and number of steps are the
 * same; its rows are taken over when also what is read and observed on its way, and the times of the
 * reference, are. The file keeps nothing that the study lacks: cases or members that would be lost are a
 * mistake, and so is anything else that differs.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTEND_H
#define CST_EXTEND_H
#include "study/past.h"
#include "study/series.h"

/* Collective over those who open the file; each has all of it. */
typedef struct {
  cst_result     *file;
  const cst_plan *old, *now;
  cst_channels   *channels;    /* of the file */
  int            *from;        /* [ncase of now]: the case of the file that is taken over; -1: none */
  bool            longer;      /* the end is a later one: nothing is taken over, all of it goes on */
  long            taken, anew; /* trajectories: taken over; in the file, but computed anew */
  const char     *why;         /* of the latter; NULL: there are none */
} cst_extension;

/* Whether the study of `now` is that of `old`, of the file at path, with more: mistakes go into d. */
void cst_extend_create(cst_extension *e, cst_result *file, const char *path, const cst_plan *old,
                       const cst_plan *now, cst_diag *d);
void cst_extend_destroy(cst_extension *e);
/* What is taken over is done. */
void cst_extend_mark(const cst_extension *e, cst_past *past);
/* Collective: copy the rows into a new file; and, on one rank, what the series are made of. */
PetscErrorCode cst_extend_rows(const cst_extension *e, cst_output *o);
PetscErrorCode cst_extend_series(const cst_extension *e, cst_series *s);
/* Steps of a class's lanes that were computed for the file that is being made, not taken over. */
double cst_extend_steps(const cst_extension *e, int cohort);
#endif
