/* test-team-parts.c: symmetric systems that ranks solve in parts: right for all kinds of graphs, with the same bits each
 * time; a pivot of zero makes no numbers.
 * ranks: 1 2 3
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define TAP_MPI
#include "solve/team.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "tap.h"

typedef struct {
  int     n, *row, *column;
  double *value;
} matrix;

static double wave(int k) { return sin(1.7 * k + 0.3); }

/* Unknowns are coupled where meet(a, b, size) says so; `sign` times a definite matrix. */
static matrix build(int n, bool (*meet)(int, int, int), int size, double sign) {
  matrix A = {n, cst_zeros(n + 1, sizeof(int)), NULL, NULL};
  for (int pass = 0; pass < 2; pass++) {
    int at = 0;
    for (int a = 0; a < n; a++) {
      double others = 0;
      int    own = 0;
      for (int b = 0; b < n; b++)
        if (a == b || meet(a, b, size)) {
          const double x = 0.5 + 0.4 * wave(a + b);
          if (pass) {
            A.column[at] = b;
            A.value[at] = sign * x;
          }
          own = a == b ? at : own;
          others += a == b ? 0 : x;
          at++;
        }
      if (pass)
        A.value[own] = sign * (1 + others);
      A.row[a + 1] = at;
    }
    if (!pass) {
      A.column = cst_zeros(at, sizeof *A.column);
      A.value = cst_zeros(at, sizeof *A.value);
    }
  }
  return A;
}

static bool near(int x, int y) { return x - y == 1 || y - x == 1; }
static bool in_chain(int a, int b, int size) { return (void)size, near(a, b); }
static bool in_net(int a, int b, int size) {
  return (a / size == b / size && near(a, b)) || (a % size == b % size && near(a / size, b / size));
}
static bool in_cube(int a, int b, int size) {
  const int layer = size * size;
  return a / layer == b / layer ? in_net(a % layer, b % layer, size)
                                : a % layer == b % layer && near(a / layer, b / layer);
}
static bool in_pieces(int a, int b, int size) { return a / size == b / size && near(a, b); }
static bool in_all(int a, int b, int size) { return (void)a, (void)b, (void)size, true; }
static bool in_star(int a, int b, int size) { return (void)size, a == 0 || b == 0; }
static bool nowhere(int a, int b, int size) { return (void)a, (void)b, (void)size, false; }

/* The residual of x for b = wave, relative to it. */
static double residual(const matrix *A, const double *x) {
  double most = 0;
  for (int a = 0; a < A->n; a++) {
    double r = wave(a);
    for (int k = A->row[a]; k < A->row[a + 1]; k++)
      r -= A->value[k] * x[A->column[k]];
    most = isfinite(r) ? fmax(most, fabs(r)) : INFINITY;
  }
  return most;
}

static void release(matrix *A) {
  free(A->row);
  free(A->column);
  free(A->value);
}

static cst_error solve(const char *name, matrix A) {
  cst_team_parts x;
  double        *b = cst_zeros(3L * A.n, sizeof *b), *first = b + A.n, *second = first + A.n;
  for (int k = 0; k < A.n; k++)
    b[k] = wave(k);
  CST_TRY(cst_team_parts_create(&x, MPI_COMM_WORLD, A.n, A.row, A.column));
  CST_TRY(cst_team_parts_factor(&x, A.value));
  CST_TRY(cst_team_parts_solve(&x, b, first));
  CST_TRY(cst_team_parts_solve(&x, b, second));
  const bool   again = !x.rank && memcmp(first, second, (size_t)A.n * sizeof *b);
  const double error = x.rank ? 0 : residual(&A, first);
  OK(error < 1e-13 && !again, "%s: %d unknowns, residual %.2g, the same bits twice", name, A.n,
     error);
  double *half = cst_zeros(A.row[A.n], sizeof *half);
  for (int k = 0; k < A.row[A.n]; k++)
    half[k] = 0.5 * A.value[k];
  CST_TRY(cst_team_parts_factor(&x, half));
  CST_TRY(cst_team_parts_solve(&x, b, second));
  double apart = 0;
  for (int k = 0; k < A.n && !x.rank; k++)
    apart = fmax(apart, fabs(second[k] - 2 * first[k]));
  OK(apart == 0, "%s: half of the matrix, twice the solution", name);
  memset(half, 0, (size_t)A.row[A.n] * sizeof *half);
  CST_TRY(cst_team_parts_factor(&x, half));
  CST_TRY(cst_team_parts_solve(&x, b, second));
  OK(x.rank || !(residual(&A, second) < INFINITY), "%s: no solution of a matrix of zeros", name);
  free(half);
  free(b);
  cst_team_parts_destroy(&x);
  release(&A);
  return 0;
}

static cst_error all(void) {
  CST_TRY(solve("chain", build(500, in_chain, 0, 1)));
  CST_TRY(solve("net", build(40 * 40, in_net, 40, 1)));
  CST_TRY(solve("negative net", build(17 * 31, in_net, 31, -1)));
  CST_TRY(solve("cube", build(9 * 9 * 9, in_cube, 9, 1)));
  CST_TRY(solve("pieces", build(300, in_pieces, 7, 1)));
  CST_TRY(solve("all meet", build(70, in_all, 0, 1)));
  CST_TRY(solve("star", build(90, in_star, 0, 1)));
  CST_TRY(solve("none meet", build(100, nowhere, 0, 1)));
  CST_TRY(solve("one", build(1, nowhere, 0, 1)));
  return 0;
}

/* The interface of a net is no longer than a line across it, and the parts are about equal. */
static void lines(void) {
  matrix    A = build(40 * 40, in_net, 40, 1);
  cst_parts x;
  cst_parts_create(&x, A.n, A.row, A.column, 2);
  const int one = x.unknown[1], cut = A.n - x.unknown[2], two = A.n - one - cut;
  OK(cut > 0 && cut <= 40 && abs(one - two) <= 80, "a net is cut by one line: %d, %d and %d", one,
     two, cut);
  int *seen = cst_zeros(A.n, sizeof *seen), once = 0;
  for (int k = 0; k < A.n; k++)
    once += seen[x.order[k]]++ == 0;
  OK(once == A.n, "all unknowns are in the order, once");
  free(seen);
  cst_parts_destroy(&x);
  release(&A);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  lines();
  OK(all() == 0, "no error");
  const int failed = tap_done();
  MPI_Finalize();
  return failed;
}
