/* test-redundant.c: a constraint is dropped only if it follows from the others: straight and planar molecules by distances, and
 * gradients that depend on others at the start alone, are refused in every orientation; molecules of more distances than
 * they need are not. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/random.h"
#include "system/system.h"
#include "tap.h"

enum { ORIENTATIONS = 60, ATOMS = 6 };

static double draw(int k, int i) {
  return cst_random_normal(7, (uint64_t)k, CST_PURPOSE_TEST, 0, (uint32_t)i);
}

static void unit(double *x) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; i++)
    x[i] /= r;
}

/* Orthonormal rows, number k; 0: those of the axes. */
static void turn(int k, double R[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[i][j] = k ? draw(k, 3 * i + j) : i == j;
  unit(R[0]);
  for (int pass = 0; pass < 2; pass++) {
    double along = 0;
    for (int j = 0; j < 3; j++)
      along += R[0][j] * R[1][j];
    for (int j = 0; j < 3; j++)
      R[1][j] -= along * R[0][j];
  }
  unit(R[1]);
  for (int j = 0; j < 3; j++)
    R[2][j] = R[0][(j + 1) % 3] * R[1][(j + 2) % 3] - R[0][(j + 2) % 3] * R[1][(j + 1) % 3];
}

/* n atoms at x, all of whose distances are given, behind a turn. */
static cst_system *molecule(int n, double x[][3], int k, double *q) {
  char  *text = NULL;
  size_t size = 0;
  FILE  *f = open_memstream(&text, &size);
  double R[3][3];
  turn(k, R);
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < n; a++) {
      q[i * n + a] = 0;
      for (int j = 0; j < 3; j++)
        q[i * n + a] += R[j][i] * x[a][j];
    }
  fprintf(f,
          "system: molecule\ncoordinates: [\"x[%d]\", \"y[%d]\", \"z[%d]\"]\nmass: [1, 1, "
          "1]\npotential: 0\nconstraints:\n",
          n, n, n);
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++) {
      double d = 0;
      for (int i = 0; i < 3; i++)
        d += (q[i * n + a] - q[i * n + b]) * (q[i * n + a] - q[i * n + b]);
      fprintf(f, "  r%d%d: (x[%d]-x[%d])^2 + (y[%d]-y[%d])^2 + (z[%d]-z[%d])^2 - %.17g\n", a + 1,
              b + 1, a + 1, b + 1, a + 1, b + 1, a + 1, b + 1, d);
    }
  fprintf(f, "states: {default: {q: [");
  for (int i = 0; i < 3 * n; i++)
    fprintf(f, "%s%.17g%s", i % n ? ", " : i ? ", [" : "[", q[i], i % n == n - 1 ? "]" : "");
  fprintf(f, "], v: [");
  for (int i = 0; i < 3 * n; i++)
    fprintf(f, "%s0%s", i % n ? ", " : i ? ", [" : "[", i % n == n - 1 ? "]" : "");
  fprintf(f, "]}}\n");
  fclose(f);
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  free(text);
  return s;
}

/* Every orientation is accepted with so many constraints dropped; dropped -1: refused, by the names of constraints. */
static void test_molecule(const char *title, int n, double x[][3], int dropped) {
  int taken = 0, right = 0, told = 0, refused = 0;
  for (int k = 0; k < ORIENTATIONS; k++) {
    double         q[3 * ATOMS];
    char           why[1024] = "";
    unsigned char *which = NULL;
    cst_system    *s = molecule(n, x, k, q);
    if (!s) {
      OK(false, "%s is read", title);
      return;
    }
    if (cst_system_redundant(s, NULL, q, &which, why, sizeof why)) {
      int count = 0;
      for (int a = 0; which && a < s->ng; a++)
        count += which[a];
      taken++;
      right += count == dropped;
    } else {
      refused++;
      told += strstr(why, " r") && strstr(why, "depend") && strstr(why, "bodies");
    }
    free(which);
    cst_system_destroy(s);
  }
  if (dropped < 0)
    OK(refused == ORIENTATIONS && told == refused, "%s: refused by name in %d of %d orientations",
       title, told, ORIENTATIONS);
  else
    OK(taken == ORIENTATIONS && right == taken,
       "%s: %d constraints follow in %d of %d orientations", title, dropped, right, ORIENTATIONS);
}

/* A system in x, y, z at the origin. */
static void test_text(const char *constraints, const char *dropped) {
  char text[500], why[1024] = "";
  snprintf(
      text, sizeof text,
      "system: point\ncoordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: 0\nconstraints: {%s}\n"
      "states: {default: {q: [0, 0, 0], v: [0, 0, 0]}}\n",
      constraints);
  cst_diag      *d = cst_diag_create();
  cst_system    *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  const double   q[3] = {0};
  unsigned char *which = NULL;
  const bool     good = cst_system_redundant(s, NULL, q, &which, why, sizeof why);
  if (dropped)
    OK(good && which && which[1] && !which[0], "%s: %s follows", constraints, dropped);
  else
    OK(!good && strstr(why, "b"), "%s: refused (%.60s)", constraints, why);
  free(which);
  cst_diag_destroy(d);
  cst_system_destroy(s);
}

int main(void) {
  double line[3][3] = {{-1, 0, 0}, {0.3, 0, 0}, {1.4, 0, 0}};
  double rod[4][3] = {{-1, 0, 0}, {0.3, 0, 0}, {1.4, 0, 0}, {2, 0, 0}};
  double square[4][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  double plane[5][3] = {{1, 0, 0}, {0.2, 1.1, 0}, {-1, 0.3, 0}, {0.1, -0.8, 0}, {1.5, 1.2, 0}};
  double tetrahedron[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  double five[5][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {0.3, 0.2, 2}};
  double six[6][3] = {{1, 1, 1},   {1, -1, -1},   {-1, 1, -1},
                      {-1, -1, 1}, {0.3, 0.2, 2}, {1.7, -0.4, 0.6}};
  double shallow[5][3] = {
      {1, 0, 0}, {0.2, 1.1, 0}, {-1, 0.3, 0}, {0.1, -0.8, 0.01}, {1.5, 1.2, -0.02}};
  test_molecule("five atoms close to a plane", 5, shallow, 1);
  test_molecule("three atoms in a line", 3, line, -1);
  test_molecule("four atoms in a line", 4, rod, -1);
  test_molecule("a square", 4, square, -1);
  test_molecule("five atoms in a plane", 5, plane, -1);
  test_molecule("a tetrahedron", 4, tetrahedron, 0);
  test_molecule("five atoms", 5, five, 1);
  test_molecule("six atoms", 6, six, 3);
  test_text("a: z, b: z - x^2", NULL);
  test_text("a: z, b: z - x^3", NULL);
  test_text("a: z, b: z - x^2 - y^2", NULL);
  test_text("a: z - x^2, b: 3*z - 3*x^2", "b");
  test_text("a: z, b: z*(1 + x)", "b");
  return tap_done();
}
