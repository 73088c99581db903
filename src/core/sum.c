/* sum.c: sums of doubles that depend neither on the order of the terms nor on how ranks, batches and resumes
 * split them.
 *
 * A sum is a 320-bit integer in two's complement, word[0] (least) to word[4], in units of 2^-200, so that
 * word[4]'s sign bit stands for 2^119. A term x = +-M 2^e, M < 2^53, becomes the integer M 2^(e+200),
 * truncated towards zero to a multiple of the unit, and lies in two neighbouring words; adding it is exact.
 * Addition modulo 2^320 is a commutative group, hence any order and any split give the same words, as long as
 * the whole sum stays below 2^119 (2^19 terms of the largest size). word[5] is a set of flags for terms that
 * cannot be represented, joined by `or`, which is commutative and associative too.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "constella/statistics.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 5, FLAGS = 5, UNIT = 200 };
static const double LIMIT = 0x1p100;
enum { POSITIVE = 1, NEGATIVE = 2, NOT_A_NUMBER = 4 };

static long flag_of(double x) {
  if (isnan(x))
    return NOT_A_NUMBER;
  return x > 0 ? POSITIVE : NEGATIVE;
}

/* |x| = mantissa 2^exponent. */
static uint64_t mantissa_of(double x, int *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int      biased = (int)(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  *exponent = (biased ? biased : 1) - 1075;
  return biased ? fraction | UINT64_C(1) << 52 : fraction;
}

/* word += low 2^(64 at) + high 2^(64 (at+1)), with carry. */
static void add_at(long *word, int at, uint64_t low, uint64_t high) {
  uint64_t carry = 0;
  for (int i = at; i < WORDS; i++) {
    const uint64_t          term = i == at ? low : i == at + 1 ? high : 0;
    const unsigned __int128 total = (unsigned __int128)(uint64_t)word[i] + term + carry;
    word[i] = (long)(uint64_t)total;
    carry = (uint64_t)(total >> 64);
  }
}

static void subtract_at(long *word, int at, uint64_t low, uint64_t high) {
  uint64_t borrow = 0;
  for (int i = at; i < WORDS; i++) {
    const uint64_t          term = i == at ? low : i == at + 1 ? high : 0;
    const unsigned __int128 total = (unsigned __int128)(uint64_t)word[i] - term - borrow;
    word[i] = (long)(uint64_t)total;
    borrow = (uint64_t)(total >> 64) & 1;
  }
}

void cst_sum_add(cst_sum *s, double x) {
  if (!(fabs(x) < LIMIT)) {
    s->word[FLAGS] |= flag_of(x);
    return;
  }
  int      exponent;
  uint64_t m = mantissa_of(x, &exponent);
  int      shift = exponent + UNIT;
  if (shift < 0) {
    m = shift > -64 ? m >> -shift : 0;
    shift = 0;
  }
  const int      at = shift / 64, bit = shift % 64;
  const uint64_t low = m << bit;
  const uint64_t high = bit ? m >> (64 - bit) : 0;
  if (signbit(x))
    subtract_at(s->word, at, low, high);
  else
    add_at(s->word, at, low, high);
}

void cst_sum_merge(cst_sum *s, const cst_sum *other) {
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    const unsigned __int128 total =
        (unsigned __int128)(uint64_t)s->word[i] + (uint64_t)other->word[i] + carry;
    s->word[i] = (long)(uint64_t)total;
    carry = (uint64_t)(total >> 64);
  }
  s->word[FLAGS] |= other->word[FLAGS];
}

static void magnitude_of(const cst_sum *s, uint64_t magnitude[WORDS]) {
  const int negative = s->word[WORDS - 1] < 0;
  uint64_t  carry = negative;
  for (int i = 0; i < WORDS; i++) {
    magnitude[i] = (negative ? ~(uint64_t)s->word[i] : (uint64_t)s->word[i]) + carry;
    carry = carry && magnitude[i] == 0;
  }
}

/* The 64 leading bits, the last of them set when anything below is: rounding them to 53 bits then rounds the
 * whole number. */
static double rounded(const uint64_t magnitude[WORDS]) {
  int top = WORDS - 1;
  while (top >= 0 && !magnitude[top])
    top--;
  if (top < 0)
    return 0;
  const int shift = __builtin_clzll(magnitude[top]);
  uint64_t  lead = magnitude[top] << shift;
  uint64_t  sticky = 0;
  if (top > 0 && shift)
    lead |= magnitude[top - 1] >> (64 - shift);
  if (top > 0)
    sticky = magnitude[top - 1] << shift;
  for (int i = 0; i < top - 1; i++)
    sticky |= magnitude[i];
  return ldexp((double)(lead | (sticky != 0)), 64 * top - shift - UNIT);
}

double cst_sum_value(const cst_sum *s) {
  const long flags = s->word[FLAGS];
  if (flags == POSITIVE)
    return INFINITY;
  if (flags == NEGATIVE)
    return -INFINITY;
  if (flags)
    return NAN;
  uint64_t magnitude[WORDS];
  magnitude_of(s, magnitude);
  return s->word[WORDS - 1] < 0 ? -rounded(magnitude) : rounded(magnitude);
}
