/* gauss.c: Gauss collocation tableaus of any number of stages.
 *
 * Nodes are the zeros of the shifted Legendre polynomial, by Newton in quadruple precision from Chebyshev guesses. The coefficients
 * solve the collocation conditions sum_j a_ij c_j^{k-1} = c_i^k / k, here through the Legendre basis, which stays well conditioned:
 * b_j = 1 / sum_k P_k(c_j)^2 and a_ij = b_j sum_k P_k(c_j) int_0^{c_i} P_k (P_k orthonormal on [0, 1], k < s).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "tableau/tableau.h"

/* P[k] = sqrt(2k+1) P_k(2x-1), k = 0..n. */
static void legendre(int n, __float128 x, __float128 *P) {
  __float128 z = 2 * x - 1, a = 1, b = z;
  for (int k = 0; k <= n; k++) {
    P[k] = sqrtq(2 * k + 1) * a;
    __float128 next = ((2 * k + 3) * z * b - (k + 1) * a) / (k + 2);
    a = b;
    b = next;
  }
}

/* The i-th zero (from 0, ascending) of P_s on [0, 1]. */
static __float128 node(int s, int i) {
  __float128 z = -cosq(M_PIq * (i + 0.75Q) / (s + 0.5Q)), P, Q, D;
  for (int it = 0; it < 100; it++) {
    P = 1, Q = 0;
    for (int k = 1; k <= s; k++) {
      __float128 next = ((2 * k - 1) * z * P - (k - 1) * Q) / k;
      Q = P;
      P = next;
    }
    D = s * (z * P - Q) / (z * z - 1);
    z -= P / D;
    if (fabsq(P / D) < 1e-32Q) break;
  }
  return (1 + z) / 2;
}

/* int_0^x P_k of the orthonormal polynomials: (P_{k+1}(z) - P_{k-1}(z)) / (2 (2k+1)) in the classical ones, z = 2x - 1. */
static __float128 integral(int k, __float128 x, const __float128 *P) {
  if (k == 0) return x;
  return sqrtq(2 * k + 1) * (P[k + 1] / sqrtq(2 * k + 3) - P[k - 1] / sqrtq(2 * k - 1)) / (2 * (2 * k + 1));
}

void cst_tableau_gauss_quad(int s, __float128 *a, __float128 *b, __float128 *c) {
  __float128 P[CST_MAX_GAUSS][CST_MAX_GAUSS + 1];
  for (int j = 0; j < s; j++) {
    c[j] = node(s, j);
    legendre(s, c[j], P[j]);
    __float128 sum = 0;
    for (int k = 0; k < s; k++) sum += P[j][k] * P[j][k];
    b[j] = 1 / sum;
  }
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      __float128 sum = 0;
      for (int k = 0; k < s; k++) sum += P[j][k] * integral(k, c[i], P[i]);
      a[i * s + j] = b[j] * sum;
    }
}

cst_tableau cst_tableau_gauss(int s) {
  cst_tableau t = {"gauss", "Gauss collocation.", "Butcher 1964; Hairer, Lubich, Wanner, II.1.3", s, 2 * s, true, {0}, {0}, {0}};
  __float128  a[CST_MAX_GAUSS * CST_MAX_GAUSS], b[CST_MAX_GAUSS], c[CST_MAX_GAUSS];
  cst_tableau_gauss_quad(s, a, b, c);
  for (int i = 0; i < s * s; i++) t.a[i] = (double)a[i];
  for (int i = 0; i < s; i++) t.b[i] = (double)b[i], t.c[i] = (double)c[i];
  return t;
}
