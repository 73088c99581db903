/* output.h: writing of a study's result, or its comparison with a file that is there. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OUTPUT_H
#define CST_OUTPUT_H
#include "constella/record.h"
#include "study/agenda.h"
#include "study/channels.h"
#include "study/compare.h"

typedef struct cst_output cst_output;
/* Collective. A new file, or (anew false) that of an earlier run, opened again. */
PetscErrorCode cst_output_create(const cst_plan *p, const char *path, bool anew, const cst_columns *columns,
                                 cst_output **output);
/* What is written is compared with what a result file has in its place; on one rank, and neither is changed.
 */
PetscErrorCode      cst_output_compare(const cst_plan *p, cst_result *file, cst_comparison *comparison,
                                       cst_output **output);
const cst_channels *cst_output_channels(const cst_output *o);
PetscErrorCode      cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r);
/* Of case `from` of a result of a study with an earlier end: the states that are stored, and rows to go on
 * from (longer.h). */
PetscErrorCode cst_output_go_on(cst_output *o, cst_result *file, const cst_channels *old, int from, int to);
/* A channel of the samples of a case: x[most_samples], of a quantity where there are several. */
PetscErrorCode cst_output_series(cst_output *o, int icase, cst_channel_kind kind, int quantity,
                                 const void *x);
/* Rows, states and series of single members of case `from` of a result of a smaller study become those of
 * case `to`. */
PetscErrorCode cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from, int to);
/* Of a chosen member n of the states that are stored, from the at-th on: times, or a part of each state,
 * x[n][numbers]. */
PetscErrorCode cst_output_track(cst_output *o, cst_channel_kind kind, int which, int chosen, long at, long n,
                                const double *x);
/* The members of a case whose states are stored, and back. */
PetscErrorCode cst_output_chosen(cst_output *o, int icase, const long *member);
PetscErrorCode cst_output_read_chosen(cst_output *o, int icase, long *member);
/* The rows of a case: x[members][count of the channel]. */
PetscErrorCode cst_output_read(cst_output *o, cst_channel_kind kind, int which, int icase, double *x);
/* Of n members of it from `first` on. */
PetscErrorCode cst_output_read_members(cst_output *o, cst_channel_kind kind, int which, int icase, long first,
                                       long n, double *x);
/* Index icase of the first dimension of a channel that no row has: x[all others]. */
PetscErrorCode cst_output_case(cst_output *o, cst_channel_kind kind, int which, int icase, const void *x);
PetscErrorCode cst_output_columns(cst_output *o, const cst_columns *c);
PetscErrorCode cst_output_times(cst_output *o, cst_channel_kind kind,
                                const double *seconds); /* CST_CHANNEL_CPU, CST_CHANNEL_CPU_MOST: [ncase] */
PetscErrorCode cst_output_rates(cst_output *o, const double *steps_per_second);
void           cst_output_note(cst_output *o, const char *group, const char *name,
                               const char *text); /* collective; before the flush */
void           cst_output_text(cst_output *o, const char *group, const char *name,
                               const char *text); /* collective; also replaced later */
void           cst_output_number(cst_output *o, const char *group, const char *name,
                                 double value); /* collective; also replaced later */
void           cst_output_flush(cst_output *o); /* collective */
const char    *cst_output_sync(cst_output *o);  /* what this rank wrote is on disk: NULL, or why it is not */
PetscErrorCode cst_output_share(cst_output *o,
                                double      share); /* of the study that is done, for `status`; on one rank */
PetscErrorCode cst_output_close(cst_output **o, const char *state, bool *finished); /* collective */
#endif
