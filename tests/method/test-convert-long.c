/* test-convert-long.c: conversions over many steps: momentum maps stay at round-off and energies bounded,
 * with steps at which the same layer, projected onto the constraints, visibly drifts. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 8, SAMPLES = 100 };

/* For the worst lane: the drift of momenta and the largest energy error in each half of the run. bias: the
 * largest drift of the mean over the lanes, in which round-off averages out but an error of constant sign
 * does not. */
typedef struct {
  double momentum, bias, energy[2];
} course;

/* <p, xi_k> and their scales sum |p_i xi_i|. */
static void momenta(const problem *x, const double *q, const double *p, double *J, double *scale) {
  double xi[CST_MAX_SYM * CST_MAX_Q];
  cst_system_matrix(x->s, CST_K_xi, x->c, q, NULL, xi);
  for (int k = 0; k < x->s->nsym; k++) {
    J[k] = scale[k] = 0;
    for (int i = 0; i < x->s->nq; i++) {
      J[k] += p[i] * xi[k * x->s->nq + i];
      scale[k] += fabs(p[i] * xi[k * x->s->nq + i]);
    }
  }
}

/* The start of a lane and the largest scales so far. */
typedef struct {
  double E, E_scale, J[CST_MAX_SYM], J_scale[CST_MAX_SYM];
} origin;

/* drift: the lane's drift of each momentum is added to it. */
static void observe(const run *r, int lane, bool first, int half, origin *o, double *drift,
                    course *c) {
  double q[CST_MAX_Q], p[CST_MAX_Q], J[CST_MAX_SYM], scale[CST_MAX_SYM], E_scale;
  run_state(r, lane, q, p);
  momenta(r->x, q, p, J, scale);
  const double E = energy(r->x, q, p, &E_scale);
  if (first)
    *o = (origin){.E = E, .E_scale = E_scale};
  for (int k = 0; k < r->x->s->nsym; k++) {
    if (first)
      o->J[k] = J[k];
    o->J_scale[k] = larger(o->J_scale[k], scale[k]);
    if (J[k] == o->J[k])
      continue; /* for a motion in a plane it stays 0 */
    const double off = (J[k] - o->J[k]) / o->J_scale[k];
    c->momentum = larger(c->momentum, fabs(off));
    drift[k] += off;
  }
  c->energy[half] = larger(c->energy[half], fabs(E - o->E) / o->E_scale);
}

static course course_of(const problem *x, const char *method, cst_iteration iteration, double h,
                        long steps) {
  run    r;
  course c = {0};
  origin o[LANES];
  run_open_with(&r, x, method, widest(), LANES, 1e-14, iteration);
  run_start(&r, LANES);
  for (int n = 0; n <= SAMPLES; n++) {
    if (n)
      run_go(&r, h, steps / SAMPLES);
    double drift[CST_MAX_SYM] = {0};
    for (int l = 0; l < LANES; l++)
      observe(&r, l, n == 0, n > SAMPLES / 2, &o[l], drift, &c);
    for (int k = 0; k < x->s->nsym; k++)
      c.bias = larger(c.bias, fabs(drift[k]) / LANES);
  }
  if (!run_well(&r, LANES))
    c = (course){INFINITY, INFINITY, {INFINITY, INFINITY}};
  run_close(&r);
  return c;
}

/* ---- momenta --------------------------------------------------------------------------------- */

/* The round-off of this number of steps in each lane. */
static double few(long steps) { return larger(1e-13, 5 * 2.2e-16 * sqrt((double)steps)); }
/* The bound for the mean over the lanes is smaller, by the amount that would be noticed in a lane over four
 * times the steps. */
static bool stays(course c, long steps) {
  return c.momentum <= few(steps) && c.bias <= few(4 * steps) / 4;
}

static void test_momenta(void) {
  static const struct {
    const char *system;
    double      h;
    long        steps;
  } on[] = {{"spherical-pendulum", 0.1, 25000}, {"kepler", 0.02, 25000},
            {"charged-pendulum", 0.1, 12500},   {"bead-on-torus", 0.05, 12500},
            {"rigid-body", 0.1, 2500},          {"heavy-top", 0.05, 2500},
            {"underwater-vehicle", 0.1, 1000},  {"magnetised-body", 0.1, 1300}};
  static const char *const methods[] = {"convert(euler, bias=-0.5)", "convert(heun, bias=-0.3)",
                                        "convert(rk4)", "convert(rk6, bias=-0.5)"};
  double                   greatest = 0;
  for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
    problem *x = problem_open(on[k].system);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      if (!on_diagonal((int)(k + i), 2))
        continue;
      const course c = course_of(x, methods[i], CST_ITERATION_AUTO, on[k].h, on[k].steps);
      OK(stays(c, on[k].steps), "%s on %s: momenta over %ld steps (%.2g, in the mean %.2g)",
         methods[i], on[k].system, on[k].steps, c.momentum, c.bias);
      greatest = larger(greatest, c.momentum);
    }
    problem_close(x);
  }
  NOTE("largest drift of momenta %.3g", greatest);
  OK(!stays((course){.bias = 1.01 * 2500 * (few(10000) / 10000)}, 2500),
     "what a lane would gather in 10000 steps is noticed in 2500");
}

/* No iteration leaves an error that accumulates. */
static void test_iterations(void) {
  static const char *const names[] = {"newton", "simplified", "chord", "krylov"};
  const cst_iteration all[] = {CST_ITERATION_NEWTON, CST_ITERATION_SIMPLIFIED, CST_ITERATION_CHORD,
                               CST_ITERATION_KRYLOV};
  problem            *x = problem_open("rigid-body");
  for (int k = 0; k < 4; k++) {
    const course c = course_of(x, "convert(heun, bias=-0.3)", all[k], 0.1, 2500);
    OK(stays(c, 2500), "rigid-body, %s: momenta over 2500 steps (%.2g, in the mean %.2g)", names[k],
       c.momentum, c.bias);
  }
  problem_close(x);
}

/* ---- energy ---------------------------------------------------------------------------------- */

static bool bounded(course c) { return c.energy[1] <= 1.5 * c.energy[0]; }

static void test_energy(void) {
  static const struct {
    const char *system, *layer;
    double      h, bias;
    long        steps;
  } of[] = {{"spherical-pendulum", "heun", 0.1, 0, 20000},
            {"spherical-pendulum", "rk3", 0.2, -0.5, 20000},
            {"spherical-pendulum", "rk4", 0.3, -0.3, 20000},
            {"modified-pendulum", "rk4", 0.05, -0.5, 20000},
            {"double-pendulum", "rk3", 0.05, -0.5, 20000},
            {"charged-pendulum", "rk4", 0.2, -1, 20000},
            {"slider-crank", "heun", 0.03, -0.5, 10000},
            {"heavy-top", "heun", 0.05, -0.5, 10000},
            {"tethered-satellites", "rk3", 0.26, -0.5, 10000}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    problem *x = problem_open(of[i].system);
    char     method[64], plain[64];
    snprintf(method, sizeof method, "convert(%s, bias=%g)", of[i].layer, of[i].bias);
    snprintf(plain, sizeof plain, "project(%s)", of[i].layer);
    const course c = course_of(x, method, CST_ITERATION_AUTO, of[i].h, of[i].steps),
                 d = course_of(x, plain, CST_ITERATION_AUTO, of[i].h, of[i].steps);
    OK(bounded(c), "%s on %s, h = %g: energy bounded over %ld steps (%.2g, then %.2g)", method,
       of[i].system, of[i].h, of[i].steps, c.energy[0], c.energy[1]);
    OK(!bounded(d) || d.energy[1] > 20 * c.energy[1], "%s drifts (%.2g, then %.2g)", plain,
       d.energy[0], d.energy[1]);
    problem_close(x);
  }
}

static void tests(void) {
  test_momenta();
  test_iterations();
  test_energy();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
