/* sampled.h: expressions along trajectories at equal distances in time, for collectors that have a key `every`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_SAMPLED_H
#define CST_SAMPLED_H
#include "study/collect/expressions.h"
#include "study/file/reader.h"

/* Whether a time is a whole number of steps h, at least one. */
bool cst_sampled_divides(double every, double h);
/* Reads the required key `every` of a map, whose keys keys.h lists for `in`: a multiple of every step. False after
 * a mistake. */
bool cst_sampled_read(cst_reader *r, cst_yaml *map, const char *in, double *every);
/* The samples of a run of the study, the most over its parameter sets; 0: not known. */
long cst_sampled_most(const cst_study *s, double every);
/* Steps between samples, and the samples of a run of this class, with that at the start. */
long cst_sampled_steps(const cst_class *k, double every);
long cst_sampled_count(const cst_class *k, double every);
/* Evaluates expressions for a group at the current step; 0 of lanes that have ended. */
void cst_sampled_look(const cst_values *x, cst_runner *r, int group);
#endif
