/* lyapunov.c: the collector `lyapunov`: the first k exponents of the method's map along each trajectory, and
 * the mean exponential growth of nearby orbits (MEGNO).
 *
 * k companions start at the distance e, in random directions. After every `every` their differences to the
 * trajectory, as vectors w_i of the whole state, are orthonormalised in (q/L, p T/(m L)): w = U R. The growth of
 * the i-th vector is R_ii / e, the exponents are the means of log (R_ii / e) over time, and the companions are
 * put at the distance e in the directions U again, onto both constraints where the method keeps them. With g_j
 * the logarithm for the first vector after j periods, Y_n = 2/n sum_j j g_j, and MEGNO is the mean of the Y.
 * Sources: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980); Cincotta, Giordano, Simo, Physica D 182
 * (2003).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/companions.h"
#include "study/collect/tangent.h"
#include "study/plan/clock.h"
#include "study/result/parts.h"

/* clang-format off */
static const cst_channel_row companions = {"companions", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row tallies = {"tallies", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row exponents = {"/lyapunov/exponents", "1/time", "Lyapunov exponents over the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row blocks = {"/lyapunov/blocks_%s", "1/time", "growth rate of a vector in successive equal parts of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row running = {"/lyapunov/running_%s", "1/time", "exponent until the times of /lyapunov/time", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row times = {"/lyapunov/time", "time", "times of the running exponents", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row megno = {"/lyapunov/megno", "1", "mean exponential growth of nearby orbits", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* The distance of companions. It is a power of 2, so that dividing by it does not round. */
#define DISTANCE 0x1p-23

/* Numbers of a trajectory: periods done; periods of a block; the sums of j g_j and of Y_n. Then of each vector
 * the sum of its logarithms, and the sums of BLOCKS blocks, of which two become one when all are full. */
enum { PERIODS, LENGTH, WEIGHTED, GROWTH, HEAD, BLOCKS = 64, POINTS = 64, OF_VECTOR = 1 + BLOCKS };

static bool wanted(const cst_plan *p) {
  const cst_tangent *t = cst_tangent_of(p);
  return t->asked[CST_TANGENT_LYAPUNOV] || t->asked[CST_TANGENT_MEGNO];
}

static int vectors(const cst_plan *p) {
  return cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV] ? cst_tangent_of(p)->vectors : 1;
}

static double steps(const cst_plan *p, const cst_class *k) {
  (void)k;
  return wanted(p) ? vectors(p) : 0;
}

/* Running exponents are kept after 1, 2, 3, 4, 6, 8, 12, 16, 24 ... periods. */
static long point(int i) { return i % 2 || i == 0 ? 1L << (i + 1) / 2 : 3L << (i / 2 - 1); }

static const char *number_of(int i) {
  static char text[64][12];
  snprintf(text[i % 64], sizeof *text, "%d", i + 1);
  return text[i % 64];
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!wanted(p))
    return;
  const int    k = vectors(p);
  const size_t kept = cst_companions_numbers(p, k);
  const size_t tally = HEAD + (size_t)k * OF_VECTOR;
  const int    axis = cst_channels_axis(c, "tangent vector", k, "vector");
  const int    block = cst_channels_axis(c, "part of the run", BLOCKS, "part");
  const int    at = cst_channels_axis(c, "running exponent", POINTS, "point");
  cst_channels_add(c, &companions, 0, (cst_channel_use){.count = kept});
  cst_channels_add(c, &tallies, 0, (cst_channel_use){.count = tally});
  if (cst_tangent_of(p)->asked[CST_TANGENT_MEGNO])
    cst_channels_add(c, &megno, 0, (cst_channel_use){0});
  if (!cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV])
    return;
  cst_channels_add(c, &exponents, 0, (cst_channel_use){.axis = axis});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &blocks, i, (cst_channel_use){.name = number_of(i), .axis = block});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &running, i, (cst_channel_use){.name = number_of(i), .axis = at});
  cst_channels_add(c, &times, 0, (cst_channel_use){.axis = at});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_companions c;
  int            k;
  double        *base, *w, *weight, *growth; /* [numbers], [k][numbers], [2 nq], [k] */
} own;

static void create(cst_collection *x) {
  own         *o = x->own;
  const size_t nq = (size_t)x->run->plan->study->system->nq;
  o->k = vectors(x->run->plan);
  PetscCallAbort(PETSC_COMM_SELF, cst_companions_create(&o->c, x->run, o->k));
  const size_t most = (size_t)cst_plan_state_numbers(x->run->plan);
  o->base = cst_zeros(most, sizeof *o->base);
  o->w = cst_zeros((size_t)o->k * most, sizeof *o->w);
  o->weight = cst_zeros(2 * nq, sizeof *o->weight);
  o->growth = cst_zeros(o->k, sizeof *o->growth);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  PetscCallAbort(PETSC_COMM_SELF, cst_companions_destroy(&o->c));
  free(o->base);
  free(o->w);
  free(o->weight);
  free(o->growth);
}

/* Orthonormalises w[k][n] over the first `in` numbers of each, with weights; growth[i]: the length of the i-th
 * without its parts along those before. False where a vector has no length. */
static bool orthonormalise(double *w, int k, int n, const double *weight, int in, double *growth) {
  for (int i = 0; i < k; i++) {
    double *x = w + (size_t)i * (size_t)n;
    for (int j = 0; j < 2 * i; j++) { /* twice, against round-off */
      const double *y = w + (size_t)(j % i) * (size_t)n;
      double        product = 0;
      for (int e = 0; e < in; e++)
        product += weight[e] * x[e] * y[e];
      for (int e = 0; e < n; e++)
        x[e] -= product * y[e];
    }
    double square = 0;
    for (int e = 0; e < in; e++)
      square += weight[e] * x[e] * x[e];
    growth[i] = sqrt(square);
    if (!(growth[i] > 0) || !isfinite(growth[i]))
      return false;
    for (int e = 0; e < n; e++)
      x[e] /= growth[i];
  }
  return true;
}

/* Renormalises the companions of a lane, and finds how their differences have grown; false: gives them up. */
static bool renormalise(own *o, long lane) {
  cst_companions *c = &o->c;
  const int       n = c->numbers, nq = c->part[0].n;
  const double   *scale = c->scale + 2 * lane;
  for (int i = 0; i < 2 * nq; i++)
    o->weight[i] = 1 / (scale[i >= nq] * scale[i >= nq]);
  cst_companions_get(c, cst_companions_base(c, lane), o->base);
  for (int i = 0; i < o->k; i++) {
    double *w = o->w + (size_t)i * (size_t)n;
    cst_companions_get(c, cst_companions_column(c, lane, i), w);
    for (int e = 0; e < n; e++)
      w[e] -= o->base[e];
  }
  if (!orthonormalise(o->w, o->k, n, o->weight, 2 * nq, o->growth)) {
    cst_companions_lose(c, lane);
    return false;
  }
  for (int i = 0; i < o->k; i++) {
    double *w = o->w + (size_t)i * (size_t)n;
    for (int e = 0; e < n; e++)
      w[e] = o->base[e] + DISTANCE * w[e];
    cst_companions_put(c, cst_companions_column(c, lane, i), w);
  }
  return true;
}

static void start_lane(own *o, long lane) {
  const int nq = o->c.part[0].n;
  double   *d = cst_zeros(2 * nq, sizeof *d);
  bool      good = true;
  for (int i = 0; i < o->k && good; i++) {
    for (int e = 0; e < 2 * nq; e++)
      d[e] = cst_companions_draw(&o->c, lane, 0, 2 * nq * i + e);
    good = cst_companions_start(&o->c, lane, i, DISTANCE, d);
  }
  free(d);
  if (good)
    renormalise(o, lane);
  else
    cst_companions_lose(&o->c, lane);
}

static void begin(cst_collection *x) {
  own        *o = x->own;
  cst_runner *r = x->run;
  PetscCallAbort(PETSC_COMM_SELF, cst_companions_begin(&o->c));
  for (long l = 0; l < r->work->count; l++) {
    double *tally = cst_rows_numbers(r->rows, &tallies, 0, l);
    memset(tally, 0, sizeof(double) * (size_t)(HEAD + o->k * OF_VECTOR));
    tally[LENGTH] = 1;
    for (int i = 0; i < o->k; i++) {
      double *at = cst_rows_numbers(r->rows, &running, i, l);
      for (int k = 0; at && k < POINTS; k++)
        at[k] = NAN;
    }
    if (cst_runner_lives(r, r->b, l))
      start_lane(o, l);
  }
}

static long next(const cst_collection *x, long step) {
  const cst_runner *r = x->run;
  if (r->replayed)
    return LONG_MAX;
  return cst_runner_next_multiple(step, cst_tangent_steps(r->plan, r->cohort), 0);
}

/* The companions stay at the last period that is done. */
static void locate(cst_collection *x, long step, bool done) {
  own             *o = x->own;
  const cst_class *k = x->run->cohort;
  const long       every = cst_tangent_steps(x->run->plan, k);
  const long       last = done || step == 0 ? step : step - 1;
  o->c.b->step = last / every * every;
}

/* The sum of a block; at the end of the last block, pairs become one. */
static void add_to_block(const double *tally, double *block, double g) {
  const long length = (long)tally[LENGTH];
  const long at = ((long)tally[PERIODS] - 1) / length;
  block[at] += g;
}

static void join_blocks(double *tally, int k) {
  if (tally[PERIODS] < BLOCKS * tally[LENGTH])
    return;
  for (int i = 0; i < k; i++) {
    double *block = tally + HEAD + i * OF_VECTOR + 1;
    for (int b = 0; b < BLOCKS; b++)
      block[b] = b < BLOCKS / 2 ? block[2 * b] + block[2 * b + 1] : 0;
  }
  tally[LENGTH] *= 2;
}

static void count(const own *o, cst_runner *r, long lane) {
  double      *tally = cst_rows_numbers(r->rows, &tallies, 0, lane);
  const double every = cst_clock_at(r->cohort, (double)cst_tangent_steps(r->plan, r->cohort));
  const double n = ++tally[PERIODS];
  int          at = 0;
  while (at < POINTS && (double)point(at) < n)
    at++;
  for (int i = 0; i < o->k; i++) {
    const double g = log(o->growth[i] / DISTANCE);
    double      *sum = tally + HEAD + i * OF_VECTOR;
    double      *now = cst_rows_numbers(r->rows, &running, i, lane);
    *sum += g;
    add_to_block(tally, sum + 1, g);
    if (now && at < POINTS && (double)point(at) == n)
      now[at] = *sum / (n * every);
  }
  tally[WEIGHTED] += n * log(o->growth[0] / DISTANCE);
  tally[GROWTH] += 2 * tally[WEIGHTED] / n;
  join_blocks(tally, o->k);
}

static PetscErrorCode stop(cst_collection *x) {
  own            *o = x->own;
  cst_companions *c = &o->c;
  cst_runner     *r = x->run;
  const long      now = r->b->step;
  PetscFunctionBegin;
  if (r->replayed || now == c->b->step || now % cst_tangent_steps(r->plan, r->cohort))
    PetscFunctionReturn(0);
  PetscCall(cst_companions_advance(c, now - c->b->step));
  for (long l = 0; l < r->work->count; l++) {
    if (!cst_companions_live(c, l))
      cst_companions_lose(c, l);
    else if (renormalise(o, l))
      count(o, r, l);
  }
  PetscCall(cst_companions_project(c));
  PetscFunctionReturn(0);
}

static void save(cst_collection *x, long lane) {
  const own *o = x->own;
  cst_companions_save(&o->c, lane, cst_rows_numbers(x->run->rows, &companions, 0, lane));
}

static void restore(cst_collection *x, long lane) {
  own *o = x->own;
  cst_companions_restore(&o->c, lane, cst_rows_numbers(x->run->rows, &companions, 0, lane));
}

static void finish_lane(const own *o, cst_runner *r, long lane) {
  const double *tally = cst_rows_numbers(r->rows, &tallies, 0, lane);
  double       *all = cst_rows_numbers(r->rows, &exponents, 0, lane);
  double       *mean = cst_rows_numbers(r->rows, &megno, 0, lane);
  const double  every = cst_clock_at(r->cohort, (double)cst_tangent_steps(r->plan, r->cohort));
  const double  n = tally[PERIODS], length = tally[LENGTH];
  const bool    good = cst_companions_live(&o->c, lane);
  if (mean)
    *mean = good ? tally[GROWTH] / n : NAN;
  for (int i = 0; i < o->k && all; i++) {
    const double *sum = tally + HEAD + i * OF_VECTOR;
    double       *rate = cst_rows_numbers(r->rows, &blocks, i, lane);
    all[i] = good ? *sum / (n * every) : NAN;
    for (int b = 0; b < BLOCKS; b++)
      rate[b] = good && (b + 1) * length <= n ? sum[1 + b] / (length * every) : NAN;
  }
}

static PetscErrorCode finish(cst_collection *x) {
  PetscFunctionBegin;
  for (long l = 0; l < x->run->work->count; l++)
    finish_lane(x->own, x->run, l);
  PetscFunctionReturn(0);
}

/* ---- columns --------------------------------------------------------------------------------- */

enum { LOW, HIGH, QUANTILES };
static const double quantiles[QUANTILES] = {0.05, 0.95};

typedef struct {
  cst_number_column exponent, error, quantile[QUANTILES];
} exponent_columns;

typedef struct {
  cst_number_column    megno, megno_most, floor;
  cst_survivor_columns survivors;
  exponent_columns     of[];
} columns_of;

static void declare_exponent(const cst_plan *p, cst_columns *c, int i, exponent_columns *x) {
  char name[32];
  snprintf(name, sizeof name, "lyapunov_%d", i + 1);
  x->exponent = cst_columns_number(
      c, cst_columns_shown(true, "exponent", number_of(i)),
      "Lyapunov exponent, the mean over the run and the members that did not fail", "%s", name);
  x->error = cst_columns_number(
      c, cst_columns_shown(true, "exponent-error", number_of(i)),
      "standard error of that mean, by parts of the run and members; not the bias (log t)/t of "
      "regular motion",
      "%s_error", name);
  if (p->study->members == 1)
    return;
  x->quantile[LOW] = cst_columns_number(c, cst_columns_use("exponent-q05", number_of(i)),
                                        "5 % quantile of the members' exponents", "%s_q05", name);
  x->quantile[HIGH] = cst_columns_number(c, cst_columns_use("exponent-q95", number_of(i)),
                                         "95 % quantile of the members' exponents", "%s_q95", name);
}

static void *columns(const cst_plan *p, cst_columns *c) {
  if (!wanted(p))
    return NULL;
  const int   k = vectors(p);
  columns_of *x = cst_need(calloc(1, sizeof *x + (size_t)k * sizeof *x->of));
  if (cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV]) {
    for (int i = 0; i < k; i++)
      declare_exponent(p, c, i, &x->of[i]);
    x->floor = cst_columns_number(
        c, cst_columns_use("exponent-floor", NULL),
        "error of the exponents by the distance of companions and the solver, about", "%s",
        "lyapunov_floor");
  }
  if (cst_tangent_of(p)->asked[CST_TANGENT_MEGNO]) {
    x->megno = cst_columns_number(c, cst_columns_shown(true, "megno", NULL),
                                  "MEGNO, the mean over the members that did not fail: 2 for "
                                  "regular motion, half the exponent times the time for chaos",
                                  "megno");
    x->megno_most = cst_columns_number(c, cst_columns_use("megno-most", NULL),
                                       "largest MEGNO of these members", "megno_max");
  }
  x->survivors = cst_parts_survivors_declare(c, "lyapunov");
  return x;
}

/* The last of the parts of the run, a power of 2 of them, as means[members][n]; returns n. *parts: of all. */
static int last_parts(const double *x, long members, double *means, int *parts) {
  int whole = 0, n = 1;
  for (long m = 0; m < members && !whole; m++)
    while (whole < BLOCKS && !isnan(x[m * BLOCKS + whole]))
      whole++;
  while (2 * n <= whole)
    n *= 2;
  for (long m = 0; m < members && whole; m++)
    memcpy(means + m * n, x + m * BLOCKS + whole - n, sizeof(double) * (size_t)n);
  *parts = whole;
  return whole ? n : 0;
}

static PetscErrorCode conclude_error(cst_case_rows *rows, int i, cst_number_column to) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const double   *x;
  PetscFunctionBegin;
  PetscCall(cst_case_rows_get(rows, &blocks, i, &x));
  double   *means = cst_zeros(members * BLOCKS, sizeof *means);
  int       parts;
  const int n = last_parts(x, members, means, &parts);
  for (long m = 0; m < members; m++)
    for (int b = 0; b < n && !rows->good[m]; b++)
      means[m * n + b] = NAN;
  if (n > 0)
    cst_column_set(to, rows->icase,
                   cst_batch_means_estimate(means, members, n).error * sqrt((double)n / parts));
  free(means);
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude_times(cst_case_rows *rows) {
  const cst_plan  *p = rows->plan;
  const cst_class *k = &p->classes[p->class_of[rows->icase]];
  const long       every = cst_tangent_steps(p, k);
  double           t[POINTS];
  PetscFunctionBegin;
  for (int i = 0; i < POINTS; i++)
    t[i] = point(i) <= k->n / every ? cst_clock_at(k, (double)point(i) * (double)every) : NAN;
  PetscCall(cst_output_case(rows->output, &times, 0, rows->icase, t));
  PetscFunctionReturn(0);
}

/* One number of each member that did not fail, x[members][count]. */
static void pick(const cst_case_rows *rows, const double *x, int count, int i, double *of) {
  for (long m = 0; m < rows->plan->study->members; m++)
    of[m] = rows->good[m] ? x[m * count + i] : NAN;
}

static long numbers_in(const double *x, long n) {
  long there = 0;
  for (long m = 0; m < n; m++)
    there += !isnan(x[m]);
  return there;
}

static PetscErrorCode conclude_exponents(cst_case_rows *rows, const columns_of *c, double *of) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->members;
  const int       k = vectors(p), icase = rows->icase;
  const double   *x, every = cst_tangent_of(p)->every;
  const double    tolerance = p->study->tolerance[p->cases[icase].tolerance];
  PetscFunctionBegin;
  for (int i = 0; i < k; i++) {
    double q[QUANTILES];
    PetscCall(cst_case_rows_get(rows, &exponents, 0, &x));
    pick(rows, x, k, i, of);
    cst_column_set(c->of[i].exponent, icase, cst_ensemble_mean(of, members));
    cst_ensemble_quantiles(of, members, quantiles, QUANTILES, q);
    for (int j = 0; j < QUANTILES && members > 1; j++)
      cst_column_set(c->of[i].quantile[j], icase, q[j]);
    cst_parts_survivors_conclude(c->survivors, icase, numbers_in(of, members), members);
    PetscCall(conclude_error(rows, i, c->of[i].error));
  }
  cst_column_set(c->floor, icase, (DISTANCE + tolerance / DISTANCE) / every);
  PetscCall(conclude_times(rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude_megno(cst_case_rows *rows, const columns_of *c, double *of) {
  const long    members = rows->plan->study->members;
  const double *x;
  PetscFunctionBegin;
  PetscCall(cst_case_rows_get(rows, &megno, 0, &x));
  pick(rows, x, 1, 0, of);
  cst_column_set(c->megno, rows->icase, cst_ensemble_mean(of, members));
  cst_column_set(c->megno_most, rows->icase, cst_case_rows_largest(of, members));
  cst_parts_survivors_conclude(c->survivors, rows->icase, numbers_in(of, members), members);
  PetscFunctionReturn(0);
}

static PetscErrorCode conclude(cst_case_rows *rows, const void *handles) {
  const cst_tangent *t = cst_tangent_of(rows->plan);
  double            *of = cst_zeros(rows->plan->study->members, sizeof *of);
  PetscFunctionBegin;
  if (t->asked[CST_TANGENT_LYAPUNOV])
    PetscCall(conclude_exponents(rows, handles, of));
  if (t->asked[CST_TANGENT_MEGNO])
    PetscCall(conclude_megno(rows, handles, of));
  free(of);
  PetscFunctionReturn(0);
}

const cst_collector cst_collector_lyapunov = {
    .name = "lyapunov",
    .doc = "Lyapunov exponents and MEGNO",
    .steps = steps,
    .declare = declare,
    .own = sizeof(own),
    .wanted = wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .locate = locate,
    .next = next,
    .stop = stop,
    .finish = finish,
    .save = save,
    .restore = restore,
    .columns = columns,
    .conclude = conclude,
};
