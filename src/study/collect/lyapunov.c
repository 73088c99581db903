/* lyapunov.c: the collector `lyapunov`: the first k exponents of the method's map along each trajectory, and
 * the mean exponential growth of nearby orbits (MEGNO).
 *
 * k tangent vectors w_i (tangent-vectors.h) start in random directions. After every `every` they are
 * orthonormalised in (q/L, p T/(m L)): w = U R, and go on as U. The growth of the i-th vector is R_ii, and the
 * exponents are the means of log R_ii over time. With g_j the logarithm for the first vector after j periods,
 * Y_n = 2/n sum_j j g_j, and MEGNO is the mean of the Y.
 * Sources: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980); Cincotta, Giordano, Simo, Physica D 182
 * (2003).
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/need.h"
#include "study/channels/channels.h"
#include "study/collect/tangent-vectors.h"
#include "study/collect/tangent.h"
#include "study/plan/clock.h"
#include "study/result/case-rows.h"
#include "study/result/parts.h"

/* Parts of the run whose growth rates are kept; running exponents that are kept. */
enum { BLOCKS = 64, POINTS = 64 };

/* clang-format off */
static const cst_channel_row companions = {"companions", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row tallies = {"tallies", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row exponents = {"/lyapunov/exponents", "1/time", "Lyapunov exponents over the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row blocks = {"/lyapunov/blocks_%s", "1/time", "growth rate of a vector in successive equal parts of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row running = {"/lyapunov/running_%s", "1/time", "exponent until the times of /lyapunov/time", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row times_row = {"/lyapunov/time", "time", "times of the running exponents", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row megno_row = {"/lyapunov/megno", "1", "mean exponential growth of nearby orbits", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
static const cst_channel_row floor_row = {"/lyapunov/floor", "1/time", "error of a growth rate by round-off, from displaced copies of the trajectory (form exact)", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* Numbers of a trajectory: periods done; periods of a block; the sums of j g_j and of Y_n. Then of each vector
 * the sum of its logarithms, and the sums of its blocks, of which two become one when all are full. */
enum { PERIODS, LENGTH, WEIGHTED, GROWTH, HEAD, OF_VECTOR = 1 + BLOCKS };

static bool wanted(const cst_plan *p) {
  const cst_tangent *t = cst_tangent_of(p);
  return t->asked[CST_TANGENT_LYAPUNOV] || t->asked[CST_TANGENT_MEGNO];
}

/* Tangent vectors; MEGNO alone needs one. */
static int vectors(const cst_plan *p) {
  return cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV] ? cst_tangent_of(p)->vectors : 1;
}

/* Of companions. */
static double lanes(const cst_plan *p) {
  return wanted(p) && !cst_tangent_of(p)->exact ? vectors(p) : 0;
}

static double steps(const cst_plan *p, const cst_class *k) {
  (void)k;
  if (wanted(p) && cst_tangent_of(p)->exact)
    return CST_TANGENT_SCALAR_STEP + CST_TANGENT_SCALAR_VECTOR * vectors(p);
  return lanes(p);
}

/* The periods after which the i-th running exponent is kept: 1, 2, 3, 4, 6, 8, 12, 16, 24 ... */
static long point(int i) { return i % 2 || i == 0 ? 1L << (i + 1) / 2 : 3L << (i / 2 - 1); }

/* "1" of vector 0. */
static const char *number(int i) {
  static char text[CST_TANGENT_MOST][12];
  snprintf(text[i % CST_TANGENT_MOST], sizeof *text, "%d", i + 1);
  return text[i % CST_TANGENT_MOST];
}

static const char *calls(const cst_plan *p, double *times) {
  return cst_tangent_of(p)->exact ? NULL : cst_companions_core(p, vectors(p), times);
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!wanted(p))
    return;
  const int    k = vectors(p);
  const size_t kept = cst_tangent_vectors_numbers(p, k, cst_tangent_of(p)->exact);
  const size_t tally = HEAD + (size_t)k * OF_VECTOR;
  const int    axis = cst_channels_axis(c, "tangent vector", k, "vector");
  const int    block = cst_channels_axis(c, "part of the run", BLOCKS, "part");
  const int    at = cst_channels_axis(c, "running exponent", POINTS, "point");
  cst_channels_add(c, &companions, 0, (cst_channel_use){.count = kept});
  cst_channels_add(c, &tallies, 0, (cst_channel_use){.count = tally});
  if (cst_tangent_of(p)->asked[CST_TANGENT_MEGNO])
    cst_channels_add(c, &megno_row, 0, (cst_channel_use){0});
  if (!cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV])
    return;
  if (cst_tangent_of(p)->exact)
    cst_channels_add(c, &floor_row, 0, (cst_channel_use){0});
  cst_channels_add(c, &exponents, 0, (cst_channel_use){.axis = axis});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &blocks, i, (cst_channel_use){.name = number(i), .axis = block});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &running, i, (cst_channel_use){.name = number(i), .axis = at});
  cst_channels_add(c, &times_row, 0, (cst_channel_use){.axis = at});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_tangent_vectors v;
  int                 k;
  double             *growth; /* [k] of a lane */
  double             *tally;  /* into the rows, [lane][HEAD + k OF_VECTOR] */
} own;

static double *tally_of(const own *o, long lane) {
  return o->tally + lane * (HEAD + o->k * OF_VECTOR);
}

static void create(cst_collection *x) {
  own            *o = x->own;
  const cst_plan *p = x->run->plan;
  o->k = vectors(p);
  CST_TRY_OR_ABORT(MPI_COMM_SELF,
                   cst_tangent_vectors_create(&o->v, x->run, o->k, cst_tangent_of(p)->exact));
  o->growth = cst_zeros(o->k, sizeof *o->growth);
  o->tally = cst_rows_numbers(x->run->rows, &tallies, 0, 0);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  free(o->growth);
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_tangent_vectors_destroy(&o->v));
}

static void begin(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  CST_TRY_OR_ABORT(MPI_COMM_SELF, cst_tangent_vectors_begin(&o->v));
  for (long l = 0; l < r->work->count; l++) {
    double *tally = tally_of(o, l), *floor = cst_rows_numbers(r->rows, &floor_row, 0, l);
    memset(tally, 0, sizeof(double) * (size_t)(HEAD + o->k * OF_VECTOR));
    tally[LENGTH] = 1;
    if (floor)
      *floor = 0;
    for (int i = 0; i < o->k; i++) {
      double *at = cst_rows_numbers(r->rows, &running, i, l);
      for (int k = 0; at && k < POINTS; k++)
        at[k] = NAN;
    }
  }
}

/* The vectors stay at the last period that is done. */
static void locate(cst_collection *x, long step, bool done) {
  own             *o = x->own;
  const cst_class *k = x->run->class;
  const long       every = cst_tangent_steps(x->run->plan, k);
  const long       last = done || step == 0 ? step : step - 1;
  o->v.step = last / every * every;
}

/* At the end of the last block, pairs become one. */
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

/* The point of n periods, 2^k or 3 2^k; -1: it is none. */
static int point_of(long n) {
  const int  k = __builtin_ctzl((unsigned long)n);
  const long odd = n >> k;
  if (odd == 1)
    return CST_LARGER(2 * k - 1, 0);
  return odd == 3 ? 2 * k + 2 : -1;
}

static void count_rates(const own *o, const cst_runner *r, long lane, double every) {
  const double *tally = tally_of(o, lane);
  const int     at = point_of((long)tally[PERIODS]);
  for (int i = 0; i < o->k && at < POINTS; i++) {
    double *now = cst_rows_numbers(r->rows, &running, i, lane);
    if (now)
      now[at] = tally[HEAD + i * OF_VECTOR] / (tally[PERIODS] * every);
  }
}

static void count_floor(const own *o, const cst_runner *r, long lane, double every) {
  double      *floor = cst_rows_numbers(r->rows, &floor_row, 0, lane);
  const double now = cst_tangent_vectors_shift(&o->v, lane) / every;
  if (floor && !(now <= *floor))
    *floor = now;
}

/* every: the time of a period. */
static void count(const own *o, const cst_runner *r, long lane, double every) {
  double      *tally = tally_of(o, lane);
  const double n = ++tally[PERIODS];
  const long   block = ((long)n - 1) / (long)tally[LENGTH];
  double      *sum = tally + HEAD;
  cst_tangent_vectors_growth(&o->v, lane, o->growth);
  for (int i = 0; i < o->k; i++, sum += OF_VECTOR) {
    o->growth[i] = log(o->growth[i]);
    sum[0] += o->growth[i];
    sum[1 + block] += o->growth[i];
  }
  tally[WEIGHTED] += n * o->growth[0];
  tally[GROWTH] += 2 * tally[WEIGHTED] / n;
  if (point_of((long)n) >= 0)
    count_rates(o, r, lane, every);
  if (o->v.exact)
    count_floor(o, r, lane, every);
  join_blocks(tally, o->k);
}

static double period(const cst_runner *r) {
  return cst_clock_at(r, (double)cst_tangent_steps(r->plan, r->class));
}

static cst_error stop(cst_collection *x) {
  own              *o = x->own;
  const cst_runner *r = x->run;
  const long        now = r->b->step;
  const double      every = period(r);
  if (r->replayed || now == o->v.step || now % cst_tangent_steps(r->plan, r->class))
    return 0;
  CST_TRY(cst_tangent_vectors_advance(&o->v));
  for (int g = 0; g < r->b->groups; g++)
    for (int alive = cst_tangent_vectors_alive(&o->v, g); alive; alive &= alive - 1)
      count(o, r, (long)g * r->width + __builtin_ctz((unsigned)alive), every);
  CST_TRY(cst_tangent_vectors_settle(&o->v));
  return 0;
}

static void save(cst_collection *x, long lane) {
  const own *o = x->own;
  cst_tangent_vectors_save(&o->v, lane, cst_rows_numbers(x->run->rows, &companions, 0, lane));
}

static void restore(cst_collection *x, long lane) {
  own *o = x->own;
  cst_tangent_vectors_restore(&o->v, lane, cst_rows_numbers(x->run->rows, &companions, 0, lane));
}

static void finish_lane(const own *o, const cst_runner *r, long lane) {
  const double *tally = tally_of(o, lane);
  double       *all = cst_rows_numbers(r->rows, &exponents, 0, lane);
  double       *mean = cst_rows_numbers(r->rows, &megno_row, 0, lane);
  const double  every = period(r);
  const double  n = tally[PERIODS], length = tally[LENGTH];
  const int     alive = cst_tangent_vectors_alive(&o->v, (int)(lane / r->width));
  const bool    good = alive >> lane % r->width & 1;
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

static cst_error finish(cst_collection *x) {
  for (long l = 0; l < x->run->work->count; l++)
    finish_lane(x->own, x->run, l);
  return 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Means over members, their errors and quantiles. */

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
      c, cst_columns_shown(true, "exponent", number(i)),
      "Lyapunov exponent, the mean over the run and the members that did not fail", "%s", name);
  x->error = cst_columns_number(
      c, cst_columns_shown(true, "exponent-error", number(i)),
      "standard error of that mean, by parts of the run and members; not the bias (log t)/t of "
      "regular motion",
      "%s_error", name);
  if (p->study->ensemble.members == 1)
    return;
  x->quantile[LOW] = cst_columns_number(c, cst_columns_use("exponent-q05", number(i)),
                                        "5 % quantile of the members' exponents", "%s_q05", name);
  x->quantile[HIGH] = cst_columns_number(c, cst_columns_use("exponent-q95", number(i)),
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
        cst_tangent_of(p)->exact
            ? "error of a growth rate by round-off, largest over measured periods and members"
            : "error of the exponents by the distance of companions and the solver, about",
        "%s", "lyapunov_floor");
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

static cst_error conclude_error(cst_case_rows *rows, int i, cst_number_column to) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->ensemble.members;
  const double   *x;
  CST_TRY(cst_case_rows_get(rows, &blocks, i, &x));
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
  return 0;
}

static cst_error conclude_times(cst_case_rows *rows) {
  const cst_plan  *p = rows->plan;
  const cst_case  *c = &p->cases[rows->icase];
  const cst_class *k = &p->classes[p->class_of[rows->icase]];
  const long       every = cst_tangent_steps(p, k);
  double           t[POINTS];
  for (int i = 0; i < POINTS; i++)
    t[i] = point(i) <= k->n / every ? cst_clock_of(c, (double)point(i) * (double)every) : NAN;
  CST_TRY(cst_output_case(rows->output, &times_row, 0, rows->icase, t));
  return 0;
}

/* One number of each member that did not fail, x[members][count]. */
static void pick(const cst_case_rows *rows, const double *x, int count, int i, double *of) {
  for (long m = 0; m < rows->plan->study->ensemble.members; m++)
    of[m] = rows->good[m] ? x[m * count + i] : NAN;
}

static long numbers_in(const double *x, long n) {
  long there = 0;
  for (long m = 0; m < n; m++)
    there += !isnan(x[m]);
  return there;
}

static cst_error conclude_exponents(cst_case_rows *rows, const columns_of *c, double *of) {
  const cst_plan *p = rows->plan;
  const long      members = p->study->ensemble.members;
  const int       k = vectors(p), icase = rows->icase;
  const double   *x, every = cst_tangent_of(p)->every;
  const double    tolerance = p->study->solver.tolerance[p->cases[icase].tolerance];
  for (int i = 0; i < k; i++) {
    double q[QUANTILES];
    CST_TRY(cst_case_rows_get(rows, &exponents, 0, &x));
    pick(rows, x, k, i, of);
    cst_column_set(c->of[i].exponent, icase, cst_ensemble_mean(of, members));
    cst_ensemble_quantiles(of, members, quantiles, QUANTILES, q);
    for (int j = 0; j < QUANTILES && members > 1; j++)
      cst_column_set(c->of[i].quantile[j], icase, q[j]);
    cst_parts_survivors_conclude(c->survivors, icase, numbers_in(of, members), members);
    CST_TRY(conclude_error(rows, i, c->of[i].error));
  }
  if (cst_tangent_of(p)->exact)
    CST_TRY(cst_parts_largest(rows, &floor_row, 0, c->floor));
  else
    cst_column_set(c->floor, icase,
                   (CST_TANGENT_DISTANCE + tolerance / CST_TANGENT_DISTANCE) / every);
  CST_TRY(conclude_times(rows));
  return 0;
}

static cst_error conclude_megno(cst_case_rows *rows, const columns_of *c, double *of) {
  const long    members = rows->plan->study->ensemble.members;
  const double *x;
  CST_TRY(cst_case_rows_get(rows, &megno_row, 0, &x));
  pick(rows, x, 1, 0, of);
  cst_column_set(c->megno, rows->icase, cst_ensemble_mean(of, members));
  cst_column_set(c->megno_most, rows->icase, cst_case_rows_largest(of, members));
  cst_parts_survivors_conclude(c->survivors, rows->icase, numbers_in(of, members), members);
  return 0;
}

static cst_error conclude(cst_case_rows *rows, const void *handles) {
  const cst_tangent *t = cst_tangent_of(rows->plan);
  double            *of = cst_zeros(rows->plan->study->ensemble.members, sizeof *of);
  if (t->asked[CST_TANGENT_LYAPUNOV])
    CST_TRY(conclude_exponents(rows, handles, of));
  if (t->asked[CST_TANGENT_MEGNO])
    CST_TRY(conclude_megno(rows, handles, of));
  free(of);
  return 0;
}

/* ---- the row --------------------------------------------------------------------------------- */

const cst_collector cst_collector_lyapunov = {
    .name = "lyapunov",
    .needs = CST_NEEDS_EQUAL_STEPS,
    .doc = "Lyapunov exponents and MEGNO",
    .plan = {.steps = steps, .calls = calls, .lanes = lanes, .wanted = wanted},
    .run = {.own = sizeof(own),
            .create = create,
            .destroy = destroy,
            .begin = begin,
            .locate = locate,
            .next = cst_tangent_next,
            .stop = stop,
            .finish = finish,
            .save = save,
            .restore = restore},
    .file = {.declare = declare, .columns = columns, .conclude = conclude},
};
