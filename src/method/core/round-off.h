/* round-off.h: accepts an iteration that has come to rest at the round-off of its equations, where this is far
 * above the round-off of the unknowns. Part of march.h.
 *
 * The terms of a residual may cancel, for instance where an acceleration passes through zero, or the solution
 * of a linear system in them may be ill-conditioned, as the multipliers of a closed loop are. The updates of
 * an iteration then stop to shrink far above the round-off of the unknowns. How far is measured: all numbers
 * that the residual reads, fields and unknowns, are changed by round-off at random, and N is the largest
 * change that an update shows in some trials. An iteration whose last update is at most 4 N is at rest. Changes
 * by 2^-26 tell the size T of the terms likewise; an N above 1e-10 T is no round-off, but a lost rank. Where
 * changes by 2^-34 tell another size, the update does not depend on its numbers smoothly, as where an inner
 * iteration does not converge, and N tells nothing.
 *
 * The trials take evaluations, so they are made only in further attempts at a step whose iteration did not
 * end otherwise. Their random bits are the same for every lane and step. */
/* SPDX-License-Identifier: BSD-2-Clause */

#define TRIALS     8
#define LAST_BITS  3ul         /* of a number's fraction: changes of up to 3 ulp */
#define HIGH_BIT   (1ul << 26) /* a change by 2^-26 to 2^-27 */
#define LOW_BIT    (1ul << 18) /* by 2^-34 to 2^-35 */
#define SMOOTH     8.0         /* the sizes that both tell differ by less */
#define REST_ROOM  4.0
#define MOST_NOISE 1e-10

/* The next of the random bits: a linear congruential generator, whose high bits are good (Knuth, TAOCP 2,
 * 3.3.4). */
static unsigned long next_bits(unsigned long *state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return *state >> 33;
}

/* Flips bits of z, at random those of `mask`; the same again undoes it. Zeros, masks and whole numbers, none of
 * which is a normal number, stay. */
static void stir(vd *z, size_t n, unsigned long mask, unsigned long *state) {
  for (size_t i = 0; i < n; i++) {
    const unsigned long drawn = next_bits(state);
    const long          bits = (long)((drawn & 3) * (mask & -mask) & mask);
    const vd            size = vabs(z[i]);
    const vl            normal = (vl)(size >= 0x1p-1022) & (vl)(size < INFINITY);
    z[i] = (vd)((vl)z[i] ^ (normal & bits));
  }
}

/* The largest change of an update while all that the residual f reads changes in these bits. changed, d: work
 * space. */
static __attribute__((noinline, unused)) vd trials(const cst_context *C, struct local *L, int j,
                                                   vd *x, const vd *f, vd *changed, vd *d,
                                                   unsigned long mask) {
  vd *const     fields = (vd *)C->work;
  vd            most = vset(0);
  unsigned long state = 1;
  for (int k = 0; k < TRIALS; k++) {
    unsigned long again = state;
    stir(fields, FIELDS, mask, &state);
    stir(x, (size_t)NX, mask, &state);
    evaluate(C, L, j, x, changed);
    stir(fields, FIELDS, mask, &again);
    stir(x, (size_t)NX, mask, &again);
    for (int i = 0; i < NX; i++)
      changed[i] -= f[i];
    direction(C, L, j, x, changed, d);
    for (int i = 0; i < NX_TESTED; i++)
      most = vmax(vabs(d[i]), most);
  }
  return most;
}

/* The lanes whose last update, of this size, is round-off. x: the unknowns; f: their residual; d and the
 * vector behind it: work space. */
static __attribute__((noinline, unused)) vl
rests_on_round_off(const cst_context *C, struct local *L, int j, vd *x, vd *f, vd *d, vd size) {
  vd *const changed = d + NX;
  const vd  noise = trials(C, L, j, x, f, changed, d, LAST_BITS);
  const vd  terms = trials(C, L, j, x, f, changed, d, HIGH_BIT) * 0x1p26;
  const vd  again = trials(C, L, j, x, f, changed, d, LOW_BIT) * 0x1p34;
  vd        odd = vset(0); /* a maximum passes over what is no number */
  evaluate(C, L, j, x, f); /* leaves what finish needs */
  for (int i = 0; i < NX; i++)
    odd += (x[i] - x[i]) + (f[i] - f[i]);
  return (vl)(odd == 0) & (vl)(size <= REST_ROOM * noise) & (vl)(noise <= MOST_NOISE * terms) &
         (vl)(again <= SMOOTH * terms);
}
