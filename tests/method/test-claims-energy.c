/* test-claims-energy.c: if a bounded energy error is claimed, its amplitude in the second half of a long run
 * is not larger than in the first, its mean does not change, and the state moves; if exact energy is claimed,
 * the error is round-off. Explicit methods fail on every system, and so does a frozen state. Conversions have
 * their own test. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "energy.h"

static void test(const problem *x, const char *method, cst_properties has) {
  if (!strstr(method, CONVERSION))
    test_energy(x, method, has);
}

static void test_drifting(const problem *x) {
  static const char *const methods[] = {"heun", "rk3", "rk4"};
  for (int i = 0; i < 3; i++) {
    bool   well;
    course c = course_of(x, methods[i], 0.05 * pace_of(x->s->name), &well);
    OK(!well || !bounded(c), "%s on %s: drifts (%.2g, then %.2g; shifts by %.2g)", methods[i],
       x->s->name, c.first, c.second, c.shift);
  }
}

static void test_others(void) {
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    /* for other systems the energy error may settle, or the motion itself does not keep the energy */
    if (!x->s->model->nvel && !cst_has(x->s, CST_TIMED))
      test_drifting(x);
    problem_close(x);
  }
  problem *x = problem_open("modified-pendulum");
  bool     well;
  course   c = course_of(x, "hbvm(k=3, s=2)", 0.05, &well);
  OK(!exact(c), "hbvm(k=3, s=2), which claims no exact energy on %s, does not keep it (%.2g)",
     x->s->name, c.second);
  problem_close(x);
  OK(!bounded((course){0, 0, 0, 0}) && !bounded((course){1e-4, 1e-4, 0, 1e-3}) &&
         bounded((course){1e-4, 1e-4, 0, 1}),
     "a frozen state fails");
  OK(!bounded((course){1e-4, 1.6e-4, 0, 1}), "so does a swing that grows");
  OK(!bounded((course){1e-4, 1.2e-4, 4e-5, 1}), "and a drift in a wide swing");
}

static bool claims_bounded(const problem *x, const char *method) {
  cst_method *m = method_of(method);
  const bool  claimed = cst_method_properties(m, x->s).claims & CST_CLAIM_BOUNDED;
  cst_method_destroy(m);
  return claimed;
}

/* A composition of a symplectic and an energy-keeping method is neither. Without a reversing symmetry its
 * energy drifts, strongly within 60 000 large steps; that of its parts does not. */
static void test_mixed(void) {
  static const char text[] =
      "system: cubic\ncoordinates: [x, y, z]\nmass: [1, 1.3, 0.8]\ngyroscopic: [-y + 0.3*z, 0.8*x, "
      "0.4*y]\n"
      "potential: (x^2 + 1.7*y^2 + 2.3*z^2)/2 + 0.3*x^2*y - 0.2*y^2*z + 0.15*z^3 + 0.2*x*y*z\n"
      "states: {default: {q: [0.4, 0.3, -0.3], v: [0.3, -0.2, 0.3]}}\n";
  static const struct {
    const char *method;
    bool        bounded, run;
  } known[] = {{"euler-a", true, true},
               {"hbvm(k=2, s=1)", true, true},
               {"compose(euler-a, hbvm(k=2, s=1))", false, true},
               {"compose(euler-a, hbvm(k=1, s=1))", true, true}, /* both symplectic */
               {"compose(hbvm(k=2, s=1), hbvm(k=3, s=2))", true, false},
               {"compose(rattle, hbvm(k=2, s=1))", false, false},
               {"compose(rattle, hbvm(k=2, s=1), rattle)", false, false},
               {"compose(hbvm(k=2, s=1), rattle, hbvm(k=2, s=1))", false, false},
               {"compose(hbvm(k=2, s=1), convert(rk4))", false, false},
               {"compose(hbvm(k=2, s=1), gauss(2))", false, false},
               {"compose(hbvm(k=2, s=2), hbvm(k=2, s=1))", false, false},
               {"compose(compose(rattle, hbvm(k=2, s=1)), suzuki4)", false, false},
               {"compose(rattle, compose(hbvm(k=2, s=1), yoshida4))", false, false}};
  problem x = described(text), *henon = problem_open("henon-heiles");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *method = known[i].method, *word = known[i].bounded ? "bounded" : "not bounded";
    OK(claims_bounded(&x, method) == known[i].bounded &&
           claims_bounded(henon, method) == known[i].bounded,
       "%s: %s by its parts", method, word);
    if (!known[i].run)
      continue;
    bool   well;
    course c = course_over(&x, method, 0.5, 60000, &well);
    OK((well && bounded(c)) == known[i].bounded,
       "%s: %s in a run (%.2g, then %.2g; shifts by %.2g)", method, word, c.first, c.second,
       c.shift);
  }
  problem_close(henon);
  cst_system_destroy(x.s);
}

enum { LOOKS = 40000 }; /* of a run on chaotic orbits */

/* The mean energy error, over lanes and the last tenth of a long run of steps h, over that of its first
 * hundredth: 1 if it is bounded, larger if it makes a random walk. */
static double growth(const problem *x, const char *method, double h, bool *well) {
  run    r;
  double E0[LANES], scale[LANES], q[CST_MAX_Q], p[CST_MAX_Q], first = 0, last = 0;
  run_open(&r, x, method, LANES);
  run_start(&r, LANES);
  for (int l = 0; l < LANES; l++) {
    run_state(&r, l, q, p);
    E0[l] = energy(x, q, p, &scale[l]);
  }
  for (int n = 0; n < LOOKS; n++) {
    run_go(&r, h, EVERY);
    if (n >= LOOKS / 100 && n < LOOKS - LOOKS / 10)
      continue;
    for (int l = 0; l < LANES; l++) {
      run_state(&r, l, q, p);
      *(n < LOOKS / 100 ? &first : &last) += fabs(energy(x, q, p, NULL) - E0[l]) / scale[l];
    }
  }
  *well = run_well(&r, LANES);
  run_close(&r);
  return last / 10 / first;
}

static void test_growth(const problem *x, const char *method, bool stays) {
  bool         well;
  const double by = growth(x, method, 0.2, &well);
  OK(well && (stays ? by < 1.4 : by > 1.6),
     "%s on chaotic orbits: the energy error %s (%.2f times)", method, stays ? "stays" : "grows",
     by);
}

/* On chaotic orbits the energy errors of methods that are symmetric but not symplectic make a random walk,
 * which no claim may call bounded; those of all that claim a bound do not grow. */
static void test_chaotic(void) {
  static const char text[] =
      "system: quartic\ncoordinates: [x, y]\nmass: [1, 1]\npotential: (x^2 + y^2)/2 + x^2*y^2 + "
      "0.1*x^4*y + 0.05*y^6\nstates: {default: {q: [1.0, 0.3], v: [0.9, 1.1]}}\n";
  static const struct {
    const char *method;
    bool        bounded;
    int         run; /* whether it is run: 1, or with all tests: 2 */
  } known[] = {{"rattle", true, 1},
               {"zhang-skeel(beta=0.3)", true, 2},
               {"newmark(beta=0.3)", true, 2},
               {"compose(pushforward-newmark(beta=0.3), yoshida4)", true, 2},
               {"zhang-skeel(beta=0.3, form=simplified)", false, 0},
               {"zhang-skeel(beta=0.3, form=stiff)", false, 0},
               {"compose(newmark(beta=0.3), yoshida4)", false, 1},
               {"compose(newmark(beta=0.3), suzuki4)", false, 2},
               {"compose(newmark(beta=0), yoshida4)", true, 0}};
  problem x = described(text);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    OK(claims_bounded(&x, known[i].method) == known[i].bounded, "%s: %s is claimed",
       known[i].method, known[i].bounded ? "a bound" : "no bound");
    if (known[i].run == 1 || (known[i].run && everything()))
      test_growth(&x, known[i].method, known[i].bounded);
  }
  for (int i = 0; i < expression_count() && everything(); i++)
    if (fits(&x, expression_at(i)) && claims_bounded(&x, expression_at(i)) &&
        cost_class_of(&x, expression_at(i)) <= 2)
      test_growth(&x, expression_at(i), true);
  cst_system_destroy(x.s);
}

static void tests(void) {
  each_pair(test, SCOPE_ENERGY);
  test_others();
  test_mixed();
  test_chaotic();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
