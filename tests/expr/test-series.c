/* test-series.c: Taylor coefficients of every operation: known series, and Cauchy's integral of the composed
 * function. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include "expressions.h"

enum { ORDER = 8, CIRCLE = 64 };
typedef double complex dc;

/* The coefficients of an expression for x, y, z with the coefficients curve[k]. */
static void coefficients(const setting *s, cst_node n, const double curve[ORDER + 1][NQ],
                         const double *parameters, double *out) {
  cst_graph_series *series = cst_graph_series_create(s->g, &n, 1, s->q, NQ, ORDER);
  cst_node          x[NQ], c[ORDER + 1];
  for (int k = 0; k <= ORDER; k++) {
    for (int i = 0; i < NQ; i++)
      x[i] = k ? cst_graph_constant(s->g, curve[k][i]) : s->q[i];
    cst_graph_series_next(series, x, &c[k]);
  }
  cst_graph_series_destroy(series);
  cst_tape *tape = cst_tape_create(s->g, c, ORDER + 1);
  cst_evaluate_tape(tape, (const double *const[128]){['q'] = curve[0], ['c'] = parameters}, out);
  cst_tape_destroy(tape);
}

static double apart(const double *x, const double *y) {
  double worst = 0;
  for (int k = 0; k <= ORDER; k++) {
    const double d = fabs(x[k] - y[k]) / fmax(1, fabs(y[k]));
    if (!(d <= worst))
      worst = d; /* keeps a NaN */
  }
  return worst;
}

/* Known series for x = t: at 0, or at 1 where 0 is singular. */
static const struct {
  const char *text;
  double      at, c[ORDER + 1];
} known[] = {
    {"3 + 2*x - x", 0, {3, 1}},
    {"x*x", 0, {0, 0, 1}},
    {"(1 + x)^8", 0, {1, 8, 28, 56, 70, 56, 28, 8, 1}},
    {"1/(1 - x)", 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"x/(1 - x - x^2)", 0, {0, 1, 1, 2, 3, 5, 8, 13, 21}}, /* Fibonacci */
    {"1/x", 1, {1, -1, 1, -1, 1, -1, 1, -1, 1}},
    {"-(1 + x)", 0, {-1, -1}},
    {"sqrt(1 - 4*x)", 0, {1, -2, -2, -4, -10, -28, -84, -264, -858}}, /* Catalan */
    {"exp(x)", 0, {1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320}},
    {"log(x)", 1, {0, 1, -1. / 2, 1. / 3, -1. / 4, 1. / 5, -1. / 6, 1. / 7, -1. / 8}},
    {"sin(x)", 0, {0, 1, 0, -1. / 6, 0, 1. / 120, 0, -1. / 5040, 0}},
    {"cos(x)", 0, {1, 0, -1. / 2, 0, 1. / 24, 0, -1. / 720, 0, 1. / 40320}},
    {"tan(x)", 0, {0, 1, 0, 1. / 3, 0, 2. / 15, 0, 17. / 315, 0}},
    {"expm1(x)", 0, {0, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320}},
    {"log1p(x)", 0, {0, 1, -1. / 2, 1. / 3, -1. / 4, 1. / 5, -1. / 6, 1. / 7, -1. / 8}},
    {"sinh(x)", 0, {0, 1, 0, 1. / 6, 0, 1. / 120, 0, 1. / 5040, 0}},
    {"cosh(x)", 0, {1, 0, 1. / 2, 0, 1. / 24, 0, 1. / 720, 0, 1. / 40320}},
    {"tanh(x)", 0, {0, 1, 0, -1. / 3, 0, 2. / 15, 0, -17. / 315, 0}},
    {"asin(x)", 0, {0, 1, 0, 1. / 6, 0, 3. / 40, 0, 5. / 112, 0}},
    {"acos(x)", 0, {1.5707963267948966, -1, 0, -1. / 6, 0, -3. / 40, 0, -5. / 112, 0}},
    {"atan2(x, 1)", 0, {0, 1, 0, -1. / 3, 0, 1. / 5, 0, -1. / 7, 0}},
    {"atan2(1, x) + 0*y", 0, {1.5707963267948966, -1, 0, 1. / 3, 0, -1. / 5, 0, 1. / 7, 0}},
    {"x^0.25",
     1,
     {1, 1. / 4, -3. / 32, 7. / 128, -77. / 2048, 231. / 8192, -1463. / 65536, 4807. / 262144,
      -129789. / 8388608}},
    {"x^(3/2)",
     1,
     {1, 3. / 2, 3. / 8, -1. / 16, 3. / 128, -3. / 256, 7. / 1024, -9. / 2048, 99. / 32768}},
    {"x^x", 1, {1, 1, 1, 1. / 2, 1. / 3, 1. / 12, 3. / 40, -1. / 120, 59. / 2520}}};

static void test_known(const setting *s) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double curve[ORDER + 1][NQ] = {{known[i].at}, {1}}, found[ORDER + 1];
    coefficients(s, parse(s, known[i].text), curve, here.c, found);
    const double d = apart(found, known[i].c);
    if (!OK(d < 1e-14, "%s at %g: the known series", known[i].text, known[i].at))
      for (int k = 0; k <= ORDER; k++)
        NOTE("%d: %.17g, expected %.17g", k, found[k], known[i].c[k]);
  }
}

/* A curve through the point `here` whose series converge well beyond the circle of radius 1/8. */
static void curve_of(double curve[ORDER + 1][NQ]) {
  for (int k = 0; k <= ORDER; k++)
    for (int i = 0; i < NQ; i++)
      curve[k][i] = k ? 0.3 * cos(1.3 * k + 2.1 * i) / k : here.q[i];
}

/* By the trapezoidal rule on a circle; order k loses digits like the radius to the power k. */
static bool integrate(const setting *s, cst_node n, const double curve[ORDER + 1][NQ],
                      double radius, double *out) {
  dc c[2] = {here.c[0], here.c[1]}, sum[ORDER + 1] = {0}, value, x[NQ];
  for (int j = 0; j < CIRCLE; j++) {
    const dc t = radius * cexp(2 * M_PI * I * j / CIRCLE);
    for (int i = 0; i < NQ; i++) {
      x[i] = 0;
      for (int k = ORDER; k >= 0; k--)
        x[i] = x[i] * t + curve[k][i];
    }
    if (!cst_graph_eval_complex(s->g, &n, 1, (const dc *const[128]){['q'] = x, ['c'] = c}, &value))
      return false;
    for (int k = 0; k <= ORDER; k++)
      sum[k] += value * cpow(t, -k) / CIRCLE;
  }
  for (int k = 0; k <= ORDER; k++)
    out[k] = creal(sum[k]);
  return true;
}

static const char *const composed[] = {"x*y + y*y - z/x",
                                       "sqrt(x^2 + y^2 + z^2)",
                                       "sin(x*y)*cos(z) + tan(x/2)",
                                       "exp(-x*y) + log(x + 2*y)",
                                       "atan2(y - z, x)",
                                       "x^y + 2^z + y^1.3 + y^-0.7",
                                       "x^a + a^x",
                                       "x^(3/2) + y^-2.5 + z^7 + 1/z^3",
                                       "1/sqrt((x-1)^2 + (y+2)^2 + z^2)",
                                       "x^2/a^2 + y^2/b^2 + z^2/4 - 1",
                                       "exp(sin(x)^2)^0.5*log(1 + x^2*y^2)",
                                       "(x + y*z)^2 - x/(y + z)",
                                       "a*b + 3",
                                       "x"};

static const double radius = 0.125;

static void test_along(const setting *s, const char *text) {
  const cst_node n = parse(s, text);
  double         curve[ORDER + 1][NQ], found[ORDER + 1], expected[ORDER + 1], worst = 0;
  curve_of(curve);
  coefficients(s, n, curve, here.c, found);
  bool analytic = integrate(s, n, curve, radius, expected);
  for (int k = 0; k <= ORDER; k++)
    worst = fmax(worst, fabs(found[k] - expected[k]) * pow(radius, k) / fmax(1, fabs(expected[0])));
  if (!OK(analytic && worst < 2e-15, "%s along a curve: Cauchy's integral", text))
    NOTE("off by %.2g", worst);
}

static void test_composed(const setting *s) {
  double curve[ORDER + 1][NQ], found[ORDER + 1], expected[ORDER + 1];
  for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
    test_along(s, composed[i]);
  for (int i = 0; call_of(i); i++)
    if (is_smooth(i))
      test_along(s, call_of(i));
  curve_of(curve);
  /* a change of a single coefficient is detected */
  const cst_node n = parse(s, composed[1]);
  coefficients(s, n, curve, here.c, found);
  curve[ORDER][0] *= 1 + 1e-3;
  OK(integrate(s, n, curve, radius, expected) &&
         fabs(found[ORDER] - expected[ORDER]) * pow(radius, ORDER) > 2e-15,
     "another curve has other coefficients");
}

/* Order 0 is the expression itself; expressions without x have no higher orders; inputs that are not needed
 * are skipped. */
static void test_edges(const setting *s) {
  cst_node out[] = {parse(s, "sin(x)/a"), parse(s, "a*b"), -1, s->q[1], parse(s, "x'*2")}, c[5];
  cst_node x[] = {s->q[0], s->q[2], s->q[1]},
           one[] = {cst_graph_constant(s->g, 1), s->w[0], s->w[1]};
  cst_graph_series *series = cst_graph_series_create(s->g, out, 5, x, 3, 1);
  cst_graph_series_next(series, x, c);
  OK(!memcmp(c, out, sizeof c), "order 0 is the expression");
  cst_graph_series_next(series, one, c);
  OK(c[0] == parse(s, "cos(x)/a") && cst_graph_is_zero(s->g, c[1]) && c[2] == -1 &&
         c[3] == s->w[1] && cst_graph_is_zero(s->g, c[4]),
     "order 1: a derivative, 0 of a constant, of no node, of an input, 0 of another");
  cst_graph_series_destroy(series);
}

/* The cost of order k grows like k. */
static void test_cost(const setting *s) {
  const cst_node    n = parse(s, "exp(x*y)*sin(x)/sqrt(1 + x*x + y*z)");
  cst_graph_series *series = cst_graph_series_create(s->g, &n, 1, s->q, NQ, 30);
  cst_node          c, x[NQ];
  int               before = 0, size[31];
  for (int k = 0; k <= 30; k++) {
    for (int i = 0; i < NQ; i++)
      x[i] = k ? cst_graph_input(s->g, "abc"[i], k) : s->q[i];
    before = cst_graph_size(s->g);
    cst_graph_series_next(series, x, &c);
    size[k] = cst_graph_size(s->g) - before;
  }
  OK(size[30] < 3.3 * size[10], "%d nodes for order 10, %d for order 30", size[10], size[30]);
  cst_graph_series_destroy(series);
}

static void test_copy(void) {
  setting    s = setting_create();
  cst_node   n = parse(&s, "x*y + sin(z)");
  cst_graph *original = s.g, *copy = cst_graph_copy(s.g);
  const int  size = cst_graph_size(s.g);
  s.g = copy;
  OK(parse(&s, "sin(z) + y*x") == n && cst_graph_size(copy) == size, "a copy has the same nodes");
  parse(&s, "exp(x) + 17*y");
  OK(cst_graph_size(copy) > size && cst_graph_size(original) == size,
     "what is added to it is not added to the original");
  cst_graph_destroy(original);
  OK(evaluate_one(&s, n, &here) == here.q[0] * here.q[1] + cst_elementary_sin(here.q[2]),
     "and it lives without it");
  cst_graph_destroy(copy);
}

int main(void) {
  setting s = setting_create();
  test_known(&s);
  test_composed(&s);
  test_edges(&s);
  test_cost(&s);
  test_copy();
  cst_graph_destroy(s.g);
  return tap_done();
}
