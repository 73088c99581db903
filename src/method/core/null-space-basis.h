/* null-space-basis.h: lane code: the factors of G' = Q R, the basis N of ker G that is the last part of Q, and the
 * projection of p1 on it. Part of null-space.c, which defines the fields. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* G' = Q R, for the enforced rows of G. */
static void factor(const cst_context *C, const vd *G, vd *A, vd *d, vd *b) {
  const int m = NR;
  USES_G
  for (int k = 0; k < NQ * m; k++)
    A[k] = vset(0);
  for (int a = 0, row = 0; a < NG; a++) {
    if (DROPPED(a))
      continue;
    ROW_G(a, i, e)
      A[i * m + row] = G[e];
    row++;
  }
  cst_householder(A, d, b, NQ, m);
}

/* m := l and impulse += l, with G'l the part of r[NQ] in the range of G', where r is Q'r. */
static void add_impulse(const cst_context *C, struct local *L, const vd *A, const vd *d, vd *r,
                        vd *m) {
  cst_householder_solve(A, d, NR, r);
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a)) {
      m[a] = r[row++];
      L->impulse[a] += m[a];
    }
}

static void fill_basis(const cst_context *C, const vd *A, const vd *b, vd *N) {
  for (int k = 0; k < NQ - NR; k++) {
    vd *row = N + k * NQ;
    for (int i = 0; i < NQ; i++)
      row[i] = vset(i == NR + k);
    cst_householder_back(A, b, NQ, NR, row);
  }
}

#ifdef MI /* a constant diagonal M */
static void drive(const cst_context *C, const struct local *L, vd *w);

/* p := M N (N' M N)^-1 N' p at q1, and M w + M N (N' M N)^-1 N' (p - M w) where w is driven; adds the impulses m of
 * the removed part. */
static void make_tangent(const cst_context *C, struct local *L, vd *p, vd *m) {
  const int n = NQ - NR;
  vd        S[ROOM(n * n)];
  vd        y[ROOM(n)];
  vd        r[ROOM(NQ)];
  vd        w[ROOM(NQ)];
  if (DRIVEN)
    drive(C, L, w);
  for (int i = 0; i < NQ && DRIVEN; i++)
    p[i] -= MI(i) * w[i];
  fill_basis(C, L->A1, L->b1, L->N);
  for (int k = 0; k < n; k++) {
    y[k] = vset(0);
    for (int i = 0; i < NQ; i++)
      y[k] += L->N[k * NQ + i] * p[i];
    for (int l = k; l < n; l++) {
      vd s = vset(0);
      for (int i = 0; i < NQ; i++)
        s += (L->N[k * NQ + i] * MI(i)) * L->N[l * NQ + i];
      S[k * n + l] = s;
    }
  }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  for (int i = 0; i < NQ; i++) {
    vd v = vset(0);
    for (int k = 0; k < n; k++)
      v += L->N[k * NQ + i] * y[k];
    r[i] = p[i] - MI(i) * v;
    p[i] = MI(i) * v;
  }
  for (int i = 0; i < NQ && DRIVEN; i++)
    p[i] += MI(i) * w[i];
  cst_householder_forth(L->A1, L->b1, NQ, NR, r);
  add_impulse(C, L, L->A1, L->d1, r, m);
}
#endif
