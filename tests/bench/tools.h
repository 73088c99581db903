/* tools.h: what the benchmarks share: clocks, memory, studies from text, runs of a method, their times and
 * errors.
 *
 * A run is made in two steps: the caller names what is to be run, bench_run_create makes the rest.
 *
 *   bench_run r[2] = {{.study = s, .system = s->system, .method = "rattle", .lanes = 256, .h = 0.1}, ...};
 *   for (int k = 0; k < 2; k++) CST_TRY(bench_run_create(&r[k], isa));
 *   CST_TRY(bench_race(r, 2));
 *   printf("%g\n", r[1].best / r[0].best);
 *
 * Other processes disturb timings: steps are timed by the thread's processor clock, since preemption would
 * lengthen long timings more than short ones. Of interleaved rounds the least time of each run is kept, and
 * only ratios within one race are used.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_TOOLS_H
#define BENCH_TOOLS_H
#include <stddef.h>
#include "study/rows/study.h"
#include "method/method.h"
#include "method/stepper/stepper.h"
#include "solve/petsc.h"

enum { BENCH_ROUNDS = 5 };

/* PETSc begins, and the instruction set is chosen; where the machine has none that it may have, the program
 * ends. */
cst_error bench_open(int *argc, char ***argv, int *isa);

double  bench_now(void);         /* seconds */
double  bench_busy(void);        /* seconds that this thread has had the processor */
void   *bench_need(void *p);     /* p; NULL ends the program */
double *bench_aligned(size_t n); /* zeros for lanes; free() */

/* A study from its text; if the text is wrong, the program ends with the messages. */
cst_study *bench_study(const char *text);
/* A study of the given number of members with a normal spread in q and v around a state of a system; `system`
 * is the value of the key `system`. */
cst_study *bench_members(const char *system, const char *state, long members, double spread);

/* The first members in the layout of the loops of hand.c, [group][q p impulses][width]. */
void bench_hand_fill(const cst_study *s, double *state, int width, long lanes);

/* The first members of a study in a batch that one method steps. */
typedef struct {
  const cst_study *study;
  cst_system      *system; /* that of the study, or another made from the same text */
  const char      *method; /* as it stands in study files */
  cst_iteration    iteration;
  long             lanes;
  double           h;
  long             steps; /* of one timing */

  cst_method   *parsed; /* from here on by bench_run_create */
  cst_prepared *prepared;
  cst_stepper  *stepper;
  cst_batch     batch;
  double        best; /* the least time of a step of a lane, nanoseconds */
} bench_run;

cst_error bench_run_create(bench_run *r, int isa);
cst_error bench_run_destroy(bench_run *r);
void      bench_run_start(bench_run *r);   /* everybody at the start */
cst_error bench_run_time(bench_run *r);    /* r->steps from the start; best is kept */
cst_error bench_race(bench_run *r, int n); /* BENCH_ROUNDS timings of n runs by turns */
double    bench_component(const bench_run *r, long lane,
                          int row);             /* of the record, by numbers of its layout */
double    bench_iterations(const bench_run *r); /* of the solver, a step and lane since the start */

/* Where the time of a step of a core goes, nanoseconds a lane: what it begins with, a residual, a solution
 * with the matrix, the end. Each piece is called many times at the unknowns that the first step begins with.
 * The pieces are those of the general core where the compiled one has none. */
enum { BENCH_BEGIN, BENCH_RESIDUAL, BENCH_SOLUTION, BENCH_FINISH, BENCH_PIECES };
void bench_pieces(bench_run *r, int isa, double piece[BENCH_PIECES]); /* of its first substep */
/* The kind of its first substep. */
const cst_substep_row *bench_row(const bench_run *r);

/* Root mean squares over the lanes of the errors of a run, relative to the scale of what they are errors of.
 */
enum { BENCH_ENERGY, BENCH_MOMENTUM, BENCH_KEPT };
typedef struct {
  double largest[BENCH_KEPT], last[BENCH_KEPT]; /* over the run, at its end */
} bench_errors;

/* The errors of energy and, where there is one, of the first momentum map over `end` units of time from the
 * start. */
cst_error bench_run_errors(bench_run *r, double end, bench_errors *e);
#endif
