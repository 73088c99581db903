/* shooting.c: periodic orbits of the double pendulum by shooting: a root finder that steps
 * trajectories with the library.
 *
 *   cc shooting.c $(pkg-config --cflags --libs constella) -lm -o shooting
 *   ./shooting ["METHOD" [STEPS]]   default: "compose(rattle, yoshida4)", 100 steps for a quarter of the period
 *
 * The pendulum starts at rest with its rods at the angles a (given) and b (unknown), and swings to the
 * other side in half a period T (unknown). By symmetry both points then cross the vertical at T/4 together.
 * Two equations in two unknowns:
 *
 *   F(b, T) = (x1, x2)(T/4) = 0,    dF/dT = (x1', x2')/4,
 *   dF/db from a second trajectory of the same batch, started at b + 1e-7.
 *
 * Solved by Newton's method, and again by Broyden's secant method, which steps one trajectory for each
 * iterate; each amplitude starts from the solution of the one before, the first from the linear mode. Then
 * the check, which the equations above do not imply: after a whole period the state returns. A symmetric
 * method closes the orbit to round-off at any step, since the conditions are those of the reversors of its
 * own map; for other methods the residual is of their order.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <constella/constella.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NQ = 4, MOST = 25 };

static const double close_enough = 1e-13, apart = 1e-7;

typedef struct {
  cst_integrator *x;
  long            quarter;        /* steps of T/4 */
  double          c[CST_MAX_PAR]; /* m1 m2 g L1 L2 */
  double          a;              /* the amplitude of the upper rod */
} problem;

static void stop(const problem *p) {
  fprintf(stderr, "shooting: %s\n", cst_integrator_message(p->x));
  exit(1);
}

static void place(const problem *p, double b, double *q) {
  const double L1 = p->c[3], L2 = p->c[4];
  q[0] = L1 * sin(p->a), q[1] = -L1 * cos(p->a);
  q[2] = q[0] + L2 * sin(b), q[3] = q[1] - L2 * cos(b);
}

/* n steps of T/4/quarter from rest at b[count]. */
static void swing(const problem *p, const double *b, int count, double T, long n) {
  double                q[2 * NQ], v[2 * NQ] = {0};
  cst_trajectory_status status[2];
  for (int k = 0; k < count; k++)
    place(p, b[k], q + k * NQ);
  if (cst_integrator_set_step(p->x, T / 4 / (double)p->quarter) ||
      cst_integrator_start(p->x, count, NULL, q, v) || cst_integrator_advance(p->x, n))
    stop(p);
  if (cst_integrator_status(p->x, status, NULL)) {
    fprintf(stderr, "shooting: a trajectory failed: %s\n",
            cst_integrator_reason(status[0] ? status[0] : status[1]));
    exit(1);
  }
}

static void residual(const problem *p, const double y[2], double F[2]) {
  double q[NQ];
  swing(p, y, 1, y[1], p->quarter);
  cst_integrator_positions(p->x, q);
  F[0] = q[0], F[1] = q[2];
}

/* F and its Jacobian J[row][column], columns b and T, from two trajectories. */
static void linearise(const problem *p, const double y[2], double F[2], double J[2][2]) {
  const double b[2] = {y[0], y[0] + apart};
  double       q[2 * NQ], v[2 * NQ];
  swing(p, b, 2, y[1], p->quarter);
  cst_integrator_positions(p->x, q);
  cst_integrator_velocities(p->x, v);
  for (int i = 0; i < 2; i++) {
    F[i] = q[2 * i];
    J[i][0] = (q[NQ + 2 * i] - q[2 * i]) / apart;
    J[i][1] = v[2 * i] / 4;
  }
}

static void solve(double J[2][2], const double F[2], double d[2]) {
  const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
  d[0] = -(F[0] * J[1][1] - F[1] * J[0][1]) / det;
  d[1] = -(F[1] * J[0][0] - F[0] * J[1][0]) / det;
}

static double size(const double F[2]) { return fmax(fabs(F[0]), fabs(F[1])); }

/* Iterations, MOST where it does not converge. */
static int newton(const problem *p, double y[2]) {
  double F[2], J[2][2], d[2];
  for (int k = 0; k < MOST; k++) {
    linearise(p, y, F, J);
    if (size(F) <= close_enough)
      return k;
    solve(J, F, d);
    y[0] += d[0], y[1] += d[1];
  }
  return MOST;
}

/* Broyden's method: the Jacobian is found once and then learnt from the steps, J += (F_new - F - J d) d' /
 * d.d, where F + J d = 0. */
static int secant(const problem *p, double y[2]) {
  double F[2], J[2][2], d[2];
  linearise(p, y, F, J);
  for (int k = 0; k < MOST; k++) {
    if (size(F) <= close_enough)
      return k;
    solve(J, F, d);
    y[0] += d[0], y[1] += d[1];
    residual(p, y, F);
    const double dd = d[0] * d[0] + d[1] * d[1];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        J[i][j] += F[i] * d[j] / dd;
  }
  return MOST;
}

/* The slow linear mode, where both rods swing to the same side: (K - w^2 M) (a, b) = 0. */
static void linear_mode(const problem *p, double y[2]) {
  const double m1 = p->c[0], m2 = p->c[1], g = p->c[2], L1 = p->c[3], L2 = p->c[4];
  const double M11 = (m1 + m2) * L1 * L1, M12 = m2 * L1 * L2, M22 = m2 * L2 * L2,
               K1 = (m1 + m2) * g * L1, K2 = m2 * g * L2;
  const double A = M11 * M22 - M12 * M12, B = M11 * K2 + M22 * K1,
               w2 = (B - sqrt(B * B - 4 * A * K1 * K2)) / (2 * A);
  y[0] = p->a * (K1 - w2 * M11) / (w2 * M12);
  y[1] = 2 * acos(-1) / sqrt(w2);
}

/* How far the state after a period is from the start, over q and v. */
static double opening(const problem *p, const double y[2]) {
  double q0[NQ], q[NQ], v[NQ], most = 0;
  place(p, y[0], q0);
  swing(p, y, 1, y[1], 4 * p->quarter);
  cst_integrator_positions(p->x, q);
  cst_integrator_velocities(p->x, v);
  for (int i = 0; i < NQ; i++)
    most = fmax(most, fmax(fabs(q[i] - q0[i]), fabs(v[i])));
  return most;
}

static bool find_orbits(problem *p) {
  static const double amplitude[] = {0.01, 0.25, 0.5, 0.75, 1.0};
  double              y[2] = {0};
  bool                all = true;
  printf("  upper rod   lower rod        period  Newton  secant  not closed by\n");
  for (size_t k = 0; k < sizeof amplitude / sizeof *amplitude; k++) {
    if (k)
      y[0] *= amplitude[k] / p->a;
    p->a = amplitude[k];
    if (!k)
      linear_mode(p, y);
    double       other[2] = {y[0], y[1]};
    const int    n = newton(p, y), s = secant(p, other);
    const double gap = opening(p, y), differ = fmax(fabs(y[0] - other[0]), fabs(y[1] - other[1]));
    printf("%11g %11.8f %13.9f %7d %7d %14.0e\n", p->a, y[0], y[1], n, s, gap);
    all = all && n < MOST && s < MOST && differ < 1e-10;
  }
  return all;
}

int main(int argc, char **argv) {
  char        why[200];
  problem     p = {.quarter = argc > 2 ? atol(argv[2]) : 100};
  cst_system *s = cst_catalogue_create("double-pendulum");
  if (p.quarter < 1)
    return fprintf(stderr, "shooting: STEPS must be 1 or more\n"), 2;
  if (cst_integrator_begin(why, sizeof why))
    return fprintf(stderr, "shooting: %s\n", why), 1;
  const cst_integrator_options o = {.system = s,
                                    .method = argc > 1 ? argv[1] : "compose(rattle, yoshida4)",
                                    .step = 1,
                                    .trajectories = 2};
  if (cst_integrator_create(&o, &p.x))
    stop(&p);
  cst_system_defaults(s, NULL, p.c);
  const bool all = find_orbits(&p);
  if (!all)
    fprintf(stderr, "shooting: the root finders did not agree on every orbit\n");
  cst_integrator_destroy(p.x);
  cst_system_destroy(s);
  cst_integrator_end();
  return !all;
}
