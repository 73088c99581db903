/* random.c: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011, section 3.3) and the numbers drawn from it.
 *
 * From the address to bits: the key is the seed mixed with the purpose by one application of Philox; the
 * counter is (member low, member high, substep, component). Every field keeps all its bits. Each draw uses
 * one block of 128 bits.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/random.h"
#include <math.h>
#include "constella/expr.h"
#include "core/lane-form.h"
#include "core/random-lanes.h"

static void round_once(uint32_t x[4], const uint32_t k[2]) {
  uint64_t a = (uint64_t)0xD2511F53 * x[0];
  uint64_t b = (uint64_t)0xCD9E8D57 * x[2];
  uint32_t y0 = (uint32_t)(b >> 32) ^ x[1] ^ k[0];
  uint32_t y2 = (uint32_t)(a >> 32) ^ x[3] ^ k[1];
  x[1] = (uint32_t)b;
  x[3] = (uint32_t)a;
  x[0] = y0;
  x[2] = y2;
}

void cst_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t k[2] = {key[0], key[1]};
  for (int i = 0; i < 4; i++)
    out[i] = counter[i];
  for (int i = 0; i < 10; i++) {
    round_once(out, k);
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
}

/* The key is in the first two. */
static void key_of(uint64_t seed, uint32_t purpose, uint32_t key[4]) {
  uint32_t first[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  cst_random_philox((uint32_t[4]){purpose, 0, 0, 0}, first, key);
}

static void block(uint64_t seed, uint64_t member, uint32_t purpose, uint32_t substep,
                  uint32_t component, uint32_t out[4]) {
  uint32_t key[4];
  key_of(seed, purpose, key);
  cst_random_philox((uint32_t[4]){(uint32_t)member, (uint32_t)(member >> 32), substep, component},
                    key, out);
}

/* An odd multiple of 2^-53: never 0 or 1, symmetric about 1/2, exact. */
static double uniform(uint32_t high, uint32_t low) {
  uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
  return (double)(2 * bits + 1) * 0x1p-53;
}

double cst_random_uniform(uint64_t seed, uint64_t member, uint32_t purpose, uint32_t substep,
                          uint32_t component) {
  uint32_t x[4];
  block(seed, member, purpose, substep, component, x);
  return uniform(x[0], x[1]);
}

/* Box and Muller (1958), the cosine of the pair, with functions that give the same bits on every machine. */
double cst_random_normal(uint64_t seed, uint64_t member, uint32_t purpose, uint32_t substep,
                         uint32_t component) {
  uint32_t x[4];
  block(seed, member, purpose, substep, component, x);
  return sqrt(-2 * cst_elementary_log(uniform(x[0], x[1]))) *
         cst_elementary_cos(6.283185307179586 * uniform(x[2], x[3]));
}

void cst_random_normals(int isa, uint64_t seed, const uint64_t *member, uint32_t purpose,
                        uint32_t component, double *to) {
  static cst_random_lanes *const *normals[CST_ISA_MOST];
  uint32_t                        key[4];
  key_of(seed, purpose, key);
  if (!normals[isa])
    normals[isa] = cst_lane_form(isa, "random-lanes");
  (*normals[isa])(key, member, component, to);
}
