/* constrained-newton.h: lane code: Newton's correction of constrained.c. Part of constrained.c.
 *
 * With K_i = -D_q (f - M A - G'lambda) and -D_v f at stage i, W_i = D2g(Q_i)[V_i, .], and the change of P
 * put in, dP_j = -r_j - G_j' dmu_j, the matrix of (dA, dlambda, dmu) has the rows
 *
 *   M_i dA_i + sum_j (h^2 B_ij K_qi + h C_ij K_vi) dA_j + G_i' dlambda_i - h^2 sum_j D_ij K_qi G_j' dmu_j
 *   G_i sum_j (B_ij dA_j - D_ij G_j' dmu_j)
 *   sum_j (C_ij G_i + h B_ij W_i) dA_j - h sum_j D_ij W_i G_j' dmu_j
 *
 * It is eliminated without pivoting: M is positive definite, and then G M^-1 G' times B, and C B^-1 D. Robust
 * attempts take pivots.
 */
/* SPDX-License-Identifier: BSD-2-Clause */
#define J_LAMBDA(T) ((T).s * NQ)
#define J_MU(T)     ((T).s * (NQ + NG))

enum { UNROLLED = 8 }; /* rows of the largest matrix that is eliminated in registers */

/* The derivatives at stage i: Kq, Kv, and W if G v = 0 is imposed. */
CST_INLINE void differentiate(const cst_context *C, struct local *L, int i, table T, const vd *A,
                              const vd *lambda) {
  const vd *const q = L->Q + i * NQ, *const v = L->V + i * NQ;
  vd u[ROOM(2 * NQ)], E[ROOM(NQ + NG)];
  UNROLL
  for (int k = 0; k < 2 * NQ; k++)
    u[k] = vset(0);
  UNROLL
  for (int k = 0; k < NQ * (MOVING ? 2 : 1); k++) {
    vd *const to = k < NQ ? L->Kq + k : L->Kv + k - NQ;
    u[k] = vset(1);
    K_DE(L->c, q, v, A, u, lambda, E);
    UNROLL
    for (int r = 0; r < NQ; r++)
      to[r * NQ] = -E[r];
    if (k < NQ && NG > 0 && T.velocities) {
      K_D2gvw(L->c, q, v, u, E);
      UNROLL
      for (int a = 0; a < NG; a++)
        L->W[a * NQ + k] = E[a];
      if (DRIVEN)
        K_Dphi0w(L->c, q, u, E);
      for (int a = 0; a < NG && DRIVEN; a++)
        L->W[a * NQ + k] += E[a];
    }
    u[k] = vset(0);
  }
}

/* Row r of M_i, or the mass of coordinate r, in J. */
CST_INLINE void add_mass(const cst_context *C, const struct local *L, int r, const vd *entry,
                         vd *row) {
#if !CST_SIZED || SYS_GENERAL
  USES_M
  if (GENERAL) {
    ROW_M(r, k, e)
      row[k] += entry[e];
    return;
  }
#endif
  row[r] += vpick(MASS_UNIT, vset(1), L->m[CLASS(r)]);
}

/* The rows of the equations of motion of stage i in J. */
CST_INLINE void fill_motion(const cst_context *C, struct local *L, int i, table T, int n) {
  vd entry[ROOM(ENTRIES_M)];
  USES_G
  if (GENERAL)
    K_M(L->c, L->Q + i * NQ, entry);
  UNROLL
  for (int r = 0; r < NQ; r++) {
    vd *const row = L->J + (size_t)(i * NQ + r) * (size_t)n;
    for (int j = 0; j < T.s; j++) {
      const vd hhB = T.h * T.h * T.B[i * T.s + j], hC = T.h * T.C[i * T.s + j];
      UNROLL
      for (int k = 0; k < NQ; k++) {
        row[j * NQ + k] = hhB * L->Kq[r * NQ + k];
        if (MOVING)
          row[j * NQ + k] += hC * L->Kv[r * NQ + k];
      }
    }
    add_mass(C, L, r, entry, row + i * NQ);
    for (int k = 0; k < T.s * NG; k++)
      row[J_LAMBDA(T) + k] = vset(0);
    COL_G(r, a, e)
      row[J_LAMBDA(T) + i * NG + a] = L->G[i * NNZ_G + e];
  }
}

/* row[0..ng-1] := w (x . G_j'), the columns of mu of stage j. */
CST_INLINE void fill_push(const cst_context *C, const struct local *L, int j, vd w, const vd *x,
                          vd *row) {
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    vd sum = vset(0);
    ROW_G(a, k, e)
      sum += x[k] * L->G[j * NNZ_G + e];
    row[a] = w * sum;
  }
}

/* What the rows of the equations of motion of stage i have of P: the columns of mu, and on the right-hand
 * side its residual r. */
CST_INLINE void fill_motion_push(const cst_context *C, struct local *L, int i, table T, int n,
                                 const vd *r) {
  UNROLL
  for (int k = 0; k < NQ; k++) {
    vd *const row = L->J + (size_t)(i * NQ + k) * (size_t)n + J_MU(T);
    vd        sum = L->rhs[i * NQ + k];
    for (int j = 0; j < T.s; j++) {
      const vd w = T.h * T.h * T.D[i * T.s + j];
      fill_push(C, L, j, -w, L->Kq + k * NQ, row + j * NG);
      UNROLL
      for (int l = 0; l < NQ; l++)
        sum += (w * L->Kq[k * NQ + l]) * r[j * NQ + l];
    }
    L->rhs[i * NQ + k] = sum;
  }
}

/* The rows of the constraint a of stage i: of g (velocities = 0) or of G v, whose derivative by Q_i is y[nq]
 * and by h V_i, if it has one, z[nq]. */
CST_INLINE void fill_constraint(const cst_context *C, struct local *L, int i, table T, int n,
                                int row, vd by, const vd *y, const vd *z, const vd *r) {
  vd *const to = L->J + (size_t)row * (size_t)n;
  vd        sum = L->rhs[row];
  for (int k = 0; k < T.s * NG; k++)
    to[J_LAMBDA(T) + k] = vset(0);
  for (int j = 0; j < T.s; j++) {
    const vd     wB = by * T.B[i * T.s + j], wD = by * T.D[i * T.s + j];
    const double wC = T.C[i * T.s + j];
    UNROLL
    for (int k = 0; k < NQ; k++) {
      to[j * NQ + k] = wB * y[k];
      if (z)
        to[j * NQ + k] += wC * z[k];
    }
    if (!IS_STABILISED(T))
      continue;
    fill_push(C, L, j, -wD, y, to + J_MU(T) + j * NG);
    UNROLL
    for (int k = 0; k < NQ; k++)
      sum += (wD * y[k]) * r[j * NQ + k];
  }
  L->rhs[row] = sum;
}

CST_INLINE void fill_constraints(const cst_context *C, struct local *L, int i, table T, int n,
                                 const vd *r) {
  vd G[ROOM(NQ)];
  USES_G
  UNROLL
  for (int a = 0; a < NG; a++) {
    const int first = J_LAMBDA(T) + i * NG + a;
    UNROLL
    for (int k = 0; k < NQ; k++)
      G[k] = vset(0);
    ROW_G(a, k, e)
      G[k] = L->G[i * NNZ_G + e];
    if (T.positions)
      fill_constraint(C, L, i, T, n, first, vset(1), G, NULL, r);
    else
      fill_constraint(C, L, i, T, n, first, T.h, L->W + a * NQ, G, r);
    if (IS_STABILISED(T))
      fill_constraint(C, L, i, T, n, J_MU(T) + i * NG + a, T.h, L->W + a * NQ, G, r);
  }
}

/* The multipliers of redundant constraints do not change. */
CST_INLINE void hold_dropped(const cst_context *C, struct local *L, table T, int n) {
  for (int at = J_LAMBDA(T); at < n && !CST_SIZED; at++)
    if (DROPPED((at - J_LAMBDA(T)) % NG)) {
      for (int k = 0; k < n; k++)
        L->J[(size_t)at * (size_t)n + k] = L->J[(size_t)k * (size_t)n + at] = vset(0);
      L->J[(size_t)at * (size_t)n + at] = vset(1);
      L->rhs[at] = vset(0);
    }
}

CST_INLINE void eliminate(const cst_context *C, struct local *L, int n) {
  if (MARCH->attempt)
    cst_pivoted_solve(L->J, L->rhs, n);
  else if (CST_SIZED && __builtin_constant_p(n) && n <= UNROLLED) {
    cst_lu(L->J, n);
    cst_lu_solve_by_columns(L->J, L->rhs, n);
  } else
    cst_lu_by_panels(L->J, L->rhs, n);
}

/* d := the correction of the unknowns x with the residual f; L->rhs := that of (A, lambda, mu). */
CST_INLINE void newton_with(const cst_context *C, struct local *L, int j, table T, const vd *x,
                            const vd *f, vd *d) {
  const int       n = T.s * (NQ + (1 + IS_STABILISED(T)) * NG), own = T.s * NQ;
  const vd *const r = f + PUSH(T);
  USES_G
  for (int k = 0; k < n; k++)
    L->rhs[k] = -f[k < own ? k : k - own + LAMBDA(T)];
  for (int i = 0; i < T.s; i++) {
    at_stage(C, L, j, T, i);
    differentiate(C, L, i, T, x + i * NQ, x + LAMBDA(T) + i * NG);
    fill_motion(C, L, i, T, n);
    if (IS_STABILISED(T))
      fill_motion_push(C, L, i, T, n, r);
    fill_constraints(C, L, i, T, n, r);
  }
  hold_dropped(C, L, T, n);
  eliminate(C, L, n);
  for (int k = 0; k < n; k++)
    d[k < own ? k : k - own + LAMBDA(T)] = L->rhs[k];
  for (int i = 0; i < T.s && IS_STABILISED(T); i++)
    UNROLL
  for (int k = 0; k < NQ; k++) {
    vd sum = -r[i * NQ + k];
    COL_G(k, a, e)
      sum -= L->G[i * NNZ_G + e] * d[MU(T) + i * NG + a];
    d[PUSH(T) + i * NQ + k] = sum;
  }
}

static __attribute__((noinline)) void newton(const cst_context *C, struct local *L, int j, table T,
                                             const vd *x, const vd *f, vd *d) {
  BY_SIZE(T, newton_with(C, L, j, T, x, f, d));
}
