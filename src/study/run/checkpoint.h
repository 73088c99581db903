/* checkpoint.h: checkpoints: the numbers from which unfinished trajectories continue, a checkpoint of an earlier run opened
 * for reading, and the assembly of a new one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CHECKPOINT_H
#define CST_CHECKPOINT_H
#include "record/bundle.h"
#include "record/snapshot.h"
#include "study/runner/runner.h"

/* Unfinished trajectories, as numbers from which a batch of any size and width can continue.
 *
 * They are saved by ranges: lanes of a class at the same step. A range is identified by the case and the member of its
 * first lane; the others follow in the order of the class: member by member, case by case. Each lane has a
 * row of numbers: its state in the batch (and in the batch with half the step, if that is the reference), its
 * accumulators, errors, windows and samples.
 */
typedef struct {
  long         icase, member, count; /* first lane, and number of lanes */
  long         numbers;              /* per lane */
  cst_position at;
  /* 1: nothing has been looked at at this step, `at` is else what it was one step before; 0 */
  long opens;
} cst_lane_rows;

/* Adds the current batch, if any, as a section "lanes": its cst_lane_rows, then its rows. */
void cst_lane_rows_pack(const cst_runner *r, cst_bundle *b);

/* ---- reading --------------------------------------------------------------------------------- */

/* The checkpoint that an earlier run of a study left, opened for reading on every rank. */
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
  unsigned char  *concluded;    /* [shares] 1: the columns of its cases are written */
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

/* ---- writing --------------------------------------------------------------------------------- */

/* On rank 0: collects the progress that all ranks report, and writes checkpoints. */
typedef struct cst_assembly cst_assembly;

/* checkpoint, reference: borrowed. cst_assembly_take_over reads exact sums, times and reference states from the
 * checkpoint; false with why[n] if they are damaged. */
cst_assembly *cst_assembly_create(const cst_plan *p, cst_checkpoint *checkpoint,
                                  cst_reference *reference);
bool          cst_assembly_take_over(cst_assembly *k, char *why, int n);
void          cst_assembly_destroy(cst_assembly *k);

/* Writes a checkpoint: begin, take what every rank tells (run-control.c), then commit, or abandon after a
 * failure.
 * identity: borrowed until then. */
bool cst_assembly_begin(cst_assembly *k, const cst_snapshot_owner *owner, long number,
                        const char *identity, char *why, int n);
bool cst_assembly_take(cst_assembly *k, const cst_bundle *part, char *why, int n);
bool cst_assembly_commit(cst_assembly *k, char *why, int n);
void cst_assembly_abandon(cst_assembly *k);

/* At the end of the run: adds the exact sums and the seconds per class. */
void cst_assembly_add_tallies(cst_assembly *k, cst_tallies *s);
void cst_assembly_add_seconds(const cst_assembly *k, double *seconds);
#endif
