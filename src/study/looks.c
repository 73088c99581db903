/* looks.c: what a batch is looked at for on its way: folds of every quantity, windows of the drift, samples of the series. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>
#include "study/runner-internal.h"

static void run_tape(const cst_runner *r, const cst_tape *tape, const double *const *in, double *out, double *scratch) {
  static void (*const run[])(const cst_tape *, const double *const[128], double *, double *) = {
#define X(isa, w) cst_tape_run_##isa,
      CST_ISA_LIST(X)
#undef X
  };
  run[r->plan->isa](tape, in, out, scratch);
}

/* The user's expressions of one group; the scale of each is its own size. */
static void measure_expressions(cst_runner *r, int group, double t) {
  const cst_plan   *p = r->plan;
  const cst_system *s = p->study->system;
  const cst_layout *at = cst_stepper_layout(r->st);
  const double     *record = cst_runner_record(r, group), *in[128] = {0};
  const int         W = r->width;
  double           *v = r->scratch, *lambda = v + s->nq * W, *time = lambda + (s->ng + 1) * W, *rest = time + W;
  r->fold->velocities(cst_stepper_context(r->st), record, v);
  if (p->needs_lambda) cst_runner_lambda(r, r->st, record, r->b->step, lambda);
  for (int l = 0; l < W; l++) time[l] = t;
  in['c'] = record + at->c * W;
  in['q'] = record + at->q * W;
  in['v'] = v;
  in['l'] = lambda;
  in['t'] = time;
  for (int k = p->nbuiltin; k < p->nquantity; k++) {
    run_tape(r, p->quantity[k].tape, in, r->value + k * W, rest);
    for (int l = 0; l < W; l++) r->scale[k * W + l] = fabs(r->value[k * W + l]);
  }
}

static void measure(cst_runner *r, int group, cst_keep keep) {
  const cst_plan *p = r->plan;
  const double   *q0 = r->q0 + (size_t)group * (size_t)p->study->system->nq * (size_t)r->width;
  r->fold->measure(cst_stepper_context(r->st), cst_runner_record(r, group), q0, cst_runner_observers(r, group), keep, p->want, r->value,
                   r->scale);
  if (p->nquantity > p->nbuiltin) measure_expressions(r, group, (double)r->b->step * r->klass->h);
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
  const long now = r->b->step, n = r->klass->n;
  int        window = (int)((__int128)now * CST_WINDOWS / n);
  if (window > CST_WINDOWS - 1) window = CST_WINDOWS - 1;
  if (window != r->window && cst_study_needs(r->plan->study, CST_NEEDS_WINDOWS)) cst_runner_close_window(r);
  r->window = window;
  r->in_window++;
  r->folds++;
  for (int g = 0; g < r->b->groups; g++) {
    measure(r, g, now == 0 ? CST_KEEP_FIRST : CST_KEEP);
    r->fold->fold(r->plan->nquantity, r->value, r->scale, r->b->alive[g], now == 0, cst_runner_accumulators(r, g));
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
    measure(r, g, CST_KEEP_NOT);
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
      measure(r, g, CST_KEEP_NOT);
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
