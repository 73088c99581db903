/* thermostat.c: `make bench`, what noise costs: a step of rattle, of langevin(rattle) and of baoab in one
 * race, nanoseconds a lane, and the difference of the first two for each of the normal deviates of a step,
 * one a coordinate.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include "tools.h"

enum { LANES = 1024, STEPS = 2000, METHODS = 3 };
static const char *const methods[METHODS] = {
    "rattle", "langevin(rattle, friction=0.5, inverse-temperature=20)",
    "baoab(friction=0.5, inverse-temperature=20)"};

static cst_error race(const char *system, int isa) {
  cst_study *s = bench_members(system, "default", LANES, 0.05);
  bench_run  r[METHODS];
  for (int k = 0; k < METHODS; k++) {
    r[k] = (bench_run){.study = s,
                       .system = s->problem.system,
                       .method = methods[k],
                       .lanes = LANES,
                       .h = 0.02,
                       .steps = STEPS};
    CST_TRY(bench_run_create(&r[k], isa));
  }
  CST_TRY(bench_race(r, METHODS));
  printf("%-18s rattle %6.1f ns   langevin(rattle) %6.1f (%.2f)   baoab %6.1f (%.2f)   a normal "
         "deviate "
         "%5.1f ns\n",
         system, r[0].best, r[1].best, r[1].best / r[0].best, r[2].best, r[2].best / r[0].best,
         (r[1].best - r[0].best) / s->problem.system->nq);
  for (int k = 0; k < METHODS; k++)
    CST_TRY(bench_run_destroy(&r[k]));
  cst_study_destroy(s);
  return 0;
}

int main(int argc, char **argv) {
  int isa;
  CST_TRY(bench_open(&argc, &argv, &isa));
  CST_TRY(race("planar-pendulum", isa));
  CST_TRY(race("double-pendulum", isa));
  CST_TRY(race("heavy-top", isa));
  CST_TRY(race("henon-heiles", isa));
  CST_TRY(PetscFinalize());
  return 0;
}
