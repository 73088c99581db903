/* test-define.c: definitions: a system with `define` has the nodes, the kernels and the code of the system
 * with everything written out, under every key; every mistake with its place. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"
#include "system/internal.h"

/* ---- the same system ------------------------------------------------------------------------- */

/* Each system twice: with definitions, and written out. */
static const struct {
  const char *name, *head, *define, *with, *without;
} systems[] = {
    {"forces, t, stiff, states", "system: s\ncoordinates: [x, y]\nparameters: {m: 1, k: 2, R: 3}\n",
     "define:\n  law: slip(x', speed)\n  r2: x^2 + y^2\n  speed: sqrt(x'^2 + y'^2)\n"
     "  \"slip(x, w)\": x - w*R\n  wave: cos(3*t)*r2\n  w: sqrt(k/m)\n  \"zero(a, b)\": a - b\n",
     "mass: [m, m]\npotential: k*r2/2 + r2^2 + wave\nstiff: 7*r2\n"
     "forces: {drag: [\"-law\", \"-y'*speed\"]}\n"
     "states: {default: {q: [1, \"zero(w, w)\"], v: [0, R*w], exact: {q: [cos(w*t), t], v: [w, "
     "1]}}}\n",
     "mass: [m, m]\npotential: k*(x^2 + y^2)/2 + (x^2 + y^2)^2 + (cos(3*t)*(x^2 + y^2))\n"
     "stiff: 7*(x^2 + y^2)\n"
     "forces: {drag: [\"-(x' - sqrt(x'^2 + y'^2)*R)\", \"-y'*sqrt(x'^2 + y'^2)\"]}\n"
     "states: {default: {q: [1, sqrt(k/m) - sqrt(k/m)], v: [0, R*sqrt(k/m)], "
     "exact: {q: [cos(sqrt(k/m)*t), t], v: [sqrt(k/m), 1]}}}\n"},
    {"mass, gyroscopic, constraints, symmetries, nonholonomic",
     "system: s\ncoordinates: [x, y, z]\nparameters: {m: 1, k: 2}\n",
     "define:\n  r2: x^2 + y^2\n  \"load(u)\": m*(1 + u/10)\n  \"turn(u, v)\": k*u*v\n"
     "  roll: x*y' - y*x' + z'\n  A: turn(x, r2)\n",
     "mass: [load(r2), load(r2), load(z^2)]\npotential: m*z + A^2\n"
     "gyroscopic: [\"-turn(y, r2)\", A, 0]\nconstraints: {bowl: z - r2}\n"
     "nonholonomic: {edge: roll - 3*z'}\n"
     "symmetries: {turn: {generator: [-y, x, 0], gauge: A}}\n"
     "states: {default: {q: [1, 0, 1], v: [0, 0, 0]}}\n",
     "mass: [m*(1 + (x^2 + y^2)/10), m*(1 + (x^2 + y^2)/10), m*(1 + z^2/10)]\n"
     "potential: m*z + (k*x*(x^2 + y^2))^2\n"
     "gyroscopic: [-(k*y*(x^2 + y^2)), k*x*(x^2 + y^2), 0]\nconstraints: {bowl: z - (x^2 + y^2)}\n"
     "nonholonomic: {edge: (x*y' - y*x' + z') - 3*z'}\n"
     "symmetries: {turn: {generator: [-y, x, 0], gauge: k*x*(x^2 + y^2)}}\n"
     "states: {default: {q: [1, 0, 1], v: [0, 0, 0]}}\n"},
    {"arrays, a family, a definition that is a bound and an index",
     "system: s\ncoordinates: [\"x[n]\", \"y[n]\"]\nparameters: {n: {size: 4}, k: 2}\n",
     "define:\n  last: n - 1\n  \"gap(i, j)\": sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)\n"
     "  all: sum(k2, 1, last, gap(k2, k2 + 1))\n  end: x[last + 1]\n",
     "mass: [1, 1]\npotential: k*all + sum(i, 1, last, (gap(i, i+1) - 1)^2) + end^2\n"
     "constraints: {wire: {for: \"j = 1..last\", expression: \"x[j]*end - gap(j, last)\"}}\n"
     "states: {default: {q: [i, [1, 4, 9, 16]], v: [0, 0]}}\n",
     "mass: [1, 1]\npotential: k*sum(k2, 1, n-1, sqrt((x[k2] - x[k2+1])^2 + (y[k2] - y[k2+1])^2)) "
     "+ sum(i, 1, n-1, (sqrt((x[i] - x[i+1])^2 + (y[i] - y[i+1])^2) - 1)^2) + x[n]^2\n"
     "constraints: {wire: {for: \"j = 1..n-1\", expression: \"x[j]*x[n] - sqrt((x[j] - x[n-1])^2 + "
     "(y[j] - y[n-1])^2)\"}}\n"
     "states: {default: {q: [i, [1, 4, 9, 16]], v: [0, 0]}}\n"},
    {"sums over pairs, in a definition and of one",
     "system: s\ncoordinates: [\"x[n]\", \"y[n]\"]\nparameters: {n: {size: 8}, k: 2}\n",
     "define:\n  \"gap(i, j)\": sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)\n"
     "  \"energy(a, b)\": sum(i, a, b, sum(j, i+1, b, 1/gap(i, j)))\n"
     "  inner: sum(i, 1, n, sum(j, i+1, n, gap(i, j)))\n",
     "mass: [1, 1]\npotential: \"k*energy(1, n) + inner + inner\"\n"
     "states: {default: {q: [i, 1/i], v: [0, 0]}}\n",
     "mass: [1, 1]\npotential: \"k*sum(i, 1, n, sum(j, i+1, n, 1/sqrt((x[i] - x[j])^2 + (y[i] - "
     "y[j])^2)))"
     " + sum(i, 1, n, sum(j, i+1, n, sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))"
     " + sum(i, 1, n, sum(j, i+1, n, sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))\"\n"
     "states: {default: {q: [i, 1/i], v: [0, 0]}}\n"},
};

static cst_system *make(const char *head, const char *define, const char *rest) {
  char text[4000];
  snprintf(text, sizeof text, "%s%s%s", head, define, rest);
  return read_text(text);
}

static char *code_of(const cst_system *s) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  cst_system_emit(s, "SYS_own", f);
  fclose(f);
  return text;
}

static int operations(const cst_system *s) {
  int n = 0;
  for (int k = 0; k < CST_K_COUNT; k++)
    n += cst_graph_count(s->model->graph, s->model->kernel_out[k], s->model->kernel_size[k]);
  return n;
}

static bool same_outputs(const cst_system *a, const cst_system *b) {
  for (int k = 0; k < CST_K_COUNT; k++) {
    if (a->model->kernel_size[k] != b->model->kernel_size[k])
      return false;
    for (int e = 0; e < a->model->kernel_size[k]; e++)
      if (a->model->kernel_out[k][e] != b->model->kernel_out[k][e])
        return false;
  }
  return true;
}

static void test_same(int i) {
  cst_system *a = make(systems[i].head, systems[i].define, systems[i].with);
  cst_system *b = make(systems[i].head, "", systems[i].without);
  char       *one = code_of(a), *other = code_of(b);
  const char *name = systems[i].name;
  OK(operations(a) == operations(b) && (operations(a) > 0 || a->model->npairs),
     "%s: the kernels have %d operations, written out %d", name, operations(a), operations(b));
  OK(cst_graph_size(a->model->graph) == cst_graph_size(b->model->graph) && same_outputs(a, b),
     "%s: the same %d nodes under the same numbers", name, cst_graph_size(b->model->graph));
  OK(!strcmp(one, other), "%s: the same %d characters of code", name, (int)strlen(other));
  OK(a->model->npairs == b->model->npairs, "%s: %d sums over pairs", name, b->model->npairs);
  for (int k = 0; k < a->nq; k++)
    if (a->description->state[0].q[k] != b->description->state[0].q[k] ||
        a->description->state[0].v[k] != b->description->state[0].v[k])
      OK(0, "%s: the state has another entry %d", name, k);
  free(one);
  free(other);
  cst_system_destroy(a);
  cst_system_destroy(b);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void test_names(void) {
  refused(DOC, "define: [a]",
          "f:2:9: error: 'define' must be a map of 'NAME: expression' or '\"NAME(ARGUMENT, ...)\": "
          "expression'\n");
  refused(DOC, "define: {}", "");
  refused(DOC, "define: {m: x}",
          "f:2:10: error: definition 'm': there is already a parameter of this name\n");
  refused(DOC, "define: {'z(u)': u}",
          "f:2:11: error: definition 'z': there is already a coordinate of this name\n");
  refused(DOC, "define: {f: x, 'f(u)': u}",
          "f:2:17: error: definition 'f': there is already a definition of this name\n");
  refused(DOC, "define: {sin: x}",
          "f:2:10: error: 'sin' is reserved and cannot name a definition; reserved: t, pi, sqrt, "
          "sin, cos, tan, exp, log, atan2, sum\n");
  refused(DOC, "define: {lambda_f: x}",
          "f:2:10: error: 'lambda_f' cannot name a definition; names that begin with lambda_ "
          "belong to multipliers\n");
  refused(DOC, "define: {abcdefghijabcdefghijabcdefghijabcdefghijk: x}",
          "f:2:10: error: 'abcdefghijabcdefghijabcdefghijabcdefghijk' is too long for the name of "
          "a definition; at most 40\n");
  refused(DOC, "define: {f: [x]}",
          "f:2:13: error: the definition 'f' must be a number or an expression\n");
}

static void test_arguments(void) {
  refused(DOC, "define: {'f(u': x}",
          "f:2:12: error: 'f(u': a definition is written 'NAME: expression' or "
          "'\"NAME(ARGUMENT, ...)\": expression'\n");
  refused(DOC, "define: {'f(u) + 1': x}",
          "f:2:15: error: 'f(u) + 1': a definition is written 'NAME: expression' or "
          "'\"NAME(ARGUMENT, ...)\": expression'\n");
  refused(DOC, "define: {'f(u, u)': x}", "f:2:16: error: the argument 'u' appears twice\n");
  refused(DOC, "define: {'f()': x}",
          "f:2:13: error: '' is not a valid name of a function's argument; a name has letters, "
          "digits and _, a letter first, at most 60 characters\n");
  refused(DOC, "define: {'f(u, t)': x}",
          "f:2:16: error: 't' is reserved and cannot name a function's argument; reserved: t, pi, "
          "sqrt, sin, cos, tan, exp, log, atan2, sum\n");
  refused(DOC, "define: {'f(a,b,c,d,e,g,h,j,k,l,m,n,o,p,q,r,s)': x}",
          "f:2:45: error: a definition has at most 16 arguments; this is one more\n");
  refused(
      DOC, "define: {'f(u)': \"u*x'\", 'g(x)': \"2*x'\"}",
      "f:2:37: error: definition 'g': 'x'' is the velocity of no argument; pass the velocity as "
      "an argument of its own\n");
}

static void test_texts(void) {
  refused(DOC, "define: {f: x + }",
          "f:2:16: error: definition 'f': expected a number, a name or '('\n");
  refused(DOC, "define: {f: x + yy, near: 1}",
          "f:2:17: error: definition 'f': unknown name 'yy'; allowed: a, m, b, x, y, z, t, x', y', "
          "z', f, near, pi, sqrt, sin, cos, tan, exp, log, atan2, sum; did you mean 'y'?\n");
  refused(DOC, "define: {near: 1, f: x + naer}",
          "f:2:26: error: definition 'f': unknown name 'naer'; allowed: a, m, b, x, y, z, t, x', "
          "y', z', near, f, pi, sqrt, sin, cos, tan, exp, log, atan2, sum; did you mean 'near'?\n");
  refused(DOC, "define: {f: x/0}", "f:2:14: error: definition 'f': division by zero\n");
  refused(DOC, "define: {'f(u)': 1/u, g: f(0)}",
          "f:2:26: error: definition 'g': in 'f': division by zero\n");
  refused(DOC, "define: {'f(u)': 1/u, 'g(u)': f(u - 1), h: 2*g(1)}",
          "f:2:46: error: definition 'h': in 'f': division by zero\n");
  refused(DOC, "define: {f: g + 1, g: x/0, h: g}",
          "f:2:24: error: definition 'g': division by zero\n");
}

static void test_cycles(void) {
  refused(DOC, "define: {f: f + 1}",
          "f:2:13: error: definition 'f': it is defined by itself, f -> f\n");
  refused(DOC, "define: {c: 2*f, f: x + g, g: h, h: f, k: h}",
          "f:2:25: error: definition 'f': it is defined by itself, f -> g -> h -> f\n");
  refused(DOC, "define: {'f(u)': u*f(u - 1)}",
          "f:2:20: error: definition 'f': it is defined by itself, f -> f\n");
  refused(DOC, "define: {'f(u)': g(u), 'g(u)': \"u + h\", h: f(1)}",
          "f:2:18: error: definition 'f': it is defined by itself, f -> g -> h -> f\n");
}

static void test_calls(void) {
  refused(POTENTIAL, "define: {'f(u, v)': u*v}\npotential: z + f(x)",
          "f:7:19: error: potential: f takes 2 arguments: f(u, v)\n");
  refused(POTENTIAL, "define: {'f(u)': u}\npotential: z + f(x, y)",
          "f:7:19: error: potential: f takes 1 argument: f(u)\n");
  refused(POTENTIAL, "define: {'f(u)': u}\npotential: z + f()",
          "f:7:18: error: potential: f takes 1 argument: f(u)\n");
  refused(POTENTIAL, "define: {'f(u)': u}\npotential: z + f(x y)",
          "f:7:20: error: potential: expected an operator or ')'; found 'y'\n");
  refused(POTENTIAL, "define: {'f(u)': u}\npotential: z + f",
          "f:7:17: error: potential: expected '(' after f\n");
  refused(POTENTIAL, "define: {f: x}\npotential: z + f(x)",
          "f:7:17: error: potential: 'f' is defined without arguments and is no function\n");
  refused(POTENTIAL, "define: {f: x}\npotential: z + f[1]",
          "f:7:17: error: potential: 'f' is not an array and has no entries\n");
  refused(POTENTIAL, "define: {fall: x, 'slip(u)': u}\npotential: z + slop(x)",
          "f:7:16: error: potential: unknown function 'slop'; allowed: sqrt, sin, cos, tan, exp, "
          "log, atan2, sum, step, sign, abs, min, max, ramp, smoothstep, expm1, log1p, sinh, ...; "
          "did you mean 'slip'?\n");
  refused(POTENTIAL, "define: {'f(u)': 1/u}\npotential: z + f(x - x)",
          "f:7:16: error: potential: in 'f': division by zero\n");
  refused(POTENTIAL, "define: {f: x}\npotential: z + sum(f, 1, 2, f)",
          "f:7:20: error: potential: 'f' cannot be the variable of a sum, it has a meaning "
          "already; choose a new name\n");
  refused(CONSTRAINTS, "define: {f: 2}\nconstraints: {c: {for: 'f = 1..2', expression: x}}",
          "f:8:25: error: 'f' cannot be the variable of a family, the name is in use; choose "
          "another\n");
}

static void test_places(void) {
  refused(POTENTIAL, "define: {f: \"x'\", g: f + 1}\npotential: z + g",
          "f:7:16: error: potential: 'g' cannot stand here, it depends on x'; allowed: a, m, b, x, "
          "y, z, t; a force that depends on velocities belongs to the key `forces`\n");
  refused(CONSTRAINTS, "define: {f: \"x'\"}\nconstraints: {surface: x + f}",
          "f:8:28: error: constraint: 'f' cannot stand here, it depends on x'; allowed: a, m, b, "
          "x, y, z, t; a constraint on velocities belongs to the key `nonholonomic`\n");
  refused(
      MASS, "define: {f: 2 + sin(t)}\nmass: [m, f, m]",
      "f:6:11: error: mass: 'f' cannot stand here, it depends on t; allowed: a, m, b, x, y, z\n");
  refused(MORE, "  b: {q: [0, 0, f], v: [1, 0, 0]}\ndefine: {f: x}",
          "f:11:17: error: q: 'f' cannot stand here, it depends on x; allowed: a, m, b\n");
}

/* Functions that call each other twice: the work doubles with each. */
static void test_work(void) {
  char  *define = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&define, &n);
  fprintf(f, "potential: f0(x)\ndefine:\n");
  for (int k = 0; k < 60; k++)
    fprintf(f, "  f%d(u): f%d(u + 1) - f%d(u*2)\n  n%d: n%d + n%d*x\n", k, k + 1, k + 1, k, k + 1,
            k + 1);
  fprintf(f, "  f60(u): u\n  n60: x");
  fclose(f);
  refused(POTENTIAL, define,
          "f:6:12: error: the description is too long: with its arrays written out, all "
          "expressions together may have 60000000 characters\n");
  free(define);
}

int main(void) {
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    test_same((int)i);
  test_names();
  test_arguments();
  test_texts();
  test_cycles();
  test_calls();
  test_places();
  test_work();
  return tap_done();
}
