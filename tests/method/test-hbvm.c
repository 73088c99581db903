/* test-hbvm.c: line integral methods against their equations, written out as a Runge-Kutta method with one multiplier a step; what is exact
 * for polynomials and how fast the rest goes; Gauss collocation where they are that; both iterations; states at rest.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"
#include "method/symmetry.h"
#include "tableau/legendre.h"

enum { LANES = 3, MOST_NODES = 12 };

/* A step from (q, p) with the multiplier lambda, stages by functional iteration; Q, and V the velocities of u there. */
typedef struct {
  int    k, s;
  double A[MOST_NODES][MOST_NODES], b[MOST_NODES]; /* integral P' Omega */
  double weighted[MOST_NODES * MOST_NODES], integral[MOST_NODES * MOST_NODES], xi[MOST_NODES + 1];
  double Q[MOST_NODES][CST_MAX_Q], H[MOST_NODES][2][CST_MAX_Q]; /* H_p, and H_q + G'lambda */
  double q1[CST_MAX_Q], p1[CST_MAX_Q];
} stepped;

static void tables_of(stepped *y, int k, int s) {
  memset(y, 0, sizeof *y);
  y->k = k, y->s = s;
  cst_line_tables(k, s, y->weighted, y->integral, y->xi);
  for (int i = 0; i < k; i++) {
    y->b[i] = y->weighted[i * s];
    for (int j = 0; j < k; j++)
      for (int r = 0; r < s; r++) y->A[i][j] += y->integral[i * s + r] * y->weighted[j * s + r];
  }
}

/* H_p and H_q + G'lambda, H(q, p) = (p - a)'M^-1(p - a)/2 + V. */
static void hamiltonian(const problem *x, const double *q, const double *p, const double *lambda, double *Hp, double *Hq) {
  const cst_system *s = x->s;
  double            G[CST_MAX_G * CST_MAX_Q];
  cst_system_velocity(s, x->c, q, p, Hp);
  cst_system_eval(s, s->general ? CST_K_Lq : CST_K_dV, x->c, q, Hp, NULL, NULL, NULL, Hq);
  for (int i = 0; i < s->nq && s->general; i++) Hq[i] = -Hq[i];
  cst_system_matrix(s, CST_K_G, x->c, q, NULL, G);
  for (int a = 0; a < s->ng; a++)
    for (int i = 0; i < s->nq; i++) Hq[i] += G[a * s->nq + i] * lambda[a];
}

static void step_of(const problem *x, stepped *y, double h, const double *q, const double *p, const double *lambda) {
  const int nq = x->s->nq;
  for (int i = 0; i < y->k; i++) hamiltonian(x, q, p, lambda, y->H[i][0], y->H[i][1]);
  for (int it = 0; it < 60; it++)
    for (int i = 0; i < y->k; i++) {
      double P[CST_MAX_Q];
      for (int n = 0; n < nq; n++) {
        y->Q[i][n] = q[n], P[n] = p[n];
        for (int j = 0; j < y->k; j++) y->Q[i][n] += h * y->A[i][j] * y->H[j][0][n], P[n] -= h * y->A[i][j] * y->H[j][1][n];
      }
      hamiltonian(x, y->Q[i], P, lambda, y->H[i][0], y->H[i][1]);
    }
  for (int n = 0; n < nq; n++) {
    y->q1[n] = q[n], y->p1[n] = p[n];
    for (int i = 0; i < y->k; i++) y->q1[n] += h * y->b[i] * y->H[i][0][n], y->p1[n] -= h * y->b[i] * y->H[i][1][n];
  }
}

/* sum_i b_i G(Q_i) u'(c_i), which lambda is chosen for, over sum_k |G_ak| times the largest |u'| and |q|. */
static double line_integral(const problem *x, const stepped *y) {
  const int nq = x->s->nq, ng = x->s->ng;
  double    G[CST_MAX_G * CST_MAX_Q], sum[CST_MAX_G] = {0}, row[CST_MAX_G] = {0}, speed = 0, worst = 0;
  for (int i = 0; i < y->k; i++) {
    double u[CST_MAX_Q] = {0};
    for (int j = 0; j < y->k; j++)
      for (int r = 0; r < y->s; r++)
        for (int n = 0; n < nq; n++) u[n] += y->weighted[i * y->s + r] * y->weighted[j * y->s + r] / y->b[i] * y->H[j][0][n];
    speed = larger(speed, norm(u, nq));
    cst_system_matrix(x->s, CST_K_G, x->c, y->Q[i], NULL, G);
    for (int a = 0; a < ng; a++)
      for (int n = 0; n < nq; n++) sum[a] += y->b[i] * G[a * nq + n] * u[n], row[a] += y->b[i] * fabs(G[a * nq + n]);
  }
  for (int a = 0; a < ng; a++)
    if (row[a] > 0 && !(x->s->dropped && x->s->dropped[a]))
      worst = larger(worst, fabs(sum[a]) / (row[a] * speed * larger(1, norm(y->Q[0], nq))));
  return worst;
}

static double most_state, most_integral, least_wrong = INFINITY;

/* The core's step is the step with its multiplier, and that makes the line integral vanish. */
static void test_equations(const problem *x, int k, int s) {
  char    method[40];
  run     r;
  stepped y;
  double  q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], lambda[CST_MAX_G], q1[CST_MAX_Q], p1[CST_MAX_Q], off = 0, integral = 0, h;
  h = 0.05 * pace_of(x->s->name);
  snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", k, s);
  tables_of(&y, k, s);
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, h, 2); /* from a p that is not tangent */
  for (int l = 0; l < LANES; l++) run_carried(&r, l, q[l], p[l]);
  run_go(&r, h, 1);
  for (int l = 0; l < LANES; l++) {
    run_carried(&r, l, q1, p1);
    run_lambda(&r, l, lambda);
    step_of(x, &y, h, q[l], p[l], lambda);
    off = larger(
        off, larger(apart(q1, y.q1, x->s->nq) / larger(1, norm(q1, x->s->nq)), apart(p1, y.p1, x->s->nq) / larger(1, norm(p1, x->s->nq))));
    integral = larger(integral, line_integral(x, &y));
    if (!x->s->ng) continue;
    lambda[0] += 1e-6 * larger(1, fabs(lambda[0]));
    step_of(x, &y, h, q[l], p[l], lambda);
    least_wrong = fmin(least_wrong, line_integral(x, &y));
  }
  OK(run_well(&r, LANES) && off < 2e-14 && integral < 2e-14, "%s on %s: the step is that of its equations (%.2g, %.2g)", method, x->s->name,
     off, integral);
  most_state = larger(most_state, off), most_integral = larger(most_integral, integral);
  run_close(&r);
}

static void test_all_equations(void) {
  static const int pairs[][2] = {{1, 1}, {2, 1}, {2, 2}, {6, 2}, {4, 3}, {9, 3}, {12, 5}};
  for (int i = 0; i < cst_catalogue_size(); i++) {
    problem *x = problem_open(cst_catalogue_name(i));
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) test_equations(x, pairs[k][0], pairs[k][1]);
    problem_close(x);
  }
  OK(least_wrong > 1e-10, "a multiplier off by 1e-6 leaves a line integral (%.2g at least)", least_wrong);
  NOTE("largest differences %.2g of states, %.2g of line integrals", most_state, most_integral);
}

/* First steps of h = 0.1 as another implementation has them. */
static void test_first_steps(void) {
  static const struct {
    const char *system, *method;
    double      q[3], lambda;
  } known[] = {{"planar-pendulum", "hbvm(k=2, s=2)", {.099667361220835, -.995020812399055}, .998748966155153},
               {"modified-pendulum", "hbvm(k=6, s=2)", {.710470721969325, .084090392877447, -.704513516338859}, -.631806444034973}};
  for (int i = 0; i < 2; i++) {
    problem *x = problem_open(known[i].system);
    run      r;
    double   q[CST_MAX_Q], p[CST_MAX_Q], lambda[CST_MAX_G];
    run_open(&r, x, known[i].method, 1);
    run_start(&r, 1);
    if (!strcmp(x->s->name, "planar-pendulum")) {
      cst_batch_reset(r.st, &r.b, 1);
      run_put(&r, 0, (double[]){0, -1}, (double[]){1, 0});
      cst_batch_ready(r.st, &r.b);
    }
    run_go(&r, 0.1, 1);
    run_carried(&r, 0, q, p);
    run_lambda(&r, 0, lambda);
    OK(apart(q, known[i].q, x->s->nq) < 1e-14 && fabs(lambda[0] - known[i].lambda) < 1e-13, "%s on %s: the first step to 13 digits (%.2g)",
       known[i].method, x->s->name, apart(q, known[i].q, x->s->nq));
    run_close(&r);
    problem_close(x);
  }
}

/* ---- what is exact, and what is not -------------------------------------------------------------------------------------------- */

typedef struct {
  double energy, g; /* largest deviations over a run */
} losses;

static losses losses_of(const problem *x, const char *method, double h, int n) {
  run    r;
  losses most = {0, 0};
  double q[CST_MAX_Q], p[CST_MAX_Q], g[CST_MAX_G], start;
  run_open_on(&r, x, method, widest(), 1, 1e-15);
  run_start(&r, 1);
  run_carried(&r, 0, q, p);
  start = energy(x, q, p, NULL);
  for (int k = 0; k < n; k++) {
    run_go(&r, h, 1);
    run_carried(&r, 0, q, p);
    cst_system_eval(x->s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
    most.energy = larger(most.energy, fabs(energy(x, q, p, NULL) - start)), most.g = larger(most.g, norm(g, x->s->ng));
  }
  if (!run_well(&r, 1)) most = (losses){INFINITY, INFINITY};
  run_close(&r);
  return most;
}

static int seen;

/* What is kept, or lost with order 2k as far as it stands above round-off. */
static void test_loss(const char *method, const char *what, bool keeps, double coarse, double fine, int k) {
  if (keeps)
    OK(coarse < 1e-13, "%s: %s is exact (%.2g)", method, what, coarse);
  else if (fine > 1e-12)
    seen++,
        OK(fabs(log2(coarse / fine) - 2 * k) < 0.4, "%s: %s is lost with order %.2f, 2k = %d", method, what, log2(coarse / fine), 2 * k);
}

/* The polynomials of the modified pendulum: V of degree 4, g of degree 6. */
static void test_exactness(void) {
  problem *x = problem_open("modified-pendulum");
  for (int s = 1; s <= 3; s++)
    for (int k = s; k <= 3 * s + 1; k++) {
      char method[40];
      snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", k, s);
      cst_method    *m = method_of(method);
      const unsigned claims = cst_method_properties(m, x->s).claims;
      const losses   coarse = losses_of(x, method, 0.1, 100), fine = losses_of(x, method, 0.05, 200);
      const bool     keeps_energy = 4 * s <= 2 * k, keeps_g = 6 * s <= 2 * k;
      OK(!!(claims & CST_ENERGY) == keeps_energy && !!(claims & CST_POSITIONS) == keeps_g, "%s: claims what its degrees say", method);
      test_loss(method, "g", keeps_g, coarse.g, fine.g, k);
      test_loss(method, "the energy", keeps_energy, coarse.energy, fine.energy, k);
      cst_method_destroy(m);
    }
  OK(seen >= 6, "%d losses stood above round-off", seen);
  losses two = losses_of(x, "hbvm(k=2, s=2)", 0.1, 100), three = losses_of(x, "hbvm(k=3, s=2)", 0.1, 100);
  OK(two.energy > 2e-6 && two.energy < 3e-6 && two.g > 2.5e-6 && two.g < 3.5e-6, "hbvm(k=2, s=2) loses the energy by %.2g and g by %.2g",
     two.energy, two.g);
  OK(three.energy > 1e-9 && three.energy < 2e-9, "hbvm(k=3, s=2) the energy by %.2g", three.energy);
  problem_close(x);
}

/* Distance of the ends of two methods. */
static double difference(const problem *x, const char *one, const char *other, cst_iteration iteration, double h, int n,
                         double *iterations) {
  double off = 0, q[2][CST_MAX_Q], p[2][CST_MAX_Q], count;
  run    r[2];
  for (int k = 0; k < 2; k++) {
    run_open_with(&r[k], x, k ? other : one, widest(), LANES, 1e-15, k ? iteration : CST_ITERATION_AUTO);
    run_start(&r[k], LANES);
    run_go(&r[k], h, n);
  }
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 2; k++) run_carried(&r[k], l, q[k], p[k]);
    off = larger(off, larger(apart(q[0], q[1], x->s->nq) / larger(1, norm(q[0], x->s->nq)),
                             apart(p[0], p[1], x->s->nq) / larger(1, norm(p[0], x->s->nq))));
  }
  for (int k = 0; k < 2 && iterations; k++) {
    run_block(&r[k], 0, cst_stepper_layout(r[k].st)->iterations, 1, &count);
    iterations[k] = count / n;
  }
  if (!run_well(&r[0], LANES) || !run_well(&r[1], LANES)) off = INFINITY;
  for (int k = 0; k < 2; k++) run_close(&r[k]);
  return off;
}

/* hbvm(s, s) without constraints is Gauss collocation of the canonical equations: that of (q, v) where M is constant and there is no a(q).
 */
static void test_gauss(void) {
  static const char *const systems[] = {"henon-heiles", "kepler", "dna-chain"};
  for (int i = 0; i < 3; i++) {
    problem *x = problem_open(systems[i]);
    for (int s = 1; s <= 4; s++) {
      char one[40], other[40];
      snprintf(one, sizeof one, "hbvm(k=%d, s=%d)", s, s), snprintf(other, sizeof other, "gauss(%d)", s);
      double off = difference(x, one, other, CST_ITERATION_AUTO, 0.05 * pace_of(x->s->name), 40, NULL);
      OK(off < 1e-13, "%s on %s is %s (%.2g)", one, x->s->name, other, off);
    }
    double off = difference(x, "hbvm(k=3, s=2)", "gauss(2)", CST_ITERATION_AUTO, 0.2 * pace_of(x->s->name), 40, NULL);
    OK(off > 1e-10, "hbvm(k=3, s=2) is not (%.2g)", off);
    problem_close(x);
  }
}

/* The momentum that k = s keeps, more nodes lose. */
static void test_momentum_lost(void) {
  problem *x = problem_open("kepler");
  run      r;
  double   q[CST_MAX_Q], p[CST_MAX_Q], J[2];
  run_open(&r, x, "hbvm(k=6, s=2)", 1);
  run_start(&r, 1);
  for (int k = 0; k < 2; k++) {
    run_carried(&r, 0, q, p);
    J[k] = q[0] * p[1] - q[1] * p[0];
    run_go(&r, 0.05, 100);
  }
  OK(fabs(J[1] - J[0]) > 1e-9, "hbvm(k=6, s=2) on kepler, which claims no momentum, loses it (%.2g)", J[1] - J[0]);
  run_close(&r);
  problem_close(x);
}

/* On the conical motion the multiplier is constant, and the order 2s. */
static void test_constant_multiplier(void) {
  problem *x = problem_open("spherical-pendulum");
  int      state = 0;
  while (strcmp(x->s->state[state].name, "conical")) state++;
  cst_system_state(x->s, state, x->c, x->q, x->v);
  for (int s = 1; s <= 4; s++) {
    double e[2], q[CST_MAX_Q], p[CST_MAX_Q], qe[CST_MAX_Q], pe[CST_MAX_Q], le[CST_MAX_G];
    char   method[40];
    snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", s, s);
    for (int k = 0; k < 2; k++) {
      run r;
      run_open(&r, x, method, 1);
      run_start(&r, 1);
      run_go(&r, 0.4 / (1 + k), 10 * (1 + k));
      run_carried(&r, 0, q, p);
      cst_system_exact(x->s, state, x->c, x->q, x->v, 4, qe, pe, le);
      e[k] = larger(apart(q, qe, 3), apart(p, pe, 3));
      run_close(&r);
    }
    OK(fabs(log2(e[0] / e[1]) - 2 * s) < 0.1, "%s on a conical motion: order %.3f, 2s = %d", method, log2(e[0] / e[1]), 2 * s);
  }
  problem_close(x);
}

/* With a multiplier that changes q has order 4 where s > 1, and p, whose part normal to g = 0 has order 2, the same order in the rest. */
static void test_parts(const char *system) {
  problem *x = problem_open(system);
  double   q[3][CST_MAX_Q], p[3][CST_MAX_Q], v[3][CST_MAX_Q], kinetic[CST_MAX_Q], eq[2], et[2], en[2];
  for (int k = 0; k < 3; k++) { /* h, h/2, the solution */
    const int n = k == 2 ? 80 : 40 * (1 + k);
    run       r;
    run_open_on(&r, x, k == 2 ? "gauss(8)" : "hbvm(k=8, s=2)", widest(), 2, 1e-15);
    run_start(&r, 2);
    run_go(&r, 1.0 * pace_of(system) / n, n);
    run_carried(&r, 1, q[k], p[k]);
    cst_system_velocity(x->s, x->c, q[k], p[k], v[k]);
    if (!cst_system_project(x->s, x->c, q[k], v[k])) abort();
    cst_system_momentum(x->s, x->c, q[k], v[k], kinetic);
    if (k < 2) en[k] = apart(kinetic, p[k], x->s->nq);
    memcpy(p[k], kinetic, sizeof kinetic);
    run_close(&r);
  }
  for (int k = 0; k < 2; k++) eq[k] = apart(q[k], q[2], x->s->nq), et[k] = apart(p[k], p[2], x->s->nq);
  OK(fabs(log2(eq[0] / eq[1]) - 4) < 0.2 && fabs(log2(et[0] / et[1]) - 4) < 0.2 && fabs(log2(en[0] / en[1]) - 2) < 0.2,
     "%s: order %.2f in q, %.2f in the tangent part of p, %.2f in the rest", system, log2(eq[0] / eq[1]), log2(et[0] / et[1]),
     log2(en[0] / en[1]));
  problem_close(x);
}

/* The largest deviations of the energy and of g over a long run of the satellites, whose coordinates are near 20. forgets: what rounding
 * leaves of the sums over the steps is not carried along. */
static losses long_run(const problem *x, int steps, bool forgets) {
  const int nq = x->s->nq, every = forgets ? 1 : 50;
  run       r;
  losses    most = {0, 0};
  double    q[CST_MAX_Q], p[CST_MAX_Q], g[CST_MAX_G], start;
  run_open(&r, x, "hbvm(k=6, s=2)", 1);
  run_start(&r, 1);
  run_carried(&r, 0, q, p);
  start = energy(x, q, p, NULL);
  const int width = cst_stepper_width(r.st), at = cst_stepper_layout(r.st)->eq * width;
  for (int n = 0; n < steps; n += every) {
    run_go(&r, 0.1, every);
    if (forgets) memset(r.b.record + at, 0, sizeof(double) * (size_t)(2 * nq * width)); /* eq, then ep */
    if (n % 50) continue;
    run_carried(&r, 0, q, p);
    cst_system_eval(x->s, CST_K_g, x->c, q, NULL, NULL, NULL, NULL, g);
    most = (losses){larger(most.energy, fabs(energy(x, q, p, NULL) - start)), larger(most.g, norm(g, x->s->ng))};
  }
  if (!run_well(&r, 1)) most = (losses){INFINITY, INFINITY};
  run_close(&r);
  return most;
}

/* What is exact stays at the round-off of a single state, because what rounding leaves is carried along. */
static void test_long(void) {
  problem     *x = problem_open("tethered-satellites");
  const double eps = 2.2e-16, size = 2 * norm(x->q, x->s->nq); /* of the terms of g */
  const losses most = long_run(x, 100000, false), without = long_run(x, 100000, true);
  OK(most.energy < 10 * eps && most.g < 10 * eps * size, "100000 steps of the satellites: the energy is off by %.2g, g by %.2g",
     most.energy, most.g);
  OK(without.g > 5 * most.g, "without what rounding leaves g walks away, by %.2g", without.g);
  problem_close(x);
}

/* ---- solving ------------------------------------------------------------------------------------------------------------------- */

static void test_iterations(const char *system, const char *method, double h) {
  problem *x = problem_open(system);
  double   n[2], off = difference(x, method, method, CST_ITERATION_NEWTON, h, 20, n);
  OK(off < 1e-13, "%s on %s: Newton's steps are the same (%.2g; %.1f and %.1f iterations)", method, system, off, n[0], n[1]);
  OK(n[1] <= 5, "and he needs few iterations (%.1f)", n[1]);
  problem_close(x);
}

static problem described(const char *text) {
  cst_diag   *d = cst_diag_create();
  cst_system *s = cst_system_read("described.yaml", text, strlen(text), NULL, 0, d);
  problem     x;
  if (!s) cst_diag_print(d, stderr), abort();
  cst_diag_destroy(d);
  cst_system_interpret(s);
  problem_of(&x, s);
  return x;
}

/* A spring so stiff that the iteration without second derivatives diverges; redundant constraints; nothing that moves. */
static void test_hard_steps(void) {
  problem x = described("system: stiff\ncoordinates: [x, y]\nmass: [1, 1]\npotential: y + 2000*(sqrt(x^2 + y^2) - 1)^2 + x^4\n"
                        "states: {default: {q: [0.6, -0.8], v: [0.8, 0.6]}}\n");
  double  n[2], off = difference(&x, "hbvm(k=8, s=2)", "hbvm(k=8, s=2)", CST_ITERATION_NEWTON, 0.1, 50, n);
  OK(off < 1e-10 && n[0] < 20, "h omega = 6: lanes go over to Newton (%.2g; %.1f and %.1f iterations)", off, n[0], n[1]);
  cst_system_destroy(x.s);
  x = described(
      "system: twice\ncoordinates: [x, y, z]\nmass: [1, 2, 1]\npotential: z\n"
      "constraints: {a: x^2 + y^2 + z^2 - 1, b: y, c: x^2 + z^2 - 1}\nstates: {default: {q: [0.6, 0, 0.8], v: [0.8, 0, -0.6]}}\n");
  char why[200];
  OK(cst_system_settle(x.s, x.c, x.q, why, sizeof why), "redundant constraints are settled");
  losses most = losses_of(&x, "hbvm(k=2, s=2)", 0.1, 200);
  OK(most.energy < 1e-13 && most.g < 1e-13, "and kept (%.2g, %.2g)", most.energy, most.g);
  cst_system_destroy(x.s);
  x = described("system: hanging\ncoordinates: [x, y]\nmass: [3, 7]\npotential: 7*9.81*y\nconstraints: {rod: x^2 + y^2 - 0.49}\n"
                "states: {default: {q: [0, -0.7], v: [0, 0]}}\n");
  run    r;
  double q[CST_MAX_Q], p[CST_MAX_Q];
  run_open(&r, &x, "hbvm(k=3, s=2)", 1);
  cst_batch_reset(r.st, &r.b, 1);
  run_put(&r, 0, x.q, x.v);
  cst_batch_ready(r.st, &r.b);
  run_go(&r, 0.01, 1000);
  run_carried(&r, 0, q, p);
  OK(run_well(&r, 1) && apart(q, x.q, 2) < 1e-14 && norm(p, 2) < 1e-12, "what hangs at rest stays there (%.2g, %.2g)", apart(q, x.q, 2),
     norm(p, 2));
  run_close(&r);
  cst_system_destroy(x.s);
}

/* Lanes that go over to Newton beside lanes that do not: each has the bits that it has alone. */
static void test_company(void) {
  enum { MANY = 8 };
  problem x = described(
      "system: quartic\ncoordinates: [x, y]\nmass: [1, 1]\npotential: 40*(x^4 + y^4) + x*y/2\nconstraints: {line: x + 2*y - 3*x*y}\n"
      "states: {default: {q: [0, 0], v: [0, 0]}}\n");
  double q[MANY][2][2], p[MANY][2][2], least = INFINITY, most = 0;
  bool   same = true;
  for (int lanes = MANY; lanes >= 1; lanes -= MANY - 1)
    for (int first = 0; first < MANY; first += lanes) {
      run r;
      run_open(&r, &x, "hbvm(k=4, s=2)", lanes);
      cst_batch_reset(r.st, &r.b, lanes);
      for (int l = 0; l < lanes; l++) {
        double at[2] = {0.1 * (first + l), 0.02}, v[2] = {0.3 * (first + l), 1};
        if (!cst_system_project(x.s, x.c, at, v)) abort();
        run_put(&r, l, at, v);
      }
      cst_batch_ready(r.st, &r.b);
      run_go(&r, 0.1, 20);
      for (int l = 0; l < lanes; l++) {
        const int k = lanes == 1;
        double    n;
        run_carried(&r, l, q[first + l][k], p[first + l][k]);
        run_block(&r, l, cst_stepper_layout(r.st)->iterations, 1, &n);
        least = fmin(least, n / 20), most = fmax(most, n / 20);
      }
      same &= run_well(&r, lanes);
      run_close(&r);
    }
  for (int l = 0; l < MANY; l++) same &= !memcmp(q[l][0], q[l][1], sizeof q[l][0]) && !memcmp(p[l][0], p[l][1], sizeof p[l][0]);
  OK(same, "quick and slow lanes have the bits that they have alone (%.1f to %.1f iterations)", least, most);
  cst_system_destroy(x.s);
}

/* The first step of a run has no impulse that takes up what an earlier one left: of shake's half, of the last of n parts 1/(2n). */
static void test_first_impulse(void) {
  static const char *const methods[] = {"shake", "compose(rattle, shake)", "compose(shake, shake)", "compose(shake, rattle)"};
  problem                 *x = problem_open("spherical-pendulum");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    run    r;
    double lambda, q[CST_MAX_Q], p[CST_MAX_Q], exact[CST_MAX_G];
    run_open(&r, x, methods[i], 1);
    run_start(&r, 1);
    run_carried(&r, 0, q, p);
    cst_system_multipliers(x->s, x->c, q, p, exact); /* unit mass: v = p */
    run_go(&r, 1e-3, 1);
    run_lambda(&r, 0, &lambda);
    OK(fabs(lambda - exact[0]) < 1e-2 * fabs(exact[0]), "%s: the multiplier of the first step is %.4g, at its start %.4g", methods[i],
       lambda, exact[0]);
    run_close(&r);
  }
  problem_close(x);
}

/* ---- which momenta are quadratic, degrees ---- */

static void test_symmetries(void) {
  static const struct {
    const char *text;
    bool        quadratic, rigid;
  } known[] = {
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: x^2 + y^2 + z^2 - 1}\nsymmetries: {turn: [-y, x, 0]}\n",
       true, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: (x^2 + y^2 - 1)*exp(x)}\nsymmetries: {turn: [-y, x, 0]}\n",
       false, true},
      {"coordinates: [x, y, z]\nmass: [4, 1, 1]\npotential: z\nconstraints: {r: 4*x^2 + y^2 - 1}\nsymmetries: {turn: [-y/2, 2*x, 0]}\n",
       true, false},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\npotential: z\nconstraints: {r: x^2 + y^2 - 1}\nsymmetries: {spin: [-y*(x^2 + y^2), x*(x^2 "
       "+ y^2), 0]}\n",
       false, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\ngyroscopic: [0, x, 0]\npotential: z\nsymmetries: {turn: {generator: [-y, x, 0], gauge: "
       "(x^2 - y^2)/2}}\n",
       true, true},
      {"coordinates: [x, y, z]\nmass: [1, 1, 1]\ngyroscopic: [0, 0, x^3/3]\npotential: z^2\nsymmetries: {along: {generator: [1, 0, 0], "
       "gauge: x^2*z}}\n",
       false, true}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[600];
    snprintf(text, sizeof text, "system: s\n%sstates: {default: {q: [0.6, 0.8, 0.3], v: [0, 0, 0]}}\n", known[i].text);
    problem x = described(text);
    OK(cst_momenta_are_quadratic(x.s) == known[i].quadratic, "momenta %s kept by Gauss: %.60s", known[i].quadratic ? "are" : "are not",
       strstr(text, "symmetries"));
    OK(cst_symmetries_are_rigid(x.s) == known[i].rigid, "and the symmetry is %s", known[i].rigid ? "rigid" : "not rigid");
    cst_system_destroy(x.s);
  }
}

static void tests(void) {
  test_first_impulse();
  test_symmetries();
  test_all_equations();
  test_first_steps();
  test_exactness();
  test_gauss();
  test_momentum_lost();
  test_constant_multiplier();
  test_parts("modified-pendulum");
  test_parts("double-pendulum");
  test_parts("slider-crank");
  test_long();
  test_iterations("modified-pendulum", "hbvm(k=6, s=2)", 0.2);
  test_iterations("tethered-satellites", "hbvm(k=6, s=3)", 0.2);
  test_iterations("heavy-top", "hbvm(k=4, s=2)", 0.1);
  test_iterations("double-pendulum-angles", "hbvm(k=4, s=2)", 0.05);
  test_iterations("slider-crank", "hbvm(k=4, s=2)", 0.02);
  test_iterations("underwater-vehicle", "hbvm(k=4, s=2)", 0.05);
  test_iterations("kepler", "hbvm(k=9, s=3)", 0.05);
  test_iterations("pendulum-chain", "hbvm(k=4, s=2)", 0.1);
  test_hard_steps();
  test_company();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
