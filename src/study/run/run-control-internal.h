/* run-control-internal.h: the state of a run on each rank, and on rank 0 the checkpoint in progress: shared
 * by run-control.c and run-control-lead.c. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_RUN_CONTROL_INTERNAL_H
#define CST_RUN_CONTROL_INTERNAL_H
#include "study/run/rank-part.h"
#include "study/run/run-control.h"

enum {
  CST_RUN_CONTROL_TAG = 17,        /* of the messages that carry parts to rank 0 */
  CST_RUN_CONTROL_SLOTS = 64,      /* parts that rank 0 receives at a time, at most, ... */
  CST_RUN_CONTROL_ROOM = 256 << 20 /* ... and their bytes */
};

/* State of rank 0. */
typedef struct {
  cst_assembly *kept;
  long          number;  /* of the current checkpoint, or else of the last one */
  bool          making;  /* a checkpoint is in progress */
  int           missing; /* parts of it not yet received */
  bool          last;    /* it is the last one */
  bool          lost;    /* ... because the path no longer leads to the result */
  bool          cut;     /* the file has lost its rows (cst_record_is_whole) */
  bool          failed;
  int           arriving; /* parts being received, ... */
  size_t        room;     /* ... and their bytes */
  cst_bundle    part[CST_RUN_CONTROL_SLOTS];
  MPI_Request   request[CST_RUN_CONTROL_SLOTS];
  long          written;
  double        opened, closed, longest, beat;
  char          reason[512];
} cst_run_checkpoint;

struct cst_run_control {
  MPI_Comm                comm;
  int                     rank, size;
  const cst_plan         *plan;
  cst_run_control_options options;
  cst_coordinator        *coordinator;
  cst_output             *output;
  cst_reference          *reference;
  cst_tallies            *tallies;
  cst_runner             *runner; /* NULL: the batches have not begun */
  MPI_Datatype            unit;
  long                    obeyed; /* the last order that this rank has carried out */
  cst_end                 end;
  int                     total; /* items of work of the phase */
  cst_rank_part          *writer;
  MPI_Request             sending;
  cst_work               *finished; /* since the last part was made */
  size_t                  nfinished, most_finished;
  cst_bundle              concluded; /* numbers of portions, likewise */
  double                 *told;      /* [nclass] seconds already reported */
  double polled, slowest; /* time of the last poll, and the longest time between two polls */
  double looked;          /* time of the last check inside a slice, ... */
  bool   halts;           /* ... and its answer */
  bool   due;             /* a checkpoint was ordered and is not made yet */
  double patience; /* seconds of a slice after which it is halted for that; doubled each time, so
                          that slices come to an end */
  double pause;    /* between two polls: longer where there are many ranks */
  bool   signalled;
  cst_run_checkpoint checkpoint; /* on rank 0 */
};

/* An order encodes the number of a checkpoint and whether it is the last. */
static inline long cst_run_control_order(long number, bool last) { return 2 * number + last; }
static inline bool cst_run_control_is_last(long order) { return order % 2; }
static inline long cst_run_control_number(long order) { return order / 2; }

/* Rank 0: shows that the run is alive, begins and finishes checkpoints, and ends the run. */
cst_error cst_run_control_lead(cst_run_control *k);
/* Rank 0: adds a part to the checkpoint in progress. */
void cst_run_control_take(cst_run_control *k, const cst_bundle *part);
#endif
