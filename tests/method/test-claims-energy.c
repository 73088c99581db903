/* test-claims-energy.c: where a bounded energy error is claimed, the second half of a long run errs no more than the first and about the
 * same mean, and the state moves; where an exact energy is, there is round-off. Explicit methods fail that on every system, and so does a
 * frozen state. Conversions have a test of their own.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "energy.h"

static void test(const problem *x, const char *method, cst_properties has) {
  if (!strstr(method, CONVERSION)) test_energy(x, method, has);
}

static void test_drifting(const problem *x) {
  static const char *const methods[] = {"heun", "rk3", "rk4"};
  for (int i = 0; i < 3; i++) {
    bool   well;
    course c = course_of(x, methods[i], 0.05 * pace_of(x->s->name), &well);
    OK(!well || !bounded(c), "%s on %s: drifts (%.2g, then %.2g; shifts by %.2g)", methods[i], x->s->name, c.first, c.second, c.shift);
  }
}

static void test_others(void) {
  for (int k = 0; k < cst_catalogue_size(); k++) {
    problem *x = problem_open(cst_catalogue_name(k));
    test_drifting(x);
    problem_close(x);
  }
  problem *x = problem_open("modified-pendulum");
  bool     well;
  course   c = course_of(x, "hbvm(k=3, s=2)", 0.05, &well);
  OK(!exact(c), "hbvm(k=3, s=2), which claims no exact energy on %s, does not keep it (%.2g)", x->s->name, c.second);
  problem_close(x);
  OK(!bounded((course){0, 0, 0, 0}) && !bounded((course){1e-4, 1e-4, 0, 1e-3}) && bounded((course){1e-4, 1e-4, 0, 1}),
     "a frozen state fails");
  OK(!bounded((course){1e-4, 1.6e-4, 0, 1}), "so does a swing that grows");
  OK(!bounded((course){1e-4, 1.2e-4, 4e-5, 1}), "and a drift in a wide swing");
}

static void tests(void) {
  each_pair(test);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
