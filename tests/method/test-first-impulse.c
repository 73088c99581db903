/* test-first-impulse.c: multipliers of the first step of a run. For methods that leave p off the tangent
 * space they contain only part of an impulse. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "claims.h"

/* In the first step there is no impulse that compensates an earlier one: half of it is missing for shake,
 * 1/(2n) for the last of n parts. */
static void tests(void) {
  static const char *const methods[] = {"shake", "compose(rattle, shake)", "compose(shake, shake)",
                                        "compose(shake, rattle)"};
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
    OK(fabs(lambda - exact[0]) < 1e-2 * fabs(exact[0]),
       "%s: the multiplier of the first step is %.4g, at its start %.4g", methods[i], lambda,
       exact[0]);
    run_close(&r);
  }
  problem_close(x);
}

int main(int argc, char **argv) { return claims_main(&argc, &argv, tests); }
