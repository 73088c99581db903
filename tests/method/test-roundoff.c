/* test-roundoff.c: the solver's remaining errors in the constraints do not accumulate in the energy, although
 * it makes few corrections.
 *
 * The energy of a step is that of a neighbouring Hamiltonian system up to round-off, and oscillates by h^2
 * with the motion. Means over windows of many periods, weighted by exp(-1/(t (1-t))), remove the oscillation
 * of a pendulum (Das, Saiki, Sander, Yorke, Nonlinearity 30 (2017) 4111) and leave its round-off. A bias of
 * the solver that depends on the phase of the motion would appear as 1e-2 eps per step or more.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 32, WINDOW = 32768, APART = 60000 };

static double energy_of(const run *r, int lane) {
  double q[CST_MAX_Q], p[CST_MAX_Q];
  run_carried(r, lane, q, p);
  return energy(r->x, q, p, NULL);
}

static void window(run *r, double h, double *mean) {
  double sum = 0;
  for (int l = 0; l < LANES; l++)
    mean[l] = 0;
  for (int k = 1; k < WINDOW; k++) {
    const double t = (double)k / WINDOW, weight = exp(-1 / (t * (1 - t)));
    run_go(r, h, 1);
    if (weight == 0)
      continue;
    sum += weight;
    for (int l = 0; l < LANES; l++)
      mean[l] += weight * (energy_of(r, l) - mean[l]) / sum;
  }
}

/* The root mean square over the lanes of the change of the mean energy, in eps per step. */
static double drift(const problem *x, const char *method, double h) {
  run    r;
  double first[LANES], second[LANES], squares = 0;
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  window(&r, h, first);
  run_go(&r, h, APART);
  window(&r, h, second);
  for (int l = 0; l < LANES; l++)
    squares += pow((second[l] - first[l]) / 0x1p-52, 2);
  run_close(&r);
  return sqrt(squares / LANES) / (WINDOW + APART);
}

/* One correction is enough at the first step; the second takes more, bent ones, or both. */
static void test_drift(const char *system, double one, double more) {
  problem     *x = problem_open(system);
  const double h[] = {one, more};
  for (int i = 0; i < 2; i++) {
    const double off = drift(x, "rattle", h[i]);
    OK(off < 3e-3, "rattle on %s, h = %g: the energy drifts by %.1e eps a step", system, h[i], off);
  }
  problem_close(x);
}

/* Corrections per step of the lanes, without the first steps. */
static double corrections(const problem *x, const char *method, double h, int steps) {
  run    r;
  double before, sum = 0;
  run_open(&r, x, method, 1);
  run_start(&r, 1);
  run_go(&r, h, 10);
  run_block(&r, 0, cst_stepper_layout(r.st)->iterations, 1, &before);
  run_go(&r, h, steps);
  run_block(&r, 0, cst_stepper_layout(r.st)->iterations, 1, &sum);
  run_close(&r);
  return (sum - before) / steps;
}

/* Where Newton's method leaves more than round-off, a correction is bent. */
static void test_bent(const char *system, double h) {
  problem     *x = problem_open(system);
  const double n = corrections(x, "rattle", h, 5000);
  OK(n >= 1 && n <= 1.02, "rattle on %s, h = %g: one correction a step (%.3f)", system, h, n);
  problem_close(x);
}

static void test_corrections(void) {
  static const char *const system[] = {"planar-pendulum", "double-pendulum", "heavy-top"};
  for (int i = 0; i < 3; i++) {
    problem     *x = problem_open(system[i]);
    const double n = corrections(x, "rattle", 0.01, 5000),
                 m = corrections(x, "compose(rattle, yoshida4)", 0.005, 1000);
    OK(n >= 1 && n <= 1.02, "rattle on %s, h = 0.01: one correction a step (%.3f)", system[i], n);
    OK(m >= 3 && m <= 3.1, "three in a composition of three (%.3f)", m);
    problem_close(x);
  }
}

int main(int argc, char **argv) {
  MUST(PetscInitialize(&argc, &argv, NULL, NULL));
  MUST(cst_solver_register());
  test_drift("planar-pendulum", 0x1p-7, 0x1p-5);
  test_drift("planar-pendulum", 0x1p-4, 0x1p-3);
  test_drift("charged-pendulum", 0x1p-6, 0x1p-3);
  test_corrections();
  test_bent("planar-pendulum", 0x1p-4);
  test_bent("double-pendulum", 0.02);
  MUST(PetscFinalize());
  return tap_done();
}
