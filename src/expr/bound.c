/* bound.c: runs a tape on numbers with bounds of their rounding errors (bound.h).
 *
 * The functions of SLEEF are off by at most one ulp, 2 u of the value. Nothing is credited for errors that cancel. A step,
 * and so a sign or a piece, is taken as it is: where a root is at its jump nothing bounds the error.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include "expr/bound.h"
#include "expr/expr-internal.h"

#define U     0x1p-53
#define FLOOR CST_BOUND_FLOOR

/* Of a quotient by z that is off by `error`: what is left of z at least. */
static double left_of(double z, double error) { return z > U * error ? z - U * error : 0; }

static double error_of_root(double z, double error) {
  const double most = sqrt(error / U); /* from anywhere, 0 included */
  return fmin(z > 0 ? error / z : INFINITY, most) + z;
}

static double error_of_wave(double slope, double error) {
  return fmin(fabs(slope) * error + U / 2 * error * error, 2 / U);
}

/* tan(a + d) - tan(a) = (1 + z^2) t/(1 - z t), t = tan d, up to the next pole. */
static double error_of_tan(double z, double error) {
  const double d = U * error, t = tan(fmin(d, 1.5)), left = 1 - fabs(z) * t;
  return d < 1.5 && left > 0 ? (1 + z * z) * (t / U) / left : INFINITY;
}

static double error_of_exp(double z, double error) { return z * fmax(error, expm1(U * error) / U); }

static double error_of_power(double z, cst_bounded x, cst_bounded y) {
  double error = 0;
  if (x.value == 0 && x.error > 0)
    error = y.value > 0 ? pow(U * x.error, y.value) / U : INFINITY;
  else if (x.error > 0)
    error = fabs(y.value * (z / x.value)) * x.error / (1 - fmin(0.5, fabs(U * x.error / x.value)));
  if (y.error > 0)
    error += fabs(z * log(x.value)) * y.error;
  return error;
}

static double error_of_angle(cst_bounded y, cst_bounded x) {
  return (fabs(x.value) * y.error + fabs(y.value) * x.error) /
         (y.value * y.value + x.value * x.value);
}

/* Of sinh or cosh: |f(a + d) - f(a)| <= |f'(a)| sinh d + |f(a)| (cosh d - 1), where cosh d - 1 = 2 sinh(d/2)^2. */
static double error_of_growth(double slope, double z, double error) {
  const double half = sinh(U * error / 2);
  return (fabs(slope) * sinh(U * error) + 2 * fabs(z) * half * half) / U;
}

/* tanh(a + d) - tanh(a) = (1 - z^2) t/(1 + z t), t = tanh d. z is off by 2 U at most, 1 - z^2 by less than 4 U then. */
static double error_of_tanh(double z, double error) {
  const double t = tanh(U * error);
  const double slope = (1 - fabs(z)) * (1 + fabs(z)) + 4 * U;
  return fmin(slope * (t / U) / (1 - fabs(z) * t), 2 / U);
}

/* Of asin or acos: the slope is largest at the end of the interval that is nearer to -1 or 1. Two arguments that are d
 * apart differ most where one of them is 1, by acos(1 - d) = 2 asin(sqrt(d/2)). */
static double error_of_arc(double a, double error) {
  const double left = left_of(1 - fabs(a), error);
  const double most = 2 * asin(sqrt(fmin(U * error / 2, 1))) / U;
  return fmin(error / sqrt(left * (1 + fabs(a))), most);
}

/* What a result z is rounded by at most. */
#define ROUNDED (fabs(z) + FLOOR)

static double error_of(cst_op op, double z, cst_bounded a, cst_bounded b) {
  switch (op) {
#define OPERATION(OP, name, n, kind, ...)                                                          \
  case CST_OP_##OP:                                                                                \
    __VA_ARGS__
#define BOUND(x) return x;
#include "expr/operations.h"
  default:
    return a.error;
  }
}

static cst_bounded apply(cst_op op, cst_bounded a, cst_bounded b) {
  const double z = cst_elementary_apply(op, a.value, b.value);
  return (cst_bounded){z, error_of(op, z, a, b)};
}

#define VALUE           cst_bounded
#define APPLY           apply
#define PAIRS_ADD(a, b) apply(CST_OP_ADD, a, b)
#define PAIRS_TAPES
#include "expr/tape-run.h"
#include "expr/pair-sums.h"

static void reach_for(const cst_tape *t, int base, int index, int reach[128]) {
  if (base < CST_BASE_INPUT)
    return;
  int *const most = &reach[(int)t->letter[base - CST_BASE_INPUT]];
  *most = index >= *most ? index + 1 : *most;
}

/* What column `index` of the table of a loop reads. */
static void reach_in_rows(const cst_tape *t, const cst_loop *l, int base, int index,
                          int reach[128]) {
  for (int row = 0; row < l->rows && base >= CST_BASE_INPUT; row++)
    reach_for(t, base, l->index[(long)index * l->rows + row], reach);
}

void cst_tape_reach(const cst_tape *t, int reach[128]) {
  for (int i = 0; i < 128; i++)
    reach[i] = 0;
  for (const cst_tape_block *k = t->block, *end = k + t->blocks; k < end; k++) {
    const cst_loop *l = k->loop < 0 ? NULL : &t->loops.loop[k->loop];
    for (const cst_instruction *i = t->code + k->first, *e = i + k->length; i < e; i++) {
      const int base[] = {i->abase, i->bbase}, index[] = {i->a, i->b};
      for (int o = 0; o < 2; o++)
        if (l)
          reach_in_rows(t, l, base[o], index[o], reach);
        else
          reach_for(t, base[o], index[o], reach);
    }
    if (!l || !l->sums)
      continue;
    reach_in_rows(t, l, k->term.base, k->term.index, reach);
    for (int s = 0; s < l->sums; s++)
      reach_for(t, k->start.base, l->origin[s], reach);
  }
}

/* Scratch of a run, with the constants behind it. */
static cst_bounded *scratch_of(const cst_tape *t) {
  cst_bounded *scratch =
      cst_expr_memory(NULL, (size_t)t->registers + (size_t)t->nconstant, sizeof *scratch);
  for (int i = 0; i < t->nconstant; i++)
    scratch[t->registers + i] = (cst_bounded){t->constants[0][i], 0};
  return scratch;
}

void cst_tape_bound(const cst_tape *t, const cst_bounded *const in[128], cst_bounded *out) {
  cst_bounded *scratch = scratch_of(t);
  run(t, in, scratch + t->registers, out, scratch);
  free(scratch);
}

void cst_pairs_bound(const cst_pair_tapes *p, bool value, const int *place,
                     const cst_bounded *const in[128], cst_bounded *out) {
  const cst_tape *t = value ? p->value : p->slope;
  cst_bounded    *scratch = scratch_of(t);
  pairs_of_tapes(p, value, place, in, scratch + t->registers, out, scratch);
  free(scratch);
}
