/* output.h: writes the result of a study, or compares it with an existing file. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OUTPUT_H
#define CST_OUTPUT_H
#include "constella/record.h"
#include "study/channels/channels.h"
#include "study/plan/agenda.h"

/* ---- a comparison of numbers with stored ones ------------------------------------------------ */

/* Numbers are compared bit by bit. All NaNs are equal. */
typedef struct {
  /* 0: bits are compared. Else q, p and lambda at the end are, to this tolerance relative to 1 or their size, and
   * what became of a trajectory; nothing else */
  double tolerance;
  long   compared, different; /* numbers */
  char   first[512];          /* the first difference: its place, both values and their distance */
} cst_comparison;

/* Compares a block x of a field with the same block of the file (start and count as in cst_record_write).
 * False: the file has no such block. */
bool cst_compare_block(cst_comparison *c, cst_result *file, const cst_field *f, const long *start,
                       const long *count, const void *x);
/* Compares n numbers with the stored ones of `name`. */
void cst_compare_numbers(cst_comparison *c, const char *name, const double *kept, const double *x,
                         long n);

/* ---- a result -------------------------------------------------------------------------------- */

typedef struct cst_output cst_output;
/* Collective. Creates a file (again), or reopens that of an earlier run. Fails on all ranks alike, with
 * CST_ERR_ARG_INCOMP where they do not share the file. name: what messages call it. */
cst_error cst_output_create(const cst_plan *p, const char *path, const char *name,
                            const char *token, bool again, const cst_columns *columns,
                            cst_output **output);
/* Compares whatever is written with the content of a result file, on one rank. Neither is changed. joined: of
 * each case, so many members, from the first on, were continued from an earlier end, and some of their channels
 * (CST_IS_JOINED) are not compared; borrowed. another: the file was made by another program; rows from which a longer run
 * goes on are not compared where they have another width. */
cst_error cst_output_compare(const cst_plan *p, cst_result *file, const long *joined, bool another,
                             cst_comparison *comparison, cst_output **output);
const cst_channels *cst_output_channels(const cst_output *o);
cst_error           cst_output_rows(cst_output *o, const cst_work *w, const cst_rows *r);
/* Copies rows of n members from `first` on, series of single members, and what collectors copy (cst_reuse.copy;
 * alone: cst_output_copies), from case `from` of the result of a smaller study to case `to`. */
cst_error cst_output_take_over(cst_output *o, cst_result *file, const cst_plan *old, int from,
                               int to, long first, long n);
/* Whether rows from which a longer run goes on were left out, because that file has them in another width. */
bool      cst_output_is_narrow(const cst_output *o);
cst_error cst_output_copies(cst_output *o, cst_result *file, const cst_plan *old, int from, int to,
                            long first, long n);
/* Reads the rows of cases first .. first + n - 1: x[n][members][count of the channel]. */
cst_error cst_output_read(cst_output *o, const cst_channel_row *row, int which, int first, int n,
                          double *x);
/* Reads n members from `first` on. */
cst_error cst_output_read_members(cst_output *o, const cst_channel_row *row, int which, int icase,
                                  long first, long n, double *x);
/* Writes index icase of the first dimension of a channel that has no rows: x[all other dimensions]. */
cst_error cst_output_case(cst_output *o, const cst_channel_row *row, int which, int icase,
                          const void *x);
/* Writes all of such a channel. */
cst_error cst_output_all(cst_output *o, const cst_channel_row *row, int which, const void *x);
/* Writes, or reads back, the values of all columns for cases first .. first + n - 1. */
cst_error cst_output_columns(cst_output *o, const cst_columns *c, int first, int n);
cst_error cst_output_read_columns(cst_output *o, cst_columns *c, int first, int n);
/* kind: cst_channel_cpu or cst_channel_cpu_most; seconds[ncase]. */
cst_error cst_output_times(cst_output *o, const cst_channel_row *row, const double *seconds);
cst_error cst_output_rates(cst_output *o, const double *steps_per_second);
/* Collective; before the flush. */
void cst_output_note(cst_output *o, const char *group, const char *name, const char *text);
/* Collective; can replace an earlier value. */
void cst_output_text(cst_output *o, const char *group, const char *name, const char *text);
/* Collective; before the flush: makes an empty text of so many bytes, for longer ones than others. */
void cst_output_room(cst_output *o, const char *group, const char *name, size_t width);
/* Collective; can replace an earlier value. */
void cst_output_number(cst_output *o, const char *group, const char *name, double value);
/* Collective. Fails on all ranks alike. */
cst_error cst_output_flush(cst_output *o);
/* Writes this rank's data to disk; false with the reason in why[n]. It may run in a thread. */
bool cst_output_sync(const cst_output *o, char *why, int n);
/* Stores the fraction of the study that is done, for `status`; on one rank. */
cst_error cst_output_share(cst_output *o, double share);
/* Stores the number of the newest checkpoint: that its rows are in the file, before it gets its name
 * (cst_channel_rows_until), and afterwards that it is there (cst_channel_checkpoint). */
cst_error cst_output_checkpoint(cst_output *o, const cst_channel_row *row, long number);
bool      cst_output_is_named(const cst_output *o);             /* see cst_record_is_named */
bool      cst_output_is_whole(const cst_output *o);             /* see cst_record_is_whole */
bool      cst_output_in_place(cst_output *o, char *why, int n); /* see cst_record_in_place */
/* Collective. *finished: whether all is on the disk; else, on all ranks, the reason in why[n]. kept[PATH_MAX]
 * or NULL: see cst_record_close. */
cst_error cst_output_close(cst_output **o, const char *state, bool *finished, char *kept, char *why,
                           int n);

/* ---- blocks, for collectors that write their own --------------------------------------------- */

struct cst_output {
  const cst_plan *plan;
  cst_channels   *channels;
  cst_record     *record; /* NULL: compare with `file`, into `comparison` */
  cst_result     *file;
  bool            another; /* the file was made by another program */
  cst_comparison *comparison;
  const long     *joined; /* [ncase] of `file`; borrowed */
  const char     *name;   /* of the record, for messages; borrowed */
  bool            narrow; /* rows that were to be copied have another width in the earlier result */
};

/* Writes or compares a block of a channel. */
cst_error cst_output_block(cst_output *o, const cst_channel *c, const long *start,
                           const long *count, const void *x);
/* count[k] := the extent of dimension k of a channel, for all dimensions from `first` on. */
void cst_output_extent(const cst_output *o, const cst_channel *c, int first, long *count);
/* Copies count[along] rows of a field, at start[along], from a dataset of the same shape in the result of `old`,
 * where they begin at from_start. start and from_start are changed. */
cst_error cst_output_copy(cst_output *o, cst_result *file, const cst_plan *old, int icase,
                          const cst_channel *c, const char *from, long *from_start, long *start,
                          long *count, int along);

/* ---- numbers that are read back -------------------------------------------------------------- */

/* Whether numbers that are read back from a result are possible in its study.
 *
 * A digest shows that a file is as it was written, not that this program wrote it. Numbers that are read back
 * to compute with them are therefore compared with the plan, wherever they come from.
 */
/* True if all n numbers x, of the type of the channel, are possible in case icase of the plan. Else why[size]
 * tells the first that is not, and what is possible. */
bool cst_sound(const cst_plan *p, int icase, const cst_channel *c, const void *x, size_t n,
               char *why, size_t size);
#endif
