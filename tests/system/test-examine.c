/* test-examine.c: the examination finds nothing wrong with the catalogue, and finds every possible mistake in
 * a description or a kernel. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "system/examine/examine.h"
#include "tap.h"

/* The lines of a good description. */
enum {
  COORDINATES,
  PARAMETERS,
  MASS,
  GYROSCOPIC,
  POTENTIAL,
  CONSTRAINTS,
  SYMMETRIES,
  STATES,
  LINES
};
static const char *const good[LINES] = {
    "coordinates: [x, y, z]",
    "parameters: {m: 1.5, g: 2, R: 1, B: 0.7, k: 0.5}",
    "mass: [m, m, m]",
    "",
    "potential: m*g*z",
    "constraints: {sphere: x^2 + y^2 + z^2 - R^2}",
    "symmetries: {rotation-z: [-y, x, 0]}",
    "states: {default: {q: [0.6, 0, -0.8], v: [0, 0.5, 0]}}",
};

static cst_system *read_text(const char *text, const cst_size *size, int nsize) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), size, nsize, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  return s;
}

/* The good description with some lines replaced: pairs of a line number and its text, up to line LINES. */
typedef struct {
  int         line;
  const char *text;
} change;

static cst_system *read_with(const change *changes) {
  const char *line[LINES];
  char       *text = NULL;
  size_t      n = 0;
  FILE       *f = open_memstream(&text, &n);
  memcpy(line, good, sizeof line);
  for (; changes->text; changes++)
    line[changes->line] = changes->text;
  fprintf(f, "system: bead\n");
  for (int i = 0; i < LINES; i++)
    fprintf(f, "%s\n", line[i]);
  fclose(f);
  cst_system *s = read_text(text, NULL, 0);
  free(text);
  return s;
}
#define WITH(...) read_with((change[]){__VA_ARGS__, {0, NULL}})

static const cst_finding *find(const cst_examination *x, cst_severity severity, const char *words) {
  for (int i = 0; i < x->n; i++)
    if (x->at[i].severity == severity && strstr(x->at[i].text, words))
      return &x->at[i];
  return NULL;
}

static void print(const cst_examination *x) {
  for (int i = 0; i < x->n; i++)
    if (x->at[i].severity != CST_FACT)
      NOTE("%s: %s", x->at[i].topic, x->at[i].text);
}

static cst_examination *examined(cst_system *s, const char *parameter, double value) {
  double c[CST_MAX_PAR];
  bool   given[CST_MAX_PAR] = {false};
  for (int i = 0; i < s->npar; i++)
    if (parameter && !strcmp(s->parameter[i].name, parameter)) {
      given[i] = true;
      c[i] = value;
    }
  cst_system_defaults(s, given, c);
  return cst_examine(s, c);
}

/* Examines and destroys s; expects one finding of this severity and topic with these words, and no other
 * fault. */
static void expect(cst_system *s, const char *title, cst_severity severity, const char *topic,
                   const char *words) {
  if (!OK(s != NULL, "%s: is read", title))
    return;
  cst_examination   *x = examined(s, NULL, 0);
  const cst_finding *f = find(x, severity, words);
  if (!OK(f && !strcmp(f->topic, topic) && x->faults == (severity == CST_FAULT), "%s: %s", title,
          words))
    print(x);
  cst_examine_destroy(x);
  cst_system_destroy(s);
}

static void expect_good(cst_system *s, const char *title) {
  if (!OK(s != NULL, "%s: is read", title))
    return;
  cst_examination *x = examined(s, NULL, 0);
  bool             remarks = false;
  for (int i = 0; i < x->n; i++)
    remarks |= x->at[i].severity != CST_FACT;
  if (!OK(!x->faults && !remarks && x->n > 4, "%s: all is well", title))
    print(x);
  cst_examine_destroy(x);
  cst_system_destroy(s);
}

static void test_catalogue(void) {
  for (int i = 0; i < cst_catalogue_size(); i++) {
    cst_system      *s = cst_catalogue_create(cst_catalogue_name(i));
    cst_examination *x = examined(s, NULL, 0);
    int              exact = 0, motions = 0, symmetries = 0;
    for (int k = 0; k < s->nstate; k++)
      exact += cst_system_has_exact(s, k);
    for (int k = 0; k < x->n; k++) {
      motions += x->at[k].severity == CST_FACT && !strncmp(x->at[k].topic, "exact motion ", 13);
      symmetries += x->at[k].severity == CST_FACT && !strncmp(x->at[k].topic, "symmetry ", 9);
    }
    if (!OK(!x->faults, "%s: is as it says", s->name))
      print(x);
    OK(motions == exact && symmetries == s->nsym,
       "%s: its %d exact motions and %d symmetries were looked at", s->name, exact, s->nsym);
    OK(find(x, CST_FACT, "have the interpreter's bits") && find(x, CST_FACT, "complex step"),
       "%s: its derivatives and compiled kernels too", s->name);
    cst_examine_destroy(x);
    cst_system_destroy(s);
  }
}

#define ROTATION    "symmetry rotation-z"
#define B_SYMMETRIC "gyroscopic: [-B*y/2, B*x/2, 0]"
#define B_OTHER     "gyroscopic: [-B*y, 0, 0]"

static void test_symmetries(void) {
  expect_good(WITH({MASS, good[MASS]}), "a bead on a sphere");
  expect(WITH({POTENTIAL, "potential: m*g*x"}), "a potential that is not symmetric", CST_FAULT,
         ROTATION, "V changes along it: ");
  expect(WITH({MASS, "mass: [m, 2*m, m]"}), "a mass that is not", CST_FAULT, ROTATION,
         "the mass matrix changes along it: ");
  expect(WITH({MASS, "mass: [[m + x^2/3, 0, 0], [0, m, 0], [0, 0, m]]"}),
         "a mass of the coordinates that is not", CST_FAULT, ROTATION,
         "the mass matrix changes along it: ");
  expect_good(WITH({MASS, "mass: [[m + x^2, x*y, 0], [x*y, m + y^2, 0], [0, 0, m]]"}),
              "one that is");
  expect(WITH({CONSTRAINTS, "constraints: {sphere: x^2 + 2*y^2 + z^2 - R^2}"}),
         "a surface that is not", CST_FAULT, ROTATION, "the constraint sphere changes along it: ");
  expect(WITH({CONSTRAINTS, ""}, {SYMMETRIES, "symmetries: {rotation-z: [-y, 2*x, 0]}"}),
         "a generator off by a factor", CST_FAULT, ROTATION, "the mass matrix changes along it");
  expect(WITH({POTENTIAL, "potential: m*g*z + x*(x^2 + y^2 + z^2 - R^2)"}),
         "symmetric on the surface only", CST_NOTE, ROTATION,
         "V changes along it, but only off the constraints");
  expect(WITH({SYMMETRIES, "symmetries: {rotation-z: [0, 0, 0*x]}"}), "a generator that vanishes",
         CST_NOTE, ROTATION, "its momentum is always zero");
}

static void test_gauges(void) {
  expect_good(WITH({GYROSCOPIC, B_SYMMETRIC}), "a field in symmetric gauge");
  expect(WITH({GYROSCOPIC, B_OTHER}), "a field in another gauge", CST_FAULT, ROTATION,
         "by a gradient: declare its gauge F");
  expect_good(WITH({GYROSCOPIC, B_OTHER},
                   {SYMMETRIES,
                    "symmetries: {rotation-z: {generator: [-y, x, 0], gauge: B/2*(y^2 - x^2)}}"}),
              "its gauge declared");
  expect(WITH({GYROSCOPIC, B_OTHER},
              {SYMMETRIES,
               "symmetries: {rotation-z: {generator: [-y, x, 0], gauge: B/2*(x^2 - y^2)}}"}),
         "a wrong gauge", CST_FAULT, ROTATION,
         "does not change along it by the gradient of its gauge: ");
  expect(WITH({GYROSCOPIC, "gyroscopic: [0, B*x^2, 0]"}), "a field that is not symmetric",
         CST_FAULT, ROTATION, "the change of a(q) along it is not a gradient: ");
}

#define MOTION "exact motion default"
#define FREE                                                                                       \
  { POTENTIAL, "potential: 0*x" }
#define MOVING(start, q, v, lambda)                                                                \
  { STATES, "states: {default: {" start ", exact: {q: " q ", v: " v ", lambda: " lambda "}}}" }
#define AT "q: [R, 0, 0], v: [0, R, 0]"
#define Q  "[R*cos(t), R*sin(t), 0]"
#define V  "[-R*sin(t), R*cos(t), 0]"

static void test_motions(void) {
  expect_good(WITH(FREE, MOVING(AT, Q, V, "[m/2]")), "an exact motion");
  expect(WITH(MOVING(AT, Q, V, "[m/2]")), "one of another force", CST_FAULT, MOTION,
         "M A = f - G'lambda does not hold at t = 0");
  expect(WITH(FREE, MOVING(AT, Q, V, "[-m/2]")), "multipliers of the other sign", CST_FAULT, MOTION,
         "lambda has the wrong sign");
  expect(WITH(FREE, MOVING(AT, Q, V, "[m*(1 + t)/2]")), "multipliers that drift", CST_FAULT, MOTION,
         "lambda is wrong at t = 0.137: sphere is");
  expect(WITH(FREE, MOVING(AT, Q, "[-(1 + t^2)*R*sin(t), (1 + t^2)*R*cos(t), 0]", "[m/2]")),
         "velocities that are no rates", CST_FAULT, MOTION, "v is not dq/dt at t = 0.137");
  expect(WITH(FREE,
              MOVING(AT, "[R*cos(t), R*sin(t), R*t^4]", "[-R*sin(t), R*cos(t), 4*R*t^3]", "[m/2]")),
         "a motion off the surface", CST_FAULT, MOTION, "q leaves the constraints at t = 0.137");
  expect(WITH(FREE, MOVING("q: [-R, 0, 0], v: [0, R, 0]", Q, V, "[m/2]")),
         "a motion from elsewhere", CST_FAULT, MOTION, "q at t = 0 differs from the state");
  expect(WITH(FREE, MOVING("q: [R, 0, 0], v: [0, R/2, 0]", Q, V, "[m/2]")),
         "a motion that starts faster", CST_FAULT, MOTION, "v at t = 0 differs from the state");
}

static void test_states(void) {
#define STATE(q, v) {STATES, "states: {default: {q: " q ", v: " v "}}"}
  expect(WITH(STATE("[0.61, 0, -0.8]", "[0, 0.5, 0]")), "a state off the surface", CST_FAULT,
         "state default", "q does not satisfy the constraints");
  expect(WITH(STATE("[0.6, 0, -0.8]", "[0.5, 0, 0]")), "a velocity off it", CST_FAULT,
         "state default", "v does not satisfy Gv = 0");
  expect(WITH({CONSTRAINTS,
               "constraints: {sphere: x^2 + y^2 + z^2 - 4, cylinder: (x - 1)^2 + y^2 - 1}"},
              {SYMMETRIES, ""}, STATE("[2, 0, 0]", "[0, 1, 1]")),
         "the crossing of a figure of eight", CST_FAULT, "state default", "lose rank");
  const char *const vanishing[] = {"x^2 + y^2", "(x - 0.5*z)^2 + y^2", "y^2", "x^3"};
  for (int i = 0; i < 4; i++) {
    char text[64];
    snprintf(text, sizeof text, "constraints: {point: %s}", vanishing[i]);
    expect(WITH({CONSTRAINTS, text}, {SYMMETRIES, ""}, STATE("[0, 0, 0]", "[0, 0, 1]")),
           "a gradient that vanishes where the constraint holds", CST_FAULT, "state default",
           "lose rank");
  }
  cst_system      *s = WITH({MASS, "mass: [[m, k, 0], [k, m, 0], [0, 0, m]]"}, {SYMMETRIES, ""});
  cst_examination *x = examined(s, "k", 1.5);
  OK(x->faults && find(x, CST_FAULT, "the mass is not positive definite"),
     "a mass that is singular for some parameters");
  cst_examine_destroy(x);
  x = examined(s, NULL, 0);
  OK(!x->faults && find(x, CST_FACT, "M has eigenvalues from 1 to 2"), "and is not for others");
  cst_examine_destroy(x);
  cst_system_destroy(s);
}

static void test_domain(void) {
  cst_system *s = WITH({POTENTIAL, "potential: sqrt(z - 3)"}, {SYMMETRIES, ""});
  if (!s)
    return;
  cst_examination *x = examined(s, NULL, 0);
  OK(find(x, CST_FAULT, "energy") && find(x, CST_FAULT, "not finite near it"),
     "a potential that is not defined at the state");
  cst_examine_destroy(x);
  cst_system_destroy(s);
}

/* A catalogue's description with some text inserted before other text. */
static cst_system *read_altered(const char *name, const char *before, const char *more) {
  const char *text = cst_catalogue_text(name), *at = strstr(text, before);
  char       *altered = NULL;
  if (asprintf(&altered, "%.*s%s%s", (int)(at - text), text, more, at) < 0)
    abort();
  cst_system *s = read_text(altered, NULL, 0);
  free(altered);
  return s;
}

static void test_redundant(void) {
  expect(read_altered("rigid-body", "  c22:",
                      "  c21: r12*r11 + r22*r21 + r32*r31\n  c31: r13*r11 + r23*r21 + r33*r31\n"),
         "more equations of R'R = 1 than there are", CST_NOTE, "state default",
         "redundant, here and nearby: c21, c31;");
  expect(WITH({CONSTRAINTS, "constraints: {sphere: 1e300*(x^2 + y^2 + z^2 - 4)}"}, {SYMMETRIES, ""},
              STATE("[2, 0, 0]", "[0, 1, 0]")),
         "a gradient whose square overflows", CST_FACT, "state default", "rank of Dg 1 of 1");
}

/* True if a finding about a kernel contains its name. */

static bool named(const cst_examination *x, const char *kernel) {
  for (int i = 0; i < x->n; i++) {
    const char *at = x->at[i].severity == CST_FAULT ? strstr(x->at[i].text, kernel) : NULL;
    if (at && strchr(" ", at[strlen(kernel)]))
      return true;
    if (x->at[i].severity == CST_FAULT && !strcmp(kernel, "mass") &&
        strstr(x->at[i].text, "masses"))
      return true;
  }
  return false;
}

/* Exchanges the first two entries that differ, or changes the sign of a single one. Returns false if there is
 * nothing to change. */
static bool spoil(cst_system *s, cst_kernel_id k) {
  cst_node *out = s->model->kernel_out[k];
  for (int i = 1; i < s->model->kernel_size[k]; i++) {
    if (out[i] == out[0])
      continue;
    const cst_node x = out[i];
    out[i] = out[0];
    out[0] = x;
    return true;
  }
  if (!s->model->kernel_size[k] || cst_graph_is_zero(s->model->graph, out[0]))
    return false;
  for (int i = 0; i < s->model->kernel_size[k]; i++)
    out[i] = cst_graph_neg(s->model->graph, out[i]);
  return true;
}

static void test_kernels(const char *name) {
  int spoilt = 0;
  for (int k = 0; k < CST_K_COUNT; k++) {
    cst_system *s = read_text(cst_catalogue_text(name), NULL, 0);
    if (spoil(s, (cst_kernel_id)k)) {
      cst_examination *x = examined(s, NULL, 0);
      spoilt++;
      if (!OK(named(x, cst_system_kernel_names[k]), "%s: a wrong kernel %s is found", name,
              cst_system_kernel_names[k]))
        print(x);
      cst_examine_destroy(x);
    }
    cst_system_destroy(s);
  }
  OK(spoilt >= 9, "%s: %d kernels were wrong", name, spoilt);
}

/* The kernels of a system with a stiff part. */
static void test_stiff_kernels(void) {
  static const char text[] =
      "system: stiff\ncoordinates: [x, y, z]\nmass: [1, 2, 1]\npotential: x*y*z + "
      "cos(x - z)\nstiff: 50*(x^2 + y^2 - 1)^2\n"
      "states: {default: {q: [0.6, 0.8, 0.1], v: [0.5, 0.1, 0]}}\n";
  static const cst_kernel_id kernels[] = {CST_K_d2S, CST_K_dVS, CST_K_dVH, CST_K_D3V};
  for (int k = 0; k < 4; k++) {
    cst_system *s = read_text(text, NULL, 0);
    OK(spoil(s, kernels[k]), "there is a kernel %s", cst_system_kernel_names[kernels[k]]);
    cst_examination *x = examined(s, NULL, 0);
    if (!OK(named(x, cst_system_kernel_names[kernels[k]]), "stiff: a wrong kernel %s is found",
            cst_system_kernel_names[kernels[k]]))
      print(x);
    cst_examine_destroy(x);
    cst_system_destroy(s);
  }
}

static void test_compiled(void) {
  cst_system *s = cst_catalogue_create("spherical-pendulum");
  const char *reason;
  const int   isa = cst_isa_choose(&reason);
  s->code->kernel[isa][CST_K_dV] = s->code->kernel[isa][CST_K_G];
  expect(s, "compiled kernels of another function", CST_FAULT, "compiled",
         "differs from the interpreter");
}

/* A line with a force, a potential and a length e, at the velocity 3. */
static cst_system *line(const char *potential, const char *force, const char *e) {
  char text[1000];
  snprintf(text, sizeof text,
           "system: line\ncoordinates: [x]\nparameters: {e: %s}\nmass: [1]\npotential: \"%s\"\n"
           "forces: {f: [\"%s\"]}\nstates: {default: {q: [1], v: [3]}}\n",
           e, potential, force);
  return read_text(text, NULL, 0);
}

/* Derivatives whose terms cancel are right to their rounding, however large that is; a factor of 1 + 1e-6 is not. */
static void test_cancelling(void) {
  static const char *const e[] = {"0.1", "0.01", "1e-3", "1e-5"};
  static const char *const by_tanh = "-(exp(x'/e) - exp(-x'/e))/(exp(x'/e) + exp(-x'/e))";
  for (int i = 0; i < 4; i++) {
    char title[100];
    snprintf(title, sizeof title, "Coulomb's friction by sqrt, e = %s", e[i]);
    expect_good(line("0", "-x'/sqrt(x'^2 + e^2)", e[i]), title);
    snprintf(title, sizeof title, "a softened absolute value, e = %s", e[i]);
    expect_good(line("sqrt(x^2 + e^2)", "-x'", e[i]), title);
  }
  expect_good(line("0", by_tanh, "0.1"), "friction by tanh");
  expect_good(line("0", by_tanh, "1"), "friction by tanh with a wide bend");
  expect_good(line("50*(x - 0.0981)^2 + 9.81*x", "-x'", "1"), "a hanging mass");
  for (int i = 0; i < 2; i++) {
    cst_system *s =
        i ? line("0", by_tanh, "1") : line("sqrt(x^2 + e^2)", "-x'/sqrt(x'^2 + e^2)", "0.1");
    cst_node      *out = s->model->kernel_out[CST_K_Fv];
    const cst_node one = cst_graph_constant(s->model->graph, 1 + 1e-6);
    out[0] = cst_graph_mul(s->model->graph, out[0], one);
    cst_examination *x = examined(s, NULL, 0);
    OK(named(x, "Fv"), "one that is off by 1e-6 of itself is found");
    cst_examine_destroy(x);
    cst_system_destroy(s);
  }
}

static void test_large(void) {
  const cst_size size = {"n", 1000};
  cst_system    *s = read_text(cst_catalogue_text("pendulum-chain"), &size, 1);
  const clock_t  before = clock();
  expect_good(s, "a chain of a thousand");
  const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  OK(seconds < 5, "a chain of a thousand is examined in %.2f s", seconds);
}

int main(void) {
  test_catalogue();
  test_symmetries();
  test_gauges();
  test_motions();
  test_states();
  test_domain();
  test_redundant();
  test_kernels("charged-pendulum");
  test_kernels("tethered-satellites");
  test_kernels("four-bar");
  test_kernels("henon-heiles");
  test_kernels("dna-chain");
  test_stiff_kernels();
  test_compiled();
  test_cancelling();
  test_large();
  cst_examine_destroy(NULL);
  return tap_done();
}
