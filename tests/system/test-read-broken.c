/* test-read-broken.c: a system with every key of a description, in which each key, and each two keys, are left out, or
 * have a value that is wrong: it is read or refused with a message, whatever else the key is needed for. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "constella/diag.h"
#include "system/system.h"
#include "tap.h"

enum { MOST_TEXT = 8192 };

static const struct {
  const char *before, *right; /* what comes before the value; the value, to the end of its line */
} part[] = {
    {"system: ", "all-keys"},
    {"coordinates: ", "[s, \"w[n]\", y]"},
    {"parameters: ", "{n: {size: 3}, m: 2, a: {default: 3, unit: m}, r: 0.5}"},
    {"define: ", "{height: \"a*R33 + y^2\", \"twice(k)\": \"2*k\"}"},
    {"mass: ", "[m, 1, 2]"},
    {"potential: ", "m*height + twice(s)^2 + sum(i, 1, n, w[i]^2)"},
    {"stiff: ", "100*s^2"},
    {"gyroscopic: ",
     "[y, \"0*R11\", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
    {"units: ", "{time: s, s: m, energy: J}"},
    {"up: ", "z"},
    {"ground: ", "-a"},
    {"bodies:\n  top: {rotation: R, centre: [X, Y, Z], mass: m, inertia: ", "[0.1, 0.2, 0.25]}"},
    {"  one: {shape: box, inertia: [0.1, 0.2, 0.25], rotation: ", "Q}"},
    {"constraints:\n  held: ", "X - R13"},
    {"  every: {for: \"i = 1..n\", expression: ", "\"w[i] - s\"}"},
    {"nonholonomic: ", "{skate: \"y' - r*R11'\"}"},
    {"forces: ", "{drag: [\"-s'\", \"lambda_held\", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                 "0, 0, 0, 0, 0, 0, 0]}"},
    {"symmetries: ", "{turn: {rotation: [0, 0, 1], generator: [0, 0, 0]}}"},
    {"states:\n  default: {q: ",
     "[0, 0, 0], v: [0, 0, 0], bodies: {top: {omega: [0, 0, 1], centre: [0, 0, 0]}, one: {}}}"},
    {"  other: {q: [0, 0, 0], v: [0, 0, 0], bodies: {top: ",
     "{axis: [0, 0, 1], angle: 0.1, centre: [0, 0, 0]}, one: {}}}"},
    {"events: ", "{passing: s, upwards: {when: \"s'*height\", direction: up}}"},
};
enum { PARTS = sizeof part / sizeof *part, LEFT_OUT = -1, RIGHT };

static const char *const wrong[] = {
    "x", "[]", "{}", "[x, 1/0, [w]]", "{a: {b: [c]}, d: \"s'\"}", "\"1 +\"", "~"};
enum { WRONG = sizeof wrong / sizeof *wrong };

/* What parts i and j have: LEFT_OUT, RIGHT, or 1.. of `wrong`. */
static cst_system *read(int i, int as, int j, int and, cst_diag *d) {
  char text[MOST_TEXT];
  int  n = 0;
  for (int k = 0; k < PARTS; k++) {
    const int how = k == i ? as : k == j ? and : RIGHT;
    if (how != LEFT_OUT)
      n += snprintf(text + n, sizeof text - (size_t)n, "%s%s\n", part[k].before,
                    how == RIGHT ? part[k].right : wrong[how - 1]);
  }
  return cst_system_read("f", text, (size_t)n, NULL, 0, d);
}

/* How many of these are neither a system nor refused. */
static int unclear, refused;

static void look(int i, int as, int j, int and) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = read(i, as, j, and, d);
  unclear += !s == !cst_diag_count(d);
  refused += !s;
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

int main(void) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = read(-1, RIGHT, -1, RIGHT, d);
  cst_diag_print(d, stderr);
  OK(s && !cst_diag_count(d), "the system with every key is read");
  cst_system_destroy(s);
  cst_diag_destroy(d);
  for (int i = 0; i < PARTS - 1; i++) {
    unclear = refused = 0;
    for (int as = LEFT_OUT; as <= WRONG; as++)
      for (int j = i + 1; j < PARTS; j++)
        for (int and = LEFT_OUT; and <= WRONG; and++)
          if (as != RIGHT || j == i + 1)
            look(i, as, j, and);
    OK(!unclear && refused,
       "%.*s with each key after it: read, or refused with a message: %d unclear, %d refused",
       (int)strcspn(part[i].before, "\n"), part[i].before, unclear, refused);
  }
  return tap_done();
}
