/* test-program.c: the programs of method expressions, adjoints, symmetry, layers, users' layers; and which
 * methods fit which systems. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/lane-form.h"
#include "method/joints.h"
#include "method/method.h"
#include "tap.h"

/* Parameters as in the files of src/method/core. */
typedef struct {
  double w0, w1;
  int    tangent;
} kick;
typedef struct {
  double      bias;
  cst_layer   layer[2];
  bool        of_w, by_mass;
  const void *iota;
} conversion;
typedef struct {
  int k, s;
} line;

static bool is(const cst_substep *s, const char *kind, size_t data) {
  if (strcmp(s->row->name, kind))
    return false;
  if (s->row->data != data) {
    fprintf(stderr, "the parameters of %s are others\n", kind);
    abort();
  }
  return true;
}

/* Writes "kick 0.5 0.5 0.5 1; ..." for a program: the kind and the fraction of each substep. Kicks also have
 * the weights and whether they are tangent, rk the stages or the formulas. */
static void describe(const cst_program *p, char *text, size_t size) {
  size_t at = 0;
  *text = 0;
  for (int i = 0; i < p->n && at < size; i++) {
    const cst_substep *s = &p->step[i];
    const void        *data = s->data;
    at += (size_t)snprintf(text + at, size - at, "%s%s %.6g", i ? "; " : "", s->row->name,
                           s->fraction);
    if (is(s, "kick", sizeof(kick))) {
      const kick *x = data;
      at += (size_t)snprintf(text + at, size - at, " %g %g %d", x->w0, x->w1, x->tangent);
    } else if (is(s, "convert", sizeof(conversion))) {
      const conversion *x = data;
      at += (size_t)snprintf(text + at, size - at, " %d %d %.6g", x->layer[0].tableau.stages,
                             x->layer[1].tableau.stages, x->bias);
    } else if (is(s, "hbvm", sizeof(line))) {
      const line *x = data;
      at += (size_t)snprintf(text + at, size - at, " %d %d", x->k, x->s);
    } else if (s->row->layer) {
      const cst_layer *x = s->row->layer(data);
      at += x->rule ? (size_t)snprintf(text + at, size - at, " %s", x->rule->name)
                    : (size_t)snprintf(text + at, size - at, " %d", x->tableau.stages);
    }
  }
}

static cst_method *parse_with(const char *text, const cst_layers *own) {
  cst_expr_error e = {0};
  cst_method    *m = cst_method_parse(text, own, &e);
  if (!m) {
    fprintf(stderr, "%s: %s\n", text, e.message);
    abort();
  }
  return m;
}

static cst_method *parse(const char *text) { return parse_with(text, NULL); }

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
  if (!OK(!strcmp(found, expected), "%s: %s", text, expected))
    NOTE("found %s", found);
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
  test_program("project(adjoint(heun))", "rk 1 2; project 1");
  test_program("convert(rk4)", "convert 1 4 4 0");
  test_program("convert(minus=adjoint(heun), plus=rk3, bias=-0.25)", "convert 1 2 3 -0.25");
  test_program("adjoint(convert(minus=heun, plus=rk3, bias=-0.25))", "convert 1 3 2 -0.75");
  test_program("compose(convert(rk3, bias=-0.25), [1])",
               "convert 0.5 3 3 -0.25; convert 0.5 3 3 -0.75");
  test_program("hbvm(s=2, k=6)", "hbvm 1 6 2");
  test_program("adjoint(compose(hbvm(k=3, s=1), rattle))", "kick 0.5 0.5 0.5 1; hbvm 0.5 3 1");
  test_program("compose(hbvm(k=2, s=2), [0.25, 0.5, 0.25])",
               "hbvm 0.25 2 2; hbvm 0.5 2 2; hbvm 0.25 2 2");
  test_program("project(taylor(4))", "rk 1 taylor(4); project 1");
  test_program("compose(taylor(12), heun)", "rk 0.5 taylor(12); rk 0.5 2");
  test_program("adjoint(euler-a)", "kick 1 0 1 1");
  test_program("adjoint(adjoint(euler-a))", "kick 1 1 0 1");
  test_program("compose(euler-a, euler-b)", "kick 0.5 1 0 1; kick 0.5 0 1 1");
  test_program("adjoint(compose(euler-a, rattle))", "kick 0.5 0.5 0.5 1; kick 0.5 0 1 1");
  test_program("compose(rattle, midpoint)", "kick 0.5 0.5 0.5 1; midpoint 0.5");
  test_program("compose(rattle, midpoint, rattle, euler-a)",
               "kick 0.25 0.5 0.5 1; midpoint 0.25; kick 0.25 0.5 0.5 1; kick 0.25 1 0 1");
  test_program("compose(rattle, yoshida4)",
               "kick 1.35121 0.5 0.5 1; kick -1.70241 0.5 0.5 1; kick 1.35121 0.5 0.5 1");
  test_program("compose(rattle, [0.25, 0.5, 0.25])",
               "kick 0.25 0.5 0.5 1; kick 0.5 0.5 0.5 1; kick 0.25 0.5 0.5 1");
  test_program(
      "compose(euler-a, yoshida4)",
      "kick 0.675604 1 0 1; kick 0.675604 0 1 1; kick -0.851207 1 0 1; kick -0.851207 0 1 1; kick "
      "0.675604 1 0 1; kick 0.675604 0 1 1");
  test_program("compose(compose(rattle, [1]), [0.25, 0.5, 0.25])",
               "kick 0.25 0.5 0.5 1; kick 0.5 0.5 0.5 1; kick 0.25 0.5 0.5 1");
  test_program("compose(compose(rattle, midpoint), euler-a)",
               "kick 0.25 0.5 0.5 1; midpoint 0.25; kick 0.5 1 0 1");
  test_program("compose(compose(euler-a, euler-b), [1])", "kick 0.5 1 0 1; kick 0.5 0 1 1");
  /* the fractions of the substeps are the gammas to the last bit and sum to the step */
  for (int i = 0; i < cst_scheme_count(); i++) {
    const cst_scheme *x = cst_scheme_at(i);
    char              text[64];
    double            worst = 0;
    snprintf(text, sizeof text, "compose(rattle, %s)", x->name);
    cst_program *p = program(text);
    for (int k = 0; k < p->n && k < x->stages; k++)
      worst = fmax(worst, fabs(p->step[k].fraction - x->gamma[k]));
    OK(p->n == x->stages && worst == 0, "%s: %d substeps, its gammas", text, x->stages);
    cst_program_destroy(p);
  }
}

/* The largest difference of fractions; INFINITY if the programs have different forms or a substep has
 * different parameters. */
static double distance(const cst_program *x, const cst_program *y) {
  double worst = x->n == y->n ? 0 : INFINITY;
  for (int i = 0; i < x->n && worst < 1; i++) {
    const cst_substep *a = &x->step[i], *b = &y->step[i];
    if (a->row != b->row || !a->row->same(a->data, b->data))
      return INFINITY;
    worst = fmax(worst, fabs(a->fraction - b->fraction));
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
  OK(cst_program_symmetric(p) == symmetric, "%s: %s", text,
     symmetric ? "its own adjoint" : "not its own adjoint");
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
                                    "compose(compose(euler-a, euler-b), suzuki4)",
                                    "convert(rk3, bias=-0.5)",
                                    "convert(minus=heun, plus=heun, bias=-0.5)",
                                    "compose(convert(heun), suzuki4)"};
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
                                   "compose(euler-a, heun, euler-b)",
                                   "convert(rk4)",
                                   "convert(rk4, bias=-0.499)",
                                   "convert(minus=adjoint(heun), plus=heun, bias=-0.5)",
                                   "taylor(2)",
                                   "compose(taylor(2), taylor(2))",
                                   "compose(hbvm(k=3, s=1), hbvm(k=2, s=1))"};
  test_pair("euler-a", "euler-b");
  test_pair("rattle", "rattle");
  test_pair("midpoint", "midpoint");
  test_pair("gauss(4)", "gauss(4)");
  test_pair("heun", "adjoint(heun)");
  test_pair("compose(euler-a, midpoint, rattle)", "compose(rattle, midpoint, euler-b)");
  test_pair("compose(euler-a, yoshida4)", "compose(euler-a, yoshida4)");
  test_pair("compose(euler-a, heun)", "compose(adjoint(heun), euler-b)");
  test_pair("convert(rk4)", "convert(rk4, bias=-1)");
  test_pair("convert(minus=heun, plus=adjoint(rk3), bias=-0.25)",
            "convert(minus=adjoint(rk3), plus=heun, bias=-0.75)");
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    test_symmetric(yes[i], true);
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    test_symmetric(no[i], false);
  cst_program *p = program("compose(rattle, yoshida4)");
  OK(cst_program_compensates(p), "kicks can carry compensated sums");
  p->step[0].fraction += 1e-9;
  OK(!cst_program_symmetric(p), "a perturbed fraction is not symmetric");
  cst_program_destroy(p);
  p = program("compose(rattle, midpoint)");
  OK(!cst_program_compensates(p), "midpoint cannot");
  cst_program_destroy(p);
  cst_expr_error e;
  OK(!cst_method_parse("adjoint(shake)", NULL, &e), "shake has none");
}

/* SHAKE followed by a part that removes its remainder normal to g = 0 is RATTLE. */
static void test_shake_within(void) {
  static const struct {
    const char *text;
    int         order_p;
    unsigned    claims;
  } known[] = {
      {"shake", 1, 0},
      {"compose(shake, rattle)", 2, CST_CLAIM_SYMMETRIC | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"compose(shake, midpoint)", 2, CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"compose(shake, euler-a)", 1, CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"compose(shake, shake, rattle)", 2,
       CST_CLAIM_SYMMETRIC | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"compose(rattle, shake)", 1, 0},
      {"compose(shake, shake)", 1, 0},
      {"compose(shake, gauss(2))", 1, 0},
      {"compose(shake, hbvm(k=2, s=1))", 1, 0}};
  const unsigned asked = CST_CLAIM_SYMMETRIC | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED;
  cst_system    *s = cst_catalogue_create("spherical-pendulum");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    cst_method          *m = parse(known[i].text);
    const cst_properties p = cst_method_properties(m, s);
    OK(p.order_p == known[i].order_p && (p.claims & asked) == known[i].claims,
       "%s: p of order %d, and the claims", known[i].text, p.order_p);
    cst_method_destroy(m);
  }
  cst_system_destroy(s);
}

static cst_layer layer_of(const char *text) {
  cst_layer   l = {0};
  cst_method *m = parse(text);
  if (!OK(cst_term_layer(cst_method_root(m), &l), "%s is a layer", text))
    abort();
  cst_method_destroy(m);
  return l;
}

/* A layer's order, symmetry and whether it keeps dp ^ dq, computed algebraically and from the method's
 * properties on a system without constraints. */
static void test_layer(const char *text, int stages, int order, bool symmetric, bool symplectic) {
  const cst_layer      l = layer_of(text);
  const cst_tableau   *t = &l.tableau;
  cst_method          *m = parse(text);
  cst_system          *s = cst_catalogue_create("henon-heiles");
  const cst_properties p = cst_method_properties(m, s);
  OK(t->stages == stages && cst_tableau_order(t) == order && p.order_q == order &&
         p.order_p == order,
     "%s: %d stages, order %d", text, stages, order);
  OK((cst_tableau_symmetry_defect(t) < 1e-13) == symmetric &&
         !!(p.claims & CST_CLAIM_SYMMETRIC) == symmetric,
     "%s: %ssymmetric", text, symmetric ? "" : "not ");
  OK((cst_tableau_symplectic_defect(t) < 1e-13) == symplectic &&
         !!(p.claims & CST_CLAIM_SYMPLECTIC) == symplectic,
     "%s: %ssymplectic", text, symplectic ? "" : "not ");
  cst_system_destroy(s);
  cst_method_destroy(m);
}

static void test_same_layer(const char *one, const char *other) {
  const cst_layer x = layer_of(one), y = layer_of(other);
  OK(cst_program_same_layer(&x, &y), "%s is %s", one, other);
}

static void test_layers(void) {
  test_layer("rk8", 11, 8, false, false);
  test_layer("gauss(16)", 16, 32, true, true);
  test_layer("adjoint(heun)", 2, 2, false, false);
  test_layer("adjoint(gauss(3))", 3, 6, true, true);
  test_layer("compose(heun, rk3)", 5, 2, false, false);
  test_layer("compose(rk3, adjoint(rk3))", 6, 4, true, false);
  test_layer("compose(euler, yoshida4)", 6, 4, true, false);
  test_layer("compose(gauss(1), suzuki4)", 5, 4, true, true);
  test_layer("compose(gauss(1), kahan-li8)", 17, 8, true, true);
  test_layer("compose(gauss(2), gauss(2))", 4, 4, true, true);
  test_layer("compose(compose(gauss(1), yoshida4), heun)", 5, 2, false, false);
  test_layer("compose(gauss(1), [0.78451361047755726, 0.23557321335935813, -1.177679984178871, "
             "1.3151863206839112, -1.177679984178871, 0.23557321335935813, 0.78451361047755726])",
             7, 6, true, true);
  test_layer("{a: [[0, 0], [2/3, 0]], b: [1/4, 3/4]}", 2, 2, false, false);
  test_layer("{a: [[1/4, 1/4 - sqrt(3)/6], [1/4 + sqrt(3)/6, 1/4]], b: [1/2, 1/2]}", 2, 4, true,
             true);
  test_layer("{a: [[1]], b: [1]}", 1, 1, false, false);
  test_layer("{a: [[5/12, -1/12], [3/4, 1/4]], b: [3/4, 1/4], c: [1/3, 1]}", 2, 3, false, false);
  test_same_layer("{a: [[0, 0], [1, 0]], b: [1/2, 1/2]}", "heun");
  test_same_layer("adjoint({a: [[0]], b: [1]})", "{a: [[1]], b: [1]}");
  test_same_layer("adjoint(adjoint(rk8))", "rk8");
  test_same_layer("compose(gauss(1), gauss(1))", "compose(gauss(1), [0.5, 0.5])");
}

/* Every kind of substep that some method uses has all required functions and is equal to itself. */
static void test_rows(void) {
  for (int i = 0; i < cst_method_count(); i++) {
    const char  *example = cst_method_info_at(i)->example;
    cst_program *p = program(example);
    bool         whole = true;
    for (int k = 0; k < p->n; k++) {
      const cst_substep_row *row = p->step[k].row;
      whole &= row->name && row->same && row->size && row->data <= sizeof p->step[k].data;
      whole = whole && row->same(p->step[k].data, p->step[k].data);
      for (int isa = 0; isa < cst_isa_count; isa++)
        if (cst_lane_form(isa, "newmark")) /* a row with all lane code */
          whole &= cst_substep_generic(row, isa) != NULL;
    }
    OK(whole, "%s: its substeps have a name, a size, an equality and arithmetic", example);
    cst_program_destroy(p);
  }
}

/* Nested compositions take no time that depends on the depth alone. */
static void test_nesting(void) {
  char text[1024] = "";
  for (int i = 0; i < 30; i++)
    strcat(text, "compose(");
  strcat(text, "heun");
  for (int i = 0; i < 30; i++)
    strcat(text, ", [1])");
  cst_program *p = program(text);
  OK(p->n == 2, "a composition nested 30 deep: heun and its adjoint (%d)", p->n);
  cst_program_destroy(p);
}

static void test_own_mistake(const cst_layers *own, const char *text, int offset,
                             const char *words) {
  cst_expr_error e = {.offset = -1};
  cst_method    *m = cst_method_parse(text, own, &e);
  if (!OK(!m && e.offset == offset && strstr(e.message, words),
          "'%s' beside layers of one's own: %s", text, words))
    NOTE("%s", e.message);
  cst_method_destroy(m);
}

static void test_refused_name(const cst_layers *own, const char *name, const char *words) {
  char why[200] = "";
  OK(!cst_layers_allow(own, name, why, sizeof why) && strstr(why, words), "a layer '%.12s': %s",
     name, words);
}

static void test_own(void) {
  cst_layers    *own = cst_layers_create();
  cst_expr_error e;
  char           why[200];
  OK(cst_layers_allow(own, "ralston-2_b", why, sizeof why) &&
         cst_layers_add_tableau(own, "ralston-2_b", "{a: [[0, 0], [2/3, 0]], b: [1/4, 3/4]}", &e),
     "a layer of one's own");
  OK(!cst_layers_add_tableau(own, "other", "{a: [[0]], b: [2]}", &e) && e.offset == 14,
     "a wrong tableau is none");
  OK(!cst_layers_add_tableau(own, "other", "heun", &e) && strstr(e.message, "expected {a: "),
     "nor is a method");
  cst_method *plain = parse_with("ralston-2_b", own),
             *inside = parse_with("project(compose(ralston-2_b,heun))", own),
             *schemed = parse_with("compose(heun, ralston-2_b)", own);
  test_own_mistake(own, "ralston-2-b", 0, "did you mean 'ralston-2_b'?");
  test_own_mistake(own, "compose(heun, ralston_2b)", 14,
                   "unknown scheme or method 'ralston_2b'; did you mean 'ralston-2_b'?");
  test_own_mistake(own, "ralston-2_b(2)", 0, "'ralston-2_b' takes no arguments");
  test_own_mistake(NULL, "ralston-2_b", 0, "unknown method 'ralston-2_b'");
  test_refused_name(own, "ralston-2_b", "is taken by another layer");
  test_refused_name(own, "rattle", "is taken by a method");
  test_refused_name(own, "tableau", "is taken by a method");
  test_refused_name(own, "yoshida4", "is taken by a scheme");
  test_refused_name(own, "2nd", "cannot name a layer, scheme or map; allowed: a letter");
  test_refused_name(own, "a b", "cannot name a layer");
  test_refused_name(own, "", "cannot name a layer");
  test_refused_name(own, "a123456789a123456789a123456789a123456789a123456789", "at most 48");
  cst_layers_destroy(own); /* methods hold it */
  cst_layer x = {0}, y = layer_of("{a: [[0, 0], [2/3, 0]], b: [1/4, 3/4]}");
  OK(cst_term_layer(cst_method_root(plain), &x) && cst_program_same_layer(&x, &y),
     "a named layer is its tableau");
  OK(!strcmp(cst_method_label(inside), "project(compose(ralston-2_b, heun))") &&
         !strcmp(cst_method_label(plain), "ralston-2_b"),
     "the label has its name");
  cst_method_destroy(plain);
  cst_method_destroy(inside);
  cst_method_destroy(schemed);
}

/* The test takes ownership of s. */
static void test_fits_on(const char *text, cst_system *s, const char *why) {
  char        found[200] = "";
  cst_method *m = parse(text);
  bool        fits = cst_method_fits(m, s, found, sizeof found);
  if (!OK(why ? !fits && !strcmp(found, why) : fits, "%s %s %s%s%s", text,
          why ? "does not fit" : "fits", s->name, why ? ": " : "", why ? why : ""))
    NOTE("found: %s", found);
  cst_system_destroy(s);
  cst_method_destroy(m);
}

/* A method is asked about a body that is flat for parameters of the caller; the system stays as it is. */
static void test_fits_flat(void) {
  char        why[300] = "";
  cst_system *s = cst_catalogue_create("two-tops");
  cst_method *in_coordinates = parse("rattle"), *on_the_group = parse("lie-rattle"),
             *noisy = parse("langevin(lie-rattle, friction=1, inverse-temperature=1)"),
             *by_mass = parse("langevin(lie-rattle, coefficient=1, inverse-temperature=1)");
  OK(!cst_method_fits_flat(in_coordinates, s, s->model->bodies, why, sizeof why) &&
         strstr(why, "rattle cannot step the flat body"),
     "rattle refuses a flat body: %s", why);
  OK(cst_method_fits_flat(on_the_group, s, s->model->bodies, why, sizeof why),
     "lie-rattle steps it");
  OK(cst_method_fits_flat(noisy, s, s->model->bodies, why, sizeof why),
     "with noise of one rate too: %s", why);
  OK(!cst_method_fits_flat(by_mass, s, s->model->bodies, why, sizeof why) &&
         strstr(why, "some of the flat body"),
     "but not with one by masses: %s", why);
  OK(cst_method_fits(in_coordinates, s, why, sizeof why) &&
         cst_method_fits(by_mass, s, why, sizeof why),
     "without it they step the same system");
  cst_method_destroy(in_coordinates);
  cst_method_destroy(on_the_group);
  cst_method_destroy(noisy);
  cst_method_destroy(by_mass);
  cst_system_destroy(s);
}

static void test_fits(const char *text, const char *system, const char *why) {
  test_fits_on(text, cst_catalogue_create(system), why);
}

/* A chain with this number of links. */
static void test_fits_chain(const char *text, int links, const char *why) {
  const char    *chain = cst_catalogue_text("pendulum-chain");
  const cst_size size = {"n", links};
  cst_diag      *d = cst_diag_create();
  test_fits_on(text, cst_system_read("chain", chain, strlen(chain), &size, 1, d), why);
  cst_diag_destroy(d);
}

/* The method can step some system of the catalogue. */
static void test_fits_some(const char *text) {
  const char *const *names = cst_catalogue_names();
  cst_method        *m = parse(text);
  const char        *found = NULL;
  for (int i = 0; names[i] && !found; i++) {
    cst_system *s = cst_catalogue_create(names[i]);
    char        why[400];
    if (cst_method_fits(m, s, why, sizeof why))
      found = names[i];
    cst_system_destroy(s);
  }
  OK(found != NULL, "%s fits %s", text, found ? found : "no system of the catalogue");
  cst_method_destroy(m);
}

static void test_fitting(void) {
  const char *shake =
                 "shake needs constraints and henon-heiles has none (there rattle is the same)",
             *project = "project needs constraints and henon-heiles has none";
  test_fits("taylor(12)", "rigid-body", NULL);
  test_fits(
      "compose(rk4, project(taylor(2)))", "pendulum-chain",
      "pendulum-chain has 40 coordinates and 20 constraints that couple as a band; formulas of its "
      "accelerations are for at most 40 of each, not banded");
  test_fits("shake", "henon-heiles", shake);
  test_fits("compose(shake, rattle)", "henon-heiles", shake);
  test_fits("compose(rattle, shake)", "henon-heiles", shake);
  test_fits("project(rk4)", "henon-heiles", project);
  test_fits("compose(rk4, project(rk4))", "henon-heiles", project);
  test_fits("adjoint(compose(rattle, midpoint))", "henon-heiles", NULL);
  test_fits("compose(euler-a, yoshida4)", "henon-heiles", NULL);
  test_fits("compose(shake, rattle)", "planar-pendulum", NULL);
  test_fits_chain("convert(heun)", 1000, NULL);
  test_fits_chain("convert(heun)", 1001,
                  "convert takes at most 2000 coordinates and constraints, and pendulum-chain has "
                  "2002 and 1001");
  test_fits("hbvm(k=64, s=30)", "tethered-satellites", NULL);
  test_fits("hbvm(k=64, s=40)", "underwater-vehicle",
            "hbvm solves for at most 600 unknowns at once, and underwater-vehicle has 966");
  test_fits_chain(
      "hbvm(k=2, s=2)", 21,
      "hbvm takes at most 40 coordinates and 40 constraints, and pendulum-chain has 42 and 21");
  for (int i = 0; i < cst_method_count(); i++)
    test_fits_some(cst_method_info_at(i)->example);
}

static const char ball_chain[] =
    "system: ball-chain\nparameters: {n: {size: 2}}\n"
    "bodies: {'link[n]': {rotation: L, centre: [x, y, z], mass: 1, inertia: [2, 2, 1]}}\n"
    "potential: sum(i, 1, n, z[i])\n"
    "constraints:\n"
    "  ball_x: {for: 'i = 2..n', expression: 'x[i] - L13[i] - x[i-1] - L13[i-1]'}\n"
    "  ball_y: {for: 'i = 2..n', expression: 'y[i] - L23[i] - y[i-1] - L23[i-1]'}\n"
    "  ball_z: {for: 'i = 2..n', expression: 'z[i] - L33[i] - z[i-1] - L33[i-1]'}\n"
    "states: {default: {bodies: {link: {centre: [0, 0, 2*i]}}}}\n";

/* In variations a chain of bodies has a band, so that a step takes as long as the chain is. */
static void test_joints(int bodies) {
  enum { EACH = 100 }; /* entries of the matrix for each body, at most */
  const cst_size size = {"n", bodies};
  cst_diag      *d = cst_diag_create();
  cst_system    *s = cst_system_read("ball-chain", ball_chain, strlen(ball_chain), &size, 1, d);
  cst_joints    *j = s ? cst_joints_create(s) : NULL;
  if (!s)
    cst_diag_print(d, stderr);
  OK(j && j->view.model->gram.banded && j->view.model->gram.size <= EACH * bodies,
     "constraints of a chain of %d bodies couple as a band, of %d entries", bodies,
     j ? j->view.model->gram.size : 0);
  cst_joints_destroy(j);
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

int main(void) {
  test_rows();
  test_nesting();
  test_layers();
  test_own();
  test_programs();
  test_fits_flat();
  test_adjoints();
  test_shake_within();
  test_fitting();
  test_joints(10);
  test_joints(14); /* 39 constraints, and 42 */
  test_joints(15);
  test_joints(100);
  return tap_done();
}
