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
/* 0 below 0, 1/2 at 0, 1 above */
CST_INLINE vd vstep(vd a) {
  return vselect((vl)(a > 0), vset(1), vselect((vl)(a < 0), vset(0), a + vset(0.5)));
}

CST_INLINE vd vpick(int on, vd a, vd b) { /* the same choice in every lane */
  if (on)
    return a;
  return b;
}

CST_INLINE int vany(vl m) {
#ifdef CST_SIGNS
  return CST_SIGNS(m) != 0;
#else
  long s = 0;
  for (int l = 0; l < CST_W; l++)
    s |= m[l];
  return s != 0;
#endif
}

CST_INLINE vd vsqrt(vd a) {
#ifdef CST_SQRT
  return (vd)CST_SQRT(a);
#else
  for (int l = 0; l < CST_W; l++)
    a[l] = sqrt(a[l]);
  return a;
#endif
}

/* Elementary functions: vector members of SLEEF's cinz family where the width has one, the scalar member
 * otherwise. They are declared as in sleef.h, which includes immintrin.h; src/expr/interpret.c includes both.
 */
#ifdef CST_SLEEF
#define CST_UNARY(name, f)                                                                         \
  vd            CST_SLEEF(f, u10)(vd) __attribute__((const));                                      \
  CST_INLINE vd name(vd a) { return CST_SLEEF(f, u10)(a); }
#define CST_BINARY(name, f)                                                                        \
  vd            CST_SLEEF(f, u10)(vd, vd) __attribute__((const));                                  \
  CST_INLINE vd name(vd a, vd b) { return CST_SLEEF(f, u10)(a, b); }
#else
#define CST_UNARY(name, f)                                                                         \
  double        Sleef_cinz_##f##d1_u10purec(double) __attribute__((const));                        \
  CST_INLINE vd name(vd a) {                                                                       \
    for (int l = 0; l < CST_W; l++)                                                                \
      a[l] = Sleef_cinz_##f##d1_u10purec(a[l]);                                                    \
    return a;                                                                                      \
  }
#define CST_BINARY(name, f)                                                                        \
  double        Sleef_cinz_##f##d1_u10purec(double, double) __attribute__((const));                \
  CST_INLINE vd name(vd a, vd b) {                                                                 \
    for (int l = 0; l < CST_W; l++)                                                                \
      a[l] = Sleef_cinz_##f##d1_u10purec(a[l], b[l]);                                              \
    return a;                                                                                      \
  }
#endif
CST_UNARY(vsin_sleef, sin)
CST_UNARY(vcos_sleef, cos)
CST_UNARY(vtan, tan)
CST_UNARY(vexp, exp)
CST_UNARY(vlog, log)
CST_UNARY(vexpm1, expm1)
CST_UNARY(vlog1p, log1p)
CST_UNARY(vsinh, sinh)
CST_UNARY(vcosh, cosh)
CST_UNARY(vtanh, tanh)
CST_UNARY(vacos, acos)
CST_UNARY(vasin, asin)
CST_BINARY(vatan2, atan2)
CST_BINARY(vpow, pow)
#undef CST_UNARY
#undef CST_BINARY

/* Sines and cosines. The function of SLEEF takes as long as these two together, and compilers compute what
 * the sine and the cosine of one angle have in common only once.
 *
 *   x = n pi/2 + y + tail,   |y| <= pi/4
 *
 * pi/2 is the sum of two numbers of 33 bits, whose products with n are exact, and a third one. Polynomials
 * and the way of adding are those of fdlibm (Sun Microsystems, 1993; k_sin.c, k_cos.c, e_rem_pio2.c), where
 * errors are below one unit in the last place; above |x| = 1600 they may reach 2^-98 where that is more.
 * Beyond CST_TURNS, and for what is no number, the function of SLEEF is taken. */
#define CST_TURNS 0x1p20
#define CST_SHIFT 0x1.8p52 /* plus a number: the whole number next to it is in the last bits */

typedef struct {
  vd sin, cos;
} cst_turn_of;

CST_INLINE cst_turn_of cst_turned(vd x) {
  const vd shifted = x * 0x1.45f306dc9c883p-1 + CST_SHIFT, n = shifted - CST_SHIFT;
  const vd first = x - n * 0x1.921fb544p+0, second = n * 0x1.0b4611a6p-34, rest = first - second;
  const vd third = n * 0x1.3198a2e037073p-69 - ((first - rest) - second);
  const vd y = rest - third, tail = (rest - y) - third, z = y * y, z2 = z * z, z4 = z2 * z2,
           cube = z * y;
  const vd a = 0x1.111111110f8a6p-7 + z * (-0x1.a01a019c161d5p-13 + z * 0x1.71de357b1fe7dp-19) +
               (z * z2) * (-0x1.ae5e68a2b9cebp-26 + z * 0x1.5d93a5acfd57cp-33);
  const vd b =
      z * (0x1.555555555554cp-5 + z * (-0x1.6c16c16c15177p-10 + z * 0x1.a01a019cb159p-16)) +
      z4 * (-0x1.27e4f809c52adp-22 + z * (0x1.1ee9ebdb4b1c4p-29 + z * -0x1.8fae9be8838d4p-37));
  const vd half = 0.5 * z, one = 1.0 - half;
  const vd s = y - ((z * (0.5 * tail - cube * a) - tail) - cube * -0x1.5555555555549p-3);
  const vd c = one + (((1.0 - one) - half) + (z * b - y * tail));
  const vl whole = (vl)shifted, odd = -(whole & 1);
  return (cst_turn_of){(vd)((vl)vselect(odd, c, s) ^ ((whole & 2) << 62)),
                       (vd)((vl)vselect(odd, s, c) ^ (((whole + 1) & 2) << 62))};
}

CST_INLINE vl cst_far_turned(vd x) { return ~(vl)(vabs(x) < CST_TURNS); }

CST_INLINE vd vsin(vd x) {
  const vl far = cst_far_turned(x);
  vd       s = cst_turned(x).sin;
  if (__builtin_expect(vany(far), 0))
    s = vselect(far, vsin_sleef(x), s);
  return s;
}

CST_INLINE vd vcos(vd x) {
  const vl far = cst_far_turned(x);
  vd       c = cst_turned(x).cos;
  if (__builtin_expect(vany(far), 0))
    c = vselect(far, vcos_sleef(x), c);
  return c;
}
#endif
