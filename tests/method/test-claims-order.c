/* test-claims-order.c: compares observed orders with the claims: of q and p at a fixed time, and of the
 * multipliers of methods that have their own. On systems without special structure the order must not be
 * higher either; on others a higher order is noted. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 3, LEVELS = 10, LEAST = 4 }; /* step counts LEAST * 2^k */
static const double FLOOR = 2e-13;

/* The time of comparison: long enough for errors of order 8 to exceed round-off. The multiplier of the driven pendulum
 * changes so fast that leading terms dominate only over a short time. */
static double end_of(const problem *x) {
  return pace_of(x->s->name) * (!strcmp(x->s->name, "henon-heiles")      ? 8
                                : !strcmp(x->s->name, "driven-pendulum") ? 0.5
                                : strstr(x->s->name, "pendulum")         ? 1.5
                                                                         : 1);
}

/* At R = 1 constraints have a vanishing scale, so that only round-off can be required. */
static double tolerance_of(const problem *x) {
  return !strcmp(x->s->name, "magnetised-body") ? 4e-15 : 1e-15;
}

/* The continuous solution from the starts, by gauss(8), at the end, and at h/2 and h before the end for every
 * level. */
typedef struct {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q];
  double size[3];                             /* of q, p, lambda, for relative errors */
  double lambda[LEVELS][3][LANES][CST_MAX_G]; /* at k h/2 before the end */
} reference;

static void solve(const problem *x, const char *method, double end, double step,
                  double q[LANES][CST_MAX_Q], double p[LANES][CST_MAX_Q]) {
  run  r;
  long n = (long)ceil(end / step);
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, end / (double)n, n);
  for (int l = 0; l < LANES; l++)
    run_state(&r, l, q[l], p[l]);
  if (!run_well(&r, LANES)) {
    fprintf(stderr, "%s: no reference\n", x->s->name);
    abort();
  }
  run_close(&r);
}

/* The multipliers at time t. */
static void multipliers(const problem *x, double t, const double *q, const double *p,
                        double *lambda) {
  double v[CST_MAX_Q], c[CST_MAX_PAR];
  memcpy(c, x->c, sizeof *c * (size_t)x->s->npar);
  if (cst_has(x->s, CST_TIMED))
    c[x->s->model->account - 1] = t;
  cst_system_velocity(x->s, c, q, p, v);
  cst_system_multipliers(x->s, c, q, v, lambda);
}

static double length(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

static int count_at(int level) { return LEAST << level; }

static void reference_of(const problem *x, reference *f) {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], end = end_of(x);
  solve(x, "gauss(8)", end, 0.02 * pace_of(x->s->name), f->q, f->p);
  for (int k = 0; k < LEVELS && x->s->ng; k++)
    for (int back = 0; back < 3; back++) {
      const double t = end - 0.5 * back * end / count_at(k);
      if (k && back != 1) { /* the end again, and h before it, which is h/2 of the level before */
        memcpy(f->lambda[k][back], f->lambda[k - 1][back / 2], sizeof f->lambda[k][back]);
        continue;
      }
      solve(x, "gauss(8)", t, 0.05 * pace_of(x->s->name), q, p);
      for (int l = 0; l < LANES; l++)
        multipliers(x, t, q[l], p[l], f->lambda[k][back][l]);
    }
  f->size[0] = length(f->q[0], x->s->nq);
  f->size[1] = length(f->p[0], x->s->nq);
  f->size[2] = x->s->ng ? length(f->lambda[0][0][0], x->s->ng) : 1;
}

/* Compares the reference with another order and step, and with exact motions. */
static void test_reference(const problem *x, const reference *f) {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], off = 0;
  solve(x, "gauss(6)", end_of(x), 0.013 * pace_of(x->s->name), q, p);
  for (int l = 0; l < LANES; l++)
    off = larger(off, larger(apart(q[l], f->q[l], x->s->nq), apart(p[l], f->p[l], x->s->nq)));
  OK(off < 1e-13, "%s: two references agree (%.2g)", x->s->name, off);
  if (!x->s->code->exact)
    return;
  for (int l = 0; l < LANES; l++) {
    double q0[CST_MAX_Q], v0[CST_MAX_Q], qe[CST_MAX_Q], pe[CST_MAX_Q], le[CST_MAX_G];
    start_of(x, l, q0, v0);
    cst_system_exact(x->s, -1, x->c, q0, v0, end_of(x), qe, pe, le);
    off = larger(off, larger(apart(qe, f->q[l], x->s->nq), apart(pe, f->p[l], x->s->nq)));
  }
  OK(off < 1e-13, "%s: and with the exact motion (%.2g)", x->s->name, off);
}

typedef struct {
  double q[LEVELS], p[LEVELS], lambda[LEVELS];
  int    n;
} errors;

static double distance2(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* True if the last two slopes of e[k] agree, so that smaller steps give no new information. */
static bool settled(const double *e, int k) {
  return k >= 5 && e[k - 1] < 0.1 &&
         fabs(log2(e[k - 2] / e[k - 1]) - log2(e[k - 3] / e[k - 2])) < 0.01;
}

/* Cases in which a conversion's solver does not converge on the longest chain, and which would take longer
 * than all shorter chains together. */
static bool out_of_reach(const problem *x, const char *method, int k) {
  return k == 0 && !strcmp(x->s->name, "pendulum-chain") && strstr(method, "convert(");
}

/* The number of steps at the last level; most of the time of all pairs went to radau's dense systems of a
 * hundred unknowns, whose orders show early. */
static double most_steps(const problem *x, const char *method) {
  const bool dense = x->s->nq > 12 && strstr(method, "radau");
  return count_at(LEVELS - 1) / fmin(cost_of(x, method), dense ? 32 : 4);
}

static errors errors_of(const problem *x, const reference *f, const char *method,
                        cst_properties has) {
  errors e = {.n = 0};
  run    r;
  double q[CST_MAX_Q], p[CST_MAX_Q], lambda[CST_MAX_G];
  run_open_on(&r, x, method, widest(), LANES, tolerance_of(x));
  for (int k = 0; k < LEVELS && count_at(k) <= most_steps(x, method); k++) {
    double eq = 0, ep = 0, el = 0;
    e.q[k] = e.p[k] = e.lambda[k] = INFINITY;
    e.n = k + 1;
    if (out_of_reach(x, method, k))
      continue;
    run_start(&r, LANES);
    run_go(&r, end_of(x) / count_at(k), count_at(k));
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      if (has.own_lambda)
        run_lambda(&r, l, lambda);
      else if (x->s->ng)
        multipliers(x, end_of(x), q, p, lambda);
      eq += distance2(q, f->q[l], x->s->nq);
      ep += distance2(p, f->p[l], x->s->nq);
      el += distance2(lambda, f->lambda[k][(int)(2 - 2 * has.lambda_time)][l], x->s->ng);
    }
    if (run_well(&r, LANES)) {
      e.q[k] = sqrt(eq) / f->size[0];
      e.p[k] = sqrt(ep) / f->size[1];
      e.lambda[k] = sqrt(el) / f->size[2];
    }
    if (e.q[k] < FLOOR && e.p[k] < FLOOR && e.lambda[k] < FLOOR)
      break;
    if (settled(e.q, e.n) && settled(e.p, e.n) && (!x->s->ng || settled(e.lambda, e.n)))
      break;
  }
  run_close(&r);
  return e;
}

/* The number of errors that exceed round-off. rough: the factor of round-off in one step. It is 0 for states,
 * whose errors accumulate round-off over the steps; multipliers divide round-off by h^2, and that of one
 * step is a sample: near it, an error that grows with a smaller step is round-off too, and tells how much there is
 * at larger steps, a quarter per level. */
static int sound(const double *e, int n, double rough) {
  int k = 0;
  while (k < n && e[k] > FLOOR * count_at(k) / 32 && e[k] > rough * count_at(k) * count_at(k)) {
    if (k > 0 && e[k] > e[k - 1] && e[k] < 64 * rough * count_at(k) * count_at(k)) {
      for (double level = e[k] / 4; k > 2 && e[k - 1] < 8 * level; level /= 4)
        k--;
      break;
    }
    k++;
  }
  return k;
}

static double usual(int claim) { return claim <= 4 ? 0.1 : 0.3; }
/* For rk8 only two to four errors exceed round-off, and their leading terms do not dominate yet. The same
 * holds for dopri5, whose first error is small. */
static double width(const char *method, int claim) {
  return (claim > 6 && strstr(method, "rk8")) || strstr(method, "dopri5") ? 0.8 : usual(claim);
}

/* The slope over the last two steps before round-off. If it differs from the previous slope by more than
 * `jump`, as after a change of sign of the error, the slope over the last three steps is used as well. Slopes that rise
 * ever less after it are continued by one: the error of a slope halves with the step. NAN if fewer than two errors
 * exceed round-off. */
typedef struct {
  double low, high;
} slopes;

static slopes slopes_of(const double *e, int n, double rough, double jump) {
  const int k = sound(e, n, rough);
  if (k < 2 || e[k - 1] >= 0.1)
    return (slopes){NAN, NAN};
  const double last = log2(e[k - 2] / e[k - 1]), before = k > 2 ? log2(e[k - 3] / e[k - 2]) : last;
  const double first = k > 3 ? log2(e[k - 4] / e[k - 3]) : before, rise = last - before;
  const double longer = fabs(rise) > jump ? (last + before) / 2 : last;
  const double limit = rise > 0 && rise < before - first ? last + rise : last;
  return (slopes){fmin(last, longer), fmax(fmax(last, limit), longer)};
}

static bool enough(slopes x, int claim, double wide) { return x.high > claim - wide; }
static bool more(slopes x, int claim, double wide) { return x.low > claim + wide; }

/* Conversions are nearly superconvergent on the free rigid body with the rotation of the heavy top. */
static bool generic_system(const problem *x, const char *method) {
  return !strcmp(x->s->name, "modified-pendulum") || !strcmp(x->s->name, "henon-heiles") ||
         (!strcmp(x->s->name, "heavy-top") && !strstr(method, "convert("));
}

static void test_slope(const problem *x, const char *method, const char *what, const double *e,
                       int n, int claim, double rough) {
  const int above = sound(e, n, rough);
  /* one slope, whose leading terms do not dominate yet */
  const double wide = above == 2 && claim > 4 ? 0.8 : width(method, claim);
  /* half the first step leaves round-off by rights */
  if (above < 2 && (e[0] < 5 * FLOOR || e[0] < ldexp(FLOOR, claim))) {
    NOTE("%s on %s: in %s no step leaves an error above round-off", method, x->s->name, what);
    return;
  }
  const slopes found = slopes_of(e, n, rough, usual(claim));
  if (!OK(enough(found, claim, wide) && (!more(found, claim, wide) || !generic_system(x, method)),
          "%s on %s: order %d in %s", method, x->s->name, claim, what)) {
    NOTE("observed %.3f to %.3f; round-off %.2g n^2", found.low, found.high, rough);
    for (int k = 0; k < n; k++)
      NOTE("%5d steps: %.3e", count_at(k), e[k]);
  } else if (more(found, claim, wide))
    NOTE("%s on %s: order %.2f in %s, %d claimed", method, x->s->name, found.low, what, claim);
}

static reference   ref;
static const char *now = "";

/* The change of lambda for a change of g by the round-off of q, in units of h^-2: (G M^-1 G')^-1 G q eps,
 * by the change for D2g[v, v]. */
static double gain_of(const problem *x) {
  const int n = x->s->nq;
  double    v[CST_MAX_Q], bend[CST_MAX_G], one[CST_MAX_G], other[CST_MAX_G], row = 0;
  double    G[CST_MAX_G * CST_MAX_Q];
  for (int i = 0; i < n; i++)
    v[i] = M_SQRT2 * x->v[i];
  cst_system_eval(x->s, CST_K_D2gvv, x->c, x->q, x->v, NULL, NULL, NULL, bend);
  cst_system_multipliers(x->s, x->c, x->q, x->v, one);
  cst_system_multipliers(x->s, x->c, x->q, v, other);
  cst_system_matrix(x->s, CST_K_G, x->c, x->q, x->v, G);
  for (int k = 0; k < n * x->s->ng; k++)
    row = fmax(row, fabs(G[k]));
  return norm(bend, x->s->ng) > 0 ? row * apart(one, other, x->s->ng) / norm(bend, x->s->ng) : 0;
}

/* The round-off of g, about eps q, divided by (end / n)^2. Where the equations of index 3 determine
 * lambda, that of g in the equations of lambda, over the weight of A in q, at least a quarter. */
static double rough_of(const problem *x, const reference *f, const char *method) {
  const double part =
      strcmp(row_of(method)->name, "constrained") ? 0.02 : fmax(0.02, 4 * gain_of(x));
  return part * 2.2e-16 * f->size[0] / (end_of(x) * end_of(x) * f->size[2]);
}

static void test(const problem *x, const char *method, cst_properties has) {
  if (strcmp(now, x->s->name)) {
    for (int k = 0; k < cst_catalogue_size(); k++)
      if (!strcmp(cst_catalogue_name(k), x->s->name))
        now = cst_catalogue_name(k);
    reference_of(x, &ref);
    test_reference(x, &ref);
  }
  errors e = errors_of(x, &ref, method, has);
  if (!has.order_q) { /* with springs the error has a floor, the error of the model */
    OK(e.q[e.n - 1] > 1e-9, "%s on %s: no order is claimed, and none is there", method, x->s->name);
    return;
  }
  test_slope(x, method, "q", e.q, e.n, has.order_q, 0);
  if (has.order_p)
    test_slope(x, method, "p", e.p, e.n, has.order_p, 0);
  else
    OK(e.p[e.n - 1] > 1e-9, "%s on %s: no order in p is claimed, and none is there", method,
       x->s->name);
  if (x->s->ng && has.order_lambda)
    test_slope(x, method, "lambda", e.lambda, e.n, has.order_lambda,
               has.own_lambda ? rough_of(x, &ref, method) : 0);
}

/* A wrong claim must fail, and so must a scheme with slightly wrong gammas. */
static void test_others(void) {
  static const char *const methods[] = {"euler-a",
                                        "rattle",
                                        "rk3",
                                        "compose(rattle, yoshida4)",
                                        "rk6",
                                        "compose(rattle, [1.3513, -1.7026, 1.3513])",
                                        "compose(rattle, kahan-li8)",
                                        "convert(rk4, bias=-0.3)",
                                        "convert(rk3, bias=-0.5)"};
  static const int         right[] = {1, 2, 3, 4, 6, 2, 8, 4, 4};
  problem                 *x = problem_open("modified-pendulum");
  reference_of(x, &ref);
  for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
    cst_method *m = method_of(methods[i]);
    errors      e = errors_of(x, &ref, methods[i], cst_method_properties(m, x->s));
    slopes      found = slopes_of(e.q, e.n, 0, usual(right[i]));
    OK(cst_method_properties(m, x->s).order_q == right[i] &&
           enough(found, right[i], width(methods[i], right[i])) &&
           !more(found, right[i], width(methods[i], right[i])),
       "%s: order %d (%.2f)", methods[i], right[i], found.low);
    OK(!enough(found, right[i] + 1, width(methods[i], right[i] + 1)) &&
           more(found, right[i] - 1, width(methods[i], right[i] - 1)),
       "%s: a claim of one more or one less would fail", methods[i]);
    cst_method_destroy(m);
  }
  problem_close(x);
}

/* The distance of the results of two methods after a few steps. */
static double difference(const char *system, const char *one, const char *other) {
  double   off = 0, q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  problem *x = problem_open(system);
  run      r[2];
  for (int k = 0; k < 2; k++) {
    run_open_on(&r[k], x, k ? other : one, widest(), LANES, 1e-15);
    run_start(&r[k], LANES);
    run_go(&r[k], 0.05 * pace_of(system), 40);
  }
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 2; k++)
      run_state(&r[k], l, q[k], p[k]);
    off = larger(off, larger(apart(q[0], q[1], x->s->nq), apart(p[0], p[1], x->s->nq)));
  }
  for (int k = 0; k < 2; k++)
    run_close(&r[k]);
  problem_close(x);
  return off;
}

static void test_coincidences(void) {
  static const char *const linear[] = {"double-pendulum", "spherical-pendulum", "planar-pendulum",
                                       "rigid-body", "heavy-top"};
  for (int i = 0; i < 5; i++)
    OK(difference(linear[i], "rattle", "midpoint") < 1e-12, "%s: midpoint is rattle (%.2g)",
       linear[i], difference(linear[i], "rattle", "midpoint"));
  OK(difference("modified-pendulum", "rattle", "midpoint") > 1e-6,
     "modified-pendulum: midpoint is not rattle (%.2g)",
     difference("modified-pendulum", "rattle", "midpoint"));
  OK(difference("henon-heiles", "rattle", "midpoint") > 1e-6,
     "henon-heiles: midpoint is not rattle (%.2g)",
     difference("henon-heiles", "rattle", "midpoint"));
  OK(difference("rigid-body", "euler-a", "euler-b") < 1e-12 &&
         difference("rigid-body", "euler-a", "rattle") < 1e-12,
     "rigid-body: without V euler-a, euler-b and rattle are the same");
  OK(difference("spherical-pendulum", "euler-a", "euler-b") > 1e-6,
     "spherical-pendulum: euler-a is not euler-b");
  OK(difference("heavy-top", "adjoint(euler-a)", "euler-b") == 0,
     "heavy-top: adjoint(euler-a) is euler-b to the last bit");
}

static void tests(void) {
  each_pair(test, SCOPE_ORDER);
  test_others();
  test_coincidences();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
