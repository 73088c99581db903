/* test-parse.c: texts that parse, with their value to the bit; texts that do not, with the place and the
 * message. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "expr/define.h"
#include "expressions.h"

#define X (here.q[0])
#define Y (here.q[1])
#define Z (here.q[2])

static void test_values(const setting *s) {
  const struct {
    const char *text;
    double      value;
  } cases[] = {{"1", 1},
               {" 2.5e-1\t\n", 0.25},
               {".5", 0.5},
               {"7.", 7},
               {"1E+2", 100},
               {"0.1", 0.1},
               {"12345678901234567890", 12345678901234567890.0},
               {"4.9e-324", 4.9e-324},
               {"0e5", 0},
               {"pi", M_PI},
               {"x", X},
               {"x'", here.v[0]},
               {"t", here.t[0]},
               {"x' - x", here.v[0] - X},
               {"1 - 2 - 3", -4},
               {"x - y - z", X - Y - Z},
               {"x - (y - z)", X - (Y - Z)},
               {"x/y/z", X / Y / Z},
               {"x/y*z", X / Y * Z},
               {"x + y*z", X + Y * Z},
               {"x*y + z", X * Y + Z},
               {"-x^2", -(X * X)},
               {"(-x)^2", X * X},
               {"-x*y", -X * Y},
               {"x*-y", X * -Y},
               {"x - -y", X + Y},
               {"--x", X},
               {"2^3^2", 512},
               {"(2^3)^2", 64},
               {"2^-1", 0.5},
               {"x^-1", 1 / X},
               {"x^3", X * (X * X)},
               {"x^0", 1},
               {"x^1", X},
               {"x^0.5", sqrt(X)},
               {"x^(3/2)", X * sqrt(X)},
               {"x^-(1/2)", 1 / sqrt(X)},
               {"x^y", cst_elementary_pow(X, Y)},
               {"2^x", cst_elementary_pow(2, X)},
               {"1^x", 1},
               {"x^0.3", cst_elementary_pow(X, 0.3)},
               {"2^0.3", cst_elementary_pow(2, 0.3)},
               {"floor(7/2)", 3},
               {"floor(-7/2)", -4},
               {"floor(-2)*x", -2 * X},
               {"x + sum(k, 1, 5, floor((k - 1)/2))", X + 4},
               {"sqrt(x)", sqrt(X)},
               {"sin ( x )", cst_elementary_sin(X)},
               {"cos(x)", cst_elementary_cos(X)},
               {"tan(x)", cst_elementary_tan(X)},
               {"exp(x)", cst_elementary_exp(X)},
               {"log(x)", cst_elementary_log(X)},
               {"atan2(y, -x)", cst_elementary_atan2(Y, -X)},
               {"sin(1)", cst_elementary_sin(1)},
               {"exp(1) + x", cst_elementary_exp(1) + X},
               {"((((x))))", X},
               {"x*0", 0},
               {"0/x", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cst_node n = parse(s, cases[i].text);
    const double   value = n < 0 ? NAN : evaluate_one(s, n, &here);
    if (!OK(n >= 0 && same_bits(value, cases[i].value), "value of %s",
            cases[i].text[0] == ' ' ? "a number between blanks" : cases[i].text))
      NOTE("%.17g, not %.17g", value, cases[i].value);
  }
}

/* Calls have the bits of the operation. A name that is not reserved may be bound, be the variable of a sum, and be defined;
 * what is defined goes before the function. */
static void test_table(const setting *s) {
  for (int i = 0; call_of(i); i++) {
    const cst_function  *f = &cst_functions[i];
    const cst_binding    names[] = {{.name = "x", .node = s->q[0]},
                                    {.name = f->name, .node = s->q[1]}};
    const cst_definition own = {f->name, "3*u", (const char *const[]){"u"}, 1};
    char                 text[128];
    if (is_smooth(i))
      OK(same_bits(evaluate_one(s, parse(s, call_of(i)), &here), cst_elementary_apply(f->op, X, Y)),
         "%s: the operation of its row", call_of(i));
    const bool bound = cst_expr_parse(s->g, f->name, names, 2, NULL) == s->q[1];
    snprintf(text, sizeof text, "sum(%s, 1, 2, %s)", f->name, f->name);
    const cst_node summed = cst_expr_parse(s->g, text, names, 1, NULL);
    const cst_node three = cst_graph_mul(s->g, cst_graph_constant(s->g, 3), s->q[0]);
    snprintf(text, sizeof text, "%s(x)", f->name);
    cst_graph_define(s->g, &own, 1);
    const bool defined = cst_expr_parse(s->g, text, names, 1, NULL) == three;
    cst_graph_define(s->g, NULL, 0);
    OK(summed == (f->reserved ? -1 : cst_graph_constant(s->g, 3)), "%s as the variable of a sum",
       f->name);
    OK(defined == !f->reserved && (bound || f->reserved), "%s bound and defined", f->name);
  }
}

#define FUNCTIONS "sqrt, sin, cos, tan, exp, log, atan2, sum"
#define CALLED    FUNCTIONS ", step, sign, abs, min, max, ramp, smoothstep, expm1, log1p, sinh, ..."
#define ALL       "x, y, z, x', y', z', a, b, t, pi, " FUNCTIONS
#define OPERAND   "expected a number, a name or '('"
#define MALFORMED                                                                                  \
  "malformed number; expected digits with at most one '.' and an exponent such as e-3"
#define NAN_VALUE "the value of this operation is not a finite number (nan)"
#define INF_VALUE "the value of this operation is not a finite number (inf)"
#define LARGE     "the number is too large; at most 1.7976931348623157e308"

/* A text that is refused, with the place and the message. */
typedef struct {
  const char *text;
  int         offset;
  const char *message;
} refusal;

static const refusal refusals[] = {
    {"", 0, "empty expression; " OPERAND},
    {" \t ", 3, "empty expression; " OPERAND},
    {"x +", 3, OPERAND},
    {"x + * y", 4, OPERAND "; found '*'"},
    {"+x", 0, OPERAND "; found '+'"},
    {"()", 1, OPERAND "; found ')'"},
    {"x**2", 2, OPERAND "; powers are written with ^"},
    {"x*\xc3\xa9", 2, OPERAND "; found character 0xc3"},
    {"x y", 2, "expected an operator or the end; found 'y'"},
    {"x $ y", 2, "expected an operator or the end; found '$'"},
    {"x, y", 1, "expected an operator or the end; found ','"},
    {"x = 1", 2,
     "expected an operator or the end; found '='; write the expression that is zero, as x^2 - 1"},
    {"(x + 1", 6, "missing ')'"},
    {"sin(x", 5, "missing ')'"},
    {"atan2(x", 7, "missing ')'"},
    {"sin(", 4, OPERAND},
    {"(x y)", 3, "expected an operator or ')'; found 'y'"},
    {"(x, y)", 2, "expected an operator or ')'; found ','"},
    {"sin(x y)", 6, "expected an operator or ')'; found 'y'"},
    {"atan2(x y)", 8, "expected an operator or ')'; found 'y'"},
    {"x + 1)", 5, "')' without '('"},
    {"1 + floor(x)", 4,
     "floor takes numbers, sizes and variables of families and sums, for indices; step(x) is 0, "
     "1/2, 1 where x is below, at, above 0; min, max, abs, ramp(x, w) and smoothstep(x) are "
     "continuous"},
    {"floor(7", 7, "missing ')'"},
    {"sqrt()", 5, "sqrt takes 1 argument"},
    {"sqrt(x, y)", 6, "sqrt takes 1 argument"},
    {"atan2(x)", 7, "atan2 takes 2 arguments"},
    {"atan2(x, y, z)", 10, "atan2 takes 2 arguments"},
    {"sin + 1", 4, "expected '(' after sin"},
    {"x + zz", 4, "unknown name 'zz'; allowed: " ALL "; did you mean 'z'?"},
    {"x''", 0, "unknown name 'x'''; allowed: " ALL "; did you mean 'x''?"},
    {"x + velocity", 4, "unknown name 'velocity'; allowed: " ALL},
    {"inf", 0, "unknown name 'inf'; allowed: " ALL},
    {"nan", 0, "unknown name 'nan'; allowed: " ALL "; did you mean 'tan'?"},
    {"1 + sine(x)", 4, "unknown function 'sine'; allowed: " CALLED "; did you mean 'sin'?"},
    {"x(2)", 0, "unknown function 'x'; allowed: " CALLED},
    {"system(x)", 0, "unknown function 'system'; allowed: " CALLED},
    {"1..2", 2, MALFORMED},
    {"1.2.3", 3, MALFORMED},
    {"x + 0x10", 5, MALFORMED},
    {"2x", 1, MALFORMED},
    {"1e", 1, MALFORMED},
    {"1e+", 1, MALFORMED},
    {"1e5e", 3, MALFORMED},
    {".", 1, MALFORMED},
    {".e5", 1, MALFORMED},
    {"1,5", 1, "expected an operator or the end; found ','"},
    {"x + 1e999", 4, LARGE},
    {"1e-999", 0, "the number is too small; at least 4.9406564584124654e-324, or 0"},
    {"1/0", 1, "division by zero"},
    {"x/0", 1, "division by zero"},
    {"x/(1 - 1)", 1, "division by zero"},
    {"1e200*1e200", 5, INF_VALUE},
    {"x*(1 + sqrt(-1))", 7, NAN_VALUE},
    {"log(0)", 0, INF_VALUE},
    {"0^-1", 1, INF_VALUE},
    {"(-2)^0.3", 4, NAN_VALUE},
};

static void test_refusal(cst_graph *g, const cst_binding *names, int n, const refusal *x) {
  cst_expr_error error = {.offset = -1};
  const cst_node node = cst_expr_parse(g, x->text, names, n, &error);
  if (!OK(node == -1 && error.offset == x->offset && !strcmp(error.message, x->message),
          "'%.18s' at %d: %s", x->text[0] == ' ' ? "blanks" : x->text, x->offset, x->message))
    NOTE("%d at %d: %s", node, error.offset, error.message);
}

static void test_refusals(const setting *s) {
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    test_refusal(s->g, s->names, NAMES, &refusals[i]);
}

/* Long lists of names leave room for the nearest name. */
static void test_long_lists(void) {
  enum { MANY = 300 };
  static char        text[MANY][24];
  static cst_binding names[MANY];
  cst_graph         *g = cst_graph_create();
  for (int i = 0; i < MANY; i++) {
    snprintf(text[i], sizeof text[i], "coordinate_%d", i);
    names[i] = (cst_binding){.name = text[i], .node = cst_graph_input(g, 'q', i)};
  }
  cst_expr_error error;
  OK(cst_expr_parse(g, "1 + coordinate_299*2", names, MANY, &error) >= 0, "one of %d names", MANY);
  OK(cst_expr_parse(g, "1 + cordinate_299*2", names, MANY, &error) < 0 && error.offset == 4,
     "a misspelt one is refused");
  OK(strstr(error.message, "unknown name 'cordinate_299'; allowed: coordinate_0, ") &&
         strstr(error.message, ", ...; did you mean '"),
     "the list is cut, the guess is not");
  char longest[500];
  memset(longest, 'k', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  OK(cst_expr_parse(g, longest, names, MANY, &error) < 0 &&
         strstr(error.message, "kkk...'; allowed: ") &&
         strlen(error.message) < sizeof error.message - 1,
     "a very long name is cut");
  OK(cst_expr_parse(g, "x", NULL, 0, &error) < 0 &&
         !strcmp(error.message, "unknown name 'x'; allowed: pi, " FUNCTIONS),
     "no names at all");
  OK(cst_expr_parse(g, "x +", NULL, 0, NULL) < 0, "nobody wants the message");
  cst_graph_destroy(g);
}

enum { COUNT = 20, BOUND = 6 };

/* Arrays x and x' of COUNT entries, a plain y, constants n = 5 and half, and r, which is not an input. */
typedef struct {
  cst_graph  *g;
  cst_node    x[COUNT], v[COUNT];
  cst_binding names[BOUND];
} arrays;

static void arrays_create(arrays *a) {
  a->g = cst_graph_create();
  for (int i = 0; i < COUNT; i++)
    a->x[i] = cst_graph_input(a->g, 'q', i), a->v[i] = cst_graph_input(a->g, 'v', i);
  const cst_node y = cst_graph_input(a->g, 'c', 0);
  a->names[0] = (cst_binding){.name = "x", .node = -1, .entry = a->x, .count = COUNT};
  a->names[1] = (cst_binding){.name = "x'", .node = -1, .entry = a->v, .count = COUNT};
  a->names[2] = (cst_binding){.name = "y", .node = y};
  a->names[3] = (cst_binding){.name = "n", .node = cst_graph_constant(a->g, 5)};
  a->names[4] = (cst_binding){.name = "half", .node = cst_graph_constant(a->g, 0.5)};
  a->names[5] = (cst_binding){.name = "r", .node = cst_graph_mul(a->g, y, y)};
}

static cst_node array_parse(const arrays *a, const char *text, cst_expr_error *error) {
  return cst_expr_parse(a->g, text, a->names, BOUND, error);
}

/* Each pair is one node. */
static void test_sums(const arrays *a) {
  static const char *const pairs[][2] = {
      {"x[1]", "x [ 1 ]"},
      {"x[2*n - 3]", "x[7]"},
      {"x[n/half]", "x[10]"},
      {"x[2^2]*x'[(3)]", "x'[3]*x[4]"},
      {"-x[20]^2", "-(x[20]*x[20])"},
      {"x[sum(i, 1, 3, i)]", "x[6]"},
      {"sum(i, 1, 4, x[i])", "x[1] + x[2] + x[3] + x[4]"},
      {" sum ( i ,\n1 , 2 , x[ i ] ) ", "x[1] + x[2]"},
      {"sum(i, 2, 2, x[i]*i)", "2*x[2]"},
      {"sum(i, n, 2*n - 3, i*y)*2", "(5*y + 6*y + 7*y)*2"},
      {"sum(i, -2, 0, y^i)", "y^-2 + y^-1 + 1"},
      {"sum(i, 1, 3, -x[i])", "-x[1] - x[2] - x[3]"},
      {"sum(i, 1, 3, x[i+1] - x[i] + i)",
       "(x[2] - x[1] + 1) + (x[3] - x[2] + 2) + (x[4] - x[3] + 3)"},
      {"sum(i, 1, 3, sum(j, i+1, 3, 1/(x[i]-x[j])^2))",
       "1/(x[1]-x[2])^2 + 1/(x[1]-x[3])^2 + 1/(x[2]-x[3])^2"},
      {"sum(i, 1, 2, sum(j, 1, i, x[j])*y)", "x[1]*y + (x[1] + x[2])*y"},
      {"sum(i, 1, 2, x[i]) + sum(i, 1, 2, x'[i])", "x[1] + x[2] + (x'[1] + x'[2])"},
      {"sum(i, 1, sum(i, 1, 2, 1), x[i])", "x[1] + x[2]"},
      {"sum(i_1, 1, 2, sin(x[i_1]))", "sin(x[1]) + sin(x[2])"},
      {"sum(i, 1, 3, y)", "y + y + y"},
      {"sum(i, 1, 0, x[i])", "0"},
      {"sum(i, n, -n, 1/(i - n) + x[100*i + half] + sum(j, y, half, j))", "0"},
      {"sum(i, 1, 3, sum(j, i, 2, x[j]))", "x[1] + x[2] + x[2]"},
      {"y + sum(i, 9007199254740992, 9007199254740992, i)", "y + 9007199254740992"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    cst_expr_error error = {.offset = -1};
    const cst_node n = array_parse(a, pairs[i][0], &error), m = array_parse(a, pairs[i][1], &error);
    if (!OK(n == m && n >= 0, "sum %d is %s", (int)i + 1, pairs[i][1]))
      NOTE("%s: %d, %d: %d: %s", pairs[i][0], n, m, error.offset, error.message);
  }
  OK(array_parse(a, "x'[20]", NULL) == a->v[19] && array_parse(a, "x[1]", NULL) == a->x[0],
     "entries are the nodes that are bound");
}

#define SUM_FORM "sum takes 4 arguments: sum(i, FROM, TO, TERM)"
#define INTEGER  "must be an integer constant; it "
#define VARIABLE " cannot be the variable of a sum"
#define NAMED    VARIABLE "; a name has letters, digits and _, a letter first, at most 40 of them"
#define TAKEN    VARIABLE ", it has a meaning already; choose a new name"
#define BOUND_TO "x, x', y, n, half, r, pi, " FUNCTIONS
#define LONG     "abcdefghijklmnopqrstuvwxyzabcdefghijklmn"

static const refusal array_refusals[] = {
    {"x[21]", 2, "index 21 of 'x' is outside 1 .. 20"},
    {"y + x[ 0]", 7, "index 0 of 'x' is outside 1 .. 20"},
    {"x[-0]", 2, "index 0 of 'x' is outside 1 .. 20"},
    {"x[2 - 3]", 2, "index -1 of 'x' is outside 1 .. 20"},
    {"x'[1e300]", 3, "index 1e+300 of 'x'' is outside 1 .. 20"},
    {"x[1.5]", 2, "the index of 'x' " INTEGER "is 1.5"},
    {"x[(0.1 + 0.2)*10]", 2, "the index of 'x' " INTEGER "is 3.0000000000000004"},
    {"x[half]", 2, "the index of 'x' " INTEGER "is 0.5"},
    {"x[2 + y]", 2, "the index of 'x' " INTEGER "depends on 'y'"},
    {"x[x'[3]*2]", 2, "the index of 'x' " INTEGER "depends on 'x'[3]'"},
    {"x[x[x[1]]]", 4, "the index of 'x' " INTEGER "depends on 'x[1]'"},
    {"x[sqrt(-1)]", 2, NAN_VALUE},
    {"x[1/0]", 3, "division by zero"},
    {"x", 0, "'x' is an array of 20; an entry of it is wanted, such as x[1]"},
    {"y*x' + 1", 2, "'x'' is an array of 20; an entry of it is wanted, such as x'[1]"},
    {"x(3)", 1, "'x' is an array; its entries are written with [ ], x[1] for the first"},
    {"y[1]", 1, "'y' is not an array and has no entries"},
    {"2*y [1]", 4, "'y' is not an array and has no entries"},
    {"pi[1]", 2, "'pi' is not an array and has no entries"},
    {"sum(i, 1, 2, i[1])", 14, "'i' is not an array and has no entries"},
    {"sin[1]", 3, "expected '(' after sin"},
    {"z[1]", 0, "unknown name 'z'; allowed: " BOUND_TO},
    {"x''[1]", 0, "unknown name 'x'''; allowed: " BOUND_TO "; did you mean 'x''?"},
    {"(y)[1]", 3, "expected an operator or the end; found '['"},
    {"x[]", 2, OPERAND "; found ']'"},
    {"x[", 2, OPERAND},
    {"x[1", 3, "missing ']'"},
    {"x[1)", 3, "expected an operator or ']'; found ')'"},
    {"x[1, 2]", 3, "expected an operator or ']'; found ','"},
    {"x[1]]", 4, "expected an operator or the end; found ']'"},
    {"x[1]'", 4, "expected an operator or the end; found '''; the velocity of y[3] is y'[3]"},
    {"sum", 3, "expected '(' after sum"},
    {"sum + 1", 4, "expected '(' after sum"},
    {"sun(i, 1, 2, i)", 0, "unknown function 'sun'; allowed: " CALLED "; did you mean 'sin'?"},
    {"summ(i, 1, 2, i)", 0, "unknown function 'summ'; allowed: " CALLED "; did you mean 'sum'?"},
    {"sum()", 4, "expected the variable of the sum, a new name; found ')'"},
    {"sum(", 4, "expected the variable of the sum, a new name"},
    {"sum(-i, 1, 2, i)", 4, "expected the variable of the sum, a new name; found '-'"},
    {"sum(3, 1, 2, 1)", 4, "'3'" NAMED},
    {"sum(_i, 1, 2, 1)", 4, "'_i'" NAMED},
    {"sum(i', 1, 2, 1)", 4, "'i''" NAMED},
    {"sum(" LONG "o, 1, 2, 1)", 4, "'" LONG "...'" NAMED},
    {"sum(x, 1, 2, x)", 4, "'x'" TAKEN},
    {"sum(y, 1, 2, y)", 4, "'y'" TAKEN},
    {"sum(pi, 1, 2, 1)", 4, "'pi'" TAKEN},
    {"sum(sum, 1, 2, 1)", 4, "'sum'" TAKEN},
    {"sum(exp, 1, 2, 1)", 4, "'exp'" TAKEN},
    {"sum(i, 1, 2, sum(i, 1, 2, 1))", 17, "'i'" TAKEN},
    {"sum(i)", 5, SUM_FORM "; found ')'"},
    {"sum(i, 1", 8, SUM_FORM},
    {"sum(i = 1, 2, i)", 6, SUM_FORM "; found '='"},
    {"sum(i, 1, 2)", 11, SUM_FORM "; found ')'"},
    {"sum(i, 1 2, i)", 9, SUM_FORM "; found '2'"},
    {"sum(i, 1, 2, i, 3)", 14, SUM_FORM "; found ','"},
    {"sum(i, 1, 2,)", 12, OPERAND "; found ')'"},
    {"sum(i, 1, 2, i", 14, "missing ')'"},
    {"sum(i, 1, 2, i i)", 15, "expected an operator or ')'; found 'i'"},
    {"sum(i, 1.5, 2, i)", 7, "FROM of the sum " INTEGER "is 1.5"},
    {"sum(i, y, 2, i)", 7, "FROM of the sum " INTEGER "depends on 'y'"},
    {"sum(i, 1, n + half, i)", 10, "TO of the sum " INTEGER "is 5.5"},
    {"sum(i, 1, 2*r, i)", 10, "TO of the sum " INTEGER "depends on 'y'"},
    {"sum(i, 1, i, i)", 10, "unknown name 'i'; allowed: " BOUND_TO},
    {"sum(i, 1e16, 0, i)", 7, "FROM of the sum is 1e+16; at most 9007199254740992"},
    {"sum(i, 1, 2, i) + i", 18, "unknown name 'i'; allowed: " BOUND_TO},
    {"sum(i, 1, 2, sum(k, 1, 2, x[ii]))", 28,
     "unknown name 'ii'; allowed: k, i, " BOUND_TO "; did you mean 'i'?"},
    {"sum(i, 1, 21, x[i])", 16, "index 21 of 'x' is outside 1 .. 20"},
    {"sum(i, 1, 3, y*x[i/2])", 17, "the index of 'x' " INTEGER "is 0.5"},
    {"sum(i, 1, 3, 1/(i - 2))", 14, "division by zero"},
    {"sum(i, 1, 3, 1e308)", 0, INF_VALUE},
    {"sum(i, 1, 0, x[i)", 16, "expected an operator or ']'; found ')'"},
    {"sum(i, 1, 0, x)", 13, "'x' is an array of 20; an entry of it is wanted, such as x[1]"},
    {"sum(i, 1, 0, sum(j, 1, 2, k))", 26, "unknown name 'k'; allowed: j, i, " BOUND_TO},
    {"y*sum(i, 1, 500001, y)", 2, "all sums of an expression have together more than 500000 terms"},
};

static void test_array_refusals(const arrays *a) {
  for (size_t i = 0; i < sizeof array_refusals / sizeof *array_refusals; i++)
    test_refusal(a->g, a->names, BOUND, &array_refusals[i]);
}

/* An index that is not an integer although no name remains in it. */
static void test_nameless(const arrays *a) {
  const cst_node    y = cst_graph_input(a->g, 'c', 0);
  const cst_binding names[] = {{.name = "x", .node = -1, .entry = a->x, .count = COUNT},
                               {.name = "s", .node = cst_graph_neg(a->g, y)}};
  cst_expr_error    error = {.offset = -1};
  OK(cst_expr_parse(a->g, "x[-s]", names, 2, &error) == -1 && error.offset == 2 &&
         !strcmp(error.message, "the index of 'x' must be an integer constant; it is not constant"),
     "%d: %s", error.offset, error.message);
}

/* An array whose entries do not begin at 1. */
static void test_shifted(const arrays *a) {
  const cst_binding    names[] = {{.name = "x", .node = -1, .entry = a->x, .count = 3, .shift = 4},
                                  {.name = "w", .node = -1, .entry = a->v, .count = 2, .shift = -1}};
  static const refusal cases[] = {
      {"x[4]", 2, "index 4 of 'x' is outside 5 .. 7"},
      {"x[8]", 2, "index 8 of 'x' is outside 5 .. 7"},
      {"w[-1]", 2, "index -1 of 'w' is outside 0 .. 1"},
      {"x", 0, "'x' is an array of 3; an entry of it is wanted, such as x[5]"},
      {"x(5)", 1, "'x' is an array; its entries are written with [ ], x[5] for the first"},
      {"x[w[0]]", 2, "the index of 'x' must be an integer constant; it depends on 'w[0]'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    test_refusal(a->g, names, 2, &cases[i]);
  OK(cst_expr_parse(a->g, "x[5]", names, 2, NULL) == a->x[0] &&
         cst_expr_parse(a->g, "x[7]", names, 2, NULL) == a->x[2] &&
         cst_expr_parse(a->g, "w[0]", names, 2, NULL) == a->v[0],
     "entries by their numbers");
}

int main(void) {
  setting s = setting_create();
  test_values(&s);
  test_table(&s);
  test_refusals(&s);
  test_long_lists();
  arrays a;
  arrays_create(&a);
  test_sums(&a);
  test_array_refusals(&a);
  test_nameless(&a);
  test_shifted(&a);
  cst_graph_destroy(a.g);
  cst_graph_destroy(s.g);
  return tap_done();
}
