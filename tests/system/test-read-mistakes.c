/* test-read-mistakes.c: every mistake that a system description can have, with its place and message. Arrays
 * and matrices have their own tests. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"

static void test_whole(void) {
  refused(-1, NULL, "");
  check(strdup(""), "f:1:1: error: the file is empty\n");
  check(strdup("[1, 2]"), "f:1:1: error: the file must be a mapping, lines of 'key: value'\n");
  check(strdup("doc: x\n"), "f:1:1: error: missing key 'system' (the name of the system)\nf:1:1: "
                            "error: missing key 'coordinates' "
                            "of the system\n"
                            "f:1:1: error: missing key 'mass' of the system\nf:1:1: error: missing "
                            "key 'potential' of the system\n"
                            "f:1:1: error: missing key 'states' of the system\n5 errors\n");
  refused(SYSTEM, NULL, "f:1:1: error: missing key 'system' (the name of the system)\n");
  refused(MASS, NULL, "f:1:1: error: missing key 'mass' of the system\n");
  refused(POTENTIAL, NULL,
          "f:1:1: error: missing key 'potential' of the system (0 if there is none)\n");
  refused(SYSTEM, "system: 2fast",
          "f:1:9: error: '2fast' is not a valid name of a system; a name has letters, digits, _ "
          "and -, a "
          "letter first, at most 60 characters\n");
  refused(SYSTEM, "system: [a]",
          "f:1:9: error: '' is not a valid name of a system; a name has letters, digits, _ and -, "
          "a letter "
          "first, at most 60 characters\n");
  refused(DOC, "doc: [a]", "f:2:6: error: 'doc' must be text\n");
  refused(DOC, "source: {a: b}", "f:2:9: error: 'source' must be text\n");
  refused(DOC, "potental: 3",
          "f:2:1: error: unknown key 'potental'; did you mean 'potential'? Allowed: system, doc, "
          "source, "
          "coordinates, parameters, define, edges, mass, potential, stiff, stationary, gyroscopic, "
          "constraints, "
          "nonholonomic, "
          "forces, "
          "symmetries, bodies, states, events, units, up, ground\n");
  refused(DOC, "up: w", "f:2:5: error: 'up' is 'w'; allowed: x, y, z, -x, -y, -z\n");
  refused(DOC, "up: [y]", "f:2:5: error: 'up' must be text\n");
  refused(DOC, "ground: x",
          "f:2:9: error: ground: unknown name 'x'; allowed: a, m, b, pi, sqrt, sin, cos, tan, exp, "
          "log, "
          "atan2, sum\n");
  refused(DOC, "ground: 1/(a - 2)", "f:2:9: error: ground: the value is not a finite number\n");
  refused(DOC, "up: -y\nground: -2*a", "");
}

static void test_velocities_and_forces(void) {
  refused(DOC, "nonholonomic: [a]",
          "f:2:15: error: 'nonholonomic' must be a map of 'name: expression of coordinates and "
          "velocities x''\n");
  refused(DOC, "forces: [0, 0, 0]",
          "f:2:9: error: 'forces' must be a map of 'name: [a generalised force per coordinate]'\n");
  refused(DOC, "forces: {push: z}",
          "f:2:16: error: the force 'push' must be a list of 3 expressions, one per coordinate; an "
          "energy "
          "whose gradient is the force belongs under 'potential'\n");
  refused(DOC, "forces: {push: [0, 0]}",
          "f:2:16: error: force 'push' has 2 entries; there must be 3, one per coordinate\n");
  refused(DOC, "forces: {2: [0, 0, 0]}",
          "f:2:10: error: '2' is not a valid name of a force; a name has letters, digits and _, a "
          "letter "
          "first, at most 60 characters\n");
}

static void test_coordinates(void) {
  refused(COORDINATES, "coordinates: x", "f:3:14: error: 'coordinates' must be a list of names\n");
  refused(COORDINATES, "coordinates: []", "f:3:14: error: 'coordinates' must be a list of names\n");
  refused(COORDINATES, "coordinates: [x, x, z]",
          "f:3:18: error: coordinate 'x': there is already a coordinate of this name\n");
  refused(COORDINATES, "coordinates: [x, m, z]",
          "f:3:18: error: coordinate 'm': there is already a parameter of this name\n");
  refused(COORDINATES, "coordinates: [x, 'y z', z]",
          "f:3:18: error: 'y z' is not a valid name of a coordinate; a name has letters, digits "
          "and _, a "
          "letter first, at most 60 characters\n");
  refused(COORDINATES, "coordinates: [x, [y], z]",
          "f:3:18: error: '' is not a valid name of a coordinate; a name has letters, digits and "
          "_, a letter "
          "first, at most 60 characters\n");
  refused(COORDINATES, "coordinates: [x, pi, t]",
          "f:3:18: error: 'pi' is reserved and cannot name a coordinate; reserved: t, pi, sqrt, "
          "sin, cos, "
          "tan, exp, log, atan2, sum\n"
          "f:3:22: error: 't' is reserved and cannot name a coordinate; reserved: t, pi, sqrt, "
          "sin, cos, "
          "tan, exp, log, atan2, sum\n2 errors\n");
  refused(
      COORDINATES, "coordinates: [x, lambda_y, z]",
      "f:3:18: error: 'lambda_y' cannot name a coordinate; names that begin with lambda_ belong to "
      "multipliers\n");
}

static void test_parameters(void) {
  refused(
      PARAMETERS, "parameters: [a, m]",
      "f:4:13: error: 'parameters' must be a map of 'name: value' or 'name: {default: value, unit: "
      "text, "
      "doc: text}'\n"
      "f:5:8: error: mass: unknown name 'm'; allowed: x, y, z, pi, sqrt, sin, cos, tan, exp, log, "
      "atan2, "
      "sum\n"
      "f:5:11: error: mass: unknown name 'm'; allowed: x, y, z, pi, sqrt, sin, cos, tan, exp, log, "
      "atan2, sum\n"
      "f:6:12: error: potential: unknown name 'm'; allowed: x, y, z, t, pi, sqrt, sin, cos, tan, "
      "exp, "
      "log, atan2, sum\n"
      "f:7:28: error: constraint: unknown name 'a'; allowed: x, y, z, t, pi, sqrt, sin, cos, tan, "
      "exp, log, "
      "atan2, sum\n"
      "f:11:85: error: exact lambda: unknown name 'a'; allowed: t, pi, sqrt, sin, cos, tan, exp, "
      "log, "
      "atan2, sum\n6 errors\n");
  refused(PARAMETERS, "parameters: {a: 2, m: 1, sin: 3}",
          "f:4:26: error: 'sin' is reserved and cannot name a parameter; reserved: t, pi, sqrt, "
          "sin, cos, "
          "tan, exp, log, atan2, sum\n");
  refused(
      PARAMETERS, "parameters: {a: 2, m: 1, 3b: 3}",
      "f:4:26: error: '3b' is not a valid name of a parameter; a name has letters, digits and _, a "
      "letter first, at most 60 characters\n");
  refused(
      PARAMETERS, "parameters: {a: 2, m: {unit: kg}}",
      "f:4:20: error: missing key 'default' of parameter 'm' (or 'size' for an integer size)\n");
  refused(PARAMETERS, "parameters: {a: 2, m: {default: 1, units: kg}}",
          "f:4:36: error: unknown key 'units'; did you mean 'unit'? Allowed: default, size, unit, "
          "doc\n");
  refused(PARAMETERS, "parameters: {a: 2, m: {default: 1, unit: [kg]}}",
          "f:4:42: error: 'unit' must be text\n");
  refused(PARAMETERS, "parameters: {a: 2, m: 1, b: [1]}",
          "f:4:29: error: default must be a number or an expression\n");
  refused(
      PARAMETERS, "parameters: {a: 2, m: 1, b: c, c: 1}",
      "f:4:29: error: default: unknown name 'c'; allowed: a, m, pi, sqrt, sin, cos, tan, exp, log, "
      "atan2, sum\n");
  refused(PARAMETERS, "parameters: {a: 2, m: 1, b: 1/(a - 2)}",
          "f:4:29: error: default: the value is not a finite number\n");
  refused(PARAMETERS, "parameters: {a: 2, m: 1, a: 3}", "f:4:26: error: duplicate key 'a'\n");
  char many[4000] = "parameters: {a: 1, m: 2";
  for (int i = 3; i <= 257; i++)
    sprintf(many + strlen(many), ", p%d: 1", i);
  char *text = text_with(PARAMETERS, strcat(many, "}")), *out = read_and_print(text, NULL, 0);
  OK(!strcmp(out, "f:4:13: error: 257 parameters; at most 256 are allowed\n"),
     "257 parameters are too many, which is the only message");
  free(text);
  free(out);
}

static void test_functions(void) {
  refused(MASS, "mass: m",
          "f:5:7: error: mass must be a list of 3 expressions, one per coordinate\n");
  refused(MASS, "mass: [m, m]",
          "f:5:7: error: mass has 2 entries; there must be 3, one per coordinate\n");
  refused(MASS, "mass: [m, x^2, 1]",
          "f:5:11: error: mass: the value is 0 in the state 'default'; it must be positive and "
          "finite\n");
  refused(MASS, "mass: [m, 1 - m, 1]",
          "f:5:11: error: mass: the value is -0.5 at the default parameters; it must be positive "
          "and finite\n");
  refused(MASS, "mass: [m, {a: 1}, 1]", "f:5:11: error: mass must be a number or an expression\n");
  refused(POTENTIAL, "potential: [1]",
          "f:6:12: error: potential must be a number or an expression\n");
  refused(POTENTIAL, "potential: m*(z", "f:6:16: error: potential: missing ')'\n");
  refused(POTENTIAL, "potential: 'm*gg*z'",
          "f:6:15: error: potential: unknown name 'gg'; allowed: a, m, b, x, y, z, t, pi, sqrt, "
          "sin, cos, "
          "tan, exp, log, atan2, sum\n");
  refused(POTENTIAL, "potential: |\n  m*z\n    + q",
          "f:8:7: error: potential: unknown name 'q'; allowed: a, m, b, x, y, z, t, pi, sqrt, sin, "
          "cos, tan, "
          "exp, log, atan2, sum\n");
  refused(POTENTIAL, "potential: s*z",
          "f:6:12: error: potential: unknown name 's'; allowed: a, m, b, x, y, z, t, pi, sqrt, "
          "sin, cos, "
          "tan, exp, log, atan2, sum\n");
  refused(CONSTRAINTS, "constraints: [x]",
          "f:7:14: error: 'constraints' must be a map of 'name: expression'\n");
  refused(CONSTRAINTS, "constraints: {surface: [x]}",
          "f:7:24: error: constraint must be a number or an expression\n");
  refused(CONSTRAINTS, "constraints: {surface: a - 2}",
          "f:7:24: error: the constraint depends on no coordinate\n");
  refused(CONSTRAINTS, "constraints: {sur-face: x}",
          "f:7:15: error: 'sur-face' is not a valid name of a constraint; a name has letters, "
          "digits and _, "
          "a letter first, at most 60 characters\n");
  refused(SYMMETRIES, "symmetries: {rotation: x}",
          "f:8:24: error: symmetry must be a list of 3 expressions, one per coordinate\n");
  refused(SYMMETRIES, "symmetries: {rotation: [-y, x]}",
          "f:8:24: error: symmetry has 2 entries; there must be 3, one per coordinate\n");
  refused(SYMMETRIES, "symmetries: {rotation: [-y, x, \"1 +\"]}",
          "f:8:36: error: symmetry: expected a number, a name or '('\n");
  refused(SYMMETRIES, "symmetries: {'a b': [-y, x, 0]}",
          "f:8:14: error: 'a b' is not a valid name of a symmetry; a name has letters, digits, _ "
          "and -, a "
          "letter first, at most 60 characters\n");
  char many[600] = "symmetries: {s0: [0, 0, 1]";
  for (int i = 1; i <= 8; i++)
    sprintf(many + strlen(many), ", s%d: [0, 0, 1]", i);
  refused(SYMMETRIES, strcat(many, "}"), "f:8:13: error: 9 symmetries; at most 8 are allowed\n");
}

static void test_states(void) {
  refused(DEFAULT, "  first: {q: [0, 0, 1], v: [1, 0, 0]}",
          "f:10:3: error: the first state is 'first'; it must be called 'default'\n");
  refused(DEFAULT, "  default: [0, 0, 1]",
          "f:10:12: error: a state must be a map with the keys q and v\n");
  refused(DEFAULT, "  default: {q: [0, 0, 1]}", "f:10:12: error: missing key 'v' of the state\n");
  refused(DEFAULT, "  default: {q: [0, 0, 1], v: [1, 0, 0], p: 1}",
          "f:10:41: error: unknown key 'p'; allowed: q, v, exact\n");
  refused(DEFAULT, "  default: {q: [0, 1], v: 3}",
          "f:10:16: error: q has 2 entries; there must be 3, one per coordinate\n"
          "f:10:27: error: v must be a list of 3 expressions, one per coordinate\n2 errors\n");
  refused(DEFAULT, "  default: {q: [0, 0, x], v: [1, 0, t]}",
          "f:10:23: error: q: unknown name 'x'; allowed: a, m, b, pi, sqrt, sin, cos, tan, exp, "
          "log, atan2, sum\n"
          "f:10:37: error: v: unknown name 't'; the time cannot stand here; it can in "
          "potential, constraints, forces and exact motions\n2 errors\n");
  refused(DEFAULT, "  default: {q: [0, 0, sqrt(1 - a)], v: [1, 0, 0]}",
          "f:10:23: error: q: the value is nan at the default parameters; it must be finite\n");
  refused(
      MORE, "  a.b: {q: [0, 0, 1], v: [1, 0, 0]}",
      "f:11:3: error: 'a.b' is not a valid name of a state; a name has letters, digits, _ and -, a "
      "letter first, at most 60 characters\n");
  refused(MORE, "  b: {q: [0, 0, 1], v: [1, 0, 0], exact: 1}",
          "f:11:42: error: 'exact' must be a map with the keys q, v, lambda\n");
  refused(MORE, "  b: {q: [0, 0, 1], v: [1, 0, 0], exact: {q: [0, 0, 1]}}",
          "f:11:42: error: missing key 'v' of the exact motion\nf:11:42: error: missing key "
          "'lambda' of the "
          "exact motion\n2 errors\n");
  refused(MORE, "  b: {q: [0, 0, 1], v: [1, 0, 0], exact: {q: [0, 0, x], v: [0, 0], lambda: []}}",
          "f:11:53: error: exact q: unknown name 'x'; allowed: t, a, m, b, pi, sqrt, sin, cos, "
          "tan, exp, "
          "log, atan2, sum\n"
          "f:11:60: error: exact v has 2 entries; there must be 3, one per coordinate\n"
          "f:11:76: error: exact lambda has 0 entries; there must be 1, one per constraint\n3 "
          "errors\n");
  char *text = strdup("system: s\ncoordinates: [x]\nmass: [1]\npotential: 0\nstates: {}\n");
  check(text, "f:5:9: error: 'states' must be a map of 'name: {q: [...], v: [...]}'\n");
}

int main(void) {
  test_whole();
  test_velocities_and_forces();
  test_coordinates();
  test_parameters();
  test_functions();
  test_states();
  return tap_done();
}
