/* by-velocity.h: lane code: what the cores share that step q and v, while p is the state between steps, so that the
 * bits do not depend on where a record was stored. Behind `struct local`, with the fields q, p, v, m and minv, c,
 * and those of time.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* v := the velocity of p. */
CST_INLINE void velocity(const cst_context *C, struct local *L) {
  cst_velocity(C, L->c, L->m, L->q, L->p, L->v);
}

/* p := the momentum of v, and v that of p. */
CST_INLINE void end_state(const cst_context *C, struct local *L) {
  cst_momentum(C, L->c, L->m, L->q, L->v, L->p);
  velocity(C, L);
}

/* Half of the powers at (q, v), at the time t. */
CST_INLINE void gather_end(const cst_context *C, struct local *L, int j, vd t) {
  (void)t, (void)j;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  cst_gather(C, L->own, 0.5 * H(j), L->q, L->v, NULL);
}
