/* observe.h: what is measured along trajectories, and how it is folded into a few numbers a lane as the run goes.
 *
 * Built-in quantities of a group, in this order (V of them): energy, one momentum map a declared symmetry, constraint = max_j |g_j|,
 * constraint_scaled = max_j |g_j| / s_j (cst_system_residuals, L_j of the start), hidden = |G v| in the norm that is wanted, hidden_scaled
 * = max_j |G v|_j / (w sum_k |G_jk|) with w the largest |v_k| of any k so far, displacement = |q - q(0)|_2. User expressions follow. Each
 * has a value x and a scale S, the size of the terms that x is the sum of: |T| + |V - V(q(0))| of the energy, since a constant in V moves
 * nothing; sum |p_i xi_i| of a momentum map; s_j and the size of the coordinates of constraint. A fold keeps x(0), max |x - x(0)|, the
 * largest S and the sum of all, the sum of x - x(0) since the last window, and the last x.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_OBSERVE_H
#define CST_OBSERVE_H
#include "system/group.h"

enum { CST_SLOT_START, CST_SLOT_DRIFT, CST_SLOT_SCALE, CST_SLOT_SIZES, CST_SLOT_SUM, CST_SLOT_LAST, CST_SLOTS };
enum { CST_BUILTIN_FIXED = 6 }; /* besides the momenta */

static inline int cst_builtin_count(int nsym) { return CST_BUILTIN_FIXED + nsym; }

/* What a group keeps between its folds, [CST_KEPT][W]: the largest |v_k| of any k so far, and V(q(0)). */
enum { CST_KEPT_SPEED, CST_KEPT_START, CST_KEPT };
/* How a measurement treats it: reads it; raises the speed; sets it, at the start. */
typedef enum { CST_KEEP_NOT, CST_KEEP, CST_KEEP_FIRST } cst_keep;

/* Which quantities are wanted; the others are left out and keep NaN. hidden is max_j |G v|_j, or sum_j |G v|_j, or sqrt(sum_j (G v)_j^2).
 */
enum { CST_WANT_ENERGY = 1, CST_WANT_MOMENTUM = 2, CST_WANT_CONSTRAINT = 4, CST_WANT_HIDDEN_ONE = 8, CST_WANT_HIDDEN_TWO = 16 };

typedef struct {
  /* Values and scales of the built-in quantities of one group, [V][W]. q0 is [nq][W], kept [CST_KEPT][W]. */
  void (*measure)(const cst_context *C, const double *record, const double *q0, double *kept, cst_keep keep, unsigned want, double *value,
                  double *scale);
  /* Fold n quantities of one group into acc[n][CST_SLOTS][W] for the lanes of `alive`; first: start from these values. */
  void (*fold)(int n, const double *value, const double *scale, int alive, int first, double *acc);
  /* Multipliers from M A = -grad V - G'lambda at the state of the record, [ng][W]. */
  void (*multipliers)(const cst_context *C, const double *record, double *lambda);
  /* Velocities M^-1 (p - a), with the kinetic p of a tangential one; [nq][W]. */
  void (*velocities)(const cst_context *C, const double *record, double *v);
  /* Add (value - start)^2 of the living lanes, where it is a number, to exact bins[n][CST_BINS][W], its root's maximum to top[n][W], 1 to
   * count[n][W]. */
  void (*accumulate)(int n, const double *value, const double *acc, int alive, double *bins, double *top, double *count);
} cst_fold;

/* Bins of an exact sum: bin k holds multiples of 2^(40 k - 160), the sum of up to 1024 terms a lane without rounding. */
enum { CST_BINS = 6 };

const cst_fold *cst_fold_for(const cst_system *s, int isa);
#endif
