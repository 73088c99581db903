/* bench.h: the hand-written loops. Those of hand.c: states are [group][q p impulses][W], advanced by n steps
 * of h. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_H
#define BENCH_H
#include <stddef.h>
#define HAND_TOP_MINV                                                                              \
  { 4, 4, 4. / 3, 4, 4, 4. / 3, 4, 4, 4. / 3 } /* catalogue defaults: d = (1/4, 1/4, 3/4) */
#define HAND_TOP_WEIGHT 0.5                    /* m g l */
#define HAND_TOP_INERTIA                                                                           \
  { 1, 1, 0.5 }

typedef void hand_loop(double *state, int groups, double h, long n);
#define HAND_DECLARE(name)                                                                         \
  hand_loop name##_scalar, name##_v2, name##_v3, name##_v4, name##_portable;
HAND_DECLARE(hand_pendulum)
HAND_DECLARE(hand_double)
HAND_DECLARE(hand_top)
HAND_DECLARE(hand_lie)    /* hand-lie.c: states are [group][R alpha][W] */
HAND_DECLARE(hand_angles) /* hand-angles.c: states are [group][angles momenta][W] */

/* hand-chain.c: chains of n beads, states [group][x y px py impulses][n][W]. Returns the iterations of
 * Newton's method, over groups. */
#define HAND_CHAIN_LENGTH2 5.0000000000000009 /* L^2 of the catalogue: sqrt(5) squared */
typedef long    hand_chain_loop(double *state, int groups, int n, double h, long steps);
hand_chain_loop hand_chain_scalar, hand_chain_v2, hand_chain_v3, hand_chain_v4, hand_chain_portable;

/* hand-line.c: modified-pendulum by hbvm(k=6, s=2), states as those of hand.c, tables as
 * cst_legendre_line_tables makes them. */
typedef void   hand_line_loop(double *state, int groups, const double *weighted,
                              const double *integral, double h, long n);
hand_line_loop hand_line_scalar, hand_line_v2, hand_line_v3, hand_line_v4, hand_line_portable;

/* hand-constrained.c: generalised-alpha (stages = 1) or Radau IIA of two or three stages on the double pendulum,
 * states as those of hand.c. */
typedef void hand_constrained_loop(double *state, int groups, int stages, int iterations, double h,
                                   long n);
hand_constrained_loop hand_constrained_scalar, hand_constrained_v2, hand_constrained_v3,
    hand_constrained_v4, hand_constrained_portable;

/* hand-springs.c: the double pendulum on springs by Zhang and Skeel's full method, states [group][q p][W]. */
typedef void      hand_springs_loop(double *state, int groups, double omega, double beta, double h,
                                    long n);
hand_springs_loop hand_springs_scalar, hand_springs_v2, hand_springs_v3, hand_springs_v4,
    hand_springs_portable;
#endif
