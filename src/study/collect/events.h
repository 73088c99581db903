/* events.h: events of a study: sign changes of an expression along trajectories, or times that come back, and
 * what is taken there; shared by the files of the collector `events`. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_EVENTS_H
#define CST_EVENTS_H
#include "study/collect/expressions.h"

enum { CST_EVENTS_MOST = 16, CST_EVENT_UP = 1, CST_EVENT_DOWN = 2 };

typedef struct {
  cst_named named; /* with the expression `when`, one; none: */
  double   *every; /* [nvariant] the time after which it comes back; NULL: there is `when` */
  int       way;   /* the key `direction`: of its words; and as bits */
  unsigned  direction;
  /* it is made of steps and signs, so that where it jumps is where it is meant; or it is of a result of an earlier program,
   * to which all changes of sign were events */
  bool            steps;
  cst_expressions take;
  char          **text; /* [take.n] */
  long            keep; /* of each trajectory, at most */
  bool            stop; /* it ends the trajectory */
} cst_event;

/* events-keys.c: its keys, and what it reads into a cst_named_list of these. */
extern const cst_key cst_events_keys[];
void                 cst_events_read(cst_reader *r, void *request);

/* events-locate.c: steps copies of lanes to where an event is. */
typedef struct cst_locator cst_locator;
cst_locator               *cst_locator_create(const cst_runner *r);
void                       cst_locator_destroy(cst_locator *x);
/* It keeps a record of each group, from which lanes are stepped again: when the batch has been set to a step, when its
 * lanes go on with other parameters, and when a group has been looked at up to a step. */
void cst_locator_begin(cst_locator *x, long step);
void cst_locator_changed(cst_locator *x);
void cst_locator_passed(cst_locator *x, int group, long step);
/* Copies a lane of the batch and steps it to `step`, before the step in which the event is. */
cst_error cst_locator_open(cst_locator *x, int group, int lane, long step);
/* Finds, in this step, where `when`, which is `before` and `after` at its ends, changes its sign; or goes to
 * the time `at` of it. The state is then there; its time. jumps: whether the change is no root: a pole, or a cut, as of
 * atan2, at which `when` is no smaller than elsewhere in the step. */
cst_error cst_locator_find(cst_locator *x, const cst_values *when, double before, double after,
                           double *time, bool *jumps);
cst_error cst_locator_go(cst_locator *x, double at);
/* The values of expressions at the state. */
void cst_locator_take(cst_locator *x, const cst_values *take, double *value);
/* The state before the step: a column of a record, with stride W. */
const double *cst_locator_before(const cst_locator *x);
#endif
