/* test-derive.c: gradient against the complex step; tangent, second and third order against finite
 * differences of the order below. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <complex.h>
#include <quadmath.h>
#include "expressions.h"

typedef double complex dc;

static dc arctan2(dc y, dc x) { return 2 * catan(y / (csqrt(x * x + y * y) + x)); }

#define F(name, formula)                                                                           \
  static dc name(dc x, dc y, dc z) { return (void)x, (void)y, (void)z, (formula); }
F(f_add, x + y)
F(f_sub, x - y)
F(f_mul, x *y)
F(f_div, x / y)
F(f_over, 1 / x)
F(f_neg, -x)
F(f_sqrt, csqrt(x))
F(f_sin, csin(x))
F(f_cos, ccos(x))
F(f_tan, ctan(x))
F(f_exp, cexp(x))
F(f_log, clog(x))
F(f_atan2, arctan2(y, x))
F(f_atan2_left, arctan2(x, 2.5))
F(f_atan2_right, arctan2(0.7, x))
F(f_power, cpow(x, 1.3))
F(f_exponent, cpow(2.5, x))
F(f_pow, cpow(x, y))
F(f_integer, x *x *x *x *x)
F(f_inverse, 1 / (x * x * x))
F(f_half, x *csqrt(x))
F(f_minus_half, 1 / (x * x * csqrt(x)))
F(f_shared, csin(x *y) * csin(x * y) + cexp(x * y) / (1 + x * y))
F(f_distance, 1 / csqrt((x - 1) * (x - 1) + (y + 2) * (y + 2) + z * z))
F(f_lennard, 4 * (1 / cpow(x * x + y * y + z * z, 6) - 1 / cpow(x * x + y * y + z * z, 3)))
F(f_nested, ctan(csqrt(1 + csin(x * y) * csin(x * y)) / (2 + z)) * clog(1 + cexp(x - y)))
F(f_angles, arctan2(csin(x) * y, 1 + ccos(y) * z) + cpow(x + y, z))
F(f_square_sum, (x + y * z) * (x + y * z) - x / (y + z))

static const struct {
  const char *text;
  dc (*f)(dc, dc, dc);
} cases[] = {{"x + y", f_add},
             {"x - y", f_sub},
             {"x*y", f_mul},
             {"x/y", f_div},
             {"1/x", f_over},
             {"-x", f_neg},
             {"sqrt(x)", f_sqrt},
             {"sin(x)", f_sin},
             {"cos(x)", f_cos},
             {"tan(x)", f_tan},
             {"exp(x)", f_exp},
             {"log(x)", f_log},
             {"atan2(y, x)", f_atan2},
             {"atan2(x, 2.5)", f_atan2_left},
             {"atan2(0.7, x)", f_atan2_right},
             {"x^1.3", f_power},
             {"2.5^x", f_exponent},
             {"x^y", f_pow},
             {"x^5", f_integer},
             {"x^-3", f_inverse},
             {"x^(3/2)", f_half},
             {"x^-2.5", f_minus_half},
             {"sin(x*y)^2 + exp(x*y)/(1 + x*y)", f_shared},
             {"1/sqrt((x-1)^2 + (y+2)^2 + z^2)", f_distance},
             {"4*((x^2+y^2+z^2)^-6 - (x^2+y^2+z^2)^-3)", f_lennard},
             {"tan(sqrt(1 + sin(x*y)^2)/(2 + z))*log(1 + exp(x - y))", f_nested},
             {"atan2(sin(x)*y, 1 + cos(y)*z) + (x + y)^z", f_angles},
             {"(x + y*z)^2 - x/(y + z)", f_square_sum}};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* d/ds out[0..n) (q + s direction) at s = 0, by central differences of order 8. */
static void differences(const setting *s, const cst_node *out, int n, const double *direction,
                        double *result) {
  static const double c[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const double        h = 4e-3;
  memset(result, 0, (size_t)n * sizeof *result);
  for (int k = -4; k <= 4; k++) {
    double value[NQ];
    point  p = here;
    if (!k)
      continue;
    for (int i = 0; i < NQ; i++)
      p.q[i] += k * h * direction[i];
    evaluate(s, out, n, &p, value);
    for (int i = 0; i < n; i++)
      result[i] += (k > 0 ? 1 : -1) * c[abs(k) - 1] / h * value[i];
  }
}

/* The largest distance over the larger of 1 and the values. */
static double distance(const double *a, const double *b, int n) {
  double d = 0, scale = 1;
  for (int i = 0; i < n; i++)
    d = fmax(d, fabs(a[i] - b[i])), scale = fmax(scale, fabs(b[i]));
  for (int i = 0; i < n; i++)
    if (isnan(a[i]) || isnan(b[i]))
      return INFINITY;
  return d / scale;
}

static void near(const double *value, const double *expected, int n, double bound, const char *text,
                 const char *what) {
  const double d = distance(value, expected, n);
  if (!OK(d < bound, "%s: %s", text, what))
    NOTE("%g, allowed %g", d, bound);
}

/* Value and gradient against those that are given, higher orders against the order below. */
static void test_orders(const setting *s, const char *text, double right, const double slope[NQ],
                        double third_off) {
  cst_graph     *g = s->g;
  const cst_node n = parse(s, text), one = cst_graph_constant(g, 1);
  cst_node       grad[NQ], tangent, hess[NQ], hess2[NQ], third[NQ];
  double         value[NQ], expected[NQ];
  cst_graph_gradient(g, &n, &one, 1, s->q, NQ, grad);
  cst_graph_tangent(g, &n, 1, s->q, s->w, NQ, &tangent);
  cst_graph_tangent(g, grad, NQ, s->q, s->w, NQ, hess);
  cst_graph_gradient(g, &tangent, &one, 1, s->q, NQ, hess2);
  cst_graph_tangent(g, hess, NQ, s->q, s->u, NQ, third);

  value[0] = evaluate_one(s, n, &here);
  near(value, &right, 1, 1e-14, text, "value");
  evaluate(s, grad, NQ, &here, value);
  near(value, slope, NQ, 1e-14, text, "gradient");
  expected[0] = dot(slope, here.w), value[0] = evaluate_one(s, tangent, &here);
  near(value, expected, 1, 1e-14, text, "tangent");
  evaluate(s, hess, NQ, &here, value), differences(s, grad, NQ, here.w, expected);
  near(value, expected, NQ, 1e-11, text, "second order, tangent of gradient");
  evaluate(s, hess2, NQ, &here, expected);
  near(value, expected, NQ, 1e-14, text, "second order, gradient of tangent");
  evaluate(s, third, NQ, &here, value), differences(s, hess, NQ, here.u, expected);
  near(value, expected, NQ, third_off, text, "third order");
}

static void test_case(const setting *s, const char *text, dc (*f)(dc, dc, dc)) {
  const double *q = here.q;
  double        slope[NQ];
  for (int i = 0; i < NQ; i++)
    slope[i] = cimag(f(q[0] + (i == 0) * 1e-30 * I, q[1] + (i == 1) * 1e-30 * I,
                       q[2] + (i == 2) * 1e-30 * I)) /
               1e-30;
  test_orders(s, text, creal(f(q[0], q[1], q[2])), slope, 1e-11);
}

static __float128 quad(const setting *s, cst_node n, const __float128 q[NQ]) {
  __float128 value;
  cst_tape  *t = cst_tape_create(s->g, &n, 1);
  cst_tape_eval_quad(t, (const __float128 *const[128]){['q'] = q}, &value);
  cst_tape_destroy(t);
  return value;
}

/* Central differences of order 8 in quadruple precision. */
static double quad_slope(const setting *s, cst_node n, int along) {
  static const __float128 c[] = {4 / 5.Q, -1 / 5.Q, 4 / 105.Q, -1 / 280.Q}, h = 1e-3Q;
  __float128              sum = 0, q[NQ];
  for (int k = -4; k <= 4; k++) {
    for (int i = 0; i < NQ; i++)
      q[i] = here.q[i] + (i == along) * k * h;
    if (k)
      sum += (k > 0 ? 1 : -1) * c[abs(k) - 1] / h * quad(s, n, q);
  }
  return (double)sum;
}

/* Every function of the table, without a formula of its own here. */
static void test_table(const setting *s) {
  for (int i = 0; call_of(i); i++) {
    const cst_node n = parse(s, call_of(i));
    double         slope[NQ];
    for (int k = 0; k < NQ; k++)
      slope[k] = quad_slope(s, n, k);
    test_orders(s, call_of(i), (double)quad(s, n, (__float128[]){here.q[0], here.q[1], here.q[2]}),
                slope, 2e-11); /* differences of acos, near 1, are off by more */
  }
}

/* Derivatives are these nodes: their bits are those of the formulas. */
static void test_nodes(const setting *s) {
  static const char *const pairs[][2] = {{"sin(x)", "cos(x)"},
                                         {"cos(x)", "-sin(x)"},
                                         {"tan(x)", "1 + tan(x)^2"},
                                         {"exp(x)", "exp(x)"},
                                         {"log(x)", "1/x"},
                                         {"atan2(x, y)", "y*(1/(x^2 + y^2))"},
                                         {"x^y", "y*x^(y - 1)"},
                                         {"1/x", "-(1/x*(1/x))"},
                                         {"sinh(x)", "cosh(x)"},
                                         {"cosh(x)", "sinh(x)"},
                                         {"tanh(x)", "1 - tanh(x)^2"},
                                         {"expm1(x)", "exp(x)"},
                                         {"log1p(x)", "1/(1 + x)"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const cst_node n = parse(s, pairs[i][0]), one = cst_graph_constant(s->g, 1);
    cst_node       slope;
    cst_graph_gradient(s->g, &n, &one, 1, s->q, 1, &slope);
    OK(slope == parse(s, pairs[i][1]), "the derivative of %s is %s", pairs[i][0], pairs[i][1]);
  }
}

/* Several outputs with seeds that are inputs: the gradient is the transpose of the tangent. */
static void test_transpose(const setting *s) {
  cst_graph     *g = s->g;
  const cst_node out[] = {parse(s, "x*y + sin(z)"), parse(s, "z"), parse(s, "2"),
                          parse(s, "x*y + sin(z)"), parse(s, "a*x^3/y")};
  const cst_node seed[] = {s->v[0], s->v[1], s->v[2], s->v[1], parse(s, "t")};
  cst_node       grad[NQ], d[5];
  double         gv[NQ], dv[5];
  cst_graph_gradient(g, out, seed, 5, s->q, NQ, grad);
  cst_graph_tangent(g, out, 5, s->q, s->w, NQ, d);
  evaluate(s, grad, NQ, &here, gv);
  evaluate(s, d, 5, &here, dv);
  const double left = dot(gv, here.w), right = here.v[0] * dv[0] + here.v[1] * dv[1] +
                                               here.v[2] * dv[2] + here.v[1] * dv[3] +
                                               here.t[0] * dv[4];
  OK(fabs(left - right) < 1e-15 * (fabs(left) + 1),
     "five seeded outputs: gradient and tangent are transposes");
  OK(d[1] == s->w[2] && cst_graph_is_zero(g, d[2]) && d[0] == d[3],
     "tangents of an input, of a constant, of equals");
}

static void test_edges(const setting *s) {
  cst_graph     *g = s->g;
  const cst_node n = parse(s, "x*y"), zero = cst_graph_constant(g, 0),
                 one = cst_graph_constant(g, 1), none = -1;
  cst_node grad[NQ], d;
  cst_graph_gradient(g, &n, &one, 1, s->q, NQ, grad);
  OK(grad[0] == s->q[1] && grad[1] == s->q[0] && cst_graph_is_zero(g, grad[2]),
     "gradient of x*y is y, x, 0 as nodes");
  cst_graph_tangent(g, &n, 1, s->v, s->w, NQ, &d);
  OK(cst_graph_is_zero(g, d), "no dependence, no tangent");
  cst_graph_gradient(g, &n, &zero, 1, s->q, NQ, grad);
  OK(cst_graph_is_zero(g, grad[0]) && cst_graph_is_zero(g, grad[1]), "a zero seed");
  cst_graph_gradient(g, NULL, NULL, 0, s->q, NQ, grad);
  OK(cst_graph_is_zero(g, grad[0]), "no outputs");
  cst_graph_gradient(g, &none, &one, 1, s->q, NQ, grad);
  cst_graph_tangent(g, &none, 1, s->q, s->w, NQ, &d);
  OK(grad[0] == -1 && d == -1, "no node has no derivative");
  const cst_node power = parse(s, "x^2.25");
  point          p = here;
  p.q[0] = 0;
  cst_graph_gradient(g, &power, &one, 1, s->q, 1, grad);
  OK(evaluate_one(s, grad[0], &p) == 0, "x^2.25 has derivative 0 at 0: no logarithm of the base");
}

/* Cost: a chain of n links, each order a fixed multiple of the one below. */
static void test_linear_cost(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node one = cst_graph_constant(g, 1);
  enum { LINKS = 20000 };
  cst_node *q = malloc(LINKS * sizeof *q), *w = malloc(LINKS * sizeof *w),
           *grad = malloc(LINKS * sizeof *grad), sum = cst_graph_constant(g, 0), last = sum;
  for (int i = 0; i < LINKS; i++) {
    q[i] = cst_graph_input(g, 'q', i), w[i] = cst_graph_input(g, 'w', i);
    last = cst_graph_call(g, "sin", cst_graph_add(g, cst_graph_mul(g, last, q[i]), q[i]), -1);
    sum = cst_graph_add(g, sum, last);
  }
  const int size = cst_graph_size(g);
  cst_graph_gradient(g, &sum, &one, 1, q, LINKS, grad);
  const int first = cst_graph_size(g);
  cst_graph_tangent(g, grad, LINKS, q, w, LINKS, grad);
  const int second = cst_graph_size(g);
  OK(first < 3 * size && second < 9 * size,
     "a chain of %d links: %d nodes, %d with the gradient, %d with the second order", LINKS, size,
     first, second);
  free(q), free(w), free(grad);
  cst_graph_destroy(g);
}

static bool support_is(const cst_graph *g, cst_node n, char array, const int *expected, int count) {
  int       *index = (int *)&count;
  const bool equal = cst_graph_support(g, n, array, &index) == count &&
                     (count ? !memcmp(index, expected, (size_t)count * sizeof *index) : !index);
  free(index);
  return equal;
}

static void test_support(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node q7 = cst_graph_input(g, 'q', 7), v2 = cst_graph_input(g, 'v', 2),
                 q0 = cst_graph_input(g, 'q', 0), q3 = cst_graph_input(g, 'q', 3),
                 product = cst_graph_mul(g, cst_graph_add(g, q7, q3), v2),
                 n = cst_graph_add(g, cst_graph_call(g, "sin", product, -1),
                                   cst_graph_mul(g, q0, q3));
  OK(support_is(g, n, 'q', (const int[]){0, 3, 7}, 3),
     "support: ascending, each once, though made in another order");
  OK(support_is(g, n, 'v', (const int[]){2}, 1) &&
         support_is(g, product, 'q', (const int[]){3, 7}, 2),
     "of another array, of a part");
  OK(support_is(g, q7, 'q', (const int[]){7}, 1), "of an input");
  OK(support_is(g, n, 'c', NULL, 0) && support_is(g, cst_graph_constant(g, 7), 'q', NULL, 0) &&
         support_is(g, -1, 'q', NULL, 0),
     "none: of an array that is not there, of a constant, of no node");
  OK(support_is(g, cst_graph_sub(g, n, n), 'q', NULL, 0), "what cancels does not count");
  cst_graph_destroy(g);
}

/* A chain of links (q[i+1] - q[i])^2 - l[i] + q[i]^3 in one graph, its point, and the number of wrong
 * derivatives. */
typedef struct {
  cst_graph *g;
  double    *q;
  int        wrong;
} chain;

static double value_of(const chain *c, cst_node n, const double *w) {
  double    result;
  cst_tape *t = cst_tape_create(c->g, &n, 1);
  cst_evaluate_tape(t, (const double *const[128]){['q'] = c->q, ['w'] = w}, &result);
  cst_tape_destroy(t);
  return result;
}

/* Derivatives of link i; its tape is made for some links only, because each costs the whole graph. */
static void derive_link(chain *c, int i, cst_node link, const double *w, bool evaluated) {
  int           *index;
  const int      n = cst_graph_support(c->g, link, 'q', &index);
  const cst_node one = cst_graph_constant(c->g, 1);
  cst_node       x[2], d[2], grad[2], hess[2];
  c->wrong += n != 2 || index[0] != i || index[1] != i + 1;
  for (int k = 0; k < 2; k++)
    x[k] = cst_graph_input(c->g, 'q', i + k), d[k] = cst_graph_input(c->g, 'w', i + k);
  cst_graph_gradient(c->g, &link, &one, 1, x, 2, grad);
  cst_graph_tangent(c->g, grad, 2, x, d, 2, hess);
  free(index);
  const double a = c->q[i], b = c->q[i + 1], u = w[i], v = w[i + 1];
  if (evaluated)
    c->wrong += fabs(value_of(c, grad[0], w) - (-2 * (b - a) + 3 * a * a)) > 1e-12 ||
                fabs(value_of(c, grad[1], w) - 2 * (b - a)) > 1e-12 ||
                fabs(value_of(c, hess[0], w) - (2 * (u - v) + 6 * a * u)) > 1e-12 ||
                fabs(value_of(c, hess[1], w) - 2 * (v - u)) > 1e-12;
}

static void test_many_links(void) {
  enum { LINKS = 10000 };
  chain     c = {cst_graph_create(), malloc((LINKS + 1) * sizeof *c.q), 0};
  double   *w = malloc((LINKS + 1) * sizeof *w);
  cst_node *link = malloc(LINKS * sizeof *link);
  for (int i = 0; i <= LINKS; i++)
    c.q[i] = random_unit(), w[i] = random_unit();
  for (int i = 0; i < LINKS; i++) {
    const cst_node a = cst_graph_input(c.g, 'q', i), b = cst_graph_input(c.g, 'q', i + 1),
                   square =
                       cst_graph_pow(c.g, cst_graph_sub(c.g, b, a), cst_graph_constant(c.g, 2)),
                   cube = cst_graph_pow(c.g, a, cst_graph_constant(c.g, 3));
    link[i] = cst_graph_add(c.g, cst_graph_sub(c.g, square, cst_graph_input(c.g, 'l', i)), cube);
  }
  for (int i = 0; i < LINKS; i++)
    derive_link(&c, i, link[i], w, i % 199 == 0 || i == LINKS - 1);
  if (!OK(c.wrong == 0, "support, gradient and second order of each of %d links", LINKS))
    NOTE("%d wrong", c.wrong);
  OK(cst_graph_size(c.g) < 40 * LINKS, "%d nodes", cst_graph_size(c.g));
  cst_graph_destroy(c.g);
  free(c.q), free(w), free(link);
}

int main(void) {
  setting s = setting_create();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    test_case(&s, cases[i].text, cases[i].f);
  test_table(&s);
  test_nodes(&s);
  test_transpose(&s);
  test_edges(&s);
  test_linear_cost();
  test_support();
  test_many_links();
  cst_graph_destroy(s.g);
  return tap_done();
}
