/* rk-sum.h: lane code: the end of a step of a tableau, from the stages V and A. Part of rk.c and saddle.c, whose struct
 * data has the layer. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* q += h sum b_i V_i,   v += h sum b_i A_i */
CST_INLINE void add_stages(const cst_context *C, struct local *L, int j, const vd *A) {
  const cst_lane_layer *s = &OWN(j)->layer;
  const vd              h = H(j);
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd dq = vset(0), dv = vset(0);
    for (int i = 0; i < s->stages; i++) {
      dq += s->b[i] * L->V[i * NQ + k];
      dv += s->b[i] * A[i * NQ + k];
    }
    L->q[k] += h * dq;
    L->v[k] += h * dv;
  }
}
