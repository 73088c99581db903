/* read.h: what the tests of the reader share: a good description whose lines are replaced, and the output of
 * reading it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include "system/system.h"
#include "tap.h"
#include <stdlib.h>
#include <string.h>

/* The lines of a good description; each test replaces or adds some. */
enum {
  SYSTEM,
  DOC,
  COORDINATES,
  PARAMETERS,
  MASS,
  POTENTIAL,
  CONSTRAINTS,
  SYMMETRIES,
  STATES,
  DEFAULT,
  MORE,
  LINES
};
static const char *const good[LINES] __attribute__((unused)) = {
    "system: bead",
    "doc: A bead.",
    "coordinates: [x, y, z]",
    "parameters: {a: 2, m: {default: 1.5, unit: kg, doc: its mass}, b: a*m}",
    "mass: [m, m, 1]",
    "potential: m*z + x^2*y",
    "constraints: {surface: x^2/a^2 + y^2 + z^2 - 1}",
    "symmetries: {rotation-z: [-y, x, 0]}",
    "states:",
    "  default: {q: [0, 0, 1], v: [1, 0, 0]}",
    "  moving: {q: [0, 0, 1], v: [1, 0, 0], exact: {q: [t, 0, 1], v: [1, 0, 0], lambda: [a*t]}}",
};

static inline char *text_with(int line, const char *replacement) {
  char  *text = NULL;
  size_t n = 0;
  FILE  *f = open_memstream(&text, &n);
  for (int i = 0; i < LINES; i++) {
    const char *l = i == line ? replacement : good[i];
    if (l)
      fprintf(f, "%s\n", l);
  }
  fclose(f);
  return text;
}

static inline char *read_and_print(const char *text, const cst_size *sizes, int nsize) {
  char       *out = NULL;
  size_t      n = 0;
  FILE       *f = open_memstream(&out, &n);
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), sizes, nsize, d);
  cst_diag_print(d, f);
  fclose(f);
  if (!s == !*out) { /* a system or errors, never both */
    free(out);
    out = strdup("both or neither\n");
  }
  cst_system_destroy(s);
  cst_diag_destroy(d);
  return out;
}

static inline void check_sized(char *text, const cst_size *sizes, int nsize, const char *expected) {
  char *out = read_and_print(text, sizes, nsize);
  OK(!strcmp(out, expected), "%.*s", (int)strcspn(expected, "\n"),
     *expected ? expected : "nothing is wrong");
  if (strcmp(out, expected))
    NOTE("printed: %s", out);
  free(out);
  free(text);
}

static inline void check(char *text, const char *expected) { check_sized(text, NULL, 0, expected); }

/* Checks that the description with one line replaced (NULL: omitted) prints exactly `expected`. */
static inline void refused(int line, const char *replacement, const char *expected) {
  check(text_with(line, replacement), expected);
}

static inline cst_system *read_sized(const char *text, const cst_size *sizes, int nsize) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("f", text, strlen(text), sizes, nsize, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  fflush(stdout);
  if (!s)
    abort();
  return s;
}

/* Reads a good description. Owned. */
static inline cst_system *read_text(const char *text) { return read_sized(text, NULL, 0); }

/* The value of a node at c, q and t = q[0]. */
static inline double value_at(const cst_system *s, cst_node n, const double *c, const double *q) {
  double        value;
  const double *in[128] = {['c'] = c, ['q'] = q, ['t'] = q};
  cst_tape     *tape = cst_tape_create(s->model->graph, &n, 1);
  cst_evaluate_tape(tape, in, &value);
  cst_tape_destroy(tape);
  return value;
}
