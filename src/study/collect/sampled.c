/* sampled.c: expressions at equal distances in time (see sampled.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/sampled.h"
#include <math.h>
#include "study/plan/clock.h"

bool cst_sampled_divides(double every, double h) {
  const double n = round(every / h);
  return n >= 1 && fabs(n * h - every) <= 1e-9 * every;
}

static bool check_step(cst_reader *r, cst_yaml *n, double every, int variant) {
  const cst_study *s = r->s;
  for (int i = 0; i < s->nstep; i++) {
    const double h = s->step[variant * s->nstep + i];
    if (cst_sampled_divides(every, h))
      continue;
    cst_yaml_error(r->doc, n, r->d, "'every' is %s, which is no multiple of the step %s%s",
                   cst_reader_shortest(every), cst_reader_shortest(h), cst_reader_with(r, variant));
    return false;
  }
  return true;
}

bool cst_sampled_read(cst_reader *r, cst_yaml *map, const char *in, double *every) {
  cst_yaml *n = cst_reader_required(r, map, in, "every");
  bool      good = true;
  if (!cst_reader_number(r, n, "every", every))
    return false;
  if (!(*every > 0)) {
    cst_yaml_error(r->doc, n, r->d, "'every' is %s; it must be above 0",
                   cst_reader_shortest(*every));
    return false;
  }
  for (int v = 0; r->s->step && v < r->s->nvariant && good; v++)
    good = check_step(r, n, *every, v);
  return good;
}

long cst_sampled_most(const cst_study *s, double every) {
  double most = 0;
  for (int v = 0; s->step && v < s->nvariant; v++)
    most = fmax(most, floor(s->end[v] / every * (1 + 1e-9)) + 1);
  return (long)fmin(most, 0x1p62);
}

long cst_sampled_steps(const cst_class *k, double every) { return lround(every / k->h); }

long cst_sampled_count(const cst_class *k, double every) {
  return k->n / cst_sampled_steps(k, every) + 1;
}

/* Of lanes that have ended there are no values: what is there has those of their neighbours. */
static void clear_ended(const cst_values *x, int alive, int W) {
  for (int dead = ~alive & ((1 << W) - 1); dead; dead &= dead - 1)
    for (int i = 0; i < x->n; i++)
      x->value[i * W + __builtin_ctz((unsigned)dead)] = 0;
}

void cst_sampled_look(const cst_values *x, cst_runner *r, int group) {
  const double *record = cst_runner_record(r, group);
  const double  t = cst_clock_at(r->class, (double)r->b->step);
  for (int l = 0; l < r->width; l++)
    r->meter.time[l] = t;
  if (x->v)
    r->meter.fold->velocities(cst_stepper_context(r->st), record, r->meter.scratch);
  if (x->lambda)
    cst_runner_lambda(r, r->st, record, r->b->step, r->lambda);
  cst_values_look(x, &(cst_view){.context = cst_stepper_context(r->st),
                                 .record = record,
                                 .v = r->meter.scratch,
                                 .lambda = r->lambda,
                                 .time = r->meter.time,
                                 .isa = r->plan->isa,
                                 .alive = r->b->alive[group]});
  clear_ended(x, r->b->alive[group], r->width);
}
