/* stepper.h: a method set up to step batches of lanes of one system. All allocation happens in create.
 *
 * A batch consists of `groups` records (system/lane/group.h), with one bit per lane for living lanes. Lanes
 * that pad a group, or whose trajectory has failed, are padding lanes: copies of a living lane that are
 * stepped but never read. If lanes fail in a step, the others are stepped without them, and they are stepped
 * again with pivoting and more iterations. A lane that fails again ends there, with its last state and the
 * reason. None of this depends on the other lanes of the batch.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_H
#define CST_STEPPER_H
#include <stdint.h>
#include "constella/method.h"
#include "core/error.h"
#include "method/core.h"
#include "method/method.h"

typedef struct cst_stepper cst_stepper;

typedef struct {
  int           isa;    /* index into cst_isas */
  int           groups; /* maximal number */
  int           max_iterations;
  bool          compensated;
  cst_iteration iteration;
  bool bare; /* it marches only; others use a solver of PETSc's where PETSc is on (solve/petsc.h) */
  bool
      petsc; /* PETSc's own solvers solve its equations, one trajectory after another; PETSc is on */
  /* the step of its batches, if multipliers are averaged (cst_properties.mean): records have room for those of so many
   * steps; 0: nobody reads them */
  double step;
} cst_stepper_options;

/* Whether conversions on s can be solved with this iteration: all but krylov use dense matrices of a few
 * coordinates. */
bool cst_stepper_iteration_possible(cst_iteration asked, const cst_system *s);

/* Status of a lane. */
typedef struct {
  cst_reason reason; /* CST_DONE: it has not failed */
  long       step;   /* the last step with a good state */
} cst_lane_status;

typedef struct {
  int              groups;
  double          *record; /* [groups][size], 64-byte aligned */
  double          *last;   /* same shape: the last good column of failed lanes */
  int             *alive;  /* [groups] bits of living lanes */
  cst_lane_status *status; /* [groups * width] */
  long             step;   /* steps done by living lanes */
  /* The first groups, which have completed the stretch in which an advance was halted. The next stretch, if
   * it has the same length, leaves them unchanged. */
  int ahead;
} cst_batch;

/* p (method.h) is borrowed for the lifetime of the stepper. */
cst_error cst_stepper_create(const cst_prepared *p, const cst_stepper_options *options,
                             cst_stepper **stepper);
cst_error cst_stepper_destroy(cst_stepper **stepper);
/* Whether its records are those of batches with the step h. */
bool cst_stepper_takes(const cst_stepper *s, double h);

int               cst_stepper_groups(const cst_stepper *s); /* maximal number */
int               cst_stepper_width(const cst_stepper *s);
const cst_layout *cst_stepper_layout(const cst_stepper *s);
size_t            cst_stepper_record_size(const cst_stepper *s); /* doubles per group */
/* Evaluations of the force or of the right hand side: per step, and per iteration of the solver. */
void cst_stepper_evaluations(const cst_stepper *s, double *per_step, double *per_iteration);
/* The method's own multipliers of the step that ended as number `step`, [ng][W]: the sum of its impulses
 * divided by h. (The impulse of shake's first step is that of half a step.) Averaged ones are the trapezoidal mean of
 * those of the last steps, whoever reads them: of as many as cst_properties.mean has, or as there are since the start. */
void cst_stepper_lambda(const cst_stepper *s, const double *record, long step, double *lambda);
/* Components at .. at + n - 1 of a column. */
typedef struct {
  int at, n;
} cst_column_part;
enum { CST_COLUMN_PARTS = 4 + 2 * CST_MAX_STATE };
/* Those that are vectors of the state, in which nearby states differ little: q, p, then those of a system that
 * is stepped in the place of the asked one, and what substeps keep of accelerations, earlier states and momenta
 * of bodies. Returns their number. */
int cst_stepper_vectors(const cst_stepper *s, cst_column_part part[CST_COLUMN_PARTS]);
const cst_context *cst_stepper_context(const cst_stepper *s); /* sizes and kernels */
/* Of the first segment, with the steps of a record. */
const cst_march *cst_stepper_march(cst_stepper *s, const double *record);

cst_error cst_batch_create(const cst_stepper *s, cst_batch *b);
cst_error cst_batch_destroy(cst_batch *b);
/* Empties the batch for `lanes` trajectories. Then call cst_batch_start for each, and cst_batch_ready. */
void cst_batch_reset(const cst_stepper *s, cst_batch *b, long lanes);
/* Starts lane `index` from q, v with parameters c; p = M v + a, or its tangential part if the method uses
 * that. */
void cst_batch_start(const cst_stepper *s, cst_batch *b, long index, const double *c,
                     const double *q, const double *v, double tolerance);
/* Gives lane `index`, which lives, other parameters c[npar] at its state: q and v are continuous, p = M v + a
 * changes where M or a do, and blocks of substeps are those of a start there. The time, the accounts and the
 * scales of the constraints stay. Then call cst_batch_ready. */
void cst_batch_change(const cst_stepper *s, cst_batch *b, long index, const double *c);
/* Records a trajectory that has no valid start: CST_NO_START, never stepped. */
void cst_batch_refuse(const cst_stepper *s, cst_batch *b, long index, const double *c,
                      const double *q, const double *v);
/* Sets the seed and member of the random numbers of lane `index`, after its start; default: seed 0, member 0.
 */
void cst_batch_address(const cst_stepper *s, cst_batch *b, long index, uint64_t seed,
                       uint64_t member);
void cst_batch_ready(const cst_stepper *s, cst_batch *b);
/* The current column of lane `index`: its record, or its last good one if it failed. Entry k is column[k *
 * width]. */
const double *cst_batch_lane(const cst_stepper *s, const cst_batch *b, long index);

/* Saves or restores the complete state of lane `index`, cst_batch_numbers doubles. Restore expects a lane
 * that was started from the same data. The caller keeps the batch's step, and calls cst_batch_ready after the
 * last lane. */
size_t cst_batch_numbers(const cst_stepper *s);
void   cst_batch_save(const cst_stepper *s, const cst_batch *b, long index, double *x);
void   cst_batch_restore(const cst_stepper *s, cst_batch *b, long index, const double *x);
/* Whether the status in x, which may come from a file, is valid: a known reason and a step from 0 to most. */
bool cst_batch_is_state(const double *x, long most);

/* The step of the state in x, which cst_batch_save wrote of a batch at step `now`: an earlier one of a lane that
 * has ended. */
long cst_batch_saved_step(const double *x, long now);
/* Whether x, which may come from a file, is what cst_batch_save wrote of the trajectory as which lane `index`
 * has just been started, after at most `most` steps: its status is valid, its tolerance and random numbers are
 * those of the start, its parameters are c, and a good state is finite. */
bool cst_batch_continues(const cst_stepper *s, const cst_batch *b, long index, const double *c,
                         const double *x, long most);

/* Copies a living lane into the failed and padding lanes of a record. */
void cst_stepper_pad(const cst_stepper *s, double *record, int alive);

/* The component of a record where the block of that name begins that substeps carry (substep.h); -1: there is
 * none. */
int cst_stepper_state(const cst_stepper *st, const char *name);
/* Fills the blocks of substeps in a lane's column, for a start from q, v with the parameters c. */
void cst_stepper_start(const cst_stepper *s, double *column, const double *c, const double *q,
                       const double *v);

/* Sets the seed and member of a lane's random numbers. */
void cst_stepper_address(const cst_stepper *s, double *column, uint64_t seed, uint64_t member);

/* Length of the increments of noise; every step is an integer multiple of it. Takes effect with the next
 * set_step of the stepper or its batch; 0: the step. */
void cst_stepper_set_resolution(cst_stepper *s, double resolution);
/* Sets the length of the steps of lanes that start from now on, at time 0. From then on each lane has the length and
 * the time of its steps in its record. */
void   cst_stepper_set_step(cst_stepper *s, double h);
double cst_stepper_step(const cst_stepper *s);
/* In a lane's column: steps of length h, and the time after step number `step`. */
void cst_stepper_put_steps(const cst_stepper *s, double *column, double h, double time, long step);
/* The time of a lane after `step` steps, which may be a fraction of a step, by the length of its steps now. */
double cst_stepper_time(const cst_stepper *s, const double *column, double step);
/* Sets the step of all lanes, and of those that start; and their time after `step` steps. */
void cst_batch_set_step(cst_stepper *s, cst_batch *b, double h);
void cst_batch_set_time(const cst_stepper *s, cst_batch *b, double time, long step);
/* Both of each lane of a group, h[width], time[width] and step[width]; of several groups, that of the same place.
 * Only of a stepper that varies. */
cst_error cst_batch_set_steps(const cst_stepper *s, cst_batch *b, const double *h,
                              const double *time, const long *step);
/* Whether its steps change their own lengths (CST_VARIES). */
bool cst_stepper_changes_steps(const cst_stepper *s);
/* Whether lanes may have steps of different lengths: the increments of noise, and averages of multipliers, are
 * counted in the steps of a batch. */
bool cst_stepper_varies(const cst_stepper *s);
/* Makes n further steps of every living lane. */
cst_error cst_stepper_advance(cst_stepper *s, cst_batch *b, long n);

/* halt is called between groups of lanes and between attempts at a failing step; true halts the advance,
 * NULL: never. The contents of the batch are then invalid. */
typedef bool cst_halt(void *context);
void         cst_stepper_halt_by(cst_stepper *s, cst_halt *halt, void *context);
bool         cst_stepper_halted(const cst_stepper *s); /* the last advance was halted */

/* States of a group on its way: the steps behind which it has been in them, q and p of the first, those of
 * each further one `stride` numbers on. */
typedef struct {
  int           n;
  size_t        stride;
  const long   *step;
  const double *q, *p;
} cst_trail;

/* The state of a group in its record. */
cst_trail cst_stepper_trail(const cst_stepper *s, const cst_batch *b, int group);

/* Stops of a batch: next returns the step of the next stop (the current step: end the advance), look is
 * called at each stop. */
typedef struct {
  void *context;
  long (*next)(void *context);
  cst_error (*look)(void *context);
  /* The first stop after the current step at which averaged multipliers are read; it depends on the step alone. NULL:
   * the next one. */
  long (*read)(void *context);
  /* Between stops each group is observed by itself: observe_after gives the first such step after this one,
   * and whether momenta are read there (else `p` of a trail may be anything), observe_group is called at or after it,
   * with the step of the batch and the record at the last of the states. NULL: never. Only of a stepper that goes by
   * groups, and is not to be halted. */
  long (*observe_after)(void *context, long step, bool *momenta);
  void (*observe_group)(void *context, int group, const cst_trail *way);
  bool one_by_one; /* an observation is of one state only */
} cst_schedule;
/* True if it steps one group after another from stop to stop, and groups share nothing on the way. */
bool cst_stepper_goes_by_groups(const cst_stepper *s);
/* Advances from stop to stop, within one SNESSolve if the SNES type allows it. */
cst_error cst_stepper_follow(cst_stepper *s, cst_batch *b, const cst_schedule *schedule);

/* ---- a lane apart ---------------------------------------------------------------------------- */

/* A lane of its own, into which a lane of a batch is copied to be stepped again, also by a part of its step.
 *
 * Whole steps have the bits that they have there, so that a state between two copies can
 * be reached again. The batch is not changed. All memory is allocated in create.
 */
typedef struct cst_scratch_lanes cst_scratch_lanes;

/* Of the same method and options as the stepper of the batch, whatever their `groups`; resolution as there. */
cst_error cst_scratch_create(const cst_prepared *p, const cst_stepper_options *options,
                             double resolution, cst_scratch_lanes **scratch);
cst_error cst_scratch_destroy(cst_scratch_lanes **scratch);

/* Copies lane `lane` of a record of the batch. */
void cst_scratch_copy(cst_scratch_lanes *x, const double *record, int lane);
/* The number of steps behind a record's lane, as the record counts them. */
long cst_scratch_step(const cst_scratch_lanes *x, const double *record, int lane);
/* Steps the copy to step `to`; *good: it did not fail. */
cst_error cst_scratch_advance(cst_scratch_lanes *x, long to, bool *good);
/* Keeps the state of the copy; makes `part` of a step from the state that was kept. fine: constraints are solved to
 * round-off, whatever the tolerance of the lane. */
void      cst_scratch_keep(cst_scratch_lanes *x);
cst_error cst_scratch_from_kept(cst_scratch_lanes *x, double part, bool fine, bool *good);

/* Several states side by side, each by a step of its own: keep_as keeps the state of the copy as number i, of
 * at most cst_scratch_width; each_from_kept makes part[i] of a step from each of the first n. State i then stands in
 * lane i of the record, with the bits that it has alone. A width of 1: the method steps one at a time. */
int       cst_scratch_width(const cst_scratch_lanes *x);
void      cst_scratch_keep_as(cst_scratch_lanes *x, int i);
cst_error cst_scratch_each_from_kept(cst_scratch_lanes *x, int n, const double *part, bool fine,
                                     bool *good);

/* The copy: a record in whose lanes it stands, and its stepper. The kept state, as a record. */
const double      *cst_scratch_record(const cst_scratch_lanes *x);
const double      *cst_scratch_kept(const cst_scratch_lanes *x);
const cst_stepper *cst_scratch_stepper(const cst_scratch_lanes *x);
/* Whether a step of another length is one of the method: none of its substeps needs equal steps, or sets the length. */
bool cst_scratch_shortens(const cst_prepared *p);
#endif
