/* test-kind.c: every kind of study has a row that can be found, and a table whose columns differ in name and
 * meaning. */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/result/conclude.h"
#include "study/rows/kind.h"
#include "study/run/run-study.h"
#include "tap.h"

/* A study with everything that adds columns: members, parameters, tolerances, a reference, a user's
 * observable. */
static cst_study *study_of(const cst_kind *k, cst_diag *d) {
  char text[1024];
  snprintf(
      text, sizeof text,
      "study: %s\nsystem: {name: double-pendulum, parameters: {L2: [1, 2]}}\ninitial: {members: 3, "
      "around: low, spread: {q: 0.01}}\n"
      "end: 1\nsteps: [0.5, 0.25]\nmethods: [rattle]\nreference: {method: \"gauss(4)\", step: "
      "0.1}\n"
      "solver: {tolerance: [1.0e-14, 1.0e-8]}\nobservables: [energy, constraint, \"height: y1\"]\n",
      k->name);
  return cst_study_read("kind.yaml", text, strlen(text), cst_reader_share_alone, d);
}

static bool same(const char *a, const char *b) { return !a || !b ? a == b : !strcmp(a, b); }

static bool is_axis(const char *text) {
  return !text || !strcmp(text, "x log") || !strcmp(text, "x linear") || !strcmp(text, "y log") ||
         !strcmp(text, "y linear");
}

static void test_columns(const cst_kind *k, const cst_columns *c) {
  int  twice = 0, alike = 0, mute = 0, untyped = 0, astray = 0, across = 0;
  bool fresh = true;
  for (int i = 0; i < c->n; i++) {
    const cst_column *x = &c->column[i];
    mute += !x->doc || !*x->doc || !x->use.role || !*x->use.role || !x->use.unit;
    untyped += !x->value == !x->label;
    astray += !is_axis(x->use.axis);
    across += x->use.axis && *x->use.axis == 'x';
    for (int j = 0; j < i; j++) {
      twice += !strcmp(x->name, c->column[j].name);
      const bool same_use =
          same(x->use.role, c->column[j].use.role) && same(x->use.of, c->column[j].use.of);
      if (same_use)
        NOTE("%s and %s are both %s of %s", x->name, c->column[j].name, x->use.role,
             x->use.of ? x->use.of : "the case");
      alike += same_use;
    }
    if (!strcmp(x->name, "failed"))
      fresh &= isnan(x->value[0]);
    if (!strcmp(x->name, "tolerance"))
      fresh &= x->value[0] == 1e-14 && x->value[c->ncase - 1] == 1e-8;
    if (!strcmp(x->name, "method"))
      fresh &= !strcmp(x->label[c->ncase - 1], "rattle");
  }
  OK(!twice, "%s: no two of its %d columns have one name", k->name, c->n);
  OK(!alike, "%s: no two are the same of the same", k->name);
  OK(!mute && !untyped, "%s: each says what it is, and holds numbers or words", k->name);
  OK(!astray && across, "%s: axes are x or y, log or linear, and there is one across", k->name);
  OK(fresh, "%s: what a case is is known before the run, and what comes of it is not", k->name);
}

static void test_kind(const cst_kind *k) {
  cst_diag *d = cst_diag_create();
  OK(cst_kind_find(k->name) == k && *k->doc && (*k->figures || k->command),
     "%s: found by its name, with a doc and figures", k->name);
  if (k->keys)
    return cst_diag_destroy(d); /* it needs keys that this study does not have */
  cst_study *s = study_of(k, d);
  cst_plan  *p = s ? cst_plan_create(s, cst_isa_choose(NULL), d) : NULL;
  cst_diag_print(d, stdout);
  if (OK(p != NULL, "%s: a study of it is read and planned", k->name)) {
    cst_conclusion *x = cst_conclude_create(p);
    test_columns(k, cst_conclude_columns(x));
    cst_conclude_destroy(x);
  }
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
}

static void test_handles(void) {
  cst_columns            *c = cst_columns_create(2);
  const cst_number_column first = cst_columns_number(c, (cst_column_use){.role = "a"}, "a", "a");
  for (int i = 0; i < 200; i++)
    cst_columns_number(c, (cst_column_use){.role = "b"}, "b", "b%d", i);
  const cst_text_column last = cst_columns_text(c, (cst_column_use){.role = "c"}, "c", "c");
  cst_column_set(first, 1, 3.5);
  cst_column_say(last, 0, "word");
  OK(c->n == 202 && c->column[0].value[1] == 3.5 && isnan(c->column[0].value[0]) &&
         isnan(c->column[1].value[1]),
     "a handle is of its column, however many follow");
  OK(!strcmp(c->column[201].label[0], "word") && !*c->column[201].label[1] &&
         !strcmp(c->column[200].name, "b199"),
     "words, and names");
  cst_columns_destroy(c);
}

int main(void) {
  OK(cst_kind_count() >= 3 && !cst_kind_at(cst_kind_count()) && !cst_kind_at(-1) &&
         !cst_kind_find("poem"),
     "%d kinds", cst_kind_count());
  for (int i = 0; i < cst_kind_count(); i++) {
    for (int j = 0; j < i; j++)
      if (!strcmp(cst_kind_name(cst_kind_at(i)), cst_kind_name(cst_kind_at(j))))
        OK(false, "%s is there twice", cst_kind_name(cst_kind_at(i)));
    test_kind(cst_kind_at(i));
  }
  test_handles();
  return tap_done();
}
