/* test-read-arrays.c: sizes, arrays of coordinates and families of constraints: the resulting systems, and
 * every mistake. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"

static const char *const chain[LINES] = {
    "system: chain",
    "doc: A chain of n beads, its end held.",
    "coordinates: [\"x[n]\", z, \"y[2*n]\"]",
    "parameters: {n: {size: 3, doc: how many}, m: 2, L: m*n, k: {default: L + 1}}",
    "mass: [m*i, 1, 1 + i]",
    "potential: \"m*z + sum(j, 1, n, x[j]*y[2*j])\"",
    "constraints: {first: \"x[1] - L\", link: {for: \"i = 2..n\", expression: \"(x[i] - x[i-1])^2 "
    "- i*L\"}, "
    "last: \"z - x[n]\"}",
    "symmetries: {shift: [\"z\", 0, \"y[i]*x[n]\"]}",
    "states:",
    "  default: {q: [i*L, 7, -i], v: [i, 4, 0]}",
    "  moving: {q: [0, 0, 0], v: [0, 0, 0], exact: {q: [i*t, t, n], v: [i, 1, 0], lambda: [1, i*t, "
    "2]}}",
};

/* The chain with one line replaced. */
static char *chain_with(int line, const char *replacement) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  for (int i = 0; i < LINES; i++)
    if (i != line || replacement)
      fprintf(f, "%s\n", i == line ? replacement : chain[i]);
  fclose(f);
  return text;
}

static void wrong(int line, const char *replacement, const char *expected) {
  check(chain_with(line, replacement), expected);
}

static char *good_chain(void) { return chain_with(-1, NULL); }

static void test_names(const cst_system *s) {
  const cst_name *x = s->description->coordinate_name, *f = s->description->family;
  OK(s->nq == 10 && s->description->ncoordinate == 3 && s->ng == 4 && s->description->nfamily == 3,
     "an array and a family are unrolled");
  OK(!strcmp(x[0].name, "x") && x[0].array && x[0].at == 0 && x[0].count == 3 && x[0].first == 1,
     "x[n]");
  OK(!strcmp(x[1].name, "z") && !x[1].array && x[1].at == 3 && x[1].count == 1 && x[1].first == 0,
     "z");
  OK(!strcmp(x[2].name, "y") && x[2].array && x[2].at == 4 && x[2].count == 6, "y[2*n]");
  OK(!strcmp(s->description->coordinate[0], "x[1]") &&
         !strcmp(s->description->coordinate[2], "x[3]") &&
         !strcmp(s->description->coordinate[3], "z") &&
         !strcmp(s->description->coordinate[9], "y[6]"),
     "all entries of the first name, then those of the second");
  OK(f[0].count == 1 && !f[0].array && !f[0].range && !strcmp(f[0].text, "x[1] - L"),
     "a constraint");
  OK(f[1].array && f[1].at == 1 && f[1].count == 2 && f[1].first == 2 &&
         !strcmp(f[1].range, "i = 2..n") && !strcmp(f[1].text, "(x[i] - x[i-1])^2 - i*L"),
     "a family");
  OK(!strcmp(s->description->constraint[0], "first") &&
         !strcmp(s->description->constraint[1], "link[2]") &&
         !strcmp(s->description->constraint[2], "link[3]") &&
         !strcmp(s->description->constraint[3], "last"),
     "its entries");
  OK(!strcmp(s->description->mass_text[0], "m*i") &&
         !strcmp(s->description->mass_text[2], "1 + i") &&
         !strcmp(s->description->symmetry_text[0], "z, 0, y[i]*x[n]"),
     "texts as written, one per name");
}

static void test_functions(const cst_system *s) {
  double c[4] = {3, 2, 6, 7}, q[10];
  for (int i = 0; i < 10; i++)
    q[i] = 1 + i * i;
#define IS(node, expected) (value_at(s, node, c, q) == (expected))
  OK(IS(s->model->mass[0], 2) && IS(s->model->mass[2], 6) && IS(s->model->mass[3], 1) &&
         IS(s->model->mass[4], 2) && IS(s->model->mass[9], 7),
     "masses");
  OK(IS(s->model->V, 2 * q[3] + q[0] * q[5] + q[1] * q[7] + q[2] * q[9]), "the potential, a sum");
  OK(IS(s->model->g[0], q[0] - 6) && IS(s->model->g[1], (q[1] - q[0]) * (q[1] - q[0]) - 12) &&
         IS(s->model->g[2], (q[2] - q[1]) * (q[2] - q[1]) - 18) && IS(s->model->g[3], q[3] - q[2]),
     "constraints");
  OK(IS(s->model->xi[0], q[3]) && IS(s->model->xi[2], q[3]) && IS(s->model->xi[3], 0) &&
         IS(s->model->xi[9], q[9] * q[2]) && IS(s->model->gauge[0], 0),
     "symmetries");
  OK(IS(s->description->state[0].q[1], 12) && IS(s->description->state[0].q[3], 7) &&
         IS(s->description->state[0].q[9], -6) && IS(s->description->state[0].v[2], 3) &&
         IS(s->description->state[0].v[3], 4),
     "a state");
  OK(IS(s->description->state[1].exact_q[1], 2 * q[0]) &&
         IS(s->description->state[1].exact_q[4], 3) && IS(s->description->state[1].exact_v[2], 3),
     "an exact motion");
  const cst_node *l = s->description->state[1].exact_lambda;
  OK(IS(l[0], 1) && IS(l[1], 2 * q[0]) && IS(l[2], 3 * q[0]) && IS(l[3], 2),
     "its multipliers, of a family in its variable");
#undef IS
}

static void test_good(void) {
  char       *text = good_chain();
  cst_system *s = read_text(text);
  test_names(s);
  test_functions(s);
  OK(s->parameter[0].size && s->parameter[0].value == 3 && !s->parameter[1].size &&
         s->parameter[2].value == 6,
     "a size is a parameter");
  OK(cst_graph_is_constant(s->model->graph, s->parameter[0].node, NULL) &&
         !cst_graph_depends(s->model->graph, s->model->mass[0], 'q') && cst_has(s, CST_SEPARABLE),
     "that expressions know as a number");
  cst_system_destroy(s);
  free(text);
}

static void test_lists(void) {
  char       *text = chain_with(MASS, "mass: [[m, 3, i], 1, [m, m, m, 1, 1, i]]");
  cst_system *s = read_text(text);
  double      c[4] = {3, 2, 6, 7};
  OK(value_at(s, s->model->mass[0], c, c) == 2 && value_at(s, s->model->mass[1], c, c) == 3 &&
         value_at(s, s->model->mass[2], c, c) == 3 && value_at(s, s->model->mass[7], c, c) == 1 &&
         value_at(s, s->model->mass[9], c, c) == 6 &&
         !strcmp(s->description->mass_text[2], "[m, m, m, 1, 1, i]"),
     "an array may have a list of its own");
  cst_system_destroy(s);
  free(text);
}

static void test_sizes(void) {
  char          *text = good_chain();
  const cst_size five = {"n", 5}, one = {"n", 1}, none = {"n", 0}, many = {"n", 2000001},
                 other = {"N", 3};
  cst_system *s = read_sized(text, &five, 1);
  OK(s->nq == 16 && s->ng == 6 && s->parameter[0].value == 5 && s->parameter[2].value == 10 &&
         !strcmp(s->description->coordinate[15], "y[10]"),
     "another size, and what follows from it");
  cst_system_destroy(s);
  free(text);
  check_sized(good_chain(), &none, 1,
              "f:1:1: error: size 'n' is 0; it must be a whole number from 1 to 2000000\n");
  check_sized(good_chain(), &many, 1,
              "f:1:1: error: size 'n' is 2000001; it must be a whole number from 1 to 2000000\n");
  check_sized(good_chain(), &other, 1,
              "f:1:1: error: the system has no size parameter 'N'; allowed: n\n");
  check_sized(text_with(-1, NULL), &five, 1,
              "f:1:1: error: the system has no size parameter 'n'; it has none\n");
  s = read_sized("system: s\ncoordinates: [\"x[n]\", y]\nparameters: {n: {size: 2}}\nmass: [1, "
                 "1]\npotential: 0\n"
                 "constraints: {link: {for: \"k = 2..n\", expression: \"x[k] - x[k-1]\"}}\nstates: "
                 "{default: {q: [0, "
                 "0], v: [0, 0],\n"
                 "  exact: {q: [0, 0], v: [0, 0], lambda: [k]}}}\n",
                 &one, 1);
  OK(s->nq == 2 && s->ng == 0 && s->description->nfamily == 1 &&
         s->description->family[0].count == 0,
     "a family may be empty");
  cst_system_destroy(s);
}

static void test_defaults(void) {
  char       *text = good_chain();
  cst_system *s = read_text(text);
  double      c[4];
  cst_system_defaults(s, NULL, c);
  OK(c[0] == 3 && c[1] == 2 && c[2] == 6 && c[3] == 7, "defaults");
  memcpy(c, (double[]){9, 5, 0, 0}, sizeof c);
  cst_system_defaults(s, (bool[]){false, true, false, false}, c);
  OK(c[0] == 3 && c[1] == 5 && c[2] == 15 && c[3] == 16,
     "they follow the parameters before them, a size stays");
  memcpy(c, (double[]){9, 5, 1, 0}, sizeof c);
  cst_system_defaults(s, (bool[]){true, true, true, false}, c);
  OK(c[0] == 3 && c[1] == 5 && c[2] == 1 && c[3] == 2, "unless they are given");
  cst_system_destroy(s);
  free(text);
}

static void test_wrong_names(void) {
  wrong(COORDINATES, "coordinates: [\"x[n\", z]",
        "f:3:15: error: 'x[n': an array of coordinates is written NAME[SIZE]\n");
  wrong(COORDINATES, "coordinates: [\"x[]\", z]",
        "f:3:18: error: the size of 'x': empty expression; expected a number, a name or '('\n");
  wrong(COORDINATES, "coordinates: [\"x[m]\", z]",
        "f:3:18: error: the size of 'x' must be a whole number: an expression of numbers and size "
        "parameters\n");
  wrong(COORDINATES, "coordinates: [\"x[n/2]\", z]",
        "f:3:18: error: the size of 'x' is 1.5; it must be a whole number from 1 to 2000000\n");
  wrong(COORDINATES, "coordinates: [\"x[n-3]\", z]",
        "f:3:18: error: the size of 'x' is 0; it must be a whole number from 1 to 2000000\n");
  wrong(COORDINATES, "coordinates: [\"x[1200000]\", \"y[1200000]\"]",
        "f:3:14: error: there are more than 2000000 coordinates, the maximum\n");
  wrong(COORDINATES, "coordinates: [\"x[n]\", z, x]",
        "f:3:26: error: coordinate 'x': there is already a coordinate of this name\n");
  wrong(COORDINATES, "coordinates: [\"x[n]\", z, i]",
        "f:3:26: error: 'i' is reserved in a system with arrays, such as 'x[n]': it is the number "
        "of an "
        "element\n");
  wrong(COORDINATES, "coordinates: [\"[n]\", z]",
        "f:3:15: error: '' is not a valid name of a coordinate; a name has letters, digits and _, "
        "a letter "
        "first, at most 60 characters\n");
  wrong(COORDINATES, "coordinates: [\"x[k + p]\", z]",
        "f:3:22: error: the size of 'x': unknown name 'p'; allowed: n, m, L, k, pi, sqrt, sin, "
        "cos, tan, "
        "exp, log, atan2, sum\n");
  wrong(PARAMETERS, "parameters: {n: {size: 3, default: 2}, m: 2, L: m*n}",
        "f:4:24: error: parameter 'n' has a default and a size; one of them is allowed\n");
  wrong(PARAMETERS, "parameters: {n: {size: 0}, m: 2, L: m*n}",
        "f:4:24: error: size is 0; it must be a whole number from 1 to 2000000\n");
  wrong(PARAMETERS, "parameters: {n: {size: 2.5}, m: 2, L: m*n}",
        "f:4:24: error: size is 2.5; it must be a whole number from 1 to 2000000\n");
  wrong(PARAMETERS, "parameters: {n: {size: [1]}, m: 2, L: m*n}",
        "f:4:24: error: size must be a number or an expression\n");
  wrong(
      PARAMETERS, "parameters: {m: 2, n: {size: 1 + m}, L: m*n}",
      "f:4:30: error: size must be a whole number: an expression of numbers and size parameters\n");
  wrong(PARAMETERS, "parameters: {n: {size: 3}, i: 2, m: 2, L: m*n}",
        "f:4:28: error: 'i' is reserved in a system with arrays, such as 'x[n]': it is the number "
        "of an "
        "element\n");
}

static void test_wrong_functions(void) {
  wrong(MASS, "mass: [m, 1]",
        "f:5:7: error: mass has 2 entries; there must be 3, one per name of 'coordinates'\n");
  wrong(MASS, "mass: [m, 1, [m, 1]]",
        "f:5:14: error: mass of y has 2 entries; there must be 6, one per element, or one "
        "expression for "
        "all\n");
  wrong(MASS, "mass: [m, 1, [m, 1, 1, 1, 1, \"1 +\"]]",
        "f:5:34: error: mass of y[6]: expected a number, a name or '('\n");
  wrong(MASS, "mass: [m, 1, 4 - i]",
        "f:5:14: error: mass of y[4]: the value is 0 at the default parameters; it must be "
        "positive and "
        "finite\n");
  wrong(MASS, "mass: [m, i, 1]",
        "f:5:11: error: mass: unknown name 'i'; allowed: n, m, L, k, x, z, y, pi, sqrt, sin, cos, "
        "tan, exp, "
        "log, atan2, sum\n");
  wrong(MASS, "mass: [m, [1], 1]",
        "f:5:7: error: a system with arrays, such as 'x[n]', cannot have a mass matrix; give its "
        "diagonal\n");
  wrong(MASS, "mass: [m, 1, [1, 2, 3, 0, 1, 1]]",
        "f:5:24: error: mass of y[4]: the value is 0 at the default parameters; it must be "
        "positive and "
        "finite\n");
  wrong(POTENTIAL, "potential: x",
        "f:6:12: error: potential: 'x' is an array of 3; an entry of it is wanted, such as x[1]\n");
  wrong(POTENTIAL, "potential: \"x[4]\"",
        "f:6:15: error: potential: index 4 of 'x' is outside 1 .. 3\n");
  wrong(POTENTIAL, "potential: \"sum(i, 1, n, x[i+1])\"",
        "f:6:28: error: potential: index 4 of 'x' is outside 1 .. 3\n");
}

static void test_wrong_families(void) {
  wrong(CONSTRAINTS, "constraints: {first: z, link: {for: \"i = 2..n\"}, last: z}",
        "f:7:31: error: missing key 'expression' of a family of constraints\n");
  wrong(CONSTRAINTS, "constraints: {first: z, link: {expression: \"x[1]\"}, last: z}",
        "f:7:31: error: missing key 'for' of a family of constraints\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2..n\", expression: \"x[i+1]\"}, last: z}",
        "f:7:64: error: constraint link[3]: index 4 of 'x' is outside 1 .. 3\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2..n\", expression: \"i\"}, last: z}",
        "f:7:61: error: the constraint link[2] depends on no coordinate\n");
  wrong(CONSTRAINTS, "constraints: {first: z, link: {for: \"i = 2..n\", expression: [x]}, last: z}",
        "f:7:61: error: constraint link[2] must be a number or an expression\n");
  wrong(
      CONSTRAINTS,
      "constraints: {first: z, link: {for: \"i = 2..n\", expression: \"x[i]\", name: a}, last: z}",
      "f:7:69: error: unknown key 'name'; allowed: for, expression\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i in 2..n\", expression: \"x[i]\"}, last: z}",
        "f:7:37: error: 'for' is 'i in 2..n'; it must be 'NAME = FROM..TO', for example 'i = "
        "2..n', or the name of a table\n");
  wrong(CONSTRAINTS, "constraints: {first: z, link: {for: [2], expression: \"x[i]\"}, last: z}",
        "f:7:37: error: 'for' is ''; it must be 'NAME = FROM..TO', for example 'i = 2..n', or the "
        "name of a table\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2,n\", expression: \"x[i]\"}, last: z}",
        "f:7:37: error: 'for' is 'i = 2,n'; it must be 'NAME = FROM..TO', for example 'i = 2..n', "
        "or the name of a table\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"sin = 2..n\", expression: \"x[i]\"}, last: z}",
        "f:7:38: error: 'sin' is reserved and cannot name a variable; reserved: t, pi, sqrt, sin, "
        "cos, tan, "
        "exp, log, atan2, sum\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \" x = 2..n\", expression: \"x[1]\"}, last: z}",
        "f:7:39: error: 'x' cannot be the variable of a family, the name is in use; choose "
        "another\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2..m\", expression: \"x[i]\"}, last: z}",
        "f:7:45: error: the last number must be a whole number: an expression of numbers and size "
        "parameters\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = -1..2\", expression: \"x[i]\"}, last: z}",
        "f:7:42: error: the first number is -1; it must be a whole number from 0 to 1000000\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2..n/2\", expression: \"x[i]\"}, last: z}",
        "f:7:45: error: the last number is 1.5; it must be a whole number from -1000000 to "
        "1000000\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 2..\", expression: \"x[i]\"}, last: z}",
        "f:7:45: error: the last number: empty expression; expected a number, a name or '('\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 1..1000000\", expression: \"x[i]\"}, last: z}",
        "f:7:14: error: there are more than 100000 constraints, the maximum\n");
  wrong(CONSTRAINTS,
        "constraints: {first: z, link: {for: \"i = 1..40\", expression: \"x[1] - i\"}, last: z}",
        "f:7:14: error: 42 constraints on 10 coordinates leave no motion\n");
}

static void test_wrong_lists(void) {
  wrong(SYMMETRIES, "symmetries: {shift: [1, 0]}",
        "f:8:21: error: symmetry has 2 entries; there must be 3, one per name of 'coordinates'\n");
  wrong(DEFAULT, "  default: {q: [0, 1, 1/(i - 2)], v: [0, 0, 0]}",
        "f:10:24: error: q of y[2]: division by zero\n");
  wrong(
      DEFAULT, "  default: {q: [0, 1, sqrt(m - i)], v: [0, 0, 0]}",
      "f:10:23: error: q of y[3]: the value is nan at the default parameters; it must be finite\n");
  wrong(
      DEFAULT, "  default: {q: [0, 1, [0, 0, 0, 0, 0, log(-m)]], v: [0, 0, 0]}",
      "f:10:39: error: q of y[6]: the value is nan at the default parameters; it must be finite\n");
  wrong(
      MORE,
      "  moving: {q: [0, 0, 0], v: [0, 0, 0], exact: {q: [0, 0, 0], v: [0, 0, 0], lambda: [1, i]}}",
      "f:11:84: error: exact lambda has 2 entries; there must be 3, one per constraint\n");
  wrong(MORE,
        "  moving: {q: [0, 0, 0], v: [0, 0, 0], exact: {q: [0, 0, 0], v: [0, 0, 0], lambda: [1, "
        "[i], i]}}",
        "f:11:88: error: exact lambda of link has 1 entries; there must be 2, one per element, or "
        "one "
        "expression for all\n"
        "f:11:93: error: exact lambda: unknown name 'i'; allowed: t, n, m, L, k, pi, sqrt, sin, "
        "cos, tan, "
        "exp, log, atan2, sum\n"
        "2 errors\n");
}

/* Short descriptions that cause much work. */
static void test_bounds(void) {
  check(strdup("system: s\ncoordinates: [\"x[20000]\"]\nmass: [\"1 + sum(k, 1, 1000, "
               "0*k)\"]\npotential: 0\n"
               "states: {default: {q: [0], v: [0]}}\n"),
        "f:3:8: error: the description is too long: with its arrays written out, all expressions "
        "together "
        "may have 60000000 characters\n");
  char  *text = NULL;
  size_t length = 0;
  FILE  *f = open_memstream(&text, &length);
  fprintf(f, "system: s\ncoordinates: [x0");
  for (int i = 1; i < 500; i++)
    fprintf(f, ", x%d", i);
  fprintf(f, "]\nmass: [m");
  for (int i = 1; i < 500; i++)
    fprintf(f, ", m");
  fprintf(f, "]\npotential: 0\nstates: {default: {q: [0], v: [0]}}\n");
  fclose(f);
  char *out = read_and_print(text, NULL, 0);
  OK(strstr(out, "\n100 errors\n") != NULL, "reading ends at a hundred mistakes");
  free(out);
  free(text);
}

int main(void) {
  test_good();
  test_lists();
  test_sizes();
  test_defaults();
  wrong(-1, NULL, "");
  test_wrong_names();
  test_wrong_functions();
  test_wrong_families();
  test_wrong_lists();
  test_bounds();
  return tap_done();
}
