/* test-halt.c: batches that are interrupted again and again in the middle of their slices compute the same
 * rows and series as undisturbed ones.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "study/result/conclude.h"
#include "solve/petsc.h"
#include "solve/solver.h"
#include "study/runner/runner.h"
#include "tap.h"

/* Studies with a partner at half the step, with samples, with stops without observations, and with stored
 * states. */
static const char *const texts[] = {
    "study: order\nsystem: planar-pendulum\ninitial: {members: 48, seed: 3, spread: {q: 0.05, v: "
    "0.05}}\nend: 2.0\nsteps: [0.1, 0.05]\n"
    "methods: [rattle, midpoint, \"hbvm(k=4, s=2)\", \"compose(rattle, "
    "project(rk4))\"]\nreference: "
    "self\nerror: {of: [q, p, lambda]}\n",
    "study: conservation\nsystem: planar-pendulum\ninitial: {members: 48, seed: 3, spread: {v: "
    "3}}\nend: "
    "40.0\nsteps: [0.4, 0.05]\n"
    "methods: [rattle, \"penalty(newmark, omega=20, average=0.5)\", \"langevin(rattle, "
    "friction=0.5, "
    "inverse-temperature=2)\"]\n"
    "solver: {max-iterations: 6}\ntrajectories: {members: [3, 11], every: 7}\n",
    "study: conservation\nsystem: planar-pendulum\ninitial: {members: 24, seed: 3, spread: {v: "
    "2}}\nend: "
    "20.0\nsteps: [0.4]\n"
    "methods: [rattle, \"compose(rattle, suzuki4)\"]\ntrajectories: {members: [3, 11], every: "
    "1}\n"};

/* Halts at random, or at every fifth question, which is before a batch has asked for all of its groups; at
 * most MOST times. */
typedef struct {
  enum { NEVER, NOW_AND_THEN, EVERY_FIFTH } how;
  long     asked, halted;
  unsigned draw;
} nuisance;

enum { MOST = 200000 };

static bool halt(void *context) {
  nuisance *x = context;
  bool      now = false;
  x->draw = x->draw * 1664525u + 1013904223u;
  if (x->how == NOW_AND_THEN)
    now = !(x->draw >> 16 & 7);
  if (x->how == EVERY_FIFTH)
    now = ++x->asked % 5 == 0 && x->halted < MOST;
  x->halted += now;
  return now;
}

static cst_error poll(void *context, double work, bool *stop) {
  (void)context, (void)work;
  *stop = false;
  return 0;
}

static cst_error run(const cst_plan *p, nuisance *x, const char *path, cst_bundle *series) {
  cst_conclusion *table = cst_conclude_create(p);
  cst_reference  *reference = cst_reference_create(p);
  cst_tallies    *s = cst_tallies_create(p);
  cst_agenda     *a = cst_agenda_create(p, 1, 64, NULL, NULL, 0);
  cst_output     *o;
  cst_runner     *r;
  bool            stop = false, finished;
  CST_TRY(cst_output_create(p, path, path, "0123456789abcdef0123456789abcdef", true,
                            cst_conclude_columns(table), &o));
  CST_TRY(cst_output_flush(o));
  CST_TRY(cst_runner_create(p, a->batch, reference, o, s, poll, x, &r));
  cst_runner_halt_by(r, NULL, halt);
  for (int i = 0; i < a->n; i++)
    CST_TRY(cst_runner_batch(r, &a->work[i], NULL, &stop));
  cst_tallies_pack(s, series);
  CST_TRY(cst_runner_destroy(&r));
  CST_TRY(cst_output_close(&o, "complete", &finished, NULL, NULL, 0));
  cst_agenda_destroy(a);
  cst_tallies_destroy(s);
  cst_reference_destroy(reference);
  cst_conclude_destroy(table);
  return 0;
}

/* Whether the two files have the same numbers in a dataset, no numbers too. */
static bool same_field(cst_result *a, cst_result *b, const char *path) {
  int     n, m;
  long    extent[CST_FIELD_DIMS], other[CST_FIELD_DIMS], size = 1;
  double *x = cst_result_read(a, path, &n, extent), *y = cst_result_read(b, path, &m, other);
  bool    same = !x == !y && (!x || n == m);
  for (int k = 0; x && same && k < n; k++)
    size *= extent[k];
  same = same && (!x || !memcmp(x, y, sizeof *x * (size_t)size));
  if (!same)
    NOTE("%s differs", path);
  free(x), free(y);
  return same;
}

static bool has_numbers(cst_result *a, const char *path) {
  int     n;
  long    extent[CST_FIELD_DIMS];
  double *x = cst_result_read(a, path, &n, extent);
  bool    has = x;
  if (!has)
    NOTE("%s has no numbers", path);
  free(x);
  return has;
}

/* Of studies with ncase cases; states: of each of them states are stored. */
static bool same_files(const char *one, const char *two, int ncase, bool states) {
  static const char *const path[] = {"/final/q",
                                     "/final/p",
                                     "/final/lambda",
                                     "/final/status",
                                     "/final/steps",
                                     "/final/iterations",
                                     "/error/total",
                                     "/error/lambda",
                                     "/observables/energy",
                                     "/observables/constraint",
                                     "/windows/energy"};
  static const char *const stored[] = {"q", "p", "lambda", "t"};
  char                     why[256];
  bool                     same = true;
  cst_result *a = cst_result_open(one, why, sizeof why), *b = cst_result_open(two, why, sizeof why);
  for (size_t i = 0; i < sizeof path / sizeof *path; i++)
    same &= a && b && same_field(a, b, path[i]);
  for (int i = 0; i < ncase; i++)
    for (size_t k = 0; states && k < sizeof stored / sizeof *stored; k++) {
      char name[64];
      snprintf(name, sizeof name, "/trajectories/%d/%s", i, stored[k]);
      same &= a && b && same_field(a, b, name) && has_numbers(a, name);
    }
  cst_result_close(a), cst_result_close(b);
  return same;
}

/* isa: a row of lane code that has the methods. */
static void halted(const char *text, const char *name, int how, int isa) {
  cst_diag  *d = cst_diag_create();
  cst_study *s = cst_study_read("halt.yaml", text, strlen(text), cst_reader_share_alone, d);
  cst_plan  *p = s ? cst_plan_create(s, isa, d) : NULL;
  cst_bundle one = {0}, two = {0};
  nuisance   never = {NEVER, 0, 0, 1}, often = {how, 0, 0, 1};
  char       calm[64], struck[64];
  snprintf(calm, sizeof calm, "/tmp/cst-calm-%d.h5", (int)getpid());
  snprintf(struck, sizeof struck, "/tmp/cst-struck-%d.h5", (int)getpid());
  cst_diag_print(d, stdout);
  OK(p && !run(p, &never, calm, &one) && !run(p, &often, struck, &two), "%s: both run", name);
  OK(often.halted > 50 && often.halted < MOST, "%s: slices are halted, and come to an end (%ld)",
     name, often.halted);
  OK(one.size == two.size && !memcmp(one.bytes, two.bytes, one.size),
     "%s: the series are those of the undisturbed run", name);
  OK(same_files(calm, struck, p->ncase, strstr(text, "trajectories")), "%s: so are the rows", name);
  unlink(calm), unlink(struck);
  cst_bundle_destroy(&one), cst_bundle_destroy(&two);
  cst_plan_destroy(p);
  cst_study_destroy(s);
  cst_diag_destroy(d);
}

int main(int argc, char **argv) {
  if (PetscInitialize(&argc, &argv, NULL, NULL) || cst_solver_register())
    return 1;
  halted(texts[0], "with a partner", NOW_AND_THEN, cst_isa_choose(NULL));
  halted(texts[1], "with stored states", NOW_AND_THEN, cst_isa_choose(NULL));
  halted(texts[2], "before the groups have made a step", EVERY_FIFTH, 0);
  (void)PetscFinalize();
  return tap_done();
}
