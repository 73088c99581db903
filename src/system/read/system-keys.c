/* system-keys.c: the table of the keys of a system file (system-keys.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/read/system-keys.h"
#include <stddef.h>
#include <string.h>

static const char *const axes[] = {"x", "y", "z", "-x", "-y", "-z", NULL};
static const char *const directions[] = {"up", "down", "both", NULL};

/* clang-format off */
const cst_key cst_system_keys[] = {
    {"", "system", CST_KEYS_ALL, "name", NULL, "", "system: bead", "The name of the system: a letter, then letters, digits, _ and -, at most 60."},
    {"", "doc", CST_KEYS_ALL, "text", "none", "", "doc: A bead on an ellipsoid.", "What the system is, for lists and pages."},
    {"", "source", CST_KEYS_ALL, "text", "none", "", "source: Goldstein, Classical Mechanics", "Where it is from, for pages and `constella cite`."},
    {"", "coordinates", CST_KEYS_ALL, "list of names", "required; those of the bodies alone", "", "coordinates: [x, y]", "The coordinates q. \"x[n]\" declares an array."},
    {"", "parameters", CST_KEYS_ALL, "map of names to numbers, expressions or maps", "none", "", "parameters: {L: 2}", "The parameters with their defaults, at most 256."},
    {"", "define", CST_KEYS_ALL, "map of names to expressions", "none", "", "define: {r2: x^2 + y^2}", "Names for subexpressions, and functions of one line, \"slip(u, w)\": u - w*R, that all keys below may use; at most 256."},
    {"", "edges", CST_KEYS_ALL, "map, or map of names to maps", "none", "", "edges: {file: net.csv}", "Tables of numbers, over whose rows families and sums run; one is called `edges`; at most 16."},
    {"", "mass", CST_KEYS_ALL, "list of expressions, or of rows", "required; that of the bodies alone", "", "mass: [1, 1]", "The mass matrix M(q): its diagonal, or the rows of a symmetric matrix; 0 on a diagonal: no mass."},
    {"", "potential", CST_KEYS_ALL, "expression", "required; 0 with bodies", "", "potential: (x^2 + y^2)/2", "V(q) or V(q, t); 0 where there is none."},
    {"", "stiff", CST_KEYS_ALL, "expression", "0", "", "stiff: 100*x^2", "A second part of the potential, V = potential + stiff. `zhang-skeel(form=stiff)` takes its Hessian alone (docs/springs.md)."},
    {"", "stationary", CST_KEYS_ALL, "list of names", "none", "", "stationary: [y]", "Coordinates with the mass 0 for which the Lagrangian is stationary: dV/ds = 0, or dg/ds = 0 for the one constraint that depends on s; a constraint stationary_s each."},
    {"", "gyroscopic", CST_KEYS_ALL, "list of expressions", "none", "", "gyroscopic: [-y, x]", "a(q) of the term a(q).v, an expression for each coordinate."},
    {"", "constraints", CST_KEYS_ALL, "map of names to expressions or maps", "none", "", "constraints: {circle: x^2 + y^2 - 1}", "Expressions g(q), or g(q, t), that are zero. The multiplier of NAME is lambda_NAME."},
    {"", "nonholonomic", CST_KEYS_ALL, "map of names to expressions or maps", "none", "", "nonholonomic: {skate: \"y' - x*x'\"}", "Expressions that are zero, linear or affine in the velocities: constraints on velocities."},
    {"", "forces", CST_KEYS_ALL, "map of names to lists of expressions", "none", "", "forces: {drag: [\"-x'\", \"-y'\"]}", "Generalised forces f(q, v, t) that are no gradient, an expression for each coordinate; they may use multipliers, lambda_NAME; at most 8."},
    {"", "symmetries", CST_KEYS_ALL, "map of names to lists of expressions or maps", "none", "", "symmetries: {spin: [-y, x]}", "Generators xi(q) of symmetries, an expression for each coordinate; at most 8."},
    {"", "bodies", CST_KEYS_ALL, "map of names to maps", "none", "", "bodies: {top: {rotation: R, inertia: [2, 3, 4]}}", "Rigid bodies: coordinates, masses and constraints at once (docs/bodies.md)."},
    {"", "states", CST_KEYS_ALL, "map of names to maps", NULL, "", "states: {default: {q: [1, 0], v: [0, 0]}}", "Named starts. The first one is called default."},
    {"", "events", CST_KEYS_ALL, "map of names to expressions or maps", "none", "", "events: {passing: x}", "Where an expression of coordinates, velocities, parameters and t changes its sign, for `events` of a study, which takes it by name (docs/events.md); at most 16."},
    {"", "units", CST_KEYS_ALL, "map of names to texts", "none", "", "units: {time: s, x: m, energy: J}", "Units of the time, of coordinates (an array's name stands for all) and of observables, for figures and messages."},
    {"", "up", CST_KEYS_ALL, NULL, "z; y in the plane", "", "up: y", "The axis that points upwards in figures.",
     .value = {CST_VALUE_CHOICE, .words = axes, .rule = true}},
    {"", "ground", CST_KEYS_ALL, "number or expression", "none", "of the coordinates", "ground: 0", "The height of a floor that figures show; an expression may use the parameters."},

    {"parameters.NAME", "default", CST_KEYS_ALL, "number or expression", "required; or `size`", "its own", "parameters: {L: {default: 2}}", "The value where a study gives none; an expression may use the parameters above it."},
    {"parameters.NAME", "size", CST_KEYS_ALL, NULL, "none; or `default`", "", "parameters: {m: {size: 3}}", "The default of a parameter that counts: the length of arrays, a bound of sums.",
     .value = {CST_VALUE_INTEGER, .low = 1, .high = CST_MOST_Q, .rule = true}},
    {"parameters.NAME", "unit", CST_KEYS_ALL, "text", "none", "", "parameters: {L: {default: 2, unit: m}}", "Its unit, for pages and figures; nothing is computed with it."},
    {"parameters.NAME", "doc", CST_KEYS_ALL, "text", "none", "", "parameters: {L: {default: 2, doc: length of the rod}}", "What it is."},

    {"edges", "file", CST_KEYS_ALL, "file", NULL, "", "edges: {file: net.csv}", "Comma-separated numbers, beside the system file; the first line names the columns."},

    {"constraints.NAME", "for", CST_KEYS_ALL, "range, or name of a table", NULL, "", "constraints: {wire: {for: \"i = 1..n\", expression: \"x[i]^2 + y[i]^2 - 1\"}}", "\"i = FROM..TO\": a constraint for each i; the name of a table: for each row. Under `nonholonomic` too."},
    {"constraints.NAME", "expression", CST_KEYS_ALL, "expression", NULL, "", "constraints: {wire: {for: \"i = 1..2\", expression: \"x[i]^2 + y[i]^2 - 1\"}}", "The constraint of i, or of a row. Under `nonholonomic` too."},

    {"symmetries.NAME", "generator", CST_KEYS_ALL, "list of expressions", "required without bodies", "", "symmetries: {spin: {generator: [-y, x]}}", "The generator xi(q); with `rotation` or `translation`, of the coordinates that belong to no body."},
    {"symmetries.NAME", "gauge", CST_KEYS_ALL, "expression", "0", "", "symmetries: {spin: {generator: [-y, x], gauge: x*y}}", "F(q) where the Lagrangian changes by the total derivative of F; <M v + a, xi> - F is conserved."},
    {"symmetries.NAME", "rotation", CST_SYSTEM_BODIES, "list of 3 expressions", "none", "", "symmetries: {turn: {rotation: [0, 0, 1]}}", "Rotates all bodies about this axis through the origin."},
    {"symmetries.NAME", "translation", CST_SYSTEM_BODIES, "list of 3 expressions", "none", "", "symmetries: {along: {translation: [1, 0, 0]}}", "Moves all bodies in this direction."},

    {"events.NAME", "when", CST_KEYS_ALL, "expression", NULL, "", "events: {passing: {when: x}}", "The expression that changes its sign there."},
    {"events.NAME", "direction", CST_KEYS_ALL, NULL, "both", "", "events: {passing: {when: x, direction: up}}", "Changes of sign that count, where a study does not say it.",
     .value = {CST_VALUE_CHOICE, .words = directions, .rule = true}},

    {"bodies.NAME", "rotation", CST_KEYS_ALL, "name", NULL, "", "bodies: {top: {rotation: Q, inertia: [2, 3, 4]}}", "R of the nine coordinates R11 .. R33, the rotation from body to space."},
    {"bodies.NAME", "centre", CST_KEYS_ALL, "list of 3 names", "the body turns about the origin", "", "bodies: {top: {rotation: R, centre: [X, Y, Z], mass: 1, inertia: [2, 3, 4]}}", "The coordinates of its centre of mass."},
    {"bodies.NAME", "mass", CST_KEYS_ALL, "expression", "required with `centre`", "", "bodies: {top: {rotation: R, centre: [X, Y, Z], mass: 2, inertia: [2, 3, 4]}}", "Its mass."},
    {"bodies.NAME", "inertia", CST_KEYS_ALL, "list of 3 expressions, or of 3 rows", NULL, "", "bodies: {top: {rotation: R, inertia: [3, 2, 2]}}", "The inertia in body axes about the centre: principal moments, or a symmetric matrix."},
    {"bodies.NAME", "shape", CST_KEYS_ALL, "name, or map of a name to sizes", "from the inertia", "of the coordinates", "bodies: {top: {rotation: R, inertia: [2, 3, 4], shape: {box: [3, 2, 1]}}}", "How figures show it: box, sphere, cylinder or polygon (docs/bodies.md)."},

    {"states.NAME", "q", CST_KEYS_ALL, "list of numbers or expressions", "required; of bodies alone: none", "of the coordinates", "states: {default: {q: [1, 0], v: [0, 0]}}", "Coordinates, with g = 0 at t = 0; expressions may use the parameters."},
    {"states.NAME", "v", CST_KEYS_ALL, "list of numbers or expressions", "required; of bodies alone: none", "of the velocities", "states: {default: {q: [1, 0], v: [0, 1]}}", "Velocities, with G v = 0, or G v + dg/dt = 0 where g depends on t."},
    {"states.NAME", "exact", CST_KEYS_ALL, "map", "none", "", "states: {default: {q: [1, 0], v: [0, 1], exact: {q: [cos(t), sin(t)], v: [-sin(t), cos(t)]}}}", "The motion of this start in closed form, for `reference: exact`."},
    {"states.NAME", "bodies", CST_SYSTEM_BODIES, "map of names to maps", "required with bodies", "", "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.1, omega: [0, 0, 1]}}}}", "The state of each body."},
    {"states.NAME.exact", "q", CST_KEYS_ALL, "list of expressions", "required; of bodies alone: none", "of the coordinates", "states: {default: {q: [1, 0], v: [0, 2], exact: {q: [cos(2*t), sin(2*t)], v: [-2*sin(2*t), 2*cos(2*t)]}}}", "q(t); expressions of the parameters and t."},
    {"states.NAME.exact", "v", CST_KEYS_ALL, "list of expressions", "required; of bodies alone: none", "of the velocities", "states: {default: {q: [1, 0], v: [0, 1], exact: {q: [cos(t), sin(t)], v: [-sin(t), cos(t)]}}}", "v(t)."},
    {"states.NAME.exact", "lambda", CST_SYSTEM_CONSTRAINED, "list of expressions", "required with constraints", "of the constraints", "states: {default: {q: [1, 0], v: [0, 1], exact: {q: [cos(t), sin(t)], v: [-sin(t), cos(t)], lambda: [0]}}}", "lambda(t), with M A = f - G'lambda: an expression for each constraint or family."},
    {"states.NAME.exact", "bodies", CST_SYSTEM_BODIES, "map of names to maps", "required with bodies", "", "states: {default: {bodies: {top: {axis: [0, 0, 1], angle: 0, omega: [0, 0, 1]}}, exact: {bodies: {top: {axis: [0, 0, 1], angle: t, omega: [0, 0, 1]}}}}}", "The motion of each body, with the keys of a state's bodies."},
    {"states.NAME.bodies.NAME", "axis", CST_KEYS_ALL, "list of 3 expressions", "the identity", "", "states: {default: {bodies: {top: {axis: [0, 1, 0], angle: 0.2, omega: [0, 0, 1]}}}}", "The axis of the rotation, of any length; with `angle`."},
    {"states.NAME.bodies.NAME", "angle", CST_KEYS_ALL, "number or expression", "required with `axis`", "radian", "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: pi/3, omega: [0, 0, 1]}}}}", "The angle about it."},
    {"states.NAME.bodies.NAME", "quaternion", CST_KEYS_ALL, "list of 4 expressions", "the identity", "", "states: {default: {bodies: {top: {quaternion: [1, 0, 0, 0], omega: [0, 0, 1]}}}}", "The rotation as a quaternion, its real part first; instead of `axis` and `angle`."},
    {"states.NAME.bodies.NAME", "matrix", CST_KEYS_ALL, "list of 3 rows", "the identity", "", "states: {default: {bodies: {top: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], omega: [0, 0, 1]}}}}", "The rotation as a matrix; instead of `axis` and `angle`."},
    {"states.NAME.bodies.NAME", "omega", CST_KEYS_ALL, "list of 3 expressions", "0", "angle per time", "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.1, omega: [1, 0, 5]}}}}", "The angular velocity in body axes."},
    {"states.NAME.bodies.NAME", "centre", CST_SYSTEM_FREE, "list of 3 expressions", "required with a centre", "of the coordinates", "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.1, omega: [0, 0, 1], centre: [0, 0, 1], velocity: [0, 0, 0]}}}}", "The position of the centre."},
    {"states.NAME.bodies.NAME", "velocity", CST_SYSTEM_FREE, "list of 3 expressions", "0", "of the velocities", "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.1, omega: [0, 0, 1], centre: [0, 0, 0], velocity: [1, 0, 0]}}}}", "The velocity of the centre."},
    {0},
};
/* clang-format on */

const cst_key *cst_system_key(const char *in, const char *key) {
  const cst_key *k = cst_system_keys;
  while (strcmp(k->in, in) || strcmp(k->key, key))
    k++;
  return k;
}

void cst_system_keys_check(const cst_document *doc, cst_yaml *map, const char *in, int forms,
                           cst_diag *d) {
  const char *names[CST_MOST_KEYS];
  cst_yaml_check_keys(doc, map, names, cst_keys_of(cst_system_keys, in, forms, names), d);
}
