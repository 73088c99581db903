/* checkpoint-reader.h: the checkpoint that an earlier run of a study left, opened for reading on every rank. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHECKPOINT_READER_H
#define CST_CHECKPOINT_READER_H
#include "record/snapshot.h"
#include "study/run/lane-rows.h"

typedef struct {
  cst_snapshot   *snapshot; /* NULL: no checkpoint */
  long            number;   /* of the checkpoint */
  unsigned char **lane;     /* [nclass][lanes]: CST_LANE_...; NULL: released */
  int             nsaved;
  cst_lane_rows  *saved;   /* [nsaved] */
  cst_lane_range *range;   /* [nsaved] the lanes of each */
  int            *section; /* [nsaved] the section with its rows */
  int             nitem;
  long           *item;         /* [nitem] unfinished items of the reference */
  int            *item_section; /* [nitem] the section with each */
  unsigned char  *concluded;    /* [portions] 1: the columns of its cases are written */
  int             loaded;       /* index of the saved range in the buffer; -1: none */
  cst_bundle      buffer;
  /* what work goes on from: checkpoints, for which saved rows are read, are made meanwhile */
  cst_bundle origin;
} cst_checkpoint;

cst_checkpoint *cst_checkpoint_create(const cst_plan *p); /* of a study that has not begun */
void            cst_checkpoint_destroy(const cst_plan *p, cst_checkpoint *checkpoint);
/* Releases the marks of the lanes, a byte per trajectory, when what remains to be done is known. */
void cst_checkpoint_release_lanes(const cst_plan *p, cst_checkpoint *checkpoint);
/* Opens checkpoint `number` of the result at path. False with why[n] if it is damaged or does not fit the
 * plan. */
bool cst_checkpoint_open(const cst_plan *p, cst_checkpoint *checkpoint, const char *path,
                         long number, char *why, int n);
/* The share of the cases whose columns are written. */
double cst_checkpoint_concluded(const cst_plan *p, const cst_checkpoint *checkpoint);
/* The index of a section by name, searched from `from` on; -1: none. */
int cst_checkpoint_find(const cst_checkpoint *checkpoint, const char *name, int from);
/* The verified bytes of a section, in a buffer of it; NULL: damaged. */
const void *cst_checkpoint_read(cst_checkpoint *checkpoint, int section, size_t *size);
/* Reads an unfinished item of the reference; *bytes NULL: there is none. False: the checkpoint is damaged. */
bool cst_checkpoint_midway(cst_checkpoint *checkpoint, long item, const void **bytes, size_t *size);
/* The state from which a batch continues; false: its rows are damaged. */
bool cst_checkpoint_origin(cst_checkpoint *checkpoint, const cst_work *w, cst_origin *from);
/* The verified rows of a saved range; NULL: damaged. */
const double *cst_checkpoint_rows(cst_checkpoint *checkpoint, int saved);
#endif
