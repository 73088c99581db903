/* past.h: what an earlier run left of a study: its checkpoint, opened for reading by every rank. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_PAST_H
#define CST_PAST_H
#include "record/snapshot.h"
#include "study/piece.h"

typedef struct {
  cst_snapshot   *snapshot; /* NULL: there is none */
  long            number;   /* of the checkpoint */
  unsigned char **lane;     /* [nclass][lanes]: CST_LANE_... */
  int             npiece;
  cst_piece      *piece;   /* [npiece] */
  cst_stretch    *stretch; /* [npiece] the same, by class and lane */
  int            *section; /* [npiece] where their rows are */
  int             loaded;  /* the piece in the buffer; -1: none */
  cst_bundle      buffer;
  cst_bundle origin; /* what work goes on from: checkpoints, for which pieces are read, are made meanwhile */
} cst_past;

cst_past *cst_past_create(const cst_plan *p); /* of a study that begins */
void      cst_past_destroy(const cst_plan *p, cst_past *past);
/* Open checkpoint `number` of the result at path. false with why[n] when it is damaged or does not fit the
 * plan. */
bool cst_past_open(const cst_plan *p, cst_past *past, const char *path, long number, char *why, int n);
/* The index of a section by name, from `from` on; -1 when there is none. */
int cst_past_find(const cst_past *past, const char *name, int from);
/* A section's bytes, checked; NULL when they are damaged. In a buffer of the past. */
const void *cst_past_read(cst_past *past, int section, size_t *size);
/* What the checkpoint has of an item of the reference that was at work; *bytes NULL: nothing. false: it is
 * damaged. The bytes stay until the next item or batch is asked for, whatever is read. */
bool cst_past_midway(cst_past *past, long item, const void **bytes, size_t *size);
/* Where a batch goes on from; false: its rows are damaged. They stay likewise. */
bool cst_past_origin(cst_past *past, const cst_work *w, cst_origin *from);
/* Rows of a piece, checked; NULL when they are damaged. */
const double *cst_past_rows(cst_past *past, int piece);
#endif
