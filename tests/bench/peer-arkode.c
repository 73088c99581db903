/* peer-arkode.c: pendula and chains of rods by ARKODE's explicit Runge-Kutta method of order 8 with step-size
 * control, for works.py. Equations of index 1: the multipliers follow from the tridiagonal system of the
 * rods, and nothing keeps the constraints.
 *
 *   peer-arkode POINTS DIMENSIONS TOLERANCE END < start
 *
 * start: positions, then velocities, of unit masses; gravity 1 along the last coordinate. Prints seconds of
 * processor time, and, at the end, the largest relative error of a squared length and that of the energy. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int     n, d;                        /* points and dimensions */
static double *u, *w;                       /* rods and their velocities, [n][d] */
static double *diagonal, *beside, *tension; /* [n] */

static void fill_rods(const double *x, double *rod) {
  for (int i = 0; i < n * d; i++)
    rod[i] = i < d ? x[i] : x[i] - x[i - d];
}

static double product(const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < d; k++)
    sum += a[k] * b[k];
  return sum;
}

/* The multipliers of |u_i|^2/2: G M^-1 G' tension = G a + |w|^2, with the acceleration a of gravity. */
static void solve_tensions(void) {
  for (int i = 0; i < n; i++) {
    diagonal[i] = (i ? 2 : 1) * product(u + i * d, u + i * d);
    beside[i] = i ? -product(u + i * d, u + (i - 1) * d) : 0;
    tension[i] = product(w + i * d, w + i * d) - (i ? 0 : u[d - 1]);
  }
  for (int i = 1; i < n; i++) {
    const double factor = beside[i] / diagonal[i - 1];
    diagonal[i] -= factor * beside[i];
    tension[i] -= factor * tension[i - 1];
  }
  for (int i = n - 1; i >= 0; i--)
    tension[i] = (tension[i] - (i < n - 1 ? beside[i + 1] * tension[i + 1] : 0)) / diagonal[i];
}

static int motion(double t, N_Vector state, N_Vector derivative, void *context) {
  const double *x = N_VGetArrayPointer(state), *v = x + n * d;
  double       *rate = N_VGetArrayPointer(derivative);
  (void)t, (void)context;
  fill_rods(x, u);
  fill_rods(v, w);
  solve_tensions();
  for (int i = 0; i < n * d; i++) {
    const int point = i / d;
    rate[i] = v[i];
    rate[n * d + i] = -(i % d == d - 1) - tension[point] * u[i];
    if (point < n - 1)
      rate[n * d + i] += tension[point + 1] * u[i + d];
  }
  return 0;
}

static double energy(const double *x) {
  double sum = 0;
  for (int i = 0; i < n * d; i++)
    sum += x[n * d + i] * x[n * d + i] / 2 + (i % d == d - 1) * x[i];
  return sum;
}

static void check(int status) {
  if (status >= 0)
    return;
  fprintf(stderr, "peer-arkode: status %d\n", status);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  n = atoi(argv[1]);
  d = atoi(argv[2]);
  const double tolerance = atof(argv[3]), end = atof(argv[4]);
  const size_t room = sizeof(double) * (size_t)(n * d);
  u = malloc(room), w = malloc(room);
  diagonal = malloc(room), beside = malloc(room), tension = malloc(room);
  double    *first = malloc(room), worst = 0, t;
  SUNContext context;
  check(SUNContext_Create(NULL, &context));
  N_Vector state = N_VNew_Serial(2 * n * d, context);
  double  *x = N_VGetArrayPointer(state);
  for (int i = 0; i < 2 * n * d; i++)
    if (scanf("%lf", &x[i]) != 1)
      return 2;
  fill_rods(x, first);
  const double begun = energy(x);
  void        *integrator = ERKStepCreate(motion, 0, state, context);
  check(ERKStepSetOrder(integrator, 8));
  check(ERKStepSStolerances(integrator, tolerance, tolerance));
  check(ERKStepSetMaxNumSteps(integrator, -1));
  check(ERKStepSetStopTime(integrator, end));
  const clock_t before = clock();
  check(ERKStepEvolve(integrator, end, state, &t, ARK_NORMAL));
  const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  fill_rods(x, u);
  for (int i = 0; i < n; i++) {
    const double length = product(first + i * d, first + i * d);
    worst = fmax(worst, fabs(product(u + i * d, u + i * d) / length - 1));
  }
  printf("%.6g %.3g %.3g\n", seconds, worst, fabs(energy(x) - begun) / fabs(begun));
  return 0;
}
