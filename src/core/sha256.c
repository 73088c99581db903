/* sha256.c: SHA-256 (FIPS 180-4), the fingerprint of texts and of checkpoints, with the instructions of the
 * processor where it has them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
#include "constella/random.h"

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void schedule(const unsigned char *p, uint32_t w[64]) {
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 |
           p[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
}

static uint32_t sum_of_a(uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t turned = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
  const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
  return turned + majority;
}

static uint32_t sum_of_e(uint32_t e, uint32_t f, uint32_t g) {
  const uint32_t turned = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
  const uint32_t choice = (e & f) ^ (~e & g);
  return turned + choice;
}

/* The eight words stay in place and change their names: s[-i mod 8] is a in round i. */
void cst_sha256_portable(uint32_t h[8], const unsigned char *p, unsigned long blocks) {
  for (; blocks; blocks--) {
    uint32_t w[64], s[8];
    schedule(p, w);
    memcpy(s, h, sizeof s);
#pragma GCC unroll 8
    for (int i = 0; i < 64; i++) {
      const int a = -i & 7;
      const int b = (a + 1) & 7;
      const int c = (a + 2) & 7;
      const int d = (a + 3) & 7;
      const int e = (a + 4) & 7;
      const int f = (a + 5) & 7;
      const int g = (a + 6) & 7;
      const int last = (a + 7) & 7;
      uint32_t  t = s[last] + sum_of_e(s[e], s[f], s[g]) + K[i] + w[i];
      s[d] += t;
      s[last] = t + sum_of_a(s[a], s[b], s[c]);
    }
    for (int i = 0; i < 8; i++)
      h[i] += s[i];
    p += 64;
  }
}

#if defined(__x86_64__)
#define WITH_SHA __attribute__((target("sha,sse4.1")))

/* Sixty-four rounds, four at a time; m holds the last sixteen words of the schedule. The instructions want
 * the words as ABEF and CDGH. */
WITH_SHA static void rounds(__m128i *abef, __m128i *cdgh, __m128i m[4]) {
  __m128i x = *abef, y = *cdgh;
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) {
    __m128i *now = &m[i & 3];
    __m128i *next = &m[(i + 1) & 3];
    __m128i *third = &m[(i + 2) & 3];
    __m128i *last = &m[(i + 3) & 3];
    __m128i  k = _mm_add_epi32(*now, _mm_loadu_si128((const void *)&K[4 * i]));
    y = _mm_sha256rnds2_epu32(y, x, k);
    x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(k, 0x0E));
    *now = _mm_sha256msg2_epu32(
        _mm_add_epi32(_mm_sha256msg1_epu32(*now, *next), _mm_alignr_epi8(*last, *third, 4)), *last);
  }
  *abef = _mm_add_epi32(*abef, x);
  *cdgh = _mm_add_epi32(*cdgh, y);
}

WITH_SHA static void with_sha(uint32_t h[8], const unsigned char *p, unsigned long blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i       cdab = _mm_shuffle_epi32(_mm_loadu_si128((const void *)h), 0xB1);
  __m128i       efgh = _mm_shuffle_epi32(_mm_loadu_si128((const void *)(h + 4)), 0x1B);
  __m128i       abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i       cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; blocks; blocks--, p += 64) {
    __m128i m[4];
    for (int i = 0; i < 4; i++)
      m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const void *)(p + 16 * i)), big_endian);
    rounds(&abef, &cdgh, m);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((void *)h, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* Tested once: on a virtual machine the test costs as much as many blocks. */
static int has_sha(void) {
  static int known = -1;
  unsigned   a, b = 0, c, d;
  if (known < 0)
    known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
  return known;
}
#else
#define with_sha cst_sha256_portable
static int has_sha(void) { return 0; }
#endif

void cst_sha256_init(cst_sha256_context *s) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(s->h, start, sizeof start);
  s->length = 0;
  s->compress = has_sha() ? with_sha : cst_sha256_portable;
}

void cst_sha256_update(cst_sha256_context *s, const void *data, unsigned long length) {
  const unsigned char *p = data;
  unsigned long        held = s->length % 64;
  unsigned long        room = 64 - held;
  s->length += length;
  if (held && length >= room) {
    memcpy(s->block + held, p, room);
    s->compress(s->h, s->block, 1);
    p += room;
    length -= room;
    held = 0;
  }
  if (!held) {
    s->compress(s->h, p, length / 64);
    p += length / 64 * 64;
    length %= 64;
  }
  if (length)
    memcpy(s->block + held, p, length);
}

void cst_sha256_final(cst_sha256_context *s, unsigned char digest[32]) {
  static const unsigned char padding[64] = {0x80};
  const uint64_t             bits = s->length * 8;
  unsigned char              end[8];
  for (int i = 0; i < 8; i++)
    end[i] = (unsigned char)(bits >> (56 - 8 * i));
  cst_sha256_update(s, padding, (119 - s->length % 64) % 64 + 1);
  cst_sha256_update(s, end, sizeof end);
  for (int i = 0; i < 32; i++)
    digest[i] = (unsigned char)(s->h[i / 4] >> (24 - i % 4 * 8));
}

void cst_sha256(const void *data, unsigned long length, char hex[65]) {
  cst_sha256_context s;
  unsigned char      digest[32];
  cst_sha256_init(&s);
  cst_sha256_update(&s, data, length);
  cst_sha256_final(&s, digest);
  for (int i = 0; i < 32; i++)
    sprintf(hex + 2 * i, "%02x", digest[i]);
}
