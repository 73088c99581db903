/* constrained-start.h: lane code: the first steps of bdf, which are steps of Radau IIA with three stages
 * and the same constraints. Part of constrained.c.
 *
 * The iteration is done here, since the unknowns of the march are those of one stage. It ends like that of
 * the march, lane by lane; the step of a lane in which it does not fails.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
static void residual_of_start(const cst_context *C, struct local *L, int j, const vd *x, vd *f) {
  residual(C, L, j, table_of(C, OWN(j)->first, STARTING_STAGES, H(j)), x, f);
}

static void correction_of_start(const cst_context *C, struct local *L, int j, const vd *x,
                                const vd *f, vd *d) {
  newton(C, L, j, table_of(C, OWN(j)->first, STARTING_STAGES, H(j)), x, f, d);
}

static __attribute__((noinline)) void start_up(const cst_context *C, struct local *L, int j) {
  const table T = table_of(C, OWN(j)->first, STARTING_STAGES, H(j));
  const int   n = UNKNOWNS(STARTING_STAGES);
  vl          done = ~L->starting;
  vd          last = vset(INFINITY);
  precede_radau(C, L, T);
  for (int k = 0; k < n; k++)
    L->x0[k] = vset(0);
  for (int it = 0; it < MARCH->max_iterations && vany(~done); it++) {
    residual(C, L, j, T, L->x0, L->f0);
    newton(C, L, j, T, L->x0, L->f0, L->d0);
    for (int k = 0; k < n; k++)
      L->x0[k] += vkeep(~done, L->d0[k]);
    const vd size = largest(L->d0, T.s * NQ);
    const vd of = vmax(largest(L->x0, T.s * NQ), L->size);
    const vl stalled = (vl)(size >= 0.98 * last) & (vl)(size <= 1e-12 * of);
    done |= (vl)(size <= (8 * EPS) * of) | stalled;
    last = size;
  }
  if (!CST_SIZED && MARCH->attempt && vany(~done)) {
    const rest_equations e = {n, residual_of_start, correction_of_start, NULL};
    done |= field_rests(C, L, j, &e, ~done, L->x0);
  }
  stages(C, L, T, L->x0);
  L->without = ~done;
  for (int k = 0; k < NQ; k++) {
    L->q1[k] = L->Q[(T.s - 1) * NQ + k];
    L->v1[k] = L->V[(T.s - 1) * NQ + k];
  }
}
