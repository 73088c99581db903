/* convert-state.h: the map from w to w in the core of convert(...), the form in which the source defines
 * lagrange-dalembert. Part of convert.c.
 *
 * The step solves p-(w1) = p+(w) with d-(w1) = d+(w). The state between steps is w = (q, v), stored as q and
 * M v + a. A step therefore begins with w: Theta(w) = p+ D d+ - p- D d- gives 2 nq linear equations for p+
 * and p-, and the step starts from (d+(w), p+). Source: C. Cuell, thesis, 4.4. There are no constraints on
 * positions, no forces and no explicit time.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* D[nq][2 nq] of both halves at w = (q, v), where the sweeps were evaluated, into the columns of A[2 nq][2
 * nq] for p+ and p-; rows of v are divided by h. */
static void covector_matrix(const cst_context *C, struct local *L, int j, const vd *q, const vd *v,
                            vd *A) {
  const int n = 2 * NQ;
  vd        u[ROOM(2 * NQ)];
  vd        dd[ROOM(NQ)];
  vd        de[ROOM(NQ)];
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < n; i++)
      u[i] = vset(i == c);
    for (int k = 0; k < 2; k++) {
      cst_sweep_tangent(C, &L->sweep[k], q, v, u, u + NQ, dd, de);
      for (int i = 0; i < NQ; i++)
        A[c * n + (k ? i : NQ + i)] = dd[i] * ((k ? 1 : -1) * vpick(c < NQ, vset(1), 1 / H(j)));
    }
  }
}

/* L->q and L->p: from w to d+(w) and p+. */
static void leave_w(const cst_context *C, struct local *L, int j) {
  vd v[ROOM(NQ)];
  vd none[ROOM(NQ)];
  vd grad[ROOM(2 * NQ)];
  vd other[ROOM(2 * NQ)];
  cst_velocity(C, L->c, L->m, L->q, L->p, v);
  place_sweeps(C, L, j);
  for (int i = 0; i < NQ; i++) {
    L->vb[i] = v[i];
    none[i] = vset(0);
  }
  first_stages(C, L, j);
  for (int k = 0; k < 2; k++)
    cst_sweep_value(C, &L->sweep[k], L->q, v, L->end + 2 * k * NQ, L->end + (2 * k + 1) * NQ);
  cst_sweep_reverse(C, &L->sweep[0], L->q, v, none, vset(-1), grad);
  cst_sweep_reverse(C, &L->sweep[1], L->q, v, none, vset(1), other);
  for (int i = 0; i < 2 * NQ; i++)
    grad[i] = (grad[i] + other[i]) * vpick(i < NQ, vset(1), 1 / H(j));
  covector_matrix(C, L, j, L->q, v, L->J);
  cst_pivoted_solve(L->J, grad, 2 * NQ);
  for (int i = 0; i < NQ; i++) {
    L->q[i] = L->end[2 * NQ + i];
    L->p[i] = grad[i];
  }
}

/* L->q and L->p := those of the solution w. */
static void reach_w(const cst_context *C, struct local *L, const vd *x) {
  for (int i = 0; i < NQ; i++)
    L->q[i] = x[Q_ + i];
  cst_momentum(C, L->c, L->m, x + Q_, x + V_, L->p);
}
