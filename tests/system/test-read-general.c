/* test-read-general.c: mass matrices, gyroscopic terms and gauges: the resulting systems, and every mistake.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"
#include <math.h>

static const char *const arm[LINES] = {
    "system: arm",
    "doc: An arm.",
    "coordinates: [x, y, z]",
    "parameters: {m: 2}",
    "mass: [[m, cos(x - y), 0], [cos(y - x), m, 0], [0, 0, 1 + x^2]]",
    "gyroscopic: [-m*y, m*x, 0]",
    "potential: z",
    "constraints: {surface: x^2 + z}",
    "symmetries: {turn: {generator: [-y, x, 0], gauge: m*z}, shift: [0, 0, 1]}",
    "states:",
    "  default: {q: [0, 1, 0], v: [0, 0, 0]}\n  far: {q: [3, 1, m], v: [0, 0, 0]}",
};
enum { GYROSCOPIC = 5, G_POTENTIAL, G_CONSTRAINTS, G_SYMMETRIES, G_STATES, G_DEFAULT };

static char *arm_with(int line, const char *replacement) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  for (int i = 0; i < LINES; i++)
    if (i != line || replacement)
      fprintf(f, "%s\n", i == line ? replacement : arm[i]);
  fclose(f);
  return text;
}

static void wrong(int line, const char *replacement, const char *expected) {
  check(arm_with(line, replacement), expected);
}

/* Reads the arm with one line replaced. */
static cst_system *arm_read(int line, const char *replacement) {
  char       *text = arm_with(line, replacement);
  cst_system *s = read_text(text);
  free(text);
  return s;
}

static void test_good(void) {
  cst_system *s = arm_read(-1, NULL);
  double      c = 2, q[3] = {0.5, 2, 3};
  OK(!cst_has(s, CST_SEPARABLE) && cst_has(s, CST_MASS_MATRIX) && cst_has(s, CST_GYROSCOPIC),
     "a system with a mass matrix and gyroscopic terms is general");
  bool same = true;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      same &= s->model->mass[3 * i + j] == s->model->mass[3 * j + i];
  OK(same && value_at(s, s->model->mass[1], &c, q) == cos(-1.5) &&
         value_at(s, s->model->mass[8], &c, q) == 1.25,
     "its matrix is symmetric to the node");
  OK(value_at(s, s->model->a[0], &c, q) == -4 && value_at(s, s->model->a[1], &c, q) == 1 &&
         value_at(s, s->model->a[2], &c, q) == 0,
     "its gyroscopic terms");
  OK(value_at(s, s->model->gauge[0], &c, q) == 6 && value_at(s, s->model->gauge[1], &c, q) == 0 &&
         value_at(s, s->model->xi[0], &c, q) == -2 && value_at(s, s->model->xi[5], &c, q) == 1,
     "its symmetries and their gauges");
  OK(!strcmp(s->description->mass_text[0], "[m, cos(x - y), 0]") &&
         !strcmp(s->description->gyroscopic_text[1], "m*x") &&
         !strcmp(s->description->symmetry_text[0], "-y, x, 0"),
     "its texts");
  cst_system_destroy(s);
}

/* Checks the kind of system that a mass and gyroscopic terms give. */
static void kind(const char *mass, const char *gyroscopic, bool general, bool matrix) {
  char *text = NULL;
  asprintf(
      &text,
      "system: s\ncoordinates: [x, y]\nparameters: {m: 2}\nmass: %s\ngyroscopic: %s\npotential: "
      "0\nstates: {default: {q: [1, 2], v: [0, 0]}}\n",
      mass, gyroscopic);
  cst_system *s = read_text(text);
  OK(!cst_has(s, CST_SEPARABLE) == general && cst_has(s, CST_MASS_MATRIX) == matrix,
     "mass %s, gyroscopic %s: %s, %s", mass, gyroscopic, general ? "general" : "simple",
     matrix ? "a matrix" : "a diagonal");
  double c = 2, q[2] = {1, 2};
  OK(value_at(s, s->model->mass[cst_has(s, CST_MASS_MATRIX) ? 3 : 1], &c, q) == 3,
     "the last entry of its mass");
  cst_system_destroy(s);
  free(text);
}

static void test_kinds(void) {
  kind("[m, 3]", "[0, 0]", false, false);
  kind("[[m, 0], [0, 3]]", "[0, 0]", false, false);
  kind("[[m, y - y], [0, m + 1]]", "[x - x, 0]", false, false);
  kind("[m, 3*x]", "[0, 0]", true, false);
  kind("[[m, 0], [0, 3*x]]", "[0, 0]", true, false);
  kind("[[m, 1], [1, 3]]", "[0, 0]", true, true);
  kind("[[m, x*y], [y*x, 1 + y]]", "[0, 0]", true, true);
  kind("[m, 3]", "[0, x]", true, false);
}

/* n plain coordinates with a diagonal or full mass. */
static char *large(int n, bool matrix, const char *gyroscopic) {
  char  *text = NULL;
  size_t length = 0;
  FILE  *f = open_memstream(&text, &length);
  fprintf(f, "system: large\ncoordinates: [x0");
  for (int i = 1; i < n; i++)
    fprintf(f, ", x%d", i);
  fprintf(f, "]\nmass: [");
  for (int i = 0; i < n; i++)
    fprintf(f, "%s%s", i ? ", " : "", matrix ? "[1]" : i == 1 ? "1 + x0^2" : "1");
  fprintf(f, "]\npotential: 0\n%sstates:\n  default: {q: [0", gyroscopic);
  for (int i = 1; i < n; i++)
    fprintf(f, ", 0");
  fprintf(f, "], v: [0");
  for (int i = 1; i < n; i++)
    fprintf(f, ", 0");
  fprintf(f, "]}\n");
  fclose(f);
  return text;
}

static void test_large(void) {
  check(large(301, true, ""),
        "f:3:7: error: a mass matrix of 301 coordinates; at most 300 are allowed, as methods "
        "eliminate it as a full one\n");
  check(large(301, false, ""),
        "f:3:7: error: 301 coordinates and 0 constraints; a system with a mass that "
        "depends on the coordinates or is not diagonal may have at most 300 and 300\n");
  check(
      strdup("system: s\ncoordinates: [\"x[301]\"]\nmass: [1]\ngyroscopic: [\"x[i]\"]\npotential: "
             "0\nstates: {default: {q: [0], v: [0]}}\n"),
      "f:4:13: error: 301 coordinates and 0 constraints; a system with gyroscopic terms may have "
      "at most 300 "
      "and 300\n");
}

static void test_wrong(void) {
  wrong(MASS, "mass: [[m, 0, 0], [0, m, 0]]",
        "f:5:7: error: mass has 2 rows; there must be 3, one per coordinate\n");
  wrong(MASS, "mass: [[m, 0, 0], [0, m], [0, 0, m]]",
        "f:5:19: error: row 2 of mass has 2 entries; there must be 3, one per coordinate\n");
  wrong(MASS, "mass: [[m, 0, 0], m, [0, 0, m]]",
        "f:5:19: error: row 2 of mass must be a list of 3 expressions, one per coordinate\n");
  wrong(MASS, "mass: [[m, 0, 0], [0, m, \"2 +\"], [0, 0, m]]",
        "f:5:30: error: row 2 of mass: expected a number, a name or '('\n");
  wrong(MASS, "mass: [[m, 0, 0], [0, m, 0], [0, 0, -m]]",
        "f:5:37: error: mass: the value is -2 at the default parameters; it must be positive and "
        "finite\n");
  wrong(MASS, "mass: [[m, 0, 0], [0.5, m, 0], [0, 0, m]]",
        "f:5:20: error: mass: the entry (y, x) is 0.5 and the entry (x, y) is 0 at the default "
        "parameters; "
        "the matrix must be symmetric\n");
  wrong(MASS, "mass: [[m, x, 0], [2*x, m, 0], [0, 0, m]]",
        "f:5:20: error: mass: the entry (y, x) is 0.02828427124746 and the entry (x, y) is "
        "0.01414213562373 "
        "near the first state; the matrix must be symmetric\n");
  wrong(MASS, "mass: [[m, x, 0], [x^2/3, m, 0], [0, 0, m]]",
        "f:5:20: error: mass: the entry (y, x) is 6.666666666667e-05 and the entry (x, y) is "
        "0.01414213562373 near the first state; the matrix must be symmetric\n");
  wrong(MASS, "mass: [[m, 3, 0], [3, m, 0], [0, 0, m]]",
        "f:5:7: error: mass: the matrix is not positive definite at the default parameters\n");
  wrong(MASS, "mass: [[m, x, 0], [x, m, 0], [0, 0, m]]",
        "f:5:7: error: mass: the matrix is not positive definite in the state 'far'\n");
  wrong(
      MASS, "mass: [m, 2 - x, 1]",
      "f:5:11: error: mass: the value is -1 in the state 'far'; it must be positive and finite\n");
  wrong(
      MASS, "mass: [m, 1/y, sqrt(2 - x)]",
      "f:5:16: error: mass: the value is nan in the state 'far'; it must be positive and finite\n");
  wrong(GYROSCOPIC, "gyroscopic: x",
        "f:6:13: error: gyroscopic must be a list of 3 expressions, one per coordinate\n");
  wrong(GYROSCOPIC, "gyroscopic: [x, y]",
        "f:6:13: error: gyroscopic has 2 entries; there must be 3, one per coordinate\n");
  wrong(GYROSCOPIC, "gyroscopic: [x, y, w]",
        "f:6:20: error: gyroscopic: unknown name 'w'; allowed: m, x, y, z, pi, sqrt, sin, cos, "
        "tan, exp, "
        "log, atan2, sum\n");
  wrong(G_SYMMETRIES, "symmetries: {turn: {gauge: z}}",
        "f:9:20: error: missing key 'generator' of the symmetry\n");
  wrong(G_SYMMETRIES, "symmetries: {turn: {generator: [1, 0, 0], gage: z}}",
        "f:9:43: error: unknown key 'gage'; did you mean 'gauge'? Allowed: generator, gauge\n");
  wrong(G_SYMMETRIES, "symmetries: {turn: {generator: [1, 0], gauge: [z]}}",
        "f:9:32: error: symmetry has 2 entries; there must be 3, one per coordinate\n"
        "f:9:47: error: gauge must be a number or an expression\n"
        "2 errors\n");
  wrong(G_SYMMETRIES, "symmetries: {turn: {generator: [1, 0, 0], gauge: t}}",
        "f:9:50: error: gauge: unknown name 't'; the time cannot stand here; it can in "
        "potential, constraints, forces and exact motions\n");
}

int main(void) {
  test_good();
  test_kinds();
  test_large();
  wrong(-1, NULL, "");
  test_wrong();
  return tap_done();
}
