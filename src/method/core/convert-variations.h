/* convert-variations.h: how the end of each half changes with w, for Newton's matrix of convert(...):
 * D d-, D d+ and B, by first variations of the flow, by second variations of the layer, or as in the paper's
 * chord. Part of convert.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

#define AT_D(k, i, j) L->D[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_P(k, i, j) L->P[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_B(i, j)    L->B[(i)*2 * NQ + (j)]

CST_INLINE void unit(const cst_context *C, int j, vd *u) {
  for (int i = 0; i < 2 * NQ; i++)
    u[i] = vset(i == j);
}

/* y[n] += the sum over the rows l < m of B, `row` entries apart, times a[l step]; in the order of l. */
CST_INLINE void add_rows(const vd *a, int step, int m, const vd *B, int row, int n, vd *y) {
  int l = 0;
  for (; l + 4 <= m; l += 4) {
    const vd  a0 = a[l * step];
    const vd  a1 = a[(l + 1) * step];
    const vd  a2 = a[(l + 2) * step];
    const vd  a3 = a[(l + 3) * step];
    const vd *b0 = B + l * row;
    const vd *b1 = b0 + row;
    const vd *b2 = b1 + row;
    const vd *b3 = b2 + row;
    for (int j = 0; j < n; j++)
      y[j] = (((y[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j];
  }
  for (; l < m; l++)
    for (int j = 0; j < n; j++)
      y[j] += a[l * step] * B[l * row + j];
}

/* y[n] -= the same, a without gaps. */
CST_INLINE void subtract_rows(const vd *a, int m, const vd *B, int row, int n, vd *y) {
  int l = 0;
  for (; l + 4 <= m; l += 4) {
    const vd  a0 = a[l];
    const vd  a1 = a[l + 1];
    const vd  a2 = a[l + 2];
    const vd  a3 = a[l + 3];
    const vd *b0 = B + l * row;
    const vd *b1 = b0 + row;
    const vd *b2 = b1 + row;
    const vd *b3 = b2 + row;
    for (int j = 0; j < n; j++)
      y[j] = (((y[j] - a0 * b0[j]) - a1 * b1[j]) - a2 * b2[j]) - a3 * b3[j];
  }
  for (; l < m; l++)
    for (int j = 0; j < n; j++)
      y[j] -= a[l] * B[l * row + j];
}

/* B[m][n] := A^-1 B with A[m][m] from cst_lu or cst_ldl. */
static void solve_rows(const vd *A, int m, vd *B, int n) {
  for (int i = 0; i < m; i++)
    subtract_rows(A + i * m, i, B, n, n, B + i * n);
  for (int i = m - 1; i >= 0; i--) {
    subtract_rows(A + i * m + i + 1, m - i - 1, B + (i + 1) * n, n, n, B + i * n);
    for (int j = 0; j < n; j++)
      B[i * n + j] *= A[i * m + i];
  }
}

/* p[nq] := D(M v + a)[dd, de] + D2(m.g)(d) dd at the end (d, e) of a half, with E of K_place there. */
static void momentum_variation(const cst_context *C, const struct local *L, const vd *d,
                               const vd *e, const vd *E, const vd *m, const vd *dd, const vd *de,
                               vd *p) {
  K_D2glw_AT(E, L->c, d, dd, m, p);
#if !CST_SIZED || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)], bent[ROOM(NNZ_LVQ)];
    USES_M
    USES_LVQ
    K_M_AT(E, L->c, d, mass);
    K_Lvq_AT(E, L->c, d, e, bent);
    for (int i = 0; i < NQ; i++) {
      ROW_M(i, j, k)
        p[i] += mass[k] * de[j];
      ROW_LVQ(i, j, k)
        p[i] += bent[k] * dd[j];
    }
    return;
  }
#endif
  for (int i = 0; i < NQ; i++)
    p[i] += vpick(MASS_UNIT, de[i], L->m[CLASS(i)] * de[i]);
}

/* X[nq][n], Z[ng][n] := the solutions of the saddle equations for n right sides. */
static void solve_many(const cst_context *C, const vd *minv, cst_saddle K, int n, vd *X, vd *Z) {
  USES_G
  for (int a = 0; a < NG; a++)
    for (int j = 0; j < n; j++)
      Z[a * n + j] = -Z[a * n + j];
  if (GENERAL)
    solve_rows(K.M, NQ, X, n);
  else
    for (int i = 0; i < NQ; i++)
      for (int j = 0; j < n; j++)
        X[i * n + j] = MINV(i) * X[i * n + j];
  for (int a = 0; a < NG; a++) {
    ROW_G(a, i, e)
      add_rows(K.G + e, 0, 1, X + i * n, 0, n, Z + a * n);
    for (int j = 0; j < n && DROPPED(a); j++)
      Z[a * n + j] = vset(0);
  }
  if (NG == 0)
    return;
  solve_rows(K.S, NG, Z, n);
  if (GENERAL) {
    vd force[ROOM(NQ * n)];
    for (int k = 0; k < NQ * n; k++)
      force[k] = vset(0);
    for (int i = 0; i < NQ; i++)
      COL_G(i, a, e)
        add_rows(K.G + e, 0, 1, Z + a * n, 0, n, force + i * n);
    solve_rows(K.M, NQ, force, n);
    for (int k = 0; k < NQ * n; k++)
      X[k] -= force[k];
    return;
  }
  for (int i = 0; i < NQ; i++)
    COL_G(i, a, e) {
      const vd g = -(MINV(i) * K.G[e]);
      add_rows(&g, 0, 1, Z + a * n, 0, n, X + i * n);
    }
}

/* F[nq][2 nq] := the derivative of A at the midpoint of half k, between w and its end. */
static void halfway(const cst_context *C, struct local *L, const vd *w, int k, vd *F) {
  const cst_sweep *H = &L->sweep[k];
  const vd        *d = END_Q(k);
  const vd        *e = d + NQ;
  const int        n = 2 * NQ;
  cst_saddle       K =
      cst_sweep_saddle(C, H, 0); /* the next evaluation overwrites its arrays, except e */
  vd q[ROOM(NQ)];
  vd v[ROOM(NQ)];
  vd u[ROOM(n)];
  vd both[ROOM(NQ + NG)];
  vd Z[ROOM(NG * n)];
  vd E[ROOM(NPOINT)];
  K.e = E;
  for (int i = 0; i < NQ; i++) {
    q[i] = 0.5 * (w[i] + d[i]);
    v[i] = 0.5 * (w[NQ + i] + e[i]);
  }
  if (TIMED)
    *H->clock = H->at + 0.5 * H->t;
  K_clock(L->c, L->given, E);
  cst_saddle_factor(C, L->c, L->minv, q, K);
  cst_saddle_acceleration(C, L->c, L->minv, K, q, v, H->A, H->lambda);
  for (int j = 0; j < n; j++) {
    unit(C, j, u);
    K_DE_AT(K.e, L->c, q, v, H->A, u, H->lambda, both);
    for (int i = 0; i < NQ; i++)
      F[i * n + j] = both[i];
    for (int a = 0; a < NG; a++)
      Z[a * n + j] = both[NQ + a];
  }
  solve_many(C, L->minv, K, n, F, Z);
}

/* D[2 nq][2 nq] := the derivative of the flow of half k over its time t, exp(t [0 1; F]) up to t^3. With T
 * the lower half of a term, of T' of the next one: t/power (F_q T_ + F_v T), T_ the upper half, that of the
 * term before times t/power. */
static void flow_variation(const cst_context *C, struct local *L, const vd *w, int k, vd *D) {
  enum { TERMS = 3 };
  const int n = 2 * NQ;
  const vd  t = L->sweep[k].t;
  vd        F[ROOM(NQ * n)];
  vd        upper[ROOM(NQ * n)];
  vd        lower[ROOM(NQ * n)];
  for (int i = 0; i < n * n; i++)
    D[i] = vset(i % (n + 1) == 0);
  if (!cst_sweep_moves(&L->sweep[k]))
    return;
  halfway(C, L, w, k, F);
  for (int i = 0; i < NQ; i++) {
    for (int j = 0; j < n; j++) {
      lower[i * n + j] = t * F[i * n + j];
      upper[i * n + j] = vset(0);
    }
    upper[i * n + NQ + i] = t;
  }
  for (int power = 1;; power++) {
    for (int i = 0; i < NQ * n; i++) {
      D[i] += upper[i];
      D[NQ * n + i] += lower[i];
    }
    if (power == TERMS)
      return;
    const vd by = t / (power + 1);
    for (int i = 0; i < NQ; i++) {
      vd sum[ROOM(n)];
      for (int j = 0; j < n; j++)
        sum[j] = vset(0);
      if (power == 1) /* upper is (0, t) */
        for (int j = 0; j < NQ; j++)
          sum[NQ + j] = t * F[i * n + j];
      else
        add_rows(F + i * n, 1, NQ, upper, n, n, sum);
      add_rows(F + i * n + NQ, 1, NQ, lower, n, n, sum);
      for (int j = 0; j < n; j++)
        L->next[i * n + j] = by * sum[j];
    }
    for (int i = 0; i < NQ * n; i++) {
      upper[i] = by * lower[i];
      lower[i] = L->next[i];
    }
  }
}

/* D d- and D d+, and D p- and D p+ with the multipliers m of both ends. They are those of the exact flow up
 * to O(h^3), which is as accurate as the layer's for this purpose and needs one point per half. The ends of
 * the sweeps are those of w. */
static void first_variations(const cst_context *C, struct local *L, const vd *w,
                             const vd *const m[2]) {
  const int n = 2 * NQ;
  vd        D[ROOM(n * n)];
  vd        dd[ROOM(NQ)];
  vd        de[ROOM(NQ)];
  vd        p[ROOM(NQ)];
  vd        E[ROOM(NPOINT)];
  for (int k = 0; k < 2; k++) {
    K_place(L->c, L->given, END_Q(k), E);
    flow_variation(C, L, w, k, D);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < NQ; i++) {
        dd[i] = D[i * n + j];
        de[i] = D[(NQ + i) * n + j];
      }
      momentum_variation(C, L, END_Q(k), END_V(k), E, m[k], dd, de, p);
      for (int i = 0; i < NQ; i++) {
        AT_D(k, i, j) = dd[i];
        AT_P(k, i, j) = p[i];
      }
    }
  }
}

/* B := D d+' D p+ - D d-' D p-. */
static void matrix_of_flow(const cst_context *C, struct local *L) {
  const int n = 2 * NQ;
  for (int i = 0; i < n; i++) {
    vd other[ROOM(n)];
    for (int j = 0; j < n; j++)
      AT_B(i, j) = other[j] = vset(0);
    add_rows(&AT_D(1, 0, i), n, NQ, &AT_P(1, 0, 0), n, n, &AT_B(i, 0));
    if (!cst_sweep_moves(&L->sweep[0]))
      for (int j = 0; j < n; j++)
        other[j] = vkeep(vmask(i < NQ), AT_P(0, i % NQ, j));
    else
      add_rows(&AT_D(0, 0, i), n, NQ, &AT_P(0, 0, 0), n, n, other);
    for (int j = 0; j < n; j++)
      AT_B(i, j) -= other[j];
  }
}

/* D d- and D d+, and B := D2H - D2(nu1.g + nu2.(G v)) by second variations, at the iterate x of the last
 * residual. */
static void matrix_by_second_variations(const cst_context *C, struct local *L, int j, const vd *x) {
  const vd h = H(j);
  vd       u[ROOM(2 * NQ)];
  vd       zero[ROOM(NQ)];
  vd       plus[ROOM(NQ)];
  vd       de[ROOM(NQ)];
  vd       grad[ROOM(2 * NQ)];
  vd       nu2[ROOM(NG)];
  vd       bent[ROOM(NQ)];
  for (int i = 0; i < NQ; i++) {
    zero[i] = vset(0);
    plus[i] = -x[MU + i];
  }
  for (int a = 0; a < NG; a++)
    nu2[a] = vpick(a < NG - NVEL, h * x[NU2 + a], vset(0));
  for (int c = 0; c < 2 * NQ; c++) {
    unit(C, c, u);
    for (int i = 0; i < 2 * NQ; i++)
      AT_B(i, c) = vset(0);
    for (int k = 0; k < 2; k++) {
      vd dd[ROOM(NQ)];
      cst_sweep_tangent(C, &L->sweep[k], x + Q_, x + V_, u, u + NQ, dd, de);
      cst_sweep_second(C, &L->sweep[k], x + Q_, x + V_, k ? plus : L->minus, vset(k ? 1 : -1), u,
                       zero, grad);
      for (int i = 0; i < NQ; i++)
        AT_D(k, i, c) = dd[i];
      for (int i = 0; i < 2 * NQ; i++)
        AT_B(i, c) += grad[i];
    }
    if (NG == 0)
      continue;
    K_D2glw_AT(L->E0, L->c, x + Q_, u, x + NU1, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D3glwu_AT(L->E0, L->c, x + Q_, x + V_, u, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D2glw_AT(L->E0, L->c, x + Q_, u + NQ, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(i, c) -= bent[i];
    K_D2glw_AT(L->E0, L->c, x + Q_, u, nu2, bent);
    for (int i = 0; i < NQ; i++)
      AT_B(NQ + i, c) -= bent[i];
  }
}

/* D d = [1, t 1] and B = h diag(0, M). */
static void matrix_of_chord(const cst_context *C, struct local *L, int j, const vd *q) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < NQ; i++)
      for (int c = 0; c < 2 * NQ; c++)
        AT_D(k, i, c) = c == NQ + i ? L->sweep[k].t : vset(c == i);
  for (int i = 0; i < 4 * NQ * NQ; i++)
    L->B[i] = vset(0);
#if !CST_SIZED || SYS_GENERAL
  if (GENERAL) {
    vd mass[ROOM(NNZ_M)];
    USES_M
    K_M(L->c, q, mass);
    for (int i = 0; i < NQ; i++)
      ROW_M(i, k, e)
        AT_B(NQ + i, NQ + k) = H(j) * mass[e];
    return;
  }
#endif
  for (int i = 0; i < NQ; i++)
    AT_B(NQ + i, NQ + i) = H(j) * vpick(MASS_UNIT, vset(1.0), L->m[CLASS(i)]);
}
