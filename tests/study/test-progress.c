/* test-progress.c: what a run says of its progress is one number, that of the time that is left: the plan counts for phases
 * to come, the pace for the current one, and what was taken for those before. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdbool.h>
#include "study/run/coordinator.h"
#include "tap.h"

/* Whether share and time left are these and fit each other: this run has taken `spent` seconds for what it has
 * done of the study. */
static bool tells(const cst_progress *p, double now, double work, double spent, double left) {
  const cst_progress_told x = cst_progress_tell(p, now, work);
  const double            share = p->before + (1 - p->before) * spent / (spent + left);
  return fabs(x.left - left) < 1e-9 && fabs(x.share - share) < 1e-9;
}

int main(void) {
  cst_progress p = {
      .planned = {[CST_PHASE_REFERENCE] = 10, [CST_PHASE_STEPS] = 1, [CST_PHASE_CONCLUSIONS] = 75},
      .phase = -1};
  OK(tells(&p, 3, 0, 0, 86), "before the first phase the plan counts");
  cst_progress_enter(&p, CST_PHASE_REFERENCE, 100, 0);
  OK(tells(&p, 102, 5, 2, 2 + 76), "half of the reference took 2 s of the 10 of the plan");
  cst_progress_enter(&p, CST_PHASE_STEPS, 104, 10);
  OK(cst_progress_tell(&p, 104, 10).share == 4. / (4 + 1 + 75), "then it counts as 4 s");
  OK(tells(&p, 112, 10.5, 4 + 8, 8 + 75), "steps take 16 s in place of 1");
  cst_progress_enter(&p, CST_PHASE_REPLAY, 120, 11);
  cst_progress_enter(&p, CST_PHASE_CONCLUSIONS, 125, 11);
  OK(tells(&p, 127, 11 + 50, 20 + 2, 1),
     "a phase without work does not count, conclusions take 3 s in place of 75");
  OK(cst_progress_tell(&p, 128, 11 + 75).share == 1, "all is done");
  p = (cst_progress){.planned = {[CST_PHASE_STEPS] = 60}, .before = 0.4, .phase = -1};
  cst_progress_enter(&p, CST_PHASE_STEPS, 0, 0);
  OK(tells(&p, 10, 15, 10, 30), "after what earlier runs have done");
  OK(cst_progress_tell(&p, 10, 0).share == 0.4, "nothing more is done before the first report");
  return tap_done();
}
