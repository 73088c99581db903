/* by-velocity.h: lane code: what the cores share that step q and v, while p is the state between steps, so that the
 * bits do not depend on where a record was stored. Behind `struct local`, with the fields q, p, v, m and minv, c,
 * and those of time.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* v := the velocity of p. */
CST_INLINE void velocity(const cst_context *C, struct local *L) {
  cst_velocity(C, L->c, L->m, L->q, L->p, L->v);
}

/* The state of a record, without the impulses. */
CST_INLINE void enter_state(const cst_context *C, struct local *L, const double *record) {
  const cst_layout at = LAYOUT(C);
  L->c = cst_block(record, at.c);
  cst_load(L->q, record, at.q, NQ);
  cst_load(L->p, record, at.p, NQ);
  cst_load(L->m, record, at.mass, NMASS);
  UNROLL
  for (int k = 0; k < NMASS; k++)
    L->minv[k] = 1.0 / L->m[k];
  LOAD_TIME(L, record);
  velocity(C, L);
}

/* p := the momentum of v, and v that of p. */
CST_INLINE void end_state(const cst_context *C, struct local *L) {
  cst_momentum(C, L->c, L->m, L->q, L->v, L->p);
  velocity(C, L);
}

CST_INLINE void leave_state(const cst_context *C, const struct local *L, double *record) {
  const cst_layout at = LAYOUT(C);
  cst_store(record, at.q, L->q, NQ);
  cst_store(record, at.p, L->p, NQ);
  STORE_ACCOUNTS(L, record);
}

/* Half of the powers at (q, v), at the time t. */
CST_INLINE void gather_end(const cst_context *C, struct local *L, int j, vd t) {
  (void)t, (void)j;
  if (NACCOUNT == 0)
    return;
  SET_TIME(L, t);
  cst_gather(C, L->own, 0.5 * H(j), L->q, L->v, NULL);
}
