/* normal.h: lane code: normal deviates as functions of an address, without generator state.
 *
 * Threefry 4x64-20 (Salmon, Moraes, Dror, Shaw, SC 2011, section 4.2): 64-bit additions, rotations and
 * exclusive ors. The key is (seed, member, stream, 0), the counter (index, block, 0, 0); a block has four
 * numbers, whose uniforms give two pairs by Box and Muller (1958). No rejection; nothing but IEEE operations
 * and the functions of lanes.h, so that the bits are the same for every instruction set.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_NORMAL_H
#define CST_CORE_NORMAL_H
#include "constella/lanes.h"

typedef unsigned long vu __attribute__((vector_size(8 * CST_W), may_alias));

CST_INLINE vu cst_rotate(vu x, int by) { return (x << by) | (x >> (64 - by)); }

/* x[4]: on entry the counter, on return its random numbers. */
CST_INLINE void cst_threefry(const vu key[4], vu x[4]) {
  static const int turn[8][2] = {
      {14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32},
  };
  const vu parity = key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1BD11BDAA9FC1A22ul;
  const vu k[5] = {key[0], key[1], key[2], key[3], parity};
  CST_UNROLL
  for (int i = 0; i < 4; i++)
    x[i] += k[i];
  CST_UNROLL
  for (int r = 0; r < 20; r++) {
    const int a = r % 2 ? 3 : 1;
    const int b = r % 2 ? 1 : 3;
    x[0] += x[a];
    x[a] = cst_rotate(x[a], turn[r % 8][0]) ^ x[0];
    x[2] += x[b];
    x[b] = cst_rotate(x[b], turn[r % 8][1]) ^ x[2];
    if (r % 4 < 3)
      continue;
    const int s = (r + 1) / 4;
    CST_UNROLL
    for (int i = 0; i < 4; i++)
      x[i] += k[(s + i) % 5];
    x[3] += (unsigned long)s;
  }
}

/* An odd multiple of 2^-53: never 0 or 1, symmetric about 1/2, exact. The bits form a number in [1, 2); the
 * subtraction is exact. */
CST_INLINE vd cst_uniform(vu bits) {
  return (vd)((bits >> 12) | 0x3ff0000000000000ul) - (1 - 0x1p-53);
}

/* The first n of four independent normals of mean 0 and deviation 1; for odd n also the next one. */
CST_INLINE void cst_normals(vu seed, vu member, unsigned long stream, vu index, unsigned long block,
                            int n, vd to[4]) {
  const vu key[4] = {seed, member, (vu){} + stream, (vu){}};
  vu       x[4] = {index, (vu){} + block, (vu){}, (vu){}};
  cst_threefry(key, x);
  for (int i = 0; i < n; i += 2) {
    const vd far = vsqrt(-2.0 * vlog(cst_uniform(x[i])));
    const vd angle = 6.283185307179586 * cst_uniform(x[i + 1]);
    to[i] = far * vcos(angle);
    to[i + 1] = far * vsin(angle);
  }
}
#endif
