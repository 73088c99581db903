/* inverse-root.h: 1/sqrt(x) at a third of the cost of a root and a division of doubles.
 *
 *   y0 = 1/sqrt(x) in single precision,   e = 1 - (x y0) y0,   y = y0 + (y0 e) (1/2 + 3/8 e)
 *
 * One step of third order (Householder) from a start that is off by 2^-22 at most leaves 2e-20 beside round-off: y is as near as
 * 1/sqrt(x) is with two roundings. Roots, quotients and conversions of single precision are IEEE operations too, so that the bits of y are
 * a function of x on every machine. That holds for 2^-129 <= x < 2^127, where single precision holds x; beyond, zeros, infinities, negative
 * numbers and what is none included, it is 1/sqrt(x) itself.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_INVERSE_ROOT_H
#define CST_INVERSE_ROOT_H
#include <math.h>
#include "constella/lanes.h"

static inline double cst_inverse_root(double x) {
  if (!(x >= 0x1p-129 && x < 0x1p127)) return 1 / sqrt(x);
  const double y = (double)(1.0f / sqrtf((float)x)), e = 1.0 - (x * y) * y;
  return y + (y * e) * (0.5 + 0.375 * e);
}

CST_INLINE vd cst_inverse_root_start(vd x) {
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE)
  return (vd)_mm512_cvtps_pd(_mm256_div_ps(_mm256_set1_ps(1), _mm256_sqrt_ps(_mm512_cvtpd_ps((__m512d)x))));
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
  return (vd)_mm256_cvtps_pd(_mm_div_ps(_mm_set1_ps(1), _mm_sqrt_ps(_mm256_cvtpd_ps((__m256d)x))));
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
  return (vd)_mm_cvtps_pd(_mm_div_ps(_mm_set1_ps(1), _mm_sqrt_ps(_mm_cvtpd_ps((__m128d)x))));
#else
  for (int l = 0; l < CST_W; l++) x[l] = (double)(1.0f / sqrtf((float)x[l]));
  return x;
#endif
}

/* Of x in that range; any number elsewhere. */
CST_INLINE vd cst_inverse_root_inside(vd x) {
  const vd y = cst_inverse_root_start(x), e = 1.0 - (x * y) * y;
  return y + (y * e) * (0.5 + 0.375 * e);
}

/* Lanes of which one of the highest four bits is set hold an x out of that range: its exponent is one of 256 neighbours. The marks of
 * several x may be joined by |. */
CST_INLINE vl cst_inverse_root_mark(vd x) { return (vl)x - 0x37e0000000000000L; }
CST_INLINE vl cst_inverse_root_outside(vl marks) { return (vl)((marks & (long)0xf000000000000000UL) != 0); }

CST_INLINE int cst_inverse_root_any(vl marks) {
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE)
  return _mm512_test_epi64_mask((__m512i)marks, _mm512_set1_epi64((long)0xf000000000000000UL)) != 0;
#else
  return vany(cst_inverse_root_outside(marks));
#endif
}

CST_INLINE vd vrsqrt(vd x) {
  const vl marks = cst_inverse_root_mark(x);
  vd       y = cst_inverse_root_inside(x);
  if (__builtin_expect(cst_inverse_root_any(marks), 0)) y = vselect(cst_inverse_root_outside(marks), 1.0 / vsqrt(x), y);
  return y;
}

/* The same for a text that takes many of them: with care 0 marks gathers what all must be free of, and nothing is looked at. */
CST_INLINE vd cst_inverse_root_of(int care, vl *marks, vd x) {
  if (care) return vrsqrt(x);
  *marks |= cst_inverse_root_mark(x);
  return cst_inverse_root_inside(x);
}
#endif
