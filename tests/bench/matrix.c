/* matrix.c: part of `make bench`: nanoseconds of a step of every method on standard systems, in a batch and
 * alone.
 *
 * One table: a row for each method as its page has it and for the wrapped forms that people use, a column for
 * each system. A cell has the time of a lane in a batch, nothing observed, and behind the stroke that of a
 * trajectory alone, with the instruction set that is best for it; `failed` where trajectories fail on the way.
 * Methods that do not fit a system leave its cell empty. The last rows are the hand-written loops of hand.c, and what share of them rattle reaches.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <petscsnes.h>
#include "bench.h"
#include "tools.h"

enum { LANES = 256, HAND_STEPS = 4000, MOST = 128, TEXT = 24 };
static const double H_STEP = 0.01, WANTED = 2e6 /* nanoseconds of a timing */;

typedef struct {
  const char *name;
  double      spread;
  hand_loop  *scalar, *lanes[4]; /* by width 1, 2, 4, 8; NULL: there is none */
} bench_column;

static const bench_column columns[] = {
    {"kepler", 0.05, NULL, {NULL}},
    {"planar-pendulum",
     0.3,
     hand_pendulum_scalar,
     {NULL, hand_pendulum_v2, hand_pendulum_v3, hand_pendulum_v4}},
    {"spherical-pendulum", 0.3, NULL, {NULL}},
    {"double-pendulum",
     0.3,
     hand_double_scalar,
     {NULL, hand_double_v2, hand_double_v3, hand_double_v4}},
    {"heavy-top", 0.1, hand_top_scalar, {NULL, hand_top_v2, hand_top_v3, hand_top_v4}},
    {"double-pendulum-angles", 0.1, NULL, {NULL}},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *const wrapped[] = {"compose(rattle, suzuki4)", "project(rk4)",
                                      "project(gauss(2))",        "convert(rk4)",
                                      "convert(gauss(2))",        "hbvm(k=2, s=2)"};

static long count_living(const bench_run *r) {
  long n = 0;
  for (int g = 0; g < r->batch.groups; g++)
    n += __builtin_popcount((unsigned)r->batch.alive[g]);
  return n;
}

/* The best time of a step of a lane, in timings that are long enough; infinity: lanes fail on the way, whose
 * further steps would cost nothing. */
static cst_error time_method(const cst_study *s, const char *method, long lanes, int isa,
                             double *best) {
  bench_run r = {.study = s,
                 .system = s->problem.system,
                 .method = method,
                 .lanes = lanes,
                 .h = H_STEP,
                 .steps = 1};
  CST_TRY(bench_run_create(&r, isa));
  while (r.steps < 20000) {
    r.best = INFINITY;
    CST_TRY(bench_run_time(&r));
    if (r.best * (double)r.steps * (double)lanes > WANTED)
      break;
    r.steps *= 4;
  }
  CST_TRY(bench_race(&r, 1));
  *best = count_living(&r) == lanes ? r.best : INFINITY;
  CST_TRY(bench_run_destroy(&r));
  return 0;
}

static bool fits(const char *method, const cst_system *s) {
  char           why[512];
  cst_expr_error e;
  cst_method    *m = cst_method_parse(method, NULL, &e);
  const bool     good = m && cst_method_fits(m, s, why, sizeof why);
  if (m)
    cst_method_destroy(m);
  return good;
}

/* Whether the build has lane code of this row for a method. */
static bool is_built(const cst_study *s, const char *method, int isa) {
  cst_expr_error e;
  cst_method    *m = cst_method_parse(method, NULL, &e);
  cst_prepared  *p = cst_method_prepare(m, s->problem.system);
  const bool     built = cst_program_is_built(p->program, isa);
  cst_program_prepared_destroy(p);
  cst_method_destroy(m);
  return built;
}

/* In a batch, and alone with the best row up to isa of those that are built. */
static cst_error time_cell(cst_study *const s[2], const char *method, int isa, double best[2]) {
  CST_TRY(time_method(s[0], method, LANES, isa, &best[0]));
  best[1] = INFINITY;
  for (int i = 0; i <= isa; i++) {
    double one;
    if (!is_built(s[1], method, i))
      continue;
    CST_TRY(time_method(s[1], method, 1, i, &one));
    best[1] = fmin(best[1], one);
  }
  return 0;
}

static void write_time(char text[TEXT], double best) {
  if (isinf(best))
    snprintf(text, TEXT, "failed");
  else
    snprintf(text, TEXT, best < 100 ? "%.3g" : "%.0f", best);
}

static void print_cell(const double best[2]) {
  char batch[TEXT], alone[TEXT], both[2 * TEXT + 3];
  write_time(batch, best[0]);
  write_time(alone, best[1]);
  snprintf(both, sizeof both, "%s / %s", batch, alone);
  printf(" %22s", both);
}

static cst_error print_row(cst_study *const s[COLUMNS][2], const char *method, int isa,
                           double rattle[COLUMNS][2]) {
  double best[COLUMNS][2];
  bool   any = false;
  for (int k = 0; k < COLUMNS; k++)
    any |= fits(method, s[k][0]->problem.system);
  if (!any)
    return 0;
  printf("%-44s", method);
  for (int k = 0; k < COLUMNS; k++) {
    if (!fits(method, s[k][0]->problem.system)) {
      printf(" %22s", "");
      continue;
    }
    CST_TRY(time_cell(s[k], method, isa, best[k]));
    print_cell(best[k]);
    if (!strcmp(method, "rattle"))
      memcpy(rattle[k], best[k], sizeof best[k]);
    fflush(stdout);
  }
  printf("\n");
  return 0;
}

static double time_loop(const cst_study *s, hand_loop *loop, int width, long lanes) {
  const int rows = 2 * s->problem.system->nq + s->problem.system->ng;
  double   *state = bench_aligned((size_t)(rows * lanes)), best = INFINITY;
  for (int round = 0; round < BENCH_ROUNDS; round++) {
    bench_hand_fill(s, state, width, lanes);
    const double t = bench_busy();
    loop(state, (int)(lanes / width), H_STEP, HAND_STEPS);
    best = fmin(best, 1e9 * (bench_busy() - t) / ((double)HAND_STEPS * (double)lanes));
  }
  free(state);
  return best;
}

static void print_limits(cst_study *const s[COLUMNS][2], int isa, double rattle[COLUMNS][2]) {
  const int width = cst_isas[isa].width, slot = width == 8 ? 3 : width == 4 ? 2 : 1;
  double    limit[COLUMNS][2];
  printf("%-44s", "by hand");
  for (int k = 0; k < COLUMNS; k++) {
    if (!columns[k].scalar) {
      printf(" %22s", "");
      continue;
    }
    limit[k][0] = time_loop(s[k][0], columns[k].lanes[slot], width, LANES);
    limit[k][1] = time_loop(s[k][1], columns[k].scalar, 1, 1);
    print_cell(limit[k]);
  }
  printf("\n%-44s", "share of it that rattle reaches");
  for (int k = 0; k < COLUMNS; k++) {
    if (columns[k].scalar)
      printf(" %15.2f / %.2f", limit[k][0] / rattle[k][0], limit[k][1] / rattle[k][1]);
    else
      printf(" %22s", "");
  }
  printf("\n");
}

/* METHODS of the environment: those whose names hold one of its words, and rattle, of which shares are told. */
static bool chosen(const char *method) {
  char        words[256], *rest = NULL;
  const char *set = getenv("METHODS");
  if (!set || !*set || !strcmp(method, "rattle"))
    return true;
  snprintf(words, sizeof words, "%s", set);
  for (const char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    if (strstr(method, word))
      return true;
  return false;
}

/* Examples of the methods' pages, then the wrapped forms, each once. */
static int find_methods(const char *method[MOST]) {
  int n = 0;
  for (int i = 0; cst_method_info_at(i); i++)
    if (cst_method_info_at(i)->example)
      method[n++] = cst_method_info_at(i)->example;
  for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
    int k = 0;
    while (k < n && strcmp(method[k], wrapped[i]) != 0)
      k++;
    if (k == n && n < MOST)
      method[n++] = wrapped[i];
  }
  return n;
}

int main(int argc, char **argv) {
  cst_study  *s[COLUMNS][2];
  double      rattle[COLUMNS][2] = {{0}};
  const char *method[MOST];
  int         isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  const int n = find_methods(method);
  for (int k = 0; k < COLUMNS; k++)
    for (int one = 0; one < 2; one++)
      s[k][one] = bench_members(columns[k].name, "default", one ? 1 : LANES, columns[k].spread);
  printf(
      "\nns a step, h = %g: a lane of a batch of %d (%s) / a trajectory alone; best of %d\n%-44s",
      H_STEP, LANES, cst_isas[isa].name, BENCH_ROUNDS, "");
  for (int k = 0; k < COLUMNS; k++)
    printf(" %22s", columns[k].name);
  printf("\n");
  for (int i = 0; i < n; i++)
    if (chosen(method[i]))
      CST_TRY(print_row(s, method[i], isa, rattle));
  print_limits(s, isa, rattle);
  for (int k = 0; k < COLUMNS; k++)
    cst_study_destroy(s[k][0]), cst_study_destroy(s[k][1]);
  return PetscFinalize();
}
