/* test-integrator.c: trajectories stepped through constella/integrator.h: what they must not depend on,
 * failures, errors, observables. (The bits of `constella run` are compared in tests/install, by a program
 * that knows the installed headers alone.) */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/integrator.h"
#include "tap.h"

enum { NQ = 4, NG = 2, MANY = 5 };

static cst_integrator *made(cst_system *s, const char *method, double h, long room) {
  cst_integrator           *x;
  const cst_integrator_code code = cst_integrator_create(
      &(cst_integrator_options){.system = s, .method = method, .step = h, .trajectories = room},
      &x);
  OK(!code, "%s is created %s", method, cst_integrator_message(x));
  return x;
}

/* The double pendulum at rest at the angles a and b. */
static void place(const double *c, double a, double b, double *q) {
  const double L1 = c[3], L2 = c[4];
  q[0] = L1 * sin(a), q[1] = -L1 * cos(a), q[2] = q[0] + L2 * sin(b), q[3] = q[1] - L2 * cos(b);
}

static void places(const double *c, double *q) {
  for (int k = 0; k < MANY; k++)
    place(c, 0.1 * (k + 1), 0.3 - 0.1 * k, q + k * NQ);
}

static void does_not_depend_on_neighbours(cst_system *s, const double *c) {
  double q[MANY * NQ], v[MANY * NQ] = {0}, p[MANY * NQ], lambda[MANY * NG], alone[NQ], alone_p[NQ],
                                alone_lambda[NG];
  cst_integrator *all = made(s, "compose(rattle, suzuki4)", 0.02, MANY),
                 *one = made(s, "compose(rattle, suzuki4)", 0.02, 1);
  bool same = true;
  places(c, q);
  OK(!cst_integrator_start(all, MANY, NULL, q, v) && !cst_integrator_advance(all, 40) &&
         !cst_integrator_advance(all, 60),
     "a batch");
  cst_integrator_positions(all, q), cst_integrator_momenta(all, p),
      cst_integrator_multipliers(all, lambda);
  for (int k = 0; k < MANY; k++) {
    place(c, 0.1 * (k + 1), 0.3 - 0.1 * k, alone);
    same =
        same && !cst_integrator_start(one, 1, NULL, alone, v) && !cst_integrator_advance(one, 100);
    cst_integrator_positions(one, alone), cst_integrator_momenta(one, alone_p),
        cst_integrator_multipliers(one, alone_lambda);
    same = same && !memcmp(alone, q + k * NQ, sizeof alone) &&
           !memcmp(alone_p, p + k * NQ, sizeof alone_p) &&
           !memcmp(alone_lambda, lambda + k * NG, sizeof alone_lambda);
  }
  OK(same, "each trajectory alone has the bits that it has in a batch, in one call or in two");
  cst_integrator_destroy(all);
  cst_integrator_destroy(one);
}

static void goes_back(cst_system *s, const double *c) {
  double          q0[NQ], q[NQ], v[NQ] = {0}, p[NQ], most = 0;
  cst_integrator *x = made(s, "rattle", 0.02, 1);
  place(c, 1, 0.5, q0);
  OK(!cst_integrator_start(x, 1, NULL, q0, v) && !cst_integrator_advance(x, 200), "forward");
  cst_integrator_positions(x, q), cst_integrator_momenta(x, p);
  OK(!cst_integrator_set_step(x, -0.02) && !cst_integrator_start_momenta(x, 1, NULL, q, p) &&
         !cst_integrator_advance(x, 200),
     "and back");
  cst_integrator_positions(x, q);
  for (int i = 0; i < NQ; i++)
    most = fmax(most, fabs(q[i] - q0[i]));
  OK(most < 1e-11 && fabs(cst_integrator_time(x) + 4) < 1e-12,
     "a symmetric method is where it was (%g)", most);
  cst_integrator_destroy(x);
}

/* Gravity of the second trajectory is so strong that its steps fail; the first one does not notice. */
static void a_failure_is_its_own(cst_system *s, const double *c) {
  double                parameter[2 * CST_MAX_PAR], q[2 * NQ], v[2 * NQ] = {0}, alone[NQ], e[2];
  cst_trajectory_status status[2];
  long                  steps[2];
  cst_integrator       *x = made(s, "rattle", 0.1, 2);
  for (int k = 0; k < 2; k++)
    memcpy(parameter + k * s->npar, c, sizeof *c * (size_t)s->npar), place(c, 1, 0.5, q + k * NQ);
  parameter[s->npar + 2] = 1e9;
  OK(!cst_integrator_start(x, 2, parameter, q, v) && !cst_integrator_advance(x, 50),
     "two trajectories, one of which cannot go on");
  const long failed = cst_integrator_status(x, status, steps);
  OK(failed == 1 && !status[0] && status[1] && steps[0] == 50 && steps[1] < 50,
     "its status: %s after %ld steps", cst_integrator_reason(status[1]), steps[1]);
  cst_integrator_positions(x, q), cst_integrator_energy(x, e);
  OK(isfinite(q[NQ]) && isfinite(e[1]), "it stays at its last good state");
  place(c, 1, 0.5, alone);
  OK(!cst_integrator_start(x, 1, NULL, alone, v) && !cst_integrator_advance(x, 50),
     "the other one alone");
  cst_integrator_positions(x, alone);
  OK(!memcmp(alone, q, sizeof alone), "has the same bits");
  cst_integrator_destroy(x);
}

static void observables(cst_system *s, const double *c) {
  double          q[2 * NQ], v[2 * NQ] = {0}, lambda[2 * NG], value[2], e0[2], e[2];
  int             sum = -1, pull = -1;
  cst_integrator *x = made(s, "rattle", 0.01, 2);
  for (int k = 0; k < 2; k++)
    place(c, 0.4 + k, 0.2, q + k * NQ);
  OK(!cst_integrator_add_observable(x, "t + x1*y2", &sum) &&
         !cst_integrator_add_observable(x, "2*lambda_upper", &pull),
     "two observables");
  OK(!cst_integrator_start(x, 2, NULL, q, v), "are there before the start");
  cst_integrator_energy(x, e0);
  OK(!cst_integrator_advance(x, 100), "steps");
  cst_integrator_positions(x, q), cst_integrator_multipliers(x, lambda),
      cst_integrator_observe(x, sum, value);
  OK(value[1] == 1.0 + q[NQ + 0] * q[NQ + 3], "an expression of time and coordinates");
  cst_integrator_observe(x, pull, value);
  OK(value[0] == 2 * lambda[0] && value[1] == 2 * lambda[NG], "one of multipliers");
  cst_integrator_energy(x, e);
  OK(fabs(e[0] - e0[0]) < 1e-4 && fabs(e[1] - e0[1]) < 1e-3 && e[0] != e0[0],
     "the energy is nearly kept");
  cst_integrator_destroy(x);
}

/* A linkage whose mass depends on the coordinates. */
static void closed_loop(void) {
  cst_system *s = cst_catalogue_create("four-bar");
  double      c[CST_MAX_PAR], *q = calloc(4 * (size_t)s->nq, sizeof *q), *v = q + s->nq, g, scaled;
  cst_integrator *x = made(s, "project(rk4)", 0.01, 1);
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  const bool stepped = !cst_integrator_start(x, 1, NULL, q, v) && !cst_integrator_advance(x, 100);
  OK(stepped, "a linkage %s", cst_integrator_message(x));
  cst_integrator_positions(x, q), cst_integrator_velocities(x, v);
  cst_system_residuals(s, c, q, v, &g, &scaled, NULL, NULL);
  OK(scaled < 1e-12, "stays closed");
  cst_integrator_destroy(x);
  cst_system_destroy(s);
  free(q);
}

static void refused(cst_integrator_options o, cst_integrator_code code, const char *words) {
  cst_integrator           *x;
  const cst_integrator_code found = cst_integrator_create(&o, &x);
  OK(found == code && strstr(cst_integrator_message(x), words), "%s: %s", words,
     cst_integrator_message(x));
  cst_integrator_destroy(x);
}

/* Numbers that are no status, and momenta that are no numbers. */
static void odd_numbers(cst_system *s, const double *c) {
  double          q[NQ], p[NQ] = {0};
  cst_integrator *x = made(s, "rattle", 0.01, 1);
  place(c, 1, 0.5, q);
  p[1] = NAN;
  OK(cst_integrator_start_momenta(x, 1, NULL, q, p) == CST_INTEGRATOR_BAD_START &&
         strstr(cst_integrator_message(x), "momentum 1 is nan"),
     "momenta: %s", cst_integrator_message(x));
  OK(!strcmp(cst_integrator_reason((cst_trajectory_status)-1), "other reasons") &&
         !strcmp(cst_integrator_reason((cst_trajectory_status)999), "other reasons"),
     "no status: %s", cst_integrator_reason((cst_trajectory_status)-1));
  cst_integrator_destroy(x);
}

static void mistakes(cst_system *s) {
  refused((cst_integrator_options){.method = "rattle", .step = 1}, CST_INTEGRATOR_BAD_ARGUMENT,
          "required");
  refused((cst_integrator_options){.system = s, .method = "rattle"}, CST_INTEGRATOR_BAD_ARGUMENT,
          "step");
  refused((cst_integrator_options){.system = s, .method = "rattle", .step = 1, .tolerance = 1},
          CST_INTEGRATOR_BAD_ARGUMENT, "tolerance");
  refused((cst_integrator_options){.system = s, .method = "newmark", .step = 1},
          CST_INTEGRATOR_BAD_METHOD, "constraints");
  refused((cst_integrator_options){.system = s, .method = "rattle(", .step = 1},
          CST_INTEGRATOR_BAD_METHOD, "character");
  refused((cst_integrator_options){.system = s, .method = "rattle", .step = 1, .trajectories = -1},
          CST_INTEGRATOR_BAD_ARGUMENT, "trajectories");
}

int main(void) {
  double      c[CST_MAX_PAR];
  cst_system *s = cst_catalogue_create("double-pendulum");
  refused((cst_integrator_options){.system = s, .method = "rattle", .step = 1},
          CST_INTEGRATOR_BAD_ARGUMENT, "cst_integrator_begin");
  OK(!cst_integrator_begin(NULL, 0), "begun");
  cst_system_defaults(s, NULL, c);
  does_not_depend_on_neighbours(s, c);
  goes_back(s, c);
  a_failure_is_its_own(s, c);
  observables(s, c);
  closed_loop();
  odd_numbers(s, c);
  mistakes(s);
  cst_system_destroy(s);
  cst_integrator_end();
  return tap_done();
}
