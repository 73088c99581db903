/* tracks.h: states along chosen trajectories, buffered in memory and written in large blocks.
 *
 * The buffer is bounded (cst_states_bytes). It is written when it is full, at the end of a batch, and
 * before every checkpoint: a resumed run finds everything up to the checkpoint in the file, and writes later
 * states again.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TRACKS_H
#define CST_TRACKS_H
#include "study/result/output.h"

typedef struct {
  long lane, icase;
  int  chosen;
  long held; /* states in memory; fewer than `held` of all tracks if it has failed */
} cst_track;

/* A part of a state: a channel, and the offset of its numbers. */
typedef struct {
  const cst_channel_row *row;
  int                    which, count; /* which: a stored quantity */
  long                   at;
} cst_track_part;

typedef struct {
  const cst_plan *plan;
  cst_output     *output;
  int             nparts;
  cst_track_part *part;
  int             n, room;
  cst_track      *track; /* of the current batch, in the order of its lanes */
  const cst_class *class;
  long numbers; /* per state */
  /* maximal states per track; index of the first one in memory, and their number */
  long    depth, first, held;
  size_t  size;
  double *x; /* [track][part][depth][count] */
  double *t; /* [depth] */
} cst_tracks;

void cst_tracks_create(cst_tracks *t, const cst_plan *p, cst_output *o);
void cst_tracks_destroy(cst_tracks *t);
/* Removes all tracks. */
void cst_tracks_clear(cst_tracks *t);
/* Adds a track; lanes must ascend. */
void cst_tracks_add(cst_tracks *t, long lane, long icase, int chosen);
/* Ends the additions; the next state has the index `first`. */
void cst_tracks_open(cst_tracks *t, const cst_class *k, long first);
/* Where to write part i of the next state of a track. */
double   *cst_tracks_place(const cst_tracks *t, int track, int part);
cst_error cst_tracks_next(cst_tracks *t); /* the next state of all tracks is complete */
cst_error cst_tracks_flush(cst_tracks *t);
#endif
