/* frequencies.c: the collector `frequencies`: the frequencies of expressions along each trajectory, and of the two
 * halves of the run (statistics/spectrum.h).
 *
 * Samples at equal distances are kept in the rows, and analysed when the batch has ended: frequencies are refined on
 * all samples, so they cannot be summed on the way. The analysis is done here and not where results are read, so that
 * it has the same bits for any ranks, batches and interruptions, and columns.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "study/collect/frequencies.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "statistics/spectrum.h"
#include "study/collect/continue-rows.h"
#include "study/plan/clock.h"

/* clang-format off */
static const cst_channel_row samples = {"frequency-samples", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_frequencies_lines = {"/frequencies/%s", "1/time", "angular frequencies of the strongest lines, strongest first; NaN: there is none", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_frequencies_amplitudes = {"/frequencies/%s_amplitude", "1", "amplitudes of these lines", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
const cst_channel_row cst_frequencies_halves = {"/frequencies/%s_halves", "1/time", "angular frequency of the strongest line in the first and in the second half of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row starts[] = {
  {"/frequencies/start_q", "1", "coordinates at the start", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}},
  {"/frequencies/start_v", "1", "velocities at the start", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}},
};
/* clang-format on */

/* ---- the plan -------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return cst_frequencies_of(p)->n > 0; }

/* The most samples of a trajectory. */
static long most_samples(const cst_plan *p, const cst_frequency *x) {
  long most = 0;
  for (int k = 0; k < p->nclass; k++)
    most = CST_LARGER(most, cst_sampled_count(&p->classes[k], x->every));
  return most;
}

static long numbers_of(const cst_plan *p, const cst_frequency *x) {
  return most_samples(p, x) * x->expressions.n;
}

/* Samples of either half, which share one if there is one in the middle. */
static long half_of(long n) { return (n - 1) / 2 + 1; }

/* Nanoseconds of a trajectory: lines of the whole and of the halves. */
static double analysis(const cst_frequency *x, long n) {
  return (double)x->terms * cst_spectrum_cost(n) + 2 * cst_spectrum_cost(half_of(n));
}

static cst_demand demand(const cst_plan *p) {
  const cst_frequencies *w = cst_frequencies_of(p);
  cst_demand             all = {0};
  for (int k = 0; k < w->n && p->nclass; k++) {
    const cst_class *class = &p->classes[0];
    const double n = (double)cst_sampled_count(class, w->each[k].every);
    const double observations = (double)(class->n / class->observe + 1);
    cst_demand   one = {0};
    cst_values_demand(p, &w->each[k].expressions, &one);
    all.lambda |= one.lambda;
    all.ends += analysis(&w->each[k], (long)n);
    all.nanoseconds += (one.nanoseconds * n + analysis(&w->each[k], (long)n)) / observations;
  }
  return all;
}

static double bytes(const cst_plan *p, long batch) {
  const cst_frequencies *w = cst_frequencies_of(p);
  double                 sum = 0;
  (void)batch;
  for (int k = 0; k < w->n; k++) {
    const long n = most_samples(p, &w->each[k]);
    sum += 1.25 * (cst_spectrum_bytes(n) + cst_spectrum_bytes(half_of(n)));
  }
  return sum;
}

static void tell(const cst_plan *p, FILE *out) {
  static const double    pi = 3.14159265358979323846;
  const cst_frequencies *w = cst_frequencies_of(p);
  for (int k = 0; k < w->n; k++) {
    const cst_frequency *x = &w->each[k];
    const long           n = most_samples(p, x);
    fprintf(out,
            "%-14s %s: %s%s%s, %ld samples (%.3g kB per trajectory), to %.4g in steps of %.2g\n",
            k ? "" : "frequencies", x->name, x->text[0], x->text[1] ? " + i " : "",
            x->text[1] ? x->text[1] : "", n, 8e-3 * (double)numbers_of(p, x), pi / x->every,
            2 * pi / (x->every * (double)(n - 1)));
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[CST_FREQUENCIES_HALVES] = {"first", "second"};
  const cst_frequencies   *w = cst_frequencies_of(p);
  if (!w->n)
    return;
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &samples, k,
                     (cst_channel_use){.count = (size_t)numbers_of(p, &w->each[k])});
  for (int k = 0; k < 2; k++)
    cst_channels_add(c, &starts[k], 0, (cst_channel_use){0});
  const int half =
      cst_channels_axis(c, "first and second half of the run", CST_FREQUENCIES_HALVES, "half");
  cst_channels_label(c, half, names);
  const cst_channel_row *const rows[] = {&cst_frequencies_lines, &cst_frequencies_amplitudes};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < w->n; k++) {
      const int axis =
          cst_channels_axis(c, "line of a signal", w->each[k].terms, "%.32s_line", w->each[k].name);
      cst_channels_add(c, rows[i], k, (cst_channel_use){.name = w->each[k].name, .axis = axis});
    }
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &cst_frequencies_halves, k,
                     (cst_channel_use){.name = w->each[k].name, .axis = half});
}

/* Samples that both runs have are kept. */
static void go_on(const cst_continued *x) {
  const cst_frequencies *w = cst_frequencies_of(x->now->plan);
  for (int k = 0; k < w->n; k++) {
    const cst_frequency *f = &w->each[k];
    const double        *was = cst_continued_was(x, &samples, k);
    double              *made = cst_continued_made(x, &samples, k);
    const long           n = cst_sampled_count(x->from, f->every) * f->expressions.n;
    memset(made, 0, sizeof *made * (size_t)numbers_of(x->now->plan, f));
    memcpy(made, was, sizeof *made * (size_t)n);
  }
}

static const cst_reuse reuse = {.go_on = go_on};

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_values now;
  double    *kept;              /* into the rows, [group][sample][part][W] */
  long       numbers, steps, n; /* of a lane in the rows; of the class: between samples; samples */
  cst_spectrum *whole, *half;
  double       *re, *im; /* [n] */
} one;

typedef struct {
  one each[CST_FREQUENCIES_MOST];
} own;

static void create(cst_collection *x) {
  own                   *o = x->own;
  cst_runner            *r = x->run;
  const cst_frequencies *w = cst_frequencies_of(r->plan);
  for (int k = 0; k < w->n; k++) {
    const long most = most_samples(r->plan, &w->each[k]);
    o->each[k] = (one){.now = cst_values_create(r, &w->each[k].expressions),
                       .kept = cst_rows_numbers(r->rows, &samples, k, 0),
                       .numbers = numbers_of(r->plan, &w->each[k]),
                       .re = cst_zeros(most, sizeof(double)),
                       .im = cst_zeros(most, sizeof(double))};
  }
}

static void forget_class(one *x) {
  cst_spectrum_destroy(x->whole);
  cst_spectrum_destroy(x->half);
  x->whole = x->half = NULL;
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  for (int k = 0; k < cst_frequencies_of(x->run->plan)->n; k++) {
    cst_values_destroy(&o->each[k].now);
    forget_class(&o->each[k]);
    free(o->each[k].re);
    free(o->each[k].im);
  }
}

/* The starts of the trajectories, the axes of maps. */
static void set_starts(const cst_runner *r) {
  const long nq = r->plan->study->system->nq, W = r->width;
  for (int k = 0; k < 2; k++)
    for (long l = 0; l < r->work->count; l++) {
      const double *from = (k ? r->v0 : r->q0) + l / W * nq * W + l % W;
      double       *to = cst_rows_numbers(r->rows, &starts[k], 0, l);
      for (long i = 0; i < nq; i++)
        to[i] = from[i * W];
    }
}

static void begin(cst_collection *x) {
  own                   *o = x->own;
  cst_runner            *r = x->run;
  const cst_frequencies *w = cst_frequencies_of(r->plan);
  set_starts(r);
  for (int k = 0; k < w->n; k++) {
    one       *at = &o->each[k];
    const long n = cst_sampled_count(r->class, w->each[k].every);
    at->steps = cst_sampled_steps(r->class, w->each[k].every);
    memset(at->kept, 0, sizeof(double) * (size_t)(r->b->groups * r->width) * (size_t)at->numbers);
    if (n != at->n)
      forget_class(at);
    at->n = n;
  }
}

static long next(const cst_collection *x, long step) {
  const own *o = x->own;
  long       next = LONG_MAX;
  for (int k = 0; k < cst_frequencies_of(x->run->plan)->n && !x->run->replayed; k++)
    next = CST_SMALLER(next, cst_runner_next_multiple(step, o->each[k].steps, 0));
  return next;
}

static void take(const one *x, cst_runner *r, long sample) {
  const size_t n = (size_t)x->now.n * (size_t)r->width;
  for (int g = 0; g < r->b->groups; g++) {
    double *to = x->kept + (size_t)g * (size_t)x->numbers * (size_t)r->width;
    cst_sampled_look(&x->now, r, g);
    memcpy(to + (size_t)sample * n, x->now.value, sizeof(double) * n);
  }
}

static cst_error stop(cst_collection *x) {
  const own  *o = x->own;
  cst_runner *r = x->run;
  for (int k = 0; k < cst_frequencies_of(r->plan)->n && !r->replayed; k++)
    if (r->b->step % o->each[k].steps == 0)
      take(&o->each[k], r, r->b->step / o->each[k].steps);
  return 0;
}

/* The samples of a lane, one after the other. */
static void gather(const one *x, const cst_runner *r, long lane) {
  const long    W = r->width, parts = x->now.n;
  const double *from = x->kept + lane / W * x->numbers * W + lane % W;
  for (long j = 0; j < x->n; j++) {
    x->re[j] = from[j * parts * W];
    x->im[j] = parts > 1 ? from[(j * parts + 1) * W] : 0;
  }
}

static void analyse(const one *x, const cst_runner *r, int which, long lane) {
  const cst_frequency *f = &cst_frequencies_of(r->plan)->each[which];
  const double         spacing = cst_clock_at(r->class, (double)x->steps);
  const long           half = half_of(x->n);
  double              *lines = cst_rows_numbers(r->rows, &cst_frequencies_lines, which, lane);
  double              *sizes = cst_rows_numbers(r->rows, &cst_frequencies_amplitudes, which, lane);
  double              *halves = cst_rows_numbers(r->rows, &cst_frequencies_halves, which, lane);
  const bool           real = f->expressions.n == 1;
  cst_line             found[64];
  gather(x, r, lane);
  cst_spectrum_lines(x->whole, x->re, real ? NULL : x->im, spacing, (int)f->terms, found);
  for (long i = 0; i < f->terms; i++) {
    lines[i] = found[i].frequency;
    sizes[i] = found[i].amplitude;
  }
  for (int i = 0; i < CST_FREQUENCIES_HALVES; i++) {
    const long from = i ? x->n - half : 0;
    cst_spectrum_lines(x->half, x->re + from, real ? NULL : x->im + from, spacing, 1, found);
    halves[i] = found[0].frequency;
  }
}

/* A trajectory that did not reach the end has no frequencies. */
static void leave(const cst_runner *r, int which, long lane) {
  static const cst_channel_row *const rows[] = {&cst_frequencies_lines, &cst_frequencies_amplitudes,
                                                &cst_frequencies_halves};
  const long                          terms = cst_frequencies_of(r->plan)->each[which].terms;
  const long                          count[] = {terms, terms, CST_FREQUENCIES_HALVES};
  for (int k = 0; k < 3; k++)
    for (long i = 0; i < count[k]; i++)
      cst_rows_numbers(r->rows, rows[k], which, lane)[i] = NAN;
}

static cst_error finish(cst_collection *x) {
  own        *o = x->own;
  cst_runner *r = x->run;
  for (int k = 0; k < cst_frequencies_of(r->plan)->n; k++) {
    one      *at = &o->each[k];
    const int power = (int)cst_frequencies_of(r->plan)->each[k].window;
    if (!at->whole) {
      at->whole = cst_spectrum_create(at->n, power);
      at->half = cst_spectrum_create(half_of(at->n), power);
    }
    for (long l = 0; l < r->work->count; l++)
      if (cst_runner_lives(r, r->b, l))
        analyse(at, r, k, l);
      else
        leave(r, k, l);
  }
  return 0;
}

const cst_collector cst_collector_frequencies = {
    .name = "frequencies",
    .doc = "frequencies of expressions",
    .keys = cst_frequencies_keys,
    .wish = sizeof(cst_frequencies),
    .read = cst_frequencies_read,
    .forget = cst_frequencies_forget,
    .demand = demand,
    .bytes = bytes,
    .tell = tell,
    .declare = declare,
    .reuse = &reuse,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .next = next,
    .stop = stop,
    .finish = finish,
    .columns = cst_frequencies_columns,
    .conclude = cst_frequencies_conclude,
    .figures = "frequencies",
};
