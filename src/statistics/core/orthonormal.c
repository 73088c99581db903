/* orthonormal.c: orthonormalises vectors of many lanes; compiled once per instruction set (see lanes.h and
 * orthonormal.h). In each lane they are the operations of one set of vectors in their order.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/lanes.h"
#include "statistics/orthonormal.h"

/* The vectors are short: counting costs as much as the arithmetic. */
#define BY_FOUR _Pragma("GCC unroll 4")

/* Nothing here is stored over what else is read. */
static void take(const cst_near *x, double *w) {
  const cst_near own = *x;
  const vd      *base = (const vd *)own.base;
  vd *restrict to = (vd *)w;
  for (int i = 0; i < own.k; i++, to += own.n) {
    const vd *near = (const vd *)own.near[i];
    BY_FOUR
    for (int e = 0; e < own.n; e++)
      to[e] = near[own.at[e]] - base[own.at[e]];
  }
}

static void put(const cst_near *x, double distance, const double *w) {
  const cst_near own = *x;
  const vd      *base = (const vd *)own.base;
  const vd      *from = (const vd *)w;
  for (int i = 0; i < own.k; i++, from += own.n) {
    vd *restrict near = (vd *)own.near[i];
    BY_FOUR
    for (int e = 0; e < own.n; e++)
      near[own.at[e]] = base[own.at[e]] + distance * from[e];
  }
}

CST_INLINE vd product(const vd *x, const vd *y, const vd *weight, int n) {
  vd sum = {0};
  BY_FOUR
  for (int e = 0; e < n; e++)
    sum += weight[e] * x[e] * y[e];
  return sum;
}

/* Takes the parts along w[i][n], over the first `in` numbers, off x; returns the square of what is left. */
CST_INLINE vd take_off(vd *x, const vd *w, int i, int n, const vd *weight, int in) {
  for (int j = 0; j < i; j++, w += n) {
    const vd part = product(x, w, weight, in);
    BY_FOUR
    for (int e = 0; e < n; e++)
      x[e] -= part * w[e];
  }
  return product(x, x, weight, in);
}

/* The same in the lanes `again`. */
CST_INLINE vd take_off_again(vl again, vd left, vd *x, const vd *w, int i, int n, const vd *weight,
                             int in, vd *scratch) {
  if (!vany(again))
    return left;
  BY_FOUR
  for (int e = 0; e < n; e++)
    scratch[e] = x[e];
  const vd now = take_off(scratch, w, i, n, weight, in);
  BY_FOUR
  for (int e = 0; e < n; e++)
    x[e] = vselect(again, scratch[e], x[e]);
  return vselect(again, now, left);
}

static void orthonormalise(int k, int n, int in, const double *weight, double *w, double *growth,
                           double *scratch) {
  const vd *by = (const vd *)weight, *first = (const vd *)w;
  vd       *x = (vd *)w, *length = (vd *)growth;
  for (int i = 0; i < k; i++, x += n) {
    vd left = product(x, x, by, in);
    if (i) {
      const vd whole = left;
      left = take_off(x, first, i, n, by, in);
      left = take_off_again((vl)(left < whole / 4), left, x, first, i, n, by, in, (vd *)scratch);
    }
    length[i] = vsqrt(left);
    const vd inverse = 1 / length[i];
    BY_FOUR
    for (int e = 0; e < n; e++)
      x[e] *= inverse;
  }
}

extern const cst_orthonormal CST_NAME(cst_orthonormal);
const cst_orthonormal        CST_NAME(cst_orthonormal) = {take, put, orthonormalise};
