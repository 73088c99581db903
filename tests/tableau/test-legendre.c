/* test-legendre.c: Gauss nodes and weights, and the tables of line integral methods, against what defines
 * them: exactness of the quadrature to 32 digits, orthonormality, the tridiagonal matrix of the integrals; a
 * node off by one unit in the last place is noticed. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdlib.h>
#include "tableau/tableau-collocation.h"
#include "tap.h"

/* Largest relative error of the integrals of x^m, m < 2n. */
static double quadrature_error(int n, const __float128 *b, const __float128 *c) {
  double worst = 0;
  for (int m = 0; m < 2 * n; m++) {
    __float128 sum = 0;
    for (int i = 0; i < n; i++)
      sum += b[i] * powq(c[i], m);
    worst = fmax(worst, (double)fabsq(sum * (m + 1) - 1));
  }
  return worst;
}

static void test_quadrature(void) {
  double worst = 0, unnoticed = INFINITY;
  bool   ordered = true;
  for (int n = 1; n <= CST_MAX_NODES; n++) {
    __float128 b[CST_MAX_NODES], c[CST_MAX_NODES];
    cst_legendre_gauss_quad(n, b, c);
    worst = fmax(worst, quadrature_error(n, b, c));
    for (int i = 0; i < n; i++)
      ordered &= b[i] > 0 && c[i] > (i ? c[i - 1] : 0) && c[i] < 1 &&
                 fabsq(c[i] + c[n - 1 - i] - 1) < 1e-32Q;
    c[n / 2] *= 1 + 0x1p-52Q;
    unnoticed = fmin(unnoticed, quadrature_error(n, b, c));
  }
  OK(worst < 1e-30, "x^m is integrated exactly for m < 2n, n = 1..%d (%.2g)", CST_MAX_NODES, worst);
  OK(ordered, "nodes ascend, symmetric about 1/2, with positive weights");
  OK(unnoticed > 1e-20, "a node off by 2^-52 would be noticed (%.2g)", unnoticed);
}

static void test_values(void) {
  __float128 b[3], c[3];
  cst_legendre_gauss_quad(3, b, c);
  OK(fabsq(c[0] - (0.5Q - sqrtq(15) / 10)) < 1e-33Q && fabsq(b[0] - 5 / 18.0Q) < 1e-33Q &&
         fabsq(b[1] - 4 / 9.0Q) < 1e-33Q,
     "three nodes and weights are those in closed form");
}

/* sum_i b_i P_r(c_i) integral_m against the matrix with entries xi. */
static double integral_matrix_error(int s, int k, const double *weighted, const double *integral,
                                    const double *xi) {
  double worst = 0;
  for (int r = 0; r < s; r++)
    for (int m = 0; m < s; m++) {
      double sum = r == m + 1 ? -xi[r] : m == r + 1 ? xi[m] : r == 0 && m == 0 ? -xi[0] : 0;
      for (int i = 0; i < k; i++)
        sum += weighted[i * s + r] * integral[i * s + m];
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

/* The orthonormal P_m, m < k, at the k nodes, by their three-term recursion in double. */
static void recursion(int k, double *value) {
  __float128 b[CST_MAX_NODES], c[CST_MAX_NODES];
  cst_legendre_gauss_quad(k, b, c);
  for (int i = 0; i < k; i++) {
    const double z = (double)(2 * c[i] - 1);
    double       a = 1, n = z;
    for (int m = 0; m < k; m++) {
      value[i * k + m] = a * sqrt(2 * m + 1);
      const double next = ((2 * m + 3) * z * n - (m + 1) * a) / (m + 2);
      a = n, n = next;
    }
  }
}

/* sum_i b_i P_r P_m = delta where 2k - 1 suffices. */
static double orthonormality_error(int s, int k, const double *weighted, const double *value) {
  double worst = 0;
  for (int r = 0; r < s; r++)
    for (int m = 0; m < s; m++) {
      double sum = -(r == m);
      for (int i = 0; i < k; i++)
        sum += weighted[i * s + r] * value[i * k + m];
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

static void test_tables(void) {
  double weighted[CST_MAX_NODES * CST_MAX_NODES], integral[CST_MAX_NODES * CST_MAX_NODES],
      xi[CST_MAX_NODES + 1], X = 0, P = 0, wrong;
  double value[CST_MAX_NODES * CST_MAX_NODES];
  for (int k = 1; k <= CST_MAX_NODES; k++) {
    recursion(k, value);
    for (int s = 1; s <= k; s++) {
      if ((k + s) % 4 && k > 6 && !getenv("CONSTELLA_TEST_ALL"))
        continue;
      cst_legendre_line_tables(k, s, weighted, integral, xi);
      X = fmax(X, integral_matrix_error(s, k, weighted, integral, xi));
      P = fmax(P, orthonormality_error(s, k, weighted, value));
    }
  }
  OK(X < 1e-14,
     "the integrals of the polynomials make the tridiagonal matrix, all s <= k <= %d (%.2g)",
     CST_MAX_NODES, X);
  OK(P < 2e-12, "the polynomials are orthonormal (%.2g)", P);
  cst_legendre_line_tables(6, 3, weighted, integral, xi);
  OK(xi[0] == 0.5 && fabs(xi[1] - 0.5 / sqrt(3)) < 1e-16 && fabs(xi[2] - 0.5 / sqrt(15)) < 1e-16,
     "xi = 1/2, 1/(2 sqrt 3), 1/(2 sqrt 15)");
  integral[4] *= 1 + 1e-12;
  wrong = integral_matrix_error(3, 6, weighted, integral, xi);
  OK(wrong > 1e-14, "an integral off by 1e-12 would be noticed (%.2g)", wrong);
  recursion(6, value);
  weighted[4] *= 1 + 1e-10;
  wrong = orthonormality_error(3, 6, weighted, value);
  OK(wrong > 2e-12, "and a polynomial off by 1e-10 (%.2g)", wrong);
}

int main(void) {
  test_quadrature();
  test_values();
  test_tables();
  return tap_done();
}
