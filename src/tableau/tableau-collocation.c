/* tableau-collocation.c: collocation tableaus of any number of stages: Gauss and Radau IIA. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "tableau/tableau-collocation.h"
#include <quadmath.h>
#include "tableau/tableau.h"

/* ---- Legendre polynomials -------------------------------------------------------------------- */

/* Any number of Gauss nodes and weights, for collocation and line integral methods. The shifted Legendre
 * polynomials P_k are orthonormal on [0, 1]. Nodes are the zeros of P_n, by Newton from Chebyshev guesses; the
 * weights are b_i = 1 / sum_{k<n} P_k(c_i)^2. All in quadruple precision, so that coefficients
 * are correctly rounded.
 */

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

/* ---- Gauss ----------------------------------------------------------------------------------- */

/* The coefficients solve the collocation conditions sum_j a_ij c_j^{k-1} = c_i^k / k, here through the
 * Legendre basis, which stays well conditioned: a_ij = b_j sum_k P_k(c_j) int_0^{c_i} P_k (P_k orthonormal on
 * [0, 1], k < s). */

void cst_tableau_gauss_quad(int s, __float128 *a, __float128 *b, __float128 *c) {
  __float128 P[CST_MAX_GAUSS][CST_MAX_GAUSS + 1];
  cst_legendre_gauss_quad(s, b, c);
  for (int j = 0; j < s; j++)
    cst_legendre_quad(s, c[j], P[j]);
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      __float128 sum = 0;
      for (int k = 0; k < s; k++)
        sum += P[j][k] * cst_legendre_integral_quad(k, c[i], P[i]);
      a[i * s + j] = b[j] * sum;
    }
}

cst_tableau cst_tableau_gauss(int s) {
  cst_tableau t = {"gauss",
                   "Gauss collocation.",
                   "Butcher 1964; Hairer, Lubich, Wanner, II.1.3",
                   s,
                   2 * s,
                   true,
                   {0},
                   {0},
                   {0}};
  __float128  a[CST_MAX_GAUSS * CST_MAX_GAUSS], b[CST_MAX_GAUSS], c[CST_MAX_GAUSS];
  cst_tableau_gauss_quad(s, a, b, c);
  for (int i = 0; i < s * s; i++)
    t.a[i] = (double)a[i];
  for (int i = 0; i < s; i++) {
    t.b[i] = (double)b[i];
    t.c[i] = (double)c[i];
  }
  return t;
}

/* ---- Radau IIA ------------------------------------------------------------------------------- */

/* Radau IIA, collocation at the s zeros of the shifted Legendre polynomials' difference
 * L_s - L_(s-1), the last of which is the right end.
 *
 * The quadrature is exact to degree 2s - 2, so that with P_k orthonormal on [0, 1], k < s, the weights are
 * b_i = 1 / sum_k P_k(c_i)^2 and a_ij = b_j sum_k P_k(c_j) int_0^{c_i} P_k, as for Gauss nodes.
 */

/* L_s - L_(s-1) at x. */
static __float128 difference(int s, __float128 x) {
  __float128 P[CST_MAX_RADAU + 1];
  cst_legendre_quad(s, x, P);
  return P[s] / sqrtq(2 * s + 1) - P[s - 1] / sqrtq(2 * s - 1);
}

/* The zero between low and high, by bisection. */
static __float128 zero(int s, __float128 low, __float128 high) {
  const bool rises = difference(s, low) < 0;
  for (int k = 0; k < 120; k++) {
    const __float128 middle = (low + high) / 2;
    if ((difference(s, middle) < 0) == rises)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* All zeros, ascending: they are further apart than the steps of the search. */
static void nodes(int s, __float128 *c) {
  const int steps = 64;
  int       n = 0;
  for (int k = 0; k < steps && n < s - 1; k++) {
    const __float128 low = (__float128)k / steps, high = (__float128)(k + 1) / steps;
    if ((difference(s, low) < 0) != (difference(s, high) < 0))
      c[n++] = zero(s, low, high);
  }
  c[s - 1] = 1;
}

cst_tableau cst_tableau_radau(int s) {
  cst_tableau t = {
      "radau", "Radau IIA.", "Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5",
      s,       2 * s - 1,    true,
      {0},     {0},          {0}};
  __float128 c[CST_MAX_RADAU], b[CST_MAX_RADAU], P[CST_MAX_RADAU][CST_MAX_RADAU + 1];
  nodes(s, c);
  for (int i = 0; i < s; i++) {
    __float128 sum = 0;
    cst_legendre_quad(s, c[i], P[i]);
    for (int k = 0; k < s; k++)
      sum += P[i][k] * P[i][k];
    b[i] = 1 / sum;
  }
  for (int i = 0; i < s; i++) {
    t.b[i] = (double)b[i];
    t.c[i] = (double)c[i];
    for (int j = 0; j < s; j++) {
      __float128 sum = 0;
      for (int k = 0; k < s; k++)
        sum += P[j][k] * cst_legendre_integral_quad(k, c[i], P[i]);
      t.a[i * s + j] = (double)(b[j] * sum);
    }
  }
  return t;
}
