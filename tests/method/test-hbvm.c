/* test-hbvm.c: line integral methods compared with their equations, written as a Runge-Kutta method with one
 * multiplier per step; with first steps of another implementation; and with Gauss collocation if they
 * coincide with it. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "line.h"
#include "tableau/tableau-collocation.h"

enum { MOST_NODES = 12 };

/* A step from (q, p) with the multiplier lambda; the stages by functional iteration. Q are the stages, and V
 * the velocities of u there. */
typedef struct {
  int    k, s;
  double A[MOST_NODES][MOST_NODES], b[MOST_NODES]; /* integral P' Omega */
  double weighted[MOST_NODES * MOST_NODES], integral[MOST_NODES * MOST_NODES], xi[MOST_NODES + 1];
  double Q[MOST_NODES][CST_MAX_Q], H[MOST_NODES][2][CST_MAX_Q]; /* H_p, and H_q + G'lambda */
  double q1[CST_MAX_Q], p1[CST_MAX_Q];
} stepped;

static void tables_of(stepped *y, int k, int s) {
  memset(y, 0, sizeof *y);
  y->k = k;
  y->s = s;
  cst_legendre_line_tables(k, s, y->weighted, y->integral, y->xi);
  for (int i = 0; i < k; i++) {
    y->b[i] = y->weighted[i * s];
    for (int j = 0; j < k; j++)
      for (int r = 0; r < s; r++)
        y->A[i][j] += y->integral[i * s + r] * y->weighted[j * s + r];
  }
}

/* H_p and H_q + G'lambda, H(q, p) = (p - a)'M^-1(p - a)/2 + V. */
static void hamiltonian(const problem *x, const double *q, const double *p, const double *lambda,
                        double *Hp, double *Hq) {
  const cst_system *s = x->s;
  double            G[CST_MAX_G * CST_MAX_Q];
  cst_system_velocity(s, x->c, q, p, Hp);
  cst_system_eval(s, !cst_has(s, CST_SEPARABLE) ? CST_K_Lq : CST_K_dV, x->c, q, Hp, NULL, NULL,
                  NULL, Hq);
  for (int i = 0; i < s->nq && !cst_has(s, CST_SEPARABLE); i++)
    Hq[i] = -Hq[i];
  cst_system_matrix(s, CST_K_G, x->c, q, NULL, G);
  for (int a = 0; a < s->ng; a++)
    for (int i = 0; i < s->nq; i++)
      Hq[i] += G[a * s->nq + i] * lambda[a];
}

static void step_of(const problem *x, stepped *y, double h, const double *q, const double *p,
                    const double *lambda) {
  const int nq = x->s->nq;
  for (int i = 0; i < y->k; i++)
    hamiltonian(x, q, p, lambda, y->H[i][0], y->H[i][1]);
  for (int it = 0; it < 60; it++)
    for (int i = 0; i < y->k; i++) {
      double P[CST_MAX_Q];
      for (int n = 0; n < nq; n++) {
        y->Q[i][n] = q[n];
        P[n] = p[n];
        for (int j = 0; j < y->k; j++) {
          y->Q[i][n] += h * y->A[i][j] * y->H[j][0][n];
          P[n] -= h * y->A[i][j] * y->H[j][1][n];
        }
      }
      hamiltonian(x, y->Q[i], P, lambda, y->H[i][0], y->H[i][1]);
    }
  for (int n = 0; n < nq; n++) {
    y->q1[n] = q[n];
    y->p1[n] = p[n];
    for (int i = 0; i < y->k; i++) {
      y->q1[n] += h * y->b[i] * y->H[i][0][n];
      y->p1[n] -= h * y->b[i] * y->H[i][1][n];
    }
  }
}

/* sum_i b_i G(Q_i) u'(c_i), which lambda makes vanish, relative to sum_k |G_ak| times the largest |u'| and
 * |q|. */
static double line_integral(const problem *x, const stepped *y) {
  const int nq = x->s->nq, ng = x->s->ng;
  double G[CST_MAX_G * CST_MAX_Q], sum[CST_MAX_G] = {0}, row[CST_MAX_G] = {0}, speed = 0, worst = 0;
  for (int i = 0; i < y->k; i++) {
    double u[CST_MAX_Q] = {0};
    for (int j = 0; j < y->k; j++)
      for (int r = 0; r < y->s; r++)
        for (int n = 0; n < nq; n++)
          u[n] += y->weighted[i * y->s + r] * y->weighted[j * y->s + r] / y->b[i] * y->H[j][0][n];
    speed = larger(speed, norm(u, nq));
    cst_system_matrix(x->s, CST_K_G, x->c, y->Q[i], NULL, G);
    for (int a = 0; a < ng; a++)
      for (int n = 0; n < nq; n++) {
        sum[a] += y->b[i] * G[a * nq + n] * u[n];
        row[a] += y->b[i] * fabs(G[a * nq + n]);
      }
  }
  for (int a = 0; a < ng; a++)
    if (row[a] > 0 && cst_system_enforces(x->s, a))
      worst = larger(worst, fabs(sum[a]) / (row[a] * speed * larger(1, norm(y->Q[0], nq))));
  return worst;
}

static double most_state, most_integral, least_wrong = INFINITY;

/* The core's step is the step with its multiplier, and this multiplier makes the line integral vanish. */
static void test_equations(const problem *x, int k, int s) {
  char    method[40];
  run     r;
  stepped y;
  double  q[LANES][CST_MAX_Q], p[LANES][CST_MAX_Q], lambda[CST_MAX_G], q1[CST_MAX_Q], p1[CST_MAX_Q],
      off = 0, integral = 0, h;
  h = 0.05 * pace_of(x->s->name);
  snprintf(method, sizeof method, "hbvm(k=%d, s=%d)", k, s);
  tables_of(&y, k, s);
  run_open_on(&r, x, method, widest(), LANES, 1e-15);
  run_start(&r, LANES);
  run_go(&r, h, 2); /* from a p that is not tangent */
  for (int l = 0; l < LANES; l++)
    run_carried(&r, l, q[l], p[l]);
  run_go(&r, h, 1);
  for (int l = 0; l < LANES; l++) {
    run_carried(&r, l, q1, p1);
    run_lambda(&r, l, lambda);
    step_of(x, &y, h, q[l], p[l], lambda);
    off = larger(off, larger(apart(q1, y.q1, x->s->nq) / larger(1, norm(q1, x->s->nq)),
                             apart(p1, y.p1, x->s->nq) / larger(1, norm(p1, x->s->nq))));
    integral = larger(integral, line_integral(x, &y));
    if (!x->s->ng)
      continue;
    lambda[0] += 1e-6 * larger(1, fabs(lambda[0]));
    step_of(x, &y, h, q[l], p[l], lambda);
    least_wrong = fmin(least_wrong, line_integral(x, &y));
  }
  OK(run_well(&r, LANES) && off < 2e-14 && integral < 2e-14,
     "%s on %s: the step is that of its equations (%.2g, %.2g)", method, x->s->name, off, integral);
  most_state = larger(most_state, off);
  most_integral = larger(most_integral, integral);
  run_close(&r);
}

/* Equations that depend on t are those of tests/cli/test_driven.py. */
static void test_all_equations(void) {
  static const int pairs[][2] = {{1, 1}, {2, 1}, {2, 2}, {6, 2}, {4, 3}, {9, 3}, {12, 5}};
  for (int i = 0; i < cst_catalogue_size(); i++) {
    problem *x = problem_open(cst_catalogue_name(i));
    for (size_t k = 0;
         k < sizeof pairs / sizeof *pairs && fits(x, "hbvm(k=2, s=2)") && !cst_has(x->s, CST_TIMED);
         k++)
      test_equations(x, pairs[k][0], pairs[k][1]);
    problem_close(x);
  }
  OK(least_wrong > 1e-10, "a multiplier off by 1e-6 leaves a line integral (%.2g at least)",
     least_wrong);
  NOTE("largest differences %.2g of states, %.2g of line integrals", most_state, most_integral);
}

/* First steps of h = 0.1 from another implementation. */
static void test_first_steps(void) {
  static const struct {
    const char *system, *method;
    double      q[3], lambda;
  } known[] = {{"planar-pendulum",
                "hbvm(k=2, s=2)",
                {.099667361220835, -.995020812399055},
                .998748966155153},
               {"modified-pendulum",
                "hbvm(k=6, s=2)",
                {.710470721969325, .084090392877447, -.704513516338859},
                -.631806444034973}};
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
    OK(apart(q, known[i].q, x->s->nq) < 1e-14 && fabs(lambda[0] - known[i].lambda) < 1e-13,
       "%s on %s: the first step to 13 digits (%.2g)", known[i].method, x->s->name,
       apart(q, known[i].q, x->s->nq));
    run_close(&r);
    problem_close(x);
  }
}

/* Without constraints hbvm(s, s) is Gauss collocation of the canonical equations, which is that of (q, v) if
 * M is constant and there is no a(q). */
static void test_gauss(void) {
  static const char *const systems[] = {"henon-heiles", "kepler", "dna-chain"};
  for (int i = 0; i < 3; i++) {
    problem *x = problem_open(systems[i]);
    for (int s = 1; s <= 4; s++) {
      char one[40], other[40];
      snprintf(one, sizeof one, "hbvm(k=%d, s=%d)", s, s);
      snprintf(other, sizeof other, "gauss(%d)", s);
      double off =
          difference(x, one, other, CST_ITERATION_AUTO, 0.05 * pace_of(x->s->name), 40, NULL);
      OK(off < 1e-13, "%s on %s is %s (%.2g)", one, x->s->name, other, off);
    }
    double off = difference(x, "hbvm(k=3, s=2)", "gauss(2)", CST_ITERATION_AUTO,
                            0.2 * pace_of(x->s->name), 40, NULL);
    OK(off > 1e-10, "hbvm(k=3, s=2) is not (%.2g)", off);
    problem_close(x);
  }
}

static void tests(void) {
  test_all_equations();
  test_first_steps();
  test_gauss();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
