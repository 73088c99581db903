/* test-noise.c: the random numbers of thermostats: Threefry compared with its published answers, normal
 * deviates with their moments and distribution; every part of an address matters. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "method/core/normal.h"
#include "tap.h"

/* Random123 1.14, tests/kat_vectors: threefry4x64 20. */
static void known_answers(void) {
  static const struct {
    unsigned long counter[4], key[4], out[4];
  } known[] = {{{0, 0, 0, 0},
                {0, 0, 0, 0},
                {0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b}},
               {{~0ul, ~0ul, ~0ul, ~0ul},
                {~0ul, ~0ul, ~0ul, ~0ul},
                {0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168}},
               {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                {0x452821e638d01377, 0xbe5466cf34e90c6c, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd},
                {0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4}}};
  for (int n = 0; n < 3; n++) {
    vu   key[4], x[4];
    bool same = true;
    for (int i = 0; i < 4; i++) {
      key[i] = (vu){} + known[n].key[i];
      x[i] = (vu){} + known[n].counter[i];
    }
    cst_threefry(key, x);
    for (int i = 0; i < 4; i++)
      for (int l = 0; l < CST_W; l++)
        same &= x[i][l] == known[n].out[i];
    OK(same, "threefry 4x64-20: published answer %d, in every lane", n + 1);
  }
}

static void uniforms(void) {
  const vu least = (vu){}, most = (vu){} - 1ul, half = (vu){} + (1ul << 63);
  OK(cst_uniform(least)[0] == 0x1p-53 && cst_uniform(most)[0] == 1 - 0x1p-53,
     "uniforms: from 2^-53 to 1 - 2^-53");
  OK(cst_uniform(half)[0] == 0.5 + 0x1p-53 && cst_uniform(half - 1ul)[0] == 0.5 - 0x1p-53,
     "uniforms: symmetric about 1/2");
}

enum { DRAWS = 400000 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Moments 1 to 4 are 0, 1, 0, 3; the k-th sample moment has variance (E x^2k - (E x^k)^2) / n. */
static void moments(const double *x) {
  static const double expect[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
  double              m[4] = {0}, next = 0, pair = 0;
  for (int i = 0; i < DRAWS; i++) {
    double p = 1;
    for (int k = 0; k < 4; k++)
      m[k] += (p *= x[i]) / DRAWS;
    next += x[i] * x[(i + 4) % DRAWS] / DRAWS;       /* of neighbouring steps */
    pair += i % 4 ? 0 : 4 * x[i] * x[i + 1] / DRAWS; /* of a cosine and its sine */
  }
  for (int k = 0; k < 4; k++)
    OK(fabs(m[k] - expect[k]) < 4 * sqrt(variance[k] / DRAWS), "normals: moment %d is %.4f", k + 1,
       m[k]);
  OK(fabs(m[1] - 1.02) > 4 * sqrt(2. / DRAWS), "and a variance of 1.02 would be seen");
  OK(fabs(next) < 4 / sqrt(DRAWS), "normals: neighbouring steps are uncorrelated: %.4f", next);
  OK(fabs(pair) < 4 / sqrt(DRAWS / 4.), "normals: the two of a pair are uncorrelated: %.4f", pair);
}

static double kolmogorov(double *x) {
  double most = 0;
  qsort(x, DRAWS, sizeof *x, ascending);
  for (int i = 0; i < DRAWS; i++) {
    const double F = 0.5 * erfc(-x[i] / sqrt(2));
    most = fmax(most, fmax(fabs(F - (double)i / DRAWS), fabs(F - (i + 1.0) / DRAWS)));
  }
  return most * sqrt(DRAWS);
}

static void normals(void) {
  double *x = malloc(DRAWS * sizeof *x);
  if (!x)
    abort();
  for (int i = 0; i < DRAWS; i += 4) {
    vd four[4];
    cst_normals((vu){} + 7ul, (vu){} + 3ul, 7, (vu){} + (unsigned long)i / 4, 0, 4, four);
    for (int k = 0; k < 4; k++)
      x[i + k] = four[k][0];
  }
  moments(x);
  const double far = kolmogorov(x);
  OK(far < 1.95, "normals: Kolmogorov's distance is %.2f / sqrt(n), below the 0.999 quantile 1.95",
     far);
  free(x);
}

/* The first number at an address. */
static double first(unsigned long seed, unsigned long member, unsigned long stream,
                    unsigned long index, unsigned long block) {
  vd four[4];
  cst_normals((vu){} + seed, (vu){} + member, stream, (vu){} + index, block, 4, four);
  return four[0][0];
}

static void addresses(void) {
  const double  here = first(1, 2, 7, 3, 4);
  unsigned long bit;
  int           same = 0;
  for (int b = 0; b < 64; b++) {
    bit = 1ul << b;
    same += first(1 ^ bit, 2, 7, 3, 4) == here;
    same += first(1, 2 ^ bit, 7, 3, 4) == here;
    same += first(1, 2, 7 ^ bit, 3, 4) == here;
    same += first(1, 2, 7, 3 ^ bit, 4) == here;
    same += first(1, 2, 7, 3, 4 ^ bit) == here;
  }
  OK(first(1, 2, 7, 3, 4) == here && same == 0,
     "all 64 bits of seed, member, stream, step and block count");
  vd four[4];
  vu member = (vu){};
  for (int l = 0; l < CST_W; l++)
    member[l] = 10ul + (unsigned long)l;
  cst_normals((vu){} + 1ul, member, 7, (vu){} + 3ul, 4, 4, four);
  for (int l = 0; l < CST_W; l++)
    same += four[0][l] != first(1, 10ul + (unsigned long)l, 7, 3, 4);
  OK(same == 0, "a lane's numbers are those of its own address");
}

int main(void) {
  known_answers();
  uniforms();
  normals();
  addresses();
  return tap_done();
}
