/* test-graph.c: equal subexpressions are one node; identities; power forms; dependence; degrees;
 * substitution; the limit on nodes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expressions.h"

static void test_equal(const setting *s) {
  static const char *const pairs[][2] = {{"x*y", "y*x"},
                                         {"x + y", "y + x"},
                                         {"sin(x + y)", "sin(y + x)"},
                                         {"x^2", "x*x"},
                                         {"x^(1/2)", "sqrt(x)"},
                                         {"x^4", "(x*x)*(x*x)"},
                                         {"x^-1", "1/x"},
                                         {"x^-3", "1/(x*x^2)"},
                                         {"x^1.5", "x*sqrt(x)"},
                                         {"(x+y)*(z+x)", "(x+z)*(y+x)"},
                                         {"1 + 2 + x", "3 + x"},
                                         {"-(2*x)", "-2*x"},
                                         {"-x*y", "x*-y"},
                                         {"-x*-y", "x*y"},
                                         {"x - -y", "x + y"},
                                         {"x + -y", "x - y"},
                                         {"-x + y", "y - x"},
                                         {"-x/y", "x/-y"},
                                         {"-(1/x)", "-1/x"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    OK(parse(s, pairs[i][0]) == parse(s, pairs[i][1]) && parse(s, pairs[i][0]) >= 0, "%s is %s",
       pairs[i][0], pairs[i][1]);
  static const char *const apart[][2] = {{"x - y", "y - x"},
                                         {"x/y", "y/x"},
                                         {"atan2(x, y)", "atan2(y, x)"},
                                         {"x^y", "y^x"},
                                         {"(x+y)+z", "x+(y+z)"}};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
    OK(parse(s, apart[i][0]) != parse(s, apart[i][1]), "%s is not %s", apart[i][0], apart[i][1]);
  const cst_node n = parse(s, "exp(x*y)*sqrt(z)");
  const int      size = cst_graph_size(s->g);
  OK(parse(s, "exp(y*x)*sqrt(z)") == n && cst_graph_size(s->g) == size,
     "the same again makes no node");
  OK(cst_graph_input(s->g, 'q', 1) == s->q[1] && cst_graph_input(s->g, 'v', 1) == s->v[1] &&
         s->q[1] != s->v[1],
     "inputs are one node each");
  OK(cst_graph_constant(s->g, 0.1) == cst_graph_constant(s->g, 0.1) &&
         cst_graph_constant(s->g, 0.0) != cst_graph_constant(s->g, -0.0),
     "constants are one node for each pattern of bits");
}

/* Degrees as polynomials in q; cancelling terms may count. */
static void test_degrees(const setting *s) {
  static const struct {
    const char *text;
    int         degree;
  } known[] = {{"3", 0},           {"x", 1},
               {"x*y^2 + z", 3},   {"-(x^6 + y^4)/2", 6},
               {"x^0", 0},         {"(x + 1)^5*y", 6},
               {"x/y", -1},        {"x^-1", -1},
               {"sqrt(x)", -1},    {"sqrt(2)*x", 1},
               {"sin(x)", -1},     {"x^y", -1},
               {"2^x", -1},        {"x^(1/2)", -1},
               {"x - x", 0},       {"x*0", 0},
               {"x*y/(1 + 1)", 2}, {"exp(1)*x*sin(y)", -1}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    OK(cst_graph_degree(s->g, parse(s, known[i].text), 'q') == known[i].degree, "%s has degree %d",
       known[i].text, known[i].degree);
  OK(cst_graph_degree(s->g, parse(s, "x^2*sin(y)"), 'v') == 0,
     "and 0 in what it does not depend on");
}

static void test_identities(const setting *s) {
  cst_graph     *g = s->g;
  const cst_node x = s->q[0], zero = cst_graph_constant(g, 0), one = cst_graph_constant(g, 1),
                 minus = cst_graph_constant(g, -1);
  OK(cst_graph_add(g, x, zero) == x && cst_graph_add(g, zero, x) == x, "x + 0");
  OK(cst_graph_sub(g, x, zero) == x, "x - 0");
  OK(cst_graph_sub(g, zero, x) == cst_graph_neg(g, x), "0 - x");
  OK(cst_graph_sub(g, x, x) == zero, "x - x");
  OK(cst_graph_mul(g, x, zero) == zero && cst_graph_mul(g, zero, x) == zero, "x*0");
  OK(cst_graph_mul(g, x, one) == x && cst_graph_mul(g, one, x) == x, "x*1");
  OK(cst_graph_mul(g, x, minus) == cst_graph_neg(g, x) &&
         cst_graph_mul(g, minus, x) == cst_graph_neg(g, x),
     "x*-1");
  OK(cst_graph_div(g, x, one) == x && cst_graph_div(g, x, minus) == cst_graph_neg(g, x),
     "x/1 and x/-1");
  OK(cst_graph_div(g, zero, x) == zero, "0/x");
  OK(cst_graph_neg(g, cst_graph_neg(g, x)) == x, "--x");
  double value = 0;
  OK(cst_graph_is_constant(g, cst_graph_call(g, "sin", cst_graph_constant(g, 0.3), -1), &value) &&
         same_bits(value, cst_elementary_sin(0.3)),
     "sin(0.3) folds to the bits of cst_elementary_sin");
  OK(cst_graph_is_constant(
         g, cst_graph_pow(g, cst_graph_constant(g, 3), cst_graph_constant(g, 0.3)), &value) &&
         same_bits(value, cst_elementary_pow(3, 0.3)),
     "3^0.3 folds");
  OK(cst_graph_is_zero(g, zero) && cst_graph_is_zero(g, cst_graph_constant(g, -0.0)) &&
         !cst_graph_is_zero(g, x) && !cst_graph_is_zero(g, -1),
     "is zero");
  OK(!cst_graph_is_constant(g, x, &value) && !cst_graph_is_constant(g, -1, NULL), "is constant");
  OK(cst_graph_call(g, "sinc", x, -1) == -1 && cst_graph_call(g, "atan2", x, -1) == -1 &&
         cst_graph_add(g, -1, x) == -1 && cst_graph_pow(g, x, -1) == -1,
     "no node for an unknown function and for operations on no node");
}

static char *emitted(const setting *s, const cst_node *n, int count) {
  char  *text;
  size_t size;
  FILE  *f = open_memstream(&text, &size);
  cst_graph_emit(s->g, n, count, "  ", f);
  fclose(f);
  return text;
}

static int occurrences(const char *text, const char *word) {
  int n = 0;
  for (const char *p = text; (p = strstr(p, word)); p++)
    n++;
  return n;
}

static void test_powers(const setting *s) {
  static const struct {
    const char *text;
    int         pow, sqrt, times; /* how often each operation is emitted */
  } cases[] = {
      {"x^2", 0, 0, 1},   {"x^3", 0, 0, 2},      {"x^16", 0, 0, 4},    {"x^15", 0, 0, 6},
      {"x^-2", 0, 0, 1},  {"x^(1/2)", 0, 1, 0},  {"x^(3/2)", 0, 1, 1}, {"x^-1.5", 0, 1, 1},
      {"x^2.5", 0, 1, 2}, {"x^0.3", 1, 0, 0},    {"x^(1/3)", 1, 0, 0}, {"2^x", 1, 0, 0},
      {"x^y", 1, 0, 0},   {"x^65536", 0, 0, 16}, {"x^65537", 1, 0, 0}, {"x^1e300", 1, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cst_node n = parse(s, cases[i].text);
    char          *text = emitted(s, &n, 1);
    const int      pow = occurrences(text, "vpow("), root = occurrences(text, "vsqrt("),
              times = occurrences(text, " * ");
    if (!OK(pow == cases[i].pow && root == cases[i].sqrt && times == cases[i].times,
            "%s: %d pow, %d sqrt, %d products", cases[i].text, cases[i].pow, cases[i].sqrt,
            cases[i].times))
      NOTE("%s", text);
    free(text);
  }
  cst_node       grad[NQ];
  const cst_node n = parse(s, "x^(3/2) + y^-2.5 + 1/(x^2+y^2+z^2)^(3/2)"),
                 seed = cst_graph_constant(s->g, 1);
  cst_graph_gradient(s->g, &n, &seed, 1, s->q, NQ, grad);
  char *text = emitted(s, grad, NQ);
  OK(!strstr(text, "vpow"), "no pow in the gradient of half-integer powers");
  free(text);
}

static void test_text(void) {
  const setting  fresh = setting_create(), *s = &fresh; /* operands are in the order of creation */
  const cst_node sum = parse(s, "x*x + sin(x*x)*-2"), out[] = {sum,
                                                               -1,
                                                               parse(s, "3"),
                                                               s->q[1],
                                                               parse(s, "x^2"),
                                                               sum,
                                                               parse(s, "2^y"),
                                                               parse(s, "-0.5"),
                                                               parse(s, "-y")};
  char          *text = emitted(s, out, 9);
  const char    *expected = "  const vd t0 = q[0] * q[0];\n"
                            "  const vd t1 = vsin(t0);\n"
                            "  const vd t2 = t1 * (-2.0);\n"
                            "  const vd t3 = t0 + t2;\n"
                            "  o[0] = t3;\n"
                            "  o[2] = vset(3.0);\n"
                            "  o[3] = q[1];\n"
                            "  o[4] = t0;\n"
                            "  o[5] = t3;\n"
                            "  const vd t4 = vpow(vset(2.0), q[1]);\n"
                            "  o[6] = t4;\n"
                            "  o[7] = vset((-0.5));\n"
                            "  const vd t5 = -q[1];\n"
                            "  o[8] = t5;\n";
  if (!OK(!strcmp(text, expected), "the emitted text of nine outputs"))
    NOTE("%s", text);
  free(text);
  cst_graph_destroy(fresh.g);
}

static void test_depends(const setting *s) {
  const cst_node n = parse(s, "sin(x*a) + x'*2");
  OK(cst_graph_depends(s->g, n, 'q') && cst_graph_depends(s->g, n, 'c') &&
         cst_graph_depends(s->g, n, 'v'),
     "depends on q, c, v");
  OK(!cst_graph_depends(s->g, n, 't') && !cst_graph_depends(s->g, n, 'w') &&
         !cst_graph_depends(s->g, parse(s, "2"), 'q') && !cst_graph_depends(s->g, -1, 'q'),
     "and on nothing else");
  OK(!cst_graph_depends(s->g, parse(s, "x - x + y'"), 'q'), "what cancels is no dependence");
}

static void test_substitute(const setting *s) {
  const cst_node out[] = {parse(s, "sin(x)*y + z^2"), parse(s, "x"), parse(s, "3"), parse(s, "z*2"),
                          -1};
  cst_node       y[] = {parse(s, "x + y"), parse(s, "x")}, result[5];
  cst_graph_substitute(s->g, out, 5, s->q, y, 2, result);
  OK(result[0] == parse(s, "sin(x + y)*x + z^2"), "replaced at once, not one after the other");
  OK(result[1] == y[0] && result[2] == out[2] && result[3] == out[3] && result[4] == -1,
     "an input, a constant, what does not change, no node");
  y[0] = parse(s, "0"), y[1] = parse(s, "2");
  cst_graph_substitute(s->g, out, 1, s->q, y, 2, result);
  OK(result[0] == parse(s, "z^2"), "constants put in are folded");
}

static void test_limit(void) {
  cst_graph     *g = cst_graph_create();
  const cst_node q = cst_graph_input(g, 'q', 0), v = cst_graph_input(g, 'v', 0),
                 product = cst_graph_mul(g, q, v), root = cst_graph_call(g, "sqrt", product, -1);
  int last = 0;
  for (int i = 0; last >= 0; i++)
    last = cst_graph_constant(g, i + 0.5);
  OK(cst_graph_size(g) == CST_EXPR_NODES, "a graph holds %d nodes", CST_EXPR_NODES);
  OK(cst_graph_add(g, q, v) == -1 && cst_graph_call(g, "sin", q, -1) == -1 &&
         cst_graph_mul(g, q, v) == product,
     "then no new ones, and the old ones still");
  cst_expr_error    error;
  const cst_binding names[] = {{.name = "x", .node = q}, {.name = "y", .node = v}};
  OK(cst_expr_parse(g, "x*y", names, 2, &error) == product,
     "an expression that is there still parses");
  OK(cst_expr_parse(g, "x*y + x", names, 2, &error) == -1 && error.offset == 4 &&
         !strcmp(error.message,
                 "too many operations: all expressions of a system together may have 2000000"),
     "another does not: %s", error.message);
  cst_node d, seed = q;
  cst_graph_tangent(g, &root, 1, &q, &v, 1, &d);
  cst_node grad;
  cst_graph_gradient(g, &root, &seed, 1, &q, 1, &grad);
  OK(d == -1 && grad == -1, "derivatives that do not fit are no nodes");
  cst_graph_destroy(g);
}

int main(void) {
  setting s = setting_create();
  test_equal(&s);
  test_degrees(&s);
  test_identities(&s);
  test_powers(&s);
  test_text();
  test_depends(&s);
  test_substitute(&s);
  test_limit();
  cst_graph_destroy(s.g);
  return tap_done();
}
