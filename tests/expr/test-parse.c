/* test-parse.c: what parses and its value, to the bit; what does not, with the place and the words of the message. */
/* SPDX-License-Identifier: BSD-2-Clause */
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
               {"x^y", cst_pow(X, Y)},
               {"2^x", cst_pow(2, X)},
               {"1^x", 1},
               {"x^0.3", cst_pow(X, 0.3)},
               {"2^0.3", cst_pow(2, 0.3)},
               {"sqrt(x)", sqrt(X)},
               {"sin ( x )", cst_sin(X)},
               {"cos(x)", cst_cos(X)},
               {"tan(x)", cst_tan(X)},
               {"exp(x)", cst_exp(X)},
               {"log(x)", cst_log(X)},
               {"atan2(y, -x)", cst_atan2(Y, -X)},
               {"sin(1)", cst_sin(1)},
               {"exp(1) + x", cst_exp(1) + X},
               {"((((x))))", X},
               {"x*0", 0},
               {"0/x", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cst_node n = parse(s, cases[i].text);
    const double   value = n < 0 ? NAN : evaluate_one(s, n, &here);
    if (!OK(n >= 0 && same_bits(value, cases[i].value), "value of %s", cases[i].text[0] == ' ' ? "a number between blanks" : cases[i].text))
      NOTE("%.17g, not %.17g", value, cases[i].value);
  }
}

#define FUNCTIONS "sqrt, sin, cos, tan, exp, log, atan2"
#define ALL       "x, y, z, x', y', z', a, b, t, pi, " FUNCTIONS
#define OPERAND   "expected a number, a name or '('"
#define MALFORMED "malformed number; expected digits with at most one '.' and an exponent such as e-3"
#define NAN_VALUE "the value of this operation is not a finite number (nan)"
#define INF_VALUE "the value of this operation is not a finite number (inf)"
#define LARGE     "the number is too large; at most 1.7976931348623157e308"

static void test_errors(const setting *s) {
  static const struct {
    const char *text;
    int         offset;
    const char *message;
  } cases[] = {{"", 0, "empty expression; " OPERAND},
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
               {"x = 1", 2, "expected an operator or the end; found '='"},
               {"(x + 1", 6, "missing ')'"},
               {"sin(x", 5, "missing ')'"},
               {"atan2(x", 7, "missing ')'"},
               {"sin(", 4, OPERAND},
               {"(x y)", 3, "expected an operator or ')'; found 'y'"},
               {"(x, y)", 2, "expected an operator or ')'; found ','"},
               {"sin(x y)", 6, "expected an operator or ')'; found 'y'"},
               {"atan2(x y)", 8, "expected an operator or ')'; found 'y'"},
               {"x + 1)", 5, "')' without '('"},
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
               {"1 + sine(x)", 4, "unknown function 'sine'; allowed: " FUNCTIONS "; did you mean 'sin'?"},
               {"x(2)", 0, "unknown function 'x'; allowed: " FUNCTIONS},
               {"system(x)", 0, "unknown function 'system'; allowed: " FUNCTIONS},
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
               {"(-2)^0.3", 4, NAN_VALUE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cst_expr_error error = {-1, ""};
    const cst_node n = cst_expr_parse(s->g, cases[i].text, s->names, NAMES, &error);
    if (!OK(n == -1 && error.offset == cases[i].offset && !strcmp(error.message, cases[i].message), "'%.12s' at %d: %s",
            cases[i].text[0] == ' ' ? "blanks" : cases[i].text, cases[i].offset, cases[i].message))
      NOTE("%d at %d: %s", n, error.offset, error.message);
  }
}

/* Names without end leave room for the guess. */
static void test_long_lists(void) {
  enum { MANY = 300 };
  static char        text[MANY][24];
  static cst_binding names[MANY];
  cst_graph         *g = cst_graph_create();
  for (int i = 0; i < MANY; i++) {
    snprintf(text[i], sizeof text[i], "coordinate_%d", i);
    names[i] = (cst_binding){text[i], cst_graph_input(g, 'q', i)};
  }
  cst_expr_error error;
  OK(cst_expr_parse(g, "1 + coordinate_299*2", names, MANY, &error) >= 0, "one of %d names", MANY);
  OK(cst_expr_parse(g, "1 + cordinate_299*2", names, MANY, &error) < 0 && error.offset == 4, "a misspelt one is refused");
  OK(strstr(error.message, "unknown name 'cordinate_299'; allowed: coordinate_0, ") && strstr(error.message, ", ...; did you mean '"),
     "the list is cut, the guess is not");
  char longest[500];
  memset(longest, 'k', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  OK(cst_expr_parse(g, longest, names, MANY, &error) < 0 && strstr(error.message, "kkk...'; allowed: ") &&
         strlen(error.message) < sizeof error.message - 1,
     "a very long name is cut");
  OK(cst_expr_parse(g, "x", NULL, 0, &error) < 0 && !strcmp(error.message, "unknown name 'x'; allowed: pi, " FUNCTIONS), "no names at all");
  OK(cst_expr_parse(g, "x +", NULL, 0, NULL) < 0, "nobody wants the message");
  cst_graph_destroy(g);
}

int main(void) {
  setting s = setting_create();
  test_values(&s);
  test_errors(&s);
  test_long_lists();
  cst_graph_destroy(s.g);
  return tap_done();
}
