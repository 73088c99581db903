/* test-turns.c: sines and cosines of lanes.h: their accuracy, near multiples of pi/2 too, one set of bits
 * from every instruction set and alone, and what they are of large numbers, zeros and what is no number. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <quadmath.h>
#include <string.h>
#include "lanes-of.h"

enum { SAMPLES = 100000, LANES = 8 };

/* Number k of those up to about `most`; every second one is next to a multiple of pi/2. */
static double sample(double most, int k) {
  const double part = fmod(0.6180339887498949 * (k + 1), 1), x = most * (2 * part - 1);
  if (k % 2)
    return x;
  return nextafter(floor(x * M_2_PI) * M_PI_2, k % 4 ? INFINITY : -INFINITY);
}

/* The error in half units in the last place of 1, relative to what is exact. */
static double off(double y, __float128 exact) {
  return (double)fabsq((y - exact) / exact) / 0x1p-53;
}

static void test_accuracy(void) {
  static const double most[] = {1e-8, 0.8, 4, 1600, 0x1p20, 1e9, 1e14};
  for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
    double worst = 0, at = 0;
    for (int k = 0; k < SAMPLES; k++) {
      const double     x = sample(most[i], k);
      const __float128 s = sinq(x), c = cosq(x);
      const double     e =
          fmax(s != 0 ? off(cst_elementary_sin(x), s) : 0, off(cst_elementary_cos(x), c));
      if (e > worst)
        worst = e, at = x;
    }
    OK(worst < 1.2, "up to %g: %.3f half units in the last place, at %.17g", most[i], worst, at);
  }
}

static void test_others(void) {
  OK(signbit(cst_elementary_sin(-0.0)) && !signbit(cst_elementary_sin(0.0)) &&
         cst_elementary_cos(0) == 1,
     "of zeros they are exact, with the sign");
  OK(isnan(cst_elementary_sin(INFINITY)) && isnan(cst_elementary_cos(NAN)), "of others no numbers");
}

/* Values whose bits are not those of the scalar function. */
static int differences(const cst_tape *t, run *lanes, int width) {
  static double x[LANES] __attribute__((aligned(64))), y[2 * LANES] __attribute__((aligned(64))),
      scratch[64 * LANES] __attribute__((aligned(64)));
  const double *in[128] = {['q'] = x};
  int           wrong = 0;
  for (int k = 0; k < SAMPLES; k++) {
    for (int l = 0; l < width; l++)
      x[l] = sample(l == k % 64 ? 1e7 : 100, k + l);
    lanes(t, in, y, scratch);
    for (int l = 0; l < width; l++) {
      const double both[2] = {cst_elementary_sin(x[l]), cst_elementary_cos(x[l])};
      for (int i = 0; i < 2; i++)
        wrong += memcmp(&y[i * width + l], &both[i], sizeof *both) != 0;
    }
  }
  return wrong;
}

static void test_bits(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node x = cst_graph_input(g, 'q', 0),
                 both[2] = {cst_graph_operation(g, CST_OP_SIN, x, -1),
                            cst_graph_operation(g, CST_OP_COS, x, -1)};
  compare_sets(g, both, 2, differences, "beside large numbers too");
}

int main(void) {
  test_accuracy();
  test_others();
  test_bits();
  return tap_done();
}
