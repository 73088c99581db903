/* test-read-bodies.c: the key `bodies`: the order of coordinates and constraints, inertias, states; and every
 * mistake with its message. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"
#include <math.h>

/* The lines of a good description; each test replaces or adds one. */
enum {
  B_SYSTEM,
  B_COORDINATES,
  B_PARAMETERS,
  B_MASS,
  B_BODIES,
  B_TOP,
  B_FRAME,
  B_POTENTIAL,
  B_CONSTRAINTS,
  B_STATES,
  B_DEFAULT,
  B_PLAIN,
  B_INNER,
  B_TOP_STATE,
  B_FRAME_STATE,
  B_LINES
};
static const char *const body[B_LINES] = {
    "system: bodies",
    "coordinates: [s]",
    "parameters: {m: 2, I: 1, J: 0.5}",
    "mass: [m]",
    "bodies:",
    "  top: {rotation: R, inertia: [I, I, J]}",
    "  frame: {rotation: A, centre: [x, y, z], mass: m, inertia: [[1, 0.1, 0], [0.1, 1.1, 0], [0, "
    "0, J + "
    "0.6]]}",
    "potential: s^2/2 + R33 + m*z",
    "constraints: {pin: x - R13, pot: y - R23}",
    "states:",
    "  default:",
    "    {q: [1], v: [0],",
    "    bodies: {",
    "      top: {axis: [0, 0, 2], angle: pi/2, omega: [1, 2, 3]},",
    "      frame: {quaternion: [0, 0, 3, 0], omega: [0, 0, 1], centre: [0, 0, 1], velocity: [2, "
    "-1, 0]}}}",
};

static char *with(int line, const char *replacement) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  for (int i = 0; i < B_LINES; i++)
    if (i != line || replacement)
      fprintf(f, "%s\n", i == line ? replacement : body[i]);
  fclose(f);
  return text;
}

static void wrong(int line, const char *replacement, const char *expected) {
  check(with(line, replacement), expected);
}

static void near(const double *x, const double *y, int n, const char *what) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i] - y[i]));
  OK(most < 1e-15, "%s", what);
  if (!(most < 1e-15))
    NOTE("off by %g", most);
}

static void test_places(void) {
  char           *text = with(-1, NULL);
  cst_system     *s = read_text(text);
  const cst_body *top = s->model->bodies, *frame = top + 1;
  OK(s->nq == 22 && s->model->nplain == 1 && s->ng == 14 && s->model->nown == 2 &&
         s->model->nbodies == 2,
     "coordinates and constraints are counted");
  OK(top->rotation == 1 && top->centre == -1 && frame->rotation == 10 && frame->centre == 19,
     "coordinates stand where they should");
  OK(top->constraint == 2 && frame->constraint == 8, "constraints stand where they should");
  OK(!strcmp(s->description->coordinate[frame->rotation + 5], "A23") &&
         !strcmp(s->description->coordinate[21], "z"),
     "entries and centres have their names");
  OK(!strcmp(s->description->constraint[7], "top_33") &&
         !strcmp(s->description->constraint[9], "frame_12"),
     "constraints have their names");
  OK(!strcmp(top->name, "top") && !cst_has(s, CST_SEPARABLE) && cst_has(s, CST_MASS_MATRIX),
     "a full inertia makes a full mass matrix");
  cst_system_destroy(s);
  free(text);
}

static void test_numbers(void) {
  const double c[] = {2, 1, 0.5}, full[] = {1, 0.1, 0, 0.1, 1.1, 0, 0, 0, 1.1};
  double       inertia[9], mass, M[22 * 22], q[22], v[22], w[3];
  char        *text = with(-1, NULL);
  cst_system  *s = read_text(text);
  cst_system_body_inertia(s, 1, c, inertia, &mass);
  near(inertia, full, 9, "a full inertia");
  OK(mass == 2, "a mass");
  cst_system_state(s, 0, c, q, v);
  near(q + 1, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9,
       "a quarter turn about z by axis and angle");
  near(v + 1, (double[]){-3, 0, 1, 0, -3, 2, -2, 1, 0}, 9, "its rate R hat(omega)");
  near(q + 10, (double[]){-1, 0, 0, 0, 1, 0, 0, 0, -1}, 9,
       "half a turn about y by a quaternion of length 3");
  cst_system_body_omega(&s->model->bodies[0], q, v, w);
  near(w, (double[]){1, 2, 3}, 3, "omega from the coordinates");
  cst_system_matrix(s, CST_K_M, c, q, NULL, M);
  near(M + 13 * 22 + 13, (double[]){0.6, -0.1, 0}, 3,
       "the block of the second row of R is tr(I)/2 1 - I");
  near(&M[21 * 22 + 21], (double[]){2}, 1, "the mass of a centre");
  double kinetic = 0, wanted = 0.5 * (1 + 4 + 0.5 * 9) + 0.5 * 2 * 5 + 0.5 * 1.1;
  for (int i = 0; i < 22; i++)
    for (int j = 0; j < 22; j++)
      kinetic += 0.5 * v[i] * M[22 * i + j] * v[j];
  near(&kinetic, &wanted, 1, "the kinetic energy 1/2 m |c'|^2 + 1/2 omega'I omega");
  cst_system_destroy(s);
  free(text);
}

static void test_array(void) {
  static const char text[] =
      "system: a\nparameters: {n: {size: 2}, m: 1}\n"
      "bodies: {\"link[n]\": {rotation: L, centre: [u, v, w], mass: m*i, inertia: [1, 1, 0.5*i]}, "
      "one: "
      "{rotation: R, inertia: [1, 1, 1]}}\n"
      "constraints: {f: {for: \"i = 1..n\", expression: \"u[i] - L11[i] + 1\"}}\n"
      "states: {default: {bodies: {link: {axis: [0, 0, 1], angle: 0, centre: [0, i, 0]}, one: "
      "{}}}}\n";
  const cst_size size = {"n", 3};
  const double   c[] = {3, 1};
  double         q[45], v[45], inertia[9], mass;
  cst_system    *s = read_sized(text, &size, 1);
  OK(s->model->nbodies == 4 && s->nq == 45 && s->ng == 27 && s->model->nown == 3,
     "an array of bodies has its size");
  OK(!strcmp(s->model->bodies[2].name, "link[3]") && s->model->bodies[2].rotation == 24 &&
         s->model->bodies[2].centre == 33 && s->model->bodies[2].constraint == 15,
     "its third body stands behind the second");
  OK(!strcmp(s->description->coordinate[24 + 4], "L22[3]") &&
         !strcmp(s->description->constraint[16], "link_12[3]"),
     "its elements have their names");
  cst_system_state(s, 0, c, q, v);
  OK(q[10] == 1 && q[22] == 2 && q[34] == 3 && q[36] == 1, "a state of an array depends on i");
  cst_system_body_inertia(s, 2, c, inertia, &mass);
  OK(inertia[8] == 1.5 && mass == 3, "so do inertia and mass");
  cst_system_destroy(s);
}

static void test_flat(void) {
  static const char text[] = "system: a\nbodies: {plate: {rotation: R, inertia: [0.1, 0.2, 0.1 + "
                             "0.2]}}\nstates: {default: {bodies: {plate: {omega: [1, 2, 3]}}}}\n";
  double            q[9], v[9], p[9], back[9], l[6], A[9];
  cst_system       *s = read_text(text);
  OK(s->model->flat == 0, "a flat body is known as one");
  cst_system_state(s, 0, NULL, q, v);
  cst_system_momentum(s, NULL, q, v, p);
  OK(cst_system_velocity(s, NULL, q, p, back), "its velocity follows from its momentum");
  for (int i = 0; i < 9; i++)
    A[i] = fabs(back[i] - v[i]) < 1e-13;
  OK(A[0] && A[1] && A[2] && A[3] && A[4] && A[5] && A[6] && A[7] && A[8],
     "and is the one that it had");
  /* M A = -G'lambda at R = 1, where G'lambda is the symmetric matrix of lambda: Euler's equations give
   * omega', A = hat(omega') + hat(omega)^2. */
  const double w[] = {1, 2, 3}, I[] = {0.1, 0.2, 0.1 + 0.2}, J[] = {0.2, 0.1, 0};
  const double d[] = {(I[1] - I[2]) * w[1] * w[2] / I[0], (I[2] - I[0]) * w[2] * w[0] / I[1],
                      (I[0] - I[1]) * w[0] * w[1] / I[2]};
  const double hat[] = {0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      A[3 * a + b] = (hat[3 * a + b] + w[a] * w[b] - (a == b ? 14 : 0)) * J[b];
  cst_system_multipliers(s, NULL, q, v, l);
  const double wanted[] = {-A[0], -A[1], -A[2], -A[4], -A[5], -A[8]};
  double       most = 0;
  for (int i = 0; i < 6; i++)
    most = fmax(most, fabs(l[i] - wanted[i]));
  OK(most < 1e-13, "its multipliers are those of Euler's equations");
  if (!(most < 1e-13))
    NOTE("off by %g", most);
  cst_system_destroy(s);
}

/* What is flat for some parameters is not noted in the system. */
static void test_flat_at(void) {
  static const char text[] = "system: a\nparameters: {I: 0.25}\n"
                             "bodies: {plate: {rotation: R, inertia: [0.1, 0.2, I]}}\n"
                             "states: {default: {bodies: {plate: {omega: [1, 2, 3]}}}}\n";
  const double      usual = 0.25, flat = 0.1 + 0.2, none = 0.4;
  double            q[9], v[9], p[9], back[9], most = 0;
  char              why[300];
  cst_system       *s = read_text(text);
  OK(cst_system_check_bodies(s, &flat, why, sizeof why) &&
         cst_system_flat_at(s, &flat) == s->model->bodies,
     "a body may be flat for some parameters");
  OK(!cst_system_flat(s) && !cst_system_flat_at(s, &usual), "and for others not");
  OK(!cst_system_check_bodies(s, &none, why, sizeof why) && !cst_system_flat_at(s, &none),
     "what is no body is no flat one: %s", why);
  cst_system_state(s, 0, &flat, q, v);
  cst_system_momentum(s, &flat, q, v, p);
  OK(cst_system_velocity(s, &flat, q, p, back), "a velocity follows from the momentum there");
  for (int i = 0; i < 9; i++)
    most = fmax(most, fabs(back[i] - v[i]));
  OK(most < 1e-13, "and is the one that it had (%.1e)", most);
  cst_system_destroy(s);
}

static void test_body_mistakes(void) {
  wrong(B_TOP, "  top: [R]",
        "f:6:8: error: a body must be a map with the keys rotation, inertia and, if it has a "
        "centre, centre "
        "and mass\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 1, 1], color: red}",
        "f:6:42: error: unknown key 'color'; allowed: rotation, centre, mass, inertia, shape\n");
  wrong(B_TOP, "  top: {inertia: [1, 1, 1]}",
        "f:6:8: error: missing key 'rotation' of the body (the name of its rotation matrix)\n");
  wrong(B_TOP, "  top: {rotation: 3, inertia: [1, 1, 1]}",
        "f:6:19: error: '3' is not a valid name of a rotation; a name has letters, digits and _, a "
        "letter "
        "first, at most 60 characters\n");
}

static void test_inertia_mistakes(void) {
  wrong(
      B_TOP, "  top: {rotation: R}",
      "f:6:8: error: missing key 'inertia' of the body 'top': 3 principal moments, or 3 rows of a "
      "symmetric matrix\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: 3}",
        "f:6:31: error: 'inertia' must be a list of 3 principal moments [I1, I2, I3] or of 3 rows "
        "of a "
        "symmetric matrix\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 2]}",
        "f:6:31: error: 'inertia' must be a list of 3 principal moments [I1, I2, I3] or of 3 rows "
        "of a "
        "symmetric matrix\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 2, [1, 2, 3]]}",
        "f:6:31: error: 'inertia' mixes numbers and rows; it must be a list of 3 principal moments "
        "or of 3 "
        "rows\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [[1, 0, 0], [0, 1], [0, 0, 1]]}",
        "f:6:43: error: row 2 of inertia has 2 entries; there must be 3\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 1, 2.1]}",
        "f:6:31: error: inertia of top at the default parameters: the principal moments are 1, 1, "
        "2.1; none "
        "may be larger than the sum of the other two\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, -1, 1]}",
        "f:6:31: error: inertia of top at the default parameters: the principal moments are -1, 1, "
        "1; all "
        "must be positive\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 1, 0]}",
        "f:6:31: error: inertia of top at the default parameters: the principal moments are 0, 1, "
        "1; all "
        "must be positive\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 1, 1/0]}",
        "f:6:39: error: inertia of top: division by zero\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [1, 1, q]}",
        "f:6:38: error: inertia of top: unknown name 'q'; allowed: m, I, J, pi, sqrt, sin, cos, "
        "tan, exp, "
        "log, atan2, sum\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]}",
        "f:6:46: error: inertia of top: entry (2, 1) is 0.2 and entry (1, 2) is 0.1 at the default "
        "parameters; an inertia must be symmetric\n");
  wrong(B_TOP, "  top: {rotation: R, inertia: [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]}",
        "f:6:31: error: inertia of top at the default parameters: the principal moments are 0.1, "
        "1, 1.9; "
        "none may be larger than the sum of the other two\n");
}

static void test_place_mistakes(void) {
  wrong(B_TOP, "  top: {rotation: R, mass: 1, inertia: [1, 1, 1]}",
        "f:6:28: error: the body 'top' has a mass but no centre; give 'centre' or leave out "
        "'mass': a body "
        "without a centre turns about the origin, and its inertia is taken about the origin\n");
  wrong(B_TOP, "  \"top[3\": {rotation: R, inertia: [1, 1, 1]}",
        "f:6:3: error: 'top[3': an array of bodies is written NAME[SIZE]\n");
  wrong(B_TOP, "  \"frame[2]\": {rotation: R, inertia: [1, 1, 1]}",
        "f:7:3: error: body 'frame': there is already a body of this name\n");
  wrong(B_TOP, "  to-p: {rotation: R, inertia: [1, 1, 1]}",
        "f:6:3: error: 'to-p' is not a valid name of a body; a name has letters, digits and _, a "
        "letter "
        "first, at most 60 characters\n");
  wrong(B_TOP, "  top: {rotation: A, inertia: [1, 1, 1]}",
        "f:7:21: error: coordinate 'A11': there is already a coordinate of this name\n");
  wrong(B_FRAME, "  frame: {rotation: A, centre: [x, y, z], inertia: [1, 1, 1]}",
        "f:7:10: error: missing key 'mass' of the body 'frame', which has a centre\n");
  wrong(B_FRAME, "  frame: {rotation: A, centre: [x, y], mass: m, inertia: [1, 1, 1]}",
        "f:7:32: error: 'centre' must be a list of 3 names, one per coordinate of the centre of "
        "mass\n");
  wrong(B_FRAME, "  frame: {rotation: A, centre: [x, y, s], mass: m, inertia: [1, 1, 1]}",
        "f:7:39: error: coordinate 's': there is already a coordinate of this name\n");
  wrong(B_FRAME, "  frame: {rotation: A, centre: [x, y, z], mass: -m, inertia: [1, 1, 1]}",
        "f:7:49: error: mass of frame: the value is -2 at the default parameters; it must be "
        "positive and "
        "finite\n");
  wrong(B_FRAME, "  frame: {rotation: A, centre: [x, y, z], mass: s, inertia: [1, 1, 1]}",
        "f:7:49: error: mass of frame: unknown name 's'; allowed: m, I, J, pi, sqrt, sin, cos, "
        "tan, exp, "
        "log, atan2, sum\n");
}

static void test_file_mistakes(void) {
  wrong(B_MASS, NULL,
        "f:1:1: error: missing key 'mass' of the coordinates that belong to no body\n");
  wrong(B_COORDINATES, NULL,
        "f:3:7: error: 'mass' concerns 'coordinates', and there are none; the bodies have their "
        "own masses\n"
        "f:7:12: error: potential: unknown name 's'; allowed: m, I, J, R11, R12, R13, R21, R22, "
        "R23, R31, "
        "R32, R33, A11, A12, A13, A21, A22, A23, A31, A32, A33, x, y, z, t, ...\n"
        "f:11:9: error: q has 1 entries; there must be 0, one per name of 'coordinates'\n"
        "f:11:17: error: v has 1 entries; there must be 0, one per name of 'coordinates'\n"
        "4 errors\n");
  wrong(B_CONSTRAINTS, "constraints: {top_11: x - R13}",
        "f:9:15: error: constraint 'top_11': this is the name of an orthogonality constraint of a "
        "body\n");
}

static void test_rotation_mistakes(void) {
  wrong(B_INNER, "    bodies: { tip: {},",
        "f:13:15: error: unknown key 'tip'; did you mean 'top'? Allowed: top, frame\n");
  wrong(B_FRAME_STATE, "      }}", "f:13:13: error: missing body 'frame' of the state\n");
  wrong(B_TOP_STATE, "      top: 3,",
        "f:14:12: error: the state of top must be a map with the keys axis and angle, quaternion "
        "or matrix, "
        "omega\n");
  wrong(B_TOP_STATE, "      top: {axis: [0, 0, 2]},",
        "f:14:12: error: missing key 'angle' beside 'axis' (in radians)\n");
  wrong(B_TOP_STATE, "      top: {angle: 1},", "f:14:20: error: 'angle' of top needs 'axis'\n");
  wrong(B_TOP_STATE, "      top: {axis: [0, 0, 0], angle: 1},",
        "f:14:19: error: axis of top has the length 0 at the default parameters; it must be "
        "positive and "
        "finite (it is normalised to 1)\n");
  wrong(B_TOP_STATE, "      top: {axis: [0, 1], angle: 1},",
        "f:14:19: error: axis of top must be a list of 3 expressions\n");
  wrong(B_TOP_STATE, "      top: {quaternion: [0, 0, 0, 0]},",
        "f:14:25: error: quaternion of top has the length 0 at the default parameters; it must be "
        "positive "
        "and finite (it is normalised to 1)\n");
  wrong(B_TOP_STATE, "      top: {quaternion: [1, 0, 0]},",
        "f:14:25: error: quaternion of top must be a list of 4 expressions\n");
  wrong(B_TOP_STATE, "      top: {matrix: [1, 0, 0]},",
        "f:14:22: error: row of the matrix of top must be a list of 3 expressions\n");
  wrong(B_TOP_STATE, "      top: {matrix: [[1, 0, 0], [0, 1, 0]]},",
        "f:14:21: error: matrix of top must be a list of 3 rows of 3 expressions\n");
  wrong(B_TOP_STATE, "      top: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]},",
        "f:14:21: error: matrix of top is not a rotation at the default parameters: an entry of "
        "R'R - 1 is "
        "0.1; at most 1e-10 is allowed\n");
  wrong(B_TOP_STATE, "      top: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]},",
        "f:14:21: error: matrix of top is a reflection at the default parameters: its determinant "
        "is -1; "
        "that of a rotation is 1\n");
  wrong(B_TOP_STATE, "      top: {quaternion: [1, 0, 0, 0], axis: [1, 0, 0], angle: 0},",
        "f:14:12: error: the rotation of top is given 2 times; one of 'axis' with 'angle', "
        "'quaternion' and "
        "'matrix' is allowed\n");
}

static void test_state_mistakes(void) {
  wrong(B_TOP_STATE, "      top: {omega: [1, 2]},",
        "f:14:20: error: omega of top must be a list of 3 expressions\n");
  wrong(B_TOP_STATE, "      top: {omega: [1, 2, s]},",
        "f:14:27: error: omega of top: unknown name 's'; allowed: m, I, J, pi, sqrt, sin, cos, "
        "tan, exp, "
        "log, atan2, sum\n");
  wrong(B_TOP_STATE, "      top: {omga: [1, 2, 3]},",
        "f:14:13: error: unknown key 'omga'; did you mean 'omega'? Allowed: axis, angle, "
        "quaternion, matrix, "
        "omega\n");
  wrong(B_TOP_STATE, "      top: {centre: [1, 2, 3]},",
        "f:14:13: error: unknown key 'centre'; allowed: axis, angle, quaternion, matrix, omega\n");
  wrong(B_FRAME_STATE, "      frame: {velocity: [0, 0, 1]}}}",
        "f:15:14: error: missing key 'centre' of frame\n");
  wrong(B_PLAIN, "    {q: [1, 2], v: [0],",
        "f:12:9: error: q has 2 entries; there must be 1, one per name of 'coordinates'\n");
  wrong(B_PLAIN, "    {v: [0],", "f:12:5: error: missing key 'q' of the state\n");
}

/* The symmetries replace the line of the potential, which is omitted. */
static void test_symmetries(void) {
  wrong(B_POTENTIAL,
        "symmetries: {turn: {rotation: [0, 0, 1], generator: [0]}, move: {translation: [1, 0, 0], "
        "generator: "
        "[1]}}",
        "");
  wrong(B_POTENTIAL, "symmetries: {turn: {rotation: [0, 1], generator: [0]}}",
        "f:8:31: error: 'rotation' must be a list of 3 expressions of the parameters, in space "
        "axes\n");
  wrong(B_POTENTIAL, "symmetries: {turn: {rotation: [0, 0, x], generator: [0]}}",
        "f:8:38: error: rotation: unknown name 'x'; allowed: m, I, J, pi, sqrt, sin, cos, tan, "
        "exp, log, "
        "atan2, sum\n");
  wrong(B_POTENTIAL, "symmetries: {turn: {rotation: [0, 0, 1]}}",
        "f:8:20: error: missing key 'generator' of the symmetry (for the coordinates that belong "
        "to no "
        "body)\n");
  wrong(B_POTENTIAL, "symmetries: {turn: {rotation: [0, 0, 1], generator: [0, 0]}}",
        "f:8:53: error: symmetry has 2 entries; there must be 1, one per name of 'coordinates'\n");
  wrong(B_POTENTIAL,
        "symmetries: {turn: {rotation: [0, 0, 1], translation: [0, 0, 1], generator: [0]}}",
        "f:8:20: error: a symmetry has a rotation or a translation; these are two symmetries\n");
  wrong(B_POTENTIAL, "symmetries: {turn: [0, 0]}",
        "f:8:20: error: symmetry has 2 entries; there must be 22, one per coordinate\n");
}

/* How figures show a body: no result depends on it. */
static void test_shapes(void) {
#define TOP_SHAPE(text) "  top: {rotation: R, inertia: [I, I, J], shape: " text "}"
  static const char *const right[] = {
      TOP_SHAPE("sphere"),
      TOP_SHAPE("{box: [I, 2*J, 0.1]}"),
      TOP_SHAPE("{sphere: I}"),
      TOP_SHAPE("{cylinder: [I, J]}"),
      TOP_SHAPE("{polygon: [[0, 0], [I, 0], [0, 0, J]]}"),
  };
  for (size_t i = 0; i < sizeof right / sizeof *right; i++)
    wrong(B_TOP, right[i], "");
  wrong(B_TOP, TOP_SHAPE("spher"),
        "f:6:49: error: unknown shape 'spher'; did you mean 'sphere'?; allowed: box, sphere, "
        "cylinder, polygon\n");
  wrong(B_TOP, TOP_SHAPE("{cone: 1}"),
        "f:6:50: error: unknown shape 'cone'; allowed: box, sphere, cylinder, polygon\n");
  wrong(B_TOP, TOP_SHAPE("[1, 2]"),
        "f:6:49: error: 'shape' must be one of box, sphere, cylinder, polygon, or a map of one of "
        "them to its sizes\n");
  wrong(B_TOP, TOP_SHAPE("polygon"),
        "f:6:49: error: a polygon needs its corners, {polygon: [[x, y], ...]}\n");
  wrong(B_TOP, TOP_SHAPE("{box: [1, 2]}"),
        "f:6:55: error: 'box' must be a list of 3 sides, [a, b, c]\n");
  wrong(B_TOP, TOP_SHAPE("{cylinder: 2}"),
        "f:6:60: error: 'cylinder' must be a list of a radius and a height, [r, h]\n");
  wrong(B_TOP, TOP_SHAPE("{sphere: [2]}"), "f:6:58: error: 'sphere' must be a radius\n");
  wrong(B_TOP, TOP_SHAPE("{sphere: J - I}"),
        "f:6:58: error: shape: the value is -0.5 at the default parameters; it must be a positive "
        "size\n");
  wrong(B_TOP, TOP_SHAPE("{polygon: [[0, 0], [1, 0]]}"),
        "f:6:59: error: 'polygon' must be a list of at least 3 corners, [[x, y], ...] or [[x, y, "
        "z], ...] in body axes\n");
  wrong(B_TOP, TOP_SHAPE("{polygon: [[0, 0], [1], [0, 1]]}"),
        "f:6:68: error: corner 2 of a polygon must be a list of 2 or 3 coordinates in body axes\n");
}

int main(void) {
  test_places();
  test_numbers();
  test_array();
  test_flat();
  test_flat_at();
  test_body_mistakes();
  test_inertia_mistakes();
  test_place_mistakes();
  test_file_mistakes();
  test_rotation_mistakes();
  test_state_mistakes();
  test_symmetries();
  test_shapes();
  return tap_done();
}
