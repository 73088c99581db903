/* progress.c: how much of a run is done (see progress.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/run/progress.h"
#include <math.h>

static double planned(const cst_progress *p) { return p->phase < 0 ? 0 : p->planned[p->phase]; }

/* Of the current phase; one without work takes no time that counts. */
static double spent(const cst_progress *p, double now) {
  return planned(p) > 0 ? now - p->begun : 0;
}

void cst_progress_enter(cst_progress *p, cst_phase phase, double now, double work) {
  p->passed += spent(p, now);
  p->phase = (int)phase;
  p->begun = now;
  p->work = work;
}

/* Seconds of the whole current phase, of which a share is done. */
static double whole(const cst_progress *p, double now, double share) {
  return share > 0 ? spent(p, now) / share : spent(p, now) + planned(p);
}

cst_progress_told cst_progress_tell(const cst_progress *p, double now, double work) {
  const double share = planned(p) > 0 ? fmin((work - p->work) / planned(p), 1) : 0;
  const double phase = whole(p, now, share);
  const double done = p->passed + share * phase;
  double       all = p->passed + phase;
  for (int k = p->phase + 1; k < CST_PHASES; k++)
    all += p->planned[k];
  const double mine = all > 0 ? done / all : 0;
  return (cst_progress_told){p->before + (1 - p->before) * mine, all - p->passed - spent(p, now)};
}
