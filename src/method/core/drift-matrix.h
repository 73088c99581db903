/* drift-matrix.h: lane code: Newton's matrix of a drift with a force inside it, for midpoint.c and null-space.c,
 * whose fields are q_m, G, G1 and the weights HM, and which define FORMS_B (B is formed) and B_SIZE. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* B := 1 + product V''(q_m) h M^-1. */
static void form_b(const cst_context *C, const struct local *L, int j, vd product, vd *B) {
  const cst_pattern *p = &C->system->model->pattern[CST_K_d2V];
  vd                 H[ROOM(p->n)];
  K_d2V(L->c, L->qm, H);
  for (int i = 0; i < NQ; i++) {
    for (int k = 0; k < NQ; k++)
      B[i * NQ + k] = vset(i == k);
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      B[i * NQ + p->column[e]] += H[e] * (product * HM(p->column[e]));
  }
}

/* S := h G1 M^-1 B^-1 G0' with B factored. */
static void complement(const cst_context *C, const struct local *L, int j, const vd *B,
                       const vd *G1, vd *S) {
  vd X[ROOM(NQ)];
  USES_G
  for (int b = 0; b < NG; b++) {
    for (int i = 0; i < NQ; i++)
      X[i] = vset(0);
    ROW_G(b, i, e)
      X[i] = L->G[e];
    cst_lu_solve(B, X, NQ);
    for (int a = 0; a < NG; a++) {
      vd s = vset(0);
      ROW_G(a, i, e)
        s += (G1[e] * HM(i)) * X[i];
      S[a * NG + b] = DROPPED(a) || DROPPED(b) ? vset(a == b) : s;
    }
  }
}

/* The test of near-root.h for S and the factors of B, which is read where it is formed. */
CST_INLINE vl is_near_root(const cst_context *C, const struct local *L, int j, const vd *B,
                           const vd *S) {
  vl sure = cst_gram_leans(C, S, H(j));
  if (vany(~sure)) {
    vd S0[ROOM(GRAM_SIZE)];
    if (FORMS_B)
      complement(C, L, j, B, L->G, S0);
    else
      cst_gram_fill(C, L->G, L->G, L->hm, H(j), 0, S0);
    sure |= cst_dense_is_close(C, S, S0);
  }
  return sure & cst_has_moved_little(C, L->q, L->q1, L->length);
}

/* A correction d of the momenta, t of the impulses, is bent: the one of what it leaves of g is added, with the factors
 * S. e: the right-hand side of d. Corrections are bent only where B is not formed. */
CST_INLINE void bend(const cst_context *C, struct local *L, int j, const vd *e, vd *S, vd *d,
                     vd *t) {
  USES_G
  UNROLL
  for (int i = 0; i < NQ; i++) {
    L->way[i] = -(HM(i) * d[i]);
    L->q2[i] = L->q1[i] - L->way[i];
  }
  SET_TIME_RIGHT(L, j);
  find_left(C, L);
  solve_again(C, L, j, S, L->left);
  UNROLL
  for (int a = 0; a < NG; a++)
    t[a] += L->left[a];
  UNROLL
  for (int i = 0; i < NQ; i++) {
    d[i] = e[i];
    COL_G(i, a, k)
      d[i] -= L->G[k] * t[a];
  }
}

/* The solution of B d = e - G0't, h G1 M^-1 d = -g, by its Schur complement:
 * (h G1 M^-1 B^-1 G0') t = g + h G1 M^-1 B^-1 e. */
CST_INLINE void solve_by_complement(const cst_context *C, struct local *L, int j, vd product,
                                    const vd *e, const vd *g, vd *d, vd *t) {
  vd B[ROOM(B_SIZE)];
  vd S[ROOM(GRAM_SIZE)];
  USES_G
  if (FORMS_B) {
    form_b(C, L, j, product, B);
    cst_lu(B, NQ);
  }
  UNROLL
  for (int i = 0; i < NQ; i++)
    d[i] = e[i];
  if (FORMS_B)
    cst_lu_solve(B, d, NQ);
  UNROLL
  for (int a = 0; a < NG; a++) {
    t[a] = g[a];
    ROW_G(a, i, k)
      t[a] += (L->G1[k] * HM(i)) * d[i];
  }
  if (FORMS_B)
    complement(C, L, j, B, L->G1, S);
  else
    cst_gram_fill(C, L->G1, L->G, L->hm, H(j), 0, S);
  L->sure = FORMS_B ? cst_lu_is_positive(B, NQ) : vmask(1);
  if (L->strict)
    L->sure &= is_near_root(C, L, j, B, S);
  cst_gram_solve(C, S, t, 0);
  L->sure &= cst_gram_is_positive(C, S, H(j));
  UNROLL
  for (int i = 0; i < NQ; i++) {
    d[i] = e[i];
    COL_G(i, a, k)
      d[i] -= L->G[k] * t[a];
  }
  if (FORMS_B)
    cst_lu_solve(B, d, NQ);
  if (L->bends)
    bend(C, L, j, e, S, d, t);
}
