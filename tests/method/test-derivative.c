/* test-derivative.c: derivatives of steps against central differences, and the steps that they belong to against
 * those of the lanes. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "constella/integrator.h"
#include "method/derivative.h"
#include "tap.h"

enum { MOST = 12, VECTORS = 3 };

static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static double size(const double *a, int n) {
  const double zero[2 * MOST] = {0};
  return apart(a, zero, n);
}

/* The largest distance of the images of w from central differences of the step, relative to them. */
static double error(cst_derivative *d, const double *c, double h, const double *x, int nq) {
  static const double e = 1e-5;
  double              w[VECTORS * 2 * MOST], image[VECTORS * 2 * MOST], end[2 * MOST], most = 0;
  const int           n = 2 * nq;
  for (int i = 0; i < VECTORS * n; i++)
    w[i] = sin(1 + 7.3 * i);
  cst_derivative_tangent(d, c, x, x + nq, VECTORS, w);
  memcpy(image, w, sizeof w);
  memcpy(end, x, sizeof *x * (size_t)n);
  if (!cst_derivative_step(d, c, h, end, end + nq, VECTORS, image))
    return INFINITY;
  for (int k = 0; k < VECTORS; k++) {
    double side[2][2 * MOST], slope[2 * MOST];
    for (int s = 0; s < 2; s++) {
      for (int i = 0; i < n; i++)
        side[s][i] = x[i] + (s ? -e : e) * w[k * n + i];
      if (!cst_derivative_step(d, c, h, side[s], side[s] + nq, 0, NULL))
        return INFINITY;
    }
    for (int i = 0; i < n; i++)
      slope[i] = (side[0][i] - side[1][i]) / (2 * e);
    most = fmax(most, apart(slope, image + k * n, n) / size(slope, n));
  }
  return most;
}

static void check(const char *name, const char *method, double h) {
  cst_system     *s = cst_catalogue_create(name);
  cst_integrator *x;
  cst_expr_error  wrong;
  double          c[CST_MAX_PAR], q[MOST], v[MOST], end[2 * MOST], mine[2 * MOST];
  const int       nq = s->nq;
  cst_method     *m = cst_method_parse(method, NULL, &wrong);
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  OK(!cst_derivative_refusal(m, s), "%s of %s has a derivative", method, name);
  cst_prepared   *p = cst_method_prepare(m, s);
  cst_derivative *d = cst_derivative_create(p);
  bool            good = !cst_integrator_create(
                 &(cst_integrator_options){.system = s, .method = method, .step = h}, &x);
  good = good && !cst_integrator_start(x, 1, NULL, q, v) && !cst_integrator_advance(x, 30);
  cst_integrator_positions(x, mine), cst_integrator_momenta(x, mine + nq);
  const double off = error(d, c, h, mine, nq);
  OK(off < 1e-7, "%s of %s: against central differences %g", method, name, off);
  good = good && cst_derivative_step(d, c, h, mine, mine + nq, 0, NULL);
  good = good && !cst_integrator_advance(x, 1);
  cst_integrator_positions(x, end), cst_integrator_momenta(x, end + nq);
  OK(good && apart(end, mine, 2 * nq) < 1e-13 * (1 + size(end, 2 * nq)),
     "%s of %s: its step is that of the lanes, up to %g", method, name, apart(end, mine, 2 * nq));
  cst_integrator_destroy(x);
  cst_derivative_destroy(d);
  cst_program_prepared_destroy(p);
  cst_method_destroy(m);
  cst_system_destroy(s);
}

static void refused(const char *name, const char *method) {
  cst_system    *s = cst_catalogue_create(name);
  cst_expr_error wrong;
  cst_method    *m = cst_method_parse(method, NULL, &wrong);
  OK(cst_derivative_refusal(m, s) != NULL, "%s of %s has none", method, name);
  cst_method_destroy(m);
  cst_system_destroy(s);
}

static void checks(void) {
  static const char *const method[] = {"rattle",
                                       "euler-a",
                                       "euler-b",
                                       "shake",
                                       "midpoint",
                                       "compose(rattle, yoshida4)",
                                       "discretization(theta=0.25)"};
  static const struct {
    const char *name;
    double      h;
  } system[] = {{"double-pendulum", 0.05},
                {"heavy-top", 0.01},
                {"kepler", 0.05},
                {"spherical-pendulum", 0.05},
                {"modified-pendulum", 0.01}};
  for (size_t k = 0; k < sizeof system / sizeof *system; k++)
    for (size_t i = 0; i < sizeof method / sizeof *method; i++)
      if (strcmp(method[i], "shake") || strcmp(system[k].name, "kepler"))
        check(system[k].name, method[i], system[k].h);
  refused("double-pendulum", "compose(rattle, convert(rk4))");
  refused("double-pendulum-angles", "rattle");
}

int main(void) {
  char why[256];
  OK(!cst_integrator_begin(why, sizeof why), "begin: %s", why);
  checks();
  cst_integrator_end();
  return tap_done();
}
