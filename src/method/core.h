/* core.h: interface of a core: the arithmetic of one kind of substep on a group of lanes, compiled for one
 * instruction set.
 *
 * A core is either generic (any system, kernels through pointers) or sized (one system, kernels inlined); both
 * give the same bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_H
#define CST_CORE_H
#include <stdbool.h>
#include <stddef.h>
#include "method/reason.h"
#include "system/lane/record.h"

typedef struct {
  long steps; /* whole steps before a lane fails; n if none does */
  /* bits of the lanes that fail in the next step, or whose state is not finite after `steps` */
  int        lanes;
  cst_reason reason;
} cst_outcome;

/* State that a core's functions keep between calls, per group: which lanes are done with this substep, the
 * scale for the size of an update, the progress of the iteration (march.h). */
typedef struct {
  double size[CST_W_MAX] __attribute__((aligned(64)));
  double course[10 * CST_W_MAX] __attribute__((aligned(64)));
  long   done[CST_W_MAX] __attribute__((aligned(64)));
  /* of lanes that are done: whether the solution is the step (core/near-root.h) */
  long sure[CST_W_MAX] __attribute__((aligned(64)));
} cst_scratch;

enum {
  CST_LANE_DATA = 112,
  CST_PAST = 5, /* orders of differences that unknowns are extrapolated by (core/march.h) */
  CST_DUE_STEPS =
      16384,     /* for which two corrections are due where one did not do (core/march-iterate.h) */
  CST_TRAIL = 32 /* states between two looks at a march */
};

/* The kick of a thermostat after a substep (core/noise.c), as a sum of `increments` shared parts. decay,
 * spread: the factor on p and the standard deviation of each part. If by_mass is set, rate (times the length
 * of a part) and warmth, the temperature, apply for each mass. */
typedef struct cst_noise cst_noise;
/* record: of the group; steps: number of steps before this one, integers [W]; q and p: [nq][W], aligned. */
typedef void cst_noise_kick(const cst_context *C, const cst_noise *x, const double *record,
                            const double *steps, const double *q, double *p);
struct cst_noise {
  cst_noise_kick *kick;
  double          decay, spread, rate, warmth;
  long            increments, stream;
  int             by_mass;
};

/* A substep as lane code reads it. */
typedef struct {
  /* of each lane, made from the record's h where that has changed: its length, the time of its beginning after
   * that of the step, the length of the step. Groups that march side by side have the same. */
  double           h[CST_W_MAX] __attribute__((aligned(64)));
  double           start[CST_W_MAX] __attribute__((aligned(64)));
  double           whole[CST_W_MAX] __attribute__((aligned(64)));
  const cst_noise *noise;                /* noise after it; NULL: none */
  _Alignas(16) char data[CST_LANE_DATA]; /* the core's `struct data` */
} cst_lane_substep;

/* Groups that march side by side, at most. */
enum { CST_BESIDE = 4 };

/* How a march is looked at on its way: at some of its steps, whose states it keeps on a trail, or one by one
 * in its records. Steps count from its beginning. */
typedef struct {
  void *context;
  /* Sets `at` to the next steps at which it is looked at, those after `done`, and one more that is never
   * reached, and `momenta`; returns their number: at most CST_TRAIL, 1 without a trail, 0 if there are none
   * before the end. */
  int (*plan)(void *context, long done);
  /* Called when the records are complete as at the end of a march: after the last of these n steps, or, with
   * a trail, later. */
  void (*look)(void *context, int n);
  const long *at;
  const bool *momenta; /* whether p is read there; else a trail may have anything in its place */
  double     *trail[CST_BESIDE]; /* of each group [n][q, p][W]; NULL: it has no trail */
} cst_march_observer;

/* The arguments of a core besides a record: the group, first, so that lane code for a group can be called
 * with it, and consecutive substeps of one step in this core, with equal sizes. */
typedef struct {
  cst_context group;
  int         opens; /* they are the first of a step: the sum of impulses starts here */
  /* they are the last of a step: afterwards the record's step count increases */
  int                     closes;
  int                     nsub;
  const cst_lane_substep *sub;      /* [nsub] */
  int                     stages;   /* per substep, as its row counts them (substep.h) */
  int                     unknowns; /* per substep; kept unknowns are [nsub][unknowns] at `warm` */
  int                     warm;     /* their first component in the record */
  /* motions are smooth: starts of unknowns may be extrapolated from kept ones (march.h) */
  int smooth;
  /* corrections come from elsewhere, and are Newton's: none is bent (core/bend.h) */
  int straight;
  int max_iterations;
  /* 0: the usual one. At the step of a failed lane, alone: 1: with pivoting; 2: also from a start of the
   * iteration that is closer to the solution */
  int attempt;
  int compensated;
  /* those of the record, [W] */
  const double             *origin;
  const long               *since;
  const cst_march_observer *observer; /* NULL: none */
} cst_march;

/* What opens whole steps (substep.h): fills its blocks of a record between steps. m->sub[0] is the whole step, by the
 * lengths from before. */
typedef cst_outcome cst_open(const cst_march *m, double *record);

typedef struct cst_core {
  /* Number of workspace vectors that the context must provide; 0 for a sized core. */
  size_t (*room)(const cst_march *m);
  /* Advances the record by n steps. If the outcome is not CST_DONE, the record is left as it was at the last
   * observation, or at the beginning. */
  cst_outcome (*march)(const cst_march *m, double *record, long n);
  /* The same for `beside` records side by side, or for two, which takes less time; 1: none are. Whose lane
   * fails is not told. */
  int beside;
  cst_outcome (*march_beside)(const cst_march *m, int count, double *const *record, long n);
  /* Substep j in parts: x, f, d are [unknowns][W]. begin fills x with the warm start and resets the scratch;
   * residual returns the bits of the lanes that are still active; direction gives d such that x + d is the
   * next iterate (0 in lanes that are done); finish ends the substep. */
  int (*begin)(const cst_march *m, const double *record, int j, double *x, cst_scratch *s);
  int (*residual)(const cst_march *m, const double *record, int j, const double *x, double *f,
                  cst_scratch *s);
  void (*direction)(const cst_march *m, double *record, int j, const double *x, const double *f,
                    double *d, cst_scratch *s);
  void (*correct)(const cst_march *m, const double *record, int j, double *x, const double *d,
                  cst_scratch *s);
  cst_outcome (*finish)(const cst_march *m, double *record, int j, const double *x);
  /* Of generic cores, else NULL; the march must be a further attempt. The bits of the lanes in which x is at rest at the
   * round-off of the substep's equations (core/round-off.h), or is after a correction, which x then has; and the
   * round-off of each residual at x. */
  int (*rests)(const cst_march *m, const double *record, int j, double *x);
  void (*round_off)(const cst_march *m, const double *record, int j, const double *x,
                    double *noise);
  /* Whether it applies the noise after its substeps, and keeps a trail. */
  int             takes_noise, keeps_trail;
  cst_noise_kick *kick; /* of the core of a thermostat; else NULL */
  cst_open       *open; /* of what opens steps, which then is all that it has; else NULL */
} cst_core;

/* The march of a core with lanes over parts of one trajectory, compiled for one system. Bits are those of the
 * core. */
typedef struct {
  size_t (*room)(const cst_march *m); /* vectors of work space */
  /* The same as a core's march, or 0 where that is faster. */
  int (*march)(const cst_march *m, double *record, long n, cst_outcome *outcome);
} cst_solo_core;
#endif
