/* hand-constrained.c: generalised-alpha (rho = 0.8, index 3) and Radau IIA with two and three stages (stabilised index
 * 2) written by hand for the double pendulum, as the limit that the product is measured against; compiled once a
 * width.
 *
 * The equations and the elimination of src/method/core/constrained.c. What a person may use who writes for one
 * system only is used: masses, the force and all sizes are constants, second derivatives of the constraints are
 * numbers, every step takes the given number of iterations, which begin with the unknowns of the last step; nothing
 * is tested, nothing can fail.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "bench.h"
#include "constella/lanes.h"
#include "core/dense.h"
#undef UNROLL
#define UNROLL CST_UNROLL

enum { N = 4, D = 2 };

CST_INLINE void g(const vd *q, vd *o) {
  const vd a = q[2] - q[0], b = q[3] - q[1];
  o[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
  o[1] = a * a + b * b - 2.0000000000000004;
}

CST_INLINE void G(const vd *q, vd o[D][N]) {
  const vd a = 2.0 * (q[2] - q[0]), b = 2.0 * (q[3] - q[1]);
  o[0][0] = 2.0 * q[0], o[0][1] = 2.0 * q[1], o[0][2] = o[0][3] = vset(0);
  o[1][0] = -a, o[1][1] = -b, o[1][2] = a, o[1][3] = b;
}

/* D_q (G'l): the numbers that are not 0 are those of x and x2 and the same of y. */
CST_INLINE void bend(const vd *l, vd K[N][N]) {
  UNROLL
  for (int r = 0; r < N; r++)
    UNROLL
  for (int k = 0; k < N; k++)
    K[r][k] = vset(0);
  K[0][0] = K[1][1] = 2.0 * (l[0] + l[1]);
  K[2][2] = K[3][3] = 2.0 * l[1];
  K[0][2] = K[2][0] = K[1][3] = K[3][1] = -2.0 * l[1];
}

static const double radau2[2][2] = {{5 / 12., -1 / 12.}, {3 / 4., 1 / 4.}};
static const double r6 = 2.449489742783178;
static double       radau3[3][3];

static void make_radau3(void) {
  const double a[3][3] = {{(88 - 7 * r6) / 360, (296 - 169 * r6) / 1800, (-2 + 3 * r6) / 225},
                          {(296 + 169 * r6) / 1800, (88 + 7 * r6) / 360, (-2 - 3 * r6) / 225},
                          {(16 - r6) / 36, (16 + r6) / 36, 1 / 9.}};
  memcpy(radau3, a, sizeof a);
}

/* One correction of A[S][N], l[S][D] and, with both constraints, m[S][D]. Q = Q0 + h^2 (B A - Dm G'm), V = V0 + h C A.
 * P[S][N]: -G'm at the last points. */
CST_INLINE void correct(int S, int both, double h, const double *C, const double *B, const vd *Q0,
                        const vd *V0, vd *A, vd *l, vd *m, vd *P, vd *Q, vd *V) {
  const int n = S * (N + (1 + both) * D), atl = S * N, atm = S * (N + D);
  vd        J[24 * 24], b[24], f[D], K[N][N], Gs[3][D][N];
  UNROLL
  for (int k = 0; k < n * n; k++)
    J[k] = vset(0);
  UNROLL
  for (int i = 0; i < S; i++) {
    UNROLL
    for (int k = 0; k < N; k++) {
      vd q = vset(0), v = vset(0);
      UNROLL
      for (int j = 0; j < S; j++) {
        q += B[i * S + j] * A[j * N + k];
        v += C[i * S + j] * A[j * N + k];
        if (both)
          q += C[i * S + j] * P[j * N + k];
      }
      Q[i * N + k] = Q0[i * N + k] + (h * h) * q;
      V[i * N + k] = V0[k] + h * v;
    }
    G(Q + i * N, Gs[i]);
  }
  UNROLL
  for (int i = 0; i < S; i++) {
    bend(l + i * D, K);
    UNROLL
    for (int r = 0; r < N; r++) {
      vd *const row = J + (i * N + r) * n;
      vd        sum = A[i * N + r] + (r % 2 ? 1.0 : 0.0);
      UNROLL
      for (int a = 0; a < D; a++) {
        sum += Gs[i][a][r] * l[i * D + a];
        row[atl + i * D + a] = Gs[i][a][r];
      }
      b[i * N + r] = -sum;
      UNROLL
      for (int j = 0; j < S; j++) {
        UNROLL
        for (int k = 0; k < N; k++)
          row[j * N + k] = (h * h * B[i * S + j]) * K[r][k];
        for (int a = 0; a < D && both; a++) {
          vd push = vset(0);
          UNROLL
          for (int k = 0; k < N; k++)
            push += K[r][k] * Gs[j][a][k];
          row[atm + j * D + a] = (-h * h * C[i * S + j]) * push;
        }
      }
      row[i * N + r] += vset(1);
    }
    g(Q + i * N, f);
    UNROLL
    for (int a = 0; a < D; a++) {
      vd *const row = J + (atl + i * D + a) * n, *const hidden = J + (atm + i * D + a) * n;
      const vd *v = V + i * N;
      vd        W[N] = {vset(0), vset(0), vset(0), vset(0)}, Gv = vset(0);
      b[atl + i * D + a] = -f[a] * (1 / (h * h));
      if (a == 0)
        W[0] = 2.0 * v[0], W[1] = 2.0 * v[1];
      else {
        W[2] = 2.0 * (v[2] - v[0]), W[3] = 2.0 * (v[3] - v[1]);
        W[0] = -W[2], W[1] = -W[3];
      }
      UNROLL
      for (int k = 0; k < N; k++)
        Gv += Gs[i][a][k] * v[k];
      if (both)
        b[atm + i * D + a] = -Gv * (1 / h);
      UNROLL
      for (int j = 0; j < S; j++) {
        UNROLL
        for (int k = 0; k < N; k++) {
          row[j * N + k] = B[i * S + j] * Gs[i][a][k];
          if (both)
            hidden[j * N + k] = C[i * S + j] * Gs[i][a][k] + (h * B[i * S + j]) * W[k];
        }
        for (int c = 0; c < D && both; c++) {
          vd x = vset(0), y = vset(0);
          UNROLL
          for (int k = 0; k < N; k++) {
            x += Gs[i][a][k] * Gs[j][c][k];
            y += W[k] * Gs[j][c][k];
          }
          row[atm + j * D + c] = -C[i * S + j] * x;
          hidden[atm + j * D + c] = (-h * C[i * S + j]) * y;
        }
      }
    }
  }
  cst_lu(J, n);
  cst_lu_solve(J, b, n);
  UNROLL
  for (int k = 0; k < S * N; k++)
    A[k] += b[k];
  UNROLL
  for (int k = 0; k < S * D; k++) {
    l[k] += b[atl + k];
    if (both)
      m[k] += b[atm + k];
  }
  for (int i = 0; i < S && both; i++)
    UNROLL
  for (int k = 0; k < N; k++)
    P[i * N + k] = -(Gs[i][0][k] * m[i * D] + Gs[i][1][k] * m[i * D + 1]);
}

/* n steps of Radau IIA; state is q[4], v[4]. */
CST_INLINE void radau(int S, const double *a, vd *state, int iterations, double h, long n) {
  double B[9], c[3];
  vd     A[12], l[6], m[6], P[12], Q[12], V[12], Q0[12];
  for (int i = 0; i < S; i++) {
    c[i] = 0;
    for (int j = 0; j < S; j++) {
      c[i] += a[i * S + j], B[i * S + j] = 0;
      for (int k = 0; k < S; k++)
        B[i * S + j] += a[i * S + k] * a[k * S + j];
    }
  }
  for (int k = 0; k < 12; k++)
    A[k] = P[k] = vset(0), l[k / 2] = m[k / 2] = vset(0);
  for (long step = 0; step < n; step++) {
    UNROLL
    for (int i = 0; i < S; i++)
      UNROLL
    for (int k = 0; k < N; k++)
      Q0[i * N + k] = state[k] + (h * c[i]) * state[N + k];
    for (int k = step ? iterations : 3 * iterations; k > 0; k--)
      correct(S, 1, h, a, B, Q0, state + N, A, l, m, P, Q, V);
    UNROLL
    for (int k = 0; k < N; k++) { /* the last stage, with the last correction */
      vd q = Q0[(S - 1) * N + k], v = state[N + k];
      UNROLL
      for (int j = 0; j < S; j++) {
        q += (h * h) * (B[(S - 1) * S + j] * A[j * N + k] + a[(S - 1) * S + j] * P[j * N + k]);
        v += (h * a[(S - 1) * S + j]) * A[j * N + k];
      }
      state[k] = q, state[N + k] = v;
    }
  }
}

/* The accelerations of the index-1 equations: a0 = -G'l + f with G a0 = -D2g[v, v]. */
CST_INLINE void accelerations(const vd *q, const vd *v, vd *A) {
  vd Gq[D][N], S[D * D], r[D], w[2] = {v[2] - v[0], v[3] - v[1]};
  G(q, Gq);
  r[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]) - Gq[0][1] - Gq[0][3];
  r[1] = 2.0 * (w[0] * w[0] + w[1] * w[1]) - Gq[1][1] - Gq[1][3];
  for (int a = 0; a < D; a++)
    for (int b = 0; b < D; b++) {
      S[a * D + b] = vset(0);
      for (int k = 0; k < N; k++)
        S[a * D + b] += Gq[a][k] * Gq[b][k];
    }
  cst_lu(S, D);
  cst_lu_solve(S, r, D);
  for (int k = 0; k < N; k++)
    A[k] = -Gq[0][k] * r[0] - Gq[1][k] * r[1] - (k % 2 ? 1.0 : 0.0);
}

CST_INLINE void alpha(vd *state, int iterations, double h, long n) {
  const double rho = 0.8, am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1);
  const double gamma = 0.5 + af - am, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  const double share = (1 - af) / (1 - am), B = beta * share, C = gamma * share;
  vd           a[N], A0[N], A[N], l[D] = {vset(0), vset(0)}, Q0[N], V0[N], rest[N], Q[N], V[N];
  accelerations(state, state + N, A);
  for (int k = 0; k < N; k++)
    a[k] = A0[k] = A[k];
  for (long step = 0; step < n; step++) {
    UNROLL
    for (int k = 0; k < N; k++) {
      rest[k] = (af * A0[k] - am * a[k]) * (1 / (1 - am));
      Q0[k] = state[k] + h * state[N + k] + (h * h) * ((0.5 - beta) * a[k] + beta * rest[k]);
      V0[k] = state[N + k] + h * ((1 - gamma) * a[k] + gamma * rest[k]);
    }
    for (int k = step ? iterations : 3 * iterations; k > 0; k--)
      correct(1, 0, h, &C, &B, Q0, V0, A, l, NULL, NULL, Q, V);
    UNROLL
    for (int k = 0; k < N; k++) {
      a[k] = rest[k] + share * A[k];
      state[k] = Q0[k] + (h * h * B) * A[k];
      state[N + k] = V0[k] + (h * C) * A[k];
      A0[k] = A[k];
    }
  }
}

void HAND_SYMBOL(double *state, int groups, int stages, int iterations, double h, long n) {
  make_radau3();
  for (int k = 0; k < groups; k++) {
    vd *const x = (vd *)state + (size_t)k * (2 * N + D);
    if (stages == 3)
      radau(3, radau3[0], x, iterations, h, n);
    else if (stages == 2)
      radau(2, radau2[0], x, iterations, h, n);
    else
      alpha(x, iterations, h, n);
  }
}
