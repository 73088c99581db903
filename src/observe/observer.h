/* observer.h: what is measured along trajectories, as rows: each observer is one file and one line in list.h (docs/adding.md).
 *
 * An observer measures quantities of a group of lanes. A quantity has a value x and a scale S, the size of the terms that x is the sum of.
 * The fold (observe.h) makes a few numbers of each as the run goes: x(0), the largest |x - x(0)|, the largest S and the sum of all S, the
 * sum of x - x(0) since the last window, the last x.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OBSERVER_H
#define CST_OBSERVER_H
#include <stdbool.h>
#include "constella/expr.h"
#include "constella/system.h"

typedef struct {
  char        name[48];
  const char *unit, *doc; /* borrowed */
  bool        drifts;     /* reported as x - x(0): energy, momenta, the user's; else as x itself */
  bool        judged;     /* it gets a verdict */
  bool        windows;    /* its means over windows are kept: of what is judged, and of the displacement */
} cst_quantity;

/* An observer in one study. */
typedef struct cst_observation {
  const struct cst_observer *row;
  const cst_system          *system;
  bool                       wanted;      /* else its values are NaN and its scales 1 */
  int                        hidden_norm; /* of G v over the constraints: 0 the maximum, 1 the sum, 2 the Euclidean norm */
  const char                *name;        /* of an expression of the user's: its name, its text, ... */
  const char                *expression;
  cst_tape                  *tape;         /* ... and its program; owned by the plan */
  int                        first, count; /* quantities of the study */
} cst_observation;

/* How a measurement treats what an observer keeps: reads it; brings it up to date; sets it, at the start. */
typedef enum { CST_KEEP_NOT, CST_KEEP, CST_KEEP_FIRST } cst_keep;

/* A group of lanes at one step. Arrays are [components][W]. */
typedef struct {
  const struct cst_context *context;
  const double             *record, *q0, *v; /* q0: coordinates at the start */
  const double             *lambda, *time;   /* lambda: only where some observer needs it */
  double                   *scratch;         /* of tapes */
  int                       isa;
  int                       alive; /* bits of the lanes that have not failed */
  cst_keep                  keep;
  double                    freedom; /* degrees of freedom that share the kinetic energy under the method (plan.h) */
} cst_view;

/* Values and scales of the quantities of a look, [count][W]; kept[row->kept][W] is zero at the start. */
typedef void cst_measure(const cst_observation *look, const cst_view *view, double *kept, double *value, double *scale);

typedef struct cst_observer {
  const char *name, *doc; /* as the study file and `constella list observables` have it */
  bool        always;     /* it is in every study, and is not named */
  bool        optional;   /* it is looked at only where the study file names it, not where this names nothing */
  bool        expression; /* there is one for each expression of the user's, under its name */
  bool        averages;   /* a study that names it takes time averages */
  int         kept;       /* numbers of a lane that it keeps from look to look */
  /* Why it cannot observe a system, as an end of "'NAME': SYSTEM ..."; NULL: it can. A member NULL: it always can. */
  const char *(*refuse)(const cst_system *s);
  int (*count)(const cst_system *s); /* quantities; NULL: one */
  void (*describe)(const cst_observation *look, int k, cst_quantity *q);
  cst_measure *measure; /* NULL: lane code, which fold.c has */
  /* What it keeps is also written into the result, [case][member][kept], under this path and its name; NULL: it is not. */
  const char *path, *path_doc;
} cst_observer;

/* The rows, in the order of their quantities. */
#define OBSERVER(name)       CST_OBSERVER_##name,
#define PLAIN_OBSERVER(name) CST_OBSERVER_##name,
enum {
#include "observe/list.h"
  CST_OBSERVERS
};
#undef OBSERVER
#undef PLAIN_OBSERVER
extern const cst_observer *const cst_observers[CST_OBSERVERS];
#endif
