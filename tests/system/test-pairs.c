/* test-pairs.c: sums over pairs: which double sums are recognised, their values compared with explicit sums,
 * and equal bits from every back end, for different members and for copies of one. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "system/compile/compile.h"
#include "system/examine/examine.h"
#include "system/internal.h"
#include "tap.h"

enum { N = 19, NQ = 3 * N };

static cst_system *make(const char *potential, const char *bodies) {
  char      text[2000];
  cst_diag *d = cst_diag_create();
  snprintf(
      text, sizeof text,
      "system: cluster\ncoordinates: [\"x[n]\", \"y[n]\", \"z[n]\"]\nparameters: {n: {size: %d}, "
      "a: "
      "1.5}\nmass: [1, 2, 1]\n"
      "potential: \"%s\"\nsymmetries: {shift: [0, 0, 1]}\n%sstates: {default: {q: [i, sin(3*i), "
      "cos(i^2)], v: [0, 0, 0]}}\n",
      N, potential, bodies);
  cst_system *s = cst_system_read("text", text, strlen(text), NULL, 0, d);
  if (!s)
    cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return s;
}

static const char argon[] = "2*sum(i, 1, n, sum(j, i+1, n, a/((x[i]-x[j])^2 + (y[i]-y[j])^2 + "
                            "(z[i]-z[j])^2)^3)) + x[1]^2/2";

static int pairs_of(const char *potential) {
  cst_system *s = make(potential, "");
  const int   n = !s ? -1 : !s->model->npairs ? 0 : (int)s->model->pairs[0].sum.pairs;
  cst_system_destroy(s);
  return n;
}

/* ---- recognition ----------------------------------------------------------------------------- */

static void test_recognition(void) {
  static const struct {
    const char *what, *potential;
    int         pairs;
  } sums[] = {
      {"a triangle", argon, N * (N - 1) / 2},
      {"one that ends before the diagonal", "sum(i, 2, n, sum(j, 1, i-1, (x[i]-x[j])^4))",
       N * (N - 1) / 2},
      {"a rectangle", "sum(i, 1, 6, sum(j, 7, n, (x[i]-y[j])^4))", 6 * (N - 6)},
      {"pairs at least two apart", "sum(i, 1, n-2, sum(j, i+2, n, (x[i]-x[j])^4))",
       (N - 1) * (N - 2) / 2},
      {"few pairs: written out", "sum(i, 1, 3, sum(j, i+1, 4, (x[i]-x[j])^4))", 0},
      {"a number made of i: written out", "sum(i, 1, n, sum(j, i+1, n, i*(x[i]-x[j])^4))", 0},
      {"an index made of i: written out", "sum(i, 1, n-1, sum(j, i+1, n, (x[i+1]-x[j])^4))", 0},
      {"another coordinate: written out", "sum(i, 1, n, sum(j, i+1, n, x[1]*(x[i]-x[j])^4))", 0},
      {"inside a product: written out", "x[1]*sum(i, 1, n, sum(j, i+1, n, (x[i]-x[j])^4))", 0},
      {"its square: written out", "(sum(i, 1, n, sum(j, i+1, n, (x[i]-x[j])^4)))^2", 0},
  };
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    const int pairs = pairs_of(sums[k].potential);
    OK(pairs == sums[k].pairs, "%s (%d pairs, not %d)", sums[k].what, pairs, sums[k].pairs);
  }
}

/* ---- values ---------------------------------------------------------------------------------- */

static void by_hand(const double *q, double *V, double *dV) {
  *V = q[0] * q[0] / 2;
  memset(dV, 0, NQ * sizeof *dV);
  dV[0] = q[0];
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      double d[3], square = 0;
      for (int k = 0; k < 3; k++) {
        d[k] = q[k * N + i] - q[k * N + j];
        square += d[k] * d[k];
      }
      *V += 3 / (square * square * square);
      for (int k = 0; k < 3; k++) {
        const double slope = -18 * d[k] / (square * square * square * square);
        dV[k * N + i] += slope;
        dV[k * N + j] -= slope;
      }
    }
}

static double off(const double *x, const double *y, int n) {
  double size = 0, most = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(x[i]));
    most = fmax(most, fabs(x[i] - y[i]));
  }
  return most / size;
}

static void test_values(const cst_system *s) {
  const double c[2] = {N, 1.5};
  double       q[NQ], v[NQ], V, dV[NQ], W, dW[NQ];
  cst_system_state(s, 0, c, q, v);
  cst_system_eval(s, CST_K_V, c, q, NULL, NULL, NULL, NULL, &V);
  cst_system_eval(s, CST_K_dV, c, q, NULL, NULL, NULL, NULL, dV);
  by_hand(q, &W, dW);
  OK(fabs(V / W - 1) < 1e-13, "V is the sum by hand (%.2g)", V / W - 1);
  OK(off(dW, dV, NQ) < 1e-13, "dV is the sum by hand (%.2g)", off(dW, dV, NQ));
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* The number of lanes of kernel k whose bits differ from the evaluation of one point. `different` lanes have
 * points of their own, the others are copies of the first. */
static int lanes_off(const cst_system *s, int isa, cst_kernel_id k, int different) {
  enum { W = CST_W_MAX };
  const int     width = cst_isas[isa].width, n = s->model->kernel_size[k];
  static double c[2 * W] __attribute__((aligned(64))), q[NQ * W] __attribute__((aligned(64))),
      o[NQ * W] __attribute__((aligned(64)));
  double p[2] = {N, 1.5}, start[NQ], v[NQ], one[NQ], alone[NQ];
  int    wrong = 0;
  cst_system_state(s, 0, p, start, v);
  for (int l = 0; l < width; l++) {
    for (int j = 0; j < 2; j++)
      c[j * width + l] = p[j];
    for (int i = 0; i < NQ; i++)
      q[i * width + l] = start[i] + (l < different ? 1e-3 * l * sin(i) : 0);
  }
  s->code->kernel[isa][k](s->code->kernel_self[isa], c, q, NULL, NULL, NULL, NULL, o);
  for (int l = 0; l < width; l++) {
    for (int i = 0; i < NQ; i++)
      one[i] = q[i * width + l];
    cst_system_eval(s, k, p, one, NULL, NULL, NULL, NULL, alone);
    for (int i = 0; i < n; i++)
      wrong += memcmp(&o[i * width + l], &alone[i], sizeof(double)) != 0;
  }
  return wrong;
}

static void test_bits(cst_system *s, const char *how) {
  for (int isa = 0; isa < cst_isa_count; isa++) {
    int wrong = 0;
    if (!cst_isa_available(isa))
      continue;
    for (int different = 1; different <= cst_isas[isa].width; different++)
      wrong += lanes_off(s, isa, CST_K_V, different) + lanes_off(s, isa, CST_K_dV, different);
    OK(!wrong, "%s, %s: the bits of one point alone, however many lanes differ (%d are others)",
       how, cst_isas[isa].name, wrong);
  }
}

static void compile(cst_system *s) {
  for (int isa = 0; isa < cst_isa_count; isa++) {
    cst_code code;
    char     why[CST_WHY] = "";
    if (!cst_isa_available(isa))
      continue;
    OK(cst_compile(s, isa, (const char *const[]){NULL}, false, &code, why) &&
           cst_load_code(s, &code, why),
       "it is compiled for %s %s", cst_isas[isa].name, why);
    cst_compile_free(&code);
  }
}

/* ---- second derivatives ---------------------------------------------------------------------- */

static void test_bending(cst_system *s) {
  const double c[2] = {N, 1.5};
  const int    before = cst_graph_size(s->model->graph);
  OK(!s->model->bent && !s->model->kernel_size[CST_K_d2V],
     "nobody has asked for second derivatives, and there are none");
  OK(before < 2000, "the graph does not grow with the pairs (%d)", before);
  cst_examination *x = cst_examine(s, c);
  OK(s->model->bent && s->model->pattern[CST_K_d2V].n == NQ * NQ,
     "asked for, they are there: %d entries", s->model->pattern[CST_K_d2V].n);
  OK(!x->faults, "the examination finds that they are those of V");
  for (int i = 0; i < x->n && x->faults; i++)
    NOTE("%s %s", x->at[i].topic, x->at[i].text);
  cst_examine_destroy(x);
}

int main(void) {
  cst_system *s = make(argon, "");
  test_recognition();
  test_values(s);
  cst_system_interpret(s);
  test_bits(s, "interpreted");
  compile(s);
  test_bits(s, "compiled");
  test_bending(s);
  test_bits(s, "compiled, with second derivatives");
  cst_system_destroy(s);
  return tap_done();
}
