/* convert-variations.h: how the end of each half changes with w, for Newton's matrix of convert(...):
 * D d-, D d+ and B, by first variations of the flow, by second variations of the layer, or as in the paper's
 * chord. Part of convert.h.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

#define AT_D(k, i, j) L->D[((k)*NQ + (i)) * 2 * NQ + (j)]
#define AT_B(i, j)    L->B[(i)*2 * NQ + (j)]

CST_INLINE void unit(const cst_context *C, int j, vd *u) {
  for (int i = 0; i < 2 * NQ; i++)
    u[i] = vset(i == j);
}

/* y[n] -= the sum over the rows l < m of B, `row` entries apart, times a[l]; in the order of l. */
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

/* p[nq] := D(M v + a)[dd, de] + D2(m.g)(d) dd at the end (d, e) of a half, with E of K_place there. */
static __attribute__((unused)) void momentum_variation(const cst_context *C, const struct local *L,
                                                       const vd *d, const vd *e, const vd *E,
                                                       const vd *m, const vd *dd, const vd *de,
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
      cst_sweep_tangent(C, &L->sweep[k], CST_TANGENT_SWEEPS, x + Q_, x + V_, u, u + NQ, dd, de);
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
