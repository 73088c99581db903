/* lanes.h: the vector type of kernels and cores, one double per lane, and its operations.
 *
 * A file that includes this is compiled once for every instruction set with CST_W lanes and CST_ISA as the
 * suffix of its exported names (v2: 2 lanes, v3: 4, v4: 8, portable: 4 in plain C). Every operation acts on
 * each lane alone and is one IEEE operation, or a SLEEF cinz function (which never contracts), so the bits of
 * a lane do not depend on the width. Masks are all-ones or all-zeros per lane.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_LANES_H
#define CONSTELLA_LANES_H
#include <math.h>

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
#if CST_W == 8
typedef long long vq
    __attribute__((vector_size(8 * CST_W), may_alias)); /* vl to the compiler's own functions */
#endif

#define CST_INLINE static inline __attribute__((always_inline, unused))
#define CST_UNROLL _Pragma("GCC unroll 64")

CST_INLINE vd vset(double a) { return a - (vd){}; } /* keeps -0 */
CST_INLINE vl vmask(int on) { return (vl){} - (long)(on != 0); }
CST_INLINE vd vselect(vl m, vd a, vd b) { return (vd)(((vl)a & m) | ((vl)b & ~m)); } /* m ? a : b */
CST_INLINE vd vkeep(vl m, vd a) { return (vd)((vl)a & m); }                          /* m ? a : 0 */
CST_INLINE vd vabs(vd a) { return (vd)((vl)a & ((vl){} + 0x7fffffffffffffffL)); }

/* The instructions that C has no operator for, by the compiler's own names: immintrin.h takes longer to read
 * than a core to compile. */
#if CST_W == 8 && defined(__AVX512DQ__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p) Sleef_cinz_##f##d8_##p##avx512fnofma
#ifdef __clang__
#define CST_MAX(a, b) __builtin_ia32_maxpd512(a, b, 4) /* 4: rounding as it is set */
#define CST_MIN(a, b) __builtin_ia32_minpd512(a, b, 4)
#define CST_SQRT(a)   __builtin_ia32_sqrtpd512(a, 4)
#else
CST_INLINE vd vundefined(void) { /* what lanes left out would be */
  vd a = a;
  return a;
}
#define CST_MAX(a, b) __builtin_ia32_maxpd512_mask(a, b, vundefined(), -1, 4)
#define CST_MIN(a, b) __builtin_ia32_minpd512_mask(a, b, vundefined(), -1, 4)
#define CST_SQRT(a)   __builtin_ia32_sqrtpd512_mask(a, vundefined(), -1, 4)
#endif
#define CST_SIGNS(m) __builtin_ia32_cvtq2mask512((vq)(m))
#elif CST_W == 4 && defined(__AVX__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p) Sleef_cinz_##f##d4_##p##avx
#define CST_MAX(a, b)   __builtin_ia32_maxpd256(a, b)
#define CST_MIN(a, b)   __builtin_ia32_minpd256(a, b)
#define CST_SQRT(a)     __builtin_ia32_sqrtpd256(a)
#define CST_SIGNS(m)    __builtin_ia32_movmskpd256((vd)(m))
#elif CST_W == 2 && defined(__SSE2__) && !defined(CST_PORTABLE)
#define CST_SLEEF(f, p) Sleef_cinz_##f##d2_##p##sse2
#define CST_MAX(a, b)   __builtin_ia32_maxpd(a, b)
#define CST_MIN(a, b)   __builtin_ia32_minpd(a, b)
#define CST_SQRT(a)     __builtin_ia32_sqrtpd(a)
#define CST_SIGNS(m)    __builtin_ia32_movmskpd((vd)(m))
#endif

/* a > b ? a : b, and a < b ? a : b: b where either is NaN, or both are zero. */
#ifdef CST_MAX
CST_INLINE vd vmax(vd a, vd b) { return (vd)CST_MAX(a, b); }
CST_INLINE vd vmin(vd a, vd b) { return (vd)CST_MIN(a, b); }
#else
CST_INLINE vd vmax(vd a, vd b) { return vselect((vl)(a > b), a, b); }
CST_INLINE vd vmin(vd a, vd b) { return vselect((vl)(a < b), a, b); }
#endif

CST_INLINE vd vpick(int on, vd a, vd b) { /* the same choice in every lane */
  if (on) return a;
  return b;
}

CST_INLINE int vany(vl m) {
#ifdef CST_SIGNS
  return CST_SIGNS(m) != 0;
#else
  long s = 0;
  for (int l = 0; l < CST_W; l++) s |= m[l];
  return s != 0;
#endif
}

CST_INLINE vd vsqrt(vd a) {
#ifdef CST_SQRT
  return (vd)CST_SQRT(a);
#else
  for (int l = 0; l < CST_W; l++) a[l] = sqrt(a[l]);
  return a;
#endif
}

/* Elementary functions: vector members of SLEEF's cinz family where the width has one, the scalar member
 * otherwise. They are declared as in sleef.h, which includes immintrin.h; src/expr/interpret.c includes both.
 */
#ifdef CST_SLEEF
#define CST_UNARY(name, f)                                                                                   \
  vd            CST_SLEEF(f, u10)(vd);                                                                       \
  CST_INLINE vd name(vd a) { return CST_SLEEF(f, u10)(a); }
#define CST_BINARY(name, f)                                                                                  \
  vd            CST_SLEEF(f, u10)(vd, vd);                                                                   \
  CST_INLINE vd name(vd a, vd b) { return CST_SLEEF(f, u10)(a, b); }
#else
#define CST_UNARY(name, f)                                                                                   \
  double        Sleef_cinz_##f##d1_u10purec(double);                                                         \
  CST_INLINE vd name(vd a) {                                                                                 \
    for (int l = 0; l < CST_W; l++) a[l] = Sleef_cinz_##f##d1_u10purec(a[l]);                                \
    return a;                                                                                                \
  }
#define CST_BINARY(name, f)                                                                                  \
  double        Sleef_cinz_##f##d1_u10purec(double, double);                                                 \
  CST_INLINE vd name(vd a, vd b) {                                                                           \
    for (int l = 0; l < CST_W; l++) a[l] = Sleef_cinz_##f##d1_u10purec(a[l], b[l]);                          \
    return a;                                                                                                \
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
