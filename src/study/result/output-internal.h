/* output-internal.h: the object that writes or compares a result, shared by output.c,
 * output-read.c and output-take-over.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OUTPUT_INTERNAL_H
#define CST_OUTPUT_INTERNAL_H
#include "study/result/output.h"

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
/* True if the block at `start` is of trajectories that were continued from an earlier end, and its bits differ
 * for this reason from those of a run in one piece: window sums are merged from partial ones, and samples of
 * the earlier run are missing. */
bool cst_output_is_joined(const cst_output *o, const cst_channel *c, const long *start);
/* Copies count[along] rows of a field, at start[along], from a dataset of the same shape in the result of `old`,
 * where they begin at from_start. start and from_start are changed. */
cst_error cst_output_copy(cst_output *o, cst_result *file, const cst_plan *old, int icase,
                          const cst_channel *c, const char *from, long *from_start, long *start,
                          long *count, int along);
/* True if the channel has rows, one per trajectory, in the file. */
bool cst_output_has_rows(const cst_channel *c);
#endif
