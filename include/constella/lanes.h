/* lanes.h: one double per lane: the vector type of the kernels and cores, and its operations.
 *
 * A file that includes this is compiled once for every instruction set with CST_W lanes and CST_ISA as the suffix of its exported names
 * (v2: 2 lanes, v3: 4, v4: 8, portable: 4 in plain C). Every operation acts on each lane alone and is one IEEE operation, or
 * a SLEEF cinz function (which never contracts), so the bits of a lane do not depend on the width. Masks are all-ones or
 * all-zeros per lane.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_LANES_H
#define CONSTELLA_LANES_H
#include <math.h>
#include <sleef.h>
#if defined(__x86_64__) && !defined(CST_PORTABLE)
#include <immintrin.h>
#endif

#ifndef CST_W
#define CST_W 4
#endif
#ifndef CST_ISA
#define CST_ISA portable
#endif
#define CST_PASTE2(a, b) a##_##b
#define CST_PASTE(a, b)  CST_PASTE2(a, b)
#define CST_NAME(name)   CST_PASTE(name, CST_ISA) /* cst_thing -> cst_thing_v4 */

typedef double vd __attribute__((vector_size(8 * CST_W), may_alias));
typedef long   vl __attribute__((vector_size(8 * CST_W), may_alias));

#define CST_INLINE static inline __attribute__((always_inline, unused))
#define CST_UNROLL _Pragma("GCC unroll 64")

CST_INLINE vd vset(double a) { return a - (vd){}; } /* keeps -0 */
CST_INLINE vl vmask(int on) { return (vl){} - (long)(on != 0); }
CST_INLINE vd vselect(vl m, vd a, vd b) { return (vd)(((vl)a & m) | ((vl)b & ~m)); } /* m ? a : b */
CST_INLINE vd vkeep(vl m, vd a) { return (vd)((vl)a & m); }                          /* m ? a : 0 */
CST_INLINE vd vabs(vd a) { return (vd)((vl)a & ((vl){} + 0x7fffffffffffffffL)); }
/* a > b ? a : b, and a < b ? a : b: b where either is NaN, or both are zero. */
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE)
CST_INLINE vd vmax(vd a, vd b) { return (vd)_mm512_max_pd((__m512d)a, (__m512d)b); }
CST_INLINE vd vmin(vd a, vd b) { return (vd)_mm512_min_pd((__m512d)a, (__m512d)b); }
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
CST_INLINE vd vmax(vd a, vd b) { return (vd)_mm256_max_pd((__m256d)a, (__m256d)b); }
CST_INLINE vd vmin(vd a, vd b) { return (vd)_mm256_min_pd((__m256d)a, (__m256d)b); }
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
CST_INLINE vd vmax(vd a, vd b) { return (vd)_mm_max_pd((__m128d)a, (__m128d)b); }
CST_INLINE vd vmin(vd a, vd b) { return (vd)_mm_min_pd((__m128d)a, (__m128d)b); }
#else
CST_INLINE vd vmax(vd a, vd b) { return vselect((vl)(a > b), a, b); }
CST_INLINE vd vmin(vd a, vd b) { return vselect((vl)(a < b), a, b); }
#endif

CST_INLINE vd vpick(int on, vd a, vd b) { /* the same choice in every lane */
  if (on) return a;
  return b;
}

CST_INLINE int vany(vl m) {
#if CST_W == 8 && defined(__AVX512DQ__) && !defined(CST_PORTABLE)
  return _mm512_movepi64_mask((__m512i)m) != 0;
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
  return _mm256_movemask_pd((__m256d)m) != 0;
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
  return _mm_movemask_pd((__m128d)m) != 0;
#else
  long s = 0;
  for (int l = 0; l < CST_W; l++) s |= m[l];
  return s != 0;
#endif
}

CST_INLINE vd vsqrt(vd a) {
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE)
  return (vd)_mm512_sqrt_pd((__m512d)a);
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
  return (vd)_mm256_sqrt_pd((__m256d)a);
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
  return (vd)_mm_sqrt_pd((__m128d)a);
#else
  for (int l = 0; l < CST_W; l++) a[l] = sqrt(a[l]);
  return a;
#endif
}

/* Elementary functions: vector members of the cinz family where the width has one, the scalar member otherwise. */
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p, ...) (vd) Sleef_cinz_##f##d8_##p##avx512fnofma(__VA_ARGS__)
#define CST_V                __m512d
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p, ...) (vd) Sleef_cinz_##f##d4_##p##avx(__VA_ARGS__)
#define CST_V                __m256d
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p, ...) (vd) Sleef_cinz_##f##d2_##p##sse2(__VA_ARGS__)
#define CST_V                __m128d
#endif
#ifdef CST_SLEEF
#define CST_UNARY(name, f)                                                                                                                 \
  CST_INLINE vd name(vd a) { return CST_SLEEF(f, u10, (CST_V)a); }
#define CST_BINARY(name, f)                                                                                                                \
  CST_INLINE vd name(vd a, vd b) { return CST_SLEEF(f, u10, (CST_V)a, (CST_V)b); }
#else
#define CST_UNARY(name, f)                                                                                                                 \
  CST_INLINE vd name(vd a) {                                                                                                               \
    for (int l = 0; l < CST_W; l++) a[l] = Sleef_cinz_##f##d1_u10purec(a[l]);                                                              \
    return a;                                                                                                                              \
  }
#define CST_BINARY(name, f)                                                                                                                \
  CST_INLINE vd name(vd a, vd b) {                                                                                                         \
    for (int l = 0; l < CST_W; l++) a[l] = Sleef_cinz_##f##d1_u10purec(a[l], b[l]);                                                        \
    return a;                                                                                                                              \
  }
#endif
CST_UNARY(vsin, sin)
CST_UNARY(vcos, cos)
CST_UNARY(vtan, tan)
CST_UNARY(vexp, exp)
CST_UNARY(vlog, log)
CST_BINARY(vatan2, atan2)
CST_BINARY(vpow, pow)
#undef CST_UNARY
#undef CST_BINARY
#endif
