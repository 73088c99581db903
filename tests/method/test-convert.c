/* test-convert.c: steps of convert(LAYER, bias=b): known closed forms, inversion by the adjoint, and the same
 * result from every iteration. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

static const char *const layers[] = {"euler", "heun", "rk3", "rk4", "rk5", "rk6", "gauss(2)"};
static const double      biases[] = {0, -0.3, -0.5, -1};
enum { LAYERS = sizeof layers / sizeof *layers, BIASES = sizeof biases / sizeof *biases };

static const char *const constrained[] = {"spherical-pendulum", "double-pendulum",
                                          "modified-pendulum",  "rigid-body",
                                          "four-bar",           "charged-pendulum"};
enum { CONSTRAINED = sizeof constrained / sizeof *constrained };

/* A name for the method, valid until the name is reused. */
static const char *named(const char *format, const char *layer, double bias) {
  static char text[4][80];
  static int  at;
  at = (at + 1) % 4;
  snprintf(text[at], sizeof text[at], format, layer, bias);
  return text[at];
}
static const char *converted(const char *layer, double bias) {
  return named("convert(%s, bias=%g)", layer, bias);
}
static const char *adjoint(const char *layer, double bias) {
  return named("adjoint(convert(%s, bias=%g))", layer, bias);
}

/* ---- one step -------------------------------------------------------------------------------- */

/* (q, p) := a step of h from (q, p). */
static void step(run *r, double h, double *q, double *p) {
  double v[CST_MAX_Q];
  cst_system_velocity(r->x->s, r->x->c, q, p, v);
  cst_batch_reset(r->st, &r->b, 1);
  run_put(r, 0, q, v);
  cst_batch_ready(r->st, &r->b);
  run_go(r, h, 1);
  if (!run_well(r, 1))
    q[0] = NAN;
  run_state(r, 0, q, p);
}

static double distance(const problem *x, const double *q, const double *p, const double *Q,
                       const double *P) {
  const int n = x->s->nq;
  return larger(apart(q, Q, n) / norm(Q, n), apart(p, P, n) / norm(P, n));
}

/* The largest distance after one step of two methods from each state that the first one reaches. */
static double difference(const problem *x, const char *one, const char *other, double h,
                         int steps) {
  double q[2][CST_MAX_Q], p[2][CST_MAX_Q], v[CST_MAX_Q], off = 0;
  run    r[2];
  for (int k = 0; k < 2; k++)
    run_open_on(&r[k], x, k ? other : one, widest(), 1, 1e-15);
  start_of(x, 1, q[0], v);
  cst_system_momentum(x->s, x->c, q[0], v, p[0]);
  for (int n = 0; n < steps; n++) {
    memcpy(q[1], q[0], sizeof q[0]);
    memcpy(p[1], p[0], sizeof p[0]);
    for (int k = 0; k < 2; k++)
      step(&r[k], h, q[k], p[k]);
    off = larger(off, distance(x, q[0], p[0], q[1], p[1]));
  }
  for (int k = 0; k < 2; k++)
    run_close(&r[k]);
  return off;
}

/* ---- closed forms ---------------------------------------------------------------------------- */

/* For systems without constraints and with a constant diagonal mass: kick and drift, drift and kick, the
 * implicit midpoint rule. A symplectic layer is its own conversion at both ends. */
static const struct {
  const char *conversion, *form;
} forms[] = {{"convert(euler)", "euler-a"},
             {"convert(euler, bias=-1)", "euler-b"},
             {"convert(euler, bias=-0.5)", "midpoint"},
             {"convert(gauss(1))", "gauss(1)"},
             {"convert(gauss(2))", "gauss(2)"},
             {"convert(gauss(2), bias=-1)", "gauss(2)"},
             {"convert(gauss(4))", "gauss(4)"}},
  others[] = {{"convert(euler)", "euler-b"},
              {"convert(gauss(2), bias=-0.5)", "gauss(2)"},
              {"convert(rk4)", "rk4"}};

static void test_forms(void) {
  double greatest = 0;
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem   *x = problem_open(cst_catalogue_name(k));
    const bool has = !x->s->ng && cst_has(x->s, CST_SEPARABLE);
    double     h = 0.05 * pace_of(x->s->name);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && has; i++) {
      double off = difference(x, forms[i].conversion, forms[i].form, h, 100);
      OK(off <= 2e-15, "%s on %s is %s (%.2g)", forms[i].conversion, x->s->name, forms[i].form,
         off);
      greatest = larger(greatest, off);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && has; i++) {
      double off = difference(x, others[i].conversion, others[i].form, h, 100);
      OK(off > 1e-10, "%s on %s is not %s (%.2g)", others[i].conversion, x->s->name, others[i].form,
         off);
    }
    problem_close(x);
  }
  NOTE("closed forms: largest distance %.3g", greatest);
}

/* ---- there and back -------------------------------------------------------------------------- */

/* The distance from the start after a step of h and one of -h of another method. */
static double return_trip(const problem *x, const char *there, const char *back, double h) {
  double q0[CST_MAX_Q], p0[CST_MAX_Q], q[CST_MAX_Q], p[CST_MAX_Q], v[2][CST_MAX_Q];
  run    r[2];
  for (int k = 0; k < 2; k++)
    run_open_on(&r[k], x, k ? back : there, widest(), 1, 1e-15);
  start_of(x, 1, q0, v[0]);
  cst_system_momentum(x->s, x->c, q0, v[0], p0);
  memcpy(q, q0, sizeof q);
  memcpy(p, p0, sizeof p);
  for (int k = 0; k < 2; k++)
    step(&r[k], k ? -h : h, q, p);
  cst_system_velocity(x->s, x->c, q, p, v[1]);
  for (int k = 0; k < 2; k++)
    run_close(&r[k]);
  return larger(apart(q, q0, x->s->nq), apart(v[0], v[1], x->s->nq)) /
         larger(1, larger(norm(q0, x->s->nq), norm(v[0], x->s->nq)));
}

/* True if a conversion visibly fails to return without its adjoint. One of low order does, except on the free
 * rigid body, where euler gains orders. */
static bool control(const problem *x, const char *layer, double bias) {
  const bool low = !strcmp(layer, "heun") || !strcmp(layer, "rk3") ||
                   (!strcmp(layer, "euler") && strcmp(x->s->name, "rigid-body"));
  return low && bias != -0.5;
}

static void test_return(void) {
  double greatest = 0, least = INFINITY;
  for (int k = 0; k < CONSTRAINED; k++) {
    problem *x = problem_open(constrained[k]);
    double   h = 0.1 * pace_of(x->s->name);
    for (int i = 0; i < LAYERS * BIASES; i++) {
      const char  *layer = layers[i / BIASES];
      const double bias = biases[i % BIASES],
                   off = return_trip(x, converted(layer, bias), adjoint(layer, bias), h);
      OK(off <= 1e-14, "%s and back by its adjoint on %s (%.2g)", converted(layer, bias),
         x->s->name, off);
      const double alone = return_trip(x, converted(layer, bias), converted(layer, bias), h);
      if (bias == -0.5)
        OK(alone <= 1e-14, "%s and back on %s (%.2g)", converted(layer, bias), x->s->name, alone);
      greatest = larger(greatest, off);
      if (!control(x, layer, bias))
        continue;
      OK(alone > 1e-10, "%s on %s: not by itself (%.2g)", converted(layer, bias), x->s->name,
         alone);
      least = fmin(least, alone);
    }
    problem_close(x);
  }
  NOTE("there and back: largest distance %.3g; without the adjoint at least %.3g", greatest, least);
}

/* ---- iterations ------------------------------------------------------------------------------ */

static const cst_iteration iterations[] = {CST_ITERATION_NEWTON, CST_ITERATION_SIMPLIFIED,
                                           CST_ITERATION_CHORD, CST_ITERATION_KRYLOV};
enum { ITERATIONS = 4, MOST = 60 };

/* The relative updates of (q, v, mu+, q1) in the iteration for the first step, size[n]. Returns n. */
static int updates(const problem *x, const char *method, cst_iteration iteration, double h,
                   double *size) {
  const int   isa = widest(), w = cst_isas[isa].width;
  run         r;
  cst_scratch scratch;
  int         n = 0;
  run_open_with(&r, x, method, isa, 1, 1e-15, iteration);
  run_start(&r, 1);
  cst_batch_set_step(r.st, &r.b, h);
  const cst_march *C = cst_stepper_march(r.st, r.b.record);
  const cst_core  *core = cst_substep_generic(row_of(method), isa);
  double *at = calloc((size_t)(3 * C->unknowns * w), sizeof *at), *f = at + C->unknowns * w,
         *d = f + C->unknowns * w;
  core->begin(C, r.b.record, 0, at, &scratch);
  while (core->residual(C, r.b.record, 0, at, f, &scratch) && n < MOST) {
    core->direction(C, r.b.record, 0, at, f, d, &scratch);
    core->correct(C, r.b.record, 0, at, d, &scratch);
    size[n++] = norm(d, 4 * x->s->nq * w) / norm(at, 4 * x->s->nq * w);
  }
  free(at);
  run_close(&r);
  return n;
}

/* The mean contraction of the updates above round-off; 0 if there are none. */
static double contraction(const double *size, int n) {
  int k = 0;
  while (k + 1 < n && size[k + 1] > 1e-13)
    k++;
  return k ? pow(size[k] / size[0], 1.0 / k) : 0;
}

/* Newton's method: from the second update on, when the multipliers have converged, every update is about the
 * square of the one before; the fourth is round-off. */
static bool quadratic(const double *size, int n) {
  for (int k = 1; k + 1 < n; k++)
    if (size[k + 1] > larger(size[k] * size[k], 1e-14))
      return false;
  return n <= 3 || size[3] <= 1e-14;
}

/* The contraction with the step and with half the step. */
typedef struct {
  double factor[2]; /* contraction with h and with h/2 */
  int    count[2];
  bool   quadratic;
} pair;

static pair pair_of(const problem *x, const char *method, cst_iteration iteration) {
  pair   p = {.quadratic = true};
  double size[MOST];
  for (int k = 0; k < 2; k++) {
    p.count[k] = updates(x, method, iteration, 0.1 * pace_of(x->s->name) / (1 + k), size);
    p.factor[k] = contraction(size, p.count[k]);
    p.quadratic &= quadratic(size, p.count[k]);
  }
  return p;
}

static double gain(pair p) { return log2(p.factor[0] / p.factor[1]); }

/* newton converges quadratically and the others do not. For a layer of order r simplified contracts by h^r,
 * chord by h. */
static void test_contraction(const char *system) {
  static const char *const of[] = {"euler", "heun"};
  problem                 *x = problem_open(system);
  for (int r = 1; r <= 2; r++) {
    const char *method = converted(of[r - 1], -0.3);
    const pair  newton = pair_of(x, method, CST_ITERATION_NEWTON),
               simplified = pair_of(x, method, CST_ITERATION_SIMPLIFIED),
               chord = pair_of(x, method, CST_ITERATION_CHORD);
    OK(newton.quadratic && !simplified.quadratic && !chord.quadratic,
       "%s on %s: newton, and it alone, converges quadratically (%d iterations, simplified %d, "
       "chord %d)",
       method, system, newton.count[0], simplified.count[0], chord.count[0]);
    OK(gain(simplified) > r - 0.3, "%s on %s: simplified contracts by h^%d (%.2g, %.2g with h/2)",
       method, system, r, simplified.factor[0], simplified.factor[1]);
    OK(gain(chord) > 0.7, "%s on %s: chord contracts by h (%.2g, %.2g with h/2)", method, system,
       chord.factor[0], chord.factor[1]);
  }
  problem_close(x);
}

/* All iterations give the same step. */
static void test_iterations(void) {
  double greatest = 0;
  for (int k = 0; k < CONSTRAINED; k++) {
    problem *x = problem_open(constrained[k]);
    for (int i = 0; i < LAYERS * BIASES; i++) {
      const char *method = converted(layers[i / BIASES], biases[i % BIASES]);
      double      q[ITERATIONS][CST_MAX_Q], p[ITERATIONS][CST_MAX_Q], off = 0;
      for (int m = 0; m < ITERATIONS; m++) {
        run r;
        run_open_with(&r, x, method, widest(), 1, 1e-15, iterations[m]);
        run_start(&r, 1);
        run_go(&r, 0.1 * pace_of(x->s->name), 1);
        run_state(&r, 0, q[m], p[m]);
        if (!run_well(&r, 1))
          q[m][0] = NAN;
        run_close(&r);
        off = larger(off, distance(x, q[m], p[m], q[0], p[0]));
      }
      OK(off <= 4e-15, "%s on %s: all iterations take the same step (%.2g)", method, x->s->name,
         off);
      greatest = larger(greatest, off);
    }
    problem_close(x);
  }
  NOTE("iterations: largest distance of a step %.3g", greatest);
}

static void tests(void) {
  test_forms();
  test_return();
  test_iterations();
  test_contraction("spherical-pendulum");
  test_contraction("double-pendulum");
  test_contraction("charged-pendulum");
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
