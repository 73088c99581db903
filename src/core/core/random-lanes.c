/* random-lanes.c: the normal deviates of random.c in lanes; compiled once per instruction set (see lanes.h). In each
 * lane they are the operations of one number in their order, so bits do not depend on the width. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/random-lanes.h"
#include "constella/lanes.h"

typedef unsigned long vu __attribute__((vector_size(8 * CST_W), may_alias));

#define LOW 0xffffffffUL

/* The 64 bits of the product of two numbers of 32. */
#if CST_W == 8 && defined(__AVX512F__) && !defined(CST_PORTABLE) && !defined(__clang__)
typedef int   vi __attribute__((vector_size(8 * CST_W), may_alias));
CST_INLINE vu product(vu x, vu by) {
  return (vu)__builtin_ia32_pmuludq512_mask((vi)x, (vi)by, (vq)x, (unsigned char)-1);
}
#else
CST_INLINE vu product(vu x, vu by) { return x * by; }
#endif

/* Philox 4x32-10; numbers of 32 bits in lanes of 64. */
CST_INLINE void philox(vu x[4], uint32_t first, uint32_t second) {
  CST_UNROLL
  for (int i = 0; i < 10; i++) {
    const vu a = product(x[0], (vu){} + 0xD2511F53UL), b = product(x[2], (vu){} + 0xCD9E8D57UL);
    x[0] = (b >> 32) ^ x[1] ^ (unsigned long)first;
    x[2] = (a >> 32) ^ x[3] ^ (unsigned long)second;
    x[1] = b & LOW;
    x[3] = a & LOW;
    first += 0x9E3779B9;
    second += 0xBB67AE85;
  }
}

/* An odd multiple of 2^-53; the bits form a number in [1, 2), and the subtraction is exact. */
CST_INLINE vd uniform(vu high, vu low) {
  return (vd)((high << 20) | (low >> 12) | 0x3ff0000000000000UL) - (1 - 0x1p-53);
}

static void normals(const uint32_t key[2], const uint64_t *member, uint32_t component, double *to) {
  const vu m = *(const vu *)member;
  vu       x[4] = {m & LOW, m >> 32, (vu){}, (vu){} + (unsigned long)component};
  philox(x, key[0], key[1]);
  *(vd *)to =
      vsqrt(-2.0 * vlog(uniform(x[0], x[1]))) * vcos(6.283185307179586 * uniform(x[2], x[3]));
}

extern cst_random_lanes *const CST_NAME(cst_random_lanes);
cst_random_lanes *const        CST_NAME(cst_random_lanes) = normals;
