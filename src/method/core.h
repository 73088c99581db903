/* core.h: the face of a core: the arithmetic of one kind of substep on a group of lanes, compiled for one
 * instruction set.
 *
 * A core is either generic (any system, kernels through pointers) or hot (one system, kernels inlined); both
 * give the same bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_H
#define CST_CORE_H
#include <stddef.h>
#include "system/group.h"

/* How a trajectory ended; CST_NO_START: its start could not be projected on the constraints. The numbers
 * stand in result files. */
typedef enum { CST_DONE, CST_NOT_CONVERGED, CST_NOT_FINITE, CST_NO_START } cst_reason;

typedef struct {
  long steps; /* whole steps that can be made before a lane fails; n when none does */
  int  lanes; /* bits of the lanes that fail in the next one, or whose state is not finite after `steps` */
  cst_reason reason;
} cst_outcome;

/* What the pieces keep between calls, per group: which lanes are done with this substep, what the size of an
 * update is compared with, how the iteration goes (march.h). */
typedef struct {
  double size[CST_W_MAX] __attribute__((aligned(64)));
  double course[8 * CST_W_MAX] __attribute__((aligned(64)));
  long   done[CST_W_MAX] __attribute__((aligned(64)));
} cst_scratch;

enum {
  CST_LANE_DATA = 112,
  CST_PAST = 5,         /* orders of differences that unknowns are extrapolated by (core/march.h) */
  CST_DUE_STEPS = 16384 /* for which two corrections are due where one did not do (core/extrapolate.h) */
};

/* The kick of a thermostat behind a substep (core/noise.c), of `increments` shared parts: what is left of p
 * and the deviation of what is added in each; where `by_mass` the rate times the length of one and the
 * temperature, for each mass. */
typedef struct cst_noise cst_noise;
/* record: of the group; steps: the number of steps before this one, whole numbers [W]; q and p: [nq][W],
 * aligned. */
typedef void cst_noise_kick(const cst_context *C, const cst_noise *x, const double *record,
                            const double *steps, const double *q, double *p);
struct cst_noise {
  cst_noise_kick *kick;
  double          decay, spread, rate, warmth;
  long            increments, stream;
  int             by_mass;
};

/* One substep as its core reads it. */
typedef struct {
  double           h;            /* its length */
  double           start, whole; /* how far behind the step's start it begins; the length of the step */
  const cst_noise *noise;        /* behind it; NULL: none */
  _Alignas(16) char data[CST_LANE_DATA]; /* the core's own: its `struct data` */
} cst_lane_substep;

/* What a core is given beside a record: the group, first so that lane code which takes a group finds it here,
 * and the substeps of one step that follow one another in this core, alike in their sizes. */
typedef struct {
  cst_context             group;
  int                     opens;  /* they are the first of a step: the sum of impulses starts here */
  int                     closes; /* and the last ones: behind them the record has one step more behind it */
  int                     nsub;
  const cst_lane_substep *sub;      /* [nsub] */
  int                     stages;   /* of each, as its row counts them (substep.h) */
  int                     unknowns; /* of each; those that are kept are [nsub][unknowns] at `warm` */
  int                     warm;     /* their first component in the record */
  int smooth; /* motions are: starts of unknowns may be extrapolated, and what that takes is kept (march.h) */
  int max_iterations;
  int robust; /* solve with pivoting (a lane that failed is stepped again alone); 2: from a start that is
                 nearer by */
  int    compensated;
  double time; /* that of a record with `since` steps behind it */
  long   since;
} cst_march;

typedef struct cst_core {
  /* Vectors of work space that the context must bring. */
  size_t (*room)(const cst_march *m);
  /* Advance the record by n steps. It is changed only when the outcome is CST_DONE. */
  cst_outcome (*march)(const cst_march *m, double *record, long n);
  /* Substep j in pieces: x, f, d are [unknowns][W]. begin fills x with the warm start and resets the scratch;
   * residual returns the bits of the lanes that are still active; direction gives d with x + d the next
   * iterate (0 in lanes that are done); finish ends the substep. A hot core may have none: NULL. */
  int (*begin)(const cst_march *m, const double *record, int j, double *x, cst_scratch *s);
  int (*residual)(const cst_march *m, const double *record, int j, const double *x, double *f,
                  cst_scratch *s);
  void (*direction)(const cst_march *m, double *record, int j, const double *x, const double *f, double *d,
                    cst_scratch *s);
  void (*correct)(const cst_march *m, const double *record, int j, double *x, const double *d,
                  cst_scratch *s);
  cst_outcome (*finish)(const cst_march *m, double *record, int j, const double *x);
  /* Whether it gives the noise behind its substeps. */
  int takes_noise;
} cst_core;

/* The march of a core with lanes over parts of one trajectory, compiled for one system. Bits are those of the
 * core. */
typedef struct {
  size_t (*room)(const cst_march *m); /* vectors of work space */
  /* The same as a core's march, or 0 where that is faster. */
  int (*march)(const cst_march *m, double *record, long n, cst_outcome *outcome);
} cst_solo_core;
#endif
