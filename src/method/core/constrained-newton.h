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
#define J_LAMBDA(s) ((s)*NQ)
#define J_MU(s)     ((s) * (NQ + NG))

/* The derivatives at stage i: Kq, Kv, and W if G v = 0 is imposed. */
static void differentiate(const cst_context *C, struct local *L, int i, const vd *A,
                          const vd *lambda) {
  const vd *const q = L->Q + i * NQ, *const v = L->V + i * NQ;
  const bool moving = GENERAL || NFORCE > 0; /* f depends on v */
  vd         u[ROOM(2 * NQ)], E[ROOM(NQ + NG)];
  for (int k = 0; k < 2 * NQ; k++)
    u[k] = vset(0);
  for (int k = 0; k < NQ * (moving ? 2 : 1); k++) {
    vd *const to = k < NQ ? L->Kq + k : L->Kv + k - NQ;
    u[k] = vset(1);
    K_DE(L->c, q, v, A, u, lambda, E);
    for (int r = 0; r < NQ; r++)
      to[r * NQ] = -E[r];
    if (k < NQ && NG > 0 && OWN(0)->velocities) {
      K_D2gvw(L->c, q, v, u, E);
      for (int a = 0; a < NG; a++)
        L->W[a * NQ + k] = E[a];
      if (DRIVEN)
        K_Dphi0w(L->c, q, u, E);
      for (int a = 0; a < NG && DRIVEN; a++)
        L->W[a * NQ + k] += E[a];
    }
    u[k] = vset(0);
  }
  for (int k = 0; k < NQ * NQ && !moving; k++)
    L->Kv[k] = vset(0);
}

/* The rows of the equations of motion of stage i in J. */
static void fill_motion(const cst_context *C, struct local *L, int i, table T, int n) {
  vd entry[ROOM(NNZ_M)];
  USES_G
  USES_M
  if (GENERAL)
    K_M(L->c, L->Q + i * NQ, entry);
  for (int r = 0; r < NQ; r++) {
    vd *const row = L->J + (size_t)(i * NQ + r) * (size_t)n;
    for (int j = 0; j < T.s; j++)
      for (int k = 0; k < NQ; k++)
        row[j * NQ + k] = (T.h * T.h * T.B[i * T.s + j]) * L->Kq[r * NQ + k] +
                          (T.h * T.C[i * T.s + j]) * L->Kv[r * NQ + k];
    if (GENERAL) {
      ROW_M(r, k, e)
        row[i * NQ + k] += entry[e];
    } else
      row[i * NQ + r] += vpick(MASS_UNIT, vset(1), L->m[CLASS(r)]);
    COL_G(r, a, e)
      row[J_LAMBDA(T.s) + i * NG + a] = L->G[i * NNZ_G + e];
  }
}

/* row[0..ng-1] of the columns of mu of stage j += w (x . G_j'). */
CST_INLINE void add_push(const cst_context *C, const struct local *L, int j, vd w, const vd *x,
                         vd *row) {
  USES_G
  for (int a = 0; a < NG; a++)
    ROW_G(a, k, e)
      row[a] += w * (x[k] * L->G[j * NNZ_G + e]);
}

/* The columns of mu in the rows of the equations of motion of stage i, and their right-hand sides: those of
 * the residual r of P. */
static void fill_push(const cst_context *C, struct local *L, int i, table T, int n, const vd *r) {
  for (int k = 0; k < NQ; k++)
    for (int j = 0; j < T.s; j++) {
      const vd  w = T.h * T.h * T.D[i * T.s + j];
      vd *const row = L->J + (size_t)(i * NQ + k) * (size_t)n + J_MU(T.s) + j * NG;
      add_push(C, L, j, -w, L->Kq + k * NQ, row);
      for (int l = 0; l < NQ; l++)
        L->rhs[i * NQ + k] += (w * L->Kq[k * NQ + l]) * r[j * NQ + l];
    }
}

/* The rows of the constraint a of stage i: of g (velocities = 0) or of G v, whose derivative by Q_i is y[nq]
 * and by h V_i, if it has one, z[nq]. */
static void fill_constraint(const cst_context *C, struct local *L, int i, table T, int n, int row,
                            vd by, const vd *y, const vd *z, const vd *r) {
  vd *const to = L->J + (size_t)row * (size_t)n;
  for (int j = 0; j < T.s; j++) {
    const vd     wB = by * T.B[i * T.s + j], wD = by * T.D[i * T.s + j];
    const double wC = T.C[i * T.s + j];
    for (int k = 0; k < NQ; k++) {
      to[j * NQ + k] = wB * y[k];
      if (z)
        to[j * NQ + k] += wC * z[k];
    }
    if (!BOTH)
      continue;
    add_push(C, L, j, -wD, y, to + J_MU(T.s) + j * NG);
    for (int k = 0; k < NQ; k++)
      L->rhs[row] += (wD * y[k]) * r[j * NQ + k];
  }
}

static void fill_constraints(const cst_context *C, struct local *L, int i, table T, int n,
                             const vd *r) {
  vd G[ROOM(NQ)];
  USES_G
  for (int a = 0; a < NG; a++) {
    const int first = J_LAMBDA(T.s) + i * NG + a;
    for (int k = 0; k < NQ; k++)
      G[k] = vset(0);
    ROW_G(a, k, e)
      G[k] = L->G[i * NNZ_G + e];
    if (OWN(0)->positions)
      fill_constraint(C, L, i, T, n, first, vset(1), G, NULL, r);
    else
      fill_constraint(C, L, i, T, n, first, T.h, L->W + a * NQ, G, r);
    if (BOTH)
      fill_constraint(C, L, i, T, n, J_MU(T.s) + i * NG + a, T.h, L->W + a * NQ, G, r);
  }
}

/* The multipliers of redundant constraints do not change. */
static void hold_dropped(const cst_context *C, struct local *L, table T, int n) {
  for (int at = J_LAMBDA(T.s); at < n; at++)
    if (DROPPED((at - J_LAMBDA(T.s)) % NG)) {
      for (int k = 0; k < n; k++)
        L->J[(size_t)at * (size_t)n + k] = L->J[(size_t)k * (size_t)n + at] = vset(0);
      L->J[(size_t)at * (size_t)n + at] = vset(1);
      L->rhs[at] = vset(0);
    }
}

/* d := the correction of the unknowns x with the residual f; L->rhs := that of (A, lambda, mu). */
static void newton(const cst_context *C, struct local *L, int j, table T, const vd *x, const vd *f,
                   vd *d) {
  const int       s = T.s;
  const int       n = s * (NQ + (1 + BOTH) * NG);
  const vd *const r = f + PUSH(s);
  USES_G
  for (int k = 0; k < n * n; k++)
    L->J[k] = vset(0);
  for (int k = 0; k < n; k++)
    L->rhs[k] = -f[k < s * NQ ? k : k - s * NQ + LAMBDA(s)];
  for (int i = 0; i < s; i++) {
    at_stage(C, L, j, T, i);
    differentiate(C, L, i, x + i * NQ, x + LAMBDA(s) + i * NG);
    fill_motion(C, L, i, T, n);
    if (BOTH)
      fill_push(C, L, i, T, n, r);
    fill_constraints(C, L, i, T, n, r);
  }
  hold_dropped(C, L, T, n);
  if (MARCH->attempt)
    cst_pivoted_solve(L->J, L->rhs, n);
  else {
    cst_lu(L->J, n);
    cst_lu_solve(L->J, L->rhs, n);
  }
  for (int k = 0; k < n; k++)
    d[k < s * NQ ? k : k - s * NQ + LAMBDA(s)] = L->rhs[k];
  for (int i = 0; i < s && BOTH; i++)
    for (int k = 0; k < NQ; k++) {
      vd sum = -r[i * NQ + k];
      COL_G(k, a, e)
        sum -= L->G[i * NNZ_G + e] * d[MU(s) + i * NG + a];
      d[PUSH(s) + i * NQ + k] = sum;
    }
}
