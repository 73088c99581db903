/* kept.h: on rank 0: collects the progress that all ranks report, and writes checkpoints. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_KEPT_H
#define CST_KEPT_H
#include "study/past.h"

typedef struct cst_kept cst_kept;

/* past, reference: borrowed. What the past holds of series and times, and its reference states, are taken
 * over: false with why[n] when they are damaged. */
cst_kept *cst_kept_create(const cst_plan *p, cst_past *past, cst_reference *reference);
bool      cst_kept_take_over(cst_kept *k, char *why, int n);
void      cst_kept_destroy(cst_kept *k);

/* A checkpoint: begun, made of the part of every rank, and committed, or abandoned where something went
 * wrong. */
bool cst_kept_begin(cst_kept *k, const char *path, long number, const char *identity, char *why, int n);
bool cst_kept_take(cst_kept *k, const cst_bundle *part, char *why, int n);
bool cst_kept_commit(cst_kept *k, char *why, int n);
void cst_kept_abandon(cst_kept *k);

/* At the end: add the series and the seconds of each class that the ranks have not reported yet. */
void cst_kept_add_series(cst_kept *k, cst_series *s);
void cst_kept_add_seconds(const cst_kept *k, double *seconds);
#endif
