/* test-bound.c: bounds of the rounding error of expressions hold against quadruple precision, at ordinary and at subnormal
 * arguments, and are not much too wide; where nothing bounds the error they say so. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <quadmath.h>
#include "expr/bound.h"
#include "expr/expr-internal.h"
#include "expressions.h"

enum { LETTERS = 6, POINTS = 200 };
static const char letters[] = "qvwuct";

/* The value of n with its bound, where every input but the constants is off by half an ulp, and what an exact evaluation
 * at these inputs differs by, in u. */
static cst_bounded bound(const setting *s, cst_node n, const point *at, double inputs,
                         double *off) {
  const double      *from[] = {at->q, at->v, at->w, at->u, at->c, at->t};
  const int          size[] = {NQ, NQ, NQ, NQ, 2, 1};
  cst_bounded        x[LETTERS][NQ], result;
  __float128         z[LETTERS][NQ], exact;
  const cst_bounded *in[128] = {0};
  const __float128  *also[128] = {0};
  for (int j = 0; j < LETTERS; j++) {
    in[(int)letters[j]] = x[j];
    also[(int)letters[j]] = z[j];
    for (int i = 0; i < size[j]; i++) {
      x[j][i] = (cst_bounded){from[j][i], inputs * fabs(from[j][i])};
      z[j][i] = from[j][i];
    }
  }
  cst_tape *t = cst_tape_create(s->g, &n, 1);
  cst_tape_bound(t, in, &result);
  cst_tape_eval_quad(t, also, &exact);
  cst_tape_destroy(t);
  *off = (double)(fabsq(exact - result.value) * 0x1p53Q);
  return result;
}

/* A point near `here`, every number of it times `scale`. */
static point near(double scale) {
  point p = here;
  for (int i = 0; i < NQ; i++) {
    p.q[i] *= scale * (1 + 0.2 * random_unit());
    p.v[i] *= scale * (1 + 0.2 * random_unit());
    p.w[i] *= scale * (1 + 0.2 * random_unit());
    p.u[i] *= scale * (1 + 0.2 * random_unit());
  }
  return p;
}

static void test_bound(const setting *s, const char *text) {
  const cst_node n = parse(s, text);
  double         closest = INFINITY;
  bool           holds = true;
  for (int k = 0; k < POINTS; k++) {
    const point       at = near(k % 4 ? 1 : 1e-3);
    double            off;
    const cst_bounded x = bound(s, n, &at, 0, &off);
    if (x.value - x.value != 0)
      continue;
    holds &= off <= x.error;
    closest = fmin(x.error / off, closest);
  }
  OK(holds, "%s: no rounding error is beyond its bound", text);
  OK(closest < 1e3 || isinf(closest), "%s: which is not wide (%.3g of the largest)", text, closest);
}

static void test_bounds(const setting *s) {
  for (int i = 0; i < EXPRESSIONS; i++)
    test_bound(s, expressions[i]);
  for (int i = 0; call_of(i); i++)
    test_bound(s, call_of(i));
}

/* Inputs that are off by `inputs` u move the exact value by no more than the bound, with what the operation rounds. */
static void test_passed_on(const setting *s, const char *text, double x, double inputs) {
  const cst_node n = parse(s, text);
  point          at = here;
  double         off;
  at.q[0] = x;
  const cst_bounded b = bound(s, n, &at, inputs + 1, &off); /* the sum below rounds */
  bool              holds = true;
  for (int k = -4; k <= 4; k++) {
    at.q[0] = x + k / 4.0 * inputs * 0x1p-53 * fabs(x);
    const double moved = bound(s, n, &at, 0, &off).value - b.value;
    if (b.value - b.value == 0 && moved - moved == 0)
      holds &= fabs(moved) * 0x1p53 <= b.error + 2 * fabs(b.value);
  }
  OK(holds, "%s at %.17g, off by %g u: within its bound", text, x, inputs);
}

/* Every function of the table, at ordinary arguments, near 0 and at the ends of [-1, 1]. */
static void test_table(const setting *s) {
  const double x[] = {0.73, -0.41, 1e-9, 0.999, 1 - 0x1p-40, 1 - 0x1p-53, -1 + 0x1p-50,
                      1,    1.57,  3,    30,    700,         -20};
  for (int i = 0; call_of(i); i++)
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
      point at = here;
      at.q[0] = x[k];
      double            off;
      const cst_bounded b = bound(s, parse(s, call_of(i)), &at, 0, &off);
      OK(b.value - b.value != 0 || off <= b.error, "%s at %.17g: off by %.3g u, at most %.3g",
         call_of(i), x[k], off, b.error);
      for (double inputs = 1; inputs < 1e16; inputs *= 1e3)
        test_passed_on(s, call_of(i), x[k], inputs);
    }
}

/* Numbers whose products are subnormal, or 0. */
static void test_least(const setting *s) {
  static const char *const of[] = {"x*y",      "3*x - y/7", "x*x + y",
                                   "sin(x)*y", "sqrt(x*x)", "x/3 + y/3"};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    for (int k = 150; k <= 323; k += 13) {
      const point       at = near(pow(10, -k));
      double            off;
      const cst_bounded x = bound(s, parse(s, of[i]), &at, 0, &off);
      OK(off <= x.error, "%s at 1e-%d: off by %.3g u, at most %.3g", of[i], k, off, x.error);
    }
}

/* What a tape reads: in straight code, and in the rows of a loop. */
static void test_reach(const setting *s) {
  enum { N = 300 };
  cst_node  one = parse(s, "y*x' + b"), sum = cst_graph_constant(s->g, 0);
  cst_tape *t = cst_tape_create(s->g, &one, 1);
  int       reach[128];
  cst_tape_reach(t, reach);
  OK(reach['q'] == 2 && reach['v'] == 1 && reach['c'] == 2 && reach['u'] == 0,
     "y x' + b reads 2 q, 1 v, 2 c");
  cst_tape_destroy(t);
  for (int i = 0; i < N; i++) {
    const cst_node x = cst_graph_input(s->g, 'q', i), y = cst_graph_input(s->g, 'w', 2 * i);
    sum = cst_graph_add(s->g, sum, cst_graph_mul(s->g, x, y));
  }
  t = cst_tape_create(s->g, &sum, 1);
  cst_tape_reach(t, reach);
  OK(reach['q'] == N && reach['w'] == 2 * N - 1, "a sum of %d products reads %d and %d", N,
     reach['q'], reach['w']);
  cst_tape_destroy(t);
}

/* A term that cancels leaves the error of its parts; uncertain inputs pass theirs on; a pole within that of an input, or a
 * logarithm, leaves none. */
static void test_judgements(const setting *s) {
  point  at = here;
  double off;
  at.q[0] = 1e-12;
  const cst_bounded small = bound(s, parse(s, "100*(x - 0.0981) + 9.81"), &at, 0, &off);
  OK(small.error >= 9.81 && small.error < 100,
     "100 (x - 0.0981) + 9.81 at 1e-12: some ulps of 9.81 (%.3g u)", small.error);
  const cst_bounded written = bound(s, parse(s, "100*x"), &at, 1, &off);
  OK(written.error < 1e-9, "100 x there: of itself (%.3g u)", written.error);
  at.q[0] = at.q[1];
  OK(!(bound(s, parse(s, "1/(x - y)"), &at, 1, &off).error < INFINITY),
     "1/(x - y) at x = y has none");
  OK(!(bound(s, parse(s, "log(x - y)"), &at, 1, &off).error < INFINITY), "nor has log(x - y)");
  OK(bound(s, parse(s, "sqrt((x - y)^2)"), &at, 1, &off).error < INFINITY,
     "sqrt((x - y)^2) has one");
}

int main(void) {
  setting s = setting_create();
  test_bounds(&s);
  test_table(&s);
  test_least(&s);
  test_reach(&s);
  test_judgements(&s);
  cst_graph_destroy(s.g);
  return tap_done();
}
