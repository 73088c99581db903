/* hand.c: RATTLE written by hand for three systems, as the limit that the product is measured against;
 * compiled once a width.
 *
 * The same scheme as src/method/core/kick.c: unknown impulses, only h multiplies, Newton from impulses that
 * are extrapolated, every lane frozen by its own test, G and the tangency solved by small LU. Where there are
 * at most two constraints two groups march together. What a person may use who writes for one system only is
 * used: masses, parameters and scales are constants, forces are constant, structural zeros are left out,
 * nothing is counted, nothing can fail.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"
#include "constella/lanes.h"
#include "core/dense.h"
#undef UNROLL
#define UNROLL CST_UNROLL

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
    UNROLL
    for (int a = 0; a < D; a++) {
      int j = first[a], k = second[a];
      o[a] = q[j] * q[k] + q[3 + j] * q[3 + k] + q[6 + j] * q[6 + k] - (j == k ? 1.0 : 0.0);
  }
}
CST_INLINE void G(const vd *q, vd o[D][N]) {
  UNROLL
  for (int a = 0; a < D; a++) {
    UNROLL
    for (int i = 0; i < 3; i++) {
      int j = first[a], k = second[a];
      if (j == k)
        o[a][3 * i + j] = 2.0 * q[3 * i + j];
      else
        o[a][3 * i + j] = q[3 * i + k], o[a][3 * i + k] = q[3 * i + j];
    }
  }
}
#endif

CST_INLINE void product(double h, vd A[D][N], vd B[D][N], int symmetric, vd *S) {
  UNROLL
  for (int a = 0; a < D; a++) {
    UNROLL
    for (int b = symmetric ? a : 0; b < D; b++) {
      vd s = vset(0);
      UNROLL
      for (int i = 0; i < N; i++)
        if (nz[a][i] && nz[b][i])
          s += (A[a][i] * (h * minv[i])) * B[b][i];
      S[a * D + b] = s;
    }
  }
}

enum {
  TOGETHER = D <= 2 ? 2 : 1
}; /* groups whose latencies hide behind one another; more do not fit the registers */
#define EACH(k)                                                                                    \
  UNROLL                                                                                           \
  for (int k = 0; k < K; k++)

/* Impulses with which a step starts: the parabola through those of the last three. */
CST_INLINE void extrapolate(vd *l, vd *l1, vd *l2) {
  UNROLL
  for (int a = 0; a < D; a++) {
    const vd next = 3.0 * (l[a] - l1[a]) + l2[a];
    l2[a] = l1[a], l1[a] = l[a], l[a] = next;
  }
}

/* q1 = q + h M^-1 ph, ph = pt - G'l. */
CST_INLINE void drift(double h, const vd *q, const vd *pt, vd G0[D][N], const vd *l, vd *ph,
                      vd *q1) {
  UNROLL
  for (int i = 0; i < N; i++) {
    ph[i] = pt[i];
    UNROLL
    for (int a = 0; a < D; a++)
      if (nz[a][i])
        ph[i] -= G0[a][i] * l[a];
    q1[i] = q[i] + (h * minv[i]) * ph[i];
  }
}

/* The lanes that need another iteration, with G at q1 and the residual. */
CST_INLINE vl residual(const vd *q1, vd *r, vd G1[D][N]) {
  vl active = vmask(0);
  g(q1, r);
  G(q1, G1);
  UNROLL
  for (int a = 0; a < D; a++)
    active |= ~(vl)(vabs(r[a]) <= 1e-14 * scale[a]);
  return active;
}

CST_INLINE void correct(double h, vl active, vd G1[D][N], vd G0[D][N], vd *r, vd *l) {
  vd S[D * D];
  product(h, G1, G0, 0, S);
  cst_lu(S, D);
  cst_lu_solve(S, r, D);
  UNROLL
  for (int a = 0; a < D; a++)
    l[a] += vkeep(active, r[a]);
}

CST_INLINE void make_tangent(double h, vd G1[D][N], vd *p) {
  vd S[D * D], r[D];
  product(h, G1, G1, 1, S);
  UNROLL
  for (int a = 0; a < D; a++) {
    r[a] = vset(0);
    UNROLL
    for (int i = 0; i < N; i++)
      if (nz[a][i])
        r[a] += (G1[a][i] * (h * minv[i])) * p[i];
  }
  cst_ldl(S, D);
  cst_lu_solve(S, r, D);
  UNROLL
  for (int a = 0; a < D; a++) {
    UNROLL
    for (int i = 0; i < N; i++)
      if (nz[a][i])
        p[i] -= G1[a][i] * r[a];
  }
}

/* n steps of h of K groups; x is [TOGETHER][q[N], p[N], impulses[D]]. */
CST_INLINE void step_groups(const int K, vd *x, double h, long n) {
  enum { ROWS = 2 * N + D };
  vd q[TOGETHER][N], p[TOGETHER][N], l[TOGETHER][D], l1[TOGETHER][D], l2[TOGETHER][D],
      q1[TOGETHER][N], ph[TOGETHER][N], pt[TOGETHER][N], G0[TOGETHER][D][N], G1[TOGETHER][D][N],
      r[TOGETHER][D];
  EACH(k) {
    UNROLL
    for (int i = 0; i < N; i++)
      q[k][i] = x[k * ROWS + i], p[k][i] = x[k * ROWS + N + i];
    UNROLL
    for (int a = 0; a < D; a++)
      l[k][a] = l1[k][a] = l2[k][a] = x[k * ROWS + 2 * N + a];
    G(q[k], G0[k]);
  }
  for (long step = 0; step < n; step++) {
    EACH(k) {
      UNROLL
      for (int i = 0; i < N; i++)
        pt[k][i] = p[k][i] - 0.5 * h * dV[i];
    }
    EACH(k) extrapolate(l[k], l1[k], l2[k]);
    for (int it = 0; it < 25; it++) {
      vl active[TOGETHER], some = vmask(0);
      EACH(k) {
        drift(h, q[k], pt[k], G0[k], l[k], ph[k], q1[k]);
        some |= active[k] = residual(q1[k], r[k], G1[k]);
      }
      if (!vany(some))
        break;
      EACH(k) correct(h, active[k], G1[k], G0[k], r[k], l[k]);
    }
    EACH(k) {
      UNROLL
      for (int i = 0; i < N; i++)
        p[k][i] = ph[k][i] - 0.5 * h * dV[i], q[k][i] = q1[k][i];
      make_tangent(h, G1[k], p[k]);
      UNROLL
      for (int a = 0; a < D; a++) {
        UNROLL
        for (int i = 0; i < N; i++)
          if (nz[a][i])
            G0[k][a][i] = G1[k][a][i];
      }
    }
  }
  EACH(k) {
    UNROLL
    for (int i = 0; i < N; i++)
      x[k * ROWS + i] = q[k][i], x[k * ROWS + N + i] = p[k][i];
    UNROLL
    for (int a = 0; a < D; a++)
      x[k * ROWS + 2 * N + a] = l[k][a];
  }
}

void HAND_SYMBOL(double *state, int groups, double h, long n) {
  const int together = CST_W == 1 ? 1 : TOGETHER;
  vd       *x = (vd *)state;
  int       k = 0;
  for (; k + together <= groups; k += together)
    step_groups(CST_W == 1 ? 1 : TOGETHER, x + (size_t)k * (2 * N + D), h, n);
  for (; k < groups; k++)
    step_groups(1, x + (size_t)k * (2 * N + D), h, n);
}
