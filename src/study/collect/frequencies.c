/* frequencies.c: the collector `frequencies`: the frequencies of expressions along each trajectory, and of the two
 * halves of the run (statistics/spectrum.h).
 *
 * Samples at equal distances are kept in the rows, and analysed when the batch has ended: frequencies are refined on
 * all samples, so they cannot be summed on the way. The analysis is done here and not where results are read, so that
 * it has the same bits for any ranks, batches and interruptions, and columns.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "statistics/spectrum.h"
#include "study/channels/channels.h"
#include "study/collect/continue-rows.h"
#include "study/collect/expressions.h"
#include "study/result/case-rows.h"
#include "study/result/parts.h"

enum { MOST = 16, HALVES = 2 };

typedef struct {
  cst_named       named; /* one expression, or two, with the imaginary part */
  cst_expressions imaginary;
  double          every;
  long            terms, window;
} frequency;

static const cst_named_list *request_of(const cst_plan *p) {
  return p->study->collected[CST_COLLECTOR(frequencies)];
}

static const frequency *frequency_of(const cst_plan *p, int k) {
  return (const frequency *)request_of(p)->each + k;
}

/* ---- the study file -------------------------------------------------------------------------- */

enum { LEAST_SAMPLES = 32, MOST_SAMPLES = 1 << 16 };

/* clang-format off */
static const cst_key keys[] = {
    {"", "frequencies", CST_KEYS_ALL, "list of maps", "none", "", "frequencies: [{name: nu, expression: x, every: 0.1}]", "Frequencies of expressions along each trajectory, and of the two halves of the run, by windowed Fourier analysis (docs/frequencies.md)."},
    {"frequencies", "name", CST_KEYS_ALL, NULL, NULL, "", "frequencies: [{name: swing, expression: x, every: 0.1}]", "Name of its datasets and columns.",
     .value = {CST_VALUE_NAME, CST_AT(frequency, named.name), .of = "a frequency"}},
    {"frequencies", "expression", CST_KEYS_ALL, NULL, NULL, "", "frequencies: [{name: nu, expression: \"x*y\", every: 0.1}]", "The signal, as in `observables`.",
     .value = {CST_VALUE_EXPRESSION, CST_AT(frequency, named.expressions)}},
    {"frequencies", "imaginary", CST_KEYS_ALL, NULL, "none: the signal is real", "", "frequencies: [{name: nu, expression: x, imaginary: \"-x'\", every: 0.1}]", "The imaginary part of a complex signal, as q - i p: its frequencies have a sign.",
     .value = {CST_VALUE_EXPRESSION, CST_AT(frequency, imaginary)}},
    {"frequencies", "every", CST_KEYS_ALL, NULL, NULL, "time", "frequencies: [{name: nu, expression: x, every: 0.1}]", "Time between samples, a multiple of every step; 32 to 65536 samples in a run. Frequencies are below pi/every.",
     .value = {CST_VALUE_NUMBER, CST_AT(frequency, every), 0, CST_NO_LIMIT, .above = true}},
    {"frequencies", "terms", CST_KEYS_ALL, NULL, "1", "", "frequencies: [{name: nu, expression: x, every: 0.1, terms: 3}]", "Lines that are taken, the strongest first.",
     .value = {CST_VALUE_INTEGER, CST_AT(frequency, terms), 1, 16}},
    {"frequencies", "window", CST_KEYS_ALL, NULL, "1", "", "frequencies: [{name: nu, expression: x, every: 0.1, window: 2}]", "Power p of Hann's window: errors decrease as T^-(2p + 2), and lines have to be further apart.",
     .value = {CST_VALUE_INTEGER, CST_AT(frequency, window), 1, 5}},
    {0},
};
/* clang-format on */

static void check_samples(cst_reader *r, cst_yaml *n, double every) {
  const long samples = cst_sampled_most(r->s, every);
  if (samples && (samples < LEAST_SAMPLES || samples > MOST_SAMPLES))
    cst_yaml_error(r->doc, n, r->d,
                   "'every' is %s, which gives %ld samples in a run; allowed are %d to %d",
                   cst_reader_shortest(every), samples, LEAST_SAMPLES, MOST_SAMPLES);
}

/* The imaginary part becomes the second expression. */
static void add_imaginary(frequency *x) {
  cst_expressions *signal = &x->named.expressions;
  signal->node = cst_need(realloc(signal->node, sizeof *signal->node * 2));
  signal->node[signal->n++] = x->imaginary.node[0];
}

static void check_one(cst_reader *r, cst_yaml *n, const char *label, bool sound, void *entry) {
  frequency *x = entry;
  (void)label;
  if (sound && x->imaginary.n)
    add_imaginary(x);
  if (cst_sampled_check(r, cst_yaml_get(n, "every"), x->every))
    check_samples(r, cst_yaml_get(n, "every"), x->every);
}

static void forget(void *entry) { cst_reader_forget(&((frequency *)entry)->imaginary); }

static const cst_named_key frequencies = {.key = "frequencies",
                                          .what = "a frequency",
                                          .plural = true,
                                          .map = "{name: ..., expression: ..., every: ...}",
                                          .more = ", and optionally imaginary, terms and window",
                                          .most = MOST,
                                          .size = sizeof(frequency),
                                          .read = check_one,
                                          .forget = forget};

static void read(cst_reader *r, void *request) { cst_named_read(&frequencies, r, request); }

/* ---- channels -------------------------------------------------------------------------------- */

/* clang-format off */
static const cst_channel_row samples = {"frequency-samples", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT | CST_IS_IN_LANES, {CST_AXIS_NONE}, {0}};

/* /frequencies/NAME, NAME_amplitude [case][member][term], NAME_halves [case][member][half]. */
static const cst_channel_row lines_row = {"/frequencies/%s", "1/time", "angular frequencies of the strongest lines, strongest first; NaN: there is none", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row amplitudes_row = {"/frequencies/%s_amplitude", "1", "amplitudes of these lines", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {true, 0, CST_MOST_OF_TYPE, false, true, NULL}};
static const cst_channel_row halves_row = {"/frequencies/%s_halves", "1/time", "angular frequency of the strongest line in the first and in the second half of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row starts[] = {
  {"/frequencies/start_q", "1", "coordinates at the start", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}},
  {"/frequencies/start_v", "1", "velocities at the start", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_COORDINATE, CST_AXIS_NONE}, {0}},
};
/* clang-format on */

/* ---- the plan -------------------------------------------------------------------------------- */

static bool wanted(const cst_plan *p) { return request_of(p)->n > 0; }

/* The most samples of a trajectory. */
static long most_samples(const cst_plan *p, const frequency *x) {
  long most = 0;
  for (int k = 0; k < p->nclass; k++)
    most = CST_LARGER(most, cst_sampled_count(&p->classes[k], x->every));
  return most;
}

static long numbers_of(const cst_plan *p, const frequency *x) {
  return most_samples(p, x) * x->named.expressions.n;
}

/* Samples of either half, which share one if there is one in the middle. */
static long half_of(long n) { return (n - 1) / 2 + 1; }

/* Nanoseconds of a trajectory: lines of the whole and of the halves. */
static double analysis(const frequency *x, long n) {
  return (double)x->terms * cst_spectrum_cost(n) + 2 * cst_spectrum_cost(half_of(n));
}

static cst_demand demand(const cst_plan *p) {
  const cst_named_list *w = request_of(p);
  cst_demand            all = {0};
  for (int k = 0; k < w->n && p->nclass; k++) {
    const cst_class *class = &p->classes[0];
    const frequency *x = frequency_of(p, k);
    const double     n = (double)cst_sampled_count(class, x->every);
    const double     observations = (double)(class->n / class->observe + 1);
    cst_demand       one = {0};
    cst_values_demand(p, &x->named.expressions, &one);
    all.lambda |= one.lambda;
    all.ends += analysis(x, (long)n);
    all.nanoseconds += (one.nanoseconds * n + analysis(x, (long)n)) / observations;
  }
  return all;
}

static double bytes(const cst_plan *p, long batch) {
  const cst_named_list *w = request_of(p);
  double                sum = 0;
  (void)batch;
  for (int k = 0; k < w->n; k++) {
    const long n = most_samples(p, frequency_of(p, k));
    sum += 1.25 * (cst_spectrum_bytes(n) + cst_spectrum_bytes(half_of(n)));
  }
  return sum;
}

static void tell(const cst_plan *p, FILE *out) {
  static const double   pi = 3.14159265358979323846;
  const cst_named_list *w = request_of(p);
  for (int k = 0; k < w->n; k++) {
    const frequency *x = frequency_of(p, k);
    const long       n = most_samples(p, x);
    fprintf(out,
            "%-14s %s: %s%s%s, %ld samples (%.3g kB per trajectory), to %.4g in steps of %.2g\n",
            k ? "" : "frequencies", x->named.name, x->named.expressions.text,
            x->imaginary.text ? " + i " : "", x->imaginary.text ? x->imaginary.text : "", n,
            8e-3 * (double)numbers_of(p, x), pi / x->every, 2 * pi / (x->every * (double)(n - 1)));
  }
}

static void declare(const cst_plan *p, cst_channels *c) {
  static const char *const names[HALVES] = {"first", "second"};
  const cst_named_list    *w = request_of(p);
  if (!w->n)
    return;
  for (int k = 0; k < w->n; k++)
    cst_channels_add(c, &samples, k,
                     (cst_channel_use){.count = (size_t)numbers_of(p, frequency_of(p, k))});
  for (int k = 0; k < 2; k++)
    cst_channels_add(c, &starts[k], 0, (cst_channel_use){0});
  const int half = cst_channels_axis(c, "first and second half of the run", HALVES, "half");
  cst_channels_label(c, half, names);
  const cst_channel_row *const rows[] = {&lines_row, &amplitudes_row};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < w->n; k++) {
      const frequency *x = frequency_of(p, k);
      const char      *name = x->named.name;
      const int axis = cst_channels_axis(c, "line of a signal", x->terms, "%.32s_line", name);
      cst_channels_add(c, rows[i], k, (cst_channel_use){.name = name, .axis = axis});
    }
  cst_named_channels(c, w, &halves_row, half);
}

/* Samples that both runs have are kept. */
static void go_on(const cst_continued *x) {
  const cst_named_list *w = request_of(x->now->plan);
  for (int k = 0; k < w->n; k++) {
    const frequency *f = frequency_of(x->now->plan, k);
    const double    *was = cst_continued_was(x, &samples, k);
    double          *made = cst_continued_made(x, &samples, k);
    const long       n = cst_sampled_count(x->from, f->every) * f->named.expressions.n;
    memset(made, 0, sizeof *made * (size_t)numbers_of(x->now->plan, f));
    memcpy(made, was, sizeof *made * (size_t)n);
  }
}

static const cst_reuse reuse = {.go_on = go_on};

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  double *kept;              /* into the rows, [group][sample][part][W] */
  long    numbers, steps, n; /* of a lane in the rows; of the class: between samples; samples */
  cst_spectrum *whole, *half;
  double       *re, *im; /* [n] */
} one;

typedef struct {
  cst_values *now;
  one         each[MOST];
} own;

static void create(cst_collection *x) {
  own            *o = x->own;
  const cst_plan *p = x->run->plan;
  o->now = cst_named_values(x->run, request_of(p));
  for (int k = 0; k < request_of(p)->n; k++) {
    const frequency *f = frequency_of(p, k);
    const long       most = most_samples(p, f);
    o->each[k] = (one){.kept = cst_rows_numbers(x->run->rows, &samples, k, 0),
                       .numbers = numbers_of(p, f),
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
  cst_named_values_destroy(o->now, request_of(x->run->plan));
  for (int k = 0; k < request_of(x->run->plan)->n; k++) {
    forget_class(&o->each[k]);
    free(o->each[k].re);
    free(o->each[k].im);
  }
}

/* The starts of the trajectories, the axes of maps. */
static void set_starts(const cst_runner *r) {
  const long nq = r->plan->study->problem.system->nq, W = r->width;
  for (int k = 0; k < 2; k++)
    for (long l = 0; l < r->work->count; l++) {
      const double *from = (k ? r->v0 : r->q0) + l / W * nq * W + l % W;
      double       *to = cst_rows_numbers(r->rows, &starts[k], 0, l);
      for (long i = 0; i < nq; i++)
        to[i] = from[i * W];
    }
}

static void begin(cst_collection *x) {
  own                  *o = x->own;
  const cst_runner     *r = x->run;
  const cst_named_list *w = request_of(r->plan);
  set_starts(r);
  for (int k = 0; k < w->n; k++) {
    one         *at = &o->each[k];
    const double every = frequency_of(r->plan, k)->every;
    const long   n = cst_sampled_count(r->class, every);
    at->steps = cst_sampled_steps(r->class, every);
    memset(at->kept, 0, sizeof(double) * (size_t)(r->b->groups * r->width) * (size_t)at->numbers);
    if (n != at->n)
      forget_class(at);
    at->n = n;
  }
}

static long next(const cst_collection *x, long step) {
  const own *o = x->own;
  long       next = LONG_MAX;
  for (int k = 0; k < request_of(x->run->plan)->n && !x->run->replayed; k++)
    next = CST_SMALLER(next, cst_runner_next_multiple(step, o->each[k].steps, 0));
  return next;
}

static void take(const one *x, const cst_values *now, const cst_runner *r, long sample) {
  const size_t n = (size_t)now->n * (size_t)r->width;
  for (int g = 0; g < r->b->groups; g++) {
    double *to = x->kept + (size_t)g * (size_t)x->numbers * (size_t)r->width;
    cst_sampled_look(now, r, g);
    memcpy(to + (size_t)sample * n, now->value, sizeof(double) * n);
  }
}

static cst_error stop(cst_collection *x) {
  const own        *o = x->own;
  const cst_runner *r = x->run;
  for (int k = 0; k < request_of(r->plan)->n && !r->replayed; k++)
    if (r->b->step % o->each[k].steps == 0)
      take(&o->each[k], &o->now[k], r, r->b->step / o->each[k].steps);
  return 0;
}

/* The samples of a lane, one after the other. */
static void gather(const one *x, long parts, const cst_runner *r, long lane) {
  const long    W = r->width;
  const double *from = x->kept + lane / W * x->numbers * W + lane % W;
  for (long j = 0; j < x->n; j++) {
    x->re[j] = from[j * parts * W];
    x->im[j] = parts > 1 ? from[(j * parts + 1) * W] : 0;
  }
}

static void analyse(const one *x, const cst_runner *r, int which, long lane) {
  const frequency *f = frequency_of(r->plan, which);
  const double     spacing = cst_clock_at(r, (double)x->steps);
  const long       half = half_of(x->n);
  double          *lines = cst_rows_numbers(r->rows, &lines_row, which, lane);
  double          *sizes = cst_rows_numbers(r->rows, &amplitudes_row, which, lane);
  double          *halves = cst_rows_numbers(r->rows, &halves_row, which, lane);
  const bool       real = f->named.expressions.n == 1;
  cst_line         found[64];
  gather(x, f->named.expressions.n, r, lane);
  cst_spectrum_lines(x->whole, x->re, real ? NULL : x->im, spacing, (int)f->terms, found);
  for (long i = 0; i < f->terms; i++) {
    lines[i] = found[i].frequency;
    sizes[i] = found[i].amplitude;
  }
  for (int i = 0; i < HALVES; i++) {
    const long from = i ? x->n - half : 0;
    cst_spectrum_lines(x->half, x->re + from, real ? NULL : x->im + from, spacing, 1, found);
    halves[i] = found[0].frequency;
  }
}

/* A trajectory that did not reach the end has no frequencies. */
static void leave(const cst_runner *r, int which, long lane) {
  static const cst_channel_row *const rows[] = {&lines_row, &amplitudes_row, &halves_row};
  const long                          terms = frequency_of(r->plan, which)->terms;
  const long                          count[] = {terms, terms, HALVES};
  for (int k = 0; k < 3; k++)
    for (long i = 0; i < count[k]; i++)
      cst_rows_numbers(r->rows, rows[k], which, lane)[i] = NAN;
}

static cst_error finish(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  for (int k = 0; k < request_of(r->plan)->n; k++) {
    one      *at = &o->each[k];
    const int power = (int)frequency_of(r->plan, k)->window;
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

/* ---- columns --------------------------------------------------------------------------------- */

/* The mean and range over the members, and how far they drift between the halves of the run. */

typedef struct {
  cst_number_column    mean, least, largest, drift, drift_most, amplitude;
  cst_survivor_columns survivors;
} frequency_columns;

static void declare_columns(cst_columns *c, const void *entry, void *columns) {
  static const char    unit[] = "1/time";
  const char          *name = ((const frequency *)entry)->named.name;
  frequency_columns   *x = columns;
  const cst_column_use shown = {.shown = true, .role = "frequency", .of = name, .unit = unit};
  x->mean =
      cst_columns_number(c, shown, "angular frequency of the strongest line, mean over the members",
                         "%s_frequency", name);
  x->least =
      cst_columns_number(c, (cst_column_use){.role = "frequency-least", .of = name, .unit = unit},
                         "least over the members", "%s_frequency_least", name);
  x->largest =
      cst_columns_number(c, (cst_column_use){.role = "frequency-largest", .of = name, .unit = unit},
                         "largest over the members", "%s_frequency_largest", name);
  x->amplitude =
      cst_columns_number(c, cst_columns_use("frequency-amplitude", name),
                         "amplitude of this line, mean over the members", "%s_amplitude", name);
  x->drift = cst_columns_number(
      c, (cst_column_use){.shown = true, .role = "frequency-drift", .of = name, .unit = unit},
      "|difference| of the frequencies of both halves of the run, median over the members",
      "%s_frequency_drift", name);
  x->drift_most = cst_columns_number(
      c,
      (cst_column_use){.shown = true, .role = "frequency-drift-largest", .of = name, .unit = unit},
      "the same, largest over the members", "%s_frequency_drift_max", name);
  x->survivors = cst_parts_survivors_declare(c, name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  return cst_named_columns(c, request_of(p), sizeof(frequency_columns), declare_columns);
}

/* Numbers of the members that did not fail and have one, x[members][stride] -> to; how many. */
static long good_numbers(const cst_case_rows *rows, const double *x, long stride, double *to) {
  long n = 0;
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    if (rows->good[m] && !isnan(x[m * stride]))
      to[n++] = x[m * stride];
  return n;
}

static void conclude_drift(const cst_case_rows *rows, const double *halves, double *room,
                           const frequency_columns *c) {
  static const double middle = 0.5;
  double              median, most = 0;
  long                n = 0;
  for (long m = 0; m < rows->plan->study->ensemble.members; m++) {
    const double drift = fabs(halves[2 * m + 1] - halves[2 * m]);
    if (!rows->good[m] || isnan(drift))
      continue;
    room[n++] = drift;
    most = fmax(most, drift);
  }
  if (!n)
    return;
  cst_ensemble_quantiles(room, n, &middle, 1, &median);
  cst_column_set(c->drift, rows->icase, median);
  cst_column_set(c->drift_most, rows->icase, most);
}

static cst_error conclude_one(cst_case_rows *rows, int k, const frequency_columns *c,
                              double *room) {
  const long    members = rows->plan->study->ensemble.members;
  const long    terms = frequency_of(rows->plan, k)->terms;
  const int     i = rows->icase;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &lines_row, k, &x));
  const long n = good_numbers(rows, x, terms, room);
  cst_parts_survivors_conclude(c->survivors, i, n, members);
  if (!n)
    return 0;
  double least = room[0], largest = room[0];
  for (long m = 0; m < n; m++) {
    least = fmin(least, room[m]);
    largest = fmax(largest, room[m]);
  }
  cst_column_set(c->mean, i, cst_ensemble_mean(room, n));
  cst_column_set(c->least, i, least);
  cst_column_set(c->largest, i, largest);
  CST_TRY(cst_case_rows_get(rows, &amplitudes_row, k, &x));
  cst_column_set(c->amplitude, i, cst_ensemble_mean(room, good_numbers(rows, x, terms, room)));
  CST_TRY(cst_case_rows_get(rows, &halves_row, k, &x));
  conclude_drift(rows, x, room, c);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const frequency_columns *x = handles;
  if (!x)
    return 0;
  double *room = cst_zeros(rows->plan->study->ensemble.members, sizeof *room);
  for (int k = 0; k < request_of(rows->plan)->n; k++)
    CST_TRY(conclude_one(rows, k, &x[k], room));
  free(room);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_frequencies = {
    .name = "frequencies",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "frequencies of expressions",
    .keys = {.table = keys,
             .request = sizeof(cst_named_list),
             .read = read,
             .forget = cst_named_forget},
    .plan = {.demand = demand, .bytes = bytes, .tell = tell, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .next = next,
            .stop = stop,
            .finish = finish},
    .file = {.declare = declare,
             .columns = columns,
             .conclude = conclude,
             .figures = "frequencies"},
    .reuse = &reuse,
};
