/* scheme.c: symmetric composition schemes, as data: one step is a product of steps gamma_i h of a symmetric
 * method of order 2. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "constella/method.h"
#include "core/boundary.h"
#include "core/need.h"

#define HLW "Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2"
static const double yoshida4[] = {1.3512071919596576340, -1.7024143839193152681,
                                  1.3512071919596576340};
static const double suzuki4[] = {0.41449077179437573714, 0.41449077179437573714,
                                 -0.65796308717750294857, 0.41449077179437573714,
                                 0.41449077179437573714};
static const double yoshida6[] = {0.78451361047755726382,  0.23557321335935813368,
                                  -1.17767998417887100695, 1.31518632068391121888,
                                  -1.17767998417887100695, 0.23557321335935813368,
                                  0.78451361047755726382};
static const double kahan_li6[] = {
    0.39216144400731413928,  0.33259913678935943860, -0.70624617255763935981,
    0.08221359629355080023,  0.79854399093482996340, 0.08221359629355080023,
    -0.70624617255763935981, 0.33259913678935943860, 0.39216144400731413928};
static const double kahan_li8[] = {
    0.13020248308889008088,  0.56116298177510838456,  -0.38947496264484728641,
    0.15884190655515560090,  -0.39590389413323757734, 0.18453964097831570709,
    0.25837438768632204729,  0.29501172360931029887,  -0.60550853383003451170,
    0.29501172360931029887,  0.25837438768632204729,  0.18453964097831570709,
    -0.39590389413323757734, 0.15884190655515560090,  -0.38947496264484728641,
    0.56116298177510838456,  0.13020248308889008088};
#define ROW(name, gamma, order, doc, source)                                                       \
  { name, doc, source, order, sizeof gamma / sizeof *gamma, gamma }
static const cst_scheme schemes[] = {
    ROW("yoshida4", yoshida4, 4, "Triple jump, 1/(2 - 2^(1/3)).",
        "Yoshida 1990; Suzuki 1990; " HLW),
    ROW("suzuki4", suzuki4, 4,
        "Suzuki's fractal, 1/(4 - 4^(1/3)): five substeps, small error constant.",
        "Suzuki 1990; " HLW),
    ROW("yoshida6", yoshida6, 6, "Yoshida's solution A with seven substeps.", "Yoshida 1990; " HLW),
    ROW("kahan-li6", kahan_li6, 6, "Kahan and Li's s9odr6a with nine substeps.",
        "Kahan, Li 1997; " HLW),
    ROW("kahan-li8", kahan_li8, 8, "Kahan and Li's s17odr8a with seventeen substeps.",
        "Kahan, Li 1997; " HLW),
};

int cst_scheme_count(void) { return sizeof schemes / sizeof *schemes; }

const cst_scheme *cst_scheme_at(int i) {
  return i >= 0 && i < cst_scheme_count() ? &schemes[i] : NULL;
}

const cst_scheme *cst_scheme_find(const char *name) {
  CST_REQUIRE(name, NULL);
  for (int i = 0; i < cst_scheme_count(); i++)
    if (!strcmp(schemes[i].name, name))
      return &schemes[i];
  return NULL;
}

/* ---- order conditions ------------------------------------------------------------------------ */

/* They are evaluated for given coefficients.
 * A symmetric method of order 2 is a product exp(h Y1 + h^3 Y3 + h^5 Y5 + ...) of formal vector fields, Y1
 * the exact one. A scheme multiplies such products for gamma_i h; it has order p if the product agrees with
 * exp(h Y1) up to h^p, in the algebra of words in Y1, Y3, ... whose weights are the indices (Hairer, Lubich,
 * Wanner, III.5 and V.3.2). A word of weight w is a composition of w into odd parts: bit k - 1 of its number
 * tells that a part ends behind k. Even parts have no coefficient.
 */

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

/* The coefficient of a word of n parts in exp(sum_k y_k Y_k) over the odd k up to `last`: that of its parts
 * multiplied, over n!. */
static double in_exponential(const double *y, int last, int w, int word) {
  double product = 1, factorial = 1;
  for (int k = 1, begin = 0, n = 1; k <= w; k++)
    if (k == w || word >> (k - 1) & 1) {
      const int part = k - begin;
      if (part % 2 == 0 || part > last)
        return 0;
      product *= y[part];
      factorial *= n++;
      begin = k;
    }
  return product / factorial;
}

/* out = exp(sum_k x^k Y_k) over the odd k up to `last`. */
static void exponential(double x, int last, series *out) {
  double y[MOST + 1] = {1, x};
  for (int k = 3; k <= MOST; k += 2)
    y[k] = y[k - 2] * x * x;
  memset(out, 0, sizeof *out);
  for (int w = 0; w <= MOST; w++)
    for (int word = 0; word < words(w); word++)
      out->of[w][word] = in_exponential(y, last, w, word);
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
