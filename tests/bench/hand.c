/* hand.c: RATTLE written by hand for three systems, as the limit that the product is measured against;
 * compiled once a width.
 *
 * The same scheme as src/method/core/kick.c: unknown impulses, only h multiplies, Newton with warm start,
 * every lane frozen by its own test, G and the tangency solved by small LU. What a person may use who writes
 * for one system only is used: masses, parameters and scales are constants, forces are constant, structural
 * zeros are left out, nothing is counted, nothing can fail.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include "constella/lanes.h"
#include "core/dense.h"
#undef U
#define U CST_UNROLL

#define PENDULUM 1
#define DOUBLE   2
#define TOP      3

#if HAND == PENDULUM
enum { N = 2, D = 1 };
static const double minv[N] = {1, 1}, dV[N] = {0, 1}, scale[D] = {2};
static const char   nz[D][N] = {{1, 1}};
CST_INLINE void     g(const vd *q, vd *o) { o[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }
CST_INLINE void     G(const vd *q, vd o[D][N]) { o[0][0] = 2.0 * q[0], o[0][1] = 2.0 * q[1]; }
#elif HAND == DOUBLE
enum { N = 4, D = 2 };
static const double minv[N] = {1, 1, 1, 1}, dV[N] = {0, 1, 0, 1}, scale[D] = {2, 12};
static const char   nz[D][N] = {{1, 1, 0, 0}, {1, 1, 1, 1}};
CST_INLINE void     g(const vd *q, vd *o) {
      vd a = q[2] - q[0], b = q[3] - q[1];
      o[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
      o[1] = a * a + b * b - 2.0000000000000004;
}
CST_INLINE void G(const vd *q, vd o[D][N]) {
  vd a = 2.0 * (q[2] - q[0]), b = 2.0 * (q[3] - q[1]);
  o[0][0] = 2.0 * q[0], o[0][1] = 2.0 * q[1], o[1][0] = -a, o[1][1] = -b, o[1][2] = a, o[1][3] = b;
}
#else
enum { N = 9, D = 6 };
static const double minv[N] = HAND_TOP_MINV, dV[N] = {0, 0, 0, 0, 0, 0, 0, 0, HAND_TOP_WEIGHT},
                    scale[D] = {2, 2, 2, 1, 1, 1};
static const int  first[D] = {0, 1, 2, 0, 0, 1}, second[D] = {0, 1, 2, 1, 2, 2};
static const char nz[D][N] = {{1, 0, 0, 1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0, 0, 1, 0},
                              {0, 0, 1, 0, 0, 1, 0, 0, 1}, {1, 1, 0, 1, 1, 0, 1, 1, 0},
                              {1, 0, 1, 1, 0, 1, 1, 0, 1}, {0, 1, 1, 0, 1, 1, 0, 1, 1}};
CST_INLINE void   g(const vd *q, vd *o) {
    U for (int a = 0; a < D; a++) {
      int j = first[a], k = second[a];
      o[a] = q[j] * q[k] + q[3 + j] * q[3 + k] + q[6 + j] * q[6 + k] - (j == k ? 1.0 : 0.0);
  }
}
CST_INLINE void G(const vd *q, vd o[D][N]) {
  U for (int a = 0; a < D; a++) U for (int i = 0; i < 3; i++) {
    int j = first[a], k = second[a];
    if (j == k)
      o[a][3 * i + j] = 2.0 * q[3 * i + j];
    else
      o[a][3 * i + j] = q[3 * i + k], o[a][3 * i + k] = q[3 * i + j];
  }
}
#endif

CST_INLINE void product(double h, vd A[D][N], vd B[D][N], int symmetric, vd *S) {
  U for (int a = 0; a < D; a++) U for (int b = symmetric ? a : 0; b < D; b++) {
    vd s = vset(0);
    U for (int i = 0; i < N; i++) if (nz[a][i] && nz[b][i]) s += (A[a][i] * (h * minv[i])) * B[b][i];
    S[a * D + b] = s;
  }
}

/* n steps of h of one group; x is q[N], p[N], impulses[D]. */
static void group(vd *x, double h, long n) {
  vd q[N], p[N], l[D], q1[N], ph[N], pt[N], G0[D][N], G1[D][N], r[D], S[D * D];
  U for (int i = 0; i < N; i++) q[i] = x[i], p[i] = x[N + i];
  U for (int a = 0; a < D; a++) l[a] = x[2 * N + a];
  G(q, G0);
  for (long k = 0; k < n; k++) {
    U for (int i = 0; i < N; i++) pt[i] = p[i] - 0.5 * h * dV[i];
    for (int it = 0; it < 25; it++) {
      U for (int i = 0; i < N; i++) {
        ph[i] = pt[i];
        U for (int a = 0; a < D; a++) if (nz[a][i]) ph[i] -= G0[a][i] * l[a];
        q1[i] = q[i] + (h * minv[i]) * ph[i];
      }
      g(q1, r);
      G(q1, G1);
      vl active = vmask(0);
      U for (int a = 0; a < D; a++) active |= ~(vl)(vabs(r[a]) <= 1e-14 * scale[a]);
      if (!vany(active)) break;
      product(h, G1, G0, 0, S);
      cst_lu(S, D);
      cst_lu_solve(S, r, D);
      U for (int a = 0; a < D; a++) l[a] += vkeep(active, r[a]);
    }
    U for (int i = 0; i < N; i++) p[i] = ph[i] - 0.5 * h * dV[i], q[i] = q1[i];
    product(h, G1, G1, 1, S);
    U for (int a = 0; a < D; a++) {
      r[a] = vset(0);
      U for (int i = 0; i < N; i++) if (nz[a][i]) r[a] += (G1[a][i] * (h * minv[i])) * p[i];
    }
    cst_ldl(S, D);
    cst_lu_solve(S, r, D);
    U for (int a = 0; a < D; a++) U for (int i = 0; i < N; i++) if (nz[a][i]) p[i] -= G1[a][i] * r[a],
        G0[a][i] = G1[a][i];
  }
  U for (int i = 0; i < N; i++) x[i] = q[i], x[N + i] = p[i];
  U for (int a = 0; a < D; a++) x[2 * N + a] = l[a];
}

void HAND_SYMBOL(double *state, int groups, double h, long n) {
  for (int k = 0; k < groups; k++) group((vd *)state + (size_t)k * (2 * N + D), h, n);
}
