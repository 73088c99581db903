/* test-bands.c: the order in which Hessians are eliminated: a full one, blocks, a chain, a ring, a chain with
 * shuffled coordinates. Every entry has a place inside its row, and the band solves M + b Hess V correctly.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/system.h"
#include "method/core/bands.h"
#include "tap.h"

enum { MOST = 40 };

static cst_system *read_text(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("bands.yaml", text, strlen(text), NULL, 0, d);
  if (!s) {
    cst_diag_print(d, stderr);
    abort();
  }
  cst_diag_destroy(d);
  return s;
}

/* |A x - b| for A = 1 + H at a point, where x is the solution by the band. */
static double residual(const cst_system *s) {
  const cst_bands *b = &s->model->bands[0];
  const int        n = s->nq, w = b->band + 1;
  double           c[CST_MAX_PAR], q[MOST], H[MOST * MOST], worst = 0;
  vd              *A = aligned_alloc(64, 64 * (size_t)(n * w + 8)), x[MOST];
  double          *entry = calloc((size_t)s->model->pattern[CST_K_d2V].n + 1, sizeof *entry);
  cst_system_defaults(s, NULL, c);
  for (int i = 0; i < n; i++)
    q[i] = 0.3 + 0.1 * sin(3.0 * i);
  cst_system_matrix(s, CST_K_d2V, c, q, NULL, H);
  cst_system_eval(s, CST_K_d2V, c, q, NULL, NULL, NULL, NULL, entry);
  for (int k = 0; k < n * w; k++)
    A[k] = vset(0);
  for (int e = 0; e < b->n; e++)
    A[b->at[e]] = vset(entry[b->entry[e]]);
  for (int r = 0; r < n; r++) {
    A[r * w] += 1;
    x[r] = vset(cos(2.0 * b->order[r]));
  }
  cst_envelope_solve(A, x, n, b->band, b->last);
  for (int i = 0; i < n; i++) {
    double sum = x[b->place[i]][0] - cos(2.0 * i);
    for (int k = 0; k < n; k++)
      sum += H[i * n + k] * x[b->place[k]][0];
    worst = fmax(worst, fabs(sum));
  }
  free(A);
  free(entry);
  return worst;
}

/* Whether cst_narrow_solve has the bits of cst_bands_fill and cst_envelope_solve, for masses of two classes. */
static bool narrow_agrees(const cst_system *s) {
  const cst_bands *b = &s->model->bands[0];
  const int        n = s->nq, w = b->band + 1;
  const vd         mass[2] = {vset(1.3), vset(0.7)};
  int class[MOST];
  vd *A = aligned_alloc(64, 64 * (size_t)(2 * n * w)), x[2][MOST], H[3 * MOST];
  for (int e = 0; e < b->n; e++)
    H[e] = vset(sin(1.0 + e * e));
  for (int i = 0; i < n; i++)
    class[i] = i % 3 == 0;
  for (int k = 0; k < n * w; k++)
    A[k] = vset(0);
  for (int e = 0; e < b->n; e++)
    A[b->at[e]] = 0.3 * H[e];
  for (int r = 0; r < n; r++) {
    A[r * w] += mass[class[b->order[r]]];
    x[0][r] = x[1][r] = vset(cos(2.0 * r));
  }
  cst_envelope_solve(A, x[0], n, b->band, b->last);
  cst_narrow_solve(b, n, mass, class, vset(0.3), H, A + n * w, x[1]);
  const bool same = !memcmp(x[0], x[1], (size_t)n * sizeof(vd));
  free(A);
  return same;
}

static void test(const char *what, const char *text, int band) {
  cst_system      *s = read_text(text);
  const cst_bands *b = &s->model->bands[0];
  bool             placed = true, inside = true;
  for (int i = 0; i < s->nq; i++)
    placed &= b->order[b->place[i]] == i && b->last[i] >= i && b->last[i] - i <= b->band;
  for (int e = 0; e < b->n; e++)
    inside &=
        b->at[e] / (b->band + 1) + b->at[e] % (b->band + 1) <= b->last[b->at[e] / (b->band + 1)];
  OK(b->band == band, "%s: a band of %d (%d)", what, band, b->band);
  OK(placed && inside, "%s: every coordinate has a row, and every entry a place in it", what);
  OK(residual(s) < 1e-13, "%s: the band solves it (%.2g)", what, residual(s));
  if (band <= 2)
    OK(narrow_agrees(s), "%s: one pass over rows has the bits of two", what);
  cst_system_destroy(s);
}

#define CHAIN(terms, more)                                                                         \
  "system: chain\ncoordinates: [\"x[20]\"]\nmass: [1]\npotential: \"sum(i, 1, 19, " terms ")" more \
  "\"\n"                                                                                           \
  "states: {default: {q: [0.1*i], v: [0]}}\n"

/* Blocks of two coordinates y and z, which are far apart in the list. */
static const char blocks[] =
    "system: blocks\ncoordinates: [\"y[6]\", \"z[6]\"]\nmass: [1, 1]\npotential: "
    "\"sum(i, 1, 6, y[i]^2*z[i]^2 + y[i]^4)\"\n"
    "states: {default: {q: [0.1*i, 0.2], v: [0, 0]}}\n";
static const char full[] =
    "system: full\ncoordinates: [\"x[7]\"]\nmass: [1]\npotential: \"(sum(i, 1, 7, x[i]^2))^2\"\n"
    "states: {default: {q: [0.1*i], v: [0]}}\n";

static const char shuffled[] =
    "system: shuffled\ncoordinates: [x1, x2, x3, x4, x5, x6, x7, x8, x9, x10]\nmass: [1, 1, 1, 1, "
    "1, 1, 1, "
    "1, 1, 1]\n"
    "potential: (x7 - x2)^4 + (x2 - x9)^4 + (x9 - x4)^4 + (x4 - x1)^4 + (x1 - x10)^4 + (x10 - "
    "x3)^4 + (x3 - "
    "x8)^4 + (x8 - x6)^4 + (x6 - x5)^4\n"
    "states: {default: {q: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], v: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}}\n";

/* No band is created for constraints, for a mass that depends on q, or for a(q). */
static void test_none(const char *what, const char *text) {
  cst_system *s = read_text(text);
  OK(!s->model->bands[0].order && !s->model->kernel_size[CST_K_dVH] &&
         !s->model->kernel_size[CST_K_D3V],
     "%s: there is no band", what);
  cst_system_destroy(s);
}

#define POINT(more)                                                                                \
  "system: point\ncoordinates: [x, y]\npotential: x^2 + y^4\nstates: {default: {q: [1, 0], v: "    \
  "[0, "                                                                                           \
  "0]}}\n" more

int main(void) {
  test("a full matrix", full, 6);
  test("blocks", blocks, 1);
  test("a chain", CHAIN("(x[i+1] - x[i])^4", ""), 1);
  test("a ring", CHAIN("(x[i+1] - x[i])^4", " + (x[1] - x[20])^4"), 2);
  test("a chain whose coordinates are shuffled", shuffled, 1);
  test_none("constraints", POINT("mass: [1, 1]\nconstraints: {circle: x^2 + y^2 - 1}\n"));
  test_none("M(q)", POINT("mass: [1, 1 + x^2]\n"));
  test_none("a(q)", POINT("mass: [1, 1]\ngyroscopic: [-y, x]\n"));
  return tap_done();
}
