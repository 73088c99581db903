/* stepper.h: a method set up to step batches of lanes of one system; all allocation happens in create.
 *
 * A batch is `groups` records (system/group.h) with one bit a lane telling who is alive. Lanes that pad a
 * group, or whose trajectory failed, are ghosts: copies of a living lane, stepped along and never read. Lanes
 * that fail are first stepped again without the others, with pivoting and more iterations; one that fails
 * then too ends there, with its last state and the reason, and the others go on. None of this depends on who
 * else is in the batch.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_STEPPER_H
#define CST_STEPPER_H
#include <petscsys.h>
#include <stdint.h>
#include "constella/method.h"
#include "method/core.h"
#include "method/method.h"

typedef struct cst_stepper cst_stepper;

typedef struct {
  int           isa;    /* index of cst_isas */
  int           groups; /* room for so many */
  int           max_iterations;
  bool          compensated;
  cst_iteration iteration;
  bool          bare; /* it marches only, without a solver of PETSc's, which need not have begun */
} cst_stepper_options;

/* Whether conversions can be solved so on s: all ways but krylov have dense matrices of a few coordinates. */
bool cst_stepper_iteration_possible(cst_iteration asked, const cst_system *s);

/* One lane's fate. */
typedef struct {
  cst_reason reason; /* CST_DONE while it is well */
  long       step;   /* the last step whose state is good */
} cst_lane_status;

typedef struct {
  int              groups;
  double          *record; /* [groups][size] of the stepper, 64-byte aligned */
  double          *last;   /* the same shape: the last good column of lanes that failed */
  int             *alive;  /* [groups] bits */
  cst_lane_status *fate;   /* [groups * width] */
  long             step;   /* steps done by the living */
  int ahead; /* groups, the first ones, that have made the stretch in whose middle an advance was halted:
              * where one of the same length comes next, it leaves them as they are */
} cst_batch;

/* p (method.h) is borrowed until the stepper's end. */
PetscErrorCode cst_stepper_create(const cst_prepared *p, const cst_stepper_options *options,
                                  cst_stepper **stepper);
PetscErrorCode cst_stepper_destroy(cst_stepper **stepper);

int               cst_stepper_groups(const cst_stepper *s); /* room */
int               cst_stepper_width(const cst_stepper *s);
const cst_layout *cst_stepper_layout(const cst_stepper *s);
size_t            cst_stepper_record_size(const cst_stepper *s); /* doubles a group */
/* Evaluations of the force or of the right hand side: fixed ones a step, and those of each solver iteration.
 */
void cst_stepper_evaluations(const cst_stepper *s, double *per_step, double *per_iteration);
/* The method's own multipliers of the step that ended as number `step`, [ng][W]: the sum of its impulses over
 * h. (The impulse of shake's first step is that of half a step.) */
void               cst_stepper_lambda(const cst_stepper *s, const double *record, long step, double *lambda);
const cst_context *cst_stepper_context(const cst_stepper *s); /* sizes and kernels */
const cst_march   *cst_stepper_march(const cst_stepper *s);   /* of the first segment */

PetscErrorCode cst_batch_create(const cst_stepper *s, cst_batch *b);
PetscErrorCode cst_batch_destroy(cst_batch *b);
/* Empty the batch and make room for `lanes` trajectories; cst_batch_start each of them, then cst_batch_ready.
 */
void cst_batch_reset(const cst_stepper *s, cst_batch *b, long lanes);
/* Start lane `index` from the continuous data q, v with parameters c; p = M v + a, or the tangential part of
 * it where the method carries that. */
void cst_batch_start(const cst_stepper *s, cst_batch *b, long index, const double *c, const double *q,
                     const double *v, double tolerance);
/* The same for a trajectory that cannot start: it is recorded with that reason and never stepped. */
void cst_batch_refuse(const cst_stepper *s, cst_batch *b, long index, const double *c, const double *q,
                      const double *v);
/* The random numbers of lane `index`, which has been started, are those of this member; else of seed 0 and
 * member 0. */
void cst_batch_address(const cst_stepper *s, cst_batch *b, long index, uint64_t seed, uint64_t member);
void cst_batch_ready(const cst_stepper *s, cst_batch *b);
/* The column of lane `index` in use: its record, or its last good one when it failed. Entry k is column[k *
 * width]. */
const double *cst_batch_lane(const cst_stepper *s, const cst_batch *b, long index);

/* All that the further steps of lane `index` depend on, and what its row is made of, as so many numbers; and
 * back into a lane that was started with the same data. The batch's step is the caller's; cst_batch_ready
 * follows the last lane. */
size_t cst_batch_numbers(const cst_stepper *s);
void   cst_batch_save(const cst_stepper *s, const cst_batch *b, long index, double *x);
void   cst_batch_restore(const cst_stepper *s, cst_batch *b, long index, const double *x);
/* Whether x, which somebody else may have written, says of its lane how it ended, and at which step from 0 to
 * most, in words that there are. */
bool cst_batch_is_state(const double *x, long most);

/* Dead and padding lanes of a record become copies of a living one. */
void cst_stepper_pad(const cst_stepper *s, double *record, int alive);

/* Fill what substeps keep in a lane's column beside q and p, for a start from q, v with the parameters c. */
void cst_stepper_start(const cst_stepper *s, double *column, const double *c, const double *q,
                       const double *v);

/* The address of a lane's random numbers. */
void cst_stepper_address(const cst_stepper *s, double *column, uint64_t seed, uint64_t member);

/* Where multipliers are means over a time (cst_properties.mean), they end where they are read: next gives the
 * first step behind the batch's own at which they are. Left out, wherever an advance ends. Means end no
 * earlier than the last read. */
typedef long cst_next_read(void *context);
void         cst_stepper_read_at(cst_stepper *s, cst_next_read *next, void *context);

/* The length of the increments that noise is made of, of which every step has a whole number, from the next
 * set_step on; 0: the step. */
void cst_stepper_set_resolution(cst_stepper *s, double resolution);
/* The step of the batches that follow. */
void cst_stepper_set_step(cst_stepper *s, double h);
/* A record with `step` steps behind it is at that time, from where steps are counted; 0 at 0 until this is
 * called. */
void cst_stepper_set_time(cst_stepper *s, double time, long step);
/* n further steps of every living lane. */
PetscErrorCode cst_stepper_advance(cst_stepper *s, cst_batch *b, long n);

/* Whether to halt in the middle of an advance, asked between groups of lanes and between attempts at a step
 * that fails; NULL: never. What the batch holds afterwards is of no use, but for groups that are ahead. */
typedef bool cst_halt(void *context);
void         cst_stepper_halt_by(cst_stepper *s, cst_halt *halt, void *context);
bool         cst_stepper_halted(const cst_stepper *s); /* the last advance was */

/* Where a batch stops on its way: next gives the step of the next stop (the current one: enough for now),
 * look is called there. */
typedef struct {
  void *context;
  long (*next)(void *context);
  PetscErrorCode (*look)(void *context);
} cst_schedule;
/* The same from stop to stop, all within one SNESSolve where the SNES type allows it. */
PetscErrorCode cst_stepper_follow(cst_stepper *s, cst_batch *b, const cst_schedule *schedule);
#endif
