/* run-notes.h: the attributes of a result file that describe the study, the runs and the columns. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_NOTES_H
#define CST_RUN_NOTES_H
#include "study/run/coordinator.h"
#include "study/run/run-study.h"

/* The time now, in UTC: 2026-11-23T14:05:59Z. */
void cst_run_notes_time(char text[32]);

/* The time that such a text tells, in seconds since 1970; false where it tells none. */
bool cst_run_notes_read_time(const char *text, double *seconds);

/* Attributes of the root: everything on which the result depends. */
void cst_run_notes_study(cst_output *o, const cst_study *s);

/* Of a part of a study: which one it is, and the number of its trajectories. */
void cst_run_notes_part(cst_output *o, const cst_plan *p);
/* The engine of the study, and what else its numbers depend on. */
void cst_run_notes_engine(cst_output *o, const cst_plan *p);

/* Attributes of /run that concern the first run of the file and never change. The result does not depend on
 * them. */
void cst_run_notes_first(cst_output *o, const cst_run_options *options);

/* Attributes of /run that concern this run, which goes on from what the earlier ones left; they replace those of
 * the previous run. */
void cst_run_notes_this(cst_output *o, const cst_plan *p, const cst_agenda *a,
                        const cst_checkpoint *checkpoint, const cst_resume *earlier, int ranks);

/* Attributes with which the table is printed and drawn, and those that xarray reads as coordinates. */
void cst_run_notes_columns(cst_output *o, const cst_plan *p, const cst_columns *c);

/* Planned nanoseconds of what this run has to do, of each phase. */
void cst_run_notes_left(const cst_plan *p, const cst_agenda *a, const cst_checkpoint *checkpoint,
                        double left[CST_PHASES]);
/* The share of the steps and results of the study that earlier runs have done. */
double cst_run_notes_work_before(const cst_plan *p, const cst_agenda *a,
                                 const cst_checkpoint *checkpoint);
#endif
