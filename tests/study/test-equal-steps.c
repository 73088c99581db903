/* test-equal-steps.c: whatever relies on steps of equal length is refused, with its name, where a method changes the lengths
 * of its steps, by a row of a substep that only this test has; nothing else is, and no method with equal steps. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include "method/method.h"
#include "study/plan/plan.h"
#include "tap.h"

static const cst_substep_row varying = {.name = "varying", .features = CST_VARIES};

/* What is refused of a study, a line each; owned. `kind` begins its file; reliant: an observer's row says that it is. */
static char *refused(const char *kind, const char *methods, const char *more, bool varies,
                     bool reliant) {
  char   text[1024], *lines = NULL;
  size_t length;
  snprintf(
      text, sizeof text,
      "study: %s\nsystem: planar-pendulum\nend: 40\nsteps: [0.5, 0.25]\nmethods: [\"%s\"]\n%s\n",
      kind, methods, more);
  FILE      *out = open_memstream(&lines, &length);
  cst_diag  *d = cst_diag_create(), *of_steps = cst_diag_create();
  cst_study *s = cst_study_read("steps.yaml", text, strlen(text), cst_reader_share_alone, d);
  cst_plan  *p = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
  cst_diag_print(d, stderr);
  if (p) {
    cst_observer row = *p->observation[0].row;
    row.needs = reliant ? CST_NEEDS_EQUAL_STEPS : 0;
    p->observation[0].row = &row;
    if (varies)
      cst_program_add(p->method[0]->program, cst_substep_of(&varying, 1, NULL));
    cst_plan_check_steps(p, of_steps);
    cst_diag_print(of_steps, out);
  } else {
    fprintf(out, "no plan");
  }
  fclose(out);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
  cst_diag_destroy(of_steps);
  return lines;
}

static int lines_of(const char *text) {
  int n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* The only thing that is refused is this; NULL: nothing is. */
static void test_one(const char *kind, const char *methods, const char *more, bool reliant,
                     const char *what) {
  char *none = refused(kind, methods, more, false, reliant),
       *text = refused(kind, methods, more, true, reliant);
  OK(!*none, "%s, %s: equal steps are no cause%s%s", kind, methods, *none ? ": " : "", none);
  OK(what ? strstr(text, what) && strstr(text, methods) && lines_of(text) <= 2 : !*text,
     "and others %s%s", what ? "make it refuse " : "are none", what ? what : text);
  if (what && !strstr(text, what))
    fprintf(stderr, "%s", text);
  free(none);
  free(text);
}

#define ORDER "samples: {count: 0}\nreference: exact"
#define BARE  "samples: {count: 0}\n"
static void test_collectors(void) {
  static const struct {
    const char *more, *what;
  } of[] = {
      {BARE "trajectories: {members: [0], every: 4}", "states along"},
      {BARE "autocorrelation: [{name: a, expression: x, every: 0.5, lags: 4}]", "autocorrelation"},
      {BARE "mean-square-displacement: [{name: a, expression: x, every: 0.5, lags: 4}]",
       "displacement"},
      {BARE "frequencies: [{name: a, expression: x, every: 0.5}]", "frequencies"},
      {BARE "histograms: [{name: a, expression: x, from: -1, to: 1, bins: 4}]", "distributions"},
      {BARE "events: [{name: a, when: x}]", "change their sign"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    char *text = refused("order\nreference: exact", "rattle", of[i].more, true, false);
    OK(strstr(text, of[i].what) && strstr(text, "relies on steps of equal length, and 'rattle'"),
       "%s is refused", of[i].what);
    if (!strstr(text, of[i].what))
      fprintf(stderr, "%s", text);
    free(text);
  }
}

int main(void) {
  test_one("order", "rattle", ORDER, false, NULL);
  test_one("order", "rattle", ORDER, true, "the observable ");
  test_one("order", "rattle", "reference: exact", false, "samples at chosen steps");
  test_one("order", "rattle", "samples: {count: 0}\nreference: self", false,
           "a reference other than 'exact'");
  test_one("order", "bdf(2)", ORDER, false, "its substep constrained");
  test_one("ensemble", "rattle",
           "samples: {count: 0}\ninitial: {members: 2, spread: {q: 0.1, v: 0.1}}", false,
           "study: ensemble");
  test_collectors();
  return tap_done();
}
