/* hbvm-split.h: the iteration of the first kind: Newton's correction without the second derivatives of H and
 * of lambda.g, which leaves one system of the size of lambda. Part of hbvm.c, which defines the equations.
 */
/* SPDX-License-Identifier: BSD-2-Clause */

/* d: what gamma and phi would become without a change of lambda: -E + h M^-1 X D and -D. */
CST_INLINE void free_part(const cst_context *C, const struct local *L, vd h, const vd *f, vd *d) {
  vd push[ROOM(NQ)];
  FOR_DEGREE(r) {
    UNROLL
    for (int i = 0; i < NQ; i++)
      push[i] = h * turned(C, f + PHI, NQ, r, i);
    divide(C, L, push);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      d[r * NQ + i] = push[i] - f[r * NQ + i];
      d[PHI + r * NQ + i] = -f[PHI + r * NQ + i];
    }
  }
}

/* S := G(q1) M^-1 (X rho)_0'. */
CST_INLINE void complement(const cst_context *C, struct local *L, vd *S) {
  vd row[ROOM(NQ)], rho0[ROOM(NNZ_G)];
  USES_G
  UNROLL
  for (int e = 0; e < NNZ_G; e++)
    rho0[e] = turned(C, L->rho, NNZ_G, 0, e);
  if (!GENERAL) {
    cst_gram_fill(C, L->G1, rho0, L->minv, vset(1.0), 0, S);
    return;
  }
  for (int b = 0; b < NG; b++) {
    for (int i = 0; i < NQ; i++)
      row[i] = vset(0);
    ROW_G(b, i, e)
      row[i] = rho0[e];
    divide(C, L, row);
    for (int a = 0; a < NG; a++) {
      vd sum = vset(0);
      ROW_G(a, i, e)
        sum += L->G1[e] * row[i];
      S[a * NG + b] = DROPPED(a) || DROPPED(b) ? vset(a == b) : sum;
    }
  }
}

/* The iteration of the first kind; l is h dlambda. */
CST_INLINE void split(const cst_context *C, struct local *L, vd h, const vd *f, vd *d) {
  vd l[ROOM(NG)];
  vd dlambda[ROOM(NG)];
  vd S[ROOM(GRAM_SIZE)];
  vd push[ROOM(NQ)];
  USES_G
  free_part(C, L, h, f, d);
  if (NG == 0)
    return;
  UNROLL
  for (int a = 0; a < NG; a++) {
    l[a] = f[LAMBDA + a];
    ROW_G(a, i, e)
      l[a] += L->G1[e] * d[i];
  }
  complement(C, L, S);
  cst_gram_solve(C, S, l, 0);
  UNROLL
  for (int a = 0; a < NG; a++)
    d[LAMBDA + a] = dlambda[a] = l[a] / h;
  FOR_DEGREE(r) {
    UNROLL
    for (int i = 0; i < NQ; i++) {
      push[i] = vset(0);
      COL_G(i, a, e)
        push[i] += turned(C, L->rho, NNZ_G, r, e) * l[a];
    }
    divide(C, L, push);
    UNROLL
    for (int i = 0; i < NQ; i++) {
      d[r * NQ + i] -= push[i];
      COL_G(i, a, e)
        d[PHI + r * NQ + i] += L->rho[r * NNZ_G + e] * dlambda[a];
    }
  }
}
