/* terms.h: accepts an iteration that has come to rest at the round-off of the terms of its equations, where
 * their sum, the unknowns, is much smaller. Part of march.h.
 *
 * Where the terms of a residual cancel, for instance where an acceleration passes through zero, the updates of
 * the iteration do not fall below the round-off of the terms, which is far above that of the unknowns. The size
 * of the terms is measured: each number z that the residual f reads changes it by about eps |z df/dz|, so that
 * the update d, which is linear in f, is only known to within
 *
 *   eps T_i,   T_i = sum over z of |z dd_i/dz|
 *
 * The derivatives are taken by differences. This takes an evaluation for each number, so it is done only in
 * the robust attempts at a step whose iteration did not end otherwise. */
/* SPDX-License-Identifier: BSD-2-Clause */

#define TERM_SHIFT 0x1p-26 /* relative; the error of the difference is of this order */
#define TERM_ROOM  32.0    /* updates of this many eps of the terms are round-off */

/* Adds to T what a change of *z by TERM_SHIFT changes in the update. base: f as it is; f, d: work space. */
static __attribute__((noinline, unused)) void add_term(const cst_context *C, struct local *L, int j,
                                                       vd *z, const vd *x, const vd *base, vd *f,
                                                       vd *d, vd *T) {
  const vd kept = *z;
  *z = kept * (1 + TERM_SHIFT);
  evaluate(C, L, j, x, f);
  *z = kept;
  for (int i = 0; i < NX; i++)
    f[i] -= base[i];
  direction(C, L, j, x, f, d);
  for (int i = 0; i < NX; i++)
    T[i] += vabs(d[i]) * (1 / TERM_SHIFT);
}

/* The lanes of `active` whose last update, of this size, is round-off of the terms. x: the unknowns; f: their
 * residual; d and the vectors behind it: work space. */
static __attribute__((noinline, unused)) vl rests_on_terms(const cst_context *C, struct local *L,
                                                           int j, vl active, vd *x, vd *f, vd *d,
                                                           vd size) {
  vd *const fields = (vd *)C->work;
  vd *const T = d + NX;
  vd *const changed = T + NX;
  vd        most = vset(0);
  for (int i = 0; i < NX; i++)
    T[i] = vset(0);
  for (size_t i = 0; i < FIELDS; i++)
    add_term(C, L, j, &fields[i], x, f, changed, d, T);
  for (int i = 0; i < NX; i++)
    add_term(C, L, j, &x[i], x, f, changed, d, T);
  evaluate(C, L, j, x, f); /* leaves what finish needs */
  for (int i = 0; i < NX; i++)
    most = vmax(T[i], most);
  return active & (vl)(size <= (TERM_ROOM * EPS) * most);
}
