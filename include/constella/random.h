/* random.h: counter-based random numbers: a draw is a function of its address; there is no generator state.
 *
 * Philox 4x32-10 (Salmon et al., SC 2011). Address: (seed, member, purpose, substep, component).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONSTELLA_RANDOM_H
#define CONSTELLA_RANDOM_H
#include <stdint.h>

enum {
  CST_PURPOSE_INITIAL_Q = 1,
  CST_PURPOSE_INITIAL_V = 2,
  CST_PURPOSE_BOOTSTRAP = 3,
  CST_PURPOSE_TEST = 4,
  CST_PURPOSE_VERIFY = 5,
  CST_PURPOSE_FOLD = 6,
  CST_PURPOSE_NOISE = 7, /* of thermostats, by another generator: src/method/core/normal.h */
  CST_PURPOSE_TRAJECTORIES = 8,
  CST_PURPOSE_TANGENT = 9 /* directions of tangent vectors */
};

/* The generator itself, for tests against published values. */
void cst_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

double cst_random_uniform(uint64_t seed, uint64_t member, uint32_t purpose, uint32_t substep,
                          uint32_t component); /* in (0, 1) */
double cst_random_normal(uint64_t seed, uint64_t member, uint32_t purpose, uint32_t substep,
                         uint32_t component); /* mean 0, deviation 1 */

/* SHA-256 of a text in lower-case hexadecimal, zero terminated. */
void cst_sha256(const void *data, unsigned long length, char hex[65]);

/* The same in pieces: init, update with any lengths (0 too), final once; the context cannot be used again. */
typedef struct {
  uint32_t      h[8];
  uint64_t      length;
  unsigned char block[64]; /* its first length % 64 bytes are not processed yet */
  void (*compress)(uint32_t h[8], const unsigned char *p, unsigned long blocks);
} cst_sha256_context;
void cst_sha256_init(cst_sha256_context *s);
void cst_sha256_update(cst_sha256_context *s, const void *data, unsigned long length);
void cst_sha256_final(cst_sha256_context *s, unsigned char digest[32]);
/* The function that init chooses where the processor has no instructions for SHA-256; for tests. */
void cst_sha256_portable(uint32_t h[8], const unsigned char *p, unsigned long blocks);
#endif
