/* pendulum.c: a program of someone else that steps trajectories by the library, and gets the bits of
 * `constella run`.
 *
 *   pendulum RESULT.h5     the result of a study of the planar pendulum from its state `default`
 *
 * Every case of the result is stepped again: in a batch with a neighbour of another start, half the steps
 * in one call and the rest in another. Prints what is wrong; exit status 1 when something is.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <constella/constella.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NQ = 2, NG = 1, NPAR = 3 };

static int wrong;

static void check(bool ok, const char *what) {
  if (!ok)
    printf("wrong: %s\n", what), wrong = 1;
}

typedef struct {
  double *h, *n, *c, *q, *p, *lambda; /* a row for each case */
  char (*method)[CST_TEXT_WIDTH + 1];
  long cases;
} result;

static double *numbers(cst_result *r, const char *path) {
  int  ndim;
  long extent[CST_FIELD_DIMS];
  return cst_result_read(r, path, &ndim, extent);
}

static result read_result(const char *path) {
  char        why[512] = "";
  result      x = {0};
  cst_result *r = cst_result_open(path, why, sizeof why);
  if (!r)
    return printf("wrong: %s: %s\n", path, why), exit(1), x;
  x.h = numbers(r, "/cases/h"), x.n = numbers(r, "/cases/n"), x.c = numbers(r, "/cases/parameters");
  x.q = numbers(r, "/final/q"), x.p = numbers(r, "/final/p"),
  x.lambda = numbers(r, "/final/lambda");
  x.method = cst_result_read_text(r, "/statistics/method", &x.cases);
  cst_result_close(r);
  return x;
}

static void free_result(result *x) {
  free(x->h), free(x->n), free(x->c), free(x->q), free(x->p), free(x->lambda), free(x->method);
}

/* The trajectory of the case, together with one that starts with twice the velocity. */
static void start(cst_system *s, const double *c, double *q, double *v) {
  for (int k = 0; k < 2; k++) {
    cst_system_state(s, 0, c + k * NPAR, q + k * NQ, v + k * NQ);
    for (int i = 0; i < NQ; i++)
      v[k * NQ + i] *= 1 + k;
  }
}

static bool is_same(const double *x, const double *y, int n) {
  return !memcmp(x, y, (size_t)n * sizeof *x);
}

/* E of the planar pendulum: kinetic energy of a point mass, and weight; parameters in the order of its text.
 */
static double energy(const cst_system *s, const double *c, const double *q, const double *v) {
  double m = NAN, g = NAN;
  for (int k = 0; k < s->npar; k++) {
    if (!strcmp(s->parameter[k].name, "m"))
      m = c[k];
    if (!strcmp(s->parameter[k].name, "g"))
      g = c[k];
  }
  return 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + m * g * q[1];
}

static void compare(cst_integrator *x, cst_system *s, const double *c, const result *r, long i) {
  double                q[2 * NQ], p[2 * NQ], v[2 * NQ], lambda[2 * NG], e[2];
  cst_trajectory_status status[2];
  cst_integrator_positions(x, q), cst_integrator_momenta(x, p), cst_integrator_velocities(x, v);
  cst_integrator_multipliers(x, lambda), cst_integrator_energy(x, e);
  check(cst_integrator_status(x, status, NULL) == 0 && cst_integrator_steps(x) == (long)r->n[i],
        "all steps are done");
  check(fabs(cst_integrator_time(x) - r->n[i] * r->h[i]) < 1e-12, "the time");
  check(is_same(q, r->q + i * NQ, NQ) && is_same(p, r->p + i * NQ, NQ),
        "the bits of q and p are those of the run");
  check(is_same(lambda, r->lambda + i * NG, NG), "so are those of lambda");
  for (int k = 0; k < 2; k++)
    check(fabs(e[k] - energy(s, c, q + k * NQ, v + k * NQ)) < 1e-13, "the energy");
}

static void step_case(cst_system *s, const result *r, long i) {
  const cst_integrator_options options = {
      .system = s, .method = r->method[i], .step = r->h[i], .trajectories = 2};
  cst_integrator *x;
  double          q[2 * NQ], v[2 * NQ], c[2 * NPAR];
  const long      n = (long)r->n[i];
  for (int k = 0; k < 2 * NPAR; k++)
    c[k] = r->c[i * NPAR + k % NPAR];
  start(s, c, q, v);
  bool ok = !cst_integrator_create(&options, &x) && !cst_integrator_start(x, 2, c, q, v);
  ok = ok && !cst_integrator_advance(x, n / 2) && !cst_integrator_advance(x, n - n / 2);
  if (ok)
    compare(x, s, c, r, i);
  if (!ok)
    printf("wrong: %s\n", cst_integrator_message(x)), wrong = 1;
  cst_integrator_destroy(x);
}

/* An observable of one's own against the state; what is not allowed comes back as a code with a text. */
static void errors_and_observables(cst_system *s) {
  cst_integrator_options options = {.system = s, .method = "ratle", .step = 0.1};
  cst_integrator        *x;
  double                 c[CST_MAX_PAR], q[2 * NQ], v[2 * NQ], z;
  int                    index;
  check(cst_integrator_create(&options, &x) == CST_INTEGRATOR_BAD_METHOD &&
            strstr(cst_integrator_message(x), "'rattle'"),
        "a misspelt method is told with the nearest name");
  cst_integrator_destroy(x);
  options.method = "rattle";
  check(!cst_integrator_create(&options, &x), "rattle is created");
  check(cst_integrator_advance(x, 1) == CST_INTEGRATOR_BAD_ARGUMENT,
        "nothing is advanced before a start");
  cst_system_defaults(s, NULL, c);
  cst_system_state(s, 0, c, q, v);
  q[1] += 0.5;
  check(cst_integrator_start(x, 1, NULL, q, v) == CST_INTEGRATOR_BAD_START &&
            strstr(cst_integrator_message(x), "|g|"),
        "a start off the constraint is refused");
  q[1] -= 0.5;
  check(!cst_integrator_start(x, 1, NULL, q, v) && !cst_integrator_advance(x, 7),
        "a start on it is not");
  check(cst_integrator_add_observable(x, "x +", &index) == CST_INTEGRATOR_BAD_ARGUMENT,
        "half an expression is refused");
  check(!cst_integrator_add_observable(x, "x*x' + y*y'", &index), "an expression is not");
  cst_integrator_observe(x, index, &z);
  check(fabs(z) < 1e-14, "the velocity is tangent");
  cst_integrator_destroy(x);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: pendulum RESULT.h5\n"), 2;
  cst_system *s = cst_catalogue_create("planar-pendulum");
  result      r = read_result(argv[1]);
  char        why[200] = "";
  check(s && s->nq == NQ && s->ng == NG && s->npar == NPAR, "the planar pendulum");
  check(cst_integrator_begin(why, sizeof why) == CST_INTEGRATOR_OK, why);
  if (s)
    errors_and_observables(s);
  for (long i = 0; i < r.cases && s; i++)
    step_case(s, &r, i);
  if (!wrong)
    printf("%ld cases, the same bits\n", r.cases);
  cst_system_destroy(s);
  free_result(&r);
  cst_integrator_end();
  return wrong;
}
