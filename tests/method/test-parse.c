/* test-parse.c: method expressions: labels, every mistake with its place and words, programs, adjoints, symmetry, what fits which system.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "tap.h"

static void test_label(const char *text, const char *label) {
  cst_expr_error e = {0};
  cst_method    *m = cst_method_parse(text, &e), *again;
  if (!OK(m && !strcmp(cst_method_label(m), label), "'%s' is labelled '%s'", text, label)) NOTE("%s", m ? cst_method_label(m) : e.message);
  again = m ? cst_method_parse(cst_method_label(m), &e) : NULL;
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
  test_label("compose(rattle, [1.351207191959657634, -1.7024143839193152681, 1.351207191959657634])",
             "compose(rattle, [1.3512071919596575, -1.7024143839193153, 1.3512071919596575])");
  test_label("compose(rattle, [0.1, 0.8, 0.1])", "compose(rattle, [0.1, 0.8, 0.1])");
  test_label("gauss( 2.0 )", "gauss(2)");
  test_label("gauss(+3)", "gauss(3)");
  test_label("project(gauss(2e0))", "project(gauss(2))");
  test_label("adjoint( adjoint(compose (euler-a, suzuki4)))", "adjoint(adjoint(compose(euler-a, suzuki4)))");
  for (int i = 0; i < cst_method_count(); i++) test_label(cst_method_info_at(i)->example, cst_method_info_at(i)->example);
}

static void test_mistake(const char *text, int offset, const char *words) {
  cst_expr_error e = {-1, ""};
  cst_method    *m = cst_method_parse(text, &e);
  if (!OK(!m && e.offset == offset && strstr(e.message, words), "'%s': at %d: %s", text, offset, words))
    NOTE("%s at %d: %s", m ? "accepted" : "refused", e.offset, e.message);
  cst_method_destroy(m);
}

static void test_depth(void) {
  char text[512] = "";
  int  depth = 0;
  for (; depth < 31; depth++) strcat(text, "adjoint(");
  strcat(text, "rattle");
  for (int i = 0; i < depth; i++) strcat(text, ")");
  cst_expr_error e = {-1, ""};
  cst_method    *m = cst_method_parse(text, &e);
  OK(m != NULL, "a method nested 32 deep is read");
  cst_method_destroy(m);
  memmove(text + 8, text, strlen(text) + 1);
  memcpy(text, "adjoint(", 8);
  strcat(text, ")");
  test_mistake(text, 256, "nested deeper than 32");
}

static void test_mistakes(void) {
  /* expression.c */
  test_mistake("", 0, "expected the name of a method");
  test_mistake("   ", 3, "expected the name of a method");
  test_mistake("*", 0, "expected the name of a method, not '*'");
  test_mistake("compose(", 8, "expected the name of a method");
  test_mistake("compose(rattle, )", 16, "expected the name of a method, not ')'");
  test_mistake("compose(rattle, [])", 17, "expected the name of a method, not ']'");
  test_mistake("gauss(+)", 6, "expected a number");
  test_mistake("gauss(-inf)", 6, "expected a number");
  test_mistake("gauss(1e999)", 6, "expected a number");
  test_mistake("gauss(0x2)", 6, "expected a number");
  test_mistake("gauss(.)", 6, "expected a number");
  test_mistake("rattle()", 7, "'rattle' needs an argument between its parentheses");
  test_mistake("rattle(  )", 9, "'rattle' needs an argument between its parentheses");
  test_mistake("compose(rattle yoshida4)", 15, "expected ',' or ')'");
  test_mistake("compose(rattle, yoshida4", 24, "expected ',' or ')'");
  test_mistake("compose(rattle, [0.5 0.5])", 21, "expected ',' or ']'");
  test_mistake("compose(rattle, [0.5, 0.5)", 25, "expected ',' or ']'");
  test_depth();
  test_mistake("rattle x", 7, "unexpected 'x' behind the method");
  test_mistake("adjoint(rattle))", 15, "unexpected ')' behind the method");
  test_mistake("3", 0, "expected a method");
  test_mistake(" [1, 2]", 1, "expected a method");
  test_mistake("adjoint(3)", 8, "expected a method");
  test_mistake("ratle", 0, "unknown method 'ratle'");
  test_mistake("ratle", 0, "did you mean 'rattle'?");
  test_mistake("adjoint(eulr-a)", 8, "did you mean 'euler-a'?");
  test_mistake("qqqqqqqqqq", 0, "`constella list methods` names them all");
  test_mistake("yoshida4", 0, "unknown method 'yoshida4'");
  test_mistake("rattle(3)", 0, "'rattle' takes no arguments");
  test_mistake("adjoint(rk4(h=1))", 8, "'rk4' takes no arguments");
  /* compose.c */
  test_mistake("compose(rattle, scheme=yoshida4)", 23, "compose takes no 'scheme='");
  test_mistake("compose(method = rattle, yoshida4)", 17, "compose takes no 'method='");
  test_mistake("compose", 0, "compose takes a method and a scheme, or several methods");
  test_mistake(" compose(rattle)", 1, "compose takes a method and a scheme, or several methods");
  test_mistake("compose(rattle, midpoint, yoshida4)", 26, "a scheme such as yoshida4 goes with exactly one method");
  test_mistake("compose(rattle, suzuki4, midpoint)", 16, "a scheme such as suzuki4 goes with exactly one method");
  test_mistake("compose(rattle, yoshida5)", 16, "unknown scheme or method 'yoshida5'; did you mean 'yoshida4'?");
  test_mistake("compose(rattle, midpiont)", 16, "did you mean 'midpoint'?");
  test_mistake("compose(yoshida4, rattle)", 8, "unknown method 'yoshida4'");
  test_mistake("compose(ratle, yoshida4)", 8, "unknown method 'ratle'");
  test_mistake("compose([1], yoshida4)", 8, "expected a method");
  test_mistake("compose(rattle, midpoint, [1])", 26, "expected a method");
  test_mistake("compose(rattle, 2)", 16, "expected a method");
  test_mistake("compose(rattle, gauss(0))", 22, "an integer from 1 to 8");
  test_mistake("compose(rattle, [rattle])", 17, "a list of gammas holds numbers");
  test_mistake("compose(rattle, [0.5, 0.25])", 16, "the gammas of a composition must sum to 1, these to 0.75");
  test_mistake("compose(rattle, [0.25, 0.5, 0.125, 0.125])", 17, "must read the same from both ends");
  test_mistake("compose(rattle, [0.25, 0.125, 0.375, 0.25])", 23, "must read the same from both ends");
  test_mistake("compose(shake, yoshida4)", 8, "a scheme needs a symmetric base or one with an adjoint, and 'shake' has none");
  test_mistake("compose(project(heun), [1])", 8, "and 'project' has none");
  test_mistake("compose(compose(shake, rattle), yoshida4)", 8, "and 'compose' has none");
  /* adjoint.c */
  test_mistake("adjoint", 0, "adjoint takes one argument, a method");
  test_mistake("adjoint(euler-a, euler-b)", 0, "adjoint takes one argument, a method");
  test_mistake("adjoint(method=euler-a)", 0, "adjoint takes one argument, a method");
  test_mistake("adjoint(shake)", 8, "'shake' has no adjoint");
  test_mistake("adjoint(project(rk4))", 8, "'project' has no adjoint");
  test_mistake("adjoint(compose(rattle, shake))", 8, "'compose' has no adjoint");
  /* project.c */
  test_mistake("project", 0, "project takes one argument, a layer");
  test_mistake("project(rk4, heun)", 0, "project takes one argument, a layer");
  test_mistake("project(layer=rk4)", 0, "project takes one argument, a layer");
  test_mistake("project(rattle)", 8, "'rattle' is not a layer; project takes a one-step layer");
  test_mistake("project(adjoint(heun))", 8, "'adjoint' is not a layer");
  test_mistake("project(rk44)", 8, "did you mean 'rk4'?");
  /* gauss.c */
  test_mistake("gauss", 0, "gauss takes one argument, the number of stages");
  test_mistake("gauss(1, 2)", 0, "gauss takes one argument, the number of stages");
  test_mistake("gauss(s=2)", 0, "gauss takes one argument, the number of stages");
  test_mistake("gauss(0)", 6, "the number of stages of gauss is an integer from 1 to 8");
  test_mistake("gauss(9)", 6, "the number of stages of gauss is an integer from 1 to 8");
  test_mistake("gauss(1.5)", 6, "the number of stages of gauss is an integer from 1 to 8");
  test_mistake("gauss(rattle)", 6, "the number of stages of gauss is an integer from 1 to 8");
}

/* "k 0.5 0.5 0.5 t; ..." of a program: core, fraction, and for kicks the weights and whether tangent; for rk the stages. */
static void describe(const cst_program *p, char *text, size_t size) {
  static const char *const names[] = {"kick", "midpoint", "rk", "project"};
  size_t                   at = 0;
  *text = 0;
  for (int i = 0; i < p->n && at < size; i++) {
    const cst_instruction *s = &p->step[i];
    at += (size_t)snprintf(text + at, size - at, "%s%s %.6g", i ? "; " : "", names[s->core], s->fraction);
    if (s->core == CST_CORE_kick) at += (size_t)snprintf(text + at, size - at, " %g %g %d", s->w0, s->w1, s->tangent);
    if (s->core == CST_CORE_rk) at += (size_t)snprintf(text + at, size - at, " %d", s->tableau.stages);
  }
}

static cst_method *parse(const char *text) {
  cst_expr_error e = {0};
  cst_method    *m = cst_method_parse(text, &e);
  if (!m) fprintf(stderr, "%s: %s\n", text, e.message), abort();
  return m;
}

static cst_program *program(const char *text) {
  cst_method  *m = parse(text);
  cst_program *p = cst_program_create(m);
  cst_method_destroy(m);
  return p;
}

static void test_program(const char *text, const char *expected) {
  char         found[4096];
  cst_program *p = program(text);
  describe(p, found, sizeof found);
  if (!OK(!strcmp(found, expected), "%s: %s", text, expected)) NOTE("found %s", found);
  cst_program_destroy(p);
}

static void test_programs(void) {
  test_program("rattle", "kick 1 0.5 0.5 1");
  test_program("shake", "kick 1 0.5 0.5 0");
  test_program("euler-a", "kick 1 1 0 1");
  test_program("euler-b", "kick 1 0 1 1");
  test_program("midpoint", "midpoint 1");
  test_program("rk4", "rk 1 4");
  test_program("gauss(3)", "rk 1 3");
  test_program("project(heun)", "rk 1 2; project 1");
  test_program("adjoint(euler-a)", "kick 1 0 1 1");
  test_program("adjoint(adjoint(euler-a))", "kick 1 1 0 1");
  test_program("compose(euler-a, euler-b)", "kick 0.5 1 0 1; kick 0.5 0 1 1");
  test_program("adjoint(compose(euler-a, rattle))", "kick 0.5 0.5 0.5 1; kick 0.5 0 1 1");
  test_program("compose(rattle, midpoint)", "kick 0.5 0.5 0.5 1; midpoint 0.5");
  test_program("compose(rattle, midpoint, rattle, euler-a)", "kick 0.25 0.5 0.5 1; midpoint 0.25; kick 0.25 0.5 0.5 1; kick 0.25 1 0 1");
  test_program("compose(rattle, yoshida4)", "kick 1.35121 0.5 0.5 1; kick -1.70241 0.5 0.5 1; kick 1.35121 0.5 0.5 1");
  test_program("compose(rattle, [0.25, 0.5, 0.25])", "kick 0.25 0.5 0.5 1; kick 0.5 0.5 0.5 1; kick 0.25 0.5 0.5 1");
  test_program(
      "compose(euler-a, yoshida4)",
      "kick 0.675604 1 0 1; kick 0.675604 0 1 1; kick -0.851207 1 0 1; kick -0.851207 0 1 1; kick 0.675604 1 0 1; kick 0.675604 0 1 1");
  test_program("compose(compose(rattle, [1]), [0.25, 0.5, 0.25])", "kick 0.25 0.5 0.5 1; kick 0.5 0.5 0.5 1; kick 0.25 0.5 0.5 1");
  test_program("compose(compose(rattle, midpoint), euler-a)", "kick 0.25 0.5 0.5 1; midpoint 0.25; kick 0.5 1 0 1");
  test_program("compose(compose(euler-a, euler-b), [1])", "kick 0.5 1 0 1; kick 0.5 0 1 1");
  for (int i = 0; i < cst_scheme_count(); i++) { /* substeps are the gammas to the last bit, and make up the step */
    const cst_scheme *x = cst_scheme_at(i);
    char              text[64];
    double            worst = 0;
    snprintf(text, sizeof text, "compose(rattle, %s)", x->name);
    cst_program *p = program(text);
    for (int k = 0; k < p->n && k < x->stages; k++) worst = fmax(worst, fabs(p->step[k].fraction - x->gamma[k]));
    OK(p->n == x->stages && worst == 0, "%s: %d substeps, its gammas", text, x->stages);
    cst_program_destroy(p);
  }
}

/* Largest difference of fractions, weights and coefficients; INFINITY where the programs have another form. */
static double distance(const cst_program *x, const cst_program *y) {
  double worst = x->n == y->n ? 0 : INFINITY;
  for (int i = 0; i < x->n && worst < 1; i++) {
    const cst_instruction *a = &x->step[i], *b = &y->step[i];
    if (a->core != b->core || a->tangent != b->tangent || a->tableau.stages != b->tableau.stages) return INFINITY;
    worst = fmax(worst, fmax(fabs(a->fraction - b->fraction), fmax(fabs(a->w0 - b->w0), fabs(a->w1 - b->w1))));
    for (int k = 0; k < a->tableau.stages * a->tableau.stages; k++) worst = fmax(worst, fabs(a->tableau.a[k] - b->tableau.a[k]));
    for (int k = 0; k < a->tableau.stages; k++) worst = fmax(worst, fabs(a->tableau.b[k] - b->tableau.b[k]));
  }
  return worst;
}

static void test_pair(const char *method, const char *adjoint) {
  cst_program *x = program(method), *y = program(adjoint);
  bool         has = cst_program_adjoint(x, 0);
  OK(has && distance(x, y) < 1e-15, "the adjoint of %s is %s", method, adjoint);
  has = cst_program_adjoint(x, 0);
  cst_program *back = program(method);
  OK(has && distance(x, back) < 1e-15, "and its adjoint is %s again", method);
  cst_program_destroy(back);
  cst_program_destroy(x);
  cst_program_destroy(y);
}

static void test_symmetric(const char *text, bool symmetric) {
  cst_program *p = program(text);
  OK(cst_program_symmetric(p) == symmetric, "%s: %s", text, symmetric ? "its own adjoint" : "not its own adjoint");
  cst_program_destroy(p);
}

static void test_adjoints(void) {
  static const char *const yes[] = {"rattle",
                                    "midpoint",
                                    "gauss(1)",
                                    "gauss(5)",
                                    "adjoint(rattle)",
                                    "adjoint(gauss(2))",
                                    "compose(euler-a, euler-b)",
                                    "compose(heun, adjoint(heun))",
                                    "compose(rattle, midpoint, rattle)",
                                    "compose(rattle, rattle)",
                                    "compose(rattle, yoshida4)",
                                    "compose(euler-a, kahan-li6)",
                                    "compose(euler-b, [0.25, 0.5, 0.25])",
                                    "compose(rk3, kahan-li8)",
                                    "compose(compose(euler-a, euler-b), suzuki4)"};
  static const char *const no[] = {"euler-a",
                                   "euler-b",
                                   "shake",
                                   "euler",
                                   "heun",
                                   "rk4",
                                   "rk6",
                                   "adjoint(heun)",
                                   "adjoint(euler-a)",
                                   "project(rk4)",
                                   "project(gauss(2))",
                                   "compose(rattle, midpoint)",
                                   "compose(euler-a, euler-a)",
                                   "compose(shake, shake)",
                                   "compose(rattle, gauss(2))",
                                   "compose(euler-a, heun, euler-b)"};
  test_pair("euler-a", "euler-b");
  test_pair("rattle", "rattle");
  test_pair("midpoint", "midpoint");
  test_pair("gauss(4)", "gauss(4)");
  test_pair("heun", "adjoint(heun)");
  test_pair("compose(euler-a, midpoint, rattle)", "compose(rattle, midpoint, euler-b)");
  test_pair("compose(euler-a, yoshida4)", "compose(euler-a, yoshida4)");
  test_pair("compose(euler-a, heun)", "compose(adjoint(heun), euler-b)");
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) test_symmetric(yes[i], true);
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) test_symmetric(no[i], false);
  cst_program *p = program("compose(rattle, yoshida4)");
  OK(cst_program_compensates(p), "kicks can carry compensated sums");
  p->step[0].fraction += 1e-9;
  OK(!cst_program_symmetric(p), "a perturbed fraction is not symmetric");
  cst_program_destroy(p);
  p = program("compose(rattle, midpoint)");
  OK(!cst_program_compensates(p), "midpoint cannot");
  cst_program_destroy(p);
  cst_expr_error e;
  OK(!cst_method_parse("adjoint(shake)", &e), "shake has none");
}

static void test_fits(const char *text, const char *system, const char *why) {
  char        found[200] = "";
  cst_method *m = parse(text);
  cst_system *s = cst_catalogue_create(system);
  bool        fits = cst_method_fits(m, s, found, sizeof found);
  if (!OK(why ? !fits && !strcmp(found, why) : fits, "%s %s %s%s%s", text, why ? "does not fit" : "fits", system, why ? ": " : "",
          why ? why : ""))
    NOTE("found: %s", found);
  cst_system_destroy(s);
  cst_method_destroy(m);
}

static void test_fitting(void) {
  const char *shake = "shake needs constraints and henon-heiles has none (rattle is the same there)",
             *project = "project needs constraints and henon-heiles has none";
  test_fits("shake", "henon-heiles", shake);
  test_fits("compose(shake, rattle)", "henon-heiles", shake);
  test_fits("compose(rattle, shake)", "henon-heiles", shake);
  test_fits("project(rk4)", "henon-heiles", project);
  test_fits("compose(rk4, project(rk4))", "henon-heiles", project);
  test_fits("adjoint(compose(rattle, midpoint))", "henon-heiles", NULL);
  test_fits("compose(euler-a, yoshida4)", "henon-heiles", NULL);
  test_fits("compose(shake, rattle)", "planar-pendulum", NULL);
  for (int i = 0; i < cst_method_count(); i++) test_fits(cst_method_info_at(i)->example, "rigid-body", NULL);
}

static void test_registry(void) {
  for (int i = 0; i < cst_method_count(); i++) {
    const cst_method_info *m = cst_method_info_at(i);
    OK(*m->name && *m->doc && *m->equations && *m->source && !strncmp(m->signature, m->name, strlen(m->name)) &&
           !strncmp(m->example, m->name, strlen(m->name)),
       "%s: the row is complete", m->name);
    OK(cst_method_row_find(m->name) == cst_method_row_at(i) && !cst_scheme_find(m->name), "%s: found by its name, which no scheme has",
       m->name);
  }
  OK(!cst_method_info_at(-1) && !cst_method_info_at(cst_method_count()) && !cst_method_row_find("no-such"), "NULL beyond the registry");
}

int main(void) {
  test_labels();
  test_mistakes();
  test_programs();
  test_adjoints();
  test_fitting();
  test_registry();
  return tap_done();
}
