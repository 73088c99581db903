/* tableau-gauss.c: Gauss collocation tableaus of any number of stages.
 *
 * The coefficients solve the collocation conditions sum_j a_ij c_j^{k-1} = c_i^k / k, here through the
 * Legendre basis, which stays well conditioned: a_ij = b_j sum_k P_k(c_j) int_0^{c_i} P_k (P_k orthonormal on
 * [0, 1], k < s).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "tableau/legendre.h"
#include "tableau/tableau.h"

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
