/* extension.h: an earlier result beside the study that extends it (run/extend.h), as collectors see it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EXTENSION_H
#define CST_EXTENSION_H
#include "constella/record.h"
#include "study/channels/channels.h"

/* Every rank that opens the file has all of this. */
typedef struct cst_extension {
  cst_result     *file;
  const cst_plan *old, *now;
  cst_channels   *channels; /* of the file */
  cst_channels   *now_channels;
  int            *from;        /* [ncase of now] case of the file that is taken over; -1: none */
  long           *joined;      /* [ncase of old] cst_continue_joined */
  bool            continues;   /* the end is later: all cases are continued, none taken over */
  bool            end_refused; /* the error about the end is there */
  /* then it is kept as `continued`: the identifier of the result that is continued; else empty */
  char origin[80];
  long taken,
      recomputed; /* trajectories taken over; trajectories in the file that are recomputed */
  /* of the file, only the members of this part have rows; NULL: all have */
  const struct cst_division *division;
  long                       part;
  const char                *why; /* why they are recomputed; NULL: none are */
} cst_extension;
#endif
