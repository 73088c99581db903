/* test-thermostat.c: the averages that thermostats sample agree with known values within four standard
 * errors, and differ by more from the values of wrong methods (average.h).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "average.h"

/* ---- a harmonic well ------------------------------------------------------------------------- */

static const char well_text[] = "system: well\n"
                                "coordinates: [x]\n"
                                "parameters: {m: 2, k: 8}\n"
                                "mass: [m]\n"
                                "potential: k*x^2/2\n"
                                "states: {default: {q: [0.1], v: [0]}}\n";

static double square_q(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)v;
  return q[0] * q[0];
}
static double square_v(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)q;
  return v[0] * v[0];
}

/* w = 2, kT = 1/2, h w = 1: <q^2> = kT/k = 1/16 and <v^2> = kT/m = 1/4, up to the factor 4/3 or 3/4. Zhang
 * and Skeel's method with beta = 1/4 is Verlet's for the stiffness k / (1 + (h w)^2/4). */
static void test_well(void) {
  problem        x = described(well_text);
  measure *const of[] = {square_q, square_v};
  estimate       e[2];
  const double   factor = 1 - 0.25;
  sample(&x, (plan){"langevin(rattle, friction=1, inverse-temperature=2)", 0.5, 40, 8000, 2}, of, 2,
         e);
  decide(e[0], 0.0625 / factor, 0.0625,
         "langevin(rattle) in a well at h w = 1: <q^2> is kT/k / (1 - (h w)^2/4)");
  decide(e[1], 0.25, 0.25 * factor, "and its velocities are exact");
  sample(&x, (plan){"baoab(friction=1, inverse-temperature=2)", 0.5, 40, 8000, 2}, of, 2, e);
  decide(e[0], 0.0625, 0.0625 / factor, "baoab in a well at h w = 1: <q^2> is exact");
  decide(e[1], 0.25 * factor, 0.25, "and its <v^2> is kT/m (1 - (h w)^2/4)");
  sample(&x,
         (plan){"langevin(zhang-skeel(beta=0.25), friction=1, inverse-temperature=2)", 0.5, 40,
                8000, 2},
         of, 2, e);
  decide(e[0], 0.0625 * pow(1 + 0.25, 2), 0.0625,
         "langevin(zhang-skeel): <q^2> is kT/k (1 + beta (h w)^2)^2");
  decide(e[1], 0.25, 0.25 * factor, "and its velocities are exact");
  sample(&x, (plan){"langevin(rattle, coefficient=2, inverse-temperature=2)", 0.5, 40, 8000, 2}, of,
         2, e);
  decide(e[1], 0.25, 0.25 * factor, "coefficient= without constraints: velocities are exact");
  cst_system_destroy(x.s);
}

/* ---- a full mass matrix ---------------------------------------------------------------------- */

static const char skew_text[] = "system: skew\n"
                                "coordinates: [x, y]\n"
                                "mass: [[2, 0.9], [0.9, 1]]\n"
                                "potential: (x^2 + y^2)/2\n"
                                "states: {default: {q: [0.1, 0], v: [0, 0]}}\n";

static double first_v(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)q;
  return v[0] * v[0];
}
static double cross_v(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)q;
  return v[0] * v[1];
}
static double cross_q(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)v;
  return q[0] * q[1];
}

/* <v v'> = kT M^-1, with det M = 1.19. */
static void test_full_mass(void) {
  problem        x = described(skew_text);
  measure *const of[] = {first_v, cross_v, cross_q};
  estimate       e[3];
  sample(&x, (plan){"langevin(rattle, friction=2, inverse-temperature=1)", 0.05, 200, 8000, 8}, of,
         3, e);
  decide(e[0], 1 / 1.19, 1 / 2.0, "a full mass matrix: <v_1^2> is that of M^-1");
  decide(e[1], -0.9 / 1.19, 0, "and so is <v_1 v_2>");
  decide(e[2], 0, 0.1, "and <q_1 q_2> that of the potential");
  sample(&x, (plan){"baoab(friction=2, inverse-temperature=1)", 0.05, 200, 8000, 8}, of, 3, e);
  decide(e[1], -0.9 / 1.19, 0, "baoab with a full mass matrix: <v_1 v_2>");
  cst_system_destroy(x.s);
}

/* ---- with constraints ------------------------------------------------------------------------ */

static const char pendulum_text[] = "system: pendulum\n"
                                    "coordinates: [x, z]\n"
                                    "parameters: {m: 2, g: 0.5}\n"
                                    "mass: [m, m]\n"
                                    "potential: m*g*z\n"
                                    "constraints: {rod: (x^2 + z^2 - 1)/2}\n"
                                    "states: {default: {q: [0, -1], v: [0.5, 0]}}\n";

static double down(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)v;
  return -q[1];
}
static double side(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)v;
  return q[0] * q[0];
}

/* b m g l = 1: <cos> = I1(1)/I0(1) = 0.44639 of angles in the plane; of a sphere it would be coth 1 - 1. */
static void test_pendulum(void) {
  problem                  x = described(pendulum_text);
  measure *const           of[] = {down, twice_T};
  estimate                 e[2];
  static const char *const methods[] = {
      "langevin(rattle, friction=1, inverse-temperature=1)",
      "baoab(friction=1, inverse-temperature=1)",
      "baoab(friction=1, inverse-temperature=1, drifts=3)",
      "langevin(convert(rk3, bias=-0.5), friction=1, inverse-temperature=1)"};
  for (int i = 0; i < 4; i++) {
    sample(&x, (plan){methods[i], 0.2, 100, i < 3 ? 12000 : 3000, 5}, of, 2, e);
    decide(e[0], 0.44639, i < 3 ? 0.4 : 0.313, methods[i]);
    decide(e[1], 1, i < 3 ? 1.1 : 1.2, "and twice the kinetic energy of one degree of freedom");
  }
  cst_system_destroy(x.s);
}

/* Without a force all angles are equally likely and drifts along a circle are exact. So is the temperature,
 * for any step. */
static void test_rotor(void) {
  problem        x = described(pendulum_text);
  measure *const of[] = {side, twice_T};
  estimate       e[2];
  x.c[1] = 0;
  sample(&x, (plan){"langevin(rattle, friction=0.5, inverse-temperature=4)", 0.5, 100, 8000, 4}, of,
         2, e);
  decide(e[0], 0.5, 0.45, "a free rotor: <cos^2>");
  decide(e[1], 0.25, 0.5, "and its temperature: kT, and not 2 kT");
  cst_system_destroy(x.s);
}

/* ---- a rigid body ---------------------------------------------------------------------------- */

static const char top_text[] =
    "system: top\n"
    "bodies: {top: {rotation: R, inertia: [1, 2, 2.5]}}\n"
    "potential: -R33\n"
    "states: {default: {bodies: {top: {axis: [1, 0, 0], angle: 0.5, omega: [0, 0, 1]}}}}\n";

static double upright(const problem *x, const double *q, const double *v) {
  (void)x;
  (void)v;
  return q[8];
}

/* All rotations have equal weight except for e^(-bV): <R33> = coth 1 - 1. In the plane it would be
 * I1(1)/I0(1). */
static void test_top(void) {
  problem                  x = described(top_text);
  measure *const           of[] = {upright, twice_T};
  estimate                 e[2];
  static const char *const methods[] = {"langevin(lie-rattle, friction=1, inverse-temperature=1)",
                                        "langevin(rattle, friction=1, inverse-temperature=1)",
                                        "baoab(friction=1, inverse-temperature=1)"};
  for (int i = 0; i < 3; i++) {
    sample(&x, (plan){methods[i], 0.1, 100, 6000, 10}, of, 2, e);
    decide(e[0], 1 / tanh(1) - 1, 0.44639, methods[i]);
    decide(e[1], 3, 3.2, "and twice the kinetic energy of three degrees of freedom");
  }
  cst_system_destroy(x.s);
}

/* ---- molecules ------------------------------------------------------------------------------- */

static const char trimer_text[] =
    "system: trimer\n"
    "coordinates: [x1, y1, z1, x2, y2, z2, x3, y3, z3]\n"
    "mass: [1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    "potential: 0*x1\n"
    "constraints:\n"
    "  a: ((x1-x2)^2 + (y1-y2)^2 + (z1-z2)^2 - 1)/2\n"
    "  b: ((x3-x2)^2 + (y3-y2)^2 + (z3-z2)^2 - 1)/2\n"
    "states: {default: {q: [1, 0, 0, 0, 0, 0, 0, 1, 0], v: [0, 0, 0, 0, 0, 0, 0, 0, 0]}}\n";

static double wide(const problem *x, const double *q, const double *v) {
  double dot = 0, a = 0, b = 0;
  (void)x;
  (void)v;
  for (int i = 0; i < 3; i++) {
    const double u = q[i] - q[3 + i], w = q[6 + i] - q[3 + i];
    dot += u * w;
    a += u * u;
    b += w * w;
  }
  return dot < -0.5 * sqrt(a * b);
}

/* With rods a configuration has the weight sqrt(det G M^-1 G'), which is sqrt(4 - c^2) for the cosine c; with
 * springs all cosines have equal weight. */
static double with_rods(void) {
  const double end = sqrt(3) / 2 + 2 * asin(0.5), middle = sqrt(15) / 8 + 2 * asin(0.25);
  return (end - middle) / (2 * end);
}

static void test_trimer(void) {
  problem        x = described(trimer_text);
  measure *const of[] = {wide};
  estimate       e[1];
  sample(&x, (plan){"baoab(friction=0.7, inverse-temperature=1)", 0.1, 200, 80000, 8}, of, 1, e);
  decide(e[0], with_rods(), 0.25, "a free trimer of rods: P(cos < -1/2)");
  sample(
      &x,
      (plan){"penalty(baoab(friction=0.7, inverse-temperature=1), omega=6)", 0.1, 300, 100000, 10},
      of, 1, e);
  decide(e[0], 0.25, with_rods(), "and of springs");
  cst_system_destroy(x.s);
}

static const char water_text[] = "system: water\n"
                                 "coordinates: [x1, y1, z1, x2, y2, z2, x3, y3, z3]\n"
                                 "parameters: {O: 15.9994, H: 1.008, r: 0.9572, d: 1.5139}\n"
                                 "mass: [O, O, O, H, H, H, H, H, H]\n"
                                 "potential: 0*x1\n"
                                 "constraints:\n"
                                 "  a: ((x1-x2)^2 + (y1-y2)^2 + (z1-z2)^2 - r^2)/2\n"
                                 "  b: ((x1-x3)^2 + (y1-y3)^2 + (z1-z3)^2 - r^2)/2\n"
                                 "  c: ((x2-x3)^2 + (y2-y3)^2 + (z2-z3)^2 - d^2)/2\n"
                                 "states: {default: {q: [0, 0, 0, d/2, sqrt(r^2-d^2/4), 0, -d/2, "
                                 "sqrt(r^2-d^2/4), 0], v: [0, 0, 0, 0, 0, 0, 0, 0, 0]}}\n";

/* The kick with one rate keeps the Maxwell distribution on the tangent space, the kick with gamma/m does not:
 * kT/kT0 is 0.971 if gamma h/m_H is 1/2. */
static void test_water(void) {
  problem        x = described(water_text);
  measure *const of[] = {twice_T};
  estimate       e[1];
  sample(&x, (plan){"langevin(rattle, friction=10, inverse-temperature=50)", 0.05, 100, 4000, 1},
         of, 1, e);
  decide(e[0], 6 * 0.02, 6 * 0.0198,
         "one rigid water at a large friction: six degrees of freedom at kT");
  sample(&x,
         (plan){"langevin(rattle, coefficient=10.08, inverse-temperature=50)", 0.05, 200, 4000, 1},
         of, 1, e);
  decide(e[0], 6 * 0.02 * 0.971, 6 * 0.02, "with the paper's coefficient it is cold");
  cst_system_destroy(x.s);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* p of a free particle after time 4, with steps of h that share increments of `resolution`. */
static double free_p(const char *method, double h, double resolution) {
  static const char text[] = "system: free\ncoordinates: [x]\nmass: [3]\npotential: 0*x\nstates: "
                             "{default: {q: [0], v: [1]}}\n";
  problem           x = described(text);
  run               r;
  double            q, p;
  run_open(&r, &x, method, 1);
  cst_stepper_set_resolution(r.st, resolution);
  run_start(&r, 1);
  cst_batch_address(r.st, &r.b, 0, 3, 4);
  run_go(&r, h, lround(4 / h));
  run_carried(&r, 0, &q, &p);
  run_close(&r);
  cst_system_destroy(x.s);
  return p;
}

static void test_paths(void) {
  static const char *const methods[] = {
      "langevin(rattle, friction=0.7, inverse-temperature=2)",
      "langevin(midpoint, coefficient=1.5, inverse-temperature=2)",
      "baoab(friction=0.7, inverse-temperature=2)"};
  for (int i = 0; i < 3; i++) {
    const double fine = free_p(methods[i], 0.125, 0.125), same = free_p(methods[i], 0.125, 0),
                 coarse = free_p(methods[i], 1, 0.125);
    OK(fine == same, "%s: a step of one increment has the bits of one without a resolution",
       methods[i]);
    OK(fabs(coarse - fine) < 1e-13, "a step of eight is on the same path: %.1g apart",
       fabs(coarse - fine));
    OK(fabs(free_p(methods[i], 1, 0) - fine) > 1e-3, "and without a resolution it is not");
  }
}

/* ---- no friction ----------------------------------------------------------------------------- */

static void test_none(void) {
  problem x = described(pendulum_text);
  run     r[2];
  double  q[2][CST_MAX_Q], p[2][CST_MAX_Q];
  run_open(&r[0], &x, "rattle", LANES);
  run_open(&r[1], &x, "langevin(rattle, friction=0, inverse-temperature=2)", LANES);
  for (int k = 0; k < 2; k++) {
    run_start(&r[k], LANES);
    run_go(&r[k], 0.1, 100);
    run_carried(&r[k], 5, q[k], p[k]);
  }
  OK(!memcmp(q[0], q[1], 2 * sizeof **q) && !memcmp(p[0], p[1], 2 * sizeof **p),
     "without friction langevin(rattle) has the bits of rattle");
  OK(!cst_method_has_noise(r[1].m) && cst_method_properties(r[1].m, x.s).order_q == 2,
     "and its order, and no noise");
  for (int k = 0; k < 2; k++)
    run_close(&r[k]);
  cst_system_destroy(x.s);
}

static void tests(void) {
  test_well();
  test_full_mass();
  test_pendulum();
  test_rotor();
  test_top();
  test_trimer();
  test_water();
  test_paths();
  test_none();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
