/* test-thermostat-claims.c: thermostats have the temperature that they claim, on every small system and where a
 * body is flat; it is claimed for no other methods.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "average.h"

/* ---- the claim ------------------------------------------------------------------------------- */

enum { MANY = 512 };

/* Twice the kinetic energy after one kick with a friction so large that the start is forgotten, for b = 1. */
static estimate after_one_kick(const problem *x, const char *method) {
  run    r;
  double sum = 0, square = 0, q[CST_MAX_Q], p[CST_MAX_Q], v[CST_MAX_Q];
  run_open(&r, x, method, MANY);
  cst_batch_reset(r.st, &r.b, MANY);
  for (int l = 0; l < MANY; l++) {
    run_put(&r, l, x->q, x->v);
    cst_batch_address(r.st, &r.b, l, 5, (uint64_t)l);
  }
  cst_batch_ready(r.st, &r.b);
  run_go(&r, 1e-3 * pace_of(x->s->name), 1);
  for (int l = 0; l < MANY; l++) {
    run_state(&r, l, q, p);
    cst_system_velocity(x->s, x->c, q, p, v);
    const double T = twice_T(x, q, v);
    sum += T / MANY;
    square += T * T / MANY;
  }
  run_close(&r);
  return (estimate){sum, sqrt((square - sum * sum) / MANY)};
}

/* Whether a method carries numbers that no bath may pass by: it is refused then. */
static bool is_whole(const char *text) {
  cst_method *m = method_of(text);
  const bool  whole = cst_method_root(m)->row->whole;
  cst_method_destroy(m);
  return whole;
}

/* METHOD in a heat bath, on x: the kinetic energy is kT/2 per degree of freedom, and not that of half as many
 * more. Returns true if the pair was tested. */
static bool test_claim(const problem *x, const char *inside) {
  char              text[400], why[400];
  const char *const form =
      strstr(inside, "baoab") ? "%s" : "langevin(%s, friction=2e5, inverse-temperature=1)";
  snprintf(text, sizeof text, form,
           strstr(inside, "baoab") ? "baoab(friction=2e5, inverse-temperature=1)" : inside);
  cst_method    *m = method_of(text);
  const bool     fits = cst_method_fits(m, x->s, why, sizeof why);
  const unsigned claims = fits ? cst_method_properties(m, x->s).claims : 0;
  double         more[CST_MORE_PARAMETERS];
  const bool     free = fits && cst_method_system(m, x->s, more)->ng == 0;
  cst_method_destroy(m);
  if (!(claims & CST_CLAIM_TEMPERATURE) || cost_class_of(x, inside) > 2)
    return false;
  const int      freedom = x->s->nq - (free ? 0 : cst_system_rank(x->s, x->c, x->q));
  const estimate e = after_one_kick(x, text);
  if (!OK(agrees(e, freedom) && !agrees(e, 1.5 * freedom),
          "%s on %s: the temperature of %d degrees of freedom", text, x->s->name, freedom))
    NOTE("%.4f, standard error %.2g", e.mean, e.error);
  return true;
}

/* Every method that can be combined with a bath, on every small system. */
static void test_claims(void) {
  int count = 0;
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    for (int i = 0; i < cst_method_count() && x->s->nq <= 12; i++)
      if (strncmp(expression_at(i), "langevin", 8) && !is_whole(expression_at(i)))
        count += test_claim(x, expression_at(i));
    problem_close(x);
  }
  OK(count > 80, "%d pairs of methods and systems", count);
}

/* A temperature is claimed, with its order, for methods that preserve volume or are conjugate to such a
 * method, and for no others: in a well with h w = 0.5 explicit Euler and Newmark's method with gamma = 0.7
 * are far from the bath. */
static void test_claimed(void) {
  static const struct {
    const char *method;
    int         order;
  } known[] = {{"rattle", 2},
               {"euler-a", 1},
               {"compose(rattle, yoshida4)", 4},
               {"newmark", 2},
               {"zhang-skeel(beta=0.4, form=simplified)", 2},
               {"gauss(2)", 4},
               {"euler", 0},
               {"rk4", 0},
               {"newmark(gamma=0.7)", 0},
               {"newmark(beta=0.4, iterations=1, start=q)", 0},
               {"hbvm(k=4, s=2)", 0}};
  problem *x = problem_open("henon-heiles");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[200];
    snprintf(text, sizeof text, "langevin(%s, friction=0.5, inverse-temperature=2)",
             known[i].method);
    cst_method          *m = method_of(text);
    const cst_properties p = cst_method_properties(m, x->s);
    const bool           claimed = p.claims & CST_CLAIM_TEMPERATURE;
    OK(claimed == (known[i].order > 0) && p.order_measure == known[i].order,
       "%s: temperature of order %d", text, known[i].order);
    cst_method_destroy(m);
  }
  problem_close(x);
}

/* ---- flat bodies ----------------------------------------------------------------------------- */

/* omega_i (I omega)_i of the first body, whose mean is kT for each axis i of a body without joints. */
static double turning(const problem *x, const double *q, const double *v, int i) {
  const double *R = q + x->s->model->bodies[0].rotation, *V = v + x->s->model->bodies[0].rotation;
  double        J[9], mass, omega[3] = {0};
  cst_system_body_inertia(x->s, 0, x->c, J, &mass);
  for (int a = 0; a < 3; a++)
    for (int r = 0; r < 3; r++)
      omega[a] += R[3 * r + (a + 2) % 3] * V[3 * r + (a + 1) % 3];
  return omega[i] * (J[3 * i] * omega[0] + J[3 * i + 1] * omega[1] + J[3 * i + 2] * omega[2]);
}
static double turning_1(const problem *x, const double *q, const double *v) {
  return turning(x, q, v, 0);
}
static double turning_2(const problem *x, const double *q, const double *v) {
  return turning(x, q, v, 1);
}
static double turning_3(const problem *x, const double *q, const double *v) {
  return turning(x, q, v, 2);
}

static const char plate_text[] =
    "system: plate\n"
    "bodies: {plate: {rotation: R, inertia: [1, 2, 3]}}\n"
    "potential: R33 + R12/2\n"
    "states: {default: {bodies: {plate: {axis: [1, 0, 0], angle: 0.5, omega: [0, 0, 1]}}}}\n";
/* A plate across (1, -1, 0), which moves freely beside a coordinate coupled to another by their mass. */
static const char oblique_text[] =
    "system: oblique\n"
    "coordinates: [u, w]\n"
    "mass: [[2, 0.5], [0.5, 1]]\n"
    "bodies: {plate: {rotation: R, centre: [x, y, z], mass: 2,\n"
    "    inertia: [[2, -0.5, 0], [-0.5, 2, 0], [0, 0, 1]]}}\n"
    "potential: R33 + (x^2 + y^2 + z^2 + u^2 + w^2)/2 + x*R12 + u*w/4\n"
    "states: {default: {q: [0.1, 0], v: [0, 0], bodies: {plate: {axis: [1, 0, 0], angle: 0.5,\n"
    "    omega: [0, 0, 1], centre: [0.1, 0, 0], velocity: [0, 0, 0]}}}}\n";
/* Two plates on a ball joint at the origin and a hinge between them: 9 - 3 - 3 velocities remain of the first
 * pivot, and 1 + 1 of the second body. */
static const char hinged_text[] =
    "system: hinged\n"
    "bodies:\n"
    "  one: {rotation: A, centre: [x, y, z], mass: 2, inertia: [1, 2, 3]}\n"
    "  two: {rotation: B, inertia: [2, 1, 3]}\n"
    "constraints:\n"
    "  pivot_1: x - A11\n"
    "  pivot_2: y - A21\n"
    "  pivot_3: z - A31\n"
    "  hinge: A13*B11 + A23*B21 + A33*B31\n"
    "potential: z + B33\n"
    "states: {default: {bodies: {one: {axis: [1, 0, 0], angle: 0, omega: [0, 0, 0],\n"
    "    centre: [1, 0, 0], velocity: [0, 0, 0]}, two: {axis: [1, 0, 0], angle: 0.5, omega: [0, 0, "
    "0]}}}}\n";

/* The noise acts on omega: each axis of a flat body has its share, and so have the degrees of freedom of a
 * linkage, of which wrong projections would leave more or fewer. */
static void test_flat(void) {
  static const char *const text[] = {plate_text, oblique_text, hinged_text};
  static const int         freedom[] = {3, 8, 5};
  measure *const           of[] = {twice_T, turning_1, turning_2, turning_3};
  char                     what[100];
  for (int k = 0; k < 3; k++) {
    problem  x = described(text[k]);
    estimate e[4];
    sample(&x, (plan){"langevin(lie-rattle, friction=1, inverse-temperature=2)", 0.1, 100, 3000, 5},
           of, 4, e);
    snprintf(what, sizeof what, "flat bodies, %s: %d degrees of freedom at kT", x.s->name,
             freedom[k]);
    decide(e[0], freedom[k] / 2.0, (freedom[k] + 1) / 2.0, what);
    for (int i = 1; i < 4 && x.s->model->nown == 0; i++) {
      snprintf(what, sizeof what, "%s: omega_%d (I omega)_%d", x.s->name, i, i);
      decide(e[i], 0.5, 0.45, what);
    }
    OK(!fits(&x, "langevin(lie-rattle, coefficient=1, inverse-temperature=2)"),
       "a bath divided by masses is refused: some are zero");
    cst_system_destroy(x.s);
  }
}

static void tests(void) {
  test_claims();
  test_claimed();
  test_flat();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
