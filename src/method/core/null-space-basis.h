/* null-space-basis.h: lane code: the factors of G' = Q R, the basis N of ker G that is the last part of Q, and the
 * projection of p1 on it. Part of null-space.c, which defines the fields. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* Calls with the number nq of coordinates and nr of rows of G; generic code with those of the pendulums as constants,
 * whose loops are unrolled then. */
#define OF_SIZE(n, m, call)                                                                        \
  do {                                                                                             \
    const int nq = (n), nr = (m);                                                                  \
    (void)nq, (void)nr;                                                                            \
    call;                                                                                          \
  } while (0)
#if CST_SIZED
#define OF_SIZES OF_SIZE
#else
#define OF_SIZES(n, m, call)                                                                       \
  do {                                                                                             \
    if ((n) == 2 && (m) == 1)                                                                      \
      OF_SIZE(2, 1, call);                                                                         \
    else if ((n) == 3 && (m) == 1)                                                                 \
      OF_SIZE(3, 1, call);                                                                         \
    else if ((n) == 4 && (m) == 2)                                                                 \
      OF_SIZE(4, 2, call);                                                                         \
    else                                                                                           \
      OF_SIZE(n, m, call);                                                                         \
  } while (0)
#endif

/* G' = Q R, for the enforced rows of G. */
CST_INLINE void factor(const cst_context *C, const vd *G, vd *A, vd *d, vd *b) {
  const int m = NR;
  USES_G
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
  OF_SIZES(NQ, m, cst_householder(A, d, b, nq, nr));
}

/* m := l and impulse += l, with G'l the part of r[NQ] in the range of G'. */
CST_INLINE void add_impulse(const cst_context *C, const vd *A, const vd *d, const vd *b, vd *r,
                            vd *m, vd *impulse) {
  OF_SIZES(NQ, NR, cst_householder_forth(A, b, nq, nr, r));
  OF_SIZES(NQ, NR, cst_householder_solve(A, d, nr, r));
  UNROLL
  for (int a = 0, row = 0; a < NG; a++)
    if (!DROPPED(a)) {
      m[a] = r[row++];
      impulse[a] += m[a];
    }
}

CST_INLINE void fill_basis_of(const vd *A, const vd *b, vd *N, const int nq, const int nr) {
  UNROLL
  for (int k = 0; k < nq - nr; k++) {
    vd *row = N + k * nq;
    UNROLL
    for (int i = 0; i < nq; i++)
      row[i] = vset(i == nr + k);
    cst_householder_back(A, b, nq, nr, row);
  }
}

CST_INLINE void fill_basis(const cst_context *C, const vd *A, const vd *b, vd *N) {
  OF_SIZES(NQ, NR, fill_basis_of(A, b, N, nq, nr));
}

#ifdef MI /* a constant diagonal M */
static void drive(const cst_context *C, const struct local *L, vd *w);

/* p := M N (N' M N)^-1 N' p at q1, and M w + M N (N' M N)^-1 N' (p - M w) where w is driven; r[NQ] is the removed
 * part. */
CST_INLINE void project(const cst_context *C, const struct local *L, vd *N, vd *p, vd *r,
                        const int nq, const int nr) {
  const int n = nq - nr;
  vd        S[ROOM(n * n)];
  vd        y[ROOM(n)];
  vd        m[ROOM(nq)];
  fill_basis_of(L->A1, L->b1, N, nq, nr);
  UNROLL
  for (int i = 0; i < nq; i++)
    m[i] = MI(i);
  UNROLL
  for (int k = 0; k < n; k++) {
    y[k] = vset(0);
    UNROLL
    for (int i = 0; i < nq; i++)
      y[k] += N[k * nq + i] * p[i];
    UNROLL
    for (int l = k; l < n; l++) {
      vd s = vset(0);
      UNROLL
      for (int i = 0; i < nq; i++)
        s += (N[k * nq + i] * vpick(CST_SIZED, MI(i), m[i])) * N[l * nq + i];
      S[k * n + l] = s;
    }
  }
  cst_ldl(S, n);
  cst_lu_solve(S, y, n);
  UNROLL
  for (int i = 0; i < nq; i++) {
    vd v = vset(0);
    UNROLL
    for (int k = 0; k < n; k++)
      v += N[k * nq + i] * y[k];
    r[i] = p[i] - vpick(CST_SIZED, MI(i), m[i]) * v;
    p[i] = vpick(CST_SIZED, MI(i), m[i]) * v;
  }
}

CST_INLINE void make_tangent(const cst_context *C, struct local *L, vd *p, vd *r) {
  vd w[ROOM(NQ)];
  if (DRIVEN) {
    drive(C, L, w);
    UNROLL
    for (int i = 0; i < NQ; i++)
      p[i] -= MI(i) * w[i];
  }
  OF_SIZES(NQ, NR, project(C, L, L->N, p, r, nq, nr));
  if (DRIVEN) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      p[i] += MI(i) * w[i];
  }
}
#endif
