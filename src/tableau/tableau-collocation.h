/* tableau-collocation.h: Gauss nodes and weights, and the shifted Legendre polynomials at them. */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_TABLEAU_COLLOCATION_H
#define CST_TABLEAU_COLLOCATION_H

enum { CST_MAX_NODES = 64 };

/* The n Gauss nodes c, ascending, and weights b on [0, 1], n <= CST_MAX_NODES. */
void cst_legendre_gauss_quad(int n, __float128 *b, __float128 *c);
/* P[k] = P_k(x), k = 0..n, orthonormal on [0, 1]. */
void cst_legendre_quad(int n, __float128 x, __float128 *P);
/* int_0^x P_k, from the P[k + 2] at x. */
__float128 cst_legendre_integral_quad(int k, __float128 x, const __float128 *P);

/* The coefficients of HBVM(k, s), 1 <= s <= k <= CST_MAX_NODES, rounded once: weighted[k][s] = b_i P_j(c_i),
 * integral[k][s] = int_0^{c_i} P_j, and xi[s + 1], the entries of the tridiagonal matrix of int_0^1 P_i
 * int_0^x P_j: xi_0 = 1/2 at (0, 0), xi_j = 1 / (2 sqrt(4 j^2 - 1)) at (j, j - 1), -xi_j at (j - 1, j). */
void cst_legendre_line_tables(int k, int s, double *weighted, double *integral, double *xi);
#endif
