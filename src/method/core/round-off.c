/* round-off.c: the test of round-off.h, compiled once per instruction set. */
/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dense.h"
#include "method/core/round-off.h"
#include "system/lane/interpreted-kernels.h"

#define LAST_BITS 3ul /* of a number's fraction: changes of up to 3 ulp */
#define REST_ROOM 4.0
#define FAR       8.0
#define CURVATURE 2.0

enum { TRIALS = 8, DIRECTIONS = 4, CORRECTIONS = 2 };

/* Flips last bits of z at random; the same again undoes it. Masks and whole numbers, none of which is a normal number,
 * stay among the fields, and with them numbers that are 0 or subnormal; unknowns are none of these. */
static void stir(vd *z, size_t n, int fields, unsigned long *state) {
  for (size_t i = 0; i < n; i++) {
    const long bits = (long)(cst_rounding_draw(state) & LAST_BITS);
    const vd   size = vabs(z[i]);
    const vl   changes = (vl)(size >= (fields ? 0x1p-1022 : 0)) & (vl)(size < INFINITY);
    z[i] = (vd)((vl)z[i] ^ (changes & bits));
  }
}

/* The larger of two sizes; what is not finite is not passed over. */
CST_INLINE vd larger(vd most, vd size) { return vmax(size, most) + (size - size); }

static void find_noise(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                       vd *x, const vd *f, int trials, int apart, vd *changed, vd *noise) {
  vd *const    fields = (vd *)C->work;
  cst_march    other = *MARCH;
  cst_rounding rounding = {C, CST_W, apart, 1};
  other.group.kernel = cst_rounding_kernels;
  other.group.self = &rounding;
  for (int i = 0; i < e->n; i++)
    noise[i] = vset(0);
  for (int k = 0; k < trials; k++) {
    unsigned long again = rounding.state;
    stir(fields, e->fields, 1, &rounding.state);
    stir(x, (size_t)e->n, 0, &rounding.state);
    e->residual(&other.group, L, j, x, changed);
    stir(fields, e->fields, 1, &again);
    stir(x, (size_t)e->n, 0, &again);
    for (int i = 0; i < e->n; i++)
      noise[i] = larger(noise[i], vabs(changed[i] - f[i]));
  }
}

/* d := what `by` noise in every row of the residual makes of the unknowns, with signs drawn. y: work space. */
static void disturb(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                    const vd *x, double by, const vd *noise, unsigned long *state, vd *y, vd *d) {
  e->residual(C, L, j, x, y);
  for (int i = 0; i < e->n; i++)
    y[i] = (cst_rounding_draw(state) & 1 ? by : -by) * noise[i];
  e->correction(C, L, j, x, y, d);
}

/* second [2 n] := the second difference of the residual f at x over +d and -d, and work space. */
static void differ_twice(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                         const vd *x, const vd *f, const vd *d, vd *y, vd *second) {
  vd *const behind = second + e->n;
  for (int i = 0; i < e->n; i++)
    y[i] = x[i] + d[i];
  e->residual(C, L, j, y, second);
  for (int i = 0; i < e->n; i++)
    y[i] = x[i] - d[i];
  e->residual(C, L, j, y, behind);
  for (int i = 0; i < e->n; i++)
    second[i] = (second[i] - f[i]) + (behind[i] - f[i]);
}

/* noise[i] := at least the largest second difference of row i over what noise in every row makes of the unknowns. space
 * [4 n]: work space, as below. */
static void raise_noise(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                        const vd *x, const vd *f, vd *noise, vd *d, vd *space) {
  vd *const y = space, *const second = y + e->n, *const most = second + 2 * e->n;
  unsigned long state = 1;
  for (int i = 0; i < e->n; i++)
    most[i] = noise[i];
  for (int k = 0; k < DIRECTIONS; k++) {
    disturb(C, L, j, e, x, 1, noise, &state, y, d);
    differ_twice(C, L, j, e, x, f, d, y, second);
    for (int i = 0; i < e->n; i++)
      most[i] = larger(most[i], vabs(second[i]));
  }
  for (int i = 0; i < e->n; i++)
    noise[i] = most[i];
}

/* The lanes in which the residual is linear over the uncertainty of its root: what second differences make of each
 * unknown is within twice the largest change that the differences were taken over; and no correction of the test has
 * moved an unknown by more than eight times that, or by more than an elimination mixes into it, which would be a step of the
 * iteration. moved [n]: the largest corrections. */
static vl is_linear(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                    const vd *x, const vd *f, const vd *noise, const vd *moved, vd *d, vd *space) {
  vd *const y = space, *const second = y + e->n, *const spread = second + 2 * e->n;
  vd            mixed = vset(0);
  vl            linear = vmask(1);
  unsigned long state = 1;
  for (int i = 0; i < e->n; i++)
    spread[i] = vset(0);
  for (int k = 0; k < DIRECTIONS; k++) {
    disturb(C, L, j, e, x, FAR, noise, &state, y, d);
    for (int i = 0; i < e->n; i++)
      spread[i] = larger(spread[i], vabs(d[i]));
  }
  for (int i = 0; i < e->n; i++)
    mixed = vmax(4 * EPS * spread[i], mixed);
  for (int i = 0; i < e->n; i++)
    linear &= (vl)(moved[i] <= FAR * spread[i] + FAR * mixed);
  state = 1;
  for (int k = 0; k < DIRECTIONS && vany(linear); k++) {
    disturb(C, L, j, e, x, FAR, noise, &state, y, d);
    differ_twice(C, L, j, e, x, f, d, y, second);
    e->residual(C, L, j, x, y);
    e->correction(C, L, j, x, second, d);
    for (int i = 0; i < e->n; i++)
      linear &= (vl)(vabs(d[i]) <= CURVATURE * spread[i] + mixed);
  }
  return linear;
}

static vl is_within(const cst_context *C, const struct local *L, const cst_rest_equations *e,
                    int row, vd f, vd noise) {
  const vl within = (vl)(vabs(f) <= REST_ROOM * noise) & (vl)(noise < INFINITY);
  if (e->met)
    return within | e->met(C, L, row, f);
  return within;
}

/* Whether a correction feels this row: those of redundant constraints are nobody's. Behind a call of the residual at x. */
static int is_felt(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                   int row, const vd *x, vd *y, vd *d) {
  vl felt = vmask(0);
  for (int i = 0; i < e->n; i++)
    y[i] = vset(i == row);
  e->correction(C, L, j, x, y, d);
  for (int i = 0; i < e->n; i++)
    felt |= (vl)(d[i] != 0);
  return vany(felt);
}

static vl rests(const cst_context *C, struct local *L, int j, const cst_rest_equations *e, vl some,
                vd *x, vd *f, vd *d, vd *space) {
  vd *const noise = space + 4 * e->n, *const moved = noise + e->n;
  vl at_rest = vmask(0);
  for (int i = 0; i < e->n; i++)
    moved[i] = vset(0);
  e->residual(C, L, j, x, f);
  for (int k = 0; k <= CORRECTIONS && vany(some & ~at_rest); k++) {
    vl within = some & ~at_rest;
    if (k > 0) {
      for (int i = 0; i < e->n; i++)
        space[i] = vselect(is_within(C, L, e, i, f[i], noise[i]), vset(0), f[i]);
      e->correction(C, L, j, x, space, d);
      for (int i = 0; i < e->n; i++) {
        x[i] += vkeep(within, d[i]);
        moved[i] = larger(moved[i], vabs(d[i]));
      }
      e->residual(C, L, j, x, f);
    }
    find_noise(C, L, j, e, x, f, TRIALS, CST_W, space, noise);
    raise_noise(C, L, j, e, x, f, noise, d, space);
    e->residual(C, L, j, x, f);
    for (int i = 0; i < e->n; i++) {
      const vl row = is_within(C, L, e, i, f[i], noise[i]);
      if (!C->dropped || !vany(within & ~row) || is_felt(C, L, j, e, i, x, space, d))
        within &= row;
    }
    if (vany(within))
      within &= is_linear(C, L, j, e, x, f, noise, moved, d, space);
    at_rest |= within;
    e->residual(C, L, j, x, f);
  }
  return at_rest;
}

static vl field_rests(const cst_context *C, struct local *L, int j, const cst_rest_equations *e,
                      vl some, vd *field) {
  vd x[ROOM(e->n)], f[ROOM(e->n)], d[ROOM(e->n)], space[ROOM(REST_SPACE * e->n)];
  for (int i = 0; i < e->n; i++)
    x[i] = field[i];
  some = rests(C, L, j, e, some, x, f, d, space);
  for (int i = 0; i < e->n; i++)
    field[i] = x[i];
  return some;
}

const cst_round_off ROUND_OFF = {rests, field_rests, find_noise};
