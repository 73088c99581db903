/* observer.h: observers, which measure along trajectories: each is a row, one file and one line in observers.h
 * (docs/adding.md).
 *
 * An observer measures quantities of a group of lanes. A quantity has a value x and a scale S, the size of
 * the terms that x is the sum of. The fold (observe.h) reduces each to a few numbers during the run: x(0),
 * the largest |x - x(0)|, the largest S and the sum of all S, the sum of x - x(0) since the last window, the
 * last x, and of quantities that the motion changes the least and the largest x.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OBSERVER_H
#define CST_OBSERVER_H
#include <stdbool.h>
#include "constella/expr.h"
#include "system/system.h"
#include "expr/bound.h"
#include "system/lane/record.h"

typedef struct {
  char        name[48];
  const char *unit, *doc; /* borrowed */
  bool        drifts;     /* reported as x - x(0): energy, momenta, expressions; else as x itself */
  bool        judged;     /* it gets a verdict */
  bool windows; /* its means over windows are kept: of judged quantities, and of the displacement */
  /* the motion changes it: its least and its largest value are NAME_min and NAME_max, and the largest |x - x(0)| is
   * NAME_change, which of other quantities is NAME_max */
  bool moves;
} cst_quantity;

/* An observer in one study. */
typedef struct cst_observation {
  const struct cst_observer *row;
  const cst_system          *system;
  bool                       wanted; /* else its values are NaN and its scales 1 */
  int hidden_norm; /* of G v over the constraints: 0 the maximum, 1 the sum, 2 the Euclidean norm */
  const char *name; /* of an expression of the user: its name, its text, ... */
  const char *expression;
  cst_tape   *tape;         /* ... and its program; owned by the plan */
  int         first, count; /* quantities of the study */
  bool        moves;        /* one of them does */
} cst_observation;

/* What a measurement does with the kept numbers of an observer: reads them; updates them; sets them, at the
 * start. */
typedef enum { CST_KEEP_NOT, CST_KEEP, CST_KEEP_FIRST } cst_keep;

/* A group of lanes at one step. Arrays are [components][W]. */
typedef struct {
  const struct cst_context *context;
  const double             *record, *q0, *v; /* q0: coordinates at the start */
  const double             *lambda, *time;   /* lambda: only where some observer needs it */
  double                   *scratch;         /* of tapes */
  const double
          *state; /* the block that row->state names, [n][W]; NULL: the method has no such block */
  int      isa;
  int      alive; /* bits of the lanes that have not failed */
  cst_keep keep;
  double   freedom; /* degrees of freedom of the kinetic energy under the method (plan.h) */
} cst_view;

/* Numbers per lane that an observer keeps from one observation to the next, in this order: single ones,
 * vectors of nq numbers, vectors of ng. */
typedef struct {
  int one, q, g;
} cst_observer_keeps;

/* Computes values and scales of the quantities of an observation, [count][W]; kept[cst_observer_kept][W] is
 * zero at the start. */
typedef void cst_measure(const cst_observation *look, const cst_view *view, double *kept,
                         double *value, double *scale);

/* States of a group on its way, in their order: q and p of the first, those of each further one `stride`
 * numbers on; velocities [n][nq][W], times [n][W]. */
typedef struct {
  int           n;
  size_t        stride;
  const double *q, *p, *v, *time;
} cst_states;

/* A state of one trajectory, with what its numbers are uncertain by. */
typedef struct {
  const cst_bounded *c, *q, *p, *v, *time;
} cst_bounded_state;

/* Values at each of n states, [W], those of each further one `stride` numbers on. */
typedef struct {
  const double *at;
  size_t        stride;
} cst_traced;

typedef struct cst_observer {
  const char *name, *doc; /* as the study file and `constella list observables` have it */
  bool        always;     /* it is in every study; a study does not name it */
  /* it is only observed where the study file names it, not where that names no observables */
  bool     optional;
  bool     expression; /* one observation for each expression of the user, under its name */
  bool     averages;   /* a study that names it computes time averages */
  unsigned needs;      /* 0, or CST_NEEDS_EQUAL_STEPS */
  cst_observer_keeps kept;
  /* A block of numbers that substeps carry from step to step (method/substep.h), which it reads as view->state;
   * NULL: none. The block is that of the record, so all its states are looked at one by one. */
  const char *state;
  /* Why it cannot observe a system, as the end of "'NAME': SYSTEM ..."; NULL: it can. A member NULL: it
   * always can. */
  const char *(*refuse)(const cst_system *s);
  int (*count)(const cst_system *s); /* quantities; NULL: one */
  void (*describe)(const cst_observation *look, int k, cst_quantity *q);
  cst_measure *measure; /* NULL: lane code in fold.c */
  /* Where it measures itself: its single quantity, with its magnitude as its scale, at each of the states; room has
   * [n][W] for it. */
  cst_traced (*along)(const cst_observation *look, const cst_view *view, const cst_states *states,
                      double *room);
  /* x[count] := its quantities with bounds of what rounds in them. NULL, or false: none are known. */
  bool (*bound)(const cst_observation *look, const cst_bounded_state *now, cst_bounded *x);
  /* The path, with the observer's name, under which the kept numbers are written into the result,
   * [case][member][kept]; NULL: they are not. */
  const char *path, *path_doc;
} cst_observer;

/* A state of one trajectory with steps h. uniform[nq]: the coordinates whose momenta nothing has changed; NULL: none. */
typedef struct {
  const double *c, *q, *p, *v, time, h;
  const bool   *uniform;
} cst_plain_state;

/* By how much forces, those of constraints among them, and accelerations are uncertain where the last bits of a state are;
 * force[nq], acceleration[nq]. NaN: not known. */
void cst_observers_rounding_forces(const cst_system *s, const cst_plain_state *at, double *force,
                                   double *acceleration);

/* By how much round-off may change the quantities of n observations, at their places in each array: where the last bits of
 * the state and the forces of a step are rounded, and where they are evaluated. NaN: not known; unwanted ones stay. */
void cst_observers_rounding(const cst_observation *look, int n, const cst_plain_state *at,
                            double *stepped, double *evaluated);

/* Numbers per lane that an observation keeps. */
static inline int cst_observer_kept(const cst_observation *look) {
  const cst_observer_keeps *k = &look->row->kept;
  return k->one + k->q * look->system->nq + k->g * look->system->ng;
}

/* The rows, in the order of their quantities; at most CST_MOST_OBSERVERS. */
extern const cst_observer *const cst_observers[];
extern const int                 cst_observer_count;
enum { CST_MOST_OBSERVERS = 64 };
/* The row of the file src/observe/name.c. */
#define CST_OBSERVER(name)                                                                         \
  ({                                                                                               \
    extern const cst_observer cst_observer_##name;                                                 \
    &cst_observer_##name;                                                                          \
  })
#endif
