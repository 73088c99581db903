/* looks.c: what a batch is looked at for on its way: folds of every quantity, windows of the drift, samples of the series. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/runner-internal.h"

/* What is seen of a group now. */
static cst_view see(cst_runner *r, int group, cst_keep keep) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->system;
  const double     *record = cst_runner_record(r, group);
  const int         W = r->width;
  double           *v = r->scratch, *lambda = v + s->nq * W, *time = lambda + (s->ng + 1) * W;
  r->fold->velocities(cst_stepper_context(r->st), record, v);
  if (p->needs_lambda) cst_runner_lambda(r, r->st, record, r->b->step, lambda);
  for (int l = 0; l < W; l++) time[l] = (double)r->b->step * r->klass->h;
  return (cst_view){.context = cst_stepper_context(r->st),
                    .record = record,
                    .q0 = r->q0 + (size_t)group * (size_t)s->nq * (size_t)W,
                    .v = v,
                    .lambda = lambda,
                    .time = time,
                    .scratch = time + W,
                    .isa = p->isa,
                    .alive = r->b->alive[group],
                    .keep = keep,
                    .freedom = p->freedom[r->klass->method]};
}

cst_view cst_runner_measure(cst_runner *r, int group, cst_keep keep) {
  const int      W = r->width;
  const cst_view view = see(r, group, keep);
  for (int k = 0; k < r->plan->nlook; k++) {
    const cst_look *look = &r->plan->look[k];
    double         *value = r->value + look->first * W, *scale = r->scale + look->first * W;
    if (look->wanted)
      r->measure[k](look, &view, cst_runner_observer(r, k, group), value, scale);
    else
      for (int i = 0; i < look->count * W; i++) value[i] = NAN, scale[i] = 1;
  }
  return view;
}

/* Close the window that ends here: means of the living lanes, sums back to zero. */
void cst_runner_close_window(cst_runner *r) {
  const int W = r->width;
  for (int k = 0; k < r->plan->nquantity; k++) {
    double *window = cst_rows_numbers(r->rows, CST_CHANNEL_WINDOWS, k, 0);
    for (int g = 0; g < r->b->groups; g++) {
      double *sum = cst_runner_accumulators(r, g) + (k * CST_SLOTS + CST_SLOT_SUM) * W;
      for (int l = 0; l < W && window; l++)
        if (r->b->alive[g] >> l & 1 && r->in_window) window[(g * W + l) * CST_WINDOWS + r->window] = sum[l] / (double)r->in_window;
      memset(sum, 0, (size_t)W * sizeof *sum);
    }
  }
  r->in_window = 0;
}

void cst_runner_fold(cst_runner *r) {
  const cst_plan *p = r->plan;
  const long      now = r->b->step, n = r->klass->n;
  int             window = (int)((__int128)now * CST_WINDOWS / n);
  if (window > CST_WINDOWS - 1) window = CST_WINDOWS - 1;
  if (window != r->window && cst_study_needs(p->study, CST_NEEDS_WINDOWS)) cst_runner_close_window(r);
  r->window = window;
  r->in_window++;
  r->folds++;
  for (int g = 0; g < r->b->groups; g++) {
    const cst_view view = cst_runner_measure(r, g, now == 0 ? CST_KEEP_FIRST : CST_KEEP);
    r->fold->fold(p->nquantity, r->value, r->scale, r->b->alive[g], now == 0, cst_runner_accumulators(r, g));
    if (p->study->averages && now >= r->klass->after) cst_runner_collect(r, g, &view);
  }
}

/* Bits of the lanes of a group that lie in [from, to). */
static int lanes_between(const cst_runner *r, int group, long from, long to) {
  int bits = 0;
  for (int l = 0; l < r->width; l++) bits |= (group * r->width + l >= from && group * r->width + l < to) << l;
  return bits;
}

/* Single members: |x - x(0)| goes straight into the row of its case. */
static void sample_single(cst_runner *r, int sample) {
  const cst_plan *p = r->plan;
  for (int g = 0; g < r->b->groups; g++) {
    cst_runner_measure(r, g, CST_KEEP_NOT);
    for (int l = 0; l < r->width && g * r->width + l < r->work->count; l++)
      for (int k = 0; k < p->nquantity; k++) {
        double  x = fabs(r->value[k * r->width + l] - cst_runner_accumulators(r, g)[(k * CST_SLOTS + CST_SLOT_START) * r->width + l]);
        double *samples = cst_rows_numbers(r->rows, CST_CHANNEL_SAMPLES, 0, g * r->width + l);
        samples[k * p->most_samples + sample] = r->b->alive[g] >> l & 1 ? x : NAN;
      }
  }
}

static void sample_members(cst_runner *r, int sample) {
  const cst_plan *p = r->plan;
  const long      members = p->study->members;
  for (long at = 0; at < r->work->count;) { /* one case after the other */
    long lane = r->work->first + at, to = PetscMin(r->work->count, at + members - lane % members);
    memset(r->bins, 0, (size_t)(p->nquantity * CST_BINS * r->width) * sizeof *r->bins);
    memset(r->top, 0, (size_t)(p->nquantity * r->width) * sizeof *r->top);
    memset(r->count, 0, (size_t)(p->nquantity * r->width) * sizeof *r->count);
    for (int g = (int)(at / r->width); g * r->width < to; g++) {
      cst_runner_measure(r, g, CST_KEEP_NOT);
      r->fold->accumulate(p->nquantity, r->value, cst_runner_accumulators(r, g), r->b->alive[g] & lanes_between(r, g, at, to), r->bins,
                          r->top, r->count);
    }
    cst_series_add(r->series, r->klass->cases[lane / members], sample, r->width, r->bins, r->top, r->count);
    at = to;
  }
}

void cst_runner_sample(cst_runner *r) {
  if (r->plan->study->members == 1)
    sample_single(r, r->next_sample);
  else
    sample_members(r, r->next_sample);
  r->next_sample++;
}
