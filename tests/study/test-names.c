/* test-names.c: the names that expressions of observables can use, including arrays and families; and the
 * plan's choice of lanes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include "study/file/names.h"
#include "study/plan/plan.h"
#include "tap.h"

static const char chain[] =
    "system: chain\ncoordinates: [\"x[4]\", h]\nparameters: {k: 2}\nmass: [1, 3]\npotential: h\n"
    "constraints:\n  first: x[1] - h\n  link: {for: \"i = 2..3\", expression: \"x[i] - x[i-1]\"}\n"
    "states:\n  default: {q: [0, 0], v: [0, 0]}\n";

/* The value of the expression; NAN if the text is rejected. */
static double value(const cst_system *s, const char *text, cst_expr_error *e) {
  const double c[] = {2}, q[] = {1, 2, 3, 4, 5}, v[] = {10, 20, 30, 40, 50}, l[] = {100, 200, 300},
               t[] = {1000};
  const double *in[128] = {['c'] = c, ['q'] = q, ['v'] = v, ['l'] = l, ['t'] = t};
  cst_names     names = cst_names_create(s, s->model->graph, "");
  cst_node      x = cst_expr_parse(s->model->graph, text, names.name, names.n, e);
  double        out = NAN;
  cst_names_destroy(&names);
  if (x < 0)
    return NAN;
  cst_tape *tape = cst_tape_create(s->model->graph, &x, 1);
  cst_evaluate_tape(tape, in, &out);
  cst_tape_destroy(tape);
  return out;
}

static void test_names(void) {
  cst_diag      *d = cst_diag_create();
  cst_system    *s = cst_system_read("f", chain, strlen(chain), NULL, 0, d);
  cst_expr_error e;
  cst_diag_print(d, stdout);
  if (!s)
    exit(1);
  OK(value(s, "x[1] + x[4] + h", &e) == 10, "entries of arrays and plain coordinates");
  OK(value(s, "x'[3] + h'", &e) == 80, "their velocities: x'[3]");
  OK(value(s, "lambda_first + lambda_link[2] + 2*lambda_link[3]", &e) == 900,
     "multipliers of families by the numbers of their members");
  OK(value(s, "k*t + sum(i, 1, 4, x[i])", &e) == 2010, "parameters, time, sums over entries");
  OK(isnan(value(s, "x[5]", &e)) && strstr(e.message, "1 .. 4"), "no entry 5 of 4: %s", e.message);
  OK(isnan(value(s, "lambda_link[4]", &e)) &&
         !strcmp(e.message, "index 4 of 'lambda_link' is outside 2 .. 3"),
     "no member 4 of 2 .. 3: %s", e.message);
  OK(isnan(value(s, "lambda_link[1]", &e)) &&
         !strcmp(e.message, "index 1 of 'lambda_link' is outside 2 .. 3"),
     "no member 1 of 2 .. 3: %s", e.message);
  OK(isnan(value(s, "lambda_link", &e)) &&
         strstr(e.message, "is an array of 2; an entry of it is wanted, such as lambda_link[2]"),
     "a family is no number: %s", e.message);
  OK(isnan(value(s, "x", &e)) && strstr(e.message, "such as x[1]"), "an array is no number: %s",
     e.message);
  OK(!strcmp(cst_names_list(s->description->coordinate_name, s->description->ncoordinate),
             "x[1..4], h") &&
         !strcmp(cst_names_list(s->description->family, s->description->nfamily),
                 "first, link[2..3]"),
     "lists of names: %s; %s",
     cst_names_list(s->description->coordinate_name, s->description->ncoordinate),
     cst_names_list(s->description->family, s->description->nfamily));
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

/* A family may start at 0 or at a number greater than its count. */
static void test_firsts(void) {
  static const char text[] =
      "system: s\ncoordinates: [\"x[9]\"]\nmass: [1]\npotential: 0\nconstraints:\n"
      "  low: {for: \"i = 0..1\", expression: \"x[i+1]\"}\n  high: {for: \"i = "
      "8..9\", expression: \"x[i]\"}\n"
      "states:\n  default: {q: [0], v: [0]}\n";
  cst_diag      *d = cst_diag_create();
  cst_system    *s = cst_system_read("f", text, strlen(text), NULL, 0, d);
  cst_expr_error e;
  cst_diag_print(d, stdout);
  if (!s)
    exit(1);
  const double  q[9] = {0}, v[9] = {0}, l[] = {1, 2, 3, 4};
  const double *in[128] = {['q'] = q, ['v'] = v, ['l'] = l};
  cst_names     names = cst_names_create(s, s->model->graph, "");
  cst_node      x =
      cst_expr_parse(s->model->graph,
                     "lambda_low[0] + 10*lambda_low[1] + 100*lambda_high[8] + 1000*lambda_high[9]",
                     names.name, names.n, &e);
  double out = NAN;
  if (x >= 0) {
    cst_tape *tape = cst_tape_create(s->model->graph, &x, 1);
    cst_evaluate_tape(tape, in, &out);
    cst_tape_destroy(tape);
  }
  OK(out == 4321, "members of a family have its numbers, 0 among them");
  OK(cst_expr_parse(s->model->graph, "lambda_low[2]", names.name, names.n, &e) < 0 &&
         !strcmp(e.message, "index 2 of 'lambda_low' is outside 0 .. 1"),
     "no member 2 of 0 .. 1: %s", e.message);
  OK(cst_expr_parse(s->model->graph, "x[lambda_high[9]]", names.name, names.n, &e) < 0 &&
         strstr(e.message, "it depends on 'lambda_high[9]'"),
     "a member by its number: %s", e.message);
  cst_names_destroy(&names);
  cst_system_destroy(s);
  cst_diag_destroy(d);
}

static void test_list(void) {
  cst_name many[200];
  for (int i = 0; i < 200; i++)
    many[i] = (cst_name){.name = "coordinate", .at = i, .count = 1};
  const char *list = cst_names_list(many, 200);
  OK(strlen(list) < 1024 && !strcmp(list + strlen(list) - 15, "coordinate, ..."),
     "a long list of names is cut");
}

static int planned(const char *initial, int isa) {
  char      *text;
  cst_diag  *d = cst_diag_create();
  cst_study *s;
  if (asprintf(&text,
               "study: conservation\nsystem: planar-pendulum\ninitial: %s\nend: 1\nsteps: "
               "[0.1]\nmethods: "
               "[rattle]\n",
               initial) < 0)
    exit(1);
  s = cst_study_read("t", text, strlen(text), cst_reader_share_alone, d);
  cst_plan *p = s ? cst_plan_create(s, isa, d) : NULL;
  int       chosen = p ? p->isa : -1;
  cst_diag_print(d, stdout);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
  free(text);
  return chosen;
}

static void test_lanes(void) {
  static const char many[] = "{members: 100, spread: {q: 0.1}}";
  const int         widest = cst_isa_choose(NULL);
  unsetenv("CONSTELLA_ISA");
  const int alone = planned("default", widest);
  OK(alone >= 0, "lanes are chosen for one trajectory");
  OK(alone >= 0 && cst_isas[alone].full == widest && cst_isas[alone].width <= 2,
     "one trajectory takes the fewest lanes of the same set");
  OK(planned(many, widest) == widest, "a hundred take the widest");
  setenv("CONSTELLA_ISA", cst_isas[widest].name, 1);
  OK(planned("default", widest) == widest, "CONSTELLA_ISA is obeyed");
}

int main(void) {
  test_names();
  test_firsts();
  test_list();
  test_lanes();
  return tap_done();
}
