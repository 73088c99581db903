/* test-sparse.c: sparse elimination by blocks of rows has the factors of elimination row by row, and solves. The graphs
 * are a path, trees, a star, grids, random ones, one of parts that are not connected, and a complete one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "system/system.h"
#include "system/derive/sparse-order.h"
#include "system/point/linear.h"
#include "tap.h"
#define NUMBER           double
#define SPARSE_FACTOR    factor
#define SPARSE_BACKSOLVE backsolve
#include "core/sparse.h"

enum { MOST = 900 };

static bool   edge[MOST][MOST];
static double weight(int a, int b) { return a == b ? 0 : -1 - 0.5 * sin(1.7 * (a * b) + a + b); }

/* Positive definite: its diagonal exceeds the other entries of a row by 1. */
static double entry(int n, int a, int b) {
  if (a != b)
    return edge[a][b] ? weight(a, b) : 0;
  double sum = 1;
  for (int k = 0; k < n; k++)
    sum += edge[a][k] ? fabs(weight(a, k)) : 0;
  return sum;
}

static void clear(void) {
  for (int a = 0; a < MOST; a++)
    for (int b = 0; b < MOST; b++)
      edge[a][b] = false;
}

static void join(int a, int b) { edge[a][b] = edge[b][a] = a != b; }

/* Compares, for the graph of n nodes. */
static void check(const char *name, int n) {
  int *from = cst_zeros(n + 1, sizeof *from), *to = cst_zeros((long)n * n, sizeof *to);
  int *order = cst_zeros(n, sizeof *order), *place = cst_zeros(n, sizeof *place);
  for (int a = 0, m = 0; a < n; a++, from[a] = m)
    for (int b = 0; b < n; b++)
      if (edge[a][b])
        to[m++] = b;
  cst_sparse_order(n, from, to, order);
  for (int r = 0; r < n; r++)
    place[order[r]] = r;
  cst_sparse_pattern p = cst_sparse_factors(n, from, to, order, place, 1e9);
  const long         size = n + p.row[n];
  double            *A = cst_zeros(size, sizeof *A), *B = cst_zeros(size, sizeof *B),
         *x = cst_zeros(n, sizeof *x);
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++)
      if (a == b || edge[a][b]) {
        const int at = cst_sparse_place(p.row, p.column, n, place[a], place[b]);
        A[at < size ? at : at - p.row[n]] = entry(n, a, b);
      }
  for (long i = 0; i < size; i++)
    B[i] = A[i];
  cst_sparse_blocks_factor(A, n, p.row, p.column);
  factor(B, n, p.row, p.column, 1);
  double off = 0, worst = 0;
  for (long i = 0; i < size; i++)
    off = fmax(off, fabs(A[i] - B[i]) / (1 + fabs(B[i])));
  for (int a = 0; a < n; a++)
    x[place[a]] = cos(2.0 * a);
  backsolve(A, x, n, p.row, p.column, 1);
  for (int a = 0; a < n; a++) {
    double sum = -cos(2.0 * a);
    for (int b = 0; b < n; b++)
      sum += entry(n, a, b) * x[place[b]];
    worst = fmax(worst, fabs(sum));
  }
  OK(off < 1e-13 && worst < 1e-12, "%s: %d rows, %d entries: factors off by %.1e, residual %.1e",
     name, n, p.row[n], off, worst);
  void *owned[] = {from, to, order, place, p.row, p.column, A, B, x};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}

static void grid(int rows, int columns) {
  clear();
  for (int a = 0; a < rows * columns; a++) {
    if (a % columns)
      join(a, a - 1);
    if (a >= columns)
      join(a, a - columns);
  }
  check("grid", rows * columns);
}

int main(void) {
  clear();
  check("no edge", 5);
  for (int a = 1; a < 100; a++)
    join(a, a - 1);
  check("path", 100);
  clear();
  for (int a = 1; a < 200; a++)
    join(a, (a - 1) / 2);
  check("tree", 200);
  clear();
  for (int a = 1; a < 50; a++)
    join(a, 0);
  check("star", 50);
  for (int a = 0; a < 23; a++)
    for (int b = 0; b < a; b++)
      join(a, b);
  check("complete, with a star", 50);
  grid(1, 1);
  grid(2, 7);
  grid(30, 30);
  for (int a = 0; a < 450; a++)
    edge[a][a + 450] = edge[a + 450][a] = a % 3 == 0;
  check("grid with far edges", 900);
  clear();
  unsigned seed = 1;
  for (int k = 0; k < 700; k++) {
    seed = seed * 1664525 + 1013904223;
    const int a = (int)(seed >> 8) % 300;
    seed = seed * 1664525 + 1013904223;
    join(a, (int)(seed >> 8) % 300);
  }
  check("random", 300);
  return tap_done();
}
