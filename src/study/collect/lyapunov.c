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
#include "study/collect/lyapunov.h"
#include "study/collect/tangent-numbers.h"
#include "study/plan/clock.h"

/* clang-format off */
static const cst_channel_row companions = {"companions", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
static const cst_channel_row tallies = {"tallies", "1", "", CST_TYPE_F64, CST_IS_OF_TRAJECTORY | CST_IS_KEPT, {CST_AXIS_NONE}, {0}};
const cst_channel_row cst_lyapunov_exponents = {"/lyapunov/exponents", "1/time", "Lyapunov exponents over the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_lyapunov_blocks = {"/lyapunov/blocks_%s", "1/time", "growth rate of a vector in successive equal parts of the run", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
static const cst_channel_row running = {"/lyapunov/running_%s", "1/time", "exponent until the times of /lyapunov/time", CST_TYPE_F64, CST_IS_ROW | CST_IS_KEPT, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_lyapunov_times = {"/lyapunov/time", "time", "times of the running exponents", CST_TYPE_F64, CST_IS_WRITTEN, {CST_AXIS_CASE, CST_AXIS_OWN, CST_AXIS_NONE}, {0}};
const cst_channel_row cst_lyapunov_megno = {"/lyapunov/megno", "1", "mean exponential growth of nearby orbits", CST_TYPE_F64, CST_IS_ROW, {CST_AXIS_CASE, CST_AXIS_MEMBER, CST_AXIS_NONE}, {0}};
/* clang-format on */

/* Numbers of a trajectory: periods done; periods of a block; the sums of j g_j and of Y_n. Then of each vector
 * the sum of its logarithms, and the sums of its blocks, of which two become one when all are full. */
enum { PERIODS, LENGTH, WEIGHTED, GROWTH, HEAD, OF_VECTOR = 1 + CST_LYAPUNOV_BLOCKS };

bool cst_lyapunov_wanted(const cst_plan *p) {
  const cst_tangent *t = cst_tangent_of(p);
  return t->asked[CST_TANGENT_LYAPUNOV] || t->asked[CST_TANGENT_MEGNO];
}

int cst_lyapunov_vectors(const cst_plan *p) {
  return cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV] ? cst_tangent_of(p)->vectors : 1;
}

static double lanes(const cst_plan *p) {
  return cst_lyapunov_wanted(p) ? cst_lyapunov_vectors(p) : 0;
}

static double steps(const cst_plan *p, const cst_class *k) {
  (void)k;
  return lanes(p);
}

long cst_lyapunov_point(int i) { return i % 2 || i == 0 ? 1L << (i + 1) / 2 : 3L << (i / 2 - 1); }

const char *cst_lyapunov_number(int i) {
  static char text[64][12];
  snprintf(text[i % 64], sizeof *text, "%d", i + 1);
  return text[i % 64];
}

static void declare(const cst_plan *p, cst_channels *c) {
  if (!cst_lyapunov_wanted(p))
    return;
  const int    k = cst_lyapunov_vectors(p);
  const size_t kept = cst_companions_numbers(p, k);
  const size_t tally = HEAD + (size_t)k * OF_VECTOR;
  const int    axis = cst_channels_axis(c, "tangent vector", k, "vector");
  const int    block = cst_channels_axis(c, "part of the run", CST_LYAPUNOV_BLOCKS, "part");
  const int    at = cst_channels_axis(c, "running exponent", CST_LYAPUNOV_POINTS, "point");
  cst_channels_add(c, &companions, 0, (cst_channel_use){.count = kept});
  cst_channels_add(c, &tallies, 0, (cst_channel_use){.count = tally});
  if (cst_tangent_of(p)->asked[CST_TANGENT_MEGNO])
    cst_channels_add(c, &cst_lyapunov_megno, 0, (cst_channel_use){0});
  if (!cst_tangent_of(p)->asked[CST_TANGENT_LYAPUNOV])
    return;
  cst_channels_add(c, &cst_lyapunov_exponents, 0, (cst_channel_use){.axis = axis});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &cst_lyapunov_blocks, i,
                     (cst_channel_use){.name = cst_lyapunov_number(i), .axis = block});
  for (int i = 0; i < k; i++)
    cst_channels_add(c, &running, i, (cst_channel_use){.name = cst_lyapunov_number(i), .axis = at});
  cst_channels_add(c, &cst_lyapunov_times, 0, (cst_channel_use){.axis = at});
}

/* ---- a batch --------------------------------------------------------------------------------- */

typedef struct {
  cst_companions c;
  int            k;
  double        *base, *w, *weight, *growth; /* [numbers], [k][numbers], [2 nq], [k] */
  double        *tally;                      /* into the rows, [lane][HEAD + k OF_VECTOR] */
} own;

static double *tally_of(const own *o, long lane) {
  return o->tally + lane * (HEAD + o->k * OF_VECTOR);
}

static void create(cst_collection *x) {
  own         *o = x->own;
  const size_t nq = (size_t)x->run->plan->study->system->nq;
  o->k = cst_lyapunov_vectors(x->run->plan);
  PetscCallAbort(PETSC_COMM_SELF, cst_companions_create(&o->c, x->run, o->k));
  const size_t most = (size_t)cst_plan_state_numbers(x->run->plan);
  o->base = cst_zeros(most, sizeof *o->base);
  o->w = cst_zeros((size_t)o->k * most, sizeof *o->w);
  o->weight = cst_zeros(2 * nq, sizeof *o->weight);
  o->growth = cst_zeros(o->k, sizeof *o->growth);
  o->tally = cst_rows_numbers(x->run->rows, &tallies, 0, 0);
}

static void destroy(cst_collection *x) {
  own *o = x->own;
  PetscCallAbort(PETSC_COMM_SELF, cst_companions_destroy(&o->c));
  free(o->base);
  free(o->w);
  free(o->weight);
  free(o->growth);
}

static double product(const double *x, const double *y, const double *weight, int n) {
  double sum = 0;
  for (int e = 0; e < n; e++)
    sum += weight[e] * x[e] * y[e];
  return sum;
}

/* Takes the parts along w[i][n], over the first `in` numbers, off x; returns the square of what is left. */
static double take_off(double *x, const double *w, int i, int n, const double *weight, int in) {
  for (int j = 0; j < i; j++) {
    const double *y = w + (size_t)j * (size_t)n;
    const double  part = product(x, y, weight, in);
    for (int e = 0; e < n; e++)
      x[e] -= part * y[e];
  }
  return product(x, x, weight, in);
}

/* Orthonormalises w[k][n] over the first `in` numbers of each, with weights; growth[i]: the length of the i-th
 * without its parts along those before. False where a vector has no length. */
static bool orthonormalise(double *w, int k, int n, const double *weight, int in, double *growth) {
  for (int i = 0; i < k; i++) {
    double      *x = w + (size_t)i * (size_t)n;
    const double whole = i ? product(x, x, weight, in) : 0;
    double       left = take_off(x, w, i, n, weight, in);
    if (left < whole / 4) /* round-off counts */
      left = take_off(x, w, i, n, weight, in);
    growth[i] = sqrt(left);
    if (!(growth[i] > 0) || !isfinite(growth[i]))
      return false;
    const double inverse = 1 / growth[i];
    for (int e = 0; e < n; e++)
      x[e] *= inverse;
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
      w[e] = o->base[e] + CST_LYAPUNOV_DISTANCE * w[e];
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
    good = cst_companions_start(&o->c, lane, i, CST_LYAPUNOV_DISTANCE, d);
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
    double *tally = tally_of(o, l);
    memset(tally, 0, sizeof(double) * (size_t)(HEAD + o->k * OF_VECTOR));
    tally[LENGTH] = 1;
    for (int i = 0; i < o->k; i++) {
      double *at = cst_rows_numbers(r->rows, &running, i, l);
      for (int k = 0; at && k < CST_LYAPUNOV_POINTS; k++)
        at[k] = NAN;
    }
    if (cst_runner_lives(r, r->b, l))
      start_lane(o, l);
  }
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
  if (tally[PERIODS] < CST_LYAPUNOV_BLOCKS * tally[LENGTH])
    return;
  for (int i = 0; i < k; i++) {
    double *block = tally + HEAD + i * OF_VECTOR + 1;
    for (int b = 0; b < CST_LYAPUNOV_BLOCKS; b++)
      block[b] = b < CST_LYAPUNOV_BLOCKS / 2 ? block[2 * b] + block[2 * b + 1] : 0;
  }
  tally[LENGTH] *= 2;
}

/* The first point that is not before n periods; point 2k - 1 is 2^k. */
static int point_of(double n) {
  int at = n > 1 ? 2 * ilogb(n) - 1 : 0;
  while (at < CST_LYAPUNOV_POINTS && (double)cst_lyapunov_point(at) < n)
    at++;
  return at;
}

static void count(const own *o, cst_runner *r, long lane) {
  double      *tally = tally_of(o, lane);
  const double every = cst_clock_at(r->cohort, (double)cst_tangent_steps(r->plan, r->cohort));
  const double n = ++tally[PERIODS];
  const int    at = point_of(n);
  for (int i = 0; i < o->k; i++) {
    const double g = log(o->growth[i] / CST_LYAPUNOV_DISTANCE);
    double      *sum = tally + HEAD + i * OF_VECTOR;
    *sum += g;
    add_to_block(tally, sum + 1, g);
    if (at >= CST_LYAPUNOV_POINTS || (double)cst_lyapunov_point(at) != n)
      continue;
    double *now = cst_rows_numbers(r->rows, &running, i, lane);
    if (now)
      now[at] = *sum / (n * every);
  }
  tally[WEIGHTED] += n * log(o->growth[0] / CST_LYAPUNOV_DISTANCE);
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
  const double *tally = tally_of(o, lane);
  double       *all = cst_rows_numbers(r->rows, &cst_lyapunov_exponents, 0, lane);
  double       *mean = cst_rows_numbers(r->rows, &cst_lyapunov_megno, 0, lane);
  const double  every = cst_clock_at(r->cohort, (double)cst_tangent_steps(r->plan, r->cohort));
  const double  n = tally[PERIODS], length = tally[LENGTH];
  const bool    good = cst_companions_live(&o->c, lane);
  if (mean)
    *mean = good ? tally[GROWTH] / n : NAN;
  for (int i = 0; i < o->k && all; i++) {
    const double *sum = tally + HEAD + i * OF_VECTOR;
    double       *rate = cst_rows_numbers(r->rows, &cst_lyapunov_blocks, i, lane);
    all[i] = good ? *sum / (n * every) : NAN;
    for (int b = 0; b < CST_LYAPUNOV_BLOCKS; b++)
      rate[b] = good && (b + 1) * length <= n ? sum[1 + b] / (length * every) : NAN;
  }
}

static PetscErrorCode finish(cst_collection *x) {
  PetscFunctionBegin;
  for (long l = 0; l < x->run->work->count; l++)
    finish_lane(x->own, x->run, l);
  PetscFunctionReturn(0);
}

const cst_collector cst_collector_lyapunov = {
    .name = "lyapunov",
    .doc = "Lyapunov exponents and MEGNO",
    .steps = steps,
    .lanes = lanes,
    .declare = declare,
    .own = sizeof(own),
    .wanted = cst_lyapunov_wanted,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .locate = locate,
    .next = cst_tangent_next,
    .stop = stop,
    .finish = finish,
    .save = save,
    .restore = restore,
    .columns = cst_lyapunov_columns,
    .conclude = cst_lyapunov_conclude,
};
