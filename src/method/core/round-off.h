/* round-off.h: accepts an iteration that has come to rest at the round-off of its equations, where this is far
 * above the round-off of the unknowns: that of a substep, for march.h, and those of other equations that a core solves.
 *
 * The terms of a residual may cancel: in the sums of a step, as where an acceleration passes through zero, or inside an
 * expression, as in k (u - m g/k) + m g near u = 0. The updates of an iteration then stop to shrink far above the round-off
 * of the unknowns. The round-off N_i of each row of the residual is the largest change that it shows in some trials, in
 * which all numbers that it reads, fields and unknowns, change by some of their last bits, and the outputs of the system's
 * kernels by the bound of what rounds inside them (system/lane/interpreted-kernels.h). An iteration is at rest where every row is
 * within 4 N_i, or a constraint within what the iteration asks of it: the root nearest to it differs by what 5 N_i make of
 * the unknowns. A maximum over rows would hide those that are small. What the last linear solve has left in those may be more, since it mixes the rounding of large unknowns
 * into them; so up to two further corrections are made, of the rows that are not within.
 *
 * What rounds between the kernels, on the way to numbers that are smaller than those it reads, shows in second differences
 * of the residual over +d and -d, where d is what N_i in every row make of the unknowns; N_i is at least this.
 *
 * Where constraints lose their rank the step has no single root near it, and residuals tell nothing. The residual must be
 * linear over the uncertainty of its root: what second differences over eight times this d make of an unknown is within
 * twice what that changes. (Round-off does not grow with d, a curvature by its square. A row may well bend by more than its
 * own round-off, where others leave the unknowns it reads less certain.)
 *
 * This is asked only of steps whose iteration did not end otherwise: an iteration that ended as soon as it is within
 * its round-off would leave an error of one sign, which adds up. The random bits are the same for every lane and step.
 *
 * Include it behind the definition of struct local and LOCAL(X). */
/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CST_CORE_ROUND_OFF_H
#define CST_CORE_ROUND_OFF_H
#include "system/lane/interpreted-kernels.h"

#define FIELDS (0 LOCAL(CST_FIELD_COUNT))

#define LAST_BITS 3ul /* of a number's fraction: changes of up to 3 ulp */
#define REST_ROOM 4.0
#define FAR       8.0
#define CURVATURE 2.0

enum {
  TRIALS = 8,
  DIRECTIONS = 4,
  CORRECTIONS = 2,
  REST_SPACE = 6 /* vectors of n that the test takes */
};

/* n equations f(x) = 0, and the correction d of x by Newton's method where the residual is f, behind a call of the former.
 */
typedef struct {
  int n;
  void (*residual)(const cst_context *C, struct local *L, int j, const vd *x, vd *f);
  void (*correction)(const cst_context *C, struct local *L, int j, const vd *x, const vd *f, vd *d);
  /* where f is as small as the core asks of this row, behind a call of the residual; NULL: it asks no row by itself */
  vl (*met)(const cst_context *C, const struct local *L, int row, vd f);
} rest_equations;

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

/* noise[i] := the largest change of row i of the residual f at x while all that it reads changes, and what rounds in
 * the kernels. apart: the first lanes, of which the others are copies. changed: work space. */
static void find_noise(const cst_context *C, struct local *L, int j, const rest_equations *e, vd *x,
                       const vd *f, int trials, int apart, vd *changed, vd *noise) {
  vd *const    fields = (vd *)C->work;
  cst_march    other = *MARCH;
  cst_rounding rounding = {C, CST_W, apart, 1};
  other.group.kernel = cst_rounding_kernels;
  other.group.self = &rounding;
  for (int i = 0; i < e->n; i++)
    noise[i] = vset(0);
  for (int k = 0; k < trials; k++) {
    unsigned long again = rounding.state;
    stir(fields, FIELDS, 1, &rounding.state);
    stir(x, (size_t)e->n, 0, &rounding.state);
    e->residual(&other.group, L, j, x, changed);
    stir(fields, FIELDS, 1, &again);
    stir(x, (size_t)e->n, 0, &again);
    for (int i = 0; i < e->n; i++)
      noise[i] = larger(noise[i], vabs(changed[i] - f[i]));
  }
}

/* d := what `by` noise in every row of the residual makes of the unknowns, with signs drawn. y: work space. */
static void disturb(const cst_context *C, struct local *L, int j, const rest_equations *e,
                    const vd *x, double by, const vd *noise, unsigned long *state, vd *y, vd *d) {
  e->residual(C, L, j, x, y);
  for (int i = 0; i < e->n; i++)
    y[i] = (cst_rounding_draw(state) & 1 ? by : -by) * noise[i];
  e->correction(C, L, j, x, y, d);
}

/* second [2 n] := the second difference of the residual f at x over +d and -d, and work space. */
static void differ_twice(const cst_context *C, struct local *L, int j, const rest_equations *e,
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
static void raise_noise(const cst_context *C, struct local *L, int j, const rest_equations *e,
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
static vl is_linear(const cst_context *C, struct local *L, int j, const rest_equations *e,
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

static vl is_within(const cst_context *C, const struct local *L, const rest_equations *e, int row,
                    vd f, vd noise) {
  const vl within = (vl)(vabs(f) <= REST_ROOM * noise) & (vl)(noise < INFINITY);
  if (e->met)
    return within | e->met(C, L, row, f);
  return within;
}

/* Whether a correction feels this row: those of redundant constraints are nobody's. Behind a call of the residual at x. */
static int is_felt(const cst_context *C, struct local *L, int j, const rest_equations *e, int row,
                   const vd *x, vd *y, vd *d) {
  vl felt = vmask(0);
  for (int i = 0; i < e->n; i++)
    y[i] = vset(i == row);
  e->correction(C, L, j, x, y, d);
  for (int i = 0; i < e->n; i++)
    felt |= (vl)(d[i] != 0);
  return vany(felt);
}

/* Of the lanes `some`, those that are at rest at x, or after a correction, which x then is. f: the residual there, which
 * is evaluated last; d [n], space [REST_SPACE n]: work space. */
static __attribute__((noinline, unused)) vl rests_on_round_off(const cst_context *C,
                                                               struct local *L, int j,
                                                               const rest_equations *e, vl some,
                                                               vd *x, vd *f, vd *d, vd *space) {
  vd *const noise = space + 4 * e->n, *const moved = noise + e->n;
  vl rests = vmask(0);
  for (int i = 0; i < e->n; i++)
    moved[i] = vset(0);
  e->residual(C, L, j, x, f);
  for (int k = 0; k <= CORRECTIONS && vany(some & ~rests); k++) {
    vl within = some & ~rests;
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
    rests |= within;
    e->residual(C, L, j, x, f);
  }
  return rests;
}

/* The same of unknowns that a core has in a field [n], which the test would change twice where they are. */
static __attribute__((noinline, unused)) vl field_rests(const cst_context *C, struct local *L,
                                                        int j, const rest_equations *e, vl some,
                                                        vd *field) {
  vd x[ROOM(e->n)], f[ROOM(e->n)], d[ROOM(e->n)], space[ROOM(REST_SPACE * e->n)];
  for (int i = 0; i < e->n; i++)
    x[i] = field[i];
  some = rests_on_round_off(C, L, j, e, some, x, f, d, space);
  for (int i = 0; i < e->n; i++)
    field[i] = x[i];
  return some;
}
#endif
