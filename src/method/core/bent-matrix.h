/* bent-matrix.h: lane code: Newton's matrix of a drift with a force inside it, for midpoint.c and null-space.c,
 * whose fields are q_m, G, G1 and the weights HM. */
/* SPDX-License-Identifier: BSD-2-Clause */

/* B := 1 + product V''(q_m) h M^-1. */
static void bend(const cst_context *C, const struct local *L, int j, double product, vd *B) {
  const cst_pattern *p = &C->system->pattern[CST_K_d2V];
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
static void complement(const cst_context *C, const struct local *L, int j, const vd *B, vd *S) {
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
        s += (L->G1[e] * HM(i)) * X[i];
      S[a * NG + b] = DROPPED(a) || DROPPED(b) ? vset(a == b) : s;
    }
  }
}
