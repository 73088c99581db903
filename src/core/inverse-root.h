/* inverse-root.h: 1/sqrt(x) at a third of the cost of a root and a division of doubles.
 *
 *   y0 = 1/sqrt(x) in single precision,   e = 1 - (x y0) y0,   y = y0 + (y0 e) (1/2 + 3/8 e)
 *
 * One step of third order (Householder) from a start that is off by 2^-22 at most leaves 2e-20 beside
 * round-off: y is as near as 1/sqrt(x) is with two roundings. Roots, quotients and conversions of single
 * precision are IEEE operations too, so that the bits of y are a function of x on every machine. That holds
 * for 2^-129 <= x < 2^127, where single precision holds x; beyond, zeros, infinities, negative numbers and
 * what is none included, it is 1/sqrt(x) itself.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_INVERSE_ROOT_H
#define CST_INVERSE_ROOT_H
#include <math.h>
#include "constella/lanes.h"

static inline double cst_inverse_root(double x) {
  if (!(x >= 0x1p-129 && x < 0x1p127))
    return 1 / sqrt(x);
  const double y = (double)(1.0f / sqrtf((float)x)), e = 1.0 - (x * y) * y;
  return y + (y * e) * (0.5 + 0.375 * e);
}

/* gcc 12 widens half of a vector at a time where it is not given the instruction. */
#if CST_W == 8
#define CST_ROOTS(x) __builtin_ia32_sqrtps256(x)
#define CST_WIDEN(x) __builtin_ia32_cvtps2pd512_mask(x, vundefined(), -1, 4)
#elif CST_W == 4
#define CST_ROOTS(x) __builtin_ia32_sqrtps(x)
#define CST_WIDEN(x) __builtin_ia32_cvtps2pd256(x)
#endif
#ifdef __clang__
#undef CST_WIDEN
#define CST_WIDEN(x) __builtin_convertvector(x, vd)
#endif
CST_INLINE vd cst_inverse_root_start(vd x) {
#if CST_W > 2 && defined(CST_SQRT)
  typedef float singles __attribute__((vector_size(4 * CST_W)));
  return (vd)CST_WIDEN(1.0f / CST_ROOTS(__builtin_convertvector(x, singles)));
#else
  for (int l = 0; l < CST_W; l++)
    x[l] = (double)(1.0f / sqrtf((float)x[l]));
  return x;
#endif
}

/* Of x in that range; any number elsewhere. */
CST_INLINE vd cst_inverse_root_inside(vd x) {
  const vd y = cst_inverse_root_start(x), e = 1.0 - (x * y) * y;
  return y + (y * e) * (0.5 + 0.375 * e);
}

/* Lanes of which one of the highest four bits is set hold an x out of that range: its exponent is one of 256
 * neighbours. The marks of several x may be joined by |. */
CST_INLINE vl cst_inverse_root_mark(vd x) {
  typedef unsigned long bits __attribute__((vector_size(8 * CST_W), may_alias));
  return (vl)((bits)x - 0x37e0000000000000UL);
}
CST_INLINE vl cst_inverse_root_outside(vl marks) {
  return (vl)((marks & (long)0xf000000000000000UL) != 0);
}

CST_INLINE int cst_inverse_root_any(vl marks) {
#if CST_W == 8 && defined(CST_SQRT) && !defined(__clang__)
  return __builtin_ia32_ptestmq512((vq)marks, (vq){} + (long)0xf000000000000000UL, -1) != 0;
#else
  return vany(cst_inverse_root_outside(marks));
#endif
}

CST_INLINE vd vrsqrt(vd x) {
  const vl marks = cst_inverse_root_mark(x);
  vd       y = cst_inverse_root_inside(x);
  if (__builtin_expect(cst_inverse_root_any(marks), 0))
    y = vselect(cst_inverse_root_outside(marks), 1.0 / vsqrt(x), y);
  return y;
}

/* The same for a text that takes many of them: with care 0 marks gathers what all must be free of, and
 * nothing is looked at. */
CST_INLINE vd cst_inverse_root_of(int care, vl *marks, vd x) {
  if (care)
    return vrsqrt(x);
  *marks |= cst_inverse_root_mark(x);
  return cst_inverse_root_inside(x);
}
#endif
