/* independent.c: reference values of benchmarks, by equations and a method that the program does not have.
 *
 *   gcc -O2 -o independent independent.c -lm && ./independent [NAME ...]
 *
 * Newton-Euler equations, accelerations with multipliers, or one equation less for each constraint, in long double
 * (64 bits of mantissa). The method is the extrapolation of Gragg, Bulirsch and Stoer, of order 18 with equal steps of
 * two lengths; it prints the coordinates at the end and the number of digits in which both agree. independent.py
 * compiles it and prints what it prints.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double         real;
typedef long double complex wave;
enum { MOST = 128, COLUMNS = 9 };

static real square(real x) { return x * x; }

/* b := A^-1 b by Gaussian elimination with row pivoting; A[n][n] is destroyed. */
static void solve(int n, real *A, real *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A[i * n + k]) > fabsl(A[best * n + k]))
        best = i;
    for (int j = 0; j < n && best != k; j++) {
      const real t = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = t;
    }
    const real t = b[k];
    b[k] = b[best], b[best] = t;
    for (int i = k + 1; i < n; i++) {
      const real f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n && f != 0; j++)
        A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

/* a[n] of M a + G'l = f, G a = c, with M[n][n], G[m][n]. */
static void accelerate(int n, int m, const real *M, const real *G, const real *f, const real *c,
                       real *a) {
  static real K[64 * 64], b[64];
  const int   N = n + m;
  memset(K, 0, sizeof K);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      K[i * N + j] = M[i * n + j];
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++)
      K[(n + k) * N + j] = K[j * N + n + k] = G[k * n + j];
  for (int i = 0; i < N; i++)
    b[i] = i < n ? f[i] : c[i - n];
  solve(N, K, b);
  memcpy(a, b, (size_t)n * sizeof *a);
}

/* ---- three vectors and rotations ---------------------------------------------------------------------------- */
static real dot(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const real *a, const real *b, real *o) {
  const real x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
             z = a[0] * b[1] - a[1] * b[0];
  o[0] = x, o[1] = y, o[2] = z;
}
/* R' = R hat(w), w in body axes */
static void turn(const real *R, const real *w, real *o) {
  for (int i = 0; i < 3; i++)
    cross(R + 3 * i, w, o + 3 * i);
}

#include "independent-problems.h"

/* ---- the method ----------------------------------------------------------------------------------------------- */
/* One step: modified midpoint rules of 2, 4, 6, ... substeps, extrapolated to none. */
static void step(const problem *p, real t, real H, real *y) {
  static real T[COLUMNS][MOST], a[MOST], b[MOST], f[MOST], f0[MOST];
  const int   n = p->size;
  p->f(t, y, f0);
  for (int k = 0; k < COLUMNS; k++) {
    const int  N = 2 * (k + 1);
    const real h = H / N;
    for (int i = 0; i < n; i++)
      a[i] = y[i], b[i] = y[i] + h * f0[i];
    for (int s = 1; s < N; s++) {
      p->f(t + s * h, b, f);
      for (int i = 0; i < n; i++) {
        const real next = a[i] + 2 * h * f[i];
        a[i] = b[i], b[i] = next;
      }
    }
    p->f(t + H, b, f);
    for (int i = 0; i < n; i++) {
      T[k][i] = (a[i] + b[i] + h * f[i]) / 2;
      for (int j = k - 1; j >= 0; j--) {
        const real ratio = (real)(k + 1) / (j + 1);
        T[j][i] = T[j + 1][i] + (T[j + 1][i] - T[j][i]) / (ratio * ratio - 1);
      }
    }
  }
  memcpy(y, T[0], (size_t)n * sizeof *y);
}

static int solve_problem(const problem *p, int steps, real *q) {
  real y[MOST] = {0};
  p->start(y);
  for (int k = 0; k < steps; k++)
    step(p, p->end * k / steps, p->end / steps, y);
  return p->coordinates(y, q);
}

int main(int argc, char **argv) {
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    const problem *p = &problems[k];
    int            wanted = argc == 1;
    for (int i = 1; i < argc; i++)
      wanted |= !strcmp(argv[i], p->name);
    if (!wanted)
      continue;
    real      rough[MOST], fine[MOST], apart = 1e-19L;
    const int n = solve_problem(p, p->steps, rough);
    solve_problem(p, 2 * p->steps, fine);
    for (int i = 0; i < n; i++)
      apart =
          fmaxl(apart, fabsl(fine[i] - rough[i]) / (fabsl(fine[i]) > 1e-15L ? fabsl(fine[i]) : 1));
    printf("[%s]  # two steps agree to %.1Lf digits\nq = [", p->name, -log10l(apart));
    for (int i = 0; i < n; i++)
      printf("%s%.15Le", i ? ", " : "", fine[i]);
    printf("]\n");
  }
  return 0;
}
