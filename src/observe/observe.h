/* observe.h: folds the quantities measured along trajectories into a few numbers per lane during the run
 * (observer.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OBSERVE_H
#define CST_OBSERVE_H
#include "observe/observer.h"
#include "system/lane/record.h"

/* The numbers that a fold has of a quantity, per lane: x(0), the largest |x - x(0)|, the largest scale, the
 * sum of all scales, the sum of x - x(0) since the last window, the last x,
 * the least and the largest x - x(0) since the collector of windows has reset them, the largest scale while
 * |x - x(0)| was at most half of it, and the least and the largest x: of quantities that move, and where values are
 * folded one state at a time of all. */
enum {
  CST_SLOT_START,
  CST_SLOT_DRIFT,
  CST_SLOT_SCALE,
  CST_SLOT_SIZES,
  CST_SLOT_SUM,
  CST_SLOT_LAST,
  CST_SLOT_LOW,
  CST_SLOT_HIGH,
  CST_SLOT_TERMS,
  CST_SLOT_LEAST,
  CST_SLOT_MOST,
  CST_SLOTS
};

/* Measures the quantities of an observation at states of a group and folds them into acc, as measure and fold
 * do after the first. */
typedef void cst_follow(const cst_observation *look, const cst_view *view, const cst_states *states,
                        double *kept, double *acc);

typedef struct {
  /* of the rows of observers.h; NULL: a plain observer's */
  cst_measure *const *measure;
  cst_follow *const  *follow;
  /* Folds n values of one quantity, whose scale is its magnitude, into acc: those of successive states, each `stride`
   * numbers behind the one before. */
  void (*trace)(int n, const double *value, size_t stride, int alive, double *acc);
  /* Folds n quantities of one group into acc[n][CST_SLOTS][W] for the lanes of `alive`; first: starts with
   * these values. */
  void (*fold)(int n, const double *value, const double *scale, int alive, int first, double *acc);
  /* Multipliers from M A = -grad V - G'lambda at the state of the record, [ng][W]. */
  void (*multipliers)(const cst_context *C, const double *record, double *lambda);
  /* Velocities M^-1 (p - a), with the kinetic momentum that belongs to a tangential p; [nq][W]. */
  void (*velocities)(const cst_context *C, const double *record, double *v);
  /* The same at states on the way of the group; [n][nq][W]. */
  void (*speeds)(const cst_context *C, const double *record, const cst_states *states, double *v);
  /* Adds (value - start)^2 of the living lanes, where it is not NaN, to exact bins[n][CST_BINS][W], takes the
   * maximum of its root into top[n][W], adds 1 to count[n][W]. */
  void (*accumulate)(int n, const double *value, const double *acc, int alive, double *bins,
                     double *top, double *count);
  /* The weight of a sample after Fixman, (det G M^-1 G')^(-1/2) over the independent constraints, at the
   * state of the record; [W]. */
  void (*weigh)(const cst_context *C, const double *record, double *weight);
} cst_fold;

/* Bins of an exact sum: bin k holds multiples of 2^(40 k - 160), the sum of up to CST_BIN_TERMS terms per
 * lane without rounding. */
enum { CST_BINS = 6, CST_BIN_TERMS = 1024 };

const cst_fold *cst_fold_for(const cst_system *s, int isa, bool flat);
/* The functions by which a row measures, and follows; the lane code of this fold where it has some. follow:
 * NULL where the row has `along`. */
cst_measure *cst_fold_measure(const cst_fold *fold, const cst_observer *row);
cst_follow  *cst_fold_follow(const cst_fold *fold, const cst_observer *row);
#endif
