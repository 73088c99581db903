/* stepper-another.c: records of a method that steps another system than the one it is asked for (penalty):
 * the record of that system follows the one of the asked system. Also computes the multipliers that its
 * springs represent.
 *
 * In M A = f - G'lambda the springs of V + omega^2/2 sum g^2 give lambda = omega^2 g, which oscillates. Its
 * mean over a time before a read is the trapezoidal mean, accumulated in the record: sums, then the weight,
 * negative once the mean is complete. There are two such means: what reads every lane has the first, and what
 * reads some lanes only (stored trajectories) the second, so that no lane has other numbers because of its
 * neighbours' reads.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "method/stepper-internal.h"

void cst_stepper_bring(const cst_stepper *st, double *record) {
  const size_t      W = (size_t)st->width;
  const size_t      nq = (size_t)st->outer.nq;
  const cst_layout *to = &st->layout;
  const cst_layout *from = &st->inner;
  const double     *other = record + (size_t)st->shift * W;
  const cst_system *asked = st->outer.system;
  const int         clock = asked->account - 1; /* the time, and the accounts behind it */
  if (!st->shift)
    return;
  memcpy(record + (size_t)to->q * W, other + (size_t)from->q * W, nq * W * sizeof *record);
  memcpy(record + (size_t)to->p * W, other + (size_t)from->p * W, nq * W * sizeof *record);
  if (asked->timed)
    memcpy(record + (size_t)(to->c + clock) * W, other + (size_t)(from->c + clock) * W,
           (size_t)(1 + asked->naccount) * W * sizeof *record);
  memcpy(record + (size_t)to->iterations * W, other + (size_t)from->iterations * W,
         W * sizeof *record);
  memcpy(record + (size_t)to->step * W, other + (size_t)from->step * W, W * sizeof *record);
}

void cst_stepper_begin(const cst_stepper *st, double *column, const double *c, const double *q) {
  const cst_system *s = st->segment[0].march.group.system;
  const cst_layout *to = &st->inner;
  const cst_layout *from = &st->layout;
  const int         W = st->width;
  const int         npar = st->outer.npar;
  double           *other = column + st->shift * W;
  for (int k = 0; k < s->npar; k++)
    other[(to->c + k) * W] = k < npar ? c[k] : st->more[k - npar];
  for (int k = 0; k < s->nmass; k++)
    other[(to->mass + k) * W] = column[(from->mass + k) * W];
  other[to->extent * W] = column[from->extent * W];
  other[to->tolerance * W] = column[from->tolerance * W];
  for (int i = 0; i < s->nq; i++) {
    other[(to->q + i) * W] = q[i];
    other[(to->p + i) * W] = column[(from->p + i) * W];
  }
}

static void put(double *column, int width, int at, uint64_t x) {
  memcpy(column + (size_t)at * (size_t)width, &x, sizeof x);
}

void cst_stepper_address(const cst_stepper *st, double *column, uint64_t seed, uint64_t member) {
  double *other = column + (size_t)st->shift * (size_t)st->width;
  put(column, st->width, st->layout.seed, seed);
  put(column, st->width, st->layout.member, member);
  put(other, st->width, st->inner.seed, seed);
  put(other, st->width, st->inner.member, member);
}

/* ---- multipliers ----------------------------------------------------------------------------- */

static double stiffness(const cst_stepper *st) { return st->more[0] * st->more[0]; }

static size_t sums_at(const cst_stepper *st, cst_readers readers) {
  return ((size_t)st->acc + (size_t)readers * ((size_t)st->outer.ng + 1)) * (size_t)st->width;
}

/* Multipliers of the current state. The kernel's output is aligned; lambda need not be. */
static void springs_now(const cst_stepper *st, const double *record, double *lambda) {
  const size_t W = (size_t)st->width;
  const size_t n = (size_t)st->outer.ng * W;
  st->outer.kernel[CST_K_g](st->outer.self, record + (size_t)st->layout.c * W,
                            record + (size_t)st->layout.q * W, NULL, NULL, NULL, NULL, st->work);
  for (size_t k = 0; k < n; k++)
    lambda[k] = st->work[k] * stiffness(st);
}

void cst_stepper_springs(const cst_stepper *st, const double *record, double *lambda) {
  const size_t  W = (size_t)st->width;
  const size_t  n = (size_t)st->outer.ng * W;
  const double *sum = record + sums_at(st, st->readers);
  if (!(st->mean > 0)) {
    springs_now(st, record, lambda);
    return;
  }
  for (size_t k = 0; k < n; k++)
    lambda[k] = sum[k] / fabs(sum[n + k % W]);
}

/* Adds the current multipliers with this weight; `last` completes the mean. */
static void add(cst_stepper *st, cst_readers readers, int group, double weight, bool first,
                bool last) {
  const size_t W = (size_t)st->width;
  const size_t n = (size_t)st->outer.ng * W;
  double      *record = st->batch->record + (size_t)group * st->size;
  double      *sum = record + sums_at(st, readers);
  double      *now = st->work;
  springs_now(st, record, now);
  for (size_t k = 0; k < n; k++)
    sum[k] = (first ? 0 : sum[k]) + weight * now[k];
  for (size_t l = 0; l < W; l++)
    sum[n + l] = ((first ? 0 : sum[n + l]) + weight) * (last ? -1 : 1);
}

static bool is_complete(const cst_stepper *st, cst_readers readers) {
  return st->batch->record[sums_at(st, readers) + (size_t)(st->outer.ng * st->width)] <= 0;
}

static void add_all(cst_stepper *st, cst_readers readers, double weight, bool first, bool last) {
  for (int g = 0; g < st->batch->groups; g++)
    add(st, readers, g, weight, first, last);
}

/* Advances by one stretch towards `to`: to the beginning of the mean that is read next, or by one step of it. */
static cst_error advance(cst_stepper *st, long to, cst_error (*stretch)(cst_stepper *, long)) {
  const long now = st->batch->step;
  const long steps = lround(fmax(1, st->mean / st->h));
  long       read[CST_READERS], next = to;
  for (cst_readers k = 0; k < CST_READERS; k++) {
    read[k] = st->reader ? st->reader(st->reader_context, k) : k == CST_READS_ALL ? to : LONG_MAX;
    next = CST_SMALLER(next, now < read[k] - steps ? read[k] - steps : now + 1);
  }
  for (cst_readers k = 0; k < CST_READERS; k++)
    if (now >= read[k] - steps && (now == read[k] - steps || is_complete(st, k)))
      add_all(st, k, 0.5, true, false);
  CST_TRY(stretch(st, next - now));
  st->batch->step = next;
  for (cst_readers k = 0; k < CST_READERS; k++)
    if (now >= read[k] - steps)
      add_all(st, k, next == read[k] ? 0.5 : 1, false, next == read[k]);
  return 0;
}

cst_error cst_stepper_toward(cst_stepper *st, long to, cst_error (*stretch)(cst_stepper *, long)) {
  while (st->batch->step < to && st->mean > 0 && !st->halted)
    CST_TRY(advance(st, to, stretch));
  if (st->batch->step < to && !st->halted)
    CST_TRY(stretch(st, to - st->batch->step));
  st->batch->step = to;
  return 0;
}
