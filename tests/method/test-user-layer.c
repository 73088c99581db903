/* test-user-layer.c: one-step methods that users write in C: the example compared with its tableau, the
 * cache, precompiled objects, and every mistake. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include "claims.h"
#include "constella/layer.h"
#include "core/document.h"
#include "method/method.h"
#include "method/texts/user-layer.h"
#include "system/compile/compile.h"
#include "system/field.h"

enum { N = CST_MAX_Q, STAGES = 4 };

static char scratch[] = "/tmp/constella-test-XXXXXX";

static const char *in_scratch(const char *name) {
  static char path[4][4096];
  static int  next;
  char       *p = path[next++ % 4];
  snprintf(p, 4096, "%s/%s", scratch, name);
  return p;
}

static const char *write_file(const char *name, const char *text) {
  const char *path = in_scratch(name);
  FILE       *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f))
    abort();
  return path;
}

/* Those of most tests. */
static cst_layers *layers;

/* The text of a file in l; NULL with why[n]. */
static const cst_text *open_in(cst_layers *l, const char *path, char *why, int n) {
  char       *bytes;
  size_t      length;
  const char *reason = cst_user_layer_fetch(path, &bytes, &length);
  if (reason) {
    snprintf(why, (size_t)n, "%s: %s", path, reason);
    return NULL;
  }
  const cst_text *x = cst_user_layer_open(l, path, bytes, length, why, n);
  free(bytes);
  return x;
}

/* The layer of a file in l. */
static const cst_flow_rule *load_in(cst_layers *l, const char *path, char *why, int n) {
  const cst_text *x = open_in(l, path, why, n);
  return x ? cst_text_layer(x)->layer.rule : NULL;
}

static const cst_flow_rule *load(const char *path, char *why, int n) {
  return load_in(layers, path, why, n);
}

/* ---- the example ----------------------------------------------------------------------------- */

/* Accelerations and the Lagrangian as numbers. */
typedef struct {
  cst_tape     *tape;
  const double *c;
  int           n;
} field;

static field field_of(const problem *x) {
  cst_node q[N], v[N], out[N + 1];
  for (int i = 0; i < x->s->nq; i++) {
    q[i] = cst_graph_input(x->s->model->graph, 'q', i);
    v[i] = cst_graph_input(x->s->model->graph, 'v', i);
  }
  cst_field_acceleration(x->s, q, v, out, NULL);
  out[x->s->nq] = cst_field_lagrangian(x->s, q, v);
  return (field){cst_tape_create(x->s->model->graph, out, x->s->nq + 1), x->c, x->s->nq};
}

/* q, v, S after a step with the tableau of the 3/8 rule. */
static void three_eighths(const field *f, double t, const double *q, const double *v, double *end) {
  static const double a[STAGES][STAGES] = {{0}, {1. / 3}, {-1. / 3, 1}, {1, -1, 1}},
                      b[STAGES] = {1. / 8, 3. / 8, 3. / 8, 1. / 8};
  const int n = f->n;
  double    Q[N], V[STAGES][N], A[STAGES][N + 1];
  for (int i = 0; i < n; i++) {
    end[i] = q[i];
    end[n + i] = v[i];
  }
  end[2 * n] = 0;
  for (int s = 0; s < STAGES; s++) {
    for (int i = 0; i < n; i++) {
      Q[i] = q[i];
      V[s][i] = v[i];
      for (int j = 0; j < s; j++) {
        Q[i] += t * a[s][j] * V[j][i];
        V[s][i] += t * a[s][j] * A[j][i];
      }
    }
    cst_evaluate_tape(f->tape, (const double *const[128]){['c'] = f->c, ['q'] = Q, ['v'] = V[s]},
                      A[s]);
    for (int i = 0; i < n; i++) {
      end[i] += t * b[s] * V[s][i];
      end[n + i] += t * b[s] * A[s][i];
    }
    end[2 * n] += t * b[s] * A[s][n];
  }
}

/* q, v, S after a step with the formulas, evaluated as scalars. */
static void step(const problem *x, const cst_flow_rule *rule, double t, const double *q,
                 const double *v, double *end) {
  cst_node in[2 * N], out[2 * N + 1];
  double   l[] = {t};
  for (int i = 0; i < x->s->nq; i++) {
    in[i] = cst_graph_input(x->s->model->graph, 'q', i);
    in[x->s->nq + i] = cst_graph_input(x->s->model->graph, 'v', i);
  }
  rule->formulas(rule->self, x->s, cst_graph_input(x->s->model->graph, 'l', 0), in, in + x->s->nq,
                 out, out + x->s->nq, &out[2 * x->s->nq]);
  cst_tape *tape = cst_tape_create(x->s->model->graph, out, 2 * x->s->nq + 1);
  cst_evaluate_tape(tape, (const double *const[128]){['c'] = x->c, ['q'] = q, ['v'] = v, ['l'] = l},
                    end);
  cst_tape_destroy(tape);
}

static void test_step(const problem *x, const cst_flow_rule *rule) {
  field  f = field_of(x);
  double t = 0.1 * pace_of(x->s->name), one[2 * N + 1], two[2 * N + 1], other[2 * N + 1];
  step(x, rule, t, x->q, x->v, one);
  three_eighths(&f, t, x->q, x->v, two);
  three_eighths(&f, 1.0001 * t, x->q, x->v, other);
  const double off = apart(one, two, 2 * x->s->nq + 1);
  if (!OK(off < 3e-15 * (1 + norm(two, 2 * x->s->nq + 1)),
          "%s on %s: the step of its tableau, S too", rule->name, x->s->name))
    NOTE("off by %.2g", off);
  OK(apart(one, other, 2 * x->s->nq + 1) > 1e-8, "%s on %s: not that of another step", rule->name,
     x->s->name);
  cst_tape_destroy(f.tape);
}

static void test_example(const char *path) {
  char                 why[CST_WHY] = "";
  const cst_flow_rule *rule = load(path, why, sizeof why);
  if (!OK(rule && !strcmp(rule->name, "kutta38") && rule->order == 4 && rule->evaluations == 4 &&
              strstr(rule->doc, "3/8"),
          "%s is loaded", path)) {
    NOTE("%s", why);
    return;
  }
  OK(load(path, why, sizeof why) == rule, "a second time it is the same layer");
  static const char *const systems[] = {"spherical-pendulum", "rigid-body",
                                        "double-pendulum-angles", "charged-pendulum", "kepler"};
  for (int i = 0; i < 5; i++) {
    problem *x = problem_open(systems[i]);
    OK(cst_flow_fits(rule, x->s, why, sizeof why), "%s fits %s", rule->name, systems[i]);
    test_step(x, rule);
    problem_close(x);
  }
}

/* Names of a study's own layers: the layers claim the order of the file, their conversions no momenta. */
static void test_claims(const char *path) {
  static const struct {
    const char *text;
    int         order;
    unsigned    claims;
  } expected[] = {
      {"own", 4, 0},
      {"project(own)", 4, CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES},
      {"convert(own)", 4,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"convert(own, bias=-0.5)", 4,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_SYMMETRIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES |
           CST_CLAIM_BOUNDED},
      {"convert(minus=rk4, plus=own)", 4,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"convert(minus=own, plus=taylor(2))", 2,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED},
      {"convert(taylor(4))", 4,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED |
           CST_CLAIM_MOMENTUM},
      {"convert(rk4)", 4,
       CST_CLAIM_SYMPLECTIC | CST_CLAIM_POSITIONS | CST_CLAIM_VELOCITIES | CST_CLAIM_BOUNDED |
           CST_CLAIM_MOMENTUM}};
  char           why[CST_WHY];
  problem       *x = problem_open("spherical-pendulum");
  cst_layers    *own = cst_layers_create();
  cst_expr_error e;
  cst_layers_add(own, "own", open_in(own, path, why, sizeof why));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    cst_method          *m = cst_method_parse(expected[i].text, own, &e);
    const cst_properties has = cst_method_properties(m, x->s);
    if (!OK(cst_method_fits(m, x->s, why, sizeof why) && has.order_q == expected[i].order &&
                has.order_p == expected[i].order && has.claims == expected[i].claims,
            "%s claims what it keeps", expected[i].text))
      NOTE("orders %d, %d, claims %u", has.order_q, has.order_p, has.claims);
    cst_method_destroy(m);
  }
  OK(!cst_method_parse("adjoint(own)", own, &e) && strstr(e.message, "'own' has no adjoint"),
     "it has no adjoint");
  cst_layers_destroy(own);
  problem_close(x);
}

/* ---- precompiled objects and the cache ------------------------------------------------------- */

static void test_object(const char *path) {
  char        why[CST_WHY] = "", *bytes = NULL;
  size_t      length = 0;
  const char *reason = cst_user_layer_fetch(path, &bytes, &length),
             *object = in_scratch("ready.so");
  FILE *f = fopen(object, "w");
  OK(!reason && f && fwrite(bytes, 1, length, f) == length && !fclose(f),
     "the object of %s, %zu bytes", path, length);
  OK(load(object, why, sizeof why) && load(object, why, sizeof why) == load(path, why, sizeof why),
     "as a file it is the same layer");
  setenv("CONSTELLA_CC", "/bin/false", 1);
  OK(load(object, why, sizeof why) != NULL, "for which no compiler is needed");
  OK(cst_user_layer_fetch(path, &bytes, &length) &&
         strstr(cst_user_layer_fetch(path, &bytes, &length), "/bin/false: exit status 1"),
     "as it is for a C file");
  unsetenv("CONSTELLA_CC");
  free(bytes);
}

static void test_cache(const char *text) {
  cst_code code;
  char     why[CST_WHY];
  OK(cst_compile_file("a.c", text, strlen(text), &code, why) && !code.cached,
     "what was not compiled before is compiled");
  cst_compile_free(&code);
  OK(cst_compile_file("b.c", text, strlen(text), &code, why) && code.cached,
     "and found the next time, under another name too");
  cst_compile_free(&code);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void refused(const char *path, const char *expected) {
  char why[CST_WHY] = "";
  if (!OK(!load(path, why, sizeof why) && strstr(why, expected) &&
              !strncmp(why, path, strlen(path)),
          "%s: %s", strrchr(path, '/') + 1, expected))
    NOTE("%s", why);
}

/* A file with this step and this description. */
static const char *layer_file(const char *name, const char *body, const char *description) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "#include \"constella/layer.h\"\nstatic void step(const cst_layer_step *s) {\n  cst_node "
      "A[s->n];\n  %s\n}\n"
      "const cst_layer_method cst_user_layer = %s;\n",
      body, description);
  return write_file(name, text);
}

static const char whole[] = "s->acceleration(s, s->q, s->v, A); cst_layer_copy(s, s->v, s->q1); "
                            "cst_layer_copy(s, A, s->v1); *s->S = s->t;",
                  good[] = "{CST_LAYER_VERSION, \"own\", 1, \"Its own.\", step}";

static void test_mistakes(void) {
  refused(in_scratch("none.c"), "No such file");
  refused(in_scratch("none.so"), "No such file");
  refused(write_file("text.so", "not an object"), "file too short");
  refused(write_file("empty.c", ""), "it does not define cst_user_layer");
  refused(write_file("syntax.c", "\n\nint x = ;\n"), "syntax.c:3:9: error");
  refused(write_file("include.c", "#include \"other.h\"\n"), "include.c:1:10: fatal error: ");
  refused(write_file("symbol.c",
                     "int cst_of_nowhere(void);\nint used;\n__attribute__((constructor)) void "
                     "f(void) { used = cst_of_nowhere(); }\n"),
          "cst_of_nowhere");
  refused(layer_file("version.c", whole, "{77, \"own\", 1, \"\", step}"),
          "it is written for version 77 of constella/layer.h");
  refused(layer_file("name.c", whole, "{CST_LAYER_VERSION, \"\", 1, \"\", step}"),
          "lacks a name, a doc or a step");
  refused(layer_file("doc.c", whole, "{CST_LAYER_VERSION, \"own\", 1}"),
          "lacks a name, a doc or a step");
  refused(layer_file("order.c", whole, "{CST_LAYER_VERSION, \"own\", 0, \"\", step}"),
          "its order is 0; it must be from 1 to 20");
  refused(layer_file("high.c", whole, "{CST_LAYER_VERSION, \"own\", 21, \"\", step}"),
          "its order is 21");
  refused(layer_file("nothing.c", "(void)A;", good), "its step does not fill q1");
  refused(layer_file("half.c", "(void)A; cst_layer_copy(s, s->v, s->q1);", good),
          "its step does not fill v1");
  refused(layer_file("action.c",
                     "(void)A; cst_layer_copy(s, s->v, s->q1); cst_layer_copy(s, s->v, s->v1);",
                     good),
          "its step does not fill S, the integral of L");
  refused(
      layer_file("stray.c", "(void)A; cst_layer_copy(s, s->v, s->q1); s->q1[0] = 123456789;", good),
      "its step does not fill q1");
  refused(layer_file("unset.c",
                     "for (int i = 0; i < s->n; i++) A[i] = -7; cst_layer_copy(s, s->v, s->q1); "
                     "s->acceleration(s, A, s->v, A); cst_layer_copy(s, A, s->v1);",
                     good),
          "its step does not fill v1");
  refused(layer_file("function.c",
                     "s->acceleration(s, s->q, s->v, A); *s->S = s->call(s, \"sinc\", s->t, -1);",
                     good),
          "it calls 'sinc'; the functions are sqrt, sin, cos, tan, exp, log, atan2, step, sign, "
          "abs, min, "
          "max, ramp, smoothstep, expm1, log1p, sinh, cosh, tanh, acos, asin");
}

/* Every operation, in formulas with known values. */
static void test_operations(void) {
  static const char body[] =
      "(void)A; cst_layer_copy(s, s->v, s->q1); cst_layer_copy(s, s->q, s->v1);\n"
      "  s->q1[0] = s->div(s, s->sub(s, s->pow(s, s->t, s->number(s, 3)),"
      " s->neg(s, s->q[0])), s->call(s, \"atan2\", s->v[0], s->t));\n"
      "  *s->S = s->add(s, s->call(s, \"sqrt\", s->t, -1),"
      " s->mul(s, s->lagrangian(s, s->q, s->v), cst_layer_part(s, 0.5)));";
  char                 why[CST_WHY] = "";
  const cst_flow_rule *rule = load(layer_file("operations.c", body, good), why, sizeof why);
  problem             *x = problem_open("henon-heiles");
  field                f = field_of(x);
  double               end[2 * N + 1], rate[N + 1], t = 0.3;
  if (!rule)
    NOTE("%s", why);
  step(x, rule, t, x->q, x->v, end);
  cst_evaluate_tape(f.tape, (const double *const[128]){['c'] = x->c, ['q'] = x->q, ['v'] = x->v},
                    rate);
  OK(fabs(end[0] - (t * t * t + x->q[0]) / atan2(x->v[0], t)) < 1e-15 && end[1] == x->v[1] &&
         end[2] == x->q[0],
     "every operation, %g", end[0]);
  OK(fabs(end[4] - (sqrt(t) + rate[2] * t / 2)) < 1e-15 && rule->evaluations == 0,
     "and the Lagrangian, %g", end[4]);
  cst_tape_destroy(f.tape);
  problem_close(x);
}

/* The accelerations may overwrite their arguments. */
static void test_aliases(void) {
  static const char elsewhere[] = "s->acceleration(s, s->q, s->v, A); cst_layer_copy(s, A, s->q1); "
                                  "cst_layer_copy(s, s->v, s->v1); *s->S = s->t;",
                    place[] =
                        "(void)A; cst_layer_copy(s, s->q, s->q1); s->acceleration(s, s->q1, s->v, "
                        "s->q1); cst_layer_copy(s, s->v, s->v1); *s->S = s->t;";
  char                 why[CST_WHY];
  problem             *x = problem_open("spherical-pendulum");
  double               one[2 * N + 1], two[2 * N + 1];
  const cst_flow_rule *a = load(layer_file("elsewhere.c", elsewhere, good), why, sizeof why),
                      *b = load(layer_file("place.c", place, good), why, sizeof why);
  step(x, a, 0.1, x->q, x->v, one);
  step(x, b, 0.1, x->q, x->v, two);
  OK(a != b && apart(one, two, 2 * x->s->nq + 1) == 0,
     "accelerations in the place of the positions");
  problem_close(x);
}

/* ---- how long a layer stays ------------------------------------------------------------------ */

/* How many objects are loaded from memory. */
static int loaded(void) {
  char  line[4096], last[4096] = "";
  int   n = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  while (f && fgets(line, sizeof line, f)) {
    const char *inode = strstr(line, "00:");
    if (!strstr(line, "constella-object") || !inode)
      continue;
    n += strcmp(inode, last) != 0;
    strcpy(last, inode);
  }
  if (f)
    fclose(f);
  return n;
}

static void test_end(const char *path) {
  char            why[CST_WHY];
  const int       before = loaded();
  problem        *x = problem_open("spherical-pendulum");
  cst_layers     *one = cst_layers_create(), *two = cst_layers_create();
  cst_expr_error  e;
  const cst_text *text = open_in(one, path, why, sizeof why);
  OK(text != open_in(two, path, why, sizeof why) && loaded() == before + 2,
     "each registry has its own layer of a file");
  cst_layers_destroy(two);
  OK(loaded() == before + 1, "which is unloaded with it");
  cst_layers_add(one, "mine", text);
  cst_method *m = cst_method_parse("convert(mine, bias=-0.5)", one, &e),
             *other = cst_method_parse("project(mine)", one, &e);
  cst_layers_destroy(one);
  cst_method_destroy(other);
  OK(cst_method_fits(m, x->s, why, sizeof why) && cst_method_properties(m, x->s).order_q == 4 &&
         loaded() == before + 1,
     "methods hold the registry that they were made with");
  cst_method_destroy(m);
  OK(loaded() == before, "and the last of them lets it go");
  problem_close(x);
}

/* An object may be linked to stay loaded (-z nodelete), and its name must then not become that of another. */
static void test_staying(void) {
  char                 why[CST_WHY];
  Dl_info              info = {0};
  cst_layers          *l = cst_layers_create();
  const cst_flow_rule *rule = load_in(
      l, layer_file("first.c", whole, "{CST_LAYER_VERSION, \"own\", 1, \"The first.\", step}"), why,
      sizeof why);
  OK(rule && dladdr(rule->doc, &info) &&
         dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE),
     "a layer that stays loaded");
  cst_layers_destroy(l);
  l = cst_layers_create();
  rule = load_in(
      l, layer_file("second.c", whole, "{CST_LAYER_VERSION, \"own\", 1, \"The second.\", step}"),
      why, sizeof why);
  OK(rule && !strcmp(rule->doc, "The second."), "the next one is another");
  cst_layers_destroy(l);
}

static void tests(void) {
  layers = cst_layers_create();
  static const char example[] = "jobs/layers/kutta38.c";
  char             *text = NULL;
  size_t            length;
  test_example(example);
  test_claims(example);
  test_object(example);
  if (cst_document_fetch(example, &text, &length))
    abort();
  text = realloc(text, length + 20);
  test_cache(strcat(text, "/* another */\n"));
  free(text);
  test_mistakes();
  test_operations();
  test_aliases();
  cst_layers_destroy(layers);
  test_end(example);
  test_staying();
}

int main(int argc, char **argv) {
  if (!mkdtemp(scratch))
    abort();
  setenv("XDG_CACHE_HOME", in_scratch("cache"), 1);
  unsetenv("CONSTELLA_CC");
  int  status = claims_main(&argc, &argv, tests);
  char command[4200];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch);
  return system(command) || status;
}
