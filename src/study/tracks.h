/* tracks.h: states along chosen trajectories, gathered in memory and written in large pieces.
 *
 * The room is bounded (cst_plan_track_bytes). What is gathered is written when the room is full, at the end
 * of a batch and before every checkpoint: a run that goes on from one finds everything up to it in the file,
 * and writes what comes behind it again.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TRACKS_H
#define CST_TRACKS_H
#include "study/output.h"

/* The members of each case that are stored, [ncase][ntrajectory], -1: none. Where they are not given, those
 * of the study file; where these are the worst ones, none. */
typedef struct {
  long *member;
} cst_chosen;

/* Which of the stored members of a case this is; -1: none of them. */
int cst_tracks_find(const cst_plan *p, const cst_chosen *c, long icase, long member);

typedef struct {
  long lane, icase;
  int  chosen;
  long held; /* states in memory: it may fail before the others do */
} cst_track;

/* A part of a state: a channel, and where its numbers stand. */
typedef struct {
  cst_channel_kind kind;
  int              which, count; /* which: a stored quantity */
  long             at;
} cst_track_part;

typedef struct {
  const cst_plan *plan;
  cst_output     *output;
  int             nparts;
  cst_track_part *part;
  int             n, room;
  cst_track      *track; /* of the batch at work, in the order of its lanes */
  double          h;
  long            numbers; /* of a state */
  long            depth, first,
      held; /* states of a track at most; the number of the first one, and how many there are */
  size_t  size;
  double *x; /* [track][part][depth][count] */
  double *t; /* [depth] */
} cst_tracks;

void cst_tracks_create(cst_tracks *t, const cst_plan *p, cst_output *o);
void cst_tracks_destroy(cst_tracks *t);
/* Nothing is followed. */
void cst_tracks_clear(cst_tracks *t);
/* One more, lanes ascending. */
void cst_tracks_add(cst_tracks *t, long lane, long icase, int chosen);
/* All have been added: states from the number `first` on come now. */
void cst_tracks_open(cst_tracks *t, const cst_class *k, long first);
/* Room for the next state of a track, part by part: where to put part i. */
double        *cst_tracks_place(const cst_tracks *t, int track, int part);
PetscErrorCode cst_tracks_next(cst_tracks *t); /* all have theirs */
PetscErrorCode cst_tracks_flush(cst_tracks *t);
#endif
