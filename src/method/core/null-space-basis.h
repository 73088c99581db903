/* null-space-basis.h: lane code: the factors of G' = Q R, the basis N of ker G that is the last part of Q, and the
 * projection of p1 on it. Part of null-space.c, which defines the fields. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* G' = Q R, for the enforced rows of G. */
CST_INLINE void factor(const cst_context *C, const vd *G, vd *A, vd *d, vd *b) {
  const int m = NR;
  USES_G
  UNROLL
  for (int k = 0; k < NQ * m; k++)
    A[k] = vset(0);
  UNROLL
  for (int a = 0, row = 0; a < NG; a++) {
    if (DROPPED(a))
      continue;
    ROW_G(a, i, e)
      A[i * m + row] = G[e];
    row++;
  }
  cst_householder(A, d, b, NQ, m);
}

/* m := l and impulse += l, with G'l the part of r[NQ] in the range of G'. */
CST_INLINE void add_impulse(const cst_context *C, const vd *A, const vd *d, const vd *b, vd *r,
                            vd *m, vd *impulse) {
  cst_householder_forth(A, b, NQ, NR, r);
  cst_householder_solve(A, d, NR, r);
  UNROLL
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a)) {
      m[a] = r[row++];
      impulse[a] += m[a];
    }
}

CST_INLINE void fill_basis(const cst_context *C, const vd *A, const vd *b, vd *N) {
  UNROLL
  for (int k = 0; k < NQ - NR; k++) {
    vd *row = N + k * NQ;
    UNROLL
    for (int i = 0; i < NQ; i++)
      row[i] = vset(i == NR + k);
    cst_householder_back(A, b, NQ, NR, row);
  }
}

#ifdef MI /* a constant diagonal M */
static void drive(const cst_context *C, const struct local *L, vd *w);

/* p := M N (N' M N)^-1 N' p at q1, and M w + M N (N' M N)^-1 N' (p - M w) where w is driven; r[NQ] is the removed
 * part. */
CST_INLINE void make_tangent(const cst_context *C, struct local *L, vd *p, vd *r) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)];
  vd        y[ROOM(n)];
  vd        w[ROOM(NQ)];
  if (DRIVEN)
    drive(C, L, w);
  UNROLL
  for (int i = 0; i < NQ && DRIVEN; i++)
    p[i] -= MI(i) * w[i];
  fill_basis(C, L->A1, L->b1, L->N);
  UNROLL
  for (int k = 0; k < n; k++) {
    y[k] = vset(0);
    UNROLL
    for (int i = 0; i < NQ; i++)
      y[k] += L->N[k * NQ + i] * p[i];
    UNROLL
    for (int l = k; l < n; l++) {
      vd s = vset(0);
      UNROLL
      for (int i = 0; i < NQ; i++)
        s += (L->N[k * NQ + i] * MI(i)) * L->N[l * NQ + i];
      S[k * n + l] = s;
    }
  }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  UNROLL
  for (int i = 0; i < NQ; i++) {
    vd v = vset(0);
    UNROLL
    for (int k = 0; k < n; k++)
      v += L->N[k * NQ + i] * y[k];
    r[i] = p[i] - MI(i) * v;
    p[i] = MI(i) * v;
  }
  UNROLL
  for (int i = 0; i < NQ && DRIVEN; i++)
    p[i] += MI(i) * w[i];
}
#endif
