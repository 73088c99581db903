/* test-member.c: members of ensembles are consistent, independent of each other and of the size of the
 * ensemble, and normally distributed if unconstrained. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/rows/study.h"
#include "study/file/starts.h"
#include "tap.h"

static cst_study *study(const char *system, const char *initial) {
  char text[1024];
  snprintf(text, sizeof text,
           "study: ensemble\nsystem: %s\ninitial: %s\nend: 1\nsteps: [0.1]\nmethods: [midpoint]\n",
           system, initial);
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("t.yaml", text, strlen(text), cst_reader_share_alone, d);
  cst_diag_print(d, stdout);
  cst_diag_destroy(d);
  return s;
}

enum { MOST = CST_MAX_Q };

static void alone_and_together(void) {
  cst_study *many = study("double-pendulum", "{members: 1000, seed: 7, spread: {q: 0.1, v: 0.1}}"),
            *few = study("double-pendulum", "{members: 8, seed: 7, spread: {q: 0.1, v: 0.1}}");
  cst_study *other = study("double-pendulum", "{members: 8, seed: 8, spread: {q: 0.1, v: 0.1}}");
  size_t     bytes = sizeof(double) * (size_t)many->problem.system->nq;
  double     q[MOST], v[MOST], a[MOST], b[MOST];
  OK(cst_study_member(many, 0, 7, q, v) && cst_study_member(few, 0, 7, a, b) &&
         !memcmp(q, a, bytes) && !memcmp(v, b, bytes),
     "member 7 is the same in an ensemble of 8 and of 1000");
  cst_study_member(many, 0, 6, a, b);
  OK(memcmp(q, a, bytes) && memcmp(v, b, bytes), "member 6 is another");
  cst_study_member(many, 0, 7, a, b);
  OK(!memcmp(q, a, bytes) && !memcmp(v, b, bytes), "asked again it is the same");
  cst_study_member(other, 0, 7, a, b);
  OK(memcmp(q, a, bytes) && memcmp(v, b, bytes), "another seed gives another member");
  cst_study_destroy(many);
  cst_study_destroy(few);
  cst_study_destroy(other);
}

static void consistent(void) {
  cst_study *s = study("double-pendulum", "{members: 500, seed: 3, spread: {q: 0.1, v: 0.2}}");
  double     worst_g = 0, worst_gv = 0, q[MOST], v[MOST], g, gv;
  int        made = 0;
  for (long k = 0; k < s->ensemble.members; k++) {
    made += cst_study_member(s, 0, k, q, v);
    cst_system_residuals(s->problem.system, s->problem.parameter, q, v, NULL, &g, NULL, &gv);
    worst_g = fmax(worst_g, g);
    worst_gv = fmax(worst_gv, gv);
  }
  OK(made == 500 && worst_g < 1e-13 && worst_gv < 1e-13,
     "500 members lie on the constraints: |g| %.2g, |G v| %.2g of their scales", worst_g, worst_gv);
  cst_study_destroy(s);
}

/* Without constraints nothing is projected and the deviates stay normal. */
static void moments(void) {
  enum { N = 20000 };
  cst_study *s = study(
      "henon-heiles",
      "{members: 20000, seed: 5, around: {q: [0.25, 0], v: [0, 0.5]}, spread: {q: 0.1, v: 0.2}}");
  double mean[4] = {0}, square[4] = {0}, cross = 0;
  for (long k = 0; k < N; k++) {
    double x[4];
    cst_study_member(s, 0, k, x, x + 2);
    double n[4] = {(x[0] - 0.25) / 0.1, x[1] / 0.1, x[2] / 0.2, (x[3] - 0.5) / 0.2};
    for (int i = 0; i < 4; i++) {
      mean[i] += n[i] / N;
      square[i] += n[i] * n[i] / N;
    }
    cross += n[0] * n[2] / N;
  }
  for (int i = 0; i < 4; i++)
    OK(fabs(mean[i]) < 4 / sqrt(N) && fabs(square[i] - 1) < 4 * sqrt(2. / N),
       "component %d: mean %.4f, variance %.4f of unit normals", i, mean[i], square[i]);
  OK(fabs(cross) < 4 / sqrt(N), "q and v are independent: %.4f", cross);
  cst_study_destroy(s);
}

static void without_spread(void) {
  cst_study *s = study("double-pendulum", "{members: 3, seed: 5, spread: {v: 0.1}}");
  double     q[MOST], v[MOST];
  cst_study_member(s, 0, 2, q, v);
  double off = 0;
  for (int i = 0; i < s->problem.system->nq; i++)
    off = fmax(off, fabs(q[i] - s->starts.q[i]));
  OK(off < 1e-15, "spread in v alone leaves q: %.2g", off);
  cst_study_destroy(s);
  s = study("double-pendulum", "default");
  OK(cst_study_member(s, 0, 0, q, v) &&
         !memcmp(q, s->starts.q, sizeof(double) * (size_t)s->problem.system->nq) &&
         !memcmp(v, s->starts.v, sizeof(double) * (size_t)s->problem.system->nq),
     "without an ensemble: the start itself");
  cst_study_destroy(s);
}

static void variants(void) {
  cst_study *s = study("{name: planar-pendulum, parameters: {L: [1, 3]}}",
                       "{members: 4, seed: 5, spread: {q: 0.1, v: 0.1}}");
  double     q[2], v[2];
  for (int k = 0; k < 2; k++) {
    OK(cst_study_member(s, k, 1, q, v) && fabs(hypot(q[0], q[1]) - (k ? 3 : 1)) < 1e-14,
       "set %d: its members lie on its own constraint", k);
  }
  cst_study_destroy(s);
}

enum { GROUPS = 40 };

/* Compares the members of a group with those found one by one; counts the lanes that are done. */
static bool are_same(const cst_study *s, int isa, const long *member, int lanes, int *done) {
  static double q[MOST * CST_W_MAX] __attribute__((aligned(64)));
  static double v[MOST * CST_W_MAX] __attribute__((aligned(64)));
  const int     variant[CST_W_MAX] = {0}, W = cst_isas[isa].width;
  const int     good = cst_study_members(s, isa, variant, member, lanes, q, v);
  bool          same = !(good >> lanes);
  for (int l = 0; l < lanes; l++) {
    double a[MOST], b[MOST];
    if (!(good >> l & 1))
      continue;
    ++*done;
    same &= cst_study_member(s, 0, member[l], a, b);
    for (int i = 0; i < s->problem.system->nq; i++)
      same &= !memcmp(&q[i * W + l], &a[i], sizeof *a) && !memcmp(&v[i * W + l], &b[i], sizeof *b);
  }
  return same;
}

/* Members whose neighbours are others each time; most are done in lanes if the spread is small. */
static void together(const char *system, double spread) {
  char text[100];
  snprintf(text, sizeof text, "{members: 100000, seed: 9, spread: {q: %g, v: 0.3}}", spread);
  cst_study *s = study(system, text);
  for (int isa = 0; isa < cst_isa_count; isa++) {
    int  all = 0, done = 0;
    bool same = true;
    for (int g = 0; g < GROUPS && cst_isa_available(isa); g++) {
      const int lanes = 1 + g % cst_isas[isa].width;
      long      member[CST_W_MAX];
      for (int l = 0; l < lanes; l++)
        member[l] = (g * 7919 + l * 104729) % s->ensemble.members;
      same &= are_same(s, isa, member, lanes, &done);
      all += lanes;
    }
    OK(same && done <= all && (spread > 0.2 || 10 * done >= 9 * all),
       "%s, spread %g, %s: %d of %d members are found in lanes, with the same bits", system, spread,
       cst_isas[isa].name, done, all);
  }
  cst_study_destroy(s);
}

static void all_together(void) {
  static const char *const systems[] = {
      "planar-pendulum", "spherical-pendulum", "modified-pendulum",  "double-pendulum",
      "bead-on-torus",   "henon-heiles",       "tethered-satellites"};
  static const double spreads[] = {0.01, 0.1, 1, 10};
  for (size_t k = 0; k < CST_COUNT(systems); k++)
    for (size_t i = 0; i < CST_COUNT(spreads); i++)
      together(systems[k], spreads[i]);
}

int main(void) {
  all_together();
  alone_and_together();
  consistent();
  moments();
  without_spread();
  variants();
  return tap_done();
}
