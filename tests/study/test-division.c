/* test-division.c: every trajectory is in exactly one part of a study, whatever the instruction set; parts have equal
 * numbers of trajectories of each class and, nearly, equal cost; and parts in texts.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/lane-form.h"
#include "core/need.h"
#include "study/plan/division.h"
#include "tap.h"

static cst_study *study_of(long members, cst_diag *d) {
  char text[512];
  snprintf(
      text, sizeof text,
      "study: conservation\nsystem: {name: planar-pendulum, parameters: {g: [1, 2, 3]}}\ninitial: "
      "{members: %ld, seed: 1, spread: {q: 0.01}}\nend: 1\nsteps: {from: 0.1, halvings: 5}\n"
      "methods: [rattle, midpoint, gauss(4), \"hbvm(k=4, s=2)\"]\n",
      members);
  return cst_study_read("division.yaml", text, strlen(text), cst_reader_share_alone, d);
}

/* Counts how many parts each trajectory is in. */
static bool once(const cst_plan *p, const cst_division *d) {
  const long members = p->study->ensemble.members;
  int       *seen = cst_zeros(members, sizeof *seen);
  bool       good = true;
  for (int i = 0; i < p->ncase; i++) {
    memset(seen, 0, sizeof *seen * (size_t)members);
    for (long part = 1; part <= d->n; part++) {
      long first, count;
      cst_division_members(p, d, part, i, &first, &count);
      for (long m = first; m < first + count; m++)
        good &= m >= 0 && m < members && !seen[m]++;
    }
    for (long m = 0; m < members; m++)
      good &= seen[m] == 1;
  }
  free(seen);
  return good;
}

/* Stretches follow one another, and differ by one lane at most. */
static bool alike(const cst_plan *p, const cst_division *d) {
  bool good = true;
  for (int k = 0; k < p->nclass; k++) {
    const long lanes = p->classes[k].lanes;
    long       at = 0;
    for (long part = 1; part <= d->n; part++) {
      long first, count;
      cst_division_lanes(p, d, part, k, &first, &count);
      good &= first == at && count >= lanes / d->n && count <= (lanes + d->n - 1) / d->n;
      at += count;
    }
    good &= at == lanes;
  }
  return good;
}

static double cost_of(const cst_plan *p, const cst_division *d, long part) {
  double sum = 0;
  for (int k = 0; k < p->nclass; k++) {
    long first, count;
    cst_division_lanes(p, d, part, k, &first, &count);
    sum += (double)count * (double)p->classes[k].n * p->classes[k].cost;
  }
  return sum;
}

/* No part costs more than the mean and one trajectory of the costliest class. */
static bool fair(const cst_plan *p, const cst_division *d) {
  double costliest = 0;
  bool   good = true;
  for (int k = 0; k < p->nclass; k++) {
    const double one = (double)p->classes[k].n * p->classes[k].cost;
    costliest = one > costliest ? one : costliest;
  }
  for (long part = 1; part <= d->n; part++)
    good &= cost_of(p, d, part) <= 1.0001 * (p->cost / (double)d->n + costliest);
  return good;
}

static void look_at(cst_plan *const *plan, int nplan, long members, long n) {
  cst_division *d[CST_ISA_MOST];
  bool          same = true;
  for (int i = 0; i < nplan; i++) {
    d[i] = cst_division_create(plan[i], n);
    same &= !memcmp(d[i]->begin, d[0]->begin, sizeof *d[0]->begin * (size_t)plan[0]->nclass);
  }
  const bool is_once = once(plan[0], d[0]), is_alike = alike(plan[0], d[0]),
             is_fair = fair(plan[0], d[0]);
  OK(same && is_once && is_alike && is_fair,
     "%ld members in %ld parts: the same on %d sets %d, each once %d, alike %d, fair %d", members,
     n, nplan, same, is_once, is_alike, is_fair);
  for (int i = 0; i < nplan; i++)
    cst_division_destroy(d[i]);
}

static void divide(long members) {
  static const long parts[] = {1, 2, 3, 7, 10, 64, 1000};
  cst_diag         *d = cst_diag_create();
  cst_study        *s = study_of(members, d);
  cst_plan         *plan[CST_ISA_MOST];
  int               n = 0;
  for (int isa = 0; s && isa < cst_isa_count; isa++)
    if (cst_isa_available(isa) && cst_lane_form(isa, "newmark") &&
        (plan[n] = cst_plan_create(s, isa, d)))
      n++;
  OK(n > 0 && !cst_diag_count(d), "%ld members are planned", members);
  cst_diag_print(d, stdout);
  for (size_t k = 0; n && k < sizeof parts / sizeof *parts; k++)
    look_at(plan, n, members, parts[k]);
  for (int i = 0; i < n; i++)
    cst_plan_destroy(plan[i]);
  cst_study_destroy(s);
  cst_diag_destroy(d);
}

static void parse(const char *text, long part, long n) {
  long       a = -1, b = -1;
  const bool is = cst_part_parse(text, &a, &b);
  OK(is == (part > 0) && (is ? a == part && b == n : a == -1 && b == -1), "part '%s'", text);
}

int main(void) {
  static const long members[] = {1, 2, 5, 12, 100};
  for (size_t m = 0; m < sizeof members / sizeof *members; m++)
    divide(members[m]);
  parse("1/1", 1, 1);
  parse("2/7", 2, 7);
  parse("1000000/1000000", 1000000, 1000000);
  static const char *const wrong[] = {"",     "1",    "/7",   "0/7",  "8/7", "1/0",
                                      "-1/7", "1/7 ", " 1/7", "1/-7", "a/b", "1/1000001"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    parse(wrong[i], 0, 0);
  return tap_done();
}
