/* test-molecules.c: which systems fall into like molecules, and which do not. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/derive/find-molecules.h"
#include <string.h>
#include "tap.h"

enum { N = 12 };

static const char pairs[] = "sum(i, 1, n, sum(j, i+1, n, 1/sqrt((x[i]-x[j])^2 + (y[i]-y[j])^2)))";

/* Dumbbells from x, y to u, w, and a third mark on the rod at r, s. */
static cst_system *make(const char *coordinates, const char *mass, const char *potential,
                        const char *constraints) {
  char      text[3000];
  cst_diag *d = cst_diag_create();
  snprintf(text, sizeof text,
           "system: dumbbells\ncoordinates: [\"x[n]\", \"y[n]\", \"u[n]\", "
           "\"w[n]\"%s]\nparameters: {n: {size: "
           "%d}, a: 1.0}\nmass: [%s]\n"
           "potential: \"%s\"\nconstraints: {%s}\nstates: {default: {q: [3*i, 0, 3*i, 1%s], v: [0, "
           "0, 0, 0%s]}}\n",
           coordinates, N, mass, potential, constraints, *coordinates ? ", i" : "",
           *coordinates ? ", 0" : "");
  cst_system *s = cst_system_read("text", text, strlen(text), NULL, 0, d);
  if (!s)
    cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return s;
}

static void test_which(void) {
  static const struct {
    const char *what, *coordinates, *mass, *more, *constraints;
    bool        are;
  } all[] = {
      {"rods of one length", "", "1, 1, 2, 2", "",
       "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a\"}", true},
      {"lengths that differ", "", "1, 1, 2, 2", "",
       "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a*i\"}", false},
      {"one of another length", "", "1, 1, 2, 2", "",
       "first: \"(x[1]-u[1])^2 + (y[1]-w[1])^2 - 1\", rod: {for: \"i = 2..n\", expression: "
       "\"(x[i]-u[i])^2 + "
       "(y[i]-w[i])^2 - a\"}",
       false},
      {"two that a rod joins", "", "1, 1, 2, 2", "",
       "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a\"}, bond: "
       "\"(x[1]-x[2])^2 - "
       "9\"",
       false},
      {"coordinates of no molecule", ", \"free[n]\"", "1, 1, 2, 2, 1", "",
       "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a\"}", false},
      {"a field beside the pairs", "", "1, 1, 2, 2", " + x[1]^2",
       "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a\"}", false},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    char potential[400];
    snprintf(potential, sizeof potential, "%s%s", pairs, all[k].more);
    cst_system *s = make(all[k].coordinates, all[k].mass, potential, all[k].constraints);
    OK(s && cst_molecules_are(s) == all[k].are, "%s: %s", all[k].what,
       all[k].are ? "like molecules" : "none");
    cst_system_destroy(s);
  }
}

static void test_where(void) {
  cst_system *s =
      make("", "1, 1, 2, 2", pairs,
           "rod: {for: \"i = 1..n\", expression: \"(x[i]-u[i])^2 + (y[i]-w[i])^2 - a\"}");
  cst_molecules m;
  OK(cst_molecules_find(s, &m) && m.n == N && m.nq == 4 && m.ng == 1 && m.entries == 4,
     "%d molecules of %d coordinates, %d constraint", m.n, m.nq, m.ng);
  OK(m.q[2] == 2 * N && m.qstep[2] == 1 && m.class[1] == m.class[0] && m.class[2] != m.class[0],
     "where they stand, and their masses");
  const double x[4] = {0.5, 1, 0.25, -1}, c[2] = {N, 2}, *in[128] = {['x'] = x, ['c'] = c};
  cst_tape    *t = cst_tape_create(s->model->graph, m.value, 1);
  double       g;
  cst_evaluate_tape(t, in, &g);
  OK(g == 0.0625 + 4 - 2, "the constraint of one (%g)", g);
  cst_tape_destroy(t);
  cst_molecules_destroy(&m);
  cst_system_destroy(s);
}

int main(void) {
  test_which();
  test_where();
  return tap_done();
}
