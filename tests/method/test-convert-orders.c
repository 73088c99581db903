/* test-convert-orders.c: a conversion has the order of its layer for every bias, on systems of every kind,
 * and one more at bias -1/2 if that order is odd. On special systems the order may be higher, so at least
 * three systems must show exactly the claimed order. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

enum { LANES = 2, LEVELS = 9, LEAST = 8, SHARP = 3 }; /* step counts LEAST * 2^k */
/* Times of comparison, in units of the system's pace, at which even errors of order 8 exceed round-off. */
static const struct {
  const char *name;
  double      end;
} systems[] = {{"henon-heiles", 2},       {"kepler", 2},           {"double-pendulum-angles", 4},
               {"spherical-pendulum", 2}, {"bead-on-torus", 2},    {"modified-pendulum", 2},
               {"double-pendulum", 2},    {"charged-pendulum", 2}, {"four-bar", 2},
               {"slider-crank", 2},       {"heavy-top", 2},        {"rigid-body", 2}};
static const struct {
  const char *name;
  int         order;
} layers[] = {{"euler", 1},    {"heun", 2}, {"rk3", 3}, {"rk4", 4},      {"taylor(4)", 4},
              {"gauss(2)", 4}, {"rk5", 5},  {"rk6", 6}, {"gauss(3)", 6}, {"rk8", 8}};
static const double biases[] = {0, -0.3, -0.5, -1};
enum {
  SYSTEMS = sizeof systems / sizeof *systems,
  LAYERS = sizeof layers / sizeof *layers,
  BIASES = sizeof biases / sizeof *biases
};

static int order_of(int layer, double bias) {
  return layers[layer].order + (bias == -0.5 ? layers[layer].order % 2 : 0);
}

/* q and p of all lanes. */
typedef struct {
  double q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q];
} states;

static bool solve(const problem *x, const char *method, double end, int n, states *z) {
  run r;
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, end / n, n);
  for (int l = 0; l < LANES; l++)
    run_state(&r, l, z->q[l], z->p[l]);
  const bool well = run_well(&r, LANES);
  run_close(&r);
  return well;
}

/* Below this error round-off dominates; it accumulates over many steps. */
static double floor_of(int n) { return 5e-13 * fmax(1, n / 128.0); }

/* Relative errors of q and p at the end; the last ones may be at round-off. */
typedef struct {
  double q[LEVELS], p[LEVELS];
  int    n;
} errors;

static double distance(const double (*a)[CST_MAX_Q], const double (*b)[CST_MAX_Q], int n) {
  double off = 0, size = 0;
  for (int l = 0; l < LANES; l++) {
    off = larger(off, apart(a[l], b[l], n));
    size = larger(size, norm(b[l], n));
  }
  return off / size;
}

/* True if the last two slopes of e[n] agree, so that smaller steps give no new information. */
static bool settled(const double *e, int n) {
  return n >= 4 && e[n - 1] < 0.1 &&
         fabs(log2(e[n - 2] / e[n - 1]) - log2(e[n - 3] / e[n - 2])) < 0.01;
}

/* Halves the step until both errors are small enough or their slopes settle, or a step is too expensive. */
static errors errors_of(const problem *x, const char *method, double end, const states *exact) {
  errors e = {.n = 0};
  states z;
  for (int n = LEAST; e.n < LEVELS && n * cost_of(x, method) <= LEAST << LEVELS; n *= 2) {
    const bool well = solve(x, method, end, n, &z);
    e.q[e.n] = well ? distance(z.q, exact->q, x->s->nq) : INFINITY;
    e.p[e.n] = well ? distance(z.p, exact->p, x->s->nq) : INFINITY;
    e.n++;
    if (larger(e.q[e.n - 1], e.p[e.n - 1]) < floor_of(n) ||
        (settled(e.q, e.n) && settled(e.p, e.n)))
      break;
  }
  return e;
}

/* Slopes over the last two and the last three errors, since an error may change its sign in between; NAN if
 * there are too few. */
typedef struct {
  double low, high;
} slopes;

static slopes slopes_of(const double *e, int n) {
  while (n > 2 && e[n - 1] < floor_of(LEAST << (n - 1)))
    n--;
  if (n < 2 || !isfinite(e[n - 2]))
    return (slopes){NAN, NAN};
  const double last = log2(e[n - 2] / e[n - 1]),
               longer = n > 2 && e[n - 3] < 0.1 ? log2(e[n - 3] / e[n - 1]) / 2 : last;
  return (slopes){fmin(last, longer), fmax(last, longer)};
}

static double width(int claim) { return claim <= 4 ? 0.1 : claim <= 6 ? 0.3 : 0.4; }
static bool   enough(slopes s, int claim) { return s.high > claim - width(claim); }
static bool sharp(slopes s, int claim) { return enough(s, claim) && s.low < claim + width(claim); }

static int sharp_on[LAYERS][BIASES], wrong_on[LAYERS][BIASES]; /* number of systems */

static void test(const problem *x, int layer, int bias, double end, const states *exact) {
  char      method[64];
  const int claim = order_of(layer, biases[bias]);
  snprintf(method, sizeof method, "convert(%s, bias=%g)", layers[layer].name, biases[bias]);
  const errors e = errors_of(x, method, end, exact);
  const slopes q = slopes_of(e.q, e.n), p = slopes_of(e.p, e.n);
  if (!OK(enough(q, claim) && enough(p, claim), "%s on %s: order %d in q and p", method, x->s->name,
          claim)) {
    NOTE("observed %.3f to %.3f in q, %.3f to %.3f in p", q.low, q.high, p.low, p.high);
    for (int k = 0; k < e.n; k++)
      NOTE("%5d steps: %.3e %.3e", LEAST << k, e.q[k], e.p[k]);
  } else if (!sharp(q, claim) || !sharp(p, claim))
    NOTE("%s on %s: order %.2f in q, %.2f in p, %d claimed", method, x->s->name, q.low, p.low,
         claim);
  sharp_on[layer][bias] += sharp(q, claim) && sharp(p, claim);
  wrong_on[layer][bias] += !enough(q, claim + 1) || !enough(p, claim + 1);
}

/* Tests all combinations until a claim has proved sharp on enough systems, then only those on the diagonal.
 */
static bool taken(int system, int layer, int bias) {
  return sharp_on[layer][bias] < SHARP || wrong_on[layer][bias] < SHARP ||
         on_diagonal(system + layer + bias, 3);
}

static void test_system(int n) {
  const char  *name = systems[n].name;
  const double end = systems[n].end * pace_of(name);

  problem *x = problem_open(name);
  states   exact, other;
  bool     well = solve(x, "gauss(8)", end, 150, &exact) && solve(x, "gauss(7)", end, 220, &other);
  double   off = larger(distance(other.q, exact.q, x->s->nq), distance(other.p, exact.p, x->s->nq));
  OK(well && off < 1e-13, "%s: two references agree (%.2g)", name, off);
  for (int i = 0; i < LAYERS; i++)
    for (int k = 0; k < BIASES; k++)
      if (taken(n, i, k))
        test(x, i, k, end, &exact);
  problem_close(x);
}

static void tests(void) {
  for (int k = 0; k < SYSTEMS; k++)
    test_system(k);
  for (int i = 0; i < LAYERS; i++)
    for (int k = 0; k < BIASES; k++) {
      const int claim = order_of(i, biases[k]);
      OK(sharp_on[i][k] >= SHARP, "convert(%s, bias=%g): order %d and no more on %d systems",
         layers[i].name, biases[k], claim, sharp_on[i][k]);
      OK(wrong_on[i][k] >= SHARP, "convert(%s, bias=%g): a claim of %d would fail on %d",
         layers[i].name, biases[k], claim + 1, wrong_on[i][k]);
    }
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
