/* test-parse.c: method expressions: labels, every mistake with its place and message, the registry. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "tap.h"

static void test_label(const char *text, const char *label) {
  cst_expr_error e = {0};
  cst_method    *m = cst_method_parse(text, NULL, &e), *again;
  if (!OK(m && !strcmp(cst_method_label(m), label), "'%s' is labelled '%s'", text, label))
    NOTE("%s", m ? cst_method_label(m) : e.message);
  again = m ? cst_method_parse(cst_method_label(m), NULL, &e) : NULL;
  OK(again && !strcmp(cst_method_label(again), label), "'%s': the label is its own label", label);
  cst_method_destroy(again);
  cst_method_destroy(m);
}

static void test_labels(void) {
  test_label("rattle", "rattle");
  test_label("  \trattle \t", "rattle");
  test_label("compose( rattle ,yoshida4 )", "compose(rattle, yoshida4)");
  test_label("compose(rattle,midpoint,\teuler-a)", "compose(rattle, midpoint, euler-a)");
  test_label("compose(rattle,[5e-1,0.50])", "compose(rattle, [0.5, 0.5])");
  test_label("compose(rattle, [ +.25, 0.500000 ,25e-2 ])", "compose(rattle, [0.25, 0.5, 0.25])");
  test_label(
      "compose(rattle, [1.351207191959657634, -1.7024143839193152681, 1.351207191959657634])",
      "compose(rattle, [1.3512071919596575, -1.7024143839193153, 1.3512071919596575])");
  test_label("compose(rattle, [0.1, 0.8, 0.1])", "compose(rattle, [0.1, 0.8, 0.1])");
  test_label("gauss( 2.0 )", "gauss(2)");
  test_label("gauss(+3)", "gauss(3)");
  test_label("project(gauss(2e0))", "project(gauss(2))");
  test_label("adjoint( adjoint(compose (euler-a, suzuki4)))",
             "adjoint(adjoint(compose(euler-a, suzuki4)))");
  test_label("gauss(10)", "gauss(10)");
  test_label("{a:[[0,0],[ 1/2,0 ]] ,b:[0 , 1]}", "{a: [[0, 0], [1/2, 0]], b: [0, 1]}");
  test_label("{ c: [0.50], b: [1], a: [[ .5 ]] }", "{a: [[0.5]], b: [1], c: [0.5]}");
  test_label("{a: [[1/4, 1/4 - sqrt( 3 )/6], [1/4 + sqrt(3)/6, 1/4]], b: [1/2, 5e-1]}",
             "{a: [[1/4, 1/4-sqrt(3)/6], [1/4+sqrt(3)/6, 1/4]], b: [1/2, 0.5]}");
  test_label("{a: [[atan2(0, 1)]], b: [-(-1)]}", "{a: [[atan2(0,1)]], b: [-(-1)]}");
  test_label("project( {a: [[-0]], b: [10/10]})", "project({a: [[-0]], b: [10/10]})");
  test_label("compose({a: [[1/2]], b: [1]},yoshida4)", "compose({a: [[1/2]], b: [1]}, yoshida4)");
  for (int i = 0; i < cst_method_count(); i++)
    test_label(cst_method_info_at(i)->example, cst_method_info_at(i)->example);
}

/* A text that is rejected, the place of the error, and words of the message. */
typedef struct {
  const char *text;
  int         offset;
  const char *words;
} mistake;

static const mistake mistakes[] = {
    /* expression.c */
    {"", 0, "expected the name of a method"},
    {"   ", 3, "expected the name of a method"},
    {"*", 0, "expected the name of a method, not '*'"},
    {"compose(", 8, "expected the name of a method"},
    {"compose(rattle, )", 16, "expected the name of a method, not ')'"},
    {"compose(rattle, [])", 17, "expected the name of a method, not ']'"},
    {"gauss(+)", 6, "expected a number"},
    {"gauss(-inf)", 6, "expected a number"},
    {"gauss(1e999)", 6, "expected a number"},
    {"gauss(0x2)", 6, "expected a number"},
    {"gauss(.)", 6, "expected a number"},
    {"rattle()", 7, "'rattle' needs an argument between its parentheses"},
    {"rattle(  )", 9, "'rattle' needs an argument between its parentheses"},
    {"compose(rattle yoshida4)", 15, "expected ',' or ')'"},
    {"compose(rattle, yoshida4", 24, "expected ',' or ')'"},
    {"compose(rattle, [0.5 0.5])", 21, "expected ',' or ']'"},
    {"compose(rattle, [0.5, 0.5)", 25, "expected ',' or ']'"},
    {"rattle x", 7, "unexpected 'x' after the method"},
    {"adjoint(rattle))", 15, "unexpected ')' after the method"},
    {"3", 0, "expected a method"},
    {" [1, 2]", 1, "expected a method"},
    {"adjoint(3)", 8, "expected a method"},
    {"ratle", 0, "unknown method 'ratle'"},
    {"ratle", 0, "did you mean 'rattle'?"},
    {"adjoint(eulr-a)", 8, "did you mean 'euler-a'?"},
    {"qqqqqqqqqq", 0, "`constella list methods` names them all"},
    {"yoshida4", 0, "unknown method 'yoshida4'"},
    {"rattle(3)", 7, "the arguments of rattle must be named: form"},
    {"rattle(fom=null-space)", 11, "rattle takes no 'fom='; it takes form; did you mean 'form'?"},
    {"rattle(form=nullspace)", 12, "form of rattle is multipliers or null-space"},
    {"rattle(form=2)", 12, "form of rattle is multipliers or null-space"},
    {"rattle(form=null-space, form=null-space)", 29, "'form=' appears twice"},
    {"lie-rattle(retraction=quaternion)", 22, "'retraction' is cayley, exp, a name under"},
    {"lie-rattle(retraction={tangent: 1})", 32, "must be 1/2 at s = 0; it is 1"},
    {"discretization(retraction={tangent: 1/2})", 26, "this retraction is of rotations"},
    {"discretization(map={point: q + v})", 19, "a retraction is no map"},
    {"discretization(retraction={point: q + 2*v})", 34, "must be 1 at v = 0; it is 2"},
    {"convert(rk4, iota=none)", 18, "iota of convert is euclidean, mass, a name under"},
    {"convert(rk4, iota={fibre: q + 1 + theta})", 26, "a fibre must be q at theta = 0"},
    {"convert(rk4, iota={fibre: q + phi})", 30, "unknown name 'phi'"},
    {"convert(rk4, iota={fibre: q, point: q})", 27, "a fibre is {fibre: EXPRESSION}"},
    {"convert(rk4, iota={left: q, right: q + v})", 18, "this is no fibre"},
    {"discretization(map={fibre: q + theta})", 19, "map is a name under"},
    {"convert(project(rattle))", 16, "'rattle' is not a layer"},
    {"convert(project(rk4), iota=mass)", 27, "project(LAYER) projects along Dg'"},
    {"lie-rattle(exp)", 11, "the arguments of lie-rattle must be named: retraction"},
    {"lie-euler-a(retract=exp)", 20,
     "lie-euler-a takes no 'retract='; it takes retraction or group; did you mean 'retraction'?"},
    {"discretization", 0, "discretization takes theta=, a number from 0 to 1"},
    {"discretization(theta=1.5)", 21,
     "theta, the position of the force in the step, is a number from 0 to 1"},
    {"discretization(theta=rattle)", 21,
     "theta, the position of the force in the step, is a number from 0 to 1"},
    {"discretization(0.5)", 15,
     "the arguments of discretization must be named: theta, form, map or retraction"},
    {"adjoint(rk4(h=1))", 8, "'rk4' takes no arguments"},
    /* compose.c */
    {"compose(rattle, scheme=yoshida4)", 23, "compose takes no 'scheme='"},
    {"compose(method = rattle, yoshida4)", 17, "compose takes no 'method='"},
    {"compose", 0, "compose takes a method and a scheme, or several methods"},
    {" compose(rattle)", 1, "compose takes a method and a scheme, or several methods"},
    {"compose(rattle, midpoint, yoshida4)", 26,
     "a scheme such as yoshida4 goes with exactly one method"},
    {"compose(rattle, suzuki4, midpoint)", 16,
     "a scheme such as suzuki4 goes with exactly one method"},
    {"compose(rattle, yoshida5)", 16,
     "unknown scheme or method 'yoshida5'; did you mean 'yoshida4'?"},
    {"compose(rattle, midpiont)", 16, "did you mean 'midpoint'?"},
    {"compose(yoshida4, rattle)", 8, "unknown method 'yoshida4'"},
    {"compose(ratle, yoshida4)", 8, "unknown method 'ratle'"},
    {"compose([1], yoshida4)", 8, "expected a method"},
    {"compose(rattle, midpoint, [1])", 26, "expected a method"},
    {"compose(rattle, 2)", 16, "expected a method"},
    {"compose(rattle, gauss(0))", 22, "an integer from 1 to 16"},
    {"compose(rattle, [rattle])", 17, "a list of gammas must hold numbers"},
    {"compose(rattle, [0.5, 0.25])", 16,
     "the gammas of a composition must sum to 1; the sum is 0.75"},
    {"compose(rattle, [0.25, 0.5, 0.125, 0.125])", 17, "must be palindromic"},
    {"compose(rattle, [0.25, 0.125, 0.375, 0.25])", 23, "must be palindromic"},
    {"compose(shake, yoshida4)", 8,
     "a scheme needs a symmetric base or one with an adjoint, and 'shake' has none"},
    {"compose(project(heun), [1])", 8, "and 'project' has none"},
    {"compose(compose(shake, rattle), yoshida4)", 8, "and 'compose' has none"},
    {"compose(compose(compose(rattle, kahan-li8), kahan-li8), kahan-li6)", 0,
     "nested compositions make more than 1024 substeps"},
    /* adjoint.c */
    {"adjoint", 0, "adjoint takes one argument, a method"},
    {"adjoint(euler-a, euler-b)", 0, "adjoint takes one argument, a method"},
    {"adjoint(method=euler-a)", 0, "adjoint takes one argument, a method"},
    {"adjoint(shake)", 8, "'shake' has no adjoint"},
    {"adjoint(project(rk4))", 8, "'project' has no adjoint"},
    {"adjoint(compose(rattle, shake))", 8, "'compose' has no adjoint"},
    /* project.c */
    {"project", 0, "project takes one argument, a layer"},
    {"project(rk4, heun)", 0, "project takes one argument, a layer"},
    {"project(layer=rk4)", 0, "project takes one argument, a layer"},
    {"project(rattle)", 8, "'rattle' is not a layer; project takes a one-step layer"},
    {"project(adjoint(rattle))", 8, "'adjoint' is not a layer"},
    {"project(compose(heun, rattle))", 8, "'compose' is not a layer"},
    {"project(compose(heun, kahan-li8))", 8, "adjoint of tableaus with at most 32 stages"},
    {"project(project(heun))", 8, "'project' is not a layer"},
    {"project(rk44)", 8, "did you mean 'rk4'?"},
    /* convert.c */
    {"convert", 0, "convert takes one layer, or both minus= and plus="},
    {"convert(bias=-0.5)", 0, "convert takes one layer, or both minus= and plus="},
    {"convert(minus=rk4)", 0, "convert takes one layer, or both minus= and plus="},
    {"convert(rk4, plus=rk4)", 0, "convert takes one layer, or both minus= and plus="},
    {"convert(rk4, heun)", 13, "convert takes one layer, or minus= and plus="},
    {"convert(rk4, bias=0, bias=0)", 26, "'bias=' appears twice"},
    {"convert(rk4, alpha=-0.5)", 19, "convert takes no 'alpha='"},
    {"convert(rk4, bias=0.5)", 18, "the bias of convert is a number from -1 to 0"},
    {"convert(rk4, bias=-1.5)", 18, "the bias of convert is a number from -1 to 0"},
    {"convert(rk4, bias=heun)", 18, "the bias of convert is a number from -1 to 0"},
    {"convert(rattle)", 8, "'rattle' is not a layer; convert takes a one-step layer"},
    {"convert(minus=heun, plus=adjoint(euler-a))", 25, "'adjoint' is not a layer"},
    {"convert(rk44)", 8, "did you mean 'rk4'?"},
    /* gauss.c */
    {"gauss", 0, "gauss takes one argument, the number of stages"},
    {"gauss(1, 2)", 0, "gauss takes one argument, the number of stages"},
    {"gauss(s=2)", 0, "gauss takes one argument, the number of stages"},
    {"gauss(0)", 6, "the number of stages of gauss is an integer from 1 to 16"},
    {"gauss(17)", 6, "the number of stages of gauss is an integer from 1 to 16"},
    {"gauss(1.5)", 6, "the number of stages of gauss is an integer from 1 to 16"},
    {"gauss(rattle)", 6, "the number of stages of gauss is an integer from 1 to 16"},
    /* taylor.c */
    {"taylor", 0, "taylor takes one argument, the degree: taylor(4)"},
    {"taylor()", 7, "'taylor' needs an argument between its parentheses"},
    {"taylor(3, 4)", 0, "taylor takes one argument, the degree: taylor(4)"},
    {"taylor(p=4)", 0, "taylor takes one argument, the degree: taylor(4)"},
    {"taylor(0)", 7, "the degree of taylor is an integer from 1 to 12"},
    {"taylor(13)", 7, "the degree of taylor is an integer from 1 to 12"},
    {"taylor(2.5)", 7, "the degree of taylor is an integer from 1 to 12"},
    {"taylor(-3)", 7, "the degree of taylor is an integer from 1 to 12"},
    {"taylor(rattle)", 7, "the degree of taylor is an integer from 1 to 12"},
    {"adjoint(taylor(4))", 8,
     "'taylor' has no adjoint: it is given by formulas, or is not a bijection of the constrained "
     "phase "
     "space"},
    {"compose(taylor(2), yoshida4)", 8, "and 'taylor' has none"},
    /* tableau.c */
    {"{", 1, "expected a, b or c"},
    {"{}", 1, "expected a, b or c"},
    {"{ 1: [[0]]}", 5, "a tableau has no '1'"},
    {"{ =: [[0]]}", 2, "expected a, b or c"},
    {"{a", 2, "expected ':' after 'a'"},
    {"{a=[[0]], b: [1]}", 2, "expected ':' after 'a'"},
    {"{a:", 3, "expected a number"},
    {"{a: [", 5, "expected a number"},
    {"{a: []", 5, "expected a number"},
    {"{a: [[0]", 8, "expected ',' or ']'"},
    {"{a: [[0]]", 9, "expected ',' or '}'"},
    {"{a: [[0]], }", 11, "expected a, b or c"},
    {"{a: [[0 0]], b: [1]}", 8, "expected an operator or the end"},
    {"{a: [[rattle]], b: [1]}", 6, "unknown name 'rattle'"},
    {"{a: [[1/0]], b: [1]}", 7, "division by zero"},
    {"{a: [[(1, 2)]], b: [1]}", 8, "expected an operator or ')'"},
    {"{a: [[sum(i, 1, 100000, 1)]], b: [1]}", 6, "the sums of a tableau are too long"},
    {"{a: [[0]], b: [1]} x", 19, "unexpected 'x' after the method"},
    {"{a: [[0]]}", 0, "the tableau has no 'b'"},
    {"{b: [1], c: [0]}", 0, "the tableau has no 'a'"},
    {"{a: [[0]], b: [1], d: [0]}", 22, "a tableau has no 'd'; allowed: a, b, c"},
    {"{a: [[0]], b: [1], ab: [0]}", 23, "a tableau has no 'ab'"},
    {"{a: [[0]], b: [1], b: [1]}", 22, "'b' appears twice"},
    {"{a: 0, b: [1]}", 4, "'a' is a list of rows"},
    {"{a: [0], b: [1]}", 5, "a row of 'a' is a list of numbers"},
    {"{a: [[[0]]], b: [1]}", 6, "a row of 'a' is a list of numbers, not a list of lists"},
    {"{a: [[0, 0], [1/2]], b: [0, 1]}", 13, "a row of 'a' has 1 number; 'a' has 2 rows"},
    {"{a: [[0, 0]], b: [0, 1]}", 5, "a row of 'a' has 2 numbers; 'a' has 1 row"},
    {"{a: [[0]], b: 1}", 14, "'b' is a list of numbers"},
    {"{a: [[0]], b: [1/2, 1/2]}", 14, "'b' has 2 numbers; 'a' has 1 row"},
    {"{a: [[0]], b: [1], c: [0, 1]}", 22, "'c' has 2 numbers; 'a' has 1 row"},
    {"{a: [[0, 0], [1/2, 0]], b: [0, 1], c: [0, 0.4]}", 42,
     "row 2 of 'a' sums to 0.5, and its c is 0.4"},
    {"{a: [[0, 0], [1/2, 0]], b: [0, 1], c: [0, 1/2 + 2e-13]}", 42,
     "they must be equal, or leave c out"},
    {"{a: [[0, 0], [1/2, 0]], b: [0, 0.9]}", 27,
     "'b' sums to 0.90000000000000002; it must sum to 1"},
    {"{a: [[1e308, 1e308], [0, 0]], b: [0, 1], c: [0, 0]}", 45, "row 1 of 'a' sums to inf"},
    {"hbvm", 0, "1 <= s <= k <= 64: hbvm(k=6, s=2)"},
    {"hbvm(6, 2)", 0, "hbvm takes two whole numbers"},
    {"hbvm(k=6)", 0, "hbvm takes two whole numbers"},
    {"hbvm(k=6, k=2)", 0, "hbvm takes two whole numbers"},
    {"hbvm(k=6, s=2, r=1)", 0, "hbvm takes two whole numbers"},
    {"hbvm(k=65, s=2)", 7, "the number of nodes k is an integer from 1 to 64"},
    {"hbvm(k=0, s=2)", 7, "from 1 to 64"},
    {"hbvm(k=rk4, s=2)", 7, "from 1 to 64"},
    {"hbvm(k=6, s=7)", 12, "the degree s is an integer from 1 to k, here 6"},
    {"hbvm(k=6, s=1.5)", 12, "from 1 to k"},
    {"hbvm(k=6, s=0)", 12, "from 1 to k"},
    {"convert(hbvm(k=2, s=2))", 8, "'hbvm' is not a layer"},
    {"project(hbvm(k=2, s=2))", 8, "'hbvm' is not a layer"},
    {"hbvn(k=6, s=2)", 0, "did you mean 'hbvm'?"},
    {"tableau", 0, "a tableau is written {a: "},
    {"tableau(rk4)", 0, "a tableau is written {a: "},
    {"compose(rattle, {a: [[0]], b: [2]})", 30, "'b' sums to 2"},
    {"{a: 0, b: 0, c: 0, d: 0, e: 0}", 24, "a tableau has only a, b and c"},
};

static void test_mistake(const mistake *x) {
  cst_expr_error e = {.offset = -1};
  cst_method    *m = cst_method_parse(x->text, NULL, &e);
  if (!OK(!m && e.offset == x->offset && strstr(e.message, x->words), "'%s': at %d: %s", x->text,
          x->offset, x->words))
    NOTE("%s at %d: %s", m ? "accepted" : "refused", e.offset, e.message);
  cst_method_destroy(m);
}

static void test_depth(void) {
  char text[512] = "";
  int  depth = 0;
  for (; depth < 31; depth++)
    strcat(text, "adjoint(");
  strcat(text, "rattle");
  for (int i = 0; i < depth; i++)
    strcat(text, ")");
  cst_expr_error e = {.offset = -1};
  cst_method    *m = cst_method_parse(text, NULL, &e);
  OK(m != NULL, "a method nested 32 deep is read");
  cst_method_destroy(m);
  memmove(text + 8, text, strlen(text) + 1);
  memcpy(text, "adjoint(", 8);
  strcat(text, ")");
  test_mistake(&(mistake){text, 256, "nested deeper than 32"});
}

/* n copies of `what`, separated by commas. */
static void repeat(char *text, const char *what, int n) {
  for (int i = 0; i < n; i++)
    strcat(strcat(text, i ? ", " : ""), what);
}

/* 33 rows of 33 zeros; the 33rd row exceeds the maximum. */
static void test_size(void) {
  char text[8192] = "{a: [[", *end = text + strlen(text);
  repeat(text, "0", 33);
  strcat(text, "]], b: [1]}");
  test_mistake(&(mistake){text, (int)(end - text) + 32 * 3 - 1, "a tableau has at most 32 stages"});
}

static void test_mistakes(void) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    test_mistake(&mistakes[i]);
  test_depth();
  test_size();
}

static void test_registry(void) {
  for (int i = 0; i < cst_method_count(); i++) {
    const cst_method_info *m = cst_method_info_at(i);
    const char            *begins = strcmp(m->name, "tableau") ? m->name : "{a:";
    OK(*m->name && *m->doc && *m->equations && *m->source &&
           !strncmp(m->signature, begins, strlen(begins)) &&
           !strncmp(m->example, begins, strlen(begins)),
       "%s: the row is complete", m->name);
    OK(&cst_method_row_find(m->name)->info == m && !cst_scheme_find(m->name),
       "%s: found by its name, which no scheme has", m->name);
  }
  OK(!cst_method_info_at(-1) && !cst_method_info_at(cst_method_count()) &&
         !cst_method_row_find("no-such"),
     "NULL beyond the registry");
}

int main(void) {
  test_labels();
  test_mistakes();
  test_registry();
  return tap_done();
}
