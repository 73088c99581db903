/* test-claims-energy.c: where a bounded energy error is claimed, the second half of a long run errs no more than the first, and the state
 * moves; where an exact energy is, there is round-off. rk4 fails that, and so does a frozen state. Conversions have a test of their own.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "energy.h"

static void test(const problem *x, const char *method, cst_properties has) {
  if (!strstr(method, CONVERSION)) test_energy(x, method, has);
}

static void test_others(void) {
  static const char *const systems[] = {"spherical-pendulum", "modified-pendulum", "henon-heiles"}, *const methods[] = {"heun", "rk4"};
  for (int k = 0; k < 3; k++) {
    problem *x = problem_open(systems[k]);
    for (int i = 0; i < 2; i++) {
      bool   well;
      course c = course_of(x, methods[i], 0.1, &well);
      OK(!well || !bounded(c), "%s on %s: drifts (%.2g, then %.2g)", methods[i], systems[k], c.first, c.second);
    }
    problem_close(x);
  }
  problem *x = problem_open("modified-pendulum");
  bool     well;
  course   c = course_of(x, "hbvm(k=3, s=2)", 0.05, &well);
  OK(!exact(c), "hbvm(k=3, s=2), which claims no exact energy on %s, does not keep it (%.2g)", x->s->name, c.second);
  problem_close(x);
  OK(!bounded((course){0, 0, 0}) && !bounded((course){1e-4, 1e-4, 1e-3}) && bounded((course){1e-4, 1e-4, 1}), "a frozen state fails");
}

static void tests(void) {
  each_pair(test);
  test_others();
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
