/* reference-quad.c: the reference of one member in quadruple precision, rounded where it is read. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include "method/method.h"
#include "study/motion.h"
#include "study/run.h"

static int stages(const cst_method *m) { return (int)cst_method_root(m)->arg[0]->number; }

/* q, p, lambda of the motion at its time, one behind the other; room[2 nq + ng]. */
static void round_state(const cst_system *s, const double *c, cst_motion *m, __float128 *room, double *to) {
  cst_motion_state(m, room, NULL, room + s->nq, room + 2 * s->nq);
  for (int i = 0; i < 2 * s->nq + s->ng; i++) to[i] = (double)room[i];
  if (s->dropped) cst_system_least_norm(s, c, to, to + 2 * s->nq);
}

void cst_reference_quad(const cst_study *s, int variant, const double *q0, const double *v0, const double *time, int n, double *to,
                        size_t stride) {
  const cst_system *sys = s->system;
  const double     *c = s->parameter + (size_t)variant * (size_t)sys->npar;
  const int         row = 2 * sys->nq + sys->ng;
  cst_motion       *m = cst_motion_create(sys, stages(s->reference_method), c, q0, v0);
  __float128       *room = calloc((size_t)row, sizeof *room);
  bool              good = true;
  double            now = 0;
  if (!room) abort();
  for (int i = 0; i < n; i++) {
    const double span = time[i] - now;
    const long   steps = cst_reference_steps(s, span);
    if (span > 0) good = good && cst_motion_advance(m, ((__float128)time[i] - now) / steps, steps);
    now = time[i];
    if (good) round_state(sys, c, m, room, to);
    for (int k = 0; k < row && !good; k++) to[k] = NAN;
    to += stride;
  }
  free(room);
  cst_motion_destroy(m);
}
