/* stepper-clock.c: the lengths of the steps of a stepper's lanes, and their times. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "method/stepper-internal.h"

void cst_stepper_set_resolution(cst_stepper *st, double resolution) { st->resolution = resolution; }

static void set_noise(cst_stepper *st, double h) {
  const double ratio = st->resolution > 0 ? fabs(h) / st->resolution : 1;
  const long   increments = CST_LARGER(1, lround(ratio));
  for (int i = 0; i < st->nnoise; i++) {
    cst_stepper_noise *x = &st->noise[i];
    x->kick.row->noise(x->kick.data, st->isa, h, increments, &x->noise);
  }
}

/* The step h of lane l in the marches. */
static void give_step(cst_stepper *st, int l, double h) {
  double start = 0;
  for (int i = 0; i < st->nsegment; i++) {
    cst_segment       *g = &st->segment[i];
    const cst_substep *step = &st->program->step[g->first];
    for (int j = 0; j < g->march.nsub; j++) {
      cst_lane_substep *to = &g->sub[j];
      const bool        takes_time = !(step[j].row->features & CST_TAKES_NO_TIME);
      to->h[l] = step[j].fraction * h;
      to->start[l] = start;
      to->whole[l] = h;
      if (takes_time)
        start += to->h[l];
    }
  }
}

static void give_time(cst_stepper *st, int l, double time, long step) {
  for (int i = 0; i < st->nsegment; i++) {
    st->segment[i].march.time[l] = time;
    st->segment[i].march.since[l] = step;
  }
}

void cst_stepper_give_steps(cst_stepper *st, int set) {
  for (int l = 0; l < st->width && st->apart && set; l++) {
    const int from = set >> l & 1 ? l : __builtin_ctz((unsigned)set);
    give_step(st, l, st->h_of[from]);
    give_time(st, l, st->time_of[from], st->since_of[from]);
  }
}

void cst_stepper_set_step(cst_stepper *st, double h) {
  st->apart = false;
  st->h = h;
  set_noise(st, h);
  for (int l = 0; l < CST_W_MAX; l++) {
    st->h_of[l] = h;
    give_step(st, l, h);
  }
}

void cst_stepper_set_time(cst_stepper *st, double time, long step) {
  for (int l = 0; l < CST_W_MAX; l++) {
    st->time_of[l] = time;
    st->since_of[l] = step;
    give_time(st, l, time, step);
  }
}

bool cst_stepper_varies(const cst_stepper *st) { return st->nnoise == 0 && !(st->mean > 0); }

cst_error cst_stepper_set_steps(cst_stepper *st, const double *h, const double *time,
                                const long *step) {
  CST_CHECK(cst_stepper_varies(st), MPI_COMM_SELF, CST_ERR_SUP,
            "lanes with noise, or with averaged multipliers, have one step");
  st->apart = true;
  st->h = h[0];
  memcpy(st->h_of, h, (size_t)st->width * sizeof *h);
  memcpy(st->time_of, time, (size_t)st->width * sizeof *time);
  memcpy(st->since_of, step, (size_t)st->width * sizeof *step);
  cst_stepper_give_steps(st, (1 << st->width) - 1);
  return 0;
}
