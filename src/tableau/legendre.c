/* legendre.c: any number of Gauss nodes and weights, and the shifted Legendre polynomials at them, for Gauss
 * collocation and line integral methods.
 *
 * The polynomials P_k are orthonormal on [0, 1]. Nodes are the zeros of P_n, by Newton from Chebyshev
 * guesses; the weights are b_i = 1 / sum_{k<n} P_k(c_i)^2. All in quadruple precision, so that coefficients
 * are correctly rounded.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "tableau/legendre.h"

void cst_legendre_quad(int n, __float128 x, __float128 *P) {
  __float128 z = 2 * x - 1;
  __float128 a = 1, b = z;
  for (int k = 0; k <= n; k++) {
    P[k] = sqrtq(2 * k + 1) * a;
    __float128 next = ((2 * k + 3) * z * b - (k + 1) * a) / (k + 2);
    a = b;
    b = next;
  }
}

/* The i-th zero (from 0, ascending) of P_n on [0, 1]. */
static __float128 node(int n, int i) {
  __float128 z = -cosq(M_PIq * (i + 0.75Q) / (n + 0.5Q));
  __float128 P, Q, D;
  for (int it = 0; it < 100; it++) {
    P = 1;
    Q = 0;
    for (int k = 1; k <= n; k++) {
      __float128 next = ((2 * k - 1) * z * P - (k - 1) * Q) / k;
      Q = P;
      P = next;
    }
    D = n * (z * P - Q) / (z * z - 1);
    z -= P / D;
    if (fabsq(P / D) < 1e-32Q)
      break;
  }
  return (1 + z) / 2;
}

void cst_legendre_gauss_quad(int n, __float128 *b, __float128 *c) {
  __float128 P[CST_MAX_NODES + 1];
  for (int i = 0; i < n; i++) {
    __float128 sum = 0;
    c[i] = node(n, i);
    cst_legendre_quad(n, c[i], P);
    for (int k = 0; k < n; k++)
      sum += P[k] * P[k];
    b[i] = 1 / sum;
  }
}

/* (P_{k+1}(z) - P_{k-1}(z)) / (2 (2k+1)) in the classical polynomials, z = 2x - 1. */
__float128 cst_legendre_integral_quad(int k, __float128 x, const __float128 *P) {
  if (k == 0)
    return x;
  return sqrtq(2 * k + 1) * (P[k + 1] / sqrtq(2 * k + 3) - P[k - 1] / sqrtq(2 * k - 1)) /
         (2 * (2 * k + 1));
}

void cst_legendre_line_tables(int k, int s, double *weighted, double *integral, double *xi) {
  __float128 b[CST_MAX_NODES], c[CST_MAX_NODES], P[CST_MAX_NODES + 1];
  cst_legendre_gauss_quad(k, b, c);
  for (int i = 0; i < k; i++) {
    cst_legendre_quad(s, c[i], P);
    for (int j = 0; j < s; j++) {
      weighted[i * s + j] = (double)(b[i] * P[j]);
      integral[i * s + j] = (double)cst_legendre_integral_quad(j, c[i], P);
    }
  }
  for (int j = 0; j <= s; j++)
    xi[j] = j ? (double)(1 / (2 * sqrtq(4 * j * j - 1))) : 0.5;
}
