/* channels-table.h: one row for each kind of channel (channels.h): path, unit, description, type, number and
 * dimensions. A new kind is a name in channels.h and a row in channels-table.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHANNELS_TABLE_H
#define CST_CHANNELS_TABLE_H
#include "study/plan/channels.h"

/* Dimensions that the table names. */
enum {
  CASE,
  MEMBER,
  COORDINATE,
  MULTIPLIER,
  FIGURE,
  SAMPLE,
  WINDOW,
  PARAMETER,
  WORD,
  CHOSEN,
  BLOCK,
  OUTSIDE,
  TIME,
  DIMS = TIME,
  NONE = -1
};

/* How many channels of a kind there are. */
typedef enum {
  ONE,
  PARAMETRIC,
  OF_ERRORS,
  OF_QUANTITIES,
  OF_WINDOWS,
  SAMPLED,
  SAMPLED_EACH,
  SUMMED,
  SINGLE,
  OF_LOOKS,
  OF_CASES,
  OF_STORED,
  OF_COLUMNS,
  OF_AVERAGES,
  OF_HISTOGRAMS,
  EXTENSIBLE,
  WEIGHTED,
  REPEATED
} cst_channel_many;

enum { WRITTEN = 1, KEPT = 2, IN_LANES = 4, OF_TRAJECTORY = 8, ROW = WRITTEN | OF_TRAJECTORY };

/* path: in the result file; %s and %d stand for the name or the case. unit, doc: NULL takes those of the
 * quantity or column. */
typedef struct {
  const char      *path, *unit, *doc;
  cst_type         type;
  cst_channel_many many;
  unsigned         is;
  int              dim[CST_FIELD_DIMS + 1];
} cst_channel_row;

extern const cst_channel_row cst_channels_table[CST_CHANNELS];
#endif
