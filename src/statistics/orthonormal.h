/* orthonormal.h: orthonormalises vectors of many lanes, compiled for each instruction set
 * (statistics/core/orthonormal.c).
 *
 * k vectors w of n numbers, of which the first `in` are those that count, with weights: <x, y> = sum_e weight_e
 * x_e y_e. Arrays have the lanes last, w[k][n][W], weight[in][W], and are aligned to 64 bytes.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_ORTHONORMAL_H
#define CST_ORTHONORMAL_H
#include "constella/isa.h"

/* What a group of lanes is: at[n] are the components of the numbers in records of W lanes; near[k] are records. */
typedef struct {
  int           k, n, in;
  const int    *at;
  const double *base;
  double      **near;
} cst_near;

/* w := near - base. */
typedef void cst_near_take(const cst_near *x, double *w);
/* near := base + distance w. */
typedef void cst_near_put(const cst_near *x, double distance, const double *w);
/* w becomes orthonormal, by Gram and Schmidt, twice where round-off counts; growth[k][W]: the length of the i-th
 * without its parts along those before, 0 or not finite where it has no direction. scratch[n][W]. */
typedef void cst_orthonormalise(int k, int n, int in, const double *weight, double *w,
                                double *growth, double *scratch);

/* Those of an instruction set: cst_lane_form(isa, "orthonormal"). */
typedef struct {
  cst_near_take      *take;
  cst_near_put       *put;
  cst_orthonormalise *orthonormalise;
} cst_orthonormal;
#endif
