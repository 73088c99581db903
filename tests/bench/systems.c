/* systems.c: the second part of `make bench`: systems of users and long systems.
 *
 *   1. the text of a system of the catalogue, compiled at run time, against the built-in system, and
 *      interpreted against compiled
 *   2. ten bodies with pair forces: what it takes to read, derive, emit, compile, load and step them
 *   3. one trajectory of a chain of n links: growth with n, and against a loop written by hand (hand-chain.c)
 *   4. an ensemble of short chains in lanes, against the same loop in lanes
 *
 * Bounds are printed next to the values that have one.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <petscsys.h>
#include "bench.h"
#include "solve/solver.h"
#include "study/plan/agenda.h"
#include "study/run/back-end.h"
#include "system/compile/compile.h"
#include "system/internal.h"
#include "tools.h"

enum { CHECK_STEPS = 50 };

static const char *verdict(double ratio, double bound, bool at_least) {
  return (at_least ? ratio >= bound : ratio <= bound) ? "ok" : at_least ? "BELOW" : "ABOVE";
}

static bench_run rattle(const cst_study *s, cst_system *system, long lanes, double h, long steps) {
  return (bench_run){
      .study = s, .system = system, .method = "rattle", .lanes = lanes, .h = h, .steps = steps};
}

static cst_system *read_text(const char *name, const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read(name, text, strlen(text), NULL, 0, d);
  cst_diag_print(d, stderr);
  cst_diag_destroy(d);
  return bench_need(s);
}

static void compile(cst_system *s, int isa, double *seconds) {
  cst_code code;
  char     why[CST_WHY];
  double   t = bench_now();
  if (!cst_compile(s, isa, (const char *const[]){"kick", "fold", NULL}, false, &code, why) ||
      !cst_load_code(s, &code, why)) {
    fprintf(stderr, "%s\n", why);
    exit(1);
  }
  if (seconds)
    *seconds = bench_now() - t;
  cst_compile_free(&code);
}

/* ---- 1. the catalogue's text as a user's system ---------------------------------------------- */

static cst_error compare_back_ends(const char *name, double spread, int isa) {
  enum { BUILT_IN, COMPILED, INTERPRETED, KINDS, LANES = 1024, STEPS = 4000, SLOWER = 10 };
  bench_run   r[KINDS];
  cst_study  *s = bench_members(name, "default", LANES, spread);
  cst_system *system[KINDS] = {s->problem.system, read_text(name, cst_catalogue_text(name)),
                               read_text(name, cst_catalogue_text(name))};
  compile(system[COMPILED], isa, NULL);
  cst_system_interpret(system[INTERPRETED]);
  for (int k = 0; k < KINDS; k++) {
    r[k] = rattle(s, system[k], LANES, 0.02, k == INTERPRETED ? STEPS / SLOWER : STEPS);
    CST_TRY(bench_run_create(&r[k], isa));
  }
  CST_TRY(bench_race(r, KINDS));
  const double compiled = r[BUILT_IN].best / r[COMPILED].best,
               interpreted = r[COMPILED].best / r[INTERPRETED].best;
  printf("%-20s %9.1f %9.1f %9.1f   compiled/catalogue %5.2f (0.95: %s)   interpreted/compiled "
         "%5.2f (0.10: "
         "%s)\n",
         name, r[BUILT_IN].best, r[COMPILED].best, r[INTERPRETED].best, compiled,
         verdict(compiled, 0.95, true), interpreted, verdict(interpreted, 0.1, true));
  fflush(stdout);
  for (int k = 0; k < KINDS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  cst_system_destroy(system[COMPILED]);
  cst_system_destroy(system[INTERPRETED]);
  cst_study_destroy(s);
  return 0;
}

/* ---- 2. ten bodies --------------------------------------------------------------------------- */

static const char ten_bodies[] = "system: ten-bodies\ndoc: Ten bodies with a potential between "
                                 "every two.\nsource: this benchmark\n"
                                 "coordinates: ['x[10]', 'y[10]', 'z[10]']\nmass: [1, 1, 1]\n"
                                 "potential: '-sum(i, 1, 9, sum(j, i + 1, 10, 1/sqrt((x[i] - "
                                 "x[j])^2 + (y[i] - y[j])^2 + (z[i] - "
                                 "z[j])^2)))'\n"
                                 "states:\n  default: {q: [4*cos(0.6*i), 4*sin(0.6*i), 0.3*i], v: "
                                 "[-0.8*sin(0.6*i), 0.8*cos(0.6*i), 0]}\n";

static cst_error emitting(const cst_system *s, double *seconds) {
  char  *text;
  size_t n;
  double t = bench_now();
  FILE  *f = bench_need(open_memstream(&text, &n));
  cst_system_emit(s, "user", f);
  fclose(f);
  *seconds = bench_now() - t;
  free(text);
  return 0;
}

static cst_error step_ten_bodies(const char *folder, int isa) {
  enum { COMPILED, INTERPRETED, KINDS, LANES = 256, STEPS = 400 };
  double      reading, emission, compiling, cached;
  char        path[4096], file[4200];
  bench_run   r[KINDS];
  double      t = bench_now();
  cst_system *again = read_text("ten-bodies", ten_bodies);
  reading = bench_now() - t;
  CST_TRY(emitting(again, &emission));
  compile(again, isa, &compiling);
  cst_system *system = read_text("ten-bodies", ten_bodies);
  compile(system, isa, &cached);
  snprintf(path, sizeof path, "%s/ten-bodies.yaml", folder);
  FILE *f = bench_need(fopen(path, "w"));
  fputs(ten_bodies, f);
  fclose(f);
  snprintf(file, sizeof file, "{file: %s}", path);
  cst_study *s = bench_members(file, "default", LANES, 0.05); /* interpreted */
  r[COMPILED] = rattle(s, system, LANES, 0.01, STEPS);
  r[INTERPRETED] = rattle(s, s->problem.system, LANES, 0.01, STEPS);
  for (int k = 0; k < KINDS; k++)
    CST_TRY(bench_run_create(&r[k], isa));
  CST_TRY(bench_race(r, KINDS));
  printf("ten bodies, 45 pairs: read and derive %.3f s, emit %.3f s, compile %.2f s, start-up with "
         "a kept "
         "object %.3f s, step %.0f ns "
         "compiled, "
         "%.0f ns interpreted\n",
         reading, emission, compiling, cached, r[COMPILED].best, r[INTERPRETED].best);
  fflush(stdout);
  for (int k = 0; k < KINDS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  cst_system_destroy(again);
  cst_system_destroy(system);
  cst_study_destroy(s);
  return 0;
}

/* ---- 3. one long chain ----------------------------------------------------------------------- */

/* A study of chains as a study file has it, planned and compiled. */
typedef struct {
  cst_study   *study;
  cst_plan    *plan;
  cst_agenda  *agenda;
  cst_back_end back_end;
  bench_run    run;
} chains;

static cst_error chains_create(int n, int isa, const char *initial, long lanes, double end,
                               long steps, chains *c) {
  char      text[512];
  cst_diag *d = cst_diag_create();
  snprintf(
      text, sizeof text,
      "study: conservation\nsystem: {name: pendulum-chain, parameters: {n: %d}}\ninitial: %s\nend: "
      "%.17g\nsteps: [0.01]\n"
      "methods: [rattle]\nroundoff: {dyadic-steps: false}\n",
      n, initial, end);
  c->study = bench_study(text);
  c->plan = bench_need(cst_plan_create(c->study, isa, d));
  c->agenda = cst_agenda_create(c->plan, 1, 0, NULL, NULL, 0);
  CST_TRY(cst_study_compile(c->study, c->plan, c->agenda->left, &c->back_end));
  c->run = rattle(c->study, c->study->problem.system, lanes, c->study->steps.h[0], steps);
  CST_TRY(bench_run_create(&c->run, c->plan->isa));
  cst_diag_destroy(d);
  return 0;
}

static cst_error chains_destroy(chains *c) {
  CST_TRY(bench_run_destroy(&c->run));
  cst_agenda_destroy(c->agenda);
  cst_plan_destroy(c->plan);
  cst_study_destroy(c->study);
  return 0;
}

/* The starts of all lanes as the hand-written loop has them. */
static double *hand_state(const chains *c, int width) {
  const int  nq = c->study->problem.system->nq, rows = 2 * nq + c->study->problem.system->ng;
  const long groups = (c->run.lanes + width - 1) / width;
  double    *state = bench_aligned((size_t)groups * (size_t)(rows * width)),
         *q = bench_aligned((size_t)nq), *v = bench_aligned((size_t)nq);
  for (long l = 0; l < groups * width; l++) {
    cst_study_member(c->study, 0, l < c->run.lanes ? l : 0, q, v);
    double *x = state + (size_t)(l / width) * (size_t)(rows * width) + l % width;
    for (int i = 0; i < nq; i++)
      x[i * width] = q[i], x[(nq + i) * width] = v[i];
  }
  free(q), free(v);
  return state;
}

static void hand_time(const chains *c, hand_chain_loop *loop, int width, double *best) {
  double *state = hand_state(c, width);
  double  t = bench_busy();
  loop(state, (int)((c->run.lanes + width - 1) / width), c->study->problem.system->ng, c->run.h,
       c->run.steps);
  *best = fmin(*best, 1e9 * (bench_busy() - t) / ((double)c->run.steps * (double)c->run.lanes));
  free(state);
}

/* How far both are apart after some steps, and their iterations a step. */
static cst_error compare_states(chains *c, hand_chain_loop *loop, int width, double *difference,
                                double iterations[2]) {
  const int         nq = c->study->problem.system->nq, rows = 2 * nq + c->study->problem.system->ng;
  const cst_layout *at = cst_stepper_layout(c->run.stepper);
  const long        groups = (c->run.lanes + width - 1) / width;
  double           *state = hand_state(c, width);
  iterations[1] =
      (double)loop(state, (int)groups, c->study->problem.system->ng, c->run.h, CHECK_STEPS) /
      (double)groups / CHECK_STEPS;
  bench_run_start(&c->run);
  CST_TRY(cst_stepper_advance(c->run.stepper, &c->run.batch, CHECK_STEPS));
  iterations[0] = bench_iterations(&c->run);
  *difference = 0;
  for (long l = 0; l < c->run.lanes; l++)
    for (int i = 0; i < 2 * nq; i++)
      *difference = fmax(*difference, fabs(bench_component(&c->run, l, at->q + i) -
                                           state[(size_t)(l / width) * (size_t)(rows * width) +
                                                 (size_t)(i * width + l % width)]));
  free(state);
  return 0;
}

static cst_error bench_growth(int isa) {
  enum { TEN, HUNDRED, COMPARED, THOUSAND, TEN_THOUSAND, LENGTHS, WORK = 200000 };
  static const int n[LENGTHS] = {10, 100, 200, 1000, 10000};
  chains           c[LENGTHS];
  double           hand = INFINITY, difference, iterations[2];
  for (int k = 0; k < LENGTHS; k++)
    CST_TRY(chains_create(n[k], isa, "turning", 1, 1e5, WORK / n[k], &c[k]));
  CST_TRY(compare_states(&c[COMPARED], hand_chain_scalar, 1, &difference, iterations));
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    for (int k = 0; k < LENGTHS; k++)
      CST_TRY(bench_run_time(&c[k].run));
    hand_time(&c[COMPARED], hand_chain_scalar, 1, &hand);
  }
  printf("one chain (%s, %s), us a step:", c[TEN].back_end.kernels,
         cst_isas[c[TEN].plan->isa].name);
  for (int k = 0; k < LENGTHS; k++)
    printf("  n = %d: %.2f", n[k], 1e-3 * c[k].run.best);
  printf("\n  growth 100 to 1000 %.1f (12: %s), 1000 to 10000 %.1f (12: %s)\n",
         c[THOUSAND].run.best / c[HUNDRED].run.best,
         verdict(c[THOUSAND].run.best / c[HUNDRED].run.best, 12, false),
         c[TEN_THOUSAND].run.best / c[THOUSAND].run.best,
         verdict(c[TEN_THOUSAND].run.best / c[THOUSAND].run.best, 12, false));
  printf(
      "  n = 200 by hand %.2f: ours/theirs %.2f (1.2: %s); iterations a step %.2f, by hand %.2f; "
      "difference after %d steps %.0e\n",
      1e-3 * hand, c[COMPARED].run.best / hand, verdict(c[COMPARED].run.best / hand, 1.2, false),
      iterations[0], iterations[1], CHECK_STEPS, difference);
  fflush(stdout);
  for (int k = 0; k < LENGTHS; k++)
    CST_TRY(chains_destroy(&c[k]));
  return 0;
}

/* ---- 4. an ensemble of short chains ---------------------------------------------------------- */

static cst_error bench_ensemble(int isa) {
  enum { MEMBERS = 1000, BEADS = 20, STEPS = 200 };
  hand_chain_loop *const loops[] = {hand_chain_v2, hand_chain_v3, hand_chain_v4};
  chains                 c;
  double                 hand = INFINITY, difference, iterations[2];
  char                   initial[128];
  snprintf(initial, sizeof initial, "{members: %d, seed: 1, spread: {q: 0.02, v: 0.02}}", MEMBERS);
  CST_TRY(chains_create(BEADS, isa, initial, MEMBERS, 100, STEPS, &c));
  CST_TRY(compare_states(&c, loops[cst_isas[isa].width / 4], cst_isas[isa].width, &difference,
                         iterations));
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    CST_TRY(bench_run_time(&c.run));
    hand_time(&c, loops[cst_isas[isa].width / 4], cst_isas[isa].width, &hand);
  }
  printf("%d chains of %d (%s, %s, batch %ld): %.0f ns a step and lane, by hand %.0f: speed "
         "ours/theirs %.2f "
         "(0.83: %s); iterations a step "
         "%.2f, by hand %.2f; difference %.0e\n",
         MEMBERS, BEADS, c.back_end.kernels, cst_isas[c.plan->isa].name, c.agenda->batch,
         c.run.best, hand, hand / c.run.best, verdict(hand / c.run.best, 0.83, true), iterations[0],
         iterations[1], difference);
  CST_TRY(chains_destroy(&c));
  return 0;
}

/* ---- a cache of our own ---------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *x, int type, struct FTW *at) {
  (void)x, (void)type, (void)at;
  return remove(path), 0;
}

int main(int argc, char **argv) {
  const char *reason, *base = getenv("TMPDIR");
  char        folder[4000];
  int         isa = cst_isa_choose(&reason);
  if (isa < 0)
    return fprintf(stderr, "%s\n", reason), 2;
  snprintf(folder, sizeof folder, "%s/constella-bench-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(folder))
    return perror(folder), 2;
  setenv("XDG_CACHE_HOME", folder, 1);
  CST_TRY(PetscInitialize(&argc, &argv, NULL, NULL));
  CST_TRY(cst_solver_register());
  printf("\nns a step and lane, rattle, %s; best of %d\n%-20s %9s %9s %9s\n", cst_isas[isa].name,
         BENCH_ROUNDS, "", "catalogue", "compiled", "interpr.");
  CST_TRY(compare_back_ends("double-pendulum", 0.3, isa));
  CST_TRY(compare_back_ends("heavy-top", 0.1, isa));
  CST_TRY(compare_back_ends("spherical-pendulum", 0.3, isa));
  CST_TRY(step_ten_bodies(folder, isa));
  CST_TRY(bench_growth(isa));
  CST_TRY(bench_ensemble(isa));
  nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return PetscFinalize();
}
