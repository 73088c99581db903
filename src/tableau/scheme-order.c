/* scheme-order.c: the order conditions of composition schemes, evaluated for given coefficients.
 *
 * A symmetric method of order 2 is a product exp(h Y1 + h^3 Y3 + h^5 Y5 + ...) of formal vector fields, Y1
 * the exact one. A scheme multiplies such products for gamma_i h; it has order p if the product agrees with
 * exp(h Y1) up to h^p, in the algebra of words in Y1, Y3, ... whose weights are the indices (Hairer, Lubich,
 * Wanner, III.5 and V.3.2). A word of weight w is a composition of w into odd parts: bit k - 1 of its number
 * tells that a part ends behind k. Even parts have no coefficient.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/boundary.h"
#include "core/need.h"
#include "constella/method.h"

enum { MOST = CST_SCHEME_ORDER, WORDS = 1 << (MOST - 1) };

typedef struct {
  double of[MOST + 1][WORDS]; /* [weight][word] */
} series;

static int words(int weight) { return weight ? 1 << (weight - 1) : 1; }

/* The coefficient of a word in the product a b: a word is cut where one of its parts ends. */
static double coefficient(const series *a, const series *b, int w, int word) {
  double sum = a->of[0][0] * b->of[w][word];
  if (w > 0)
    sum += a->of[w][word] * b->of[0][0];
  for (int k = 1; k < w; k++)
    if (word >> (k - 1) & 1)
      sum += a->of[k][word & ((1 << (k - 1)) - 1)] * b->of[w - k][word >> k];
  return sum;
}

static void multiply(const series *a, const series *b, series *out) {
  for (int w = 0; w <= MOST; w++)
    for (int word = 0; word < words(w); word++)
      out->of[w][word] = coefficient(a, b, w, word);
}

/* The number of parts of a word if all of them are odd and none exceeds `last`, else 0. */
static int parts(int w, int word, int last) {
  int n = 0;
  for (int k = 1, begin = 0; k <= w; k++)
    if (k == w || word >> (k - 1) & 1) {
      if ((k - begin) % 2 == 0 || k - begin > last)
        return 0;
      begin = k;
      n++;
    }
  return n;
}

/* out = exp(sum_k x^k Y_k) over the odd k up to `last`: x^w / n! for a word of n parts. */
static void exponential(double x, int last, series *out) {
  double factorial[MOST + 1] = {1};
  for (int n = 1; n <= MOST; n++)
    factorial[n] = n * factorial[n - 1];
  memset(out, 0, sizeof *out);
  out->of[0][0] = 1;
  for (int w = 1; w <= MOST; w++)
    for (int word = 0; word < words(w); word++) {
      const int n = parts(w, word, last);
      out->of[w][word] = n ? pow(x, w) / factorial[n] : 0;
    }
}

void cst_scheme_defects(const double *gamma, int n, double *defect) {
  CST_REQUIRE(gamma && defect && n > 0);
  series *product = cst_zeros(3, sizeof *product), *one = product + 1, *next = product + 2;
  product->of[0][0] = 1;
  for (int i = 0; i < n; i++) {
    exponential(gamma[i], MOST, one);
    multiply(product, one, next);
    *product = *next;
  }
  exponential(1, 1, one);
  for (int w = 0; w <= MOST; w++) {
    defect[w] = 0;
    for (int word = 0; word < words(w); word++)
      defect[w] = fmax(defect[w], fabs(product->of[w][word] - one->of[w][word]));
  }
  free(product);
}

int cst_scheme_order(const double *gamma, int n) {
  double defect[MOST + 1];
  int    order = 0;
  CST_REQUIRE(gamma && n > 0, 0);
  cst_scheme_defects(gamma, n, defect);
  while (order < MOST && defect[order + 1] <= CST_SCHEME_VANISHING)
    order++;
  return order;
}
